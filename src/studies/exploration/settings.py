"""Settings of document 002's studies."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator

from studies.settings import (
    OURS,
    AtLeastTwo,
    Blocks,
    Count,
    FirstCandidates,
    Seed,
    Seeds,
    Settings,
    Two,
    Whole,
    ascending,
    setting,
)

_FIRST = "first candidates, the same for every strategy of a seed"
_BLOCKS = "settings by strategy, in the paper's units; each strategy checks its own"
_SEEDS = "repetitions"
_LAPTOP = {"smac": {"retrain_after": 4}, "dngo": {"n_epochs": 100}}
_SMOKE = {
    "tpe": {"n_random": 3},
    "ei": {"n_burn": 5, "n_steps": 2},
    "ei_explore": {"n_burn": 5, "n_steps": 2},
    "dngo": {"n_epochs": 20},
}
_COMPARED = {
    "tpe": {"n_random": 5},  # 10 by default; the first candidates count
    "smac": {"retrain_after": 1},  # 8 by default
    # n_burn, n_steps and n_starts are 100, 200 and 5 by default
    "ei": {"inference": "mcmc", "n_burn": 50, "n_steps": 10, "n_starts": 2},
    "ei_explore": {"inference": "mcmc", "n_burn": 50, "n_steps": 10, "n_starts": 2},
    "dngo": {"n_epochs": 500, "marginalise": "ml2"},  # mcmc in pybnn
}


class Task1(Settings):
    """Task 1: 8 searches per seed."""

    n_trials: int = setting(28, OURS, "trials of a search, the fragment's first eight included", ge=8, le=393)
    n_epochs: Count = setting(500, "pybnn", "epochs of DNGO's training")
    n_steps: Count = setting(4000, "pybnn, at a first fit", "steps of the sampler of DNGO's hyperparameters")
    n_seeds: Seeds = setting(10, OURS, _SEEDS)

    laptop = {"n_trials": 13, "n_epochs": 100, "n_steps": 100, "n_seeds": 2}
    smoke = {"n_trials": 9, "n_epochs": 20, "n_steps": 20, "n_seeds": 1}
    desk = {"n_epochs": 200, "n_steps": 200}


class Task2(Settings):
    """Task 2, logistic regression on MNIST: 7 strategies."""

    n_train: Count | None = setting(
        5000, "ours; the document's searches train on all 50,000", "rows, drawn per seed; null: all 50,000"
    )
    n_valid: Count = setting(10000, "the document", "validation rows, the last of the training file")
    n_initial: FirstCandidates = setting(
        5, "ours; 5 is the least with which the reported point is on the fragment's diagonal", _FIRST
    )
    n_trials: Two = setting(20, OURS, "trials of a search, first candidates included")
    strategies: Blocks = setting(
        {
            "tpe": {"n_random": 5},  # 10 by default; the first candidates count
            "smac": {"retrain_after": 1},  # 8 by default
            "dngo": {"n_epochs": 500},
            "doc002_as_coded": {"n_epochs": 500},
        },
        "ours; n_epochs pybnn",
        _BLOCKS,
    )
    n_seeds: Seeds = setting(10, OURS, _SEEDS)

    laptop = {
        "n_train": 500,
        "n_valid": 1000,
        "n_trials": 10,
        "strategies": {**_LAPTOP, "doc002_as_coded": {"n_epochs": 100}},
        "n_seeds": 2,
    }
    smoke = {
        "n_train": 300,
        "n_valid": 500,
        "n_initial": 3,
        "n_trials": 4,
        "strategies": {"tpe": {"n_random": 3}, "dngo": {"n_epochs": 20}, "doc002_as_coded": {"n_epochs": 20}},
        "n_seeds": 1,
    }


class Task2AllRows(Settings):
    """Task 2 on all training rows: DNGO alone, since a fit takes 24 to 95 s."""

    n_train: Count | None = setting(None, "the document", "rows, drawn per seed; null: all 50,000")
    n_valid: Count = setting(10000, "the document", "validation rows, the last of the training file")
    n_initial: FirstCandidates = setting(5, "ours; as in task2", _FIRST)
    n_trials: Two = setting(20, OURS, "trials of a search, first candidates included")
    strategies: Blocks = setting({"dngo_all_rows": {"n_epochs": 500}}, "n_epochs pybnn", _BLOCKS)
    n_seeds: Seeds = setting(10, OURS, _SEEDS)

    laptop = {
        "n_train": 500,
        "n_valid": 1000,
        "n_trials": 7,
        "strategies": {"dngo_all_rows": {"n_epochs": 100}},
        "n_seeds": 1,
    }
    smoke = {
        "n_train": 300,
        "n_valid": 500,
        "n_initial": 3,
        "n_trials": 4,
        "strategies": {"dngo_all_rows": {"n_epochs": 20}},
    }
    desk = {"n_trials": 15, "n_seeds": 5}


class Refits(Settings):
    """Refits of what task 2's searches chose, of the reported point, and of a 5 x 5 grid."""

    refit_rows: Count | None = setting(
        None, "the document", "training rows of the choices and of the reported point; null: all 50,000"
    )
    grid_rows: Whole | None = setting(
        None, "the document", "training rows of the grid; null: all 50,000; 0: no grid"
    )

    laptop = {"refit_rows": 500, "grid_rows": 500}
    smoke = {"refit_rows": 300, "grid_rows": 0}


