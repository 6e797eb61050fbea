import inspect
from pathlib import Path

import pytest

from frugal.trials.surrogates.curve_posterior import PRIORS
from frugal.trials.surrogates.learning_curves import STARTS, CurveModel
from frugal.trials.termination import BESTS, RULES, Terminating
from studies import config, config_jobs, keys, registry
from studies.cli import main
from studies.settings import Extrapolation

BASE = config.load("config/config.yaml")
SMOKE = config.load("config/config.yaml", "config/smoke.yaml")
PAPER = config.load("config/config.yaml", "config/paper.yaml")


@pytest.mark.parametrize("path", sorted(Path("config").glob("*.yaml")), ids=lambda p: p.name)
def test_every_scale_is_accepted(path):
    whole = config.load("config/config.yaml", path)
    config.check(whole, source=str(path))
    assert list(whole) == list(BASE)
    assert whole["scale"] == ("laptop" if path.stem == "config" else path.stem)
    assert len(path.read_text().splitlines()) <= 120


def test_what_is_given_lies_over_the_scale_and_the_scale_over_the_documents_numbers():
    given = {
        "scale": "smoke",
        "greedy_cv": {"search_time": {"n_seeds": 7}},
        "strategies": {"greedy": {"budget": 9}},
    }
    whole = config.complete(given)
    assert whole["greedy_cv"]["search_time"] == {"n_candidates": [128], "n_folds": [3], "n_seeds": 7}
    assert whole["strategies"]["greedy"] == {"ties": "lowest_index", "budget": 9}
    assert config.complete(whole) == whole
    assert config.complete({"scale": "paper"}) == PAPER  # config.yaml changes nothing but the scale


@pytest.mark.parametrize(
    ("scale", "allowed"), [("smoke", True), ("laptop", True), ("desk", True), ("paper", False)]
)
def test_stand_ins_are_refused_at_the_documents_own_scale_unless_they_are_allowed(scale, allowed):
    assert config.complete({"scale": scale})["allow_stand_in"] is allowed
    files = ("config/config.yaml", *([f"config/{scale}.yaml"] if scale != "laptop" else []))
    assert config.load(*files)["allow_stand_in"] is allowed
    assert config.complete({"scale": scale, "allow_stand_in": True})["allow_stand_in"]


def test_an_empty_mapping_means_none_but_changes_nothing_in_a_section():
    given = {"scale": "paper", "strategies": {}, "greedy_cv": {"readings": {}, "search_time": {}}}
    whole = config.complete(given)
    assert whole["greedy_cv"] == {**PAPER["greedy_cv"], "readings": {}}
    assert whole["strategies"] == PAPER["strategies"]
    given = {"scale": "paper", "big_data": {"svm_search": {"strategies": {}}}, "strategies": {"greedy": {}}}
    whole = config.complete(given)
    assert whole["big_data"]["svm_search"]["strategies"] == whole["strategies"]["greedy"] == {}
    refused = {"scale": "paper", "greedy_cv": {"sensitivity": {"variants": {}}}}
    with pytest.raises(
        ValueError, match=r"^config: greedy_cv\.sensitivity\.variants is {}, but must be a mapping of"
    ):
        config.complete(refused)


def test_a_whole_configuration_shares_nothing_with_the_next_one():
    whole = config.complete({"scale": "laptop"})
    whole["big_data"]["intervals"]["gammas"].append(2)
    whole["strategies"]["greedy"]["ties"] = "x"
    assert config.complete({"scale": "laptop"}) == BASE


def test_a_mapping_of_a_scale_may_take_the_place_of_the_default():
    # mtbo_16 is not run at laptop scale, where it has none of the settings that it has in the document's place.
    assert set(PAPER["big_data"]["cnn_search"]["strategies"]["mtbo_16"]) > {"n_initial"}
    assert BASE["big_data"]["cnn_search"]["strategies"]["mtbo_16"] == {"n_initial": 5}


