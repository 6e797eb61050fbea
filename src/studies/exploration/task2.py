"""Task 2 of document 002: logistic regression on MNIST, two hyperparameters, searched by seven strategies."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from frugal.interface import Candidate
from studies import plotters, style
from studies.exploration.document import ALL, published
from studies.exploration.greediness import NEARER, geometric_means
from studies.exploration.refits import REPORTED, refitted
from studies.exploration.searches import (
    AS_CODED,
    COMPARED,
    TASK2,
    chosen,
    curves,
    draw_curves,
    ends,
    has_enough_searches,
    limits,
    n_initial,
    paths,
    searches,
)
from studies.measures import exactly, ratio_of, share_of
from studies.methods import methods
from studies.paired import with_differences
from studies.records import Artefact, Claim, Study
from studies.regions import above, between
from studies.tidy import provenance, tidied

LEARNER: Final = "logistic_regression"


# What is read of the runs ----------------------------------------------------------------------------------------


def choices(runs: pd.DataFrame) -> pd.DataFrame:
    """Last row of every search, as of `searches.ends`, with its choice: C and intercept_scaling, nan for none."""
    found = ends(searches(runs, LEARNER))
    points = [candidate or dict.fromkeys(REPORTED, math.nan) for candidate in chosen(found)]
    return found.assign(**{name: [coordinate(point, name) for point in points] for name in REPORTED})


def coordinate(candidate: Candidate, name: str) -> float:
    """A hyperparameter of a candidate as a number."""
    return float(str(candidate[name]))


def stays_at_first(runs: pd.DataFrame) -> NDArray[np.float64]:
    """Whether the best trial of a search by the public code is a first candidate: 0 or 1, shape (n_seeds,)."""
    found = searches(runs, LEARNER)
    n_first = n_initial(found, LEARNER, str(found["dataset"].iloc[0]))
    by_seed = found[found["method"] == AS_CODED.name].groupby("seed")["error"]
    return np.array([errors.iloc[:n_first].min() == errors.min() for _, errors in by_seed], dtype=float)


# Claims ----------------------------------------------------------------------------------------------------------

N_TRIALS: Final = 15
"""Trials of a search under which no verdict is given: what a comparison of strategies with random search takes."""
N_TRAIN: Final = 5_000
"""The same for its training rows."""


def arrays(runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    """Arrays that the claims are measured on, (n_seeds,), or (1,) where nothing is drawn."""
    from studies.exploration.as_coded import diagonal

    start, stop = diagonal(2)
    places = []
    for name in REPORTED:
        printed = published(2)[name]
        first, last = (coordinate(end, name) for end in (start, stop))
        places.append((printed - first) / (last - first))
    place = places[0] if math.isclose(*places) else math.nan
    return {
        "place": np.array([round(100 * place, 7)]),
        "is_initial": stays_at_first(runs),
        **geometric_means(runs),
    }


IS_ENOUGH: Final = partial(has_enough_searches, methods=TASK2, n_trials=N_TRIALS, n_rows=N_TRAIN)
TASK2_SEARCHES: Final = Study(
    name="task2",
    methods=(*methods(*COMPARED), AS_CODED),
    problems=((LEARNER, "mnist"),),
    arrays=arrays,
    is_enough=IS_ENOUGH,
)
_claim = partial(Claim, section="Task 2", study="task2", artefact="tables/task2")

CLAIMS: Final = (
    Claim(
        "exploration.task2.ei_greedy",
        section="Choice of acquisition function",
        quote="Even in our preliminary experiments, we observed that the vanilla EI criterion tends to exaggerate "
        "the exploitative behavior",
        quantity=NEARER.format("in task 2"),
        unit="times",
        agrees=above(1),
        measure=ratio_of("distance_ei_explore", "distance_ei"),
        artefact="tables/greediness",
        study="task2",
    ),
    _claim(
        "exploration.task2.reported_on_diagonal",
        quantity="place of {3.775, 1.625} on the diagonal of candidates that the public code starts from (0 %: "
        "its lower end, 100 %: its upper end)",
        unit="%",
        agrees=between(75, 75),
        measure=exactly("place"),
    ),
    _claim(
        "exploration.task2.coded_stays_at_first",
        quantity="share of the public code's searches that end at one of its first candidates",
        unit="%",
        agrees=ALL,
        measure=share_of("is_initial"),
    ),
)


# Table and figure ------------------------------------------------------------------------------------------------

PAIRED: Final = ("valid_accuracy", "test_accuracy")
MEASURED: Final = (*PAIRED, "C", "intercept_scaling", "seconds", "overhead_s", "overhead_share")
"""Measures of one search."""
MEASURES: Final = (
    *(name + less for name in PAIRED for less in ("", "_less_random", "_less_ei")),
    *MEASURED[len(PAIRED) :],
)
KEYS: Final = ["measure", "method"]
PANELS: Final = {
    "trials": ("trial", "Trials"),
    "seconds": ("spent_seconds", "Seconds, the optimiser's included"),
    "cost": ("spent_cost", "Rows fitted"),
}
"""Panel of the figure -> what it is drawn against, and the label of that axis."""


def tabulate(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Where each strategy's searches end, and how its choices do on the test rows, beside the reported point.

    Returns:
        `KEYS`, `tidy.TIDY`, then n_rows, the training rows of a refit, n_missing (seeds without a value) and note.
        Measures: valid_accuracy, the best one of a search, on its own training rows; test_accuracy, of its choice
        refitted; both also less that of random search or of EI in the same seed (`paired.differences`); C and
        intercept_scaling, the choice; seconds of the search, of these overhead_s, the optimiser's, and
        overhead_share, the latter over the former. Methods: the strategies; `reported`, the page's point;
        `grid_least` and `grid_most`, the ends of the range over the grid (exact, n_seeds nan). Published numbers
        stand beside the page's own method, DNGO, its version as coded, and its point.
    """
    table, fits = with_differences(long_rows(runs), PAIRED), refitted(runs)
    n_rows = fits[~fits["method"].isin(["reported", "grid"])]["n_rows"].min()
    table["n_rows"] = np.where(table["measure"].str.startswith("test_accuracy"), n_rows, np.nan)
    table = pd.concat([table, _exact_rows(fits)], ignore_index=True)
    table["note"] = table["note"].fillna("")
    is_of_page = table["method"].isin(["dngo", "doc002_as_coded", "reported"])
    table["published"] = table["measure"].map(published(2)).where(is_of_page)
    orders = {"measure": MEASURES, "method": (*TASK2, "reported", "grid_least", "grid_most")}
    return tidied(table, KEYS, scale, "n_rows", "n_missing", "note", orders=orders)


