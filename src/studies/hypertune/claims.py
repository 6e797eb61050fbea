"""What document 004 says of its results, quoted, on searches, on what these chose, and on Figure 1's computation.

A sentence about all data sets must hold on every one of the document's four. Stand-ins are left out of it, and so
are constant problems, on which no method does better than the majority's class; adult is the unscaled one, as in
the document. A choice whose training diverged errs as the majority's class does. A sentence about methods of which
one had made all its trials before HyperTune's time was over is not run: they were not compared on equal budgets.
Printed errors are judged where training rows are about as many as the document's.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from studies.cells import every
from studies.estimates import Arrays, Estimate, exact, mean, ratio
from studies.hypertune.about import (
    CONTROLLED,
    MARGIN,
    ORDER,
    RAW,
    About,
    ahead_of,
    at_majority,
    better,
    lead_of,
    printed_errors,
    rows,
    scaled_adult,
)
from studies.hypertune.complexity import best_features, lost_by_the_most_features
from studies.hypertune.curves import PANELS, areas
from studies.hypertune.listed import COMPARED, LEARNERS, MAJORITY, METHODS
from studies.hypertune.searched import paths, scope
from studies.hypertune.tables import FLOOR, FLOOR_ROWS, enough, is_short, tested
from studies.records import Claim
from studies.regions import above, at_least, between
from studies.tidy import is_stand_in
from studies.verdicts import NOT_RUN, NOT_TESTABLE, check_claimed

Array = NDArray[np.float64]


def _best_features_ratio(arrays: Arrays, rng: np.random.Generator) -> Estimate:
    return ratio(2 ** arrays["all best"], 2 ** arrays["subset best"])


def _subset_degrades(arrays: Arrays, rng: np.random.Generator) -> Estimate:
    return mean(-100 * arrays["subset lost"])


def _subset_poorer(arrays: Arrays, rng: np.random.Generator) -> Estimate:
    names = [f"{n:.0f}" for n in arrays["n_features"][:, 0]]
    return every(100 * (arrays["all"] - arrays["subset"]), above(0), noun="numbers of features", names=names)


def _monotone_rise(arrays: Arrays, rng: np.random.Generator) -> Estimate:
    """Steps of all rows' accuracy, from the fewest features to the number that is best on the subset."""
    last = int(arrays["subset"].mean(axis=1).argmax())
    sizes = [f"{n:.0f}" for n in arrays["n_features"][: last + 1, 0]]
    names = [f"from {few} to {many}" for few, many in pairwise(sizes)]
    return every(100 * np.diff(arrays["all"][: last + 1], axis=0), above(0), noun="steps", names=names)


def _within_the_bound(arrays: Arrays, rng: np.random.Generator) -> Estimate:
    cells = np.concatenate([arrays[f"{name} bound"] - arrays[f"{name} gap"] for name in ("subset", "all")])
    sizes = [f"{n:.0f} features" for n in arrays["n_features"][:, 0]]
    names = [f"{rows} with {size}" for rows in ("the subset", "all rows") for size in sizes]
    return every(100 * cells, above(0), noun="cells", names=names)


def _bounds_ratio(arrays: Arrays, rng: np.random.Generator) -> Estimate:
    return exact(float((arrays["subset bound"] / arrays["all bound"]).min()))


