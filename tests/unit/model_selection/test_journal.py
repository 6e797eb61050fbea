"""A search that ends early goes on from its journal, and leaves the best so far in place."""

import json
import math
import os
import re
import time
from multiprocessing import get_context
from pathlib import Path
from zlib import crc32

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from scipy.sparse import csc_matrix, csr_array
from scipy.stats import loguniform, randint
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import PredefinedSplit, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import SVC
from tabled import Tabled, grid

from frugal import minimize
from frugal.code import jobs
from frugal.folds import Fit
from frugal.interface import FoldTask
from frugal.model_selection import FoldSearchCV, TrialSearchCV
from frugal.model_selection.candidates import list_candidates
from frugal.model_selection.evaluation import ScoredFit
from frugal.model_selection.journal import Journal, definitions_of_ours, fingerprint, seed_in
from frugal.rows import SVMKM
from frugal.select.columns import as_days, as_words
from frugal.trials.lines import CHECK, JournalFile, lock_journal

SCORES = [[0.5, 0.9, 0.9], [0.6, 0.1, 0.1], [0.7, 0.8, 0.6], [0.2, 0.9, math.nan]]
NAMES = ("search.parquet", "search.jsonl")


def search_of(tmp_path, name, scores=SCORES, **options):
    """A search with a journal, its data, and the file that counts its fits."""
    log = tmp_path / "log"
    fixed = {key: options.pop(key) for key in ("interrupts",) if key in options}
    estimator, space, cv, X, y = grid(scores, log=str(log), **fixed)
    options = {"cv": cv, "refit": False, "strategy": "standard"} | options
    return FoldSearchCV(estimator, space, journal=tmp_path / name, **options), X, y, log


def n_fits(log):
    return len(log.read_text().splitlines()) if log.exists() else 0


def same(first, second):
    for name, column in first.cv_results_.items():
        np.testing.assert_array_equal(column, second.cv_results_[name], err_msg=name)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", NAMES)
def test_the_same_search_repeats_no_fit(tmp_path, name, capsys):
    search, X, y, log = search_of(tmp_path, name, return_train_score=True, verbose=1)
    search.fit(X, y)
    (tmp_path / f"{name}.lock").touch()  # as a kill leaves it
    again = clone(search).fit(X, y)
    assert not (tmp_path / f"{name}.lock").exists()
    assert n_fits(log) == search.n_fits_ == again.n_fits_ == again.n_fits_kept_ == 12
    out = capsys.readouterr().out
    assert len(re.findall(r"^12 of at most 12 fits, \d+ s, about 0 s left", out, re.MULTILINE)) == 2
    assert search.n_fits_kept_ == 0
    same(search, again)  # times too


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", NAMES)
def test_a_search_with_a_limit_goes_on_where_it_ended_and_so_does_another_strategy(tmp_path, name):
    search, X, y, log = search_of(tmp_path, name)
    search.set_params(max_fits=5).fit(X, y)
    assert (n_fits(log), search.n_fits_) == (5, 5)
    search.set_params(max_fits=8).fit(X, y)
    assert (n_fits(log), search.n_fits_, search.n_fits_kept_) == (8, 8, 5)
    search.set_params(max_fits=None, strategy="greedy", n_pending=2).fit(X, y)
    assert (n_fits(log), search.n_fits_, search.n_fits_kept_) == (12, 12, 8)


