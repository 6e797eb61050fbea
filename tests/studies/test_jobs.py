"""The jobs of the folds family and of networks, as the workflow's rules and people call them."""

import shutil

import numpy as np
import pandas as pd
import pytest

from frugal.datasets import Dataset
from studies.cli import main

SCORES = ["job", "scores", "--dataset", "wdbc", "--classifier", "knn", "--seed", "0", "--n-folds", "3"]


KEPT = ("results/folds/scores/a.parquet", "results/folds/seconds/a.parquet")


@pytest.fixture(scope="module")
def scored(tmp_path_factory):
    """A folder with kept scores of one repetition."""
    folder = tmp_path_factory.mktemp("scored")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert main([*SCORES, "--output", KEPT[0], "--seconds-output", KEPT[1]]) == 0
    return folder


@pytest.fixture
def kept(place, scored):
    """Kept scores of one repetition, in the folder in which the test runs."""
    shutil.copytree(scored, place, dirs_exist_ok=True)
    return KEPT[0]


def refused(capsys, arguments):
    """The one sentence on stderr of a command that must fail."""
    assert main(arguments) == 2
    lines = capsys.readouterr().err.strip().splitlines()
    return lines[-1]


def files(folder):
    return sorted(p.name for p in folder.rglob("*") if p.is_file())


def search(kept, **options):
    settings = {"method": "greedy", "n-candidates": "128", "output": "s.parquet", **options}
    return ["job", "search", "--scores", kept, *(part for k, v in settings.items() for part in (f"--{k}", v))]


def test_scores_search_and_collect_run_by_hand(kept, place):
    assert main(search(kept)) == 0
    row = pd.read_parquet("s.parquet").iloc[0]
    assert (row["n"], row["k"], row["n_evaluations"]) == (128, 3, 384)
    assert (
        main(["job", "collect", "--search", "s.parquet", "--output", "r.parquet", "--cells-output", "c.csv"]) == 0
    )
    assert pd.read_csv("c.csv")["search_time_mean"].item() == pytest.approx(row["search_time"])


def test_labels_add_columns_and_change_none(kept, place, capsys):
    assert main(search(kept)) == 0
    collect = ["job", "collect", "--search", "s.parquet", "--output", "r.parquet", "--cells-output", "c.csv"]
    says = refused(capsys, [*collect, "--labels", '{"variant": "plain", "method": "other"}'])
    assert says == "studies job collect: --labels may not change a column of the searches, got 'method'"
    assert "r.parquet" not in files(place)
    assert main([*collect, "--labels", '{"variant": "plain", "space": "grid"}']) == 0  # as the factorial's do
    row = pd.read_parquet("r.parquet").iloc[0]
    assert (row["variant"], row["space"]) == ("plain", "grid")


def test_the_same_call_writes_the_same_bytes(kept, place):
    first = (place / kept).read_bytes()
    assert main([*SCORES, "--output", kept, "--seconds-output", "b.parquet"]) == 0
    assert (place / kept).read_bytes() == first


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"--dataset": "iris"}, "unknown dataset 'iris'"),
        ({"--classifier": "forest"}, "unknown learner 'forest'; known: bernoulli_nb, decision_tree, knn"),
        ({"--space": "lists"}, "unknown space of knn 'lists'; known: grid, ranges"),
        ({"--scaler": "log"}, "unknown scaler 'log'; known: none, min_max, robust, standard"),
        ({"--n-folds": "1"}, "--n-folds must lie in [2, 569]"),
        ({"--n-folds": "400"}, "n_folds=400 exceeds the 212 rows of the smallest class of wdbc"),
        ({"--folds": "3-5"}, "--folds must lie in [0, 2], got [3, 4, 5]"),
    ],
)
def test_bad_scoring_input_is_named_before_anything_is_written(place, capsys, change, message):
    arguments = dict(zip(SCORES[2::2], SCORES[3::2], strict=True)) | change
    flat = [part for pair in arguments.items() for part in pair]
    assert message in refused(capsys, ["job", "scores", *flat, "--output", "out/s.parquet"])
    assert not (place / "out").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"method": "gredy"}, "unknown strategy 'gredy'; known: "),
        ({"settings": '{"tie": 1}'}, "unknown setting 'tie' of greedy; known: budget, ties"),
        ({"settings": "{ties}"}, "--settings must be a JSON object, got '{ties}'"),
        ({"settings": "[1]"}, "--settings must be a JSON object, got '[1]'"),
        ({"seeds": "0-2"}, "there are no score files for seed 1"),
        ({"tie-rule": "any"}, "unknown tie_rule 'any'; known: random, first, last"),
        (
            {"method": "successive_halving"},
            "successive_halving asks for 5 folds on [20, 60, 180, 540] rows; kept of these are []",
        ),
    ],
)
def test_bad_search_input_is_named_before_anything_is_written(kept, place, capsys, change, message):
    assert message in refused(capsys, search(kept, **change))
    assert "s.parquet" not in files(place)


