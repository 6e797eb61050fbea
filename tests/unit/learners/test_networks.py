import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits
from torch.nn import functional

from frugal.bench.networks import plain_module
from frugal.folds import score
from frugal.learners.networks import DEFAULTS, authors_grid, make, plan, space
from frugal.learners.networks.device import settled
from frugal.learners.networks.layers import Dropout
from frugal.learners.networks.network import CHECK_EVERY
from frugal.learners.networks.optimisers import Adam

SHAPES = {"mnist_cnn": (14, 14), "mlp": (14, 14), "cifar_cnn": (16, 16, 3)}
ADAM = {"optimizer": "adam", "learning_rate": 0.01}


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def pictures(n_rows, shape, seed=0):
    """Pixels that are blank, saturated and in between, and labels: (n_rows, n_features) uint8 and (n_rows,)."""
    rng = np.random.default_rng(seed)
    X = rng.choice([0, 0, 255, 80, 131], size=(n_rows, math.prod(shape))).astype(np.uint8)
    X.reshape(n_rows, *shape)[:, :6, :8] = 0
    X.reshape(n_rows, *shape)[:, 8:, 8:] = 255
    return X, rng.integers(0, 10, n_rows)


def network(name, candidate=None, *, seed=0, shape=None):
    return make(name, candidate or {}, input_shape=shape or SHAPES[name], n_classes=10, seed=seed, device="cpu")


def fitted(name, candidate=None, *, seed=0, epochs=2, n_rows=70, **settings):
    X, y = pictures(n_rows, SHAPES[name])
    net = network(name, candidate, seed=seed)
    return net, net.fit(X, y, X[:20], y[:20], epochs=epochs, **settings)


# Plans and spaces ------------------------------------------------------------------------------------------------


def test_document_000s_grid_has_72_distinct_rows_of_the_96_that_its_code_lists():
    grid, listed = space("grid", "mnist_cnn").grid(), authors_grid(np.random.default_rng(0))
    assert len(grid) == 72
    assert len(listed) == 96
    counts = [sum(row == candidate for row in listed) for candidate in grid]
    assert counts == [2 if candidate["learning_rate"] == 0.01 else 1 for candidate in grid]
    assert listed == authors_grid(np.random.default_rng(0)) != authors_grid(np.random.default_rng(1))


def test_the_default_of_mnist_cnn_is_a_row_of_the_grid():
    assert DEFAULTS["mnist_cnn"] in space("grid", "mnist_cnn").grid()


@pytest.mark.parametrize(
    ("name", "candidate", "message"),
    [
        ("vgg", {}, "unknown network 'vgg'; known: mnist_cnn, mlp, cifar_cnn"),
        ("mlp", {"filters": 8}, "unknown hyperparameter of mlp 'filters'; known: neurons"),
        ("mlp", {"neurons": 0}, "whole numbers of at least 1"),
        ("mlp", {"n_hidden": -1}, "n_hidden must be at least 0 and a whole number, got -1"),
        ("mlp", {"n_hidden": 1.5}, "n_hidden must be at least 0 and a whole number, got 1.5"),
        ("mnist_cnn", {"dropout": 1.0}, r"dropout must lie in \[0, 1\)"),
        ("mnist_cnn", {"optimizer": "rmsprop"}, "unknown optimizer 'rmsprop'; known: adam, sgd"),
        ("mnist_cnn", {"learning_rate": math.nan}, "learning_rate must be above 0"),
    ],
)
def test_a_plan_refuses(name, candidate, message):
    with pytest.raises(ValueError, match=message):
        plan(name, candidate)


# Arithmetic ------------------------------------------------------------------------------------------------------


def test_parameters_and_flops_of_document_000s_network_counted_by_hand():
    net = network("mnist_cnn", {"filters": 16, "dense": 24}, shape=(28, 28))
    assert net.n_parameters == (9 * 16 + 16) + (13 * 13 * 16 * 24 + 24) + (24 * 10 + 10)
    # Two per multiplication; the convolution goes forwards and back to weights, dense layers back to inputs too.
    assert net.flops_per_row == 2 * (2 * 26 * 26 * 9 * 16 + 3 * 13 * 13 * 16 * 24 + 3 * 24 * 10)


def as_torch_flattens(values, net, name):
    """Parameters in the order of the plain module: document 000's dense layer takes channels first there."""
    if name != "mnist_cnn":
        return values
    sizes = [math.prod(shape) for layer in net._layers for shape in layer.shapes]
    parts = list(values.split(sizes))
    units, filters = net.plan.layers[1].units, net.plan.layers[0].filters
    parts[2] = parts[2].view(units, -1, filters).transpose(1, 2).reshape(-1)
    return torch.cat(parts)