@pytest.mark.parametrize("name", NAMES)
def test_ctrl_c_leaves_the_best_so_far_and_the_journal(tmp_path, name):
    search, X, y, log = search_of(tmp_path, name, interrupts=1, refit=True)
    message = "interrupted after 4 fits; the best candidate so far is in place"
    with pytest.warns(UserWarning, match=message), pytest.raises(KeyboardInterrupt):
        search.fit(X, y)
    assert search.n_fits_ == 4  # all of candidate 0 and the first fold of candidate 1
    assert search.cv_results_["n_folds_evaluated"].tolist() == [3, 1, 0, 0]
    assert search.cv_results_["stopped_because"].tolist() == ["", *["the search was interrupted"] * 3]
    assert (search.best_params_, search.ended_because_) == ({"i": 0}, "the search was interrupted")
    assert search.predict(X).shape == y.shape
    kept = n_fits(log)
    search.set_params(estimator=search.estimator.set_params(interrupts=1), max_fits=4).fit(X, y)
    assert n_fits(log) == kept + 1  # the last one on all rows


class Unfit(Tabled):
    """Cannot be fitted on the rows of all folds."""

    def fit(self, X, y=None):
        if len(set(X[:, 0])) == len(self.scores[0]):
            raise ValueError("too many rows\nof all folds")
        return super().fit(X, y)


def test_ctrl_c_does_not_hide_that_the_refit_fails(tmp_path):
    search, X, y, _ = search_of(tmp_path, "search.jsonl", refit=True)
    search.set_params(estimator=Unfit(scores=SCORES, interrupts=1))
    place = "the best candidate so far is not in place, because of ValueError: too many rows"
    with pytest.warns(UserWarning, match=f"after 4 fits; {place}$"), pytest.raises(KeyboardInterrupt) as raised:
        search.fit(X, y)
    assert str(raised.value.__cause__) == "too many rows\nof all folds"
    assert raised.value.__notes__ == [place]


def test_ctrl_c_before_the_first_fit_leaves_nothing(tmp_path):
    estimator, space, _, X, y = grid([[0.5, 0.5]], interrupts=0)
    search = FoldSearchCV(estimator, space, cv=PredefinedSplit(1 - X[:, 0].astype(int)))
    with (
        pytest.warns(UserWarning, match="after 0 fits; there is no candidate yet"),
        pytest.raises(KeyboardInterrupt),
    ):
        search.fit(X, y)
    assert not hasattr(search, "best_params_")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"X": slice(0, 120)}, "data and splits"),
        ({"weights": True}, "data"),
        ({"estimator": SVC(gamma=0.5)}, "estimator"),
        ({"space": {"C": [1, 2]}}, "space"),
        ({"cv": 4}, "splits"),
        ({"scoring": ["accuracy"]}, "scoring"),
        ({"error_score": 0.0}, "scoring"),
        ({"return_train_score": True}, "scoring"),
        ({"refit": "f1_macro"}, "scoring"),  # the strategy would have been told the other metric
    ],
)
def test_the_journal_of_another_search_is_refused(tmp_path, name, change, part):
    X, y = load_iris(return_X_y=True)
    options = {"scoring": ["accuracy", "f1_macro"], "refit": "accuracy", "journal": tmp_path / name}
    search = FoldSearchCV(SVC(), {"C": [1, 10]}, cv=3, **options).fit(X, y)
    change = dict(change)
    rows = change.pop("X", slice(None))
    fit = {"sample_weight": np.ones(len(y))} if change.pop("weights", False) else {}
    remedy = "delete it, or set it aside by restart=True"
    with pytest.raises(ValueError, match=f"{name} is the journal of another run, with other {part}; {remedy}$"):
        search.set_params(**change).fit(X[rows], y[rows], **fit)


@pytest.mark.parametrize("name", NAMES)
def test_a_file_that_is_no_journal_is_refused(tmp_path, name):
    X, y = load_iris(return_X_y=True)
    path = tmp_path / name
    pd.DataFrame({"a": [1]}).to_parquet(path)
    with pytest.raises(ValueError, match=f"{name} is truncated|{name} is no journal"):
        FoldSearchCV(SVC(), {"C": [1]}, journal=path).fit(X, y)
    for text in ('{"a": 1}\n', "my notes", "[" * 100_000 + "\n", "7\n"):
        path.write_text(text)
        refused = f"{name} is no journal|{name} is truncated|{name}, line 1, must be a JSON object"
        with pytest.raises(ValueError, match=refused):
            FoldSearchCV(SVC(), {"C": [1]}, journal=path).fit(X, y)
        assert path.read_text() == text


