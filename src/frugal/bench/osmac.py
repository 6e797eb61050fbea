"""OSMAC over a stream of rows against Newton's method over the same stream: time, error, peak memory."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy.special import expit

from frugal.bench.blb import in_fresh_process, peak_mib
from frugal.checks import check_choice, check_whole
from frugal.rows.checks import Read
from frugal.rows.osmac_stream import METHODS, osmac_stream
from frugal.rows.weighted_logistic import Floats
from frugal.seeds import rng_for
from frugal.threads import one_thread

if TYPE_CHECKING:
    import pandas as pd

log = logging.getLogger("frugal")
MEAN: Final = 1.5
COEF: Final = 0.5
"""Coefficient of every feature, as in document 003's nzNormal: about 95 % of the labels are 1."""
PEER: Final = "newton_all_rows"
_TOLERANCE: Final = 1e-6
_MAX_STEPS: Final = 50


def bench_osmac(
    n_rows: int = 10_000_000,
    n_features: int = 7,
    *,
    chunk_rows: int = 250_000,
    pilot_size: int = 1000,
    size: int = 100_000,
    seed: int = 0,
    methods: Sequence[str] = METHODS,
) -> pd.DataFrame:
    """OSMAC rules and the peer, which fits all rows by Newton's method, one pass per step.

    Every one runs in a process of its own, with one thread, on rows that are generated anew in every pass; that
    time is in `seconds`, as reading them from a disk would be.

    Args:
        n_rows: number of rows of the stream.
        n_features: number of features.
        chunk_rows: rows per chunk.
        pilot_size: rows of the pilot, r_0.
        size: rows of the second step, r.
        seed: seed of the rows and draws.
        methods: methods of `osmac_stream`.

    Returns:
        One row per method: `method`, `n_rows`, `n_features`, `n_drawn` (rows fitted), `seconds`, `seconds_ratio`
        (over the peer's), `base_mib` (peak memory of the process before the work), `peak_mib` (after it), `error`
        (distance from the true coefficients).

    Raises:
        ValueError: on a count below 1 or an unknown method.
    """
    import pandas as pd

    counts = {"n_rows": n_rows, "n_features": n_features, "chunk_rows": chunk_rows}
    for name, value in (counts | {"pilot_size": pilot_size, "size": size}).items():
        check_whole(name, value, 1)
    for method in methods:
        check_choice("methods", method, METHODS)
    found = []
    for method in (PEER, *methods):
        log.info("%s on %d rows", method, n_rows)
        sizes = {"pilot_size": pilot_size, "size": size}
        found.append(in_fresh_process(partial(_measure, method, counts, sizes, seed)))
    table = pd.DataFrame(found).assign(n_rows=n_rows, n_features=n_features)
    table["seconds_ratio"] = table["seconds"] / table["seconds"].iloc[0]
    return table


def generated_chunks(n_rows: int, n_features: int, chunk_rows: int, seed: int) -> Iterator[tuple[Floats, Floats]]:
    """Rows of nzNormal, without an intercept, in chunks; the same rows every time.

    Args:
        n_rows: number of rows.
        n_features: number of features.
        chunk_rows: rows per chunk; the rows depend on it.
        seed: seed of the rows.
    """
    for number, first in enumerate(range(0, n_rows, chunk_rows)):
        rng, n = rng_for("bench_osmac", seed, number), min(chunk_rows, n_rows - first)
        # Correlations of one half, by a part that all features share.
        X = rng.standard_normal((n, n_features)) + rng.standard_normal((n, 1))
        X *= np.sqrt(0.5)
        X += MEAN
        yield X, (rng.random(n) < expit(COEF * X.sum(axis=1))).astype(float)


def newton_stream(read: Read, n_features: int) -> Floats:
    """The fit to all rows of a stream by Newton's method from 0, one pass per step, shape (n_features,).

    Args:
        read: as in `osmac_stream`.
        n_features: number of features d.

    Raises:
        ValueError: if the steps do not converge: a hyperplane separates the rows, or columns are dependent.
    """
    coef = np.zeros(n_features)
    for _ in range(_MAX_STEPS):
        gradient, information = np.zeros(n_features), np.zeros((n_features, n_features))
        for rows, labels in read():
            X, y = np.asarray(rows, dtype=float), np.asarray(labels, dtype=float)
            p = expit(X @ coef)
            gradient += X.T @ (y - p)
            information += (X * (p * (1.0 - p))[:, None]).T @ X
        try:
            step = np.linalg.solve(information, gradient)
        except np.linalg.LinAlgError:
            break
        coef = coef + step
        if np.abs(step).max() <= _TOLERANCE * (1.0 + np.abs(coef).max()):  # what is left is about its square
            return coef
    raise ValueError(f"Newton's method found no maximum within {_MAX_STEPS} steps: the rows may be separated")


def _measure(method: str, counts: dict[str, int], sizes: dict[str, Any], seed: int) -> dict[str, Any]:
    """Measure a fit's error and cost in this process."""
    read = partial(generated_chunks, **counts, seed=seed)
    with one_thread():
        base, started = peak_mib(), perf_counter()
        if method == PEER:
            coef, n_drawn = newton_stream(read, counts["n_features"]), counts["n_rows"]
        else:
            fit = osmac_stream(read, **sizes, method=method, rng=rng_for("bench_osmac", seed, "draws"))
            coef, n_drawn = fit.coef, len(fit.rows)
        seconds = perf_counter() - started
    return {
        "method": method,
        "n_drawn": n_drawn,
        "seconds": seconds,
        "base_mib": base,
        "peak_mib": peak_mib(),
        "error": float(np.linalg.norm(coef - COEF)),
    }
