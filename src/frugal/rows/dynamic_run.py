"""The state of a fit on growing samples: one sample and one step after the other."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from frugal.rows.descent import Solver
from frugal.rows.line_search import halve
from frugal.rows.multinomial import Array, Evaluation, Ints, evaluate, objective
from frugal.rows.size_rule import SizeRule
from frugal.rows.traces import Step


@dataclass(eq=False)
class Run:
    """A fit on growing samples in progress.

    Attributes:
        X: features of all rows, shape (N, d).
        codes: class per row, shape (N,).
        ridge: penalty.
        rng: draws the samples.
        descent: chooses directions.
        rule: says how large the next sample is.
        coef: where the fit stands, shape (d, C).
        size: rows of the next sample.
        dynamic: whether it may grow.
        line_search: whether steps are halved until they lower the objective on the sample.
        tol: largest entry of the gradient on all rows at which to stop.
        full: the objective on all rows at `coef`, if watched.
        points: rows accessed.
        separated: whether a hyperplane was found to separate the classes, without a penalty.
        status: why the fit ended; empty before.
        steps: what happened so far.
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
        """Draw a sample, test it, and take a step unless the fit has converged."""
        n, m = len(self.X), self.size
        rows = slice(None) if m == n else self.rng.choice(n, m, replace=False, shuffle=False)
        S, codes = self.X[rows], self.codes[rows]
        at = evaluate(self.coef, S, codes, self.ridge)
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
