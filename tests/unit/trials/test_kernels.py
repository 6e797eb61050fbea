import numpy as np
import pytest
from sklearn.gaussian_process import kernels as sk

from frugal.trials.surrogates.kernels import KERNELS, differences, kernel_named

D = 3
RNG = np.random.default_rng(4)
A, B = RNG.random((5, D)), RNG.random((4, D))
FRESH = RNG.bit_generator.state

B[0] = A[0]  # nothing divides by the distance


def parameters_of(kernel):
    return 0.4 * np.random.default_rng(1).standard_normal(kernel.n_parameters(D))


@pytest.fixture(params=KERNELS)
def kernel(request):
    return KERNELS[request.param]


def central(f, x, step=1e-6):
    """Central differences of f in each entry of x, stacked first."""
    return np.array([(f(x + e) - f(x - e)) / (2 * step) for e in step * np.eye(len(x))])


def test_values_of_one_length_scale_per_dimension_are_scikit_learns():
    log_l = np.array([-1.0, 0.2, -0.3])
    for name, theirs in (("se", sk.RBF(np.exp(log_l))), ("matern52_ard", sk.Matern(np.exp(log_l), nu=2.5))):
        ours = KERNELS[name].value(differences(A, B), log_l)
        np.testing.assert_allclose(ours, theirs(A, B), rtol=1e-13)


def test_the_product_multiplies_one_dimensional_kernels_and_is_not_the_kernel_of_the_sum():
    log_l = np.array([-1.0, 0.2, -0.3])
    factors = [sk.Matern(np.exp(one), nu=2.5)(A[:, [d]], B[:, [d]]) for d, one in enumerate(log_l)]
    ours = KERNELS["matern52_product"].value(differences(A, B), log_l)
    np.testing.assert_allclose(ours, np.prod(factors, axis=0), rtol=1e-13)
    assert np.abs(ours - KERNELS["matern52_ard"].value(differences(A, B), log_l)).max() > 0.01


def test_mahalanobis_distances_are_those_of_the_precision_that_the_shears_build():
    log_l, shear = np.array([-0.5, 0.1, 0.3]), np.array([0.7, -0.4, 0.2])
    unit = np.array([[1, 0, 0], [0.7, 1, 0], [-0.4, 0.2, 1]])
    factor = np.diag(np.exp(-log_l)) @ unit
    delta = A[:, None] - B[None]
    expected = np.exp(-0.5 * np.einsum("mni,ij,mnj->mn", delta, factor @ factor.T, delta))
    kernel = KERNELS["se_mahalanobis"]
    np.testing.assert_allclose(
        kernel.value(differences(A, B), np.concatenate([log_l, shear])), expected, rtol=1e-12
    )
    plain = np.concatenate([log_l, np.zeros(3)])
    np.testing.assert_allclose(
        kernel.value(differences(A, B), plain), KERNELS["se"].value(differences(A, B), log_l), rtol=1e-13
    )


def test_derivatives_in_the_parameters_match_central_differences(kernel):
    theta = parameters_of(kernel)
    pairs = differences(A, B).reshape(D, -1)
    weights = RNG.standard_normal(pairs.shape[1])
    value, pullback = kernel.value_and_pullback(pairs, theta)
    np.testing.assert_allclose(value, kernel.value(pairs, theta), rtol=1e-14)
    expected = central(lambda t: weights @ kernel.value(pairs, t), theta)
    np.testing.assert_allclose(pullback(weights), expected, atol=1e-8)


def test_derivatives_in_the_first_argument_match_central_differences(kernel):
    theta = parameters_of(kernel)
    value, slopes = kernel.value_and_input_gradient(differences(A, B), theta)
    np.testing.assert_allclose(value, kernel.value(differences(A, B), theta), rtol=1e-14)
    for i, a in enumerate(A):
        expected = central(lambda x: kernel.value(differences(x[None], B), theta)[0], a)
        np.testing.assert_allclose(slopes[:, i], expected, atol=1e-8)


def test_a_kernel_is_one_at_no_distance(kernel):
    np.testing.assert_allclose(kernel.value(np.zeros((D, 2)), parameters_of(kernel)), 1.0, rtol=0)


def test_an_unknown_kernel_is_refused_with_the_known_ones():
    with pytest.raises(
        ValueError, match="kernel must be one of se, matern52_ard, matern52_product, se_mahalanobis"
    ):
        kernel_named("rbf")
