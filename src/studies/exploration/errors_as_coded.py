"""Task 1 of document 002: what each error of its code changes by itself.

pybnn's errors are in the evidence, the fragment's are in the acquisition. The evidence is
`trials.surrogates.blr_hyperparameters.LogPosterior`. It is maximised over alpha, the precision of the weights, and
s2, the variance of the noise: with each error of `AS_PYBNN` put back alone, and with all of them. This is done for
two regressions. The first is on the polynomial of degree 3 of task 1's ten points: its residuals have a norm above
1, so that the unsquared norm is below the squared one. The second is on the last hidden layer of DNGO, trained on
a search's trials: its residuals are smaller, and the unsquared norm is above the squared one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from studies.estimates import NOT_RUN, Array, ratio
from studies.exploration import polynomial
from studies.exploration.document import ALL, OF_EVERY_METHOD
from studies.exploration.polynomial import ALL_ERRORS, ALONE, GIVEN, HYPERPARAMETERS, INITIAL, METHODS
from studies.kinds import of_experiment
from studies.measures import Measure, difference_of_shares, exactly, mean_of, share_of
from studies.records import Artefact, Claim, Study
from studies.regions import above, below
from studies.tidy import mean_by_seed, provenance, shares_of_answers, tidied

if TYPE_CHECKING:
    from frugal.trials.surrogates.blr import BLR

POINTS, HEAD, SEARCH = "evidence of the ten points, K = 3", "evidence of DNGO's last layer", "search"
CORRECTED: Final = "none"
ALL_OF_PART: Final = {POINTS: "all_three", HEAD: "all_four", SEARCH: ALL_ERRORS}
TRAINING: Final = "dropped_batch"
"""The error of `AS_PYBNN` that is in the training of the network, not in the evidence."""
ESTIMATED: Final = ("alpha", "noise_sd", "alpha_ratio", "noise_sd_ratio")
REACHED: Final = ("K", "score", "is_initial")
SEARCHES: Final[Mapping[str, str]] = {one.name: one.settings.get("error", CORRECTED) for one in METHODS}
"""Search -> the error in it."""


# The runs that are derived ---------------------------------------------------------------------------------------


def derive(runs: pd.DataFrame) -> pd.DataFrame:
    """The optima of both regressions, so that no table has to maximise.

    Args:
        runs: of the study `task1`.

    Returns:
        experiment (task1_optima), part (`POINTS`, which has no seed, and `HEAD`), then the columns of
        `optima_of_head`.
    """
    points = optima_of_points().assign(part=POINTS, data="original")
    table = pd.concat([points, optima_of_head(runs).assign(part=HEAD)], ignore_index=True)
    table = table.assign(experiment="task1_optima", seed=table["seed"].astype("Int64"))
    return table[["experiment", "part", "seed", "data", "error", *ESTIMATED]]


def optima_of_points() -> pd.DataFrame:
    """Exact optima of the ten points: error, alpha, noise_sd, and their ratios to those without an error."""
    from frugal.trials.surrogates.blr import BLR
    from frugal.trials.surrogates.dngo import AS_PYBNN

    regression = BLR(polynomial.basis(polynomial.X, GIVEN.K), polynomial.Y)
    cases: dict[str, Sequence[str]] = {name: (name,) for name in AS_PYBNN if name != TRAINING}
    cases = {CORRECTED: (), **cases, ALL_OF_PART[POINTS]: AS_PYBNN}
    return _with_ratios([{"error": name, **_optimum(regression, errors)} for name, errors in cases.items()])


def optima_of_head(runs: pd.DataFrame) -> pd.DataFrame:
    """Optima of DNGO's last layer, with pybnn's 500 epochs, on all trials of the corrected search by the evidence.

    Args:
        runs: of the study `task1`; each search's network has the number of its repetition for seed.

    Returns:
        seed, data, then the columns of `optima_of_points`; in units of standardised scores. No rows without such
        searches.
    """
    from frugal.trials.surrogates.dngo import AS_PYBNN

    found = runs[(runs["search"] == "dngo") & (runs["objective"] == "evidence")]
    cube, places = polynomial.unit_cube(), {tuple(point): i for i, point in enumerate(polynomial.CANDIDATES)}
    cases = {CORRECTED: (), **{name: (name,) for name in AS_PYBNN}, ALL_OF_PART[HEAD]: AS_PYBNN}
    parts = []
    for seed, path in found.groupby("seed"):
        path = path.sort_values("step")
        tried = [places[tuple(row)] for row in path[list(HYPERPARAMETERS)].itertuples(index=False)]
        regressions = {
            dropped: _last_layer(cube[tried], path["score"].to_numpy(float), int(str(seed)), dropped)
            for dropped in (False, True)
        }
        rows = [
            {"error": name, **_optimum(regressions[TRAINING in errors], errors)} for name, errors in cases.items()
        ]
        parts.append(_with_ratios(rows).assign(seed=seed, data=path["data"].iloc[0]))
    columns = ["seed", "data", "error", *ESTIMATED]
    return pd.concat(parts, ignore_index=True)[columns] if parts else pd.DataFrame(columns=columns)


def _optimum(regression: BLR, errors: Sequence[str]) -> dict[str, float]:
    """The most probable alpha and standard deviation of the noise, with these errors in what is maximised."""
    from frugal.trials.surrogates.blr_hyperparameters import LogPosterior, maximise

    log_alpha, log_s2 = maximise(LogPosterior(regression, frozenset(errors) - {TRAINING}))[0]
    return {"alpha": float(np.exp(log_alpha)), "noise_sd": float(np.exp(log_s2 / 2))}


def _last_layer(X: Array, y: Array, seed: int, dropped: bool) -> BLR:
    from frugal.trials.surrogates.blr import BLR
    from frugal.trials.surrogates.dngo import DNGO

    basis = DNGO(marginalise="ml2", seed=seed, as_coded=(TRAINING,) if dropped else ()).fit(X, y).basis
    return BLR(basis.features(X), (y - basis.y_mean) / basis.y_std)


def _with_ratios(rows: Sequence[Mapping[str, object]]) -> pd.DataFrame:
    """A table with the ratio of each estimate to that of the first row, which is without an error."""
    table = pd.DataFrame(rows)
    return table.assign(**{f"{name}_ratio": table[name] / table[name].iloc[0] for name in ("alpha", "noise_sd")})


# What is read of the runs ----------------------------------------------------------------------------------------


def optima_in(runs: pd.DataFrame, part: str) -> pd.DataFrame:
    """The optima of one regression, columns of `optima_of_head`.

    Args:
        runs: rows of `derive`, and others.
        part: `POINTS` or `HEAD`.
    """
    found = runs[(runs["experiment"] == "task1_optima") & (runs["part"] == part)]
    return found[["seed", "data", "error", *ESTIMATED]].reset_index(drop=True)


def reached(runs: pd.DataFrame) -> pd.DataFrame:
    """Where searches by the fragment's objective end.

    Args:
        runs: of the study `task1`, and others.

    Returns:
        search, seed, data, K, beta, lambda, score, is_initial (whether the best candidate is one of the first
        eight, 0 or 1).
    """
    found = runs[(runs["objective"] == "as_published") & runs["search"].isin(list(SEARCHES))]
    kept, rows = ["data", *HYPERPARAMETERS, "score"], []
    for (search, seed), path in found.groupby(["search", "seed"]):
        path = path.sort_values("step")
        end = path.loc[path["is_best"].astype(bool)].iloc[0]
        rows.append([search, seed, *(end[name] for name in kept), float(end["step"] <= len(INITIAL))])
    return pd.DataFrame(rows, columns=["search", "seed", *kept, "is_initial"])


# Claims ----------------------------------------------------------------------------------------------------------


def arrays(runs: pd.DataFrame) -> dict[str, Array]:
    """Arrays that the claims are measured on, (n_seeds,), or (1,) where nothing is drawn.

    Args:
        runs: of the studies `task1` and `task1_optima`.
    """
    evidence = (runs["objective"] == "evidence") & (runs["search"] == "dngo") & (runs["experiment"] == "task1")
    seeds = sorted(runs.loc[evidence, "seed"].unique())
    ends = reached(runs).set_index("seed")
    by_search = {search: ends[ends["search"] == search].reindex(seeds) for search in SEARCHES}
    coded, corrected = by_search["dngo_as_coded"], by_search["dngo"]
    norm, prior = (_ratios(runs, HEAD, error) for error in ("unsquared_norm", "no_prior"))
    norm_of_points, log_prior = _ratios(runs, POINTS, "unsquared_norm"), np.log(prior)
    return {
        "coded_is_reported": np.where(coded["score"].notna(), is_reported(coded), np.nan),
        "coded_less_corrected": (coded["is_initial"] - corrected["is_initial"]).to_numpy(float),
        "orientation_stays": by_search["dngo_orientation"]["is_initial"].to_numpy(float),
        "points_alpha": norm_of_points[:, 0],
        "points_sd": norm_of_points[:, 1],
        "head_alpha": norm[:, 0],
        "head_sd": norm[:, 1],
        "prior": np.hypot(log_prior[:, 0], 2 * log_prior[:, 1]),  # log s2 is twice that of the standard deviation
    }


def _ratios(runs: pd.DataFrame, part: str, error: str) -> Array:
    """Alpha and standard deviation of the noise over those without an error, (n_seeds, 2)."""
    found = optima_in(runs, part)
    return found.loc[found["error"] == error, ["alpha_ratio", "noise_sd_ratio"]].to_numpy(dtype=float)


def is_reported(points: pd.DataFrame) -> Array:
    """Which are K = 3, beta = 4, lambda = 1: 1 or 0."""
    return np.asarray((points[list(HYPERPARAMETERS)].to_numpy(float) == GIVEN).all(axis=1), dtype=float)


OPTIMA: Final = Study(
    name="task1_optima",
    derive=derive,
    derived_from=("task1",),
    kinds=(of_experiment("task1_optima", ("data", "part", "error")),),
    judged_on=("task1", "task1_scores", "task1_optima"),
    arrays=arrays,
    is_enough=OF_EVERY_METHOD,
)
_claim = partial(Claim, section="Task 1", study="task1_optima", artefact="tables/errors_as_coded")
_NORM: Final = "the estimate with the unsquared norm of pybnn's evidence over that with the squared norm"


def _geometric_mean_of(name: str) -> Measure:
    """The geometric mean of ratios over the seeds."""
    return lambda arrays, rng: ratio(arrays[name], 1.0)


CLAIMS: Final = (
    _claim(
        "exploration.task1.coded_ends_at_reported",
        quantity="share of the public code's searches that end at K = 3, β = 4, λ = 1, one of its first "
        "candidates",
        unit="%",
        agrees=ALL,
        measure=share_of("coded_is_reported"),
    ),
    _claim(
        "exploration.task1.code_stays_at_first",
        quantity="share of searches that end at one of the first candidates, the public code's less the corrected "
        "code's, by the same objective",
        unit="points",
        agrees=above(0),
        measure=difference_of_shares("coded_less_corrected"),
    ),
    _claim(
        "exploration.task1.orientation_stays_at_first",
        quantity="share of searches that end at one of the first candidates, where the wrong orientation of the "
        "acquisition is the only error",
        unit="%",
        agrees=ALL,
        measure=share_of("orientation_stays"),
    ),
    _claim(
        "exploration.norm.noise_of_points",
        quantity=f"standard deviation of the noise on task 1's ten points, K = 3: {_NORM}",
        unit="times",
        agrees=below(1),
        measure=exactly("points_sd"),
    ),
    _claim(
        "exploration.norm.alpha_of_points",
        quantity=f"precision alpha of the weights on task 1's ten points, K = 3: {_NORM}",
        unit="times",
        agrees=above(1),
        measure=exactly("points_alpha"),
    ),
    _claim(
        "exploration.norm.noise_of_dngo",
        quantity=f"standard deviation of the noise of DNGO's last layer on its own trials: {_NORM}",
        unit="times",
        agrees=below(1),
        measure=_geometric_mean_of("head_sd"),
    ),
    _claim(
        "exploration.norm.alpha_of_dngo",
        quantity=f"precision alpha of the weights of DNGO's last layer on its own trials: {_NORM}",
        unit="times",
        agrees=above(1),
        measure=_geometric_mean_of("head_alpha"),
    ),
    _claim(
        "exploration.prior.moves_dngo",
        quantity="distance of the most probable (log alpha, log variance of the noise) of DNGO's last layer "
        "without a prior, as in pybnn, from that with the prior, in the prior's standard deviations",
        unit="standard deviations",
        agrees=above(1),
        measure=mean_of("prior"),
    ),
)


# The table -------------------------------------------------------------------------------------------------------

KEYS: Final = ["part", "error", "quantity"]


def tabulate(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """What each error changes by itself, and all together.

    Returns:
        `KEYS`, `tidy.TIDY`, note. The parts `POINTS` (exact, n_seeds nan) and `HEAD`: errors `none`, each of
        `AS_PYBNN` and all; quantities `ESTIMATED`. The part `SEARCH`, by the fragment's objective: errors `none`,
        each of the acquisition's, and all with pybnn's; quantities K and score of the best candidate, and
        is_initial, the share of searches in which it is one of the first eight. Searches that were not run have
        a row each that says so.
    """
    from frugal.trials.surrogates.blr_hyperparameters import BOX
    from frugal.trials.surrogates.dngo import AS_PYBNN

    points = optima_in(runs, POINTS).melt(["error"], list(ESTIMATED), var_name="quantity", value_name="ours")
    points = points.assign(part=POINTS, ours_se=0.0, low=points["ours"], high=points["ours"], data="original")
    head = _means(optima_in(runs, HEAD), ESTIMATED).assign(part=HEAD)
    ends = reached(runs)
    searched = _means(ends.assign(error=ends["search"].map(SEARCHES)), REACHED).assign(part=SEARCH)
    searched = shares_of_answers(searched, ["is_initial"], key="quantity")
    parts = [part for part in (points, head, searched) if len(part)]
    table = pd.concat(parts, ignore_index=True).assign(scale=scale, note="")
    lacking = [error for error in SEARCHES.values() if error not in set(searched["error"])]
    facts: dict[str, Any] = {"part": SEARCH, "quantity": "score", "data": provenance(runs)}
    gaps = pd.DataFrame([{"error": error, **facts, "scale": NOT_RUN, "note": NOT_RUN} for error in lacking])
    table = pd.concat([table, gaps], ignore_index=True)
    for name, edge in (("alpha", np.exp(BOX)), ("noise_sd", np.exp(-BOX / 2))):
        is_at_edge = (table["quantity"] == name) & np.isclose(table["ours"].astype(float), edge)
        table.loc[is_at_edge, "note"] = f"where {name} is {edge:.4g}, it is at the edge of what is searched"
    orders = {
        "part": (POINTS, HEAD, SEARCH),
        "error": (CORRECTED, *AS_PYBNN, *ALONE, *ALL_OF_PART.values()),
        "quantity": (*ESTIMATED, *REACHED),
    }
    return tidied(table, KEYS, scale, "note", orders=orders)


def _means(wide: pd.DataFrame, quantities: Sequence[str]) -> pd.DataFrame:
    long = wide.melt(["error", "seed", "data"], list(quantities), var_name="quantity")
    return mean_by_seed(long.astype({"value": float}), "value", ["error", "quantity"])


TABLE: Final = Artefact(
    "errors_as_coded",
    ("task1", "task1_optima"),
    tabulate,
    """What each error of document 002's code changes by itself, in task 1. Evidence: the most probable alpha
    (precision of the weights) and standard deviation of the noise, and their ratios to those without an error,
    with each of pybnn's errors put back: of the polynomial of degree 3 on the ten points (exact), and of the last
    layer of a DNGO with 500 epochs on the trials of its own search by the evidence (standardised scores). Search:
    {{ n_trials }} trials of DNGO on the public code's objective with each error of its acquisition alone
    (orientation: the improvement of a search that minimises; variance: it stands where the standard deviation
    belongs; frozen baseline: the best of the first candidates for good), and as coded, with all of them and
    pybnn's; is initial is the share that ends at one of the eight first candidates. Means over
    {{ n_seeds | seeds }}.""",
)
