"""Search by a surrogate: fit it to the trials so far, then try the maximum of the acquisition.

Targets are standardised before the fit (a standard deviation of 0 counts as 1). What else is done:

- Pending trials are filled in with the predicted mean. Source: Ginsbourger, Le Riche and Carraro (2010), "Kriging
  is well-suited to parallelize optimization" ("kriging believer"). Predicted means stay, and the uncertainty at
  the pending points falls to what the noise leaves.
- A failed trial counts as the worst error so far, so that the search avoids its surroundings.
- A candidate is proposed again only if the pool has no new one. The first ones, a Latin hypercube, may repeat one
  of a space that lists its values.
- Before two trials have succeeded, candidates are drawn at random.
- A space that lists all its values, with at most 2,048 candidates, is enumerated.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence

import numpy as np

from frugal.checks import check_choice, check_number, check_whole
from frugal.interface import WAIT, Candidate, Trial, Wait
from frugal.spaces import SearchSpace
from frugal.stats import mean_and_sd
from frugal.trials.acquisitions import LogEI, best_means, maximise, perturbed, sobol
from frugal.trials.encoding import Encoding
from frugal.trials.ledger import BaseTrialStrategy, check_n_initial, initial_design
from frugal.trials.surrogates.kernels import Array
from frugal.trials.surrogates.protocol import Surrogate

BASELINES = ("mean", "observed")


class ModelBased(BaseTrialStrategy):
    """Base of the strategies with a surrogate. A subclass fits it (`_fit`), and may override `_choose`.

    Attributes:
        max_log_ei: largest log expected improvement at the latest ask, in units of the error; nan before there was
            one.

    Args:
        space: the search space.
        n_trials: largest number of trials.
        rng: generator of all random draws.
        initial: candidates to try first.
        n_initial: without `initial`, size of the Latin hypercube to start from; None: 3, or `n_trials` if that is
            less.
        baseline: value to improve on: the lowest posterior `mean` at an evaluated candidate, or the lowest error
            `observed`.
        n_pool: points of the Sobol set that the acquisition is first compared on.
        n_starts: number of its best points that L-BFGS-B refines; 0 for surrogates without gradients.
        min_log_ei: the run ends once the largest log expected improvement, in units of the error, is below this
            and no answer is pending; None: never before `n_trials`.

    Raises:
        ValueError: on a setting outside its range, or more initial candidates than trials.
    """

    _averages_logs = False
    """Whether the acquisition averages the logarithms of the expected improvement over the components."""

    def __init__(
        self,
        *,
        space: SearchSpace,
        n_trials: int,
        rng: np.random.Generator,
        initial: Sequence[Candidate] = (),
        n_initial: int | None = None,
        baseline: str = "mean",
        n_pool: int = 512,
        n_starts: int = 5,
        min_log_ei: float | None = None,
    ) -> None:
        super().__init__(space=space, n_trials=n_trials, initial=initial)
        if n_initial is not None:
            check_n_initial(n_initial, n_trials)
        check_choice("baseline", baseline, BASELINES)
        check_whole("n_pool", n_pool, 1)
        check_whole("n_starts", n_starts, 0)
        if min_log_ei is not None:
            check_number("min_log_ei", min_log_ei, -math.inf)
        design, self._rng, self._choices = rng.spawn(3)  # so that a further choice moves no point of the pool
        self._baseline, self._n_pool, self._n_starts = baseline, n_pool, n_starts
        self._min_log_ei, self.max_log_ei = min_log_ei, math.nan
        if not self._initial:
            self._initial = [dict(c) for c in initial_design(space, n_initial or min(3, n_trials), design)]
        self._encoding = Encoding(space)
        self._grid = self._encoding.grid()
        self._points: list[Array] = []
        self._surrogate: Surrogate | None = None
        self._settled = False  # True once `min_log_ei` is reached, until another result comes

    def tell(self, trial: Trial) -> None:
        """Take a result, and fit the surrogate again once two trials have succeeded.

        It is fitted here, not when it is needed, so that suggestions depend on the results alone. A fit starts
        from the one before, and reading the recommendation would be one more.
        """
        super().tell(trial)
        self._points.append(self._encoding.encode(trial.task.candidate))
        self._surrogate, self._settled = None, False
        if self._n_succeeded >= 2:
            self._fitted()

    @property
    def recommendation(self) -> Candidate | None:
        """Among successful candidates, the one with the lowest posterior mean; before two, the incumbent.

        If errors are noisy, the incumbent may only be the luckiest candidate.
        """
        if self._n_succeeded < 2:
            return self.incumbent
        means = self._fitted().predict(np.array(self._points))[0]
        means[[math.isnan(trial.error) for trial in self.trials]] = math.inf
        return dict(self.trials[int(means.argmin())].task.candidate)

    @abstractmethod
    def _fit(self, X: Array, y: Array) -> Surrogate:
        """Fit a surrogate to standardised errors y (n,) at X (n, d)."""

    def _choose(self, surrogate: Surrogate, X: Array, log_ei: Array, fresh: Array) -> int:
        """Row of X (m, d) to try, given its log EI (m,) and a mask (m,) of what may be tried."""
        return int(np.where(fresh, log_ei, -np.inf).argmax())

    def _propose(self) -> Candidate | Wait | None:
        if self._n_succeeded < 2:
            return self._drawn(self._rng)
        if self._settled:
            return WAIT if self._pending else None
        fitted = self._fitted()
        pending = [self._encoding.encode(task.candidate) for task in self._pending.values()]
        surrogate = fitted.believing(np.array(pending)) if pending else fitted
        acquisition = LogEI(surrogate.components, self._etas(fitted, pending), logs=self._averages_logs)
        X, log_ei = maximise(acquisition, self._pool(), snap=self._encoding.snap, n_starts=self._starts)
        asked = {point.tobytes() for point in (*self._points, *pending)}
        fresh = np.array([point.tobytes() not in asked for point in X])
        if not fresh.any():
            fresh[:] = True
        self.max_log_ei = float(log_ei[fresh].max()) + math.log(self._scale()[1])
        if self._min_log_ei is not None and self.max_log_ei < self._min_log_ei:
            self._settled = True
            return WAIT if pending else None
        return self._encoding.decode(X[self._choose(surrogate, X, log_ei, fresh)])

    @property
    def _starts(self) -> int:
        return 0 if self._grid is not None else self._n_starts

    def _scale(self) -> tuple[float, float]:
        return mean_and_sd(self._errors())

    def _fitted(self) -> Surrogate:
        if self._surrogate is None:
            mean, sd = self._scale()
            self._surrogate = self._fit(np.array(self._points), (self._errors() - mean) / sd)
        return self._surrogate

    def _etas(self, surrogate: Surrogate, pending: Sequence[Array]) -> list[float]:
        """Baseline of each component: what is believed of pending trials counts, too."""
        if self._baseline == "mean":
            return best_means(surrogate.components, np.array([*self._points, *pending]))
        mean, sd = self._scale()
        observed = [float((self._errors().min() - mean) / sd)] * len(surrogate.components)
        if not pending:
            return observed
        believed = best_means(surrogate.components, np.array(pending))
        return [min(pair) for pair in zip(observed, believed, strict=True)]

    def _pool(self) -> Array:
        if self._grid is not None:
            return self._grid
        best = np.array(self._points)[np.argsort(self._errors(), kind="stable")]
        scattered = sobol(len(self._space.dimensions), self._n_pool, self._rng)
        near = perturbed(best, self._rng)
        return np.vstack([self._encoding.of_unit(scattered), self._encoding.snap(near)])
