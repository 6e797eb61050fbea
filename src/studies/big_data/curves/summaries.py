"""Numbers of Figures 4 and 5, and the tables beside them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pandas as pd

from studies.big_data.curves import fits
from studies.big_data.curves.searched import COMPARED, METHODS, NAMES, pairs, searches, shares_cut
from studies.big_data.listed import REPETITIONS
from studies.estimates import Arrays, over_seeds
from studies.paths import mean_path, until_last
from studies.tidy import MEASURED, TIDY, mean_by_seed, provenance, shares_within, unprinted

N_POINTS: Final = 201
N_BINS: Final = 10
SHOWN: Final = "random_terminated"
"""Whose curves Figure 5 has on its left, of the first seed."""
PAIRED: Final = (
    "log2_seconds", "log2_epochs", "whole_seconds", "whole_epochs", "error_difference", "test_error_difference",
    "reached",
)  # fmt: skip
SHARES: Final = (
    "best", "dropped", "coverage_90", "stopped", "wrongly_stopped", "check_share", "overhead_share", "cut",
    "cut_high", "cut_low", "cut_best", "reached",
)  # fmt: skip


def summarise_curve_fits(runs: pd.DataFrame) -> pd.DataFrame:
    """Deviations of each model over all curves.

    Returns:
        dataset, model, median, low and high (quartiles), mean, best (share of the curves), n_points, n_epochs,
        n_seeds (curves), data. Of deviations where the model has a value.
    """
    rows = []
    for (dataset, model), part in fits.deviations(runs).groupby(["dataset", "model"], sort=False):
        far = part["deviation"].dropna()
        of = [far.median(), far.quantile(0.25), far.quantile(0.75), far.mean(), part["best"].mean()]
        rows.append([dataset, model, *of, *part[["n_points", "n_epochs"]].iloc[0], len(part), provenance(part)])
    names = ["median", "low", "high", "mean", "best", "n_points", "n_epochs", "n_seeds", "data"]
    return pd.DataFrame(rows, columns=["dataset", "model", *names])


def summarise_calibration(runs: pd.DataFrame) -> pd.DataFrame:
    """How often a curve ended above a threshold, by the probability that was given to it.

    Returns:
        dataset, part of the curve, predicted (mean of P in one of ten bins), observed (share that came true),
        n_pairs (of curve at a check and threshold), n_seeds (curves of the part), data.
    """
    bets = fits.bets(runs)
    rows = []
    for (dataset, part), own in bets.groupby(["dataset", "part"], sort=False):
        bins = np.minimum((own["prob_above"] * N_BINS).astype(int), N_BINS - 1)
        for _, of in own.groupby(bins):
            numbers = (of["prob_above"].mean(), of["above"].mean(), len(of), own["seed"].nunique())
            rows.append([dataset, part, *numbers, provenance(own)])
    return pd.DataFrame(rows, columns=["dataset", "part", "predicted", "observed", "n_pairs", "n_seeds", "data"])


def summarise_figure5(runs: pd.DataFrame, currency: str = "seconds") -> pd.DataFrame:
    """The curves of one search, and the best validation error of all against what was spent.

    Args:
        runs: of the experiment `curve_search`.
        currency: `seconds` or `epochs`.

    Returns:
        panel (curves: a line is a trial of `SHOWN`'s first seed, x the epoch, the value its validation error;
        search: a line is a method, x what was spent, with the interval over seeds), dataset, line, x, mean, low,
        high, cut (of a trial), n_seeds, data.
    """
    found = searches(runs)
    parts = []
    for dataset, of in found.groupby("dataset", sort=False):
        shown = of[of["method"] == SHOWN]
        for trial in shown[shown["seed"] == shown["seed"].min()].itertuples():
            scores = np.array(json.loads(str(trial.curve)), dtype=float)
            line = {"x": np.arange(1.0, len(scores) + 1), "mean": 1 - scores, "cut": bool(trial.cut)}
            seeds = {"n_seeds": shown["seed"].nunique()}
            parts.append(
                pd.DataFrame({"panel": "curves", "dataset": dataset, "line": str(trial.id), **line, **seeds})
            )
        grid = np.linspace(0, of[f"spent_{currency}"].max(), N_POINTS)
        for method, own in of.groupby("method", sort=False):
            parts.append(
                _path(own, f"spent_{currency}", grid).assign(panel="search", dataset=dataset, line=method)
            )
    table = pd.concat(parts, ignore_index=True).assign(data=provenance(runs))
    return table[["panel", "dataset", "line", "x", "mean", "low", "high", "cut", "n_seeds", "data"]]


def _path(found: pd.DataFrame, x: str, grid: fits.Array) -> pd.DataFrame:
    """From where every seed has a value to the end of the longest search."""
    paths = [path for _, path in found.groupby("seed")]
    begin = max(float(path.loc[path["best_error"].notna(), x].min()) for path in paths)
    grid = np.unique([begin, *until_last(grid[grid > begin], paths, x)])
    return mean_path(paths, x, "best_error", grid).assign(cut=False)


def tabulate_curve_fits(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Deviations at the end of every curve, by data and model.

    Returns:
        dataset, model, measure, `TIDY`, n_missing, says. Measures: mean and median deviation, of the curves where
        the model has a value; best, share of the curves where it is the nearest; dropped, share where the prior
        kept it out of the combination. n_seeds: curves.
    """
    found = fits.deviations(runs)
    values = {"mean": found["deviation"], "best": found["best"], "dropped": found["dropped"]}
    keys = ["dataset", "model", "measure"]
    parts = [
        mean_by_seed(found.assign(measure=name, value=of.astype(float)), "value", keys)
        for name, of in values.items()
    ]
    rows = []
    for (dataset, model), part in found.groupby(["dataset", "model"], sort=False):
        far = part["deviation"].dropna().to_numpy(float)
        numbers: tuple[float, ...] = (np.nan,) * 3
        if len(far):
            names = ("curve_fits", str(dataset), str(model))
            numbers = over_seeds(_median, {"far": far}, *names, bounds=(0.0, np.inf))
        rows.append(
            [
                dataset,
                model,
                "median",
                numbers[0],
                np.nan,
                *numbers[1:],
                len(far),
                len(part) - len(far),
                provenance(part),
            ]
        )
    parts.append(pd.DataFrame(rows, columns=[*keys, *MEASURED]))
    table = _tidy(parts, keys, scale, {"model": fits.MODELS, "measure": ("mean", "median", "best", "dropped")})
    table.attrs[REPETITIONS] = "curves"
    return table


