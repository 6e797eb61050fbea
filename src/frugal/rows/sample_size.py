"""Multinomial logistic regression by SGD or Newton-CG on samples that grow as the gradient requires.

Source: document 003, section 3.2, equations 11 to 14, after Byrd et al. (2012), "Sample size selection in
optimization methods for machine learning", Mathematical Programming 134. Their symbols: S is the sample, m
its rows, N all rows, theta the tolerated relative error of the gradient. The objective J is the mean log loss plus
ridge / 2 |w|^2 for coefficients w, J_S that on S, and g_S its gradient. `frugal.rows.dynamic_run` has equations 11
to 14, and says when the sample grows.

Each step draws a fresh sample S, evaluates J_S, g_S and (13) on it, tests (12), and moves along

- `sgd`: `-g_S`;
- `newton_cg`: a few conjugate gradients on `H d = -g_S`, with d the direction and H the Hessian on a part of S.

As in the document, a failed test enlarges the samples that follow, not the one that was tested. The document does
not say how long a step is. Here its length is halved until J_S falls enough (Armijo's condition). Newton-CG starts
from `step`, SGD from twice the last length. Without `line_search`, the length is always `step`.

Cost is counted in accessed rows: m for an evaluation on S and for every trial of a step, `|H|` for every product
with H.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from frugal.checks import check_choice, check_flag, check_number, check_rng, check_whole
from frugal.rows.checks import (
    SEPARATED,
    are_labels,
    check_array,
    check_features,
    check_finite,
    check_targets,
    names_of,
)
from frugal.rows.descent import SGD, NewtonCG, Solver
from frugal.rows.dynamic_run import Run, SizeRule
from frugal.rows.multinomial import Array, Ints, evaluate
from frugal.rows.traces import Fit, Trace

SOLVERS = ("newton_cg", "sgd")
HESSIAN_SHARE = 0.1
"""Rows for products with the Hessian, as a share of the sample, unless given."""


def fit_dynamic_sample(
    X: ArrayLike,
    y: ArrayLike,
    *,
    theta: float,
    solver: str = "newton_cg",
    initial_size: int,
    rng: np.random.Generator,
    dynamic: bool = True,
    window: int = 10,
    ratio: float = 0.4,
    finite_correction: bool = False,
    ridge: float = 0.0,
    classes: ArrayLike | None = None,
    start: ArrayLike | None = None,
    hessian_share: float = HESSIAN_SHARE,
    max_products: int = 10,
    cg_tolerance: float = 0.1,
    step: float = 1.0,
    line_search: bool = True,
    max_iter: int = 100,
    max_points: int | None = None,
    tol: float = 1e-6,
    watch: bool = False,
    report: Callable[[Array, int], bool | None] | None = None,
) -> Fit:
    """Fit multinomial logistic regression on samples of growing size.

    Minimises `J(w) = mean_i -log p_i,y_i + ridge / 2 |w|^2`. There is no intercept: append a column of ones
    where one is wanted.

    Args:
        X: features, shape (N, d).
        y: class labels, shape (N,): integers, booleans, strings, or floating-point numbers that are whole.
        theta: largest tolerated relative error of the gradient, from 0 (which needs all rows) to 1.
        solver: `newton_cg` or `sgd`.
        initial_size: rows of the first sample, from 2 to N. Where a hyperplane may separate so few, the first
            steps are bounded by `ridge` alone.
        rng: draws the samples, without replacement.
        dynamic: False keeps every sample at `initial_size` (N is the batch method).
        window: number of gradients to average as a guard against noise; 0: no average. See `SizeRule`.
        ratio: the test uses the average if it is shorter than `ratio` times the gradient; from 0 to 1.
        finite_correction: whether the test has the factor 1 - m / N.
        ridge: ridge penalty on the mean loss, at least 0.
        classes: all labels, if `y` may lack some; None: those of `y`. Where `y` lacks one, set `ridge` above 0,
            since there is no maximum without it.
        start: coefficients to start from, shape (d, C); None: zeros.
        hessian_share: `|H| / |S|`, above 0 and at most 1. Newton-CG only, as are the next two.
        max_products: products with the Hessian per step, at least 1.
        cg_tolerance: largest residual relative to the gradient, from 0 to 1.
        step: length of the first step to try; without a line search, of every step; above 0.
        line_search: whether steps are halved until the objective on the sample falls.
        max_iter: largest number of samples.
        max_points: number of accessed rows after which no sample is drawn; None: no limit.
        tol: once a sample is all rows, the fit stops if no entry of the gradient is larger; at least 0. An
            entry is in units of its column of X, so standardise columns of small numbers. Where samples stay
            smaller, `max_iter` or `max_points` ends the fit.
        watch: whether to evaluate objective and gradient on all rows after every step; these rows do not count.
        report: called after every step with the coefficients, shape (d, C), and the rows accessed so far; False
            ends the fit there, None (no `return`) does not.

    Raises:
        ValueError: on an argument out of range, labels of the wrong kind, fewer than two classes, entries that
            are not finite, or steps that diverge, such as steps that are too long without a line search.

    Examples:
        >>> import numpy as np
        >>> from frugal import rows
        >>> rng = np.random.default_rng(0)
        >>> X = np.column_stack([np.ones(5000), rng.normal(size=5000)])
        >>> y = (rng.random(5000) < 1 / (1 + np.exp(-X @ [-1.0, 1.0]))).astype(int)
        >>> fit = rows.fit_dynamic_sample(X, y, theta=0.5, initial_size=50, rng=rng)
        >>> fit.status, int(fit.trace.size[0]), int(fit.trace.size[-1])
        ('converged', 50, 5000)
    """
    features, codes, labels = checked_classes(X, y, classes)
    check_rng(rng)
    check_choice("solver", solver, SOLVERS)
    for name, flag in (("dynamic", dynamic), ("line_search", line_search), ("watch", watch)):
        check_flag(name, flag)
    check_whole("initial_size", initial_size, 2, len(features), "the rows of X")
    check_number("ridge", ridge, 0.0)
    check_whole("max_iter", max_iter, 1)
    check_number("tol", tol, 0.0)
    if max_points is not None:
        check_whole("max_points", max_points, 1)
    if report is not None and not callable(report):
        raise ValueError(f"report must be a function of (coef, n_points), or None, got {report!r}")
    descent: Solver
    if solver == "sgd":
        descent = SGD(step, adapts=line_search)
    else:
        descent = NewtonCG(step, hessian_share=hessian_share, max_products=max_products, tolerance=cg_tolerance)
    rule = SizeRule(theta=theta, n=len(features), window=window, ratio=ratio, finite_correction=finite_correction)
    shape = features.shape[1], len(labels)
    coef = np.zeros(shape) if start is None else check_array("start", start, shape)
    run = Run(features, codes, ridge, rng, descent, rule, coef, initial_size, dynamic, line_search, tol)
    if watch:
        run.full = evaluate(coef, features, codes, ridge)
    while not run.status:
        run.advance()
        goes_on = None if report is None else report(run.coef, run.points)
        if goes_on is not None and not goes_on and not run.status:
            run.status = "stopped"
        if not run.status and max_points is not None and run.points >= max_points:
            run.status = "max_points"
        if not run.status and len(run.steps) >= max_iter:
            run.status = "max_iter"
    if run.separated:
        run.status = "separated"
        warnings.warn(SEPARATED, RuntimeWarning, stacklevel=2)
    return Fit(run.coef, labels, run.status, Trace(*map(np.array, zip(*run.steps, strict=True))), names_of(X))


def checked_classes(X: ArrayLike, y: ArrayLike, classes: ArrayLike | None) -> tuple[Array, Ints, NDArray[Any]]:
    """Features, class numbers and the sorted labels that these number."""
    features = np.asarray(check_features(X), dtype=float)
    targets = check_targets(y, len(features))
    check_finite("X", features)
    if not are_labels(targets) and (odd := targets[~((targets == np.round(targets)) & np.isfinite(targets))]).size:
        raise ValueError(f"y must hold class labels (integers, booleans, strings or whole numbers), got {odd[0]}")
    labels = np.unique(targets if classes is None else np.asarray(classes))
    if len(labels) < 2:
        raise ValueError(
            f"y must hold at least two classes, got {f'only {labels[0].item()!r}' if len(labels) else 'none'}; "
            "classes may name others"
        )
    known = set(labels.tolist())
    for label in np.unique(targets).tolist():
        if label not in known:
            raise ValueError(f"classes must hold every label of y, got none for {label!r}")
    return features, np.searchsorted(labels, targets), labels
