"""Support vector machine with a radial kernel, k(x, x') = exp(-gamma |x - x'|^2), one vote per pair of classes.

The learner `svm`. Spaces: `ranges`, ln C and ln gamma each spread evenly in [-10, 10], HPOlib's SVM benchmark,
which Klein et al. (2017), "Fast Bayesian optimization of machine learning hyperparameters on large datasets", run
on MNIST; `grid`, 20 x 20 evenly spaced points of it, as they have; `hypertune`, document 004's, exponents of C and
gamma in [-3, 3], of base 10, which it does not say. Signs: +1 for both, as in document 004, whatever the space.
Cost of a trial: its rows.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from frugal.interface import Candidate
from frugal.learners.registry import Learner
from frugal.spaces import Ordinal, SearchSpace, Uniform

if TYPE_CHECKING:
    from sklearn.svm import SVC

LOG_BOUND: Final = 10.0
"""Largest absolute value of ln C and ln gamma."""
_NUMBER: Final = Uniform(math.exp(-LOG_BOUND), math.exp(LOG_BOUND), "log")
_LISTED: Final = Ordinal(tuple(_NUMBER.from_unit(float(u)) for u in np.linspace(0, 1, 20)))
_HYPERTUNE: Final = Uniform(1e-3, 1e3, "log")
_SIGNS: Final = {"C": 1, "gamma": 1}
SPACES: Final = {
    "ranges": SearchSpace({"C": _NUMBER, "gamma": _NUMBER}, signs=_SIGNS),
    "grid": SearchSpace({"C": _LISTED, "gamma": _LISTED}, signs=_SIGNS),
    "hypertune": SearchSpace({"C": _HYPERTUNE, "gamma": _HYPERTUNE}, signs=_SIGNS),
}


def _make(candidate: Candidate, seed: int) -> SVC:
    from sklearn.svm import SVC

    return SVC(**candidate)  # draws nothing at random


LEARNERS: Final = (Learner("svm", SPACES, make=_make),)
