"""The minimum of any function: the same answer wherever it is computed, and nothing computed twice."""

import itertools
import json
import math
import os
import pickle
import signal
import threading
import time
import warnings
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor
from operator import itemgetter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import BaseEstimator

from frugal import minimize
from frugal.code import jobs
from frugal.model_selection.minimum import Broken, OutOfMemoryError
from frugal.spaces import Continuous, SearchSpace, Uniform
from frugal.trials.runs import COLUMNS

SPACE = {"x": Uniform(-1.0, 2.0), "kind": ["a", ("b", 1), None]}
LINE = SearchSpace({"x": Uniform(-1.0, 1.0)}, signs={"x": 1})
QUICK = {"n_pool": 64, "n_starts": 1, "n_restarts": 1}
GAIN = {"n_hyper": 2, "n_burn": 0, "n_steps": 2, "n_candidates": 20, "n_representers": 12, "n_samples": 40}
MEASURED = ["seconds", "overhead_s"]


def ends_its_process(candidate, n_rows=None, subset=0):
    if candidate["x"] > 0.5:
        os._exit(3)
    return candidate["x"] ** 2 + 0.1


@pytest.mark.slow
def test_a_trial_without_a_cost_counts_as_failed_where_cost_is_modelled():
    settings = GAIN | {"n_min": 5, "n_max": 50}
    given = {"strategy": "fabolas", "settings": settings, "n_trials": 6, "random_state": 0, "trial_timeout": 30}
    with pytest.warns(RuntimeWarning, match="trials failed"):
        found = minimize(ends_its_process, {"x": Uniform(0.0, 1.0)}, **given)
    assert found.n_trials >= 6
    assert found.trials["cost"].isna().any()
    assert found.candidate["x"] <= 0.5


def test_a_trial_costs_the_rows_that_it_was_given():
    settings = {"max_resource": 900, "min_resource": 300}
    found = minimize(sized, LINE, strategy="hyperband", settings=settings, random_state=0)
    assert set(found.trials["n_rows"]) == {300, 900}
    assert found.trials["cost"].tolist() == found.trials["n_rows"].tolist()


def test_a_listed_nan_is_tried_no_second_time_on_all_there_is():
    found = minimize(lambda c: 1.0 if c["a"] != c["a"] else 2.0, {"a": [math.nan, 1]}, n_trials=4, random_state=0)
    assert (found.n_trials, math.isnan(found.candidate["a"])) == (4, True)


def bowl(candidate):
    return candidate["x"] ** 2 - 7.0 + (candidate["kind"] == "a")


def sized(candidate, n_rows=None, subset=0):
    """An error that falls with the rows, of which None is 1000."""
    return 0.01 + candidate["x"] ** 2 + 1 / (n_rows or 1000)


def trained(candidate, epochs):
    return abs(candidate["x"]) + 1 / epochs


def branin(candidate):
    x, y = candidate["x"], candidate["y"]
    bent = y - 5.1 / (4 * math.pi**2) * x**2 + 5 / math.pi * x - 6
    return bent**2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x) + 10


def same(found, other):
    """But for what is measured."""
    assert (found.candidate, found.error, found.n_trials) == (other.candidate, other.error, other.n_trials)
    a, b = found.trials.drop(columns=MEASURED), other.trials.drop(columns=MEASURED)
    assert a.to_dict("records") == b.to_dict("records") or a.equals(b)


class Counted:
    """A function that notes its calls in a folder, and does something else at one of them."""

    def __init__(self, folder, at=None, instead=None):
        self.folder, self.at, self.instead = Path(folder), at, instead

    @property
    def n_calls(self):
        return len(list(self.folder.glob("call*")))

    def __call__(self, candidate):
        number = self.n_calls
        (self.folder / f"call{number}-{time.monotonic_ns()}").touch()
        if number == self.at:
            self.instead()
        return bowl(candidate)


class Weights(BaseEstimator):
    """Its text leaves out all but the first of many numbers."""

    def __init__(self, numbers=()):
        self.numbers = numbers


