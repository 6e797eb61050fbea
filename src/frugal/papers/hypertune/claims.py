"""What document 004 says of its results, quoted, on searches, on what these chose, and on Figure 1's computation.

A sentence about all data sets is read as: the largest over the document's four of the mean over seeds is below 0.
Stand-ins are left out of it, and adult is the unscaled one, as in the document. A choice whose training diverged
errs as the majority's class does, and a sentence about methods of which one had made all its trials before
HyperTune's time was over has no verdict. Sentences that begin with `method notes` are not the document's but ours,
on what it left open.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from frugal.papers.hypertune.complexity import best_features, lost_by_the_most_features
from frugal.papers.hypertune.curves import PANELS, areas
from frugal.papers.hypertune.listed import CONTROLS, LEARNERS, MAJORITY, METHODS
from frugal.papers.hypertune.searched import paths, scope
from frugal.papers.hypertune.tables import FLOOR, FLOOR_ROWS, enough, is_short, tested
from frugal.papers.tidy import is_stand_in
from frugal.papers.verdicts import NOT_RUN, OUT_OF_TRIALS, Arrays, Claim, check_claimed

RAW: Final = "adult_codes"
SCALED: Final = "adult"
ORDER: Final = ("letter", "mnist", RAW, "vehicle", "cifar10", SCALED)
"""Rows of `arrays`; the last is not the document's."""
NEEDED: Final = ("letter", "mnist", RAW)
"""Data sets without which there is no verdict on all of them; vehicle's real rows may be out of reach."""
ALL: Final = (*NEEDED, "vehicle", "cifar10")
MARGIN: Final = 0.01
"""Of test errors: how near is "equally well", "compatible" and "the best performance" of two."""
RIVALS: Final = ("ei", *CONTROLS)


@dataclass(frozen=True)
class About(Claim):
    """A claim, and what it speaks of.

    Attributes:
        methods: that it compares, all of which must have been run for long enough.
        datasets: that it is about, where they were run.
        needed: those of them without which it has no verdict.
    """

    methods: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ALL
    needed: tuple[str, ...] = NEEDED


def _largest(differences: NDArray[np.float64]) -> float:
    """Largest over problems, rows, of the mean over seeds; problems that were not run at all are left out."""
    here = differences[~np.isnan(differences).all(axis=-1)]
    return float(here.mean(axis=-1).max()) if len(here) else math.nan


def _rows(datasets: tuple[str, ...]) -> list[int]:
    return [ORDER.index(name) for name in datasets]


def _behind(arrays: Arrays, rival: str, panel: str) -> float:
    return _largest(arrays[f"{rival} {panel}"][_rows(ALL)])


def _pairs(arrays: Arrays, firsts: tuple[str, ...], seconds: tuple[str, ...], on: tuple[str, ...] = ALL) -> float:
    """Largest over pairs of methods and over problems of the former's mean test error less the latter's."""
    gaps = [_largest((arrays[a] - arrays[b])[_rows(on)]) for a in firsts for b in seconds]
    return float(np.max(gaps))


def _near(arrays: Arrays, first: str, second: str) -> float:
    """Distance of two methods' mean test errors on one problem, less `MARGIN`."""
    return abs(_pairs(arrays, (first,), (second,))) - MARGIN


def _claim(
    text: str, how: str, statistic: Callable[[Arrays], float], *, quoted: bool = True, **about: tuple[str, ...]
) -> About:
    said = f'"{text}"' if quoted else text
    return About(f"{said} ({how}, below 0 if so)", math.nan, statistic, **about)  # type: ignore[arg-type]


def _ahead_of(
    text: str, rival: str = "ei", *, quoted: bool = True, needed: tuple[str, ...] = NEEDED
) -> tuple[About, ...]:
    """Against trials, and against time."""
    what = "best validation error so far, HyperTune less {}, mean over {}, largest over the data sets"
    name = {"ei": "EI"}.get(rival, f"the control {rival.removeprefix('hypertune_')}")
    axes = {"trials": "full-data trials", "seconds": "time, that on subsets included"}
    return tuple(
        _claim(text, what.format(name, axes[panel]), partial(_behind, rival=rival, panel=panel), quoted=quoted,
               methods=("hypertune", rival), needed=needed)
        for panel in PANELS
    )  # fmt: skip


def _below(
    text: str,
    firsts: tuple[str, ...],
    seconds: tuple[str, ...],
    on: tuple[str, ...] = ALL,
    needed: tuple[str, ...] | None = None,
) -> About:
    how = f"test error within HyperTune's time, {' and '.join(firsts)} less {' and '.join(seconds)}, the largest"
    asked = tuple(name for name in NEEDED if name in on) if needed is None else needed
    statistic = partial(_pairs, firsts=firsts, seconds=seconds, on=on)
    return _claim(text, how, statistic, methods=(*firsts, *seconds), datasets=on, needed=asked)


