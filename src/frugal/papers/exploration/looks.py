"""One look per strategy, in every figure of document 002."""

from __future__ import annotations

from typing import Final

from frugal.papers.style import Look

LOOKS: Final[dict[str, Look]] = {
    "random": Look("#000000", "random", "o", (0, (8, 1)), ""),
    "tpe": Look("#D07CA1", "TPE (Optuna)", "s", ":", "//"),
    "smac": Look("#926A00", "SMAC3", "D", "--", "\\\\"),
    "ei": Look("#00318F", "EI on a GP", "^", "-", ".."),
    "ei_explore": Look("#4580EB", "top-two EI on a GP", "v", "-.", "xx"),
    "dngo": Look("#2F6756", "EI on DNGO", "<", (0, (5, 1)), "--"),
    "doc002_as_coded": Look("#F2B138", "DNGO as coded for the page", "P", (0, (3, 1, 1, 1)), "++"),
}
