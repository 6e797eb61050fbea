"""Document 002's pictures of the method, each from a small real run: the task, the routine, and four iterations.

The task is Bernoulli naive Bayes on digits. The routine and the iterations are of DNGO, which maximises
sinc(10 x - 5) on [0, 1]. Here sinc(t) = sin(pi t) / (pi t), as in NumPy and in the code that the page's matches;
sin(t) / t is pi times as slow. Expected improvement is maximised by enumeration, as the page does it.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pandas as pd

from frugal.seeds import rng_for, seed_for
from frugal.spaces import Choice, SearchSpace, Uniform
from studies import plotters, style
from studies.estimates import Array
from studies.records import Artefact

# The task --------------------------------------------------------------------------------------------------------

N_POINTS: Final = 24
N_VALID: Final = 400
N_TEST: Final = 400
_SPACE: Final = SearchSpace(
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
    from frugal import datasets
    from frugal.interface import TrialTask
    from frugal.trials import initial_design
    from frugal.trials.parts import split
    from frugal.trials.problems import LearnerProblem

    data = datasets.load("digits")
    parts = split(data, n_valid=N_VALID, n_test=N_TEST, seed=seed)
    problem = LearnerProblem("bernoulli_nb", data, parts, _SPACE)
    rows = []
    for i, candidate in enumerate(initial_design(_SPACE, N_POINTS, rng_for("black box", seed))):
        trial = problem.evaluate(TrialTask(i, candidate), lambda *_: True)
        rows.append([candidate["alpha"], candidate["binarize"], 1 - trial.error])
    table = pd.DataFrame(rows, columns=["alpha", "binarize", "accuracy"])
    table["is_best"] = table["accuracy"] == table["accuracy"].max()
    middle = (table["accuracy"] - table["accuracy"].median()).abs().idxmin()
    table["is_example"] = table.index == middle
    sizes = {"n_train": len(parts.train[1]), "n_valid": N_VALID}
    return table.assign(**sizes, seed=seed, data=data.provenance)


@style.styled
def draw_black_box(table: pd.DataFrame) -> plotters.Figure:
    """Left, points of the space with their metric; right, how one of them gets it."""
    figure = style.new_figure(7.2, 3.1)
    left, right = figure.subplots(1, 2, width_ratios=(1, 1.05))
    shown = left.scatter(
        table["alpha"],
        table["binarize"],
        c=table["accuracy"],
        cmap=style.SEQUENTIAL,
        s=34,
        edgecolor="#333333",
        linewidth=0.5,
    )
    best = table[table["is_best"].astype(bool)].iloc[0]
    example = table[table["is_example"].astype(bool)].iloc[0]
    ring = {"facecolor": "none", "s": 110, "linewidth": 1.2}
    left.scatter([best["alpha"]], [best["binarize"]], edgecolor="#B00020", marker="s", **ring)
    left.scatter([example["alpha"]], [example["binarize"]], edgecolor="#00318F", **ring)
    for row, text, color in ((best, "best so far", "#B00020"), (example, "ζ", "#00318F")):
        plotters.note(left, text, (row["alpha"], row["binarize"]), (9, 7), color=color)
    left.set(xscale="log", xlabel="alpha (smoothing)", ylabel="binarize (threshold of a pixel)")
    left.set(title="Points ζ of the space, metric η = f(ζ)")
    left.margins(x=0.12, y=0.12)
    figure.colorbar(shown, ax=left, label="validation accuracy η")
    _flow(right, example)
    style.mark_data(figure, table["data"])
    return figure


def _flow(axes: plotters.Axes, example: pd.Series[float]) -> None:
    """Boxes and arrows: how one point gets its metric."""
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
    look: dict[str, Any] = {"rounding": "pad=0.05,rounding_size=0.2", "fontsize": 6.5, "linewidth": 0.7}
    for x, y, text, color in boxes.values():
        plotters.box(axes, (x, y), (1.35, 0.95), text, color, **look)
    steps = [((3.05, 7.3), (3.98, 6.3)), ((3.05, 4.3), (3.98, 5.3)), ((5.3, 4.8), (5.3, 2.25)),
             ((3.05, 1.2), (3.98, 1.2)), ((6.65, 1.2), (7.28, 1.2))]  # fmt: skip
    plotters.arrows(axes, steps, linewidth=0.9)


# The routine -----------------------------------------------------------------------------------------------------

N_INITIAL: Final = 5
N_FRAMES: Final = 4
GRID: Final = np.linspace(0.0, 1.0, 201)
_COLORS: Final = {"band": "#00318F", "truth": "#8A8F94", "ei": "#2F6756", "next": "#B00020"}


def toy(x: Array) -> Array:
    """sinc(10 x - 5), of any shape; its maximum is 1 at x = 1/2, its zeros all other tenths of [0, 1]."""
    return np.asarray(np.sinc(10 * x - 5))


def iterate(seed: int, n_frames: int, **settings: Any) -> list[dict[str, Array | float]]:
    """The routine on `toy`, a frame per iteration.

    Args:
        seed: of the first points and of the surrogate.
        n_frames: iterations.
        **settings: of `DNGO`.

    Returns:
        Per iteration: x and y (n,), what was known; mean and std (of an observation) and ei on `GRID`;
        next_x and next_y, what was tried.
    """
    from frugal.trials.acquisitions import LogEI
    from frugal.trials.surrogates.dngo import DNGO

    cells = (np.arange(N_INITIAL) + rng_for("sinc", seed).random(N_INITIAL)) / N_INITIAL  # a Latin hypercube
    x = GRID[np.round(cells * (len(GRID) - 1)).astype(int)]
    surrogate, frames = DNGO(seed=seed_for("sinc", "dngo", seed), **settings), []
    for _ in range(n_frames):
        y = toy(x)
        surrogate.fit(x[:, None], -y)
        mean, std = surrogate.predict(GRID[:, None], with_noise=True)
        components = surrogate.components
        ei = np.exp(LogEI(components, [float(-y.max())] * len(components))(GRID[:, None]))
        chosen = float(GRID[np.where(np.isin(GRID, x), -np.inf, ei).argmax()])
        known = {"x": x, "y": y, "mean": -mean, "std": std, "ei": ei}
        frames.append({**known, "next_x": chosen, "next_y": float(toy(np.array(chosen)))})
        x = np.append(x, chosen)
    return frames


def summarise_frames(seed: int, **settings: Any) -> pd.DataFrame:
    """Numbers of `iterate`: frame (from 1), series, x, y, std, seed.

    Series: truth and predictive (with std) and ei on the grid, known, and next (what is tried, and what it gave).
    """
    parts = []
    for i, frame in enumerate(iterate(seed, N_FRAMES, **settings), start=1):
        listed = {
            "truth": (GRID, toy(GRID), np.nan),
            "predictive": (GRID, frame["mean"], frame["std"]),
            "ei": (GRID, frame["ei"], np.nan),
            "known": (frame["x"], frame["y"], np.nan),
            "next": ([frame["next_x"]], [frame["next_y"]], np.nan),
        }
        for series, (x, y, std) in listed.items():
            parts.append(pd.DataFrame({"frame": i, "series": series, "x": x, "y": y, "std": std}))
    return pd.concat(parts, ignore_index=True).assign(seed=seed, data="generated")


@style.styled
def draw_frames(table: pd.DataFrame) -> plotters.Figure:
    """A column per iteration: mean with bands of 1, 2 and 3 standard deviations above, EI below."""
    n_frames = int(table["frame"].max())
    figure = style.new_figure(7.2, 3.6)
    axes = figure.subplots(2, n_frames, sharex=True, height_ratios=(2.2, 1), squeeze=False)
    for i, frame in table.groupby("frame"):
        above, below = axes[0, int(str(i)) - 1], axes[1, int(str(i)) - 1]
        series = {str(name): part for name, part in frame.groupby("series")}
        line = series["predictive"]
        for k, alpha in ((3, 0.12), (2, 0.16), (1, 0.24)):
            low, high = line["y"] - k * line["std"], line["y"] + k * line["std"]
            above.fill_between(line["x"], low, high, color=_COLORS["band"], alpha=alpha, linewidth=0)
        above.plot(line["x"], line["y"], color=_COLORS["band"], label="DNGO: mean, 1, 2, 3 sd")
        truth, known, tried = series["truth"], series["known"], series["next"]
        above.plot(truth["x"], truth["y"], color=_COLORS["truth"], linestyle=":", label="function")
        above.plot(known["x"], known["y"], "o", color="#000000", label="known")
        above.plot(tried["x"], tried["y"], "*", color=_COLORS["next"], markersize=8, label="tried next")
        below.fill_between(series["ei"]["x"], 0, series["ei"]["y"], color=_COLORS["ei"], alpha=0.35, linewidth=0)
        below.plot(series["ei"]["x"], series["ei"]["y"], color=_COLORS["ei"])
        for axis in (above, below):
            axis.axvline(tried["x"].iloc[0], color=_COLORS["next"], linewidth=0.8, linestyle="--")
        above.set(title=f"Iteration {i}", ylim=(-0.8, 1.4))
        below.set(xlabel="x", xlim=(0, 1), ylim=(0, 1.15 * series["ei"]["y"].max()))
        below.tick_params(axis="y", labelsize=6)
    axes[0, 0].set(ylabel="sinc(10 x - 5)")
    axes[1, 0].set(ylabel="Expected\nimprovement")
    return plotters.finish(figure, table, 4, panels=[axes[0, 0]])


def summarise_routine(seed: int, **settings: Any) -> pd.DataFrame:
    """One turn of the routine in numbers: stage, text, seed. The turn is the second of `iterate`."""
    first, second = iterate(seed, 2, **settings)
    x, y = np.asarray(second["x"]), np.asarray(second["y"])
    at = int(np.abs(GRID - float(second["next_x"])).argmin())
    mean, std, ei = (float(np.asarray(second[name])[at]) for name in ("mean", "std", "ei"))
    stages = {
        "initialise": f"Initialise\n$D$ = {len(np.asarray(first['x']))} pairs $(\\zeta_n, \\eta_n)$",
        "data": f"$D_{{surrogate}}$\n{len(x)} pairs, best $\\eta$ = {y.max():.3f}",
        "posterior": f"Posterior of the surrogate\nat $\\zeta_{{new}}$: {mean:.2f} ± {std:.2f}",
        "acquisition": f"Expected improvement\nlargest: {ei:.3f}",
        "choice": f"$\\zeta_{{new}}$ = argmax = {float(second['next_x']):.3f}",
        "task": f"Task T (oracle)\n$\\eta_{{new}} = f(\\zeta_{{new}})$ = {float(second['next_y']):.3f}",
    }
    return pd.DataFrame({"stage": list(stages), "text": list(stages.values()), "seed": seed, "data": "generated"})


_BOXES: Final = {
    "initialise": (1.6, 5.2, "#E3E5E8"),
    "data": (1.6, 2.6, "#E4ECFB"),
    "posterior": (5.0, 2.6, "#FFE3B5"),
    "acquisition": (8.6, 2.6, "#FFE3B5"),
    "choice": (8.6, 0.6, "#FFFFFF"),
    "task": (5.0, 0.6, "#BFD8CE"),
}
"""Stage of the routine -> the middle of its box, and its colour."""


@style.styled
def draw_routine(table: pd.DataFrame) -> plotters.Figure:
    """The page's routine as a loop, with the numbers of one turn."""
    figure = style.new_figure(6.6, 3.4)
    axes = figure.subplots()
    axes.set(xlim=(0, 10.3), ylim=(-0.4, 6.1))
    axes.axis("off")
    for stage, text in zip(table["stage"], table["text"], strict=True):
        x, y, color = _BOXES[stage]
        plotters.box(axes, (x, y), (1.5, 0.55), text, color, rounding="pad=0.03,rounding_size=0.15")
    steps = [((1.6, 4.6), (1.6, 3.2)), ((3.13, 2.6), (3.47, 2.6)), ((6.53, 2.6), (7.07, 2.6)),
             ((8.6, 2.02), (8.6, 1.18)), ((7.07, 0.6), (6.53, 0.6)), ((3.47, 0.75), (1.9, 2.0))]  # fmt: skip
    plotters.arrows(axes, steps, linewidth=1.0)
    axes.text(2.35, 1.15, "add, and repeat\nuntil convergence", fontsize=7, ha="right", color="#555555")
    return figure


