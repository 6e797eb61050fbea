"""Figures 11 and 12 of document 003 and their tables, as numbers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from studies.big_data.kmeans_svm import ripley
from studies.big_data.kmeans_svm.claims import PIMA
from studies.tidy import TIDY, mean_by_seed, provenance, read_printed

OURS, PUBLISHED = "ours", "published"
FIGURE12 = ("test_error", "train_seconds", "n_support")
"""Panels of Figure 12."""
FIGURE12_ROWS = ("rows_touched", "share_left")
MEASURES = (
    "test_error", "train_seconds", "fit_seconds", "predict_seconds", "n_support", "n_reduced", "rows_touched",
    "n_distances", "at_edge",
)  # fmt: skip
"""Of the table of Figure 12."""
BOUNDARY_MEASURES = ("angle_deg", "disagreement", "slope", "n_support", "n_centres")
SHOWN = ("km_svm", "wkm_svm")
"""Panels of Figure 11."""
N_SETS = 25
"""Data sets of which Figure 11 shows the median one."""
_POINTS = ["panel", "kind", "label", "x", "y", "size", "data"]
_CURVES = ["panel", "source", "dataset", "method", "compression", "mean", "low", "high", "least", "greatest",
           "n_seeds", "data"]  # fmt: skip


def published() -> pd.DataFrame:
    """The document's points of Figure 12: measure, method, compression, published."""
    table = read_printed("survey_fig12")
    parts = []
    for measure, suffix in (("test_error", "err"), ("train_seconds", "time"), ("n_support", "sv")):
        for method, prefix in (("km_svm", "km"), ("wkm_svm", "wkm")):
            named = {"measure": measure, "method": method, "compression": table["compression"].astype(float)}
            parts.append(pd.DataFrame({**named, "published": table[f"{prefix}-{suffix}"]}))
    return pd.concat(parts, ignore_index=True)


def summarise_figure11(seed: int) -> pd.DataFrame:
    """Figure 11: centres of both classes and the lines of the full and the reduced SVM, on the median data set.

    Args:
        seed: of the first of `N_SETS` data sets and their clusters, whose seeds follow on each other; the one of
            `median_set` is shown. `runs.boundaries` has the same ones.

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
    for panel in SHOWN:
        svm = ripley.fit(panel, X, y, seed)
        left, own = svm.reduced_, ripley.line_of(svm)
        points = {"kind": "centre", "label": left.y, "x": left.X[:, 0], "y": left.X[:, 1], "size": left.sizes}
        rows = [pd.DataFrame(points)]
        for kind, line in (("full", full), ("reduced", own)):
            for side in (-1, 0, 1):
                shift = side * line.margin / line.normal[1]
                heights = line.intercept + shift + line.slope * ends
                name = f"{kind} margin" if side else kind
                rows.append(pd.DataFrame({"kind": name, "label": side, "x": ends, "y": heights, "size": np.nan}))
        angle = ripley.angle_deg(full, own)
        parts.append(pd.concat(rows).assign(panel=panel, data="generated")[_POINTS].assign(angle_deg=angle))
    return pd.concat(parts, ignore_index=True).assign(seed=seed)


def median_set(angles_deg: ripley.Floats) -> int:
    """The data set that is nearest to the median in the angles of all methods at once.

    Args:
        angles_deg: shape (n_sets, n_methods), the number of sets odd.

    Returns:
        Index of the set whose angle that is farther from its method's median, counted in ranks, is nearest; of
        several the first.
    """
    ranks = pd.DataFrame(angles_deg).rank().to_numpy()
    return int(np.abs(ranks - (len(ranks) + 1) / 2).max(axis=1).argmin())


def _angles_deg(seed: int) -> list[float]:
    """Angles of the methods of `SHOWN` to the full SVM's line on one data set."""
    X, y = ripley.sample(seed)
    full, *reduced = (ripley.line_of(ripley.fit(method, X, y, seed)) for method in ("full", *SHOWN))
    return [ripley.angle_deg(full, line) for line in reduced]


def summarise_boundary_angles(runs: pd.DataFrame) -> pd.DataFrame:
    """Angles to the full SVM's line, sorted, a step per data set; and the two of the document's picture.

    Args:
        runs: of `boundaries`.

    Returns:
        source, method, angle_deg, share (of data sets with no greater an angle; nan for the picture), mean, low,
        high (95 % t-interval of the method's mean), n_seeds (nan for the picture), data.
    """
    means = _means(runs, ["angle_deg"], ["method"]).set_index("method")
    parts = []
    for method, part in runs[runs["method"] != "full"].groupby("method"):
        angles = np.sort(part["angle_deg"].to_numpy(float))
        shares = np.arange(1, len(angles) + 1) / len(angles)
        steps = pd.DataFrame({"source": OURS, "method": method, "angle_deg": angles, "share": shares})
        mean = means.loc[method]
        parts.append(steps.assign(mean=mean["ours"], low=mean["low"], high=mean["high"], n_seeds=len(angles)))
    pictured = {"method": list(SHOWN), "angle_deg": [ripley.pictured_angle_deg(method) for method in SHOWN]}
    parts.append(pd.DataFrame({"source": PUBLISHED, **pictured, "n_seeds": np.nan}))
    return pd.concat(parts, ignore_index=True).assign(data=provenance(runs))


