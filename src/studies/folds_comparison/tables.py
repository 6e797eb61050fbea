"""The numbers of the comparison, one row per strategy and repetition of runs of `python -m studies compare`.

What is compared, a strategy with its settings, is called `method` in them. Runs with seconds are those on timed
fits; they count in `time_share` alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from studies.shared.ranks import COLUMNS, rank_table
from studies.folds_comparison.runs import SHARES, regret_at
from studies.markdown import about_marked, made_of, mark
from studies.tidy import mean_by_seed, need, provenance
from studies.verdicts import NOT_RUN

FLOOR = 10
"""Repetitions under which no number is published."""
LISTS = ["n", "k"]
FACTS = ["method", "strategy", "budget_share"]
MEASURES = {
    "folds_share": "folds",
    "rows_share": "rows",
    "time_share": "seconds",
    "quality": "rank percentile",
    "regret": "regret",
    "lost_best": "best lost",
}
"""Columns of runs that the table averages, and their heads; the first three are shares of the full search's."""
EQUAL_SHARE = 1 / 4
"""Of the cost of the exhaustive search: where strategies are ranked by their regret at the same cost."""
RANKED = ("regret", "rows_share", regret_at(EQUAL_SHARE))
"""What strategies are ranked by: what they end with, what it cost, and where they stood at the same cost."""
MEAN = {"ours": "mean", "ours_se": "se"}


