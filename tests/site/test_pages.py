"""What is published has its place on the site; read from the generator, without Sphinx."""

import re
from html import unescape
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.image import imread

from frugal import folds, trials
from frugal_site import claims, comparisons, papers, sources
from frugal_site.published import PUBLISHED, ROOT, causes, items, judged
from studies import registry
from studies.captions import heading
from studies.page import is_wide
from studies.registry import DOCUMENTS
from studies.verdicts import VERDICTS

COMPARISONS = ("folds_comparison", "trials_comparison")


@pytest.mark.parametrize("paper", [*DOCUMENTS, *COMPARISONS])
def test_every_published_table_and_figure_is_on_the_page_of_its_paper(paper):
    text = papers.artefacts(paper)
    published = [
        path.relative_to(PUBLISHED / paper)
        for kind in ("tables", "figures")
        for path in sorted((PUBLISHED / paper / kind).glob("*.csv"))
    ]
    assert published
    for path in published:
        shown = path.with_suffix(".png") if path.parts[0] == "figures" else path
        assert f"results/published/{paper}/{shown}" in text
        assert len(re.findall(rf"results/published/{paper}/{path}>", text)) == 1


def test_every_strategy_and_source_is_on_the_page_of_equations():
    text = sources.page()
    shown = re.findall(r"^Module `(\S+)`\.$", text, re.MULTILINE)
    known = [
        *(f"folds.strategies.{name}" for name in folds.known()),
        *(f"trials.strategies.{name}" for name in trials.known()),
    ]
    assert {f"frugal.{name}" for name in known} <= set(shown)
    for package in ("folds", "trials", "rows"):
        for path in (ROOT / "src/frugal" / package).rglob("*.py"):
            if "\nSource: " in path.read_text(encoding="utf-8").split('"""')[1]:
                assert ".".join(path.relative_to(ROOT / "src").with_suffix("").parts) in shown
    assert "\n    test          V <= theta^2 |g_S|^2" in text  # of dynamic_run
    assert len(shown) == len(set(shown)) > 60


def test_a_picture_has_words_for_those_who_do_not_see_it():
    texts = re.findall(r":alt: (.*)", "".join(papers.artefacts(paper) for paper in registry.PAPERS))
    figures = [item for paper in registry.PAPERS for item in items(paper) if item.record.kind == "figure"]
    assert len(texts) == len(figures) > 70
    assert min(map(len, texts)) > 40
    assert all("Written by" not in text and "`" not in text for text in texts)


@pytest.mark.parametrize(
    ("paper", "kind", "name", "title"),
    [
        ("greedy_cv", "figure", "figure12", "Figure 12"),
        ("greedy_cv", "table", "table1_by_n", "Table 1, by n"),
        ("greedy_cv", "table", "sizes", "Sizes, a table"),
        ("exploration", "figure", "task1", "Task 1, a figure"),
        ("big_data", "table", "svm_search", "SVM search"),
        ("big_data", "figure", "figure3_cnn_cost", "Figure 3, CNN cost"),
    ],
)
def test_a_heading_is_the_name_as_people_write_it(paper, kind, name, title):
    assert heading(paper, registry.artefact(paper, kind, name)) == title


@pytest.mark.parametrize(
    ("paper", "figure", "expected"), [("beta_pruning", "figure3", True), ("beta_pruning", "figure4", False)]
)
def test_a_picture_of_several_panels_is_wide(paper, figure, expected):
    path = PUBLISHED / paper / "figures" / f"{figure}.png"
    height, width = imread(path).shape[:2]
    assert (width >= 1.6 * height) is is_wide(path) is expected
    options = papers.artefacts(paper).split(f"{figure}.png")[1].split("```")[0]
    assert (":figclass: wide" in options) is expected


@pytest.mark.parametrize("paper", registry.PAPERS)
def test_no_two_tables_and_figures_of_a_page_have_the_same_heading(paper):
    headings = re.findall(r"^### (.*)$", papers.artefacts(paper), flags=re.MULTILINE)
    assert len(headings) == len(set(headings)) == len(items(paper))


def test_the_command_of_a_figure_is_apart_from_its_caption():
    text = "".join(papers._section(item) for item in items("greedy_cv") if item.record.kind == "figure")
    figures = re.findall(r"```\{figure\}.*?```", text, flags=re.DOTALL)
    commands = [unescape(one) for one in re.findall(r"<pre>(.*?)</pre>", text)]
    assert len(figures) == len(commands) > 10
    assert not [figure for figure in figures if "python -m studies" in figure]
    assert all(re.fullmatch(r"python -m studies job figure greedy_cv \S+ .*\.png", one) for one in commands)


def test_every_contradicted_claim_and_no_other_has_its_cause():
    against = [
        one.row["id"] for one in judged() if one.row["verdict"] == "contradicted" and not one.record.is_ours
    ]
    assert sorted(causes()) == sorted(against)
    assert all(text in "".join(map(papers.disagreements, DOCUMENTS)) for text in causes().values())


