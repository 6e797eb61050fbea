"""The claims of document 003, section 3.1, quoted.

What counts as comparable or good was fixed before any study was run: at most `WITHIN` times the bootstrap's error.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import NDArray

from studies.big_data.bootstrap.summaries import with_errors
from studies.cells import every
from studies.estimates import Arrays, Estimate, exact, mean, ratio, resampled
from studies.records import Claim
from studies.regions import Region, above, at_most, much, near

WITHIN = 1.5
"""An error up to so many times another one is comparable with it."""
GAMMA = 0.7
"""Of the bag of little bootstraps where a sentence names none: that of the document's Figure 7b."""
FLOOR = 10
"""Repetitions under which no verdict is given."""
FLOOR_TRUTH = 400
"""Data sets under which the true width is not known to 3 % for a coefficient by itself."""
_GAMMAS = (0.5, 0.6, 0.7, 0.8, 0.9)
_TABLE = "tables/interval_widths"


def first_within(errors: NDArray[np.float64], limit: float) -> int | None:
    """First step from which on errors (n_steps,) stay at or below a limit; None if the last one is above."""
    beyond = np.flatnonzero(~(errors <= limit))
    first = int(beyond[-1]) + 1 if beyond.size else 0
    return first if first < len(errors) else None


def _spent(arrays: Arrays, method: str, what: str, limit: float) -> float:
    """Mean spent by the step at which the mean error stays within a limit; all that was, if it never does."""
    step = first_within(arrays[f"{method}_error"].mean(axis=1), limit)
    return float(arrays[f"{method}_{what}"].mean(axis=1)[-1 if step is None else step])


def _end(arrays: Arrays, method: str) -> float:
    """Mean error at the end."""
    return float(arrays[f"{method}_error"][-1].mean())


def _sooner(arrays: Arrays, rng: Generator, *, what: str) -> Estimate:
    """What BOOT spends over what BLB does; 0 if BLB never gets there."""

    def statistic(drawn: Arrays) -> float:
        limit = WITHIN * _end(drawn, "bootstrap")
        return _spent(drawn, "bootstrap", what, limit) / _spent(drawn, "blb", what, limit)

    if _end(arrays, "blb") > WITHIN * _end(arrays, "bootstrap"):
        return exact(0.0, arrays["blb_error"].shape[-1])
    return resampled(statistic, arrays, rng, is_log=True)


def _workers(arrays: Arrays, rng: Generator) -> Estimate:
    """What BOOT spends until its error is comparable with BLB's over what BLB does."""

    def statistic(drawn: Arrays) -> float:
        until = _spent(drawn, "bootstrap", "seconds", WITHIN * _end(drawn, "blb"))
        return until / float(drawn["blb_seconds"][-1].mean())

    return resampled(statistic, arrays, rng, is_log=True)


def _comparable(arrays: Arrays, rng: Generator) -> Estimate:
    return resampled(lambda drawn: _end(drawn, "blb") / _end(drawn, "bootstrap"), arrays, rng, is_log=True)


def _sensitivity(arrays: Arrays, rng: Generator) -> Estimate:
    """Standard deviation over gamma of the mean final error, BOFN's over BLB's."""

    def statistic(drawn: Arrays) -> float:
        b_of_n, blb = (drawn[f"{method}_ends"].mean(axis=1).std() for method in ("b_of_n", "blb"))
        return float(b_of_n / blb)

    return resampled(statistic, arrays, rng, is_log=True)


def _rows_per_second(arrays: Arrays, rng: Generator) -> Estimate:
    def speed(drawn: Arrays, method: str) -> float:
        return float(drawn[f"{method}_rows"][-1].mean() / drawn[f"{method}_seconds"][-1].mean())

    return resampled(lambda drawn: speed(drawn, "blb") / speed(drawn, "bootstrap"), arrays, rng, is_log=True)


def _good(
    arrays: Arrays, rng: Generator, *, method: str, region: Region, low: float = 0.0, high: float = 1.0
) -> Estimate:
    """Final error over BOOT's, for every gamma from `low` to `high`."""
    gammas = arrays["gammas"][:, 0]
    kept = (gammas > low - 1e-9) & (gammas < high + 1e-9)
    logs = np.log(arrays[f"{method}_ends"][kept] / arrays["bootstrap_error"][-1])
    return every(logs, region, is_log=True, noun="values of b")


