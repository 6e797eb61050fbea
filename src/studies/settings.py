"""What the settings of all studies share, and those that belong to no paper.

The settings of a study are a model: the default of a field is the document's own number, and `laptop`, `smoke` and
`desk` hold what differs at that scale. `studies.config` puts the models together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Final, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, field_validator
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

LARGEST: Final = 10**9
"""No number of the configuration may be further from 0."""
MOST: Final = 100_000
"""Most of anything that is counted: trials, steps, samples, units, rows of a dataset."""
MOST_ROWS: Final = 10_000_000
"""Most rows that are generated."""
Scale = Literal["smoke", "laptop", "desk", "paper"]
LAID_OVER: Final = {"smoke": ("laptop", "smoke")}
"""Scales that lie over another one, from the lowest; every other scale lies over the defaults alone."""
OURS: Final = "ours"
"""Source of a number that is in no document."""
LEAN: Final = {"n_hyper": 4, "n_burn": 20, "n_steps": 10, "n_representers": 20, "n_samples": 200}
"""Settings of a strategy by information that take a tenth of the seconds of the paper's numbers."""


def setting(default: Any, source: str = OURS, description: str = "", **limits: Any) -> Any:
    """A field of settings.

    Args:
        default: the document's own number.
        source: page, section or publication of the default, or `OURS`.
        description: what it is, with its unit.
        limits: of the value, as of `pydantic.Field`.
    """
    return Field(default, description=description, json_schema_extra={"source": source}, **limits)


def left_out(default: Any, description: str = "", **limits: Any) -> Any:
    """A field that the whole configuration lacks unless it is given; the code's own default holds then."""
    extra: dict[str, Any] = {"source": "default of the code", "left_out": True}
    return Field(default, description=description, json_schema_extra=extra, **limits)


def is_left_out(field: FieldInfo) -> bool:
    """Whether a field is one of `left_out`."""
    return isinstance(field.json_schema_extra, dict) and "left_out" in field.json_schema_extra


def merge(base: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """`base` with the keys of `change` put in its place, mappings key by key, as Snakemake merges files."""
    merged = dict(base)
    for key, value in change.items():
        both = (
            isinstance(value, Mapping)
            and isinstance(base.get(key), Mapping)
            and not isinstance(value, Replacement)
        )
        merged[key] = merge(base[key], value) if both else value
    return {key: merge(value, {}) if isinstance(value, Mapping) else value for key, value in merged.items()}


class Replacement(dict[str, Any]):
    """A mapping of a scale that takes the place of the default's, where others go over it key by key."""


def refuse(accepted: str, value: object, *path: str | int) -> PydanticCustomError:
    """An error to raise: what is at the path under the field must be something else."""
    return PydanticCustomError("refused", "must be {accepted}", {"accepted": accepted, "at": path, "value": value})


def break_rule(rule: str, *path: str) -> PydanticCustomError:
    """An error to raise: what is at the path breaks this rule."""
    return PydanticCustomError("rule", "{rule}", {"rule": rule, "at": path})


def unknown(name: str, known: tuple[str, ...]) -> PydanticCustomError:
    """An error to raise: a mapping has a key that is not known."""
    return PydanticCustomError("unknown", "unknown key {name}", {"name": name, "known": known})


@contextmanager
def named(where: str) -> Iterator[None]:
    """Put the place in front of what is refused inside the block."""
    try:
        yield
    except (ValueError, TypeError) as error:
        raise ValueError(f"{where}: {error}") from error


def _check_plain(value: object, *path: str | int) -> None:
    """Refuse keys that are no text, and values that JSON does not have or that are too far from 0."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            if not isinstance(key, str):
                raise PydanticCustomError("key", "every key must be a string", {"key": key, "at": path})
            _check_plain(part, *path, key)
    elif isinstance(value, list):
        for i, part in enumerate(value):
            _check_plain(part, *path, i)
    elif value is not None and not isinstance(value, (str, bool, int, float)):
        raise refuse("a text, a number, true, false or null", value, *path)
    elif isinstance(value, (int, float)) and not abs(value) <= LARGEST:
        raise refuse(f"a number from {-LARGEST} to {LARGEST}", value, *path)


class Settings(BaseModel):
    """Settings of a study, or of a part of one; unknown keys are refused, and nothing is converted.

    Attributes:
        laptop: what differs from the defaults at that scale; mappings go over the default key by key.
        smoke: what differs from `laptop` at that scale.
        desk: what differs from the defaults.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)

    laptop: ClassVar[Mapping[str, Any]] = {}
    smoke: ClassVar[Mapping[str, Any]] = {}
    desk: ClassVar[Mapping[str, Any]] = {}

    @field_validator("*", mode="before")
    @classmethod
    def _is_plain(cls, value: Any) -> Any:
        _check_plain(value)
        return value

    @classmethod
    def sections(cls) -> dict[str, type[Settings]]:
        """Models of the fields that are sections, by name: those that have no default themselves."""
        models = {name: field.annotation for name, field in cls.model_fields.items() if field.is_required()}
        return {
            name: model
            for name, model in models.items()
            if isinstance(model, type) and issubclass(model, Settings)
        }

    @classmethod
    def at(cls, scale: str) -> dict[str, Any]:
        """All values at a scale, as plain lists and dictionaries."""
        parts = cls.sections()
        values = {
            name: parts[name].at(scale) if name in parts else deepcopy(field.default)
            for name, field in cls.model_fields.items()
            if not is_left_out(field)
        }
        for layer in LAID_OVER.get(scale, (scale,)):
            values = merge(values, deepcopy(getattr(cls, layer, {})))
        return values


