"""Tables 1 to 4 of document 004, ours beside the printed errors, and how far HyperTune is from EI and controls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd

from studies.hypertune.curves import PANELS, areas
from studies.hypertune.listed import (
    COMPARED,
    DATASETS,
    KEYS,
    LEARNERS,
    MAJORITY,
    METHODS,
    TABLES,
    TESTER,
    published,
)
from studies.hypertune.searched import least_scope, paths
from studies.markdown import about_marked, crossed, made_of, mark
from studies.tidy import MEASURED, TIDY, mean_by_seed, unprinted
from studies.verdicts import NOT_RUN

FLOOR: Final = 3
"""Repetitions under which no number is published and no verdict given."""
FLOOR_ROWS: Final = 8_000
"""The same for training rows; of networks `FLOOR_IMAGES`."""
FLOOR_IMAGES: Final = 10_000
FLOOR_EPOCHS: Final = 10
"""Of networks."""
NETWORKS: Final = ("mlp", "cifar_cnn")
_FACTS: Final = ("n_rows", "n_epochs", "budget_s", "budget_share", "n_short", "n_over", "n_diverged")


def tested(runs: pd.DataFrame) -> pd.DataFrame:
    """The rows of `runs.refits` among others'; where a choice diverged, with the majority's error of its seed.

    Returns:
        Their columns, and is_diverged. A choice whose training diverged is worth no more than none, and whoever
        has none says the most frequent class; were it left out, its method would have the mean of its good seeds.
    """
    if "test_error" not in runs:
        return runs.iloc[:0].assign(is_diverged=False)
    found = runs[runs["test_error"].notna() | runs["spent_s"].notna()]
    on = ["learner", "dataset", "seed"]
    majority = found[found["method"] == MAJORITY].groupby(on)["test_error"].first().rename("majority")
    left = found.join(majority, on=on)["majority"].where(found["method"] != MAJORITY)
    is_diverged = found["test_error"].isna() & left.notna()
    return found.assign(test_error=found["test_error"].fillna(left), is_diverged=is_diverged)


def is_short(fits: pd.DataFrame) -> pd.Series[bool]:
    """Whether a search had made all its trials before HyperTune's time was over; rows of `tested`."""
    return fits["whole_s"] < fits["budget_s"] * (1 - 1e-9)


def is_over(fits: pd.DataFrame) -> pd.Series[bool]:
    """Whether a search chose for the first time after HyperTune's time was over; rows of `tested`."""
    return fits["spent_s"] > fits["budget_s"] * (1 + 1e-6)


def enough(table: pd.DataFrame) -> pd.Series[bool]:
    """Whether each row's n_seeds, n_rows and n_epochs reach the published floor; column learner by our names."""
    is_network = table["learner"].isin(NETWORKS)
    rows = table["n_rows"] >= np.where(is_network, FLOOR_IMAGES, FLOOR_ROWS)
    no_epochs = ~is_network | (table["method"] == MAJORITY)
    return (table["n_seeds"] >= FLOOR) & rows & (no_epochs | (table["n_epochs"] >= FLOOR_EPOCHS))


def at_floor(table: pd.DataFrame) -> pd.DataFrame:
    """The rows that reach the published floor where some do, else all."""
    is_enough = enough(table)
    return table[is_enough] if is_enough.any() else table


def not_run(columns: list[str], **keys: str) -> pd.DataFrame:
    """A table of one row, which says that nothing was run.

    Args:
        columns: of the table.
        keys: of the row.
    """
    says = {"scale": NOT_RUN, "n_seeds": 0, "n_missing": 0, "published_stars": "", "stars": "", "data": ""}
    return pd.DataFrame([keys | says]).reindex(columns=columns)


def reaches_floor(table: pd.DataFrame) -> bool:
    """Whether all numbers of a table or a figure of this paper reach the published floor.

    Args:
        table: without its cells that were not run.
    """
    if "learner" not in table:  # Figure 1, whose subset is small by intent
        return bool(table["n_seeds"].min() >= FLOOR and table["n_rows"].max() >= FLOOR_ROWS)
    ours = {printed: own for own, printed in LEARNERS.items()}
    named = table.assign(learner=table["learner"].replace(ours), method=table.get("method", TESTER))
    return bool(enough(named).all())


