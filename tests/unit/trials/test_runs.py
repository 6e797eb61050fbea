import json
from time import thread_time
from typing import ClassVar

import pytest
import sklearn.neighbors  # noqa: F401  which loads every BLAS that a run limits
from threadpoolctl import threadpool_info, threadpool_limits

from frugal.benchmarks.functions import FUNCTIONS
from frugal.interface import WAIT, Trial, TrialTask
from frugal.trials.live import LiveRun
from frugal.trials.runs import COLUMNS, Journal, as_row, as_trial, forget, run
from killed import KilledError

BRANIN = FUNCTIONS["branin"]


class Line:
    """Candidates on a line through Branin's box, each depending on the answer before."""

    def __init__(self, n_trials):
        self._left, self._told = n_trials, []
        self.reported = []

    def ask(self):
        if len(self._told) == self._left:
            return None
        x = 0.0 if not self._told else self._told[-1].error % 10
        return TrialTask(len(self._told), {"x": x, "y": 2.0})

    def tell(self, trial):
        self._told.append(trial)

    def report(self, task, epoch, score):
        self.reported.append((task.id, epoch, score))
        return True

    @property
    def incumbent(self):
        return dict(min(self._told, key=lambda trial: trial.error).task.candidate)


def test_a_run_is_a_row_per_trial_with_the_incumbent_after_it():
    rows = run(Line(5), BRANIN)
    assert list(rows.columns) == list(COLUMNS)
    assert list(rows["id"]) == [0, 1, 2, 3, 4]
    best = rows["error"].cummin()
    for row, least in zip(rows.itertuples(), best, strict=True):
        assert BRANIN.function(json.loads(row.incumbent)) == least
    assert (rows["overhead_s"] > 0).all()


@pytest.mark.parametrize("time_s", [-1, float("nan"), "3", True])
def test_seconds_that_are_no_number_of_at_least_0_are_refused(time_s):
    with pytest.raises(ValueError, match="time_s must be at least 0 and a finite number"):
        run(Line(1), BRANIN, time_s=time_s)


@pytest.mark.parametrize("n_trials", [0, -1, 2.5])
def test_a_number_of_trials_that_is_no_whole_number_from_1_is_refused(n_trials):
    with pytest.raises(ValueError, match="n_trials must be at least 1 and a whole number"):
        run(Line(1), BRANIN, n_trials=n_trials)


class Slow(Line):
    """Takes its time when it is told, and recommends what nobody tried."""

    recommendation: ClassVar = {"x": -1.0, "y": 1.0}

    def tell(self, trial):
        super().tell(trial)
        started = thread_time()
        while thread_time() < started + 0.05:
            pass


@pytest.mark.parametrize("is_live", [False, True])
def test_a_trial_has_the_seconds_that_the_strategy_took_since_the_trial_before(is_live):
    strategy = Slow(4)
    if is_live:
        live = LiveRun(strategy)
        live.go(lambda task: Trial(task, BRANIN.function(task.candidate), 0.0, 1.0))
    rows = live.table() if is_live else run(strategy, BRANIN)
    assert rows["overhead_s"][0] < 0.05
    assert (rows["overhead_s"][1:] >= 0.05).all()
    assert {json.loads(text)["x"] for text in rows["recommendation"]} == {-1.0}
    assert -1.0 not in {json.loads(text)["x"] for text in rows["incumbent"]}


class Layers(Line):
    """Tuples, which a file holds as lists."""

    def ask(self):
        task = super().ask()
        return task if task is None else TrialTask(task.id, {**task.candidate, "layers": (8, 8)})


def test_kept_trials_of_tuples_are_gone_on_from():
    whole = run(Layers(4), BRANIN)
    kept = [as_trial(row) for row in whole[:2].to_dict("records")]
    again = run(Layers(4), BRANIN, kept=kept)
    assert again["candidate"].equals(whole["candidate"])
    assert again["seconds"][:2].equals(whole["seconds"][:2])


def blas_threads():
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}


class Counts(Line):
    """Notes the numbers of threads of BLAS whenever it is asked or told."""

    def __init__(self, n_trials):
        super().__init__(n_trials)
        self.n_threads = set()

    def ask(self):
        self._count()
        return super().ask()

    def tell(self, trial):
        self._count()
        super().tell(trial)

    def _count(self):
        self.n_threads |= blas_threads()


