"""Settings of document 004's studies, a block per learner; some 900 CPU hours at the document's scale.

The CNN's are 432: 24 for each of six methods and three seeds. The others are scaled up from trials at desk scale:
340 the SVMs' (on twice the rows four times as long), 100 the elastic net's, 17 the MLP's, 6 with random features.
The desk scale is the published floor: 8,000 rows, 10,000 images and 10 epochs; rivals have trials for longer than
HyperTune's time. That is at most its 8 trials on all rows and 30 on a tenth (random features, MLP: 20 and 50), and
the optimiser's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias

from pydantic import Field, field_validator, model_validator

from studies.settings import (
    LEAN,
    MOST,
    OURS,
    AtLeastTwo,
    Blocks,
    Count,
    Distinct,
    FirstCandidates,
    Item,
    NumbersByMethod,
    Part,
    Positive,
    Scaler,
    Seeds,
    Settings,
    Share,
    Two,
    Whole,
    left_out,
    refuse,
    setting,
    unknown,
)

Dataset = Literal["letter", "mnist", "adult_codes", "adult", "vehicle", "cifar10"]
Ten = Annotated[int, Field(ge=10, le=MOST)]
OneOrEach: TypeAlias = Item | Annotated[dict[str, Item], Field(min_length=1)]
"""A number for all data sets, or one for each."""
Numbers = Two | None | dict[str, Two | None]
"""Trials of a method: one number, or one for each data set."""
ON_TABLES: tuple[str, ...] = ("letter", "mnist", "adult_codes", "adult", "vehicle")
"""Data sets of the learners of Tables 1 to 3: adult with whole numbers as categories, and one-hot."""

_EPOCHS = "epochs of a whole trial, for learners trained in epochs"
_BENCHMARK = "the document's benchmark"
_SEEDS = "repetitions"
_THREE = "ours; the published floor, one run in the document"
_LEAST = "RoBO: 512 in all"


class MlpDefault(Settings):
    """What the MLP's default must reach on the test images before it is tuned."""

    n_rows: Annotated[int, Field(ge=100, le=MOST)] | None = setting(None, OURS, "training images; null: all")
    epochs: Count = setting(5, OURS, "passes over them")
    max_error: Share = setting(
        0.03, "the published floor", "share misclassified"
    )  # laptop: 0.097 when last trained

    laptop = {"n_rows": 2000, "max_error": 0.15}
    smoke = {"n_rows": 500, "epochs": 2, "max_error": 0.6}


class CifarDefault(Settings):
    """The same of the CNN."""

    n_rows: Annotated[int, Field(ge=100, le=MOST)] | None = setting(None, OURS, "training images; null: all")
    epochs: Count = setting(10, OURS, "passes over them")
    max_error: Share = setting(
        0.35, "the published floor", "share misclassified"
    )  # laptop: 0.64 when last trained

    laptop = {"n_rows": 2000, "epochs": 5, "max_error": 0.75}


class Defaults(Settings):
    """What a network's default must reach on the test images before it is tuned."""

    mlp: MlpDefault
    cifar_cnn: CifarDefault


def _subset_of_the_training_rows(settings: Complexity | ComplexityByGamma) -> Complexity | ComplexityByGamma:
    """Refuse more rows of the subset than there are training rows."""
    if settings.subset_rows > settings.n_train:
        raise refuse(f"at most {settings.n_train}, the training rows", settings.subset_rows, "subset_rows")
    return settings


class Complexity(Settings):
    """Figure 1: two classes of letters, random features in number the complexity; the document draws a schema."""

    dataset: Literal["letter", "vehicle"] = setting(
        "letter", OURS, "dataset; the first half of its classes against the second"
    )
    n_train: Ten = setting(10000, OURS, "training rows")
    subset_rows: Two = setting(500, OURS, "rows of the subset, at most n_train")
    n_test: Count = setting(4000, OURS, "test rows")
    n_features: AtLeastTwo[Count] = setting(
        [8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096], OURS, "numbers of random Fourier features"
    )
    C: Positive = setting(10.0, OURS, "penalty of the SVM")
    gamma: Positive = setting(0.03, OURS, "gamma of the radial kernel")
    n_seeds: Seeds = setting(50, "ours; with five, three claims were undecided", _SEEDS)

    laptop = {
        "n_train": 2000,
        "subset_rows": 200,
        "n_features": [8, 16, 32, 64, 128, 256, 512, 1024],
        "n_seeds": 2,
    }
    smoke = {"n_train": 400, "subset_rows": 100, "n_test": 400, "n_features": [8, 32, 128], "n_seeds": 1}

    _subset = model_validator(mode="after")(_subset_of_the_training_rows)


