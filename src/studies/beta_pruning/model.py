"""The numbers of figures 2 to 6 of document 000 and of its claims on the model: priors, posteriors, likelihood."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import stats

from frugal.folds.beta import Posterior
from frugal.seeds import rng_for

N_DRAWS = 4000
"""Draws behind each histogram, as in the document."""
EXPONENTIALS = ((1.0, 5.0), (0.01, 250.0))
"""Rate of the prior on mu, and how far figure 2 shows it."""
BETAS = ((1, 1), (5, 5), (10, 1))
"""Parameters in figure 3."""
SIMULATED = ((0.25,), (0.25, 0.26), (0.25, 0.255, 0.256, 0.26))
"""Sets of accuracies in figure 5."""
CONTRASTED = ((0.4, 0.5), (0.80, 0.82))
"""Sets of accuracies in figure 6."""
COLUMNS = ["panel", "kind", "x", "width", "density"]
"""Of every summary here: `width` is that of a bar around x, missing for points of a curve."""


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
    alpha, beta, _, _ = stats.beta.fit(accuracies, floc=0, fscale=1)
    return float(alpha), float(beta)


def measured() -> pd.DataFrame:
    """What the claims on the model speak of.

    Returns:
        measure, value, data (exact). Measures: mass_of_exp1, the per cent of Exp(1) below 5; distance_to_uniform,
        the largest difference in points between the distribution functions of the prior predictive and of a
        uniform one; density_at_edges and density_beside_middle, the least density of the prior predictive at 0.01
        and 0.99, or at 0.3 and 0.7, over that at 0.5; sd_over_likelihood_fit, the ratio of standard deviations of
        the posterior predictive and of the fit by maximum likelihood on {0.80, 0.82}; distance_over_contrasted,
        the largest difference between the distribution functions of these two there, over that on {0.4, 0.5}.
    """
    prior, x = Posterior.fit([]), np.linspace(0, 1, 1001)
    middle, low, high, left, right = (float(density) for density in prior.pdf([0.5, 0.01, 0.99, 0.3, 0.7]))
    wide, sharp = CONTRASTED
    values = {
        "mass_of_exp1": 100.0 * float(stats.expon.cdf(5)),
        "distance_to_uniform": 100.0 * float(np.abs(prior.cdf(x) - x).max()),
        "density_at_edges": min(low, high) / middle,
        "density_beside_middle": min(left, right) / middle,
        "sd_over_likelihood_fit": Posterior.fit(sharp).sd / float(stats.beta.std(*fit_maximum_likelihood(sharp))),
        "distance_over_contrasted": _distance_of_fits(sharp) / _distance_of_fits(wide),
    }
    return pd.DataFrame({"measure": list(values), "value": list(values.values()), "data": "exact"})


def _distance_of_fits(listed: Sequence[float]) -> float:
    """Largest difference between the distribution functions of posterior predictive and maximum likelihood."""
    x = np.linspace(0.001, 0.999, 999)
    return float(np.abs(stats.beta.cdf(x, *fit_maximum_likelihood(listed)) - Posterior.fit(listed).cdf(x)).max())


def summarise_exponentials(seed: int) -> pd.DataFrame:
    """Figure 2: densities of two priors on mu; columns `COLUMNS`. Nothing is drawn from `seed`."""
    parts = []
    for rate, end in EXPONENTIALS:
        x = np.linspace(0, end, 251)
        parts.append(_curve(f"Exp({rate:g})", "density", x, stats.expon.pdf(x, scale=1 / rate)))
    return pd.concat(parts, ignore_index=True)


def summarise_betas(seed: int) -> pd.DataFrame:
    """Figure 3: densities of three Beta distributions; columns `COLUMNS`. Nothing is drawn from `seed`."""
    x = np.linspace(0, 1, 251)
    parts = [_curve(f"Beta({a}, {b})", "density", x, stats.beta.pdf(x, a, b)) for a, b in BETAS]
    return pd.concat(parts, ignore_index=True)


def summarise_prior_predictive(seed: int) -> pd.DataFrame:
    """Figure 4: the prior predictive, exact and as a histogram of draws in 30 bins over their range.

    Args:
        seed: of the draws.
    """
    prior = Posterior.fit([])
    draws = prior.quantile(rng_for("beta_pruning", "figure4", seed).uniform(size=N_DRAWS))
    x = np.linspace(0.002, 0.998, 499)
    edges = np.linspace(draws.min(), draws.max(), 31)
    parts = [_curve("prior", "exact", x, prior.pdf(x)), _histogram("prior", draws, edges)]
    return pd.concat(parts, ignore_index=True)


def summarise_predictives(seed: int) -> pd.DataFrame:
    """Figure 5: posterior predictives of three sets, exact and as histograms of draws in 50 bins on [0, 1].

    Args:
        seed: of the draws.
    """
    edges = np.linspace(0, 1, 51)
    parts = []
    for listed in SIMULATED:
        panel, posterior = _name(listed), Posterior.fit(listed)
        heights = np.diff(posterior.cdf(edges)) / np.diff(edges)
        parts.append(_bars(panel, "exact", edges, heights))
        draws = posterior.quantile(rng_for("beta_pruning", "figure5", panel, seed).uniform(size=N_DRAWS))
        parts.append(_histogram(panel, draws, edges))
    return pd.concat(parts, ignore_index=True)


def summarise_contrast(seed: int) -> pd.DataFrame:
    """Figure 6: posterior predictive, exact and as draws in 40 bins, against the fit by maximum likelihood.

    Args:
        seed: of the draws.
    """
    parts = []
    for listed in CONTRASTED:
        panel, posterior = _name(listed), Posterior.fit(listed)
        x = np.linspace(0.002, 0.998, 499)
        parts.append(_curve(panel, "exact", x, posterior.pdf(x)))
        parts.append(_curve(panel, "maximum likelihood", x, stats.beta.pdf(x, *fit_maximum_likelihood(listed))))
        draws = posterior.quantile(rng_for("beta_pruning", "figure6", panel, seed).uniform(size=N_DRAWS))
        parts.append(_histogram(panel, draws, np.linspace(draws.min(), draws.max(), 41)))
    return pd.concat(parts, ignore_index=True)


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
