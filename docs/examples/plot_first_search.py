"""
A search with a quarter of the fits
===================================

``FoldSearchCV`` beside ``GridSearchCV`` on the same candidates and folds.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from frugal.model_selection import FoldSearchCV

X, y = load_digits(return_X_y=True)
X, y = X[:800], y[:800]
space = {"C": np.logspace(-1, 3, 5), "gamma": np.logspace(-5, -1, 9)}

exhaustive = GridSearchCV(SVC(), space, cv=5).fit(X, y)
search = FoldSearchCV(SVC(), space, cv=5, random_state=0).fit(X, y)
print("GridSearchCV:", exhaustive.best_params_, f"{exhaustive.best_score_:.4f}")
print("FoldSearchCV:", search.best_params_, f"{search.best_score_:.4f}")
print(search.n_fits_, "fits of", search.n_fits_exhaustive_)

# %%
# Candidates that look poor get one fold; the few that look best get all five.

n_folds = search.cv_results_["n_folds_evaluated"].reshape(len(space["C"]), -1)
figure, axes = plt.subplots(figsize=(6, 3.2), layout="constrained")
image = axes.imshow(n_folds, cmap="cividis", aspect="auto", origin="lower")
axes.set_xticks(range(9), [f"{gamma:.0e}" for gamma in space["gamma"]], rotation=45)
axes.set_yticks(range(5), [f"{C:g}" for C in space["C"]])
axes.set_xlabel("gamma")
axes.set_ylabel("C")
axes.set_title("folds that each candidate was given")
figure.colorbar(image, ax=axes)
plt.show()
