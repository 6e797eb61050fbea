"""What tests of several parts of the trials family share."""

import pytest

from frugal.datasets import load


@pytest.fixture(scope="session")
def digits():
    return load("digits")
