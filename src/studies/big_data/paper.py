"""What the reproduction of document 003 consists of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Final

import pandas as pd

from studies.big_data import (
    bias,
    boundaries,
    combinations,
    compression,
    figure3,
    figure6,
    figure7,
    figure8,
    figure11,
    figure12,
    fractions,
    growing_termination,
    intervals,
    intuition,
    reduced_search,
    sample_sizes,
    size_search,
    subsampling,
    terminating_fabolas,
    variance_check,
)
from studies.big_data.listed import render
from studies.experiments import EXPERIMENTS, EXTRAPOLATED, SEARCHES
from studies.records import Paper
from studies.verdicts import judge_all

__all__ = ["FLOOR", "FLOORS", "PAPER", "SECTIONS", "TABLES", "claims", "render"]

PAPER: Final = Paper(
    name="big_data",
    title="Document 003: big data",
    studies=(
        size_search.SVM_SEARCH,
        size_search.CNN_SEARCH,
        intervals.INTERVALS,
        intervals.INTERVAL_WORKERS,
        sample_sizes.SAMPLE_SIZES,
        variance_check.VARIANCE_CHECK,
        subsampling.SUBSAMPLING,
        bias.BIAS,
        boundaries.BOUNDARIES,
        compression.COMPRESSION,
        combinations.COMBINATIONS,
        fractions.FRACTIONS,
        growing_termination.GROWING_TERMINATION,
        reduced_search.REDUCED_SEARCH,
        terminating_fabolas.TERMINATING_FABOLAS,
    ),
    artefacts=(
        intuition.FIGURE1,
        intuition.FIGURE2,
        *figure3.ARTEFACTS,
        figure6.FIGURE6,
        *figure7.ARTEFACTS,
        *figure8.ARTEFACTS,
        variance_check.TABLE,
        *subsampling.ARTEFACTS,
        *bias.ARTEFACTS,
        figure11.FIGURE11,
        *boundaries.ARTEFACTS,
        *figure12.ARTEFACTS,
        *combinations.ARTEFACTS,
        *fractions.ARTEFACTS,
        *growing_termination.ARTEFACTS,
        *reduced_search.ARTEFACTS,
        *terminating_fabolas.ARTEFACTS,
    ),
    claims=(
        *size_search.CLAIMS,
        *intervals.CLAIMS,
        *sample_sizes.CLAIMS,
        *variance_check.CLAIMS,
        *subsampling.CLAIMS,
        *bias.CLAIMS,
        *boundaries.CLAIMS,
        *compression.CLAIMS,
        *combinations.CLAIMS,
        *growing_termination.CLAIMS,
        *reduced_search.CLAIMS,
        *terminating_fabolas.CLAIMS,
    ),
)
"""Of the sections that are declared by records; the others are in `SECTIONS`."""
SECTIONS: Final = ("curves",)
"""Packages beside this module that are not declared by records yet."""
CLAIMS: Final = (
    size_search.CLAIMS,
    "curves",
    intervals.CLAIMS,
    sample_sizes.CLAIMS,
    variance_check.CLAIMS,
    subsampling.CLAIMS,
    bias.CLAIMS,
    boundaries.CLAIMS,
    compression.CLAIMS,
    combinations.CLAIMS,
    growing_termination.CLAIMS,
    reduced_search.CLAIMS,
    terminating_fabolas.CLAIMS,
)
"""Records, or packages of `SECTIONS`, in the order of the document."""
FLOOR = PAPER.floor
"""Repetitions under which no number is published and no verdict given."""
FLOORS: dict[str, int] = {}
"""The same for results of a name; `FLOOR` for the others."""
TABLES: dict[str, Callable[[pd.DataFrame, str], pd.DataFrame]] = {
    name: make
    for section in SECTIONS
    for name, make in import_module(f"studies.big_data.{section}.summaries").TABLES.items()
}
"""Table name -> how it is made from runs and the label of the scale, of `SECTIONS`."""


def claims(runs: Mapping[str, pd.DataFrame], scale: str) -> pd.DataFrame:
    """The document's claims with verdicts, in its order; those of an experiment without runs as not run.

    Args:
        runs: by name of the experiment.
        scale: label of the run.

    Raises:
        ValueError: on an unknown experiment.
    """
    sources = [import_module(f"studies.big_data.{one}.claims") if isinstance(one, str) else one for one in CLAIMS]
    return judge_all(sources, runs, [*SEARCHES, EXTRAPOLATED, *EXPERIMENTS], scale)
