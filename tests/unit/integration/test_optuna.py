"""Pruners in an Optuna study beside its own WilcoxonPruner, and against the strategies that they are made of."""

from __future__ import annotations

import doctest
import math
import warnings
from types import SimpleNamespace

import numpy as np
import optuna
import pytest

from frugal import folds
from frugal.integration import optuna as integration
from frugal.integration.optuna import BetaPruner, LearningCurvePruner

optuna.logging.set_verbosity(optuna.logging.ERROR)

N, K = 24, 6
MATRIX = np.clip(
    np.random.default_rng(5).normal(0.8, 0.1, (N, 1)) + np.random.default_rng(6).normal(0, 0.02, (N, K)),
    0.01,
    0.99,
)


def study_of(pruner, matrix, direction="maximize", first_step=0):
    """A study whose trial i reports row i of the matrix, step by step."""

    def objective(trial):
        i = trial.suggest_int("i", 0, len(matrix) - 1)
        for step, value in enumerate(matrix[i], start=first_step):
            trial.report(value, step)
            if trial.should_prune():
                raise optuna.TrialPruned
        return float(matrix[i].mean() if first_step == 0 else matrix[i][-1])

    study = optuna.create_study(direction=direction, pruner=pruner)
    for i in range(len(matrix)):
        study.enqueue_trial({"i": i})
    study.optimize(objective, n_trials=len(matrix))
    return study


def evaluated(study):
    return [len(trial.intermediate_values) for trial in study.trials]


@pytest.mark.parametrize("tau", [0.7, 0.99])
def test_the_beta_pruner_does_what_document_000s_sequential_search_does(tau):
    strategy = folds.make("beta_sequential", n_candidates=N, n_folds=K, rng=np.random.default_rng(0), tau=tau)
    table = folds.ScoreTable(MATRIX, np.ones_like(MATRIX), [{"i": i} for i in range(N)], {})
    trace = folds.replay(strategy, table)
    counts = [sum(task.candidate == i for task in trace.tasks) for i in range(N)]
    study = study_of(BetaPruner(tau=tau), MATRIX)
    assert evaluated(study) == counts
    assert min(counts) < K
    assert study.best_params["i"] == trace.chosen


def test_errors_that_are_minimised_are_pruned_as_scores_that_are_maximised():
    errors, scores = study_of(BetaPruner(), 1 - MATRIX, "minimize"), study_of(BetaPruner(), MATRIX)
    assert evaluated(errors) == evaluated(scores)


