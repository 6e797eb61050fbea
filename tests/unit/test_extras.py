"""Strategies without the extras that they need: one sentence that names the command, never a bare import error."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs/start.md").read_text()

CODE = """
import sys
from importlib.abc import MetaPathFinder

import numpy as np

from frugal import folds, minimize, trials
from frugal.extras import EXTRAS, MissingExtraError
from frugal.spaces import SearchSpace, Uniform


class Absent(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if EXTRAS.get(name.partition(".")[0]) in ABSENT:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


BUILDS_ONLY, *ABSENT = sys.argv[1:]
sys.meta_path.insert(0, Absent())
N_CALLS = []
SETTINGS = {
    **dict.fromkeys(("fabolas", "fabolas_joint", "mtbo"), {"n_max": 50_000}),
    "hyperband": {"max_resource": 9},
    "hypertune": {"subset_rows": 9, "n_subsets": 1, "n_subset_trials": 2},
}


def bowl(candidate, n_rows=None):
    N_CALLS.append(1)
    return candidate["x"] ** 2 + 0.1


def built(strategy):
    space = SearchSpace({"x": Uniform(-1.0, 1.0)}, signs={"x": 1})
    settings = SETTINGS.get(strategy, {})
    if BUILDS_ONLY == "True":
        return trials.make(strategy, space=space, n_trials=5, rng=np.random.default_rng(0), **settings)
    N_CALLS.clear()
    return minimize(bowl, space, strategy=strategy, settings=settings, n_trials=5, random_state=0)


for family, make in (
    (folds, lambda name: folds.make(name, n_candidates=3, n_folds=2, rng=np.random.default_rng(0))),
    (trials, built),
):
    for name in family.known():
        if name == "smac" and ABSENT == ["mcmc"]:
            continue  # SMAC3 itself needs emcee, and brings it along
        try:
            make(name)
        except MissingExtraError as error:
            assert "pip install '.[" in str(error), (name, error)
            assert not N_CALLS, (name, "only after a trial")
            print(name)
"""


def refused_without(*extras, builds_only=False):
    """Names of the strategies that are refused, before a trial, where the packages of these extras are missing."""
    command = [sys.executable, "-W", "ignore", "-c", CODE, str(builds_only), *extras]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_every_strategy_works_without_extras_or_names_the_one_that_it_needs():
    refused = refused_without("networks", "mcmc", "parquet", "peers", "workflow", "dask")
    assert {"wilcoxon", "smac", "tpe", "dngo", "fabolas"} <= refused
    assert not {"greedy", "exact_pruning", "ei", "hyperband"} & refused


@pytest.mark.slow
@pytest.mark.parametrize("extra", ["networks", "mcmc", "peers"])
def test_the_first_page_says_which_strategies_need_an_extra(extra):
    row = re.search(rf"^\| `{extra}` \| (.*) \|$", PAGE, re.MULTILINE).group(1)
    named = set(re.findall(r"`(\w+)`", row)) - {"mcmc", "ei"}  # ei needs it for one of its settings
    assert refused_without(extra, builds_only=True) == named
