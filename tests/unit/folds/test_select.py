import json
import os
import signal
import time

import numpy as np
import pytest

from frugal import folds
from frugal.cli import main
from frugal.datasets import from_csv
from frugal.folds import Live, score


@pytest.fixture
def select(tmp_path, monkeypatch, capsys):
    """Runs `frugal select` on 90 rows, of which 4 are of the rarest class; returns exit status and lines."""
    monkeypatch.chdir(tmp_path)
    X = np.random.default_rng(0).normal(size=(90, 2))
    labels = np.where(X.sum(axis=1) > 0, "yes", "no").astype(object)
    labels[:4] = "rare"
    lines = [f"{a},{b},{label}" for (a, b), label in zip(X, labels, strict=True)]
    (tmp_path / "mine.csv").write_text("\n".join(["a,b,label", *lines]))

    def run(*options):
        status = main(["select", "mine.csv", "--classifier", "knn", "--n-candidates", "8", *options])
        printed = capsys.readouterr()
        run.error = printed.err
        return status, printed.out.splitlines() or printed.err.splitlines()

    return run


def test_the_mean_over_the_folds_of_the_chosen_is_printed(select):
    status, (chosen, mean, evaluations) = select("--n-folds", "3", "--workers", "2")
    assert status == 0
    candidate = json.loads(chosen.removeprefix("chosen"))
    expected = score(from_csv("mine.csv"), "knn", [candidate], n_folds=3, seed=0).scores.mean()
    assert mean == f"mean score   {expected:.4f} over 3 folds   complete True"
    assert evaluations.endswith("against 24 of the exhaustive search")


def test_halving_splits_its_rows_by_its_own_number_of_folds(select):
    settings = '{"cv": 4, "min_resources": 40}'
    status, lines = select("--strategy", "successive_halving", "--n-folds", "3", "--settings", settings)
    assert status == 0
    assert lines[1].endswith("over 4 folds   complete True")


def test_more_folds_than_the_rarest_class_has_rows_can_be_had_by_plain_splits(select):
    status, lines = select("--n-folds", "6")
    assert status == 2
    assert "exceeds the 4 rows of the smallest class of mine; use at most 4 folds, or splits: plain" in lines[-1]
    assert select("--n-folds", "6", "--splits", "plain")[0] == 0


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--n-candidates", "0", "n_candidates must be at least 1 and a whole number, got 0"),
        ("--workers", "0", "n_workers must be at least 1 and a whole number, got 0"),
        ("--n-folds", "1", "n_folds must be at least 2 and a whole number, got 1"),
    ],
)
def test_counts_below_the_least_are_refused(select, option, value, message):
    status, lines = select("--n-folds", "3", option, value)
    assert status == 2
    assert lines[-1] == f"frugal select: {message}"


class Faulty(Live):
    """Real fits, of which one has a fault."""

    fault, faulty = "", (0, 0)

    def __call__(self, task):
        if (task.candidate, task.fold) == self.faulty:
            if self.fault == "hang":
                time.sleep(600)
            if self.fault == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            if self.fault == "memory":
                raise MemoryError("8 GiB")
            if self.fault == "interrupt":
                raise KeyboardInterrupt
        return super().__call__(task)


@pytest.fixture
def faulty(select, monkeypatch):
    """Runs `frugal select` with a fault in a fit, of a candidate and a fold; as `select`."""

    def run(fault, *options, task):
        monkeypatch.setattr(folds, "Live", type("Faulty", (Faulty,), {"fault": fault, "faulty": task}))
        return select("--n-folds", "3", "--workers", "2", "--strategy", "standard", *options)

    return run


@pytest.mark.parametrize("fault", ["hang", "kill"])
def test_a_fit_that_hangs_or_kills_its_worker_costs_its_candidate_alone(faulty, select, fault):
    sound = select("--n-folds", "3", "--strategy", "standard")
    assert faulty(fault, "--fit-timeout", "5", task=(1, 2)) == sound  # which chooses another candidate


@pytest.mark.parametrize(
    ("fault", "expected", "sentence"),
    [
        ("memory", 3, "candidate 5, fold 0: the machine has too little memory (8 GiB)"),
        ("interrupt", 130, "stopped; the same command starts again, from what it kept if any"),
    ],
)
def test_a_search_that_ends_early_names_the_best_so_far(faulty, select, fault, expected, sentence):
    status, (chosen, mean, evaluations) = faulty(fault, task=(5, 0))
    assert status == expected
    assert select.error.splitlines()[-1] == f"frugal select: {sentence}"
    candidate = json.loads(chosen.removeprefix("chosen"))
    expected = score(from_csv("mine.csv"), "knn", [candidate], n_folds=3, seed=0).scores.mean()
    assert mean == f"mean score   {expected:.4f} over 3 folds   complete True"
    assert evaluations == "evaluations  15 against 24 of the exhaustive search"
