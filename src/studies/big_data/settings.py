"""Settings of document 003's studies."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from studies.settings import (
    LEAN,
    MOST,
    MOST_ROWS,
    OURS,
    Block,
    Blocks,
    Count,
    Extrapolation,
    FirstCandidates,
    Folds,
    Part,
    Positive,
    Replacement,
    Rule,
    Seed,
    Seeds,
    Settings,
    Several,
    Share,
    Termination,
    Two,
    Unit,
    Whole,
    ascending,
    refuse,
    setting,
)

Hundred = Annotated[int, Field(ge=100, le=MOST_ROWS)]
Thousand = Annotated[int, Field(ge=1000, le=MOST_ROWS)]
TwoOrNone = Two | None
Binary = Literal["wdbc", "ripley", "pima2"]
Compression = Annotated[float, Field(ge=1, le=MOST)]
Passes = Annotated[float, Field(gt=0, le=MOST)]

_DESIGN = "docs/methods.md, section 12"
_FIRST = "first candidates of a seed, of which a strategy starts from as many as its block says"
_BLOCKS = "settings by strategy, in the paper's units; each strategy checks its own"
_KLEIN = "Klein et al. (2017)"
_NOT_RUN = "trials of a search, first candidates included; null: not run"
_SEEDS = "repetitions"
_FLOOR = "ours; the published floor"
_START = "rows of the first sample, of all rows"
_THETA = "relative error of the gradient"


def _termination(p: int) -> Any:
    """The rule that cuts trials short, with a check every `p` epochs."""
    return setting(
        {"p": p, "delta": 0.95, "curve": {"n_steps": 200, "n_burn": 100}},
        "ours; 30, 0.95, 2,500 and 500 in the original",
        "when a trial is cut short: p, delta and the sampler's curve",
    )


def _gamma(value: float) -> float:
    if value not in (0.5, 0.6, 0.7, 0.8, 0.9):
        raise refuse("one of 0.5, 0.6, 0.7, 0.8, 0.9", value)
    return value


Gamma = Annotated[float, AfterValidator(_gamma), Field(json_schema_extra={"enum": [0.5, 0.6, 0.7, 0.8, 0.9]})]


# Section 2: sizes and lengths of trials ------------------------------------------------------------------------


class SvmTrials(Settings):
    """Trials by method; mtbo_32 and mtbo_512 need tables with those parts of the largest size."""

    random: TwoOrNone = setting(2000, "ours: nearly all candidates there are", _NOT_RUN)
    ei: TwoOrNone = setting(60, f"ours; {_KLEIN}: 2 and 15 more, in which some never arrive", _NOT_RUN)
    entropy_search: TwoOrNone = setting(60, "ours; as of ei", _NOT_RUN)
    mtbo_4: TwoOrNone = setting(60, f"ours; {_KLEIN}: 30", _NOT_RUN)
    mtbo_32: TwoOrNone = setting(60, f"ours; {_KLEIN}: 30", _NOT_RUN)
    mtbo_512: TwoOrNone = setting(300, f"ours; {_KLEIN}: 30, in which most never arrive", _NOT_RUN)
    fabolas: TwoOrNone = setting(300, f"ours; {_KLEIN}: 80", _NOT_RUN)

    laptop = {
        "random": 100,
        "ei": 17,
        "entropy_search": 17,
        "mtbo_4": 15,
        "mtbo_32": None,
        "mtbo_512": None,
        "fabolas": 30,
    }
    smoke = {"random": 9, "ei": None, "entropy_search": None, "mtbo_4": 5, "fabolas": 6}


_SAMPLED = {"n_hyper": 10, "n_burn": 100, "n_steps": 200, "n_representers": 50, "n_samples": 1000}
_SHORT = {"n_hyper": 2, "n_burn": 2, "n_steps": 2, "n_representers": 8, "n_samples": 50, "n_candidates": 20}


class SvmSearch(Settings):
    """Figure 3, section 2.1: 7 strategies on lookup.svm_mnist, whose sizes they use.

    mtbo_N tries candidates on all rows, or on an Nth of them.
    """

    n_initial: FirstCandidates = setting(15, _KLEIN, _FIRST)
    n_trials: SvmTrials
    strategies: Blocks = setting(
        {  # 10 samples of the hyperparameters, 200 candidates: the lean setting
            "random": {"n_initial": 2},
            "ei": {"n_initial": 2, "inference": "mcmc", "n_burn": 100, "n_steps": 200, "n_starts": 5},
            "entropy_search": {"n_initial": 2, **_SAMPLED},
            "mtbo_4": {"n_initial": 5, **_SAMPLED},
            "mtbo_32": {"n_initial": 5},
            "mtbo_512": {"n_initial": 5},
            "fabolas": {"n_initial": 15, **_SAMPLED, "n_steps": 100},
        },
        OURS,
        _BLOCKS,
    )
    n_seeds: Seeds = setting(10, "the document", _SEEDS)

    laptop = {
        "strategies": {
            "ei": {"n_burn": 50, "n_steps": 10, "n_starts": 2},
            "entropy_search": LEAN,
            "mtbo_4": LEAN,
            "fabolas": {"n_initial": 8, **LEAN},
        },
        "n_seeds": 2,
    }
    smoke = {
        "n_initial": 4,
        "strategies": {"mtbo_4": {"n_initial": 3, **_SHORT}, "fabolas": {"n_initial": 4, **_SHORT}},
        "n_seeds": 1,
    }


class CnnTrials(Settings):
    """Trials by method; mtbo_16 needs curves on a sixteenth of the largest size."""

    random: TwoOrNone = setting(60, "ours: all candidates there are", _NOT_RUN)
    ei: TwoOrNone = setting(30, OURS, _NOT_RUN)
    entropy_search: TwoOrNone = setting(30, OURS, _NOT_RUN)
    mtbo_4: TwoOrNone = setting(40, OURS, _NOT_RUN)
    mtbo_16: TwoOrNone = setting(40, OURS, _NOT_RUN)
    fabolas: TwoOrNone = setting(60, OURS, _NOT_RUN)

    laptop = {"random": 24, "ei": 17, "entropy_search": 17, "mtbo_4": 20, "mtbo_16": None, "fabolas": 24}
    smoke = {"random": 6, "ei": None, "entropy_search": None, "mtbo_4": None, "fabolas": 5}


# As many representers as candidates: the minimum is sought among all of them.
_CNN = {"n_hyper": 10, "n_burn": 100, "n_steps": 10, "n_representers": 60, "n_samples": 500}
_LEAN_CNN = {**LEAN, "n_steps": 5, "n_representers": 24}


class CnnSearch(Settings):
    """Figure 3's comparison on curves.networks.cnn_sizes, whose sizes it uses; no number is in the document."""

    n_initial: FirstCandidates = setting(15, OURS, _FIRST)
    n_trials: CnnTrials
    strategies: Blocks = setting(
        {
            "random": {"n_initial": 2},
            "ei": {"n_initial": 2, "inference": "mcmc", "n_burn": 100, "n_steps": 20},
            "entropy_search": {"n_initial": 2, **_CNN},
            "mtbo_4": {"n_initial": 5, **_CNN},
            "mtbo_16": {"n_initial": 5, **_CNN},
            "fabolas": {"n_initial": 15, **_CNN},
        },
        OURS,
        f"{_BLOCKS}; n_representers at least twice the 7 dimensions",
    )
    n_seeds: Seeds = setting(10, "the document's of Figure 3", _SEEDS)

    laptop = {
        "strategies": {
            "ei": {"n_burn": 50, "n_steps": 10},
            "entropy_search": _LEAN_CNN,
            "mtbo_4": _LEAN_CNN,
            "mtbo_16": Replacement({"n_initial": 5}),
            "fabolas": {"n_initial": 8, **_LEAN_CNN},
        },
        "n_seeds": 2,
    }
    smoke = {
        "n_initial": 3,
        "strategies": {"fabolas": {"n_initial": 3, **_SHORT, "n_representers": 14, "n_candidates": 16}},
        "n_seeds": 1,
    }


