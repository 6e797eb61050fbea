import json
import math
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

from frugal.trials.lines import JournalFile, Lines
from frugal.trials.runs import Journal, states_beside

HEADER = {"job": "a", "sizes": [1, 2]}


def rows(lines):
    return lines.rows(lambda row: row)


def opened(path, code="", header=HEADER):
    return Lines(JournalFile(path, lambda: code), header)


def header_in(path):
    """What the first line says, without its checksum."""
    header = json.loads(path.read_text().splitlines()[0])
    del header["crc32"]
    return header


def test_a_journal_is_gone_on_from_with_the_code_that_began_it(tmp_path):
    path = tmp_path / "job.jsonl"
    opened(path, "1234").add({"row": 1})
    assert header_in(path) == {**HEADER, "code": "1234"}
    again = opened(path, "1234")
    assert rows(again) == [{"row": 1}]
    assert not again.has_set_aside


def test_numbers_of_numpy_are_written_as_pythons_and_other_values_refused(tmp_path):
    path = tmp_path / "job.jsonl"
    opened(path).add({"epochs": np.int64(27), "error": np.float32(0.5), "curve": [np.float32(0.25)]})
    assert rows(opened(path)) == [{"epochs": 27, "error": 0.5, "curve": [0.25]}]
    with pytest.raises(TypeError, match=r"{1, 2} cannot be written as JSON"):
        opened(path).add({"sizes": {1, 2}})


def test_a_header_with_numbers_of_numpy_is_that_of_the_same_job(tmp_path):
    path = tmp_path / "job.jsonl"
    header = HEADER | {"seed": np.arange(3)[1], "settings": {"n_jobs": np.int64(4)}}
    opened(path, header=header).add({"row": 1})
    assert rows(opened(path, header=header)) == [{"row": 1}]
    assert rows(opened(path, header=HEADER | {"seed": 1, "settings": {"n_jobs": 4}})) == [{"row": 1}]


def test_a_full_disk_is_said_with_the_name_of_the_journal(tmp_path):
    lines = opened(tmp_path / "job.jsonl")
    lines._file = mock.Mock(flush=mock.Mock(side_effect=OSError(28, "No space left on device")))
    with pytest.raises(OSError, match=r"^\[Errno 28\] No space left on device: '\S*/job\.jsonl'$"):
        lines.add({"row": 1})


def test_a_journal_of_other_code_is_set_aside_though_it_lacks_a_field(tmp_path):
    path = tmp_path / "job.jsonl"
    opened(path, "1234").add({"row": 1})
    with pytest.raises(ValueError, match="is the journal of another run, with other n_test"):
        opened(path, "1234", HEADER | {"n_test": 3})
    again = opened(path, "5678", HEADER | {"n_test": 3})
    assert again.has_set_aside
    assert rows(again) == []


@pytest.mark.parametrize("code", ["1234", ""])
def test_a_journal_of_other_code_is_set_aside_with_a_sentence(tmp_path, caplog, code):
    path = tmp_path / "job.jsonl"
    opened(path, code).add({"row": 1})
    before = path.read_text()
    again = opened(path, "5678")
    assert rows(again) == []
    assert again.has_set_aside
    assert (tmp_path / "job.jsonl.old").read_text() == before
    warning = f"warning: {path} was made by other code; it is set aside as {path}.old, and begun anew"
    assert [record.getMessage() for record in caplog.records] == [warning]
    assert header_in(path) == {**HEADER, "code": "5678"}
    opened(path, "9012")
    assert (tmp_path / "job.jsonl.old").read_text() == before
    assert header_in(tmp_path / "job.jsonl.old2") == {**HEADER, "code": "5678"}


def test_a_journal_whose_code_is_not_checked_is_gone_on_from(tmp_path):
    path = tmp_path / "job.jsonl"
    opened(path, "1234").add({"row": 1})
    again = Lines(path, HEADER)
    assert rows(again) == [{"row": 1}]
    assert not again.has_set_aside
    assert header_in(path)["code"] == "1234"


def test_another_jobs_journal_is_refused_whatever_its_code(tmp_path):
    path = tmp_path / "job.jsonl"
    opened(path, "1234").add({"row": 1})
    before = path.read_text()
    with pytest.raises(ValueError) as caught:  # noqa: PT011  the whole sentence is below
        opened(path, "5678", {"job": "b"})
    remedy = "delete it, or set it aside by --restart"
    assert str(caught.value) == f"{path} is the journal of another run, with other job and sizes; {remedy}"
    assert path.read_text() == before


def test_states_of_trials_that_are_set_aside_go_with_them(tmp_path):
    path = tmp_path / "job.jsonl"
    Journal(JournalFile(path, lambda: "1234"), HEADER)
    states = states_beside(path)
    states.mkdir()
    assert Journal(JournalFile(path, lambda: "1234"), HEADER).states.exists()
    assert not Journal(JournalFile(path, lambda: "5678"), HEADER).states.exists()


def test_another_jobs_journal_without_a_row_is_in_nobodys_way(tmp_path):
    path = tmp_path / "job.jsonl"
    opened(path, header={"job": "refused"})
    again = opened(path)
    assert rows(again) == []
    assert header_in(path) == HEADER
    assert not (tmp_path / "job.jsonl.old").exists()


