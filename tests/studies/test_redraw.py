"""What is published is what the published runs give, byte for byte."""

import shutil
from pathlib import Path

import pandas as pd
import pytest
from solvers import forbid

from studies import artefacts, config, registry, style
from studies.cli import main
from studies.estimates import NOT_RUN
from studies.publish import read_records, write_records
from studies.redraw import redraw

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "results/published"
LARGE = ("big_data", "exploration", "folds_comparison", "greedy_cv", "hypertune", "trials_comparison")
"""Papers whose artefacts take longer than all others together."""
RENDERED = ("folds_comparison", "trials_comparison")
"""Papers that the smoke run does not make, so that their figures are rendered here."""
SMOKE = config.load(ROOT / "config/config.yaml", ROOT / "config/smoke.yaml")


@pytest.fixture(autouse=True)
def at_root(monkeypatch):
    monkeypatch.chdir(ROOT)  # where captions have their templates


def leave_empty(figure, png, svg):
    """In the place of `style.save`: no bytes of pictures are compared, so they are drawn and not rendered."""
    Path(png).touch()
    Path(svg).touch()


@pytest.mark.parametrize(
    "paper", [pytest.param(name, marks=[pytest.mark.slow] * (name in LARGE)) for name in registry.PAPERS]
)
def test_what_is_published_is_made_again_with_the_same_bytes_and_without_a_solver(paper, tmp_path, monkeypatch):
    forbid(monkeypatch)
    if paper not in RENDERED:
        monkeypatch.setattr(style, "save", leave_empty)
    redrawn = redraw([paper], published=PUBLISHED, output=tmp_path)
    assert redrawn.differing == {}, "run python -m studies redraw --output results/published, and read the changes"
    folder = artefacts.shown(paper, SMOKE).folder
    assert redrawn.lacking == {}
    pictures = {path.stem for path in (PUBLISHED / folder / "figures").glob("*.png")}
    assert {path.stem for path in (tmp_path / folder / "figures").glob("*.png")} == pictures
    assert {path.stem for path in (tmp_path / folder / "figures").glob("*.md")} == pictures