@pytest.mark.parametrize(
    ("name", "candidate"),
    [
        ("mnist_cnn", {"dropout": 0.0, "filters": 8, "dense": 6, "learning_rate": 0.05}),
        ("mnist_cnn", {"dropout": 0.0, "filters": 3, "dense": 12, "learning_rate": 0.01}),
        ("mlp", {"dropout": 0.0, "n_hidden": 2, "neurons": 20, "weight_decay": 0.1, "batch_size": 64}),
        ("cifar_cnn", {"dropout": 0.0, "conv_dropout": 0.0, "neurons": 12, "learning_rate": 0.05}),
    ],
)
def test_training_equals_autograd_and_torchs_sgd(name, candidate):
    X, y = pictures(32, SHAPES[name])  # one batch per epoch, so that the order of rows does not matter
    ours = network(name, candidate)
    peer = plain_module(ours.plan, SHAPES[name], 10)
    start = as_torch_flattens(ours.values.clone(), ours, name)
    torch.nn.utils.vector_to_parameters(start.clone(), peer.parameters())  # which are views of it
    p = ours.plan
    optimiser = torch.optim.SGD(peer.parameters(), p.learning_rate, p.momentum, weight_decay=p.weight_decay)
    images = torch.tensor(X / 255, dtype=torch.float32)
    if name != "mlp":
        images = images.view(32, 14 if name == "mnist_cnn" else 16, -1, 1 if name == "mnist_cnn" else 3)
        images = images.permute(0, 3, 1, 2)
    for _ in range(4):
        optimiser.zero_grad()
        functional.cross_entropy(peer(images), torch.tensor(y)).backward()
        optimiser.step()
    ours.fit(X, y, X, y, epochs=4)
    expected = torch.nn.utils.parameters_to_vector(peer.parameters()).detach()
    moved = (expected - start).norm()
    assert (as_torch_flattens(ours.values, ours, name) - expected).norm() < 1e-4 * moved
    assert np.array_equal(ours.predict(X), peer.eval()(images).argmax(1).numpy())


def test_leaving_out_blank_patches_changes_nothing():
    _, y = pictures(40, (14, 14))
    # Many patches with pixels below 0 sum to 0; they are not blank.
    X = np.random.default_rng(0).choice([-1.0, 0.0, 1.0], size=(40, 196), p=[0.2, 0.6, 0.2])
    some, every = network("mnist_cnn"), network("mnist_cnn")
    every._layers[0].skip_blank = False  # as on a GPU
    for net in (some, every):
        net.fit(X, y, X, y, epochs=3)
    assert torch.allclose(some.values, every.values, atol=1e-6)


def test_adam_is_torchs_where_gradients_are_large_against_epsilon():
    values, gradient = torch.randn(50), torch.empty(50)
    peer = values.clone().requires_grad_()
    theirs, ours = torch.optim.Adam([peer], lr=0.01, eps=1e-7), Adam(values, gradient, 0.01)
    for step in range(20):
        gradient.copy_(torch.cos(step + torch.arange(50.0)))
        peer.grad = gradient.clone()
        theirs.step()
        ours.step()
    assert torch.allclose(values, peer.detach(), atol=1e-5)


def test_adams_epsilon_stands_beside_the_uncorrected_root_as_in_keras():
    values, gradient = torch.zeros(1), torch.tensor([1e-6])
    Adam(values, gradient, 0.01).step()
    rate = 0.01 * math.sqrt(1 - 0.999) / (1 - 0.9)
    first, second = (1 - 0.9) * 1e-6, (1 - 0.999) * 1e-12
    assert values.item() == pytest.approx(-rate * first / (math.sqrt(second) + 1e-7), rel=1e-4)


def test_weights_are_glorot_uniform_and_biases_zero():
    net = network("mlp", {"neurons": 500})
    weights, biases = net.values[: 196 * 500], net.values[196 * 500 : 196 * 500 + 500]
    bound = math.sqrt(6 / (196 + 500))
    assert 0.99 * bound < weights.abs().max() <= bound
    assert weights.var().item() == pytest.approx(bound**2 / 3, rel=0.02)
    assert not biases.any()


def test_dropout_keeps_the_mean_in_training_and_does_nothing_otherwise():
    layer, x = Dropout(0.4), torch.ones(400, 500)
    masked = layer.forward(x, torch.Generator().manual_seed(0))
    assert masked.mean().item() == pytest.approx(1, abs=0.01)
    assert masked.unique().tolist() == pytest.approx([0, 1 / 0.6])
    assert torch.equal(layer.backward(x), masked)
    assert layer.forward(x, None) is x


