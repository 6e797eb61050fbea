"""Captions of tables, figures and claims, filled in with a configuration."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from studies.records import Artefact


def caption(paper: str, item: str, config: Mapping[str, Any], *, kind: str = "figure") -> str:
    """Caption of a result, in reStructuredText, as Snakemake's report wants it.

    The kind of the item is `table`, `figure` or `claims`.

    Raises:
        ValueError: if the paper has no such item.
    """
    from studies import registry

    if kind == "claims":
        text = f"{_filled(registry.paper(paper).about_claims[item], config, {})} Scale {config['scale']}."
    else:
        text = of_record(paper, registry.artefact(paper, kind, item), config)
    return _as_restructured(text)


def of_record(paper: str, record: Artefact, config: Mapping[str, Any]) -> str:
    """The caption of a table or figure in Markdown, with the command that makes it."""
    from studies import registry

    block, runs, folder = config[paper], record.runs_of(config), f"results/{paper}"
    runs_folder = PurePosixPath(folder, registry.paper(paper).runs_folder)
    settings = block.get(runs[0], {}) if runs else block
    text = _filled(record.caption, config, {**settings, "runs": runs})
    seed = block.get("figure_seed")
    source = "--runs " + " ".join(f"{runs_folder}/{run}.parquet" for run in runs) if runs else f"--seed {seed}"
    scale = f" --scale {config['scale']}" if record.kind == "table" else ""
    end = "csv" if record.kind == "table" else "png"
    command = f"python -m studies job {record.kind} {paper} {record.name} {source}{scale}"
    origin = f"Scale {config['scale']}." if runs else f"Seed {seed}."
    return f"{text} {origin} Written by `{command} --output {folder}/{record.kind}s/{record.name}.{end}`."


def _filled(text: str, config: Mapping[str, Any], names: Mapping[str, Any]) -> str:
    """A text in one line, with what jinja2 puts in for its names."""
    from jinja2 import Environment, StrictUndefined

    template = Environment(undefined=StrictUndefined).from_string(" ".join(text.split()))
    return template.render(**names, config=config)


def _as_restructured(text: str) -> str:
    """A caption in Markdown as reStructuredText, which Snakemake's report wants."""
    return re.sub(r"<sup>([^<]*)</sup>", r"\\ :sup:`\1`", re.sub(r"`([^`]*)`", r"``\1``", text))


def as_markdown(text: str) -> str:
    """A caption as Markdown, from the reStructuredText that captions use: literals and superscripts."""
    return re.sub(r":sup:`([^`]*)`", r"<sup>\1</sup>", text).replace("``", "`").replace("\\ ", "")
