"""What is published: tables, figures and claims, with the records that declare them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pandas as pd

from studies import registry
from studies.captions import of_record
from studies.publish import read_records
from studies.records import Artefact, Claim
from studies.redraw import config_of

ROOT = Path(__file__).resolve().parents[3]
PUBLISHED = ROOT / "results" / "published"
DOCUMENTS = ("beta_pruning", "greedy_cv", "exploration", "big_data", "hypertune")


@dataclass(frozen=True)
class Item:
    """A published table or figure.

    Attributes:
        paper: name of its paper.
        record: that declares it.
        path: of its files, without an end.
    """

    paper: str
    record: Artefact
    path: Path

    @property
    def anchor(self) -> str:
        """Of its heading on the page of its paper, such as `greedy-cv-figure-figure12`."""
        return f"{self.paper}-{self.record.kind}-{self.record.name}".replace("_", "-")

    @property
    def title(self) -> str:
        """Such as `Figure 12`, or `Sizes, a table` where a figure has the same name."""
        words = self.record.name.replace("_", " ")
        head = words[:1].upper() + words[1:]
        kinds = {one.kind for one in registry.paper(self.paper).artefacts if one.name == self.record.name}
        for kind in ("Figure", "Table"):
            if head.startswith(kind) and head[len(kind) : len(kind) + 1].isdigit():
                number, *rest = head.removeprefix(kind).split(" ", 1)
                head = f"{kind} {number}" + (f", {rest[0]}" if rest else "")
        is_plain = len(kinds) > 1 and not head.lower().startswith(self.record.kind)
        return f"{head}, a {self.record.kind}" if is_plain else head

    def file(self, end: str) -> Path:
        """Its file with this end."""
        return self.path.with_name(f"{self.path.name}.{end}")

    @property
    def caption(self) -> str:
        """In Markdown, with the command that makes it."""
        if self.record.kind == "figure":
            return self.file("md").read_text().strip()
        records = read_records(PUBLISHED / self.paper)
        kind = f"{self.record.kind}s"
        runs = self.record.runs_of(records[-1]["config"])
        names = [*(f"runs/{run}.parquet" for run in runs), f"{kind}/{self.record.name}.csv"]
        return of_record(self.paper, self.record, config_of(records, names, self.paper))


@cache
def items(paper: str) -> tuple[Item, ...]:
    """Published tables and figures of a paper, in the document's order."""
    found = [
        Item(paper, record, PUBLISHED / paper / f"{record.kind}s" / record.name)
        for record in registry.paper(paper).artefacts
    ]
    return tuple(item for item in found if item.file("csv").exists())


@dataclass(frozen=True)
class Judged:
    """A published claim or finding.

    Attributes:
        paper: name of its paper.
        record: that declares it.
        row: of the file, with empty texts where it has nothing.
    """

    paper: str
    record: Claim
    row: dict[str, str]

    def number(self, column: str) -> float | None:
        """A number of the row, or None where it has none."""
        try:
            return float(self.row[column])
        except ValueError:
            return None


@cache
def judged() -> tuple[Judged, ...]:
    """All claims of the documents, and then what we found beyond them, in each paper's order.

    Raises:
        KeyError: if a published row is of no declared claim.
    """
    rows: list[Judged] = []
    for kind in ("claims", "findings"):
        for paper in DOCUMENTS:
            records = {claim.id: claim for claim in registry.paper(paper).claims}
            for path in sorted((PUBLISHED / paper).glob(f"{kind}*.csv")):
                table = pd.read_csv(path, dtype=str, keep_default_na=False)
                for row in table.to_dict("records"):
                    texts = {"published": ""} | {str(column): str(value) for column, value in row.items()}
                    rows.append(Judged(paper, records[texts["id"]], texts))
    return tuple(rows)
