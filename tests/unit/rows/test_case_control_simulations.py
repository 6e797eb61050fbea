"""Bias, variance and error over many subsamples: the standard errors, and what Figures 9 and 10 are about."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit
from subsample_designs import BETA, design, reference, repeat, squared_errors

from frugal.rows import fit_subsample
from frugal.rows.sampling import METHODS, draw_by_pilot
from frugal.rows.weighted_logistic import fit_weighted


@pytest.fixture(scope="module")
def mz():
    return design("mzNormal", np.random.default_rng(1))


# Bias and variance --------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("correction", ["offset", "weights"])
def test_the_mean_estimate_is_that_of_all_rows(mz, method, correction):
    coefs = np.array([fit.coef for fit in repeat(mz, 60, method, size=1000, correction=correction)])
    # In units of the spread: the mean of 60 has an error of .13, and what is left of the bias is O(1 / r).
    z = (coefs.mean(axis=0) - reference(*mz)) / coefs.std(axis=0, ddof=1)
    assert np.abs(z).max() < 0.5
    assert np.abs(z).mean() < 0.25


@pytest.mark.parametrize(
    ("method", "correction"),
    [
        ("uniform", "none"),
        ("cc", "offset"),
        ("cc", "weights"),
        ("lcc", "offset"),
        ("osmac_mvc", "weights"),
        ("osmac_mmse", "weights"),
        ("osmac_mmse", "offset"),
    ],
)
def test_sandwich_variances_are_those_seen_and_their_intervals_cover(mz, method, correction):
    fits = repeat(mz, 200, method, size=800, correction=correction)
    coefs, errors = np.array([fit.coef for fit in fits]), np.array([fit.standard_errors for fit in fits])
    assert np.mean(errors**2) == pytest.approx(np.mean(coefs.var(axis=0, ddof=1)), rel=0.15)
    covered = np.abs(coefs - reference(*mz)) < 1.96 * errors
    assert 0.92 < covered.mean() < 0.975


@pytest.mark.parametrize("method", ["uniform", "lcc", "osmac_mmse"])
def test_errors_fall_as_one_over_r(mz, method):
    sizes, full = (500, 1000, 2000, 4000), reference(*mz)
    # The pilot grows along, since OSMAC fits it too and a fixed one would flatten the line.
    errors = [squared_errors(repeat(mz, 80, method, pilot_size=r // 4, size=r), full).mean() for r in sizes]
    assert np.polyfit(np.log(sizes), np.log(errors), 1)[0] == pytest.approx(-1.0, abs=0.1)


@pytest.mark.parametrize("name", ["mzNormal", "nzNormal"])
def test_local_case_control_of_the_natural_size_has_twice_the_variance_of_all_rows(name):
    # Fithian and Hastie: at the best pilot, with sum |y - p| rows. There p of the subsample is 1/2 for every row.
    X, y = design(name, np.random.default_rng(4), n_rows=40_000)
    full = fit_weighted(X, y, weights=np.ones(len(y)), offsets=np.zeros(len(y)), start=BETA, sample="all")
    natural = round(np.abs(y - expit(X @ full.coef)).sum())
    drawn = draw_by_pilot(
        X, y, "lcc", natural, np.random.default_rng(0), coef=full.coef, information=full.information
    )
    fit = fit_weighted(
        X[drawn.rows], y[drawn.rows], weights=np.ones(natural), offsets=drawn.shift, start=full.coef, sample="lcc"
    )
    fisher = np.linalg.inv((X.T * (expit(X @ full.coef) * expit(-X @ full.coef))) @ X)
    assert np.trace(fit.covariance) / np.trace(fisher) == pytest.approx(2.0, rel=0.05)


# Figure 10 ----------------------------------------------------------------------------------------

# Mean squared errors against the true coefficients, a new data set per repetition, at r = 100, 300 and 1000 after
# a pilot of 200: the simulation of docs/methods.md, section 13 (300 repetitions, 5 to 8 % standard error).
SIMULATED = {
    ("mzNormal", "uniform", None): (0.42, 0.24, 0.097),
    ("mzNormal", "lcc", None): (0.72, 0.22, 0.068),
    ("mzNormal", "osmac_mvc", None): (0.30, 0.15, 0.059),
    ("mzNormal", "osmac_mmse", None): (0.29, 0.15, 0.060),
    ("nzNormal", "uniform", None): (2.4, 1.1, 0.41),
    ("nzNormal", "cc", "weights"): (0.74, 0.48, 0.22),
    ("nzNormal", "cc", "none"): (1.1, 1.0, 0.93),
    ("nzNormal", "lcc", None): (0.81, 0.26, 0.109),
    ("nzNormal", "osmac_mvc", None): (0.54, 0.25, 0.108),
    ("nzNormal", "osmac_mmse", None): (0.55, 0.25, 0.100),
}


@pytest.fixture(scope="module")
def errors():
    """Squared errors of each curve of `SIMULATED`, (40, 3)."""
    found = {curve: np.empty((40, 3)) for curve in SIMULATED}
    for i in range(40):
        data = {name: design(name, np.random.default_rng([10, i])) for name in ("mzNormal", "nzNormal")}
        for curve, table in found.items():
            name, method, correction = curve
            for j, size in enumerate((100, 300, 1000)):
                rng = np.random.default_rng([11, i, size])
                fit = fit_subsample(
                    *data[name], method=method, pilot_size=200, size=size, rng=rng, correction=correction
                )
                table[i, j] = ((fit.coef - BETA) ** 2).sum()
    return found


@pytest.mark.parametrize("curve", SIMULATED)
def test_errors_are_those_of_an_independent_simulation(errors, curve):
    found = errors[curve]
    margin = 4 * np.hypot(found.std(axis=0, ddof=1) / np.sqrt(len(found)), 0.08 * np.array(SIMULATED[curve]))
    assert (np.abs(found.mean(axis=0) - SIMULATED[curve]) < margin).all()


def test_osmac_is_closest_and_case_control_without_correction_stays_where_it_is(errors):
    mean = {curve: table.mean(axis=0) for curve, table in errors.items()}
    for name in ("mzNormal", "nzNormal"):
        for method in ("uniform", "lcc"):
            assert (mean[name, "osmac_mmse", None][:2] < mean[name, method, None][:2]).all()
    assert mean["nzNormal", "cc", "none"][2] > 0.8 * mean["nzNormal", "cc", "none"][0]


@pytest.mark.parametrize("name", ["mzNormal", "nzNormal"])
def test_local_case_control_without_its_pilot_is_wrong_at_any_size(name):
    data = design(name, np.random.default_rng(5))
    for size in (300, 3000):
        fits = repeat(data, 20, "lcc", size=size, correction="none")
        assert 2.2 < squared_errors(fits, BETA).mean() < 3.8  # docs/methods.md, section 13: 2.6 to 3.1


# Figure 9 -----------------------------------------------------------------------------------------


def test_where_the_model_is_wrong_case_control_does_not_converge_to_the_fit_of_all_rows():
    rng = np.random.default_rng(0)
    y = np.r_[np.ones(300), np.zeros(29_700)].astype(int)
    rare = rng.standard_normal((300, 2)) @ np.array([[2.0, 1.5], [0.0, 0.4]]) + [1.5, 2.0]
    X = np.column_stack([np.ones(len(y)), np.vstack([rare, rng.standard_normal((29_700, 2))])])
    full = reference(X, y)[1:]

    def distance(method, size, correction=None):
        fits = repeat((X, y), 12, method, pilot_size=500, size=size, correction=correction)
        return float(np.linalg.norm(np.mean([fit.coef[1:] for fit in fits], axis=0) - full))

    at_4000, at_16000 = distance("cc", 4000), distance("cc", 16_000)
    assert at_16000 > 0.3
    assert at_16000 == pytest.approx(at_4000, rel=0.1)
    for method, correction in (("lcc", None), ("cc", "weights"), ("osmac_mmse", None)):
        assert distance(method, 16_000, correction) < 0.1 * at_16000, (method, correction)
