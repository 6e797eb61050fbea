"""Figure 1 of document 001: the general loop of a guided search, filled in by a real (Bayesian) run."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pandas as pd

from frugal.seeds import rng_for
from frugal.threads import one_thread
from studies import plotters, style
from studies.greedy_cv import canvas
from studies.greedy_cv.problem import make_problem
from studies.greedy_cv.searches import BUDGET, TOLERANCE, bayesian_search
from studies.records import Artefact

_CENTRES = {
    "start": (0.7, 0.97), "A": (0.7, 0.77), "B": (0.7, 0.51), "C": (0.7, 0.24), "D": (0.2, 0.51),
    "end": (0.7, 0.02),
}  # fmt: skip
_COLORS = {"A": "#FFE9C4", "B": "#DCE9FA", "C": "#F4DDE7", "D": "#DDEBE5"}
_STRAIGHT = "arc3"
_FLOW = (
    ("start", "A", _STRAIGHT),
    ("A", "B", _STRAIGHT),
    ("B", "C", _STRAIGHT),
    ("C", "end", _STRAIGHT),
    ("C", "D", "angle,angleA=0,angleB=90,rad=6"),
    ("D", "A", "angle,angleA=90,angleB=0,rad=6"),
)


def summarise(seed: int) -> pd.DataFrame:
    """The Bayesian run of figure 4, with columns budget, tolerance and optimum_loss.

    Budget and tolerance stop the run; optimum_loss is the edge of the optimum region.
    """
    with one_thread():
        problem = make_problem(seed)
        run = bayesian_search(problem, rng_for("bayesian", seed))
        return run.assign(budget=BUDGET, tolerance=TOLERANCE, optimum_loss=problem.optimum_loss)


@style.styled
def draw(run: pd.DataFrame) -> plotters.Figure:
    """The loop with the numbers of its last pass, and the loss of every pass."""
    figure = style.new_figure(7.2, 4.0)
    left, right = figure.subplots(1, 2, width_ratios=[1.25, 1.0])
    _draw_boxes(left, run)
    _draw_trace(right, run)
    figure.legend(loc="outside lower center", ncols=3)
    return figure


def box_texts(run: pd.DataFrame) -> dict[str, str]:
    """What stands in each box: start, A, B, C, D and end."""
    n, n_initial = len(run), int((run["stage"] == "initial").sum())
    last, best = run.iloc[-1].to_dict(), run.loc[[run["loss"].idxmin()]].iloc[0].to_dict()
    left = last["improvement_left"]
    promised = "not computed" if np.isnan(left) else f"{left:.2g}"
    return {
        "start": f"Start: {n_initial} random tuples, evaluated",
        "A": f"A  Propose a tuple\n$\\log_{{10}}\\gamma = {last['log10_gamma']:.2f}$\n"
        f"$\\log_{{10}}\\lambda = {last['log10_lambda']:.2f}$",
        "B": f"B  Train and evaluate\nloss foreseen {last['predicted']:.4f}\nloss found {last['loss']:.4f}",
        "C": f"C  Stop?\nevaluations: {n} of at most {int(last['budget'])}\n"
        f"gain promised: {promised} (least {last['tolerance']:g})",
        "D": f"D  Learn the relationship\nsurrogate refitted to {n - 1} losses\n"
        f"length scales {last['lengthscale_gamma']:.1f}, {last['lengthscale_lambda']:.1f} decades\n"
        f"gain promised: {last['expected_improvement']:.2g}",
        "end": f"Return the tuple of step {int(best['step'])}: loss {best['loss']:.4f}",
    }


def _draw_boxes(axes: plotters.Axes, run: pd.DataFrame) -> None:
    axes.set(xlim=(0, 1), ylim=(0, 1), title=f"the last pass of the loop (step {len(run)})")
    axes.axis("off")
    boxes = {}
    for name, text in box_texts(run).items():
        look: dict[str, Any] = {"boxstyle": "round,pad=0.5", "facecolor": _COLORS.get(name, "white")}
        boxes[name] = axes.text(*_CENTRES[name], text, ha="center", va="center", fontsize=7, bbox=look)
    for tail, head, bend in _FLOW:
        look = {"arrowstyle": "-|>", "color": "black", "linewidth": 1.2, "connectionstyle": bend}
        look |= {"patchA": boxes[tail].get_bbox_patch(), "patchB": boxes[head].get_bbox_patch()}
        axes.annotate("", _CENTRES[head], _CENTRES[tail], arrowprops=look | {"shrinkA": 0, "shrinkB": 0})
    axes.text(0.72, 0.115, f"yes: {run['stop'].iloc[-1]}", fontsize=7, va="center")
    axes.text(0.3, 0.2, "no", fontsize=7, va="top", ha="center")


def _draw_trace(axes: plotters.Axes, run: pd.DataFrame) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.step(run["step"], run["best_so_far"], where="post", color="black", label="best so far")
    guided = run[run["stage"] == "guided"]
    axes.vlines(
        guided["step"], guided["predicted_low"], guided["predicted_high"], color="#7AACEB", lw=4,
        label="foreseen, one s.d. each side", zorder=1,
    )  # fmt: skip
    for stage, color, label in (("initial", "white", "random start"), ("guided", canvas.BEST, "guided")):
        part = run[run["stage"] == stage]
        canvas.dots(axes, part, "step", "loss", s=22, color=color, label=f"evaluated: {label}")
    canvas.draw_region_edge(axes, float(run["optimum_loss"].iloc[0]))
    axes.set(xlabel="step (evaluations)", ylabel=canvas.LOSS_LABEL, title="every pass")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))


FIGURE1: Final = Artefact(
    "figure1",
    (),
    summarise,
    """Figure 1 of document 001. The general loop of a guided search, with the numbers of the last pass of the
    Bayesian run of figure 4, and the loss of each pass. Narrow forecasts lie behind their dots.""",
    draw,
    datasets=("wdbc",),
)
