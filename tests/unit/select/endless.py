"""A transformer that never ends, for tests of limits."""

import time

from sklearn.base import BaseEstimator, TransformerMixin


class Endless(TransformerMixin, BaseEstimator):
    """Columns that are never ready."""

    def __init__(self, columns):
        self.columns = columns

    def fit(self, X, y=None):
        while True:
            time.sleep(1)

    def transform(self, X):
        return X