class ComplexityByGamma(Settings):
    """Figure 1 in gamma: an SVM with a radial kernel, some nine minutes per seed."""

    dataset: Literal["mnist"] = setting("mnist", OURS, "dataset")
    n_train: Annotated[int, Field(ge=10, le=10_000)] = setting(
        8192, OURS, "training rows, drawn per seed; their kernel matrix is in memory"
    )
    subset_rows: Ten = setting(128, OURS, "rows of the subset, drawn per seed, at most n_train")
    n_valid: Count = setting(10000, OURS, "validation rows, the last of the training file")
    n_per_dimension: Annotated[int, Field(ge=2, le=100)] = setting(
        20,
        "as of lookup.svm_mnist",
        "values of C, and of gamma, evenly spaced over ln C and ln gamma in [-10, 10]",
    )
    max_gamma: Annotated[float, Field(gt=0, le=MOST)] = setting(
        2.0, "ours; with larger ones every SVM says one class", "the largest gamma that is tried"
    )
    n_seeds: Seeds = setting(10, "ours; four draws, and one of all rows, left two claims undecided", _SEEDS)

    laptop = {"n_train": 1024, "n_valid": 2000, "n_per_dimension": 8, "n_seeds": 2}
    smoke = {"n_train": 256, "subset_rows": 64, "n_valid": 500, "n_per_dimension": 5, "n_seeds": 1}

    _subset = model_validator(mode="after")(_subset_of_the_training_rows)


class Tuned(Settings):
    """Searches of a learner.

    Attributes:
        tuned_on: data sets that its searches may be on.
    """

    tuned_on: ClassVar[tuple[str, ...]] = ON_TABLES

    datasets: Distinct[Dataset]
    scalers: dict[str, Scaler] = left_out({}, "scaler by data set; the others are not scaled")
    n_train: OneOrEach[Ten]
    n_valid: OneOrEach[Count]
    n_test: OneOrEach[Whole]
    subset_share: Part = setting(
        0.1, 'ours; "varied depending on the dataset"', "rows of HyperTune's subsets, of the training rows"
    )
    rows_per_class: Count = setting(
        10, "RoBO", "the least that Fabolas and Hyperband on rows ask for and that HyperTune's subsets have"
    )
    epochs: Two = left_out(None, _EPOCHS)
    n_initial: FirstCandidates = setting(
        15,
        "RoBO: Fabolas'; ours for the others",
        "first candidates of a seed, of which a strategy starts from as many as its block says",
    )
    n_trials: dict[str, Numbers]
    strategies: Blocks
    n_seeds: Seeds

    @field_validator("n_train", "n_valid", "n_test")
    @classmethod
    def _of_its_data_sets(cls, rows: int | Mapping[str, int]) -> int | Mapping[str, int]:
        """Refuse rows of a data set that the learner is not tuned on."""
        for name in rows if isinstance(rows, Mapping) else ():
            if name not in cls.tuned_on:
                raise unknown(name, cls.tuned_on)
        return rows

    @model_validator(mode="after")
    def _control_has_signs(self) -> Self:
        """Refuse the control without signs of its own: it would be HyperTune itself."""
        name = "hypertune_neutral"
        signs = self.strategies.get(name, {}).get("signs")
        if (name in self.n_trials or name in self.strategies) and not signs:
            raise refuse(
                "a mapping from the neutral hyperparameter to its sign", signs, "strategies", name, "signs"
            )
        return self


