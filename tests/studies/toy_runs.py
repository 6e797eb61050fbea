"""Small score tables, runs with given regrets, and the texts of a figure, for tests of results."""

import math

import numpy as np
import pandas as pd

from frugal.folds import ScoreTable


def table(scores, *, dataset="toy", seed=0, space="ranges", seconds=None, n_rows=None):
    scores = np.asarray(scores, dtype=float)
    meta = {
        "dataset": dataset, "data": "generated", "classifier": "knn", "space": space, "seed": seed,
        "n_folds": scores.shape[1], "n_rows": n_rows, "n_rows_of_dataset": 100, "n_classes": 2,
        "folds": list(range(scores.shape[1])), "failures": [],
    }  # fmt: skip
    seconds = np.zeros_like(scores) if seconds is None else seconds
    return ScoreTable(scores, seconds, [{"i": i} for i in range(len(scores))], meta)


def random_table(seed=0, n=30, k=4, **more):
    return table(np.random.default_rng(seed).integers(1, 20, size=(n, k)) / 20, seed=seed, **more)


def small_runs(values, **more):
    """Rows per method (a strategy's name), block (dataset) and seed: `values` is method -> regrets by block."""
    return pd.DataFrame(
        {"method": method, "strategy": method, "budget_share": math.nan, "dataset": f"d{block}",
         "classifier": "knn", "n": 128, "k": 5, "seed": seed, "data": "original", "regret": regret, **more}
        for method, regrets in values.items()
        for block, regret in enumerate(regrets)
        for seed in (0, 1)
    )  # fmt: skip


def texts(figure):
    return [text.get_text() for text in figure.findobj(lambda artist: hasattr(artist, "get_text"))]
