"""What section 2.2 says of its method, quoted.

The sentence on Figure 4 is judged on every stored curve, which is a repetition there. Those on Figure 5 are judged
seed by seed, over the three optimisers; speed is that of `searched.pairs`, in seconds, of epochs, optimiser and
checks, and in epochs alone. CIFAR-100 was not run.

A search meets half of the stored curves: one that met all would end with the best of them unless that was cut, so
that quality would be the same by construction. What is said to be the same, or none, has to be so within a margin
that was fixed before any run, by the whole interval: noise must not help.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from studies.big_data.curves import fits
from studies.big_data.curves.searched import (
    CURRENCIES,
    METHODS,
    NAMES,
    OPTIMISERS,
    SETS,
    pairs,
    searches,
    shares_cut,
)
from studies.verdicts import Arrays, Claim, check_claimed

N_SEEDS: Final = 10
FLOOR: Final = {"stored": 40, "curves": 20, "epochs": 50}
"""Under which no verdict is given: curves of each set, distinct ones that each search meets, and their epochs."""
SAME: Final = 0.01
"""Difference of validation errors that is none."""
FEW: Final = 0.05
"""Share of trials that is none: 1 - delta, the risk that the rule takes with each of them."""
_IN: Final = {"seconds": "seconds of epochs, optimiser and checks", "epochs": "epochs"}

# Figure 4 ------------------------------------------------------------------------------------------------------

_SMALLEST = "the linear combination has the smallest deviation Δy from the observed data after 300 iterations"


def _share_best(arrays: Arrays) -> float:
    return float(arrays["best"].mean())


def _less_best_family(arrays: Arrays) -> float:
    """Median deviation of the combination, less the least one of a family; a missing value is the worst."""
    medians = np.median(np.where(np.isnan(arrays["deviation"]), np.inf, arrays["deviation"]), axis=-1)
    return float(medians[-1] - medians[:-1].min())


def _fits() -> tuple[Claim, ...]:
    how = "fitted up to the check nearest to a sixth of each stored curve, both sets"
    return (
        Claim(
            f'"{_SMALLEST}" (share of the curves in which it has; {how})',
            1.0,
            _share_best,
            every=True,
            bounds=(0.0, 1.0),
        ),
        Claim(
            f'"{_SMALLEST}" (its median over the curves less that of the best family; below 0 if so; {how})',
            math.nan,
            _less_best_family,
        ),
    )


# Figure 5 ------------------------------------------------------------------------------------------------------


def _speed_up(arrays: Arrays, dataset: str, currency: str) -> float:
    """Geometric mean over optimisers and seeds."""
    return float(2 ** arrays[f"{dataset} {currency}"].mean())


def _mean(arrays: Arrays, name: str) -> float:
    return float(arrays[name].mean())


def _apart(arrays: Arrays, dataset: str) -> float:
    """Largest distance over the optimisers of their mean last errors, less `SAME`."""
    return float(np.abs(arrays[f"{dataset} error"].mean(axis=1)).max()) - SAME


def _high(arrays: Arrays, dataset: str) -> float:
    """Share of the best tenth that is cut, less `FEW`."""
    return _mean(arrays, f"{dataset} high") - FEW


def _high_less_low(arrays: Arrays, dataset: str) -> float:
    """Share of the best tenth that is cut, less that of the worse half."""
    return _mean(arrays, f"{dataset} high") - _mean(arrays, f"{dataset} low")


def _none(arrays: Arrays) -> float:
    return math.nan


_FACTOR = "consistently speeds up the hyperparameter optimization by a factor of two across the tested datasets"
_CIFAR_100 = Claim(f'"{_FACTOR}" (CIFAR-100)', 2.0, _none, rounding=1.0)


def _of(dataset: str) -> tuple[Claim, ...]:
    name, means = NAMES[dataset], "mean over optimisers and seeds"
    return (
        Claim(
            f'"configurations with learning curves that tend to approach low accuracies are terminated early" '
            f"({name}: share cut of the best tenth less that of the worse half, {means}; below 0 if so)",
            math.nan,
            partial(_high_less_low, dataset=dataset),
            bounds=(-1.0, 1.0),
        ),
        Claim(
            f'"Configurations with high accuracies are evaluated until convergence" ({name}: share cut of the '
            f"best tenth, {means}, less {FEW}; below 0 if so)",
            math.nan,
            partial(_high, dataset=dataset),
            bounds=(-FEW, 1.0 - FEW),
        ),
        *(
            Claim(
                f'"{_FACTOR}" ({name}: {_IN[currency]} without termination over with, until both searches have '
                "the higher of their two last best validation errors, geometric mean over optimisers and seeds)",
                2.0,
                partial(_speed_up, dataset=dataset, currency=currency),
                rounding=1.0,
                bounds=(0.0, math.inf),
            )
            for currency in CURRENCIES
        ),
        Claim(
            f'"while reaching the same quality" ({name}: distance of the last best validation errors with '
            f"termination and without, of searches that meet half of the curves, means over seeds, largest over "
            f"optimisers, less {SAME}; below 0 if so)",
            math.nan,
            partial(_apart, dataset=dataset),
            bounds=(-SAME, math.inf),
        ),
    )


CLAIMS: Final[dict[str, tuple[Claim, ...]]] = {
    "curve_fits": _fits(),
    "curve_search": (*(claim for dataset in SETS.values() for claim in _of(dataset)), _CIFAR_100),
}
"""By runs, in the order of the document."""


def arrays(experiment: str, runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    """What the claims are on.

    Args:
        experiment: key of `CLAIMS`.
        runs: its extrapolations or searches.

    Returns:
        Of curve_fits: deviation (n_models, n_curves), models as in `fits.MODELS`; best (n_curves,), whether the
        combination has the least. Of curve_search, by data, each (n_optimisers, n_seeds) over the seeds that every
        search has: "{data} seconds" and "{data} epochs", log2 of the speed-up; "{data} error"; "{data} high" and
        "{data} low"; nan of data or optimisers not run.

    Raises:
        ValueError: on an unknown experiment.
    """
    check_claimed(experiment, CLAIMS)
    if experiment == "curve_fits":
        found = fits.deviations(runs)
        found = found.assign(curve=found["dataset"] + " " + found["seed"].astype(str))
        wide = found.pivot_table("deviation", index="model", columns="curve", dropna=False)
        best = found[found["model"] == fits.COMBINATION].set_index("curve")["best"].reindex(wide.columns)
        return {"deviation": wide.reindex(fits.MODELS).to_numpy(float), "best": best.to_numpy(float)}
    both = pairs(runs)
    table = both.merge(shares_cut(runs), on=["dataset", "optimiser", "seed"])
    columns = {"seconds": "log2_seconds", "epochs": "log2_epochs", "error": "error", "high": "high", "low": "low"}
    wide = table.pivot_table(list(columns.values()), index="seed", columns=["dataset", "optimiser"]).dropna()
    return {
        f"{dataset} {name}": np.array(
            [wide[of].get((dataset, optimiser), pd.Series(np.nan, wide.index)) for optimiser in OPTIMISERS],
            dtype=float,
        )
        for dataset in SETS.values()
        for name, of in columns.items()
    }


def reaches_floor(experiment: str, runs: pd.DataFrame) -> bool:
    """Whether runs are enough for a verdict: both sets, `FLOOR`, and of searches ten seeds of every method.

    Raises:
        ValueError: on an unknown experiment.
    """
    check_claimed(experiment, CLAIMS)
    if experiment == "curve_fits":
        found = fits.ended(runs).groupby("dataset")
        n_curves, n_epochs = found["id"].nunique(), found["n_epochs"].min()
    else:
        table = searches(runs)
        seeds = table.groupby(["dataset", "method"])["seed"].nunique()
        met = table.groupby(["dataset", "method", "seed"])["curve_id"].nunique()
        if len(seeds) < len(SETS) * len(METHODS) or seeds.min() < N_SEEDS or met.min() < FLOOR["curves"]:
            return False
        found = table.groupby("dataset")
        n_curves, n_epochs = found["curve_id"].nunique(), found["n_epochs"].max()
    enough = len(n_curves) == len(SETS) and n_curves.min() >= FLOOR["stored"]
    return bool(enough and n_epochs.min() >= FLOOR["epochs"])


def not_testable(experiment: str, runs: pd.DataFrame) -> set[str]:
    """The claim on CIFAR-100, which is not among the stored curves.

    Raises:
        ValueError: on an unknown experiment.
    """
    check_claimed(experiment, CLAIMS)
    return {_CIFAR_100.text} if experiment == "curve_search" else set()
