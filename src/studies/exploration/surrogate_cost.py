"""What a fit of each surrogate costs at a growing number of trials: cubic, the document says, against linear.

Processor seconds of one fit at hyperparameters as searches use them, in one thread: of the Gaussian process, the
log evidence with its gradient, which a fit evaluates some hundred times; of DNGO, everything that `DNGO.fit` does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from time import process_time
from typing import Any, Final

import numpy as np
import pandas as pd

from frugal.checks import check_settings
from frugal.seeds import rng_for, seed_for
from frugal.threads import one_thread
from frugal.trials.surrogates import GP
from frugal.trials.surrogates.dngo import DNGO
from frugal.trials.surrogates.kernels import Array

SIZES: Final = (100, 200, 400, 800, 1600)
N_DIMENSIONS: Final = 6
NOISE: Final = 0.05
"""Standard deviation of the noise of the standardised targets."""


def surrogate_cost(method: str, seed: int, settings: Mapping[str, Any], root: str | Path = "data") -> pd.DataFrame:
    """Seconds of one surrogate's fit to random trials at each size.

    Args:
        method: `gp` or `dngo`.
        seed: of the trials.
        settings: sizes (`SIZES`), increasing; n_epochs, of DNGO's training (500).
        root: not used.

    Returns:
        method, seed, data, n_trials, seconds: the least of two fits.

    Raises:
        ValueError: on an unknown setting, or sizes that do not increase.
    """
    check_settings(settings, ("sizes", "n_epochs"), complete=False)
    sizes = list(settings.get("sizes", SIZES))
    if len(sizes) < 2 or any(b <= a for a, b in pairwise(sizes)):
        raise ValueError(f"sizes must be at least two numbers that increase, got {sizes}")
    prepare = {"gp": _gp, "dngo": _dngo(int(settings.get("n_epochs", 500)), seed)}[method]
    rng = rng_for("exploration", "surrogate cost", seed)
    X = rng.random((sizes[-1], N_DIMENSIONS))
    y = np.sin(6 * X).sum(axis=1)
    y = (y - y.mean()) / y.std() + NOISE * rng.standard_normal(len(y))
    rows = []
    with one_thread():
        prepare(X[:20], y[:20])()  # what is loaded at the first call
        for n in sizes:
            call = prepare(X[:n], y[:n])
            rows.append({"n_trials": n, "seconds": min(_seconds(call) for _ in range(2))})
    return pd.DataFrame(rows).assign(method=method, seed=seed, data="generated")


def _gp(X: Array, y: Array) -> Callable[[], object]:
    gp = GP("matern52_ard", lengthscale=None, amplitude=None, noise_variance=None, prior="repaired")
    evidence, theta = gp.evidence(X, y), np.array([0.0] * X.shape[1] + [0.0, 2 * np.log(NOISE)])
    return lambda: evidence.with_gradient(theta)


def _dngo(n_epochs: int, seed: int) -> Callable[[Array, Array], Callable[[], object]]:
    def prepare(X: Array, y: Array) -> Callable[[], object]:
        return lambda: DNGO(n_epochs=n_epochs, seed=seed_for("surrogate cost", seed)).fit(X, y)

    return prepare


def _seconds(call: Callable[[], object]) -> float:
    started = process_time()
    call()
    return process_time() - started
