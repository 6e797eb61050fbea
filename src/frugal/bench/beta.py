"""The Beta model's quadrature against emcee on the same posteriors: time at equal error, error at equal time."""

from __future__ import annotations

import logging
from time import process_time
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy.special import betaln

from frugal.checks import check_whole
from frugal.extras import explained
from frugal.folds.beta import Array, Posterior, prob_greater
from frugal.seeds import rng_for
from frugal.threads import one_thread

if TYPE_CHECKING:
    import pandas as pd

log = logging.getLogger("frugal")
PAIRS: Final = (
    ((0.97, 0.96), (0.9,)),
    ((0.97, 0.972, 0.974, 0.976, 0.978), (0.92, 0.93)),
    ((0.876,), (0.0987,)),
    ((0.8, 0.82), (0.79, 0.81, 0.8)),
)
"""Accuracies of a leader and of a challenger."""
N_WALKERS: Final = 32
N_REPEATS: Final = 20
BOUND_BY: Final = "ours: exponentials of the predictive density, then log-gamma functions at the nodes"
"""What a profile shows at its top."""


def bench_beta(*, n_steps: int = 400, n_chains: int = 8) -> pd.DataFrame:
    """P(leader's further accuracy > challenger's) from both, one thread, times of the process.

    The truth is our quadrature with four times the nodes in each direction, which adaptive quadrature confirms
    (see the tests). emcee's error is the root mean square over independent chains; at other numbers of steps it
    is taken to fall with their square root, as a chain's does.

    Args:
        n_steps: emcee's steps per walker, half of them for burning in.
        n_chains: independent chains per pair.

    Returns:
        One row per pair: `leader`, `challenger`, `probability`, `ours_ms` (both fits and the comparison),
        `compare_us` (one comparison of fitted posteriors), `ours_error`, `emcee_ms`, `emcee_error`,
        `emcee_error_at_our_time`, `time_ratio_at_1e-4` (emcee's time to reach that error over ours, which is below
        it), `bound_by`.

    Raises:
        MissingExtraError: without emcee.
        ValueError: on a number out of range.
    """
    import pandas as pd

    with explained():
        import emcee

    check_whole("n_steps", n_steps, 2)
    check_whole("n_chains", n_chains, 1)
    rows = []
    with one_thread():
        for leader, challenger in PAIRS:
            log.info("%s against %s", leader, challenger)
            ours, ours_s, compare_s = _ours(leader, challenger)
            truth = prob_greater(*(Posterior(tuple(sorted(s)), 0.01, finer=4) for s in (leader, challenger)))
            errors, started = [], process_time()
            for chain in range(n_chains):
                first, second = (
                    _draws(emcee, listed, n_steps, rng_for("bench_beta", str(listed), chain))
                    for listed in (leader, challenger)
                )
                errors.append((first > second).mean() - truth)
            emcee_s = (process_time() - started) / n_chains
            error = float(np.sqrt(np.mean(np.square(errors))))
            rows.append(
                {
                    "leader": str(leader),
                    "challenger": str(challenger),
                    "probability": ours,
                    "ours_ms": 1e3 * ours_s,
                    "compare_us": 1e6 * compare_s,
                    "ours_error": abs(ours - truth),
                    "emcee_ms": 1e3 * emcee_s,
                    "emcee_error": error,
                    "emcee_error_at_our_time": error * np.sqrt(emcee_s / ours_s),
                    "time_ratio_at_1e-4": emcee_s * (error / 1e-4) ** 2 / ours_s,
                    "bound_by": BOUND_BY,
                }
            )
    return pd.DataFrame(rows)


def _ours(leader: tuple[float, ...], challenger: tuple[float, ...]) -> tuple[float, float, float]:
    """Probability, seconds of two fits and a comparison, seconds of a comparison alone."""
    started = process_time()
    for _ in range(N_REPEATS):
        p, q = (Posterior(tuple(sorted(listed)), 0.01) for listed in (leader, challenger))
        probability = prob_greater(p, q)
    spent = (process_time() - started) / N_REPEATS
    started = process_time()
    for _ in range(N_REPEATS):
        prob_greater(p, q)
    return probability, spent, (process_time() - started) / N_REPEATS


def _draws(emcee: Any, listed: tuple[float, ...], n_steps: int, rng: np.random.Generator) -> Array:
    """Draws of one further accuracy, by emcee over (log mu, logit eta)."""
    m, s1, s0 = len(listed), float(np.log(listed).sum()), float(np.log1p(-np.array(listed)).sum())

    def log_posterior(theta: Array) -> Array:
        u, log_eta, log_co = theta[:, 0], -np.logaddexp(0, -theta[:, 1]), -np.logaddexp(0, theta[:, 1])
        alpha, beta = np.exp(u + log_eta), np.exp(u + log_co)
        prior = u + log_eta + log_co - 0.01 * np.exp(u)
        return np.asarray(prior + (alpha - 1) * s1 + (beta - 1) * s0 - m * betaln(alpha, beta))

    middle = float(np.mean(listed))
    logit = np.log(middle / (1 - middle))
    start = np.column_stack([rng.normal(4, 1, N_WALKERS), rng.normal(logit, 0.3, N_WALKERS)])
    sampler = emcee.EnsembleSampler(N_WALKERS, 2, log_posterior, vectorize=True)
    sampler.random_state = np.random.RandomState(int(rng.integers(2**32))).get_state()
    sampler.run_mcmc(start, n_steps)
    theta = sampler.get_chain(discard=n_steps // 2, flat=True)
    mu, eta = np.exp(theta[:, 0]), 1 / (1 + np.exp(-theta[:, 1]))
    return np.asarray(rng.beta(mu * eta, mu * (1 - eta)))
