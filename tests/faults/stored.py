"""Damage of files that we keep: prepared datasets, mirrors, downloads, tables, journals, states of learners.

Each `Store` makes its files once. A fault damages one of them in a fresh copy, and the store's question is asked.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier

from faults import DAMAGES, Fault, Outcome, command, judge, spoil
from frugal import cli
from frugal.benchmarks import problem_by_name
from frugal.code import jobs
from frugal.datasets import CATALOGUE, DatasetError, _public, load, prepare
from frugal.datasets.catalogue import File
from frugal.learners.networks import make
from frugal.learners.svm_rff import FourierTraining
from frugal.model_selection import FoldSearchCV, TrialSearchCV
from frugal.spaces import Integer
from frugal.trials.problems import Problem
from studies import cli as studies_cli

CLOCKS = ("seconds", "overhead_s", "seconds_per_fold", "search_seconds", "refit_seconds")
NB = ("--dataset", "wdbc", "--classifier", "bernoulli_nb", "--seed", "0")


@dataclass(frozen=True)
class Store:
    """What is kept.

    Attributes:
        name: in the table.
        build: makes its files in a folder.
        files: those that are damaged.
        ask: gives the answer that the files lead to, in a copy of the folder.
        instead: files of the folder that are put in the place of those, as further damages.
    """

    name: str
    build: Callable[[Path], None]
    files: tuple[str, ...]
    ask: Callable[[Path], object]
    instead: tuple[str, ...] = ()


def faults(store: Store, n: int, seed: int) -> list[Fault]:
    """The first `n` faults of a store, all files and damages in turn."""
    ways = [(name, how) for how in (*DAMAGES, *store.instead) for name in store.files]
    return [Fault(f"damage: {store.name}", *ways[i % len(ways)], seed * 10_000 + i) for i in range(n)]


class Kept:
    """A store that has been made in a folder, and its answer without fault."""

    def __init__(self, store: Store, folder: Path) -> None:
        self.store, self._folder = store, folder
        store.build(folder / "whole")
        self._copies = 0
        self.answer = store.ask(self._copy())

    def attempt(self, fault: Fault) -> Outcome:
        """Damage a copy and ask it."""
        copy = self._copy()
        if fault.how in self.store.instead:
            shutil.copy(copy / fault.how, copy / fault.what)
        else:
            spoil(copy / fault.what, fault)
        outcome = judge(fault, lambda: self.store.ask(copy), lambda answer: answer == self.answer)
        shutil.rmtree(copy)
        return outcome

    def _copy(self) -> Path:
        self._copies += 1
        return Path(shutil.copytree(self._folder / "whole", self._folder / f"copy{self._copies}"))


def run(folder: Path, *arguments: str) -> str:
    """Run `frugal data` or a job in this process; `@/` in an argument is the folder."""
    given = [argument.replace("@/", f"{folder}/") for argument in arguments]
    return command(cli.main, given) if given[0] == "data" else command(studies_cli.main, ["job", *given])


def answer_of(path: Path) -> str:
    """What a parquet file says, but for what clocks say."""
    frame = pd.read_parquet(path)
    return frame.drop(columns=[name for name in frame.columns if name in CLOCKS]).to_csv(index=False)


# Datasets ------------------------------------------------------------------------------------------------------


def _dataset(folder: Path) -> object:
    data = load("wdbc", root=folder)
    splits = {name: rows.tolist() for name, rows in data.splits.items()}
    arrays = hashlib.sha256(np.ascontiguousarray(data.X).tobytes() + data.y.tobytes()).hexdigest()
    return arrays, data.X.shape, data.n_classes, data.provenance, data.image_shape, splits


def _images(folder: Path) -> object:
    data = load("mnist", root=folder)
    return hashlib.sha256(data.X.tobytes() + data.y.tobytes()).hexdigest(), data.n_classes, data.image_shape


def _build_images(folder: Path) -> None:
    with _small("mnist", rows=40, class_counts=None, content_sha256="", stand_in_counts=(4,) * 10, splits={}):
        X = np.random.default_rng(0).integers(0, 256, (40, 784), dtype=np.uint8)
        arrays = mock.Mock(X=X, y=np.arange(40) % 10, splits={})
        arrival = mock.Mock(arrays=arrays, provenance="stand-in", source="drawn", files={}, note="", failed=())
        with mock.patch("frugal.datasets.store.resolve", return_value=arrival):
            prepare("mnist", root=folder)


def _small(name: str, **fields: object) -> object:
    return mock.patch.dict(CATALOGUE, {name: replace(CATALOGUE[name], **fields)})


ROWS = "".join(f"{i},{10 * i + 0.25},{-i},{'ABC'[i % 3]}\n" for i in range(12))


def _letter(content: bytes) -> object:
    X = np.array([[i, 10 * i + 0.25, -i] for i in range(12)], dtype="<f8")
    y = np.arange(12, dtype="<i8") % 3
    return _small(
        "letter",
        rows=12,
        features=3,
        class_counts=(4, 4, 4),
        stand_in_counts=(4, 4, 4),
        files=(File("letter.csv.gz", hashlib.sha256(content).hexdigest()),),
        content_sha256=hashlib.sha256(X.tobytes() + y.tobytes()).hexdigest(),
        rows_sha256="",
    )


def _packed() -> bytes:
    import gzip

    return gzip.compress(f"first,second,third,class\n{ROWS}".encode(), mtime=0)


def _build_mirror(folder: Path) -> None:
    (folder / "mirror").mkdir(parents=True)
    (folder / "mirror/letter.csv.gz").write_bytes(_packed())


def _build_download(folder: Path) -> None:
    _build_mirror(folder)
    raw = folder / "data/raw/letter"
    raw.mkdir(parents=True)
    (raw / "openml.csv.gz").write_bytes(_packed())
    record = {"source": "OpenML 6", "files": {"openml.csv.gz": hashlib.sha256(_packed()).hexdigest()}}
    (raw / "source.json").write_text(json.dumps(record))


def _prepared(folder: Path) -> object:
    def refuse(*_: object, **__: object) -> None:
        raise DatasetError("the network is off")

    mirror = {"FRUGAL_DATA_MIRROR": str(folder / "mirror")}
    with _letter(_packed()), mock.patch.object(_public, "fetch", refuse), mock.patch.dict(os.environ, mirror):
        run(folder, "data", "letter", "--root", "@/data")
        data = load("letter", root=folder / "data")
    return data.X.tolist(), data.y.tolist(), data.provenance


# Tables --------------------------------------------------------------------------------------------------------


def _build_scores(folder: Path) -> None:
    outputs = ("--output", "@/scores.parquet", "--seconds-output", "@/seconds.parquet")
    run(folder, "scores", *NB, "--n-folds", "3", "--root", "@/data", *outputs)
    shutil.rmtree(folder / "data")


def _replayed(folder: Path) -> object:
    outputs = ("--n-candidates", "16", "--output", "@/o.parquet", "--seconds", "@/seconds.parquet")
    run(folder, "search", "--method", "greedy", "--scores", "@/scores.parquet", *outputs)
    return answer_of(folder / "o.parquet")


def build_searches(folder: Path) -> None:
    _build_scores(folder)
    for method in ("greedy", "standard"):
        chosen = ("--method", method, "--scores", "@/scores.parquet")
        run(folder, "search", *chosen, "--n-candidates", "16", "--output", f"@/{method}.parquet")


def _collected(folder: Path) -> object:
    searches = ("@/greedy.parquet", "@/standard.parquet")
    run(folder, "collect", "--search", *searches, "--output", "@/o.parquet", "--cells-output", "@/c.parquet")
    return answer_of(folder / "o.parquet"), answer_of(folder / "c.parquet")


TABLE = {
    "learner": "svm", "dataset": "digits", "space": "ranges", "n_per_dimension": 2, "sizes": [60, 30],
    "n_subsets": [1, 1], "n_valid": 100, "n_test": 100, "n_train": None, "seed": 0,
}  # fmt: skip


def _build_lookup(folder: Path) -> None:
    for part in ("0", "1"):
        options = ("--settings", json.dumps(TABLE), "--root", "@/data", "--output", f"@/part{part}.parquet")
        run(folder, "lookup", "measure", "--part", part, *options)
    run(folder, "lookup", "gather", "--parts", "@/part0.parquet", "@/part1.parquet", "--output", "@/t.parquet")
    shutil.rmtree(folder / "data")


def _looked_up(folder: Path) -> object:
    settings = json.dumps({"table": str(folder / "t.parquet")})
    where = ("--learner", "lookup", "--dataset", "svm_digits", "--seed", "0", "--n-trials", "3")
    run(folder, "trials", "random", *where, "--settings", settings, "--output", "@/o.parquet")
    return answer_of(folder / "o.parquet")


# Journals and states -------------------------------------------------------------------------------------------

SEARCH = ("--learner", "function", "--dataset", "branin", "--seed", "0", "--n-trials", "6", "--output")


def _build_journal(folder: Path) -> None:
    """A search that was stopped at its fourth trial."""
    folder.mkdir(parents=True)
    found = problem_by_name.FUNCTIONS["branin"]
    evaluate, n_done = type(found).evaluate, iter(range(100))

    def stop(self: Problem, *given: object) -> object:
        if next(n_done) == 3:
            raise KeyboardInterrupt
        return evaluate(self, *given)

    with mock.patch.object(type(found), "evaluate", stop):
        try:
            run(folder, "trials", "random", *SEARCH, "@/o.parquet")
        except Exception as error:
            if "status 130" not in str(error):
                raise
    assert (folder / "o.jsonl").exists()


def _continued(folder: Path) -> object:
    run(folder, "trials", "random", *SEARCH, "@/o.parquet")
    return answer_of(folder / "o.parquet")


DATA = load_iris(return_X_y=True)


def fold_search(path: Path, **options: object) -> FoldSearchCV:
    """A search of folds with a journal."""
    grid = {"n_neighbors": [1, 3, 5, 9, 15], "weights": ["uniform", "distance"]}
    return FoldSearchCV(KNeighborsClassifier(), grid, cv=3, refit=False, journal=path, **options)


def trial_search(path: Path, **options: object) -> TrialSearchCV:
    """The same of trials."""
    given = {"strategy": "random", "n_trials": 5, "cv": 2, "refit": False, "random_state": 0} | options
    return TrialSearchCV(KNeighborsClassifier(), {"n_neighbors": Integer(1, 40)}, journal=path, **given)


def _build_search(make_search: Callable[..., Any], end: str) -> Callable[[Path], None]:
    """A journal of a part of a search, another search's, and one of older code."""

    def build(folder: Path) -> None:
        folder.mkdir(parents=True)
        part = {"max_fits": 9} if make_search is fold_search else {"n_trials": 3}
        make_search(folder / f"search{end}", **part).fit(*DATA)
        make_search(folder / f"another{end}", scoring="f1_macro").fit(*DATA)
        with mock.patch.object(jobs, "hash_of", return_value="older"):
            make_search(folder / f"older{end}").fit(*DATA)

    return build


