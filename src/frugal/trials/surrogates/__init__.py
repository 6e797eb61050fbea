"""Surrogates: models that predict the error of candidates from a few trials.

Examples:
    >>> from frugal.trials.surrogates import GP
    >>> surrogate = GP(lengthscale=0.3, noise_variance=0.0).fit([[0.0], [1.0]], [0.2, 0.4])
    >>> mean, std = surrogate.predict([[0.0], [0.5]])
    >>> mean.round(2).tolist(), bool(std[0] < std[1])
    ([0.2, 0.3], True)
"""

from typing import TYPE_CHECKING

from frugal.lazy import lazily

if TYPE_CHECKING:
    from frugal.trials.surrogates.gp import GP
    from frugal.trials.surrogates.hyperparameters import Hyperparameters
    from frugal.trials.surrogates.marginal_gp import MarginalGP
    from frugal.trials.surrogates.protocol import Component, Surrogate
    from frugal.trials.surrogates.sign_gp import SignGP
    from frugal.trials.surrogates.size_gp import SizeGP, from_unit_size, to_unit_size
    from frugal.trials.surrogates.task_gp import TaskGP

__all__ = [
    "GP",
    "Component",
    "Hyperparameters",
    "MarginalGP",
    "SignGP",
    "SizeGP",
    "Surrogate",
    "TaskGP",
    "from_unit_size",
    "to_unit_size",
]

__getattr__ = lazily(
    __name__,
    {
        "GP": "gp",
        "Component": "protocol",
        "Hyperparameters": "hyperparameters",
        "MarginalGP": "marginal_gp",
        "SignGP": "sign_gp",
        "SizeGP": "size_gp",
        "Surrogate": "protocol",
        "TaskGP": "task_gp",
        "from_unit_size": "size_gp",
        "to_unit_size": "size_gp",
    },
)
