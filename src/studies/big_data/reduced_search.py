"""Document 003, section 4: Fabolas and others over the WKM-SVM, which trains on fewer rows, or the plain SVM.

"Since Fabolas is a hyperparameter optimizer that does not make assumptions about the learner, it can be combined
trivially with any of the training optimization approaches presented in Section 3." C and gamma are searched; the
compression is given. Rows that several trials share are clustered once: the centres depend neither on C nor on
gamma. So searches on all rows cluster once, whereas Fabolas, whose trials draw their rows anew, clusters in each.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from time import process_time
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from frugal.checks import check_settings
from frugal.interface import Candidate, Trial, TrialTask
from frugal.seeds import rng_for, seed_for
from frugal.spaces import SearchSpace, as_json
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
from studies.big_data.search_paths import follow
from studies.records import Method, Study, method_of

if TYPE_CHECKING:
    from pathlib import Path

    from frugal.rows.reduced_svm import Reduced
    from frugal.trials.problems import Report
    from studies.big_data.splits import Part

_SVM: Final = {"learner": "svm"}
_WKM: Final = {"learner": "wkm"}
METHODS: Final = (
    Method("random_svm", "random", _SVM, label="random, SVM", color="#000000", linestyle=":"),
    Method("ei_svm", "ei", _SVM, label="EI, SVM", color="#684319", linestyle="--"),
    Method("fabolas_svm", "fabolas", _SVM, label="Fabolas, SVM", color="#926A00", linestyle="-"),
    Method("random_wkm", "random", _WKM, label="random, WKM-SVM", color="#7F7F7F", linestyle=(0, (1, 1))),
    Method("ei_wkm", "ei", _WKM, label="EI, WKM-SVM", color="#7AACEB", linestyle=(0, (5, 1))),
    Method("fabolas_wkm", "fabolas", _WKM, label="Fabolas, WKM-SVM", color="#00318F", linestyle="-"),
)
"""Searches over an SVM on all rows, and on k-means centres."""


# Runs ----------------------------------------------------------------------------------------------------------


def run(method: str, seed: int, settings: Mapping[str, Any], root: str | Path = "data") -> pd.DataFrame:
    """One search of one seed; strategies start from the same candidates.

    Returns:
        The columns of `follow`; full_test_error, on the last row alone: that of the plain SVM with the C and gamma
        that were found; n_train; dataset.
    """
    from frugal.trials import strategies
    from frugal.trials.ledger import initial_design

    known = method_of(METHODS, method)
    name, learner = known.strategy, known.settings["learner"]
    options = dict(settings["strategies"].get(name, {}))
    with one_thread():
        problem = _problem(settings["compression"] if learner == "wkm" else 1.0, seed, settings, root)
        names = ("big_data", "reduced_search", settings["dataset"])
        n_trials, n_drawn = settings["n_trials"][name], settings["n_initial"]
        first = initial_design(problem.space, n_drawn, rng_for(*names, "initial design", seed))
        options["initial"] = first[: options.pop("n_initial", n_drawn)]
        if name == "fabolas":
            options |= {"sizes": settings["sizes"], "n_valid": settings["n_valid"]}
        rng = rng_for(*names, name, seed)  # the same of both learners
        strategy = strategies.make(name, space=problem.space, n_trials=n_trials, rng=rng, **options)
        table = follow(strategy, problem, problem.test_error)
        chosen = strategy.incumbent
        assert chosen is not None  # some trial has succeeded: an SVM's fit raises, it does not fail
        whole_rows = problem if learner == "svm" else _problem(1.0, seed, settings, root)
        last = table.index == table.index[-1]
        table["full_test_error"] = np.where(last, whole_rows.test_error(chosen), np.nan)
    return table.assign(n_train=settings["sizes"][-1], dataset=settings["dataset"])


def _problem(compression: float, seed: int, settings: Mapping[str, Any], root: str | Path) -> ReducedProblem:
    """The problem of a seed, a two-class reading of the data set."""
    from studies.big_data.splits import split_in_three, two_classes

    n_train, n_valid = settings["sizes"][-1], settings["n_valid"]
    *parts, data = split_in_three(
        settings["dataset"], seed, root=root, n_train=n_train, n_valid=n_valid, n_test=settings["n_test"]
    )
    features, labels = zip(*parts, strict=True)
    train, valid, test = zip(features, two_classes(*labels), strict=True)
    return ReducedProblem(train, valid, test, data=data, compression=compression, seed=seed)


class ReducedProblem:
    """A problem of the trials family: an SVM on the centres of some or all training rows, weighted.

    Seconds are the processor's: of clustering, where these rows were not clustered before, of the fit and of the
    validation. Cost is rows touched: those clustered, where they are, and the rows or centres fitted to.

    Attributes:
        name: of the learner.
        space: `ranges` of the learner `svm`, HPOlib's.
        data: provenance of the dataset.

    Args:
        train: features (n, d) and labels, 0 or 1, (n,).
        valid: the same for validation.
        test: the same for testing.
        data: provenance.
        compression: rows per centre; 1 is the plain SVM.
        seed: of the draws of rows and of k-means.
    """

    def __init__(self, train: Part, valid: Part, test: Part, *, data: str, compression: float, seed: int) -> None:
        from frugal import learners
        from frugal.rows import WKMSVM
        from studies.big_data.splits import N_INIT

        self._learner, self._n_init = WKMSVM, N_INIT  # imported here, since trials are timed
        self.name, self.data = f"WKM-SVM of compression {compression:g}", data
        self.space: SearchSpace = learners.space("ranges", "svm")
        self._train, self._valid, self._test = train, valid, test
        self._compression, self._seed = compression, seed
        self._kept: dict[tuple[int, int], Reduced] = {}
        self._test_errors: dict[str, float] = {}

    def evaluate(self, task: TrialTask, report: Report) -> Trial:
        """Reduce the task's rows if they were not before, fit, and score on the validation rows."""
        started = process_time()
        reduced, n_clustered = self._reduced(task)
        error = self._error(task.candidate, reduced, self._valid)
        return Trial(task, error, process_time() - started, float(n_clustered + len(reduced.X)))

    def test_error(self, candidate: Candidate) -> float:
        """Test error of a fit to all training rows, reduced to centres."""
        key = as_json(candidate)
        if key not in self._test_errors:
            reduced, _ = self._reduced(TrialTask(0, candidate))
            self._test_errors[key] = self._error(candidate, reduced, self._test)
        return self._test_errors[key]

    def _reduced(self, task: TrialTask) -> tuple[Reduced, int]:
        """Rows that the SVM is fitted to, and the number of rows that were clustered for them in this call."""
        X, y = self._train
        n = len(y) if task.n_rows is None else task.n_rows
        key = (n, 0 if n == len(y) else task.subset)  # every draw of all rows is the same
        if key in self._kept:
            return self._kept[key], 0
        rows = np.sort(rng_for("big_data", "reduced_search", "rows", self._seed, key[1]).permutation(len(y))[:n])
        start = seed_for("big_data", "reduced_search", "kmeans", self._seed, *key)
        svm = self._learner(self._compression, n_init=self._n_init, random_state=start)
        self._kept[key] = svm.reduce(X[rows], y[rows])
        return self._kept[key], 0 if self._compression == 1 else n

    def _error(self, candidate: Candidate, reduced: Reduced, part: Part) -> float:
        settings: dict[str, Any] = dict(candidate)
        svm = self._learner(self._compression, **settings).fit_reduced(reduced)
        return float((svm.predict(part[0]) != part[1]).mean())


