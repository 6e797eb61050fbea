"""Document 003, section 4: the combinations that it names, of the bag of little bootstraps (BLB), and their parts.

The document has no numbers of them. "Problematic" and "more promising" are read as costs and errors over those of
the parts, and of the combinations over each other, on the same data.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
import scipy
from numpy.random import Generator

from frugal.stats import stars
from studies import plotters, style
from studies.big_data.cost_tables import draw_intervals, hold_means, means, tabulate_means, with_all_seeds
from studies.big_data.tables import render
from studies.cells import every, some
from studies.estimates import Array, Arrays, Estimate, ratio
from studies.measures import Measure
from studies.paired import less_or_more
from studies.records import Artefact, Claim, Method, Study
from studies.regions import above
from studies.tidy import mean_by_seed, tidied

if TYPE_CHECKING:
    from pathlib import Path

METHODS: Final = (
    Method("full", label="all rows", color="#000000", marker="*", linestyle=":"),
    Method("bootstrap", label="bootstrap", color="#684319", marker="h", linestyle=":"),
    Method("blb", label="BLB", color="#4580EB", marker="s", linestyle="--"),
    Method("osmac_mvc", label="OSMAC", color="#F2B138", marker="D", linestyle="-."),
    Method("blb_osmac", label="BLB + OSMAC", color="#2F6756", marker="o", linestyle="-"),
    Method("dynamic", label="dynamic sizes", color="#926A00", marker="P", linestyle=":"),
    Method("blb_dynamic", label="BLB + dynamic sizes", color="#D07CA1", marker="X", linestyle="-"),
    Method("full_svm", label="SVM, all rows", color="#000000", marker="*", linestyle=":"),
    Method("wkm_svm", label="WKM-SVM", color="#684319", marker="v", linestyle=":"),
    Method("blb_svm", label="BLB, SVM", color="#7AACEB", marker="s", linestyle="--"),
    Method("blb_wkm_svm", label="BLB + WKM-SVM", color="#00318F", marker="^", linestyle="-"),
)
PARTS: Final = {
    "blb_osmac": ("blb", "osmac_mvc", "full"),
    "blb_dynamic": ("blb", "dynamic", "full"),
    "blb_wkm_svm": ("blb_svm", "wkm_svm", "full_svm"),
}
"""Combination -> its parts, and training on all rows."""


# Runs ----------------------------------------------------------------------------------------------------------


COSTS: Final = ("rows_touched", "rows_accessed", "distinct_accessed", "seconds")
_COLUMNS: Final = (
    "problem", "data", "n_rows", "n_truth", "gamma", "b", "s", "r", "error", "to_full", "width_error", "width",
    "rows_touched", "rows_accessed", "distinct_accessed", "passes", "seconds", "predict_seconds", "n_fits",
    "n_failed", "share_uniform", "largest_share", "understated",
)  # fmt: skip


def run(method: str, seed: int, settings: Mapping[str, Any], root: str | Path = "data") -> pd.DataFrame:
    """One combination, or one part; methods share the data and splits of a seed.

    Returns:
        A row per problem, and per gamma where subsamples are drawn. Columns: problem, data, n_rows, n_truth;
        gamma, b, s, r; error (squared distance of the coefficients to the true ones, or test error), to_full
        (squared distance to the fit to all rows), width_error (of the 95 % intervals, relative to the true width),
        width (mean; of decision values on test rows for an SVM), rows_touched (distinct rows per fit, summed, and
        what was drawn or scored for a pilot), rows_accessed (each as often as it was read, k times for a row that
        the resample holds k times), distinct_accessed (the same with the distinct rows of each sample read),
        passes (rows_accessed per row of a fit's data), seconds (of fitting), predict_seconds (of decision values),
        n_fits, n_failed, share_uniform (1 where failed pilots left uniform draws, 0 where not); of dynamic fits
        largest_share (of the resample, in the largest sample) and understated (log10 of the gradient's squared
        error at the end over equation 13's estimate). What a method lacks is nan.
    """
    from studies.big_data.combination_fits import measure

    return pd.DataFrame(measure(method, seed, settings, root), columns=list(_COLUMNS))


# Pairs of a combination and a part -----------------------------------------------------------------------------

SIZES: Final = {"nzNormal": 10_000, "student_t": 20_000}
"""Rows of the generated designs in the document's own Figures 10 and 7; the other problems are real data."""


def paired(runs: pd.DataFrame, combination: str, part: str, problem: str, measure: str) -> pd.DataFrame:
    """Compare a combination with one of its parts, gamma by gamma and seed by seed.

    Args:
        runs: of `COMBINATIONS`.
        combination: name of the method.
        part: name of the method; if it has no gammas, its one value is compared with each gamma.
        problem: design or dataset.
        measure: the column that is compared.

    Returns:
        A row per gamma and a column per seed: log10 of the combination's value over the part's, or, for test
        errors, the difference of the two. Below 0 where the combination has less. An empty table if one of them
        was not run or does not have the measure.

    Raises:
        ValueError: if both have gammas, but none in common.
    """
    rows = runs[runs["problem"] == problem]
    first, second = (_by_gamma(rows[rows["method"] == method], measure) for method in (combination, part))
    if first.empty or second.empty:
        return pd.DataFrame()
    if rows.loc[rows["method"] == part, "gamma"].isna().all():
        second = pd.DataFrame([second.iloc[0]] * len(first), index=first.index)
    elif first.index.intersection(second.index).empty:
        raise ValueError(f"{combination} and {part} have no gamma in common on {problem}")
    if measure == "error" and problem not in SIZES:
        return (first - second).dropna(how="all")
    ratios = (first / second).dropna(how="all")
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log10(ratios.to_numpy(float))
    return pd.DataFrame(logs, index=ratios.index, columns=ratios.columns)


def _by_gamma(runs: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Values, shape (n_gammas, n_seeds)."""
    return runs.assign(gamma=runs["gamma"].fillna(1.0)).pivot_table(measure, "gamma", "seed")


# Claims --------------------------------------------------------------------------------------------------------

N_SEEDS: Final = 10
AT_LEAST: Final = {"r": 30, "s": 5, "n_truth": 300}
"""Resamples and subsamples of BLB, and datasets for the true width, under which no verdict is given."""
SVM_ROWS: Final = 5000
"""Training rows of the SVMs, likewise."""


def arrays(runs: pd.DataFrame) -> dict[str, Array]:
    """Log-ratios of combinations and parts, each (n_gammas and problems, n_seeds); empty where nothing was run."""
    generated, real = list(SIZES), [p for p in runs["problem"].unique() if p not in SIZES]
    used = runs.loc[runs["method"] == "blb_dynamic", "gamma"].unique()
    matched = runs[(runs["method"] != "blb_osmac") | runs["gamma"].isin(used)]
    return {
        "dynamic_accessed": _cells(runs, "blb_dynamic", "blb", generated, "rows_accessed"),
        "dynamic_distinct": _cells(runs, "blb_dynamic", "blb", generated, "distinct_accessed"),
        "dynamic_error": _cells(runs, "blb_dynamic", "blb", generated, "error"),
        "osmac_error_matched": _cells(matched, "blb_osmac", "blb", generated, "error"),
        **{f"osmac_error {design}": _cells(runs, "blb_osmac", "blb", [design], "error") for design in SIZES},
        "osmac_width_nz": _cells(runs, "blb_osmac", "blb", ["nzNormal"], "width_error"),
        "osmac_seconds_alone": _cells(runs, "blb_osmac", "osmac_mvc", generated, "seconds"),
        "osmac_alone_nz": _cells(runs, "blb_osmac", "osmac_mvc", ["nzNormal"], "error"),
        "wkm_seconds_alone": _cells(runs, "blb_wkm_svm", "wkm_svm", real, "seconds"),
        "wkm_seconds": _cells(runs, "blb_wkm_svm", "blb_svm", real, "seconds"),
        "understated": _values(runs, "blb_dynamic", "understated"),
        "understated_all": _values(runs, "dynamic", "understated"),
    }


def _cells(runs: pd.DataFrame, combination: str, part: str, problems: list[str], measure: str) -> Array:
    tables = [paired(runs, combination, part, problem, measure) for problem in problems]
    return _stacked([table for table in tables if len(table)], runs)


def _values(runs: pd.DataFrame, method: str, measure: str) -> Array:
    part = runs[runs["method"] == method].assign(gamma=lambda rows: rows["gamma"].fillna(1.0))
    return _stacked([part.pivot_table(measure, ["problem", "gamma"], "seed")], runs)


def _stacked(tables: list[pd.DataFrame], runs: pd.DataFrame) -> Array:
    """Values, shape (n_cells, n_seeds); nan for a seed that a cell lacks."""
    seeds = sorted(runs["seed"].unique())
    if not tables or all(table.empty for table in tables):
        return np.empty((0, len(seeds)))
    return np.concatenate([table.reindex(columns=seeds).to_numpy(float) for table in tables])


def is_enough(runs: pd.DataFrame) -> bool:
    """Whether there are ten seeds, designs of the document's sizes, `AT_LEAST` of the rest and `SVM_ROWS`."""
    smallest = runs.groupby("problem")["n_rows"].min()
    if runs["seed"].nunique() < N_SEEDS or any(smallest.get(design, 0) < size for design, size in SIZES.items()):
        return False
    if not smallest.drop(list(SIZES)).min() >= SVM_ROWS:  # nan without any
        return False
    bags = runs[runs["method"].isin(("blb", "blb_osmac", "blb_dynamic"))]
    return all(bags[name].min() >= least for name, least in AT_LEAST.items())


COMBINATIONS: Final = Study(
    name="combinations",
    methods=METHODS,
    run=run,
    is_timed=True,
    datasets="datasets",
    arrays=arrays,
    is_enough=is_enough,
)


def on_designs(runs: pd.DataFrame) -> pd.DataFrame:
    """Rows on generated designs."""
    return runs[runs["problem"].isin(SIZES)]


def on_real_data(runs: pd.DataFrame) -> pd.DataFrame:
    """Rows on data sets."""
    return runs[~runs["problem"].isin(SIZES)]


_claim = partial(
    Claim,
    rows=on_designs,
    section="4",
    study="combinations",
    unit="times",
    agrees=above(1),
    artefact="tables/combinations_against_parts",
)
_FURTHER: Final = "various combinations of them are possible to get further speedups"
_PROMISING: Final = "The combinations of BLB with OSMAC and of BLB with WKM-SVM are more promising."
_MATCHED: Final = "at equally many rows drawn"
_NZ: Final = f"on the imbalanced nzNormal {_MATCHED}"
_DYNAMIC: Final = "BLB with subsample size selection over plain BLB"


def _times(name: str) -> Measure:
    """Ratio of the combination to the part, geometric mean over the cells."""
    return lambda arrays, rng: ratio(_over_cells(arrays, name), 1.0)


def _fewer(name: str) -> Measure:
    """Ratio of the part to the combination, geometric mean over the cells."""
    return lambda arrays, rng: ratio(1.0, _over_cells(arrays, name))


def _ratio_of(name: str, other: str) -> Measure:
    """Ratio of two ratios, each the geometric mean over its cells."""
    return lambda arrays, rng: ratio(_over_cells(arrays, name), _over_cells(arrays, other))


def _on_every_design(arrays: Arrays, rng: Generator) -> Estimate:
    """Plain BLB's error over that of BLB with OSMAC, geometric mean over gammas; both designs have to agree."""
    logs = [-np.log(_over_cells(arrays, f"osmac_error {design}")) for design in SIZES]
    return every(logs, above(1), is_log=True, noun="designs", names=("nzNormal", "Student's t"))


def _some_faster(arrays: Arrays, rng: Generator) -> Estimate:
    """A part's seconds over its combination's with BLB; the document speaks of more combinations than these."""
    logs = [-np.log(_over_cells(arrays, f"{part}_seconds_alone")) for part in ("osmac", "wkm")]
    return some(logs, above(1), is_log=True, noun="combinations", names=("OSMAC", "WKM-SVM"))


def _over_cells(arrays: Arrays, name: str) -> Array:
    """Geometric mean over cells whose values are log10, by seed; nan without cells."""
    cells = arrays[name]
    return np.asarray(10.0 ** cells.mean(axis=0)) if len(cells) else np.full(cells.shape[1], np.nan)


CLAIMS: Final = (
    _claim(
        "big_data.combinations.further_speedup",
        quote=_FURTHER,
        quantity="seconds of all fits, a method alone over its combination with BLB, of OSMAC and of WKM-SVM",
        measure=_some_faster,
        rows=None,
    ),
    _claim(
        "big_data.combinations.further_speedup.blb_osmac",
        quantity=f"seconds of all fits, OSMAC alone over BLB with OSMAC, {_MATCHED}",
        measure=_fewer("osmac_seconds_alone"),
    ),
    _claim(
        "big_data.combinations.further_speedup.blb_osmac_error",
        quantity=f"squared error of the coefficients, OSMAC alone over BLB with OSMAC, {_NZ}",
        measure=_fewer("osmac_alone_nz"),
    ),
    _claim(
        "big_data.combinations.further_speedup.blb_wkm_svm",
        quantity="seconds of all fits on adult and letter, WKM-SVM alone over BLB with WKM-SVM",
        measure=_fewer("wkm_seconds_alone"),
        rows=on_real_data,
    ),
    # Rows that a resample repeats count once: in the document's section 3.1 they are weights, and the cost of a
    # resample depends on its distinct rows.
    _claim(
        "big_data.combinations.blb_dynamic.more_rows",
        quote="the combination of BLB with subsample size selection for gradient descent is problematic",
        quantity=f"rows read, each of a resample's rows counted once (the cost of section 3.1), {_DYNAMIC}",
        measure=_times("dynamic_distinct"),
    ),
    _claim(
        "big_data.combinations.blb_dynamic.more_rows_repeated",
        quantity=f"rows read, each counted as often as the resample repeats it, {_DYNAMIC}",
        measure=_times("dynamic_accessed"),
    ),
    _claim(
        # Up to the margin of a ratio, 10 %, the two err alike; against 1 the fourth digit would decide.
        "big_data.combinations.blb_dynamic.worse",
        quote="This approach does not work well if the training data is a resampled BLB bootstrap",
        quantity=f"squared error of the coefficients, {_DYNAMIC}, with the same b, where both solve the same "
        "problem on the same resamples (up to 1.1 it errs as plain BLB does)",
        agrees=above(1.1),
        measure=_times("dynamic_error"),
    ),
    _claim(
        "big_data.combinations.blb_dynamic.variance_not_reduced",
        quote="a resampled BLB bootstrap that does not allow for significant variance reduction since it only "
        "contains a small fraction of datapoints",
        quantity="squared error of the last gradient over equation 13's estimate of it: on BLB's resamples, "
        "divided by the same on all rows",
        measure=_ratio_of("understated", "understated_all"),
        # Where a fit has converged the ratio is about n over a resample's distinct rows, whatever the rule does.
        is_by_construction=True,
    ),
    _claim(
        "big_data.combinations.osmac_more_promising",
        quote=_PROMISING,
        quantity="squared error of the coefficients, of each combination as a multiple of plain BLB's: with "
        f"subsample size selection over with OSMAC, {_MATCHED}",
        measure=_ratio_of("dynamic_error", "osmac_error_matched"),
    ),
    # No claim: no measure is common to it and to BLB with subsample size selection, which is of another learner.
    _claim(
        "big_data.combinations.wkm_svm_more_promising",
        quantity="seconds of all fits on adult and letter, BLB with the plain SVM over BLB with WKM-SVM",
        measure=_fewer("wkm_seconds"),
        rows=on_real_data,
    ),
    _claim(
        "big_data.combinations.osmac_weights",
        quantity="squared error of the coefficients, plain BLB over BLB with OSMAC, on each of the two generated "
        f"designs, {_MATCHED}",
        measure=_on_every_design,
    ),
    _claim(
        "big_data.combinations.osmac_weights_widths",
        quantity=f"relative error of the interval widths, plain BLB over BLB with OSMAC, {_NZ}",
        measure=_fewer("osmac_width_nz"),
    ),
)


# Tables and figure ---------------------------------------------------------------------------------------------

PANELS: Final = (
    ("nzNormal", "error", "rows_touched", ("full", "blb", "osmac_mvc", "blb_osmac")),
    ("student_t", "error", "rows_accessed", ("full", "blb", "dynamic", "blb_dynamic")),
    ("svm", "error", "rows_touched", ("full_svm", "wkm_svm", "blb_svm", "blb_wkm_svm")),
    ("nzNormal", "width_error", "rows_touched", ("bootstrap", "blb", "blb_osmac")),
    ("student_t", "width_error", "distinct_accessed", ("blb", "blb_dynamic")),
    ("svm", "seconds", "rows_touched", ("full_svm", "wkm_svm", "blb_svm", "blb_wkm_svm")),
)
"""Problem (`svm`: the first dataset), what is drawn, against which rows, of which methods."""
MEASURES: Final = (
    "error", "to_full", "width_error", "width", *COSTS, "predict_seconds", "passes", "n_failed", "share_uniform",
    "largest_share", "understated",
)  # fmt: skip
_LOOKS: Final = {method.name: method.look for method in METHODS}
_WORDS: Final = {
    ("error", False): "Squared error of the coefficients",
    ("error", True): "Test error (share)",
    ("width_error", False): "Relative error of interval widths",
    ("seconds", True): "Seconds, all fits",
    "rows_touched": "Rows touched, all fits",
    "rows_accessed": "Rows accessed, repeats counted",
    "distinct_accessed": "Rows accessed, distinct per sample",
}


def _is_geometric(runs: pd.DataFrame, measure: str) -> bool:
    is_squared = measure == "error" and bool(runs["problem"].isin(SIZES).all())
    return is_squared or measure in ("seconds", "predict_seconds", "to_full")


def tabulate(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Every measure of every method.

    Returns:
        problem, method, gamma (1 where no subsample is drawn), measure, `TIDY` and n_missing; means over seeds, of
        errors of coefficients geometric ones with their interval. A method has no row of what it does not have.
    """
    runs = runs.assign(gamma=runs["gamma"].fillna(1.0))
    table = tabulate_means(runs, ["problem", "method", "gamma"], MEASURES, scale, _is_geometric)
    return table.dropna(subset=["ours"], ignore_index=True)


def render_measures(table: pd.DataFrame) -> str:
    """Markdown of `tabulate`, with a factor for the logarithm."""
    return render(table.replace({"measure": {"understated": "log10_understated"}}))


def tabulate_against_parts(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """What each combination has over each of its parts, mean over gammas, paired by seed.

    Returns:
        combination, part, problem, measure (error, width_error, and costs of all fits), `TIDY`, n_missing and says
        where both have the measure. `ours` is the log10 of a ratio (of test errors a difference), stars those of a
        paired t-test; says is `less`, `more` or `not told apart`, by whether the interval holds 0. Less is better
        of all of them.
    """
    keys, parts = ["combination", "part", "problem", "measure"], []
    pairs = [(combination, part) for combination, listed in PARTS.items() for part in listed]
    for pair, problem, measure in product(pairs, runs["problem"].unique(), ("error", "width_error", *COSTS)):
        table = paired(runs, *pair, problem, measure)
        if len(table):
            values = table.mean(skipna=False).rename_axis("seed").reset_index(name="value")
            data = runs.loc[runs["problem"] == problem, "data"].iloc[0]
            parts.append(values.assign(data=data, **dict(zip(keys, (*pair, problem, measure), strict=True))))
    table = with_all_seeds(mean_by_seed(pd.concat(parts, ignore_index=True), "value", keys))
    t = np.abs(table["ours"] / table["ours_se"])
    p = 2.0 * scipy.special.stdtr(table["n_seeds"] - table["n_missing"] - 1.0, -t)
    table = table.assign(stars=[stars(x) for x in p], says=less_or_more(table))
    return tidied(table, keys, scale, "n_missing", "says")


def render_against_parts(table: pd.DataFrame) -> str:
    """Markdown of `tabulate_against_parts`, with factors for logarithms."""
    is_difference = (table["measure"] == "error") & ~table["problem"].isin(SIZES)
    return render(table.assign(measure=("log10_" + table["measure"]).mask(is_difference, "test_error_less")))


def summarise(runs: pd.DataFrame) -> pd.DataFrame:
    """Numbers of the figure: a row per panel, method and gamma.

    Returns:
        panel (from 1), problem, measure, against, method, gamma, rows (mean), mean, low, high, n_seeds, data;
        means of errors of coefficients and of seconds are geometric.
    """
    runs = runs.assign(gamma=runs["gamma"].fillna(1.0))
    datasets = [problem for problem in runs["problem"].unique() if problem not in SIZES]
    parts = []
    for number, (problem, measure, against, methods) in enumerate(PANELS, start=1):
        problem = datasets[0] if problem == "svm" and datasets else problem
        part = runs[(runs["problem"] == problem) & runs["method"].isin(methods)]
        if part.empty:
            continue
        keys = ["method", "gamma"]
        rows = mean_by_seed(part, against, keys)["ours"]
        numbers = means(part, measure, keys, is_geometric=_is_geometric(part, measure)).assign(rows=rows)
        numbers = numbers.rename(columns={"ours": "mean"})
        parts.append(numbers.assign(panel=number, problem=problem, measure=measure, against=against))
    columns = [
        "panel", "problem", "measure", "against", "method", "gamma", "rows", "mean", "low", "high", "n_seeds",
        "data",
    ]  # fmt: skip
    return pd.concat(parts, ignore_index=True)[columns]


@style.styled
def draw(numbers: pd.DataFrame) -> plotters.Figure:
    """A column per combination; above its error, below its widths or seconds, both against rows."""
    from matplotlib.ticker import EngFormatter, LogLocator

    figure, panels = plotters.row(numbers, "panel", range(1, 7), size=(7.2, 5.0), n_rows=2)
    for axes, part, number in panels:
        problem, measure, against = (str(part[key].iloc[0]) for key in ("problem", "measure", "against"))
        is_svm = number in (3, 6)
        draw_intervals(axes, part, _LOOKS, x="rows")
        hold_means(axes, part, log=(measure, is_svm) != ("error", True) and measure != "width_error")
        axes.set(xlabel=_WORDS[against], ylabel=_WORDS[measure, is_svm])
        axes.set_xlim(part["rows"].min() / 2, part["rows"].max() * 2)  # so that there is room for a tick or two
        axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 3.0)))
        axes.xaxis.set_major_formatter(EngFormatter(sep=""))
        if number <= 3:
            axes.set_title(f"{problem.replace('_', ' ')}, {'test error' if is_svm else 'coefficients'}")
    return plotters.finish(figure, numbers, 5, below=True)


TABLE: Final = Artefact(
    "combinations",
    ("combinations",),
    tabulate,
    """Every measure of the combinations that document 003 names, and of their parts, means over
    {{ n_seeds | seeds }}: error (squared distance to the true coefficients, geometric mean; for an SVM the test
    error), to_full (squared distance to the fit to all rows), width and width_error (of 95 % intervals, against
    the true width; for an SVM of its decision values), rows touched, rows accessed (a row that a resample repeats
    counted each time) and the distinct ones of each sample read, passes (rows accessed per row of a fit, repeats
    included), seconds of fitting and of decision values (predict_seconds; part of the estimator in BLB of an SVM,
    once per fit), fits that failed in a bag (n_failed), the share of fits whose pilots failed and left uniform
    draws (share_uniform), and of dynamic fits the largest sample's share of its rows and how many times equation
    13 understates the gradient's squared error (geometric mean; in the CSV log10 of it). gamma is 1 where no
    subsample is drawn; n_missing counts seeds without a value.""",
    render=render_measures,
)
AGAINST_PARTS: Final = Artefact(
    "combinations_against_parts",
    ("combinations",),
    tabulate_against_parts,
    """What each combination has over each of its parts, paired by seed and averaged over gamma: how many times as
    much (geometric mean; in the CSV log10 of it), of test errors the difference (test error less), with its 95 %
    Student interval over {{ n_seeds | seeds }}. Less is better throughout; rows are counted with repeats
    (rows_accessed) and distinct per sample read (distinct_accessed), seconds are those of fitting; those of BLB
    with dynamic sizes compare two implementations. `says` is whether the combination has less, more, or is not
    told apart, each by a test of its own: of as many tests one in forty errs on either side. This is the verdict
    on each extension: one that has less error than BLB at its cost is kept beside BLB, one that has less error or
    cost than neither part may be dropped. BLB and its combinations also give interval widths, which OSMAC, the
    dynamic fit and the SVMs alone do not.""",
    render=render_against_parts,
)
FIGURE: Final = Artefact(
    "combinations",
    ("combinations",),
    summarise,
    """The combinations that document 003 names at its end, each against its parts; the document has no numbers of
    them. Left: the bag of little bootstraps (BLB) whose subsamples are drawn by OSMAC's probabilities, on Figure
    10's imbalanced design nzNormal. Middle: BLB of fits on samples of growing size (theta {{ theta }}), on Figure
    7's design of Student's t. Right: BLB of WKM-SVM (compression {{ compression }}), on a two-class reading of {{
    datasets[0] }} with {{ svm_rows }} training rows. Above: squared distance to the true coefficients (geometric
    mean over seeds), or test error; below: relative error of the 95 % interval widths against those over {{
    n_truth }} independent datasets, or seconds of all fits. A line joins b = n^gamma, which grows with gamma: {{
    gammas | join(', ') }} (BLB of growing samples {{ dynamic_gammas | join(', ') }}, of SVMs {{ svm_gammas |
    join(', ') }}); OSMAC alone draws as many rows as all subsamples together. Rows touched are distinct
    rows per fit, of OSMAC's subsamples each draw, summed over the fits, and what a pilot drew and scored. Rows
    accessed count every reading, those of BLB's own fits by what batch Newton-CG reads of one such resample: in
    the upper middle panel a row that a resample holds k times counts k times, on both sides; in the lower one only
    the distinct rows of each sample read count, on both sides. Seconds are those of fitting, decision values
    aside. Bars are 95 % Student intervals over {{ n_seeds | seeds }}, s = {{ s }}, r = {{ r }} (SVMs: s = {{ svm_s
    }}, r = {{ svm_r }}); they may leave the panel. Percentile intervals of 30 resamples are some 11 % too narrow,
    BLB's and the bootstrap's alike. Generated rows, and splits of real data, which are taken as independent.""",
    draw,
)
ARTEFACTS: Final = (TABLE, AGAINST_PARTS, FIGURE)
