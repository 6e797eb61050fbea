"""Searches on one problem made comparable, the result of each, and the table of the comparison.

What is judged is the test error of the incumbent, fitted on all rows and for all epochs, against the least known.
Where a search was on a table or on stored curves, both are looked up, and the least is that of the table. Where it
was live, what was chosen is fitted, and the least is that of all choices of all methods from the same seed, whose
rows they share: the regret is then a lower bound of the true one.

Budgets are equal: on every problem, of each currency, what the median search of the method that spent least had
spent in the end. A search that ended before keeps its last incumbent.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from frugal.checks import check_columns
from studies.blocks import block_of, n_trials_of
from studies.estimates import NOT_RUN
from studies.markdown import about_marked, crossed, made_of, mark
from studies.records import Artefact, Study
from studies.shared.searches import CELL, candidates, so_far, trials_of
from studies.tidy import FROM_0, by_measure, in_order, tidied
from studies.trajectories import arrival, steps
from studies.trials_comparison.problems_and_methods import (
    COLUMNS,
    CURRENCIES,
    PROBLEMS,
    methods_in_order,
    searches_of,
    shown_on,
)

if TYPE_CHECKING:
    from frugal.trials.lines import JournalPath

FLOOR: Final = 10
"""Repetitions below which no number is published."""
NEAR: Final = 0.10
"""Within which share of the least test error an incumbent has arrived."""
PROBLEM: Final = ["learner", "dataset"]


def runs_of(config: Mapping[str, Any]) -> tuple[str, ...]:
    """Runs of the problems on which some compared method makes trials."""
    problems = [*PROBLEMS]
    if "compared" in config["trials_comparison"]:  # records from before the list was in the configuration lack it
        searches = searches_of(config)
        problems = [problem for problem in PROBLEMS if _is_run(problem, searches, config)]
    return tuple(f"{learner}-{dataset}" for learner, dataset in problems)


def _is_run(problem: tuple[str, str], searches: Mapping[str, Study], config: Mapping[str, Any]) -> bool:
    names = {
        name
        for search in searches.values()
        if problem in search.problems
        for name in n_trials_of(search, block_of(search, config), problem[1])
    }
    return bool(names & set(shown_on(config, *problem)))


# Paths ---------------------------------------------------------------------------------------------------------


def refit(
    runs: pd.DataFrame,
    settings: Mapping[str, Any],
    root: str | Path = "data",
    journal: JournalPath | None = None,
) -> pd.DataFrame:
    """Paths of searches, a row per trial; the choices of live searches are fitted on all rows and tested.

    Args:
        runs: rows of `searches.search` on one problem and, of a table or stored curves, all of its rows.
        settings: of live searches those of `shared.refits.SeedFits`; and not_run, the compared methods that are
            not run on this problem at this scale.
        root: folder of the datasets.
        journal: where fits are kept as they are made; None: nowhere.

    Returns:
        `COLUMNS`, by method, seed and trial. A method that is not run has one row with method, learner, dataset
        and data, seed -1, and nothing else.

    Raises:
        ValueError: if a column is missing, there are no searches, or they are on several problems.
    """
    from frugal.benchmarks.problem_by_name import CURVES, LOOKUP
    from studies.shared.look_up_tables import least_test_error
    from studies.shared.refits import SeedFits, data_of

    trials = so_far(trials_of(runs, "incumbent"))
    problems = trials[PROBLEM].drop_duplicates()
    if len(problems) != 1:
        raise ValueError(f"the runs must hold searches on one problem, got {len(problems)}")
    if trials["learner"].iloc[0] in (LOOKUP, CURVES):
        trials["least"] = least_test_error(runs)
    else:
        of_problem = {key: value for key, value in settings.items() if key != "not_run"}
        fits = SeedFits(of_problem, root, journal, data_of(trials))
        chosen = candidates(trials["incumbent"])
        cells = zip(trials["learner"], trials["dataset"], trials["seed"], chosen, strict=True)
        trials["test_error"] = [
            fits.fit(learner, dataset, int(seed), candidate)["test_error"]
            for learner, dataset, seed, candidate in cells
        ]
        trials["least"] = trials.groupby("seed")["test_error"].transform("min")
    trials["seed"] = trials["seed"].astype(int)
    spent = {name: trials[f"spent_{name}"] for name in ("seconds", "cost", "overhead")}
    paths = trials.assign(**spent, trials=trials["trial"])[list(COLUMNS)]
    absent = [name for name in settings.get("not_run", ()) if name not in set(paths["method"])]
    if not absent:
        return paths
    facts = paths[[*PROBLEM, "data"]].iloc[0].to_dict()
    rows = pd.DataFrame({"method": absent, **facts, "seed": -1}).reindex(columns=list(COLUMNS))
    return pd.concat([paths, rows], ignore_index=True)


def ordered(runs: pd.DataFrame) -> pd.DataFrame:
    """Paths with regret, problems and methods in the order in which they are shown.

    Raises:
        ValueError: if a column is missing, or on an unknown problem.
    """
    check_columns("the table of paths", runs, COLUMNS)
    runs = runs[runs["trials"].notna()]
    problems, order = list(zip(runs["learner"], runs["dataset"], strict=True)), [*PROBLEMS]
    unknown = [name for name in dict.fromkeys(problems) if name not in order]
    if unknown:
        raise ValueError(f"unknown problem {unknown[0]!r}; known: {', '.join(map(str, order))}")
    paths = runs.assign(
        _problem=[order.index(problem) for problem in problems],
        _method=runs["method"].map(methods_in_order(runs["method"]).index),
        regret=runs["test_error"] - runs["least"],
    )
    by = ["_problem", "_method", "seed", "trials"]
    return paths.sort_values(by, kind="stable", ignore_index=True).drop(columns=by[:2])


def budget_of(runs: pd.DataFrame, currency: str) -> float:
    """The common budget on one problem: the final cost of the cheapest method's median search."""
    spent = runs.groupby(["method", "seed"])[currency].max()
    return float(spent.groupby(level="method").median().min())


