"""What the workflow would do, without doing it; and what it refuses to begin."""

import json
import re
import shlex
from functools import cache, partial
from pathlib import Path
from shutil import rmtree

import pytest
import yaml
from checkout import copy_to, snakemake

from frugal.arguments import make_parser
from studies import config
from studies.arguments import make_parser as make_studies_parser
from studies.blocks import block_of, n_trials_of
from studies.folds_comparison.entries import entries_of
from studies.jobs import JOBS
from studies.trials_comparison.problems_and_methods import EXPERIMENTS, searches_of

slow = partial(pytest.param, marks=pytest.mark.slow)
CONFIG = Path(__file__).parents[2] / "config"
BASE = (CONFIG / "config.yaml", CONFIG / "smoke.yaml")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return copy_to(tmp_path_factory.mktemp("plan"))


ONE_SEED = {"greedy_cv": {name: {"n_seeds": 1} for name in ("search_time", "early_stopping", "wall_clock")}}
"""Of document 001 at paper scale: to plan all thirty takes a minute."""


@pytest.fixture(scope="module")
def plan(place):
    """What a dry run says of a scale, or of targets of it; each is asked for once, since it takes seconds."""
    (place / "seed.yaml").write_text(yaml.safe_dump(ONE_SEED))

    @cache
    def ask(scale, *targets):
        files = (f"config/{scale}.yaml", *["seed.yaml"] * (scale == "paper"))
        done = snakemake(place, "--dry-run", "--printshellcmds", "--configfile", *files, "--", *targets)
        assert done.returncode == 0, done.stdout
        return done.stdout

    return ask


def jobs(output):
    """Number of jobs per rule in a dry run's table."""
    table = output.split("Job stats:")[1].split("Reasons:")[0]
    return {name: int(count) for name, count in re.findall(r"^(\w+) +(\d+)$", table, flags=re.MULTILINE)}


def of_rule(output, rule, words=""):
    """Jobs of a rule that a dry run plans, those with the words in them."""
    return [job for job in output.split("rule ") if job.startswith(f"{rule}:") and words in job]


def explained(output):
    """Document 001's figures that explain by a small real run of a seed: those of the pack that reads no runs."""
    packs = [job.split("output:") for job in of_rule(output, "pack", "paper=greedy_cv")]
    (outputs,) = [outputs for given, outputs in packs if "results/" not in given]
    return of_rule(output, "packed_figure", f"input: {outputs.split()[0]}, data/processed/")


@pytest.mark.parametrize("scale", ["smoke", slow("config"), slow("paper")])
def test_every_scale_plans_the_whole_paper(plan, scale):
    assert len(explained(plan(scale))) == 10


def test_every_command_of_the_rules_is_one_that_its_command_line_takes(plan):
    commands = re.findall(r"^Shell command: (.+) > results/logs/\S+ 2>&1$", plan("smoke"), flags=re.MULTILINE)
    studies, called = make_studies_parser(), set()
    for command in commands:
        match shlex.split(command):
            case ["frugal", *words]:
                called.add(make_parser().parse_args(words).command)
            case ["python", "-m", "studies", "job", "pack", *packed]:
                called |= {"pack", *(studies.parse_args(["job", *shlex.split(line)]).command for line in packed)}
            case ["python", "-m", "studies", *words]:
                called.add(studies.parse_args(words).command)
    assert called == {*JOBS, "data", "summary"} - {"compare"}  # which targets of their own call


def test_smoke_fans_out_fully(plan):
    # 2 datasets x 1 classifier x 3 folds x 1 seed, a job each; 2 methods replayed for each cell of Table 1, and 2
    # for each of Table 2.
    planned = jobs(plan("smoke"))
    assert planned["scores"] == 2 * 1 * 3
    assert planned["search"] == 2 * (2 * 1 * 2)


@pytest.mark.slow
def test_how_failed_fits_rank_is_nothing_that_rungs_depend_on(plan):
    assert all('"failed"' not in job for job in of_rule(plan("config"), "rungs"))
    assert of_rule(plan("config"), "rungs")


