"""What tables, figures and claims of document 004 read of its searches: paths, budgets, choices within them."""

from __future__ import annotations

import json
import math
from typing import Final

import pandas as pd

from frugal import learners
from frugal.interface import Candidate
from frugal.trials.budget import Budget, budget
from studies.blocks import SPACE
from studies.tidy import need_columns

CELL: Final = ["learner", "dataset", "method", "seed"]
WHOLE: Final = ("random", "hyperband", "ei", "hypertune")
"""Methods in the figures: with trials on all rows; Fabolas and Hyperband on rows ask for few such."""
_NEEDED: Final = (*CELL, "data", "id", "n_rows", "epochs", "error", "seconds", "overhead_s", "incumbent", "curve")


def paths(runs: pd.DataFrame) -> pd.DataFrame:
    """Searches in order, with what they had found and spent after each trial.

    Args:
        runs: rows of `trials.searches.search` among others'.

    Returns:
        Their columns; length (epochs of its curve), is_whole (the trial was on all rows and, of learners with
        epochs, on all of these), best (the lowest error of such trials so far, nan before one), trial (their
        number so far), spent_s (evaluations and the optimiser's time, those on subsets among them).

    Raises:
        ValueError: if a column is missing, or there are no searches.
    """
    need_columns(runs, _NEEDED)
    found = runs[runs["id"].notna()].sort_values([*CELL, "id"], kind="stable", ignore_index=True)
    if found.empty:
        raise ValueError("the runs hold no searches")
    epochs = pd.to_numeric(found["epochs"])
    found["length"] = found["curve"].map(lambda text: len(json.loads(text)))
    most = found.groupby(["learner", "dataset"])["length"].transform("max")  # HyperTune's are whole
    found["is_whole"] = found["n_rows"].isna() & (epochs.isna() | (epochs == most))
    whole = found["is_whole"] & found["error"].notna()
    by = [found[name] for name in CELL]
    best = found["error"].where(whole, math.inf).groupby(by).cummin()
    return found.assign(
        best=best.replace(math.inf, math.nan),
        trial=found["is_whole"].groupby(by).cumsum(),
        spent_s=(found["seconds"] + found["overhead_s"]).groupby(by).cumsum(),
    )


def scope(found: pd.DataFrame) -> pd.DataFrame:
    """On how much the trials on all rows of searches were: `CELL`, n_rows, n_epochs (0 without), a row per search.

    A trial's cost is its rows times the epochs that it was not continued from, so the rows of a problem are the
    most that any trial's cost comes to per epoch of its curve; a network that diverged has fewer epochs.

    Args:
        found: as of `paths`.
    """
    whole = found[found["n_rows"].isna()]
    on = ["learner", "dataset", "seed"]
    n_rows = (whole["cost"] / whole["length"].clip(lower=1)).groupby([whole[name] for name in on]).transform("max")
    facts = whole[CELL].assign(n_rows=n_rows, n_epochs=whole["length"].where(whole["is_whole"], 0))
    return facts.groupby(CELL, as_index=False, sort=False).max()


def least_scope(found: pd.DataFrame) -> pd.DataFrame:
    """learner, dataset, method, n_rows and n_epochs: the least of `scope` over seeds."""
    return scope(found).groupby(CELL[:3])[["n_rows", "n_epochs"]].min().reset_index()


def binomial_sd(error: float, n_valid: int) -> float:
    """Standard deviation of an error measured on `n_valid` rows."""
    return math.sqrt(error * (1 - error) / n_valid)


def budget_of(path: pd.DataFrame, n_valid: int) -> Budget:
    """The document's budget, from HyperTune's run of one seed.

    The sigma of its rule, which it does not define, is that of the best validation error, being measured on
    `n_valid` rows: one fitted to some ten trials may be anything between none and their whole spread.

    Args:
        path: of one search by HyperTune.
        n_valid: validation rows.

    Raises:
        ValueError: if fewer than two trials on all rows succeeded.
    """
    told = path[path["n_rows"].isna()]["error"].dropna()
    sigma = binomial_sd(float(told.min()), n_valid) if len(told) else 0.0
    return budget(path, learners.space(SPACE, str(path["learner"].iloc[0])), sigma=sigma)


def within(path: pd.DataFrame, total_s: float) -> tuple[Candidate | None, float]:
    """What a search had chosen when a budget was spent, and the seconds that it had spent by then.

    A trial that is under way when the budget ends does not count, unless nothing was chosen before: then it is the
    first choice, and more was spent than the budget.

    Args:
        path: of one search, as of `paths`.
        total_s: the budget.

    Returns:
        The candidate; None if the search never chose any, with all its seconds.
    """
    has_chosen = path["incumbent"].map(lambda text: isinstance(text, str))
    if not has_chosen.any():
        return None, float(path["spent_s"].iloc[-1])
    within_it = has_chosen & (path["spent_s"] <= total_s * (1 + 1e-9))
    row = path[within_it].iloc[-1] if within_it.any() else path[has_chosen].iloc[0]
    return json.loads(row["incumbent"]), float(row["spent_s"])
