"""Every figure of the comparison by name."""

from __future__ import annotations

from studies.folds_comparison import figures, tables
from studies.drawn import Drawn

FIGURES: dict[str, Drawn] = {
    "pareto": Drawn(tables.summarise_pareto, figures.draw_pareto),
    "anytime": Drawn(tables.summarise_anytime, figures.draw_anytime),
    "ranks": Drawn(tables.summarise_ranks, figures.draw_ranks),
    "pareto_network": Drawn(tables.summarise_pareto, figures.draw_pareto),
    "anytime_network": Drawn(tables.summarise_anytime, figures.draw_anytime),
}
"""Figure name -> its numbers, from runs, and its picture."""
