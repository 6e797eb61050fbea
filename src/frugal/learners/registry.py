"""Learners by name. A module defines the records of its learners, and is imported when one of them is requested.

Other packages add learners by entry points of the group `frugal.learners`, each of which names a record.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

from frugal.checks import check_known
from frugal.interface import Candidate
from frugal.learners.training import Epochwise
from frugal.registry import added, check_added, load
from frugal.spaces import SearchSpace

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

GROUP: Final = "frugal.learners"
_SEVERAL: Final[Mapping[str, tuple[str, ...]]] = {
    "frugal.learners.classifiers": ("bernoulli_nb", "decision_tree", "knn"),
    "frugal.learners.networks.records": ("mnist_cnn", "mlp", "cifar_cnn"),
    "frugal.learners.logistic": ("logistic_regression", "sgd_logistic_regression"),
    "frugal.rows.learners": ("svm_km", "km_svm", "wkm_svm"),
}
"""Modules that hold the records of several learners."""
_MODULES: Final = sorted(path for path in Path(__file__).parent.glob("*.py") if "\nLEARNERS" in path.read_text())
HOMES: Final[Mapping[str, tuple[str, ...]]] = {
    **{f"frugal.learners.{path.stem}": (path.stem,) for path in _MODULES},
    **_SEVERAL,
}
"""Module -> names of the learners in its `LEARNERS`. Modules are searched as text, not imported.