@pytest.mark.parametrize("row", ["[]", "{}", '{"candidate": 0, "fold": 0, "n_rows": null, "other": 1}'])
def test_a_line_that_is_no_fit_is_refused(tmp_path, row):
    X, y = load_iris(return_X_y=True)
    path = tmp_path / "search.jsonl"
    search = FoldSearchCV(SVC(), {"C": [1]}, journal=path).fit(X, y)
    if row.startswith("{"):  # with the checksum that lines have
        row = json.dumps({**json.loads(row), CHECK: f"{crc32(json.dumps(json.loads(row)).encode()):08x}"})
    with path.open("a") as file:
        file.write(f"{row}\n")
    with pytest.raises(ValueError, match=r"search\.jsonl, line 7, (is no row|must be a JSON object)"):
        search.fit(X, y)


@pytest.mark.parametrize("name", NAMES)
def test_without_a_random_state_the_journals_is_taken(tmp_path, name):
    X, y = load_iris(return_X_y=True)
    space = {"C": loguniform(1e-2, 1e2)}
    search = FoldSearchCV(SVC(), space, n_candidates=6, journal=tmp_path / name, max_fits=7).fit(X, y)
    whole = search.set_params(max_fits=None).fit(X, y)
    assert whole.n_fits_kept_ == 7
    again = clone(whole).fit(X, y)
    assert again.n_fits_kept_ == again.n_fits_ == whole.n_fits_


@pytest.mark.parametrize("kind", [csr_array, csc_matrix])
def test_what_scipy_finds_out_about_sparse_rows_makes_no_other_search(tmp_path, kind):
    X, y = kind(np.kron(np.eye(30), np.ones((2, 1)))), np.arange(60) % 2
    search = FoldSearchCV(SVC(), {"C": [1, 10]}, journal=tmp_path / "search.jsonl")
    n = search.fit(X, y).n_fits_
    assert X.has_sorted_indices  # which scipy keeps in X
    assert search.fit(X, y, groups=None).n_fits_kept_ == n
    with pytest.raises(ValueError, match="with other data"):
        search.fit(kind(2 * X), y)


def test_fits_on_rows_that_another_seed_drew_are_refused(tmp_path):
    X, y = load_iris(return_X_y=True)
    given = {"strategy": "successive_halving", "journal": tmp_path / "search.jsonl"}
    space = {"C": [0.01, 0.1, 1, 10, 100, 1000]}
    first = FoldSearchCV(SVC(), space, random_state=0, **given).fit(X, y)
    assert FoldSearchCV(SVC(), space, **given).fit(X, y).n_fits_kept_ == first.n_fits_
    with pytest.raises(ValueError, match=r"search\.jsonl is the journal of .*with another random_state"):
        FoldSearchCV(SVC(), space, random_state=1, **given).fit(X, y)


def test_the_same_candidates_after_other_draws_may_be_fitted_on_other_rows(tmp_path):
    X, y = load_iris(return_X_y=True)
    given = {"strategy": "successive_halving", "random_state": 0, "journal": tmp_path / "search.jsonl"}
    space = {"n_neighbors": randint(1, 4)}
    with pytest.warns(UserWarning, match="draws gave 3 different candidates, fewer"):
        first = FoldSearchCV(KNeighborsClassifier(), space, n_candidates=20, **given).fit(X, y)
    again = FoldSearchCV(KNeighborsClassifier(), space, n_candidates=3, **given)
    assert [*first.cv_results_["params"]] == list_candidates(space, 3, np.random.RandomState(0))
    with pytest.raises(ValueError, match="with another random_state or n_candidates, by which rows are drawn"):
        again.fit(X, y)


