"""Rows of parquet files: the same results as in memory, on any executor."""

import os
import pickle
import re
import sys
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.dataset as ds
import pytest
from joblib.externals.loky import ProcessPoolExecutor as LokyExecutor
from scipy import stats
from threadpoolctl import threadpool_info, threadpool_limits

from frugal.extras import MissingExtraError
from frugal.rows import (
    ParquetRows,
    Settle,
    SumsFit,
    b_of_n,
    blb,
    blb_stream,
    bootstrap,
    fit_logistic,
    interval_widths,
    osmac_stream,
)
from frugal.rows.osmac_stream import METHODS
from frugal.rows.subsamples import Plan

GUIDE = Path(__file__).parents[3] / "docs" / "clusters.md"
N = 3000
CUTS = [0, 700, 1400, 2000, 2700, N]


def rng(seed=7):
    return np.random.default_rng(seed)


X = rng(0).normal(size=(N, 3)).astype(np.float32)
Y = (rng(1).random(N) < 1 / (1 + np.exp(-X.sum(axis=1)))).astype(int)
FITTED = {"fit": fit_logistic, "statistic": interval_widths}


def add(X, y, weights):
    table = np.column_stack([X, y])
    return (table * weights[:, None]).T @ table


def solve(sums):
    return np.linalg.solve(sums[:-1, :-1], sums[:-1, -1])


LEAST_SQUARES = SumsFit(add, solve)


def table_of(X, y):
    return pd.DataFrame(X, columns=["a", "b", "c"]).assign(label=y)


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """Two files: row groups of 700, 700 and 600 rows, and of 700 and 300."""
    folder = tmp_path_factory.mktemp("rows")
    table_of(X[:2000], Y[:2000]).to_parquet(folder / "1.parquet", row_group_size=700)
    table_of(X[2000:], Y[2000:]).to_parquet(folder / "2.parquet", row_group_size=700)
    return folder


@pytest.fixture(scope="module")
def rows(source):
    return ParquetRows(source, target="label")


@pytest.fixture(scope="module")
def processes():
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        yield pool


@pytest.fixture(scope="module", params=["threads", "processes", "loky"])
def executor(request):
    if request.param == "processes":
        yield request.getfixturevalue("processes")
        return
    with ThreadPoolExecutor(2) if request.param == "threads" else LokyExecutor(2) as pool:
        yield pool


def same(bag, other):
    for name in ("coef", "statistic", "coefs", "statistics", "estimates", "rows", "r", "settled_r"):
        np.testing.assert_array_equal(getattr(bag, name), getattr(other, name), err_msg=name)
    assert (bag.n, bag.b, bag.settled_s) == (other.n, other.b, other.settled_s)


# What is read ----------------------------------------------------------------------------------------------------


def test_row_groups_are_the_rows_in_order(rows, source):
    assert len(rows) == N
    assert rows.sizes.tolist() == np.diff(CUTS).tolist()
    assert rows.starts.tolist() == CUTS[:-1]
    assert rows.classes.tolist() == [0, 1]
    for group, (features, labels) in enumerate(rows()):
        assert features.dtype == np.float32
        np.testing.assert_array_equal(features, X[CUTS[group] : CUTS[group + 1]])
        np.testing.assert_array_equal(labels, Y[CUTS[group] : CUTS[group + 1]])
    numbers = np.array([0, 3, 1399, 1400, 2999])
    taken = pickle.loads(pickle.dumps(rows)).take(numbers)
    np.testing.assert_array_equal(taken.X, X[numbers])
    np.testing.assert_array_equal(taken.y, Y[numbers])
    other = ParquetRows(ds.dataset(source), columns=["c", "a"])
    np.testing.assert_array_equal(other.read(0)[0], X[:700, [2, 0]])
    assert other.read(0)[1] is None
    assert other.classes is None