def test_more_candidates_than_a_ranges_list_holds_are_refused(place, capsys):
    ranges = [*SCORES, "--space", "ranges", "--n-ranges", "16", "--output", "scores/r.parquet"]
    assert main(ranges) == 0
    says = refused(capsys, search("scores/r.parquet", **{"n-candidates": "17"}))
    assert "n_candidates=17 exceeds the 16 scored candidates of the ranges of knn" in says


def test_a_truncated_score_file_is_named(kept, place, capsys):
    (place / kept).write_bytes((place / kept).read_bytes()[:200])
    says = refused(capsys, search(kept))
    assert f"{kept} is truncated or not a parquet file; delete it and run again" in says


def test_a_truncated_search_file_is_named(place, capsys):
    (place / "s.parquet").write_bytes(b"PAR1")
    says = refused(
        capsys, ["job", "collect", "--search", "s.parquet", "--output", "r.parquet", "--cells-output", "c.csv"]
    )
    assert "s.parquet is truncated or not a parquet file" in says


def test_a_results_folder_that_cannot_be_written_is_named(place, capsys):
    (place / "results").write_text("a file in the place of the folder")
    says = refused(capsys, [*SCORES, "--output", "results/s.parquet"])
    assert "results" in says
    assert (place / "results").read_text() == "a file in the place of the folder"


def test_an_output_that_exists_survives_a_failed_command(kept, place, capsys):
    (place / "s.parquet").write_text("kept")
    refused(capsys, search(kept, method="gredy"))
    assert (place / "s.parquet").read_text() == "kept"


def test_seconds_are_added_up_where_their_files_are_given(kept, capsys):
    assert main(search(kept, seconds="results/folds/seconds/a.parquet")) == 0
    assert pd.read_parquet("s.parquet")["exhaustive_s"].item() > 0
    assert refused(capsys, search(kept, seconds="b.parquet")) == "studies job search: b.parquet does not exist"


@pytest.mark.parametrize("text", ["a", "4-2", "-1", ""])
def test_fold_numbers_must_be_a_number_or_a_range(capsys, text):
    with pytest.raises(SystemExit) as stop:
        main([*SCORES, f"--folds={text}", "--output", "x"])
    assert stop.value.code == 2
    assert "neither a number nor a range such as 0-4" in capsys.readouterr().err


def test_a_default_above_its_stated_error_leaves_no_file(place, capsys, monkeypatch):
    y = np.arange(30) % 10  # ten classes that nothing tells apart
    splits = {"train": np.arange(20), "test": np.arange(20, 30)}
    dull = Dataset("dull", np.zeros((30, 144), np.uint8), y, 10, "generated", splits, image_shape=(12, 12))
    monkeypatch.setattr("frugal.datasets.load", lambda name, root: dull)
    arguments = ["job", "default", "--network", "mnist_cnn", "--dataset", "mnist_100", "--epochs", "1"]
    assert main([*arguments, "--max-error", "0", "--output", "default.csv"]) == 3
    assert "0.0% at most is stated; nothing is tuned before it reaches that" in capsys.readouterr().err
    assert list(place.iterdir()) == []


def test_the_methods_of_rows_run_by_turns(place, monkeypatch):
    """Else a machine that slows down would look like a slow method."""
    calls = []

    def run(experiment, method, seed, *_):
        calls.append((seed, method))
        return pd.DataFrame({"method": [method], "seed": [seed], "data": ["generated"]})

    monkeypatch.setattr("studies.jobs.run_experiment", run)
    methods = ["--methods", "uniform", "lcc", "--seeds", "0-1", "--settings", "{}"]
    assert main(["job", "rows", "subsampling", *methods, "--output", "runs.parquet"]) == 0
    assert calls == [(0, "uniform"), (0, "lcc"), (1, "uniform"), (1, "lcc")]
    written = pd.read_parquet("runs.parquet")
    assert list(zip(written["seed"], written["method"], strict=True)) == calls