def _median(arrays: Arrays) -> float:
    return float(np.median(arrays["far"]))


def tabulate_calibration(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """What P is worth, by data and part of the curve; a curve is a repetition.

    Returns:
        dataset, part, measure, `TIDY`, n_missing, says. Measures: signed_error, E[f_comb(E)] - y_E; coverage_90,
        share of the checks whose central 90 % interval of y_E holds it; stopped, share of the thresholds for which
        the document's rule stops; wrongly_stopped, share for which it stops and the curve ends above.
    """
    keys = ["dataset", "part", "measure"]
    beliefs, bets = fits.beliefs(runs), fits.bets(runs)
    stops = bets["prob_above"] < fits.STOPS
    values = {
        "signed_error": (beliefs, beliefs["error"]),
        "coverage_90": (beliefs, beliefs["rank"].between(0.05, 0.95).astype(float)),
        "stopped": (bets, stops.astype(float)),
        "wrongly_stopped": (bets, (stops & bets["above"]).astype(float)),
    }
    parts = [
        mean_by_seed(of.assign(measure=name, value=value), "value", keys) for name, (of, value) in values.items()
    ]
    table = _tidy(parts, keys, scale, {"part": fits.PARTS, "measure": values})
    table.attrs[REPETITIONS] = "curves"
    return table


def tabulate_curve_search(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """What the searches came to, and those with termination beside those without.

    Returns:
        dataset, method, measure, `TIDY`, n_missing, says. Measures: error (the last best validation error),
        test_error (of the last incumbent), seconds, check_share and overhead_share of them, epochs, cut (share of
        the trials), cut_high and cut_low (of those with the best tenth and the worst half of the errors at the
        end), cut_best; and of pairs by seed `PAIRED`, as `searched.pairs` has them.
    """
    found = searches(runs)
    last = found.groupby(["dataset", "method", "seed"], sort=False)
    ends = last.tail(1).set_index(["dataset", "method", "seed"])
    sums = last[["check_s", "overhead_s"]].sum().div(ends["spent_seconds"], axis=0)
    values = {"error": ends["best_error"], "test_error": ends["test_error"], "seconds": ends["spent_seconds"]}
    values |= {
        "check_share": sums["check_s"],
        "overhead_share": sums["overhead_s"],
        "epochs": ends["spent_epochs"],
    }
    of_search = ends[["data"]].reset_index()
    measures = {name: of_search.merge(of.rename("value").reset_index()) for name, of in values.items()}
    cut = shares_cut(runs)
    both = pairs(runs).rename(columns={"error": "error_difference", "test_error": "test_error_difference"})
    named: list[tuple[str, pd.DataFrame, str]] = [
        *((f"cut_{name}" if name != "cut" else name, cut, name) for name in ("cut", "high", "low", "best")),
        *((name, both, name) for name in PAIRED),
    ]
    ended = {method.strategy: method.name for method in COMPARED if method.termination is not None}
    for name, table, column in named:
        own = table.assign(method=table["optimiser"].map(ended), value=table[column].astype(float))
        measures[name] = own[["dataset", "method", "seed", "data", "value"]]
    keys = ["dataset", "method", "measure"]
    parts = [mean_by_seed(of.assign(measure=name), "value", keys) for name, of in measures.items()]
    return _tidy(parts, keys, scale, {"method": METHODS, "measure": measures})


def _tidy(parts: list[pd.DataFrame], keys: list[str], scale: str, orders: dict[str, Any]) -> pd.DataFrame:
    """One table in the order of data, and of what `orders` lists."""
    table = shares_within(pd.concat([part for part in parts if len(part)], ignore_index=True), SHARES)
    listed = {"dataset": list(NAMES), **{key: list(order) for key, order in orders.items()}}
    ranks = [table[key].map({name: i for i, name in enumerate(order)}) for key, order in listed.items()]
    table = table.iloc[np.lexsort(ranks[::-1])].reset_index(drop=True)
    table = unprinted(table, scale).assign(says="")
    return table[[*keys, *TIDY, "n_missing", "says"]]


TABLES: Final[dict[str, Callable[[pd.DataFrame, str], pd.DataFrame]]] = {
    "curve_fits": tabulate_curve_fits,
    "curve_calibration": tabulate_calibration,
    "curve_search": tabulate_curve_search,
}
"""Table name -> its function, of runs of `curve_fits` or `curve_search`."""
