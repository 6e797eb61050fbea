"""Extrapolations of stored learning curves, computed once and looked up by every search.

A check of `termination.Terminating` costs a second or more, nearly all of it in the sampler. The samples depend on
the curve alone, not on the strategy, the seed or y^. So the sampler runs once for each stored curve and number of
points, and a table with `COLUMNS` keeps the results. `Extrapolations` looks them up by the number of the curve,
since several curves may begin alike, such as those of networks stuck at chance. The table also keeps the seconds
of each check.

A row holds at most `N_KEPT` of the samples, evenly spaced. P for a given y^ is computed from these samples. The
mean and the standard deviation are those of all samples.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from time import process_time
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import ndtr

from frugal.benchmarks.curve_set import SET_COLUMNS
from frugal.benchmarks.curves import Curve, CurvesProblem
from frugal.checks import as_python, check_between, check_columns
from frugal.files import read
from frugal.seeds import rng_for
from frugal.threads import one_thread
from frugal.trials.lines import JournalPath, Lines
from frugal.trials.surrogates.curve_families import Array
from frugal.trials.surrogates.learning_curves import MIN_POINTS, CurveModel, UnfittableError
from frugal.trials.termination import check_curve_settings

COLUMNS: Final = (
    *SET_COLUMNS, "id", "epoch", "observed", "final", "mean", "sd", "finals", "sigmas", "curve", "families",
    "seconds", "reason",
)  # fmt: skip
"""A row per curve and number of points. epoch: n, the points seen; observed: all scores of the curve, a JSON list;
final: the last one, nan if the network diverged; mean, sd: of f_comb(E); finals, sigmas: f_comb(E) and sigma of
samples, JSON lists; curve: E[f_comb(t)] at epochs 1 to E, a JSON list; families: by name, of the least-squares
fit the parameters `theta`, the value `final` at E (null: it has none) and why it was `dropped`, a JSON object;
seconds: the processor's; reason: why no family describes the curve, empty if one does."""
N_KEPT: Final = 400
_DIGITS: Final = 7

log = logging.getLogger("frugal")


def epochs_of_checks(horizon: int, share: float) -> tuple[int, list[int]]:
    """Return p, the number of epochs between checks (the share of the horizon, rounded), and the checked epochs.

    Raises:
        ValueError: if the share is not in (0, 1], or there would be no check.
    """
    check_between("check_share", share, 0.0, 1.0, above=True)
    p = max(1, round(share * horizon))
    epochs = [n for n in range(p, horizon, p) if n >= MIN_POINTS]
    if not epochs:
        raise ValueError(
            f"check_share {share:g} of {horizon} epochs leaves none at which to check, from {MIN_POINTS}"
        )
    return p, epochs


def extrapolate(
    table: pd.DataFrame, *, check_share: float, curve: Mapping[str, Any], journal_path: JournalPath | None = None
) -> pd.DataFrame:
    """Extrapolate the curves of a set from every epoch at which there is a check; not from beyond a divergence.

    Args:
        table: the curves, columns `curve_set.COLUMNS`, of one set.
        check_share: interval between checks, as a share of the horizon; see `epochs_of_checks`.
        curve: settings of `CurveModel`.
        journal_path: file that stores each row as it is made, so that a killed job goes on; None: no file.

    Returns:
        Columns `COLUMNS`, in the order of curves and epochs; but for its seconds the same, interrupted or not.

    Raises:
        ValueError: as `CurvesProblem`, `epochs_of_checks` and `CurveModel`; or on the journal of another job.
    """
    problem = CurvesProblem(table)
    of_set = {name: as_python(table[name].iloc[0]) for name in SET_COLUMNS}
    horizon = problem.n_epochs
    checks = epochs_of_checks(horizon, check_share)[1]
    check_curve_settings(curve)
    listed = [(one.id, one.scores) for one in problem.curves]
    header = {
        **of_set,
        "ids": [number for number, _ in listed],
        "scores": hashlib.sha256(repr(listed).encode()).hexdigest(),
        "share": check_share,
        "curve": dict(curve),
    }
    todo = [(one, n) for one in problem.curves for n in checks]
    todo = [(one, n) for one, n in todo if n <= len(one.scores) and np.isfinite(one.scores[:n]).all()]
    with closing(Lines(journal_path, header)) as lines, one_thread():
        rows = dict(lines.rows(lambda row: ((row["id"], row["epoch"]), row)))
        for one, n in todo:
            if (one.id, n) in rows:
                continue
            rng = rng_for("extrapolation", of_set["network"], of_set["dataset"], one.id, n)
            rows[one.id, n] = _row(one, n, horizon, CurveModel(rng=rng, **curve))
            lines.add(rows[one.id, n])
            log.info("curve %d, %d points: %.2f s", one.id, n, rows[one.id, n]["seconds"])
    return pd.DataFrame([of_set | rows[one.id, n] for one, n in todo], columns=COLUMNS)


