"""The claims of document 000, quoted: on the model as its numbers, on the network of Figure 7 from runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from frugal.folds.beta import Posterior
from studies.beta_pruning.model import CONTRASTED, fit_maximum_likelihood
from studies.beta_pruning.network import by_step
from studies.beta_pruning.runs import EXPLORERS
from studies.tidy import provenance
from studies.verdicts import COLUMNS, Arrays, Claim, check_claimed, judge, verdict

FLOOR = 3
"""Repetitions under which no number of the network study is published and no verdict given."""
FLOOR_ROWS = 60_000
"""The same for images."""
N_FOLDS = 5
"""The document's, in section 3.2."""


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


def _explored_at_20(method: str) -> Callable[[Arrays], float]:
    return lambda arrays: float(arrays[method][19].mean())


def _later_yield_less_early(arrays: Arrays) -> float:
    explored, n_steps = arrays["beta_pruning"], arrays["n_steps"]
    early, whole = explored[19], explored[-1]
    return float(np.mean((whole - early) / (n_steps - 20) - early / 20))  # until all are explored, not to the end


def _wrong_share_less_heuristic(arrays: Arrays) -> float:
    n_judged = [arrays[f"{method}_judged"].sum() for method in _PRUNERS]
    if not all(n_judged):
        return math.nan
    shares = [arrays[f"{method}_wrong"].sum() / n for method, n in zip(_PRUNERS, n_judged, strict=True)]
    return float(shares[0] - shares[1])


_PRUNERS = ("beta_pruning", "threshold_pruning")

EXPLORED = (
    Claim(
        "With 20 trained models, the Bayesian pruning approach has already evaluated 19 hyperparameter sets (in a "
        "run recorded before the model was as published)",
        19.0,
        _explored_at_20("beta_pruning"),
        rounding=1.0,
    ),
    Claim("... compared to only 4 for the regular 5-fold cross validation", 4.0, _explored_at_20("standard"), 1.0),
    Claim(
        "The yield is not as big after some number of ... models are put into the buffer (sets explored per "
        "training after the 20th less those up to it, below 0 if so)",
        math.nan,
        _later_yield_less_early,
    ),
)
"""Section 3.2, from Figure 7's runs."""

PRUNED = (
    Claim(
        "... a statistical model for making pruning decisions to avoid making poor decisions because of high "
        "uncertainty (share of prunings whose candidate is better over all folds than the one it was pruned "
        "against: that of beta pruning less that of threshold pruning, below 0 if so)",
        math.nan,
        _wrong_share_less_heuristic,
    ),
)
"""The conclusion, from the runs of the sweep at the configured tau and buffer."""


def claims(runs: Mapping[str, pd.DataFrame], scale: str) -> pd.DataFrame:
    """All claims with verdicts; those on the network are judged on `FLOOR` seeds of `FLOOR_ROWS` images.

    Args:
        runs: by name of the experiment: `explored` and `swept`, made by `runs`; what is missing is not judged.
        scale: label of the run.

    Raises:
        ValueError: on an unknown experiment.
    """
    for experiment in runs:
        check_claimed(experiment, ("explored", "swept"))
    rows = []
    for claim in MODEL:
        ours = claim.ours()
        says = verdict(claim.published, ours, ours, ours, rounding=claim.rounding)
        rows.append([claim.text, claim.published, ours, ours, ours, says, scale, "exact"])
    parts = [pd.DataFrame(rows, columns=COLUMNS)]
    for listed, name, arrays_of in ((EXPLORED, "explored", _explored), (PRUNED, "swept", _pruned)):
        table = runs.get(name)
        if table is None:
            parts.append(judge(listed, None, enough=False, scale=scale, data=""))
        else:
            enough = _reaches_floor(table)
            parts.append(judge(listed, arrays_of(table), enough=enough, scale=scale, data=provenance(table)))
    return pd.concat(parts, ignore_index=True)


def _reaches_floor(runs: pd.DataFrame) -> bool:
    """Whether the runs are enough, and of the document's 5 folds."""
    enough = runs["seed"].nunique() >= FLOOR and runs["n_rows"].min() >= FLOOR_ROWS
    return bool(enough and (runs["k"] == N_FOLDS).all())


def _explored(runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    """Candidates explored per method, (n_steps, n_seeds), and by when pruning has explored all, (n_seeds,)."""
    arrays = {method: by_step(runs, "explored", method).to_numpy(float) for method in EXPLORERS}
    explored = arrays["beta_pruning"]
    return arrays | {"n_steps": 1.0 + (explored == explored[-1]).argmax(axis=0)}


def _pruned(runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    """Prunings by scores and wrong ones per method and seed, (n_seeds,), at the configured settings."""
    arrays = {}
    for method in _PRUNERS:
        part = runs[(runs["method"] == method) & runs["is_configured"] & (runs["failed_as"] == "failed")]
        for what in ("wrong", "judged"):
            arrays[f"{method}_{what}"] = part.sort_values("seed")[f"n_{what}"].to_numpy(float)
    return arrays
