"""Run a search by name: one strategy on one problem from one seed, for jobs and for people."""

from __future__ import annotations

import hashlib
import json
import logging
import math
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import pandas as pd

from frugal.benchmarks.curves import CurvesProblem
from frugal.benchmarks.extrapolations import Extrapolations, epochs_of_checks
from frugal.benchmarks.lookup import LookUpProblem
from frugal.benchmarks.problem_by_name import OF_PROBLEMS, of_problem
from frugal.benchmarks.problem_by_name import problem as problem
from frugal.checks import check_known, check_number, check_settings, check_whole
from frugal.datasets.arrays import stored_hash
from frugal.interface import RunError, TrialStrategy
from frugal.seeds import rng_for
from frugal.trials.checks import N_MAX, N_MIN
from frugal.trials.ledger import check_n_initial, initial_design
from frugal.trials.lines import JournalPath
from frugal.trials.problems import LearnerProblem, Problem
from frugal.trials.runs import Journal, run
from frugal.trials.strategies import known, make, settings_of
from frugal.trials.termination import Check

N_INITIAL: Final = 5
"""Number of initial candidates, shared by the strategies of a repetition."""
SETTINGS: Final = (*OF_PROBLEMS, "n_initial", "time_s", "strategies")
CURVE_COLUMNS: Final = ("curve_id", "final_error", "cut", "n_checks", "check_s")
"""Columns for trials on stored curves: number of the curve, validation error at its end (nan if it diverged),
whether the trial was cut short, number of checks, and seconds of the checks, which the trial's seconds do not
include."""

log = logging.getLogger(__name__)


def search(
    method: str,
    learner: str,
    dataset: str,
    seed: int,
    n_trials: int,
    settings: Mapping[str, Any],
    root: str | Path = "data",
    journal_path: JournalPath | None = None,
    others: Mapping[str, Callable[..., TrialStrategy]] = {},
) -> pd.DataFrame:
    """Run one search. An interrupted and resumed search gives the same rows, seconds apart.

    How many rows a search with `time_s` has depends on the machine, and on when it was interrupted.

    Args:
        method: a strategy of the family, or one of `others`.
        learner: as in `problem`.
        dataset: the same.
        seed: number of the repetition; its first candidates are those of every method of the family.
        n_trials: number of trials, with the first candidates.
        settings: the settings of `problem`, and these. n_initial: number of first candidates (`N_INITIAL`).
            time_s: seconds of trials and of the optimiser after which no further trial begins (None: no limit);
            they are processor time, wall-clock time for networks on a GPU, and stored seconds for look-ups.
            extrapolations: file of stored extrapolations of stored curves; left out: they are computed anew.
            strategies: settings by method. In the settings of a method, `strategy` is the strategy of which the
            method is a variant, `n_initial` the number of first candidates that it starts from, and `draws` the
            method whose random numbers it uses (default: its own). `termination` holds settings of
            `termination.Terminating`, to cut trials short; on stored curves the horizon is that of the curves, and
            `check_share` is p as a share of it. Facts of the problem are added if the settings lack them:
            n_classes and n_rows for `hypertune`, max_resource for `hyperband` on epochs.
        root: folder of the datasets.
        journal_path: file that stores each trial as it is made; None: nothing is stored.
        others: strategies beside the family's, by name; they are given `n_initial` and start from a design of
            their own.

    Returns:
        One row per trial, with the columns method, learner, dataset, seed, data, then `trials.runs.COLUMNS`.
        Look-ups and stored curves add test_error, the test error of the incumbent after the trial; nan if there is
        none, or if no trial of stored curves had it. For look-ups it is that of a fit on the most rows, for stored
        curves that at the end of the curve on the most rows. Stored curves on one number of rows also add
        `CURVE_COLUMNS`.

    Raises:
        ValueError: on an unknown name or setting, more first candidates than trials, or a journal of another run.
        RunError: if all trials of the search failed, or the strategy asks for more than `n_trials`.

    Examples:
        >>> from frugal.benchmarks.searches import search
        >>> found = search("ei", "function", "branin", seed=0, n_trials=30, settings={})
        >>> round(float(found["error"].min()), 2)
        0.4
    """
    check_settings(settings, SETTINGS, complete=False)
    strategies = settings.get("strategies", {})
    for other, other_options in strategies.items():
        if other != method:
            check_known("strategy of the settings", other_options.get("strategy", other), [*known(), *others])
    options = dict(strategies.get(method, {}))
    check_whole("n_trials", n_trials, 1)
    n_drawn = settings.get("n_initial", min(N_INITIAL, n_trials))
    check_whole("n_initial", n_drawn, 1)
    name, n_initial = options.pop("strategy", method), options.pop("n_initial", n_drawn)
    draws = options.pop("draws", method)
    check_whole(f"n_initial of {method}", n_initial, 1, n_drawn, "the first candidates of all")
    check_n_initial(n_initial, n_trials)
    time_s = settings.get("time_s")
    if time_s is not None:
        check_number("time_s", time_s, 0, above=True)
    target = problem(learner, dataset, seed, of_problem(settings), root)
    if isinstance(target, CurvesProblem) and "termination" in options:
        options["termination"] = on_curves(options["termination"], target.n_epochs)
        if "extrapolations" in settings:
            options["termination"]["known"] = Extrapolations.read(settings["extrapolations"], target.replayed)
    shared: dict[str, Any] = {
        "space": target.space,
        "n_trials": n_trials,
        "rng": rng_for("search", draws, learner, dataset, seed),
    }
    if name in others:
        strategy = others[name](**shared, n_initial=n_initial, **options)
    else:
        first = initial_design(target.space, n_drawn, rng_for("initial design", learner, dataset, seed))
        if "initial" in settings_of(name):
            options["initial"] = first[:n_initial]
        else:
            log.warning("warning: %s does not take the first candidates that other strategies start from", name)
        strategy = make(name, **shared, **_facts(target, name, options), **options)
        if isinstance(target, LearnerProblem):
            _check_rows(target, {**settings_of(name), **options})
    if isinstance(target, LearnerProblem):  # before a clock starts; look-ups tell times that were measured before
        import_module("scipy.optimize")
        target.warm(initial_design(target.space, 1, rng_for("warm", learner, dataset, seed))[0])
    names = {"method": method, "learner": learner, "dataset": dataset, "seed": seed}
    run_settings = {**settings, "strategies": {method: strategies.get(method, {})}}
    header = {**names, "n_trials": n_trials, "settings": run_settings}
    table = _run(strategy, target, header, journal_path, time_s)
    _check_errors(f"{method} on {target.name}", table)
    table = _with_test_errors(table, target, strategy)
    return pd.concat([pd.DataFrame({**names, "data": target.data}, index=table.index), table], axis=1)


