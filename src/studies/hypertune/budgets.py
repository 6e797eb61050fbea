"""How HyperTune's time, which every method gets, was spent, and whether EI tried HyperTune's choice, too."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from studies.estimates import NOT_RUN
from studies.hypertune.searches import (
    LEARNERS,
    PROBLEM,
    TESTER,
    at_floor,
    choice_within,
    least_scope,
    not_run,
    paths,
    runs_of,
    tested,
)
from studies.markdown import about_marked, crossed, made_of, mark
from studies.records import Artefact
from studies.tidy import TIDY, mean_by_seed, shares_of_answers, shares_within, tidied

MEASURES: Final = {
    "budget_s": "seconds of the budget",
    "on_subsets": "share of it spent on subsets",
    "n_trials": "trials on all rows that ended in it",
    "ends_at_first": "whether it ends with the first of these",
    "ei_tried": "whether EI, the same without signs, tried the choice, too, in all of its search",
}
"""Per search by HyperTune."""
ANSWERS: Final = ("ends_at_first", "ei_tried")
"""Those of `MEASURES` that are a yes or no."""
SHARES: Final = ("on_subsets", *ANSWERS)
"""Those from 0 to 1."""
_KEYS: Final = ["learner", "dataset", "measure"]
_FURTHER: Final = ("least", "most", "n_rows", "n_epochs", "n_missing")


def measure(searches: pd.DataFrame, fits: pd.DataFrame) -> pd.DataFrame:
    """`MEASURES` of each search by HyperTune that has a budget, with its learner, dataset, seed and data.

    ei_tried is nan where EI was not run. A search with a fixed time has no budget of its own, and is left out. Its
    budget does not end with one of its trials, as the budgets of the other searches do.

    The budgets are in `fits`, rows of `searches.tested`.
    """
    rows: list[dict[str, object]] = []
    budgets = fits[fits["method"] == TESTER].set_index(PROBLEM)["budget_s"].to_dict()
    for cell, part in searches.groupby(PROBLEM, sort=False):
        path = part[part["method"] == TESTER]
        if path.empty or cell not in budgets:
            continue
        total_s = float(budgets[cell])
        if not np.isclose(path["spent_seconds"], total_s, rtol=1e-9, atol=0).any():
            continue
        is_on_all = path["n_rows"].isna()
        n_trials = int((is_on_all & (path["spent_seconds"] <= total_s * (1 + 1e-9))).sum())
        choice, _ = choice_within(path, total_s)
        tried = part[part["method"] == "ei"]["candidate"].map(json.loads).tolist()
        facts = {
            "data": path["data"].iloc[0],
            "budget_s": total_s,
            "on_subsets": float((path["seconds"] + path["overhead_s"])[~is_on_all].sum()) / total_s,
            "n_trials": n_trials,
            "ends_at_first": n_trials == 1,
            "ei_tried": choice in tried if tried else math.nan,
        }
        rows.append(dict(zip(PROBLEM, cell, strict=True)) | facts)
    return pd.DataFrame(rows, columns=[*PROBLEM, *MEASURES, "data"])


def tabulate(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """What the searches' budgets were spent on, problem by problem.

    Returns:
        learner, dataset, measure (`MEASURES`), `tidy.TIDY` (means over seeds), least and most of a seed, n_rows,
        n_epochs, n_missing. Where HyperTune was not run, there is one row, and its scale says so. Where EI was not
        run, the scale of the rows on EI says so. Problems below the floor are left out if other problems reach it.
    """
    fits = tested(runs)
    if not (fits["method"] == TESTER).any():
        return not_run([*_KEYS, *TIDY, *_FURTHER], learner="none", dataset="none", measure="budget_s")
    searches = paths(runs[runs["method"].isin([TESTER, "ei"])])
    long = measure(searches, fits).melt([*PROBLEM, "data"], list(MEASURES), "measure").astype({"value": float})
    ends = long.groupby(_KEYS)["value"].agg(least="min", most="max").reset_index()
    cells = shares_within(mean_by_seed(long, "value", _KEYS), ["on_subsets"])
    cells = shares_of_answers(cells, ANSWERS).merge(ends).assign(method=TESTER)
    cells = at_floor(cells.merge(least_scope(searches)))
    table = tidied(cells, _KEYS, scale, *_FURTHER, orders={"measure": MEASURES})
    return table.assign(scale=table["scale"].where(table["n_seeds"] > 0, NOT_RUN))


def render(table: pd.DataFrame) -> str:
    """Markdown; a cell reads `mean (least to most)`; below stand what columns are, and counts over searches."""
    lines = crossed(table, "measure", [_cell(row) for row in table.to_dict("records")])
    run = table[table["scale"] != NOT_RUN]
    if run.empty:
        return f"{lines}\n"

    def count(measure: str) -> str:
        rows = run[run["measure"] == measure]
        return f"{(rows['ours'] * rows['n_seeds']).sum():.0f} of {rows['n_seeds'].sum()}"

    share = run[run["measure"] == "on_subsets"]
    meanings = "; ".join(f"{name.replace('_', ' ')}: {text}" for name, text in MEASURES.items())
    note = (
        f"Means (least to most) over HyperTune's searches; {meanings}. "
        f"{made_of(run, by='learner').capitalize()}.\n\nThe budgets of {count('ends_at_first')} searches end with"
        f" the first trial on all rows; of all budgets trials on subsets take {share['least'].min():.0%} to"
        f" {share['most'].max():.0%}."
    )
    if (run["measure"] == "ei_tried").any():
        note += f" {count('ei_tried')} chose a candidate that EI tried, too."
    note += about_marked(run, "\n\n")
    return f"{lines}\n\n{note}\n"


def _cell(row: Mapping[Any, Any]) -> str:
    if row["scale"] == NOT_RUN:
        return NOT_RUN
    style = ".0%" if row["measure"] in SHARES else ".3g"
    mean, least, most = (format(row[name], style) for name in ("ours", "least", "most"))
    text = mean if least == most else f"{mean} ({least} to {most})"
    return text + mark(row["data"])


BUDGETS: Final = Artefact(
    "budgets",
    runs_of(tuple(LEARNERS), "", "_refits"),
    tabulate,
    """What HyperTune's time, where it is every method's, was spent on, and whether EI tried its choice, too;
    not in the document.""",
    render=render,
)