# Claims --------------------------------------------------------------------------------------------------------

COMPARISON: Final = Comparison(
    study="reduced_search",
    methods=METHODS,
    quality="test_error",
    last=("test_error", "full_test_error"),
    parts={
        "fabolas_wkm": ("fabolas_svm", "ei_wkm", "random_wkm", "random_svm"),
        "fabolas_svm": ("ei_svm", "random_svm"),
        "ei_wkm": ("ei_svm",),
    },
    speeds=(
        Speed(
            "speed_up",
            "fabolas_wkm",
            ("fabolas_svm", "ei_wkm"),
            "seconds",
            f"{FURTHER} Fabolas ... can be combined trivially with any of the training optimization approaches",
        ),
    ),
    words={
        "fabolas_wkm": "Fabolas with WKM-SVM",
        "fabolas_svm": "Fabolas with the plain SVM",
        "ei_wkm": "expected improvement with WKM-SVM",
    },
    spent={"seconds": "seconds (optimiser included)"},
    x_labels={"rows": "Rows touched", "seconds": "Trials and optimiser (s)"},
    y_label="Test error of the incumbent",
)
FLOOR: Final = floor_of(n_train=4_096)


arrays: Final = partial(speed_ratios, comparison=COMPARISON)


def check(settings: Mapping[str, Any], config: Mapping[str, Any]) -> None:
    """Refuse more rows than the data set has, and what a strategy refuses."""
    from studies.big_data.splits import check_rows
    from studies.builds import check_search
    from studies.settings import named

    check_rows(settings["dataset"], settings["sizes"][-1], settings["n_valid"])
    names = {method.strategy for method in METHODS}
    check_settings(settings["strategies"], names, "strategy")
    for name in sorted(names):
        with named(f"strategies.{name}"):
            sizes = {"sizes": settings["sizes"], "n_valid": settings["n_valid"]} if name == "fabolas" else {}
            planned = {**settings["strategies"].get(name, {}), **sizes}
            check_search(planned, name, ("learner", "svm", "ranges"), settings["n_trials"][name], settings, {})