def _searched(make_search: Callable[..., Any], end: str) -> Callable[[Path], object]:
    def ask(folder: Path) -> object:
        found = make_search(folder / f"search{end}").fit(*DATA)
        rows = [repr(found.cv_results_[name]) for name in ("params", "mean_test_score", "rank_test_score")]
        return found.best_params_, found.best_score_, found.n_fits_, rows

    return ask


def _search_store(name: str, make_search: Callable[..., Any], end: str) -> Store:
    build, ask = _build_search(make_search, end), _searched(make_search, end)
    return Store(name, build, (f"search{end}",), ask, instead=(f"another{end}", f"older{end}"))


RFF = {"C": 3.0, "gamma": 0.1, "n_features": 8}


def _trained(kind: str) -> object:
    if kind == "svm_rff":
        return FourierTraining(RFF, 0)
    return make("mlp", {"neurons": 4}, input_shape=(6,), n_classes=2, seed=0, device="cpu")


def _rows() -> tuple[object, object]:
    return np.random.default_rng(0).random((40, 6)), np.arange(40) % 2


def _build_state(kind: str) -> Callable[[Path], None]:
    def build(folder: Path) -> None:
        folder.mkdir(parents=True)
        learner, rows = _trained(kind), _rows()
        learner.fit(*rows, *rows, epochs=2)
        learner.save(folder / "trial0.pt")

    return build


