"""The page on how claims are judged says what the code does."""

import inspect
import re
import sys
from functools import partial
from pathlib import Path

import pandas as pd
import pytest

from studies import regions, registry
from studies.estimates import Estimate, clustered_share, share
from studies.greedy_cv.library import FLOOR as LIBRARY_FLOOR
from studies.greedy_cv.measures import STUDY_FLOOR
from studies.hypertune.searches import FLOOR_EPOCHS, FLOOR_IMAGES
from studies.records import Floor
from studies.verdicts import COLUMNS, VERDICTS, verdict

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/claims.md").read_text()
KINDS = {
    name: function
    for name, function in inspect.getmembers(regions, inspect.isfunction)
    if function.__module__ == "studies.regions"
}
EXAMPLES = re.findall(r"\| `((\w+)\(.*\))` \| (.+) \|$", PAGE, flags=re.MULTILINE)


@pytest.mark.parametrize(("call", "kind", "words"), EXAMPLES)
def test_the_table_of_margins_holds_what_the_functions_give(call, kind, words):
    assert str(eval(call, dict(KINDS))) == words


def test_the_table_of_margins_has_every_kind():
    assert {kind for _, kind, _ in EXAMPLES} == set(KINDS)


def test_the_table_of_verdicts_has_every_verdict():
    table = PAGE.split("## The verdict")[1].split("\n\n")[1]
    assert re.findall(r"^\| `(.+)` \|", table, flags=re.MULTILINE) == list(VERDICTS)


def test_the_examples_of_the_text_are_what_the_rule_gives():
    low, high = re.search(r"prints 19\nand the region is ([\d.]+) to ([\d.]+)\.", PAGE).groups()
    assert str(regions.near(19)) == f"{low} to {high}"
    ends = re.search(
        r"interval of ([\d.]+) to ([\d.]+) the claim is (\w+); with ([\d.]+) to ([\d.]+) it is\n(\w+)", PAGE
    )
    for low, high, says in (ends.groups()[:3], ends.groups()[3:]):
        assert verdict(regions.near(19), Estimate(15.7, float(low), float(high))) == says
    three = share([1, 1, 1], unit=100)
    assert f"{three.low:.0f} % to {three.high:.0f} %" in PAGE
    alike = clustered_share([0, 0, 0], [30, 30, 30], unit=100)
    assert f"none wrong of 30 in each of three seeds is {alike.low:.0f} % to {alike.high:.0f} %" in PAGE


def table_under(head, n_columns):
    """Rows of the table under a heading of the page."""
    listed = PAGE.split(f"## {head}")[1].split("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in listed.splitlines() if line.startswith("| `")]
    assert {len(row) for row in rows} == {n_columns}
    return [[cell.strip("`") for cell in row] for row in rows]


def test_the_row_that_the_page_reads_is_published():
    rows = table_under("A row, read", 3)
    assert [name for name, *_ in rows] == COLUMNS
    row = {name: value for name, value, _ in rows}
    paper = row["id"].partition(".")[0]
    published = pd.read_csv(ROOT / f"results/published/{paper}/claims.csv", dtype=str).set_index("id", drop=False)
    assert published.loc[row["id"]].to_dict() == row


def test_the_table_of_floors_has_those_of_the_code():
    floors = {paper: (int(seeds), more) for paper, seeds, more in table_under("Floors", 3)}
    assert set(floors) == {name for name in registry.PAPERS if registry.paper(name).claims}
    for name, (seeds, more) in floors.items():
        paper = registry.paper(name)
        assert seeds == paper.floor
        assert not paper.floor_rows or f"{paper.floor_rows:,}" in more
        # What says whether runs are enough for a verdict counts seeds by the same number.
        judging = [study.is_enough for study in paper.studies if study.is_enough]
        own = {one.keywords["floor"] for one in judging if isinstance(one, partial) and "floor" in one.keywords}
        assert own == ({LIBRARY_FLOOR} if name == "greedy_cv" else set())
        functions = [
            one.func if isinstance(one, partial) else one for one in judging if not isinstance(one, Floor)
        ]
        modules = [vars(sys.modules[one.__module__]) for one in functions]
        listed = [module[floor] for module in modules for floor in ("N_SEEDS", "FLOOR") if floor in module]
        listed += [one.seeds for one in judging if isinstance(one, Floor)]
        assert {least for least in listed if isinstance(least, int)} == {seeds}
    assert f", {LIBRARY_FLOOR} of the library of its time" in floors["greedy_cv"][1]
    assert f"{STUDY_FLOOR} seeds of our study on larger data" in floors["greedy_cv"][1]
    assert f"networks: {FLOOR_IMAGES:,} images and {FLOOR_EPOCHS} epochs" in floors["hypertune"][1]


def test_where_every_choice_agrees_the_published_finding_says_so():
    named = [(one, claim) for one in registry.PAPERS for claim in registry.paper(one).claims]
    named = [(one, claim.every_choice_agrees) for one, claim in named if claim.every_choice_agrees]
    assert named
    for one, finding in named:
        findings = pd.read_csv(ROOT / f"results/published/{one}/findings.csv").set_index("id")
        assert findings.loc[finding, "verdict"] == "reproduced"


def test_the_columns_that_the_text_names_exist():
    studies = {study.name for paper in registry.PAPERS for study in registry.paper(paper).studies}
    values = {*VERDICTS, "original", "jpeg", "generated", "inf"}
    assert set(re.findall(r"`(\w+)`", PAGE)) <= {*COLUMNS, *KINDS, *registry.PAPERS, *studies, *values}


def test_the_page_counts_claims_and_their_quotations():
    tables = {path: pd.read_csv(path) for path in (ROOT / "results/published").glob("*/claims*.csv")}
    quotes = {(path.parent, quote) for path, table in tables.items() for quote in table["quote"]}
    counts = f"the {sum(map(len, tables.values()))} claims of the five documents have {len(quotes)} quotations"
    assert counts in " ".join(PAGE.split())