def test_paper_scale_packs_searches_and_scores(plan):
    # 3 datasets x 3 classifiers x 3 k of scores; of searches, all n in each, 2 methods x 9 cells x 3 k of Table 1,
    # and x 1 k of Tables 2 and 3.
    planned = jobs(plan("paper"))
    # of scores, on the ranges, on the lists, and naive Bayes and KNN on the lists with Olson et al.'s scalers
    assert planned["scores"] == (9 + 9 + 6) * 3
    assert planned["search"] == 2 * 9 * (3 + 1)


def test_the_files_of_a_pack_are_made_again_once_their_runs_are_newer(plan):
    # The pack's folder is temporary, so that its date says nothing.
    inputs = {
        ("packed_table", "tables/table1_by_n"): "results/greedy_cv/runs/search_time.parquet",
        ("packed_figure", "figures/figure11"): "results/greedy_cv/runs/search_time.parquet",
        ("packed_claims", "claims"): "results/greedy_cv/runs/early_stopping.parquet",
    }
    for (rule, name), runs in inputs.items():
        planned = of_rule(plan("config"), rule, f"results/greedy_cv/{name}.csv")
        assert planned
        assert all(runs in job.split("input: ")[1].split("\n")[0].split(", ") for job in planned)
    searches = of_rule(plan("config"), "packed_trials", "results/trials/ei/")
    assert searches
    assert all(job.split("input: ")[1].startswith("results/trials/packs/") for job in searches)


FEW_CELLS = {
    "greedy_cv": {
        "datasets": ["wdbc"],
        "classifiers": ["decision_tree", "knn"],
        "search_time": {"n_candidates": [16, 32], "n_folds": [3, 5], "n_seeds": 2},
    },
    "exploration": {"functions": {"n_seeds": 2, "n_trials": 6}},
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            # 2 classifiers x 2 seeds x (3 + 5) folds, and x 2 methods x 2 n x 2 k; 6 strategies x 2 functions
            {"fan_out": "full"},
            {"scores": 32, "search": 32, "collect": 1, "trials": 24, "gather_trials": 1, "table": 1, "figure": 1},
        ),
        (
            {"fan_out": "full", "folds_per_job": 5},  # what is given holds
            {"scores": 8, "search": 32, "collect": 1, "trials": 24, "gather_trials": 1, "table": 1, "figure": 1},
        ),
    ],
)
def test_full_fan_out_is_a_job_for_each_cell_seed_and_fold_and_no_pack(place, given, expected):
    path = place / "few.yaml"
    path.write_text(yaml.safe_dump(FEW_CELLS | given))
    targets = ("greedy_cv_table1", "greedy_cv_figure1", "results/exploration/runs/functions.parquet")
    done = snakemake(place, "--dry-run", "--configfile", "few.yaml", "--", *targets)
    assert done.returncode == 0, done.stdout
    planned = jobs(done.stdout)
    assert {name: planned.get(name) for name in expected} == expected
    assert not [name for name in planned if "pack" in name]


TARGETS = (
    "greedy_cv",
    *(f"greedy_cv_table{i}" for i in (1, 2, 3)),
    "greedy_cv_table1_by_n",
    *(f"greedy_cv_figure{i}" for i in range(1, 13)),
    "greedy_cv_claims",
    "greedy_cv_claims_sensitivity",
    "greedy_cv_sensitivity",
    "beta_pruning",
    "beta_pruning_figure4",
    "folds_comparison",
    "folds_comparison_ranks",
    "trials_comparison",
    "data/processed/pima2/provenance.json",
    "results/lookup/svm_mnist_recheck.csv",
)
READERS = {"scores", "rungs", "network_scores", "network_default", "trials", "lookup_part", "curves"}


