"""Table 3 of document 001 by scikit-learn's own halving, of today and of the document's time.

The wall-clock study replays our halving on fits by today's scikit-learn. Here `HalvingGridSearchCV` runs itself,
once with each library. Its seconds are held against those of all fits by the same library, timed bare. On the
shortest lists they are held against those of `GridSearchCV`, too, which has an overhead for every fit as halving
has. Candidates, folds and the way to time a fit are those of the wall-clock study. Greedy early stopping is
replayed on these fits.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from inspect import getfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from studies import interpreters, markdown
from studies.estimates import NOT_TESTABLE, Array
from studies.greedy_cv.measures import are_enough, by_cell, count, of_stoppers, overall, runs_of_cells, seed_means
from studies.greedy_cv.tables import CELL, STOPPING_METHODS, published
from studies.greedy_cv.wall_clock import GREEDY_MEAN, HALVING_MEAN
from studies.records import Artefact, Claim, FoldsOf, Method, Study
from studies.regions import between, near
from studies.tidy import mean_by_seed, need, tidied

if TYPE_CHECKING:
    from frugal.datasets import Dataset
    from frugal.interface import Candidate

FLOOR: Final = 10
"""Repetitions below which nothing is published."""
VERSION: Final = "0.24."
"""Start of scikit-learn's version number when the document was submitted."""
METHODS: Final = (Method("today"), Method("of_2021", label="of 2021"))
"""The libraries; the pins of the second are in envs/scikit-learn-0.24.yaml."""
GREEDY, HALVING = STOPPING_METHODS
GRID_SEARCH: Final = "grid_search"
_KEYS: Final = ["library", "scikit_learn", *CELL, "n", "strategy", "train_scores"]
_LABELS: Final = {
    (GREEDY, False): "greedy early stopping",
    (HALVING, True): "halving",
    (HALVING, False): "halving without train scores",
    (GRID_SEARCH, False): "GridSearchCV",
}
"""By strategy and `train_scores`, which the library's halving computes unless it is told not to."""


# Runs ------------------------------------------------------------------------------------------------------------


def run(method: str, seed: int, settings: Mapping[str, Any], root: str | Path = "data") -> pd.DataFrame:
    """What greedy early stopping and halving take with one library in every cell, and GridSearchCV at the least n.

    Args:
        method: of `METHODS`.
        seed: number of the repetition.
        settings: the study's; `interpreter` is the file that says where the second library is.
        root: folder of the datasets.

    Returns:
        Columns dataset, classifier, n, k, space, data, scikit_learn (its version), strategy, train_scores,
        seconds, overhead_s, exhaustive_s, quality (nan for GridSearchCV, which evaluates everything), n_failed,
        n_failed_kept (failed candidates that went on to the next rung), and reason: why a library is not here;
        what is measured is empty there.

    Raises:
        ValueError: if the interpreter that the settings name does not run, or has no scikit-learn.
    """
    from frugal.datasets import load

    python, reason = (sys.executable, "") if method == "today" else _other(settings)
    rows: list[dict[str, Any]] = []
    for name in settings["datasets"]:
        data = load(name, root=root).training()
        for classifier in settings["classifiers"]:
            if python:
                rows += _cells(data, classifier, seed, settings, python)
            else:
                rows += _empty_cells(data, classifier, settings, reason)
    return pd.DataFrame(rows).assign(method=method, seed=seed)


def _other(settings: Mapping[str, Any]) -> tuple[str, str]:
    """The interpreter of the second library, or nothing and why."""
    if settings["python"] is not None:
        if not interpreters.versions(settings["python"], ["scikit-learn"]):
            raise ValueError(
                f"greedy_cv.library: python must run and have scikit-learn, got {settings['python']!r}"
            )
        return settings["python"], ""
    if "interpreter" not in settings:
        return "", "no interpreter was looked for"
    found = json.loads(Path(settings["interpreter"]).read_text())
    return found["python"], found["reason"]


