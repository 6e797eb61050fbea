"""Document 001, section 6: the conjecture that greedy gains on larger data, tried on letter at several sizes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

import pandas as pd

from studies import plotters, style
from studies.estimates import Array, ratio
from studies.greedy_cv.measures import STUDY_FLOOR, by_method, fewest_seeds
from studies.greedy_cv.tables import KEYS, SEARCH_METHODS, kind_of_searches
from studies.markdown import NAMES
from studies.measures import Measure
from studies.methods import methods
from studies.records import Artefact, Claim, FoldsOf, Study, as_configured
from studies.regions import below, near_ratio
from studies.tidy import SHARE, mean_by_seed, need, tidied


def with_rows(runs: pd.DataFrame) -> pd.DataFrame:
    """Runs with `n_rows`, the number at the end of the dataset's name (letter_2000).

    Raises:
        ValueError: if a name has none.
    """
    n_rows = runs["dataset"].str.extract(r"_(\d+)$", expand=False)
    other = runs["dataset"][n_rows.isna()]
    if len(other):
        raise ValueError(f"the runs are of {other.iloc[0]}, not of a size such as letter_2000")
    return runs.assign(n_rows=n_rows.astype(int))


def arrays(runs: pd.DataFrame) -> dict[str, Array]:
    """Search times by method, the inner axis numbers of rows."""
    need(runs, "search_time")
    return by_method(with_rows(runs), "search_time", ["classifier", "k", "n"], "n_rows", SEARCH_METHODS)


def is_enough(runs: pd.DataFrame) -> bool:
    """Whether there are several sizes, each with `STUDY_FLOOR` repetitions of every method."""
    return len(runs["dataset"].unique()) > 1 and fewest_seeds(runs) >= STUDY_FLOOR


def folds_of(study: Study, config: Mapping[str, Any]) -> FoldsOf:
    """Numbers of folds, and the subsets that they part."""
    block = config["greedy_cv"]["sizes"]
    return {"greedy_cv.sizes.n_folds": (block["n_folds"], [f"{block['dataset']}_{n}" for n in block["n_rows"]])}


SIZES: Final = Study(
    name="sizes",
    floor=STUDY_FLOOR,
    methods=methods("standard", "greedy"),
    folds=folds_of,
    replayed=as_configured,
    kinds=(kind_of_searches(SEARCH_METHODS, datasets="letter_[0-9]+"),),
    arrays=arrays,
    is_enough=is_enough,
    claims_file="claims_sensitivity",
    target="greedy_cv_sensitivity",
)
_claim = partial(Claim, section="6", unit="times", study="sizes", artefact="tables/sizes")


def _largest_over_smallest(name: str) -> Measure:
    """A method's mean search time at the most rows over that at the fewest, seed by seed."""
    return lambda arrays, rng: ratio(arrays[name][:, -1].mean(axis=0), arrays[name][:, 0].mean(axis=0))


CLAIMS: Final = (
    _claim(
        "greedy_cv.sizes.greedy_improves",
        quote="the performance of the greedy k-fold method may improve on larger datasets",
        quantity="mean search time of the greedy method on letter, with the most rows over with the fewest "
        "(geometric mean; one subset of each size)",
        agrees=below(1),
        measure=_largest_over_smallest("greedy"),
    ),
    _claim(
        "greedy_cv.sizes.standard_does_not",
        quantity="mean search time of the standard method on letter, with the most rows over with the fewest; a "
        "control, since this method has nothing to gain",
        agrees=near_ratio(1),
        measure=_largest_over_smallest("standard"),
    ),
)


def tabulate(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Mean search time per number of rows, classifier, method and k; the document prints nothing to compare."""
    return tidied(summarise(runs), KEYS, scale, "n_missing", "n_rows")


def summarise(runs: pd.DataFrame) -> pd.DataFrame:
    """Columns dataset, classifier, method, k, n_rows and those of `mean_by_seed`; n is averaged over."""
    need(runs, "search_time")
    table = mean_by_seed(with_rows(runs), "search_time", [*KEYS, "n_rows"], SHARE)
    return table.sort_values(["classifier", "method", "k", "n_rows"], ignore_index=True)


@style.styled
def draw(summary: pd.DataFrame) -> plotters.Figure:
    """Search time against the number of rows, one column of panels per classifier and one row per k."""
    table = summary.rename(columns={"ours": "mean"})
    figure, panels = plotters.grid(
        table, "k", "classifier", size=lambda n: (style.TWO_COLUMN[0], 0.9 + 2.1 * n), sharex=True, sharey=True
    )
    ticks = sorted(table["n_rows"].unique())
    for axes, part, k, classifier in panels:
        plotters.lines(axes, part, style.LOOKS, x="n_rows", order=SEARCH_METHODS)
        axes.set(ylim=(0, 1), title=f"{NAMES[classifier]}, k = {k}")
        plotters.log_ticks(axes, ticks, "{:,}")
    plotters.label_edges(figure, "Rows of letter", "Search time\n(share of n·k folds)")
    return plotters.finish(figure, table, 2)


_CAPTION: Final = """The conjecture of document 001 that greedy gains on larger data, on letter at several numbers
    of rows. The table has the mean search times, the figure draws them with 95 % intervals over seeds. Candidates
    are from {{ "ranges" if space is defined and space == "ranges" else "lists" }}, n = {{ n_candidates | join('
    and ') }} averaged. {{ n_seeds | seeds }}. All seeds share one subset of each size, so that intervals leave out
    what another subset would change."""
TABLE: Final = Artefact("sizes", ("sizes",), tabulate, _CAPTION, floor=STUDY_FLOOR)
FIGURE: Final = Artefact("sizes", ("sizes",), summarise, _CAPTION, draw, floor=STUDY_FLOOR)
