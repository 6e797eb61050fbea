import argparse
import shlex
from pathlib import Path

import pandas as pd
import pytest

from studies import config
from studies.arguments import make_parser
from studies.cli import COMMANDS, main
from studies.verdicts import COLUMNS, NO_EVIDENCE, VERDICTS

ROOT = Path(__file__).parents[2]


def subparsers(parser):
    """Names and parsers of the commands of one."""
    (found,) = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return found.choices.items()


def refused(capsys, arguments):
    assert main(arguments) == 2
    return capsys.readouterr().err


def test_unknown_tables_figures_and_papers_list_the_known_ones(place, capsys):
    rest = ["--runs", "r.parquet", "--scale", "smoke", "--output", "t.csv"]
    assert "unknown paper 'greed'; known: " in refused(capsys, ["job", "table", "greed", "table1", *rest])
    says = refused(capsys, ["job", "table", "greedy_cv", "table9", *rest])
    assert "unknown table of greedy_cv 'table9'; known: table1" in says
    says = refused(capsys, ["job", "figure", "greedy_cv", "figure13", "--seed", "0", "--output", "f.png"])
    assert "unknown figure of greedy_cv 'figure13'; known: figure1" in says
    assert list(place.iterdir()) == []


@pytest.mark.parametrize(
    ("job", "message"),
    [
        (
            ["table", "greedy_cv", "table1", "--scale", "papr", "--output", "t.csv"],
            "--scale must be one of smoke, ",
        ),
        (
            ["table", "greedy_cv", "table1", "--scale", "paper", "--output", "t.xlsx"],
            "t.xlsx must end in .csv or ",
        ),
        (["figure", "greedy_cv", "figure12", "--output", "f.pdf"], "f.pdf must end in .png, .svg or .csv"),
        (
            ["claims", "greedy_cv", "--scale", "papr", "--output", "claims.csv"],
            "--scale must be one of smoke, laptop, ",
        ),
        (
            ["claims", "greedy_cv", "--scale", "search_time=papr", "--output", "claims.csv"],
            "--scale of search_time must be one of smoke, laptop, desk, paper, got 'papr'",
        ),
        (
            ["claims", "greedy_cv", "--scale", "paper", "--output", "claims.md"],
            "claims.md must end in .csv or .parquet",
        ),
    ],
)
def test_a_scale_or_a_kind_of_file_that_there_is_not_is_refused(place, capsys, job, message):
    runs = ROOT / "results/published/greedy_cv/runs/search_time.parquet"
    assert message in refused(capsys, ["job", *job, "--runs", str(runs)])
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
        (
            "figure11",
            ["--runs", "r.csv"],
            "r.csv holds the columns a, but figure11 of greedy_cv is made from runs of search_time",
        ),
        (
            "sizes",
            ["--runs", "r.csv"],
            "r.csv holds the columns a, but sizes of greedy_cv is made from runs of sizes",
        ),
    ],
)
def test_a_figure_says_what_it_is_drawn_from(place, capsys, name, given, message):
    (place / "r.csv").write_text("a\n1\n")
    says = refused(capsys, ["job", "figure", "greedy_cv", name, *given, "--output", "f.png"])
    assert says.startswith(f"studies job figure: {message}")
    assert [path.name for path in place.iterdir()] == ["r.csv"]


def test_a_figure_is_drawn_again_from_its_numbers_with_its_caption_beside_it(place):
    source = ["--seed", "0", "--caption", "n\\ :sup:`2` by ``frugal``"]
    assert main(["job", "figure", "beta_pruning", "figure2", *source, "--output", "a/figure2.png"]) == 0
    numbers = ["--numbers", "a/figure2.csv", "--output", "b/figure2.png"]
    assert main(["job", "figure", "beta_pruning", "figure2", *numbers]) == 0
    assert Path("a/figure2.csv").read_bytes() == Path("b/figure2.csv").read_bytes()
    assert Path("a/figure2.svg").read_bytes() == Path("b/figure2.svg").read_bytes()
    assert Path("a/figure2.md").read_text() == "n<sup>2</sup> by `frugal`\n"
    assert not Path("b/figure2.md").exists()


