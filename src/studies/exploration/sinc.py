"""DNGO's first iterations on a toy function, from real runs: predictive bands with expected improvement below.

The function is sinc(10 x - 5) on [0, 1], maximised, where sinc(t) = sin(pi t) / (pi t), NumPy's, as in the code
that the page's matches, and not sin(t) / t, which is pi times as slow; expected improvement is maximised by
enumeration, as the page does it.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from frugal.seeds import rng_for, seed_for
from frugal.trials.acquisitions import LogEI
from frugal.trials.surrogates.dngo import DNGO
from frugal.trials.surrogates.kernels import Array
from studies import style

N_INITIAL: Final = 5
N_FRAMES: Final = 4
GRID: Final = np.linspace(0.0, 1.0, 201)
_COLORS = {"band": "#00318F", "truth": "#8A8F94", "ei": "#2F6756", "next": "#B00020"}


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
def draw_frames(table: pd.DataFrame) -> Figure:
    """A column per iteration: mean with bands of 1, 2 and 3 standard deviations above, EI below."""
    n_frames = int(table["frame"].max())
    figure = Figure(figsize=(7.2, 3.6), layout="constrained")
    axes = figure.subplots(2, n_frames, sharex=True, height_ratios=(2.2, 1), squeeze=False)
    for i, frame in table.groupby("frame"):
        above, below = axes[0, int(str(i)) - 1], axes[1, int(str(i)) - 1]
        of = {str(name): part for name, part in frame.groupby("series")}
        line = of["predictive"]
        for k, alpha in ((3, 0.12), (2, 0.16), (1, 0.24)):
            above.fill_between(line["x"], line["y"] - k * line["std"], line["y"] + k * line["std"],
                               color=_COLORS["band"], alpha=alpha, linewidth=0)  # fmt: skip
        above.plot(line["x"], line["y"], color=_COLORS["band"], label="DNGO: mean, 1, 2, 3 sd")
        above.plot(of["truth"]["x"], of["truth"]["y"], color=_COLORS["truth"], linestyle=":", label="function")
        above.plot(of["known"]["x"], of["known"]["y"], "o", color="#000000", label="known")
        above.plot(of["next"]["x"], of["next"]["y"], "*", color=_COLORS["next"], markersize=8, label="tried next")
        below.fill_between(of["ei"]["x"], 0, of["ei"]["y"], color=_COLORS["ei"], alpha=0.35, linewidth=0)
        below.plot(of["ei"]["x"], of["ei"]["y"], color=_COLORS["ei"])
        for axis in (above, below):
            axis.axvline(of["next"]["x"].iloc[0], color=_COLORS["next"], linewidth=0.8, linestyle="--")
        above.set(title=f"Iteration {i}", ylim=(-0.8, 1.4))
        below.set(xlabel="x", xlim=(0, 1), ylim=(0, 1.15 * of["ei"]["y"].max()))
        below.tick_params(axis="y", labelsize=6)
    axes[0, 0].set(ylabel="sinc(10 x - 5)")
    axes[1, 0].set(ylabel="Expected\nimprovement")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4)
    return figure


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


_AT = {"initialise": (1.6, 5.2), "data": (1.6, 2.6), "posterior": (5.0, 2.6), "acquisition": (8.6, 2.6),
       "choice": (8.6, 0.6), "task": (5.0, 0.6)}  # fmt: skip
_FILL = {"initialise": "#E3E5E8", "data": "#E4ECFB", "posterior": "#FFE3B5", "acquisition": "#FFE3B5",
         "choice": "#FFFFFF", "task": "#BFD8CE"}  # fmt: skip


@style.styled
def draw_routine(table: pd.DataFrame) -> Figure:
    """The page's routine as a loop, with the numbers of one turn."""
    figure = Figure(figsize=(6.6, 3.4), layout="constrained")
    axes = figure.subplots()
    axes.set(xlim=(0, 10.3), ylim=(-0.4, 6.1))
    axes.axis("off")
    for stage, text in zip(table["stage"], table["text"], strict=True):
        x, y = _AT[stage]
        box = FancyBboxPatch((x - 1.5, y - 0.55), 3.0, 1.1, boxstyle="round,pad=0.03,rounding_size=0.15",
                             fc=_FILL[stage], ec="#555555", lw=0.8)  # fmt: skip
        axes.add_patch(box)
        axes.text(x, y, text, ha="center", va="center", fontsize=7)
    arrow = {"arrowstyle": "-|>", "color": "#555555", "linewidth": 1.0}
    steps = [((1.6, 4.6), (1.6, 3.2)), ((3.13, 2.6), (3.47, 2.6)), ((6.53, 2.6), (7.07, 2.6)),
             ((8.6, 2.02), (8.6, 1.18)), ((7.07, 0.6), (6.53, 0.6)), ((3.47, 0.75), (1.9, 2.0))]  # fmt: skip
    for start, end in steps:
        axes.annotate("", end, start, arrowprops=arrow)
    axes.text(2.35, 1.15, "add, and repeat\nuntil convergence", fontsize=7, ha="right", color="#555555")
    return figure
