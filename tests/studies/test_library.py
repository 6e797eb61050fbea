"""Table 3 by scikit-learn's own halving: the script that other interpreters run, and what its answers become."""

import ast
import json
import runpy
import stat
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier

from frugal import datasets, folds
from frugal.folds.search import candidates_of, draw
from frugal.folds.splits import split
from frugal.folds.strategies.successive_halving import SuccessiveHalving
from frugal.seeds import rng_for
from studies import config, interpreters
from studies.greedy_cv import library, library_script
from studies.greedy_cv.tables import published
from studies.jobs import run_experiment
from studies.verdicts import CONTRADICTED, NOT_RUN, NOT_TESTABLE, REPRODUCED, judge_paper

ROOT = Path(__file__).parents[2]
PINS = ROOT / "envs/scikit-learn-0.24.yaml"
SETTINGS = {
    "datasets": ["wdbc"],
    "classifiers": ["knn"],
    "space": "ranges",
    "n_candidates": [9, 27],
    "n_folds": 2,
    "python": sys.executable,
}


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A folder of datasets that has wdbc."""
    folder = tmp_path_factory.mktemp("data")
    datasets.prepare("wdbc", root=folder)
    return folder


@pytest.fixture(scope="module")
def data(root):
    return datasets.load("wdbc", root=root)


@pytest.fixture(scope="module")
def answers(data):
    """By classifier the problem of a cell, and what the script answers with today's library."""
    found = {}
    for classifier in ("bernoulli_nb", "decision_tree", "knn"):
        problem = library.problem_of(data, classifier, 3, SETTINGS)
        found[classifier] = problem, library.solve(problem, data, sys.executable)
    return found


# What other interpreters run -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("module", "others"), [(library_script, {"numpy", "sklearn"}), (interpreters, set())], ids=["script", "find"]
)
def test_what_other_interpreters_run_is_python_3_9_and_imports_nothing_of_ours(module, others):
    tree = ast.parse(Path(module.__file__).read_text(), feature_version=(3, 9))
    nodes = list(ast.walk(tree))
    imported = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    imported |= {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in imported} - set(sys.stdlib_module_names) == others
    assert not [node for node in nodes if isinstance(node, ast.keyword) and node.arg == "strict"]  # zip's


# The same candidates, folds and clock as the wall-clock study ----------------------------------------------------


def test_cells_candidates_and_folds_are_those_of_table_3_unless_they_are_told_otherwise():
    whole = config.complete({"scale": "paper"})["greedy_cv"]
    ours, timed = whole["library"], whole["wall_clock"]
    assert (ours["datasets"], ours["n_candidates"]) == (timed["datasets"], timed["n_candidates"])
    assert [ours["n_folds"]] == timed["n_folds"]
    assert (ours["classifiers"], ours["space"]) == (whole["classifiers"], whole["space"])
    assert (whole["scaler"], whole["splits"]) == ("none", "stratified")
    configured = config.complete({"scale": "paper"})["strategies"]
    known = {name: folds.settings_of(name) for name in ("successive_halving", "greedy_early_stopping")}
    for name, defaults in known.items():
        assert {key: defaults[key] for key in configured.get(name, {})} == configured.get(name, {})


@pytest.mark.slow
@pytest.mark.parametrize("classifier", ["bernoulli_nb", "decision_tree", "knn"])
def test_scores_are_those_of_the_timed_fits_of_the_wall_clock_study(data, answers, classifier):
    # as `job scores --timed --space ranges --n-ranges 27 --n-folds 2 --seed 3` makes them
    candidates = candidates_of("ranges", classifier, dataset="wdbc", seed=3, n_ranges=27)
    kept = folds.score(data, classifier, candidates, n_folds=2, seed=3, space="ranges", exact_batch=False)
    problem, answer = answers[classifier]
    assert problem["candidates"] == kept.candidates
    np.testing.assert_array_equal(np.transpose(answer["scores"]), kept.scores)
    assert np.transpose(answer["seconds"]).shape == kept.scores.shape
    assert min(map(min, answer["seconds"])) > 0


