"""Real runs of the workflow: smoke scale from a fresh copy, an interrupted run, a changed setting."""

import os
import re
import shutil
import signal
import subprocess
import time

import pandas as pd
import pytest
import yaml
from checkout import contents, copy_to, environment, snakemake

from studies.cli import main
from studies.redraw import redraw
from studies.verdicts import COLUMNS, NOT_RUN, NOT_TESTABLE

pytestmark = pytest.mark.slow

SMOKE = ("--configfile", "config/smoke.yaml")
TINY = {
    "folds_per_job": 1,
    "seeds_per_job": 1,
    "searches_per_job": 1,
    "greedy_cv": {
        "space": "grid",
        "datasets": ["wdbc"],
        "classifiers": ["decision_tree"],
        "search_time": {"n_candidates": [128], "n_folds": [5], "n_seeds": 1},
    },
}
RUNS = "results/greedy_cv/runs/search_time.parquet"


@pytest.fixture(scope="module")
def smoke(tmp_path_factory):
    """A finished smoke run."""
    place = copy_to(tmp_path_factory.mktemp("smoke"))
    done = snakemake(place, *SMOKE)
    assert done.returncode == 0, done.stdout[-4000:]
    return place


def test_the_smoke_run_makes_every_table_figure_and_claim(smoke):
    files = {p.name for p in (smoke / "results/greedy_cv").rglob("*") if p.is_file()}
    for i in range(1, 13):
        assert {f"figure{i}.png", f"figure{i}.svg", f"figure{i}.csv"} <= files
    for name in ("table1", "table1_by_n", "table2", "table3"):
        assert {f"{name}.csv", f"{name}.md"} <= files
    for name in ("claims", "findings"):
        table = pd.read_csv(smoke / f"results/greedy_cv/{name}.csv")
        assert list(table.columns) == [column for column in COLUMNS if (name, column) != ("findings", "published")]
        assert set(table["verdict"]) == {NOT_RUN}
        assert set(table["scale"]) == {"smoke"}


TABLES = {
    "big_data": "combinations fractions variance_check curve_fits curve_search cnn_search reduced_search"
    " terminating_fabolas",
    "hypertune": "table1 table2 table3 table4 controls budgets",
}


@pytest.mark.parametrize(("paper", "n_figures"), [("big_data", 12), ("hypertune", 5)])
def test_the_smoke_run_makes_another_document(smoke, paper, n_figures):
    files = {p.name for p in (smoke / "results" / paper).rglob("*") if p.is_file()}
    for i in range(1, n_figures + 1):
        assert {f"figure{i}.png", f"figure{i}.svg", f"figure{i}.csv"} <= files
    for name in TABLES[paper].split():
        assert {f"{name}.csv", f"{name}.md"} <= files
    claims = pd.read_csv(smoke / f"results/{paper}/claims.csv")
    assert set(claims["verdict"]) <= {NOT_RUN, NOT_TESTABLE}


def test_the_smoke_run_samples_rows_by_several_methods(smoke):
    runs = pd.read_parquet(smoke / "results/rows/subsampling/all_methods/seeds0-0.parquet")
    assert {"uniform", "lcc"} < set(runs["method"])


def test_published_runs_give_what_the_workflow_made_of_them(smoke, tmp_path, monkeypatch):
    monkeypatch.chdir(smoke)
    for paper in ("beta_pruning", "greedy_cv", "hypertune"):
        how = ("--only", "runs/*", "--configfile", "config/config.yaml", "config/smoke.yaml")
        shutil.rmtree(smoke / "results/published" / paper)  # of another scale, and of more
        assert main(["publish", paper, *how]) == 0
        redrawn = redraw([paper], published=smoke / "results/published", output=tmp_path)
        assert f"{paper}/claims" in redrawn.complete
        assert not [name for name in redrawn.lacking if name.endswith(("table1", "figure11", "cells/wall_clock"))]
        for path in (path for name in redrawn.complete for path in tmp_path.glob(f"{name}.*")):
            if path.suffix in (".csv", ".md"):
                assert path.read_bytes() == (smoke / "results" / path.relative_to(tmp_path)).read_bytes(), path