def test_both_find_the_best_candidate_with_fewer_folds_than_all():
    best = int(MATRIX.mean(axis=1).argmax())
    with warnings.catch_warnings(action="ignore", category=optuna.exceptions.ExperimentalWarning):
        wilcoxon = optuna.pruners.WilcoxonPruner()
    for pruner in (BetaPruner(), wilcoxon):
        study = study_of(pruner, MATRIX)
        assert study.best_params["i"] == best
        assert sum(evaluated(study)) < N * K


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_folds_without_an_error_or_without_a_hit_end_no_study(direction):
    scores = np.array([[0.9, 1.0, 1.0], [1.0, 0.9, 1.0], [0.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
    study = study_of(BetaPruner(), scores if direction == "maximize" else 1 - scores, direction)
    assert evaluated(study) == [3, 3, 1, 3]
    assert evaluated(study_of(BetaPruner(n_valid=50), scores)) == [3, 3, 1, 3]


def test_scores_of_the_best_trial_that_are_not_finite_are_left_out():
    def objective(trial):
        scores = [[0.9, np.nan, 0.92], [0.6, 0.61, 0.6]][trial.number]
        for fold, score in enumerate(scores):
            trial.report(score, fold)
            if trial.should_prune():
                raise optuna.TrialPruned
        return float(np.nanmean(scores))

    study = optuna.create_study(direction="maximize", pruner=BetaPruner())
    study.optimize(objective, n_trials=2)
    assert [trial.state.name for trial in study.trials] == ["COMPLETE", "PRUNED"]
    study = optuna.create_study(direction="maximize", pruner=BetaPruner())
    study.add_trial(optuna.create_trial(value=0.9, intermediate_values={0: np.nan}))
    study.optimize(lambda trial: (trial.report(0.1, 0), trial.should_prune())[1], n_trials=1)
    assert study.trials[1].value == 0


@pytest.mark.parametrize(("direction", "value"), [("minimize", 12.0), ("maximize", -0.5)])
def test_losses_that_are_no_shares_are_refused_by_the_beta_pruner_as_they_were_reported(direction, value):
    sentence = rf"BetaPruner takes .* in \[0, 1\]; trial 1 reported {value:g}: divide losses by a bound"
    with pytest.raises(ValueError, match=sentence):
        study_of(BetaPruner(), np.array([[0.5], [value]]), direction)


@pytest.mark.parametrize("ends", [[0.3, 2.0, 1.9], [3.0, 20.0, 19.0]])
def test_losses_outside_the_range_of_the_curves_are_warned_of_once(ends):
    t = np.arange(1, 31)
    matrix = np.array([end * (1 + 2 / t) / (1 + 2 / 30) for end in ends])
    with pytest.warns(UserWarning, match=r"trial 1: a value outside \[0, 1\]") as warned:
        study = study_of(LearningCurvePruner(30, interval=10, curve=FAST), matrix, "minimize", first_step=1)
    assert evaluated(study) == [30, 30, 30]
    assert len(warned) == 1
    # Divided by a bound the same curves are judged.
    shares = matrix / matrix.max()
    study = study_of(LearningCurvePruner(30, interval=10, curve=FAST), shares, "minimize", first_step=1)
    assert evaluated(study)[1] < 30


def curves(finals, n_epochs=30):
    """Curves 1 - (1 - final) (1 + 8 / t) / (1 + 8 / E), which end at `final`."""
    t = np.arange(1, n_epochs + 1)
    return np.array([1 - (1 - final) * (1 + 2 / t) / (1 + 2 / n_epochs) for final in finals])


FAST = {"n_steps": 120, "n_burn": 60}


def test_a_curve_that_levels_off_far_below_the_best_is_pruned_and_a_better_one_is_not():
    matrix = curves([0.9, 0.5, 0.95])
    study = study_of(LearningCurvePruner(30, interval=10, curve=FAST), matrix, first_step=1)
    assert evaluated(study) == [30, 10, 30]
    again = study_of(LearningCurvePruner(30, interval=10, curve=FAST), matrix, first_step=1)
    assert evaluated(again) == evaluated(study)


def test_what_is_certain_at_once_is_pruned_by_no_delta_of_one():
    study = study_of(LearningCurvePruner(30, interval=10, delta=1.0, curve=FAST), curves([0.9, 0.5]), first_step=1)
    assert evaluated(study) == [30, 30]


def test_epochs_that_are_left_out_are_refused():
    with pytest.raises(ValueError, match=r"must report epochs 1, 2, \.\.\. as steps, got \[0\]"):
        study_of(LearningCurvePruner(40), curves([0.9, 0.8]), first_step=0)


@pytest.mark.parametrize(("mean", "n_epochs"), [(0.5, 10), (1.5, 30), (-0.1, 30)])
def test_a_curve_whose_expected_end_is_no_share_is_not_pruned(mean, n_epochs, monkeypatch):
    fitted = SimpleNamespace(prob_above=lambda _: 0.0, predict=lambda _: ([mean], [0.1]))
    monkeypatch.setattr(integration.CurveModel, "fit", lambda *_: fitted)
    study = study_of(LearningCurvePruner(30, interval=10), curves([0.9, 0.5]), first_step=1)
    assert evaluated(study) == [30, n_epochs]


def test_a_curve_that_no_family_fits_is_not_pruned_and_warned_of_once(monkeypatch):
    def unfittable(*_args):
        raise integration.UnfittableError("it falls")

    monkeypatch.setattr(integration.CurveModel, "fit", unfittable)
    with pytest.warns(UserWarning, match="trial 1: no learning curve fits its 10 values, .*: it falls") as warned:
        study = study_of(LearningCurvePruner(30, interval=10), curves([0.9, 0.5]), first_step=1)
    assert evaluated(study) == [30, 30]
    assert len(warned) == 1


@pytest.mark.parametrize("constraints", [None, [0.0, 1.0]])
@pytest.mark.parametrize("pruner", [BetaPruner(), LearningCurvePruner(30, interval=10)])
def test_a_trial_that_breaks_a_constraint_prunes_no_other(pruner, constraints):
    study = optuna.create_study(direction="maximize", pruner=pruner)
    values = dict.fromkeys(range(1, 31), 0.99)
    study.add_trial(
        optuna.trial.create_trial(
            value=0.99, intermediate_values=values, system_attrs={"constraints": constraints}
        )
    )
    trial = study.ask()
    for step in range(1, 11):
        trial.report(0.5, step)
    assert trial.should_prune() is (constraints is None)
    study.add_trial(optuna.trial.create_trial(value=0.99, intermediate_values=values))
    assert trial.should_prune()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: BetaPruner(tau=0.5), "tau must be above 0.5 and at most 1"),
        (lambda: BetaPruner(n_valid=1), "n_valid must be at least 2"),
        (lambda: BetaPruner(n_startup_folds=0), "n_startup_folds must be at least 1"),
        (lambda: LearningCurvePruner(3), "horizon must be at least"),
        (lambda: LearningCurvePruner(30, interval=30), "interval must be"),
        (lambda: LearningCurvePruner(8, interval=4), "interval = 4 leaves no epoch to check before the horizon 8"),
        (lambda: LearningCurvePruner(40, curve=3), "curve must be a mapping of settings, or None, got 3"),
        (lambda: LearningCurvePruner(40, curve={"n_steps": 10}), "n_steps must be at least"),
        (lambda: LearningCurvePruner(40, curve={"n_step": 10}), "unknown setting of curve 'n_step'; known: prior"),
    ],
)
def test_settings_out_of_range_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_the_examples_in_the_docstrings_run():
    results = doctest.testmod(integration)
    assert results.attempted > 0
    assert results.failed == 0


def test_a_best_trial_whose_last_report_is_no_number_prunes_nothing():
    study = optuna.create_study(direction="maximize")
    study.add_trial(optuna.trial.create_trial(value=0.7, intermediate_values={1: 0.5, 2: math.nan}))
    running = optuna.trial.create_trial(
        state=optuna.trial.TrialState.RUNNING, intermediate_values=dict.fromkeys(range(1, 7), 0.4)
    )
    assert LearningCurvePruner(12, interval=6).prune(study, running) is False
