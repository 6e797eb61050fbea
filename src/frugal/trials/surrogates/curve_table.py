"""The fits to one learning curve as a table: each family by itself and their combination."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from frugal.checks import check_whole
from frugal.trials.surrogates.curve_families import Times
from frugal.trials.surrogates.learning_curves import MIN_POINTS, CurveModel

COMBINATION = "combination"


def fits_of(
    curve: ArrayLike, *, n_seen: int, horizon: int, rng: np.random.Generator, **settings: Any
) -> pd.DataFrame:
    """What the families and their combination make of the first points of a curve (document 003, figure 4).

    Args:
        curve: observed scores from epoch 1; points after the first `n_seen` are only compared with.
        n_seen: points that are fitted.
        horizon: last epoch of the table.
        rng: what the sampling draws from.
        **settings: of `CurveModel`.

    Returns:
        A row per family and epoch: `family` (the last is "combination"), `epoch`, `value` (of the combination: the
        mean), its `sd`, `low` and `high` (2.5 and 97.5 % of the samples; nan for single families), `deviation`
        (|f(horizon) - y_horizon|, the same at every epoch; nan where the curve ends before) and `dropped` (why a
        family takes no part in the combination; empty if it does).

    Raises:
        ValueError: as `CurveModel.fit`, or on an `n_seen` that the curve is too short for.
    """
    y = np.asarray(curve, dtype=float)
    check_whole("n_seen", n_seen, MIN_POINTS, len(y), "the length of the curve")
    model = CurveModel(rng=rng, **settings).fit(y[:n_seen], horizon)
    epochs = np.arange(model.n_cut + 1, horizon + 1)
    observed = y[horizon - 1] if horizon <= len(y) else math.nan
    parts = []
    for fit in model.fits:
        values = fit.family(fit.theta, Times.of(epochs - model.n_cut))
        parts.append(
            pd.DataFrame({"family": fit.family.name, "epoch": epochs, "value": values, "dropped": fit.dropped})
        )
    mean, sd = model.predict(epochs)
    low, high = np.nanquantile(model.curves(epochs), [0.025, 0.975], axis=0)
    band = {"value": mean, "sd": sd, "low": low, "high": high, "dropped": ""}
    parts.append(pd.DataFrame({"family": COMBINATION, "epoch": epochs} | band))
    for part in parts:
        part["deviation"] = abs(float(part["value"].iloc[-1]) - observed)
    table = pd.concat(parts, ignore_index=True)
    return table[["family", "epoch", "value", "sd", "low", "high", "deviation", "dropped"]]
