"""What a claim of document 004 speaks of, and the numbers it is judged by: gaps between methods over data sets."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from studies.hypertune.curves import PANELS
from studies.verdicts import Arrays, Claim

RAW: Final = "adult_codes"
SCALED: Final = "adult"
ORDER: Final = ("letter", "mnist", RAW, "vehicle", "cifar10", SCALED)
"""Rows of `arrays`; the last is not the document's."""
NEEDED: Final = ("letter", "mnist", RAW)
"""Data sets without which there is no verdict on all of them; vehicle's real rows may be out of reach."""
ALL: Final = (*NEEDED, "vehicle", "cifar10")
CONTROLLED: Final = ("letter", RAW)
"""Data sets on which the elastic net's controls are judged: a trial takes two seconds and less there."""
MARGIN: Final = 0.01
"""Of test errors: how near is "equally well", "compatible" and "the best performance" of two."""


@dataclass(frozen=True)
class About(Claim):
    """A claim, and what it speaks of.

    Attributes:
        methods: that it compares, all of which must have been run for long enough.
        datasets: that it is about, where they were run.
        needed: those of them without which it has no verdict.
        gap: of a claim on searches, the array that it is judged by, which must have a number for every seed.
    """

    methods: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ALL
    needed: tuple[str, ...] = NEEDED
    gap: str = ""


def largest(differences: NDArray[np.float64]) -> float:
    """Largest over problems, rows, of the mean over seeds; problems that were not run at all are left out."""
    here = differences[~np.isnan(differences).all(axis=-1)]
    return float(here.mean(axis=-1).max()) if len(here) else math.nan


def rows(datasets: tuple[str, ...]) -> list[int]:
    """Places of data sets in `ORDER`."""
    return [ORDER.index(name) for name in datasets]


def gap_of(rival: str, panel: str) -> str:
    """The name in `arrays` of how much more HyperTune errs than a rival on its way, by trials or seconds."""
    return f"{rival} {panel}"


def behind(arrays: Arrays, gap: str, on: tuple[str, ...] = ALL) -> float:
    """Largest over data sets of how much more HyperTune errs than a rival on its way, `gap` in `arrays`."""
    return largest(arrays[gap][rows(on)])


def pairs(arrays: Arrays, firsts: tuple[str, ...], seconds: tuple[str, ...], on: tuple[str, ...] = ALL) -> float:
    """Largest over pairs of methods and over problems of the former's mean test error less the latter's."""
    gaps = [largest((arrays[a] - arrays[b])[rows(on)]) for a in firsts for b in seconds]
    return float(np.max(gaps))


def near(arrays: Arrays, first: str, second: str) -> float:
    """Distance of two methods' mean test errors on one problem, less `MARGIN`."""
    return abs(pairs(arrays, (first,), (second,))) - MARGIN


def claim(
    text: str,
    how: str,
    statistic: Callable[[Arrays], float],
    *,
    quoted: bool = True,
    **about: tuple[str, ...] | str,
) -> About:
    """A sentence, quoted from the document or ours, with how it is judged; `about` are fields of `About`."""
    said = f'"{text}"' if quoted else text
    return About(f"{said} ({how}, below 0 if so)", math.nan, statistic, **about)  # type: ignore[arg-type]


def ahead_of(
    text: str,
    rival: str = "ei",
    *,
    quoted: bool = True,
    on: tuple[str, ...] = ALL,
    needed: tuple[str, ...] = NEEDED,
) -> tuple[About, ...]:
    """Against trials, and against time, on each data set of `on` that was run, those of `needed` at least."""
    what = "best validation error so far, HyperTune less {}, mean over {}, largest over the data sets"
    name = {"ei": "EI"}.get(rival, f"the control {rival.removeprefix('hypertune_')}")
    axes = {"trials": "full-data trials", "seconds": "time, that on subsets included"}
    return tuple(
        claim(text, what.format(name, axes[panel]), partial(behind, gap=gap, on=on), quoted=quoted,
               methods=("hypertune", rival), datasets=on, needed=needed, gap=gap)
        for panel, gap in ((panel, gap_of(rival, panel)) for panel in PANELS)
    )  # fmt: skip


def below(
    text: str,
    firsts: tuple[str, ...],
    seconds: tuple[str, ...],
    on: tuple[str, ...] = ALL,
    needed: tuple[str, ...] | None = None,
) -> About:
    """Test errors of all of `firsts` below those of all of `seconds`, on each data set of `on`."""
    how = f"test error within HyperTune's time, {' and '.join(firsts)} less {' and '.join(seconds)}, the largest"
    asked = tuple(name for name in NEEDED if name in on) if needed is None else needed
    statistic = partial(pairs, firsts=firsts, seconds=seconds, on=on)
    return claim(text, how, statistic, methods=(*firsts, *seconds), datasets=on, needed=asked)
