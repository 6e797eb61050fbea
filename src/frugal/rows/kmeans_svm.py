"""Support vector machines on cluster centres instead of rows: SVM-KM, KM-SVM and WKM-SVM.

Source: document 003 (Damke 2018), section 3.4, after Almeida, Braga and Braga (2000), "SVM-KM: speeding SVMs
learning with a priori cluster selection and k-means", Lee et al. (2007), "Support vector machine using K-means
clustering", and Bang and Jhun (2014), "Weighted support vector machine using k-means clustering". With compression
R, n rows are put into about n / R clusters by k-means:

- `SVMKM` clusters all rows, whatever their labels. A cluster with rows of one class is replaced by its centre, any
  other keeps its rows, so that the number of points left is not known beforehand.
- `KMSVM` clusters each class by itself and trains on the centres alone.
- `WKMSVM` does the same, and multiplies the penalty C of each centre by the size of its cluster.

Where the document is silent: a class of n_c rows, counted by weight, gets `max(1, round(n_c / R))` clusters; R = 1
is the plain SVM; sizes are not divided by their mean, so that the total penalty is that of the plain SVM; a centre
of SVM-KM weighs as much as a row.

k-means is sensitive to units: scale the features first, by the training rows alone.
"""

from __future__ import annotations

import numpy as np

from frugal.rows.reduced_svm import Floats, Indices, Left, ReducedSVM, merge


class SVMKM(ReducedSVM):
    """SVM-KM: clusters of one class become their centre, the others keep their rows.

    Parameters and attributes are those of `ReducedSVM`.

    Examples:
        >>> from sklearn.datasets import load_iris
        >>> from frugal.rows import SVMKM
        >>> X, y = load_iris(return_X_y=True)
        >>> model = SVMKM(compression=10, random_state=0).fit(X, y)
        >>> len(model.reduced_.X) < 150, model.score(X, y) > 0.9
        (True, True)
    """

    def _reduce(self, X: Floats, codes: Indices, weights: Floats, seed: int) -> Left:
        points, point_of, totals = merge(X, weights)  # rows that differ in their label alone are one point
        labels = np.unique(self._cluster(points, totals, seed)[point_of], return_inverse=True)[1]
        lowest, highest = np.full(labels.max() + 1, codes.max()), np.zeros(labels.max() + 1, dtype=np.intp)
        np.minimum.at(lowest, labels, codes)
        np.maximum.at(highest, labels, codes)
        pure = (lowest == highest)[labels]
        centres, sizes = _centres(X[pure], weights[pure], labels[pure])
        return (
            np.vstack([centres, X[~pure]]),
            np.concatenate([lowest[lowest == highest], codes[~pure]]),
            np.concatenate([np.ones(len(centres)), weights[~pure]]),
            np.concatenate([sizes, weights[~pure]]),
        )


class KMSVM(ReducedSVM):
    """KM-SVM: each class is clustered by itself, and its centres replace it.

    Parameters and attributes are those of `ReducedSVM`.

    Examples:
        >>> from sklearn.datasets import load_iris
        >>> from frugal.rows import KMSVM
        >>> X, y = load_iris(return_X_y=True)
        >>> model = KMSVM(compression=10, random_state=0).fit(X, y)
        >>> len(model.reduced_.X), model.score(X, y) > 0.9
        (15, True)
    """

    def _reduce(self, X: Floats, codes: Indices, weights: Floats, seed: int) -> Left:
        # Every class is clustered from the same seed, so that swapping two labels swaps the predictions.
        rows = [np.flatnonzero(codes == code) for code in range(codes.max() + 1)]
        parts = [
            _centres(X[members], weights[members], self._cluster(X[members], weights[members], seed))
            for members in rows
        ]
        centres = np.vstack([centres for centres, _ in parts])
        numbers = np.repeat(np.arange(len(parts)), [len(centres) for centres, _ in parts])
        return centres, numbers, np.ones(len(centres)), np.concatenate([sizes for _, sizes in parts])


class WKMSVM(KMSVM):
    """WKM-SVM: as KM-SVM, with the penalty of each centre multiplied by the size of its cluster.

    Parameters and attributes are those of `ReducedSVM`.

    Examples:
        >>> from sklearn.datasets import load_iris
        >>> from frugal.rows import WKMSVM
        >>> X, y = load_iris(return_X_y=True)
        >>> model = WKMSVM(compression=10, random_state=0).fit(X, y)
        >>> model.reduced_.weights.sum().item(), model.score(X, y) > 0.9
        (150.0, True)
    """

    def _reduce(self, X: Floats, codes: Indices, weights: Floats, seed: int) -> Left:
        centres, numbers, _, sizes = super()._reduce(X, codes, weights, seed)
        return centres, numbers, sizes, sizes


def _centres(X: Floats, weights: Floats, labels: Indices) -> tuple[Floats, Floats]:
    """Means and total weights of the clusters that have rows, in the order of their labels."""
    labels = np.unique(labels, return_inverse=True)[1]
    sizes = np.bincount(labels, weights).astype(float)
    sums = [np.bincount(labels, weights * column) for column in X.T]
    return np.column_stack(sums) / sizes[:, None], sizes
