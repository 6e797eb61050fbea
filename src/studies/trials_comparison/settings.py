"""Settings of the comparison of all ways to save trials; none of its numbers is in a document."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from studies.settings import (
    LEAN,
    MOST,
    OURS,
    AtLeastTwo,
    Block,
    Blocks,
    Count,
    FirstCandidates,
    Name,
    NumbersByMethod,
    Scaler,
    Seeds,
    Settings,
    Several,
    Two,
    left_out,
    setting,
)

Experiment = Literal["compared_svm", "compared_cnn", "compared_curves", "compared_live"]

_DEFAULT = "trials of a search by a method that n_trials does not name: as many as of ei"
_DEFAULT_FIRST = "first candidates of a method that strategies does not name: as many as of ei"
_TRIALS = "trials of a search by method, on fewer rows and epochs included; null: not run"
_BLOCKS = "settings by method; each strategy checks its own, and one with termination has those of the one without"


class Compared(Settings):
    """A method, under a name of its own."""

    name: Name = Field(description="name in tables, figures and paths")
    strategy: str = Field(
        description="strategy of the trials family; those of other packages are added by entry points"
    )
    settings: Block = Field(
        {}, description="settings that make it this method; the experiments' blocks add others"
    )
    termination: Block = left_out(
        None,
        "settings over those of big_data.curve_search's rule, which cuts trials short; by default, no such rule",
    )
    variant_of: str = Field("", description="the method whose settings and random numbers it shares")
    experiments: Several[Experiment] = left_out(None, "experiments that it is part of; by default, all")


class ComparedSvm(Settings):
    """On lookup.svm_mnist, beside big_data.svm_search; HyperTune's 5 x 10 trials on subsets are among its own."""

    default_n_trials: Two = setting(60, OURS, _DEFAULT)
    default_n_initial: FirstCandidates = setting(2, OURS, _DEFAULT_FIRST)
    n_trials: NumbersByMethod = setting(
        {"ei_explore": 60, "dngo": 60, "tpe": 500, "smac": 200, "hyperband": 2338, "hypertune": 110}, OURS, _TRIALS
    )  # Hyperband's are one bracket of each kind
    strategies: Blocks = setting(
        {
            "ei_explore": {"n_initial": 2, "inference": "mcmc", "n_burn": 100, "n_steps": 200, "n_starts": 5},
            "dngo": {"n_initial": 2, "n_epochs": 200, "marginalise": "ml2"},  # 500 and mcmc in pybnn
            "tpe": {"n_initial": 2, "n_random": 10},  # its default
            "smac": {"n_initial": 2, "retrain_after": 8},  # its default
            "hyperband": {"n_initial": 1},
            "hypertune": {
                "start": "shared",
                "n_initial": 2,
                "n_subset_trials": 10,
                "n_starts": 5,
                "subset_rows": 1024,
            },
        },
        OURS,
        _BLOCKS,
    )

    laptop = {
        "default_n_trials": 17,
        "n_trials": {"ei_explore": 17, "dngo": 17, "tpe": 60, "smac": 40, "hyperband": 40, "hypertune": 37},
        "strategies": {
            "ei_explore": {"n_burn": 50, "n_steps": 10, "n_starts": 2},
            "dngo": {"n_epochs": 100},
            "smac": {"retrain_after": 4},
            "hypertune": {"n_subset_trials": 4, "n_starts": 2, "subset_rows": 128},
        },
    }
    smoke = {
        "default_n_trials": 5,
        "n_trials": {"ei_explore": None, "dngo": None, "tpe": 5, "smac": None, "hyperband": 6, "hypertune": None},
        "strategies": {"tpe": {"n_random": 3}},
    }
    desk = {
        "n_trials": {"smac": 60, "hypertune": 90},
        "strategies": {"dngo": {"n_epochs": 100}, "hypertune": {"n_subset_trials": 6}},
    }


class ComparedCnn(Settings):
    """On curves.networks.cnn_sizes, beside big_data.cnn_search."""

    default_n_trials: Two = setting(30, OURS, _DEFAULT)
    default_n_initial: FirstCandidates = setting(2, OURS, _DEFAULT_FIRST)
    n_trials: NumbersByMethod = setting(
        {"ei_explore": 30, "dngo": 30, "tpe": 60, "smac": 60, "hyperband": 100, "hypertune": 55}, OURS, _TRIALS
    )
    strategies: Blocks = setting(
        {
            "ei_explore": {"n_initial": 2, "inference": "mcmc", "n_burn": 100, "n_steps": 20},
            "dngo": {"n_initial": 2, "n_epochs": 200, "marginalise": "ml2"},
            "tpe": {"n_initial": 2, "n_random": 10},
            "smac": {"n_initial": 2, "retrain_after": 8},
            "hyperband": {"n_initial": 1},
            "hypertune": {"start": "shared", "n_initial": 2, "n_subset_trials": 5, "n_starts": 5},
        },
        OURS,
        _BLOCKS,
    )

    laptop = {
        "default_n_trials": 17,
        "n_trials": {"ei_explore": 17, "dngo": 17, "tpe": 24, "smac": 24, "hyperband": 24, "hypertune": 32},
        "strategies": {
            "ei_explore": {"n_burn": 50, "n_steps": 10},
            "dngo": {"n_epochs": 100},
            "tpe": {"n_random": 5},
            "smac": {"retrain_after": 4},
            "hypertune": {"n_subset_trials": 3, "n_starts": 2},
        },
    }
    smoke = {
        "default_n_trials": 5,
        "n_trials": {**dict.fromkeys(("ei_explore", "dngo", "smac", "hyperband", "hypertune")), "tpe": 5},
        "strategies": {"tpe": {"n_random": 3}},
    }
    desk = {"n_trials": {"smac": 40}, "strategies": {"dngo": {"n_epochs": 100}}}


