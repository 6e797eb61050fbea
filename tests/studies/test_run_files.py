"""Runs of one paper are no runs of another: what tables, figures, claims and refits refuse."""

from functools import cache
from pathlib import Path

import pandas as pd
import pytest

from frugal import datasets
from frugal.benchmarks.searches import search as trials_search
from frugal.folds import score
from frugal.folds.search import Kept, candidates_of, search
from studies import run_files
from studies.cli import main
from studies.folds_comparison.entries import Entry
from studies.folds_comparison.replays import compare
from studies.registry import PAPERS

PUBLISHED = Path(__file__).parents[2] / "results/published"
RUNS = {
    (folder.parent.name, path.stem): str(path)
    for folder in sorted(PUBLISHED.glob("*/runs"))
    for path in sorted(folder.glob("*.parquet"))
}
SHOWN = [
    (paper, kind, name, runs)
    for paper in PAPERS
    for kind in ("table", "figure")
    for name, runs in getattr(run_files.everything(paper), f"{kind}s").items()
]
OTHERS = {"hypertune": "elastic_net", "big_data": "subsampling", "trials_comparison": "svm-digits"}


@pytest.fixture(scope="module", autouse=True)
def _each_file_is_read_once():
    with pytest.MonkeyPatch.context() as patch:
        read = cache(run_files.read_rows)
        patch.setattr(run_files, "read_rows", lambda path: read(path).copy())
        yield


