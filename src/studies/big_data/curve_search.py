"""Document 003, section 2.2, Figure 5: searches on stored curves, with termination and without.

What is judged is the best validation error: the lowest that a trial ended with so far, a trial that was cut
short with its last score, not with the one that was expected of it. Two currencies are spent: seconds, of the
epochs as the curves have them, of the optimiser and of the checks; and epochs. A search with termination is
compared with the one without of the same optimiser and seed, which starts from the same candidates (random
search makes all the same).

Sentences are judged seed by seed, over the three optimisers together. Speed is that of `pairs`, in seconds; speed
in epochs alone is a finding. CIFAR-100 was not run. A search meets half of the stored curves: one that met all
would end with the best of them unless that was cut, so that quality would be the same by construction.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from studies.estimates import Arrays, Estimate, clustered_share, mean, ratio
from studies.measures import no_rows, nothing
from studies.methods import methods
from studies.records import Claim, Study
from studies.regions import above, at_most, factor_of_two, near
from studies.shared.searches import CELL, lowest, so_far, trials_of
from studies.tidy import in_order
from studies.trajectories import SLACK, until_as_good

OPTIMISERS: Final = ("random", "tpe", "smac")
"""What termination is wrapped around, those of Domhan et al. (2015)."""
COMPARED: Final = methods(*OPTIMISERS, "random_terminated", "tpe_terminated", "smac_terminated")
METHODS: Final = tuple(method.name for method in COMPARED)
PROBLEMS: Final = (("curves", "cifar_cnn_cifar10"), ("curves", "mlp_mnist"))
CURRENCIES: Final = ("seconds", "epochs")
SETS: Final = {name: name.rsplit("_", 1)[-1] for _, name in PROBLEMS}
"""Data by problem."""
NAMES: Final = {"cifar10": "CIFAR-10 (JPEG)", "mnist": "MNIST"}
HIGH: Final = 0.1
"""Share of a search's trials, those with the lowest errors at the end of their curves, that counts as high."""
_TRIALS: Final = ("check_s", "curve", "reason", "cut", "n_checks", "curve_id", "final_error", "test_error")


# Numbers -----------------------------------------------------------------------------------------------------


def searches(runs: pd.DataFrame) -> pd.DataFrame:
    """Searches as of `so_far`, in the order of `SETS` and `METHODS`, with what each trial came to.

    Returns:
        Their columns; dataset: of the data; optimiser, terminated; n_epochs trained; ended_error: at the last of
        them, nan if the trial failed; best_error: the lowest so far; spent_epochs: until after the trial.

    Raises:
        ValueError: if a column is missing, or there are no searches.
    """
    orders = {"dataset": SETS, "method": METHODS, "seed": None, "id": None}
    found = in_order(so_far(trials_of(runs, *_TRIALS)), orders)
    found["dataset"] = found["dataset"].map(SETS)
    found["optimiser"] = found["method"].map({method.name: method.strategy for method in COMPARED})
    found["terminated"] = found["method"].map({method.name: method.termination is not None for method in COMPARED})
    curves = [json.loads(text) for text in found["curve"]]
    found["n_epochs"] = [len(curve) for curve in curves]
    failed = found["reason"] != ""
    found["ended_error"] = np.where(failed, np.nan, [1 - curve[-1] for curve in curves])
    found["best_error"] = lowest(found, found["ended_error"])
    found["spent_epochs"] = found.groupby(CELL)["n_epochs"].cumsum()
    return found


def pairs(runs: pd.DataFrame) -> pd.DataFrame:
    """Searches with termination beside those without: how much sooner they are as good, and what they end with.

    Returns:
        dataset, optimiser, seed, data; reached: whether the search with termination ends with a best validation
        error that is no higher; log2_seconds, log2_epochs: log2 of a ratio, what the search without termination
        spent over what the one with it spent, until both had the higher of their two last best validation errors
        (`trajectories.until_as_good`); whole_seconds, whole_epochs: the same ratio for all that they spent; error:
        difference of the last best validation errors, with termination less without; test_error: the same
        difference for the test errors of the last incumbents.

    Raises:
        ValueError: if no search with termination stands beside one without, or as `searches`.
    """
    found = searches(runs)
    rows = []
    for (dataset, optimiser, seed), part in found.groupby(["dataset", "optimiser", "seed"], sort=False):
        plain, cut = part[~part["terminated"]], part[part["terminated"]]
        if plain.empty or cut.empty:
            continue
        row = {"dataset": dataset, "optimiser": optimiser, "seed": seed, "data": part["data"].iloc[0]}
        row["error"] = float(cut["best_error"].iloc[-1] - plain["best_error"].iloc[-1])
        row["reached"] = row["error"] <= SLACK
        for currency in CURRENCIES:
            spent = f"spent_{currency}"
            ours, theirs = (
                (search["best_error"].to_numpy(float), search[spent].to_numpy(float)) for search in (cut, plain)
            )
            after, before = until_as_good(ours, theirs)
            row[f"log2_{currency}"] = float(np.log2(before / after))
            row[f"whole_{currency}"] = float(np.log2(theirs[1][-1] / ours[1][-1]))
        row["test_error"] = float(cut["test_error"].iloc[-1] - plain["test_error"].iloc[-1])
        rows.append(row)
    if not rows:
        raise ValueError("the runs hold no search with termination beside one without")
    return pd.DataFrame(rows)


