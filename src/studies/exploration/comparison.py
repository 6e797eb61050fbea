"""The page's table of strategies on five benchmarks: three of them run, the published numbers beside.

The page says that it takes its numbers from Snoek et al. (2015). That they stand in Table 1 there is from memory,
and so are the numbers: nothing quoted is verified, no page is known, and every table says so.
Spearmint is not run; expected improvement on a Gaussian process whose hyperparameters are sampled stands in its
place, since that is what it is. The two benchmarks on stored grids (LDA, SVM) are out of reach.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd

from studies import plotters, style
from studies.estimates import NOT_RUN, NOT_TESTABLE
from studies.exploration.document import published
from studies.exploration.searches import (
    COMPARED,
    FUNCTION,
    curves,
    draw_curves,
    ends,
    limits,
    log10_regret,
    paths,
    reach,
    searches,
)
from studies.exploration.task2 import LEARNER, long_rows
from studies.markdown import about_marked, made_of, mark, plain
from studies.methods import methods
from studies.paired import NOTE, differences, missing_notes
from studies.records import Artefact, Study
from studies.tidy import TIDY, in_order, mean_by_seed

SGD: Final = "sgd_logistic_regression"
KEYS: Final = ["benchmark", "measure", "method"]
MEASURES: Final = ("value", "value_less_random", "value_less_ei", "overhead_share")
QUOTED_NOTE: Final = "quoted from memory, unverified: Snoek et al. (2015), Table 1, page not known"


class Benchmark(NamedTuple):
    """A row of the page's table.

    Attributes:
        label: with the evaluations of the published numbers in brackets at its end.
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


LOGISTIC: Final = Study(name="logistic", methods=methods(*COMPARED), problems=((SGD, "mnist"),))
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
    """Rows of a benchmark, of each compared method, or of each quoted method if no search was run."""
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
    """`KEYS`, `tidy.MEASURED` and note: means of the value, differences, and shares of the overhead.

    `found` has a row per search, with benchmark and value; without seconds there are no shares.
    """
    means = mean_by_seed(found, "value", ["benchmark", "method"]).assign(measure="value")
    parts = [means.assign(note=missing_notes(means)), differences(found, "value", ["benchmark"])]
    if "spent_seconds" in found:
        share = found.assign(value=found["spent_overhead"] / found["spent_seconds"])
        shares = mean_by_seed(share, "value", ["benchmark", "method"])
        parts.append(shares.assign(measure="overhead_share", note=""))
    return pd.concat(parts, ignore_index=True)


def _joined(*notes: str) -> str:
    return "; ".join(note for note in notes if note)


def _ordered(table: pd.DataFrame) -> pd.DataFrame:
    return in_order(table, {"measure": MEASURES, "method": COMPARED})


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


# The table as Markdown -------------------------------------------------------------------------------------------


class Part(NamedTuple):
    """A part of the table: numbers of one unit, all rounded alike.

    Attributes:
        title: with the unit.
        benchmarks: their labels, and what stands for each above its columns.
        measures: a column for each on each benchmark.
        digits: after the point.
        factor: from the table's number to the unit.
    """

    title: str
    benchmarks: Mapping[str, str]
    measures: tuple[str, ...]
    digits: int
    factor: float = 1.0


_FUNCTIONS: Final = {BENCHMARKS["branin"].label: "Branin", BENCHMARKS["hartmann6"].label: "Hartmann-6"}
_ERRORS: Final = {BENCHMARKS["logistic"].label: "4 hyperparameters, validation", OWN_LABEL: "the page's own, test"}
_SEARCHED: Final = {**_FUNCTIONS, BENCHMARKS["logistic"].label: "logistic regression"}
PARTS: Final = (
    Part("Lowest value of a function", _FUNCTIONS, MEASURES[:3], 3),
    Part("Error of logistic regression, in %; differences in points", _ERRORS, MEASURES[:3], 2),
    Part("The optimiser's share of a search's seconds, in %", _SEARCHED, MEASURES[3:], 1, 100.0),
)
QUOTED_TITLE: Final = "Quoted from other papers: mean ± standard deviation, in brackets the evaluations"


def render(table: pd.DataFrame) -> str:
    """Markdown: `PARTS`, then what is quoted, each with a row per method and a column per benchmark and measure.

    A cell reads `mean ± half its 95 % interval`, or why there is no number.

    Args:
        table: as of `tabulate`.
    """
    parts = [_rendered(table, part) for part in PARTS]
    return "\n\n".join([*filter(None, parts), _quoted(table), _below(table)]) + "\n"


def _rendered(table: pd.DataFrame, part: Part) -> str:
    """A part, with notes on its numbers; empty if it has none."""
    shown = table[table["benchmark"].isin(part.benchmarks) & table["measure"].isin(part.measures)]
    columns = {}
    for benchmark, name in part.benchmarks.items():
        for measure in part.measures:
            column = shown[(shown["benchmark"] == benchmark) & (shown["measure"] == measure)]
            if len(column):
                cells = {row["method"]: _shown(row, part) for row in column.to_dict("records")}
                columns[_head(name, measure, column["n_trials"].min())] = cells
    if not columns:
        return ""
    elsewhere = (QUOTED_NOTE, NOT_RUN, "ours after", NOTE)  # said by heads, cells, or below
    notes = [
        f"{name[0].upper()}{name[1:]}: {text}."
        for benchmark, name in part.benchmarks.items()
        for text in _notes(shown[shown["benchmark"] == benchmark])
        if not text.startswith(elsewhere)
    ]
    return "\n\n".join([f"**{part.title}**", _by_method(columns), *notes])