def test_an_empty_file_is_no_journal(tmp_path):
    path = tmp_path / "job.jsonl"
    path.touch()
    opened(path, "1234").add({"row": 1})
    assert rows(opened(path, "1234")) == [{"row": 1}]


def test_a_last_line_that_was_cut_off_is_dropped(tmp_path):
    path = tmp_path / "job.jsonl"
    lines = opened(path)
    lines.add({"row": 1})
    lines.add({"row": 2})
    whole = path.read_bytes()
    for n_bytes in range(len(whole) - len('{"row": 2}\n'), len(whole)):
        path.write_bytes(whole[:n_bytes])
        again = opened(path)
        assert rows(again) == [{"row": 1}]
        again.add({"row": 2})
        assert path.read_bytes() == whole


FIRST = json.dumps({**HEADER, "crc32": "bdc36f5f"}).encode()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"notes of mine", "{path} is no journal, since it has no line"),
        (b"notes of mine\n", "{path}, line 1, must be a JSON object, got 'notes of mine'"),
        (b"[" * 100_000 + b"\nmore\n", "{path}, line 1, must be a JSON object, got '" + 60 * "[" + "...'"),
        (b"[1, 2]\nmore\n", "{path}, line 1, must be a JSON object, got '[1, 2]'"),
        (b"\x80\x00\xff\n", "{path} is no journal, since it is not a text"),
        (FIRST + b'\n{"ro\n{"row": 3}\n', "{path}, line 2, must be a JSON object, got '{{\"ro'"),
        (FIRST + b'\n{"row": 1}\n', "{path}, line 2, is damaged: it has another checksum or none"),
        (FIRST.replace(b"1", b"2") + b"\n", "{path}, line 1, is damaged: it has another checksum or none"),
        (b'{"epochs": 9, "name": "mine"}\n', "{path} is no journal, since its first line has no checksum"),
        (b'{"epochs": 9}\n{"epochs": 10}\n', "{path} is no journal, since its first line has no checksum"),
        (
            FIRST + b"\n" + 80 * b"\x00" + b"\n",
            "{path}, line 2, must be a JSON object, got '" + 60 * r"\x00" + "...'",
        ),
    ],
)
def test_what_is_no_journal_is_refused_with_the_place_and_left_as_it_is(tmp_path, content, sentence):
    path = tmp_path / "job.jsonl"
    path.write_bytes(content)
    with pytest.raises(ValueError) as caught:  # noqa: PT011  the whole sentence is below
        opened(path)
    remedy = "delete it, or set it aside by --restart"
    assert str(caught.value) == f"{sentence.format(path=path)}; {remedy}"
    assert path.read_bytes() == content


@pytest.mark.parametrize("row", [{"other": 1}, {"row": [1]}, {"row": "one"}])
def test_rows_that_are_none_of_the_jobs_are_refused_with_their_line(tmp_path, row):
    path = tmp_path / "job.jsonl"
    lines = opened(path)
    lines.add({"row": 1})
    lines.add(row)
    again = opened(path)
    with pytest.raises(ValueError, match=r"job\.jsonl, line 3, is no row of this job .*--restart"):
        again.rows(lambda row: int(row["row"]))


def test_trials_that_lack_a_value_are_refused_with_their_line(tmp_path):
    path = tmp_path / "job.jsonl"
    opened(path).add({"id": 0})
    with pytest.raises(ValueError, match=r"job\.jsonl, line 2, is no row of this job \(KeyError\('candidate'\)\)"):
        Journal(path, HEADER)


@pytest.mark.parametrize("content", [None, b"", b"notes of mine", b"\x80\n", FIRST + b'\n{"row": 1}\n'])
def test_a_restart_sets_aside_whatever_is_there(tmp_path, caplog, content):
    path = tmp_path / "job.jsonl"
    if content is not None:
        path.write_bytes(content)
    again = Lines(JournalFile(path, restart=True), HEADER)
    assert rows(again) == []
    assert header_in(path) == HEADER
    aside = tmp_path / "job.jsonl.old"
    assert (aside.read_bytes() if aside.exists() else None) == content
    sentences = [record.getMessage() for record in caplog.records]
    assert sentences == [f"warning: {path} is set aside as {aside}, and begun anew"] * (content is not None)


def test_two_jobs_of_one_path_do_not_mix_their_rows(tmp_path):
    path = tmp_path / "job.jsonl"
    one = opened(path, header={"job": "a"})
    other = opened(path, header={"job": "b"})
    one.add({"row": "a"})
    other.add({"row": "b"})
    assert rows(opened(path, header={"job": "b"})) == [{"row": "b"}]


def test_a_changed_digit_in_a_row_is_refused(tmp_path):
    path = tmp_path / "j.jsonl"
    Lines(path, {"of": "a"}).add({"error": 0.25, "curve": [math.nan, 1e-300]})
    text = path.read_text()
    (row,) = Lines(path, {"of": "a"}).rows(dict)
    assert row["error"] == 0.25
    assert list(row) == ["error", "curve"]
    path.write_text(text.replace("0.25", "0.35"))
    with pytest.raises(ValueError, match=r"j\.jsonl, line 2, is damaged: it has another checksum or none; "):
        Lines(path, {"of": "a"})


def test_a_journal_must_be_a_plain_file(tmp_path):
    with pytest.raises(ValueError, match="dev/null is not a plain file"):
        opened(Path("/dev/null"))
    with pytest.raises(ValueError, match="is not a plain file"):
        opened(tmp_path)
