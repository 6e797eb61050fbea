"""Arguments of the commands of `frugal`. The commands themselves are in `cli`."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import frugal

LARGEST_SEED: Final = 2**32 - 1


def numbers(text: str) -> list[int]:
    """Parse `3` or `0-4` as a list of whole numbers.

    Raises:
        argparse.ArgumentTypeError: on anything else, or a range that runs backwards.
    """
    first, dash, last = text.partition("-")
    try:
        listed = list(range(int(first), int(last if dash else first) + 1))
    except ValueError:
        listed = []
    if not listed:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number nor a range such as 0-4")
    return listed


def seed(text: str) -> int:
    """Parse a whole number that scikit-learn takes as a seed.

    Raises:
        argparse.ArgumentTypeError: on anything else, such as a number below 0.
    """
    is_whole = text.isascii() and text.isdigit() and len(text) <= len(str(LARGEST_SEED))
    if not is_whole or int(text) > LARGEST_SEED:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 0 to {LARGEST_SEED}")
    return int(text)


def _on_demand(text: str) -> str:
    """Return the name of a dataset that is fetched only on request.

    Raises:
        argparse.ArgumentTypeError: if no such dataset has this name.
    """
    from frugal.datasets.catalogue import CATALOGUE

    known = [name for name, entry in CATALOGUE.items() if entry.opt_in]
    if text not in known:
        raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(known)}")
    return text


def parse_settings(text: str, flag: str = "--settings") -> dict[str, Any]:
    """Parse the JSON object of `--settings`, or of another flag.

    Raises:
        ValueError: if it is no JSON object, or holds NaN or an infinity.
    """
    try:
        settings = json.loads(text, parse_constant=_finite, parse_float=_finite)
    except (ValueError, RecursionError):  # no JSON, a number of thousands of digits, or parts nested too deep
        settings = None
    if not isinstance(settings, dict):
        raise ValueError(f"{flag} must be a JSON object, got {text!r}")
    return settings


def _finite(text: str) -> float:
    """The number; ValueError on NaN and infinities, which Python reads (1e999 is one) and JSON does not know."""
    if not math.isfinite(number := float(text)):
        raise ValueError(text)
    return number


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands. The parsed attribute `command` is the name of the chosen one."""
    parser, commands = top_level("frugal", "Model selection on a budget.")

    p = command(commands, "data", "fetch, verify and prepare a dataset")
    p.add_argument("name", help="such as digits, mnist or cifar10; another name lists all")
    add_root(p)
    p.add_argument("--no-stand-in", action="store_true", help="fail where the real data is out of reach")
    p.add_argument(
        "--opt-in",
        action="append",
        type=_on_demand,
        default=[],
        help="a dataset that is fetched only on request; may be repeated",
    )
    p.add_argument("--timeout-s", type=float, default=60.0, help="seconds without an answer that end an attempt")
    p.add_argument("--n-retries", type=int, default=3, help="further attempts at each source")
    _add_table_trials(commands)
    _add_benches(commands)
    _add_select(commands)
    return parser