def test_search_times_follow_from_the_kept_scores(smoke):
    runs = pd.read_parquet(smoke / RUNS)
    assert {"standard", "greedy"} <= set(runs["method"])
    for run in runs[runs["method"] == "standard"].itertuples():
        where = smoke / f"results/folds/scores/{run.dataset}/{run.classifier}/ranges/k{run.k}/seed{run.seed}"
        kept = pd.concat(map(pd.read_parquet, where.glob("folds*.parquet")))
        means = kept.groupby("candidate")["score"].mean().to_numpy()[: run.n]  # a list of n is the first n draws
        assert means[run.best] == pytest.approx(means.max(), abs=1e-12)
        assert run.search_time == pytest.approx((run.best + 1) / run.n)
    greedy = runs[runs["method"] == "greedy"]
    assert (greedy["search_time"] >= (greedy["n"] + greedy["k"] - 1) / (greedy["n"] * greedy["k"])).all()


def test_more_patience_with_downloads_fetches_nothing_again(smoke):
    (smoke / "patient.yaml").write_text("download: {timeout_s: 120, n_retries: 9}")
    assert "Nothing to be done" in snakemake(smoke, *SMOKE, "patient.yaml", "--dry-run").stdout


def test_a_changed_setting_reruns_that_strategy_alone(smoke):
    (smoke / "changed.yaml").write_text("strategies: {greedy_early_stopping: {epsilon: 0.1}}")
    planned = snakemake(smoke, *SMOKE, "changed.yaml", "--dry-run").stdout
    table = planned.split("Job stats:")[1]
    for rule, n_jobs in (("search", 2), ("search_timed", 1)):  # 2 datasets and 1, of one classifier
        assert re.search(rf"^{rule} +{n_jobs}$", table, flags=re.MULTILINE)
    assert not re.search(r"^(scores|scores_timed|rungs|rungs_timed) ", table, flags=re.MULTILINE)


def test_a_lost_figure_is_made_again_in_the_same_bytes_and_other_papers_are_left(smoke):
    figures = contents(smoke, "results/*/figures/*")
    (smoke / "results/greedy_cv/figures/figure11.svg").unlink()
    planned = snakemake(smoke, *SMOKE, "--dry-run").stdout.split("Job stats:")[1]
    # Beside it the paper's other figure of runs, its tables and its claims are made anew by the same process.
    assert dict(re.findall(r"^(pack\w*) +(\d+)$", planned, flags=re.MULTILINE)) == {
        "pack": "1",
        "packed_table": "6",
        "packed_figure": "2",
        "packed_claims": "1",
    }
    assert snakemake(smoke, *SMOKE).returncode == 0
    assert contents(smoke, "results/*/figures/*") == figures
    assert not list(smoke.glob("results/*/packs/*"))


def test_the_report_holds_every_table_and_figure(smoke):
    done = snakemake(smoke, *SMOKE, "--report", "report.html")
    assert done.returncode == 0, done.stdout[-4000:]
    page = (smoke / "report.html").read_text()
    for item in [*(f"figure{i}.png" for i in range(1, 13)), "table1.md", "table2.md", "table3.md", "claims.csv"]:
        assert item in page


def tiny(place, changes=None):
    """A copy of the checkout with a small configuration: TINY unless another is given."""
    copy_to(place)
    (place / "tiny.yaml").write_text(yaml.safe_dump(TINY if changes is None else changes))
    return place


FOLDS = "results/folds/scores/wdbc/decision_tree/grid/k5/seed0"
BLOCK = f"{FOLDS}/folds0-0.parquet"
SEARCHED = "results/trials/tpe/function/branin/seed0.parquet"


@pytest.fixture(scope="module")
def apart(tmp_path_factory):
    """A finished run of TINY, each fold, seed and search in a job."""
    place = tiny(tmp_path_factory.mktemp("apart"))
    done = snakemake(place, "--configfile", "tiny.yaml", "--", RUNS)
    assert done.returncode == 0, done.stdout[-4000:]
    return place


@pytest.fixture
def place(apart, tmp_path):
    """A copy of that run, to damage; its files are as old as those they are copies of."""
    return shutil.copytree(apart, tmp_path, dirs_exist_ok=True)


