"""What the workflow's rules ask of `Plan`; whole dry runs are under tests/workflow."""

import json
from pathlib import PurePosixPath
from types import SimpleNamespace as Wildcards

import pytest

from studies import config as configuration
from studies.plan import Plan
from studies.plan.common import dataset_files, shares


@pytest.fixture(scope="module")
def plan():
    return Plan(configuration.complete({"scale": "laptop"}, source="configuration"))


def test_shares_hold_each_thing_once_and_the_last_may_be_smaller():
    assert shares(7, 3) == [(0, 2), (3, 5), (6, 6)]
    assert shares(3, 3) == [(0, 2)]


@pytest.mark.parametrize(
    ("name", "folder"), [("mnist", "mnist"), ("letter_2000", "letter"), ("adult_codes", "adult_codes")]
)
def test_a_subset_reads_the_dataset_that_it_is_drawn_from(name, folder):
    assert {path.rsplit("/", 1)[0] for path in dataset_files(name)} == {f"data/processed/{folder}"}


def test_scores_are_labelled_by_what_changes_them_and_the_label_leads_back(plan):
    settings = {"space": "ranges", "scaler": "robust", "splits": "plain"}
    label = plan.folds.variant_of(settings, "knn")
    assert label == "ranges-robust-plain"
    assert plan.folds.scoring_flags(Wildcards(variant=label, classifier="knn")).startswith(
        "--space ranges --scaler robust --splits plain --n-ranges"
    )
    assert plan.folds.variant_of({"space": "grid", "scaler": "none", "splits": "stratified"}, "knn") == "grid"


def test_the_scaler_of_olson_is_that_of_the_classifier_and_a_tree_needs_none(plan):
    settings = {"space": "grid", "scaler": "olson", "splits": "stratified"}
    labels = [plan.folds.variant_of(settings, name) for name in ("bernoulli_nb", "decision_tree", "knn")]
    assert labels == ["grid-min_max", "grid", "grid-robust"]


def test_a_list_of_ranges_is_as_long_as_the_longest_that_is_searched_in_it():
    plan = Plan(configuration.complete({"scale": "paper"}, source="configuration"))
    lengths = {"ranges": 2048, "ranges-robust": 512, "ranges-plain": 512, "ranges-own_seeds": 512}
    for variant, length in lengths.items():
        flags = plan.folds.scoring_flags(Wildcards(variant=variant, classifier="knn"))
        assert flags.endswith(f"--n-ranges {length}")
    assert plan.folds.timed_flags(Wildcards(variant="ranges", classifier="knn")).endswith("--n-ranges 1024")


def test_lists_and_rungs_are_those_that_the_comparison_searches_too():
    block = {"space": "ranges", "n_candidates": [64, 1024]}
    whole = configuration.complete({"scale": "laptop", "folds_comparison": block}, source="configuration")
    folds = Plan(whole).folds
    assert folds.scoring_flags(Wildcards(variant="ranges", classifier="knn")).endswith("--n-ranges 1024")
    lengths = folds.rung_lengths("early_stopping")
    assert lengths(Wildcards(variant="ranges", classifier="knn")) == [64, 128, 1024]
    assert lengths(Wildcards(variant="ranges-plain", classifier="knn")) == [128]
    assert folds.rung_lengths("wall_clock")(Wildcards(variant="ranges", classifier="knn")) == [128]


def test_of_one_classifier_alone_no_combination_is_made_that_cannot_change_it():
    block = {"classifiers": ["decision_tree"], "factorial": {"scalers": ["none", "olson"]}}
    whole = configuration.complete({"scale": "laptop", "greedy_cv": block}, source="configuration")
    files = {
        scaler: Plan(whole).folds.factorial_files(Wildcards(name=f"grid_{scaler}_stratified_repetition"))
        for scaler in ("none", "olson")
    }
    assert files["none"]
    assert files["olson"] == []


def test_a_reading_changes_where_halving_ranks_failed_fits_and_says_so():
    plan = Plan(configuration.complete({"scale": "paper"}, source="configuration"))
    wildcards = Wildcards(experiment="early_stopping", name="failed_first", method="successive_halving")
    assert json.loads(plan.folds.reading_strategy(wildcards))["failed"] == "first"
    assert "failed" not in json.loads(plan.folds.reading_strategy(Wildcards(name="failed_first", method="greedy")))
    assert json.loads(plan.folds.experiment_labels(wildcards)) == {"reading": "ranges/none", "failed": "first"}
    assert json.loads(plan.folds.experiment_labels(Wildcards(experiment="search_time")))["failed"] == "last"
    assert plan.folds.experiment_labels(Wildcards(experiment="sizes")) == "{}"


def test_a_combination_is_made_of_the_classifiers_that_it_tells_apart(plan):
    trees_alone = plan.folds.factorial_files(Wildcards(name="grid_none_stratified_candidate"))
    assert {path.split("/")[-4] for path in trees_alone} == {"decision_tree"}
    by_repetition = plan.folds.factorial_files(Wildcards(name="grid_none_stratified_repetition"))
    assert len(by_repetition) == 3 * len(trees_alone)