# Types ---------------------------------------------------------------------------------------------------------

Item = TypeVar("Item")


def _without_repeats(values: list[Item]) -> list[Item]:
    if any(value in values[:i] for i, value in enumerate(values)):
        raise refuse("a list without repeats", values)
    return values


Distinct = Annotated[list[Item], AfterValidator(_without_repeats), Field(json_schema_extra={"uniqueItems": True})]
"""A list without repeats."""
Several = Annotated[Distinct[Item], Field(min_length=1)]
"""A list without repeats, of one item or more."""
AtLeastTwo = Annotated[Distinct[Item], Field(min_length=2)]
"""A list without repeats, of two items or more."""


def ascending(numbers: list[int]) -> list[int]:
    """A list of numbers, each larger than the one before; for `AfterValidator`."""
    if any(after <= before for before, after in pairwise(numbers)):
        raise refuse("a list of increasing numbers", numbers)
    return numbers


def _one_or_all(value: object) -> object:
    if value != "all" and (value != 1 or not isinstance(value, int) or isinstance(value, bool)):
        raise refuse("one of 1, all", value)
    return value


OneOrAll = Annotated[Literal[1, "all"], BeforeValidator(_one_or_all)]
Whole = Annotated[int, Field(ge=0, le=MOST)]
Count = Annotated[int, Field(ge=1, le=MOST)]
Two = Annotated[int, Field(ge=2, le=MOST)]
NumbersByMethod = dict[str, Two | None]
Seed = Annotated[int, Field(ge=0)]
Seeds = Annotated[int, Field(ge=1, le=10_000)]
Folds = Annotated[int, Field(ge=2, le=100)]
FirstCandidates = Annotated[int, Field(ge=2, le=10_000)]
Positive = Annotated[float, Field(gt=0)]
Share = Annotated[float, Field(gt=0, le=1)]
Part = Annotated[float, Field(gt=0, lt=1)]
Unit = Annotated[float, Field(ge=0, le=1)]
NAME: Final = "a name of small letters, digits and _"
Name = Annotated[str, Field(pattern="^[a-z0-9_]+$")]


def _check_counts(settings: dict[str, Any]) -> dict[str, Any]:
    for path, value in _leaves(settings):
        if isinstance(value, int) and value > MOST:
            raise refuse(f"at most {MOST}", value, *path)
    return settings


def _leaves(value: object, *path: str | int) -> Iterator[tuple[tuple[str | int, ...], object]]:
    """Path and value of everything that is neither a mapping nor a list."""
    if isinstance(value, (Mapping, list)):
        for key, part in value.items() if isinstance(value, Mapping) else enumerate(value):
            yield from _leaves(part, *path, key)
    else:
        yield path, value


