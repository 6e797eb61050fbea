"""The claims of document 001, quoted, as functions of our runs; and our findings beside them.

An experiment's arrays are (n_cells, n_inner, n_seeds): a cell is a printed one, and pools the inner axis.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from frugal.stats import welch_many
from studies.estimates import Arrays, Estimate, every, exact, mean, ratio, resampled
from studies.greedy_cv.sensitivity import with_rows
from studies.greedy_cv.tables import (
    CELL,
    K_STOPPING,
    N_SEARCH,
    SEARCH_METHODS,
    STOPPING_METHODS,
    published,
    with_ratio,
)
from studies.regions import about, above, at_least, below, near, near_ratio, near_sd
from studies.tidy import need, provenance
from studies.verdicts import Claim, judge

FLOOR = 30
"""Repetitions under which no number of the document is published and no verdict given."""
STUDY_FLOOR = 5
"""The same for our own studies beside it (sensitivity, sizes), which the document has no repetitions for."""

Array = NDArray[np.float64]
Measure = Callable[[Arrays, np.random.Generator], Estimate]


def _blocks(
    runs: pd.DataFrame, value: str, cell: list[str], inner: str, methods: tuple[str, str]
) -> dict[str, Array]:
    """Per method an array (n_cells, n_inner, n_seeds), nan where a run is missing or has no value."""
    wide = runs.pivot_table(index=["method", *cell, inner], columns="seed", values=value, dropna=False)
    shape = (-1, runs[inner].nunique(), wide.shape[1])
    return {method: wide.loc[method].to_numpy(dtype=float).reshape(shape) for method in methods}


def _cell_means(block: Array) -> Array:
    """Mean of each cell over its inner axis and the seeds, of the values that are there."""
    means: Array = np.nanmean(block, axis=(1, 2))
    return means


def _seed_means(block: Array) -> Array:
    """One mean per cell and repetition, (n_cells, n_seeds), of the values that are there; nan if none is."""
    here = ~np.isnan(block)
    with np.errstate(invalid="ignore"):
        means: Array = np.where(here, block, 0.0).sum(axis=1) / here.sum(axis=1)
    return means


def _overall(name: str) -> Measure:
    """Mean over the cells."""
    return lambda arrays, rng: mean(_seed_means(arrays[name]).mean(axis=0))


def _spread(name: str) -> Measure:
    """Population standard deviation over the means of the cells, which is the one that the document prints."""
    return lambda arrays, rng: resampled(lambda drawn: float(_cell_means(drawn[name]).std()), arrays, rng)


def _ratio_of_means(slow: str, fast: str) -> Measure:
    """Mean over the cells, over that of another method."""

    def statistic(arrays: Arrays) -> float:
        return float(_cell_means(arrays[slow]).mean() / _cell_means(arrays[fast]).mean())

    return lambda arrays, rng: resampled(statistic, arrays, rng, is_log=True)


def _count(statistic: Callable[[Arrays], float]) -> Measure:
    """A count of the document's own tests, on its own number of repetitions."""
    return lambda arrays, rng: exact(statistic(arrays), n_seeds=next(iter(arrays.values())).shape[-1])


def n_significant(lower: Array, higher: Array, level: float) -> float:
    """Cells in which `lower` has the lower mean and Welch's p is below `level`."""
    t, p = welch_many(lower.reshape(len(lower), -1), higher.reshape(len(higher), -1))
    return float(np.count_nonzero((t < 0) & (p < level)))


def _search_time(runs: pd.DataFrame) -> dict[str, Array]:
    need(runs, "search_time")
    lowest = np.where(
        runs["method"] == "greedy", (runs["n"] + runs["k"] - 1) / (runs["n"] * runs["k"]), 1 / runs["n"]
    )
    inside = runs["search_time"].between(lowest - 1e-12, 1.0).astype(float)
    runs = runs.assign(inside=inside.where(runs["search_time"].notna()))
    bounds = _blocks(runs, "inside", [*CELL, "k"], "n", SEARCH_METHODS)
    return _blocks(runs, "search_time", [*CELL, "k"], "n", SEARCH_METHODS) | {
        "inside": np.concatenate(list(bounds.values()))
    }