_FIGURE1: Final = (
    Claim(
        "hypertune.theory.theorem1",
        "Key insights from PAC Generalization Bound",
        "For binary classification and the 0/1 loss function, we have the following generalization bounds",
        "by how much the gap between training and test error of a linear SVM on random features lies below "
        "Theorem 1's bound at a probability of 95 %, at each number of rows and of features",
        "points",
        above(0),
        _within_the_bound,
        artefact="figures/figure1",
    ),
    Claim(
        "hypertune.theory.bound_on_fewer_rows",
        "Key insights from PAC Generalization Bound",
        "For a fixed VC dimension ... the generalization bound is higher when n is small",
        "Theorem 1's bound on the subset's rows over that on all rows, at the VC dimension where they are closest",
        "times",
        above(1),
        _bounds_ratio,
        artefact="figures/figure1",
    ),
    Claim(
        "hypertune.figure1.more_complex_optimum",
        "Key insights from PAC Generalization Bound",
        "the lowest generalization risk (highest accuracy) for a model that is trained on a larger data will "
        "occur at a more complex model than the one with a smaller training set",
        "number of random features that is best on test rows, when trained on all rows over when trained on the "
        "subset",
        "times",
        above(1),
        _best_features_ratio,
        artefact="figures/figure1",
    ),
    Claim(
        "hypertune.figure1.subset_degrades",
        "Introduction",
        "its generalization performance degrades as it selects more complex models",
        "by how much test accuracy, trained on the subset, falls from the number of random features that is best "
        "on the other seeds to the most",
        "points",
        above(0),
        _subset_degrades,
        artefact="figures/figure1",
    ),
    Claim(
        "hypertune.figure1.subset_poorer",
        "Introduction",
        "M2 exhibits poorer generalization performance compared to M1",
        "by how much test accuracy is higher when trained on all rows than on the subset, at each number of "
        "random features",
        "points",
        above(0),
        _subset_poorer,
        artefact="figures/figure1",
    ),
    Claim(
        "hypertune.figure1.monotone_rise",
        "Introduction",
        "Between the lower and upper bounds of the performance in M2, the performance of M1 rises strictly "
        "monotonically",
        "by how much test accuracy, trained on all rows, rises at each step from the fewest random features to "
        "the number that is best on the subset",
        "points",
        above(0),
        _monotone_rise,
        artefact="figures/figure1",
    ),
)
_TRIALS: Final = ("trials",)
_MNIST: Final = ("mnist",)
_CIFAR10: Final = ("cifar10",)
_NOT_ADULT: Final = ("letter", "mnist", "vehicle")
_EQUALLY_WELL: Final = between(-MARGIN, MARGIN)
_NO_WORSE: Final = at_least(-MARGIN)
_PARTICULARLY: Final = "particularly in Letter dataset where the difference is significant"
_EXCEPT_ADULT: Final = "Both HyperTune and Hyperband outperform Fabolas in all the datasets except Adult dataset"
_ON_ADULT: Final = "Both Fabolas and HyperTune, however, perform better than Hyperband in Adult dataset"
_BOTH: Final = "Both HyperTune and Hyperband perform better than Fabolas"
_BEST: Final = "Whilst Hyperband achieves the best performance in this experiment"
_EQUAL: Final = "HyperTune performs equally well"
_CNN: Final = "Both Hyperband and HyperTune achieve the best generalization performance, and outperform Fabolas"


