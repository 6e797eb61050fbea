"""The numbers of the comparison, from paths as `runs.refits` writes them, a row per trial.

Budgets are equal: on every problem, of each currency, what the median search of the method that spent least had
spent in the end. A search that ended before keeps its last incumbent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import pandas as pd

from studies.markdown import about_marked, crossed, made_of, mark
from studies.paths import SLACK, mean_path, steps, until_last
from studies.shared.ranks import COLUMNS as RANKS
from studies.shared.ranks import rank_table
from studies.tidy import TIDY, mean_by_seed, need_columns, provenance, unprinted
from studies.trials_comparison.listed import COLUMNS, CURRENCIES, GROUPS, PROBLEMS, in_order
from studies.verdicts import NOT_RUN

FLOOR: Final = 10
"""Repetitions under which no number is published."""
NEAR: Final = 0.10
"""Within which share of the least test error an incumbent has arrived."""
N_POINTS: Final = 201
KEYS: Final = ["problem", "method", "measure"]
MEASURES: Final = {
    "final_regret": "regret, end",
    **{f"regret_at_{currency}": f"regret, equal {currency}" for currency in CURRENCIES},
    **{f"{currency}_to_10": f"{currency} to 10 %" for currency in CURRENCIES},
    "seconds": "seconds",
    "trials": "trials",
    "overhead_share": "overhead",
}
"""Measures of the table, and their heads."""
_PROBLEM: Final = ["learner", "dataset"]


def ends(runs: pd.DataFrame) -> pd.DataFrame:
    """What every search came to, a row each.

    Args:
        runs: paths, of `runs.refits`, on one problem or more.

    Returns:
        learner, dataset, method, seed, data; budget_{currency}, of `budget_of`; final_regret and
        regret_at_{currency}, at its end and when it had spent that (nan without an incumbent then);
        {currency}_to_10, until its test error was within `NEAR` of the least, all it spent if it never was;
        reached; seconds and trials, all of it; overhead_share, of its seconds the optimiser's and the checks'.
        Problems and methods in the order of `listed`.

    Raises:
        ValueError: if a column is missing, or on an unknown problem.
    """
    found = _checked(runs)
    rows = []
    for problem, of in found.groupby(_PROBLEM, sort=False):
        searches = dict(iter(of.groupby(["method", "seed"], sort=False)))
        budgets = {name: budget_of(of, name) for name in CURRENCIES}
        for (method, seed), path in searches.items():
            last, regret = path.iloc[-1], path["regret"].to_numpy(float)
            there = path["test_error"].to_numpy(float) <= (1 + NEAR) * last["least"] + SLACK
            first = int(there.argmax()) if there.any() else len(path) - 1
            row = {
                "learner": problem[0],
                "dataset": problem[1],
                "method": method,
                "seed": seed,
                "data": last["data"],
            }
            row |= {f"budget_{name}": budget for name, budget in budgets.items()} | {"final_regret": regret[-1]}
            for name, budget in budgets.items():
                spent = path[name].to_numpy(float)
                row[f"regret_at_{name}"] = float(steps(spent, regret, np.array([budget]))[0])
                row[f"{name}_to_10"] = spent[first]
            row |= {"reached": bool(there.any()), "seconds": last["seconds"], "trials": last["trials"]}
            rows.append(row | {"overhead_share": last["overhead"] / last["seconds"]})
    return pd.DataFrame(rows)


def budget_of(runs: pd.DataFrame, currency: str) -> float:
    """What the median search of the method that spent least had spent in the end, of paths on one problem."""
    spent = runs.groupby(["method", "seed"])[currency].max()
    return float(spent.groupby(level="method").median().min())


def _checked(runs: pd.DataFrame) -> pd.DataFrame:
    """Paths in the order of `listed` with regret, on problems that it knows."""
    need_columns(runs, COLUMNS, "paths")
    runs = runs[runs["trials"].notna()]
    problems, order = list(zip(runs["learner"], runs["dataset"], strict=True)), [*PROBLEMS]
    unknown = [name for name in dict.fromkeys(problems) if name not in order]
    if unknown:
        raise ValueError(f"unknown problem {unknown[0]!r}; known: {', '.join(map(str, order))}")
    ordered = runs.assign(
        _problem=[order.index(of) for of in problems],
        _method=runs["method"].map(in_order(runs["method"]).index),
        regret=runs["test_error"] - runs["least"],
    )
    by = ["_problem", "_method", "seed", "trials"]
    return ordered.sort_values(by, kind="stable", ignore_index=True).drop(columns=by[:2])


def table_strategies(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """What each method came to on each problem.

    Args:
        runs: paths, of `runs.refits`.
        scale: label of the run.

    Returns:
        `KEYS` (problem as its title), `tidy.TIDY`, n_missing (seeds without a value), budget (of regrets at equal
        budgets) and says. In a table that reaches `FLOOR` a cell that does not has no numbers, and says so in the
        place of its scale. A method that was not run on a problem has one row there, without a number.
    """
    found = ends(runs)
    found.insert(0, "problem", _titles(found))
    parts = [mean_by_seed(found, measure, ["problem", "method"]).assign(measure=measure) for measure in MEASURES]
    table = pd.concat(parts, ignore_index=True)
    table = _ordered(table)
    budgets = found.groupby("problem")[[f"budget_{name}" for name in CURRENCIES]].first()
    never = (~found["reached"]).groupby([found["problem"], found["method"]]).agg(["sum", "size"])
    table["budget"], table["says"] = np.nan, ""
    for i, row in enumerate(table.to_dict("records")):
        if row["measure"].startswith("regret_at_"):
            name = row["measure"].removeprefix("regret_at_")
            table.loc[i, "budget"] = budgets.loc[row["problem"], f"budget_{name}"]
        n_never, n = never.loc[(row["problem"], row["method"])]
        if row["measure"].endswith("_to_10") and n_never:
            table.loc[i, "says"] = f"{n_never} of {n} seeds never"
        elif row["n_missing"]:
            table.loc[i, "says"] = f"{row['n_missing']} of {n} seeds without"
    table = unprinted(table, scale)
    below = n_searches(table) < FLOOR
    if not below.all():
        table.loc[below, ["ours", "ours_se", "low", "high"]] = np.nan
        table.loc[below, "scale"] = NOT_RUN
    table = table[[*KEYS, *TIDY, "n_missing", "budget", "says"]]
    absent = runs.loc[runs["trials"].isna(), ["learner", "dataset", "method"]].drop_duplicates()
    if absent.empty:
        return table
    rows = absent[["method"]].assign(problem=_titles(absent), measure=next(iter(MEASURES)), scale=NOT_RUN, says="")
    rows = rows.reindex(columns=table.columns).fillna({"n_seeds": 0, "n_missing": 0})
    rows = rows.astype({"n_seeds": int, "n_missing": int})
    rows[["published_stars", "stars", "data"]] = ""
    return _ordered(pd.concat([table, rows], ignore_index=True))


def _ordered(table: pd.DataFrame) -> pd.DataFrame:
    """Rows by problem, method and measure in the order in which they are shown."""
    titles = [problem.title for problem in PROBLEMS.values()]
    ranks = (table["measure"].map([*MEASURES].index), table["method"].map(in_order(table["method"]).index))
    return table.iloc[np.lexsort([*ranks, table["problem"].map(titles.index)])].reset_index(drop=True)


def n_searches(table: pd.DataFrame) -> pd.Series[int]:
    """How many searches a row's number is from, those without a value among them; ranks are of all there are."""
    return table["n_seeds"] + table.get("n_missing", 0)


