import subprocess
import sys
from importlib import import_module

import pytest

from frugal.lazy import lazily


@pytest.mark.parametrize(
    "package",
    [
        "frugal",
        "frugal.benchmarks",
        "frugal.model_selection",
        "frugal.rows",
        "frugal.trials",
        "frugal.trials.surrogates",
    ],
)
def test_every_name_that_a_package_offers_is_there(package):
    module = import_module(package)
    for name in module.__all__:
        assert getattr(module, name).__name__.rsplit(".", 1)[-1] == name
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'no_such'"):
        getattr(module, "no_such")  # noqa: B009  a statement would be useless


def test_a_name_is_looked_up_once():
    get = lazily("frugal.rows", {"subsample_size": "bootstrap", "bags": ""})
    rows = import_module("frugal.rows")
    assert get("subsample_size") is rows.subsample_size
    assert get("bags") is vars(rows)["bags"]


def imported(statements, modules):
    """Which of the modules a fresh process has imported after the statements."""
    code = f"import sys; {statements}; print(*[name for name in {modules.split()!r} if name in sys.modules])"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.parametrize(
    ("statements", "modules"),
    [
        ("import frugal", "numpy pandas scipy sklearn torch"),
        ("import frugal.cli", "sklearn"),
        ("import frugal.datasets", "sklearn torch torchvision pandas mlxtend scipy PIL"),
        ("import frugal.learners", "frugal.rows sklearn"),
        ("from frugal.learners import networks; from frugal.bench import networks", "torch"),
        ("from frugal import trials; trials.settings_of('smac')", "smac"),
        ("from studies import config; config.complete({'scale': 'laptop'})",
         "numpy pandas scipy sklearn matplotlib torch"),
        ("from studies import registry; registry.figures('big_data')",
         "sklearn scipy.stats scipy.optimize torch emcee"),
        ("from studies import registry; registry.paper('folds_comparison')", "matplotlib"),
        ("from studies import markdown, verdicts; verdicts.judge_paper('greedy_cv', {}, 'paper')", "matplotlib"),
    ],
    ids=["library", "command line", "datasets", "learners", "networks", "settings of SMAC3", "configuration",
         "artefacts of document 003", "runs and tables", "claims"],
)  # fmt: skip
def test_what_is_heavy_is_imported_only_where_it_is_needed(statements, modules):
    assert imported(statements, modules) == []


def test_a_package_is_imported_once_a_name_of_it_is_used():
    assert imported("import frugal; frugal.folds.known", "numpy") == ["numpy"]
