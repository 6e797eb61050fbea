"""Choose a model for a user's own table, and say what that took and what it is worth: `frugal select`."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from frugal.checks import check_choice, check_whole
from frugal.datasets.catalogue import DatasetError
from frugal.select.columns import Columns, find_columns, transformer
from frugal.select.models import default_names, space_of

if TYPE_CHECKING:
    import pandas as pd

    from frugal.model_selection import FoldSearchCV

TASKS: Final = ("classification", "regression")
SCORINGS: Final = {"classification": "accuracy", "regression": "r2"}
MOST_CLASSES: Final = 20
"""More different whole numbers than these are measured, not classes, unless there are words."""
FLATTERING: Final = 0.8
"""Share of the larger class from which on accuracy says little."""
N_SHOWN: Final = 5


@dataclass(frozen=True, eq=False)
class Question:
    """A table, and what is to be learned from it.

    Attributes:
        path: of the table.
        table: features, a row per case.
        target: what is predicted.
        groups: rows of one group stay in one fold; None: there are none.
        task: one of `TASKS`.
        columns: of the features.
        notes: what the user should know.
    """

    path: Path
    table: pd.DataFrame
    target: pd.Series
    groups: pd.Series | None
    task: str
    columns: Columns
    notes: tuple[str, ...]


def ask(
    path: str | Path,
    table: pd.DataFrame,
    *,
    target: str | None = None,
    groups: str | None = None,
    drop: Sequence[str] = (),
    task: str | None = None,
) -> Question:
    """Find out what is to be learned from a table.

    Args:
        path: where it is from, for messages.
        table: with a header.
        target: name of the column that is predicted; None: the last one.
        groups: name of the column that says which rows belong together.
        drop: names of columns to leave out.
        task: one of `TASKS`; None: a regression if the target has more than `MOST_CLASSES` different numbers.

    Raises:
        DatasetError: naming the table, where a column does not exist, or nothing can be learned.
    """
    path = Path(path)
    target = str(table.columns[-1]) if target is None else target
    for what, names in (("target", [target]), ("groups", [groups] if groups else []), ("drop", drop)):
        for name in names:
            if name not in table.columns:
                listed = ", ".join(map(str, table.columns))
                raise DatasetError(f"{path} has no column {name!r} ({what}): use one of {listed}")
    notes = []
    has_target = table[target].notna()
    if not has_target.all():
        notes.append(f"{int((~has_target).sum())} rows without {target} are left out")
        table = table[has_target]
    y = table[target]
    found = _task_of(y) if task is None else task
    check_choice("task", found, TASKS)
    if task is None:
        other = next(one for one in TASKS if one != found)
        notes.append(f"{target} has {y.nunique()} different values: a {found} (--task {other} says otherwise)")
    if y.nunique() < 2:
        raise DatasetError(f"{path} has {y.nunique()} different value(s) of {target!r}, expected two or more")
    if found == "regression" and (y.dtype.kind not in "iuf" or not np.isfinite(y.to_numpy(dtype=float)).all()):
        raise DatasetError(f"{path} has values of {target!r} that are no finite numbers, for a regression")
    features = table.drop(columns=[target, *([groups] if groups else []), *drop])
    columns = find_columns(features, y)
    if not columns.used:
        raise DatasetError(f"{path} has no column to learn from\n{columns}".replace("\n", "; "))
    return Question(path, features, y, table[groups] if groups else None, found, columns, tuple(notes))


def _task_of(y: pd.Series) -> str:
    is_number = y.dtype.kind in "iuf"
    return "regression" if is_number and y.nunique() > MOST_CLASSES else "classification"


def splitter(question: Question, n_folds: int, seed: int) -> Any:
    """Shuffled folds; of classes stratified, and rows of a group in one.

    Raises:
        DatasetError: if a class has fewer rows, or there are fewer groups, than folds.
    """
    from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

    check_whole("n_folds", n_folds, 2)
    groups, given = question.groups, {"n_splits": n_folds, "shuffle": True, "random_state": seed}
    if groups is not None and groups.nunique() < n_folds:
        raise DatasetError(f"{question.path} has {groups.nunique()} groups, fewer than {n_folds} folds")
    if question.task == "regression":
        return KFold(**given) if groups is None else GroupKFold(**given)
    counts = question.target.value_counts()
    if counts.min() < n_folds:
        raise DatasetError(
            f"{question.path} has {counts.min()} row(s) of {question.target.name} {counts.idxmin()!r}, fewer than "
            f"{n_folds} folds: leave that class out, or use fewer folds"
        )
    return StratifiedKFold(**given) if groups is None else StratifiedGroupKFold(**given)


def search(
    question: Question,
    *,
    estimators: Sequence[str] = (),
    strategy: str = "greedy_early_stopping",
    settings: dict[str, Any] | None = None,
    n_candidates: int = 64,
    n_folds: int = 5,
    scoring: str | None = None,
    seed: int = 0,
    verbose: int = 0,
    **limits: Any,
) -> FoldSearchCV:
    """A search of all estimators at once, to be fitted by `fit`.

    Args:
        question: what is learned from what.
        estimators: names, of `models.known`; none: those of `models.default_names`.
        strategy: of the folds family.
        settings: of the strategy.
        n_candidates: drawn from the spaces of all estimators together.
        n_folds: of the cross-validation.
        scoring: scikit-learn's name; None: accuracy, or R squared.
        seed: of candidates, folds and learners.
        verbose: 1 prints a progress line.
        **limits: of `FoldSearchCV`, such as `n_jobs`, `time_limit`, `fit_timeout` and `journal`.

    Raises:
        ValueError: on an unknown estimator, scoring or strategy.
        DatasetError: if the table cannot fill the folds.
    """
    from sklearn.metrics import get_scorer_names
    from sklearn.pipeline import Pipeline

    from frugal.model_selection import FoldSearchCV

    scoring = SCORINGS[question.task] if scoring is None else scoring
    check_choice("scoring", scoring, get_scorer_names())
    names = estimators or default_names(question.task, len(question.target))
    space = space_of(names, question.task, step="model", seed=seed)
    pipeline = Pipeline([("columns", transformer(question.columns)), ("model", space[0]["model"][0])])
    return FoldSearchCV(
        pipeline,
        space,
        strategy=strategy,
        settings=settings,
        n_candidates=n_candidates,
        cv=splitter(question, n_folds, seed),
        scoring=scoring,
        random_state=seed,
        verbose=verbose,
        **limits,
    )


def fit(question: Question, found: FoldSearchCV) -> None:
    """Search, and fit the best pipeline on all rows.

    Raises:
        KeyboardInterrupt: after Ctrl-C; the best so far is in place by then, if there is one.
    """
    found.fit(question.table, question.target, groups=question.groups)


@dataclass(frozen=True)
class Peer:
    """What needs no learning: always the most frequent class, or the mean.

    Attributes:
        name: in words.
        scores: of each fold, shape (n_folds,).
    """

    name: str
    scores: NDArray[np.float64]


def without_learning(question: Question, found: FoldSearchCV) -> Peer:
    """Scores of always giving the same answer, on the search's folds."""
    from sklearn.dummy import DummyClassifier, DummyRegressor
    from sklearn.model_selection import cross_val_score

    is_class = question.task == "classification"
    dummy = DummyClassifier(strategy="most_frequent") if is_class else DummyRegressor()
    scores = cross_val_score(
        dummy, question.table, question.target, groups=question.groups, cv=found.cv, scoring=found.scoring
    )
    common = question.target.mode().iloc[0]
    return Peer(f"always {common!r}" if is_class else "always the mean", scores)


