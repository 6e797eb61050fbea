import math

import numpy as np
import pytest

from frugal.folds import ScoreTable

CANDIDATES = [
    {"alpha": 0.1, "fit_prior": True},
    {"alpha": 1e-10, "fit_prior": False},
    {"depth": None},
]


def block(first, last, *, n_folds=4, scale=1.0):
    shape = (3, last - first + 1)
    scores = np.arange(shape[0] * shape[1]).reshape(shape) / 100 * scale
    meta = {"dataset": "toy", "seed": 1, "n_folds": n_folds, "folds": list(range(first, last + 1)), "failures": []}
    return ScoreTable(scores, scores + 1, list(CANDIDATES), meta)


def test_a_table_comes_back_as_it_was_written(tmp_path):
    scores = np.array([[0.1, math.nan], [1.0, 0.0], [1 / 3, 2 / 3]])
    meta = {"seed": 3, "folds": [0, 1], "n_folds": 2, "failures": [[0, 1, "ValueError: no"]]}
    table = ScoreTable(scores, scores * 2, CANDIDATES, meta)
    table.write(tmp_path / "t.parquet")
    again = ScoreTable.read(tmp_path / "t.parquet")
    np.testing.assert_array_equal(again.scores, scores)
    np.testing.assert_array_equal(again.seconds, scores * 2)
    assert again.candidates == CANDIDATES
    assert again.meta == meta


def test_scores_have_reproducible_bytes_when_seconds_go_elsewhere(tmp_path):
    first = block(0, 3)
    second = ScoreTable(first.scores, first.seconds * 7, first.candidates, first.meta)
    for name, table in (("a", first), ("b", second)):
        table.write(tmp_path / f"{name}.parquet", seconds_path=tmp_path / f"{name}-seconds.parquet")
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()
    again = ScoreTable.read(tmp_path / "b.parquet", seconds_path=tmp_path / "b-seconds.parquet")
    np.testing.assert_array_equal(again.seconds, second.seconds)
    assert np.isnan(ScoreTable.read(tmp_path / "b.parquet").seconds).all()


def test_blocks_join_in_fold_order_with_their_failures():
    late = block(2, 3)
    late.meta["failures"].append([1, 0, "late"])
    whole = ScoreTable.join([late, block(0, 1)])
    np.testing.assert_array_equal(whole.scores, np.hstack([block(0, 1).scores, late.scores]))
    assert whole.meta["folds"] == [0, 1, 2, 3]
    assert whole.meta["failures"] == [[1, 2, "late"]]


def test_blocks_add_up_what_they_counted():
    early, late = block(0, 1), block(2, 3)
    early.meta.update(n_tied=5, n_deferred=1)
    late.meta.update(n_tied=7, n_deferred=0)
    meta = ScoreTable.join([early, late]).meta
    assert (meta["n_tied"], meta["n_deferred"]) == (12, 1)


def test_blocks_that_do_not_belong_together_are_refused():
    with pytest.raises(ValueError, match=r"folds 0 to 3 are needed, got \[0, 1\]"):
        ScoreTable.join([block(0, 1)])
    with pytest.raises(ValueError, match="different candidates or settings"):
        ScoreTable.join([block(0, 1), block(2, 3, n_folds=5)])
    with pytest.raises(ValueError, match="no block"):
        ScoreTable.join([])
    with pytest.raises(ValueError, match="meta of a block must have folds and n_folds"):
        ScoreTable.join([ScoreTable(np.zeros((1, 2)), np.zeros((1, 2)), [{}])])


def test_a_drawn_list_repeats_rows():
    taken = block(0, 3).take([2, 0, 2])
    assert taken.candidates == [CANDIDATES[2], CANDIDATES[0], CANDIDATES[2]]
    np.testing.assert_array_equal(taken.scores[0], taken.scores[2])
    failed = block(0, 3)
    failed.meta["failures"] += [[0, 1, "first"], [2, 0, "last"], [2, 3, "last too"]]
    again = [[0, 0, "last"], [0, 3, "last too"], [2, 0, "last"], [2, 3, "last too"]]
    assert failed.take([2, 1, 2]).meta["failures"] == again
    assert len(failed.meta["failures"]) == 3
    for bad in ([], [3], [-1], [[0]], [0.5], [False, True, False]):
        with pytest.raises(ValueError, match=r"indices must be a list of rows in \[0, 3\)"):
            block(0, 3).take(bad)