class CurveSearch(Settings):
    """Figures 4 and 5, section 2.2: 3 optimisers without and with termination on the sets of `curves`."""

    n_initial: int = setting(5, OURS, "first candidates of a seed, the same for every method", ge=1, le=10_000)
    n_trials: Two = setting(
        25, OURS, "trials of a search: half of a set's 50 curves, so that searches end differently"
    )
    check_share: Share = setting(
        0.105,
        "Domhan et al. (2015): 30 of 285 epochs",
        "p, the epochs between checks, as a share of those of a curve, in whole epochs",
    )
    curve: Extrapolation = setting(
        {"n_steps": 400, "n_burn": 200},
        "ours; 2,500 and 500 in the authors' code, of 100 walkers",
        "settings of the sampler of curves, for the stored extrapolations too",
    )
    termination: Rule = setting({"delta": 0.95}, "the authors' code", "settings of the rule")
    strategies: Blocks = setting(
        {"tpe": {"n_random": 10}, "smac": {"retrain_after": 8}},
        "their defaults",
        "settings by strategy; one with termination has those of the strategy without, and its own over them",
    )
    n_seeds: Seeds = setting(10, _FLOOR, _SEEDS)

    laptop = {
        "n_initial": 3,
        "n_trials": 6,
        "check_share": 0.2,
        "curve": {"n_steps": 200, "n_burn": 100},
        "strategies": {"tpe": {"n_random": 3}, "smac": {"retrain_after": 1}},
        "n_seeds": 2,
    }
    smoke = {
        "n_initial": 2,
        "n_trials": 3,
        "check_share": 0.75,
        "curve": {"n_steps": 40, "n_burn": 20},
        "strategies": {"tpe": {"n_random": 2}},
        "n_seeds": 1,
    }