@pytest.mark.slow
@pytest.mark.parametrize("classifier", ["bernoulli_nb", "decision_tree", "knn"])
def test_rungs_are_those_that_our_halving_plans(data, answers, classifier):
    _, answer = answers[classifier]
    assert [(one["n"], one["train_scores"]) for one in answer["searches"]] == [
        (9, True), (9, False), (27, True), (27, False),
    ]  # fmt: skip
    assert answer["grid_search"]["n"] == 9
    assert answer["grid_search"]["seconds"] > 0
    for one in answer["searches"]:
        facts = {"n_rows": len(data.y), "n_classes": 2, "n_folds": 2, "rng": rng_for("test")}
        planned = SuccessiveHalving(n_candidates=one["n"], **facts).rungs
        assert one["n_candidates"] == [rung.n_candidates for rung in planned]
        assert one["n_resources"] == [rung.resource for rung in planned]
        assert one["seconds"] > 0


@pytest.mark.slow
def test_folds_of_both_searches_are_those_of_the_seed(data, answers):
    problem, _ = answers["knn"]
    for key, n_folds in (("folds", 2), ("halving_folds", 5)):
        parts = library_script.parts_of(problem[key], len(data.y))
        for ours, theirs in zip(parts, split(data, n_folds, 3), strict=True):
            for rows, expected in zip(ours, theirs, strict=True):
                np.testing.assert_array_equal(rows, expected)


def test_the_script_writes_its_answer_beside_the_problem(tmp_path, data):
    rows = np.r_[:40, -40:0]  # of both classes
    X, y = np.ascontiguousarray(data.X[rows]), data.y[rows]
    lists = [[{"n_neighbors": k} for k in (1, 3, 5, 7)], [{"n_neighbors": k} for k in (1, 9)]]
    problem = {
        "classifier": "knn",
        "fixed": {"weights": "distance"},
        "candidates": [{"n_neighbors": k} for k in (1, 3, 5, 7, 9)],
        "folds": [list(range(0, 80, 2)), list(range(1, 80, 2))],
        "lists": lists,
        "halving_folds": [list(range(0, 80, 2)), list(range(1, 80, 2))],
        "halving": {"random_state": 0, "factor": 2, "min_resources": 20, "aggressive_elimination": False},
    }
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", y)
    (tmp_path / "problem.json").write_text(json.dumps(problem))
    library_script.main(tmp_path)
    answer = json.loads((tmp_path / "answer.json").read_text())
    assert answer["scikit_learn"] == version("scikit-learn")
    for test, scores, seconds in zip(problem["folds"], answer["scores"], answer["seconds"], strict=True):
        train = np.setdiff1d(np.arange(80), test)
        fitted = [KNeighborsClassifier(k, weights="distance").fit(X[train], y[train]) for k in (1, 3, 5, 7, 9)]
        assert scores == pytest.approx([one.score(X[test], y[test]) for one in fitted])
        assert min(seconds) > 0
    searches = [(one["n"], one["train_scores"], one["n_candidates"]) for one in answer["searches"]]
    assert searches == [(4, True, [4, 2, 1]), (4, False, [4, 2, 1]), (2, True, [2, 1]), (2, False, [2, 1])]
    assert answer["grid_search"]["n"] == 2


@pytest.mark.parametrize("space", ["grid", "ranges"])
def test_lists_are_those_that_searches_draw(data, space):
    problem = library.problem_of(data, "knn", 5, {**SETTINGS, "space": space, "n_candidates": [64, 16]})
    candidates = candidates_of(space, "knn", dataset="wdbc", seed=5, n_ranges=64)
    kept = folds.score(data, "knn", candidates, n_folds=2, seed=5, space=space)
    assert problem["lists"] == [draw(kept, n).candidates for n in (64, 16)]


