"""What README and the pages of the site quote is what was published."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from frugal import folds
from frugal.bench.select import _interval, as_markdown
from frugal.bench.select import summarise as summarise_searches
from frugal.folds.search import read_kept
from frugal.folds.strategies import with_facts
from frugal.learners.networks import authors_grid
from frugal.spaces import as_json
from studies import registry
from studies.big_data import arrivals
from studies.big_data.arrivals import METHODS
from studies.big_data.curve_search import shares_cut
from studies.big_data.size_search import SVM_SEARCH
from studies.estimates import mean
from studies.folds_comparison.comparison import in_words, tabulate
from studies.greedy_cv.library import GREEDY, GRID_SEARCH, HALVING, with_ratio
from studies.greedy_cv.measures import jackknifed, mean_absolute_error
from studies.greedy_cv.tables import CELL, published
from studies.greedy_cv.wall_clock import with_shares
from studies.hypertune import curves
from studies.markdown import plain
from studies.strips import read_judged
from studies.verdicts import NO_EVIDENCE, judge_claims, summarise

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "results/published"


def page(name):
    """The text of a page, in one line."""
    return " ".join((ROOT / f"docs/{name}.md").read_text().split())


def claim(name, file="claims"):
    """The row of a published claim."""
    return pd.read_csv(PUBLISHED / name.split(".")[0] / f"{file}.csv").set_index("id").loc[name]


def interval(row, digits):
    """The interval of a claim as pages print it, without the bracket that closes it."""
    return f"({row['low']:.{digits}f} to {row['high']:.{digits}f}"


def test_the_readme_has_the_summary_of_the_published_claims():
    summary = (PUBLISHED / "claims_summary.md").read_text()
    files = sorted(PUBLISHED.glob("*/claims*.csv"))
    papers = sorted({path.parent.name for path in files})
    claims = {paper: pd.concat([pd.read_csv(p) for p in files if p.parent.name == paper]) for paper in papers}
    assert summary == plain(summarise(claims))
    readme = (ROOT / "README.md").read_text()
    assert summary in readme
    row = summarise(claims).set_index("paper").loc["all"].astype(int)
    quoted = (
        f"{row['reproduced'] - row[NO_EVIDENCE]} of {row['claims']} claims are reproduced with evidence, "
        f"{row['contradicted']} are contradicted and {row['undecided']} undecided:"
    )
    assert quoted in " ".join(readme.split())
    evidence = {claim.id for paper in papers for claim in registry.paper(paper).claims if claim.is_evidence}
    every = pd.concat(claims.values())
    every = every[(every["verdict"] == "reproduced") & every["id"].isin(evidence)]
    assert (len(every), (every["n_seeds"] == 0).sum()) == (27, 7)
    of_hypertune = every[every["id"].str.startswith("hypertune.")]
    assert of_hypertune["id"].str.startswith("hypertune.figure1.").all()
    of_them = "Of the other 27 seven need no run, such as formulas, and none says that HyperTune beats a rival."
    assert of_them in " ".join(readme.split())


def test_the_page_on_folds_quotes_the_published_comparison():
    published = PUBLISHED / "folds_comparison"

    def means(table):
        return table[table["k"] == table["k"].max()].pivot_table("mean", index="method", columns="measure")

    study = means(tabulate(pd.read_parquet(published / "runs/runs.parquet"), "paper"))
    timed, network = (
        means(pd.read_csv(published / f"tables/{name}.csv")) for name in registry.tables("folds_comparison")
    )
    parts = [study["rows_share"], timed["time_share"], 100 * study["regret"], study["lost_best"]]
    quoted = pd.concat([*parts, network["rows_share"], 100 * network["regret"]], axis=1)
    text = (ROOT / "docs/comparisons/folds_comparison.md").read_text()
    lines = text.split("| strategy | cost |")[1].split("\n\n")[0].splitlines()[2:]
    assert len(lines) == len(quoted) > 0
    quoted.index = quoted.index.map(in_words)
    for line in lines:
        name, *numbers = (part.strip() for part in line.strip("| ").split("|"))
        for number, value in zip(numbers, quoted.loc[name], strict=True):
            assert number == ("-" if math.isnan(value) else f"{value:.{len(number.partition('.')[2])}f}")


def test_the_page_on_folds_advises_by_the_published_prices():
    prices = pd.read_csv(PUBLISHED / "folds_comparison/figures/prices.csv")
    ours = prices.drop_duplicates("method").set_index("method")
    text = page("comparisons/folds_comparison")
    late = ("predicted_folds", "beta_pruning_tau_0_7", "beta_pruning_tau_0_9", "wilcoxon", "beta_pruning")
    pays = {name: f"{1000 * ours.loc[name, 'break_even_s']:.1f} ms" for name in late}
    assert f"Bayesian pruning at tau = 0.7 from {pays['beta_pruning_tau_0_7']}" in text
    assert f"`predicted_folds` from {pays['predicted_folds']}" in text
    assert f"Bayesian pruning at tau = 0.9 from {pays['beta_pruning_tau_0_9']}" in text
    assert f"Optuna's Wilcoxon test from {pays['wilcoxon']}" in text
    assert f"Bayesian pruning at tau = 0.99 from {pays['beta_pruning']}" in text
    others = ours.drop(index=[*pays, "beta_greedy", "beta_sequential"])["break_even_s"]
    assert others.max() < 1e-4  # what else saves fits pays at any price that is shown
    dear = prices[prices["fit_s"] > 0.99].assign(share=lambda row: row["overhead_s"] / row["seconds"])
    assert dear["share"].max() < 0.01
    kept, seconds = ours.loc[["forgiving_early_stopping", "wilcoxon"], ["fits", "overhead_s"]].to_numpy().T
    assert f"until a fit takes {(seconds[1] - seconds[0]) / (kept[0] - kept[1]):.1f} s" in text


def test_the_assumptions_count_how_often_pruning_lost_the_best():
    runs = pd.read_parquet(PUBLISHED / "folds_comparison/runs/runs.parquet")
    lost = runs.groupby(["method", "k"])["lost_best"].agg(["sum", "size"])
    text = page("assumptions/beta_pruning")
    n, total = lost.loc[("threshold_pruning", 10)]
    assert (
        f"the heuristic lost the best candidate in {n} of {total} runs with k = 10 ({100 * n / total:.1f} %)"
        in text
    )
    assert f"and in {lost.loc[('threshold_pruning', 5), 'sum']} of {total} with k = 5" in text
    beta = lost.loc["beta_pruning"].sum()
    assert f"the Beta model in {beta['sum']} of {beta['size']}" in text
    prunings = runs.groupby("method")[["n_judged", "n_wrong"]].sum()
    n, wrong = prunings.loc["threshold_pruning"]
    assert f"{wrong} of the heuristic's {n:,} were wrong" in text
    assert prunings.loc["beta_pruning", "n_wrong"] == 0
    assert f"none of the Beta model's {prunings.loc['beta_pruning', 'n_judged']:,}." in text
    n, wrong = prunings.loc["beta_pruning_tau_0_9"]
    assert f"and {wrong} of {n:,} are wrong." in text


def test_the_page_on_folds_counts_prunings_and_the_wrong_ones():
    runs = pd.read_parquet(PUBLISHED / "folds_comparison/runs/runs.parquet")
    counted = runs.groupby("method")[["n_judged", "n_wrong", "best_pruned"]].sum()
    text = (ROOT / "docs/comparisons/folds_comparison.md").read_text()
    lines = text.split("| strategy | prunings |")[1].split("\n\n")[0].splitlines()[2:]
    names = {
        "Bayesian pruning, tau = 0.99": "beta_pruning",
        "Bayesian pruning, tau = 0.9": "beta_pruning_tau_0_9",
        "Bayesian pruning, tau = 0.7": "beta_pruning_tau_0_7",
        "Wilcoxon pruner": "wilcoxon",
    }
    assert len(lines) == 9
    for line in lines:
        name, *numbers = (part.strip() for part in line.strip("| ").split("|"))
        assert numbers == [f"{n:,}" for n in counted.loc[names.get(name, name.replace(" ", "_"))]]
    n, wrong, _ = counted.loc["beta_pruning_tau_0_9"]
    assert f"We count {100 * wrong / n:.1f} % and " in text
    n, wrong, _ = counted.loc["beta_pruning_tau_0_7"]
    assert f" % and {100 * wrong / n:.0f} %." in text


@pytest.mark.slow
def test_the_assumptions_say_how_much_the_order_of_the_list_matters():
    folder = PUBLISHED / "beta_pruning/parts/network/scores"
    paths = sorted(folder.glob("seed*/*.parquet"))
    settings = with_facts("beta_pruning", {"buffer": 10, "tau": 0.99}, n_rows=60_000, n_classes=10)
    explored = []
    for kept in read_kept(paths).values():
        rows = {as_json(candidate): row for row, candidate in enumerate(kept.table.candidates)}
        for order in range(30):
            rng = np.random.default_rng([order, kept.table.meta["seed"]])
            listed = kept.table.take([rows[as_json(candidate)] for candidate in authors_grid(rng)])
            strategy = folds.make("beta_pruning", n_candidates=96, n_folds=5, rng=rng, budget=20, **settings)
            explored.append(len({task.candidate for task in folds.replay(strategy, listed).tasks}))
    text = page("assumptions/beta_pruning")
    mean, spread = np.mean(explored), np.std(explored)
    assert f"it is {mean:.1f} by 20 trainings, with a standard deviation of {spread:.1f}." in text
    assert f"In {100 * np.mean(np.array(explored) >= 19):.0f} % of them it is at least 19" in text
    assert f"In {len(explored)} other random orders" in text


def test_the_page_on_trials_has_the_regrets_of_the_published_comparison():
    table = pd.read_csv(PUBLISHED / "trials_comparison/tables/strategies.csv")
    regrets = table[table["measure"] == "regret_at_seconds"]
    quoted = regrets.pivot_table("ours", index="method", columns="problem", sort=False)
    budgets = regrets.groupby("problem", sort=False)["budget"].first()
    head, _, *lines = next(
        part.splitlines()
        for part in (ROOT / "docs/comparisons/trials_comparison.md").read_text().split("\n\n")
        if part.startswith("| strategy | SVM on MNIST, table")
    )
    heads = [f"{problem} ({seconds:.3g} s)" for problem, seconds in budgets.items()]
    assert head == f"| strategy | {' | '.join(heads)} |"
    assert len(lines) == len(quoted) > 0
    for line, (method, row) in zip(lines, quoted[budgets.index].iterrows(), strict=True):
        cells = ["-" if math.isnan(value) else f"{100 * value:.2f}" for value in row]
        assert line == f"| {method.replace('_', ' ')} | {' | '.join(cells)} |"


def test_the_page_of_document_000_quotes_the_sets_it_explores():
    explored = claim("beta_pruning.explored.by_20_trainings")
    figure = pd.read_csv(PUBLISHED / "beta_pruning/figures/figure7.csv")
    (at_20,) = figure.query("panel == 'explored' and method == 'beta_pruning' and step == 20").to_dict("records")
    single = f"single seeds {at_20['low']:.0f} to {at_20['high']:.0f}"
    mean_of_seeds = f"95 % interval {explored['low']:.1f} to {explored['high']:.1f}"
    sets = f"explores {explored['ours']:.1f} sets on average ({mean_of_seeds}; {single})"
    assert sets in page("papers/beta_pruning")


def test_the_costs_of_the_networks_trainings_are_of_their_median_seconds():
    parts = sorted((PUBLISHED / "beta_pruning/parts/network/seconds").rglob("*.parquet"))
    assert len(parts) == 50
    seconds = pd.concat(map(pd.read_parquet, parts)).groupby("candidate")["seconds"].median().sum()
    costs = pd.read_csv(ROOT / "docs/seed_costs.csv", index_col="study")["seconds"]
    assert costs["swept"] == round(5 * seconds)
    assert round(50 * seconds / 3600) == 8
    assert "takes 50 jobs and some eight core hours, by each candidate's median seconds" in page("reproducing")


def test_the_page_on_claims_says_which_counts_resampled_repetitions_would_change():
    claims = pd.read_csv(PUBLISHED / "greedy_cv/claims.csv", index_col="id")["verdict"]
    found = pd.read_csv(PUBLISHED / "greedy_cv/findings.csv", index_col="id")
    found = found[found.index.str.endswith("_resampled")]
    assert (found["verdict"] == "undecided").all()
    judged = claims[found.index.str.removesuffix("_resampled")].value_counts()
    assert judged.to_dict() == {"contradicted": 4, "reproduced": 1}
    text = page("claims")
    assert "five such claims of document 001 would be undecided: four that are contradicted" in text
    assert "and one that is reproduced." in text


def test_the_page_of_document_001_quotes_its_searches_on_larger_data():
    on_larger = claim("greedy_cv.sizes.greedy_improves", "claims_sensitivity")
    control = claim("greedy_cv.sizes.standard_does_not", "findings_sensitivity")
    text = page("papers/greedy_cv")
    trains = 1 / claim("greedy_cv.wall_clock.rows", "findings")["ours"]
    assert f"but trains on {trains:.1f} times halving's rows." in text
    ratio = f"{on_larger['ours']:.2f} times as long on 20,000 rows as on 2,000"
    assert f"{ratio} {interval(on_larger, 2)})" in text
    assert f"{control['ours']:.1f} times as long {interval(control, 1)})" in text
    assert "agree 128, open 7, disagree 0" in claim("greedy_cv.search_time.every_comparison")["quantity"]
    assert "lower mean in all 135 comparisons. In 128 the 95 % interval of the difference excludes 0." in text


def test_the_pages_of_document_003_quote_figures_8_and_10_and_the_combinations():
    text, choices = page("papers/big_data"), page("assumptions/big_data")
    rows, seconds = (claim(f"big_data.sample_size.{name}", "findings") for name in ("fewer_rows", "faster"))
    slow = claim("big_data.sample_size.small_theta_slows")
    assert f"with {rows['ours']:.2f} times fewer rows {interval(rows, 2)})" in text
    at_99 = claim("big_data.sample_size.fewer_rows_to_quality")
    assert at_99["low"] == 0  # open below
    assert (
        f"the batch method, {at_99['ours']:.2f} times ({at_99['high']:.2f} or less), and save at most 4 %." in text
    )
    at_25 = {
        name: claim(f"big_data.sample_size.{name}_to_quality_at_theta_25", "findings")
        for name in ("fewer_rows", "faster")
    }
    assert f"with {at_25['fewer_rows']['ours']:.2f} times fewer rows {interval(at_25['fewer_rows'], 2)})" in text
    assert f"{at_25['faster']['ours']:.2f} times sooner {interval(at_25['faster'], 2)}). This theta" in text
    name = "big_data.svm_search.fabolas_to_random_for_good"
    good = [claim(f"{name}{unit}", "findings") for unit in ("", "_kernel_values")]
    assert f"For good they come there {good[0]['ours']:.0f} times sooner {interval(good[0], 0)})" in text
    assert f"in kernel values {good[1]['ours']:.0f} times {interval(good[1], 0)}): less than" in text
    assert f"By turns it is {seconds['ours']:.2f} times {interval(seconds, 2)})" in choices
    assert f"from 1.13 to {slow['ours']:.2f} times {interval(slow, 2)})" in choices
    deviates = claim("big_data.sample_size.variance_deviates")
    assert f"by {deviates['ours']:.0f} % {interval(deviates, 0)} %) on average" in choices
    closest = claim("big_data.osmac.closest.nznormal")
    assert f"OSMAC's error is {closest['ours']:.2f} times LCC's {interval(closest, 2)})" in choices
    seconds = pd.read_csv(PUBLISHED / "big_data/tables/fractions.csv").query("measure == 'seconds'")
    seconds = seconds.set_index(["dataset", "method", "fraction"])["ours"].astype(float)
    slower = [seconds[data, "svm_km"] / seconds[data, "full_svm", 1] for data in ("adult", "letter")]
    low, high = np.min(slower), np.max(slower)
    assert f"more slowly than the full SVM at every number of centres, {low:.1f} to {high:.1f} times" in text
    distinct = claim("big_data.combinations.blb_dynamic.more_rows")
    assert f"but {distinct['ours']:.2f} times as many distinct ones" in text
    alone, centres = (
        1 / claim(f"big_data.combinations.further_speedup.{name}", "findings")["ours"]
        for name in ("blb_osmac", "blb_wkm_svm")
    )
    assert f"in {alone:.0f} times its seconds" in text
    beside_blb = pd.read_csv(PUBLISHED / "big_data/tables/combinations_against_parts.csv").query(
        "combination == 'blb_osmac' and part == 'blb' and measure == 'seconds'"
    )["ours"]
    assert len(beside_blb) == 2
    times = f"{10 ** beside_blb.mean():.2f} times the seconds of plain BLB"
    assert f"Over both designs it takes {times}. It errs no less" in text
    assert f"With OSMAC it takes {times}, but {alone:.0f} times those" in choices
    plain = 1 / claim("big_data.combinations.wkm_svm_more_promising", "findings")["ours"]
    assert f"takes {centres:.1f} times those of WKM-SVM alone, and {plain:.1f} times those of BLB with" in choices


def factors(path, keys, measure):
    """Factors of a table's logarithms to base 10, by its keys."""
    table = pd.read_csv(PUBLISHED / path).query("measure == @measure")
    return 10 ** table.set_index(keys)["ours"].astype(float)


