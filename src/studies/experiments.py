"""Experiments by name: what is compared in them, and which package makes their rows.

Light to import, since the workflow reads it at every start.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from frugal.checks import check_known
from studies.beta_pruning.network import EXPLORED, SWEPT
from studies.big_data.bias import BIAS
from studies.big_data.boundaries import BOUNDARIES
from studies.big_data.combinations import COMBINATIONS
from studies.big_data.compression import COMPRESSION
from studies.big_data.fractions import FRACTIONS
from studies.big_data.growing_termination import GROWING_TERMINATION
from studies.big_data.intervals import INTERVAL_WORKERS, INTERVALS
from studies.big_data.reduced_search import REDUCED_SEARCH
from studies.big_data.sample_sizes import SAMPLE_SIZES
from studies.big_data.subsampling import SUBSAMPLING
from studies.big_data.terminating_fabolas import TERMINATING_FABOLAS
from studies.big_data.variance_check import VARIANCE_CHECK
from studies.exploration.surrogate_cost import SURROGATE_COST
from studies.exploration.task1 import TASK1
from studies.greedy_cv.early_stopping import EARLY_STOPPING
from studies.greedy_cv.search_time import SEARCH_TIME
from studies.greedy_cv.sensitivity import SENSITIVITY
from studies.greedy_cv.sizes import SIZES
from studies.greedy_cv.wall_clock import WALL_CLOCK
from studies.hypertune.complexity import COMPLEXITY
from studies.methods import methods
from studies.records import Method, Study

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Search:
    """An experiment that compares searches of hyperparameters, one job for each method, problem and seed.

    Attributes:
        name: of the experiment.
        paper: whose results it is among.
        compared: a record per method; of `trials_comparison` the configuration says which.
        problems: learner and dataset, as of `trials.searches.problem`.
        resource: what its trials may have less of, which strategies are told: `sizes`, listed numbers of rows;
            `rows`, any number of them, on the data sets that its configuration chooses; `epochs`, of stored
            curves, where methods may terminate; or nothing.
        beside: the experiment whose problems these are, if it has them from another; its first candidates, seeds
            and termination hold here, too, and its searches are compared with these.
    """

    name: str
    paper: str
    compared: tuple[Method, ...]
    problems: tuple[tuple[str, str], ...]
    resource: Literal["", "sizes", "rows", "epochs"] = ""
    beside: str = ""

    @property
    def methods(self) -> tuple[str, ...]:
        """Names of what is compared."""
        return tuple(method.name for method in self.compared)

    def method(self, name: str) -> Method:
        """The record of one of its methods.

        Raises:
            ValueError: on an unknown method; the message lists the known ones.
        """
        check_known(f"method of {self.name}", name, self.methods)
        return next(method for method in self.compared if method.name == name)


OPTIMISERS = ("random", "tpe", "smac")
"""What termination is wrapped around, those of Domhan et al. (2015)."""
STRATEGIES = methods("random", "tpe", "smac", "ei", "ei_explore", "dngo")
TUNERS = methods("random", "ei", "fabolas", "hypertune", "hypertune_reversed", "hypertune_unsigned")
"""What document 004 is about, compares itself with, and two negative controls."""
ON_EPOCHS = (*TUNERS, *methods("hyperband", "hyperband_rows"))
TUNED_ON = ("letter", "mnist", "adult_codes", "adult", "vehicle")
"""Document 004's data sets: adult with its categories as whole numbers, as it is, and one-hot and scaled."""
_TABLE, _CNN = ("lookup", "svm_mnist"), ("curves", "cnn_sizes_cifar10")
_CURVES = (("curves", "cifar_cnn_cifar10"), ("curves", "mlp_mnist"))
_SEARCHES = (
    Search(
        "task2", "exploration", (*STRATEGIES, *methods("doc002_as_coded")), (("logistic_regression", "mnist"),)
    ),
    Search("functions", "exploration", STRATEGIES, (("function", "branin"), ("function", "hartmann6"))),
    Search("logistic", "exploration", STRATEGIES, (("sgd_logistic_regression", "mnist"),)),
    Search(
        "svm_search",
        "big_data",
        methods("random", "ei", "entropy_search", "mtbo_4", "mtbo_16", "mtbo_64", "fabolas"),
        (_TABLE,),
        "sizes",
    ),
    Search(
        "cnn_search",
        "big_data",
        methods("random", "ei", "entropy_search", "mtbo_4", "mtbo_16", "fabolas"),
        (_CNN,),
        "sizes",
    ),
    Search(
        "curve_search",
        "big_data",
        methods(*OPTIMISERS, "random_terminated", "tpe_terminated", "smac_terminated"),
        _CURVES,
        "epochs",
    ),
    Search(
        "elastic_net",
        "hypertune",
        (*TUNERS, *methods("hypertune_neutral", "hypertune_literal")),
        tuple(("elastic_net", name) for name in TUNED_ON),
        "rows",
    ),
    Search("svm", "hypertune", TUNERS, tuple(("svm", name) for name in TUNED_ON), "rows"),
    Search("svm_rff", "hypertune", ON_EPOCHS, tuple(("svm_rff", name) for name in TUNED_ON), "rows"),
    Search("mlp", "hypertune", (*ON_EPOCHS, *methods("hypertune_neutral")), (("mlp", "mnist"),), "rows"),
    Search("cifar_cnn", "hypertune", ON_EPOCHS, (("cifar_cnn", "cifar10"),), "rows"),
    Search("compared_svm", "trials_comparison", (), (_TABLE,), "sizes", "svm_search"),
    Search("compared_cnn", "trials_comparison", (), (_CNN,), "sizes", "cnn_search"),
    Search("compared_curves", "trials_comparison", (), _CURVES, "epochs", "curve_search"),
    Search("compared_live", "trials_comparison", (), (("elastic_net", "digits"), ("svm", "digits")), "sizes"),
)
SEARCHES: dict[str, Search] = {search.name: search for search in _SEARCHES}
"""By name; those of `trials_comparison` are filled by `trials_comparison.problems_and_methods.searches_of`."""


