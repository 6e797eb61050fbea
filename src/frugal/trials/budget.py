"""The budget that document 004 gives HyperTune's rivals: what HyperTune spent until it converged.

Source: its section "Experimental setting": the running time includes "the time to converge to the best validation
set performance (not considering if the improvement is within the 2 sigma), and the time for smaller dataset
experiments", which are counted one after the other. So the budget is all that was spent on subsets, and what was
spent on all rows up to the first trial whose error is within two sigma of the lowest. The document does not say
which sigma it means, so it is an argument.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from frugal.checks import check_number


@dataclass(frozen=True)
class Budget:
    """Spending in seconds, the optimiser's included.

    Attributes:
        on_subsets: spending on all trials on subsets.
        converged: spending on trials on all rows, up to the first one within two sigma of the final best.
        sigma: standard deviation of the noise of errors.
    """

    on_subsets: float
    converged: float
    sigma: float

    @property
    def total(self) -> float:
        """The budget of the rivals."""
        return self.on_subsets + self.converged


def budget(table: pd.DataFrame, sigma: float) -> Budget:
    """Apply the budget rule to one run.

    Args:
        table: the trials of the run in order, columns `runs.COLUMNS`; those without `n_rows` are on all rows.
        sigma: standard deviation of the noise of errors, at least 0.

    Raises:
        ValueError: on a negative sigma, or fewer than two trials on all rows that succeeded.
    """
    check_number("sigma", sigma, 0)
    spent = table["seconds"] + table["overhead_s"]
    partial = table["n_rows"].notna()
    succeeded = ~partial & table["error"].notna()
    if succeeded.sum() < 2:
        raise ValueError(f"a budget needs at least two trials on all rows that succeeded, got {succeeded.sum()}")
    near = table["error"][succeeded] <= table["error"][succeeded].min() + 2.0 * sigma
    first = int(np.flatnonzero(table.index == near.idxmax())[0])
    until = (np.arange(len(table)) <= first) & ~partial.to_numpy()
    return Budget(float(spent[partial].sum()), float(spent[until].sum()), sigma)