def test_an_index_is_no_feature_but_the_key_of_a_folder_may_be(tmp_path):
    table = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [4, 5, 6]}, index=pd.Index([7, 8, 9], name="id"))
    for year in (2024, 2025):
        (tmp_path / f"year={year}").mkdir()
        table.to_parquet(tmp_path / f"year={year}" / "x.parquet", row_group_size=2)
    rows = ParquetRows(ds.dataset(tmp_path, partitioning="hive"), target="year")
    assert rows.columns == ["a", "b"]
    assert rows.sizes.tolist() == [2, 1, 2, 1]
    assert rows.classes.tolist() == [2024, 2025]
    taken = rows.take(np.array([1, 2, 4]))
    assert taken.X.tolist() == [[2.0, 5.0], [3.0, 6.0], [2.0, 5.0]]
    assert taken.y.tolist() == [2024, 2024, 2025]


def test_a_missing_boolean_integer_or_category_becomes_nan(tmp_path):
    table = {"a": pd.array([True, None, False], "boolean"), "b": pd.array([3, None, 5], "Int64")}
    table["c"] = pd.Categorical([7, None, 9])
    pd.DataFrame(table).to_parquet(tmp_path / "x.parquet")
    X, _ = ParquetRows(tmp_path / "x.parquet").read(0)
    assert X.dtype == float
    np.testing.assert_array_equal(X, [[1, 3, 7], [np.nan, np.nan, np.nan], [0, 5, 9]])


