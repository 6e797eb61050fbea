"""One strategy replayed on one repetition's kept scores, and measured as document 001 measures it."""

from __future__ import annotations

import math
import warnings
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from frugal.folds.checks import check_whole
from frugal.folds.replay import Trace, replay
from frugal.folds.rungs import split_rungs
from frugal.folds.strategies import make, with_facts
from frugal.folds.table import ScoreTable
from frugal.interface import Candidate
from frugal.learners import space as space_of
from frugal.seeds import rng_for
from frugal.stats import rank_percentile

if TYPE_CHECKING:
    import pandas as pd

TIE_RULES = ("random", "first", "last")
"""Which of several candidates with the best mean counts as the best one: any, the first completed, the last."""


_META = ("dataset", "data", "classifier", "space", "seed", "n_folds", "n_rows_of_dataset", "n_classes")
"""What a table must say of itself to be searched."""


def candidates_of(space: str, classifier: str, *, dataset: str, seed: int, n_ranges: int) -> list[Candidate]:
    """The distinct candidates that are scored: the whole grid, or the seed's one list of random draws.

    Args:
        space: `grid` or `ranges`.
        classifier: whose space.
        dataset: part of the seed of the draws.
        seed: number of the repetition.
        n_ranges: length of the list on `ranges`; a shorter list is its prefix.

    Raises:
        ValueError: on an unknown space or classifier, or `n_ranges` below 1.
    """
    check_whole("n_ranges", n_ranges, 1)
    if space == "grid":
        return space_of(space, classifier).grid()
    rng = rng_for("candidates", dataset, classifier, seed)
    return space_of(space, classifier).sample(rng, n_ranges)


def draw(table: ScoreTable, n_candidates: int) -> ScoreTable:
    """The candidate list of one repetition: drawn from a grid with replacement, else a prefix of what was scored.

    Raises:
        ValueError: if `n_candidates` is below 1 or exceeds a list that is not a grid, or the table does not say
            what was scored.
    """
    return table.take(_drawn(table, n_candidates))


def _drawn(table: ScoreTable, n_candidates: int) -> NDArray[np.int64]:
    """Rows of the drawn candidates, shape (n_candidates,); names alone decide them."""
    check_whole("n_candidates", n_candidates, 1)
    missing = [name for name in _META if name not in table.meta]
    if missing:
        raise ValueError(f"the table's meta lacks {', '.join(missing)}; `folds.score` makes tables that have it")
    meta, n_distinct = table.meta, len(table.candidates)
    if meta["space"] == "grid":
        rng = rng_for("candidates", meta["dataset"], meta["classifier"], n_candidates, meta["seed"])
        return rng.integers(0, n_distinct, size=n_candidates)
    if n_candidates > n_distinct:
        raise ValueError(
            f"n_candidates={n_candidates} exceeds the {n_distinct} scored candidates of the {meta['space']} of "
            f"{meta['classifier']}; use at most {n_distinct}, or score a longer list"
        )
    return np.arange(n_candidates)


@dataclass(frozen=True)
class Measured:
    """One repetition: `result` is reproducible, `timing` is what the clock said."""

    result: dict[str, Any]
    timing: dict[str, Any]


def search(
    method: str,
    table: ScoreTable,
    rungs: Mapping[int, ScoreTable],
    *,
    n_candidates: int,
    settings: Mapping[str, Any],
    tie_rule: str = "random",
) -> Measured:
    """Replay a strategy on one repetition and compare its choice with the exhaustive search.

    Args:
        method: name of the strategy.
        table: scores of all distinct candidates on all folds, with the space in its meta.
        rungs: the same on fewer rows, by number of rows, for strategies that ask for them.
        n_candidates: length of the drawn list.
        settings: of the strategy.
        tie_rule: one of `TIE_RULES`.

    Raises:
        ValueError: on an unknown tie rule, tables that do not belong together or do not say what was scored, or
            if every candidate failed.
    """
    if tie_rule not in TIE_RULES:
        raise ValueError(f"unknown tie_rule {tie_rule!r}; known: {', '.join(TIE_RULES)}")
    listed, meta = _drawn(table, n_candidates), table.meta
    if any(rung.candidates != table.candidates for rung in rungs.values()):
        raise ValueError("the rungs and the table on all rows hold different candidates")
    drawn, drawn_rungs = table.take(listed), {rows: rung.take(listed) for rows, rung in rungs.items()}
    names = (meta["dataset"], meta["classifier"], n_candidates, meta["n_folds"], meta["seed"])
    settings = with_facts(method, settings, n_rows=meta["n_rows_of_dataset"], n_classes=meta["n_classes"])
    n_folds = drawn.scores.shape[1]
    strategy = make(method, n_candidates=n_candidates, n_folds=n_folds, rng=rng_for(method, *names), **settings)
    trace = replay(strategy, drawn, drawn_rungs)
    asked = {task.n_rows: rungs[task.n_rows] for task in trace.tasks if task.n_rows is not None}
    cv = getattr(strategy, "cv", n_folds)
    if any(rung.scores.shape[1] != cv for rung in asked.values()):
        raise ValueError(f"the kept rungs have another number of folds than the strategy's cv={cv}")
    means = drawn.means
    if means.max() == -math.inf:
        raise ValueError(f"every candidate failed on {names}; see the reasons in its score table")
    tied = np.flatnonzero(means == means.max())
    steps = trace.completion_steps(n_candidates, n_folds)
    best = _best(tied, steps, tie_rule, names)
    total = n_candidates * n_folds
    result = {
        "method": method,
        "dataset": meta["dataset"],
        "classifier": meta["classifier"],
        "n": n_candidates,
        "k": n_folds,
        "seed": meta["seed"],
        "space": meta["space"],
        "data": meta["data"],
        "n_tied": len(tied),
        "n_failed": _n_failed(table, listed),
        "n_failed_rungs": sum(_n_failed(rung, listed) for rung in asked.values()),
        "best": best,
        "chosen": -1 if trace.chosen is None else trace.chosen,
        "complete": trace.complete,
        "n_evaluations": len(trace.tasks),
        "search_time": steps[best] / total if steps[best] else math.nan,
        "rows_share": _rows_trained(trace, table, rungs) / (total * _train_rows(table, None)),
        "quality": math.nan if trace.chosen is None else rank_percentile(means, trace.chosen),
        "regret": math.nan if trace.chosen is None else float(means.max() - means[trace.chosen]),
    }
    timing = {
        "seed": meta["seed"],
        "seconds": float(trace.seconds.sum()),
        "overhead_s": trace.overhead_s,
        "exhaustive_s": float(drawn.seconds.sum()),
    }
    return Measured(result, timing)


