"""Our posterior and log expected improvement against BoTorch's, at fixed hyperparameters, in float64."""

import numpy as np
import pytest

from frugal.trials.acquisitions import LogEI
from frugal.trials.surrogates import GP

torch = pytest.importorskip("torch")
pytest.importorskip("botorch")

D, N, MEAN, AMPLITUDE, NOISE = 4, 25, 0.3, 1.7, 0.02
SCALES = np.array([0.2, 0.5, 0.9, 1.5])


@pytest.fixture(scope="module", params=["se", "matern52_ard"])
def both(request):
    rng = np.random.default_rng(0)
    X = rng.random((N, D))
    y = np.sin(5 * X).sum(axis=1) + 0.1 * rng.standard_normal(N)
    ours = GP(request.param, lengthscale=SCALES, amplitude=AMPLITUDE, noise_variance=NOISE, mean=MEAN).fit(X, y)
    return ours, botorch_gp(request.param, X, y), rng.random((200, D)), X


def botorch_gp(kernel, X, y):
    from botorch.models import SingleTaskGP
    from gpytorch.kernels import MaternKernel, RBFKernel, ScaleKernel
    from gpytorch.likelihoods import GaussianLikelihood
    from gpytorch.means import ConstantMean

    base = RBFKernel(ard_num_dims=D) if kernel == "se" else MaternKernel(nu=2.5, ard_num_dims=D)
    model = SingleTaskGP(
        torch.tensor(X),
        torch.tensor(y)[:, None],
        likelihood=GaussianLikelihood(),
        covar_module=ScaleKernel(base),
        mean_module=ConstantMean(),
        outcome_transform=None,
    ).double()
    model.covar_module.base_kernel.lengthscale = torch.tensor(SCALES)
    model.covar_module.outputscale = torch.tensor(
        AMPLITUDE, dtype=torch.float64
    )  # a float would be rounded to float32
    model.mean_module.constant = torch.tensor(MEAN, dtype=torch.float64)
    model.likelihood.noise = torch.tensor(NOISE, dtype=torch.float64)
    return model.eval()


def theirs(model, X, eta):
    from botorch.acquisition import LogExpectedImprovement

    points = torch.tensor(X, requires_grad=True)
    values = LogExpectedImprovement(model, best_f=eta, maximize=False)(points[:, None, :])
    values.sum().backward()
    return values.detach().numpy(), points.grad.numpy()


def test_the_posterior_is_botorchs(both):
    ours, model, X, _ = both
    posterior = model.posterior(torch.tensor(X))
    mean, std = ours.predict(X)
    assert mean == pytest.approx(posterior.mean.detach().numpy()[:, 0], abs=1e-10)
    assert std**2 == pytest.approx(posterior.variance.detach().numpy()[:, 0], rel=1e-8)


# From an improvement that is all but certain to one that is up to 1e6 standard deviations away.
@pytest.mark.parametrize("eta", [30.0, 3.0, 0.5, -1.0, -5.0, -50.0, -1e3, -1e5])
def test_log_ei_and_its_gradient_are_botorchs(both, eta):
    ours, model, X, observed = both
    X = np.vstack([X, observed + 1e-3 * (0.5 - observed)])  # where little uncertainty is left, too
    acquisition = LogEI(ours.components, [eta])
    values, gradients = theirs(model, X, eta)
    assert np.isfinite(values).all()
    assert acquisition(X) == pytest.approx(values, rel=1e-8, abs=1e-8)
    mean, std = ours.predict(X)
    # In double precision both lose z^2 times its epsilon in the slope of log h (checked against 80 digits).
    tolerances = np.maximum(1e-8, 1e-15 * ((eta - mean) / std) ** 2)
    for x, value, gradient, tolerance in zip(X, values, gradients, tolerances, strict=True):
        found, slope = acquisition.with_gradient(x)
        assert found == pytest.approx(value, rel=1e-8, abs=1e-8)
        assert slope == pytest.approx(gradient, rel=tolerance, abs=tolerance * max(1.0, np.abs(gradient).max()))
