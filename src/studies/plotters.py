"""What most figures are made of: panels, lines with bands, bars with intervals, boxes, and one legend for all.

Figures call these inside `style.styled`. Tables hold a line's points as `x`, mean, low, high and n_seeds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from studies import style
from studies.records import Look

if TYPE_CHECKING:  # modules that hold records are light to import, and draw with `plotters.Axes`
    from matplotlib.axes import Axes as Axes
    from matplotlib.figure import Figure as Figure

Size = tuple[float, float]
Every = Callable[[int, int], Any]
"""matplotlib's `markevery`, from the place of a line among the others and its number of points."""


def note(axis: Axes, text: str, at: tuple[float, float], shift: tuple[float, float], **look: Any) -> None:
    """A text beside a point in the data's coordinates, offset by `shift` typographic points."""
    axis.annotate(text, at, xytext=shift, textcoords="offset points", **look)


def row(
    table: pd.DataFrame,
    by: str,
    values: Iterable[Any] | None = None,
    *,
    size: Size,
    n_rows: int = 1,
    **shared: Any,
) -> tuple[Figure, list[tuple[Axes, pd.DataFrame, Any]]]:
    """A figure with a panel for each value of a column, in a row.

    Panels come in the order of `values`, or as the values come in the table, and are spread over `n_rows`
    rows; `size` is width and height in inches, `shared` is for `Figure.subplots`. A panel without rows
    says that it was not run.

    Returns:
        The figure, and of each panel that has rows the axes, these rows, and the value.
    """
    listed = list(dict.fromkeys(table[by])) if values is None else list(values)
    figure = style.new_figure(*size)
    axes = figure.subplots(n_rows, -(-len(listed) // n_rows), squeeze=False, **shared).flat
    found = [(axis, table[table[by] == value], value) for axis, value in zip(axes, listed, strict=True)]
    for axis, part, _ in found:
        if part.empty:
            style.say_not_run(axis)
    return figure, [panel for panel in found if len(panel[1])]


def grid(
    table: pd.DataFrame,
    down: str,
    across: str,
    values: Iterable[Any] = (),
    *,
    size: Callable[[int], Size],
    **shared: Any,
) -> tuple[Figure, list[tuple[Axes, pd.DataFrame, Any, Any]]]:
    """A figure with a row of panels for each value of a column, and in it one for each value of another.

    Values come as in the table, unless `values` lists those across; `size` gives width and height in
    inches from the number of rows; `shared` is for `Figure.subplots`.

    Returns:
        The figure, and of each panel the axes, its rows of the table, and the two values.
    """
    rows, columns = list(dict.fromkeys(table[down])), list(values) or list(dict.fromkeys(table[across]))
    figure = style.new_figure(*size(len(rows)))
    axes = figure.subplots(len(rows), len(columns), squeeze=False, **shared)
    return figure, [
        (axes[i, j], table[(table[down] == first) & (table[across] == second)], first, second)
        for i, first in enumerate(rows)
        for j, second in enumerate(columns)
    ]


def label_edges(figure: Figure, x: str = "", y: str = "") -> None:
    """Label the x axes of the lowest panels and the y axes of the leftmost ones."""
    for axis in figure.axes:
        place = axis.get_subplotspec()
        if x and place is not None and place.is_last_row():
            axis.set_xlabel(x)
        if y and place is not None and place.is_first_col():
            axis.set_ylabel(y)


def finish(
    figure: Figure,
    table: pd.DataFrame,
    n_columns: int,
    *,
    panels: Sequence[Axes] | None = None,
    below: bool = False,
    title: str | None = None,
) -> Figure:
    """The figure with a legend of its panels, and with a mark where the data are not the original ones.

    The legend has the labels of `panels`, or of all, and `title` above them.
    """
    style.legend(figure, figure.axes if panels is None else panels, n_columns=n_columns, below=below, title=title)
    if "data" in table:
        style.mark_data(figure, table["data"], below=below)
    return figure


def each(
    table: pd.DataFrame, looks: Mapping[str, Look], by: str, order: Iterable[str] | None
) -> Iterable[tuple[Look, pd.DataFrame]]:
    """Look and rows of each method: in the order given, or as they come in the table."""
    for name in dict.fromkeys(table[by]) if order is None else order:
        line = table[table[by] == name]
        if len(line):
            yield looks[str(name)], line


def lines(
    axis: Axes,
    table: pd.DataFrame,
    looks: Mapping[str, Look],
    *,
    x: str = "x",
    by: str = "method",
    order: Iterable[str] | None = None,
    every: Every | None = None,
    band: float = 0.2,
    is_step: bool = False,
    **kwargs: Any,
) -> None:
    """The mean of each method as a line, the interval around it as a band.

    Args:
        axis: which to draw on.
        table: numbers of one panel.
        looks: of the methods.
        x: column of the horizontal axis.
        by: column of the methods.
        order: of the methods; None: as they come. Those without rows are passed over.
        every: which points have a marker; None: all, or none if `marker=""` is among `kwargs`.
        band: opacity of the bands; 0: none.
        is_step: whether a line is a step function.
        **kwargs: for matplotlib's `plot`, over what the look says.
    """
    for place, (look, line) in enumerate(each(table, looks, by, order)):
        drawn: dict[str, Any] = {"color": look.color, "linestyle": look.linestyle, "label": look.label}
        drawn |= {"marker": look.marker, "markevery": every(place, len(line)) if every else None}
        drawn |= {"drawstyle": "steps-post" if is_step else "default"}
        axis.plot(line[x], line["mean"], **drawn | kwargs)
        if band:
            style.band(axis, line, look.color, x=x, step="post" if is_step else None, alpha=band)
    axis.grid(alpha=0.3)


def bars(axis: Axes, table: pd.DataFrame, looks: Mapping[str, Look], *, x: str, **kwargs: Any) -> None:
    """The means of each method as points that a line joins, with their intervals as bars.

    Methods come as in the table; `kwargs` are put over what their looks say.
    """
    for look, line in each(table, looks, "method", None):
        drawn: dict[str, Any] = {"color": look.color, "marker": look.marker, "linestyle": look.linestyle}
        drawn |= {"label": look.label, "capsize": 2, "elinewidth": 0.8}
        axis.errorbar(line[x], line["mean"], yerr=spread(line), **drawn | kwargs)
    axis.grid(alpha=0.3)


def spread(line: pd.DataFrame, mean: str = "mean") -> NDArray[np.float64]:
    """How far the intervals reach below and above the means, (2, n); 0 where there is none."""
    reach = np.vstack([line[mean] - line["low"], line["high"] - line[mean]])
    return np.asarray(np.maximum(np.nan_to_num(reach.astype(float)), 0.0))  # equal numbers: off by a rounding


def log_ticks(axis: Axes, ticks: Iterable[float], text: str = "{:g}", **kwargs: Any) -> None:
    """Scale x logarithmically, with ticks at these numbers alone."""
    axis.set_xscale("log")
    listed = list(ticks)
    axis.set_xticks(listed, [text.format(tick) for tick in listed], **kwargs)
    axis.minorticks_off()


def box(
    axis: Axes,
    middle: Size,
    half: Size,
    text: str,
    color: str,
    *,
    rounding: str,
    fontsize: float = 7,
    linewidth: float = 0.8,
) -> None:
    """A rounded box with a text in it; `half` is half of its width and height."""
    from matplotlib.patches import FancyBboxPatch

    corner = (middle[0] - half[0], middle[1] - half[1])
    look: dict[str, Any] = {"boxstyle": f"round,{rounding}", "fc": color, "ec": "#555555", "lw": linewidth}
    axis.add_patch(FancyBboxPatch(corner, 2 * half[0], 2 * half[1], **look))
    axis.text(*middle, text, ha="center", va="center", fontsize=fontsize)


def arrows(axis: Axes, steps: Iterable[tuple[Size, Size]], **kwargs: Any) -> None:
    """Arrows from places to places; `kwargs` are put over their look."""
    look = {"arrowstyle": "-|>", "color": "#555555", "linewidth": 0.8}
    for start, end in steps:
        axis.annotate("", end, start, arrowprops=look | kwargs)
