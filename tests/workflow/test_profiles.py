"""The profiles speak of rules that exist, and each of their lines says what it is for."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PROFILES = sorted((ROOT / "workflow" / "profiles").glob("**/*.yaml"))


@pytest.mark.parametrize("profile", PROFILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_value_in_a_profile_has_a_comment(profile):
    values = [line for line in profile.read_text().splitlines() if re.match(r" *[\w-]+: \S", line)]
    assert values
    assert [line for line in values if " # " not in line] == []


@pytest.fixture(scope="module")
def rules():
    """Names of all rules."""
    command = [Path(sys.executable).with_name("snakemake"), "--list-rules"]
    return set(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split())


@pytest.fixture(scope="module")
def slurm():
    return yaml.safe_load((ROOT / "workflow/profiles/slurm/config.yaml").read_text())


def test_slurm_profile_names_only_rules_that_exist(rules, slurm):
    named = {*slurm["set-resources"], *slurm["groups"]}
    assert named - rules == set()


@pytest.mark.parametrize("kind", ["scores", "rungs", "search"])
def test_slurm_profile_groups_every_rule_of_the_many_short_jobs(rules, slurm, kind):
    short = {name for name in rules if name.split("_")[0] == kind}
    assert short
    assert short - set(slurm["groups"]) == short - set(slurm["set-resources"]) == set()


def test_slurm_profile_gives_a_node_to_every_rule_that_times_fits_and_to_no_other(rules, slurm):
    alone = {name for name, resources in slurm["set-resources"].items() if "slurm_extra" in resources}
    assert alone == {"scores_timed", "rungs_timed", "rows_timed"} == {n for n in rules if n.endswith("s_timed")}
    assert [slurm["groups"].get(name) for name in ("scores_timed", "rungs_timed")] == ["timed", "timed"]
