"""The page of sources, equations and departures: the docstrings of the modules that compute them."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from frugal_site.published import ROOT

SECTIONS = {
    "Strategies that save folds": "folds/strategies",
    "Models of fold scores": "folds",
    "Strategies that save trials": "trials/strategies",
    "Shared by strategies that save trials": "trials",
    "Acquisitions": "trials/acquisitions",
    "Surrogates": "trials/surrogates",
    "Rows": "rows",
}
"""Headings, and folders of `frugal`."""
_SAYS_SOURCE = re.compile(r"\b(Source: |Differs from )")


def page() -> str:
    """All sections, as Markdown: modules that are strategies, name a source, or say where they differ from it."""
    parts = []
    for heading, folder in SECTIONS.items():
        parts.append(f"## {heading}")
        for path in sorted((ROOT / "src/frugal" / folder).glob("*.py")):
            text = _docstring(path)
            if path.stem != "__init__" and (path.parent.name == "strategies" or _SAYS_SOURCE.search(text)):
                name = ".".join(path.relative_to(ROOT / "src").with_suffix("").parts)
                parts += [f"### {path.stem}", f"Module `{name}`.", text]
    return "\n\n".join(parts)


def _docstring(path: Path) -> str:
    """A module's docstring. It is Markdown, in which indented lines are equations."""
    return ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