def refused(capsys, arguments):
    assert main(["job", *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    return line


def test_every_published_run_is_what_its_name_says():
    assert len(RUNS) > 25
    for (folder, run), path in RUNS.items():
        assert run_files.described(pd.read_parquet(path)) == f"runs of {run} of {folder}"


@pytest.mark.parametrize(("paper", "kind", "name", "runs"), SHOWN, ids=lambda value: str(value)[:20])
def test_every_table_and_figure_takes_its_own_runs_and_no_other_papers(paper, kind, name, runs):
    folder = run_files.everything(paper).folder
    for run in runs:
        if (folder, run) in RUNS:
            run_files.check_shown(paper, kind, name, [RUNS[folder, run]])
    for other, run in OTHERS.items():
        if other != folder:
            with pytest.raises(
                ValueError, match=f"holds runs of {run} of {other}, but {name} of {folder} is made"
            ):
                run_files.check_shown(paper, kind, name, [RUNS[other, run]])


def test_runs_of_another_paper_are_refused_with_what_they_hold_and_what_would_do(tmp_path, capsys):
    output = tmp_path / "table1.csv"
    path = RUNS["big_data", "subsampling"]
    says = refused(
        capsys, ["table", "hypertune", "table1", "--runs", path, "--scale", "desk", "--output", str(output)]
    )
    assert says == (
        f"studies job table: {path} holds runs of subsampling of big_data, but table1 of hypertune is made from "
        "runs of elastic_net_refits, svm_refits, svm_rff_refits, mlp_refits, cifar_cnn_refits"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("paper", "table", "given", "wrong"),
    [
        ("hypertune", "table1", ["elastic_net"], "elastic_net"),  # searches, not their refits
        ("big_data", "interval_widths", ["intervals", "bias"], "bias"),
    ],
)
def test_one_foreign_file_is_named_even_among_the_right_ones(tmp_path, capsys, paper, table, given, wrong):
    rest = ["--scale", "desk", "--output", str(tmp_path / "t.csv")]
    says = refused(capsys, ["table", paper, table, "--runs", *(RUNS[paper, name] for name in given), *rest])
    assert f"{RUNS[paper, wrong]} holds runs of {wrong} of {paper}, but {table} of {paper} is made from" in says


@pytest.mark.parametrize(
    ("name", "run", "message"),
    [
        ("bias", ("big_data", "boundaries"), "bias.parquet holds runs of boundaries of big_data, but by its name"),
        ("svm", ("hypertune", "svm"), "svm.parquet is named for no run of big_data; known: svm_search, "),
    ],
)
def test_claims_are_not_judged_on_other_runs_than_their_files_are_named_for(tmp_path, capsys, name, run, message):
    path = tmp_path / f"{name}.parquet"
    path.symlink_to(RUNS[run])
    rest = ["--scale", "desk", "--output", str(tmp_path / "claims.csv")]
    assert message in refused(capsys, ["claims", "big_data", "--runs", str(path), *rest])


def test_two_files_of_one_name_are_refused(tmp_path, capsys):
    path = tmp_path / "bias.parquet"
    path.symlink_to(RUNS["big_data", "bias"])
    rest = ["--scale", "desk", "--output", str(tmp_path / "claims.csv")]
    says = refused(capsys, ["claims", "big_data", "--runs", RUNS["big_data", "bias"], str(path), *rest])
    assert f"and {path} are both named bias; give one of them" in says


@pytest.mark.parametrize("paper", ["exploration", "hypertune", "trials_comparison"])
def test_refits_are_of_searches_alone(tmp_path, capsys, paper):
    path = RUNS["big_data", "fractions"]
    output = str(tmp_path / "refits.parquet")
    says = refused(capsys, ["refits", "--paper", paper, "--runs", path, "--output", output])
    assert f"{path} holds runs of fractions of big_data, but refits of {paper} are of " in says
    table = str(PUBLISHED / "lookup/svm_mnist.parquet")
    if paper != "trials_comparison":
        says = refused(capsys, ["refits", "--paper", paper, "--runs", table, "--output", output])
        assert f"{table} holds fits of a look-up table, but refits" in says
    else:
        run_files.check_refitted(paper, [table, str(PUBLISHED / "curves/mlp_mnist.parquet")])


@pytest.mark.parametrize(
    ("job", "says"),
    [
        (["refits", "--paper", "greedy_cv"], "refits: greedy_cv has no searches whose choices could be fitted"),
        (["derive", "big_data", "bias"], "derive: big_data derives no runs"),
        (
            ["derive", "exploration", "task1"],
            "derive: unknown derived run of exploration 'task1'; known: task1_scores, task1_optima",
        ),
    ],
)
def test_a_paper_refits_and_derives_only_what_it_has(tmp_path, capsys, job, says):
    output = tmp_path / "out.parquet"
    line = refused(capsys, [*job, "--runs", RUNS["greedy_cv", "search_time"], "--output", str(output)])
    assert line.startswith(f"studies job {says}")
    assert not output.exists()


@pytest.fixture(scope="module")
def kept():
    """Real scores of a few candidates, timed and with rungs."""
    data = datasets.load("wdbc")
    candidates = candidates_of("grid", "bernoulli_nb", dataset="wdbc", seed=0, n_ranges=8)
    return Kept(score(data, "bernoulli_nb", candidates, n_folds=3, seed=0, space="grid"))


def made_by_code(kept):
    """Runs as the code makes them, by paper and name."""
    measured = {m: search(m, kept, n_candidates=8, settings={}, tie_rule="random") for m in METHODS}
    plain = {m: pd.DataFrame([run.result]) for m, run in measured.items()}
    yield "greedy_cv", "search_time", plain["greedy"]
    yield "greedy_cv", "early_stopping", plain["greedy_early_stopping"]
    yield "greedy_cv", "variants/any", plain["standard"].assign(variant="plain")
    yield "greedy_cv", "sizes", plain["standard"].assign(dataset="letter_2000")
    stopped = measured["greedy_early_stopping"]
    yield "greedy_cv", "wall_clock", pd.DataFrame([stopped.result | stopped.timing])
    entry = Entry("greedy", "greedy", {})
    yield "folds_comparison", "runs", compare(entry, [kept], [8])
    yield "folds_comparison", "timed", compare(entry, [kept], [8], timed=True)
    yield "folds_comparison", "network", compare(entry, [kept], [8]).assign(classifier="mnist_cnn")
    for run in ("functions", "task2"):
        yield "exploration", run, trials_search("random", "function", "branin", 0, 6, {}).assign(experiment=run)


METHODS = ("standard", "greedy", "greedy_early_stopping")


def test_what_the_code_makes_is_told_from_all_other_runs(kept):
    for paper, run, runs in made_by_code(kept):
        fitting = {
            (other, name) for other in PAPERS for name in run_files.everything(other).runs()
            if run_files.kind_of(other, name).holds(runs)
        }  # fmt: skip
        assert fitting == {(paper, run)}


def test_a_run_that_no_study_of_a_paper_has_is_refused():
    with pytest.raises(ValueError, match="big_data has no run 'elastic_net'"):
        run_files.kind_of("big_data", "elastic_net")
