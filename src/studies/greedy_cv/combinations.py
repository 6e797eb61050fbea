"""Combinations of what document 001 leaves open. Light to import, since the workflow reads it at every start."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any


def combinations(block: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """By name of a combination its space, scaler, splits and tree_seed.

    A scaler and the seed of trees are never combined: no classifier has both.

    The block is that of `greedy_cv.factorial` in the configuration.
    """
    listed = product(block["spaces"], block["scalers"], block["splits"], block["tree_seeds"])
    return {
        "_".join(parts): dict(zip(("space", "scaler", "splits", "tree_seed"), parts, strict=True))
        for parts in listed
        if parts[1] == "none" or parts[3] == "repetition"
    }
