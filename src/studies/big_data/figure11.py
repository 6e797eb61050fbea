"""Figure 11 of document 003: lines of linear SVMs on cluster centres and on all rows, on one data set."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pandas as pd

from studies import plotters, style
from studies.big_data import ripley
from studies.big_data.boundaries import LOOKS, PICTURED
from studies.estimates import Array
from studies.records import Artefact

N_SETS: Final = 25
"""Data sets of which the median one is shown."""
_POINTS: Final = ["panel", "kind", "label", "x", "y", "size", "data"]
_DARK: Final = "#4A4F55"


def summarise(seed: int) -> pd.DataFrame:
    """Centres of both classes and the lines of the full and the reduced SVM, on the median data set.

    Args:
        seed: of the first of `N_SETS` data sets and their clusters, whose seeds follow on each other; the one of
            `median_set` is shown. `boundaries.run` has the same ones.

    Returns:
        A row per centre (kind `centre`, label 0 or 1, size: rows of its cluster) and two per line (kind `full`,
        `reduced`, `full margin`, `reduced margin`, its ends; label: 0, or the margin's side), by panel, which is
        the method; angle_deg between the two lines; seed of the data set that is shown.
    """
    seeds = range(seed, seed + N_SETS)
    seed = seeds[median_set(np.array([_angles_deg(one) for one in seeds]))]
    X, y = ripley.sample(seed)
    ends = np.array([X[:, 0].min() - 0.1, X[:, 0].max() + 0.1])
    full = ripley.line_of(ripley.fit("full", X, y, seed))
    parts = []
    for panel in PICTURED:
        svm = ripley.fit(panel, X, y, seed)
        left, reduced = svm.reduced_, ripley.line_of(svm)
        points = {"kind": "centre", "label": left.y, "x": left.X[:, 0], "y": left.X[:, 1], "size": left.sizes}
        rows = [pd.DataFrame(points)]
        for kind, line in (("full", full), ("reduced", reduced)):
            for side in (-1, 0, 1):
                shift = side * line.margin / line.normal[1]
                heights = line.intercept + shift + line.slope * ends
                name = f"{kind} margin" if side else kind
                rows.append(pd.DataFrame({"kind": name, "label": side, "x": ends, "y": heights, "size": np.nan}))
        angle = ripley.angle_deg(full, reduced)
        parts.append(pd.concat(rows).assign(panel=panel, data="generated")[_POINTS].assign(angle_deg=angle))
    return pd.concat(parts, ignore_index=True).assign(seed=seed)


def median_set(angles_deg: Array) -> int:
    """The data set that is nearest to the median in the angles of all methods at once.

    Args:
        angles_deg: shape (n_sets, n_methods), the number of sets odd.

    Returns:
        Index of the nearest set; of several the first. The distance of a set is counted in ranks: it is the
        distance of its angle that is farthest from the median of the method's angles.
    """
    ranks = pd.DataFrame(angles_deg).rank().to_numpy()
    return int(np.abs(ranks - (len(ranks) + 1) / 2).max(axis=1).argmin())


def _angles_deg(seed: int) -> list[float]:
    """Angles of the methods of `PICTURED` to the full SVM's line on one data set."""
    X, y = ripley.sample(seed)
    full, *reduced = (ripley.line_of(ripley.fit(method, X, y, seed)) for method in ("full", *PICTURED))
    return [ripley.angle_deg(full, line) for line in reduced]


@style.styled
def draw(table: pd.DataFrame) -> plotters.Figure:
    """A panel per method: centres open and filled, the full SVM's line thick, the reduced one's thin."""
    figure, panels = plotters.row(table, "panel", PICTURED, size=(7.2, 3.1), sharex=True, sharey=True)
    for letter, (axis, part, method) in zip("ab", panels, strict=True):
        centres = part[part["kind"] == "centre"]
        for label, face in ((0, "none"), (1, _DARK)):
            of_class = centres[centres["label"] == label]
            look: Any = {"s": 22, "facecolors": face, "edgecolors": _DARK, "linewidths": 0.8, "zorder": 2}
            axis.scatter(of_class["x"], of_class["y"], label=f"centres of class {label}", **look)
        if method == "wkm_svm":
            for row in centres.to_dict("records"):
                plotters.note(axis, f"{row['size']:.0f}", (row["x"], row["y"]), (3, 3), fontsize=6)
        _draw_lines(axis, part, method)
        angle = part["angle_deg"].iloc[0]
        axis.set(title=f"({letter}) {LOOKS[method].label}: {angle:.1f}° from the full SVM", xlabel="x₁")
        axis.set_ylim(centres["y"].min() - 0.2, centres["y"].max() + 0.2)
        axis.set_aspect("equal", adjustable="box")
    figure.axes[0].set_ylabel("x₂")
    return plotters.finish(figure, table, 6)


def _draw_lines(axis: plotters.Axes, part: pd.DataFrame, method: str) -> None:
    for kind, look, width in (("full", LOOKS["full"], 2.6), ("reduced", LOOKS[method], 1.2)):
        line = part[part["kind"] == kind]
        axis.plot(line["x"], line["y"], color=look.color, linewidth=width, zorder=3, label=look.label)
        for number, side in enumerate((-1, 1)):
            edge = part[(part["kind"] == f"{kind} margin") & (part["label"] == side)]
            label = "margins" if kind == "full" and number == 0 else None
            axis.plot(edge["x"], edge["y"], color=look.color, linewidth=0.35 * width, linestyle="--", label=label)


FIGURE11: Final = Artefact(
    "figure11",
    (),
    summarise,
    """Figure 11 of document 003: boundaries of linear SVMs on cluster centres (thin) and on all rows (thick),
    margins dashed. (a) KM-SVM, (b) WKM-SVM with the size of every cluster; centres of class 0 open, of class 1
    filled. One simulated data set of Ripley's problem, 125 rows per class, R = 5, C = 1. How far the lines are
    apart differs much between data sets (see boundary_angles), so the median one of 25 is shown: the one whose two
    angles are nearest to the medians of all 25, counted in ranks. Their seeds are {{ figure_seed }} to
    {{ figure_seed + 24 }}, and the CSV beside the picture names the one shown. The document's picture shows a data
    set that we do not have.""",
    draw,
)