def test_failed_folds_make_a_mean_of_minus_infinity():
    table = ScoreTable(np.array([[0.5, math.nan], [0.2, 0.4]]), np.zeros((2, 2)), [{}, {}], {})
    assert table.means.tolist() == [-math.inf, 0.3]


@pytest.mark.parametrize("keep", [0, 1, 100, 0.5, -1])
def test_a_truncated_file_is_named(tmp_path, keep):
    path = tmp_path / "t.parquet"
    block(0, 3).write(path)
    content = path.read_bytes()
    cut = int(len(content) * keep) if isinstance(keep, float) else keep
    path.write_bytes(content[:cut])
    with pytest.raises(ValueError, match=r"t\.parquet is truncated or not a parquet file; delete it"):
        ScoreTable.read(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.slice(0, 8), "holds 8 of the 12 rows that were written"),
        (
            lambda t: t.replace_schema_metadata({**t.schema.metadata, b"frugal.rows": b'1"\xff'}),
            r"holds 12 of the 1\"\\xff rows that were written",
        ),
        (lambda t: t.take([1, 0, *range(2, 12)]), "does not hold every fold of every candidate in order"),
        (lambda t: t.take([*range(4, 12), *range(4)]), "does not hold every fold of every candidate in order"),
    ],
)
@pytest.mark.parametrize("name", ["t", "seconds"])
def test_cut_and_reordered_files_are_named(tmp_path, name, change, message):
    import pyarrow.parquet as pq

    block(0, 3).write(tmp_path / "t.parquet", seconds_path=tmp_path / "seconds.parquet")
    path = tmp_path / f"{name}.parquet"
    pq.write_table(change(pq.read_table(path)), path)
    if name == "seconds":
        message = message.replace("every fold of every candidate in order", "the seconds of")
    with pytest.raises(ValueError, match=rf"{name}\.parquet {message}.*delete it and run again"):
        ScoreTable.read(tmp_path / "t.parquet", seconds_path=tmp_path / "seconds.parquet")


def test_a_file_that_is_not_there_is_said_not_to_exist(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"t\.parquet does not exist$"):
        ScoreTable.read(tmp_path / "t.parquet")


def test_numbers_of_numpy_are_written_as_numbers(tmp_path):
    candidate = {"n_neighbors": np.int64(3), "alpha": np.float64(0.1), "fit_prior": np.bool_(True)}
    ScoreTable(np.zeros((1, 2)), np.zeros((1, 2)), [candidate]).write(tmp_path / "t.parquet")
    assert ScoreTable.read(tmp_path / "t.parquet").candidates == [
        {"n_neighbors": 3, "alpha": 0.1, "fit_prior": True}
    ]


def test_tables_compare_as_objects():
    assert block(0, 3) != block(0, 3)


def test_another_parquet_file_is_refused(tmp_path):
    import pandas as pd

    pd.DataFrame({"candidate": [0]}).to_parquet(tmp_path / "t.parquet")
    with pytest.raises(ValueError, match="is not a score table: it lacks hyperparameters, fold, score"):
        ScoreTable.read(tmp_path / "t.parquet")


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (np.zeros((0, 3)), "shape"),
        (np.zeros(3), "shape"),
        (np.full((1, 2), 1.1), r"\[0, 1\]"),
        (np.full((1, 2), -math.inf), r"\[0, 1\]"),
        (np.zeros((2, 2)), "do not belong together"),
    ],
)
def test_scores_that_make_no_table_are_refused(scores, message):
    with pytest.raises(ValueError, match=message):
        ScoreTable(scores, np.zeros_like(scores), [{}], {})


def test_nothing_is_left_when_a_folder_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OSError, match="file"):
        block(0, 3).write(tmp_path / "file" / "t.parquet")
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("metadata", [b"no JSON", b"[1, 2]"])
def test_damaged_metadata_are_said(tmp_path, metadata):
    from pyarrow import parquet

    block(0, 3).write(tmp_path / "t.parquet")
    table = parquet.read_table(tmp_path / "t.parquet")
    (key,) = [key for key, value in table.schema.metadata.items() if b"failures" in value]
    parquet.write_table(
        table.replace_schema_metadata(table.schema.metadata | {key: metadata}), tmp_path / "t.parquet"
    )
    with pytest.raises(ValueError, match=r"t\.parquet is damaged: its metadata are no JSON object"):
        ScoreTable.read(tmp_path / "t.parquet")
