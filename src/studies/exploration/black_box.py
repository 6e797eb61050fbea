"""The page's first picture, from a real run: a space of hyperparameters, a task, and its metric at some points."""

from __future__ import annotations

from typing import Final

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from frugal import datasets, trials
from frugal.interface import TrialTask
from frugal.seeds import rng_for
from frugal.spaces import Choice, SearchSpace, Uniform
from frugal.trials.problems import LearnerProblem, split
from studies import style

N_POINTS: Final = 24
N_VALID: Final = 400
N_TEST: Final = 400
_SPACE = SearchSpace(
    {"alpha": Uniform(0.01, 50.0, "log"), "fit_prior": Choice((True,)), "binarize": Uniform(0.0, 1.0)}
)


def summarise_black_box(seed: int) -> pd.DataFrame:
    """Validation accuracy of Bernoulli naive Bayes on digits, at a Latin hypercube of points of its space.

    Args:
        seed: of the points and the split.

    Returns:
        A row per point: alpha, binarize, accuracy, is_best, is_example (the point that the right half follows),
        n_train, n_valid, seed, data.
    """
    data = datasets.load("digits")
    parts = split(data, n_valid=N_VALID, n_test=N_TEST, seed=seed)
    problem = LearnerProblem("bernoulli_nb", data, parts, _SPACE)
    rows = []
    for i, candidate in enumerate(trials.initial_design(_SPACE, N_POINTS, rng_for("black box", seed))):
        trial = problem.evaluate(TrialTask(i, candidate), lambda *_: True)
        rows.append([candidate["alpha"], candidate["binarize"], 1 - trial.error])
    table = pd.DataFrame(rows, columns=["alpha", "binarize", "accuracy"])
    table["is_best"] = table["accuracy"] == table["accuracy"].max()
    middle = (table["accuracy"] - table["accuracy"].median()).abs().idxmin()
    table["is_example"] = table.index == middle
    sizes = {"n_train": len(parts.train[1]), "n_valid": N_VALID}
    return table.assign(**sizes, seed=seed, data=data.provenance)


@style.styled
def draw_black_box(table: pd.DataFrame) -> Figure:
    """Left, points of the space with their metric; right, how one of them gets it."""
    figure = Figure(figsize=(7.2, 3.1), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1, 1.05))
    shown = left.scatter(table["alpha"], table["binarize"], c=table["accuracy"], cmap=style.SEQUENTIAL, s=34,
                         edgecolor="#333333", linewidth=0.5)  # fmt: skip
    best = table[table["is_best"].astype(bool)].iloc[0]
    example = table[table["is_example"].astype(bool)].iloc[0]
    ring = {"facecolor": "none", "s": 110, "linewidth": 1.2}
    left.scatter([best["alpha"]], [best["binarize"]], edgecolor="#B00020", marker="s", **ring)
    left.scatter([example["alpha"]], [example["binarize"]], edgecolor="#00318F", **ring)
    for row, text, color in ((best, "best so far", "#B00020"), (example, "ζ", "#00318F")):
        left.annotate(
            text, (row["alpha"], row["binarize"]), xytext=(9, 7), textcoords="offset points", color=color
        )
    left.set(xscale="log", xlabel="alpha (smoothing)", ylabel="binarize (threshold of a pixel)")
    left.set(title="Points ζ of the space, metric η = f(ζ)")
    left.margins(x=0.12, y=0.12)
    figure.colorbar(shown, ax=left, label="validation accuracy η")
    _flow(right, example)
    style.mark_stand_in(figure, table["data"])
    return figure


def _flow(axes: Axes, example: pd.Series[float]) -> None:
    axes.set(xlim=(0, 10.2), ylim=(0, 10), title="The task T: one evaluation of f")
    axes.axis("off")
    zeta = f"ζ\nalpha = {example['alpha']:.2g}\nbinarize = {example['binarize']:.2f}"
    boxes = {
        "zeta": (1.7, 7.7, zeta, "#E4ECFB"),
        "train": (1.7, 3.9, f"D(train)\n{example['n_train']:.0f} rows", "#E3E5E8"),
        "valid": (1.7, 1.2, f"D(val)\n{example['n_valid']:.0f} rows", "#E3E5E8"),
        "fit": (5.3, 5.8, "train\nthe model", "#FFE3B5"),
        "score": (5.3, 1.2, "predict\nand compare", "#FFE3B5"),
        "metric": (8.6, 1.2, f"η = f(ζ)\n= {example['accuracy']:.3f}", "#BFD8CE"),
    }
    for x, y, text, color in boxes.values():
        rounded = "round,pad=0.05,rounding_size=0.2"
        place = FancyBboxPatch((x - 1.35, y - 0.95), 2.7, 1.9, boxstyle=rounded, fc=color, ec="#555555", lw=0.7)
        axes.add_patch(place)
        axes.text(x, y, text, ha="center", va="center", fontsize=6.5)
    arrows = [((3.05, 7.3), (3.98, 6.3)), ((3.05, 4.3), (3.98, 5.3)), ((5.3, 4.8), (5.3, 2.25)),
              ((3.05, 1.2), (3.98, 1.2)), ((6.65, 1.2), (7.28, 1.2))]  # fmt: skip
    for start, end in arrows:
        axes.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": "#555555", "linewidth": 0.9})