class Functions(Settings):
    """Branin and Hartmann-6 of the document's table: 6 strategies."""

    n_initial: FirstCandidates = setting(5, OURS, _FIRST)
    n_trials: Two = setting(200, "the document's table", "trials of a search")
    strategies: Blocks = setting(_COMPARED, "ours; n_epochs pybnn, ei with mcmc in Spearmint's place", _BLOCKS)
    n_seeds: Seeds = setting(30, OURS, _SEEDS)

    laptop = {"n_trials": 14, "strategies": _LAPTOP, "n_seeds": 2}
    smoke = {"n_initial": 3, "n_trials": 4, "strategies": _SMOKE, "n_seeds": 1}
    desk = {"n_trials": 60, "strategies": {"dngo": {"n_epochs": 200}}}


class FunctionsLong(Settings):
    """Hartmann-6 with DNGO as its authors have it, and random search and EI with as many trials."""

    n_initial: FirstCandidates = setting(5, OURS, _FIRST)
    n_trials: Two = setting(200, "the document's table", "trials of a search")
    strategies: Blocks = setting(
        {
            "ei_long": {"inference": "mcmc", "n_burn": 50, "n_steps": 10, "n_starts": 2},
            "dngo_long": {"n_epochs": 500},
        },
        "n_epochs pybnn, ei as in functions",
        _BLOCKS,
    )
    n_seeds: Seeds = setting(10, OURS, _SEEDS)

    laptop = {"n_trials": 12, "strategies": {"dngo_long": {"n_epochs": 100}}, "n_seeds": 2}
    smoke = {
        "n_initial": 3,
        "n_trials": 4,
        "strategies": {"ei_long": {"n_burn": 5, "n_steps": 2}, "dngo_long": {"n_epochs": 20}},
        "n_seeds": 1,
    }
    desk = {"n_seeds": 5}


class Logistic(Settings):
    """Logistic regression with HPOlib's 4 hyperparameters, of the document's table: 6 strategies."""

    n_train: Count | None = setting(None, "HPOlib", "training rows, drawn per seed; null: all 50,000")
    n_valid: Count = setting(10000, "HPOlib", "validation rows")
    n_initial: FirstCandidates = setting(5, OURS, _FIRST)
    n_trials: Two = setting(100, "the document's table", "trials of a search")
    strategies: Blocks = setting(_COMPARED, "ours; n_epochs pybnn", _BLOCKS)
    n_seeds: Seeds = setting(10, OURS, _SEEDS)

    laptop = {"n_train": 500, "n_valid": 1000, "n_trials": 12, "strategies": _LAPTOP, "n_seeds": 2}
    smoke = {"n_train": 200, "n_valid": 500, **Functions.smoke}
    desk = {"n_train": 1000, "n_trials": 30, "strategies": {"dngo": {"n_epochs": 200}}}


class SurrogateCost(Settings):
    """Seconds of one log evidence or of DNGO's fit against trials, so it needs a core of its own."""

    sizes: Annotated[AtLeastTwo[Two], AfterValidator(ascending)] = setting(
        [100, 200, 400, 800, 1600], OURS, "numbers of trials, increasing"
    )
    n_epochs: Count = setting(500, "pybnn", "epochs of DNGO's training")
    n_seeds: Seeds = setting(10, OURS, _SEEDS)

    laptop = {"sizes": [50, 100, 200], "n_epochs": 50, "n_seeds": 1}
    smoke = {"sizes": [50, 100], "n_epochs": 10}
    desk = {"n_epochs": 50}


class SurrogateFits(Settings):
    """Seconds of whole fits against trials: a GP's to 3,200 takes some four minutes."""

    sizes: Annotated[AtLeastTwo[Two], AfterValidator(ascending)] = setting(
        [100, 200, 400, 800, 1600, 3200], OURS, "numbers of trials, increasing"
    )
    n_epochs: Count = setting(500, "pybnn", "epochs of DNGO's training")
    n_seeds: Seeds = setting(10, OURS, _SEEDS)

    laptop = {"sizes": [50, 100, 200], "n_epochs": 20, "n_seeds": 1}
    smoke = {"sizes": [50, 100], "n_epochs": 10}
    desk = {"n_seeds": 5}


class Exploration(Settings):
    """Document 002: Bayesian exploration, `snakemake exploration`."""

    figure_seed: Seed = setting(0, OURS, "seed of the pictures that explain")
    task1: Task1
    task2: Task2
    task2_all_rows: Task2AllRows
    refits: Refits
    functions: Functions
    functions_long: FunctionsLong
    logistic: Logistic
    surrogate_cost: SurrogateCost
    surrogate_fits: SurrogateFits
