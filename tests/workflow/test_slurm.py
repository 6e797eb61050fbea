"""Every kind of job of the smoke scale through the slurm profile, on a SLURM of one node that this test installs.

`make test-slurm` runs it; the ordinary tests leave it out, since it needs root and takes minutes.
"""

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import slurm_cluster
from checkout import copy_to, environment

pytestmark = pytest.mark.slurm

TIMEOUT_S = 20 * 60
# Stands before the real `python` on PATH. It writes down each call of the studies, and the first that scores
# folds fails: mkdir succeeds once, however many jobs try at the same time.
FAULTY_PYTHON = """\
#!/usr/bin/env bash
set -euo pipefail
here=$(dirname "${{BASH_SOURCE[0]}}")
if [[ "${{1-}} ${{2-}}" == "-m studies" ]]; then
    echo "${{SLURM_JOB_ID:-none}} $*" >> "$here/calls"
fi
if [[ "${{1-}} ${{2-}} ${{3-}} ${{4-}}" == "-m studies job scores" ]] && mkdir "$here/failed" 2> /dev/null; then
    echo "$*" > "$here/failed/call"
    echo "made to fail once" >&2
    exit 1
fi
exec {python} "$@"
"""
SMOKE = f"--configfile config/smoke.yaml --cores {len(os.sched_getaffinity(0))}"
# What the test's cluster has less of than the profile expects: accounting, and jobs to fill a group.
SLURM = (
    "--profile workflow/profiles/cluster.example.yaml --workflow-profile workflow/profiles/slurm"
    " --slurm-status-command squeue --slurm-no-account"
    " --slurm-init-seconds-before-status-checks 5"
    " --group-components scores=10 timed=10 searches=6 pages=10"
)


TARGETS = "greedy_cv_figure1 greedy_cv_figure2 greedy_cv_table2 greedy_cv_table3 big_data_figure10_table"
"""Every kind of job: groups of scores and of searches that fill more than one, of pages, of timed fits,
a timed job alone on the node, and jobs by themselves. All others are of these kinds.
"""


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """SLURM, started for this module and stopped after it."""
    try:
        slurm_cluster.start()
    except slurm_cluster.ClusterError as error:
        pytest.fail(str(error), pytrace=False)
    yield
    slurm_cluster.stop()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the checkout, so that this tree's results stay as they are."""
    return copy_to(tmp_path / "project")


@pytest.fixture
def faulty(tmp_path: Path) -> Path:
    """A folder whose `python` fails once."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "python"
    script.write_text(FAULTY_PYTHON.format(python=sys.executable))
    script.chmod(0o755)
    return folder


def snakemake(arguments: str, project: Path, faulty: Path) -> str:
    """Run Snakemake in the copy, before whose `python` stands the faulty one; returns its output."""
    env = environment(project)
    env["PATH"] = f"{faulty}{os.pathsep}{env['PATH']}"
    done = subprocess.run(
        [Path(sys.executable).with_name("snakemake"), *shlex.split(arguments)],
        cwd=project,
        env=env,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-10_000:]
    return done.stdout


def test_smoke_scale_runs_through_slurm_and_retries_a_failed_job(
    cluster: None, project: Path, faulty: Path
) -> None:
    output = snakemake(f"{SMOKE} {SLURM} -- {TARGETS}", project, faulty)

    # Every target is there.
    assert (project / "results/greedy_cv/figures/figure2.png").stat().st_size > 0
    assert (project / "results/greedy_cv/tables/table3.csv").stat().st_size > 0
    assert (project / "results/big_data/tables/figure10.csv").stat().st_size > 0
    assert "Nothing to be done" in snakemake(f"{SMOKE} --dry-run -- {TARGETS}", project, faulty)

    # Every call was made by a job that SLURM knows.
    calls = [line.split(maxsplit=1) for line in (faulty / "calls").read_text().splitlines()]
    squeue = ["squeue", "--noheader", "--states=all", "--format=%A"]
    known = subprocess.run(squeue, capture_output=True, text=True, check=True).stdout.split()
    assert {job for job, call in calls if not call.startswith("data ")} <= set(known)

    # One call failed, and another job made it again.
    failed = (faulty / "failed/call").read_text().strip()
    assert len({job for job, call in calls if call == failed}) == 2
    assert "Trying to restart job" in output