def recorded_settings(name: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The search by the method's strategy, in place of those of all strategies."""
    from studies.effective import given_by_problem, merged

    method = method_of(METHODS, name)
    strategy = method.strategy
    search = {"n_initial": settings["n_initial"], **settings["strategies"].get(strategy, {})}
    search |= {key: settings[key] for key in given_by_problem(strategy)}
    of_method = {"n_trials": settings["n_trials"][strategy], "strategies": {}, **method.settings}
    return {**of_method, "search": merged("trials", strategy, search)}


REDUCED_SEARCH: Final = Study(
    name="reduced_search",
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
    """Searches of an SVM's C and gamma on {{ dataset }}, on rows (svm) and on k-means centres (wkm, one per
    {{ compression }} rows). Rows without an `against`: test error of the last incumbent, fitted to all
    {{ sizes[-1] }} rows as its cell fits, and by the plain SVM (full_test_error); rows touched and seconds of the
    whole search, and the optimiser's share of these.""",
    """Fabolas over a learner that trains on fewer rows, which document 003 says "can be combined trivially"; it
    has no numbers of it. C and gamma of a radial SVM are searched on a two-class reading of {{ dataset }}, ln C
    and ln gamma in [-10, 10]; the SVM is fitted to rows, or to weighted k-means centres of them, one per {{
    compression }} rows (WKM-SVM). Random search and expected improvement train on all {{ sizes[-1] }} rows and
    cluster them once; Fabolas chooses among {{ sizes | join(", ") }}, and clusters each trial's rows, which are
    drawn anew. Test error of the incumbent, fitted to all rows as its cell fits, against rows touched (clustered,
    and rows or centres fitted to) and against seconds of trials and optimiser. A line ends with its longest
    search: random search makes {{ n_trials["random"] }} trials, expected improvement {{ n_trials["ei"] }}, Fabolas
    {{ n_trials["fabolas"] }}. Means over {{ n_seeds | seeds }}, each with a split of its own; bands, from three
    seeds on, are 95 % Student intervals and may leave the panel.""",
)
