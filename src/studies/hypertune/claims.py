"""What document 004 says of its results, quoted, on searches, on what these chose, and on Figure 1's computation.

A sentence about all data sets is read as: the largest over the document's four of the mean over seeds is below 0.
Stand-ins are left out of it, and adult is the unscaled one, as in the document. A choice whose training diverged
errs as the majority's class does, and a sentence about methods of which one had made all its trials before
HyperTune's time was over has no verdict. Sentences that begin with `method notes` are not the document's but ours,
on what it left open.
"""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from studies.hypertune.about import (
    ALL,
    CONTROLLED,
    MARGIN,
    ORDER,
    RAW,
    SCALED,
    About,
    ahead_of,
    below,
    claim,
    gap_of,
    largest,
    near,
    pairs,
    rows,
)
from studies.hypertune.complexity import best_features, lost_by_the_most_features
from studies.hypertune.curves import PANELS, areas
from studies.hypertune.listed import COMPARED, LEARNERS, MAJORITY, METHODS
from studies.hypertune.searched import paths, scope
from studies.hypertune.tables import FLOOR, FLOOR_ROWS, enough, is_short, tested
from studies.tidy import is_stand_in
from studies.verdicts import NOT_RUN, OUT_OF_TRIALS, Arrays, check_claimed

_ON_MAJORITY: Final = (
    claim(
        "method notes 8.8: document 004's adult column is at the majority-class rate",
        "distance on unscaled adult of the test error of HyperTune's choice to the majority's, less 0.01",
        lambda a: abs(pairs(a, (MAJORITY,), ("hypertune",), (RAW,))) - MARGIN,
        quoted=False,
        methods=(MAJORITY, "hypertune"),
        datasets=(RAW,),
        needed=(RAW,),
    ),
    claim(
        "method notes 6.9: adult comes to about 0.15 when scaled",
        "distance on scaled adult of the test error of HyperTune's choice to 0.15, less 0.01",
        lambda a: abs(largest((a["hypertune"] - 0.15)[rows((SCALED,))])) - MARGIN,
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
        claim(
            "the lowest generalization risk (highest accuracy) for a model that is trained on a larger data will "
            "occur at a more complex model than the one with a smaller training set",
            "log2 of the number of random features with the highest test accuracy, subset less all rows",
            lambda a: float((a["subset best"] - a["all best"]).mean()),
        ),
        claim(
            "its generalization performance degrades as it selects more complex models",
            "test accuracy on the subset, with the most features less with the number that is best on the other "
            "seeds, mean over seeds",
            lambda a: float(a["subset lost"].mean()),
        ),
        claim(
            "M2 exhibits poorer generalization performance compared to M1",
            "test accuracy, subset less all rows, the largest over the numbers of features",
            lambda a: largest(a["subset"] - a["all"]),
        ),
    ),
    "elastic_net": (
        *ahead_of("HyperTune outperforms EI in all the datasets"),
        *ahead_of(
            "method notes 8.9: Algorithm 1 puts signs on the wrong side of negatively signed hyperparameters",
            "hypertune_literal",
            quoted=False,
            on=CONTROLLED,
            needed=CONTROLLED,
        ),
        *(
            ahead_of(f"control: the right signs do better than {what}", f"hypertune_{name}", quoted=False,
                      on=CONTROLLED, needed=CONTROLLED)[0]
            for name, what in (("reversed", "reversed"), ("unsigned", "none"), ("neutral", "one on the ratio"))
        ),
    ),
    "elastic_net_refits": (
        below("HyperTune performs better than Fabolas in all cases", _HYPERTUNE, _FABOLAS),
        *_ON_MAJORITY,
    ),
    "svm": ahead_of("In all the datasets, HyperTune significantly outperforms EI"),
    "svm_refits": (
        below("HyperTune again performs better than Fabolas", _HYPERTUNE, _FABOLAS),
        below("particularly in Letter dataset where the difference is significant", _HYPERTUNE, _FABOLAS,
               on=("letter",)),
        *_ON_MAJORITY,
    ),
    "svm_rff": ahead_of("HyperTune again outperforms EI in all the datasets"),
    "svm_rff_refits": (
        claim(
            "HyperTune is either compatible or better than Hyperband",
            "test error within HyperTune's time, HyperTune less Hyperband, the largest, less 0.01",
            lambda a: pairs(a, _HYPERTUNE, _HYPERBAND) - MARGIN,
            methods=_BOTH,
        ),
        claim(
            "Both HyperTune and Hyperband outperform Fabolas in all the datasets except Adult dataset",
            "test error within HyperTune's time, the worse of both less Fabolas, the largest",
            lambda a: pairs(a, _BOTH, _FABOLAS, _NOT_ADULT),
            methods=(*_BOTH, *_FABOLAS),
            datasets=_NOT_ADULT,
            needed=("letter", "mnist"),
        ),
        below("Both Fabolas and HyperTune, however, perform better than Hyperband in Adult dataset",
               (*_FABOLAS, *_HYPERTUNE), _HYPERBAND, on=(RAW,)),
        *_ON_MAJORITY,
    ),
    "mlp": (
        *ahead_of("HyperTune performs better than EI on the validation dataset", needed=_MNIST),
        ahead_of("control: the right sign does better than reversed", "hypertune_reversed", quoted=False,
                  needed=_MNIST)[0],
    ),
    "mlp_refits": (
        below("Whilst Hyperband achieves the best performance in this experiment", _HYPERBAND,
               (*_FABOLAS, *_HYPERTUNE), on=_MNIST),
        claim("HyperTune performs equally well", "distance of its test error to Hyperband's, less 0.01",
               partial(near, first="hypertune", second="hyperband"), methods=_BOTH, needed=_MNIST),
        below("Both HyperTune and Hyperband perform better than Fabolas", _BOTH, _FABOLAS, on=_MNIST),
    ),
    "cifar_cnn_refits": (
        claim("Both Hyperband and HyperTune achieve the best generalization performance",
               "the larger of: distance of their test errors, less 0.01; the worse of both less Fabolas",
               lambda a: max(near(a, "hypertune", "hyperband"), pairs(a, _BOTH, _FABOLAS)),
               methods=(*_BOTH, *_FABOLAS), needed=_CIFAR10),
        below("and outperform Fabolas", _BOTH, _FABOLAS, on=_CIFAR10, needed=_CIFAR10),
    ),
}  # fmt: skip
"""By experiment: searches of a learner, what these chose (`{learner}_refits`), and Figure 1's."""


