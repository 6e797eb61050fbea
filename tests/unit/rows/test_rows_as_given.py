"""Rows as users give them: names of columns, kinds of labels, chunks and callbacks."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

from frugal.rows import (
    WKMSVM,
    SumsFit,
    blb,
    blb_dynamic,
    blb_osmac,
    blb_stream,
    blb_svm,
    fit_dynamic_sample,
    fit_logistic,
    fit_subsample,
    interval_widths,
    osmac_stream,
    subsample_size,
)


def rng(seed=0):
    return np.random.default_rng(seed)


def problem(n=600):
    X = np.column_stack([np.ones(n), rng(1).normal(size=n)])
    return X, (rng(2).random(n) < 1 / (1 + np.exp(-X @ [-1.0, 1.0]))).astype(int)


def test_chunks_whose_columns_change_places_are_refused():
    X, y = problem()
    table = pd.DataFrame(X, columns=["one", "age"])

    def read():
        return [(table[:300], y[:300]), (table[300:][["age", "one"]], y[300:])]

    message = r"^every chunk must have the columns \['one', 'age'\] in this order, got \['age', 'one'\]$"
    with pytest.raises(ValueError, match=message):
        osmac_stream(read, pilot_size=100, size=100, rng=rng())
    with pytest.raises(ValueError, match=message):
        blb_stream(read, b=100, s=1, r=2, fit=fit_logistic, statistic=interval_widths, rng=rng())


def test_rows_to_predict_must_be_like_those_fitted():
    X, y = problem()
    table = pd.DataFrame(X, columns=["one", "age"])
    fit = fit_dynamic_sample(table, y, theta=0.5, initial_size=50, rng=rng())
    assert np.array_equal(fit.predict(table), fit.predict(X))
    for rows, message in (
        (table[["age", "one"]], r"X must have the columns \['one', 'age'\] in this order, got \['age', 'one'\]"),
        ([[1.0, np.nan]], "X must be finite"),
        (X[0], "X must have shape"),
        (X[:, :1], "X must have 2 columns, as the fitted rows, got 1"),
    ):
        for predict in (fit.predict, fit.predict_proba):
            with pytest.raises(ValueError, match=message):
                predict(rows)


def test_a_reduction_brings_the_names_of_its_columns_and_leaves_a_fitted_model_alone():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = WKMSVM(5, random_state=0)
    reduced = model.reduce(X, y)
    assert not hasattr(model, "n_features_in_")
    fitted = clone(model).fit_reduced(reduced)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fitted.score(X, y) > 0.9
    with pytest.raises(ValueError, match="same order"):
        fitted.predict(X[X.columns[::-1]])
    fitted.reduce(X.to_numpy()[:, :2], y)
    assert fitted.score(X, y) > 0.9


def test_fits_without_a_maximum_are_left_out():
    X, _ = problem()
    with (
        pytest.warns(RuntimeWarning, match="a hyperplane separates the classes"),
        pytest.raises(ValueError, match="2 of 2 fits failed"),
    ):
        blb_dynamic(X, (X[:, 1] > 0).astype(int), b=100, s=1, r=2, rng=rng(), theta=0.5, initial_size=50)


def test_a_report_without_an_answer_does_not_end_the_fit():
    X, y = problem()
    seen = []
    fit = fit_dynamic_sample(
        X, y, theta=0.5, initial_size=50, rng=rng(), report=lambda coef, points: seen.append(points)
    )
    assert fit.status == "converged"
    assert seen == fit.trace.points.tolist()


def test_a_bag_of_svms_depends_on_its_generator_alone():
    X, y = rng(5).normal(size=(300, 2)), rng(4).integers(2, size=300)
    bags = [blb_svm(X, y, X[:3], b=60, s=1, r=2, svm=WKMSVM(5), rng=rng()) for _ in range(2)]
    np.testing.assert_array_equal(bags[0].estimates, bags[1].estimates)


def test_labels_may_be_objects_and_the_wrong_one_is_named():
    X, y = problem()
    how = {"method": "lcc", "pilot_size": 100, "size": 100}
    expected = fit_subsample(X, y, rng=rng(), **how).coef
    assert np.array_equal(fit_subsample(X, y.astype(object), rng=rng(), **how).coef, expected)
    with pytest.raises(ValueError, match=r"^y must hold the labels 0 and 1, got None$"):
        fit_subsample(X, np.array([*y[1:], None], dtype=object), rng=rng(), **how)


@pytest.mark.parametrize(
    ("chunks", "message"),
    [
        (lambda X, y: [(csr_matrix(X), y)], "X must be dense, got a csr_matrix: give X.toarray()"),
        (lambda X, y: [(X, np.where(y, "b", "a"))], "y must hold the labels 0 and 1, got '[ab]'"),
        (lambda X, y: [(X + 1j, y)], "X must hold real numbers, got dtype complex128"),
        (
            lambda X, y: [
                (pd.DataFrame({"a": pd.array([None] + [1] * (len(y) - 1), dtype="Int64"), "b": X[:, 1]}), y)
            ],
            "X must be finite",
        ),
    ],
)
def test_chunks_that_are_not_numbers_are_refused(chunks, message):
    X, y = problem()
    with pytest.raises(ValueError, match=message.replace("(", r"\(").replace(")", r"\)")):
        osmac_stream(lambda: chunks(X, y), pilot_size=100, size=100, rng=rng())


def test_chunks_that_differ_in_kind_are_refused():
    X, y = problem()
    sizes = {"b": 50, "s": 1, "r": 2, "fit": fit_logistic, "statistic": interval_widths, "rng": rng()}
    with pytest.raises(
        ValueError, match="every chunk must have 2 columns and y, as the first one has, got 1 columns and y"
    ):
        blb_stream(lambda: [(X, y), (X[:, :1], y)], **sizes)
    with pytest.raises(ValueError, match="got 2 columns and no y"):
        blb_stream(lambda: [(X, y), (X, None)], **sizes)
    with pytest.raises(
        TypeError, match=r"read must be a function that starts a pass over chunks \(X, y\), got a list"
    ):
        blb_stream([(X, y)], **sizes)


def test_an_empty_list_is_an_empty_chunk():
    X, y = problem()
    assert osmac_stream(lambda: [([], []), (X, y)], pilot_size=100, size=100, rng=rng()).n_rows == len(X)


def test_a_subsample_is_never_larger_than_the_data():
    assert subsample_size(10**12, 1.0) == 10**12


def test_fits_are_compared_by_identity():
    X, y = problem()
    a, b = (fit_subsample(X, y, method="uniform", pilot_size=0, size=100, rng=rng()) for _ in range(2))
    assert a != b
    assert len({a, b}) == 2


def test_without_a_ridge_units_do_not_matter():
    X, y = problem(2000)
    scale = np.array([1.0, 0.01])
    slope, shrunk = fit_logistic(X, y, ridge=0.0)[1], fit_logistic(X * scale, y)[1] * 0.01
    assert fit_logistic(X * scale, y, ridge=0.0)[1] * 0.01 == pytest.approx(slope, rel=1e-6)
    assert shrunk < 0.7 * slope  # as the page on rows warns


def test_an_estimator_in_place_of_a_function_is_named():
    X, y = problem()
    with pytest.raises(TypeError, match=r"^fit must be a function fit\(X, y, weights\), got LogisticRegression"):
        blb_osmac(
            X, y, b=100, s=1, r=2, fit=LogisticRegression(), rng=rng(), pilot_size=100, statistic=interval_widths
        )


def test_statistics_of_several_shapes_are_refused():
    X, y = problem()
    sizes = iter([1, 2])
    with pytest.raises(ValueError, match=r"statistic must return arrays of one shape, got \(1,\) and \(2,\)"):
        blb(X, y, b=100, s=2, r=2, fit=fit_logistic, statistic=lambda fits: np.zeros(next(sizes)), rng=rng())


def test_a_fit_by_sums_takes_the_start_that_warm_starts_give():
    X, y = problem()
    fit = SumsFit(lambda X, y, weights: weights @ np.column_stack([X, y]), lambda sums: sums)
    found = blb(X, y, b=100, s=1, r=3, fit=fit, statistic=interval_widths, rng=rng(), warm_start=True)
    assert found.n_failed == 0


def test_a_missing_label_among_texts_is_no_class_of_its_own():
    X = np.column_stack([np.ones(20), np.arange(20.0)])
    for y in (["yes", np.nan] * 10, ["a", "b", 1, 2] * 5):
        with pytest.raises(ValueError, match="y must"):
            fit_logistic(X, y)
        with pytest.raises(ValueError, match="y must hold integers, booleans, strings or real numbers"):
            fit_dynamic_sample(X, y, theta=0.5, initial_size=5, rng=np.random.default_rng(0))
