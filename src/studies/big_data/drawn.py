"""Every figure of document 003, by name."""

from __future__ import annotations

from importlib import import_module

from studies.big_data.paper import SECTIONS
from studies.drawn import Drawn

FIGURES: dict[str, Drawn] = {
    name: figure
    for section in SECTIONS
    for name, figure in import_module(f"studies.big_data.{section}.figures").FIGURES.items()
}
"""Figure name -> its numbers and its picture, from a seed or from runs."""
