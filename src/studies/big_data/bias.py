"""Document 003, section 3.3, Figure 9: the bias of case-control sampling where one class is rare."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.random import Generator

from frugal.seeds import rng_for
from studies import plotters, style
from studies.estimates import Array, Arrays, Estimate, mean, ratio
from studies.records import Artefact, Claim, Floor, Look, Method, Study, method_of
from studies.regions import above, below
from studies.tidy import by_measure, means, tidied

METHODS: Final = (
    Method("full"),
    Method(
        "cc",
        settings={"correction": "offset"},
        label="CC, intercept corrected",
        color="#684319",
        marker="X",
        linestyle=(0, (3, 1, 1, 1, 1, 1)),
    ),
    Method(
        "cc_weighted",
        "cc",
        {"correction": "weights"},
        label="CC, weighted",
        color="#D07CA1",
        marker="P",
        linestyle=":",
    ),
    Method("lcc", label="LCC, pilot grows with r", color="#4580EB", marker="^", linestyle="-."),
    Method(
        "lcc_fixed",
        "lcc",
        {"has_fixed_pilot": True},
        label="LCC, pilot of fixed size",
        color="#00318F",
        marker="v",
        linestyle=(0, (5, 1)),
    ),
)


# Runs ----------------------------------------------------------------------------------------------------------


def run(method: str, seed: int, settings: Mapping[str, Any], root: object = "data") -> pd.DataFrame:
    """Slopes from repeated subsamples where one class is rare and the model is wrong; `full` fits all rows.

    Returns:
        One row per `r` (`full`: r = n_rows): `slope_1`, `slope_2`, `intercept`, means over the fits that did not
        fail; `distance`, the root of the mean squared distance of the slopes from those of the fit to all rows;
        `distance_of_mean`, that of the mean slopes; `share_failed`, `share_pilot_failed`, `seconds` and rows as
        `subsamples` has them; `n_rows`, `share`, `pilot_size`, `n_repeats`, `data`.
    """
    from studies.big_data.subsamples import cost_of_all, fit_all, rare_rows, repeat

    names = ("big_data", "bias", seed)
    X, y = rare_rows(settings["n_rows"], settings["share"], rng_for(*names))
    full = fit_all(X, y).coef
    shared = {name: settings[name] for name in ("n_rows", "share", "n_repeats")} | {"data": "generated"}
    if method == "full":
        numbers = cost_of_all(X, y)
        return pd.DataFrame([{"r": len(y), **_slopes(full[None], full), **numbers, "pilot_size": 0, **shared}])
    known, rows = method_of(METHODS, method), []
    for r in settings["sizes"]:
        is_fixed = known.settings.get("has_fixed_pilot", False)
        pilot = settings["pilot_size"] if is_fixed else round(settings["pilot_share"] * r)
        correction = known.settings.get("correction")
        drawing = {"method": known.strategy, "correction": correction, "pilot_size": pilot, "size": r}
        coefs, numbers = repeat(X, y, drawing, settings["n_repeats"], *names, r)
        rows.append({"r": r, **_slopes(coefs, full), **numbers, "pilot_size": pilot, **shared})
    return pd.DataFrame(rows)


def _slopes(coefs: Array, full: Array) -> dict[str, float]:
    """Mean coefficients of the fits that succeeded, and distances from the fit to all rows."""
    from studies.big_data.subsamples import mean_squared, squared

    kept = coefs[~np.isnan(coefs[:, 0])]
    mean = kept.mean(axis=0) if len(kept) else np.full(len(full), np.nan)
    return {
        "slope_1": float(mean[1]),
        "slope_2": float(mean[2]),
        "intercept": float(mean[0]),
        "distance": float(np.sqrt(mean_squared((kept - full)[:, 1:]))),
        "distance_of_mean": float(np.sqrt(squared((mean - full)[1:]))),
    }


# Claims --------------------------------------------------------------------------------------------------------

LARGEST_R: Final = 16_000
"""Subsample size that the greatest r must reach; below it no verdict is given."""
HALFWAY: Final = -0.25
"""Log-log slope against r halfway between a distance that stays, 0, and one that falls like the root of r."""


def arrays(runs: pd.DataFrame) -> dict[str, Array]:
    """Arrays that the claims are measured on, each (n_sizes, n_seeds): "{method}", distances, and "r"."""
    drawn = runs[runs["method"] != "full"]
    found = {
        str(method): np.asarray(part.pivot_table("distance", "r", "seed", dropna=False), dtype=float)
        for method, part in drawn.groupby("method")
    }
    sizes = np.sort(drawn["r"].unique()).astype(float)
    return found | {"r": np.tile(sizes[:, None], runs["seed"].nunique())}


def _has_largest_r(runs: pd.DataFrame) -> bool:
    return bool(runs.loc[runs["method"] != "full", "r"].max() >= LARGEST_R)


FLOOR: Final = Floor(seeds=10, methods=METHODS, least={"n_rows": 100_000, "n_repeats": 10}, further=_has_largest_r)
BIAS: Final = Study(name="bias", methods=METHODS, run=run, arrays=arrays, is_enough=FLOOR)
_claim = partial(Claim, section="3.3", study="bias", artefact="tables/bias")
_OF_SLOPE: Final = (
    "power of r by which its distance from the fit to all rows changes, over the larger half of the sizes r (0: "
    "biased, -1/2: consistent)"
)


def _slope(arrays: Arrays, rng: Generator, *, method: str) -> Estimate:
    """Log-log slope of the distance over the greater half of the sizes, by seed; none with fewer than three."""
    sizes = arrays["r"][:, 0]
    if len(sizes) < 3:
        return Estimate(math.nan, math.nan, math.nan)
    upper = slice(len(sizes) // 2, None)
    x, y = np.log(sizes[upper]), np.log(arrays[method][upper])
    x = x - x.mean()
    return mean((x[:, None] * y).sum(axis=0) / (x**2).sum())  # of sums alone, so that it is the same everywhere


CLAIMS: Final = (
    _claim(
        "big_data.case_control.biased",
        quote="This approach however is problematic because it introduces a bias towards unambiguous samples",
        quantity=f"case-control: {_OF_SLOPE}",
        unit="power",
        agrees=above(HALFWAY),
        measure=partial(_slope, method="cc"),
    ),
    _claim(
        "big_data.lcc.removes_bias",
        quote="Local Case-Control subsampling (LCC) to remove the bias from CC",
        quantity="distance from the fit to all rows at the largest r, case-control over LCC with a growing pilot",
        unit="times",
        agrees=above(1),
        measure=lambda arrays, rng: ratio(arrays["cc"][-1], arrays["lcc"][-1]),
    ),
    _claim(
        # The sentence lets r grow and nothing else: the pilot stays the "small pilot sample".
        "big_data.lcc.consistent",
        quote="This produces an estimate ... that is consistent with ... as r → ∞.",
        quantity=f"LCC with a pilot of a fixed size: {_OF_SLOPE}",
        unit="power",
        agrees=below(HALFWAY),
        measure=partial(_slope, method="lcc_fixed"),
    ),
    _claim(
        "big_data.lcc.consistent_growing_pilot",
        quantity=f"LCC with a pilot that grows with r: {_OF_SLOPE}",
        unit="power",
        agrees=below(HALFWAY),
        measure=partial(_slope, method="lcc"),
    ),
)


# Table and figures ---------------------------------------------------------------------------------------------

CURVE: Final = ["method", "r"]
_LOOKS: Final = {method.name: method.look for method in METHODS if method.name != "full"}


def tabulate(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Slopes and their distance from those of the fit to all rows; the document prints no numbers."""
    measures = ("slope_1", "slope_2", "intercept", "distance", "distance_of_mean")
    keys = ["measure", *CURVE]
    return tidied(by_measure(runs, measures, CURVE), keys, scale, orders={"measure": measures})