def test_the_settings_of_every_study_are_in_its_papers_block():
    for name in registry.experiments():
        assert name in BASE[registry.paper_of(name)]
    for name in registry.searches():
        assert name in BASE[registry.paper_of(name)]


@pytest.mark.parametrize("name", ["elastic_net", "svm", "svm_rff", "mlp", "cifar_cnn"])
def test_a_learner_may_have_rows_of_the_data_sets_that_it_is_tuned_on(name):
    model = config.Configuration.sections()["hypertune"].sections()[name]
    assert model.tuned_on == tuple(dataset for _, dataset in registry.study(name).problems)


@pytest.mark.parametrize("scale", ["smoke", "laptop", "desk", "paper"])
@pytest.mark.parametrize("key", ["n_train", "n_valid", "n_test"])
def test_rows_by_data_set_are_of_data_sets_that_the_learner_is_tuned_on_even_where_it_is_not_run(scale, key):
    def given(learner, rows):
        return {"scale": scale, "hypertune": {learner: {key: rows}}}

    with pytest.raises(ValueError, match=rf"^test: hypertune\.svm\.{key} is {{}}, but must be a whole number"):
        config.complete(given("svm", {}), source="test")
    for rows in ({"letter": 500}, {"letter": 500, "cifar10": 500}):
        message = rf"^test: unknown key 'letter' at hypertune\.cifar_cnn\.{key}; known keys: cifar10"
        with pytest.raises(ValueError, match=message):
            config.complete(given("cifar_cnn", rows), source="test")
    whole = config.complete(given("cifar_cnn", {"cifar10": 500}))
    assert whole["hypertune"]["cifar_cnn"][key] == {"cifar10": 500}
    whole = config.complete(
        given("svm", dict.fromkeys(("letter", "mnist", "adult_codes", "adult", "vehicle"), 500))
    )
    config.check(whole)


def test_every_key_has_a_description():
    assert [key for key, field in keys.rows(config.Configuration) if not field.description] == []


def test_the_generated_schema_takes_what_the_models_take():
    jsonschema = pytest.importorskip("jsonschema")
    validator = jsonschema.Draft202012Validator(config.read(config.SCHEMA))
    for scale in (BASE, SMOKE, PAPER):
        validator.validate(scale)
    for key, value in (
        ("seedz", 3),
        ("greedy_cv.search_time.n_seeds", 0),
        ("greedy_cv.datasets", ["wdbc", "wdbc"]),
    ):
        assert not validator.is_valid(changed(key, value))


