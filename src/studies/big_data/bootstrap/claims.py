"""The claims of document 003, section 3.1, quoted.

What counts as comparable or good was fixed before any study was run: at most `WITHIN` times the bootstrap's error.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from studies.big_data.bootstrap.summaries import with_errors
from studies.verdicts import Arrays, Claim

WITHIN = 1.5
"""An error up to so many times another one is comparable with it."""
GAMMA = 0.7
"""Of the bag of little bootstraps where a sentence names none: that of the document's Figure 7b."""
FLOOR = 10
"""Repetitions under which no verdict is given."""
FLOOR_TRUTH = 400
"""Data sets under which the true width is not known to 3 % for a coefficient by itself."""
_GAMMAS = (0.5, 0.6, 0.7, 0.8, 0.9)


def first_within(errors: NDArray[np.float64], limit: float) -> int | None:
    """First step from which on errors (n_steps,) stay at or below a limit; None if the last one is above."""
    beyond = np.flatnonzero(~(errors <= limit))
    first = int(beyond[-1]) + 1 if beyond.size else 0
    return first if first < len(errors) else None


def _spent(arrays: Arrays, method: str, what: str, limit: float) -> float:
    """Mean spent by the step at which the mean error stays within a limit; infinite if it never does."""
    step = first_within(arrays[f"{method}_error"].mean(axis=1), limit)
    return math.inf if step is None else float(arrays[f"{method}_{what}"].mean(axis=1)[step])


def _sooner(what: str) -> Callable[[Arrays], float]:
    def statistic(arrays: Arrays) -> float:
        limit = WITHIN * float(arrays["bootstrap_error"][-1].mean())
        return 1.0 - _spent(arrays, "bootstrap", what, limit) / _spent(arrays, "blb", what, limit)

    return statistic


def _end(method: str) -> Callable[[Arrays], float]:
    return lambda arrays: float(arrays[f"{method}_error"][-1].mean())


def _smallest_good(method: str) -> Callable[[Arrays], float]:
    """Smallest gamma from which on the final error is good; 1, the bootstrap itself, if none is."""

    def statistic(arrays: Arrays) -> float:
        first = first_within(arrays[f"{method}_ends"].mean(axis=1), WITHIN * _end("bootstrap")(arrays))
        return 1.0 if first is None else float(arrays["gammas"][first, 0])

    return statistic


def _spread(arrays: Arrays) -> float:
    blb, b_of_n = (np.ptp(arrays[f"{method}_ends"].mean(axis=1)) for method in ("blb", "b_of_n"))
    return float(blb - b_of_n)


def _per_row(method: str) -> Callable[[Arrays], float]:
    return lambda arrays: float(arrays[f"{method}_seconds"][-1].mean() / arrays[f"{method}_rows"][-1].mean())


def _workers(arrays: Arrays) -> float:
    """BLB's seconds over BOOT's at comparable error, which are at least all of BOOT's if it never gets there."""
    spent = _spent(arrays, "bootstrap", "seconds", WITHIN * _end("blb")(arrays))
    blb, whole = (float(arrays[f"{method}_seconds"][-1].mean()) for method in ("blb", "bootstrap"))
    return blb / min(spent, whole) - 1.0


_FASTER = "BLB converges on a solution much faster than the regular n out of n bootstrapping (BOOT)"
_UNTIL = (
    "until the mean error of the widths stays within 1.5 times BOOT's final one, b = n^0.7: 1 less BOOT's over "
    "BLB's, below 0 if BLB is sooner"
)

SERIAL = (
    Claim(
        "... n out of n bootstrapping technique ... uses 63% of the training data on average (distinct rows of a "
        "resample over n)",
        0.63,
        lambda arrays: float(arrays["distinct"].mean()),
        rounding=0.01,
    ),
    Claim(
        "... resamples ... that each contain at most b different elements (by construction; share of BLB's paths "
        "where it is so)",
        1.0,
        lambda arrays: float((arrays["largest_share"] <= 1.0).mean()),
        every=True,
        bounds=(0.0, 1.0),
    ),
    Claim(f"{_FASTER} (seconds {_UNTIL})", math.nan, _sooner("seconds")),
    Claim(f"{_FASTER} (rows touched {_UNTIL})", math.nan, _sooner("rows")),
    Claim(
        "... with comparable results (BLB's final error with b = n^0.7 less 1.5 times BOOT's, below 0 if so)",
        math.nan,
        lambda arrays: _end("blb")(arrays) - WITHIN * _end("bootstrap")(arrays),
    ),
    Claim(
        "BLB is less sensitive to the choice of b than BOFN (largest less smallest final error over gamma: BLB's "
        "less BOFN's, below 0 if so)",
        math.nan,
        _spread,
    ),
    Claim(
        "BLB reached good results with b >= n^0.6 (smallest gamma from which on the final error is at most 1.5 "
        "times BOOT's; 1 if none)",
        0.6,
        _smallest_good("blb"),
        rounding=0.1,
    ),
    Claim(
        "... whereas BOFN required at least b >= n^0.7 (the same for BOFN)",
        0.7,
        _smallest_good("b_of_n"),
        rounding=0.1,
    ),
    Claim(
        "... training is overproportionally faster on small samples (seconds per row touched, BLB's with "
        "b = n^0.7 over BOOT's, less 1; below 0 if so)",
        math.nan,
        lambda arrays: _per_row("blb")(arrays) / _per_row("bootstrap")(arrays) - 1.0,
    ),
    Claim(
        "... each BLB sample can be held in memory ... The much larger BOOT samples (by construction; distinct "
        "rows of a BLB subsample with b = n^0.7 over those of a BOOT resample, less 1; below 0 if so)",
        math.nan,
        lambda arrays: float(arrays["blb_held"].mean() / arrays["bootstrap_held"].mean()) - 1.0,
    ),
)
"""From the runs of `intervals`."""

