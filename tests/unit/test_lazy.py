import subprocess
import sys
from importlib import import_module

import pytest

from frugal.lazy import lazily


@pytest.mark.parametrize(
    "package", ["frugal", "frugal.model_selection", "frugal.rows", "frugal.trials", "frugal.trials.surrogates"]
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


def test_importing_the_library_imports_nothing_large():
    code = "import sys, frugal; print({'numpy', 'pandas', 'scipy', 'sklearn', 'torch'} & set(sys.modules));"
    code += "frugal.folds.known; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["set()", "True"]


def test_what_document_003_draws_and_tabulates_needs_no_learner_and_no_optimiser():
    code = "import sys; from studies import registry; registry.figures('big_data');"
    code += "print({'sklearn', 'scipy.stats', 'scipy.optimize', 'torch', 'emcee'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
