"""The searches that `frugal bench select` compares, each on kept scores of the same candidates and folds."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Any, Final

import numpy as np

from frugal import folds
from frugal.bench.select_problem import CHEAP, Choice, Problem, Spent, one_by_one
from frugal.extras import explained, quiet_optuna
from frugal.folds.fits import Fit
from frugal.interface import FoldTask
from frugal.model_selection.facts import complete_settings
from frugal.seeds import rng_for, seed_for

Search = Callable[[Problem, int], Choice]
OURS: Final = ("greedy_early_stopping", "fold_halving", "forgiving_early_stopping", "exact_pruning")
"""Strategies of `FoldSearchCV` that are compared."""
NAMES: Final[Mapping[str, str]] = {
    "exhaustive": "`GridSearchCV`",
    "random": "`RandomizedSearchCV`, a quarter of the candidates",
    "halving": "`HalvingGridSearchCV`",
    "optuna": "Optuna: TPE, WilcoxonPruner",
    "flaml": "FLAML: CFO",
    **{name: f"`FoldSearchCV`, `{name}`" for name in OURS},
}
"""Display names of the searches."""


def searches() -> dict[str, Search]:
    """All compared searches by name; ours last."""
    peers: dict[str, Search] = {
        "exhaustive": _exhaustive,
        "random": _random,
        "halving": _halving,
        "optuna": _optuna,
        "flaml": _flaml,
    }
    return peers | {name: _ours(name) for name in OURS}


def _exhaustive(problem: Problem, seed: int) -> Choice:
    return Choice(problem.best, problem.n_fits, problem.n_fits, problem.exhaustive_s)


def _random(problem: Problem, seed: int) -> Choice:
    spent, means = Spent(problem), {}
    n_folds = problem.scores.shape[1]
    for candidate in rng_for("bench", "random", problem.table, problem.kind, seed).permutation(
        len(problem.scores)
    ):
        means[int(candidate)] = np.mean([spent.score(int(candidate), fold) for fold in range(n_folds)])
        if spent.is_over:
            break
    return spent.choice(max(means, key=lambda candidate: means[candidate]))


def _halving(problem: Problem, seed: int) -> Choice:
    from sklearn.experimental import enable_halving_search_cv  # noqa: F401
    from sklearn.model_selection import HalvingGridSearchCV, StratifiedKFold

    n_folds = problem.scores.shape[1]
    split_seed = seed_for("bench", "select", problem.table, seed)
    cv = StratifiedKFold(n_folds, shuffle=True, random_state=split_seed)
    listed = one_by_one(problem.candidates)
    search = HalvingGridSearchCV(problem.estimator, listed, cv=cv, random_state=seed, refit=False)
    started = perf_counter()
    search.fit(*problem.development)
    seconds = perf_counter() - started
    counts, resources = np.array(search.n_candidates_), np.array(search.n_resources_)
    n_row_fits = float((counts * resources).sum() * n_folds / len(problem.development[1]))
    chosen = problem.candidates.index(search.best_params_)
    return Choice(chosen, int(counts.sum() * n_folds), n_row_fits, seconds)


def _optuna(problem: Problem, seed: int) -> Choice:
    with explained():
        import optuna
        from optuna.exceptions import ExperimentalWarning

    def objective(trial: Any) -> float:
        at = {name: _suggested(trial, name, values) for name, values in problem.grid.items()}
        candidate, scores = _number(problem, at), []
        for fold in rng.permutation(n_folds).tolist():  # its documentation asks for another order every time,
            scores.append(spent.score(candidate, fold))
            trial.report(scores[-1], fold)
            if spent.is_over:
                trial.study.stop()
            if trial.should_prune():
                break  # and for the mean so far of what is pruned
        else:
            means[candidate] = float(np.mean(scores))
        return float(np.mean(scores))

    means: dict[int, float] = {}
    rng, n_folds = rng_for("bench", "optuna", problem.table, problem.kind, seed), problem.scores.shape[1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)
        pruner = optuna.pruners.WilcoxonPruner(p_threshold=0.1)
    sampler = optuna.samplers.TPESampler(seed=seed)
    spent = Spent(problem)
    with quiet_optuna():
        study = optuna.create_study(direction="maximize", sampler=sampler, pruner=pruner)
        study.optimize(objective)
    return spent.choice(max(means, key=lambda candidate: means[candidate]))


def _suggested(trial: Any, name: str, values: Sequence[Any]) -> int:
    """Suggest an index into the values of a hyperparameter; for numbers, in their order."""
    is_ordered = all(isinstance(value, int | float) for value in values)
    if is_ordered:
        return int(trial.suggest_int(name, 0, len(values) - 1))
    return int(trial.suggest_categorical(name, range(len(values))))


def _flaml(problem: Problem, seed: int) -> Choice:
    with explained(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "flaml.automl is not available")  # nor needed
        from flaml.tune.sample import randint
        from flaml.tune.searcher.blendsearch import CFO

    space = {name: randint(0, len(values)) for name, values in problem.grid.items()}
    low_cost = {name: 0 for name in space if name.rpartition("__")[2] in CHEAP}
    search = CFO(metric="error", mode="min", space=space, low_cost_partial_config=low_cost, seed=seed)
    spent, errors, n_folds = Spent(problem), {}, problem.scores.shape[1]
    for number in range(10 * len(problem.scores)):  # it may suggest nothing for some rounds
        if spent.is_over:
            break
        at = search.suggest(str(number))
        if at is None:
            continue
        candidate = _number(problem, at)
        before = spent.seconds
        errors[candidate] = 1.0 - np.mean([spent.score(candidate, fold) for fold in range(n_folds)])
        found = {"error": errors[candidate], "config": at, "time_total_s": spent.seconds - before}
        search.on_trial_complete(str(number), found)
    return spent.choice(min(errors, key=lambda candidate: errors[candidate]))


def _number(problem: Problem, at: Mapping[str, int]) -> int:
    """Number of the candidate with these places in the grid's lists."""
    return problem.candidates.index({name: values[at[name]] for name, values in problem.grid.items()})


def _ours(strategy: str) -> Search:
    def search(problem: Problem, seed: int) -> Choice:
        from sklearn.metrics import check_scoring

        n_candidates, n_folds = problem.scores.shape
        X, y = problem.development
        facts = {"scorer": check_scoring(problem.estimator), "estimator": problem.estimator, "y": y}
        sizes = {"n_rows": len(X), "n_valid": len(X) // n_folds, "n_folds": n_folds}
        settings = complete_settings(strategy, {}, **facts, **sizes)
        searched = folds.make(
            strategy,
            n_candidates=n_candidates,
            n_folds=n_folds,
            rng=np.random.default_rng(_strategy_seed(seed)),
            **settings,
        )
        spent = Spent(problem)

        def evaluate(task: FoldTask) -> Fit:
            return Fit(spent.score(task.candidate, task.fold), float(problem.seconds[task.candidate]))

        trace = folds.run(searched, evaluate)
        # As `best_index_`: of equal candidates that have every fold, the first.
        counts = np.bincount([task.candidate for task in trace.tasks], minlength=n_candidates)
        means = np.where(counts == n_folds, problem.scores.mean(axis=1), -np.inf)
        return spent.choice(int(means.argmax()))

    return search


def _strategy_seed(seed: int) -> int:
    """Seed of FoldSearchCV's strategy, given an integer `random_state` and a grid."""
    return int(np.random.RandomState(seed).randint(2**31 - 1))
