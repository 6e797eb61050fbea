"""What is compared, as the configuration says it."""

import math
from pathlib import Path

import pytest

from frugal import folds
from studies import config
from studies.folds_comparison.comparison import in_words, look_of
from studies.folds_comparison.entries import Entry, entries_of

ROOT = Path(__file__).parents[2]


def test_a_share_is_a_budget_in_folds_for_each_n_and_k():
    entry = Entry("greedy_quarter", "greedy", {"ties": "fewest_folds"}, budget_share=0.25)
    assert entry.settings_for(128, 5) == {"ties": "fewest_folds", "budget": 160}
    assert entry.settings_for(512, 10)["budget"] == 1280
    assert (
        Entry("g", "greedy", {}, budget_share=1 / 3).settings_for(10, 5)["budget"] == 16
    )  # not more than the share
    assert Entry("g", "greedy", {}, budget_share=0.001).settings_for(10, 5)["budget"] == 1
    assert Entry("g", "greedy", {"budget": 7}).settings_for(10, 5) == {"budget": 7}


def config_of(*compared, strategies=None):
    return {"strategies": strategies or {}, "folds_comparison": {"compared": list(compared)}}


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ({"strategy": "greed"}, "unknown strategy 'greed'; known: "),
        ({"strategy": "greedy", "settings": {"tie": 1}}, "unknown setting 'tie' of greedy; known: budget, ties"),
        ({"strategy": "greedy", "settings": {"ties": "x"}}, "ties must be one of lowest_index"),
        ({"strategy": "greedy", "budget_share": 1.5}, "budget_share must be above 0 and at most 1, got 1.5"),
        ({"strategy": "greedy", "budget_share": 0}, "budget_share must be above 0 and at most 1, got 0"),
        ({"strategy": "greedy", "budget_share": math.nan}, "budget_share must be above 0 and at most 1, got nan"),
        ({"strategy": "exact_pruning", "budget_share": 0.5}, "but exact_pruning has no setting budget"),
        (
            {"strategy": "successive_halving", "settings": {"factor": 2}},
            "factor must be left out, since scores on few",
        ),
        ({"strategy": "greedy", "budget_share": 0.5, "settings": {"budget": 9}}, "give either budget_share or"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_one_sentence(block, message):
    with pytest.raises(ValueError, match=r"^folds_comparison\.compared\.1 \(mine\): ") as refusal:
        entries_of(config_of({"name": "standard", "strategy": "standard"}, {"name": "mine", **block}))
    assert message in str(refusal.value)


def test_a_name_that_stands_twice_is_refused():
    twice = {"name": "mine", "strategy": "standard"}
    with pytest.raises(ValueError, match=r"compared\.1 \(mine\): the name stands twice"):
        entries_of(config_of(twice, twice))


def test_settings_go_over_those_of_the_strategys_own_block():
    stopping = {"name": "late", "strategy": "greedy_early_stopping", "settings": {"epsilon": 0.1}}
    blocks = {"greedy_early_stopping": {"epsilon": 0.02, "rounding": "none"}}
    entry = entries_of(config_of(stopping, strategies=blocks))["late"]
    assert entry.settings == {"epsilon": 0.1, "rounding": "none"}


def test_the_beta_model_is_compared_at_three_thresholds_that_tables_name():
    entries = entries_of(config.load(ROOT / "config/config.yaml"))
    beta = {name: entry for name, entry in entries.items() if entry.strategy == "beta_pruning"}
    taus = {in_words(name): entry.settings["tau"] for name, entry in beta.items()}
    assert taus == {"beta pruning tau 0.7": 0.7, "beta pruning tau 0.9": 0.9, "beta pruning": 0.99}
    assert look_of("beta_pruning_tau_0_7", "beta_pruning", math.nan).label == "beta pruning tau 0.7"
    assert len({look_of(name, "beta_pruning", math.nan).color for name in beta}) == 3


def test_what_has_no_look_is_told_apart_from_the_same_strategy_with_other_settings():
    looks = [look_of(name, "better_half", math.nan) for name in ("better_half", "better_third")]
    assert [look.label for look in looks] == ["better half", "better third"]
    assert len({(look.color, look.marker) for look in looks}) == 2
    halves = [look_of(name, "better_half", share) for name, share in (("a", 0.5), ("b", 0.25))]
    assert [look.label for look in halves] == ["better half, budget 1/2", "better half, budget 1/4"]
    assert len({look.color for look in halves}) == 1


@pytest.mark.parametrize("scale", ["smoke", "config", "paper"])
def test_every_scale_compares_every_strategy(scale):
    entries = entries_of(config.load(ROOT / "config/config.yaml", ROOT / f"config/{scale}.yaml"))
    assert {entry.strategy for entry in entries.values()} == set(folds.known())
