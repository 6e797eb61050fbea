"""
Expected improvement beside random search
=========================================

``frugal.minimize`` takes any function that returns an error, here a valley with two hyperparameters.
"""

import matplotlib.pyplot as plt
import numpy as np

from frugal import minimize
from frugal.spaces import Uniform


def error(candidate):
    """A valley whose bottom is at a width of 20 and a rate of 0.01."""
    return (candidate["width"] - 20) ** 2 / 400 + (np.log10(candidate["rate"]) + 2) ** 2


space = {"width": Uniform(1, 100), "rate": Uniform(1e-5, 1.0, scale="log")}
figure, axes = plt.subplots(figsize=(6, 3.2), layout="constrained")
for strategy, color in (("random", "#000000"), ("ei", "#00318F")):
    runs = [minimize(error, space, strategy=strategy, n_trials=20, random_state=seed) for seed in range(3)]
    best = np.minimum.accumulate([run.trials["error"] for run in runs], axis=1)
    axes.plot(np.arange(1, 21), best.mean(axis=0), color=color, label=strategy)
    print(strategy, [f"{run.error:.4f}" for run in runs])
axes.set_yscale("log")
axes.set_xlabel("trials")
axes.set_ylabel("least error so far, mean of 3 seeds")
axes.legend()
plt.show()
