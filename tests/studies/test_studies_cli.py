from pathlib import Path

import pytest

from studies.arguments import make_parser
from studies.cli import COMMANDS, main


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(capsys, arguments):
    assert main(arguments) == 2
    return capsys.readouterr().err


def test_unknown_tables_figures_and_papers_list_the_known_ones(place, capsys):
    rest = ["--runs", "r.parquet", "--scale", "smoke", "--output", "t.csv"]
    assert "unknown paper 'greed'; known: " in refused(capsys, ["table", "greed", "table1", *rest])
    says = refused(capsys, ["table", "greedy_cv", "table9", *rest])
    assert "unknown table of greedy_cv 'table9'; known: table1" in says
    says = refused(capsys, ["figure", "greedy_cv", "figure13", "--seed", "0", "--output", "f.png"])
    assert "unknown figure of greedy_cv 'figure13'; known: figure1" in says
    assert list(place.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        (
            "figure11",
            ["--seed", "0"],
            "figure11 of greedy_cv is drawn from --runs, or --numbers, and nothing else",
        ),
        ("figure11", [], "figure11 of greedy_cv is drawn from --runs, or --numbers, and nothing else"),
        (
            "figure1",
            ["--runs", "r.csv"],
            "figure1 of greedy_cv is drawn from --seed, or --numbers, and nothing else",
        ),
        (
            "figure1",
            ["--runs", "r.csv", "--seed", "0"],
            "figure1 of greedy_cv is drawn from --seed, or --numbers, and",
        ),
        ("figure11", ["--runs", "r.csv"], "the runs lack the column 'method'; they have a"),
        ("sizes", ["--runs", "r.csv"], "the runs lack the column 'method'; they have a"),
    ],
)
def test_a_figure_says_what_it_is_drawn_from(place, capsys, name, given, message):
    (place / "r.csv").write_text("a\n1\n")
    says = refused(capsys, ["figure", "greedy_cv", name, *given, "--output", "f.png"])
    assert says.startswith(f"studies figure: {message}")
    assert [path.name for path in place.iterdir()] == ["r.csv"]


def test_a_figure_is_drawn_again_from_its_numbers_with_its_caption_beside_it(place):
    source = ["--seed", "0", "--caption", "n\\ :sup:`2` by ``frugal``"]
    assert main(["figure", "beta_pruning", "figure2", *source, "--output", "a/figure2.png"]) == 0
    numbers = ["--numbers", "a/figure2.csv", "--output", "b/figure2.png"]
    assert main(["figure", "beta_pruning", "figure2", *numbers]) == 0
    assert Path("a/figure2.csv").read_bytes() == Path("b/figure2.csv").read_bytes()
    assert Path("a/figure2.svg").read_bytes() == Path("b/figure2.svg").read_bytes()
    assert Path("a/figure2.md").read_text() == "n<sup>2</sup> by `frugal`\n"
    assert not Path("b/figure2.md").exists()


def test_every_command_has_its_arguments():
    listed = make_parser().format_help()
    assert [name for name in COMMANDS if f"\n    {name}" not in listed] == []
