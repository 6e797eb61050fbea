"""The page of claims: a bar per paper, filters, and a card per claim with its strip."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from html import escape

from frugal_site.published import DOCUMENTS, Judged, items, judged
from studies.verdicts import VERDICTS

WIDTH, HEIGHT, MARGIN = 360, 46, 8
"""Of a strip, in its own units, and what is left free beside its axis."""
COLOURS = {
    "reproduced": "#2F8F72",
    "contradicted": "#C2417A",
    "undecided": "#D9820A",
    "not run at this scale": "#8A8F94",
    "not testable here": "#B9BEC4",
}


def number(value: float | str | None) -> str:
    """A number as people write it: three digits, four from 10 on, thousands with commas; a text as it is."""
    if value is None or value == "":
        return ""
    try:
        figure = float(value)
    except ValueError:
        return str(value)
    return f"{figure:,.0f}" if abs(figure) >= 1000 else f"{figure:.{4 if abs(figure) >= 10 else 3}g}"


def interval(claim: Judged) -> str:
    """Our number with its interval and unit; empty where there is none."""
    ours, low, high = (number(claim.number(name)) for name in ("ours", "low", "high"))
    value, edges = claim.number("ours"), (claim.record.agrees.low, claim.record.agrees.high)
    if value is None:
        return ""
    between = f" ({low} to {high})" if low and (low, high) != (ours, ours) else ""
    if ours in map(number, edges) and value not in edges:
        ours = f"{value:.6g}"  # rounded further, it would stand on an edge that it is beside
    return f"{ours}{between} {claim.row['unit']}"


def strip(claim: Judged) -> str:
    """Inline SVG: the region shaded, the printed number as a tick, ours as a dot with its 95 % interval."""
    region, printed = claim.record.agrees, claim.number("published")
    ours, low, high = (claim.number(name) for name in ("ours", "low", "high"))
    edges = [edge for edge in (region.low, region.high) if math.isfinite(edge)]
    place, reach = _axis([*edges, *(one for one in (printed, ours, low, high) if one is not None)], claim)
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
            parts.append(
                f'<line x1="{place(low):.1f}" x2="{place(high):.1f}" y1="16" y2="16" stroke="{colour}" '
                'stroke-width="3" stroke-linecap="round"/>'
            )
        parts.append(f'<circle cx="{place(ours):.1f}" cy="16" r="5" fill="{colour}" class="dot"/>')
    says = f"ours {interval(claim)}" if ours is not None else "no number of ours"
    printed_says = f"printed {number(printed)}; " if printed is not None else ""
    label = f"{printed_says}agrees if {claim.row['agrees_if']}; {says}; {claim.row['verdict']}"
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


def link(claim: Judged) -> str:
    """A link to the table or figure that shows a claim; its name alone where that is not published."""
    name = claim.row["artefact"]
    for item in items(claim.paper):
        if f"{item.record.kind}s/{item.record.name}" == name:
            return f'<a href="papers/{claim.paper}.html#{item.anchor}">{escape(item.title)}</a>'
    return escape(name.partition("/")[2].replace("_", " "))


def card(claim: Judged) -> str:
    """One claim or finding, as HTML."""
    row, verdict, kind = claim.row, claim.row["verdict"], "ours" if claim.record.is_ours else "document"
    seeds = f"{row['n_seeds']} seeds" if row["n_seeds"] not in ("", "0") else ""
    facts = {
        "The document prints": "" if claim.record.is_ours else number(row["published"]) or "no number",
        "Agrees if": f"{row['agrees_if']} {row['unit']}",
        "Ours": interval(claim) or "no number",
        "Seeds to decide": row["seeds_to_decide"].replace(">", "more than "),
        "Made from": ", ".join(part for part in (seeds, f"scale {row['scale']}", row["data"]) if part),
        "Shown in": link(claim),
    }
    listed = "".join(
        f"<div><dt>{name}</dt><dd>{value if name == 'Shown in' else escape(value)}</dd></div>"
        for name, value in facts.items()
        if value
    )
    quote = f"<blockquote>{escape(row['quote'])}</blockquote>" if row["quote"] else ""
    evidence = "" if claim.record.is_evidence else ' <span class="no-evidence">no evidence</span>'
    return (
        f'<article class="claim" id="{escape(row["id"])}" data-paper="{claim.paper}" data-verdict="{verdict}" '
        f'data-kind="{kind}"><header>{badge(verdict)}{evidence} <span class="where">'
        f'<a href="papers/{claim.paper}.html">{title(claim.paper)}</a>, {escape(row["section"])}</span></header>'
        f'{quote}<p class="quantity">{escape(row["quantity"])}</p>{strip(claim)}<dl>{listed}</dl>'
        f'<a class="anchor" href="#{escape(row["id"])}">{escape(row["id"])}</a></article>'
    )


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


def bars() -> str:
    """A stacked bar per paper and one for all, with a legend."""
    claims = [claim for claim in judged() if not claim.record.is_ours]
    rows = [bar([one for one in claims if one.paper == paper], title(paper)) for paper in DOCUMENTS]
    legend = "".join(badge(verdict) for verdict in VERDICTS)
    return f'<div class="bars">{"".join(rows)}{bar(claims, "all")}<p class="legend">{legend}</p></div>'


def raw(html: str) -> str:
    """HTML as a block of a Markdown page."""
    return f"``````{{raw}} html\n{html}\n``````\n"


def bars_of_papers() -> str:
    """The bars as a block of a page."""
    return raw(bars())


def page() -> str:
    """Bars, filters and cards."""
    papers = "".join(f'<option value="{paper}">{title(paper)}</option>' for paper in DOCUMENTS)
    verdicts = "".join(f'<option value="{verdict}">{verdict}</option>' for verdict in VERDICTS)
    filters = (
        '<form class="filters" id="claim-filters">'
        f'<label>Paper <select name="paper"><option value="">all</option>{papers}</select></label>'
        f'<label>Verdict <select name="verdict"><option value="">all</option>{verdicts}</select></label>'
        '<label>Whose <select name="kind"><option value="document">the documents\' claims</option>'
        '<option value="ours">our findings</option><option value="">both</option></select></label>'
        '<label>Words <input name="words" type="search" placeholder="in the sentence or the name"></label>'
        '<output id="claim-count" aria-live="polite"></output></form>'
    )
    cards = "".join(card(claim) for claim in judged())
    script = '<script src="_static/claims.js"></script>'
    return raw(f'{bars()}{filters}<div id="claim-list">{cards}</div>{script}')
