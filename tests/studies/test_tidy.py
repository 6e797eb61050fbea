"""The columns of every regenerated table, and what the documents print."""

import pandas as pd

from studies.tidy import read_printed, unprinted


def test_what_no_document_prints_is_left_empty_and_own_stars_are_kept():
    measured = pd.DataFrame({"method": ["a", "b"], "ours": [1.0, 2.0]})
    table = unprinted(measured, "smoke")
    assert list(table) == ["method", "ours", "published", "published_se", "published_stars", "stars", "scale"]
    assert table[["published", "published_se"]].isna().all(axis=None)
    assert table.iloc[0][["published_stars", "stars", "scale"]].tolist() == ["", "", "smoke"]
    assert unprinted(measured.assign(stars=["**", ""]), "smoke")["stars"].tolist() == ["**", ""]


def test_printed_numbers_are_found_by_their_name():
    errors = read_printed("hypertune_tables")
    assert {"table", "learner", "dataset", "method", "value", "se"} <= {*errors}
