"""How many times less methods spend than others until they are good, as the claims of section 2.1 have it.

Arrays are those of `claims.arrays`; currency is one of `searched.CURRENCIES`. A search that never gets to a target
is censored. It counts as all that it spent, which is less than it would take. So where it is the one that is said
to be sooner, the ratio may be lower than counted, without bound; where it is the one to be beaten, higher. The
interval is open on that side, and no claim is decided by what is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from studies.big_data.size_aware.searched import METHODS, NAMES
from studies.cells import every, some
from studies.estimates import Arrays, Estimate, ratio, unbounded
from studies.experiments import SEARCHES
from studies.methods import METHODS as RECORDS
from studies.regions import Region

FULL_SIZE: Final = ("ei", "entropy_search")
MTBO: Final = tuple(name for name in METHODS if RECORDS[name].strategy == "mtbo")
Pair = tuple[str, str]
"""Which method is said to be sooner, and than which."""
Measure = Callable[[Arrays, Region, str, str], Estimate]
"""Of arrays, region, currency and target."""


def bayesian_to_random(experiment: str) -> list[Pair]:
    """Each Bayesian method, and random search."""
    return [(method, "random") for method in SEARCHES[experiment].methods if method != "random"]


def mtbo_to_full_size(experiment: str) -> list[Pair]:
    """Each MTBO, and each method on all rows."""
    return [(method, other) for method in mtbo_of(experiment) for other in FULL_SIZE]


def fabolas_to_mtbo(experiment: str) -> list[Pair]:
    """Fabolas, and each MTBO."""
    return [("fabolas", method) for method in mtbo_of(experiment)]


def mtbo_of(experiment: str) -> list[str]:
    """The MTBOs of an experiment."""
    return [method for method in MTBO if method in SEARCHES[experiment].methods]


def in_every(pairs: Sequence[Pair], noun: str = "pairs") -> Measure:
    """How many times less the first method of each pair spends than the second; all pairs have to agree."""
    return partial(_of_pairs, every, pairs, noun)


def in_some(pairs: Sequence[Pair], noun: str = "pairs") -> Measure:
    """The same; one pair has to agree."""
    return partial(_of_pairs, some, pairs, noun)


def of_one(pair: Pair) -> Measure:
    """The same of a single pair: the geometric mean over seeds."""

    def measure(arrays: Arrays, region: Region, currency: str, target: str) -> Estimate:
        sooner, later = (arrays[f"{currency} {target}"][METHODS.index(name)] for name in pair)
        ends = _open_ends(arrays, [pair], target)
        found = unbounded(
            ratio(later, sooner), below=bool(ends["open_below"][0]), above=bool(ends["open_above"][0])
        )
        return _with_censored(found, arrays, [pair], target)

    return measure


def _of_pairs(
    estimator: Callable[..., Estimate],
    pairs: Sequence[Pair],
    noun: str,
    arrays: Arrays,
    region: Region,
    currency: str,
    target: str,
) -> Estimate:
    cells = _cells(arrays, pairs, currency, target)
    names = [f"{NAMES[sooner]} against {NAMES[later]}" for sooner, later in pairs]
    found = estimator(cells, region, is_log=True, noun=noun, names=names, **_open_ends(arrays, pairs, target))
    return _with_censored(found, arrays, pairs, target)


def _cells(arrays: Arrays, pairs: Sequence[Pair], currency: str, target: str) -> NDArray[np.float64]:
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
    said = (
        f"searches that never get there, of {reached.shape[1]}: {listed}; they count as all that they spent, and "
    )
    said += "the interval is open on their side"
    return replace(found, remark=f"{found.remark}; {said}" if found.remark else said)
