"""The table of document 002's task 1, and the numbers of its figure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np
import pandas as pd

from studies.exploration import task1
from studies.exploration.task1 import BETA_GRID, GIVEN, INITIAL, K_GRID, LAMBDA_GRID, Point
from studies.tidy import TIDY, mean_by_seed, provenance

KEYS: Final = ["task", "quantity", "objective", "search"]
QUANTITIES: Final = ("K", "beta", "lambda")
FIGURE_X: Final = np.linspace(-4.0, 4.0, 161)


def scores_in(runs: pd.DataFrame) -> dict[str, dict[Point, float]]:
    """By objective and candidate the score.

    Args:
        runs: rows of `task1.score_table`, and others.
    """
    found = runs[runs["experiment"] == "task1_scores"]
    return {
        str(objective): {
            Point(int(K), float(beta), float(lambda_)): float(score)
            for K, beta, lambda_, score in part[[*QUANTITIES, "score"]].itertuples(index=False)
        }
        for objective, part in found.groupby("objective", sort=False)
    }


def best(scores: Mapping[Point, float], among: Callable[[Point], bool] = lambda point: True) -> Point:
    """The candidate with the highest score among those asked for, the first of equals."""
    return max(filter(among, scores), key=lambda point: scores[point])


def exact_rows(scores: Mapping[str, Mapping[Point, float]]) -> pd.DataFrame:
    """What needs no draw: objective, search, K, beta, lambda, score.

    Searches: `given`, K alone with lambda and beta as the exercise gives them; `initial`, the fragment's first
    eight candidates; `grid`, all of them.

    Args:
        scores: of `scores_in`.
    """
    rows = []
    for objective, of_candidates in scores.items():
        chosen = {
            "given": best(of_candidates, lambda point: point[1:] == GIVEN[1:]),
            "initial": best(of_candidates, lambda point: point in INITIAL),
            "grid": best(of_candidates),
        }
        rows += [[objective, search, *point, of_candidates[point]] for search, point in chosen.items()]
    return pd.DataFrame(rows, columns=["objective", "search", *QUANTITIES, "score"])


def table_task1(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Which hyperparameters each objective and search ends with, beside the page's.

    Args:
        runs: rows of `task1_search.run_task1`, of which searches with one error alone are passed over
            (`task1_errors`), and of `task1.score_table`.
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
    optima = {objective: max(of_candidates.values()) for objective, of_candidates in scores.items()}
    ends["at_optimum"] = (ends["score"] == ends["objective"].map(optima)).astype(float)
    measured = [*QUANTITIES, "score", "at_optimum"]
    long = ends.melt(["objective", "search", "seed", "data"], measured, var_name="quantity", value_name="value")
    drawn = mean_by_seed(long, "value", ["quantity", "objective", "search"]).drop(columns="n_missing")
    exact = exact_rows(scores).melt(["objective", "search"], var_name="quantity", value_name="ours")
    exact = exact.assign(ours_se=0.0, low=exact["ours"], high=exact["ours"], n_seeds=np.nan, data=provenance(runs))
    table = pd.concat([exact, drawn], ignore_index=True)
    table["published"] = table["quantity"].map(task1.published())
    coded = drawn[drawn["search"] == "dngo_as_coded"].set_index("quantity")["ours"]
    comparable = table["quantity"].isin(QUANTITIES) | (table["objective"] == "as_published")
    table["as_coded"] = table["quantity"].map(coded).where(comparable)
    table.loc[table["quantity"] == "at_optimum", ["low", "high"]] = table[["low", "high"]].clip(0, 1)
    table = table.assign(task=1, published_se=np.nan, published_stars="", stars="", scale=scale)
    orders = (measured, list(scores), ["given", "initial", "grid", "dngo", "dngo_as_coded"])
    ranks = [table[name].map(order.index) for name, order in zip(KEYS[1:], orders, strict=True)]
    order = np.lexsort(ranks[::-1])
    return table.iloc[order].reset_index(drop=True)[[*KEYS, *TIDY, "as_coded"]]


def summarise_task1(seed: int = 0) -> pd.DataFrame:
    """The page's figure, predictions at K = 3, and what else could have been chosen.

    Args:
        seed: not used, since nothing here is drawn.

    Returns:
        panel, series, x, y, low, high. Panel `fit`: series `points` (x, y) and `predictive` (y the mean, low and
        high two standard deviations of an observation from it) at the reported values. Panel `evidence`: x is K, y
        the log evidence, series `given` (lambda = 1, beta = 4) and `best` (the largest over the grid of both).
    """
    mean, std = task1.predict(GIVEN, FIGURE_X)
    points = pd.DataFrame({"panel": "fit", "series": "points", "x": task1.X, "y": task1.Y})
    band = {"x": FIGURE_X, "y": mean, "low": mean - 2 * std, "high": mean + 2 * std}
    parts = [points, pd.DataFrame({"panel": "fit", "series": "predictive", **band})]
    given = [task1.evidence(Point(K, *GIVEN[1:])) for K in K_GRID]
    largest = [max(task1.evidence(Point(K, b, a)) for b in BETA_GRID for a in LAMBDA_GRID) for K in K_GRID]
    for series, values in (("given", given), ("best", largest)):
        parts.append(pd.DataFrame({"panel": "evidence", "series": series, "x": K_GRID, "y": values}))
    return pd.concat(parts, ignore_index=True)[["panel", "series", "x", "y", "low", "high"]]


def summarise_task1_path(runs: pd.DataFrame) -> pd.DataFrame:
    """DNGO's path: the first seed's search by the evidence, and the page's own search as coded.

    Args:
        runs: rows of `task1_search.run_task1` and of `task1.score_table`.

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
    columns = ["panel", "step", *QUANTITIES, "score", "best", "is_initial", "optimum", "seed", "data"]
    table: pd.DataFrame = pd.concat(parts, ignore_index=True).reindex(columns=columns)
    return table
