"""scikit-learn's own checks of what an estimator is."""

from functools import partial
from unittest import SkipTest

import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

from frugal.model_selection import ExactPruningSearchCV, FoldSearchCV, TrialSearchCV
from frugal.spaces import Uniform

CHEAP = {"cv": 2, "error_score": "raise"}
RANDOM = CHEAP | {"strategy": "random", "n_trials": 2, "random_state": 0}
SEARCHES = [
    FoldSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, **CHEAP),
    FoldSearchCV(Ridge(), {"alpha": [0.1, 1.0]}, **CHEAP),
    ExactPruningSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, **CHEAP),
    TrialSearchCV(LogisticRegression(), {"C": Uniform(0.1, 1.0, scale="log")}, **RANDOM),
    TrialSearchCV(Ridge(), {"alpha": [0.1, 1.0]}, **RANDOM),
]


def name_of(check):
    while isinstance(check, partial):
        check = check.func
    return check.__name__


def is_of_array_api(check):
    """Whether it needs arrays of other libraries than NumPy."""
    return name_of(check).startswith("check_array_api")


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(SEARCHES)
def test_it_is_a_scikit_learn_estimator(estimator, check):
    try:
        check(estimator)
    except SkipTest as skip:
        if not is_of_array_api(check):
            pytest.fail(f"{name_of(check)} is skipped: {skip}")
        raise


@pytest.mark.parametrize("search", SEARCHES, ids=lambda search: f"{type(search).__name__}-{search.estimator}")
def test_at_least_fifty_checks_need_no_array_api(search):
    # scikit-learn 1.9: 54 of 75 checks of a classifier, 52 of 73 of a regressor
    checks = [check for _, check in estimator_checks_generator(search) if not is_of_array_api(check)]
    assert len(checks) >= 50
