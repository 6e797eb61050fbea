"""Every figure of document 001 by name."""

from __future__ import annotations

from studies.drawn import Drawn
from studies.greedy_cv import figures, schematics, sensitivity

FIGURES: dict[str, Drawn] = {
    **{name: Drawn(summarise, draw) for name, (summarise, draw, _) in schematics.FIGURES.items()},
    "figure11": Drawn(figures.summarise_figure11, figures.draw_figure11),
    "figure12": Drawn(figures.summarise_figure12, figures.draw_figure12),
    "sensitivity": Drawn(sensitivity.summarise_sensitivity, figures.draw_sensitivity),
    "sizes": Drawn(sensitivity.summarise_sizes, figures.draw_sizes),
}
"""Figure name -> its numbers and its picture; 1 to 10 take a seed, the others runs."""
