"""The jobs of the trials family, as the workflow's rules and people call them."""

import json
from pathlib import Path

import pandas as pd
import pytest

from frugal import arguments, cli
from frugal.benchmarks.lookup import LookUpProblem
from studies.arguments import make_parser
from studies.cli import main

CURVES = Path(__file__).parents[2] / "results/published/curves/mlp_mnist.parquet"
QUICK = {"check_share": 0.5, "curve": {"n_steps": 20, "n_burn": 10}}


@pytest.mark.parametrize(("learner", "space"), [("svm", "ranges"), ("logistic_regression", "box")])
def test_a_table_is_made_by_hand_as_by_the_workflow(learner, space, place, capsys):
    facts = {"learner": learner, "dataset": "digits", "space": space, "n_per_dimension": 2, "seed": 0}
    rows = {"sizes": [30, 20], "n_subsets": [1, 2], "n_valid": 200, "n_test": 300, "n_train": 500}
    settings = ["--settings", json.dumps(facts | rows)]
    for part in ("0", "1"):
        assert (
            main(["job", "lookup", "measure", "--part", part, *settings, "--output", f"part{part}.parquet"]) == 0
        )
    parts = ["job", "lookup", "gather", "--output", "table.parquet", "--parts", "part0.parquet"]
    assert main([*parts, "part0.parquet"]) == 2
    assert "is there twice" in capsys.readouterr().err
    assert main([*parts, "part1.parquet"]) == 0
    lookup = LookUpProblem(pd.read_parquet("table.parquet"))
    assert (lookup.name, lookup.sizes, len(lookup.table)) == (f"{learner} on digits", (20, 30), 4 * 3)
    recheck = ["job", "lookup", "recheck", *settings, "--output", "cells.csv", "--table"]
    assert main([*recheck, "table.parquet"]) == 0
    assert len(pd.read_csv("cells.csv")) == 3
    lookup.table.assign(error=1.0).to_parquet("wrong.parquet")
    assert main([*recheck, "wrong.parquet"]) == 3
    assert "has the error 1 in the table and" in capsys.readouterr().err
    assert sorted(p.name for p in place.glob("*.jsonl")) == []


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({**QUICK, "check_share": 2}, "check_share must be above 0 and at most 1, got 2"),
        ({"check_share": 0.01, "curve": {"n_steps": 1, "n_burn": 10}}, "n_steps must be at least 20"),
        ({**QUICK, "curve": {"n_step": 1}}, "unknown setting of curve 'n_step'; known: prior, "),
        ({**QUICK, "curve": [1]}, "curve must hold settings by name, got [1]"),
    ],
)
def test_a_refused_setting_is_not_in_the_way_of_the_corrected_command(place, capsys, settings, sentence):
    pd.read_parquet(CURVES).query("id == 0").to_parquet("curves.parquet")
    command = ["job", "extrapolate", "--curves", "curves.parquet", "--output", "out.parquet", "--settings"]
    assert main([*command, json.dumps(settings)]) == 2
    assert sentence in capsys.readouterr().err
    assert [path.name for path in place.iterdir()] == ["curves.parquet"]
    assert main([*command, json.dumps(QUICK)]) == 0
    assert sorted(path.name for path in place.iterdir()) == ["curves.parquet", "out.parquet"]


TRIALS = ["trials", "random", "--learner", "function", "--dataset", "branin", "--seed", "0", "--n-trials", "3"]
OPTIONS = ["--settings", "{}", "--output", "o.parquet"]
KEEPING = {
    "trials": TRIALS,
    "refits": ["refits", "--paper", "exploration", "--runs", "r"],
    "curves": ["curves", "--network", "mlp", "--dataset", "mnist", "--candidates", "0"],
    "extrapolate": ["extrapolate", "--curves", "c.parquet"],
    "lookup measure": ["lookup", "measure", "--part", "0"],
}


@pytest.mark.parametrize(
    ("parser", "command"),
    [*((make_parser, ["job", *command]) for command in KEEPING.values()), (arguments.make_parser, TRIALS)],
    ids=[*KEEPING, "frugal trials"],
)
def test_every_command_that_keeps_a_journal_can_restart(parser, command):
    for options, expected in (([], False), (["--restart"], True)):
        args = parser().parse_args([*command, *OPTIONS, *options])
        with cli.journal_beside(args, lambda: None) as journal:
            assert (journal.path.suffix, journal.restart) == (".jsonl", expected)