def stays_from(path, limit):
    """By method, where the mean of a path is at most the limit from then on."""
    far = path[path["mean"] > limit].groupby("method")["x"].max()
    return {
        name: part.loc[part["x"] > far[name], "x"].min() for name, part in path.groupby("method") if name in far
    }


def test_the_page_of_document_003_quotes_how_much_sooner_searches_are_and_what_checks_cost():
    text = page("papers/big_data")
    sooner = 1 / factors("big_data/tables/svm_search.csv", "method", "log10_seconds_to_10_less_random")
    ei, entropy = (f"{sooner[name]:.1f}" for name in ("ei", "entropy_search"))
    assert f"EI and entropy search first get there {ei} and {entropy} times sooner than random search" in text
    assert [round(sooner[f"mtbo_{part}"]) for part in (512, 4, 32)] == [8, 10, 18]
    assert "MTBO-512 eight times, MTBO-4 ten times, MTBO-32 18 times" in text
    cost = 1 / factors("big_data/tables/svm_search.csv", "method", "log10_cost_to_10_less_random")["fabolas"]
    assert f"In kernel values it takes {cost:.0f} times less" in text
    left = pd.read_csv(PUBLISHED / "big_data/figures/figure3.csv").query("panel != 'right'")
    s = stays_from(left, 1.1 * left["least_test_error"])
    assert (
        f"Fabolas takes {s['fabolas']:.0f} s, MTBO-32 {s['mtbo_32']:.0f} s, MTBO-4 {s['mtbo_4']:.0f} s,"
        f" entropy search {s['entropy_search']:,.0f} s, MTBO-512 {s['mtbo_512']:,.0f} s, EI {s['ei']:,.0f} s,"
        f" random search {s['random']:,.0f} s."
    ) in text
    on_cnn = 1 / factors("big_data/tables/cnn_search.csv", "method", "log10_seconds_to_10_less_random")
    assert round(on_cnn["fabolas"]) == 4
    assert f"MTBO-4 is {on_cnn['mtbo_4']:.1f} times sooner than random search, MTBO-16" in text
    assert f"MTBO-16 {on_cnn['mtbo_16']:.1f} times;" in text
    later = factors("big_data/tables/terminating_fabolas.csv", ["method", "against"], "log10_seconds_to_same")
    spent, horizon = (f"{later[f'fabolas_{name}', 'fabolas']:.1f}" for name in ("spent", "horizon"))
    assert f"two of three variants are significantly later, by {spent} and {horizon} times" in text
    blb = factors("big_data/tables/combinations_against_parts.csv", ["combination", "part", "problem"], "seconds")
    first, second = (f"{blb['blb_dynamic', 'blb', design]:.0f}" for design in ("nzNormal", "student_t"))
    assert f"They take {first} and {second} times the seconds on the two designs." in text


