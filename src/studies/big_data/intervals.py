"""Document 003, section 3.1: widths of 95 % intervals by bootstraps, against the seconds and rows that they take.

`INTERVALS` is behind Figure 7's left and middle panel; `INTERVAL_WORKERS` is behind its right one, with worker
processes of one machine in the place of a Spark cluster. `figure7` shows both.

Differs from the document, whose curves end after ten seconds: a path ends when its fits have touched as many rows
as the bootstrap's, or are `max_fits`, so that its numbers are the same on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.random import Generator

from frugal.seeds import rng_for
from frugal.threads import one_thread
from studies.cells import every
from studies.estimates import Array, Arrays, Estimate, exact, resampled, unbounded
from studies.measures import no_rows, nothing, percent_of, ratio_of
from studies.records import Claim, Floor, Method, Study
from studies.regions import Region, above, at_most, much, near
from studies.trajectories import stays_within

BLB: Final = Method("blb", label="BLB")
BOOT: Final = Method("bootstrap", label="BOOT", color="#000000", marker="P", linestyle="-")


# Runs ----------------------------------------------------------------------------------------------------------


def run(method: str, seed: int, settings: Mapping[str, Any], root: object = "data") -> pd.DataFrame:
    """Widths of 95 % intervals of logistic coefficients, on rows of `bags.draw_rows`.

    All methods of a seed have the same data set. All later fits of a subsample (for `b_of_n` and `bootstrap`, of
    the path) start at the coefficients of its first fit. Seconds do not include drawing the data. They include the
    evaluation of widths only for `blb`, and there not for the latest subsample: the widths of a subsample are
    evaluated before the next one begins.

    Returns:
        For `truth`, a row per data set of its own, with coef_0 to coef_{d-1}. For the other methods, a path for
        each gamma (`bootstrap`: 1), with a row after each subsample or resample that `bags.steps` keeps: gamma, b,
        the columns of `bags.by_subsample`, width_0 to width_{d-1}. All rows have n_rows, n_features, r,
        n_resamples and data.
    """
    from studies.big_data.bags import draw_rows, fit_true, paths

    n, d = settings["n_rows"], settings["n_features"]
    if method == "truth":
        table = pd.DataFrame([fit_true(n, d, seed, number) for number in range(settings["n_truth_per_seed"])])
    else:
        X, y = draw_rows(n, d, rng_for("intervals", "data", seed))
        with one_thread():
            table = pd.concat(paths(method, X, y, seed, settings), ignore_index=True)
    facts = {name: settings[name] for name in ("n_rows", "n_features", "r", "n_resamples")}
    return table.assign(**facts, data="generated")


def run_workers(method: str, seed: int, settings: Mapping[str, Any], root: object = "data") -> pd.DataFrame:
    """Widths of 95 % intervals where worker processes, started before the clock, share subsamples or resamples.

    Returns:
        For each number of workers: for `blb` one row, after its last subsample; for `bootstrap` a row after each
        resample that `bags.steps` keeps.
        Columns n_workers, gamma, b, those of `bags.by_subsample` without the widths, relative_error (of
        the widths), mean_width, true_width, n_rows, n_features, s, r, n_resamples, data.
    """
    from frugal.rows import blb, bootstrap, subsample_size
    from studies.big_data import bags

    n, d = settings["n_rows"], settings["n_features"]
    X, y = bags.draw_rows(n, d, rng_for("interval_workers", "data", seed))
    truth, parts = bags.asymptotic_width(n, d, settings["n_truth_rows"]), []
    for n_workers in settings["workers"]:
        bags.start_workers(n_workers)
        rng, began = rng_for("interval_workers", method, seed), perf_counter()
        options: dict[str, Any] = {"rng": rng, "n_workers": n_workers, **bags.TIMED}
        if method == "blb":
            gamma, b = settings["gamma"], subsample_size(n, settings["gamma"])
            path = bags.by_subsample(blb(X, y, b=b, s=settings["s"], r=settings["r"], **options), began).tail(1)
        else:
            gamma, b = 1.0, n
            path = bags.by_resample(bootstrap(X, y, r=settings["n_resamples"], **options), began)
        widths = path.filter(regex=r"^width_\d+$")
        found = {
            "n_workers": n_workers,
            "gamma": gamma,
            "b": b,
            "relative_error": (widths / truth - 1.0).abs().mean(axis=1),
            "mean_width": widths.mean(axis=1),
            "true_width": truth,
        }
        parts.append(path.drop(columns=widths.columns).assign(**found))
    facts = {name: settings[name] for name in ("n_rows", "n_features", "s", "r", "n_resamples")}
    return pd.concat(parts, ignore_index=True).assign(**facts, data="generated")


def true_width(runs: pd.DataFrame) -> float:
    """Width of the central 95 % range of a coefficient over the data sets of `truth`, all coefficients pooled.

    They may change places, so that a range of each by itself would only be noisier.

    Raises:
        ValueError: without runs of `truth`.
    """
    coefs = runs[runs["method"] == "truth"].filter(regex=r"^coef_\d+$").to_numpy(float)
    if not coefs.size:
        raise ValueError("the runs of intervals need those of the method truth")
    low, high = np.quantile(coefs, [0.025, 0.975])
    return float(high - low)


def with_errors(runs: pd.DataFrame) -> pd.DataFrame:
    """The paths of both studies, with relative_error and width_ratio (mean width over the true one).

    The error is the mean over the coefficients of |w - w_true| / w_true. Those of `intervals` have one worker.

    The column experiment names the study of a run.
    """
    parts = []
    for experiment, part in runs.groupby("experiment"):
        if experiment == "interval_workers":
            parts.append(part.assign(width_ratio=part["mean_width"] / part["true_width"]))
            continue
        paths = part[part["method"] != "truth"]
        ratios = paths.filter(regex=r"^width_\d+$").to_numpy(float) / true_width(part)
        ratios = ratios[:, np.isfinite(ratios).any(axis=0)]
        errors = {"relative_error": np.abs(ratios - 1.0).mean(axis=1), "width_ratio": ratios.mean(axis=1)}
        parts.append(paths.assign(n_workers=1, **errors))
    return pd.concat(parts, ignore_index=True)


# Claims --------------------------------------------------------------------------------------------------------

WITHIN: Final = 1.5
"""An error up to so many times another one is comparable with it; fixed before any study was run."""
GAMMA: Final = 0.7
"""Of the bag of little bootstraps where a sentence names none: that of the document's Figure 7b."""
GAMMAS: Final = (0.5, 0.6, 0.7, 0.8, 0.9)
"""The document's."""
N_TRUTH: Final = 400
"""Data sets under which the true width is not known to 3 % for a coefficient by itself."""