def _best(tied: Any, steps: Any, tie_rule: str, names: tuple[str | int, ...]) -> int:
    if tie_rule == "random":
        return int(rng_for("best", *names).choice(tied))
    done = tied[steps[tied] > 0]
    if done.size == 0:
        return int(tied[0])
    pick = np.argmin if tie_rule == "first" else np.argmax
    return int(done[pick(steps[done])])


def _n_failed(table: ScoreTable, rows: NDArray[np.int64]) -> int:
    """Failed fits of the distinct candidates among `rows`."""
    return int(np.isnan(table.scores[np.unique(rows)]).sum())


def _train_rows(table: ScoreTable, n_rows: int | None) -> float:
    """Rows that one evaluation of a table trains on, on average over its folds."""
    n_folds = table.scores.shape[1]
    return float((n_rows or table.meta["n_rows_of_dataset"]) * (n_folds - 1) / n_folds)


def _rows_trained(trace: Trace, table: ScoreTable, rungs: Mapping[int, ScoreTable]) -> float:
    """Rows that all evaluations of a search trained on together."""
    counts = Counter(task.n_rows for task in trace.tasks)
    return sum(
        count * _train_rows(table if n_rows is None else rungs[n_rows], n_rows) for n_rows, count in counts.items()
    )


@dataclass(frozen=True)
class Kept:
    """The kept scores of one repetition."""

    table: ScoreTable
    rungs: Mapping[int, ScoreTable]


def read_kept(paths: Sequence[Path], seconds_paths: Sequence[Path] | None = None) -> dict[int, Kept]:
    """Kept scores by seed, joined from files of blocks of folds.

    Args:
        paths: score files of any seeds, folds and numbers of rows.
        seconds_paths: files of their measured seconds, one per score file in the same order; None: not needed.

    Raises:
        ValueError: if a file is unreadable, blocks do not join, a seed has no table on all rows, or the files of
            seconds are not those of the score files.
    """
    clocks: Sequence[Path | None] = seconds_paths or [None] * len(paths)
    if len(clocks) != len(paths):
        raise ValueError(f"every score file needs its file of seconds, got {len(clocks)} for {len(paths)}")
    blocks: dict[int, list[ScoreTable]] = defaultdict(list)
    rungs: dict[int, dict[int, ScoreTable]] = defaultdict(dict)
    for path, clock in zip(paths, clocks, strict=True):
        block = ScoreTable.read(path, seconds_path=clock)
        seed = block.meta["seed"]
        if "rungs" in block.meta:
            rungs[seed].update(split_rungs(block))
        else:
            blocks[seed].append(block)
    without = sorted(set(rungs) - set(blocks))
    if without:
        raise ValueError(f"the score files hold no table on all rows for seed {without[0]}")
    return {seed: Kept(ScoreTable.join(parts), rungs[seed]) for seed, parts in sorted(blocks.items())}


def warn_of_failures(kept: Mapping[int, Kept]) -> None:
    """One warning that counts the failed fits of all tables, those of rungs too, if there are any."""
    tables = [table for of_seed in kept.values() for table in (of_seed.table, *of_seed.rungs.values())]
    n_failed = sum(int(np.isnan(table.scores).sum()) for table in tables)
    if n_failed:
        warnings.warn(f"{n_failed} failed fits in the kept scores; they rank last", stacklevel=2)


CELL_KEYS = ["method", "dataset", "classifier", "n", "k"]
MEASURED = (
    *("search_time", "quality", "regret", "rows_share", "n_evaluations", "n_tied", "n_failed", "n_failed_rungs"),
    *("seconds", "overhead_s", "exhaustive_s"),
)


def cells(runs: pd.DataFrame) -> pd.DataFrame:
    """Statistics per method, dataset, classifier, n and k over the seeds.

    Args:
        runs: rows of `search`, one per seed.

    Returns:
        For every measured column `x` its `x_mean` and `x_sd` (sample), and `n_seeds`.
    """
    import pandas as pd

    values = [c for c in MEASURED if c in runs]
    groups = runs.groupby(CELL_KEYS, sort=True)
    table = groups[values].agg(["mean", "std"])
    table.columns = pd.Index([f"{value}_{what}" for value in values for what in ("mean", "sd")])
    return table.assign(n_seeds=groups["seed"].nunique()).reset_index()