# Section 3: training on fewer rows -----------------------------------------------------------------------------


class Intervals(Settings):
    """Figure 7a, section 3.1."""

    n_rows: Hundred = setting(20000, _DESIGN, "generated rows")
    n_features: Count = setting(10, _DESIGN, "features with coefficients of 1")
    gammas: Several[Gamma] = setting([0.5, 0.6, 0.7, 0.8, 0.9], "Figure 7a", "subsamples have n^gamma rows")
    r: Two = setting(100, "Figure 7a", "resamples per subsample")
    n_resamples: Two = setting(
        100,
        "ours; the document's paths end after 10 s",
        "resamples of the bootstrap, whose touched rows limit every other path",
    )
    max_fits: Two = setting(1500, OURS, "fits of a path at most")
    n_truth_per_seed: Count = setting(
        200, "Kleiner et al. (2014): 2,000 in all", "data sets per seed that the true width is taken from"
    )
    n_seeds: Seeds = setting(10, _FLOOR, _SEEDS)

    laptop = {
        "n_rows": 5000,
        "n_features": 5,
        "r": 50,
        "n_resamples": 50,
        "max_fits": 500,
        "n_truth_per_seed": 100,
        "n_seeds": 2,
    }
    smoke = {
        "n_rows": 500,
        "n_features": 2,
        "gammas": [0.5, 0.7, 0.9],
        "r": 10,
        "n_resamples": 10,
        "max_fits": 50,
        "n_truth_per_seed": 20,
        "n_seeds": 1,
    }


class IntervalWorkers(Settings):
    """Figure 7b, section 3.1: wall time of worker processes, so it needs all cores."""

    n_rows: Hundred = setting(
        200000, f"{_DESIGN}; 6 million rows of 3,000 features on a cluster in the document", "generated rows"
    )
    n_features: Count = setting(50, _DESIGN, "features with coefficients of 1")
    gamma: Gamma = setting(0.7, "Figure 7b", "subsamples have n^gamma rows")
    s: Count = setting(5, "Figure 7b", "subsamples")
    r: Two = setting(50, "Figure 7b", "resamples per subsample")
    n_resamples: Two = setting(30, "ours; it grows without an end in Figure 7b", "resamples of the bootstrap")
    workers: Several[Annotated[int, Field(ge=1, le=1000)]] = setting(
        [1, 2], "ours; 10 in the document", "numbers of worker processes"
    )
    n_truth_rows: Thousand = setting(200000, OURS, "rows over which Fisher's information is averaged")
    n_seeds: Seeds = setting(10, _FLOOR, _SEEDS)

    laptop = {"n_rows": 20000, "n_features": 10, "n_resamples": 50, "n_truth_rows": 100000, "n_seeds": 2}
    smoke = {
        "n_rows": 1000,
        "n_features": 2,
        "s": 2,
        "r": 10,
        "n_resamples": 5,
        "n_truth_rows": 5000,
        "n_seeds": 1,
    }