def arrays(experiment: str, runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    """What the claims on an experiment are about, the seeds last.

    Args:
        experiment: key of `CLAIMS`.
        runs: its rows.

    Returns:
        Of searches, named by `gap_of`, by how much more HyperTune errs than each of `COMPARED`, (n_datasets,
        n_seeds) in `ORDER`; of refits test errors by method, the same shape; nan where there are none. Of
        `complexity` accuracies by method, (n_sizes, n_seeds), `{method} best`, as of `best_features`, (n_seeds,),
        and `subset lost`, as of `lost_by_the_most_features`, (n_seeds,).

    Raises:
        ValueError: on an unknown experiment.
    """
    check_claimed(experiment, CLAIMS)
    if experiment == "complexity":
        found: dict[str, NDArray[np.float64]] = {
            str(method): part.pivot_table("accuracy", index="n_features", columns="seed").to_numpy(float)
            for method, part in runs.groupby("method")
        }
        found |= {f"{name} best": of.to_numpy(float) for name, of in best_features(runs).items()}
        return found | {"subset lost": lost_by_the_most_features(found["subset"])}
    if experiment in LEARNERS:
        searched = paths(runs)
        return {
            gap_of(rival, panel): _wide(areas(searched, "hypertune", rival, panel), "behind", runs)
            for panel in PANELS
            for rival in COMPARED
        }
    fits = tested(runs)
    return {name: _wide(fits[fits["method"] == name], "test_error", runs) for name in METHODS}


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


def unjudged(experiment: str, runs: pd.DataFrame, made: Arrays) -> dict[str, str]:
    """Claims on searches and refits without a verdict, by their text, and what is said instead.

    `NOT_RUN` where a method or a data set that the claim needs was not run, or with fewer repetitions, rows or
    epochs than the floor; `OUT_OF_TRIALS` where a search of its methods ended before HyperTune's time did, so that
    they were not compared on equal budgets, or, of a claim on searches, before HyperTune was on all rows.

    Args:
        experiment: key of `CLAIMS`.
        runs: its rows.
        made: what `arrays` makes of them.

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
    for one in CLAIMS[experiment]:
        own = found[found["method"].isin(one.methods) & found["dataset"].isin(one.datasets)]
        run = set(zip(own["dataset"], own["method"], strict=True))
        asked = {(name, method) for name in {*one.needed, *own["dataset"]} for method in one.methods}
        ended = bool(short) and own["is_short"].any()
        lacks = bool(one.gap) and np.isnan(made[one.gap][rows(tuple(own["dataset"].unique()))]).any()
        if not asked <= run or not own["is_enough"].all():
            said[one.text] = NOT_RUN
        elif ended or lacks:
            said[one.text] = OUT_OF_TRIALS
    return said
