"""Figures 1 and 2 of document 003, against scikit-learn's kernels and what the pictures say."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF, Matern

from studies.big_data.intuition import (
    N_ROWS,
    OBSERVED,
    REACH,
    summarise_figure1,
    summarise_figure2,
)


@pytest.fixture(scope="module")
def distances():
    return summarise_figure1(0)


def test_the_red_points_are_alike_by_euclid_and_not_by_mahalanobis(distances):
    table = distances[distances["panel"] == "measured"].set_index("kind")
    along, across = table.loc["along"], table.loc["across"]
    assert along["euclidean"] == pytest.approx(across["euclidean"])
    assert along["mahalanobis"] == pytest.approx(REACH)
    assert across["mahalanobis"] > 2 * REACH


def test_mahalanobis_distances_are_euclids_of_the_whitened_points(distances):
    whitened = distances[distances["panel"] == "whitened"]
    assert np.hypot(whitened["x"], whitened["y"]).to_numpy() == pytest.approx(whitened["mahalanobis"].to_numpy())
    data = whitened[whitened["kind"] == "data"]
    assert len(data) == N_ROWS
    assert np.cov(data[["x", "y"]].T) == pytest.approx(np.eye(2), abs=1e-9)
    measured = distances[distances["panel"] == "measured"].set_index("kind")
    inverse = np.linalg.inv(np.cov(measured.loc["data", ["x", "y"]].T))
    away = (measured.loc["across", ["x", "y"]] - measured.loc["mean", ["x", "y"]]).to_numpy(float)
    assert away @ inverse @ away == pytest.approx(measured.loc["across", "mahalanobis"] ** 2)


@pytest.mark.parametrize(
    ("kernel", "peer"), [("exponential", Matern(nu=0.5)), ("matern52", Matern(nu=2.5)), ("se", RBF())]
)
def test_covariances_are_those_of_scikit_learn(kernel, peer):
    table = summarise_figure2(0)
    line = table[(table["panel"] == "covariance") & (table["kernel"] == kernel)]
    expected = peer(line[["x"]].to_numpy(), np.zeros((1, 1)))[:, 0]
    assert line["y"].to_numpy() == pytest.approx(expected, abs=1e-12)


def test_draws_given_two_values_pass_through_them_and_change_with_the_seed():
    table = summarise_figure2(0)
    for _, draw in table[table["panel"] == "posterior"].groupby(["kernel", "draw"]):
        assert np.interp([x for x, _ in OBSERVED], draw["x"], draw["y"]) == pytest.approx(
            [f for _, f in OBSERVED], abs=5e-3
        )
    assert not np.allclose(table["y"], summarise_figure2(1)["y"])
