"""What document 004 says of its results, quoted, on searches, on what these chose, and on Figure 1's computation.

A sentence about all data sets is read as: the largest over the document's four of the mean over seeds is below 0.
Where vehicle is a stand-in it is left out, and adult is the unscaled one, as in the document. Sentences that begin
with `method notes` are not the document's but ours, on what it left open.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import partial
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from frugal.papers.hypertune.complexity import best_features
from frugal.papers.hypertune.curves import PANELS, areas
from frugal.papers.hypertune.listed import CONTROLS, LEARNERS, MAJORITY, METHODS
from frugal.papers.hypertune.tables import FLOOR, FLOOR_ROWS, enough, tested
from frugal.papers.tidy import is_stand_in
from frugal.papers.verdicts import Arrays, Claim, check_claimed

RAW: Final = "adult_codes"
SCALED: Final = "adult"
ORDER: Final = ("letter", "mnist", RAW, "vehicle", "cifar10", SCALED)
"""Rows of `arrays`; the last is not the document's."""
NEEDED: Final = ("letter", "mnist", RAW)
"""Data sets without which there is no verdict on all of them."""
MARGIN: Final = 0.01
"""Of test errors: how near is "equally well", "compatible" and "the best performance" of two."""
RIVALS: Final = ("ei", *CONTROLS)

_DOCUMENT: Final = slice(0, 5)


def _largest(differences: NDArray[np.float64]) -> float:
    """Largest over problems, rows, of the mean over seeds; problems that were not run at all are left out."""
    here = differences[~np.isnan(differences).all(axis=-1)]
    return float(here.mean(axis=-1).max()) if len(here) else math.nan


def _behind(arrays: Arrays, rival: str, panel: str) -> float:
    return _largest(arrays[f"{rival} {panel}"][_DOCUMENT])


def _pairs(arrays: Arrays, firsts: tuple[str, ...], seconds: tuple[str, ...], on: slice = _DOCUMENT) -> float:
    """Largest over pairs of methods and over problems of the former's mean test error less the latter's."""
    gaps = [_largest((arrays[a] - arrays[b])[on]) for a in firsts for b in seconds]
    return float(np.max(gaps))


def _without(arrays: Arrays, dataset: str) -> dict[str, NDArray[np.float64]]:
    """Arrays with nan in the row of a data set."""
    gone = np.array([[np.nan if name == dataset else 0.0] for name in ORDER])
    return {name: array + gone for name, array in arrays.items()}


def _near(arrays: Arrays, first: str, second: str) -> float:
    """Distance of two methods' mean test errors on one problem, less `MARGIN`."""
    return abs(_pairs(arrays, (first,), (second,))) - MARGIN


def _claim(text: str, how: str, statistic: Callable[[Arrays], float], *, quoted: bool = True) -> Claim:
    said = f'"{text}"' if quoted else text
    return Claim(f"{said} ({how}, below 0 if so)", math.nan, statistic)


def _ahead_of(text: str, rival: str = "ei", *, quoted: bool = True) -> tuple[Claim, ...]:
    """Against trials, and against time."""
    what = "best validation error so far, HyperTune less {}, mean over {}, largest over the data sets"
    name = {"ei": "EI"}.get(rival, f"the control {rival.removeprefix('hypertune_')}")
    axes = {"trials": "full-data trials", "seconds": "time, that on subsets included"}
    return tuple(
        _claim(text, what.format(name, axes[panel]), partial(_behind, rival=rival, panel=panel), quoted=quoted)
        for panel in PANELS
    )


def _below(text: str, firsts: tuple[str, ...], seconds: tuple[str, ...], on: slice = _DOCUMENT) -> Claim:
    how = f"test error within HyperTune's time, {' and '.join(firsts)} less {' and '.join(seconds)}, the largest"
    return _claim(text, how, partial(_pairs, firsts=firsts, seconds=seconds, on=on))


def _at(*names: str) -> slice:
    places = [ORDER.index(name) for name in names]
    return slice(min(places), max(places) + 1)


_ON_MAJORITY: Final = (
    _claim(
        "method notes 8.8: document 004's adult column is at the majority-class rate",
        "majority's test error on unscaled adult less that of HyperTune's choice, less 0.01",
        lambda a: _pairs(a, (MAJORITY,), ("hypertune",), _at(RAW)) - MARGIN,
        quoted=False,
    ),
    _claim(
        "method notes 6.9: adult comes to about 0.15 when scaled",
        "test error of HyperTune's choice on scaled adult less 0.15, less 0.01",
        lambda a: _largest((a["hypertune"] - 0.15)[_at(SCALED)]) - MARGIN,
        quoted=False,
    ),
)
_FABOLAS: Final = ("fabolas",)
_HYPERBAND: Final = ("hyperband",)
_HYPERTUNE: Final = ("hypertune",)
_BOTH: Final = (*_HYPERBAND, *_HYPERTUNE)

