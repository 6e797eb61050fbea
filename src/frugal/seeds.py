"""Random generators derived from names, so that the code shows which computations share a seed."""

from __future__ import annotations

import hashlib
import json

import numpy as np

from frugal.checks import as_python


def seed_for(*names: str | int) -> int:
    """Seed derived from names, equal on every machine and in every run.

    Args:
        *names: what the seed may depend on, for example `("folds", "wdbc", 3)`; order counts.

    Returns:
        An integer in [0, 2**32), which NumPy and scikit-learn both accept.

    Examples:
        >>> from frugal.seeds import seed_for
        >>> seed_for("folds", "wdbc", 3), seed_for("folds", "wdbc", 4)
        (4290313494, 2588474880)
    """
    digest = hashlib.sha256(json.dumps([*map(as_python, names)], separators=(",", ":")).encode()).digest()
    return int.from_bytes(digest[:4], "big")


def rng_for(*names: str | int) -> np.random.Generator:
    """Generator seeded by `seed_for(*names)`.

    Examples:
        >>> from frugal.seeds import rng_for
        >>> rng_for("candidates", 0).integers(10, size=3).tolist()
        [3, 0, 2]
    """
    return np.random.default_rng(seed_for(*names))
