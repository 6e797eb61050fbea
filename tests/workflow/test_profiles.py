"""The profiles speak of rules that exist, and each of their lines says what it is for."""

import inspect
import re
from pathlib import Path

import pytest
import yaml
from checkout import copy_to, snakemake
from snakemake.scheduling.job_scheduler import JobScheduler

ROOT = Path(__file__).resolve().parents[2]
WHOLE = ("all", "greedy_cv_sensitivity", "folds_comparison", "trials_comparison")
YAMLS = (ROOT / "workflow" / "profiles").glob("**/*.yaml")
PROFILES = sorted(path for path in YAMLS if path.name != "cluster.yaml")  # which is the user's


@pytest.mark.parametrize("profile", PROFILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_value_in_a_profile_has_a_comment(profile):
    values = [line for line in profile.read_text().splitlines() if re.match(r" *[\w-]+: \S", line)]
    assert values
    assert [line for line in values if " # " not in line] == []


@pytest.fixture(scope="module")
def rules():
    """The text of every rule by name; of one that is another with changes, the other's text before its own."""
    found = {}
    for path in sorted((ROOT / "workflow" / "rules").glob("*.smk")):
        for block in re.split(r"^(?=(?:use )?rule )", path.read_text(), flags=re.MULTILINE)[1:]:
            base, name = re.match(r"(?:use rule (\w+) as|rule) (\w+)", block).groups()
            found[name] = found.get(base, "") + block
    return found


@pytest.fixture(scope="module")
def slurm():
    return yaml.safe_load((ROOT / "workflow/profiles/slurm/config.yaml").read_text())


def test_slurm_profile_names_rules_that_exist_and_says_how_many_of_each_group_go_out_together(rules, slurm):
    assert set(slurm["groups"]) - set(rules) == set()
    assert set(slurm["group-components"]) == set(slurm["groups"].values())


@pytest.mark.slow
def test_slurm_profile_plans_everything(tmp_path):
    """Snakemake refuses groups between whose jobs a job of another group, or of none, has to run."""
    profiles = (
        "--profile",
        "workflow/profiles/cluster.example.yaml",
        "--workflow-profile",
        "workflow/profiles/slurm",
    )
    done = snakemake(copy_to(tmp_path), "--dry-run", *profiles, "--configfile", "config/smoke.yaml", "--", *WHOLE)
    assert done.returncode == 0, done.stdout[-2000:]


def test_the_limit_on_submissions_that_the_workflow_lifts_on_one_machine_is_where_it_says():
    assert "workflow.scheduler.job_rate_limiter = None" in (ROOT / "workflow/rules/common.smk").read_text()
    assert "self.job_rate_limiter = " in inspect.getsource(JobScheduler.__init__)


@pytest.mark.parametrize("kind", ["scores", "rungs", "search"])
def test_every_rule_of_the_many_short_jobs_has_a_group(rules, slurm, kind):
    short = {name for name in rules if name.split("_")[0] == kind}
    assert short
    assert short - set(slurm["groups"]) == set()


def test_jobs_of_a_group_run_in_turn_or_claim_all_cores(rules, slurm):
    """Else a group would ask for the cores of all its jobs."""
    assert [name for name in slurm["groups"] if not re.search("in_turn=1|threads: TIMED_CORES", rules[name])] == []


def test_rules_that_time_fits_have_a_node_to_themselves_and_no_others(rules, slurm):
    alone = {name for name, text in rules.items() if 'slurm_extra="--exclusive"' in text}
    assert (
        alone
        == {"scores_timed", "rungs_timed", "rows_timed"}
        == {name for name in rules if name.endswith("s_timed")}
    )
    assert [slurm["groups"][name] for name in ("scores_timed", "rungs_timed")] == ["timed", "timed"]
