"""For each command of the studies, the code that it runs with its arguments, as a `Job`; and hashes of this code.

`frugal.code` says how a hash is made. The workflow gives it to every job as a parameter, so that a change of an
algorithm makes its own results again, and no others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final

from frugal.code import Code, Job, jobs
from frugal.code.jobs import SWITCHES, datasets, learner, strategy
from studies import registry

LOOKED_UP: Final = ("studies.registry", "studies.config")
"""Modules that are left out of hashes, since they lead to all records or all settings; jobs name their own."""
OTHERS: Final = {"doc002_as_coded": "studies.exploration.as_coded:Doc002AsCoded"}
"""Strategies that `python -m studies job trials` knows beside the family's."""


@cache
def code() -> Code:
    """The code of `frugal` and of the studies; of every `METHODS` of a study a job reads its own method."""
    tree = jobs.tree_of("studies")
    tables = [f"{name}:METHODS" for name in tree.sources if name.startswith("studies.")]
    methods = [table for table in tables if tree.find(table.partition(":")[0], ("METHODS",))]
    keyed = {**SWITCHES.keyed, **dict.fromkeys(methods, "method")}
    return Code(tree, SWITCHES._replace(keyed=keyed, without=(*SWITCHES.without, *LOOKED_UP)))


def hash_of(job: Job) -> str:
    """The hash of the code of a job, of `frugal.code.jobs` or of this module.

    Raises:
        ValueError: if a root is not there.
    """
    return code().hash_of(job)


def scores(dataset: str, classifier: str, *, timed: bool) -> Job:
    """`python -m studies job scores`."""
    roots, names = learner(classifier)
    scoring = ("scoring", "timed" if timed else "batch")
    return Job(("studies.jobs:_scores", *roots), (*datasets([dataset]), *names, scoring))


def rungs(dataset: str, classifier: str, *, timed: bool) -> Job:
    """`python -m studies job rungs`, which scores what successive halving asks for."""
    scored, (root, name) = scores(dataset, classifier, timed=timed), strategy("folds", "successive_halving")
    return Job(("studies.jobs:_rungs", *root, *scored.roots[1:]), (*scored.names, *name))


def default(network: str, dataset: str) -> Job:
    """`python -m studies job default`."""
    return Job(("studies.jobs:_default",), (*datasets([dataset]), *learner(network)[1]))


def search(method: str) -> Job:
    """`python -m studies job search`; what is searched is in the files that it reads."""
    root, name = strategy("folds", method)
    return Job(("studies.jobs:_search", *root), name)


def collect() -> Job:
    """`python -m studies job collect`."""
    return Job(("studies.jobs:_collect",))


def gather() -> Job:
    """`python -m studies job gather`."""
    return Job(("studies.jobs:_gather",))


def trials(method: str, problem: str, dataset: str, settings: Mapping[str, Any], looked_up: str = "") -> Job:
    """`python -m studies job trials`, which is `frugal trials` with `OTHERS`."""
    return jobs.trials(method, problem, dataset, settings, looked_up=looked_up, others=OTHERS)


def curves(network: str, dataset: str) -> Job:
    """`python -m studies job curves`."""
    return Job(("studies.jobs:_curves",), (*datasets([dataset]), *learner(network)[1], ("problem", "learner")))


def extrapolate(network: str) -> Job:
    """`python -m studies job extrapolate`, of a network's curves."""
    return Job(("studies.jobs:_extrapolate",), (*learner(network)[1], ("problem", "curves")))


def lookup(step: str, learner_name: str, dataset: str) -> Job:
    """`python -m studies job lookup measure`, `gather` or `recheck`, of a learner's table."""
    roots, names = learner(learner_name)
    return Job((f"studies.jobs:_lookup_{step}", *roots), (*datasets([dataset]), *names))


def environment() -> Job:
    """`python interpreters.py`."""
    return Job(("studies.interpreters:main",))


def rows(experiment: str, settings: Mapping[str, Any], methods: Iterable[str]) -> Job:
    """`python -m studies job rows`."""
    study = registry.experiment(experiment)
    assert study.run is not None
    roots, learner_names = learner(study.learner) if study.learner else ((), ())
    names = (*learner_names, *datasets(study.datasets_in(settings)), *(("method", method) for method in methods))
    return Job(("studies.jobs:_rows", registry.place_of(study.run), *roots), names)


def refits(paper: str, learners: Iterable[str], dataset_names: Iterable[str]) -> Job:
    """`python -m studies job refits`; `learners` may hold `lookup` or `curves` as well."""
    searched = sorted(set(learners))
    jobs_of_learners = [learner(name) for name in searched]
    roots = [root for learner_roots, _ in jobs_of_learners for root in learner_roots]
    learner_names = [name for _, names in jobs_of_learners for name in names]
    problems = [("problem", name if name in jobs.PROBLEMS else "learner") for name in searched]
    names = dict.fromkeys((*learner_names, *problems, *datasets(sorted(set(dataset_names)))))
    return Job(("studies.jobs:_refits", registry.place_of(registry.refit(paper)), *roots), tuple(names))


def derived(paper: str, name: str) -> Job:
    """`python -m studies job derive`."""
    return Job(("studies.jobs:_derive", registry.place_of(registry.derived(paper)[name])))


def explore(methods: Iterable[str]) -> Job:
    """`python -m studies job explore`, which replays these strategies of the folds family."""
    return _of_strategies("studies.jobs:_explore", methods)


def compare(method: str) -> Job:
    """`python -m studies job compare`, which replays a strategy of the folds family."""
    return _of_strategies("studies.jobs:_compare", [method])


def _of_strategies(root: str, methods: Iterable[str]) -> Job:
    found = [strategy("folds", method) for method in methods]
    roots = [strategy_root for strategy_roots, _ in found for strategy_root in strategy_roots]
    return Job((root, *roots), tuple(name for _, names in found for name in names))


def summary() -> Job:
    """`python -m studies summary`."""
    return Job(("studies.cli:_summary",))


def shown(kind: str, paper: str, name: str = "") -> Job:
    """`python -m studies job table`, `figure` or `claims`."""
    whole = registry.paper(paper)
    if kind == "claims":
        return Job(("studies.jobs:_claims", *registry.judged_by(whole)))
    record = registry.artefact(paper, kind, name)
    render = (record.render or whole.render) if kind == "table" else None
    rendered = [registry.place_of(render)] if render else []
    return Job((f"studies.jobs:_{kind}", registry.home_of(record), *rendered), draws=True)
