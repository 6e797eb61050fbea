"""One job of each kind is run, and no function of ours ran that the hash of its code does not cover.

As in the workflow, jobs read what jobs before them have written, so the tests of this file run together.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from traced import definitions, traced

from frugal import cli
from frugal.arguments import make_parser
from frugal.code import jobs
from frugal.datasets import content_hash
from frugal.datasets.arrays import stored_hash
from frugal.datasets.store import _hash_of
from frugal.folds.strategies import known as fold_strategies
from studies import code, config, registry
from studies.arguments import make_parser as make_studies_parser
from studies.jobs import JOBS
from studies.registry import experiments

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
DISPATCHING = {
    "frugal.checks:check_known",
    "studies.jobs:JOBS",
    "studies.jobs:_lookup",
    "studies.jobs:_of_its_runs",
    "studies.jobs:_trials",
    "studies.records:Study",
}
"""What only refuses names, or hands on what it is given to what the hash begins with."""
N_TRAIN, N_TEST = 256, 128
CURVE = {"n_steps": 20, "n_burn": 10}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a prepared dataset of pictures, named for MNIST, that networks can be trained on."""
    root = tmp_path_factory.mktemp("traced")
    processed = root / "data/processed/mnist"
    processed.mkdir(parents=True)
    rng = np.random.default_rng(0)
    y = rng.permutation(np.repeat(np.arange(4), (N_TRAIN + N_TEST) // 4))
    X = (rng.integers(0, 60, (len(y), 784)) + 40 * y[:, None]).astype(np.uint8)
    record = {
        "provenance": "stand-in",
        "shape": list(X.shape),
        "dtype": "uint8",
        "image_shape": [28, 28],
        "n_classes": 4,
        "class_counts": np.bincount(y).tolist(),
        "splits": {"train": [0, N_TRAIN], "test": [N_TRAIN, len(y)]},
        "content_sha256": content_hash(X, y),
        "stored_sha256": stored_hash(X, y),
    }
    np.save(processed / "X.npy", X)
    np.save(processed / "y.npy", y)
    (processed / "provenance.json").write_text(json.dumps(record | {"record_sha256": _hash_of(record)}))
    return root


@pytest.fixture
def run(folder, monkeypatch):
    """Run a command in the folder, traced, and hold what ran against what the hash of its job covers."""
    monkeypatch.chdir(folder)

    def held(job, command):
        name, *words = command.split()
        if name == "data":
            args, commands = make_parser().parse_args([name, *words]), cli.COMMANDS
        else:
            args, commands = make_studies_parser().parse_args(["job", name, *words]), JOBS
        with traced() as trace:
            commands[name](args)
        covered = set(code.code().reached(job))
        ran = definitions(trace)
        assert ran, "nothing was traced"
        assert sorted(ran - covered - DISPATCHING) == []
        assert sorted(trace.opened - covered) == []

    return held


@pytest.fixture
def search(run):
    """The same for a search of the trials family."""

    def held(method, learner, dataset, n_trials, looked_up="", **settings):
        job = code.trials(method, learner, dataset, settings, looked_up)
        where = f"--learner {learner} --dataset {dataset} --seed 0 --n-trials {n_trials}"
        output = f"trials/{method}-{learner}.parquet"
        run(job, f"trials {method} {where} --settings {js(settings)} --output {output}")

    return held


def js(settings):
    return json.dumps(settings, separators=(",", ":"))


@pytest.fixture(scope="module")
def smoke():
    """The configuration at smoke scale."""
    return config.load(ROOT / "config/config.yaml", ROOT / "config/smoke.yaml")


def scored(name, dataset="wdbc"):
    return f"--dataset {dataset} --seed 0 --output {name}.parquet --seconds-output {name}_seconds.parquet"


@pytest.mark.parametrize("name", ["digits", "wdbc"])
def test_data(run, name):
    run(jobs.data(name), f"data {name}")


@pytest.mark.parametrize("classifier", ["bernoulli_nb", "decision_tree", "knn"])
def test_scores(run, classifier):
    job = code.scores("wdbc", classifier, timed=False)
    run(job, f"scores {scored(classifier)} --classifier {classifier} --n-folds 3")


@pytest.mark.parametrize("classifier", ["bernoulli_nb", "wkm_svm", "svm_km"])
def test_timed_scores(run, classifier):
    job = code.scores("wdbc", classifier, timed=True)
    how = "--timed --n-folds 2 --folds 0 --space ranges --n-ranges 3 --scaler robust"
    run(job, f"scores {scored('timed')} --classifier {classifier} {how}")


def test_rungs(run):
    settings = {"factor": 3, "cv": 3, "min_resources": "exhaust", "aggressive_elimination": False}
    how = f"--classifier knn --n-candidates 20 --settings {js(settings)}"
    run(code.rungs("wdbc", "knn", timed=False), f"rungs {scored('rungs')} {how}")


def test_network_scores_and_what_is_explored_on_them(run):
    for fold in (0, 1):
        how = f"--timed --classifier mnist_cnn --n-folds 2 --folds {fold} --epochs 1"
        job = code.scores("mnist_16", "mnist_cnn", timed=True)
        run(job, f"scores {scored(f'network{fold}', 'mnist_16')} {how}")
    settings = {name: {} for name in ("standard", "beta_pruning", "threshold_pruning")}
    how = (
        f"--settings {js(settings)} --taus 0.9 --buffers 2 --output explored.parquet --sweep-output swept.parquet"
    )
    run(code.explore(settings), f"explore --scores network0.parquet network1.parquet {how}")


def test_default(run):
    how = "--network mlp --dataset mnist --epochs 1 --max-error 1.0"
    run(code.default("mlp", "mnist"), f"default {how} --output default.csv")


@pytest.mark.parametrize("method", fold_strategies())
def test_search_and_compare(run, method):
    settings, rungs = ({"cv": 3}, " rungs.parquet") if method == "successive_halving" else ({}, "")
    how = f"--scores knn.parquet{rungs} --n-candidates 20 --settings {js(settings)}"
    run(code.search(method), f"search --method {method} {how} --output search_{method}.parquet")
    run(code.compare(method), f"compare {method} --strategy {method} {how} --output compared.parquet")


def test_collect(run):
    outputs = "--output search_time.parquet --cells-output cells.csv"
    run(code.collect(), f"collect --search search_standard.parquet search_greedy.parquet {outputs}")


@pytest.mark.parametrize("method", ["random", "tpe", "smac", "ei", "ei_explore", "dngo"])
def test_trials_on_a_function(search, method):
    search(method, "function", "branin", 4, n_initial=2)


LEARNERS = ("elastic_net", "logistic_regression", "sgd_logistic_regression", "svm", "svm_rff", "mlp")
ROWS = {"n_initial": 2, "n_train": 64, "n_valid": 64}


@pytest.mark.parametrize("learner", LEARNERS)
def test_trials_on_a_learner(search, learner):
    search("random", learner, "mnist", 2, **ROWS, **({"epochs": 2} if learner in ("svm_rff", "mlp") else {}))


def test_trials_that_continue_networks(search):
    search("hyperband", "mlp", "mnist", 8, **ROWS, epochs=4)


def test_trials_of_hypertune(search):
    settings = {"subset_rows": 32, "n_initial": 2}
    search("hypertune", "elastic_net", "mnist", 5, **ROWS, strategies={"hypertune": settings})


def test_trials_as_the_public_code_of_document_002_makes_them(search):
    search("doc002_as_coded", "logistic_regression", "mnist", 3, **ROWS)


def test_a_look_up_table_and_searches_of_it(run, search):
    table = {"learner": "svm", "dataset": "mnist", "space": "ranges", "n_per_dimension": 2, "seed": 0}
    table |= {"sizes": [64, 32], "n_subsets": [1, 1], "n_valid": 64, "n_test": 0, "n_train": 96}
    settings = f"--settings {js(table)}"
    for part in (0, 1):
        job = code.lookup("measure", "svm", "mnist")
        run(job, f"lookup measure --part {part} {settings} --output part{part}.parquet")
    gathered = "--parts part0.parquet part1.parquet --output table.parquet"
    run(code.lookup("gather", "svm", "mnist"), f"lookup gather {gathered}")
    rechecked = f"--table table.parquet --n-cells 1 {settings} --output recheck.csv"
    run(code.lookup("recheck", "svm", "mnist"), f"lookup recheck {rechecked}")
    entropy = {"n_hyper": 2, "n_burn": 2, "n_steps": 2, "n_representers": 8, "n_samples": 20, "n_candidates": 10}
    fabolas = entropy | {"sizes": [32, 64], "n_valid": 64}
    for method, block in {"random": {}, "ei": {}, "entropy_search": entropy, "fabolas": fabolas}.items():
        search(method, "lookup", "t", 4, "svm", n_initial=3, table="table.parquet", strategies={method: block})


def test_stored_curves_and_searches_of_them(run, search):
    settings = {"n_train": 64, "n_valid": 32, "n_epochs": 8}
    how = f"--network mlp --dataset mnist --candidates 0-5 --settings {js(settings)} --output curves.parquet"
    run(code.curves("mlp", "mnist"), f"curves {how}")
    several = js(settings | {"n_train": [64, 32]})
    how = f"--network mlp --dataset mnist --candidates 0-5 --settings {several} --output sizes.parquet"
    run(code.curves("mlp", "mnist"), f"curves {how}")
    checks = {"check_share": 0.75, "curve": CURVE}
    how = f"--curves curves.parquet --settings {js(checks)} --output extrapolations.parquet"
    run(code.extrapolate("mlp"), f"extrapolate {how}")
    search("random", "curves", "s", 3, "mlp", n_initial=2, table="curves.parquet")
    terminated = {"random": {"termination": checks}}
    for more in ({}, {"extrapolations": "extrapolations.parquet"}):
        search(
            "random", "curves", "s", 3, "mlp", n_initial=2, table="curves.parquet", strategies=terminated, **more
        )


FEW_IMAGES = {"complexity_by_gamma": {"n_train": 64, "subset_rows": 32, "n_valid": 64}}
"""Rows of the experiments that ask for more images than there are here."""


@pytest.mark.parametrize("experiment", [name for name in experiments() if name != "interval_workers"])
def test_rows(run, smoke, experiment):
    block = smoke[registry.paper_of(experiment)][experiment]
    settings = {key: value for key, value in block.items() if key != "n_seeds"} | FEW_IMAGES.get(experiment, {})
    if "curves" in block:
        settings["table"] = "sizes.parquet"  # made above
    methods = experiments()[experiment].method_names
    how = f"--methods {' '.join(methods)} --seeds 0 --settings {js(settings)} --output rows/{experiment}.parquet"
    run(code.rows(experiment, settings, methods), f"rows {experiment} {how}")


def test_rows_of_one_method(run, smoke):
    settings = {key: value for key, value in smoke["big_data"]["combinations"].items() if key != "n_seeds"}
    for method in experiments()["combinations"].method_names:
        how = f"--methods {method} --seeds 0 --settings {js(settings)} --output rows/{method}.parquet"
        run(code.rows("combinations", settings, [method]), f"rows combinations {how}")


def test_gather_and_refits(run):
    searched = "trials/random-logistic_regression.parquet"
    run(code.gather(), f"gather --experiment task2 --runs {searched} --output task2.parquet")
    settings = {"n_valid": 64, "refit_rows": 64, "grid_rows": 0}
    how = f"--paper exploration --runs task2.parquet --settings {js(settings)} --output refits.parquet"
    run(code.refits("exploration", ["logistic_regression"], ["mnist"]), f"refits {how}")


def test_what_is_derived_from_other_runs_and_from_nothing(run):
    settings = {"n_trials": 9, "n_epochs": 3, "n_steps": 5}
    how = f"--methods dngo --seeds 0 --settings {js(settings)} --output task1.parquet"
    run(code.rows("task1", settings, ["dngo"]), f"rows task1 {how}")
    how = "task1_optima --runs task1.parquet --output task1_optima.parquet"
    run(code.derived("exploration", "task1_optima"), f"derive exploration {how}")
    for paper, name in (("exploration", "task1_scores"), ("beta_pruning", "model")):
        run(code.derived(paper, name), f"derive {paper} {name} --output {name}.parquet")


@pytest.mark.parametrize(
    ("kind", "name", "how"),
    [
        ("table", "table1", "--runs search_time.parquet --scale smoke --output table1.csv"),
        ("figure", "figure1", "--seed 0 --output figure1.png"),
        ("figure", "figure11", "--runs search_time.parquet --output figure11.png"),
        ("claims", "", "--runs search_time.parquet --scale smoke --output claims.csv"),
    ],
)
def test_what_is_shown_of_document_001(run, kind, name, how):
    run(code.shown(kind, "greedy_cv", name), f"{kind} greedy_cv {name} {how}")


def test_what_is_shown_of_document_003(run):
    run(
        code.shown("table", "big_data", "bias"),
        "table big_data bias --runs rows/bias.parquet --scale smoke --output bias.csv",
    )


@pytest.mark.parametrize(
    ("kind", "paper", "name", "runs"),
    [
        ("table", "beta_pruning", "sweep", ("swept",)),
        ("figure", "beta_pruning", "figure7", ("explored",)),
        ("claims", "beta_pruning", "", ("model", "explored", "swept")),
        ("table", "hypertune", "budgets", ("mlp", "mlp_refits")),
        ("table", "folds_comparison", "strategies_network", ("network",)),
        ("figure", "folds_comparison", "anytime_network", ("network",)),
        ("table", "trials_comparison", "strategies", ("svm-digits",)),
    ],
)
def test_what_is_shown_of_published_runs(run, kind, paper, name, runs):
    paths = " ".join(str(ROOT / f"results/published/{paper}/runs/{one}.parquet") for one in runs)
    scale = "" if kind == "figure" else " --scale paper"
    end = "png" if kind == "figure" else "csv"
    run(
        code.shown(kind, paper, name),
        f"{kind} {paper} {name} --runs {paths}{scale} --output {paper}_{kind}.{end}",
    )
