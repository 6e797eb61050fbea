"""Search by information: evaluate where the expected information about the minimum per unit of cost is largest.

As in `frugal.trials.model_based`: targets are standardised before the fit; pending trials are filled in with the
predicted mean; a failed trial counts as the worst error so far; and candidates are drawn at random before the
first fit. Here a candidate may be proposed again at another level, such as another training size. A pair of
candidate and level is proposed again only if the pool has no new one. Once the initial design is complete and two
trials have succeeded, the surrogate is fitted, and its chains continue, at every result. So the suggestions depend
on the results alone, and not on when the incumbent is read.

The acquisition is compared on a pool of points. At most three tenths of them, and at most 50, lie near the best
trials so far, ten near each of at most five; the others are a Sobol set. If the space and the sizes are listed,
the pool is everything that may be asked, or a random part of it. Differs from RoBO, which draws seven tenths of
its pool uniformly and the rest around the incumbent.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from frugal.checks import check_choice, check_whole
from frugal.interface import Candidate, Trial, TrialTask
from frugal.spaces import Exponential, SearchSpace, Uniform
from frugal.stats import mean_and_sd
from frugal.trials.acquisitions import best_means, perturbed, sobol
from frugal.trials.acquisitions.entropy_search import P_MIN, InformationGain
from frugal.trials.acquisitions.representers import DENSITIES, draw, log_density
from frugal.trials.encoding import Encoding, ListedSpace
from frugal.trials.ledger import BaseTrialStrategy, check_n_initial, initial_design
from frugal.trials.surrogates import MarginalGP
from frugal.trials.surrogates.gp import GP
from frugal.trials.surrogates.kernels import Array

NEAR = 0.3
"""Largest share of the pool that lies near the best candidates so far."""
NO_LEVELS = np.empty((1, 0))


class InformationBased(BaseTrialStrategy):
    """Base of the strategies with an information gain. A subclass defines the surrogates (`_fit`, `_costs`).

    Points are joint: the coordinates of a candidate, then `_levels.shape[1]` coordinates of a level, such as a
    training size or a task. The base class has no levels.

    Args:
        space: the search space.
        n_trials: largest number of trials.
        rng: generator of all random draws.
        initial: candidates to try first.
        n_initial: size of the initial Latin hypercube, if `initial` is empty.
        n_hyper: number of hyperparameter samples to average over.
        n_burn: steps of the chains discarded at the first fit.
        n_steps: steps of the chains at every fit.
        n_candidates: size of the pool on which the acquisition is compared.
        n_representers: number of points among which the minimum is sought, at least twice the dimensions.
        representers: `log_ei` or `exp_ei`, see `frugal.trials.acquisitions.representers`.
        p_min: `monte_carlo` or `epmgp`, see `InformationGain`.
        n_samples: samples of the belief on the representers, for `monte_carlo`.
        n_quantiles: quantiles of the outcome of an observation.

    Raises:
        ValueError: on a setting outside its range, or more initial candidates than trials.
    """

    _levels: Array | None = NO_LEVELS
    """All levels, one row each; None: a continuous range."""
    _target = np.empty(0)
    """The level at which the minimum is sought."""

    def __init__(
        self,
        *,
        space: SearchSpace,
        n_trials: int,
        rng: np.random.Generator,
        initial: Sequence[Candidate] = (),
        n_initial: int,
        n_hyper: int = 10,
        n_burn: int = 100,
        n_steps: int = 200,
        n_candidates: int = 200,
        n_representers: int = 50,
        representers: str = "log_ei",
        p_min: str = "monte_carlo",
        n_samples: int = 1000,
        n_quantiles: int = 20,
    ) -> None:
        super().__init__(space=space, n_trials=n_trials, initial=initial)
        check_n_initial(n_initial, n_trials)
        check_whole("n_hyper", n_hyper, 1)
        check_whole("n_candidates", n_candidates, 1)
        check_whole("n_representers", n_representers, 2 * len(space.dimensions))
        check_choice("representers", representers, DENSITIES)
        check_choice("p_min", p_min, P_MIN)
        check_whole("n_samples", n_samples, 1)
        check_whole("n_quantiles", n_quantiles, 1)
        self._n_hyper, self._n_burn, self._n_steps = n_hyper, n_burn, n_steps
        self._n_candidates, self._n_representers, self._density = n_candidates, n_representers, representers
        self._p_min, self._n_samples, self._n_quantiles = p_min, n_samples, n_quantiles
        design, self._chains, self._rng = rng.spawn(3)  # so that longer chains move no point of the pool
        if not self._initial:
            self._initial = [dict(c) for c in initial_design(space, n_initial, design)]
        self._encoding = Encoding(space)
        self._grid = self._encoding.grid()
        is_continuous = all(isinstance(d, (Uniform, Exponential)) for d in space.dimensions.values())
        self._continuous = is_continuous and not isinstance(space, ListedSpace)
        self._points: list[Array] = []
        self._next: Array = self._target
        self._loss: MarginalGP | None = None

    def tell(self, trial: Trial) -> None:
        """Take a result; fit the surrogates if the initial design is complete and two trials have succeeded."""
        super().tell(trial)
        self._points.append(self._point(trial.task))
        if len(self.trials) >= len(self._initial) and self._n_succeeded >= 2:
            self._loss = self._fit(np.array(self._points))

    @property
    def recommendation(self) -> Candidate | None:
        """Among successful candidates, the one with the lowest posterior mean at the target level.

        Before the first fit, the one with the lowest error.
        """
        if self._loss is None:
            return super().incumbent
        means = self._projected_means()
        means[[np.isnan(trial.error) for trial in self.trials]] = np.inf
        return dict(self.trials[int(means.argmin())].task.candidate)

    @abstractmethod
    def _fit(self, X: Array) -> MarginalGP:
        """Fit the surrogate of the error to the trials so far, at joint points X (n, d + k)."""

    def _costs(self, X: Array) -> Array:
        """Predicted cost at joint points X (m, d + k) under each component, (S, m) or what broadcasts to it."""
        return np.ones((1, 1))

    def _levels_at(self, u: Array) -> Array:
        """Levels (m, k) at numbers u (m,) in [0, 1)."""
        assert self._levels is not None
        return np.asarray(self._levels[(u * len(self._levels)).astype(int)])

    def _level_of(self, task: TrialTask) -> Array:
        """Level of a task, (k,)."""
        return self._target

    def _point(self, task: TrialTask) -> Array:
        return np.concatenate([self._encoding.encode(task.candidate), self._level_of(task)])

    def _marginal(self, gp: GP) -> MarginalGP:
        """A GP averaged over `n_hyper` samples; the sampler needs two walkers per free hyperparameter."""
        n_free = gp.n_hyperparameters(self._encoding.n_coordinates + len(self._target))
        n_walkers = max(self._n_hyper + self._n_hyper % 2, 2 * n_free)
        return MarginalGP(
            gp,
            rng=self._chains,
            n_walkers=n_walkers,
            n_burn=self._n_burn,
            n_steps=self._n_steps,
            n_samples=self._n_hyper,
        )

    def _projected(self) -> Array:
        """The evaluated candidates as joint points at the target level."""
        X = np.array(self._points)
        X[:, self._encoding.n_coordinates :] = self._target
        return X

    def _projected_means(self) -> Array:
        assert self._loss is not None
        return self._loss.predict(self._projected())[0]

    def _propose(self) -> Candidate:
        if self._loss is None:
            self._next = self._levels_at(np.zeros(1))[0]
            return self._drawn(self._rng)
        X = self._pool()
        fresh = self._fresh(X)
        merit = self._merit(X)
        best = X[int(np.where(fresh | ~fresh.any(), merit, -np.inf).argmax())]
        d = self._encoding.n_coordinates
        self._next = best[d:]
        return self._encoding.decode(best[:d])

    def _merit(self, X: Array) -> Array:
        """Information per unit of cost at joint points X (m, d + k), averaged over the components: (m,)."""
        assert self._loss is not None
        pending = [self._point(task) for task in self._pending.values()]
        surrogate = self._loss.believing(np.array(pending)) if pending else self._loss
        etas = best_means(self._loss.components, self._projected())
        gain = InformationGain(
            surrogate.components,
            [self._draw_representers(c, eta) for c, eta in zip(surrogate.components, etas, strict=True)],
            rng=self._rng,
            n_samples=self._n_samples,
            n_quantiles=self._n_quantiles,
            p_min=self._p_min,
        )
        return np.asarray((gain(X) / self._costs(X)).mean(axis=0))

    def _draw_representers(self, component: GP, eta: float) -> tuple[Array, Array]:
        """Draw representers: joint points at the target level (R, d + k), and their log density (R,)."""
        log_u = log_density(component, eta, self._density)
        if self._grid is not None:
            Z = self._joint(self._grid, self._target)
            values = log_u(Z)
            if len(Z) <= self._n_representers:
                return Z, np.zeros(len(Z))
            shares = np.exp(values - values.max())
            drawn = self._rng.choice(len(Z), self._n_representers, p=shares / shares.sum())
            return Z[drawn], values[drawn]

        def on_target(unit: Array) -> Array:
            return self._joint(unit if self._continuous else self._encoding.of_unit(unit), self._target)

        d = len(self._space.dimensions)
        Z = on_target(draw(lambda unit: log_u(on_target(unit)), d, self._n_representers, self._rng))
        return Z, log_u(Z)

    def _pool(self) -> Array:
        """Joint points to compare, (m, d + k)."""
        if self._grid is not None and self._levels is not None:
            points = np.vstack([self._joint(self._grid, level) for level in self._levels])
            fresh = self._fresh(points)
            pool = points[fresh] if fresh.any() else points
            return self._rng.permutation(pool)[: self._n_candidates]
        d, n = len(self._space.dimensions), self._n_candidates
        best = np.array(self._points)[np.argsort(self._projected_means(), kind="stable")]
        near = perturbed(best[:, : self._encoding.n_coordinates], self._rng)[: int(NEAR * n)]
        scattered = sobol(d + 1, n - len(near), self._rng)
        points = self._encoding.of_unit(scattered[:, :d])
        if len(near):
            points = np.vstack([points, self._encoding.snap(near)])
        u = np.concatenate([scattered[:, d], self._rng.random(len(near))])
        return np.hstack([points, self._levels_at(u)])

    def _fresh(self, X: Array) -> NDArray[np.bool_]:
        """Mask (m,) of the joint points (m, d + k) that were not asked before."""
        asked = {self._point(task).tobytes() for task in self._asked}
        return np.array([point.tobytes() not in asked for point in X])

    @staticmethod
    def _joint(points: Array, level: Array) -> Array:
        """Joint points (m, d + k) of points (m, d) at a level (k,)."""
        return np.hstack([points, np.tile(level, (len(points), 1))])


def standardised(values: Array) -> tuple[Array, float, float]:
    """Standardise values; returns them, their mean and their standard deviation (1 in place of 0)."""
    mean, sd = mean_and_sd(values)
    return (values - mean) / sd, mean, sd
