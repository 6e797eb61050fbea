"""Fits and halving searches of one problem, timed with the scikit-learn of the interpreter that runs this file.

    python library_script.py FOLDER

`studies.greedy_cv.library` writes the folder and reads the answer. Nothing of ours is imported here, and Python
3.9 runs this file. The folder holds X.npy (n_rows, n_features), y.npy (n_rows,) and problem.json:

    classifier, fixed     name in `CLASSIFIERS`, and the settings that all its candidates share
    candidates            the distinct ones
    folds                 row numbers of the validation part of each fold
    lists                 candidate lists to search, repeats and all; GridSearchCV searches the shortest alone
    halving_folds         as folds, of the search
    halving               settings of HalvingGridSearchCV

answer.json is written there: `scikit_learn` (the version), `scores` and `seconds` (one list per fold, a number per
distinct candidate), `searches`, as `halve` returns them, and `grid_search`, as `exhaust` does.
"""

from __future__ import annotations

import json
import math
import sys
import warnings
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import sklearn
from sklearn.experimental import enable_halving_search_cv  # noqa: F401  the search is hidden without it
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV
from sklearn.naive_bayes import BernoulliNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

CLASSIFIERS = {"bernoulli_nb": BernoulliNB, "decision_tree": DecisionTreeClassifier, "knn": KNeighborsClassifier}


def main(folder: Path) -> None:
    """Read the problem of a folder, and write the answer beside it."""
    warnings.simplefilter("ignore")  # of failed fits, which are counted
    problem = json.loads((folder / "problem.json").read_text())
    X, y = (np.load(folder / f"{name}.npy", allow_pickle=False) for name in "Xy")
    scores, seconds = time_fits(problem, X, y)
    searches = [
        {"n": len(candidates), "train_scores": train_scores, **halve(problem, X, y, candidates, train_scores)}
        for candidates in problem["lists"]
        for train_scores in (True, False)
    ]
    answer = {
        "scikit_learn": sklearn.__version__,
        "scores": scores,
        "seconds": seconds,
        "searches": searches,
        "grid_search": exhaust(problem, X, y, min(problem["lists"], key=len)),
    }
    (folder / "answer.json").write_text(json.dumps(answer))


def parts_of(folds: list[list[int]], n_rows: int) -> list[tuple[Any, Any]]:
    """Row numbers of the training part and of the validation part of each fold."""
    return [(np.setdiff1d(np.arange(n_rows), test), np.array(test)) for test in folds]


def time_fits(problem: dict[str, Any], X: Any, y: Any) -> tuple[list[list[float]], list[list[float]]]:
    """Scores and seconds of every distinct candidate on every fold, each fit timed alone."""
    scores, seconds = [], []
    for train, test in parts_of(problem["folds"], len(y)):
        arrays = X[train], y[train], X[test], y[test]
        fit_and_score(problem, problem["candidates"][0], *arrays)  # imports and caches warm up untimed
        fits = [fit_and_score(problem, candidate, *arrays) for candidate in problem["candidates"]]
        scores.append([score for score, _ in fits])
        seconds.append([taken for _, taken in fits])
    return scores, seconds


def fit_and_score(
    problem: dict[str, Any], candidate: dict[str, Any], X_train: Any, y_train: Any, X_test: Any, y_test: Any
) -> tuple[float, float]:
    """Accuracy of one candidate, nan if it fails, and the seconds of building, fitting and scoring it."""
    started = perf_counter()
    try:
        fitted = CLASSIFIERS[problem["classifier"]](**problem["fixed"], **candidate).fit(X_train, y_train)
        score = float(np.mean(fitted.predict(X_test) == y_test))
    except MemoryError:  # the machine's fault, not the candidate's
        raise
    except Exception:  # noqa: BLE001  whatever it raised, the fit failed
        score = math.nan
    return score, perf_counter() - started


def halve(
    problem: dict[str, Any], X: Any, y: Any, candidates: list[dict[str, Any]], train_scores: bool
) -> dict[str, Any]:
    """One search of a candidate list by HalvingGridSearchCV.

    Returns:
        seconds (without the refit), chosen (place in the list), n_candidates and n_resources of each rung,
        n_failed (candidates without a score, over all rungs), n_failed_kept (of these, those that went on).
    """
    search = HalvingGridSearchCV(
        *estimator_and_grid(problem, candidates),
        cv=parts_of(problem["halving_folds"], len(y)),
        return_train_score=train_scores,
        error_score=math.nan,
        **problem["halving"],
    )
    seconds = seconds_of(search, X, y)
    tried = [id(one) for one in search.cv_results_["params"]]  # a candidate is the same object on every rung
    rungs, means = search.cv_results_["iter"], search.cv_results_["mean_test_score"]
    failed = [(rungs[i], tried[i]) for i in range(len(tried)) if math.isnan(means[i])]
    seen = {(rungs[i], tried[i]) for i in range(len(tried))}
    return {
        "seconds": seconds,
        "chosen": tried.index(tried[search.best_index_]),
        "n_candidates": [int(n) for n in search.n_candidates_],
        "n_resources": [int(n) for n in search.n_resources_],
        "n_failed": len(failed),
        "n_failed_kept": sum((rung + 1, one) in seen for rung, one in failed),
    }


def exhaust(problem: dict[str, Any], X: Any, y: Any, candidates: list[dict[str, Any]]) -> dict[str, Any]:
    """A search of a candidate list on all folds by GridSearchCV, without train scores, as is its default.

    Returns:
        n (length of the list), seconds (without the refit), n_failed (candidates without a score).
    """
    folds = parts_of(problem["folds"], len(y))
    search = GridSearchCV(*estimator_and_grid(problem, candidates), cv=folds, error_score=math.nan)
    seconds = seconds_of(search, X, y)
    failed = np.isnan(search.cv_results_["mean_test_score"])
    return {"n": len(candidates), "seconds": seconds, "n_failed": int(failed.sum())}


def estimator_and_grid(
    problem: dict[str, Any], candidates: list[dict[str, Any]]
) -> tuple[Any, list[dict[str, list[Any]]]]:
    """The estimator, and a list of candidates as both searches take it."""
    grid = [{name: [value] for name, value in candidate.items()} for candidate in candidates]
    return CLASSIFIERS[problem["classifier"]](**problem["fixed"]), grid


def seconds_of(search: Any, X: Any, y: Any) -> float:
    """Seconds of a search without the refit of what it chose."""
    started = perf_counter()
    search.fit(X, y)
    return float(perf_counter() - started - search.refit_time_)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
