"""What section 2.1 says of its Figure 3, quoted, as logarithms of what methods spend until they are good.

Good means, wherever no sentence says otherwise, that the incumbent's test error is for the first time within 10 %
of the least one of the table (`searched.GOOD`); one main target for all sentences. Each sentence is judged twice:
in seconds, of evaluations and of the optimiser, as the document has them; and in the evaluations' cost (see
`searched`), which is what is left where these take so long that the optimiser's time does not matter.

A search that never gets there counts against the claim: as all that it spent where it is the one to be beaten,
which is less than it would take; as the most that any search of its seed spent where it is said to be fast.

Of the CNN the document says one sentence, without a number: "similar results". It is read as the same order:
every Bayesian method before random search, an MTBO before the methods on all rows, Fabolas before every MTBO.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from studies.big_data.size_aware import ratios
from studies.big_data.size_aware.searched import (
    CURRENCIES,
    METHODS,
    arrivals,
    cells,
    cost_ratio,
    searches,
    targets,
)
from studies.experiments import SEARCHES
from studies.verdicts import Claim, check_claimed

N_SEEDS: Final = 10
FLOORS: Final = {
    "svm_search": {"candidates": 14 * 14, "sizes": 5, "largest size": 8192, "random's trials": 100},
    "cnn_search": {"candidates": 50, "sizes": 5, "largest size": 2048, "random's trials": 50},
}
"""Of the tables and of random search, under which no verdict is given."""
_COST: Final = {"svm_search": "kernel values", "cnn_search": "rows times epochs"}


def _quoted(quoted: str, unit: str, how: str, statistic: Callable[..., float], **given: str) -> Claim:
    text = f'"{quoted}" (in {unit}: {how}; below 0 if so)'
    return Claim(text, math.nan, partial(statistic, **given))


_GOOD: Final = "until the test error is within 10 % of the table's least, mean of log10 ratios seed by seed"


def _of(currency: str) -> list[tuple[Claim, float]]:
    """The claims in one currency, each with the speed-up that it speaks of (1: of none)."""

    def claim(quoted: str, how: str, statistic: Callable[..., float], **given: str) -> Claim:
        unit = _COST["svm_search"] if currency == "cost" else currency
        return _quoted(quoted, unit, how, statistic, currency=currency, **given)

    additional = "By allowing two probing sizes, MTBO is one additional order of magnitude faster"
    return [
        (
            claim(
                "All Bayesian optimization approaches are at least one order of magnitude faster than random "
                "search",
                f"{_GOOD}, the slowest method's to random search, plus 1",
                ratios.all_faster,
            ),
            10.0,
        ),
        *(
            (
                claim(
                    additional,
                    f"{name.replace('mtbo_', 'MTBO-')}; {_GOOD}, to the better of EI and entropy search, plus 1",
                    ratios.mtbo_faster,
                    method=name,
                ),
                10.0,
            )
            for name in ratios.MTBO
        ),
        (
            claim(
                "Depending on the choice of N MTBO sometimes improves faster than Fabolas initially",
                "until the test error is within 50 % of the table's least, log10 ratio of the best MTBO to "
                "Fabolas",
                ratios.mtbo_first,
            ),
            1.0,
        ),
        (
            claim(
                "Once Fabolas starts improving it does however find a good configuration about one order of "
                "magnitude faster than MTBO",
                f"{_GOOD}, Fabolas to the best MTBO, plus 0.5: about one order is read as more than half of one",
                ratios.fabolas_faster,
            ),
            10.0,
        ),
        (
            claim(
                "The optimal configuration is found at roughly the same time by both Fabolas and MTBO",
                "until the test error is that of the candidate with the lowest validation error on all rows, "
                "distance of log10 to the nearest MTBO, less 0.5",
                ratios.apart,
            ),
            1.0,
        ),
        (
            claim(
                "Overall Fabolas finds a good configuration between 100 and 1000 times faster than random search "
                "does",
                f"{_GOOD}, plus 2: at least 100 times",
                ratios.hundred,
            ),
            100.0,
        ),
    ]


def _of_cnn(currency: str) -> list[tuple[Claim, float]]:
    unit = _COST["cnn_search"] if currency == "cost" else currency
    how = f"the same order {_GOOD}, the largest of those that should be below 0"
    quoted = "Similar results are obtained when optimizing CNNs on CIFAR-10"
    return [(_quoted(quoted, unit, how, ratios.out_of_order, currency=currency), 1.0)]


_FACTORS: Final = {
    "svm_search": {currency: _of(currency) for currency in CURRENCIES},
    "cnn_search": {currency: _of_cnn(currency) for currency in CURRENCIES},
}
CLAIMS: Final[dict[str, tuple[Claim, ...]]] = {
    experiment: tuple(claim for listed in of.values() for claim, _ in listed)
    for experiment, of in _FACTORS.items()
}
"""By experiment, in the order of the document, in seconds and then in cost."""


def arrays(experiment: str, runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    """What was spent until a target, each (2, n_methods, n_seeds), over the seeds that every method has.

    Args:
        experiment: key of `CLAIMS`.
        runs: its searches and cells.

    Returns:
        "{currency} {target}", of the targets of `searched.targets`: first as of searches that are to be beaten,
        then as of searches that are said to be fast, see the module; methods as in `METHODS`, nan of one not run.

    Raises:
        ValueError: on an unknown experiment.
    """
    check_claimed(experiment, CLAIMS)
    found = {}
    for currency in CURRENCIES:
        for target, error in targets(runs).items():
            table = arrivals(runs, error, currency)
            most = table.groupby("seed")["whole"].transform("max")
            kinds = [table["spent"], table["spent"].where(table["reached"], most)]
            wide = [
                table.assign(spent=spent).pivot_table("spent", index="method", columns="seed").dropna(axis=1)
                for spent in kinds
            ]
            found[f"{currency} {target}"] = np.array([part.reindex(METHODS).to_numpy(float) for part in wide])
    return found


def reaches_floor(experiment: str, runs: pd.DataFrame) -> bool:
    """Whether runs are enough for a verdict: ten seeds of every method, and `FLOORS`.

    Raises:
        ValueError: on an unknown experiment.
    """
    check_claimed(experiment, CLAIMS)
    found, table = searches(runs), cells(runs)
    seeds = found.groupby("method")["seed"].nunique()
    reached = {
        "candidates": table["candidate"].nunique(),
        "sizes": table["n_rows"].nunique(),
        "largest size": table["n_rows"].max(),
        "random's trials": found.loc[found["method"] == "random", "iteration"].max(),
    }
    enough = set(seeds.index) == set(SEARCHES[experiment].methods) and seeds.min() >= N_SEEDS
    return bool(enough and all(reached[name] >= least for name, least in FLOORS[experiment].items()))


def not_testable(experiment: str, runs: pd.DataFrame) -> set[str]:
    """Texts of the claims on speed-ups above the ratio of the table's largest to its smallest evaluation cost.

    Raises:
        ValueError: on an unknown experiment.
    """
    check_claimed(experiment, CLAIMS)
    return {
        claim.text
        for currency, listed in _FACTORS[experiment].items()
        for claim, factor in listed
        if factor > cost_ratio(runs, currency)
    }
