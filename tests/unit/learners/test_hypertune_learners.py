"""Document 004's five learners: spaces, signs, and fits held against plain scikit-learn and the exact kernel."""

import math
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from frugal import learners
from frugal.datasets import load
from frugal.interface import TrialTask
from frugal.learners.networks import DEFAULTS, Conv, plan
from frugal.learners.svm_rff import FourierSVM, FourierTraining
from frugal.spaces import Choice, Integer, SearchSpace, Uniform
from frugal.trials.parts import split
from frugal.trials.problems import LearnerProblem, States

FIVE = ("elastic_net", "svm", "svm_rff", "mlp", "cifar_cnn")


@pytest.fixture(scope="module")
def digits():
    data = load("digits")
    order = np.random.default_rng(0).permutation(len(data.y))
    X, y = data.X[order] / 16.0, data.y[order]
    return (X[:900], y[:900]), (X[900:], y[900:])


# Spaces and signs ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("learner", "bounds"),
    [  # document 004, "Experimental Results": exponents where it says so
        ("elastic_net", {"l1_ratio": (0.0, 1.0), "alpha": (1e-7, 1e-1)}),
        ("svm", {"C": (1e-3, 1e3), "gamma": (1e-3, 1e3)}),
        ("svm_rff", {"C": (1e-3, 1e3), "gamma": (1e-3, 1e3), "n_features": (8, 4096)}),
        (
            "mlp",
            {
                "neurons": (32, 4096),
                "dropout": (0.0, 0.8),
                "batch_size": (32, 512),
                "learning_rate": (1e-6, 1.0),
                "momentum": (0.3, 0.999),
            },
        ),
        (
            "cifar_cnn",
            {
                "neurons": (32, 4096),
                "dropout": (0.0, 0.8),
                "conv_dropout": (0.0, 0.8),
                "batch_size": (32, 512),
                "learning_rate": (1e-6, 1.0),
                "momentum": (0.3, 0.999),
            },
        ),
    ],
)
def test_bounds_are_those_of_the_document(learner, bounds):
    space = learners.space("hypertune", learner)
    assert set(space.dimensions) == set(bounds)
    n = len(bounds)
    ends = [space.from_unit(np.full(n, u)) for u in (0.0, 1.0)]
    assert {name: tuple(pytest.approx(end[name]) for end in ends) for name in bounds} == bounds
    middle = space.from_unit(np.full(n, 0.5))
    for name in {"alpha", "C", "gamma", "n_features", "neurons", "learning_rate"} & set(bounds):
        low, high = bounds[name]
        assert middle[name] == pytest.approx(math.sqrt(low * high), rel=0.05)  # even in its exponent


@pytest.mark.parametrize(
    ("learner", "signs"),
    [
        ("elastic_net", {"alpha": -1}),
        ("svm", {"C": 1, "gamma": 1}),
        ("svm_rff", {"C": 1, "gamma": 1, "n_features": 1}),
        ("mlp", {"neurons": 1}),
        ("cifar_cnn", {"neurons": 1}),
        ("knn", {}),
        ("mnist_cnn", {}),
    ],
)
def test_signs_are_those_of_the_document_and_of_dimensions_that_there_are(learner, signs):
    assert dict(learners.signs(learner)) == signs
    if learner in FIVE:
        assert learners.space("hypertune", learner).signs == signs


def test_signs_of_an_unknown_learner_are_refused():
    with pytest.raises(ValueError, match=r"unknown learner 'svc'; known: .*elastic_net, .*svm_rff"):
        learners.signs("svc")


@pytest.mark.parametrize("learner", FIVE)
def test_each_takes_the_bounds_of_its_space(learner):
    learners.check_space(learner, learners.space("hypertune", learner))


@pytest.mark.parametrize(
    ("learner", "dimensions", "message"),
    [
        (
            "elastic_net",
            {"l1_ratio": Uniform(0.0, 1.5), "alpha": Uniform(0.1, 1.0)},
            r"elastic_net refuses l1_ratio = 1.5, a bound of its space: The 'l1_ratio' parameter",
        ),
        (
            "svm",
            {"C": Uniform(0.0, 1.0), "gamma": Uniform(0.1, 1.0)},
            r"svm refuses C = 0.0, a bound of its space: The 'C' parameter of SVC must be",
        ),
        (
            "svm_rff",
            {"C": Uniform(0.1, 1.0), "gamma": Uniform(0.1, 1.0), "n_features": Choice((0.5, 64))},
            "svm_rff refuses n_features = 0.5, a bound of its space: n_features must be at least 1",
        ),
        (
            "mlp",
            {"dropout": Uniform(0.0, 1.0)},
            r"mlp refuses dropout = 1.0, a bound of its space: dropout must lie in \[0, 1\)",
        ),
        (
            "mlp",
            {"depth": Integer(1, 3)},
            "mlp refuses {'depth': 2}, the middle of its space: unknown hyperparameter of mlp 'depth'",
        ),
        ("svm", {"sigma": Uniform(0.0, 1.0)}, "svm refuses {'sigma': 0.5}, the .*space: svm does not take these"),
    ],
)
def test_bounds_that_a_learner_refuses_are_named(learner, dimensions, message):
    with pytest.raises(ValueError, match=message):
        learners.check_space(learner, SearchSpace(dimensions))


