"""What commands write is checked before they begin, and how they end says what went wrong; both command lines."""

import argparse
import os
from pathlib import Path

import pytest

import frugal.arguments
import frugal.cli
import studies.arguments
import studies.cli
from frugal.files import check_folder, check_outputs, check_writable
from frugal.interface import RunError

TRIALS = {"frugal": "frugal trials", "studies": "studies job trials"}
LINES = {"frugal": (frugal.arguments, frugal.cli), "studies": (studies.arguments, studies.cli)}
COMMANDS = {
    "studies job scores": "--dataset wdbc --classifier knn --seed 0 --n-folds 3 --seconds-output s/b.x",
    "studies job rungs": "--dataset wdbc --classifier knn --seed 0 --n-candidates 9 --seconds-output s/b.x",
    "studies job default": "--dataset mnist --network mlp --epochs 1 --max-error 0.1",
    "studies job search": "--method greedy --scores in.x --n-candidates 9",
    "studies job collect": "--search in.x --cells-output s/b.x",
    "studies job gather": "--runs in.x",
    "frugal trials": "random --learner function --dataset branin --seed 0 --n-trials 9",
    "studies job curves": "--network mlp --dataset mnist --candidates 0-1",
    "studies job extrapolate": "--curves in.x",
    "frugal bench select": "",
    "frugal select": "mine.csv --results s/b.x",
    "studies job lookup measure": "--part 0 --settings {}",
    "studies job lookup gather": "--parts in.x",
    "studies job lookup recheck": "--table in.x --settings {}",
    "studies job trials": "random --learner function --dataset branin --seed 0 --n-trials 9",
    "studies job explore": "--scores in.x --taus 0.9 --buffers 2 --sweep-output s/b.x",
    "studies job compare": "greedy --strategy greedy --scores in.x --n-candidates 9",
    "studies job rows": "bias --methods full --seeds 0",
    "studies job refits": "--paper exploration --runs in.x",
    "studies job derive": "beta_pruning model",
    "studies job table": "greedy_cv table1 --runs in.x --scale smoke",
    "studies job figure": "greedy_cv figure11 --runs in.x",
    "studies job claims": "greedy_cv --runs in.x --scale smoke",
    "studies summary": "--claims in.x",
    "studies config": "keys",
    "studies costs": "",
    "studies report": "",
    "studies machine": "",
}
"""Every command that computes files, with all that it needs but --output."""


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ends(command, *rest, does=None):
    """Exit status of a command that does nothing else; that it was not even begun, unless `does` is given."""
    line, *names = command.split()
    arguments, cli = LINES[line]

    def never(args):
        raise AssertionError(f"{args.command} was begun")

    given = [*names, *COMMANDS[command].split(), *rest]
    return cli.run(arguments.make_parser(), dict.fromkeys(cli.COMMANDS, does or never), given)


def says(capsys):
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1, lines
    return lines[0]


def parsers(parser, name):
    """Every command of a parser, steps of commands too."""
    nested = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not nested:
        yield name, parser
    for action in nested:
        for part, inner in action.choices.items():
            yield from parsers(inner, f"{name} {part}")


def test_every_output_of_every_command_is_declared():
    found = {}
    for line, (arguments, _) in LINES.items():
        for name, parser in parsers(arguments.make_parser(), line):
            names = {action.dest for action in parser._actions}
            others = {"journal", "results"} if name in ("frugal select", "frugal trials") else set()
            named = {dest for dest in names if dest.endswith("output")} | others
            declared = {dest for _, dest, _ in parser.get_default("outputs") or []}
            assert declared == named or name == "studies redraw", name  # whose output is a folder
            if declared:
                found[name] = declared
    assert found.keys() == COMMANDS.keys()


@pytest.mark.parametrize("command", COMMANDS)
def test_an_output_that_cannot_be_written_is_refused_before_the_command_begins(place, capsys, command):
    (place / "file").write_text("kept")
    assert ends(command, "--output", "file/a.png") == 2
    assert says(capsys).split(": ", 1)[1].startswith("file/a.")
    assert (place / "file").read_text() == "kept"
    assert sorted(path.name for path in place.rglob("*")) == ["file"]


@pytest.mark.parametrize("command", [name for name, rest in COMMANDS.items() if "in.x" in rest])
def test_an_output_that_is_an_input_is_refused_before_the_command_begins(place, capsys, command):
    what = "the PNG of --output" if command == "studies job figure" else "--output"
    name = "in.png" if command == "studies job figure" else "in.x"
    (place / name).write_text("kept")
    rest = COMMANDS[command].replace("in.x", name).split()
    line, *names = command.split()
    arguments, cli = LINES[line]
    given = [*names, *rest, "--output", f"../{place.name}/{name}"]
    assert cli.run(arguments.make_parser(), dict.fromkeys(cli.COMMANDS, None), given) == 2
    flag = rest[rest.index(name) - 1]
    assert f"{what} and {flag} are both ../{place.name}/{name}; name a file of its own for each" in says(capsys)
    assert (place / name).read_text() == "kept"


