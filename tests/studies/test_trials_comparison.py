"""Every way to save trials: searches made comparable, equal budgets, ranks; on runs worked by hand."""

import json
import math
from inspect import signature
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from studies import config, registry
from studies.blocks import block_of, n_trials_of, planned, sized
from studies.methods import TRIALS
from studies.records import Method
from studies.shared import refits
from studies.trials_comparison import figures
from studies.trials_comparison.figures import looks_of, summarise_anytime, summarise_ranks
from studies.trials_comparison.problems_and_methods import (
    COLUMNS,
    EXPERIMENTS,
    PROBLEMS,
    compared_of,
    methods_in_order,
    searches_of,
    shown_on,
)
from studies.trials_comparison.regrets import ends, reaches_floor, refit, render, tabulate
from studies.verdicts import judge_paper

CONFIG = config.load(Path(__file__).parents[2] / "config/config.yaml")
FIGURES = {artefact.name: artefact for artefact in figures.FIGURES}
SHOWN = [("svm", "digits"), ("curves", "cifar_cnn_cifar10"), ("curves", "mlp_mnist")]


def trials(learner, dataset, method, seed, rows):
    """Rows of a search: (seconds, cost, overhead_s, incumbent, test_error) each."""
    names = ["seconds", "cost", "overhead_s", "incumbent", "test_error"]
    table = pd.DataFrame(rows, columns=names).assign(learner=learner, dataset=dataset, method=method, seed=seed)
    return table.assign(data="original", id=range(len(rows)))


def path(method, errors, *, seed=0, seconds=None, problem=("svm", "digits"), least=0.1, overhead=0.5):
    """A search as `regrets.refit` has it: a second and a cost of 2 each, half a second the optimiser's."""
    n = len(errors)
    spent = np.arange(1.0, n + 1) if seconds is None else np.array(seconds)
    return pd.DataFrame(
        {
            "learner": problem[0], "dataset": problem[1], "method": method, "seed": seed, "data": "original",
            "seconds": spent, "cost": 2.0 * np.arange(1, n + 1), "trials": np.arange(1, n + 1),
            "overhead": overhead * spent, "test_error": errors, "least": least,
        }
    )[list(COLUMNS)]  # fmt: skip


def test_searches_of_a_table_are_added_up_and_held_to_its_least_test_error():
    cells = pd.DataFrame(
        {"learner": "svm", "dataset": "mnist", "data": "original", "seed": 0, "subset": 0, "error": 0.5,
         "candidate": ["a", "b", "a", "b"], "n_rows": [100, 100, 200, 200], "test_error": [0.01, 0.3, 0.2, 0.25],
         "seconds": 1.0, "cost": 1.0}
    )  # fmt: skip
    ours = trials("lookup", "svm_mnist", "ei", 1, [(2, 10, 0.5, None, math.nan), (3, 20, 1, "{}", 0.25)])
    other = trials("lookup", "svm_mnist", "random", 1, [(1, 5, 0, "{}", 0.3)])
    found = refit(pd.concat([cells, other, ours], ignore_index=True), {})
    assert list(found.columns) == list(COLUMNS)
    assert found["method"].tolist() == ["ei", "ei", "random"]
    assert found["seconds"].tolist() == [2.5, 6.5, 1]  # (2 + 0.5), (3 + 1) more
    assert found["overhead"].tolist() == [0.5, 1.5, 0]
    assert found["cost"].tolist() == [10, 30, 5]
    assert found["trials"].tolist() == [1, 2, 1]
    assert found["least"].tolist() == [0.2] * 3  # of 200 rows; 0.01 is of fewer


