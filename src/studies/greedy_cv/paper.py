"""What the reproduction of document 001 consists of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pandas as pd

from studies.greedy_cv import (
    early_stopping,
    loop,
    progress,
    search_time,
    sensitivity,
    sizes,
    surfaces,
    wall_clock,
)
from studies.greedy_cv.measures import FLOOR, STUDY_FLOOR
from studies.markdown import render
from studies.records import Paper
from studies.verdicts import judge_all

__all__ = ["FLOOR", "FLOORS", "PAPER", "TABLES", "claims", "render"]


def _cells(config: Mapping[str, Any]) -> tuple[str, ...]:
    return ("search_time", "early_stopping", "wall_clock", "sizes", *sensitivity.variants(config))


PAPER: Final = Paper(
    name="greedy_cv",
    title="Document 001: greedy k-fold cross-validation",
    studies=(
        search_time.SEARCH_TIME,
        early_stopping.EARLY_STOPPING,
        wall_clock.WALL_CLOCK,
        sensitivity.SENSITIVITY,
        sizes.SIZES,
    ),
    artefacts=(
        loop.FIGURE1,
        *surfaces.ARTEFACTS,
        *progress.ARTEFACTS,
        search_time.TABLE1,
        search_time.TABLE1_BY_N,
        search_time.FIGURE11,
        search_time.FIGURE12,
        early_stopping.TABLE2,
        wall_clock.TABLE3,
        sensitivity.TABLE,
        sensitivity.FIGURE,
        sizes.TABLE,
        sizes.FIGURE,
    ),
    claims=(*search_time.CLAIMS, *early_stopping.CLAIMS, *wall_clock.CLAIMS, *sizes.CLAIMS),
    about_claims={
        "claims": """The claims of document 001 with its words, our number and its 95 % interval, the region in
        which the document is right, and a verdict (docs/claims.md). In findings is what we found beyond the
        document.
        {{ config["greedy_cv"]["search_time"]["n_seeds"] }} seeds.""",
        "claims_sensitivity": """The conjecture of document 001 on larger data, with our number from letter at
        several numbers of rows, its 95 % interval and a verdict (docs/claims.md). In findings_sensitivity is the
        standard method, a control. {{ config["greedy_cv"]["sizes"]["n_seeds"] }} seeds.""",
    },
    cells=_cells,
    floor=FLOOR,
)
FLOORS: Final = {"sensitivity": STUDY_FLOOR, "sizes": STUDY_FLOOR, "variants": STUDY_FLOOR}
"""Repetitions under which results of this name or in this folder are not published; `FLOOR` for the others."""
TABLES: Final = {one.name: one.summarise for one in PAPER.artefacts if one.kind == "table"}
"""Table name -> how it is made from runs and the label of the scale."""


def claims(runs: Mapping[str, pd.DataFrame], scale: str) -> pd.DataFrame:
    """The document's claims with verdicts, and our findings; those on `sizes`, or those on what the document did.

    Those of a study without runs are listed as not run.

    Args:
        runs: by name of the study, of those that the document did, or of `sizes` alone.
        scale: label of the run.

    Returns:
        A row per claim, as `verdicts.judge` gives it.

    Raises:
        ValueError: on other names; the message lists the known ones.
    """
    document, beside = ("search_time", "early_stopping", "wall_clock"), ("sizes",)
    known = beside if set(runs) & set(beside) else document
    if set(runs) - set(known):
        listed = f"{', '.join(document)}, or {', '.join(beside)} alone"
        raise ValueError(f"claims are made of runs of {listed}, not of {', '.join(runs)}")
    if known == beside:
        return judge_all([sizes.CLAIMS], runs, known, scale)
    return judge_all([search_time.CLAIMS, early_stopping.CLAIMS, wall_clock.CLAIMS], runs, known, scale)