def test_the_page_of_document_003_quotes_what_termination_saves():
    text = page("papers/big_data")
    table = pd.read_csv(PUBLISHED / "big_data/tables/curve_search.csv").set_index(["dataset", "method", "measure"])
    optimisers = ("random", "tpe", "smac")

    def saved(dataset, measure):
        shares = [
            100 * (1 - float(table.loc[(dataset, f"{name}_terminated", measure), "ours"]) / whole)
            for name in optimisers
            for whole in [float(table.loc[(dataset, name, measure), "ours"])]
        ]
        return min(shares), max(shares)

    epochs = [saved(dataset, "epochs") for dataset in ("cifar10", "mnist")]
    assert f"{min(low for low, _ in epochs):.0f} to {max(high for _, high in epochs):.0f} % are saved." in text
    (low, high), (least, most) = (saved(dataset, "seconds") for dataset in ("cifar10", "mnist"))
    assert (
        f"Of its seconds {low:.0f} to {high:.0f} % are saved on CIFAR-10, but {least:.0f} to {most:.0f} % on"
        in text
    )
    ends = [100 * table.loc[("cifar10", f"{name}_terminated", "error_difference"), "ours"] for name in optimisers]
    better = f"between {-min(ends):.1f} points better and {max(ends):.1f} points worse"
    assert f"On CIFAR-10 searches end {better}, no difference significant; on MNIST they end alike." in text
    assert not any(table.loc[("mnist", f"{name}_terminated", "error_difference"), "ours"] for name in optimisers)
    assert table.loc[("cifar10", "tpe_terminated", "reached"), "ours"] == 0.8
    assert "On CIFAR-10 two of ten TPE searches with termination never reach" in text


def test_the_page_on_claims_counts_the_contradicted_ones_on_inferred_settings():
    judged = [one.row for paper in registry.PAPERS for one in read_judged(PUBLISHED, paper, "claims")]
    inferred = [row for row in judged if row["verdict"] == "contradicted" and "inferred from" in row["quantity"]]
    assert len(inferred) == 6
    assert "Of the contradicted claims, six are on inferred settings or data" in page("claims")


def test_the_page_of_document_003_quotes_which_curves_are_cut():
    cut = shares_cut(pd.read_parquet(PUBLISHED / "big_data/runs/curve_search.parquet"))
    n_ahead = cut.groupby("dataset")["n_ahead"].sum()
    on_cifar, on_mnist = (claim(f"big_data.curve_search.{name}_high_kept") for name in ("cifar10", "mnist"))
    assert on_mnist["ours"] == 0
    assert (
        "cuts three in ten of the curves in the best tenth. Two thirds of these would not have been the best of "
        f"their search so far, and the rule means to cut such. Of the {n_ahead['cifar10']} in the best tenth that "
        f"would, it cuts {on_cifar['ours']:.0f} % {interval(on_cifar, 0)}; undecided); on MNIST none of "
        f"{n_ahead['mnist']}."
    ) in page("papers/big_data")
    found = cut[cut["dataset"] == "cifar10"]
    n_cut = (found["ahead"] * found["n_ahead"]).sum(), (2 * found["high"]).sum()
    assert n_cut == (6, 18)
    assert f"On CIFAR-10 6 of {n_ahead['cifar10']} such are cut" in " ".join(
        (ROOT / "CHANGELOG.md").read_text().split()
    )


def test_the_page_of_document_002_quotes_its_searches_on_functions():
    text = page("papers/exploration")
    far = claim("exploration.functions.ei_greedy")
    assert f"{far['ours']:.2f} times {interval(far, 2)}) as far" in text
    left = claim("exploration.functions.ei_too_greedy")
    assert f"{left['ours']:.1f} times {interval(left, 1)}) what EI leaves to the minimum" in text
    drawn = pd.read_csv(PUBLISHED / "exploration/figures/comparison.csv").set_index(["panel", "method"])
    at_end = drawn[drawn["x"] == 60].loc["hartmann6"]
    dngo, random = (
        f"{row['mean']:.2f} {interval(row, 2)})" for _, row in at_end.loc[["dngo", "random"]].iterrows()
    )
    assert f"DNGO leaves {dngo} and random search {random}" in text
    runs = pd.read_parquet(PUBLISHED / "exploration/runs/functions.parquet").query("dataset == 'hartmann6'")
    ends = runs.pivot_table("error", "seed", "method", "min")
    stuck = ends[ends["ei"] > -3]
    assert len(ends) == 30
    assert ends["ei_explore"].max() < -3
    at = (" and ".join(f"{value:.2f}" for value in stuck[name].iloc[::-1]) for name in ("ei", "ei_explore"))
    assert "on Hartmann-6 it ends at {}, top-two EI at {}.".format(*at) in text
    long = claim("exploration.functions_long.dngo_beats_random", "findings")
    assert f"{long['ours']:.3f} times {interval(long, 3)}) what random search leaves" in text
    runs = pd.read_parquet(PUBLISHED / "exploration/runs/functions_long.parquet")
    first, lowest = (part.groupby(["method", "seed"])["error"].min() for part in (runs[runs["id"] < 60], runs))
    early, late = (found.groupby("method").mean() for found in (first, lowest))
    assert f"it is at {early['dngo_long']:.2f} on average, random search at {early['random_long']:.2f}." in text
    best = lowest["dngo_long"].min()
    assert f"ends at {late['dngo_long']:.3f} on average, and at {best:.3f} in its best seed" in text
    assert best > -3.319


def test_the_page_of_document_002_quotes_its_searches_on_all_rows():
    runs = pd.read_parquet(PUBLISHED / "exploration/runs/task2_all_rows.parquet")
    points = pd.DataFrame(runs["candidate"].map(json.loads).tolist())
    scaling, accuracy = points["intercept_scaling"], 100 * (1 - runs["error"])
    is_near = ((points["C"] - 3.775).abs() <= 1.225 + 1e-9) & ((scaling - 1.625).abs() <= 0.4975 + 1e-9)
    is_chosen = runs["candidate"] == runs.groupby("seed")["recommendation"].transform("last")
    (one,) = runs["seed"][is_chosen & is_near]
    assert (is_chosen.sum(), claim("exploration.task2.search_finds_optimum")["ours"]) == (5, 20)
    others = is_chosen & ~is_near
    chosen, near = (f"{part.min():.2f} to {part.max():.2f} %" for part in (accuracy[others], accuracy[is_near]))
    error = math.sqrt(runs["error"].mean() * (1 - runs["error"].mean()) / 10_000)
    text, causes = page("papers/exploration"), " ".join((ROOT / "docs/causes.yaml").read_text().split())
    low, high = scaling[others].agg(["min", "max"])
    assert f"The other four choose an intercept_scaling between {low:.2f} and {high:.2f}" in text
    assert f"their choices have {chosen}, the {is_near.sum()} trials near the reported point {near}." in text
    assert f"All {len(runs)} trials lie between {accuracy.min():.2f} and {accuracy.max():.2f} %" in text
    assert f"the standard error of one accuracy is {100 * error:.2f} points" in text
    assert f"Ten of the {is_near.sum()} trials are of the search that ends there." in text
    assert (runs["seed"][is_near] == one).sum() == 10
    assert f"The {is_near.sum()} trials near the reported point have {near} of the validation rows." in causes
    within = f"All {len(runs)} trials lie within {accuracy.max() - accuracy.min():.2f} points"
    assert (
        f"below 0.2, with {chosen}. {within}, and the standard error of one accuracy is {100 * error:.2f}."
        in causes
    )
    small = accuracy[scaling.between(0.04, 0.2)].sort_values()
    told = f"Sixteen of {len(small)} such trials have {small.iloc[1]:.2f} to {small.iloc[-1]:.2f} %."
    assert f"{told} The other, with C = {points['C'][small.index[0]]:g}, has {small.iloc[0]:.2f} %." in page(
        "assumptions/exploration"
    )


def test_the_page_of_document_002_quotes_the_fits_on_all_rows():
    text = page("papers/exploration")
    rank, reported = (claim(f"exploration.task2.reported_{name}")["ours"] for name in ("rank", "accuracy"))
    spread, agreeing = (
        claim(f"exploration.task2.{name}", "findings")["ours"] for name in ("flat", "every_point_agrees")
    )
    assert f"a 5 x 5 grid spans {spread:.2f} points of test accuracy" in text
    assert f"The reported point has {reported:.2f} %" in text
    assert (rank, agreeing) == (12, 100)
    assert "Every point of the grid is as near, so this says little" in text
    assert "ranks twelfth of 26" in text


def test_the_page_of_document_004_quotes_what_few_rows_lose():
    lost = claim("hypertune.figure1.subset_degrades_in_gamma")
    said = f"128 rows lose {lost['ours']:.1f} points {interval(lost, 1)})"
    assert said in page("papers/hypertune")
    assert said.replace("(", "(95 % interval ") in page("assumptions/hypertune")


def test_the_page_of_document_004_quotes_its_searches_on_three_more_tables():
    text = page("papers/hypertune")
    for found, words in {
        "svm_letter.optimum_ei_se_4_by_trials": "HyperTune's with the SVM",
        "elastic_net_letter.optimum_ei_se_4_by_trials": "on letter",
        "elastic_net_adult.optimum_ei_se_4_by_trials": "on adult",
        "svm_letter.shared_reversed_4_by_trials": "the error of right ones after 4 trials",
        "svm_letter.shared_reversed_8_by_trials": "after 8",
    }.items():
        row = claim(f"hypertune.other_tables.{found}", "findings")
        quoted = rf"{row['ours']:.2f} times [^.]*{words} {re.escape(interval(row, 2))}\)"
        assert re.search(quoted, text), (found, row["ours"])
    others = pd.read_csv(PUBLISHED / "hypertune/findings.csv").query("id.str.contains('other_tables')")
    shared = others[others["id"].str.contains("shared_ei_se_4_by_trials")]["ours"]
    svm, *nets = (f"{ours:.2f}" for ours in shared)
    assert f"From the shared start it is {svm}, {' and '.join(nets)} times." in text
    on_nets = others["id"].str.contains("elastic_net.*reversed")
    assert f"it is nowhere more than {others.loc[on_nets, 'ours'].max():.2f} times." in text
    counts = others["verdict"].value_counts()
    assert (
        f"Of these {len(others)} intervals, of ratios fixed before the run, {counts['reproduced']} lie above 1, "
        f"{counts['contradicted']} below, and {counts['undecided']} on both sides."
    ) in text


