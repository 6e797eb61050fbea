"""What the reproduction of document 000 consists of (Kreutzman 2020)."""

from __future__ import annotations

from typing import Final

from studies.beta_pruning import model, network
from studies.records import Artefact, Paper
from studies.shared import k_fold, network_scores

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
    floor=network_scores.FLOOR,
    floor_rows=network.FLOOR_ROWS,
)
