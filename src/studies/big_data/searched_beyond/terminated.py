"""Termination inside Fabolas: stored curves of a network on several numbers of rows, searched with and without it.

Document 003, section 4: "Learning curve extrapolation could additionally be combined with Fabolas to guide the
hyperparameter search. This would however require changing the covariance kernel of the cost model c since probes
at suboptimal positions are likely to be terminated early, making them less costly and thus more attractive for the
acquisition function". Four versions, all of them told the error that is expected of a stopped trial at its end:

- `fabolas_spent`, the naive one: the cost model is told what the trial took;
- `fabolas_horizon`, the simplest sound one: it is told what the trial would have taken to its end, and stays a
  model of whole trials. It is sound since the loss that it stands beside is that of a whole trial, too, and a
  candidate gains nothing by being stopped; it overstates what a search then spends on poor candidates;
- `fabolas_joint`, what the document proposes: one model of cost and loss, told what the trial took;
- `fabolas_uncorrelated`, the same with their correlation held at 0, so that the two differ in it alone: one model
  also has one noise and one set of lengthscales, which Fabolas' two models have not.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from frugal.files import read
from frugal.interface import Candidate, Trial, TrialStrategy, TrialTask, Wait
from frugal.seeds import rng_for
from frugal.threads import one_thread
from frugal.trials import strategies
from frugal.trials.curves import CurvesProblem
from frugal.trials.ledger import initial_design
from frugal.trials.termination import terminating
from studies.big_data.beyond.settings import check_settings
from studies.big_data.searched_beyond.paths import follow
from studies.big_data.searched_beyond.settings import TERMINATED, rule_of
from studies.experiments import TERMINATED as VERSIONS
from studies.records import Method

METHODS = tuple(VERSIONS)


def search(method: str, seed: int, settings: Mapping[str, Any], root: str | Path) -> pd.DataFrame:
    """One search of one seed; strategies start from the same candidates.

    Columns: those of `paths.follow`; stopped; poor, whether the candidate is among the worse half of the set by
    its validation error on the most rows (nan in Fabolas' initial design); n_train, the most rows. A candidate
    that diverges on the most rows has the test error 1.
    """
    check_settings(settings, TERMINATED)
    stored = read(settings["table"])
    problem = CurvesProblem(stored)
    rule = rule_of(settings["termination"], problem.n_epochs)
    version = VERSIONS[method]
    with one_thread():
        strategy, n_initial = _strategy(version, seed, settings, problem, rule, int(stored["n_valid"].iloc[0]))

        def test_error(candidate: Candidate) -> float:
            error = problem.test_error(candidate)
            return 1.0 if math.isnan(error) else error

        table = follow(strategy, problem, test_error)
    ends = np.array([1.0 - curve.scores[-1] for curve in problem.curves])
    is_poor = np.where(np.isnan(ends), np.inf, ends) > np.nanmedian(ends)
    poor = {curve.id: float(worse) for curve, worse in zip(problem.curves, is_poor, strict=True)}
    first = table["trial"] < (n_initial if _draws(version) == "fabolas" else 0)
    return table.assign(
        stopped=(table["n_epochs"] < problem.n_epochs) & table["error"].notna(),
        poor=np.where(first, math.nan, [poor[problem.replayed[trial]] for trial in table["trial"]]),
        n_train=problem.sizes[-1],
        dataset=problem.name,
    )


def _draws(version: Method) -> str:
    """The method whose random numbers a version has, so that versions differ in what they are told alone."""
    return version.variant_of or version.name


def _strategy(
    version: Method,
    seed: int,
    settings: Mapping[str, Any],
    problem: CurvesProblem,
    rule: Mapping[str, Any],
    n_valid: int,
) -> tuple[TrialStrategy, int]:
    """The strategy, and how many candidates it starts from."""
    names = ("big_data", "terminating_fabolas")
    n_trials, n_drawn = settings["n_trials"], settings["n_initial"]
    own: dict[str, Any] = dict(version.settings)
    if _draws(version) == "fabolas":
        own |= {**settings["fabolas"], "sizes": list(problem.sizes), "n_valid": n_valid}
    first = initial_design(problem.space, n_drawn, rng_for(*names, "initial design", seed))
    rng = rng_for(*names, _draws(version), seed)
    made = strategies.make(version.strategy, space=problem.space, n_trials=n_trials, rng=rng, initial=first, **own)
    if version.termination is None:
        return made, n_drawn
    told = AtHorizon(made, rule["horizon"]) if version.name == "fabolas_horizon" else made
    return terminating(told, rng=rng_for(*names, "checks", seed), **rule), n_drawn


@dataclass(frozen=True)
class AtHorizon:
    """A strategy that is told what a stopped trial would have cost to the end; epochs of a trial cost the same.

    Attributes:
        strategy: the one that is told.
        horizon: epochs of a whole trial.
    """

    strategy: TrialStrategy
    horizon: int

    def ask(self) -> TrialTask | Wait | None:
        """The strategy's."""
        return self.strategy.ask()

    def report(self, task: TrialTask, epoch: int, score: float) -> bool:
        """The strategy's."""
        return self.strategy.report(task, epoch, score)

    def tell(self, trial: Trial) -> None:
        """Hand an answer on, with the seconds and the cost of all its epochs."""
        made = len(trial.curve)
        if made < self.horizon and not math.isnan(trial.error):
            whole = self.horizon / made
            trial = replace(trial, seconds=trial.seconds * whole, cost=trial.cost * whole)
        self.strategy.tell(trial)

    @property
    def incumbent(self) -> Candidate | None:
        """The strategy's."""
        return self.strategy.incumbent