def test_the_page_on_compared_searches_quotes_regrets_on_the_table():
    regrets = pd.read_csv(PUBLISHED / "trials_comparison/tables/strategies.csv").query(
        "problem == 'SVM on MNIST, table' and measure == 'regret_at_seconds'"
    )
    low, high = 100 * regrets.set_index("method").loc["random", ["low", "high"]].astype(float)
    text = page("comparisons/trials_comparison")
    assert f"their 95 % interval is {low:.0f} to {high:.0f} points." in text
    paths = pd.read_parquet(PUBLISHED / "trials_comparison/runs/lookup-svm_mnist.parquet").query(
        "seconds <= 765.2"
    )
    last = paths.sort_values("trials").groupby(["method", "seed"]).tail(1).set_index("method")
    regret = 100 * (last["test_error"] - last["least"])
    assert f"is still {regret['hypertune'].max():.0f} points above the least error, five others are at it." in text
    assert (regret["hypertune"] == 0).sum() == 5


def published_intervals(paper):
    """Ends of the intervals of a paper's claims, findings and tables, and of the last points of its comparison."""
    folder = PUBLISHED / paper
    tables = [pd.read_csv(path) for path in [*folder.glob("*.csv"), *folder.glob("tables/*.csv")]]
    tables += [pd.read_csv(path).query("x == 60") for path in folder.glob("figures/comparison.csv")]
    ends = [table[["low", "high"]] for table in tables if {"low", "high"} <= set(table)]
    return pd.concat(ends).apply(pd.to_numeric, errors="coerce").dropna().to_numpy()


@pytest.mark.parametrize("paper", sorted(path.stem for path in (ROOT / "docs/papers").glob("*.md")))
def test_every_interval_on_the_page_of_a_document_is_published(paper):
    printed = re.findall(r"\(([\d.,]+) to ([\d.,]+)", page(f"papers/{paper}"))
    with np.errstate(divide="ignore", over="ignore"):
        ends = published_intervals(paper)
        scaled = [ends, 100 * ends, 1 / ends[:, ::-1], 10.0**ends, 10.0 ** -ends[:, ::-1]]  # shares; ratios; logs
    assert printed
    for low, high in printed:
        numbers, digits = [float(end.replace(",", "")) for end in (low, high)], len(low.partition(".")[2])
        near = np.isclose(np.concatenate(scaled), numbers, rtol=0, atol=0.5001 * 10.0**-digits)
        assert near.all(axis=1).any(), f"({low} to {high})"


def test_the_page_on_hypertune_has_the_differences_with_random_features():
    text = page("papers/hypertune")
    table = pd.read_csv(PUBLISHED / "hypertune/tables/controls.csv").query("learner == 'svm_rff'")
    found = table.set_index(["dataset", "method", "measure"])
    for where, method, measure, quoted in (
        ("mnist", "ei", "behind_trials", "significantly ahead with random features on MNIST, by {} points"),
        ("letter", "ei", "behind_trials", "On letter its mean is ahead there by {}."),
        ("mnist", "ei", "behind_seconds", "ten seeds too, it is behind by {} on MNIST"),
        ("adult", "ei", "behind_seconds", "by {} on scaled adult; on letter"),
        ("letter", "ei", "behind_seconds", "on letter, by {}, nothing is decided"),
        ("letter", "hypertune_from_optimum", "behind_trials", "by trials by {} points on letter"),
        ("mnist", "hypertune_from_optimum", "behind_seconds", "By seconds it is ahead by {} on MNIST"),
    ):
        row = found.loc[where, method, measure]
        assert quoted.format(f"{100 * abs(row['ours']):.1f} ± {100 * row['ours_se']:.1f}") in text
        assert row["n_seeds"] == 10
        assert (row["low"] < 0 < row["high"]) == (where == "letter" and method == "ei")
    fits = pd.read_parquet(PUBLISHED / "hypertune/runs/svm_rff_refits.parquet").query("dataset == 'letter'")
    assert 0.047 < fits["test_error"].min() < 0.048


LABELS = {"elastic net": "elastic_net", "SVM": "svm_rbf", "random features": "svm_rff", "MLP": "mlp", "CNN": "cnn"}


def test_the_page_on_hypertune_has_the_test_errors_of_its_tables():
    text = page("papers/hypertune")
    tables = [pd.read_csv(PUBLISHED / f"hypertune/tables/table{i}.csv") for i in (1, 2, 3, 4)]
    cells = pd.concat(tables).set_index(["learner", "dataset", "method"]).sort_index()
    methods = ("hypertune", "hypertune_from_optimum", "fabolas", "ei", "hyperband", "random")
    names = {"letter": "letter", "MNIST": "mnist", "unscaled adult": "adult", "CIFAR-10": "cifar10"}
    table = (ROOT / "docs/papers/hypertune.md").read_text().partition("| from the optimum | Fabolas |")[2]
    rows = [
        [part.strip() for part in line[1:-1].split("|")] for line in table.partition("\n\n")[0].splitlines()[2:]
    ]
    assert len(rows) == 9
    for learner, data, *quoted in rows:
        dataset = next(name for label, name in names.items() if data.startswith(label))
        for method, said in zip(methods, quoted, strict=True):
            if said.startswith("not run"):
                assert cells.loc[LABELS[learner], dataset, method]["scale"] == "not run at this scale"
            elif said:
                cell = cells.loc[LABELS[learner], dataset, method]
                printed = "" if np.isnan(cell["published"]) else f" ({round(100 * cell['published'], 1):g})"
                assert said == f"{100 * cell['ours']:.1f}{printed}"
            else:
                assert (LABELS[learner], dataset, method) not in cells.index
    ends = pd.read_parquet(PUBLISHED / "hypertune/runs/svm_rff_refits.parquet").pivot_table(
        "test_error", "seed", ["dataset", "method"]
    )
    for dataset, quoted in (("letter", "by {} points on letter and"), ("mnist", "and {} on MNIST, though their")):
        more = 100 * (ends[dataset]["hypertune_from_optimum"] - ends[dataset]["hypertune"])
        assert quoted.format(f"{more.mean():.1f} ± {more.sem():.1f}") in text


def test_the_page_on_hypertune_holds_its_other_start_against_ei():
    text = page("papers/hypertune")
    runs = pd.read_parquet(PUBLISHED / "hypertune/runs/svm_rff.parquet")
    searches = curves.paths(runs)
    for panel, quoted, on_adult in (
        ("trials", "by {} points on letter and {} on MNIST. By seconds", "ahead by {} by trials and"),
        ("seconds", "ahead by {} on letter, behind by {} on MNIST.", "and behind by {} by seconds."),
    ):
        leads = curves.areas(searches, "hypertune_from_optimum", "ei", panel).set_index("dataset")["behind"]
        said = [
            f"{100 * abs(leads.loc[name].mean()):.1f} ± {100 * leads.loc[name].sem():.1f}"
            for name in ("letter", "mnist", "adult")
        ]
        assert quoted.format(*said[:2]) in text
        assert on_adult.format(said[2]) in text


def test_what_a_seed_of_a_search_costs_is_what_the_published_trials_took(by_library):
    costs = pd.read_csv(ROOT / "docs/seed_costs.csv")
    papers = ("beta_pruning", "big_data", "exploration", "hypertune")
    judged = [one for paper in papers for one in read_judged(PUBLISHED, paper, "claims")]
    open_studies = {one.record.study for one in judged if one.row["verdict"] == "undecided"}
    assert open_studies <= set(costs["study"])  # the pages say what deciding each would take
    for study in ("surrogate_fits", "refits"):
        fits = pd.read_parquet(PUBLISHED / f"exploration/runs/{study}.parquet")
        of_seeds = fits[~fits["method"].isin(["grid", "reported"])]  # these are fitted once
        per_seed = of_seeds["seconds"].sum() / of_seeds["seed"].nunique()
        assert costs.set_index("study").loc[study, "seconds"] == pytest.approx(per_seed, abs=0.5)
    timed = by_library[by_library["strategy"] != GREEDY]["seconds"].sum()
    timed += by_library.query("strategy == @GREEDY and n == n.max()")["exhaustive_s"].sum()
    per_seed = timed / by_library["seed"].nunique()  # the clock, which the cost is of, has starts, too
    assert costs.set_index("study").loc["library", "seconds"] == pytest.approx(per_seed, rel=0.05)
    columns = {
        "trials": ["seconds", "overhead_s", "check_seconds"],
        "optimisers, since fits are kept": ["overhead_s", "check_s"],
    }
    of_searches = costs[costs["of"].isin(columns)]
    assert set(of_searches["of"]) == set(columns)
    for _, study, seconds, of in of_searches.itertuples():
        searched = study.removesuffix("_refits")
        paper = registry.paper_of(searched)
        runs = pd.read_parquet(PUBLISHED / f"{paper}/runs/{searched}.parquet")
        trials = runs[runs["method"].notna()]
        taken = trials[[name for name in columns[of] if name in trials]].sum().sum()
        assert seconds == pytest.approx(taken / trials["seed"].nunique(), abs=0.5), study


def test_the_readme_has_the_table_of_the_published_bench_of_searches():
    cells = pd.read_csv(ROOT / "docs/bench_select.csv")
    table = [[cell.strip() for cell in line[1:-1].split("|")] for line in as_markdown(cells).splitlines()]
    wanted = (
        "search",
        "fits",
        "seconds (looked up)",
        "regret",
        "lost on test rows",
        "worst regret",
        "worst on test rows",
    )
    short = [[row[table[0].index(name)] for name in wanted] for row in table]
    lines = (ROOT / "README.md").read_text().split("| search |")[1].split("\n\n")[0].splitlines()
    quoted = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in ["| search |" + lines[0], *lines[1:]]
    ]
    assert quoted == short
    # The whole table is put in when the site is built.
    assert "{{ searches() }}" in page("comparisons/whole_searches")
    counts = cells.groupby(["table", "estimator", "method"])["seed"].nunique()
    assert set(counts) == {3}
    assert set(cells["data"]) == {"original"}
    paper = page("joss/paper")
    default = next(row for row in quoted if "greedy_early_stopping" in row[0])
    assert f"its default search took {default[1].split()[0]} of the fits" in paper
    n_best = cells.loc[cells["method"] == "greedy_early_stopping", "is_best"].sum()
    n_searches = len(cells.groupby(["table", "estimator", "seed"]))
    assert f"Its choice had the same mean in {n_best} of {n_searches} searches" in paper


