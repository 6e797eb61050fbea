"""Strategies and surrogates on extreme answers, settings and beliefs."""

import math
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from frugal import minimize, trials
from frugal.interface import Trial
from frugal.spaces import Ordinal, SearchSpace, Uniform
from frugal.trials.acquisitions.entropy_search import InformationGain, _root
from frugal.trials.acquisitions.epmgp import log_p_min
from frugal.trials.live import LiveRun
from frugal.trials.strategies.random import Random
from frugal.trials.surrogates import GP
from frugal.trials.surrogates.learning_curves import CurveModel

LINE = SearchSpace({"x": Uniform(0.0, 1.0)})


def bowl(candidate):
    return (candidate["x"] - 0.3) ** 2


def make(name, n_trials=6, **settings):
    return trials.make(name, space=LINE, n_trials=n_trials, rng=np.random.default_rng(0), **settings)


def test_a_time_limit_also_ends_a_strategy_that_cannot_be_copied():
    found = minimize(bowl, LINE, strategy="smac", n_trials=500, time_limit=1.0, random_state=0)
    assert found.ended == "time_limit=1 s was reached"
    assert 1 <= found.n_trials == len(found.trials) < 500


def test_smac_minimises_negative_errors_as_well():
    def low(candidate):
        return bowl(candidate) - 5

    settings = {"strategy": "smac", "n_trials": 12, "settings": {"n_initial": 3}, "random_state": 0}
    found, shifted = minimize(bowl, LINE, **settings), minimize(low, LINE, **settings)
    assert list(found.trials["candidate"]) == list(shifted.trials["candidate"])


def test_smac_takes_large_errors_of_which_several_are_the_least():
    def high(candidate):
        return 2.0**23 * max(bowl(candidate), 0.5)

    settings = {"strategy": "smac", "n_trials": 12, "settings": {"n_initial": 3}, "random_state": 0}
    found = minimize(high, LINE, **settings)
    assert len(found.trials) == 12
    assert (found.trials["error"] == 2.0**22).sum() > 1


def test_a_trial_that_was_given_up_may_have_an_error_and_no_cost():
    def evaluate(task):
        if task.id in (0, 1):
            sys.exit(3)
        return Trial(task, bowl(task.candidate), 0.1, float(task.n_rows))

    quick = {"n_hyper": 2, "n_burn": 5, "n_steps": 5, "n_samples": 50, "n_candidates": 20, "n_representers": 12}
    strategy = make("mtbo", auxiliary=100, n_max=1000, currency="cost", n_initial=2, n_trials=4, **quick)
    live = LiveRun(strategy)
    with warnings.catch_warnings(action="ignore"):  # that two trials failed
        assert live.go(evaluate, failed_error=1.0) is None
    assert len(live.trials) == 4
    assert strategy.incumbent not in [trial.task.candidate for trial in live.trials[:2]]


class Idle(Random):
    """Sleeps before it suggests anything."""

    def ask(self):
        time.sleep(0.1)
        return super().ask()


def test_trials_of_other_threads_are_no_time_of_the_optimiser():
    def busy(task):
        started = time.monotonic()
        while time.monotonic() - started < 0.3:
            pass
        return Trial(task, 0.5, 0.3, 1.0)

    live = LiveRun(Idle(space=LINE, n_trials=4, rng=np.random.default_rng(0)))
    with ThreadPoolExecutor(2) as threads:
        assert live.go(busy, executor=threads, n_pending=2) is None
    assert len(live.trials) == 4
    assert max(trial.overhead_s for trial in live.trials) < 0.05


def test_a_cost_that_is_unknown_for_no_reason_is_refused():
    strategy = make("mtbo", auxiliary=100, n_max=1000, currency="cost")
    with pytest.raises(ValueError, match="cost of a trial must be a finite number"):
        strategy.tell(Trial(strategy.ask(), 0.5, 0.1, math.nan))


@pytest.mark.parametrize("space", [LINE, SearchSpace({"x": Ordinal(tuple(np.linspace(0, 1, 30)))})])
def test_a_smooth_function_that_is_known_nearly_everywhere_ends_no_search(space):
    first = space.sample(np.random.default_rng(0), 30)
    strategy = trials.make(
        "entropy_search", space=space, n_trials=32, rng=np.random.default_rng(0), kernel="se", initial=first,
        n_samples=100, n_quantiles=3, n_candidates=20, n_steps=30,
    )  # fmt: skip
    for _ in range(31):
        task = strategy.ask()
        strategy.tell(Trial(task, bowl(task.candidate), 0.1, 1.0))


