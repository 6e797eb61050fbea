"""Table and figure of document 002's task 2: logistic regression on MNIST, two hyperparameters."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import pandas as pd

from studies.exploration.searches import TASK2, chosen, curves, ends, n_initial, paths, searches
from studies.paired import differences, missing_notes
from studies.tidy import TIDY, mean_by_seed, provenance, read_printed

LEARNER: Final = "logistic_regression"
SEARCHED: Final = (
    "valid_accuracy", "test_accuracy", "C", "intercept_scaling", "seconds", "overhead_s", "overhead_share",
)  # fmt: skip
"""Measures of one search."""
PAIRED: Final = ("valid_accuracy", "test_accuracy")
MEASURES: Final = (
    *(name + less for name in PAIRED for less in ("", "_less_random", "_less_ei")),
    *SEARCHED[len(PAIRED) :],
)
KEYS: Final = ["measure", "method"]
PANELS: Final = {"trials": "trial", "seconds": "spent_s", "cost": "spent_cost"}
"""Panel of the figure -> what it is drawn against."""


def published(quantity: str) -> float:
    """What the page prints of task 2: C, intercept_scaling or test_accuracy."""
    table = read_printed("exploration")
    return float(table[(table["task"] == 2) & (table["quantity"] == quantity)]["value"].iloc[0])


def table_task2(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Where each strategy's searches end, and how its choices do on the test rows, beside the reported point.

    Args:
        runs: rows of `trials.searches.search` and of `runs.refits`.
        scale: label of the run.

    Returns:
        `KEYS`, `tidy.TIDY`, then n_rows, the training rows of a refit, n_missing (seeds without a value) and note.
        Measures: valid_accuracy, the best one of a search, on its own training rows; test_accuracy, of its choice
        refitted; both also less that of random search or of EI in the same seed (`paired.differences`); C and
        intercept_scaling, the choice; seconds of the search, of these overhead_s, the optimiser's, and
        overhead_share, the latter over the former. Methods:
        the strategies; `reported`, the page's point; `grid_least` and `grid_most`, the ends of the range over the
        grid (exact, n_seeds nan). Published numbers stand beside the page's own method, DNGO, its version as
        coded, and its point.
    """
    table = _measured(long_rows(runs))
    fits = refitted(runs)
    exact = []
    for name, part in (("reported", fits[fits["method"] == "reported"]), ("grid", fits[fits["method"] == "grid"])):
        accuracies = 1 - part["test_error"]
        if part.empty:
            continue
        facts = {"measure": "test_accuracy", "n_seeds": np.nan, "data": provenance(part)}
        if name == "reported":
            exact.append({**facts, "method": name, "ours": accuracies.mean(), "n_rows": part["n_rows"].min()})
            continue
        note = f"the grid was fitted on {part['n_rows'].min():.0f} rows"
        for row, value in (("grid_least", accuracies.min()), ("grid_most", accuracies.max())):
            exact.append({**facts, "method": row, "ours": value, "note": note})
    n_rows = fits[~fits["method"].isin(["reported", "grid"])]["n_rows"].min()
    table["n_rows"] = np.where(table["measure"].str.startswith("test_accuracy"), n_rows, np.nan)
    table = pd.concat([table, pd.DataFrame(exact)], ignore_index=True)
    table["note"] = table["note"].fillna("")
    own = table["method"].isin(["dngo", "doc002_as_coded", "reported"])
    printed = {name: published(name) for name in ("test_accuracy", "C", "intercept_scaling")}
    table["published"] = table["measure"].map(printed).where(own)
    table = table.assign(published_se=np.nan, published_stars="", stars="", scale=scale)
    methods = [*TASK2, "reported", "grid_least", "grid_most"]
    order = np.lexsort((table["method"].map(methods.index), table["measure"].map(MEASURES.index)))
    return table.iloc[order].reset_index(drop=True)[[*KEYS, *TIDY, "n_rows", "n_missing", "note"]]


def _measured(long: pd.DataFrame) -> pd.DataFrame:
    """`KEYS`, `tidy.MEASURED` and note, of the searches and of their differences."""
    means = mean_by_seed(long, "value", KEYS)
    parts = [means.assign(note=missing_notes(means))]
    for name in PAIRED:
        part = long[long["measure"] == name].rename(columns={"measure": "of"})
        parts.append(differences(part, name, ["of"]).drop(columns="of"))
    return pd.concat(parts, ignore_index=True)


def refitted(runs: pd.DataFrame) -> pd.DataFrame:
    """The rows of `runs.refits` among others'.

    Raises:
        ValueError: if there are none.
    """
    found = runs[runs["test_error"].notna()] if "test_error" in runs else runs.iloc[:0]
    if found.empty:
        raise ValueError("the runs hold no refits")
    return found


def choices(runs: pd.DataFrame) -> pd.DataFrame:
    """Last row of every search, as of `searches.ends`, with its choice: C and intercept_scaling, nan for none."""
    found = ends(searches(runs, LEARNER))
    points = [one or {"C": math.nan, "intercept_scaling": math.nan} for one in chosen(found)]
    return found.assign(**{name: [float(str(one[name])) for one in points] for name in ("C", "intercept_scaling")})


def long_rows(runs: pd.DataFrame) -> pd.DataFrame:
    """`SEARCHED` of every search: measure, method, seed, data, value; a test accuracy is nan without a refit."""
    fits = refitted(runs)[["method", "seed", "test_error"]]
    found = choices(runs).drop(columns="test_error", errors="ignore").merge(fits, "left", on=["method", "seed"])
    wide = found.assign(
        valid_accuracy=1 - found["best"],
        test_accuracy=1 - found["test_error"],
        seconds=found["spent_s"],
        overhead_s=found["overhead_total_s"],
        overhead_share=found["overhead_total_s"] / found["spent_s"],
    )
    return wide.melt(["method", "seed", "data"], list(SEARCHED), var_name="measure")


def summarise_task2(runs: pd.DataFrame) -> pd.DataFrame:
    """Best validation accuracy so far: panel (of `PANELS`), then the columns of `searches.curves`.

    Seconds are those of evaluations and of the optimiser; cost is rows fitted.

    Args:
        runs: rows of `trials.searches.search`.
    """
    table = paths(searches(runs, LEARNER))
    table["accuracy"] = 1 - table["best"]
    parts = [curves(table, x, "accuracy", TASK2).assign(panel=panel) for panel, x in PANELS.items()]
    found = pd.concat(parts, ignore_index=True)
    return found[["panel", *(name for name in found if name != "panel")]]


def initial_and_final(runs: pd.DataFrame, method: str) -> pd.DataFrame:
    """Per seed, the best error of the first candidates, that of the whole search, and whether the latter is among
    the former: seed, initial, final, is_initial.
    """  # noqa: D205
    found = searches(runs, LEARNER)
    n_first, rows = n_initial(found, LEARNER, str(found["dataset"].iloc[0])), []
    for seed, path in paths(found[found["method"] == method]).groupby("seed"):
        initial = float(path["error"].iloc[:n_first].min())
        rows.append([seed, initial, float(path["best"].iloc[-1]), float(path["best"].iloc[-1] == initial)])
    return pd.DataFrame(rows, columns=["seed", "initial", "final", "is_initial"])
