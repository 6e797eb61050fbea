"""What the Beta strategies believe of each candidate, from the fold scores that they were told."""

from __future__ import annotations

import math

from frugal.folds import beta, log_loss
from frugal.folds.checks import check_choice, check_number, check_whole
from frugal.folds.ledger import Ledger

MODELS = ("accuracy", "log_loss")
"""What a score is: an accuracy, or exp(-log-loss), the geometric mean probability of the true class."""

Posterior = beta.Posterior | log_loss.Posterior


class Beliefs:
    """Posterior of every candidate, on request; equal fold scores share one.

    Args:
        ledger: what was told.
        tau: probability above which one candidate is worse than another, above 0.5 and at most 1.
        model: one of `MODELS`.
        rate: of the prior on the precision of fold scores.
        n_rows: rows of the dataset, which accuracies of exactly 0 or 1 need; None: refuse those.

    Raises:
        ValueError: on a setting out of range.
    """

    def __init__(self, ledger: Ledger, *, tau: float, model: str, rate: float, n_rows: int | None) -> None:
        check_number("tau", tau, 0)
        if not 0.5 < tau <= 1:
            raise ValueError(f"tau must be above 0.5 and at most 1, got {tau!r}")
        check_choice("model", model, MODELS)
        check_number("rate", rate, 1e-6)
        if n_rows is not None:
            check_whole("n_rows", n_rows, ledger.n_folds)
        self._ledger, self.tau, self._model, self._rate = ledger, tau, model, rate
        self._n_valid = None if n_rows is None else n_rows // ledger.n_folds

    def of(self, candidate: int) -> Posterior:
        """Posterior predictive of a candidate none of whose fits failed.

        Raises:
            ValueError: on a score that the model does not have; the remedy is named.
        """
        scores = self._ledger.scores[candidate]
        if self._model == "accuracy":
            return beta.Posterior.fit(scores, rate=self._rate, n_valid=self._n_valid)
        losses = [-math.log(score) if score else math.inf for score in scores]
        return log_loss.Posterior.fit(losses, rate=self._rate)

    def failed(self, candidate: int) -> bool:
        """Whether a fit of the candidate failed."""
        return any(math.isnan(score) for score in self._ledger.scores[candidate])

    def worth(self, candidate: int) -> float:
        """Mean of the posterior predictive, larger is better; -inf where a fit failed."""
        if self.failed(candidate):
            return -math.inf
        mean = self.of(candidate).mean
        return mean if self._model == "accuracy" else -mean

    def quantile(self, candidate: int, share: float) -> float:
        """Score that a further fold of the candidate beats with probability 1 - share; -inf where a fit failed."""
        if self.failed(candidate):
            return -math.inf
        if self._model == "accuracy":
            return float(self.of(candidate).quantile(share))
        return -float(self.of(candidate).quantile(1 - share))

    def prob_better(self, best: int, other: int) -> float:
        """P(a further fold of `best` scores better than one of `other`): equation 5; 1 where `other` failed."""
        if self.failed(other):
            return 1.0
        better, worse = self.of(best), self.of(other)
        return beta.prob_greater(better, worse) if self._model == "accuracy" else beta.prob_greater(worse, better)

    def prunes(self, best: int, other: int) -> float | None:
        """That probability if it is above tau, else None; a failed candidate is always pruned."""
        prob = self.prob_better(best, other)
        return prob if prob > self.tau or self.failed(other) else None
