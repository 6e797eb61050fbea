from pathlib import Path

import pytest

from frugal import config

BASE = config.read("config/config.yaml")


def merged(path):
    return config.merge(BASE, config.read(path))


@pytest.mark.parametrize("path", sorted(Path("config").glob("*.yaml")), ids=lambda p: p.name)
def test_every_scale_is_accepted(path):
    config.check(merged(path))
    assert merged(path).keys() == BASE.keys()


def changed(key, value):
    copy = config.merge(BASE, {})
    *path, last = key.split(".")
    place = copy
    for part in path:
        place = place[part]
    place[last] = value
    return copy


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("seedz", 3, "unknown key 'seedz' at the top level; known keys: allow_stand_in"),
        ("greedy_cv.k", 3, "unknown key 'k' at greedy_cv; known keys: classifiers"),
        ("greedy_cv.search_time.n_seeds", 0, "greedy_cv.search_time.n_seeds is 0, but must be at least 1"),
        ("greedy_cv.search_time.n_folds", [5, 1], "n_folds.1 is 1, but must be at least 2 and at most 100"),
        ("greedy_cv.search_time.n_folds", [], "n_folds is .., but must be a list of at least 1 item"),
        ("greedy_cv.space", "grids", "greedy_cv.space is 'grids', but must be one of grid, ranges"),
        (
            "greedy_cv.datasets",
            ["iris"],
            "datasets.0 is 'iris', but must be one of wdbc, boston, digits",
        ),
        ("greedy_cv.datasets", ["wdbc", "wdbc"], "but must be a list without repeats"),
        ("greedy_cv.datasets", ["digits"], "greedy_cv.wall_clock.datasets has none of greedy_cv.datasets"),
        ("lengths_per_job", 2, "lengths_per_job is 2, but must be one of 1, all"),
        ("allow_stand_in", "yes", "allow_stand_in is 'yes', but must be of type boolean"),
        ("download.timeout_s", 0, "download.timeout_s is 0, but must be above 0"),
        ("strategies.greedi", {}, "strategies.greedi: unknown strategy 'greedi'; known: "),
        ("strategies.greedy", {"tie": 1}, "strategies.greedy: unknown setting 'tie' of greedy"),
        (
            "strategies.greedy_early_stopping",
            {"epsilon": -1},
            "epsilon must be at least 0 and a finite number, got -1",
        ),
        ("strategies.greedy_early_stopping", {"epsilon": "x"}, "strategies.greedy_early_stopping: "),
        (
            "exploration.functions.strategies",
            {"eii": {}},
            "exploration.functions: unknown method of functions 'eii'; known: random, tpe",
        ),
        (
            "exploration.functions.n_initial",
            30,
            "exploration.functions: n_initial of random must be at most n_trials = 20, got 30",
        ),
    ],
)
def test_what_is_refused_is_named(key, value, message):
    with pytest.raises(ValueError, match=f"^test: .*{message}"):
        config.check(changed(key, value), source="test")


def test_a_missing_key_is_named():
    without = {key: value for key, value in BASE.items() if key != "scale"}
    with pytest.raises(ValueError, match="key 'scale' is missing at the top level"):
        config.check(without)


def test_files_that_are_no_configuration_are_named(tmp_path):
    (tmp_path / "a.yaml").write_text("a: [1, 2")
    (tmp_path / "b.yaml").write_text("- 1")
    with pytest.raises(ValueError, match=r"a\.yaml is not valid YAML"):
        config.read(tmp_path / "a.yaml")
    with pytest.raises(ValueError, match=r"b\.yaml must hold keys and values, got list"):
        config.read(tmp_path / "b.yaml")
