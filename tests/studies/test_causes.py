"""The numbers that `docs/causes.yaml` has of single cells and runs follow from the published ones."""

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from scipy import stats

from studies.greedy_cv.early_stopping import STOPPING_METHODS
from studies.greedy_cv.library import GRID_SEARCH, HALVING, with_ratio
from studies.tidy import read_printed

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "results/published"


@pytest.fixture(scope="module")
def causes():
    """Why claims are contradicted, by id; each in one line."""
    text = (ROOT / "docs/causes.yaml").read_text()
    return {claim: " ".join(cause.split()) for claim, cause in yaml.safe_load(text).items()}


def test_the_causes_of_what_figure_10_does_not_show_are_those_of_its_runs(causes):
    runs = pd.read_parquet(PUBLISHED / "big_data/runs/subsampling.parquet").query("design == 'nzNormal'")
    errors = runs.pivot_table("error", ["r", "seed"], "method")
    lcc, equal = (
        np.exp(np.log(errors["osmac_mvc"] / errors[other]).groupby("r").mean()) for other in ("lcc", "lcc_total")
    )
    closest = causes["big_data.osmac.closest.nznormal"]
    assert f"from {lcc[100]:.2f} times LCC's at r = 100 to {lcc[700]:.2f} and {lcc[1000]:.2f} times" in closest
    assert f"it is {equal[100]:.2f} times at r = 100 and {equal[1000]:.2f} times at 1000" in closest
    full = runs[runs["method"] == "full"].set_index("seed")["error"]
    less_full = errors.loc[1000].sub(full, axis=0)
    printed = read_printed("survey_fig10_nznormal").set_index("x").loc[1000]
    uniform, osmac = (
        less_full[method] <= printed[name] - printed["full"]
        for method, name in (("uniform", "uniform"), ("osmac_mvc", "OSMAC"))
    )
    assert (uniform.sum(), osmac.sum(), (uniform & osmac).sum()) == (2, 10, 0)
    cause = causes["big_data.figure10.uniform.nznormal"]
    assert "two of ours are as low for uniform sampling, ten for OSMAC, and none for both." in cause


def test_the_cause_of_halving_by_the_library_is_that_of_its_runs(causes):
    cause = causes["greedy_cv.library.halving_mean"]
    runs = pd.read_parquet(PUBLISHED / "greedy_cv/runs/library.parquet").query("method == 'of_2021'")
    runs = with_ratio(runs)
    exhaustive = runs[runs["strategy"] == GRID_SEARCH].groupby(["classifier", "dataset"])["time_ratio"].mean()
    of_bayes = exhaustive["bernoulli_nb", "digits"]
    assert of_bayes == exhaustive.max()
    times = f"On lists of 256 GridSearchCV takes {exhaustive.mean():.2f} times as long as they do"
    assert f"{times}, for naive Bayes on digits {of_bayes:.2f} times." in cause
    untrained = runs[(runs["strategy"] == HALVING) & ~runs["train_scores"]]["time_ratio"].mean()
    assert f"without them it takes {untrained:.3f}." in cause
    findings = pd.read_csv(PUBLISHED / "greedy_cv/findings_library.csv").set_index("id")["ours"]
    trained, untrained = (findings[f"greedy_cv.library.over_grid_search{end}"] for end in ("", "_untrained"))
    shares = f"GridSearchCV, it takes {trained:.3f} with train scores and {untrained:.3f} without them"
    assert f"{shares}, in the document 0.384." in cause


@pytest.fixture(scope="module")
def chosen():
    """Rank percentiles of Table 2's choices, as of `percentiles`."""
    return percentiles("early_stopping")


def percentiles(run):
    """Rank percentiles of a run's choices: a row a cell and repetition, a column a method."""
    runs = pd.read_parquet(PUBLISHED / f"greedy_cv/runs/{run}.parquet")
    return runs.pivot_table("quality", ["dataset", "classifier", "n", "seed"], "method")[list(STOPPING_METHODS)]


