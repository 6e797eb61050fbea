"""What a claim of document 004 speaks of, and how it is measured: points between methods, data set by data set."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from studies.cells import every
from studies.estimates import Arrays, Estimate, mean
from studies.hypertune.curves import PANELS
from studies.hypertune.listed import DATASETS, LEARNERS, TABLES, published
from studies.records import Claim
from studies.regions import Region, above, between, near
from studies.tidy import read_printed

RAW: Final = "adult_codes"
SCALED: Final = "adult"
ORDER: Final = ("letter", "mnist", RAW, "vehicle", "cifar10", SCALED)
"""Rows of `arrays`; the last is not the document's."""
NEEDED: Final = ("letter", "mnist", RAW)
"""Data sets without which there is no verdict on all of them; vehicle's real rows may be out of reach."""
ALL: Final = (*NEEDED, "vehicle", "cifar10")
CONTROLLED: Final = ("letter", RAW)
"""Data sets on which the elastic net's controls are judged: a trial takes two seconds and less there."""
MARGIN: Final = 1.0
"""Points between test errors that are "equal", "compatible", or at the majority's: the document says "equally
well" of HyperTune where it prints 0.05 beside Hyperband's 0.04."""
SECTIONS: Final = {
    "elastic_net": "Elastic Net",
    "svm": "SVM with RBF Kernel",
    "svm_rff": "SVM with Kernel Approximation",
    "mlp": "Multi-layer Perceptron",
    "cifar_cnn": "Convolutional Neural Network",
}
FIGURES: Final = {"elastic_net": "figures/figure2", "svm": "figures/figure3", "svm_rff": "figures/figure4",
                  "mlp": "figures/figure5"}  # fmt: skip
RESULTS: Final = {learner: f"tables/{table}" for table, learners in TABLES.items() for learner in learners}
"""Learner -> where its test errors stand."""
TRAINED_ON: Final = {"letter": 8_978, "mnist": 50_000, RAW: 21_925, "vehicle": 44_228, "cifar10": 40_000}
"""Training rows of the document, whose splits are those of its benchmark."""
COMPARABLE: Final = 0.8
"""Share of the document's training rows below which its printed errors are not ours to judge: errors fall with
rows, and would differ whatever the method does."""
ERROR: Final = "at the end of HyperTune's time"

Values = Callable[[Arrays], NDArray[np.float64]]
Measure = Callable[[Arrays, np.random.Generator], Estimate]


@dataclass(frozen=True)
class About(Claim):
    """A claim, and what it speaks of.

    Attributes:
        methods: that it compares, all of which must have been run for long enough.
        datasets: that it is about, where they were run.
        needed: those of them without which it has no verdict.
        gap: of a claim on searches, the array that it is judged by, which must have a number for every seed.
        least_rows: training rows below which it has no verdict.
    """

    methods: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ALL
    needed: tuple[str, ...] = NEEDED
    gap: str = ""
    least_rows: float = 0.0


def rows(datasets: tuple[str, ...]) -> list[int]:
    """Places of data sets in `ORDER`."""
    return [ORDER.index(name) for name in datasets]


def lead_of(rival: str, panel: str) -> str:
    """The name in `arrays` of by how much HyperTune leads a rival on its way, by trials or seconds."""
    return f"{rival} {panel}"


def by_data_set(values: Values, region: Region, on: tuple[str, ...]) -> Measure:
    """Measure a quantity that must lie in `region` on every data set.

    Data sets that were not run are left out. So are constant problems, where no method does better than the
    majority's class; they are counted.

    Args:
        values: from the arrays, (n_datasets, n_seeds) in `ORDER`.
        region: with one edge.
        on: data sets.
    """

    def measure(arrays: Arrays, rng: np.random.Generator) -> Estimate:
        found, constant = values(arrays), arrays["constant"].max(axis=1)
        here = [name for name, row in zip(ORDER, found, strict=True) if name in on and not np.isnan(row).all()]
        kept = [name for name in here if not constant[ORDER.index(name)]]
        estimate = every(
            found[rows(tuple(kept))], region, noun="data sets", names=[DATASETS[name] for name in kept]
        )
        n_constant = len(here) - len(kept)
        if not n_constant:
            return estimate
        return replace(estimate, remark=f"{estimate.remark}; {n_constant} at the majority's class left out")

    return measure


def on_one(values: Values, on: str) -> Measure:
    """Measure the mean over seeds of a quantity on one data set; arguments as of `by_data_set`."""
    return lambda arrays, rng: mean(values(arrays)[ORDER.index(on)])


def _measured(values: Values, region: Region, on: tuple[str, ...]) -> Measure:
    return on_one(values, on[0]) if len(on) == 1 else by_data_set(values, region, on)


def less(first: str, second: str) -> Values:
    """By how many points the test error of `second` lies above that of `first`."""
    return lambda arrays: arrays[second] - arrays[first]


