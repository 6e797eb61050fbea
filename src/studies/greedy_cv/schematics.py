"""Figures 1 to 10 of document 001: each explains one thing, and is drawn from a real small run of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

import pandas as pd
from matplotlib.figure import Figure

from studies.greedy_cv import cross_validation
from studies.greedy_cv.searches import figures, loop, summaries


class Schematic(NamedTuple):
    """One figure.

    Attributes:
        summarise: from a seed, the table that is drawn and written beside the picture.
        draw: from that table, read back or not, the figure.
        caption: with `{seed}` still to be filled in (`caption.format(seed=...)`).
    """

    summarise: Callable[[int], pd.DataFrame]
    draw: Callable[[pd.DataFrame], Figure]
    caption: str


_SURFACE = "over the true validation loss of a kernel ridge classifier on wdbc (dashes: its best tenth)"
_PROGRESS = (
    f"-fold selection among {cross_validation.N_CANDIDATES} nearest-neighbour candidates on wdbc,"
    f" replayed on their scores and stopped after {cross_validation.BUDGET} fold evaluations"
    " (dark cells, with their step)"
)


def _schematic(
    name: str,
    summarise: Callable[[int], pd.DataFrame],
    draw: Callable[[pd.DataFrame], Figure],
    text: str,
) -> Schematic:
    output = f"results/greedy_cv/figures/{name}.png"
    call = f"`python -m studies figure greedy_cv {name} --seed {{seed}} --output {output}`"
    return Schematic(summarise, draw, f"{text}. Seed {{seed}}; written by {call}.")


FIGURES: Final[Mapping[str, Schematic]] = {
    row[0]: _schematic(*row)
    for row in (
        (
            "figure1",
            loop.summarise_loop,
            loop.draw_loop,
            "The general loop of a guided search, with the numbers of the last pass of the Bayesian run"
            " of figure 4, and the loss of each pass",
        ),
        (
            "figure2",
            summaries.summarise_grid,
            figures.draw_candidates,
            f"Grid search with 9 and with 64 candidates {_SURFACE}; strokes at the edges mark the values tried",
        ),
        (
            "figure3",
            summaries.summarise_random,
            figures.draw_candidates,
            f"Random search with a budget of 9 and of 64 candidates, the first 9 being the same, {_SURFACE};"
            " strokes at the edges mark the values tried",
        ),
        (
            "figure4",
            summaries.summarise_bayesian,
            figures.draw_bayesian,
            f"Bayesian optimisation: surrogate and acquisition during the run, and the whole run {_SURFACE}",
        ),
        (
            "figure5",
            summaries.summarise_evolutionary,
            figures.draw_evolutionary,
            "Evolutionary search: a population of 16, whose worse half gives way to recombined or"
            f" mutated children of the better half (crosses: discarded), {_SURFACE}",
        ),
        (
            "figure6",
            summaries.summarise_early_stopping,
            figures.draw_early_stopping,
            "Early stopping by successive halving: 64 random candidates on 20 training rows, the better"
            f" half on twice as many, until 160, {_SURFACE}",
        ),
        (
            "figure7",
            summaries.summarise_hypergradient,
            figures.draw_hypergradient,
            f"Hypergradient descent (Adam, exact hypergradient) from three random starts {_SURFACE}",
        ),
        (
            "figure8",
            cross_validation.summarise_k_fold,
            cross_validation.draw_k_fold,
            "Standard k-fold cross-validation (k = 5) of one decision tree on the 569 rows of wdbc,"
            " stratified and shuffled",
        ),
        (
            "figure9",
            cross_validation.summarise_standard,
            cross_validation.draw_progress,
            f"Standard k{_PROGRESS}",
        ),
        (
            "figure10",
            cross_validation.summarise_greedy,
            cross_validation.draw_progress,
            f"Greedy k{_PROGRESS}",
        ),
    )
}