def test_checks_for_termination_are_paid_for():
    runs = trials("curves", "mlp_mnist", "tpe_terminated", 0, [(2, 8, 0.5, "{}", 0.4), (1, 4, 0.5, "{}", 0.3)])
    curve = {
        "id": 0,
        "score": 0.7,
        "epoch": 1,
        "n_train": 50,
        "candidate": "a",
        "test_error": 0.25,
        "seconds": 1.0,
        "reason": "",
    }
    table = pd.DataFrame([{**curve, "learner": None, "dataset": "mnist", "data": "original"}])
    found = refit(pd.concat([runs.assign(check_s=[0.25, 4.0]), table], ignore_index=True), {})
    assert found["seconds"].tolist() == [2.75, 2.75 + 5.5]
    assert found["overhead"].tolist() == [0.75, 5.25]
    assert found["least"].tolist() == [0.25, 0.25]


def test_what_live_searches_chose_is_fitted_and_the_best_of_a_seed_is_the_least(monkeypatch):
    asked = set()

    class Fits:
        def __init__(self, settings, root, journal, data):
            assert settings == {"n_train": 5}
            assert data == {"digits": "original"}

        def fit(self, learner, dataset, seed, candidate):
            if candidate is None:
                return {"test_error": math.nan}
            asked.add((seed, candidate["C"]))
            return {"test_error": candidate["C"] / 10 + seed / 100}

    monkeypatch.setattr(refits, "SeedFits", Fits)
    texts = {value: json.dumps({"C": value}) for value in (1, 2, 3)}

    def search(method, seed, chosen):
        return trials("svm", "digits", method, seed, [(1, 1, 0, texts.get(value), math.nan) for value in chosen])

    runs = pd.concat([search("ei", 0, [None, 3, 1]), search("tpe", 0, [2, 1]), search("tpe", 1, [2])])
    found = refit(runs.drop(columns="test_error"), {"n_train": 5})
    assert asked == {(0, 1), (0, 2), (0, 3), (1, 2)}
    assert found["test_error"].tolist() == pytest.approx([math.nan, 0.3, 0.1, 0.2, 0.1, 0.21], nan_ok=True)
    assert found["least"].tolist() == pytest.approx([0.1] * 5 + [0.21])


def test_runs_that_cannot_be_compared_are_refused():
    one = trials("svm", "digits", "ei", 0, [(1, 1, 0, "{}", 0.1)])
    with pytest.raises(ValueError, match="the table of runs lacks the column 'cost'; it has"):
        refit(one.drop(columns="cost"), {})
    two = pd.concat([one, one.assign(learner="elastic_net")])
    with pytest.raises(ValueError, match="must hold searches on one problem, got 2"):
        refit(two, {})
    with pytest.raises(ValueError, match=r"unknown problem \('svm', 'iris'\); known: \('lookup', 'svm_mnist'\)"):
        ends(path("ei", [0.1], problem=("svm", "iris")))
    with pytest.raises(ValueError, match="the table of paths lacks the column 'least'"):
        ends(path("ei", [0.1]).drop(columns="least"))
    with pytest.raises(ValueError, match="trials_comparison judges no claims"):
        judge_paper("trials_comparison", {}, scale="paper")


def test_searches_are_judged_when_all_had_spent_as_much():
    # Seconds in all: 3 and 10, so the budget is 3; costs 6 and 4, trials 3 and 2.
    slow = path("ei", [0.5, 0.105], seconds=[2.5, 10])
    quick = path("random", [0.4, 0.2, 0.15], seconds=[1, 2, 3])
    ei, random = ends(pd.concat([slow, quick])).set_index("method").loc[["ei", "random"]].to_dict("records")
    assert [ei[f"budget_{name}"] for name in ("seconds", "cost", "trials")] == [3, 4, 2]
    assert ei["regret_at_seconds"] == pytest.approx(0.4)  # the second trial ends at 10 s
    assert ei["regret_at_cost"] == ei["regret_at_trials"] == pytest.approx(0.005)
    assert random["regret_at_seconds"] == random["final_regret"] == pytest.approx(0.05)
    assert random["regret_at_cost"] == random["regret_at_trials"] == pytest.approx(0.1)
    assert ei["reached"]  # 0.105 is within 10 % of 0.1
    assert (ei["seconds_to_10"], ei["cost_to_10"], ei["trials_to_10"]) == (10, 4, 2)
    assert not random["reached"]
    assert (random["seconds_to_10"], random["cost_to_10"], random["trials_to_10"]) == (3, 6, 3)  # all of it
    assert ei["overhead_share"] == pytest.approx(0.5)


