"""The page's table of strategies on five benchmarks: three of them run, the published numbers beside.

The page took its numbers from Table 1 of Snoek et al. (2015), whose columns SMAC and TPE are those of Eggensperger
et al. (2013). We have neither at hand: what is quoted is from memory, unverified, and marked so.
Spearmint is not run; expected improvement on a Gaussian process whose hyperparameters are sampled stands in its
place, since that is what it is. The two benchmarks on stored grids (LDA, SVM) are out of reach.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import pandas as pd

from frugal.trials.functions import FUNCTIONS
from frugal.trials.searches import FUNCTION
from studies.exploration.searches import COMPARED, curves, distances, ends, n_initial, paths, searches
from studies.exploration.task2 import LEARNER, long_rows, published
from studies.paired import differences, missing_notes
from studies.tidy import TIDY, mean_by_seed, unprinted
from studies.verdicts import NOT_RUN, NOT_TESTABLE

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
SMALLER_NOTE: Final = "the quoted is on more epochs and rows, so levels are not to be compared"
OWN_NOTE: Final = "not comparable with the row of 4 hyperparameters"
OWN_LABEL: Final = "the page's own: logistic regression, 2 hyperparameters, test error in %"


def table_comparison(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """The lowest value found by each method on each benchmark, the published numbers beside.

    Args:
        runs: rows of `trials.searches.search` on the two functions and on the logistic regression by SGD; with
            those of task 2 and of `runs.refits`, the page's own row is shown, too.
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
    printed = 100 * (1 - published("test_accuracy"))
    if has_both:
        values = long_rows(runs)
        values = values[(values["measure"] == "test_accuracy") & values["method"].isin(COMPARED)]
        table = _measured(values.assign(benchmark=OWN_LABEL, value=100 * (1 - values["value"])))
    else:
        gap = {"benchmark": OWN_LABEL, "measure": "value", "method": "dngo", "data": "published", "note": NOT_RUN}
        table = pd.DataFrame([gap])
    table["published"] = np.where((table["measure"] == "value") & (table["method"] == "dngo"), printed, np.nan)
    own = table["measure"] == "value"
    table.loc[own, "note"] = [_joined(note, OWN_NOTE) for note in table.loc[own, "note"]]
    return _ordered(table)


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
        runs: rows of `trials.searches.search`, those of random search among them: what it shares with the others
            are the first candidates, which no strategy chose.

    Returns:
        learner, dataset, seed, data, measure, ei, ei_explore, difference (the former less the latter); nan where
        a search has no value.
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
    ei, explore = (
        long[long["method"] == method][[*keys, "value"]].rename(columns={"value": method})
        for method in ("ei", "ei_explore")
    )
    wide = ei.merge(explore, "outer", on=keys)
    return wide.assign(difference=wide["ei"] - wide["ei_explore"])


def table_greediness(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Means of `greediness`.

    Returns:
        problem, measure, quantity (ei, ei_explore, difference), `tidy.TIDY`, n_missing (seeds without a value)
        and note.
    """
    found = greediness(runs)
    found["problem"] = found["dataset"].where(found["learner"] == FUNCTION, found["learner"])
    long = found.melt(
        ["problem", "measure", "seed", "data"], ["ei", "ei_explore", "difference"], var_name="quantity"
    )
    table = mean_by_seed(long, "value", ["problem", "measure", "quantity"])
    table = unprinted(table, scale)
    table["note"] = missing_notes(table.rename(columns={"quantity": "method"}))
    return table[["problem", "measure", "quantity", *TIDY, "n_missing", "note"]]
