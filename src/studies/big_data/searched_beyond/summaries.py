"""Tables of the searches with combinations, and the numbers of their figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

import numpy as np
import pandas as pd

from studies.big_data.searched_beyond.paths import CURRENCIES, to_same, with_spent
from studies.experiments import EXPERIMENTS
from studies.paths import mean_path, until_last
from studies.tidy import TIDY, mean_by_seed, provenance, shares_within, unprinted

QUALITY: Final = {
    "growing_termination": "best_error",
    "reduced_search": "test_error",
    "terminating_fabolas": "test_error",
}
"""Experiment -> the column that its searches are to bring down."""
PARTS: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "growing_termination": {
        "dynamic_terminated": ("dynamic", "batch_terminated", "batch"),
        "dynamic": ("batch",),
        "batch_terminated": ("batch",),
    },
    "reduced_search": {
        "fabolas_wkm": ("fabolas_svm", "ei_wkm", "random_wkm", "random_svm"),
        "fabolas_svm": ("ei_svm", "random_svm"),
        "ei_wkm": ("ei_svm",),
    },
    "terminating_fabolas": {
        "fabolas_horizon": ("fabolas", "random_terminated", "fabolas_spent", "random"),
        "fabolas_joint": (
            "fabolas",
            "random_terminated",
            "fabolas_spent",
            "fabolas_horizon",
            "fabolas_uncorrelated",
        ),
        "fabolas_spent": ("fabolas", "random_terminated"),
        "random_terminated": ("random",),
        "fabolas": ("random",),
    },
}
"""Experiment -> method -> what it is compared with; the first is the combination, and its first ones its parts."""
_SHARES: Final = ("check_share", "overhead_share", "stopped_share", "poor_share")
N_POINTS: Final = 161
KEYS: Final = ["method", "against", "measure"]
_LAST: Final = {
    "growing_termination": ("test_error", "best_error"),
    "reduced_search": ("test_error", "full_test_error"),
    "terminating_fabolas": ("test_error",),
}
"""Measures that are the value after the last trial."""


def table(runs: pd.DataFrame, scale: str, *, experiment: str) -> pd.DataFrame:
    """What the searches of an experiment came to, and what each combination has over its parts.

    Args:
        runs: of the experiment.
        scale: label of the run.
        experiment: its name.

    Returns:
        method, against (empty: the method's own values), measure, `TIDY`, n_missing and says. Own measures: the
        test error at the end and best_error (least validation error) or full_test_error (of the plain SVM with
        what was found); rows and seconds, of the whole search; check_share and overhead_share, of these the
        checks' and the optimiser's; stopped_share and poor_share, of the trials that were stopped, and that were
        proposed among the worse half of all candidates. Against others, by seed: test_error_less, the
        difference at the end; log10_rows_to_same and log10_seconds_to_same, of `paths.to_same`; log10_rows and
        log10_seconds, of the whole searches. `says` is `less`, `more` or `not told apart`, by whether the interval
        holds 0, and empty of one seed; less is better of all of them.
    """
    runs = with_spent(runs).assign(data=provenance(runs))
    own = [mean_by_seed(part.assign(against=""), "value", KEYS) for part in _own(runs, experiment)]
    pairs = []
    for method, others in PARTS[experiment].items():
        for other in others:
            for measure, values in paired(runs, method, other, experiment).items():
                if len(values):
                    rows = pd.DataFrame(
                        {"seed": values.index, "value": values.to_numpy(), "data": runs["data"].iloc[0]}
                    )
                    rows = rows.assign(method=method, against=other, measure=measure)
                    pairs.append(_says(mean_by_seed(rows, "value", KEYS)))
    found = pd.concat([*(part.assign(says="") for part in own), *pairs], ignore_index=True)
    found = shares_within(found, _SHARES)
    ranks = {method: i for i, method in enumerate(EXPERIMENTS[experiment].methods)}
    found = found.assign(is_pair=found["against"] != "", rank=found["method"].map(ranks))
    found = found.sort_values(["is_pair", "rank"], kind="stable", ignore_index=True)
    found = unprinted(found, scale)
    return found[[*KEYS, *TIDY, "n_missing", "says"]]


def paired(runs: pd.DataFrame, method: str, other: str, experiment: str) -> dict[str, pd.Series[float]]:
    """By measure, what a method has over another one, by seed: a difference, or log10 of a ratio.

    Empty where one of them was not run.

    Args:
        runs: rows of `paths.with_spent`.
        method: whose.
        other: of the other one.
        experiment: name of the experiment.
    """
    quality = QUALITY[experiment]
    ends = runs.groupby(["method", "seed"]).tail(1)
    first, second = (ends[ends["method"] == name].set_index("seed") for name in (method, other))
    found = {"test_error_less": (first["test_error"] - second["test_error"]).dropna()}
    for currency in CURRENCIES[::-1]:
        found[f"log10_{currency}_to_same"] = to_same(runs, method, other, currency, quality)
    for currency in CURRENCIES[::-1]:
        ratio = (first[f"spent_{currency}"] / second[f"spent_{currency}"]).dropna()
        found[f"log10_{currency}"] = pd.Series(np.log10(ratio.to_numpy(float)), index=ratio.index)
    return found


def _ends(runs: pd.DataFrame) -> pd.DataFrame:
    """The last trial of each search, with shares of what the search spent and of its trials."""
    by = ["method", "seed"]
    ends = runs.groupby(by).tail(1).set_index(by)
    sums, means = runs.groupby(by)[["check_seconds", "overhead_s"]].sum(), runs.groupby(by)
    ends["check_share"] = sums["check_seconds"] / ends["spent_seconds"]
    ends["overhead_share"] = sums["overhead_s"] / ends["spent_seconds"]
    for name in ("stopped", "poor"):
        if name in runs:
            ends[f"{name}_share"] = means[name].mean()
    return ends.reset_index()


def _own(runs: pd.DataFrame, experiment: str) -> list[pd.DataFrame]:
    """method, seed, data, measure and value, a part per measure."""
    ends = _ends(runs)
    columns = {name: name for name in _LAST[experiment]}
    columns |= {currency: f"spent_{currency}" for currency in CURRENCIES[::-1]}
    shares = [name for name in _SHARES if name in ends]
    columns |= {name: name for name in shares if ends[name].any()}
    return [
        ends[["method", "seed", "data"]].assign(measure=measure, value=ends[column].astype(float))
        for measure, column in columns.items()
    ]


def _says(found: pd.DataFrame) -> pd.DataFrame:
    low, high = found["low"], found["high"]
    says = np.select([low.isna(), high < 0, low > 0], ["", "less", "more"], "not told apart")
    return found.assign(says=says)


def summarise(runs: pd.DataFrame, *, experiment: str) -> pd.DataFrame:
    """Numbers of a figure: the quality of each method against what was spent, in rows and in seconds.

    Lines of a panel share a grid, evenly spaced in logarithms. A line begins once every seed has a value, and ends
    with its longest search; a search that has ended keeps its last value.

    Returns:
        panel (a currency), method, x, mean, low, high (95 % Student interval), n_seeds, data.
    """
    found, parts = with_spent(runs), []
    for currency in CURRENCIES[::-1]:
        spent = f"spent_{currency}"
        grid = np.geomspace(found[spent].min(), found[spent].max(), N_POINTS)
        for method in dict.fromkeys(runs["method"]):
            own = [path for _, path in found[found["method"] == method].groupby("seed")]
            line = mean_path(own, spent, QUALITY[experiment], until_last(grid, own, spent))
            parts.append(line.assign(panel=currency, method=method))
    table = pd.concat(parts, ignore_index=True).assign(data=provenance(runs))
    return table[["panel", "method", "x", "mean", "low", "high", "n_seeds", "data"]].reset_index(drop=True)


TABLES: Final[dict[str, Callable[[pd.DataFrame, str], pd.DataFrame]]] = {
    experiment: partial(table, experiment=experiment) for experiment in QUALITY
}
"""Table name, which is that of its experiment -> its function."""
