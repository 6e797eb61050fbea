"""What all tables' notes end with."""

from __future__ import annotations

import pandas as pd

from studies.estimates import NOT_RUN
from studies.markdown import about_marked, made_of, with_interval


def rows(*records):
    return pd.DataFrame(records, columns=["scale", "n_seeds", "data"])


def test_a_note_says_what_its_numbers_are_from_and_leaves_out_what_was_not_run():
    table = rows(("desk", 3, "original/jpeg"), ("desk", 5, "original"), (NOT_RUN, float("nan"), ""))
    assert made_of(table) == "scale desk, 3, 5 seeds, data: jpeg/original"
    assert made_of(table, "curves") == "scale desk, 3, 5 curves, data: jpeg/original"
    assert made_of(rows(("smoke", 1, "original"))) == "scale smoke, 1 seed, data: original"
    assert made_of(table.iloc[2:]) == f"scale {NOT_RUN}, no seeds, data: none"


def test_a_note_says_which_rows_have_how_many_seeds():
    table = pd.DataFrame(
        {
            "learner": ["svm", "mlp", "elastic_net", "svm"],
            "scale": "desk",
            "n_seeds": [3, 3, 10, 3],
            "data": "jpeg",
        }
    )
    assert made_of(table, by="learner") == "scale desk, 10 seeds of elastic net, 3 of all others, data: jpeg"
    assert made_of(table.iloc[:2], by="learner") == "scale desk, 3 seeds, data: jpeg"
    several = table.assign(learner="svm")
    assert made_of(several, by="learner") == made_of(several) == "scale desk, 3, 10 seeds, data: jpeg"
    further = table.assign(n_seeds=[3, 5, 1, 3], learner=["svm", "mlp", "elastic_net", "svm_rff"])
    assert (
        made_of(further, by="learner")
        == "scale desk, 1 seed of elastic net, 5 of mlp, 3 of all others, data: jpeg"
    )


def test_a_note_speaks_of_stand_ins_only_where_there_are_some():
    assert about_marked(rows(("desk", 3, "original"))) == ""
    assert about_marked(rows(("desk", 3, "original/stand-in"))).startswith(" † a stand-in for a dataset")


def test_an_interval_stands_in_brackets_where_there_is_one():
    table = pd.DataFrame({"ours": [0.25, 0.25], "low": [0.2, float("nan")], "high": [0.3, float("nan")]})
    assert [with_interval(row) for row in table.itertuples()] == ["0.250 (0.200 to 0.300)", "0.250"]