def summarise_figure12(runs: pd.DataFrame) -> pd.DataFrame:
    """Test error, training time and support vectors against R, and the document's, which are of `PIMA` alone.

    Args:
        runs: of `compression`.

    Returns:
        panel (of `FIGURE12`), source, dataset, method, compression, mean, low, high (95 % t-interval over seeds),
        least and greatest (of a seed), n_seeds (nan where published), data.
    """
    ours = _curves(runs, FIGURE12)
    theirs = published().rename(columns={"measure": "panel", "published": "mean"})
    theirs = theirs.assign(source=PUBLISHED, dataset=PIMA, n_seeds=np.nan, data="original")
    return pd.concat([ours, theirs], ignore_index=True)[_CURVES]


def summarise_figure12_rows(runs: pd.DataFrame) -> pd.DataFrame:
    """Rows that SVMs were given, and the share of the training rows left, against R; as `summarise_figure12`.

    Args:
        runs: of `compression`.
    """
    return _curves(runs.assign(share_left=runs["n_reduced"] / runs["n_train"]), FIGURE12_ROWS)


def boundaries_table(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """`BOUNDARY_MEASURES` of every method; keys measure and method, then `tidy.TIDY`.

    Slopes and angles of the picture stand as published; it shows one data set.

    Args:
        runs: of `boundaries`.
        scale: label of the run.
    """
    table = _means(runs, BOUNDARY_MEASURES, ["measure", "method"])
    angles = {method: ripley.pictured_angle_deg(method) for method in SHOWN}
    theirs = {"slope": dict(ripley.PICTURED), "angle_deg": angles}
    pairs = zip(table["measure"], table["method"], strict=True)
    shown = [theirs.get(measure, {}).get(method, np.nan) for measure, method in pairs]
    return _tidy(table.assign(published=shown), ["measure", "method"], scale, BOUNDARY_MEASURES)


def compression_table(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """`MEASURES` of every data set, method and compression; those are its keys, then `tidy.TIDY`.

    Args:
        runs: of `compression`.
        scale: label of the run.
    """
    keys = ["measure", "dataset", "method", "compression"]
    table = _means(runs.assign(at_edge=runs["at_edge"].astype(float)), MEASURES, keys)
    theirs = published().assign(dataset=PIMA)
    return _tidy(table.merge(theirs, on=keys, how="left"), keys, scale, MEASURES)


def _means(runs: pd.DataFrame, measures: list[str] | tuple[str, ...], keys: list[str]) -> pd.DataFrame:
    """Means of measures over seeds, as `mean_by_seed` gives them, without its column of those missing."""
    cells = [key for key in keys if key != "measure"]
    long = runs.melt([*cells, "seed", "data"], list(measures), var_name="measure")
    return mean_by_seed(long, "value", ["measure", *cells]).drop(columns="n_missing")


def _curves(runs: pd.DataFrame, panels: tuple[str, ...]) -> pd.DataFrame:
    keys = ["measure", "dataset", "method", "compression"]
    means = _means(runs, panels, keys)
    long = runs.melt(keys[1:], list(panels), var_name="measure")
    ends = long.groupby(keys)["value"].agg(least="min", greatest="max").reset_index()
    names = {"measure": "panel", "ours": "mean"}
    return means.merge(ends, on=keys).rename(columns=names).assign(source=OURS)[_CURVES]


def _tidy(table: pd.DataFrame, keys: list[str], scale: str, order: tuple[str, ...]) -> pd.DataFrame:
    """Rows in the order of the measures, columns in that of `TIDY`."""
    table = table.assign(published_se=np.nan, published_stars="", stars="", scale=scale)
    places = table["measure"].map(order.index)
    sorted_ = table.assign(place=places).sort_values(["place", *keys[1:]], ignore_index=True)
    return sorted_[[*keys, *TIDY]]


TABLES: dict[str, Callable[[pd.DataFrame, str], pd.DataFrame]] = {
    "boundaries": boundaries_table,
    "compression": compression_table,
}
"""Table name -> how it is made."""
