"""The journal of a killed job says with which code it was made: the hash that the workflow gives the job."""

import json

import pytest

from frugal import cli
from frugal.code import jobs
from studies import cli as studies_cli
from studies import code

SETTINGS = {"n_initial": 2}
COMMAND = (
    "trials random --learner function --dataset branin --seed 0 --n-trials 3 --output killed.parquet --settings"
)


@pytest.fixture
def killed(tmp_path, monkeypatch):
    """A search that was killed before it wrote its table; returns its journal."""
    monkeypatch.chdir(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(cli, "write", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        assert studies_cli.main(["job", *COMMAND.split(), json.dumps(SETTINGS)]) == 130
    return tmp_path / "killed.jsonl"


def test_a_journal_holds_the_hash_that_the_workflow_has_as_a_parameter(killed):
    header = json.loads(killed.read_text().splitlines()[0])
    assert header["code"] == code.hash_of(code.trials("random", "function", "branin", SETTINGS))


def test_the_same_command_goes_on_from_a_journal_of_the_same_code(killed):
    assert cli.main([*COMMAND.split(), json.dumps(SETTINGS)]) == 0
    assert [path.name for path in killed.parent.iterdir()] == ["killed.parquet"]


def test_after_a_change_of_code_it_begins_anew_and_keeps_the_old_journal(killed, monkeypatch, caplog):
    before = killed.read_text()
    monkeypatch.setattr(jobs, "hash_of", lambda _: "changed")
    assert cli.main([*COMMAND.split(), json.dumps(SETTINGS)]) == 0
    assert killed.with_name("killed.jsonl.old").read_text() == before
    assert "it is set aside as killed.jsonl.old, and begun anew" in caplog.text
    assert not killed.exists()