@pytest.mark.parametrize("command", [name for name, rest in COMMANDS.items() if "s/b.x" in rest])
def test_two_outputs_in_one_file_are_refused_before_the_command_begins(capsys, command):
    assert ends(command, "--output", "s/../s/b.x") == 2
    assert "are both s/b.x; name a file of its own for each" in says(capsys)


@pytest.mark.parametrize(
    ("command", "output", "message"),
    [
        ("frugal select", ("mine.csv",), "--output and data are both mine.csv"),
        ("studies job scores", ("a.x", "--seconds-output", "a.x"), "--seconds-output and --output are both a.x"),
        ("studies job scores", ("a.x", "--seconds-output", "a.x/b.x"), "a file cannot be the folder of another"),
        ("studies job scores", ("a.x/b.x", "--seconds-output", "a.x"), "a file cannot be the folder of another"),
        ("frugal trials", ("a.jsonl",), "the journal of --output and --output are both a.jsonl"),
        ("studies job table", ("a.md",), "the Markdown of --output and --output are both a.md"),
        ("studies job claims", ("a.csv",), "the findings of --output and --output are both a.csv"),
        ("studies job table", ("",), "--output must name a file, got ''"),
    ],
)
def test_what_is_written_beside_an_output_is_an_output(capsys, command, output, message):
    assert ends(command, "--output", *output) == 2
    assert message in says(capsys)


def test_a_table_that_settings_name_is_an_input(capsys):
    assert ends("frugal trials", "--settings", '{"table": "t.parquet"}', "--output", "t.parquet") == 2
    assert "--output and table of --settings are both t.parquet" in says(capsys)


def test_a_command_with_good_outputs_is_begun_and_leaves_no_trace_of_the_check(place):
    begun = []
    assert ends("studies job scores", "--output", "s/a.x", does=lambda args: begun.append(args.output)) == 0
    assert begun == ["s/a.x"]
    assert list(place.iterdir()) == []


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (ValueError("k must be at least 2, got 1"), 2, "k must be at least 2, got 1"),
        (TypeError("k must be a number, got 'a'"), 2, "k must be a number, got 'a'"),
        (FileNotFoundError(2, "No such file or directory", "a.csv"), 2, ": a.csv: no such file or directory"),
        (RunError("every fit failed"), 3, "every fit failed"),
        (OSError(28, "No space left on device", "a.csv"), 3, ": a.csv: no space left on device"),
        (MemoryError(), 3, "out of memory"),
        (MemoryError("cannot allocate 9 GiB"), 3, "cannot allocate 9 GiB"),
        (KeyboardInterrupt(), 130, "stopped; run the same command again"),
    ],
)
@pytest.mark.parametrize("line", LINES)
def test_the_exit_status_tells_bad_input_from_a_failed_run(capsys, line, error, status, message):
    def fail(args):
        raise error

    assert ends(TRIALS[line], "--output", "a.x", does=fail) == status
    assert message in says(capsys)
    with pytest.raises(KeyError):  # a bug of ours is not made to look like the user's
        ends(TRIALS[line], "--output", "a.x", does=lambda args: {}["key"])


def test_a_path_at_which_nothing_can_be_written_is_refused_with_the_reason(place):
    (place / "folder").mkdir()
    (place / "kept.csv").write_text("kept")
    (place / "kept.csv").chmod(0o444)
    (place / "away").symlink_to("nowhere")
    os.mkfifo(place / "pipe")
    for path, message in {
        "folder": "folder is a folder; name a file to write",
        "kept.csv": "kept.csv may not be written; change its mode or name another file",
        "pipe": "pipe is not a regular file; name a file to write",
        "kept.csv/a.csv": "kept.csv/a.csv cannot be written: ",
        "away/a.csv": "away/a.csv cannot be written: away is no folder",
        f"folder/{'a' * 300}.csv": "cannot be written: File name too long",
        f"{'a' * 300}/a.csv": "cannot be written: File name too long",
    }.items():
        with pytest.raises(ValueError, match=message):
            check_writable(path)
    assert (place / "kept.csv").read_text() == "kept"
    assert sorted(path.name for path in place.rglob("*")) == ["away", "folder", "kept.csv", "pipe"]


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder in which not even root may write")
def test_a_folder_in_which_nobody_may_write_is_refused():
    with pytest.raises(ValueError, match=r"^/proc/made/a\.csv cannot be written: "):
        check_writable("/proc/made/a.csv")
    with pytest.raises(ValueError, match=r"^nothing can be written in /proc/made: "):
        check_folder("/proc/made")


def test_missing_folders_are_no_reason_to_refuse_and_are_still_missing(place):
    check_outputs([("--output", "a/b/c.csv"), ("--cells-output", "a/b/d.csv")], [("--runs", "e.csv")])
    assert list(place.iterdir()) == []
