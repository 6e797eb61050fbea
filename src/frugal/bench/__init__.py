"""Benchmarks of `frugal bench`, each against a named peer: a table of one run, as a frame or as Markdown."""

from __future__ import annotations

import argparse
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from frugal.arguments import parse_settings

if TYPE_CHECKING:
    import pandas as pd

log = logging.getLogger("frugal")


def _bench_beta(args: argparse.Namespace) -> pd.DataFrame:
    from frugal.bench.beta import bench_beta

    return bench_beta(n_steps=args.n_steps, n_chains=args.n_chains)


def _bench_curves(args: argparse.Namespace) -> pd.DataFrame:
    from frugal.bench.curves import bench_curves

    return bench_curves(args.n_points, seed=args.seed)


def _bench_folds(args: argparse.Namespace) -> pd.DataFrame:
    from frugal.bench.folds import bench_folds

    counts = {"n_candidates": args.n_candidates, "n_folds": args.n_folds}
    return bench_folds(args.datasets, args.classifiers, **counts, root=args.root)


def _bench_networks(args: argparse.Namespace) -> pd.DataFrame:
    from frugal.bench.networks import bench_networks

    return bench_networks(
        args.networks,
        candidate=parse_settings(args.settings),
        dataset=args.dataset,
        n_rows=args.n_rows,
        n_repeats=args.n_repeats,
        device=args.device,
        root=args.root,
    )


def _bench_rows(args: argparse.Namespace) -> pd.DataFrame:
    import pandas as pd

    from frugal.bench.blb import bench_blb
    from frugal.bench.osmac import bench_osmac

    sizes = {"n_rows": args.n_rows, "chunk_rows": args.chunk_rows, "seed": args.seed}
    shown = [
        "method", "n_rows", "n_features", "n_drawn", "rows_held", "seconds", "seconds_ratio", "base_mib",
        "peak_mib", "error",
    ]  # fmt: skip
    table = pd.concat([bench(**sizes) for bench in (bench_blb, bench_osmac)])[shown]
    return table.astype({"n_drawn": "Int64", "rows_held": "Int64"})


def _bench_select(args: argparse.Namespace) -> str:
    from frugal.bench.select import TABLES, as_markdown, bench_select, overhead_ms
    from frugal.bench.select_problem import ESTIMATORS
    from frugal.files import check_suffix, write

    if args.output is not None:
        check_suffix(args.output)
    cells = bench_select(
        args.tables or TABLES,
        args.estimators or tuple(ESTIMATORS),
        n_seeds=args.n_seeds,
        n_folds=args.n_folds,
        n_rows=args.n_rows,
        root=args.root,
        progress=log.info,
    )
    if args.output is not None:
        write(cells, args.output)
    overheads = ", ".join(f"{name} {ms:.2f}" for name, ms in overhead_ms().items())
    log.info("ms per fit beside the fit itself, of FoldSearchCV by strategy and of its peer: %s", overheads)
    log.info("seconds of a live FoldSearchCV over GridSearchCV's: %.2f", cells["live_share"].mean())
    return as_markdown(cells)


def _bench_trials(args: argparse.Namespace) -> pd.DataFrame:
    from frugal.bench.trials import bench_trials

    return bench_trials(args.n_trials, args.n_dimensions, args.seed)


BENCHES: dict[str, Callable[[argparse.Namespace], pd.DataFrame | str]] = {
    "beta": _bench_beta,
    "curves": _bench_curves,
    "folds": _bench_folds,
    "networks": _bench_networks,
    "rows": _bench_rows,
    "select": _bench_select,
    "trials": _bench_trials,
}
"""Name of a benchmark -> the function that runs it. `arguments` declares what each accepts."""
