"""The arguments of every command of `python -m studies`; what the commands do with them is in `studies.cli`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from frugal.arguments import (
    JOURNAL,
    Places,
    add_input,
    add_output,
    add_restart,
    add_root,
    add_trials,
    command,
    numbers,
    seed,
    top_level,
)
from frugal.learners.classifiers import N_IN_RANGES


def _beside(suffix: str) -> Callable[[Path], Path]:
    """A function from the path of an output to the file of the same name with this suffix."""
    return lambda path: path.with_suffix(suffix)


MARKDOWN: Final[Places] = {"Markdown": _beside(".md")}
PICTURES: Final[Places] = {"PNG": _beside(".png"), "SVG": _beside(".svg")}
DRAWN: Final[Places] = {**PICTURES, "CSV": _beside(".csv"), "caption": _beside(".md")}
COSTS: Final[Places] = {**MARKDOWN, **PICTURES}
FINDINGS: Final[Places] = {"findings": lambda path: path.with_name(path.name.replace("claims", "findings"))}


def make_parser() -> argparse.ArgumentParser:
    """All commands with their arguments; `command` of what it parses is the name of one."""
    parser, commands = top_level("studies", "Regenerate the documents, and compare strategies.")

    p = command(commands, "job", "run a job of the workflow, as its rules do")
    jobs = p.add_subparsers(dest="command", required=True, metavar="JOB")
    p = command(jobs, "pack", "do short jobs one after the other in one process, which takes a second to start")
    p.add_argument(
        "jobs", nargs="+", metavar="JOB", help="each a text, such as 'table greedy_cv table1 --runs ...'"
    )
    _add_folds(jobs)
    _add_searches(jobs)
    _add_runs(jobs)
    _add_shown(jobs)

    p = command(commands, "summary", "count the verdicts of several papers' claims, as .csv and .md")
    add_input(p, "--claims", nargs="+", required=True, help="files of claims, in their papers' folders")
    add_output(p, "--output", MARKDOWN, required=True)

    p = command(commands, "report", "put the claims, tables and figures of a run on one page")
    p.add_argument("--results", type=Path, default="results", help="folder of the run")
    p.add_argument(
        "--published", type=Path, default="results/published", help="whose claims stand beside the run's"
    )
    p.add_argument("--configfile", nargs="+", default=["config/config.yaml"], help="merged in their order")
    p.add_argument("--workflow", default="report_workflow.html", help="Snakemake's own report, to link to")
    add_output(p, "--output", default="report.html")

    p = command(commands, "costs", "sum what jobs have cost by their kind, as .csv and .md, with a bar figure")
    p.add_argument("--benchmarks", type=Path, default="results/benchmarks", help="folder of the benchmark files")
    add_output(p, "--output", COSTS, default="results/costs/costs.csv")

    command(commands, "forecast", "say what a plan costs at the documents' scale: 'snakemake --dry-run' on stdin")

    p = command(commands, "machine", "write the machine and packages of a run that is published elsewhere")
    add_output(p, "--output", default="machine.json")

    p = command(commands, "publish", "copy a paper's results to results/published/")
    p.add_argument("paper")
    p.add_argument("--partial", action="store_true", help="leave out what is below the published floor")
    p.add_argument("--only", nargs="+", default=[], help="patterns such as 'runs/*'; the rest stays as published")
    p.add_argument("--commit", help="that made the results; by default, that of this checkout")
    where = "file that 'studies machine' wrote where they were made; by default, here"
    p.add_argument("--machine", type=Path, help=where)
    folder = "folder of the results, and of published/"
    p.add_argument("--results", type=Path, default=Path("results"), help=folder)
    add_root(p)
    files = ["config/config.yaml", "config/paper.yaml"]
    p.add_argument("--configfile", nargs="+", default=files, help="merged in their order, all that the run read")

    p = command(commands, "redraw", "make what is published again from the published runs, and compare")
    p.add_argument("papers", nargs="*", help="all by default")
    p.add_argument("--published", type=Path, default="results/published")
    p.add_argument("--output", type=Path, default="results/redrawn", help="or results/published, to replace")

    p = command(commands, "config", "check configuration files, or write the schema or the table of all keys")
    p.add_argument("action", choices=["check", "schema", "keys"])
    p.add_argument("files", nargs="*", help="to check; the first is the base of the others")
    add_output(p, "--output", help="of the schema or the table; by default where the repository has it")

    return parser


def _add_folds(commands: Any) -> None:
    """Add the jobs of the folds family."""
    p = command(commands, "scores", "fit and score a block of folds")
    _add_scoring(p)
    p.add_argument("--n-folds", type=int, required=True)
    p.add_argument("--folds", type=numbers, help="for example 0-4; all by default")

    p = command(commands, "default", "hold a network's default hyperparameters against a stated error")
    add_root(p)
    p.add_argument("--dataset", required=True, help="one that sets rows apart for testing")
    p.add_argument("--network", required=True)
    p.add_argument("--epochs", type=int, required=True)
    p.add_argument("--seed", type=seed, default=0)
    p.add_argument("--max-error", type=float, required=True, help="the stated error, in [0, 1]")
    add_output(p, "--output", required=True)

    p = command(commands, "rungs", "fit and score every rung of successive halving")
    _add_scoring(p)
    p.add_argument("--n-candidates", type=int, nargs="+", required=True, help="lengths that will be searched")
    p.add_argument("--settings", default="{}", help="of successive_halving, as JSON")

    p = command(commands, "search", "replay a strategy on kept scores")
    p.add_argument("--method", required=True)
    add_input(p, "--scores", type=Path, nargs="+", required=True)
    p.add_argument("--n-candidates", type=int, nargs="+", required=True)
    p.add_argument("--seeds", type=numbers, help="for example 0-29; all that have scores by default")
    p.add_argument("--settings", default="{}", help="the strategy's settings, as JSON")
    p.add_argument("--tie-rule", default="random")
    add_input(p, "--seconds", type=Path, nargs="+", help="measured seconds to add up, a file per score file")
    add_output(p, "--output", required=True)

    p = command(commands, "collect", "gather searches; statistics per cell")
    add_input(p, "--search", nargs="+", required=True)
    p.add_argument("--labels", default="{}", help="columns that the searches do not have, as JSON")
    add_output(p, "--output", required=True)
    add_output(p, "--cells-output", required=True)

    p = command(commands, "explore", "replay document 000's experiment on kept scores of its network")
    add_input(p, "--scores", type=Path, nargs="+", required=True)
    p.add_argument("--settings", default="{}", help="settings by strategy, as JSON")
    p.add_argument("--taus", type=float, nargs="+", required=True)
    p.add_argument("--buffers", type=int, nargs="+", required=True)
    add_output(p, "--output", required=True, help="what was explored after every training")
    add_output(p, "--sweep-output", required=True, help="whole runs at every tau and buffer")

    p = command(commands, "compare", "replay a compared strategy on every kept score of a cell")
    p.add_argument("name", help="of what is compared, in tables and figures")
    p.add_argument("--strategy", required=True)
    p.add_argument("--settings", default="{}", help="the strategy's settings, as JSON")
    p.add_argument("--budget-share", type=float, help="budget as a share of all folds of all candidates")
    add_input(p, "--scores", type=Path, nargs="+", required=True, help="of any datasets, folds and seeds")
    add_input(p, "--seconds", type=Path, nargs="+", help="their measured seconds, in the same order, if needed")
    p.add_argument(
        "--n-candidates", type=int, nargs="+", help="lengths of the drawn lists; by default document 000's list"
    )
    add_output(p, "--output", required=True)


def _add_searches(commands: Any) -> None:
    """Add the jobs of the trials family."""
    add_trials(commands)

    p = command(commands, "curves", "train candidates of a network, for a stored set of learning curves")
    p.add_argument("--network", required=True)
    p.add_argument("--dataset", required=True, help="one that sets rows apart for testing")
    p.add_argument("--candidates", type=numbers, required=True, help="their numbers, for example 0-9")
    p.add_argument("--settings", default="{}", help="n_train (or several), n_valid and n_epochs, as JSON")
    add_root(p)
    _add_kept_output(p)

    p = command(commands, "extrapolate", "extrapolate stored learning curves from some of their points")
    add_input(p, "--curves", required=True, help="what `job curves` has written")
    p.add_argument("--settings", default="{}", help="check_share, and curve: those of the sampler, as JSON")
    _add_kept_output(p)

    p = command(commands, "lookup", "make a table of real fits that optimisers look up")
    steps = p.add_subparsers(dest="step", required=True, metavar="STEP")
    p = command(steps, "measure", "the candidates with one value of the grid's last dimension")
    p.add_argument("--part", type=int, required=True, help="number of the value, from 0")
    _add_table(p)
    _add_kept_output(p)
    p = command(steps, "gather", "all parts in one table that is checked to be whole")
    add_input(p, "--parts", nargs="+", required=True)
    add_output(p, "--output", required=True)
    p = command(steps, "recheck", "fit cells drawn at random anew; status 3 where an error differs")
    add_input(p, "--table", required=True)
    p.add_argument("--n-cells", type=int, default=3)
    p.add_argument("--seed", type=seed, default=0, help="draws the cells")
    _add_table(p)
    add_output(p, "--output", required=True, help="a row per cell, written whatever they say")

    p = command(commands, "refits", "fit and test what searches chose")
    p.add_argument("--paper", required=True)
    add_input(p, "--runs", nargs="+", required=True)
    p.add_argument("--settings", default="{}", help="of problem and refits, as JSON")
    add_root(p)
    _add_kept_output(p)


def _add_runs(commands: Any) -> None:
    """Add the jobs of experiments, and those that make runs of other runs."""
    p = command(commands, "rows", "run methods of an experiment: on fewer rows, and what else a paper computes")
    p.add_argument("experiment")
    p.add_argument("--methods", nargs="+", required=True)
    p.add_argument("--seeds", type=numbers, required=True, help="for example 0-9")
    p.add_argument("--settings", default="{}", help="the experiment's settings, as JSON")
    add_root(p)
    add_output(p, "--output", required=True)

    p = command(commands, "gather", "gather what the methods of an experiment gave")
    add_input(p, "--runs", nargs="+", required=True)
    p.add_argument("--experiment", help="its name, where the runs do not have it")
    p.add_argument("--by", nargs="+", default=["method", "seed"], help="columns that order the rows")
    add_output(p, "--output", required=True)

    p = command(commands, "derive", "compute a run from other runs or from nothing, so that no table has to")
    p.add_argument("paper")
    p.add_argument("name")
    add_input(p, "--runs", nargs="*", default=[])
    add_output(p, "--output", required=True)


def _add_shown(commands: Any) -> None:
    """Add the jobs that show and judge what was run."""
    p = command(commands, "table", "write a table of a paper as .csv and .md")
    p.add_argument("paper")
    p.add_argument("name")
    add_input(p, "--runs", nargs="+", required=True)
    p.add_argument("--scale", required=True)
    add_output(p, "--output", MARKDOWN, required=True)

    p = command(commands, "figure", "draw a figure of a paper as .png and .svg, with its .csv and caption")
    p.add_argument("paper")
    p.add_argument("name")
    add_input(p, "--runs", nargs="+", help="what a figure of results is drawn from")
    p.add_argument("--seed", type=seed, help="what a figure that explains is drawn from")
    add_input(p, "--numbers", type=Path, help="a CSV of its numbers, to draw it again without either")
    p.add_argument("--caption", help="in reStructuredText, for a file beside the pictures")
    add_output(p, "--output", DRAWN, itself=False, required=True)

    p = command(commands, "claims", "judge a paper's claims")
    p.add_argument("paper")
    add_input(p, "--runs", nargs="+", default=[], help="files named for experiments; the others are not judged")
    p.add_argument("--scale", nargs="+", required=True, help="label of all runs, or one for each: RUN=LABEL")
    add_output(p, "--output", FINDINGS, required=True)


def _add_kept_output(parser: argparse.ArgumentParser) -> None:
    """Add the output of a job that keeps what it has made in a journal."""
    add_output(parser, "--output", JOURNAL, required=True, help="a killed job goes on from the journal beside it")
    add_restart(parser)


def _add_table(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--settings", required=True, help="of the table, as JSON")
    add_root(parser)


def _add_scoring(parser: argparse.ArgumentParser) -> None:
    add_root(parser)
    parser.add_argument("--dataset", required=True)
    parser.add_argument("--classifier", required=True)
    parser.add_argument("--space", default="grid")
    parser.add_argument("--scaler", default="none")
    parser.add_argument("--splits", default="stratified")
    parser.add_argument("--seed", type=seed, required=True)
    parser.add_argument("--epochs", type=int, help="passes over the training rows, for networks")
    parser.add_argument("--tree-seed", default="repetition", help="or `candidate`: each tree has its own")
    parser.add_argument("--n-ranges", type=int, default=N_IN_RANGES, help="candidates drawn on the ranges")
    parser.add_argument("--timed", action="store_true", help="time every fit alone; no batch scorer")
    add_output(parser, "--output", required=True)
    add_output(parser, "--seconds-output", help="measured seconds, apart from reproducible scores")