def test_floats_are_taken_as_they_are_and_pixels_divided_by_255():
    X, y = pictures(70, (14, 14))
    net, training = fitted("mnist_cnn")
    assert net.score(X, y) == net.score(X.reshape(70, 14, 14), y) == net.score(X / 255, y)
    assert training.curve[-1] == net.score(X[:20], y[:20])


def test_it_learns_handwritten_digits():
    X, y = load_digits(return_X_y=True)
    X = (X.reshape(-1, 8, 8).repeat(3, 1).repeat(3, 2) * 15.9).astype(np.uint8)  # 24 x 24 pixels
    net = network("mnist_cnn", ADAM, shape=(24, 24))
    assert net.fit(X[:1400], y[:1400], X[1400:], y[1400:], epochs=6).curve[-1] > 0.8


# Seeds, state and failures ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DEFAULTS)
def test_the_same_seed_gives_the_same_bits_and_another_seed_others(name):
    torch.manual_seed(1)
    first, curve = fitted(name)
    torch.manual_seed(2)
    second, again = fitted(name)
    other, _ = fitted(name, seed=1)
    assert torch.equal(first.values, second.values)
    assert curve == again
    assert not torch.equal(first.values, other.values)


@pytest.mark.parametrize(
    ("name", "candidate"),
    [("mnist_cnn", ADAM), ("mnist_cnn", {}), ("mlp", {"momentum": 0.9}), ("cifar_cnn", {})],
)
def test_a_resumed_run_ends_in_the_bits_of_an_uninterrupted_one(name, candidate, tmp_path):
    whole, curve = fitted(name, candidate, epochs=3)
    part, _ = fitted(name, candidate, epochs=1)
    part.save(tmp_path / "state.pt")
    X, y = pictures(70, SHAPES[name])
    resumed = network(name, candidate).load(tmp_path / "state.pt")
    assert resumed.fit(X, y, X[:20], y[:20], epochs=3) == curve
    assert torch.equal(resumed.values, whole.values)
    assert np.array_equal(resumed.predict(X), whole.predict(X))


def test_a_state_of_another_network_is_refused(tmp_path):
    network("mlp", seed=3).save(tmp_path / "state.pt")
    with pytest.raises(ValueError, match="saved with seed 3, this network has 4"):
        network("mlp", seed=4).load(tmp_path / "state.pt")
    with pytest.raises(ValueError, match="saved with plan"):
        network("mlp", {"neurons": 7}, seed=3).load(tmp_path / "state.pt")


def test_divergence_is_a_result_with_a_reason_and_ends_training():
    heard = []
    net, training = fitted(
        "mnist_cnn", {"learning_rate": 1e30}, epochs=3, report=lambda *reported: heard.append(reported) or True
    )
    assert [math.isnan(score) for score in training.curve] == [True]
    assert training.reason == "weights were not finite in epoch 1"
    assert heard == []
    X, y = pictures(70, (14, 14))
    assert net.fit(X, y, X, y, epochs=5).curve == pytest.approx(training.curve, nan_ok=True)


def test_divergence_is_noticed_long_before_the_epoch_ends():
    net, training = fitted("mlp", {"learning_rate": 1e30, "batch_size": 1}, epochs=1, n_rows=3 * CHECK_EVERY)
    assert training.reason
    assert net._optimiser.n_steps == CHECK_EVERY


def test_report_hears_each_epoch_and_stops_training():
    heard = []
    _, training = fitted("mlp", epochs=5, report=lambda epoch, score: heard.append((epoch, score)) or epoch < 2)
    assert heard == list(enumerate(training.curve, start=1))
    assert len(heard) == 2


def test_torchs_settings_and_generator_are_left_as_they_were():
    torch.set_num_threads(2)
    state = torch.get_rng_state()
    fitted("cifar_cnn", epochs=1)
    assert torch.get_num_threads() == 2
    assert not torch.are_deterministic_algorithms_enabled()
    assert torch.equal(torch.get_rng_state(), state)


def test_torchs_settings_are_restored_by_the_last_of_several_threads():
    first, second = settled("cpu"), settled("cpu")
    with ThreadPoolExecutor(1) as a, ThreadPoolExecutor(1) as b:
        a.submit(first.__enter__).result()
        b.submit(second.__enter__).result()
        a.submit(first.__exit__, None, None, None).result()
        assert torch.are_deterministic_algorithms_enabled()  # the second one is not done
        b.submit(second.__exit__, None, None, None).result()
    assert not torch.are_deterministic_algorithms_enabled()
    assert torch.utils.deterministic.fill_uninitialized_memory