def _add_benches(commands: Any) -> None:
    """Add the command of the benchmarks, each of which is a command of its own."""
    p = command(commands, "bench", "measure against a named peer in one run")
    benches = p.add_subparsers(dest="what", required=True, metavar="WHAT")
    p = command(benches, "beta", "the Beta model's quadrature against emcee")
    p.add_argument("--n-steps", type=int, default=400, help="of emcee, per walker")
    p.add_argument("--n-chains", type=int, default=8, help="of emcee, per pair")
    p = command(benches, "curves", "fits of learning curves, their likelihood vectorised and not")
    p.add_argument("--n-points", type=int, nargs="+", default=[50, 200], help="of the curves")
    p.add_argument("--seed", type=seed, default=0, help="of noise and chains")
    p = command(benches, "networks", "training of the networks against plain torch, and the device's peak")
    add_root(p)
    p.add_argument("--networks", nargs="+", default=["mnist_cnn", "mlp"], help="also cifar_cnn, on CIFAR-10")
    p.add_argument("--dataset", help="instead of each network's own")
    p.add_argument("--settings", default="{}", help="hyperparameters that differ from the default's, as JSON")
    p.add_argument("--n-rows", type=int, default=4800, help="rows of one epoch")
    p.add_argument("--n-repeats", type=int, default=5, help="epochs that are measured")
    p.add_argument("--device", default="auto", help="auto, cpu or cuda")
    p = command(benches, "folds", "the batch scorers against scikit-learn's cross_validate")
    add_root(p)
    p.add_argument("--datasets", nargs="+", default=["wdbc", "boston", "digits"], help="to score on")
    p.add_argument(
        "--classifiers", nargs="+", default=["bernoulli_nb", "decision_tree", "knn"], help="with batch scorers"
    )
    p.add_argument("--n-candidates", type=int, default=256, help="scored on every fold")
    p.add_argument("--n-folds", type=int, default=10, help="of the cross-validation")
    p = command(benches, "rows", "BLB and OSMAC on a stream of rows, with peak memory, against fits to all")
    p.add_argument("--n-rows", type=int, default=10_000_000, help="of the stream")
    p.add_argument("--chunk-rows", type=int, default=250_000, help="rows in memory at once")
    p.add_argument("--seed", type=seed, default=0, help="of the rows and all draws")
    p = command(benches, "select", "FoldSearchCV against scikit-learn's searches, Optuna and FLAML")
    add_root(p)
    p.add_argument("--tables", nargs="*", default=[], help="datasets; six by default")
    p.add_argument(
        "--estimators", nargs="*", default=[], help="any of svc, hist_gradient_boosting, extra_trees, columns"
    )
    p.add_argument("--n-seeds", type=int, default=3, help="searches of each table and estimator")
    p.add_argument("--n-folds", type=int, default=10, help="of the cross-validation")
    p.add_argument("--n-rows", type=int, default=2000, help="drawn of a table at most")
    add_output(p, "--output", help="a row per table, estimator, seed and method, as CSV")
    p = command(benches, "trials", "suggestions of ei against BoTorch and Optuna, and GP and DNGO fits by trials")
    p.add_argument("--n-trials", type=int, default=100, help="told before the first suggestion")
    p.add_argument("--n-dimensions", type=int, default=6, help="of the function that is searched")
    p.add_argument("--seed", type=seed, default=0, help="of the function's noise and all draws")


def _add_select(commands: Any) -> None:
    """Add the command that chooses a model for a user's own table, fold by fold."""
    p = command(commands, "select", "choose a model for your own table")
    _add_table(p, default_strategy="greedy_early_stopping", family="folds")
    p.add_argument(
        "--estimators",
        nargs="+",
        default=[],
        help="such as svm, knn, hist_gradient_boosting; by default those that suit the table's size",
    )
    p.list_before_data("estimators")
    p.add_argument("--n-candidates", type=int, default=64, help="drawn from the estimators' spaces together")
    p.add_argument("--fit-timeout", type=float, help="seconds after which a fit counts as failed; none by default")


Places = Mapping[str, Callable[[Path], Path]]
"""Files written beside one that an argument names: description -> function from its path to theirs."""
BY_NAME: Final = "search a learner's hyperparameters, or a function's minimum, trial by trial"
JOURNAL: Final[Places] = {"journal": lambda path: path.with_suffix(".jsonl")}
READ_BY_SETTINGS: Final = ("table", "extrapolations")
"""Settings whose value is the path of a file."""


def add_output(
    parser: argparse.ArgumentParser,
    flag: str,
    beside: Places | None = None,
    *,
    itself: bool = True,
    **options: Any,
) -> None:
    """Add an argument that names a file to write, or several; `cli.run` checks them before the command begins.

    Args:
        parser: parser of the command.
        flag: flag of the argument.
        beside: further files that are written for each of these files.
        itself: whether a file of just that name is written.
        **options: as in `add_argument`.
    """
    _add_file(parser, "outputs", flag, ({"": lambda path: path} if itself else {}) | dict(beside or {}), options)


def add_input(parser: argparse.ArgumentParser, flag: str, **options: Any) -> None:
    """Add an argument that names a file to read, or several, which no output may replace; see `add_output`."""
    _add_file(parser, "inputs", flag, {"": lambda path: path}, options)


