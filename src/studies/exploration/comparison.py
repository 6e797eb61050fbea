"""The page's table of strategies on five benchmarks: three of them run, the published numbers beside.

The page took its numbers from Table 1 of Snoek et al. (2015), whose columns SMAC and TPE are those of Eggensperger
et al. (2013). We have neither at hand: what is quoted is from memory, unverified, and marked so.
Spearmint is not run; expected improvement on a Gaussian process whose hyperparameters are sampled stands in its
place, since that is what it is. The two benchmarks on stored grids (LDA, SVM) are out of reach.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import pandas as pd

from studies import plotters, style
from studies.exploration.document import published
from studies.exploration.greediness import IS_ENOUGH
from studies.exploration.searches import (
    COMPARED,
    FUNCTION,
    curves,
    draw_curves,
    ends,
    limits,
    paths,
    reach,
    searches,
)
from studies.exploration.task2 import LEARNER, long_rows
from studies.paired import differences, missing_notes
from studies.records import Artefact, Study
from studies.tidy import TIDY, mean_by_seed
from studies.verdicts import NOT_RUN, NOT_TESTABLE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SGD: Final = "sgd_logistic_regression"
KEYS: Final = ["benchmark", "measure", "method"]
MEASURES: Final = ("value", "value_less_random", "value_less_ei", "overhead_share")
QUOTED_NOTE: Final = "quoted from memory, unverified"


class Benchmark(NamedTuple):
    """A row of the page's table.

    Attributes:
        label: with the evaluations of the published numbers.
        learner: of ours; empty: out of reach.
        dataset: the same; empty: any.
        factor: from an error to the unit of the published numbers.
        quoted: method -> published mean and standard deviation.
    """

    label: str
    learner: str
    dataset: str
    factor: float
    quoted: dict[str, tuple[float, float]]


def _four(*numbers: tuple[float, float]) -> dict[str, tuple[float, float]]:
    return dict(zip(("smac", "tpe", "ei", "dngo"), numbers, strict=True))


BENCHMARKS: Final = {
    "branin": Benchmark(
        "Branin (200)",
        FUNCTION,
        "branin",
        1.0,
        _four((0.655, 0.27), (0.526, 0.13), (0.398, 0.0), (0.398, 0.0)),
    ),
    "hartmann6": Benchmark(
        "Hartmann-6 (200)",
        FUNCTION,
        "hartmann6",
        1.0,
        _four((-2.977, 0.11), (-2.823, 0.18), (-3.3166, 0.02), (-3.319, 0.0)),
    ),
    "logistic": Benchmark(
        "logistic regression, 4 hyperparameters, validation error in % (100)",
        SGD,
        "",
        100.0,
        _four((8.6, 0.9), (8.2, 0.6), (6.88, 0.0), (6.89, 0.04)),
    ),
    "lda": Benchmark(
        "LDA on grid (50)", "", "", 1.0, _four((1269.6, 2.9), (1271.5, 3.5), (1266.2, 0.1), (1266.2, 0.0))
    ),
    "svm": Benchmark("SVM on grid (100)", "", "", 1.0, _four((24.1, 0.1), (24.2, 0.0), (24.1, 0.1), (24.1, 0.1))),
}
"""By name; the published column of `ei` is Spearmint's."""
SMALLER_NOTE: Final = "the quoted is on more epochs and rows, so levels are not to be compared"
OWN_NOTE: Final = "not comparable with the row of 4 hyperparameters"
OWN_LABEL: Final = "the page's own: logistic regression, 2 hyperparameters, test error in %"


LOGISTIC: Final = Study(name="logistic", is_enough=IS_ENOUGH)
"""No claim is on it."""


