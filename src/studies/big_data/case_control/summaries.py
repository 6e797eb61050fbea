"""The numbers of section 3.3's figures and tables, from runs; Figure 9's from a seed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import pandas as pd

from frugal.rows import fit_logistic
from frugal.seeds import rng_for
from studies.big_data.case_control.problems import DESIGNS, Floats, rare_rows
from studies.tidy import TIDY, mean_by_seed, read_printed

PUBLISHED: Final = {"uniform": "uniform", "lcc": "LCC", "osmac_mvc": "OSMAC", "full": "full"}
"""Method -> column of the digitised points of Figure 10."""
COSTS: Final = ("seconds", "rows_touched")
CURVE: Final = ["method", "r"]
FAILURES: Final = ("share_failed", "share_pilot_failed")
"""Shares of the fits without a maximum, and of the others those whose first pilot had none."""
N_ROWS: Final = 100_000
SHARE: Final = 0.01
N_DRAWN: Final = 5000
"""Figure 9: rows of the data set and of the held-out one, share of the rare class, rows of the scatter."""
_RECALLS: Final = np.linspace(0.005, 1.0, 200)


def published() -> pd.DataFrame:
    """Figure 10's digitised points: design, r, method, published."""
    parts = []
    for design in DESIGNS:
        table = read_printed(f"survey_fig10_{design.lower()}")
        table = table.rename(columns={"x": "r"} | {name: m for m, name in PUBLISHED.items()})
        parts.append(table.melt("r", list(PUBLISHED), "method", "published").assign(design=design))
    return pd.concat(parts, ignore_index=True)[["design", "r", "method", "published"]]


def summarise_figure10(runs: pd.DataFrame) -> pd.DataFrame:
    """Figure 10: mean squared error against r, and the document's points.

    Args:
        runs: of the experiment `subsampling`.

    Returns:
        panel (the design), source (ours, published), method, r, mean, low, high, n_seeds, share_failed,
        share_pilot_failed, data. `full` does not depend on r and has a row at the smallest and at the greatest.
    """
    ours = _averaged(runs, "error", ["design", *CURVE])
    failed = runs.groupby(["design", *CURVE])[list(FAILURES)].mean().reset_index()
    ours = ours.merge(failed, on=["design", *CURVE])
    lines, full = ours[ours["method"] != "full"], ours[ours["method"] == "full"]
    ends = [full.assign(r=r) for r in (lines["r"].min(), lines["r"].max())]
    ours = pd.concat([lines, *ends]).assign(source="ours")
    printed = published().rename(columns={"published": "mean"}).assign(source="published", data="published")
    columns = ["panel", "source", "method", "r", "mean", "low", "high", "n_seeds", *FAILURES, "data"]
    table = pd.concat([ours, printed], ignore_index=True).rename(columns={"design": "panel"})
    return table.sort_values(["panel", "source", "method", "r"], ignore_index=True).reindex(columns=columns)


def summarise_costs(runs: pd.DataFrame) -> pd.DataFrame:
    """Figure 10's errors against what a fit costs; of `full`, the error of the fit itself, not of its bootstraps.

    Args:
        runs: of the experiment `subsampling`.

    Returns:
        panel (the design), axis (of `COSTS`), method, r, cost (mean over the seeds), mean, low, high, n_seeds,
        data.
    """
    keys = ["design", *CURVE]
    runs = runs.assign(error=runs["error"].where(runs["method"] != "full", runs["plain"]))
    errors, parts = _averaged(runs, "error", keys), []
    for axis in COSTS:
        cost = runs.groupby(keys)[axis].mean().rename("cost").reset_index()
        parts.append(errors.merge(cost, on=keys).assign(axis=axis))
    columns = ["panel", "axis", "method", "r", "cost", "mean", "low", "high", "n_seeds", "data"]
    return pd.concat(parts, ignore_index=True).rename(columns={"design": "panel"})[columns]


def summarise_bias(runs: pd.DataFrame) -> pd.DataFrame:
    """Distance of the slopes from those of the fit to all rows, against r.

    Args:
        runs: of the experiment `bias`.

    Returns:
        panel (`distance` of single fits, `distance_of_mean` of the mean over a seed's repeats), method, r,
        mean, low, high, n_seeds, data.
    """
    runs = runs[runs["method"] != "full"]
    parts = [_averaged(runs, panel, CURVE).assign(panel=panel) for panel in ("distance", "distance_of_mean")]
    columns = ["panel", *CURVE, "mean", "low", "high", "n_seeds", "data"]
    return pd.concat(parts, ignore_index=True)[columns]