def arrays(runs: pd.DataFrame) -> dict[str, Array]:
    """Arrays that the claims on `INTERVALS` are measured on, the seeds on the last axis.

    Returns:
        The arrays of `worker_arrays`; blb_held, bootstrap_held and distinct, each (n_seeds,); and per gamma,
        (n_gammas, n_seeds): gammas, blb_ends, b_of_n_ends (final errors), largest_share.
    """
    paths = with_errors(runs.assign(experiment="intervals"))
    blb, b_of_n, boot = (paths[paths["method"] == name] for name in ("blb", "b_of_n", "bootstrap"))
    one, distinct = _with_nearest_gamma(blb), _wide(boot, "fraction_distinct")[-1]
    gammas = np.sort(blb["gamma"].unique())
    return _path_arrays(one, boot) | {
        "blb_held": _wide(one, "rows_held")[-1],
        "bootstrap_held": _wide(boot, "rows_held")[-1],
        "distinct": distinct,
        "blb_ends": _ends(blb, "relative_error"),
        "largest_share": _ends(blb, "largest_share"),
        "b_of_n_ends": _ends(b_of_n, "relative_error"),
        "gammas": np.repeat(gammas[:, None], distinct.size, axis=1),
    }


def worker_arrays(runs: pd.DataFrame) -> dict[str, Array]:
    """Arrays that the claims on `INTERVAL_WORKERS` are measured on, with the most workers.

    Returns:
        blb_error, blb_coef_error, blb_seconds, blb_rows (n_steps, n_seeds), with the gamma that is nearest to
        `GAMMA`, and the same of `bootstrap`; n_workers (n_seeds,).
    """
    paths = with_errors(runs.assign(experiment="interval_workers"))
    paths = paths[paths["n_workers"] == paths["n_workers"].max()]
    blb, boot = (paths[paths["method"] == name] for name in ("blb", "bootstrap"))
    found = _path_arrays(_with_nearest_gamma(blb), boot)
    return found | {"n_workers": np.full(found["blb_error"].shape[-1], paths["n_workers"].max())}


