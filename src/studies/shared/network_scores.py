"""The kept scores of document 000's network, which its own studies and the comparison of folds replay."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from frugal.folds import ScoreTable

FLOOR: Final = 3
"""Repetitions under which no number on these scores is published and no verdict given."""


def in_authors_order(table: ScoreTable) -> ScoreTable:
    """The candidates of one run of the document: 96 rows in random order, 24 of them repeats.

    Args:
        table: scores of all 72 distinct candidates; dataset and seed in its meta decide the order.

    Returns:
        Scores of the rows. Its space is `authors_grid` in place of `grid`, of which lists are drawn.

    Raises:
        ValueError: if a candidate of the document was not scored.
    """
    from frugal.learners.networks import authors_grid
    from frugal.seeds import rng_for
    from frugal.spaces import as_json

    rows = {as_json(candidate): row for row, candidate in enumerate(table.candidates)}
    rng = rng_for("beta_pruning", "order", table.meta["dataset"], table.meta["seed"])
    texts = [as_json(candidate) for candidate in authors_grid(rng)]
    missing = [text for text in texts if text not in rows]
    if missing:
        raise ValueError(f"there are no scores of {missing[0]}, a candidate of document 000")
    listed = table.take([rows[text] for text in texts])
    return replace(listed, meta={**listed.meta, "space": "authors_grid"})
