"""Task 1 of document 002: three hyperparameters of a polynomial regression on ten points, searched by DNGO."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from studies import plotters, style
from studies.exploration import polynomial
from studies.exploration.document import ALL, OF_EVERY_METHOD, published
from studies.exploration.errors_as_coded import is_reported
from studies.exploration.polynomial import (
    BETA_GRID,
    GIVEN,
    HYPERPARAMETERS,
    INITIAL,
    K_GRID,
    LAMBDA_GRID,
    METHODS,
    OBJECTIVES,
    Point,
)
from studies.kinds import of_experiment
from studies.measures import exactly, share_of
from studies.records import Artefact, Claim, Study, method_of
from studies.regions import between
from studies.tidy import mean_by_seed, provenance, shares_of_answers, tidied

# Runs ------------------------------------------------------------------------------------------------------------


def run(method: str, seed: int, settings: Mapping[str, Any], root: object = "data") -> pd.DataFrame:
    """Search by one of `polynomial.METHODS`: `dngo` every objective, the others the fragment's own.

    Returns:
        Rows of `polynomial.search`, and data.

    Raises:
        ValueError: on a number of trials out of range.
    """
    searched = OBJECTIVES if method == "dngo" else ("as_published",)
    known = method_of(METHODS, method)
    parts = [polynomial.search(objective, known, seed=seed, **settings) for objective in searched]
    return pd.concat(parts, ignore_index=True).assign(data="original")


def scores_in(runs: pd.DataFrame) -> dict[str, dict[Point, float]]:
    """Scores by objective and candidate.

    Args:
        runs: rows of `polynomial.score_table`, and others.
    """
    found = runs[runs["experiment"] == "task1_scores"]
    return {
        str(objective): {
            Point(int(K), float(beta), float(lambda_)): float(score)
            for K, beta, lambda_, score in part[[*HYPERPARAMETERS, "score"]].itertuples(index=False)
        }
        for objective, part in found.groupby("objective", sort=False)
    }


def best(scores: Mapping[Point, float], among: Callable[[Point], bool] = lambda point: True) -> Point:
    """The candidate with the highest score among those asked for, the first of equals."""
    return max(filter(among, scores), key=lambda point: scores[point])


def _has_given_precisions(point: Point) -> bool:
    return point[1:] == GIVEN[1:]


# Claims ----------------------------------------------------------------------------------------------------------


def arrays(runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    """Arrays that the claims are measured on, (n_seeds,), or (1,) where nothing is drawn."""
    scores, searched = scores_in(runs), runs[runs["experiment"] == "task1"]
    ends = searched[searched["is_best"].astype(bool)].sort_values("step")
    ends = ends[(ends["objective"] == "evidence") & (ends["search"] == "dngo")].groupby("seed").first()
    by_code = scores["as_published"]
    exact = {
        "K_given": best(scores["evidence"], _has_given_precisions).K,
        "K_joint": best(scores["evidence"]).K,
        "initial_rank": 1 + sum(by_code[point] > by_code[GIVEN] for point in INITIAL),
    }
    return {
        **{name: np.array([float(value)]) for name, value in exact.items()},
        "K_is_3": np.asarray(ends["K"] == GIVEN.K, dtype=float),
        "is_reported": is_reported(ends),
    }


def recorded_settings(name: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The surrogate, DNGO, with the fragment's errors where the method has them."""
    from studies.effective import defaults

    known = defaults()
    errors = {"as_coded": known["trials"]["doc002_as_coded"]["as_coded"]} if name == "dngo_as_coded" else {}
    trained = {key: value for key, value in settings.items() if key != "n_trials"}
    return {"surrogate": {**known["others"]["dngo"], **trained, **errors}}


TASK1: Final = Study(
    name="task1",
    methods=METHODS,
    run=run,
    recorded_settings=recorded_settings,
    judged_on=("task1", "task1_scores", "task1_optima"),
    arrays=arrays,
    is_enough=OF_EVERY_METHOD,
)
SCORES: Final = Study(
    name="task1_scores",
    derive=polynomial.score_table,
    kinds=(of_experiment("task1_scores", ("data", "objective", "score")),),
)
_claim = partial(Claim, section="Task 1", study="task1", artefact="tables/task1")
_OPTIMUM: Final = "We obtained K = 3, β = 4.0, λ = 1.0 as the optimal hyperparameter configuration"