REPLAYED: dict[str, dict[str, tuple[str, ...]]] = {
    "greedy_cv": {
        study.name: tuple(method.name for method in study.methods)
        for study in (SEARCH_TIME, EARLY_STOPPING, WALL_CLOCK, SENSITIVITY, SIZES)
    },
    "beta_pruning": {study.name: tuple(method.name for method in study.methods) for study in (EXPLORED, SWEPT)},
}
"""By paper and run the strategies of the folds family that are replayed on kept scores."""
EXTRAPOLATED = "curve_fits"
"""Runs of document 003 that are no search and no experiment of their own: extrapolations of all stored curves."""


@dataclass(frozen=True)
class Experiment:
    """What a job of an experiment may be asked for.

    Attributes:
        package: module under `studies` that declares it.
        methods: names of what is compared, a job each.
        is_timed: whether it measures seconds, so that nothing else may run.
        datasets: the key of its configuration that names the dataset, or the datasets, that it reads; or none.
        replays_curves: whether it replays the stored curves that the key `curves` of its configuration names.
        study: its record.
    """

    package: str
    methods: tuple[str, ...]
    is_timed: bool
    datasets: str
    replays_curves: bool
    study: Study


def _declared(package: str, study: Study) -> Experiment:
    """What a record says."""
    methods = tuple(method.name for method in study.methods)
    return Experiment(package, methods, study.is_timed, study.datasets, study.replays_curves, study)


EXPERIMENTS: dict[str, Experiment] = {
    "intervals": _declared("big_data.intervals", INTERVALS),
    "interval_workers": _declared("big_data.intervals", INTERVAL_WORKERS),
    "sample_sizes": _declared("big_data.sample_sizes", SAMPLE_SIZES),
    "variance_check": _declared("big_data.variance_check", VARIANCE_CHECK),
    "subsampling": _declared("big_data.subsampling", SUBSAMPLING),
    "bias": _declared("big_data.bias", BIAS),
    "boundaries": _declared("big_data.boundaries", BOUNDARIES),
    "compression": _declared("big_data.compression", COMPRESSION),
    "combinations": _declared("big_data.combinations", COMBINATIONS),
    "fractions": _declared("big_data.fractions", FRACTIONS),
    "growing_termination": _declared("big_data.growing_termination", GROWING_TERMINATION),
    "reduced_search": _declared("big_data.reduced_search", REDUCED_SEARCH),
    "terminating_fabolas": _declared("big_data.terminating_fabolas", TERMINATING_FABOLAS),
    "task1": _declared("exploration.task1", TASK1),
    "surrogate_cost": _declared("exploration.surrogate_cost", SURROGATE_COST),
    "complexity": _declared("hypertune.complexity", COMPLEXITY),
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
    if known.study.run is None:
        raise ValueError(f"{experiment} has no runs of its own")
    rows = known.study.run(method, seed, settings, root)
    rows = rows.drop(columns=[name for name in ("method", "seed") if name in rows])
    rows.insert(0, "seed", seed)
    rows.insert(0, "method", method)
    rows.insert(0, "experiment", experiment)
    return rows
