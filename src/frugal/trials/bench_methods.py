"""The searches that `frugal.trials.bench` times: ours, BoTorch's and Optuna's, behind the same two calls."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np

from frugal.interface import Trial, TrialTask
from frugal.seeds import rng_for
from frugal.spaces import SearchSpace, Uniform
from frugal.trials.strategies import make
from frugal.trials.surrogates.kernels import Array

N_STARTS, N_POOL = 5, 512
"""Starts and pool size of the acquisition's maximisation, the same for ours and BoTorch's."""


class Method(Protocol):
    """A search to be timed; its constructor takes points (n, d) of the cube, values (n,) and a seed."""

    def ask(self) -> Array:
        """Suggest a point of the cube, (d,)."""

    def tell(self, x: Array, y: float) -> None:
        """Take the value at the last suggested point."""


class _Ei:
    """Ours, with ML-II."""

    def __init__(self, X: Array, y: Array, seed: int) -> None:
        self._names = [f"x{i}" for i in range(X.shape[1])]
        space = SearchSpace({name: Uniform(0.0, 1.0) for name in self._names})
        self._strategy = make(
            "ei",
            space=space,
            n_trials=2 * len(X) + 100,
            rng=rng_for("bench_trials", seed, "ei"),
            initial=[dict(zip(self._names, map(float, x), strict=True)) for x in X],
            n_pool=N_POOL,
            n_starts=N_STARTS,
        )
        for value in y:
            self.ask()
            self.tell(X[0], float(value))

    def ask(self) -> Array:
        task = self._strategy.ask()
        assert isinstance(task, TrialTask)
        self._task = task
        return np.array([task.candidate[name] for name in self._names], dtype=float)

    def tell(self, x: Array, y: float) -> None:
        self._strategy.tell(Trial(self._task, y, 0.0, 1.0))


class _Botorch:
    """BoTorch's log EI on a SingleTaskGP, fitted anew for every suggestion."""

    def __init__(self, X: Array, y: Array, seed: int) -> None:
        import torch

        torch.manual_seed(seed)
        self._X, self._y = X, y

    def ask(self) -> Array:
        import torch
        from botorch.acquisition.analytic import LogExpectedImprovement
        from botorch.fit import fit_gpytorch_mll
        from botorch.models import SingleTaskGP
        from botorch.optim.optimize import optimize_acqf
        from gpytorch.mlls import ExactMarginalLogLikelihood

        X, y = torch.tensor(self._X), torch.tensor((self._y - self._y.mean()) / self._y.std(ddof=1))[:, None]
        model = SingleTaskGP(X, y, outcome_transform=None)
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        bounds = torch.tensor([[0.0] * X.shape[1], [1.0] * X.shape[1]], dtype=torch.float64)
        found, _ = optimize_acqf(
            LogExpectedImprovement(model, best_f=y.min(), maximize=False),
            bounds=bounds, q=1, num_restarts=N_STARTS, raw_samples=N_POOL,
        )  # fmt: skip
        return np.asarray(found[0].numpy())

    def tell(self, x: Array, y: float) -> None:
        self._X, self._y = np.vstack([self._X, x]), np.append(self._y, y)


class _Optuna:
    """A sampler of Optuna's, by its name."""

    def __init__(self, X: Array, y: Array, seed: int, sampler: str) -> None:
        import optuna

        before = optuna.logging.get_verbosity()
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self._study = optuna.create_study(sampler=getattr(optuna.samplers, sampler)(seed=seed))
        optuna.logging.set_verbosity(before)
        side = optuna.distributions.FloatDistribution(0.0, 1.0)
        self._cube: dict[str, Any] = {f"x{i}": side for i in range(X.shape[1])}
        for x, value in zip(X, y, strict=True):
            point = dict(zip(self._cube, map(float, x), strict=True))
            trial = optuna.trial.create_trial(params=point, distributions=self._cube, value=float(value))
            self._study.add_trial(trial)

    def ask(self) -> Array:
        self._asked = self._study.ask(self._cube)
        return np.array([self._asked.params[name] for name in self._cube])

    def tell(self, x: Array, y: float) -> None:
        self._study.tell(self._asked, y)


def methods() -> list[tuple[str, Callable[[Array, Array, int], Method] | None, str]]:
    """Name, constructor and note of each method; the constructor is None if its library is missing."""
    has_botorch = find_spec("botorch") is not None
    has_gp = find_spec("torch") is not None  # Optuna's GP sampler needs it
    optuna_row: tuple[str, Callable[[Array, Array, int], Method], str] = (
        ("optuna_gp", lambda X, y, seed: _Optuna(X, y, seed, "GPSampler"), "")
        if has_gp
        else ("optuna_tpe", lambda X, y, seed: _Optuna(X, y, seed, "TPESampler"), "torch is not installed")
    )
    return [
        ("ei", _Ei, ""),
        ("botorch_log_ei", _Botorch if has_botorch else None, "" if has_botorch else "botorch is not installed"),
        optuna_row,
    ]