def test_the_nearest_key_is_named():
    with pytest.raises(ValueError, match=r"; the nearest is 'n_seeds'$"):
        config.complete({"scale": "laptop", "greedy_cv": {"sizes": {"nseeds": 1}}})


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
        ("scale", "huge", "scale is 'huge', but must be one of smoke, laptop, desk, paper"),
        ("seeds_per_job", 0, "seeds_per_job is 0, but must be a whole number of at least 1"),
        ("greedy_cv.k", 3, "unknown key 'k' at greedy_cv; known keys: classifiers"),
        (
            "greedy_cv.search_time.n_seeds",
            0,
            "greedy_cv.search_time.n_seeds is 0, but must be a whole number of at least 1",
        ),
        (
            "greedy_cv.search_time.n_folds",
            [5, 1],
            ".*n_folds.1 is 1, but must be a whole number of at least 2 and at most 100",
        ),
        ("greedy_cv.search_time.n_folds", [], ".*n_folds is .., but must be a list of at least 1 item"),
        ("greedy_cv.space", "grids", "greedy_cv.space is 'grids', but must be one of grid, ranges"),
        (
            "greedy_cv.datasets",
            ["iris"],
            ".*datasets.0 is 'iris', but must be one of wdbc, boston, digits",
        ),
        ("greedy_cv.datasets", ["wdbc", "wdbc"], ".*but must be a list without repeats"),
        ("greedy_cv.datasets", ["digits"], "greedy_cv.wall_clock.datasets has none of greedy_cv.datasets"),
        ("lengths_per_job", 2, "lengths_per_job is 2, but must be one of 1, all"),
        ("allow_stand_in", "yes", "allow_stand_in is 'yes', but must be true or false"),
        ("download.timeout_s", 0, "download.timeout_s is 0, but must be a number above 0"),
        ("lengths_per_job", True, "lengths_per_job is True, but must be one of 1, all"),
        ("greedy_cv.figure_seed", True, "greedy_cv.figure_seed is True, but must be a whole number of at least 0"),
        ("greedy_cv.figure_seed", "1", "greedy_cv.figure_seed is '1', but must be a whole number of at least 0"),
        ("big_data.subsampling.n_rows", "x", ".*n_rows is 'x', but must be a whole number of at least 100"),
        ("big_data.intervals.gammas", [0.55], ".*gammas.0 is 0.55, but must be one of 0.5, 0.6, 0.7, 0.8, 0.9"),
        ("big_data.reduced_search.sizes", [256, 128], r".*sizes is .*, but must be a list of increasing numbers"),
        ("download.timeout_s", float("nan"), ".*timeout_s is nan, but must be a number from -1000000000 to"),
        ("hypertune", None, "hypertune is None, but must be a mapping"),
        ("lookup.other", {"learner": "svm"}, "key 'dataset' is missing at lookup.other"),
        ("lookup.Other", {}, "lookup has the key 'Other', but every key must be a name of small letters, digits"),
        (
            "hypertune.svm.n_trials.random",
            "q",
            ".*random is 'q', but must be a whole number of at least 2 and at most 100000 or null, or a",
        ),
        ("strategies.greedi", {}, "strategies.greedi: unknown strategy 'greedi'; known: "),
        ("strategies.greedy", {"tie": 1}, "strategies.greedy: unknown setting 'tie' of greedy"),
        (
            "strategies.greedy_early_stopping",
            {"epsilon": -1},
            ".*epsilon must be at least 0 and a finite number, got -1",
        ),
        ("strategies.greedy_early_stopping", {"epsilon": "x"}, "strategies.greedy_early_stopping: "),
        (
            "exploration.functions.strategies",
            {"eii": {}},
            "exploration.functions: unknown method of functions 'eii'; known: random, tpe",
        ),
        (
            "trials_comparison.compared_svm.n_trials.mine",
            9,
            "trials_comparison.compared_svm: unknown method of compared_svm 'mine'; known: tpe",
        ),
        (
            "exploration.functions.n_initial",
            30,
            "exploration.functions: n_initial of random must be at most n_trials = 14, got 30",
        ),
        (
            "trials_comparison.compared_live.n_train",
            900,
            "trials_comparison.compared_live: n_train must be 800, the largest of sizes, got 900",
        ),
        (
            "trials_comparison.compared",
            [{"name": "mine"}],
            r"key 'strategy' is missing at trials_comparison\.compared\.0",
        ),
        (
            "trials_comparison.compared",
            [{"name": "mine", "strategy": "ei", "colour": "red"}],
            r"unknown key 'colour' at trials_comparison\.compared\.0; known keys: ",
        ),
        (
            "trials_comparison.compared",
            [{"name": "mine", "strategy": "ei", "experiments": ["svm"]}],
            r".*experiments\.0 is 'svm', but must be one of compared_svm",
        ),
        ("hypertune.mlp.datasets", ["letter"], "hypertune.mlp: unknown dataset of mlp 'letter'; known: mnist"),
        (
            "hypertune.svm.n_train",
            {"letter": 500},
            "hypertune.svm: unknown dataset in n_train 'adult'; known: letter",
        ),
        (
            "hypertune.mlp.n_trials.hypertune",
            None,
            "hypertune.mlp: n_trials.hypertune must be a number, since its time is the budget of all, "
            "got none on mnist",
        ),
        (
            "big_data.growing_termination.termination",
            {"p": 6, "delt": 0.9},
            "unknown key 'delt' at .*; known keys: best",
        ),
        ("big_data.growing_termination.termination", {}, "key 'p' is missing at "),
        (
            "big_data.curve_search.termination",
            {"p": 6},
            "unknown key 'p' at .*; known keys: best, delta, noise, rule",
        ),
        ("big_data.terminating_fabolas.termination", {"p": 6, "horizon": 9}, "unknown key 'horizon' at "),
        ("big_data.curve_search.curve", {"steps": 9}, "unknown key 'steps' at .*; known keys: cut_beginning"),
        ("greedy_cv.early_stopping.n_folds", [5, 10], "greedy_cv.early_stopping.n_folds must have one number"),
        ("greedy_cv.wall_clock.n_folds", [5, 10], "greedy_cv.wall_clock.n_folds must have one number"),
        ("exploration.task1.n_trials", 394, "exploration.task1.n_trials is 394, but must be .*at most 393"),
    ],
)
def test_what_is_refused_is_named(key, value, message):
    with pytest.raises(ValueError, match=f"^test: {message}"):
        config.check(config.complete(changed(key, value), source="test"), source="test")


