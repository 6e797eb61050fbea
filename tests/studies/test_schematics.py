import math
import re
import warnings
from functools import cache
from io import StringIO
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from frugal import datasets, folds, learners
from frugal.seeds import rng_for
from studies import captions, cli, config, style
from studies.greedy_cv import loop, progress
from studies.greedy_cv.paper import PAPER
from studies.greedy_cv.problem import make_problem
from studies.greedy_cv.surfaces import split_layers

ROOT = Path(__file__).parents[2]
CONFIG = config.load(ROOT / "config/config.yaml")
FIGURES = {one.name: one for one in PAPER.artefacts if not one.runs}
SURFACE_FIGURES = [f"figure{i}" for i in range(2, 8)]


@pytest.fixture(autouse=True)
def _own_data_folder(tmp_path_factory, monkeypatch):
    monkeypatch.chdir(tmp_path_factory.getbasetemp())  # wdbc is prepared there once, not in the checkout


@cache
def summary(name: str, seed: int) -> pd.DataFrame:
    return FIGURES[name].summarise(seed)


def test_all_ten_figures_are_there_in_order():
    assert list(FIGURES) == [f"figure{i}" for i in range(1, 11)]


@pytest.mark.parametrize("name", FIGURES)
def test_a_summary_repeats_itself_and_changes_with_the_seed(name):
    first, again, other = summary(name, 0), FIGURES[name].summarise(0), summary(name, 1)
    pd.testing.assert_frame_equal(first, again)
    assert not first.equals(other)


@pytest.mark.parametrize("name", FIGURES)
def test_the_call_in_a_caption_writes_the_csv_that_is_drawn(name, tmp_path, monkeypatch):
    seeded = config.merge(CONFIG, {"greedy_cv": {"figure_seed": 1}})
    caption = captions.of_record("greedy_cv", FIGURES[name], seeded)
    assert caption.startswith(f"Figure {name.removeprefix('figure')} of document 001. ")
    assert ". Seed 1. Written by `python -m studies job figure greedy_cv " in caption
    datasets.prepare("wdbc", root=tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)  # main replaces it
    assert cli.main(re.findall("`python -m studies (.*)`", caption)[0].split()) == 0
    written = Path(f"results/greedy_cv/figures/{name}.csv")
    kept = pd.read_csv(written)
    pd.testing.assert_frame_equal(kept, pd.read_csv(StringIO(summary(name, 1).to_csv(index=False))))
    if name in ("figure4", "figure8"):  # drawn again in the same bytes
        style.save(FIGURES[name].draw(kept), "again.png", "again.svg")
        for end in (".png", ".svg"):
            assert Path(f"again{end}").read_bytes() == written.with_suffix(end).read_bytes()
        assert b"<dc:date>" not in Path("again.svg").read_bytes()


@pytest.mark.parametrize("name", SURFACE_FIGURES)
def test_a_search_is_drawn_over_the_true_surface_that_it_ran_on(name):
    run, surface = split_layers(summary(name, 1))
    problem = make_problem(1)
    assert surface["loss"].tolist() == problem.surface["loss"].tolist()
    last = run.iloc[-1]
    point = last[["log10_gamma", "log10_lambda"]].to_numpy(dtype=float)
    assert last["loss"] == pytest.approx(problem.loss(point), rel=1e-12)


def test_figure_1_shows_the_run_of_figure_4_and_its_numbers():
    run = summary("figure1", 0)
    of_figure_4, _ = split_layers(summary("figure4", 0))
    assert run["loss"].tolist() == of_figure_4["loss"].tolist()
    texts = loop.box_texts(run)
    assert f"loss found {run['loss'].iloc[-1]:.4f}" in texts["B"]
    assert f"evaluations: {len(run)} of at most 30" in texts["C"]
    assert f"refitted to {len(run) - 1} losses" in texts["D"]
    assert f"loss {run['loss'].min():.4f}" in texts["end"]


def test_validation_parts_of_figure_8_partition_the_rows():
    table = summary("figure8", 0)
    is_validation = table["part"] == "validation"
    assert sorted(table.loc[is_validation, "row"]) == list(range(569))
    assert is_validation.groupby(table["iteration"]).sum().tolist() == [114, 114, 114, 114, 113]
    assert (table.groupby("iteration").size() == 569).all()


