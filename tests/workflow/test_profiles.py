"""The profiles speak of rules that exist, and each of their lines says what it is for."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PROFILES = sorted((ROOT / "workflow" / "profiles").glob("*/config.yaml"))


@pytest.mark.parametrize("profile", PROFILES, ids=lambda path: path.parent.name)
def test_every_value_in_a_profile_has_a_comment(profile):
    values = [line for line in profile.read_text().splitlines() if re.match(r" *[\w-]+: \S", line)]
    assert values
    assert [line for line in values if " # " not in line] == []


def test_slurm_profile_names_only_rules_that_exist():
    profile = yaml.safe_load((ROOT / "workflow/profiles/slurm/config.yaml").read_text())
    named = {*profile["set-resources"], *profile["groups"], *profile["slurm-array-jobs"].split(",")}
    command = [Path(sys.executable).with_name("snakemake"), "--list-rules"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert named - set(listed.split()) == set()
