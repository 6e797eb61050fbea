"""The explorer of comparisons: rows for its script, and the Vega-Lite charts that the script fills."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from frugal.bench.select import as_markdown
from frugal.stats import mean_interval
from frugal_site.claims import raw
from frugal_site.published import PUBLISHED, ROOT
from studies.folds_comparison.comparison import look_of
from studies.records import Look
from studies.style import LOOKS
from studies.trials_comparison.figures import is_terminating, looks_of

COLUMNS: Final = ["problem", "method", "currency", "x", "y", "low", "high"]
"""Of the rows of a comparison: what was spent, in a currency, and the regret then, in points; its interval."""
N_POINTS: Final = 40
"""Of a curve; steps between them are left out, but for those that ranks are read from."""
N_SHARES: Final = 20
"""Shares of a budget at which the explorer ranks methods, evenly from the first to the whole."""
PEERS: Final = {
    "exhaustive": ("#000000", "GridSearchCV"),
    "random": ("#8A8F94", "RandomizedSearchCV"),
    "halving": ("#00318F", "HalvingGridSearchCV"),
    "optuna": ("#D07CA1", "Optuna: TPE, WilcoxonPruner"),
    "flaml": ("#684319", "FLAML: CFO"),
}
"""Colour and label of searches that are not ours."""


@dataclass(frozen=True)
class Comparison:
    """What the explorer shows at a time.

    Attributes:
        name: in the page.
        title: for people.
        is_curve: whether a method has a regret all along the way, not only at its end.
        currencies: label of each.
        rows: columns `COLUMNS`.
        budgets: by problem and currency what is equal for all methods, in that currency; 1 where none is given.
        looks: colour and label of each method.
    """

    name: str
    title: str
    is_curve: bool
    currencies: Mapping[str, str]
    rows: pd.DataFrame
    budgets: Mapping[tuple[str, str], float]
    looks: Mapping[str, tuple[str, str]]


def comparisons() -> list[Comparison]:
    """Folds and trials along the way, folds and whole searches at their end."""
    return [_folds_along_the_way(), _folds_at_the_end(), _trials(), _searches()]


def _folds() -> pd.DataFrame:
    """Replays of the comparison of folds, with a name for each problem."""
    folder = PUBLISHED / "folds_comparison" / "runs"
    runs = pd.concat([pd.read_parquet(folder / f"{name}.parquet") for name in ("runs", "network")])
    return runs.assign(problem=_cell_names(runs))


def _cell_names(runs: pd.DataFrame) -> pd.Series:
    folds = runs["k"].astype(str) + " folds"
    return runs["dataset"] + ", " + runs["classifier"].str.replace("_", " ") + ", " + folds


def _folds_along_the_way() -> Comparison:
    runs = _folds()
    wide = [name for name in map(str, runs) if name.startswith("regret_at_")]
    curves = runs[runs["budget_share"].isna()]  # a budget cuts a curve short and changes nothing before
    long = curves.melt(["problem", "method"], wide, "x", "then").dropna()
    long["x"] = long["x"].str.removeprefix("regret_at_").astype(float)
    rows = _means(long.assign(y=100 * long["then"], currency="rows"), ["problem", "method", "currency", "x"])
    title = "Folds, along the way"
    labels = {"rows": "rows trained on, share of all"}
    return Comparison("folds", title, True, labels, rows, {}, _looks_of_folds(curves))


def _looks_of_folds(runs: pd.DataFrame) -> dict[str, tuple[str, str]]:
    """Of the methods of the comparison of folds."""
    facts = runs[["method", "strategy", "budget_share"]].drop_duplicates("method")
    return {
        str(method): _shown(look_of(str(method), str(strategy), float(share)))
        for method, strategy, share in facts.itertuples(index=False)
    }


def _folds_at_the_end() -> Comparison:
    runs = _folds()
    timed = pd.read_parquet(PUBLISHED / "folds_comparison" / "runs" / "timed.parquet")
    seconds = (timed["seconds"] + timed["overhead_s"]) / timed["exhaustive_s"]
    parts = [
        runs.assign(currency="fits", x=runs["folds_share"]),
        runs.assign(currency="rows", x=runs["rows_share"]),
        timed.assign(currency="seconds", x=seconds, problem=_cell_names(timed)),
    ]
    ends = pd.concat([part.assign(y=100 * part["regret"]) for part in parts])
    labels = {"fits": "fits", "rows": "rows trained on", "seconds": "seconds, the strategy's own among them"}
    labels = {name: f"{label}, share of the exhaustive search's" for name, label in labels.items()}
    return Comparison("folds-end", "Folds, at the end", False, labels, _means(ends), {}, _looks_of_folds(ends))


def _trials() -> Comparison:
    labels = {"seconds": "seconds", "cost": "cost (rows, kernel values or rows x epochs)", "trials": "trials"}
    parts, budgets = [], dict[tuple[str, str], float]()
    for name in labels:
        table = pd.read_csv(PUBLISHED / "trials_comparison" / "figures" / f"anytime_{name}.csv")
        parts.append(table.assign(currency=name))
        budgets |= {(str(one), name): budget for one, budget in _budgets(table)}
    rows = pd.concat(parts)
    rows[["y", "low", "high"]] = 100 * rows[["mean", "low", "high"]]
    thinned = [_thinned(curve) for _, curve in rows.groupby(["problem", "method", "currency"], sort=False)]
    points = pd.concat(thinned)[COLUMNS]
    looks = {name: _shown(look) for name, look in looks_of(points["method"].unique()).items()}
    return Comparison("trials", "Trials, along the way", True, labels, points, budgets, looks)


def _budgets(table: pd.DataFrame) -> Iterable[tuple[object, float]]:
    """By problem."""
    return table.groupby("problem")["budget"].first().items()


def _searches() -> Comparison:
    cells = pd.read_csv(ROOT / "docs" / "bench_select.csv")
    cells["problem"] = (cells["table"] + ", " + cells["estimator"]).str.replace("_", " ")
    labels = {"fits": "fits", "rows": "rows trained on", "seconds": "seconds"}
    parts = [cells.assign(currency=name, x=cells[f"{name}_share"], y=cells["regret"]) for name in labels]
    labels = {name: f"{label}, share of GridSearchCV's" for name, label in labels.items()}
    title = "Whole searches (frugal bench select)"
    looks = {name: PEERS.get(name) or _shown(LOOKS[name]) for name in cells["method"].unique()}
    return Comparison("select", title, False, labels, _means(pd.concat(parts)), {}, looks)


def _means(table: pd.DataFrame, by: Iterable[str] = ("problem", "method", "currency")) -> pd.DataFrame:
    """Means over seeds, with the 95 % interval of the regret's, which is no less than 0."""
    found = []
    for keys, group in table.groupby(list(by), sort=False):
        low, high = mean_interval(group["y"])
        mean = {"x": group["x"].mean(), "y": group["y"].mean(), "low": max(low, 0.0), "high": high}
        found.append(mean | dict(zip(by, keys, strict=True)))
    return pd.DataFrame(found)[COLUMNS]


