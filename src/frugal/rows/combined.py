"""The bag of little bootstraps with each of the other three ways to train on fewer rows.

Source: document 003 (Damke 2018), section 4, which names the combinations and leaves them to future work. Theirs
are the symbols of `bootstrap`: n rows, s subsamples of b rows each, r resamples of n rows per subsample.

- `blb_osmac`: subsamples drawn by OSMAC's probabilities instead of uniformly.
- `blb_svm`: a k-means SVM as the estimator; with a compression of 1 the plain SVM.
- `blb_dynamic`: the fit on samples of growing size as the estimator, which the document calls problematic.

All of them run in one process.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln
from sklearn.base import clone

from frugal.checks import check_choice, check_number, check_rng, check_whole
from frugal.rows.bags import Bag, Statistic, bag, gather, interval_widths
from frugal.rows.bootstrap import blb
from frugal.rows.checks import SEPARATED, check_features, check_names, check_targets, names_of
from frugal.rows.reduced_svm import ReducedSVM
from frugal.rows.resamples import Array, Estimator, Ints, Outcome, Rows, fit_counts
from frugal.rows.sample_size import HESSIAN_SHARE, checked_classes, fit_dynamic_sample
from frugal.rows.sampling import METHODS, WITHOUT_PILOT, checked, fit_pilot, probabilities_of
from frugal.rows.subsamples import check_functions, check_sizes, seed_of
from frugal.rows.traces import Fit


@dataclass(frozen=True, eq=False)
class OsmacBag:
    """A bag of little bootstraps whose subsamples were drawn by a pilot's probabilities.

    Attributes:
        bag: coefficients, quality and distinct rows per fit.
        drawn_by: the method, or `uniform` if its pilots failed.
        n_drawn: rows drawn by the pilots.
        n_scored: rows whose features were read to make probabilities.

    Examples:
        >>> import numpy as np
        >>> from frugal import rows
        >>> rng = np.random.default_rng(0)
        >>> X = np.column_stack([np.ones(2000), rng.normal(size=2000)])
        >>> y = (rng.random(2000) < 1 / (1 + np.exp(-X @ [-1.0, 1.0]))).astype(int)
        >>> how = {"fit": rows.fit_logistic, "statistic": rows.interval_widths, "rng": rng}
        >>> bag = rows.blb_osmac(X, y, b=400, s=1, r=5, pilot_size=200, **how)
        >>> bag.drawn_by, bag.n_drawn, bag.bag.coef.shape
        ('osmac_mvc', 200, (2,))
    """

    bag: Bag
    drawn_by: str
    n_drawn: int
    n_scored: int

    @property
    def rows_touched(self) -> int:
        """Distinct rows per fit, summed, and what the pilot drew and scored."""
        return self.bag.rows_touched + self.n_drawn + self.n_scored


def blb_osmac(
    X: ArrayLike,
    y: ArrayLike,
    *,
    b: int,
    s: int,
    r: int,
    pilot_size: int,
    fit: Estimator,
    statistic: Statistic,
    rng: Generator,
    method: str = "osmac_mvc",
) -> OsmacBag:
    """Bag of little bootstraps whose subsamples are drawn by the probabilities pi_i of `sampling_probabilities`.

    One pilot serves all subsamples. Each draws b rows with replacement, and is an estimate of the distribution of
    all rows once a row j drawn m_j times has the mass

        q_j = (m_j / pi_j) / sum_k (m_k / pi_k),

    since the mean of `m_j f(x_j) / (n b pi_j)` over draws is that of f over all rows, whatever f is. A resample is
    n rows drawn from q, as plain BLB draws them from 1 / b, and is fitted with its counts. So the coefficients
    estimate those of the fit to all rows, and the widths its widths. Uniform counts c_j fitted with weights
    c_j / pi_j would have the coefficients right but not the widths: these would be of n draws by pi_i.

    Args:
        X: rows, shape (n, d); a model with an intercept has a column of ones.
        y: labels, 0 or 1, shape (n,).
        b: draws per subsample, from 2 to n.
        s: number of subsamples.
        r: number of resamples per subsample, at least 2.
        pilot_size: rows of the pilot, drawn by `cc` and weighted; tried twice, then all is drawn uniformly, with a
            RuntimeWarning.
        fit: `fit(X, y, weights) -> coefficients (d,)`; weights are counts that sum to n.
        statistic: `statistic(estimates (k, d)) -> quality`, of any shape, such as `interval_widths`.
        rng: generator of all random draws.
        method: `uniform`, `cc`, `lcc`, `osmac_mvc` or `osmac_mmse`.

    Raises:
        TypeError: if `fit` or `statistic` is no function, such as a scikit-learn estimator.
        ValueError: on an argument out of range, labels other than 0 and 1, or if no subsample has two fits that
            succeed.

    Examples:
        >>> import numpy as np
        >>> from frugal import rows
        >>> rng = np.random.default_rng(0)
        >>> X = np.column_stack([np.ones(5000), rng.normal(size=5000)])
        >>> y = (rng.random(5000) < 1 / (1 + np.exp(-X @ [-1.0, 1.0]))).astype(int)
        >>> sizes = {"b": 500, "s": 2, "r": 10, "pilot_size": 200}
        >>> bag = rows.blb_osmac(X, y, fit=rows.fit_logistic, statistic=rows.interval_widths, rng=rng, **sizes)
        >>> bool(np.abs(bag.bag.coef - [-1.0, 1.0]).max() < 0.4)
        True
    """
    X, y = checked(X, y)
    rows = Rows.from_arrays(X, y.astype(np.int64))
    check_choice("method", method, METHODS)
    check_sizes(b, r, len(rows), rows.classes)
    check_whole("s", s, 1)
    check_whole("pilot_size", pilot_size, 1)
    check_functions(fit, statistic)
    generator = np.random.default_rng(seed_of(rng))
    probabilities, drawn_by, n_drawn = _probabilities(X, y, method, pilot_size, generator)
    parts = [
        gather(_weighted_resamples(rows, probabilities, b, r, fit, generator), statistic, None) for _ in range(s)
    ]
    bagged = bag(parts, n=len(rows), b=b)
    return OsmacBag(bagged, drawn_by, n_drawn, 0 if drawn_by in WITHOUT_PILOT else len(rows))


def _probabilities(X: Array, y: Array, method: str, size: int, rng: Generator) -> tuple[Array, str, int]:
    """Return the probability of each row, (n,), the name of the method used, and the rows drawn by pilots."""
    if method in WITHOUT_PILOT:
        return probabilities_of(X, y, method), method, 0
    pilot = fit_pilot(X, y, "cc", size, rng)
    if pilot.fit is None:
        reasons = "; ".join(map(str, pilot.errors))
        warnings.warn(f"both pilots failed, so rows were drawn uniformly: {reasons}", RuntimeWarning, stacklevel=3)
        return probabilities_of(X, y, "uniform"), "uniform", pilot.n_drawn
    return probabilities_of(X, y, method, pilot.fit.coef, pilot.fit.information), method, pilot.n_drawn


def _weighted_resamples(
    rows: Rows, probabilities: Array, b: int, r: int, fit: Estimator, rng: Generator
) -> Iterator[Outcome]:
    """Fits to resamples of one subsample."""
    drawn, often = np.unique(rng.choice(len(rows), b, p=probabilities), return_counts=True)
    mass = often / probabilities[drawn]
    subsample = rows.take(drawn)
    for _ in range(r):
        yield fit_counts(fit, subsample, rng.multinomial(len(rows), mass / mass.sum()), None)


def blb_svm(
    X: ArrayLike,
    y: ArrayLike,
    queries: ArrayLike,
    *,
    b: int,
    s: int,
    r: int,
    svm: ReducedSVM,
    rng: Generator,
    statistic: Statistic = interval_widths,
) -> Bag:
    """Bag of little bootstraps of a k-means SVM, two classes, by its decision values at given points.

    The document combines hypotheses by a "model specific combination function". A kernel SVM has no coefficients
    that two fits share, so that decision values are averaged; with a linear kernel that is the same as averaging
    the coefficients. `coef` of the result are the averaged values, whose sign is the predicted class, and
    `statistic` is the quality of each.

    Counts are the weights of rows, and sum to n: with `WKMSVM` the total penalty is that of the SVM on n rows.
    `KMSVM` gives each centre the weight 1, and `SVMKM` mixes such centres with rows of their own weight. The
    clusters of a class are counted by weight too, so that `svm.compression` R is multiplied by n / b: a subsample
    has b / R centres, where R itself would leave every row a cluster.

    Args:
        X: rows, shape (n, d).
        y: labels of two classes, shape (n,).
        queries: points, shape (n_queries, d).
        b: rows of a subsample.
        s: number of subsamples.
        r: number of resamples per subsample, at least 2.
        svm: a `SVMKM`, `KMSVM` or `WKMSVM`, not changed; without a `random_state` it gets one from `rng`.
        rng: generator of all random draws.
        statistic: quality of decision values, shape (k, n_queries).

    Raises:
        TypeError: if `svm` is none of these.
        ValueError: as `blb`, on more than two classes, on queries with other columns or in another order, or if
            no subsample has two fits that succeed.

    Examples:
        >>> import numpy as np
        >>> from frugal import rows
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(300, 2))
        >>> y = (X[:, 0] > 0).astype(int)
        >>> svm = rows.KMSVM(compression=10, kernel="linear", random_state=0)
        >>> bag = rows.blb_svm(X, y, [[-1.0, 0.0], [1.0, 0.0]], b=100, s=2, r=2, svm=svm, rng=rng)
        >>> np.sign(bag.coef).tolist()
        [-1.0, 1.0]
    """
    if not isinstance(svm, ReducedSVM):
        raise TypeError(f"svm must be a SVMKM, KMSVM or WKMSVM, got a {type(svm).__name__}")
    check_number("compression", svm.compression, 1)
    check_names("queries", names_of(queries), names_of(X))
    features = check_features(X)
    labels = check_targets(y, len(features))
    if len(found := np.unique(labels)) != 2:
        raise ValueError(f"y must hold two classes, got {len(found)}")
    check_whole("b", b, 1)
    check_rng(rng)
    points = np.asarray(check_features(queries), dtype=float)
    compression = svm.compression if svm.compression == 1 else svm.compression * len(labels) / b
    scaled = clone(svm).set_params(compression=compression)
    if svm.random_state is None:
        scaled.set_params(random_state=int(rng.integers(2**31)))

    def decide(rows: NDArray[Any], labels: NDArray[Any], weights: Array) -> Array:
        fitted: ReducedSVM = clone(scaled).fit(rows, labels, weights)
        return fitted.decision_function(points)

    return blb(features, labels, b=b, s=s, r=r, fit=decide, statistic=statistic, rng=rng)


def distinct_accessed(fit: Fit, counts: ArrayLike, hessian_share: float = HESSIAN_SHARE) -> float:
    """Return the rows accessed by a fit to repeated rows; repeats of a row within a sample count once.

    A fit does not store which rows its samples had. So each sample counts with the expected number of its distinct
    rows. For a sample of m of the n repeated rows, of which c_j are row j, this number is

        sum_j 1 - C(n - c_j, m) / C(n, m).

    If m = n, it is the number of all distinct rows. Samples of different steps count separately.

    Args:
        fit: result of `fit_dynamic_sample` on the repeated rows.
        counts: c_j, how often each row occurs, at least 0, shape (n_rows,).
        hessian_share: the argument `hessian_share` of the fit.
    """
    often, n_rows = np.unique(np.asarray(counts, dtype=np.int64), return_counts=True)
    n = int(often @ n_rows)

    def distinct(m: int) -> float:
        can_miss = often <= n - m  # the row may be left out
        c = often[can_miss]
        logs = gammaln(n - c + 1) - gammaln(n - c - m + 1) - gammaln(n + 1) + gammaln(n - m + 1)
        return float(n_rows.sum() - n_rows[can_miss] @ np.exp(logs))

    trace = fit.trace
    parts = np.ceil(hessian_share * trace.size).astype(np.int64)
    readings = (np.diff(trace.points, prepend=0) - trace.n_products * parts) / trace.size
    expected = {m: distinct(m) for m in {*trace.size.tolist(), *parts.tolist()}}
    return float(
        sum(
            k * expected[m] + products * expected[part]
            for k, m, products, part in zip(
                readings.tolist(), trace.size.tolist(), trace.n_products.tolist(), parts.tolist(), strict=True
            )
        )
    )


@dataclass(frozen=True, eq=False)
class DynamicBag:
    """A bag of little bootstraps of fits on samples of growing size.

    Attributes:
        bag: coefficients and quality.
        fits: every fit with its trace, in order: subsample by subsample; also those left out of `bag`, whose
            classes a hyperplane separates strictly: see `Fit.status`. A resample that lacks a class, or whose fit
            raises, has none.
        counts: for each fit, how often its resample has each row that it holds, shape (n_distinct,).
        hessian_share: the argument of the fits.

    Examples:
        >>> import numpy as np
        >>> from frugal import rows
        >>> rng = np.random.default_rng(0)
        >>> X = np.column_stack([np.ones(2000), rng.normal(size=2000)])
        >>> y = (rng.random(2000) < 1 / (1 + np.exp(-X @ [-1.0, 1.0]))).astype(int)
        >>> bag = rows.blb_dynamic(X, y, b=400, s=1, r=2, rng=rng, theta=0.5, initial_size=50)
        >>> len(bag.fits), bag.rows_accessed > bag.distinct_accessed > 0
        (2, True)
    """

    bag: Bag
    fits: tuple[Fit, ...]
    counts: tuple[Ints, ...]
    hessian_share: float

    @property
    def rows_accessed(self) -> int:
        """Rows accessed by all fits; a row counts once per access, and once per repeat in its sample."""
        return sum(fit.n_points for fit in self.fits)

    @property
    def distinct_accessed(self) -> float:
        """`rows_accessed` with the distinct rows of each sample, by `distinct_accessed`."""
        pairs = zip(self.fits, self.counts, strict=True)
        return sum(distinct_accessed(fit, counts, self.hessian_share) for fit, counts in pairs)

    @property
    def largest(self) -> Ints:
        """Rows of the largest sample of each fit, repeats of a row included, shape (n_fits,)."""
        return np.array([fit.trace.size.max() for fit in self.fits])


def blb_dynamic(
    X: ArrayLike,
    y: ArrayLike,
    *,
    b: int,
    s: int,
    r: int,
    rng: Generator,
    statistic: Statistic = interval_widths,
    **settings: Any,
) -> DynamicBag:
    """Bag of little bootstraps of `fit_dynamic_sample`.

    That method draws samples from its rows and has no use for counts, so that each resample is written out: n
    rows, at most b of them distinct, which gives up BLB's memory of O(b). Equation 13 takes them for n independent
    ones.

    Args:
        X: features, shape (n, d).
        y: class labels, shape (n,): integers, booleans or strings.
        b: rows of a subsample.
        s: number of subsamples.
        r: number of resamples per subsample, at least 2.
        rng: generator of all random draws.
        statistic: quality of coefficients, shape (k, d (C - 1)): log-odds of each class but the first against the
            first, class by class.
        **settings: settings of `fit_dynamic_sample` but `classes`: theta, initial_size, ridge, ...

    Raises:
        ValueError: as `blb` and `fit_dynamic_sample`.

    Examples:
        >>> import numpy as np
        >>> from frugal import rows
        >>> rng = np.random.default_rng(0)
        >>> X = np.column_stack([np.ones(5000), rng.normal(size=5000)])
        >>> y = (rng.random(5000) < 1 / (1 + np.exp(-X @ [-1.0, 1.0]))).astype(int)
        >>> bag = rows.blb_dynamic(X, y, b=500, s=1, r=2, rng=rng, theta=0.5, initial_size=50)
        >>> bool(np.abs(bag.bag.coef - [-1.0, 1.0]).max() < 0.4)
        True
    """
    generator = np.random.default_rng(seed_of(rng))
    features, codes, classes = checked_classes(X, y, None)
    fits, counts = list[Fit](), list[Ints]()

    def fit(rows: NDArray[Any], labels: NDArray[Any], weights: Array) -> Array:
        often = weights.astype(np.int64)
        every = np.repeat(np.arange(len(rows)), often)
        named = classes[labels[every]]
        fits.append(fit_dynamic_sample(rows[every], named, classes=classes, rng=generator, **settings))
        counts.append(often)
        if fits[-1].status == "separated":
            raise ValueError(SEPARATED)
        coef = fits[-1].coef
        return (coef[:, 1:] - coef[:, :1]).ravel(order="F")

    bagged = blb(features, codes, b=b, s=s, r=r, fit=fit, statistic=statistic, rng=rng)
    return DynamicBag(bagged, tuple(fits), tuple(counts), settings.get("hessian_share", HESSIAN_SHARE))
