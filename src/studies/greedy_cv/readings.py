"""How near each reading of document 001 comes to its three tables, and what its claims become in each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd

from studies import markdown
from studies.estimates import Array
from studies.greedy_cv import early_stopping, search_time, wall_clock
from studies.greedy_cv.measures import by_cell, by_method, jackknifed, n_lower, n_significant, seed_means
from studies.greedy_cv.tables import (
    CELL,
    READING,
    SEARCH_METHODS,
    STOPPING_METHODS,
    by_reading,
    published,
    runs_by_reading,
)
from studies.records import Artefact
from studies.tidy import need, provenance, tidied
from studies.verdicts import judge_claims


class PrintedTable(NamedTuple):
    """A printed table, and how runs are compared with it.

    Attributes:
        name: of the table.
        study: name of the study whose runs it is compared with.
        of_study: a function that marks this study's rows among the runs of all studies.
        methods: the two columns of the table, the document's own method first.
        value: column of the runs that holds the compared value.
        with_value: a function that adds this column to runs that lack it.
        by: key of a cell beside `CELL`.
        inner: key over which a cell pools its values.
        counts: by name a count of cells or comparisons that the document prints, and how it is made of the two
            methods' values, each (n_cells, n_inner, n_seeds).
    """

    name: str
    study: str
    of_study: Callable[[pd.DataFrame], pd.Series[bool]]
    methods: tuple[str, str]
    value: str
    with_value: Callable[[pd.DataFrame], pd.DataFrame]
    by: str
    inner: str
    counts: Mapping[str, tuple[int, Callable[[Array, Array], float]]]


def _is_timed(runs: pd.DataFrame) -> pd.Series[bool]:
    """Whether a run has seconds."""
    return runs["seconds"].notna() if "seconds" in runs else pd.Series(data=False, index=runs.index)


TABLES: Final = (
    PrintedTable(
        "table1",
        "search_time",
        lambda runs: runs["method"].isin(SEARCH_METHODS),
        SEARCH_METHODS,
        "search_time",
        lambda runs: runs,
        "k",
        "n",
        {
            "cells with greedy faster at p < .001": (27, lambda a, b: n_significant(a, b, 0.001)),
            "comparisons with greedy faster on average": (135, n_lower),
        },
    ),
    PrintedTable(
        "table2",
        "early_stopping",
        lambda runs: runs["method"].isin(STOPPING_METHODS) & ~_is_timed(runs),
        STOPPING_METHODS,
        "quality",
        lambda runs: runs,
        "n",
        "k",
        {
            "cells with greedy early stopping better at p < .01": (27, lambda a, b: n_significant(-a, -b, 0.01)),
            "cells with greedy early stopping better on average": (27, lambda a, b: n_lower(-a, -b)),
        },
    ),
    PrintedTable(
        "table3",
        "wall_clock",
        lambda runs: runs["method"].isin(STOPPING_METHODS) & _is_timed(runs),
        STOPPING_METHODS,
        "time_ratio",
        wall_clock.with_shares,
        "n",
        "k",
        {
            "cells with greedy early stopping faster at p < .05": (20, lambda a, b: n_significant(a, b, 0.05)),
            "cells with halving faster at p < .05": (6, lambda a, b: n_significant(b, a, 0.05)),
            "cells with neither faster at p < .05": (
                1,
                lambda a, b: len(a) - n_significant(a, b, 0.05) - n_significant(b, a, 0.05),
            ),
        },
    ),
)
CORRELATION: Final = "correlation over cells"
STATISTICS: Final[Mapping[str, Callable[[Array, Array], float]]] = {
    "mean": lambda cells, printed: float(cells.mean()),
    "standard deviation over cells": lambda cells, printed: float(cells.std()),
    "mean absolute error by cell": lambda cells, printed: float(np.abs(cells - printed).mean()),
    CORRELATION: lambda cells, printed: float(np.corrcoef(cells, printed)[0, 1]),
}
"""Of the means of the cells and the printed values, both (n_cells,)."""
PRINTED: Final = ("mean", "standard deviation over cells")
"""Statistics that the document prints, too."""
CLAIMS: Final = (*search_time.CLAIMS, *early_stopping.CLAIMS, *wall_clock.CLAIMS)
_KEYS: Final = ["table", "method", "measure"]


def runs_of(config: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of the runs of all three tables, in every reading."""
    return tuple(run for table in TABLES for run in runs_by_reading(table.study)(config))


def _parts(runs: pd.DataFrame) -> Iterator[tuple[PrintedTable, pd.DataFrame]]:
    """Yield each table that has runs among `runs`, which are of one reading, with its runs."""
    for table in TABLES:
        part = runs[table.of_study(runs)]
        if len(part):
            yield table, part