def test_the_page_on_searches_says_of_single_ones_what_the_published_bench_has():
    cells = pd.read_csv(ROOT / "docs/bench_select.csv")
    ours = cells[cells["method"] == "greedy_early_stopping"]
    live = ours.dropna(subset="live_share")
    shares, by_table = ours["fits_share"], ours.groupby("table")["fits_share"].mean()
    text = page("comparisons/whole_searches")
    assert f"live in {len(live)} of its {len(ours)} searches" in text
    mean, looked_up = live["live_share"].mean(), live["seconds_share"].mean()
    least, most = live["live_share"].min(), live["live_share"].max()
    took = f"It took {mean:.2f} of GridSearchCV's seconds on average ({least:.2f} to {most:.2f}), "
    assert f"{took}where looking up gives {looked_up:.2f} for the same" in text
    slowest = live.loc[live["live_share"].idxmax()]
    assert (slowest["table"], slowest["estimator"]) == ("adult", "extra_trees")
    assert f"took {slowest['live_share']:.2f} live and {slowest['seconds_share']:.2f} looked up" in text
    assert f"took from {shares.min():.2f} to {shares.max():.2f} of all fits" in text
    assert "one in five more than 0.25" in text
    assert round((shares > 0.25).mean(), 1) == 0.2
    ends = [f"{by_table[name]:.2f} ({name})" for name in (by_table.idxmin(), by_table.idxmax())]
    assert f"Means by table are between {' and '.join(ends)}" in text
    boston = ours.loc[ours["table"] == "boston", "regret"]
    assert ours["regret"].max() == boston.max()
    assert (
        f"{boston.mean():.2f} points on average on boston (506 rows), and {boston.max():.2f} in one search" in text
    )
    chosen = cells.pivot_table("candidate", index=["table", "estimator", "seed"], columns="method")
    n_best = cells.groupby("method")["is_best"].sum()
    means = f"mean in {ours['is_best'].sum()} of {len(ours)} searches, a random quarter's in {n_best['random']}."
    assert means in text
    same = chosen["greedy_early_stopping"] == chosen["exhaustive"]
    assert f"In {same.sum()} of these {ours['is_best'].sum()} it is the very same candidate." in text
    readme = " ".join((ROOT / "README.md").read_text().split())
    assert means.replace("random quarter's", "random quarter of the candidates") in readme
    halving = cells[cells["method"] == "fold_halving"]
    assert (
        "`fold_halving` costs as much as the default and loses less here, in the mean and in the worst search"
        in readme
    )
    for name in ("regret", "test_loss"):
        assert halving[name].mean() < ours[name].mean()
        assert halving[name].max() < ours[name].max()
    keys = ["table", "estimator", "seed"]
    paired = cells[cells["method"] == "random"].merge(ours, on=keys, suffixes=("", "_ours"))
    assert len(paired) == 72
    said = []
    for name in ("regret", "test_loss"):
        less = paired.assign(less=paired[name] - paired[f"{name}_ours"])
        low, high = _interval(less.pivot_table("less", "table", "seed").to_numpy(float))
        said.append((f"{less['less'].mean():.2f}", f"{low:.2f} to {high:.2f}"))
    assert "the default loses {} points less ({}), but".format(*said[0]) in text
    assert "on rows set apart {} less ({}), which is not significant.".format(*said[1]) in text
    assert "not significantly ahead of that quarter ({} points, {}).".format(*said[1]) in readme
    new = cells[~cells["table"].isin(["wdbc", "boston", "digits"])].groupby("method")["regret"].mean()
    names = ("greedy_early_stopping", "fold_halving", "random")
    lost = "the default loses {:.2f} points on average, `fold_halving` {:.2f}, and a random quarter {:.2f}."
    assert lost.format(*new[list(names)]) in text
    index = page("index")
    assert f"GridSearchCV's fits (single searches {shares.min():.2f} to {shares.max():.2f})" in index
    assert f"made {shares.mean():.2f} of" in index
    (row,) = summarise_searches(ours).to_dict("records")
    lost = f"{row['regret']:.2f} points (hundredths) of accuracy on average"
    assert (
        f"It lost {lost} (95 % interval {row['regret_low']:.2f} to {row['regret_high']:.2f}), and two in the worst"
        in index
    )
    assert ours["regret"].max() == 2


def test_the_page_of_folds_says_what_the_default_is_worth_where_it_is_cut():
    text = page("comparisons/folds_comparison")
    drawn = pd.read_csv(PUBLISHED / "folds_comparison/figures/anytime.csv").query("n == 128 and share == 0.25")
    found = drawn.set_index(["method", "k"])
    ours, plain = ({k: found.loc[name, k] for k in (10, 5)} for name in ("greedy_early_stopping", "standard"))
    low, high = (100 * ours[10][end] for end in ("low", "high"))
    assert f"it loses {100 * ours[10]['mean']:.2f} points with k = 10 ({low:.2f} to {high:.2f}) and " in text
    assert f"and {100 * ours[5]['mean']:.2f} with k = 5. Candidates in random order" in text
    assert "random order lose {:.2f} and {:.2f}.".format(*(100 * plain[k]["mean"] for k in (10, 5))) in text
    ranks = pd.read_csv(PUBLISHED / "folds_comparison/figures/ranks.csv").query("measure == 'regret_at_0.25'")
    mean = ranks.set_index("method")["mean_rank"]
    assert mean.idxmin() == "forgiving_early_stopping"
    assert f"a quarter of the cost, {mean.min():.1f}. Candidates in random order" in text
    assert f"have {mean['standard']:.1f}, and the default has {mean['greedy_early_stopping']:.1f}." in text
    assert f"differ by less than {ranks['critical_difference'].iloc[0]:.1f} do not differ" in text


def test_the_guide_chooses_a_strategy_by_the_published_comparison_with_five_folds_and_ten():
    table = pd.read_csv(PUBLISHED / "folds_comparison/tables/strategies.csv")
    means = table.pivot_table("mean", index="method", columns=["measure", "k"])
    columns = ("folds_share", "regret", "lost_best")
    text = (ROOT / "docs/model_selection.md").read_text().split("## Which strategy")[1]
    rows = text.split("|---|---|---|---|---|\n")[1].split("\n\n")[0].splitlines()
    lines = [[cell.strip() for cell in row.split("|")[1:-1]] for row in rows]
    assert len(lines) == 7
    errors = table.pivot_table("se", index="method", columns=["measure", "k"])

    def lost(method, k, unit="", noun=""):
        regret, error = (100 * of.loc[method, ("regret", k)] for of in (means, errors))
        return f"{regret:.2f} {unit}({noun}{error:.2f})"

    ours, baseline = "greedy_early_stopping", "standard_quarter"
    quoted = (
        f"With five folds it loses {lost(ours, 5, 'points ', 'standard error ')} at "
        f"{means.loc[ours, ('folds_share', 5)]:.2f} of the folds, the baseline {lost(baseline, 5)} at 0.25. With "
        f"ten folds it loses {lost(ours, 10)}, the baseline {lost(baseline, 10)}."
    )
    assert quoted in page("model_selection")
    for _, name, *cells in lines:
        method = name.strip("`") or "standard_quarter"
        for column, cell in zip(columns, cells, strict=True):
            unit = 100 if column == "regret" else 1
            for k, number in zip((5, 10), cell.removesuffix(" if not cut").split(", "), strict=True):
                digits = len(number.partition(".")[2])
                assert number == f"{unit * means.loc[method, (column, k)]:.{digits}f}", (method, column, k)


def test_the_guide_quotes_the_published_comparison_of_searches_cut_short():
    anytime = pd.read_csv(PUBLISHED / "folds_comparison/figures/anytime.csv")
    cut = anytime[(anytime["k"] == 10) & (anytime["share"] == 1 / 16)].set_index("method")["mean"]
    ours, *rivals = ("beta_pruning", "forgiving_early_stopping", "standard", "greedy_early_stopping")
    text = page("model_selection")
    assert f"its candidate is {100 * cut[ours]:.2f} points below the best one, that of `{rivals[0]}`" in text
    assert all(f"`{rival}` {100 * cut[rival]:.2f}" in text for rival in rivals)
    late = anytime[(anytime["k"] == 10) & (anytime["share"] == 1 / 2)].set_index("method")["mean"]
    late = f"{100 * late['exact_pruning']:.2f} points, where `{ours}` loses {100 * late[ours]:.2f}."
    assert f"Cut after half of all fits, `exact_pruning` is ahead: {late}" in text
    least, second = cut.nsmallest(2).index
    assert (least, second) == ("beta_pruning_tau_0_9", ours)
    assert f'With `settings={{"tau": 0.9}}` in place of 0.99 it is {100 * cut[least]:.2f}.' in text


