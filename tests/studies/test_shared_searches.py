"""Searches among other rows, what they had spent and found; every expected number is worked out by hand."""

import math

import numpy as np
import pandas as pd
import pytest

from studies.shared.searches import candidates, lowest, so_far, trials_of
from studies.trajectories import arrival


def search(method, errors, seconds=2.0, **columns):
    facts = {"learner": "svm", "dataset": "digits", "method": method, "seed": 0, "data": "original"}
    spent = {"seconds": seconds, "overhead_s": 0.5, "cost": 10.0}
    return pd.DataFrame({**facts, "id": range(len(errors)), "error": errors, **spent, **columns})


def test_trials_are_searched_for_among_other_rows_and_put_in_order():
    cell = pd.DataFrame({"learner": ["svm"], "dataset": "mnist", "seconds": 1.0, "cost": 1.0})
    curve = cell.assign(id=7)
    runs = pd.concat([search("random", [0.3, 0.2])[::-1], cell, curve, search("ei", [0.1])], ignore_index=True)
    found = trials_of(runs, "error")
    assert found[["method", "id"]].to_numpy().tolist() == [["ei", 0], ["random", 0], ["random", 1]]
    with pytest.raises(ValueError, match="the table of runs lacks the column 'test_error'"):
        trials_of(runs, "test_error")
    with pytest.raises(ValueError, match="the runs hold no searches"):
        trials_of(runs[runs["method"].isna()])


def test_what_was_spent_is_added_up_search_by_search_and_checks_are_overhead():
    plain, checked = search("ei", [0.3, 0.2]), search("tpe", [0.3, 0.2], check_s=[1.0, 4.0])
    found = so_far(trials_of(pd.concat([plain, checked])))
    assert found["trial"].tolist() == [1, 2, 1, 2]
    assert found["spent_seconds"].tolist() == [2.5, 5.0, 3.5, 10.0]
    assert found["spent_overhead"].tolist() == [0.5, 1.0, 1.5, 6.0]
    assert found["spent_cost"].tolist() == [10, 20, 10, 20]


def test_the_lowest_error_is_that_of_trials_that_count_and_is_kept():
    trials = trials_of(pd.concat([search("ei", [math.nan, 0.3, math.nan, 0.4, 0.1]), search("tpe", [0.5])]))
    assert lowest(trials, trials["error"]).tolist() == pytest.approx(
        [math.nan, 0.3, 0.3, 0.3, 0.1, 0.5], nan_ok=True
    )


def test_a_search_without_an_incumbent_has_no_candidate():
    assert candidates(pd.Series(['{"C": 1}', None, math.nan])) == [{"C": 1}, None, None]


def test_a_search_arrives_the_first_time_or_never():
    errors = np.array([math.nan, 0.3, 0.1, 0.2])
    assert arrival(errors, 0.3) == (1, True)
    assert arrival(errors, 0.1) == (2, True)
    assert arrival(errors, 0.05) == (3, False)
