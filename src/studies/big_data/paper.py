"""What the reproduction of document 003 consists of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pandas as pd

from studies.big_data import (
    bias,
    boundaries,
    combinations,
    compression,
    curve_fits,
    curve_search,
    figure3,
    figure4,
    figure5,
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

__all__ = ["FLOOR", "FLOORS", "PAPER", "TABLES", "claims", "render"]

CLAIMS: Final = (
    *size_search.CLAIMS,
    *curve_fits.CLAIMS,
    *curve_search.CLAIMS,
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
)
"""In the order of the document. Apart from `PAPER`, so that what judges them does not depend on runs."""
PAPER: Final = Paper(
    name="big_data",
    title="Document 003: big data",
    studies=(
        size_search.SVM_SEARCH,
        size_search.CNN_SEARCH,
        curve_fits.CURVE_FITS,
        curve_search.CURVE_SEARCH,
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
        *figure4.ARTEFACTS,
        *figure5.ARTEFACTS,
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
    claims=CLAIMS,
)
FLOOR = PAPER.floor
"""Repetitions under which no number is published and no verdict given."""
FLOORS: Final[dict[str, int]] = {}
"""The same for results of a name; `FLOOR` for the others."""
TABLES: Final = {one.name: one.summarise for one in PAPER.artefacts if one.kind == "table"}
"""Table name -> how it is made from runs and the label of the scale."""


def claims(runs: Mapping[str, pd.DataFrame], scale: str) -> pd.DataFrame:
    """The document's claims with verdicts, in its order; those of an experiment without runs as not run.

    Args:
        runs: by name of the experiment.
        scale: label of the run.

    Raises:
        ValueError: on an unknown experiment.
    """
    return judge_all([CLAIMS], runs, [*SEARCHES, EXTRAPOLATED, *EXPERIMENTS], scale)
