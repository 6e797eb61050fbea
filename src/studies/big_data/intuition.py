"""Figures 1 and 2 of document 003: distances of rescaled configurations, and kernels of Gaussian processes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np
import pandas as pd

from frugal.seeds import rng_for
from studies import plotters, style
from studies.estimates import Array
from studies.records import Artefact, Look

FEATURES: Final = (1, 21)
"""Of wdbc: mean and largest texture of a sample's nuclei, alike in unit and much correlated."""
N_ROWS: Final = 150
REACH: Final = 2.0
"""Of the red points from the mean, in standard deviations of the longer axis."""

N_DRAWS: Final = 2
OBSERVED: Final = ((-1.2, 0.9), (1.5, -0.6))
"""The two values (x, f) that the right panel conditions on."""
_GRID: Final = np.linspace(-4.0, 4.0, 321)
_JITTER: Final = 1e-9

_LOOKS: Final = {
    "exponential": Look("#926A00", "exponential (Matérn-1/2)", "", "-", ""),
    "matern52": Look("#00318F", "Matérn-5/2", "", "--", ""),
    "se": Look("#D07CA1", "squared exponential", "", "-.", ""),
}
_RED, _BLUE = "#C1272D", "#00318F"


def summarise_figure1(seed: int) -> pd.DataFrame:
    """Two points as far from the mean by Euclid's distance, one along and one across the data.

    The seed draws the rows; mean and covariance are theirs.

    Returns:
        panel (measured or whitened), kind (data, mean, along or across), x, y, then each point's euclidean and
        mahalanobis distance from the mean as measured; data, seed.
    """
    from frugal import datasets

    data = datasets.load("wdbc")
    rows = rng_for("big_data", "figure1", seed).choice(len(data.X), N_ROWS, replace=False)
    X = np.asarray(data.X[np.sort(rows)][:, FEATURES], float)
    mean, covariance = X.mean(axis=0), np.cov(X.T)
    variances, axes = np.linalg.eigh(covariance)
    reach = REACH * np.sqrt(variances[1])
    ends = {"along": mean + reach * axes[:, 1], "across": mean + reach * axes[:, 0]}
    points = pd.DataFrame([*X, mean, *ends.values()], columns=["x", "y"])
    points.insert(0, "kind", ["data"] * N_ROWS + ["mean", *ends])
    away = points[["x", "y"]].to_numpy() - mean
    whitened = away @ axes / np.sqrt(variances) @ axes.T
    points["euclidean"], points["mahalanobis"] = np.linalg.norm(away, axis=1), np.linalg.norm(whitened, axis=1)
    parts = {"measured": points, "whitened": points.assign(x=whitened[:, 0], y=whitened[:, 1])}
    table = pd.concat([part.assign(panel=panel) for panel, part in parts.items()], ignore_index=True)
    table.insert(0, "panel", table.pop("panel"))
    return table.assign(data=data.provenance, seed=seed)


@style.styled
def draw_figure1(table: pd.DataFrame) -> plotters.Figure:
    """Left, as measured: both red points on one circle; right, whitened: they are not alike."""
    from matplotlib.patches import Circle

    figure = style.new_figure(7.2, 3.5)
    titles = {"measured": "As measured: Euclidean distance", "whitened": "Whitened: Mahalanobis distance"}
    distances = {"measured": "euclidean", "whitened": "mahalanobis"}
    for axis, (panel, title) in zip(figure.subplots(1, 2), titles.items(), strict=True):
        part = table[table["panel"] == panel]
        cloud = part[part["kind"] == "data"]
        axis.plot(cloud["x"], cloud["y"], "o", color="#8A8F94", markersize=2.5, label="data", linestyle="none")
        mean, *ends = (part[part["kind"] == kind].iloc[0] for kind in ("mean", "along", "across"))
        centre = (float(mean["x"]), float(mean["y"]))
        axis.plot(*centre, "s", color=_BLUE, markersize=7, label="their mean", linestyle="none")
        for point, marker in zip(ends, ("^", "D"), strict=True):
            at, distance = (float(point["x"]), float(point["y"])), float(point[distances[panel]])
            label = f"{point['kind']} the data"
            axis.plot(*at, marker, color=_RED, markersize=7, linestyle="none", label=label)
            axis.add_patch(Circle(centre, distance, fill=False, color=_RED, lw=0.7, ls=":"))
            plotters.note(axis, f"{distance:.1f}", at, (7, 7), color=_RED)
        axis.set(title=title, aspect="equal")
        axis.set_adjustable("datalim")
    axis.set(xlabel="first coordinate (sd)", ylabel="second coordinate (sd)")
    figure.axes[0].set(xlabel="mean texture (sd of grey values)", ylabel="largest texture (sd of grey values)")
    return plotters.finish(figure, table, 4)


