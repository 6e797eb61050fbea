"""Ten million rows of a parquet dataset in 400 MiB per process.

What is asserted is the peak of resident memory of two fresh processes: the one that calls, and its worker.
A limit on the address space or on data would not do: NumPy and pyarrow reserve far more than they ever touch.
"""

from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

import numpy as np
import pytest

from frugal.bench.blb import peak_mib
from frugal.rows import ParquetRows, SumsFit, blb, bootstrap, fit_logistic, interval_widths, osmac_stream

pytestmark = pytest.mark.slow

N, SIZE, NAMES = 10_000_000, 200_000, ["a", "b", "c", "d", "e"]
COEF = np.array([1.0, -0.5, 0.25, 0.0, 0.5])
LIMIT = 400  # MiB


def write(path):
    """Fifty row groups of a logistic model; the rows as floats of 8 bytes would take 458 MiB."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    fields = [*((name, pa.float32()) for name in NAMES), ("label", pa.int8())]
    with pq.ParquetWriter(path, pa.schema(fields), compression="none", use_dictionary=False) as file:
        for _ in range(N // SIZE):
            X = rng.standard_normal((SIZE, len(NAMES)), dtype=np.float32)
            y = rng.random(SIZE) < 1 / (1 + np.exp(-(X @ COEF)))
            arrays = [*map(pa.array, X.T.copy()), pa.array(y.astype(np.int8))]
            file.write_table(pa.table(arrays, names=[name for name, _ in fields]), row_group_size=SIZE)


def add(X, y, weights):
    """Of the mean difference between the classes, feature by feature."""
    weighted = np.array([np.where(y == label, weights, 0.0) for label in (0, 1)])
    return np.column_stack([weighted @ X, weighted.sum(axis=1)])


def solve(sums):
    return sums[1, :-1] / sums[1, -1] - sums[0, :-1] / sums[0, -1]


def compute(path):
    """What each method finds with one worker, and the peaks of this process and of the worker."""
    rows, seeds = ParquetRows(path, target="label"), iter(np.random.default_rng(1).spawn(3))
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        sums = {"fit": SumsFit(add, solve), "statistic": partial(np.std, axis=0)}
        logistic = {"fit": fit_logistic, "statistic": interval_widths}
        found = {
            "blb": blb(rows, b=30_000, s=2, r=20, rng=next(seeds), executor=pool, **logistic),
            "bootstrap": bootstrap(rows, r=4, rng=next(seeds), executor=pool, **sums),
            "osmac": osmac_stream(rows, pilot_size=1000, size=5000, rng=next(seeds), executor=pool),
        }
        return found, (peak_mib(), pool.submit(peak_mib).result())


@pytest.fixture(scope="module")
def computed(tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "rows.parquet"
    write(path)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        yield pool.submit(compute, path).result()
    path.unlink()


def test_no_process_holds_more_than_400_mib(computed):
    peaks = computed[1]
    assert min(peaks) > 50
    assert max(peaks) < LIMIT


def test_the_bag_of_little_bootstraps(computed):
    found = computed[0]["blb"]
    assert (found.n, found.n_fits, found.n_failed) == (N, 40, 0)
    # Standard errors of coefficients from 30,000 rows are about 0.013, and of the mean of two 0.01.
    np.testing.assert_allclose(found.coef, COEF, atol=0.05)
    # Of all rows, 0.0008: an interval of 3.9 of them, from 20 resamples.
    np.testing.assert_allclose(found.statistic, 3.9 * 0.0008, rtol=0.5)


def test_the_bootstrap(computed):
    found = computed[0]["bootstrap"]
    assert (found.n, found.n_fits) == (N, 4)
    assert found.rows[0] == pytest.approx(N * (1 - np.exp(-1)), rel=1e-3)
    # The difference of two means of 5 million rows has a standard error of sqrt(2 / 5e6), that is 0.0006.
    assert (found.statistic < 0.002).all()
    assert (np.sign(found.coef) == np.sign(COEF))[COEF != 0].all()
    assert abs(found.coef[COEF == 0]) < 0.005


def test_osmac(computed):
    found = computed[0]["osmac"]
    assert (found.n_rows, found.n_pilot, len(found.rows)) == (N, 1000, 6000)
    assert found.rows.max() > N - N // 100
    error = np.sqrt(np.diag(found.covariance))
    assert (error < 0.1).all()
    assert (np.abs(found.coef - COEF) < 5 * error).all()