CLAIMS: Final = (
    _claim(
        "exploration.task1.search_finds_K",
        quote=_OPTIMUM,
        quantity="share of DNGO's searches for the largest evidence of the ten points that end at K = 3",
        unit="%",
        agrees=ALL,
        measure=share_of("K_is_3"),
    ),
    _claim(
        "exploration.task1.search_finds_all",
        quote=_OPTIMUM,
        quantity="share of DNGO's searches for the largest evidence of the ten points that end at K = 3, β = 4 "
        "and λ = 1",
        unit="%",
        agrees=ALL,
        measure=share_of("is_reported"),
    ),
    _claim(
        "exploration.task1.optimum_K",
        quote=_OPTIMUM,
        quantity="K with the largest evidence on a grid of K, β and λ that is ours, since the page gives none",
        unit="degree",
        agrees=between(3, 3),
        measure=exactly("K_joint"),
        published=3,
    ),
    _claim(
        "exploration.task1.given_K",
        quote="This was in accordance with our Assignment 1 results",
        quantity="K with the largest evidence where β = 4 and λ = 1 are given, as in the exercise: what the "
        "sentence is in accordance with. That a search finds K = 3 are claims of their own",
        unit="degree",
        agrees=between(3, 3),
        measure=exactly("K_given"),
        published=3,
    ),
    _claim(
        "exploration.task1.reported_is_best_first",
        quantity="rank of K = 3, β = 4, λ = 1 among the eight candidates that the public code starts from, by "
        "that code's own objective (1: the best)",
        unit="rank",
        agrees=between(1, 1),
        measure=exactly("initial_rank"),
    ),
)


# Table and figures -----------------------------------------------------------------------------------------------

KEYS: Final = ["task", "quantity", "objective", "search"]
FIGURE_X: Final = np.linspace(-4.0, 4.0, 161)
_MEAN, _BEST = "#00318F", "#926A00"


