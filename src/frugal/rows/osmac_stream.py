"""OSMAC over rows that are read in chunks: two passes, in memory of one chunk and of the rows drawn.

Source: Wang, Zhu and Ma (2018), "Optimal subsampling for large sample logistic regression", JASA 113, Algorithm 2;
document 003, section 3.3. Both steps draw with replacement, as `fit_subsample` does, and rows have the same
probabilities as there:

- First pass, the pilot: r_0 rows, each of either class with probability 1/2, so pi_i = 1 / (2 N_c) with N_c
  rows of its class.
- Second pass: r rows with pi_i = s_i / (s_1 + ... + s_N), s_i = |y_i - p_i| |x_i| or |y_i - p_i| |M^-1 x_i|.
  Here p_i is the pilot's probability of label 1, and M its information matrix, as in `frugal.rows.sampling`. The
  sum is known only at the end. So each drawn row is exchanged for one of the next chunk with probability
  s / (S + s), where s is the sum of the chunk's scores and S that of all scores before.

The pooled r_0 + r rows are then fitted with weights 1 / pi_i, each with the pi_i of its own step.

Differs from `fit_subsample`: the same generator gives other draws. Small probabilities are not raised to
1e-12 / N. If the pilot fails, a second one of twice the rows is drawn in a further pass; if that fails, too, so
does the fit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from frugal.checks import check_choice, check_rng, check_whole
from frugal.rows.checks import Read, check_binary, check_features, check_finite, check_read, chunks_of
from frugal.rows.parquet_rows import ParquetRows
from frugal.rows.sampling import norms
from frugal.rows.spread import Spread
from frugal.rows.weighted_logistic import FitError, Floats, LogisticFit, fit_weighted
from frugal.threads import one_thread

METHODS: Final = ("osmac_mvc", "osmac_mmse")

Score = Callable[[Floats, Floats], Sequence[Floats]]
"""`score(X, y)`: scores (n_chunk,) of the rows, one array for each set of slots that a step fills."""
Draw = Callable[[Sequence["Slots"], Score], int]
"""`draw(slots, score)`: fills the slots with rows, and returns how many rows there are."""
Drawn = tuple[Floats, Floats, Floats, NDArray[np.intp]]
"""X, y, scores and numbers of rows."""


@dataclass(frozen=True, eq=False)
class StreamFit:
    """A fit on a subsample of a stream.

    Attributes:
        coef: shape (d,).
        covariance: sandwich covariance of `coef`, shape (d, d), of the drawing alone.
        rows: numbers in the stream of the fitted rows, pilot first, repeats included, shape (n_pilot + r,).
        probabilities: probability of drawing each row in its step, shape (n_pilot + r,).
        pilot: fit of the pilot.
        n_pilot: rows of the pilot: r_0, or twice as many if it failed once.
        n_rows: rows of the stream, N.
        n_passes: number of passes over the stream.

    Examples:
        >>> import numpy as np
        >>> from frugal import rows
        >>> rng = np.random.default_rng(0)
        >>> X = np.column_stack([np.ones(2000), rng.normal(size=2000)])
        >>> y = (rng.random(2000) < 1 / (1 + np.exp(-X @ [-1.0, 1.0]))).astype(int)
        >>> fit = rows.osmac_stream(lambda: iter([(X, y)]), pilot_size=200, size=400, rng=rng)
        >>> fit.coef.shape, fit.covariance.shape, len(fit.rows), len(fit.probabilities)
        ((2,), (2, 2), 600, 600)
    """

    coef: Floats
    covariance: Floats
    rows: NDArray[np.intp]
    probabilities: Floats
    pilot: LogisticFit
    n_pilot: int
    n_rows: int
    n_passes: int


class Slots:
    """Draws with replacement from a stream of rows, with probabilities proportional to their scores.

    Every slot holds one row, independently of the other slots. Let s be the sum of the scores of a chunk, and S
    the sum of all scores before it. With probability s / (S + s), the row in a slot is exchanged for a row of the
    chunk, which is drawn with probability proportional to its score. So, at the end, a slot holds the row of score
    s_i with probability s_i / sum_j s_j, however the rows are cut into chunks.

    Args:
        n: number of slots.
        rng: generator of random draws.
    """

    def __init__(self, n: int, rng: Generator) -> None:
        self.n, self._rng, self.total = n, rng, 0.0
        self.scores: Floats = np.empty(0)
        self.X: Floats = np.empty((0, 0))
        self.y: Floats = np.empty(0)
        self.numbers: NDArray[np.intp] = np.empty(0, dtype=np.intp)

    def exchange(self, added: float) -> tuple[NDArray[np.intp], Floats]:
        """Choose the slots that are exchanged for rows of the next chunk, and the rows.

        Args:
            added: sum of the scores of the chunk.

        Returns:
            Numbers of the slots, and for each the share of `added`, from 0 to 1, at which the running sum of the
            scores reaches its row.
        """
        if added == 0.0:
            return np.empty(0, dtype=np.intp), np.empty(0)
        if self.total == 0.0:
            exchanged = np.arange(self.n)
        else:
            exchanged = np.flatnonzero(self._rng.random(self.n) < added / (self.total + added))
        self.total += added
        return exchanged, self._rng.random(len(exchanged))

    def put(self, where: NDArray[Any], drawn: Drawn) -> None:
        """Put rows into slots, given by their numbers or by a mask."""
        X, y, scores, numbers = drawn
        if not self.X.shape[1]:
            self.X, self.y = np.empty((self.n, X.shape[1])), np.empty(self.n)
            self.scores, self.numbers = np.empty(self.n), np.empty(self.n, dtype=np.intp)
        self.X[where], self.y[where], self.scores[where], self.numbers[where] = X, y, scores, numbers

    def see(self, X: Floats, y: Floats, scores: Floats, numbers: NDArray[np.intp]) -> None:
        """Process a chunk.

        Args:
            X: shape (n_chunk, d).
            y: shape (n_chunk,).
            scores: scores of the rows, at least 0, shape (n_chunk,).
            numbers: numbers of the rows in the stream, shape (n_chunk,).
        """
        cumulative = np.cumsum(scores)
        exchanged, shares = self.exchange(_last(cumulative))
        if self.total:
            taken = _pick(cumulative, shares)
            self.put(exchanged, (X[taken], y[taken], scores[taken], numbers[taken]))


@dataclass(frozen=True, eq=False)
class _Step:
    """Rows drawn in one step, with their probabilities, and the rows of the stream."""

    X: Floats
    y: Floats
    probabilities: Floats
    numbers: NDArray[np.intp]
    n_rows: int


def osmac_stream(
    read: Read | ParquetRows,
    *,
    pilot_size: int,
    size: int,
    rng: Generator,
    method: str = "osmac_mvc",
    n_workers: int | None = None,
    executor: Executor | None = None,
) -> StreamFit:
    """Draw an OSMAC subsample from a stream in two passes, and fit it.

    Args:
        read: starts a new pass and yields chunks (X, y), of shape (n_chunk, d) and (n_chunk,), with labels 0 and
            1; a chunk may be empty or hold one label. Every pass must yield the same rows in the same order. A
            `ParquetRows` yields its row groups.
        pilot_size: rows of the pilot, r_0.
        size: rows of the second step, r.
        rng: draws the rows.
        method: `osmac_mvc` or `osmac_mmse`.
        n_workers: number of processes that read the row groups of a `ParquetRows`, 1 by default. With several the
            result is the same, but each step reads the rows twice: once to sum scores, once to fetch rows.
        executor: any executor of `concurrent.futures` that reads the row groups in place of processes; `n_workers`
            is then the number of row groups pending at once, by default the executor's number of workers.

    Raises:
        FitError: a ValueError, if both pilots or the pooled rows have no estimate.
        ValueError: on an unknown method, a size below 1, rows that are not finite or have other columns than those
            before, labels other than 0 and 1, or one of these alone, if the passes give different numbers of rows,
            or on workers beside a `read` that is no `ParquetRows`.
        TypeError: if `read` is no function.

    Examples:
        >>> import numpy as np
        >>> from frugal import rows
        >>> rng = np.random.default_rng(0)
        >>> X = np.column_stack([np.ones(5000), rng.normal(size=5000)])
        >>> y = (rng.random(5000) < 1 / (1 + np.exp(-X @ [-1.0, 1.0]))).astype(int)
        >>> def read():
        ...     return ((X[part], y[part]) for part in np.array_split(np.arange(5000), 4))
        >>> fit = rows.osmac_stream(read, pilot_size=200, size=800, rng=rng)
        >>> fit.n_passes, fit.n_rows
        (2, 5000)
        >>> bool(np.abs(fit.coef - [-1.0, 1.0]).max() < 0.4)
        True
    """
    check_choice("method", method, METHODS)
    check_whole("pilot_size", pilot_size, 1)
    check_whole("size", size, 1)
    check_rng(rng)
    check_read(read)
    spread = Spread.over(n_workers, executor)
    draw: Draw = partial(_draw_in_turn, read)
    if not spread.is_here:
        if not isinstance(read, ParquetRows):
            raise ValueError(
                f"read must be a ParquetRows where there are workers, which read it, got {type(read).__name__}"
            )
        draw = partial(_draw_over_groups, read, spread)
    failures = 0
    try:
        pilot, first = _pilot(draw, pilot_size, rng)
    except FitError:
        failures = 1
        pilot, first = _pilot(draw, 2 * pilot_size, rng)
    second = _second(draw, method, size, rng, pilot, first.n_rows)
    X, y = np.concatenate([first.X, second.X]), np.concatenate([first.y, second.y])
    probabilities = np.concatenate([first.probabilities, second.probabilities])
    sample = f"the {method} subsample of {len(y)} rows"
    fit = fit_weighted(X, y, weights=1.0 / probabilities, start=pilot.coef, sample=sample)
    numbers = np.concatenate([first.numbers, second.numbers])
    n_passes = (2 + failures) * (1 if spread.is_here else 2)
    return StreamFit(fit.coef, fit.covariance, numbers, probabilities, pilot, len(first.y), first.n_rows, n_passes)


def _pilot(draw: Draw, n: int, rng: Generator) -> tuple[LogisticFit, _Step]:
    """The pilot's fit and its `n` rows."""
    step = _first(draw, n, rng)
    return fit_weighted(step.X, step.y, weights=1.0 / step.probabilities, sample=f"the pilot of {n} rows"), step


