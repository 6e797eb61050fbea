"""Strategies of another package: from one line of the configuration to a curve in a figure."""

from __future__ import annotations

import pandas as pd
import pytest
import yaml
from checkout import copy_to, snakemake

pytestmark = pytest.mark.slow

STRATEGIES = '''
from frugal.interface import FoldTask, TrialTask


class LastFirst:
    """All folds of the last candidate, then of the one before."""

    def __init__(self, *, n_candidates, n_folds, rng, stop_after=None):
        self._tasks = [FoldTask(i, j) for i in reversed(range(n_candidates)) for j in range(n_folds)][:stop_after]
        self._n_candidates, self._n_folds, self._scores = n_candidates, n_folds, {}

    def ask(self):
        return self._tasks.pop(0) if self._tasks else None

    def tell(self, task, score):
        self._scores.setdefault(task.candidate, []).append(score)

    @property
    def incumbent(self):
        whole = {i: sum(of) for i, of in self._scores.items() if len(of) == self._n_folds}
        return max(whole, key=whole.get) if whole else next(iter(self._scores), None)

    @property
    def complete(self):
        return any(len(of) == self._n_folds for of in self._scores.values())


class Corners:
    """The given candidates, then corners of the space."""

    def __init__(self, *, space, n_trials, rng, initial=(), upper=False):
        edge = (0.0, 1.0) if upper else (0.0, 0.5)
        corners = [space.from_unit(rng.choice(edge, size=len(space.dimensions))) for _ in range(n_trials)]
        self._left, self._n, self._best = [*initial, *corners][:n_trials], 0, (float("inf"), None)

    def ask(self):
        if not self._left:
            return None
        self._n += 1
        return TrialTask(self._n - 1, self._left.pop(0))

    def report(self, task, epoch, score):
        return True

    def tell(self, trial):
        self._best = min(self._best, (trial.error, trial.task.candidate), key=lambda pair: pair[0])

    @property
    def incumbent(self):
        return self._best[1]
'''
POINTS = """[frugal.folds.strategies]
last_first = others_rules:LastFirst

[frugal.trials.strategies]
corners = others_rules:Corners
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A folder with an installed package that has a strategy of each family."""
    folder = tmp_path_factory.mktemp("packages")
    (folder / "others_rules.py").write_text(STRATEGIES)
    info = folder / "others_rules-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: others-rules\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(POINTS)
    return folder


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return copy_to(tmp_path_factory.mktemp("added"))


def run(place, package, name, changes, target):
    """The smoke scale with some changes, as far as a target."""
    (place / f"{name}.yaml").write_text(yaml.safe_dump(changes))
    files = ("--configfile", "config/smoke.yaml", f"{name}.yaml")
    return snakemake(place, *files, "--", target, packages=[package])


def test_a_strategy_of_folds_is_compared_by_one_line(place, package):
    changes = {
        "folds_per_job": 20,
        "greedy_cv": {
            "datasets": ["wdbc"],
            "classifiers": ["decision_tree"],
            "search_time": {"n_candidates": [16]},
        },
        "folds_comparison": {
            "n_candidates": [16],
            "compared": [
                {"name": "standard", "strategy": "standard"},
                {"name": "last_first", "strategy": "last_first"},
                {"name": "last_ten", "strategy": "last_first", "settings": {"stop_after": 10}},
            ],
        },
    }
    target = "results/folds_comparison/figures/anytime.png"
    done = run(place, package, "folds", changes, target)
    assert done.returncode == 0, done.stdout[-4000:]
    shown = pd.read_csv((place / target).with_suffix(".csv"))
    assert set(shown["method"]) == {"standard", "last_first", "last_ten"}
    assert "last first" in (place / target).with_suffix(".svg").read_text()
    runs = pd.read_parquet(place / "results/folds_comparison/runs.parquet").set_index("method")
    assert runs["n_evaluations"].to_dict() == {"standard": 16 * 3, "last_first": 16 * 3, "last_ten": 10}


def test_a_strategy_of_trials_is_compared_by_one_line(place, package):
    live = {"experiments": ["compared_live"]}
    changes = {
        "trials_comparison": {
            "compared": [
                {"name": "random", "strategy": "random"} | live,
                {"name": "corners", "strategy": "corners"} | live,
                {"name": "far_corners", "strategy": "corners", "settings": {"upper": True}} | live,
            ],
            "compared_live": {"default_n_trials": 4},
        }
    }
    target = "results/trials_comparison/figures/anytime_trials.png"
    done = run(place, package, "trials", changes, target)
    assert done.returncode == 0, done.stdout[-4000:]
    shown = pd.read_csv((place / target).with_suffix(".csv"))
    assert set(shown["problem"]) == {"Elastic net on digits, live", "SVM on digits, live"}
    assert set(shown["method"]) == {"random", "corners", "far_corners"}
    drawn = (place / target).with_suffix(".svg").read_text()
    assert "<!-- corners -->" in drawn
    assert "<!-- far corners -->" in drawn
    runs = pd.read_parquet(place / "results/trials/far_corners/svm/digits/seed0.parquet")
    assert len(runs) == 4  # the default of the experiment


def test_a_line_that_cannot_be_compared_is_refused_before_anything_is_planned(place, package):
    block = {"trials_comparison": {"compared": [{"name": "mine", "strategy": "edges"}]}}
    done = run(place, package, "refused", block, "trials_comparison")
    assert done.returncode != 0
    assert "trials_comparison.compared.0 (mine): unknown strategy 'edges'; known: corners, dngo" in done.stdout
    assert "Job stats" not in done.stdout
