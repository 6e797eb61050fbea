"""Tables of section 2.2 in one order: of its data sets, and of what a table lists."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pandas as pd

from studies.big_data.curve_search import NAMES
from studies.tidy import TIDY, shares_within, unprinted

SHARES: Final = (
    "best", "dropped", "coverage_90", "stopped", "wrongly_stopped", "check_share", "overhead_share", "cut",
    "cut_high", "cut_low", "cut_best", "reached",
)  # fmt: skip


def tidied(parts: list[pd.DataFrame], keys: list[str], scale: str, orders: dict[str, Any]) -> pd.DataFrame:
    """One table in the order of data, and of what `orders` lists."""
    table = shares_within(pd.concat([part for part in parts if len(part)], ignore_index=True), SHARES)
    listed = {"dataset": list(NAMES), **{key: list(order) for key, order in orders.items()}}
    ranks = [table[key].map({name: i for i, name in enumerate(order)}) for key, order in listed.items()]
    table = table.iloc[np.lexsort(ranks[::-1])].reset_index(drop=True)
    table = unprinted(table, scale).assign(says="")
    return table[[*keys, *TIDY, "n_missing", "says"]]
