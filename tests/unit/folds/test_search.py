import dataclasses

import numpy as np
import pandas as pd
import pytest

from frugal import folds
from frugal.datasets import Dataset
from frugal.folds import Folds, ScoreTable, score
from frugal.folds.search import (
    TREE_SEEDS,
    Kept,
    NotKeptError,
    candidates_of,
    cells,
    draw,
    read_kept,
    read_tables,
    search,
    warn_of_failures,
)


def table(scores, *, space="grid", seed=0, seconds=None):
    scores = np.asarray(scores, dtype=float)
    meta = {
        "dataset": "toy", "data": "generated", "classifier": "knn", "space": space, "seed": seed,
        "n_folds": scores.shape[1], "n_rows": None, "n_rows_of_dataset": 100, "n_classes": 2,
        "folds": list(range(scores.shape[1])), "failures": [],
    }  # fmt: skip
    seconds = np.zeros_like(scores) if seconds is None else seconds
    return ScoreTable(scores, seconds, [{"i": i} for i in range(len(scores))], meta)


def test_grid_lists_are_drawn_with_replacement_and_by_names_alone():
    kept = table(np.random.default_rng(0).random((54, 3)))
    first, second = draw(kept, 1024), draw(kept, 1024)
    assert first.candidates == second.candidates
    assert len({c["i"] for c in first.candidates}) > 50
    other = draw(dataclasses.replace(kept, meta={**kept.meta, "seed": 1}), 1024)
    assert first.candidates != other.candidates


def test_ranges_lists_are_prefixes_and_not_longer_than_what_was_scored():
    kept = table(np.random.default_rng(0).random((20, 3)), space="ranges")
    assert draw(kept, 8).candidates == kept.candidates[:8]
    with pytest.raises(ValueError, match="n_candidates=21 exceeds the 20 scored candidates of the ranges of knn"):
        draw(kept, 21)
    long = candidates_of("ranges", "knn", dataset="toy", seed=3, n_ranges=2048)
    assert candidates_of("ranges", "knn", dataset="toy", seed=3, n_ranges=128) == long[:128]
    assert len(candidates_of("grid", "knn", dataset="toy", seed=3, n_ranges=5)) == 54


def test_trees_may_have_a_seed_of_their_own_and_grow_as_scikit_learns():
    from sklearn.datasets import load_iris
    from sklearn.tree import DecisionTreeClassifier

    facts = {"dataset": "toy", "seed": 3, "n_ranges": 12}
    shared, seeded = (candidates_of("ranges", "decision_tree", **facts, tree_seed=s) for s in TREE_SEEDS)
    assert len({one["random_state"] for one in seeded}) == len({str(one) for one in shared})
    assert [{k: v for k, v in one.items() if k != "random_state"} for one in seeded] == shared
    assert candidates_of("ranges", "knn", **facts, tree_seed="candidate") == candidates_of(
        "ranges", "knn", **facts
    )
    X, y = load_iris(return_X_y=True)
    scored = score((X, y), "decision_tree", seeded, n_folds=3, seed=0)
    train, test = Folds(Dataset.from_arrays(X, y), 3, 0).parts[0]
    theirs = [DecisionTreeClassifier(**one).fit(X[train], y[train]).score(X[test], y[test]) for one in seeded]
    assert scored.scores[:, 0].tolist() == pytest.approx(theirs)


@pytest.mark.parametrize("n", [0, -5, 2.0, 999999999])
def test_lists_of_no_length_or_too_long_are_refused(n):
    says = f"must be at least 1, at most 1000000, and a whole number, got {n}"
    with pytest.raises(ValueError, match=f"n_candidates {says}"):
        draw(table(np.zeros((20, 3))), n)
    with pytest.raises(ValueError, match=f"n_ranges {says}"):
        candidates_of("ranges", "knn", dataset="toy", seed=3, n_ranges=n)


