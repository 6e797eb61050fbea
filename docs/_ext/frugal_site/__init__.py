"""What the site adds to Sphinx: pages filled in from `results/published` and the registry of studies."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, StrictUndefined

from frugal_site import claims, comparisons, papers, sources

if TYPE_CHECKING:
    from sphinx.application import Sphinx

FILLED_IN = ("index", "papers", "claims_judged", "comparisons", "equations")
"""Pages, and folders of pages, in which jinja2 puts in what `FUNCTIONS` give."""
LEADS_TO = {"assumptions/": "papers/"}
"""Links as files of the checkout have them, and where they lead on the site."""
FUNCTIONS = {
    "artefacts": papers.artefacts,
    "claims": claims.page,
    "claims_bars": claims.bars_of_papers,
    "counts": papers.counts,
    "disagreements": papers.disagreements,
    "explorer": comparisons.page,
    "papers": papers.overview,
    "searches": comparisons.table_of_searches,
    "sources": sources.page,
    "undecided": papers.undecided,
}


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.connect("env-get-outdated", _filled_in)
    app.connect("source-read", _fill_in)
    app.connect("autodoc-skip-member", _is_foreign)
    app.connect("build-finished", _ship_vega)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _is_filled_in(page: str) -> bool:
    return page.split("/")[0] in FILLED_IN


def _filled_in(app: Sphinx, env: Any, added: set[str], changed: set[str], removed: set[str]) -> list[str]:
    """Pages to read again at every build, since what they are filled in with may have changed."""
    return [page for page in env.found_docs if _is_filled_in(page)]


def _fill_in(app: Sphinx, page: str, source: list[str]) -> None:
    """Put in what a page asks for, and mend links."""
    if _is_filled_in(page):
        source[0] = Environment(undefined=StrictUndefined).from_string(source[0]).render(FUNCTIONS)
    for link, place in LEADS_TO.items():
        source[0] = source[0].replace(f"]({link}", f"]({place}")


def _ship_vega(app: Sphinx, error: Any) -> None:
    if error is None and app.builder.format == "html":
        (Path(app.outdir) / "_static" / "vega.js").write_text(comparisons.javascript())


def _is_foreign(
    app: Sphinx, kind: str, name: str, member: object, is_skipped: bool, options: object
) -> bool | None:
    """Whether a member is inherited from another library, whose own pages have it."""
    home = getattr(getattr(member, "fget", member), "__module__", None) or "frugal"
    return None if home.startswith("frugal") else True