def _resumed(kind: str) -> Callable[[Path], object]:
    def resume(folder: Path) -> object:
        return _trained(kind).load(folder / "trial0.pt").fit(*_rows(), *_rows(), epochs=4)

    return resume


STORES = (
    Store("prepared table", lambda to: prepare("wdbc", root=to),
          tuple(f"processed/wdbc/{name}" for name in ("X.npy", "y.npy", "provenance.json")), _dataset),
    Store("prepared images", _build_images,
          tuple(f"processed/mnist/{name}" for name in ("X.npy", "y.npy", "provenance.json")), _images),
    Store("mirror", _build_mirror, ("mirror/letter.csv.gz",), _prepared),
    Store("download", _build_download,
          ("data/raw/letter/openml.csv.gz", "data/raw/letter/source.json"), _prepared),
    Store("score tables", _build_scores, ("scores.parquet", "seconds.parquet"), _replayed),
    Store("searches", build_searches, ("greedy.parquet", "standard.parquet"), _collected),
    Store("look-up table", _build_lookup, ("t.parquet",), _looked_up),
    Store("journal", _build_journal, ("o.jsonl",), _continued),
    _search_store("journal of FoldSearchCV", fold_search, ".jsonl"),
    _search_store("parquet journal of FoldSearchCV", fold_search, ".parquet"),
    _search_store("journal of TrialSearchCV", trial_search, ".jsonl"),
    Store("state of an SVM", _build_state("svm_rff"), ("trial0.pt",), _resumed("svm_rff")),
    Store("state of a network", _build_state("mlp"), ("trial0.pt",), _resumed("mlp")),
)  # fmt: skip


def attempts(folder: Path, n: int, seed: int) -> Iterator[Outcome]:
    """Try `n` faults, spread over all stores."""
    share = -(-n // len(STORES))
    for number, store in enumerate(STORES):
        kept = Kept(store, folder / f"store{number}")
        for fault in faults(store, min(share, n - number * share), seed):
            yield kept.attempt(fault)
