"""Every figure of document 000 by name."""

from __future__ import annotations

from studies.beta_pruning import figures, model, network
from studies.drawn import Drawn
from studies.greedy_cv import cross_validation

FIGURES: dict[str, Drawn] = {
    "figure1": Drawn(cross_validation.summarise_k_fold, cross_validation.draw_k_fold),
    "figure2": Drawn(model.summarise_exponentials, figures.draw_exponentials),
    "figure3": Drawn(model.summarise_betas, figures.draw_betas),
    "figure4": Drawn(model.summarise_prior_predictive, figures.draw_prior_predictive),
    "figure5": Drawn(model.summarise_predictives, figures.draw_predictives),
    "figure6": Drawn(model.summarise_contrast, figures.draw_contrast),
    "figure7": Drawn(network.summarise_figure7, figures.draw_figure7),
    "sweep": Drawn(network.summarise_sweep, figures.draw_sweep),
}
"""Figure name -> its numbers and its picture; 1 to 6 take a seed, the others runs."""
