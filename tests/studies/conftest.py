"""What tests of several studies share."""

import pytest

from studies import estimates


@pytest.fixture
def alike_seeds_decide(monkeypatch):
    """Seeds made by hand are often alike; that few equal values decide nothing is tested with the verdicts."""
    monkeypatch.setattr(estimates, "EQUAL_VALUES", 0)


@pytest.fixture
def few_resamples(monkeypatch):
    """Intervals by the bootstrap that are coarse, and quick."""
    monkeypatch.setattr(estimates, "N_RESAMPLES", 100)


@pytest.fixture
def place(tmp_path, monkeypatch):
    """An empty folder, in which the test runs."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
