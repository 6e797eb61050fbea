"""The kept scores of document 000's network, which its own studies and the comparison of folds replay."""

from __future__ import annotations

from typing import Final

FLOOR: Final = 3
"""Repetitions under which no number on these scores is published and no verdict given."""
