"""The claims of document 000, quoted: on the model as its numbers, on the network of Figure 7 from runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from frugal.folds.beta import Posterior
from frugal.papers.beta_pruning.model import CONTRASTED, fit_maximum_likelihood
from frugal.papers.verdicts import COLUMNS, NOT_RUN, verdict

FLOOR = 3
"""Repetitions under which no number of the network study is published and no verdict given."""


class Exact(NamedTuple):
    """A quoted sentence on the model, and the number in it.

    Attributes:
        text: the document's words, and what we compute where they leave it open.
        published: the number; nan where the sentence only says that ours is below 0.
        ours: computed, without chance.
        rounding: unit of the last printed digit, or twice what the text says counts as equal.
    """

    text: str
    published: float
    ours: Callable[[], float]
    rounding: float = 0.0


def _distance_to_uniform() -> float:
    x = np.linspace(0, 1, 1001)
    return float(np.abs(Posterior.fit([]).cdf(x) - x).max())


def _centre_against_edges() -> float:
    middle, *edges = Posterior.fit([]).pdf([0.5, 0.01, 0.99])
    return float(middle - min(edges))


def _curvature() -> float:
    low, middle, high = Posterior.fit([]).pdf([0.3, 0.5, 0.7])
    return float(low - 2 * middle + high)


def _sd_of_likelihood_fit_less_ours() -> float:
    listed = CONTRASTED[1]
    return float(stats.beta.std(*fit_maximum_likelihood(listed))) - Posterior.fit(listed).sd


def _misalignment(listed: tuple[float, ...]) -> float:
    """Largest difference of the two distribution functions."""
    x = np.linspace(0.001, 0.999, 999)
    return float(np.abs(stats.beta.cdf(x, *fit_maximum_likelihood(listed)) - Posterior.fit(listed).cdf(x)).max())


MODEL = (
    Exact("for Exp(1) 99.3% of the mass exists in (0,5]", 0.993, lambda: float(stats.expon.cdf(5)), 0.001),
    Exact(
        "the prior predictive distribution ... is close to perfectly uniform (largest difference of the two "
        "distribution functions; 0.05 counts as close)",
        0.0,
        _distance_to_uniform,
        0.1,
    ),
    Exact(
        "... with larger densities close to the interval edges (density at 0.5 less that at 0.01, below 0 if so)",
        math.nan,
        _centre_against_edges,
    ),
    Exact(
        "the distribution is slightly concave (second difference of its density at 0.3, 0.5, 0.7, below 0 if so)",
        math.nan,
        _curvature,
    ),
    Exact(
        "{0.80, 0.82} ... causes a very sharp ML fit, thus likely underestimating the posterior variance (its "
        "standard deviation less the posterior predictive's, below 0 if so)",
        math.nan,
        _sd_of_likelihood_fit_less_ours,
    ),
    Exact(
        "on ... {0.4, 0.5} of higher variance, the two model densities align more closely (largest difference of "
        "distribution functions there less that on {0.80, 0.82}, below 0 if so)",
        math.nan,
        lambda: _misalignment(CONTRASTED[0]) - _misalignment(CONTRASTED[1]),
    ),
)
"""Section 2."""

NETWORK = (
    ("With 20 trained models, the Bayesian pruning approach has already evaluated 19 hyperparameter sets", 19.0),
    ("... compared to only 4 for the regular 5-fold cross validation", 4.0),
    ("The yield is not as big after some number of ... models are put into the buffer", math.nan),
    ("[heuristics make] poor decisions because of high uncertainty", math.nan),
)
"""Section 3.2 and the conclusion, from the network's runs."""


def claims(runs: Mapping[str, pd.DataFrame], scale: str) -> pd.DataFrame:
    """All claims with verdicts; those on the network are listed as not run, since no runs of it are taken yet.

    Args:
        runs: by name of the experiment; none is known yet.
        scale: label of the run.

    Raises:
        ValueError: on an unknown experiment.
    """
    if runs:
        raise ValueError(f"no claims on the experiment {sorted(runs)[0]!r}; known: none")
    rows = []
    for claim in MODEL:
        ours = claim.ours()
        says = verdict(claim.published, ours, ours, ours, rounding=claim.rounding)
        rows.append([claim.text, claim.published, ours, ours, ours, says, scale, "exact"])
    for text, published in NETWORK:
        rows.append([text, published, math.nan, math.nan, math.nan, NOT_RUN, scale, ""])
    return pd.DataFrame(rows, columns=COLUMNS)