class SampleSizes(Settings):
    """Figure 8, section 3.2."""

    dataset: str = setting("letter", "ours; the document's speech data are not public", "classes to tell apart")
    n_rows: TwoOrNone = setting(None, OURS, "rows drawn from the dataset; null: all 20,000")
    max_passes: Passes = setting(
        40, "Figure 8 ends at 36: 6 million of 168,776 rows", "rows accessed, of all rows"
    )
    fixed_share: Share = setting(0.05, "Figure 8, left", "rows of a sample of fixed size, of all rows")
    start_share: Share = setting(0.01, OURS, f"{_START}, that may grow")
    window: Whole = setting(
        10,
        "Byrd et al. (2012), section 3; the document has none, as has dynamic_75_unguarded",
        "gradients averaged as a guard against noise; 0: none",
    )
    ratio: Unit = setting(0.4, OURS, "how much shorter their average must be to count")
    hessian_share: Share = setting(0.1, OURS, "rows for products with the Hessian, of the sample")
    max_products: Count = setting(10, OURS, "products with the Hessian per step")
    n_seeds: Seeds = setting(100, "ours; with ten, two claims were undecided", _SEEDS)

    laptop = {"n_rows": 10000, "n_seeds": 2}
    smoke = {"n_rows": 2000, "max_passes": 8, "n_seeds": 1}


class VarianceCheck(Settings):
    """The "about 4 %" of section 3.2; keys as in sample_sizes."""

    dataset: str = setting("letter", OURS, "classes to tell apart")
    n_rows: TwoOrNone = setting(None, OURS, "rows drawn from the dataset; null: all 20,000")
    max_passes: Passes = setting(40, OURS, "rows accessed, of all rows")
    start_share: Share = setting(0.01, OURS, f"{_START}, that may grow")
    window: Whole = setting(
        10, "Byrd et al. (2012), section 3", "gradients averaged as a guard against noise; 0: none"
    )
    ratio: Unit = setting(0.4, OURS, "how much shorter their average must be to count")
    hessian_share: Share = setting(0.1, OURS, "rows for products with the Hessian, of the sample")
    max_products: Count = setting(10, OURS, "products with the Hessian per step")
    n_seeds: Seeds = setting(30, "ours; with ten, a finding was undecided", _SEEDS)

    laptop = {"n_rows": 10000, "max_passes": 10, "n_seeds": 2}
    smoke = {"n_rows": 2000, "max_passes": 8, "n_seeds": 1}


class Subsampling(Settings):
    """Figure 10, section 3.3: 2 designs x 7 methods x 6 sizes x 100 repeats x 60 seeds = 504,000 fits."""

    n_seeds: Seeds = setting(60, "ours; with ten, five claims were undecided", _SEEDS)
    n_rows: Hundred = setting(10000, "Wang et al. (2018), Figure 10's source", "rows of a data set")
    pilot_size: Count = setting(200, "Wang et al. (2018)", "rows of the pilot, r_0")
    sizes: Several[Count] = setting(
        [100, 200, 300, 500, 700, 1000], "read off Figure 10", "rows of the second step, r"
    )
    n_repeats: Count = setting(
        100, "ours; Wang et al. (2018): 1,000 in all", "subsamples of each data set and size"
    )

    laptop = {"n_seeds": 2, "n_repeats": 8}
    smoke = {"n_seeds": 2, "sizes": [100, 300, 1000], "n_repeats": 4}


class Bias(Settings):
    """Figure 9, section 3.3, bias: 4 methods x 7 sizes x 20 repeats x 10 seeds = 5,600 fits."""

    n_seeds: Seeds = setting(10, _FLOOR, _SEEDS)
    n_rows: Thousand = setting(100000, OURS, "rows of a data set")
    share: Part = setting(0.01, "about that of Figure 9", "share of the rare class among all rows")
    sizes: Several[Annotated[int, Field(ge=4, le=MOST_ROWS)]] = setting(
        [500, 1000, 2000, 4000, 8000, 16000, 32000], OURS, "rows of the second step, r"
    )
    pilot_share: Annotated[float, Field(gt=0, le=10)] = setting(
        0.25, OURS, "rows of the pilot, r_0 / r, so that it becomes consistent, too"
    )
    pilot_size: Count = setting(200, "as in Figure 10", "rows of the pilot of lcc_fixed")
    n_repeats: Count = setting(20, OURS, "subsamples of each data set and size")

    laptop = {"n_seeds": 2, "sizes": [500, 1000, 2000, 4000, 8000, 16000], "n_repeats": 5}
    smoke = {"n_seeds": 1, "n_rows": 20000, "sizes": [1000, 2000, 4000, 8000], "n_repeats": 3}


