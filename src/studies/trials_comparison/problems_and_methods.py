"""What is compared: problems, and the methods that the configuration lists.

Light to import, since the workflow reads it at every start.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final, NamedTuple, get_args

from frugal.checks import check_known
from frugal.registry import names
from studies import registry
from studies.methods import TRIALS
from studies.records import Method, Study
from studies.shared.searches import CELL
from studies.trials_comparison.settings import Experiment


class Problem(NamedTuple):
    """A problem of the comparison.

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
    ("curves", "cnn_sizes_cifar10"): Problem("CNN on CIFAR-10 (JPEG), table", "rows", "rows times epochs"),
    ("elastic_net", "digits"): Problem("Elastic net on digits, live", "rows", "rows"),
    ("svm", "digits"): Problem("SVM on digits, live", "rows", "rows"),
    ("curves", "cifar_cnn_cifar10"): Problem("CNN on CIFAR-10 (JPEG), curves", "epochs", "rows times epochs"),
    ("curves", "mlp_mnist"): Problem("MLP on MNIST, curves", "epochs", "rows times epochs"),
}
"""By learner and dataset, as `benchmarks.problem` names them."""
GROUPS: Final = {"all": "all problems", "rows": "problems with sizes of rows", "epochs": "problems with epochs"}
CURRENCIES: Final = ("seconds", "cost", "trials")
COLUMNS: Final = (*CELL, "data", *CURRENCIES, "overhead", "test_error", "least")
"""Of paths, a row per trial. seconds: of evaluations, the optimiser and its checks, up to the end of the trial;
cost: the learner's proxy; trials: their number; overhead: the seconds of the optimiser and its checks; test_error:
of the incumbent, nan without one; least: the least test error known."""
_CURVES: Final = (("curves", "cifar_cnn_cifar10"), ("curves", "mlp_mnist"))
_LIVE: Final = (("elastic_net", "digits"), ("svm", "digits"))
_study = partial(Study, chooses=True)
STUDIES: Final = (
    _study(name="compared_svm", problems=(("lookup", "svm_mnist"),), resource="sizes", beside="svm_search"),
    _study(
        name="compared_cnn", problems=(("curves", "cnn_sizes_cifar10"),), resource="sizes", beside="cnn_search"
    ),
    _study(name="compared_curves", problems=_CURVES, resource="epochs", beside="curve_search"),
    _study(name="compared_live", problems=_LIVE, resource="sizes"),
)
"""Searches; `searches_of` gives them the methods that the configuration compares."""
EXPERIMENTS: Final[tuple[str, ...]] = get_args(Experiment)
"""Names of these studies, as the configuration has them: what is drawn does not depend on the records."""
_METHOD_KEYS: Final = ("settings", "termination", "variant_of")
"""Keys of a line of the configuration that only a new method may have."""


def compared_of(config: Mapping[str, Any]) -> dict[str, dict[str, Method]]:
    """What a configuration compares, by experiment and name, in the order of its list.

    Args:
        config: all keys; `trials_comparison.compared` is a list of mappings with name, strategy and perhaps
            experiments (those of `EXPERIMENTS` that it is part of; all by default). A name of
            `registry.search_methods` has the record there. Another may have settings, termination and variant_of,
            as of `records.Method`.

    Raises:
        ValueError: on an unknown strategy, a name that stands twice, or a known name with another record, in a
            sentence with the key; or if a method is a variant of an unknown one.
    """
    found: dict[str, dict[str, Method]] = {name: {} for name in EXPERIMENTS}
    known = registry.search_methods()
    seen: set[str] = set()
    for i, line in enumerate(config["trials_comparison"]["compared"]):
        where = f"trials_comparison.compared.{i} ({line['name']})"
        try:
            method = _method_of(line, known)
            if method.name in seen:
                raise ValueError("the name stands twice; every compared method needs one of its own")
            seen.add(method.name)
            for experiment in line.get("experiments", EXPERIMENTS):
                found[experiment][method.name] = method
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None
    for name, methods in found.items():
        for method in methods.values():
            if method.variant_of:
                what = f"method that {method.name} of {name} is a variant of"
                check_known(what, method.variant_of, sorted({*known, *seen}))
    return found


def _method_of(line: Mapping[str, Any], known: Mapping[str, Method]) -> Method:
    """The record that a line of the configuration stands for."""
    name, strategy = line["name"], line["strategy"]
    if name not in known:
        check_known("strategy", strategy, names("frugal.trials.strategies"))
        return Method(name, strategy, **{key: line[key] for key in _METHOD_KEYS if key in line})
    method = known[name]
    if strategy != method.strategy or any(key in line for key in _METHOD_KEYS):
        raise ValueError(
            f"{name} is a known method: its strategy is {method.strategy} and its settings are fixed; give "
            "another method another name"
        )
    return method


def searches_of(config: Mapping[str, Any]) -> dict[str, Study]:
    """`registry.searches`, those of this comparison filled with what the configuration compares.

    A method that the experiment beside it searches on the same problems is left out: its searches are made there.

    Raises:
        ValueError: as `compared_of`.
    """
    found = registry.searches()
    for name, methods in compared_of(config).items():
        beside = found[name].beside
        searched = found[beside].method_names if beside else ()
        compared = tuple(method for method in methods.values() if method.name not in searched)
        found[name] = replace(found[name], methods=compared)
    return found


def shown_on(config: Mapping[str, Any], learner: str, dataset: str) -> tuple[str, ...]:
    """The methods that a configuration compares on a problem, in the order of its list.

    Raises:
        ValueError: if no experiment of the comparison is on this problem, or as `compared_of`.
    """
    for name, methods in compared_of(config).items():
        if (learner, dataset) in registry.study(name).problems:
            return tuple(methods)
    raise ValueError(f"no experiment of trials_comparison is on {learner} and {dataset}")


def methods_in_order(found: Iterable[str]) -> list[str]:
    """Names of methods in the order in which they are shown: the known ones, then the others as they come."""
    present = dict.fromkeys(found)
    return [name for name in TRIALS if name in present] + [name for name in present if name not in TRIALS]
