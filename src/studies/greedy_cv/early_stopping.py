"""Document 001, section 5.2, Table 2: how good the models are that two early-stopping methods select."""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np
import pandas as pd

from studies.estimates import Array, Arrays, Estimate, resampled_count
from studies.greedy_cv.measures import (
    above_0_in_every,
    are_enough,
    count,
    n_significant,
    of_stoppers,
    runs_of_cells,
    seed_means,
)
from studies.greedy_cv.tables import (
    CELL,
    OF_NO_VARIANT,
    READING,
    STOPPING_METHODS,
    at_one_k,
    by_reading,
    compare,
    folds_of,
    kind_of_searches,
    kinds_by_reading,
    runs_by_reading,
    with_published,
)
from studies.methods import methods
from studies.records import Artefact, Claim, Study, as_configured
from studies.regions import above, between, near
from studies.tidy import need


def arrays(runs: pd.DataFrame) -> dict[str, Array]:
    """Rank percentiles of what is selected, under `greedy` and `halving`."""
    need(runs, "quality")
    return dict(zip(("greedy", "halving"), of_stoppers(runs, "quality"), strict=True))


JUDGED: Final = partial(runs_of_cells, table="table2")
IS_ENOUGH: Final = partial(are_enough, table="table2")
EARLY_STOPPING: Final = Study(
    name="early_stopping",
    methods=methods(*STOPPING_METHODS),
    folds=folds_of,
    replayed=as_configured,
    kinds=kinds_by_reading(
        "early_stopping", kind_of_searches(STOPPING_METHODS, "quality", lacks=(*OF_NO_VARIANT, "seconds"))
    ),
    judged=JUDGED,
    arrays=arrays,
    is_enough=IS_ENOUGH,
)
_claim = partial(Claim, section="5.2", unit="experiments", study="early_stopping", artefact="tables/table2")


def _better_in_every_cell(arrays: Arrays, rng: np.random.Generator) -> Estimate:
    """Rank percentile of greedy early stopping's choice less that of halving's, in points, in every cell."""
    better = 100.0 * seed_means(arrays["greedy"] - arrays["halving"])
    return above_0_in_every(better, "table2", [*CELL, "n"], "experiments")


def _n_better(arrays: Arrays, level: float) -> float:
    """Cells in which greedy early stopping selects the better model at a level."""
    return n_significant(-arrays["greedy"], -arrays["halving"], level)


CLAIMS: Final = (
    _claim(
        "greedy_cv.early_stopping.every_cell",
        quote="select final ML models that performed better than the final ML models selected by the successive "
        "halving method in every one of the 27 head-to-head experiments",
        quantity="rank percentile of the selected model, greedy early stopping's less successive halving's; the "
        "experiment where this is least",
        unit="points",
        agrees=above(0),
        measure=_better_in_every_cell,
    ),
    _claim(
        "greedy_cv.early_stopping.n_significant",
        quote="statistically outperformed the state-of-the-art successive halving method in every combination of "
        "dataset, ML algorithm, and value of n used in the early stopping experiments",
        quantity="experiments, of 27, in which greedy early stopping selects the better model at p < .01, the "
        "weakest level in the document's table, where all 27 have stars",
        agrees=between(26, 27),  # as of Table 1
        measure=count(partial(_n_better, level=0.01)),
    ),
    _claim(
        "greedy_cv.early_stopping.n_most_significant",
        section="Table 2",
        quote="*** p < 0.001 ... comparing the quality of the final ML models selected by the greedy early "
        "stopping method and the successive halving method",
        quantity="experiments, of 27, in which greedy early stopping selects the better model at p < .001 (in the "
        "document's table 26 have three stars)",
        agrees=near(26, margin=1),  # as of Table 1
        measure=count(partial(_n_better, level=0.001)),
    ),
    *(
        _claim(
            f"greedy_cv.early_stopping.{name}_resampled",
            quantity="experiments, of 27, in which greedy early stopping selects the better model at "
            f"p < {level}, and the middle 95 % of these counts over resampled repetitions",
            agrees=agrees,
            measure=partial(resampled_count, partial(_n_better, level=level)),
        )
        for name, level, agrees in (
            ("n_significant", 0.01, between(26, 27)),
            ("n_most_significant", 0.001, near(26, margin=1)),
        )
    ),
)


def table2(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Rank percentile of the chosen model; `k` is ours."""
    need(runs, "quality")
    ours = compare(runs, "quality", [*CELL, "n"], higher_is_better=True)
    return at_one_k(with_published("table2", ours, [*CELL, "method", "n"], scale, ["p"]), runs)


TABLE2: Final = Artefact(
    "table2",
    runs_by_reading("early_stopping"),
    by_reading(table2, *READING),
    """Table 2 of document 001: rank percentile of the model that each early-stopping method selects, ours beside
    the published value, one block of rows per reading of the document, and per place where halving ranks failed
    fits. {{ n_seeds | seeds }}.""",
)
