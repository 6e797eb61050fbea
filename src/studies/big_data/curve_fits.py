"""Document 003, section 2.2, Figure 4: how far off extrapolated curves are at their end, and what P is worth.

All stored curves are extrapolated from each of several checks. A repetition is a curve here: candidates are drawn
independently. Curves that diverged have no end, so they are left out.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Final

import numpy as np
import pandas as pd
import scipy

from frugal.checks import check_columns
from frugal.trials.surrogates.curve_families import FAMILIES, Times
from studies.big_data.curve_search import FLOOR, SETS
from studies.cells import every
from studies.estimates import Array, Arrays, Estimate
from studies.kinds import Kind
from studies.measures import share_of
from studies.records import Claim, Study
from studies.regions import above, at_least

COMBINATION: Final = "combination"
MODELS: Final = (*FAMILIES, COMBINATION)
FIRST: Final = 50 / 300
"""Share of a curve that Figure 4 fits the models to; the check nearest to it is taken."""
PARTS: Final = {"early": 1 / 3, "middle": 2 / 3, "late": 1.0}
"""Parts of a curve -> the share of its epochs at which the part ends."""
STOPS: Final = 0.05
"""1 - delta, of the document's rule."""


# Numbers -----------------------------------------------------------------------------------------------------


def extrapolations(runs: pd.DataFrame) -> pd.DataFrame:
    """Extrapolations of curves that did not diverge.

    Raises:
        ValueError: if a column is missing, or there are none.
    """
    from frugal.benchmarks.extrapolations import COLUMNS

    check_columns("the table of runs", runs, COLUMNS)
    found: pd.DataFrame = runs[runs["final"].notna()]
    if found.empty:
        raise ValueError("the runs hold no extrapolation of a curve that did not diverge")
    return found


def first_parts(runs: pd.DataFrame) -> pd.DataFrame:
    """Extrapolations of each set from the check nearest to `FIRST`; the earlier one where two are as near."""
    found = extrapolations(runs)
    parts: list[pd.DataFrame] = []
    for _, part in found.groupby("dataset", sort=False):
        epochs = np.sort(part["epoch"].unique())
        nearest = epochs[np.abs(epochs - FIRST * part["n_epochs"].iloc[0]).argmin()]
        parts.append(part[part["epoch"] == nearest])
    return pd.concat(parts, ignore_index=True)


def deviations(runs: pd.DataFrame) -> pd.DataFrame:
    """How far each model, fitted to the first part of a curve, is from its last score.

    Returns:
        dataset, seed (the curve's number), data, n_points, n_epochs, model; deviation: |f(E) - y_E|, nan where the
        model has no value; dropped: whether it was left out of the combination, or, for the combination itself,
        whether no family was left; best: whether no other model is nearer.
    """
    rows = []
    for row in first_parts(runs).to_dict("records"):
        families = json.loads(row["families"])
        ends = {name: family["final"] for name, family in families.items()} | {COMBINATION: row["mean"]}
        values = np.array([np.nan if ends[model] is None else ends[model] for model in MODELS], dtype=float)
        away = np.abs(values - row["final"])
        dropped = [bool(families[name]["dropped"]) for name in FAMILIES] + [bool(row["reason"])]
        least = np.nanmin(away) if np.isfinite(away).any() else np.nan
        for model, far, out in zip(MODELS, away, dropped, strict=True):
            facts = [row["dataset"], row["id"], row["data"], row["epoch"], row["n_epochs"], model]
            rows.append([*facts, far, out, bool(far <= least)])
    names = ["dataset", "seed", "data", "n_points", "n_epochs", "model", "deviation", "dropped", "best"]
    return pd.DataFrame(rows, columns=names)


def lines(runs: pd.DataFrame) -> pd.DataFrame:
    """The curve with the highest last score, on CIFAR-10 if there is one, and the models fitted to it.

    Returns:
        A row per model and epoch: dataset, network, data, curve (its number), n_points, model (`observed` first:
        the curve itself), epoch, score, deviation (at the last epoch; nan for `observed`).
    """
    from frugal.benchmarks.extrapolations import numbers

    found = first_parts(runs)
    of_cifar = found[found["dataset"] == "cifar10"]
    shown = of_cifar if len(of_cifar) else found
    row = shown.iloc[int(shown["final"].to_numpy(float).argmax())]
    epochs = np.arange(1, int(row["n_epochs"]) + 1)
    families = json.loads(row["families"])
    curves = {"observed": numbers(row["observed"])}
    for name, family in FAMILIES.items():
        if families[name]["theta"] is not None:
            curves[name] = family(families[name]["theta"], Times.at(epochs))
    if not row["reason"]:
        curves[COMBINATION] = numbers(row["curve"])
    parts = []
    for name, scores in curves.items():
        deviation = np.nan if name == "observed" else abs(scores[-1] - row["final"])
        parts.append(pd.DataFrame({"model": name, "epoch": epochs, "score": scores, "deviation": deviation}))
    facts = {"dataset": row["dataset"], "network": row["network"], "data": row["data"], "curve": row["id"]}
    return pd.concat(parts, ignore_index=True).assign(**facts, n_points=row["epoch"])