def name_of(model: Any) -> str:
    """Of an estimator, for people."""
    inner = getattr(model, "regressor", model)  # of a target that is scaled
    return str(getattr(inner, "learner", type(inner).__name__))


def ranking(found: FoldSearchCV) -> pd.DataFrame:
    """A row per candidate in the order of rank: estimator, hyperparameters, mean and standard deviation, folds."""
    import pandas as pd

    results = found.cv_results_
    rows = []
    for number in np.argsort(results["rank_test_score"], kind="stable"):
        own = dict(results["params"][number])
        estimator = name_of(own.pop("model"))
        values = {name.removeprefix("model__"): value for name, value in own.items()}
        values |= values.pop("candidate", {})  # of `Learned`
        rows.append({
            "rank": int(results["rank_test_score"][number]),
            "estimator": estimator,
            "hyperparameters": json.dumps(values, default=lambda value: value.item()),
            "mean_score": float(results["mean_test_score"][number]),
            "sd_over_folds": float(results["std_test_score"][number]),
            "n_folds_evaluated": int(results["n_folds_evaluated"][number]),
            "stopped_because": str(results["stopped_because"][number]),
        })  # fmt: skip
    return pd.DataFrame(rows)


def saved(found: FoldSearchCV, n_rows: int) -> str:
    """Fits, rows and seconds that the search took, beside those of the exhaustive search."""
    results = found.cv_results_
    counts = results["n_folds_evaluated"].astype(float)
    times = results["mean_fit_time"] + results["mean_score_time"]
    spent = float(np.nansum(counts * times))
    # A candidate that got no fold at all would take the mean of the others.
    whole = float(found.n_splits_ * np.where(counts > 0, times, np.nanmean(times[counts > 0])).sum())
    of_fold = n_rows * (found.n_splits_ - 1) / found.n_splits_
    pairs = (
        (f"{found.n_fits_} fits", f"{found.n_fits_exhaustive_}"),
        (f"{found.n_fits_ * of_fold:,.0f} training rows", f"{found.n_fits_exhaustive_ * of_fold:,.0f}"),
        (f"{spent:.3g} s of fitting", f"about {whole:.3g} s"),
    )
    return ", ".join(f"{ours} in place of {exhaustive}" for ours, exhaustive in pairs)


