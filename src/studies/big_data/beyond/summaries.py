"""Tables of the combinations and of the fractions, and the numbers of their figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from scipy import special

from frugal.stats import stars
from studies.tidy import TIDY, mean_by_seed, unprinted

Table = Callable[[pd.DataFrame, str], pd.DataFrame]

PARTS = {
    "blb_osmac": ("blb", "osmac_mvc", "full"),
    "blb_dynamic": ("blb", "dynamic", "full"),
    "blb_wkm_svm": ("blb_svm", "wkm_svm", "full_svm"),
}
"""Combination -> its parts, and training on all rows."""
COSTS = ("rows_touched", "rows_accessed", "distinct_accessed", "seconds")
PANELS = (
    ("nzNormal", "error", "rows_touched", ("full", "blb", "osmac_mvc", "blb_osmac")),
    ("student_t", "error", "rows_accessed", ("full", "blb", "dynamic", "blb_dynamic")),
    ("svm", "error", "rows_touched", ("full_svm", "wkm_svm", "blb_svm", "blb_wkm_svm")),
    ("nzNormal", "width_error", "rows_touched", ("bootstrap", "blb", "blb_osmac")),
    ("student_t", "width_error", "distinct_accessed", ("blb", "blb_dynamic")),
    ("svm", "seconds", "rows_touched", ("full_svm", "wkm_svm", "blb_svm", "blb_wkm_svm")),
)
"""Problem (`svm`: the first dataset), what is drawn, against which rows, of which methods."""
_GENERATED = ("nzNormal", "student_t")
_COMBINED = (
    "error", "to_full", "width_error", "width", *COSTS, "predict_seconds", "passes", "n_failed", "share_uniform",
    "largest_share", "understated",
)  # fmt: skip
_FRACTIONS = (
    "rows_share", "rows_touched", "rows_accessed", "accuracy", "log_loss", "seconds", "predict_seconds",
    "share_uniform", "n_failed",
)  # fmt: skip
_ONLY = {"share_uniform": ("lcc", "osmac_mvc", "osmac_mmse"), "n_failed": ("blb", "b_of_n")}
"""Measure of the fractions -> the methods that have it; `log_loss` is that of logistic regression."""


def paired(runs: pd.DataFrame, combination: str, part: str, problem: str, measure: str) -> pd.DataFrame:
    """What the combination has over a part, per gamma and seed; below 0 where it has less.

    Args:
        runs: of `combinations`.
        combination: method.
        part: method; if it has no gammas its one value is compared with each.
        problem: design or dataset.
        measure: a column: the log10 of the ratio; of test errors the difference.

    Returns:
        Shape (n_gammas, n_seeds); empty if either was not run or does not have the measure.

    Raises:
        ValueError: if both have gammas, but none in common.
    """
    of = runs[runs["problem"] == problem]
    first, second = (_by_gamma(of[of["method"] == method], measure) for method in (combination, part))
    if first.empty or second.empty:
        return pd.DataFrame()
    if of.loc[of["method"] == part, "gamma"].isna().all():
        second = pd.DataFrame([second.iloc[0]] * len(first), index=first.index)
    elif first.index.intersection(second.index).empty:
        raise ValueError(f"{combination} and {part} have no gamma in common on {problem}")
    if measure == "error" and problem not in _GENERATED:
        return (first - second).dropna(how="all")
    ratio = (first / second).dropna(how="all")
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log10(ratio.to_numpy(float))
    return pd.DataFrame(logs, index=ratio.index, columns=ratio.columns)


def _by_gamma(runs: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Values, shape (n_gammas, n_seeds)."""
    return runs.assign(gamma=runs["gamma"].fillna(1.0)).pivot_table(measure, "gamma", "seed")