def test_the_readme_says_under_its_pictures_what_they_show():
    text = " ".join((ROOT / "README.md").read_text().split())
    figures = re.findall(r"\]\((results/published/\S+\.png)\)", text)
    assert [path.split("/")[2] for path in figures] == ["folds_comparison", "big_data", "big_data"]
    pareto, _, fractions = (pd.read_csv((ROOT / path).with_suffix(".csv")) for path in figures)
    ours = pareto[(pareto["method"] == "greedy_early_stopping") & (pareto["k"] == 10)]
    assert "a quarter of the folds gave a choice a third of a point below the best" in text
    assert round(4 * ours["cost"].item()) == 1
    assert round(3 * 100 * ours["mean"].item()) == 1
    quarter = pareto[(pareto["method"] == "standard_quarter") & (pareto["k"] == 10)]
    lost = f"{100 * quarter['mean'].item():.2f}"
    assert f"A random quarter of the candidates lost {lost}, no clear difference:" in text
    assert f"a marker for each of {pareto['method'].nunique()} strategies" in text
    searches = pd.read_csv(PUBLISHED / "big_data/tables/svm_search.csv")
    of_fabolas = searches[searches["method"] == "fabolas"].set_index("measure")
    sooner = 10 ** -of_fabolas.loc["log10_seconds_to_10_less_random", ["ours", "high", "low"]].astype(float)
    times, low, high = (f"{factor:.0f}" for factor in sooner)
    quoted = f"Fabolas first comes there {times} times sooner than random search ({low} to {high}; undecided,"
    assert f"{quoted} the document says 100 to 1,000)." in text
    claims = pd.read_csv(PUBLISHED / "big_data/claims.csv", index_col="id")
    assert claims.loc["big_data.svm_search.fabolas_to_random", "verdict"] == "undecided"
    left = pd.read_csv(PUBLISHED / "big_data/figures/figure3.csv").query("panel == 'left'")
    stays = stays_from(left, 1.1 * left["least_test_error"])
    quoted = (
        "stays within a tenth of the least from {fabolas:.0f} s on, that of random search from {random:,.0f} s."
    )
    assert quoted.format(**stays) in text
    times = f"by mean errors it is {stays['random'] / stays['fabolas']:.0f} times"
    to_stay = pd.read_csv(PUBLISHED / "big_data/findings.csv", index_col="id").loc[
        "big_data.svm_search.fabolas_to_random_for_good"
    ]
    again = f"for good they come there {to_stay['ours']:.0f} times sooner {interval(to_stay, 0)})."
    assert f"{times}. All ten leave it again; {again}" in text
    assert of_fabolas.loc["left_10", "ours"] == 1
    least = left["least_test_error"].iloc[0]
    found = arrivals.searches(pd.read_parquet(PUBLISHED / "big_data/runs/svm_search.parquet")).query(
        "method == 'fabolas'"
    )
    assert (found.groupby("seed")["test_error"].last() <= 1.1 * least).all()
    along = pd.read_csv(PUBLISHED / "trials_comparison/figures/anytime_seconds.csv")
    on_svm = along[along["problem"] == "SVM on MNIST, table"]
    stays = stays_from(on_svm, 0.1 * least)
    quoted = "Hyperband stays there from {hyperband:.0f} s on, Fabolas from {fabolas:.0f} s."
    assert quoted.format(**stays) in text
    of_page = page("comparisons/trials_comparison")
    assert f"its mean stays there from {stays['hyperband']:.0f} s on. Fabolas does" in of_page
    assert f"its mean stays there from {stays['fabolas']:.0f} s on (on the finer grid" in of_page
    strategies = pd.read_csv(PUBLISHED / "trials_comparison/tables/strategies.csv")
    first = strategies.query("problem == 'SVM on MNIST, table' and measure == 'seconds_to_10'")
    first = first.set_index("method")["ours"]
    assert f"error after {first['mtbo_512']:,.0f} s on average, hardly before EI's." in of_page
    assert f"EI comes there after {10 * (first['ei'] // 10):,.0f} s." in of_page
    cnn = strategies.query(
        "problem == 'CNN on CIFAR-10 (JPEG), table' and measure == 'regret_at_seconds'"
    ).set_index("method")["ours"]
    quoted = "random search loses {random:.2f} points, Hyperband {hyperband:.2f} and Fabolas {fabolas:.2f}."
    assert quoted.format(**100 * cnn) in text
    letter = fractions.query("dataset == 'letter' and family == 'svm' and measure == 'accuracy'")
    tenth = letter[letter["fraction"].isin([0.1, 1])].set_index("method")["mean"]
    quoted = (
        f"On 3,000 rows of letter an SVM has {tenth['full_svm']:.0%} accuracy. On 300 weighted cluster centres of "
        f"these (WKM-SVM) it has {tenth['wkm_svm']:.0%}, on 300 uniform rows {tenth['uniform_svm']:.0%}."
    )
    assert quoted.replace("%", " %") in text
    table = pd.read_csv(PUBLISHED / "big_data/tables/fractions.csv")
    touched = table.query("dataset == 'letter' and method == 'full_svm' and measure == 'rows_touched'")
    assert touched["ours"].tolist() == [3000]
    of = table.set_index(["dataset", "method", "fraction", "measure"])["ours"]
    centres, uniform, whole = ("wkm_svm", 0.1), ("uniform_svm", 0.5), ("full_svm", 1.0)
    quoted = (
        f"Including that time, training takes {of['letter', *centres, 'seconds']:.3f} s, on 1,500 uniform rows "
        f"({of['letter', *uniform, 'accuracy']:.0%}) {of['letter', *uniform, 'seconds']:.3f} s, on all rows "
        f"{of['letter', *whole, 'seconds']:.2f} s. On adult the centres lose: "
        f"{of['adult', *centres, 'accuracy']:.1%} in {of['adult', *centres, 'seconds']:.3f} s, where 1,500 "
        f"uniform rows have {of['adult', *uniform, 'accuracy']:.1%} in {of['adult', *uniform, 'seconds']:.3f} s."
    )
    assert quoted.replace("%", " %") in text
    rows = page("rows")
    svms = (whole, centres, uniform, ("uniform_svm", 0.1))
    accuracies = [f"{of['letter', *svm, 'accuracy']:.0%}" for svm in svms]
    seconds = [f"{of['letter', *svm, 'seconds']:.{2 if svm is whole else 3}f} s" for svm in svms]
    quoted = (
        f"{accuracies[0]} accuracy on 3,000 rows (trained in {seconds[0]}), {accuracies[1]} on 300 weighted "
        f"centres of them ({seconds[1]}), {accuracies[2]} on 1,500 uniform rows ({seconds[2]}), {accuracies[3]} "
        f"on 300 ({seconds[3]})"
    )
    assert quoted.replace("%", " %") in rows
    quoted = (
        f"{of['adult', 'uniform', 0.05, 'accuracy']:.1%} accuracy by uniform draws and by local case-control, "
        f"{of['adult', 'osmac_mvc', 0.05, 'accuracy']:.1%} by OSMAC, "
        f"{of['adult', 'full_logistic', 1.0, 'accuracy']:.1%} on all rows"
    )
    assert quoted.replace("%", " %") in rows
    assert f"{of['adult', 'lcc', 0.05, 'accuracy']:.1%}" == f"{of['adult', 'uniform', 0.05, 'accuracy']:.1%}"
    low, high = table.set_index(["dataset", "method", "fraction", "measure"]).loc[
        ("adult", "lcc", 0.01, "accuracy"), ["low", "high"]
    ]
    quoted = (
        f"is {of['adult', 'lcc', 0.01, 'accuracy']:.0%} ({100 * low:.0f} to {100 * high:.0f}), that of uniform "
    )
    assert quoted.replace("%", " %") in rows
    assert f"draws {of['adult', 'uniform', 0.01, 'accuracy']:.0%}".replace("%", " %") in rows


def test_the_page_of_trials_holds_its_strategies_against_random_search():
    text, guide = page("comparisons/trials_comparison"), page("model_selection")
    drawn = {
        name: pd.read_csv(PUBLISHED / f"trials_comparison/figures/ranks_{name}.csv").set_index(["group", "method"])
        for name in ("seconds", "cost", "trials")
    }
    ranks = {name: table["mean_rank"] for name, table in drawn.items()}
    by_seconds, by_cost = (ranks[name]["all"].sort_values() for name in ("seconds", "cost"))
    assert (by_seconds.index[2], by_cost.index[1]) == ("random", "random")
    assert f"third by seconds ({by_seconds['random']:.1f}) and second by cost ({by_cost['random']:.1f})" in text
    several = ranks["cost"]["rows"]
    assert (several.idxmin(), len(several)) == ("random", 11)
    assert f"first of eleven by cost ({several['random']:.1f}, Hyperband {several['hyperband']:.1f})" in text
    by_trials = ranks["trials"]["all"]
    alike = by_trials[["ei", "dngo", "tpe", "smac"]]
    assert f"({alike.min():.1f} to {alike.max():.1f}; `random` has {by_trials['random']:.1f}" in guide
    table = pd.read_csv(PUBLISHED / "trials_comparison/tables/strategies.csv")
    found = table.set_index(["problem", "measure", "method"])["ours"].sort_index()
    on_svm, on_cnn, on_curves = (
        found[problem, "trials_to_10"]
        for problem in ("SVM on MNIST, table", "CNN on CIFAR-10 (JPEG), table", "CNN on CIFAR-10 (JPEG), curves")
    )
    assert f"after {on_svm['ei']:.1f} trials on the SVM's table, `random` after {on_svm['random']:.1f}" in guide
    assert f"on the CNN's after {on_cnn['ei']:.1f} and {on_cnn['random']:.1f}." in guide
    assert on_curves["ei"] > on_curves["random"]
    ends = 100 * found["SVM on digits, live", "final_regret"]
    assert f"not on the SVM: {ends['dngo']:.2f} points, where EI has {ends['ei']:.2f}." in text
    along = pd.read_csv(PUBLISHED / "trials_comparison/figures/anytime_seconds.csv")
    later = along[(along["problem"] == "SVM on MNIST, table") & along["x"].between(1490, 1491)].set_index("method")
    random, ei = (100 * later.loc[name, "mean"] for name in ("random", "ei"))
    assert f"random search has {random:.2f} points after 1,490 s and EI {ei:.2f}." in text
    begun = pd.read_parquet(PUBLISHED / "trials_comparison/runs/curves-mlp_mnist.parquet").query("trials <= 5")
    plain = begun[~begun["method"].str.contains("hyperband|terminated")]
    assert plain["method"].nunique() == 6
    assert set(plain.groupby(["seed", "trials"])["test_error"].nunique()) == {1}


def test_the_readme_is_short_and_leads_on():
    text = (ROOT / "README.md").read_text()
    assert text.count("\n") <= 200
    links = re.findall(r"\]\((?!https?:)([^)#]+)", text)
    assert len(links) > 25
    assert [link for link in links if not (ROOT / link).exists()] == []
    for heading in re.findall(r"\]\(#([^)]+)\)", text):
        assert heading in {
            line.strip("# ").lower().replace(" ", "-") for line in text.splitlines() if line[:1] == "#"
        }


@pytest.mark.parametrize("path", ["README.md", "docs/start.md", "docs/folds.md", "docs/trials.md", "docs/rows.md"])
def test_what_a_page_for_newcomers_prints_runs_as_printed(path, capsys):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / path).read_text(), flags=re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block.replace(", n_jobs=2", ""), path, "exec"), {"__name__": "page"})
        assert capsys.readouterr().out


def by_reading(study, failed="last"):
    """Published runs of document 001 by reading, with halving's failed fits ranked last or first."""
    folders = {
        "last": ("..", "grid", "grid_olson"),
        "first": ("failed_first", "grid_failed_first", "grid_olson_failed_first"),
    }
    paths = (PUBLISHED / f"greedy_cv/runs/readings/{folder}/{study}.parquet" for folder in folders[failed])
    return dict(zip(("ranges/none", "grid/none", "grid/olson"), map(pd.read_parquet, paths), strict=True))