def test_the_configuration_of_scikit_learn_makes_another_search(tmp_path):
    X, y = load_iris(return_X_y=True)
    search = FoldSearchCV(SVC(), {"C": [1, 10]}, journal=tmp_path / "search.jsonl").fit(X, y)
    with config_context(transform_output="pandas"), pytest.raises(ValueError, match="with other configuration"):
        search.fit(X, y)


def test_a_reason_that_names_a_file_in_no_encoding_is_kept(tmp_path):
    task, fit = FoldTask(0, 0), ScoredFit(math.nan, 0.1, "no file caf\udce9.csv")
    path = tmp_path / "search.parquet"
    file = JournalFile(path, lambda: "code", False)
    for _ in range(2):
        with Journal(file, {"data": "a"}) as journal:
            journal.keep(task, fit)
    assert journal.kept[task].reason in (fit.reason, r"no file caf\udce9.csv")
    assert pd.read_parquet(path)["reason"].tolist() == [r"no file caf\udce9.csv"]


def test_a_relative_journal_stays_where_it_was_begun(tmp_path, monkeypatch):
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path)

    def moves(candidate):
        os.chdir(tmp_path / "other")
        return candidate["x"]

    minimize(moves, {"x": [1, 2]}, strategy="random", n_trials=2, random_state=0, journal="trials.parquet")
    assert files_in(tmp_path) == ["other", "trials.parquet"]
    assert files_in(tmp_path / "other") == []


def test_a_forked_process_holds_no_lock(tmp_path):
    path, lock, spare = (tmp_path / name for name in ("search.jsonl", "search.jsonl.lock", "spare"))
    context = get_context("fork")
    begun = context.Event()

    def run():
        begun.set()
        time.sleep(60)

    process = context.Process(target=run)
    with lock_journal(path):
        os.link(lock, spare)
        process.start()
    assert begun.wait(60)
    spare.rename(lock)  # as if this process had been killed
    try:
        with lock_journal(path):
            pass
    finally:
        process.kill()
        process.join()


def test_the_lock_of_another_user_that_is_left_is_locked(tmp_path, monkeypatch):
    path, opened = tmp_path / "search.jsonl", Path.open
    (tmp_path / "search.jsonl.lock").touch()

    def without_leave(self, mode="r", **options):  # as root has it everywhere
        if mode != "r" and self.suffix == ".lock":
            raise PermissionError(self)
        return opened(self, mode, **options)

    monkeypatch.setattr(Path, "open", without_leave)
    with lock_journal(path), pytest.raises(ValueError, match="under way"), lock_journal(path):
        pass


def test_a_search_for_each_outer_fold_cannot_share_a_journal(tmp_path):
    X, y = load_iris(return_X_y=True)
    path = tmp_path / "search.parquet"
    search = FoldSearchCV(SVC(), {"C": [1, 10]}, cv=2, journal=path)
    with pytest.raises(ValueError, match=r"search\.parquet is .* another run, with other data and splits"):
        cross_val_score(search, X, y, cv=3, error_score="raise")
    path.unlink()
    with (
        parallel_config("threading", n_jobs=2),
        pytest.warns(FitFailedWarning, match="is the journal of a"),
    ):
        scores = cross_val_score(search, X, y, cv=3)
    assert np.isfinite(scores).sum() == 1  # whichever was first
    assert [p.name for p in tmp_path.iterdir()] == ["search.parquet"]


@pytest.mark.parametrize("within", [FoldSearchCV, TrialSearchCV])
def test_a_journal_that_is_being_written_is_refused(tmp_path, within):
    X, y = load_iris(return_X_y=True)
    path = tmp_path / "folder" / "search.jsonl"
    options = {"cv": 2, "error_score": "raise", "journal": path}
    search = FoldSearchCV(within(SVC(), {"gamma": [1.0]}, **options), {"estimator__C": [1, 10]}, **options)
    with pytest.raises(ValueError, match=r"search\.jsonl is the journal of a search that is under way; searches"):
        search.fit(X, y)
    assert [p.name for p in path.parent.iterdir()] == ["search.jsonl"]


