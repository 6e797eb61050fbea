"""What the tables of document 001 share: printed values, the test of two methods, and ours beside the published.

Runs are one row per method, dataset, classifier, n, k and seed, as `job search` writes them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, Final

import numpy as np
import pandas as pd

from frugal.stats import stars, welch
from studies import kinds
from studies.blocks import readings_with
from studies.estimates import NOT_RUN
from studies.records import FoldsOf, Study
from studies.tidy import SHARE, TIDY, mean_by_seed, read_printed

CELL: Final = ["dataset", "classifier"]
DATASETS: Final = ("wdbc", "boston", "digits")
"""Of section 4.2."""
KEYS: Final = [*CELL, "method", "k"]
"""Of a row of Table 1."""
READING: Final = ("reading", "failed")
"""What tells the readings of the document apart: how scores are made, and where halving ranks failed fits."""
SEARCH_METHODS: Final = ("greedy", "standard")
"""Methods of the first group of experiments, in the order of legends."""
STOPPING_METHODS: Final = ("greedy_early_stopping", "successive_halving")
"""Methods of the second group of experiments."""
N_SEARCH: Final = (128, 256, 512, 1024, 2048)
"""Numbers of candidates that Table 1 pools (section 4.3)."""
K_STOPPING: Final = (10,)
"""Number of folds in the second group of experiments (section 4.3)."""


def folds_of(study: Study, config: Mapping[str, Any]) -> FoldsOf:
    """Numbers of folds of one of the document's experiments, and its datasets: all, or its choice."""
    paper, block = config["greedy_cv"], config["greedy_cv"][study.name]
    datasets = [name for name in paper["datasets"] if name in block.get("datasets", [name])]
    return {f"greedy_cv.{study.name}.n_folds": (block["n_folds"], datasets)}


@cache
def published(table: str) -> pd.DataFrame:
    """A printed table: columns dataset, classifier, method, k or n, published, published_stars."""
    names = {"value": "published", "stars": "published_stars"}
    return read_printed(f"greedy_{table}").fillna({"stars": ""}).rename(columns=names)


def compare(
    runs: pd.DataFrame,
    value: str,
    keys: list[str],
    *,
    higher_is_better: bool,
    bounds: tuple[float, float] = SHARE,
) -> pd.DataFrame:
    """Mean, interval and Welch's test of a value per cell and method, over the runs that have one.

    The stars test all values of the cell as the document does. Where a cell pools several n, values of one seed
    are not independent: the standard error, the interval and `p_clustered` use one mean per seed.

    The stars go to the method with higher or lower values, by `higher_is_better`.

    Returns:
        The keys, method, the columns of `mean_by_seed`, stars, p and p_clustered.

    Raises:
        ValueError: if a cell has not exactly two methods.
    """
    tests = []
    for cell, both in runs.groupby(keys, sort=True):
        samples = {str(method): part.dropna(subset=[value]) for method, part in both.groupby("method")}
        if len(samples) != 2:
            raise ValueError(f"two methods are compared, cell {cell} has {sorted(samples)}")
        first, second = samples.values()
        by_seed = (part.groupby("seed")[value].mean() for part in samples.values())
        tests.append([*cell, welch(first[value], second[value]).p, welch(*by_seed).p])
    table = mean_by_seed(runs, value, [*keys, "method"], bounds)
    table = table.merge(pd.DataFrame(tests, columns=[*keys, "p", "p_clustered"]), on=keys)
    ahead = table["ours"] == table.groupby(keys)["ours"].transform("max" if higher_is_better else "min")
    return table.assign(stars=[stars(p) if best else "" for p, best in zip(table["p"], ahead, strict=True)])


def with_published(table: str, ours: pd.DataFrame, keys: list[str], scale: str, extra: list[str]) -> pd.DataFrame:
    """Published and ours side by side, printed cells first.

    A printed cell that was not run says so; a cell of ours that is not printed stays.

    Args:
        table: name of the printed table.
        ours: the keys, the columns of `mean_by_seed`, stars and `extra`.
        keys: columns that make a row, those of the printed table among them.
        scale: label of the run.
        extra: columns to keep after the tidy ones and `n_missing`.
    """
    printed = published(table)
    cell = [column for column in keys if column in printed]
    if cell == keys:
        index, both = printed.set_index(keys), ours.set_index(keys)
        both = index.reindex(index.index.union(both.index, sort=False)).join(both).reset_index()
    else:
        both = ours.merge(printed, on=cell, how="left")
    both["scale"] = np.where(both["n_seeds"].isna(), NOT_RUN, scale)
    both["published_se"] = np.nan
    both = both.fillna({"stars": "", "data": "", "published_stars": "", "n_seeds": 0, "n_missing": 0})
    return both.astype({"n_seeds": int, "n_missing": int})[[*keys, *TIDY, "n_missing", *extra]]


