"""Make the table of `measured.measure` for the radial SVM in a fraction of the time of its trials.

Candidates with the same gamma share the kernel matrices of a draw of rows: training rows with themselves, with the
validation rows and with the test rows. A fit takes the first matrix. Its votes on the other rows are a product of
matrices. Errors equal those of trials in `LearnerProblem`, except for rows whose votes depend on the last digits
of a kernel value. LIBSVM is never cut short: at 8,192 rows of MNIST and 30 points of ln C and ln gamma in
[-10, 10], corners included, no pair of classes took above 10,000 steps and no fit above 4 s.

The seconds of a cell are those of its own evaluation on kernel matrices: CPU seconds, on one thread, of the
training and validation matrices, of the fit, and of the votes on the validation rows. The matrices are measured
once and counted for every C. SVC(kernel="rbf"), which `LearnerProblem` uses for a trial, votes row by row and
takes longer.
Cost: kernel values, n_rows * n_rows + n_valid * n_rows. A job holds the largest of its matrices, in 8 bytes a
value: 0.7 GB with 8,192 rows of MNIST, 8.6 GB with 32,768, and up to 2 GB more while a matrix is made.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from time import process_time
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from frugal.benchmarks.measured import Sizes, in_groups
from frugal.interface import Candidate, TrialTask
from frugal.spaces import as_json
from frugal.threads import one_thread
from frugal.trials.lines import JournalPath
from frugal.trials.problems import LearnerProblem

if TYPE_CHECKING:
    from sklearn.svm import SVC

Floats = NDArray[np.float64]
BLOCK: Final = 2**27
"""Kernel values that are computed at a time, 1 GB; more than the matrices of 8,192 rows have."""


def measure_svm(
    problem: LearnerProblem,
    candidates: Sequence[Candidate],
    sizes: Sequence[int],
    n_subsets: Sequence[int],
    journal_path: JournalPath | None = None,
) -> pd.DataFrame:
    """Make the table of `measure` for the learner `svm` on unscaled features, with the same arguments and columns.

    Raises:
        ValueError: as `measure`, or if the problem is of another learner or has a scaler.
    """
    if problem.learner != "svm" or problem.scaler != "none":
        raise ValueError(f"expected svm without a scaler, got {problem.learner} with scaler {problem.scaler!r}")
    return in_groups(problem, candidates, Sizes(sizes, n_subsets), _by_gamma, journal_path)


def _by_gamma(
    problem: LearnerProblem, candidates: list[Candidate], n_rows: int, subset: int
) -> Iterator[dict[str, Any]]:
    rows = problem.rows(TrialTask(0, {}, n_rows, subset))
    X, y = problem.parts.train[0][rows], problem.parts.train[1][rows]
    cost = float(n_rows * (n_rows + len(problem.parts.valid[1])))
    with one_thread():
        _fits(X[:32], y[:32], candidates[:1], 1.0)  # what is loaded and taken at first use counts for no cell
        _kernel(problem.parts.valid[0], X[:32], 1.0)
        for gamma in dict.fromkeys(candidate["gamma"] for candidate in candidates):
            listed = [candidate for candidate in candidates if candidate["gamma"] == gamma]
            cells = _answers(problem, X, y, listed, float(gamma))  # type: ignore[arg-type]
            for candidate, cell in zip(listed, cells, strict=True):
                key = {"candidate": as_json(candidate), "n_rows": n_rows, "subset": subset}
                yield key | {"cost": cost} | cell


def _answers(
    problem: LearnerProblem, X: NDArray[Any], y: NDArray[np.int64], candidates: list[Candidate], gamma: float
) -> list[dict[str, Any]]:
    """Errors, seconds and reasons of candidates with one gamma, at one draw of rows."""
    fitted, fit_s, reasons, matrices_s = _fits(X, y, candidates, gamma)
    started = process_time()
    kernel = _kernel(problem.parts.valid[0], X, gamma)
    matrices_s += process_time() - started
    error, vote_s = _errors(fitted, kernel, problem.parts.valid[1])
    del kernel  # before the next of its size is made
    test_error, _ = _errors(fitted, _kernel(problem.parts.test[0], X, gamma), problem.parts.test[1])
    return [
        {
            "error": error[i],
            "test_error": test_error[i],
            "seconds": matrices_s + fit_s[i] + vote_s[i],
            "reason": reasons[i],
        }
        for i in range(len(candidates))
    ]


def _fits(
    X: NDArray[Any], y: NDArray[np.int64], candidates: list[Candidate], gamma: float
) -> tuple[list[Votes | None], list[float], list[str], float]:
    """Fit candidates: results, seconds and failure reason of each, and the seconds of their kernel matrix."""
    from sklearn.svm import SVC

    started = process_time()
    kernel = _kernel(X, X, gamma)
    kernel_s = process_time() - started
    fitted: list[Votes | None] = []
    seconds, reasons = [], []
    for candidate in candidates:
        started = process_time()
        try:
            hyperparameters = {name: value for name, value in candidate.items() if name != "gamma"}
            fitted.append(Votes(SVC(kernel="precomputed", **hyperparameters).fit(kernel, y)))
            reasons.append("")
        except MemoryError:  # the machine's fault, not the candidate's
            raise
        except Exception as error:  # noqa: BLE001  a failed trial is a row with its reason, whatever was raised
            fitted.append(None)
            reasons.append(f"{type(error).__name__}: {error}")
        seconds.append(process_time() - started)
    return fitted, seconds, reasons, kernel_s


def _errors(fitted: list[Votes | None], kernel: Floats, y: NDArray[np.int64]) -> tuple[list[float], list[float]]:
    errors, seconds = [], []
    for votes in fitted:
        started = process_time()
        errors.append(math.nan if votes is None else float(np.mean(votes.predict(kernel) != y)))
        seconds.append(process_time() - started)
    return errors, seconds


def _kernel(X: NDArray[Any], Y: NDArray[Any], gamma: float) -> Floats:
    """Kernel matrix, shape (n_X, n_Y); pixels are divided by 255, as in `LearnerProblem`.

    A large one is made in blocks of rows, since `rbf_kernel` needs twice the memory of what it returns.
    """
    from sklearn.metrics.pairwise import rbf_kernel

    of_itself = X is Y
    X, Y = (part / 255.0 if part.dtype == np.uint8 else part for part in (X, Y))
    if len(X) * len(Y) <= BLOCK:
        whole: Floats = rbf_kernel(X, Y, gamma=gamma)
        return whole
    kernel = np.empty((len(X), len(Y)))
    n_rows = max(1, BLOCK // len(Y))
    for first in range(0, len(X), n_rows):
        kernel[first : first + n_rows] = rbf_kernel(X[first : first + n_rows], Y, gamma=gamma)
    if of_itself:
        np.fill_diagonal(kernel, 1.0)
    return kernel


class Votes:
    """A fitted SVC on precomputed kernels, stored as weights of the training rows for each pair of classes.

    A pair votes for its first class where its decision is above 0, else for its second; of the classes with the
    most votes the first wins (LIBSVM's `svm_predict_values`).

    Args:
        svc: fitted to n_rows rows of n_classes classes, so n_pairs = n_classes * (n_classes - 1) / 2.
    """

    def __init__(self, svc: SVC) -> None:
        self._classes = svc.classes_
        n_classes = len(self._classes)
        self._pairs = np.array(list(combinations(range(n_classes), 2)))
        self._weights = np.zeros((svc.shape_fit_[0], len(self._pairs)))
        sign = -1.0 if n_classes == 2 else 1.0  # of two classes, scikit-learn turns LIBSVM's signs round
        edges = np.concatenate([[0], np.cumsum(svc.n_support_)])
        spans = [slice(first, last) for first, last in pairwise(edges)]
        for pair, (i, j) in enumerate(self._pairs):
            self._weights[svc.support_[spans[i]], pair] = sign * svc.dual_coef_[j - 1, spans[i]]
            self._weights[svc.support_[spans[j]], pair] = sign * svc.dual_coef_[i, spans[j]]
        self._intercepts = sign * svc.intercept_

    def predict(self, kernel: Floats) -> NDArray[Any]:
        """Predict classes (n,) from kernel values with the training rows (n, n_rows)."""
        wins = kernel @ self._weights + self._intercepts > 0
        n_votes = np.zeros((len(kernel), len(self._classes)), np.int64)
        for (i, j), first_wins in zip(self._pairs, wins.T, strict=True):
            n_votes[:, i] += first_wins
            n_votes[:, j] += ~first_wins
        predicted: NDArray[Any] = self._classes[n_votes.argmax(axis=1)]
        return predicted