def _early_stopping(runs: pd.DataFrame) -> dict[str, Array]:
    need(runs, "quality")
    blocks = _blocks(runs, "quality", [*CELL, "n"], "k", STOPPING_METHODS)
    return dict(zip(("greedy", "halving"), (blocks[m] for m in STOPPING_METHODS), strict=True))


def _wall_clock(runs: pd.DataFrame) -> dict[str, Array]:
    """Seconds, rows and fold evaluations, each over that of the exhaustive search, and Table 3's outcomes."""
    need(runs, "n_evaluations", "rows_share")
    timed = with_ratio(runs).assign(evaluations_share=runs["n_evaluations"] / (runs["n"] * runs["k"]))
    arrays: dict[str, Array] = {}
    for value, suffix in (("time_ratio", ""), ("rows_share", "_rows"), ("evaluations_share", "_evaluations")):
        blocks = _blocks(timed, value, [*CELL, "n"], "k", STOPPING_METHODS)
        arrays |= {f"greedy{suffix}": blocks[STOPPING_METHODS[0]], f"halving{suffix}": blocks[STOPPING_METHODS[1]]}
    cells = pd.MultiIndex.from_product([sorted(timed[name].unique()) for name in (*CELL, "n")])
    outcomes = _printed_outcomes().reindex(cells).to_numpy(float)
    arrays["printed"] = np.broadcast_to(outcomes[:, None, None], arrays["greedy"].shape)
    return arrays


def _printed_outcomes() -> pd.Series:
    """Per cell of Table 3 1 where greedy early stopping has the stars, -1 where halving has, 0 where none has."""
    wide = published("table3").pivot_table(
        "published_stars", index=[*CELL, "n"], columns="method", aggfunc=lambda stars: stars.iloc[0] != ""
    )
    greedy, halving = (wide[method].astype(int) for method in STOPPING_METHODS)
    return greedy - halving


def _sizes(runs: pd.DataFrame) -> dict[str, Array]:
    need(runs, "search_time")
    return _blocks(with_rows(runs), "search_time", ["classifier", "k", "n"], "n_rows", SEARCH_METHODS)


def _saved(arrays: Arrays) -> Array:
    """What greedy saves of all fold evaluations, in points, (n_cells, n_inner, n_seeds)."""
    return 100.0 * (arrays["standard"] - arrays["greedy"])


def _saved_in_every_cell(arrays: Arrays, rng: np.random.Generator) -> Estimate:
    return every(_seed_means(_saved(arrays)), above(0))


def _saved_in_every_comparison(arrays: Arrays, rng: np.random.Generator) -> Estimate:
    saved = _saved(arrays)
    return every(saved.reshape(-1, saved.shape[-1]), above(0), noun="comparisons")


def _n_ahead(arrays: Arrays) -> float:
    return float((np.nanmean(arrays["greedy"], axis=2) < np.nanmean(arrays["standard"], axis=2)).sum())


def _clustered(arrays: Arrays) -> float:
    return n_significant(_seed_means(arrays["greedy"]), _seed_means(arrays["standard"]), 0.001)


def _better_in_every_cell(arrays: Arrays, rng: np.random.Generator) -> Estimate:
    return every(100.0 * _seed_means(arrays["greedy"] - arrays["halving"]), above(0), noun="experiments")


def _n_better(level: float) -> Measure:
    return _count(lambda arrays: n_significant(-arrays["greedy"], -arrays["halving"], level))


def _faster(arrays: Arrays) -> float:
    return n_significant(arrays["greedy"], arrays["halving"], 0.05)


def _slower(arrays: Arrays) -> float:
    return n_significant(arrays["halving"], arrays["greedy"], 0.05)


