"""Versions are written once, in pyproject.toml; what is generated from them has not fallen behind."""

import importlib.util
import re
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import pytest
import yaml

import frugal

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "envs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def versions(pins: list[str]) -> dict[str, str]:
    """Version by normalised name, of lines such as `PyYAML==6.0.3`."""
    split = [pin.split("==") for pin in pins]
    return {re.sub(r"[-_.]+", "-", name).lower(): number for name, number in split}


def constraints() -> dict[str, str]:
    lines = (ROOT / "envs" / "constraints.txt").read_text().splitlines()
    return versions([line for line in lines if not line.startswith("#")])


def test_conda_environment_is_what_the_generator_writes(generate):
    assert (ROOT / "envs" / "frugal.yaml").read_text() == generate.conda_environment()


def test_conda_environment_holds_every_pin(generate):
    *_, pip = yaml.safe_load(generate.conda_environment())["dependencies"]
    assert pip["pip"] == generate.project()["dependencies"]


def test_every_pin_is_exact_and_the_one_that_make_installs(generate):
    table = generate.project()
    pins = versions(table["dependencies"] + table["optional-dependencies"]["dev"])
    installed = constraints()
    assert {name: installed.get(name) for name in pins} == pins


def test_constraints_name_no_build_and_nothing_for_nvidia_alone(generate):
    frozen = "numpy==2.4.6\ntorch==2.13.0+cpu\nnvidia-nccl-cu12==2.30\ntriton==3.7.0\n"
    pins = generate.constraints(frozen).splitlines()[1:]
    assert pins == ["numpy==2.4.6", "torch==2.13.0"]


def test_citation_package_and_project_agree_on_the_version(generate):
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    number = generate.project()["version"]
    assert citation["version"] == number
    assert frugal.__version__ == number
    assert version("frugal") == number


def test_citation_names_the_software_and_the_five_documents():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    papers = {"beta_pruning", "greedy_cv", "exploration", "big_data", "hypertune"}
    assert {reference["notes"].split()[0] for reference in citation["references"]} == papers


def test_hooks_run_the_tools_of_the_environment():
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())
    assert [repo["repo"] for repo in hooks["repos"]] == ["local"]
    (local,) = hooks["repos"]
    assert all(hook["entry"].startswith(".venv/bin/") for hook in local["hooks"])