def _run(
    strategy: TrialStrategy,
    target: Problem,
    header: dict[str, Any],
    journal_path: JournalPath | None,
    time_s: float | None,
) -> pd.DataFrame:
    """Run a strategy on a problem; the trials of an interrupted run, with an equal header, are not repeated."""
    if journal_path is None:
        return run(strategy, target, time_s=time_s, n_trials=header["n_trials"])
    with closing(Journal(journal_path, {**header, "data": _content_hash(target, header["settings"])})) as journal:
        if isinstance(target, LearnerProblem):
            target = replace(target, states=journal.states)
        limits = {"time_s": time_s, "n_trials": header["n_trials"]}
        return run(strategy, target, kept=journal.trials, keep=journal.keep, **limits)


def _content_hash(target: Problem, settings: Mapping[str, Any]) -> str:
    """Hash of what trials are made on; no journal is continued on other data under the same name."""
    digest = hashlib.sha256(target.data.encode())
    if isinstance(target, LearnerProblem):
        for X, y in (target.parts.train, target.parts.valid):
            digest.update(stored_hash(X, y).encode())
    else:
        for name in ("table", "extrapolations"):
            if name in settings:
                digest.update(Path(settings[name]).read_bytes())
    return digest.hexdigest()


def _with_test_errors(table: pd.DataFrame, target: Problem, strategy: TrialStrategy) -> pd.DataFrame:
    """The trials with the columns that a look-up table or stored curves add."""
    if isinstance(target, (LookUpProblem, CurvesProblem)):
        chosen = table["incumbent"]
        if isinstance(target, CurvesProblem):  # no curve stands for HyperTune's average before a trial of it
            chosen = chosen.where(chosen.isin(table["candidate"]))
        table["test_error"] = [
            target.test_error(json.loads(text)) if isinstance(text, str) else math.nan  # pandas makes nan of None
            for text in chosen
        ]
    if isinstance(target, CurvesProblem) and len(target.sizes) == 1:
        table = table.join(_curve_columns(table["id"], target, getattr(strategy, "checks", [])))
    return table


