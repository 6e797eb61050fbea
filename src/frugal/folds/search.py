"""Replay a strategy on the stored scores of one repetition, with the measures of document 001."""

from __future__ import annotations

import math
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from frugal.checks import check_known, check_whole, is_whole
from frugal.folds.replay import Trace, replay
from frugal.folds.rungs import split_rungs
from frugal.folds.strategies import make, with_facts
from frugal.folds.table import ScoreTable
from frugal.interface import Candidate, FoldStrategy
from frugal.learners import space as space_of
from frugal.seeds import rng_for, seed_for
from frugal.spaces import as_json
from frugal.stats import rank_percentile

if TYPE_CHECKING:
    import pandas as pd

TIE_RULES = ("random", "first", "last")
"""Rules for several candidates with the best mean: a random one, the first completed, or the last."""

TREE_SEEDS = ("repetition", "candidate")
"""Sources of a decision tree's `random_state`: one seed per repetition, or one per candidate."""
MOST_CANDIDATES = 1_000_000
"""Longest list that is drawn; the documents' longest has 2,048."""
_NAME = (lambda value: isinstance(value, str), "a name")


def _count(low: int) -> tuple[Callable[[object], bool], str]:
    return lambda value: is_whole(value, low), f"a whole number of at least {low}"


_FACTS: Final[Mapping[str, tuple[Callable[[object], bool], str]]] = {
    "dataset": _NAME,
    "data": _NAME,
    "classifier": _NAME,
    "space": _NAME,
    "seed": (lambda value: type(value) is int, "a whole number"),
    "n_folds": _count(2),
    "n_rows_of_dataset": _count(1),
    "n_classes": _count(1),
    "folds": (lambda value: isinstance(value, list), "a list of folds"),
}
"""Metadata that a table needs for a search, and the accepted values."""
_KEYS = ("dataset", "classifier", "seed", "n_folds", "folds")
"""Metadata that files need to be joined."""
_ALIKE = ("scaler", "splits", "space", "data", "n_rows_of_dataset", "epochs")
"""Metadata that rungs must share with their table on all rows."""


def candidates_of(
    space: str, classifier: str, *, dataset: str, seed: int, n_ranges: int, tree_seed: str = "repetition"
) -> list[Candidate]:
    """The distinct candidates to score: the whole grid, or the seed's list of random draws.

    Args:
        space: `grid` or `ranges`.
        classifier: name of the learner, which has the space.
        dataset: part of the seed of the draws.
        seed: number of the repetition.
        n_ranges: length of the list on `ranges`; a shorter list is its prefix.
        tree_seed: source of a decision tree's `random_state`: the `repetition`, whose seed `score` gives to all
            trees, or the `candidate`, which then has it among its hyperparameters.

    Raises:
        ValueError: on an unknown space, classifier or `tree_seed`, or `n_ranges` outside [1, `MOST_CANDIDATES`].
    """
    check_whole("n_ranges", n_ranges, 1, MOST_CANDIDATES)
    check_known("tree_seed", tree_seed, TREE_SEEDS)
    if space == "grid":
        candidates = space_of(space, classifier).grid()
    else:
        rng = rng_for("candidates", dataset, classifier, seed)
        candidates = space_of(space, classifier).sample(rng, n_ranges)
    if tree_seed == "repetition" or classifier != "decision_tree":
        return candidates
    names = ("learner", dataset, classifier, seed)
    return [{**one, "random_state": seed_for(*names, as_json(one))} for one in candidates]


def draw(table: ScoreTable, n_candidates: int) -> ScoreTable:
    """The candidate list of one repetition: drawn from a grid with replacement, else a prefix of what was scored.

    Raises:
        ValueError: if `n_candidates` is below 1 or exceeds a list that is not a grid, or the table does not say
            what was scored.
    """
    return table.take(_drawn(table, n_candidates))


def _drawn(table: ScoreTable, n_candidates: int) -> NDArray[np.int64]:
    """Rows of the drawn candidates, shape (n_candidates,); names alone decide them."""
    check_whole("n_candidates", n_candidates, 1, MOST_CANDIDATES)
    missing = [name for name in _FACTS if name not in (*table.meta, "folds")]
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
class Kept:
    """The stored scores of one repetition.

    Attributes:
        table: scores of all distinct candidates on all folds, with the space in its meta.
        rungs: the same on fewer rows, by number of rows, for strategies that ask for them.
    """

    table: ScoreTable
    rungs: Mapping[int, ScoreTable] = field(default_factory=dict)


class NotKeptError(ValueError):
    """A strategy asks for scores on fewer rows that were not stored."""


