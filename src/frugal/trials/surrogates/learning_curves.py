"""Learning curves extrapolated by sampling combinations of eleven families.

Source: Domhan, Springenberg and Hutter (2015), "Speeding up automatic hyperparameter optimization of deep neural
networks by extrapolation of learning curves", and the authors' published code; document 003, section 2.2. Differs
from them: walkers start from weights that follow the fits (`start_weights`), and in a ball of relative standard
deviation 1e-3. From the authors' ball of absolute 1e-6, an ensemble first has to spread out. Recency weighting is
off (`recency_weighting`). Chains have 800 steps, 400 of burn-in (the authors': 2,500 and 500). With
`cut_beginning` the horizon is moved along with the curve, which the authors' tool forgets. The chains mix slowly
(with all families, one proposal in thirty is accepted), so bands get wider as chains get longer. Rely on decisions
based on the bands, not on the width of the bands.

Before the sampling, each family is fitted by least squares, as in the authors' code: Levenberg-Marquardt from the
family's starting values, L-BFGS-B with a numerical gradient where that fails. A family is dropped if both fail, if
its fit violates the prior, or if its value at the horizon lies outside [0, 100]. Differs from the code: if
Levenberg-Marquardt has not converged after 100 steps per parameter, its last point is kept. (With the
four-parameter families it often moves along a valley and does not converge.) L-BFGS-B, at four times the cost, had
a larger sum of squares in each of 15 such fits out of 66. From equal starting weights, as the authors use, a
family that fits badly makes sigma too large, and 4,000 steps do not suffice to correct it. An example is 60 of 500
points of log_power with noise 5e-4: sigma is then 4.5e-3, and the log posterior is 105 lower than after 800 steps
from weights that follow the fits.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from frugal.checks import check_choice, check_finite, check_number, check_positive, check_rng, check_whole
from frugal.extras import explained
from frugal.trials.checks import check_list
from frugal.trials.surrogates.curve_families import FAMILIES, Array, Family, Times
from frugal.trials.surrogates.curve_posterior import (
    MAX_FINAL,
    MIN_SIGMA,
    PRIORS,
    CurvePosterior,
    checked_values,
    family_allowed,
    length,
)

STARTS: Final = ("by_fit", "equal")
START_WEIGHT: Final = 10.0
"""Mean starting weight of a family if weights are divided by their sum; else the starting weights sum to 1."""
_UNDEFINED: Final = 1e3
"""Residual where a family is not defined: far above that of any accuracy, and finite, as both optimisers need."""
_STEP: Final = float(np.finfo(float).eps ** (1 / 3))


@dataclass(frozen=True, eq=False)
class FamilyFit:
    """A family's least-squares fit.

    Attributes:
        family: the family.
        theta: its parameters; nan if no fit was found.
        sigma: standard deviation of the residuals.
        dropped: why it takes no part in the combination; empty if it does.
    """

    family: Family
    theta: Array
    sigma: float
    dropped: str


def fit_family(family: Family, y: Array, horizon: float, prior: str) -> FamilyFit:
    """Fit a family to y (n,) at epochs 1 to n."""
    times = Times.at(np.arange(1, len(y) + 1))

    def residuals(theta: Array) -> Array:
        values = family(theta, times)
        return np.where(np.isfinite(values), np.clip(values - y, -_UNDEFINED, _UNDEFINED), _UNDEFINED)

    def jacobian(theta: Array) -> Array:
        """Central differences, (n, p), of all parameters in one call."""
        steps = _STEP * np.maximum(1.0, np.abs(theta)) * np.eye(len(theta))
        moved = residuals(np.vstack([theta + steps, theta - steps])).reshape(2, len(theta), -1)
        return np.asarray((moved[0] - moved[1]).T / (2 * steps.diagonal()))

    def squares(theta: Array) -> float:
        return float((residuals(theta) ** 2).sum())

    from scipy import optimize  # not above: `CurveModel` has it loaded, and pages do not need it

    found = optimize.least_squares(residuals, family.start, jacobian, method="lm", x_scale="jac")
    theta = np.asarray(found.x)
    if not np.isfinite(family(theta, times)).all():
        theta = np.asarray(optimize.minimize(squares, family.start, method="L-BFGS-B").x)
    values = family(theta, times)
    if not np.isfinite(values).all():
        return FamilyFit(family, np.full(len(family.start), math.nan), math.nan, "no fit was found")
    sigma = float((y - values).std())
    checked = checked_values(family, theta, prior, horizon)
    if not 0 <= checked[0, -1] <= MAX_FINAL:
        return FamilyFit(family, theta, sigma, f"its value at the horizon is {checked[0, -1]:g}")
    return FamilyFit(family, theta, sigma, "" if family_allowed(checked, prior)[0] else "it falls")


def joint_start(
    posterior: CurvePosterior, fits: Sequence[FamilyFit], *, normalise_weights: bool, weights: str = "by_fit"
) -> Array:
    """Return the vector (dim,) around which the chains start: parameters of the kept fits, sigma and weights.

    sigma is the standard deviation of y around the weighted mean of the fits. Weights are `equal`, as in the
    authors' code, or `by_fit`: proportional to 1 / sigma_k^2.
    """
    times = Times.at(np.arange(1, len(posterior.y) + 1))
    curves = np.array([fit.family(fit.theta, times) for fit in fits])
    shares = np.array([1.0 if weights == "equal" else max(fit.sigma, MIN_SIGMA) ** -2 for fit in fits])
    shares /= shares.sum()
    theta = np.concatenate([fit.theta for fit in fits])
    is_sampled = posterior.dim > len(theta) + len(shares)
    sigma = [max(float((posterior.y - shares @ curves).std()), 2 * MIN_SIGMA)] if is_sampled else []
    return np.concatenate([theta, sigma, shares * (START_WEIGHT * len(fits) if normalise_weights else 1.0)])


MIN_POINTS: Final = 5
"""Smallest number of points of a curve: one more than the largest number of parameters of a family."""
AUTHORS: Final[Mapping[str, int]] = {"n_walkers": 100, "n_steps": 2500, "n_burn": 500, "thin": 10}
"""Sampling as the authors' code ships it, 20,000 samples: `CurveModel(rng=rng, **AUTHORS)`."""
_JUMP, _N_BEYOND = 0.05, 5
"""Rise of the scores that ends the beginning of a curve, and the points in a row that must show it."""
_BALL: Final = 1e-3
_CHUNK: Final = 2000  # samples that are evaluated at once


