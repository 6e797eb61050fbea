"""Early stopping of cross-validation, halving over folds, races and predicted folds, against literal versions."""

from __future__ import annotations

import itertools
import math
import warnings

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.linear_model import LinearRegression

from frugal import folds


@st.composite
def matrices(draw, n=(1, 12), k=(2, 6)):
    """Scores of n candidates on k folds in steps of 0.05, a few of them failed."""
    n_candidates, n_folds = draw(st.integers(*n)), draw(st.integers(*k))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    scores = (
        np.clip(rng.integers(4, 17, (n_candidates, 1)) + rng.integers(-3, 4, (n_candidates, n_folds)), 0, 20) / 20
    )
    scores[rng.random(scores.shape) < draw(st.sampled_from([0.0, 0.05]))] = np.nan
    return scores


def replayed(name, matrix, **given_settings):
    n, k = matrix.shape
    strategy = folds.make(name, n_candidates=n, n_folds=k, rng=np.random.default_rng(0), **given_settings)
    return folds.replay(strategy, folds.ScoreTable(matrix, np.ones_like(matrix), [{"i": i} for i in range(n)], {}))


def evaluated(trace, shape):
    """Number of folds by candidate, which are always the first ones."""
    counts = np.zeros(shape[0], dtype=int)
    for task in trace.tasks:
        assert task.fold == counts[task.candidate]
        counts[task.candidate] += 1
    return counts.tolist()


def one_by_one(matrix, is_dropped):
    """Folds by candidate, and the choice; `is_dropped(scores so far, best, candidate, counts)` decides."""
    incumbent, counts = None, []
    for candidate, scores in enumerate(matrix):
        for count in range(1, len(scores) + 1):
            so_far = scores[:count]
            if count == len(scores):
                break
            if np.isnan(so_far).any() or (
                incumbent is not None and is_dropped(so_far, matrix[incumbent], candidate, counts)
            ):
                break
        counts.append(count)
        complete = count == len(scores) and not np.isnan(scores).any()
        if complete and (incumbent is None or math.fsum(scores) > math.fsum(matrix[incumbent]) + 1e-12):
            incumbent = candidate
    return counts, incumbent


@settings(deadline=None)
@given(matrices(), st.sampled_from(["aggressive", "forgiving"]))
def test_early_stopping_drops_below_the_incumbents_mean_or_its_worst_fold(matrix, kind):
    def is_dropped(so_far, best, candidate, counts):
        return so_far.mean() < (best.mean() if kind == "aggressive" else best.min()) - 1e-12

    counts, incumbent = one_by_one(matrix, is_dropped)
    trace = replayed(f"{kind}_early_stopping", matrix)
    assert evaluated(trace, matrix.shape) == counts
    assert trace.complete == (incumbent is not None)
    assert not trace.complete or trace.chosen == incumbent


def test_what_ties_with_the_incumbent_goes_on():
    matrix = np.array([[0.5, 0.9], [0.7, 0.6], [0.5, 0.8], [0.45, 1.0]])
    assert evaluated(replayed("aggressive_early_stopping", matrix), (4, 2)) == [2, 2, 1, 1]
    assert evaluated(replayed("forgiving_early_stopping", matrix), (4, 2)) == [2, 2, 2, 1]


@pytest.mark.parametrize(
    ("n", "k", "factor", "rungs"),
    [
        (128, 10, 3, [(128, 1), (42, 3), (14, 9), (4, 10)]),  # 128 + 84 + 84 + 4 folds: a share of 0.234
        (128, 10, 2, [(128, 1), (64, 2), (32, 4), (16, 8), (8, 10)]),  # 336 of 1,280: 0.263
        (5, 2, 3, [(5, 1), (1, 2)]),
        (2, 9, 3, [(2, 1), (1, 3), (1, 9)]),
    ],
)
def test_halving_gives_a_third_of_the_candidates_three_times_the_folds(n, k, factor, rungs):
    strategy = folds.make("fold_halving", n_candidates=n, n_folds=k, rng=np.random.default_rng(0), factor=factor)
    assert strategy.rungs == rungs
    matrix = np.random.default_rng(1).random((n, k))
    trace = replayed("fold_halving", matrix, factor=factor)
    counts = evaluated(trace, (n, k))
    before = [*rungs[1:], (0, 0)]
    assert sorted(counts) == sorted(
        folds_ for (here, folds_), (later, _) in zip(rungs, before, strict=True) for _ in range(here - later)
    )
    alive = set(range(n))
    for (_, done), (n_next, _) in itertools.pairwise(rungs):
        alive = set(sorted(alive, key=lambda c: -matrix[c, :done].mean())[:n_next])
    assert {c for c in range(n) if counts[c] == k} == alive
    assert trace.chosen == max(alive, key=lambda c: matrix[c].mean())


