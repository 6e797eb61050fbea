"""The state of a fit on growing samples: one sample and one step after the other.

Source: document 003, section 3.2, equations 11 to 14, after Byrd et al. (2012), "Sample size selection in
optimization methods for machine learning", Mathematical Programming 134. A test on each sample sets the size of
the next, which never shrinks. Let S be a sample of m of the N rows, g_S the gradient of the objective on S, g that
on all rows, and g_i that of row i's loss:

    wanted        |g_S - g| <= theta |g_S|                                 (11)
    variance      V = sum_i |g_i - mean of the g_i|^2 / (m (m - 1))        (13)
    test          V <= theta^2 |g_S|^2                                     (12)
    if it fails   m <- ceil(m V / (theta^2 |g_S|^2)), at most N            (14)

Differs from the document:

- The document neglects m / N. Drawn without replacement, g_S misses the gradient on all rows by `V (1 - m / N)` in
  expectation of the square; `finite_correction` tests that, and solves (14) with it.
- A large |g_S| may itself be noise, so that the test passes and m never grows. Byrd et al., section 3,
  therefore average the gradients of the last few samples of one size, and test with the length of the average
  where it is much the shorter. `window=0` leaves that out.
- The document compares V with |g_S - g| and finds 4 % between them. But V estimates the square of that length.
- The document says that theta = 1 would allow steps that oppose the gradient. But (11) with theta = 1 still gives
  `g . g_S >= 0`; (12) ensures (11) in expectation only.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field

import numpy as np

from frugal.checks import check_between, check_flag, check_whole
from frugal.rows.descent import Solver, halve
from frugal.rows.multinomial import Array, Evaluation, Ints, evaluate, objective
from frugal.rows.traces import Step


@dataclass(frozen=True)
class Verdict:
    """Outcome of the test on one sample.

    Attributes:
        passed: whether (12) holds.
        size: rows of the next sample.
        norm: length of the gradient in the test: that of the sample, or that of the average.
    """

    passed: bool
    size: int
    norm: float


class SizeRule:
    """Tests one sample after the other, and sets the size of the next, which never shrinks.

    Args:
        theta: largest tolerated relative error of the gradient, from 0 to 1.
        n: number of rows of the data.
        window: number of gradients of one size to average; 0: no average.
        ratio: the test uses the average if its length is below `ratio` times that of the sample's gradient; from 0
            to 1.
        finite_correction: whether to test with the factor 1 - m / N.

    Raises:
        ValueError: if a setting is out of range.
    """

    def __init__(
        self, *, theta: float, n: int, window: int = 10, ratio: float = 0.4, finite_correction: bool = False
    ) -> None:
        check_between("theta", theta, 0.0, 1.0)
        check_between("ratio", ratio, 0.0, 1.0)
        check_whole("window", window, 0)
        check_flag("finite_correction", finite_correction)
        self._theta, self._n, self._ratio, self._corrected = theta, n, ratio, finite_correction
        self._window = window
        self._last: deque[Array] = deque(maxlen=window)
        self._size = 0

    def test(self, size: int, gradient: Array, variance: float) -> Verdict:
        """Test a sample.

        Args:
            size: number of rows m.
            gradient: gradient g_S, of any shape.
            variance: estimate V of the gradient's variance.
        """
        if size != self._size:
            self._last.clear()
            self._size = size
        norm = self._norm(gradient)
        factor = 1.0 - size / self._n if self._corrected else 1.0
        if variance * factor <= (self._theta * norm) ** 2:
            return Verdict(True, size, norm)
        return Verdict(False, max(size, self._required(size * variance, norm)), norm)

    def _norm(self, gradient: Array) -> float:
        norm = float(np.linalg.norm(gradient))
        self._last.append(gradient)
        if self._window == 0 or len(self._last) < self._window:
            return norm
        average = float(np.linalg.norm(np.mean(self._last, axis=0)))
        return average if average < self._ratio * norm else norm

    def _required(self, variance_of_one: float, norm: float) -> int:
        allowed = (self._theta * norm) ** 2
        if self._corrected:  # V (1 - m / N) <= theta^2 |g|^2 with V = variance_of_one / m, solved for m
            allowed += variance_of_one / self._n
        return self._n if variance_of_one >= allowed * self._n else math.ceil(variance_of_one / allowed)


@dataclass(eq=False)
class Run:
    """A fit on growing samples in progress.

    Attributes:
        X: features of all rows, shape (N, d).
        codes: class per row, shape (N,).
        ridge: ridge penalty.
        rng: generator of the samples.
        descent: chooses the directions.
        rule: sets the size of the next sample.
        coef: present coefficients, shape (d, C).
        size: rows of the next sample.
        dynamic: whether samples may grow.
        line_search: whether steps are halved until they lower the objective on the sample.
        tol: the fit stops if no entry of the gradient on all rows is larger.
        full: the objective on all rows at `coef`, if it is watched.
        points: number of rows accessed.
        separated: whether a hyperplane separates the classes and there is no penalty.
        status: why the fit ended; empty while it runs.
        steps: the steps so far.
    """

    X: Array
    codes: Ints
    ridge: float
    rng: np.random.Generator
    descent: Solver
    rule: SizeRule
    coef: Array
    size: int
    dynamic: bool
    line_search: bool
    tol: float
    full: Evaluation | None = None
    points: int = 0
    separated: bool = False
    status: str = ""
    steps: list[Step] = field(default_factory=list)

    def advance(self) -> None:
        """Draw a sample, test it, and take a step unless the fit has converged.

        Raises:
            ValueError: if the objective, its gradient or the gradient's variance is not finite: the steps diverge.
        """
        n, m = len(self.X), self.size
        rows = slice(None) if m == n else self.rng.choice(n, m, replace=False, shuffle=False)
        S, codes = self.X[rows], self.codes[rows]
        at = evaluate(self.coef, S, codes, self.ridge)
        if not (np.isfinite((at.objective, at.variance)).all() and np.isfinite(at.gradient).all()):
            raise ValueError(
                f"the steps diverge: after {len(self.steps)} steps the objective, its gradient or the variance of "
                "it is not finite; shorten step, or set line_search"
            )
        self.points += m
        verdict = self.rule.test(m, at.gradient, at.variance)
        error = math.nan if self.full is None else float(np.square(at.gradient - self.full.gradient).sum())
        n_products, length = 0, 0.0
        if m == n and float(np.abs(at.gradient).max()) <= self.tol:
            self.status = "converged"
        else:
            n_products, length = self._move(S, codes, at)
            if m == n and length == 0.0:
                self.status = "stalled"
        self.separated |= m == n and at.separated and self.ridge == 0.0
        if self.full is not None:
            self.full = evaluate(self.coef, self.X, self.codes, self.ridge)
        self.steps.append(
            Step(
                size=m,
                points=self.points,
                objective=at.objective,
                gradient_norm=float(np.linalg.norm(at.gradient)),
                variance=at.variance,
                tested_norm=verdict.norm,
                passed=verdict.passed,
                n_products=n_products,
                step=length,
                full_objective=math.nan if self.full is None else self.full.objective,
                squared_error=error,
            )
        )
        if self.dynamic:
            self.size = verdict.size

    def _move(self, S: Array, codes: Ints, at: Evaluation) -> tuple[int, float]:
        """Take a step on a sample; returns the number of Hessian products and the length."""
        direction, length, n_products, points = self.descent.direction(S, at, self.ridge, self.rng)
        self.points += points
        if self.line_search:
            slope = float(np.vdot(at.gradient, direction))
            length, _, n_trials = halve(
                lambda t: objective(self.coef + t * direction, S, codes, self.ridge), at.objective, slope, length
            )
            self.points += n_trials * len(S)
            self.descent.taken(length)
        self.coef = self.coef + length * direction
        return n_products, length
