"""Which signs are asserted where, once the optima on subsets are known.

Source: document 004, Algorithm 1.

A sign is the sign of the derivative of accuracy by a hyperparameter, as long as the model is simpler than the best
one on a few rows. It is 1 if accuracy on all rows does not fall as the hyperparameter grows (which makes the model
more complex, as C of a support vector machine). It is -1 if accuracy does not rise (a penalty), and 0 or left out
if the hyperparameter is neutral. Signs do not depend on the scale of a dimension, since every scale increases. An
ordinal dimension grows in the order in which it lists its values.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from scipy.spatial.distance import pdist
from scipy.stats import qmc

from frugal.checks import check_choice, check_whole
from frugal.spaces import SearchSpace
from frugal.trials.surrogates.kernels import Array

CONTROLS: Final = ("none", "reversed", "unsigned")
REGIONS: Final = ("simple_side", "literal")
PLACEMENTS: Final = ("spread", "uniform")
N_DRAWS: Final = 32
"""Latin hypercubes of which `spread` takes the one whose points are farthest apart."""


def signs_of(space: SearchSpace, signs: Mapping[str, int] | None, control: str = "none") -> dict[str, int]:
    """The signs that are not 0, in the order of the dimensions.

    Args:
        space: the search space, whose own signs are the default.
        signs: by dimension, -1, 0 or 1; None: the space's.
        control: `none`; `reversed`, every sign turned round; `unsigned`, no sign at all.

    Raises:
        ValueError: on a sign of an unknown or categorical dimension, one that is none of -1, 0 and 1, or one that
            the space contradicts.
    """
    check_choice("control", control, CONTROLS)
    known = space.signs if signs is None else signs
    space.check_signs(known)
    for name, sign in known.items():
        stated = space.signs.get(name, 0)
        if sign * stated < 0:
            raise ValueError(
                f"signs must not contradict the space, got {sign} for {name!r}, of which the space says {stated}; "
                "control 'reversed' turns all signs round"
            )
    turned = {"none": 1, "reversed": -1, "unsigned": 0}[control]
    return {name: turned * int(known[name]) for name in space.dimensions if turned and known.get(name, 0)}


def region(space: SearchSpace, signs: Mapping[str, int], best: Array, kind: str) -> Array:
    """Lowest and highest value of each coordinate of the unit cube where signs are asserted, (d, 2).

    Args:
        space: search space with d dimensions, which are the rows of the result.
        signs: the signs that are not 0.
        best: the averaged optimum on subsets, (d,).
        kind: `literal`, [0, best] in every dimension, as the document prints it; `simple_side`, from best to the
            end where the model is simpler, 0 for a sign of 1 and 1 for one of -1, and all of a neutral dimension.

    Raises:
        ValueError: on another kind.
    """
    check_choice("region", kind, REGIONS)
    if kind == "literal":
        return np.column_stack([np.zeros(len(best)), best])
    ends = {1: (0.0, None), -1: (None, 1.0), 0: (0.0, 1.0)}  # None: the best
    sides = [ends[signs.get(name, 0)] for name in space.dimensions]
    return np.array([[x if end is None else end for end in side] for side, x in zip(sides, best, strict=True)])


def draw_sites(box: Array, n: int, rng: np.random.Generator, placement: str) -> Array:
    """Draw points (n, d) of a box (d, 2).

    Args:
        box: lowest and highest value of each coordinate.
        n: number of points.
        rng: generator of the points.
        placement: `uniform`, independent as in the document, or `spread`, the best of `N_DRAWS` Latin hypercubes:
            the one whose two nearest points are farthest apart.

    Raises:
        ValueError: on another placement.
    """
    check_choice("placement", placement, PLACEMENTS)
    low, width = box[:, 0], box[:, 1] - box[:, 0]
    if placement == "uniform":
        return np.asarray(low + width * rng.random((n, len(box))))
    sampler = qmc.LatinHypercube(len(box), rng=rng)
    draws = [low + width * sampler.random(n) for _ in range(N_DRAWS)]
    return np.asarray(max(draws, key=lambda points: pdist(points).min(initial=np.inf)))


def thin(points: Array, lengthscale: Array, separation: float) -> Array:
    """Return the points (k, d) that are kept of `points` (n, d), in order.

    A point is kept if it is at least `separation`, in length-scales (d,), from all points kept before.
    """
    kept: list[Array] = []
    for point in points / lengthscale:
        if all(float(np.linalg.norm(point - other)) >= separation for other in kept):
            kept.append(point)
    return np.array(kept) * lengthscale


def check_subset(subset_rows: int, n_classes: int | None, n_rows: int | None) -> None:
    """Raise unless a subset has at least as many rows as there are classes, and fewer than all rows.

    A number that is None is not checked.

    Raises:
        ValueError: naming the number, also if `n_classes` or `n_rows` is not a valid number.
    """
    if n_classes is not None:
        check_whole("n_classes", n_classes, 2)
        if subset_rows < n_classes:
            raise ValueError(f"subset_rows must be at least {n_classes}, the number of classes, got {subset_rows}")
    if n_rows is not None:
        check_whole("n_rows", n_rows, 1)
        if subset_rows >= n_rows:
            raise ValueError(f"subset_rows must be below {n_rows}, the number of training rows, got {subset_rows}")
