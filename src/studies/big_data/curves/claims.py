"""What section 2.2 says of its method, quoted.

The sentence on Figure 4 is judged on every stored curve, which is a repetition there. Those on Figure 5 are judged
seed by seed, over the three optimisers together. Speed is that of `searched.pairs`, in seconds of epochs,
optimiser and checks; speed in epochs alone is a finding. CIFAR-100 was not run.

A search meets half of the stored curves: one that met all would end with the best of them unless that was cut, so
that quality would be the same by construction.
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
    METHODS,
    NAMES,
    OPTIMISERS,
    SETS,
    pairs,
    searches,
    shares_cut,
)
from studies.cells import every
from studies.estimates import Arrays, Estimate, clustered_share, mean, ratio, share
from studies.records import Claim
from studies.regions import above, at_least, at_most, factor_of_two, near
from studies.verdicts import check_claimed

N_SEEDS: Final = 10
FLOOR: Final = {"stored": 40, "curves": 20, "epochs": 50}
"""Under which no verdict is given: curves of each set, distinct ones that each search meets, and their epochs."""
SAME: Final = 1.0
"""Points by which errors may differ and be the same: the standard error of CIFAR-10's validation errors, which are
near one half, on 2,000 rows. No number is printed; 5 points, as of other accuracies, exceed MNIST's errors."""
ALL: Final = 95.0
"""Per cent that a sentence without exceptions asks for: 5 points less than all."""
FEW: Final = 5.0
"""Per cent of trials that is none: 1 - delta, the risk that the rule takes with each of them."""

# Figure 4 ------------------------------------------------------------------------------------------------------


def _share_best(arrays: Arrays, rng: np.random.Generator) -> Estimate:
    return share(arrays["best"], unit=100)


def _nearer_than_each(arrays: Arrays, rng: np.random.Generator) -> Estimate:
    """Per cent of the curves on which the combination is nearer than a family; a missing value is the worst."""
    away = arrays["deviation"]
    far = np.where(np.isnan(away), np.inf, away)
    nearer = np.where(np.isnan(away[:-1]) & np.isnan(away[-1]), np.nan, far[-1] < far[:-1])
    return every(100 * nearer, above(50), noun="families", names=fits.MODELS[:-1])


def _fits() -> tuple[Claim, ...]:
    fitted = "fitted to about the first sixth of each stored curve of CIFAR-10 and MNIST"
    return (
        Claim(
            id="big_data.curve_fits.combination_nearest",
            section="2.2",
            quote="the linear combination has the smallest deviation Δy from the observed data after 300 "
            "iterations",
            quantity=f"share of curves at whose end the combination is nearer than all 11 families, {fitted}",
            unit="%",
            agrees=at_least(ALL),
            measure=_share_best,
            artefact="tables/curve_fits",
        ),
        Claim(
            id="big_data.curve_fits.combination_against_each",
            section="2.2",
            quote="",
            quantity=f"share of curves at whose end the combination is nearer than each single family, {fitted}",
            unit="%",
            agrees=above(50),
            measure=_nearer_than_each,
            artefact="tables/curve_fits",
            is_ours=True,
        ),
    )


# Figure 5 ------------------------------------------------------------------------------------------------------


def _share_cut(arrays: Arrays, rng: np.random.Generator, *, dataset: str, half: str) -> Estimate:
    cases = arrays[f"{dataset} n_{half}"]
    cut = np.rint(arrays[f"{dataset} {half}"] * cases)
    return clustered_share(cut.sum(axis=0), cases.sum(axis=0), unit=100)


def _speed_up(arrays: Arrays, rng: np.random.Generator, *, dataset: str, currency: str) -> Estimate:
    """Geometric mean over optimisers and seeds."""
    by_seed = np.exp2(arrays[f"{dataset} {currency}"].mean(axis=0))
    return ratio(by_seed, np.ones_like(by_seed))


def _apart(arrays: Arrays, rng: np.random.Generator, *, dataset: str) -> Estimate:
    return mean(100 * arrays[f"{dataset} error"].mean(axis=0))


def _not_measured(arrays: Arrays, rng: np.random.Generator) -> Estimate:
    return Estimate(math.nan, math.nan, math.nan)


_FACTOR: Final = (
    "This approach consistently speeds up the hyperparameter optimization by a factor of two across the tested "
    "datasets"
)
_CIFAR_100: Final = Claim(
    id="big_data.curve_search.cifar100_speed_up",
    section="2.2",
    quote=_FACTOR,
    quantity="CIFAR-100: how many times less a search with termination spends",
    unit="times",
    agrees=factor_of_two(),
    measure=_not_measured,
    published=2,
    artefact="tables/curve_search",
)


def _of(dataset: str) -> tuple[Claim, ...]:
    name, over = NAMES[dataset], "random search, TPE and SMAC together"
    claim = partial(Claim, section="2.2", artefact="tables/curve_search")
    speed_up = partial(claim, unit="times", agrees=factor_of_two())
    until = f"until both are as good as the one that ends worse; {over}"
    return (
        claim(
            id=f"big_data.curve_search.{dataset}_low_cut",
            quote="configurations with learning curves that tend to approach low accuracies are terminated early",
            quantity=f"{name}: share terminated of the half of a search's configurations with the lowest final "
            f"accuracies; {over}",
            unit="%",
            agrees=above(50),  # no number is printed, and no "all": most of them
            measure=partial(_share_cut, dataset=dataset, half="low"),
        ),
        claim(
            id=f"big_data.curve_search.{dataset}_high_kept",
            quote="Configurations with high accuracies are evaluated until convergence.",
            quantity=f"{name}: share terminated of the tenth of a search's configurations with the highest final "
            f"accuracies; {over}",
            unit="%",
            agrees=at_most(FEW),
            measure=partial(_share_cut, dataset=dataset, half="high"),
        ),
        speed_up(
            id=f"big_data.curve_search.{dataset}_speed_up",
            quote=_FACTOR,
            quantity=f"{name}: how many times less a search with termination spends than the same search without, "
            f"in seconds of epochs, optimiser and checks, {until}",
            published=2,
            measure=partial(_speed_up, dataset=dataset, currency="seconds"),
        ),
        speed_up(
            id=f"big_data.curve_search.{dataset}_speed_up_epochs",
            quote="",
            quantity=f"{name}: how many times fewer epochs a search with termination trains than the same search "
            f"without, {until}",
            measure=partial(_speed_up, dataset=dataset, currency="epochs"),
            is_ours=True,
        ),
        claim(
            id=f"big_data.curve_search.{dataset}_quality",
            quote="while reaching the same quality",
            quantity=f"{name}: best validation error at the end of a search with termination less that of the "
            f"same search without, both on half of the stored curves; {over}",
            unit="points",
            agrees=near(0.0, margin=SAME),
            measure=partial(_apart, dataset=dataset),
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
        "{data} low", the shares cut, and "{data} n_high" and "{data} n_low", of how many trials; nan of data or
        optimisers not run.

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
    columns = {"seconds": "log2_seconds", "epochs": "log2_epochs", "error": "error"}
    columns |= {name: name for name in ("high", "low", "n_high", "n_low")}
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
    return {_CIFAR_100.id} if experiment == "curve_search" else set()
