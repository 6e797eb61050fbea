"""The arguments of every command of `python -m studies`; what the commands do with them is in `studies.cli`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from frugal.arguments import (
    JOURNAL,
    Places,
    add_input,
    add_output,
    add_restart,
    add_trials,
    command,
    numbers,
    top_level,
)

MARKDOWN: Final[Places] = {"Markdown": lambda path: path.with_suffix(".md")}
DRAWN: Final[Places] = {
    "PNG": lambda path: path.with_suffix(".png"),
    "SVG": lambda path: path.with_suffix(".svg"),
    "CSV": lambda path: path.with_suffix(".csv"),
    "caption": lambda path: path.with_suffix(".md"),
}
FINDINGS: Final[Places] = {"findings": lambda path: path.with_name(path.name.replace("claims", "findings"))}


def make_parser() -> argparse.ArgumentParser:
    """All commands with their arguments; `command` of what it parses is the name of one."""
    parser, commands = top_level("studies", "Regenerate the documents, and compare strategies.")

    add_trials(commands)

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
    p.add_argument("--n-candidates", type=int, nargs="+", required=True)
    add_output(p, "--output", required=True)

    p = command(commands, "rows", "run methods of an experiment: on fewer rows, and what else a paper computes")
    p.add_argument("experiment")
    p.add_argument("--methods", nargs="+", required=True)
    p.add_argument("--seeds", type=numbers, required=True, help="for example 0-9")
    p.add_argument("--settings", default="{}", help="the experiment's settings, as JSON")
    p.add_argument("--root", default="data", help="folder of the datasets")
    add_output(p, "--output", required=True)

    p = command(commands, "refits", "fit and test what searches chose")
    p.add_argument("--paper", choices=("exploration", "hypertune", "trials_comparison"), default="exploration")
    add_input(p, "--runs", nargs="+", required=True)
    p.add_argument("--settings", default="{}", help="of problem and refits, as JSON")
    p.add_argument("--root", default="data", help="folder of the datasets")
    add_output(p, "--output", JOURNAL, required=True, help="a killed job goes on from the journal beside it")
    add_restart(p)

    p = command(commands, "derive", "compute a run from other runs or from nothing, so that no table has to")
    p.add_argument("paper", choices=("beta_pruning", "exploration"))
    p.add_argument("name")
    add_input(p, "--runs", nargs="*", default=[])
    add_output(p, "--output", required=True)

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
    p.add_argument("--seed", type=int, help="what a figure that explains is drawn from")
    add_input(p, "--numbers", type=Path, help="a CSV of its numbers, to draw it again without either")
    p.add_argument("--caption", help="in reStructuredText, for a file beside the pictures")
    add_output(p, "--output", DRAWN, itself=False, required=True)

    p = command(commands, "claims", "judge a paper's claims")
    p.add_argument("paper")
    add_input(p, "--runs", nargs="+", default=[], help="files named for experiments; the others are not judged")
    p.add_argument("--scale", required=True)
    add_output(p, "--output", FINDINGS, required=True)

    p = command(commands, "summary", "count the verdicts of several papers' claims, as .csv and .md")
    add_input(p, "--claims", nargs="+", required=True, help="files of claims, in their papers' folders")
    add_output(p, "--output", MARKDOWN, required=True)

    p = command(commands, "publish", "copy a paper's results to results/published/")
    p.add_argument("paper")
    p.add_argument("--partial", action="store_true", help="leave out what is below the published floor")
    p.add_argument("--only", nargs="+", default=[], help="patterns such as 'runs/*'; the rest stays as published")
    p.add_argument("--commit", help="that made the results; by default, that of this checkout")
    p.add_argument("--results", default="results", help="folder of the results, and of published/")
    p.add_argument("--root", default="data", help="folder of the datasets")
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
