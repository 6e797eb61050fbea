"""What the reproduction of document 000 consists of (Kreutzman 2020)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pandas as pd

from studies.beta_pruning import model, network
from studies.markdown import render
from studies.records import Artefact, Paper
from studies.shared import k_fold
from studies.verdicts import judge_all

__all__ = ["FLOOR", "FLOORS", "FLOOR_ROWS", "PAPER", "claims", "render"]

FIGURE1: Final = Artefact(
    "figure1",
    (),
    k_fold.summarise,
    """Figure 1 of document 000. k-fold cross-validation (k = 5) of one decision tree on the 569 rows of wdbc,
    stratified and shuffled: which rows are validation rows in each iteration, and its accuracy.""",
    k_fold.draw,
    datasets=("wdbc",),
)
PAPER: Final = Paper(
    name="beta_pruning",
    title="Document 000: cross validation pruning using Bayesian methods",
    studies=(model.MODEL, network.EXPLORED, network.SWEPT),
    artefacts=(FIGURE1, *model.ARTEFACTS, *network.ARTEFACTS),
    claims=(*model.CLAIMS, *network.CLAIMS),
    about_claims={
        "claims": """The claims of document 000 with its words, our number, the region in which the document is
        right, and a verdict (docs/claims.md). Those on the model are computed without chance, so their interval is
        a point; those on the network have a 95 % interval over the seeds, or over the prunings of all seeds. In
        findings is what we found beyond the document."""
    },
    floor=network.FLOOR,
    floor_rows=network.FLOOR_ROWS,
)
FLOOR, FLOOR_ROWS = PAPER.floor, PAPER.floor_rows
FLOORS: dict[str, int] = {}


def claims(runs: Mapping[str, pd.DataFrame], scale: str) -> pd.DataFrame:
    """All claims with verdicts, and our findings; those without runs as not run.

    Args:
        runs: by name of the study.
        scale: label of the run.

    Raises:
        ValueError: on an unknown study.
    """
    listed = (*model.CLAIMS, *network.CLAIMS)  # and not PAPER, whose figures would be part of the code of claims
    return judge_all([listed], runs, list(dict.fromkeys(claim.of for claim in listed)), scale)