class Boundaries(Settings):
    """Figure 11, section 3.4: Ripley's problem, simulated."""

    n_seeds: Seeds = setting(200, OURS, _SEEDS)
    n_per_class: Two = setting(125, "counted from the sizes printed in Figure 11b", "rows")
    compression: Compression = setting(5, "25 centres per class in Figure 11", "R, rows per cluster")
    C: Positive = setting(1.0, OURS, "penalty of the linear SVM")
    n_init: Count = setting(3, OURS, "restarts of k-means")
    n_fresh: Count = setting(2000, OURS, "rows on which two SVMs' predictions are compared")

    laptop = {"n_seeds": 20}
    smoke = {"n_seeds": 1, "n_fresh": 200}


class CompressionGrid(Settings):
    """Figure 12, section 3.4: 3 methods x 2 data sets x 4 R x (20 x 5 + 1) fits x 120 splits = 290,880."""

    n_seeds: Seeds = setting(120, "ours; the document's standard errors imply 100 to 250", "splits")
    datasets: Several[Binary] = setting(
        ["wdbc", "ripley"],
        "ours; pima2 in the document",
        "datasets; ripley is simulated, pima2 must be in opt_in too",
    )
    compressions: Several[Compression] = setting([1, 3, 5, 10], "section 3.4", "R, rows per cluster")
    n_folds: Folds = setting(5, OURS, "folds with which C and gamma are tuned")
    Cs: Several[Positive] = setting(
        [0.25, 2, 16, 128], OURS, "penalties of the grid, of which the first wins a tie"
    )
    gammas: Several[Positive] = setting(
        [0.001953125, 0.015625, 0.125, 1, 8],
        OURS,
        "gammas of the radial kernel on standardised features, per squared unit",
    )
    n_init: Count = setting(3, OURS, "restarts of k-means")

    laptop = {"n_seeds": 2, "n_folds": 3, "Cs": [2, 16], "gammas": [0.015625, 0.125, 1]}
    smoke = {"n_seeds": 1, "compressions": [1, 10], "n_folds": 2, "Cs": [2], "gammas": [0.015625, 0.125]}


# Section 4: what it proposes -----------------------------------------------------------------------------------


class Designs(Settings):
    """Rows per generated design."""

    nzNormal: Thousand = setting(10000, "Figure 10", "rows")  # noqa: N815
    student_t: Thousand = setting(20000, "Figure 7", "rows")

    smoke = {"nzNormal": 2000, "student_t": 2000}


class Combinations(Settings):
    """Section 4, last point, on the designs of Figures 10 and 7."""

    n_seeds: Seeds = setting(30, "ours; with ten, a claim was undecided", _SEEDS)
    sizes: Designs
    gammas: Several[Share] = setting([0.6, 0.7, 0.8], "section 3.1", "b = n^gamma")
    s: Count = setting(5, "Figure 7b", "subsamples of BLB")
    r: Two = setting(30, "ours; 50 and 100 in Figure 7", "resamples per subsample")
    pilot_size: int = setting(200, "the source of Figure 10", "rows of OSMAC's pilot", ge=20, le=MOST)
    n_truth: Two = setting(300, OURS, "independent datasets for the true interval width")
    theta: Unit = setting(0.5, "section 3.2", _THETA)
    dynamic_gammas: Several[Share] = setting([0.7], OURS, "those of gammas at which BLB with dynamic sizes is run")
    datasets: Several[str] = setting(
        ["letter", "adult"],
        OURS,
        "datasets of the SVMs; more than two classes: the later half against the earlier",
    )
    n_components: Two = setting(20, OURS, "principal components kept of data with more features")
    svm_rows: Hundred = setting(5000, OURS, "training rows of the SVMs, at most")
    svm_test: int = setting(2000, OURS, "test rows of the SVMs, at most", ge=50, le=MOST)
    svm_gammas: Several[Share] = setting([0.7, 0.8], OURS, "b = n^gamma of the SVMs")
    svm_s: Count = setting(5, OURS, "subsamples of the SVMs")
    svm_r: Two = setting(5, OURS, "resamples per subsample of the SVMs")
    compression: Compression = setting(5, "section 3.4's middle one", "R, rows per centre")
    C: Positive = setting(1.0, OURS, "penalty of the SVMs")

    laptop = {
        "n_seeds": 1,
        "gammas": [0.6, 0.7],
        "s": 3,
        "r": 5,
        "n_truth": 40,
        "datasets": ["letter"],
        "svm_rows": 1500,
        "svm_test": 1000,
        "svm_gammas": [0.8],
        "svm_s": 3,
        "svm_r": 4,
    }
    smoke = {
        "gammas": [0.8],
        "s": 2,
        "r": 4,
        "n_truth": 10,
        "dynamic_gammas": [0.8],
        "svm_rows": 500,
        "svm_test": 300,
        "svm_s": 2,
        "svm_r": 2,
    }

    @model_validator(mode="after")
    def _dynamic_among_gammas(self) -> Combinations:
        for gamma in self.dynamic_gammas:
            if gamma not in self.gammas:
                known = ", ".join(map(str, self.gammas))
                raise ValueError(f"dynamic_gammas must be among gammas ({known}), got {gamma!r}")
        return self