def test_a_search_without_an_incumbent_at_the_budget_has_no_regret_there_and_ranks_last():
    late = path("ei", [math.nan, 0.1], seconds=[1, 9])
    found = ends(pd.concat([late, path("random", [0.3, 0.2])])).set_index("method")
    assert math.isnan(found.loc["ei", "regret_at_seconds"])  # 2 s
    assert found.loc["ei", "final_regret"] == 0
    late, parts = [math.nan, 0.1], []
    for problem in (("svm", "digits"), ("elastic_net", "digits")):
        parts += [path("ei", late, seconds=[1, 9], problem=problem), path("random", [0.3, 0.2], problem=problem)]
        parts.append(path("tpe", [0.3, 0.11], problem=problem))
    ranks = summarise_ranks(pd.concat(parts), "seconds")
    ours = ranks[ranks["group"] == "rows"].set_index("method")["mean_rank"]
    assert ours.to_dict() == {"tpe": 1, "random": 2, "ei": 3}


def test_methods_are_ranked_on_the_problems_of_a_group_that_all_of_them_have():
    # Regrets by problem: tpe 1st, 2nd, 1st; random 2nd, 1st, 3rd; ei 3rd, 3rd, 2nd; Fabolas has two of the three.
    problems = [("svm", "digits"), ("elastic_net", "digits"), ("curves", "mlp_mnist")]
    errors = {"tpe": [0.2, 0.3, 0.2], "random": [0.3, 0.2, 0.5], "ei": [0.4, 0.5, 0.3], "fabolas": [0.1, 0.1]}
    parts = [
        path(method, [error], problem=problem)
        for method, method_errors in errors.items()
        for problem, error in zip(problems, method_errors, strict=False)
    ]
    table = summarise_ranks(pd.concat(parts), "cost")
    ranks = {group: part.set_index("method")["mean_rank"].to_dict() for group, part in table.groupby("group")}
    assert ranks["all"] == pytest.approx({"tpe": 4 / 3, "random": 2, "ei": 8 / 3})
    assert ranks["rows"] == pytest.approx({"fabolas": 1, "tpe": 2.5, "random": 2.5, "ei": 4})
    assert "epochs" not in ranks  # one problem cannot be averaged over
    assert set(table.loc[table["group"] == "all", "n_blocks"]) == {3}


def test_lines_are_means_over_seeds_from_where_all_have_an_incumbent():
    one, two = path("ei", [math.nan, 0.3, 0.1]), path("ei", [0.5, 0.2], seed=1)
    line = summarise_anytime(pd.concat([one, two, path("random", [math.nan])]), "trials")
    ei = line[line["method"] == "ei"]
    assert ei["x"].tolist() == [2, 3]
    assert ei["mean"].tolist() == pytest.approx([0.15, 0.05])  # 0.2 and 0.1; 0 and 0.1, kept from the end on
    assert set(ei["n_seeds"]) == {2}
    assert set(line["budget"]) == {1}
    random = line[line["method"] == "random"]
    assert (len(random), random["n_missing"].iloc[0], random["n_seeds"].iloc[0]) == (1, 1, 0)