def _path_arrays(blb: pd.DataFrame, boot: pd.DataFrame) -> dict[str, Array]:
    columns = {
        "error": "relative_error",
        "coef_error": "coef_error",
        "seconds": "seconds",
        "rows": "rows_touched",
    }
    parts = {"blb": blb, "bootstrap": boot}
    return {
        f"{name}_{end}": _wide(part, column) for name, part in parts.items() for end, column in columns.items()
    }


def _with_nearest_gamma(blb: pd.DataFrame) -> pd.DataFrame:
    nearest = float(min(blb["gamma"].unique(), key=lambda gamma: abs(gamma - GAMMA)))
    return blb[blb["gamma"] == nearest]


def _wide(part: pd.DataFrame, column: str) -> Array:
    """A column of one path, (n_steps, n_seeds)."""
    return part.pivot_table(column, index="n_finished", columns="seed").to_numpy(float)


def _ends(part: pd.DataFrame, column: str) -> Array:
    """A column at the end of the path of every gamma, (n_gammas, n_seeds)."""
    return np.array([_wide(path, column)[-1] for _, path in part.groupby("gamma", sort=True)])


def _has_truth_and_gammas(runs: pd.DataFrame) -> bool:
    has_gammas = set(runs.loc[runs["method"] == "blb", "gamma"]) >= set(GAMMAS)
    return bool((runs["method"] == "truth").sum() >= N_TRUTH and has_gammas)


def _has_one_gamma(runs: pd.DataFrame) -> bool:
    return set(runs.loc[runs["method"] == "blb", "gamma"]) == {GAMMA}


FLOOR: Final = Floor(seeds=10, least={"n_rows": 20_000, "n_features": 10, "r": 100}, further=_has_truth_and_gammas)
WORKERS_FLOOR: Final = Floor(
    seeds=10, least={"n_rows": 200_000, "n_features": 50, "r": 50, "s": 5}, further=_has_one_gamma
)
"""The document's own settings, its cluster aside (`docs/methods.md`, section 12)."""
INTERVALS: Final = Study(
    name="intervals",
    methods=(Method("truth"), BLB, Method("b_of_n", label="BOFN"), BOOT),
    run=run,
    is_timed=True,
    arrays=arrays,
    is_enough=FLOOR,
)
INTERVAL_WORKERS: Final = Study(
    name="interval_workers",
    methods=(BLB, BOOT),
    run=run_workers,
    is_timed=True,
    arrays=worker_arrays,
    is_enough=WORKERS_FLOOR,
)
_claim = partial(Claim, section="3.1", study="intervals", artefact="tables/interval_widths")
_FINAL: Final = "final error of the interval widths"
_UNTIL: Final = (
    "until the error of the interval widths stays within 1.5 times BOOT's final one: BOOT over BLB with b = n^0.7"
)