def combinations_table(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Every measure of every method.

    Args:
        runs: of `combinations`.
        scale: label of the run.

    Returns:
        problem, method, gamma (1 where no subsample is drawn), measure, `TIDY` and n_missing; means over seeds, of
        errors of coefficients geometric ones with their interval. A method has no row of what it does not have.
    """
    runs = runs.assign(gamma=runs["gamma"].fillna(1.0))
    return _tidy(runs, ["problem", "method", "gamma"], _COMBINED, scale).dropna(subset=["ours"], ignore_index=True)


def against_parts_table(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """What each combination has over each of its parts, mean over gammas, paired by seed.

    Returns:
        combination, part, problem, measure (error, width_error, and costs of all fits), `TIDY`, n_missing and says
        where both have the measure. `ours` is
        the log10 of a ratio (of test errors a difference), stars those of a paired t-test; says is `less`, `more`
        or `not told apart`, by whether the interval holds 0. Less is better of all of them.
    """
    rows = []
    for combination, parts in PARTS.items():
        for part in parts:
            for problem in runs["problem"].unique():
                for measure in ("error", "width_error", *COSTS):
                    table = paired(runs, combination, part, problem, measure)
                    if table.empty:
                        continue
                    of_seeds = table.mean(skipna=False)
                    data = runs.loc[runs["problem"] == problem, "data"].iloc[0]
                    values = pd.DataFrame(
                        {"seed": of_seeds.index, "value": of_seeds.to_numpy(float), "data": data}
                    )
                    key = {"combination": combination, "part": part, "problem": problem, "measure": measure}
                    rows.append(values.assign(**key))
    keys = ["combination", "part", "problem", "measure"]
    table = _counted(mean_by_seed(pd.concat(rows, ignore_index=True), "value", keys))
    t = np.abs(table["ours"] / table["ours_se"])
    p = 2.0 * special.stdtr(table["n_seeds"] - table["n_missing"] - 1.0, -t)
    says = np.select([table["high"] < 0, table["low"] > 0], ["less", "more"], "not told apart")
    filled = _filled(table.assign(stars=[stars(x) for x in p]), keys, scale)
    return filled.assign(says=says)


def fractions_table(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Accuracy, log-loss and cost of every method at every fraction.

    Returns:
        dataset, method, fraction, measure, `TIDY` and n_missing. n_seeds were run, n_missing of them have no
        fit; means are over the others, nan where there is none.
    """
    runs = runs.reset_index(drop=True)
    table = _tidy(runs, ["dataset", "method", "fraction"], _FRACTIONS, scale)
    return table[_is_defined(table, runs)].reset_index(drop=True)


def summarise_combinations(runs: pd.DataFrame) -> pd.DataFrame:
    """Numbers of the figure `combinations`: a row per panel, method and gamma.

    Returns:
        panel (from 1), problem, measure, against, method, gamma, rows (mean), mean, low, high, n_seeds, data;
        means of errors of coefficients and of seconds are geometric.
    """
    runs = runs.assign(gamma=runs["gamma"].fillna(1.0))
    datasets = [problem for problem in runs["problem"].unique() if problem not in _GENERATED]
    parts = []
    for number, (problem, measure, against, methods) in enumerate(PANELS, start=1):
        problem = datasets[0] if problem == "svm" and datasets else problem
        part = runs[(runs["problem"] == problem) & runs["method"].isin(methods)]
        if part.empty:
            continue
        keys = ["method", "gamma"]
        rows = mean_by_seed(part, against, keys)["ours"]
        numbers = _means(part, measure, keys).assign(rows=rows).rename(columns={"ours": "mean"})
        parts.append(numbers.assign(panel=number, problem=problem, measure=measure, against=against))
    columns = [
        "panel", "problem", "measure", "against", "method", "gamma", "rows", "mean", "low", "high", "n_seeds",
        "data",
    ]  # fmt: skip
    return pd.concat(parts, ignore_index=True)[columns]


def summarise_fractions(runs: pd.DataFrame) -> pd.DataFrame:
    """Numbers of the figures `fractions` and `fractions_seconds`: a row per dataset, method, fraction and measure.

    Returns:
        dataset, family, method, fraction, measure, rows_share (mean), mean, low, high, n_seeds, n_missing, data,
        as in `fractions_table`; means of seconds are geometric.
    """
    keys = ["dataset", "family", "method", "fraction"]
    shares = mean_by_seed(runs, "rows_share", keys)["ours"]
    parts = [_means(runs, measure, keys).assign(measure=measure, rows_share=shares) for measure in _FRACTIONS[1:]]
    table = pd.concat(parts, ignore_index=True).rename(columns={"ours": "mean"})
    table = table[_is_defined(table, runs)].reset_index(drop=True)
    return table[[*keys, "measure", "rows_share", "mean", "low", "high", "n_seeds", "n_missing", "data"]]


def _is_defined(table: pd.DataFrame, runs: pd.DataFrame) -> pd.Series:
    """Whether a cell's method has the measure at all."""
    family = table["method"].map(runs.drop_duplicates("method").set_index("method")["family"])
    defined = (table["measure"] != "log_loss") | (family == "logistic")
    for measure, methods in _ONLY.items():
        defined &= (table["measure"] != measure) | table["method"].isin(methods)
    return defined


def _counted(table: pd.DataFrame) -> pd.DataFrame:
    """With the seeds that were run as n_seeds; those of them without a value are n_missing."""
    return table.assign(n_seeds=table["n_seeds"] + table["n_missing"])


def _means(runs: pd.DataFrame, measure: str, keys: list[str]) -> pd.DataFrame:
    """`mean_by_seed`, of the logarithm and back for what spans decades, with every seed that was run counted."""
    spans = measure in ("seconds", "predict_seconds", "to_full") or (measure == "error" and _is_squared(runs))
    if not spans:
        return _counted(mean_by_seed(runs, measure, keys))
    logs = runs.assign(value=np.log10(runs[measure].where(runs[measure] > 0)))
    table = _counted(mean_by_seed(logs, "value", keys))
    table[["ours", "low", "high"]] = 10.0 ** table[["ours", "low", "high"]]
    return table.assign(ours_se=np.nan)


def _is_squared(runs: pd.DataFrame) -> bool:
    return "problem" in runs and bool(runs["problem"].isin(_GENERATED).all())


def _tidy(runs: pd.DataFrame, keys: list[str], measures: Sequence[str], scale: str) -> pd.DataFrame:
    parts = [
        _means(part, measure, keys).assign(measure=measure)
        for _, part in runs.groupby(keys[0], sort=False)
        for measure in measures
    ]
    table = pd.concat(parts, ignore_index=True)
    return _filled(table.sort_values([*keys, "measure"], ignore_index=True), [*keys, "measure"], scale)


def _filled(table: pd.DataFrame, keys: list[str], scale: str) -> pd.DataFrame:
    """With the columns of every table; the document prints none of these numbers."""
    return unprinted(table, scale)[[*keys, *TIDY, "n_missing"]]


TABLES: dict[str, Table] = {
    "combinations": combinations_table,
    "combinations_against_parts": against_parts_table,
    "fractions": fractions_table,
}