def test_the_cnn_has_three_blocks_of_16_32_and_64_filters_unless_told_otherwise():
    def filters(candidate):
        return [layer.filters for layer in plan("cifar_cnn", candidate).layers if isinstance(layer, Conv)]

    assert filters({}) == list(DEFAULTS["cifar_cnn"]["filters"]) == [16, 32, 64]
    assert filters({"filters": 8}) == [8, 8, 8]
    assert filters({"filters": [4, 8, 4]}) == [4, 8, 4]
    with pytest.raises(ValueError, match=r"filters must be one number or 3, got \(4, 8\)"):
        filters({"filters": (4, 8)})


# Fits ------------------------------------------------------------------------------------------------------------


def test_the_elastic_net_is_scikit_learns(digits):
    (X, y), (X_test, y_test) = digits
    candidate = {"alpha": 1e-4, "l1_ratio": 0.3}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        net = learners.build("elastic_net", candidate, seed=5).fit(X, y)
    peer = SGDClassifier(loss="log_loss", penalty="elasticnet", max_iter=50, random_state=5, **candidate)
    with pytest.warns(ConvergenceWarning):
        peer.fit(X, y)
    assert np.array_equal(net.predict(X_test), peer.predict(X_test))
    assert np.mean(net.predict(X_test) != y_test) < 0.06


def test_the_elastic_net_comes_near_the_minimum_of_its_penalised_loss(digits):
    (X, y), _ = digits
    halves, alpha, ratio = y < 5, 1e-2, 0.4

    def loss(model):
        w, margin = model.coef_[0], np.where(halves, 1, -1) * model.decision_function(X)
        return np.logaddexp(0, -margin).mean() + alpha * (ratio * np.abs(w).sum() + (1 - ratio) * w @ w / 2)

    ours = learners.build("elastic_net", {"alpha": alpha, "l1_ratio": ratio}).fit(X, halves).model
    saga = LogisticRegression(solver="saga", C=1 / (alpha * len(y)), l1_ratio=ratio, max_iter=2000, tol=1e-6)
    least = loss(saga.fit(X, halves))
    assert least <= loss(ours) < 1.02 * least


def test_a_large_alpha_makes_it_simpler(digits):
    (X, y), _ = digits
    sizes = [
        np.abs(learners.build("elastic_net", {"alpha": alpha, "l1_ratio": 0.5}).fit(X, y).model.coef_).sum()
        for alpha in (1e-6, 1e-3, 1e-1)
    ]
    assert sizes[0] > sizes[1] > sizes[2]


def test_random_features_have_the_kernel_as_their_product(digits):
    (X, _), _ = digits
    Z = FourierSVM(1.0, 0.3, 4096, seed=2).features(X[:60])
    assert Z.dtype == np.float32
    # a mean of 4,096 products 2 cos a cos b, each of variance 1 + k^4 / 2 - k^2 <= 1 where the kernel is k
    assert np.abs(Z @ Z.T - rbf_kernel(X[:60], gamma=0.3)).max() < 5 / math.sqrt(4096)
    few = FourierSVM(1.0, 0.3, 64, seed=2).features(X[:60])
    assert np.abs(few @ few.T - rbf_kernel(X[:60], gamma=0.3)).max() > 0.1


def test_the_svm_on_random_features_errs_like_the_exact_kernel_and_a_plain_pipeline(digits):
    (X, y), (X_test, y_test) = digits
    candidate = {"C": 10.0, "gamma": 0.1, "n_features": 1024}
    error = np.mean(learners.build("svm_rff", candidate, seed=1).fit(X, y).predict(X_test) != y_test)
    exact = 1 - SVC(C=10.0, gamma=0.1).fit(X, y).score(X_test, y_test)
    peer = make_pipeline(
        RBFSampler(gamma=0.1, n_components=1024, random_state=7),
        SGDClassifier(alpha=1 / (10.0 * len(y)), max_iter=27, tol=None, random_state=7),
    )
    assert exact < error + 0.01
    assert error < 0.05
    assert error == pytest.approx(1 - peer.fit(X, y).score(X_test, y_test), abs=0.015)


