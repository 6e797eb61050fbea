"""A small sample of each kind of fault, always the same: no wrong answers or hangs, no unlisted tracebacks."""

import random
import re
import signal
import time
from pathlib import Path

import arguments
import configuration
import deaths
import disks
import kills
import numpy as np
import pytest
import run
import stored
import tables
import threads

from faults import (
    DAMAGES,
    HANG,
    HELD,
    REFUSED,
    TRACEBACK,
    WRONG,
    Fault,
    Refused,
    Unclear,
    alarm,
    command,
    damage,
    judge,
)
from frugal import cli, folds
from frugal.checks import check_whole
from frugal.files import check_folder

LISTED = set(
    re.findall(r"^- `(.+?)`, (.+?): ", (run.ROOT / "docs/reliability.md").read_text(), flags=re.MULTILINE)
)
FAULT = Fault("kind", "what", "how", 0)


def check(found):
    assert [outcome for outcome in found if outcome.verdict in (WRONG, HANG)] == []
    failed = [outcome for outcome in found if outcome.verdict == TRACEBACK]
    assert [o for o in failed if (o.fault.kind, o.fault.what) not in LISTED] == []


@pytest.mark.slow
@pytest.mark.parametrize("store", stored.STORES, ids=lambda store: store.name)
def test_damaged_files_are_refused_or_harmless(store, tmp_path):
    kept = stored.Kept(store, tmp_path)
    found = [kept.attempt(fault) for fault in stored.faults(store, 4 * len(DAMAGES), seed=1)]
    check(found)
    assert REFUSED in {outcome.verdict for outcome in found} or store.name == "download"
    instead = {o.fault.how.split(".")[0]: o.verdict for o in found if o.fault.how in store.instead}
    assert instead == ({"another": REFUSED, "older": HELD} if store.instead else {})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("attempts", "counts", "expected"),
    [
        (tables.attempts, {"n": 120, "n_selected": 3}, {HELD, REFUSED}),
        (arguments.attempts, {"n": 150}, {HELD, REFUSED}),
        (disks.attempts, {"n": 16}, {REFUSED}),  # an output is whole or absent
        (configuration.attempts, {"n": 24}, {HELD, REFUSED}),
    ],
    ids=["tables", "arguments", "full disks", "configurations"],
)
def test_what_is_mutated_is_refused_or_harmless(tmp_path, attempts, counts, expected):
    found = list(attempts(tmp_path, **counts, seed=1))
    check(found)
    assert expected <= {outcome.verdict for outcome in found}


@pytest.mark.slow
def test_a_task_whose_worker_dies_is_repeated_and_costs_no_other(tmp_path):
    found = list(deaths.attempts(tmp_path, n=len(folds.known()) + 1, seed=1))
    assert {outcome.verdict for outcome in found} == {HELD}, found


def test_a_strategy_that_eight_threads_share_asks_nothing_twice():
    found = list(threads.attempts(n=len(folds.known()), seed=1000))  # the contract's test has the others, too
    assert {outcome.verdict for outcome in found} == {HELD}, found


@pytest.mark.slow
def test_a_run_that_is_killed_twice_ends_as_the_one_that_is_not(tmp_path):
    (trials,) = [family for family in kills.FAMILIES if family.name == "trials"]
    branin = tuple(name for name in trials.targets if "branin" in name and "dngo" not in name)
    found = kills.Killed(kills.Family("trials", branin, {}), tmp_path).chain(seed=1, n_kills=2)
    assert [outcome.verdict for outcome in found] == [HELD, HELD]


# The judge itself ----------------------------------------------------------------------------------------------


def raises(error):
    def attempt():
        raise error

    return attempt


@pytest.mark.parametrize(
    ("attempt", "verdict"),
    [
        (lambda: 7, HELD),
        (lambda: 8, WRONG),
        (lambda: check_whole("n", 0, 1), REFUSED),
        (lambda: check_whole("one\ntwo", 0, 1), TRACEBACK),
        (lambda: check_folder("/proc/version"), REFUSED),
        (lambda: int("x"), TRACEBACK),  # which nobody meant
        (lambda: np.ones(2) @ np.ones(3), TRACEBACK),
        (lambda: Path("/no/such/file").read_text(), REFUSED),  # names the file
        (raises(OSError(28, "No space left on device")), TRACEBACK),  # names none
        (raises(Refused("frugal x: no such thing", 2)), REFUSED),
        (raises(Refused("frugal x: the run failed", 3)), TRACEBACK),
        (raises(ValueError("")), TRACEBACK),
        (raises(KeyError("x")), TRACEBACK),
        (raises(MemoryError()), TRACEBACK),
    ],
)
def test_an_attempt_is_judged_by_its_answer_or_its_error(attempt, verdict):
    assert judge(FAULT, attempt, lambda answer: answer == 7).verdict == verdict


def test_a_refusal_names_what_it_has_to_and_has_its_status():
    def refuse():
        check_whole("n_trials", 0, 1)

    assert judge(FAULT, refuse, bool, names=lambda sentence: "n_trials" in sentence).verdict == REFUSED
    assert judge(FAULT, refuse, bool, names=lambda sentence: "n_seeds" in sentence).verdict == TRACEBACK
    assert judge(FAULT, refuse, bool, names=None).verdict == TRACEBACK
    assert judge(FAULT, raises(Refused("the run failed", 3)), bool, statuses=(2, 3)).verdict == REFUSED