def table(name: str, runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """A printed table with its rows for EI, random search and the majority's class added, and adult scaled.

    Args:
        name: key of `listed.TABLES`.
        runs: rows of `runs.refits`, any learner's among them.
        scale: label of the run.

    Returns:
        `listed.KEYS`, `tidy.TIDY`, then n_rows (training rows, the fewest), n_epochs, budget_s (HyperTune's
        seconds, mean), budget_share (of these, what the method had spent when its choice was made, mean), n_short
        (seeds whose search ended before the budget), n_over (whose first choice came after it) and n_diverged
        (whose choice diverged, and counts as the majority's class). A cell without runs is `not run at this
        scale`; so is, where some cell of the table reaches the published floor, one that does not.
    """
    found = tested(runs)
    found = found[found["learner"].isin(TABLES[name]) & found["method"].isin(METHODS)]
    measured = at_floor(_measured(found, ["learner", "dataset", "method"]) if len(found) else _none())
    number = int(name.removeprefix("table"))
    ours = measured.assign(
        table=number,
        learner=measured["learner"].map(LEARNERS),
        dataset=measured["dataset"].map(DATASETS),
    )
    printed = published()
    printed = printed[printed["table"] == number]
    wanted = _wanted(printed, ours)
    whole = wanted.merge(printed, "left", on=KEYS).merge(ours, "left", on=KEYS)
    whole["scale"] = np.where(whole["n_seeds"].isna(), NOT_RUN, scale)
    counts = ["n_seeds", "n_short", "n_over", "n_diverged"]
    whole = whole.assign(published_stars="", stars="", data=whole["data"].fillna(""))
    whole[counts] = whole[counts].fillna(0).astype(int)
    return whole[[*KEYS, *TIDY, *_FACTS]]


def _wanted(printed: pd.DataFrame, ours: pd.DataFrame) -> pd.DataFrame:
    """`KEYS` of the rows to show: every printed cell, EI's in each of its columns, and what was run."""
    columns = printed[["table", "learner", "dataset"]].drop_duplicates()
    added = pd.concat([columns.assign(method=name) for name in ("majority", "random", "ei")])
    cells = pd.concat([printed[KEYS], added, ours[KEYS]]).drop_duplicates()
    orders = [list(METHODS), list(DATASETS.values()), list(LEARNERS.values())]
    ranks = [
        cells[key].map(order.index) for key, order in zip(("method", "dataset", "learner"), orders, strict=True)
    ]
    return cells.iloc[np.lexsort(ranks)].reset_index(drop=True)


def _measured(found: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """keys, `tidy.MEASURED` of the test error, and `_FACTS`."""
    share = found["spent_s"] / found["budget_s"]
    found = found.assign(
        budget_share=share,
        is_over=is_over,
        is_short=is_short,
        n_epochs=pd.to_numeric(found["n_epochs"]),
    )
    by = found.groupby(keys, sort=True)
    facts = by.agg(
        n_rows=("n_rows", "min"),
        n_epochs=("n_epochs", "min"),
        budget_s=("budget_s", "mean"),
        budget_share=("budget_share", "mean"),
        n_short=("is_short", "sum"),
        n_over=("is_over", "sum"),
        n_diverged=("is_diverged", "sum"),
    )
    return mean_by_seed(found, "test_error", keys).merge(facts.reset_index(), on=keys)


def _none() -> pd.DataFrame:
    columns = ["learner", "dataset", "method", *MEASURED, *_FACTS]
    return pd.DataFrame({name: pd.Series(dtype=object if name in (*KEYS, "data") else float) for name in columns})


def controls(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """How far EI and HyperTune's controls are behind HyperTune: means of differences seed by seed.

    Only curves are compared. HyperTune's time ends as one of its own trials does, so whether a control's trial of
    the same length ends within it is up to milliseconds.

    Args:
        runs: searches, among others' rows.
        scale: label of the run.

    Returns:
        learner, dataset, method (`listed.COMPARED`), measure (behind_trials: the best validation error so far,
        mean over the trials on all rows that both made, the method's less HyperTune's, so above 0 where HyperTune
        is the better; behind_seconds: the same over the time, that on subsets included, in which both had such a
        trial), `tidy.TIDY`, n_rows, n_epochs, n_missing. One row that says so where none of them shares a problem
        with HyperTune; cells below the floor are left out where others reach it.
    """
    searched = runs[runs["id"].notna()] if "id" in runs else runs.iloc[:0]
    none = not_run(_CONTROL_COLUMNS, learner="none", dataset="none", method=COMPARED[0], measure="behind_trials")
    if searched.empty:
        return none
    found = paths(searched)
    gaps = pd.concat(
        areas(found, TESTER, name, panel).assign(method=name, measure=f"behind_{panel}")
        for name in COMPARED
        for panel in PANELS
    )
    if gaps.empty:
        return none
    gaps = gaps.assign(value=-gaps["behind"])
    problem = ["learner", "dataset", "seed"]
    gaps = gaps.merge(searched[[*problem, "data"]].drop_duplicates(problem), on=problem)
    made = at_floor(mean_by_seed(gaps, "value", _CONTROL_KEYS).merge(least_scope(found)))
    return unprinted(made, scale)[_CONTROL_COLUMNS].reset_index(drop=True)


_CONTROL_KEYS: Final = ["learner", "dataset", "method", "measure"]
_CONTROL_COLUMNS: Final = [*_CONTROL_KEYS, *TIDY, "n_rows", "n_epochs", "n_missing"]


def render(table: pd.DataFrame) -> str:
    """Markdown; a cell reads `mean ± standard error [published ± its standard error]`; notes stand below.

    Args:
        table: of this module.
    """
    across = "dataset" if "table" in table else "measure"
    shown = table.drop(columns="table") if across == "dataset" else table
    lines = crossed(shown, across, [_cell(row) for row in table.to_dict("records")])
    run = table[table["scale"] != NOT_RUN]
    what = "Test errors: means ± standard errors over seeds [published]"
    if across == "measure":
        what = "Best validation error so far, the method's less HyperTune's, above 0 where HyperTune is better: "
        what += "means ± standard errors over seeds"
    note = f"{what}; {made_of(run)}."
    if len(run):
        rows = sorted({f"{n:,.0f}" for n in run["n_rows"]}, key=len)
        note += f" Training rows: {', '.join(rows)}."
    for column, says in _NOTES.items():
        if column in run and run[column].sum():
            cells = run[run[column] > 0]
            which = ", ".join(f"{r['method']} on {r['dataset']} ({r[column]})" for r in cells.to_dict("records"))
            note += f"\n\n{says}: {which}."
    note += about_marked(run, "\n\n")
    return f"{lines}\n\n{note}\n"


_NOTES: Final = {
    "n_short": "Seeds whose search ended before HyperTune's time did",
    "n_over": "Seeds whose first choice came after it",
    "n_diverged": "Seeds whose choice diverged, which count as the majority's class",
    "n_missing": "Seeds without a value",
}


def _cell(row: Mapping[Any, Any]) -> str:
    if row["scale"] == NOT_RUN:
        text = NOT_RUN
    elif pd.isna(row["ours"]):
        text = "no value"
    else:
        text = f"{row['ours']:.4f}" + (f" ± {row['ours_se']:.4f}" if pd.notna(row["ours_se"]) else "")
    if pd.notna(row["published"]):
        error = f" ± {row['published_se']:g}" if pd.notna(row["published_se"]) else ""
        text += f" [{row['published']:g}{error}]"
    return text + mark(row["data"])


MADE: Final[dict[str, Callable[[pd.DataFrame, str], pd.DataFrame]]] = {
    **{name: partial(table, name) for name in TABLES},
    "controls": controls,
}
"""Table name -> its function, of runs and the label of the scale."""
