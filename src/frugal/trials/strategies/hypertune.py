"""HyperTune: expected improvement on all rows, with the signs of slopes that searches on few rows suggest.

Source: document 004, "Fast hyperparameter tuning using Bayesian optimization with directional derivatives",
Algorithms 1 and 2. Its symbols: B is n_subsets, N is n_sites, m are the signs, v is v.

First, on each of `n_subsets` subsets of `subset_rows` rows, a search by expected improvement. The best candidates
of these are averaged in the unit cube (so in the exponent of a logarithmic dimension). By default this average is
the first candidate on all rows. Between it and the simple end of the space, accuracy on all rows is asserted to
rise with complexity, by signs of derivatives at `n_sites` points (`frugal.trials.surrogates.SignGP`; errors are
modelled, so the signs are turned). Then a search by expected improvement on all rows. Without signs nothing is run
on subsets and the strategy is `ei` with the same settings (kernel se, baseline observed, least_noise 1e-4), trial
for trial.

Differs from the document: signs are asserted on the simple side where a sign is -1 (`region`), where it prints the
other side; sites are few, spread out, and thinned to a distance, since expectation propagation counts close ones
twice; length-scales are one per dimension, and fitted, as is the amplitude. The document starts from "initial
observations" and does not say which. `start="subset_optimum"`, the default, is ours: it wastes nothing of what the
subsets have shown. `start="shared"` leaves that out, so that HyperTune starts from the candidates of its rivals.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from statistics import mode
from typing import Any

import numpy as np

from frugal.checks import check_choice, check_number, check_whole
from frugal.interface import WAIT, Candidate, Trial, TrialTask, Wait
from frugal.spaces import Choice, SearchSpace
from frugal.trials.strategies.ei import Ei
from frugal.trials.surrogates import GP, SignGP, Surrogate
from frugal.trials.surrogates.kernels import Array
from frugal.trials.surrogates.sign_gp import ALARM, LEAST_NOISE
from frugal.trials.virtual_observations import (
    PLACEMENTS,
    REGIONS,
    check_subset,
    draw_sites,
    region,
    signs_of,
    thin,
)

EVIDENCES = ("signs", "values")
STARTS = ("subset_optimum", "shared")
_ON_ALL_ROWS = ("initial", "n_initial", "min_log_ei")
"""Settings of the search on all rows that searches on subsets do not get."""


class Hypertune(Ei):
    """HyperTune. Searches on subsets come first, one after the other; their trials count.

    Attributes:
        trials: finished trials on all rows, in the order of their results.
        subset_trials: finished trials on subsets.
        log_evidences: log evidence of values and signs, and of the values alone, at the latest fit, both with
            `least_noise`, each at its own hyperparameters (if `hyperparameters` is `values`, both at those of the
            values); None without signs. A difference below -10 puts the signs in doubt; a warning says so once.

    Args:
        space: the search space.
        n_trials: largest number of trials, including those on subsets.
        rng: generator of all random draws.
        signs: sign of the derivative of accuracy in each hyperparameter, while the model is simpler than is best
            on a subset: 1, -1, or 0 if neutral (`frugal.trials.virtual_observations`); None: those of the space.
        control: `none`; `reversed`, all signs reversed (and the side on which they are asserted); `unsigned`, no
            signs.
        start: with signs, the first candidate on all rows: `subset_optimum`, the average of the best candidates on
            subsets, before the initial ones; a dimension that lists its values, an ordinal one too, takes their
            most frequent value. Or `shared`: the first initial candidate, as in other strategies.
        subset_rows: rows of a subset; 5 to 10 % of all.
        n_classes: number of classes, if known; a subset with fewer rows is refused.
        n_rows: number of training rows, if known; a subset must have fewer.
        n_subsets: number of subsets; a search is run on each.
        n_subset_trials: number of trials of each of these searches.
        n_sites: number of points; every sign is asserted at each of them.
        region: `simple_side` or `literal`, as in `frugal.trials.virtual_observations.region`.
        placement: placement of the points, `spread` or `uniform`.
        separation: smallest distance of two points, in length-scales fitted to the values; 0 keeps all points.
        hyperparameters: evidence to which they are fitted: that of values and `signs`, or of the `values` alone.
        kernel: `se` or `matern52_ard`; without signs as in `GP`.
        baseline: as in `ModelBased`.
        least_noise: as in `GP`; with signs, at least 1e-4. It is the same in all fits, with and without signs, on
            all rows and on subsets, so that they can be compared. `ei` with this value is this strategy without
            signs.
        v: scale of the probit likelihood, in standard deviations of the errors per edge of the cube.
        **settings: settings of `Ei`, for all searches; initial candidates and `min_log_ei` apply to all rows only.

    Raises:
        ValueError: on a setting outside its range, signs that `signs_of` refuses, or, where there are signs, a
            subset of fewer rows than classes or of no fewer than all, or `inference` by `mcmc`.
    """

    needs = ("subset_rows",)

    def __init__(
        self,
        *,
        space: SearchSpace,
        n_trials: int,
        rng: np.random.Generator,
        signs: Mapping[str, int] | None = None,
        control: str = "none",
        start: str = "subset_optimum",
        subset_rows: int = 5000,
        n_classes: int | None = None,
        n_rows: int | None = None,
        n_subsets: int = 5,
        n_subset_trials: int = 10,
        n_sites: int = 5,
        region: str = "simple_side",
        placement: str = "spread",
        separation: float = 0.25,
        hyperparameters: str = "signs",
        kernel: str = "se",
        baseline: str = "observed",
        least_noise: float = LEAST_NOISE,
        v: float = 1e-6,
        **settings: Any,
    ) -> None:
        check_choice("start", start, STARTS)
        check_whole("subset_rows", subset_rows, 1)
        check_whole("n_subsets", n_subsets, 1, 10_000)
        check_whole("n_subset_trials", n_subset_trials, 2)
        check_whole("n_sites", n_sites, 1)
        check_choice("region", region, REGIONS)
        check_choice("placement", placement, PLACEMENTS)
        check_number("separation", separation, 0)
        check_choice("hyperparameters", hyperparameters, EVIDENCES)
        settings |= {"kernel": kernel, "baseline": baseline, "least_noise": least_noise}
        super().__init__(space=space, n_trials=n_trials, rng=rng, **settings)
        self._signs = signs_of(space, signs, control)
        self._region, self._placement, self._n_sites = region, placement, n_sites
        self._separation, self._evidence, self._subset_rows = separation, hyperparameters, subset_rows
        self.subset_trials: list[Trial] = []
        self.log_evidences: tuple[float, float] | None = None
        self._runs: list[Ei] = []
        self._subset_tasks: dict[int, tuple[TrialTask, TrialTask]] = {}  # by number: our task, and that of the run
        self._n_on_subsets, self._n_asked_on_subsets, self._n_per_run = 0, 0, n_subset_trials
        self._sites: tuple[Array, Array, Array] | None = None
        self._sign_theta: Array | None = None
        self._starts_at_optimum, self._has_begun = start == "subset_optimum", False
        self._warned: set[str] = set()
        if not self._signs:
            if control != "unsigned":
                self._warn(
                    "neither the settings nor the space say any sign, so this is ei; control 'unsigned' asks for "
                    "that"
                )
            return
        check_subset(subset_rows, n_classes, n_rows)
        check_number("least_noise", least_noise, LEAST_NOISE)
        if settings.get("inference", "ml2") != "ml2":
            raise ValueError(f"inference must be ml2 where there are signs, got {settings['inference']!r}")
        prior = settings.get("prior", "repaired")
        self._sign_gp = SignGP(kernel, lengthscale=None, amplitude=None, noise_variance=None, prior=prior,
                               n_restarts=1, least_noise=least_noise, v=v)  # fmt: skip
        *runs, self._site_rng = rng.spawn(n_subsets + 1)
        run_settings = {name: value for name, value in settings.items() if name not in _ON_ALL_ROWS}
        self._runs = [Ei(space=space, n_trials=n_subset_trials, rng=run, **run_settings) for run in runs]
        self._share_trials(n_trials)

    def _share_trials(self, n_trials: int) -> None:
        """Take the trials on subsets from the budget, and warn if too few are left for all rows."""
        planned = len(self._runs) * self._n_per_run
        self._n_on_subsets = min(planned, n_trials)
        self._n_trials = n_trials - self._n_on_subsets  # on all rows
        n_first = len(self._initial) + self._starts_at_optimum
        if self._n_trials <= n_first:
            self._warn(
                f"n_trials = {n_trials} leaves none that signs could help, after {planned} on subsets and "
                f"{n_first} first ones"
            )

    def ask(self) -> TrialTask | Wait | None:
        """Next trial; WAIT: the start or the signs need pending results on subsets; None: the budget is spent."""
        if self._n_asked_on_subsets < self._n_on_subsets:
            return self._ask_on_subset()
        n_free = 0 if self._starts_at_optimum else len(self._initial)
        if self._subset_tasks and n_free <= len(self._asked) < self._n_trials:
            return WAIT
        if not self._has_begun:
            self._has_begun = True
            if (start := self._start) is not None:
                self._initial.insert(0, dict(start))
        return super().ask()

    def tell(self, trial: Trial) -> None:
        """Take a result on a subset or on all rows."""
        self._check_answer(trial)
        if trial.task.n_rows is None:
            super().tell(trial)
            return
        task, inner = self._subset_tasks.get(trial.task.id, (None, None))
        if task is None or inner is None or task != trial.task:
            raise ValueError(f"{trial.task} was not asked, or was told before")
        self._runs[task.subset].tell(replace(trial, task=inner))
        del self._subset_tasks[task.id]
        self.subset_trials.append(replace(trial, task=task))
        self._surrogate = None  # the last result on subsets decides where signs are asserted
        if self._n_succeeded >= 2:
            self._fitted()  # now, as in `ModelBased.tell`

    @property
    def incumbent(self) -> Candidate | None:
        """Candidate with the lowest error on all rows; before the first such trial, on a subset.

        Exception: with `start="subset_optimum"`, once the optima on subsets are known, their average is the
        incumbent until its trial on all rows has a result. Only errors on all rows can show that another candidate
        is better.
        """
        start = self._start
        if start is not None and all(trial.task.id != self._n_on_subsets for trial in self.trials):
            return start
        if self._best is not None:
            return dict(self._best.task.candidate)
        succeeded = [trial for trial in self.subset_trials if not np.isnan(trial.error)]
        return dict(min(succeeded, key=lambda trial: trial.error).task.candidate) if succeeded else None

    @property
    def simple_optimum(self) -> Array | None:
        """The best candidates of the runs on subsets, averaged in the unit cube, (d,).

        None before all their results are in, or if all of them failed. A run whose trials all failed is left out.
        """
        if not self._runs or self._n_asked_on_subsets < self._n_on_subsets or self._subset_tasks:
            return None
        best = [run.incumbent for run in self._runs]
        units = [self._space.to_unit(candidate) for candidate in best if candidate is not None]
        return np.mean(units, axis=0) if units else None

    @property
    def _start(self) -> Candidate | None:
        """First candidate on all rows; None: as of other strategies, or not known yet."""
        optimum = self.simple_optimum if self._starts_at_optimum else None
        if optimum is None:
            return None
        best = [candidate for run in self._runs if (candidate := run.incumbent) is not None]
        listed = {name: one for name, one in self._space.dimensions.items() if isinstance(one, Choice)}
        modes = {name: one.values[mode(one.place(c[name]) for c in best)] for name, one in listed.items()}
        return {**self._space.from_unit(optimum), **modes}

    def _ask_on_subset(self) -> TrialTask:
        number = self._n_asked_on_subsets
        subset = number // self._n_per_run
        inner = self._runs[subset].ask()
        assert isinstance(inner, TrialTask)  # a run without `min_log_ei` neither waits nor ends early
        task = TrialTask(number, inner.candidate, self._subset_rows, subset)
        self._subset_tasks[number] = task, inner
        self._n_asked_on_subsets += 1
        return replace(task, candidate=dict(task.candidate))  # the caller may change it

    def _task(self, number: int, candidate: Candidate) -> TrialTask:
        return TrialTask(self._n_on_subsets + number, candidate)

    def _fit(self, X: Array, y: Array) -> Surrogate:
        plain = super()._fit(X, y)
        points, dims, signs = self._virtual_observations()
        if not len(points):
            return plain
        assert isinstance(plain, GP)
        kept = thin(points, plain.hyperparameters.lengthscale, self._separation)
        repeated = np.repeat(kept, len(dims), axis=0), np.tile(dims, len(kept)), np.tile(signs, len(kept))
        evidence = self._sign_gp.evidence(X, y, *repeated)
        if self._evidence == "values":
            fitted = self._sign_gp.at(evidence, plain.theta)
        else:
            starts = np.array([plain.theta] if self._sign_theta is None else [plain.theta, self._sign_theta])
            fitted = self._sign_gp.fit(X, y, *repeated, start=starts)
            self._sign_theta = fitted.theta
        self.log_evidences = fitted.log_evidence, plain.log_evidence
        difference = fitted.log_evidence - plain.log_evidence
        if difference < ALARM:
            with_signs, without = self.log_evidences
            self._warn(
                f"the trials contradict the signs: log evidence {with_signs:.1f} with them, {without:.1f} without"
            )
        return fitted

    def _virtual_observations(self) -> tuple[Array, Array, Array]:
        """Return points (n_sites, n_coordinates), and the coordinates and signs of the errors' slopes, (n_signs,).

        Every sign is asserted at every point. The arrays are empty if there is nothing to assert, or not yet.
        """
        best = self.simple_optimum
        if best is None:
            if self._runs and len(self.subset_trials) == self._n_on_subsets:
                self._warn(f"every trial on subsets of {self._subset_rows} rows failed, so no sign is asserted")
            return np.empty((0, 0)), np.empty(0), np.empty(0)
        if self._sites is None:
            box = region(self._space, self._signs, best, self._region)
            units = draw_sites(box, self._n_sites, self._site_rng, self._placement)
            points = np.array([self._encoding.place(unit) for unit in units])
            dims = np.array([self._encoding.coordinate(name) for name in self._signs])
            self._sites = points, dims, -np.array(list(self._signs.values()), dtype=float)  # of errors
        return self._sites

    def _warn(self, text: str) -> None:
        """Warn, unless this run has warned before with the same text up to the first colon."""
        kind = text.partition(":")[0]
        if kind not in self._warned:
            self._warned.add(kind)
            warnings.warn(text, UserWarning, stacklevel=3)
