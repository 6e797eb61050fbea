"""The library stands alone: studies import it, never the reverse, and the wheel ships it alone."""

import ast
from pathlib import Path

from setuptools import find_packages
from setuptools.config.pyprojecttoml import read_configuration

ROOT = Path(__file__).parents[2]


def imports(path):
    """Absolute names that a module imports, at any depth."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module


def test_the_library_imports_nothing_of_the_studies():
    modules = sorted((ROOT / "src/frugal").rglob("*.py"))
    found = [str(p) for p in modules if any(name.split(".")[0] == "studies" for name in imports(p))]
    assert modules
    assert found == []


def test_the_wheel_ships_the_library_alone():
    find = read_configuration(str(ROOT / "pyproject.toml"), expand=False)["tool"]["setuptools"]["packages"]["find"]
    packages = find_packages(str(ROOT / find["where"][0]), include=find["include"])
    assert "frugal.folds.strategies" in packages
    assert [name for name in packages if name.split(".")[0] != "frugal"] == []