def summarise_figure9(seed: int) -> pd.DataFrame:
    """Figure 9: rows, boundaries and precision of the fit to all rows and of the limit of case-control.

    The limit, to which fits of ever more rows drawn by case-control tend, gives both classes the same weight; its
    intercept is corrected. A boundary is where the model takes both classes to be equally likely.

    Args:
        seed: of the rows and of the held-out rows.

    Returns:
        panel (rows, boundary, precision), name (0 and 1 for rows; full and cc), x, y, data: features; or recall
        and precision on the held-out rows.
    """
    X, y = rare_rows(N_ROWS, SHARE, rng_for("big_data", "figure9", seed))
    held_X, held_y = rare_rows(N_ROWS, SHARE, rng_for("big_data", "figure9", seed, "held out"))
    parts = [
        pd.DataFrame({"panel": "rows", "name": y.astype(int).astype(str), "x": X[:, 1], "y": X[:, 2]})[:N_DRAWN]
    ]
    ends = np.array([X[:N_DRAWN, 1].min(), X[:N_DRAWN, 1].max()])
    for name, coef in (("full", fit_logistic(X, y, ridge=0.0)), ("cc", case_control_limit(X, y))):
        line = -(coef[0] + coef[1] * ends) / coef[2]
        parts.append(pd.DataFrame({"panel": "boundary", "name": name, "x": ends, "y": line}))
        heights = precision_at(held_y, held_X @ coef, _RECALLS)
        parts.append(pd.DataFrame({"panel": "precision", "name": name, "x": _RECALLS, "y": heights}))
    return pd.concat(parts, ignore_index=True).assign(data="generated")


def case_control_limit(X: Floats, y: Floats) -> Floats:
    """The unweighted fit of infinitely many rows drawn by case-control, its intercept corrected, shape (d,).

    Args:
        X: rows, shape (N, d), the first column ones.
        y: labels, 0 or 1, shape (N,).
    """
    odds = y.sum() / (len(y) - y.sum())
    coef = fit_logistic(X, y, np.where(y == 1.0, 1.0 / odds, 1.0), ridge=0.0)
    coef[0] += np.log(odds)
    return coef


def precision_at(y: Floats, scores: Floats, recalls: Floats) -> Floats:
    """Precision where a recall is first reached, going down the scores.

    Args:
        y: labels, 0 or 1, shape (n,).
        scores: higher is more likely 1, shape (n,); ties are cut in any order.
        recalls: in (0, 1], shape (m,).
    """
    hits = np.cumsum(y[np.argsort(-scores)])
    first = np.searchsorted(hits, np.ceil(recalls * hits[-1] - 1e-9))
    return np.asarray(hits[first] / (first + 1))


def tabulate_figure10(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Mean squared errors against the true coefficients, ours beside the document's.

    Args:
        runs: of the experiment `subsampling`.
        scale: label of the run.

    Returns:
        design, method, r (`full`: 0, it does not depend on it), then `TIDY`; then error_mle, `FAILURES`, seconds,
        rows_touched, means over the seeds; and says, where a fit or a pilot failed.
    """
    keys = ["design", *CURVE]
    runs = runs.assign(r=runs["r"].where(runs["method"] != "full", 0))
    further = runs.groupby(keys)[["error_mle", *FAILURES, "seconds", "rows_touched"]].mean().reset_index()
    further["says"] = [_failures(*pair) for pair in further[list(FAILURES)].to_numpy(float)]
    printed = published()
    printed["r"] = printed["r"].where(printed["method"] != "full", 0)
    table = mean_by_seed(runs, "error", keys).merge(printed.drop_duplicates(keys), on=keys, how="left")
    return _tidied(table, keys, scale).merge(further, on=keys)


def tabulate_bias(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Slopes and their distance from those of the fit to all rows; the document prints no numbers.

    Args:
        runs: of the experiment `bias`.
        scale: label of the run.

    Returns:
        measure (slope_1, slope_2, intercept, distance, distance_of_mean), method, r, then `TIDY`.
    """
    parts = []
    for measure in ("slope_1", "slope_2", "intercept", "distance", "distance_of_mean"):
        table = mean_by_seed(runs, measure, CURVE).assign(measure=measure, published=np.nan)
        parts.append(_tidied(table, ["measure", *CURVE], scale))
    return pd.concat(parts, ignore_index=True)


def _failures(fits: float, pilots: float) -> str:
    shares = {"fits": fits, "pilots": pilots}
    return ", ".join(f"{100 * share:.2g} % of {what} failed" for what, share in shares.items() if share > 0)


def _tidied(table: pd.DataFrame, keys: list[str], scale: str) -> pd.DataFrame:
    table = table.assign(published_se=np.nan, published_stars="", stars="", scale=scale)
    return table[[*keys, *TIDY]]


def _averaged(runs: pd.DataFrame, value: str, keys: list[str]) -> pd.DataFrame:
    return mean_by_seed(runs, value, keys).rename(columns={"ours": "mean"}).drop(columns=["ours_se", "n_missing"])


TABLES: Final[dict[str, Callable[[pd.DataFrame, str], pd.DataFrame]]] = {
    "figure10": tabulate_figure10,
    "bias": tabulate_bias,
}
"""Table name -> its function; `figure10` reads `subsampling`, `bias` reads `bias`."""
