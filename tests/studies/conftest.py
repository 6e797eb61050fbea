"""What tests of several studies share."""

import pytest

from studies import estimates


@pytest.fixture
def alike_seeds_decide(monkeypatch):
    """Seeds made by hand are often alike; that few equal values decide nothing is tested with the verdicts."""
    monkeypatch.setattr(estimates, "EQUAL_VALUES", 0)
