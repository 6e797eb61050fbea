"""Evolutionary search (2.2.4 of document 001): the worst give way to children of the best."""

from __future__ import annotations

import numpy as np
import pandas as pd

from studies.greedy_cv.searches.problem import AXES, Array, Problem, to_point, to_unit

POPULATION = 16
N_GENERATIONS = 7
"""Half of the population is new in each later generation: 16 + 6 x 8 = 64 evaluations."""
MUTATION_SD = 0.1
"""Standard deviation of a mutation, as a share of each axis."""


def evolutionary_search(
    problem: Problem,
    rng: np.random.Generator,
    *,
    population: int = POPULATION,
    n_generations: int = N_GENERATIONS,
) -> pd.DataFrame:
    """Rank, discard the worse half, replace it by children of the better half; repeat.

    Returns:
        One row per generation and member, best first: generation (from 1), step (at which the member was
        evaluated), log10_gamma, log10_lambda, loss, origin (random, recombination or mutation), is_new (first
        seen in this generation), discarded (at the end of this generation), best_so_far.
    """
    members = _evaluate(problem, to_point(rng.random((population, 2))), ["random"] * population, 1)
    history = []
    for generation in range(1, n_generations + 1):
        members = members.sort_values("loss", kind="stable", ignore_index=True)
        is_last = generation == n_generations
        rank = np.arange(population)
        discarded = (rank >= population // 2) & (not is_last)
        history.append(members.assign(generation=generation, discarded=discarded))
        if not is_last:
            parents = members[: population // 2].assign(is_new=False)
            points, origins = breed(parents[list(AXES)].to_numpy(), population - len(parents), rng)
            n_steps = int(members["step"].max())
            members = pd.concat([parents, _evaluate(problem, points, origins, n_steps + 1)])
    table = pd.concat(history, ignore_index=True)
    return table.assign(best_so_far=table["loss"].cummin())


def breed(parents: Array, n_children: int, rng: np.random.Generator) -> tuple[Array, list[str]]:
    """Children, shape (n_children, 2), and how each came about, by the toss of a coin.

    A recombined child takes the one hyperparameter from one parent and the other from another; a mutated
    child is one parent plus normal noise, kept inside the bounds.
    """
    children, origins = [], []
    for _ in range(n_children):
        first, second = parents[rng.choice(len(parents), size=2, replace=False)]
        if rng.random() < 0.5:
            children.append(np.array([first[0], second[1]]))
            origins.append("recombination")
        else:
            noise = rng.normal(0.0, MUTATION_SD, size=2)
            children.append(to_point(np.clip(to_unit(first) + noise, 0.0, 1.0)))
            origins.append("mutation")
    return np.array(children), origins


def _evaluate(problem: Problem, points: Array, origins: list[str], first_step: int) -> pd.DataFrame:
    table = pd.DataFrame(points, columns=list(AXES))
    table["loss"] = [problem.loss(point) for point in points]
    steps = np.arange(first_step, first_step + len(points))
    return table.assign(step=steps, origin=origins, is_new=True)
