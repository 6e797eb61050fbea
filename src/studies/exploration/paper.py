"""What the reproduction of document 002 consists of."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any, Final

import pandas as pd

from studies.exploration import (
    comparison,
    errors_as_coded,
    functions_long,
    greediness,
    illustrations,
    refits,
    surrogate_cost,
    surrogate_fits,
    task1,
    task2,
    task2_all_rows,
)
from studies.exploration.document import FLOOR
from studies.markdown import about_marked, crossed, made_of, mark
from studies.records import Paper

_ACROSS = ("method", "quantity")
_LOG: Final = "log10_"
_UNITS: Final = {"distance": "share of the unit cube's diagonal"}


def render(table: pd.DataFrame) -> str:
    """Markdown; a cell reads `mean ± half its 95 % interval (published ± its deviation)`; notes stand below.

    Args:
        table: tidy, key columns first, one of them `method` or `quantity`, and then `published`; a cell without a
            number of ours shows what its note begins with, up to a semicolon. Of measures `log10_x` the cell reads
            `geometric mean (low to high)`, of their difference the ratio.
    """
    across = next(name for name in _ACROSS if name in table)
    cells = [_cell(row) for row in table.to_dict("records")]
    named = table.assign(measure=table["measure"].map(_natural)) if "measure" in table else table
    lines = crossed(named, across, cells)
    first = next(name for name in table if name != across)
    by = "problem" if "problem" in table else ""
    note = f"Means ± half of their 95 % interval over seeds (published); {made_of(table, by=by)}."
    for text in dict.fromkeys(text for text in table.get("note", []) if text):
        shown = table[table["note"] == text]
        where = ", ".join(dict.fromkeys(f"{row[first]}".removeprefix(_LOG) for row in shown.to_dict("records")))
        note += f"\n\n{where}: {text}."
    note += about_marked(table, "\n\n")
    return f"{lines}\n\n{note}\n"


def _natural(measure: str) -> str:
    if measure.startswith(_LOG):
        return f"{measure.removeprefix(_LOG)} (geometric means; their ratio)"
    return f"{measure} ({_UNITS[measure]})" if measure in _UNITS else measure


def _cell(row: dict[Hashable, Any]) -> str:
    if str(row.get("measure")).startswith(_LOG) and pd.notna(row["low"]):
        ours, low, high = (10 ** row[name] for name in ("ours", "low", "high"))
        return f"{ours:.4g} ({low:.2g} to {high:.2g}){mark(row['data'])}"
    reason = str(row.get("note") or "no value").split(";")[0]
    text = reason if pd.isna(row["ours"]) else f"{row['ours']:.4g}"
    if pd.notna(row["low"]) and pd.notna(row["high"]) and row["low"] != row["high"]:
        below, above = row["ours"] - row["low"], row["high"] - row["ours"]
        is_cut = not math.isclose(below, above, rel_tol=1e-6)  # a share's, at 0 or 1
        text += f" ({row['low']:.2g} to {row['high']:.2g})" if is_cut else f" ± {(below + above) / 2:.2g}"
    if pd.notna(row["published"]):
        sd = row.get("published_sd")
        text += f" ({row['published']:.5g}" + (f" ± {sd:.2g}" if sd is not None and pd.notna(sd) else "") + ")"
    return text + mark(row["data"])


CLAIMS: Final = (
    *task1.CLAIMS,
    *errors_as_coded.CLAIMS,
    *task2_all_rows.CLAIMS,
    *task2.CLAIMS,
    *refits.CLAIMS,
    *greediness.CLAIMS,
    *functions_long.CLAIMS,
    *surrogate_fits.CLAIMS,
)
PAPER: Final = Paper(
    name="exploration",
    title="Document 002: Bayesian exploration",
    studies=(
        task1.TASK1,
        task1.SCORES,
        errors_as_coded.OPTIMA,
        task2.TASK2_SEARCHES,
        task2_all_rows.TASK2_ALL_ROWS,
        refits.REFITS,
        greediness.FUNCTION_SEARCHES,
        functions_long.FUNCTION_SEARCHES,
        comparison.LOGISTIC,
        surrogate_cost.SURROGATE_COST,
        surrogate_fits.SURROGATE_FITS,
    ),
    artefacts=(
        illustrations.BLACK_BOX,
        illustrations.ROUTINE,
        task1.TABLE,
        task1.FIGURE,
        task1.PATH,
        errors_as_coded.TABLE,
        illustrations.FRAMES,
        task2.TABLE,
        task2.FIGURE,
        task2_all_rows.TABLE,
        comparison.TABLE,
        comparison.FIGURE,
        greediness.TABLE,
        functions_long.TABLE,
        surrogate_cost.TABLE,
        surrogate_cost.FIGURE,
        surrogate_fits.TABLE,
        surrogate_fits.FIGURE,
    ),
    claims=CLAIMS,
    about_claims={
        "claims": """Every claim of document 002: its words, the quantity that they speak of, the region in which
        the document is right, ours with its 95 % interval over the seeds (of shares Wilson's), and the verdict.
        Reproduced: the whole interval lies in the region; contradicted: outside; undecided: across its edge, and
        so many seeds would decide. Where its numbers come from stands in `findings.csv`."""
    },
    render=render,
    floor=FLOOR,
    floor_rows=refits.ALL_ROWS,
)
