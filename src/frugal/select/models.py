"""The estimators for a user's own table, each with a space of hyperparameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from frugal import learners
from frugal.checks import check_known
from frugal.model_selection.candidates import N_DRAWN
from frugal.spaces import SearchSpace

Model = tuple[Any, Mapping[str, Any]]


class Size(NamedTuple):
    """Size of a table.

    Attributes:
        n_train: rows of the smallest training part.
        n_rarest: rows of the rarest class in the table, or in the training part with the fewest if groups stay
            whole; `n_train` for a regression.
        is_whole: whether every fit gets all rows of its training part.
        n_least: training rows of the smallest fit; None: enough for any number of neighbours.
    """

    n_train: int
    n_rarest: int
    is_whole: bool = True
    n_least: int | None = None


FEW_ROWS: Final[Mapping[str, int]] = {"svm": 3_000, "knn": 10_000}
"""Largest number of rows at which an estimator is among the defaults, if its time grows with their square."""
MANY_ROWS: Final = 10_000
"""With more training rows than this, each tree of a forest gets this many rows, and fewer features."""
DEFAULTS: Final[Mapping[str, tuple[str, ...]]] = {
    "classification": ("logistic_regression", "svm", "knn", "random_forest", "hist_gradient_boosting"),
    "regression": ("ridge", "svm", "knn", "random_forest", "hist_gradient_boosting"),
}


def _linear(task: str, seed: int, size: Size) -> Model:
    from scipy.stats import loguniform
    from sklearn.linear_model import LogisticRegression, Ridge

    if task == "regression":
        return Ridge(), {"alpha": loguniform(1e-3, 1e3)}
    return LogisticRegression(max_iter=500), {"C": loguniform(1e-4, 1e3), "class_weight": [None, "balanced"]}


def _svm(task: str, seed: int, size: Size) -> Model:
    from scipy.stats import loguniform
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC, SVR

    space = {"C": loguniform(1e-2, 1e3), "gamma": loguniform(1e-4, 1e1)}
    if task == "classification":
        return SVC(), space
    # C and epsilon are in the target's units, so that they mean something only once it is scaled.
    regressor_space = {f"regressor__{name}": values for name, values in space.items()}
    return TransformedTargetRegressor(SVR(), transformer=StandardScaler()), regressor_space


def _knn(task: str, seed: int, size: Size) -> Model:
    from scipy.stats import randint
    from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

    kind = KNeighborsRegressor if task == "regression" else KNeighborsClassifier
    most = max(1, min(50, size.n_train // 4, 50 if size.n_least is None else size.n_least))
    return kind(), {"n_neighbors": randint(1, most + 1), "weights": ["uniform", "distance"], "p": [1, 2]}


def _random_forest(task: str, seed: int, size: Size) -> Model:
    from scipy.stats import randint, uniform
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    kind = RandomForestRegressor if task == "regression" else RandomForestClassifier
    share = uniform(0.1, 0.9)
    model = kind(100, random_state=seed)
    if size.n_train > MANY_ROWS:
        share = uniform(0.05, 0.45)
        model.set_params(max_samples=MANY_ROWS / size.n_train)
    return model, {"max_features": share, "min_samples_leaf": randint(1, 21)}


def _hist_gradient_boosting(task: str, seed: int, size: Size) -> Model:
    from scipy.stats import loguniform, randint
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    kind = HistGradientBoostingRegressor if task == "regression" else HistGradientBoostingClassifier
    space = {
        "learning_rate": loguniform(0.01, 0.5),
        "max_leaf_nodes": randint(4, 65),
        "min_samples_leaf": randint(5, 101),
        "l2_regularization": loguniform(1e-6, 1e2),
    }
    # Early stopping sets a tenth of the training rows apart, and every class must be among them.
    has_rows_to_spare = size.is_whole and size.n_train >= 1000 and size.n_rarest >= 20
    return kind(max_iter=200, early_stopping=has_rows_to_spare, random_state=seed), space


SCIKIT_LEARN: Final[Mapping[str, Callable[[str, int, Size], Model]]] = {
    "logistic_regression": _linear,
    "ridge": _linear,
    "svm": _svm,
    "knn": _knn,
    "random_forest": _random_forest,
    "hist_gradient_boosting": _hist_gradient_boosting,
}
"""Name -> function of task, seed and size; it returns the unfitted estimator and its distributions."""
ONE_TASK: Final = {"logistic_regression": "classification", "ridge": "regression"}


SIGNS: Final[Mapping[str, int]] = {
    "C": 1,
    "gamma": 1,
    "alpha": -1,
    "n_neighbors": -1,
    "min_samples_leaf": -1,
    "learning_rate": 1,
    "max_leaf_nodes": 1,
    "l2_regularization": -1,
}
"""Hyperparameter of scikit-learn's estimators -> 1 where a larger value makes the model more complex, -1 where a
smaller one does; see `SearchSpace.signs`."""


def known(task: str) -> tuple[str, ...]:
    """Names of the estimators for a task: scikit-learn's, and for classification those of `frugal.learners`."""
    ours = [name for name in SCIKIT_LEARN if ONE_TASK.get(name, task) == task]
    if task == "classification":
        others = [name for name in learners.known() if name not in SCIKIT_LEARN]
        ours += [name for name in others if learners.record(name).make is not None]
    return tuple(ours)


