"""The bag of little bootstraps over chunks, and how its subsamples are drawn."""

from __future__ import annotations

import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest
from joblib.externals.loky import ProcessPoolExecutor as LokyExecutor
from scipy.stats import chisquare
from test_bootstrap import mean, rng, spread

from frugal.rows import Settle, blb, blb_stream, fit_logistic, interval_widths
from frugal.rows.subsamples import Reservoir


def problem(n=500, d=2):
    X = rng(0).normal(size=(n, d))
    return X, (rng(1).random(n) < 1 / (1 + np.exp(-X.sum(axis=1)))).astype(int)


def reader(X, y, size, passes=None):
    """Chunks of `size` rows, an empty one among them; counts the passes."""

    def read():
        if passes is not None:
            passes.append(None)
        yield X[:0], None if y is None else y[:0]
        for first in range(0, len(X), size):
            yield X[first : first + size], None if y is None else y[first : first + size]

    return read


@pytest.mark.parametrize("size", [1, 77, 500])
@pytest.mark.parametrize(("at_once", "n_passes"), [(1, 4), (3, 2), (4, 1)])
def test_a_stream_gives_what_the_rows_in_memory_give(size, at_once, n_passes):
    X, y = problem()
    run = {"b": 60, "s": 4, "r": 3, "fit": fit_logistic, "statistic": interval_widths}
    passes = []
    streamed = blb_stream(reader(X, y, size, passes), at_once=at_once, rng=rng(), **run)
    in_memory = blb(X, y, rng=rng(), **run)
    assert np.array_equal(streamed.estimates, in_memory.estimates)
    assert np.array_equal(streamed.statistic, in_memory.statistic)
    assert (streamed.n, streamed.b) == (500, 60)
    assert len(passes) == n_passes


@pytest.mark.parametrize("pool", [lambda: ThreadPoolExecutor(2), lambda: LokyExecutor(2)], ids=["threads", "loky"])
def test_an_executor_gives_what_this_process_gives(pool):
    X, _ = problem()

    def mean_of(X, y, weights):  # a closure reaches the workers, too
        return weights @ X / weights.sum()

    run = {"b": 50, "s": 5, "r": 4, "fit": mean_of, "statistic": interval_widths}
    here = blb_stream(reader(X, None, 200), rng=rng(), **run)
    with pool() as executor:
        there = blb_stream(reader(X, None, 200), rng=rng(), executor=executor, **run)
    assert np.array_equal(there.estimates, here.estimates)


def test_an_executor_fits_as_many_subsamples_at_once_as_it_has_workers():
    both = Barrier(2)

    def fit(X, y, weights):
        both.wait(timeout=60)  # a fit alone would wait in vain
        return mean(X, y, weights)

    run, passes = {"b": 50, "s": 4, "r": 3, "fit": fit, "statistic": spread}, []
    with ThreadPoolExecutor(2) as executor:
        blb_stream(reader(problem()[0], None, 200, passes), rng=rng(), executor=executor, **run)
    assert len(passes) == 2


def test_a_stream_settles_where_the_rows_in_memory_do_and_reads_no_further():
    X, _ = problem()
    run = {"b": 50, "s": 30, "r": 20, "fit": mean, "statistic": spread, "settle_s": Settle(0.1, window=3)}
    passes = []
    streamed = blb_stream(reader(X, None, 100, passes), rng=rng(), **run)
    in_memory = blb(X, None, rng=rng(), **run)
    assert streamed.settled_s
    assert streamed.s == in_memory.s == len(passes) < 30
    assert np.array_equal(streamed.estimates, in_memory.estimates)


def test_a_stream_takes_the_memory_of_subsamples_not_of_the_data():
    chunk, n_chunks, b = 5000, 60, 200

    def read():
        draws = rng(3)
        for _ in range(n_chunks):
            yield draws.normal(size=(chunk, 10)), None

    run = {"b": b, "s": 2, "r": 5, "fit": mean, "statistic": spread, "rng": rng()}
    blb_stream(reader(*problem(), 100), **run)  # what is loaded on the way is not the data's
    tracemalloc.start()
    found = blb_stream(read, **run)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.n == 300_000
    assert peak < 4 * 80 * (chunk + 2 * b) < 300_000 * 80 / 10  # bytes; a row has 80


def test_a_reservoir_holds_every_set_of_rows_equally_often():
    counts = np.zeros((5, 5), dtype=int)
    for seed in range(4000):
        reservoir = Reservoir(rng(seed), 2)
        reservoir.see(np.arange(3))
        reservoir.see(np.arange(3, 5))
        first, second = reservoir.rows()[0]
        counts[first, second] += 1
    pairs = counts[np.triu_indices(5, 1)]
    assert pairs.sum() == 4000  # in the order in which they came
    assert chisquare(pairs).pvalue > 1e-4


def test_a_reservoir_keeps_rows_and_labels_together_and_widens_strings():
    reservoir = Reservoir(rng(), 12)
    for first, name in ((0, "a"), (10, "b"), (20, "longer")):
        rows = np.arange(first, first + 10)
        reservoir.see(rows[:, None], np.array([f"{name}{row}" for row in rows]))
    rows, names = reservoir.rows()
    assert len(np.unique(rows)) == 12
    expected = [f"{('a', 'b', 'longer')[row // 10]}{row}" for row in rows[:, 0]]
    assert names.tolist() == expected
    assert {name[0] for name in expected} == set("abl")


X, y = problem(n=30)


@pytest.mark.parametrize(
    ("read", "b", "message"),
    [
        (reader(X, y, 7), 31, "b must be at least 1, at most 30, the rows of X, and a whole number, got 31"),
        (reader(X, np.arange(30) % 4, 3), 3, "b must be at least 4, the number of classes in y, got 3"),
        (
            reader(X, np.arange(30) // 29, 7),
            2,
            "b must be large enough for every subsample to hold every class, got 2: "
            "subsample 0 has no row of class 1",
        ),
        (lambda: iter([]), 5, "read must give at least one row, got none"),
        (lambda: [(X, y[:-1])], 5, "y must have shape (30,), one entry per row of X, got (29,)"),
    ],
)
def test_a_stream_refuses(read, b, message):
    with pytest.raises(ValueError) as refusal:  # noqa: PT011
        blb_stream(read, b=b, s=2, r=3, fit=mean, statistic=spread, rng=rng())
    assert str(refusal.value) == message


def test_a_stream_that_changes_is_refused():
    lengths = iter([30, 20])
    with pytest.raises(ValueError, match=r"^read must give the same rows each time, got 20 and 30$"):
        blb_stream(lambda: [(X[: next(lengths)], None)], b=5, s=2, r=3, fit=mean, statistic=spread, rng=rng())
