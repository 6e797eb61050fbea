"""Commands that keep a journal: what is refused, what is set aside, what is gone on from."""

import json

import pytest

from frugal import cli

COMMAND = ["trials", "random", "--learner", "function", "--dataset", "branin", "--output", "out.parquet"]
COMMAND += ["--settings", '{"n_initial": 2}', "--seed", "0", "--n-trials"]


@pytest.fixture
def killed(tmp_path, monkeypatch):
    """A search of three trials that was killed before it wrote its table; returns its journal."""
    monkeypatch.chdir(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(cli, "write", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        assert cli.main([*COMMAND, "3"]) == 130
    journal = tmp_path / "out.jsonl"
    assert len(journal.read_text().splitlines()) == 4
    return journal


def damage(journal, what):
    lines = journal.read_text().splitlines(keepends=True)
    match what:
        case "another run's":
            return [*COMMAND, "4"]
        case "garbled":
            journal.write_text("".join([*lines[:2], "{}}\n", *lines[3:]]))
        case "lacks a value":
            row = json.loads(lines[2])
            del row["seconds"]
            journal.write_text("".join([*lines[:2], json.dumps(row) + "\n"]))
        case "of another trial":
            journal.write_text("".join([lines[0], lines[2], lines[1]]))
        case "binary":
            journal.write_bytes(b"\x80\x01\x02")
    return [*COMMAND, "3"]


@pytest.mark.parametrize("what", ["another run's", "garbled", "lacks a value", "binary"])
def test_a_journal_that_is_none_of_a_run_is_named_and_kept_until_a_restart_is_asked_for(killed, capsys, what):
    command = damage(killed, what)
    before = killed.read_bytes()
    assert cli.main(command) == 2
    (sentence,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("frugal")]
    assert sentence.startswith(f"frugal trials: {killed.name}")
    assert sentence.endswith("; delete it, or set it aside by --restart")
    assert [path.name for path in killed.parent.iterdir()] == [killed.name]
    assert killed.read_bytes() == before
    assert cli.main([*command, "--restart"]) == 0
    assert sorted(path.name for path in killed.parent.iterdir()) == ["out.jsonl.old", "out.parquet"]
    assert killed.with_name("out.jsonl.old").read_bytes() == before


def test_trials_in_another_order_are_refused(killed, capsys):
    assert cli.main(damage(killed, "of another trial")) == 2
    assert "delete the kept trials, or set them aside by --restart" in capsys.readouterr().err


@pytest.mark.parametrize("n_bytes", [0, -1, -20])
def test_a_journal_that_was_cut_off_ends_with_the_same_trials(killed, n_bytes):
    whole = killed.read_bytes()
    assert cli.main([*COMMAND, "3"]) == 0
    table = cli.read("out.parquet").drop(columns=["seconds", "overhead_s"])
    killed.write_bytes(whole[: len(whole) + n_bytes] if n_bytes else b"")
    assert cli.main([*COMMAND, "3"]) == 0
    assert cli.read("out.parquet").drop(columns=["seconds", "overhead_s"]).equals(table)
    assert not killed.exists()
