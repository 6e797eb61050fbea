"""What the pictures of all searches share: the true surface, points on it, colour bar and legend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from studies import style
from studies.estimates import Array
from studies.greedy_cv.problem import AXES, BOUNDS, optimum_loss

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.contour import QuadContourSet
    from matplotlib.figure import Figure

X, Y = AXES
X_LABEL, Y_LABEL = r"$\log_{10}\,\gamma$ (1 / width²)", r"$\log_{10}\,\lambda$ (ridge penalty)"
LOSS_LABEL = "validation loss (mean squared error)"
HIGHLIGHT, BEST = "#D07CA1", "#F2B138"
_LOSS_TICKS = (0.15, 0.2, 0.3, 0.5, 1.0, 2.0)
_POINT: dict[str, Any] = {
    "s": 16,
    "marker": "o",
    "color": "white",
    "edgecolor": "black",
    "linewidth": 0.7,
    "zorder": 3,
}
_STAR: dict[str, Any] = {"s": 110, "marker": "*", "color": BEST, "zorder": 5, "label": "best evaluated"}
_CROSS: dict[str, Any] = {
    "s": 46,  # its arms stick out behind what it crosses out
    "marker": "x",
    "color": "black",
    "linewidth": 1.0,
    "zorder": 2.5,
}


def panels(n: int, height: float) -> tuple[Figure, list[Axes]]:
    """A figure of two columns' width with `n` panels side by side; height in inches."""
    figure = style.new_figure(style.TWO_COLUMN[0], height)
    return figure, list(figure.subplots(1, n))


def dots(axes: Axes, points: pd.DataFrame, x: str = X, y: str = Y, **look: Any) -> None:
    """Points as white circles with a black edge, unless `look` says otherwise."""
    axes.scatter(points[x], points[y], **(_POINT | {"clip_on": False} | look))


def star(axes: Axes, points: pd.DataFrame, x: str = X, y: str = Y, **look: Any) -> None:
    """The point with the lowest loss, as a star."""
    dots(axes, points.loc[[points["loss"].idxmin()]], x, y, **(_STAR | look))


def crosses(axes: Axes, points: pd.DataFrame, x: str = X, y: str = Y, **look: Any) -> None:
    """Points that were given up."""
    from matplotlib.patheffects import withStroke

    edge = [withStroke(linewidth=2.2, foreground="white")]
    axes.scatter(points[x], points[y], **(_CROSS | {"path_effects": edge} | look))


def draw_surface(axes: Axes, surface: pd.DataFrame, shown: str = "loss") -> QuadContourSet:
    """Filled contours of column `shown` on the scale of the true loss, with the optimum region's edge."""
    from matplotlib.colors import LogNorm

    x, y, truth = _grid(surface, "loss")
    low, high = truth.min(), truth.max()
    values = np.clip(_grid(surface, shown)[2], low, high)
    levels, norm = np.geomspace(low, high, 15), LogNorm(low, high)
    contours = axes.contourf(x, y, values, levels=levels, norm=norm, cmap=style.SEQUENTIAL)
    edge = [optimum_loss(surface["loss"])]
    axes.contour(x, y, truth, levels=edge, colors="white", linestyles="--", linewidths=1.0)
    axes.plot([], [], "--", color="grey", lw=1.0, label="optimum region (best tenth)")
    minimum = surface.loc[[surface["loss"].idxmin()]]
    dots(axes, minimum, marker="P", s=42, zorder=4, label="true minimum")
    axes.set(xlim=BOUNDS[X], ylim=BOUNDS[Y])
    return contours


def draw_acquisition(figure: Figure, axes: Axes, surface: pd.DataFrame) -> None:
    """Expected improvement, in greys with its own colour bar."""
    from matplotlib.ticker import MaxNLocator

    contours = axes.contourf(*_grid(surface, "expected_improvement"), levels=12, cmap="Greys")
    bar = figure.colorbar(contours, ax=axes, location="right", ticks=MaxNLocator(4), format="%.2g")
    bar.set_label(r"expected improvement ($\log_{10}$ loss)")
    axes.set(xlim=BOUNDS[X], ylim=BOUNDS[Y], title="acquisition")


def draw_region_edge(axes: Axes, loss: float) -> None:
    """A horizontal line where the optimum region begins, on an axis of losses, which it makes logarithmic."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    axes.axhline(loss, color="grey", lw=0.9, label="edge of the optimum region")
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 3.0, 5.0)))
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())


def finish(
    figure: Figure,
    contours: QuadContourSet,
    panels: list[Axes],
    *,
    bar_at: Axes | None = None,
    beside: Sequence[Axes] = (),
) -> None:
    """Labels, one colour bar and one legend of every label in the figure.

    Args:
        figure: all of it.
        contours: whose scale the colour bar shows.
        panels: those with the surface.
        bar_at: the panel beside which the bar stands; all of them by default.
        beside: panels without a surface, whose labels the legend has too.
    """
    panels[0].set_ylabel(Y_LABEL)
    bar = figure.colorbar(contours, ax=bar_at or panels, location="right", label=LOSS_LABEL)
    low, high = contours.get_clim()
    ticks = [t for t in _LOSS_TICKS if low <= t <= high]
    bar.set_ticks(ticks, labels=[f"{t:g}" for t in ticks])
    handles: dict[str, Any] = {}
    for axes in panels:
        axes.set(xlabel=X_LABEL, xticks=range(-4, 1), yticks=range(-6, 1))
    for axes in (*panels, *beside):
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    n_columns = len(handles) if len(handles) <= 5 else 4
    figure.legend(list(handles.values()), list(handles), loc="outside lower center", ncols=n_columns)


def _grid(surface: pd.DataFrame, column: str) -> tuple[Array, Array, Array]:
    """The axes' values, and a column as a matrix with one row per value of the second axis."""
    x, y = (surface[name].drop_duplicates().to_numpy(dtype=float) for name in AXES)
    values: Array = surface[column].to_numpy(dtype=float).reshape(len(x), len(y)).T
    return x, y, values
