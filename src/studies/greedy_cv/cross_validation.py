"""Figures 8 to 10 of document 001: k-fold cross-validation, and selection among candidates by it.

Figure 8 is one real cross-validation; figures 9 and 10 replay strategies on real scores, stopped half-way.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from numpy.typing import NDArray

from frugal.interface import FoldTask
from frugal.seeds import rng_for
from studies import style

N_FOLDS = 5
N_CANDIDATES = 12
BUDGET = 33
"""Of 12 x 5 = 60 fold evaluations: the searches of figures 9 and 10 are stopped about half-way."""
CLASSIFIER = "knn"
_TRAIN, _VALIDATION, _EMPTY = "#DCE9FA", "#00318F", "#F4F4F4"


def summarise_k_fold(seed: int, *, root: str | Path = "data") -> pd.DataFrame:
    """Five-fold cross-validation of one decision tree on wdbc.

    Args:
        seed: decides the folds and the tree's random state.
        root: the data folder.

    Returns:
        One row per iteration and row of the data: iteration (from 1), row, part (train or validation),
        accuracy (of the iteration), mean_accuracy (the document's theta).
    """
    from frugal import datasets, folds

    where = folds.Folds(datasets.load("wdbc", root=root), N_FOLDS, seed)
    evaluate = folds.Live(where, "decision_tree", [{}])
    parts = []
    for fold, (train, _) in enumerate(where.parts):
        rows = np.arange(len(where.dataset.y))
        part = np.where(np.isin(rows, train), "train", "validation")
        accuracy = evaluate(FoldTask(0, fold)).score
        parts.append(pd.DataFrame({"iteration": fold + 1, "row": rows, "part": part, "accuracy": accuracy}))
    mean = float(np.mean([part["accuracy"].iloc[0] for part in parts]))
    return pd.concat(parts, ignore_index=True).assign(mean_accuracy=mean)


def summarise_standard(seed: int) -> pd.DataFrame:
    """Progress of standard k-fold selection when its budget is spent; columns as `progress`."""
    return progress("standard", seed)


def summarise_greedy(seed: int) -> pd.DataFrame:
    """Progress of greedy k-fold selection when its budget is spent; columns as `progress`."""
    return progress("greedy", seed)


def progress(strategy: str, seed: int, *, budget: int = BUDGET, root: str | Path = "data") -> pd.DataFrame:
    """A strategy replayed on the scores of nearest-neighbour candidates on wdbc.

    Args:
        strategy: of the folds family, with a setting `budget`.
        seed: decides the folds and which distinct candidates of the grid are drawn.
        budget: fold evaluations.
        root: the data folder.

    Returns:
        One row per candidate and fold (both from 1): step (at which it was evaluated), score and mean_so_far
        (of the candidate's evaluated folds), all three missing where it was not reached; label (the
        hyperparameters), complete (the candidate), chosen (what the search returns), budget.
    """
    from frugal import datasets, folds, learners

    grid = learners.space("grid", CLASSIFIER).grid()
    drawn = rng_for("progress_candidates", seed).choice(len(grid), N_CANDIDATES, replace=False)
    candidates = [grid[i] for i in drawn]
    dataset = datasets.load("wdbc", root=root)
    scores = folds.score(dataset, CLASSIFIER, candidates, n_folds=N_FOLDS, seed=seed)
    made = folds.make(
        strategy, n_candidates=N_CANDIDATES, n_folds=N_FOLDS, rng=rng_for(strategy, seed), budget=budget
    )
    trace = folds.replay(made, scores)
    table = _cells(trace.tasks, trace.scores)
    labels = [f"{c['n_neighbors']} nearest, {c['weights']}" for c in candidates]
    table["label"] = [labels[i - 1] for i in table["candidate"]]
    table["chosen"] = table["candidate"] == (-1 if trace.chosen is None else trace.chosen + 1)
    return table.assign(budget=budget)


def _cells(tasks: list[FoldTask], scores: NDArray[np.float64]) -> pd.DataFrame:
    """The grid of candidates and folds with step, score, mean_so_far and complete filled in."""
    done = pd.DataFrame(
        {
            "candidate": [task.candidate + 1 for task in tasks],
            "fold": [task.fold + 1 for task in tasks],
            "step": np.arange(1, len(tasks) + 1),
            "score": scores,
        }
    )
    of_candidate = done.groupby("candidate")["score"]
    done["mean_so_far"] = of_candidate.transform("mean")
    index = pd.MultiIndex.from_product(
        [range(1, N_CANDIDATES + 1), range(1, N_FOLDS + 1)], names=["candidate", "fold"]
    )
    table = done.set_index(["candidate", "fold"]).reindex(index).reset_index()
    table["complete"] = table.groupby("candidate")["step"].transform("count") == N_FOLDS
    return table.astype({"step": "Int64"})


@style.styled
def draw_k_fold(table: pd.DataFrame) -> Figure:
    """Parts of each iteration, by fold and by row of the data, and the accuracy of each iteration."""
    figure = Figure(figsize=style.TWO_COLUMN, layout="constrained")
    left, middle, right = figure.subplots(1, 3, sharey=True, width_ratios=[1.1, 1.5, 0.8])
    is_validation = (table["part"] == "validation").to_numpy().reshape(N_FOLDS, -1)
    _draw_fold_blocks(left, is_validation.sum(axis=1))
    _draw_row_stripes(middle, is_validation)
    _draw_accuracies(right, table.drop_duplicates("iteration"))
    for color, label in ((_TRAIN, "training part"), (_VALIDATION, "validation part")):
        left.plot([], [], "s", color=color, mec="black", ms=7, label=label)
    figure.legend(loc="outside lower center", ncols=4)
    return figure


def _draw_fold_blocks(axes: Axes, n_validation: NDArray[np.int64]) -> None:
    """One row per iteration, one block per fold, dark for its `n_validation` rows, shape (n_folds,)."""
    numbers = range(1, N_FOLDS + 1)
    for iteration, n_rows in zip(numbers, n_validation, strict=True):
        colors = [_VALIDATION if fold == iteration else _TRAIN for fold in numbers]
        axes.barh(iteration, 1, left=np.arange(0.5, N_FOLDS), height=0.8, color=colors, edgecolor="white")
        look: dict[str, Any] = {"color": "white", "ha": "center", "va": "center", "fontsize": 6}
        axes.text(iteration, iteration, f"{n_rows}\nrows", **look)
    axes.set(xlabel="fold", ylabel="iteration", title="parts, by fold", xticks=numbers, yticks=numbers)


def _draw_row_stripes(axes: Axes, is_validation: NDArray[np.bool_]) -> None:
    """One stripe per iteration; `is_validation` has shape (n_folds, n_rows)."""
    n_rows, colors = is_validation.shape[1], ListedColormap([_TRAIN, _VALIDATION])
    for iteration, stripe in enumerate(is_validation, start=1):
        extent = (0.0, float(n_rows), iteration + 0.4, iteration - 0.4)
        axes.imshow(stripe[None, :], colors, extent=extent, aspect="auto", interpolation="nearest")
    axes.set(xlim=(0, n_rows), ylim=(N_FOLDS + 0.5, 0.5))
    axes.set(xlabel="row of the data", title="the same parts, by row")


def _draw_accuracies(axes: Axes, iterations: pd.DataFrame) -> None:
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


@style.styled
def draw_progress(table: pd.DataFrame) -> Figure:
    """Candidates by folds; an evaluated cell is dark and holds its step, the others are empty."""
    figure = Figure(figsize=(5.6, 4.2), layout="constrained")
    axes = figure.subplots()
    budget = int(table["budget"].iloc[0])
    steps = table["step"].to_numpy(dtype=float, na_value=np.nan).reshape(N_CANDIDATES, N_FOLDS)
    _draw_steps(figure, axes, steps, budget)
    for i, row in enumerate(table.drop_duplicates("candidate").to_dict("records"), start=1):
        _annotate_row(axes, i, row, int(np.isfinite(steps[i - 1]).sum()))
    n_complete = int(np.isfinite(steps).all(axis=1).sum())
    axes.set_title(f"{budget} of {steps.size} folds evaluated; complete candidates: {n_complete}")
    labels = table.drop_duplicates("candidate")["label"]
    axes.set_yticks(range(1, N_CANDIDATES + 1), [f"{s}   {i:02d}" for i, s in enumerate(labels, start=1)])
    axes.set(xlabel="fold", xticks=range(1, N_FOLDS + 1), ylim=(N_CANDIDATES + 0.5, 0.5))
    axes.tick_params(length=0)
    axes.spines[["left", "bottom"]].set_visible(False)
    return figure


def _draw_steps(figure: Figure, axes: Axes, steps: NDArray[np.float64], budget: int) -> None:
    """Cells coloured by step, early ones darkest; `steps`, nan where not done, is (n_candidates, n_folds)."""
    colors = mpl.colormaps[style.SEQUENTIAL].with_extremes(bad=_EMPTY)
    edges = np.arange(0.5, N_FOLDS + 1), np.arange(0.5, N_CANDIDATES + 1)
    look: dict[str, Any] = {"edgecolor": "white", "linewidth": 1.5, "vmin": 1, "vmax": 1.4 * budget}
    mesh = axes.pcolormesh(*edges, np.ma.masked_invalid(steps), cmap=colors, **look)
    for i, j in np.argwhere(np.isfinite(steps)):
        color = "white" if steps[i, j] < 0.75 * budget else "black"
        axes.text(j + 1, i + 1, f"{steps[i, j]:.0f}", color=color, ha="center", va="center")
    shown = np.arange(0.5, budget + 1)  # the map goes on beyond the budget, to colours near an empty cell's
    bar = figure.colorbar(mesh, ax=axes, boundaries=shown, ticks=range(1, budget + 1, 4))
    bar.set_label("step at which the fold was evaluated")
    bar.ax.invert_yaxis()


def _annotate_row(axes: Axes, y: int, row: dict[Any, Any], n_done: int) -> None:
    """At the right, a candidate's mean so far, bold if it is complete, and whether it is returned."""
    text = f"mean {row['mean_so_far']:.5f} ({n_done} of {N_FOLDS})" if n_done else "not begun"
    text += "  returned" if row["chosen"] else ""
    weight = "bold" if row["complete"] else "normal"
    axes.text(N_FOLDS + 0.6, y, text, va="center", fontsize=7, weight=weight)
