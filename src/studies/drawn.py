"""What a figure of a paper is: its numbers and its picture."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd
from matplotlib.figure import Figure


@dataclass(frozen=True)
class Drawn:
    """A figure: the numbers, from runs or from a seed, and the picture of them."""

    summarise: Callable[..., pd.DataFrame]
    draw: Callable[[pd.DataFrame], Figure]
