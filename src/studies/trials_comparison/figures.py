"""Figures of the comparison: regret on the way, and average ranks at equal budgets, by each currency."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd

from studies import plotters, style
from studies.captions import in_seeds
from studies.methods import TRIALS
from studies.records import Artefact, Look, default_look
from studies.shared.ranks import COLUMNS as RANKS
from studies.shared.ranks import draw_diagrams, rank_table
from studies.tidy import provenance, stacked
from studies.trajectories import mean_curve
from studies.trials_comparison.problems_and_methods import GROUPS, PROBLEMS, methods_in_order
from studies.trials_comparison.regrets import PROBLEM, budget_of, ends, ordered, runs_of, titles

N_POINTS: Final = 201
_DOTS: Final = (0, (1, 1))
_ACROSS: Final = {
    "seconds": "Evaluations and\noptimiser (s)",
    "cost": "Cost of evaluations\n({})",
    "trials": "Trials, on\nwhatever rows",
}
_REGRETS: Final = (0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)


def looks_of(found: Iterable[str]) -> dict[str, Look]:
    """The look of each method, by name: its own, or a plain one, different for each that has none."""
    shown = methods_in_order(found)
    others = [name for name in shown if name not in TRIALS]
    return {
        name: TRIALS[name].look if name in TRIALS else default_look(name, others.index(name)) for name in shown
    }


def is_terminating(method: str) -> bool:
    """Whether a method cuts trials short."""
    return method in TRIALS and TRIALS[method].termination is not None


def _face(method: str, look: Look) -> dict[str, Any]:
    """The marker of a method, open where it cuts trials short."""
    is_open = is_terminating(method)
    return {
        "marker": look.marker,
        "color": look.color,
        "markerfacecolor": "white" if is_open else look.color,
        "markeredgecolor": look.color if is_open else "black",
        "markeredgewidth": 0.8 if is_open else 0.4,
        "markersize": 7 if look.marker == "*" else 4.5,
    }


# Regret on the way ---------------------------------------------------------------------------------------------


def summarise_anytime(runs: pd.DataFrame, currency: str) -> pd.DataFrame:
    """Regret of the incumbent against what was spent, mean over seeds.

    A line begins once every seed that ever has an incumbent has one, and ends with its longest search; a search
    that has ended keeps its last value. All lines of a problem share a grid, evenly spaced in logarithms, or the
    numbers of trials. Intervals end at 0.

    Returns:
        problem (its title), method, x, mean, low, high, n_seeds, n_missing (seeds that never had an incumbent),
        budget (of `regrets.budget_of`), data.
    """
    parts = []
    for _, paths in ordered(runs).groupby(PROBLEM, sort=False):
        spent = paths[currency]
        grid = np.geomspace(spent.min(), spent.max(), N_POINTS)
        if currency == "trials":
            grid = np.arange(1.0, spent.max() + 1)
        budget = budget_of(paths, currency)
        for method, part in paths.groupby("method", sort=False):
            facts = {"problem": titles(part)[0], "method": method, "budget": budget, "data": provenance(part)}
            parts.append(mean_curve(part, currency, "regret", grid).assign(**facts))
    names = ["problem", "method", "x", "mean", "low", "high", "n_seeds", "n_missing", "budget", "data"]
    table = pd.concat(parts, ignore_index=True).reindex(columns=names)
    return table.assign(low=table["low"].clip(lower=0.0))


@style.styled
def draw_anytime(summary: pd.DataFrame, currency: str) -> plotters.Figure:
    """A column of panels per problem and a row per method, the problem's other methods in grey behind it.

    What terminates shares the row of what does not, dotted. The vertical line is the budget of
    `regrets.budget_of`.
    """
    shown = [problem for problem in PROBLEMS.values() if (summary["problem"] == problem.title).any()]
    rows = methods_in_order(summary["method"].map(_row_of))
    looks = looks_of([*summary["method"], *rows])
    figure = style.new_figure(style.TWO_COLUMN[0], 1.3 + 0.85 * len(rows))
    grid = figure.subplots(len(rows), len(shown), squeeze=False, sharex="col", sharey="col")
    for panels, (title, _, unit) in zip(grid.T, shown, strict=True):
        _draw_problem(dict(zip(rows, panels, strict=True)), summary[summary["problem"] == title], looks)
        panels[0].set_title(title.replace(", ", ",\n"), fontsize=7)
        panels[-1].set_xlabel(_ACROSS[currency].format(unit), fontsize=7)
    for method, axes in zip(rows, grid[:, 0], strict=True):
        axes.set_ylabel(looks[method].label, fontsize=7)
    figure.suptitle("Regret of the incumbent (points of test error, on a scale of square roots)", fontsize=8)
    _explain(figure)
    style.mark_data(figure, summary["data"], below=True)
    return figure


def _row_of(method: str) -> str:
    """The method in whose row a method is drawn."""
    return TRIALS[method].variant_of if is_terminating(method) else method


def _draw_problem(panels: Mapping[str, plotters.Axes], part: pd.DataFrame, looks: Mapping[str, Look]) -> None:
    """The column of one problem."""
    lines = part.dropna(subset=["x", "mean"])
    if lines.empty:
        style.say_not_run(next(iter(panels.values())))
        return
    for row, axes in panels.items():
        is_shown = lines["method"].map(_row_of) == row
        axes.tick_params(labelsize=6, length=2)
        if not is_shown.any():
            axes.tick_params(bottom=False, left=False, labelleft=False, which="both")
            axes.spines[:].set_visible(False)
            continue
        for _, line in lines[~is_shown].groupby("method", sort=False):
            axes.plot(
                line["x"],
                100 * line["mean"],
                drawstyle="steps-post",
                color=style.BEHIND,
                linewidth=0.6,
                zorder=1,
                rasterized=True,
            )
        for method, line in lines[is_shown].groupby("method", sort=False):
            _draw_line(axes, str(method), looks[str(method)], line.assign(**100 * line[["mean", "low", "high"]]))
        axes.axvline(part["budget"].iloc[0], color="#555555", linewidth=0.8, linestyle=":")
        _say_missing(axes, part[part["method"].map(_row_of) == row])
        axes.grid(alpha=0.3)
    style.log_axis(axes.xaxis, lines["x"].min() / 1.1, lines["x"].max() * 1.1)
    _scale_regret(axes, lines)


def _scale_regret(axes: plotters.Axes, lines: pd.DataFrame) -> None:
    """Scale the vertical axis by square roots, up to the highest mean or drawn interval."""
    highest = lines["mean"].where(lines["n_seeds"] < style.N_OF_BAND, lines[["mean", "high"]].max(axis=1))
    top = 105 * float(highest.max()) or 1.0
    style.root_axis(axes, top)
    ticks: list[float] = []
    for tick in _REGRETS:
        has_room = not ticks or style.root(tick / top) - style.root(ticks[-1] / top) > 0.17  # for its label
        if tick < top and has_room:
            ticks.append(tick)
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])


def _draw_line(axes: plotters.Axes, method: str, look: Look, line: pd.DataFrame) -> None:
    """Mean regret with its band, a marker where the line ends; what terminates is dotted."""
    style.band(axes, line, look.color, step="post", alpha=0.25, rasterized=True)
    axes.plot(
        line["x"], line["mean"], drawstyle="steps-post", linestyle=_DOTS if is_terminating(method) else "-",
        markevery=[len(line) - 1], linewidth=1.2, clip_on=False, **_face(method, look),  # 0 is on the edge
    )  # fmt: skip


def _say_missing(axes: plotters.Axes, part: pd.DataFrame) -> None:
    few = part[part["n_missing"] > 0].groupby("method", sort=False)["n_missing"].first()
    if len(few):
        text = "no incumbent:\n" + "\n".join(
            f"{in_seeds(n)}{', terminating' if is_terminating(str(name)) else ''}" for name, n in few.items()
        )
        behind = {"color": "white", "pad": 1, "alpha": 0.8}
        axes.text(0.98, 0.96, text, transform=axes.transAxes, ha="right", va="top", fontsize=5.5, bbox=behind)


def _explain(figure: plotters.Figure) -> None:
    """What is the same in all rows: lines, bands, the grey, and the budget."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    whole = Line2D([], [], color="black", linewidth=1.2)
    ended = Line2D([], [], color="black", linewidth=1.2, linestyle=_DOTS, marker="o", markerfacecolor="white")
    behind = Line2D([], [], color=style.BEHIND, linewidth=1.0)
    budget = Line2D([], [], color="#555555", linewidth=0.8, linestyle=":")
    labels = {
        whole: "the row's method",
        Patch(color="black", alpha=0.25, linewidth=0): "its 95 % interval",
        ended: "the same, terminating",
        behind: "the other methods",
        budget: "budget of the ranks",
    }
    figure.legend(list(labels), list(labels.values()), loc="outside lower center", ncols=len(labels))