def summarise(runs: pd.DataFrame) -> pd.DataFrame:
    """Distance of the slopes from those of the fit to all rows, against r.

    Returns:
        panel (`distance` of single fits, `distance_of_mean` of the mean over a seed's repeats), method, r,
        mean, low, high, n_seeds, data.
    """
    runs = runs[runs["method"] != "full"]
    parts = [means(runs, panel, CURVE).assign(panel=panel) for panel in ("distance", "distance_of_mean")]
    return pd.concat(parts, ignore_index=True)[["panel", *CURVE, "mean", "low", "high", "n_seeds", "data"]]


@style.styled
def draw(table: pd.DataFrame) -> plotters.Figure:
    """Distance from the slopes of the fit to all rows against r, of single fits and of their mean."""
    titles = {"distance": "Distance of the slopes, one fit (rms)", "distance_of_mean": "Distance of their mean"}
    figure, panels = plotters.row(table, "panel", titles, size=(7.2, 3.4))
    for axis, part, panel in panels:
        axis.set(xscale="log", yscale="log", ylim=(0.5 * part["mean"].min(), 1.8 * part["mean"].max()))
        plotters.lines(axis, part, _LOOKS, x="r", order=_LOOKS, band=0.12)
        if panel == "distance":
            sizes = np.array([part["r"].min(), part["r"].max()], dtype=float)
            start = part.loc[(part["method"] == "cc_weighted") & (part["r"] == sizes[0]), "mean"]
            heights = 0.6 * float(start.iloc[0]) * np.sqrt(sizes[0] / sizes)
            axis.plot(sizes, heights, color="#7A7A7A", linewidth=0.8, linestyle=":", label=r"slope $-1/2$")
        axis.set(xlabel="Rows of the second step, r", ylabel=titles[panel])
    return plotters.finish(figure, table, 3, panels=figure.axes[:1])


N_ROWS: Final = 100_000
SHARE: Final = 0.01
N_DRAWN: Final = 5000
"""Figure 9: rows of the data set and of the held-out one, share of the rare class, rows of the scatter."""
_RECALLS: Final = np.linspace(0.005, 1.0, 200)
_FIGURE9: Final = {
    "full": Look("#000000", "fit to all rows", "", "-", ""),
    "cc": Look("#C1272D", "limit of CC", "", "--", ""),
}


