"""What tests of several packages share."""

import pytest

from frugal.datasets import load


@pytest.fixture(scope="session")
def digits():
    return load("digits")


@pytest.fixture(autouse=True)
def the_same_draws_whichever_tests_ran_before(request):
    """A module's generator `RNG` begins every test in its state `FRESH`, where the module has one."""
    fresh = getattr(request.module, "FRESH", None)
    if fresh is not None:
        request.module.RNG.bit_generator.state = fresh