def reaches_floor(table: pd.DataFrame) -> bool:
    """Whether all numbers of a table or a figure of the comparison reach the published floor."""
    made = n_searches(table)
    return bool((made[made > 0] >= FLOOR).all())


def _titles(found: pd.DataFrame) -> list[str]:
    return [PROBLEMS[of].title for of in zip(found["learner"], found["dataset"], strict=True)]


def render(table: pd.DataFrame) -> str:
    """Markdown of `table_strategies`: a row per problem and method, a column per measure."""
    table, absent = table[n_searches(table) > 0], table[n_searches(table) == 0]
    heads = table.assign(measure=table["measure"].map(MEASURES))
    text = crossed(heads, "measure", [_cell(row) for row in table.to_dict("records")])
    run = table[table["scale"] != NOT_RUN]
    note = (
        "Means over seeds. Regret: test error of the incumbent less the least known, in points of percent, at the "
        "end of a search and after what the median search of the method that spent least on the problem had "
        "spent, in seconds, in cost and in trials. To 10 %: until the test error was within a tenth of the least; "
        "in brackets how many seeds never were, counted with all they spent; after a regret, how many had no "
        "incumbent by then and are left out. Overhead: share of the seconds that were the optimiser's "
        f"and its checks'. {made_of(run).capitalize()}."
    )
    parts = [
        f"{', '.join(part['method'].str.replace('_', ' '))} on {title}"
        for title, part in absent.groupby("problem", sort=False)
    ]
    if parts:
        note += f" {NOT_RUN.capitalize()}: {'; '.join(parts)}."
    return f"{text}\n\n{note}{about_marked(run)}\n"


