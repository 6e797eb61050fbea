"""The page's table of strategies on five benchmarks: three of them run, the published numbers beside.

The page took its numbers from Table 1 of Snoek et al. (2015), whose columns SMAC and TPE are those of Eggensperger
et al. (2013). We have neither at hand: what is quoted is from memory, unverified, and marked so.
Spearmint is not run; expected improvement on a Gaussian process whose hyperparameters are sampled stands in its
place, since that is what it is. The two benchmarks on stored grids (LDA, SVM) are out of reach.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd

from frugal.papers.exploration.problems import FUNCTION
from frugal.papers.exploration.searches import COMPARED, curves, distances, ends, n_initial, paths, searches
from frugal.papers.exploration.task2 import LEARNER, long_rows, published
from frugal.papers.tidy import TIDY, mean_by_seed
from frugal.papers.verdicts import NOT_TESTABLE
from frugal.trials.problems import FUNCTIONS

SGD: Final = "sgd_logistic_regression"
KEYS: Final = ["benchmark", "method"]
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
    "branin": Benchmark("Branin (200)", FUNCTION, "branin", 1.0,
                        _four((0.655, 0.27), (0.526, 0.13), (0.398, 0.0), (0.398, 0.0))),
    "hartmann6": Benchmark("Hartmann-6 (200)", FUNCTION, "hartmann6", 1.0,
                           _four((-2.977, 0.11), (-2.823, 0.18), (-3.3166, 0.02), (-3.319, 0.0))),
    "logistic": Benchmark("logistic regression, 4 hyperparameters, validation error in % (100)", SGD, "", 100.0,
                          _four((8.6, 0.9), (8.2, 0.6), (6.88, 0.0), (6.89, 0.04))),
    "lda": Benchmark("LDA on grid (50)", "", "", 1.0,
                     _four((1269.6, 2.9), (1271.5, 3.5), (1266.2, 0.1), (1266.2, 0.0))),
    "svm": Benchmark("SVM on grid (100)", "", "", 1.0,
                     _four((24.1, 0.1), (24.2, 0.0), (24.1, 0.1), (24.1, 0.1))),
}  # fmt: skip
"""By name; the published column of `ei` is Spearmint's."""
OWN: Final = "own"
OWN_LABEL: Final = "the page's own: logistic regression, 2 hyperparameters, test error in %"


