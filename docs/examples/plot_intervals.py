"""
Intervals from bags of few rows
===============================

The bag of little bootstraps gives the width of a 95 % interval, from ``b`` distinct rows at a time.
"""

import matplotlib.pyplot as plt
import numpy as np

from frugal import rows


def mean(X, y, weights):
    """What the interval is of: a weighted mean."""
    return weights @ X / weights.sum()


n = 20_000
X = np.random.default_rng(0).normal(size=(n, 1))
exact = 2 * 1.96 / n**0.5
print(f"exact width: {exact:.4f}")

# %%
# With ``b = n ** gamma`` rows a bag, more bags bring the width closer. The quantiles of few resamples (``r``) are
# too close to each other: of 20 the interval is a sixth too narrow on average, of 400 one hundredth.

figure, axes = plt.subplots(figsize=(6, 3.2), layout="constrained")
bags = [1, 2, 5, 10, 20]
for gamma, color in ((0.5, "#D9820A"), (0.6, "#00318F"), (0.7, "#2F6756")):
    b = rows.subsample_size(n, gamma)
    rng = np.random.default_rng(1)
    found = [rows.blb(X, None, b=b, s=s, r=400, fit=mean, statistic=rows.interval_widths, rng=rng) for s in bags]
    axes.plot(bags, [bag.statistic.item() for bag in found], "o-", color=color, label=f"{b} rows a bag")
axes.axhline(exact, color="#8A8F94", linestyle="--", label="exact")
axes.set_xlabel("bags")
axes.set_ylabel("width of the 95 % interval")
axes.legend()
plt.show()
