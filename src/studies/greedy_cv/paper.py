"""What the reproduction of document 001 consists of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from studies.greedy_cv import (
    early_stopping,
    factorial,
    library,
    loop,
    progress,
    readings,
    search_time,
    sensitivity,
    sizes,
    surfaces,
    wall_clock,
)
from studies.greedy_cv.measures import FLOOR
from studies.records import Paper


def _cells(config: Mapping[str, Any]) -> tuple[str, ...]:
    return (*readings.runs_of(config), "sizes", *sensitivity.variants(config), *factorial.runs_of(config))


PAPER: Final = Paper(
    name="greedy_cv",
    title="Document 001: greedy k-fold cross-validation",
    studies=(
        search_time.SEARCH_TIME,
        early_stopping.EARLY_STOPPING,
        wall_clock.WALL_CLOCK,
        sensitivity.SENSITIVITY,
        factorial.FACTORIAL,
        sizes.SIZES,
        library.LIBRARY,
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
        *readings.ARTEFACTS,
        sensitivity.TABLE,
        sensitivity.FIGURE,
        factorial.TABLE,
        sizes.TABLE,
        sizes.FIGURE,
        library.TABLE,
    ),
    claims=(*search_time.CLAIMS, *early_stopping.CLAIMS, *wall_clock.CLAIMS, *sizes.CLAIMS, *library.CLAIMS),
    about_claims={
        "claims": """The claims of document 001 with its words, our number and its 95 % interval, the region in
        which the document is right, and a verdict (docs/claims.md). In findings is what we found beyond the
        document.
        {{ config["greedy_cv"]["search_time"]["n_seeds"] | seeds }}.""",
        "claims_sensitivity": """The conjecture of document 001 on larger data, with our number from letter at
        several numbers of rows, its 95 % interval and a verdict (docs/claims.md). In findings_sensitivity is the
        standard method, a control. {{ config["greedy_cv"]["sizes"]["n_seeds"] | seeds }}.""",
        "claims_library": """The claims of document 001 on the times of Table 3, on the scikit-learn of its time
        (0.24.2), with our number, its 95 % interval and a verdict (docs/claims.md). In findings_library is in how
        many cells the same method is the faster one, and halving's time over that of GridSearchCV itself.
        {{ config["greedy_cv"]["library"]["n_seeds"] | seeds }}.""",
    },
    cells=_cells,
    floor=FLOOR,
    all_shown={
        "sensitivity": {"variants": {"any": {}}},
        "wall_clock": {"n_folds": [5]},
        "readings": {"any": {}},
        "factorial": {"spaces": ["any"], "scalers": ["none"], "splits": ["any"], "tree_seeds": ["any"]},
    },
)