def test_a_table_that_does_not_say_what_was_scored_cannot_be_searched():
    bare = ScoreTable(np.zeros((2, 2)), np.zeros((2, 2)), [{}, {}], {"dataset": "toy", "seed": 0})
    says = "the table's meta lacks data, classifier, space, n_folds, n_rows_of_dataset, n_classes"
    with pytest.raises(ValueError, match=says):
        draw(bare, 2)
    with pytest.raises(ValueError, match=says):
        search("greedy", Kept(bare), n_candidates=2, settings={})


def test_tables_of_the_public_call_can_be_searched(tmp_path):
    candidates = [{"n_neighbors": np.int64(k), "weights": "uniform"} for k in (1, 3, 5, 99)]
    folds.score("wdbc", "knn", candidates, n_folds=3, seed=0).write(tmp_path / "t.parquet")
    kept = read_kept([tmp_path / "t.parquet"])[0].table
    assert draw(kept, 3).candidates == [{"n_neighbors": k, "weights": "uniform"} for k in (1, 3, 5)]
    assert search("greedy", Kept(kept), n_candidates=4, settings={}).result["regret"] == 0
    with pytest.raises(ValueError, match="n_candidates=5 exceeds the 4 scored candidates of the listed of knn"):
        draw(kept, 5)


def measured(method, scores, n=4, **options):
    return search(method, Kept(table(scores, space="ranges")), n_candidates=n, settings={}, **options)


def test_search_time_is_when_the_best_is_complete():
    # Candidates complete in order 0, 1, 2, 3 at steps 2, 4, 6, 8 of 8; the best is the third.
    scores = [[0.1, 0.2], [0.3, 0.1], [0.9, 0.8], [0.5, 0.5]]
    result = measured("standard", scores).result
    assert result["search_time"] == 6 / 8
    assert (result["best"], result["chosen"], result["quality"], result["regret"]) == (2, 2, 1.0, 0.0)
    assert measured("greedy", scores).result["search_time"] == (4 + 2 - 1) / 8


def test_the_tie_rule_decides_which_best_counts():
    scores = [[0.9, 0.9], [0.1, 0.2], [0.9, 0.9], [0.9, 0.9]]
    assert measured("standard", scores, tie_rule="first").result["search_time"] == 2 / 8
    assert measured("standard", scores, tie_rule="last").result["search_time"] == 8 / 8
    drawn = measured("standard", scores).result
    assert drawn["n_tied"] == 3
    assert drawn["search_time"] in (2 / 8, 6 / 8, 8 / 8)
    assert drawn["best"] == measured("greedy", scores).result["best"]
    with pytest.raises(ValueError, match="unknown tie_rule 'any'; known: random, first, last"):
        measured("standard", scores, tie_rule="any")


def test_a_random_best_takes_the_standard_method_half_the_time():
    # (n + 1) / 2n when one best sits at a random place, and likewise for a random one of the tied.
    rng, times = np.random.default_rng(0), []
    for seed in range(400):
        kept = table(rng.integers(0, 3, size=(6, 2)) / 2, seed=seed)
        times.append(search("standard", Kept(kept), n_candidates=32, settings={}).result["search_time"])
    assert np.mean(times) == pytest.approx(33 / 64, abs=4 * 0.289 / 20)


def test_repeated_candidates_add_their_seconds_again():
    seconds = np.array([[1.0, 2.0], [10.0, 20.0]])
    kept = table([[0.5, 0.5], [0.6, 0.6]], seconds=seconds)
    outcome = search("standard", Kept(kept), n_candidates=50, settings={})
    drawn = draw(kept, 50)
    assert outcome.timing["seconds"] == drawn.seconds.sum() == outcome.timing["exhaustive_s"]
    assert outcome.timing["overhead_s"] > 0


def test_a_search_on_failures_alone_is_refused():
    with pytest.raises(ValueError, match="every candidate failed"):
        measured("standard", np.full((4, 2), np.nan))


