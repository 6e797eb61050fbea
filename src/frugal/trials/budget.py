"""The budget that document 004 gives HyperTune's rivals: what HyperTune spent until it converged.

Source: its section "Experimental setting": the running time includes "the time to converge to the best validation
set performance (not considering if the improvement is within the 2 sigma), and the time for smaller dataset
experiments", which are counted one after the other. So the budget is all that was spent on subsets, and what was
spent on all rows up to the first trial whose error is within two sigma of the lowest. The document does not say
which sigma it means. Here it is the standard deviation of the noise of a Gaussian process fitted to the successful
trials on all rows.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from frugal.checks import check_choice, check_number
from frugal.spaces import SearchSpace
from frugal.stats import mean_and_sd
from frugal.trials.encoding import Encoding
from frugal.trials.surrogates import GP

CURRENCIES: Final = ("seconds", "cost")


@dataclass(frozen=True)
class Budget:
    """Spending in seconds (the optimiser's included), or in the learner's proxy of cost.

    Attributes:
        on_subsets: spending on all trials on subsets.
        converged: spending on trials on all rows, up to the first one within n_sigmas of the final best.
        sigma: standard deviation of the noise of errors.
    """

    on_subsets: float
    converged: float
    sigma: float

    @property
    def total(self) -> float:
        """The budget of the rivals."""
        return self.on_subsets + self.converged


def budget(
    table: pd.DataFrame,
    space: SearchSpace,
    *,
    currency: str = "seconds",
    n_sigmas: float = 2.0,
    sigma: float | None = None,
) -> Budget:
    """Apply the budget rule to one run.

    Args:
        table: the trials of the run in order, columns `runs.COLUMNS`; those without `n_rows` are on all rows.
        space: the search space.
        currency: `seconds` or `cost`.
        n_sigmas: improvements of at most so many sigma do not count.
        sigma: standard deviation of the noise of errors; None: that of a Gaussian process fitted to the errors on
            all rows.

    Raises:
        ValueError: on another currency, a negative number, or fewer than two trials on all rows that succeeded.
    """
    check_choice("currency", currency, CURRENCIES)
    check_number("n_sigmas", n_sigmas, 0)
    spent = table["cost"] if currency == "cost" else table["seconds"] + table["overhead_s"]
    partial = table["n_rows"].notna()
    succeeded = ~partial & table["error"].notna()
    if succeeded.sum() < 2:
        raise ValueError(f"a budget needs at least two trials on all rows that succeeded, got {succeeded.sum()}")
    if sigma is None:
        sigma = noise_sd(table[succeeded], space)
    check_number("sigma", sigma, 0)
    near = table["error"][succeeded] <= table["error"][succeeded].min() + n_sigmas * sigma
    first = int(np.flatnonzero(table.index == near.idxmax())[0])
    until = (np.arange(len(table)) <= first) & ~partial.to_numpy()
    return Budget(float(spent[partial].sum()), float(spent[until].sum()), sigma)


def noise_sd(table: pd.DataFrame, space: SearchSpace) -> float:
    """Fitted noise of a Gaussian process on the errors of trials: a standard deviation, in their unit."""
    encoding, errors = Encoding(space), table["error"].to_numpy(dtype=float)
    X = np.array([encoding.encode(json.loads(text)) for text in table["candidate"]])
    mean, sd = mean_and_sd(errors)
    gp = GP("se", lengthscale=None, amplitude=None, noise_variance=None, prior="repaired")
    return sd * float(np.sqrt(gp.fit(X, (errors - mean) / sd).noise_variance))