def test_trained_in_parts_saved_or_not_it_is_what_it_is_in_one_go(digits, tmp_path):
    train, test = digits
    candidate, seen = {"C": 3.0, "gamma": 0.1, "n_features": 50}, []
    whole = FourierTraining(candidate, 4).fit(
        *train, *test, epochs=5, report=lambda epoch, score: seen.append((epoch, score)) or True
    )
    assert seen == list(enumerate(whole.curve, start=1))
    first = FourierTraining(candidate, 4)
    first.fit(*train, *test, epochs=2)
    first.save(tmp_path / "a.state")
    assert first.fit(*train, *test, epochs=5) == whole
    again = FourierTraining(candidate, 4).load(tmp_path / "a.state")
    assert again.n_epochs == 2
    assert again.fit(*train, *test, epochs=5, report=lambda epoch, score: epoch < 4).curve == whole.curve[:4]
    fitted = FourierSVM(**candidate, n_epochs=5, seed=4).fit(*train)
    assert np.mean(fitted.predict(test[0]) == test[1]) == whole.curve[-1]
    assert fitted.fit(*train).n_done == 5
    with pytest.raises(ValueError, match=r"was saved with plan .*'seed': 4.*, this SVM has .*'seed': 5"):
        FourierTraining(candidate, 5).load(tmp_path / "a.state")
    (tmp_path / "a.state").write_bytes(b"")
    with pytest.raises(ValueError, match="truncated or holds no SVM"):
        FourierTraining(candidate, 4).load(tmp_path / "a.state")


def test_rows_of_one_class_and_an_untrained_svm_are_refused(digits):
    (X, y), (X_test, y_test) = digits
    candidate = {"C": 3.0, "gamma": 0.1, "n_features": 50}
    trained = FourierTraining(candidate, 0).fit(X[:1], y[:1], X_test, y_test, epochs=3)
    assert "number of classes has to be greater than one" in trained.reason
    assert len(trained.curve) == 1
    with pytest.raises(ValueError, match="nothing was trained yet"):
        FourierSVM(**candidate).predict(X)


@pytest.mark.parametrize("n_labels", [99, 101])
def test_labels_of_other_rows_are_refused(digits, n_labels):
    (X, y), _ = digits
    with pytest.raises(
        ValueError, match=rf"y must have shape \(100,\), one class per row of X, got \({n_labels},\)"
    ):
        FourierSVM(3.0, 0.1, 50).fit(X[:100], y[:n_labels])


@pytest.mark.parametrize("on_disk", [False, True])
def test_a_problem_trains_it_in_epochs_or_for_its_own_number_and_continues_it(on_disk, tmp_path):
    data = load("digits")
    parts = split(data, n_valid=300, n_test=300, seed=0, n_train=200)
    states = tmp_path / "states" if on_disk else None
    rff_problem = LearnerProblem("svm_rff", data, parts, None, scaler="min_max", states=states)
    candidate = {"C": 10.0, "gamma": 0.1, "n_features": 64}
    whole = rff_problem.evaluate(TrialTask(0, candidate), lambda *_: True)
    assert (len(whole.curve), whole.cost) == (27, 27 * 200)
    first = rff_problem.evaluate(TrialTask(1, candidate, epochs=9), lambda *_: True)
    rest = rff_problem.evaluate(TrialTask(2, candidate, epochs=27, resume_from=1), lambda *_: True)
    assert rest.curve == whole.curve
    assert (rest.error, first.cost + rest.cost) == (whole.error, whole.cost)
    assert rff_problem.network_test_error(rest) < 0.2
    assert (
        rff_problem.evaluate(TrialTask(3, candidate, n_rows=100, subset=3, epochs=2), lambda *_: True).cost == 200
    )
    with pytest.raises(ValueError, match="trial 1 has left no state"):
        rff_problem.evaluate(TrialTask(4, candidate, epochs=9, resume_from=1), lambda *_: True)


def test_states_of_an_svm_are_of_one_candidate():
    def fresh(C=1.0):
        return FourierTraining({"C": C, "gamma": 1.0, "n_features": 8}, 0)

    states = States()
    states.keep(1, fresh())
    with pytest.raises(ValueError, match="the state of trial 1 is of another candidate"):
        states.take(1, fresh(2.0))


def test_learners_with_a_bad_hyperparameter_are_refused():
    for C, n_features, message in [(0, 8, "C must be above 0"), (1.0, 8.5, "n_features must be at least 1")]:
        with pytest.raises(ValueError, match=message):
            learners.build("svm_rff", {"C": C, "gamma": 1.0, "n_features": n_features})
    with pytest.raises(ValueError, match=r"svm_rff does not take these hyperparameters: .*'degree'"):
        learners.build("svm_rff", {"degree": 3})


def test_a_fit_that_diverges_is_no_refusal_of_its_space():
    name = "sgd_logistic_regression"
    learners.check_space(name, learners.space("hpolib", name))


def test_random_features_are_of_as_many_columns_as_in_training(tmp_path):
    X, y = np.random.default_rng(0).normal(size=(30, 4)), np.arange(30) % 2
    svm = FourierSVM(3.0, 0.1, 50, n_epochs=2).fit(X, y)
    with pytest.raises(ValueError, match="X must have 4 columns, as the rows before, got 3"):
        svm.predict(X[:, :3])
    assert svm.fit(X[:, :3], y).predict(X[:, :3]).shape == (30,)
    candidate = {"C": 3.0, "gamma": 0.1, "n_features": 50}
    training = FourierTraining(candidate, 0)
    training.fit(X, y, X, y, epochs=1)
    training.save(tmp_path / "state.npz")
    with pytest.raises(ValueError, match="X must have 4 columns"):
        FourierTraining(candidate, 0).load(tmp_path / "state.npz").score(X[:, :3], y)
