"""Document 000, section 2: priors, posteriors and fits by maximum likelihood, Figures 2 to 6, and claims on them.

Figures 4 to 6 show what is exact beside a histogram of draws, as the document's sampler gives them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd
import scipy
from numpy.typing import NDArray

from frugal.seeds import rng_for
from studies import plotters, style
from studies.kinds import Kind
from studies.measures import exactly
from studies.records import Artefact, Claim, Study
from studies.regions import above, at_most, near

if TYPE_CHECKING:
    from frugal.folds.beta import Posterior

Floats = NDArray[np.float64]

N_DRAWS: Final = 4000
"""Draws behind each histogram, as in the document."""
EXPONENTIALS: Final = ((1.0, 5.0), (0.01, 250.0))
"""Rate of the prior on mu, and how far Figure 2 shows it."""
BETAS: Final = ((1, 1), (5, 5), (10, 1))
"""Parameters in Figure 3."""
SIMULATED: Final = ((0.25,), (0.25, 0.26), (0.25, 0.255, 0.256, 0.26))
"""Sets of accuracies in Figure 5."""
CONTRASTED: Final = ((0.4, 0.5), (0.80, 0.82))
"""Sets of accuracies in Figure 6."""
COLUMNS: Final = ["panel", "kind", "x", "width", "density"]
"""Of every figure's numbers: `width` is that of a bar around x, missing for points of a curve."""


# Numbers of the model ------------------------------------------------------------------------------------------


def fit_maximum_likelihood(accuracies: Sequence[float]) -> tuple[float, float]:
    """Parameters (alpha, beta) of the Beta distribution under which the accuracies are most likely.

    Args:
        accuracies: at least two different ones, inside (0, 1).

    Raises:
        ValueError: if they are all equal or lie outside: the likelihood then has no maximum.
    """
    if len(set(accuracies)) < 2 or not all(0 < accuracy < 1 for accuracy in accuracies):
        raise ValueError(
            f"maximum likelihood needs at least two different accuracies inside (0, 1), got {list(accuracies)}"
        )
    alpha, beta, _, _ = scipy.stats.beta.fit(accuracies, floc=0, fscale=1)
    return float(alpha), float(beta)


def measured() -> pd.DataFrame:
    """What the claims on the model speak of.

    Returns:
        measure, value, data (empty). Measures: mass_of_exp1, the per cent of Exp(1) below 5; distance_to_uniform,
        the largest difference in points between the distribution functions of the prior predictive and of a
        uniform one; density_at_edges and density_beside_middle, the least density of the prior predictive at 0.01
        and 0.99, or at 0.3 and 0.7, over that at 0.5; sd_over_likelihood_fit, the ratio of standard deviations of
        the posterior predictive and of the fit by maximum likelihood on {0.80, 0.82}; distance_over_contrasted,
        the largest difference between the distribution functions of these two there, over that on {0.4, 0.5}.
    """
    from frugal.folds.beta import Posterior

    prior, x = Posterior.fit([]), np.linspace(0, 1, 1001)
    middle, low, high, left, right = (float(density) for density in prior.pdf([0.5, 0.01, 0.99, 0.3, 0.7]))
    wide, sharp = CONTRASTED
    values = {
        "mass_of_exp1": 100.0 * float(scipy.stats.expon.cdf(5)),
        "distance_to_uniform": 100.0 * float(np.abs(prior.cdf(x) - x).max()),
        "density_at_edges": min(low, high) / middle,
        "density_beside_middle": min(left, right) / middle,
        "sd_over_likelihood_fit": Posterior.fit(sharp).sd
        / float(scipy.stats.beta.std(*fit_maximum_likelihood(sharp))),
        "distance_over_contrasted": _distance_of_fits(sharp) / _distance_of_fits(wide),
    }
    return pd.DataFrame({"measure": list(values), "value": list(values.values()), "data": ""})  # none is read


def _distance_of_fits(listed: Sequence[float]) -> float:
    """Largest difference between the distribution functions of posterior predictive and maximum likelihood."""
    from frugal.folds.beta import Posterior

    x = np.linspace(0.001, 0.999, 999)
    likely = scipy.stats.beta.cdf(x, *fit_maximum_likelihood(listed))
    return float(np.abs(likely - Posterior.fit(listed).cdf(x)).max())


# Claims --------------------------------------------------------------------------------------------------------


