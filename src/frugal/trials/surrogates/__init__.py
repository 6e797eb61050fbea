"""Surrogates: what a few trials say about the candidates that were not tried."""

from frugal.trials.surrogates.gp import GP
from frugal.trials.surrogates.hyperparameters import Hyperparameters
from frugal.trials.surrogates.marginal_gp import MarginalGP
from frugal.trials.surrogates.protocol import Component, Surrogate

__all__ = ["GP", "Component", "Hyperparameters", "MarginalGP", "Surrogate"]