def final_predictions(runs: pd.DataFrame) -> pd.DataFrame:
    """Predicted last scores of each curve at each check, compared with the true last scores.

    Returns:
        dataset, seed (the curve's number), data, part (of `PARTS`), error: E[f_comb(E)] - y_E; rank:
        P(y_E' < y_E), uniform if P is calibrated. Checks at which no family describes the curve are left out.
    """
    from frugal.benchmarks.extrapolations import numbers

    rows = []
    for row in _described(runs).to_dict("records"):
        finals, sigmas = numbers(row["finals"]), numbers(row["sigmas"])
        rank = float(np.nanmean(scipy.special.ndtr((row["final"] - finals) / sigmas)))
        facts = [row["dataset"], row["id"], row["data"], _part(row["epoch"] / row["n_epochs"])]
        rows.append([*facts, row["mean"] - row["final"], rank])
    return pd.DataFrame(rows, columns=["dataset", "seed", "data", "part", "error", "rank"])


def threshold_predictions(runs: pd.DataFrame) -> pd.DataFrame:
    """P(y_E > y^) of each curve at each check, y^ being each other curve's end in turn, and whether it came true.

    Only where no score of the curve is above y^ yet, since no check is made otherwise.

    Returns:
        dataset, seed (the curve's number), data, part, prob_above, above.
    """
    from frugal.benchmarks.extrapolations import numbers

    parts = []
    found = extrapolations(runs)
    for row in _described(runs).to_dict("records"):
        others = found[(found["dataset"] == row["dataset"]) & (found["id"] != row["id"])]
        y = others.drop_duplicates("id")["final"].to_numpy(float)
        y = y[y >= numbers(row["observed"])[: int(row["epoch"])].max()]
        finals, sigmas = numbers(row["finals"])[:, None], numbers(row["sigmas"])[:, None]
        prob = np.nanmean(scipy.special.ndtr((finals - y) / sigmas), axis=0) if len(y) else y
        facts = {"dataset": row["dataset"], "seed": row["id"], "data": row["data"]}
        facts["part"] = _part(row["epoch"] / row["n_epochs"])
        parts.append(pd.DataFrame({"prob_above": prob, "above": row["final"] > y}).assign(**facts))
    return pd.concat(parts, ignore_index=True)


def _described(runs: pd.DataFrame) -> pd.DataFrame:
    found = extrapolations(runs)
    described: pd.DataFrame = found[found["reason"] == ""]
    if described.empty:
        raise ValueError("the runs hold no curve that a family describes")
    return described


def _part(share: float) -> str:
    return next(name for name, last in PARTS.items() if share <= last + 1e-12)


# Claims ------------------------------------------------------------------------------------------------------

ALL: Final = 95.0
"""Per cent that a sentence without exceptions asks for: 5 points less than all."""


def arrays(runs: pd.DataFrame) -> dict[str, Array]:
    """Arrays that the claims are measured on.

    Returns:
        deviation (n_models, n_curves), models as in `MODELS`; best (n_curves,), whether the combination has the
        least.
    """
    found = deviations(runs)
    found = found.assign(curve=found["dataset"] + " " + found["seed"].astype(str))
    wide = found.pivot_table("deviation", index="model", columns="curve", dropna=False)
    best = found[found["model"] == COMBINATION].set_index("curve")["best"].reindex(wide.columns)
    return {"deviation": wide.reindex(MODELS).to_numpy(float), "best": best.to_numpy(float)}


def is_enough(runs: pd.DataFrame) -> bool:
    """Whether there are both sets, with enough curves of enough epochs."""
    found = extrapolations(runs).groupby("dataset")
    n_curves, n_epochs = found["id"].nunique(), found["n_epochs"].min()
    enough = len(n_curves) == len(SETS) and n_curves.min() >= FLOOR["stored"]
    return bool(enough and n_epochs.min() >= FLOOR["epochs"])


CURVE_FITS: Final = Study(
    name="curve_fits",
    kinds=(Kind(("network", "dataset", "data", "id", "observed", "final", "mean", "sd")),),
    arrays=arrays,
    is_enough=is_enough,
)


def _nearer_than_each(arrays: Arrays, rng: np.random.Generator) -> Estimate:
    """Per cent of the curves on which the combination is nearer than a family; a missing value is the worst."""
    away = arrays["deviation"]
    far = np.where(np.isnan(away), np.inf, away)
    nearer = np.where(np.isnan(away[:-1]) & np.isnan(away[-1]), np.nan, far[-1] < far[:-1])
    return every(100 * nearer, above(50), noun="families", names=MODELS[:-1])


_FITTED: Final = "all fitted to about the first sixth of each stored curve of CIFAR-10 (JPEG) and MNIST"
_claim: Final = partial(Claim, section="2.2", unit="%", study="curve_fits", artefact="tables/curve_fits")
CLAIMS: Final = (
    _claim(
        id="big_data.curve_fits.combination_nearest",
        quote="the linear combination has the smallest deviation Δy from the observed data after 300 iterations",
        quantity="share of curves whose last accuracy the combination predicts better than each of the 11 "
        f"families does; {_FITTED}",
        agrees=at_least(ALL),
        measure=share_of("best"),
    ),
    _claim(
        id="big_data.curve_fits.combination_against_each",
        quantity="share of curves whose last accuracy the combination predicts better than a family does, for "
        f"each of the 11 by itself; {_FITTED}",
        agrees=above(50),
        measure=_nearer_than_each,
    ),
)
