"""Strategies without the extras that they need: one sentence that names the command, never a bare import error."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import sys
from importlib.abc import MetaPathFinder

import numpy as np

from frugal import folds, minimize, trials
from frugal.extras import EXTRAS, MissingExtraError
from frugal.spaces import SearchSpace, Uniform


class Absent(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in EXTRAS:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Absent())
SETTINGS = {
    **dict.fromkeys(("fabolas", "fabolas_joint", "mtbo"), {"n_max": 100}),
    "hyperband": {"max_resource": 9},
    "hypertune": {"subset_rows": 9, "n_subsets": 1, "n_subset_trials": 2},
}


def bowl(candidate, n_rows=None):
    return candidate["x"] ** 2 + 0.1


def built(strategy):
    space = SearchSpace({"x": Uniform(-1.0, 1.0)}, signs={"x": 1})
    settings = SETTINGS.get(strategy, {})
    return minimize(bowl, space, strategy=strategy, settings=settings, n_trials=5, random_state=0)


for family, make in (
    (folds, lambda name: folds.make(name, n_candidates=3, n_folds=2, rng=np.random.default_rng(0))),
    (trials, built),
):
    for name in family.known():
        try:
            make(name)
        except MissingExtraError as error:
            assert "pip install '.[" in str(error), (name, error)
            print(name)
"""


def test_every_strategy_works_without_extras_or_names_the_one_that_it_needs():
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CODE], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert {"wilcoxon", "smac", "tpe", "dngo", "fabolas"} <= set(done.stdout.split())
    assert not {"greedy", "exact_pruning", "ei", "hyperband"} & set(done.stdout.split())
