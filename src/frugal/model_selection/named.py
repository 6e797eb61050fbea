"""`FoldSearchCV` with the strategy in the name of the class."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from frugal.model_selection.fold_search import FoldSearchCV


def _init_of(strategy: str) -> Callable[..., None]:
    """The constructor of `FoldSearchCV` without its argument `strategy`; scikit-learn reads its signature."""
    signature = inspect.signature(FoldSearchCV.__init__)
    left = [parameter for name, parameter in signature.parameters.items() if name != "strategy"]

    def init(self: FoldSearchCV, *args: Any, **kwargs: Any) -> None:
        settings = init.__signature__.bind(self, *args, **kwargs).arguments  # type: ignore[attr-defined]
        del settings["self"]
        FoldSearchCV.__init__(self, strategy=strategy, **settings)

    init.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
    init.__name__ = init.__qualname__ = "__init__"
    return init


class GreedySearchCV(FoldSearchCV):
    """`FoldSearchCV` that continues with the candidate of the best mean, and stops early.

    With ten folds it makes about a quarter of the fits. Where folds are noisy it may miss the best candidate.
    Source: document 001 (Soper 2021), Algorithm 3. Its settings, such as `settings={"epsilon": 0.05}`, are

    - `epsilon` (0.02): the search ends once more than this share of all candidates, completed in a row, were no
      better than the best;
    - `rounding` ("ceiling"): rounds that number up; "none" leaves it as it is;
    - `ties` ("lowest_index"): which of several equal candidates goes on; also "fewest_folds" and "most_folds";
    - `drop_failed` (True): a candidate with a failed fit gets no more folds, once another has a score.

    Examples:
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.neighbors import KNeighborsClassifier
        >>> from frugal.model_selection import GreedySearchCV
        >>> X, y = load_iris(return_X_y=True)
        >>> search = GreedySearchCV(KNeighborsClassifier(), {"n_neighbors": list(range(1, 31))}).fit(X, y)
        >>> search.best_params_["n_neighbors"], search.n_fits_exhaustive_
        (6, 150)
    """

    __init__ = _init_of("greedy_early_stopping")


class ExactPruningSearchCV(FoldSearchCV):
    """`FoldSearchCV` that drops a candidate once perfect scores on the rest could not make it best.

    It chooses what GridSearchCV chooses, if means differ in their first 12 decimals (outside [1e-6, 1]: digits).
    The bound on scores is known for the own `score` of classifiers and regressors, and for the scorers that
    scikit-learn names, but for `mutual_info_score` and `positive_likelihood_ratio`. These and your own scorers
    need `settings={"best_possible_score": ...}`.

    Examples:
        >>> from sklearn.datasets import load_diabetes
        >>> from sklearn.linear_model import Ridge
        >>> from frugal.model_selection import ExactPruningSearchCV
        >>> X, y = load_diabetes(return_X_y=True)
        >>> search = ExactPruningSearchCV(
        ...     Ridge(), {"alpha": [0.01, 0.1, 1, 10, 100, 1000]}, scoring="neg_mean_absolute_error"
        ... ).fit(X, y)
        >>> search.best_params_
        {'alpha': 0.01}
    """

    __init__ = _init_of("exact_pruning")


class BetaPruningSearchCV(FoldSearchCV):
    """`FoldSearchCV` that drops a candidate once a Beta model of fold accuracies says that it is worse.

    Take it if `max_fits` or `time_limit` will cut the search short: without a limit it makes nearly all fits.
    Source: document 000 (Kreutzman 2020), Algorithm 1. Scores must lie in [0, 1]. The main settings are `tau`
    (0.99), how probably a candidate must be worse to be dropped, and `buffer` (10), how many are held at once.
    `frugal.folds.settings_of("beta_pruning")` lists all.

    Examples:
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.svm import SVC
        >>> from frugal.model_selection import BetaPruningSearchCV
        >>> X, y = load_iris(return_X_y=True)
        >>> search = BetaPruningSearchCV(SVC(), {"C": [0.001, 0.01, 0.1, 1, 10]}).fit(X, y)
        >>> bool(search.best_score_ > 0.95)
        True
    """

    __init__ = _init_of("beta_pruning")
