"""The k-means SVMs as learners, so that searches can tune them by name.

Their spaces are ours: C and gamma as they are usually searched on scaled features, and document 003's
compressions, 1 to 10 (section 3.4).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from frugal.interface import Candidate
from frugal.learners import Learner
from frugal.spaces import Choice, SearchSpace, Uniform

if TYPE_CHECKING:
    from frugal.rows.reduced_svm import ReducedSVM

CS: Final = tuple(2.0**i for i in range(-2, 9, 2))
GAMMAS: Final = tuple(2.0**i for i in range(-8, 3, 2))
COMPRESSIONS: Final = (1.0, 3.0, 5.0, 10.0)
"""Compressions of Figure 12."""
SPACES: Final = {
    "grid": SearchSpace({"C": Choice(CS), "gamma": Choice(GAMMAS), "compression": Choice(COMPRESSIONS)}),
    "ranges": SearchSpace(
        {
            "C": Uniform(CS[0], CS[-1], "log"),
            "gamma": Uniform(GAMMAS[0], GAMMAS[-1], "log"),
            "compression": Uniform(COMPRESSIONS[0], COMPRESSIONS[-1], "log"),
        }
    ),
}
"""Spaces by name, the same for all three; the kernel is radial, on scaled features."""
METHODS: Final = {"svm_km": "SVMKM", "km_svm": "KMSVM", "wkm_svm": "WKMSVM"}
"""Learner -> its class in `frugal.rows`."""


def make(name: str, **parameters: Any) -> ReducedSVM:
    """An unfitted k-means SVM.

    Args:
        name: one of `METHODS`.
        **parameters: parameters of `ReducedSVM`.

    Raises:
        TypeError: on an unknown parameter.
    """
    from frugal.rows import kmeans_svm

    machine: ReducedSVM = getattr(kmeans_svm, METHODS[name])(**parameters)
    return machine


def _make(name: str, candidate: Candidate, seed: int) -> ReducedSVM:
    return make(name, **candidate, random_state=seed)


LEARNERS: Final = tuple(Learner(name, SPACES, make=partial(_make, name)) for name in METHODS)