Block = Annotated[dict[str, Any], AfterValidator(_check_counts)]
"""Settings of a strategy, which checks them itself; no whole number among them is above `MOST`."""
Blocks = dict[str, Block]
"""Settings by name of the strategy or method."""
Candidates = Several[Two]
FoldsList = Several[Folds]
Scaler = Literal["none", "min_max", "robust", "standard"]


# Termination of learning curves, document 003, section 2.2 -----------------------------------------------------


class Extrapolation(Settings):
    """The sampler of extrapolated curves; 2,500, 500, 10 and 100 walkers in the authors' code."""

    prior: Literal["per_family_soft", "per_family_hard", "combined"] = left_out(
        "per_family_soft", "what keeps curves from falling"
    )
    normalise_weights: bool = left_out(True, "divide the families' weights by their sum")
    recency_weighting: bool = left_out(False, "later points count more")
    sigma: Positive | None = left_out(None, "standard deviation of the scores' noise; null: sampled")
    cut_beginning: bool = left_out(False, "leave out points before a curve rises")
    start_weights: Literal["by_fit", "equal"] = left_out(
        "by_fit", "weights of the families that the chains start from"
    )
    n_walkers: Annotated[int, Field(ge=4, le=MOST)] | None = left_out(
        None, "number of chains; null: 100, or more for long vectors"
    )
    n_steps: Count = left_out(800, "steps of each walker, burn-in included")
    n_burn: Whole = left_out(400, "first steps that are dropped; n_steps is at least n_burn + thin")
    thin: Count = left_out(10, "distance between the steps that are kept after the burn-in")


class Rule(Settings):
    """When a trial is cut short; p and the horizon follow from the curves."""

    delta: Unit = left_out(0.95, "certainty that is needed to stop; 0.95 in the authors' code")
    rule: Literal["probable", "optimistic"] = left_out(
        "probable", "the document's, or that of the authors' code, which also stops where it is certain"
    )
    best: Literal["last", "running"] = left_out(
        "last", "which score of a trial the best one is: its last, or its highest"
    )
    noise: bool = left_out(True, "whether the probability is of a noisy last score or of its mean")


class Termination(Rule):
    """When a trial is cut short whose epochs are known."""

    p: Count = Field(description="epochs between checks, fewer than a whole trial has; 30 in Domhan et al. (2015)")
    curve: Extrapolation = left_out({}, "settings of the sampler of curves")


# What belongs to no paper --------------------------------------------------------------------------------------


class Download(Settings):
    """Datasets that have to be fetched."""

    timeout_s: Annotated[float, Field(gt=0, le=86_400)] = setting(60, OURS, "seconds without an answer")
    n_retries: Annotated[int, Field(ge=1, le=100)] = setting(3, OURS, "further attempts per source")


