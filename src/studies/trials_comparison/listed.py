"""What is compared: problems and methods, in the order in which they are shown."""

from __future__ import annotations

from typing import Final, NamedTuple

from studies.experiments import SEARCHES


class Problem(NamedTuple):
    """What searches are made on.

    Attributes:
        title: in tables and figures.
        group: `rows`, where a trial may be on fewer rows, or `epochs`, where it may be cut short.
        unit: of the cost of its evaluations.
    """

    title: str
    group: str
    unit: str


PROBLEMS: Final = {
    ("lookup", "svm_mnist"): Problem("SVM on MNIST, table", "rows", "kernel values"),
    ("curves", "cnn_sizes_cifar10"): Problem("CNN on CIFAR-10, table", "rows", "rows times epochs"),
    ("elastic_net", "digits"): Problem("Elastic net on digits, live", "rows", "rows"),
    ("svm", "digits"): Problem("SVM on digits, live", "rows", "rows"),
    ("curves", "cifar_cnn_cifar10"): Problem("CNN on CIFAR-10, curves", "epochs", "rows times epochs"),
    ("curves", "mlp_mnist"): Problem("MLP on MNIST, curves", "epochs", "rows times epochs"),
}
"""By learner and dataset, as of `trials.searches.problem`."""
GROUPS: Final = {
    "all": "all problems",
    "rows": "problems with sizes of rows",
    "epochs": "problems with epochs",
}
METHODS: Final = (
    *("random", "tpe", "smac", "ei", "ei_explore", "dngo", "entropy_search"),
    *("mtbo_4", "mtbo_16", "mtbo_64", "fabolas", "hypertune", "hyperband"),
    *(f"{name}_terminated" for name in ("random", "tpe", "smac", "ei", "ei_explore", "dngo")),
)

CELL: Final = ["learner", "dataset", "method", "seed"]
CURRENCIES: Final = ("seconds", "cost", "trials")
COLUMNS: Final = (*CELL, "data", *CURRENCIES, "overhead", "test_error", "least")
"""Of a row per trial. seconds: of evaluations, the optimiser and its checks, all until after the trial; cost: the
proxy of the learner; trials: their number; overhead: the optimiser's and the checks' seconds; test_error: of the
incumbent, nan where there is none."""


def searched_on(learner: str, dataset: str) -> tuple[str, ...]:
    """The methods that a problem allows, in the order of `METHODS`."""
    known = {name for of in SEARCHES.values() if (learner, dataset) in of.problems for name in of.methods}
    return tuple(name for name in METHODS if name in known)