def test_successive_halving_reads_rungs_and_no_other_strategy_does(plan):
    shared = {"first": "0", "last": "0", "k": "5", "dataset": "wdbc", "classifier": "knn"}
    for method, n_rungs in (("successive_halving", 1), ("greedy", 0)):
        files = plan.folds.kept_scores(Wildcards(method=method, **shared))
        assert len([path for path in files if "rungs" in path]) == n_rungs


def test_a_job_does_the_length_or_the_method_in_its_path_or_all(plan):
    shared = {"method": "greedy", "dataset": "wdbc"}
    assert plan.folds.lengths()(Wildcards(n="16", **shared)) == [16]
    lengths = plan.folds.greedy_cv["search_time"]["n_candidates"]
    assert plan.folds.lengths()(Wildcards(n="all", **shared)) == lengths
    assert plan.rows.methods(Wildcards(experiment="bias", method="lcc")) == ["lcc"]
    assert len(plan.rows.methods(Wildcards(experiment="bias", method="all_methods"))) > 1


def test_what_a_paper_does_not_show_is_refused_by_name(plan):
    with pytest.raises(ValueError, match="greedy_cv has no table 'table9'; it has table1"):
        plan.shown.pack_of("table")(Wildcards(paper="greedy_cv", name="table9"))
    with pytest.raises(ValueError, match="trials_comparison has no claims 'claims'; it has none"):
        plan.shown.pack_of("claims")(Wildcards(paper="trials_comparison", part=""))
    with pytest.raises(ValueError, match="greedy_cv has no table 'table9'; it has table1, table1_by_n, "):
        plan.shown.artefact_inputs("table")(Wildcards(paper="greedy_cv", name="table9"))
    with pytest.raises(ValueError, match="trials_comparison has no claims 'claims'; it has none"):
        plan.shown.artefact_inputs("claims")(Wildcards(paper="trials_comparison", part=""))
    with pytest.raises(ValueError, match="hypertune has no derived run 'bounds'; it has none"):
        plan.shown.derived_runs(Wildcards(paper="hypertune", name="bounds"))


def test_what_is_made_from_the_same_runs_is_made_in_one_job_each_part_as_its_own_command_does(plan):
    wildcards = Wildcards(paper="greedy_cv", pack="table1")
    first = [("table", "table1"), ("table", "table1_by_n"), ("figure", "figure11"), ("figure", "figure12")]
    packed = plan.shown.packs["greedy_cv"]["table1"]
    assert packed[:4] == first
    shown = plan.shown.papers["greedy_cv"].by_kind
    assert packed == [
        (kind, name) for kind in shown for name, runs in shown[kind].items() if runs == ("search_time",)
    ]
    (runs,) = plan.shown.pack_inputs(wildcards)
    table, *_, figure = plan.shown.pack_jobs(wildcards, "packs/a")[:4]
    assert table == f"table greedy_cv table1 --runs {runs} --scale laptop --output packs/a/tables/table1.csv"
    assert figure.startswith(f"figure greedy_cv figure12 --runs {runs} --caption '")
    assert figure.endswith(" --output packs/a/figures/figure12.png")


def test_a_job_for_a_whole_paper_gives_each_part_its_own_runs_and_leaves_what_has_a_target_of_its_own():
    plan = Plan(configuration.complete({"scale": "smoke"}, source="configuration"))
    packs = plan.shown.packs["greedy_cv"]
    assert {name: listed[0] for name, listed in packs.items()} == {
        "table1": ("table", "table1"),
        "sensitivity_table": ("table", "sensitivity"),
        "figure1": ("figure", "figure1"),
    }
    lines = plan.shown.pack_jobs(Wildcards(paper="greedy_cv", pack="table1"), "packs/a")
    runs = "results/greedy_cv/runs/early_stopping.parquet"
    assert f"table greedy_cv table2 --runs {runs} --scale smoke --output packs/a/tables/table2.csv" in lines
    assert not any("sensitivity" in line for line in lines)


@pytest.mark.parametrize("scale", ["laptop", "smoke"])
def test_every_table_figure_and_file_of_claims_is_in_one_pack(scale):
    plan = Plan(configuration.complete({"scale": scale}, source="configuration"))
    packed = {
        (paper, *one) for paper, packs in plan.shown.packs.items() for listed in packs.values() for one in listed
    }
    assert len(packed) == len(plan.shown.targets())
    assert sum(len(listed) for packs in plan.shown.packs.values() for listed in packs.values()) == len(packed)