# Average ranks -------------------------------------------------------------------------------------------------


def summarise_ranks(runs: pd.DataFrame, currency: str) -> pd.DataFrame:
    """Average ranks over problems of the regret at equal budgets, for each of `GROUPS`.

    A problem's value is the mean over seeds; a method of which any seed has no incumbent by then is the
    worst. Methods that did not run on every problem of a group are left out of it.

    Returns:
        group, the columns of `ranks.rank_table`, data.
    """
    searches = ends(runs)
    searches["problem"] = titles(searches)
    groups = searches["problem"].map({problem.title: problem.group for problem in PROBLEMS.values()})
    parts = []
    for group in GROUPS:
        part = searches if group == "all" else searches[groups == group]
        if len(part):
            ranks = rank_table(part, f"regret_at_{currency}", ["problem"])
            parts.append(ranks.assign(group=group, data=provenance(part)))
    return stacked(parts)[["group", *RANKS, "data"]]


@style.styled
def draw_ranks(summary: pd.DataFrame, currency: str) -> plotters.Figure:
    """A critical-difference diagram per group of problems."""
    looks = looks_of(summary["method"])
    shown = {
        f"Regret at equal {currency}, {name}": summary[summary["group"] == group] for group, name in GROUPS.items()
    }
    return draw_diagrams(
        shown,
        lambda row: looks[row["method"]],
        lambda row: {**_face(row["method"], looks[row["method"]]), "linestyle": "none"},
    )