CLAIMS: Final[dict[str, tuple[Claim, ...]]] = {
    "complexity": (
        _claim(
            "the lowest generalization risk (highest accuracy) for a model that is trained on a larger data will "
            "occur at a more complex model than the one with a smaller training set",
            "log2 of the number of random features with the highest test accuracy, subset less all rows",
            lambda a: float((a["subset best"] - a["all best"]).mean()),
        ),
        _claim(
            "its generalization performance degrades as it selects more complex models",
            "test accuracy on the subset, with the most features less the highest of all numbers of them",
            lambda a: float((a["subset"].mean(axis=-1)[-1]) - a["subset"].mean(axis=-1).max()),
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
               on=_at("letter")),
        *_ON_MAJORITY,
    ),
    "svm_rff": _ahead_of("HyperTune again outperforms EI in all the datasets"),
    "svm_rff_refits": (
        _claim(
            "HyperTune is either compatible or better than Hyperband",
            "test error within HyperTune's time, HyperTune less Hyperband, the largest, less 0.01",
            lambda a: _pairs(a, _HYPERTUNE, _HYPERBAND) - MARGIN,
        ),
        _claim(
            "Both HyperTune and Hyperband outperform Fabolas in all the datasets except Adult dataset",
            "test error within HyperTune's time, the worse of both less Fabolas, the largest",
            lambda a: _pairs(_without(a, RAW), _BOTH, _FABOLAS),
        ),
        _below("Both Fabolas and HyperTune, however, perform better than Hyperband in Adult dataset",
               (*_FABOLAS, *_HYPERTUNE), _HYPERBAND, on=_at(RAW)),
        *_ON_MAJORITY,
    ),
    "mlp": (
        *_ahead_of("HyperTune performs better than EI on the validation dataset"),
        _ahead_of("control: the right sign does better than reversed", "hypertune_reversed", quoted=False)[0],
    ),
    "mlp_refits": (
        _below("Whilst Hyperband achieves the best performance in this experiment", _HYPERBAND,
               ("ei", *_FABOLAS, *_HYPERTUNE)),
        _claim("HyperTune performs equally well", "distance of its test error to Hyperband's, less 0.01",
               partial(_near, first="hypertune", second="hyperband")),
        _below("Both HyperTune and Hyperband perform better than Fabolas", _BOTH, _FABOLAS),
    ),
    "cifar_cnn_refits": (
        _claim("Both Hyperband and HyperTune achieve the best generalization performance",
               "distance of their test errors, less 0.01", partial(_near, first="hypertune", second="hyperband")),
        _below("and outperform Fabolas", _BOTH, _FABOLAS),
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
        accuracies by method, (n_sizes, n_seeds), and `{method} best`, as of `best_features`, (n_seeds,).

    Raises:
        ValueError: on an unknown experiment.
    """
    check_claimed(experiment, CLAIMS)
    if experiment == "complexity":
        found = {
            str(method): part.pivot_table("accuracy", index="n_features", columns="seed").to_numpy(float)
            for method, part in runs.groupby("method")
        }
        return found | {f"{name} best": of.to_numpy(float) for name, of in best_features(runs).items()}
    runs = _real(runs)
    if experiment in LEARNERS:
        made = {}
        for panel in PANELS:
            for rival in RIVALS:
                made[f"{rival} {panel}"] = _wide(areas(runs, "hypertune", rival, panel), "behind", runs)
        return made
    fits = tested(runs)
    return {name: _wide(fits[fits["method"] == name], "test_error", runs) for name in (*METHODS, *CONTROLS)}


def _real(runs: pd.DataFrame) -> pd.DataFrame:
    """Runs without those on stand-ins, unless there are no others."""
    real = runs[~runs["data"].map(is_stand_in).astype(bool)]
    return real if len(real) else runs


def _wide(table: pd.DataFrame, value: str, runs: pd.DataFrame) -> NDArray[np.float64]:
    wide = table.pivot_table(value, index="dataset", columns="seed", dropna=False)
    return wide.reindex(index=list(ORDER), columns=sorted(runs["seed"].unique())).to_numpy(float)


def reaches_floor(experiment: str, runs: pd.DataFrame) -> bool:
    """Whether runs are enough for a verdict: repetitions, rows, epochs, and the document's data sets.

    Raises:
        ValueError: on an unknown experiment.
    """
    check_claimed(experiment, CLAIMS)
    if experiment == "complexity":
        return bool(runs.groupby("method")["seed"].nunique().min() >= FLOOR and runs["n_rows"].max() >= FLOOR_ROWS)
    facts = _searched(runs) if experiment in LEARNERS else tested(runs)
    found = facts.groupby(["learner", "dataset", "method"], as_index=False).agg(
        n_seeds=("seed", "nunique"), n_rows=("n_rows", "min"), n_epochs=("n_epochs", "min")
    )
    is_network = bool(found["learner"].isin(["mlp", "cifar_cnn"]).all())
    return bool(enough(found).all() and (is_network or set(NEEDED) <= set(found["dataset"])))


def _searched(runs: pd.DataFrame) -> pd.DataFrame:
    """Facts of the trials of EI and HyperTune on all rows: n_rows and n_epochs (0 without), a row per search."""
    found = runs[runs["n_rows"].isna() & runs["epochs"].isna() & runs["method"].isin(["ei", "hypertune"])]
    n_epochs = found["curve"].map(lambda text: len(json.loads(text)))
    facts = found[["learner", "dataset", "method", "seed"]].assign(n_epochs=n_epochs)
    facts["n_rows"] = found["cost"] / n_epochs.clip(lower=1)  # the cost of a trial is rows times epochs
    keys = ["learner", "dataset", "method", "seed"]
    return facts.groupby(keys, as_index=False).max()  # a network that diverged has fewer epochs
