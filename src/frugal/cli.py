"""The command line for people, and what the studies' command line shares with it.

Every command reads files, computes by calling the library, and writes files that appear whole or not at all. Bad
input ends in one sentence on stderr and exit status 2, before anything is computed where it can be known; a run
that fails on good input, in one sentence and exit status 3. A traceback is a bug of ours, with exit status 1.
"""

from __future__ import annotations

import argparse
import io
import logging
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from frugal.arguments import JOURNAL, files_of, make_parser, parse_settings
from frugal.checks import check_whole
from frugal.extras import MissingExtraError
from frugal.files import check_outputs, check_suffix, read, whole, write
from frugal.interface import RunError

if TYPE_CHECKING:
    from frugal.code import Job
    from frugal.interface import TrialStrategy
    from frugal.model_selection import FoldSearchCV, TrialSearchCV
    from frugal.select.problem import Problem
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

    The files to be written are checked first, by `files.check_outputs`.
    """
    for text in arguments or ():
        if not _is_text(text):
            parser.error(f"{text!r} holds a null byte or half a character, as no argument of a command can")
    args = parser.parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # names of columns and files may have characters that it lacks
            stream.reconfigure(errors="backslashreplace")
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    try:
        with warnings.catch_warnings():
            # Each text once: Python forgets what it has shown whenever another block changes the filters.
            say = cache(lambda text: log.warning("warning: %s", text))
            warnings.showwarning = lambda message, *_: say(str(message))
            check_outputs(files_of(args, "outputs"), files_of(args, "inputs"))
            commands[args.command](args)
    except (ValueError, TypeError, OSError, MemoryError, BrokenExecutor, MissingExtraError) as error:
        if args.debug:
            raise
        print(f"{args.prog}: {_with_flags(_sentence(error), args.flags)}", file=sys.stderr)
        return status_of(error)
    except SystemExit as error:
        status = ", ".join(map(repr, error.args))
        print(f"{args.prog}: the command called sys.exit({status})", file=sys.stderr)
        return 3
    except KeyboardInterrupt:
        print(f"{args.prog}: stopped; run the same command again to resume or restart it", file=sys.stderr)
        return 130
    return 0


def _is_text(text: str) -> bool:
    """True if the operating system can pass `text` as an argument of a command."""
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def _sentence(error: Exception) -> str:
    """The message of an error in one line; for an error of the operating system, the file and the reason."""
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror[0].lower()}{error.strerror[1:]}"
    return " ".join(str(error).split()) or "out of memory"


_OPTION_OF: Final = {"n_jobs": "workers", "n_pending": "workers", "random_state": "seed"}
"""Arguments of the estimators, and the options of commands that they come from."""


def _with_flags(message: str, flags: Mapping[str, str]) -> str:
    """A message with the flags that the user may type in place of our arguments."""
    if "restart" in flags:
        message = message.replace("set it aside by restart=True", f"set it aside by {flags['restart']}")
    if " is the journal of another run, with other n_pending; " in message and "workers" in flags:
        message = message.replace(
            "with other n_pending; ", f"with another {flags['workers']}; give that number again, or "
        )
    found = re.match(r"(?:The '(\w+)' parameter of \w+|(\w+)) must ", message)
    if found is None:
        return message
    name = found[1] or found[2]
    flag = flags.get(name) or flags.get(_OPTION_OF.get(name, ""))
    return message if flag is None else f"{flag} must {message[found.end() :]}"


def status_of(error: Exception) -> int:
    """Exit status for an error: 3 if the run failed, 2 if its input was refused."""
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


def _trials(args: argparse.Namespace) -> None:
    """Search a learner known by name, or an estimator on the user's own table."""
    if "learner" in args:
        search_trials(args)
        return
    from frugal import trials
    from frugal.select.run import trial_search

    trials.settings_of(args.strategy)
    names = ("estimator", "n_trials", "resource", "trial_timeout")
    _choose(args, trial_search, {name: getattr(args, name) for name in names})