_MODEL_BASED = ("ei", "ei_explore", "dngo")
_ON_CURVES = (*_MODEL_BASED, *(f"{name}_terminated" for name in _MODEL_BASED))


class ComparedCurves(Settings):
    """On curves.networks.cifar_cnn and mlp, beside big_data.curve_search; hyperband's are on fewer epochs."""

    default_n_trials: Two = setting(25, OURS, _DEFAULT)
    n_trials: NumbersByMethod = setting({**dict.fromkeys(_ON_CURVES, 25), "hyperband": 150}, OURS, _TRIALS)
    strategies: Blocks = setting(
        {
            "ei": {"inference": "mcmc", "n_burn": 100, "n_steps": 20, "n_starts": 5},
            "ei_explore": {"inference": "mcmc", "n_burn": 100, "n_steps": 20, "n_starts": 5},
            "dngo": {"n_epochs": 200, "marginalise": "ml2"},
        },
        OURS,
        _BLOCKS,
    )

    laptop = {
        "default_n_trials": 6,
        "n_trials": {**dict.fromkeys(_ON_CURVES, 6), "hyperband": 60},
        "strategies": {
            "ei": {"n_burn": 50, "n_steps": 10, "n_starts": 2},
            "ei_explore": {"n_burn": 50, "n_steps": 10, "n_starts": 2},
            "dngo": {"n_epochs": 100},
        },
    }
    smoke = {"n_trials": dict.fromkeys((*_ON_CURVES, "hyperband"))}
    desk = {"strategies": {"dngo": {"n_epochs": 100}}}


_NOT_AT_SMOKE = ("ei", "entropy_search", "mtbo_4", "fabolas", "smac", "ei_explore", "dngo", "hypertune")
_SAMPLED = {"n_hyper": 10, "n_burn": 50, "n_steps": 20, "n_representers": 50, "n_samples": 500}


