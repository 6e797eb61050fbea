"""Claims of document 004 on its data sets: how they are measured, and when they get no verdict.

A sentence about all data sets must hold on each of the document's four. Stand-ins take no part, nor do constant
problems, on which no method does better than the majority's class; adult is the unscaled one, as in the document.
A claim gets no verdict if one of its methods had made all its trials before HyperTune's time was over: its methods
were not compared on equal budgets.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import pandas as pd

from studies.cells import every
from studies.estimates import NOT_RUN, NOT_TESTABLE, Array, Arrays, Estimate, mean
from studies.hypertune.searches import DATASETS, reach_floor
from studies.measures import Measure
from studies.records import Claim
from studies.regions import Region
from studies.shared.searches import CELL
from studies.tidy import is_stand_in

Values = Callable[[Arrays], Array]

RAW: Final = "adult_codes"
SCALED: Final = "adult"
ORDER: Final = ("letter", "mnist", RAW, "vehicle", "cifar10", SCALED)
"""Rows of arrays; the last is not the document's."""
NEEDED: Final = ("letter", "mnist", RAW)
"""Data sets without which there is no verdict on all of them; vehicle's real rows may be out of reach."""
ALL: Final = (*NEEDED, "vehicle", "cifar10")
MARGIN: Final = 1.0
"""Points between test errors that are "equal", "compatible", or at the majority's: the document says "equally
well" of HyperTune where it prints 0.05 beside Hyperband's 0.04."""


COMPARABLE: Final = 0.8
"""Share of the document's training rows, and of its epochs, below which its printed errors are not ours to judge:
errors fall with both, and would differ whatever the method does."""


@dataclass(frozen=True)
class DataSetClaim(Claim):
    """A claim, and the runs that it needs.

    Attributes:
        methods: that it compares, all of which must have been run for long enough.
        datasets: that it is about, where they were run.
        lead: of a claim on searches, the array that it is judged by, which must have a number for every seed.
        printed_rows: training rows of the document's number, of which it needs `COMPARABLE`.
        printed_epochs: the same of its epochs, where it gives them.
    """

    methods: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ALL
    lead: str = ""
    printed_rows: int = 0
    printed_epochs: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", self.rows or self.runs_of)

    @property
    def needed(self) -> tuple[str, ...]:
        """Data sets without which it has no verdict: its only one, or those of `NEEDED` among several."""
        several = tuple(name for name in NEEDED if name in self.datasets)
        return self.datasets if len(self.datasets) == 1 else several

    def runs_of(self, runs: pd.DataFrame) -> pd.DataFrame:
        """Rows of its methods on its data sets."""
        return runs[runs["method"].isin(self.methods) & runs["dataset"].isin(self.datasets)]


