"""The searches of section 2.2, on stored curves, with termination and without.

What is judged is the best validation error: the lowest that a trial ended with so far, a trial that was cut
short with its last score, not with the one that was expected of it. Two currencies are spent: seconds, of the
epochs as the curves have them, of the optimiser and of the checks; and epochs. A search with termination is
compared with the one without of the same optimiser and seed, which starts from the same candidates (random
search makes all the same).
"""

from __future__ import annotations

import json
from typing import Final

import numpy as np
import pandas as pd

from studies.experiments import OPTIMISERS, SEARCHES
from studies.paths import SLACK, until_as_good
from studies.tidy import need_columns

COMPARED: Final = SEARCHES["curve_search"].compared
METHODS: Final = SEARCHES["curve_search"].methods
CURRENCIES: Final = ("seconds", "epochs")
SETS: Final = {name: name.rsplit("_", 1)[-1] for _, name in SEARCHES["curve_search"].problems}
"""Data by problem."""
NAMES: Final = {"cifar10": "CIFAR-10", "mnist": "MNIST"}
HIGH: Final = 0.1
"""Share of a search's trials, those with the lowest errors at the end of their curves, that counts as high."""
_TRIALS: Final = (
    "dataset", "method", "seed", "data", "id", "seconds", "overhead_s", "check_s", "curve", "reason", "cut",
    "n_checks", "curve_id", "final_error", "test_error",
)  # fmt: skip
_BY: Final = ["dataset", "method", "seed"]


def searches(runs: pd.DataFrame) -> pd.DataFrame:
    """Trials in their order, with what they came to.

    Returns:
        The columns of the runs; dataset: of the data; optimiser, terminated; n_epochs trained; ended_error: at the
        last of them, nan if the trial failed; best_error: the lowest so far; spent_seconds, spent_epochs: until
        after the trial.

    Raises:
        ValueError: if a column is missing, or there are no searches.
    """
    need_columns(runs, _TRIALS)
    if runs.empty:
        raise ValueError("the runs hold no searches")
    order = [
        runs[name].map({of: i for i, of in enumerate(all_)})
        for name, all_ in (("dataset", SETS), ("method", METHODS))
    ]
    found = runs.assign(_dataset=order[0], _method=order[1])
    found = found.sort_values(["_dataset", "_method", "seed", "id"], kind="stable", ignore_index=True)
    found = found.drop(columns=["_dataset", "_method"]).assign(dataset=found["dataset"].map(SETS))
    found["optimiser"] = found["method"].map({method.name: method.strategy for method in COMPARED})
    found["terminated"] = found["method"].map({method.name: method.termination is not None for method in COMPARED})
    curves = [json.loads(text) for text in found["curve"]]
    found["n_epochs"] = [len(curve) for curve in curves]
    failed = found["reason"] != ""
    found["ended_error"] = np.where(failed, np.nan, [1 - curve[-1] for curve in curves])
    by = found.groupby(_BY, sort=False)
    found["best_error"] = by["ended_error"].cummin().groupby([found[name] for name in _BY]).ffill()
    whole = found["seconds"] + found["overhead_s"] + found["check_s"]
    found["spent_seconds"] = whole.groupby([found[name] for name in _BY]).cumsum()
    found["spent_epochs"] = by["n_epochs"].cumsum()
    return found


def pairs(runs: pd.DataFrame) -> pd.DataFrame:
    """Searches with termination beside those without: how much sooner they are as good, and what they end with.

    Returns:
        dataset, optimiser, seed, data; reached: whether the search with termination ends with a best validation
        error that is no higher; log2_seconds, log2_epochs: log2 of what the search without spent over what the one
        with did, until both had the higher of their two last best validation errors (`paths.until_as_good`);
        whole_seconds, whole_epochs: the same of all that they spent; error, test_error: the last best validation
        error, and the test error of the last incumbent, with less without.
    """
    found = searches(runs)
    rows = []
    for (dataset, optimiser, seed), part in found.groupby(["dataset", "optimiser", "seed"], sort=False):
        plain, cut = part[~part["terminated"]], part[part["terminated"]]
        if plain.empty or cut.empty:
            continue
        row = {"dataset": dataset, "optimiser": optimiser, "seed": seed, "data": part["data"].iloc[0]}
        row["error"] = float(cut["best_error"].iloc[-1] - plain["best_error"].iloc[-1])
        row["reached"] = row["error"] <= SLACK
        for currency in CURRENCIES:
            spent = f"spent_{currency}"
            ours, theirs = ((of["best_error"].to_numpy(float), of[spent].to_numpy(float)) for of in (cut, plain))
            after, before = until_as_good(ours, theirs)
            row[f"log2_{currency}"] = float(np.log2(before / after))
            row[f"whole_{currency}"] = float(np.log2(theirs[1][-1] / ours[1][-1]))
        row["test_error"] = float(cut["test_error"].iloc[-1] - plain["test_error"].iloc[-1])
        rows.append(row)
    if not rows:
        raise ValueError("the runs hold no search with termination beside one without")
    return pd.DataFrame(rows)


def shares_cut(runs: pd.DataFrame) -> pd.DataFrame:
    """Of each search with termination: which of its trials were cut.

    Returns:
        dataset, optimiser, seed, data; cut: share of all trials that did not fail; high: of the `HIGH` part with
        the lowest errors at the end of their curves, at least one; low: of the half with the highest; best: of the
        curve with the lowest error; n_high, n_low: number of trials in that part and that half.
    """
    found = searches(runs)
    rows = []
    kept = found[found["terminated"] & found["final_error"].notna()]
    for (dataset, optimiser, seed), part in kept.groupby(["dataset", "optimiser", "seed"], sort=False):
        cut = part.sort_values("final_error", kind="stable")["cut"].to_numpy(bool)
        n_high, n = max(1, round(HIGH * len(cut))), len(cut)
        shares = [cut.mean(), cut[:n_high].mean(), cut[n - n // 2 :].mean() if n > 1 else np.nan, float(cut[0])]
        rows.append([dataset, optimiser, seed, part["data"].iloc[0], *shares, n_high, n // 2])
    names = ["dataset", "optimiser", "seed", "data", "cut", "high", "low", "best", "n_high", "n_low"]
    return pd.DataFrame(rows, columns=names)


__all__ = ["CURRENCIES", "METHODS", "NAMES", "OPTIMISERS", "SETS", "pairs", "searches", "shares_cut"]
