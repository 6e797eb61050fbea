"""Captions of tables, figures and claims, filled in with a configuration."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from studies.records import Artefact

WRITTEN_BY: Final = "Written by"
"""What ends a caption, before its command."""
SPELLED: Final = {"cnn": "CNN", "dngo": "DNGO", "fabolas": "Fabolas", "svm": "SVM"}
"""Words of names as people write them."""


def heading(paper: str, record: Artefact) -> str:
    """What stands over a table or figure, such as `Figure 12`, `Table 1, by n` or `Sizes, a table`.

    Args:
        paper: its name.
        record: of the table or figure. Its kind is added where another one of the paper has the same name.
    """
    from studies import registry

    words = [SPELLED.get(word, word) for word in record.name.split("_")]
    first, *rest = re.sub(r"^(figure|table|task)(?=[0-9])", r"\1 ", " ".join(words)).split(" ")
    if rest and rest[0].isdigit():
        head = f"{first.capitalize()} {rest[0]}" + (f", {' '.join(rest[1:])}" if rest[1:] else "")
    else:
        head = " ".join([first[:1].upper() + first[1:], *rest])
    kinds = {artefact.kind for artefact in registry.paper(paper).artefacts if artefact.name == record.name}
    return f"{head}, a {record.kind}" if len(kinds) > 1 and first != record.kind else head


def command_apart(text: str) -> tuple[str, str]:
    """A caption in Markdown without its command, and the command; empty where it has none."""
    words, _, command = text.partition(WRITTEN_BY)
    return words.strip(), command.strip(" `.\n")


def caption(
    paper: str, item: str, config: Mapping[str, Any], *, kind: str = "figure", runs: tuple[str, ...] | None = None
) -> str:
    """Caption of a result, in reStructuredText, as Snakemake's report wants it.

    The kind of the item is `table`, `figure` or `claims`; `runs` are as of `of_record`.

    Raises:
        ValueError: if the paper has no such item.
    """
    from studies import registry

    if kind == "claims":
        text = f"{_filled(registry.paper(paper).about_claims[item], config, {})} Scale {config['scale']}."
    else:
        text = of_record(paper, registry.artefact(paper, kind, item), config, runs)
    return _as_restructured(text)


def of_record(paper: str, record: Artefact, config: Mapping[str, Any], runs: tuple[str, ...] | None = None) -> str:
    """The caption of a table or figure in Markdown, with the command that makes it.

    `runs` are the names of its runs; by default, those that the configuration plans.
    """
    from studies import registry

    block, folder = config[paper], f"results/{paper}"
    runs = record.runs_of(config) if runs is None else runs
    runs_folder = PurePosixPath(folder, registry.paper(paper).runs_folder)
    settings = block.get(runs[0], {}) if runs else block
    text = _filled(record.caption, config, {**settings, "runs": runs})
    seed = block.get("figure_seed")
    source = "--runs " + " ".join(f"{runs_folder}/{run}.parquet" for run in runs) if runs else f"--seed {seed}"
    scale = f" --scale {shlex.quote(config['scale'])}" if record.kind == "table" else ""
    end = "csv" if record.kind == "table" else "png"
    command = f"python -m studies job {record.kind} {paper} {record.name} {source}{scale}"
    origin = f"Scale {config['scale']}." if runs else f"Seed {seed}."
    return f"{text} {origin} {WRITTEN_BY} `{command} --output {folder}/{record.kind}s/{record.name}.{end}`."


def _filled(text: str, config: Mapping[str, Any], names: Mapping[str, Any]) -> str:
    """A text in one line, with what jinja2 puts in for its names."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(undefined=StrictUndefined)
    environment.filters.update(seeds=in_seeds, interval_over_error=interval_over_error, by_method=by_method)
    return environment.from_string(" ".join(text.split())).render(**names, config=config)


def in_seeds(count: int) -> str:
    """A number of seeds in words: `1 seed`, `10 seeds`."""
    return f"{count} seed{'' if count == 1 else 's'}"


def by_method(numbers: Mapping[str, int | None]) -> str:
    """Numbers by method in words, such as `random 60, EI 30`; methods without one are left out."""
    from studies.methods import METHODS

    return ", ".join(f"{METHODS[name].look.label} {n}" for name, n in numbers.items() if n)


def interval_over_error(n_seeds: int) -> str:
    """How many standard errors Student's 95 % interval reaches to each side, such as `4.3` of 3 seeds."""
    from frugal.stats import t_margin

    return f"{t_margin(1.0, n_seeds):.1f}"


def _as_restructured(text: str) -> str:
    """A caption in Markdown as reStructuredText, which Snakemake's report wants."""
    return re.sub(r"<sup>([^<]*)</sup>", r"\\ :sup:`\1`", re.sub(r"`([^`]*)`", r"``\1``", text))


def as_markdown(text: str) -> str:
    """A caption as Markdown, from the reStructuredText that captions use: literals and superscripts."""
    return re.sub(r":sup:`([^`]*)`", r"<sup>\1</sup>", text).replace("``", "`").replace("\\ ", "")