def last_weight(candidate):
    candidate["weights"].is_used_ = True  # as a fit leaves it
    return candidate["weights"].numbers[-1]


def interrupt():
    raise KeyboardInterrupt


def die():
    os.kill(os.getpid(), signal.SIGKILL)


# Results --------------------------------------------------------------------------------------------------------


def test_expected_improvement_beats_random_search_on_branin():
    space = {"x": stats.uniform(-5, 15), "y": Uniform(0.0, 15.0)}
    seeds, settings = range(3), {"n_pool": 256, "n_starts": 2, "n_restarts": 1}
    searched = [minimize(branin, space, n_trials=22, settings=settings, random_state=s).error for s in seeds]
    drawn = [minimize(branin, space, n_trials=22, strategy="random", random_state=s).error for s in seeds]
    least = 0.397887  # at (pi, 2.275), of Dixon and Szego (1978)
    assert max(searched) < min(drawn)
    assert least <= np.mean(searched) < least + 0.5


def test_the_answer_is_the_best_of_the_trials_and_these_are_a_table(capsys):
    found = minimize(bowl, SPACE, strategy="random", n_trials=12, random_state=0, verbose=True)
    assert "12 of at most 12 trials" in capsys.readouterr().out
    assert tuple(found.trials.columns) == COLUMNS
    assert found.error == found.trials["error"].min() == bowl(found.candidate) < 0
    assert (found.n_trials, found.ended, len(found.trials)) == (12, "", 12)
    assert "b" in "".join(found.trials["candidate"])
    assert found.trials["id"].tolist() == list(range(12))


@pytest.mark.parametrize(
    ("strategy", "settings"),
    [
        ("ei", QUICK),
        ("ei_explore", QUICK),
        ("dngo", {"n_pool": 64, "n_starts": 1, "n_units": (5, 5), "n_epochs": 5, "n_walkers": 6, "n_steps": 5}),
        ("entropy_search", GAIN),
        ("hyperband", {"max_resource": 4, "reduction_factor": 2}),
        ("hypertune", QUICK | {"subset_rows": 10, "n_subsets": 2, "n_subset_trials": 2}),
        ("tpe", {}),
    ],
)
@pytest.mark.parametrize("shift", [-5.0, 1e6])
def test_errors_may_be_any_real_numbers(strategy, settings, shift):
    def shifted(candidate, n_rows=None):
        return shift + sized(candidate, n_rows)

    found = minimize(shifted, LINE, strategy=strategy, settings=settings, n_trials=9, random_state=1)
    expected = shift + sized(found.candidate, settings.get("max_resource"))
    assert found.error == pytest.approx(expected, rel=1e-12, abs=1e-9)
    assert found.trials["error"].notna().all()


# What a trial is given ------------------------------------------------------------------------------------------