def test_an_attempt_that_does_not_end_is_a_hang(monkeypatch):
    monkeypatch.setattr("faults.MAX_SECONDS", 1)
    assert judge(FAULT, lambda: time.sleep(30), bool).verdict == HANG


def test_an_alarm_does_not_ring_later():
    before = signal.getsignal(signal.SIGALRM)
    with alarm(60):
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 60
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) is before


@pytest.mark.parametrize("how", DAMAGES)
def test_damage_always_changes_the_content(how):
    for content in (b"abc", b"\0\0\0\1", bytes(range(256))):
        rng = random.Random(0)
        assert all(damage(content, how, rng) != content for _ in range(20))


def test_a_command_that_fails_in_other_ways_than_one_sentence_is_unclear():
    def two_sentences(given):
        print("frugal x: one\nfrugal x: two", file=__import__("sys").stderr)
        return 2

    with pytest.raises(Unclear, match="status 2 and 2 sentences"):
        command(two_sentences, [])
    with pytest.raises(Unclear, match="status 1"):
        command(lambda given: 1, [])


@pytest.mark.parametrize("error", [TypeError("no iterable"), ValueError("bad"), MemoryError()])
def test_a_sentence_that_nobody_meant_is_unclear(monkeypatch, error):
    monkeypatch.setitem(cli.COMMANDS, "data", lambda args: raises(error)())
    with pytest.raises(Unclear, match=rf"1 sentences in 1 lines: .* a {type(error).__name__} from test_faults"):
        command(cli.main, ["data", "wdbc"])


def test_the_oracle_of_arguments_knows_the_values_that_an_answer_is_to():
    line = arguments.LINES["trials"]
    base = arguments.Answer({"--seed": 0, "--n-trials": 3}, "three trials")
    other = arguments.Answer({"--seed": 2, "--n-trials": 3}, "three others")
    assert line.is_right(base, base, {"--seed": "00"})
    assert line.is_right(other, base, {"--seed": "2"})
    assert not line.is_right(other, base, {"--seed": "-0"})
    assert not line.is_right(other, base, {"--seed": "3"})
    assert not line.is_right(base, base, {"--seed": "2"})
    assert not line.is_right(arguments.Answer(other.facts, base.content), base, {"--seed": "2"})
    assert not line.is_right(base, base, {"--seed": "0x1"})


@pytest.mark.parametrize(
    ("found", "spoilt"),
    [
        ({}, ""),
        ({"o.parquet": "answer", "c.parquet": "cells"}, ""),
        ({"o.parquet": "answer"}, ""),
        ({"o.jsonl": None}, ""),
        ({"c.parquet": None}, "c.parquet is neither whole nor as it was"),
        ({"c.parquet": "answer"}, "c.parquet is neither whole nor as it was"),
        ({".o.parquet.x.part": None}, "left .o.parquet.x.part"),
        ({"o.parquet": disks.KEPT.decode()}, "o.parquet is neither whole nor as it was"),
    ],
)
def test_the_oracle_of_disks_knows_what_may_be_left(found, spoilt):
    assert disks.spoilt(found, {"o.parquet": "answer", "c.parquet": "cells"}, was_there=False) == spoilt


def test_the_oracle_of_disks_knows_what_was_there():
    answer, kept = {"o.parquet": "answer"}, {"o.parquet": disks.KEPT.decode()}
    assert disks.spoilt(kept, answer, was_there=True) == ""
    assert disks.spoilt({}, answer, was_there=True) == "what was there is gone"


def test_the_oracle_of_tables_knows_what_is_no_table():
    assert tables.reading(b"a,label\n1,x\n2,y\n") == ([[1.0], [2.0]], ["x", "y"])
    for text in (b"a,label\n1,x,3\n", b"a,a\n1,x\n", b"a,label\n1,\n", b"a,label\n0x1,x\n", b"a,label\n1,\x81\n"):
        assert tables.reading(text) is None
    assert tables.reading(b"a;label\n1,5;x\n2,0;y\n") == ([[1.5], [2.0]], ["x", "y"])
    assert tables.cells(b"a;label\n1,5;x\n2.5;y\n") == (["a", "label"], [["1,5", "x"], ["2.5", "y"]])


def test_an_answer_of_another_fault_is_not_held(tmp_path):
    (store,) = [store for store in stored.STORES if store.name == "journal"]
    kept = stored.Kept(store, tmp_path)
    kept.answer = "another one"
    verdicts = {kept.attempt(fault).verdict for fault in stored.faults(store, 12, seed=1)}
    assert WRONG in verdicts
    assert HELD not in verdicts


def test_the_page_counts_every_fault_once():
    outcomes = [judge(Fault("k", "w", "h", seed), lambda: 7, lambda answer: True) for seed in range(3)]
    outcomes.append(judge(FAULT, raises(KeyError("x")), bool))
    page = run.report(outcomes, seed=0, share=1, minutes=20, load=0.04)
    assert "It took 20 minutes" in page
    assert "load was 0.0;" in page
    assert "| k | 3 | 3 | 0 | 0 | 0 | 0 |" in page
    assert "| all | 4 | 3 | 0 | 1 | 0 | 0 |" in page
    assert "None: no command" not in page
    assert "No full file system was tried" in page
    assert re.search(r"^- `kind`, what: 1, such as `KeyError: 'x'` \(how, seed 0\)$", page, flags=re.MULTILINE)