def check_checks(name: str, interval: int, horizon: int) -> None:
    """Raise ValueError unless a curve has `MIN_POINTS` scores at a multiple of the interval before the horizon."""
    if not any(epoch >= MIN_POINTS for epoch in range(interval, horizon, interval)):
        raise ValueError(
            f"{name} = {interval} leaves no epoch to check before the horizon {horizon}: a check needs "
            f"{MIN_POINTS} scores"
        )


class UnfittableError(ValueError):
    """No family describes the curve under the prior, as when it falls."""


class CurveModel:
    """Predict the later points of a learning curve from its first points.

    Attributes:
        fits: least-squares fit of each family by itself, dropped ones included.
        samples: vectors (S, dim) of `posterior`.
        acceptance: share of proposals that the walkers accepted.
        n_cut: number of leading points that were left out.

    Args:
        rng: generator of the chains; each fit draws from it once.
        prior: one of `PRIORS`.
        normalise_weights: as in `CurvePosterior`.
        recency_weighting: as in `CurvePosterior`.
        sigma: as in `CurvePosterior`; at least `MIN_SIGMA`.
        cut_beginning: whether to leave out leading points until five in a row exceed the first by 0.05.
        start_weights: weights from which the chains start, `by_fit` or `equal`, as in `joint_start`.
        families: families to combine.
        n_walkers: number of walkers, at least twice the length of a vector of all families; None: 100, or twice
            the length of a vector of the kept families if that is more.
        n_steps: number of steps of each walker, with the burn-in.
        n_burn: number of first steps to leave out.
        thin: number of steps between two samples.

    Raises:
        ValueError: on a setting outside its range.
    """

    def __init__(
        self,
        *,
        rng: np.random.Generator,
        prior: str = "per_family_soft",
        normalise_weights: bool = True,
        recency_weighting: bool = False,
        sigma: float | None = None,
        cut_beginning: bool = False,
        start_weights: str = "by_fit",
        families: Sequence[Family] = tuple(FAMILIES.values()),
        n_walkers: int | None = None,
        n_steps: int = 800,
        n_burn: int = 400,
        thin: int = 10,
    ) -> None:
        with explained():
            import emcee  # noqa: F401  takes a second or two, which are no part of a fit

        check_rng(rng)
        check_choice("prior", prior, PRIORS)
        check_choice("start_weights", start_weights, STARTS)
        if sigma is not None:
            check_positive("sigma", sigma)
            check_number("sigma", sigma, MIN_SIGMA)
        check_list("families", families)
        if not families or not all(isinstance(family, Family) for family in families):
            raise ValueError(f"families must be at least one of FAMILIES, got {families!r}")
        if n_walkers is not None:
            check_whole("n_walkers", n_walkers, 2 * length(families, sigma))
        check_whole("n_burn", n_burn, 0)
        check_whole("thin", thin, 1)
        check_whole("n_steps", n_steps, n_burn + thin)
        self._rng, self._families, self._prior = rng, tuple(families), prior
        self._normalise, self._recency, self._sigma = normalise_weights, recency_weighting, sigma
        self._cut, self._start_weights, self.n_walkers = cut_beginning, start_weights, n_walkers
        self.n_steps, self.n_burn, self.thin = n_steps, n_burn, thin
        self.fits: tuple[FamilyFit, ...] = ()
        self._posterior: CurvePosterior | None = None

    def fit(self, curve: ArrayLike, horizon: int) -> CurveModel:
        """Sample continuations of a curve; returns itself.

        Args:
            curve: scores y_1 to y_n, higher is better, at epochs 1 to n; n at least `MIN_POINTS`.
            horizon: the epoch E that is of interest, at least n.

        Raises:
            UnfittableError: if every family is dropped.
            ValueError: on a curve that is too short or not finite, or a horizon before its last point.
        """
        self._posterior = None
        y = check_curve(curve, horizon)
        self.n_cut = n_cut(y) if self._cut else 0
        self._horizon, y = horizon, y[self.n_cut :]
        end = horizon - self.n_cut
        self.fits = tuple(fit_family(family, y, end, self._prior) for family in self._families)
        kept = [fit for fit in self.fits if not fit.dropped]
        if not kept:
            reasons = ", ".join(f"{fit.family.name}: {fit.dropped}" for fit in self.fits)
            raise UnfittableError(f"no family describes the curve under the prior {self._prior} ({reasons})")
        posterior = CurvePosterior(
            [fit.family for fit in kept], y, end, prior=self._prior, normalise_weights=self._normalise,
            recency_weighting=self._recency, sigma=self._sigma,
        )  # fmt: skip
        start = joint_start(posterior, kept, normalise_weights=self._normalise, weights=self._start_weights)
        self.samples, self.acceptance = self._sample(posterior, start)
        self._posterior = posterior
        return self

    @property
    def posterior(self) -> CurvePosterior:
        """Posterior of the last fit.

        Raises:
            ValueError: before the first fit.
        """
        if self._posterior is None:
            raise ValueError("this model has seen no curve: call fit first")
        return self._posterior

    def predict(self, t: ArrayLike) -> tuple[Array, Array]:
        """Mean and standard deviation of f_comb, without noise, at epochs t (m,): each (m,).

        Raises:
            ValueError: if an epoch lies before the first that was fitted, or there was no fit.
        """
        values = np.ma.masked_invalid(self.curves(t))
        return np.asarray(values.mean(axis=0).filled(math.nan)), np.asarray(values.std(axis=0).filled(math.nan))

    def curves(self, t: ArrayLike) -> Array:
        """f_comb of every sample at epochs t (m,): (S, m).

        Raises:
            ValueError: as in `predict`.
        """
        posterior, epochs = self.posterior, np.atleast_1d(np.asarray(t, dtype=float))
        if not (epochs > self.n_cut).all():
            raise ValueError(f"t must be at least {self.n_cut + 1}, the first epoch fitted, got {epochs.min():g}")
        times = Times.at(epochs - self.n_cut)
        starts = range(0, len(self.samples), _CHUNK)
        return np.vstack([posterior.combined(self.samples[i : i + _CHUNK], times) for i in starts])

    def prob_above(self, y: float, *, noise: bool = True) -> float:
        """P(y_E > y | curve), E being the horizon; samples that are not finite are left out.

        With `noise`, mean_s (1 - Phi((y - f_comb(E; xi_s)) / sigma_s)), equation (10) of document 003; without,
        the share of samples with f_comb(E) > y.

        Raises:
            ValueError: on a y that is no finite number, or if there was no fit.
        """
        check_finite("y", y)
        sigma = self.posterior.parts(self.samples)[1]
        values = self.curves(self._horizon)[:, 0]
        finite = np.isfinite(values)
        if not noise:
            return float((values[finite] > y).mean())
        return float(ndtr((values[finite] - y) / sigma[finite]).mean())

    def _sample(self, posterior: CurvePosterior, start: Array) -> tuple[Array, float]:
        import emcee

        n_walkers = self.n_walkers or max(100, 2 * posterior.dim)
        rng = np.random.default_rng(self._rng.integers(2**63))
        walkers = _ball(posterior, start, n_walkers, rng)
        state = emcee.State(walkers, random_state=np.random.MT19937(int(rng.integers(2**32))).state)
        sampler = emcee.EnsembleSampler(n_walkers, posterior.dim, posterior, vectorize=True)
        if self.n_burn:
            state = sampler.run_mcmc(state, self.n_burn, store=False, skip_initial_state_check=True)
        n_kept = (self.n_steps - self.n_burn) // self.thin
        sampler.run_mcmc(state, n_kept, thin_by=self.thin, skip_initial_state_check=True)
        acceptance = float(sampler.acceptance_fraction.mean())
        return np.asarray(sampler.get_chain(flat=True), dtype=float), acceptance