def test_the_brackets_of_hyperband_are_those_of_its_paper():
    # Li et al. (2018), Algorithm 1, with R = 9 and eta = 3: bracket s starts with n = ceil((s_max + 1) / (s + 1)
    # eta^s) candidates on R eta^-s, of which floor(n_i / eta) go on.
    R, eta, planned = 9, 3, []
    s_max = round(math.log(R) / math.log(eta))
    for s in range(s_max, -1, -1):
        n = math.ceil((s_max + 1) / (s + 1) * eta**s)
        for i in range(s + 1):
            planned += [R // eta ** (s - i)] * (n // eta**i)
    found = minimize(trained, LINE, strategy="hyperband", settings={"max_resource": R}, random_state=0)
    assert found.trials["epochs"].tolist() == planned
    assert found.error == pytest.approx(abs(found.candidate["x"]) + 1 / R)
    assert found.error == found.trials.loc[found.trials["epochs"] == R, "error"].min()


def test_a_function_is_given_what_it_names():
    given = []

    def function(candidate, *, epochs, id, resume_from):
        given.append((epochs, id, resume_from))
        return candidate["x"]

    found = minimize(function, LINE, strategy="hyperband", settings={"max_resource": 3}, random_state=0)
    resumed = found.trials["resume_from"].astype(object).where(found.trials["resume_from"].notna(), None)
    assert given == list(zip(found.trials["epochs"], found.trials["id"], resumed, strict=True))

    rows = []

    def on_rows(candidate, n_rows, subset):
        rows.append((n_rows, subset))
        return sized(candidate, n_rows)

    minimize(
        on_rows, LINE, strategy="hyperband", settings={"max_resource": 900, "min_resource": 300}, random_state=0
    )
    assert rows == [(300, 0), (300, 1), (300, 2), (900, 3), (900, 4), (900, 5)]


def test_a_choice_made_on_less_gets_a_last_trial_on_all_there_is():
    settings = GAIN | {"sizes": [10, 100, 1000]}
    found = minimize(sized, LINE, strategy="fabolas", n_trials=4, settings=settings, random_state=0)
    assert found.trials["n_rows"].tolist()[-1] == 1000
    assert found.n_trials == 5
    assert found.error == sized(found.candidate, 1000)


def test_without_a_trial_on_all_there_is_the_best_on_most_is_returned_and_said():
    def on_few(candidate, epochs):
        if epochs == 9:
            raise ValueError("too long")
        return trained(candidate, epochs)

    with pytest.warns(RuntimeWarning) as warned:
        found = minimize(on_few, LINE, strategy="hyperband", settings={"max_resource": 9}, random_state=0)
    messages = [str(w.message) for w in warned]
    assert found.error == pytest.approx(abs(found.candidate["x"]) + 1 / 3)
    partial = "no trial on the full resource has succeeded; the best is that of the trials on the largest part"
    assert any(partial in t for t in messages)
    assert any("trials failed; the first is trial 12: ValueError: too long" in t for t in messages)


# Workers --------------------------------------------------------------------------------------------------------


def test_the_number_of_workers_changes_nothing_at_the_same_number_of_pending_trials():
    options = {"n_trials": 8, "settings": QUICK, "random_state": 3, "n_pending": 3}
    here = minimize(bowl, SPACE, **options)
    same(minimize(bowl, SPACE, n_workers=2, **options), here)
    with ThreadPoolExecutor(3) as threads:
        same(minimize(bowl, SPACE, executor=threads, **options), here)
    other = minimize(bowl, SPACE, **options | {"n_pending": 1})
    assert other.trials["candidate"].tolist() != here.trials["candidate"].tolist()


@pytest.mark.slow
def test_a_trial_is_repeated_once_after_its_worker_died(tmp_path):
    options = {"strategy": "random", "n_trials": 4, "random_state": 0, "n_pending": 2}
    function = Counted(tmp_path, at=1, instead=die)
    with pytest.warns(RuntimeWarning, match=r"trial 1 is repeated, since its worker died: .*SIGKILL"):
        found = minimize(function, SPACE, trial_timeout=60.0, **options)
    same(found, minimize(bowl, SPACE, **options))
    assert function.n_calls == 5


@pytest.mark.slow
def test_a_trial_that_hangs_is_given_up(tmp_path):
    function = Counted(tmp_path, at=1, instead=lambda: time.sleep(60))
    options = {"strategy": "random", "n_trials": 3, "random_state": 0}
    with pytest.warns(RuntimeWarning, match="1 of 3 trials failed; the first is trial 1: the trial took"):
        found = minimize(function, SPACE, trial_timeout=2.0, **options)
    assert found.trials["error"].isna().tolist() == [False, True, False]


def test_no_trial_is_started_after_the_time_limit(monkeypatch):
    seconds = itertools.count()  # one passes whenever the clock is read: at the start, and before each trial
    monkeypatch.setattr("frugal.model_selection.limited.monotonic", lambda: next(seconds))
    options = {"strategy": "random", "n_trials": 50, "random_state": 0, "time_limit": 3}
    found = minimize(lambda candidate: candidate["x"], LINE, **options)
    assert found.n_trials == 2
    assert found.ended == "time_limit=3 s was reached"


def test_a_time_limit_forbids_no_trial_of_the_journal(tmp_path):
    options = {"strategy": "random", "random_state": 0, "journal": tmp_path / "trials.jsonl"}
    first = minimize(bowl, SPACE, n_trials=5, **options)
    again = minimize(bowl, SPACE, n_trials=9, time_limit=1e-9, **options)
    assert (again.n_trials, again.error, again.ended) == (5, first.error, "time_limit=1e-09 s was reached")
    assert minimize(bowl, SPACE, n_trials=5, time_limit=1e-9, **options).ended == ""


def interrupted_at_the_fifth(interruption=None):
    """A function whose second trial fails and whose fifth is interrupted, and the candidates that it was given."""
    calls = []

    def function(candidate):
        calls.append(candidate)
        if len(calls) == 5:
            raise interruption or KeyboardInterrupt
        return math.nan if len(calls) == 2 else bowl(candidate)

    return function, calls


def test_ctrl_c_keeps_the_best_so_far_and_says_where():
    function, calls = interrupted_at_the_fifth()
    options = {"strategy": "random", "n_trials": 8, "random_state": 0}
    message = "interrupted after 4 trials; the best candidate so far is the attribute `found` of this Keyb"
    with (
        pytest.warns(UserWarning, match=message),
        pytest.raises(KeyboardInterrupt, match="the search was interrupted") as raised,
    ):
        minimize(function, SPACE, **options)
    found = raised.value.found
    assert found.error == bowl(found.candidate) == min(bowl(calls[number]) for number in (0, 2, 3))
    assert (found.n_trials, len(found.trials), found.ended) == (4, 4, "the search was interrupted")


class Breaking(ThreadPoolExecutor):
    """Takes four tasks, and breaks at the next."""

    n_taken = 0

    def submit(self, *args, **kwargs):
        if self.n_taken == 4:
            raise BrokenExecutor("no worker is left")
        self.n_taken += 1
        return super().submit(*args, **kwargs)


@pytest.mark.parametrize(
    ("kind", "ending"),
    [
        (KeyboardInterrupt, "the search was interrupted"),
        (BrokenExecutor, "the executor broke (no worker is left)"),
        (MemoryError, "the search ran out of memory (trial 4: the machine has too little memory (8 GiB))"),
    ],
)
def test_the_best_so_far_is_kept_where_warnings_are_errors(kind, ending):
    function, _ = interrupted_at_the_fifth(MemoryError("8 GiB") if kind is MemoryError else None)
    options = {"strategy": "random", "n_trials": 8, "random_state": 0}
    with warnings.catch_warnings():
        for category in (UserWarning, RuntimeWarning):
            warnings.simplefilter("error", category)
        with Breaking(1) as executor, pytest.raises(kind) as raised:
            minimize(function, SPACE, executor=executor if kind is BrokenExecutor else None, **options)
    assert (raised.value.found.n_trials, raised.value.found.ended) == (4, ending)
    (note,) = raised.value.__notes__
    assert note.startswith(f"{ending} after 4 trials; the best candidate so far is the attribute `found` of this")


def test_ctrl_c_before_a_trial_has_succeeded_finds_nothing():
    with (
        pytest.warns(UserWarning, match="interrupted after 0 trials; there is no candidate yet"),
        pytest.raises(KeyboardInterrupt) as raised,
    ):
        minimize(lambda candidate: interrupt(), LINE, n_trials=2)
    assert raised.value.found is None


def test_ctrl_c_ends_trials_of_workers_too(tmp_path):
    function = Counted(tmp_path, at=3, instead=lambda: time.sleep(60))

    def press_ctrl_c():
        while function.n_calls < 4:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    started = time.monotonic()
    threading.Thread(target=press_ctrl_c, daemon=True).start()
    with pytest.warns(UserWarning, match="interrupted after 3 trials"), pytest.raises(KeyboardInterrupt) as raised:
        minimize(function, SPACE, strategy="random", n_trials=6, random_state=0, trial_timeout=300.0)
    assert raised.value.found.n_trials == 3
    assert time.monotonic() - started < 50


# Journals -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["trials.parquet", "trials.jsonl"])
@pytest.mark.parametrize("seed", [0, None])
def test_an_interrupted_search_repeats_no_finished_trial(tmp_path, name, seed):
    options = {"n_trials": 7, "settings": QUICK, "random_state": seed, "journal": tmp_path / name}
    first = Counted(tmp_path, at=5, instead=interrupt)
    with pytest.raises(KeyboardInterrupt):
        minimize(first, SPACE, **options)
    again = minimize(Counted(tmp_path), SPACE, **options)
    assert first.n_calls == 7 + 1  # the interrupted one twice
    once_more = minimize(Counted(tmp_path), SPACE, **options)
    assert first.n_calls == 7 + 1
    assert once_more.trials.equals(again.trials)  # seconds, too
    if seed is not None:
        same(again, minimize(bowl, SPACE, **options | {"journal": None}))


def test_the_journal_of_another_function_of_the_same_name_is_refused(tmp_path):
    options = {"strategy": "random", "n_trials": 3, "random_state": 0, "journal": tmp_path / "trials.jsonl"}
    minimize(lambda candidate: candidate["x"] ** 2, SPACE, **options)
    with pytest.raises(ValueError, match=r"trials\.jsonl is the journal of another run, with other function"):
        minimize(lambda candidate: 100 + candidate["x"], SPACE, **options)


def test_listed_objects_count_by_the_content_that_they_have_at_the_start(tmp_path):
    def weights(*lasts):
        return {"weights": [Weights([0.0] * 50 + [last]) for last in lasts]}

    assert len({repr(one) for one in weights(1.0, 2.0)["weights"]}) == 1
    options = {"strategy": "random", "n_trials": 24, "random_state": 0, "journal": tmp_path / "trials.jsonl"}
    first = minimize(last_weight, weights(1.0, 2.0), **options)
    rows = [json.loads(line) for line in (tmp_path / "trials.jsonl").read_text().splitlines()[1:]]
    assert len({(row["candidate"], row["error"]) for row in rows}) == len({row["candidate"] for row in rows}) == 2
    used = weights(1.0, 2.0)
    for _ in range(2):  # the second time its objects are as the function has left them
        assert minimize(last_weight, used, **options).trials.equals(first.trials)  # seconds, too
        for one in used["weights"]:
            one.is_used_ = True
    for others in ((1.0, 3.0), (2.0, 1.0)):
        with pytest.raises(ValueError, match="is the journal of another run, with other listed objects"):
            minimize(last_weight, weights(*others), **options)


def test_a_listed_object_that_cannot_be_hashed_counts_by_its_text(tmp_path):
    options = {"strategy": "random", "n_trials": 3, "random_state": 0, "journal": tmp_path / "trials.jsonl"}
    first, again = (minimize(lambda candidate: 1.0, {"lock": [threading.Lock()]}, **options) for _ in range(2))
    assert again.trials.equals(first.trials)


def test_the_journal_of_another_search_is_refused_in_a_sentence(tmp_path):
    options = {"strategy": "random", "n_trials": 3, "random_state": 0, "journal": tmp_path / "trials.jsonl"}
    minimize(bowl, SPACE, **options)
    for other, what in [
        ({"random_state": 1}, "seed"),
        ({"strategy": "ei"}, "strategy"),
        ({"n_pending": 2}, "n_pending"),
        ({"settings": {"initial": [{"x": 0.0, "kind": "a"}]}}, "settings"),
    ]:
        with pytest.raises(ValueError, match=f"trials.jsonl is the journal of another run, with other {what}"):
            minimize(bowl, SPACE, **options | other)
    with pytest.raises(ValueError, match="with other space"):
        minimize(bowl, LINE, **options)
    with pytest.raises(ValueError, match="with other function"):
        minimize(sized, SPACE, **options)
    assert minimize(bowl, SPACE, **options | {"n_trials": 5}).n_trials == 5  # more of the same search


def test_a_search_within_another_cannot_share_its_journal(tmp_path):
    options = {"strategy": "random", "n_trials": 2, "random_state": 0, "journal": tmp_path / "trials.jsonl"}

    def nested(candidate):
        return minimize(bowl, SPACE, **options).error

    with pytest.raises(
        ValueError, match=r"all 2 trials failed; .*trials\.jsonl is the journal of a search that is"
    ):
        minimize(nested, SPACE, **options)


def test_the_journal_of_a_search_that_took_another_course_is_refused(tmp_path):
    options = {"random_state": 0, "journal": tmp_path / "trials.jsonl", "settings": QUICK}
    minimize(bowl, SPACE, n_trials=3, **options)
    with pytest.raises(ValueError, match="holds another trial 0 than the search asks for"):
        minimize(bowl, SPACE, n_trials=2, **options)  # whose Latin hypercube is another


@pytest.mark.parametrize("name", ["trials.parquet", "trials.jsonl"])
def test_a_journal_of_older_code_is_set_aside_and_so_is_any_by_a_restart(tmp_path, monkeypatch, name):
    options = {"strategy": "random", "n_trials": 3, "random_state": 0, "journal": tmp_path / name}
    first = minimize(bowl, SPACE, **options)
    before = (tmp_path / name).read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(jobs, "hash_of", lambda _: "changed")
        same(first, minimize(bowl, SPACE, **options))
    assert (tmp_path / f"{name}.old").read_bytes() == before
    other = options | {"random_state": 1}
    with pytest.raises(ValueError, match="with other seed; delete it, or set it aside by restart=True"):
        minimize(bowl, SPACE, **other)
    same(minimize(bowl, SPACE, **other, restart=True), minimize(bowl, SPACE, **other | {"journal": None}))


# Failures -------------------------------------------------------------------------------------------------------


def test_failed_trials_are_counted_with_their_reason():
    calls = []

    def function(candidate):
        calls.append(candidate)
        if len(calls) == 2:
            raise ZeroDivisionError("of nothing")
        return {3: math.nan, 4: math.inf, 5: 1e200}.get(len(calls), candidate["x"])

    with pytest.warns(RuntimeWarning, match="4 of 6 trials failed; the first is trial 1: ZeroDivisionError: of"):
        found = minimize(function, LINE, strategy="random", n_trials=6, random_state=0)
    assert found.trials["reason"].tolist()[1:5] == [
        "ZeroDivisionError: of nothing",
        "the function returned nan",
        "the function returned inf",
        "the error 1e+200 is beyond +-1e+100",
    ]
    assert found.error == min(calls[0]["x"], calls[5]["x"])


@pytest.mark.parametrize("value", [None, "high", [1.0, 2.0]])
def test_a_function_must_return_a_number(value):
    with pytest.raises(TypeError, match="function must return an error, a number, got"):
        minimize(lambda candidate: value, LINE, strategy="random", n_trials=2)


# Refusals -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "options", "message"),
    [
        (bowl, {"strategy": "hyperband"}, "hyperband needs a resource .* a function of n_rows, .* choose ei"),
        (
            trained,
            {"strategy": "hyperband"},
            r"settings=\{'max_resource': ...\}, the epochs of a whole trial",
        ),
        (
            trained,
            {"strategy": "ei"},
            "ei gives every trial the full resource, so epochs of function must have",
        ),
        (bowl, {"strategy": "fabolas"}, "fabolas chooses how many rows .* it needs a function of n_rows"),
        (sized, {"strategy": "fabolas"}, r"fabolas needs settings=\{'n_max': ...\}, the rows of a whole trial"),
        (sized, {"strategy": "mtbo"}, r"mtbo needs settings=\{'n_max'"),
        (sized, {"strategy": "hypertune"}, "hypertune needs settings=.'subset_rows'"),
        (sized, {"strategy": "hypertune", "space": {"x": [1, 2]}}, "in which direction .* give space=SearchSpace"),
        (
            sized,
            {"strategy": "hypertune", "n_trials": 50, "settings": {"subset_rows": 9}},
            "begins with n_subsets . n_subset_trials = 50 trials on subsets, so n_trials must be above",
        ),
        (
            lambda c, n_rows=None: -1.0,
            {"strategy": "fabolas", "n_trials": 2, "settings": {"n_max": 100}},
            "fabolas models the logarithm of errors, .* got -1; add",
        ),
        (
            lambda c, n_rows, epochs: 1.0,
            {"strategy": "fabolas", "settings": {"n_max": 100}},
            "epochs of function must have a default, since fabolas varies rows alone",
        ),
        (
            sized,
            {"strategy": "hyperband", "settings": {"max_resource": 9, "epochs": 7}},
            "epochs of hyperband must be left out, since trials on rows take none, got 7",
        ),
        (bowl, {"strategy": "grid"}, "unknown strategy 'grid'; known: "),
        (bowl, {"settings": {"colour": 1}}, "unknown setting 'colour' of ei"),
        (bowl, {"settings": {"termination": {"horizon": 9}}}, "termination needs a score after every epoch"),
        (bowl, {"n_workers": 0}, "n_workers must be at least 1"),
        (bowl, {"n_pending": 0}, "n_pending must be at least 1"),
        (bowl, {"n_trials": 0}, "n_trials must be at least 1"),
        (bowl, {"time_limit": 0}, "time_limit must be above 0"),
        (bowl, {"random_state": "a"}, "random_state must be at least 0 and a whole number, got 'a'"),
        (bowl, {"space": {}}, "space must be a SearchSpace, or a dict"),
        (bowl, {"space": {"x": 3}}, "'x' must be a dimension such as .* got 3"),
        (bowl, {"space": {"x": (0, 1)}}, r"'x' is the tuple \(0, 1\), .* for a range give Uniform\(0, 1\)"),
        (
            bowl,
            {"space": {"x": (1e-6, 1e6, "log-uniform")}},
            r"for a range give Uniform\(1e-06, 1000000.0, \"log\"\), for its values a list",
        ),
        (bowl, {"space": SearchSpace({})}, "space must be a SearchSpace, or a dict"),
        (3, {}, "function must be callable, got 3"),
        (bowl, {"settings": 3}, "'settings' parameter of minimize must be .* Got 3 instead"),
        (bowl, {"journal": 3}, "'journal' parameter of minimize must be .* Got 3 instead"),
        (bowl, {"journal": ""}, "journal must name a file, got ''"),
        (bowl, {"restart": "no"}, "'restart' parameter of minimize must be .* Got 'no' instead"),
        (bowl, {"executor": 3}, "'executor' parameter of minimize must be .* Got 3 instead"),
        (lambda c: 10**400, {"n_trials": 3}, "all 3 trials failed; the first: the function returned inf"),
        (
            lambda c: math.nan,
            {"n_trials": 3, "random_state": 0},
            "all 3 trials failed; the first: the function returned nan",
        ),
    ],
)
def test_what_cannot_be_searched_is_refused(function, options, message):
    with pytest.raises(ValueError, match=message):
        minimize(function, **{"space": LINE} | options)