def ends(runs: pd.DataFrame) -> pd.DataFrame:
    """The result of every search, a row each.

    Returns:
        learner, dataset, method, seed, data; budget_{currency}, of `budget_of`; final_regret, at the end of the
        search; regret_at_{currency}, when it had spent the budget (nan without an incumbent then);
        {currency}_to_10, spent until its test error was within `NEAR` of the least, or in all if it never was;
        reached, whether it ever was; seconds and trials, of the whole search; overhead_share, the share of its
        seconds that the optimiser and the checks took.
        Problems and methods in the order in which they are shown.

    Raises:
        ValueError: if a column is missing, or on an unknown problem.
    """
    rows = []
    for problem, part in ordered(runs).groupby(PROBLEM, sort=False):
        budgets = {name: budget_of(part, name) for name in CURRENCIES}
        for (method, seed), path in part.groupby(["method", "seed"], sort=False):
            last, regret = path.iloc[-1], path["regret"].to_numpy(float)
            first, reached = arrival(path["test_error"].to_numpy(float), (1 + NEAR) * last["least"])
            row = dict(zip(CELL, (*problem, method, seed), strict=True)) | {"data": last["data"]}
            row |= {f"budget_{name}": budget for name, budget in budgets.items()} | {"final_regret": regret[-1]}
            for name, budget in budgets.items():
                spent = path[name].to_numpy(float)
                row[f"regret_at_{name}"] = float(steps(spent, regret, np.array([budget]))[0])
                row[f"{name}_to_10"] = spent[first]
            row |= {"reached": reached, "seconds": last["seconds"], "trials": last["trials"]}
            rows.append(row | {"overhead_share": last["overhead"] / last["seconds"]})
    return pd.DataFrame(rows)


def titles(runs: pd.DataFrame) -> list[str]:
    """The title of each row's problem."""
    return [PROBLEMS[problem].title for problem in zip(runs["learner"], runs["dataset"], strict=True)]


# Table ---------------------------------------------------------------------------------------------------------

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