_TRAIN = "training rows, drawn per seed: one number, or one for each data set"
_VALID = "validation rows: one number, or one for each data set"
_TEST = "test rows, one number or one for each data set; 0: the data set's own"
_TRIALS = (
    "trials of a search by method, on subsets and fewer epochs included: one number, or one for each data set;"
    " null: not run"
)
_BLOCKS = "settings by strategy; each checks its own, and a variant has its strategy's and its own over them"
_N_TRAIN = {"letter": 8978, "mnist": 50000, "adult_codes": 21925, "adult": 21925, "vehicle": 44228}
_N_VALID = {"letter": 4422, "mnist": 10000, "adult_codes": 10636, "adult": 10636, "vehicle": 21785}
_N_TEST = {"letter": 6600, "mnist": 0, "adult_codes": 0, "adult": 0, "vehicle": 32515}  # adult's own are 163 more
_SAMPLED = {"n_initial": 15, "n_hyper": 10, "n_burn": 50, "n_steps": 20, "n_representers": 30, "n_samples": 400}
_TUNERS: dict[str, Any] = {
    "random": {"n_initial": 3},
    # HyperTune without signs
    "ei": {"n_initial": 3, "kernel": "se", "baseline": "observed", "least_noise": 1.0e-4, "n_starts": 2},
    "fabolas": _SAMPLED,
    "hypertune": {"start": "shared", "n_initial": 3, "n_subset_trials": 10, "n_starts": 2},  # of each of 5 subsets
}
_ON_EPOCHS = {**_TUNERS, "hyperband": {"n_initial": 3}}
_SIGN_CONTROLS = ("hypertune_reversed", "hypertune_neutral", "hypertune_literal")
_NO_CONTROLS = {"hypertune_reversed": None, "hypertune_unsigned": None}  # they are not run
_NO_VARIANTS = {**_NO_CONTROLS, "hypertune_from_optimum": None}


def _lean(n_subset_trials: int) -> dict[str, Any]:
    """Settings of strategies below the document's scale."""
    return {"fabolas": LEAN, "hypertune": {"n_subset_trials": n_subset_trials}}


_LAPTOP_TRIALS = {"random": 12, "ei": 12, "fabolas": 20, "hypertune": 20}
_LAPTOP = {
    "n_train": 1000,
    "n_valid": 1000,
    "n_test": 2000,
    "n_trials": _LAPTOP_TRIALS | _NO_CONTROLS,
    "strategies": _lean(3),
    "n_seeds": 1,
}
_DESK = {"n_train": 8000, "n_valid": 2000, "n_test": 4000, "strategies": _lean(6)}


class OnTables(Tuned):
    """Learners of Tables 1 to 3; rows are the document's benchmark's."""

    datasets: Distinct[Dataset] = setting(
        ["letter", "mnist", "adult_codes", "adult", "vehicle"],
        "the document",
        "data sets that the learner is tuned on; []: it is not run",
    )
    scalers: dict[str, Scaler] = setting(
        {"adult": "standard"}, OURS, "scaler by data set; the others are not scaled"
    )
    n_train: OneOrEach[Ten] = setting(_N_TRAIN, _BENCHMARK, _TRAIN)
    n_valid: OneOrEach[Count] = setting(_N_VALID, _BENCHMARK, _VALID)
    n_test: OneOrEach[Whole] = setting(_N_TEST, _BENCHMARK, _TEST)
    strategies: Blocks = setting(_TUNERS, OURS, _BLOCKS)


