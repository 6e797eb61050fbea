"""The command line of the studies: `python -m studies`, whose `job` the workflow's rules call.

Commands behave as those of `frugal.cli`; those of jobs are in `studies.jobs`.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
from pathlib import Path

from frugal.cli import run
from frugal.files import check_folder, write, write_text
from studies.arguments import COSTS, make_parser
from studies.jobs import JOBS, Command

log = logging.getLogger("frugal")


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    return run(make_parser(), COMMANDS, arguments)


def _summary(args: argparse.Namespace) -> None:
    from studies.verdicts import write_summary

    write_summary(args.claims, args.output)


def _report(args: argparse.Namespace) -> None:
    from studies import config, registry
    from studies.page import page, shown_files
    from studies.publish import OtherScaleError, check_scale

    whole = config.load(*args.configfile)
    papers: list[str] = []
    others: dict[str, OtherScaleError] = {}
    for paper in registry.PAPERS:
        files = shown_files(args.results, paper)
        try:
            for path in files:
                check_scale(path, whole["scale"])
        except OtherScaleError as error:
            others[paper] = error
        else:
            papers += [paper] if files else []
    if others and not papers:
        raise next(iter(others.values()))
    write_text(page(whole, args.results, args.published, args.workflow, papers), Path(args.output))
    for paper, why in others.items():
        log.warning("%s is left out: %s", paper, why)


def _costs(args: argparse.Namespace) -> None:
    from studies import costs, style
    from studies.markdown import plain

    table = costs.summarise(args.benchmarks, costs.startup_s())
    text, output = plain(table), Path(args.output)
    write(table, output)
    md, png, svg = (place(output) for place in COSTS.values())
    write_text(text, md)
    style.save(costs.draw(table), png, svg)
    print(text, end="")


def _forecast(args: argparse.Namespace) -> None:
    from studies import costs
    from studies.markdown import plain

    print(plain(costs.forecast(sys.stdin.read())), end="")
    print("Estimates: those of document 004 are scaled up from fewer rows; the CNN's searches end after 24 hours.")


def _machine(args: argparse.Namespace) -> None:
    from studies.publish import this_machine

    write_text(json.dumps(this_machine(), indent=1) + "\n", Path(args.output))


def _publish(args: argparse.Namespace) -> None:
    from studies import config
    from studies.publish import publish, read_machine, whole_commit

    commit = whole_commit(args.commit) if args.commit else None
    check_folder(args.results / "published")
    whole = config.load(*args.configfile)
    config.check(whole, source=" and ".join(args.configfile))
    written = publish(
        args.paper,
        results=args.results,
        data=Path(args.root),
        config=whole,
        partial=args.partial,
        only=args.only,
        commit=commit,
        made_on=read_machine(args.machine) if args.machine else None,
    )
    log.info("%d files in %s", len(written), written[-1].parent)


def _redraw(args: argparse.Namespace) -> None:
    from studies.redraw import redraw

    check_folder(args.output)
    redraw(args.papers, published=args.published, output=args.output).check()


def _config(args: argparse.Namespace) -> None:
    from studies import config, keys

    if args.action != "check" and args.files:
        raise ValueError(f"config {args.action} takes no files, got {args.files[0]}: config check checks them")
    match args.action:
        case "check" if not args.files:
            raise ValueError("config check needs one file or more")
        case "check":
            base = config.read(args.files[0])
            for path in args.files:
                merged = config.merge(base, config.read(path))
                config.check_all(config.complete(merged, source=path), source=path)
                log.info("%s: ok", path)
        case "schema":
            write_text(keys.as_yaml(config.Configuration), Path(args.output or config.SCHEMA))
        case "keys":
            write_text(keys.table(config.Configuration), Path(args.output or config.KEYS))


COMMANDS: dict[str, Command] = {
    **JOBS,
    "summary": _summary,
    "report": _report,
    "costs": _costs,
    "forecast": _forecast,
    "machine": _machine,
    "publish": _publish,
    "redraw": _redraw,
    "config": _config,
}
"""Name -> what runs it; `arguments` says what each takes. Those of `JOBS` stand under `job`."""
