"""Document 003, section 2.1, Figure 3: how many times sooner searches that choose sizes are good than others.

Good means, wherever no sentence says otherwise, that the incumbent's test error is for the first time within 10 %
of the least one of the table (`arrivals.GOOD`). This is the one main target of all sentences. The document's speed
is read as seconds, of evaluations and of the optimiser. For each sentence there is also a finding in the cost of
the evaluations alone (see `arrivals`). It shows the speed where fits take so long that the optimiser's time does
not matter.

All sentences on MTBO but one name no size of its small task. So they must hold for every size that was run.

A search that never reaches a target is censored. It counts with all that it spent, which is less than it would
need. If it is the search that the sentence calls sooner, the true ratio may be lower than counted, without bound.
If it is the other search, the true ratio may be higher. The interval is open on that side, so that no claim is
decided by what is not known.

Of the CNN the document says one sentence, without a number: "similar results". It is read as the same order:
every Bayesian method before random search, every MTBO before the methods on all rows, Fabolas before every MTBO.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from studies.big_data.arrivals import CURRENCIES, METHODS, MTBO, NAMES, ON_ALL_ROWS, arrivals, searches, targets
from studies.cells import every, some
from studies.estimates import Array, Arrays, Estimate, ratio, unbounded
from studies.methods import methods
from studies.records import Claim, Study
from studies.regions import Region, about, above, at_least, between, order_of_magnitude
from studies.shared.look_up_tables import cells

# What the claims are measured on -----------------------------------------------------------------------------

COMPARED: Final = {
    "svm_search": (*ON_ALL_ROWS, "mtbo_4", "mtbo_32", "mtbo_512", "fabolas"),
    "cnn_search": (*ON_ALL_ROWS, "mtbo_4", "mtbo_16", "fabolas"),
}
"""Names of methods by study."""
N_SEEDS: Final = 10
FLOORS: Final = {
    "svm_search": {"candidates": 14 * 14, "sizes": 5, "largest size": 8192, "random's trials": 100},
    "cnn_search": {"candidates": 50, "sizes": 5, "largest size": 2048, "random's trials": 50},
}
"""Of the tables and of random search, under which no verdict is given."""


FOR_GOOD: Final = "good for good"


def arrays(runs: pd.DataFrame) -> dict[str, Array]:
    """Arrays that the claims are measured on: spent until a target, over the seeds that every method has.

    Returns:
        By target of `arrivals.targets`: "{currency} {target}", what was spent until there, all of a search that
        never got there, and "{target} reached", whether it did; each (n_methods, n_seeds), methods as in
        `METHODS`, nan of one not run. The target "good for good" is reached where a search stays at "good".
    """
    found = {}
    for currency in CURRENCIES:
        for target, error in targets(runs).items():
            table = arrivals(runs, error, currency)
            table[["reached", "stays"]] = table[["reached", "stays"]].astype(float)
            wanted = {f"{currency} {target}": "spent", f"{target} reached": "reached"}
            if target == "good":
                wanted |= {f"{currency} {FOR_GOOD}": "spent_to_stay", f"{FOR_GOOD} reached": "stays"}
            for name, column in wanted.items():
                wide = table.pivot_table(column, index="method", columns="seed").dropna(axis=1)
                found[name] = wide.reindex(METHODS).to_numpy(float)
    return found


def _is_enough(runs: pd.DataFrame, search: str) -> bool:
    """Whether searches are enough for a verdict: ten seeds of every method, and `FLOORS`."""
    found, table = searches(runs), cells(runs)
    seeds = found.groupby("method")["seed"].nunique()
    reached = {
        "candidates": table["candidate"].nunique(),
        "sizes": table["n_rows"].nunique(),
        "largest size": table["n_rows"].max(),
        "random's trials": found.loc[found["method"] == "random", "trial"].max(),
    }
    enough = set(seeds.index) == set(COMPARED[search]) and seeds.min() >= N_SEEDS
    return bool(enough and all(reached[name] >= least for name, least in FLOORS[search].items()))


_SVM_IS_ENOUGH: Final = partial(_is_enough, search="svm_search")
_CNN_IS_ENOUGH: Final = partial(_is_enough, search="cnn_search")
SVM_SEARCH: Final = Study(
    name="svm_search",
    methods=methods(*COMPARED["svm_search"]),
    problems=(("lookup", "svm_mnist"),),
    resource="sizes",
    arrays=arrays,
    is_enough=_SVM_IS_ENOUGH,
)
CNN_SEARCH: Final = Study(
    name="cnn_search",
    methods=methods(*COMPARED["cnn_search"]),
    problems=(("curves", "cnn_sizes_cifar10"),),
    resource="sizes",
    arrays=arrays,
    is_enough=_CNN_IS_ENOUGH,
)


# Ratios of what two methods spent ----------------------------------------------------------------------------

FULL_SIZE: Final = ON_ALL_ROWS[1:]
Pair = tuple[str, str]
"""Two methods: the one that is said to be sooner, then the one that it is compared with."""
PairMeasure = Callable[[Arrays, Region, str, str], Estimate]
"""An estimate from arrays, a region, a currency and the name of a target."""


def bayesian_to_random(search: str) -> list[Pair]:
    """Pairs of each Bayesian method and random search."""
    return [(method, "random") for method in COMPARED[search] if method != "random"]


def mtbo_to_full_size(search: str) -> list[Pair]:
    """Pairs of each MTBO and each method on all rows."""
    return [(method, other) for method in mtbo_methods(search) for other in FULL_SIZE]


def fabolas_to_mtbo(search: str) -> list[Pair]:
    """Pairs of Fabolas and each MTBO."""
    return [("fabolas", method) for method in mtbo_methods(search)]


def mtbo_methods(search: str) -> list[str]:
    """The MTBOs of a search."""
    return [method for method in MTBO if method in COMPARED[search]]


def every_pair(pairs: Sequence[Pair], noun: str = "pairs") -> PairMeasure:
    """How many times less the first method of each pair spends than the second; all pairs have to agree."""
    return partial(_pair_estimate, every, pairs, noun)


def some_pair(pairs: Sequence[Pair], noun: str = "pairs") -> PairMeasure:
    """How many times less the first method of a pair spends than the second; one pair has to agree."""
    return partial(_pair_estimate, some, pairs, noun)


def one_pair(pair: Pair) -> PairMeasure:
    """How many times less the first method of one pair spends: the geometric mean over seeds."""

    def measure(arrays: Arrays, region: Region, currency: str, target: str) -> Estimate:
        sooner, later = (arrays[f"{currency} {target}"][METHODS.index(name)] for name in pair)
        ends = _open_ends(arrays, [pair], target)
        found = unbounded(
            ratio(later, sooner), below=bool(ends["open_below"][0]), above=bool(ends["open_above"][0])
        )
        return _with_censored(found, arrays, [pair], target)

    return measure


def _pair_estimate(
    estimator: Callable[..., Estimate],
    pairs: Sequence[Pair],
    noun: str,
    arrays: Arrays,
    region: Region,
    currency: str,
    target: str,
) -> Estimate:
    logs = _log_ratios(arrays, pairs, currency, target)
    names = [f"{NAMES[sooner]} against {NAMES[later]}" for sooner, later in pairs]
    found = estimator(logs, region, is_log=True, noun=noun, names=names, **_open_ends(arrays, pairs, target))
    return _with_censored(found, arrays, pairs, target)


def _log_ratios(arrays: Arrays, pairs: Sequence[Pair], currency: str, target: str) -> Array:
    """Logarithms of ratios, (n_pairs, n_seeds)."""
    logs = np.log(arrays[f"{currency} {target}"])
    return np.array([logs[METHODS.index(later)] - logs[METHODS.index(sooner)] for sooner, later in pairs])


def _open_ends(arrays: Arrays, pairs: Sequence[Pair], target: str) -> dict[str, NDArray[np.bool_]]:
    is_censored = (arrays[f"{target} reached"] == 0).any(axis=1)
    sooner, later = ([METHODS.index(pair[i]) for pair in pairs] for i in (0, 1))
    return {"open_below": is_censored[sooner], "open_above": is_censored[later]}


def _with_censored(found: Estimate, arrays: Arrays, pairs: Sequence[Pair], target: str) -> Estimate:
    """With the numbers of searches that never get there in the remark."""
    reached = arrays[f"{target} reached"]
    never = {name: int((reached[METHODS.index(name)] == 0).sum()) for pair in pairs for name in pair}
    listed = ", ".join(f"{NAMES[name]} {n}" for name, n in never.items() if n)
    if not listed:
        return found
    remark = (
        f"searches that never get there, of {reached.shape[1]}: {listed}; they count as all that they spent, and "
        "the interval is open on their side"
    )
    return replace(found, remark=f"{found.remark}; {remark}" if found.remark else remark)


# Claims ------------------------------------------------------------------------------------------------------

_SPENT: Final = {
    "svm_search": {"seconds": "seconds (evaluations and optimiser)", "cost": "kernel values of the evaluations"},
    "cnn_search": {
        "seconds": "seconds (evaluations and optimiser)",
        "cost": "training rows times epochs of the evaluations",
    },
}
_SUFFIXES: Final = {"svm_search": "kernel_values", "cnn_search": "rows_times_epochs"}
"""Of the ids of findings."""
_TARGETS: Final = {
    "good": "until a search would return a configuration within 10 % of the table's lowest test error",
    "fair": "until a search would return a configuration within 50 % of the table's lowest test error",
    FOR_GOOD: "from when on a search would return only configurations within 10 % of the table's lowest test "
    "error (chosen after the runs)",
    "best": "until a search would return a configuration as good on the test rows as the one with the lowest "
    "validation error",
}
_N: Final = "N of 4, 32, 512"
"""MTBO's small task has an Nth of the rows."""