def test_the_root_is_cholesky_s_unless_there_is_none():
    rng = np.random.default_rng(0)
    A = rng.standard_normal((5, 5))
    np.testing.assert_allclose(_root(A @ A.T), np.linalg.cholesky(A @ A.T), rtol=1e-12)
    B = A[:, :2] @ A[:, :2].T - 1e-3 * np.eye(5)  # round-off below 0, far more than the jitter
    root = _root(B)
    assert np.array_equal(root, np.tril(root))
    assert (np.diagonal(root) > 0).all()
    np.testing.assert_allclose(root @ root.T, B, atol=2.1e-3)


def test_probabilities_of_epmgp_are_finite_however_sure_the_belief():
    rng = np.random.default_rng(0)
    for scale in (1e-4, 1e-6, 1e-8, 1e-10, 1e-12):
        for _ in range(20):
            A, mean = rng.standard_normal((6, 6)), rng.standard_normal(6)
            log_p, slopes = log_p_min(mean, A @ A.T * scale)
            assert np.isfinite(log_p).all()
            assert np.isfinite(slopes).all()
            draws = mean + math.sqrt(scale) * rng.standard_normal((2000, 6)) @ A.T
            shares = np.bincount(draws.argmin(axis=1), minlength=6) / len(draws)
            np.testing.assert_allclose(np.exp(log_p), shares, atol=0.05)


def test_epmgp_s_gain_is_finite_where_all_is_known():
    X = np.linspace(0, 1, 8)[:, None]
    y = (X[:, 0] - 0.3) ** 2
    gp = GP("se", lengthscale=0.4, amplitude=1.0, noise_variance=1e-8).fit(X, (y - y.mean()) / y.std())
    with warnings.catch_warnings(action="error"):
        gain = InformationGain([gp], [(X, np.zeros(8))], rng=np.random.default_rng(0), p_min="epmgp")
        np.testing.assert_allclose(gain(X), 0.0, atol=1e-9)


@pytest.mark.parametrize("kind", [np.float16, np.float32])
def test_short_floats_are_told_without_a_warning(kind):
    strategy = make("random")
    with warnings.catch_warnings(action="error"):
        strategy.tell(Trial(strategy.ask(), kind(0.1), 0.1, 1.0))


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("ei", {"inference": "mcmc", "n_walkers": 4}, "n_walkers must be at least 6, twice the free"),
        ("hyperband", {"brackets": 1}, "brackets must be a list, got 1"),
        ("fabolas", {"sizes": 100}, "sizes must be a list, got 100"),
        ("dngo", {"n_units": 50}, "n_units must be a list, got 50"),
    ],
)
def test_settings_are_refused_before_a_trial(name, settings, message):
    with pytest.raises(ValueError, match=message):
        make(name, **settings)


def test_minimize_refuses_settings_that_are_no_lists():
    def on_rows(candidate, n_rows):
        return 1.0

    for name, settings in {"hyperband": {"brackets": 1, "max_resource": 9}, "fabolas": {"sizes": 100}}.items():
        with pytest.raises(ValueError, match="must be a list, got 1"):
            minimize(on_rows, LINE, strategy=name, settings=settings)


@pytest.mark.parametrize(("p", "horizon"), [(2, 6), (3, 6), (4, 6), (4, 8)])
def test_settings_without_any_check_are_refused(p, horizon):
    with pytest.raises(ValueError, match=f"p = {p} leaves no epoch to check before the horizon {horizon}"):
        make("random", termination={"horizon": horizon, "p": p})
    make("random", termination={"horizon": 9, "p": 4})


def test_a_noise_below_the_least_one_is_refused():
    with pytest.raises(ValueError, match="sigma must be at least 1e-06"):
        CurveModel(rng=np.random.default_rng(0), sigma=1e-7)


def test_equal_targets_give_the_same_process_whether_or_not_their_mean_is_rounded():
    X = [[0.1], [0.4], [0.8]]
    exact, rounded = (
        GP("se", lengthscale=None, amplitude=None, noise_variance=None).fit(X, [value] * 3) for value in (0.5, 0.1)
    )
    np.testing.assert_allclose(exact.predict([[0.2]])[1], rounded.predict([[0.2]])[1], rtol=1e-3)
