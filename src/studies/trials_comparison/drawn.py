"""Every figure of the comparison by name."""

from __future__ import annotations

from functools import partial

from studies.drawn import Drawn
from studies.trials_comparison import figures, summaries
from studies.trials_comparison.listed import CURRENCIES

FIGURES: dict[str, Drawn] = {
    **{
        f"anytime_{name}": Drawn(
            partial(summaries.summarise_anytime, currency=name), partial(figures.draw_anytime, currency=name)
        )
        for name in CURRENCIES
    },
    **{
        f"ranks_{name}": Drawn(
            partial(summaries.summarise_ranks, currency=name), partial(figures.draw_ranks, currency=name)
        )
        for name in CURRENCIES
    },
}
"""Figure name -> its numbers, from paths, and its picture."""
