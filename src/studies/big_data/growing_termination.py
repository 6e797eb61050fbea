"""Document 003, section 4: termination of trials whose samples grow as Byrd et al. have it.

"The learning curve extrapolation method [...] requires a learner using gradient descent. It can thus be combined
with the subsample size selection method". Learning curves need steps of equal cost, and steps on growing samples
cost more and more. An epoch therefore is as many accessed rows as there are training rows, whatever the samples'
sizes. Its score is that of the last coefficients reached within it. For batch gradient descent that is one step.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from time import process_time
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from frugal.interface import Candidate, Trial, TrialTask
from frugal.seeds import rng_for
from frugal.spaces import SearchSpace, Uniform, as_json
from frugal.threads import one_thread
from studies.big_data.combined_searches import (
    FURTHER,
    Comparison,
    Speed,
    artefacts,
    floor_of,
    speed_claims,
    speed_ratios,
)
from studies.big_data.search_paths import follow, rule_of
from studies.records import Method, Study, method_of

if TYPE_CHECKING:
    from pathlib import Path

    from frugal.trials.problems import Report
    from studies.big_data.splits import Part
    from studies.estimates import Array

METHODS: Final = (
    Method("batch", label="all rows", color="#000000", linestyle=":"),
    Method(
        "batch_terminated", "batch", termination={}, label="all rows, termination", color="#926A00", linestyle="--"
    ),
    Method("dynamic", label="growing samples", color="#7AACEB", linestyle="-."),
    Method(
        "dynamic_terminated",
        "dynamic",
        termination={},
        label="growing samples, termination",
        color="#00318F",
        linestyle="-",
    ),
)
"""How the samples of a trial are drawn, and whether it may be cut short."""


# Runs ----------------------------------------------------------------------------------------------------------

SPACE: Final = SearchSpace({"step": Uniform(0.01, 30.0, "log"), "ridge": Uniform(1e-6, 1e-2, "log")})
"""Length of a gradient step and penalty on the mean loss; ours."""


def run(method: str, seed: int, settings: Mapping[str, Any], root: str | Path = "data") -> pd.DataFrame:
    """Random search of one seed; the candidates are those of all `METHODS`.

    Returns:
        The columns of `follow`; stopped; n_train; dataset.

    Raises:
        ValueError: on settings of the termination that `Terminating` does not accept.
    """
    from frugal.trials import strategies

    rule = rule_of(settings["termination"], settings["horizon"])
    with one_thread():
        problem = _problem(method, seed, settings, root)
        names = ("big_data", "growing_termination", settings["dataset"])
        drawn = SPACE.sample(rng_for(*names, "candidates", seed), settings["n_trials"])
        strategy = strategies.make(
            "random",
            space=SPACE,
            n_trials=settings["n_trials"],
            rng=rng_for(*names, "checks", seed),
            termination=None if method_of(METHODS, method).termination is None else rule,
            initial=drawn,
        )
        table = follow(strategy, problem, problem.test_error)
    stopped = table["n_epochs"] < settings["horizon"]
    return table.assign(stopped=stopped, n_train=problem.n_train, dataset=settings["dataset"])


def _problem(method: str, seed: int, settings: Mapping[str, Any], root: str | Path) -> GrowingProblem:
    """The problem of a seed: the same rows for all of `METHODS`."""
    from studies.big_data.splits import split_in_three

    n_train, n_valid = settings["n_train"], settings["n_valid"]
    *parts, data = split_in_three(settings["dataset"], seed, root=root, n_train=n_train, n_valid=n_valid)
    train, valid, test = ((np.column_stack([X, np.ones(len(X))]), y) for X, y in parts)
    return GrowingProblem(
        train,
        valid,
        test,
        data=data,
        dynamic=method_of(METHODS, method).strategy == "dynamic",
        theta=settings["theta"],
        initial_size=max(2, round(settings["start_share"] * n_train)),
        horizon=settings["horizon"],
        seed=seed,
    )


class GrowingProblem:
    """A problem of the trials family: multinomial logistic regression by gradient descent of a fixed length.

    A trial without `epochs` has `horizon` epochs. Its seconds are those of the processor, without the seconds that
    its reports take. Its cost is the number of rows accessed. All rows of the last step count, even if an epoch
    ended within that step.

    Attributes:
        name: of the learner.
        space: `SPACE`.
        data: provenance of the dataset.
        n_train: training rows.

    Args:
        train: features with a column of ones (n, d) and labels (n,).
        valid: the same for validation.
        test: the same for testing.
        data: provenance.
        dynamic: whether samples grow; otherwise each has all rows.
        theta: of the size rule.
        initial_size: rows of the first sample, where they grow.
        horizon: epochs of a whole trial.
        seed: of the samples; those of a trial depend on its number alone.
    """

    name = "logistic regression by gradient descent"
    space = SPACE

    def __init__(
        self,
        train: Part,
        valid: Part,
        test: Part,
        *,
        data: str,
        dynamic: bool,
        theta: float,
        initial_size: int,
        horizon: int,
        seed: int,
    ) -> None:
        self.data, self.n_train = data, len(train[1])
        self._train, self._valid, self._test, self._horizon, self._seed = train, valid, test, horizon, seed
        self._n_classes = int(max(part[1].max() for part in (train, valid, test))) + 1
        first = initial_size if dynamic else len(train[1])
        self._sizes = {"theta": theta, "dynamic": dynamic, "initial_size": first}
        self._test_errors: dict[str, float] = {}

    def evaluate(self, task: TrialTask, report: Report) -> Trial:
        """Fit until the last epoch, or until a report answers False."""
        from frugal.rows import fit_dynamic_sample

        n_epochs = self._horizon if task.epochs is None else task.epochs
        epochs = _Epochs(task, len(self._train[1]), n_epochs, self._valid, report)
        started = process_time()
        fit = fit_dynamic_sample(
            *self._train,
            solver="sgd",
            line_search=False,
            step=float(task.candidate["step"]),  # type: ignore[arg-type]
            ridge=float(task.candidate["ridge"]),  # type: ignore[arg-type]
            classes=np.arange(self._n_classes),
            rng=rng_for("big_data", "growing_termination", "samples", self._seed, task.id),
            report=epochs,
            tol=0.0,  # so that no trial ends by itself
            max_iter=10**9,
            **self._sizes,  # type: ignore[arg-type]
        )
        seconds = process_time() - started - epochs.spent
        self._test_errors[as_json(task.candidate)] = _error(fit.coef, self._test)
        return Trial(task, 1.0 - epochs.scores[-1], seconds, float(fit.n_points), tuple(epochs.scores))

    def test_error(self, candidate: Candidate) -> float:
        """Test error of the coefficients that the candidate's trial ended with."""
        return self._test_errors[as_json(candidate)]


