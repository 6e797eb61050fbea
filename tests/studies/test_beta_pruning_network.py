"""Document 000's experiment replayed: on made-up scores, against counting by hand."""

import json
from collections import Counter
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from frugal.folds import ScoreTable
from frugal.learners import space
from studies import registry
from studies.beta_pruning import network, replays
from studies.cli import main
from studies.estimates import CONTRADICTED, REPRODUCED, UNDECIDED
from studies.shared.network_scores import in_authors_order
from studies.verdicts import NOT_RUN, judge_paper

claims = partial(judge_paper, "beta_pruning")

GRID = space("grid", "mnist_cnn").grid()
SETTINGS = {"beta_pruning": {"buffer": 10, "tau": 0.99}, "threshold_pruning": {"threshold": 0.1}}
FACTS = {"dataset": "mnist", "data": "original", "classifier": "mnist_cnn", "n_folds": 5, "space": "grid"}


def made_up(seed, n_rows=60_000, n_failed=6):
    """Scores with a spread between candidates far above that between folds, and some that failed."""
    rng = np.random.default_rng(seed)
    level = rng.choice([0.1, 0.6, 0.9, 0.97], size=(len(GRID), 1)) - rng.uniform(0, 0.05, size=(len(GRID), 1))
    scores = level + rng.uniform(-0.005, 0.005, size=(len(GRID), 5))
    scores[:n_failed] = np.nan
    meta = FACTS | {"seed": seed, "n_rows_of_dataset": n_rows, "n_classes": 10, "folds": list(range(5))}
    return ScoreTable(scores, np.full_like(scores, 6.0), GRID, meta)


@pytest.fixture(autouse=True)
def floor(monkeypatch):
    """The runs below have three seeds, whatever the floor under published verdicts is."""
    monkeypatch.setattr(network, "FLOOR", 3)


@pytest.fixture(scope="module")
def explored():
    return replays.explore([made_up(seed) for seed in range(3)], SETTINGS)


@pytest.fixture(scope="module")
def swept():
    tables = [made_up(seed) for seed in range(2)]
    return replays.sweep(tables, SETTINGS, taus=[0.99, 1.0], buffers=[10])


def test_the_list_has_the_96_rows_of_the_authors_grid():
    listed = in_authors_order(made_up(0))
    counts = Counter(json.dumps(candidate, sort_keys=True) for candidate in listed.candidates)
    assert len(listed.candidates) == 96
    assert listed.meta["space"] == "authors_grid"
    assert len(counts) == 72
    doubled = {json.loads(text)["learning_rate"] for text, n in counts.items() if n == 2}
    assert doubled == {0.01}
    other = in_authors_order(made_up(1))
    assert other.candidates != listed.candidates


def test_a_candidate_without_scores_is_named():
    table = made_up(0)
    with pytest.raises(ValueError, match=r"there are no scores of .*, a candidate of document 000"):
        in_authors_order(ScoreTable(table.scores[1:], table.seconds[1:], table.candidates[1:], table.meta))


