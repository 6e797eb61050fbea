"""`frugal bench beta` and `frugal bench folds`, at sizes at which they can be checked."""

import numpy as np

from frugal import datasets
from frugal.bench.beta import bench_beta
from frugal.bench.folds import bench_folds
from frugal.learners import CLASSIFIERS


def test_the_bench_of_the_beta_model_reports_both_errors_and_times():
    table = bench_beta(n_steps=20, n_chains=2)
    assert (table["ours_error"] < 1e-5).all()
    assert (table["ours_error"] < table["emcee_error"]).all()
    assert (table[["ours_ms", "compare_us", "emcee_ms"]] > 0).all(axis=None)


def test_the_bench_of_scores_reports_both_times_and_that_the_scores_are_equal(monkeypatch):
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 4, (160, 3)).astype(float), rng.integers(0, 2, 160)
    data = datasets.Dataset("toy", X, y, 2, "generated", {"all": np.arange(160)})
    monkeypatch.setattr(datasets, "load", lambda name, root: data)
    table = bench_folds(["wdbc"], CLASSIFIERS, n_candidates=6, n_folds=3)
    assert table["equal"].all()
    assert (table["data"] == "generated").all()
    assert table[["n_candidates", "n_folds"]].to_numpy().tolist() == [[6, 3]] * 3
    assert np.allclose(table["ratio"], table["peer_ms"] / table["ours_ms"])
    assert (table["peer_ms"] > 0).all()
