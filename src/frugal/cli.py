"""The command line: what rules, tests and people run alike.

Every command reads files, computes by calling the library, and writes files that appear whole or not at all. Bad
input ends in one sentence on stderr and exit status 2.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import warnings
from collections.abc import Callable
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

from frugal.arguments import make_parser, settings_of
from frugal.checks import check_known

if TYPE_CHECKING:
    import pandas as pd

    from frugal.datasets import Dataset
    from frugal.interface import Candidate

log = logging.getLogger("frugal")


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    args = make_parser().parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_: log.warning("warning: %s", message)
            COMMANDS[args.command](args)
    except (ValueError, OSError) as error:
        if args.debug:
            raise
        print(f"frugal {args.command}: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(
            f"frugal {args.command}: stopped; the same command starts again, from what it kept if there is any",
            file=sys.stderr,
        )
        return 130
    return 0


# Commands ------------------------------------------------------------------------------------------------------


def _data(args: argparse.Namespace) -> None:
    from frugal.datasets import prepare

    path = prepare(
        args.name,
        root=args.root,
        allow_stand_in=not args.no_stand_in,
        opt_in=tuple(args.opt_in),
        timeout_s=args.timeout_s,
        n_retries=args.n_retries,
    )
    log.info("%s: %s", args.name, path)


def _scores(args: argparse.Namespace) -> None:
    from frugal.folds import score

    data, candidates, settings = _scoring(args)
    settings |= {"n_folds": args.n_folds, "n_rows": args.n_rows, "folds": args.folds}
    table = score(data, args.classifier, candidates, **settings)
    table.write(args.output, seconds_path=args.seconds_output)


def _default(args: argparse.Namespace) -> None:
    import pandas as pd

    from frugal.datasets import load
    from frugal.learners.default import check_default

    row = check_default(
        args.network,
        load(args.dataset, root=args.root),
        epochs=args.epochs,
        seed=args.seed,
        max_error=args.max_error,
    )
    _write(pd.DataFrame([row]), args.output)


def _rungs(args: argparse.Namespace) -> None:
    from frugal.folds.rungs import score_rungs

    data, candidates, scoring = _scoring(args)
    settings = settings_of(args.settings)
    table = score_rungs(
        data, args.classifier, candidates, n_candidates=args.n_candidates, settings=settings, **scoring
    )
    table.write(args.output, seconds_path=args.seconds_output)


def _scoring(args: argparse.Namespace) -> tuple[Dataset, list[Candidate], dict[str, Any]]:
    """Dataset, distinct candidates, and what `score` is told of the folds."""
    import frugal.rows.learners  # noqa: F401  its learners can be searched, too
    from frugal.datasets import load
    from frugal.folds.search import candidates_of

    data = load(args.dataset, root=args.root)
    drawn = {"dataset": data.name, "seed": args.seed, "n_ranges": args.n_ranges}
    candidates = candidates_of(args.space, args.classifier, **drawn)
    how = {name: getattr(args, name) for name in ("seed", "scaler", "splits", "space", "epochs")}
    return data, candidates, how | {"exact_batch": not args.timed}


def _search(args: argparse.Namespace) -> None:
    import pandas as pd

    from frugal.folds.search import read_kept, search, warn_of_failures

    kept = read_kept(args.scores, args.seconds)
    warn_of_failures(kept)
    seeds = args.seeds if args.seeds is not None else sorted(kept)
    missing = sorted(set(seeds) - set(kept))
    if missing:
        raise ValueError(f"there are no score files for seed {missing[0]}")
    if len(args.n_candidates) != len(args.output):
        raise ValueError("as many outputs are needed as there are values of --n-candidates")
    how = {"settings": settings_of(args.settings), "tie_rule": args.tie_rule}
    for n, output in zip(args.n_candidates, args.output, strict=True):
        measured = [search(args.method, kept[s].table, kept[s].rungs, n_candidates=n, **how) for s in seeds]
        _write(pd.DataFrame([m.result | (m.timing if args.seconds else {}) for m in measured]), output)


def _rows(args: argparse.Namespace) -> None:
    """Methods of one of `papers.experiments.EXPERIMENTS`, seed after seed."""
    import pandas as pd

    from frugal.papers.experiments import run

    if len(args.methods) != len(args.output):
        raise ValueError("as many outputs are needed as there are --methods")
    settings = settings_of(args.settings)
    for method, output in zip(args.methods, args.output, strict=True):
        parts = []
        for seed in args.seeds:
            parts.append(run(args.experiment, method, seed, settings, args.root))
            log.info("%s: seed %d done", method, seed)
        _write(pd.concat(parts, ignore_index=True), output)


def _collect(args: argparse.Namespace) -> None:
    """Per-seed rows of many searches in one file, and the statistics of each cell beside it."""
    import pandas as pd

    from frugal.folds.search import CELL_KEYS, cells

    frames = [_read(path, *CELL_KEYS, "seed") for path in args.search]
    runs = pd.concat(frames, ignore_index=True).sort_values([*CELL_KEYS, "seed"], ignore_index=True)
    if args.variant:
        runs = runs.assign(variant=args.variant)
    table = cells(runs)
    _write(runs, args.output)
    _write(table, args.cells_output)


def _trials(args: argparse.Namespace) -> None:
    """One search, its trials kept as they are made, so that a killed one goes on."""
    from frugal.papers.exploration.as_coded import NAME, Doc002AsCoded
    from frugal.trials.runs import forget
    from frugal.trials.searches import search

    journal = Path(args.output).with_suffix(".jsonl")
    where = (args.learner, args.dataset, args.seed, args.n_trials)
    others = {NAME: Doc002AsCoded}
    found = search(args.method, *where, settings_of(args.settings), args.root, journal, others)
    _write(found, args.output)
    forget(journal)
    log.info("%d trials in %s; the incumbent: %s", len(found), args.output, found["incumbent"].iloc[-1])


def _curves(args: argparse.Namespace) -> None:
    """Learning curves of a network's candidates, kept as they are made, so that a killed job goes on."""
    from frugal.checks import check_settings
    from frugal.datasets import load
    from frugal.trials.curve_set import train_curves

    settings = settings_of(args.settings)
    check_settings(settings, ("n_train", "n_valid", "n_epochs"))
    journal = Path(args.output).with_suffix(".jsonl")
    data = load(args.dataset, root=args.root)
    _write(train_curves(args.network, data, args.candidates, **settings, journal_path=journal), args.output)
    journal.unlink(missing_ok=True)