def _thinned(curve: pd.DataFrame) -> pd.DataFrame:
    """The points at which a curve changes: `N_POINTS` evenly by their rank, and those that ranks are read from."""
    changed = curve["y"].diff().ne(0)
    changed.iloc[-1] = True
    kept = curve[changed]
    shares = curve["budget"].iloc[0] * np.arange(1, N_SHARES + 1) / N_SHARES * (1 + 1e-7)
    spent = np.searchsorted(kept["x"], shares, side="right") - 1
    evenly = np.linspace(0, len(kept) - 1, N_POINTS).round().astype(int)
    return kept.iloc[np.union1d(evenly, spent[spent >= 0])]


def _shown(look: Look) -> tuple[str, str]:
    """Colour and label, as in the published figures."""
    return look.color, look.label


def _packed_look(comparison: Comparison, method: str) -> dict[str, str]:
    """Colour, label and dash of a method; what cuts trials short is dotted."""
    color, label = comparison.looks[method]
    is_dotted = comparison.name == "trials" and is_terminating(method)
    return {"color": color, "label": label, "dash": ":" if is_dotted else "-"}


def packed(comparison: Comparison) -> dict[str, Any]:
    """A comparison as the script reads it: names once, rows with their places."""
    rows = comparison.rows
    places = {name: list(dict.fromkeys(rows[name])) for name in ("problem", "method")}
    currencies = list(comparison.currencies)
    listed = [
        [
            places["problem"].index(problem),
            places["method"].index(method),
            currencies.index(currency),
            float(f"{x:.8g}"),
            *(None if pd.isna(value) else float(f"{value:.5g}") for value in numbers),
        ]
        for problem, method, currency, x, *numbers in rows.itertuples(index=False)
    ]
    return {
        "name": comparison.name,
        "title": comparison.title,
        "is_curve": comparison.is_curve,
        "currencies": [comparison.currencies[name] for name in currencies],
        "problems": places["problem"],
        "methods": [_packed_look(comparison, name) for name in places["method"]],
        "budgets": [
            [comparison.budgets.get((one, name), 1.0) for name in currencies] for one in places["problem"]
        ],
        "rows": listed,
    }


