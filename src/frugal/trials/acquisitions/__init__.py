"""Acquisition functions, and the search for their maximum.

Examples:
    >>> import numpy as np
    >>> from frugal.trials.acquisitions import log_ei
    >>> mean, std = np.array([0.3, 0.3, 0.1]), np.array([0.01, 0.1, 0.1])
    >>> log_ei(mean, std, 0.2).argsort().tolist()
    [0, 1, 2]
"""

from frugal.trials.acquisitions.expected_improvement import LogEI, best_means, log_ei, log_h, log_rival_ei
from frugal.trials.acquisitions.maximise import maximise, perturbed, sobol

__all__ = ["LogEI", "best_means", "log_ei", "log_h", "log_rival_ei", "maximise", "perturbed", "sobol"]