def _exact_rows(fits: pd.DataFrame) -> pd.DataFrame:
    """Test accuracies without chance: of the reported point, and the least and the most over the grid."""
    rows: list[dict[str, Any]] = []
    for name, part in fits.groupby("method"):
        accuracies, n_rows = 1 - part["test_error"], part["n_rows"].min()
        facts = {"measure": "test_accuracy", "n_seeds": np.nan, "data": provenance(part)}
        if name == "reported":
            rows.append({**facts, "method": name, "ours": accuracies.mean(), "n_rows": n_rows})
        if name == "grid":
            note = f"the grid was fitted on {n_rows:.0f} rows"
            for method, value in (("grid_least", accuracies.min()), ("grid_most", accuracies.max())):
                rows.append({**facts, "method": method, "ours": value, "note": note})
    return pd.DataFrame(rows)


def long_rows(runs: pd.DataFrame) -> pd.DataFrame:
    """`MEASURED` of every search: measure, method, seed, data, value; a test accuracy is nan without a refit."""
    fits = refitted(runs)[["method", "seed", "test_error"]]
    found = choices(runs).drop(columns="test_error", errors="ignore").merge(fits, "left", on=["method", "seed"])
    wide = found.assign(
        valid_accuracy=1 - found["best"],
        test_accuracy=1 - found["test_error"],
        seconds=found["spent_seconds"],
        overhead_s=found["spent_overhead"],
        overhead_share=found["spent_overhead"] / found["spent_seconds"],
    )
    return wide.melt(["method", "seed", "data"], list(MEASURED), var_name="measure")


