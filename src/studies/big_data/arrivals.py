"""What the searches of document 003's section 2.1 had spent when they were good.

Their runs are searches on a table of fits and, beside them, the table's cells, which have no method. The SVM's
table is a look-up table, the CNN's a set of stored curves on several sizes, each of them a cell. What is judged
is the test error of the incumbent, fitted on the table's largest size (and for all epochs). Two currencies are
spent: seconds, of evaluations as the table has them and of the optimiser; and cost, of the evaluations alone, in
kernel values of the SVM and rows times epochs of the CNN.
"""

from __future__ import annotations

from typing import Final

import pandas as pd

from studies.shared.look_up_tables import cells, largest_cells, least_test_error
from studies.shared.searches import so_far, trials_of
from studies.tidy import in_order
from studies.trajectories import SLACK, arrival

NAMES: Final = {
    "random": "random search",
    "ei": "expected improvement",
    "entropy_search": "entropy search",
    "mtbo_4": "MTBO-4",
    "mtbo_16": "MTBO-16",
    "mtbo_32": "MTBO-32",
    "mtbo_512": "MTBO-512",
    "fabolas": "Fabolas",
}
"""Of the methods, in sentences."""
METHODS: Final = tuple(NAMES)
"""In the order of the figures: `cnn_search` has MTBO-4 and MTBO-16, `svm_search` the document's three."""
ON_ALL_ROWS: Final = ("random", "ei", "entropy_search")
MTBO: Final = tuple(name for name in METHODS if name.startswith("mtbo_"))
CURRENCIES: Final = ("seconds", "cost")
GOOD, FAIR = 0.10, 0.50
"""Within which share of the table's least test error an incumbent is; `GOOD` is the main target."""


def searches(runs: pd.DataFrame) -> pd.DataFrame:
    """Searches as of `so_far`, methods in the order of `METHODS`.

    Raises:
        ValueError: if a column is missing, or there are no searches.
    """
    found = so_far(trials_of(runs, "n_rows", "test_error"))
    found["n_rows"] = pd.to_numeric(found["n_rows"])
    return in_order(found, {"method": METHODS, "seed": None, "id": None})


def optimum(runs: pd.DataFrame) -> float:
    """Test error of the candidate with the lowest validation error on the largest size, the first of several."""
    largest = largest_cells(runs).dropna(subset="error")
    return float(largest["test_error"].to_numpy(float)[largest["error"].to_numpy(float).argmin()])


def cost_ratio(runs: pd.DataFrame, currency: str) -> float:
    """The largest evaluation cost of the table over the smallest."""
    spent = cells(runs)[currency]
    return float(spent.max() / spent.min())


def arrivals(runs: pd.DataFrame, target: float, currency: str) -> pd.DataFrame:
    """What each search had spent when its incumbent's test error first was at most `target`.

    Returns:
        method, seed, data; reached: whether it did; spent, all of the search where it did not; left:
        whether the incumbent was above the target again later on; stays and spent_to_stay: the same as `reached`
        and `spent`, but of the time from which it was never above the target again.
    """
    rows = []
    for (method, seed), path in searches(runs).groupby(["method", "seed"], sort=False):
        spent = path[f"spent_{currency}"].to_numpy(float)
        errors = path["test_error"].to_numpy(float)  # nan: there is no incumbent yet
        first, reached = arrival(errors, target)
        left = reached and not bool((errors[first:] <= target + SLACK).all())
        is_good = errors <= target + SLACK
        last = len(errors) - int(is_good[::-1].argmin()) if not is_good.all() else 0  # the first for good
        to_stay = [bool(is_good[-1]), spent[min(last, len(errors) - 1)]]
        rows.append([method, seed, path["data"].iloc[0], reached, spent[first], left, *to_stay])
    columns = ["method", "seed", "data", "reached", "spent", "left", "stays", "spent_to_stay"]
    return pd.DataFrame(rows, columns=columns)


def targets(runs: pd.DataFrame) -> dict[str, float]:
    """Test errors by name: good and fair, `GOOD` and `FAIR` above the table's least; best, that of the optimum."""
    least = least_test_error(runs)
    return {"good": (1 + GOOD) * least, "fair": (1 + FAIR) * least, "best": optimum(runs)}