def test_every_fit_is_timed_alone_after_the_first_of_its_fold_was_warmed_up(data, monkeypatch):
    problem = library.problem_of(data, "knn", 0, SETTINGS)
    calls = []

    def fit(_, candidate, X_train, y_train, X_test, y_test):
        calls.append((candidate, len(X_train), len(y_train), len(X_test), len(y_test)))
        return 0.5, float(len(calls))

    monkeypatch.setattr(library_script, "fit_and_score", fit)
    _, seconds = library_script.time_fits(problem, data.X, data.y)
    first, *others = problem["candidates"]
    assert [call[0] for call in calls] == [first, first, *others] * 2
    n = len(problem["candidates"])
    assert seconds == [list(range(2, n + 2)), list(range(n + 3, 2 * n + 3))]
    sizes = [(len(train), len(train), len(test), len(test)) for train, test in split(data, 2, 0)]
    assert [call[1:] for call in calls] == [sizes[0]] * (n + 1) + [sizes[1]] * (n + 1)


def test_a_failed_fit_has_no_score_and_its_seconds_count(data):
    problem = {"classifier": "knn", "fixed": {}}
    few = data.X[:5], data.y[:5], data.X, data.y
    score, seconds = library_script.fit_and_score(problem, {"n_neighbors": 6}, *few)
    assert np.isnan(score)
    assert seconds > 0


def test_a_machine_without_memory_is_no_failed_fit(monkeypatch):
    def without_memory(**settings):
        raise MemoryError

    monkeypatch.setitem(library_script.CLASSIFIERS, "knn", without_memory)
    rows = np.zeros((2, 1)), np.array([0, 1])
    with pytest.raises(MemoryError):
        library_script.fit_and_score({"classifier": "knn", "fixed": {}}, {}, *rows, *rows)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_candidates_without_a_score_are_counted_and_so_are_those_that_went_on(data):
    # 20 of 27 candidates ask for more neighbours than the first two rungs have rows. Nine go on: seven with a
    # score, and two without, which today's library ranks last.
    problem = library.problem_of(data, "knn", 0, SETTINGS)
    listed = [{"n_neighbors": k} for k in (1, 2, 3, 4, 5, 6, 7, *range(300, 320))]
    found = library_script.halve(problem, data.X, data.y, listed, train_scores=False)
    assert found["n_candidates"] == [27, 9, 3, 1]
    assert (found["n_failed"], found["n_failed_kept"]) == (20 + 2, 2)
    assert found["chosen"] < 7


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_grid_search_evaluates_the_candidates_on_all_folds_without_train_scores(data, answers, monkeypatch):
    problem, answer = answers["knn"]
    searches, timed = [], library_script.seconds_of

    def seconds_of(search, X, y):
        searches.append(search)
        return timed(search, X, y)

    monkeypatch.setattr(library_script, "seconds_of", seconds_of)
    listed = problem["lists"][0]
    found = library_script.exhaust(problem, data.X, data.y, [*listed, {"n_neighbors": len(data.y)}])
    assert (found["n"], found["n_failed"]) == (len(listed) + 1, 1)
    results = searches[0].cv_results_
    assert "mean_train_score" not in results
    assert (searches[0].n_splits_, results["params"][:-1]) == (2, listed)
    places = [problem["candidates"].index(candidate) for candidate in listed]
    expected = np.mean(answer["scores"], axis=0)[places]
    np.testing.assert_allclose(results["mean_test_score"][:-1], expected, rtol=1e-12)


def test_seconds_of_a_search_leave_out_its_refit():
    class Search:
        refit_time_ = 10.0

        def fit(self, X, y):
            return self

    assert -10.0 < library_script.seconds_of(Search(), None, None) < -9.0


# What is made of the answers -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def todays(root):
    """Runs of one seed with today's library."""
    return run_experiment("library", "today", 0, SETTINGS, root)