def _n_same_outcome(arrays: Arrays) -> float:
    greedy, halving = (arrays[name].reshape(len(arrays[name]), -1) for name in ("greedy", "halving"))
    t, p = welch_many(greedy, halving)
    outcomes = np.where(p < 0.05, -np.sign(t), 0.0)
    return float((outcomes == arrays["printed"][:, 0, 0]).sum())


def _largest_over_smallest(name: str) -> Measure:
    """A method's mean search time at the most rows over that at the fewest, seed by seed."""
    return lambda arrays, rng: ratio(arrays[name][:, -1].mean(axis=0), arrays[name][:, 0].mean(axis=0))


_time = partial(Claim, section="5.1", unit="share", artefact="tables/table1")
_quality = partial(Claim, section="5.2", unit="experiments", artefact="tables/table2")
_seconds = partial(Claim, section="5.2", unit="share", artefact="tables/table3")
_larger = partial(Claim, section="6", unit="times", artefact="tables/sizes")

SEARCH_TIME = (
    _time(
        "greedy_cv.search_time.greedy_mean",
        quote="the overall mean search time for the greedy method was 0.246",
        quantity="mean search time of the greedy method, as a share of all fold evaluations",
        published=0.246,
        agrees=near(0.246, unit=0.001),
        measure=_overall("greedy"),
    ),
    _time(
        "greedy_cv.search_time.greedy_sd",
        quote="the greedy method was 0.246 (std dev = 0.059)",
        quantity="standard deviation of the greedy method's mean search time over the 27 cells of Table 1",
        published=0.059,
        agrees=near_sd(0.059),
        measure=_spread("greedy"),
    ),
    _time(
        "greedy_cv.search_time.standard_mean",
        quote="the overall mean search time for the standard method was 0.500",
        quantity="mean search time of the standard method, as a share of all fold evaluations",
        published=0.500,
        agrees=near(0.500, unit=0.001),
        measure=_overall("standard"),
    ),
    _time(
        "greedy_cv.search_time.standard_sd",
        quote="the standard method was 0.500 (std dev = 0.023)",
        quantity="standard deviation of the standard method's mean search time over the 27 cells of Table 1",
        published=0.023,
        agrees=near_sd(0.023),
        measure=_spread("standard"),
    ),
    _time(
        "greedy_cv.search_time.more_than_twice",
        quote="identified the best-performing ML model among the set of candidate models more than twice as "
        "quickly on average",
        quantity="mean search time of the standard method, as a multiple of the greedy method's",
        unit="times",
        agrees=above(2),
        measure=_ratio_of_means("standard", "greedy"),
    ),
    _time(
        "greedy_cv.search_time.about_twice",
        section="6",
        quote="identify the optimal ML model approximately twice as quickly as the standard method",
        quantity="mean search time of the standard method, as a multiple of the greedy method's",
        unit="times",
        published=2,
        agrees=about(2),
        measure=_ratio_of_means("standard", "greedy"),
    ),
    _time(
        "greedy_cv.search_time.n_significant",
        quote="statistically outperformed the standard k-fold method at the p < 0.001 level in every combination "
        "of dataset, ML algorithm, and value of k",
        quantity="cells of Table 1, of 27, in which the greedy method is faster at p < .001 (Welch's test on the "
        "values of five n and 30 repetitions)",
        unit="cells",
        published=27,
        agrees=near(27, margin=1),  # the document's own tests on its own repetitions: a count, within one
        measure=_count(lambda a: n_significant(a["greedy"], a["standard"], 0.001)),
    ),
    _time(
        "greedy_cv.search_time.every_cell",
        quote="statistically outperformed the standard k-fold method ... in every combination of dataset, ML "
        "algorithm, and value of k",
        quantity="how much sooner than the standard method the greedy method finds the best model, in points of "
        "all fold evaluations, in the cell of Table 1 where it gains least",
        unit="points",
        agrees=above(0),
        measure=_saved_in_every_cell,
    ),
    _time(
        "greedy_cv.search_time.every_comparison",
        quote="the greedy k-fold method was observed to consistently outperform the standard k-fold method on "
        "average in all of the 135 comparisons",
        quantity="how much sooner than the standard method the greedy method finds the best model, in points of "
        "all fold evaluations, in the comparison where it gains least",
        unit="points",
        agrees=above(0),
        measure=_saved_in_every_comparison,
        artefact="tables/table1_by_n",
    ),
    _time(
        "greedy_cv.search_time.bounds",
        section="4.1",
        quote="the minimum search time for the standard method is 1/n ... While the maximum theoretical search "
        "time for the greedy k-fold method is also 1.0, the minimum time for the greedy method to find the "
        "optimal model is (n + k - 1)/nk",
        quantity="searches of both methods whose search time lies within these bounds",
        unit="%",
        agrees=at_least(100),
        measure=_count(lambda a: 100.0 * float(np.nanmean(a["inside"]))),
        artefact="tables/table1_by_n",
    ),
    _time(
        "greedy_cv.search_time.n_significant_clustered",
        quote="",
        quantity="cells of Table 1, of 27, in which the greedy method is faster at p < .001, where Welch's test "
        "has one mean per repetition, since the five values of one repetition are not independent",
        unit="cells",
        agrees=near(27, margin=1),
        measure=_count(_clustered),
        is_ours=True,
    ),
    _time(
        "greedy_cv.search_time.n_ahead",
        quote="",
        quantity="comparisons, of 135, in which the greedy method has the lower average, whatever its interval",
        unit="comparisons",
        agrees=near(135, margin=1),
        measure=_count(_n_ahead),
        artefact="tables/table1_by_n",
        is_ours=True,
    ),
)
"""Section 5.1 and the theory in 4.1."""