def arrays(runs: pd.DataFrame) -> dict[str, Floats]:
    """The numbers of `measured`, each (1,), by what each is."""
    return {str(measure): part["value"].to_numpy(float) for measure, part in runs.groupby("measure")}


def is_enough(runs: pd.DataFrame) -> bool:
    """Always: no number here is drawn, so that none needs repetitions."""
    return True


MODEL: Final = Study(
    name="model",
    derive=measured,
    kinds=(Kind(("measure", "value", "data"), lacks=("seed",)),),
    arrays=arrays,
    is_enough=is_enough,
)
_claim = partial(Claim, section="2.2.2", unit="times", study="model")


CLAIMS: Final = (
    _claim(
        "beta_pruning.prior.mass_of_exp1",
        section="2.2.1",
        quote="For Exp(1) 99.3% of the mass exists in (0,5]",
        quantity="probability that Exp(1) gives to the interval from 0 to 5",
        unit="%",
        published=99.3,
        agrees=near(99.3, margin=0.05),  # a closed form: nothing but its rounding
        measure=exactly("mass_of_exp1"),
        artefact="figures/figure2",
    ),
    _claim(
        "beta_pruning.prior.close_to_uniform",
        quote="It is close to perfectly uniform",
        quantity="largest difference between the distribution functions of the prior predictive and of the "
        "uniform distribution",
        unit="points",
        agrees=at_most(5),
        measure=exactly("distance_to_uniform"),
        artefact="figures/figure4",
    ),
    _claim(
        "beta_pruning.prior.larger_at_edges",
        quote="with larger densities close to the interval edges",
        quantity="density of the prior predictive near the edges over that at an accuracy of 0.5; of the edges, "
        "0.01 and 0.99, the one where it is lower",
        agrees=above(1),
        measure=exactly("density_at_edges"),
        artefact="figures/figure4",
    ),
    _claim(
        # The document calls a U "concave", as it calls the Beta distribution with both parameters below 1.
        "beta_pruning.prior.u_shaped",
        quote="the distribution is slightly concave ... This is expected, since the Beta distribution is concave "
        "when both of its parameters ... are in the (0,1) interval",
        quantity="density of the prior predictive beside the middle over that at an accuracy of 0.5; of 0.3 and "
        "0.7 the one where it is lower (above 1: a U, the shape that the document calls concave)",
        agrees=above(1),
        measure=exactly("density_beside_middle"),
        artefact="figures/figure4",
    ),
    _claim(
        "beta_pruning.likelihood.underestimates",
        quote="a dataset A = {0.80, 0.82} with small variance causes a very sharp ML fit, thus likely "
        "underestimating the posterior variance",
        quantity="standard deviation on {0.80, 0.82}, the posterior predictive's over the ML fit's",
        agrees=above(1),
        measure=exactly("sd_over_likelihood_fit"),
        artefact="figures/figure6",
    ),
    _claim(
        "beta_pruning.likelihood.aligns",
        quote="On a dataset with observations A = {0.4, 0.5} of higher variance, the two model densities align "
        "more closely",
        quantity="largest difference between the distribution functions of ML fit and posterior predictive: that "
        "on {0.80, 0.82} over that on {0.4, 0.5}",
        agrees=above(1),
        measure=exactly("distance_over_contrasted"),
        artefact="figures/figure6",
    ),
)


# Figures -------------------------------------------------------------------------------------------------------

_EXACT, _DRAWS, _LIKELIHOOD = style.LOOKS["beta_pruning"].color, "#C9CDD2", "#926A00"


def summarise_exponentials(seed: int) -> pd.DataFrame:
    """Figure 2: densities of two priors on mu; columns `COLUMNS`. No number depends on `seed`."""
    parts = []
    for rate, end in EXPONENTIALS:
        x = np.linspace(0, end, 251)
        parts.append(_curve(f"Exp({rate:g})", "density", x, scipy.stats.expon.pdf(x, scale=1 / rate)))
    return pd.concat(parts, ignore_index=True)


@style.styled
def draw_exponentials(table: pd.DataFrame) -> plotters.Figure:
    """Two panels, the share of the mass that each shows in its title."""
    figure, panels = plotters.row(table, "panel", size=(7.2, 2.4))
    for axis, part, name in panels:
        axis.plot(part["x"], part["density"], color=_EXACT)
        axis.fill_between(part["x"], part["density"], color=_EXACT, alpha=0.15, linewidth=0)
        share = float(np.trapezoid(part["density"], part["x"]))
        axis.set(title=f"{name}: {share:.1%} of the mass is shown", xlabel="precision μ", ylabel="density")
        axis.set(xlim=(0, part["x"].max()), ylim=(0, None))
    return figure