class _Epochs:
    """Cuts a fit into epochs of equally many accessed rows; called after each step."""

    def __init__(self, task: TrialTask, n_rows: int, n_epochs: int, valid: Part, report: Report) -> None:
        self.scores: list[float] = []
        self.spent = 0.0
        self._task, self._n_rows, self._n_epochs = task, n_rows, n_epochs
        self._valid, self._report = valid, report
        self._before: Array | None = None

    def __call__(self, coef: Array, points: int) -> bool:
        """Report the epochs that ended; False once the fit is to end."""
        before = np.zeros_like(coef) if self._before is None else self._before
        self._before = coef
        while (ends := (len(self.scores) + 1) * self._n_rows) <= points:
            self.scores.append(1.0 - _error(coef if ends == points else before, self._valid))
            started = process_time()
            goes_on = self._report(self._task, len(self.scores), self.scores[-1])
            self.spent += process_time() - started
            if not goes_on or len(self.scores) == self._n_epochs:
                return False
        return True


def _error(coef: Array, part: Part) -> float:
    return float(((part[0] @ coef).argmax(axis=1) != part[1]).mean())


# Claims --------------------------------------------------------------------------------------------------------

COMPARISON: Final = Comparison(
    study="growing_termination",
    methods=METHODS,
    quality="best_error",
    last=("test_error", "best_error"),
    parts={
        "dynamic_terminated": ("dynamic", "batch_terminated", "batch"),
        "dynamic": ("batch",),
        "batch_terminated": ("batch",),
    },
    speeds=(
        Speed(
            "speed_up",
            "dynamic_terminated",
            ("dynamic", "batch_terminated"),
            "seconds",
            f"{FURTHER} The learning curve extrapolation method ... can thus be combined with the subsample size "
            "selection method",
        ),
        Speed("speed_up_rows", "dynamic_terminated", ("dynamic", "batch_terminated"), "rows"),
    ),
    words={
        "dynamic_terminated": "both together",
        "dynamic": "growing samples alone",
        "batch_terminated": "termination alone",
    },
    spent={"rows": "rows accessed", "seconds": "seconds (checks included)"},
    x_labels={"rows": "Rows accessed", "seconds": "Trials and checks (s)"},
    y_label="Least validation error so far",
)
FLOOR: Final = floor_of(n_train=10_000)


arrays: Final = partial(speed_ratios, comparison=COMPARISON)


def check(settings: Mapping[str, Any], config: Mapping[str, Any]) -> None:
    """Refuse what the rule that cuts trials short refuses, and more rows than the data set has."""
    from studies.big_data.splits import check_rows

    rule_of(settings["termination"], settings["horizon"])
    check_rows(settings["dataset"], settings["n_train"], settings["n_valid"])


def recorded_settings(name: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The rule that cuts the trials of a method short."""
    from studies.effective import termination_of

    return termination_of(method_of(METHODS, name), settings)


GROWING_TERMINATION: Final = Study(
    name="growing_termination",
    methods=METHODS,
    run=run,
    is_timed=True,
    datasets="dataset",
    check=check,
    recorded_settings=recorded_settings,
    arrays=arrays,
    is_enough=FLOOR,
)
CLAIMS: Final = speed_claims(COMPARISON)


# Table and figure ----------------------------------------------------------------------------------------------

ARTEFACTS: Final = artefacts(
    COMPARISON,
    """Termination with growing samples against its parts, on {{ dataset }}. Rows without an `against`: test error
    of the chosen candidate as its trial left it, least validation error (best_error), rows accessed and seconds of
    the whole search, the checks' share of the seconds, and the share of trials that were stopped.""",
    """Termination with growing samples, which document 003 says "can thus be combined"; it has no numbers of them.
    Multinomial logistic regression on {{ dataset }} by gradient steps of a fixed length; length and penalty are
    searched at random, with the same {{ n_trials }} candidates in all four cells. A sample has all rows, or it
    starts with {{ start_share }} of them and grows by Byrd et al.'s rule (theta {{ theta }}). Learning curves need
    steps of equal cost: an epoch is as many accessed rows as there are training rows ({{ n_train }}), whatever the
    samples' sizes, and a whole trial has {{ horizon }}. Every {{ termination["p"] }} epochs a curve is
    extrapolated, and stopped if it is unlikely to end above the best earlier one. Least validation error so far
    against rows accessed, and against seconds of trials and checks. A line ends with its longest search. Means
    over {{ n_seeds | seeds }}; bands, from three seeds on, are 95 % Student intervals, and may leave the
    panel.""",
)