def _add_file(
    parser: argparse.ArgumentParser, kind: str, flag: str, places: Places, options: Mapping[str, Any]
) -> None:
    name = parser.add_argument(flag, **options).dest
    parser.set_defaults(**{kind: [*(parser.get_default(kind) or []), (flag, name, places)]})


def files_of(args: argparse.Namespace, kind: str) -> list[tuple[str, Path]]:
    """What a command is to write (`outputs`) or to read (`inputs`): what each file is, and its path.

    Raises:
        ValueError: if a path is empty.
    """
    found: list[tuple[str, Path]] = []
    for flag, name, places in getattr(args, kind, []):
        argument = getattr(args, name)
        for value in argument if isinstance(argument, list) else [argument]:
            if value == "":
                raise ValueError(f"{flag} must name a file, got ''")
            listed = places.items() if value is not None else ()
            found += [(f"the {what} of {flag}" if what else flag, place(Path(value))) for what, place in listed]
    if kind == "inputs" and hasattr(args, "settings"):
        settings = parse_settings(args.settings)
        _check_shape(settings)
        named = {name: settings[name] for name in READ_BY_SETTINGS if name in settings}
        found += [(f"{name} of --settings", Path(path)) for name, path in named.items()]
    return found


def _check_shape(settings: Mapping[str, Any]) -> None:
    """Raise ValueError unless settings that name a file are texts, and those of strategies are objects by name."""
    for name in READ_BY_SETTINGS:
        if name in settings and not isinstance(settings[name], str):
            raise ValueError(f"{name} of --settings must name a file, got {settings[name]!r}")
    strategies = settings.get("strategies", {})
    if not isinstance(strategies, dict) or not all(isinstance(value, dict) for value in strategies.values()):
        raise ValueError(
            f"strategies of --settings must hold an object of settings for each name, got {strategies!r}"
        )


class _Help(argparse.ArgumentDefaultsHelpFormatter):
    """Shows the default of every option, except None, False and []."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        is_nothing = action.default is None or action.default is False or action.default == []
        return action.help if is_nothing else super()._get_help_string(action)


def command(commands: Any, name: str, text: str) -> _Parser:
    """Add one command, whose help shows its defaults."""
    parser: _Parser = commands.add_parser(name, help=text, description=text, formatter_class=_Help)
    parser.set_defaults(prog=parser.prog)
    return parser


def add_restart(parser: argparse.ArgumentParser) -> None:
    """Add the option of a command that keeps a journal."""
    parser.add_argument("--restart", action="store_true", help="set the journal aside as .old, and begin anew")


def add_root(parser: argparse.ArgumentParser) -> None:
    """Add the option of a command that reads datasets."""
    parser.add_argument("--root", default="data", help="folder of the datasets")


def _add_table(p: argparse.ArgumentParser, *, default_strategy: str, family: str) -> None:
    """Add the arguments that describe a user's own table, for every kind of search."""
    add_input(p, "data", help="a CSV file with a header line, or a parquet file")
    p.add_argument("--target", help="name of the column that is predicted; the last by default")
    p.add_argument("--task", help="classification or regression; by default detected from the target")
    p.add_argument("--drop", action="append", default=[], help="a column to leave out; may be repeated")
    p.add_argument(
        "--keep", action="append", default=[], help="a column to use whatever it holds; may be repeated"
    )
    p.add_argument("--groups", help="column of what the rows belong to; rows of a group stay in one fold")
    p.add_argument("--scoring", help="scikit-learn's name; accuracy, or r2 of a regression, by default")
    p.add_argument("--positive", help="the class that a scoring such as f1 is about")
    p.add_argument("--strategy", default=default_strategy, help=f"any of `frugal.{family}.known()`")
    p.add_argument("--settings", default="{}", help="the strategy's settings, as JSON")
    p.add_argument("--n-folds", type=int, default=5, help="of the cross-validation")
    p.add_argument("--seed", type=seed, default=0, help="of candidates, folds and estimators")
    p.add_argument(
        "--workers", type=int, default=1, help="processes that fit at once; the number may change the result"
    )
    p.add_argument(
        "--time-limit",
        type=float,
        help="seconds after which no fit, or trial, is started (one that runs is finished); none by default",
    )
    add_output(p, "--journal", help="keeps every fit; the same command repeats none")
    add_restart(p)
    add_output(p, "--output", help="the fitted pipeline, for joblib.load")
    add_output(p, "--results", help="a row per candidate or trial, as parquet or CSV")