def test_the_table_says_who_never_arrived_and_what_was_not_run_often_enough():
    runs = pd.concat([path("ei", [0.2, 0.1]), path("ei", [0.3], seed=1), path("random", [0.1])])
    table = tabulate(runs, "laptop").set_index(["method", "measure"])
    assert table.loc[("ei", "cost_to_10"), "ours"] == 3  # (4 + 2) / 2
    assert table.loc[("ei", "cost_to_10"), "says"] == "1 of 2 seeds never"
    assert table.loc[("random", "cost_to_10"), "says"] == ""
    assert table.loc[("ei", "regret_at_trials"), "budget"] == 1
    text = render(tabulate(runs, "laptop"))
    assert "3 (1 of 2)" in text
    assert "50%" in text
    often = pd.concat(path("ei", [0.2], seed=seed) for seed in range(10))
    rarely = path("random", [0.1], problem=("elastic_net", "digits"))
    table = tabulate(pd.concat([often, rarely]), "paper")
    below = table[table["problem"] == "Elastic net on digits, live"]
    assert set(below["scale"]) == {"not run at this scale"}
    assert below["ours"].isna().all()
    assert table.loc[table["n_seeds"] == 10, "ours"].notna().all()


def test_ten_searches_are_enough_though_one_had_no_incumbent_by_then():
    late = path("random", [math.nan, 0.2], seconds=[1, 9], seed=9)
    runs = pd.concat(
        [*(path(m, [0.2], seed=s) for m in ("ei", "random") for s in range(9)), path("ei", [0.2], seed=9), late]
    )
    table = tabulate(runs, "paper").set_index(["method", "measure"])
    cell = table.loc[("random", "regret_at_seconds")]
    assert (cell["scale"], cell["n_seeds"], cell["n_missing"]) == ("paper", 9, 1)
    assert cell["ours"] == pytest.approx(0.1)
    assert reaches_floor(table)
    assert not reaches_floor(tabulate(runs[runs["seed"] > 0], "paper"))


def test_who_had_no_incumbent_and_what_was_not_run_is_named():
    runs = pd.concat([path("ei", [math.nan, 0.2]), path("ei", [math.nan], seed=1), path("random", [0.3])])
    text = render(tabulate(runs, "laptop"))
    assert "10.00 (1 of 2)" in text  # of EI in the end, 0.2 less 0.1
    assert "Not run at this scale" not in text
    figure = FIGURES["anytime_trials"].draw(FIGURES["anytime_trials"].summarise(runs))
    (panel,) = (axes for axes in figure.axes if axes.get_ylabel() == "EI")
    assert [text.get_text() for text in panel.texts] == ["no incumbent:\n1 seed"]


def test_a_method_that_is_not_run_has_a_row_that_says_so():
    cells = pd.DataFrame(
        {"learner": "svm", "dataset": "mnist", "data": "original", "seed": 0, "subset": 0, "error": 0.5,
         "candidate": "a", "n_rows": [200], "test_error": [0.2], "seconds": 1.0, "cost": 1.0}
    )  # fmt: skip
    runs = [trials("lookup", "svm_mnist", "ei", seed, [(2, 10, 0.5, "{}", 0.25)]) for seed in range(10)]
    found = refit(pd.concat([cells, *runs], ignore_index=True), {"not_run": ["mtbo_512", "tpe", "mine"]})
    assert found["method"].tolist() == ["ei"] * 10 + ["mtbo_512", "tpe", "mine"]
    table = tabulate(found, "paper")
    absent = table[table["n_seeds"] == 0]
    assert absent["method"].tolist() == ["tpe", "mtbo_512", "mine"]  # in the order of the table
    assert set(absent["scale"]) == {"not run at this scale"}
    assert absent["ours"].isna().all()
    text = render(table)
    assert "Not run at this scale: tpe, mtbo 512, mine on SVM on MNIST, table." in text
    assert "mine |" not in text
    assert reaches_floor(table)  # what is not run does not keep the rest from being published
    for figure in FIGURES.values():
        assert "tpe" not in set(figure.summarise(found)["method"])


def small():
    """Two seeds of all methods of two problems and one of a third, better and better ones."""
    return pd.concat(
        path(method, [0.5, 0.4 - 0.01 * i + 0.02 * seed], problem=problem, seed=seed, least=0.05)
        for problem, n in zip(SHOWN, (1, 9, 9), strict=True)
        for i, method in enumerate(shown_on(CONFIG, *problem)[:n])
        for seed in range(2)
    )


