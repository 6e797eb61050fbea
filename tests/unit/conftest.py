"""What tests of several packages share."""

import pytest

from frugal.datasets import load


@pytest.fixture(scope="session")
def digits():
    return load("digits")
