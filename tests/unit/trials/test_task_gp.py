import numpy as np
import pytest
from test_marginal_gp import check_chain

from frugal.trials.surrogates import GP, TaskGP

RNG = np.random.default_rng(9)
GIVEN = {"lengthscale": 0.4, "amplitude": 1.3, "noise_variance": 0.02, "mean": 0.3}
X, TASK = RNG.random((14, 2)), np.arange(14) % 2
Y = np.sin(5 * X[:, 0]) + TASK * X[:, 1]
NEW = RNG.random((6, 2))


def with_task(task, points=NEW):
    return np.insert(points, 2, task, axis=1)


def test_with_the_identity_for_factor_tasks_know_nothing_of_each_other():
    both = TaskGP(2, task_factor=np.eye(2), **GIVEN).fit(with_task(TASK, X), Y)
    for task in (0, 1):
        alone = GP("matern52_product", **GIVEN).fit(X[task == TASK], Y[task == TASK])
        np.testing.assert_allclose(both.predict(with_task(task)), alone.predict(NEW), rtol=1e-9)
        np.testing.assert_allclose(
            both.covariance(with_task(task), with_task(task)), alone.covariance(NEW, NEW), atol=1e-12
        )
    np.testing.assert_allclose(both.covariance(with_task(0), with_task(1)), 0, atol=1e-15)
    evidences = [GP("matern52_product", **GIVEN).fit(X[t == TASK], Y[t == TASK]).log_evidence for t in (0, 1)]
    assert both.log_evidence == pytest.approx(sum(evidences), rel=1e-10)


def test_with_a_factor_of_rank_one_tasks_are_one_process():
    shared = TaskGP(2, task_factor=[[1, 0], [1, 0]], **GIVEN).fit(with_task(TASK, X), Y)
    plain = GP("matern52_product", **GIVEN).fit(X, Y)
    for task in (0, 1):
        np.testing.assert_allclose(shared.predict(with_task(task)), plain.predict(NEW), rtol=1e-9)
    np.testing.assert_allclose(shared.weights, np.ones((2, 2)))
    twice = TaskGP(2, task_factor=[[1, 0], [2, 0]], **{**GIVEN, "mean": 0.0}).fit(with_task(TASK, X), Y)
    np.testing.assert_allclose(2 * np.array(twice.predict(with_task(0))), twice.predict(with_task(1)), rtol=1e-9)


def test_a_related_task_narrows_the_target():
    few = TASK == 0
    few[1] = True  # the target was tried once
    data = with_task(TASK, X)[few], Y[few]
    related = TaskGP(2, task_factor=[[1, 0], [0.95, 0.31]], **GIVEN).fit(*data)
    apart = TaskGP(2, task_factor=np.eye(2), **GIVEN).fit(*data)
    assert (related.predict(with_task(1))[1] < apart.predict(with_task(1))[1]).all()
    assert np.mean(related.predict(with_task(1))[1] / apart.predict(with_task(1))[1]) < 0.8


def test_one_task_is_a_plain_process():
    given = {**GIVEN, "mean": None}
    np.testing.assert_allclose(
        TaskGP(1, **given).fit(with_task(0, X), Y).predict(with_task(0)),
        GP("matern52_product", **given).fit(X, Y).predict(NEW),
        rtol=1e-10,
    )


def test_fitting_finds_that_tasks_agree_and_that_they_do_not():
    rng = np.random.default_rng(0)
    points = rng.random((40, 1))
    data = np.insert(points, 1, np.arange(40) % 2, axis=1)
    wave, other = np.sin(8 * points[:, 0]), np.cos(17 * points[:, 0] + 1)

    def correlation(y):
        W = TaskGP(2).fit(data, (y - y.mean()) / y.std()).weights
        return W[0, 1] / np.sqrt(W[0, 0] * W[1, 1])

    assert correlation(wave) > 0.95
    assert correlation(np.where(data[:, 1] == 0, wave, other)) < 0.4


def test_chains_agree_with_the_posterior_integrated_on_a_grid():
    gp = TaskGP(2, lengthscale=0.5, amplitude=1.0, noise_variance=0.04)
    evidence = gp.evidence(with_task(TASK, X), Y)
    assert evidence.free.tolist() == [False, False, True, True, False, False]
    below, diagonal = 5 * (np.arange(60) + 0.5) / 60, -6 + 9 * (np.arange(60) + 0.5) / 60  # midpoints
    _, chain = check_chain(gp, evidence, below, diagonal, precision=0.1)
    assert (chain[:, :, 0] >= 0).all()


def test_what_was_fitted_does_not_change_with_the_callers_array():
    points = with_task(TASK, X)
    process = TaskGP(2, task_factor=np.eye(2), **GIVEN).fit(points, Y)
    before = process.predict(with_task(1))
    points[:] = 0.0
    np.testing.assert_array_equal(process.predict(with_task(1)), before)