def test_a_number_beside_an_edge_of_its_region_is_not_written_as_the_edge():
    (close,) = [one for one in judged() if one.row["id"] == "beta_pruning.prior.u_shaped"]
    assert close.row["ours"].startswith("1.001")
    assert claims.interval(close) == "1.00162 times"


def test_an_interval_is_shown_and_its_end_beside_an_edge_is_not_written_as_the_edge():
    found = {one.row["id"]: claims.interval(one) for one in judged()}
    name = "hypertune.other_tables.elastic_net_adult.shared_reversed_12_by_trials"
    assert found[name] == "1.00146 (0.999557 to 1.00337) times"
    for one in judged():
        ours, low, high = (one.number(name) for name in ("ours", "low", "high"))
        if ours is None or low is None:
            continue
        assert (" to " in claims.interval(one)) == ((low, high) != (ours, ours)), one.row["id"]
        ends = re.findall(r"[(] ?(\S+) to (\S+)[)]", claims.interval(one).replace(",", ""))
        for text, value in zip(ends[0] if ends else (), (low, high), strict=bool(ends)):
            for edge in (one.record.agrees.low, one.record.agrees.high):
                assert (float(text.replace("∞", "inf")) == edge) <= (value == edge), one.row["id"]


@pytest.mark.parametrize("paper", registry.PAPERS)
def test_a_page_asks_for_the_artefacts_of_its_own_paper(paper):
    folder = "papers" if paper in DOCUMENTS else "comparisons"
    assert f'artefacts("{paper}")' in (ROOT / "docs" / folder / f"{paper}.md").read_text()


def test_every_published_claim_and_finding_has_a_card_with_its_strip():
    html = claims.page()
    files = [path for kind in ("claims", "findings") for path in PUBLISHED.glob(f"*/{kind}*.csv")]
    n_rows = sum(len(pd.read_csv(path)) for path in files)
    cards = re.findall(r'<article class="claim" id="([^"]*)".*?</article>', html)
    assert len(cards) == len(set(cards)) == len(judged()) == n_rows
    assert html.count('<svg class="strip"') == len(cards)
    for claim in judged():
        text = unescape(claims.card(claim))
        assert claim.row["quantity"] in text
        assert claim.row["quote"] in text
        assert claim.row["verdict"] in text


def test_an_interval_that_is_open_ends_with_the_axis_and_is_written_without_an_end():
    is_open = [claim for claim in judged() if claim.number("high") == float("inf")]
    assert is_open
    for claim in judged():
        places = re.findall(r' (?:x|x1|x2|cx)="([^"]*)"', claims.strip(claim))
        assert all(0 <= float(place) <= 360 for place in places), claim.row["id"]
    assert all(" to ∞) " in claims.strip(claim) for claim in is_open)


def test_the_dot_of_a_reproduced_claim_lies_in_the_shaded_region():
    inside = []
    for claim in judged():
        if claim.row["verdict"] not in ("reproduced", "contradicted") or not claim.row["ours"]:
            continue
        svg = claims.strip(claim)
        x, width = (
            float(part) for part in re.search(r'"region" x="([\d.-]+)" y="6" width="([\d.]+)"', svg).groups()
        )
        dot = float(re.search(r'<circle cx="([\d.-]+)"', svg).group(1))
        assert (x - 0.1 <= dot <= x + width + 0.1) == (claim.row["verdict"] == "reproduced"), claim.row["id"]
        inside.append(claim.row["verdict"])
    assert set(inside) == {"reproduced", "contradicted"}


def test_bars_count_what_the_summary_counts():
    summary = (PUBLISHED / "claims_summary.md").read_text()
    head, _, *lines = ([part.strip() for part in line.strip("| ").split("|")] for line in summary.splitlines())
    assert head[2:] == ["reproduced", "of these no evidence", *VERDICTS[1:]]
    for paper, n_claims, reproduced, _, *others in lines:
        (row,) = re.findall(rf">{paper} \({n_claims}\)<.*?</div></div>", claims.bars())
        assert re.findall(r">(\d+)</span>", row) == [count for count in (reproduced, *others) if count != "0"]


def test_what_would_decide_a_claim_is_counted_in_hours_of_its_study():
    costs = pd.read_csv(ROOT / "docs" / "seed_costs.csv").set_index("study")["seconds"]
    cells = {}
    for paper in DOCUMENTS:
        for line in papers.undecided(paper).splitlines()[2:]:
            link, *rest = (part.strip() for part in line.strip("|").split("|"))
            cells[re.search('#(.*?)"', link).group(1)] = rest
    undecided = {one.row["id"]: one for one in judged() if one.row["verdict"] == "undecided"}
    assert set(cells) == {name for name, one in undecided.items() if not one.record.is_ours}
    for name, (n_seeds, needed, hours) in cells.items():
        one = undecided[name]
        count = one.row["seeds_to_decide"]
        assert n_seeds == one.row["n_seeds"]
        assert needed == (count.replace(">", "more than ") or "no number does")
        if count and one.record.study in costs:
            expected = int(count.strip(">")) * costs[one.record.study] / 3600
            assert float(hours.removeprefix("more than ")) == pytest.approx(expected, rel=0.05), name
        else:
            assert hours == ""


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("99.3262", "99.33"),
        (0.24637, "0.246"),
        ("1000.4", "1,000"),
        (12.0, "12"),
        ("100 to 1000", "100 to 1000"),
        (None, ""),
        (0.0, "0"),
    ],
)
def test_numbers_read_as_people_write_them(value, text):
    assert claims.number(value) == text