def summarise(runs: pd.DataFrame) -> pd.DataFrame:
    """Best validation accuracy so far: panel (of `PANELS`), then the columns of `searches.curves`.

    Seconds are those of evaluations and of the optimiser; cost is rows fitted.
    """
    table = paths(searches(runs, LEARNER))
    table["accuracy"] = 1 - table["best"]
    parts = [curves(table, x, "accuracy", TASK2).assign(panel=panel) for panel, (x, _) in PANELS.items()]
    found = pd.concat(parts, ignore_index=True)
    return found[["panel", *(name for name in found if name != "panel")]]


@style.styled
def draw(table: pd.DataFrame) -> plotters.Figure:
    """Best validation accuracy so far against trials, seconds and rows; bars at the ends are 95 % intervals."""
    from matplotlib.ticker import MaxNLocator, PercentFormatter, StrMethodFormatter

    figure, panels = plotters.row(table, "panel", PANELS, size=(7.2, 3.3), sharey=True)
    for axis, part, panel in panels:
        draw_curves(axis, part, discrete=panel == "trials")
        axis.set(xlabel=PANELS[panel][1])
        if panel == "seconds":
            style.log_axis(axis.xaxis, 0.9 * part["x"].min(), 1.1 * part["x"].max())
        if panel == "cost":
            axis.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
            axis.xaxis.set_major_locator(MaxNLocator(4))
    figure.axes[0].set(ylabel="Best validation accuracy", ylim=limits(table))
    figure.axes[0].yaxis.set_major_formatter(PercentFormatter(1.0, decimals=1))
    return plotters.finish(figure, table, 4)


TABLE: Final = Artefact(
    "task2",
    ("task2", "refits"),
    tabulate,
    """{% set r = config["exploration"]["refits"] %}Task 2 of document 002: best validation accuracy of each
    search and its choice ({{ n_train or "all" }} training rows of MNIST, drawn per seed, {{ n_valid }} validation
    rows, the last of the training file; {{ n_trials }} trials), the test accuracy of that choice refitted on {{
    r["refit_rows"] or "all 50,000" }} rows, and the seconds of the search, with the optimiser's share. The rows
    less random and less ei are means of the differences to random search and to EI seed by seed, on the same
    training rows, with 95 % intervals; all but the version as coded start from the same candidates.
    reported: the page's C = 3.775, l = 1.625, refitted alike; grid least and most: the range over a 5 x 5 grid of
    the box, fitted on {{ r["grid_rows"] or "all 50,000" }} rows. The published 91.51 % stand beside the page's
    own method and point. Means over {{ n_seeds | seeds }}.""",
)
FIGURE: Final = Artefact(
    "task2",
    ("task2",),
    summarise,
    """Task 2 of document 002: the best validation accuracy so far of logistic regression (liblinear, one-vs-rest)
    with C in [0.1, 5] and intercept_scaling in [0.01, 2], against trials, seconds (evaluations and the optimiser's
    own time, one thread) and cost, the rows fitted. {{ n_train or "all" }} training rows of MNIST, drawn per seed,
    {{ n_valid }} validation rows, the last of the training file; all methods of a seed start from the same {{
    n_initial }} candidates, but for the version as coded, which starts from the diagonal that the reported point
    lies on. Means over {{ n_seeds | seeds }}, up to the end of the shortest search; bars at the ends are 95 %
    intervals. The whole axis spans about as
    much as the surface does: it does not rank the methods.""",
    draw,
)
