"""Versions are written once, in pyproject.toml; what is generated from them has not fallen behind."""

import importlib.util
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import pytest
import yaml
from packaging.requirements import Requirement

import frugal
from frugal.extras import DISTRIBUTION, EXTRAS

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "envs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_conda_environment_is_what_the_generator_writes(generate):
    assert (ROOT / "envs" / "frugal.yaml").read_text() == generate.conda_environment()


def test_conda_environment_pins_what_the_library_and_the_workflow_ask_for(generate):
    *_, pip = yaml.safe_load(generate.conda_environment())["dependencies"]
    assert {"numpy", "torch", "emcee", "snakemake"} <= {pin.split("==")[0] for pin in pip["pip"]}
    assert "pytest" not in str(pip)
    assert all("==" in pin for pin in pip["pip"])


def test_every_requirement_has_an_exact_pin_within_its_range(generate):
    table, pins = generate.project(), generate.pins()
    texts = [
        *table["dependencies"],
        *(text for extra in table["optional-dependencies"].values() for text in extra),
    ]
    asked = [Requirement(text) for text in texts]
    for requirement in (one for one in asked if one.name != table["name"]):
        name, number = pins[generate.normal(requirement.name)].split("==")
        assert number in requirement.specifier, f"{requirement} against {name}=={number}"


def test_the_installer_of_a_missing_package_is_an_extra_that_has_it(generate):
    installed_as = {"ConfigSpace": "smac", "dask": "distributed", "PIL": "torchvision"}
    for package, extra in EXTRAS.items():
        assert installed_as.get(package, package) in generate.requirements(extra)
    assert generate.project()["name"] == DISTRIBUTION


def test_constraints_name_no_build_and_nothing_for_nvidia_alone(generate):
    frozen = "numpy==2.4.6\ntorch==2.13.0+cpu\nnvidia-nccl-cu12==2.30\ntriton==3.7.0\n"
    pins = generate.constraints(frozen).splitlines()[1:]
    assert pins == ["numpy==2.4.6", "torch==2.13.0"]


def test_citation_package_and_project_agree_on_the_version(generate):
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    number = generate.project()["version"]
    assert citation["version"] == number
    assert frugal.__version__ == number
    assert version(DISTRIBUTION) == number


def test_citation_names_the_software_and_the_five_documents():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    papers = {"beta_pruning", "greedy_cv", "exploration", "big_data", "hypertune"}
    assert {reference["notes"].split()[0] for reference in citation["references"]} == papers


def test_hooks_run_the_tools_of_the_environment():
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())
    assert [repo["repo"] for repo in hooks["repos"]] == ["local"]
    (local,) = hooks["repos"]
    assert all(hook["entry"].startswith(".venv/bin/") for hook in local["hooks"])
