"""A tidy table of document 002 as a person reads it: methods or quantities across."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import pandas as pd

from studies.markdown import about_marked, crossed, made_of, mark

_ACROSS = ("method", "quantity")


def render(table: pd.DataFrame) -> str:
    """Markdown; a cell reads `mean ± half its 95 % interval (published ± its deviation)`; notes stand below.

    Args:
        table: tidy, key columns first, one of them `method` or `quantity`, and then `published`; a cell without a
            number of ours shows what its note begins with, up to a semicolon.
    """
    across = next(name for name in _ACROSS if name in table)
    lines = crossed(table, across, [_cell(row) for row in table.to_dict("records")])
    first = next(name for name in table if name != across)
    note = f"Means ± half of their 95 % interval over seeds (published); {made_of(table)}."
    for text in dict.fromkeys(text for text in table.get("note", []) if text):
        shown = table[table["note"] == text]
        where = ", ".join(dict.fromkeys(f"{row[first]}" for row in shown.to_dict("records")))
        note += f"\n\n{where}: {text}."
    note += about_marked(table, "\n\n")
    return f"{lines}\n\n{note}\n"


def _cell(row: dict[Hashable, Any]) -> str:
    reason = str(row.get("note") or "no value").split(";")[0]
    text = reason if pd.isna(row["ours"]) else f"{row['ours']:.4g}"
    if pd.notna(row["low"]) and pd.notna(row["high"]) and row["low"] != row["high"]:
        text += f" ± {(row['high'] - row['low']) / 2:.2g}"
    if pd.notna(row["published"]):
        sd = row.get("published_sd")
        text += f" ({row['published']:.5g}" + (f" ± {sd:.2g}" if sd is not None and pd.notna(sd) else "") + ")"
    return text + mark(row["data"])