def test_a_pack_does_each_of_its_jobs_in_the_same_bytes(place):
    figures = [("figure2", "--caption 'of two words'"), ("figure3", "--caption b")]
    for name, caption in figures:
        line = f"figure greedy_cv {name} --seed 0 {caption} --output"
        assert main(["job", *shlex.split(f"{line} alone/{name}.png")]) == 0
    lines = [f"figure greedy_cv {name} --seed 0 {caption} --output packed/{name}.png" for name, caption in figures]
    assert main(["job", "pack", *lines]) == 0
    alone, packed = ({p.name: p.read_bytes() for p in (place / at).iterdir()} for at in ("alone", "packed"))
    assert packed == alone
    assert len(packed) == 8


def test_a_pack_is_refused_before_its_first_job_begins(place, capsys):
    (place / "file").write_text("kept")
    lines = [f"figure greedy_cv figure2 --seed 0 --output {folder}/figure2.png" for folder in ("made", "file")]
    says = refused(capsys, ["job", "pack", *lines])
    assert says.startswith("studies job pack: file/figure2.")
    assert [path.name for path in place.iterdir()] == ["file"]


def test_jobs_of_a_pack_may_not_write_the_same_file(place, capsys):
    lines = [f"figure greedy_cv {name} --seed 0 --output made/figure.png" for name in ("figure2", "figure3")]
    says = refused(capsys, ["job", "pack", *lines])
    assert "the PNG of --output and the PNG of --output are both made/figure.png; name a file of its own" in says
    assert list(place.iterdir()) == []


@pytest.mark.parametrize("line", ["table greedy_cv", "no_job", "table 'greedy_cv"])
def test_a_pack_of_what_is_no_job_is_refused(capsys, line):
    says = refused(capsys, ["job", "pack", line])
    assert says.splitlines()[-1].startswith("studies job pack: ")
    assert repr(line) in says


def test_a_configuration_that_is_not_there_is_named(place, capsys):
    says = refused(capsys, ["config", "check", "none.yaml"])
    assert says == "studies config: none.yaml: no such file or directory\n"


def test_a_check_of_no_configuration_is_refused(place, capsys):
    assert refused(capsys, ["config", "check"]) == "studies config: config check needs one file or more\n"


def test_a_file_given_to_what_checks_none_is_refused(place, capsys):
    says = refused(capsys, ["config", "schema", "mine.yaml"])
    assert says == "studies config: config schema takes no files, got mine.yaml: config check checks them\n"


@pytest.mark.parametrize(("action", "path"), [("schema", config.SCHEMA), ("keys", config.KEYS)])
def test_the_schema_and_the_table_of_keys_are_written_where_and_as_the_repository_has_them(place, action, path):
    assert main(["config", action]) == 0
    assert (place / path).read_bytes() == (ROOT / path).read_bytes()
    assert main(["config", action, "--output", "elsewhere"]) == 0
    assert (place / "elsewhere").read_bytes() == (ROOT / path).read_bytes()


@pytest.mark.parametrize("seed", ["-1", "1.5", "1e3", "٣", str(2**32), "9" * 5000])
def test_a_seed_is_a_whole_number_from_0_on(place, seed):
    with pytest.raises(SystemExit, match="2"):
        main(["job", "figure", "greedy_cv", "figure1", "--seed", seed, "--output", "a.png"])


def test_numbers_of_another_figure_are_refused(place, capsys):
    (place / "other.csv").write_text("a,b\n1,2\n")
    says = refused(
        capsys, ["job", "figure", "beta_pruning", "figure2", "--numbers", "other.csv", "--output", "f.png"]
    )
    assert says.startswith("studies job figure: other.csv holds no numbers of figure2: it lacks '")


