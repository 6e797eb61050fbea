"""The combinations and the fractions: what runs hold, and what is made of them."""

import io
import math

import numpy as np
import pandas as pd
import pytest

from frugal.datasets import Dataset
from frugal.rows import sampling, weighted_logistic
from frugal.seeds import rng_for
from studies.big_data import combination_fits, combinations, fraction_fits, fractions, splits
from studies.registry import experiments
from studies.tidy import TIDY
from studies.verdicts import judge

COMBINED = {
    "sizes": {"nzNormal": 2000}, "gammas": [0.8], "s": 2, "r": 3, "pilot_size": 200, "n_truth": 5, "theta": 0.5,
    "dynamic_gammas": [0.8], "datasets": ["digits"], "n_components": 5, "svm_rows": 300, "svm_test": 100,
    "svm_gammas": [0.8], "svm_s": 2, "svm_r": 2, "compression": 5, "C": 1.0,
}  # fmt: skip
TRAINED = {
    "datasets": ["wdbc", "digits"], "fractions": [0.5], "passes": [2], "n_train": 300, "svm_rows": 200,
    "n_components": 2, "pilot_share": 0.25, "s": 2, "r": 2, "theta": 0.5, "C": 1.0,
}  # fmt: skip


def all_methods(study, settings, root):
    record = experiments()[study]
    runs = [
        record.run(method, seed, settings, root).assign(method=method, seed=seed)
        for method in record.method_names
        for seed in (0, 1)
    ]
    return pd.concat(runs, ignore_index=True)


@pytest.fixture(scope="module")
def combined(tmp_path_factory):
    root = tmp_path_factory.mktemp("data")
    return all_methods("combinations", COMBINED, root)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    root = tmp_path_factory.mktemp("data")
    return all_methods("fractions", TRAINED, root)


def by_method(runs, method, column):
    return runs.loc[runs["method"] == method, column]


def test_every_combination_and_part_is_measured_on_its_problem(combined):
    found = combined.groupby("problem")["method"].unique()
    assert set(found["nzNormal"]) == {
        "full",
        "bootstrap",
        "blb",
        "osmac_mvc",
        "blb_osmac",
        "dynamic",
        "blb_dynamic",
    }
    assert set(found["digits"]) == {"full_svm", "wkm_svm", "blb_svm", "blb_wkm_svm"}
    assert combined["error"].notna().all()
    assert (combined["seconds"] > 0).all()
    assert (by_method(combined, "full", "to_full") < 1e-4).all()
    widths = combined[combined["width_error"].notna()]
    assert set(widths["method"]) == {"bootstrap", "blb", "blb_osmac", "blb_dynamic"}
    truth = combination_fits.true_width("nzNormal", 2000, 5)  # of three fits each interval is narrower
    np.testing.assert_allclose(widths["width_error"], 1 - widths["width"] / truth)
    b = int(2000**0.8)
    assert (by_method(combined, "blb", "rows_touched") <= 2 * 3 * b).all()
    assert (by_method(combined, "osmac_mvc", "rows_touched") == 2000 + 200 + 2 * b).all()
    assert set(combined.loc[combined["share_uniform"].notna(), "method"]) == {"osmac_mvc", "blb_osmac"}
    assert (combined["share_uniform"].dropna() == 0).all()
    assert set(combined.loc[combined["predict_seconds"].notna(), "problem"]) == {"digits"}


def test_errors_of_fits_to_all_rows_are_those_of_scikit_learn(combined, tmp_path):
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import SVC

    first = combined[combined["seed"] == 0]
    X, y = combination_fits.generate("nzNormal", 2000, rng_for("big_data", "combinations", "nzNormal", "data", 0))
    model = LogisticRegression(C=1 / (2000 * splits.RIDGE), fit_intercept=False, tol=1e-8).fit(X, y)
    error = np.square(model.coef_ - 0.5).sum()  # each true coefficient is 0.5
    assert by_method(first, "full", "error").item() == pytest.approx(error, rel=1e-3)
    digits = splits.split("digits", 0, root=tmp_path, n_train=300, n_test=100, n_components=5)
    right = SVC(C=1.0).fit(digits.X, digits.y >= 5).score(digits.X_test, digits.y_test >= 5)
    assert by_method(first, "full_svm", "error").item() == pytest.approx(1 - right)


