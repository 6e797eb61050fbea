"""The page of sources, equations and departures: the docstrings of the modules that compute them."""

from __future__ import annotations

import ast
import re
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules

SECTIONS = {
    "Strategies that save folds": "folds.strategies",
    "Models of fold scores": "folds",
    "Strategies that save trials": "trials.strategies",
    "Shared by strategies that save trials": "trials",
    "Acquisitions": "trials.acquisitions",
    "Surrogates": "trials.surrogates",
    "Rows": "rows",
}
"""Headings, and packages of `frugal`."""
_SAYS_SOURCE = re.compile(r"\b(Source: |Sources: |Differs from )")


def page() -> str:
    """All sections, as Markdown."""
    parts = []
    for heading, package in SECTIONS.items():
        parts.append(f"## {heading}")
        for name in modules_of(f"frugal.{package}"):
            parts += [f"### {name.rpartition('.')[2]}", f"Module `{name}`.", _docstring(name)]
    return "\n\n".join(parts)


def modules_of(package: str) -> list[str]:
    """Modules of a package that are strategies, or say a source or where they differ from it."""
    names = [f"{package}.{one.name}" for one in iter_modules(_spec(package).submodule_search_locations)]
    modules = [name for name in names if _spec(name).submodule_search_locations is None]
    return [name for name in modules if package.endswith(".strategies") or _SAYS_SOURCE.search(_docstring(name))]


def _docstring(name: str) -> str:
    """A module's docstring. It is Markdown, in which indented lines are equations."""
    text = Path(_spec(name).origin or "").read_text(encoding="utf-8")
    return ast.get_docstring(ast.parse(text)) or ""


def _spec(name: str) -> ModuleSpec:
    spec = find_spec(name)
    if spec is None:
        raise LookupError(f"there is no module {name}")
    return spec
