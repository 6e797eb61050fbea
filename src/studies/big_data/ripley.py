"""Ripley's synthetic two-class problem, simulated, and the linear SVMs that Figure 11 draws on it.

The document names no data set under Figure 11. The cluster sizes printed in its picture add up to 125 rows per
class, and its axes are those of Ripley's synthetic training set: each class an equal mixture of two round normals
of variance 0.03. All methods share the rows of a seed, and KM-SVM and WKM-SVM the clusters.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from frugal.seeds import rng_for, seed_for
from studies.estimates import Array

if TYPE_CHECKING:
    from frugal.rows.reduced_svm import ReducedSVM

CENTRES: Final = (((-0.7, 0.3), (0.3, 0.3)), ((-0.3, 0.7), (0.4, 0.7)))
"""Of the two normals of class 0, then of class 1."""
VARIANCE: Final = 0.03
N_PER_CLASS, COMPRESSION, C = 125, 5.0, 1.0
"""The first two as counted in Figure 11's picture; C is unstated, 1 being what SVM libraries start from."""
PICTURED_SLOPES: Final[Mapping[str, float]] = {"full": -0.17, "km_svm": -0.40, "wkm_svm": -0.21}
"""Slopes of the lines in Figure 11, read off its picture to about 0.01."""


class Line(NamedTuple):
    """A linear SVM's boundary in the plane: x2 = intercept + slope * x1.

    Attributes:
        normal: unit vector towards class 1, shape (2,).
        slope: of the line.
        intercept: where it meets x1 = 0.
        margin: half the distance between the margins' lines.
    """

    normal: Array
    slope: float
    intercept: float
    margin: float


def simulate(n_per_class: int, rng: np.random.Generator) -> tuple[Array, NDArray[np.int64]]:
    """Features, shape (2 * n_per_class, 2), and labels 0 and 1, class 0 first."""
    y = np.repeat([0, 1], n_per_class)
    means = np.array(CENTRES)[y, rng.integers(0, 2, len(y))]
    return means + np.sqrt(VARIANCE) * rng.standard_normal((len(y), 2)), y


def sample(seed: int, n_per_class: int = N_PER_CLASS) -> tuple[Array, NDArray[np.int64]]:
    """The rows of one seed, of Figure 11 and of the boundaries."""
    return simulate(n_per_class, rng_for("boundaries", "ripley", seed))


def fit(
    method: str,
    X: Array,
    y: NDArray[np.int64],
    seed: int,
    *,
    compression: float = COMPRESSION,
    C: float = C,
    n_init: int = 3,
) -> ReducedSVM:
    """A linear SVM on the rows of a seed; `full` is the plain one, whatever the compression."""
    from frugal.rows.learners import make

    name, ratio = ("km_svm", 1.0) if method == "full" else (method, compression)
    clusters = seed_for("boundaries", "clusters", seed)
    settings: dict[str, Any] = {"kernel": "linear", "C": C, "n_init": n_init, "random_state": clusters}
    return make(name, compression=ratio, **settings).fit(X, y)


def line_of(svm: ReducedSVM) -> Line:
    """The boundary of a fitted linear SVM in the plane."""
    (w,), (b,) = svm.svc_.coef_, svm.svc_.intercept_
    length = float(np.linalg.norm(w))
    return Line(w / length, float(-w[0] / w[1]), float(-b / w[1]), 1.0 / length)


def angle_deg(first: Line, second: Line) -> float:
    """Angle between two normals, 0 to 180 degrees; above 90 the classes change sides."""
    (a, b), (c, d) = first.normal, second.normal
    return float(np.degrees(np.arctan2(abs(a * d - b * c), a * c + b * d)))  # exact where an arc cosine is not


def pictured_angle_deg(method: str) -> float:
    """Angle in Figure 11's picture between a method's line and the full SVM's."""
    full, reduced = (float(np.degrees(np.arctan(PICTURED_SLOPES[name]))) for name in ("full", method))
    return abs(reduced - full)