def p_by_cell(chosen):
    """Welch's p by cell, 1 where early stopping does not choose the better candidates."""

    def p(cell):
        greedy, halving = (cell[method] for method in STOPPING_METHODS)
        return stats.ttest_ind(greedy, halving, equal_var=False).pvalue if greedy.mean() > halving.mean() else 1.0

    return chosen.groupby(["dataset", "classifier", "n"]).apply(p)


def short(number, digits):
    """A number below 1 without its zero, as in ".049"."""
    return f"{number:.{digits}f}"[1:]


def in_the_default_reading(table):
    """Rows of a table of document 001 in the reading that its claims are judged on."""
    rows = pd.read_csv(PUBLISHED / f"greedy_cv/tables/{table}.csv")
    return rows[(rows["reading"] == "ranges/none") & (rows["failed"] == "last")]


def test_a_row_of_a_small_fit_of_blb_takes_longer(causes):
    claims = pd.read_csv(PUBLISHED / "big_data/claims.csv").set_index("id")
    times = 1 / claims["ours"]["big_data.blb.rows_per_second"]
    assert f"takes {times:.2f} times as long" in causes["big_data.blb.rows_per_second"]
    assert f"takes {times:.2f} times as long here" in (ROOT / "docs/assumptions/big_data.md").read_text()


def test_a_single_run_of_document_000_lies_in_the_prediction_interval(causes):
    claim = "beta_pruning.explored.by_20_trainings"
    row = pd.read_csv(PUBLISHED / "beta_pruning/claims.csv").set_index("id").loc[claim]
    half = (row["high"] - row["low"]) / 2 * math.sqrt(row["n_seeds"] + 1)  # t s sqrt(1 + 1/n), from t s / sqrt(n)
    low, high = row["ours"] - half, row["ours"] + half
    assert row["n_seeds"] == 10
    assert low < row["published"] < high
    assert f"from our ten, is {low:.1f} to {high:.1f}, and holds {row['published']:g}" in causes[claim]


@pytest.mark.filterwarnings("ignore:Precision loss occurred")  # cells of nearly equal ranks
def test_two_repetitions_decide_how_many_cells_of_table_2_are_significant(causes, chosen):
    cause = causes["greedy_cv.early_stopping.n_significant"]
    greedy, halving = (chosen[method] for method in STOPPING_METHODS)
    p = p_by_cell(chosen)
    assert set(p[p >= 0.01].index) == {
        ("digits", "bernoulli_nb", 256),
        ("digits", "bernoulli_nb", 512),
        ("digits", "bernoulli_nb", 1024),
        ("wdbc", "knn", 512),
    }
    naive_bayes = greedy.loc["digits", "bernoulli_nb"].reset_index().pivot_table(greedy.name, "n", "seed")
    neighbours = greedy.loc["wdbc", "knn", 512]
    (seed,) = naive_bayes.idxmin(axis="columns").unique()
    assert naive_bayes[seed].between(0.70, 0.755).all()
    assert "ends there at the percentile 0.70 to 0.75" in cause
    means = halving.loc["digits", "bernoulli_nb"].groupby("n").mean()
    least = naive_bayes.drop(columns=seed).mean(axis="columns").min()
    assert least >= 0.999
    assert f"at .999 or above, halving at {short(means.min(), 3)} to {short(means.max(), 3)}" in cause
    assert f"one repetition ends at {neighbours.min():.2f}" in cause

    outliers = {("digits", "bernoulli_nb", seed), ("wdbc", "knn", neighbours.idxmin())}
    is_kept = [(dataset, classifier, number) not in outliers for dataset, classifier, _, number in chosen.index]
    assert f"the count is {(p_by_cell(chosen[is_kept]) < 0.01).sum()}" in cause
    of_neighbours = p["wdbc", "knn", 512]
    assert (
        f"at p = {short(of_neighbours, 3)}: one repetition" in (ROOT / "docs/assumptions/greedy_cv.md").read_text()
    )


@pytest.mark.filterwarnings("ignore:Precision loss occurred")
def test_failed_fits_first_decide_the_cells_of_nearest_neighbours(causes):
    p = p_by_cell(percentiles("readings/failed_first/early_stopping"))
    assert p["wdbc", "knn", 512] < 0.001
    assert p["boston", "knn", 256] < 0.001
    for name, bound in (("n_significant", 0.01), ("n_most_significant", 0.001)):
        cause = causes[f"greedy_cv.early_stopping.{name}"]
        assert cause.endswith(f"at p < .001, and the count is {(p < bound).sum()}.")