def summarise_figure9(seed: int) -> pd.DataFrame:
    """Figure 9: rows, boundaries and precision of the fit to all rows and of the limit of case-control.

    The limit, to which fits of ever more rows drawn by case-control tend, gives both classes the same weight; its
    intercept is corrected. A boundary is where the model takes both classes to be equally likely.

    Returns:
        panel (rows, boundary, precision), name (0 and 1 for rows; full and cc), x, y, data: features; or recall
        and precision on the held-out rows.
    """
    from frugal.rows import fit_logistic
    from studies.big_data.subsamples import rare_rows

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


def case_control_limit(X: Array, y: Array) -> Array:
    """The unweighted fit of infinitely many rows drawn by case-control, its intercept corrected, shape (d,).

    Args:
        X: rows, shape (N, d), the first column ones.
        y: labels, 0 or 1, shape (N,).
    """
    from frugal.rows import fit_logistic

    odds = y.sum() / (len(y) - y.sum())
    coef = fit_logistic(X, y, np.where(y == 1.0, 1.0 / odds, 1.0), ridge=0.0)
    coef[0] += np.log(odds)
    return coef


def precision_at(y: Array, scores: Array, recalls: Array) -> Array:
    """Precision where a recall is first reached, going down the scores.

    Args:
        y: labels, 0 or 1, shape (n,).
        scores: higher is more likely 1, shape (n,); ties are cut in any order.
        recalls: in (0, 1], shape (m,).
    """
    hits = np.cumsum(y[np.argsort(-scores)])
    first = np.searchsorted(hits, np.ceil(recalls * hits[-1] - 1e-9))
    return np.asarray(hits[first] / (first + 1))


@style.styled
def draw_figure9(table: pd.DataFrame) -> plotters.Figure:
    """Left the rows with both boundaries, right precision against recall on held-out rows."""
    figure = style.new_figure(7.2, 3.2)
    left, right = figure.subplots(1, 2)
    rows = table[table["panel"] == "rows"]
    for name, color, marker, size, label in (
        ("0", "#B8B8B8", "o", 3, "class 0"),
        ("1", "#2458C5", "^", 14, "class 1"),
    ):
        part = rows[rows["name"].astype(str) == name]
        left.scatter(
            part["x"], part["y"], s=size, c=color, marker=marker, linewidths=0, label=label, rasterized=True
        )
    for axis, panel in ((left, "boundary"), (right, "precision")):
        for name, look in _FIGURE9.items():
            line = table[(table["panel"] == panel) & (table["name"] == name)]
            axis.plot(line["x"], line["y"], color=look.color, linestyle=look.linestyle, label=look.label)
    margin = 0.3
    left.set(xlabel="Feature 1", ylabel="Feature 2", ylim=(rows["y"].min() - margin, rows["y"].max() + margin))
    left.set(xlim=(rows["x"].min() - margin, rows["x"].max() + margin))
    right.set(xlabel="Recall", ylabel="Precision", xlim=(0, 1), ylim=(0, 1.02))
    right.grid(alpha=0.3)
    return plotters.finish(figure, table, 4, panels=[left])


TABLE: Final = Artefact(
    "bias",
    ("bias",),
    tabulate,
    """Slopes and intercept on the problem of Figure 9 of document 003, and the distance of the slopes from those
    of the fit to all rows; {{ n_repeats }} subsamples of each of {{ n_seeds }} data set(s) of {{
    "{:,}".format(n_rows) }} generated rows. The document prints no numbers of it.""",
)
FIGURE: Final = Artefact(
    "bias",
    ("bias",),
    summarise,
    """The bias of case-control sampling in numbers, on the problem of Figure 9 of document 003: distance of the
    slopes from those of the fit to all rows against r, of single fits (root mean square) and of the mean over a
    data set's subsamples; {{ n_repeats }} subsamples of each of {{ n_seeds }} data set(s) of {{
    "{:,}".format(n_rows) }} generated rows, {{ 100 * share }} % of class 1, a 95 % band over the data sets. An
    error of sampling falls with slope -1/2, a bias stays. The pilot of LCC has {{ pilot_share }} r rows, or always
    {{ pilot_size }}: then LCC keeps an error where the model is wrong, since each pilot has a limit of its own.
    The mean over a data set's {{ n_repeats }} subsamples still has a {{ n_repeats }}th of their variance: lines
    that stay level at that height show no bias. CC is fitted to its pilot, too, which has {{ pilot_share }} r rows
    more.""",
    draw,
)
FIGURE9: Final = Artefact(
    "figure9",
    (),
    summarise_figure9,
    """Figure 9 of document 003: the bias of case-control sampling (CC) where one class is rare and the true
    log-odds are quadratic. Left: 5,000 of 100,000 generated rows, 1 % of them of class 1, an elongated Gaussian
    at (1.5, 1.5), with the boundaries (both classes equally likely) of the fit to all rows and of the limit of
    CC, its intercept corrected. Right: precision against recall of the two on 100,000 other rows. The document
    prints no parameters; ours give its picture.""",
    draw_figure9,
)
ARTEFACTS: Final = (TABLE, FIGURE, FIGURE9)
