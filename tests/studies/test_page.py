"""The page of a run: every claim, table and figure once, in order, in one file that needs no other."""

import re
from pathlib import Path
from shutil import copytree

import pandas as pd
import pytest

from studies import config, registry
from studies.cli import main
from studies.page import page
from studies.strips import read_judged

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "results/published"
PAPER = config.load(ROOT / "config/config.yaml", ROOT / "config/paper.yaml")


@pytest.fixture(scope="module")
def text():
    """The page of the published runs, as if they were a run."""
    return page(PAPER, PUBLISHED, PUBLISHED, "rules.html", registry.PAPERS)


def test_every_judged_claim_stands_on_it_with_its_verdict(text):
    for kind in ("claims", "findings"):
        for path in sorted(PUBLISHED.glob(f"*/{kind}*.csv")):
            for row in pd.read_csv(path).itertuples():
                article = text.split(f'id="{row.id}"')
                assert len(article) == 2, row.id
                assert f">{row.verdict}<" in article[1].split("</article>")[0]


def test_every_table_and_figure_stands_on_it_once_in_the_order_of_its_paper(text):
    for paper in registry.PAPERS:
        published = [
            (one.kind, one.name)
            for one in registry.paper(paper).artefacts
            if (PUBLISHED / paper / f"{one.kind}s/{one.name}.csv").exists()
        ]
        assert published
        places = [text.index(f'<h3 id="{paper}-{kind}-{name}">') for kind, name in published]
        assert places == sorted(places)
        assert len(set(places)) == len(re.findall(rf'<h3 id="{paper}-', text))
    assert text.index('"greedy_cv-figure-figure2"') < text.index('"greedy_cv-figure-figure10"')


def test_a_table_has_the_cells_of_its_markdown(text):
    lines = (PUBLISHED / "greedy_cv/tables/table1.md").read_text().splitlines()
    part = text.split('id="greedy_cv-table-table1"')[1].split("</details>")[0]
    assert len(re.findall("<tr>", part)) == sum(line.startswith("|") for line in lines) - 1
    assert len(re.findall("<th>", part)) == lines[0].count("|") - 1


def test_it_needs_no_other_file_and_its_pictures_have_words(text):
    assert not re.search(r'(src|href)="(?!data:|#|rules\.html")', text)
    pictures = re.findall(r"<img [^>]*>", text)
    assert len(pictures) > 40
    assert all(re.search(r'alt="[^"]{20,}"', picture) for picture in pictures)


def test_the_command_writes_it_and_a_folder_without_a_run_is_refused(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    files = ["--configfile", "config/config.yaml", "config/paper.yaml"]
    output = ["--output", str(tmp_path / "report.html")]
    assert main(["report", "--results", str(tmp_path), *files, *output]) == 2
    assert "has no table, figure or claim of a run" in capsys.readouterr().err
    copytree(PUBLISHED / "greedy_cv", tmp_path / "greedy_cv")
    assert main(["report", "--results", str(tmp_path), *files[:-1], *output]) == 2
    assert "is of scale paper, the configuration of laptop" in capsys.readouterr().err
    assert main(["report", "--results", str(tmp_path), *files, *output]) == 0
    assert (tmp_path / "report.html").read_text().startswith("<!DOCTYPE html>")


def test_documents_of_another_scale_are_named_and_not_shown(tmp_path, caplog, monkeypatch):
    monkeypatch.chdir(ROOT)
    for paper in ("greedy_cv", "exploration"):  # of the scales paper and desk
        copytree(PUBLISHED / paper, tmp_path / paper)
    files = ["--configfile", "config/config.yaml", "config/paper.yaml"]
    page = tmp_path / "report.html"
    assert main(["report", "--results", str(tmp_path), *files, "--output", str(page)]) == 0
    (said,) = caplog.messages
    assert said.startswith("exploration is left out: ")
    assert said.endswith("is of scale desk, the configuration of paper; give the one that made the results")
    text = page.read_text()
    assert 'id="greedy_cv"' in text
    assert 'id="exploration"' not in text
    (named,) = re.findall(r"<p>Made at another scale, and not shown: (.*?)\.</p>", text)
    assert named == "exploration"
    (tmp_path / "exploration/tables/task1.csv").write_text("")
    assert main(["report", "--results", str(tmp_path), *files, "--output", str(page)]) == 2


def test_emphasis_of_markdown_is_shown_and_stars_of_significance_stay(text):
    part = text.split('id="exploration-table-comparison"')[1].split("</details>")[0]
    assert "<strong>Lowest value of a function</strong>" in part
    assert "lists but for <em>random ranges</em>" in text
    assert not re.search(r"\*\*\w", text)
    assert re.search(r"\d\*\*\*", text)


def test_a_claim_that_nobody_declares_is_named(tmp_path):
    (tmp_path / "greedy_cv").mkdir()
    pd.DataFrame({"id": ["greedy_cv.old"], "ours": [1.0]}).to_csv(tmp_path / "greedy_cv/claims.csv", index=False)
    with pytest.raises(ValueError, match=r"claims.csv has greedy_cv.old, which greedy_cv does not declare"):
        read_judged(tmp_path, "greedy_cv", "claims")
