"""What document 003 says, in section 4, about searches with its methods together, as quantities of the runs.

It has no numbers. A speed-up is read as what was spent until the combination and the part were both as good as the
worse of their two ends (`paths.to_same`). A combination has to spend fewer seconds than each of its parts; what is
spent of rows is a finding. Of termination inside Fabolas the document proposes the joint model of cost and loss;
the versions beside it are ours.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Final, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from studies.big_data.searched_beyond.paths import with_spent
from studies.big_data.searched_beyond.summaries import QUALITY, paired
from studies.cells import every
from studies.estimates import Arrays, Estimate, clustered_share, mean, resampled
from studies.records import Claim
from studies.regions import above
from studies.verdicts import check_claimed

FLOOR: Final = 10
"""Seeds under which no verdict is given."""
ROWS: Final = {"growing_termination": 10_000, "reduced_search": 4_096, "terminating_fabolas": 4_096}
"""Training rows under which none is given either."""
TRIALS: Final = 15
"""Trials of a search, likewise."""


class _Speed(NamedTuple):
    """A speed: of a combination, against each of its parts.

    Attributes:
        what: end of the claim's id.
        method: the combination.
        parts: what it is compared with.
        currency: `seconds` or `rows`.
        quote: the document's words; empty of a finding.
    """

    what: str
    method: str
    parts: tuple[str, ...]
    currency: str
    quote: str = ""


_FURTHER: Final = "various combinations of them are possible to get further speedups. ..."
_SPEEDS: Final[dict[str, tuple[_Speed, ...]]] = {
    "growing_termination": (
        _Speed(
            "speed_up",
            "dynamic_terminated",
            ("dynamic", "batch_terminated"),
            "seconds",
            f"{_FURTHER} The learning curve extrapolation method ... can thus be combined with the subsample size "
            "selection method",
        ),
        _Speed("speed_up_rows", "dynamic_terminated", ("dynamic", "batch_terminated"), "rows"),
    ),
    "reduced_search": (
        _Speed(
            "speed_up",
            "fabolas_wkm",
            ("fabolas_svm", "ei_wkm"),
            "seconds",
            f"{_FURTHER} Fabolas ... can be combined trivially with any of the training optimization approaches",
        ),
    ),
    "terminating_fabolas": (
        _Speed(
            "joint_speed_up",
            "fabolas_joint",
            ("fabolas", "random_terminated"),
            "seconds",
            f"{_FURTHER} Learning curve extrapolation could additionally be combined with Fabolas ... merge the "
            "two Gaussian processes c and f into a single cost-loss model",
        ),
        _Speed("joint_speed_up_rows", "fabolas_joint", ("fabolas", "random_terminated"), "rows"),
        _Speed("horizon_speed_up", "fabolas_horizon", ("fabolas", "random_terminated"), "seconds"),
        _Speed("horizon_speed_up_rows", "fabolas_horizon", ("fabolas", "random_terminated"), "rows"),
    ),
}
_WORDS: Final = {
    "dynamic_terminated": "termination with growing samples",
    "dynamic": "growing samples alone",
    "batch_terminated": "termination alone",
    "fabolas_wkm": "Fabolas over WKM-SVM",
    "fabolas_svm": "Fabolas over the plain SVM",
    "ei_wkm": "expected improvement over WKM-SVM",
    "fabolas_horizon": "Fabolas with termination whose cost model is told of costs to the end",
    "fabolas_joint": "Fabolas with termination and one model of cost and loss",
    "fabolas": "Fabolas alone",
    "random_terminated": "random search with termination",
}
_SPENT: Final = {
    "growing_termination": {"rows": "rows accessed", "seconds": "seconds, checks included,"},
    "reduced_search": {"seconds": "seconds, optimiser included,"},
    "terminating_fabolas": {"rows": "rows times epochs", "seconds": "seconds, checks and optimiser included,"},
}


def _faster(arrays: Arrays, rng: np.random.Generator, *, speed: _Speed) -> Estimate:
    """How many times less the combination spends than each part."""
    log10 = np.array([arrays[f"{speed.method}/{part}/{speed.currency}"] for part in speed.parts])
    names = [f"against {_WORDS[part]}" for part in speed.parts]
    return every(-math.log(10) * log10, above(1), is_log=True, noun="parts", names=names)


def _speed_claim(experiment: str, speed: _Speed) -> Claim:
    error = "validation" if QUALITY[experiment] == "best_error" else "test"
    parts = " and than ".join(_WORDS[part] for part in speed.parts)
    return Claim(
        id=f"big_data.{experiment}.{speed.what}",
        section="4",
        quote=speed.quote,
        quantity=f"how many times fewer {_SPENT[experiment][speed.currency]} {_WORDS[speed.method]} needs than "
        f"{parts}, until both have the same {error} error",
        unit="times",
        agrees=above(1),
        measure=partial(_faster, speed=speed),
        artefact=f"tables/{experiment}",
        is_ours=not speed.quote,
    )


def _stopped(arrays: Arrays, rng: np.random.Generator) -> Estimate:
    """Per cent of the proposals in the worse half."""
    _, _, n_worse, worse = arrays["stopped"]
    return clustered_share(worse, n_worse, unit=100)


def _stopped_apart(arrays: Arrays, rng: np.random.Generator) -> Estimate:
    """Points between the halves, each of the trials of all seeds together.

    Seeds make few proposals, and some none at all in one half, where they have no share of their own.
    """

    def apart(drawn: Arrays) -> float:
        n_better, better, n_worse, worse = drawn["stopped"].sum(axis=1)
        return 100 * float(worse / n_worse - better / n_better) if n_better and n_worse else math.nan

    return resampled(apart, {"stopped": arrays["stopped"]}, rng)


def _poor_apart(arrays: Arrays, rng: np.random.Generator, *, name: str) -> Estimate:
    return mean(100 * arrays[name])


_NAIVE: Final = "Fabolas with termination whose cost model is told what each trial took"
_PROBES: Final = "probes at suboptimal positions are likely to be terminated early, making them less costly"
CLAIMS: dict[str, tuple[Claim, ...]] = {
    experiment: tuple(_speed_claim(experiment, speed) for speed in speeds)
    for experiment, speeds in _SPEEDS.items()
}
CLAIMS["terminating_fabolas"] += (
    Claim(
        id="big_data.terminating_fabolas.suboptimal_stopped",
        section="4",
        quote=_PROBES,
        quantity=f"{_NAIVE}: share terminated of its probes in the worse half of all configurations",
        unit="%",
        agrees=above(50),  # "likely"
        measure=_stopped,
        artefact="tables/terminating_fabolas",
    ),
    Claim(
        id="big_data.terminating_fabolas.halves_stopped",
        section="4",
        quote="",
        quantity=f"{_NAIVE}: share terminated of its probes in the worse half of all configurations, less that in "
        "the better half",
        unit="points",
        agrees=above(0),
        measure=_stopped_apart,
        artefact="tables/terminating_fabolas",
        is_ours=True,
    ),
    Claim(
        id="big_data.terminating_fabolas.suboptimal_attractive",
        section="4",
        quote=f"{_PROBES} and thus more attractive for the acquisition function",
        quantity=f"share of probes in the worse half of all configurations: that of {_NAIVE}, less that of "
        "Fabolas without termination",
        unit="points",
        agrees=above(0),
        measure=partial(_poor_apart, name="poor_alone"),
        artefact="tables/terminating_fabolas",
    ),
    Claim(
        id="big_data.terminating_fabolas.attractive_against_horizon",
        section="4",
        quote="",
        quantity=f"share of probes in the worse half of all configurations: that of {_NAIVE}, less that of "
        f"{_WORDS['fabolas_horizon']}",
        unit="points",
        agrees=above(0),
        measure=partial(_poor_apart, name="poor_horizon"),
        artefact="tables/terminating_fabolas",
        is_ours=True,
    ),
)


def arrays(experiment: str, runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    """What each claim is about, by seed; nan where a method was not run.

    By `method/part/currency`, (n_seeds,): log10 of what the method spent over what the part did.

    And stopped, (4, n_seeds): proposals in the better half, how many of these were stopped, the same of the worse
    half; poor_alone and poor_horizon, (n_seeds,): by how much more of the proposals are in the worse half than
    without termination, and than with costs to the end.

    Raises:
        ValueError: on an unknown experiment.
    """
    check_claimed(experiment, CLAIMS)
    seeds, spent = sorted(runs["seed"].unique()), with_spent(runs)
    found: dict[str, NDArray[np.float64]] = {}
    for speed in _SPEEDS[experiment]:
        for part in speed.parts:
            values = paired(spent, speed.method, part, experiment)[f"log10_{speed.currency}_to_same"]
            by_seed = np.asarray(values.reindex(seeds), dtype=np.float64)
            found[f"{speed.method}/{part}/{speed.currency}"] = by_seed
    if experiment == "terminating_fabolas":
        found |= _proposals(runs, seeds)
    return found


def _proposals(runs: pd.DataFrame, seeds: list[int]) -> dict[str, NDArray[np.float64]]:
    """What was stopped and proposed among better and worse candidates, by seed."""
    made = runs[runs["poor"].notna()]
    share = made.pivot_table("poor", "seed", "method").reindex(seeds)
    share = share.reindex(columns=list(dict.fromkeys(runs["method"])))
    naive = made[made["method"] == "fabolas_spent"]
    counts = [
        half.groupby("seed")["stopped"].agg(["size", "sum"]).reindex(seeds, fill_value=0).to_numpy(float).T
        for half in (naive[naive["poor"] == 0], naive[naive["poor"] == 1])
    ]

    def more_than(method: str) -> NDArray[np.float64]:
        if method not in share or "fabolas_spent" not in share:
            return np.full(len(seeds), np.nan)
        return (share["fabolas_spent"] - share[method]).to_numpy(float)

    return {
        "stopped": np.vstack(counts),
        "poor_alone": more_than("fabolas"),
        "poor_horizon": more_than("fabolas_horizon"),
    }


def reaches_floor(experiment: str, runs: pd.DataFrame) -> bool:
    """Whether there are `FLOOR` seeds, `ROWS` to train on, and `TRIALS` of every search.

    Raises:
        ValueError: on an unknown experiment.
    """
    check_claimed(experiment, CLAIMS)
    shortest = runs.groupby(["method", "seed"]).size().min()
    enough = runs["seed"].nunique() >= FLOOR and runs["n_train"].min() >= ROWS[experiment]
    return bool(enough and shortest >= TRIALS)
