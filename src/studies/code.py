"""What each command of the studies runs, by what it is asked for, and hashes of the code of every kind of job.

`frugal.code` says how a hash is made. The workflow gives it to every job as a parameter, so that a change of an
algorithm makes its own results again, and no others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final

from frugal.code import Code, Job, Tree, jobs
from frugal.code.jobs import datasets, learner, strategy
from frugal.code.switches import SWITCHES
from studies import registry
from studies.experiments import EXPERIMENTS

LOOKED_UP: Final = ("studies.registry", "studies.experiments")
"""What leads to all records; jobs name those that they are of."""
OTHERS: Final = {"doc002_as_coded": "studies.exploration.as_coded:Doc002AsCoded"}
"""Strategies that `python -m studies trials` knows beside the family's."""
LEARNERS: Final = {"complexity": "svm_rff"}
"""Experiments that build one learner, by its name."""
PARTS: Final = {"table": ("summaries", "TABLES"), "figure": ("figures", "FIGURES")}
"""Of document 003, whose sections are packages: module and name of a section's tables and figures."""


@cache
def code() -> Code:
    """The code of `frugal` and of the studies."""
    return Code(
        jobs.tree_of("studies"),
        SWITCHES._replace(without=(*SWITCHES.without, *LOOKED_UP)),
    )


def hash_of(job: Job) -> str:
    """The hash of the code of a job, of `frugal.code.jobs` or of this module.

    Raises:
        ValueError: if a root is not there.
    """
    return code().hash_of(job)


def trials(method: str, on: str, dataset: str, settings: Mapping[str, Any], looked_up: str = "") -> Job:
    """`python -m studies trials`, which is `frugal trials` with `OTHERS`."""
    return jobs.trials(method, on, dataset, settings, looked_up=looked_up, others=OTHERS)


def rows(experiment: str, settings: Mapping[str, Any]) -> Job:
    """`python -m studies rows`: the function of an experiment, on the datasets that its settings name."""
    run = EXPERIMENTS[experiment].study.run
    assert run is not None
    named = [*settings.get("datasets", []), *([settings["dataset"]] if "dataset" in settings else [])]
    roots, of_learner = learner(LEARNERS[experiment]) if experiment in LEARNERS else ((), ())
    return Job(("studies.cli:_rows", registry.place_of(run), *roots), (*of_learner, *datasets(named)))


def refits(paper: str, on: Iterable[str], names: Iterable[str]) -> Job:
    """`python -m studies refits`.

    Args:
        paper: whose refits.
        on: the learners whose searches are refitted, or `lookup` or `curves`.
        names: of the datasets.
    """
    listed = sorted(set(on))
    found = [learner(name) for name in listed]
    refit = registry.refit(paper)
    first = registry.place_of(refit) if refit else f"studies.{paper}.runs:refits"
    roots = [first, *(root for of_learner, _ in found for root in of_learner)]
    problems = [("problem", name if name in jobs.PROBLEMS else "learner") for name in listed]
    of_learners = [name for _, of_learner in found for name in of_learner]
    asked = dict.fromkeys((*of_learners, *problems, *datasets(sorted(set(names)))))
    return Job(("studies.cli:_refits", *roots), tuple(asked))


def derived(paper: str, name: str) -> Job:
    """`python -m studies derive`.

    Args:
        paper: whose run it is.
        name: of the run.
    """
    derive = registry.derived(paper).get(name)
    root = registry.place_of(derive) if derive else f"studies.{paper}.runs:DERIVED[{name}]"
    return Job(("studies.cli:_derive", root))


def explore(methods: Iterable[str]) -> Job:
    """`python -m studies explore`, which replays these strategies of the folds family."""
    return _of_strategies("studies.cli:_explore", methods)


def compare(method: str) -> Job:
    """`python -m studies compare`, which replays a strategy of the folds family."""
    return _of_strategies("studies.cli:_compare", [method])


def _of_strategies(root: str, methods: Iterable[str]) -> Job:
    found = [strategy("folds", method) for method in methods]
    return Job(
        (root, *(of for roots, _ in found for of in roots)), tuple(name for _, names in found for name in names)
    )


def shown(kind: str, package: str, name: str = "") -> Job:
    """`python -m studies table`, `figure` or `claims`.

    Args:
        kind: one of these.
        package: of the paper.
        name: of the table or figure.
    """
    record = registry.artefact(package, kind, name)
    if record is not None:
        rendered = [f"studies.{package}.paper:render"] if kind == "table" and record.render is None else []
        return Job((f"studies.cli:_{kind}", registry.home_of(record), *rendered))
    recorded = registry.paper(package)
    tree, home = code().tree, f"studies.{package}"
    of_paper = [module for module in sorted(tree.sources) if module.startswith(f"{home}.")]
    if kind == "claims":
        claimed = [f"{module}:" for module in of_paper if module.endswith(".claims")]
        claimed += registry.judged_by(recorded) if recorded else []
        home = f"{home}.paper" if recorded else home
        return Job(("studies.cli:_claims", f"{home}:claims", *claimed))
    part, table = PARTS[kind]
    rendered = [f"{home}:render"] if kind == "table" and tree.find(home, ("render",)) else []
    home = f"{home}.paper" if recorded and kind == "table" else home
    listed = f"{home}:{table}[{name}]" if kind == "table" else f"{home}.drawn:{table}[{name}]"
    of_sections = [
        f"{module}:{table}[{name}]"
        for module in of_paper
        if module.endswith(f".{part}") and _may_hold(tree, module, table, name)
    ]
    roots = (f"studies.cli:_{kind}", listed, *rendered, *of_sections)
    return Job(roots)


def _may_hold(tree: Tree, module: str, table: str, name: str) -> bool:
    """Whether a table of a module has an entry of this name, or has entries whose names are made as it is."""
    pieces = [piece for place in tree.find(module, (table,)) for piece in tree.unit(place).pieces]
    return any(name in (piece.keys or ()) for piece in pieces) or len(pieces) == 1
