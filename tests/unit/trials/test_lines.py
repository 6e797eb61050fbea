import json

import pytest

from frugal.trials.lines import JournalFile, Lines
from frugal.trials.runs import Journal, states_beside

HEADER = {"job": "a", "sizes": [1, 2]}


def opened(path, code="", header=HEADER):
    return Lines(JournalFile(path, lambda: code), header)


def test_a_journal_is_gone_on_from_with_the_code_that_began_it(tmp_path):
    path = tmp_path / "job.jsonl"
    opened(path, "1234").add({"row": 1})
    assert json.loads(path.read_text().splitlines()[0]) == {**HEADER, "code": "1234"}
    again = opened(path, "1234")
    assert again.rows == [{"row": 1}]
    assert not again.has_set_aside


@pytest.mark.parametrize("code", ["1234", ""])
def test_a_journal_of_other_code_is_set_aside_with_a_sentence(tmp_path, caplog, code):
    path = tmp_path / "job.jsonl"
    opened(path, code).add({"row": 1})
    before = path.read_text()
    again = opened(path, "5678")
    assert again.rows == []
    assert again.has_set_aside
    assert (tmp_path / "job.jsonl.old").read_text() == before
    said = f"warning: {path} was made by other code; it is set aside as {path}.old, and begun anew"
    assert [record.getMessage() for record in caplog.records] == [said]
    assert json.loads(path.read_text()) == {**HEADER, "code": "5678"}


def test_another_jobs_journal_is_refused_whatever_its_code(tmp_path):
    path = tmp_path / "job.jsonl"
    opened(path, "1234")
    with pytest.raises(ValueError, match="is the journal of"):
        opened(path, "5678", {"job": "b"})
    assert path.exists()


def test_states_of_trials_that_are_set_aside_go_with_them(tmp_path):
    path = tmp_path / "job.jsonl"
    Journal(JournalFile(path, lambda: "1234"), HEADER)
    states = states_beside(path)
    states.mkdir()
    assert Journal(JournalFile(path, lambda: "1234"), HEADER).states.exists()
    assert not Journal(JournalFile(path, lambda: "5678"), HEADER).states.exists()
