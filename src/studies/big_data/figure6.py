"""Figure 6 of document 003: the steps of the bag of little bootstraps, from a run small enough to be drawn."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, Final

import pandas as pd

from frugal.seeds import rng_for
from studies import plotters, style
from studies.records import Artefact

N_ROWS, N_FEATURES, GAMMA, S, R = 1000, 3, 0.6, 3, 20
"""Rows, features, exponent of the subsamples' size, subsamples, resamples of each."""
_COLORS: Final = {
    "data": "#E3E5E8",
    "subsample": "#FFE3B5",
    "resample": "#FFFFFF",
    "estimate": "#FFFFFF",
    "combination": "#CFE0F7",
    "result": "#BFD8CE",
}
_X: Final = {"data": 0.0, "subsample": 1.25, "resample": 2.75, "estimate": 4.25, "combination": 5.6, "result": 7.0}
"""Where each stage stands, from left to right."""
_HALF: Final = 0.52


def summarise(seed: int) -> pd.DataFrame:
    """Everything that one run draws and finds, for the first of its coefficients, which is truly 1.

    Returns:
        A row for the data, each subsample, resample, estimate, combination per subsample, and the result: stage,
        subsample and resample (counted from 1; 0 where there is none), n_rows (with repeats), n_distinct, coef,
        width (of the 95 % interval), seed.
    """
    from frugal.rows import blb, fit_logistic, interval_widths, subsample_size
    from studies.big_data.bags import draw_rows

    rng, b = rng_for("figure6", seed), subsample_size(N_ROWS, GAMMA)
    X, y = draw_rows(N_ROWS, N_FEATURES, rng)
    bag = blb(X, y, b=b, s=S, r=R, fit=fit_logistic, statistic=interval_widths, rng=rng)
    rows: list[dict[str, Any]] = [{"stage": "data", "n_rows": N_ROWS, "n_distinct": N_ROWS}]
    for i in range(bag.s):
        here = {"subsample": i + 1}
        rows.append({"stage": "subsample", **here, "n_rows": b, "n_distinct": b})
        for k in range(R):
            there = here | {"resample": k + 1}
            rows.append({"stage": "resample", **there, "n_rows": bag.n, "n_distinct": bag.rows[i, k]})
            rows.append({"stage": "estimate", **there, "coef": bag.estimates[i, k, 0]})
        rows.append({"stage": "combination", **here, "coef": bag.coefs[i, 0], "width": bag.statistics[i, 0]})
    rows.append({"stage": "result", "coef": bag.coef[0], "width": bag.statistic[0]})
    whole = {"subsample": 0, "resample": 0}
    return pd.DataFrame(rows).fillna(whole).astype(dict.fromkeys(whole, int)).assign(seed=seed)


@style.styled
def draw(table: pd.DataFrame) -> plotters.Figure:
    """Boxes from left to right; of each subsample's resamples the first two and the last."""
    figure = style.new_figure(7.2, 4.4)
    axes = figure.subplots()
    s, r = int(table["subsample"].max()), int(table["resample"].max())
    shown = [1, 2, r] if r > 2 else list(range(1, r + 1))
    drawn = table[table["resample"].isin([0, *shown])]
    span, gap = len(shown) + 0.6, 0.35
    skips = 0.4 if r > len(shown) else 0.0  # room for the dots before the last one
    height = {
        (i, k): -(i * (span + gap) + j + skips * (j == len(shown) - 1))
        for i in range(1, s + 1)
        for j, k in enumerate(shown)
    }
    middle = {i: sum(height[i, k] for k in shown) / len(shown) for i in range(1, s + 1)}
    centre = sum(middle.values()) / s
    for row in drawn.to_dict("records"):
        stage, i, k = str(row["stage"]), int(row["subsample"]), int(row["resample"])
        y = height[i, k] if k else middle.get(i, centre)
        _draw_box(axes, stage, y, _text(row))
        for before, source in _before(stage, i, k, middle, height, shown, centre):
            plotters.arrows(axes, [((_X[before] + _HALF, source), (_X[stage] - _HALF, y))], shrinkA=0, shrinkB=0)
    for i in range(1, s + 1):
        if r > len(shown):
            dots = (height[i, shown[-2]] + height[i, shown[-1]]) / 2
            for column in ("resample", "estimate"):
                axes.text(_X[column], dots, "…", ha="center", va="center", rotation=90)
    titles = {
        "data": "data",
        "subsample": f"{s} subsamples,\nno row twice in one",
        "resample": f"{r} resamples each,\nkept as counts",
        "estimate": "estimates of\none coefficient",
        "combination": "combined per\nsubsample",
        "result": "combined",
    }
    for stage, title in titles.items():
        axes.text(_X[stage], max(height.values()) + 0.75, title, ha="center", va="bottom", fontweight="bold")
    axes.set(xlim=(-0.6, 7.6), ylim=(min(height.values()) - 0.6, max(height.values()) + 1.7))
    axes.axis("off")
    return figure


def _draw_box(axes: plotters.Axes, stage: str, y: float, text: str) -> None:
    half = 0.36 if stage in ("resample", "estimate") else 0.75
    plotters.box(
        axes, (_X[stage], y), (_HALF - 0.03, half), text, _COLORS[stage], rounding="pad=0.02", fontsize=6.2
    )


def _text(row: Mapping[Hashable, Any]) -> str:
    """Text of a row's box."""
    if row["stage"] == "data":
        return f"{row['n_rows']:,.0f} rows"
    if row["stage"] == "subsample":
        return f"subsample {row['subsample']}\n{row['n_rows']:.0f} rows"
    if row["stage"] == "resample":
        return f"no. {row['resample']}: {row['n_rows']:,.0f} rows,\n{row['n_distinct']:.0f} of them distinct"
    if row["stage"] == "estimate":
        return f"{row['coef']:.3f}"
    return f"mean {row['coef']:.3f}\n95 % interval:\nwidth {row['width']:.3f}"


def _before(
    stage: str,
    i: int,
    k: int,
    middle: dict[int, float],
    height: dict[tuple[int, int], float],
    shown: list[int],
    centre: float,
) -> list[tuple[str, float]]:
    """Stages with an arrow to a box, and the height of each."""
    return {
        "data": [],
        "subsample": [("data", centre)],
        "resample": [("subsample", middle.get(i, centre))],
        "estimate": [("resample", height.get((i, k), centre))],
        "combination": [("estimate", height[i, number]) for number in shown] if i else [],
        "result": [("combination", y) for y in middle.values()],
    }[stage]


FIGURE6: Final = Artefact(
    "figure6",
    (),
    summarise,
    """Figure 6 of document 003: the steps of the bag of little bootstraps, from a run on 1,000 rows with 3
    features: 3 subsamples of 1,000<sup>0.6</sup> = 63 rows, drawn without replacement; 20 resamples of 1,000
    rows from each, of which the first two and the last are drawn; the estimates of the first coefficient of a
    logistic model, truly 1; their mean and the width of their 95 % interval per subsample; and the means of
    both. The document combines coefficients, its Figure 7 judges widths.""",
    draw,
)
