"""Figures 8 to 10 of document 001: k-fold cross-validation, and selection among candidates by it.

Figure 8 is one real cross-validation; figures 9 and 10 replay strategies on real scores, stopped half-way.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd

from frugal.interface import FoldTask
from frugal.seeds import rng_for
from studies import plotters, style
from studies.estimates import Array
from studies.records import Artefact
from studies.shared import k_fold
from studies.shared.k_fold import N_FOLDS

N_CANDIDATES: Final = 12
BUDGET: Final = 33
"""Of 12 x 5 = 60 fold evaluations: the searches of figures 9 and 10 are stopped about half-way."""
CLASSIFIER: Final = "knn"
_EMPTY = "#F4F4F4"


def progress(strategy: str, seed: int, *, budget: int = BUDGET) -> pd.DataFrame:
    """A strategy replayed on the scores of nearest-neighbour candidates on wdbc.

    Args:
        strategy: of the folds family, with a setting `budget`.
        seed: decides the folds and which distinct candidates of the grid are drawn.
        budget: fold evaluations.

    Returns:
        One row per candidate and fold (both from 1): step (at which it was evaluated), score and mean_so_far
        (of the candidate's evaluated folds), all three missing where it was not reached; label (the
        hyperparameters), complete (the candidate), chosen (what the search returns), budget.
    """
    from frugal import datasets, folds, learners

    grid = learners.space("grid", CLASSIFIER).grid()
    drawn = rng_for("progress_candidates", seed).choice(len(grid), N_CANDIDATES, replace=False)
    candidates = [grid[i] for i in drawn]
    dataset = datasets.load("wdbc")
    scores = folds.score(dataset, CLASSIFIER, candidates, n_folds=N_FOLDS, seed=seed)
    search = folds.make(
        strategy, n_candidates=N_CANDIDATES, n_folds=N_FOLDS, rng=rng_for(strategy, seed), budget=budget
    )
    trace = folds.replay(search, scores)
    table = _cells(trace.tasks, trace.scores)
    labels = [f"{c['n_neighbors']} nearest, {c['weights']}" for c in candidates]
    table["label"] = [labels[i - 1] for i in table["candidate"]]
    table["chosen"] = table["candidate"] == (-1 if trace.chosen is None else trace.chosen + 1)
    return table.assign(budget=budget)


def _cells(tasks: list[FoldTask], scores: Array) -> pd.DataFrame:
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
def draw(table: pd.DataFrame) -> plotters.Figure:
    """Candidates by folds; an evaluated cell is dark and holds its step, the others are empty."""
    figure = style.new_figure(5.6, 4.2)
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


def _draw_steps(figure: plotters.Figure, axes: plotters.Axes, steps: Array, budget: int) -> None:
    """Cells coloured by step, early ones darkest; `steps`, nan where not done, is (n_candidates, n_folds)."""
    from matplotlib import colormaps

    colors = colormaps[style.SEQUENTIAL].with_extremes(bad=_EMPTY)
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


def _annotate_row(axes: plotters.Axes, y: int, row: dict[Any, Any], n_done: int) -> None:
    """At the right, a candidate's mean so far, bold if it is complete, and whether it is returned."""
    text = f"mean {row['mean_so_far']:.5f} ({n_done} of {N_FOLDS})" if n_done else "not begun"
    text += "  returned" if row["chosen"] else ""
    weight = "bold" if row["complete"] else "normal"
    axes.text(N_FOLDS + 0.6, y, text, va="center", fontsize=7, weight=weight)


_explained = partial(Artefact, runs=(), datasets=("wdbc",))
_PROGRESS: Final = f"""among {N_CANDIDATES} nearest-neighbour candidates on wdbc, replayed on their scores and
    stopped after {BUDGET} fold evaluations (coloured cells, with their step)."""
FIGURE8: Final = _explained(
    "figure8",
    summarise=k_fold.summarise,
    caption="""Figure 8 of document 001.
    Standard k-fold cross-validation (k = 5) of one decision tree on the 569 rows of wdbc, stratified and
    shuffled.""",
    draw=k_fold.draw,
)
FIGURE9: Final = _explained(
    "figure9",
    summarise=partial(progress, "standard"),
    caption=f"""Figure 9 of document 001.
    Standard k-fold selection {_PROGRESS}""",
    draw=draw,
)
FIGURE10: Final = _explained(
    "figure10",
    summarise=partial(progress, "greedy"),
    caption=f"""Figure 10 of document 001.
    Greedy k-fold selection {_PROGRESS}""",
    draw=draw,
)
ARTEFACTS: Final = (FIGURE8, FIGURE9, FIGURE10)
