"""Numbers of Figure 3 and of its table."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

import numpy as np
import pandas as pd

from studies.big_data.size_aware.searched import (
    METHODS,
    arrivals,
    cost_ratio,
    searches,
    targets,
)
from studies.paired import differences
from studies.paths import Array, mean_at, mean_path, until_last
from studies.shared.look_up_tables import least_test_error
from studies.tidy import TIDY, mean_by_seed, provenance, shares_within, unprinted

LEFT: Final = ("random", "ei", "entropy_search", "mtbo_16", "fabolas")
MIDDLE: Final = ("mtbo_4", "mtbo_16", "mtbo_64", "fabolas")
"""Methods of the panels; where mtbo_16 was not run, the left one has mtbo_4 in its place."""
N_POINTS: Final = 241
KEYS: Final = ["method", "measure"]
MEASURES: Final = (
    "test_error",
    "test_error_less_random",
    "seconds_to_10",
    "log10_seconds_to_10_less_random",
    "seconds_to_50",
    "cost_to_10",
    "log10_cost_to_10_less_random",
    "left_10",
    "seconds",
    "overhead_share",
)


def summarise_figure3(runs: pd.DataFrame, currency: str = "seconds") -> pd.DataFrame:
    """Test error of the incumbent against what was spent, and the sizes chosen.

    All lines of a currency share a grid, evenly spaced in logarithms. A line begins once every seed has an
    incumbent, and ends with its longest search; a search that has ended keeps its last value.

    Args:
        runs: of the experiment `svm_search` or `cnn_search`.
        currency: `seconds`, evaluations and the optimiser; or `cost`, of the evaluations alone.

    Returns:
        panel (left and middle: x is what was spent; right, of seconds alone: x is the iteration, the value the
        geometric mean of the rows chosen, with the interval of its logarithm), method, x, mean, low, high,
        n_seeds (those with a value), n_missing, cost_ratio (the table's largest evaluation cost over its
        smallest), least_test_error (of the table), data.
    """
    found = searches(runs)
    spent = found[f"spent_{currency}"]
    grid = np.geomspace(spent.min(), spent.max(), N_POINTS)
    run = set(found["method"])
    left = LEFT if "mtbo_16" in run else tuple("mtbo_4" if name == "mtbo_16" else name for name in LEFT)
    parts = [
        _curve(found[found["method"] == method], f"spent_{currency}", grid).assign(panel=panel, method=method)
        for panel, methods in (("left", left), ("middle", MIDDLE))
        for method in methods
        if method in run
    ]
    if currency == "seconds":
        chosen = found[found["n_rows"].notna()]
        parts += [
            _sizes(part).assign(panel="right", method=method)
            for method, part in chosen.groupby("method", sort=False)
        ]
    table = pd.concat(parts, ignore_index=True)
    facts = {"cost_ratio": cost_ratio(runs, currency), "least_test_error": least_test_error(runs)}
    table = table.assign(**facts, data=provenance(runs))
    return table[["panel", "method", *(name for name in table if name not in ("panel", "method"))]]


def _curve(found: pd.DataFrame, x: str, grid: Array) -> pd.DataFrame:
    paths = [path for _, path in found.groupby("seed")]
    told = [path for path in paths if path["test_error"].notna().any()]
    if not told:
        return pd.DataFrame({"x": [np.nan], "n_seeds": 0, "n_missing": len(paths)})
    return mean_path(told, x, "test_error", until_last(grid, told, x)).assign(n_missing=len(paths) - len(told))


def _sizes(found: pd.DataFrame) -> pd.DataFrame:
    wide = found.pivot_table("n_rows", index="seed", columns="iteration").astype(float)
    table = mean_at(wide.columns.to_numpy(float), np.log2(wide.to_numpy())).assign(n_missing=0)
    table[["mean", "low", "high"]] = 2.0 ** table[["mean", "low", "high"]]
    return table


def tabulate_search(experiment: str, runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """What the searches came to, method by method.

    A search that never reaches a target counts with all that it spent, and `says` has their number.

    Args:
        experiment: `svm_search` or `cnn_search`.
        runs: its searches and cells.
        scale: label of the run.

    Returns:
        `KEYS`, `TIDY`, n_missing (seeds without a value), says. Measures: test_error, of the last incumbent;
        seconds_to_10 and seconds_to_50, until it first was within 10 or 50 % of the table's least; cost_to_10, the
        same in cost; left_10, share of the seeds whose incumbent was worse again later on; seconds, all
        of the search, and overhead_share, of these the optimiser's; and differences to random search seed by
        seed, with bootstrap intervals, of the test error and of the logarithms of what was spent.
    """
    measures, notes = _measures(runs)
    plain = [mean_by_seed(part.assign(measure=name), "value", KEYS) for name, part in measures.items()]
    logs = {
        f"log10_{name}": measures[name].assign(value=np.log10(measures[name]["value"]))
        for name in ("seconds_to_10", "cost_to_10")
    }
    pairs = {"test_error": measures["test_error"]} | logs
    parts = [differences(part.assign(experiment=experiment), name, ["experiment"]) for name, part in pairs.items()]
    table = pd.concat([*plain, *parts], ignore_index=True)
    table = shares_within(table[table["measure"].isin(MEASURES)], ("left_10", "overhead_share"))
    ranks = [table["measure"].map(MEASURES.index), table["method"].map(METHODS.index)]
    table = table.iloc[np.lexsort(ranks)].reset_index(drop=True)
    table["says"] = [notes.get(key, "") for key in zip(table["method"], table["measure"], strict=True)]
    table = unprinted(table, scale)
    return table[[*KEYS, *TIDY, "n_missing", "says"]]


def _measures(runs: pd.DataFrame) -> tuple[dict[str, pd.DataFrame], dict[tuple[str, str], str]]:
    """method, seed, data and value by measure; and what is to be said beside a mean, by method and measure."""
    found = searches(runs)
    last = found.groupby(["method", "seed"], sort=False).tail(1).set_index(["method", "seed"])
    overhead = found.groupby(["method", "seed"], sort=False)["overhead_s"].sum()
    values = {
        "test_error": last["test_error"],
        "seconds": last["spent_seconds"],
        "overhead_share": overhead / last["spent_seconds"],
    }
    data = last["data"].reset_index()
    measures = {name: data.merge(of.rename("value").reset_index()) for name, of in values.items()}
    notes, wanted = {}, targets(runs)
    for currency, target, name in (("seconds", "good", "10"), ("seconds", "fair", "50"), ("cost", "good", "10")):
        arrived = arrivals(runs, wanted[target], currency)
        measures[f"{currency}_to_{name}"] = arrived.rename(columns={"spent": "value"})
        for method, part in arrived.groupby("method"):
            n_never = int((~part["reached"]).sum())
            if n_never:
                notes[str(method), f"{currency}_to_{name}"] = f"{n_never} of {len(part)} seeds never"
        if target == "good":
            measures["left_10"] = arrived.assign(value=arrived["left"].astype(float))
    return measures, notes


TABLES: Final[dict[str, Callable[[pd.DataFrame, str], pd.DataFrame]]] = {
    name: partial(tabulate_search, name) for name in ("svm_search", "cnn_search")
}
"""Table name -> its function, of runs of the same name."""