def test_fits_on_rows_that_another_seed_drew_are_not_kept(tmp_path):
    X, y = load_iris(return_X_y=True)
    path, space = tmp_path / "search.jsonl", {"C": [0.01, 0.1, 1, 10, 100, 1000]}
    FoldSearchCV(SVC(), space, random_state=0, strategy="standard", journal=path, max_fits=3).fit(X, y)
    halving = {"strategy": "successive_halving", "journal": path}
    FoldSearchCV(SVC(), space, random_state=1, **halving).fit(X, y)
    mixed = FoldSearchCV(SVC(), space, random_state=0, **halving).fit(X, y)
    alone = FoldSearchCV(SVC(), space, random_state=0, **halving | {"journal": None}).fit(X, y)
    np.testing.assert_array_equal(mixed.cv_results_["mean_test_score"], alone.cv_results_["mean_test_score"])


def files_in(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("name", NAMES)
def test_a_journal_of_older_code_is_set_aside_by_itself(tmp_path, caplog, monkeypatch, name):
    X, y = load_iris(return_X_y=True)
    path = tmp_path / name
    search = FoldSearchCV(SVC(), {"C": [1, 10]}, journal=path, max_fits=4)
    with pytest.warns(UserWarning, match="max_fits"):
        search.set_params(max_fits=1).fit(X, y)
    before = path.read_bytes()
    monkeypatch.setattr(jobs, "hash_of", lambda _: "changed")
    search.set_params(max_fits=None).fit(X, y)
    assert (search.n_fits_kept_, files_in(tmp_path)) == (0, [name, f"{name}.old"])
    assert path.with_name(f"{name}.old").read_bytes() == before
    warning = f"warning: {path} was made by other code; it is set aside as {path}.old, and begun anew"
    assert [record.getMessage() for record in caplog.records] == [warning]
    assert search.fit(X, y).n_fits_kept_ == search.n_fits_


def test_results_depend_on_our_code_among_the_candidates_and_in_functions_too():
    ours = make_pipeline(FunctionTransformer(as_days, kw_args={"orders": ()}), SVC())
    assert definitions_of_ours(SVC(), 3, "as_days", ours, as_words) == [
        "frugal.select.columns:as_days",
        "frugal.select.columns:as_words",
    ]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("content", [b"my notes", b'{"a": 1}\n', b"\x80\n", b""])
def test_a_restart_sets_aside_whatever_is_there(tmp_path, name, content):
    X, y = load_iris(return_X_y=True)
    path = tmp_path / name
    path.write_bytes(content)
    search = FoldSearchCV(SVC(), {"C": [1, 10]}, journal=path, restart=True).fit(X, y)
    assert (search.n_fits_kept_, files_in(tmp_path)) == (0, [name, f"{name}.old"])
    assert path.with_name(f"{name}.old").read_bytes() == content
    assert search.set_params(restart=False).fit(X, y).n_fits_kept_ == search.n_fits_


@pytest.mark.parametrize("name", NAMES)
def test_a_journal_without_a_fit_is_in_nobodys_way(tmp_path, name):
    X, y = load_iris(return_X_y=True)
    wrong = FoldSearchCV(SVC(), {"C": [-1]}, error_score="raise", journal=tmp_path / name)
    with pytest.raises(ValueError, match="'C' parameter"):
        wrong.fit(X, y)
    search = FoldSearchCV(SVC(), {"C": [1]}, cv=3, journal=tmp_path / name).fit(X, y)
    assert (search.n_fits_kept_, files_in(tmp_path)) == (0, [name])
    assert search.fit(X, y).n_fits_kept_ == search.n_fits_


def test_a_journal_without_a_name_is_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="journal must name a file, got ''"):
        FoldSearchCV(SVC(), {"C": [1]}, journal="").fit(X, y)