@pytest.fixture(scope="module")
def wall_clocks():
    """Runs of Table 3 by reading, with failed fits last."""
    return {name: with_shares(runs) for name, runs in by_reading("wall_clock").items()}


def test_the_assumptions_of_document_001_have_the_times_on_the_lists_with_and_without_scalers(wall_clocks):
    text = (ROOT / "docs/assumptions/greedy_cv.md").read_text()
    old = {  # published from 23 to 28 November 2026
        GREEDY: "greedy early stopping | 0.223",
        HALVING: "halving | 0.392",
    }
    for method, line in old.items():
        without, with_scalers = (
            wall_clocks[name].groupby(["method", "seed"])["time_ratio"].mean()[method].to_numpy()
            for name in ("grid/none", "grid/olson")
        )
        less = mean(with_scalers - without)
        row = rf"\| {re.escape(line)} \| {without.mean():.3f} \| {with_scalers.mean():.3f} \| [^|]* \| (.*) \|"
        assert re.findall(row, text) == [f"{less.ours:.3f} ({less.low:.3f} to {less.high:.3f})"]


def test_the_pages_of_document_001_say_what_table_3_is_on_the_lists(wall_clocks):
    text, of_page = page("assumptions/greedy_cv"), page("papers/greedy_cv")
    shares = {name: runs.groupby("method")["time_ratio"].mean() for name, runs in wall_clocks.items()}
    lists, scaled = shares["grid/none"], shares["grid/olson"]
    assert f"Greedy takes {scaled[GREEDY]:.3f} of the exhaustive search and halving {scaled[HALVING]:.3f}." in text
    assert f"On the lists the means are {lists[GREEDY]:.3f} and {lists[HALVING]:.3f}, and halving takes" in text
    assert f"On the lists the means are {lists[HALVING]:.3f} and {lists[GREEDY]:.3f}, and" in of_page
    assert f"scalers the means are {scaled[GREEDY]:.3f} and {scaled[HALVING]:.3f}." in text
    assert f"scalers the means are {scaled[HALVING]:.3f} and {scaled[GREEDY]:.3f}." in of_page
    evaluated, before = (
        wall_clocks[name].groupby("method")["evaluations_share"].mean()[GREEDY]
        for name in ("grid/olson", "grid/none")
    )
    assert f"it evaluates {evaluated:.3f} of the folds in place of {before:.3f}." in text
    claims = pd.read_csv(PUBLISHED / "greedy_cv/tables/claims_by_reading.csv").query("failed == 'last'")
    claims = claims.assign(id=claims["id"].str.removeprefix("greedy_cv.wall_clock.")).set_index(["reading", "id"])
    of_halving = claims.loc[("grid/none", "halving_mean"), "verdict"]
    assert f"the claim on halving's mean was undecided and is now {of_halving}." in text
    faster = claims.loc[("grid/olson", "about_70_percent_faster")]
    says = f"greedy is {faster['ours']:.0f} % faster {interval(faster, 0)}), and"
    assert f'{says} "70 %" is {faster["verdict"]}.' in text
    n_faster, n_slower, n_same = claims.loc["grid/olson"].loc[["n_faster", "n_slower", "n_same_outcome"], "ours"]
    assert f"the faster in {n_faster:.0f} cells, and halving in the {n_slower:.0f} of trees" in text
    assert f"{n_same:.0f} cells would end as in Table 3. This held." in text
    errors = pd.read_csv(PUBLISHED / "greedy_cv/tables/readings.csv")
    errors = errors.query("table == 'table3' and measure == 'mean absolute error by cell' and failed == 'last'")
    errors = errors.pivot_table("ours", "method", "reading")[list(wall_clocks)]
    ranges, lists, scaled = (f"{error:.3f}" for error in errors.loc[GREEDY])
    assert f"greedy is off by {lists} on the lists, by {scaled} with scalers and by {ranges} on the ranges" in text
    ranges, lists, scaled = (f"{error:.3f}" for error in errors.loc[HALVING])
    assert lists == scaled
    assert f"on the ranges ({ranges}; {lists} on both lists)" in text


HALVINGS = {"with": (HALVING, True), "without": (HALVING, False)}
"""Halving with and without train scores, as `by_library` and `over_grid_search` have them."""


@pytest.fixture(scope="module")
def by_library():
    """Runs of Table 3 by the library."""
    return with_ratio(pd.read_parquet(PUBLISHED / "greedy_cv/runs/library.parquet"))


@pytest.fixture(scope="module")
def over_grid_search(by_library):
    """Seconds over those of GridSearchCV by method, seed and cell, on lists of 256."""
    least = by_library[by_library["n"] == 256]
    seconds = least.pivot_table("seconds", ["method", "seed", *CELL], ["strategy", "train_scores"])
    return seconds.div(seconds[GRID_SEARCH, False], axis=0)


def test_the_assumptions_of_document_001_have_table_3_by_the_library(by_library, over_grid_search):
    text = (ROOT / "docs/assumptions/greedy_cv.md").read_text()
    shares = by_library.pivot_table("time_ratio", ["method", "seed"], ["strategy", "train_scores"])
    of_grid_search = over_grid_search.groupby(["method", "seed"]).mean()

    def quoted(table, column, digits=3):
        found = [mean(table.loc[library, column].to_numpy()) for library in ("of_2021", "today")]
        return " | ".join(f"{e.ours:.{digits}f} ({e.low:.{digits}f} to {e.high:.{digits}f})" for e in found)

    assert f"| greedy early stopping | all bare fits | {quoted(shares, (GREEDY, False))} | 0.210 |" in text
    assert f"| GridSearchCV, lists of 256 | all bare fits | {quoted(shares, (GRID_SEARCH, False), 2)} | |" in text
    for trained, column in HALVINGS.items():
        line = f"| halving, {trained} train scores"
        assert f"{line} | all bare fits | {quoted(shares, column)} | 0.360 |" in text
        assert f"{line}, lists of 256 | GridSearchCV | {quoted(of_grid_search, column)} | 0.384 |" in text

    of_page = page("papers/greedy_cv")
    with_scores, without = (of_grid_search.loc["of_2021", column].mean() for column in HALVINGS.values())
    assert f"with five folds, it takes {with_scores:.2f} of what `GridSearchCV` takes with ten; without" in of_page
    assert f"without train scores {without:.2f}." in of_page
    assert f"takes {shares.loc['of_2021', HALVINGS['with']].mean():.2f} of the bare fits" in of_page


def test_the_assumptions_of_document_001_say_what_makes_the_library_slow(by_library, over_grid_search):
    text, old = page("assumptions/greedy_cv"), by_library[by_library["method"] == "of_2021"]
    of_fit = 1e3 * (old["exhaustive_s"] / (old["n"] * old["k"])).groupby([old[name] for name in CELL]).mean()
    assert f"a bare fit takes {of_fit.min():.1f} to {of_fit.max():.1f} ms by cell" in text
    of_bayes = old.query("classifier == 'bernoulli_nb' and train_scores").groupby("dataset")["time_ratio"].mean()
    boston, digits, cancer = (f"{of_bayes[name]:.2f}" for name in ("boston", "digits", "wdbc"))
    assert f"it takes {boston} of them on Boston, {cancer} on breast cancer and {digits} on digits." in text

    table = published("table3").pivot_table("published", [*CELL, "n"], "method")
    printed = table.xs(256, level="n")[HALVING]
    assert f"{printed.mean():.3f}" == "0.384"
    over = over_grid_search.loc["of_2021"].groupby(CELL).mean()
    are_between = (over[HALVINGS["without"]] < printed) & (printed < over[HALVINGS["with"]])
    assert (are_between.sum(), len(printed)) == (4, 9)
    assert "lies between halving with and without train scores; by cell in four of nine." in text

    means = old.pivot_table("time_ratio", [*CELL, "n"], ["strategy", "train_scores"])
    assert (means[GREEDY, False] < means[HALVINGS["with"]]).sum() == len(table) == 27
    n_printed = (table[GREEDY] < table[HALVING]).sum()
    assert f"is faster in all 27 cells, in Table 3 in {n_printed}. So the count is {n_printed}" in text
    findings = pd.read_csv(PUBLISHED / "greedy_cv/findings_library.csv").set_index("id")
    assert findings.loc["greedy_cv.library.n_same_sign", "ours"] == n_printed


def test_the_assumptions_of_document_001_name_the_disturbed_cell_of_the_library(by_library, over_grid_search):
    text = page("assumptions/greedy_cv")
    cell = by_library.query("method == 'of_2021' and dataset == 'wdbc' and classifier == 'bernoulli_nb'")
    cell = cell[cell["n"] == 256]
    searches = cell.pivot_table("seconds", "seed", ["strategy", "train_scores"])
    fits = cell.groupby("seed")["exhaustive_s"].first()
    seconds = pd.concat([*(searches[column] for column in HALVINGS.values()), fits], axis=1)
    times = seconds.loc[9] / seconds.drop(9).median()
    assert times.between(1.6, 1.8).all()  # "about 1.7 times"
    without = over_grid_search.loc["of_2021"].drop(9, level="seed").groupby("seed").mean()
    trained, untrained = (mean(without[column].to_numpy()) for column in HALVINGS.values())
    assert (
        f"Without that repetition halving takes {trained.ours:.3f} and {untrained.ours:.3f} of GridSearchCV"
        in text
    )
    assert untrained.high < 0.9 * 0.384  # "would be contradicted"


def test_the_assumptions_of_document_001_quote_table_1_in_all_readings():
    text = (ROOT / "docs/assumptions/greedy_cv.md").read_text()

    def by_cell(runs, classifier):
        greedy = runs[(runs["method"] == "greedy") & (runs["classifier"] == classifier)]
        return greedy.groupby(["dataset", "k"])["search_time"].mean()

    labels = {"bernoulli_nb": "naive Bayes", "knn": "nearest neighbours", "decision_tree": "trees"}
    for classifier, label in labels.items():
        printed = published("table1").query("classifier == @classifier and method == 'greedy'")
        printed = printed.set_index(["dataset", "k"])["published"]
        assert f"| {label}, document | {printed.mean():.3f} | | |" in text
        for reading, runs in by_reading("search_time").items():
            cells = by_cell(runs, classifier).loc[printed.index]
            assert len(cells) == 9
            numbers = f"{cells.mean():.3f} | {(cells - printed).abs().mean():.3f} | {cells.corr(printed):.2f}"
            assert f"| {label}, `{reading}` | {numbers} |" in text