@pytest.mark.parametrize("name", ["anytime_seconds", "anytime_trials", "ranks_cost"])
def test_figures_show_every_problem_and_method(name):
    table = FIGURES[name].summarise(small())
    figure = FIGURES[name].draw(table)
    titles = [axes.get_title().replace("\n", " ") for axes in figure.axes if axes.get_title()]
    if name.startswith("anytime"):
        assert titles == [PROBLEMS[problem].title for problem in SHOWN]
        rows = [axes.get_ylabel() for axes in figure.axes if axes.get_ylabel()]
        looks = looks_of(small()["method"])
        assert rows == [look.label for name, look in looks.items() if not name.endswith("_terminated")]
        assert drawn_in_colour(figure) == len(table.dropna(subset=["mean"]).groupby(["problem", "method"]))
    else:
        # Random search alone ran on all three problems, and two problems are too few to rank on.
        assert titles == []


def drawn_in_colour(figure):
    """Lines of an anytime figure that have a marker: one in each method's panel, none of those in grey."""
    return sum(line.get_marker() != "None" for axes in figure.axes for line in axes.lines)


def test_methods_are_ranked_in_a_diagram_from_three_problems_on():
    problems = [("svm", "digits"), ("elastic_net", "digits"), ("curves", "mlp_mnist")]
    for n, titles in ((2, []), (3, ["Regret at equal cost, all problems"])):
        runs = pd.concat(
            path(method, [error], problem=problem)
            for problem in problems[:n]
            for method, error in (("tpe", 0.2), ("random", 0.3), ("ei", 0.4))
        )
        figure = FIGURES["ranks_cost"].draw(FIGURES["ranks_cost"].summarise(runs))
        assert [axes.get_title().split(":")[0] for axes in figure.axes if axes.get_title()] == titles


def test_every_figure_is_drawn_from_runs():
    assert {next(iter(signature(figure.summarise).parameters)) for figure in FIGURES.values()} == {"runs"}


def test_methods_are_told_apart_without_colour():
    listed = [method for methods in compared_of(CONFIG).values() for method in methods.values()]
    looks = looks_of([*(method.name for method in listed), "mine", "yours", "theirs"])
    cut = {method.name for method in listed if method.termination is not None}
    marks = [(look.marker, method in cut) for method, look in looks.items()]
    assert len(set(marks)) == len(marks) > 20
    assert len({look.label for look in looks.values()}) == len(looks)


def test_every_search_of_a_compared_problem_is_of_one_experiment_and_is_shown():
    searched = [
        (*problem, method)
        for search in searches_of(CONFIG).values()
        for problem in search.problems
        for method in search.method_names
    ]
    assert len(searched) == len(set(searched))
    starts = set(searches_of(CONFIG)["svm_table"].method_names)  # a study of document 004's own on the same table
    for problem in PROBLEMS:
        methods = {method for *place, method in searched if tuple(place) == problem}
        assert set(shown_on(CONFIG, *problem)) == methods - starts


def listing(*lines):
    return {**CONFIG, "trials_comparison": {**CONFIG["trials_comparison"], "compared": list(lines)}}


def test_a_new_line_is_compared_in_every_experiment_or_in_some():
    mine = {"name": "my_ei", "strategy": "ei", "settings": {"n_starts": 9}, "variant_of": "ei"}
    found = searches_of(listing({"name": "ei", "strategy": "ei"}, mine))
    assert {name: found[name].method_names for name in EXPERIMENTS} == {
        "compared_svm": ("my_ei",),  # svm_search has EI on the same table
        "compared_cnn": ("my_ei",),
        "compared_curves": ("ei", "my_ei"),
        "compared_live": ("ei", "my_ei"),
    }
    search = found["compared_live"]
    block = block_of(search, listing({"name": "ei", "strategy": "ei"}, mine))
    assert n_trials_of(search, block, "digits") == {"ei": 14, "my_ei": 14}  # its default is EI's number
    settings = planned(search, search.method("my_ei"), block, "digits", table=block)
    assert settings == {**block["strategies"]["ei"], "n_starts": 9, "strategy": "ei", "draws": "ei"}
    some = {"name": "late", "strategy": "tpe", "termination": {"delta": 0.5}, "experiments": ["compared_curves"]}
    found = searches_of(listing(some))
    assert [name for name in EXPERIMENTS if found[name].methods] == ["compared_curves"]
    search = found["compared_curves"]
    rule = planned(search, search.method("late"), block_of(search, CONFIG), "mlp_mnist")["termination"]
    shared = CONFIG["big_data"]["curve_search"]
    assert rule == {"delta": 0.5, "curve": shared["curve"], "check_share": shared["check_share"]}


