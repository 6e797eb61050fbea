import json

import joblib
import numpy as np
import pandas as pd
import pytest

from frugal.cli import main

N = 240


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Houses, dear or not and at a price, in towns; some values are missing."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({
        "id": range(N),
        "size": rng.normal(100, 20, N),
        "town": rng.choice(["Bern", "Basel", "Biel"], N),
        "built": [f"19{i % 90 + 10}-01-0{i % 9 + 1}" for i in range(N)],
        "street": rng.integers(0, 30, N),
    })  # fmt: skip
    price = frame["size"] + 30 * (frame["town"] == "Bern") + rng.normal(0, 5, N)
    frame.loc[::10, "size"] = np.nan
    frame["dear"] = np.where(price > 110, "yes", "no")
    frame["price"] = price.round(2)
    return frame


@pytest.fixture
def select(table, capsys):
    def run(*options, frame=table, name="mine.csv"):
        frame.to_csv(name, sep=";", index=False)
        status = main(["select", name, "--n-candidates", "12", "--n-folds", "3", *map(str, options)])
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run


def test_a_classification_with_words_dates_and_gaps(select, table):
    options = ("--target", "dear", "--drop", "price", "--output", "model.joblib", "--results", "results.parquet")
    status, out, err = select(*options)
    assert status == 0, err
    assert "dear has 2 different values: a classification (--task regression says otherwise)" in out
    assert "left out: id, an identifier" in out
    assert "1 of dates: built" in out
    assert "always 'no'" in out
    assert "fits in place of 36" in out
    model = joblib.load("model.joblib")
    assert (model.predict(table.assign(town="Chur")) == table["dear"]).mean() > 0.7
    results = pd.read_parquet("results.parquet")
    assert len(results) == 12
    assert results["rank"].iloc[0] == 1
    assert json.loads(results["hyperparameters"].iloc[0])
    assert results["n_folds_evaluated"].between(0, 3).all()


def test_a_regression(select):
    status, out, err = select("--drop", "dear", "--estimators", "ridge", "random_forest")
    assert status == 0, err
    assert "price has" in out
    assert "a regression (--task classification says otherwise)" in out
    score = float(out.split("r2 ")[1].split(";")[0])
    assert score > 0.7
    assert "always the mean" in out


def test_groups_stay_together_and_are_not_learned_from(select):
    status, out, err = select("--target", "dear", "--drop", "price", "--groups", "street", "--estimators", "knn")
    assert status == 0, err
    assert "street" not in out


def test_a_score_that_flatters_is_noted(select, table):
    rare = table.assign(dear=np.where(np.arange(N) % 30 == 0, "yes", "no"))
    status, out, _ = select("--target", "dear", "--drop", "price", "--estimators", "knn", frame=rare)
    assert status == 0
    assert "8 of 240 rows are not 'no': always saying 'no' is right in 96.7 %" in out
    assert "--scoring balanced_accuracy tells more" in out
    assert "better than always 'no'" in out


def test_a_copy_of_the_target_is_left_out(select, table):
    status, out, _ = select(
        "--target", "dear", "--drop", "price", frame=table.assign(code=(table["dear"] == "yes") * 7)
    )
    assert status == 0
    assert "left out: code, which tells the target's values one for one" in out


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--target", "dera"), "mine.csv has no column 'dera' (target): use one of id, size, "),
        (("--groups", "road"), "mine.csv has no column 'road' (groups): use one of "),
        (("--task", "regression", "--target", "dear"), "mine.csv has values of 'dear' that are no finite numbers"),
        (("--scoring", "acuracy"), "scoring must be one of "),
        (("--estimators", "random_woods"), "unknown estimator for regression 'random_woods'; known: ridge, svm, "),
        (("--target", "dear", "--n-folds", "1"), "n_folds must be at least 2"),
        (("--target", "town", "--groups", "dear"), "mine.csv has 2 groups, fewer than 3 folds"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(select, options, sentence):
    status, _, err = select(*options)
    assert status == 2
    assert sentence in err.splitlines()[-1]


def test_a_time_limit_ends_the_search_with_the_best_so_far(select):
    status, out, _ = select("--drop", "dear", "--estimators", "ridge", "--time-limit", "0.000001")
    assert status == 2 or "r2" in out
