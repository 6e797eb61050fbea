"""Experiments that compare searches of hyperparameters: their methods, and the problems that these search on.

Light to import, since the workflow reads it at every start.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from frugal.checks import check_known
from studies.methods import methods
from studies.records import Method


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
    Search(
        "functions_long",
        "exploration",
        methods("random_long", "ei_long", "dngo_long"),
        (("function", "hartmann6"),),
    ),
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