def test_the_assumptions_of_document_001_quote_table_2_in_all_readings():
    text = page("assumptions/greedy_cv")
    keys, methods = ["dataset", "classifier", "n"], ["greedy_early_stopping", "successive_halving"]
    printed = published("table2").pivot_table("published", keys, "method")[methods]
    assert "| document | {:.3f} | | {:.3f} | | 27 | 27 |".format(*printed.mean()) in text
    judged = next(
        one for one in registry.paper("greedy_cv").claims if one.id.endswith("early_stopping.n_significant")
    )
    counts, by_learner, correlation = {}, {}, {}
    for failed in ("last", "first"):
        for reading, table in by_reading("early_stopping", failed).items():
            means = table.pivot_table("quality", keys, "method").loc[printed.index, methods]
            pairs = zip(means.mean(), (means - printed).abs().mean(), strict=True)
            numbers = " | ".join(f"{mean:.3f} | {error:.3f}" for mean, error in pairs)
            ahead = int((means[methods[0]] > means[methods[1]]).sum())
            significant = int(judge_claims([judged], {"early_stopping": table}, "paper")["ours"].item())
            assert f"| `{reading}`, failed {failed} | {numbers} | {ahead} | {significant} |" in text
            counts[reading, failed] = ahead, significant
            by_learner[reading, failed] = means.groupby("classifier").mean()
            correlation[reading, failed] = means[methods[1]].corr(printed[methods[1]])
    assert "in {} of them, and at p < .01 in {}".format(*counts["ranges/none", "last"]) in text
    assert "27 and 27, the lists {} and {}".format(*counts["grid/none", "last"]) in text
    of_document = printed.groupby("classifier").mean()
    halving = {labels: means[methods[1]] for labels, means in by_learner.items()}
    before, after = halving["ranges/none", "last"], halving["ranges/none", "first"]
    assert f"falls from {before['knn']:.3f} to {after['knn']:.3f} with failed fits first" in text
    assert f"(printed {of_document[methods[1]]['knn']:.3f})" in text
    stays = {f"{halving['grid/none', failed].mean():.3f}" for failed in ("last", "first")}
    assert f"halving's mean over all learners stays at {' or '.join(stays)}" in text
    before, after = correlation["ranges/none", "last"], correlation["ranges/none", "first"]
    assert f"rises from {before:.2f} to {after:.2f}" in text
    trees = (means.loc["decision_tree"] for means in (by_learner["ranges/none", "last"], of_document))
    ours, theirs = (" and ".join(map("{:.3f}".format, means)) for means in trees)
    assert f"{ours}, printed {theirs}" in text


def greedy_of(runs, classifiers):
    """Greedy's search time by cell of Table 1 and seed, and the printed values, of some learners."""
    ours = runs[(runs["method"] == "greedy") & runs["classifier"].isin(classifiers)]
    wide = ours.pivot_table("search_time", ["dataset", "classifier", "k"], "seed")
    printed = (
        published("table1").query("method == 'greedy'").set_index(["dataset", "classifier", "k"])["published"]
    )
    return wide.to_numpy(), printed.loc[wide.index].to_numpy()


def in_brackets(numbers):
    """Value and interval of `jackknifed`."""
    value, _, low, high = numbers
    return f"{value:.3f} ({low:.3f} to {high:.3f})"


def test_the_assumptions_of_document_001_compare_errors_of_readings():
    text = page("assumptions/greedy_cv")
    runs = by_reading("search_time")
    (ranges, printed), (lists, _) = (
        greedy_of(runs[name], ("bernoulli_nb", "knn")) for name in ("ranges/none", "grid/olson")
    )
    error = mean_absolute_error(printed)
    less = jackknifed(lambda both: error(both[:18]) - error(both[18:]), np.vstack([ranges, lists]))
    assert f"the error is lower there by {in_brackets(less)}" in text
    assert f"ahead ({error(lists):.3f} against {error(ranges):.3f})" in text
    assert f"first 12 seeds ({error(lists[:, :12]):.3f} against {error(ranges[:, :12]):.3f})" in text
    bayes = {name: greedy_of(table, ["bernoulli_nb"]) for name, table in runs.items()}
    gaps = {name: abs(values.mean() - printed.mean()) for name, (values, printed) in bayes.items()}
    assert min(gaps, key=gaps.get) == "ranges/none"
    claims = pd.read_csv(PUBLISHED / "greedy_cv/tables/claims_by_reading.csv").query("failed == 'last'")
    ours = claims[claims["reading"] == "grid/olson"].set_index("id")["ours"]
    mean, factor = (ours[f"greedy_cv.search_time.{name}"] for name in ("greedy_mean", "more_than_twice"))
    paper = page("papers/greedy_cv")
    assert f"it is {mean:.3f}, and the factor {factor:.2f}." in paper
    assert f"in all 27, in {ours['greedy_cv.early_stopping.n_significant']:.0f} at p < .01" in paper


def test_the_assumptions_of_document_001_compare_combinations_of_the_factorial():
    text = page("assumptions/greedy_cv")

    def of(name, classifier):
        return greedy_of(pd.read_parquet(PUBLISHED / f"greedy_cv/runs/factorial/{name}.parquet"), [classifier])

    def mean(block):
        return float(block.mean())

    errors = []
    for splits, words in (("plain", "on plain folds"), ("stratified", "on stratified ones")):
        trees = {seed: of(f"grid_none_{splits}_{seed}", "decision_tree") for seed in ("repetition", "candidate")}
        both = np.vstack([values for values, _ in trees.values()])
        less = jackknifed(lambda block: mean(block[:6]) - mean(block[6:]), both)
        assert f"by {in_brackets(less)} {words}" in text
        bare, scaled = (
            [of(f"grid_{scaler}_{splits}_repetition", name) for name in ("bernoulli_nb", "knn")]
            for scaler in ("none", "olson")
        )
        assert mean(bare[0][0]) > mean(bare[0][1]) > mean(scaled[0][0])  # naive Bayes: ours, printed, ours
        _, _, low, high = jackknifed(mean, scaled[1][0])
        assert low < mean(scaled[1][1]) < high < mean(bare[1][0])
        ranges = [
            of(f"ranges_none_{splits}_repetition", name) for name in ("bernoulli_nb", "knn", "decision_tree")
        ]
        by_learner = [
            [mean_absolute_error(printed)(block) for block, printed in cells]
            for cells in (ranges, [*scaled, trees["candidate"]])
        ]
        assert [np.argmax(listed) for listed in by_learner] == [0, 0]  # naive Bayes
        errors.append([np.mean(listed) for listed in by_learner])
    plain, stratified = errors
    quoted = "{:.3f} and {:.3f} on stratified folds, {:.3f} and {:.3f} on plain ones"
    assert quoted.format(*stratified, *plain) in text


def test_the_assumptions_of_document_001_quote_the_factorial():
    text = page("assumptions/greedy_cv")
    table = pd.read_csv(PUBLISHED / "greedy_cv/tables/factorial.csv", keep_default_na=False)
    keys = ["classifiers", "space", "scaler", "tree_seed"]
    greedy = table[table["method"] == "greedy"].astype({"low": float, "high": float})
    spaces = {"ranges": "ranges", "grid": "lists"}
    further = {"none": "", "olson": ", Olson et al.'s scalers"}
    seeds = {"none": "", "repetition": ", a seed per repetition", "candidate": ", a seed per candidate"}
    for (classifiers, space, scaler, seed), part in greedy.groupby(keys):
        cell = part.set_index(["splits", "measure"])
        numbers = [
            f"{cell['ours'][splits, 'mean']:.3f}, {cell['ours'][splits, 'mean absolute error by cell']:.3f}"
            for splits in ("stratified", "plain")
        ]
        learners = "trees" if classifiers == "decision tree" else classifiers
        label = f"{learners}, {spaces[space]}{further[scaler]}{seeds[seed]}"
        assert f"| {label} | {' | '.join(numbers)} |" in text
        for measure in ("mean", "mean absolute error by cell"):
            overlap = cell.xs(measure, level="measure")
            assert overlap["low"].max() <= overlap["high"].min()


def test_where_halving_ranks_failed_fits_matters_for_nearest_neighbours_alone():
    first = by_reading("early_stopping", "first")
    for reading, last in by_reading("early_stopping").items():
        keys = ["method", "dataset", "classifier", "n", "k", "seed"]
        both = last.merge(first[reading], on=keys, suffixes=("", "_first"))
        assert len(both) == len(last) == len(first[reading])
        differs = both[both["chosen"] != both["chosen_first"]]
        assert set(differs["classifier"]) == {"knn"}
        assert set(differs["method"]) == {"successive_halving"}
        halving = last[last["method"] == "successive_halving"]
        assert set(halving[halving["n_failed_rungs"] > 0]["classifier"]) == {"knn"}


def test_the_cause_of_the_contradicted_optimum_quotes_first_visits():
    runs = pd.read_parquet(PUBLISHED / "big_data/runs/svm_search.parquet")
    arrays, says = SVM_SEARCH.arrays(runs), " ".join((ROOT / "docs/causes.yaml").read_text().split())
    named = ["mtbo_4", "mtbo_32", "mtbo_512"]
    spent = {
        target: dict(zip(METHODS, np.log(arrays[f"seconds {target}"]), strict=True)) for target in ("good", "best")
    }
    good, best = (
        "{:.0f}, {:.0f} and {:.0f} times".format(*(np.exp((of[name] - of["fabolas"]).mean()) for name in named))
        for of in spent.values()
    )
    assert f"MTBO-4, -32 and -512 take {good} as long as Fabolas to the one, {best} to the other." in says
    table = runs[runs["method"].isna() & (runs["n_rows"] == runs["n_rows"].max())].groupby("candidate")
    errors, chosen = table["test_error"].mean(), table["error"].mean().idxmin()
    near = errors[errors <= 1.1 * errors.min()]
    assert (len(near), (near <= errors[chosen]).sum()) == (10, 8)
    assert "eight of the ten candidates within 10 % of the least test error are as good as the optimum" in says
