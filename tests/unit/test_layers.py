"""Arrows point one way: the studies import the library, its upper packages the lower, papers not each other."""

import ast
import re
from pathlib import Path

import pytest
from setuptools import find_packages
from setuptools.config.pyprojecttoml import read_configuration

from studies.registry import PAPERS

ROOT = Path(__file__).parents[2]


def imports(path):
    """Absolute names that a module imports, at any depth; `a.b` of `from a import b`."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


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


GROUND = {
    "checks", "executors", "extras", "files", "interface", "lazy", "limits", "locked", "parquet", "pending",
    "pickles", "registry", "seeds", "spaces", "stats", "threads", "workers",
}  # fmt: skip
FAMILIES = ("folds", "trials", "rows")
MAY_IMPORT = {
    "datasets": set(),
    "learners": {"datasets"},
    "folds": {"datasets", "learners"},
    "trials": {"datasets", "learners"},
    "rows": {"learners"},
    "benchmarks": {"datasets", "learners", "trials"},
    "code": {"datasets", "learners"},
    "model_selection": {"code", "folds", "trials"},
    "select": {"datasets", "learners", "trials", "model_selection"},
    "integration": {"folds", "trials"},
    "bench": {"arguments", "datasets", "learners", *FAMILIES, "model_selection"},
}
"""Package -> the packages of the library that it may import, beside the modules of the ground floor.

Import statements count: `learners` loads `frugal.rows.learners` by its name when one of these is asked for.
"""


def parts(package, paths):
    """The parts of a package that modules import, such as `trials` of `frugal`."""
    return {name.split(".")[1] for path in paths for name in imports(path) if name.startswith(f"{package}.")}


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_a_package_imports_only_those_below_it(package):
    modules = sorted((ROOT / "src/frugal" / package).rglob("*.py"))
    assert modules
    assert parts("frugal", modules) - GROUND <= MAY_IMPORT[package] | {package}


def test_packages_are_listed_below_those_that_they_may_import():
    listed = ["arguments", *MAY_IMPORT]
    assert all(MAY_IMPORT[name] <= set(listed[: listed.index(name)]) for name in MAY_IMPORT)
    assert parts("frugal", [ROOT / "src/frugal/arguments.py"]) <= GROUND | {"datasets"}


def test_every_package_of_the_library_has_its_place():
    assert {path.parent.name for path in (ROOT / "src/frugal").glob("*/__init__.py")} == set(MAY_IMPORT)
    modules = {path.stem for path in (ROOT / "src/frugal").glob("*.py")}
    assert modules - {"__init__", "__main__", "arguments", "cli"} == GROUND


@pytest.mark.parametrize("name", sorted(GROUND))
def test_the_ground_floor_imports_nothing_above_it(name):
    assert parts("frugal", [ROOT / f"src/frugal/{name}.py"]) <= GROUND


@pytest.mark.parametrize("name", [*PAPERS, "shared"])
def test_papers_do_not_import_each_other(name):
    modules = sorted((ROOT / "src/studies" / name).rglob("*.py"))
    assert modules
    assert parts("studies", modules) & set(PAPERS) <= {name}


def test_contributors_are_shown_every_package_in_this_order():
    text = (ROOT / "docs/contributing.md").read_text().split("## Where things live")[1]
    library, studies = (
        re.findall(
            r"`([\w.]+)`", " ".join(line.split(" | ")[0] for line in part.splitlines() if line[:3] == "| `")
        )
        for part in text.split("`src/studies`")
    )
    assert [name for name in library if name not in ("arguments.py", "cli.py")] == list(MAY_IMPORT)
    assert studies
    assert [name for name in studies if not (ROOT / "src/studies" / name).exists()] == []
