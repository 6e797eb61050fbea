"""Rows of document 004's experiments beside its searches: what these chose, fitted and tested; and Figure 1."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import pandas as pd

from frugal.checks import check_settings
from frugal.trials.lines import JournalPath
from studies.blocks import rows_of
from studies.hypertune.complexity import METHODS, complexity
from studies.hypertune.listed import CONTROLS, MAJORITY, TESTER
from studies.hypertune.searched import budget_of, paths, within
from studies.shared.refits import SeedFits

SETTINGS: Final = ("n_train", "n_valid", "n_test", "scalers", "epochs")


def refits(
    runs: pd.DataFrame,
    settings: Mapping[str, Any],
    root: str | Path = "data",
    journal_path: JournalPath | None = None,
) -> pd.DataFrame:
    """What each search had chosen within HyperTune's time of its seed, fitted on all its rows and tested.

    A candidate that several searches of a seed chose is fitted once. Beside the methods stands `majority`: what
    always saying the training rows' most frequent class comes to. Controls, which are compared by trials, are left
    out.

    Args:
        runs: rows of `trials.searches.search`, HyperTune's among them.
        settings: n_train, training rows, n_valid, validation rows, and n_test, test rows of datasets that set none
            apart, each one number or one by dataset; scalers, by dataset; epochs, of learners trained in epochs.
        root: folder of the datasets.
        journal_path: where fits are kept as they are made, so that a killed job goes on; None: nowhere.

    Returns:
        A row per search: experiment ({learner}_refits), method, learner, dataset, seed, data, candidate, budget_s
        (all that the seed's methods may spend), spent_s (what this one had), whole_s (all of the search), n_rows,
        n_epochs (nan without), test_error, nan where training diverged or failed, which is said, or nothing was
        chosen.

    Raises:
        ValueError: if a seed has no search by HyperTune, on an unknown setting, or the journal is another job's.
    """
    check_settings(settings, SETTINGS, complete=False)
    fits = SeedFits(settings, root, journal_path)
    rows = []
    found = paths(runs[~runs["method"].isin(CONTROLS)])
    for cell, part in found.groupby(["learner", "dataset", "seed"], sort=False):
        learner, dataset, seed = str(cell[0]), str(cell[1]), int(part["seed"].iloc[0])
        by = {str(method): path for method, path in part.groupby("method", sort=False)}
        if TESTER not in by:
            raise ValueError(f"{learner} on {dataset} has no search by {TESTER} from seed {seed}, so no budget")
        total_s = budget_of(by[TESTER], rows_of(settings, dataset)["n_valid"]).total
        facts = {"learner": learner, "dataset": dataset, "seed": seed, "data": part["data"].iloc[0]}
        rows.append({"method": MAJORITY, **facts, **fits.majority(learner, dataset, seed)})
        for method, path in by.items():
            chosen, spent_s = within(path, total_s)
            spent = {"budget_s": total_s, "spent_s": spent_s, "whole_s": float(path["spent_s"].iloc[-1])}
            rows.append({"method": method, **facts, **spent, **fits.fit(learner, dataset, seed, chosen)})
    table = pd.DataFrame(rows)
    table.insert(0, "experiment", table["learner"] + "_refits")
    return table


Run = Callable[[str, int, Mapping[str, Any], str | Path], pd.DataFrame]
EXPERIMENTS: Final[dict[str, tuple[Run, tuple[str, ...]]]] = {"complexity": (complexity, METHODS)}
"""Those that are no searches: what makes the rows of one method and seed, and the methods."""
