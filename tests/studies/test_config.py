import inspect
from pathlib import Path

import pytest

from frugal.trials.surrogates.curve_posterior import PRIORS
from frugal.trials.surrogates.learning_curves import CurveModel
from frugal.trials.termination import BESTS, RULES, Terminating
from studies import config
from studies.cli import main

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
        (
            "trials_comparison.compared_live.n_train",
            900,
            "trials_comparison.compared_live: n_train must be 800, the largest of sizes, got 900",
        ),
        ("hypertune.mlp.datasets", ["letter"], "hypertune.mlp: unknown dataset of mlp 'letter'; known: mnist"),
        (
            "hypertune.svm.n_train",
            {"letter": 500},
            "hypertune.svm: unknown dataset in n_train 'mnist'; known: letter",
        ),
        (
            "hypertune.mlp.n_trials.hypertune",
            None,
            "hypertune.mlp: n_trials.hypertune must be a number, since its time is the budget of all, "
            "got none on mnist",
        ),
    ],
)
def test_what_is_refused_is_named(key, value, message):
    with pytest.raises(ValueError, match=f"^test: .*{message}"):
        config.check(changed(key, value), source="test")


@pytest.mark.parametrize(("key", "where"), [("3", "the top level"), ("strategies.3", "strategies")])
def test_a_key_that_is_no_text_is_refused_with_the_file_it_is_in(key, where):
    wrong = changed(key, {})
    place = wrong if where == "the top level" else wrong[where]
    place[3] = place.pop("3")
    with pytest.raises(ValueError, match=f"^test: {where} has the key 3, but every key must be a string$"):
        config.check(wrong, source="test")


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        (
            "big_data.growing_termination.termination",
            {"p": 6, "delt": 0.9},
            "unknown key 'delt' at .*; known keys: best",
        ),
        ("big_data.growing_termination.termination", {"delta": 0.9}, "key 'p' is missing at "),
        (
            "big_data.curve_search.termination",
            {"p": 6},
            "unknown key 'p' at .*; known keys: best, delta, noise, rule",
        ),
        ("big_data.terminating_fabolas.termination", {"p": 6, "horizon": 9}, "unknown key 'horizon' at "),
        ("big_data.curve_search.curve", {"steps": 9}, "unknown key 'steps' at .*; known keys: cut_beginning"),
    ],
)
def test_settings_of_a_termination_are_listed(key, value, message):
    with pytest.raises(ValueError, match=f"^test: {message}"):
        config.check(changed(key, value), source="test")


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        (
            "growing_termination.termination.p",
            30,
            "p must be at least 1, at most 29, the horizon without its last",
        ),
        ("terminating_fabolas.termination.curve", {"n_burn": 900}, "n_steps must be at least 910"),
        ("terminating_fabolas.termination.horizon", 9, "termination must not hold horizon, which is 30"),
        (
            "curve_search.termination.p",
            9,
            "termination must not hold p, which follows from the curves' check_share",
        ),
        ("curve_search.check_share", 1, "check_share 1 of 25 epochs leaves none at which to check"),
        ("curve_search.curve.n_burn", 400, "n_steps must be at least 410"),
    ],
)
def test_rules_that_cannot_be_built_are_refused_before_a_search(key, value, message):
    config.check_terminations(BASE)
    with pytest.raises(ValueError, match=rf"^test: big_data\.{key.split('.')[0]}: {message}"):
        config.check_terminations(changed(f"big_data.{key}", value), source="test")


def test_a_compared_strategy_that_cannot_be_built_is_refused_by_the_command(tmp_path, capsys):
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("folds_comparison: {compared: [{name: x, strategy: nope}]}")
    assert main(["config", "check", "config/config.yaml"]) == 0
    assert main(["config", "check", "config/config.yaml", str(wrong)]) == 2
    message = f"{wrong}: folds_comparison.compared.0 (x): unknown strategy 'nope'; known: aggressive_early"
    assert message in capsys.readouterr().err.splitlines()[-1]


def test_the_schema_lists_the_settings_of_a_rule():
    known = config.read(config.SCHEMA)["$defs"]
    own = set(inspect.signature(Terminating).parameters) - {"strategy", "rng", "horizon", "known"}
    assert set(known["termination"]["properties"]) == own
    sampled = inspect.signature(CurveModel).parameters
    assert set(known["extrapolation"]["properties"]) == set(sampled) - {"rng", "families"}
    for name, of in known["extrapolation"]["properties"].items():
        assert of["default"] == sampled[name].default
    lists = {"rule": RULES, "best": BESTS}
    assert {name: tuple(known[name]["enum"]) for name in lists} == lists
    assert tuple(known["extrapolation"]["properties"]["prior"]["enum"]) == PRIORS


def test_a_missing_key_is_named():
    without = {key: value for key, value in BASE.items() if key != "scale"}
    with pytest.raises(ValueError, match="key 'scale' is missing at the top level"):
        config.check(without)


def test_files_that_are_no_configuration_are_named(tmp_path):
    (tmp_path / "a.yaml").write_text("a: [1, 2")
    (tmp_path / "b.yaml").write_text("- 1")
    (tmp_path / "c.yaml").write_bytes(b"a: \xff")
    (tmp_path / "d.yaml").write_text("a: 2026-13-01")
    with pytest.raises(ValueError, match=r"a\.yaml is not valid YAML"):
        config.read(tmp_path / "a.yaml")
    for name in ("c", "d"):
        with pytest.raises(ValueError, match=rf"{name}\.yaml is not valid YAML: \S"):
            config.read(tmp_path / f"{name}.yaml")
    with pytest.raises(ValueError, match=r"b\.yaml must hold keys and values, got list"):
        config.read(tmp_path / "b.yaml")
