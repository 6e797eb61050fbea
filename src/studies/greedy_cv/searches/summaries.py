"""What figures 2 to 7 of document 001 are drawn from: each search run from a seed, and the true surface.

The tables hold two layers: `evaluation` rows, one per evaluation in order, and `surface` rows, the true loss
at every point of a grid.
"""

from __future__ import annotations

import pandas as pd

from frugal.seeds import rng_for
from studies.greedy_cv.searches.bayesian import N_INITIAL, bayesian_search, surrogate_panels
from studies.greedy_cv.searches.early_stopping import early_stopping_search
from studies.greedy_cv.searches.enumerated import PER_AXIS, grid_search, random_search
from studies.greedy_cv.searches.evolutionary import evolutionary_search
from studies.greedy_cv.searches.hypergradient import hypergradient_search
from studies.greedy_cv.searches.problem import make_problem, on_one_thread

N_SEEN = N_INITIAL + 2
"""Steps after which figure 4 looks into the surrogate."""


@on_one_thread
def summarise_grid(seed: int) -> pd.DataFrame:
    """Grid searches of 9 and of 64 candidates (column n_candidates), and the surface."""
    problem = make_problem(seed)
    runs = [grid_search(problem, per_axis=n) for n in PER_AXIS]
    return _layers(pd.concat(runs), problem.surface)


@on_one_thread
def summarise_random(seed: int) -> pd.DataFrame:
    """Random searches of 9 and of 64 candidates (column n_candidates), and the surface."""
    problem = make_problem(seed)
    budgets = [n**2 for n in PER_AXIS]
    runs = [random_search(problem, rng_for("random", seed), n_candidates=n) for n in budgets]
    return _layers(pd.concat(runs), problem.surface)


@on_one_thread
def summarise_bayesian(seed: int) -> pd.DataFrame:
    """Bayesian run; the surface rows also hold what it believed after `n_seen` steps."""
    problem = make_problem(seed)
    run = bayesian_search(problem, rng_for("bayesian", seed))
    n_seen = min(N_SEEN, len(run) - 1)
    return _layers(run, surrogate_panels(problem, run, n_seen).assign(n_seen=n_seen))


@on_one_thread
def summarise_evolutionary(seed: int) -> pd.DataFrame:
    """Evolutionary run, every generation's population, and the surface."""
    problem = make_problem(seed)
    return _layers(evolutionary_search(problem, rng_for("evolutionary", seed)), problem.surface)


@on_one_thread
def summarise_early_stopping(seed: int) -> pd.DataFrame:
    """Successive halving on training rows, rung by rung, and the surface (all rows)."""
    problem = make_problem(seed)
    return _layers(early_stopping_search(problem, rng_for("early_stopping", seed)), problem.surface)


@on_one_thread
def summarise_hypergradient(seed: int) -> pd.DataFrame:
    """Hypergradient descent from each start, and the surface."""
    problem = make_problem(seed)
    return _layers(hypergradient_search(problem, rng_for("hypergradient", seed)), problem.surface)


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