def test_blb_and_its_dynamic_fits_are_counted_in_the_same_two_units(combined):
    for method in ("blb", "blb_dynamic"):
        rows = combined[combined["method"] == method]
        given = 2000 * rows["n_fits"]  # each fit has 2000 rows, repeats included, of which about b are distinct
        np.testing.assert_allclose(rows["passes"], rows["rows_accessed"] / given)
        assert (rows["rows_accessed"] >= given).all()
        share = rows["distinct_accessed"] / rows["rows_accessed"]
        distinct = rows["rows_touched"] / given
        assert (share > distinct - 0.01).all()  # small samples hold fewer repeats
    # The same resamples, so the same distinct rows and nearly the same coefficients.
    pairs = [
        by_method(combined, method, ["rows_touched", "error"]).to_numpy() for method in ("blb", "blb_dynamic")
    ]
    assert (pairs[0][:, 0] == pairs[1][:, 0]).all()
    np.testing.assert_allclose(pairs[0][:, 1], pairs[1][:, 1], rtol=0.05)
    # A sample of all rows holds the distinct ones; the Hessian's tenth of them somewhat more of its own size.
    batch = by_method(combined, "blb", "distinct_accessed") / by_method(combined, "blb", "rows_accessed")
    assert (batch < 2 * 437 / 2000).all()
    for method in ("full", "dynamic"):
        rows = combined[combined["method"] == method]
        assert (rows["distinct_accessed"] == rows["rows_accessed"]).all()


def test_the_size_rule_reaches_the_resample_and_misjudges_its_variance(combined):
    assert (by_method(combined, "blb_dynamic", "largest_share") == 1.0).all()
    # b = 437 of 2000 rows: the variance is that of b rows, equation 13 says of 2000, log10 of which is 0.66.
    gap = (
        by_method(combined, "blb_dynamic", "understated").mean()
        - by_method(combined, "dynamic", "understated").mean()
    )
    assert gap > 0.3


def test_runs_of_a_seed_are_the_same_but_for_seconds(combined, tmp_path):
    for method in ("blb_osmac", "blb_dynamic", "blb_wkm_svm"):
        again = combinations.run(method, 1, COMBINED, tmp_path).assign(method=method, seed=1)
        first = combined[(combined["method"] == method) & (combined["seed"] == 1)].reset_index(drop=True)
        pd.testing.assert_frame_equal(
            again.drop(columns=["seconds", "predict_seconds"]),
            first.drop(columns=["seconds", "predict_seconds"]),
            check_dtype=False,
        )
    assert combined.groupby(["problem", "method"])["error"].nunique().min() > 1


def test_each_method_is_trained_where_it_applies(trained):
    found = trained.groupby("dataset")["method"].unique()
    assert set(found["wdbc"]) == set(experiments()["fractions"].method_names)
    assert set(found["digits"]) == {
        "uniform", "dynamic", "full_logistic", "km_svm", "wkm_svm", "svm_km", "uniform_svm", "full_svm",
    }  # fmt: skip
    fine = trained[trained["reason"] == ""]
    assert (fine["accuracy"] > 0.2).all()
    assert (fine.loc[fine["dataset"] == "wdbc", "accuracy"] > 0.6).all()
    has_loss = fine[fine["family"] == "logistic"]
    assert has_loss["log_loss"].notna().all()
    assert fine.loc[fine["family"] == "svm", "log_loss"].isna().all()
    assert by_method(fine, "wkm_svm", "rows_share").between(0.48, 0.52).all()
    assert (by_method(fine, "wkm_svm", "rows_touched") == by_method(fine, "wkm_svm", "n_rows")).all()
    assert (fine["predict_seconds"] > 0).all()
    # A batch fit reads every row several times, and touches it once.
    full = fine[fine["method"] == "full_logistic"]
    assert (full["rows_touched"] == full["n_rows"]).all()
    assert (full["rows_accessed"] > 2 * full["n_rows"]).all()
    dynamic = fine[fine["method"] == "dynamic"]
    assert (dynamic["rows_touched"] < dynamic["rows_accessed"]).all()
    assert (dynamic["rows_touched"] <= dynamic["n_rows"]).all()
    assert set(fine.loc[fine["share_uniform"].notna(), "method"]) == {"lcc", "osmac_mvc", "osmac_mmse"}
    assert set(fine.loc[fine["n_failed"].notna(), "method"]) == {"blb", "b_of_n"}