def race(matrix, is_worse):
    """Folds by candidate of a race, `is_worse(best's scores, its scores, everyone's)` after two folds and more."""
    n, k = matrix.shape
    alive, counts = list(range(n)), [1] * n
    for done in range(1, k):
        alive = [c for c in alive if not np.isnan(matrix[c, :done]).any()]
        if done >= 2 and len(alive) > 1:
            seen = matrix[alive, :done]
            best = int(np.argmax(seen.mean(axis=1).round(12)))  # equal scores in another order tie
            alive = [c for i, c in enumerate(alive) if i == best or not is_worse(seen, best, i)]
        for c in alive:
            counts[c] += 1
    return counts


@settings(deadline=None)
@given(matrices(), st.sampled_from([0.7, 0.95]))
def test_a_race_by_t_drops_what_scipys_paired_t_test_calls_worse(matrix, confidence):
    def is_worse(seen, best, i):
        difference = seen[best] - seen[i]
        if np.ptp(difference) < 1e-12:  # scipy warns where the difference is constant
            return difference[0] > 1e-12
        return stats.ttest_rel(seen[best], seen[i], alternative="greater").pvalue < 1 - confidence

    trace = replayed("paired_racing", matrix, test="t", confidence=confidence)
    assert evaluated(trace, matrix.shape) == race(matrix, is_worse)


def test_a_normal_race_takes_the_quantile_of_the_normal_distribution():
    # Differences 0.1, 0.3: mean 0.2, s / sqrt(2) = 0.1, so that z = 2: beyond 1.64, short of 2.33.
    matrix = np.array([[0.9, 0.9, 0.9], [0.8, 0.6, 0.9]])
    assert evaluated(replayed("paired_racing", matrix, confidence=0.95), (2, 3)) == [3, 2]
    assert evaluated(replayed("paired_racing", matrix, confidence=0.99), (2, 3)) == [3, 3]


def conover(seen, best, i, confidence):
    """Friedman's test, then Conover's comparison, as his section 5.8 writes them for b blocks and k treatments."""
    k, b = seen.shape
    if k == 2:
        return stats.ttest_rel(seen[best], seen[i], alternative="greater").pvalue < 1 - confidence
    ranks = np.array([stats.rankdata(column) for column in seen.T]).T
    sums, a1, c1 = ranks.sum(axis=1), (ranks**2).sum(), b * k * (k + 1) ** 2 / 4
    t1 = (k - 1) * ((sums - b * (k + 1) / 2) ** 2).sum() / (a1 - c1)
    if stats.chi2.sf(t1, k - 1) >= 1 - confidence:
        return False
    root = math.sqrt(max(0.0, 2 * b * (a1 - c1) / ((b - 1) * (k - 1)) * (1 - t1 / (b * (k - 1)))))
    return sums[best] - sums[i] > stats.t.ppf(1 - (1 - confidence) / 2, (b - 1) * (k - 1)) * root


@settings(deadline=None)
@given(st.integers(0, 10**6), st.integers(3, 12), st.integers(3, 8))
def test_a_race_by_ranks_is_friedmans_test_and_conovers_comparison(seed, n, k):
    rng = np.random.default_rng(seed)
    matrix = 0.5 + 0.2 * rng.random((n, 1)) + 0.1 * rng.random((n, k))  # no ties
    trace = replayed("paired_racing", matrix, test="friedman", confidence=0.9)
    assert evaluated(trace, matrix.shape) == race(matrix, lambda *args: conover(*args, 0.9))


DRAWN, TIED = np.random.default_rng(0).random((5, 4)), np.full((4, 3), 0.5)


@pytest.mark.parametrize(
    ("matrix", "test", "confidence"),
    [(DRAWN, "normal", 1.0), (DRAWN, "t", 1.0), (DRAWN, "friedman", 1.0), (TIED, "friedman", 0.95)],
)
def test_a_race_at_confidence_1_or_by_ranks_that_all_tie_drops_and_warns_of_nothing(matrix, test, confidence):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        trace = replayed("paired_racing", matrix, test=test, confidence=confidence)
    n_candidates, n_folds = matrix.shape
    assert evaluated(trace, matrix.shape) == [n_folds] * n_candidates


