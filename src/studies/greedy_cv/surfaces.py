"""Figures 2 to 7 of document 001: each search, drawn over the true surface of the problem that it ran on.

Their tables hold two layers: `evaluation` rows, one per evaluation in order, and `surface` rows, the true loss at
every point of a grid.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

import numpy as np
import pandas as pd

from frugal.seeds import rng_for
from frugal.threads import one_thread
from studies import plotters, style
from studies.greedy_cv import canvas
from studies.greedy_cv.canvas import HIGHLIGHT, X, Y
from studies.greedy_cv.problem import BOUNDS, Problem, make_problem, optimum_loss
from studies.greedy_cv.searches import (
    N_INITIAL,
    PER_AXIS,
    bayesian_search,
    early_stopping_search,
    evolutionary_search,
    grid_search,
    hypergradient_search,
    random_search,
    surrogate_panels,
)
from studies.records import Artefact

Search = Callable[[Problem, np.random.Generator], pd.DataFrame]

N_SEEN: Final = N_INITIAL + 2
"""Steps after which figure 4 looks into the surrogate."""
_STARTS = (("#000000", "-"), ("#D07CA1", "--"), ("#D9541E", ":"))
"""Colour and line of each start of the hypergradient's descent."""
_explained = partial(Artefact, runs=(), datasets=("wdbc",))
_SURFACE: Final = "over the true validation loss of a kernel ridge classifier on wdbc (dashes: its best tenth)"