def test_a_text_is_no_error_even_of_digits():
    with pytest.raises(TypeError, match=r"^function must return an error, a number, got '0.5'$"):
        minimize(lambda c: "0.5", LINE, n_trials=2)


def test_a_broken_search_survives_pickling_with_what_it_found():
    for kind in (Broken, OutOfMemoryError):
        again = pickle.loads(pickle.dumps(kind("the executor broke", 3)))
        assert (str(again), again.found) == ("the executor broke", 3)


def test_a_space_may_be_written_in_several_ways():
    drawn = []
    space = {"a": stats.loguniform(1e-3, 1e3), "b": stats.randint(1, 4), "c": np.array([1, 2]), "d": range(2)}
    minimize(lambda c: drawn.append(c) or 0.0, space, strategy="random", n_trials=200, random_state=0)
    assert {c["b"] for c in drawn} == {1, 2, 3}
    assert {c["c"] for c in drawn} == {1, 2}
    assert {c["d"] for c in drawn} == {0, 1}
    assert stats.kstest([c["a"] for c in drawn], space["a"].cdf).pvalue > 1e-3
    assert repr(Continuous(space["a"])) == "Continuous(loguniform(0.001, 1000.0))"


@pytest.mark.parametrize("values", [(True, False), ("a", "b"), (1, 2, 3), [1, 2], (0.1, 1.0, "scale")])
def test_what_is_no_pair_of_numbers_is_a_list_of_values(values):
    found = minimize(lambda candidate: 0.5, {"x": values}, strategy="random", n_trials=8, random_state=0)
    assert {json.loads(candidate)["x"] for candidate in found.trials["candidate"]} == set(values)


