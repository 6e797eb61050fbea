"""What the runs of a study hold, so that what is made of the runs of one study refuses those of another.

Light to import, since records hold kinds and the workflow reads them at every start.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import pandas as pd

RUN: Final = ("method", "seed", "data")
"""Columns of the runs of methods."""
CELL: Final = (*RUN, "dataset", "classifier", "n", "k")
"""Columns of the runs of strategies of the folds family."""
SEARCH: Final = (*RUN, "learner", "dataset", "id", "error", "seconds", "incumbent")
"""Columns of the runs of searches of the trials family, a row per trial."""
REFIT: Final = (*RUN, "learner", "dataset", "candidate", "n_rows", "test_error")
"""Columns of the fits of what searches chose."""


@dataclass(frozen=True, eq=False)
class Kind:
    """How runs of one kind are recognised.

    Attributes:
        columns: that the runs must have.
        values: by column a regular expression that every value matches, unless it is missing.
        lacks: columns that the runs must not have.
        name: of the kind, which several runs of a paper may share; the run's own by default.
        runs: pattern of the names of the runs, such as `variants/*`; the study's name by default.
    """

    columns: tuple[str, ...]
    values: Mapping[str, str] = field(default_factory=dict)
    lacks: tuple[str, ...] = ()
    name: str = ""
    runs: str = ""

    def holds(self, runs: pd.DataFrame) -> bool:
        """Whether these are runs of this kind."""
        if not set(self.columns) <= set(runs.columns) or set(self.lacks) & set(runs.columns):
            return False
        return all(
            re.fullmatch(pattern, str(value))
            for column, pattern in self.values.items()
            for value in runs[column].dropna().unique()
        )


def of_experiment(name: str, columns: tuple[str, ...] = RUN, *, kind: str = "") -> Kind:
    """The kind of runs that bear the name of their study in the column `experiment`, and have these columns, too.

    `kind` is the name of the kind, where several studies share it.
    """
    return Kind(("experiment", *columns), {"experiment": name}, name=kind)