@pytest.mark.parametrize(
    ("kind", "paper", "name", "run", "method"),
    [
        ("figure", "big_data", "bias", "bias", "lcc"),
        ("table", "big_data", "combinations_against_parts", "combinations", "blb"),
    ],
)
def test_runs_of_too_few_methods_are_named_before_anything_is_written(
    place, capsys, kind, paper, name, run, method
):
    runs = pd.read_parquet(ROOT / f"results/published/{paper}/runs/{run}.parquet")
    runs[runs["method"] == method].to_parquet("few.parquet")
    scale = ["--scale", "paper"] if kind == "table" else []
    output = "out.png" if kind == "figure" else "out.csv"
    says = refused(capsys, ["job", kind, paper, name, "--runs", "few.parquet", *scale, "--output", output])
    lack = f"the runs few.parquet lack columns, methods or numbers that {kind} {name} of {paper} needs: "
    assert says.startswith(f"studies job {kind}: {lack}")
    assert says.count("\n") == 1
    assert not list(Path().glob("out.*"))


def test_every_command_has_its_arguments():
    jobs = next(parser for name, parser in subparsers(make_parser()) if name == "job")
    listed = [name for parser in (make_parser(), jobs) for name, _ in subparsers(parser) if name != "job"]
    assert sorted(listed) == sorted(COMMANDS)


def test_findings_are_written_beside_the_claims(place, capsys):
    runs = str(ROOT / "results/published/beta_pruning/runs/model.parquet")
    asked = ["job", "claims", "beta_pruning", "--scale", "paper", "--runs", runs]
    assert main([*asked, "--output", "of/claims_here.csv"]) == 0
    quoted, ours = (pd.read_csv(place / f"of/{name}_here.csv") for name in ("claims", "findings"))
    assert list(quoted) == COLUMNS
    assert list(ours) == [name for name in COLUMNS if name != "published"]
    assert ours["quote"].isna().all()
    assert quoted["quote"].notna().all()
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == len(quoted) + len(ours)
    assert printed[0].split()[0] == "reproduced"
    assert "beta_pruning.prior.mass_of_exp1: " in printed[0]


def test_the_summary_counts_the_verdicts_of_every_paper_and_of_all(place):
    judged = {
        "one/claims.csv": ["reproduced", "reproduced", "undecided"],
        "one/claims_more.csv": ["contradicted"],
        "two/claims.csv": ["not testable here", "not run at this scale"],
    }
    ids = ["greedy_cv.search_time.bounds", "beta_pruning.explored.yield_falls", "a"]  # the first, by construction
    for name, verdicts in judged.items():
        (place / name).parent.mkdir(exist_ok=True)
        pd.DataFrame({"id": ids[: len(verdicts)], "verdict": verdicts}).to_csv(place / name, index=False)
    assert main(["summary", "--claims", *judged, "--output", "summary.csv"]) == 0
    table = pd.read_csv("summary.csv").set_index("paper")
    assert list(table) == ["claims", VERDICTS[0], NO_EVIDENCE, *VERDICTS[1:]]
    assert table.loc["one"].tolist() == [4, 2, 1, 1, 1, 0, 0]
    assert table.loc["two"].tolist() == [2, 0, 0, 0, 0, 1, 1]
    assert table.loc["all"].tolist() == [6, 2, 1, 1, 1, 1, 1]
    lines = (place / "summary.md").read_text().splitlines()
    heads = ["paper", *table]
    assert lines[0] == f"| {' | '.join(heads)} |"
    assert lines[2:] == [
        "| one | 4 | 2 | 1 | 1 | 1 | 0 | 0 |",
        "| two | 2 | 0 | 0 | 0 | 0 | 1 | 1 |",
        "| all | 6 | 2 | 1 | 1 | 1 | 1 | 1 |",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id\n1\n", "verdict"),
        ("id,verdict\na,partly\n", "unknown verdict on old 'partly'; known: reproduced, contradicted, undecided"),
    ],
)
def test_a_summary_of_what_are_no_verdicts_is_refused(place, capsys, text, message):
    (place / "old").mkdir()
    (place / "old/claims.csv").write_text(text)
    assert message in refused(capsys, ["summary", "--claims", "old/claims.csv", "--output", "s.csv"])
    assert not (place / "s.csv").exists()