def _extrapolate(args: argparse.Namespace) -> None:
    """What first points of stored curves say of their last, kept as it is made, so that a killed job goes on."""
    from frugal.checks import check_settings
    from frugal.trials.curve_set import COLUMNS
    from frugal.trials.extrapolations import extrapolate

    settings = settings_of(args.settings)
    check_settings(settings, ("check_share", "curve"))
    journal = Path(args.output).with_suffix(".jsonl")
    _write(extrapolate(_read(args.curves, *COLUMNS), **settings, journal_path=journal), args.output)
    journal.unlink(missing_ok=True)


def _lookup(args: argparse.Namespace) -> None:
    """A part of a look-up table, the parts in one, or some of its cells made anew."""
    LOOKUP_STEPS[args.step](args)


def _lookup_measure(args: argparse.Namespace) -> None:
    from frugal.trials.look_up_jobs import measure_part

    journal = Path(args.output).with_suffix(".jsonl")
    _write(measure_part(settings_of(args.settings), args.part, args.root, journal), args.output)
    journal.unlink(missing_ok=True)


def _lookup_gather(args: argparse.Namespace) -> None:
    from frugal.trials.lookup import LookUpProblem

    table = _read_all(args.parts)
    LookUpProblem(table)  # refuses what is no whole table
    order = ["n_rows", "subset", "candidate"]
    _write(table.sort_values(order, kind="stable", ignore_index=True), args.output)


def _lookup_recheck(args: argparse.Namespace) -> None:
    from frugal.seeds import rng_for
    from frugal.trials.look_up_jobs import problem_of
    from frugal.trials.lookup import check_cells, recheck

    problem = problem_of(settings_of(args.settings), args.root)
    rng = rng_for("recheck", problem.name, args.seed)
    cells = recheck(_read(args.table), problem, args.n_cells, rng)
    _write(cells, args.output)
    check_cells(cells)