@pytest.mark.slow
def test_todays_library_on_both_sides_makes_every_row_and_no_verdict(root, todays):
    runs = pd.concat([todays, run_experiment("library", "of_2021", 0, SETTINGS, root)])
    assert len(runs) == 2 * (2 * 3 + 1)  # libraries, lengths, strategies; GridSearchCV on the shorter list
    assert np.isfinite(runs[["seconds", "exhaustive_s"]].to_numpy(float)).all()
    np.testing.assert_array_equal(runs["quality"].isna(), runs["strategy"] == library.GRID_SEARCH)
    assert set(runs["scikit_learn"]) == {version("scikit-learn")}
    same = ["quality", "n_failed", "n_failed_kept"]
    parts = [runs.loc[runs["method"] == name, same].to_numpy() for name in ("today", "of_2021")]
    np.testing.assert_array_equal(*parts)
    judged = judge_paper("greedy_cv", {"library": runs}, "smoke")
    assert set(judged["verdict"]) == {NOT_TESTABLE}
    why = f"the other interpreter has scikit-learn {version('scikit-learn')}, not 0.24.2"
    assert judged["quantity"].str.contains(why, regex=False).all()


def test_where_no_interpreter_runs_the_study_says_why(root, todays, tmp_path):
    file = tmp_path / "environment.json"
    file.write_text(json.dumps({"python": "", "reason": "no Python 3.9 runs here", "packages": {}}))
    settings = {**SETTINGS, "python": None, "interpreter": str(file)}
    runs = pd.concat([todays, run_experiment("library", "of_2021", 0, settings, root)])
    assert runs.loc[runs["method"] == "of_2021", "seconds"].isna().all()
    assert runs["method"].value_counts().to_dict() == {"today": 7, "of_2021": 7}
    judged = judge_paper("greedy_cv", {"library": runs}, "smoke")
    assert set(judged["verdict"]) == {NOT_TESTABLE}
    assert judged["ours"].isna().all()
    assert judged["quantity"].str.contains("(no Python 3.9 runs here", regex=False).all()
    table = library.tabulate(runs, "smoke")
    assert set(table["library"]) == {"today"}
    assert "Library of 2021: not testable here, no Python 3.9 runs here." in library.render(table)


@pytest.mark.parametrize("python", ["no-such-python", "false"])
def test_an_interpreter_that_does_not_run_is_refused_in_one_sentence(root, python):
    message = f"^greedy_cv.library: python must run and have scikit-learn, got '{python}'$"
    with pytest.raises(ValueError, match=message):
        run_experiment("library", "of_2021", 0, {**SETTINGS, "python": python}, root)


def as_printed(n_seeds=10, version="0.24.2", swapped=0):
    """Runs whose means are those of Table 3; in the first cells the two strategies change places."""
    table = published("table3").pivot_table("published", ["dataset", "classifier", "n"], "method").reset_index()
    rows = []
    for place, cell in enumerate(table.itertuples()):
        pair = cell.greedy_early_stopping, cell.successive_halving
        greedy, halving = pair[::-1] if place < swapped else pair
        for seed in range(n_seeds):
            shift = 0.002 * (seed - (n_seeds - 1) / 2)
            for strategy, train_scores, ratio in (
                (library.GREEDY, False, greedy), (library.HALVING, True, halving), (library.HALVING, False, 9.0),
            ):  # fmt: skip
                rows.append(
                    {
                        "method": "of_2021", "dataset": cell.dataset, "classifier": cell.classifier, "n": cell.n,
                        "k": 10, "seed": seed, "data": "original", "scikit_learn": version, "reason": "",
                        "strategy": strategy, "train_scores": train_scores, "seconds": 2 * (ratio + shift) - 0.01,
                        "overhead_s": 0.01, "exhaustive_s": 2.0, "quality": 1.0, "n_failed": 0, "n_failed_kept": 0,
                    }
                )  # fmt: skip
                if strategy == library.HALVING and not train_scores and cell.n == 256:
                    rows.append({**rows[-1], "strategy": library.GRID_SEARCH, "seconds": 4.0, "quality": np.nan})
    return pd.DataFrame(rows)