def tabulate(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Which hyperparameters each objective and search ends with, beside the page's.

    Args:
        runs: of the studies `task1`, of which searches with one error alone are passed over
            (`errors_as_coded`), and `task1_scores`.
        scale: label of the run.

    Returns:
        `KEYS`, then `tidy.TIDY`, then `as_coded`. Quantities are K, beta, lambda, the score, and `at_optimum`, the
        share of seeds that end at the best of all candidates. `ours`: exact (n_seeds nan) for `given`, `initial`
        and `grid`, the mean over seeds for `dngo`, corrected, and `dngo_as_coded`; `as_coded`: the same quantity
        at the end of `dngo_as_coded`, on the fragment's objective, with whose scores no others are compared.
    """
    scores, searched = scores_in(runs), runs[runs["search"].isin(["dngo", "dngo_as_coded"])]
    shown = searched[searched["is_best"].astype(bool)]
    ends = shown.groupby(["objective", "search", "seed"], sort=False).first().reset_index()
    optima = {objective: max(by_candidate.values()) for objective, by_candidate in scores.items()}
    ends["at_optimum"] = (ends["score"] == ends["objective"].map(optima)).astype(float)
    measured = [*HYPERPARAMETERS, "score", "at_optimum"]
    long = ends.melt(["objective", "search", "seed", "data"], measured, var_name="quantity", value_name="value")
    drawn = mean_by_seed(long, "value", ["quantity", "objective", "search"]).drop(columns="n_missing")
    exact = exact_rows(scores).melt(["objective", "search"], var_name="quantity", value_name="ours")
    exact = exact.assign(ours_se=0.0, low=exact["ours"], high=exact["ours"], n_seeds=np.nan, data=provenance(runs))
    table = pd.concat([exact, drawn], ignore_index=True)
    table["published"] = table["quantity"].map(published(1))
    coded = drawn[drawn["search"] == "dngo_as_coded"].set_index("quantity")["ours"]
    comparable = table["quantity"].isin(HYPERPARAMETERS) | (table["objective"] == "as_published")
    table["as_coded"] = table["quantity"].map(coded).where(comparable)
    table = shares_of_answers(table, ["at_optimum"], key="quantity")
    shown_searches = ("given", "initial", "grid", "dngo", "dngo_as_coded")
    orders = {"quantity": measured, "objective": scores, "search": shown_searches}
    return tidied(table.assign(task=1), KEYS, scale, "as_coded", orders=orders)


def exact_rows(scores: Mapping[str, Mapping[Point, float]]) -> pd.DataFrame:
    """Rows without chance: objective, search, K, beta, lambda, score.

    Searches: `given`, K alone with lambda and beta as the exercise gives them; `initial`, the fragment's first
    eight candidates; `grid`, all of them.

    Args:
        scores: of `scores_in`.
    """
    rows = []
    for objective, by_candidate in scores.items():
        chosen = {
            "given": best(by_candidate, _has_given_precisions),
            "initial": best(by_candidate, lambda point: point in INITIAL),
            "grid": best(by_candidate),
        }
        rows += [[objective, search, *point, by_candidate[point]] for search, point in chosen.items()]
    return pd.DataFrame(rows, columns=["objective", "search", *HYPERPARAMETERS, "score"])


def summarise(seed: int = 0) -> pd.DataFrame:
    """The page's figure, predictions at K = 3, and what else could have been chosen.

    Returns:
        panel, series, x, y, low, high. Panel `fit`: series `points` (x, y) and `predictive` (y the mean, low and
        high two standard deviations of an observation from it) at the reported values. Panel `evidence`: x is K, y
        the log evidence, series `given` (lambda = 1, beta = 4) and `best` (the largest over the grid of both).
    """
    evidence = polynomial.evidence
    mean, std = polynomial.predict(GIVEN, FIGURE_X)
    points = pd.DataFrame({"panel": "fit", "series": "points", "x": polynomial.X, "y": polynomial.Y})
    band = {"x": FIGURE_X, "y": mean, "low": mean - 2 * std, "high": mean + 2 * std}
    parts = [points, pd.DataFrame({"panel": "fit", "series": "predictive", **band})]
    at_given = [evidence(Point(K, *GIVEN[1:])) for K in K_GRID]
    largest = [max(evidence(Point(K, b, a)) for b in BETA_GRID for a in LAMBDA_GRID) for K in K_GRID]
    for series, values in (("given", at_given), ("best", largest)):
        parts.append(pd.DataFrame({"panel": "evidence", "series": series, "x": K_GRID, "y": values}))
    return pd.concat(parts, ignore_index=True)[["panel", "series", "x", "y", "low", "high"]]


@style.styled
def draw(table: pd.DataFrame) -> plotters.Figure:
    """Left, the page's picture: points, predictive mean and band at K = 3; right, the evidence behind K = 3."""
    figure = style.new_figure(*style.TWO_COLUMN)
    left, right = figure.subplots(1, 2)
    fit = table[table["panel"] == "fit"]
    points, line = fit[fit["series"] == "points"], fit[fit["series"] == "predictive"]
    left.plot(line["x"], line["y"], color=_MEAN, label="predictive mean")
    left.fill_between(line["x"], line["low"], line["high"], color=_MEAN, alpha=0.18, linewidth=0, label="± 2 sd")
    left.plot(points["x"], points["y"], "o", color="#000000", label="the ten points")
    left.set(title="K = 3, β = 4, λ = 1, as reported", xlabel="x", ylabel="y")
    left.set(xlim=(line["x"].min(), line["x"].max()))
    left.legend(loc="upper left")
    labels = {
        "given": ("β = 4, λ = 1 given", _MEAN, "o", "-"),
        "best": ("best β and λ of the grid", _BEST, "s", "--"),
    }
    evidence = table[table["panel"] == "evidence"]
    for series, (label, color, marker, linestyle) in labels.items():
        part = evidence[evidence["series"] == series]
        right.plot(part["x"], part["y"], color=color, marker=marker, linestyle=linestyle, label=label)
        top = part.iloc[int(part["y"].to_numpy().argmax())]
        plotters.note(
            right, f"K = {top['x']:.0f}", (top["x"], top["y"]), (0, 6), ha="center", color=color, fontsize=7
        )
    right.set(title="What K = 3 rests on", xlabel="degree K", ylabel="log evidence of the ten points (nats)")
    right.margins(y=0.12)
    right.legend(loc="lower left")
    return figure


def summarise_path(runs: pd.DataFrame) -> pd.DataFrame:
    """DNGO's path: the first seed's search by the evidence, and the page's own search as coded.

    Returns:
        panel, step, K, beta, lambda, score, best (so far), is_initial, optimum (the best score of all candidates),
        seed, data.
    """
    shown = {
        "Evidence, corrected": ("evidence", "dngo"),
        "The fragment's, as coded": ("as_published", "dngo_as_coded"),
    }
    scores, parts = scores_in(runs), []
    for panel, (objective, search) in shown.items():
        found = runs[(runs["objective"] == objective) & (runs["search"] == search)]
        path = found[found["seed"] == found["seed"].min()].sort_values("step")
        extra = {"is_initial": path["step"] <= len(INITIAL), "optimum": max(scores[objective].values())}
        parts.append(path.assign(panel=panel, **extra))
    columns = ["panel", "step", *HYPERPARAMETERS, "score", "best", "is_initial", "optimum", "seed", "data"]
    table: pd.DataFrame = pd.concat(parts, ignore_index=True).reindex(columns=columns)
    return table


@style.styled
def draw_path(table: pd.DataFrame) -> plotters.Figure:
    """The scores of one search's trials and the best so far, under two objectives, with K beside each trial."""
    from matplotlib.ticker import MaxNLocator

    figure, panels = plotters.row(table, "panel", size=style.TWO_COLUMN)
    for axis, part, panel in panels:
        n_first = int(part["is_initial"].astype(bool).sum())
        axis.axvspan(0.5, n_first + 0.5, color="#EEF0F2", linewidth=0)
        axis.plot(part["step"], part["score"], "o", color=_BEST, markersize=3, label="score of a trial")
        axis.step(part["step"], part["best"], where="post", color=_MEAN, label="best so far")
        axis.axhline(part["optimum"].iloc[0], color="#8A8F94", linestyle=":", label="best of all candidates")
        for row in part.to_dict("records"):
            plotters.note(axis, f"{row['K']:.0f}", (row["step"], row["score"]), (0, 4), ha="center", fontsize=6)
        axis.set(title=str(panel), xlabel="Trial (shaded: the first candidates; digits: K)", xlim=(0.5, None))
        axis.xaxis.set_major_locator(MaxNLocator(integer=True))
        _limit_scores(axis, part["score"], float(part["optimum"].iloc[0]))
    figure.axes[0].set(ylabel="Objective (maximised)")
    return plotters.finish(figure, table, 4)


def _limit_scores(axis: plotters.Axes, scores: pd.Series[float], optimum: float) -> None:
    """Limit the y axis so that the lowest scores are left out, and the optimum if it is far; say what is."""
    low, high, room = scores.quantile(0.1), scores.max(), 0.15
    note = partial(axis.text, x=0.97, transform=axis.transAxes, ha="right", color="#8A8F94", fontsize=7)
    if optimum > high + (high - low):
        room = 0.3  # for the sentence above the scores
        note(y=0.97, s=f"best of all candidates: {optimum:.1f}, above the panel", va="top")
    else:
        high = max(high, optimum)
    bottom = low - 0.15 * (high - low)
    axis.set(ylim=(bottom, high + room * (high - low)))
    if n_below := int((scores < bottom).sum()):
        note(y=0.03, s=f"{n_below} score{'s' if n_below > 1 else ''} below the panel")


TABLE: Final = Artefact(
    "task1",
    ("task1", "task1_scores"),
    tabulate,
    """Task 1 of document 002: the hyperparameters that each objective and search ends with, their score, and the
    share of seeds that end at the best of all 393 candidates; the published values in brackets. Searches: given, K
    alone with β = 4 and λ = 1; initial, the fragment's eight first candidates; grid, all candidates (these three
    exact); dngo, ours, and dngo_as_coded, the fragment's, {{ n_trials }} trials each, means over
    {{ n_seeds | seeds }}. The column as_coded of the CSV has the fragment's result beside every other.""",
)
FIGURE: Final = Artefact(
    "task1",
    (),
    summarise,
    """Task 1 of document 002. Left: the page's picture, the ten points with the predictive mean of the Bayesian
    polynomial regression at K = 3, β = 4, λ = 1 and two standard deviations of an observation on either side.
    Right: the log evidence of each degree K where β and λ are given, which is largest at K = 3, and where they are
    the best of a 7 x 7 grid, which is largest at K = 2. Exact: nothing is drawn.""",
    draw,
)
PATH: Final = Artefact(
    "task1_path",
    ("task1", "task1_scores"),
    summarise_path,
    """The path of DNGO in task 1 of document 002, of the first of {{ n_seeds | seeds }}: the score of each of
    {{ n_trials }} trials, with the degree K beside it, and the best so far. Left: our DNGO with expected
    improvement on the log evidence of all ten points. Right: the public fragment's search and objective as coded;
    its best point is among the eight it starts from, and is what the page reports. The axis leaves out the lowest
    scores.""",
    draw_path,
)