def test_full_training_is_what_scikit_learn_finds(trained, tmp_path):
    from sklearn.linear_model import LogisticRegression

    row = trained[(trained["method"] == "full_logistic") & (trained["dataset"] == "wdbc") & (trained["seed"] == 0)]
    data = splits.split("wdbc", 0, root=tmp_path, n_train=300, n_components=2)
    model = LogisticRegression(C=1 / (300 * splits.RIDGE), tol=1e-8).fit(data.X, data.y)
    assert row["accuracy"].item() == pytest.approx(model.score(data.X_test, data.y_test), abs=0.01)


def test_a_failed_fit_is_a_row_with_its_reason(tmp_path):
    settings = TRAINED | {"datasets": ["wdbc"], "fractions": [0.03], "n_components": 20}
    found = fractions.run("uniform", 0, settings, tmp_path)
    assert "separated" in found["reason"].item() or "dependent" in found["reason"].item()
    assert math.isnan(found["accuracy"].item())


def test_a_bag_without_a_fit_is_a_row_with_its_reason(tmp_path, monkeypatch):
    settings = TRAINED | {"datasets": ["wdbc"], "fractions": [0.01]}  # b = 2 rows of 300, often of one class
    runs = [fractions.run("blb", seed, settings, tmp_path) for seed in range(6)]
    reasons = {run["reason"].item() for run in runs}
    assert any("has no row of class" in reason for reason in reasons)

    def failing(*args, **kwargs):
        raise ValueError("no such thing")

    monkeypatch.setattr(fraction_fits, "fit_logistic", failing)
    found = fractions.run("b_of_n", 0, TRAINED | {"datasets": ["wdbc"]}, tmp_path)
    assert "fits failed" in found["reason"].item()
    monkeypatch.setattr(fraction_fits, "blb", failing)
    with pytest.raises(ValueError, match="no such thing"):
        fractions.run("blb", 0, TRAINED | {"datasets": ["wdbc"]}, tmp_path)


def test_a_pilot_that_fails_is_told(tmp_path, monkeypatch):
    settings = TRAINED | {"datasets": ["wdbc"]}
    samples = []

    def separated(X, y, *, sample, **others):
        samples.append(sample)
        raise weighted_logistic.FitError(sample, "separated")

    monkeypatch.setattr(sampling, "fit_weighted", separated)
    for method in ("lcc", "osmac_mvc"):
        found = fractions.run(method, 0, settings, tmp_path)
        assert found["share_uniform"].item() == 1.0
    assert (combinations.run("osmac_mvc", 0, COMBINED, tmp_path)["share_uniform"] == 1.0).all()
    assert len(samples) == 6
    assert all("the pilot of" in sample for sample in samples)


def with_failures(runs):
    """`lcc` has no fit of any seed, `osmac_mvc` none of the first."""
    lost = (runs["method"] == "lcc") | ((runs["method"] == "osmac_mvc") & (runs["seed"] == 0))
    numbers = [name for name in runs.select_dtypes("number") if name not in ("seed", "n_rows", "fraction")]
    return runs.assign(**{name: runs[name].where(~lost) for name in numbers})


