import pytest

from frugal.bench import curves
from frugal.bench.curves import SAMPLING, bench_curves

BRIEF = {"n_steps": 30, "n_burn": 20, "thin": 10}


def test_both_likelihoods_are_timed_in_the_same_run_and_agree(monkeypatch):
    monkeypatch.setattr(curves, "SAMPLING", {"lean": BRIEF})
    table = bench_curves((8, 20), n_repeats=3)
    assert list(table) == [
        "n_points", "sampling", "n_steps", "n_samples", "fit_s", "acceptance", "vectorised_ms", "one_by_one_ms",
        "ratio", "max_difference",
    ]  # fmt: skip
    assert table["n_points"].tolist() == [8, 20]
    assert (table["n_samples"] == 100).all()
    assert (table["max_difference"] < 1e-12).all()
    assert table["ratio"].tolist() == pytest.approx((table["one_by_one_ms"] / table["vectorised_ms"]).tolist())
    assert (table["fit_s"] > 0).all()


def test_both_samplings_are_measured():
    assert list(SAMPLING) == ["lean", "authors"]
    assert SAMPLING["authors"]["n_steps"] == 2500


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"n_points": (4,)}, "n_points must be at least 5, at most 300, the horizon, and a whole number, got 4"),
        ({"n_points": (301,)}, "n_points must be at least 5, at most 300"),
        ({"n_repeats": 0}, "n_repeats must be at least 1"),
    ],
)
def test_counts_that_make_no_sense_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        bench_curves(**{"n_points": (8,)} | given)