def _first(draw: Draw, n: int, rng: Generator) -> _Step:
    """Draw the pilot's rows: first the number of each class, then rows of each class with equal chances."""
    n_ones = int(rng.binomial(n, 0.5))
    classes = [Slots(n - n_ones, rng), Slots(n_ones, rng)]
    n_rows = draw(classes, _score_by_class)
    for label, slots in enumerate(classes):
        if slots.total == 0.0:
            raise ValueError(f"y must hold both labels, got no {label} among {n_rows} rows")
    return _Step(
        np.concatenate([slots.X for slots in classes]),
        np.concatenate([slots.y for slots in classes]),
        np.concatenate([np.full(slots.n, 0.5 / slots.total) for slots in classes]),
        np.concatenate([slots.numbers for slots in classes]),
        n_rows,
    )


def _second(draw: Draw, method: str, n: int, rng: Generator, pilot: LogisticFit, n_before: int) -> _Step:
    """Draw the second step's rows by the pilot; `n_before` rows were read for the pilot."""
    slots = Slots(n, rng)
    transform = np.asarray(np.linalg.inv(pilot.information)) if method == "osmac_mmse" else None
    n_rows = draw([slots], partial(_score_by_pilot, pilot.coef, transform))
    if n_rows != n_before:
        raise ValueError(f"read must give the same rows each time, got {n_before} rows and then {n_rows}")
    if slots.total == 0.0:
        raise FitError("the second step, whose probabilities are all 0,", "separated")
    return _Step(slots.X, slots.y, slots.scores / slots.total, slots.numbers, n_rows)