def _refits(args: argparse.Namespace) -> None:
    """What searches chose, fitted and tested."""
    refits = import_module(f"frugal.papers.{args.paper}.runs").refits
    journal = Path(args.output).with_suffix(".jsonl")
    _write(refits(_read_all(args.runs), settings_of(args.settings), args.root, journal), args.output)
    journal.unlink(missing_ok=True)


def _gather(args: argparse.Namespace) -> None:
    """Rows of many jobs in one file, in the order of method and seed, or of other columns."""
    import pandas as pd

    runs = pd.concat([_read(path, *args.by, "data") for path in args.runs])
    if args.experiment:
        runs.insert(0, "experiment", args.experiment)
    _write(runs.sort_values(args.by, kind="stable", ignore_index=True), args.output)


def _explore(args: argparse.Namespace) -> None:
    from frugal.folds.search import read_kept
    from frugal.papers.beta_pruning import runs

    tables = [kept.table for kept in read_kept(args.scores).values()]
    settings = settings_of(args.settings)
    _write(runs.explore(tables, settings), args.output)
    _write(runs.sweep(tables, settings, taus=args.taus, buffers=args.buffers), args.sweep_output)


def _compare(args: argparse.Namespace) -> None:
    """A compared strategy replayed on all kept scores of a cell, a row per n, k and seed."""
    from frugal.folds.search import read_tables, warn_of_failures
    from frugal.papers.comparisons import Entry, compare

    entry = Entry(args.name, args.strategy, settings_of(args.settings), args.budget_share)
    kept = read_tables(args.scores, args.seconds)
    warn_of_failures(dict(enumerate(kept)))
    _write(compare(entry, kept, args.n_candidates, timed=bool(args.seconds)), args.output)


def _table(args: argparse.Namespace) -> None:
    from frugal import papers
    from frugal.papers import markdown

    paper = papers.module(args.paper)
    make, render = paper.TABLES, getattr(paper, "render", markdown.render)
    check_known(f"table of {args.paper}", args.name, make)
    table = make[args.name](_read_all(args.runs), args.scale)
    text = render(table)
    _write(table, args.output)
    _write_text(text, Path(args.output).with_suffix(".md"))


def _figure(args: argparse.Namespace) -> None:
    from frugal import papers
    from frugal.papers import style

    figures = papers.figures(args.paper)
    check_known(f"figure of {args.paper}", args.name, figures)
    figure, given = figures[args.name], {"seed": args.seed, "runs": args.runs}
    needed = next(iter(signature(figure.summarise).parameters))  # seed or runs
    if [name for name, value in given.items() if value is not None] != [needed]:
        raise ValueError(f"{args.name} of {args.paper} is drawn from --{needed} and nothing else")
    png, svg, csv = (Path(args.output).with_suffix(suffix) for suffix in (".png", ".svg", ".csv"))
    _write(figure.summarise(args.seed if needed == "seed" else _read_all(args.runs)), csv)
    style.save(figure.draw(_read(csv)), png, svg)  # of the numbers as the file holds them


def _claims(args: argparse.Namespace) -> None:
    from frugal import papers

    runs = {Path(path).stem: _read(path, "data") for path in args.runs}  # files are named for experiments
    table = papers.module(args.paper).claims(runs, scale=args.scale)
    _write(table, args.output)
    for row in table.itertuples():
        print(f"{row.verdict:24} {row.published:8.3f} {row.ours:8.3f}  {row.claim}")


def _publish(args: argparse.Namespace) -> None:
    from frugal import config
    from frugal.papers.publish import publish

    merged: dict[str, Any] = {}
    for path in args.configfile:
        merged = config.merge(merged, config.read(path))
    written = publish(
        args.paper, results=Path("results"), data=Path(args.root), config=merged, partial=args.partial
    )
    log.info("%d files in %s", len(written), written[-1].parent)


def _config(args: argparse.Namespace) -> None:
    from frugal import config

    base = config.read(args.files[0])
    for path in args.files:
        merged = config.merge(base, config.read(path))
        config.check(merged, schema=args.schema, source=path)
        config.check_terminations(merged, source=path)
        config.check_compared(merged, source=path)
        log.info("%s: ok", path)


def _bench(args: argparse.Namespace) -> None:
    from frugal.benches import BENCHES

    print(BENCHES[args.what](args).to_string(index=False))