def charts() -> dict[str, Any]:
    """Vega-Lite specifications: curves and points in a panel per problem, and bars; data have the name `rows`."""
    import altair as alt

    rows = alt.Chart(alt.NamedData("rows"))
    hover = [
        alt.Tooltip("method:N"),
        alt.Tooltip("problem:N"),
        alt.Tooltip("x:Q", format=".4g", title="spent"),
        alt.Tooltip("y:Q", format=".3f", title="regret, points"),
        alt.Tooltip("interval:N", title="95 % interval"),
    ]
    color = alt.Color("color:N", scale=None, legend=None)
    dash = alt.StrokeDash("dash:N", scale=alt.Scale(domain=["-", ":"], range=[[1, 0], [2, 2]]), legend=None)
    apart = alt.Axis(labelOverlap="greedy", labelSeparation=6, tickCount=5)
    spent = alt.X("x:Q", title="spent", scale=alt.Scale(type="log", nice=False, padding=8), axis=apart)
    regret = alt.Y(
        "y:Q", title="regret, points", scale=alt.Scale(type="symlog", constant=0.1), axis=alt.Axis(tickCount=5)
    )
    line = rows.mark_line(interpolate="step-after").encode(spent, regret, color, dash, detail="method:N")
    dots = rows.mark_circle(size=30).encode(spent, regret, color, tooltip=hover)
    band = rows.mark_rule().encode(x=spent, y="low:Q", y2="high:Q", color=color)
    ends = rows.mark_circle(size=90, opacity=1).encode(spent, regret, color, tooltip=hover)
    panel = alt.Facet("problem:N", title=None, sort=None, header=alt.Header(labelLimit=260))
    bars = rows.mark_bar().encode(
        x=alt.X("value:Q", axis=apart),
        y=alt.Y("method:N", sort=None, title=None, axis=alt.Axis(labelLimit=190)),
        color=color,
        tooltip=[
            alt.Tooltip("method:N"),
            alt.Tooltip("value:Q", format=".3f"),
            alt.Tooltip("n:Q", title="problems"),
        ],
    )
    return {
        "curves": alt.layer(line, dots).properties(height=170).facet(panel, columns=3).to_dict(),
        "points": alt.layer(band, ends).properties(height=170).facet(panel, columns=3).to_dict(),
        "bars": bars.properties(height=alt.Step(18)).to_dict(),
    }


def page() -> str:
    """Controls, places for the charts, the data and the scripts, all in the page, so that it works from a file."""
    data = json.dumps(
        {"comparisons": [packed(one) for one in comparisons()], "charts": charts()}, separators=(",", ":")
    )
    fields = (
        '<form class="filters" id="explorer"><label>Comparison <select name="comparison"></select></label>'
        '<label>Spent, in <select name="currency"></select></label>'
        '<label class="of-points">Panels <select name="panels">'
        '<option value="mean">mean over the problems</option><option value="each">one per problem</option>'
        "</select></label>"
        '<label class="of-curves">Ranks at a share of the budget '
        f'<input name="share" type="range" min="{1 / N_SHARES}" max="1" step="{1 / N_SHARES}" value="0.25">'
        "<output></output></label>"
        "<fieldset><legend>Problems</legend><div data-of='problems'></div></fieldset>"
        "<fieldset><legend>Methods</legend><div data-of='methods'></div></fieldset></form>"
    )
    places = (
        '<h2>Regret</h2><div id="chart-regret" class="chart"></div>'
        '<h2>Share of the problems won</h2><div id="chart-won" class="chart"></div>'
        '<h2>Mean rank</h2><div id="chart-ranks" class="chart"></div><p id="explorer-note" aria-live="polite"></p>'
    )
    scripts = '<script src="_static/vega.js"></script><script src="_static/explorer.js"></script>'
    return raw(f'{fields}{places}<script type="application/json" id="explorer-data">{data}</script>{scripts}')


def table_of_searches() -> str:
    """The published bench of searches, in Markdown."""
    return as_markdown(pd.read_csv(ROOT / "docs" / "bench_select.csv"))


def javascript() -> str:
    """Vega, Vega-Lite and Vega-Embed in one script, which puts `vegaEmbed` into the window."""
    import vl_convert

    bundle = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return f"(() => {{{bundle}\n}})();\n"  # its names are not those of other scripts