def test_an_interrupted_run_resumes_and_ends_in_the_same_bytes(apart, tmp_path):
    cut = tiny(tmp_path)
    command = ["snakemake", "--cores", "1", "--configfile", "tiny.yaml", "--", RUNS]
    started = subprocess.Popen(
        command, cwd=cut, env=environment(cut), start_new_session=True, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    first = f"{FOLDS}/folds*.parquet"
    deadline = time.monotonic() + 120
    while not list(cut.glob(first)):
        assert time.monotonic() < deadline, "no score file within two minutes"
        assert started.poll() is None, "the run ended before it could be killed"
        time.sleep(0.1)
    os.killpg(started.pid, signal.SIGKILL)
    started.wait()
    kept = contents(cut, first)
    assert 1 <= len(kept) < 5
    assert snakemake(cut, "--configfile", "tiny.yaml", "--unlock").returncode == 0
    done = snakemake(cut, "--configfile", "tiny.yaml", "--rerun-incomplete", "--", RUNS)
    assert done.returncode == 0, done.stdout[-4000:]
    assert not list(cut.glob("results/**/.*.part"))
    for pattern in (first, "results/folds/search/**/*.parquet", RUNS):
        assert contents(cut, pattern) == contents(apart, pattern) != {}


FEW_CELLS = {
    "greedy_cv": {
        "datasets": ["wdbc"],
        "classifiers": ["decision_tree", "knn"],
        "search_time": {"n_candidates": [16, 32], "n_folds": [2], "n_seeds": 2},
    },
    "big_data": {"bias": {"n_rows": 4000, "sizes": [200, 400], "n_repeats": 2, "n_seeds": 2}},
}


def test_full_fan_out_makes_the_same_bytes_in_other_jobs(tmp_path):
    packed, full = (tiny(tmp_path / fan_out, FEW_CELLS | {"fan_out": fan_out}) for fan_out in ("packed", "full"))
    targets = ("greedy_cv_table1", "greedy_cv_figure1", "greedy_cv_figure11", "big_data_bias_figure", SEARCHED)
    plans = []
    for place in (packed, full):
        done = snakemake(place, "--configfile", "tiny.yaml", "--", *targets)
        assert done.returncode == 0, done.stdout[-4000:]
        plans.append(set(re.findall(r"^(?:local)?rule (\w+):$", done.stdout, flags=re.MULTILINE)))
    assert {name for name in plans[0] if "pack" in name} == {
        "search_pack", "packed_search", "trials_pack", "packed_trials", "pack", "packed_table", "packed_figure",
    }  # fmt: skip
    assert {"scores", "search", "trials", "rows", "table", "figure"} <= plans[1]
    assert not {name for name in plans[1] if "pack" in name}
    timed = "results/big_data/runs/bias.parquet"  # rows have their seconds
    found, packed_rows = (pd.read_parquet(place / timed).drop(columns="seconds") for place in (full, packed))
    pd.testing.assert_frame_equal(found, packed_rows)
    measured = ["seconds", "overhead_s"]
    found, packed_trials = (pd.read_parquet(place / SEARCHED).drop(columns=measured) for place in (full, packed))
    pd.testing.assert_frame_equal(found, packed_trials)
    for paper, n_files in (("greedy_cv", 12), ("big_data", 5)):  # runs and cells; 2 of a table, 4 of a figure
        files, expected = (contents(place, f"results/{paper}/**/*") for place in (full, packed))
        assert files.keys() == expected.keys()
        assert {name for name in files if files[name] != expected[name]} <= {timed}
        assert len(files) == n_files


def test_a_failing_job_leaves_nothing_half_written_and_a_clear_log(place):
    (place / RUNS).unlink()
    (place / BLOCK).write_bytes(b"PAR1 cut short")
    done = snakemake(place, "--configfile", "tiny.yaml", "--rerun-triggers", "mtime", "--", RUNS)
    assert done.returncode != 0
    assert not (place / RUNS).exists()
    log = place / "results/logs/folds/search/greedy/wdbc/decision_tree/nall/k5/seeds0-0.log"
    says = log.read_text().strip().splitlines()
    assert len(says) == 1
    assert "folds0-0.parquet is truncated or not a parquet file; delete it and run again" in says[0]


def test_a_damaged_array_stops_the_jobs_that_read_it(place):
    assert sorted(path.name for path in (place / "data/processed/wdbc").iterdir()) == [
        "X.npy", "provenance.json", "y.npy",
    ]  # fmt: skip
    array = place / "data/processed/wdbc/X.npy"
    content = bytearray(array.read_bytes())
    content[-200:] = bytes(200)
    array.write_bytes(content)
    done = snakemake(place, "--configfile", "tiny.yaml", "--", BLOCK)
    assert done.returncode != 0
    log = place / BLOCK.replace("results/", "results/logs/").replace(".parquet", ".log")
    assert "data/processed/wdbc is damaged" in log.read_text()
    assert not (place / BLOCK).exists()