@pytest.mark.parametrize("paper", registry.PAPERS)
def test_every_published_table_and_figure_says_what_it_is_made_from(paper):
    shown = artefacts.shown(paper, SMOKE)
    files = [path for kind in ("tables", "figures") for path in (PUBLISHED / paper / kind).glob("*.csv")]
    assert files
    assert [path for path in files if shown.made_from(f"{path.parent.name}/{path.name}") is None] == []
    assert shown.made_from("tables/none.csv") is shown.made_from("notes/table1.md") is None
    for claims, runs in shown.claims.items():
        assert (
            shown.made_from(f"{claims}.csv")
            == shown.made_from(f"{claims.replace('claims', 'findings')}.csv")
            == runs
        )


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Figure 1 of document 004, its runs, and all else that is made from these, published alone."""
    monkeypatch.setattr(style, "save", leave_empty)
    folder = tmp_path / "published/hypertune"
    artefacts_of_runs = ("figures/figure1", "figures/starts", "tables/starts")
    for name in (
        "provenance.json",
        "runs/complexity.parquet",
        "runs/complexity_by_gamma.parquet",
        "runs/svm_table.parquet",
        *(f"{artefact}.{end}" for artefact in artefacts_of_runs for end in ("csv", "md")),
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(PUBLISHED / "hypertune" / name, folder / name)
    return tmp_path


def again(place, *more):
    where = ["--published", str(place / "published"), "--output", str(place / "redrawn")]
    return main(["redraw", "hypertune", *where, *more])


@pytest.mark.slow
def test_a_changed_digit_is_found_and_said_where(place, capsys):
    csv = place / "published/hypertune/figures/figure1.csv"
    lines = csv.read_text().splitlines(keepends=True)
    csv.write_text("".join([*lines[:2], lines[2].rstrip() + "0\n", *lines[3:]]))
    assert again(place) == 3
    assert (
        "1 files differ from what is published: hypertune/figures/figure1.csv, line 3" in capsys.readouterr().err
    )
    assert again(place, "--output", str(place / "published")) == 3  # replaces it
    assert csv.read_text() == "".join(lines)
    assert again(place) == 0


def test_a_redrawing_that_is_stopped_leaves_every_file_old_or_new(place, monkeypatch):
    def contents():
        return {path: path.read_bytes() for path in (place / "published").rglob("*") if path.is_file()}

    def stops(source, target, **options):
        Path(target).write_bytes(b"half")
        raise KeyboardInterrupt

    before = contents()
    assert before
    monkeypatch.setattr(shutil, "copyfile", stops)
    with pytest.raises(KeyboardInterrupt):
        redraw(["hypertune"], published=place / "published", output=place / "published")
    assert contents() == before


def test_an_artefact_without_its_runs_is_listed_and_one_without_a_name_refused(place, capsys):
    redrawn = redraw(["hypertune"], published=place / "published", output=place / "redrawn")
    assert sorted(redrawn.complete) == [
        "hypertune/figures/figure1",
        "hypertune/figures/starts",
        "hypertune/tables/starts",
    ]
    assert redrawn.lacking["hypertune/tables/table4"] == ["mlp_refits", "cifar_cnn_refits"]
    shutil.copyfile(PUBLISHED / "hypertune/tables/table4.md", place / "published/hypertune/figure9.md")
    assert again(place) == 3
    assert "hypertune/figure9.md, which no artefact makes" in capsys.readouterr().err


@pytest.mark.slow
def test_the_summary_of_claims_is_made_of_those_of_every_paper_and_compared(tmp_path, monkeypatch):
    monkeypatch.setattr(style, "save", leave_empty)
    published = tmp_path / "published"
    for name in ("beta_pruning", "exploration"):
        shutil.copytree(PUBLISHED / name, published / name)
    summary = ["--claims", *(str(path) for path in sorted(published.glob("*/claims*.csv")))]
    assert main(["summary", *summary, "--output", str(published / "claims_summary.csv")]) == 0
    text = (published / "claims_summary.md").read_text()
    (published / "claims_summary.md").write_text(text.replace("| exploration |", "| 002 |"))
    redrawn = redraw(["exploration"], published=published, output=tmp_path / "redrawn")
    assert redrawn.differing == {"published/claims_summary.md": "line 4"}
    assert (tmp_path / "redrawn/claims_summary.md").read_text() == text
    assert "| beta pruning |" in text  # whose claims are as published, since they were not made again


@pytest.mark.parametrize("is_stale", [False, True])
def test_claims_that_no_artefact_makes_are_reported_and_not_counted(place, capsys, is_stale):
    name = "hypertune/claims_of_old.csv"
    shutil.copyfile(PUBLISHED / "hypertune/claims.csv", place / "published" / name)
    if is_stale:
        (place / "redrawn/hypertune").mkdir(parents=True)
        shutil.copyfile(place / "published" / name, place / "redrawn" / name)
    assert again(place) == 3
    assert f"1 files differ from what is published: {name}, which no artefact makes" in capsys.readouterr().err
    assert not (place / "redrawn/claims_summary.csv").exists()


def test_an_unpublished_paper_is_refused(place, capsys):
    assert main(["redraw", "greedy_cv", "--published", str(place)]) == 2
    assert "greedy_cv/provenance.json does not exist; publish the paper first" in capsys.readouterr().err


def test_a_caption_has_the_configuration_of_the_record_that_has_the_run(place):
    folder = place / "published/hypertune"
    old, others = record_of_complexity(folder)
    new = old | {"config": old["config"] | {"scale": "smoke"}, "parts": {}}
    write_records(folder, [*others, old, new])
    assert again(place) == 0
    write_records(folder, [*others, new | {"parts": old["parts"]}, old | {"parts": {}}])
    assert redraw(["hypertune"], published=place / "published", output=place / "redrawn").differing == {
        "hypertune/figures/figure1.md": "line 1"
    }


@pytest.mark.parametrize("paper", registry.PAPERS)
def test_the_command_of_a_figure_names_all_runs_that_it_is_made_of(paper):
    folder = PUBLISHED / artefacts.shown(paper, SMOKE).folder
    contents = artefacts.shown(paper, read_records(folder)[-1]["config"])
    checked = []
    for name, runs in contents.figures.items():
        files = [str(Path("results", paper, registry.paper(paper).runs_folder, f"{run}.parquet")) for run in runs]
        if all((folder / f"runs/{run}.parquet").exists() for run in runs):
            assert f"--runs {' '.join(files)} --output" in (folder / f"figures/{name}.md").read_text()
            checked.append(name)
    assert checked


def test_a_picture_of_published_numbers_has_the_caption_of_their_record(place):
    folder = place / "published/hypertune"
    old, others = record_of_complexity(folder)
    new = old | {"config": old["config"] | {"scale": "smoke"}}
    parts = {"hypertune/figures/figure1.csv": old["parts"]["hypertune/runs/complexity.parquet"]}
    (folder / "runs/complexity_by_gamma.parquet").unlink()
    write_records(folder, [*others, old | {"parts": parts}, new])
    redrawn = redraw(["hypertune"], published=place / "published", output=place / "redrawn")
    assert redrawn.lacking["hypertune/figures/figure1"] == ["complexity_by_gamma"]
    assert "hypertune/figures/figure1.md" not in redrawn.differing


def test_claims_and_captions_have_the_scale_of_their_own_runs(place):
    folder = place / "published/hypertune"
    old, others = record_of_complexity(folder)
    smoke = old | {"config": old["config"] | {"scale": "smoke"}}
    write_records(folder, [*others, smoke])
    shutil.copyfile(PUBLISHED / "hypertune/claims.csv", folder / "claims.csv")
    redraw(["hypertune"], published=place / "published", output=place / "redrawn")
    judged = pd.concat([pd.read_csv(place / f"redrawn/hypertune/{name}.csv") for name in ("claims", "findings")])
    judged = judged[judged["verdict"] != NOT_RUN].set_index("id")["scale"]
    assert judged["hypertune.figure1.subset_degrades"] == "smoke"
    assert judged["hypertune.figure1.subset_degrades_in_gamma"] == "desk"
    assert set(judged[judged.index.str.startswith("hypertune.svm_table.")]) == {"paper"}
    assert "Scale smoke and desk." in (place / "redrawn/hypertune/figures/figure1.md").read_text()


def record_of_complexity(folder):
    """The record of the run of `complexity`, and the others."""
    records = read_records(folder)
    found = next(record for record in records if "hypertune/runs/complexity.parquet" in record["parts"])
    return found, [record for record in records if record is not found]


def test_what_was_left_out_at_publication_is_not_made(place):
    folder = place / "published/hypertune"
    write_records(folder, read_records(folder), ["figures/figure1.csv", "tables/table1.csv"])
    redrawn = redraw(["hypertune"], published=place / "published", output=place / "redrawn")
    assert redrawn.complete == ["hypertune/tables/starts", "hypertune/figures/starts"]
    assert "hypertune/tables/table1" not in redrawn.lacking
