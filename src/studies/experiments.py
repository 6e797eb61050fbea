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


EXTRAPOLATED = "curve_fits"
"""Runs of document 003 that are no search and no experiment of their own: extrapolations of all stored curves."""


class Experiment(NamedTuple):
    """What a job of an experiment may be asked for.

    Attributes:
        package: under `studies`; its module `runs` has it.
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
    module = import_module(f"studies.{known.package}.runs")
    rows: pd.DataFrame = module.EXPERIMENTS[experiment][0](method, seed, settings, root)
    rows = rows.drop(columns=[name for name in ("method", "seed") if name in rows])
    rows.insert(0, "seed", seed)
    rows.insert(0, "method", method)
    rows.insert(0, "experiment", experiment)
    return rows
