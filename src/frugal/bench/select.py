"""`FoldSearchCV` beside its peers, on the same candidates and folds (`frugal bench select`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from frugal.bench.select_problem import ESTIMATORS, Choice, Problem, measure, one_by_one
from frugal.bench.select_searches import NAMES, OURS, searches
from frugal.checks import check_known, check_whole
from frugal.datasets.catalogue import parse_name
from frugal.extras import check_installed
from frugal.model_selection.fold_search import FoldSearchCV
from frugal.threads import one_thread

if TYPE_CHECKING:
    import pandas as pd

TABLES: Final = ("wdbc", "digits", "boston", "letter", "adult", "adult_codes")
"""Names for `frugal.datasets.load`."""
MEASURES: Final = ("fits_share", "rows_share", "seconds_share", "regret", "test_loss")
LOSSES: Final = ("regret", "test_loss")
ROUNDING: Final = 1e-12
"""Tolerance: means of the same scores in another order differ by less."""


def bench_select(
    tables: Sequence[str] = TABLES,
    estimators: Sequence[str] = tuple(ESTIMATORS),
    *,
    n_seeds: int = 3,
    n_folds: int = 10,
    n_rows: int = 2000,
    root: str = "data",
    progress: Callable[[str], None] = lambda text: None,
) -> pd.DataFrame:
    """Measure the cost and loss of searches beside the exhaustive search of the same 64 candidates and folds.

    GridSearchCV's scores of every fit are kept, and all searches but scikit-learn's halving, which fits anew
    on fewer rows, are given them: a fit costs what it took there. `random` (RandomizedSearchCV's choice), `optuna`
    (its TPE with its WilcoxonPruner) and `flaml` (its cost-frugal search, CFO) are stopped at a quarter of the
    exhaustive search's fits; ours and halving end themselves. A candidate that Optuna or FLAML suggests again is
    charged again, since they know no scores but those of the fits that they asked for. Candidates come in an order
    drawn by the seed. One thread. With the first seed `FoldSearchCV` is run live, too.

    Ours are `folds.run` on the kept scores and a choice as `best_index_` makes it. A test holds them against
    `FoldSearchCV` itself.

    With 5 folds the WilcoxonPruner can save next to nothing: after 4 of them its p is at least 0.06.

    Args:
        tables: names for `frugal.datasets.load`.
        estimators: names in `ESTIMATORS`.
        n_seeds: number of seeds of the splits, from 0.
        n_folds: number of stratified, shuffled folds.
        n_rows: largest number of rows drawn from a table; 30 % of them are set apart for testing.
        root: folder of the data.
        progress: called with a line before each problem.

    Returns:
        One row per table, estimator, seed and method: `data` (provenance of the rows), `candidate` (its number),
        `n_fits`, `fits_share`, `rows_share` (the same, each fit weighed by its rows), `regret` (points of mean
        cross-validated accuracy below the exhaustive choice), `test_loss` (points of accuracy on the test rows
        below it), `is_best`, `seconds_share`, and `live_share`: with the first seed, FoldSearchCV's seconds as a
        share of GridSearchCV's.

    Raises:
        ValueError: on an unknown estimator or table, or folds that a table cannot fill.
        RuntimeError: if FoldSearchCV chooses otherwise live than by kept scores.
        MissingExtraError: without Optuna or FLAML, before anything is measured.
    """
    import pandas as pd

    for name in estimators:
        check_known("estimator", name, ESTIMATORS)
    for name in tables:
        parse_name(name)
    for what, names in (("tables", tables), ("estimators", estimators)):
        if len(set(names)) < len(names):
            raise ValueError(f"{what} must be different ones, got {', '.join(names)}")
    check_whole("n_seeds", n_seeds, 1)
    check_whole("n_rows", n_rows, 2)
    check_whole("n_folds", n_folds, 2)
    check_installed("optuna", "flaml")
    rows = []
    with one_thread():
        for table in tables:
            for kind in estimators:
                for seed in range(n_seeds):
                    progress(f"{table}, {kind}, seed {seed}")
                    problem = measure(table, kind, seed, n_folds=n_folds, n_rows=n_rows, root=root)
                    rows += [_row(problem, name, search(problem, seed)) for name, search in searches().items()]
                    if seed == 0:
                        rows[-len(OURS)]["live_share"] = _live_share(problem, rows[-len(OURS)])
    return pd.DataFrame(rows)


def _row(problem: Problem, method: str, choice: Choice) -> dict[str, Any]:
    regret = float((problem.scores[problem.best] - problem.scores[choice.candidate]).mean())
    lost = problem.test_score(problem.best) - problem.test_score(choice.candidate)
    return {
        "table": problem.table,
        "data": problem.data,
        "estimator": problem.kind,
        "seed": problem.seed,
        "method": method,
        "candidate": choice.candidate,
        "n_fits": choice.n_fits,
        "fits_share": choice.n_fits / problem.n_fits,
        "rows_share": choice.n_row_fits / problem.n_fits,
        "regret": 100.0 * regret,
        "test_loss": 100.0 * lost,
        "is_best": regret < ROUNDING,
        "seconds_share": choice.seconds / problem.exhaustive_s,
        "live_share": np.nan,
    }


def _live_share(problem: Problem, kept: Mapping[str, Any]) -> float:
    """Seconds of a live FoldSearchCV as a share of GridSearchCV's, both without the last fit."""
    listed = one_by_one(problem.candidates)
    settings: dict[str, Any] = {"strategy": OURS[0], "cv": problem.splits, "random_state": 0, "refit": False}
    search = FoldSearchCV(problem.estimator, listed, **settings)
    started = perf_counter()
    search.fit(*problem.development)
    seconds = perf_counter() - started
    live = search.n_fits_, search.best_index_
    if live != (kept["n_fits"], kept["candidate"]):
        raise RuntimeError(
            f"FoldSearchCV's fits and choice of {problem.kind} on {problem.table} are {live}, "
            f"and {kept['n_fits'], kept['candidate']} by kept scores"
        )
    return seconds / problem.exhaustive_s


def summarise(cells: pd.DataFrame) -> pd.DataFrame:
    """Means over tables, estimators and seeds by method, with 95 % intervals.

    The intervals are Student's over the seeds of each table, whose estimators share the splits.

    Args:
        cells: result of `bench_select`; every table with the same estimators and seeds.

    Returns:
        One row per method in the order of `searches`: the mean of each of `MEASURES`, its `_low` and `_high`, nan
        with a single seed, and the largest of each of `LOSSES`, `worst_regret` and `worst_test_loss`.
    """
    import pandas as pd

    rows = []
    for method in dict.fromkeys(cells["method"]):
        method_cells = cells[cells["method"] == method]
        row: dict[str, Any] = {"method": method}
        for name in MEASURES:
            by_table = method_cells.pivot_table(name, "table", "seed").to_numpy(dtype=float)
            low, high = _interval(by_table)
            row |= {name: float(by_table.mean()), f"{name}_low": low, f"{name}_high": high}
        rows.append(row | {f"worst_{name}": float(method_cells[name].max()) for name in LOSSES})
    return pd.DataFrame(rows)


def _interval(by_table: NDArray[np.float64]) -> tuple[float, float]:
    """Interval of the overall mean of values (n_tables, n_seeds); seeds are random, tables are fixed."""
    n_tables, n_seeds = by_table.shape
    if n_seeds < 2:
        return np.nan, np.nan
    error = np.sqrt(by_table.var(axis=1, ddof=1).sum() / n_seeds) / n_tables
    half = stats.t.ppf(0.975, n_tables * (n_seeds - 1)) * error
    return float(by_table.mean() - half), float(by_table.mean() + half)


def as_markdown(cells: pd.DataFrame) -> str:
    """Format the result of `summarise` as a Markdown table with intervals.

    Beside the mean of `fits_share` stands its range over the searches. Beside the seconds that were looked up are
    the mean and range of those of live searches, where there are any.
    """
    columns = {
        "fits_share": "fits", "fits_range": "fits, least to most", "rows_share": "rows",
        "seconds_share": "seconds (looked up)", "live_range": "seconds (live)", "regret": "regret",
        "test_loss": "lost on test rows", "worst_regret": "worst regret", "worst_test_loss": "worst on test rows",
    }  # fmt: skip
    lines = [f"| search | {' | '.join(columns.values())} |", f"|---{'|---' * len(columns)}|"]
    for row in summarise(cells).to_dict("records"):
        method_cells = cells[cells["method"] == row["method"]]
        live = method_cells["live_share"].dropna()
        alone = {
            "fits_range": _range(method_cells["fits_share"]),
            "live_range": f"{live.mean():.2f}, {_range(live)}" if len(live) else "",
        } | {f"worst_{name}": f"{row[f'worst_{name}']:.2f}" for name in LOSSES}
        means = {
            name: _shown(*(row[f"{name}{end}"] for end in ("", "_low", "_high")))
            for name in columns
            if name not in alone
        }
        shown = [(means | alone)[name] for name in columns]
        lines.append(f"| {NAMES[row['method']]} | {' | '.join(shown)} |")
    return "\n".join(lines)


def _range(shares: pd.Series) -> str:
    """Format a range, or the number if all are equal."""
    low, high = f"{shares.min():.2f}", f"{shares.max():.2f}"
    return low if low == high else f"{low} to {high}"


def _shown(mean: float, low: float, high: float) -> str:
    """Format a number with its interval, if it has one: two decimals, no minus before 0."""
    mean, low, high = (round(value, 2) + 0.0 for value in (mean, low, high))
    return f"{mean:.2f} ({low:.2f} to {high:.2f})" if low < high else f"{mean:.2f}"


def overhead_ms(n_candidates: int = 64) -> dict[str, float]:
    """Milliseconds per fit beside the fit itself, of `FoldSearchCV` by strategy and of GridSearchCV.

    The strategies are `standard`, which makes every fit, and the default. Fits take next to nothing, and their
    scores are drawn at random.
    """
    from sklearn.dummy import DummyClassifier
    from sklearn.model_selection import GridSearchCV

    n_folds, rng = 5, np.random.default_rng(0)
    X, y = np.zeros((100, 2)), rng.permutation(np.tile([0, 1], 50))
    dummy, grid = DummyClassifier(strategy="uniform"), {"random_state": list(range(n_candidates))}
    settings: dict[str, Any] = {"cv": n_folds, "refit": False}
    searches = {name: FoldSearchCV(dummy, grid, strategy=name, **settings) for name in ("standard", OURS[0])}
    return {
        name: _overhead_ms(search, X, y, n_folds)
        for name, search in {**searches, "GridSearchCV": GridSearchCV(dummy, grid, **settings)}.items()
    }


def _overhead_ms(search: Any, X: Any, y: Any, n_folds: int) -> float:
    search.fit(X, y)  # imports are not timed
    started = perf_counter()
    results = search.fit(X, y).cv_results_
    seconds = perf_counter() - started
    n_fits = results.get("n_folds_evaluated", np.full(len(results["params"]), n_folds))
    fit_seconds = np.nan_to_num(results["mean_fit_time"] + results["mean_score_time"])  # nan: no fit
    return 1e3 * float(seconds - n_fits @ fit_seconds) / int(n_fits.sum())
