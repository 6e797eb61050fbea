"""BLB with WKM-SVM and its parts, on two-class readings of real data."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from frugal.rows import Bag, subsample_size
from frugal.rows.combined import blb_svm
from frugal.seeds import rng_for, seed_for
from studies.big_data.beyond.costs import N_INIT, ClockedSVM, timed
from studies.big_data.beyond.designs import split

SVMS = ("full_svm", "wkm_svm", "blb_svm", "blb_wkm_svm")
_BY_GAMMA = ("blb_svm", "blb_wkm_svm")

Row = dict[str, Any]


def of_bag(bag: Bag, seconds: float, rows_touched: int) -> Row:
    """Sizes and costs of a bag, as columns."""
    row: Row = {"b": bag.b, "s": bag.s, "r": int(bag.r.max()), "seconds": seconds, "rows_touched": rows_touched}
    return row | {"n_fits": bag.n_fits, "n_failed": bag.n_failed}


def svm_rows(method: str, seed: int, settings: Mapping[str, Any], root: str | Path) -> Iterator[Row]:
    """Rows of one seed of one of `SVMS`.

    Decision values of the test rows are part of BLB's estimator, one set per fit; their seconds are told from
    those of fitting, of every method alike.
    """
    sizes = {"n_train": settings["svm_rows"], "n_test": settings["svm_test"]}
    for name in settings["datasets"]:
        X, y, X_test, y_test, data = split(name, seed, root=root, **sizes, n_components=settings["n_components"])
        middle = (int(max(y.max(), y_test.max())) + 1) // 2  # the later half of the classes against the earlier
        y, y_test = (y >= middle).astype(np.int64), (y_test >= middle).astype(np.int64)
        compression = settings["compression"] if "wkm" in method else 1
        start = seed_for("big_data", "combinations", name, "kmeans", seed)
        svm = ClockedSVM(compression, C=settings["C"], n_init=N_INIT, random_state=start)
        for gamma in settings["svm_gammas"] if method in _BY_GAMMA else [math.nan]:
            row: Row = {"problem": name, "data": data, "n_rows": len(y), "gamma": gamma}
            ClockedSVM.spent.clear()
            if method in _BY_GAMMA:
                drawn = {"b": subsample_size(len(y), gamma), "s": settings["svm_s"], "r": settings["svm_r"]}
                rng = rng_for("big_data", "combinations", name, "blb", f"{gamma:g}", seed)
                bag, seconds = timed(partial(blb_svm, X, y, X_test, svm=svm, rng=rng, **drawn))
                decided, row["width"] = bag.coef, float(bag.statistic.mean())
                row |= of_bag(bag, seconds - sum(ClockedSVM.spent), bag.rows_touched)
            else:
                _, seconds = timed(partial(svm.fit, X, y))
                decided = svm.decision_function(X_test)
                row |= {"seconds": seconds, "rows_touched": len(y), "n_fits": 1, "n_failed": 0}
            row["predict_seconds"] = sum(ClockedSVM.spent)
            yield row | {"error": float(((decided > 0.0) != y_test).mean())}
