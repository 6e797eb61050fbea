"""The searches that `frugal.bench.trials` times: ours, BoTorch's and Optuna's, behind the same two calls."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np

from frugal.extras import quiet_optuna
from frugal.interface import Trial, TrialTask
from frugal.seeds import rng_for
from frugal.spaces import SearchSpace, Uniform
from frugal.trials.checks import N_MAX, N_MIN
from frugal.trials.strategies import make
from frugal.trials.surrogates import to_unit_size
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


class _Botorch(ABC):
    """A search of BoTorch's, whose model is fitted anew for every suggestion."""

    def __init__(self, X: Array, y: Array, seed: int) -> None:
        import torch

        torch.manual_seed(seed)
        self._X, self._y = X, y

    @abstractmethod
    def ask(self) -> Array:
        """The next point, (d,)."""

    def tell(self, x: Array, y: float) -> None:
        self._X, self._y = np.vstack([self._X, x]), np.append(self._y, y)


class _BotorchEI(_Botorch):
    """Log EI on a SingleTaskGP."""

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


class _Optuna:
    """A sampler of Optuna's, by its name."""

    def __init__(self, X: Array, y: Array, seed: int, sampler: str) -> None:
        import optuna

        with quiet_optuna():
            self._study = optuna.create_study(sampler=getattr(optuna.samplers, sampler)(seed=seed))
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


class _Fabolas:
    """Ours; the last column of a point is the size s of `to_unit_size`, and what it is told are log errors.

    The trials before the first suggestion are on the sizes of its initial design.
    """

    def __init__(self, X: Array, y: Array, seed: int) -> None:
        self._names = [f"x{i}" for i in range(X.shape[1] - 1)]
        self._strategy = make(
            "fabolas",
            space=SearchSpace({name: Uniform(0.0, 1.0) for name in self._names}),
            n_trials=len(X) + 100,
            rng=rng_for("bench_trials", seed, "fabolas"),
            initial=[dict(zip(self._names, map(float, x), strict=True)) for x in X[:, :-1]],
            currency="cost",
        )
        for value in y:
            self.ask()
            self.tell(X[0], float(value))

    def ask(self) -> Array:
        task = self._strategy.ask()
        assert isinstance(task, TrialTask)
        assert task.n_rows is not None
        self._task = task
        size = float(to_unit_size(task.n_rows, N_MIN, N_MAX))
        return np.array([*(task.candidate[name] for name in self._names), size], dtype=float)

    def tell(self, x: Array, y: float) -> None:
        assert self._task.n_rows is not None
        self._strategy.tell(Trial(self._task, math.exp(y), 0.0, float(self._task.n_rows)))


class _BotorchMes(_Botorch):
    """Multi-fidelity max-value entropy per cost."""

    def ask(self) -> Array:
        import torch
        from botorch.acquisition.cost_aware import InverseCostWeightedUtility
        from botorch.acquisition.max_value_entropy_search import qMultiFidelityMaxValueEntropy
        from botorch.acquisition.utils import project_to_target_fidelity
        from botorch.fit import fit_gpytorch_mll
        from botorch.models.cost import AffineFidelityCostModel
        from botorch.models.gp_regression_fidelity import SingleTaskMultiFidelityGP
        from botorch.optim.optimize import optimize_acqf
        from gpytorch.mlls import ExactMarginalLogLikelihood

        d = self._X.shape[1]
        X, y = torch.tensor(self._X), torch.tensor((self._y.mean() - self._y) / self._y.std(ddof=1))[:, None]
        model = SingleTaskMultiFidelityGP(X, y, data_fidelities=[d - 1], outcome_transform=None)
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        cost = AffineFidelityCostModel(fidelity_weights={d - 1: 1.0}, fixed_cost=0.01)
        acquisition = qMultiFidelityMaxValueEntropy(
            model,
            candidate_set=torch.rand(N_POOL, d, dtype=torch.float64),
            cost_aware_utility=InverseCostWeightedUtility(cost),
            project=lambda points: project_to_target_fidelity(points, target_fidelities={d - 1: 1.0}, d=d),
        )
        bounds = torch.tensor([[0.0] * d, [1.0] * d], dtype=torch.float64)
        found, _ = optimize_acqf(acquisition, bounds=bounds, q=1, num_restarts=N_STARTS, raw_samples=N_POOL)
        return np.asarray(found[0].numpy())


Entry = tuple[str, Callable[[Array, Array, int], Method] | None, str]
"""Name, constructor and note of a method; the constructor is None if its library is missing."""


def methods() -> list[Entry]:
    """Searches for a candidate."""
    name, sampler, note = "optuna_gp", "GPSampler", ""
    if missing("torch"):  # which Optuna's GP sampler needs
        name, sampler, note = "optuna_tpe", "TPESampler", missing("torch")
    optuna = partial(_Optuna, sampler=sampler)
    return [("ei", _Ei, ""), _entry("botorch_log_ei", _BotorchEI, "botorch"), _entry(name, optuna, "optuna", note)]


def fidelity_methods() -> list[Entry]:
    """Searches for a candidate and its number of rows: the last column is its size."""
    return [_entry("fabolas", _Fabolas, "emcee"), _entry("botorch_mf_mes", _BotorchMes, "botorch")]


def missing(*packages: str) -> str:
    """Note that names the first of these packages that is not installed; empty if all are."""
    return next((f"{name} is not installed" for name in packages if find_spec(name) is None), "")


def _entry(name: str, start: Callable[[Array, Array, int], Method], package: str, note: str = "") -> Entry:
    """A method with its note; without its constructor where the package that it needs is missing."""
    return (name, None, missing(package)) if missing(package) else (name, start, note)
