"""Every figure of document 002, by name."""

from __future__ import annotations

from studies.drawn import Drawn
from studies.exploration.black_box import draw_black_box, summarise_black_box
from studies.exploration.comparison import summarise_comparison
from studies.exploration.costs import summarise_surrogate_cost
from studies.exploration.searches_figures import (
    draw_comparison,
    draw_surrogate_cost,
    draw_task1_path,
    draw_task2,
)
from studies.exploration.sinc import draw_frames, draw_routine, summarise_frames, summarise_routine
from studies.exploration.task1_figure import draw_task1
from studies.exploration.task1_tables import summarise_task1, summarise_task1_path
from studies.exploration.task2 import summarise_task2

FIGURES: dict[str, Drawn] = {
    "black_box": Drawn(summarise_black_box, draw_black_box),
    "routine": Drawn(summarise_routine, draw_routine),
    "task1": Drawn(summarise_task1, draw_task1),
    "dngo_frames": Drawn(summarise_frames, draw_frames),
    "task1_path": Drawn(summarise_task1_path, draw_task1_path),
    "task2": Drawn(summarise_task2, draw_task2),
    "comparison": Drawn(summarise_comparison, draw_comparison),
    "surrogate_cost": Drawn(summarise_surrogate_cost, draw_surrogate_cost),
}
"""Figure name -> its numbers and its picture: the first four from a seed, the others from runs."""
