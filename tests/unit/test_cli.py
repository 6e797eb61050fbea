import sys

import pytest

from frugal.arguments import make_parser
from frugal.cli import COMMANDS, main, run


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
@pytest.mark.parametrize("flag", ["--settings", "--output", "--target"])
def test_an_argument_that_no_shell_could_pass_is_refused(tmp_path, monkeypatch, capsys, flag, text):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stopped:
        main(["select", "mine.csv", flag, text])
    assert stopped.value.code == 2
    assert f"error: {text!r} holds a null byte or half a character" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_every_command_has_its_arguments():
    listed = make_parser().format_help()
    assert [name for name in COMMANDS if f"\n    {name}" not in listed] == []


def test_a_learner_that_calls_sys_exit_ends_the_command_with_a_sentence(capsys):
    commands = dict.fromkeys(COMMANDS, lambda args: sys.exit(0))
    status = run(make_parser(), commands, ["bench", "select", "--output", "out.x"])
    assert status == 3
    assert capsys.readouterr().err.splitlines()[-1] == "frugal bench select: the command called sys.exit(0)"


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("n_folds must be at least 2", "--n-folds must be at least 2"),
        ("The 'n_jobs' parameter of FoldSearchCV must be an int", "--workers must be an int"),
        ("random_state must be a number", "--seed must be a number"),
        ("mine.csv must have a header", "mine.csv must have a header"),
        ("n_trees must be at least 1", "n_trees must be at least 1"),
    ],
)
def test_a_message_names_the_option_that_was_typed(capsys, message, shown):
    def refuse(args):
        raise ValueError(message)

    assert run(make_parser(), {"select": refuse}, ["select", "mine.csv"]) == 2
    assert capsys.readouterr().err == f"frugal select: {shown}\n"