def search_trials(
    args: argparse.Namespace, others: Mapping[str, Callable[..., TrialStrategy]] = MappingProxyType({})
) -> None:
    """Run one search. Each trial is stored at once, so that a killed search resumes; `others` as in `search`."""
    from frugal.benchmarks.searches import search
    from frugal.code import jobs

    check_suffix(args.output)
    settings = parse_settings(args.settings)
    classes = {name: f"{kind.__module__}:{kind.__name__}" for name, kind in others.items()}

    def job() -> Job:
        looked_up = looked_up_learner(args.learner, settings)
        return jobs.trials(args.method, args.learner, args.dataset, settings, looked_up=looked_up, others=classes)

    where = (args.learner, args.dataset, args.seed, args.n_trials)
    with journal_beside(args, job) as journal:
        found = search(args.method, *where, settings, args.root, journal, others)
        write(found, args.output)
    log.info("%d trials in %s; the incumbent: %s", len(found), args.output, found["incumbent"].iloc[-1])


def looked_up_learner(learner: str, settings: Mapping[str, Any]) -> str:
    """Name of the learner whose stored fits or curves a search looks up; empty if it looks up none."""
    column = {"lookup": "learner", "curves": "network"}.get(learner)
    if column is None or "table" not in settings:
        return ""
    return str(read(settings["table"], column)[column].iloc[0])


@contextmanager
def journal_beside(args: argparse.Namespace, job: Callable[[], Job]) -> Iterator[JournalFile]:
    """Yield the journal of the job that writes `args.output`.

    The journal and the states beside it are removed once the output is written. An existing journal is continued
    if the job's code is unchanged; `args.restart` sets it aside.

    Raises:
        ValueError: if another job that is under way writes the same journal.
    """
    from frugal.code import jobs
    from frugal.trials.lines import JournalFile, lock_journal
    from frugal.trials.runs import forget

    journal = JournalFile(JOURNAL["journal"](Path(args.output)), lambda: jobs.hash_of(job()), args.restart)
    with lock_journal(journal.path):
        yield journal
        forget(journal.path)


def _bench(args: argparse.Namespace) -> None:
    from frugal.bench import BENCHES

    table = BENCHES[args.what](args)
    print(table if isinstance(table, str) else table.to_string(index=False))


def _select(args: argparse.Namespace) -> None:
    """Choose a model for the user's own table."""
    from frugal import folds
    from frugal.select.run import search

    folds.settings_of(args.strategy)  # a mistyped strategy is refused before the table is read
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
    from frugal.select.problem import problem_of

    check_whole("n_folds", args.n_folds, 2)
    check_whole("n_jobs", args.workers, 1)
    settings = parse_settings(args.settings)
    if args.results is not None:
        check_suffix(args.results)
    table, notes = read_table(args.data)
    problem = problem_of(
        args.data,
        table,
        target=args.target,
        groups=args.groups,
        drop=args.drop,
        keep=args.keep,
        task=args.task,
    )
    print(*notes, *problem.notes, problem.columns, sep="\n")
    found, notes = search(
        problem,
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
        run.fit(problem, found)
    except (KeyboardInterrupt, BrokenExecutor, MemoryError):
        if hasattr(found, "best_estimator_"):
            try:
                _show(problem, found, args)
            except (OSError, RunError) as error:  # what ended the search decides on the exit status
                log.warning("warning: %s", _sentence(error))
        raise
    _show(problem, found, args)


def _show(problem: Problem, found: FoldSearchCV | TrialSearchCV, args: argparse.Namespace) -> None:
    """Print the chosen model and the cost of the search, and write the files that were asked for."""
    from frugal.model_selection import FoldSearchCV
    from frugal.select import report

    ranked, failures = report.ranking(found), []
    files = ((args.output, partial(_dump, found.best_estimator_)), (args.results, partial(write, ranked)))
    for path, put in files:
        if path is not None:
            try:
                put(path)
            except Exception as error:  # noqa: BLE001  raised below: it costs neither the other file nor the report
                failures.append(error)
    baseline = report.baseline(problem, found)
    print(report.format_ranking(ranked))
    print(report.comparison(found, baseline))
    print(
        report.fold_cost(problem, found) if isinstance(found, FoldSearchCV) else report.trial_cost(problem, found)
    )
    for note in report.caveats(problem, found, baseline):
        print(f"note: {note}")
    if failures:
        raise failures[0]
    if args.output is not None:
        print(f"{args.output} has the best one, fitted to all rows, for joblib.load")


def _dump(model: object, path: Path) -> None:
    import joblib

    with whole(path) as part:
        joblib.dump(model, part)


COMMANDS: dict[str, Callable[[argparse.Namespace], None]] = {
    "data": _data,
    "trials": _trials,
    "bench": _bench,
    "select": _select,
}
"""Name of a command -> the function that runs it. `arguments` declares what each accepts."""
