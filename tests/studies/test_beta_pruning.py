"""Document 000: its figures and claims on the model, against closed forms and docs/methods.md, section 2."""

from __future__ import annotations

import io
from functools import partial
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, stats

from frugal.folds.beta import Posterior
from studies import artefacts, registry
from studies.beta_pruning import model
from studies.estimates import CONTRADICTED, REPRODUCED
from studies.verdicts import NOT_RUN, judge_paper

claims = partial(judge_paper, "beta_pruning")
FIGURES = registry.figures("beta_pruning")
FROM_MODEL = [f"figure{i}" for i in range(2, 7)]


def tallest(table, panel, kind="exact"):
    return table.query("panel == @panel and kind == @kind")["density"].max()


def test_maximum_likelihood_is_a_maximum_and_the_one_of_the_notes():
    for listed, expected in (((0.4, 0.5), (44.54, 54.44)), ((0.8, 0.82), (1245.9, 292.3))):
        fitted = model.fit_maximum_likelihood(listed)
        assert fitted == pytest.approx(expected, rel=3e-4)
        found = optimize.minimize(
            lambda logs, a=listed: -stats.beta.logpdf(a, *np.exp(logs)).sum(), np.log(fitted), method="Nelder-Mead"
        )
        assert np.exp(found.x) == pytest.approx(fitted, rel=1e-2)


@pytest.mark.parametrize("listed", [(0.8,), (0.8, 0.8), (0.8, 1.0)])
def test_a_likelihood_without_a_maximum_is_refused(listed):
    with pytest.raises(ValueError, match="maximum likelihood needs at least two different accuracies"):
        model.fit_maximum_likelihood(listed)


def test_the_tallest_bins_of_figure_5_are_those_of_the_notes():
    table = model.summarise_predictives(0)
    panels = table["panel"].unique()
    assert [round(tallest(table, panel), 2) for panel in panels] == [5.88, 8.30, 11.87]
    first = table.query("kind == 'exact'").groupby("panel", sort=False)["density"].first()
    np.testing.assert_allclose(first, [0.32, 0.045, 0.001], atol=0.005)


def test_the_likelihood_fits_of_figure_6_peak_as_in_the_notes():
    table = model.summarise_contrast(0)
    peaks = [tallest(table, panel, "maximum likelihood") for panel in table["panel"].unique()]
    assert peaks == pytest.approx([7.96, 39.9], abs=0.3)


def test_the_exact_densities_of_figures_2_and_3():
    exponentials, betas = model.summarise_exponentials(0), model.summarise_betas(0)
    shown = [np.trapezoid(p["density"], p["x"]) for _, p in exponentials.groupby("panel", sort=False)]
    np.testing.assert_allclose(shown, [1 - np.exp(-5), 1 - np.exp(-2.5)], atol=1e-4)
    peaks = [tallest(betas, panel, "density") for panel in betas["panel"].unique()]
    np.testing.assert_allclose(peaks, [1, 2.461, 10], atol=1e-3)


@pytest.mark.parametrize("name", ["figure4", "figure5", "figure6"])
def test_draws_change_with_the_seed_and_what_is_exact_does_not(name):
    one, same, other = (FIGURES[name].summarise(seed=seed) for seed in (1, 1, 2))
    pd.testing.assert_frame_equal(one, same)
    draws = one["kind"] == "draws"
    assert not np.array_equal(one.loc[draws, "density"], other.loc[draws, "density"])
    pd.testing.assert_frame_equal(
        one[~draws].reset_index(drop=True), other[other["kind"] != "draws"].reset_index(drop=True)
    )


def test_histograms_lie_around_the_exact_bins():
    table = model.summarise_predictives(3)
    exact, draws = (table[table["kind"] == kind].reset_index(drop=True) for kind in ("exact", "draws"))
    share = exact["density"] * exact["width"]
    error = np.sqrt(share * (1 - share) / model.N_DRAWS)
    assert (np.abs(draws["density"] * draws["width"] - share) < 4.5 * error + 1e-9).all()