def claims_on(runs):
    judged = judge_paper("greedy_cv", {"library": runs}, "paper")
    return judged.set_index(judged["id"].str.removeprefix("greedy_cv.library."))


@pytest.mark.parametrize(("swapped", "says"), [(0, REPRODUCED), (1, REPRODUCED), (2, CONTRADICTED)])
def test_the_sign_is_that_of_table_3_in_so_many_cells(swapped, says):
    found = claims_on(as_printed(swapped=swapped)).loc["n_same_sign"]
    assert (found["ours"], found["verdict"]) == (27 - swapped, says)


def test_means_are_over_the_cells_with_train_scores_as_the_library_computes_them_by_default():
    found = claims_on(as_printed())
    assert round(found.loc["greedy_mean", "ours"], 3) == 0.211
    assert round(found.loc["halving_mean", "ours"], 3) == 0.360
    assert list(found.loc[["greedy_mean", "halving_mean"], "verdict"]) == [REPRODUCED, REPRODUCED]
    # 4 s of GridSearchCV are twice those of all fits; Table 3's mean at n = 256 is 0.384.
    assert round(found.loc["over_grid_search", "ours"], 2) == round((0.384 - 0.005) / 2, 2)
    assert round(found.loc["over_grid_search_untrained", "ours"], 2) == round((9.0 - 0.005) / 2, 2)
    untimed = as_printed()
    untimed = claims_on(untimed[untimed["strategy"] != library.GRID_SEARCH])
    assert untimed.loc["over_grid_search", "verdict"] == NOT_RUN
    below = claims_on(as_printed(n_seeds=9))
    assert set(below["verdict"]) == {NOT_RUN}


def test_the_table_has_every_cell_beside_the_printed_one_and_the_spread_over_cells():
    table = library.tabulate(as_printed(), "paper")
    assert len(table) == 27 * 3 + 9
    default = table[table["train_scores"] | (table["strategy"] == library.GREEDY)]
    np.testing.assert_allclose(default["ours"], default["published"])
    lines = library.render(table).splitlines()
    heads = [part.strip() for part in lines[0].split("|")[4:-1]]
    found = {
        line.split("|")[1].strip(): dict(zip(heads, (part.strip() for part in line.split("|")[4:-1]), strict=True))
        for line in lines
        if line.startswith(("| mean", "| standard"))
    }
    for column in ("printed, halving", "of 2021 (0.24.2), halving"):
        assert (found["mean"][column], found["standard deviation"][column]) == ("0.360", "0.205")


# The other interpreter -------------------------------------------------------------------------------------------


@pytest.fixture
def nowhere(tmp_path, monkeypatch):
    """A folder, alone on the path and the home of pyenv."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    return tmp_path


ANSWERS = """[ "$1" = -c ] && echo "[\\"$0\\", \\"%s\\"]" """
"""A command that says that it is an interpreter, and of which version."""


def fake(path, text):
    """A command."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_pins_are_those_of_the_documents_time():
    python, packages = interpreters.read_pins(PINS)
    assert python == "3.9"
    assert {"scikit-learn==0.24.2", "numpy==1.20.3", "scipy==1.6.3"} <= set(packages)


def test_an_environment_without_a_python_is_refused(tmp_path):
    pins = tmp_path / "pins.yaml"
    pins.write_text("dependencies:\n  - pip:\n      - numpy==1.20.3\n")
    with pytest.raises(ValueError, match=r"pins\.yaml pins no Python$"):
        interpreters.read_pins(pins)


