import sys
from types import SimpleNamespace

import pytest

from frugal.arguments import make_parser
from frugal.cli import COMMANDS, journal_beside, main, run


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


def test_the_dataset_may_follow_an_option_of_the_command_that_fetches_it():
    args = make_parser().parse_args(["data", "--opt-in", "pima2", "wdbc"])
    assert (args.opt_in, args.name) == (["pima2"], "wdbc")


def test_an_output_of_another_kind_is_refused_before_the_search(tmp_path, capsys):
    output = tmp_path / "o.txt"
    search = ["trials", "random", "--learner", "function", "--dataset", "branin", "--seed", "0", "--n-trials", "1"]
    assert main([*search, "--output", str(output)]) == 2
    assert capsys.readouterr().err == f"frugal trials: {output} must end in .csv or .parquet\n"
    assert list(tmp_path.iterdir()) == []


def test_a_second_search_to_the_same_output_is_refused(tmp_path):
    args = SimpleNamespace(output=tmp_path / "o.csv", restart=False)
    with (
        journal_beside(args, lambda: None),
        pytest.raises(ValueError, match="is the journal of a search that is under way"),
        journal_beside(args, lambda: None),
    ):
        pass


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["networks", "--n-repeats", "0"], "--n-repeats must be at least 1 and a whole number, got 0"),
        (["networks", "--n-rows", "-5"], "--n-rows must be at least 1 and a whole number, got -5"),
        (["select", "--n-rows", "-3"], "--n-rows must be at least 2 and a whole number, got -3"),
        (["select", "--tables", "wdbc", "wdbc"], "--tables must be different ones, got wdbc, wdbc"),
        (["select", "--tables", "wdbc", "nosuch"], "unknown dataset 'nosuch'"),
        (["select", "--output", "o.txt"], "o.txt must end in .csv or .parquet"),
        (["folds", "--datasets", "wdbc", "nosuch"], "unknown dataset 'nosuch'"),
    ],
)
def test_a_bench_refuses_before_it_measures(capsys, options, message):
    assert main(["bench", *options]) == 2
    assert message in capsys.readouterr().err
