"""Check that the default hyperparameters of a network reach their stated error, before it is tuned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frugal.checks import check_between
from frugal.interface import RunError
from frugal.learners.networks import make

if TYPE_CHECKING:
    from frugal.datasets import Dataset


def check_default(
    network: str, dataset: Dataset, *, epochs: int, max_error: float, seed: int = 0
) -> dict[str, Any]:
    """Train a network's default on the training rows, on the CPU, and compare its test error with a bound.

    Args:
        network: one of `NETWORKS`.
        dataset: one with the splits `train` and `test`.
        epochs: passes over the training rows.
        max_error: the stated error, in [0, 1].
        seed: seed of weights, order of rows and dropout.

    Returns:
        network, dataset, data (provenance), n_rows (number of training rows), epochs, seed, error and max_error.

    Raises:
        RunError: if the error is larger than `max_error`, or the network diverges.
        ValueError: on an unknown network, a bound out of range or a dataset without test rows.
    """
    check_between("max_error", max_error, 0, 1)
    if not {"train", "test"} <= set(dataset.splits):
        raise ValueError(f"{dataset.name} sets no rows apart for testing; use mnist, cifar10 or adult")
    model = make(network, {}, input_shape=dataset.row_shape, n_classes=dataset.n_classes, seed=seed, device="cpu")
    train, rows = dataset.training(), dataset.splits["test"]
    X_test, y_test = dataset.X[rows], dataset.y[rows]
    trained = model.fit(train.X, train.y, X_test[:1], y_test[:1], epochs=epochs)
    error = 1 - model.score(X_test, y_test)
    if trained.reason or error > max_error:
        what = trained.reason or f"errs on {error:.1%} of the test rows after {epochs} epochs"
        raise RunError(
            f"the default {network} on {dataset.name} {what}, and {max_error:.1%} at most is stated; nothing is "
            "tuned before it reaches that"
        )
    row = {"network": network, "dataset": dataset.name, "data": dataset.provenance, "n_rows": len(train.y)}
    return row | {"epochs": epochs, "seed": seed, "error": error, "max_error": max_error}
