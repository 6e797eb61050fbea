"""How greedy expected improvement is beside top-two expected improvement, in document 002's searches.

The measures were fixed before any was looked at: the distance of suggestions to the incumbent, and what is left to
the minimum in the end.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from studies.estimates import Estimate, ratio, tied
from studies.exploration.searches import (
    COMPARED,
    FUNCTION,
    distances,
    ends,
    has_enough_searches,
    log10_regret,
    n_initial,
    searches,
)
from studies.measures import ratio_of
from studies.methods import methods
from studies.paired import missing_notes
from studies.records import Artefact, Claim, Study
from studies.regions import above, below
from studies.tidy import mean_by_seed, tidied

EI_AND_KIN: Final = ("ei", "ei_explore")


def greediness(runs: pd.DataFrame) -> pd.DataFrame:
    """Measures of expected improvement and of its more exploratory kin, seed by seed.

    `distance` is that of suggestions to the incumbent they were chosen against, as a share of the cube's diagonal
    (`searches.distances`). `log10_regret` is of the lowest value found above the minimum, of the functions alone,
    whose minimum is known.

    Args:
        runs: rows of `searches.search`, those of random search among them: what it shares with the others
            are the first candidates, which no strategy chose.

    Returns:
        learner, dataset, seed, data, measure, ei, ei_explore, difference (the former less the latter); nan where
        a search has no value.
    """
    whole = searches(runs)
    found = whole[whole["method"].isin(EI_AND_KIN)]
    by_problem = found.groupby(["learner", "dataset"], sort=False)
    far = pd.concat(
        [distances(part, n_initial(whole, str(name[0]), str(name[1]))) for name, part in by_problem],
        ignore_index=True,
    )
    parts = [far.rename(columns={"distance": "value"}).assign(measure="distance")]
    if (found["learner"] == FUNCTION).any():
        last = ends(found[found["learner"] == FUNCTION])
        last["value"] = log10_regret(last)
        parts.append(last[list(parts[0].columns.drop("measure"))].assign(measure="log10_regret"))
    long = pd.concat(parts, ignore_index=True)
    keys = ["learner", "dataset", "seed", "data", "measure"]
    ei, explore = (
        long[long["method"] == method][[*keys, "value"]].rename(columns={"value": method}) for method in EI_AND_KIN
    )
    wide = ei.merge(explore, "outer", on=keys)
    return wide.assign(difference=wide["ei"] - wide["ei_explore"])


def geometric_means(runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    """`distance_{method}` and `regret_{method}` of both EI: geometric means over the problems of a seed."""
    wide = greediness(runs).dropna()
    found: dict[str, NDArray[np.float64]] = {}
    for measure, part in wide.groupby("measure"):
        values = part[list(EI_AND_KIN)]
        logs = values.apply(np.log10) if measure == "distance" else values
        means = logs.groupby(part["seed"]).mean()
        name = str(measure).removeprefix("log10_")
        found |= {f"{name}_{method}": 10 ** means[method].to_numpy(float) for method in EI_AND_KIN}
    return found


# Claims on Branin and Hartmann-6 -------------------------------------------------------------------------------

N_TRIALS: Final = 30
"""Trials of a search under which no verdict is given: what a comparison of strategies with random search takes."""


def arrays(runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    """Arrays that the claims are measured on, each (n_seeds,): `geometric_means` over both functions."""
    return geometric_means(searches(runs, FUNCTION))


IS_ENOUGH: Final = partial(has_enough_searches, methods=COMPARED, n_trials=N_TRIALS)
FUNCTION_SEARCHES: Final = Study(
    name="functions",
    methods=methods(*COMPARED),
    problems=((FUNCTION, "branin"), (FUNCTION, "hartmann6")),
    arrays=arrays,
    is_enough=IS_ENOUGH,
)
NEARER: Final = (
    "mean distance of a suggestion from the incumbent, top-two EI's (EI made more exploratory) over EI's, {}"
)


def _left_by_the_less_greedy(arrays: Mapping[str, NDArray[np.float64]], rng: np.random.Generator) -> Estimate:
    """What top-two EI leaves over what EI leaves; no verdict unless top-two EI suggests farther off."""
    left = ratio(arrays["regret_ei_explore"], arrays["regret_ei"])
    if ratio(arrays["distance_ei_explore"], arrays["distance_ei"]).low > 1:
        return left
    return tied(left, "top-two EI suggests no farther from the incumbent, so that it shows nothing of greed")


_claim = partial(
    Claim,
    section="Choice of acquisition function",
    quote="It is noted in the literature that the EI criterion tends to be too greedy (exploitative) in nature.",
    unit="times",
    study="functions",
    artefact="tables/greediness",
)

CLAIMS: Final = (
    _claim(
        "exploration.functions.ei_greedy",
        quantity=NEARER.format("on Branin and Hartmann-6"),
        agrees=above(1),
        measure=ratio_of("distance_ei_explore", "distance_ei"),
    ),
    _claim(
        "exploration.functions.ei_too_greedy",
        quantity="regret (1e-6 or more) at the end of a search on Branin and Hartmann-6, top-two EI's (EI made "
        "more exploratory) over EI's",
        agrees=below(1),
        measure=_left_by_the_less_greedy,
    ),
)


# The table -------------------------------------------------------------------------------------------------------

KEYS: Final = ["problem", "measure", "quantity"]


def tabulate(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Means of `greediness`.

    Returns:
        `KEYS` (quantities are ei, ei_explore and difference), `tidy.TIDY`, n_missing (seeds without a value) and
        note.
    """
    found = greediness(runs)
    found["problem"] = found["dataset"].where(found["learner"] == FUNCTION, found["learner"])
    measured = [*EI_AND_KIN, "difference"]
    long = found.melt(["problem", "measure", "seed", "data"], measured, var_name="quantity")
    table = mean_by_seed(long, "value", KEYS)
    table["note"] = missing_notes(table.rename(columns={"quantity": "method"}))
    return tidied(table, KEYS, scale, "n_missing", "note")


TABLE: Final = Artefact(
    "greediness",
    ("functions", "logistic", "task2"),
    tabulate,
    """How greedy expected improvement is beside top-two expected improvement: the distance of suggestions to the
    incumbent that they were chosen against, as a share of the diagonal of the unit cube, and what is left to the
    minimum at the end (geometric means, 1e-6 or more; in the CSV log10 of it); and their differences, of what is
    left the ratio, paired by seed. The measures were fixed before they were looked at.""",
)
