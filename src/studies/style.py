"""The look that all figures share: sizes, one look per strategy, and how a figure becomes files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, ParamSpec

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from frugal.files import whole
from studies.estimates import NOT_RUN
from studies.methods import METHODS
from studies.records import Look as Look
from studies.tidy import is_stand_in

if TYPE_CHECKING:  # what draws imports matplotlib, so that records of figures are light to import
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.ticker import Formatter, Locator

ONE_COLUMN: Final = (3.5, 2.6)
TWO_COLUMN: Final = (7.2, 3.0)
"""Width and height in inches."""
BEHIND: Final = "#C9CDD2"
"""Of the other methods behind the one that a panel shows."""
SEQUENTIAL: Final = "cividis"
"""Colour map for quantities; its lightness rises evenly, so it survives grey printing."""
N_OF_BAND: Final = 3
"""Seeds from which on an interval is drawn."""

_SETTINGS: Final[Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib, so it is the same everywhere
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "lines.linewidth": 1.4,
    "lines.markersize": 4,
    "hatch.linewidth": 0.6,
    "savefig.dpi": 160,
    "svg.hashsalt": "frugal",
}


P = ParamSpec("P")


LOOKS: Final[Mapping[str, Look]] = {name: method.look for name, method in METHODS.items()}
"""Looks by name of the method. Figures of one document may use other dashes, or grey, for lines that overlap."""


def sequence(n: int) -> list[str]:
    """`n` colours of the sequential map, dark to light, none of them too light on white."""
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    colors = colormaps[SEQUENTIAL](np.linspace(0.0, 0.85, n))
    return [to_hex(color) for color in colors]


def styled(draw: Callable[P, Figure]) -> Callable[P, Figure]:
    """Decorate a drawing function: the shared settings hold inside it, and nowhere else."""

    @wraps(draw)
    def inside(*args: P.args, **kwargs: P.kwargs) -> Figure:
        from matplotlib import rc_context

        with rc_context(_SETTINGS):
            return draw(*args, **kwargs)

    return inside


def new_figure(width: float, height: float) -> Figure:
    """An empty figure whose panels make room for what stands around them; both in inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def mark_data(figure: Figure, data: Iterable[object], *, below: bool = False) -> None:
    """Say in the figure's corner which of the data it was drawn from are not the original ones, if any.

    `below`: whether the figure's legend stands below it; the words then stand above the legend.
    """
    listed = list(data)
    is_jpeg = any("jpeg" in str(part).split("/") for part in listed)
    end = "\n\n" if below else ""
    if any(is_stand_in(part) for part in listed):
        text = "† stand-in data: the real dataset was out of reach" + ("; CIFAR-10 as JPEG" if is_jpeg else "")
        figure.supxlabel(text + end, x=0.99, ha="right", fontsize=7, fontweight="bold", color="#B00020")
    elif is_jpeg:
        text = "CIFAR-10: a copy whose pictures were compressed as JPEG"
        figure.supxlabel(text + end, x=0.99, ha="right", fontsize=7, color="#555555")


def figure_not_run(width: float, height: float) -> Figure:
    """A figure that says why it is empty; width and height in inches."""
    figure = new_figure(width, height)
    say_not_run(figure.subplots())
    return figure


def say_not_run(axes: Axes) -> None:
    """An empty panel that says why it is empty."""
    axes.text(0.5, 0.5, NOT_RUN, transform=axes.transAxes, ha="center", va="center", fontsize=9)
    axes.set(xticks=[], yticks=[])


def band(
    axes: Axes,
    line: pd.DataFrame,
    color: str,
    *,
    x: str = "x",
    step: Literal["post"] | None = None,
    alpha: float = 0.15,
    rasterized: bool = False,
) -> None:
    """The interval around a line, where it is of three seeds or more: that of two would fill the panel.

    `step` is that of the line. Where there are many points, `rasterized` lets an SVG hold pixels instead
    of paths.
    """
    is_enough = line["n_seeds"] >= N_OF_BAND
    if is_enough.any():
        axes.fill_between(
            line[x],
            line["low"],
            line["high"],
            where=is_enough,
            step=step,
            color=color,
            alpha=alpha,
            linewidth=0,
            rasterized=rasterized,
        )


def log_axis(axis: Axis, low: float, high: float, *, base: int = 10, formatter: Formatter | None = None) -> None:
    """Scale an axis logarithmically, with a few plain numbers beside its ticks, whatever its range.

    Numbers are plain below 20,000 and powers above, unless there is a `formatter`.
    """
    from matplotlib.ticker import (
        LogFormatterSciNotation,
        LogLocator,
        MaxNLocator,
        NullFormatter,
        StrMethodFormatter,
    )

    name = "x" if axis is axis.axes.xaxis else "y"
    axis.axes.set(**{f"{name}lim": (low, high)})
    getattr(axis.axes, f"set_{name}scale")("log", base=base)
    ratio = high / low
    locator: Locator = MaxNLocator(5, steps=[1, 2, 5, 10])  # round digits are few below a factor of two
    if ratio > 2 or base == 2:
        many = (1, 1.5, 2, 2.5, 3, 4, 6) if name == "y" else (1, 2, 3, 5)  # side by side they would overlap
        digits: dict[int, Sequence[float]] = {300: (1,), 30: (1, 3), 10: (1, 2, 5), 4: (1, 2, 3, 5), 2: many}
        subs = next((ticks for least, ticks in digits.items() if ratio > least), (1,))
        locator = LogLocator(base, subs=(1,) if base == 2 else subs)
    axis.set_major_locator(locator)
    powers = LogFormatterSciNotation(base, minor_thresholds=(np.inf, np.inf))  # a label at every tick
    axis.set_major_formatter(formatter or (StrMethodFormatter("{x:g}") if high < 2e4 else powers))
    axis.set_minor_formatter(NullFormatter())


def root(values: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Square roots, those of negative numbers 0."""
    return np.asarray(np.sqrt(np.maximum(values, 0.0)))


def root_axis(axes: Axes, top: float) -> None:
    """Scale y from 0 to `top` by square roots: the scale has a zero, and tells small values apart."""
    axes.set_yscale("function", functions=(root, np.square))
    axes.set_ylim(0, top)


def legend(
    figure: Figure, axes: Iterable[Axes], *, n_columns: int, below: bool = False, title: str | None = None
) -> None:
    """One legend for several panels, above or below them, each label once."""
    found: dict[str, Artist] = {}
    for axis in axes:
        handles, labels = axis.get_legend_handles_labels()
        found |= dict(zip(labels, handles, strict=True))
    loc: Final = "outside lower center" if below else "outside upper center"
    figure.legend(list(found.values()), list(found), loc=loc, ncols=n_columns, title=title)


def save(figure: Figure, path_png: str | Path, path_svg: str | Path) -> None:
    """Write a figure as PNG and SVG, both or none; the same figure gives the same bytes."""
    from matplotlib import rc_context

    from studies.svg import smaller

    png, svg = BytesIO(), BytesIO()
    with rc_context(_SETTINGS):
        figure.savefig(png, format="png", metadata={"Software": None})
        figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
    with whole(path_png) as part, whole(path_svg) as other:
        part.write_bytes(png.getvalue())
        other.write_text(smaller(svg.getvalue().decode()), encoding="utf-8")
