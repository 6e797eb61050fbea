"""Seconds per suggestion of our expected improvement, BoTorch's and Optuna's; cost of fits against trials."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from time import process_time
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from frugal.bench.trial_methods import Entry, fidelity_methods, methods, missing
from frugal.checks import check_whole
from frugal.seeds import rng_for
from frugal.threads import one_thread
from frugal.trials.checks import check_sizes
from frugal.trials.surrogates import GP, SignGP
from frugal.trials.surrogates.dngo import DNGO
from frugal.trials.surrogates.kernels import Array

if TYPE_CHECKING:
    import pandas as pd

log = logging.getLogger("frugal")
SIZES: Final = (50, 100, 200, 400, 800)
FIDELITY_SIZES: Final = (20, 40, 80)
"""Numbers of trials before a suggestion of a candidate and its number of rows, in two dimensions and a size."""
N_SITES: Final = 15
NOISE: Final = 0.05
"""Standard deviation added to the objective, whose range is about 3."""


def bench_trials(
    n_trials: int = 100,
    n_dimensions: int = 6,
    seed: int = 0,
    *,
    sizes: Sequence[int] = SIZES,
    fidelity_sizes: Sequence[int] = FIDELITY_SIZES,
    n_repeats: int = 5,
) -> pd.DataFrame:
    """Measure the cost of a suggestion after `n_trials` trials, and of a fit at each of `sizes`.

    One thread, CPU time of the process. Every method is told the same trials. It is then asked 1 + `n_repeats`
    times and told each result; the first time, which loads libraries, is left out. Methods take turns, so that
    other load on the machine falls on all of them. BoTorch fits a SingleTaskGP and searches with as many points
    and restarts as ours does; Optuna's samplers are as they come.

    What bounds ours at 100 trials in 6 dimensions: three fifths of a suggestion go to some 130 log evidences with
    their gradients (kernel values of all pairs and their derivatives, a Cholesky factor and an inverse), a fifth
    to moving the search's 512 points one by one to the candidates that they stand for, and a seventh to L-BFGS-B
    on the acquisition. From some 400 trials on, the evidence's cubic part is what remains.

    Args:
        n_trials: number of trials before the first suggestion, at least 2.
        n_dimensions: dimensions of the unit cube.
        fidelity_sizes: numbers of trials before a suggestion of `fabolas` and its peer.
        seed: seed of the trials and the methods.
        sizes: numbers of trials at which the fits are timed, at least two of them, increasing.
        n_repeats: number of suggestions that are timed.

    Returns:
        One row per method and number of trials, columns `what` (`suggestion`, `suggestion with rows` or `fit`),
        `method`, `n_trials`, `n_dimensions`, `seconds` (suggestions: median; fits: least of two), `ratio` (for
        suggestions, seconds of `ei`, with rows of `fabolas`, over these), `slope` (of log seconds on log trials
        over all sizes), `last_slope` (over the last two), `note`. Suggestions: `ei`, `botorch_log_ei`,
        `optuna_gp`, or `optuna_tpe` where that cannot run; with rows: `fabolas`, `botorch_mf_mes`. Fits: `gp_ml2`
        (one start), `gp_evidence` (one log evidence with its gradient), `gp_given` and `sign_gp_given`
        (hyperparameters given; the latter with `N_SITES` signs, by expectation propagation) and `dngo`. A method
        whose library is missing is a row without seconds, with a note.

    Raises:
        ValueError: on a count that is too small, or sizes that do not increase.
    """
    import pandas as pd

    check_whole("n_trials", n_trials, 2)
    check_whole("n_dimensions", n_dimensions, 1)
    check_whole("n_repeats", n_repeats, 1)
    check_sizes(sizes, 2)
    with _one_torch_thread(), one_thread():  # torch would take the limit for its own setting
        rows = _suggestions(n_trials, n_dimensions, seed, n_repeats)
        for n in fidelity_sizes:
            rows += _fidelity_suggestions(n, seed, n_repeats)
        rows += _fits(sizes, n_dimensions, seed)
    columns = ["what", "method", "n_trials", "n_dimensions", "seconds", "ratio", "slope", "last_slope", "note"]
    return pd.DataFrame(rows).fillna({"n_dimensions": n_dimensions}).astype({"n_dimensions": int})[columns]


def _suggestions(n: int, d: int, seed: int, n_repeats: int) -> list[dict[str, Any]]:
    rng = rng_for("bench_trials", seed, "trials")
    X = rng.random((n, d))
    y = _objective(X) + NOISE * rng.standard_normal(n)
    return _timed(methods(), X, y, seed, n_repeats, lambda x: float(_objective(x[None])[0]), rng)


def _fidelity_suggestions(n: int, seed: int, n_repeats: int) -> list[dict[str, Any]]:
    rng = rng_for("bench_trials", seed, "fidelities", n)
    X = rng.random((n, 3))

    def objective(x: Array) -> float:  # a log error, which falls as the size x[-1] grows
        return float(_objective(x[None, :-1])[0] - 2 + (1 - x[-1]) ** 2)

    y = np.array([objective(x) for x in X]) + NOISE * rng.standard_normal(n)
    rows = _timed(fidelity_methods(), X, y, seed, n_repeats, objective, rng)
    return [row | {"what": "suggestion with rows", "n_dimensions": 3} for row in rows]


def _timed(
    known: Sequence[Entry],
    X: Array,
    y: Array,
    seed: int,
    n_repeats: int,
    objective: Callable[[Array], float],
    rng: np.random.Generator,
) -> list[dict[str, Any]]:
    """A row per method, told values y (n,) at X (n, d). The first is ours: its ratio is 1.

    What a method does as it is told a value belongs to its next suggestion.
    """
    started = {name: start(X, y, seed) for name, start, _ in known if start is not None}
    seconds: dict[str, list[float]] = {name: [] for name in started}
    telling = dict.fromkeys(started, 0.0)
    for repeat in range(1 + n_repeats):
        noise = NOISE * float(rng.standard_normal())
        for name, method in started.items():
            log.info("suggestion %d of %s", repeat, name)
            before = process_time()
            x = method.ask()
            asked = process_time()
            if repeat:
                seconds[name].append(telling[name] + asked - before)
            value = objective(x) + noise
            before = process_time()
            method.tell(x, value)
            telling[name] = process_time() - before
    ours = float(np.median(seconds[known[0][0]])) if known[0][0] in seconds else math.nan
    rows = []
    for name, start, note in known:
        median = float(np.median(seconds[name])) if start is not None else math.nan
        row = {"what": "suggestion", "method": name, "n_trials": len(X), "seconds": median}
        rows.append(row | {"ratio": ours / median, "note": note})
    return rows


def _fits(sizes: Sequence[int], d: int, seed: int) -> list[dict[str, Any]]:
    rng = rng_for("bench_trials", seed, "fits")
    X = rng.random((max(sizes), d))
    y = _objective(X) + NOISE * rng.standard_normal(len(X))
    gp = GP("matern52_ard", lengthscale=None, amplitude=None, noise_variance=None, prior="repaired", n_restarts=1)
    dngo = DNGO(seed=seed)

    fixed = GP("se", lengthscale=0.5, noise_variance=NOISE**2)
    signed = SignGP("se", lengthscale=0.5, noise_variance=NOISE**2)
    site_X, site_dim = rng.random((N_SITES, d)) * 0.4, np.arange(N_SITES) % d  # where the bowl falls
    signs = site_X, site_dim, -np.ones(N_SITES)

    def evidence(X: Array, y: Array) -> Callable[[], object]:
        fitted = gp.evidence(X, y)
        theta = np.array([0.0] * (d + 1) + [math.log(NOISE**2)])
        return lambda: fitted.with_gradient(theta)

    calls: dict[str, Callable[[Array, Array], Callable[[], object]]] = {
        "gp_ml2": lambda X, y: lambda: gp.fit(X, y),
        "gp_evidence": evidence,
        "gp_given": lambda X, y: lambda: fixed.fit(X, y),
        "sign_gp_given": lambda X, y: lambda: signed.fit(X, y, *signs),
        "dngo": lambda X, y: lambda: dngo.fit(X, y),
    }
    rows: list[dict[str, Any]] = []
    for name, prepare in calls.items():
        note = missing("torch", "emcee") if name == "dngo" else ""
        if note:
            rows += [{"what": "fit", "method": name, "n_trials": n, "note": note} for n in sizes]
            continue
        seconds = []
        for n in sizes:
            log.info("%s on %d trials", name, n)
            y_n = (y[:n] - y[:n].mean()) / y[:n].std()
            seconds.append(_least(prepare(X[:n], y_n)))
        logs = np.log(seconds), np.log(sizes)
        slope = float(np.polyfit(logs[1], logs[0], 1)[0])
        last = float((logs[0][-1] - logs[0][-2]) / (logs[1][-1] - logs[1][-2]))
        for n, spent in zip(sizes, seconds, strict=True):
            row = {"what": "fit", "method": name, "n_trials": n, "seconds": spent}
            rows.append(row | {"slope": slope, "last_slope": last, "note": ""})
    return rows


def _least(call: Callable[[], object]) -> float:
    spent = []
    for _ in range(2):
        before = process_time()
        call()
        spent.append(process_time() - before)
    return min(spent)


def _objective(X: Array) -> Array:
    """A bowl with ripples, at points (n, d): (n,)."""
    return np.asarray(10 * ((X - 0.4) ** 2).mean(axis=1) + 0.3 * np.sin(9 * X).mean(axis=1))


@contextmanager
def _one_torch_thread() -> Iterator[None]:
    """Hold torch to one thread inside the block; it has a pool of its own."""
    if find_spec("torch") is None:
        yield
        return
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
