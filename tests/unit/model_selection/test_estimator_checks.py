"""scikit-learn's own checks of what an estimator is."""

import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.utils.estimator_checks import parametrize_with_checks

from frugal.model_selection import ExactPruningSearchCV, FoldSearchCV

SEARCHES = [
    FoldSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=2, error_score="raise"),
    FoldSearchCV(Ridge(), {"alpha": [0.1, 1.0]}, cv=2, error_score="raise"),
    ExactPruningSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=2, error_score="raise"),
]


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(SEARCHES)
def test_it_is_a_scikit_learn_estimator(estimator, check):
    check(estimator)
