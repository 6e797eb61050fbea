"""K-fold cross-validation of one model, as Figure 1 of document 000 and Figure 8 of document 001 explain it."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from studies import plotters, style

N_FOLDS: Final = 5
_TRAIN, _VALIDATION = "#DCE9FA", "#00318F"


def summarise(seed: int) -> pd.DataFrame:
    """Five-fold cross-validation of one decision tree on wdbc.

    The seed decides the folds and the random state of the tree.

    Returns:
        One row per iteration and row of the data: iteration (from 1), row, part (train or validation),
        accuracy (of the iteration), mean_accuracy (theta in document 001).
    """
    from frugal import datasets, folds
    from frugal.interface import FoldTask

    splits = folds.Folds(datasets.load("wdbc"), N_FOLDS, seed)
    evaluate = folds.Live(splits, "decision_tree", [{}])
    parts = []
    for fold, (train, _) in enumerate(splits.parts):
        rows = np.arange(len(splits.dataset.y))
        part = np.where(np.isin(rows, train), "train", "validation")
        accuracy = evaluate(FoldTask(0, fold)).score
        parts.append(pd.DataFrame({"iteration": fold + 1, "row": rows, "part": part, "accuracy": accuracy}))
    mean = float(np.mean([part["accuracy"].iloc[0] for part in parts]))
    return pd.concat(parts, ignore_index=True).assign(mean_accuracy=mean)


@style.styled
def draw(table: pd.DataFrame) -> plotters.Figure:
    """Parts of each iteration, by fold and by row of the data, and the accuracy of each iteration."""
    figure = style.new_figure(*style.TWO_COLUMN)
    left, middle, right = figure.subplots(1, 3, sharey=True, width_ratios=[1.1, 1.5, 0.8])
    is_validation = (table["part"] == "validation").to_numpy().reshape(N_FOLDS, -1)
    _draw_fold_blocks(left, is_validation.sum(axis=1))
    _draw_row_stripes(middle, is_validation)
    _draw_accuracies(right, table.drop_duplicates("iteration"))
    for color, label in ((_TRAIN, "training part"), (_VALIDATION, "validation part")):
        left.plot([], [], "s", color=color, mec="black", ms=7, label=label)
    figure.legend(loc="outside lower center", ncols=4)
    return figure


def _draw_fold_blocks(axes: plotters.Axes, n_validation: NDArray[np.int64]) -> None:
    """One row per iteration, one block per fold, dark for its `n_validation` rows, shape (n_folds,)."""
    numbers = range(1, N_FOLDS + 1)
    for iteration, n_rows in zip(numbers, n_validation, strict=True):
        colors = [_VALIDATION if fold == iteration else _TRAIN for fold in numbers]
        axes.barh(iteration, 1, left=np.arange(0.5, N_FOLDS), height=0.8, color=colors, edgecolor="white")
        look: dict[str, Any] = {"color": "white", "ha": "center", "va": "center", "fontsize": 6}
        axes.text(iteration, iteration, f"{n_rows}\nrows", **look)
    axes.set(xlabel="fold", ylabel="iteration", title="parts, by fold", xticks=numbers, yticks=numbers)


def _draw_row_stripes(axes: plotters.Axes, is_validation: NDArray[np.bool_]) -> None:
    """One stripe per iteration; `is_validation` has shape (n_folds, n_rows)."""
    from matplotlib.colors import ListedColormap

    n_rows, colors = is_validation.shape[1], ListedColormap([_TRAIN, _VALIDATION])
    for iteration, stripe in enumerate(is_validation, start=1):
        extent = (0.0, float(n_rows), iteration + 0.4, iteration - 0.4)
        axes.imshow(stripe[None, :], colors, extent=extent, aspect="auto", interpolation="nearest")
    axes.set(xlim=(0, n_rows), ylim=(N_FOLDS + 0.5, 0.5))
    axes.set(xlabel="row of the data", title="the same parts, by row")


def _draw_accuracies(axes: plotters.Axes, iterations: pd.DataFrame) -> None:
    """A dot per iteration, and their mean."""
    mean = float(iterations["mean_accuracy"].iloc[0])
    axes.axvline(mean, color="black", ls="--", lw=1.0, label=rf"mean $\theta$ = {mean:.4f}", zorder=1)
    points = iterations[["accuracy", "iteration"]].to_numpy(dtype=float)
    axes.plot(*points.T, "o", color=_VALIDATION, label=r"accuracy $\theta_i$")
    for accuracy, iteration in points:
        box = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
        look: dict[str, Any] = {"ha": "center", "va": "bottom", "fontsize": 7, "bbox": box}
        axes.text(accuracy, iteration - 0.15, f"{accuracy:.3f}", **look)
    axes.margins(x=0.25)
    axes.set(xlabel="validation accuracy", title="scores")
