"""A run on one page, which opens from its file: claims first, then every table and figure with its caption."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, Final

from studies import captions, registry
from studies.records import Artefact
from studies.strips import Judged, badge, bar, interval, read_judged, strip, title
from studies.verdicts import VERDICTS

STYLE: Final = Path(__file__).with_suffix(".css")
WIDE: Final = 1.6
"""Width over height from which a picture has several panels side by side."""

_STRONG: Final = r"\*\*(\w[^*]*)\*\*"
_EMPHASIS: Final = r"(?<![*\w])\*(\w[^*]*)\*"


def page(config: Mapping[str, Any], results: Path, published: Path, workflow: str, papers: Sequence[str]) -> str:
    """HTML of what a run has made, in the order of the documents; it needs no other file.

    Args:
        config: all keys, as the run was made with.
        results: its folder, with a folder for each paper.
        published: the folder of published results, whose summary of claims stands beside the run's.
        workflow: address of Snakemake's own report, which has the rules, for the last link.
        papers: those to show; others that the folder has are named, as of another scale.

    Raises:
        ValueError: if there is no table, figure or claim to show.
    """
    if not papers:
        raise ValueError(f"{results} has no table, figure or claim of a run: make them first")
    others = [title(paper) for paper in registry.PAPERS if paper not in papers and shown_files(results, paper)]
    left_out = f"<p>Made at another scale, and not shown: {', '.join(others)}.</p>" if others else ""
    links = "".join(f'<a href="#{paper}">{title(paper)}</a>' for paper in papers)
    sections = "".join(_section(config, results, paper) for paper in papers)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Frugal, scale {escape(config['scale'])}</title><style>\n{STYLE.read_text()}</style></head><body>"
        f"<h1>Frugal: what was run at scale {escape(config['scale'])}</h1><nav>{links}</nav>"
        f'<h2>Claims of the documents</h2><div class="beside">{_counts("This run", results, papers)}'
        f"{_counts('The published runs', published, registry.PAPERS)}</div>{left_out}"
        f"<p>{' '.join(map(badge, VERDICTS))}</p>"
        "<p>In a strip the region in which the document is right is shaded. A dashed line is its printed number, "
        f"and the dot is ours with its 95 % interval.</p>{sections}"
        f'<h2 id="rules">How it was made</h2><p><a href="{escape(workflow)}">The report of the workflow</a> has '
        "the rules as a graph, each with its code, software and seconds.</p></body></html>\n"
    )


def shown_files(results: Path, paper: str) -> list[Path]:
    """The CSV files of a paper that there are of what the page shows."""
    numbers = [_file(results, paper, artefact, "csv") for artefact in registry.paper(paper).artefacts]
    return [path for path in (*numbers, *sorted((results / paper).glob("claims*.csv"))) if path.exists()]


def _file(results: Path, paper: str, artefact: Artefact, end: str) -> Path:
    return results / paper / f"{artefact.kind}s" / f"{artefact.name}.{end}"


def _counts(heading: str, results: Path, papers: Iterable[str]) -> str:
    """Bars of how the documents' claims came out, one a paper and one of all."""
    judged = {paper: read_judged(results, paper, "claims") for paper in papers}
    bars = [bar(claims, title(paper)) for paper, claims in judged.items() if claims]
    everything = [claim for claims in judged.values() for claim in claims]
    return f"<section><h3>{heading}</h3>{''.join(bars)}{bar(everything, 'all')}</section>"


def _section(config: Mapping[str, Any], results: Path, paper: str) -> str:
    """Claims, findings, tables and figures of one paper."""
    parts = [f'<h2 id="{paper}">{escape(registry.paper(paper).title)}</h2>']
    for kind in ("claims", "findings"):
        if judged := read_judged(results, paper, kind):
            listed = "".join(map(_claim, judged))
            noun = kind if len(judged) > 1 else kind.removesuffix("s")
            parts.append(f"<details><summary>{len(judged)} {noun}</summary>{listed}</details>")
    for artefact in registry.paper(paper).artefacts:
        if _file(results, paper, artefact, "csv").exists():
            parts.append(_artefact(config, results, paper, artefact))
    return "".join(parts)


def _claim(claim: Judged) -> str:
    row = claim.row
    printed = f"printed {escape(row['published'])}; " if row["published"] else ""
    quote = f"<p>“{escape(row['quote'])}”</p>" if row["quote"] else ""
    return (
        f'<article class="claim" id="{escape(row["id"])}">{badge(row["verdict"])} '
        f'<span class="where">{escape(row["section"])}, {escape(row["id"])}</span>{quote}'
        f"<p>{escape(row['quantity'])}: {printed}agrees if {escape(row['agrees_if'])}; ours "
        f"{escape(interval(claim)) or 'no number'}.</p>{strip(claim)}</article>"
    )


def _artefact(config: Mapping[str, Any], results: Path, paper: str, artefact: Artefact) -> str:
    """A table, open at a click, or a figure; each with its caption."""
    words, command = captions.command_apart(captions.of_record(paper, artefact, config))
    heading = captions.heading(paper, artefact)
    head = f'<h3 id="{paper}-{artefact.kind}-{artefact.name}">{escape(heading)}</h3>'
    made_by = f"<details><summary>The command that makes it</summary><pre>{escape(command)}</pre></details>"
    if artefact.kind == "table":
        text = _blocks(_file(results, paper, artefact, "md").read_text(encoding="utf-8"))
        return f"{head}<p>{_inline(words)}</p><details><summary>The table</summary>{text}</details>{made_by}"
    path = _file(results, paper, artefact, "png")
    picture, kind = b64encode(path.read_bytes()).decode(), ' class="wide"' if is_wide(path) else ""
    plain = re.sub("<[^>]*>|`", "", re.sub(_EMPHASIS, r"\1", re.sub(_STRONG, r"\1", words)))
    alternative = escape(f"{heading}: {plain}")
    return (
        f'{head}<figure{kind}><div class="scroll">'
        f'<img alt="{alternative}" src="data:image/png;base64,{picture}"></div>'
        f"<figcaption>{_inline(words)}</figcaption></figure>{made_by}"
    )


def is_wide(picture: Path) -> bool:
    """Whether a picture is too wide for a phone, where it then scrolls in its box."""
    from PIL import Image

    with Image.open(picture) as image:
        width, height = image.size
    return bool(width >= WIDE * height)


def _inline(text: str) -> str:
    """HTML of a line of Markdown that has code, emphasis and superscripts; stars of significance stay."""
    text = re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(text, quote=False))
    text = re.sub(_STRONG, r"<strong>\1</strong>", text)
    return re.sub(r"&lt;(/?sup)&gt;", r"<\1>", re.sub(_EMPHASIS, r"<em>\1</em>", text))


def _blocks(text: str) -> str:
    """HTML of Markdown that has tables and paragraphs."""
    parts = []
    for block in re.split(r"\n{2,}", text.strip()):
        lines = block.splitlines()
        if not block.startswith("|"):
            parts.append(f"<p>{_inline(' '.join(lines))}</p>")
            continue
        head, _, *rows = ([cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines)
        cells = "".join(f"<th>{_inline(cell)}</th>" for cell in head)
        body = "".join(f"<tr>{''.join(f'<td>{_inline(cell)}</td>' for cell in row)}</tr>" for row in rows)
        parts.append(
            f'<div class="scroll"><table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table></div>'
        )
    return "".join(parts)
