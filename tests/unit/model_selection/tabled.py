"""An estimator whose fold scores are read from a table, and data that say which fold a row is of."""

import os
import signal
import time
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.model_selection import PredefinedSplit


class Tabled(BaseEstimator):
    """Candidate `i` scores `scores[i][fold]`; nan: its fit fails.

    The file `log`, if there is one, has a line for each fit. A fit of candidate `slow` takes `seconds`; that of
    candidate `interrupts` is a Ctrl-C, on the fold that is not the first; that of `kills` ends its process.
    """

    def __init__(self, i=0, scores=((0.5, 0.5),), log=None, slow=None, seconds=0.0, interrupts=None, kills=None):
        self.i = i
        self.scores = scores
        self.log = log
        self.slow = slow
        self.seconds = seconds
        self.interrupts = interrupts
        self.kills = kills

    def fit(self, X, y=None, sample_weight=None):
        if self.log is not None:
            with Path(self.log).open("a") as file:
                file.write(f"{self.i} {sorted(set(X[:, 0].tolist()))} {len(X)}\n")
        if self.i == self.kills:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.i == self.slow:
            time.sleep(self.seconds)
        n_folds = len(self.scores[0])
        missing = set(range(n_folds)) - set(X[:, 0].astype(int).tolist())
        if self.i == self.interrupts and missing - {0}:
            raise KeyboardInterrupt
        if len(missing) == 1 and np.isnan(self.scores[self.i][missing.pop()]):
            raise ValueError(f"candidate {self.i} fails")
        self.n_rows_ = len(X)
        self.n_features_in_ = X.shape[1]
        return self

    def predict(self, X):
        return np.zeros(len(X))

    def score(self, X, y=None):
        return self.scores[self.i][int(X[0, 0])]


class Sized(BaseEstimator):
    """Scores as many as it has rows to train on."""

    def __init__(self, C=1.0):
        self.C = C

    def fit(self, X, y=None):
        self.n_rows_ = len(X)
        return self

    def score(self, X, y=None):
        return float(self.n_rows_)


class Hungry(Sized):
    """Has too little memory."""

    def fit(self, X, y=None):
        raise MemoryError("8 GiB")


def data_of(n_folds, rows_per_fold=3):
    """X and y, and the splitter of their folds."""
    fold = np.repeat(np.arange(n_folds), rows_per_fold)
    return np.column_stack([fold, np.arange(len(fold))]).astype(float), fold * 0.0, PredefinedSplit(fold)


def grid(scores, **fixed):
    """The arguments of a search over the rows of a table."""
    scores = tuple(tuple(float(s) for s in row) for row in scores)
    X, y, cv = data_of(len(scores[0]))
    return Tabled(scores=scores, **fixed), {"i": list(range(len(scores)))}, cv, X, y