@pytest.mark.parametrize("name", FROM_MODEL)
def test_the_csv_of_a_figure_holds_its_numbers_and_is_drawn(name):
    table = FIGURES[name].summarise(seed=0)
    read_back = pd.read_csv(io.StringIO(table.to_csv(index=False, float_format="%.10g")))
    pd.testing.assert_frame_equal(read_back, table, rtol=1e-9, check_dtype=False)
    assert all(axis.has_data() for axis in FIGURES[name].draw(read_back).axes)


def test_the_figures_of_the_model_wait_for_no_dataset():
    assert artefacts.shown("beta_pruning", {}).explained == {"figure1": ("wdbc",), **dict.fromkeys(FROM_MODEL, ())}


def claims_on_the_model():
    return claims({"model": model.measured()}, "laptop").set_index("id")


def test_claims_on_the_model_are_judged_and_those_on_the_network_are_not_run():
    assert set(claims({}, "laptop")["verdict"]) == {NOT_RUN}
    table = claims_on_the_model()
    on_model = table["artefact"].isin([f"figures/figure{i}" for i in range(1, 7)])
    assert on_model.sum() == 6
    assert set(table[on_model]["verdict"]) == {REPRODUCED}
    assert set(table[~on_model]["verdict"]) == {NOT_RUN}
    assert set(table[on_model]["data"]) == {""}
    mass = table.loc["beta_pruning.prior.mass_of_exp1"]
    assert (mass["ours"], mass["published"]) == (pytest.approx(100 * (1 - np.exp(-5))), 99.3)
    assert table["published"].tolist().count("") == len(table) - 3


def test_the_prior_predictive_is_compared_with_a_uniform_one_and_with_its_middle(monkeypatch):
    # Were it Beta(2, 2), a hill: F(x) = 3 x^2 - 2 x^3 is farthest from x where 6 x (1 - x) = 1.
    hill = stats.beta(2, 2)
    fitted = SimpleNamespace(cdf=hill.cdf, pdf=hill.pdf, sd=hill.std())
    monkeypatch.setattr(Posterior, "fit", lambda listed: fitted)
    table = claims_on_the_model()
    x = (1 - np.sqrt(1 / 3)) / 2
    expected = {
        "close_to_uniform": 100 * (x - 3 * x**2 + 2 * x**3),
        "larger_at_edges": 0.01 * 0.99 / 0.25,
        "u_shaped": 0.3 * 0.7 / 0.25,
    }
    for name, value in expected.items():
        row = table.loc[f"beta_pruning.prior.{name}"]
        assert (row["ours"], row["verdict"]) == (pytest.approx(value, rel=1e-4), CONTRADICTED)


def test_the_likelihood_fit_is_compared_with_the_posterior(monkeypatch):
    # Were it uniform on {0.80, 0.82}, of standard deviation 1 / root 12, and sharp on {0.4, 0.5}.
    spread, narrow = model.CONTRASTED
    fits = {narrow: (1.0, 1.0), spread: (4500.0, 5500.0)}
    monkeypatch.setattr(model, "fit_maximum_likelihood", fits.__getitem__)
    row = claims_on_the_model().loc["beta_pruning.likelihood.underestimates"]
    assert row["ours"] == pytest.approx(Posterior.fit(narrow).sd * np.sqrt(12))
    assert row["verdict"] == CONTRADICTED
    # Were it on {0.80, 0.82} the Beta distribution with the posterior's own mean and variance, near to it.
    posterior = Posterior.fit(narrow)
    scale = posterior.mean * (1 - posterior.mean) / posterior.sd**2 - 1
    fits[narrow] = (posterior.mean * scale, (1 - posterior.mean) * scale)
    row = claims_on_the_model().loc["beta_pruning.likelihood.aligns"]
    assert row["ours"] < 0.5
    assert row["verdict"] == CONTRADICTED


def test_runs_of_an_unknown_experiment_are_refused():
    with pytest.raises(ValueError, match="no claims on the runs 'network'; known: model, explored"):
        claims({"network": pd.DataFrame()}, "laptop")