def tabulate(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """The result of each method on each problem.

    Returns:
        `KEYS` (problem as its title), `tidy.TIDY`, n_missing (seeds without a value), budget (of regrets at equal
        budgets) and says. In a table that reaches `FLOOR` a cell that does not has no numbers, and says so in the
        place of its scale. A method that was not run on a problem has one row there, without a number.
    """
    searches = ends(runs)
    searches.insert(0, "problem", titles(searches))
    table = by_measure(searches, MEASURES, KEYS[:2], FROM_0)
    table = _with_budgets(_sorted(table), searches).assign(scale=scale)
    below = n_searches(table) < FLOOR
    if not below.all():
        table.loc[below, ["ours", "ours_se", "low", "high"]] = np.nan
        table.loc[below, "scale"] = NOT_RUN
    return _with_absent(tidied(table, KEYS, scale, "n_missing", "budget", "says"), runs)


def _with_budgets(table: pd.DataFrame, searches: pd.DataFrame) -> pd.DataFrame:
    """With the budget of regrets at equal budgets, and how many seeds have no value or never arrived (`says`)."""
    table = table.assign(budget=np.nan, says="")
    budgets = searches.groupby("problem")[[f"budget_{name}" for name in CURRENCIES]].first()
    never = (~searches["reached"]).groupby([searches["problem"], searches["method"]]).agg(["sum", "size"])
    for i, row in enumerate(table.to_dict("records")):
        if row["measure"].startswith("regret_at_"):
            name = row["measure"].removeprefix("regret_at_")
            table.loc[i, "budget"] = budgets.loc[row["problem"], f"budget_{name}"]
        n_never, n = never.loc[(row["problem"], row["method"])]
        if row["measure"].endswith("_to_10") and n_never:
            table.loc[i, "says"] = f"{n_never} of {n} seeds never"
        elif row["n_missing"]:
            table.loc[i, "says"] = f"{row['n_missing']} of {n} seeds without"
    return table


def _with_absent(table: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """With a row for each method that was not run on a problem."""
    absent = runs.loc[runs["trials"].isna(), [*PROBLEM, "method"]].drop_duplicates()
    if absent.empty:
        return table
    rows = absent[["method"]].assign(problem=titles(absent), measure=next(iter(MEASURES)), scale=NOT_RUN, says="")
    rows = rows.reindex(columns=table.columns).fillna({"n_seeds": 0, "n_missing": 0})
    rows = rows.astype({"n_seeds": int, "n_missing": int})
    rows[["published_stars", "stars", "data"]] = ""
    return _sorted(pd.concat([table, rows], ignore_index=True))


def _sorted(table: pd.DataFrame) -> pd.DataFrame:
    """Rows by problem, method and measure in the order in which they are shown."""
    problems = [problem.title for problem in PROBLEMS.values()]
    return in_order(table, {"problem": problems, "method": methods_in_order(table["method"]), "measure": MEASURES})


def n_searches(table: pd.DataFrame) -> pd.Series[int]:
    """How many searches a row's number is from, those without a value included; ranks are of all there are."""
    return table["n_seeds"] + table.get("n_missing", 0)


def reaches_floor(table: pd.DataFrame) -> bool:
    """Whether all numbers of a table or a figure of the comparison reach the published floor."""
    n = n_searches(table)
    return bool((n[n > 0] >= FLOOR).all())


def render(table: pd.DataFrame) -> str:
    """Markdown of the table: a row per problem and method, a column per measure."""
    table, absent = table[n_searches(table) > 0], table[n_searches(table) == 0]
    heads = table.assign(measure=table["measure"].map(MEASURES))
    text = crossed(heads, "measure", [_cell(row) for row in table.to_dict("records")])
    run = table[table["scale"] != NOT_RUN]
    note = (
        f"Means over seeds. {_intervals(run)} "
        "Regret: test error of the incumbent less the least known, in points of percent, at the "
        "end of a search and after what the median search of the method that spent least on the problem had "
        "spent, in seconds, in cost and in trials. To 10 %: until the test error first was within a tenth of the "
        "least, which a search may leave again; in brackets how many seeds never were, counted with all they "
        "spent, so that the mean is a lower bound; after a regret, how many had no incumbent by then and are left "
        "out. Overhead: share of the seconds that were the optimiser's "
        f"and its checks'. {made_of(run).capitalize()}."
    )
    parts = [
        f"{', '.join(part['method'].str.replace('_', ' '))} on {title}"
        for title, part in absent.groupby("problem", sort=False)
    ]
    if parts:
        note += f" {NOT_RUN.capitalize()}: {'; '.join(parts)}."
    return f"{text}\n\n{note}{about_marked(run)}\n"


def _intervals(run: pd.DataFrame) -> str:
    """Where the intervals of the cells are, and how wide those of the regret at the end."""
    text = "Their 95 % intervals are `low` and `high` in the CSV file."
    regrets = run[(run["measure"] == "final_regret") & (run["ours"] > 0)]
    half = (regrets["high"] / regrets["ours"] - 1).median()  # low ends at 0
    if pd.isna(half):
        return text
    return f"{text} Half of the regrets above 0 at the end have ± {half:.0%} of the mean or more."


def _cell(row: Mapping[Any, Any]) -> str:
    if row["scale"] == NOT_RUN:
        return NOT_RUN
    value, measure = float(row["ours"]), str(row["measure"])
    if np.isnan(value):
        return "no value" + mark(row["data"])
    text = (
        f"{100 * value:.2f}" if "regret" in measure else f"{value:.0%}" if "share" in measure else f"{value:.4g}"
    )
    never = str(row["says"]).split(" seeds")[0]
    text = f"> {text}" if never and measure.endswith("_to_10") else text
    return text + (f" ({never})" if never else "") + mark(row["data"])


STRATEGIES: Final = Artefact(
    "strategies",
    runs_of,
    tabulate,
    """Every strategy and peer of the trials family on the same problems. Regret at the end and at equal budgets,
    what was spent until the test error was within 10 % of the least known, and the share of the seconds that was
    not spent on evaluations. All seeds share the test rows and one draw of all others: a table, stored curves, or
    the rows of the live problems. So intervals are over searches alone.""",
    render=render,
)