# Artefacts -----------------------------------------------------------------------------------------------------

_SPENT: Final = {
    "seconds": "seconds of evaluations, of the optimiser and of the checks for termination",
    "cost": "a proxy of the evaluations alone (kernel values of the SVM on the table, rows of live learners, rows "
    "times epochs of networks)",
    "trials": "trials, each counting as one on however few rows or epochs it is",
}
"""Currencies, in words."""


def _anytime(currency: str) -> Artefact:
    return Artefact(
        f"anytime_{currency}",
        runs_of,
        partial(summarise_anytime, currency=currency),
        f"""Regret of the incumbent against {_SPENT[currency]}: a column of panels per problem and a row per
        method, with the problem's other methods in grey. Regret is the incumbent's test error, fitted on all rows
        and for all epochs, less the least of the table or of the stored curves, and on live problems the least
        that any search of the seed chose. Means over seeds, with 95 % intervals as bands from three seeds on, cut
        at 0; all seeds share the rows, so they are over searches alone. What terminates is dotted, in the row of
        what does not. A line ends with its longest search, at the marker, and a search that has ended before keeps
        its last value. Seeds without an incumbent are left out, and their number is in the panel where there are
        any. A panel is missing where a method was not run on a problem. A line may rise, since incumbents are
        chosen by validation error. It rises most where trials on more rows or epochs begin: the best of these is
        then the incumbent. Dotted upright: what the median search of the method that spent least had spent, the
        budget at which methods are ranked.""",
        partial(draw_anytime, currency=currency),
    )


def _ranks(currency: str) -> Artefact:
    return Artefact(
        f"ranks_{currency}",
        runs_of,
        partial(summarise_ranks, currency=currency),
        f"""Critical-difference diagrams: average rank of each method over problems (cells), 1 being best, by the
        mean regret at equal budgets in {_SPENT[currency]}; for all problems and for those with sizes of rows.
        Thick lines join methods whose average ranks differ by less than Nemenyi's critical difference at 5 %. A
        method that was not run on every problem of a group is left out of it: MTBO-16, -32 and -512, which one
        problem each has, of those with sizes, and of all problems whatever asks for fewer rows without being
        Hyperband, entropy search and what terminates. A group with fewer than three methods or three problems left
        has no diagram: two problems cannot tell methods apart. That is why those with epochs have none, though
        their ranks are in the CSV. Problems are few, so that little can be told apart, and those on the same data
        are not independent.""",
        partial(draw_ranks, currency=currency),
    )


FIGURES: Final = (
    _anytime("seconds"),
    _anytime("cost"),
    _anytime("trials"),
    _ranks("seconds"),
    _ranks("cost"),
    _ranks("trials"),
)
