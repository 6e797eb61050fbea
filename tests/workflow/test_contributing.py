"""docs/contributing.md, done from the page itself: what it adds is found, compared and run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from additions import make, section
from checkout import ROOT, copy_to, environment, snakemake

pytestmark = pytest.mark.slow

PAGE = (ROOT / "docs/contributing.md").read_text()
FILES = {
    "A strategy that saves folds": 3,
    "A strategy that saves trials": 3,
    "A figure": 1,
    "A claim": 1,
    "A dataset": 1,
    "A learner": 2,
}
"""How many files an addition touches, by the page's own table."""
PUBLISHED = "results/published/greedy_cv/runs"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A checkout with all additions, and the files that each touched."""
    place = copy_to(tmp_path_factory.mktemp("added"))
    return place, {heading: make(place, section(PAGE, heading)) for heading in FILES}


def run(place, *arguments):
    done = subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=place, env=environment(place), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:]
    return done.stdout


def test_an_addition_touches_as_many_files_as_the_page_says(place):
    assert {heading: len(set(paths)) for heading, paths in place[1].items()} == FILES


def test_the_tests_of_the_page_and_the_contracts_hold_for_what_it_adds(place):
    place, touched = place
    tests = [path for paths in touched.values() for path in paths if path.startswith("tests/")]
    names = [Path(path).stem.removeprefix("test_") for path in tests]
    assert names == ["better_half", "nearby", "nearest_centroid"]
    contracts = ["tests/contract", "tests/unit/learners/test_registry.py"]
    output = run(place, "pytest", "-q", "-p", "no:cacheprovider", *tests, *contracts, "-k", " or ".join(names))
    assert "passed" in output


def test_what_is_tested_of_all_strategies_holds_for_those_without_a_look_of_their_own(place):
    tests = [f"tests/studies/test_{name}.py" for name in ("schematics", "folds_comparison", "trials_comparison")]
    chosen = "looks or told_apart or every_problem_and_method"
    assert "passed" in run(place[0], "pytest", "-q", "-p", "no:cacheprovider", *tests, "-k", chosen)


def test_the_figure_and_the_claim_fail_no_test_of_the_study_that_they_are_added_to(place):
    tests = [f"tests/studies/test_{name}.py" for name in ("plan_of_jobs", "greedy_cv")]
    assert "passed" in run(place[0], "pytest", "-q", "-p", "no:cacheprovider", *tests)


def test_each_strategy_is_part_of_its_comparison_by_its_line_alone(place):
    done = snakemake(
        place[0], "--dry-run", "--configfile", "config/smoke.yaml", "--", "folds_comparison", "trials_comparison"
    )
    assert done.returncode == 0, done.stdout[-4000:]
    outputs = {line.split()[1] for line in done.stdout.splitlines() if line.strip().startswith("output:")}
    runs = {
        f"results/folds_comparison/runs/better_half/{data}/decision_tree.parquet" for data in ("wdbc", "boston")
    }
    assert runs <= outputs
    problems = ("lookup/svm_mnist", "curves/cnn_sizes_cifar10", "curves/cifar_cnn_cifar10", "curves/mlp_mnist")
    for problem in (*problems, "elastic_net/digits", "svm/digits"):
        assert f"results/trials/nearby/{problem}/seed0.parquet" in outputs


def test_both_strategies_run(place):
    replayed = "results/folds_comparison/runs/better_half/wdbc/decision_tree.parquet"
    searched = "results/trials/nearby/elastic_net/digits/seed0.parquet"
    settings = ("--configfile", "config/smoke.yaml", "--config", "folds_per_job=20")
    done = snakemake(place[0], *settings, "--", replayed, searched)
    assert done.returncode == 0, done.stdout[-4000:]
    runs = pd.read_parquet(place[0] / replayed)
    n, k = runs["n"].iloc[0], runs["k"].iloc[0]
    assert set(runs["n_evaluations"]) == {n + n // 2 * (k - 1)}
    assert pd.read_parquet(place[0] / searched)["error"].notna().all()


def test_the_learner_and_another_dataset_are_compared_by_what_saves_folds(place):
    block = "folds_comparison={datasets: [digits_500], classifiers: [nearest_centroid], space: ranges}"
    settings = ("--configfile", "config/smoke.yaml", "--config", "folds_per_job=20", block)
    commands = re.findall(
        r"^snakemake --cores 2 ([a-z_ ]+?) (?:\\\n  )?--config 'folds_comparison=", PAGE, flags=re.MULTILINE
    )
    assert len(commands) == 2
    assert len(set(commands)) == 1
    done = snakemake(place[0], *settings, "--", *commands[0].split())
    assert done.returncode == 0, done.stdout[-4000:]
    runs = pd.read_parquet(place[0] / "results/folds_comparison/runs.parquet")
    assert {*zip(runs["dataset"], runs["classifier"], strict=True)} == {("digits_500", "nearest_centroid")}
    assert set(runs["method"]) > {"better_half", "successive_halving", "exact_pruning"}


def test_the_figure_and_the_claim_are_made_of_the_published_runs(place):
    place, _ = place
    run(place, "studies", "job", "figure", "greedy_cv", "spread", "--runs", f"{PUBLISHED}/search_time.parquet",
        "--output", "spread.png")  # fmt: skip
    assert (place / "spread.svg").is_file()
    assert set(pd.read_csv(place / "spread.csv")["method"]) == {"standard", "greedy"}
    run(place, "studies", "job", "claims", "greedy_cv", "--runs", f"{PUBLISHED}/sizes.parquet", "--scale", "paper",
        "--output", "claims_sensitivity.csv")  # fmt: skip
    assert "greedy_cv.sizes.greedy_halves" in pd.read_csv(place / "findings_sensitivity.csv")["id"].tolist()


def test_the_dataset_and_the_learner_are_known_to_every_command(place):
    known = "from frugal import datasets, learners; print('wine' in datasets.CATALOGUE, learners.known())"
    done = subprocess.run(
        [sys.executable, "-c", known], cwd=place[0], env=environment(place[0]), text=True, capture_output=True,
        check=True,
    )  # fmt: skip
    assert done.stdout.startswith("True")
    assert "nearest_centroid" in done.stdout
