"""Table 1 at every combination of what document 001 leaves open."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any, Final

import numpy as np
import pandas as pd

from studies import markdown
from studies.greedy_cv.measures import beside_table1, jackknifed, mean_absolute_error
from studies.greedy_cv.tables import KEYS, SEARCH_METHODS, folds_of, kind_of_searches, published
from studies.methods import methods
from studies.records import Artefact, Study, as_configured
from studies.tidy import need, provenance, tidied

FLOOR: Final = 10
FACTORIAL: Final = Study(
    name="factorial",
    methods=methods("standard", "greedy"),
    folds=folds_of,
    replayed=as_configured,
    kinds=(
        kind_of_searches(SEARCH_METHODS, "tree_seed", lacks=("strategy",), name="factorial", runs="factorial/*"),
    ),
    floor=FLOOR,
    target="greedy_cv_sensitivity",
)
_CHOICES: Final = ["space", "scaler", "splits", "tree_seed"]
_ROW: Final = ["classifiers", "method", *_CHOICES, "measure"]


def combinations(block: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """By name of a combination its space, scaler, splits and tree_seed.

    A scaler and the seed of trees are never combined: no classifier has both. The block is that of
    `greedy_cv.factorial` in the configuration.
    """
    listed = product(block["spaces"], block["scalers"], block["splits"], block["tree_seeds"])
    return {
        "_".join(parts): dict(zip(_CHOICES, parts, strict=True))
        for parts in listed
        if parts[1] == "none" or parts[3] == "repetition"
    }


def runs_of(config: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of the runs: one combination each; none with a configuration from before there were any."""
    block = config["greedy_cv"].get("factorial")
    return tuple(f"factorial/{name}" for name in combinations(block)) if block else ()


def tabulate(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Mean search time of a combination over the cells that were run, and its mean absolute error to Table 1's.

    Trees stand apart from the others: they have no scaler, and a seed. Intervals are Student's, of jackknife
    standard errors over the seeds, cut at 0. The printed values pool five n.
    """
    need(runs, "search_time", *_CHOICES)
    is_tree = runs["classifier"] == "decision_tree"
    runs = runs.assign(classifiers=np.where(is_tree, "decision tree", "naive Bayes and nearest neighbours"))
    runs = runs.assign(tree_seed=runs["tree_seed"].where(is_tree, "none")).merge(published("table1"), on=KEYS)
    rows = []
    for labels, part in runs.groupby(_ROW[:-1], sort=False):
        printed, block = beside_table1(part)
        for name, target, statistic in (
            ("mean", printed.mean(), lambda kept: float(np.nanmean(kept, axis=1).mean())),
            ("mean absolute error by cell", np.nan, mean_absolute_error(printed)),
        ):
            ours = jackknifed(statistic, block)
            rows.append([*labels, name, target, *ours, block.shape[1], len(block), provenance(part)])
    columns = [*_ROW, "published", "ours", "ours_se", "low", "high", "n_seeds", "n_cells", "data"]
    table = pd.DataFrame(rows, columns=columns)
    return tidied(table.assign(low=table["low"].clip(lower=0.0)), _ROW, scale, "n_cells")


def render(table: pd.DataFrame) -> str:
    """Markdown with a row per combination, and a column per method and measure."""
    cells = [markdown.with_interval(row) for row in table.itertuples()]
    across = table["method"] + ", " + table["measure"]
    wide = table.assign(cell=cells, across=across).pivot_table(
        index=["classifiers", *_CHOICES], columns="across", values="cell", aggfunc="first", sort=False
    )
    return f"{markdown.plain(wide.reset_index())}\nOurs; {markdown.made_of(table)}.\n"


TABLE: Final = Artefact(
    "factorial",
    runs_of,
    tabulate,
    """Table 1 of document 001 at every combination of what it leaves open: space, scaler, plain or stratified
    folds, and the tree's seed per repetition or per candidate; n up to
    {{ config["greedy_cv"]["factorial"]["n_candidates"] | max }} and k up to
    {{ config["greedy_cv"]["factorial"]["n_folds"] | max }}, with 95 % jackknife intervals over seeds, cut at 0.
    {{ config["greedy_cv"]["factorial"]["n_seeds"] | seeds }}.""",
    render=render,
    floor=FLOOR,
)
