"""The page of claims: a bar per paper, filters, and a card per claim with its strip."""

from __future__ import annotations

from html import escape

from frugal_site.published import causes, claims_of, items, judged
from studies.registry import DOCUMENTS
from studies.strips import Judged, badge, bar, interval, number, strip, title
from studies.verdicts import VERDICTS


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
        "Why they differ": "" if claim.record.is_ours or verdict != "contradicted" else causes()[row["id"]],
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
    is_no_evidence = verdict == "reproduced" and not claim.record.is_evidence
    evidence = ' <span class="no-evidence">no evidence</span>' if is_no_evidence else ""
    return (
        f'<article class="claim" id="{escape(row["id"])}" data-paper="{claim.paper}" data-verdict="{verdict}" '
        f'data-kind="{kind}"><header>{badge(verdict)}{evidence} <span class="where">'
        f'<a href="papers/{claim.paper}.html">{title(claim.paper)}</a>, {escape(row["section"])}</span></header>'
        f'{quote}<p class="quantity">{escape(row["quantity"])}</p>{strip(claim)}<dl>{listed}</dl>'
        f'<a class="anchor" href="#{escape(row["id"])}">{escape(row["id"])}</a></article>'
    )


def bars() -> str:
    """A stacked bar per paper and one for all, with a legend."""
    rows = [bar(claims_of(paper), title(paper)) for paper in DOCUMENTS]
    every = bar([claim for paper in DOCUMENTS for claim in claims_of(paper)], "all")
    return f'<div class="bars">{"".join(rows)}{every}{legend()}</div>'


def legend() -> str:
    """Every verdict in its colour."""
    return f'<p class="legend">{"".join(map(badge, VERDICTS))}</p>'


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