def measured(
    values: Values,
    region: Region,
    datasets: tuple[str, ...],
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> Measure:
    """Measure a quantity that must lie in a region: on one data set by the mean over seeds, or else on every one.

    Data sets that were not run are left out. So are constant problems, where no method does better than the
    majority's class; they are named.

    Args:
        values: from the arrays, (n_datasets, n_seeds) in `ORDER`.
        region: with one edge, where there are several data sets.
        datasets: which it is measured on.
        bounds: the least and the largest value that the mean can have.
    """
    if len(datasets) == 1:
        return lambda arrays, rng: mean(values(arrays)[ORDER.index(datasets[0])], bounds=bounds)

    def measure(arrays: Arrays, rng: np.random.Generator) -> Estimate:
        rows, constant = values(arrays), arrays["constant"].max(axis=1)
        run = [name for name, row in zip(ORDER, rows, strict=True) if name in datasets and not np.isnan(row).all()]
        kept = [name for name in run if not constant[ORDER.index(name)]]
        titles = [DATASETS[name].printed for name in kept]
        estimate = every(rows[places(kept)], region, noun="data sets", names=titles)
        constant_ones = ", ".join(DATASETS[name].printed for name in run if name not in kept)
        if not constant_ones:
            return estimate
        left_out = f"left out: {constant_ones}, where no method beats always saying the most frequent class"
        return replace(estimate, remark=f"{estimate.remark}; {left_out}")

    return measure


def places(datasets: Iterable[str]) -> list[int]:
    """Places of data sets in `ORDER`."""
    return [ORDER.index(name) for name in datasets]


def by_data_set(table: pd.DataFrame, value: str, runs: pd.DataFrame) -> Array:
    """A value by data set and seed, (n_datasets, n_seeds) in `ORDER`; nan where there is none.

    `runs` are those that have all seeds.
    """
    wide = table.pivot_table(value, index="dataset", columns="seed", dropna=False)
    return wide.reindex(index=list(ORDER), columns=sorted(runs["seed"].unique())).to_numpy(float)


def are_real(runs: pd.DataFrame) -> bool:
    """Whether no run is on a stand-in; `lacking` then decides claim by claim."""
    return not runs["data"].map(is_stand_in).any()


def lacking(claims: Iterable[DataSetClaim], facts: pd.DataFrame, arrays: Arrays) -> dict[str, tuple[str, str]]:
    """Claims without a verdict, by their ids: `NOT_RUN`, and why.

    A claim has no verdict if a method or a data set that it needs was not run, or was run with fewer repetitions,
    rows or epochs than the floor. A claim on a printed error has none if its training rows or epochs are below the
    share `COMPARABLE` of the document's. A claim has none either if a search ended before its time was over, since
    the methods were then not compared on equal budgets. For a claim on searches, each search must last until
    HyperTune is on all rows.

    Args:
        claims: on one study.
        facts: of its runs, one row each: learner, dataset, method, seed, n_rows, n_epochs, is_short.
        arrays: that the claims are judged on.
    """
    cells = facts.groupby(CELL[:3], as_index=False).agg(
        n_seeds=("seed", "nunique"),
        n_rows=("n_rows", "min"),
        n_epochs=("n_epochs", "min"),
        is_short=("is_short", "any"),
    )
    cells["is_enough"] = reach_floor(cells)
    labels = {}
    for claim in claims:
        used = cells[cells["method"].isin(claim.methods) & cells["dataset"].isin(claim.datasets)]
        run = set(zip(used["dataset"], used["method"], strict=True))
        asked = {(name, method) for name in {*claim.needed, *used["dataset"]} for method in claim.methods}
        has_gaps = bool(claim.lead) and np.isnan(arrays[claim.lead][places(used["dataset"].unique())]).any()
        reasons = {
            "not on all data sets and by all methods": not asked <= run,
            f"on {used['n_rows'].min():,.0f} training rows, the document's {claim.printed_rows:,}": (
                used["n_rows"] < COMPARABLE * claim.printed_rows
            ).any(),
            f"{used['n_epochs'].min():.0f} epochs, the document's {claim.printed_epochs}": (
                used["n_epochs"] < COMPARABLE * claim.printed_epochs
            ).any(),
            "below the floor": not used["is_enough"].all(),
            "a search ended before its time did": used["is_short"].any(),
            "a search ended before HyperTune was on all rows": has_gaps,
        }
        why = next((reason for reason, is_so in reasons.items() if is_so), "")
        if why:
            labels[claim.id] = NOT_RUN, why
    return labels


def out_of_reach(claims: Iterable[DataSetClaim], runs: pd.DataFrame) -> dict[str, tuple[str, str]]:
    """Claims on data of which there are stand-ins alone, by their ids: `NOT_TESTABLE`, and why."""
    labels = {}
    for claim in claims:
        used = runs[runs["dataset"].isin(claim.datasets)]
        if len(used) and used["data"].map(is_stand_in).all():
            labels[claim.id] = NOT_TESTABLE, "the data are a stand-in"
    return labels
