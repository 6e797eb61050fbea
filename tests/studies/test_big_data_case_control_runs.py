"""The runs of document 003, section 3.3, at small sizes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from frugal.rows import fit_logistic, fit_subsample
from frugal.rows.weighted_logistic import fit_weighted
from frugal.seeds import rng_for
from studies.big_data import subsamples
from studies.big_data.bias import BIAS as BIAS_STUDY
from studies.big_data.subsamples import COEF, design_rows, rare_rows
from studies.big_data.subsampling import SUBSAMPLING as SUBSAMPLING_STUDY

SUBSAMPLING = {"n_rows": 3000, "pilot_size": 200, "sizes": [200, 400], "n_repeats": 3}
BIAS = {
    "n_rows": 10_000,
    "share": 0.05,
    "sizes": [400, 1600],
    "pilot_share": 0.25,
    "pilot_size": 150,
    "n_repeats": 4,
}
SETTINGS = {"subsampling": SUBSAMPLING, "bias": BIAS}
STUDIES = {study.name: study for study in (SUBSAMPLING_STUDY, BIAS_STUDY)}
DRAWN, BIASED = ([method.name for method in study.methods if method.name != "full"] for study in STUDIES.values())
CASES = [(name, method.name) for name, study in STUDIES.items() for method in study.methods]


@pytest.fixture(scope="module")
def found():
    return {(name, method): STUDIES[name].run(method, 1, SETTINGS[name]) for name, method in CASES}


@pytest.mark.parametrize(("name", "method"), CASES)
def test_a_seed_gives_the_same_numbers_again_and_another_seed_others(found, name, method):
    function = STUDIES[name].run
    one = found[name, method].drop(columns="seconds")
    pd.testing.assert_frame_equal(one, function(method, 1, SETTINGS[name]).drop(columns="seconds"))
    other = function(method, 2, SETTINGS[name])
    column = "error" if name == "subsampling" else "intercept"
    assert not np.isclose(one[column], other[column]).any()


@pytest.mark.parametrize(("name", "method"), CASES)
def test_a_run_has_a_row_per_size_and_every_number(found, name, method):
    table = found[name, method]
    n_problems = 2 if name == "subsampling" else 1
    sizes = [SETTINGS[name]["n_rows"]] if method == "full" else SETTINGS[name]["sizes"]
    assert table["r"].tolist() == sizes * n_problems
    assert table.notna().all(axis=None)
    assert (table["data"] == "generated").all()
    assert (table["seconds"] > 0).all()
    assert table["share_failed"].between(0, 1).all()


def test_errors_are_distances_of_the_fits_of_the_same_draws(found):
    X, y = design_rows("nzNormal", 3000, rng_for("big_data", "subsampling", "nzNormal", 1))
    mle = fit_logistic(X, y, ridge=0.0)
    for method, name, correction, size in (
        ("osmac_mvc", "osmac_mvc", None, 400),
        ("cc_unweighted", "cc", "none", 400),
        ("lcc_total", "lcc", None, 600),
    ):
        coefs = np.array(
            [
                fit_subsample(
                    X, y, method=name, pilot_size=200, size=size, correction=correction,
                    rng=rng_for("big_data", "subsampling", "nzNormal", 1, 400, i),
                ).coef
                for i in range(3)
            ]
        )  # fmt: skip
        row = found["subsampling", method].query("design == 'nzNormal' and r == 400").iloc[0]
        assert row["error"] == pytest.approx(((coefs - COEF) ** 2).sum(axis=1).mean())
        assert row["error_mle"] == pytest.approx(((coefs - mle) ** 2).sum(axis=1).mean(), rel=1e-4)
        assert row["plain"] == pytest.approx(((mle - COEF) ** 2).sum(), rel=1e-4)


def test_the_dashed_line_is_the_error_of_bootstraps():
    settings = {"n_rows": 2000, "pilot_size": 200, "sizes": [100], "n_repeats": 60}
    table = SUBSAMPLING_STUDY.run("full", 0, settings).set_index("design")
    for design in table.index:
        names = ("big_data", "subsampling", design, 0)
        X, y = design_rows(design, 2000, rng_for(*names))
        mle = fit_logistic(X, y, ridge=0.0)
        drawn = [rng_for(*names, "bootstrap", i).integers(2000, size=2000) for i in range(60)]
        coefs = np.array([fit_logistic(X[rows], y[rows], ridge=0.0) for rows in drawn])
        errors = [((coefs - of) ** 2).sum(axis=1).mean() for of in (mle, COEF)]
        np.testing.assert_allclose(table.loc[design, ["error_mle", "error"]].astype(float), errors, rtol=1e-9)
        p = 1 / (1 + np.exp(-X @ mle))
        variance = np.trace(np.linalg.inv((X.T * (p * (1 - p))) @ X))  # the asymptotic one of the fit
        assert errors[0] == pytest.approx(variance, rel=0.2)


def test_rows_are_counted_by_hand(found):
    def row(method):
        return found["subsampling", method].query("design == 'mzNormal' and r == 400").iloc[0]

    drawn = {"uniform": 600, "cc": 600, "lcc": 600, "lcc_total": 800, "osmac_mvc": 600, "osmac_mmse": 600}
    assert {method: row(method)["rows_drawn"] for method in drawn} == drawn
    assert {method: row(method)["rows_scored"] for method in ("uniform", "lcc")} == {"uniform": 0, "lcc": 3000}
    # Newton takes whole passes over the rows fitted, from 3 to 12 of them.
    for method, fitted in (("uniform", 600), ("cc", 600)):
        assert 3 <= row(method)["rows_touched"] / fitted <= 12
    for method in ("lcc", "osmac_mvc"):
        assert 3000 + 3 * 600 <= row(method)["rows_touched"] <= 3000 + 12 * 800
    assert found["subsampling", "full"]["rows_touched"].mod(3000).eq(0).all()
    X, y = design_rows("mzNormal", 3000, rng_for("big_data", "subsampling", "mzNormal", 1))
    fit = fit_subsample(X, y, method="lcc", pilot_size=200, size=400, rng=np.random.default_rng(0))
    given = {"weights": fit.weights, "offsets": fit.offsets, "start": fit.pilot.coef, "sample": "the subsample"}
    again = fit_weighted(X[fit.rows], y[fit.rows], **given)
    assert subsamples._touched(fit, 200) == 3000 + 200 * fit.pilot.n_steps + 400 * again.n_steps


def test_methods_with_a_pilot_share_it_and_all_share_the_rows(found):
    for design in ("mzNormal", "nzNormal"):
        parts = [found["subsampling", method] for method in DRAWN]
        plain = [part.loc[part["design"] == design, "plain"] for part in parts]
        assert len(set(np.concatenate(plain))) == 1
    X, y = design_rows("mzNormal", 3000, rng_for("big_data", "subsampling", "mzNormal", 1))
    pilots = [
        fit_subsample(X, y, method=method, pilot_size=200, size=400, rng=np.random.default_rng(5)).pilot.coef
        for method in ("lcc", "osmac_mvc", "osmac_mmse")
    ]
    np.testing.assert_array_equal(pilots[0], pilots[1])
    np.testing.assert_array_equal(pilots[0], pilots[2])


def test_the_bias_of_case_control_stays_and_the_others_have_none(found):
    X, y = rare_rows(10_000, 0.05, rng_for("big_data", "bias", 1))
    full = fit_logistic(X, y, ridge=0.0)
    alone = found["bias", "full"].iloc[0]
    np.testing.assert_allclose(alone[["intercept", "slope_1", "slope_2"]].astype(float), full, rtol=1e-4)
    assert alone["distance"] == 0.0
    last = {method: found["bias", method].iloc[-1] for method in BIASED}
    assert last["cc"]["distance"] > 1.0
    for method in ("cc_weighted", "lcc", "lcc_fixed"):
        assert last[method]["distance"] < 0.6
        assert last[method]["distance_of_mean"] <= last[method]["distance"] + 1e-12
    moved = np.hypot(last["cc"]["slope_1"] - full[1], last["cc"]["slope_2"] - full[2])
    assert last["cc"]["distance_of_mean"] == pytest.approx(moved, rel=1e-3)


def test_the_pilot_grows_with_the_subsample_unless_it_is_fixed(found):
    assert found["bias", "lcc"]["pilot_size"].tolist() == [100, 400]
    assert found["bias", "lcc_fixed"]["pilot_size"].tolist() == [150, 150]
    assert found["bias", "cc"]["rows_drawn"].tolist() == found["bias", "lcc"]["rows_drawn"].tolist() == [500, 2000]


def test_failed_fits_are_counted_and_left_out():
    settings = {"n_rows": 1000, "pilot_size": 1, "sizes": [30], "n_repeats": 20}
    table = SUBSAMPLING_STUDY.run("uniform", 0, settings).set_index("design")
    assert 0 < table.loc["nzNormal", "share_failed"] <= 1
    X, y = design_rows("nzNormal", 1000, rng_for("big_data", "subsampling", "nzNormal", 0))
    failed = 0
    for i in range(20):
        rng = rng_for("big_data", "subsampling", "nzNormal", 0, 30, i)
        try:
            fit_subsample(X, y, method="uniform", pilot_size=1, size=30, rng=rng)
        except ValueError:
            failed += 1
    assert table.loc["nzNormal", "share_failed"] == pytest.approx(failed / 20)