def summarise_betas(seed: int) -> pd.DataFrame:
    """Figure 3: densities of three Beta distributions; columns `COLUMNS`. No number depends on `seed`."""
    x = np.linspace(0, 1, 251)
    parts = [_curve(f"Beta({a}, {b})", "density", x, scipy.stats.beta.pdf(x, a, b)) for a, b in BETAS]
    return pd.concat(parts, ignore_index=True)


@style.styled
def draw_betas(table: pd.DataFrame) -> plotters.Figure:
    """Three panels on one scale of x."""
    figure, panels = plotters.row(table, "panel", size=(7.2, 2.4))
    for axis, part, name in panels:
        axis.plot(part["x"], part["density"], color=_EXACT)
        peak = part["density"].max()
        axis.set(title=f"{name}: peak {peak:.3g}", xlabel="mean accuracy η", ylabel="density")
        axis.set(xlim=(0, 1), ylim=(0, 1.08 * peak))
    return figure


def summarise_prior_predictive(seed: int) -> pd.DataFrame:
    """Figure 4: the prior predictive, exact and as a histogram of draws in 30 bins over their range."""
    from frugal.folds.beta import Posterior

    prior = Posterior.fit([])
    draws = _drawn(prior, "figure4", seed)
    x = np.linspace(0.002, 0.998, 499)
    edges = np.linspace(draws.min(), draws.max(), 31)
    parts = [_curve("prior", "exact", x, prior.pdf(x)), _histogram("prior", draws, edges)]
    return pd.concat(parts, ignore_index=True)


@style.styled
def draw_prior_predictive(table: pd.DataFrame) -> plotters.Figure:
    """Histogram of draws, the exact density, and the uniform density for comparison."""
    figure, [(axis, *_)] = plotters.row(table, "panel", size=(4.2, 2.7))
    _draw(axis, table)
    axis.axhline(1, color="#000000", linewidth=0.8, linestyle=":", label="uniform")
    axis.set(xlabel="fold accuracy", ylabel="density", xlim=(0, 1), ylim=(0, 2.2))
    axis.legend(ncols=3, loc="upper center")
    return figure


def summarise_predictives(seed: int) -> pd.DataFrame:
    """Figure 5: posterior predictives of three sets, exact and as histograms of draws in 50 bins on [0, 1]."""
    from frugal.folds.beta import Posterior

    edges = np.linspace(0, 1, 51)
    parts = []
    for listed in SIMULATED:
        panel, posterior = _name(listed), Posterior.fit(listed)
        heights = np.diff(posterior.cdf(edges)) / np.diff(edges)
        parts.append(_bars(panel, "exact", edges, heights))
        draws = _drawn(posterior, "figure5", panel, seed)
        parts.append(_histogram(panel, draws, edges))
    return pd.concat(parts, ignore_index=True)


@style.styled
def draw_predictives(table: pd.DataFrame) -> plotters.Figure:
    """A panel per set of accuracies, its tallest bins in the title."""
    figure, panels = plotters.row(table, "panel", size=(7.2, 2.6), sharey=True)
    for axis, part, name in panels:
        tallest = part.groupby("kind")["density"].max()
        _draw(axis, part)
        heights = f"exact {tallest['exact']:.2f}, draws {tallest['draws']:.2f}"
        axis.set(title=f"{name}\ntallest: {heights}", xlabel="fold accuracy")
        axis.set(xlim=(0, 1))
    figure.axes[0].set(ylabel="density")
    figure.axes[0].legend(loc="upper right")
    return figure


def summarise_contrast(seed: int) -> pd.DataFrame:
    """Figure 6: posterior predictive, exact and as draws in 40 bins, against the fit by maximum likelihood."""
    from frugal.folds.beta import Posterior

    parts = []
    for listed in CONTRASTED:
        panel, posterior = _name(listed), Posterior.fit(listed)
        x = np.linspace(0.002, 0.998, 499)
        parts.append(_curve(panel, "exact", x, posterior.pdf(x)))
        likely = scipy.stats.beta.pdf(x, *fit_maximum_likelihood(listed))
        parts.append(_curve(panel, "maximum likelihood", x, likely))
        draws = _drawn(posterior, "figure6", panel, seed)
        parts.append(_histogram(panel, draws, np.linspace(draws.min(), draws.max(), 41)))
    return pd.concat(parts, ignore_index=True)