def flattering(question: Question, found: FoldSearchCV, peer: Peer) -> list[str]:
    """Where the best score looks better than it is."""
    notes = []
    if question.task == "classification" and found.scoring == "accuracy":
        counts = question.target.value_counts()
        if counts.iloc[0] / counts.sum() >= FLATTERING:
            common, n_rest = counts.index[0], int(counts.sum() - counts.iloc[0])
            share = 100 * counts.iloc[0] / counts.sum()
            notes.append(
                f"{n_rest} of {counts.sum()} rows are not {common!r}: always saying {common!r} is right in "
                f"{share:.1f} %; --scoring balanced_accuracy tells more"
            )
    own = best_scores(found)
    if math.isclose(own.mean(), 1.0) and found.scoring in SCORINGS.values():
        notes.append("a perfect score: does a column hold what is only known afterwards?")
    difference = own - peer.scores
    if np.ptp(difference) > 0:
        from frugal.stats import mean_interval

        low, _ = mean_interval(difference)
        if low <= 0:
            notes.append(f"over these folds the best is not clearly better than {peer.name}")
    elif difference.mean() <= 0:
        notes.append(f"the best is no better than {peer.name}")
    return notes


def best_scores(found: FoldSearchCV) -> NDArray[np.float64]:
    """The best candidate's score of each fold, shape (n_folds,)."""
    names = (f"split{fold}_test_score" for fold in range(found.n_splits_))
    return np.array([found.cv_results_[name][found.best_index_] for name in names])


def listed(ranked: pd.DataFrame) -> str:
    """The first candidates, a line each: rank, estimator, mean score, its spread over folds, hyperparameters."""
    lines = []
    for row in ranked.head(N_SHOWN).to_dict("records"):
        own = json.loads(row["hyperparameters"])
        shown = ", ".join(f"{name} {v:.3g}" if isinstance(v, float) else f"{name} {v}" for name, v in own.items())
        score = f"stopped after {row['n_folds_evaluated']} folds"
        if math.isfinite(row["mean_score"]):
            score = f"{row['mean_score']:.4f} (sd {row['sd_over_folds']:.4f})"
        lines.append(f"{row['rank']:3d}. {row['estimator']}, {score}: {shown}")
    return "\n".join(lines)