_ON_MAJORITY: Final = (
    _claim(
        "method notes 8.8: document 004's adult column is at the majority-class rate",
        "distance on unscaled adult of the test error of HyperTune's choice to the majority's, less 0.01",
        lambda a: abs(_pairs(a, (MAJORITY,), ("hypertune",), (RAW,))) - MARGIN,
        quoted=False,
        methods=(MAJORITY, "hypertune"),
        datasets=(RAW,),
        needed=(RAW,),
    ),
    _claim(
        "method notes 6.9: adult comes to about 0.15 when scaled",
        "distance on scaled adult of the test error of HyperTune's choice to 0.15, less 0.01",
        lambda a: abs(_largest((a["hypertune"] - 0.15)[_rows((SCALED,))])) - MARGIN,
        quoted=False,
        methods=("hypertune",),
        datasets=(SCALED,),
        needed=(SCALED,),
    ),
)
_FABOLAS: Final = ("fabolas",)
_HYPERBAND: Final = ("hyperband",)
_HYPERTUNE: Final = ("hypertune",)
_BOTH: Final = (*_HYPERBAND, *_HYPERTUNE)
_NOT_ADULT: Final = tuple(name for name in ALL if name != RAW)
_MNIST: Final = ("mnist",)
_CIFAR10: Final = ("cifar10",)

CLAIMS: Final[dict[str, tuple[About, ...]]] = {
    "complexity": (
        _claim(
            "the lowest generalization risk (highest accuracy) for a model that is trained on a larger data will "
            "occur at a more complex model than the one with a smaller training set",
            "log2 of the number of random features with the highest test accuracy, subset less all rows",
            lambda a: float((a["subset best"] - a["all best"]).mean()),
        ),
        _claim(
            "its generalization performance degrades as it selects more complex models",
            "test accuracy on the subset, with the most features less with the number that is best on the other "
            "seeds, mean over seeds",
            lambda a: float(a["subset lost"].mean()),
        ),
        _claim(
            "M2 exhibits poorer generalization performance compared to M1",
            "test accuracy, subset less all rows, the largest over the numbers of features",
            lambda a: _largest(a["subset"] - a["all"]),
        ),
    ),
    "elastic_net": (
        *_ahead_of("HyperTune outperforms EI in all the datasets"),
        *_ahead_of(
            "method notes 8.9: Algorithm 1 puts signs on the wrong side of negatively signed hyperparameters",
            "hypertune_literal",
            quoted=False,
        ),
        *(
            _ahead_of(f"control: the right signs do better than {what}", f"hypertune_{name}", quoted=False)[0]
            for name, what in (("reversed", "reversed"), ("unsigned", "none"), ("neutral", "one on the ratio"))
        ),
    ),
    "elastic_net_refits": (
        _below("HyperTune performs better than Fabolas in all cases", _HYPERTUNE, _FABOLAS),
        *_ON_MAJORITY,
    ),
    "svm": _ahead_of("In all the datasets, HyperTune significantly outperforms EI"),
    "svm_refits": (
        _below("HyperTune again performs better than Fabolas", _HYPERTUNE, _FABOLAS),
        _below("particularly in Letter dataset where the difference is significant", _HYPERTUNE, _FABOLAS,
               on=("letter",)),
        *_ON_MAJORITY,
    ),
    "svm_rff": _ahead_of("HyperTune again outperforms EI in all the datasets"),
    "svm_rff_refits": (
        _claim(
            "HyperTune is either compatible or better than Hyperband",
            "test error within HyperTune's time, HyperTune less Hyperband, the largest, less 0.01",
            lambda a: _pairs(a, _HYPERTUNE, _HYPERBAND) - MARGIN,
            methods=_BOTH,
        ),
        _claim(
            "Both HyperTune and Hyperband outperform Fabolas in all the datasets except Adult dataset",
            "test error within HyperTune's time, the worse of both less Fabolas, the largest",
            lambda a: _pairs(a, _BOTH, _FABOLAS, _NOT_ADULT),
            methods=(*_BOTH, *_FABOLAS),
            datasets=_NOT_ADULT,
            needed=("letter", "mnist"),
        ),
        _below("Both Fabolas and HyperTune, however, perform better than Hyperband in Adult dataset",
               (*_FABOLAS, *_HYPERTUNE), _HYPERBAND, on=(RAW,)),
        *_ON_MAJORITY,
    ),
    "mlp": (
        *_ahead_of("HyperTune performs better than EI on the validation dataset", needed=_MNIST),
        _ahead_of("control: the right sign does better than reversed", "hypertune_reversed", quoted=False,
                  needed=_MNIST)[0],
    ),
    "mlp_refits": (
        _below("Whilst Hyperband achieves the best performance in this experiment", _HYPERBAND,
               (*_FABOLAS, *_HYPERTUNE), on=_MNIST),
        _claim("HyperTune performs equally well", "distance of its test error to Hyperband's, less 0.01",
               partial(_near, first="hypertune", second="hyperband"), methods=_BOTH, needed=_MNIST),
        _below("Both HyperTune and Hyperband perform better than Fabolas", _BOTH, _FABOLAS, on=_MNIST),
    ),
    "cifar_cnn_refits": (
        _claim("Both Hyperband and HyperTune achieve the best generalization performance",
               "the larger of: distance of their test errors, less 0.01; the worse of both less Fabolas",
               lambda a: max(_near(a, "hypertune", "hyperband"), _pairs(a, _BOTH, _FABOLAS)),
               methods=(*_BOTH, *_FABOLAS), needed=_CIFAR10),
        _below("and outperform Fabolas", _BOTH, _FABOLAS, on=_CIFAR10, needed=_CIFAR10),
    ),
}  # fmt: skip
"""By experiment: searches of a learner, what these chose (`{learner}_refits`), and Figure 1's."""