CLAIMS: Final[dict[str, tuple[Claim, ...]]] = {
    "complexity": _FIGURE1,
    "elastic_net": (
        *ahead_of("elastic_net", "HyperTune outperforms EI in all the datasets"),
        *ahead_of("elastic_net", "", "hypertune_literal", on=CONTROLLED, needed=CONTROLLED),
        *(
            claim
            for control in ("hypertune_reversed", "hypertune_unsigned", "hypertune_neutral")
            for claim in ahead_of("elastic_net", "", control, panels=_TRIALS, on=CONTROLLED, needed=CONTROLLED)
        ),
    ),
    "elastic_net_refits": (
        better("elastic_net", "hypertune_better_than_fabolas",
               "HyperTune performs better than Fabolas in all cases", "hypertune", "fabolas"),
        *printed_errors("elastic_net"),
        at_majority("elastic_net"),
        scaled_adult("elastic_net"),
    ),
    "svm": ahead_of("svm", "In all the datasets, HyperTune significantly outperforms EI"),
    "svm_refits": (
        better("svm", "hypertune_better_than_fabolas", "HyperTune again performs better than Fabolas", "hypertune",
               "fabolas"),
        better("svm", "hypertune_better_than_fabolas_on_letter", _PARTICULARLY, "hypertune", "fabolas",
               on=("letter",)),
        *printed_errors("svm"),
        at_majority("svm"),
        scaled_adult("svm"),
    ),
    "svm_rff": ahead_of("svm_rff", "HyperTune again outperforms EI in all the datasets"),
    "svm_rff_refits": (
        better("svm_rff", "hypertune_compatible_with_hyperband",
               "HyperTune is either compatible or better than Hyperband", "hypertune", "hyperband",
               agrees=_NO_WORSE),
        better("svm_rff", "hypertune_better_than_fabolas", _EXCEPT_ADULT, "hypertune", "fabolas", on=_NOT_ADULT),
        better("svm_rff", "hyperband_better_than_fabolas", _EXCEPT_ADULT, "hyperband", "fabolas", on=_NOT_ADULT),
        better("svm_rff", "fabolas_better_than_hyperband_on_adult", _ON_ADULT, "fabolas", "hyperband", on=(RAW,)),
        better("svm_rff", "hypertune_better_than_hyperband_on_adult", _ON_ADULT, "hypertune", "hyperband",
               on=(RAW,)),
        *printed_errors("svm_rff"),
        at_majority("svm_rff"),
        scaled_adult("svm_rff"),
    ),
    "mlp": (
        *ahead_of("mlp", "HyperTune performs better than EI on the validation dataset", on=_MNIST, needed=_MNIST),
        *ahead_of("mlp", "", "hypertune_reversed", panels=_TRIALS, on=_MNIST, needed=_MNIST),
    ),
    "mlp_refits": (
        better("mlp", "hyperband_better_than_hypertune", _BEST, "hyperband", "hypertune", on=_MNIST),
        better("mlp", "hypertune_equals_hyperband", _EQUAL, "hypertune", "hyperband", on=_MNIST,
               agrees=_EQUALLY_WELL),
        better("mlp", "hypertune_better_than_fabolas", _BOTH, "hypertune", "fabolas", on=_MNIST),
        better("mlp", "hyperband_better_than_fabolas", _BOTH, "hyperband", "fabolas", on=_MNIST),
        *printed_errors("mlp"),
    ),
    "cifar_cnn_refits": (
        better("cifar_cnn", "hypertune_equals_hyperband", _CNN, "hypertune", "hyperband", on=_CIFAR10,
               needed=_CIFAR10, agrees=_EQUALLY_WELL),
        better("cifar_cnn", "hypertune_better_than_fabolas", _CNN, "hypertune", "fabolas", on=_CIFAR10,
               needed=_CIFAR10),
        better("cifar_cnn", "hyperband_better_than_fabolas", _CNN, "hyperband", "fabolas", on=_CIFAR10,
               needed=_CIFAR10),
        *printed_errors("cifar_cnn"),
    ),
}  # fmt: skip
"""By experiment: searches of a learner, what these chose (`{learner}_refits`), and Figure 1's."""


def arrays(experiment: str, runs: pd.DataFrame) -> dict[str, Array]:
    """What the claims on an experiment are about, the seeds last.

    Args:
        experiment: key of `CLAIMS`.
        runs: its rows.

    Returns:
        Of searches, named by `lead_of`, by how many points HyperTune's best validation error lies below that of
        each of `COMPARED`, (n_datasets, n_seeds) in `ORDER`; of refits test errors by method in per cent, the same
        shape; nan where there are none. Of both also `constant`, 1 where no method does better than the majority's
        class. Of `complexity` as of `_complexity`.

    Raises:
        ValueError: on an unknown experiment.
    """
    check_claimed(experiment, CLAIMS)
    if experiment == "complexity":
        return _complexity(runs)
    if experiment in LEARNERS:
        searched = paths(runs)
        leads = {
            lead_of(rival, panel): -100 * _wide(areas(searched, "hypertune", rival, panel), "behind", runs)
            for panel in PANELS
            for rival in COMPARED
        }
        return leads | {"constant": _constant_searches(searched, leads[lead_of(COMPARED[0], "trials")])}
    fits = tested(runs)
    errors = {name: 100 * _wide(fits[fits["method"] == name], "test_error", runs) for name in METHODS}
    return errors | {"constant": _constant_fits(errors)}


