"""Document 003: sizes and lengths of trials (section 2), and training on fewer rows (section 3).

Every section has a package: `runs` makes the rows of an experiment, but for section 2, whose rows are those of
searches (`trials.searches`) and of extrapolated curves (`trials.extrapolations`); `summaries` and `figures` what
is shown of them, `claims` what the document says of them. Figures stand in `drawn`, so that claims need no
matplotlib.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

import pandas as pd

from studies.big_data.listed import render
from studies.experiments import EXPERIMENTS, EXTRAPOLATED, SEARCHES
from studies.verdicts import judge_all

__all__ = ["FLOOR", "FLOORS", "SECTIONS", "TABLES", "claims", "render"]

SECTIONS = (
    "size_aware",
    "curves",
    "bootstrap",
    "sample_size",
    "case_control",
    "kmeans_svm",
    "beyond",
    "searched_beyond",
)
"""Packages beside this module: the document's sections 2.1, 2.2, 3.1 to 3.4, and what it proposes at its end."""
FLOOR = 10
"""Repetitions under which no number is published and no verdict given."""
FLOORS: dict[str, int] = {}
"""The same for results of a name; `FLOOR` for the others."""
TABLES: dict[str, Callable[[pd.DataFrame, str], pd.DataFrame]] = {
    name: make
    for section in SECTIONS
    for name, make in import_module(f"{__name__}.{section}.summaries").TABLES.items()
}
"""Table name -> how it is made from runs and the label of the scale."""


def claims(runs: Mapping[str, pd.DataFrame], scale: str) -> pd.DataFrame:
    """The document's claims with verdicts, in its order; those of an experiment without runs as not run.

    Args:
        runs: by name of the experiment.
        scale: label of the run.

    Raises:
        ValueError: on an unknown experiment.
    """
    sources = [import_module(f"{__name__}.{section}.claims") for section in SECTIONS]
    return judge_all(sources, runs, [*SEARCHES, EXTRAPOLATED, *EXPERIMENTS], scale)
