"""What users install: the sdist and the wheel made of it, without extras, at both ends of the ranges."""

import re
import subprocess
import sys
import tarfile
import tomllib
import venv
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
EXAMPLES = (
    "frugal",
    "frugal.datasets.dataset",
    "frugal.model_selection.fold_search",
    "frugal.model_selection.minimum",
    "frugal.model_selection.named",
    "frugal.rows.group_sums",
)
"""Modules whose examples need no extra."""
GRID = """
from sklearn.model_selection import GridSearchCV

grid = GridSearchCV(SVC(), space, cv=5).fit(X, y)
assert search.best_params_ == grid.best_params_  # as the comment of the block says
"""
GRID_IN_GROUPS = """
from sklearn.model_selection import GridSearchCV

grid = GridSearchCV(make_pipeline(columns, SVC()), space, cv=GroupKFold(5))
grid.fit(table, fails, groups=machine, svc__sample_weight=weight)
assert search.best_params_ == grid.best_params_  # as the comment of the block says
"""
CHECK = f"""
import doctest, importlib, pkgutil, sys
import frugal
from frugal.extras import EXTRAS

imported = []
for found in pkgutil.walk_packages(frugal.__path__, "frugal."):
    try:
        importlib.import_module(found.name)
        imported.append(found.name)
    except ImportError as error:
        is_deep = found.name.count(".") > 1  # what its package has said already
        is_extra = (error.name or "").partition(".")[0] in EXTRAS
        assert "pip install '.[" in str(error) or (is_deep and is_extra), f"{{found.name}}: {{error}}"
assert len(imported) > 100, imported
for heavy in ("torch", "matplotlib", "snakemake", "pyarrow", "optuna"):
    assert heavy not in sys.modules, heavy
for name in {EXAMPLES!r}:
    failed, tried = doctest.testmod(importlib.import_module(name))
    assert tried and not failed, name
"""


def run(*command, cwd):
    done = subprocess.run(list(map(str, command)), cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def environment(path):
    venv.create(path, with_pip=True)
    return path / "bin" / "python"


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    """Made of what git knows, so that no build leaves anything in the checkout."""
    folder = tmp_path_factory.mktemp("sdist")
    listed = run("git", "ls-files", "-z", "src/frugal", "pyproject.toml", "README.md", "LICENSE", cwd=ROOT)
    for name in filter(None, listed.split("\0")):
        copy = folder / "checkout" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes((ROOT / name).read_bytes())
    python = environment(folder / "builder")
    run(python, "-m", "pip", "install", "--quiet", *PROJECT["build-system"]["requires"], cwd=folder)
    build = f"import setuptools.build_meta as build; build.build_sdist({str(folder)!r})"
    run(python, "-c", build, cwd=folder / "checkout")
    (packed,) = folder.glob("*.tar.gz")
    return packed


def oldest():
    """The lower ends of the ranges."""
    return [text.replace(">=", "==") for text in PROJECT["project"]["dependencies"]]


def newest():
    """The pins of what is asked for."""
    asked = {re.split("[><=]", text)[0] for text in PROJECT["project"]["dependencies"]}
    pins = (ROOT / "envs" / "constraints.txt").read_text().splitlines()
    return [pin for pin in pins if pin.split("==")[0] in asked]


NO_WHEELS = pytest.mark.skipif(sys.version_info >= (3, 13), reason="numpy 1.26.0 is for Python below 3.13")


@pytest.mark.parametrize("versions", [pytest.param(oldest, marks=NO_WHEELS), newest])
def test_the_core_alone_runs_the_first_searches_of_readme_and_start(sdist, tmp_path, versions):
    python = environment(tmp_path / "fresh")
    run(python, "-m", "pip", "install", "--quiet", sdist, *versions(), cwd=tmp_path)
    installed = run(python, "-m", "pip", "list", "--format=freeze", cwd=tmp_path)
    for version in versions():
        assert re.search(rf"^{re.escape(version)}(\.0)?$", installed, flags=re.MULTILINE), installed
    assert "torch" not in installed
    for page, words, grid in (("README.md", "load_digits", GRID), ("docs/start.md", "groups=", GRID_IN_GROUPS)):
        blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), flags=re.DOTALL)
        (block,) = [block for block in blocks if words in block]
        (tmp_path / "first.py").write_text(block + grid)
        *_, summary = run(python, "first.py", cwd=tmp_path).splitlines()
        n_fits, n_exhaustive = map(int, re.fullmatch(r"(\d+) fits of (\d+)", summary).groups())
        assert n_fits < n_exhaustive / 2
    run(python, "-c", CHECK, cwd=tmp_path)


def test_the_sdist_is_whole_and_holds_the_library_alone(sdist):
    with tarfile.open(sdist) as packed:
        names = {name.split("/", 1)[-1] for name in packed.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "src/frugal/py.typed"} <= names
    assert not [name for name in names if name.startswith(("src/studies", "tests", "data", "results"))]