def arrays(experiment: str, runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    """What the claims on an experiment are about, the seeds last.

    Args:
        experiment: key of `CLAIMS`.
        runs: its rows.

    Returns:
        Of searches `{rival} {panel}`, by how much more HyperTune errs than each of `RIVALS`, (n_datasets, n_seeds)
        in `ORDER`; of refits test errors by method, the same shape; nan where there are none. Of `complexity`
        accuracies by method, (n_sizes, n_seeds), `{method} best`, as of `best_features`, (n_seeds,), and `subset
        lost`, as of `lost_by_the_most_features`, (n_seeds,).

    Raises:
        ValueError: on an unknown experiment.
    """
    check_claimed(experiment, CLAIMS)
    if experiment == "complexity":
        found = {
            str(method): part.pivot_table("accuracy", index="n_features", columns="seed").to_numpy(float)
            for method, part in runs.groupby("method")
        }
        found |= {f"{name} best": of.to_numpy(float) for name, of in best_features(runs).items()}
        return found | {"subset lost": lost_by_the_most_features(found["subset"])}
    if experiment in LEARNERS:
        made = {}
        for panel in PANELS:
            for rival in RIVALS:
                made[f"{rival} {panel}"] = _wide(areas(runs, "hypertune", rival, panel), "behind", runs)
        return made
    fits = tested(runs)
    return {name: _wide(fits[fits["method"] == name], "test_error", runs) for name in (*METHODS, *CONTROLS)}


def real(runs: pd.DataFrame) -> pd.DataFrame:
    """Runs without those on stand-ins, unless there are no others."""
    found = runs[~runs["data"].map(is_stand_in).astype(bool)]
    return found if len(found) else runs


def _wide(table: pd.DataFrame, value: str, runs: pd.DataFrame) -> NDArray[np.float64]:
    wide = table.pivot_table(value, index="dataset", columns="seed", dropna=False)
    return wide.reindex(index=list(ORDER), columns=sorted(runs["seed"].unique())).to_numpy(float)


def reaches_floor(experiment: str, runs: pd.DataFrame) -> bool:
    """Whether runs are on data that are no stand-ins, and of Figure 1 enough; `unjudged` goes on claim by claim.

    Raises:
        ValueError: on an unknown experiment.
    """
    check_claimed(experiment, CLAIMS)
    if runs["data"].map(is_stand_in).any():
        return False
    if experiment == "complexity":
        return bool(runs.groupby("method")["seed"].nunique().min() >= FLOOR and runs["n_rows"].max() >= FLOOR_ROWS)
    return True


def unjudged(experiment: str, runs: pd.DataFrame) -> dict[str, str]:
    """Claims on searches and refits without a verdict, by their text, and what is said instead.

    `NOT_RUN` where a method or a data set that the claim needs was not run, or with fewer repetitions, rows or
    epochs than the floor; `OUT_OF_TRIALS` where a search of its methods ended before HyperTune's time did, so that
    they were not compared on equal budgets.

    Raises:
        ValueError: on an unknown experiment.
    """
    check_claimed(experiment, CLAIMS)
    if experiment == "complexity":
        return {}
    cells = ["learner", "dataset", "method"]
    facts = scope(paths(runs)) if experiment in LEARNERS else tested(runs).assign(is_short=is_short)
    how = {"n_seeds": ("seed", "nunique"), "n_rows": ("n_rows", "min"), "n_epochs": ("n_epochs", "min")}
    short = {} if experiment in LEARNERS else {"is_short": ("is_short", "any")}
    found = facts.groupby(cells, as_index=False).agg(**how, **short)
    found["is_enough"] = enough(found)
    said = {}
    for claim in CLAIMS[experiment]:
        own = found[found["method"].isin(claim.methods) & found["dataset"].isin(claim.datasets)]
        run = set(zip(own["dataset"], own["method"], strict=True))
        asked = {(name, method) for name in {*claim.needed, *own["dataset"]} for method in claim.methods}
        if not asked <= run or not own["is_enough"].all():
            said[claim.text] = NOT_RUN
        elif short and own["is_short"].any():
            said[claim.text] = OUT_OF_TRIALS
    return said
