"""What the reproduction of document 004 consists of."""

from __future__ import annotations

from itertools import chain
from typing import Final

from studies.hypertune import budgets, complexity, curves, errors, starts
from studies.hypertune.searches import FLOOR, FLOOR_ROWS, LEARNERS, reaches_floor
from studies.records import Claim, Paper

STUDIES: Final = (
    complexity.COMPLEXITY,
    complexity.COMPLEXITY_BY_GAMMA,
    *chain(*zip(curves.STUDIES, errors.STUDIES, strict=True)),  # of a learner the searches, then their refits
    starts.SVM_TABLE,
    starts.OTHER_TABLES,
)
"""In the document's order."""
_ORDER: Final = [study.name for study in STUDIES]
CLAIMS: Final[tuple[Claim, ...]] = tuple(
    sorted(
        (*complexity.CLAIMS, *curves.CLAIMS, *errors.CLAIMS, *starts.CLAIMS),
        key=lambda claim: _ORDER.index(claim.study),
    )
)
PAPER: Final = Paper(
    name="hypertune",
    title="Document 004: HyperTune",
    studies=STUDIES,
    artefacts=(
        errors.TABLE1,
        errors.TABLE2,
        errors.TABLE3,
        errors.TABLE4,
        curves.CONTROLS_TABLE,
        budgets.BUDGETS,
        complexity.FIGURE1,
        curves.FIGURE2,
        curves.FIGURE3,
        curves.FIGURE4,
        curves.FIGURE5,
        starts.TABLE,
        starts.FIGURE,
        starts.OTHERS_TABLE,
        starts.OTHERS_FIGURE,
    ),
    claims=CLAIMS,
    about_claims={
        "claims": """Every claim of document 004: its words, the quantity that they speak of, the region in which
        the document is right, ours with its 95 % interval over the seeds, and the verdict. Reproduced: the whole
        interval lies in the region; contradicted: outside; undecided: across its edge, and so many seeds would
        decide. A sentence on all data sets must hold on each; stand-ins and problems on which no method does
        better than the majority's class take no part. Printed errors are judged on about as many training rows as
        the document's. A choice that diverged errs as the majority's class. Where a method had made all its trials
        before HyperTune's time was over, a claim on test errors is not run. What is not the document's stands in
        `findings.csv`."""
    },
    render=errors.render,
    floor=FLOOR,
    floor_rows=FLOOR_ROWS,
    reaches_floor=reaches_floor,
    all_shown={name: {"datasets": [name]} for name in LEARNERS},
)
