"""What the pages of the papers are filled in with: tables and figures with captions, counts, what disagrees."""

from __future__ import annotations

import csv
import os
import re
from html import escape
from pathlib import Path

from frugal_site.claims import legend, raw
from frugal_site.published import ROOT, Item, causes, claims_of, items, judged
from studies import registry
from studies.captions import command_apart
from studies.page import is_wide
from studies.registry import DOCUMENTS
from studies.strips import Judged, badge, bar, interval, number, title

ROWS_SHOWN = 30
"""Lines of a table up to which it is open at first."""


def artefacts(paper: str) -> str:
    """Sections of a paper's tables and figures: caption, numbers to download, and the claims judged on each."""
    return "\n".join(map(_section, items(paper)))


def _section(item: Item) -> str:
    parts = [f"({item.anchor})=\n### {item.title}", _figure(item) if item.record.draw else _table(item)]
    files = [_download(item, end) for end in ("csv", "svg") if item.file(end).exists()]
    parts += ["Download: " + ", ".join(files) + ".", _command(item), _claims_on(item)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _figure(item: Item) -> str:
    alternative = f"{item.title}: {in_plain_words(item.caption)}"
    options = f":alt: {alternative}" + ("\n:figclass: wide" if is_wide(item.file("png")) else "")
    return f"```{{figure}} {_from_page(item.file('png'))}\n{options}\n\n{_words(item)}\n```"


def _table(item: Item) -> str:
    text = item.file("md").read_text(encoding="utf-8").strip()
    is_open = " open" if text.count("\n") <= ROWS_SHOWN else ""
    return (
        f"{_words(item)}\n\n"
        f'<details class="published-table"{is_open}>\n<summary>The table</summary>\n\n{text}\n\n</details>'
    )


def _words(item: Item) -> str:
    """The caption without the command."""
    return command_apart(item.caption)[0]


def _command(item: Item) -> str:
    """The command that writes a table or figure, to be opened."""
    _, command = command_apart(item.caption)
    summary = "<summary>The command that makes it</summary>"
    return raw(f'<details class="command">{summary}<pre>{escape(command)}</pre></details>')


def _from_page(path: Path) -> str:
    """A file as a page in a folder of `docs/` names it."""
    return Path(os.path.relpath(path, ROOT / "docs" / "papers")).as_posix()


def _download(item: Item, end: str) -> str:
    return f"{{download}}`{item.file(end).name} <{_from_page(item.file(end))}>`"


def _claims_on(item: Item) -> str:
    """The claims that are shown in a table or figure, each with its verdict."""
    name = f"{item.record.kind}s/{item.record.name}"
    found = [one for one in judged() if one.paper == item.paper and one.row["artefact"] == name]
    listed = "".join(
        f'<li>{badge(one.row["verdict"])} <a href="../claims_judged.html#{one.row["id"]}">{one.row["id"]}</a></li>'
        for one in found
    )
    if not found:
        return ""
    summary = f"<summary>Claims judged on it: {len(found)}</summary>"
    return raw(f'<details class="judged-on">{summary}<ul>{listed}</ul></details>')


def in_plain_words(caption: str, n_characters: int = 300) -> str:
    """The first sentences of a caption without marks, for those who do not see the picture."""
    text = re.sub(r"<[^>]*>|[`*_]", "", " ".join(command_apart(caption)[0].split()))
    if len(text) <= n_characters:
        return text.strip()
    cut = text[:n_characters].rfind(". ")
    return text[: cut + 1] if cut > 0 else text[:n_characters].rsplit(" ", 1)[0] + " ..."


def counts(paper: str) -> str:
    """One bar of how a paper's claims came out."""
    claims = claims_of(paper)
    link = f'<p><a href="../claims_judged.html?paper={paper}">All {len(claims)} claims, one by one</a></p>'
    return raw(f'<div class="bars">{bar(claims, "claims")}{legend()}</div>{link}')


def _claims_found(paper: str, verdict: str) -> list[Judged]:
    """The claims of a paper, without findings of ours, that have this verdict."""
    return [one for one in claims_of(paper) if one.row["verdict"] == verdict]


def disagreements(paper: str) -> str:
    """The contradicted claims of a paper, each with its cause, as a list in Markdown."""
    found = _claims_found(paper, "contradicted")
    if not found:
        return "None of its claims is contradicted by the published runs."
    lines = []
    for one in found:
        row = one.row
        says = f"“{row['quote']}” " if row["quote"] else ""
        printed = f"printed {number(row['published'])}, " if row["published"] else ""
        lines.append(
            f"- {says}({row['section']}): {row['quantity']}; {printed}agrees if {row['agrees_if']}, "
            f"ours **{interval(one)}**. {causes()[row['id']]}"
        )
    return "\n".join(lines)


def undecided(paper: str) -> str:
    """The undecided claims of a paper, each with the seeds and the hours that would decide it, in Markdown.

    Hours are empty where what a seed costs is not recorded.
    """
    with (ROOT / "docs" / "seed_costs.csv").open(encoding="utf-8", newline="") as file:
        costs = {row["study"]: float(row["seconds"]) for row in csv.DictReader(file)}
    lines = ["| claim | seeds here | seeds that decide it | hours of a core |", "|---|---|---|---|"]
    for one in _claims_found(paper, "undecided"):
        cells = ["no number does", ""]
        if seeds := one.row["seeds_to_decide"]:
            more, count = ("more than ", seeds[1:]) if seeds.startswith(">") else ("", seeds)
            cells = [f"{more}{count}", ""]
            if (cost := costs.get(one.record.study)) is not None:
                hours = float(f"{int(count) * cost / 3600:.2g}")
                cells[1] = f"{more}{hours:g}"
        link = f'<a href="../claims_judged.html#{one.row["id"]}">{one.row["id"]}</a>'
        lines.append(f"| {' | '.join([link, one.row['n_seeds'], *cells])} |")
    return "\n".join(lines)


def overview() -> str:
    """The documents, each with its title, its bar of claims and what is published of it."""
    parts = []
    for paper in DOCUMENTS:
        claims = claims_of(paper)
        kinds = [item.record.kind for item in items(paper)]
        parts.append(
            f'<section class="paper-card"><h2><a href="papers/{paper}.html">{registry.paper(paper).title}</a></h2>'
            f"<p>{_number_of(kinds, 'table')}, {_number_of(kinds, 'figure')}</p>"
            f"{bar(claims, title(paper))}</section>"
        )
    return raw(f"{legend()}{''.join(parts)}")


def _number_of(kinds: list[str], kind: str) -> str:
    """Such as `1 table` or `8 figures`."""
    n = kinds.count(kind)
    return f"{n} {kind}" if n == 1 else f"{n} {kind}s"