@pytest.mark.parametrize("name", ["folder.parquet", "folder"])
def test_a_folder_is_never_set_aside(tmp_path, monkeypatch, name):
    X, y = load_iris(return_X_y=True)
    (tmp_path / name).mkdir()
    monkeypatch.setattr("frugal.trials.lines._is_locked", None)  # nor is one locked
    with pytest.raises(ValueError, match=f"{name} is not a plain file"):
        FoldSearchCV(SVC(), {"C": [1]}, journal=tmp_path / name, restart=True).fit(X, y)
    assert files_in(tmp_path) == [name]


@pytest.mark.parametrize("name", NAMES)
def test_after_another_seeds_journal_of_older_code_fits_on_drawn_rows_are_kept(tmp_path, monkeypatch, name):
    X, y = load_iris(return_X_y=True)
    given = {"strategy": "successive_halving", "journal": tmp_path / name}
    space = {"C": [0.01, 0.1, 1, 10, 100, 1000]}
    FoldSearchCV(SVC(), space, random_state=0, **given).fit(X, y)
    monkeypatch.setattr(jobs, "hash_of", lambda _: "changed")
    search = FoldSearchCV(SVC(), space, random_state=1, **given).fit(X, y)
    assert search.n_fits_kept_ == 0
    assert search.fit(X, y).n_fits_kept_ == search.n_fits_


@pytest.mark.parametrize("name", NAMES)
def test_a_restart_takes_another_seed_than_the_journals(tmp_path, name):
    X, y = load_iris(return_X_y=True)
    search = FoldSearchCV(SVC(), {"C": loguniform(1e-2, 1e2)}, n_candidates=6, journal=tmp_path / name).fit(X, y)
    seed = seed_in(tmp_path / name)
    search.set_params(restart=True).fit(X, y)
    assert (search.n_fits_kept_, seed_in(tmp_path / name) == seed) == (0, False)


def test_the_code_of_a_journal_is_that_of_fits_and_of_our_own_estimators(tmp_path):
    X, y = load_iris(return_X_y=True)
    codes = []
    for name, estimator in (("a", SVC()), ("b", make_pipeline(SVMKM(compression=2))), ("c", SVC(gamma=2.0))):
        FoldSearchCV(estimator, [{}], cv=2, strategy="standard", journal=tmp_path / name).fit(X, y == 0)
        codes.append(json.loads((tmp_path / name).read_text().splitlines()[0])["code"])
    assert codes[0] == codes[2] != codes[1]
    assert definitions_of_ours(make_pipeline(SVMKM())) == ["frugal.rows.kmeans_svm:SVMKM"]
    assert "frugal.rows.kmeans_svm:SVMKM" in definitions_of_ours(type("Mine", (SVMKM,), {})())


def test_a_changed_digit_is_refused(tmp_path):
    X, y = load_iris(return_X_y=True)
    path = tmp_path / "search.jsonl"
    search = FoldSearchCV(SVC(), {"C": [1, 10]}, journal=path).fit(X, y)
    lines = path.read_text().splitlines(keepends=True)
    row = json.loads(lines[2])
    path.write_text("".join([*lines[:2], json.dumps({**row, "score": row["score"] / 2}) + "\n", *lines[3:]]))
    with pytest.raises(ValueError, match=r"search\.jsonl, line 3, is damaged: .*set it aside by restart=True$"):
        search.fit(X, y)


def plus(estimator, X, y):
    return 10 + estimator.score(X, y)