@pytest.mark.parametrize("scale", ["smoke", "config", "desk", "paper"])
def test_a_new_line_has_more_trials_than_first_candidates_at_every_scale(scale):
    base = Path(__file__).parents[2] / "config/config.yaml"
    scaled = config.load(base, base.with_name(f"{scale}.yaml"))
    compared = [{"name": "mine", "strategy": "random"}]
    scaled = {**scaled, "trials_comparison": {**scaled["trials_comparison"], "compared": compared}}
    found = searches_of(scaled)
    for search in (found[name] for name in EXPERIMENTS):
        block = block_of(search, scaled)
        for _, dataset in search.problems:
            method = search.method("mine")
            first = planned(search, method, block, dataset, table=block | {"sizes": [8, 4, 2]}).get(
                "n_initial", block["n_initial"]
            )
            assert n_trials_of(search, block, dataset)["mine"] > first
            beside = block_of(registry.study(search.beside), scaled) if search.beside else block
            listed = beside["n_trials"] if isinstance(beside["n_trials"], dict) else {}
            of_ei = {**listed, **block["n_trials"]}["ei"]
            if of_ei is not None:
                assert n_trials_of(search, block, dataset)["mine"] == of_ei


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"name": "mine", "strategy": "eii"}, "unknown strategy 'eii'; known: dngo, ei, ei_explore"),
        ({"name": "ei", "strategy": "tpe"}, "ei is a known method: its strategy is ei and its settings are fixed"),
        ({"name": "mtbo_4", "strategy": "mtbo", "settings": {"divisor": 8}}, "mtbo_4 is a known method"),
        ({"name": "random", "strategy": "random"}, "the name stands twice"),
    ],
)
def test_a_line_that_cannot_be_compared_is_refused_in_one_sentence(line, message):
    with pytest.raises(ValueError, match=r"^trials_comparison\.compared\.1 ") as refusal:
        compared_of(listing({"name": "random", "strategy": "random"}, line))
    assert message in str(refusal.value)


def test_numbers_of_trials_that_nobody_would_read_are_refused():
    search = searches_of(CONFIG)["compared_svm"]
    block = block_of(search, CONFIG)
    for name in ("fabolas", "magic"):  # svm_search has Fabolas, with a number of its own
        with pytest.raises(ValueError, match=f"unknown method of compared_svm '{name}'; known: tpe, smac"):
            n_trials_of(search, {**block, "n_trials": {**block["n_trials"], name: 9}}, "svm_mnist")
    lacking = {key: value for key, value in block.items() if key != "default_n_trials"} | {"n_trials": {}}
    with pytest.raises(ValueError, match="n_trials must have a number for tpe, or null where it is not run"):
        n_trials_of(search, lacking, "svm_mnist")


def test_methods_are_shown_in_one_order_and_new_ones_last():
    assert methods_in_order(["mine", "fabolas", "a_new_one", "random", "mine"]) == [
        "random",
        "fabolas",
        "mine",
        "a_new_one",
    ]
    runs = pd.concat([path("mine", [0.2, 0.15]), path("ei", [0.3]), path("a_new_one", [0.3])])
    figure = FIGURES["anytime_trials"].draw(FIGURES["anytime_trials"].summarise(runs))
    assert [axes.get_ylabel() for axes in figure.axes if axes.get_ylabel()] == ["EI", "mine", "a new one"]