def summarise(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Per table and method the mean and spread over the printed cells, and how far these are from the document's.

    Returns:
        table, method, measure, `tidy.TIDY` and n_cells. Measures: mean, standard deviation (population), mean
        absolute error by cell, correlation over the cells, and the document's counts. Intervals are
        Student's, of jackknife standard errors over the seeds, for a correlation on the scale of Fisher's z.
        Counts have no interval, as in the document.
    """
    need(runs, "search_time")
    rows = [row for table, part in _parts(runs) for row in _rows(table, part)]
    columns = [*_KEYS, "published", "ours", "ours_se", "low", "high", "n_seeds", "n_cells", "data"]
    return tidied(pd.DataFrame(rows, columns=columns), _KEYS, scale, "n_cells")


def _rows(table: PrintedTable, runs: pd.DataFrame) -> Iterator[list[Any]]:
    cells = published(table.name)[[*CELL, table.by]].drop_duplicates()
    runs = table.with_value(runs).merge(cells, on=[*CELL, table.by])
    if runs.empty:  # small scales have no printed cell
        return
    data = provenance(runs)
    values = by_method(runs, table.value, [*CELL, table.by], table.inner, table.methods)
    for method in table.methods:
        block = seed_means(values[method])
        printed = _printed(table, method, runs)
        for name, statistic in STATISTICS.items():
            target = statistic(printed, printed) if name in PRINTED else np.nan
            ours = _with_interval(_over_seeds(statistic, printed), block, is_correlation=name == CORRELATION)
            yield [table.name, method, name, target, *ours, block.shape[1], len(block), data]
    first, second = (values[method] for method in table.methods)
    for name, (target, count) in table.counts.items():
        n_seeds, n_cells = first.shape[2], len(first)
        yield [table.name, "both", name, target, count(first, second), *[np.nan] * 3, n_seeds, n_cells, data]


def _with_interval(
    statistic: Callable[[Array], float], block: Array, *, is_correlation: bool
) -> tuple[float, float, float, float]:
    """As of `jackknifed`; a correlation's interval is that of its Fisher z, so that it stays between -1 and 1."""
    value, error, low, high = jackknifed(statistic, block)
    if is_correlation:
        most = np.nextafter(1.0, 0.0)  # of 1 itself there is no z
        _, _, *ends = jackknifed(lambda part: float(np.arctanh(np.clip(statistic(part), -most, most))), block)
        low, high = np.tanh(ends)
    return value, error, float(low), float(high)


def _over_seeds(statistic: Callable[[Array, Array], float], printed: Array) -> Callable[[Array], float]:
    """A statistic of (n_cells, n_seeds)."""
    return lambda block: statistic(np.nanmean(block, axis=1), printed)


def _printed(table: PrintedTable, method: str, runs: pd.DataFrame) -> Array:
    """Printed values of the cells that were run, in their order."""
    keys = [*CELL, table.by]
    printed = published(table.name).query("method == @method").set_index(keys)["published"]
    return by_cell(printed, runs, keys)


def render(table: pd.DataFrame) -> str:
    """Markdown with a column per reading."""
    cells = [
        f"{row.ours:.3g}" if row.method == "both" else markdown.with_interval(row) for row in table.itertuples()
    ]
    printed = table["published"].map("{:.4g}".format).replace("nan", "")
    return _across_readings(table.assign(published=printed), [*_KEYS, "published"], cells)


def _across_readings(table: pd.DataFrame, keys: list[str], cells: list[str]) -> str:
    """Markdown of the cells of a table: a row per combination of keys, a column per reading."""
    filled = table.assign(reading=table["reading"] + ", failed " + table["failed"], cell=cells)
    wide = filled.pivot_table(index=keys, columns="reading", values="cell", aggfunc="first", sort=False)
    in_order = pd.MultiIndex.from_frame(filled[keys].drop_duplicates())
    return f"{markdown.plain(wide.reindex(in_order).fillna('').reset_index())}\nOurs; {markdown.made_of(table)}.\n"


def judge(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """What the claims on the three tables become in a reading: columns as of `claims.csv`, and `is_ours`."""
    need(runs, "search_time")
    of_studies = {table.study: part.dropna(axis=1, how="all") for table, part in _parts(runs)}
    return judge_claims([claim for claim in CLAIMS if claim.study in of_studies], of_studies, scale)


def render_claims(table: pd.DataFrame) -> str:
    """Markdown with a row per claim and a column per reading: our number, and the verdict."""
    cells = [f"{row.ours:.3g}, {row.verdict}" for row in table.itertuples()]
    named = table.assign(id=table["id"].str.removeprefix("greedy_cv.")).astype({"published": str})
    return _across_readings(named, ["id", "published", "agrees_if"], cells)


ARTEFACTS: Final = (
    Artefact(
        "readings",
        runs_of,
        by_reading(summarise, *READING),
        """How near the readings of document 001 come to its Tables 1 to 3: mean and standard deviation over the
        printed cells, mean absolute error by cell, correlation, with 95 % jackknife intervals over seeds, and the
        document's counts. The claims are judged on the first reading alone.""",
        render=render,
    ),
    Artefact(
        "claims_by_reading",
        runs_of,
        by_reading(judge, *READING),
        """What the claims of document 001 on Tables 1 to 3 become in each of its readings, by the same rule and
        the same margins. The verdicts of claims.csv are those of the first reading.""",
        render=render_claims,
    ),
)