def _claim(
    name: str, quote: str, quantity: str, unit: str, agrees: Region,
    measure: Callable[[Arrays, Generator], Estimate], published: float | str = "", *,
    artefact: str = _TABLE, is_ours: bool = False,
) -> Claim:  # fmt: skip
    return Claim(
        f"big_data.{name}", "3.1", quote, quantity, unit, agrees, measure, published, artefact, is_ours=is_ours
    )


_FINAL = "final error of the interval widths over that of BOOT"
_UNTIL = "each until its error of the interval widths stays within 1.5 times BOOT's final one"

SERIAL = (
    _claim(
        "bootstrap.distinct_rows",
        "The regular n out of n bootstrapping technique ... uses 63% of the training data on average",
        "distinct rows of a resample, of all rows",
        "%",
        near(63, unit=1),
        lambda arrays, rng: mean(100 * arrays["distinct"]),
        published=63,
    ),
    _claim(
        "blb.distinct_rows",
        "bigger resamples ... that each contain at most b different elements",
        "distinct rows of the BLB resample that has the most, of b (holds by construction)",
        "%",
        at_most(100),
        lambda arrays, rng: exact(100 * arrays["largest_share"].max(), arrays["distinct"].size),
    ),
    _claim(
        "blb.sooner_seconds",
        "Figure 7a shows that BLB converges on a solution much faster than the regular n out of n bootstrapping "
        "(BOOT)",
        f"BOOT's seconds over those of BLB with b = n^0.7, {_UNTIL}",
        "times",
        much(),
        partial(_sooner, what="seconds"),
        artefact="figures/figure7",
    ),
    _claim(
        "blb.sooner_rows",
        "",
        f"distinct rows that BOOT trains on over those of BLB with b = n^0.7, {_UNTIL}",
        "times",
        much(),
        partial(_sooner, what="rows"),
        artefact="figures/figure7_rows",
        is_ours=True,
    ),
    _claim(
        "blb.comparable_error",
        "with comparable results",
        f"BLB with b = n^0.7: {_FINAL}",
        "times",
        at_most(WITHIN),
        _comparable,
    ),
    _claim(
        "blb.sensitivity",
        "BLB is less sensitive to the choice of b than BOFN",
        "standard deviation over b = n^0.5, ..., n^0.9 of the final error of the interval widths, BOFN's over "
        "BLB's",
        "times",
        above(1),
        _sensitivity,
    ),
    _claim(
        "blb.good_from_n06",
        "BLB reached good results with b ≥ n^0.6",
        f"BLB: {_FINAL}, b = n^0.6 and every larger one (good: up to 1.5)",
        "times",
        at_most(WITHIN),
        partial(_good, method="blb", region=at_most(WITHIN), low=0.6),
    ),
    _claim(
        "b_of_n.good_from_n07",
        "BOFN required at least b ≥ n^0.7",
        f"BOFN: {_FINAL}, b = n^0.7 and every larger one (good: up to 1.5)",
        "times",
        at_most(WITHIN),
        partial(_good, method="b_of_n", region=at_most(WITHIN), low=0.7),
    ),
    _claim(
        "b_of_n.not_good_to_n06",
        "BOFN required at least b ≥ n^0.7",
        f"BOFN: {_FINAL}, b = n^0.6 and every smaller one (good: up to 1.5)",
        "times",
        above(WITHIN),
        partial(_good, method="b_of_n", region=above(WITHIN), high=0.6),
    ),
    _claim(
        "blb.rows_per_second",
        "training is overproportionally faster on small samples",
        "distinct rows trained on per second, BLB with b = n^0.7 over BOOT",
        "times",
        above(1),
        _rows_per_second,
    ),
    _claim(
        "blb.rows_held",
        "each BLB sample can be held in memory by its corresponding worker node. The much larger BOOT samples",
        "distinct rows of a BOOT resample over those of a BLB subsample with b = n^0.7 (nearly by construction)",
        "times",
        much(),
        lambda arrays, rng: ratio(arrays["bootstrap_held"], arrays["blb_held"]),
    ),
)
"""From the runs of `intervals`."""

PARALLEL = (
    _claim(
        "blb.workers",
        "Figure 7b shows that BLB significantly outperforms BOOT on a Spark cluster with 10 workers",
        "BOOT's seconds over BLB's, BOOT until its error of the interval widths stays within 1.5 times BLB's (all "
        "its seconds if it never does); on worker processes of one machine, whose memory holds all rows",
        "times",
        above(1),
        _workers,
        artefact="figures/figure7",
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
    """Whether the runs are enough, and of the document's size (`docs/methods.md`, section 12), cluster aside."""
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