class ElasticNet(OnTables):
    """Table 1, Figure 2; hypertune_* are negative controls, hypertune_literal has signs where Algorithm 1 does."""

    n_trials: dict[str, Numbers] = setting(
        {
            "random": 80,
            "ei": 80,
            "fabolas": 150,
            "hypertune": 80,
            "hypertune_reversed": 80,
            "hypertune_unsigned": 80,
            "hypertune_neutral": 80,
            "hypertune_literal": 80,
        },
        OURS,
        _TRIALS,
    )
    strategies: Blocks = setting({**_TUNERS, "hypertune_neutral": {"signs": {"l1_ratio": 1}}}, OURS, _BLOCKS)
    n_seeds: Seeds = setting(10, "ours; the published floor is 3", _SEEDS)

    laptop = {
        **_LAPTOP,
        "datasets": ["letter", "adult"],
        "n_trials": {**_LAPTOP_TRIALS, "hypertune_unsigned": 12, **dict.fromkeys(_SIGN_CONTROLS, 20)},
    }
    smoke = {
        "datasets": ["letter"],
        "n_train": 400,
        "n_valid": 200,
        "n_test": 400,
        "n_trials": {
            "random": None,
            "ei": 3,
            "fabolas": None,
            "hypertune": 13,
            "hypertune_unsigned": None,
            **dict.fromkeys(_SIGN_CONTROLS),
        },
        "strategies": {"ei": {"n_initial": 2}, "hypertune": {"n_initial": 2, "n_subset_trials": 2}},
    }
    desk = {
        **_DESK,
        "n_trials": {
            "random": {"letter": 30, "mnist": 12, "adult_codes": 80, "adult": 60, "vehicle": 40},
            "ei": {"letter": 24, "mnist": 12, "adult_codes": 50, "adult": 40, "vehicle": 30},
            "fabolas": {"letter": 150, "mnist": 150, "adult_codes": 40, "adult": 40, "vehicle": 60},
            "hypertune": 38,
            "hypertune_unsigned": {"letter": 24, "adult_codes": 50, "adult": 40},
            **{control: {"letter": 38, "adult_codes": 38, "adult": 38} for control in _SIGN_CONTROLS},
        },
    }


class Svm(OnTables):
    """Table 2, Figure 3."""

    n_trials: dict[str, Numbers] = setting(
        {
            "random": 50,
            "ei": 50,
            "fabolas": 150,
            "hypertune": 80,
            "hypertune_reversed": 80,
            "hypertune_unsigned": 50,
        },
        OURS,
        _TRIALS,
    )
    n_seeds: Seeds = setting(3, _THREE, _SEEDS)

    laptop = {**_LAPTOP, "datasets": ["letter", "adult"]}
    smoke = {"datasets": []}
    desk = {
        **_DESK,
        "n_trials": {
            "random": 16,
            "ei": 16,
            "fabolas": {"letter": 150, "mnist": 300, "adult_codes": 150, "adult": 150, "vehicle": 150},
            "hypertune": 38,
            **_NO_CONTROLS,
        },
    }


class SvmRff(OnTables):
    """Table 3, Figure 4."""

    epochs: Two = setting(27, "ours; a power of Hyperband's factor, as it likes", _EPOCHS)
    n_trials: dict[str, Numbers] = setting(
        {
            "random": 60,
            "ei": 60,
            "fabolas": 150,
            "hyperband": 276,  # four passes over its brackets
            # 8, 3, 2, 2 and 1 passes
            "hyperband_rows": {"letter": 160, "mnist": 561, "adult_codes": 1138, "adult": 1138, "vehicle": 1663},
            "hypertune": 80,
            "hypertune_from_optimum": 80,
            "hypertune_reversed": 80,
            "hypertune_unsigned": 60,
        },
        OURS,
        _TRIALS,
    )
    strategies: Blocks = setting(_ON_EPOCHS, OURS, _BLOCKS)
    n_seeds: Seeds = setting(3, _THREE, _SEEDS)

    laptop = {
        **_LAPTOP,
        "datasets": ["letter"],
        "epochs": 9,
        "n_trials": {**_LAPTOP_TRIALS, **_NO_VARIANTS, "hyperband": 22, "hyperband_rows": None},
    }
    smoke = {"datasets": []}
    desk = {
        **_DESK,
        "n_valid": {"letter": 4000, "mnist": 10000, "adult_codes": 8000, "adult": 8000, "vehicle": 2000},
        "n_test": {"letter": 6600, "mnist": 0, "adult_codes": 0, "adult": 0, "vehicle": 4000},
        "n_trials": {
            "random": {"letter": 40, "mnist": 40, "adult_codes": 60, "adult": 60, "vehicle": 60},
            "ei": {"letter": 28, "mnist": 32, "adult_codes": 50, "adult": 50, "vehicle": 50},
            "fabolas": {"letter": 300, "mnist": 250, "adult_codes": 150, "adult": 150, "vehicle": 150},
            # five passes, four elsewhere
            "hyperband": {"letter": 345, "mnist": 276, "adult_codes": 276, "adult": 276, "vehicle": 276},
            "hyperband_rows": {"letter": 100, "mnist": None, "adult_codes": 374, "adult": 374, "vehicle": None},
            "hypertune": 70,  # 20 on all rows
            "hypertune_from_optimum": 70,
            **_NO_CONTROLS,
        },
        "strategies": _lean(10),
        "n_seeds": 10,
    }