def test_accuracies_of_figure_8_are_those_of_fitted_trees_and_theta_is_their_mean():
    table = summary("figure8", 1)
    dataset = datasets.load("wdbc")
    scores = folds.score(dataset, "decision_tree", [{}], n_folds=5, seed=1, exact_batch=False).scores[0]
    assert table.drop_duplicates("iteration")["accuracy"].tolist() == scores.tolist()
    assert table["mean_accuracy"].iloc[0] == pytest.approx(sum(scores) / 5, abs=1e-15)


def naive_greedy(scores: np.ndarray, budget: int) -> list[tuple[int, int]]:
    """Algorithm 2 of document 001 as printed, by linear search; a tie goes to the lowest index."""
    n, k = scores.shape
    order = [(i, 0) for i in range(n)]
    n_done = [1] * n
    while len(order) < budget:
        means = [
            round(math.fsum(scores[i, : n_done[i]]) / n_done[i], 12) if n_done[i] < k else -1.0 for i in range(n)
        ]
        best = means.index(max(means))
        order.append((best, n_done[best]))
        n_done[best] += 1
    return order


@cache
def scores_of(seed: int) -> np.ndarray:
    grid = learners.space("grid", "knn").grid()
    drawn = rng_for("progress_candidates", seed).choice(len(grid), 12, replace=False)
    candidates = [grid[i] for i in drawn]
    return folds.score(datasets.load("wdbc"), "knn", candidates, n_folds=5, seed=seed).scores


def order_of(table: pd.DataFrame) -> list[tuple[int, int]]:
    done = table.dropna(subset="step").sort_values("step")
    return list(zip(done["candidate"] - 1, done["fold"] - 1, strict=True))


@pytest.mark.parametrize("seed", range(4))
def test_figure_10_shows_the_order_of_algorithm_2(seed):
    table = summary("figure10", seed)
    assert order_of(table) == naive_greedy(scores_of(seed), progress.BUDGET)


def test_figure_9_shows_candidates_one_after_another():
    table = summary("figure9", 0)
    assert order_of(table) == [divmod(i, 5) for i in range(progress.BUDGET)]


@pytest.mark.parametrize("name", ["standard", "greedy"])
@pytest.mark.parametrize("budget", [16, 33, 60])
def test_a_progress_grid_holds_exactly_the_budget_and_real_scores(name, budget):
    table = progress.progress(name, 2, budget=budget)
    assert table["step"].notna().sum() == budget
    scores = scores_of(2)
    done = table.dropna(subset="step")
    cells = (done["candidate"] - 1, done["fold"] - 1)
    assert done["score"].tolist() == scores[cells].tolist()
    chosen = table.loc[table["chosen"], "candidate"].unique()
    pool = table[table["complete"]] if table["complete"].any() else done
    means = pool.groupby("candidate")["mean_so_far"].first()
    assert len(chosen) == 1
    assert means[chosen[0]] == pytest.approx(means.max(), abs=1e-12)


def test_the_looks_of_strategies_of_the_family_differ():
    named = set(folds.known()) & set(style.LOOKS)  # any other is drawn in a free colour
    assert len(named) >= 15  # all of ours
    for part in ("color", "label", "marker", "hatch"):
        values = [getattr(style.LOOKS[name], part) for name in named]
        assert len(set(values)) == len(values)
    compared = {entry["strategy"] for entry in CONFIG["folds_comparison"]["compared"]}
    looks = sorted((style.LOOKS[name] for name in compared & named), key=grey)
    for darker, lighter in combinations(looks, 2):  # told apart in grey
        apart = grey(lighter) - grey(darker)
        assert apart > 3
        assert apart > 5 or darker.linestyle != lighter.linestyle


def grey(look: style.Look) -> float:
    """CIE lightness of a look's colour, 0 to 100."""
    rgb = np.array([int(look.color[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return float(116 * np.cbrt(linear @ [0.2126, 0.7152, 0.0722]) - 16)