def test_failed_seeds_are_counted_and_cells_without_a_value_stay(trained):
    runs = with_failures(trained)
    for table in (fractions.tabulate(runs, "smoke"), fractions.summarise(runs)):
        cells = table[table["dataset"] == "wdbc"].set_index(["method", "measure"])
        value = "ours" if "ours" in cells else "mean"
        assert (table["n_seeds"] == 2).all()
        assert math.isnan(cells.loc[("lcc", "accuracy"), value])
        assert cells.loc[("lcc", "accuracy"), "n_missing"] == 2
        assert cells.loc[("osmac_mvc", "accuracy"), "n_missing"] == 1
        assert cells.loc[("osmac_mvc", "accuracy"), value] > 0.6
        assert cells.loc[("blb", "n_failed"), "n_missing"] == 0
        for method, measure in (("uniform", "n_failed"), ("wkm_svm", "log_loss"), ("cc", "share_uniform")):
            assert (method, measure) not in cells.index
    for figure in (fractions.FIGURE, fractions.COST_FIGURE):
        figure.draw(as_read(figure.summarise(runs=runs)))


def as_read(numbers):
    """The numbers of a figure as its CSV holds them."""
    return pd.read_csv(io.StringIO(numbers.to_csv(index=False)))


def test_the_table_of_combinations_shows_failed_fits(combined):
    table = combinations.tabulate(combined, "smoke").set_index(["problem", "method", "measure"])
    assert table.loc[("nzNormal", "blb", "n_failed"), "ours"].item() == 0
    assert table.loc[("nzNormal", "blb_osmac", "share_uniform"), "ours"].item() == 0
    assert table["ours"].notna().all()
    assert (table["n_seeds"] == 2).all()


def test_splits_share_no_row_and_are_scaled_on_the_training_rows(tmp_path, monkeypatch):
    numbered = Dataset.from_arrays(np.arange(100.0)[:, None], np.arange(100) % 2)
    monkeypatch.setattr(splits.datasets, "load", lambda name, root: numbered)
    found = splits.split("numbered", 0, root=tmp_path)
    assert (len(found.y), len(found.y_test)) == (80, 20)
    assert (found.X.mean(), found.X.std()) == pytest.approx((0.0, 1.0))
    gaps = np.diff(np.sort(np.concatenate([found.X, found.X_test]), axis=0), axis=0)
    np.testing.assert_allclose(gaps, gaps.mean())  # every number is there once, and all are scaled alike
    train, valid, *_ = splits.split_in_three("numbered", 0, root=tmp_path, n_train=50, n_valid=30)
    assert np.array_equal(np.concatenate([train[0], valid[0]]), found.X)