def ahead_of(
    learner: str,
    quote: str,
    rival: str = "ei",
    *,
    panels: tuple[str, ...] = tuple(PANELS),
    on: tuple[str, ...] = ALL,
    needed: tuple[str, ...] = NEEDED,
) -> tuple[About, ...]:
    """HyperTune leads a rival against trials, and against time, on each data set of `on` that was run.

    Of one data set alone the mean is judged. The document does not say what its figures' horizontal axes are, so
    that both are a reading of its sentence.
    """
    is_ours = rival != "ei"
    name, whom = _CONTROLS.get(rival, (rival, "EI"))
    over = {
        "trials": "mean over the trials on all rows that both made",
        "seconds": "mean over the time in which both had a trial on all rows, HyperTune's on subsets included",
    }
    of = {"trials": "by_trials", "seconds": "by_time"}
    return tuple(
        About(
            f"hypertune.{learner}.ahead_of_{name}_{of[panel]}",
            SECTIONS[learner],
            quote,
            f"by how much HyperTune's best validation error so far lies below that of {whom}, {over[panel]}",
            "points",
            above(0),
            _measured(partial(_lead, name=lead_of(rival, panel)), above(0), on),
            artefact="tables/controls" if is_ours else FIGURES[learner],
            is_ours=is_ours,
            methods=("hypertune", rival),
            datasets=on,
            needed=needed,
            gap=lead_of(rival, panel),
        )
        for panel in panels
    )


def _lead(arrays: Arrays, name: str) -> NDArray[np.float64]:
    return arrays[name]


_CONTROLS: Final = {
    "hypertune_literal": ("literal", "HyperTune with signs in the region that Algorithm 1 prints"),
    "hypertune_reversed": ("reversed", "HyperTune with reversed signs"),
    "hypertune_unsigned": ("unsigned", "HyperTune without signs"),
    "hypertune_neutral": ("neutral", "HyperTune with a sign on the neutral ratio alone"),
}
"""Controls -> their name in ids, and what they are, in words."""


def better(
    learner: str,
    what: str,
    quote: str,
    first: str,
    second: str,
    *,
    on: tuple[str, ...] = ALL,
    needed: tuple[str, ...] | None = None,
    agrees: Region | None = None,
) -> About:
    """The test error of `first` lies below that of `second`, on each data set of `on`; of one, the mean.

    Args:
        learner: by our name.
        what: the last part of the claim's id.
        quote: the document's.
        first: a method.
        second: another.
        on: data sets.
        needed: those without which there is no verdict; those of `NEEDED` in `on` where it is not given.
        agrees: points by which `second` errs more; above 0 where it is not given.
    """
    region = above(0) if agrees is None else agrees
    values = less(first, second)
    where = "" if len(on) > 1 else f" on {DATASETS[on[0]]}"
    return _tested(
        learner,
        what,
        quote,
        f"by how much {_NAMES[first]}'s test error{where} lies below {_NAMES[second]}'s, {ERROR}",
        "points",
        region,
        _measured(values, region, on),
        methods=(first, second),
        datasets=on,
        needed=tuple(name for name in NEEDED if name in on) if needed is None else needed,
    )


_NAMES: Final = {"hypertune": "HyperTune", "hyperband": "Hyperband", "fabolas": "Fabolas"}


def _tested(learner: str, what: str, *claim: Any, **about: Any) -> About:
    """A claim on test errors."""
    facts = {"artefact": RESULTS[learner], **about}
    return About(f"hypertune.{learner}.{what}", facts.pop("section", SECTIONS[learner]), *claim, **facts)


def at_majority(learner: str) -> About:
    """That errors on adult, which the document does not scale, are those of always saying the larger class."""
    return _tested(
        learner,
        "unscaled_adult_at_majority",
        "",
        f"test error of HyperTune's choice on unscaled adult less that of always saying the larger class, {ERROR}",
        "points",
        between(-MARGIN, MARGIN),
        on_one(less("majority", "hypertune"), RAW),
        is_ours=True,
        methods=("majority", "hypertune"),
        datasets=(RAW,),
        needed=(RAW,),
    )


def scaled_adult(learner: str) -> About:
    """That adult comes to about 15 % where it is scaled."""
    return _tested(
        learner,
        "scaled_adult_near_15",
        "",
        f"test error of HyperTune's choice on adult, one-hot and scaled, {ERROR}",
        "%",
        near(15, unit=1),
        on_one(_hypertune, SCALED),
        is_ours=True,
        methods=("hypertune",),
        datasets=(SCALED,),
        needed=(SCALED,),
    )


def _hypertune(arrays: Arrays) -> NDArray[np.float64]:
    return arrays["hypertune"]


def printed_errors(learner: str) -> tuple[About, ...]:
    """HyperTune's printed test errors of a learner, with their printed standard errors, cell by cell."""
    cells = published().assign(digits=read_printed("hypertune_tables", as_text=True)["value"])
    cells = cells[(cells["learner"] == LEARNERS[learner]) & (cells["method"] == "hypertune")]
    return tuple(_printed_error(learner, cell) for cell in cells.to_dict("records"))


def _printed_error(learner: str, cell: Mapping[Hashable, Any]) -> About:
    on = next(name for name, printed in DATASETS.items() if printed == cell["dataset"])
    error, se = round(100 * cell["published"], 9), cell["published_se"]
    last_digit = 10.0 ** -len(cell["digits"].partition(".")[2])
    return _tested(
        learner,
        f"table{cell['table']}_{cell['dataset']}",
        "",
        f"test error of HyperTune's choice on {cell['dataset']}, {ERROR}",
        "%",
        near(error, unit=100 * last_digit, se=0.0 if np.isnan(se) else 100 * se),
        on_one(_hypertune, on),
        section=f"Table {cell['table']}",
        published=error,
        methods=("hypertune",),
        datasets=(on,),
        needed=(on,),
        least_rows=COMPARABLE * TRAINED_ON[on],
    )