def test_a_function_without_a_signature_is_called_with_the_candidate_alone():
    found = minimize(itemgetter("x"), {"x": Uniform(0.0, 1.0)}, strategy="random", n_trials=5, random_state=0)
    assert found.error == found.candidate["x"] == found.trials["error"].min()


@pytest.mark.parametrize("generator", [np.random.default_rng, np.random.RandomState])
def test_a_generator_as_random_state_gives_other_trials_the_next_time_and_the_same_from_the_same_state(generator):
    options = {"strategy": "random", "n_trials": 3}
    rng = generator(5)
    first, second = (minimize(bowl, SPACE, random_state=rng, **options) for _ in range(2))
    same(minimize(bowl, SPACE, random_state=generator(5), **options), first)
    assert first.trials["candidate"].tolist() != second.trials["candidate"].tolist()


def test_trials_on_rows_are_told_the_epochs_that_the_settings_have():
    told = []

    def function(candidate, n_rows, epochs=3):
        told.append(epochs)
        return candidate["x"] ** 2

    settings = {"max_resource": 9, "epochs": 7}
    found = minimize(function, {"x": Uniform(0.0, 1.0)}, strategy="hyperband", settings=settings, random_state=0)
    assert set(told) == {7} == set(found.trials["epochs"])


def test_a_space_of_fewer_candidates_than_calls_is_warned_of():
    with pytest.warns(UserWarning, match="has 3 candidates, fewer than the 5 trials of the search") as caught:
        minimize(lambda candidate: candidate["x"], {"x": [1, 2, 3]}, strategy="random", n_trials=5, random_state=0)
    assert [warning.filename for warning in caught] == [__file__]


def emptied(candidate):
    total = 0
    while candidate["layers"]:
        total += candidate["layers"].pop(0)
    return abs(total - 96)


def test_a_function_may_change_the_values_that_it_is_given():
    space = {"layers": [[64, 32], [500, 1]]}
    found = minimize(emptied, space, strategy="random", n_trials=8, random_state=0)
    assert (found.candidate, found.error) == ({"layers": [64, 32]}, 0)
    assert space == {"layers": [[64, 32], [500, 1]]}


def test_listed_objects_are_the_spaces_own_and_need_not_be_comparable():
    lock = threading.Lock()
    found = minimize(lambda c: float(c["lock"] is not lock), {"lock": [lock]}, strategy="random", n_trials=2)
    assert found.error == 0
    columns = [pd.Index(["a", "b"]), pd.Index(["c", "d", "e"])]
    given = {"strategy": "random", "n_trials": 6, "random_state": 0}
    assert minimize(lambda c: len(c["columns"]), {"columns": columns}, **given).error == 2
    arrays = [np.array([np.zeros(2), None], dtype=object), np.array([np.ones(3)], dtype=object)]
    assert minimize(lambda c: len(c["arrays"]), {"arrays": arrays}, **given).error == 1
