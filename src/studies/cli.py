"""The command line of the studies: `python -m studies`, which the workflow's rules call.

Commands behave as those of `frugal.cli`.
"""

from __future__ import annotations

import argparse
import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from frugal.arguments import settings_of
from frugal.checks import check_known
from frugal.cli import journal_beside, run, search_trials
from frugal.files import check_folder, read, read_all, write, write_text
from studies.arguments import make_parser

if TYPE_CHECKING:
    from frugal.code import Job

log = logging.getLogger("frugal")


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    return run(make_parser(), COMMANDS, arguments)


def _trials(args: argparse.Namespace) -> None:
    """`frugal trials`, for document 002's public code, too."""
    from studies.exploration.as_coded import NAME, Doc002AsCoded

    search_trials(args, {NAME: Doc002AsCoded})


def _rows(args: argparse.Namespace) -> None:
    """Methods of one of `registry.experiments`, seed after seed."""
    import pandas as pd

    from studies.registry import run

    settings, parts = settings_of(args.settings), []
    for method in args.methods:
        for seed in args.seeds:
            parts.append(run(args.experiment, method, seed, settings, args.root))
            log.info("%s: seed %d done", method, seed)
    write(pd.concat(parts, ignore_index=True), args.output)


def _refits(args: argparse.Namespace) -> None:
    """What searches chose, fitted and tested."""
    from studies import code, registry

    refit = registry.refit(args.paper)
    runs = read_all(args.runs)

    def job() -> Job:
        searched = runs[runs["method"].notna()]
        return code.refits(args.paper, searched["learner"].unique(), searched["dataset"].unique())

    journal = journal_beside(args, job)
    write(refit(runs, settings_of(args.settings), args.root, journal), args.output)
    journal.path.unlink(missing_ok=True)


def _derive(args: argparse.Namespace) -> None:
    """What an optimiser or a factorisation makes of other runs, or of nothing."""
    from studies import registry

    derived = registry.derived(args.paper)
    check_known(f"derived run of {args.paper}", args.name, derived)
    write(derived[args.name](*map(read, args.runs)), args.output)


def _explore(args: argparse.Namespace) -> None:
    from frugal.folds.search import read_kept
    from studies.beta_pruning.replays import explore, sweep

    tables = [kept.table for kept in read_kept(args.scores).values()]
    settings = settings_of(args.settings)
    write(explore(tables, settings), args.output)
    write(sweep(tables, settings, taus=args.taus, buffers=args.buffers), args.sweep_output)


def _compare(args: argparse.Namespace) -> None:
    """A compared strategy replayed on all kept scores of a cell, a row per n, k and seed."""
    from frugal.folds.search import read_tables, warn_of_failures
    from studies.folds_comparison.entries import Entry
    from studies.folds_comparison.replays import compare

    entry = Entry(args.name, args.strategy, settings_of(args.settings), budget_share=args.budget_share)
    kept = read_tables(args.scores, args.seconds)
    warn_of_failures(dict(enumerate(kept)))
    write(compare(entry, kept, args.n_candidates, timed=bool(args.seconds)), args.output)


def _table(args: argparse.Namespace) -> None:
    from studies import markdown, registry

    artefact = registry.artefact(args.paper, "table", args.name)
    render = artefact.render or registry.paper(args.paper).render or markdown.render
    table = artefact.summarise(read_all(args.runs), args.scale)
    text = render(table)
    write(table, args.output)
    write_text(text, Path(args.output).with_suffix(".md"))


def _figure(args: argparse.Namespace) -> None:
    from studies import registry, style
    from studies.captions import as_markdown

    artefact = registry.artefact(args.paper, "figure", args.name)
    assert artefact.draw is not None
    given = {"seed": args.seed, "runs": args.runs, "numbers": args.numbers}
    needed = "seed" if artefact.runs == () else "runs"
    names = [name for name, value in given.items() if value is not None]
    if names not in ([needed], ["numbers"]):
        raise ValueError(f"{args.name} of {args.paper} is drawn from --{needed}, or --numbers, and nothing else")
    png, svg, csv, md = (Path(args.output).with_suffix(suffix) for suffix in (".png", ".svg", ".csv", ".md"))
    if args.numbers:
        write_text(Path(args.numbers).read_text(), csv)
    else:
        write(artefact.summarise(args.seed if needed == "seed" else read_all(args.runs)), csv)
    style.save(artefact.draw(read(csv)), png, svg)  # of the numbers as the file holds them
    if args.caption:
        write_text(as_markdown(args.caption) + "\n", md)


