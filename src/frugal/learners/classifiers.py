"""The scikit-learn classifiers of document 001 and their search spaces.

Source of the spaces: Olson et al. (2017), "Data-driven advice for applying machine learning to bioinformatics
problems", in the two forms of its published code: `grid` (lists) and `ranges` (random draws). Their alpha of 0
is 1e-10 here, since naive Bayes takes the logarithm of a smoothed count.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from frugal.checks import check_known
from frugal.interface import Candidate
from frugal.learners.registry import Learner
from frugal.spaces import Choice, Exponential, Integer, SearchSpace, Uniform

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

CLASSIFIERS = ("bernoulli_nb", "decision_tree", "knn")
SCALERS = ("none", "min_max", "robust", "standard")
N_IN_RANGES = 2048
"""Length of the one candidate list per seed that `ranges` studies draw their prefixes from."""

_BOOLEAN = Choice((True, False))
_CRITERION = Choice(("gini", "entropy"))

SPACES: Mapping[str, Mapping[str, SearchSpace]] = {
    "grid": {
        "bernoulli_nb": SearchSpace(
            {
                "alpha": Choice((1e-10, 0.1, 0.25, 0.5, 0.75, 1.0, 5.0, 10.0, 25.0, 50.0)),
                "fit_prior": _BOOLEAN,
                "binarize": Choice((0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0)),
            }
        ),
        "decision_tree": SearchSpace(
            {
                "min_impurity_decrease": Choice(tuple(i / 4000 for i in range(20))),
                "max_features": Choice((0.1, 0.25, 0.5, 0.75, "sqrt", "log2", None)),
                "criterion": _CRITERION,
            }
        ),
        "knn": SearchSpace(
            {
                "n_neighbors": Choice((*range(1, 26), 50, 100)),
                "weights": Choice(("uniform", "distance")),
            }
        ),
    },
    "ranges": {
        "bernoulli_nb": SearchSpace(
            {"alpha": Uniform(1e-10, 50.0), "fit_prior": _BOOLEAN, "binarize": Uniform(0.0, 1.0)}
        ),
        "decision_tree": SearchSpace(
            {
                "min_impurity_decrease": Exponential(0.01),
                "max_features": Choice((*(i / 100 for i in range(1, 100)), "sqrt", "log2", None)),
                "criterion": _CRITERION,
                "max_depth": Choice((*range(1, 51), None)),
            }
        ),
        "knn": SearchSpace({"n_neighbors": Integer(1, 99), "weights": Choice(("uniform", "distance"))}),
    },
}


def _of_scikit_learn(learner: str, candidate: Candidate, seed: int) -> BaseEstimator:
    settings: dict[str, Any] = dict(candidate)
    if learner == "bernoulli_nb":
        from sklearn.naive_bayes import BernoulliNB as Learner
    elif learner == "decision_tree":
        from sklearn.tree import DecisionTreeClassifier as Learner

        settings.setdefault("random_state", seed)
    else:
        from sklearn.neighbors import KNeighborsClassifier as Learner
    return Learner(**settings)


LEARNERS: Final = tuple(
    Learner(name, {key: spaces[name] for key, spaces in SPACES.items()}, make=partial(_of_scikit_learn, name))
    for name in CLASSIFIERS
)


def scaler_for(name: str) -> BaseEstimator | None:
    """An unfitted scaler, or None for `none`; to be fitted inside each training split.

    Raises:
        ValueError: on an unknown scaler; the message lists the known ones.

    Examples:
        >>> from frugal.learners import scaler_for
        >>> scaler_for("min_max"), scaler_for("none")
        (MinMaxScaler(), None)
    """
    check_known("scaler", name, SCALERS)
    if name == "none":
        return None
    from sklearn import preprocessing

    scalers = {
        "min_max": preprocessing.MinMaxScaler,
        "robust": preprocessing.RobustScaler,
        "standard": preprocessing.StandardScaler,
    }
    return scalers[name]()
