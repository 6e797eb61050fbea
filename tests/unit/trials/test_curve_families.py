import numpy as np
import pytest

from frugal.trials.surrogates.curve_families import FAMILIES, Times

# docs/methods.md, section 10: values at the starting parameters, at epochs 1, 10 and 100.
KNOWN = {
    "vapor_pressure": (0.33552, 0.56463, 0.64932),
    "ilog2": (0.15964, 0.60068, 0.68683),
    "weibull": (0.10597, 0.15710, 0.47927),
    "pow3": (0.32000, 0.33184, 0.34340),
    "pow4": (0.21130, 0.33238, 0.42855),
    "log_log_linear": (0.0, 1.19471, 1.72369),
    "mmf": (0.10000, 0.10001, 0.40000),
    "janoschek": (0.26723, 0.49292, 0.69555),
    "hill3": (0.28650, 0.53654, 0.69336),
    "log_power": (0.13821, 0.31915, 0.53600),
    "exp4": (0.49810, 0.60894, 0.68140),
}


@pytest.mark.parametrize("name", KNOWN)
def test_known_answers_at_the_starting_values(name):
    family = FAMILIES[name]
    assert family(family.start, [1, 10, 100]) == pytest.approx(KNOWN[name], abs=5.1e-6)
    assert (np.diff(family(family.start, np.arange(2, 301))) > 0).all()


def test_there_are_eleven_families_with_36_parameters():
    assert list(FAMILIES) == list(KNOWN)
    assert sum(len(family.start) for family in FAMILIES.values()) == 36
    assert all(len(family.start) == len(family.parameters) for family in FAMILIES.values())


@pytest.mark.parametrize("name", KNOWN)
def test_many_vectors_at_once_give_what_each_gives_alone(name):
    family, rng = FAMILIES[name], np.random.default_rng(0)
    theta = np.array(family.start) * (1 + 0.1 * rng.standard_normal((7, len(family.start))))
    t = np.arange(1, 21)
    together = family(theta, Times.at(t))
    assert together.shape == (7, 20)
    for row, vector in zip(together, theta, strict=True):
        assert row.tolist() == family(vector, t).tolist()


@pytest.mark.parametrize(
    ("name", "theta"),
    [
        ("pow4", (0.8, -1.0, 0.5, 0.1)),  # a power of a negative base
        ("hill3", (0.7, 0.5, -1.0)),
        ("mmf", (0.7, 0.1, -1.0, 5.0)),
        ("weibull", (0.7, 0.1, -0.01, 1.5)),
        ("log_log_linear", (-1.0, 0.0)),  # the logarithm of a negative number
    ],
)
@pytest.mark.filterwarnings("error")
def test_where_a_family_is_not_defined_it_is_not_finite_and_does_not_warn(name, theta):
    assert not np.isfinite(FAMILIES[name](theta, [2, 10])).any()
