import numpy as np
import pandas as pd
import pytest

from studies.hypertune import starts
from studies.verdicts import NOT_RUN, judge_claims


def search(method, seed, errors, *, n_on_subsets=0, seconds=1.0, table="svm_mnist"):
    """Trials on subsets, then on all rows, each of so many seconds with a second of the optimiser's."""
    n_rows = [1024.0] * n_on_subsets + [np.nan] * len(errors)
    return pd.DataFrame(
        {
            "experiment": "svm_table", "method": method, "learner": "lookup", "dataset": table, "seed": seed,
            "data": "original", "id": range(len(n_rows)), "n_rows": n_rows,
            "error": [0.9] * n_on_subsets + list(errors), "seconds": seconds, "overhead_s": 1.0, "cost": 1.0,
            "epochs": np.nan, "curve": "[]", "incumbent": None,
        }
    )  # fmt: skip


def table_of_fits(learner="svm", dataset="mnist", n_rows=8192.0):
    return pd.DataFrame(
        {"learner": learner, "dataset": dataset, "data": "original", "candidate": [0, 1], "n_rows": n_rows,
         "subset": 0, "test_error": [0.1, 0.2], "id": np.nan, "method": np.nan}
    )  # fmt: skip


def falling(last, n=20):
    return np.geomspace(0.8, last, n)


@pytest.fixture(scope="module")
def runs():
    parts = [table_of_fits()]
    for seed in range(10):
        noise = 1 + 0.01 * seed
        for method in starts.NAMES:
            is_ei, is_reversed = method == starts.EI, method.endswith("reversed")
            last = noise * (0.2 if is_ei else 0.4 if is_reversed else 0.1)
            n_on_subsets = 0 if is_ei else 2
            parts.append(search(method, seed, falling(last, 30 if is_ei else 20), n_on_subsets=n_on_subsets))
    return pd.concat(parts, ignore_index=True)


def test_trials_on_subsets_cost_seconds_and_are_no_trials_on_all_rows():
    path = starts.whole_trials(search("hypertune_shared", 0, [0.5, 0.7, 0.2], n_on_subsets=2, seconds=3.0))
    assert path["trial"].tolist() == [1, 2, 3]
    assert path["best"].tolist() == [0.5, 0.5, 0.2]
    # Three trials of 3 s and the optimiser's 1 s, then one more, and so on.
    assert path["spent_seconds"].tolist() == [12.0, 16.0, 20.0]


def test_ei_has_what_it_had_found_when_hypertune_ended_its_trial():
    # HyperTune ends its fourth trial on all rows after six trials of 2 s, EI its sixth.
    ours = search("hypertune_shared", 0, [0.5, 0.4, 0.3, 0.2], n_on_subsets=2)
    theirs = search("ei_se", 0, [0.9, 0.8, 0.7, 0.6, 0.55, 0.1, 0.01])
    found = starts.at_trials(pd.concat([ours, theirs])).set_index(["method", "measure", "trial"])["error"]
    assert found["ei_se", "by_trials", 4] == 0.6
    assert found["ei_se", "by_seconds_of_hypertune_shared", 4] == 0.1
    assert found["hypertune_shared", "by_trials", 4] == 0.2


def test_findings_are_ratios_of_errors_seed_by_seed(runs):
    verdicts = {
        row["id"]: row for row in judge_claims(starts.CLAIMS, {"svm_table": runs}, "paper").to_dict("records")
    }
    row = verdicts["hypertune.svm_table.optimum_reversed_20_by_trials"]
    assert (row["ours"], row["verdict"], row["n_seeds"]) == (pytest.approx(4.0), "reproduced", 10)
    row = verdicts["hypertune.svm_table.shared_ei_se_20_by_trials"]
    after_20_of_30 = 0.8 * (0.2 / 0.8) ** (19 / 29)
    assert row["ours"] == pytest.approx(after_20_of_30 / 0.1, rel=0.03)


def test_the_first_trials_from_the_optimum_are_the_same_whatever_the_signs_and_decide_nothing(runs):
    is_turned = runs["method"] == "hypertune_optimum_reversed"
    ours = runs.loc[runs["method"] == "hypertune_optimum", "error"].to_numpy()
    same = runs.assign(error=runs["error"].mask(is_turned, 0.0))
    same.loc[is_turned, "error"] = ours
    row = judge_claims(starts.CLAIMS, {"svm_table": same}, "paper").set_index("id")
    found = row.loc["hypertune.svm_table.optimum_reversed_4_by_trials"]
    assert (found["ours"], found["verdict"], found["seeds_to_decide"]) == (1.0, "undecided", "")


def test_two_seeds_and_a_missing_method_get_no_verdict(runs):
    for lacking in (runs[~(runs["seed"] > 1)], runs[runs["method"] != "ei_se"]):
        judged = judge_claims(starts.CLAIMS, {"svm_table": lacking}, "paper")
        assert set(judged["verdict"]) == {NOT_RUN}