def tabulate(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """The lowest value found by each method on each benchmark, the published numbers beside.

    Args:
        runs: of the studies `functions` and `logistic`; with those of `task2` and `refits`, the page's own row is
            shown, too.
        scale: label of the run.

    Returns:
        `KEYS`, `tidy.TIDY`, then published_sd, n_trials (ours), n_missing (seeds without a value) and note.
        Measures: value, the lowest one, or the page's own test error; value_less_random and value_less_ei, as of
        `paired`; overhead_share, of a search's seconds those of the optimiser. Every benchmark has rows; where
        there is no number, the note begins with the reason: out of reach, not run, or all failed. The page's own
        row is of another learner and of test error, and not comparable with the row of four hyperparameters.
    """
    parts = [_rows(name, runs) for name in BENCHMARKS]
    table = pd.concat([*parts, _own(runs)], ignore_index=True)
    table["scale"] = np.where(table["note"].str.startswith(NOT_RUN), NOT_RUN, scale)
    table = table.assign(published_se=np.nan, published_stars="", stars="")
    return table.reindex(columns=[*KEYS, *TIDY, "published_sd", "n_trials", "n_missing", "note"])


def _found(runs: pd.DataFrame, name: str) -> pd.DataFrame:
    """Searches of a benchmark that is run; none where there are none."""
    benchmark = BENCHMARKS[name]
    part = runs[(runs["learner"] == benchmark.learner) & runs["id"].notna()]
    return part[part["dataset"] == benchmark.dataset] if benchmark.dataset else part


def _rows(name: str, runs: pd.DataFrame) -> pd.DataFrame:
    """A benchmark's rows, of the methods that are to be compared, or of those quoted where none can be."""
    benchmark = BENCHMARKS[name]
    found = _found(runs, name) if benchmark.learner else runs.iloc[:0]
    if len(found):
        found = ends(searches(found))
        found = found.assign(benchmark=benchmark.label, value=found["best"] * benchmark.factor)
        measured = _measured(found)
        measured["n_trials"] = measured["method"].map(found.groupby("method")["trial"].min())
    else:
        measured = pd.DataFrame(columns=[*KEYS, "note", "n_trials"])
    reason = NOT_RUN if benchmark.learner else NOT_TESTABLE
    present = set(measured["method"])
    lacking = [method for method in (COMPARED if present else benchmark.quoted) if method not in present]
    gaps = pd.DataFrame({"measure": "value", "method": lacking, "note": reason, "data": "published"})
    table = pd.concat([measured, gaps.assign(benchmark=benchmark.label)], ignore_index=True)
    quoted = table["method"].where(table["measure"] == "value")
    table["published"] = quoted.map({method: mean for method, (mean, _) in benchmark.quoted.items()})
    table["published_sd"] = quoted.map({method: sd for method, (_, sd) in benchmark.quoted.items()})
    is_quoted = table["published"].notna()
    table.loc[is_quoted, "note"] = [
        _joined(
            note,
            QUOTED_NOTE,
            SMALLER_NOTE if name == "logistic" else "",
            "" if pd.isna(n) else f"ours after {n:.0f} trials, the quoted after those in brackets",
        )
        for note, n in table.loc[is_quoted, ["note", "n_trials"]].itertuples(index=False)
    ]
    return _ordered(table)


def _measured(found: pd.DataFrame) -> pd.DataFrame:
    """`KEYS`, `tidy.MEASURED` and note, of searches with benchmark and value; shares of those with seconds."""
    means = mean_by_seed(found, "value", ["benchmark", "method"]).assign(measure="value")
    parts = [means.assign(note=missing_notes(means)), differences(found, "value", ["benchmark"])]
    if "spent_s" in found:
        share = found.assign(value=found["overhead_total_s"] / found["spent_s"])
        shares = mean_by_seed(share, "value", ["benchmark", "method"])
        parts.append(shares.assign(measure="overhead_share", note=""))
    return pd.concat(parts, ignore_index=True)


def _joined(*notes: str) -> str:
    return "; ".join(note for note in notes if note)


def _ordered(table: pd.DataFrame) -> pd.DataFrame:
    ranks = [table["method"].map(COMPARED.index), table["measure"].map(MEASURES.index)]
    return table.iloc[np.lexsort(ranks)]


def _own(runs: pd.DataFrame) -> pd.DataFrame:
    """The page's own row: test error of what task 2's searches chose."""
    has_both = (runs["learner"] == LEARNER).any() and "test_error" in runs and runs["test_error"].notna().any()
    printed = 100 * (1 - published(2)["test_accuracy"])
    if has_both:
        values = long_rows(runs)
        values = values[(values["measure"] == "test_accuracy") & values["method"].isin(COMPARED)]
        table = _measured(values.assign(benchmark=OWN_LABEL, value=100 * (1 - values["value"])))
    else:
        gap = {"benchmark": OWN_LABEL, "measure": "value", "method": "dngo", "data": "published", "note": NOT_RUN}
        table = pd.DataFrame([gap])
    table["published"] = np.where((table["measure"] == "value") & (table["method"] == "dngo"), printed, np.nan)
    is_value = table["measure"] == "value"
    table.loc[is_value, "note"] = [_joined(note, OWN_NOTE) for note in table.loc[is_value, "note"]]
    return _ordered(table)


def summarise(runs: pd.DataFrame) -> pd.DataFrame:
    """Lowest value so far on the benchmarks that are run, mean over seeds.

    Returns:
        panel, then the columns of `searches.curves`: branin and hartmann6 (x trials, the distance of the lowest
        value to the minimum, at least 1e-6, the mean and interval of its logarithm taken back), logistic_trials
        and logistic_cost (x trials, and rows times epochs; validation error in %).
    """
    from frugal.trials.functions import FUNCTIONS

    parts = []
    for name in ("branin", "hartmann6"):
        found = _found(runs, name)
        if len(found):
            table = paths(searches(found))
            table["value"] = np.log10((table["best"] - FUNCTIONS[name].minimum).clip(lower=1e-6))
            shown = curves(table, "trial", "value", COMPARED)
            shown[["mean", "low", "high"]] = 10 ** shown[["mean", "low", "high"]]
            parts.append(shown.assign(panel=name))
    found = _found(runs, "logistic")
    if len(found):
        table = paths(searches(found))
        table["value"] = 100 * table["best"]
        for panel, x in (("logistic_trials", "trial"), ("logistic_cost", "spent_cost")):
            parts.append(curves(table, x, "value", COMPARED).assign(panel=panel))
    whole = pd.concat(parts, ignore_index=True)
    return whole[["panel", *(name for name in whole if name != "panel")]]


PANELS: Final = {
    "branin": ("Branin", "Trials", "Lowest value - minimum\n(geometric mean)"),
    "hartmann6": ("Hartmann-6", "Trials", "Lowest value - minimum\n(geometric mean)"),
    "logistic_trials": ("Logistic regression, 4 hyperparameters", "Trials", "Validation error (%)"),
    "logistic_cost": ("The same, as far as all seeds of a method go", "Rows x epochs", "Validation error (%)"),
}
"""Panel -> its title and the labels of its axes."""


@style.styled
def draw(table: pd.DataFrame) -> Figure:
    """Distance to the minimum of two functions, and the error of a learner; bars are 95 % intervals."""
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    figure, panels = plotters.row(table, "panel", PANELS, size=(7.2, 5.2), n_rows=2)
    for axis, part, panel in panels:
        title, x_label, y_label = PANELS[panel]
        draw_curves(axis, part, discrete=panel != "logistic_cost")
        axis.set(title=title, xlabel=x_label, ylabel=y_label)
        if panel == "logistic_cost":
            axis.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
            axis.xaxis.set_major_locator(MaxNLocator(4))
        if panel in ("branin", "hartmann6"):
            low, high = reach(part)
            axis.set(yscale="log", ylim=(low / 1.5, high * 1.5))
        else:
            axis.set(ylim=limits(part))
    return plotters.finish(figure, table, 4)


_BLOCKS: Final = '{% set f = config["exploration"]["functions"] %}{% set l = config["exploration"]["logistic"] %}'
_SIZES: Final = """Branin and Hartmann-6: {{ f["n_trials"] }} evaluations, {{ f["n_seeds"] }} seed(s); logistic
    regression by SGD with HPOlib's four hyperparameters (at most 100 epochs): {{ l["n_trials"] }} evaluations on
    {{ l["n_train"] or "all" }} training rows of MNIST, {{ l["n_seeds"] }} seed(s)."""
TABLE: Final = Artefact(
    "comparison",
    ("functions", "logistic", "task2", "refits"),
    tabulate,
    f"""{_BLOCKS}The comparison table of document 002: lowest value found, mean over the seeds, and in brackets
    the published mean and standard deviation, which are quoted from memory, unverified, and of the number of
    evaluations in the first column. Ours: {_SIZES} value less random and value less ei are the means of the
    differences to random search and to EI seed by seed (all methods of a seed start from the same candidates),
    with bootstrap intervals; overhead share is the optimiser's part of a search's seconds. The column ei is a GP
    with sampled hyperparameters, in the place of Spearmint, whose published numbers stand there; random and
    top-two EI are not in the page's table. LDA and SVM on their stored grids are not testable here. The page's
    own row is of another learner, two hyperparameters and test error, so it is not comparable with the others.""",
)
FIGURE: Final = Artefact(
    "comparison",
    ("functions", "logistic"),
    summarise,
    f"""{_BLOCKS}The benchmarks of the page's table that can be run here. Above: what the lowest value found
    leaves to the known minimum (geometric mean, at least 1e-6). Below: the lowest validation error, against
    trials and against the cost, rows times epochs, where a line ends at the cost of its cheapest seed. {_SIZES}
    All methods of a seed start from the same candidates; EI and top-two EI average over samples of the GP's
    hyperparameters. Bars at the ends are 95 % intervals.""",
    draw,
)