def test_a_wrong_setting_of_a_compared_line_is_named_where_it_stands():
    line = {"name": "mine", "strategy": "tpe", "settings": {"magic": 1}}
    message = r"^test: trials_comparison\.compared\.0 \(mine\): unknown setting 'magic' of tpe; known: "
    with pytest.raises(ValueError, match=message):
        config_jobs.check_jobs(changed("trials_comparison.compared", [line]), source="test")
    line = {"name": "mine", "strategy": "mtbo", "settings": {"divisor": 2}, "experiments": ["compared_live"]}
    config_jobs.check_jobs(changed("trials_comparison.compared", [line]), source="test")


@pytest.mark.parametrize(("key", "where"), [("3", "the top level"), ("strategies.3", "strategies")])
def test_a_key_that_is_no_text_is_refused_with_the_file_it_is_in(key, where):
    wrong = changed(key, {})
    place = wrong if where == "the top level" else wrong[where]
    place[3] = place.pop("3")
    with pytest.raises(ValueError, match=f"^test: {where} has the key 3, but every key must be a string$"):
        config.complete(wrong, source="test")


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
        ("curve_search.check_share", 1, "check_share 1 of 16 epochs leaves none at which to check"),
        ("curve_search.curve.n_burn", 400, "n_steps must be at least 410"),
    ],
)
def test_rules_that_cannot_be_built_are_refused_before_a_search(key, value, message):
    config_jobs.check_jobs(BASE)
    with pytest.raises(ValueError, match=rf"^test: big_data\.{key.split('.')[0]}: {message}"):
        config_jobs.check_jobs(changed(f"big_data.{key}", value), source="test")


@pytest.mark.parametrize("one", [{}, {"space": "ranges"}, {"failed": "first"}])
def test_a_reading_whose_runs_are_those_of_the_study_is_refused(one):
    message = r"greedy_cv\.readings\.again: its runs of search_time would be those of the study itself; leave"
    with pytest.raises(ValueError, match=message):
        config_jobs.check_jobs(changed("greedy_cv.readings", {"again": one}))
    config_jobs.check_jobs(changed("greedy_cv.readings", {"again": {**one, "studies": []}}))


@pytest.mark.parametrize("study", ["fractions", "combinations"])
def test_simulated_data_are_refused_where_a_study_does_not_simulate_them(study):
    with pytest.raises(ValueError, match=f"^test: big_data.{study}: unknown dataset 'ripley'"):
        config_jobs.check_jobs(changed(f"big_data.{study}.datasets", ["ripley"]), source="test")