def test_scores_of_networks_leave_torch_its_threads(monkeypatch):
    torch.set_num_threads(2)
    asked = []
    monkeypatch.setattr(torch, "set_num_threads", asked.append)
    X, y = np.zeros((20, 196), dtype=np.uint8), np.arange(20) % 2
    score((X, y), "mlp", [DEFAULTS["mlp"]], n_folds=2, seed=0, epochs=1)
    assert set(asked) == {1, 2}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"X": np.zeros((4, 5))}, r"expected rows of 196 features, got shape \(4, 5\)"),
        ({"X": np.zeros((4, 7, 28))}, r"got shape \(4, 7, 28\); images are \(14, 14\)"),
        ({"X": np.full((4, 196), np.nan)}, "rows must hold finite numbers"),
        ({"y": np.zeros(3, dtype=int)}, r"expected 4 labels, got shape \(3,\)"),
        ({"y": np.full(4, 10)}, r"labels must lie in \[0, 9\]"),
        ({"y": np.full(4, 0.7)}, "labels must be whole numbers, got torch.float64"),
        ({"epochs": 0}, "epochs must be at least 1 and a whole number, got 0"),
        ({"epochs": 2.5}, "epochs must be at least 1 and a whole number, got 2.5"),
    ],
)
def test_fit_refuses(change, message):
    X, y = np.zeros((4, 196), dtype=np.uint8), np.zeros(4, dtype=int)
    with pytest.raises(ValueError, match=message):
        network("mlp").fit(**({"X": X, "y": y, "X_valid": X, "y_valid": y, "epochs": 1} | change))


@pytest.mark.parametrize("content", [b"", b"no state", None])
def test_a_file_that_holds_no_state_is_refused(tmp_path, content):
    path = tmp_path / "state.pt"
    if content is None:  # a state cut off half-way
        network("mlp").save(path)
        content = path.read_bytes()[: path.stat().st_size // 2]
    path.write_bytes(content)
    with pytest.raises(ValueError, match="is truncated or holds no network; delete it and train again"):
        network("mlp").load(path)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda state: state.pop("identity"), "holds no network"),
        (lambda state: state.update(n_steps=state.pop("curve")), "holds no network"),
        (lambda state: state.update(tensors=7), "holds no network"),
        (lambda state: state["identity"].pop("seed"), "was saved with seed None"),
        (lambda state: state["tensors"].pop(), "holds tensors of other shapes"),
        (lambda state: state["tensors"].__setitem__(0, "x"), "holds tensors of other shapes"),
    ],
)
def test_a_file_of_torch_that_is_no_state_is_refused(tmp_path, change, sentence):
    path = tmp_path / "state.pt"
    network("mlp").save(path)
    state = torch.load(path, weights_only=True)
    change(state)
    torch.save(state, path)
    with pytest.raises(ValueError, match=sentence):
        network("mlp").load(path)


def test_images_that_are_none_or_too_small_are_refused():
    with pytest.raises(ValueError, match="a convolution needs rows of shape"):
        network("mnist_cnn", shape=(30,))
    with pytest.raises(ValueError, match="an image of 3 x 9 pixels is too small"):
        network("mnist_cnn", shape=(3, 9))


def test_a_device_is_known_and_present():
    with pytest.raises(ValueError, match="unknown device 'tpu'; known: auto, cpu, cuda"):
        make("mlp", {}, input_shape=(4,), n_classes=2, seed=0, device="tpu")


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize(
    ("name", "candidate", "tolerance"), [("mlp", {"weight_decay": 1e-3}, 0.0), ("cifar_cnn", {}, 0.05)]
)
def test_a_captured_step_is_the_step(monkeypatch, name, candidate, tolerance):
    """Dropout included; torch promises no order in which overlapping windows of the CNN's max-pooling add up."""
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 256, (650, *SHAPES[name]), dtype=np.uint8)
    labels = rng.integers(0, 10, 650)

    def trained():
        settings = {"batch_size": 32, **candidate}
        ours = make(name, settings, input_shape=SHAPES[name], n_classes=10, seed=3, device="cuda")
        first = ours.values.cpu().numpy()
        for epochs in (1, 3):  # the second fit goes on
            ours.fit(rows, labels, rows, labels, epochs=epochs)
        return ours.values.cpu().numpy() - first

    captured = trained()
    monkeypatch.setattr("frugal.learners.networks.network.CapturedStep", lambda step, *_: step)
    one_by_one = trained()
    assert np.abs(one_by_one).max() > 0
    np.testing.assert_allclose(captured, one_by_one, rtol=0, atol=tolerance * np.abs(one_by_one).max())
