"""The command line: what rules, tests and people run alike.

Every command reads files, computes by calling the library, and writes files that appear whole or not at all. Bad
input ends in one sentence on stderr and exit status 2, before anything is computed where it can be known; a run
that fails on good input, in one sentence and exit status 3. A traceback is a bug of ours, with exit status 1.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import BrokenExecutor
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from frugal.arguments import files_of, make_parser, settings_of
from frugal.extras import MissingExtraError
from frugal.files import check_outputs, check_suffix, read, read_all, whole, write
from frugal.interface import RunError

if TYPE_CHECKING:
    from frugal.code import Job
    from frugal.datasets import Dataset
    from frugal.interface import Candidate, TrialStrategy
    from frugal.model_selection import FoldSearchCV, TrialSearchCV
    from frugal.select.question import Question
    from frugal.trials.lines import JournalFile

log = logging.getLogger("frugal")


def main(arguments: list[str] | None = None) -> int:
    """Run one command of `frugal`; returns the exit status."""
    return run(make_parser(), COMMANDS, arguments)


def run(
    parser: argparse.ArgumentParser,
    commands: Mapping[str, Callable[[argparse.Namespace], None]],
    arguments: list[str] | None = None,
) -> int:
    """Run the command that `arguments` name (those of the process by default); returns the exit status.

    Files that it is to write are checked first, as of `files.check_outputs`.
    """
    for text in arguments or ():
        if not _is_text(text):
            parser.error(f"{text!r} holds a null byte or half a character, as no argument of a command can")
    args = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_: log.warning("warning: %s", message)
            check_outputs(files_of(args, "outputs"), files_of(args, "inputs"))
            commands[args.command](args)
    except (ValueError, TypeError, OSError, MemoryError, BrokenExecutor, MissingExtraError) as error:
        if args.debug:
            raise
        says = " ".join(str(error).split()) or "out of memory"
        print(f"{parser.prog} {args.command}: {says}", file=sys.stderr)
        return status_of(error)
    except SystemExit as error:
        said = ", ".join(map(repr, error.args))
        print(f"{parser.prog} {args.command}: what it ran called sys.exit({said})", file=sys.stderr)
        return 3
    except KeyboardInterrupt:
        print(
            f"{parser.prog} {args.command}: stopped; the same command starts again, from what it kept if any",
            file=sys.stderr,
        )
        return 130
    return 0


def _is_text(text: str) -> bool:
    """Whether the system could pass a text to a command."""
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def status_of(error: Exception) -> int:
    """Exit status of a command that ends in an error: 3 where the run failed, 2 where its input is refused."""
    by_input = (FileNotFoundError, FileExistsError, IsADirectoryError, NotADirectoryError, PermissionError)
    is_of_system = isinstance(error, (OSError, MemoryError, BrokenExecutor)) and not isinstance(error, by_input)
    return 3 if isinstance(error, RunError) or is_of_system else 2


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
    write(pd.DataFrame([row]), args.output)


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
    how = {"settings": settings_of(args.settings), "tie_rule": args.tie_rule}
    measured = [
        search(args.method, kept[s].table, kept[s].rungs, n_candidates=n, **how)
        for n in args.n_candidates
        for s in seeds
    ]
    write(pd.DataFrame([m.result | (m.timing if args.seconds else {}) for m in measured]), args.output)


def _collect(args: argparse.Namespace) -> None:
    """Per-seed rows of many searches in one file, and the statistics of each cell beside it."""
    import pandas as pd

    from frugal.folds.search import CELL_KEYS, cells

    frames = [read(path, *CELL_KEYS, "seed") for path in args.search]
    runs = pd.concat(frames, ignore_index=True).sort_values([*CELL_KEYS, "seed"], ignore_index=True)
    if args.variant:
        runs = runs.assign(variant=args.variant)
    table = cells(runs)
    write(runs, args.output)
    write(table, args.cells_output)


def _trials(args: argparse.Namespace) -> None:
    """A search of a learner by name, or of an estimator on the user's own table."""
    if "learner" in args:
        search_trials(args)
        return
    from frugal.select.run import trial_search

    names = ("estimator", "n_trials", "resource", "trial_timeout")
    _choose(args, trial_search, {name: getattr(args, name) for name in names})


