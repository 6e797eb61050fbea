"""`frugal bench rows`: the rows it generates, Newton's method in passes, and what is measured of each method."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from frugal.bench.osmac import PEER, bench_osmac, generated_chunks, newton_stream
from frugal.cli import main


def test_generated_rows_are_the_design_and_the_same_in_every_pass():
    one, again = (list(generated_chunks(25_000, 7, 10_000, 0)) for _ in range(2))
    assert [len(y) for _, y in one] == [10_000, 10_000, 5000]
    X, y = (np.concatenate(parts) for parts in zip(*one, strict=True))
    np.testing.assert_array_equal(X, np.concatenate([part for part, _ in again]))
    np.testing.assert_allclose(X.mean(axis=0), 1.5, atol=0.04)
    np.testing.assert_allclose(np.cov(X.T), 0.5 + 0.5 * np.eye(7), atol=0.04)
    assert y.mean() == pytest.approx(0.947, abs=0.01)  # docs/methods.md, section 13
    assert not np.array_equal(X[:10_000], X[10_000:20_000])
    other = next(generated_chunks(25_000, 7, 10_000, 1))
    assert not np.array_equal(X[:10_000], other[0])


def test_newton_in_passes_is_the_fit_of_all_rows():
    X, y = (np.concatenate(parts) for parts in zip(*generated_chunks(4000, 7, 1000, 1), strict=True))
    model = LogisticRegression(C=np.inf, fit_intercept=False, solver="newton-cg", tol=1e-10, max_iter=1000)
    found = newton_stream(lambda: generated_chunks(4000, 7, 1000, 1), 7)
    np.testing.assert_allclose(found, model.fit(X, y).coef_[0], atol=1e-5)
    with pytest.raises(ValueError, match="found no maximum within 50 steps"):
        newton_stream(lambda: [(X, (X[:, 0] > X[:, 1]).astype(float))], 7)


@pytest.mark.slow
def test_the_bench_measures_each_method_in_a_process_of_its_own():
    ballast = np.ones(40_000_000)  # 305 MiB that a peak handed down from this process would show
    table = bench_osmac(20_000, chunk_rows=3000, pilot_size=200, size=2000, methods=["osmac_mvc"]).set_index(
        "method"
    )
    assert ballast.sum() == 40_000_000
    assert list(table.index) == [PEER, "osmac_mvc"]
    assert table.loc[PEER, ["seconds_ratio", "n_drawn"]].tolist() == [1.0, 20_000]
    assert table.loc["osmac_mvc", "n_drawn"] == 2200
    assert (table["peak_mib"] - table["base_mib"]).between(0.0, 60.0).all()
    assert (table["base_mib"] < 300).all()
    # Expected: about (0.04 / 2)^.5 = 0.14 for all rows, and 0.1 * 1000 / 2200 on top of the square for a
    # subsample.
    assert table.loc[PEER, "error"] < 0.35
    assert 0.02 < table.loc["osmac_mvc", "error"] < 0.8


def test_the_bench_refuses_what_it_does_not_know():
    with pytest.raises(ValueError, match="n_rows must be at least 1"):
        bench_osmac(0)
    with pytest.raises(ValueError, match="methods must be one of osmac_mvc, osmac_mmse, got 'lcc'"):
        bench_osmac(10, methods=["lcc"])


@pytest.mark.slow
def test_the_bench_of_rows_shows_memory_and_rows_held(capsys):
    assert not main(["bench", "rows", "--n-rows", "20000", "--chunk-rows", "5000"])
    head, *lines = capsys.readouterr().out.splitlines()
    rows = {line.split()[0]: dict(zip(head.split(), line.split(), strict=True)) for line in lines}
    assert list(rows) == ["generation", "SGDClassifier.partial_fit", "blb_stream", "newton_all_rows", "osmac_mvc",
                          "osmac_mmse"]  # fmt: skip
    assert rows["blb_stream"]["rows_held"] == str(5 * 1024 + 5000)
    assert rows["osmac_mvc"]["n_drawn"] == "101000"
    for method in ("newton_all_rows", "osmac_mvc"):
        assert 20 < float(rows[method]["base_mib"]) <= float(rows[method]["peak_mib"])