class Mlp(Tuned):
    """Table 4, Figure 5."""

    tuned_on = ("mnist",)

    datasets: Distinct[Dataset] = setting(
        ["mnist"], "the document", "data sets that the learner is tuned on; []: it is not run"
    )
    n_train: OneOrEach[Ten] = setting(50000, _BENCHMARK, _TRAIN)
    n_valid: OneOrEach[Count] = setting(10000, _BENCHMARK, _VALID)
    n_test: OneOrEach[Whole] = setting(0, _BENCHMARK, _TEST)
    rows_per_class: Count = setting(51, _LEAST, "the least that Fabolas and Hyperband on rows ask for")
    epochs: Two = setting(25, "ours; the document gives them for its CNN", _EPOCHS)
    n_trials: dict[str, Numbers] = setting(
        {
            "random": 60,
            "ei": 60,
            "fabolas": 150,
            "hyperband": 132,  # six passes
            "hyperband_rows": 260,  # four passes
            "hypertune": 80,
            "hypertune_from_optimum": 80,
            "hypertune_reversed": 80,
            "hypertune_unsigned": 60,
            "hypertune_neutral": 80,
        },
        OURS,
        _TRIALS,
    )
    strategies: Blocks = setting({**_ON_EPOCHS, "hypertune_neutral": {"signs": {"dropout": 1}}}, OURS, _BLOCKS)
    n_seeds: Seeds = setting(3, _THREE, _SEEDS)

    laptop = {
        "n_train": 500,
        "n_valid": 500,
        "rows_per_class": 5,
        "epochs": 9,
        "n_trials": {
            **_LAPTOP_TRIALS,
            **_NO_VARIANTS,
            "hyperband": 22,
            "hyperband_rows": None,
            "hypertune_neutral": None,
        },
        "strategies": _lean(3),
        "n_seeds": 1,
    }
    smoke = {
        "n_train": 200,
        "n_valid": 200,
        "epochs": 3,
        "n_trials": {
            "random": None,
            "ei": None,
            "fabolas": None,
            "hyperband": None,
            "hypertune": 13,
            "hypertune_from_optimum": None,
        },
        "strategies": {"hypertune": {"n_initial": 2, "n_subset_trials": 2}},
    }
    desk = {
        "n_train": 10000,
        "epochs": 10,
        "n_trials": {
            "random": 80,
            "ei": 45,
            "fabolas": 400,
            "hyperband": 220,  # ten passes
            "hyperband_rows": 90,  # fifteen passes
            "hypertune": 70,  # 20 on all rows
            "hypertune_from_optimum": 70,
            "hypertune_reversed": 70,
            "hypertune_unsigned": None,
            "hypertune_neutral": None,
        },
        "strategies": _lean(10),
        "n_seeds": 20,
    }


class CifarCnn(Tuned):
    """Table 4."""

    tuned_on = ("cifar10",)

    datasets: Distinct[Dataset] = setting(
        ["cifar10"], "the document", "data sets that the learner is tuned on; []: it is not run"
    )
    n_train: OneOrEach[Ten] = setting(40000, _BENCHMARK, _TRAIN)
    n_valid: OneOrEach[Count] = setting(10000, _BENCHMARK, _VALID)
    n_test: OneOrEach[Whole] = setting(0, _BENCHMARK, _TEST)
    rows_per_class: Count = setting(51, _LEAST, "the least that Fabolas and Hyperband on rows ask for")
    epochs: Two = setting(25, "the document", _EPOCHS)
    time_s: Annotated[float, Field(gt=0, le=MOST)] | None = setting(
        86400.0, "the document", "seconds that each method has; null: HyperTune's time of the same seed"
    )
    n_trials: dict[str, Numbers] = setting(
        {
            "random": 200,
            "ei": 200,
            "fabolas": 400,
            "hyperband": 440,
            "hyperband_rows": None,
            "hypertune": 250,
            "hypertune_from_optimum": 250,
            "hypertune_reversed": None,
            "hypertune_unsigned": None,
        },
        "ours; more than there is time for",
        _TRIALS,
    )
    strategies: Blocks = setting(_ON_EPOCHS, OURS, _BLOCKS)
    n_seeds: Seeds = setting(3, _THREE, _SEEDS)

    laptop = {
        "n_train": 500,
        "n_valid": 500,
        "rows_per_class": 5,
        "epochs": 3,
        "time_s": None,
        "n_trials": {
            "random": 6,
            "ei": 6,
            "fabolas": None,
            "hyperband": 6,
            "hypertune": 20,
            "hypertune_from_optimum": None,
        },
        "strategies": _lean(3),
        "n_seeds": 1,
    }
    smoke = {"datasets": []}
    desk = {
        "n_train": 10000,
        "n_valid": 2000,
        "rows_per_class": 10,
        "subset_share": 0.05,
        "epochs": 10,
        "time_s": None,
        "n_trials": {
            "random": None,
            "ei": 8,
            "fabolas": 50,
            "hyperband": 22,
            "hypertune": 20,
            "hypertune_from_optimum": None,
        },
        "strategies": _lean(3),
    }


