"""What the README quotes is what was published."""

import math
from pathlib import Path

import pandas as pd

from frugal.model_selection.bench import as_markdown
from studies import registry
from studies.folds_comparison.comparison import tabulate
from studies.markdown import plain
from studies.verdicts import summarise

ROOT = Path(__file__).parents[2]


def test_the_readme_has_the_summary_of_the_published_claims():
    summary = (ROOT / "results/published/claims_summary.md").read_text()
    files = sorted((ROOT / "results/published").glob("*/claims*.csv"))
    papers = sorted({path.parent.name for path in files})
    claims = {paper: pd.concat([pd.read_csv(p) for p in files if p.parent.name == paper]) for paper in papers}
    assert summary == plain(summarise(claims))
    assert summary in (ROOT / "README.md").read_text()


def test_the_readme_quotes_the_published_comparison():
    published = ROOT / "results/published/folds_comparison"

    def means(table):
        return table[table["k"] == table["k"].max()].pivot_table("mean", index="method", columns="measure")

    study = means(tabulate(pd.read_parquet(published / "runs/runs.parquet"), "paper"))
    timed, network = (
        means(pd.read_csv(published / f"tables/{name}.csv")) for name in registry.tables("folds_comparison")
    )
    parts = [study["rows_share"], timed["time_share"], 100 * study["regret"], study["lost_best"]]
    quoted = pd.concat([*parts, network["rows_share"], 100 * network["regret"]], axis=1)
    lines = (ROOT / "README.md").read_text().split("| strategy | cost |")[1].split("\n\n")[0].splitlines()[2:]
    assert len(lines) == len(quoted) > 0
    for line in lines:
        name, *numbers = (part.strip() for part in line.strip("| ").split("|"))
        for number, value in zip(numbers, quoted.loc[name.replace(" ", "_")], strict=True):
            assert number == ("-" if math.isnan(value) else f"{value:.{len(number.partition('.')[2])}f}")


def test_the_readme_has_the_regrets_of_the_published_comparison_of_trials():
    table = pd.read_csv(ROOT / "results/published/trials_comparison/tables/strategies.csv")
    regrets = table[table["measure"] == "regret_at_seconds"]
    quoted = regrets.pivot_table("ours", index="method", columns="problem", sort=False)
    budgets = regrets.groupby("problem", sort=False)["budget"].first()
    head, _, *lines = next(
        part.splitlines()
        for part in (ROOT / "README.md").read_text().split("\n\n")
        if part.startswith("| strategy | SVM on MNIST, table")
    )
    heads = [f"{problem} ({seconds:.3g} s)" for problem, seconds in budgets.items()]
    assert head == f"| strategy | {' | '.join(heads)} |"
    assert len(lines) == len(quoted) > 0
    for line, (method, row) in zip(lines, quoted[budgets.index].iterrows(), strict=True):
        cells = ["-" if math.isnan(value) else f"{100 * value:.2f}" for value in row]
        assert line == f"| {method.replace('_', ' ')} | {' | '.join(cells)} |"


def test_the_readme_has_the_table_of_the_published_bench_of_searches():
    cells = pd.read_csv(ROOT / "docs/bench_select.csv")
    assert as_markdown(cells) in (ROOT / "README.md").read_text()
    counts = cells.groupby(["table", "estimator", "method"])["seed"].nunique()
    assert set(counts) == {3}
    assert set(cells["data"]) == {"original"}


def test_the_readme_says_of_single_searches_what_the_published_bench_has():
    cells = pd.read_csv(ROOT / "docs/bench_select.csv")
    ours = cells[cells["method"] == "greedy_early_stopping"]
    live = ours.dropna(subset="live_share")
    shares, by_table = ours["fits_share"], ours.groupby("table")["fits_share"].mean()
    text = " ".join((ROOT / "README.md").read_text().split())
    assert f"live in {len(live)} of its {len(ours)} searches" in text
    mean, looked_up = live["live_share"].mean(), live["seconds_share"].mean()
    assert (
        f"took {mean:.2f} of GridSearchCV's seconds, where looking up gives {looked_up:.2f} for the same" in text
    )
    slowest = live.loc[live["live_share"].idxmax()]
    assert (slowest["table"], slowest["estimator"]) == ("adult", "extra_trees")
    assert f"took {slowest['live_share']:.2f} live and {slowest['seconds_share']:.2f} looked up" in text
    assert f"took from {shares.min():.2f} to {shares.max():.2f} of all fits" in text
    assert "one in five more than 0.25" in text
    assert round((shares > 0.25).mean(), 1) == 0.2
    ends = [f"{by_table[name]:.2f} ({name})" for name in (by_table.idxmin(), by_table.idxmax())]
    assert f"means by table are between {' and '.join(ends)}" in text
    boston = ours.loc[ours["table"] == "boston", "regret"]
    assert ours["regret"].max() == boston.max()
    assert (
        f"{boston.mean():.2f} points on average on boston (506 rows), and {boston.max():.2f} in one search" in text
    )
    assert f"very same candidate in {ours['is_best'].mean():.0%}".replace("%", " %") in text


def test_the_guide_quotes_the_published_comparison_of_searches_cut_short():
    anytime = pd.read_csv(ROOT / "results/published/folds_comparison/figures/anytime.csv")
    cut = anytime[(anytime["k"] == 10) & (anytime["share"] == 1 / 16)].set_index("method")["mean"]
    ours, *rivals = ("beta_pruning", "forgiving_early_stopping", "standard", "greedy_early_stopping")
    text = " ".join((ROOT / "docs/model_selection.md").read_text().split())
    assert f"its candidate is {100 * cut[ours]:.2f} points below the best one, that of `{rivals[0]}`" in text
    assert all(f"`{rival}` {100 * cut[rival]:.2f}" in text for rival in rivals)
    assert cut[ours] == cut.min()
