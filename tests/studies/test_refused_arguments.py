"""What the command lines refuse, each in one sentence that names what is wrong, before anything is written."""

import json
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from frugal import cli
from frugal.files import write
from studies import cli as studies_cli

TRIALS = "job trials random --learner {} --dataset branin --seed 0 --n-trials 3 --output out.parquet --settings"
SEARCH = "job search --method greedy --output out.parquet --scores {} --n-candidates"
ROWS = "job rows bias --methods lcc --seeds 0 --output out.parquet --settings"
EXPLORE = "job explore --scores scores.parquet --output out.parquet --sweep-output swept.parquet --taus 0.9 nan"
FACTS = {"dataset": "wdbc", "classifier": "knn", "seed": 0, "n_folds": 3}


WRONG = {"n_folds": 1, "folds": "x", "failures": [[0, 0]], "n_classes": "two"}
PUBLISHED = Path(__file__).parents[2] / "results/published"


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A folder with kept scores, and copies of them whose metadata are wrong in one way each."""
    folder = tmp_path_factory.mktemp("kept")
    scores = "job scores --dataset wdbc --classifier knn --seed 0 --n-folds 3".split()
    where = ["--root", f"{folder}/data", "--output", f"{folder}/scores.parquet"]
    assert studies_cli.main([*scores, *where]) == 0
    table = pq.read_table(folder / "scores.parquet")
    meta = json.loads(table.schema.metadata[b"frugal"])
    for name in FACTS:
        wrong = json.dumps(meta | {name: None}).encode()
        pq.write_table(table.replace_schema_metadata({b"frugal": wrong}), folder / f"no_{name}.parquet")
    for name, value in WRONG.items():
        wrong = json.dumps({**meta, name: value}).encode()
        pq.write_table(table.replace_schema_metadata({b"frugal": wrong}), folder / f"wrong_{name}.parquet")
    bias = pd.read_parquet(PUBLISHED / "big_data/runs/bias.parquet")
    write(bias.iloc[:0], folder / "bias.parquet")
    write(bias[bias["method"] == "lcc"], folder / "few.parquet")
    (folder / "empty.csv").write_text("")
    (folder / "mine.csv").write_text("a,b,y\n" + "".join(f"{i},{i % 7},{i % 2}\n" for i in range(40)))
    return folder


@pytest.mark.parametrize(
    ("command", "last", "says"),
    [
        (TRIALS.format("function"), "[]", "--settings must be a JSON object, got '[]'"),
        (TRIALS.format("function"), "null", "--settings must be a JSON object, got 'null'"),
        (
            TRIALS.format("function"),
            '{"strategies": 3}',
            "strategies of --settings must hold an object of settings",
        ),
        (
            TRIALS.format("function"),
            '{"strategies": []}',
            "strategies of --settings must hold an object of settings",
        ),
        (TRIALS.format("function"), '{"strategies": {"random": null}}', "strategies of --settings must hold"),
        (TRIALS.format("function"), '{"n_initial": [1]}', "n_initial must be at least 1 and a whole number"),
        (TRIALS.format("lookup"), '{"table": 3}', "table of --settings must name a file, got 3"),
        (TRIALS.format("curves"), '{"table": null}', "table of --settings must name a file, got None"),
        (TRIALS.format("curves"), '{"extrapolations": ["a"]}', "extrapolations of --settings must name a file"),
        (
            SEARCH.format("scores.parquet"),
            "999999999",
            "--n-candidates must be at least 1, at most 1000000, and a",
        ),
        (SEARCH.format("scores.parquet"), "0", "--n-candidates must be at least 1, at most 1000000, and a whole"),
        *(
            (SEARCH.format(f"no_{name}.parquet"), "16", f"no_{name}.parquet does not say what its scores are of: ")
            for name in FACTS
        ),
        (SEARCH.format("wrong_n_folds.parquet"), "16", "n_folds is 1, but must be a whole number of at least 2"),
        (
            SEARCH.format("wrong_folds.parquet"),
            "16",
            "wrong_folds.parquet is damaged: its folds are 'x', but must",
        ),
        (SEARCH.format("wrong_failures.parquet"), "16", "wrong_failures.parquet is damaged: it lists the failure"),
        (SEARCH.format("wrong_n_classes.parquet"), "16", "n_classes is 'two', but must be a whole number of at"),
        (
            SEARCH.format("scores.parquet") + " 16 --settings",
            '{"budget": NaN}',
            "--settings must be a JSON object",
        ),
        ("job collect --search few.parquet --output o.csv --cells-output c.csv --labels", "3", "lacks the column"),
        (f"{EXPLORE} --buffers", "2", "tau must be above 0.5 and at most 1, got nan"),
        (
            f"{EXPLORE} --buffers 2 --settings",
            '{"standard": []}',
            "settings of standard must be a mapping, got []",
        ),
        (
            "job claims hypertune --output claims.csv --scale desk",
            "paper",
            "--scale must be one label, or RUN=LABEL",
        ),
        ("job claims hypertune --output claims.csv --scale", "mpl=desk", "unknown run of --scale 'mpl'; known: "),
        ("job table big_data bias --scale x --output out.csv --runs", "bias.parquet", "bias.parquet has no rows"),
        ("job figure big_data bias --output out.png --runs", "bias.parquet", "bias.parquet has no rows"),
        ("job figure big_data bias --output out.png --numbers", "empty.csv", ": empty.csv is truncated or not a"),
        ("job claims big_data --scale x --output claims.csv --runs", "bias.parquet", "bias.parquet has no rows"),
        (
            "job refits --paper exploration --output out.parquet --runs",
            "bias.parquet",
            "bias.parquet has no rows",
        ),
        ("job refits --output out.parquet --runs", "bias.parquet", "arguments are required: --paper"),
        ("job gather --output out.parquet --runs", "bias.parquet", "bias.parquet has no rows"),
        ("job gather --output out.parquet --experiment x --runs", "few.parquet", "leave out --experiment"),
        (
            "job derive exploration task1_optima --output out.parquet --runs",
            "few.parquet",
            "holds runs of bias of",
        ),
        ("job derive exploration --output out.parquet", "task1_optima", "so --runs takes 1 files, got 0"),
        (ROWS, '{"sizes": []}', "big_data.bias.sizes is [], but must be"),
        (ROWS, '{"n_rows": -1}', "big_data.bias.n_rows is -1, but must be"),
        (ROWS, '{"pilot_size": 0}', "big_data.bias.pilot_size is 0, but must be"),
        (ROWS, '{"n_repeats": "many"}', "big_data.bias.n_repeats is 'many', but must be"),
        (
            "select mine.csv --n-candidates",
            "999999999",
            "--n-candidates must be at least 1, at most 100000, and a",
        ),
        ("data wdbc --timeout-s", "nan", "--timeout-s must be above 0 and at most "),
        ("data wdbc --opt-in", "nope", "argument --opt-in: 'nope' is none of pima2"),
        ("bench folds --n-candidates", "0", "--n-candidates must be at least 1 and a whole number, got 0"),
        ("bench beta --n-steps", "0", "--n-steps must be at least 2 and a whole number, got 0"),
        ("bench beta --n-chains", "-1", "--n-chains must be at least 1 and a whole number, got -1"),
    ],
)
def test_what_is_wrong_is_named_in_one_sentence(kept, monkeypatch, capsys, command, last, says):
    monkeypatch.chdir(kept)
    before = sorted(kept.rglob("*"))
    main = studies_cli.main if command.startswith("job") else cli.main
    try:
        status = main([*command.split(), last])
    except SystemExit as stopped:  # by argparse
        status = stopped.code
    assert status == 2
    assert says in capsys.readouterr().err.splitlines()[-1]
    assert sorted(kept.rglob("*")) == before