def test_labels_may_be_strings_and_a_row_group_may_lack_one(tmp_path):
    names = np.array(["no", "yes", "perhaps"])[np.minimum(np.arange(9) // 3, 2)]
    pd.DataFrame({"a": np.arange(9.0), "name": names}).to_parquet(tmp_path / "x.parquet", row_group_size=3)
    rows = ParquetRows(tmp_path / "x.parquet", target="name")
    assert rows.classes.tolist() == ["no", "perhaps", "yes"]
    assert rows.take(np.array([0, 4])).y.tolist() == ["no", "yes"]
    assert rows.take(np.array([0, 4])).missing() == ["perhaps"]


def test_files_that_do_not_fit_are_refused(source, tmp_path):
    with pytest.raises(ValueError, match=r"^unknown column 'd'; known: a, b, c, label$"):
        ParquetRows(source, columns=["a", "d"])
    with pytest.raises(ValueError, match=r"^columns must be a list of names, got 'ab'$"):
        ParquetRows(source, columns="ab")
    for columns in (["a", "label"], ["a", "a"]):
        with pytest.raises(
            ValueError, match=r"^columns must name columns of X once each, and not the target, got"
        ):
            ParquetRows(source, target="label", columns=columns)
    with pytest.raises(ValueError, match=r"^unknown column 'y'"):
        ParquetRows(source, target="y")
    pd.DataFrame({"a": [1.0]}).to_csv(tmp_path / "x.csv")
    with pytest.raises(ValueError, match="source must be a dataset of parquet files, got a FileFragment"):
        ParquetRows(ds.dataset(tmp_path / "x.csv", format="csv"))
    pd.DataFrame({"a": [0.0]}).iloc[:0].to_parquet(tmp_path / "x.parquet")
    with pytest.raises(ValueError, match="source must hold at least one row, got none"):
        ParquetRows(tmp_path / "x.parquet")
    with pytest.raises(ValueError, match="columns must name at least one column for X, got none"):
        ParquetRows(tmp_path / "x.parquet", target="a")
    with pytest.raises(FileNotFoundError):
        ParquetRows(tmp_path / "nowhere")


@pytest.mark.parametrize("statistics", [True, False])
@pytest.mark.parametrize("kind", ["Int64", "float64", "string"])
def test_a_target_with_a_missing_entry_is_refused_before_any_row_is_drawn(tmp_path, statistics, kind):
    table = table_of(X, Y).astype({"label": kind})
    table.loc[1500, "label"] = None
    path = tmp_path / "x.parquet"
    table.to_parquet(path, row_group_size=700, write_statistics=statistics)
    with pytest.raises(
        ValueError, match=r"^target 'label' must have no missing entries, got 1 in row group 2 .*drop"
    ):
        ParquetRows(path, target="label")
    assert len(ParquetRows(path, columns=["a"])) == N  # which leaves the column out
    whole = table.dropna().astype({"label": kind})
    whole.to_parquet(path, row_group_size=700, write_statistics=statistics)
    assert len(ParquetRows(path, target="label")) == N - 1


def test_files_with_other_types_are_refused_by_column_and_file(tmp_path):
    table = pd.DataFrame({"a": [1.0, 2.0], "k": [1, 2], "label": [0, 1]})
    table.to_parquet(tmp_path / "1.parquet")
    table.assign(k=[1.5, 2.5]).to_parquet(tmp_path / "2.parquet")
    with pytest.raises(
        ValueError, match=r"^every file must hold column 'k' as int64, .*2\.parquet holds it as double$"
    ):
        ParquetRows(tmp_path, target="label")
    assert ParquetRows(tmp_path, target="label", columns=["a"]).read(1)[0].tolist() == [[1.0], [2.0]]
    table.assign(day=pd.to_datetime(["2020-01-01", "2021-01-01"]), k=["x", "y"]).to_parquet(tmp_path / "x.parquet")
    for name, kind in (("day", "timestamp"), ("k", "(large_)?string")):
        with pytest.raises(ValueError, match=rf"^X must hold real numbers, got column '{name}' of type {kind}"):
            ParquetRows(tmp_path / "x.parquet", target="label", columns=["a", name])


def test_without_pyarrow_the_extra_is_named(source, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.dataset", None)
    with pytest.raises(MissingExtraError, match=r"pip install '\.\[parquet\]'"):
        ParquetRows(source)


def test_the_guide_runs_as_printed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    part = GUIDE.read_text().split("## Rows that do not fit in memory")[1]
    (block,) = re.findall(r"```python\n(.*?)```", part, flags=re.DOTALL)
    exec(compile(block, str(GUIDE), "exec"), {"__name__": "guide"})
    lines = capsys.readouterr().out.splitlines()
    little, osmac, means = ([float(text) for text in re.findall(r"-?\d+\.\d*", line)] for line in lines)
    assert little[:3] == [1.0, 0.0, 1.0]
    np.testing.assert_allclose(osmac, [1.0, 0.0, 1.0], atol=0.2)
    assert means[:3] == [0.4, 0.0, 0.4]
    assert 0 < max(little[3:] + means[3:]) < 0.1


# Executors -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "run",
    [
        lambda *data, **workers: blb(*data, b=150, s=5, r=4, rng=rng(), **FITTED, **workers),
        lambda *data, **workers: blb(
            *data,
            b=150,
            s=40,
            r=40,
            rng=rng(),
            settle_s=Settle(0.1, 2),
            settle_r=Settle(0.1, 3),
            **FITTED,
            **workers,
        ),
        lambda *data, **workers: bootstrap(*data, r=6, rng=rng(), warm_start=True, **FITTED, **workers),
        lambda *data, **workers: bootstrap(*data, r=90, rng=rng(), settle=Settle(0.05, 5), **FITTED, **workers),
        lambda *data, **workers: b_of_n(*data, b=400, r=6, rng=rng(), **FITTED, **workers),
    ],
    ids=["blb", "blb-settled", "bootstrap", "bootstrap-settled", "b_of_n"],
)
def test_an_executor_changes_nothing(run, executor):
    here = run(X, Y)
    same(run(X, Y, executor=executor), here)
    same(run(X, Y, executor=executor, n_workers=3), here)


@pytest.mark.parametrize("method", METHODS)
def test_osmac_over_an_executor_draws_the_rows_that_it_draws_in_turn(rows, executor, method):
    def read():
        return zip(np.split(X, CUTS[1:-1]), np.split(Y, CUTS[1:-1]), strict=True)

    run = {"pilot_size": 150, "size": 400, "method": method}
    in_turn = osmac_stream(read, rng=rng(), **run)
    for found in (osmac_stream(rows, rng=rng(), **run), osmac_stream(rows, rng=rng(), executor=executor, **run)):
        for name in ("rows", "probabilities", "coef", "covariance"):
            np.testing.assert_array_equal(getattr(found, name), getattr(in_turn, name), err_msg=name)
        assert (found.n_rows, found.n_pilot) == (N, 150)
    assert (in_turn.n_passes, found.n_passes) == (2, 4)


def test_a_pilot_that_fails_is_drawn_again_over_an_executor_too(rows):
    seen = set()
    with ThreadPoolExecutor(2) as pool:
        for seed in range(12):
            run = {"pilot_size": 9, "size": 500}
            try:
                in_turn = osmac_stream(rows, rng=rng(seed), **run)
            except ValueError as error:
                with pytest.raises(type(error)) as refusal:
                    osmac_stream(rows, rng=rng(seed), executor=pool, **run)
                assert str(refusal.value) == str(error)  # noqa: PT017
                continue
            found = osmac_stream(rows, rng=rng(seed), executor=pool, **run)
            np.testing.assert_array_equal(found.rows, in_turn.rows)
            assert found.n_passes == 2 * in_turn.n_passes
            seen.add(found.n_pilot)
    assert 18 in seen


class Weighed:
    """A fit that writes down where it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __setstate__(self, state):
        self.__dict__ = state
        with Path(self.path).open("a") as file:
            file.write(f"{os.getpid()}\n")

    def __call__(self, X, y, weights):
        return np.average(X, axis=0, weights=weights)


@pytest.mark.parametrize("run", [blb, bootstrap])
def test_rows_are_sent_to_a_process_once(run, processes, tmp_path):
    fit = Weighed(tmp_path / "processes")
    sizes = {"b": 100, "s": 12, "r": 2} if run is blb else {"r": 24}
    run(X, Y, fit=fit, statistic=interval_widths, rng=rng(), executor=processes, **sizes)
    unpickled = (tmp_path / "processes").read_text().split()
    assert len(unpickled) == len(set(unpickled)) <= 2


def test_threads_fit_on_one_thread_each_and_the_limit_ends_with_the_last_of_them():
    def blas_threads():
        return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}

    def fit(X, y, weights):
        inside.update(blas_threads())
        time.sleep(0.001)
        return X.mean(axis=0)

    inside, run = set(), {"b": 150, "s": 50, "r": 20, "statistic": interval_widths}
    with threadpool_limits(2):
        with ThreadPoolExecutor(3) as pool:
            settled = blb(X, Y, fit=fit, rng=rng(), settle_s=Settle(1e6, 2), executor=pool, **run)
        after = blas_threads()
    assert settled.s == 3
    assert inside == {1}
    assert after == {2}


@pytest.mark.slow
def test_dask_changes_nothing(rows):
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    run = {"b": 150, "s": 5, "r": 4, **FITTED}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        executor = client.get_executor()
        in_memory = blb(X, Y, rng=rng(), **run)
        same(blb(X, Y, rng=rng(), executor=executor, **run), in_memory)
        same(blb(rows, rng=rng(), executor=executor, **run), in_memory)
        drawn = osmac_stream(rows, pilot_size=150, size=400, rng=rng(), executor=executor)
    here = osmac_stream(rows, pilot_size=150, size=400, rng=rng())
    np.testing.assert_array_equal(drawn.rows, here.rows)
    np.testing.assert_array_equal(drawn.coef, here.coef)


def test_an_executor_that_does_not_say_how_many_workers_it_has_needs_n_workers():
    class Plain(Executor):
        def submit(self, fn, /, *args, **kwargs):
            return pool.submit(fn, *args, **kwargs)

    run = {"b": 150, "s": 3, "r": 3, **FITTED}
    with ThreadPoolExecutor(1) as pool:
        with pytest.raises(ValueError, match="n_workers must be given, since Plain"):
            blb(X, Y, executor=Plain(), rng=rng(), **run)
        same(blb(X, Y, executor=Plain(), n_workers=2, rng=rng(), **run), blb(X, Y, rng=rng(), **run))


class First(Executor):
    """Runs its first task at once; the others stay pending unless they are cancelled."""

    def __init__(self):
        self.futures = []

    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        self.futures.append(future)
        if len(self.futures) == 1:
            try:
                future.set_result(fn(*args, **kwargs))
            except KeyError as error:
                future.set_exception(error)
        return future


def test_what_a_fit_raises_ends_the_run_and_cancels_the_rest():
    def fit(X, y, weights):
        raise KeyError("a bug")

    executor, sizes = First(), {"b": 150, "s": 100, "r": 3}
    with pytest.raises(KeyError, match="a bug"):
        blb(X, Y, fit=fit, statistic=interval_widths, rng=rng(), executor=executor, n_workers=5, **sizes)
    assert [future.cancelled() for future in executor.futures] == [False] + [True] * 4


# The same rows in memory and in files ---------------------------------------------------------------------------


def test_the_bag_of_little_bootstraps_is_that_of_the_rows_in_memory(rows, executor):
    run = {"b": 150, "s": 4, "r": 3, **FITTED}
    in_memory = blb(X, Y, rng=rng(), **run)
    same(blb(rows, rng=rng(), **run), in_memory)
    same(blb(rows, rng=rng(), executor=executor, **run), in_memory)
    same(blb_stream(rows, rng=rng(), at_once=2, **run), in_memory)


def test_b_of_n_is_that_of_the_rows_in_memory(rows, processes):
    run = {"b": 200, "r": 5, **FITTED}
    same(b_of_n(rows, rng=rng(), executor=processes, **run), b_of_n(X, Y, rng=rng(), **run))


def test_sums_that_write_into_their_rows_are_each_of_the_rows_as_stored(source):
    out = np.zeros((4, 4))

    def rude(X, y, weights):
        X *= np.sqrt(weights)[:, None]
        out[:] = add(X, y, np.ones(len(X)))
        return out

    def gentle(X, y, weights):
        return add((X * np.sqrt(weights)[:, None]).astype(X.dtype), y, np.ones(len(X)))

    found, expected = (
        bootstrap(
            ParquetRows(source, target="label"), fit=SumsFit(one, solve), r=4, statistic=interval_widths, rng=rng()
        )
        for one in (rude, gentle)
    )
    np.testing.assert_array_equal(found.estimates, expected.estimates)


def test_the_bootstrap_is_the_fit_to_the_counts_that_were_drawn(rows, executor):
    run = {"r": 5, "fit": LEAST_SQUARES, "statistic": interval_widths}
    found = bootstrap(rows, rng=rng(), executor=executor, **run)
    same(found, bootstrap(rows, rng=rng(), **run))
    plan = Plan(LEAST_SQUARES, interval_widths, N, 5, int(rng().integers(2**63)))
    sizes = np.diff(CUTS)
    for k in range(5):
        taken = plan.generator(0, k).multinomial(N, sizes / N)
        counts = [
            np.bincount(plan.generator(0, k, group).integers(size, size=n), minlength=size)
            for group, (size, n) in enumerate(zip(sizes, taken, strict=True))
        ]
        root = np.sqrt(np.concatenate(counts))
        expected, *_ = np.linalg.lstsq(X * root[:, None], Y * root, rcond=None)
        np.testing.assert_allclose(found.estimates[0, k], expected, rtol=1e-9)
        assert found.rows[0, k] == np.count_nonzero(root)


def test_the_bootstrap_of_row_groups_has_the_distribution_of_that_in_memory(rows):
    """Every row is drawn Binomial(n, 1 / n) times, pairs with covariance -1 / n; least squares vary as they do."""
    run = {"r": 400, "fit": LEAST_SQUARES, "statistic": interval_widths}
    found, in_memory = bootstrap(rows, rng=rng(1), **run), bootstrap(X, Y, rng=rng(2), **run)
    for ours, theirs in zip(found.estimates[0].T, in_memory.estimates[0].T, strict=True):
        assert stats.ks_2samp(ours, theirs).pvalue > 0.001
    np.testing.assert_allclose(found.statistic, in_memory.statistic, rtol=0.2)
    assert found.rows[0].mean() == pytest.approx(in_memory.rows[0].mean(), abs=5)

    sums = SumsFit(lambda X, y, weights: np.array([weights.sum(), (weights**2).sum()]), lambda sums: sums)
    drawn = bootstrap(rows, rng=rng(3), **(run | {"fit": sums})).estimates[0]
    assert (drawn[:, 0] == N).all()
    # E c^2 = 1 + (n - 1) / n for Binomial(n, 1 / n); the sum has a standard deviation of about sqrt(2 n).
    assert abs(drawn[:, 1].mean() - (2 * N - 1)) < 4 * np.sqrt(2 * N / 400)


def test_a_bootstrap_settles_on_row_groups_too(rows):
    run = {"r": 90, "fit": LEAST_SQUARES, "statistic": interval_widths}
    found, every = (bootstrap(rows, rng=rng(), settle=rule, **run) for rule in (Settle(0.1, 5), None))
    assert found.settled_r.tolist() == [True]
    assert found.r[0] < 90
    np.testing.assert_array_equal(found.estimates[0], every.estimates[0, : found.r[0]])


def test_what_row_groups_cannot_do_is_refused(rows, source, tmp_path):
    run = {"r": 3, "statistic": interval_widths, "rng": rng()}
    with pytest.raises(ValueError, match="fit must be a SumsFit, without warm_start, where X is a ParquetRows"):
        bootstrap(rows, fit=fit_logistic, **run)
    with pytest.raises(ValueError, match="fit must be a SumsFit, without warm_start"):
        bootstrap(rows, fit=LEAST_SQUARES, warm_start=True, **run)
    with pytest.raises(
        ValueError, match="y must be None where X is a ParquetRows, which has a target, got ndarray"
    ):
        blb(rows, Y, b=100, s=2, fit=fit_logistic, **run)
    with pytest.raises(ValueError, match=r"read must be a ParquetRows where there are workers, .* got function"):
        osmac_stream(lambda: iter([]), pilot_size=5, size=5, rng=rng(), n_workers=2)
    with pytest.raises(ValueError, match=r"chunks of shape \(n_chunk, d\) and \(n_chunk,\)"):
        osmac_stream(ParquetRows(source), pilot_size=5, size=5, rng=rng())
    holes = table_of(X, Y)
    holes.loc[800, "b"] = np.nan
    holes.to_parquet(tmp_path / "x.parquet", row_group_size=700)
    with pytest.raises(ValueError, match="X must be finite, got nan or infinite entries"):
        bootstrap(ParquetRows(tmp_path / "x.parquet", target="label"), fit=LEAST_SQUARES, **run)


def test_folders_named_for_a_column_and_a_value_are_a_column_of_a_folder_and_not_of_a_file(tmp_path):
    table = pd.DataFrame({"a": [0.5, 1.5, 2.5, 3.5], "c": [1, 1, 2, 2], "y": [0, 1, 0, 1]})
    table.to_parquet(tmp_path / "rows", partition_cols=["c"])
    rows = ParquetRows(tmp_path / "rows", target="y")
    assert sorted(rows.columns) == ["a", "c"]
    found = np.concatenate([X for X, _ in rows()])[:, rows.columns.index("c")]
    assert found.tolist() == [1, 1, 2, 2]
    (file,) = (tmp_path / "rows/c=1").iterdir()
    assert ParquetRows(file, target="y").columns == ["a"]