def test_a_strategy_computes_on_one_thread_so_that_its_digits_are_those_of_every_machine():
    if not blas_threads():
        pytest.skip("threadpoolctl does not know this BLAS")
    with threadpool_limits(2, user_api="blas"):
        run(here := Counts(3), BRANIN)
        LiveRun(live := Counts(3)).go(lambda task: Trial(task, 1.0, 0.0, 1.0))
        assert blas_threads() == {2}
    assert here.n_threads == live.n_threads == {1}


@pytest.mark.parametrize("n_kept", [0, 1, 4, 5])
def test_an_interrupted_run_ends_with_the_same_trials(n_kept, tmp_path):
    uninterrupted = run(Line(5), BRANIN)
    first = Journal(tmp_path / "j", {"seed": 1})

    def keep(trial):
        if len(first.trials) == n_kept:
            raise KilledError
        first.trials.append(trial)
        first.keep(trial)

    try:
        run(Line(5), BRANIN, keep=keep)
    except KilledError:
        with first.path.open("a") as file:
            file.write('{"id": 4, "cand')  # what a crash leaves of a line
    again = Journal(tmp_path / "j", {"seed": 1})
    assert len(again.trials) == n_kept
    resumed = run(Line(5), BRANIN, kept=again.trials, keep=again.keep)
    same = ["id", "candidate", "error", "cost", "incumbent"]
    assert resumed[same].equals(uninterrupted[same])
    assert len(Journal(tmp_path / "j", {"seed": 1}).trials) == 5


def test_kept_trials_of_another_run_are_refused(tmp_path):
    other = Trial(TrialTask(0, {"x": 9.0, "y": 2.0}), 1.0, 1.0, 1.0)
    Journal(tmp_path / "j", {"seed": 1}).keep(other)
    with pytest.raises(ValueError, match="is the journal of another run, with other seed; "):
        Journal(tmp_path / "j", {"seed": 2})
    with pytest.raises(ValueError, match="delete the kept trials"):
        run(Line(2), BRANIN, kept=[other])


def test_more_kept_trials_than_the_strategy_asks_for_are_refused():
    kept = []
    run(Line(3), BRANIN, keep=kept.append)
    with pytest.raises(ValueError, match=r"^kept must be trials of this run, which ends after 2, got 3$"):
        run(Line(2), BRANIN, kept=kept)


def test_epochs_of_kept_trials_are_reported_again():
    kept = Trial(TrialTask(0, {"x": 0.0, "y": 2.0}), 0.5, 1.0, 1.0, curve=(0.25, 0.5))
    strategy = Line(1)
    run(strategy, BRANIN, kept=[kept])
    assert strategy.reported == [(0, 1, 0.25), (0, 2, 0.5)]


def test_a_trial_comes_back_from_its_row():
    trial = Trial(TrialTask(3, {"C": 0.5, "n": 2}, 100, 1, 4, 2), float("inf"), 1.0, 2.0, (0.5,), "why", 0.1)
    assert as_trial(as_row(trial)) == trial


def test_a_strategy_that_waits_for_nothing_is_a_mistake():
    class Waits(Line):
        def ask(self):
            return WAIT

    with pytest.raises(RuntimeError, match="Waits returned WAIT"):
        run(Waits(1), BRANIN)


def test_epochs_of_kept_trials_are_those_that_were_reported_then():
    first = Trial(TrialTask(0, {"x": 0.0, "y": 2.0}, epochs=1), 0.5, 1.0, 1.0, curve=(0.5,))
    again = Trial(
        TrialTask(1, {"x": 0.5, "y": 2.0}, epochs=4, resume_from=0),
        float("nan"),
        1.0,
        2.0,
        (0.5, 0.6, float("nan")),
    )

    class Continues(Line):
        def ask(self):
            return None if len(self._told) == 2 else [first.task, again.task][len(self._told)]

    strategy = Continues(2)
    run(strategy, BRANIN, kept=[first, again])
    assert strategy.reported == [(0, 1, 0.5), (1, 2, 0.6)]  # neither the epoch before, nor the one that diverged


def test_a_folder_that_holds_other_files_beside_the_states_of_a_run_stays(tmp_path):
    (tmp_path / "out.states").mkdir()
    for name in ("trial0.pt", ".trial1.pt.x.part", "notes.txt"):
        (tmp_path / "out.states" / name).touch()
    forget(tmp_path / "out.jsonl")
    assert [path.name for path in (tmp_path / "out.states").iterdir()] == ["notes.txt"]