def strategies_table(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """What each strategy spent and what it chose, averaged over datasets and classifiers.

    Args:
        runs: those of `measure`.
        scale: label of the run.

    Returns:
        method, strategy, budget_share, n, k, measure (one of `MEASURES`), mean, se, low, high (95 % Student
        interval over seeds), n_seeds, n_missing, scale, data. In a table that reaches `FLOOR` a cell that does
        not has no numbers, and says so in the place of its scale.
    """
    need(runs, *FACTS, "folds_share", "rows_share", "quality", "regret", "lost_best")
    kept, timed = split_timed(runs)
    parts = [
        mean_by_seed(timed if measure == "time_share" else kept, measure, [*LISTS, "method"]).assign(
            measure=measure
        )
        for measure in MEASURES
    ]
    table = pd.concat([part for part in parts if len(part)], ignore_index=True).rename(columns=MEAN)
    table["measure"] = pd.Categorical(table["measure"], list(MEASURES))
    table = with_facts_of(runs, table.sort_values([*LISTS, "method", "measure"], ignore_index=True))
    table = table.assign(scale=scale).astype({"measure": str})
    if table["n_seeds"].max() >= FLOOR:
        below = table["n_seeds"] < FLOOR
        table.loc[below, ["mean", "se", "low", "high"]] = np.nan
        table.loc[below, "scale"] = NOT_RUN
    numbers = ["mean", "se", "low", "high", "n_seeds", "n_missing", "scale", "data"]
    return table[[*FACTS, *LISTS, "measure", *numbers]]


def split_timed(runs: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Runs on kept scores, and those on timed fits with `time_share`.

    The share is measured seconds of the search, its own overhead included, over those of fitting every candidate
    on every fold.
    """
    if "seconds" not in runs:
        return runs, runs.iloc[:0].assign(time_share=np.nan)
    is_timed = runs["seconds"].notna()
    timed = runs[is_timed]
    spent = timed["seconds"] + timed["overhead_s"]
    return runs[~is_timed], timed.assign(time_share=spent / timed["exhaustive_s"])


def with_facts_of(runs: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """A table by method with each method's strategy and budget_share."""
    return table.merge(runs[FACTS].drop_duplicates(), on="method", how="left")


def render(table: pd.DataFrame) -> str:
    """Markdown of `strategies_table`: a row per n, k and strategy, a column per measure that was made."""
    keys, cells = [*LISTS, "method"], [_cell(row) for row in table.to_dict("records")]
    wide = table.assign(cell=cells).pivot_table(index=keys, columns="measure", values="cell", aggfunc="first")
    measures = [measure for measure in MEASURES if measure in wide]
    heads = [*LISTS, "strategy", *(MEASURES[measure] for measure in measures)]
    lines = ["| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads)]
    for row in wide[measures].fillna(NOT_RUN).reset_index().astype(str).to_numpy():
        lines.append("| " + " | ".join([*row[:2], row[2].replace("_", " "), *row[3:]]) + " |")
    return "\n".join(lines) + "\n\n" + _note(table) + "\n"


def _cell(row: Mapping[Any, Any]) -> str:
    if row["scale"] == NOT_RUN:
        return NOT_RUN
    mean = f"{row['mean']:.4f}" if pd.notna(row["mean"]) else "no value"
    error = f" ± {row['se']:.4f}" if pd.notna(row["se"]) else ""
    return mean + error + mark(row["data"])


def _note(table: pd.DataFrame) -> str:
    run = table[table["scale"] != NOT_RUN]
    error = " ± one standard error over seeds" if run["se"].notna().any() else ""
    text = f"Means over datasets and classifiers{error}; {made_of(run)}. "
    text += "Folds, rows and seconds: share of the exhaustive search's."
    if "time_share" not in set(table["measure"]):
        text += " Seconds: there are no fits that were timed alone."
    if run["n_missing"].sum():
        text += f" {run['n_missing'].sum()} values are missing and left out."
    return text + about_marked(run)


def summarise_pareto(runs: pd.DataFrame) -> pd.DataFrame:
    """Cost and regret of each strategy, per n and k.

    Returns:
        n, k, method, strategy, budget_share, cost (share of the rows that the exhaustive search trains on),
        cost_se, cost_low, cost_high, those of `mean_by_seed` for the regret, and on_front: it has a regret, and
        none is as cheap and as good, and better in one of them.
    """
    need(runs, *FACTS, "rows_share", "regret")
    runs, keys = split_timed(runs)[0], [*LISTS, "method"]
    renamed = {"ours": "cost", "ours_se": "cost_se", "low": "cost_low", "high": "cost_high"}
    cost = mean_by_seed(runs, "rows_share", keys).rename(columns=renamed)[[*keys, *renamed.values()]]
    table = with_facts_of(runs, cost.merge(mean_by_seed(runs, "regret", keys).rename(columns=MEAN), on=keys))
    fronts = [on_front(part["cost"], part["mean"]) for _, part in table.groupby(LISTS)]
    table["on_front"] = pd.concat(fronts) if fronts else False
    return table


def on_front(cost: pd.Series, regret: pd.Series) -> pd.Series:
    """Whether a point has a regret, and no other one is as cheap and as good, and better in one of them."""
    x, y = cost.to_numpy(), regret.to_numpy()
    no_worse = (x[None, :] <= x[:, None]) & (y[None, :] <= y[:, None])
    less = (x[None, :] < x[:, None]) | (y[None, :] < y[:, None])
    return pd.Series(~(no_worse & less).any(axis=1) & ~np.isnan(y), index=cost.index)


def summarise_anytime(runs: pd.DataFrame) -> pd.DataFrame:
    """Regret of the incumbent after shares of the exhaustive search's cost, per n and k.

    A strategy under a budget goes along its own curve without one and stops, so it is left out.

    Returns:
        n, k, method, strategy, budget_share, share, those of `mean_by_seed`.
    """
    need(runs, *FACTS, *map(regret_at, SHARES))
    runs, keys = split_timed(runs)[0], [*LISTS, "method"]
    runs = runs[runs["budget_share"].isna()]
    parts = [mean_by_seed(runs, regret_at(share), keys).assign(share=share) for share in SHARES]
    table = pd.concat(parts, ignore_index=True).rename(columns=MEAN)
    return with_facts_of(runs, table).sort_values([*keys, "share"], ignore_index=True)


def summarise_ranks(runs: pd.DataFrame) -> pd.DataFrame:
    """Average ranks over the cells of dataset, classifier, n and k, for each of `RANKED`.

    At the same cost only strategies without a budget are ranked: under one they are the same.

    Returns:
        measure, method, strategy, budget_share, the other `COLUMNS` of `rank_table`, data.
    """
    need(runs, *FACTS, *RANKED)
    runs = split_timed(runs)[0]
    unlimited = runs[runs["budget_share"].isna()]
    blocks = ["dataset", "classifier", *LISTS]
    parts = [
        rank_table(unlimited if measure == regret_at(EQUAL_SHARE) else runs, measure, blocks).assign(
            measure=measure
        )
        for measure in RANKED
    ]
    table = with_facts_of(runs, pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True))
    return table.assign(data=provenance(runs))[["measure", *FACTS, *COLUMNS[1:], "data"]]


def budget_text(share: float) -> str:
    """A budget's share in words for a label, for example `budget 1/4`."""
    return f"budget {Fraction(share).limit_denominator(100)}"
