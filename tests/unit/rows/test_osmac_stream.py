"""OSMAC over a stream: its draws against their exact chances, and its estimate against that of rows in memory."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from subsample_designs import BETA, design, reference

from frugal.bench.osmac import generated_chunks
from frugal.rows import FitError, fit_subsample, sampling_probabilities
from frugal.rows.osmac_stream import METHODS, Slots, osmac_stream
from frugal.rows.weighted_logistic import fit_weighted


def in_chunks(X, y, cuts):
    def read():
        return zip(np.split(X, cuts), np.split(y, cuts), strict=True)

    return read


@pytest.fixture(scope="module")
def nz():
    return design("nzNormal", np.random.default_rng(1), n_rows=4000)


@pytest.mark.parametrize("cuts", [[], [2, 2, 5], list(range(1, 8))])
def test_a_row_is_drawn_in_proportion_to_its_score_however_rows_are_cut(cuts):
    scores, n = np.array([0.0, 3.0, 1.0, 0.0, 2.0, 0.5, 3.5, 0.0]), 40_000
    slots = Slots(n, np.random.default_rng(3))
    for part in np.split(np.arange(8), cuts):
        slots.see(part[:, None].astype(float), part % 2 * 1.0, scores[part], part)
    assert slots.total == scores.sum()
    drawn = np.bincount(slots.numbers, minlength=8)
    assert (drawn[scores == 0.0] == 0).all()
    expected = n * scores / scores.sum()
    assert stats.chisquare(drawn[scores > 0], expected[scores > 0]).pvalue > 0.01
    np.testing.assert_array_equal(slots.X[:, 0], slots.numbers)
    np.testing.assert_array_equal(slots.scores, scores[slots.numbers])
    halves = np.histogram2d(slots.numbers[::2], slots.numbers[1::2], bins=[[0, 3, 8]] * 2)[0]
    assert stats.chi2_contingency(halves).pvalue > 0.01, "slots are drawn independently"


@pytest.mark.parametrize("method", METHODS)
def test_probabilities_and_fit_are_those_of_the_same_rows_in_memory(nz, method):
    X, y = nz
    cuts = [10, 10, 1500, 3999]
    fit = osmac_stream(
        in_chunks(X, y, cuts), pilot_size=150, size=400, rng=np.random.default_rng(2), method=method
    )
    assert (fit.n_rows, fit.n_passes, fit.n_pilot, len(fit.rows)) == (4000, 2, 150, 550)
    first, second = fit.rows[:150], fit.rows[150:]
    balanced = sampling_probabilities(X, y, method="cc")
    np.testing.assert_allclose(fit.probabilities[:150], balanced[first], rtol=1e-12)
    given = {"weights": 1 / balanced[first], "offsets": np.zeros(150), "start": np.zeros(7)}
    pilot = fit_weighted(X[first], y[first].astype(float), **given, sample="pilot")
    np.testing.assert_allclose(fit.pilot.coef, pilot.coef, rtol=1e-8)
    exact = sampling_probabilities(X, y, method=method, coef=pilot.coef, information=pilot.information)
    np.testing.assert_allclose(fit.probabilities[150:], exact[second], rtol=1e-7)
    np.testing.assert_allclose(
        fit.coef, reference(X[fit.rows], y[fit.rows], 1 / fit.probabilities), rtol=1e-3, atol=1e-4
    )


@pytest.mark.parametrize("method", METHODS)
def test_estimates_have_the_mean_and_spread_of_those_in_memory_and_their_standard_errors(nz, method):
    X, y = nz
    read, n = in_chunks(X, y, [1500]), 80
    sizes = {"pilot_size": 200, "size": 600, "method": method}
    fits = [osmac_stream(read, **sizes, rng=np.random.default_rng([1, i])) for i in range(n)]
    streamed = np.array([fit.coef for fit in fits])
    held = np.array([fit_subsample(X, y, **sizes, rng=np.random.default_rng([2, i])).coef for i in range(n)])
    error = np.sqrt((streamed.var(axis=0, ddof=1) + held.var(axis=0, ddof=1)) / n)
    assert (np.abs(streamed.mean(axis=0) - held.mean(axis=0)) < 4 * error).all()
    # A sum of 7 variances of 80 values, not quite independent, has a relative error of about 8 %.
    seen = streamed.var(axis=0, ddof=1).sum()
    assert seen / held.var(axis=0, ddof=1).sum() == pytest.approx(1.0, abs=0.35)
    assert np.mean([np.trace(fit.covariance) for fit in fits]) == pytest.approx(seen, rel=0.3)


def test_a_failed_pilot_is_drawn_once_more_with_twice_the_rows(nz):
    def fit(seed):
        return osmac_stream(in_chunks(*nz, [900]), pilot_size=12, size=600, rng=np.random.default_rng(seed))

    outcomes = []
    for seed in range(30):
        try:
            outcomes.append((fit(seed).n_passes, fit(seed).n_pilot))
        except FitError as error:
            assert "the pilot of 24 rows" in str(error)  # noqa: PT017
    assert set(outcomes) <= {(2, 12), (3, 24)}
    assert (3, 24) in outcomes


def test_chunks_that_can_be_read_only_once_are_refused(nz):
    once = iter([nz])
    with pytest.raises(ValueError, match="the same rows each time, got 4000 rows and then 0"):
        osmac_stream(lambda: once, pilot_size=100, size=100, rng=np.random.default_rng(0))


def test_bad_input_is_refused_in_one_sentence(nz):
    X, y = nz
    sizes = {"pilot_size": 50, "size": 50, "rng": np.random.default_rng(0)}
    for arguments, message in (
        ({"method": "lcc"}, "method must be one of osmac_mvc, osmac_mmse, got 'lcc'"),
        ({"size": 0}, "size must be at least 1"),
        ({"pilot_size": 0}, "pilot_size must be at least 1"),
        ({"rng": 3}, "rng must be a numpy.random.Generator"),
    ):
        with pytest.raises(ValueError, match=message):
            osmac_stream(in_chunks(X, y, []), **(sizes | arguments))
    for chunks, message in (
        ([(X, np.ones(len(y)))], "got no 0 among 4000 rows"),
        ([], "got no 0 among 0 rows"),
        ([(X, y + 1)], "y must hold the labels 0 and 1, got 2"),
        ([(X * np.nan, y)], "X must be finite"),
        ([(X, y[:-1])], "chunks of shape"),
        ([(X, y), (X[:, 1:], y)], "chunks of shape"),
    ):
        with pytest.raises(ValueError, match=message):
            osmac_stream(lambda chunks=chunks: chunks, **sizes)
    passes = iter([[(X, y)], [(X[:-1], y[:-1])]])
    with pytest.raises(ValueError, match="same rows each time, got 4000 rows and then 3999"):
        osmac_stream(lambda: next(passes), **sizes)


def test_the_estimate_of_a_stream_nears_the_truth():
    read = lambda: generated_chunks(60_000, 7, 20_000, 5)  # noqa: E731
    fits = [osmac_stream(read, pilot_size=300, size=4000, rng=np.random.default_rng(i)) for i in range(4)]
    # 0.108 at r = 1000 and r_0 = 200 (docs/methods.md, section 13), scaled to 4300 rows; 0.04 / 6 for all rows.
    expected = 0.108 * 1200 / 4300 + 0.04 / 6
    assert np.mean([((fit.coef - BETA) ** 2).sum() for fit in fits]) < 3 * expected
