import json

import numpy as np
import pytest

from frugal.cli import main
from frugal.datasets import from_csv
from frugal.folds import score


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