@dataclass(frozen=True, eq=False)
class Repetition:
    """A new strategy and the scores of its candidate list.

    Attributes:
        strategy: the strategy, whose generator is derived from `names`.
        names: dataset, classifier, n_candidates, n_folds, seed.
        rows: rows of the drawn candidates in the kept tables, shape (n_candidates,).
        table: scores of the drawn candidates on all rows.
        rungs: scores on fewer rows, by number of rows.
        means: mean scores of the drawn candidates, at least one above -inf, shape (n_candidates,).
    """

    strategy: FoldStrategy
    names: tuple[str | int, ...]
    rows: NDArray[np.int64]
    table: ScoreTable
    rungs: Mapping[int, ScoreTable]
    means: NDArray[np.float64]

    def rows_trained(self, n_rows: int | None) -> float:
        """Rows that one evaluation trains on, on average over its folds; None: of all rows."""
        n_folds = (self.table if n_rows is None else self.rungs[n_rows]).scores.shape[1]
        return float((n_rows or self.table.meta["n_rows_of_dataset"]) * (n_folds - 1) / n_folds)

    def labels(self) -> dict[str, Any]:
        """Columns that identify cell, seed and data."""
        (n_candidates, n_folds), meta = self.table.scores.shape, self.table.meta
        return {
            "dataset": meta["dataset"],
            "classifier": meta["classifier"],
            "n": n_candidates,
            "k": n_folds,
            "seed": meta["seed"],
            "space": meta["space"],
            "data": meta["data"],
        }

    def timing(self, trace: Trace) -> dict[str, float]:
        """Seconds of the search's fits, of the strategy itself, and of every fit."""
        return {
            "seconds": float(trace.seconds.sum()),
            "overhead_s": trace.overhead_s,
            "exhaustive_s": float(self.table.seconds.sum()),
        }


def prepare(method: str, kept: Kept, *, n_candidates: int, settings: Mapping[str, Any]) -> Repetition:
    """Draw the candidate list of one repetition and make the strategy for it.

    Args:
        method: name of the strategy.
        kept: scores of all distinct candidates.
        n_candidates: length of the drawn list.
        settings: settings of the strategy.

    Raises:
        NotKeptError: if the strategy asks for scores on fewer rows that are not kept.
        ValueError: on an unknown strategy or setting, tables that do not belong together or do not say what was
            scored, or if every candidate failed.
    """
    rows, meta = _drawn(kept.table, n_candidates), kept.table.meta
    if any(rung.candidates != kept.table.candidates for rung in kept.rungs.values()):
        raise ValueError("the rungs and the table on all rows hold different candidates")
    table, rungs = kept.table.take(rows), {n_rows: rung.take(rows) for n_rows, rung in kept.rungs.items()}
    names = (meta["dataset"], meta["classifier"], n_candidates, meta["n_folds"], meta["seed"])
    means = table.means
    if means.max() == -math.inf:
        raise ValueError(f"every candidate failed on {names}; see the reasons in its score table")
    settings = with_facts(method, settings, n_rows=meta["n_rows_of_dataset"], n_classes=meta["n_classes"])
    counts = {"n_candidates": n_candidates, "n_folds": table.scores.shape[1]}
    strategy = make(method, **counts, rng=rng_for(method, *names), **settings)
    if settings.get("n_rows") is not None:
        _check_rungs(method, strategy, rungs)
    return Repetition(strategy, names, rows, table, rungs, means)


def _check_rungs(method: str, strategy: Any, rungs: Mapping[int, ScoreTable]) -> None:
    """Raise if a rung planned by the strategy is missing among the stored ones."""
    asked = {rung.resource for rung in getattr(strategy, "rungs", [])}
    here = {n_rows for n_rows in asked & set(rungs) if rungs[n_rows].scores.shape[1] == strategy.cv}
    if asked != here:
        raise NotKeptError(
            f"{method} asks for {strategy.cv} folds on {sorted(asked)} rows; kept of these are {sorted(here)}"
        )


@dataclass(frozen=True)
class Measured:
    """Outcome of one repetition: `result` is reproducible, `timing` is measured."""

    result: dict[str, Any]
    timing: dict[str, float]


def search(
    method: str, kept: Kept, *, n_candidates: int, settings: Mapping[str, Any], tie_rule: str = "random"
) -> Measured:
    """Replay a strategy on one repetition and compare its choice with the exhaustive search.

    Args:
        method: name of the strategy.
        kept: scores of all distinct candidates.
        n_candidates: length of the drawn list.
        settings: settings of the strategy.
        tie_rule: one of `TIE_RULES`.

    Raises:
        ValueError: on an unknown tie rule, or what `prepare` refuses.
    """
    check_known("tie_rule", tie_rule, TIE_RULES)
    ready = prepare(method, kept, n_candidates=n_candidates, settings=settings)
    trace, means, total = replay(ready.strategy, ready.table, ready.rungs), ready.means, ready.table.scores.size
    counts = Counter(task.n_rows for task in trace.tasks)
    trained = sum(count * ready.rows_trained(n_rows) for n_rows, count in counts.items())
    tied = np.flatnonzero(means == means.max())
    steps = trace.completion_steps(*ready.table.scores.shape)
    best = _best(tied, steps, tie_rule, ready.names)
    result = {
        "method": method,
        **ready.labels(),
        "n_tied": len(tied),
        "n_failed": _n_failed(kept.table, ready.rows),
        "n_failed_rungs": sum(_n_failed(kept.rungs[r], ready.rows) for r in counts if r is not None),
        "best": best,
        "chosen": -1 if trace.chosen is None else trace.chosen,
        "complete": trace.complete,
        "n_evaluations": len(trace.tasks),
        "search_time": steps[best] / total if steps[best] else math.nan,
        "rows_share": trained / (total * ready.rows_trained(None)),
        "quality": math.nan if trace.chosen is None else rank_percentile(means, trace.chosen),
        "regret": math.nan if trace.chosen is None else float(means.max() - means[trace.chosen]),
    }
    return Measured(result, ready.timing(trace))