@settings(deadline=None, max_examples=50)
@given(matrices(n=(6, 14), k=(3, 6)), st.sampled_from([0.0, 2.0]))
def test_predicted_folds_are_those_of_a_linear_regression(matrix, n_sds):
    n_folds = matrix.shape[1]

    def is_dropped(so_far, best, candidate, counts):
        if candidate < 5:
            return False
        bounds = []
        for fold in range(len(so_far), n_folds):
            pairs = {
                (*matrix[c, : len(so_far)], matrix[c, fold]): c
                for c, count in enumerate(counts)
                if count > fold and not np.isnan(matrix[c, :count]).any()
            }
            others = [*pairs.values()]
            dof = len(others) - len(so_far) - 1
            if dof < 1:
                return False
            known, fit = matrix[others, : len(so_far)], LinearRegression()
            residuals = matrix[others, fold] - fit.fit(known, matrix[others, fold]).predict(known)
            bounds.append(fit.predict([so_far])[0] + n_sds * math.sqrt((residuals**2).sum() / dof))
        bound = (so_far.sum() + sum(bounds)) / n_folds
        if abs(bound - best.mean()) < 1e-9:
            raise CloseError
        return bound < best.mean()

    try:
        counts, incumbent = one_by_one(matrix, is_dropped)
    except CloseError:  # the last digit decides
        reject()  # so that hypothesis says if few examples are left
    trace = replayed("predicted_folds", matrix, n_sds=n_sds, n_startup=5)
    assert evaluated(trace, matrix.shape) == counts
    assert trace.complete == (incumbent is not None)
    assert not trace.complete or trace.chosen == incumbent


class CloseError(Exception):
    """A bound that equals what it is compared with, to the last digits."""


def test_a_fold_that_follows_from_the_first_is_predicted_exactly():
    # Fold 2 is fold 1 minus 0.1 for everyone: the first fold tells the mean, and only a better one goes on.
    first = np.array([0.5, 0.6, 0.7, 0.4, 0.65, 0.69, 0.71, 0.3])
    matrix = np.column_stack([first, first - 0.1])
    assert evaluated(replayed("predicted_folds", matrix, n_startup=4), (8, 2)) == [2, 2, 2, 2, 1, 1, 2, 1]


def test_equal_candidates_show_nothing_of_how_far_a_prediction_may_be_off():
    worst, good = [0.63] * 5, [0.90, 0.88, 0.91, 0.89, 0.92]
    matrix = np.array([worst, worst, worst, worst, good, [0.89, 0.93, 0.94, 0.93, 0.95]])
    trace = replayed("predicted_folds", matrix, n_startup=5)
    assert evaluated(trace, matrix.shape) == [5] * 6
    assert trace.chosen == 5


def test_candidates_whose_scores_are_too_large_to_predict_are_kept():
    scores = 5e307 * np.random.default_rng(0).uniform(1, 3, size=(12, 5))
    strategy = folds.make("predicted_folds", n_candidates=12, n_folds=5, rng=np.random.default_rng(0), n_startup=5)
    n_fits = 0
    while task := strategy.ask():
        strategy.tell(task, scores[task.candidate, task.fold])
        n_fits += 1
    assert n_fits == 12 * 5


@pytest.mark.parametrize(
    ("name", "setting", "message"),
    [
        ("fold_halving", {"factor": 1}, "factor must be at least 2 and a whole"),
        ("paired_racing", {"test": "wilcoxon"}, "test must be one of normal, t, friedman"),
        ("paired_racing", {"confidence": 0.2}, "confidence must be at least 0.5 and at most 1"),
        ("paired_racing", {"min_folds": 1}, "min_folds must be at least 2 and a whole"),
        ("predicted_folds", {"n_sds": -1}, "n_sds must be"),
        ("predicted_folds", {"n_startup": 0}, "n_startup must be at least 1 and a whole"),
    ],
)
def test_settings_out_of_range_are_refused(name, setting, message):
    with pytest.raises(ValueError, match=message):
        folds.make(name, n_candidates=4, n_folds=3, rng=np.random.default_rng(0), **setting)


@pytest.mark.parametrize("min_folds", [2, 3, 4])
def test_a_race_drops_only_failures_before_its_least_number_of_folds(min_folds):
    matrix = np.array([[0.9] * 4, [0.5] * 4, [math.nan] * 4])
    trace = replayed("paired_racing", matrix, min_folds=min_folds)
    assert evaluated(trace, matrix.shape) == [4, min_folds, 1]


@pytest.mark.parametrize(
    ("chosen", "counts"), [({}, [4, 4, 4, 4, 1]), ({"n_startup": 3}, [4, 4, 4, 1, 1]), ({"n_startup": 5}, [4] * 5)]
)
def test_the_first_candidates_get_all_folds_by_default_as_many_as_there_are_folds(chosen, counts):
    matrix = np.array([0.5, 0.6, 0.7, 0.4, 0.3])[:, None] - [0.0, 0.05, 0.1, 0.15]
    assert evaluated(replayed("predicted_folds", matrix, **chosen), matrix.shape) == counts