def _ball(posterior: CurvePosterior, start: Array, n_walkers: int, rng: np.random.Generator) -> Array:
    """Walkers (n_walkers, dim) around a start; for those that the prior excludes, the ball shrinks."""
    if not posterior.allowed(start[None, :])[0]:
        raise UnfittableError("the families' mean falls, which the prior combined excludes")
    noise, radius = rng.standard_normal((n_walkers, len(start))), np.full((n_walkers, 1), _BALL)
    while not (sound := np.isfinite(posterior(walkers := _around(start, radius * noise)))).all():
        radius[~sound] /= 10
    return walkers


def _around(start: Array, noise: Array) -> Array:
    """Points at relative distances from a start; at absolute ones where it is 0, since all would share that 0."""
    return np.where(start == 0, noise, start * (1 + noise))


def check_curve(curve: ArrayLike, horizon: int) -> Array:
    """A curve as an array (n,).

    Raises:
        ValueError: if it is too short or not finite, or the horizon lies before its last point.
    """
    y = np.asarray(curve, dtype=float)
    if y.ndim != 1 or len(y) < MIN_POINTS:
        raise ValueError(f"curve must be a list of at least {MIN_POINTS} scores, got shape {y.shape}")
    if not np.isfinite(y).all():
        epoch = int(np.flatnonzero(~np.isfinite(y))[0]) + 1
        raise ValueError(f"curve must be finite, got {y[epoch - 1]} at epoch {epoch}")
    check_whole("horizon", horizon, len(y))
    return y


def n_cut(y: Array) -> int:
    """Leading points before `_N_BEYOND` in a row exceed y_1 by `_JUMP`; 0 if none do."""
    beyond = np.lib.stride_tricks.sliding_window_view(y > y[0] + _JUMP, _N_BEYOND).all(axis=1)
    return int(beyond.argmax())