_ON_TABLE = ("hypertune_optimum", "hypertune_shared", "hypertune_optimum_reversed", "hypertune_shared_reversed")
_TABLE_METHODS = "trials of a search by method, on subsets included; null: not run"


class SvmTable(Settings):
    """HyperTune from either start on lookup.svm_mnist, beside its controls and EI: 5 searches per seed."""

    n_initial: FirstCandidates = setting(3, OURS, "first candidates of a seed, the same for all methods")
    n_trials: NumbersByMethod = setting(
        {**dict.fromkeys(_ON_TABLE, 70), "ei_se": 30},
        "ours: 20 on all rows, and of EI as many as fill HyperTune's time",
        _TABLE_METHODS,
    )
    strategies: Blocks = setting(
        {"hypertune_shared": {"n_initial": 3, "n_subset_trials": 10, "n_starts": 2, "subset_rows": 1024}},
        OURS,
        "settings that all methods have; each strategy checks them",
    )
    n_seeds: Seeds = setting(40, OURS, _SEEDS)

    laptop = {
        "n_trials": {**dict.fromkeys(_ON_TABLE, 28), "ei_se": 12},
        "strategies": {"hypertune_shared": {"n_subset_trials": 4, "subset_rows": 128}},
        "n_seeds": 2,
    }
    smoke = {
        "n_trials": {
            "hypertune_optimum": 14,
            "hypertune_shared": None,
            "hypertune_optimum_reversed": None,
            "hypertune_shared_reversed": None,
            "ei_se": 4,
        },
        "strategies": {"hypertune_shared": {"n_initial": 2, "n_subset_trials": 2}},
        "n_seeds": 1,
    }


class OtherTables(SvmTable):
    """The same on further tables of `lookup`: 5 searches per table and seed."""

    tables: Distinct[Literal["svm_letter", "elastic_net_letter", "elastic_net_adult"]] = setting(
        ["svm_letter", "elastic_net_letter", "elastic_net_adult"],
        OURS,
        "look-up tables that are searched; []: it is not run",
    )
    n_trials: NumbersByMethod = setting(
        {**dict.fromkeys(_ON_TABLE, 70), "ei_se": 80},
        "ours: 20 on all rows, and of EI as many as fill HyperTune's time where a fit is quick",
        _TABLE_METHODS,
    )

    strategies: Blocks = setting(
        {"hypertune_shared": {"n_initial": 3, "n_subset_trials": 10, "n_starts": 2}},
        OURS,
        "settings that all methods have; each strategy checks them",
    )

    laptop = {
        **SvmTable.laptop,
        "tables": ["elastic_net_letter"],
        "strategies": {"hypertune_shared": {"n_subset_trials": 4}},
    }


class HyperTune(Settings):
    """Document 004: HyperTune."""

    defaults: Defaults
    complexity: Complexity
    complexity_by_gamma: ComplexityByGamma
    elastic_net: ElasticNet
    svm: Svm
    svm_table: SvmTable
    other_tables: OtherTables
    svm_rff: SvmRff
    mlp: Mlp
    cifar_cnn: CifarCnn