def search_trials(
    args: argparse.Namespace, others: Mapping[str, Callable[..., TrialStrategy]] = MappingProxyType({})
) -> None:
    """One search, its trials kept as they are made, so that a killed one goes on; `others` as of `search`."""
    from frugal.code import jobs
    from frugal.trials.runs import forget
    from frugal.trials.searches import search

    settings = settings_of(args.settings)
    classes = {name: f"{of.__module__}:{of.__name__}" for name, of in others.items()}

    def job() -> Job:
        looked_up = looked_up_learner(args.learner, settings)
        return jobs.trials(args.method, args.learner, args.dataset, settings, looked_up=looked_up, others=classes)

    journal = journal_beside(args, job)
    where = (args.learner, args.dataset, args.seed, args.n_trials)
    found = search(args.method, *where, settings, args.root, journal, others)
    write(found, args.output)
    forget(journal.path)
    log.info("%d trials in %s; the incumbent: %s", len(found), args.output, found["incumbent"].iloc[-1])


def looked_up_learner(learner: str, settings: Mapping[str, Any]) -> str:
    """The learner whose fits or curves a search looks up, by their file; empty if it looks up none."""
    column = {"lookup": "learner", "curves": "network"}.get(learner)
    if column is None or "table" not in settings:
        return ""
    return str(read(settings["table"], column)[column].iloc[0])


def journal_beside(args: argparse.Namespace, job: Callable[[], Job]) -> JournalFile:
    """The journal of a job that writes `args.output`, gone on from as long as the job's code is the same.

    With `args.restart` it is set aside.
    """
    from frugal.code import jobs
    from frugal.trials.lines import JournalFile

    return JournalFile(Path(args.output).with_suffix(".jsonl"), lambda: jobs.hash_of(job()), args.restart)


def _curves(args: argparse.Namespace) -> None:
    """Learning curves of a network's candidates, kept as they are made, so that a killed job goes on."""
    from frugal.checks import check_settings
    from frugal.code import jobs
    from frugal.datasets import load
    from frugal.trials.curve_set import train_curves

    settings = settings_of(args.settings)
    check_settings(settings, ("n_train", "n_valid", "n_epochs"))
    journal = journal_beside(args, lambda: jobs.curves(args.network, args.dataset))
    data = load(args.dataset, root=args.root)
    write(train_curves(args.network, data, args.candidates, **settings, journal_path=journal), args.output)
    journal.path.unlink(missing_ok=True)


def _extrapolate(args: argparse.Namespace) -> None:
    """What first points of stored curves say of their last, kept as it is made, so that a killed job goes on."""
    from frugal.checks import check_settings
    from frugal.code import jobs
    from frugal.trials.curve_set import COLUMNS
    from frugal.trials.extrapolations import extrapolate

    settings = settings_of(args.settings)
    check_settings(settings, ("check_share", "curve"))
    curves = read(args.curves, *COLUMNS)
    journal = journal_beside(args, lambda: jobs.extrapolate(str(curves["network"].iloc[0])))
    write(extrapolate(curves, **settings, journal_path=journal), args.output)
    journal.path.unlink(missing_ok=True)


def _lookup(args: argparse.Namespace) -> None:
    """A part of a look-up table, the parts in one, or some of its cells made anew."""
    LOOKUP_STEPS[args.step](args)


def _lookup_measure(args: argparse.Namespace) -> None:
    from frugal.code import jobs
    from frugal.trials.look_up_jobs import measure_part

    settings = settings_of(args.settings)
    journal = journal_beside(args, lambda: jobs.lookup("measure", settings["learner"], settings["dataset"]))
    write(measure_part(settings, args.part, args.root, journal), args.output)
    journal.path.unlink(missing_ok=True)


def _lookup_gather(args: argparse.Namespace) -> None:
    from frugal.trials.lookup import LookUpProblem

    table = read_all(args.parts)
    LookUpProblem(table)  # refuses what is no whole table
    order = ["n_rows", "subset", "candidate"]
    write(table.sort_values(order, kind="stable", ignore_index=True), args.output)