def halved(scores, few, most, **settings):
    """Halving of 9 candidates: 9 on 16 of 100 rows, 3 on 48, by 2 folds each; 3 folds are kept on all rows."""
    kept = table(scores, space="ranges")
    rungs = {n: table(rung, space="ranges") for n, rung in ((16, few), (48, most))}
    settings = {"cv": 2, "min_resources": 16, **settings}
    return search("successive_halving", Kept(kept, rungs), n_candidates=9, settings=settings).result


def test_a_search_by_rungs_is_measured_by_the_rows_that_it_trained_on():
    few = np.linspace(0.1, 0.9, 9)[:, None].repeat(2, axis=1)
    most = few[::-1]
    result = halved(few.repeat(2, axis=1)[:, :3], few, most)
    # 18 fits on half of 16 rows and 6 on half of 48, of 27 fits on two thirds of 100.
    assert result["rows_share"] == pytest.approx((18 * 8 + 6 * 24) / (27 * 200 / 3))
    assert result["n_evaluations"] == 18 + 6
    # Candidates 6, 7, 8 go on; 6 is the best of them on 48 rows, while 8 is on all rows, and 7 in between.
    assert (result["best"], result["chosen"]) == (8, 6)
    assert result["quality"] == pytest.approx(1 - 2 / 9)
    assert result["regret"] == pytest.approx(0.2)
    assert np.isnan(result["search_time"])


def test_failed_fits_are_counted_among_the_distinct_candidates_of_the_tables_in_use():
    few = np.linspace(0.1, 0.9, 9)[:, None].repeat(2, axis=1)
    most, whole = few.copy(), few.repeat(2, axis=1)[:, :3]
    few[0], most[1, 0], whole[2, :2] = np.nan, np.nan, np.nan
    result = halved(whole, few, most)
    assert (result["n_failed"], result["n_failed_rungs"]) == (2, 3)
    rungs = {16: table(few, space="ranges")}
    greedy = search("greedy", Kept(table(whole, space="ranges"), rungs), n_candidates=2, settings={}).result
    assert (greedy["n_failed"], greedy["n_failed_rungs"]) == (0, 0)
    drawn = search("greedy", Kept(table(whole)), n_candidates=500, settings={}).result
    assert drawn["n_failed"] == 2
    rungs = {16: table(few), 48: table(most)}  # those of a seed, which its numbers of folds share
    with pytest.warns(UserWarning, match="5 failed fits in the kept scores; they rank last"):
        warn_of_failures([Kept(table(whole), rungs), Kept(table([[0.5]]), rungs)])


def test_rungs_of_other_folds_or_candidates_are_refused():
    few = np.linspace(0.1, 0.9, 9)[:, None].repeat(3, axis=1)
    says = r"successive_halving asks for 2 folds on \[16, 48\] rows; kept of these are \[48\]"
    with pytest.raises(NotKeptError, match=says):
        halved(few, few, few[:, :2])
    with pytest.raises(ValueError, match="unknown setting 'folds' of successive_halving; known: n_rows"):
        halved(few, few[:, :2], few[:, :2], folds=2)
    with pytest.raises(ValueError, match="hold different candidates"):
        search("greedy", Kept(table(few), {16: table(few[:5])}), n_candidates=9, settings={})


def test_kept_scores_are_gathered_by_seed(tmp_path):
    scores, seconds = ([tmp_path / what / f"{seed}.parquet" for seed in (3, 5)] for what in ("scores", "seconds"))
    for seed, path, clock in zip((3, 5), scores, seconds, strict=True):
        table(np.full((2, 2), seed / 10), seed=seed).write(path, seconds_path=clock)
    kept = read_kept(scores, seconds)
    assert list(kept) == [3, 5]
    assert kept[5].table.scores[0, 0] == 0.5
    assert kept[5].table.seconds[0, 0] == 0.0
    assert np.isnan(read_kept(scores)[5].table.seconds).all()
    with pytest.raises(ValueError, match="every score file needs its file of seconds, got 1 for 2"):
        read_kept(scores, seconds[:1])
    with pytest.raises(ValueError, match=r"seconds/5\.parquet does not hold the seconds of .*scores/3\.parquet"):
        read_kept(scores, seconds[::-1])


