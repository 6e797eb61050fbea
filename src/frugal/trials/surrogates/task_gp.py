"""The Gaussian process of multi-task Bayesian optimisation: candidates and the task they were tried on.

Source: Swersky, Snoek and Adams (2013), "Multi-task Bayesian optimization", section 3.1, the intrinsic model of
coregionalisation. With tasks t in {0, .., T - 1}, the target last,

    k((x, t), (x', t')) = a k_x(x, x') (L L')_tt',   L lower triangular, L_ii > 0, L_ij >= 0

so that no two tasks are negatively correlated. L_00 = 1: else it and a could not be told apart. Parameters are,
row by row from the second one, L_i0, .., L_i,i-1 and log L_ii; in the prior `repaired` each is N(0, 1), L_ij cut
at 0.

Differs from RoBO's, whose entries of L may have any scale (`hyperparameters.RoboPrior`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from frugal.checks import check_whole
from frugal.trials.surrogates.joint_gp import JointGP
from frugal.trials.surrogates.kernels import Array

BELOW_BOX, DIAGONAL_BOX = (0.0, 10.0), (-20.0, 20.0)
ROBO_BELOW_BOX, ROBO_DIAGONAL_BOX = (0.0, 1.0), (-1.0, 0.0)


class _TaskFactor:
    """(L L')_tt'."""

    def __init__(self, n_tasks: int) -> None:
        self._n_tasks = n_tasks
        self._row, self._column = (index[1:] for index in np.tril_indices(n_tasks))
        self._diagonal = self._row == self._column

    def boxes(self, below: tuple[float, float], diagonal: tuple[float, float]) -> Array:
        """The ranges given for L_ij and for log L_ii, in the order of the parameters."""
        return np.where(self._diagonal[:, None], diagonal, below)

    @property
    def box(self) -> Array:
        return self.boxes(BELOW_BOX, DIAGONAL_BOX)

    def features(self, u: Array) -> Array:
        return np.asarray(u == np.arange(self._n_tasks)[:, None], dtype=float)

    def slopes(self, u: Array) -> Array:
        return np.zeros((self._n_tasks, len(u)))

    def parameters(self, factor: Array) -> Array:
        """Those of L (T, T)."""
        entries = factor[self._row, self._column]
        with np.errstate(divide="ignore"):
            return np.where(self._diagonal, np.log(entries), entries)

    def factor(self, parameters: Array) -> Array:
        """L (T, T)."""
        L = np.zeros((self._n_tasks, self._n_tasks))
        L[0, 0] = 1.0
        L[self._row, self._column] = np.where(self._diagonal, np.exp(parameters), parameters)
        return L

    def weights(self, parameters: Array) -> Array:
        L = self.factor(parameters)
        return L @ L.T

    def weights_gradient(self, parameters: Array) -> Array:
        L = self.factor(parameters)
        slope = np.where(self._diagonal, L[self._row, self._column], 1.0)
        half = np.zeros((len(parameters), self._n_tasks, self._n_tasks))
        half[np.arange(len(parameters)), self._row] = slope[:, None] * L[:, self._column].T
        return half + half.transpose(0, 2, 1)


class TaskGP(JointGP):
    """Log error or log seconds at joint points (n, d + 1), the last column a task in {0, .., n_tasks - 1}.

    A hyperparameter that is given is fixed, one of None is fitted. Targets are used as they are, less their mean:
    with the prior `repaired` standardise them first, with `robo` do not. Derivatives in the last column are 0.

    Args:
        n_tasks: at least 1; the last one is the target.
        task_factor: L (n_tasks, n_tasks), lower triangular, 1 at first, nothing below 0; a zero on its diagonal
            makes a task a mixture of those before.
        noise_scale: scale of the horseshoe.
        **settings: settings of `JointGP`: kernel, prior, lengthscale, amplitude, noise_variance, mean, n_restarts.

    Raises:
        ValueError: on an unknown kernel or prior, or a hyperparameter that cannot be.

    Examples:
        >>> from frugal.trials.surrogates import TaskGP
        >>> factor = [[1.0, 0.0], [0.9, 0.4]]  # task 1 is 0.9 times task 0 and 0.4 times a part of its own
        >>> gp = TaskGP(2, task_factor=factor, lengthscale=0.3, amplitude=1.0, noise_variance=1e-6)
        >>> gp = gp.fit([[0.2, 0], [0.8, 0], [0.2, 1]], [1.0, 0.4, 0.8])
        >>> mean, std = gp.predict([[0.8, 1]])  # on the target, where that candidate was not tried
        >>> mean.round(2).tolist(), std.round(2).tolist()
        ([0.41], [0.4])
    """

    def __init__(
        self,
        n_tasks: int,
        *,
        task_factor: ArrayLike | None = None,
        noise_scale: float = 0.1,
        **settings: Any,
    ) -> None:
        check_whole("n_tasks", n_tasks, 1)
        factor = _TaskFactor(n_tasks)
        self._n_tasks, self._robo = n_tasks, {"fidelity": factor.boxes(ROBO_BELOW_BOX, ROBO_DIAGONAL_BOX)}
        mixing = _given(task_factor, factor, n_tasks)
        super().__init__(factor, mixing=mixing, noise_scale=noise_scale, **settings)

    def _in_cube(self, last: Array) -> Array:
        unknown = last[~np.isin(last, np.arange(self._n_tasks))]
        if len(unknown):
            raise ValueError(
                f"the last column of X must be a task, a whole number from 0 to {self._n_tasks - 1},"
                f" got {unknown[0]:g}"
            )
        return np.zeros_like(last)


def _given(task_factor: ArrayLike | None, factor: _TaskFactor, n_tasks: int) -> Array:
    """Parameters of the factor, nan where they are free."""
    if task_factor is None:
        return np.full(n_tasks * (n_tasks + 1) // 2 - 1, np.nan)
    L = np.asarray(task_factor, dtype=float)
    if (
        L.shape != (n_tasks, n_tasks)
        or not ((L >= 0) & np.isfinite(L)).all()
        or np.triu(L, 1).any()
        or L[0, 0] != 1
    ):
        raise ValueError(
            f"task_factor must be lower triangular, ({n_tasks}, {n_tasks}), 1 at first and nowhere below 0,"
            f" got {task_factor!r}"
        )
    return factor.parameters(L)
