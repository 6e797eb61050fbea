"""What counts as a number, and what is refused as one."""

import math

import numpy as np
import pytest

from frugal.checks import check_finite, check_number, is_finite, is_nan, is_number

ABOVE_ALL_FLOATS = 10**400


@pytest.mark.parametrize("value", [0, -2.5, np.float32(0.5), np.int64(3), 10**300])
def test_real_numbers_are_finite(value):
    assert is_finite(value)
    assert is_number(value, value)


@pytest.mark.parametrize("value", [math.nan, math.inf, True, "1", None, pytest.param(ABOVE_ALL_FLOATS, id="huge")])
def test_other_values_are_refused_in_a_sentence(value):
    assert not is_finite(value)
    assert not is_number(value, -math.inf)
    assert is_nan(value) == (isinstance(value, float) and math.isnan(value))
    with pytest.raises(ValueError, match="epsilon must be at least 0 and a finite number, got "):
        check_number("epsilon", value, 0)
    with pytest.raises(ValueError, match="epsilon must be a finite number, got "):
        check_finite("epsilon", value)