def _select(args: argparse.Namespace) -> None:
    """Choose a candidate on the user's own table, by live fits."""
    import frugal.rows.learners  # noqa: F401  its learners can be searched, too
    from frugal import folds
    from frugal.datasets import from_csv
    from frugal.folds.checks import check_counts
    from frugal.folds.search import candidates_of
    from frugal.seeds import rng_for

    check_counts(args.n_candidates, args.n_folds)
    data = from_csv(args.data, target=args.target)
    listed = candidates_of(
        "ranges", args.classifier, dataset=data.name, seed=args.seed, n_ranges=args.n_candidates
    )
    facts = {"n_rows": len(data.y), "n_classes": data.n_classes}
    settings = folds.with_facts(args.strategy, settings_of(args.settings), **facts)
    strategy = folds.make(
        args.strategy,
        n_candidates=len(listed),
        n_folds=args.n_folds,
        rng=rng_for("select", args.strategy, args.seed),
        **settings,
    )
    where, of_rungs = (
        folds.Folds(data, k, args.seed, args.scaler, args.splits)
        for k in (args.n_folds, getattr(strategy, "cv", args.n_folds))
    )
    _ = where.parts, of_rungs.parts  # refuse folds that the data cannot fill before any worker starts
    live = folds.Live(where, args.classifier, listed, of_rungs)
    trace = folds.run_in_processes(strategy, live, n_workers=args.workers)
    if trace.chosen is None:
        raise ValueError(f"every fit of {args.classifier} on {args.data} failed")
    scores = trace.scores_of(trace.chosen)
    total = len(listed) * args.n_folds
    print(f"chosen       {json.dumps(dict(listed[trace.chosen]))}")
    print(f"mean score   {scores.mean():.4f} over {len(scores)} folds   complete {trace.complete}")
    n_small = sum(task.n_rows is not None for task in trace.tasks)
    small = f" ({n_small} of them on fewer rows)" if n_small else ""
    print(f"evaluations  {len(trace.tasks)}{small} against {total} of the exhaustive search")


COMMANDS: dict[str, Callable[[argparse.Namespace], None]] = {
    "data": _data,
    "scores": _scores,
    "default": _default,
    "rungs": _rungs,
    "search": _search,
    "explore": _explore,
    "compare": _compare,
    "collect": _collect,
    "rows": _rows,
    "gather": _gather,
    "trials": _trials,
    "curves": _curves,
    "extrapolate": _extrapolate,
    "lookup": _lookup,
    "refits": _refits,
    "table": _table,
    "figure": _figure,
    "claims": _claims,
    "publish": _publish,
    "config": _config,
    "bench": _bench,
    "select": _select,
}
"""Name -> what runs it; `arguments` says what each takes."""
LOOKUP_STEPS: dict[str, Callable[[argparse.Namespace], None]] = {
    "measure": _lookup_measure,
    "gather": _lookup_gather,
    "recheck": _lookup_recheck,
}


# Files ---------------------------------------------------------------------------------------------------------


def _read(path: str | Path, *columns: str) -> pd.DataFrame:
    """A table from a .csv or .parquet file that must have these columns."""
    import pandas as pd
    import pyarrow as pa

    kind = "CSV" if Path(path).suffix == ".csv" else "parquet"
    if not Path(path).exists():
        raise ValueError(f"{path} does not exist")
    try:
        frame = pd.read_csv(path) if kind == "CSV" else pd.read_parquet(path)
    except (pa.ArrowException, pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise ValueError(f"{path} is truncated or not a {kind} file; delete it and run again") from error
    missing = [column for column in columns if column not in frame]
    if missing:
        raise ValueError(f"{path} lacks the column {missing[0]!r}; it has {', '.join(map(str, frame.columns))}")
    return frame


def _read_all(paths: list[str]) -> pd.DataFrame:
    import pandas as pd

    return pd.concat([_read(path) for path in paths], ignore_index=True)


def _write(frame: pd.DataFrame, path: str | Path) -> None:
    from frugal.files import whole

    with whole(path) as part:
        if Path(path).suffix == ".csv":
            frame.to_csv(part, index=False, float_format="%.10g", lineterminator="\n")
        else:
            frame.to_parquet(part, index=False)


def _write_text(text: str, path: Path) -> None:
    from frugal.files import whole

    with whole(path) as part:
        part.write_text(text)