def shares_cut(runs: pd.DataFrame) -> pd.DataFrame:
    """Of each search with termination: which of its trials were cut.

    Returns:
        dataset, optimiser, seed, data; cut: share of all trials that did not fail; high: of the `HIGH` part with
        the lowest errors at the end of their curves, at least one; ahead: of those of them that would have ended
        below `best_error` so far, nan if there are none; low: of the half with the highest; others: of the
        other half; best: of the curve with the lowest error; n_ahead: number of trials of `ahead`.
    """
    found = searches(runs)
    before = found.groupby(CELL)["best_error"].shift()
    found["ahead"] = before.isna() | (found["final_error"] < before)  # nan: none before, or only failed ones
    rows = []
    kept = found[found["terminated"] & found["final_error"].notna()]
    for (dataset, optimiser, seed), part in kept.groupby(["dataset", "optimiser", "seed"], sort=False):
        ranked = part.sort_values("final_error", kind="stable")
        cut, ahead = ranked["cut"].to_numpy(bool), ranked["ahead"].to_numpy(bool)
        n_high, n = max(1, round(HIGH * len(cut))), len(cut)
        cut_ahead = cut[:n_high][ahead[:n_high]]
        shares = [
            cut.mean(),
            cut[:n_high].mean(),
            cut_ahead.mean() if cut_ahead.size else np.nan,
            cut[n - n // 2 :].mean() if n > 1 else np.nan,
            cut[: n - n // 2].mean(),
            float(cut[0]),
        ]
        rows.append([dataset, optimiser, seed, part["data"].iloc[0], *shares, cut_ahead.size])
    columns = ["dataset", "optimiser", "seed", "data", "cut", "high", "ahead", "low", "others", "best", "n_ahead"]
    return pd.DataFrame(rows, columns=columns)


# Claims ------------------------------------------------------------------------------------------------------

N_SEEDS: Final = 10
FLOOR: Final = {"stored": 40, "curves": 20, "epochs": 50}
"""Under which no verdict is given: curves of each set, distinct ones that each search meets, and their epochs."""
SAME: Final = 1.0
"""Points by which errors may differ and be the same: the standard error of CIFAR-10's validation errors, which are
near one half, on 2,000 rows. No number is printed; 5 points, as of other accuracies, exceed MNIST's errors."""
FEW: Final = 5.0
"""Per cent of trials up to which "none" holds: 1 - delta, the risk that the rule takes with each trial."""


def arrays(runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    """Arrays that the claims are measured on, each (n_optimisers, n_seeds), of the seeds that every search has.

    Returns:
        "{data} seconds" and "{data} epochs", log2 of the speed-up; "{data} error"; "{data} ahead", "{data} low"
        and "{data} others", the shares cut, and "{data} n_ahead", of how many trials; nan of data or optimisers
        not run.
    """
    cut = shares_cut(runs).fillna({"ahead": 0.0})  # of no trials
    table = pairs(runs).merge(cut, on=["dataset", "optimiser", "seed"])
    columns = {"seconds": "log2_seconds", "epochs": "log2_epochs", "error": "error"}
    columns |= {name: name for name in ("ahead", "low", "others", "n_ahead")}
    wide = table.pivot_table(list(columns.values()), index="seed", columns=["dataset", "optimiser"]).dropna()
    return {
        f"{dataset} {name}": np.array(
            [wide[column].get((dataset, optimiser), pd.Series(np.nan, wide.index)) for optimiser in OPTIMISERS],
            dtype=float,
        )
        for dataset in SETS.values()
        for name, column in columns.items()
    }


def is_enough(runs: pd.DataFrame) -> bool:
    """Whether there are both sets, `FLOOR`, and ten seeds of every method."""
    table = searches(runs)
    seeds = table.groupby(["dataset", "method"])["seed"].nunique()
    met = table.groupby(["dataset", "method", "seed"])["curve_id"].nunique()
    if len(seeds) < len(SETS) * len(METHODS) or seeds.min() < N_SEEDS or met.min() < FLOOR["curves"]:
        return False
    found = table.groupby("dataset")
    n_curves, n_epochs = found["curve_id"].nunique(), found["n_epochs"].max()
    enough = len(n_curves) == len(SETS) and n_curves.min() >= FLOOR["stored"]
    return bool(enough and n_epochs.min() >= FLOOR["epochs"])


CURVE_SEARCH: Final = Study(
    name="curve_search",
    methods=COMPARED,
    problems=PROBLEMS,
    resource="epochs",
    arrays=arrays,
    is_enough=is_enough,
)


def _cut_more(arrays: Arrays, rng: np.random.Generator, *, dataset: str) -> Estimate:
    """Share that is cut, in the worse half less in the better half, mean over optimisers."""
    apart: NDArray[np.float64] = arrays[f"{dataset} low"] - arrays[f"{dataset} others"]
    return mean(100 * apart.mean(axis=0))


def _ahead_cut(arrays: Arrays, rng: np.random.Generator, *, dataset: str) -> Estimate:
    cases = arrays[f"{dataset} n_ahead"]
    cut = np.rint(arrays[f"{dataset} ahead"] * cases)
    return clustered_share(cut.sum(axis=0), cases.sum(axis=0), unit=100)


def _speed_up(arrays: Arrays, rng: np.random.Generator, *, dataset: str, currency: str) -> Estimate:
    """Geometric mean over optimisers and seeds."""
    by_seed = np.exp2(arrays[f"{dataset} {currency}"].mean(axis=0))
    return ratio(by_seed, 1.0)


def _apart(arrays: Arrays, rng: np.random.Generator, *, dataset: str) -> Estimate:
    return mean(100 * arrays[f"{dataset} error"].mean(axis=0))


_FACTOR: Final = (
    "This approach consistently speeds up the hyperparameter optimization by a factor of two across the tested "
    "datasets"
)
_OPTIMISERS: Final = "random search, TPE and SMAC together"
_SECONDS: Final = "seconds (epochs, optimiser, checks)"
_SPEED_UP: Final = (
    "without termination over those with it, until both searches are as good as the one that ends worse; "
    f"{_OPTIMISERS}"
)
_CIFAR_100: Final = Claim(
    id="big_data.curve_search.cifar100_speed_up",
    section="2.2",
    quote=_FACTOR,
    quantity=f"CIFAR-100: {_SECONDS} {_SPEED_UP}",
    unit="times",
    agrees=factor_of_two(),
    measure=nothing,
    published=2,
    artefact="tables/curve_search",
    study="curve_search",
    rows=no_rows,  # it is not among the stored curves
    is_out_of_reach=True,
)


def _claims_on(dataset: str) -> tuple[Claim, ...]:
    name = NAMES[dataset]
    claim = partial(Claim, section="2.2", study="curve_search", artefact="tables/curve_search")
    speed_up = partial(claim, unit="times", agrees=factor_of_two())
    return (
        claim(
            id=f"big_data.curve_search.{dataset}_low_cut",
            quote="configurations with learning curves that tend to approach low accuracies are terminated early",
            quantity=f"{name}: share that is terminated of the half of a search's configurations that would end "
            f"with the lowest accuracies, less the share of the other half; {_OPTIMISERS}",
            unit="points",
            agrees=above(0),
            measure=partial(_cut_more, dataset=dataset),
        ),
        claim(
            id=f"big_data.curve_search.{dataset}_high_kept",
            quote="Configurations with high accuracies are evaluated until convergence.",
            quantity=f"{name}: of the tenth of a search's configurations that would end with the highest "
            "accuracies, those that would end better than the best so far, which alone the rule means to keep: "
            f"the share that is terminated; {_OPTIMISERS}",
            unit="%",
            agrees=at_most(FEW),
            measure=partial(_ahead_cut, dataset=dataset),
        ),
        speed_up(
            id=f"big_data.curve_search.{dataset}_speed_up",
            quote=_FACTOR,
            quantity=f"{name}: {_SECONDS} {_SPEED_UP}",
            published=2,
            measure=partial(_speed_up, dataset=dataset, currency="seconds"),
        ),
        speed_up(
            id=f"big_data.curve_search.{dataset}_speed_up_epochs",
            quantity=f"{name}: epochs {_SPEED_UP}",
            measure=partial(_speed_up, dataset=dataset, currency="epochs"),
        ),
        claim(
            id=f"big_data.curve_search.{dataset}_quality",
            quote="while reaching the same quality",
            quantity=f"{name}: best validation error at the end of a search, with termination less without; each "
            f"search meets half of the stored curves; {_OPTIMISERS}",
            unit="points",
            agrees=near(0.0, margin=SAME),
            measure=partial(_apart, dataset=dataset),
        ),
    )


CLAIMS: Final = (*(claim for dataset in SETS.values() for claim in _claims_on(dataset)), _CIFAR_100)
"""In the order of the document."""