EARLY_STOPPING = (
    _quality(
        "greedy_cv.early_stopping.every_cell",
        quote="select final ML models that performed better than the final ML models selected by the successive "
        "halving method in every one of the 27 head-to-head experiments",
        quantity="rank percentile of the model that greedy early stopping selects less that of successive "
        "halving's choice, in the experiment where this is least",
        unit="points",
        agrees=above(0),
        measure=_better_in_every_cell,
    ),
    _quality(
        "greedy_cv.early_stopping.n_significant",
        quote="statistically outperformed the state-of-the-art successive halving method in every combination of "
        "dataset, ML algorithm, and value of n used in the early stopping experiments",
        quantity="experiments, of 27, in which greedy early stopping selects the better model at p < .01, the "
        "weakest level in Table 2",
        published=27,
        agrees=near(27, margin=1),  # as of Table 1
        measure=_n_better(0.01),
    ),
    _quality(
        "greedy_cv.early_stopping.n_most_significant",
        quote="",
        quantity="experiments, of 27, in which greedy early stopping selects the better model at p < .001 (three "
        "stars in Table 2)",
        published=26,
        agrees=near(26, margin=1),  # as of Table 1
        measure=_n_better(0.001),
    ),
)
"""Section 5.2, Table 2."""

WALL_CLOCK = (
    _seconds(
        "greedy_cv.wall_clock.n_faster",
        quote="the greedy early stopping method performed statistically faster than the state-of-the-art "
        "successive halving method in 20 out of 27",
        quantity="experiments, of 27, in which greedy early stopping takes less time at p < .05",
        unit="experiments",
        published=20,
        agrees=near(20, margin=1),  # as of Table 1
        measure=_count(_faster),
    ),
    _seconds(
        "greedy_cv.wall_clock.n_slower",
        quote="The successive halving method, by contrast, was able to complete the ML model search process more "
        "quickly than the greedy early stopping method in 6 out of 27",
        quantity="experiments, of 27, in which successive halving takes less time at p < .05",
        unit="experiments",
        published=6,
        agrees=near(6, margin=1),  # as of Table 1
        measure=_count(_slower),
    ),
    _seconds(
        "greedy_cv.wall_clock.n_identical",
        quote="There was one additional experiment for which the average model search times for the two early "
        "stopping methods were statistically identical",
        quantity="experiments, of 27, in which the two times do not differ at p < .05",
        unit="experiments",
        published=1,
        agrees=near(1, margin=1),  # as of Table 1
        measure=_count(lambda a: len(a["greedy"]) - _faster(a) - _slower(a)),
    ),
    _seconds(
        "greedy_cv.wall_clock.n_same_outcome",
        quote="",
        quantity="experiments, of 27, that end as in Table 3: the same method faster at p < .05, or neither",
        unit="experiments",
        published=27,
        agrees=near(27, margin=1),  # as of Table 1
        measure=_count(_n_same_outcome),
    ),
    _seconds(
        "greedy_cv.wall_clock.greedy_mean",
        quote="the average time required to complete the ML model search process across all of the experiments "
        "was 0.210 ... for the greedy early stopping method",
        quantity="mean time of greedy early stopping, as a share of the exhaustive search's",
        published=0.210,  # a slip: the cells of its Table 3 average 0.211
        agrees=near(0.210, unit=0.001),
        measure=_overall("greedy"),
    ),
    _seconds(
        "greedy_cv.wall_clock.greedy_sd",
        quote="0.210 (std dev = 0.018) for the greedy early stopping method",
        quantity="standard deviation over the 27 experiments of the mean time of greedy early stopping, as a "
        "share of the exhaustive search's",
        published=0.018,
        agrees=near_sd(0.018),
        measure=_spread("greedy"),
    ),
    _seconds(
        "greedy_cv.wall_clock.halving_mean",
        quote="and 0.360 ... for the successive halving method",
        quantity="mean time of successive halving, as a share of the exhaustive search's",
        published=0.360,
        agrees=near(0.360, unit=0.001),
        measure=_overall("halving"),
    ),
    _seconds(
        "greedy_cv.wall_clock.halving_sd",
        quote="0.360 (std dev = 0.205) for the successive halving method",
        quantity="standard deviation over the 27 experiments of the mean time of successive halving, as a share "
        "of the exhaustive search's",
        published=0.205,
        agrees=near_sd(0.205),
        measure=_spread("halving"),
    ),
    _seconds(
        "greedy_cv.wall_clock.about_70_percent_faster",
        quote="the greedy early stopping method is, on average, approximately 70% faster than the successive "
        "halving method",
        quantity="mean time of successive halving, as a multiple of greedy early stopping's (70 % faster: 1.7)",
        unit="times",
        published=1.7,
        agrees=about(1.7),
        measure=_ratio_of_means("halving", "greedy"),
    ),
    _seconds(
        "greedy_cv.wall_clock.evaluations",
        quote="",
        quantity="fold evaluations of successive halving, as a multiple of greedy early stopping's; above 1 where "
        "greedy early stopping saves them, too",
        unit="times",
        agrees=above(1),
        measure=_ratio_of_means("halving_evaluations", "greedy_evaluations"),
        is_ours=True,
    ),
    _seconds(
        "greedy_cv.wall_clock.rows",
        quote="",
        quantity="rows that successive halving trains on, as a multiple of greedy early stopping's; above 1 where "
        "greedy early stopping saves them, too",
        unit="times",
        agrees=above(1),
        measure=_ratio_of_means("halving_rows", "greedy_rows"),
        is_ours=True,
    ),
)
"""Section 5.2, Table 3."""

