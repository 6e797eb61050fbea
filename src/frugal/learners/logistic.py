"""The two logistic regressions of document 002's second task: one-vs-rest by liblinear, multinomial by SGD.

`logistic_regression` is liblinear's, L2-penalised, one binary fit per class, in which `intercept_scaling` is the
value of an appended feature whose weight is penalised too. Spaces: `box`, C in [0.1, 5] and intercept_scaling in
[0.01, 2], both linear, as in the code that document 002 comes from; `grid`, 5 x 5 points evenly spaced over it.
Cost of a trial: its rows.

`sgd_logistic_regression` is the benchmark of HPOlib (Eggensperger et al. 2013, "Towards an empirical foundation
for assessing Bayesian optimization of hyperparameters"): weights start at 0 and descend, at a constant learning
rate, the mean over a mini-batch of

    -log softmax(x W + b)_y + l2 |W|^2.

Differs from HPOlib: rows are shuffled before every epoch and the last, smaller batch is used; there is no early
stopping, and the error is that of the last epoch rather than the lowest of all on the validation rows, which a fit
does not see; float32. Space: `hpolib`, its bounds, all linear, but at most 100 epochs in place of 2,000, which at
5,000 training rows keeps a trial below some seconds. In two thirds of it learning_rate * l2 is above 1, where the
penalty alone makes the weights grow from step to step; most of these fits overflow and fail. Cost of a trial: its
rows times `n_epochs`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from frugal.checks import check_number, check_whole
from frugal.interface import Candidate
from frugal.learners.registry import Learner
from frugal.spaces import Integer, Ordinal, SearchSpace, Uniform

Floats = NDArray[np.float32]

LIBLINEAR_SPACES: Final = {
    "box": SearchSpace({"C": Uniform(0.1, 5.0), "intercept_scaling": Uniform(0.01, 2.0)}),
    "grid": SearchSpace(
        {
            "C": Ordinal((0.1, 1.325, 2.55, 3.775, 5.0)),
            "intercept_scaling": Ordinal((0.01, 0.5075, 1.005, 1.5025, 2.0)),
        }
    ),
}
SGD_SPACES: Final = {
    "hpolib": SearchSpace(
        {
            "learning_rate": Uniform(0.0, 10.0),
            "l2": Uniform(0.0, 1.0),
            "batch_size": Integer(20, 2000),
            "n_epochs": Integer(5, 100),
        }
    )
}


@dataclass
class SGDLogisticRegression:
    """Multinomial logistic regression by mini-batch gradient descent, on one thread.

    Most time goes to two matrix products per batch; in batches below some 100 rows, to the overhead of calls.

    Attributes:
        learning_rate: constant step size, at least 0.
        l2: weight of the squared weights, at least 0; intercepts are not penalised.
        batch_size: rows per step; all rows if there are fewer.
        n_epochs: passes over the rows.
        seed: seed of the order of rows.
        classes_: sorted labels, (n_classes,); set by `fit`, as are the next two.
        coef_: weights, (n_features, n_classes).
        intercept_: intercepts, (n_classes,).
    """

    learning_rate: float
    l2: float
    batch_size: int
    n_epochs: int
    seed: int = 0
    classes_: NDArray[Any] = field(init=False, repr=False)
    coef_: Floats = field(init=False, repr=False)
    intercept_: Floats = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("learning_rate", "l2"):
            check_number(name, getattr(self, name), 0)
        for name in ("batch_size", "n_epochs"):
            check_whole(name, getattr(self, name), 1)

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Train on rows.

        Args:
            X: features, (n, n_features).
            y: labels, (n,), of at least two classes.

        Raises:
            ValueError: if there are no rows, a different number of labels, features that are not finite, or one
                class.
            FloatingPointError: at the end of the epoch in which the weights overflow.
        """
        rows, labels = np.ascontiguousarray(_finite(X)), np.asarray(y)
        if rows.ndim != 2 or not len(rows) or labels.shape != (len(rows),):
            raise ValueError(f"X must be (n, n_features) and y (n,), got {rows.shape} and {labels.shape}")
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"labels must be of at least two classes, got only {self.classes_[0]!r}")
        targets = np.eye(len(self.classes_), dtype=np.float32)[codes]
        self.coef_ = np.zeros((rows.shape[1], len(self.classes_)), dtype=np.float32)
        self.intercept_ = np.zeros(len(self.classes_), dtype=np.float32)
        rng = np.random.default_rng(self.seed)
        with np.errstate(over="ignore", invalid="ignore"):
            for epoch in range(1, self.n_epochs + 1):
                order = rng.permutation(len(rows))
                for first in range(0, len(rows), self.batch_size):
                    batch = order[first : first + self.batch_size]
                    self._step(rows[batch], targets[batch])
                if not (np.isfinite(self.coef_).all() and np.isfinite(self.intercept_).all()):
                    raise FloatingPointError(
                        f"the weights overflowed in epoch {epoch}: a learning_rate of {self.learning_rate:g} is "
                        f"too high with an l2 of {self.l2:g}"
                    )
        return self

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Most probable label of each row of X (m, n_features): (m,)."""
        return np.asarray(self.classes_[self._scores(_finite(X)).argmax(axis=1)])

    def predict_proba(self, X: ArrayLike) -> Floats:
        """Probabilities of the classes, (m, n_classes), for X (m, n_features)."""
        return _softmax(self._scores(_finite(X)))

    def _scores(self, X: Floats) -> Floats:
        return X @ self.coef_ + self.intercept_

    def _step(self, X: Floats, targets: Floats) -> None:
        excess = _softmax(self._scores(X)) - targets
        excess *= np.float32(self.learning_rate / len(X))
        self.coef_ *= np.float32(1 - 2 * self.learning_rate * self.l2)
        self.coef_ -= X.T @ excess
        self.intercept_ -= excess.sum(axis=0)


def _finite(X: ArrayLike) -> Floats:
    """Rows as float32.

    Raises:
        ValueError: if some are not finite.
    """
    rows = np.asarray(X, dtype=np.float32)
    if not np.isfinite(rows).all():
        raise ValueError("features must be finite numbers")
    return rows


def _softmax(scores: Floats) -> Floats:
    scores = scores - scores.max(axis=1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=1, keepdims=True)
    return scores


def _make_liblinear(candidate: Candidate, seed: int) -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier

    return OneVsRestClassifier(LogisticRegression(solver="liblinear", random_state=seed, **candidate))


def _make_sgd(candidate: Candidate, seed: int) -> Any:
    settings: dict[str, Any] = dict(candidate)
    return SGDLogisticRegression(**settings, seed=seed)


LEARNERS: Final = (
    Learner("logistic_regression", LIBLINEAR_SPACES, "box", _make_liblinear),
    Learner("sgd_logistic_regression", SGD_SPACES, "hpolib", _make_sgd),
)