def problem_of(data: Dataset, classifier: str, seed: int, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Candidates, folds and lists of a cell, as `library_script` reads them."""
    from frugal.folds import Folds, ScoreTable, settings_of
    from frugal.folds.search import candidates_of, draw
    from frugal.folds.table import plain
    from frugal.seeds import seed_for

    lengths, halving = settings["n_candidates"], settings_of("successive_halving")
    drawn = candidates_of(settings["space"], classifier, dataset=data.name, seed=seed, n_ranges=max(lengths))
    candidates: list[Candidate] = [plain(candidate) for candidate in drawn]
    folds = Folds(data, settings["n_folds"], seed)
    meta = {
        "dataset": data.name,
        "data": data.provenance,
        "classifier": classifier,
        "space": settings["space"],
        "seed": seed,
        "n_folds": settings["n_folds"],
        "n_rows_of_dataset": len(data.y),
        "n_classes": data.n_classes,
        "folds": list(range(settings["n_folds"])),
    }
    blank = np.zeros((len(candidates), settings["n_folds"]))
    unscored = ScoreTable(blank, blank, candidates, meta)
    return {
        "classifier": classifier,
        "fixed": {"random_state": folds.learner_seed(classifier)} if classifier == "decision_tree" else {},
        "candidates": candidates,
        "folds": [test.tolist() for _, test in folds.parts],
        "lists": [draw(unscored, n).candidates for n in lengths],
        "halving_folds": [test.tolist() for _, test in Folds(data, halving["cv"], seed).parts],
        "halving": {
            "random_state": seed_for("halving", data.name, seed),
            **{name: halving[name] for name in ("factor", "min_resources", "aggressive_elimination")},
        },
        "meta": meta,
    }


def solve(problem: Mapping[str, Any], data: Dataset, python: str) -> dict[str, Any]:
    """What `library_script` answers with the library of an interpreter, in one thread.

    Raises:
        subprocess.CalledProcessError: if it fails; what it says stands in the log.
    """
    from studies.greedy_cv import library_script

    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        np.save(folder / "X.npy", np.ascontiguousarray(data.X, dtype=np.float64))
        np.save(folder / "y.npy", data.y)
        (folder / "problem.json").write_text(json.dumps(problem))
        subprocess.run([python, getfile(library_script.main), scratch], check=True, env={**os.environ, **threads})
        answer: dict[str, Any] = json.loads((folder / "answer.json").read_text())
    return answer


def _cells(
    data: Dataset, classifier: str, seed: int, settings: Mapping[str, Any], python: str
) -> Iterator[dict[str, Any]]:
    """Rows of one dataset and classifier, for each length of the candidate list."""
    from frugal.folds import ScoreTable
    from frugal.folds.search import Kept, draw, search
    from frugal.stats import rank_percentile

    problem = problem_of(data, classifier, seed, settings)
    answer = solve(problem, data, python)
    scores, seconds = np.transpose(answer["scores"]), np.transpose(answer["seconds"])
    table = ScoreTable(scores, seconds, problem["candidates"], problem["meta"])
    for n in settings["n_candidates"]:
        greedy, means = search(GREEDY, Kept(table), n_candidates=n, settings={}), draw(table, n).means
        base = {name: greedy.result[name] for name in ("dataset", "classifier", "n", "k", "space", "data")}
        base |= {
            "scikit_learn": answer["scikit_learn"],
            "exhaustive_s": greedy.timing["exhaustive_s"],
            "reason": "",
        }
        yield base | {
            "strategy": GREEDY,
            "train_scores": False,
            "seconds": greedy.timing["seconds"],
            "overhead_s": greedy.timing["overhead_s"],
            "quality": greedy.result["quality"],
            "n_failed": greedy.result["n_failed"],
            "n_failed_kept": 0,
        }
        for found in (one for one in answer["searches"] if one["n"] == n):
            yield base | {
                "strategy": HALVING,
                "train_scores": found["train_scores"],
                "seconds": found["seconds"],
                "overhead_s": 0.0,
                "quality": rank_percentile(means, found["chosen"]),
                "n_failed": found["n_failed"],
                "n_failed_kept": found["n_failed_kept"],
            }
        found = answer["grid_search"]
        if n == found["n"]:
            yield base | {
                "strategy": GRID_SEARCH,
                "train_scores": False,
                "seconds": found["seconds"],
                "overhead_s": 0.0,
                "quality": np.nan,
                "n_failed": found["n_failed"],
                "n_failed_kept": 0,
            }


def _empty_cells(
    data: Dataset, classifier: str, settings: Mapping[str, Any], reason: str
) -> Iterator[dict[str, Any]]:
    """The same without a library."""
    for n in settings["n_candidates"]:
        for strategy, train_scores in _LABELS:
            if strategy == GRID_SEARCH and n != min(settings["n_candidates"]):
                continue
            yield {
                "dataset": data.name,
                "classifier": classifier,
                "n": n,
                "k": settings["n_folds"],
                "space": settings["space"],
                "data": data.provenance,
                "scikit_learn": "",
                "reason": reason,
                "strategy": strategy,
                "train_scores": train_scores,
                **dict.fromkeys(("exhaustive_s", "seconds", "overhead_s", "quality"), np.nan),
                **dict.fromkeys(("n_failed", "n_failed_kept"), 0),
            }


# Claims ----------------------------------------------------------------------------------------------------------


def with_ratio(runs: pd.DataFrame) -> pd.DataFrame:
    """Runs with `time_ratio`: seconds of the search, the strategy's own included, over those of all fits."""
    need(runs, "strategy", "train_scores", "seconds", "overhead_s", "exhaustive_s", "reason")
    return runs.assign(time_ratio=(runs["seconds"] + runs["overhead_s"]) / runs["exhaustive_s"])


def judged(runs: pd.DataFrame) -> pd.DataFrame:
    """Runs of the cells of Table 3 with the library of 2021; all of its runs if one is missing."""
    return runs_of_cells(runs[runs["method"] == "of_2021"], "table3")


def arrays(runs: pd.DataFrame) -> dict[str, Array]:
    """Seconds of both strategies over those of all fits, and the sign of the printed difference of each cell.

    Further arrays are of the cells in which GridSearchCV was timed: halving's seconds over it, by `train_scores`.
    """
    default = runs[(runs["strategy"] == GREEDY) | runs["train_scores"]]
    by_strategy = with_ratio(default).assign(method=default["strategy"])
    greedy, halving = of_stoppers(by_strategy, "time_ratio")
    wide = published("table3").pivot_table("published", index=[*CELL, "n"], columns="method")
    signs = np.sign(by_cell(wide[HALVING] - wide[GREEDY], runs, [*CELL, "n"]))
    printed = np.broadcast_to(signs[:, None, None], greedy.shape)
    over = {f"over_grid_search_{trained}": _over_grid_search(runs, trained) for trained in (True, False)}
    return {"greedy": greedy, "halving": halving, "printed": printed, **over}


def _over_grid_search(runs: pd.DataFrame, train_scores: bool) -> Array:
    """Halving's seconds over those of GridSearchCV, (n_cells, 1, n_seeds), of the cells where that was timed."""
    keys = [*CELL, "n", "seed"]
    halving = runs[(runs["strategy"] == HALVING) & (runs["train_scores"] == train_scores)]
    exhaustive = runs[runs["strategy"] == GRID_SEARCH].set_index(keys)["seconds"]
    if exhaustive.empty:
        return np.full((1, 1, 1), np.nan)
    ratio = (halving.set_index(keys)["seconds"].reindex(exhaustive.index) / exhaustive).reset_index()
    wide = ratio.pivot_table(index=[*CELL, "n"], columns="seed", values="seconds", dropna=False)
    return wide.to_numpy(dtype=float)[:, None, :]


def unjudged(runs: pd.DataFrame) -> dict[str, tuple[str, str]]:
    """All claims as not testable, with the reason, if the library of 2021 is missing or another one; else none."""
    theirs = runs[runs["method"] == "of_2021"]
    found, reasons = theirs["scikit_learn"].unique(), [text for text in theirs["reason"].unique() if text]
    other = [version for version in found if not version.startswith(VERSION)]
    if not reasons and not other:
        return {}
    why = reasons[0] if reasons else f"the other interpreter has scikit-learn {other[0]}, not {VERSION}2"
    return {claim.id: (NOT_TESTABLE, why) for claim in CLAIMS}


IS_ENOUGH: Final = partial(are_enough, table="table3", floor=FLOOR)


def folds_of(study: Study, config: Mapping[str, Any]) -> FoldsOf:
    """Its number of folds, and its datasets."""
    block = config["greedy_cv"]["library"]
    return {"greedy_cv.library.n_folds": ([block["n_folds"]], block["datasets"])}


LIBRARY: Final = Study(
    name="library",
    methods=METHODS,
    run=run,
    is_timed=True,
    is_long=True,
    datasets="datasets",
    folds=folds_of,
    environment="scikit-learn-0.24",
    judged=judged,
    arrays=arrays,
    is_enough=IS_ENOUGH,
    unjudged=unjudged,
    claims_file="claims_library",
    floor=FLOOR,
    target="greedy_cv_sensitivity",
)
_claim = partial(Claim, section="5.2", unit="share", study="library", artefact="tables/library")


def _n_same_sign(arrays: Mapping[str, Array]) -> float:
    """Cells in which the same strategy has the lower mean as in Table 3; nan where one was not run or printed."""
    greedy, halving = (seed_means(arrays[name]).mean(axis=1) for name in ("greedy", "halving"))
    ours, printed = np.sign(halving - greedy), arrays["printed"][:, 0, 0]
    return np.nan if np.isnan(ours + printed).any() else float((ours == printed).sum())


CLAIMS: Final = (
    _claim(
        "greedy_cv.library.greedy_mean",
        quote=GREEDY_MEAN,
        quantity="mean time of greedy early stopping on fits by scikit-learn 0.24.2, as a share of all fits",
        published=0.210,
        agrees=near(0.210, unit=0.001),
        measure=overall("greedy"),
    ),
    _claim(
        "greedy_cv.library.halving_mean",
        quote=HALVING_MEAN,
        quantity="mean time of HalvingGridSearchCV of scikit-learn 0.24.2, as a share of all fits by it",
        published=0.360,
        agrees=near(0.360, unit=0.001),
        measure=overall("halving"),
        inferred_from="Table 3",
    ),
    _claim(
        "greedy_cv.library.n_same_sign",
        quantity="experiments, of 27, in which the method with the lower mean time on scikit-learn 0.24.2 is that "
        "of Table 3, whatever the intervals",
        unit="experiments",
        agrees=between(26, 27),  # as of Table 1
        measure=count(_n_same_sign),
        inferred_from="Table 3",
    ),
    *(
        _claim(
            f"greedy_cv.library.over_grid_search{suffix}",
            quantity=f"mean time of HalvingGridSearchCV {trained}, with five folds on the shortest lists, as a "
            "share of that of GridSearchCV with ten, both of scikit-learn 0.24.2; Table 3 has 0.384 at n = 256",
            agrees=near(0.384, unit=0.001),
            measure=overall(f"over_grid_search_{train_scores}"),
            inferred_from="Table 3",
        )
        for train_scores, suffix, trained in (
            (True, "", "with train scores"),
            (False, "_untrained", "without train scores"),
        )
    ),
)


# Table -----------------------------------------------------------------------------------------------------------


def tabulate(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Relative times per cell, library and strategy beside the document's; with quality, and failed candidates."""
    timed = with_ratio(runs).rename(columns={"method": "library"})
    here = timed[timed["reason"] == ""]
    measures = ["quality", "n_failed", "n_failed_kept"]
    means = here.groupby(_KEYS, as_index=False)[measures].mean()
    printed = published("table3").rename(columns={"method": "strategy"}).drop(columns="published_stars")
    ours = mean_by_seed(here, "time_ratio", _KEYS).merge(means, on=_KEYS)
    table = tidied(
        ours.merge(printed, on=[*CELL, "n", "strategy"], how="left"), _KEYS, scale, "n_missing", *measures
    )
    missing = timed[timed["reason"] != ""][["library", "reason"]].drop_duplicates()
    notes = [f"Library {row.library}: {NOT_TESTABLE}, {row.reason}." for row in missing.itertuples()]
    table.attrs["note"] = " ".join(notes).replace("_", " ")
    return table


def render(table: pd.DataFrame) -> str:
    """Markdown with a row per cell and a column per library and strategy; mean and spread over the cells below."""
    pairs = zip(table["strategy"], table["train_scores"], strict=True)
    of_strategy = [_LABELS[str(strategy), bool(train_scores)] for strategy, train_scores in pairs]
    ours = table["library"] + " (" + table["scikit_learn"] + "), " + of_strategy
    printed = table.assign(column="printed, " + pd.Series(of_strategy), value=table["published"])
    printed = printed[(printed["strategy"] == GREEDY) | printed["train_scores"]].dropna(subset="value")
    long = pd.concat([printed, table.assign(column=ours, value=table["ours"])])
    wide = long.pivot_table(index=[*CELL, "n"], columns="column", values="value", aggfunc="first", sort=False)
    over_cells = pd.DataFrame({"mean": wide.mean(), "standard deviation": wide.std(ddof=0)}).T
    lines = pd.concat([wide.reset_index(), over_cells.rename_axis("dataset").reset_index()])
    lines[list(wide.columns)] = lines[list(wide.columns)].map("{:.3f}".format).replace("nan", "")
    note = " ".join(filter(None, [f"Ours; {markdown.made_of(table)}.", table.attrs.get("note", "")]))
    return f"{markdown.plain(lines.astype(object).where(lines.notna(), ''))}\n{note}\n"


TABLE: Final = Artefact(
    "library",
    ("library",),
    tabulate,
    """Table 3 of document 001 by scikit-learn's own HalvingGridSearchCV, of today and of the document's time
    (0.24.2), one thread, with and without train scores: seconds over those of all fits by the same library, and
    greedy early stopping replayed on these fits. GridSearchCV itself was timed on the shortest lists: what it
    takes above 1 is the library's overhead, which halving has, too. The CSV has the quality of what is chosen, and
    how many candidates without a score went on to the next rung. {{ n_seeds | seeds }}.""",
    render=render,
    floor=FLOOR,
)
