"""Strategies that other packages add by entry points: known to both families, and refused in one sentence."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from frugal import folds, registry, trials
from frugal.benchmarks.searches import search
from frugal.spaces import SearchSpace, Uniform

CODE = """
import numpy as np
from frugal.interface import TrialTask
from frugal.folds.strategies.greedy import Greedy
from frugal.trials.strategies.random import Random


class Mine(Greedy):
    pass


class Own:
    def __init__(self, *, space, n_trials, rng, width=0.5):
        self.left, self.width, self.best, self.space = n_trials, width, None, space

    def ask(self):
        self.left -= 1
        unit = np.full(len(self.space.dimensions), self.width)
        return TrialTask(self.left, self.space.from_unit(unit)) if self.left >= 0 else None

    def report(self, task, epoch, score):
        return True

    def tell(self, trial):
        self.best = trial.task.candidate

    @property
    def incumbent(self):
        return self.best


def not_a_class():
    pass
"""
SPACE = SearchSpace({"x": Uniform(0.0, 1.0)})


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Put a package with these entry points on the path."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "their_rules.py").write_text(CODE)

    def put(points, name="their-rules"):
        info = tmp_path / f"{name.replace('-', '_')}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(points)
        registry.added.cache_clear()
        return tmp_path

    yield put
    registry.added.cache_clear()
    sys.modules.pop("their_rules", None)


def test_both_families_know_strategies_of_another_package(install):
    install(
        "[frugal.folds.strategies]\nmine = their_rules:Mine\n\n[frugal.trials.strategies]\nown = their_rules:Own\n"
    )
    assert "mine" in folds.known()
    assert "mine" not in trials.known()
    strategy = folds.make("mine", n_candidates=3, n_folds=2, rng=np.random.default_rng(0), ties="fewest_folds")
    assert type(strategy).__name__ == "Mine"
    assert folds.settings_of("mine") == folds.settings_of("greedy")
    assert trials.settings_of("own") == {"width": 0.5}
    strategy = trials.make("own", space=SPACE, n_trials=1, rng=np.random.default_rng(0), width=0.25)
    assert strategy.ask().candidate == {"x": 0.25}
    with pytest.raises(ValueError, match="unknown setting 'height' of own; known: width"):
        trials.make("own", space=SPACE, n_trials=1, rng=np.random.default_rng(0), height=1)


def test_a_strategy_that_takes_no_first_candidates_is_run_and_it_is_said(install, caplog):
    install("[frugal.trials.strategies]\nown = their_rules:Own\n")
    found = search("own", "function", "branin", 0, 3, {})
    assert len(found) == 3
    assert "own does not take the first candidates" in caplog.text


@pytest.mark.parametrize(
    ("points", "message"),
    [
        (
            "greedy = their_rules:Mine",
            "their_rules:Mine adds 'greedy' to frugal.folds.strategies, which has one of",
        ),
        (
            "mine = their_rulez:Mine",
            "entry point 'mine' of frugal.folds.strategies cannot be loaded from their_rulez",
        ),
        ("mine = their_rules:Yours", "'mine' of frugal.folds.strategies cannot be loaded from their_rules:Yours"),
        (
            "mine = their_rules:not_a_class",
            "must name a class, as package.module:Class, got their_rules:not_a_class",
        ),
    ],
)
def test_an_entry_point_that_cannot_be_used_is_refused(install, points, message):
    install(f"[frugal.folds.strategies]\n{points}\n")
    with pytest.raises(ValueError, match=message):
        folds.make("mine", n_candidates=3, n_folds=2, rng=np.random.default_rng(0))


def test_two_packages_cannot_add_the_same_name(install):
    install("[frugal.folds.strategies]\nmine = their_rules:Mine\n")
    install("[frugal.folds.strategies]\nmine = other_rules:Mine\n", "other-rules")
    with pytest.raises(ValueError, match=r"_rules:Mine both add 'mine' to frugal.folds.strategies; rename one"):
        folds.known()


def test_looking_names_up_imports_neither_the_packages_nor_the_strategies(install):
    folder = install("[frugal.trials.strategies]\nown = their_rules:Own\n")
    code = (
        "import sys; from frugal.registry import names; assert 'own' in names('frugal.trials.strategies'); "
        "modules = ('their_rules', 'frugal.trials.strategies', 'scipy', 'pandas'); "
        "print([name for name in modules if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(folder)!r}); {code}"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == "[]"


def test_a_module_without_the_class_of_its_name_is_refused_by_file_and_name(tmp_path, monkeypatch):
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules/__init__.py").write_text("")
    (tmp_path / "rules/ucb.py").write_text("class UCB:\n    needs = ()\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    message = "ucb.py must hold the class Ucb, as the strategy's name is 'ucb'"
    with pytest.raises(ValueError, match=message):
        registry.needs("rules", "ucb")
    with pytest.raises(ValueError, match=message):
        registry.Registry("rules", [str(tmp_path / "rules")], ()).class_of("ucb")