def _claim(
    search: str,
    currency: str,
    name: str,
    quote: str,
    quantity: str,
    agrees: Region,
    measure: PairMeasure,
    *,
    target: str = "good",
) -> Claim:
    is_ours = currency != "seconds"
    return Claim(
        id=f"big_data.{search}.{name}" + (f"_{_SUFFIXES[search]}" if is_ours else ""),
        section="2.1",
        quote="" if is_ours else quote,
        quantity=f"{_SPENT[search][currency]} {_TARGETS[target]}; {quantity}",
        unit="times",
        agrees=agrees,
        measure=lambda arrays, rng: measure(arrays, agrees, currency, target),
        artefact=f"tables/{search}",
        study=search,
    )


def _svm_claims(currency: str) -> tuple[Claim, ...]:
    claim = partial(_claim, "svm_search", currency)
    order, to_mtbo = order_of_magnitude(), fabolas_to_mtbo("svm_search")
    return (
        claim(
            "bayesian_to_random",
            "All Bayesian optimization approaches are at least one order of magnitude faster than random search.",
            "random search over each Bayesian method",
            at_least(order.low),
            every_pair(bayesian_to_random("svm_search"), "methods"),
        ),
        claim(
            "mtbo_to_all_rows",
            "By allowing two probing sizes, MTBO is one additional order of magnitude faster.",
            f"EI and entropy search, both on all rows, over MTBO with each {_N}",
            order,
            every_pair(mtbo_to_full_size("svm_search")),
        ),
        claim(
            "mtbo_first",
            "Depending on the choice of N MTBO sometimes improves faster than Fabolas initially.",
            f"Fabolas over MTBO with some {_N}",
            above(1),
            some_pair([(method, fabolas) for fabolas, method in to_mtbo], "sizes"),
            target="fair",
        ),
        claim(
            "fabolas_to_mtbo",
            "Once Fabolas starts improving it does however find a good configuration about one order of magnitude "
            "faster than MTBO.",
            f"MTBO with each {_N} over Fabolas",
            order,
            every_pair(to_mtbo, "sizes"),
        ),
        claim(
            "optimum_together",
            "The optimal configuration is found at roughly the same time by both Fabolas and MTBO.",
            f"MTBO with each {_N} over Fabolas",
            about(1),
            every_pair(to_mtbo, "sizes"),
            target="best",
        ),
        claim(
            "fabolas_to_random",
            "Overall Fabolas finds a good configuration between 100 and 1000 times faster than random search "
            "does.",
            "random search over Fabolas",
            between(100, 1000),
            one_pair(("fabolas", "random")),
        ),
        claim(
            "fabolas_to_random_for_good",
            "",
            "random search over Fabolas",
            between(100, 1000),
            one_pair(("fabolas", "random")),
            target=FOR_GOOD,
        ),
    )


def _cnn_claims(currency: str) -> tuple[Claim, ...]:
    orders = (bayesian_to_random, mtbo_to_full_size, fabolas_to_mtbo)
    return (
        _claim(
            "cnn_search",
            currency,
            "same_order",
            "Similar results are obtained when optimizing CNNs on CIFAR-10.",
            "the three orders of the SVM: random search over each Bayesian method, EI and entropy search over "
            "each MTBO (N of 4, 16), each MTBO over Fabolas",
            above(1),
            every_pair([pair for make in orders for pair in make("cnn_search")]),
        ),
    )


SVM_CLAIMS: Final = (*_svm_claims("seconds"), *_svm_claims("cost"))
CNN_CLAIMS: Final = (*_cnn_claims("seconds"), *_cnn_claims("cost"))
CLAIMS: Final = (*SVM_CLAIMS, *CNN_CLAIMS)
"""In the order of the document, in seconds and then, as findings, in cost."""
