"""What each error of document 002's code does alone: pybnn's in the evidence, the fragment's in the acquisition.

The evidence is `trials.surrogates.blr_hyperparameters.LogPosterior`, maximised over alpha, the precision of the
weights, and s2, the variance of the noise, with each of `AS_PYBNN` put back alone and with all of them. It is that
of two regressions: on the polynomial of degree 3 of task 1's ten points, whose residuals have a norm above 1; and
on the last hidden layer of DNGO, trained on a search's trials, whose residuals are smaller. What the unsquared
norm does depends on that: it is below the squared norm in the former, above it in the latter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import pandas as pd

from frugal.trials.surrogates.blr import BLR
from frugal.trials.surrogates.blr_hyperparameters import BOX, LogPosterior, maximise
from frugal.trials.surrogates.dngo import AS_PYBNN, DNGO
from studies.exploration import task1
from studies.exploration.task1 import GIVEN, INITIAL
from studies.exploration.task1_search import ALONE, unit_cube
from studies.tidy import TIDY, mean_by_seed, provenance
from studies.verdicts import NOT_RUN

KEYS: Final = ["part", "error", "quantity"]
POINTS, HEAD, SEARCH = "evidence of the ten points, K = 3", "evidence of DNGO's last layer", "search"
CORRECTED: Final = "none"
ALL: Final = {POINTS: "all_three", HEAD: "all_four", SEARCH: "all_and_pybnn's"}
TRAINING: Final = "dropped_batch"
"""The one of `AS_PYBNN` that is not in the evidence."""
ESTIMATED: Final = ("alpha", "noise_sd", "alpha_ratio", "noise_sd_ratio")
REACHED: Final = ("K", "score", "is_initial")
SEARCHES: Final[Mapping[str, str]] = {"dngo": CORRECTED, **ALONE, "dngo_as_coded": ALL[SEARCH]}
"""Search -> the error in it."""


def optimum(regression: BLR, errors: frozenset[str]) -> dict[str, float]:
    """The most probable alpha and standard deviation of the noise, with these errors in what is maximised."""
    log_alpha, log_s2 = maximise(LogPosterior(regression, errors))[0]
    return {"alpha": float(np.exp(log_alpha)), "noise_sd": float(np.exp(log_s2 / 2))}


def optima(runs: pd.DataFrame) -> pd.DataFrame:
    """What no table should have to maximise: the optima of both regressions.

    Args:
        runs: rows of `task1_search.run_task1`.

    Returns:
        experiment (task1_optima), part (`POINTS`, which has no seed, and `HEAD`), then the columns of
        `optima_of_head`.
    """
    points = optima_of_points().assign(part=POINTS, data="original")
    table = pd.concat([points, optima_of_head(runs).assign(part=HEAD)], ignore_index=True)
    table = table.assign(experiment="task1_optima", seed=table["seed"].astype("Int64"))
    return table[["experiment", "part", "seed", "data", "error", *ESTIMATED]]


def optima_in(runs: pd.DataFrame, part: str) -> pd.DataFrame:
    """The optima of one regression, columns of `optima_of_head`.

    Args:
        runs: rows of `optima`, and others.
        part: `POINTS` or `HEAD`.
    """
    found = runs[(runs["experiment"] == "task1_optima") & (runs["part"] == part)]
    return found[["seed", "data", "error", *ESTIMATED]].reset_index(drop=True)


def optima_of_points() -> pd.DataFrame:
    """Of the ten points: error, alpha, noise_sd, and the ratios of both to those without an error. Exact."""
    regression = BLR(task1.basis(task1.X, GIVEN.K), task1.Y)
    cases = {CORRECTED: (), **{name: (name,) for name in AS_PYBNN if name != TRAINING}, ALL[POINTS]: AS_PYBNN}
    return _with_ratios([
        {"error": name, **optimum(regression, frozenset(errors) - {TRAINING})} for name, errors in cases.items()
    ])  # fmt: skip


def optima_of_head(runs: pd.DataFrame) -> pd.DataFrame:
    """Of DNGO's last layer, with pybnn's 500 epochs, on all trials of the corrected search by the evidence.

    Args:
        runs: rows of `task1_search.run_task1`; each search's network has the number of its repetition for seed.

    Returns:
        seed, data, then the columns of `optima_of_points`; in units of standardised scores. No rows without such
        searches.
    """
    found = runs[(runs["search"] == "dngo") & (runs["objective"] == "evidence")]
    cube, places = unit_cube(), {tuple(point): i for i, point in enumerate(task1.CANDIDATES)}
    parts = []
    for seed, path in found.groupby("seed"):
        path = path.sort_values("step")
        tried = [places[tuple(row)] for row in path[["K", "beta", "lambda"]].itertuples(index=False)]
        regressions = {
            dropped: _last_layer(cube[tried], path["score"].to_numpy(float), int(str(seed)), dropped)
            for dropped in (False, True)
        }
        cases = {CORRECTED: (), **{name: (name,) for name in AS_PYBNN}, ALL[HEAD]: AS_PYBNN}
        rows = [
            {"error": name, **optimum(regressions[TRAINING in errors], frozenset(errors) - {TRAINING})}
            for name, errors in cases.items()
        ]
        parts.append(_with_ratios(rows).assign(seed=seed, data=path["data"].iloc[0]))
    columns = ["seed", "data", "error", *ESTIMATED]
    return pd.concat(parts, ignore_index=True)[columns] if parts else pd.DataFrame(columns=columns)


def _last_layer(X: task1.Array, y: task1.Array, seed: int, dropped: bool) -> BLR:
    basis = DNGO(marginalise="ml2", seed=seed, as_coded=(TRAINING,) if dropped else ()).fit(X, y).basis
    return BLR(basis.features(X), (y - basis.y_mean) / basis.y_std)


def _with_ratios(rows: list[dict[str, object]]) -> pd.DataFrame:
    """With the ratio of each estimate to the one of the first row, which is without an error."""
    table = pd.DataFrame(rows)
    return table.assign(**{f"{name}_ratio": table[name] / table[name].iloc[0] for name in ("alpha", "noise_sd")})


def reached(runs: pd.DataFrame) -> pd.DataFrame:
    """Where searches by the fragment's objective end.

    Args:
        runs: rows of `task1_search.run_task1`.

    Returns:
        search, seed, data, K, beta, lambda, score, is_initial (whether the best candidate is one of the first
        eight, 0 or 1).
    """
    found = runs[(runs["objective"] == "as_published") & runs["search"].isin(list(SEARCHES))]
    rows = []
    for (search, seed), path in found.groupby(["search", "seed"]):
        path = path.sort_values("step")
        end = path.loc[path["is_best"].astype(bool)].iloc[0]
        where = [end[name] for name in ("data", "K", "beta", "lambda", "score")]
        rows.append([search, seed, *where, float(end["step"] <= len(INITIAL))])
    return pd.DataFrame(rows, columns=["search", "seed", "data", "K", "beta", "lambda", "score", "is_initial"])


def table_errors_as_coded(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """What each error changes by itself, and all together.

    Args:
        runs: rows of `task1_search.run_task1` and of `optima`.
        scale: label of the run.

    Returns:
        `KEYS`, `tidy.TIDY`, note. The parts `POINTS` (exact, n_seeds nan) and `HEAD`: errors `none`, each of
        `AS_PYBNN` and all; quantities `ESTIMATED`. The part `SEARCH`, by the fragment's objective: errors `none`,
        each of the acquisition's, and all with pybnn's; quantities K and score of the best candidate, and
        is_initial, the share of searches in which it is one of the first eight. Searches that were not run have
        a row each that says so.
    """
    exact = optima_in(runs, POINTS).melt(["error"], list(ESTIMATED), var_name="quantity", value_name="ours")
    exact = exact.assign(part=POINTS, ours_se=0.0, low=exact["ours"], high=exact["ours"], data="original")
    head = _means(optima_in(runs, HEAD), ESTIMATED).assign(part=HEAD)
    ends = reached(runs)
    searched = _means(ends.assign(error=ends["search"].map(SEARCHES)), REACHED).assign(part=SEARCH)
    shares = searched["quantity"] == "is_initial"
    searched.loc[shares, ["low", "high"]] = searched.loc[shares, ["low", "high"]].clip(0, 1)
    parts = [part for part in (exact, head, searched) if len(part)]
    table = pd.concat(parts, ignore_index=True).assign(scale=scale, note="")
    lacking = [error for error in SEARCHES.values() if error not in set(searched["error"])]
    facts = {"part": SEARCH, "quantity": "score", "data": provenance(runs), "scale": NOT_RUN, "note": NOT_RUN}
    gaps = pd.DataFrame([{"error": error, **facts} for error in lacking])
    table = pd.concat([table, gaps], ignore_index=True).reindex(columns=[*KEYS, *TIDY, "note"])
    for name, edge in (("alpha", np.exp(BOX)), ("noise_sd", np.exp(-BOX / 2))):
        there = (table["quantity"] == name) & np.isclose(table["ours"].astype(float), edge)
        table.loc[there, "note"] = f"where {name} is {edge:.4g}, it is at the edge of what is searched"
    table = table.assign(published_stars="", stars="")
    orders = (
        [POINTS, HEAD, SEARCH],
        [CORRECTED, *AS_PYBNN, *ALONE.values(), *ALL.values()],
        [*ESTIMATED, *REACHED],
    )
    ranks = [table[name].map(order.index) for name, order in zip(KEYS, orders, strict=True)]
    return table.iloc[np.lexsort(ranks[::-1])].reset_index(drop=True)


def _means(wide: pd.DataFrame, quantities: Sequence[str]) -> pd.DataFrame:
    long = wide.melt(["error", "seed", "data"], list(quantities), var_name="quantity")
    return mean_by_seed(long.astype({"value": float}), "value", ["error", "quantity"])