def test_kept_files_of_several_cells_are_told_apart(tmp_path):
    rng, paths, times = np.random.default_rng(0), [], []
    tables = {"toy": table(rng.random((6, 4))), "other": table(rng.random((6, 3)), seed=1)}
    for dataset, whole in tables.items():
        for fold in range(whole.scores.shape[1]):
            meta = {**whole.meta, "dataset": dataset, "folds": [fold]}
            column = whole.scores[:, [fold]]
            block = ScoreTable(column, np.full_like(column, len(dataset)), whole.candidates, meta)
            paths.append(tmp_path / f"{dataset}-{fold}.parquet")
            times.append(tmp_path / f"{dataset}-{fold}-seconds.parquet")
            block.write(paths[-1], seconds_path=times[-1])
    whole, rungs = tables["toy"], tmp_path / "rungs.parquet"
    meta = {**whole.meta, "rungs": [16, 48], "folds": [0, 1, 0, 1]}
    ScoreTable(whole.scores, whole.seconds, whole.candidates, meta).write(rungs)
    kept = read_tables([*paths, rungs])
    assert [part.table.meta["dataset"] for part in kept] == ["other", "toy"]
    assert np.array_equal(kept[1].table.scores, whole.scores)
    assert [sorted(part.rungs) for part in kept] == [[], [16, 48]]
    assert [part.table.seconds.max() for part in read_tables(paths, times)] == [5.0, 3.0]
    with pytest.raises(ValueError, match="hold no table on all rows of knn on toy for seed 0"):
        read_tables([*paths[4:], rungs])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("scaler", "robust"),
        ("splits", "plain"),
        ("space", "ranges"),
        ("data", "stand-in"),
        ("n_rows_of_dataset", 99),
        ("epochs", 3),
    ],
)
def test_rungs_that_were_scored_otherwise_than_their_table_are_refused(tmp_path, name, value):
    whole, paths = table(np.full((2, 2), 0.5)), [tmp_path / "whole.parquet", tmp_path / "rungs.parquet"]
    rungs = dataclasses.replace(whole, meta={**whole.meta, "rungs": [16], "n_folds": 3})
    whole.write(paths[0])
    rungs.write(paths[1])
    assert list(read_tables(paths)[0].rungs) == [16]
    dataclasses.replace(rungs, meta={**rungs.meta, name: value}).write(paths[1])
    with pytest.raises(ValueError, match=f"{name} of knn on toy for seed 0 is {value!r} on 16 rows, but "):
        read_tables(paths)


@pytest.mark.parametrize("seed", [0, 1])
def test_kept_scores_by_seed_are_of_one_cell(tmp_path, seed):
    table(np.full((2, 2), 0.5)).write(tmp_path / "2.parquet")
    table(np.full((2, 3), 0.5), seed=seed).write(tmp_path / "3.parquet")
    with pytest.raises(ValueError, match="are of several datasets, classifiers or numbers of folds"):
        read_kept([tmp_path / "2.parquet", tmp_path / "3.parquet"])


def test_cells_summarise_over_seeds():
    runs = pd.DataFrame(
        {"method": "greedy", "dataset": "d", "classifier": "c", "n": 4, "k": 2, "seed": [0, 1, 2],
         "search_time": [0.1, 0.2, 0.6], "n_tied": [1, 1, 4], "n_failed": [0, 3, 0]}
    )  # fmt: skip
    row = cells(runs).iloc[0]
    assert row["search_time_mean"] == pytest.approx(0.3)
    assert row["search_time_sd"] == pytest.approx(np.std([0.1, 0.2, 0.6], ddof=1))
    assert (row["n_tied_mean"], row["n_failed_mean"], row["n_seeds"]) == (2, 1, 3)