@pytest.mark.parametrize(
    ("targets", "expected"),
    [
        ((), READERS | {"scores_timed", "rows_timed", "pack", "hypertune_refits", "exploration_refits"}),
        slow(TARGETS, READERS | {"compare_trials", "lookup_recheck"}),
    ],
    ids=["all", "comparisons and recheck"],
)
def test_every_job_that_reads_a_dataset_waits_for_all_of_its_files(plan, targets, expected):
    readers = set()
    for job in re.split(r"^rule ", plan("smoke", *targets), flags=re.MULTILINE)[1:]:
        name, (_, _, given) = job.split(":")[0], job.split("output:")[0].partition("input: ")
        files = {path for path in re.split(r"[, \n]+", given) if path.startswith("data/processed/")}
        folders = {path.rsplit("/", 1)[0] for path in files}
        assert files == {
            f"{folder}/{file}" for folder in folders for file in ("X.npy", "y.npy", "provenance.json")
        }
        readers |= {name} if files else set()
    assert expected <= readers


@pytest.mark.slow
def test_every_table_and_figure_has_a_target(plan):
    assert len(explained(plan("smoke", *TARGETS))) == 10


@pytest.mark.slow
def test_searches_are_compared_with_those_that_document_003_runs(plan):
    # 3 + 2 on the table, 2 + 1 on the CNN's sizes, 6 on each of two sets of curves, 3 on each live learner, and
    # whatever has been added to these.
    smoke = config.load(*BASE)
    searches = searches_of(smoke)
    n_searches = sum(
        len(n_trials_of(searches[name], block_of(searches[name], smoke), dataset))
        for name in ("svm_search", "cnn_search", "curve_search", *EXPERIMENTS)
        for _, dataset in searches[name].problems
    )
    assert n_searches >= 26
    planned = plan("smoke", *TARGETS)
    counts, figures = jobs(planned), of_rule(planned, "packed_figure", "paper=trials_comparison")
    assert (counts["trials"], counts["compare_trials"], len(figures)) == (n_searches, 6, 6)
    on_rows = next(job for job in planned.split("rule ") if "results/trials/hyperband/lookup/svm_mnist" in job)
    assert "results/lookup/svm_mnist.parquet" in on_rows.split("output:")[0]
    assert jobs(plan("smoke")).get("compare_trials") is None  # not part of `all`


@pytest.mark.slow
def test_a_network_is_scored_once_its_default_is_checked_and_not_by_the_batch_scorers(plan):
    planned = plan("smoke", *TARGETS)
    jobs = [job for job in planned.split("rule ") if "output: results/folds/scores/mnist_500/mnist_cnn" in job]
    assert jobs
    for job in jobs:
        assert job.startswith("network_scores:")
        assert "results/networks/mnist_cnn/mnist_500/default.csv" in job
    compared = of_rule(planned, "compare", "mnist_cnn")
    entries = entries_of(config.load(*BASE)).values()
    assert len(compared) == len([entry for entry in entries if entry.strategy != "successive_halving"]) >= 20
    assert not any("--n-candidates" in job for job in compared)  # the list is the document's


@pytest.fixture(scope="module")
def plan_of_searches(plan):
    """Jobs of document 003's searches at paper scale, chosen by their rules and by words in their outputs."""
    runs = [f"results/big_data/runs/{name}.parquet" for name in ("svm_search", "cnn_search", "curve_search")]
    planned = plan("paper", *runs)

    def chosen(rules, words=("",)):
        named = [job for rule in rules for job in of_rule(planned, rule)]
        return [job for job in named if any(word in job.split("output:")[1].split("log:")[0] for word in words)]

    return chosen


def test_a_scale_that_refuses_stand_ins_fetches_no_dataset_again_and_runs_on_none(place):
    prepared = place / "data/processed/wdbc"
    prepared.mkdir(parents=True)
    for name in ("X.npy", "y.npy", "provenance.json"):
        (prepared / name).write_text("{}")

    def planned(allowed, *options):
        given = ("--configfile", "config/smoke.yaml", *options, "--config", f"allow_stand_in={allowed}")
        return snakemake(place, *given, "--", "data/processed/wdbc/provenance.json")

    try:
        assert planned(True, "--touch", "--force").returncode == 0  # so that Snakemake knows with what it was made
        for allowed in (True, False):
            assert "Nothing to be done" in planned(allowed, "--dry-run").stdout
        (prepared / "provenance.json").write_text(json.dumps({"provenance": "stand-in"}))
        assert planned(True, "--dry-run").returncode == 0
        refused = planned(False, "--dry-run")
        assert refused.returncode == 1
        assert "data/processed/wdbc holds a stand-in, which allow_stand_in: false refuses" in refused.stdout
    finally:
        rmtree(place / "data/processed")
        rmtree(place / ".snakemake/metadata")