def _row(one: Curve, n: int, horizon: int, model: CurveModel) -> dict[str, Any]:
    """Row of one curve seen up to n points, without the columns that are constant in the set."""
    row: dict[str, Any] = {"id": one.id, "epoch": n, "observed": _text(one.scores)}
    row["final"] = one.scores[-1] if len(one.scores) == horizon else math.nan
    row |= {"mean": math.nan, "sd": math.nan, "finals": "[]", "sigmas": "[]", "curve": "[]", "reason": ""}
    started = process_time()
    try:
        model.fit(one.scores[:n], horizon)
    except UnfittableError as error:
        return row | {
            "families": _families(model, horizon),
            "seconds": process_time() - started,
            "reason": str(error),
        }
    mean, sd = model.predict(horizon)
    model.prob_above(one.scores[n - 1])  # a part of what a check costs
    seconds = process_time() - started
    every = np.unique(np.linspace(0, len(model.samples) - 1, N_KEPT).astype(int))
    sigmas = model.posterior.parts(model.samples[every])[1]
    return row | {
        "mean": float(mean[0]),
        "sd": float(sd[0]),
        "finals": _text(model.curves(horizon)[every, 0]),
        "sigmas": _text(sigmas),
        "curve": _text(model.predict(np.arange(1, horizon + 1))[0]),
        "families": _families(model, horizon),
        "seconds": seconds,
    }


def _families(model: CurveModel, horizon: int) -> str:
    found = {}
    for fit in model.fits:
        final = float(fit.family(fit.theta, [horizon])[0])
        sound = math.isfinite(final) and bool(np.isfinite(fit.theta).all())
        found[fit.family.name] = {
            "theta": [float(value) for value in fit.theta] if sound else None,
            "final": final if sound else None,
            "dropped": fit.dropped,
        }
    return json.dumps(found)


def _text(values: ArrayLike) -> str:
    """Write values as a JSON list; values that are not finite become null."""
    numbers = np.asarray(values, dtype=float)
    return json.dumps([round(float(v), _DIGITS) if math.isfinite(v) else None for v in numbers])


def numbers(text: str) -> Array:
    """Read a list (n,) from a column; null becomes nan."""
    return np.array([math.nan if value is None else value for value in json.loads(text)], dtype=float)


class StoredFit:
    """A stored fit of `CurveModel`; it knows the horizon only.

    Args:
        row: columns `COLUMNS`; its reason is empty.
    """

    def __init__(self, row: Mapping[str, Any]) -> None:
        finals = numbers(row["finals"])
        finite = np.isfinite(finals)
        self._finals, self._sigmas = finals[finite], numbers(row["sigmas"])[finite]
        self._mean, self._sd = float(row["mean"]), float(row["sd"])

    def prob_above(self, y: float, *, noise: bool = True) -> float:
        """P(y_E > y), as in `CurveModel`."""
        if not noise:
            return float((self._finals > y).mean())
        return float(ndtr((self._finals - y) / self._sigmas).mean())

    def predict(self, t: ArrayLike) -> tuple[Array, Array]:
        """Mean and standard deviation of f_comb at `t`, which must be the horizon."""
        return np.array([self._mean]), np.array([self._sd])


class Extrapolations:
    """Stored extrapolations of a set of curves, used in place of running the sampler in every search.

    Args:
        table: columns `COLUMNS`, of one set.
        replayed: number of the curve by trial, of the problem under way; see `CurvesProblem.replayed`.

    Raises:
        ValueError: if a column is missing or there are no rows.
    """

    def __init__(self, table: pd.DataFrame, replayed: Mapping[int, int]) -> None:
        check_columns("a table of extrapolations", table, COLUMNS)
        if table.empty:
            raise ValueError("a table of extrapolations must have at least one row, got none")
        rows = [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]
        self._rows: dict[tuple[int | None, int], dict[str, Any]] = {
            (int(row["id"]), int(row["epoch"])): row for row in rows
        }
        self._replayed = replayed

    @classmethod
    def read(cls, path: str | Path, replayed: Mapping[int, int]) -> Extrapolations:
        """Read extrapolations from a file of the workflow.

        Raises:
            ValueError: as the constructor, and as `files.read`.
        """
        return cls(read(path), replayed)

    def fit(self, trial: int, scores: Sequence[float] | Array, horizon: int) -> StoredFit:
        """Return the stored fit to a trial's first scores.

        Raises:
            UnfittableError: if no family describes them.
            ValueError: if its curve was not extrapolated from so many points to this horizon, or has other scores.
        """
        row = self._row(trial, scores, horizon)
        if isinstance(row["reason"], str) and row["reason"]:  # pandas reads an empty text of a CSV file as nan
            raise UnfittableError(row["reason"])
        return StoredFit(row)

    def seconds(self, trial: int, scores: Sequence[float] | Array, horizon: int) -> float:
        """Seconds that the fit took.

        Raises:
            ValueError: as `fit`.
        """
        return float(self._row(trial, scores, horizon)["seconds"])

    def _row(self, trial: int, scores: Sequence[float] | Array, horizon: int) -> dict[str, Any]:
        curve, n = self._replayed.get(trial), len(scores)
        row = self._rows.get((curve, n))
        if row is None or row["n_epochs"] != horizon or _key(numbers(row["observed"])[:n]) != _key(scores):
            known = sorted(n for place, n in self._rows if place == curve)
            raise ValueError(
                f"curve {curve} of trial {trial} with these {n} scores was not extrapolated to epoch {horizon}; "
                f"there are extrapolations of it from {', '.join(map(str, known)) or 'no'} points"
            )
        return row


def _key(scores: Sequence[float] | Array) -> tuple[float, ...]:
    return tuple(round(float(score), _DIGITS) for score in scores)
