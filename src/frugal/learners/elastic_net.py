"""Elastic net: logistic regression with an L1 and an L2 penalty, one class against the rest, by SGD.

The learner `elastic_net`. It is scikit-learn's SGDClassifier, which minimises the mean log loss plus

    alpha (l1_ratio |w|_1 + (1 - l1_ratio) |w|^2 / 2)

Space `hypertune`: document 004's, `l1_ratio` in [0, 1] and `alpha` with exponents in [-7, -1], of base 10, which
the document does not say. Sign: accuracy falls as `alpha` grows, the ratio has none. The solver is that of
docs/methods.md, section 11: at most 50 epochs, fewer where the loss has settled by scikit-learn's tolerance. Cost
of a trial: its rows.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from frugal.interface import Candidate
from frugal.learners.registry import Learner
from frugal.spaces import SearchSpace, Uniform

if TYPE_CHECKING:
    from sklearn.linear_model import SGDClassifier

N_EPOCHS: Final = 50
SPACES: Final = {
    "hypertune": SearchSpace(
        {"l1_ratio": Uniform(0.0, 1.0), "alpha": Uniform(1e-7, 1e-1, "log")}, signs={"alpha": -1}
    )
}


@dataclass
class ElasticNet:
    """SGDClassifier with these settings, without its warning if the loss has not settled after `N_EPOCHS`.

    Attributes:
        alpha: weight of the penalty, above 0; scikit-learn refuses 0, at which its step size is undefined.
        l1_ratio: share of the L1 penalty, in [0, 1].
        seed: seed of the order of rows.
        model: the fitted classifier.
    """

    alpha: float
    l1_ratio: float
    seed: int = 0
    model: SGDClassifier = field(init=False, repr=False)

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Train on rows X (n, d) with classes y (n,).

        Raises:
            ValueError: on a hyperparameter outside its range, or rows that scikit-learn refuses.
        """
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.linear_model import SGDClassifier

        settings = {"loss": "log_loss", "penalty": "elasticnet", "max_iter": N_EPOCHS, "random_state": self.seed}
        self.model = SGDClassifier(**settings, alpha=self.alpha, l1_ratio=self.l1_ratio)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            self.model.fit(X, y)
        return self

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Class of each row, (n,)."""
        return np.asarray(self.model.predict(X))


def _make(candidate: Candidate, seed: int) -> Any:
    settings: dict[str, Any] = dict(candidate)
    return ElasticNet(**settings, seed=seed)


LEARNERS: Final = (Learner("elastic_net", SPACES, "hypertune", _make),)
