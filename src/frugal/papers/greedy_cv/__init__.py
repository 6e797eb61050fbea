"""Document 001: "Greed is good", greedy k-fold cross validation (Soper 2021, Electronics 10(16):1973)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd
from matplotlib.figure import Figure

from frugal.papers.greedy_cv import figures, schematics, sensitivity, tables
from frugal.papers.greedy_cv.claims import claims

__all__ = ["FIGURES", "TABLES", "claims"]

TABLES: dict[str, Callable[[pd.DataFrame, str], pd.DataFrame]] = {
    "table1": tables.table1,
    "table1_by_n": tables.table1_by_n,
    "table2": tables.table2,
    "table3": tables.table3,
    "sensitivity": sensitivity.sensitivity_table,
    "sizes": sensitivity.sizes_table,
}
"""Table name -> how it is made from runs and the label of the scale."""


@dataclass(frozen=True)
class Drawn:
    """A figure: the numbers, from runs or from a seed, and the picture of them."""

    summarise: Callable[..., pd.DataFrame]
    draw: Callable[[pd.DataFrame], Figure]


FIGURES: dict[str, Drawn] = {
    **{name: Drawn(summarise, draw) for name, (summarise, draw, _) in schematics.FIGURES.items()},
    "figure11": Drawn(figures.summarise_figure11, figures.draw_figure11),
    "figure12": Drawn(figures.summarise_figure12, figures.draw_figure12),
    "sensitivity": Drawn(sensitivity.summarise_sensitivity, sensitivity.draw_sensitivity),
    "sizes": Drawn(sensitivity.summarise_sizes, sensitivity.draw_sizes),
}
"""Figure name -> its numbers and its picture; 1 to 10 take a seed, the others runs."""