def _score_by_class(X: Floats, y: Floats) -> list[Floats]:
    return [(y == label).astype(float) for label in (0.0, 1.0)]


def _score_by_pilot(coef: Floats, transform: Floats | None, X: Floats, y: Floats) -> list[Floats]:
    with one_thread():
        return [np.abs(y - expit(X @ coef)) * norms(X if transform is None else X @ transform)]


def _last(cumulative: Floats) -> float:
    return float(cumulative[-1]) if len(cumulative) else 0.0


def _pick(cumulative: Floats, shares: Floats) -> NDArray[np.intp]:
    """Indices of the rows of a chunk at these shares of the sum of its scores."""
    # Side "right": a row of score 0 adds nothing to the sums and is never reached, nor is what follows the last.
    added = _last(cumulative)
    taken = np.searchsorted(cumulative, added * shares, side="right")
    return np.minimum(taken, np.searchsorted(cumulative, added))


# Chunk by chunk -------------------------------------------------------------------------------------------------


def _draw_in_turn(read: Read, slots: Sequence[Slots], score: Score) -> int:
    n_seen, width = 0, None
    for rows, labels in chunks_of(read):
        X, y = _checked(rows, labels, width)
        width = X.shape[1]
        numbers = np.arange(n_seen, n_seen + len(y))
        for one, scores in zip(slots, score(X, y), strict=True):
            one.see(X, y, scores, numbers)
        n_seen += len(y)
    return n_seen