def test_a_packed_search_is_the_search_of_its_own_path(plan):
    lines = plan.trials.search_pack_jobs(Wildcards(search="functions"), "packs/a")
    n_seeds = plan.folds.config["exploration"]["functions"]["n_seeds"]
    assert len(lines) == 6 * 2 * n_seeds  # strategies, functions
    of_ei = [line for line in lines if line.startswith("trials ei ")]
    assert len(of_ei) == 2 * n_seeds
    assert of_ei[-1].startswith(
        "trials ei --learner function --dataset hartmann6 --seed 1 --n-trials 14 --settings"
    )
    assert of_ei[-1].endswith("--output packs/a/ei/function/hartmann6/seed1.parquet")
    pack = plan.trials.search_pack(Wildcards(method="ei", learner="function", dataset="hartmann6", seed="1"))
    assert pack == "results/trials/packs/functions"


def test_a_length_can_be_a_job_of_its_own():
    # Of one seed: two methods, nine cells; three k and five n of Table 1, three n of Tables 2 and 3.
    one_seed = {name: {"n_seeds": 1} for name in ("search_time", "early_stopping", "wall_clock")}
    given = {"scale": "paper", "lengths_per_job": 1, "greedy_cv": one_seed}
    folds = Plan(configuration.complete(given, source="configuration")).folds
    files = {name: set(folds.experiment_files(Wildcards(experiment=name))) for name in one_seed}
    assert len(files["search_time"] | files["early_stopping"]) == 2 * 9 * (3 * 5 + 3)
    assert len(files["wall_clock"]) == 2 * 9 * 3


def test_a_job_replays_thirty_seeds_and_all_lengths():
    folds = Plan(configuration.complete({"scale": "paper"}, source="configuration")).folds
    files = folds.experiment_files(Wildcards(experiment="search_time"))
    assert len(files) == 2 * 9 * 3
    assert all("/nall/" in path and path.endswith("/seeds0-29.parquet") for path in files)


def test_a_packed_replay_is_the_search_of_its_own_path(plan):
    lines = plan.folds.replay_pack_jobs(Wildcards(experiment="search_time", method="greedy"), "packs/a")
    assert len(lines) == 3 * 3  # datasets, classifiers; one number of folds
    assert lines[-1].endswith("--output packs/a/digits/knn/nall/k5/seeds0-0.parquet")
    pack = plan.folds.replay_pack(Wildcards(method="greedy", dataset="digits"))
    assert pack == "results/folds/packs/search_time/greedy"


def test_every_target_has_files_of_its_own(plan):
    targets = plan.shown.targets()
    files = [path for paths in targets.values() for path in paths]
    assert len(files) == len(set(files)) > 100
    assert targets["greedy_cv_table1"] == [
        "results/greedy_cv/tables/table1.csv",
        "results/greedy_cv/tables/table1.md",
    ]
    assert {"folds_comparison_ranks", "big_data_figure10_table", "greedy_cv_claims_sensitivity"} <= set(targets)


def test_an_experiment_on_a_subset_reads_the_files_of_its_dataset_and_none_of_what_it_simulates():
    given = {
        "scale": "laptop",
        "big_data": {"sample_sizes": {"dataset": "letter_2000"}, "compression": {"datasets": ["ripley"]}},
    }
    plan = Plan(configuration.complete(given, source="configuration"))
    assert plan.rows.inputs(Wildcards(experiment="sample_sizes")) == dataset_files("letter")
    assert plan.rows.inputs(Wildcards(experiment="compression")) == []


def test_a_method_called_all_is_one_method():
    plan = Plan(configuration.complete({"scale": "paper", "fan_out": "full"}, source="configuration"))
    files = plan.rows.files(Wildcards(experiment="complexity"))
    assert {PurePosixPath(path).parent.name for path in files} == {"subset", "all"}
    assert plan.rows.methods(Wildcards(experiment="complexity", method="all")) == ["all"]
    packed = Plan(configuration.complete({"scale": "paper"}, source="configuration"))
    together = {PurePosixPath(path).parent.name for path in packed.rows.files(Wildcards(experiment="complexity"))}
    assert [list(packed.rows.methods(Wildcards(experiment="complexity", method=name))) for name in together] == [
        ["subset", "all"]
    ]


@pytest.mark.parametrize("python", [None, "python3"])
def test_a_long_experiment_has_a_job_per_method_and_seed_which_waits_for_its_interpreter_or_is_given_one(python):
    given = {"scale": "paper", "greedy_cv": {"library": {"python": python, "n_seeds": 3}}}
    plan = Plan(configuration.complete(given, source="configuration"))
    files = plan.rows.files(Wildcards(experiment="library"))
    assert files == [
        f"results/rows/library/{method}/seeds{seed}-{seed}.parquet"
        for method in ("today", "of_2021")
        for seed in range(3)
    ]
    environment = "results/environments/scikit-learn-0.24.json"
    job = Wildcards(experiment="library", method="of_2021")
    assert (environment in plan.rows.inputs(job)) == (python is None)
    settings = json.loads(plan.rows.settings(job))
    assert (settings["python"], settings.get("interpreter")) == (python, None if python else environment)
