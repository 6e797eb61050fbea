"""What section 2.1 says of its Figure 3: how many times sooner methods find a good configuration than others.

Good means, wherever no sentence says otherwise, that the incumbent's test error is for the first time within 10 %
of the least one of the table (`searched.GOOD`); one main target for all sentences. The document's speed is that of
seconds, of evaluations and of the optimiser. Beside each sentence stands a finding in the evaluations' cost (see
`searched`), which is what is left where these take so long that the optimiser's time does not matter.

MTBO is said to be so without a size, but for one sentence, so every one of its sizes has to be. How searches that
never get to a target count is said in `ratios`.

Of the CNN the document says one sentence, without a number: "similar results". It is read as the same order:
every Bayesian method before random search, every MTBO before the methods on all rows, Fabolas before every MTBO.
"""

from __future__ import annotations

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
    cost_ratio,
    searches,
    targets,
)
from studies.experiments import SEARCHES
from studies.records import Claim
from studies.regions import Region, about, above, at_least, between, order_of_magnitude
from studies.shared.look_up_tables import cells
from studies.verdicts import check_claimed

N_SEEDS: Final = 10
FLOORS: Final = {
    "svm_search": {"candidates": 14 * 14, "sizes": 5, "largest size": 8192, "random's trials": 100},
    "cnn_search": {"candidates": 50, "sizes": 5, "largest size": 2048, "random's trials": 50},
}
"""Of the tables and of random search, under which no verdict is given."""
_SPENT: Final = {
    "svm_search": {"seconds": "seconds of evaluations and optimiser", "cost": "kernel values of the evaluations"},
    "cnn_search": {
        "seconds": "seconds of evaluations and optimiser",
        "cost": "training rows times epochs of the evaluations",
    },
}
_SUFFIXES: Final = {"svm_search": "kernel_values", "cnn_search": "rows_times_epochs"}
"""Of the ids of findings."""
_TARGETS: Final = {
    "good": "until the configuration that it would return has a test error within 10 % of the table's lowest",
    "fair": "until the configuration that it would return has a test error within 50 % of the table's lowest",
    "best": "until the configuration that it would return is as good on the test rows as that with the lowest "
    "validation error",
}


def _claim(
    experiment: str,
    currency: str,
    what: str,
    quote: str,
    quantity: str,
    agrees: Region,
    measure: ratios.Measure,
    *,
    target: str = "good",
    published: str = "",
) -> Claim:
    is_ours = currency != "seconds"
    return Claim(
        id=f"big_data.{experiment}.{what}" + (f"_{_SUFFIXES[experiment]}" if is_ours else ""),
        section="2.1",
        quote="" if is_ours else quote,
        quantity=f"{quantity}, in {_SPENT[experiment][currency]}, {_TARGETS[target]}",
        unit="times",
        agrees=agrees,
        measure=lambda arrays, rng: measure(arrays, agrees, currency, target),
        published="" if is_ours else published,
        artefact=f"tables/{experiment}",
        is_ours=is_ours,
    )


def _of_svm(currency: str) -> tuple[Claim, ...]:
    claim = partial(_claim, "svm_search", currency)
    order, fabolas_to_mtbo = order_of_magnitude(), ratios.fabolas_to_mtbo("svm_search")
    return (
        claim(
            "bayesian_to_random",
            "All Bayesian optimization approaches are at least one order of magnitude faster than random search.",
            "how many times less each Bayesian method spends than random search",
            at_least(order.low),
            ratios.in_every(ratios.bayesian_to_random("svm_search"), "methods"),
            published="at least one order of magnitude",
        ),
        claim(
            "mtbo_to_all_rows",
            "By allowing two probing sizes, MTBO is one additional order of magnitude faster.",
            "how many times less each MTBO spends than each of the two Bayesian methods on all rows",
            order,
            ratios.in_every(ratios.mtbo_to_full_size("svm_search")),
            published="one order of magnitude",
        ),
        claim(
            "mtbo_first",
            "Depending on the choice of N MTBO sometimes improves faster than Fabolas initially.",
            "how many times less the MTBO of some size spends than Fabolas (below 1: it spends more)",
            above(1),
            ratios.in_some([(method, fabolas) for fabolas, method in fabolas_to_mtbo], "sizes"),
            target="fair",
        ),
        claim(
            "fabolas_to_mtbo",
            "Once Fabolas starts improving it does however find a good configuration about one order of magnitude "
            "faster than MTBO.",
            "how many times less Fabolas spends than the MTBO of each size",
            order,
            ratios.in_every(fabolas_to_mtbo, "sizes"),
            published="about one order of magnitude",
        ),
        claim(
            "optimum_together",
            "The optimal configuration is found at roughly the same time by both Fabolas and MTBO.",
            "how many times less Fabolas spends than the MTBO of each size (1: both spend as much)",
            about(1),
            ratios.in_every(fabolas_to_mtbo, "sizes"),
            target="best",
        ),
        claim(
            "fabolas_to_random",
            "Overall Fabolas finds a good configuration between 100 and 1000 times faster than random search "
            "does.",
            "how many times less Fabolas spends than random search",
            between(100, 1000),
            ratios.of_one(("fabolas", "random")),
            published="100 to 1000",
        ),
    )


def _of_cnn(currency: str) -> tuple[Claim, ...]:
    orders = (ratios.bayesian_to_random, ratios.mtbo_to_full_size, ratios.fabolas_to_mtbo)
    return (
        _claim(
            "cnn_search",
            currency,
            "same_order",
            "Similar results are obtained when optimizing CNNs on CIFAR-10.",
            "the SVM's order: how many times less each Bayesian method spends than random search, each MTBO than "
            "the methods on all rows, and Fabolas than each MTBO",
            above(1),
            ratios.in_every([pair for make in orders for pair in make("cnn_search")]),
        ),
    )


CLAIMS: Final[dict[str, tuple[Claim, ...]]] = {
    experiment: tuple(claim for currency in CURRENCIES for claim in listed(currency))
    for experiment, listed in (("svm_search", _of_svm), ("cnn_search", _of_cnn))
}
"""By experiment, in the order of the document, in seconds and then, as findings, in cost."""


def arrays(experiment: str, runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    """What was spent until a target, over the seeds that every method has.

    Args:
        experiment: key of `CLAIMS`.
        runs: its searches and cells.

    Returns:
        By target of `searched.targets`: "{currency} {target}", what was spent until there, all of a search that
        never got there, and "{target} reached", whether it did; each (n_methods, n_seeds), methods as in
        `METHODS`, nan of one not run.

    Raises:
        ValueError: on an unknown experiment.
    """
    check_claimed(experiment, CLAIMS)
    found = {}
    for currency in CURRENCIES:
        for target, error in targets(runs).items():
            table = arrivals(runs, error, currency)
            table["reached"] = table["reached"].astype(float)
            for name, column in ((f"{currency} {target}", "spent"), (f"{target} reached", "reached")):
                wide = table.pivot_table(column, index="method", columns="seed").dropna(axis=1)
                found[name] = wide.reindex(METHODS).to_numpy(float)
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
    """Ids of the claims on ratios above that of the table's largest to its smallest evaluation cost.

    Raises:
        ValueError: on an unknown experiment.
    """
    check_claimed(experiment, CLAIMS)
    possible = {True: cost_ratio(runs, "cost"), False: cost_ratio(runs, "seconds")}
    return {claim.id for claim in CLAIMS[experiment] if claim.agrees.low > possible[claim.is_ours]}