def test_a_compared_strategy_that_cannot_be_built_is_refused_by_the_command(tmp_path, capsys):
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("folds_comparison: {compared: [{name: x, strategy: nope}]}")
    assert main(["config", "check", "config/config.yaml"]) == 0
    assert main(["config", "check", "config/config.yaml", str(wrong)]) == 2
    message = f"{wrong}: folds_comparison.compared.0 (x): unknown strategy 'nope'; known: aggressive_early"
    assert message in capsys.readouterr().err.splitlines()[-1]


def test_the_schema_lists_the_settings_of_a_rule():
    known = keys.schema_of(config.Configuration)["$defs"]
    parameters = set(inspect.signature(Terminating).parameters) - {"strategy", "rng", "horizon", "known"}
    assert set(known["Termination"]["properties"]) == parameters
    sampled = inspect.signature(CurveModel).parameters
    assert set(known["Extrapolation"]["properties"]) == set(sampled) - {"rng", "families"}
    for name, field in Extrapolation.model_fields.items():
        assert field.default == sampled[name].default
    lists = {"rule": RULES, "best": BESTS}
    assert {name: tuple(known["Termination"]["properties"][name]["enum"]) for name in lists} == lists
    lists = {"prior": PRIORS, "start_weights": STARTS}
    assert {name: tuple(known["Extrapolation"]["properties"][name]["enum"]) for name in lists} == lists


@pytest.mark.parametrize(
    ("part", "names"),
    [
        ("studies__folds_comparison__settings__Compared", ["budget_share"]),
        ("studies__trials_comparison__settings__Compared", ["termination", "experiments"]),
        ("Variant", ["space", "scaler", "splits", "tie_rule"]),
        ("Reading", ["space", "scaler", "splits", "tie_rule", "failed"]),
    ],
)
def test_the_schema_gives_no_default_to_a_key_whose_absence_means_something_else(part, names):
    properties = keys.schema_of(config.Configuration)["$defs"][part]["properties"]
    assert [name for name in names if "default" in properties[name]] == []


def test_a_missing_key_is_named():
    without = {key: value for key, value in BASE.items() if key != "scale"}
    with pytest.raises(ValueError, match="key 'scale' is missing at the top level"):
        config.complete(without)
    without = config.merge(BASE, {})
    del without["greedy_cv"]["search_time"]["n_seeds"]
    assert config.complete(without) == BASE


def test_halving_without_its_number_of_folds_is_refused():
    whole = config.complete({"scale": "paper", "strategies": {"successive_halving": {}}}, source="here")
    with pytest.raises(ValueError, match=r"^here: strategies\.successive_halving must have the key 'cv'"):
        config.check(whole, source="here")


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


def test_a_key_that_stands_twice_is_refused(tmp_path):
    path = tmp_path / "twice.yaml"
    path.write_text("scale: smoke\ngreedy_cv: {sizes: {n_seeds: 1, n_seeds: 2}}\n")
    with pytest.raises(
        ValueError, match=r"twice\.yaml is not valid YAML: line 2 has the key 'n_seeds' of its block again"
    ):
        config.read(path)
    path.write_text("scale: smoke\ngreedy_cv: {sizes: {n_seeds: 1}, search_time: {n_seeds: 2}}\n")
    assert config.read(path)["greedy_cv"]["search_time"] == {"n_seeds": 2}


def test_a_key_over_one_that_is_merged_in_stands_once(tmp_path):
    path = tmp_path / "merged.yaml"
    path.write_text("a: &a {n: 1, x: 2}\nb: &b {<<: *a, n: 5}\nc: {<<: *b, x: 3}\n1: one\n'1': text\n")
    read = config.read(path)
    assert (read["b"], read["c"], read[1], read["1"]) == ({"n": 5, "x": 2}, {"n": 5, "x": 3}, "one", "text")
