"""Made-up searches of document 004, what they chose, and what is judged and published of them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd

from studies.hypertune.paper import PAPER
from studies.publish import reaches_floor
from studies.verdicts import judge_paper


def search(
    method, errors, *, seed=0, learner="elastic_net", dataset="letter", data="original", subsets=(), **columns
):
    """A search whose trials take a second, of which a tenth is the optimiser's; those on subsets come first."""
    n, n_rows = len(subsets) + len(errors), [800.0] * len(subsets) + [None] * len(errors)
    every = [*subsets, *errors]
    lowest = [
        np.nanmin(every[: i + 1]) if i < len(subsets) else np.nanmin(every[len(subsets) : i + 1]) for i in range(n)
    ]
    return pd.DataFrame({
        "method": method, "learner": learner, "dataset": dataset, "seed": seed, "data": data, "id": range(n),
        "candidate": "{}", "n_rows": pd.array(n_rows, dtype="Float64"), "subset": 0,
        "epochs": pd.array([None] * n, dtype="Float64"), "error": every, "seconds": 0.9, "overhead_s": 0.1,
        "cost": 8000.0, "curve": "[]", "incumbent": [json.dumps({"alpha": float(x)}) for x in lowest],
    } | columns)  # fmt: skip


def refit(
    method,
    error,
    *,
    seed=0,
    learner="elastic_net",
    dataset="letter",
    data="original",
    n_rows=8000,
    n_epochs=None,
    whole_s=20.0,
):
    times = {"budget_s": 10.0, "spent_s": 8.0, "whole_s": whole_s}
    facts = {"learner": learner, "dataset": dataset, "data": data, "candidate": "{}"}
    result = {"method": method, "seed": seed, "n_rows": n_rows, "n_epochs": n_epochs, "test_error": error}
    return pd.DataFrame([facts | times | result])  # fmt: skip


def refits_of(errors, *, learner="mlp", dataset="mnist", n_rows=10_000, n_epochs=10):
    return pd.concat([
        refit(method, error + 0.0001 * seed, seed=seed, learner=learner, dataset=dataset, n_rows=n_rows,
              n_epochs=None if method == "majority" else n_epochs)
        for method, error in errors.items()
        for seed in range(3)
    ])  # fmt: skip


DATASETS = ("letter", "mnist", "adult_codes", "vehicle")


def svm_runs(ahead, n_seeds=3, **columns):
    """HyperTune ahead of EI by so much, by data set and a little more from seed to seed."""
    return pd.concat([
        search(method, [error] * 2, seed=seed, learner="svm", dataset=dataset, **columns)
        for dataset, gap in ahead.items()
        for seed in range(n_seeds)
        for method, error in (("ei", 0.5), ("hypertune", 0.5 - gap - 0.001 * seed))
    ])  # fmt: skip


def verdict_of(runs, id, experiment="svm"):
    return judge_paper("hypertune", {experiment: runs}, "paper").set_index("id").loc[f"hypertune.{id}"]


def reaches(folder, name, table):
    kind = "tables" if name.startswith("table") else "figures"
    (folder / kind).mkdir(exist_ok=True)
    table.to_csv(folder / kind / f"{name}.csv", index=False)
    return reaches_floor(Path(kind, f"{name}.csv"), folder, PAPER)
