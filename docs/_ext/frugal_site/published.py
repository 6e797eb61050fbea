"""What is published: tables, figures and claims, with the records that declare them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import yaml

from studies import registry
from studies.captions import heading, of_record
from studies.publish import read_records
from studies.records import Artefact
from studies.redraw import config_of_runs
from studies.registry import DOCUMENTS
from studies.strips import Judged, read_judged

ROOT = Path(__file__).resolve().parents[3]
PUBLISHED = ROOT / "results" / "published"


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
        return heading(self.paper, self.record)

    def file(self, end: str) -> Path:
        """Its file with this end."""
        return self.path.with_name(f"{self.path.name}.{end}")

    @cached_property
    def caption(self) -> str:
        """In Markdown, with the command that makes it."""
        if self.record.kind == "figure":
            return self.file("md").read_text(encoding="utf-8").strip()
        records = read_records(PUBLISHED / self.paper)
        kind = f"{self.record.kind}s"
        runs = self.record.runs_of(records[-1]["config"])
        config = config_of_runs(records, runs, f"{kind}/{self.record.name}.csv", self.paper)
        return of_record(self.paper, self.record, config, runs)


@cache
def items(paper: str) -> tuple[Item, ...]:
    """Published tables and figures of a paper, in the document's order."""
    found = [
        Item(paper, record, PUBLISHED / paper / f"{record.kind}s" / record.name)
        for record in registry.paper(paper).artefacts
    ]
    return tuple(item for item in found if item.file("csv").exists())


@cache
def judged() -> tuple[Judged, ...]:
    """All claims of the documents, and then what we found beyond them, in each paper's order.

    Raises:
        ValueError: as `read_judged`.
    """
    return tuple(
        claim
        for kind in ("claims", "findings")
        for paper in DOCUMENTS
        for claim in read_judged(PUBLISHED, paper, kind)
    )


def claims_of(paper: str) -> list[Judged]:
    """The judged claims of a document, without findings of ours."""
    return [one for one in judged() if one.paper == paper and not one.record.is_ours]


@cache
def causes() -> dict[str, str]:
    """Why ours differs from the document, in Markdown, by the id of a contradicted claim."""
    found: dict[str, str] = yaml.safe_load((ROOT / "docs" / "causes.yaml").read_text(encoding="utf-8"))
    return found