class Strategies(Settings):
    """Settings by strategy of the folds family, in the paper's units; each strategy checks its own.

    A change re-runs that strategy alone.
    """

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Block]

    standard: Block = setting({}, OURS, "settings of plain k-fold cross-validation of every candidate")
    greedy: Block = setting(
        {"ties": "lowest_index"}, "ours; document 001 states no ties", "settings of the greedy order of folds"
    )
    greedy_early_stopping: Block = setting(
        {"epsilon": 0.02, "rounding": "ceiling", "ties": "lowest_index"},
        "document 001: epsilon section 4.4; rounding the text of section 3, its listing has none",
        "settings of the greedy order that stops early",
    )
    successive_halving: Block = setting(
        {"factor": 3, "cv": 5, "min_resources": "exhaust", "aggressive_elimination": False},
        "inferred from document 001's Table 3, as it states none",
        "settings of successive halving on rows",
    )
    beta_pruning: Block = setting(
        {"buffer": 10, "tau": 0.99, "rate": 0.01, "rank_by": "posterior_mean", "at_end": "drain"},
        "document 000: buffer Algorithm 1, tau section 3.1, rate equation 4; rank_by the author's program (the"
        " listing has sample_mean); at_end ours, the author's program stops",
        "settings of pruning by the Beta model in a buffer",
    )
    beta_sequential: Block = setting(
        {"tau": 0.99, "rate": 0.01},
        "document 000: section 3.1, equation 4",
        "settings of pruning by the Beta model, candidates in their order",
    )
    beta_greedy: Block = setting(
        {"order": "quantile", "quantile": 0.9, "tau": 0.99, "rate": 0.01},
        "ours; tau and rate as in beta_sequential",
        "settings of order and pruning by the Beta model",
    )
    threshold_pruning: Block = setting(
        {"threshold": 0.1, "min_folds": 2},
        "the \"eg. 0.1\" of document 000's section 4; the author's program of reference [2]",
        "settings of pruning at a fixed distance behind the best candidate",
    )
    exact_pruning: Block = setting({}, OURS, "settings of pruning candidates that can no longer win")
    wilcoxon: Block = setting(
        {"p_threshold": 0.1, "n_startup_steps": 2}, "Optuna's defaults", "settings of Optuna's Wilcoxon pruner"
    )
    aggressive_early_stopping: Block = setting({}, OURS, "settings of pruning below the incumbent's mean")
    forgiving_early_stopping: Block = setting({}, OURS, "settings of pruning below the incumbent's worst fold")
    fold_halving: Block = setting(
        {"factor": 3}, "that of successive halving", "settings of successive halving on folds"
    )
    paired_racing: Block = setting(
        {"test": "normal", "confidence": 0.95, "min_folds": 2},
        OURS,
        "settings of paired racing; test: normal, t or friedman",
    )
    predicted_folds: Block = setting(
        {"n_sds": 2.0, "n_startup": None},
        "that of elastic/ml-cpp",
        "settings of predicted folds; n_startup null: as many as there are folds",
    )


class LookUpTable(Settings):
    """A table of real fits that optimisers look up."""

    learner: str = Field(description="learner that is fitted in one go")
    dataset: Name = Field(description="dataset of the catalogue")
    space: str = Field(description="space of the learner, over which a grid is laid")
    n_per_dimension: int = Field(
        ge=2, le=1000, description="values of each hyperparameter, evenly spaced from end to end"
    )
    sizes: Several[Two] = Field(description="training rows; at least the number of classes")
    n_subsets: list[Count] = Field(
        min_length=1,
        description="draws of rows at each size, as many numbers as sizes; several: an optimiser sees noise",
    )
    n_valid: Count = Field(description="validation rows, the last of the training file")
    n_test: Whole = Field(description="test rows, of a dataset that sets none apart itself")
    n_train: Count | None = Field(description="number of the other training rows; null: all")
    seed: Seed = Field(description="seed of the learner and the draws of rows")
    n_rechecked: Count = Field(description="cells fitted live and compared")
    scaler: Scaler = left_out("none", "fitted on the training rows; the learner svm has none")


class SvmMnist(LookUpTable):
    """Document 003, Figure 3: 20 x 20 candidates x 26 draws = 10,400 fits in 20 jobs, 22 hours of counted seconds.

    The jobs take fewer: candidates of one gamma share a kernel matrix, which is counted for each. A job holds
    11 GB where its kernel matrix is the largest.
    """

    learner: str = setting("svm", "document 003, section 2.1", "learner that is fitted in one go")
    dataset: Literal["mnist"] = setting("mnist", "document 003, section 2.1", "dataset of the catalogue")
    space: str = setting("ranges", "Klein et al. (2017)", "space of the learner: ln C and ln gamma in [-10, 10]")
    n_per_dimension: int = setting(
        20, "Klein et al. (2017)", "values of each hyperparameter, evenly spaced from end to end", ge=2, le=1000
    )
    sizes: Several[Two] = setting(
        [32768 >> halved for halved in range(10)], OURS, "training rows, each half of the one before"
    )
    n_subsets: list[Count] = setting(
        [1, 1, 1, 1, 2, 4, 4, 4, 4, 4], OURS, "draws of rows at each size, as many numbers as sizes", min_length=1
    )
    n_valid: Count = setting(10000, "Klein et al. (2017)", "validation rows, the last of the training file")
    n_test: Whole = setting(0, "MNIST has its own 10,000", "test rows, of a dataset that sets none apart itself")
    n_train: Count | None = setting(
        None, "all 50,000 of the others", "number of the other training rows; null: all"
    )
    seed: Seed = setting(0, OURS, "seed of the learner and the draws of rows")
    n_rechecked: Count = setting(3, OURS, "cells fitted live and compared")

    laptop = {"n_per_dimension": 6, "sizes": [1024, 512, 256, 128], "n_subsets": [1, 2, 2, 4], "n_valid": 2000}
    smoke = {"n_per_dimension": 3, "sizes": [512, 256, 128], "n_subsets": [1, 2, 2], "n_valid": 1000}


