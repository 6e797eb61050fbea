"""How a judged claim looks: its strip, its numbers in words, its verdict as a coloured word, bars of counts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final

import pandas as pd

from studies import registry
from studies.records import Claim
from studies.verdicts import VERDICTS

WIDTH, HEIGHT, MARGIN = 360, 46, 8
"""Of a strip, in its own units, and what is left free beside its axis."""
COLOURS: Final = dict(zip(VERDICTS, ("#2F8F72", "#C2417A", "#D9820A", "#8A8F94", "#B9BEC4"), strict=True))


@dataclass(frozen=True)
class Judged:
    """A judged claim or finding, published or of a run.

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


def read_judged(results: Path, paper: str, kind: str) -> list[Judged]:
    """The judged claims of a paper, in its files' order; none where there is no file.

    Args:
        results: the folder with a folder for each paper.
        paper: its name.
        kind: `claims` or `findings`.

    Raises:
        ValueError: if a row is of no declared claim.
    """
    records = {claim.id: claim for claim in registry.paper(paper).claims}
    found = []
    for path in sorted((results / paper).glob(f"{kind}*.csv")):
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
        for row in table.to_dict("records"):
            texts = {"published": ""} | {str(column): str(value) for column, value in row.items()}
            if texts["id"] not in records:
                raise ValueError(f"{path} has {texts['id']}, which {paper} does not declare: make the file again")
            found.append(Judged(paper, records[texts["id"]], texts))
    return found


def number(value: float | str | None) -> str:
    """A number as people write it: three digits, four from 10 on, thousands with commas; a text as it is."""
    if value is None or value == "":
        return ""
    try:
        figure = float(value)
    except ValueError:
        return str(value)
    if math.isinf(figure):
        return "∞" if figure > 0 else "-∞"
    return f"{figure:,.0f}" if abs(figure) >= 1000 else f"{figure:.{4 if abs(figure) >= 10 else 3}g}"


def interval(claim: Judged) -> str:
    """Our number with its interval and unit; empty where there is none."""
    ours, low, high = (claim.number(name) for name in ("ours", "low", "high"))
    edges = (claim.record.agrees.low, claim.record.agrees.high)

    def beside(value: float) -> str:
        """With more digits where fewer would put it on an edge of the region."""
        text = number(value)
        return f"{value:.6g}" if text in map(number, edges) and value not in edges else text

    if ours is None:
        return ""
    between = ""
    if low is not None and high is not None and (low, high) != (ours, ours):
        between = f" ({beside(low)} to {beside(high)})"
    return f"{beside(ours)}{between} {claim.row['unit']}"


def strip(claim: Judged) -> str:
    """Inline SVG: the region shaded, the printed number as a tick, ours as a dot with its 95 % interval."""
    region, printed = claim.record.agrees, claim.number("published")
    ours, low, high = (claim.number(name) for name in ("ours", "low", "high"))
    edges = [edge for edge in (region.low, region.high) if math.isfinite(edge)]
    known = [one for one in (printed, ours, low, high) if one is not None and math.isfinite(one)]
    place, reach = _axis([*edges, *known], claim)
    start, end = place(max(region.low, reach[0])), place(min(region.high, reach[1]))
    parts = [
        f'<rect class="region" x="{start:.1f}" y="6" width="{max(end - start, 2):.1f}" height="20"/>',
        f'<line class="axis" x1="{MARGIN}" x2="{WIDTH - MARGIN}" y1="26" y2="26"/>',
    ]
    for edge in dict.fromkeys(edges):
        anchor = "start" if place(edge) < 30 else "end" if place(edge) > WIDTH - 30 else "middle"
        parts.append(
            f'<line class="axis" x1="{place(edge):.1f}" x2="{place(edge):.1f}" y1="26" y2="30"/>'
            f'<text x="{place(edge):.1f}" y="42" text-anchor="{anchor}">{edge:.4g}</text>'
        )
        if len(edges) == 2 and abs(place(edges[0]) - place(edges[1])) < 50:
            break  # the labels would meet; the card states the region in words
    if printed is not None:
        parts.append(f'<line class="printed" x1="{place(printed):.1f}" x2="{place(printed):.1f}" y1="4" y2="26"/>')
    if ours is not None:
        colour = COLOURS[claim.row["verdict"]]
        if low is not None and high is not None:
            # an open end lies at the end of the axis
            first, last = place(max(low, reach[0])), place(min(high, reach[1]))
            parts.append(
                f'<line x1="{first:.1f}" x2="{last:.1f}" y1="16" y2="16" stroke="{colour}" '
                'stroke-width="3" stroke-linecap="round"/>'
            )
        parts.append(f'<circle cx="{place(ours):.1f}" cy="16" r="5" fill="{colour}" class="dot"/>')
    found = f"ours {interval(claim)}" if ours is not None else "no number of ours"
    published = f"printed {number(printed)}; " if printed is not None else ""
    label = f"{published}agrees if {claim.row['agrees_if']}; {found}; {claim.row['verdict']}"
    return (
        f'<svg class="strip" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(label)}">'
        f"<title>{escape(label)}</title>{''.join(parts)}</svg>"
    )


def _axis(values: Sequence[float], claim: Judged) -> tuple[Callable[[float], float], tuple[float, float]]:
    """Where a value lies on the strip, and the ends of its axis; ratios far apart lie on a logarithmic one."""
    low, high = min(values), max(values)
    is_log = claim.row["unit"] == "times" and low > 0 and high / low > 4
    scale: Callable[[float], float] = math.log if is_log else lambda value: value
    free = 0.15 * (scale(high) - scale(low)) or 0.15 * abs(scale(high)) or 1.0
    first, last = scale(low) - free, scale(high) + free

    def place(value: float) -> float:
        return MARGIN + (WIDTH - 2 * MARGIN) * (scale(value) - first) / (last - first)

    return place, (math.exp(first), math.exp(last)) if is_log else (first, last)


def badge(verdict: str) -> str:
    """A verdict as a coloured word."""
    return f'<span class="verdict v-{verdict.replace(" ", "-")}">{verdict}</span>'


def title(paper: str) -> str:
    """The name of a paper for people, short."""
    return paper.replace("_", " ")


def bar(claims: Iterable[Judged], name: str) -> str:
    """One bar of how many claims came out how, each part as wide as its share."""
    counts = Counter(claim.row["verdict"] for claim in claims)
    label = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
    parts = "".join(
        f'<span class="v-{verdict.replace(" ", "-")}" style="flex-grow:{counts[verdict]}" '
        f'title="{counts[verdict]} {verdict}">{counts[verdict]}</span>'
        for verdict in VERDICTS
        if counts[verdict]
    )
    return (
        f'<div class="bar-row"><span class="bar-name">{name} ({counts.total()})</span>'
        f'<div class="bar" role="img" aria-label="{name}: {label}">{parts}</div></div>'
    )
