"""The bench of learning curves: seconds per fit, and the likelihood vectorised over walkers beside one by one."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from time import process_time
from typing import TYPE_CHECKING, Any

import numpy as np

from frugal.checks import check_whole
from frugal.seeds import rng_for
from frugal.threads import one_thread
from frugal.trials.surrogates.curve_families import FAMILIES, Array
from frugal.trials.surrogates.learning_curves import AUTHORS, MIN_POINTS, CurveModel

if TYPE_CHECKING:
    import pandas as pd

log = logging.getLogger("frugal")
HORIZON = 300
NOISE = 0.005
N_WALKERS = 50
"""Half an ensemble."""
SAMPLING: Mapping[str, Mapping[str, Any]] = {"lean": {}, "authors": AUTHORS}
"""Settings of `CurveModel` that are measured."""


def bench_curves(n_points: Sequence[int] = (50, 200), *, seed: int = 0, n_repeats: int = 20) -> pd.DataFrame:
    """Fits of all eleven families to a generated curve, in seconds of the process on one thread.

    The curve is pow3 with c 0.84, a 0.52 and alpha 0.2, with noise of standard deviation 0.005, to be extrapolated
    to epoch 300. The likelihood is that of half an ensemble, which the sampler asks for twice a step, at samples
    of the fitted posterior: once as one call, once as a call per walker, the same without vectorisation.

    Args:
        n_points: lengths of the curves.
        seed: seed of the noise and the chains.
        n_repeats: calls of the likelihood, of which the quickest counts.

    Returns:
        A row per length and sampling (`lean`, the default, and `authors`): `n_points`, `sampling`, `n_steps`,
        `n_samples`, `fit_s`, `acceptance`, `vectorised_ms`, `one_by_one_ms`, `ratio` (the second over the first)
        and `max_difference` (of the two, relative: rounding).

    Raises:
        ValueError: on a length below the least or above the horizon, or no repeats.
    """
    import pandas as pd

    for n in n_points:
        check_whole("n_points", n, MIN_POINTS, HORIZON, "the horizon")
    check_whole("n_repeats", n_repeats, 1)
    family, rng = FAMILIES["pow3"], rng_for("bench_curves", seed)
    curve = family((0.84, 0.52, 0.2), np.arange(1, HORIZON + 1)) + NOISE * rng.standard_normal(HORIZON)
    rows: list[dict[str, Any]] = []
    with one_thread():
        for n in n_points:
            for name, settings in SAMPLING.items():
                log.info("%d points, %s", n, name)
                model = CurveModel(rng=rng_for("bench_curves", seed, n), **settings)
                fit_s = _seconds(lambda m=model, n=n: m.fit(curve[:n], HORIZON))  # type: ignore[misc]
                row = {"n_points": n, "sampling": name, "n_steps": model.n_steps, "n_samples": len(model.samples)}
                row |= {"fit_s": fit_s, "acceptance": model.acceptance}
                rows.append(row | _likelihoods(model, n_repeats))
    return pd.DataFrame(rows)


def _likelihoods(model: CurveModel, n_repeats: int) -> dict[str, float]:
    posterior, walkers = model.posterior, model.samples[-N_WALKERS:]

    def vectorised() -> Array:
        return posterior(walkers)

    def one_by_one() -> Array:
        return np.array([posterior(walker[None, :])[0] for walker in walkers])

    together, apart = vectorised(), one_by_one()
    difference = float((np.abs(together - apart) / np.abs(apart)).max())
    fast, slow = (min(_seconds(call) for _ in range(n_repeats)) * 1e3 for call in (vectorised, one_by_one))
    return {"vectorised_ms": fast, "one_by_one_ms": slow, "ratio": slow / fast, "max_difference": difference}


def _seconds(call: Callable[[], object]) -> float:
    before = process_time()
    call()
    return process_time() - before