class StartTable(LookUpTable):
    """What document 004's start and signs are looked at on, beside `SvmMnist`.

    There are the rows of a search and an eighth of these, HyperTune's five subsets.
    """

    learner: str = setting("elastic_net", "document 004", "learner that is fitted in one go")
    dataset: Literal["letter"] = setting("letter", "document 004", "dataset of the catalogue")
    space: str = setting("hypertune", "document 004; exponents ours", "space of the learner")
    n_per_dimension: int = setting(
        20, "as of svm_mnist", "values of each hyperparameter, evenly spaced from end to end", ge=2, le=1000
    )
    sizes: Several[Two] = setting([8192, 1024], OURS, "training rows, all and of HyperTune's subsets")
    n_subsets: list[Count] = setting([1, 5], "document 004: 5", "draws of rows at each size", min_length=1)
    n_valid: Count = setting(4000, OURS, "validation rows, the last of the training file")
    n_test: Whole = setting(4000, OURS, "test rows, of a dataset that sets none apart itself; 0: its own")
    n_train: Count | None = setting(None, OURS, "number of the other training rows; null: all")
    seed: Seed = setting(0, OURS, "seed of the learner and the draws of rows")
    n_rechecked: Count = setting(3, OURS, "cells fitted live and compared")

    laptop = {"n_per_dimension": 4, "sizes": [1024, 128], "n_valid": 1000, "n_test": 1000}
    smoke = {"n_per_dimension": 2, "sizes": [512, 64]}


class ElasticNetLetter(StartTable):
    """Elastic net on letter: 20 x 20 candidates x 6 draws = 2,400 fits, in 20 jobs of 2 to 3 CPU minutes."""


class ElasticNetAdult(StartTable):
    """Elastic net on scaled adult: 20 x 20 candidates x 6 draws, in 20 jobs of half a CPU minute."""

    dataset: Literal["adult"] = setting(  # type: ignore[assignment]
        "adult", "document 004", "dataset of the catalogue"
    )
    n_valid: Count = setting(8000, OURS, "validation rows, the last of the training file")
    n_test: Whole = setting(0, "adult has its own", "test rows, of a dataset that sets none apart itself")
    scaler: Scaler = setting(
        "standard", "ours, as in hypertune.elastic_net.scalers", "fitted on the training rows"
    )

    laptop = {**StartTable.laptop, "n_test": 0}


class SvmLetter(StartTable):
    """SVM on letter: 20 x 20 candidates x 6 draws, in 20 jobs of 1 to 2 CPU minutes."""

    learner: str = setting("svm", "document 004", "learner that is fitted in one go")
    sizes: Several[Two] = setting([4096, 512], OURS, "training rows, all and of HyperTune's subsets")