def _head(name: str, measure: str, n_trials: float) -> str:
    """What stands above a column: the benchmark, and the measure or, of values, how many trials ours had."""
    if measure == "value":
        return name if pd.isna(n_trials) else f"{name}, {n_trials:.0f} trials"
    return f"{name}, {measure.removeprefix('value_').replace('_', ' ')}" if "less" in measure else name


def _shown(row: dict[Any, Any], part: Part) -> str:
    if pd.isna(row["ours"]):
        return str(row["note"] or "no value").split("; ")[0]
    text = f"{part.factor * row['ours']:.{part.digits}f}"
    if pd.notna(row["low"]) and pd.notna(row["high"]):
        text += f" ± {part.factor * (row['high'] - row['low']) / 2:.{part.digits}f}"
    return text + mark(row["data"])


def _quoted(table: pd.DataFrame) -> str:
    """The published numbers of all benchmarks, and what they are."""
    shown = table[table["published"].notna()]
    columns: dict[str, dict[str, str]] = {}
    for row in shown.to_dict("records"):
        sd = "" if pd.isna(row["published_sd"]) else f" ± {row['published_sd']:.2g}"
        method = "Spearmint" if row["method"] == "ei" else row["method"]
        columns.setdefault(row["benchmark"], {})[method] = f"{row['published']:.5g}{sd}"
    is_beyond = shown["note"].str.startswith(NOT_TESTABLE)
    about = [
        f"All but the page's own are {QUOTED_NOTE}. The page's own is what document 002 prints under Task 2.",
        f"{' and '.join(shown.loc[is_beyond, 'benchmark'].unique())}: {NOT_TESTABLE}.",
    ]
    return "\n\n".join([f"**{QUOTED_TITLE}**", _by_method(columns), *about])


def _by_method(columns: dict[str, dict[str, str]]) -> str:
    wide = pd.DataFrame(columns).fillna("")
    order = [name for name in (*COMPARED, "Spearmint") if name in wide.index]
    return plain(wide.loc[order].rename_axis("method").reset_index()).removesuffix("\n")


def _notes(rows: pd.DataFrame) -> list[str]:
    """The sentences that the notes of rows are joined of, each once."""
    return list(dict.fromkeys(text for note in rows["note"] for text in str(note or "").split("; ") if text))


def _below(table: pd.DataFrame) -> str:
    is_paired = table["measure"].isin(MEASURES[1:3]).any()
    paired = f" {NOTE[0].upper()}{NOTE[1:]}." if is_paired else ""
    return f"Means ± half of their 95 % interval over seeds; {made_of(table)}.{paired}" + about_marked(
        table, "\n\n"
    )


def summarise(runs: pd.DataFrame) -> pd.DataFrame:
    """Lowest value so far on the benchmarks that are run, mean over seeds.

    Returns:
        panel, then the columns of `searches.curves`: branin and hartmann6 (x trials, the distance of the lowest
        value to the minimum, at least 1e-6, the mean and interval of its logarithm taken back), logistic_trials
        and logistic_cost (x trials, and rows times epochs; validation error in %).
    """
    parts = []
    for name in ("branin", "hartmann6"):
        found = _found(runs, name)
        if len(found):
            table = paths(searches(found))
            table["value"] = log10_regret(table)
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
def draw(table: pd.DataFrame) -> plotters.Figure:
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
_SIZES: Final = """Branin and Hartmann-6: {{ f["n_trials"] }} evaluations, {{ f["n_seeds"] | seeds }}; logistic
    regression by SGD with HPOlib's four hyperparameters (at most 100 epochs): {{ l["n_trials"] }} evaluations on
    {{ l["n_train"] or "all" }} training rows of MNIST, {{ l["n_seeds"] | seeds }}."""
TABLE: Final = Artefact(
    "comparison",
    ("functions", "logistic", "task2", "refits"),
    tabulate,
    f"""{_BLOCKS}The comparison table of document 002 in parts, each of one unit with one rounding: the lowest
    value found on two functions, the error of logistic regression, the optimiser's share of a search, and apart
    from these what is quoted from other papers. Ours: {_SIZES} less random and less ei are the means of the
    differences to random search and to EI seed by seed (all methods of a seed start from the same candidates),
    with 95 % intervals. The row ei is a GP with sampled hyperparameters, in Spearmint's place; random and
    top-two EI are not in the page's table. LDA and SVM on their stored grids are not testable here. The page's
    own numbers are of another learner, two hyperparameters and test error, so they are not comparable with the
    others.""",
    render=render,
)
FIGURE: Final = Artefact(
    "comparison",
    ("functions", "logistic"),
    summarise,
    f"""{_BLOCKS}The benchmarks of the page's table that can be run here. Above: what the lowest value found
    leaves to the known minimum (geometric mean, at least 1e-6). Below: the lowest validation error, against
    trials and against the cost, rows times epochs, where a line ends at the cost of its cheapest seed. A line
    begins where all seeds have a value. {_SIZES}
    All methods of a seed start from the same candidates; EI and top-two EI average over samples of the GP's
    hyperparameters. Bars at the ends are 95 % intervals.""",
    draw,
)