@style.styled
def draw_contrast(table: pd.DataFrame) -> plotters.Figure:
    """A panel per set of accuracies: draws, exact density, and the fit by maximum likelihood."""
    figure, panels = plotters.row(table, "panel", size=(7.2, 2.8))
    for axis, part, name in panels:
        _draw(axis, part)
        likely = part[part["kind"] == "maximum likelihood"]
        axis.plot(likely["x"], likely["density"], color=_LIKELIHOOD, linestyle="--", label="maximum likelihood")
        peak = likely["density"].max()
        axis.set(title=f"{name}: likelihood fit peaks at {peak:.1f}", xlabel="fold accuracy", ylabel="density")
        axis.set(xlim=(0, 1), ylim=(0, 1.05 * peak))
    figure.axes[1].legend(loc="upper left")
    return figure


def _drawn(posterior: Posterior, *names: str | int) -> np.ndarray:
    """Draws from the predictive, by the generator of these names."""
    return posterior.quantile(rng_for("beta_pruning", *names).uniform(size=N_DRAWS))


def _name(listed: Sequence[float]) -> str:
    return "{" + ", ".join(f"{accuracy:g}" for accuracy in listed) + "}"


def _curve(panel: str, kind: str, x: np.ndarray, density: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame({"panel": panel, "kind": kind, "x": x, "width": np.nan, "density": density})[COLUMNS]


def _bars(panel: str, kind: str, edges: np.ndarray, density: np.ndarray) -> pd.DataFrame:
    middle = (edges[:-1] + edges[1:]) / 2
    return _curve(panel, kind, middle, density).assign(width=np.diff(edges))


def _histogram(panel: str, draws: np.ndarray, edges: np.ndarray) -> pd.DataFrame:
    density, _ = np.histogram(draws, bins=edges, density=True)
    return _bars(panel, "draws", edges, density)


def _draw(axis: plotters.Axes, part: pd.DataFrame) -> None:
    """Draws as bars; what is exact as a curve, or as the steps of its bins."""
    draws, line = part[part["kind"] == "draws"], part[part["kind"] == "exact"]
    axis.bar(draws["x"], draws["density"], width=draws["width"], color=_DRAWS, label=f"{N_DRAWS} draws")
    if line["width"].isna().all():
        axis.plot(line["x"], line["density"], color=_EXACT, label="exact")
    else:
        edges = np.append(line["x"] - line["width"] / 2, line["x"].iloc[-1] + line["width"].iloc[-1] / 2)
        axis.stairs(line["density"], edges, color=_EXACT, label="exact")


FIGURE2: Final = Artefact(
    "figure2",
    (),
    summarise_exponentials,
    """Figure 2 of document 000. Densities of two exponential priors on the precision μ, and the share of the mass
    that each panel shows; the document prints 99.3 % for Exp(1).""",
    draw_exponentials,
)
FIGURE3: Final = Artefact(
    "figure3",
    (),
    summarise_betas,
    """Figure 3 of document 000. Densities of three Beta distributions on the mean accuracy η.""",
    draw_betas,
)
FIGURE4: Final = Artefact(
    "figure4",
    (),
    summarise_prior_predictive,
    """Figure 4 of document 000. The prior predictive: exact, and as a histogram of 4000 draws in 30 bins over
    their range. It is U-shaped; the document calls it concave. The exact curve is drawn from 0.002 to 0.998 and
    rises further outside.""",
    draw_prior_predictive,
)
FIGURE5: Final = Artefact(
    "figure5",
    (),
    summarise_predictives,
    """Figure 5 of document 000. Posterior predictives of three sets of accuracies: exact, and as histograms of
    4000 draws in 50 bins; the document's tallest bins are about 6.2, 8.3 and 11.""",
    draw_predictives,
)
FIGURE6: Final = Artefact(
    "figure6",
    (),
    summarise_contrast,
    """Figure 6 of document 000. Posterior predictive against the fit by maximum likelihood, for a set of greater
    and one of smaller variance: exact, and as 4000 draws in 40 bins.""",
    draw_contrast,
)
ARTEFACTS: Final = (FIGURE2, FIGURE3, FIGURE4, FIGURE5, FIGURE6)