def default_names(task: str, n_rows: int) -> tuple[str, ...]:
    """Names of the estimators that are searched by default."""
    return tuple(name for name in DEFAULTS[task] if n_rows <= FEW_ROWS.get(name, n_rows))


def space_of(names: Sequence[str], task: str, *, step: str, seed: int, size: Size) -> list[dict[str, Any]]:
    """The space for FoldSearchCV over pipelines whose last step is one of these estimators.

    Args:
        names: names in `known(task)`.
        task: `classification` or `regression`.
        step: name of the pipeline's step.
        seed: `random_state` of estimators that draw at random.
        size: size of the table.

    Raises:
        ValueError: on an unknown name.
    """
    found = []
    for name in names:
        _check_known(name, task)
        estimator, space = (
            _learner(name, seed) if name not in SCIKIT_LEARN else SCIKIT_LEARN[name](task, seed, size)
        )
        found.append({step: [estimator]} | {f"{step}__{key}": values for key, values in space.items()})
    return found


def trial_space_of(name: str, task: str, *, step: str, seed: int, size: Size) -> tuple[Any, SearchSpace]:
    """An estimator, and the space for TrialSearchCV over a pipeline whose last step it is.

    Args:
        name: a name in `known(task)`.
        task: `classification` or `regression`.
        step: name of the pipeline's step.
        seed: `random_state` of an estimator that draws at random.
        size: size of the table.

    Raises:
        ValueError: on an unknown name.
    """
    from frugal.model_selection.trial_space import as_space

    _check_known(name, task)
    if name in SCIKIT_LEARN:
        estimator, values = SCIKIT_LEARN[name](task, seed, size)
        space = as_space(values)
        known_signs = {key: SIGNS.get(key.rpartition("__")[2], 0) for key in values}
    else:
        (estimator, _), space = _learner(name, seed), learners.default_space(name)
        known_signs = dict(space.signs)
    signs = {f"{step}__{key}": sign for key, sign in known_signs.items()}
    return estimator, SearchSpace(
        {f"{step}__{key}": dimension for key, dimension in space.dimensions.items()}, signs=signs
    )


def _check_known(name: str, task: str) -> None:
    check_known(f"estimator for {task}", name, known(task))


def _learner(name: str, seed: int) -> Model:
    """A learner with a candidate, without which some cannot be built, and its drawn candidates."""
    import numpy as np

    from frugal.select.learned import Learned

    record = learners.record(name)
    drawn = record.spaces[record.default_space].sample(np.random.default_rng(seed), N_DRAWN)
    candidates = [dict(candidate) for candidate in drawn]
    return Learned(name, candidates[0], seed), {"candidate": candidates}