def _spent(arrays: Arrays, method: str, currency: str, limit: float) -> float:
    """Mean spent until the mean error stays within a limit; all that was spent if it never does."""
    spent = arrays[f"{method}_{currency}"].mean(axis=1)
    return float(spent[min(stays_within(arrays[f"{method}_error"].mean(axis=1), limit), len(spent) - 1)])


def _final_error(arrays: Arrays, method: str, error: str = "error") -> float:
    return float(arrays[f"{method}_{error}"][-1].mean())


def _final_ratio(arrays: Arrays, rng: Generator, *, error: str) -> Estimate:
    """BLB's final error over BOOT's."""
    return resampled(
        lambda drawn: _final_error(drawn, "blb", error) / _final_error(drawn, "bootstrap", error),
        arrays,
        rng,
        is_log=True,
    )


def _sooner(arrays: Arrays, rng: Generator, *, currency: str) -> Estimate:
    """What BOOT spends over what BLB spends, each until its error stays within the limit.

    If BLB never gets there, all that it spent counts, and the ratio is an upper bound.
    """

    def statistic(drawn: Arrays) -> float:
        limit = WITHIN * _final_error(drawn, "bootstrap")
        return _spent(drawn, "bootstrap", currency, limit) / _spent(drawn, "blb", currency, limit)

    never = _final_error(arrays, "blb") > WITHIN * _final_error(arrays, "bootstrap")
    return unbounded(resampled(statistic, arrays, rng, is_log=True), below=never, above=False)


def _workers(arrays: Arrays, rng: Generator) -> Estimate:
    """What BOOT spends until its error is comparable with BLB's over what BLB does.

    If BOOT never gets there, all that it spent counts, and the ratio is a lower bound.
    """

    def statistic(drawn: Arrays) -> float:
        until = _spent(drawn, "bootstrap", "seconds", WITHIN * _final_error(drawn, "blb"))
        return until / float(drawn["blb_seconds"][-1].mean())

    never = _final_error(arrays, "bootstrap") > WITHIN * _final_error(arrays, "blb")
    found = unbounded(resampled(statistic, arrays, rng, is_log=True), below=False, above=never)
    remark = f"{arrays['n_workers'][0]:.0f} workers here, 10 in the document"
    return replace(found, remark=f"BOOT never gets there; {remark}" if never else remark)


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
    names = [f"b = n^{gamma:g}" for gamma in gammas[kept]]
    return every(logs, region, is_log=True, noun="values of b", names=names)