@pytest.fixture
def answer(monkeypatch):
    """Answer commands by a function instead of a process: what it returns is printed, and None is a failure."""

    def by(function):
        def run(command, **how):
            printed = function(command)
            return subprocess.CompletedProcess(command, int(printed is None), printed or "", "")

        monkeypatch.setattr(subprocess, "run", run)

    return by


@pytest.fixture
def find(tmp_path, monkeypatch, capsys):
    """Run the file as the workflow does; what it prints, and what it writes."""

    def run():
        output = tmp_path / "environment.json"
        words = ["--pins", str(PINS), "--folder", str(tmp_path / "made"), "--output", str(output)]
        monkeypatch.setattr(sys, "argv", ["interpreters.py", *words])
        runpy.run_path(interpreters.__file__, run_name="__main__")
        return capsys.readouterr().out, json.loads(output.read_text())

    return run


PINNED = dict(package.split("==") for package in interpreters.read_pins(PINS)[1])


def test_what_is_found_is_printed_and_written_for_the_study(find, answer):
    answer(lambda command: json.dumps(PINNED))
    printed, found = find()
    assert found == {"python": sys.executable, "reason": "", "packages": PINNED}
    assert printed == f"{sys.executable} has {PINNED}\n"


def test_why_nothing_is_found_is_printed_and_written_for_the_study(find, answer, nowhere):
    answer(lambda command: None)
    printed, found = find()
    reason = "no Python 3.9 runs here, on the path or among pyenv's"
    assert (printed, found) == (f"{reason}\n", {"python": "", "reason": reason, "packages": {}})


def test_the_pinned_packages_are_installed_into_an_environment_of_the_pinned_python(nowhere, answer):
    base, made, steps = str(fake(nowhere / "python3.9", "")), str(nowhere / "made/bin/python"), []

    def processes(command):
        python, flag, *words = command
        if flag == "-m":
            steps.append((python, words))
            return "done"
        if python == base:
            return json.dumps([base, "3.9"])
        return json.dumps(PINNED) if python == made and len(steps) == 2 else None

    answer(processes)
    found = interpreters.environment(PINS, nowhere / "made")
    assert found == {"python": made, "reason": "", "packages": PINNED}
    (first, venv), (second, install) = steps
    assert (first, venv) == (base, ["venv", "--clear", str(nowhere / "made")])
    assert (second, install[:2]) == (made, ["pip", "install"])
    assert install[-len(PINNED) :] == [f"{name}=={number}" for name, number in PINNED.items()]


def test_without_an_interpreter_the_reason_is_a_sentence(nowhere):
    found = interpreters.environment(PINS, nowhere / "made")
    reason = "no Python 3.9 runs here, on the path or among pyenv's"
    assert found == {"python": "", "reason": reason, "packages": {}}


def test_a_shim_that_does_not_run_is_passed_over_for_the_interpreter_behind_it(nowhere):
    # Nothing can be installed either: the second one says what it is, and refuses the rest.
    shim = fake(nowhere / "python3.9", "exit 127")
    behind = fake(nowhere / "pyenv/versions/3.9.18/bin/python3.9", f"{ANSWERS % '3.9'} || exit 1")
    assert list(interpreters.interpreters("3.9")) == [str(shim), str(behind)]
    found = interpreters.environment(PINS, nowhere / "made")
    assert found["python"] == ""
    assert found["reason"].startswith(f"{behind} could not be given joblib==1.0.1, numpy==1.20.3")


def test_an_interpreter_of_another_version_is_not_taken(nowhere):
    fake(nowhere / "python3.9", ANSWERS % "3.8")
    assert interpreters.environment(PINS, nowhere / "made")["reason"].startswith("no Python 3.9 runs here")


def test_this_interpreter_is_taken_if_it_has_the_pins(tmp_path):
    pins = tmp_path / "here.yaml"
    pins.write_text(f"dependencies:\n  - python=3.9\n  - pip:\n      - numpy=={version('numpy')}\n")
    assert interpreters.environment(pins, tmp_path / "made")["python"] == sys.executable