def top_level(prog: str, text: str) -> tuple[argparse.ArgumentParser, Any]:
    """Return a parser without commands, and the object that commands are added to."""
    parser = _Parser(prog=prog, description=text)
    parser.add_argument("--version", action="version", version=f"frugal {frugal.__version__}")
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
    return parser, parser.add_subparsers(dest="command", required=True, metavar="COMMAND")


class _Parser(argparse.ArgumentParser):
    """A parser of a command with two forms: a command line with one of `switches` is parsed by `other`.

    The positional argument `data` may follow the values of the option `listed`. argparse alone would take it for
    one more value. The parsed attribute `flags` has the flag of every option by its name.
    """

    other: argparse.ArgumentParser | None = None
    switches: frozenset[str] = frozenset()
    listed: str = ""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse as `argparse.ArgumentParser` does, or hand over to `other`."""
        if self.other is not None and any(text.partition("=")[0] in self.switches for text in args or ()):
            return self.other.parse_known_args(args, namespace)
        found, rest = super().parse_known_args(args, namespace)
        flags = {action.dest: action.option_strings[-1] for action in self._actions if action.option_strings}
        found.flags = flags | getattr(found, "flags", {})
        if self.listed and found.data is None:
            values = getattr(found, self.listed)
            if len(values) < 2:
                self.error("the following arguments are required: data")
            found.data = values.pop()
        return found, rest

    def list_before_data(self, name: str) -> None:
        """Let the values of an option stand before the argument `data`."""
        self.listed = name
        next(action for action in self._actions if action.dest == "data").required = False


def add_trials(commands: Any) -> None:
    """Add the command that runs a trials search on a learner and a dataset known by name."""
    _add_by_name(command(commands, "trials", BY_NAME))


def _add_table_trials(commands: Any) -> None:
    """Add the same command for a user's own table; given a learner and a dataset it acts as `add_trials`."""
    p = command(commands, "trials", "search the hyperparameters of an estimator on your own table, trial by trial")
    p.epilog = (
        f"With --learner and --dataset: {BY_NAME}; "
        "`frugal trials ei --learner knn --dataset digits --help` says what that takes."
    )
    _add_table(p, default_strategy="ei", family="trials")
    p.add_argument("--estimator", default="hist_gradient_boosting", help="such as ridge, svm, knn, random_forest")
    p.add_argument(
        "--n-trials",
        type=int,
        help="at most, beside one more on all rows if the best had none; by default 50 (of hypertune after 50 on "
        "subsets), or hyperband's brackets",
    )
    p.add_argument(
        "--resource",
        help="what a trial may be given less of: n_samples, the default of strategies that need one, or a "
        "parameter of the estimator, such as max_iter",
    )
    p.add_argument(
        "--trial-timeout", type=float, help="seconds after which a trial counts as failed; none by default"
    )
    p.switches = frozenset({"--learner", "--dataset"})
    p.other = _Parser(prog=p.prog, description=BY_NAME, formatter_class=p.formatter_class)
    p.other.set_defaults(prog=p.prog)
    _add_by_name(p.other)


def _add_by_name(p: argparse.ArgumentParser) -> None:
    p.add_argument("method", help="a strategy of the trials family")
    p.add_argument("--learner", required=True, help="any learner, `function`, `lookup` or `curves`")
    p.add_argument("--dataset", required=True, help="or the name of the function")
    p.add_argument("--seed", type=seed, required=True)
    p.add_argument("--n-trials", type=int, required=True)
    p.add_argument("--settings", default="{}", help="of the problem and its strategies, as JSON")
    add_root(p)
    add_output(p, "--output", JOURNAL, required=True, help="a killed search goes on from the journal beside it")
    add_restart(p)
