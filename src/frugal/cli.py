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
from pathlib import Path
from typing import TYPE_CHECKING, Any

import frugal

if TYPE_CHECKING:
    import pandas as pd

    from frugal.datasets import Dataset
    from frugal.interface import Candidate

log = logging.getLogger("frugal")


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    args = _parser().parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_: log.warning("warning: %s", message)
            args.run(args)
    except (ValueError, OSError) as error:
        if args.debug:
            raise
        print(f"frugal {args.command}: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
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


def _rungs(args: argparse.Namespace) -> None:
    from frugal.folds.rungs import score_rungs

    data, candidates, scoring = _scoring(args)
    settings = _settings(args.settings)
    table = score_rungs(
        data, args.classifier, candidates, n_candidates=args.n_candidates, settings=settings, **scoring
    )
    table.write(args.output, seconds_path=args.seconds_output)


def _scoring(args: argparse.Namespace) -> tuple[Dataset, list[Candidate], dict[str, Any]]:
    """Dataset, distinct candidates, and what `score` is told of the folds."""
    from frugal.datasets import load
    from frugal.folds.search import candidates_of

    data = load(args.dataset, root=args.root)
    drawn = {"dataset": data.name, "seed": args.seed, "n_ranges": args.n_ranges}
    candidates = candidates_of(args.space, args.classifier, **drawn)
    how = {"seed": args.seed, "scaler": args.scaler, "splits": args.splits, "space": args.space}
    return data, candidates, how | {"exact_batch": not args.timed}


def _search(args: argparse.Namespace) -> None:
    import pandas as pd

    from frugal.folds.search import read_kept, search, warn_of_failures

    kept = read_kept(args.scores, with_seconds=args.timed)
    warn_of_failures(kept)
    seeds = args.seeds if args.seeds is not None else sorted(kept)
    missing = sorted(set(seeds) - set(kept))
    if missing:
        raise ValueError(f"there are no score files for seed {missing[0]}")
    if len(args.n_candidates) != len(args.output):
        raise ValueError("as many outputs are needed as there are values of --n-candidates")
    how = {"settings": _settings(args.settings), "tie_rule": args.tie_rule}
    for n, output in zip(args.n_candidates, args.output, strict=True):
        measured = [search(args.method, kept[s].table, kept[s].rungs, n_candidates=n, **how) for s in seeds]
        _write(pd.DataFrame([m.result | (m.timing if args.timed else {}) for m in measured]), output)


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


def _table(args: argparse.Namespace) -> None:
    from frugal import papers
    from frugal.papers.markdown import render

    make = papers.module(args.paper).TABLES
    _known(args.name, make, f"table of {args.paper}")
    table = make[args.name](_read_all(args.runs), args.scale)
    text = render(table)
    _write(table, args.output)
    _write_text(text, Path(args.output).with_suffix(".md"))


def _figure(args: argparse.Namespace) -> None:
    from frugal import papers
    from frugal.papers import style

    figures = papers.figures(args.paper)
    _known(args.name, figures, f"figure of {args.paper}")
    given = {"seed": args.seed} if args.seed is not None else {"runs": _read_all(args.runs)}
    numbers = figures[args.name].summarise(**given)
    picture, output = figures[args.name].draw(numbers), Path(args.output)
    style.save(picture, output.with_suffix(".png"), output.with_suffix(".svg"))
    _write(numbers, output.with_suffix(".csv"))


def _claims(args: argparse.Namespace) -> None:
    from frugal import papers

    runs = {Path(path).stem: _read(path, "seed", "data") for path in args.runs}  # files are named for experiments
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
    log.info("%d files in %s", len(written), Path("results/published", args.paper))


def _config(args: argparse.Namespace) -> None:
    from frugal import config

    base = config.read(args.files[0])
    for path in args.files:
        config.check(config.merge(base, config.read(path)), schema=args.schema, source=path)
        log.info("%s: ok", path)


def _bench(args: argparse.Namespace) -> None:
    from frugal.folds.bench import bench_folds

    table = bench_folds(
        args.datasets, args.classifiers, n_candidates=args.n_candidates, n_folds=args.n_folds, root=args.root
    )
    print(table.to_string(index=False))


def _select(args: argparse.Namespace) -> None:
    """Choose a candidate on the user's own table, by live fits."""
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
    settings = folds.with_facts(args.strategy, _settings(args.settings), **facts)
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
    print(f"evaluations  {len(trace.tasks)} against {total} of the exhaustive search")


def _settings(text: str) -> dict[str, Any]:
    try:
        settings = json.loads(text)
    except json.JSONDecodeError:
        settings = None
    if not isinstance(settings, dict):
        raise ValueError(f"--settings must be a JSON object, got {text!r}")
    return settings


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


def _known(name: str, known: Any, kind: str) -> None:
    if name not in known:
        raise ValueError(f"unknown {kind} {name!r}; known: {', '.join(known)}")


# Arguments -----------------------------------------------------------------------------------------------------


def numbers(text: str) -> list[int]:
    """`3` or `0-4` as a list of whole numbers.

    Raises:
        argparse.ArgumentTypeError: on anything else, or a range that runs backwards.
    """
    first, _, last = text.partition("-")
    try:
        listed = list(range(int(first), int(last or first) + 1))
    except ValueError:
        listed = []
    if not listed:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number nor a range such as 0-4")
    return listed


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="frugal", description="Model selection on a budget.")
    parser.add_argument("--version", action="version", version=f"frugal {frugal.__version__}")
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    p = _command(commands, "data", _data, "fetch, verify and prepare a dataset")
    p.add_argument("name")
    p.add_argument("--root", default="data", help="folder of the datasets")
    p.add_argument("--no-stand-in", action="store_true", help="fail where the real data is out of reach")
    p.add_argument("--opt-in", nargs="*", default=[], help="datasets that are fetched only on request")
    p.add_argument("--timeout-s", type=float, default=60.0)
    p.add_argument("--n-retries", type=int, default=3)

    p = _command(commands, "scores", _scores, "fit and score a block of folds")
    _add_scoring(p)
    p.add_argument("--n-folds", type=int, required=True)
    p.add_argument("--folds", type=numbers, help="for example 0-4; all by default")
    p.add_argument("--n-rows", type=int, help="rows to use inside each split; all by default")

    p = _command(commands, "rungs", _rungs, "fit and score every rung of successive halving")
    _add_scoring(p)
    p.add_argument("--n-candidates", type=int, nargs="+", required=True, help="lengths that will be searched")
    p.add_argument("--settings", default="{}", help="of successive_halving, as JSON")

    p = _command(commands, "search", _search, "replay a strategy on kept scores")
    p.add_argument("--method", required=True)
    p.add_argument("--scores", type=Path, nargs="+", required=True)
    p.add_argument("--n-candidates", type=int, nargs="+", required=True)
    p.add_argument("--seeds", type=numbers, help="for example 0-29; all that have scores by default")
    p.add_argument("--settings", default="{}", help="the strategy's settings, as JSON")
    p.add_argument("--tie-rule", default="random")
    p.add_argument("--timed", action="store_true", help="read the seconds beside the scores, and add them up")
    p.add_argument("--output", nargs="+", required=True, help="one file per value of --n-candidates")

    p = _command(commands, "collect", _collect, "gather searches; statistics per cell")
    p.add_argument("--search", nargs="+", required=True)
    p.add_argument("--variant", help="label of a sensitivity variant, kept as a column")
    p.add_argument("--output", required=True)
    p.add_argument("--cells-output", required=True)

    p = _command(commands, "table", _table, "write a table of a paper as .csv and .md")
    p.add_argument("paper")
    p.add_argument("name")
    p.add_argument("--runs", nargs="+", required=True)
    p.add_argument("--scale", required=True)
    p.add_argument("--output", required=True)

    p = _command(commands, "figure", _figure, "draw a figure of a paper as .png and .svg, with its .csv")
    p.add_argument("paper")
    p.add_argument("name")
    p.add_argument("--runs", nargs="*", default=[])
    p.add_argument("--seed", type=int)
    p.add_argument("--output", required=True)

    p = _command(commands, "claims", _claims, "judge a paper's claims")
    p.add_argument("paper")
    p.add_argument("--runs", nargs="+", required=True)
    p.add_argument("--scale", required=True)
    p.add_argument("--output", required=True)

    p = _command(commands, "publish", _publish, "copy a paper's results to results/published/")
    p.add_argument("paper")
    p.add_argument("--partial", action="store_true", help="leave out what is below the published floor")
    p.add_argument("--root", default="data", help="folder of the datasets")
    p.add_argument("--configfile", nargs="+", default=["config/config.yaml", "config/paper.yaml"])

    p = _command(commands, "config", _config, "check configuration files against the schema")
    p.add_argument("action", choices=["check"])
    p.add_argument("files", nargs="+", help="the first is the base of the others")
    p.add_argument("--schema", default="workflow/schemas/config.schema.yaml")

    p = _command(commands, "bench", _bench, "measure against a named peer in one run")
    p.add_argument("what", choices=["folds"])
    p.add_argument("--root", default="data", help="folder of the datasets")
    p.add_argument("--datasets", nargs="+", default=["wdbc", "boston", "digits"])
    p.add_argument("--classifiers", nargs="+", default=["bernoulli_nb", "decision_tree", "knn"])
    p.add_argument("--n-candidates", type=int, default=256)
    p.add_argument("--n-folds", type=int, default=10)

    p = _command(commands, "select", _select, "choose a candidate on your own table, by live fits")
    p.add_argument("data", help="a CSV file with numeric columns")
    p.add_argument("--target", help="name of the label column; the last by default")
    p.add_argument("--classifier", required=True)
    p.add_argument("--strategy", default="greedy_early_stopping")
    p.add_argument("--settings", default="{}", help="the strategy's settings, as JSON")
    p.add_argument("--n-candidates", type=int, default=64)
    p.add_argument("--n-folds", type=int, default=5)
    p.add_argument("--scaler", default="none")
    p.add_argument("--splits", default="stratified", help="stratified or plain")
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--workers", type=int, default=1)
    return parser


def _command(commands: Any, name: str, run: Any, text: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=text, description=text)
    parser.set_defaults(run=run)
    return parser


def _add_scoring(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--root", default="data", help="folder of the datasets")
    parser.add_argument("--dataset", required=True)
    parser.add_argument("--classifier", required=True)
    parser.add_argument("--space", default="grid")
    parser.add_argument("--scaler", default="none")
    parser.add_argument("--splits", default="stratified")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--n-ranges", type=int, default=2048, help="candidates drawn on the ranges")
    parser.add_argument("--timed", action="store_true", help="time every fit alone; no batch scorer")
    parser.add_argument("--output", required=True)
    parser.add_argument("--seconds-output", help="measured seconds, apart from reproducible scores")