def _claims(args: argparse.Namespace) -> None:
    """The document's claims, and beside them (`claims` in the name becomes `findings`) what we found beyond it."""
    from studies.verdicts import judge_paper, split

    runs = {Path(path).stem: read(path, "data") for path in args.runs}  # files are named for studies
    claims, findings = split(judge_paper(args.paper, runs, args.scale))
    output = Path(args.output)
    write(claims, output)
    write(findings, output.with_name(output.name.replace("claims", "findings")))
    for row in (*claims.itertuples(), *findings.itertuples()):
        print(f"{row.verdict:20} {row.ours:10.4g}  {row.id}: {row.quantity}")


def _summary(args: argparse.Namespace) -> None:
    import pandas as pd

    from studies.markdown import plain
    from studies.verdicts import summarise

    by_paper: dict[str, list[pd.DataFrame]] = {}
    for path in map(Path, args.claims):
        by_paper.setdefault(path.parent.name, []).append(read(path, "verdict"))
    table = summarise({paper: pd.concat(parts) for paper, parts in by_paper.items()})
    write(table, args.output)
    write_text(plain(table), Path(args.output).with_suffix(".md"))


def _publish(args: argparse.Namespace) -> None:
    from studies import config
    from studies.publish import publish, whole_commit

    commit = whole_commit(args.commit) if args.commit else None
    check_folder(Path(args.results) / "published")
    whole = config.load(*args.configfile)
    config.check(whole, source=" and ".join(args.configfile))
    written = publish(
        args.paper,
        results=Path(args.results),
        data=Path(args.root),
        config=whole,
        partial=args.partial,
        only=args.only,
        commit=commit,
    )
    log.info("%d files in %s", len(written), written[-1].parent)


def _redraw(args: argparse.Namespace) -> None:
    from studies.redraw import redraw

    check_folder(args.output)
    redraw(args.papers, published=args.published, output=args.output).check()


def _config(args: argparse.Namespace) -> None:
    from studies import config, keys

    match args.action:
        case "check" if not args.files:
            raise ValueError("config check needs one file or more")
        case "check":
            base = config.read(args.files[0])
            for path in args.files:
                given = config.merge(base, config.read(path))
                config.check_all(config.complete(given, source=path), source=path)
                log.info("%s: ok", path)
        case "schema":
            write_text(keys.as_yaml(config.Configuration), Path(args.output or config.SCHEMA))
        case "keys":
            write_text(keys.table(config.Configuration), Path(args.output or config.KEYS))


Command = Callable[[argparse.Namespace], None]


def _of_its_runs(command: Command) -> Command:
    """A command that first refuses the runs of another paper, or of something else of its own."""

    def checked(args: argparse.Namespace) -> None:
        from studies import run_files

        match args.command:
            case "claims":
                run_files.check_claimed(args.paper, args.runs)
            case "refits":
                run_files.check_refitted(args.paper, args.runs)
            case _:
                run_files.check_shown(args.paper, args.command, args.name, args.runs or ())
        try:
            command(args)
        except KeyError as error:
            if getattr(args, "numbers", None) is None:
                raise
            raise ValueError(f"{args.numbers} holds no numbers of {args.name}: it lacks {error}") from error

    return checked


COMMANDS: dict[str, Command] = {
    "trials": _trials,
    "explore": _explore,
    "compare": _compare,
    "rows": _rows,
    "refits": _of_its_runs(_refits),
    "derive": _derive,
    "table": _of_its_runs(_table),
    "figure": _of_its_runs(_figure),
    "claims": _of_its_runs(_claims),
    "summary": _summary,
    "publish": _publish,
    "redraw": _redraw,
    "config": _config,
}
"""Name -> what runs it; `arguments` says what each takes."""
