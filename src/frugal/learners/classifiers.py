"""The scikit-learn classifiers of document 001 and their search spaces, and what others register.

Source of the spaces: Olson et al. (2017), "Data-driven advice for applying machine learning to bioinformatics
problems", in the two forms of its published code: `grid` (lists) and `ranges` (random draws). Their alpha of 0
is 1e-10 here, since naive Bayes takes the logarithm of a smoothed count.

`CLASSIFIERS` are those of that study and no others. Modules beside this one and packages that this one must
not import, as `frugal.rows`, add theirs by `register`; from then on `build`, `space` and whoever calls them take
these names too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from frugal.checks import check_known
from frugal.interface import Candidate
from frugal.learners.networks import NETWORKS
from frugal.learners.training import Epochwise
from frugal.spaces import Choice, Exponential, Integer, SearchSpace, Uniform

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

CLASSIFIERS = ("bernoulli_nb", "decision_tree", "knn")
SCALERS = ("none", "min_max", "robust", "standard")
N_IN_RANGES = 2048
"""Length of the one candidate list per seed that `ranges` studies draw their prefixes from."""


class HyperparameterError(ValueError):
    """A candidate has a hyperparameter that the learner does not have."""


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


@dataclass(frozen=True)
class Registered:
    """A learner that is none of `CLASSIFIERS` and `NETWORKS`.

    Attributes:
        make: (candidate, seed) -> unfitted classifier; imports what is costly only when called.
        spaces: search spaces by name, with their signs; `grid` and `ranges` of those that the folds family is to
            search.
        in_epochs: (candidate, seed) -> what trains it epoch by epoch; None: it is fitted in one go.
        n_epochs: that it is trained, if nobody says otherwise.
    """

    make: Callable[[Candidate, int], BaseEstimator]
    spaces: Mapping[str, SearchSpace]
    in_epochs: Callable[[Candidate, int], Epochwise] | None = None
    n_epochs: int | None = None


_registered: dict[str, Registered] = {}


def register(name: str, learner: Registered) -> None:
    """Have `build` and `space` know a learner by this name, in this process.

    Raises:
        ValueError: if the name is taken.
    """
    taken = (*CLASSIFIERS, *NETWORKS, *_registered)
    if name in taken:
        raise ValueError(f"the learner {name!r} is there already; known: {', '.join(taken)}")
    _registered[name] = learner


def registered() -> tuple[str, ...]:
    """Names of the learners that were registered, in that order."""
    return tuple(_registered)


def registration(name: str) -> Registered | None:
    """What was registered by this name; None if nothing was."""
    return _registered.get(name)


def space(name: str, classifier: str) -> SearchSpace:
    """Search space `name` (`grid` or `ranges`) of a classifier.

    Raises:
        ValueError: on an unknown space or classifier; the message lists the known ones.
    """
    if classifier in _registered:
        spaces = _registered[classifier].spaces
        check_known(f"space of {classifier}", name, tuple(spaces))
        return spaces[name]
    check_known("space", name, tuple(SPACES))
    check_known("classifier", classifier, (*CLASSIFIERS, *_registered))
    return SPACES[name][classifier]


def build(learner: str, candidate: Candidate, *, seed: int = 0) -> BaseEstimator:
    """An unfitted scikit-learn classifier with the candidate's hyperparameters.

    Args:
        learner: one of `CLASSIFIERS` or of `registered()`.
        candidate: hyperparameters by scikit-learn's names.
        seed: `random_state` of learners that draw at random (the tree's feature subsets, k-means).

    Raises:
        ValueError: on an unknown learner, or a hyperparameter that it does not take.
    """
    check_known("classifier", learner, (*CLASSIFIERS, *_registered))
    try:
        if learner in _registered:
            return _registered[learner].make(candidate, seed)
        return _of_scikit_learn(learner, candidate, seed)
    except TypeError as error:
        raise HyperparameterError(f"{learner} does not take these hyperparameters: {error}") from error


def _of_scikit_learn(learner: str, candidate: Candidate, seed: int) -> BaseEstimator:
    settings: dict[str, Any] = dict(candidate)
    if learner == "bernoulli_nb":
        from sklearn.naive_bayes import BernoulliNB as Learner
    elif learner == "decision_tree":
        from sklearn.tree import DecisionTreeClassifier as Learner

        settings["random_state"] = seed
    else:
        from sklearn.neighbors import KNeighborsClassifier as Learner
    return Learner(**settings)


def scaler_for(name: str) -> BaseEstimator | None:
    """An unfitted scaler, or None for `none`; to be fitted inside each training split.

    Raises:
        ValueError: on an unknown scaler; the message lists the known ones.
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