def _lookup_recheck(args: argparse.Namespace) -> None:
    from frugal.seeds import rng_for
    from frugal.trials.look_up_jobs import problem_of
    from frugal.trials.lookup import check_cells, recheck

    problem = problem_of(settings_of(args.settings), args.root)
    rng = rng_for("recheck", problem.name, args.seed)
    cells = recheck(read(args.table), problem, args.n_cells, rng)
    write(cells, args.output)
    check_cells(cells)


def _gather(args: argparse.Namespace) -> None:
    """Rows of many jobs in one file, in the order of method and seed, or of other columns."""
    import pandas as pd

    runs = pd.concat([read(path, *args.by, "data") for path in args.runs])
    if args.experiment:
        runs.insert(0, "experiment", args.experiment)
    write(runs.sort_values(args.by, kind="stable", ignore_index=True), args.output)


def _bench(args: argparse.Namespace) -> None:
    from frugal.benches import BENCHES

    table = BENCHES[args.what](args)
    print(table if isinstance(table, str) else table.to_string(index=False))


def _select(args: argparse.Namespace) -> None:
    """Choose a model for the user's own table."""
    from frugal.select.run import search

    names = ("estimators", "n_candidates", "fit_timeout")
    _choose(args, search, {name: getattr(args, name) for name in names})


def _choose(
    args: argparse.Namespace,
    search: Callable[..., tuple[FoldSearchCV | TrialSearchCV, list[str]]],
    options: Mapping[str, Any],
) -> None:
    """Search for the best pipeline on the user's own table; `options` are those of this kind of search alone."""
    from frugal.datasets.user_table import read_table
    from frugal.select import run
    from frugal.select.question import ask

    settings = settings_of(args.settings)
    if args.results is not None:
        check_suffix(args.results)
    table, notes = read_table(args.data)
    question = ask(
        args.data,
        table,
        target=args.target,
        groups=args.groups,
        drop=args.drop,
        keep=args.keep,
        task=args.task,
    )
    print(*notes, *question.notes, question.columns, sep="\n")
    found, notes = search(
        question,
        strategy=args.strategy,
        settings=settings,
        n_folds=args.n_folds,
        scoring=args.scoring,
        positive=args.positive,
        seed=args.seed,
        verbose=1,
        n_jobs=args.workers,
        time_limit=args.time_limit,
        journal=args.journal,
        restart=args.restart,
        **options,
    )
    for note in notes:
        print(note)
    try:
        run.fit(question, found)
    except KeyboardInterrupt:
        if hasattr(found, "best_estimator_"):
            _show(question, found, args)
        raise
    _show(question, found, args)


def _show(question: Question, found: FoldSearchCV | TrialSearchCV, args: argparse.Namespace) -> None:
    """What was chosen and what that took; written, where it is asked for."""
    import joblib

    from frugal.model_selection import FoldSearchCV
    from frugal.select import report

    ranked, peer = report.ranking(found), report.without_learning(question, found)
    print(report.listed(ranked))
    print(report.compared(found, peer))
    print(report.saved(question, found) if isinstance(found, FoldSearchCV) else report.spent(question, found))
    for note in report.flattering(question, found, peer):
        print(f"note: {note}")
    print(found.best_estimator_)
    if args.output is not None:
        with whole(args.output) as part:
            joblib.dump(found.best_estimator_, part)
    if args.results is not None:
        write(ranked, args.results)


COMMANDS: dict[str, Callable[[argparse.Namespace], None]] = {
    "data": _data,
    "scores": _scores,
    "default": _default,
    "rungs": _rungs,
    "search": _search,
    "collect": _collect,
    "gather": _gather,
    "trials": _trials,
    "curves": _curves,
    "extrapolate": _extrapolate,
    "lookup": _lookup,
    "bench": _bench,
    "select": _select,
}
"""Name -> what runs it; `arguments` says what each takes."""
LOOKUP_STEPS: dict[str, Callable[[argparse.Namespace], None]] = {
    "measure": _lookup_measure,
    "gather": _lookup_gather,
    "recheck": _lookup_recheck,
}