class Lookup(Settings):
    """Tables of real fits by name, each `snakemake results/lookup/NAME.parquet`; others may stand beside."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[Name, LookUpTable]

    svm_mnist: SvmMnist
    svm_letter: SvmLetter
    elastic_net_letter: ElasticNetLetter
    elastic_net_adult: ElasticNetAdult


Network = Literal["mlp", "cifar_cnn"]
NetworkData = Literal["mnist", "cifar10"]
SizesOfRows = Annotated[Distinct[Annotated[int, Field(ge=10, le=MOST)]], Field(min_length=2)]


class Curves(Settings):
    """A set of learning curves of one network; none of its numbers is in the document.

    Where each candidate is trained on several numbers of rows, trials may be on fewer.
    """

    network: Network = left_out(None, "what is trained; by default, what the set is named after")
    dataset: NetworkData
    n_curves: int
    n_train: Count | SizesOfRows
    n_valid: Count
    n_epochs: Two


_CANDIDATES: Final = "candidates that are trained"
_ROWS: Final = "training rows, the same for all candidates"
_SIZES: Final = "numbers of training rows, each half of the one before; each candidate has a curve on every one"
_VALID: Final = "validation rows, the last ones of the training file"


class MlpCurves(Curves):
    """50 x 100 epochs of 0.1 s."""

    dataset: NetworkData = setting(
        "mnist",
        "document 003, section 2.2",
        "dataset that the network is trained on; the document has CIFAR-100, too",
    )
    n_curves: int = setting(50, OURS, _CANDIDATES, ge=2, le=10_000)
    n_train: Count = setting(5000, OURS, _ROWS)
    n_valid: Count = setting(5000, OURS, _VALID)
    n_epochs: Two = setting(100, OURS, "epochs of every curve")

    laptop = {"n_curves": 8, "n_train": 500, "n_valid": 500, "n_epochs": 40}
    smoke = {"n_curves": 3, "n_epochs": 8}


class CifarCurves(Curves):
    """50 x 60 epochs of 1.1 s."""

    dataset: NetworkData = setting(
        "cifar10",
        "document 003, section 2.2",
        "dataset that the network is trained on; the document has CIFAR-100, too",
    )
    n_curves: int = setting(50, OURS, _CANDIDATES, ge=2, le=10_000)
    n_train: Count = setting(2000, OURS, _ROWS)
    n_valid: Count = setting(2000, OURS, _VALID)
    n_epochs: Two = setting(60, "ours; 285 in the document", "epochs of every curve")

    laptop = {"n_curves": 8, "n_train": 200, "n_valid": 200, "n_epochs": 16}
    smoke = {"n_curves": 3, "n_epochs": 8}


class CnnSizesCurves(Curves):
    """Document 003, section 2.1, where trials on fewer rows are looked up: 60 x 3,968 rows x 10 epochs."""

    network: Network = setting("cifar_cnn", OURS, "what is trained")
    dataset: NetworkData = setting("cifar10", OURS, "dataset that the network is trained on")
    n_curves: int = setting(60, OURS, _CANDIDATES, ge=2, le=10_000)
    n_train: SizesOfRows = setting([2048, 1024, 512, 256, 128], OURS, f"{_SIZES}; ten rows per class")
    n_valid: Count = setting(1000, OURS, _VALID)
    n_epochs: Two = setting(10, OURS, "epochs of every curve")

    laptop = {"n_curves": 24, "n_train": [256, 128, 64], "n_valid": 200, "n_epochs": 3}
    smoke = {"n_curves": 6, "n_train": [200, 100], "n_epochs": 2}


class MlpSizesCurves(Curves):
    """Section 4, where trials on fewer rows are cut short: 48 x 7,936 rows x 40 epochs, some 7 CPU minutes."""

    network: Network = setting("mlp", OURS, "what is trained")
    dataset: NetworkData = setting("mnist", OURS, "dataset that the network is trained on")
    n_curves: int = setting(48, OURS, _CANDIDATES, ge=2, le=10_000)
    n_train: SizesOfRows = setting([4096, 2048, 1024, 512, 256], OURS, _SIZES)
    n_valid: Count = setting(2000, OURS, _VALID)
    n_epochs: Two = setting(40, OURS, "epochs of every curve")

    laptop = {"n_curves": 12, "n_train": [512, 256, 128], "n_valid": 500, "n_epochs": 30}
    smoke = {"n_curves": 4, "n_train": [200, 100], "n_valid": 200, "n_epochs": 12}


class Networks(Settings):
    """The stored sets by name."""

    mlp: MlpCurves
    cifar_cnn: CifarCurves
    cnn_sizes: CnnSizesCurves
    mlp_sizes: MlpSizesCurves


class AllCurves(Settings):
    """Learning curves of small networks on random candidates, replayed by all: `snakemake all_curves`."""

    curves_per_job: Count = setting(10, OURS, "candidates that one job trains")
    networks: Networks

    laptop = {"curves_per_job": 12}
    smoke = {"curves_per_job": 4}