def split_layers(table: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Evaluation rows and surface rows, each with its own columns only."""
    layers = [table[table["layer"] == name] for name in ("evaluation", "surface")]
    run, surface = (layer.dropna(axis=1, how="all") for layer in layers)
    return run, surface


def _layers(run: pd.DataFrame, surface: pd.DataFrame) -> pd.DataFrame:
    """Evaluation rows, then surface rows; whole numbers stay whole beside missing ones."""
    parts = [run.assign(layer="evaluation"), surface.assign(layer="surface")]
    whole = [name for part in parts for name in part if pd.api.types.is_integer_dtype(part[name])]
    table = pd.concat(parts, ignore_index=True).astype(dict.fromkeys(whole, "Int64"))
    table.insert(0, "layer", table.pop("layer"))
    return table


def summarise(seed: int, *, search: Search, name: str) -> pd.DataFrame:
    """A search, whose generator is seeded by its name, and the surface."""
    with one_thread():
        problem = make_problem(seed)
        return _layers(search(problem, rng_for(name, seed)), problem.surface)


def _values(table: pd.DataFrame, column: str) -> list[int]:
    """The distinct whole numbers of a column, in increasing order."""
    return [int(value) for value in np.unique(table[column].to_numpy(dtype=int))]


# Figures 2 and 3: grid and random search -----------------------------------------------------------------------


def summarise_grid(seed: int) -> pd.DataFrame:
    """Grid searches of 9 and of 64 candidates (column n_candidates), and the surface."""
    with one_thread():
        problem = make_problem(seed)
        runs = [grid_search(problem, per_axis=n) for n in PER_AXIS]
        return _layers(pd.concat(runs), problem.surface)


def summarise_random(seed: int) -> pd.DataFrame:
    """Random searches of 9 and of 64 candidates (column n_candidates), and the surface."""
    with one_thread():
        problem = make_problem(seed)
        budgets = [n**2 for n in PER_AXIS]
        runs = [random_search(problem, rng_for("random", seed), n_candidates=n) for n in budgets]
        return _layers(pd.concat(runs), problem.surface)


@style.styled
def draw_candidates(table: pd.DataFrame) -> plotters.Figure:
    """One panel per budget; strokes at the edges mark the values tried of each hyperparameter."""
    run, surface = split_layers(table)
    figure, both = canvas.panels(2, 3.5)
    for axes, n in zip(both, _values(run, "n_candidates"), strict=True):
        part = run[run["n_candidates"] == n]
        contours = canvas.draw_surface(axes, surface)
        canvas.dots(axes, part, label="candidate")
        canvas.star(axes, part)
        _draw_values(axes, part)
        axes.set_title(f"{n} candidates; best loss {part['loss'].min():.3f}")
    canvas.finish(figure, contours, both)
    return figure


def _draw_values(axes: plotters.Axes, part: pd.DataFrame) -> None:
    """A stroke at the top per value of gamma, one at the right per value of lambda."""
    top, right = np.full(len(part), BOUNDS[Y][1]), np.full(len(part), BOUNDS[X][1])
    axes.plot(part[X], top, "|", color="black", ms=7, clip_on=False)
    axes.plot(right, part[Y], "_", color="black", ms=7, clip_on=False)


FIGURE2: Final = _explained(
    "figure2",
    summarise=summarise_grid,
    caption=f"""Figure 2 of document 001.
    Grid search with 9 and with 64 candidates {_SURFACE}; strokes at the edges mark the values tried.""",
    draw=draw_candidates,
)
FIGURE3: Final = _explained(
    "figure3",
    summarise=summarise_random,
    caption=f"""Figure 3 of document 001.
    Random search with a budget of 9 and of 64 candidates, the first 9 being the same, {_SURFACE}; strokes at
    the edges mark the values tried.""",
    draw=draw_candidates,
)


# Figure 4: Bayesian optimisation -------------------------------------------------------------------------------


def summarise_bayesian(seed: int) -> pd.DataFrame:
    """Bayesian run; the surface rows also hold what the surrogate predicts after `n_seen` steps."""
    with one_thread():
        problem = make_problem(seed)
        run = bayesian_search(problem, rng_for("bayesian", seed))
        n_seen = min(N_SEEN, len(run) - 1)
        return _layers(run, surrogate_panels(problem, run, n_seen).assign(n_seen=n_seen))


@style.styled
def draw_bayesian(table: pd.DataFrame) -> plotters.Figure:
    """The surrogate's loss, the acquisition that picks the next point, and the whole run."""
    run, surface = split_layers(table)
    n_seen = _values(surface, "n_seen")[0]
    figure, (left, middle, right) = canvas.panels(3, 3.3)
    canvas.draw_surface(left, surface, "surrogate_loss")
    canvas.draw_acquisition(figure, middle, surface)
    contours = canvas.draw_surface(right, surface)
    for axes in (left, middle):
        canvas.dots(axes, run[run["step"] <= n_seen], label="evaluated")
        following = run[run["step"] == n_seen + 1]
        canvas.dots(axes, following, marker="D", s=36, color=HIGHLIGHT, label="evaluated next")
    canvas.dots(right, run)
    canvas.star(right, run)
    left.set_title(f"surrogate, {n_seen} evaluations")
    right.set_title(f"truth, {len(run)} evaluations")
    canvas.finish(figure, contours, [left, middle, right], bar_at=right)
    return figure


FIGURE4: Final = _explained(
    "figure4",
    summarise=summarise_bayesian,
    caption=f"""Figure 4 of document 001.
    Bayesian optimisation: surrogate and acquisition during the run, and the whole run {_SURFACE}.""",
    draw=draw_bayesian,
)


# Figure 5: evolutionary search ---------------------------------------------------------------------------------


@style.styled
def draw_evolutionary(table: pd.DataFrame) -> plotters.Figure:
    """Population at the first, third and last generation: who is kept, who discarded, who is new."""
    run, surface = split_layers(table)
    figure, three = canvas.panels(3, 3.3)
    for axes, generation in zip(three, (1, 3, _values(run, "generation")[-1]), strict=True):
        part = run[run["generation"] == generation]
        contours = canvas.draw_surface(axes, surface)
        _draw_population(axes, part)
        axes.set_title(f"generation {generation}; median loss {part['loss'].median():.3f}")
    canvas.star(three[-1], run)
    canvas.finish(figure, contours, three)
    return figure


def _draw_population(axes: plotters.Axes, part: pd.DataFrame) -> None:
    is_new = part["is_new"].astype(bool)
    canvas.dots(axes, part[~is_new], label="parent")
    for origin, marker in (("random", "o"), ("recombination", "s"), ("mutation", "^")):
        new = part[is_new & (part["origin"] == origin)]
        canvas.dots(axes, new, s=24, marker=marker, color=HIGHLIGHT, label=f"new: {origin}")
    canvas.crosses(axes, part[part["discarded"].astype(bool)], label="discarded")


FIGURE5: Final = _explained(
    "figure5",
    summarise=partial(summarise, search=evolutionary_search, name="evolutionary"),
    caption=f"""Figure 5 of document 001.
    Evolutionary search: a population of 16, whose worse half gives way to recombined or mutated children of the
    better half (crosses: discarded), {_SURFACE}.""",
    draw=draw_evolutionary,
)


# Figure 6: early stopping --------------------------------------------------------------------------------------


@style.styled
def draw_early_stopping(table: pd.DataFrame) -> plotters.Figure:
    """Where the candidates lie and how far each got; what each scored at every rung."""
    run, surface = split_layers(table)
    figure, (left, right) = canvas.panels(2, 3.5)
    contours = canvas.draw_surface(left, surface)
    last_seen, most = run.groupby("candidate").tail(1), run["n_rows"].max()
    for n_rows in _values(run, "n_rows"):
        part = last_seen[last_seen["n_rows"] == n_rows]
        canvas.dots(left, part, s=60.0 * n_rows / most, label=f"last trained on {n_rows} rows")
    canvas.star(left, run[run["n_rows"] == most], label="returned")
    left.set_title("where each candidate stopped")
    _draw_rungs(right, run)
    canvas.draw_region_edge(right, optimum_loss(surface["loss"]))
    right.set_ylim(0.9 * run["loss"].min(), 1.1 * run["loss"].max())
    right.set(xlabel="training rows", ylabel="validation loss", title="loss at each rung")
    canvas.finish(figure, contours, [left], beside=[right])
    return figure


def _draw_rungs(axes: plotters.Axes, run: pd.DataFrame) -> None:
    survives = run["survives"].astype(bool)
    for candidate in _values(run, "candidate"):
        line = run[run["candidate"] == candidate]
        axes.plot(line["n_rows"], line["loss"], color="#B8BCC2", lw=0.7, zorder=1)
    canvas.dots(axes, run[survives], "n_rows", "loss", label="goes on")
    canvas.crosses(axes, run[~survives], "n_rows", "loss", s=16, label="stopped")
    returned = run[survives & (run["n_rows"] == run["n_rows"].max())]
    canvas.star(axes, returned, "n_rows", "loss", label="returned")
    plotters.log_ticks(axes, _values(run, "n_rows"))


FIGURE6: Final = _explained(
    "figure6",
    summarise=partial(summarise, search=early_stopping_search, name="early_stopping"),
    caption=f"""Figure 6 of document 001.
    Early stopping by successive halving: 64 random candidates on 20 training rows, the better half on twice as
    many, until 160, {_SURFACE}.""",
    draw=draw_early_stopping,
)


# Figure 7: hypergradient descent -------------------------------------------------------------------------------


@style.styled
def draw_hypergradient(table: pd.DataFrame) -> plotters.Figure:
    """The path from each start over the surface, and its loss per iteration."""
    from matplotlib.ticker import MaxNLocator

    run, surface = split_layers(table)
    figure, (left, right) = canvas.panels(2, 3.5)
    contours = canvas.draw_surface(left, surface)
    for start, (color, line) in zip(_values(run, "start"), _STARTS, strict=True):
        path = run[run["start"] == start]
        _draw_path(left, path, color)
        right.plot(path["iteration"], path["loss"], line, color=color, label=f"path from start {start}")
    canvas.star(left, run)
    left.set_title("where each path goes")
    canvas.draw_region_edge(right, optimum_loss(surface["loss"]))
    right.xaxis.set_major_locator(MaxNLocator(integer=True))
    right.set(xlabel="iteration", ylabel="validation loss", title="loss on the way")
    canvas.finish(figure, contours, [left], beside=[right])
    return figure


def _draw_path(axes: plotters.Axes, path: pd.DataFrame, color: str) -> None:
    axes.plot(path[X], path[Y], color="white", lw=2.6, zorder=3)
    axes.plot(path[X], path[Y], color=color, lw=1.4, zorder=3)
    canvas.dots(axes, path.iloc[1:], s=8, color=color, edgecolor="white", linewidth=0.4, label="iterate")
    canvas.dots(
        axes, path.iloc[:1], s=36, marker="s", color=color, edgecolor="white", zorder=4, label="random start"
    )


FIGURE7: Final = _explained(
    "figure7",
    summarise=partial(summarise, search=hypergradient_search, name="hypergradient"),
    caption=f"""Figure 7 of document 001.
    Hypergradient descent (Adam, exact hypergradient) from three random starts {_SURFACE}.""",
    draw=draw_hypergradient,
)
ARTEFACTS: Final = (FIGURE2, FIGURE3, FIGURE4, FIGURE5, FIGURE6, FIGURE7)