def summarise_figure2(seed: int) -> pd.DataFrame:
    """Three kernels: covariance against distance, draws of the prior, and draws given two values of f.

    Every kernel gets the same standard normals.

    Returns:
        panel (covariance, prior, posterior or observed), kernel, draw (-1 where it is none), x, y; data, seed.
    """
    rng = rng_for("big_data", "figure2", seed)
    normals = {panel: rng.standard_normal((N_DRAWS, len(_GRID))) for panel in ("prior", "posterior")}
    at, f = np.array(OBSERVED).T
    parts = [pd.DataFrame({"panel": "observed", "kernel": "", "draw": -1, "x": at, "y": f})]
    distances = np.linspace(0.0, 4.0, 161)
    for kernel, value in prior_kernels().items():
        covariance = _between(value, _GRID, _GRID)
        gain = np.linalg.solve(_between(value, at, at), _between(value, at, _GRID)).T
        left = covariance - gain @ _between(value, at, _GRID)
        lines = [("covariance", -1, distances, value(distances))]
        for panel, mean, matrix in (("prior", 0.0, covariance), ("posterior", gain @ f, left)):
            root = np.linalg.cholesky(matrix + _JITTER * np.eye(len(_GRID)))
            lines += [(panel, i, _GRID, mean + root @ z) for i, z in enumerate(normals[panel])]
        parts += [
            pd.DataFrame({"panel": panel, "kernel": kernel, "draw": i, "x": x, "y": y}) for panel, i, x, y in lines
        ]
    return pd.concat(parts, ignore_index=True).assign(data="generated", seed=seed)


def prior_kernels() -> Mapping[str, Callable[[Array], Array]]:
    """Covariances by kernel: functions of distances of any shape, with unit length-scale."""
    from frugal.trials.surrogates.kernels import KERNELS

    return {
        "exponential": lambda r: np.exp(-r),
        "matern52": lambda r: KERNELS["matern52_ard"].value(r[None], np.zeros(1)),
        "se": lambda r: KERNELS["se"].value(r[None], np.zeros(1)),
    }


def _between(value: Callable[[Array], Array], a: Array, b: Array) -> Array:
    from frugal.trials.surrogates.kernels import differences

    return value(np.abs(differences(a[:, None], b[:, None])[0]))


@style.styled
def draw_figure2(table: pd.DataFrame) -> plotters.Figure:
    """Covariance, prior draws, posterior draws: three panels, one look per kernel."""
    figure = style.new_figure(7.2, 2.9)
    left, middle, right = figure.subplots(1, 3)
    _lines(left, table[table["panel"] == "covariance"])
    _lines(middle, table[table["panel"] == "prior"])
    _lines(right, table[table["panel"] == "posterior"])
    seen = table[table["panel"] == "observed"]
    right.plot(seen["x"], seen["y"], "o", color="#000000", markersize=6, zorder=5, label="observed values")
    left.set(title="Covariance", xlabel="distance (length-scales)", ylabel="k(θ, θ')", ylim=(0, 1.05))
    middle.set(title="Draws of the prior", xlabel="θ", ylabel="f(θ)")
    right.set(title="Draws given two values", xlabel="θ", ylim=middle.get_ylim())
    return plotters.finish(figure, table, 4, panels=[right])


def _lines(axis: plotters.Axes, table: pd.DataFrame) -> None:
    for kernel, part in table.groupby("kernel", sort=False):
        look = _LOOKS[str(kernel)]
        for i, (_, line) in enumerate(part.groupby("draw")):
            label = look.label if i == 0 else None
            axis.plot(line["x"], line["y"], color=look.color, linestyle=look.linestyle, linewidth=1.0, label=label)


FIGURE1: Final = Artefact(
    "figure1",
    (),
    summarise_figure1,
    """Figure 1 of document 003, from data: mean and largest texture of 150 samples of breast cancer (wdbc), drawn
    by a seed. The red points are equally far from the mean by Euclid's distance (left, as measured) and not by
    Mahalanobis', which is Euclid's after whitening (right); digits are the distances, the left ones in the
    features' unit.""",
    draw_figure1,
    datasets=("wdbc",),
)
FIGURE2: Final = Artefact(
    "figure2",
    (),
    summarise_figure2,
    """Figure 2 of document 003: three kernels of unit length-scale. Left: covariance against distance. Middle: two
    draws of the Gaussian process each, the same standard normals for every kernel. Right: draws given two values
    of f.""",
    draw_figure2,
)
