"""Check that a learner accepts the bounds of a space, by fits: some values are refused only in `fit`."""

from __future__ import annotations

import numpy as np

from frugal.interface import Candidate
from frugal.learners import networks
from frugal.learners.networks import NETWORKS
from frugal.learners.registry import build, record
from frugal.spaces import Choice, SearchSpace


def check_space(learner: str, space: SearchSpace) -> None:
    """Raise unless the learner accepts every bound and every listed value of a space.

    Each value is tried with the other dimensions at their middle. For a network only its plan is made, and for
    another learner that trains only epoch by epoch its object. Any other learner is fitted to a dozen generated
    rows.

    Args:
        learner: name of a learner, one of `frugal.learners.known()`.
        space: the search space.

    Raises:
        ValueError: naming the value and the learner's reason, or on an unknown learner.

    Examples:
        >>> from frugal.learners import check_space
        >>> from frugal.spaces import Integer, SearchSpace
        >>> check_space("knn", SearchSpace({"n_neighbors": Integer(1, 9)}))
        >>> check_space("knn", SearchSpace({"n_neighbors": Integer(0, 9)}))  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ValueError: knn refuses n_neighbors = 0, a bound of its space: ...
    """
    middle = space.from_unit(np.full(len(space.dimensions), 0.5))
    _try(learner, middle, f"{learner} refuses {middle}, the middle of its space")
    for name, dimension in space.dimensions.items():
        ends = dimension.values if isinstance(dimension, Choice) else [dimension.from_unit(u) for u in (0.0, 1.0)]
        for value in ends:
            _try(learner, {**middle, name: value}, f"{learner} refuses {name} = {value!r}, a bound of its space")


def _try(learner: str, candidate: Candidate, sentence: str) -> None:
    y = np.tile([0, 1], 6)
    X = np.random.default_rng(0).random((len(y), 3)) + y[:, None]
    try:
        if learner in NETWORKS:
            networks.plan(learner, candidate)
        elif (own := record(learner)).make is None and own.in_epochs is not None:
            own.in_epochs(candidate, 0)
        else:
            build(learner, candidate).fit(X, y)
    except ArithmeticError:  # a fit may diverge; its trial fails then
        return
    except ValueError as error:
        raise ValueError(f"{sentence}: {error}") from error