def _complexity(runs: pd.DataFrame) -> dict[str, Array]:
    """Of Figure 1's runs, each (n_sizes, n_seeds) unless it says otherwise.

    Returns:
        n_features; by method accuracies, `{method} gap` (between training and test accuracy) and `{method} bound`;
        `{method} best`, as of `best_features`, (n_seeds,), and `subset lost`, as of `lost_by_the_most_features`,
        (n_seeds,).
    """
    gaps = runs.assign(gap=(runs["train_accuracy"] - runs["accuracy"]).abs())
    found: dict[str, Array] = {}
    for method, part in gaps.groupby("method"):
        wide = {
            name: part.pivot_table(name, index="n_features", columns="seed")
            for name in ("accuracy", "gap", "bound")
        }
        found[str(method)] = wide["accuracy"].to_numpy(float)
        found |= {f"{method} {name}": wide[name].to_numpy(float) for name in ("gap", "bound")}
        sizes = wide["accuracy"].index.to_numpy(float)
        found["n_features"] = np.repeat(sizes[:, None], found[str(method)].shape[1], axis=1)
    found |= {f"{name} best": of.to_numpy(float) for name, of in best_features(runs).items()}
    return found | {"subset lost": lost_by_the_most_features(found["subset"])}


def _constant_searches(searched: pd.DataFrame, like: Array) -> Array:
    """1 where most trials on all rows have one and the same error, the majority's, and every search ends near it.

    Args:
        searched: as of `searched.paths`.
        like: an array of the shape wanted, (n_datasets, n_seeds).
    """
    found = np.zeros_like(like)
    for dataset, part in searched[searched["is_whole"] & searched["error"].notna()].groupby("dataset"):
        shares = part["error"].round(9).value_counts(normalize=True)
        is_most = shares.iloc[0] > 0.5
        ends = part.groupby(["method", "seed"])["error"].min()
        is_near = bool(((ends - float(shares.index[0])).abs() <= MARGIN / 100).all())
        found[ORDER.index(str(dataset))] = float(is_most and is_near)
    return found


def _constant_fits(errors: dict[str, Array]) -> Array:
    """1 where no choice errs by more than `MARGIN` less than the majority's class, (n_datasets, n_seeds)."""
    methods = [error for name, error in errors.items() if name != MAJORITY]
    below = [np.nan_to_num(errors[MAJORITY] - error, nan=0.0).max(axis=1) for error in methods]
    is_run = ~np.isnan(errors[MAJORITY]).all(axis=1)
    constant = is_run & (np.max(below, axis=0) <= MARGIN)
    return np.repeat(constant[:, None].astype(float), errors[MAJORITY].shape[1], axis=1)


def real(runs: pd.DataFrame) -> pd.DataFrame:
    """Runs without those on stand-ins, unless there are no others."""
    found = runs[~runs["data"].map(is_stand_in).astype(bool)]
    return found if len(found) else runs


def _wide(table: pd.DataFrame, value: str, runs: pd.DataFrame) -> Array:
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
    """Claims on searches and refits without a verdict, by their ids: `NOT_RUN`.

    So are those for which a method or a data set that they need was not run, or with fewer repetitions, rows or
    epochs than the floor; and those of which a search ended before HyperTune's time did, so that methods were not
    compared on equal budgets, or, of a claim on searches, before HyperTune was on all rows.

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
    for one in (claim for claim in CLAIMS[experiment] if isinstance(claim, About)):
        own = found[found["method"].isin(one.methods) & found["dataset"].isin(one.datasets)]
        run = set(zip(own["dataset"], own["method"], strict=True))
        asked = {(name, method) for name in {*one.needed, *own["dataset"]} for method in one.methods}
        ended = bool(short) and own["is_short"].any()
        lacks = bool(one.gap) and np.isnan(made[one.gap][rows(tuple(own["dataset"].unique()))]).any()
        is_run = asked <= run and own["is_enough"].all() and (own["n_rows"] >= one.least_rows).all()
        if not is_run or ended or lacks:
            said[one.id] = NOT_RUN
    return said


def out_of_reach(experiment: str, runs: pd.DataFrame) -> dict[str, str]:
    """Claims on data of which there are stand-ins alone, by their ids: `NOT_TESTABLE`.

    Args:
        experiment: key of `CLAIMS`, or another.
        runs: its rows, those on stand-ins among them.
    """
    found = {}
    for one in (claim for claim in CLAIMS.get(experiment, ()) if isinstance(claim, About)):
        own = runs[runs["dataset"].isin(one.datasets)]
        if len(own) and own["data"].map(is_stand_in).all():
            found[one.id] = NOT_TESTABLE
    return found
