"""What the command lines refuse, each in one sentence that names what is wrong, before anything is written."""

import json

import pyarrow.parquet as pq
import pytest

from frugal import cli
from studies import cli as studies_cli

TRIALS = "job trials random --learner {} --dataset branin --seed 0 --n-trials 3 --output out.parquet --settings"
SEARCH = "job search --method greedy --output out.parquet --scores {} --n-candidates"
FACTS = {"dataset": "wdbc", "classifier": "knn", "seed": 0, "n_folds": 3}


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
        (SEARCH.format("scores.parquet"), "999999999", "n_candidates must be at least 1, at most 1000000, and a"),
        (SEARCH.format("scores.parquet"), "0", "n_candidates must be at least 1, at most 1000000, and a whole"),
        *(
            (SEARCH.format(f"no_{name}.parquet"), "16", f"no_{name}.parquet does not say what its scores are of: ")
            for name in FACTS
        ),
        ("select mine.csv --n-candidates", "999999999", "n_candidates must be at least 1, at most 100000, and a"),
        ("data wdbc --timeout-s", "nan", "timeout_s must be above 0 and n_retries at least 1, got nan"),
        ("data wdbc --opt-in", "nope", "argument --opt-in: 'nope' is none of pima2"),
        ("bench folds --n-candidates", "0", "n_candidates must be at least 1 and a whole number, got 0"),
        ("bench beta --n-steps", "0", "n_steps must be at least 2 and a whole number, got 0"),
        ("bench beta --n-chains", "-1", "n_chains must be at least 1 and a whole number, got -1"),
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
