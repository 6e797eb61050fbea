"""A Gaussian process averaged over its hyperparameters, by an affine-invariant ensemble of walkers (emcee).

Source: Snoek, Larochelle and Adams (2012), "Practical Bayesian optimization of machine learning algorithms",
section 3.2, with the sampler and the lengths of chains of RoBO: the walkers start from the prior, the last state
of each is kept, and a later call goes on from there without another burn-in. Predictions are those of the mixture:
mean_s m_s and mean_s var_s + Var_s m_s.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from frugal.checks import check_whole
from frugal.extras import explained
from frugal.trials.surrogates.evidence import Evidence, log_posteriors
from frugal.trials.surrogates.gp import GP
from frugal.trials.surrogates.kernels import Array


class MarginalGP:
    """A mixture, in equal shares, of one Gaussian process per walker of the ensemble, at most `n_samples`.

    Args:
        gp: process whose given hyperparameters are fixed; the others are sampled, under its prior.
        rng: generator of the chains.
        n_walkers: number of walkers; None: three per kernel parameter (amplitude included), made even, and at
            least twice the number of free hyperparameters, which the sampler needs.
        n_burn: number of first steps to leave out at the first fit.
        n_steps: number of steps at every fit.
        n_samples: number of walkers that become components; None: all of them. The ensemble stays whole.

    Raises:
        ValueError: on counts that are not whole, or below 1 (n_burn: below 0).

    Examples:
        >>> import numpy as np
        >>> from frugal.trials.surrogates import GP, MarginalGP
        >>> gp = GP("matern52_ard", lengthscale=None, amplitude=None, noise_variance=None, prior="repaired")
        >>> mixture = MarginalGP(gp, rng=np.random.default_rng(0), n_burn=20, n_steps=20, n_samples=5)
        >>> mixture = mixture.fit([[0.0], [0.5], [1.0]], [0.0, -1.0, 1.0])
        >>> mean, std = mixture.predict([[0.4]])
        >>> len(mixture.components), mean.shape, std.shape
        (5, (1,), (1,))
    """

    def __init__(
        self,
        gp: GP,
        *,
        rng: np.random.Generator,
        n_walkers: int | None = None,
        n_burn: int = 100,
        n_steps: int = 200,
        n_samples: int | None = None,
    ) -> None:
        if n_walkers is not None:
            check_whole("n_walkers", n_walkers, 1)
        if n_samples is not None:
            check_whole("n_samples", n_samples, 1, n_walkers, "the number of walkers")
        check_whole("n_burn", n_burn, 0)
        check_whole("n_steps", n_steps, 1)
        self._gp, self._rng = gp, rng
        self._n_walkers, self._n_burn, self._n_steps = n_walkers, n_burn, n_steps
        self._n_samples = n_samples
        self._walkers: Array | None = None
        self._components: tuple[GP, ...] = ()

    def fit(self, X: ArrayLike, y: ArrayLike) -> MarginalGP:
        """Sample the hyperparameters given data, as in `GP.fit`; returns itself.

        Raises:
            ValueError: on other data, nothing to sample, or fewer walkers than twice the free hyperparameters.
        """
        evidence = self._gp.evidence(X, y)
        self._walkers, _ = self.sample(evidence)
        kept = self._walkers[: self._n_samples]
        self._components = tuple(self._gp.at(evidence, evidence.full(walker)) for walker in kept)
        return self

    def sample(self, evidence: Evidence) -> tuple[Array, Array]:
        """Last states of the walkers (n_walkers, n_free), and the whole chain (n_steps, n_walkers, n_free)."""
        n_free = int(evidence.free.sum())
        if n_free == 0:
            raise ValueError("every hyperparameter is given, so there is nothing to sample")
        n_default = 3 * (len(evidence.template) - 1)
        n_walkers = self._n_walkers or max(n_default + n_default % 2, 2 * n_free)
        if n_walkers < (self._n_samples or 1):
            raise ValueError(
                f"n_samples must be at most {n_walkers}, the number of walkers, got {self._n_samples}"
            )
        check_walkers(n_walkers, n_free)
        together = log_posteriors(evidence)
        with explained():
            import emcee

        sampler = emcee.EnsembleSampler(
            n_walkers, n_free, together or evidence.log_posterior, vectorize=together is not None
        )
        first = self._walkers is None or self._walkers.shape != (n_walkers, n_free)
        start = evidence.prior.draw(self._rng, n_walkers)[:, evidence.free] if first else self._walkers
        random_state = np.random.MT19937(int(self._rng.integers(2**32))).state
        state = emcee.State(start, random_state=random_state)
        if first and self._n_burn:
            state = sampler.run_mcmc(state, self._n_burn, skip_initial_state_check=True)
            sampler.reset()
        state = sampler.run_mcmc(state, self._n_steps, skip_initial_state_check=True)
        return np.array(state.coords), np.array(sampler.get_chain())

    @property
    def components(self) -> Sequence[GP]:
        """One Gaussian process per sample."""
        if not self._components:
            raise ValueError("this surrogate has seen no data: call fit first")
        return self._components

    def predict(self, X: ArrayLike, *, with_noise: bool = False) -> tuple[Array, Array]:
        """Mean and standard deviation of the mixture at X (m, d), as in `GP.predict`: each (m,)."""
        predictions = [component.predict(X, with_noise=with_noise) for component in self.components]
        means, stds = (np.array(part) for part in zip(*predictions, strict=True))
        return means.mean(axis=0), np.sqrt((stds**2).mean(axis=0) + means.var(axis=0))

    def believing(self, X: Array) -> MarginalGP:
        """Every component after its own means were observed at X (m, d)."""
        other = copy.copy(self)
        other._components = tuple(component.believing(X) for component in self.components)
        return other


def check_walkers(n_walkers: int, n_free: int) -> None:
    """Raise ValueError on fewer walkers than twice the free hyperparameters, which the sampler needs."""
    if n_walkers < 2 * n_free:
        raise ValueError(
            f"n_walkers must be at least {2 * n_free}, twice the free hyperparameters, got {n_walkers}"
        )