class ComparedLive(Settings):
    """Elastic net and SVM on digits, document 004's spaces, on sizes of rows."""

    n_valid: Count = setting(400, OURS, "validation rows")
    n_test: Count = setting(597, OURS, "test rows")
    sizes: AtLeastTwo[Annotated[int, Field(ge=10, le=MOST)]] = setting(
        [800, 400, 200, 100], OURS, "numbers of rows that trials may be on, each half of the one before"
    )
    n_train: int = setting(
        800,
        OURS,
        "training rows, the largest of sizes; on digits all that are left, the same in every seed",
        ge=100,
        le=MOST,
    )
    space: Literal["hypertune"] = setting("hypertune", OURS, "space of both learners; HyperTune needs its signs")
    scaler: Scaler = setting("min_max", OURS, "scaler of the features")
    n_initial: FirstCandidates = setting(
        15, OURS, "first candidates of a seed; a strategy's own n_initial says how many of them it starts from"
    )
    default_n_trials: Two = setting(40, OURS, _DEFAULT)
    default_n_initial: FirstCandidates = setting(2, OURS, _DEFAULT_FIRST)
    n_trials: NumbersByMethod = setting(
        {
            "random": 300,
            "ei": 40,
            "entropy_search": 30,
            "mtbo_4": 40,
            "fabolas": 60,
            "tpe": 150,
            "smac": 80,
            "ei_explore": 40,
            "dngo": 40,
            "hyperband": 150,
            "hypertune": 90,
        },
        OURS,
        _TRIALS,
    )
    strategies: Blocks = setting(
        {
            "random": {"n_initial": 2},
            "ei": {"n_initial": 2, "inference": "mcmc", "n_burn": 100, "n_steps": 20, "n_starts": 5},
            "entropy_search": {"n_initial": 2, **_SAMPLED},
            "mtbo_4": {"n_initial": 5, **_SAMPLED},
            "fabolas": {"n_initial": 15, **_SAMPLED},
            "tpe": {"n_initial": 2, "n_random": 10},
            "smac": {"n_initial": 2, "retrain_after": 8},
            "ei_explore": {"n_initial": 2, "inference": "mcmc", "n_burn": 100, "n_steps": 20, "n_starts": 5},
            "dngo": {"n_initial": 2, "n_epochs": 200, "marginalise": "ml2"},
            "hyperband": {"n_initial": 1},
            "hypertune": {"start": "shared", "n_initial": 2, "n_subset_trials": 10, "n_starts": 5},
        },
        OURS,
        _BLOCKS,
    )
    n_seeds: Seeds = setting(10, "ours; the published floor", "repetitions")

    laptop = {
        "n_initial": 8,
        "default_n_trials": 14,
        "n_trials": {
            "random": 100,
            "ei": 14,
            "entropy_search": 14,
            "mtbo_4": 16,
            "fabolas": 24,
            "tpe": 40,
            "smac": 25,
            "ei_explore": 14,
            "dngo": 14,
            "hyperband": 50,
            "hypertune": 34,
        },
        "strategies": {
            "ei": {"n_burn": 50, "n_steps": 10, "n_starts": 2},
            "entropy_search": LEAN,
            "mtbo_4": LEAN,
            "fabolas": {"n_initial": 8, **LEAN},
            "smac": {"retrain_after": 4},
            "ei_explore": {"n_burn": 50, "n_steps": 10, "n_starts": 2},
            "dngo": {"n_epochs": 100},
            "hypertune": {"n_subset_trials": 4, "n_starts": 2},
        },
        "n_seeds": 2,
    }
    smoke = {
        "n_valid": 200,
        "n_test": 200,
        "sizes": [200, 100],
        "n_train": 200,
        "n_initial": 3,
        "default_n_trials": 5,
        "n_trials": {**dict.fromkeys(_NOT_AT_SMOKE), "random": 5, "tpe": 5, "hyperband": 4},
        "strategies": {"mtbo_4": {"n_initial": 3}, "fabolas": {"n_initial": 3}, "tpe": {"n_random": 3}},
        "n_seeds": 1,
    }
    desk = {
        "n_initial": 8,
        "default_n_trials": 20,
        "n_trials": {
            "random": 150,
            "ei": 20,
            "entropy_search": 20,
            "mtbo_4": 25,
            "fabolas": 30,
            "tpe": 60,
            "smac": 25,
            "ei_explore": 20,
            "dngo": 20,
            "hyperband": 100,
            "hypertune": 40,
        },
        "strategies": {
            "entropy_search": LEAN,
            "mtbo_4": LEAN,
            "fabolas": {"n_initial": 8, **LEAN},
            "dngo": {"n_epochs": 100},
            "hypertune": {"n_subset_trials": 5, "n_starts": 2},
        },
    }


def _line(name: str, strategy: str = "", *experiments: Experiment) -> dict[str, Any]:
    return {"name": name, "strategy": strategy or name, **({"experiments": [*experiments]} if experiments else {})}


_ON_ROWS: tuple[Experiment, ...] = ("compared_svm", "compared_cnn", "compared_live")


class TrialsComparison(Settings):
    """Every way to save trials on the same problems, `snakemake trials_comparison`; not part of `all`.

    The searches of big_data.svm_search, cnn_search and curve_search, with their first candidates, seeds and
    termination, more methods beside them, and all methods on two live learners. At paper scale some 4 CPU
    hours beside big_data's searches, 40 minutes on tables, 35 on curves, the others live; at desk scale, with
    big_data's searches, some three hours on two cores.
    """

    compared: list[Compared] = setting(
        [
            _line("random"),
            _line("tpe"),
            _line("smac"),
            _line("ei"),
            _line("ei_explore"),
            _line("dngo"),
            _line("entropy_search", "", *_ON_ROWS),
            _line("mtbo_4", "mtbo", *_ON_ROWS),
            _line("mtbo_16", "mtbo", "compared_cnn"),
            _line("mtbo_32", "mtbo", "compared_svm"),
            _line("mtbo_512", "mtbo", "compared_svm"),
            _line("fabolas", "", *_ON_ROWS),
            _line("hypertune", "", *_ON_ROWS),
            _line("hyperband"),
            _line("random_terminated", "random", "compared_curves"),
            _line("tpe_terminated", "tpe", "compared_curves"),
            _line("smac_terminated", "smac", "compared_curves"),
            _line("ei_terminated", "ei", "compared_curves"),
            _line("ei_explore_terminated", "ei_explore", "compared_curves"),
            _line("dngo_terminated", "dngo", "compared_curves"),
        ],
        OURS,
        "methods: name, strategy, and perhaps experiments, settings, termination ({}: cut short), variant_of",
        min_length=1,
    )
    compared_svm: ComparedSvm
    compared_cnn: ComparedCnn
    compared_curves: ComparedCurves
    compared_live: ComparedLive