def table_comparison(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """The lowest value found by each method on each benchmark, the published numbers beside.

    Args:
        runs: rows of `runs.trials_of` on the two functions and on the logistic regression by SGD; with those of
            task 2 and of `runs.refits`, the page's own row is shown, too.
        scale: label of the run.

    Returns:
        `KEYS`, `tidy.TIDY`, then published_sd, n_trials (ours) and note. A benchmark out of reach has published
        numbers only, and its note says `not testable here`. The page's own row is of another learner and of test
        error, and not comparable with the row of four hyperparameters.
    """
    rows: list[dict[Hashable, Any]] = []
    for name, benchmark in BENCHMARKS.items():
        part = _found(runs, name) if benchmark.learner else runs.iloc[:0]
        measured = _measured(part, benchmark) if len(part) else {}
        for method in COMPARED if measured else benchmark.quoted:
            value, sd = benchmark.quoted.get(method, (np.nan, np.nan))
            quoted = QUOTED_NOTE if method in benchmark.quoted else ""
            facts: dict[Hashable, Any] = {
                "benchmark": benchmark.label,
                "method": method,
                "published": value,
                "published_sd": sd,
            }
            if method in measured:
                rows.append({**facts, **measured[method], "note": quoted})
            elif not benchmark.learner:
                rows.append({**facts, "data": "published", "note": f"{NOT_TESTABLE}; {quoted}"})
    rows += _own(runs)
    table = pd.DataFrame(rows).assign(published_se=np.nan, published_stars="", stars="", scale=scale)
    return table.reindex(columns=[*KEYS, *TIDY, "published_sd", "n_trials", "note"])


def _found(runs: pd.DataFrame, name: str) -> pd.DataFrame:
    """Searches of a benchmark that is run; none where there are none."""
    benchmark = BENCHMARKS[name]
    part = runs[(runs["learner"] == benchmark.learner) & runs["id"].notna()]
    return part[part["dataset"] == benchmark.dataset] if benchmark.dataset else part


def _measured(part: pd.DataFrame, benchmark: Benchmark) -> dict[str, dict[Hashable, Any]]:
    found = ends(searches(part))
    found["value"] = found["best"] * benchmark.factor
    means = mean_by_seed(found, "value", ["learner", "method"]).drop(columns=["learner", "n_missing"])
    means["n_trials"] = means["method"].map(found.groupby("method")["trial"].min())
    return {str(row.pop("method")): row for row in means.to_dict("records")}


def _own(runs: pd.DataFrame) -> list[dict[Hashable, Any]]:
    has_both = (runs["learner"] == LEARNER).any() and "test_error" in runs and runs["test_error"].notna().any()
    if not has_both:
        return []
    values = long_rows(runs)
    values = values[values["measure"] == "test_accuracy"].assign(value=lambda t: 100 * (1 - t["value"]))
    means = mean_by_seed(values, "value", ["measure", "method"]).set_index("method")
    rows = []
    for method in [method for method in COMPARED if method in means.index]:
        row = means.loc[method].drop(["measure", "n_missing"]).to_dict()
        printed = 100 * (1 - published("test_accuracy")) if method == "dngo" else np.nan
        note = "not comparable with the row of 4 hyperparameters" + ("; of the page" if method == "dngo" else "")
        rows.append({"benchmark": OWN_LABEL, "method": method, "published": printed, **row, "note": note})
    return rows


def summarise_comparison(runs: pd.DataFrame) -> pd.DataFrame:
    """Lowest value so far on the benchmarks that are run, mean over seeds.

    Args:
        runs: as of `table_comparison`.

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


def greediness(runs: pd.DataFrame) -> pd.DataFrame:
    """How greedy expected improvement is beside its more exploratory kin, seed by seed.

    The measures were fixed before any was looked at: `distance`, of suggestions to the incumbent they were chosen
    against, as a share of the cube's diagonal (`searches.distances`); `log10_regret`, of the lowest value found
    above the minimum, of the functions alone, whose minimum is known.

    Args:
        runs: rows of `runs.trials_of`, those of random search among them: what it shares with the others are the
            first candidates, which no strategy chose.

    Returns:
        learner, dataset, seed, data, measure, ei, ei_explore, difference (the former less the latter).
    """
    whole = searches(runs)
    found = whole[whole["method"].isin(["ei", "ei_explore"])]
    far = pd.concat(
        [
            distances(part, n_initial(whole, str(learner), str(dataset)))
            for (learner, dataset), part in found.groupby(["learner", "dataset"], sort=False)
        ],
        ignore_index=True,
    )
    far = far.rename(columns={"distance": "value"}).assign(measure="distance")
    least = ends(found[found["learner"] == FUNCTION]) if (found["learner"] == FUNCTION).any() else None
    parts = [far]
    if least is not None:
        minima = least["dataset"].map(lambda name: FUNCTIONS[str(name)].minimum)
        least["value"] = np.log10((least["best"] - minima).clip(lower=1e-6))
        parts.append(least[list(far.columns.drop("measure"))].assign(measure="log10_regret"))
    long = pd.concat(parts, ignore_index=True)
    keys = ["learner", "dataset", "seed", "data", "measure"]
    wide = long.pivot_table(index=keys, columns="method", values="value").reset_index()
    wide.columns.name = None
    return wide.dropna().assign(difference=lambda t: t["ei"] - t["ei_explore"])


def table_greediness(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Means of `greediness`: keys problem, measure and quantity (ei, ei_explore, difference), then `tidy.TIDY`."""
    found = greediness(runs)
    found["problem"] = found["dataset"].where(found["learner"] == FUNCTION, found["learner"])
    long = found.melt(
        ["problem", "measure", "seed", "data"], ["ei", "ei_explore", "difference"], var_name="quantity"
    )
    table = mean_by_seed(long, "value", ["problem", "measure", "quantity"]).drop(columns="n_missing")
    table = table.assign(published=np.nan, published_se=np.nan, published_stars="", stars="", scale=scale)
    return table[["problem", "measure", "quantity", *TIDY]]