def with_reading(runs: pd.DataFrame) -> pd.DataFrame:
    """Runs with the columns `reading` and `failed`.

    Older runs lack these columns. Their features are not scaled, and halving ranks failed fits last.
    """
    blank = {name: None for name in READING if name not in runs}
    runs = runs.assign(**blank)
    return runs.assign(
        reading=runs["reading"].fillna(runs["space"] + "/none"), failed=runs["failed"].fillna("last")
    )


def by_reading(make: Callable[..., pd.DataFrame], *keys: str) -> Callable[..., pd.DataFrame]:
    """A function that makes a table from the runs of each reading, and puts these tables one below the other.

    The labels that tell the readings apart become the first key columns.

    Args:
        make: a table from runs, and perhaps the label of the scale.
        keys: of `READING`.
    """

    def tabulate(runs: pd.DataFrame, *scale: str) -> pd.DataFrame:
        parts = []
        for labels, part in with_reading(runs).groupby(list(keys), sort=False):
            table = make(part, *scale)
            for place, (key, label) in enumerate(zip(keys, labels, strict=True)):
                table.insert(place, key, str(label))
            parts.append(table)
        whole = pd.concat(parts, ignore_index=True)
        whole.attrs.update(parts[0].attrs)
        return whole

    return tabulate


def runs_by_reading(experiment: str) -> Callable[[Mapping[str, Any]], tuple[str, ...]]:
    """Names of an experiment's runs in a configuration: in the study's own reading, and then in the others."""

    def found(config: Mapping[str, Any]) -> tuple[str, ...]:
        others = readings_with(config["greedy_cv"], experiment)
        return (experiment, *(f"readings/{name}/{experiment}" for name in others))

    return found


OF_NO_VARIANT: Final = ("strategy", "variant", "tree_seed")
"""Columns that searches of the document itself lack."""


def kind_of_searches(
    methods: tuple[str, ...],
    *columns: str,
    lacks: tuple[str, ...] = OF_NO_VARIANT,
    datasets: str = "|".join(DATASETS),
    name: str = "",
    runs: str = "",
) -> kinds.Kind:
    """The kind of runs of searches by some methods, with these columns, too; `datasets` is a pattern."""
    values = {"dataset": datasets, "method": "|".join(methods)}
    return kinds.Kind((*kinds.CELL, "search_time", "n_evaluations", *columns), values, lacks, name, runs)


def kinds_by_reading(experiment: str, kind: kinds.Kind) -> tuple[kinds.Kind, kinds.Kind]:
    """The kinds of an experiment's runs: in the study's own reading, and in the others."""
    return kind, replace(kind, columns=(*kind.columns, *READING), runs=f"readings/*/{experiment}")


def settings_note(runs: pd.DataFrame, column: str, printed: tuple[int, ...]) -> dict[str, str]:
    """For `attrs` of a table: values of a setting that is no key of it, where they are not the document's."""
    here = sorted(runs[column].unique())
    if here == sorted(printed):
        return {}
    ours, theirs = (", ".join(str(value) for value in values) for values in (here, printed))
    return {"note": f"{column} = {ours} here and {theirs} in the document."}


def at_one_k(table: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """Table 2 or 3 with the number of folds of its runs, which the document's tables do not have.

    Raises:
        ValueError: if the runs have several.
    """
    listed = sorted(runs["k"].unique())
    if len(listed) != 1:
        raise ValueError(
            f"Tables 2 and 3 have one number of folds, the runs have k = {', '.join(map(str, listed))}"
        )
    table.insert(list(table.columns).index("n_missing") + 1, "k", listed[0])
    table.attrs.update(settings_note(runs, "k", K_STOPPING))
    return table
