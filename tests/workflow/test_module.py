"""The workflow as a module of another one, as docs/module.md shows it and the Snakemake catalogue expects it."""

from __future__ import annotations

import re

import pytest
import yaml
from checkout import ROOT, copy_to, snakemake

COUNT = re.compile(r"^(\w+) +(\d+)$", flags=re.MULTILINE)
SMOKE = "config/smoke.yaml"
PAGE = (ROOT / "docs/module.md").read_text()


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    """A folder with another workflow, beside a checkout."""
    folder = tmp_path_factory.mktemp("beside")
    (folder / "frugal").mkdir()
    copy_to(folder / "frugal")
    other = folder / "other"
    (other / "config").mkdir(parents=True)
    (other / "config/config.yaml").write_text("scale: smoke\n")
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    (other / "Snakefile").write_text(block)
    (other / "src").symlink_to(folder / "frugal/src")  # where the environment of a test looks for the packages
    return other


@pytest.mark.slow
def test_another_workflow_plans_its_rules(other):
    done = snakemake(other, "--dry-run", "--", "greedy_cv_table1", "hypertune_table1")
    assert done.returncode == 0, done.stdout[-4000:]
    counts = dict(COUNT.findall(done.stdout))
    assert counts["greedy_cv_table1"] == counts["hypertune_table1"] == "1"
    assert {"search", "trials"} <= counts.keys()


@pytest.mark.slow
def test_a_configuration_of_the_other_workflow_is_checked(other):
    done = snakemake(other, "--dry-run", "--config", "greedy_cv={n_folds: 3}", "--", "greedy_cv_table1")
    assert done.returncode != 0
    assert "greedy_cv" in done.stdout
    assert "n_folds" in done.stdout


def test_the_catalogue_finds_what_it_looks_for():
    usage = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text())["usage"]
    assert usage["software-stack-deployment"]["conda"] is False  # it installs a checkout
    assert usage["report"] is True
    for path in ("workflow/Snakefile", "config/config.yaml", "config/README.md", "README.md", "LICENSE"):
        assert (ROOT / path).is_file()


@pytest.mark.slow
def test_both_snakefiles_make_the_same_by_default(other):
    plans = []
    for file in ("Snakefile", "workflow/Snakefile"):
        done = snakemake(other.parent / "frugal", "--snakefile", file, "--dry-run", "--configfile", SMOKE)
        plans.append(dict(COUNT.findall(done.stdout)))
    assert plans[0].pop("default") == plans[1].pop("all") == "1"
    assert plans[0] == plans[1]
    assert int(plans[0]["total"]) > 200
