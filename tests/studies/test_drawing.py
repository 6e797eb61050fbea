"""Tables, figures of results, cells and claims only sum, sort and resample; `solvers` says where the edge is."""

import ast
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import scipy.linalg
from scipy import optimize, stats
from solvers import forbid, is_solver

from frugal.trials.surrogates import sign_gp
from studies import artefacts, config, registry
from studies.beta_pruning import model
from studies.code import code, collect, derived, rows, shown

ROOT = Path(__file__).parents[2]
CONFIG = config.load(ROOT / "config/config.yaml", ROOT / "config/paper.yaml")
LOOKED_UP = {"frugal.learners.classifiers:_of_scikit_learn", "frugal.learners.logistic:_make_liblinear"}
"""What builds a learner: the space of the same learner is looked up, which leads to it, and it is not called."""


def drawn():
    """Every job that makes something of runs, by its command."""
    found = {"collect": collect()}
    for name in registry.PAPERS:
        paper = artefacts.shown(name, CONFIG)
        for kind, listed in (("table", paper.tables), ("figure", paper.figures)):
            found |= {f"{kind} {paper.folder} {item}": shown(kind, paper.folder, item) for item in listed}
        if paper.claims:
            found[f"claims {paper.folder}"] = shown("claims", paper.folder)
    return found


DRAWN = drawn()


@cache
def used(definition):
    """Dotted names that a definition uses, of what a library has, or after a `?` an object's own."""
    module, _, names = definition.partition(":")
    path = ROOT / "src" / Path(*module.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    tree = ast.parse(path.read_text())
    found = set()
    for statement in tree.body:
        if set(bound(statement)) & set(names.split(",")):
            imports = imported(tree.body) | imported(ast.walk(statement))
            found |= {dotted(node, imports) for node in ast.walk(statement) if isinstance(node, ast.expr)}
    return found


def bound(statement):
    """Names that a statement of a module binds."""
    if hasattr(statement, "name"):
        return [statement.name]
    targets = getattr(statement, "targets", [getattr(statement, "target", None)])
    return [node.id for target in targets if target for node in ast.walk(target) if isinstance(node, ast.Name)]


def imported(statements):
    """Name -> what an import binds it to."""
    found = {}
    for statement in statements:
        if isinstance(statement, ast.Import):
            whole = [one.name if one.asname else one.name.split(".")[0] for one in statement.names]
            found |= {one.asname or name: name for one, name in zip(statement.names, whole, strict=True)}
        elif isinstance(statement, ast.ImportFrom):
            found |= {one.asname or one.name: f"{statement.module}.{one.name}" for one in statement.names}
    return found


def dotted(node, imports):
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    first = imports.get(node.id, "?") if isinstance(node, ast.Name) else "?"
    return ".".join([first, *parts[::-1]])


def solvers_of(job):
    """Definitions that a job may run, and what they use of optimisers, factorisations and models."""
    ours = [name for name in code().reached(job) if name.startswith(("frugal.", "studies."))]
    found = {name: sorted(filter(is_solver, used(name))) for name in ours if name not in LOOKED_UP}
    return {name: uses for name, uses in found.items() if uses}


@pytest.mark.parametrize("name", DRAWN)
def test_nothing_that_is_drawn_can_reach_an_optimiser_a_factorisation_or_a_model(name):
    assert solvers_of(DRAWN[name]) == {}


@pytest.mark.parametrize(
    ("job", "definition", "solver"),
    [
        (derived("exploration", "task1_scores"), "frugal.trials.surrogates.blr:BLR", "numpy.linalg.svd"),
        (
            derived("exploration", "task1_optima"),
            "frugal.trials.surrogates.blr_hyperparameters:maximise",
            "scipy.optimize.minimize",
        ),
        (derived("beta_pruning", "model"), "studies.beta_pruning.model:fit_maximum_likelihood", None),
        (rows("subsampling", {}, ["osmac_mvc"]), "frugal.rows.sampling:_inverse", "scipy.linalg.cho_factor"),
        (rows("complexity", {"dataset": "letter"}, ["hypertune"]), "studies.hypertune.complexity:run", None),
    ],
)
def test_what_runs_are_made_by_is_found_so(job, definition, solver):
    found = solvers_of(job)[definition]
    assert solver in found if solver else any(name.endswith(".fit") for name in found)


def test_a_forbidden_solver_raises_under_every_name(monkeypatch):
    before = optimize.minimize
    with monkeypatch.context() as patched:
        forbid(patched)
        for call in (
            lambda: np.linalg.solve(np.eye(2), np.ones(2)),
            lambda: scipy.linalg.cho_factor(np.eye(2)),
            lambda: optimize.minimize(abs, 1.0),
            lambda: model.fit_maximum_likelihood((0.4, 0.5)),
            lambda: sign_gp.SignGP("se", lengthscale=1.0, noise_variance=1.0).fit([[0.5]], [1.0], [], [], []),
        ):
            with pytest.raises(AssertionError, match="was called to draw something"):
                call()
        assert stats.t.ppf(0.975, 4) == pytest.approx(2.776, abs=1e-3)  # a number of a table
    assert optimize.minimize is before
