"""Document 003's k-means SVMs: what their runs measure, against counting by hand and scikit-learn's own search."""

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from frugal.seeds import seed_for
from studies.big_data import ripley, tuned_svm
from studies.big_data.boundaries import BOUNDARIES
from studies.big_data.compression import COMPRESSION
from studies.jobs import run_experiment as run

SMALL = {"datasets": ["ripley"], "compressions": [1, 10], "n_folds": 2, "Cs": [0.5, 8.0], "gammas": [0.1, 1.0],
         "n_init": 3}  # fmt: skip
LINES = {"n_per_class": 125, "compression": 5, "C": 1.0, "n_init": 3, "n_fresh": 2000}
SECONDS = ["train_seconds", "fit_seconds", "predict_seconds"]


@pytest.fixture(scope="module")
def compressed():
    return {method: run("compression", method, 3, SMALL) for method in ("km_svm", "wkm_svm", "svm_km")}


def test_ripleys_classes_have_the_moments_of_their_mixture():
    X, y = ripley.simulate(20_000, np.random.default_rng(0))
    for label, ((a, b), (c, d)) in enumerate(ripley.CENTRES):
        points = X[y == label]
        assert len(points) == 20_000
        assert points.mean(axis=0) == pytest.approx([(a + c) / 2, (b + d) / 2], abs=0.015)
        assert points.var(axis=0) == pytest.approx([0.03 + ((a - c) / 2) ** 2, 0.03], rel=0.05)


@pytest.mark.parametrize(("slope", "angle"), [(0.0, 45.0), (1.0, 0.0), (-1.0, 90.0)])
def test_angles_are_those_between_lines(slope, angle):
    def line(slope):
        normal = np.array([-slope, 1.0]) / math.hypot(slope, 1.0)
        return ripley.Line(normal, slope, 0.0, 1.0)

    assert ripley.angle_deg(line(slope), line(1.0)) == pytest.approx(angle, abs=1e-12)


def test_a_line_and_its_margins_are_where_the_decision_function_says():
    X, y = ripley.sample(2)
    svm = ripley.fit("wkm_svm", X, y, 2)
    line = ripley.line_of(svm)
    points = np.array([[x, line.intercept + line.slope * x] for x in (-1.0, 0.5)])
    assert svm.decision_function(points) == pytest.approx(0.0, abs=1e-9)
    assert svm.decision_function(points + line.margin * line.normal) == pytest.approx(1.0)


def test_the_full_boundary_is_scikit_learns_and_no_angle_from_itself():
    row = BOUNDARIES.run("full", 5, LINES).iloc[0]
    svm = SVC(kernel="linear", C=1.0).fit(*ripley.sample(5))
    (w,), (b,) = svm.coef_, svm.intercept_
    assert (row["slope"], row["intercept"]) == pytest.approx((-w[0] / w[1], -b / w[1]))
    assert row["n_support"] == svm.n_support_.sum()
    assert (row["angle_deg"], row["disagreement"], row["n_centres"]) == (0.0, 0.0, 250)


def test_km_and_wkm_have_25_centres_per_class_and_the_angle_of_their_slopes():
    full = run("boundaries", "full", 1, LINES)["slope"].item()
    found = pd.concat([run("boundaries", method, 1, LINES) for method in ("km_svm", "wkm_svm")])
    assert found["n_centres"].tolist() == [50, 50]
    angles = np.degrees(np.abs(np.arctan(found["slope"]) - math.atan(full)))
    assert found["angle_deg"].tolist() == pytest.approx(angles.tolist())
    assert found["disagreement"].between(0, 0.2).all()
    assert found["angle_deg"].nunique() == 2


def test_columns_and_determinism(compressed):
    again = run("compression", "wkm_svm", 3, SMALL)
    first = compressed["wkm_svm"]
    pd.testing.assert_frame_equal(first.drop(columns=SECONDS), again.drop(columns=SECONDS))
    assert list(first.columns[:5]) == ["experiment", "method", "seed", "dataset", "data"]
    assert first["data"].eq("generated").all()
    assert (first["train_seconds"] > first["fit_seconds"]).all()
    other = run("compression", "wkm_svm", 4, SMALL)
    assert (other["test_error"] != first["test_error"]).any()


def test_without_compression_all_methods_are_the_same_full_svm(compressed):
    full = [part.iloc[:1].drop(columns=["method", *SECONDS]) for part in compressed.values()]
    pd.testing.assert_frame_equal(full[0], full[1])
    pd.testing.assert_frame_equal(full[0], full[2])


def test_the_full_svm_is_tuned_as_by_scikit_learns_grid_search(compressed):
    rows = tuned_svm.rows_of("ripley", 3)
    folds = StratifiedKFold(2, shuffle=True, random_state=seed_for("compression", "ripley", 3, "folds"))
    grid = {"svc__C": SMALL["Cs"], "svc__gamma": SMALL["gammas"]}
    search = GridSearchCV(make_pipeline(StandardScaler(), SVC()), grid, cv=folds).fit(rows.X, rows.y)
    row = compressed["km_svm"].iloc[0]
    assert (row["C"], row["gamma"]) == (search.best_params_["svc__C"], search.best_params_["svc__gamma"])
    assert row["test_error"] == pytest.approx(1 - search.score(rows.X_test, rows.y_test))
    assert row["n_support"] == search.best_estimator_["svc"].n_support_.sum()


def test_rows_and_distances_are_those_counted_by_hand(compressed):
    full, tenth = (compressed["km_svm"].iloc[i] for i in (0, 1))
    assert (full["n_train"], full["n_test"], full["n_reduced"]) == (250, 1000, 250)
    assert full["rows_touched"] == 4 * 2 * 125 + 250
    assert full["n_distances"] == 0
    # 125 rows per class, 62 or 63 of them in a fold: 12 centres in all, 6 in a fold
    assert tenth["n_reduced"] == 24
    assert tenth["rows_touched"] == 4 * 2 * 12 + 24
    assert tenth["n_distances"] == 125 * 6 * 2 + 2 * 125 * 12
    together = compressed["svm_km"].iloc[1]
    assert together["n_distances"] == 2 * 125 * 12 + 250 * 25
    assert 25 <= together["n_reduced"] < 250


def test_a_real_dataset_is_split_80_to_20_in_strata(tmp_path):
    from frugal.datasets import prepare

    prepare("wdbc", root=tmp_path)
    split = tuned_svm.rows_of("wdbc", 0, tmp_path)
    other = tuned_svm.rows_of("wdbc", 1, tmp_path)
    assert split.data == "original"
    assert (len(split.y), len(split.y_test)) == (455, 114)
    assert split.y_test.mean() == pytest.approx(357 / 569, abs=0.005)
    rows = {tuple(row) for row in split.X} | {tuple(row) for row in split.X_test}
    assert len(rows) == 569
    assert not np.array_equal(split.X_test, other.X_test)


def test_an_unknown_data_set_is_refused():
    with pytest.raises(ValueError, match="iris"):
        COMPRESSION.run("km_svm", 0, {**SMALL, "datasets": ["iris"]})