def test_searches_beside_others_have_their_first_candidates_and_their_own_trials():
    shared = {"n_initial": 4, "n_seeds": 3, "n_trials": {"ei": 9}, "strategies": {"ei": {}}}
    added = {"n_trials": {"tpe": 5}, "strategies": {}}
    blocks = {"big_data": {"svm_search": shared}, "trials_comparison": {"compared_svm": added}}
    assert block_of(registry.study("compared_svm"), blocks) == {
        "n_initial": 4,
        "n_seeds": 3,
        "n_trials": {"tpe": 5},
        "strategies": {},
    }
    assert block_of(registry.study("svm_search"), blocks) == shared


@pytest.mark.parametrize(
    ("sizes", "rows"), [([8192, 4096, 2048, 1024, 512], 1024), ([512, 256, 128], 128), ([800, 400, 200, 100], 100)]
)
def test_hyperband_and_hypertune_ask_for_the_sizes_that_there_are(sizes, rows):
    rungs = {"resource": "rows", "min_resource": min(sizes), "max_resource": max(sizes), "reduction_factor": 2}
    hyperband = TRIALS["hyperband"]
    assert sized(hyperband, {}, {"sizes": sizes}) == rungs
    assert sized(hyperband, {"rounding": "robo"}, {"sizes": sizes}) == {**rungs, "rounding": "robo"}
    assert sized(TRIALS["hypertune"], {"n_sites": 3}, {"sizes": sizes}) == {"subset_rows": rows, "n_sites": 3}


def test_sizes_that_hyperband_cannot_climb_are_refused():
    with pytest.raises(ValueError, match="the same multiple of the one before for hyperband, got 100, 200, 300"):
        sized(TRIALS["hyperband"], {}, {"sizes": [300, 200, 100]})


def test_a_small_task_has_a_quarter_of_the_rows_or_the_next_part_that_there_is():
    mine = Method("mine", "mtbo")
    for sizes, auxiliary in (([800, 400, 200, 100], 200), ([200, 100], 100)):
        found = sized(mine, {}, {"sizes": sizes, "n_valid": 50})
        assert found == {"auxiliary": auxiliary, "n_max": sizes[0], "n_valid": 50}


def test_a_method_that_asks_for_rows_is_refused_where_all_trials_have_all_rows():
    line = {"name": "mine", "strategy": "fabolas", "experiments": ["compared_curves"]}
    search = searches_of(listing(line))["compared_curves"]
    with pytest.raises(ValueError, match=r"^mine needs sizes and n_valid .* may be compared_svm, "):
        planned(search, search.method("mine"), block_of(search, CONFIG), "mlp_mnist")


def test_a_method_that_the_block_does_not_name_begins_with_as_many_candidates_as_ei():
    search = searches_of(listing({"name": "mine", "strategy": "ei"}))["compared_live"]
    block = block_of(search, CONFIG)
    assert planned(search, search.method("mine"), block, "digits", table=block) == {
        "n_initial": block["strategies"]["ei"]["n_initial"],
        "strategy": "ei",
    }
    block = {**block, "strategies": {**block["strategies"], "mine": {"n_starts": 9}}}
    assert planned(search, search.method("mine"), block, "digits", table=block)["n_initial"] == 2
    mine = {"name": "mine", "strategy": "ei", "settings": {"n_initial": 5}}
    search = searches_of(listing(mine))["compared_live"]
    block = block_of(search, CONFIG)
    assert planned(search, search.method("mine"), block, "digits", table=block)["n_initial"] == 5


@pytest.mark.parametrize("name", ["mtbo_4", "hyperband"])
def test_a_table_of_one_size_is_refused_where_trials_have_several(name):
    with pytest.raises(ValueError, match=f"sizes must be at least two for {name}, got 512 alone"):
        sized(TRIALS[name], {}, {"sizes": [512], "n_valid": 9})