def _best(tied: NDArray[np.intp], steps: NDArray[np.int64], tie_rule: str, names: tuple[str | int, ...]) -> int:
    """Choose among the candidates `tied` at the best mean, given the step (0: none) at which each was complete."""
    if tie_rule == "random":
        return int(rng_for("best", *names).choice(tied))
    complete = tied[steps[tied] > 0]
    if complete.size == 0:
        return int(tied[0])
    position = steps[complete].argmin() if tie_rule == "first" else steps[complete].argmax()
    return int(complete[position])


def _n_failed(table: ScoreTable, rows: NDArray[np.int64]) -> int:
    """Failed fits of the distinct candidates among `rows`."""
    return int(np.isnan(table.scores[np.unique(rows)]).sum())


def read_tables(paths: Sequence[Path], seconds_paths: Sequence[Path] | None = None) -> list[Kept]:
    """Read stored scores of any datasets, classifiers, seeds and numbers of folds from files of blocks of folds.

    Args:
        paths: score files of blocks of folds, and of rungs.
        seconds_paths: files of their measured seconds, one per score file in the same order; None: not needed.

    Returns:
        One per dataset, classifier, seed and number of folds, in this order, with the rungs of its seed.

    Raises:
        ValueError: if a file is unreadable, blocks do not join, rungs have no table on all rows or were scored
            otherwise than it, or the files of seconds are not those of the score files.
    """
    clocks: Sequence[Path | None] = seconds_paths or [None] * len(paths)
    if len(clocks) != len(paths):
        raise ValueError(f"every score file needs its file of seconds, got {len(clocks)} for {len(paths)}")
    blocks: dict[tuple[Any, ...], list[ScoreTable]] = defaultdict(list)
    rungs: dict[tuple[Any, ...], dict[int, ScoreTable]] = defaultdict(dict)
    for path, clock in zip(paths, clocks, strict=True):
        block = ScoreTable.read(path, seconds_path=clock)
        _check_facts(path, block.meta)
        repetition = tuple(block.meta[name] for name in ("dataset", "classifier", "seed"))
        if "rungs" in block.meta:
            rungs[repetition].update(split_rungs(block))
        else:
            blocks[(*repetition, block.meta["n_folds"])].append(block)
    without = sorted(set(rungs) - {key[:-1] for key in blocks})
    if without:
        dataset, classifier, seed = without[0]
        raise ValueError(f"the score files hold no table on all rows of {classifier} on {dataset} for seed {seed}")
    tables = [Kept(ScoreTable.join(parts), rungs[key[:-1]]) for key, parts in sorted(blocks.items())]
    for kept in tables:
        _check_alike(kept)
    return tables


def _check_alike(kept: Kept) -> None:
    """Raise ValueError unless the rungs of a repetition were scored as its table on all rows."""
    meta = kept.table.meta
    for n_rows, rung in kept.rungs.items():
        for name in _ALIKE:
            if rung.meta.get(name) != meta.get(name):
                raise ValueError(
                    f"{name} of {meta['classifier']} on {meta['dataset']} for seed {meta['seed']} is "
                    f"{rung.meta.get(name)!r} on {n_rows} rows, but {meta.get(name)!r} on all rows"
                )


def _check_facts(path: Path, meta: Mapping[str, Any]) -> None:
    """Raise ValueError unless a score file has the metadata of its scores."""
    for name, (is_right, accepted) in _FACTS.items():
        if (name in meta or name in _KEYS) and not is_right(meta.get(name)):
            fact = f"{name} is {meta.get(name)!r}, but must be {accepted}"
            raise ValueError(f"{path} does not say what its scores are of: {fact}; delete it and run again")


def read_kept(paths: Sequence[Path], seconds_paths: Sequence[Path] | None = None) -> dict[int, Kept]:
    """Read stored scores of one dataset, classifier and number of folds, by seed.

    Raises:
        ValueError: as `read_tables`, or if there are several of them.
    """
    tables = read_tables(paths, seconds_paths)
    found = {tuple(kept.table.meta[name] for name in ("dataset", "classifier", "n_folds")) for kept in tables}
    if len(found) > 1:
        raise ValueError("the score files are of several datasets, classifiers or numbers of folds")
    return {kept.table.meta["seed"]: kept for kept in tables}


def warn_of_failures(kept: Iterable[Kept]) -> None:
    """Warn once with the number of failed fits in all tables and rungs, if there are any."""
    tables = {table for scores in kept for table in (scores.table, *scores.rungs.values())}  # rungs may be shared
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