def test_principal_components_are_uncorrelated_and_scaled_on_the_training_rows(tmp_path):
    first, again = (splits.split("wdbc", 3, root=tmp_path, n_components=4) for _ in range(2))
    assert np.array_equal(first.X, again.X)
    np.testing.assert_allclose(first.X.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(first.X.std(axis=0), 1.0)
    assert np.abs(np.corrcoef(first.X.T) - np.eye(4)).max() < 1e-9


def test_the_true_width_is_that_of_the_information():
    X, _ = combination_fits.generate("nzNormal", 400_000, np.random.default_rng(0))
    p = 1 / (1 + np.exp(-X @ combination_fits.BETA["nzNormal"]))
    information = (X * (p * (1 - p))[:, None]).T @ X / len(X) * 5000
    expected = 2 * 1.96 * np.sqrt(np.diag(np.linalg.inv(information))).mean()
    assert combination_fits.true_width("nzNormal", 5000, 60) == pytest.approx(expected, rel=0.12)
    assert p.mean() == pytest.approx(0.95, abs=0.01)


def made_up(n_seeds=10, sizes=(10_000, 20_000), svm_rows=5000):
    """Every method costs and errs as its factor says, twice as much at the second gamma."""
    factors = {
        "full": 1, "blb": 10, "osmac_mvc": 4, "blb_osmac": 2, "dynamic": 1, "blb_dynamic": 100,
        "full_svm": 1, "wkm_svm": 4, "blb_svm": 8, "blb_wkm_svm": 2,
    }  # fmt: skip
    rows = []
    for problem, n in zip(("nzNormal", "student_t", "letter"), (*sizes, svm_rows), strict=True):
        for method, factor in factors.items():
            if method.endswith("svm") != (problem == "letter"):
                continue
            for seed in range(n_seeds):
                for gamma in (0.6, 0.7) if method.startswith(("blb", "osmac")) else (math.nan,):
                    value = factor * (2.0 if gamma == 0.7 else 1.0) * (1 + 0.01 * seed)
                    costs = dict.fromkeys(combinations.MEASURES, value)
                    row = {"problem": problem, "method": method, "seed": seed, "gamma": gamma, "n_rows": n}
                    rows.append(row | costs | {"understated": np.log10(factor)})
    return pd.DataFrame(rows).assign(data="generated", n_fits=1, r=30, s=5, n_truth=300)


def trained_by_hand(n_seeds=10):
    """Runs of `fractions` that are the better, and cost the more, the more rows they have."""
    rows = []
    for method in fractions.METHODS:
        family = "svm" if "svm" in method.name else "logistic"
        for fraction in (1.0,) if method.name.startswith("full") else (0.1, 0.5):
            for seed in range(n_seeds):
                measured = dict.fromkeys(fractions.MEASURES, fraction * (1 + 0.01 * seed))
                rows.append(
                    {"method": method.name, "family": family, "fraction": fraction, "seed": seed, **measured}
                )
    return pd.DataFrame(rows).assign(dataset="wdbc", data="original")


def test_pairs_are_ratios_by_gamma_and_seed():
    runs = made_up()
    same = combinations.paired(runs, "blb_osmac", "blb", "nzNormal", "error")
    assert same.shape == (2, 10)
    np.testing.assert_allclose(same, np.log10(0.2))
    single = combinations.paired(runs, "blb_dynamic", "dynamic", "student_t", "seconds")
    np.testing.assert_allclose(single, np.log10([[100.0] * 10, [200.0] * 10]))
    errors = combinations.paired(runs, "blb_wkm_svm", "wkm_svm", "letter", "error")
    np.testing.assert_allclose(errors.loc[0.6], -2.0 * (1 + 0.01 * np.arange(10)))
    assert combinations.paired(runs, "blb_osmac", "blb", "letter", "error").empty
    fewer = runs[(runs["method"] != "blb_dynamic") | (runs["gamma"] == 0.7)]
    assert combinations.paired(fewer, "blb_dynamic", "blb", "nzNormal", "error").index.tolist() == [0.7]
    apart = fewer[(fewer["method"] != "blb") | (fewer["gamma"] == 0.6)]
    with pytest.raises(ValueError, match="blb_dynamic and blb have no gamma in common on nzNormal"):
        combinations.paired(apart, "blb_dynamic", "blb", "nzNormal", "error")


def test_the_table_against_parts_says_which_is_less():
    table = combinations.tabulate_against_parts(made_up(), "paper").set_index(
        ["combination", "part", "problem", "measure"]
    )
    assert list(table.columns) == [*TIDY, "n_missing", "says"]
    assert table.loc[("blb_osmac", "blb", "nzNormal", "error"), "says"] == "less"
    assert table.loc[("blb_dynamic", "dynamic", "nzNormal", "error"), "says"] == "more"
    row = table.loc[("blb_osmac", "full", "student_t", "seconds")]
    assert row["ours"] == pytest.approx(np.log10(2) + 0.5 * np.log10(2))


MEASURED = {
    # Methods without gammas are compared at both, where the others take once and twice as much: 2^0.5 in the mean.
    "further_speedup.blb_osmac": 4 / 2,
    "further_speedup.blb_osmac_error": 4 / 2,
    "further_speedup.blb_wkm_svm": 4 / (2 * 2**0.5),
    "blb_dynamic.more_rows": 100 / 10,
    "blb_dynamic.more_rows_repeated": 100 / 10,
    "blb_dynamic.worse": 100 / 10,
    "blb_dynamic.variance_not_reduced": 100 / 1,
    "osmac_more_promising": (100 / 10) / (2 / 10),
    "wkm_svm_more_promising": 8 / 2,
    "osmac_weights": 10 / 2,
    "osmac_weights_widths": 10 / 2,
}


def combined_claims(runs):
    """Their rows; errors of `blb_osmac` vary a little, so that each design can be tested."""
    varied = np.where(runs["method"] == "blb_osmac", 1.001 ** (-1.0) ** runs["seed"], 1)
    runs = runs.assign(error=runs["error"] * varied)
    arrays = combinations.arrays(runs)
    enough = combinations.is_enough(runs)
    table = judge(combinations.CLAIMS, arrays, enough=enough, scale="paper")
    return table.assign(id=table["id"].str.removeprefix("big_data.combinations.")).set_index("id")


def test_claims_are_ratios_of_combinations_and_parts():
    runs = made_up()
    assert combinations.arrays(runs)["osmac_error nzNormal"].shape == (2, 10)
    table = combined_claims(runs)
    some = table.loc["further_speedup"]  # nothing varies here, so that no combination is told from the others
    assert (math.isnan(some["ours"]), some["verdict"]) == (True, "undecided")
    table = table.drop(index="further_speedup")
    assert table["ours"].to_dict() == pytest.approx(MEASURED)
    assert (table["verdict"] == "reproduced").all()
    parts = [f"further_speedup.{name}" for name in ("blb_osmac", "blb_osmac_error", "blb_wkm_svm")]
    findings = [*parts, "blb_dynamic.more_rows_repeated", "wkm_svm_more_promising"]
    findings += ["osmac_weights", "osmac_weights_widths"]
    assert table.index[table["is_ours"]].tolist() == findings


@pytest.mark.parametrize(
    ("measure", "names"),
    [
        ("error", {"further_speedup.blb_osmac_error", "blb_dynamic.worse", "osmac_weights"}),
        ("seconds", {"further_speedup.blb_osmac", "further_speedup.blb_wkm_svm", "wkm_svm_more_promising"}),
        ("distinct_accessed", {"blb_dynamic.more_rows"}),
        ("rows_accessed", {"blb_dynamic.more_rows_repeated"}),
        ("width_error", {"osmac_weights_widths"}),
    ],
)
def test_each_claim_is_of_its_own_measure(measure, names):
    before, runs = combined_claims(made_up())["ours"], made_up()
    runs.loc[runs["method"].isin(["blb_osmac", "blb_dynamic", "blb_wkm_svm"]), measure] *= 3.0
    changed = ~np.isclose(combined_claims(runs)["ours"], before, equal_nan=True)
    assert set(before.index[changed]) == names


def test_combinations_that_swap_places_with_their_parts_are_contradicted():
    swap = {"blb": "blb_dynamic", "blb_dynamic": "blb", "osmac_mvc": "blb_osmac", "blb_osmac": "osmac_mvc"}
    runs = made_up()
    table = combined_claims(runs.assign(method=runs["method"].replace(swap)))
    # Now BLB with OSMAC errs 4, with growing samples 10, and plain BLB 100.
    kept = ["further_speedup.blb_wkm_svm", "osmac_more_promising", "osmac_weights", "osmac_weights_widths"]
    kept += ["blb_dynamic.variance_not_reduced", "wkm_svm_more_promising"]
    assert set(table.index[table["verdict"] == "reproduced"]) == set(kept)
    assert set(table["verdict"].drop("further_speedup")) == {"reproduced", "contradicted"}
    assert table.loc[["osmac_more_promising", "osmac_weights"], "ours"].tolist() == pytest.approx(
        [(10 / 100) / (4 / 100), 100 / 4]
    )
    runs.loc[runs["method"] == "blb_dynamic", "understated"] = -1.0
    runs.loc[runs["method"] == "blb_dynamic", "error"] = 1.0
    swapped = combined_claims(runs.assign(method=runs["method"].replace({"blb_osmac": "blb", "blb": "blb_osmac"})))
    names = ["osmac_more_promising", "osmac_weights", "osmac_weights_widths", "blb_dynamic.variance_not_reduced"]
    assert swapped.loc[names, "verdict"].tolist() == ["contradicted"] * 4
    slow = made_up()
    slow.loc[slow["method"] == "blb_wkm_svm", "seconds"] *= 10
    table = combined_claims(slow).loc[["further_speedup.blb_wkm_svm", "wkm_svm_more_promising"]]
    assert table["ours"].tolist() == pytest.approx([0.1 * 2**0.5, 0.4])
    assert set(table["verdict"]) == {"contradicted"}


def test_weights_that_help_on_one_design_alone_do_not_show_that_they_can_be_used():
    runs = made_up()
    rows = (runs["method"] == "blb_osmac") & (runs["problem"] == "student_t")
    for factor, verdict in ((10.0, "contradicted"), (5.0, "undecided")):  # plain BLB's error is 5 times as large
        found = combined_claims(runs.assign(error=runs["error"] * np.where(rows, factor, 1))).loc["osmac_weights"]
        assert (found["ours"], found["verdict"]) == (pytest.approx(5 / factor), verdict)
        assert found["quantity"].endswith("shown: Student's t)")


@pytest.mark.parametrize(("factor", "verdict"), [(1.09, "contradicted"), (1.11, "reproduced")])
def test_up_to_a_tenth_more_error_is_no_worse(factor, verdict):
    runs = made_up()
    runs.loc[runs["method"] == "blb_dynamic", "error"] *= factor * 10 / 100
    row = combined_claims(runs).loc["blb_dynamic.worse"]
    assert (row["ours"], row["verdict"]) == (pytest.approx(factor), verdict)


def test_one_combination_that_is_faster_suffices_and_none_among_two_contradicts_nothing():
    runs = made_up()
    noisy = np.random.default_rng(0).uniform(0.98, 1.02, len(runs))
    runs["seconds"] = runs["seconds"] * noisy
    row = combined_claims(runs).loc["further_speedup"]
    assert (row["verdict"], row["ours"]) == ("reproduced", pytest.approx(2, rel=0.05))
    is_combined = runs["method"].isin(["blb_osmac", "blb_wkm_svm"])
    slow = runs.assign(seconds=runs["seconds"].where(~is_combined, 100 * runs["seconds"]))
    row = combined_claims(slow).loc["further_speedup"]
    assert (row["verdict"], row["seeds_to_decide"]) == ("undecided", "")


def test_claims_on_what_was_not_run_have_no_value():
    runs = made_up()
    row = combined_claims(runs[runs["problem"] != "letter"]).loc["further_speedup.blb_wkm_svm"]
    assert (math.isnan(row["ours"]), row["verdict"]) == (True, "not run at this scale")


def test_the_floor_is_ten_seeds_of_the_documents_sizes():
    assert combinations.is_enough(made_up())
    assert not combinations.is_enough(made_up(n_seeds=9))
    assert not combinations.is_enough(made_up(sizes=(10_000, 19_999)))
    assert not combinations.is_enough(made_up(svm_rows=4999))
    assert not combinations.is_enough(made_up().query("problem != 'letter'"))
    for name, value in (("r", 29), ("s", 4), ("n_truth", 299)):
        assert not combinations.is_enough(made_up().assign(**{name: value}))


def test_tables_and_figures_come_from_the_runs(combined, trained):
    runs = {"combinations": combined, "fractions": trained}
    for shown in (*combinations.ARTEFACTS, *fractions.ARTEFACTS):
        if shown.kind == "table":
            table = shown.summarise(runs[shown.runs[0]], "smoke")
            assert set(TIDY) <= set(table.columns)
            assert table["published"].isna().all()
            assert (table["scale"] == "smoke").all()
        else:
            figure = shown.draw(as_read(shown.summarise(runs=runs[shown.runs[0]])))
            assert len(figure.axes) == {"combinations": 6, "fractions": 4, "fractions_seconds": 8}[shown.name]
    means = combinations.summarise(combined).set_index(["panel", "method"])
    values = by_method(combined, "blb", "error")
    assert means.loc[(1, "blb"), "mean"] == pytest.approx(math.sqrt(values.prod()))


def test_methods_of_a_panel_are_told_apart():
    panels = [(combinations, methods) for *_, methods in combinations.PANELS]
    for study, panel in (*panels, (fractions, ("uniform", "cc", "lcc", "osmac_mvc", "blb"))):
        looks = [method.look for method in study.METHODS if method.name in panel]
        assert len(looks) == len(panel)
        assert len({look.marker for look in looks}) == len({look.color for look in looks}) == len(looks)