def _checked(rows: ArrayLike, labels: ArrayLike | None, width: int | None) -> tuple[Floats, Floats]:
    """Check a chunk, which must have the columns of the one before."""
    X, y = np.asarray(check_features(rows), dtype=float), np.asarray([] if labels is None else labels)
    if y.shape != X.shape[:1] or width not in (None, X.shape[1]):
        raise ValueError(
            f"read must give chunks of shape (n_chunk, d) and (n_chunk,), got {X.shape} and {y.shape}"
        )
    check_finite("X", X)
    return X, check_binary(y)


# Over row groups ------------------------------------------------------------------------------------------------


def _draw_over_groups(groups: ParquetRows, spread: Spread, slots: Sequence[Slots], score: Score) -> int:
    """Draw the rows of `_draw_in_turn` over row groups; sums of scores decide the group of each row.

    One map over the row groups adds up scores, and one more fetches the rows.
    """
    numbers = range(len(groups.sizes))
    slot_groups = [np.full(one.n, -1) for one in slots]
    slot_shares = [np.empty(one.n) for one in slots]
    for number, sums in zip(numbers, spread.map(partial(_sum_scores, groups, score), numbers), strict=True):
        for one, group, shares, added in zip(slots, slot_groups, slot_shares, sums, strict=True):
            exchanged, drawn = one.exchange(added)
            group[exchanged], shares[exchanged] = number, drawn
    wanted = [
        (number, [shares[group == number] for group, shares in zip(slot_groups, slot_shares, strict=True)])
        for number in numbers
        if any((group == number).any() for group in slot_groups)
    ]
    found = spread.map(partial(_fetch, groups, score), wanted)
    for (number, _), rows in zip(wanted, found, strict=True):
        for one, group, in_group in zip(slots, slot_groups, rows, strict=True):
            one.put(group == number, in_group)
    return len(groups)


def _sum_scores(groups: ParquetRows, score: Score, number: int) -> list[float]:
    return [_last(np.cumsum(scores)) for scores in score(*_read_group(groups, number))]


def _fetch(groups: ParquetRows, score: Score, task: tuple[int, Sequence[Floats]]) -> list[Drawn]:
    """Read the rows of a row group at these shares of the sum of its scores, for each set of slots."""
    number, slot_shares = task
    X, y = _read_group(groups, number)
    found: list[Drawn] = []
    for scores, shares in zip(score(X, y), slot_shares, strict=True):
        taken = _pick(np.cumsum(scores), shares)
        found.append((X[taken], y[taken], scores[taken], groups.starts[number] + taken))
    return found


def _read_group(groups: ParquetRows, number: int) -> tuple[Floats, Floats]:
    return _checked(*groups.read(number), None)
