"""How much sooner methods are good than others, as the claims of section 2.1 have it: log10 ratios, below 0 if so.

Arrays are those of `claims.arrays`; currency is one of `searched.CURRENCIES`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np

from studies.big_data.size_aware.searched import METHODS
from studies.experiments import SEARCHES
from studies.verdicts import Arrays

FULL_SIZE: Final = ("ei", "entropy_search")
MTBO: Final = tuple(method for method in METHODS if method.startswith("mtbo"))
BAYESIAN: Final = tuple(method for method in METHODS if method != "random")
ABOUT: Final = 0.5
"""Orders of magnitude by which "about" and "roughly" are read."""


def mean_log_ratio(arrays: Arrays, currency: str, target: str, method: str, other: str) -> float:
    """Mean of log10 of what `method` spent over what `other` did; who never gets there counts against `method`."""
    at_least, at_most = arrays[f"{currency} {target}"]
    return float(np.log10(at_most[METHODS.index(method)] / at_least[METHODS.index(other)]).mean())


def all_faster(arrays: Arrays, currency: str) -> float:
    """1 more than the log ratio to random search, of the slowest method."""
    return 1.0 + _most(mean_log_ratio(arrays, currency, "good", name, "random") for name in BAYESIAN)


def mtbo_faster(arrays: Arrays, currency: str, method: str) -> float:
    """1 more than the log ratio to the methods on all rows, of the better of these."""
    return 1.0 + _most(mean_log_ratio(arrays, currency, "good", method, name) for name in FULL_SIZE)


def mtbo_first(arrays: Arrays, currency: str) -> float:
    """Log ratio to Fabolas of the MTBO that comes first to the wider target."""
    return -_most(-mean_log_ratio(arrays, currency, "fair", name, "fabolas") for name in MTBO)


def fabolas_faster(arrays: Arrays, currency: str) -> float:
    """Half more than the log ratio to MTBO, of the best of its sizes."""
    return ABOUT + _most(mean_log_ratio(arrays, currency, "good", "fabolas", name) for name in MTBO)


def apart(arrays: Arrays, currency: str) -> float:
    """By how much more than `ABOUT` orders Fabolas and the MTBO nearest to it find the best at other times."""
    gaps = [
        _most(mean_log_ratio(arrays, currency, "best", *pair) for pair in (("fabolas", name), (name, "fabolas")))
        for name in MTBO
    ]
    return -_most(-gap for gap in gaps) - ABOUT


def hundred(arrays: Arrays, currency: str) -> float:
    """2 more than Fabolas' log ratio to random search."""
    return 2.0 + mean_log_ratio(arrays, currency, "good", "fabolas", "random")


def out_of_order(arrays: Arrays, currency: str) -> float:
    """The largest log ratio: to random search, of the best MTBO to methods on all rows, of Fabolas to an MTBO."""
    small = [name for name in MTBO if name in SEARCHES["cnn_search"].methods]

    def ratio(method: str, other: str) -> float:
        return mean_log_ratio(arrays, currency, "good", method, other)

    pairs = [ratio(name, "random") for name in SEARCHES["cnn_search"].methods if name != "random"]
    pairs += [ratio("fabolas", name) for name in small]
    pairs.append(-_most(-_most(ratio(name, other) for other in FULL_SIZE) for name in small))
    return _most(pairs)


def _most(values: Iterable[float]) -> float:
    """The largest; nan if one is."""
    return float(np.max(list(values)))