@pytest.mark.parametrize(
    ("target", "known"),
    [
        (
            "results/trials/ei/svm/mnist/seed0.parquet",
            "no search by ei on svm/mnist; it has those on elastic_net/letter, ",
        ),
        ("results/folds/search/standard/adult/knn/nall/k5/seeds0-0.parquet", "on adult; it has those on boston, "),
    ],
)
def test_a_search_that_a_configuration_lacks_is_refused_with_those_that_it_has(place, target, known):
    done = snakemake(place, "--configfile", "config/smoke.yaml", "--dry-run", "--", target)
    assert done.returncode == 1
    assert known in done.stdout


@pytest.mark.slow
def test_searches_of_a_table_of_fits_wait_for_it_and_are_gathered_with_it(plan_of_searches):
    # Seven methods of ten seeds; the table has a job for each of its 20 values of gamma.
    readers = plan_of_searches(("trials", "gather_trials"), ("/lookup/svm_mnist/", "/svm_search.parquet"))
    assert sum(job.startswith("trials:") for job in readers) == 7 * 10
    assert len(readers) == 7 * 10 + 1
    assert len(plan_of_searches(("lookup_part",))) == 20
    assert all("results/lookup/svm_mnist.parquet" in job.split("output:")[0] for job in readers)


@pytest.mark.slow
def test_searches_of_stored_curves_wait_for_them_and_are_given_their_sizes(plan_of_searches):
    # Six methods of ten seeds; sixty candidates in jobs of ten.
    searches = plan_of_searches(("trials",), ("/curves/cnn_sizes_cifar10/",))
    curves = plan_of_searches(("curves",), ("/cnn_sizes/cifar10/",))
    gathered = plan_of_searches(("gather_curves",), ("/cnn_sizes_cifar10.parquet",))
    assert (len(searches), len(curves), len(gathered)) == (6 * 10, 6, 1)
    assert all("results/curves/cnn_sizes_cifar10.parquet" in job.split("output:")[0] for job in searches)
    fabolas = next(job for job in searches if "python -m studies job trials fabolas" in job)
    assert '"sizes": [128, 256, 512, 1024, 2048]' in fabolas
    small = next(job for job in searches if "python -m studies job trials mtbo_16" in job)
    assert '"auxiliary": 128' in small
    assert "--network cifar_cnn" in curves[0]
    assert '"n_train": [2048, 1024, 512, 256, 128]' in curves[0]


@pytest.mark.slow
def test_searches_with_termination_wait_for_the_curves_and_their_extrapolations(plan_of_searches):
    # Three optimisers without and with, on two sets, from ten seeds; 50 curves of a set, ten in a job.
    sets = ("/cifar_cnn/cifar10/", "/mlp/mnist/")
    searches = plan_of_searches(("trials",), ("/curves/cifar_cnn_cifar10/", "/curves/mlp_mnist/"))
    assert len(searches) == 6 * 2 * 10
    assert len(plan_of_searches(("curves",), sets)) == len(plan_of_searches(("extrapolations",), sets)) == 2 * 5
    for job in searches:
        inputs, outputs = job.split("output:")
        assert ("_extrapolations.parquet" in inputs) == ("_terminated/" in outputs.split("log:")[0])