class Fractions(Settings):
    """Section 3's methods on real data."""

    n_seeds: Seeds = setting(10, _FLOOR, _SEEDS)
    datasets: Several[str] = setting(["adult", "letter"], OURS, "datasets that are fitted")
    fractions: Several[Part] = setting([0.01, 0.02, 0.05, 0.1, 0.2, 0.5], OURS, "shares of the training rows")
    passes: Several[Passes] = setting(
        [0.1, 0.3, 1, 3, 10, 30], OURS, "accessed rows per training row, of the dynamic fit alone"
    )
    n_train: Annotated[int, Field(ge=500, le=MOST)] | None = setting(
        None, OURS, "training rows of logistic regression, at most; null: four fifths of all"
    )
    svm_rows: Hundred = setting(3000, OURS, "training rows of the SVMs, at most")
    n_components: Two = setting(20, OURS, "principal components kept of data with more features")
    pilot_share: Part = setting(0.25, OURS, "share of the pilot among the drawn rows")
    s: Two = setting(5, "Figure 7b", "subsamples of the bootstraps; what b of n calls r")
    r: Two = setting(10, OURS, "resamples per subsample of BLB")
    theta: Unit = setting(0.5, "section 3.2", _THETA)
    C: Positive = setting(1.0, OURS, "penalty of the SVMs")

    laptop = {
        "n_seeds": 2,
        "fractions": [0.05, 0.2, 0.5],
        "passes": [0.3, 1, 5, 20],
        "n_train": 2000,
        "svm_rows": 700,
        "r": 5,
    }
    smoke = {"n_seeds": 2, "fractions": [0.2], "passes": [1, 5], "n_train": 500, "svm_rows": 300, "s": 2, "r": 2}


class GrowingTermination(Settings):
    """Section 4, second point, termination with growing samples: 4 x 30 searches."""

    n_seeds: Seeds = setting(30, "ours; with ten, a claim was undecided", _SEEDS)
    dataset: str = setting("letter", OURS, "dataset of two classes or more")
    n_train: int = setting(12800, OURS, "training rows; an epoch is as many accessed rows", ge=100, le=MOST)
    n_valid: int = setting(3200, OURS, "rows that learning curves are scored on", ge=10, le=MOST)
    horizon: int = setting(60, OURS, "epochs of a whole trial", ge=6, le=MOST)
    theta: Unit = setting(0.5, "section 3.2", _THETA)
    start_share: Share = setting(0.01, OURS, _START)
    n_trials: Two = setting(16, OURS, "trials of a random search, the same candidates in all four cells")
    termination: Termination = _termination(p=15)

    laptop = {
        "n_seeds": 1,
        "n_train": 3200,
        "n_valid": 1600,
        "horizon": 30,
        "n_trials": 5,
        "termination": {"p": 10},
    }
    smoke = {
        "n_train": 400,
        "n_valid": 200,
        "horizon": 12,
        "n_trials": 2,
        "termination": {"p": 6, "curve": {"n_steps": 40, "n_burn": 20}},
    }


class ReducedTrials(Settings):
    """Trials by strategy."""

    random: Two = setting(20, OURS, "trials of a search")
    ei: Two = setting(15, OURS, "trials of a search")
    fabolas: Two = setting(25, OURS, "trials of a search")

    laptop = {"random": 8, "ei": 6, "fabolas": 11}
    smoke = {"random": 3, "ei": 4, "fabolas": 5}