SIZES = (
    _larger(
        "greedy_cv.sizes.greedy_improves",
        quote="the performance of the greedy k-fold method may improve on larger datasets",
        quantity="mean search time of the greedy method on the most rows of letter, as a multiple of that on the "
        "fewest",
        agrees=below(1),
        measure=_largest_over_smallest("greedy"),
    ),
    _larger(
        "greedy_cv.sizes.standard_does_not",
        quote="",
        quantity="mean search time of the standard method on the most rows of letter, as a multiple of that on "
        "the fewest; a control, since it has nothing to gain",
        agrees=near_ratio(1),
        measure=_largest_over_smallest("standard"),
        is_ours=True,
    ),
)
"""The conjecture of section 6, a direction without a number."""


@dataclass(frozen=True)
class Experiment:
    """What is claimed of an experiment, and what it takes to judge that.

    Attributes:
        claims: on the arrays.
        arrays: from runs.
        cells: dataset, classifier, k and n of the document's cells; None for a study of ours, where any will do.
        floor: repetitions that every cell must have.
    """

    claims: tuple[Claim, ...]
    arrays: Callable[[pd.DataFrame], Arrays]
    cells: Callable[[], pd.DataFrame] | None
    floor: int


def _printed_cells(table: str, inner: str, values: tuple[int, ...]) -> pd.DataFrame:
    cells = published(table).drop(columns=["method", "published", "published_stars"]).drop_duplicates()
    return cells.merge(pd.DataFrame({inner: values}), how="cross")


