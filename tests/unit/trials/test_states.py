import pytest
from test_runs import Line

from frugal.benchmarks.searches import search
from frugal.interface import TrialTask
from frugal.learners.networks import make
from frugal.trials.parts import split
from frugal.trials.problems import LearnerProblem, States
from frugal.trials.runs import COLUMNS, Journal, forget, run
from killed import KilledError

CANDIDATES = [{"neurons": n, "learning_rate": 0.05} for n in (4, 8, 16)]
PLAN = [(0, 1, None), (1, 1, None), (2, 1, None), ("best", 2, "best"), ("best", 4, 3), ("other", 3, "other")]
MEASURED = ["seconds", "overhead_s"]


class Climbs(Line):
    """Three candidates for an epoch each; the best goes on to 2 and 4 epochs, then another one to 3."""

    def __init__(self, *, space=None, n_trials=6, rng=None, n_initial=0):
        self._told, self.reported = [], []

    def ask(self):
        done = len(self._told)
        if done == len(PLAN):
            return None
        order = sorted(range(min(done, 3)), key=lambda i: self._told[i].error)
        named = {"best": order[0], "other": order[1]} if done >= 3 else {}
        which, epochs, resume_from = (named.get(part, part) for part in PLAN[done])
        return TrialTask(done, CANDIDATES[which], epochs=epochs, resume_from=resume_from)


def problem(data, states=None):
    parts = split(data, n_valid=200, n_test=200, seed=0, n_train=150)
    return LearnerProblem("mlp", data, parts, space=None, states=states, device="cpu")


@pytest.fixture(scope="module")
def uninterrupted(digits):
    strategy = Climbs()
    return run(strategy, problem(digits)), strategy.reported


@pytest.mark.parametrize("n_kept", range(7))
def test_a_run_killed_between_trials_that_resume_ends_in_the_same_table(n_kept, digits, uninterrupted, tmp_path):
    def killed(trial):
        if trial.task.id == n_kept:
            raise KilledError  # after the trial has left its state, before it is kept
        first.keep(trial)

    first = Journal(tmp_path / "run.jsonl", {"seed": 0})
    try:
        run(Climbs(), problem(digits, first.states), keep=killed)
    except KilledError:
        assert n_kept < 6
    again, strategy = Journal(tmp_path / "run.jsonl", {"seed": 0}), Climbs()
    assert len(again.trials) == n_kept
    table = run(strategy, problem(digits, again.states), kept=again.trials, keep=again.keep)
    expected, reported = uninterrupted
    assert list(table.columns) == list(COLUMNS)
    assert table.drop(columns=MEASURED).equals(expected.drop(columns=MEASURED))
    assert strategy.reported == reported
    assert [len(curve) for _, curve in again_curves(again)] == [1, 1, 1, 2, 4, 3]


def again_curves(journal):
    return [(trial.task.id, trial.curve) for trial in Journal(journal.path, {"seed": 0}).trials]


def test_states_that_were_continued_are_removed_once_the_next_trial_begins(digits, tmp_path):
    journal = Journal(tmp_path / "run.jsonl", {})
    table = run(Climbs(), problem(digits, journal.states), keep=journal.keep)
    best, last = int(table["resume_from"][3]), int(table["resume_from"][5])
    left = {0, 1, 2, 4, 5} - {best}  # 3 was continued by 4, and what 5 continued stays until a trial follows it
    assert last in left
    assert {path.name for path in journal.states.iterdir()} == {f"trial{i}.pt" for i in left}
    forget(journal.path)
    assert list(tmp_path.iterdir()) == []
    forget(journal.path)  # nothing is left to forget


def test_a_search_that_was_killed_goes_on_from_the_states_beside_its_journal(tmp_path, monkeypatch):
    settings = {"n_train": 150, "n_valid": 200, "n_test": 200, "space": "small"}
    where = ("climbs", "mlp", "digits", 0, 6, settings)
    others, journal = {"climbs": Climbs}, tmp_path / "search.jsonl"
    expected = search(*where, others=others)
    keep = Journal.keep

    def killed(self, trial):
        keep(self, trial)
        if trial.task.id == 3:
            raise KilledError

    monkeypatch.setattr(Journal, "keep", killed)
    with pytest.raises(KilledError):
        search(*where, journal_path=journal, others=others)
    monkeypatch.setattr(Journal, "keep", keep)
    table = search(*where, journal_path=journal, others=others)
    assert table.drop(columns=MEASURED).equals(expected.drop(columns=MEASURED))


@pytest.mark.parametrize("on_disk", [False, True])
def test_a_state_is_of_one_trial_and_one_candidate_and_is_taken_once(on_disk, tmp_path):
    def fresh(neurons=4):
        return make("mlp", {"neurons": neurons}, input_shape=(3,), n_classes=2, seed=0, device="cpu")

    states = States(tmp_path / "states" if on_disk else None)
    states.keep(1, fresh())
    with pytest.raises(ValueError, match="trial 2 has left no state"):
        states.take(2, fresh())
    with pytest.raises(ValueError, match=r"(of another candidate|was saved with plan)"):
        states.take(1, fresh(neurons=5))
    assert states.take(1, fresh()).plan == fresh().plan
    with pytest.raises(ValueError, match="trial 1 has left no state"):
        states.take(1, fresh())
