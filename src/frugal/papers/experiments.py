"""Experiments by name: what is compared in them, and which package makes their rows.

Light to import, since the workflow reads it at every start.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from frugal.checks import check_known

if TYPE_CHECKING:
    import pandas as pd


class Search(NamedTuple):
    """An experiment that compares searches of hyperparameters, one job for each method, problem and seed.

    Attributes:
        paper: whose results it is among.
        methods: what is compared.
        problems: learner and dataset, as of `trials.searches.problem`.
        beside: the experiment whose problems these are, if it has them from another; its first candidates, seeds
            and termination hold here, too, and its searches are compared with these.
    """

    paper: str
    methods: tuple[str, ...]
    problems: tuple[tuple[str, str], ...]
    beside: str = ""


OPTIMISERS = ("random", "tpe", "smac")
"""What termination is wrapped around, those of Domhan et al. (2015); method `{name}_terminated` has it."""
STRATEGIES = ("random", "tpe", "smac", "ei", "ei_explore", "dngo")
TUNERS = ("random", "ei", "fabolas", "hypertune", "hypertune_reversed", "hypertune_unsigned")
"""What document 004 is about, compares itself with, and two negative controls."""
ON_EPOCHS = (*TUNERS, "hyperband", "hyperband_rows")
TUNED_IN = {
    "table1": ("elastic_net",),
    "table2": ("svm",),
    "table3": ("svm_rff",),
    "table4": ("mlp", "cifar_cnn"),
    "figure2": ("elastic_net",),
    "figure3": ("svm",),
    "figure4": ("svm_rff",),
    "figure5": ("mlp", "cifar_cnn"),
}
"""Document 004's tables and figures, and the learners that they show; its Figure 5 has no CNN."""
SPACE = "hypertune"
"""Of document 004's learners."""
ROWS = ("n_train", "n_valid", "n_test")
"""Of document 004's problems."""
TUNED_ON = ("letter", "mnist", "adult_codes", "adult", "vehicle")
"""Document 004's data sets: adult with its categories as whole numbers, as it is, and one-hot and scaled."""
MODEL_BASED = ("ei", "ei_explore", "dngo")
ON_ROWS = ("tpe", "smac", "ei_explore", "dngo", "hyperband", "hypertune")
"""What document 003 leaves out on its problems with several numbers of rows."""
SEARCHES: dict[str, Search] = {
    "task2": Search("exploration", (*STRATEGIES, "doc002_as_coded"), (("logistic_regression", "mnist"),)),
    "functions": Search("exploration", STRATEGIES, (("function", "branin"), ("function", "hartmann6"))),
    "logistic": Search("exploration", STRATEGIES, (("sgd_logistic_regression", "mnist"),)),
    "svm_search": Search(
        "big_data",
        ("random", "ei", "entropy_search", "mtbo_4", "mtbo_16", "mtbo_64", "fabolas"),
        (("lookup", "svm_mnist"),),
    ),
    "cnn_search": Search(
        "big_data",
        ("random", "ei", "entropy_search", "mtbo_4", "mtbo_16", "fabolas"),
        (("curves", "cnn_sizes_cifar10"),),
    ),
    "curve_search": Search(
        "big_data",
        (*OPTIMISERS, *(f"{name}_terminated" for name in OPTIMISERS)),
        (("curves", "cifar_cnn_cifar10"), ("curves", "mlp_mnist")),
    ),
    "elastic_net": Search(
        "hypertune",
        (*TUNERS, "hypertune_neutral", "hypertune_literal"),
        tuple(("elastic_net", name) for name in TUNED_ON),
    ),
    "svm": Search("hypertune", TUNERS, tuple(("svm", name) for name in TUNED_ON)),
    "svm_rff": Search("hypertune", ON_EPOCHS, tuple(("svm_rff", name) for name in TUNED_ON)),
    "mlp": Search("hypertune", (*ON_EPOCHS, "hypertune_neutral"), (("mlp", "mnist"),)),
    "cifar_cnn": Search("hypertune", ON_EPOCHS, (("cifar_cnn", "cifar10"),)),
    "compared_svm": Search("trials_comparison", ON_ROWS, (("lookup", "svm_mnist"),), "svm_search"),
    "compared_cnn": Search("trials_comparison", ON_ROWS, (("curves", "cnn_sizes_cifar10"),), "cnn_search"),
    "compared_curves": Search(
        "trials_comparison",
        (*MODEL_BASED, *(f"{name}_terminated" for name in MODEL_BASED), "hyperband"),
        (("curves", "cifar_cnn_cifar10"), ("curves", "mlp_mnist")),
        "curve_search",
    ),
    "compared_live": Search(
        "trials_comparison",
        ("random", "ei", "entropy_search", "mtbo_4", "fabolas", *ON_ROWS),
        (("elastic_net", "digits"), ("svm", "digits")),
    ),
}
"""By name; a method on a problem is of one of them."""