def _cell(row: dict[object, object]) -> str:
    if row["scale"] == NOT_RUN:
        return NOT_RUN
    value, measure = float(str(row["ours"])), str(row["measure"])
    if np.isnan(value):
        return "no value" + mark(row["data"])
    shown = (
        f"{100 * value:.2f}" if "regret" in measure else f"{value:.0%}" if "share" in measure else f"{value:.4g}"
    )
    never = str(row["says"]).split(" seeds")[0]
    return shown + (f" ({never})" if never else "") + mark(row["data"])


def summarise_anytime(runs: pd.DataFrame, currency: str) -> pd.DataFrame:
    """Regret of the incumbent against what was spent, mean over seeds.

    A line begins once every seed has an incumbent, and ends with its longest search; a search that has ended keeps
    its last value. All lines of a problem share a grid, evenly spaced in logarithms, or the numbers of trials.

    Returns:
        problem (its title), method, x, mean, low, high, n_seeds, n_missing (seeds that never had an incumbent),
        budget (of `budget_of`), data.
    """
    found, parts = _checked(runs), []
    for _, of in found.groupby(_PROBLEM, sort=False):
        spent = of[currency]
        grid = np.geomspace(spent.min(), spent.max(), N_POINTS)
        if currency == "trials":
            grid = np.arange(1.0, spent.max() + 1)
        budget = budget_of(of, currency)
        for method, part in of.groupby("method", sort=False):
            searches = [path for _, path in part.groupby("seed")]
            told = [path for path in searches if path["regret"].notna().any()]
            facts = {"problem": _titles(part)[0], "method": method, "budget": budget, "data": provenance(part)}
            if not told:
                line = pd.DataFrame({"x": [np.nan], "n_seeds": 0})
            else:
                line = mean_path(told, currency, "regret", until_last(grid, told, currency))
            parts.append(line.assign(**facts, n_missing=len(searches) - len(told)))
    names = ["problem", "method", "x", "mean", "low", "high", "n_seeds", "n_missing", "budget", "data"]
    return pd.concat(parts, ignore_index=True).reindex(columns=names)


def summarise_ranks(runs: pd.DataFrame, currency: str) -> pd.DataFrame:
    """Average ranks over problems of the regret at equal budgets, for each of `GROUPS`.

    A problem's value is the mean over seeds; a method without an incumbent by then is the worst. Methods that did
    not run on every problem of a group are left out of it.

    Returns:
        group, the columns of `ranks.rank_table`, data.
    """
    found = ends(runs)
    found["problem"] = _titles(found)
    groups = {problem.title: problem.group for problem in PROBLEMS.values()}
    own, parts = found["problem"].map(groups), []
    for group in GROUPS:
        part = found if group == "all" else found[own == group]
        if len(part):
            ranks = rank_table(part, f"regret_at_{currency}", ["problem"])
            parts.append(ranks.assign(group=group, data=provenance(part)))
    shown = [part for part in parts if len(part)] or parts[:1]
    return pd.concat(shown, ignore_index=True)[["group", *RANKS, "data"]]


TABLES: Final[dict[str, Callable[[pd.DataFrame, str], pd.DataFrame]]] = {"strategies": table_strategies}
"""Table name -> how it is made from paths and the label of the scale."""
