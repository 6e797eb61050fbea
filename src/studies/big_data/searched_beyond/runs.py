"""The experiments: searches with the combinations of section 4, and with their parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from studies.big_data.searched_beyond import growing, reduced, terminated

Run = Callable[..., pd.DataFrame]


def _search(
    module: Any, method: str, seed: int, settings: Mapping[str, Any], root: str | Path = "data"
) -> pd.DataFrame:
    """One search; columns are those of the module's `search`.

    Args:
        module: whose `METHODS` are known.
        method: one of these.
        seed: of data, candidates and draws; methods share the data and the first candidates of a seed.
        settings: all of the experiment's.
        root: the data folder.

    Raises:
        ValueError: on an unknown setting, or a setting out of range.
    """
    table: pd.DataFrame = module.search(method, seed, settings, root)
    return table.assign(method=method, seed=seed)


EXPERIMENTS: dict[str, tuple[Run, tuple[str, ...]]] = {
    "growing_termination": (partial(_search, growing), growing.METHODS),
    "reduced_search": (partial(_search, reduced), reduced.METHODS),
    "terminating_fabolas": (partial(_search, terminated), terminated.METHODS),
}
"""Experiment name -> its function and its methods."""