@pytest.mark.parametrize("name", NAMES)
def test_the_journal_of_a_search_with_other_code_of_the_users_is_refused(tmp_path, name):
    def scored(estimator, X, y):
        return estimator.score(X, y)

    X, y = load_iris(return_X_y=True)
    search = FoldSearchCV(SVC(), {"C": [1, 10]}, scoring=scored, cv=2, journal=tmp_path / name)
    assert search.fit(X, y).best_score_ <= 1
    assert search.fit(X, y).n_fits_kept_ == search.n_fits_
    scored.__code__ = plus.__code__  # as if it had been edited
    with pytest.raises(ValueError, match=f"{name} is the journal of another run, with other scoring"):
        search.fit(X, y)
    assert search.set_params(restart=True).fit(X, y).best_score_ > 10


PARTS = fingerprint(data=1, estimator=2, space=3, splits=4, scoring=5)
FITS = {
    FoldTask(0, 0): ScoredFit(0.25, 1.0, "", {"a": 0.25, "b": -1e9}, {"a": 1.0, "b": math.nan}, 0.5, 0.5),
    FoldTask(0, 1, 60): ScoredFit(0.5, 2.0, "", 0.5, None, 1.5, 0.5),
    FoldTask(3, 1): Fit(math.nan, 2.0, "the fit took more than 2 s"),
}


@pytest.mark.parametrize("name", NAMES)
def test_what_a_kill_leaves_is_read_but_for_a_line_cut_off(tmp_path, name):
    path = tmp_path / "folder" / name
    tasks = list(FITS)
    with Journal(path, PARTS) as journal:
        journal.keep(tasks[0], FITS[tasks[0]])
    killed = Journal(path, PARTS)  # never closed
    for task in tasks[1:]:
        killed.keep(task, FITS[task])
    lines = path if path.suffix == ".jsonl" else Path(f"{path}.lines")
    with lines.open("a") as file:
        file.write('{"candidate": 3, "fo')
    again = Journal(path, PARTS)
    assert list(again.kept) == tasks
    for task, fit in FITS.items():
        expected = fit if isinstance(fit, ScoredFit) else ScoredFit(fit.score, fit.seconds, fit.reason)
        assert repr(again.kept[task]) == repr(expected)  # nan is nan
    with again:
        pass
    assert not Path(f"{path}.lines").exists()
    assert list(Journal(path, PARTS).kept) == tasks


@pytest.mark.parametrize("name", NAMES)
def test_a_search_with_numbers_of_numpy_goes_on_from_its_journal(tmp_path, name):
    task, fit = next(iter(FITS.items()))
    for kept, n_pending in (([], np.int64(4)), ([task], np.int64(4)), ([task], 4)):
        with Journal(tmp_path / name, PARTS | {"n_pending": n_pending}) as journal:
            assert list(journal.kept) == kept
            journal.keep(task, fit)


@pytest.mark.parametrize("name", NAMES)
def test_a_journal_without_a_fit_takes_the_seed_of_the_search(tmp_path, name):
    with Journal(tmp_path / name, PARTS | {"seed": 0}):
        pass
    task = FoldTask(0, 1, 60)  # on rows that the seed draws
    for kept in ([], [task]):
        with Journal(tmp_path / name, PARTS | {"seed": 1}) as journal:
            assert list(journal.kept) == kept
            journal.keep(task, FITS[task])


def test_a_parquet_journal_is_a_table_that_others_can_read(tmp_path):
    with Journal(tmp_path / "a.parquet", PARTS) as journal:
        for task, fit in FITS.items():
            journal.keep(task, fit)
    frame = pd.read_parquet(tmp_path / "a.parquet")
    assert frame["candidate"].tolist() == [0, 0, 3]
    assert frame["score"].tolist()[:2] == [0.25, 0.5]
    assert json.loads(frame["test_scores"][0]) == {"a": 0.25, "b": -1e9}


def test_functions_without_a_module_are_told_apart_by_what_they_do():
    first, same_again, other = (
        fingerprint(scoring=eval(text))["scoring"]
        for text in ("lambda a: a + 1", "lambda a: a + 1", "lambda a: a + 2")
    )
    assert first == same_again != other