class ReducedSearch(Settings):
    """Section 4, first point, Fabolas over an SVM on k-means centres: 6 x 10 searches."""

    n_seeds: Seeds = setting(10, _FLOOR, _SEEDS)
    dataset: str = setting("letter", OURS, "dataset; more than two classes: the later half against the earlier")
    sizes: Annotated[list[Two], AfterValidator(ascending)] = setting(
        [128, 256, 512, 1024, 2048, 4096],
        OURS,
        "numbers of training rows that Fabolas may ask for, increasing; the last is that of the others",
        min_length=2,
    )
    n_valid: int = setting(1500, OURS, "validation rows", ge=10, le=MOST)
    n_test: int = setting(2500, OURS, "test rows, at most", ge=10, le=MOST)
    compression: float = setting(5, "section 3.4's middle one", "R, rows per centre", gt=1, le=MOST)
    n_initial: FirstCandidates = setting(15, OURS, _FIRST)
    n_trials: ReducedTrials
    strategies: Blocks = setting(
        {
            "random": {"n_initial": 2},
            "ei": {"n_initial": 2, "inference": "mcmc", "n_burn": 50, "n_steps": 10, "n_starts": 2},
            "fabolas": {"n_hyper": 4, "n_burn": 50, "n_steps": 20, "n_representers": 30, "n_samples": 400},
        },
        OURS,
        _BLOCKS,
    )

    laptop = {
        "n_seeds": 1,
        "sizes": [128, 256, 512, 1024],
        "n_valid": 1000,
        "n_test": 1000,
        "n_initial": 8,
        "strategies": {
            "ei": {"n_burn": 20},
            "fabolas": {"n_burn": 20, "n_steps": 10, "n_representers": 20, "n_samples": 200},
        },
    }
    smoke = {
        "sizes": [64, 256],
        "n_valid": 200,
        "n_test": 200,
        "n_initial": 3,
        "strategies": {
            "ei": {"n_burn": 5, "n_steps": 5},
            "fabolas": {"n_hyper": 2, "n_burn": 5, "n_steps": 5, "n_representers": 8, "n_samples": 50},
        },
    }


class TerminatingFabolas(Settings):
    """Section 4, third point, termination inside Fabolas, on stored curves: 7 x 10 searches."""

    n_seeds: Seeds = setting(10, _FLOOR, _SEEDS)
    curves: Literal["mlp_sizes", "cnn_sizes"] = setting(
        "mlp_sizes", OURS, "a set of curves on several numbers of rows"
    )
    n_initial: FirstCandidates = setting(10, OURS, "first candidates of a seed, the same for all searches")
    n_trials: int = setting(20, OURS, "trials of every search, first candidates included", ge=3, le=MOST)
    fabolas: Block = setting(
        {"n_hyper": 4, "n_burn": 50, "n_steps": 10, "n_representers": 48, "n_samples": 400},
        OURS,
        "settings of Fabolas, in all its versions",
    )
    termination: Termination = _termination(p=10)

    laptop = {
        "n_seeds": 1,
        "n_initial": 4,
        "n_trials": 6,
        "fabolas": {"n_burn": 20, "n_representers": 20, "n_samples": 200},
        "termination": {"p": 15, "curve": {"n_steps": 100, "n_burn": 50}},
    }
    smoke = {
        "n_initial": 3,
        "n_trials": 5,
        "fabolas": {"n_hyper": 2, "n_burn": 2, "n_steps": 2, "n_representers": 14, "n_samples": 50},
        "termination": {"p": 6, "curve": {"n_steps": 40, "n_burn": 20}},
    }


class BigData(Settings):
    """Document 003; n_seeds of each experiment: 10 at the published floor."""

    figure_seed: Seed = setting(0, OURS, "seed of Figures 1, 2, 6, 9 and 11")
    svm_search: SvmSearch
    cnn_search: CnnSearch
    curve_search: CurveSearch
    intervals: Intervals
    interval_workers: IntervalWorkers
    sample_sizes: SampleSizes
    variance_check: VarianceCheck
    subsampling: Subsampling
    bias: Bias
    boundaries: Boundaries
    compression: CompressionGrid
    combinations: Combinations
    fractions: Fractions
    growing_termination: GrowingTermination
    reduced_search: ReducedSearch
    terminating_fabolas: TerminatingFabolas
