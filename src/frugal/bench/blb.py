"""The bag of little bootstraps over more rows than it holds, against a pass of scikit-learn over the same rows."""

from __future__ import annotations

import logging
import math
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from frugal.checks import check_whole
from frugal.rows.bags import interval_widths
from frugal.rows.bootstrap import subsample_size
from frugal.rows.ridge_logistic import fit_logistic
from frugal.rows.streaming import blb_stream
from frugal.seeds import rng_for
from frugal.threads import one_thread

if TYPE_CHECKING:
    import pandas as pd

log = logging.getLogger("frugal")
PEER = "SGDClassifier.partial_fit"
"""scikit-learn's, with log loss and averaging: one pass, and an estimate without an interval."""

Chunk = tuple[NDArray[np.float64], NDArray[np.int64]]


def bench_blb(
    n_rows: int = 10_000_000,
    n_features: int = 10,
    chunk_rows: int = 250_000,
    seed: int = 0,
    *,
    gamma: float = 0.7,
    s: int = 5,
    r: int = 50,
) -> pd.DataFrame:
    """Seconds and peak memory over rows that are generated chunk by chunk, as Figure 7's of document 003 are.

    Each row of the result is measured in a fresh process with one thread, so that the peak is that of the method,
    with interpreter and libraries (about 150 MiB). `generation` only draws the rows, as the other two do as well.

    Args:
        n_rows: number of rows, at least 2 and no fewer than features.
        n_features: number of features, with coefficients of 1.
        chunk_rows: rows in memory beside the subsamples.
        seed: seed of data, subsamples and resamples.
        gamma: subsamples have `floor(n_rows^gamma)` rows, all drawn in one pass.
        s: number of subsamples.
        r: number of resamples per subsample.

    Returns:
        One row for each of `generation`, `PEER` and `blb_stream`: `method`, `n_rows`, `n_features`, `seconds`,
        `seconds_ratio` (seconds over the peer's), `peak_mib`, `error` (distance of the coefficients from the true
        ones), and of `blb_stream` alone `rows_held` (of subsamples and a chunk).

    Raises:
        ValueError: on a number out of range.
    """
    import pandas as pd

    check_whole("n_features", n_features, 1)
    check_whole("n_rows", n_rows, max(2, n_features))
    check_whole("chunk_rows", chunk_rows, 1)
    chunks = partial(_chunks, n_rows, n_features, chunk_rows, seed)
    jobs = {
        "generation": partial(_measured, partial(_generate, chunks)),
        PEER: partial(_measured, partial(_peer, chunks), partial(_model, seed)),
        "blb_stream": partial(_measured, partial(_ours, chunks, n_rows, chunk_rows, gamma, s, r, seed)),
    }
    rows = []
    for method, job in jobs.items():
        log.info("%s on %d rows", method, n_rows)
        rows.append({"method": method} | in_fresh_process(job))
    table = pd.DataFrame(rows).assign(n_rows=n_rows, n_features=n_features)
    table["seconds_ratio"] = table["seconds"] / float(table.loc[table["method"] == PEER, "seconds"].iloc[0])
    return table


def _chunks(n_rows: int, n_features: int, chunk_rows: int, seed: int) -> Iterator[Chunk]:
    """Rows from Student's t with 3 degrees of freedom, labelled by a logistic model with coefficients of 1."""
    for number, first in enumerate(range(0, n_rows, chunk_rows)):
        rng = rng_for("bench_blb", seed, number)
        X = rng.standard_t(3, size=(min(chunk_rows, n_rows - first), n_features))
        yield X, (rng.random(len(X)) < expit(X.sum(axis=1))).astype(np.int64)


def _generate(chunks: Any) -> dict[str, float]:
    for _ in chunks():
        pass
    return {}


def _model(seed: int) -> Any:
    from sklearn.linear_model import SGDClassifier

    rate = {"learning_rate": "invscaling", "eta0": 1.0, "power_t": 0.5}  # its own choice diverges on such tails
    return SGDClassifier(loss="log_loss", fit_intercept=False, average=True, alpha=1e-5, random_state=seed, **rate)


def _peer(chunks: Any, model: Any) -> dict[str, float]:
    for X, y in chunks():
        model.partial_fit(X, y, classes=[0, 1])
    return {"error": _error(model.coef_[0])}


def _ours(chunks: Any, n_rows: int, chunk_rows: int, gamma: float, s: int, r: int, seed: int) -> dict[str, float]:
    b = subsample_size(n_rows, gamma)
    bag = blb_stream(
        chunks,
        b=b,
        s=s,
        r=r,
        fit=fit_logistic,
        statistic=interval_widths,
        rng=rng_for("bench_blb", "resamples", seed),
        at_once=s,
        warm_start=True,
    )
    return {"error": _error(bag.coef), "rows_held": s * b + min(chunk_rows, n_rows)}


def _error(coef: NDArray[np.float64]) -> float:
    return float(np.linalg.norm(coef - 1.0))


def _measured(job: Any, prepare: Callable[[], Any] | None = None) -> dict[str, float]:
    """Run a job in this fresh process; returns its result, its seconds and the peak memory.

    The job gets what `prepare` returns, which is not timed: imports, for example.
    """
    with one_thread():
        prepared = () if prepare is None else (prepare(),)
        began = perf_counter()
        found = job(*prepared)
        seconds = perf_counter() - began
    return {"seconds": seconds, "peak_mib": peak_mib(), **found}


def in_fresh_process(call: Callable[[], Any]) -> Any:
    """Result of a call in a fresh process, whose peak memory is that of the call and of the libraries it loads."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(call).result()


def peak_mib() -> float:
    """Peak memory of this process so far, in MiB; nan on Windows, which does not say.

    On Linux a process inherits `ru_maxrss` from its parent, but not VmHWM.
    """
    status = Path("/proc/self/status")
    if status.exists():
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
        if "VmHWM" in lines:
            return int(lines["VmHWM"].split()[0]) / 2**10
    try:
        import resource
    except ImportError:
        return math.nan
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)