def test_the_table_has_a_row_per_method_measure_and_trial_in_per_cent(runs):
    table = starts.TABLE.summarise(runs, "paper")
    assert len(table) == (5 + 2) * 4
    row = table.set_index(["method", "measure", "trial"]).loc[("hypertune_optimum", "by_trials", 20)]
    assert row["ours"] == pytest.approx(100 * 0.1 * 1.045)
    assert (row["n_rows"], row["n_seeds"], row["data"]) == (8192, 10, "original")
    text = starts.render(table)
    assert "| EI, which has no signs | in the seconds of HyperTune from the shared start |" in text
    assert "scale paper, 10 seeds, data: original" in text


def test_a_single_seed_has_lines_without_intervals(runs):
    one = runs[runs["seed"].isin([0]) | runs["seed"].isna()]
    figure = starts.draw(starts.summarise(one))
    assert [len(axis.get_lines()) for axis in figure.axes] == [5, 5]
    assert starts.tabulate(one, "smoke")["low"].isna().all()


@pytest.fixture(scope="module")
def runs_on_tables(runs):
    """The searches of `runs` on each further table, with errors of a size of its own."""
    trials, parts = runs[runs["method"].notna()], []
    for size, (table, facts) in enumerate(
        {
            "elastic_net_adult": ("elastic_net", "adult", 8192.0),
            "elastic_net_letter": ("elastic_net", "letter", 8192.0),
            "svm_letter": ("svm", "letter", 4096.0),
        }.items(),
        1,
    ):
        searched = trials.assign(experiment="other_tables", dataset=table, error=trials["error"] / size)
        if table == "svm_letter":  # there alone EI is as good as the others
            is_ei = searched["method"] == starts.EI
            searched["error"] = searched["error"].mask(is_ei, searched["error"] / 4)
        parts += [table_of_fits(*facts), searched]
    return pd.concat(parts, ignore_index=True)


def test_tables_are_kept_apart(runs, runs_on_tables):
    table = starts.OTHERS_TABLE.summarise(runs_on_tables, "paper")
    assert list(table["dataset"].unique()) == list(starts.OTHERS)
    n_rows = table.groupby("dataset")["n_rows"].agg(["min", "max"])
    assert n_rows.to_numpy().tolist() == [[8192, 8192], [8192, 8192], [4096, 4096]]
    ours = table.set_index(list(starts.KEYS))["ours"]
    alone = starts.TABLE.summarise(runs, "paper").set_index(list(starts.KEYS[1:]))["ours"]
    for size, name in enumerate(["elastic_net_adult", "elastic_net_letter"], 1):
        assert np.allclose(ours[name].reindex(alone.index) * size, alone)
    assert "| elastic net on scaled adult | EI, which has no signs |" in starts.render(table)


def test_findings_are_of_their_own_table_and_need_all_of_them(runs_on_tables):
    judged = judge_claims(starts.CLAIMS, {"other_tables": runs_on_tables}, "paper").set_index("id")
    found = {
        table: judged.loc[f"hypertune.other_tables.{table}.optimum_ei_se_20_by_trials", "ours"]
        for table in starts.OTHERS
    }
    assert found["elastic_net_letter"] == pytest.approx(found["elastic_net_adult"])
    assert found["svm_letter"] == pytest.approx(found["elastic_net_letter"] / 4)
    is_two = ~(runs_on_tables["dataset"] == "elastic_net_adult")
    judged = judge_claims(starts.CLAIMS, {"other_tables": runs_on_tables[is_two]}, "paper")
    assert set(judged["verdict"]) == {NOT_RUN}


def test_an_interval_that_reaches_below_0_leaves_every_mean_in_the_picture(runs):
    table = starts.FIGURE.summarise(runs)
    axis = starts.FIGURE.draw(table.assign(low=-0.5)).axes[0]
    assert 0 < axis.get_ylim()[0] < table["mean"].min()


def test_the_figure_of_the_tables_has_a_row_of_panels_for_each(runs_on_tables):
    table = starts.OTHERS_FIGURE.summarise(runs_on_tables)
    figure = starts.OTHERS_FIGURE.draw(table)
    assert [axis.get_title() for axis in figure.axes] == [label for label in starts.OTHERS.values() for _ in "12"]
    assert [len(axis.get_lines()) for axis in figure.axes] == [5] * 6
    last = [max(line.get_xdata()[-1] for line in axis.get_lines()) for axis in figure.axes[::2]]
    assert last == [20] * 3  # EI has made 30
    assert table.query("panel == 'trials'")["x"].max() == 30


def test_lines_begin_where_all_seeds_have_a_value_and_the_figure_shows_both_panels(runs):
    table = starts.summarise(runs)
    by_seconds = table[(table["panel"] == "seconds") & (table["method"] == "hypertune_optimum")]
    assert by_seconds["x"].min() >= 6.0  # two trials on subsets and one on all rows
    assert by_seconds["x"].max() == pytest.approx(44.0)  # the end of its longest search, before that of EI
    by_trials = table[(table["panel"] == "trials") & (table["method"] == "ei_se")]
    assert by_trials["x"].tolist() == list(range(1, 31))
    figure = starts.draw(table)
    assert [len(axis.get_lines()) for axis in figure.axes] == [5, 5]
