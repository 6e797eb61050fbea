"""Acquisitions: how much is expected of a candidate that was not tried, and where most is."""

from frugal.trials.acquisitions.expected_improvement import LogEI, best_means, log_ei, log_h
from frugal.trials.acquisitions.maximise import maximise, perturbed, sobol
from frugal.trials.acquisitions.top_two import log_rival_ei

__all__ = ["LogEI", "best_means", "log_ei", "log_h", "log_rival_ei", "maximise", "perturbed", "sobol"]
