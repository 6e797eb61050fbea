"""What a run of the workflow has cost, by kind of job, from the benchmark files that Snakemake writes.

Snakemake samples a process's CPU time, twice a second for 15 s and then twice a minute. So `cpu_s` misses up to
30 s of a job. `wall_s` is whole, and is the CPU time of a job of one thread that has a core to itself.
"""

from __future__ import annotations

import re
import resource
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pandas as pd

from frugal.checks import check_known
from studies import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STARTED: Final = "import studies.cli, pandas"
"""What every job of the studies imports before it works; some import scikit-learn, torch or matplotlib, too."""
N_STARTS: Final = 3
ALL: Final = "all"
PAPER_CPU_S: Final = {
    "scores": 3, "rungs": 2, "scores_timed": 6, "rungs_timed": 6, "network_scores": 480, "search": 3,
    "search_timed": 3, "rows": 50, "rows_timed": 50, "lookup_part": 1_060, "curves": 300,
}  # fmt: skip
"""CPU seconds of a job at the documents' scale, by rule: means over the benchmark files of the published runs.

They are up to 30 s too low for a job of more than 15 s. For `lookup_part` and `curves` they are means, over
all tables and sets, of what docs/assumptions/big_data.md and the settings say; the former is from counted seconds,
and so an upper estimate."""
TRIALS: Final = "trials"
SEARCH_CPU_S: Final = {
    "function": 6, "curves": 2, "lookup": 8, "sgd_logistic_regression": 5, "logistic_regression": 33,
    "elastic_net": 900, "svm": 13_600, "svm_rff": 180, "mlp": 2_000, "cifar_cnn": 86_400,
}  # fmt: skip
"""The same of a search, by learner: means over the published searches.

Those of document 004 are published on fewer rows, and are scaled up as `studies.hypertune.settings` says. That of
`cifar_cnn` is the time that ends it."""
OTHERS: Final = "others"
OTHERS_CPU_S: Final = 2
"""The same of every other rule."""


def startup_s() -> float:
    """CPU seconds of a process that only imports what jobs do: the least of a few, measured now."""
    taken = []
    for _ in range(N_STARTS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", STARTED], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(taken)


def summarise(folder: Path, startup: float) -> pd.DataFrame:
    """Jobs, seconds and CPU seconds by kind of job, which is its rule, the costliest first, and of all.

    `folder` holds the benchmark files, those of each rule in a folder of its own. `startup` is the CPU seconds
    that a job takes to start.

    Returns:
        Columns `kind`, `n_jobs`, `wall_s`, `cpu_s` as sampled, `startup_s` (no more than a job's seconds), and
        `work_s`, the rest of `wall_s`.

    Raises:
        ValueError: if there are no such files, or one is damaged.
    """
    rows = []
    for path in sorted(folder.rglob("*.tsv")):
        table = pd.read_csv(path, sep="\t", na_values=["-"])
        if not {"s", "cpu_time"} <= set(table.columns) or table.empty:
            raise ValueError(f"{path} is no benchmark of Snakemake: it lacks s or cpu_time, or rows")
        wall = float(table["s"].sum())
        cpu = float(table["cpu_time"].fillna(table["s"]).sum())
        start = min(startup, wall)
        rows.append((path.relative_to(folder).parts[0], 1, wall, cpu, start, wall - start))
    if not rows:
        raise ValueError(f"there are no benchmark files in {folder}; name the results of a run")
    jobs = pd.DataFrame(rows, columns=["kind", "n_jobs", "wall_s", "cpu_s", "startup_s", "work_s"])
    by_kind = jobs.groupby("kind").sum().sort_values("wall_s", ascending=False, kind="stable")
    by_kind.loc[ALL] = by_kind.sum()
    return by_kind.astype({"n_jobs": int}).round(2).reset_index()


def forecast(planned: str) -> pd.DataFrame:
    """What a dry run plans at the documents' scale: jobs and CPU hours by rule, the costliest first, and of all.

    `planned` is what `snakemake --dry-run` prints. It prints its table of jobs twice, of which one counts,
    or not at all if there is nothing to do.

    Returns:
        Columns `rule`, `n_jobs`, `cpu_hours`. Searches have a row for each learner; `others` are all rules that
        have no number of their own.

    Raises:
        ValueError: if no plan is given, the jobs of the searches are not printed, or one is of an unknown learner.
    """
    if "Job stats:" not in planned and "Nothing to be done" not in planned:
        raise ValueError("no plan of snakemake --dry-run was given: it ends with its table of jobs")
    jobs = Counter[str]()
    learners = re.findall(
        r"^rule trials:\n(?:    .*\n)*?    wildcards: .*?learner=(\w+)", planned, flags=re.MULTILINE
    )
    table = planned.rpartition("Job stats:")[2]
    for name, n in re.findall(r"^(\w+) +(\d+) *$", table, flags=re.MULTILINE):
        if name == TRIALS and int(n) != len(learners):
            raise ValueError(f"the plan has {n} searches and prints {len(learners)}; leave out '--quiet'")
        if name not in ("total", TRIALS):
            jobs[name if name in PAPER_CPU_S else OTHERS] += int(n)
    for learner in learners:
        check_known("learner of the forecast", learner, SEARCH_CPU_S)
        jobs[f"{TRIALS}, {learner}"] += 1
    costs = {**PAPER_CPU_S, OTHERS: OTHERS_CPU_S, **{f"{TRIALS}, {name}": s for name, s in SEARCH_CPU_S.items()}}
    hours = {name: n * costs[name] / 3600 for name, n in jobs.items()}
    rows = [(name, jobs[name], hours[name]) for name in sorted(hours, key=lambda name: -hours[name])]
    rows.append((ALL, sum(jobs.values()), sum(hours.values())))
    return pd.DataFrame(rows, columns=["rule", "n_jobs", "cpu_hours"]).round(2)


def draw(costs: pd.DataFrame) -> Figure:
    """A bar for each kind of job, start-up and work on each other."""
    kinds = costs[costs["kind"] != ALL].iloc[::-1]
    figure = style.new_figure(style.TWO_COLUMN[0], 1 + 0.22 * len(kinds))
    axes = figure.subplots()
    left = pd.Series(0.0, index=kinds.index)
    for column, label, color in (("startup_s", "start-up", style.BEHIND), ("work_s", "work", "#3B6FB6")):
        axes.barh(kinds["kind"], kinds[column] / 60, left=left, color=color, label=label)
        left = left + kinds[column] / 60
    axes.set(xlabel="sum of the jobs' times (minutes)")
    axes.legend(loc="lower right")
    return figure
