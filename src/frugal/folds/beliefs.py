"""Posteriors of the Beta strategies for each candidate, from its fold scores so far."""

from __future__ import annotations

import math
from typing import Final

from frugal.checks import check_between, check_choice, check_number, check_whole
from frugal.folds import beta, log_loss
from frugal.folds.ledger import SHARES, BaseFoldStrategy, Ledger

MODELS = ("accuracy", "log_loss")
"""Kinds of score: accuracy, or exp(-log-loss), the geometric mean probability of the true class."""

Posterior = beta.Posterior | log_loss.Posterior
_PRIOR_SHARE: Final = 0.01
"""Prior mean of log-losses as a share of what guessing costs. The prior falls like exp(-2 mean / loss) below its
mean and like a power above it: with a mean above the losses, the smaller of two could rank behind the larger."""


class Beliefs:
    """Posteriors of candidates, computed on request; equal fold scores share one.

    Args:
        ledger: the scores so far.
        tau: probability above which one candidate is worse than another, above 0.5 and at most 1.
        model: one of `MODELS`.
        rate: rate of the exponential prior on the precision of fold scores.
        n_rows: rows of the dataset.
        n_valid: number of rows that a fold is scored on; None: `n_rows // n_folds`. Accuracies of exactly 0 or 1
            need this number; they are refused if both `n_valid` and `n_rows` are None.
        n_classes: classes of the dataset, for the prior of log-losses; None: a prior mean of 0.01 nats.

    Raises:
        ValueError: on a setting out of range.
    """

    def __init__(
        self,
        ledger: Ledger,
        *,
        tau: float,
        model: str,
        rate: float,
        n_rows: int | None,
        n_valid: int | None,
        n_classes: int | None,
    ) -> None:
        check_between("tau", tau, 0.5, 1, above=True)
        check_choice("model", model, MODELS)
        check_number("rate", rate, 1e-6)
        if n_valid is not None:
            check_whole("n_valid", n_valid, 2)  # an edge of half a row needs two validation rows
        elif n_rows is not None:
            check_whole("n_rows", n_rows, 2 * ledger.n_folds)
            n_valid = n_rows // ledger.n_folds
        if n_classes is not None:
            check_whole("n_classes", n_classes, 2)
        self._ledger, self._tau, self._model, self._rate = ledger, tau, model, rate
        self._n_valid = n_valid
        self._scale = _PRIOR_SHARE * (1.0 if n_classes is None else math.log(n_classes))

    def check(self, score: float) -> None:
        """Raise unless the model has a posterior for this score; call it before the score is recorded.

        Raises:
            ValueError: naming the remedy.
        """
        if self._model == "accuracy" and score in (0.0, 1.0) and self._n_valid is None:
            raise ValueError(f"a score of exactly {score:g} has no Beta posterior; give the setting n_rows")
        if self._model == "log_loss" and score == 1.0:
            raise ValueError("a score of exactly 1 is a log-loss of 0; clip the predicted probabilities")

    def counted(self, score: float) -> float:
        """The score as the ledger keeps it: nan, a failed fit, for a log-loss too large for a number (0)."""
        return math.nan if score == 0 and self._model == "log_loss" else score

    def posterior(self, candidate: int) -> Posterior:
        """Posterior predictive of a candidate without failed fits."""
        scores = self._ledger.scores[candidate]
        if self._model == "accuracy":
            return beta.Posterior.fit(scores, rate=self._rate, n_valid=self._n_valid)
        losses = [-math.log(score) for score in scores]
        return log_loss.Posterior.fit(losses, rate=self._rate, scale=self._scale)

    def failed(self, candidate: int) -> bool:
        """True if a fit of the candidate failed, or its log-loss was too large for a number (a score of 0)."""
        return any(math.isnan(self.counted(score)) for score in self._ledger.scores[candidate])

    def worth(self, candidate: int) -> float:
        """Mean of the posterior predictive, larger is better; -inf where a fit failed."""
        if self.failed(candidate):
            return -math.inf
        mean = self.posterior(candidate).mean
        return mean if self._model == "accuracy" else -mean

    def quantile(self, candidate: int, share: float) -> float:
        """Score that a further fold of the candidate beats with probability 1 - share; -inf where a fit failed.

        With log-losses it is minus the loss.
        """
        if self.failed(candidate):
            return -math.inf
        if self._model == "accuracy":
            return float(self.posterior(candidate).quantile(share))
        return -float(self.posterior(candidate).quantile(1 - share))

    def prob_better(self, best: int, other: int) -> float:
        """P(a further fold of `best` scores better than one of `other`): equation 5; 1 where `other` failed."""
        if self.failed(other):
            return 1.0
        better, worse = self.posterior(best), self.posterior(other)
        return beta.prob_greater(better, worse) if self._model == "accuracy" else beta.prob_greater(worse, better)

    def prunes(self, best: int, other: int) -> float | None:
        """`prob_better` if it is above tau or `other` failed, so that `other` is to be pruned; else None."""
        prob = self.prob_better(best, other)
        return prob if prob > self._tau or self.failed(other) else None


class BaseBetaStrategy(BaseFoldStrategy):
    """Base of the strategies that the model decides for: the settings of their beliefs.

    Args:
        n_candidates: length of the candidate list.
        n_folds: folds of a complete candidate.
        tau: a candidate is dropped when equation 5 exceeds it; above 0.5, at most 1 (1: never).
        rate: rate of the exponential prior on the precision.
        model: `accuracy`, or `log_loss` where scores are exp(-log-loss).
        n_rows: rows of the dataset; accuracies of exactly 0 or 1 need `n_rows` or `n_valid`.
        n_valid: rows that a fold is scored on; None: `n_rows // n_folds`.
        n_classes: classes of the dataset; the prior mean of log-losses is a hundredth of their logarithm; None:
            0.01 nats.

    Raises:
        ValueError: on a setting out of range.
    """

    def __init__(
        self,
        *,
        n_candidates: int,
        n_folds: int,
        tau: float = 0.99,
        rate: float = 0.01,
        model: str = "accuracy",
        n_rows: int | None = None,
        n_valid: int | None = None,
        n_classes: int | None = None,
    ) -> None:
        super().__init__(n_candidates=n_candidates, n_folds=n_folds, score_range=SHARES)
        self._beliefs = Beliefs(
            self._ledger, tau=tau, rate=rate, model=model, n_rows=n_rows, n_valid=n_valid, n_classes=n_classes
        )
