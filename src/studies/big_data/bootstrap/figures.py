"""Pictures of section 3.1 of document 003: its Figures 6 and 7, the latter also against rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatterSciNotation, LogLocator, NullFormatter

from studies import style
from studies.big_data.bootstrap.flow import draw_steps, summarise_steps
from studies.big_data.bootstrap.summaries import OURS, PUBLISHED, summarise_figure7
from studies.drawn import Drawn
from studies.style import Look

GAMMAS: dict[float, Look] = {
    0.5: Look("#D9A520", "$b = n^{0.5}$", "o", "-", ""),
    0.6: Look("#4580EB", "$b = n^{0.6}$", "s", "--", "//"),
    0.7: Look("#8C2D62", "$b = n^{0.7}$", "D", "-.", "\\\\"),
    0.8: Look("#2F6756", "$b = n^{0.8}$", "^", (0, (5, 1)), ".."),
    0.9: Look("#00318F", "$b = n^{0.9}$", "v", (0, (3, 1, 1, 1)), "xx"),
}
"""One look per size of the subsamples."""
BOOT = Look("#000000", "BOOT", "P", "-", "")
_THEIRS = "#9A9A9A"
_LEAST = 0.02
"""Error at the foot of the panels."""
_TITLES = {"blb": "BLB and BOOT", "b_of_n": "BOFN and BOOT", "workers": "worker processes"}
_AXES = {"seconds": "Time (s)", "rows_touched": "Rows touched"}


@style.styled
def draw_figure7(table: pd.DataFrame, *, x: str = "seconds") -> Figure:
    """Error against what was spent: BLB, BOFN, and with workers; bars at their ends are 95 % intervals over seeds.

    Args:
        table: of `summarise_figure7`.
        x: `seconds`, with the document's curves, or `rows_touched`, which it does not give.
    """
    figure = Figure(figsize=(7.2, 3.5), layout="constrained")
    panels = dict(zip(_TITLES, figure.subplots(1, 3, sharey=True), strict=True))
    serial, parallel = (table[table["experiment"] == name] for name in ("intervals", "interval_workers"))
    for method in ("blb", "b_of_n"):
        _paths(panels[method], serial[serial["method"].isin([method, "bootstrap"])], x)
    _workers(panels["workers"], parallel, x)
    for name, axes in panels.items():
        axes.set(title=_TITLES[name])
        if axes.has_data():
            axes.set(xscale="log", yscale="log", xlabel=_AXES[x], ylim=(_LEAST, 1.3))
            axes.set_yticks([0.03, 0.1, 0.3, 1.0], ["0.03", "0.1", "0.3", "1"])
            axes.set_yticks([], minor=True)
            low, high = axes.get_xlim()
            axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 3.0) if high / low < 40 else (1.0,)))
            axes.xaxis.set_major_formatter(LogFormatterSciNotation(labelOnlyBase=False))
            axes.xaxis.set_minor_formatter(NullFormatter())
            axes.grid(alpha=0.3)
    panels["blb"].set(ylabel="Relative error of interval widths")
    handles = {text: handle for axes in panels.values() for handle, text in zip(*axes.get_legend_handles_labels(),
                                                                              strict=True)}  # fmt: skip
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=5)
    style.mark_stand_in(figure, table["data"])
    return figure


def _paths(axes: Axes, table: pd.DataFrame, x: str) -> None:
    if not (table["source"] == OURS).any():
        style.say_not_run(axes)
        return
    for (source, method, gamma), line in table.groupby(["source", "method", "gamma"], sort=False):
        look = BOOT if method == "bootstrap" else GAMMAS[float(str(gamma))]
        if source == PUBLISHED:
            _published(axes, line, x, look)
        else:
            _ours(axes, line, x, look)


def _workers(axes: Axes, table: pd.DataFrame, x: str) -> None:
    ours = table[table["source"] == OURS]
    if ours.empty:
        style.say_not_run(axes)
        return
    counts = sorted(ours["n_workers"].unique())
    if x == "rows_touched":  # the same rows for any number of workers
        ours, counts = ours[ours["n_workers"] == counts[-1]], counts[-1:]
    linestyles = ("-", ":", "--", "-.")
    for i, n_workers in enumerate(counts[::-1]):
        linestyle = linestyles[i % len(linestyles)]
        word = f"{n_workers:g} worker{'s' if n_workers > 1 else ''}"
        word = "any number of workers" if x == "rows_touched" else word
        part = ours[ours["n_workers"] == n_workers]
        boot, blb = (part[part["method"] == method] for method in ("bootstrap", "blb"))
        look = Look(BOOT.color, f"BOOT, {word}", BOOT.marker, linestyle, "")
        _ours(axes, boot, x, look, hollow=i > 0)
        one = GAMMAS[float(blb["gamma"].iloc[0])]
        look = Look(one.color, f"BLB {one.label}, {word}", one.marker, linestyle, "")
        _ours(axes, blb, x, look, hollow=i > 0)
    for method, line in table[table["source"] == PUBLISHED].groupby("method", sort=False):
        _published(axes, line, x, BOOT if method == "bootstrap" else GAMMAS[0.7])


def _ours(axes: Axes, line: pd.DataFrame, x: str, look: Look, *, hollow: bool = False) -> None:
    """A curve of means, and at its end the interval."""
    line = line.sort_values("n_finished")
    every, face = max(1, len(line) // 6), "none" if hollow else look.color
    axes.plot(line[x], line["mean"], color=look.color, linestyle=look.linestyle, marker=look.marker,
              markevery=every, mfc=face, label=look.label)  # fmt: skip
    end = line.iloc[-1]
    below, above = end["mean"] - max(end["low"], _LEAST / 2), end["high"] - end["mean"]  # what a log axis can show
    axes.errorbar([end[x]], [end["mean"]], yerr=[[max(below, 0.0)], [max(above, 0.0)]], color=look.color,
                  marker=look.marker, mfc=face, capsize=2, linewidth=0.9)  # fmt: skip


def _published(axes: Axes, line: pd.DataFrame, x: str, look: Look) -> None:
    if x != "seconds":
        return
    line = line.sort_values(x)
    kept = np.unique(np.geomspace(1, len(line), 12).round().astype(int)) - 1
    axes.plot(line[x], line["mean"], color=_THEIRS, linewidth=0.7, linestyle=look.linestyle, zorder=1)
    axes.plot(line[x].iloc[kept], line["mean"].iloc[kept], color=_THEIRS, marker=look.marker, markersize=3.5,
              mfc="none", markeredgewidth=0.7, linestyle="none", label="published (grey, same marker)",
              zorder=1)  # fmt: skip


_by_rows: Callable[[pd.DataFrame], Figure] = partial(draw_figure7, x="rows_touched")

FIGURES: dict[str, Drawn] = {
    "figure6": Drawn(summarise_steps, draw_steps),
    "figure7": Drawn(summarise_figure7, draw_figure7),
    "figure7_rows": Drawn(summarise_figure7, _by_rows),
}
"""Figure name -> its numbers and its picture; figure6 takes a seed, the others runs of both experiments."""