def test_the_other_cells_of_table_2_above_001_are_on_boston(causes, chosen):
    cause = causes["greedy_cv.early_stopping.n_most_significant"]
    p = p_by_cell(chosen)
    between = p[(p >= 0.001) & (p < 0.01)]
    assert (p >= 0.001).sum() == 6
    assert set(between.index) == {("boston", "knn", 256), ("boston", "bernoulli_nb", 1024)}
    printed = in_the_default_reading("table2").query("method == @STOPPING_METHODS[1]")
    printed = printed.set_index(["dataset", "classifier", "n"])
    of_knn, of_bayes = (printed.loc[("boston", *cell)] for cell in (("knn", 256), ("bernoulli_nb", 1024)))
    assert f"(p = {short(p['boston', 'knn', 256], 4)})" in cause
    assert f"({short(p['boston', 'bernoulli_nb', 1024], 4)})" in cause
    ours, theirs = (
        " and ".join(short(cell[column], 2) for cell in (of_knn, of_bayes)) for column in ("ours", "published")
    )
    assert f"halving chooses at {ours}, in the document at {theirs}" in cause


def test_the_cells_of_table_3_that_do_not_differ(causes):
    table = in_the_default_reading("table3").set_index(["dataset", "classifier"])
    greedy, halving = (table[table["method"] == method] for method in STOPPING_METHODS)
    alike = greedy[greedy["p"] >= 0.05]
    assert alike.index.value_counts().to_dict() == {("wdbc", "decision_tree"): 3, ("digits", "knn"): 2}
    last = greedy[greedy["n"] == 1024].loc[("wdbc", "knn")]
    assert pd.isna(last["published_stars"])
    assert last["stars"].startswith("*")

    def across(cells, column, digits=2):
        values = {f"{value:.{digits}f}" for value in (cells[column].min(), cells[column].max())}
        return " to ".join(sorted(values))

    trees = causes["greedy_cv.wall_clock.n_identical"]
    of_greedy, of_halving = (cells.loc[("wdbc", "decision_tree")] for cells in (greedy, halving))
    assert f"(p = {across(of_greedy, 'p').replace('0.', '.')})" in trees
    ours, theirs = across(of_halving, "ours"), across(of_halving, "published")
    assert f"halving takes {ours} of the exhaustive search, in the document {theirs}." in trees
    ours, theirs = across(of_greedy, "ours"), across(of_greedy, "published")
    assert f"Greedy takes {ours}, in the document {theirs}." in trees

    neighbours = causes["greedy_cv.wall_clock.n_slower"]
    of_greedy, of_halving = (cells.loc[("digits", "knn")].set_index("n") for cells in (greedy, halving))
    p = of_greedy["p"]
    assert f"with n = 256 and 512 (p = {short(p[256], 2)} and {short(p[512], 2)})" in trees
    assert f"with n = 1024 it is ahead (p = {short(p[1024], 2)})" in neighbours
    assert of_greedy["ours"][1024] < of_halving["ours"][1024]
    ours, theirs = across(of_halving, "ours"), across(of_halving, "published")
    assert f"halving takes {ours} of the exhaustive search, in the document {theirs}." in neighbours
    ours, theirs = across(of_greedy, "ours"), across(of_greedy, "published")
    assert f"Greedy takes {ours}, in the document {theirs}, and" in neighbours
    runs = pd.read_parquet(PUBLISHED / "greedy_cv/runs/wall_clock.parquet")
    runs = runs.query("method == 'successive_halving' and dataset == 'digits' and classifier == 'knn'")
    of_rung = 1e3 * runs["seconds"].sum() / runs["n_evaluations"].sum()
    of_fold = 1e3 * runs["exhaustive_s"].sum() / (runs["n"] * runs["k"]).sum()
    assert f"{of_rung:.2f} ms there and one on a fold {of_fold:.1f} ms" in neighbours
    assert f"trains on {runs['rows_share'].mean():.0%} of".replace("%", " %") in neighbours
