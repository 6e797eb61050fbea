"""A tidy table of document 002 as a person reads it: methods or quantities across."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import pandas as pd

from frugal.papers.tidy import TIDY, is_stand_in, provenance

_ACROSS = ("method", "quantity")


def render(table: pd.DataFrame) -> str:
    """Markdown; a cell reads `mean ± half its 95 % interval (published ± its deviation)`; notes stand below.

    Args:
        table: tidy, key columns first, one of them `method` or `quantity`, and then `published`.
    """
    keys = list(table.columns[: list(table.columns).index(TIDY[0])])
    across = next(name for name in _ACROSS if name in keys)
    down = [key for key in keys if key != across]
    cells = table.assign(cell=[_cell(row) for row in table.to_dict("records")])
    wide = cells.pivot_table(index=down, columns=across, values="cell", aggfunc="first", sort=False)
    wide = wide.reindex(columns=list(dict.fromkeys(table[across]))).fillna("").reset_index()
    heads = [str(name).replace("_", " ") for name in wide.columns]
    lines = ["| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads)]
    lines += ["| " + " | ".join(_key(part) for part in row) + " |" for row in wide.to_numpy(object)]
    seeds = ", ".join(f"{n:g}" for n in sorted(table["n_seeds"].dropna().unique())) or "no"
    note = (
        f"Means ± half of their 95 % interval over seeds (published); scale {', '.join(table['scale'].unique())}, "
    )
    note += f"{seeds} seed{'' if seeds == '1' else 's'}, data: {provenance(table)}."
    for text in dict.fromkeys(text for text in table.get("note", []) if text):
        shown = table[table["note"] == text]
        where = ", ".join(dict.fromkeys(f"{row[down[0]]}" for row in shown.to_dict("records")))
        note += f"\n\n{where}: {text}."
    if table["data"].map(is_stand_in).any():
        note += "\n\n† a stand-in for a dataset, since the real one was out of reach."
    return "\n".join(lines) + "\n\n" + note + "\n"


def _key(part: object) -> str:
    return f"{part:g}" if isinstance(part, float) else str(part).replace("_", " ")


def _cell(row: dict[Hashable, Any]) -> str:
    text = "not testable here" if pd.isna(row["ours"]) else f"{row['ours']:.4g}"
    if pd.notna(row["low"]) and pd.notna(row["high"]) and row["low"] != row["high"]:
        text += f" ± {(row['high'] - row['low']) / 2:.2g}"
    if pd.notna(row["published"]):
        sd = row.get("published_sd")
        text += f" ({row['published']:.5g}" + (f" ± {sd:.2g}" if sd is not None and pd.notna(sd) else "") + ")"
    return text + (" †" if is_stand_in(row["data"]) else "")
