"""Captions of tables and figures: templates under workflow/report, filled in with a configuration."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

TEMPLATES = Path("workflow/report")


def caption(
    folder: str,
    item: str,
    config: Mapping[str, Any],
    *,
    end: str = "",
    runs: Iterable[str] = (),
    root: str | Path = ".",
) -> str:
    """Caption of a result, in reStructuredText, as Snakemake's report wants it.

    Args:
        folder: of the paper, under `TEMPLATES`.
        item: name of the result.
        config: all keys, as the result was made with.
        end: of the template's name, where there is one such beside that of the plain name.
        runs: files that the result is made from.
        root: folder of the checkout.

    Raises:
        jinja2.TemplatesNotFound: if there is no template.
    """
    from jinja2 import Environment, FileSystemLoader

    names = [f"{folder}/{item}{part}.rst" for part in dict.fromkeys([end, ""])]
    templates = Environment(loader=FileSystemLoader(Path(root, TEMPLATES)))
    filled = {"snakemake": SimpleNamespace(config=config), "runs": " ".join(runs)}
    return templates.select_template(names).render(**filled).strip()


def as_markdown(text: str) -> str:
    """A caption as Markdown, from the reStructuredText that captions use: literals and superscripts."""
    return re.sub(r":sup:`([^`]*)`", r"<sup>\1</sup>", text).replace("``", "`").replace("\\ ", "")