def test_searches_of_a_network_wait_for_its_default_and_are_given_what_follows_from_the_rows(plan):
    planned = plan("smoke")
    gathered = "".join(of_rule(planned, "gather_trials", "paper=hypertune"))
    outputs = set(re.findall(r"results/trials/\S+\.parquet", gathered))
    assert (len(outputs), len(of_rule(planned, "hypertune_refits"))) == (7, 2)
    assert len(of_rule(planned, "network_default", "results/networks/mlp/")) == 1
    made = [of_rule(planned, rule, "paper=hypertune") for rule in ("packed_table", "packed_figure")]
    assert [len(jobs) for jobs in made] == [8, 7]
    (shown,) = of_rule(planned, "pack", "wildcards: paper=hypertune, pack=table1")
    for name in ("elastic_net", "elastic_net_refits", "mlp", "mlp_refits"):
        assert f"results/hypertune/runs/{name}.parquet" in shown.split("output:")[0]
    (on_mlp,) = of_rule(planned, "trials", "--learner mlp")
    assert "results/networks/mlp/mnist_500/default.csv" in on_mlp.split("output:")[0]
    (tuned,) = of_rule(planned, "trials", "python -m studies job trials hypertune --learner elastic_net")
    assert '"subset_rows": 260' in tuned  # ten of each of 26 classes; a tenth of 400 is fewer
    assert '"space": "hypertune"' in tuned


@pytest.mark.slow
def test_a_tuner_whose_name_begins_with_anothers_is_planned_as_itself(tmp_path):
    place = copy_to(tmp_path)
    path = place / "src/studies/hypertune/curves.py"
    listed = '*methods("random",'
    assert listed in path.read_text()
    path.write_text(path.read_text().replace(listed, '*methods("ei_explore", "random",'))
    tuned = {"n_trials": {"ei_explore": 9}, "strategies": {"ei_explore": {"n_initial": 2, "n_starts": 3}}}
    blocks = {name: {"n_trials": {"ei_explore": None}} for name in ("svm", "svm_rff", "mlp", "cifar_cnn")}
    (place / "tuned.yaml").write_text(yaml.safe_dump({"hypertune": {**blocks, "elastic_net": tuned}}))
    files = ("--configfile", "config/smoke.yaml", "tuned.yaml")
    done = snakemake(place, "--dry-run", "--printshellcmds", *files, "--", "hypertune")
    assert done.returncode == 0, done.stdout
    command = next(line for line in done.stdout.splitlines() if "python -m studies job trials ei_explore" in line)
    assert "--learner elastic_net" in command
    settings = json.loads(re.search(r"--settings '(.*?)'", command)[1])
    assert settings["strategies"] == {
        "ei_explore": {"n_initial": 2, "n_starts": 3}
    }  # its own name is its strategy
    blocks["elastic_net"] = {"strategies": tuned["strategies"]}  # and no number of trials
    (place / "tuned.yaml").write_text(yaml.safe_dump({"hypertune": blocks}))
    done = snakemake(place, "--dry-run", *files, "--", "hypertune")
    assert done.returncode != 0
    message = "hypertune.elastic_net: n_trials must have a number for ei_explore, or null where it is not run"
    assert message in done.stdout


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("seedz=3", "unknown key 'seedz' at the top level; known keys: allow_stand_in, beta_pruning, big_data"),
        (
            "exploration={functions: {strategies: {ei: {n_initial: '2'}}}}",
            "exploration.functions: n_initial of ei must be at least 1 and a whole number, got '2'",
        ),
    ],
)
def test_a_bad_configuration_is_refused_before_anything_runs(place, change, message):
    done = snakemake(place, "--config", change)
    assert done.returncode != 0
    assert message in done.stdout
    assert "Traceback" not in done.stdout
    assert not (place / "results/folds").exists()


@pytest.mark.slow
def test_what_the_jobs_would_refuse_is_refused_before_the_first_begins(place):
    (place / "wrong.yaml").write_text("lookup: {svm_mnist: {n_subsets: [2]}}\n")
    done = snakemake(place, "--configfile", "wrong.yaml", "--", "data/processed/wdbc/X.npy")
    assert done.returncode != 0
    sentence = "configuration: lookup.svm_mnist: n_subsets must hold 4 numbers, as sizes does, got [2]"
    assert sentence in done.stdout.splitlines()
    assert "Traceback" not in done.stdout
    assert not (place / "data/processed").exists()
    assert list(place.glob(".snakemake/locks/*")) == []