CLAIMS: Final = (
    _claim(
        "big_data.bootstrap.distinct_rows",
        quote="The regular n out of n bootstrapping technique ... uses 63% of the training data on average",
        quantity="share of all rows that a resample holds",
        is_by_construction=True,
        unit="%",
        agrees=near(63, unit=1),
        measure=percent_of("distinct"),
        published=63,
    ),
    _claim(
        "big_data.blb.distinct_rows",
        quote="bigger resamples ... that each contain at most b different elements",
        quantity="largest number of distinct rows of a BLB resample, as a share of b",
        unit="%",
        agrees=at_most(100),
        measure=lambda arrays, rng: exact(100 * arrays["largest_share"].max(), arrays["distinct"].size),
        is_by_construction=True,
    ),
    _claim(
        "big_data.blb.sooner_seconds",
        quote="Figure 7a shows that BLB converges on a solution much faster than the regular n out of n "
        "bootstrapping (BOOT)",
        quantity=f"seconds {_UNTIL}",
        unit="times",
        agrees=much(),
        measure=partial(_sooner, currency="seconds"),
        inferred_from="Figure 7",
        artefact="figures/figure7",
    ),
    _claim(
        "big_data.blb.sooner_rows",
        quantity=f"distinct rows trained on {_UNTIL}",
        unit="times",
        agrees=much(),
        measure=partial(_sooner, currency="rows"),
        inferred_from="Figure 7",
        artefact="figures/figure7_rows",
    ),
    _claim(
        "big_data.blb.comparable_error",
        quote="with comparable results",
        quantity=f"{_FINAL}, BLB with b = n^0.7 over BOOT",
        unit="times",
        agrees=at_most(WITHIN),
        measure=partial(_final_ratio, error="error"),
        inferred_from="Figure 7",
    ),
    _claim(
        # The caption of Figure 7 names this error; its printed levels are those of the widths.
        "big_data.blb.comparable_coef_error",
        quantity="final error of the averaged coefficients, BLB with b = n^0.7 over BOOT",
        unit="times",
        agrees=at_most(WITHIN),
        measure=partial(_final_ratio, error="coef_error"),
        inferred_from="Figure 7",
    ),
    _claim(
        "big_data.blb.sensitivity",
        quote="BLB is less sensitive to the choice of b than BOFN",
        quantity=f"how much the {_FINAL} depends on b (standard deviation over b = n^0.5, ..., n^0.9), BOFN "
        "over BLB",
        unit="times",
        agrees=above(1),
        measure=_sensitivity,
        inferred_from="Figure 7",
    ),
    _claim(
        "big_data.blb.good_from_n06",
        quote="BLB reached good results with b ≥ n^0.6",
        quantity=f"{_FINAL}, BLB over BOOT, with b = n^0.6 and with every larger b (good: up to 1.5)",
        unit="times",
        agrees=at_most(WITHIN),
        measure=partial(_good, method="blb", region=at_most(WITHIN), low=0.6),
        inferred_from="Figure 7",
    ),
    _claim(
        "big_data.b_of_n.good_from_n07",
        quote="BOFN required at least b ≥ n^0.7",
        quantity=f"{_FINAL}, BOFN over BOOT, with b = n^0.7 and with every larger b (good: up to 1.5)",
        unit="times",
        agrees=at_most(WITHIN),
        measure=partial(_good, method="b_of_n", region=at_most(WITHIN), low=0.7),
        inferred_from="Figure 7",
    ),
    _claim(
        "big_data.b_of_n.not_good_to_n06",
        quote="BOFN required at least b ≥ n^0.7",
        quantity=f"{_FINAL}, BOFN over BOOT, with b = n^0.6 and with every smaller b (good: up to 1.5)",
        unit="times",
        agrees=above(WITHIN),
        measure=partial(_good, method="b_of_n", region=above(WITHIN), high=0.6),
        inferred_from="Figure 7",
    ),
    _claim(
        "big_data.blb.rows_per_second",
        quote="training is overproportionally faster on small samples",
        quantity="distinct rows trained on per second, BLB with b = n^0.7 over BOOT",
        unit="times",
        agrees=above(1),
        measure=_rows_per_second,
    ),
    _claim(
        "big_data.blb.rows_held",
        quote="each BLB sample can be held in memory by its corresponding worker node. The much larger BOOT "
        "samples",
        quantity="distinct rows of a BOOT resample over those of a BLB subsample with b = n^0.7",
        unit="times",
        agrees=much(),
        measure=ratio_of("bootstrap_held", "blb_held"),
        is_by_construction=True,
    ),
    _claim(
        "big_data.blb.cluster",
        quote="Figure 7b shows that BLB significantly outperforms BOOT on a Spark cluster with 10 workers",
        quantity="seconds of BOOT over BLB on a cluster whose workers read BOOT's samples from disk",
        unit="times",
        agrees=above(1),
        measure=nothing,
        study="interval_workers",
        artefact="figures/figure7",
        rows=no_rows,  # our workers are processes of one machine
        is_out_of_reach=True,
    ),
    _claim(
        "big_data.blb.workers",
        quantity="seconds until the error of the interval widths stays within 1.5 times BLB's final one, BOOT "
        "(all its seconds if it never does) over BLB; worker processes of one machine, all rows in memory",
        unit="times",
        agrees=above(1),
        measure=_workers,
        inferred_from="Figure 7",
        study="interval_workers",
        artefact="figures/figure7",
    ),
)