def test_standard_explores_one_candidate_every_five_trainings(explored):
    standard = explored[explored["method"] == "standard"]
    np.testing.assert_array_equal(standard["explored"], np.ceil(standard["step"] / 5))
    np.testing.assert_array_equal(standard["n_complete"], standard["step"] // 5)
    assert (standard.groupby("seed")["step"].max() == 480).all()
    for seed, part in standard.groupby("seed"):
        listed = in_authors_order(made_up(seed))
        best = np.fmax.accumulate(listed.scores.mean(axis=1))
        for step, ours in zip(part["step"], part["best_mean"], strict=True):  # also where candidates have failed
            so_far, left = divmod(step, 5)
            complete = listed.scores[:so_far].mean(axis=1)
            known = (
                complete
                if np.isfinite(complete).any()
                else [*complete, listed.scores[so_far, :left].mean()]
                if left
                else complete
            )
            assert np.isnan(known).all() if np.isnan(ours) else ours == pytest.approx(np.nanmax(known), abs=1e-12)
        at_ends = part[part["step"] % 5 == 0]["best_mean"].to_numpy()
        np.testing.assert_allclose(at_ends, np.where(np.isnan(best), np.nan, best), atol=1e-12)


def test_pruning_explores_all_candidates_sooner_and_opens_ten_at_once(explored):
    pruned = explored[explored["method"] == "beta_pruning"]
    for _, part in pruned.groupby("seed"):
        np.testing.assert_array_equal(part["explored"].iloc[:10], range(1, 11))
        assert part["explored"].iloc[-1] == 96
        assert part["step"].max() < 480
        assert part["n_pruned"].is_monotonic_increasing


def test_a_run_that_never_prunes_trains_everything(swept):
    never = swept[(swept["method"] == "beta_pruning") & (swept["tau"] == 1)]
    assert (never["folds_share"] > 0.9).all()  # all but the folds of networks that failed
    assert (never["n_wrong"] == 0).all()
    standard = swept[swept["method"] == "standard"]
    assert (standard["folds_share"] == 1).all()
    assert (standard["explored_at_20"] == 4).all()
    assert (standard[["regret", "lost_best", "n_pruned"]] == 0).all(axis=None)


def test_wrong_prunings_and_regret_are_counted_by_means_over_all_folds():
    # The second candidate looks far worse than the first on two folds, and is better over all.
    table = made_up(0, n_failed=0)
    table.scores[:] = 0.5
    listed = [json.dumps(c, sort_keys=True) for c in in_authors_order(table).candidates]
    first, second = listed[0], next(text for text in listed if text != listed[0])
    rows = [json.dumps(dict(c), sort_keys=True) for c in GRID]
    table.scores[rows.index(first)] = 0.79
    table.scores[rows.index(second)] = [0.5, 0.5, 0.995, 0.995, 0.995]
    swept = replays.sweep([table], SETTINGS, taus=[0.99], buffers=[10])
    heuristic = swept[swept["method"] == "threshold_pruning"].iloc[0]
    n_second = listed.count(second)
    assert heuristic["n_wrong"] == n_second
    assert heuristic["regret"] == pytest.approx((0.5 * 2 + 0.995 * 3) / 5 - 0.79)
    assert heuristic["lost_best"] == 1


def test_networks_that_diverged_score_by_chance_in_one_run(swept):
    by_chance = swept[swept["failed_as"] == "chance"]
    assert len(by_chance) == 2
    assert set(zip(by_chance["tau"], by_chance["buffer"], strict=True)) == {(0.99, 10)}
    assert by_chance["is_configured"].all()


def test_the_summary_of_figure_7_holds_the_recorded_run_and_the_band(explored):
    table = network.summarise_explored(explored)
    recorded = table[(table["method"] == "recorded") & (table["panel"] == "explored")].set_index("step")["mean"]
    assert (recorded[20], recorded[50], recorded[100], recorded.index.max()) == (
        19,
        25,
        40,
        114,
    )  # docs/methods.md, section 2
    band = table[(table["method"] == "beta_pruning") & (table["panel"] == "explored")].set_index("step")
    at_20 = explored.query("method == 'beta_pruning' and step == 20")["explored"]
    assert tuple(band.loc[20, ["mean", "low", "high"]]) == (at_20.mean(), at_20.min(), at_20.max())
    assert band.loc[480, "mean"] == 96  # runs that have ended keep their last value
    assert (table["n_seeds"] == 3).all()


def test_figure_7_enlarges_the_first_trainings_and_tells_the_documents_run_apart(explored):
    figure = network.draw_explored(network.summarise_explored(explored))
    names = ["standard k-fold, ours", "beta pruning, ours", "the document's own run"]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == names
    assert len(figure.axes) == 2
    for axes in figure.axes:
        (inset,) = axes.child_axes
        assert inset.get_xlim() == (0, 40)
        for panel in (axes, inset):
            lines = {str(line.get_label()): line for line in panel.get_lines()}
            assert list(lines) == names
            assert len({line.get_color() for line in lines.values()}) == 3
        assert max(line.get_xdata().max() for line in inset.get_lines()) == 40
        assert max(line.get_xdata().max() for line in axes.get_lines()) == 480


def test_the_sweep_table_holds_every_measure_of_every_run(swept):
    table = network.tabulate(swept, "paper")
    assert list(table.columns[:5]) == ["measure", "tau", "method", "buffer", "published"]
    cell = table.query(
        "measure == 'folds_share' and method == 'beta_pruning' and tau == '0.99' and buffer == '10'"
    )
    runs_of_cell = swept.query("method == 'beta_pruning' and tau == 0.99 and failed_as == 'failed'")
    assert cell["ours"].item() == pytest.approx(runs_of_cell["folds_share"].mean())
    assert set(table["method"]) == {"beta_pruning", "beta_pruning_chance", "standard", "threshold_pruning"}


def rows_of(runs):
    judged = claims(runs, "paper")
    return judged.set_index(judged["id"].str.removeprefix("beta_pruning."))


def test_claims_on_the_network_are_judged_at_the_floor_and_not_below(explored, swept):
    name = "explored.by_20_trainings"

    def judged(table):
        return rows_of({"explored": table, "swept": swept}).loc[name]

    row = judged(explored)
    assert row["verdict"] != NOT_RUN
    assert row["ours"] == explored.query("method == 'beta_pruning' and step == 20")["explored"].mean()
    assert judged(explored.assign(n_rows=59_999))["verdict"] == NOT_RUN
    assert judged(explored.assign(k=10))["verdict"] == NOT_RUN
    assert judged(explored[explored["seed"] < 2])["verdict"] == NOT_RUN
    regular = rows_of({"explored": explored}).loc["explored.regular_by_20_trainings"]
    assert (regular["ours"], regular["published"], regular["verdict"]) == (4, 4, REPRODUCED)


def runs_that_explore(*, early, late, n_steps=60):
    """Three seeds of a pruner with `early` sets by 20 trainings, all `late` by the 60th, a little else in each."""
    rows = []
    for seed, shift in enumerate((-0.1, 0.0, 0.1)):
        counts = np.interp(range(1, n_steps + 1), [0, 20, n_steps], [0, early + shift, late])
        pruned = {"method": "beta_pruning", "explored": counts}
        regular = {"method": "standard", "explored": np.ceil(np.arange(1, n_steps + 1) / 5)}
        for method in (pruned, regular):
            rows.append(pd.DataFrame({**method, "step": range(1, n_steps + 1), "seed": seed}))
    return pd.concat(rows).assign(n_rows=60_000, k=5, data="original")


@pytest.mark.parametrize(
    ("early", "by_20", "falls"), [(19, REPRODUCED, REPRODUCED), (10, CONTRADICTED, CONTRADICTED)]
)
def test_what_is_explored_by_20_trainings_and_afterwards_is_judged_by_its_interval(early, by_20, falls):
    found = rows_of({"explored": runs_that_explore(early=early, late=39)})
    assert found.loc["explored.by_20_trainings", ["ours", "verdict"]].tolist() == [pytest.approx(early), by_20]
    row = found.loc["explored.yield_falls"]
    # Of 39 sets: 19 in 20 trainings and 20 in 40; or 10 in 20, and 29 in 40.
    assert row["ours"] == pytest.approx((early / 20) / ((39 - early) / 40), rel=1e-3)
    assert row["verdict"] == falls


def runs_that_prune(wrong, share=(0.5, 0.7), lost=0.0, n_judged=30):
    """Three seeds of Bayesian and threshold pruning with so many wrong prunings each, or in each seed."""
    rows = [
        {"method": method, "seed": seed, "is_configured": True, "n_wrong": np.broadcast_to(n, 3)[seed],
         "n_judged": n_judged,
         "folds_share": spent + 0.01 * seed, "lost_best": lost}
        for method, n, spent in zip(("beta_pruning", "threshold_pruning"), wrong, share, strict=True)
        for seed in range(3)
    ]  # fmt: skip
    other = {**rows[0], "is_configured": False, "n_wrong": 9, "folds_share": 0.1}
    return pd.DataFrame([*rows, other]).assign(n_rows=60_000, k=5, data="original", failed_as="failed")


@pytest.mark.parametrize(
    ("wrong", "certain", "fewer"),
    [
        ((0, 0), UNDECIDED, UNDECIDED),  # no difference in any of three seeds: too few to say so
        (((1, 2, 1), (12, 11, 13)), UNDECIDED, REPRODUCED),  # 4 of 90 in three seeds may well be 1 %
        (((10, 0, 0), (12, 11, 13)), UNDECIDED, UNDECIDED),  # a seed with all the wrong ones is one seed
        (((12, 11, 13), (1, 2, 1)), CONTRADICTED, CONTRADICTED),
    ],
)
def test_wrong_prunings_of_a_seed_are_alike_and_both_pruners_share_the_seeds(wrong, certain, fewer):
    found = rows_of({"swept": runs_that_prune(wrong)})
    ours, heuristic = (np.broadcast_to(n, 3) for n in wrong)
    row = found.loc["pruned.certain"]
    assert row["ours"] == pytest.approx(100 * ours.sum() / 90)
    assert (row["verdict"], row["n_seeds"]) == (certain, 3)
    assert f"({ours.sum()} of 90)" in row["quantity"]
    row = found.loc["pruned.fewer_poor_decisions"]
    by_seed = 100 * (heuristic - ours) / 30
    half = stats.t.ppf(0.975, 2) * by_seed.std(ddof=1) / np.sqrt(3)
    assert row[["ours", "low", "high"]].tolist() == pytest.approx(
        [by_seed.mean(), by_seed.mean() - half, by_seed.mean() + half]
    )
    assert row["verdict"] == fewer


def test_hundreds_of_prunings_without_a_wrong_one_are_no_certainty_in_three_seeds():
    assert rows_of({"swept": runs_that_prune((0, 0), n_judged=200)}).loc["pruned.certain", "verdict"] == UNDECIDED


@pytest.mark.parametrize(
    ("share", "lost", "expected"),
    [
        ((0.5, 0.7), 0.0, [REPRODUCED, UNDECIDED, REPRODUCED]),  # three of three are no 95 %
        ((1.1, 0.7), 1.0, [CONTRADICTED, CONTRADICTED, CONTRADICTED]),
    ],
)
def test_whole_runs_are_judged_by_their_trainings_and_by_what_they_end_with(share, lost, expected):
    found = rows_of({"swept": runs_that_prune((0, 0), share, lost)})
    names = [f"pruned.{name}" for name in ("fewer_trainings", "keeps_best", "fewer_trainings_than_heuristic")]
    assert found.loc[names, "verdict"].tolist() == expected
    assert found.loc["pruned.fewer_trainings", "ours"] == pytest.approx(100 * (share[0] + 0.01))
    assert found.loc["pruned.keeps_best", "ours"] == 100 * (1 - lost)
    ratios = [(share[1] + shift) / (share[0] + shift) for shift in (0, 0.01, 0.02)]
    ours = found.loc["pruned.fewer_trainings_than_heuristic", "ours"]
    assert ours == pytest.approx(np.prod(ratios) ** (1 / 3))


@pytest.mark.parametrize("method", ["standard", "beta_pruning"])
def test_the_comparison_of_strategies_without_lengths_is_on_the_same_list(explored, tmp_path, method):
    made_up(0).write(tmp_path / "scores.parquet")
    arguments = [method, "--strategy", method, "--settings", json.dumps(SETTINGS.get(method, {}))]
    arguments += ["--scores", str(tmp_path / "scores.parquet"), "--output", str(tmp_path / "runs.parquet")]
    assert main(["job", "compare", *arguments]) == 0
    (run,) = pd.read_parquet(tmp_path / "runs.parquet").to_dict("records")
    last = explored[(explored["method"] == method) & (explored["seed"] == 0)].iloc[-1]
    assert (run["n"], run["n_evaluations"], run["n_pruned"]) == (96, last["step"], last["n_pruned"])


def test_the_command_writes_both_files_and_figures_are_drawn_of_them(tmp_path):
    path = tmp_path / "folds0-4.parquet"
    made_up(0, n_rows=2000).write(path)
    explored, swept = tmp_path / "explored.parquet", tmp_path / "swept.parquet"
    arguments = ["job", "explore", "--scores", str(path), "--taus", "0.99", "--buffers", "10"]
    arguments += ["--settings", json.dumps(SETTINGS), "--output", str(explored), "--sweep-output", str(swept)]
    assert main(arguments) == 0
    drawn = registry.figures("beta_pruning")
    for name, file in (("figure7", explored), ("sweep", swept)):
        figure = drawn[name].draw(drawn[name].summarise(pd.read_parquet(file)))
        assert all(axes.get_xlabel() and axes.get_ylabel() for axes in figure.axes)
        assert all(axes.lines for axes in figure.axes)