A module beside this one that `_SEVERAL` does not list holds one learner, with the name of the module.
"""


class HyperparameterError(ValueError):
    """A candidate has a hyperparameter that the learner does not have.

    Examples:
        >>> from frugal.learners import build
        >>> build("knn", {"depth": 3})  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        frugal.learners.registry.HyperparameterError: knn does not take these hyperparameters: ...
    """


@dataclass(frozen=True)
class Learner:
    """A learner: its search spaces, and how it is trained.

    Attributes:
        name: name of the learner.
        spaces: search spaces by name, with their signs.
        default_space: name of the space that is searched by default.
        make: (candidate, seed) -> unfitted classifier, which is fitted in one go. It should import costly packages
            only when called. None: the learner is only trained epoch by epoch.
        in_epochs: (candidate, seed) -> object that trains epoch by epoch; None: the learner does not, or is a
            network.
        is_network: whether `learners.networks.make` builds the learner, given also input shape and classes.
            It builds our own networks alone: learners of other packages leave this False.
        n_epochs: default number of epochs.

    Examples:
        >>> from frugal.learners import Learner
        >>> from frugal.spaces import SearchSpace, Uniform
        >>> def make(candidate, seed):
        ...     from sklearn.svm import LinearSVC
        ...     return LinearSVC(**candidate, random_state=seed)
        >>> space = SearchSpace({"C": Uniform(1e-3, 1e3, "log")}, signs={"C": 1})
        >>> Learner("linear_svm", {"ranges": space}, make=make).abilities
        'linear_svm is trained in one go, and searched in ranges'
    """

    name: str
    spaces: Mapping[str, SearchSpace]
    default_space: str = "ranges"
    make: Callable[[Candidate, int], BaseEstimator] | None = None
    in_epochs: Callable[[Candidate, int], Epochwise] | None = None
    is_network: bool = False
    n_epochs: int | None = None

    @property
    def trains_in_epochs(self) -> bool:
        """True if the learner is trained epoch by epoch, so that it can be stopped and resumed."""
        return self.is_network or self.in_epochs is not None

    @property
    def abilities(self) -> str:
        """How the learner can be trained and searched, for messages."""
        ways = ["in one go"] * (self.make is not None) + ["epoch by epoch"] * self.trains_in_epochs
        return f"{self.name} is trained {' or '.join(ways)}, and searched in {', '.join(self.spaces)}"


def known() -> tuple[str, ...]:
    """Names of all learners, those of other packages last.

    Raises:
        ValueError: if another package adds a name that is taken.

    Examples:
        >>> from frugal.learners import known
        >>> "knn" in known()
        True
    """
    ours = tuple(name for names in HOMES.values() for name in names)
    check_added(GROUP, ours)
    return (*ours, *added(GROUP))


def check_learner(learner: str) -> None:
    """Raise unless a learner of this name exists.

    Raises:
        ValueError: listing the known ones.

    Examples:
        >>> from frugal.learners import check_learner
        >>> check_learner("forest")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ValueError: unknown learner 'forest'; known: ...
    """
    check_known("learner", learner, known())


@cache
def record(name: str) -> Learner:
    """The record of a learner.

    Raises:
        ValueError: on an unknown learner, whose message lists the known ones, or an entry point that cannot be
            loaded or names no record.

    Examples:
        >>> from frugal.learners import record
        >>> record("knn").default_space, list(record("knn").spaces)
        ('ranges', ['grid', 'ranges'])
    """
    check_learner(name)
    for module, names in HOMES.items():
        if name in names:
            listed: tuple[Learner, ...] = import_module(module).LEARNERS
            for learner in listed:
                if learner.name == name:
                    return learner
            raise ValueError(
                f"LEARNERS of {module} must hold a learner named {name!r}, as its module is, "
                f"got {', '.join(learner.name for learner in listed)}"
            )
    point = added(GROUP)[name]
    found = load(point, f"the learner {name!r}")
    if not isinstance(found, Learner) or found.name != name:
        raise ValueError(f"{point.value} must be a frugal.learners.Learner named {name!r}, got {found!r}")
    return found


def check_fitted(learner: str) -> None:
    """Raise unless the learner is fitted in one go.

    Raises:
        ValueError: naming the learners that are; or on an unknown learner.

    Examples:
        >>> from frugal.learners import check_fitted
        >>> check_fitted("mlp")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ValueError: mlp is trained epoch by epoch, ...; those that are fitted in one go are bernoulli_nb, ...
    """
    if record(learner).make is None:
        fitted = ", ".join(name for name in known() if record(name).make is not None)
        raise ValueError(f"{record(learner).abilities}; those that are fitted in one go are {fitted}")


def build(learner: str, candidate: Candidate, *, seed: int = 0) -> BaseEstimator:
    """An unfitted classifier with the candidate's hyperparameters.

    All but three have scikit-learn's interface: `elastic_net`, `svm_rff` and `sgd_logistic_regression` have `fit`
    and `predict`, but no `get_params`.

    Args:
        learner: name of a learner that is fitted in one go.
        candidate: hyperparameters by scikit-learn's names.
        seed: `random_state` of learners that draw at random (features of a tree's splits, k-means, random
            features, the order of rows).

    Raises:
        HyperparameterError: on a hyperparameter that it does not take.
        ValueError: on an unknown learner or one that is not fitted in one go.

    Examples:
        >>> from frugal.learners import build
        >>> build("knn", {"n_neighbors": 3})
        KNeighborsClassifier(n_neighbors=3)
    """
    make = record(learner).make
    if make is None:
        check_fitted(learner)
    assert make is not None  # check_fitted raises otherwise
    try:
        return make(candidate, seed)
    except TypeError as error:
        raise HyperparameterError(f"{learner} does not take these hyperparameters: {error}") from error


def space(name: str, learner: str) -> SearchSpace:
    """Search space `name` of a learner.

    Raises:
        ValueError: on an unknown space or learner; the message lists the known ones.

    Examples:
        >>> from frugal.learners import space
        >>> list(space("grid", "knn").dimensions)
        ['n_neighbors', 'weights']
    """
    spaces = record(learner).spaces
    check_known(f"space of {learner}", name, tuple(spaces))
    return spaces[name]


def default_space(learner: str) -> SearchSpace:
    """The default search space of a learner.

    Raises:
        ValueError: on an unknown learner; the message lists the known ones.

    Examples:
        >>> from frugal.learners import default_space
        >>> default_space("knn").dimensions["n_neighbors"]
        Integer(low=1, high=99, scale='linear')
    """
    return space(record(learner).default_space, learner)


def signs(learner: str) -> Mapping[str, int]:
    """The signs of a learner's hyperparameters (`SearchSpace.signs`), from all its spaces.

    They are document 004's, and do not depend on the scale of a dimension, since every scale increases.

    Returns:
        Hyperparameter -> +1 or -1; empty if the learner's spaces have no signs.

    Raises:
        ValueError: on an unknown learner; the message lists the known ones.

    Examples:
        >>> from frugal.learners import signs
        >>> signs("svm")
        {'C': 1, 'gamma': 1}
    """
    spaces = record(learner).spaces.values()
    return {name: sign for space in spaces for name, sign in space.signs.items()}


def n_epochs(learner: str) -> int | None:
    """Default number of epochs of a learner; None if it has none.

    Raises:
        ValueError: on an unknown learner; the message lists the known ones.

    Examples:
        >>> from frugal.learners import n_epochs
        >>> n_epochs("knn") is None, n_epochs("mlp")
        (True, 20)
    """
    return record(learner).n_epochs


def in_epochs(learner: str) -> bool:
    """True if a learner is trained epoch by epoch, so that it can be stopped and resumed.

    Raises:
        ValueError: on an unknown learner; the message lists the known ones.

    Examples:
        >>> from frugal.learners import in_epochs
        >>> in_epochs("knn"), in_epochs("mlp")
        (False, True)
    """
    return record(learner).trains_in_epochs
