"""Document 003's Figure 8 and its check of the variance: fits by hand, and claims on made-up runs."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss

from frugal import datasets
from frugal.rows import fit_dynamic_sample
from frugal.seeds import rng_for
from studies import style
from studies.big_data import figure8, growing_samples, sample_sizes, variance_check
from studies.big_data.sample_sizes import SAMPLE_SIZES
from studies.big_data.variance_check import VARIANCE_CHECK
from studies.estimates import CONTRADICTED, REPRODUCED, UNDECIDED
from studies.tidy import TIDY
from studies.verdicts import judge

pytestmark = pytest.mark.usefixtures("alike_seeds_decide")

CHECK = {"dataset": "digits", "n_rows": 300, "max_passes": 6, "start_share": 0.1, "window": 10, "ratio": 0.4,
         "hessian_share": 0.1, "max_products": 10}  # fmt: skip
SMALL = CHECK | {"fixed_share": 0.2}
METHODS = [method.name for method in SAMPLE_SIZES.methods]
CLAIMS = (*sample_sizes.CLAIMS, *variance_check.CLAIMS)


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    path = tmp_path_factory.mktemp("data")
    datasets.prepare("digits", root=path)
    return path


@pytest.fixture(scope="module")
def runs(root):
    parts = [
        SAMPLE_SIZES.run(method, seed, SMALL, root).assign(method=method, seed=seed)
        for method in METHODS
        for seed in range(2)
    ]
    return pd.concat(parts, ignore_index=True)


@pytest.fixture(scope="module")
def checked(root):
    parts = [VARIANCE_CHECK.run("dynamic_50", seed, CHECK, root).assign(seed=seed) for seed in range(2)]
    return pd.concat(parts, ignore_index=True).assign(method="dynamic_50")


def fit_of(table, method, seed=0):
    return table[(table["method"] == method) & (table["seed"] == seed)].reset_index(drop=True)


def untimed(table):
    return table.drop(columns="seconds")


@pytest.mark.parametrize(
    ("method", "settings"),
    [
        ("dynamic_50", {"theta": 0.5}),
        ("dynamic_75_unguarded", {"theta": 0.75, "window": 0}),
        ("sgd_50", {"theta": 0.5, "solver": "sgd"}),
        ("fixed_5", {"theta": 0.5, "dynamic": False, "initial_size": 60}),
        ("batch", {"theta": 0.5, "dynamic": False, "initial_size": 300}),
    ],
)
def test_steps_are_those_of_the_library(root, runs, method, settings):
    problem = growing_samples.load("digits", 300, root)
    rng = rng_for("sample_sizes", "digits", 0)
    fit = fit_dynamic_sample(
        problem.X, problem.y, **{"initial_size": 30, "rng": rng, "max_points": 1800, "watch": True} | settings
    )
    steps = fit_of(runs, method).iloc[1:]
    np.testing.assert_array_equal(steps["points"], fit.trace.points)
    np.testing.assert_array_equal(steps["size"], fit.trace.size)
    np.testing.assert_allclose(steps["likelihood"], np.exp(-fit.trace.full_objective), rtol=1e-10)
    assert steps["accuracy"].iloc[-1] == pytest.approx((fit.predict(problem.X) == problem.y).mean())


def test_features_are_standardised_and_a_constant_one_is_0(root):
    X = growing_samples.load("digits", 300, root).X
    assert X.shape == (300, 65)
    np.testing.assert_array_equal(X[:, -1], 1.0)
    spread = X[:, :-1].std(axis=0)
    assert ((np.abs(spread - 1) < 1e-12) | (X[:, :-1] == 0).all(axis=0)).all()
    np.testing.assert_allclose(X[:, :-1].mean(axis=0), 0, atol=1e-12)
    assert (X == 0).all(axis=0).any()  # some pixels of digits never vary


def test_likelihood_is_the_geometric_mean_probability_of_the_own_class(root):
    problem = growing_samples.load("digits", None, root)  # more rows than are looked at together
    coef = 0.1 * np.random.default_rng(0).normal(size=(65, 10))  # log_loss clips what is nearly 0
    p = np.exp(problem.X @ coef)
    p /= p.sum(axis=1, keepdims=True)
    likelihood, accuracy = problem.quality(coef)
    assert likelihood == pytest.approx(np.exp(-log_loss(problem.y, p)), rel=1e-9)
    assert accuracy == pytest.approx((p.argmax(axis=1) == problem.y).mean())


def test_every_fit_starts_at_chance_and_ends_with_its_rows(runs):
    starts = runs[runs["iteration"] == 0]
    np.testing.assert_allclose(starts["likelihood"], 0.1)
    assert (starts[["points", "seconds"]] == 0).all(axis=None)
    for _, part in runs.groupby(["method", "seed"]):
        assert (part["points"].iloc[:-1] < 1800).all()
        assert (part["seconds"].diff().dropna() > 0).all()
    assert (fit_of(runs, "batch")["size"] == 300).all()
    assert (fit_of(runs, "fixed_5")["size"] == 60).all()


def test_methods_draw_the_same_samples_and_seeds_other_ones(root, runs):
    first = runs[(runs["iteration"] == 1) & (runs["seed"] == 0)].set_index("method")["likelihood"]
    assert first["dynamic_10"] == first["dynamic_75"]  # theta matters from the second sample on
    assert fit_of(runs, "dynamic_50", 0)["likelihood"][1] != fit_of(runs, "dynamic_50", 1)["likelihood"][1]
    again = SAMPLE_SIZES.run("dynamic_50", 0, SMALL, root)
    ours = untimed(fit_of(runs, "dynamic_50").drop(columns=["method", "seed"]))
    pd.testing.assert_frame_equal(untimed(again), ours)


def test_without_a_window_there_is_no_guard(root, runs):
    unguarded = SAMPLE_SIZES.run("dynamic_75", 0, SMALL | {"window": 0}, root)
    np.testing.assert_array_equal(unguarded["likelihood"], fit_of(runs, "dynamic_75_unguarded")["likelihood"])


def test_the_error_of_the_first_gradient_is_that_of_the_rows_drawn(root, checked):
    problem = growing_samples.load("digits", 300, root)
    each = np.einsum("id,ic->idc", problem.X, 0.1 - np.eye(10)[problem.y]).reshape(300, -1)
    drawn = each[rng_for("variance_check", "digits", 0).choice(300, 30, replace=False, shuffle=False)]
    error = np.square(drawn.mean(axis=0) - each.mean(axis=0)).sum()
    variance = np.square(drawn - drawn.mean(axis=0)).sum() / (30 * 29)
    first = checked.iloc[0]
    assert first["squared_error"] == pytest.approx(error)
    assert first["variance"] == pytest.approx(variance)
    assert first["corrected"] == pytest.approx(variance * 0.9)
    assert first["size"] == 30


def by_hand(n_seeds=2, n_rows=100):
    """Batch gains 0.1 a pass from 0.1 to 0.5; the others get half as far, but for theta 0.5: twice as fast."""
    rows = []
    for method in METHODS:
        for seed in range(n_seeds):
            gains = {"batch": [0.1, 0.2, 0.3, 0.4, 0.5], "dynamic_50": [0.1, 0.3, 0.25, 0.49, 0.5]}
            step = 0.5 if method == "dynamic_50" else 1.0
            for i, value in enumerate(gains.get(method, [0.1, 0.3, 0.2, 0.3, 0.1])):
                what = {"points": round(i * step * n_rows), "seconds": 0.25 * i, "size": 20 * (i + 1)}
                at = {"method": method, "seed": seed, "iteration": i, "likelihood": value, "accuracy": 0.5}
                rows.append(at | what | {"n_rows": n_rows, "max_passes": 4.0, "data": "original"})
        rows.append(rows[-1] | {"iteration": 5, "points": 4 * n_rows + 1, "likelihood": 0.9})  # too late
    return pd.DataFrame(rows)


def test_outcomes_of_runs_made_by_hand():
    ends = sample_sizes.outcomes(by_hand()).set_index(["method", "seed"])
    expected = {"likelihood": 0.5, "passes_to_level": 1.5, "seconds_to_level": 0.75, "missed_level": 0.0,
                "passes_to_half": 0.5, "fall": 0.05, "n_steps": 4.0, "start": 0.1}  # fmt: skip
    assert ends.loc["dynamic_50", 0][list(expected)].to_dict() == pytest.approx(expected)
    assert ends.loc["batch", 0]["passes_to_level"] == 4.0
    missed = {"likelihood": 0.1, "passes_to_level": 4.0, "seconds_to_level": 1.0, "missed_level": 1.0, "fall": 0.3}
    assert ends.loc["fixed_5", 0][list(missed)].to_dict() == pytest.approx(missed)
    incomplete = by_hand()
    with pytest.raises(ValueError, match="the runs of seed 0 lack the method 'sgd_50'"):
        sample_sizes.outcomes(incomplete[incomplete["method"] != "sgd_50"])
    with pytest.raises(ValueError, match="the table of runs lacks the column 'size'"):
        sample_sizes.outcomes(incomplete.drop(columns="size"))


def judged(study, made_runs):
    claims = [claim for claim in CLAIMS if claim.study == study.name]
    table = judge(claims, study.arrays(made_runs), enough=True, scale="test")
    return table.assign(id=table["id"].str.removeprefix("big_data.sample_size.")).set_index("id")


def test_claims_on_runs_made_by_hand():
    assert SAMPLE_SIZES.arrays(by_hand())["dynamic_10_fall"].shape == (2,)
    table = judged(SAMPLE_SIZES, by_hand())
    expected = {
        "same_quality": 100,
        "fewer_rows": 4 / 1.5,
        "faster": 1 / 0.75,
        "fewer_rows_to_quality": 4 / 2,
        "faster_to_quality": 1,
        "fewer_rows_to_quality_at_theta_25": 4 / 4,  # it never gets there
        "faster_to_quality_at_theta_25": 1,
        "small_theta_grows": 0.5 / 1,  # theta 0.1 needs a pass, theta 0.5 half of one
        "small_theta_slows": 4 / 1.5,
        "large_theta_erratic": 100 * (0.3 - 0.05),
        "large_theta_erratic_unguarded": 100 * (0.3 - 0.05),
    }
    assert table["ours"].to_dict() == pytest.approx(expected)
    at_25 = ["fewer_rows_to_quality_at_theta_25", "faster_to_quality_at_theta_25"]
    others = ["faster_to_quality", *at_25, "small_theta_grows"]
    assert table.index[table["verdict"] != REPRODUCED].tolist() == others
    assert table.loc[others, "verdict"].tolist() == [CONTRADICTED] * 4
    ours = ["fewer_rows", "faster", *at_25, "large_theta_erratic_unguarded"]
    assert table.index[table["is_ours"]].tolist() == ours


def test_a_method_that_never_arrives_leaves_the_interval_open_on_its_side():
    table = judged(SAMPLE_SIZES, by_hand())
    assert table.loc["small_theta_slows", "high"] == np.inf  # theta 0.1 ends below the level
    assert table.loc["fewer_rows", ["low", "high"]].between(0, np.inf, inclusive="neither").all()
    swap = {"dynamic_10": "dynamic_50", "dynamic_50": "dynamic_10"}
    swapped = judged(SAMPLE_SIZES, by_hand().assign(method=by_hand()["method"].replace(swap)))
    names = ["small_theta_slows", "fewer_rows", "faster", "fewer_rows_to_quality", "faster_to_quality"]
    assert (swapped.loc[names, "low"] == 0).all()


def test_claims_that_do_not_hold_of_swapped_methods():
    swap = {"batch": "dynamic_50", "dynamic_50": "batch"}
    table = judged(SAMPLE_SIZES, by_hand().assign(method=by_hand()["method"].replace(swap)))
    assert table.loc[["fewer_rows", "faster"], "verdict"].tolist() == [CONTRADICTED] * 2
    swap = {"dynamic_10": "dynamic_50", "dynamic_50": "dynamic_10"}
    table = judged(SAMPLE_SIZES, by_hand().assign(method=by_hand()["method"].replace(swap)))
    names = ["same_quality", "small_theta_grows", "small_theta_slows"]
    assert table.loc[names, "verdict"].tolist() == [CONTRADICTED, REPRODUCED, CONTRADICTED]
    calm = by_hand()
    rows = calm["method"].str.startswith("dynamic_75")
    calm.loc[rows, "likelihood"] = calm.loc[rows, "iteration"].map(
        dict(enumerate([0.1, 0.3, 0.29, 0.4, 0.5, 0.9]))
    )
    table = judged(SAMPLE_SIZES, calm)
    names = ["large_theta_erratic", "large_theta_erratic_unguarded"]
    assert table.loc[names, "ours"].tolist() == pytest.approx([1 - 5] * 2)
    assert table.loc[names, "verdict"].tolist() == [CONTRADICTED] * 2


def test_claims_on_the_variance_leave_large_samples_out():
    steps = pd.DataFrame(
        {
            "iteration": [1, 2, 3] * 2,
            "size": [5, 10, 11] * 2,
            "squared_error": [1.1, 0.8, 9.0, 1.0, 1.2, 9.0],
            "variance": 1.0,
            "corrected": 0.9,
            "n_rows": 100,
            "method": "dynamic_50",
            "seed": [0, 0, 0, 1, 1, 1],
            "data": "original",
        }
    )
    found = VARIANCE_CHECK.arrays(steps)
    np.testing.assert_allclose(found["deviation"], [0.15, 0.1])
    np.testing.assert_allclose(found["ratio"], [0.95, 1.1])
    table = judged(VARIANCE_CHECK, steps)
    np.testing.assert_allclose(table["ours"], [12.5, 102.5])
    assert table["agrees_if"].tolist() == ["3 to 5", "95 to 105"]


@pytest.mark.parametrize(
    ("errors", "verdicts"),
    [
        ([1.04, 0.96, 0.961, 1.039], [REPRODUCED, REPRODUCED]),
        ([1.04, 1.041, 1.039, 1.04], [REPRODUCED, REPRODUCED]),
        ([1.2, 0.8, 1.21, 0.79], [CONTRADICTED, REPRODUCED]),
        ([1.2, 1.2, 1.21, 1.21], [CONTRADICTED, CONTRADICTED]),
        ([1.09, 0.99, 0.97, 0.99], [UNDECIDED, UNDECIDED]),
    ],
)
def test_about_4_percent_is_3_to_5(errors, verdicts):
    steps = pd.DataFrame(
        {"size": 5, "squared_error": errors, "variance": 1.0, "n_rows": 100, "seed": [0, 0, 1, 1]}
    )
    table = judged(VARIANCE_CHECK, steps.assign(method="dynamic_50", data="original"))
    assert table["verdict"].tolist() == verdicts


def test_the_floor_is_10_seeds_all_of_letter_and_the_length_of_figure_8():
    enough = by_hand(10, 20_000).assign(max_passes=36.0)
    assert SAMPLE_SIZES.is_enough(enough)
    assert not SAMPLE_SIZES.is_enough(enough[enough["seed"] < 9])
    assert not SAMPLE_SIZES.is_enough(enough.assign(n_rows=2000))
    assert not SAMPLE_SIZES.is_enough(enough.assign(max_passes=20.0))
    assert VARIANCE_CHECK.is_enough(enough.assign(max_passes=20.0))


def test_figure_8_holds_a_value_until_the_next_step_ends():
    table = figure8.summarise(by_hand().assign(max_passes=8.0))
    line = table[(table["source"] == "ours") & (table["method"] == "batch")].set_index("x")["mean"]
    np.testing.assert_allclose(line[[0.0, 0.98, 1.0, 1.5, 4.0]], [0.1, 0.1, 0.2, 0.2, 0.5])
    assert (table["x"] <= 8).all()
    theirs = table[(table["source"] == "published") & (table["method"] == "fixed_5")]
    assert theirs["x"].iloc[0] == pytest.approx(0.0201e6 / 168_776)
    assert theirs["mean"].iloc[0] == 0.04662
    published = table[table["source"] == "published"].groupby("panel")["method"].unique().map(set).to_dict()
    assert published == {
        "fixed and growing": {"fixed_5", "batch", "dynamic_50"},
        "theta": {method.name for method in sample_sizes.GROWING},
    }


@pytest.mark.parametrize(
    ("summarise", "method"),
    [(figure8.summarise, "fixed_5"), (figure8.summarise, "batch"), (figure8.summarise_growth, "dynamic_10")],
)
def test_a_curve_whose_method_was_not_run_is_named(summarise, method):
    runs = by_hand()
    with pytest.raises(ValueError, match=f"^the runs lack the method '{method}'$"):
        summarise(runs[runs["method"] != method])


def test_the_band_is_the_95_percent_interval_over_seeds():
    rows = by_hand()
    rows.loc[rows["seed"] == 1, "likelihood"] += 0.02
    table = figure8.summarise(rows)
    start = table[(table["method"] == "batch") & (table["source"] == "ours")].iloc[0]
    margin = 12.7062 * 0.01  # Student's t with one degree of freedom, standard error 0.02 / sqrt(2) / sqrt(2)
    assert start[["mean", "low", "high"]].tolist() == pytest.approx([0.11, 0.11 - margin, 0.11 + margin], rel=1e-5)


def test_growth_is_a_geometric_mean_of_shares():
    rows = by_hand()
    rows.loc[(rows["seed"] == 1) & (rows["iteration"] == 0), "size"] = 80  # 20 in the other
    first = figure8.summarise_growth(rows).query("method == 'dynamic_25'").iloc[0]
    assert first["mean"] == pytest.approx(0.4)


def test_tables_are_tidy(runs, checked):
    ends = figure8.tabulate(runs, "test")
    assert list(ends.columns[: 2 + len(TIDY)]) == ["measure", "method", *TIDY]
    assert len(ends) == len(sample_sizes.MEASURES) * len(METHODS)
    checks = variance_check.tabulate(checked, "test")
    assert list(checks.columns[: 2 + len(TIDY)]) == ["measure", "iteration", *TIDY]
    row = checks[(checks["measure"] == "deviation") & (checks["iteration"] == 1)].iloc[0]
    first = checked[checked["iteration"] == 1]
    assert row["ours"] == pytest.approx((first["squared_error"] / first["variance"] - 1).abs().mean())
    assert row["published"] == 0.055
    assert checks.loc[checks["measure"] != "deviation", "published"].isna().all()


@pytest.mark.parametrize("figure", [one for one in figure8.ARTEFACTS if one.draw], ids=lambda figure: figure.name)
def test_figures_are_drawn_from_their_csv(runs, tmp_path, figure):
    figure.summarise(runs=runs).assign(data="stand-in").to_csv(tmp_path / "numbers.csv", index=False)
    picture = figure.draw(pd.read_csv(tmp_path / "numbers.csv"))
    assert "stand-in" in picture.get_supxlabel()
    drawn = {str(line.get_label()) for axis in picture.axes for line in axis.get_lines()}
    shown = figure8.PANELS["theta"] if figure is figure8.GROWTH else METHODS
    assert {figure8.LOOKS[method].label for method in shown} <= drawn
    style.save(picture, tmp_path / "a.png", tmp_path / "a.svg")