EXPERIMENTS: Mapping[str, Experiment] = {
    "search_time": Experiment(SEARCH_TIME, _search_time, lambda: _printed_cells("table1", "n", N_SEARCH), FLOOR),
    "early_stopping": Experiment(
        EARLY_STOPPING, _early_stopping, lambda: _printed_cells("table2", "k", K_STOPPING), FLOOR
    ),
    "wall_clock": Experiment(WALL_CLOCK, _wall_clock, lambda: _printed_cells("table3", "k", K_STOPPING), FLOOR),
}
"""What the document did."""

STUDIES: Mapping[str, Experiment] = {"sizes": Experiment(SIZES, _sizes, None, STUDY_FLOOR)}
"""What it conjectures and we did beside it."""


def claims(runs: Mapping[str, pd.DataFrame], scale: str) -> pd.DataFrame:
    """The document's claims with verdicts, and our findings; those of `EXPERIMENTS`, or those of `STUDIES`.

    Those of an experiment without runs are listed as not run.

    Args:
        runs: by name of the experiment, keys of `EXPERIMENTS`, or of `STUDIES` alone.
        scale: label of the run.

    Returns:
        A row per claim, as `verdicts.judge` gives it.

    Raises:
        ValueError: on other names; the message lists the known ones.
    """
    experiments = STUDIES if set(runs) & set(STUDIES) else EXPERIMENTS
    if set(runs) - set(experiments):
        known = f"{', '.join(EXPERIMENTS)}, or {', '.join(STUDIES)} alone"
        raise ValueError(f"claims are made of runs of {known}, not of {', '.join(runs)}")
    parts = []
    for name, experiment in experiments.items():
        arrays, enough, data = None, False, ""
        if name in runs:
            of, enough = _of_document(runs[name], experiment)
            arrays, data = experiment.arrays(of), provenance(of)
        parts.append(judge(experiment.claims, arrays, enough=enough, scale=scale, data=data))
    return pd.concat(parts, ignore_index=True)


def _of_document(runs: pd.DataFrame, experiment: Experiment) -> tuple[pd.DataFrame, bool]:
    """Runs of the document's cells (all runs if one is missing), and whether all are there and reach the floor."""
    need(runs)
    keys = [*CELL, "k", "n"]
    if experiment.cells is None:
        is_whole = len(runs["dataset"].unique()) > 1
    else:
        cells = experiment.cells()
        inside = runs.merge(cells, on=keys)
        is_whole = len(inside[keys].drop_duplicates()) == len(cells)
        runs = inside if is_whole else runs
    n_seeds = runs.groupby([*keys, "method"])["seed"].nunique().min()
    return runs, bool(is_whole and n_seeds >= experiment.floor)
