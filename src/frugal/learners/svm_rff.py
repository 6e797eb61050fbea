"""Linear SVM on random Fourier features of the radial kernel, one class against the rest, by SGD.

The learner `svm_rff`.

Source: Rahimi and Recht (2007), "Random features for large-scale kernel machines". With F = n_features,

    z(x) = sqrt(2 / F) cos(W x + b),  W ~ N(0, 2 gamma I),  b ~ U[0, 2 pi]

(scikit-learn's RBFSampler), so that z(x) z(x') is on average exp(-gamma |x - x'|^2); then the hinge loss with the
L2 penalty alpha = 1 / (C n), n rows, by scikit-learn's SGDClassifier, an epoch at a time, in float32.

Space `hypertune`: document 004's, exponents of `C` and `gamma` in [-3, 3], of `n_features` in [3, 12]; the bases,
10, 10 and 2, are not in the document. Signs: +1 for all three. The document does not say how long it trains; here
27 epochs, a power of Hyperband's usual factor. Cost of a trial: its rows times its epochs.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from frugal.checks import check_positive, check_whole
from frugal.files import whole
from frugal.interface import Candidate
from frugal.learners.registry import Learner
from frugal.learners.training import Report, Training
from frugal.limits import check_zip
from frugal.seeds import rng_for
from frugal.spaces import Integer, SearchSpace, Uniform
from frugal.threads import one_thread

if TYPE_CHECKING:
    from sklearn.linear_model import SGDClassifier

N_EPOCHS: Final = 27
_NUMBER: Final = Uniform(1e-3, 1e3, "log")
SPACES: Final = {
    "hypertune": SearchSpace(
        {"C": _NUMBER, "gamma": _NUMBER, "n_features": Integer(2**3, 2**12, "log")},
        signs={"C": 1, "gamma": 1, "n_features": 1},
    )
}


@dataclass
class FourierSVM:
    """The SVM of one candidate, as a classifier.

    Training holds the random features of all rows in memory: rows x n_features x 4 bytes. Most time goes to
    SGDClassifier's passes over them, one per class and epoch (a single one for two classes).

    Attributes:
        C: weight of the loss against the penalty.
        gamma: parameter of the kernel, per squared unit of the rows.
        n_features: number F of random features.
        n_epochs: number of epochs in `fit`.
        seed: seed of the random features and of the order of rows.
        n_done: epochs trained so far.
        n_columns: columns of the rows that it was trained on; None before training.
        model: the linear SVM; None before the first epoch.

    Raises:
        ValueError: on a hyperparameter outside its range.
    """

    C: float
    gamma: float
    n_features: int
    n_epochs: int = N_EPOCHS
    seed: int = 0
    n_done: int = field(default=0, init=False, repr=False)
    n_columns: int | None = field(default=None, init=False, repr=False)
    model: SGDClassifier | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        check_positive("C", self.C)
        check_positive("gamma", self.gamma)
        check_whole("n_features", self.n_features, 1)
        check_whole("n_epochs", self.n_epochs, 1)

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Train anew for `n_epochs` epochs on rows X (n, d) with classes y (n,).

        Raises:
            ValueError: if the shapes do not match, there is one class, or the weights overflow.
        """
        self.n_done, self.n_columns, self.model = 0, None, None
        Z, labels = self.features(X), np.asarray(y)
        if labels.shape != (len(Z),):
            raise ValueError(f"y must have shape ({len(Z)},), one class per row of X, got {labels.shape}")
        for _ in range(self.n_epochs):
            self.epoch(Z, labels)
        return self

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Class of each row, (n,).

        Raises:
            ValueError: if nothing was trained.
        """
        return self.classes_of(self.features(X))

    def features(self, X: ArrayLike) -> NDArray[np.float32]:
        """Random features of rows X (n, d): (n, n_features).

        Raises:
            ValueError: if rows before had another number of columns.
        """
        from sklearn.kernel_approximation import RBFSampler

        rows = np.asarray(X, dtype=np.float32)
        if self.n_columns is None and rows.ndim == 2:
            self.n_columns = rows.shape[1]
        elif rows.ndim == 2 and rows.shape[1] != self.n_columns:
            raise ValueError(f"X must have {self.n_columns} columns, as the rows before, got {rows.shape[1]}")
        sampler = RBFSampler(gamma=self.gamma, n_components=self.n_features, random_state=self.seed)
        return np.asarray(sampler.fit(rows[:1]).transform(rows), dtype=np.float32)

    def epoch(self, Z: NDArray[np.float32], y: NDArray[Any]) -> None:
        """One pass over features Z (n, n_features) with classes y (n,), in an order drawn for this epoch."""
        if self.model is None:
            self.model = _untrained(1 / (self.C * len(Z)))
        order = rng_for("svm_rff", "order", self.seed, self.n_done).permutation(len(Z))
        self.model.partial_fit(Z[order], y[order], classes=np.unique(y))
        self.n_done += 1

    def classes_of(self, Z: NDArray[np.float32]) -> NDArray[Any]:
        """Class of each row of features Z (n, n_features), (n,).

        Raises:
            ValueError: if nothing was trained.
        """
        if self.model is None:
            raise ValueError("nothing was trained yet")
        return np.asarray(self.model.predict(Z))


class FourierTraining:
    """Training that reports each epoch, and can be stopped, saved and resumed: `learners.training.Epochwise`.

    Attributes:
        plan: hyperparameters and seed.
        device: device that computes.

    Args:
        candidate: hyperparameters.
        seed: seed of the random features and of the order of rows.

    Raises:
        ValueError: on a hyperparameter outside its range.
        TypeError: on an unknown or missing hyperparameter.
    """

    device = "cpu"

    def __init__(self, candidate: Candidate, seed: int) -> None:
        self._svm = _make(candidate, seed)
        self.plan = asdict(self._svm)
        for name in ("n_done", "n_columns", "model"):
            del self.plan[name]
        self._curve: list[float] = []
        self._reason = ""

    @property
    def n_epochs(self) -> int:
        """Epochs trained so far, those of a loaded state included."""
        return len(self._curve)

    def fit(
        self, X: Any, y: Any, X_valid: Any, y_valid: Any, *, epochs: int, report: Report | None = None
    ) -> Training:
        """Train until `epochs` passes over X (n, d) and y (n,) are done in all.

        Returns:
            The validation accuracy of every epoch so far. If scikit-learn refuses the rows, for example rows of
            one class, training ends with nan and a reason.
        """
        check_whole("epochs", epochs, 1)
        y, y_valid = np.asarray(y), np.asarray(y_valid)
        with one_thread():
            Z, Z_valid = self._svm.features(X), self._svm.features(X_valid)
            while self.n_epochs < epochs and not self._reason:
                try:
                    self._svm.epoch(Z, y)
                except ValueError as error:  # weights that overflow, rows of one class
                    self._reason = f"ValueError: {error}"
                right = math.nan if self._reason else float(np.mean(self._svm.classes_of(Z_valid) == y_valid))
                self._curve.append(right)
                if report is not None and not self._reason and not report(self.n_epochs, right):
                    break
        return Training(tuple(self._curve), self._reason)

    def score(self, X: Any, y: Any) -> float:
        """Accuracy in [0, 1] on rows X (n, d) of classes y (n,)."""
        with one_thread():
            return float(np.mean(self._svm.predict(X) == np.asarray(y)))

    def save(self, path: str | Path) -> None:
        """Write all that training needs to go on, whole or not at all.

        Raises:
            OSError: if the file cannot be written.
        """
        model = self._svm.model
        progress: dict[str, Any] = {"plan": self.plan, "curve": self._curve, "reason": self._reason}
        progress |= {"n_done": self._svm.n_done, "n_columns": self._svm.n_columns}
        weights: dict[str, Any] = {} if model is None else {name: getattr(model, name) for name in _WEIGHTS}
        alpha = {} if model is None else {"alpha": model.alpha}
        with whole(path) as part, part.open("wb") as file:
            np.savez(file, progress=np.array(json.dumps(progress | alpha)), **weights)

    def load(self, path: str | Path) -> Self:
        """Take over what `save` wrote for the same candidate and seed; returns itself.

        Raises:
            OSError: if the file cannot be read.
            ValueError: if it is no such state, or was saved for another candidate.
        """
        try:
            check_zip(path)
            with np.load(path, allow_pickle=False) as file:
                progress = json.loads(str(file["progress"]))
                weights = {name: file[name] for name in _WEIGHTS if name in file}
            if not all(isinstance(array, np.ndarray) for array in weights.values()):
                raise ValueError("a member is no array")  # NumPy gives the bytes of such a one
            plan, curve, reason = (progress[name] for name in ("plan", "curve", "reason"))
            n_done, n_columns = progress["n_done"], progress["n_columns"]
            model = _model(progress["alpha"], weights) if weights else None
        except _UNREADABLE as error:
            raise ValueError(f"{path} is truncated or holds no SVM; delete it and train again") from error
        if plan != self.plan:
            raise ValueError(f"{path} was saved with plan {plan}, this SVM has {self.plan}")
        self._curve, self._reason = curve, reason
        self._svm.n_done, self._svm.n_columns, self._svm.model = n_done, n_columns, model
        return self


_UNREADABLE: Final = (
    EOFError,
    IndexError,
    KeyError,
    MemoryError,  # of a header that claims a huge array
    TypeError,
    ValueError,
)
_WEIGHTS: Final = ("classes_", "coef_", "intercept_", "t_")
"""The attributes of an `SGDClassifier` from which `partial_fit` continues."""


def _model(alpha: float, weights: Mapping[str, NDArray[Any]]) -> SGDClassifier:
    """Restore a model from its weights."""
    model = _untrained(alpha)
    for name, array in weights.items():
        setattr(model, name, float(array) if name == "t_" else array)
    model.n_features_in_ = weights["coef_"].shape[1]
    return model


def _untrained(alpha: float) -> SGDClassifier:
    from sklearn.linear_model import SGDClassifier

    return SGDClassifier(loss="hinge", alpha=alpha, shuffle=False, random_state=0)


def _make(candidate: Candidate, seed: int) -> FourierSVM:
    settings: dict[str, Any] = dict(candidate)
    return FourierSVM(**settings, seed=seed)


LEARNERS: Final = (Learner("svm_rff", SPACES, "hypertune", _make, in_epochs=FourierTraining, n_epochs=N_EPOCHS),)