def _check_rows(target: LearnerProblem, settings: Mapping[str, Any]) -> None:
    """Raise on numbers of rows that are valid settings but exceed these data."""
    n_rows, n_classes = len(target.parts.train[1]), target.dataset.n_classes
    sizes = settings.get("sizes")
    defaults = {"n_min": N_MIN, "n_max": N_MAX} if {"sizes", "n_min", "n_max"} <= settings.keys() else {}
    values = {name: value for name, value in settings.items() if value is not None}
    asked = {**defaults, **values} if sizes is None else {"n_min": sizes[0], "n_max": sizes[-1]}
    for name, most in (("n_min", n_rows - 1), ("auxiliary", n_rows - 1), ("n_max", n_rows)):
        if name in asked:
            what = "all training rows" if most == n_rows else "fewer than all training rows"
            check_whole(name if sizes is None else "sizes", asked[name], n_classes, most, what)


def _facts(target: Problem, name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Settings that the problem supplies to a strategy: classes, training and validation rows, epochs."""
    facts: dict[str, Any] = {}
    if isinstance(target, LearnerProblem):
        n_rows, n_valid = (len(y) for _, y in (target.parts.train, target.parts.valid))
        facts = {"n_classes": target.dataset.n_classes, "n_rows": n_rows, "n_valid": n_valid}
    elif isinstance(target, (LookUpProblem, CurvesProblem)):
        facts = {"n_rows": target.sizes[-1]}
    n_epochs = target.n_epochs if isinstance(target, (LearnerProblem, CurvesProblem)) else None
    if n_epochs is not None and options.get("resource", "epochs") == "epochs":
        facts["max_resource"] = n_epochs
    known = settings_of(name)
    return {setting: value for setting, value in facts.items() if setting in known and setting not in options}


def on_curves(termination: Mapping[str, Any], horizon: int) -> dict[str, Any]:
    """Settings of `Terminating` on curves of so many epochs, p from `check_share`.

    Raises:
        ValueError: on a horizon, or a p beside `check_share`, or a `check_share` that leaves no check.
    """
    for name in ("horizon", "p") if "check_share" in termination else ("horizon",):
        if name in termination:
            source = "epochs" if name == "horizon" else "check_share"
            raise ValueError(f"termination must not hold {name}, which follows from the curves' {source}")
    found = {"horizon": horizon, **termination}
    if "check_share" in found:
        found["p"], _ = epochs_of_checks(found["horizon"], found.pop("check_share"))
    return found


def _curve_columns(ids: pd.Series[int], target: CurvesProblem, checks: list[Check]) -> pd.DataFrame:
    """The columns `CURVE_COLUMNS` of the trials."""
    stored = {curve.id: curve for curve in target.curves}
    curves = [stored[target.replayed[trial]] for trial in ids]
    looks = [[check for check in checks if check.trial == trial] for trial in ids]
    finals = [curve.scores[-1] if len(curve.scores) == target.n_epochs else math.nan for curve in curves]
    return pd.DataFrame(
        {
            "curve_id": [curve.id for curve in curves],
            "final_error": [1 - final for final in finals],
            "cut": [any(check.stopped for check in checked) for checked in looks],
            "n_checks": [len(checked) for checked in looks],
            "check_s": [float(sum(check.seconds for check in checked)) for checked in looks],
        },
        index=ids.index,
    )


def _check_errors(what: str, table: pd.DataFrame) -> None:
    """Raise if every trial failed; warn if all errors are equal."""
    errors = table["error"].dropna().tolist()
    if not errors:
        raise RunError(f"all {len(table)} trials of {what} failed, the first with: {table['reason'].iloc[0]}")
    if len(errors) > 1 and min(errors) == max(errors):
        log.warning("warning: all %d errors of %s are %g, so nothing was learned", len(errors), what, errors[0])