BLACK_BOX: Final = Artefact(
    "black_box",
    (),
    summarise_black_box,
    """The set-up of document 002, from a real run. Left: 24 points of a space of two hyperparameters (a Latin
    hypercube; Bernoulli naive Bayes on the digits that scikit-learn ships) with the validation accuracy found at
    each. Right: how the point with the middle accuracy got its own: it is trained on D(train), scored on D(val),
    and these 400 rows and 400 test rows are set apart first.""",
    draw_black_box,
    datasets=("digits",),
)
ROUTINE: Final = Artefact(
    "routine",
    (),
    summarise_routine,
    """The Bayesian optimisation routine of document 002, with the numbers of its second turn on the toy function
    of the figure dngo_frames: 5 first points, then what the surrogate (DNGO) predicts where expected improvement
    is largest, and what the task answers.""",
    draw_routine,
)
FRAMES: Final = Artefact(
    "dngo_frames",
    (),
    summarise_frames,
    """Expected improvement on DNGO, the first 4 iterations on sinc(10 x - 5), maximised by enumeration of 201
    points from 5 first ones. Above: predictive mean with bands of 1, 2 and 3 standard deviations of an
    observation; the red star is tried next. Below: expected improvement over the best so far, on an axis of its
    own in each frame.""",
    draw_frames,
)
