"""Pruners for Optuna: a Beta model of fold scores, and extrapolated learning curves.

Values that are reported are scores where the study maximises, and errors where it minimises; an error e counts as
the score 1 - e. Both compare a trial with the study's best complete trial, so that the first one is never pruned.
Both models are of scores in [0, 1]: divide losses such as RMSE by a bound before they are reported.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from frugal.checks import check_between, check_number, check_whole
from frugal.extras import explained
from frugal.folds.beta import Posterior, prob_greater
from frugal.seeds import seed_for
from frugal.trials.surrogates.learning_curves import MIN_POINTS, CurveModel, UnfittableError, check_checks
from frugal.trials.termination import check_curve_settings

with explained():
    import optuna
    from optuna.pruners import BasePruner
    from optuna.study import StudyDirection
    from optuna.trial import FrozenTrial, TrialState


class BetaPruner(BasePruner):
    """Prunes a trial whose folds a Beta model calls worse than those of the best complete trial.

    Report each fold's score, with its number as the step, and return their mean. A trial is pruned where
    P(a further fold of the best > a further fold of this one) > tau under the model of document 000, equations 3
    to 5 (`frugal.folds.beta`). Differs from its Algorithm 1: Optuna runs one trial after the other, so that there
    is no buffer of candidates; this is plain sequential cross-validation with the criterion (`beta_sequential`).

    Args:
        tau: certainty that is needed to prune, above 0.5 and at most 1; 0.99 in the document.
        rate: rate of the exponential prior on the precision, at least 1e-6; 0.01 in equation 4.
        n_valid: validation rows of a fold, at least 2. The density of a score of exactly 0 or 1 is 0 or infinite.
            Scores are therefore clipped to [1 / (2 n_valid), 1 - 1 / (2 n_valid)]. Give your own number: with more
            rows, scores beside 1 are told apart.
        n_startup_folds: folds before which nothing is pruned, at least 1.

    Raises:
        ValueError: on a setting outside its range; from `prune`, on a score outside [0, 1].

    Examples:
        >>> import optuna
        >>> from frugal.integration.optuna import BetaPruner
        >>> optuna.logging.set_verbosity(optuna.logging.ERROR)
        >>> folds_of = {"good": [0.97, 0.96, 0.98], "bad": [0.5, 0.55, 0.45]}
        >>> def objective(trial):
        ...     scores = folds_of[trial.suggest_categorical("model", ["good", "bad"])]
        ...     for fold, score in enumerate(scores):
        ...         trial.report(score, fold)
        ...         if trial.should_prune():
        ...             raise optuna.TrialPruned
        ...     return sum(scores) / len(scores)
        >>> study = optuna.create_study(direction="maximize", pruner=BetaPruner())
        >>> study.enqueue_trial({"model": "good"})
        >>> study.enqueue_trial({"model": "bad"})
        >>> study.optimize(objective, n_trials=2)
        >>> [(trial.state.name, len(trial.intermediate_values)) for trial in study.trials]
        [('COMPLETE', 3), ('PRUNED', 1)]
    """

    def __init__(
        self, *, tau: float = 0.99, rate: float = 0.01, n_valid: int = 100, n_startup_folds: int = 1
    ) -> None:
        check_between("tau", tau, 0.5, 1, above=True)
        check_number("rate", rate, 1e-6)
        check_whole("n_valid", n_valid, 2)
        check_whole("n_startup_folds", n_startup_folds, 1)
        self._tau, self._n_startup_folds = tau, n_startup_folds
        self._settings: dict[str, Any] = {"rate": rate, "n_valid": n_valid}

    def prune(self, study: optuna.Study, trial: FrozenTrial) -> bool:
        """True if the folds so far say that the trial is worse than the best complete one.

        A trial with a score that is not finite is not pruned. Those of the best trial are left out.
        """
        scores, best = _scores(study, trial), _best_trial(study)
        if best is None or len(scores) < self._n_startup_folds or not all(map(math.isfinite, scores)):
            return False
        best_scores = [score for score in _scores(study, best) if math.isfinite(score)]
        if not best_scores:
            return False
        for number, shares in ((trial.number, scores), (best.number, best_scores)):
            _check_shares(study, number, shares)
        ours, theirs = (Posterior.fit(shares, **self._settings) for shares in (scores, best_scores))
        return prob_greater(theirs, ours) > self._tau


class LearningCurvePruner(BasePruner):
    """Prunes a trial whose learning curve is unlikely to end above the best complete trial.

    Report the validation score after every epoch, the number of epochs as the step, and return the last one. Every
    `interval` epochs a mixture of parametric curves is fitted (`CurveModel`; Domhan, Springenberg and Hutter 2015;
    document 003, section 2.2), and the trial is pruned where P(y_E > y^ | y_1:n) < 1 - delta and the expected y_E
    is in [0, 1], y^ being the last score of the best complete trial. Differs from the source: a pruned trial is
    given no expected error, since Optuna's samplers take pruned trials as they are. A trial one of whose scores is
    above y^ goes on.

    The curves are of scores, or errors, in [0, 1]. Others are hardly ever pruned, since the curves' prior does not
    reach them. The pruner warns once of such a value, or of a curve that no family fits, which is not pruned.

    Args:
        horizon: E, epochs of a whole trial, at least 6.
        interval: epochs between fits, of which a multiple is at least 5 and below the horizon. The source's is 30,
            so give another one for a horizon of 30 or less.
        delta: certainty that is needed to prune, in [0, 1].
        seed: seed of the fits; the generator of a fit is derived from it, the trial's number and the epoch.
        curve: settings of `CurveModel`, such as {"n_steps": 400, "n_burn": 200}.

    Raises:
        ValueError: on a setting outside its range; from `prune`, if a step is no epoch from 1 on or one was left
            out.
        ImportError: without the extra `mcmc`.

    Examples:
        >>> from frugal.integration.optuna import LearningCurvePruner
        >>> pruner = LearningCurvePruner(horizon=100, interval=10)
    """

    def __init__(
        self,
        horizon: int,
        *,
        interval: int = 30,
        delta: float = 0.95,
        seed: int = 0,
        curve: dict[str, Any] | None = None,
    ) -> None:
        check_whole("horizon", horizon, MIN_POINTS + 1)
        check_whole("interval", interval, 1, horizon - 1, "the horizon without its last epoch")
        check_checks("interval", interval, horizon)
        check_between("delta", delta, 0, 1)
        check_whole("seed", seed, 0)
        self._horizon, self._interval, self._delta, self._seed = horizon, interval, delta, seed
        if not isinstance(curve, Mapping | None):
            raise ValueError(f"curve must be a mapping of settings, or None, got {curve!r}")
        self._curve = dict(curve or {})
        check_curve_settings(self._curve)
        self._has_warned = False

    def prune(self, study: optuna.Study, trial: FrozenTrial) -> bool:
        """True if the curve so far says that the trial ends below the best complete one."""
        epochs, scores, best = sorted(trial.intermediate_values), _scores(study, trial), _best_trial(study)
        n = len(scores)
        if epochs != list(range(1, n + 1)):
            raise ValueError(f"trial {trial.number} must report epochs 1, 2, ... as steps, got {epochs}")
        if best is None or n % self._interval or not MIN_POINTS <= n < self._horizon:
            return False
        target = _scores(study, best)[-1]
        if not np.isfinite([*scores, target]).all() or max(scores) > target:
            return False
        rng = np.random.default_rng(seed_for("curve", self._seed, trial.number, n))
        try:
            model = CurveModel(rng=rng, **self._curve).fit(scores, self._horizon)
        except UnfittableError as error:
            self._warn(trial, f"no learning curve fits its {n} values, so that it is not pruned: {error}")
            return False
        if not all(0 <= score <= 1 for score in (scores[-1], target)):
            self._warn(trial, "a value outside [0, 1] is hardly ever pruned: divide losses by a bound")
        mean = float(model.predict(self._horizon)[0][0])
        return model.prob_above(target) < 1 - self._delta and 0 <= mean <= 1

    def _warn(self, trial: FrozenTrial, sentence: str) -> None:
        """Warn of the first trial that cannot be judged well."""
        if not self._has_warned:
            self._has_warned = True
            warnings.warn(f"trial {trial.number}: {sentence} (further ones are not named)", stacklevel=3)


def _best_trial(study: optuna.Study) -> FrozenTrial | None:
    """The study's best complete trial that has reported values and breaks no constraint."""
    complete = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
    reported = [one for one in complete if one.intermediate_values and one.value is not None and _is_feasible(one)]
    sign = 1 if study.direction == StudyDirection.MAXIMIZE else -1
    return max(reported, key=lambda trial: sign * (trial.value or 0.0), default=None)


def _is_feasible(trial: FrozenTrial) -> bool:
    """Whether a trial's constraints, if it has any, are all at most 0."""
    named = getattr(trial, "constraints", None)  # of Optuna 5
    values = (trial.system_attrs.get("constraints") or ()) if named is None else named.values()
    return all(value <= 0 for value in values)


def _scores(study: optuna.Study, trial: FrozenTrial) -> list[float]:
    """Values that a trial has reported, by step, as scores: higher is better."""
    values = [trial.intermediate_values[step] for step in sorted(trial.intermediate_values)]
    return values if study.direction == StudyDirection.MAXIMIZE else [1 - value for value in values]


def _check_shares(study: optuna.Study, number: int, scores: list[float]) -> None:
    """Raise ValueError unless all scores of a trial lie in [0, 1]; the message has the values as reported."""
    reported = scores if study.direction == StudyDirection.MAXIMIZE else [1 - score for score in scores]
    for score, value in zip(scores, reported, strict=True):
        if not 0 <= score <= 1:
            raise ValueError(
                "BetaPruner takes scores, or errors where the study minimises, in [0, 1]; "
                f"trial {number} reported {value:g}: divide losses by a bound"
            )
