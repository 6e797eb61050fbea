"""Figures 6 and 7 of document 003: the runs, against the definitions written out and against simulation."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from frugal.rows import Bag, b_of_n, bootstrap, fit_logistic, interval_widths
from frugal.seeds import rng_for
from studies.big_data import bags, figure6
from studies.big_data.intervals import INTERVAL_WORKERS, INTERVALS

SETTINGS = {
    "n_rows": 600,
    "n_features": 2,
    "gammas": [0.6, 0.9],
    "r": 10,
    "n_resamples": 12,
    "max_fits": 80,
    "n_truth_per_seed": 3,
}
WORKERS = {
    "n_rows": 600,
    "n_features": 2,
    "gamma": 0.7,
    "s": 2,
    "r": 10,
    "n_resamples": 5,
    "workers": [1, 2],
    "n_truth_rows": 5000,
}
PATH = ["gamma", "b", "n_finished", "seconds", "rows_touched", "rows_held", "fraction_distinct", "width_0"]


def test_every_method_has_its_columns_and_the_same_numbers_again():
    for method in [known.name for known in INTERVALS.methods]:
        table, again = (INTERVALS.run(method, 1, SETTINGS) for _ in range(2))
        pd.testing.assert_frame_equal(table.drop(columns="seconds", errors="ignore"),
                                      again.drop(columns="seconds", errors="ignore"))  # fmt: skip
        assert (table["data"] == "generated").all()
        if method == "truth":
            assert list(table.filter(regex="^coef_")) == ["coef_0", "coef_1"]
            assert len(table) == 3
            assert table["coef_0"].nunique() == 3  # data sets of their own
        else:
            assert set(PATH) <= set(table)
            other = INTERVALS.run(method, 2, SETTINGS)
            assert not np.allclose(table["width_0"].iloc[-1], other["width_0"].iloc[-1])


def test_paths_end_where_the_settings_say():
    # BOOT touches about 0.632 * 600 * 12 = 4552 rows; of b = 46 and 316 rows that is 10 and 1.7 subsamples of 10
    # fits, but 80 fits are the most. A resample of 46 rows of 600 has 44.3 distinct ones, of 316 has 245.8.
    blb = INTERVALS.run("blb", 0, SETTINGS).groupby("gamma")["n_finished"].max()
    b_of_n = INTERVALS.run("b_of_n", 0, SETTINGS).groupby("gamma")["n_finished"].max()
    assert blb.to_dict() == {0.6: 8, 0.9: 2}
    assert b_of_n.to_dict() == {0.6: 80, 0.9: 19}
    boot = INTERVALS.run("bootstrap", 0, SETTINGS)
    assert boot["n_finished"].tolist() == list(range(1, 13))
    assert boot["gamma"].eq(1.0).all()
    assert boot["rows_touched"].iloc[-1] == pytest.approx(4552, rel=0.03)
    for table in (INTERVALS.run("blb", 0, SETTINGS), boot):
        assert (table.groupby("gamma")["seconds"].diff().dropna() > 0).all()


def bag(estimates, rows, b):
    """What `by_resample` and `by_subsample` read of a bag: estimates (s, r, d + 1), rows (s, r)."""
    estimates, rows = np.array(estimates, dtype=float), np.array(rows)
    statistics = np.array([bags.timed_widths(part[np.isfinite(part[:, 0])]) for part in estimates])
    coefs = np.nanmean(estimates, axis=1)
    return Bag(
        coef=coefs.mean(axis=0),
        statistic=statistics.mean(axis=0),
        coefs=coefs,
        statistics=statistics,
        estimates=estimates,
        rows=rows,
        n=10,
        b=b,
        r=np.full(len(rows), rows.shape[1]),
        settled_s=False,
        settled_r=np.zeros(len(rows), dtype=bool),
        reasons={},
    )


def test_a_path_of_subsamples_by_hand():
    # One coefficient; widths of two estimates are 0.95 times their distance: 0.95 * 1 and 0.95 * 3.
    found = bags.by_subsample(bag([[[1, 10], [2, 11]], [[0, 14], [3, 15]]], [[3, 4], [4, 4]], b=4), 8.0)
    np.testing.assert_allclose(found["width_0"], [0.95, 0.95 * 2])
    assert found["seconds"].tolist() == [3.0, 7.0]
    assert found["rows_touched"].tolist() == [7, 15]
    assert found["rows_held"].tolist() == [4, 4]
    np.testing.assert_allclose(found["fraction_distinct"], [0.35, 0.375])
    assert found["largest_share"].tolist() == [1.0, 1.0]
    np.testing.assert_allclose(found["coef_error"], [0.5, 0.5])


def test_a_path_leaves_out_a_subsample_without_a_fit():
    whole = bag([[[1, 10], [2, 11]], [[0, 12], [1, 13]], [[0, 14], [3, 15]]], [[3, 4], [1, 1], [4, 4]], b=4)
    coefs, statistics = whole.coefs.copy(), whole.statistics.copy()
    coefs[1], statistics[1] = np.nan, np.nan
    found = bags.by_subsample(replace(whole, coefs=coefs, statistics=statistics), 8.0)
    np.testing.assert_allclose(found["width_0"], [0.95, 0.95, 0.95 * 2])
    np.testing.assert_allclose(found["coef_error"], [0.5, 0.5, 0.5])


def test_a_path_of_resamples_by_hand_leaves_out_a_failed_fit():
    failed = [np.nan, np.nan]
    found = bags.by_resample(bag([[[1, 10], failed, [3, 12], [2, 13]]], [[6, 5, 7, 6]], b=10), 9.0, factor=0.5)
    np.testing.assert_allclose(found["width_0"], [0, 0, 0.5 * 0.95 * 2, 0.5 * 0.95 * 2])
    assert found["seconds"].tolist() == [1.0, 1.0, 3.0, 4.0]
    assert found["n_failed"].tolist() == [0, 1, 1, 1]
    assert found["rows_held"].tolist() == [6, 6, 7, 7]
    assert found["rows_touched"].tolist() == [6, 11, 18, 24]


def test_long_paths_are_thinned_but_end_at_their_end():
    assert bags.steps(60) == list(range(1, 61))
    kept = bags.steps(5000)
    assert (kept[0], kept[-1]) == (1, 5000)
    assert len(kept) <= 60
    assert kept == sorted(set(kept))


@pytest.mark.parametrize(
    ("method", "gamma", "resamples"),
    [(bootstrap, 1.0, {"r": 12}), (b_of_n, 0.9, {"b": 316, "r": 19})],  # as worked out above
)
def test_the_last_widths_are_those_of_the_method_itself(method, gamma, resamples):
    X, y = bags.draw_rows(600, 2, rng_for("intervals", "data", 0))
    rng = rng_for("intervals", method.__name__, f"{gamma:g}", 0)
    found = method(X, y, fit=fit_logistic, statistic=interval_widths, rng=rng, warm_start=True, **resamples)
    last = INTERVALS.run(method.__name__, 0, SETTINGS).iloc[-1]
    assert last["gamma"] == gamma
    np.testing.assert_allclose(last[["width_0", "width_1"]].astype(float), found.statistic, rtol=1e-12)
    assert last["rows_touched"] == found.rows_touched


def test_the_asymptotic_width_is_that_of_a_simulation():
    # 1,500 coefficients of data sets of 4,000 rows; a range of so many has a standard error of about 3 %.
    coefs = [fit_logistic(*bags.draw_rows(4000, 3, rng_for("test", i)), start=np.ones(3)) for i in range(500)]
    low, high = np.quantile(coefs, [0.025, 0.975])
    assert bags.asymptotic_width(4000, 3, 200_000) == pytest.approx(high - low, rel=0.09)
    assert bags.asymptotic_width(1000, 3, 200_000) == pytest.approx(2 * bags.asymptotic_width(4000, 3, 200_000))


def test_labels_follow_the_logistic_model():
    X, y = bags.draw_rows(200_000, 2, rng_for("test", "labels"))
    total = X.sum(axis=1)
    for low, high in ((-1.1, -0.9), (0.4, 0.6), (1.9, 2.1)):
        near = (total > low) & (total < high)
        assert y[near].mean() == pytest.approx(1 / (1 + np.exp(-(low + high) / 2)), abs=0.025)


def test_distinct_rows_are_63_percent_of_as_many_draws():
    assert bags.n_distinct(10_000, 10_000) == pytest.approx(6321.4, abs=0.2)
    assert bags.n_distinct(2, 4) == pytest.approx(4 * (1 - 0.75**2))  # by hand
    assert bags.n_distinct(5, 1) == 1.0


@pytest.mark.slow
def test_workers_change_seconds_only():
    for method in [known.name for known in INTERVAL_WORKERS.methods]:
        table = INTERVAL_WORKERS.run(method, 0, WORKERS)
        one, two = (table[table["n_workers"] == n].reset_index(drop=True) for n in (1, 2))
        pd.testing.assert_frame_equal(
            one.drop(columns=["n_workers", "seconds"]), two.drop(columns=["n_workers", "seconds"])
        )
        assert len(one) == (1 if method == "blb" else 5)
        assert (table["seconds"] > 0).all()
        truth = bags.asymptotic_width(600, 2, 5000)
        assert (table["true_width"] == truth).all()
        assert abs(one["mean_width"].iloc[-1] / truth - 1) <= one["relative_error"].iloc[-1] + 1e-12


def test_figure_6_adds_up():
    table = figure6.summarise(3)
    assert table["stage"].value_counts().to_dict() == {
        "resample": 60, "estimate": 60, "subsample": 3, "combination": 3, "data": 1, "result": 1,
    }  # fmt: skip
    estimates = table[table["stage"] == "estimate"].groupby("subsample")["coef"]
    combined = table[table["stage"] == "combination"].set_index("subsample")
    np.testing.assert_allclose(combined["coef"], estimates.mean())
    widths = estimates.apply(lambda part: interval_widths(part.to_numpy()[:, None])[0])
    np.testing.assert_allclose(combined["width"], widths)
    result = table[table["stage"] == "result"].iloc[0]
    np.testing.assert_allclose(result[["coef", "width"]].astype(float), combined[["coef", "width"]].mean())
    resamples = table[table["stage"] == "resample"]
    assert (resamples["n_rows"] == 1000).all()
    assert (resamples["n_distinct"] <= 63).all()  # floor(1000^0.6)
    assert not table.equals(figure6.summarise(4))
    texts = [text.get_text() for text in figure6.draw(table).axes[0].texts]
    assert f"mean {result['coef']:.3f}\n95 % interval:\nwidth {result['width']:.3f}" in texts
