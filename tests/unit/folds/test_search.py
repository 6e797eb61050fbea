import dataclasses

import numpy as np
import pandas as pd
import pytest

from frugal.folds import ScoreTable
from frugal.folds.search import candidates_of, cells, draw, read_kept, search, seconds_path


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


def measured(method, scores, n=4, **options):
    return search(method, table(scores, space="ranges"), {}, n_candidates=n, settings={}, **options)


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
        times.append(search("standard", kept, {}, n_candidates=32, settings={}).result["search_time"])
    assert np.mean(times) == pytest.approx(33 / 64, abs=4 * 0.289 / 20)


def test_repeated_candidates_add_their_seconds_again():
    seconds = np.array([[1.0, 2.0], [10.0, 20.0]])
    kept = table([[0.5, 0.5], [0.6, 0.6]], seconds=seconds)
    outcome = search("standard", kept, {}, n_candidates=50, settings={})
    drawn = draw(kept, 50)
    assert outcome.timing["seconds"] == drawn.seconds.sum() == outcome.timing["exhaustive_s"]
    assert outcome.timing["overhead_s"] > 0


def test_a_search_on_failures_alone_is_refused():
    with pytest.raises(ValueError, match="every candidate failed"):
        measured("standard", np.full((4, 2), np.nan))


def test_kept_scores_are_gathered_by_seed(tmp_path):
    paths = []
    for seed in (3, 5):
        path = tmp_path / "scores" / f"seed{seed}.parquet"
        table(np.full((2, 2), seed / 10), seed=seed).write(path, seconds_path=seconds_path(path))
        paths.append(path)
    kept = read_kept(paths, with_seconds=True)
    assert list(kept) == [3, 5]
    assert kept[5].table.scores[0, 0] == 0.5
    assert kept[5].table.seconds[0, 0] == 0.0
    with pytest.raises(ValueError, match="does not lie under a folder called scores"):
        seconds_path(tmp_path / "other.parquet")


def test_cells_summarise_over_seeds():
    runs = pd.DataFrame(
        {"method": "greedy", "dataset": "d", "classifier": "c", "n": 4, "k": 2, "seed": [0, 1, 2],
         "search_time": [0.1, 0.2, 0.6], "n_tied": [1, 1, 4]}
    )  # fmt: skip
    row = cells(runs).iloc[0]
    assert row["search_time_mean"] == pytest.approx(0.3)
    assert row["search_time_sd"] == pytest.approx(np.std([0.1, 0.2, 0.6], ddof=1))
    assert (row["n_tied_mean"], row["n_seeds"]) == (2, 3)
