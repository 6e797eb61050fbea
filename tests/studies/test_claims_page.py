"""The page on how claims are judged says what the code does."""

import inspect
import re
from pathlib import Path

import pytest

from studies import regions
from studies.estimates import Estimate, share
from studies.verdicts import COLUMNS, VERDICTS, verdict

PAGE = (Path(__file__).parents[2] / "docs/claims.md").read_text()
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


def test_the_columns_that_the_text_names_exist():
    named = set(re.findall(r"`(\w+)`", PAGE)) & {
        "quote",
        "agrees_if",
        "ours",
        "low",
        "high",
        "seeds_to_decide",
        "id",
        "published",
    }
    assert len(named) == 8
    assert named <= set(COLUMNS)
