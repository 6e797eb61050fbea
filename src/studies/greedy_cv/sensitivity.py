"""What document 001 leaves open, decided otherwise one at a time, and what Table 1 becomes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from studies import plotters, style
from studies.greedy_cv.measures import STUDY_FLOOR, beside_table1, jackknifed, mean_absolute_error
from studies.greedy_cv.tables import (
    KEYS,
    N_SEARCH,
    SEARCH_METHODS,
    folds_of,
    kind_of_searches,
    published,
    settings_note,
    with_published,
)
from studies.methods import methods
from studies.records import Artefact, Method, Study, configured
from studies.tidy import SHARE, mean_by_seed, need, provenance

VARIANTS: Final = {
    "as_configured": "lists, nothing changed",
    "min_max": "min-max scaler",
    "robust": "robust scaler",
    "standard": "standard scaler",
    "plain_folds": "plain folds",
    "ranges": "random ranges",
    "first_of_ties": "first of tied best",
    "last_of_ties": "last of tied best",
}
"""Labels of the variants that we know; a configuration may have others."""


def by_variant(study: Study, config: Mapping[str, Any]) -> dict[str, tuple[Method, ...]]:
    """What is replayed of each variant."""
    return dict.fromkeys(variants(config), configured(study.methods, config))


SENSITIVITY: Final = Study(
    name="sensitivity",
    methods=methods("standard", "greedy"),
    folds=folds_of,
    replayed=by_variant,
    kinds=(kind_of_searches(SEARCH_METHODS, "variant", lacks=("strategy",), name="variants", runs="variants/*"),),
    cells="variants",
    floor=STUDY_FLOOR,
    target="greedy_cv_sensitivity",
)


def variants(config: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of the runs: one variant each, as the configuration lists them."""
    return tuple(f"variants/{name}" for name in config["greedy_cv"]["sensitivity"]["variants"])


def tabulate(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Table 1 per variant, over the n and k that were run; published values pool five n."""
    need(runs, "search_time", "n_tied", "variant")
    keys = ["variant", *KEYS]
    ties = runs.groupby(keys, as_index=False)["n_tied"].mean()
    ours = mean_by_seed(runs, "search_time", keys, SHARE).merge(ties, on=keys).assign(stars="")
    table = with_published("table1", ours, keys, scale, ["n_tied"])
    table.attrs.update(settings_note(runs, "n", N_SEARCH))
    return table


def summarise(runs: pd.DataFrame) -> pd.DataFrame:
    """Mean absolute difference to Table 1 over the printed cells that were run.

    Returns:
        Columns variant, method, distance, low, high, n_seeds, n_cells, data. The interval is Student's, of
        the jackknife standard error (each seed left out in turn), cut at 0.
    """
    need(runs, "search_time", "variant")
    rows = []
    runs = runs.merge(published("table1"), on=KEYS)
    for (variant, method), part in runs.groupby(["variant", "method"], sort=True):
        printed, block = beside_table1(part)
        ours, _, low, high = jackknifed(mean_absolute_error(printed), block)
        rows.append((variant, method, ours, max(low, 0.0), high, block.shape[1], len(block), provenance(part)))
    columns = ["variant", "method", "distance", "low", "high", "n_seeds", "n_cells", "data"]
    return pd.DataFrame(rows, columns=columns)


@style.styled
def draw(summary: pd.DataFrame) -> plotters.Figure:
    """One dot per variant and method: how far it is from the published table."""
    order = [name for name in VARIANTS if name in set(summary["variant"])]
    order += sorted(set(summary["variant"]) - set(order))
    figure = style.new_figure(style.TWO_COLUMN[0], 0.42 * len(order) + 1.2)
    axes = figure.subplots()
    axes.set_xlabel("Mean absolute difference to the published search times")
    if summary.empty:
        style.say_not_run(axes)
        return figure
    for shift, method in zip((-0.13, 0.13), SEARCH_METHODS, strict=True):
        part = summary[summary["method"] == method].set_index("variant").reindex(order)
        look = style.LOOKS[method]
        axes.errorbar(
            part["distance"],
            np.arange(len(order)) + shift,
            xerr=plotters.spread(part, "distance"),
            fmt=look.marker,
            color=look.color,
            label=look.label,
            capsize=2,
        )
    axes.set_yticks(range(len(order)), [VARIANTS.get(name, name) for name in order])
    axes.invert_yaxis()
    axes.set_xlim(left=0)
    axes.grid(axis="x", alpha=0.3)
    return plotters.finish(figure, summary, 2)


_CAPTION: Final = """{% set own = config.greedy_cv.sensitivity %}Table 1 of document 001 with one ambiguity changed
at a time. The table has our search time of each variant beside the published one (in brackets); the figure its
mean absolute difference to the published table, with a 95 % jackknife interval over seeds. Candidates are from
lists but for *random ranges*. Compared are the cells of k = {{ own.n_folds | join(', ') }}, ours at n = {{
own.n_candidates | join(', ') }}, which the document averages over five n. Few seeds make a mean absolute
difference larger: for standard with random ties it is little else. {{ own.n_seeds | seeds }}."""
TABLE: Final = Artefact("sensitivity", variants, tabulate, _CAPTION, floor=STUDY_FLOOR)
FIGURE: Final = Artefact("sensitivity", variants, summarise, _CAPTION, draw, floor=STUDY_FLOOR)
