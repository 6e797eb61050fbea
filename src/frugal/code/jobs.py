"""The code that each command of `frugal` runs, given its arguments, and the names that select parts of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Final

from frugal.code.reach import Code, Job, Switches
from frugal.code.tree import Tree
from frugal.datasets.catalogue import parse_name
from frugal.learners.networks.plans import NETWORKS
from frugal.learners.registry import GROUP, HOMES
from frugal.registry import USERS, added, class_name

SWITCHES: Final = Switches(
    keyed={
        "frugal.datasets.catalogue:_ENTRIES": "dataset",
        "frugal.folds.fast:_SCORERS": "learner",
        "frugal.learners.classifiers:SPACES": "learner",
        "frugal.learners.networks.plans:DEFAULTS": "learner",
        "frugal.learners.networks.plans:N_EPOCHS": "learner",
        "frugal.learners.networks.plans:SPACES": "learner",
        "frugal.learners.networks.plans:_PLANNERS": "learner",
        "frugal.benchmarks.functions:FUNCTIONS": "dataset",
    },
    only={
        "frugal.datasets.store:load": ("problem", "learner"),
        "frugal.folds.fast:score_fold": ("scoring", "batch"),
        "frugal.learners.networks:make": ("trains", "network"),
        "frugal.benchmarks.curves:CurvesProblem": ("problem", "curves"),
        "frugal.benchmarks.extrapolations:Extrapolations": ("termination", "yes"),
        "frugal.benchmarks.lookup:LookUpProblem": ("problem", "lookup"),
        "frugal.trials.problems:LearnerProblem": ("problem", "learner"),
        "frugal.benchmarks.svm_table:measure_svm": ("learner", "svm"),
        "frugal.trials.termination:terminating": ("termination", "yes"),
    },
    without=("frugal.code", "studies.code"),
    families={
        "frugal.folds.strategies:_REGISTRY": "frugal.folds.strategies",
        "frugal.trials.strategies:_REGISTRY": "frugal.trials.strategies",
    },
    homes={
        "frugal.learners.registry:record": {f"{module}:LEARNERS": names for module, names in HOMES.items()},
    },
)
"""Which entries of our tables, and which definitions, matter only to jobs that ask for them by name.

Names are of these kinds: `dataset`; `learner`, one of `frugal.learners`; `trains`, what it is, `network` or `fit`;
`problem` of the trials family, `learner`, `lookup`, `curves` or `function`; `termination`, `yes` or `no`;
`scoring` of folds, `batch` or `timed`; `strategy`; `method` of a study. Whatever is not listed here counts
wherever it is used.
"""
GROUPS: Final = (*USERS, GROUP)
"""Groups of entry points, by which other packages add strategies and learners."""
PROBLEMS: Final = ("function", "lookup", "curves")
"""Problems of trials that are not learners."""
Names = tuple[tuple[str, str], ...]


@cache
def tree_of(*packages: str) -> Tree:
    """`frugal`, these packages, and those that add a strategy or a learner.

    Args:
        *packages: their names.

    Raises:
        ValueError: if one is not installed.
    """
    adding = {_package(point.value) for group in GROUPS for point in added(group).values()}
    return Tree.installed({"frugal", *packages} | adding)


@cache
def code_of(*packages: str) -> Code:
    """The code of `frugal`, these packages, and those that add a strategy or a learner; raises as `tree_of`."""
    return Code(tree_of(*packages), SWITCHES)


def hash_of(job: Job) -> str:
    """The hash of the code of a job of `frugal`, whose roots may lie in other packages.

    Raises:
        ValueError: if a root is not there.
    """
    packages = {_package(root) for root in job.roots}
    return code_of(*sorted(packages - {"frugal"})).hash_of(job)


def _package(name: str) -> str:
    """The top-level package of `package.module:name`."""
    return name.partition(":")[0].partition(".")[0]


def strategy(family: str, name: str) -> tuple[tuple[str], Names]:
    """Root and name of a strategy: its class, in the package of its family or where an entry point says.

    Args:
        family: `folds` or `trials`.
        name: name of the strategy.
    """
    package = f"frugal.{family}.strategies"
    other = added(package).get(name)
    return (other.value if other else f"{package}.{name}:{class_name(name)}",), (("strategy", name),)


def learner(name: str) -> tuple[tuple[str, ...], Names]:
    """Roots and names of a learner: the records of its home module, or what an entry point names."""
    homes = tuple(f"{module}:LEARNERS" for module, names in HOMES.items() if name in names)
    roots = homes or tuple(point.value for other, point in added(GROUP).items() if other == name)
    return roots, (("learner", name), ("trains", "network" if name in NETWORKS else "fit"))


def datasets(names: Iterable[str]) -> Names:
    """The datasets that these names stand for; a name that the catalogue lacks stands for itself."""
    found = []
    for name in names:
        try:
            found.append(("dataset", parse_name(name)[0]))
        except ValueError:
            found.append(("dataset", name))
    return tuple(dict.fromkeys(found))


def data(name: str) -> Job:
    """`frugal data`."""
    return Job(("frugal.cli:_data",), datasets([name]))


def trials(
    method: str,
    problem: str,
    dataset: str,
    settings: Mapping[str, Any],
    *,
    looked_up: str = "",
    others: Mapping[str, str] = MappingProxyType({}),
) -> Job:
    """`frugal trials`.

    Args:
        method: as the command takes it.
        problem: the learner, `function`, `lookup` or `curves`.
        dataset: name of the dataset, the function, the look-up table or the set of curves.
        settings: those of the command, by name.
        looked_up: the learner whose table or curves are looked up.
        others: name -> class, as `package.module:Class`, of strategies outside the family.
    """
    method_settings = settings.get("strategies", {}).get(method, {})
    strategy_name = method_settings.get("strategy", method)
    root, of_strategy = strategy("trials", strategy_name)
    if strategy_name in others:
        root = (others[strategy_name],)
    roots, of_learner = learner(looked_up or problem)
    names: Names = (
        *of_strategy,
        *of_learner,
        *datasets([dataset]),
        ("problem", problem if problem in PROBLEMS else "learner"),
        ("termination", "yes" if "termination" in method_settings else "no"),
    )
    return Job(("frugal.cli:search_trials", *root, *roots), names)