PARALLEL = (
    Claim(
        "BLB significantly outperforms BOOT on a Spark cluster with 10 workers (on this machine's worker "
        "processes: the cluster and its disks are not testable here; BLB's seconds over those until BOOT's mean "
        "error stays within 1.5 times BLB's, or over all of BOOT's if it never does, less 1; below 0 if so)",
        math.nan,
        _workers,
    ),
)
"""From the runs of `interval_workers`."""

CLAIMS: dict[str, tuple[Claim, ...]] = {"intervals": SERIAL, "interval_workers": PARALLEL}
"""Experiment -> its claims."""


def arrays(experiment: str, runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    """What the claims are computed from, the seeds on the last axis.

    Args:
        experiment: a key of `CLAIMS`.
        runs: its rows, of all methods.

    Returns:
        blb_error, blb_seconds, blb_rows (n_steps, n_seeds), with gamma the one nearest `GAMMA`, and the same of
        `bootstrap`; of `interval_workers` with the most workers. For `intervals` also blb_held and bootstrap_held
        (n_seeds,), distinct (n_seeds,), and per gamma (n_gammas, n_seeds): gammas, blb_ends, b_of_n_ends (final
        errors), largest_share.
    """
    paths = with_errors(runs.assign(experiment=experiment))
    paths = paths[paths["n_workers"] == paths["n_workers"].max()]
    blb, boot = paths[paths["method"] == "blb"], paths[paths["method"] == "bootstrap"]
    one = blb[blb["gamma"] == min(blb["gamma"].unique(), key=lambda gamma: abs(gamma - GAMMA))]
    found = {}
    for name, part in (("blb", one), ("bootstrap", boot)):
        for what, column in (("error", "relative_error"), ("seconds", "seconds"), ("rows", "rows_touched")):
            found[f"{name}_{what}"] = _wide(part, column)
    if experiment == "intervals":
        found |= {"blb_held": _wide(one, "rows_held")[-1], "bootstrap_held": _wide(boot, "rows_held")[-1]}
        found["distinct"] = _wide(boot, "fraction_distinct")[-1]
        found |= {"blb_ends": _ends(blb, "relative_error"), "largest_share": _ends(blb, "largest_share")}
        found["b_of_n_ends"] = _ends(paths[paths["method"] == "b_of_n"], "relative_error")
        gammas = np.sort(blb["gamma"].unique())
        found["gammas"] = np.repeat(gammas[:, None], found["distinct"].size, axis=1)
    return found


def reaches_floor(experiment: str, runs: pd.DataFrame) -> bool:
    """Whether the runs are enough, and of the size of the method notes (the document's, but for the cluster)."""
    least = {"intervals": (20_000, 10, 100), "interval_workers": (200_000, 50, 50)}[experiment]
    sizes = tuple(runs[name].min() for name in ("n_rows", "n_features", "r"))
    if runs["seed"].nunique() < FLOOR or any(size < low for size, low in zip(sizes, least, strict=True)):
        return False
    blb = set(runs.loc[runs["method"] == "blb", "gamma"])
    if experiment == "intervals":
        return bool((runs["method"] == "truth").sum() >= FLOOR_TRUTH and blb >= set(_GAMMAS))
    return bool(runs["s"].min() >= 5 and blb == {GAMMA})


def _wide(part: pd.DataFrame, column: str) -> NDArray[np.float64]:
    """A column of one path, (n_steps, n_seeds)."""
    return part.pivot_table(column, index="n_finished", columns="seed").to_numpy(float)


def _ends(part: pd.DataFrame, column: str) -> NDArray[np.float64]:
    """A column at the end of the path of every gamma, (n_gammas, n_seeds)."""
    return np.array([_wide(path, column)[-1] for _, path in part.groupby("gamma", sort=True)])
