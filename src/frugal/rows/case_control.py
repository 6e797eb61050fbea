"""Logistic regression on a subsample: uniform, case-control (CC), local case-control (LCC) and OSMAC.

Source: document 003 (Damke 2018), section 3.3; the probabilities are in `sampling`. Differs from the document:

- The document fits every subsample as if its rows were drawn uniformly, which is biased. `correction` names the
  remedy. For LCC, the pilot is added to the coefficients (Fithian and Hastie 2014, "Local case-control sampling",
  Annals of Statistics 42). For OSMAC, rows are weighted (Wang, Zhu and Ma 2018). For CC, log(N_1 / N_0) is added
  to the intercept, with N_1 and N_0 the rows of label 1 and 0. Here it is an offset, which also serves a model
  without an intercept. The bias of CC in Figure 9 is what then remains if the model is wrong.
- Rows are drawn with replacement throughout, also by CC.
- The pilot is drawn by CC and weighted. The document's uniform one (`pilot="uniform"`) often lacks a class or is
  separated where one class is rare.
- The document does not say what r counts. Here uniform and CC have `pilot_size + size` rows and OSMAC fits both
  its steps together, so that their totals agree; LCC fits its second step alone. This gives Figure 10's values.

"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from frugal.checks import check_choice, check_rng, check_whole
from frugal.rows.sampling import METHODS, WITHOUT_PILOT, Draw, Pilot, checked, draw, draw_by_pilot, fit_pilot
from frugal.rows.weighted_logistic import Floats, LogisticFit, fit_weighted

CORRECTIONS: Final = {
    "offset": "the log-odds of a drawn row are shifted by a known amount, log(pi(x, 1) / pi(x, 0))",
    "weights": "a row weighs 1 / pi, with the pi of its own step",
    "none": "fitted as if drawn uniformly, as the document prints it",
}
DEFAULT_CORRECTION: Final = {
    "uniform": "none",
    "cc": "offset",
    "lcc": "offset",
    "osmac_mvc": "weights",
    "osmac_mmse": "weights",
}


@dataclass(frozen=True, eq=False)
class SubsampleFit:
    """A fit on a subsample, with its draws and warnings.

    Attributes:
        coef: shape (d,).
        covariance: sandwich covariance of `coef`, shape (d, d), of the drawing alone: it measures the distance to
            what the estimator would give on ever more draws from these rows, not to what generated them.
        n_steps: Newton steps of the fit.
        drawn_by: the method, or `uniform` if its pilots failed.
        correction: key of `CORRECTIONS`.
        rows: indices of the fitted rows, repeats included, shape (n_fitted,).
        weights: weights of the fitted rows, shape (n_fitted,); 1 unless `correction` is `weights`.
        offsets: offsets of the fitted rows, shape (n_fitted,); 0 unless `correction` is `offset`.
        pilot: fit of the pilot; None if there was none, or both attempts failed.
        pilot_failures: `FitError.reason` of each failed pilot.
        n_drawn: rows drawn in all, failed pilots included.
        n_scored: rows whose features were read to make probabilities: N after a pilot, else 0.
        warnings: one sentence for each failed pilot, and one if the method was given up.

    Examples:
        >>> import numpy as np
        >>> from frugal import rows
        >>> rng = np.random.default_rng(0)
        >>> X = np.column_stack([np.ones(5000), rng.normal(size=5000)])
        >>> y = (rng.random(5000) < 1 / (1 + np.exp(-X @ [-1.0, 1.0]))).astype(int)
        >>> fit = rows.fit_subsample(X, y, method="osmac_mvc", pilot_size=200, size=800, rng=rng)
        >>> fit.correction, fit.rows_touched, fit.standard_errors.shape
        ('weights', 6000, (2,))
    """

    coef: Floats
    covariance: Floats
    n_steps: int
    drawn_by: str
    correction: str
    rows: NDArray[np.intp]
    weights: Floats
    offsets: Floats
    pilot: LogisticFit | None
    pilot_failures: tuple[str, ...]
    n_drawn: int
    n_scored: int
    warnings: tuple[str, ...]

    @property
    def standard_errors(self) -> Floats:
        """Square roots of the diagonal of the covariance, shape (d,)."""
        return np.sqrt(np.diag(self.covariance))

    @property
    def rows_touched(self) -> int:
        """Rows drawn plus rows scored: a machine-independent cost."""
        return self.n_drawn + self.n_scored


def subsample_logistic(
    X: ArrayLike, y: ArrayLike, *, method: str, pilot_size: int, size: int, rng: Generator
) -> Floats:
    """The coefficients of `fit_subsample`, shape (d,). Each problem of its pilots is a `UserWarning`.

    Args:
        X: rows, shape (N, d); a model with an intercept has a column of ones.
        y: labels, 0 or 1, shape (N,).
        method: `uniform`, `cc`, `lcc`, `osmac_mvc` or `osmac_mmse`.
        pilot_size: rows of the pilot, r_0.
        size: rows of the second step, r.
        rng: draws the rows.

    Raises:
        ValueError: as `fit_subsample`.

    Examples:
        >>> import numpy as np
        >>> from frugal import rows
        >>> rng = np.random.default_rng(0)
        >>> X = np.column_stack([np.ones(5000), rng.normal(size=5000)])
        >>> y = (rng.random(5000) < 1 / (1 + np.exp(-X @ [-1.0, 1.0]))).astype(int)
        >>> coef = rows.subsample_logistic(X, y, method="osmac_mvc", pilot_size=200, size=800, rng=rng)
        >>> bool(np.abs(coef - [-1.0, 1.0]).max() < 0.4)
        True
    """
    fit = fit_subsample(X, y, method=method, pilot_size=pilot_size, size=size, rng=rng)
    for sentence in fit.warnings:
        warnings.warn(sentence, stacklevel=2)
    return fit.coef


def fit_subsample(
    X: ArrayLike,
    y: ArrayLike,
    *,
    method: str,
    pilot_size: int,
    size: int,
    rng: Generator,
    correction: str | None = None,
    pilot: str = "cc",
) -> SubsampleFit:
    """Draw a subsample and fit it; the result also has what is needed to judge the fit.

    A pilot without an estimate is drawn once more, with twice the rows. If that one fails too, `pilot_size + size`
    rows are drawn uniformly instead. `warnings` reports both.

    Args:
        X: rows, shape (N, d); a model with an intercept has a column of ones.
        y: labels, 0 or 1, shape (N,).
        method: `uniform`, `cc`, `lcc`, `osmac_mvc` or `osmac_mmse`.
        pilot_size: rows of the pilot, r_0; may be 0 for `uniform` and `cc`, which only add it to `size`.
        size: rows of the second step, r.
        rng: draws the rows.
        correction: `offset`, `weights` or `none`. None: `none` for `uniform`, `offset` for `cc` and `lcc`,
            `weights` for OSMAC.
        pilot: method that draws the pilot, `uniform` or `cc`; the pilot is always weighted.

    Raises:
        FitError: a ValueError, if the rows to be fitted lack a class, are separated or have dependent columns.
        ValueError: on an unknown name, a size out of range, arrays that do not fit together, labels other than 0
            and 1, or one of these alone.

    Examples:
        >>> import numpy as np
        >>> from frugal import rows
        >>> rng = np.random.default_rng(0)
        >>> X = np.column_stack([np.ones(5000), rng.normal(size=5000)])
        >>> y = (rng.random(5000) < 1 / (1 + np.exp(-X @ [-1.0, 1.0]))).astype(int)
        >>> fit = rows.fit_subsample(X, y, method="osmac_mvc", pilot_size=200, size=800, rng=rng)
        >>> bool(np.abs(fit.coef - [-1.0, 1.0]).max() < 0.4)
        True
    """
    X, y = checked(X, y)
    check_choice("method", method, METHODS)
    check_choice("pilot", pilot, WITHOUT_PILOT)
    correction = DEFAULT_CORRECTION[method] if correction is None else correction
    check_choice("correction", correction, CORRECTIONS)
    check_whole("size", size, 1)
    check_whole("pilot_size", pilot_size, 0 if method in WITHOUT_PILOT else 1)
    check_rng(rng)
    if method in WITHOUT_PILOT:
        drawn = draw(X, y, method, pilot_size + size, rng)
        return _fit(X, y, [drawn], correction, drawn_by=method, pilot=None)
    first = fit_pilot(X, y, pilot, pilot_size, rng)
    if first.fit is None:
        drawn = draw(X, y, "uniform", pilot_size + size, rng)
        return _fit(X, y, [drawn], correction, drawn_by="uniform", pilot=first)
    second = draw_by_pilot(X, y, method, size, rng, coef=first.fit.coef, information=first.fit.information)
    draws = [second] if method == "lcc" else [first.draw, second]
    return _fit(X, y, draws, correction, drawn_by=method, pilot=first)


def _fit(
    X: Floats, y: Floats, draws: Sequence[Draw], correction: str, *, drawn_by: str, pilot: Pilot | None
) -> SubsampleFit:
    """Fit the rows of all steps together."""
    rows = np.concatenate([step.rows for step in draws])
    weights, offsets = np.ones(len(rows)), np.zeros(len(rows))
    if correction == "weights":
        weights = 1.0 / np.concatenate([step.probabilities for step in draws])
    elif correction == "offset":
        offsets = np.concatenate([step.shift for step in draws])
    errors = () if pilot is None else pilot.errors
    failed = pilot is not None and pilot.fit is None
    sample = f"the {drawn_by} subsample of {len(rows)} rows{', drawn since both pilots failed,' * failed}"
    start = np.zeros(X.shape[1]) if pilot is None or pilot.fit is None else pilot.fit.coef
    fit = fit_weighted(X[rows], y[rows], weights=weights, offsets=offsets, start=start, sample=sample)
    sentences = [*map(str, errors), *[f"both pilots failed, so {len(rows)} rows were drawn uniformly"] * failed]
    return SubsampleFit(
        coef=fit.coef,
        covariance=fit.covariance,
        n_steps=fit.n_steps,
        drawn_by=drawn_by,
        correction=correction,
        rows=rows,
        weights=weights,
        offsets=offsets,
        pilot=None if pilot is None else pilot.fit,
        pilot_failures=tuple(error.reason for error in errors),
        n_drawn=(0 if pilot is None else pilot.n_drawn) + len(draws[-1].rows),
        n_scored=0 if pilot is None or failed else len(y),
        warnings=tuple(sentences),
    )
