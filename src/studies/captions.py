"""Captions of tables and figures: templates under workflow/report, filled in with a configuration."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from studies.records import Artefact

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

    from studies import registry

    record = registry.artefact(folder, "table" if end == "_table" else "figure", item)
    if record is not None:
        return _as_restructured(of_record(folder, record, config))
    names = [f"{folder}/{item}{part}.rst" for part in dict.fromkeys([end, ""])]
    templates = Environment(loader=FileSystemLoader(Path(root, TEMPLATES)))
    filled = {"snakemake": SimpleNamespace(config=config), "runs": " ".join(runs)}
    return templates.select_template(names).render(**filled).strip()


def of_record(paper: str, record: Artefact, config: Mapping[str, Any]) -> str:
    """The caption of a table or figure in Markdown, with the command that makes it.

    Args:
        paper: its name.
        record: of the table or figure.
        config: all keys, as it was made with.
    """
    from jinja2 import Environment, StrictUndefined

    from studies import registry

    block, runs, folder = config[paper], record.runs_of(config), f"results/{paper}"
    known = registry.paper(paper)
    runs_folder = PurePosixPath(folder, known.runs_folder if known else "runs")
    settings = block.get(runs[0], {}) if runs else block
    template = Environment(undefined=StrictUndefined).from_string(" ".join(record.caption.split()))
    text = template.render(**settings, config=config, runs=runs)
    seed = block.get("figure_seed")
    source = "--runs " + " ".join(f"{runs_folder}/{run}.parquet" for run in runs) if runs else f"--seed {seed}"
    scale = f" --scale {config['scale']}" if record.kind == "table" else ""
    end = "csv" if record.kind == "table" else "png"
    command = f"python -m studies {record.kind} {paper} {record.name} {source}{scale}"
    made = f"Scale {config['scale']}." if runs else f"Seed {seed}."
    return f"{text} {made} Written by `{command} --output {folder}/{record.kind}s/{record.name}.{end}`."


def _as_restructured(text: str) -> str:
    """A caption in Markdown as reStructuredText, which Snakemake's report wants."""
    return re.sub(r"<sup>([^<]*)</sup>", r"\\ :sup:`\1`", re.sub(r"`([^`]*)`", r"``\1``", text))


def as_markdown(text: str) -> str:
    """A caption as Markdown, from the reStructuredText that captions use: literals and superscripts."""
    return re.sub(r":sup:`([^`]*)`", r"<sup>\1</sup>", text).replace("``", "`").replace("\\ ", "")
