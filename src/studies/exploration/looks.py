"""The looks of document 002's strategies, whose surrogates its labels name."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from studies.style import TRIALS, Look

LOOKS: Final[dict[str, Look]] = {
    "random": TRIALS["random"],
    "tpe": replace(TRIALS["tpe"], linestyle=":"),
    "smac": TRIALS["smac"],
    "ei": replace(TRIALS["ei"], label="EI on a GP"),
    "ei_explore": replace(TRIALS["ei_explore"], label="top-two EI on a GP"),
    "dngo": TRIALS["dngo"],
    "doc002_as_coded": TRIALS["doc002_as_coded"],
}
