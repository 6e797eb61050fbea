"""A tidy table of document 003 as a person reads it: a row per combination of keys, a column per measure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pandas as pd

from studies.markdown import about_marked, crossed, made_of, mark

OURS, PUBLISHED = "ours", "published"
"""Sources of what a figure shows: our runs, or the document's printed or digitised points."""
REPETITIONS: Final = "repetitions"
"""Key of a table's `attrs`: what its n_seeds counts, in the plural, if not seeds."""
_POWERS: Final = {"log10_": 10.0, "log2_": 2.0}


def render(table: pd.DataFrame) -> str:
    """Markdown; a cell reads `mean (low to high) [published x]`; scale, seeds and data stand below.

    Args:
        table: tidy, key columns first and then `published`; where `measure` is a key it goes across, logarithms as
            the factors that they are of. A column `says` is put behind the numbers.
    """
    named = as_factors(table) if "measure" in table else table.assign(measure="mean")
    lines = crossed(named, "measure", [_cell(row) for row in named.to_dict("records")])
    many = table.attrs.get(REPETITIONS, "seeds")
    note = f"Means (their 95 % intervals over {many}) [what is published]; {made_of(table, many)}."
    return f"{lines}\n\n{note}{about_marked(table)}\n"


def as_factors(table: pd.DataFrame) -> pd.DataFrame:
    """Replace logarithms by factors, and rename their measures.

    `log10_x` and `log2_x` become `x, times`; `log10_x_less_y` becomes `x_over_y, times`.
    """
    table, numbers = table.copy(), ["ours", "low", "high"]
    for log, base in _POWERS.items():
        is_log = table["measure"].str.startswith(log)
        names = table.loc[is_log, "measure"].str.removeprefix(log).str.replace("_less_", "_over_") + ", times"
        table.loc[is_log, numbers] = base ** table.loc[is_log, numbers]
        table.loc[is_log, "measure"] = names
    return table


def _cell(row: Mapping[Any, Any]) -> str:
    text = "no value" if pd.isna(row["ours"]) else f"{row['ours']:.4g}"
    if pd.notna(row["low"]) and pd.notna(row["high"]):
        text += f" ({row['low']:.4g} to {row['high']:.4g})"
    if pd.notna(row["published"]):
        text += f" [published {row['published']:.4g}]"
    if row.get("says"):
        text += f", {row['says']}"
    return text + mark(row["data"])