def block_of(search: str, config: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration of an experiment of `SEARCHES`, with what it has from the one that it stands beside.

    Args:
        search: its name.
        config: all keys.
    """
    of = SEARCHES[search]
    block = dict(config[of.paper][search])
    if not of.beside:
        return block
    shared = config[SEARCHES[of.beside].paper][of.beside]
    return {key: value for key, value in shared.items() if key not in ("n_trials", "strategies")} | block


EXTRAPOLATED = "curve_fits"
"""Runs of document 003 that are no search and no experiment of their own: extrapolations of all stored curves."""


class Experiment(NamedTuple):
    """What a job of an experiment may be asked for.

    Attributes:
        package: under `frugal.papers`; its module `runs` has it.
        methods: what is compared, a job each.
        is_timed: whether it measures seconds, so that nothing else may run.
    """

    package: str
    methods: tuple[str, ...]
    is_timed: bool


EXPERIMENTS: dict[str, Experiment] = {
    "intervals": Experiment("big_data.bootstrap", ("truth", "blb", "b_of_n", "bootstrap"), True),
    "interval_workers": Experiment("big_data.bootstrap", ("blb", "bootstrap"), True),
    "sample_sizes": Experiment(
        "big_data.sample_size",
        (
            "fixed_5",
            "batch",
            "dynamic_10",
            "dynamic_25",
            "dynamic_50",
            "dynamic_75",
            "sgd_50",
            "dynamic_75_unguarded",
        ),
        True,
    ),
    "variance_check": Experiment("big_data.sample_size", ("dynamic_50",), False),
    "subsampling": Experiment(
        "big_data.case_control",
        ("full", "uniform", "cc", "cc_unweighted", "lcc", "lcc_total", "osmac_mvc", "osmac_mmse"),
        True,
    ),
    "bias": Experiment("big_data.case_control", ("full", "cc", "cc_weighted", "lcc", "lcc_fixed"), False),
    "boundaries": Experiment("big_data.kmeans_svm", ("full", "km_svm", "wkm_svm", "svm_km"), False),
    "compression": Experiment("big_data.kmeans_svm", ("km_svm", "wkm_svm", "svm_km"), True),
    "combinations": Experiment(
        "big_data.beyond",
        (
            "full",
            "bootstrap",
            "blb",
            "osmac_mvc",
            "blb_osmac",
            "dynamic",
            "blb_dynamic",
            "full_svm",
            "wkm_svm",
            "blb_svm",
            "blb_wkm_svm",
        ),
        True,
    ),
    "fractions": Experiment(
        "big_data.beyond",
        (
            "uniform",
            "cc",
            "lcc",
            "osmac_mvc",
            "osmac_mmse",
            "blb",
            "b_of_n",
            "dynamic",
            "full_logistic",
            "km_svm",
            "wkm_svm",
            "svm_km",
            "uniform_svm",
            "full_svm",
        ),
        True,
    ),
    "growing_termination": Experiment(
        "big_data.searched_beyond", ("batch", "batch_terminated", "dynamic", "dynamic_terminated"), True
    ),
    "reduced_search": Experiment(
        "big_data.searched_beyond",
        ("random_svm", "ei_svm", "fabolas_svm", "random_wkm", "ei_wkm", "fabolas_wkm"),
        True,
    ),
    "terminating_fabolas": Experiment(
        "big_data.searched_beyond",
        (
            "random",
            "random_terminated",
            "fabolas",
            "fabolas_spent",
            "fabolas_horizon",
            "fabolas_joint",
            "fabolas_uncorrelated",
        ),
        True,
    ),
    "task1": Experiment(
        "exploration", ("dngo", "dngo_as_coded", "dngo_orientation", "dngo_variance", "dngo_frozen"), False
    ),
    "surrogate_cost": Experiment("exploration", ("gp", "dngo"), True),
    "complexity": Experiment("hypertune", ("subset", "all"), False),
}
"""By name."""


def run(
    experiment: str, method: str, seed: int, settings: Mapping[str, Any], root: str | Path = "data"
) -> pd.DataFrame:
    """What one method of an experiment gives from one seed; columns experiment, method, seed, data and its own.

    Args:
        experiment: one of `EXPERIMENTS`.
        method: one of its methods.
        seed: number of the repetition.
        settings: of the experiment, all methods alike.
        root: folder of the datasets.

    Raises:
        ValueError: on an unknown experiment, method or setting; the message lists the known ones.
    """
    check_known("experiment", experiment, EXPERIMENTS)
    known = EXPERIMENTS[experiment]
    check_known(f"method of {experiment}", method, known.methods)
    module = import_module(f"frugal.papers.{known.package}.runs")
    rows: pd.DataFrame = module.EXPERIMENTS[experiment][0](method, seed, settings, root)
    rows = rows.drop(columns=[name for name in ("method", "seed") if name in rows])
    rows.insert(0, "seed", seed)
    rows.insert(0, "method", method)
    rows.insert(0, "experiment", experiment)
    return rows


def n_trials_of(search: str, block: Mapping[str, Any], dataset: str) -> dict[str, int]:
    """Trials by method of an experiment of `SEARCHES` on a data set; a method that is not run there is left out.

    Args:
        search: its name.
        block: its configuration, in which n_trials is one number for all methods, or by method one (None: not
            run) or one by data set (None or none: not run there), n_initial the first candidates, and
            strategies settings by method, their own n_initial among them.
        dataset: one of its problems'.

    Raises:
        ValueError: on an unknown method or data set, whose message lists the known ones, or more first candidates
            than trials.
    """
    methods, n_trials = SEARCHES[search].methods, block["n_trials"]
    if not isinstance(n_trials, Mapping):
        n_trials = dict.fromkeys(methods, n_trials)
    for method in (*n_trials, *block.get("strategies", {})):
        check_known(f"method of {search}", method, methods)
    found = {}
    for method in methods:
        number = n_trials.get(method)
        if isinstance(number, Mapping):
            for name in number:
                check_known(f"dataset of {search} in n_trials.{method}", name, _datasets_of(search))
            number = number.get(dataset)
        if number is not None:
            found[method] = int(number)
    for method, n in found.items():
        of = [method, method.split("_")[0]] if "datasets" in block else [method]  # a variant has its strategy's
        own = [block.get("strategies", {}).get(name, {}).get("n_initial") for name in of]
        n_initial = next((n for n in own if n is not None), block.get("n_initial", 1))
        if n_initial > n:
            raise ValueError(f"n_initial of {method} must be at most n_trials = {n}, got {n_initial}")
    return found


def sized(method: str, own: Mapping[str, Any], table: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of a strategy on a table or stored curves: those of its block, and the sizes that these hold.

    HyperTune's subsets are an eighth of the most rows, or the next size below; Hyperband's rungs are the sizes.

    Args:
        method: name of the strategy, or of the variant that `own` says it is.
        own: its block; of mtbo, `divisor` says which part of the largest size the small task has.
        table: the block of the table; of strategies other than Hyperband and HyperTune n_valid, too.

    Raises:
        ValueError: if the table lacks the size that a divisor leads to, or has no sizes for Hyperband, each the
            same multiple of the one before.
    """
    settings, sizes = dict(own), sorted(table["sizes"])
    match settings.get("strategy", method):
        case "fabolas":
            settings |= {"sizes": sizes, "n_valid": table["n_valid"]}
        case "mtbo":
            divisor = settings.pop("divisor", 4)
            if sizes[-1] / divisor not in sizes[:-1]:
                raise ValueError(
                    f"divisor of {method} must lead from {sizes[-1]} rows to one of "
                    f"{', '.join(map(str, sizes[:-1]))}, got {divisor}"
                )
            settings |= {"auxiliary": sizes[-1] // divisor, "n_max": sizes[-1], "n_valid": table["n_valid"]}
        case "hyperband":
            factor = sizes[1] // sizes[0]
            if sizes != [sizes[0] * factor**i for i in range(len(sizes))]:
                raise ValueError(
                    f"sizes must each be the same multiple of the one before for {method}, got "
                    f"{', '.join(map(str, sizes))}"
                )
            rungs = {"min_resource": sizes[0], "max_resource": sizes[-1], "reduction_factor": factor}
            settings = {"resource": "rows", **rungs, **settings}
        case "hypertune":
            few = [sizes[0], *(size for size in sizes if size <= sizes[-1] / 8)]
            settings = {"subset_rows": few[-1], **settings}
    return settings


def on_rows(method: str, block: Mapping[str, Any], dataset: str, n_classes: int) -> dict[str, Any]:
    """Settings of a strategy of document 004 on a data set: those of its block, and what follows from its rows.

    Args:
        method: name of the strategy; `{name}_{variant}` has the settings and random numbers of the strategy
            `name`, and its own settings over them.
        block: of the learner; subset_share is what HyperTune's subsets are of the training rows, rows_per_class
            the least that these have and that Fabolas and Hyperband on rows may ask for.
        dataset: its name.
        n_classes: its classes.
    """
    name, rows = method.split("_")[0], rows_of(block, dataset)
    own = {**block["strategies"].get(name, {}), **block["strategies"].get(method, {})}
    if name != method:
        own |= {"strategy": name, "draws": name}
    least = block["rows_per_class"] * n_classes
    match name, own.get("resource"):
        case "hypertune", _:
            return {"subset_rows": max(round(block["subset_share"] * rows["n_train"]), least), **own}
        case "fabolas", _:
            return {"n_min": least, "n_max": rows["n_train"], "n_valid": rows["n_valid"], **own}
        case "hyperband", "rows":
            from frugal.trials.brackets import robo_settings

            return {**robo_settings(rows["n_train"], least), **own}
    return own


def check_datasets(search: str, block: Mapping[str, Any]) -> None:
    """Refuse a block of document 004 whose searches could not be run or compared.

    Args:
        search: its name.
        block: its configuration; one without a choice of datasets passes.

    Raises:
        ValueError: on a data set that its learner is not tuned on, or without a number of rows, or if HyperTune,
            whose time is every method's budget, is not run on it.
    """
    for dataset in block.get("datasets", ()):
        check_known(f"dataset of {search}", dataset, _datasets_of(search))
        rows_of(block, dataset)
        if "hypertune" not in n_trials_of(search, block, dataset):
            raise ValueError(
                f"n_trials.hypertune must be a number, since its time is the budget of all, got none on {dataset}"
            )


def _datasets_of(search: str) -> list[str]:
    return [name for _, name in SEARCHES[search].problems]


def rows_of(block: Mapping[str, Any], dataset: str) -> dict[str, int]:
    """`ROWS` of a data set that a block of document 004 has: each one number for all data sets, or one for each.

    Raises:
        ValueError: if a number is by data set and this one has none.
    """
    found = {}
    for name in ROWS:
        if isinstance(block.get(name), Mapping):
            check_known(f"dataset in {name}", dataset, block[name])
            found[name] = int(block[name][dataset])
        elif name in block:
            found[name] = int(block[name])
    return found


def on_dataset(block: Mapping[str, Any], dataset: str) -> dict[str, Any]:
    """What `trials.searches.problem` is to be told of a data set of document 004: rows, scaler and space.

    Args:
        block: `ROWS`, as of `rows_of`, and scalers, by data set; the others are not scaled.
        dataset: its name.
    """
    scaler = block.get("scalers", {}).get(dataset, "none")
    return {**rows_of(block, dataset), "scaler": scaler, "space": SPACE}


def terminated(method: str, block: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of a strategy on stored curves: those of its block, and termination where its name asks for it.

    Args:
        method: one of `SEARCHES["curve_search"]`; `{name}_terminated` is the strategy `name` with termination, and
            draws what that draws without.
        block: of the experiment; termination holds settings of `Terminating`, curve those of its sampler,
            check_share what its p is of the curves' epochs.
    """
    own, wrapped = block["strategies"].get(method, {}), method.removesuffix("_terminated")
    if wrapped == method:
        return dict(own)
    termination = {**block["termination"], "curve": block["curve"], "check_share": block["check_share"]}
    settings = {**block["strategies"].get(wrapped, {}), **own}
    return {"strategy": wrapped, "draws": wrapped, "termination": termination, **settings}
