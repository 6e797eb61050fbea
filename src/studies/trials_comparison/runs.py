"""Searches on one problem made comparable: what each had spent after a trial, and how good its incumbent was.

What is judged is the test error of the incumbent, fitted on all rows and for all epochs, against the least known.
Where a search was on a table or on stored curves, both are looked up, and the least is that of the table. Where it
was live, what was chosen is fitted, and the least is that of all choices of all methods from the same seed, whose
rows they share: the regret is then a lower bound of the true one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pandas as pd

from frugal.trials.lines import JournalPath
from frugal.trials.problem_by_name import CURVES, LOOKUP
from studies.big_data.size_aware.searched import is_trial, least_test_error
from studies.shared.refits import SeedFits
from studies.tidy import need_columns
from studies.trials_comparison.listed import CELL, COLUMNS

_NEEDED: Final = (*CELL, "data", "id", "seconds", "cost", "overhead_s", "incumbent")


def refits(
    runs: pd.DataFrame,
    settings: Mapping[str, Any],
    root: str | Path = "data",
    journal_path: JournalPath | None = None,
) -> pd.DataFrame:
    """Searches as paths; what live ones chose is fitted on all rows and tested.

    Args:
        runs: rows of `trials.searches.search` on one problem and, of a table or stored curves, all of its rows.
        settings: of live searches those of `hypertune.runs.refits`; and not_run, the compared methods that are not
            run on this problem at this scale.
        root: folder of the datasets.
        journal_path: where fits are kept as they are made; None: nowhere.

    Returns:
        `COLUMNS`, by method, seed and trial; of a method that is not run one row, with nothing but its name.

    Raises:
        ValueError: if a column is missing, there are no searches, or they are on several problems.
    """
    need_columns(runs, _NEEDED)
    found = runs[is_trial(runs)].sort_values([*CELL, "id"], kind="stable", ignore_index=True)
    problems = found[["learner", "dataset"]].drop_duplicates()
    if len(problems) != 1:
        raise ValueError(f"the runs must hold searches on one problem, got {len(problems)}")
    checks = found["check_s"].fillna(0.0) if "check_s" in found else 0.0
    overhead = found["overhead_s"] + checks
    by = [found["method"], found["seed"]]
    spent = {
        "overhead": overhead.groupby(by).cumsum(),
        "seconds": (found["seconds"] + overhead).groupby(by).cumsum(),
        "cost": found["cost"].groupby(by).cumsum(),
        "trials": found.groupby(by).cumcount() + 1,
    }
    if found["learner"].iloc[0] in (LOOKUP, CURVES):
        found["least"] = least_test_error(runs)
    else:
        own = {key: value for key, value in settings.items() if key != "not_run"}
        found = _fitted(found, SeedFits(own, root, journal_path))
    found["seed"] = found["seed"].astype(int)
    found = found.assign(**spent)[list(COLUMNS)]
    absent = [name for name in settings.get("not_run", ()) if name not in set(found["method"])]
    if not absent:
        return found
    facts = found[["learner", "dataset", "data"]].iloc[0].to_dict()
    rows = pd.DataFrame({"method": absent, **facts, "seed": -1}).reindex(columns=list(COLUMNS))
    return pd.concat([found, rows], ignore_index=True)


def _fitted(found: pd.DataFrame, fits: SeedFits) -> pd.DataFrame:
    """The searches with test_error and least."""
    chosen = found["incumbent"].map(lambda text: json.loads(text) if isinstance(text, str) else None)
    cells = zip(found["learner"], found["dataset"], found["seed"], chosen, strict=True)
    found["test_error"] = [fits.fit(*cell[:2], int(cell[2]), cell[3])["test_error"] for cell in cells]
    return found.assign(least=found.groupby("seed")["test_error"].transform("min"))