def test_links_to_files_of_docs_exist():
    links = [
        (page, target)
        for page in (ROOT / "docs").rglob("*.md")
        for target in re.findall(r"\]\(([\w./-]+\.md)", page.read_text())
    ]
    assert len(links) > 50
    assert [f"{page}: {target}" for page, target in links if not (page.parent / target).exists()] == []


def test_scripts_and_styles_of_the_site_are_shipped():
    sources = [*(ROOT / "docs" / "_static").iterdir(), *Path(ROOT / "docs" / "_ext" / "frugal_site").glob("*.py")]
    assert len(sources) > 3
    assert not [path.name for path in sources if re.search(r"https?://(?!www\.w3\.org)", path.read_text())]
    assert 'src="_static/claims.js"' in claims.page()


@pytest.mark.site
def test_the_page_of_comparisons_has_its_script():
    assert 'src="_static/explorer.js"' in comparisons.page()


@pytest.mark.parametrize("comparison", comparisons.comparisons(), ids=lambda one: one.name)
def test_the_explorer_has_every_method_and_currency_with_its_look(comparison):
    packed = comparisons.packed(comparison)
    assert {row[2] for row in packed["rows"]} == set(range(len(packed["currencies"])))
    assert {row[1] for row in packed["rows"]} == set(range(len(packed["methods"])))
    assert {row[0] for row in packed["rows"]} == set(range(len(packed["problems"])))
    labels = [method["label"] for method in packed["methods"]]
    assert len(set(labels)) == len(labels)
    assert all(row[3] > 0 and row[4] >= -1e-9 for row in packed["rows"])


def test_strategies_with_other_settings_are_told_apart_in_the_explorer():
    looks = [method for one in comparisons.comparisons() for method in comparisons.packed(one)["methods"]]
    beta = {method["label"]: method["color"] for method in looks if method["label"].startswith("beta pruning")}
    assert list(beta) == ["beta pruning", "beta pruning tau 0.7", "beta pruning tau 0.9"]
    assert len(set(beta.values())) == 3


@pytest.mark.parametrize("currency", ["seconds", "cost", "trials"])
def test_the_explorer_ranks_trials_by_the_published_regret_at_every_share_of_the_budget(currency):
    (trials,) = [one for one in comparisons.comparisons() if one.name == "trials"]
    packed = comparisons.packed(trials)
    place = list(trials.currencies).index(currency)
    methods = list(dict.fromkeys(trials.rows["method"]))
    published = pd.read_csv(PUBLISHED / "trials_comparison" / "figures" / f"anytime_{currency}.csv")
    n_compared = 0
    for (problem, method), curve in published.groupby(["problem", "method"]):
        at = (packed["problems"].index(problem), methods.index(method), place)
        steps = [row[3:5] for row in packed["rows"] if tuple(row[:3]) == at]
        budget = packed["budgets"][at[0]][place]
        assert budget == curve["budget"].iloc[0]
        for share in range(1, 21):
            limit = share / 20 * budget
            expected = curve["mean"][curve["x"] <= limit * (1 + 1e-7)].tolist()[-1:]
            shown = [y for x, y in steps if x <= limit * (1 + 1e-7)][-1:]
            assert shown == pytest.approx([100 * one for one in expected], rel=1e-4), (problem, method, share)
            n_compared += len(shown)
    assert n_compared > 500


def test_a_method_without_a_look_of_its_own_is_in_the_explorer(tmp_path, monkeypatch):
    folder = tmp_path / "trials_comparison" / "figures"
    folder.mkdir(parents=True)
    for path in (PUBLISHED / "trials_comparison" / "figures").glob("anytime_*.csv"):
        (folder / path.name).write_text(path.read_text().replace(",random,", ",nearby,"))
    monkeypatch.setattr(comparisons, "PUBLISHED", tmp_path)
    labels = [method["label"] for method in comparisons.packed(comparisons._trials())["methods"]]
    assert "nearby" in labels


def test_the_explorer_has_the_published_regret():
    published = pd.read_csv(PUBLISHED / "folds_comparison" / "cells" / "runs.csv")
    cell = published[
        (published["dataset"] == "wdbc") & (published["classifier"] == "knn") & (published["k"] == 10)
    ]
    (ends,) = [one.rows for one in comparisons.comparisons() if one.name == "folds-end"]
    ours = ends[(ends["problem"] == "wdbc, knn, 10 folds") & (ends["currency"] == "rows")].set_index("method")
    assert len(cell) > 10
    for row in cell.itertuples():
        assert ours.loc[row.method, "y"] == pytest.approx(100 * row.regret_mean, abs=1e-5)
        assert ours.loc[row.method, "x"] == pytest.approx(row.rows_share_mean, abs=1e-6)
