"""Workers of a pool that die in a fit: its task is repeated once, and the answer is that without a death."""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

from faults import Fault, Outcome, judge
from frugal import folds, minimize
from frugal.folds import Fit, Trace
from frugal.interface import FoldTask

sys.path.insert(0, str(Path(__file__).parents[1] / "unit/folds"))
sys.path.insert(0, str(Path(__file__).parents[1] / "unit/model_selection"))
from test_live_runs import ENDINGS, SCORES, Evaluation, greedy, in_workers
from test_minimize import MEASURED, SPACE, Counted, bowl, die

KIND, MINIMIZE = "death of a worker", "minimize"
HOWS = tuple(f"{ending}, {times}" for times in ("once", "twice") for ending in ENDINGS)
Answer = tuple[object, ...]


def faults(n: int, seed: int) -> list[Fault]:
    """The first `n`: all strategies of folds in turn, in all ways, and `minimize`, killed once."""
    names = (*folds.known(), MINIMIZE)
    ways = [(names[i % len(names)], HOWS[(i + i // len(names)) % len(HOWS)]) for i in range(n)]
    return [
        Fault(KIND, name, HOWS[0] if name == MINIMIZE else how, seed + i) for i, (name, how) in enumerate(ways)
    ]


def attempts(folder: Path, n: int, seed: int) -> Iterator[Outcome]:
    """Try `n` deaths."""
    for number, fault in enumerate(faults(n, seed)):
        place = folder / f"run{number}"
        place.mkdir(parents=True)
        yield (_of_minimize if fault.what == MINIMIZE else _of_folds)(fault, place)


def _of_folds(fault: Fault, place: Path) -> Outcome:
    """A death at one of the tasks that the strategy asks, or two; then this fit alone has failed."""
    rng = fault.rng
    ending, times = fault.how.split(", ")
    n_pending, n_workers = rng.randint(1, 4), rng.randint(1, 3)
    task = rng.choice(folds.run(greedy(fault.what), _score, n_pending=n_pending).tasks)
    at = f"candidate {task.candidate}, fold {task.fold}"
    says = [f"{at} is repeated, since its worker died: the worker {ENDINGS[ending]}"]
    lost = "" if times == "once" else f"its worker died twice: the worker {ENDINGS[ending]}"
    right = folds.run(
        greedy(fault.what),
        lambda asked: Fit(math.nan, 0.0, lost) if lost and asked == task else _score(asked),
        n_pending=n_pending,
    )
    evaluate = Evaluation(place, ending, n_faults=1 if times == "once" else 2, faulty=task)

    def attempt() -> Answer:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always", RuntimeWarning)
            trace = in_workers(evaluate, n_workers, fault.what, n_pending=n_pending)
        messages = [str(one.message) for one in warned if issubclass(one.category, RuntimeWarning)]
        return _content(trace), [evaluate.calls(asked) for asked in trace.tasks], messages

    calls = [2 if asked == task else 1 for asked in right.tasks]
    return judge(fault, attempt, lambda found: found == (_content(right), calls, says), names=None)


def _score(task: FoldTask) -> Fit:
    return Fit(float(SCORES[task.candidate, task.fold]), 0.5)


def _content(trace: Trace) -> str:
    """All of a run but for seconds."""
    fits = [(task, fit.score, fit.reason) for task, fit in zip(trace.tasks, trace.answers, strict=True)]
    return repr((fits, trace.chosen, trace.complete))


def _of_minimize(fault: Fault, place: Path) -> Outcome:
    """A death at one call of the function."""
    rng = fault.rng
    options = {"strategy": "random", "n_trials": 6, "random_state": rng.randrange(10**6), "n_pending": 2}
    function = Counted(place, at=rng.randrange(6), instead=die)

    def ask(objective: object, **more: object) -> Answer:
        found = minimize(objective, SPACE, **options, **more)
        return found.candidate, found.error, found.trials.drop(columns=MEASURED).to_csv()

    def attempt() -> Answer:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always", RuntimeWarning)
            answer = ask(function, trial_timeout=60.0)  # one worker, so that no two calls have one number
        n_warnings = sum(
            "is repeated, since its worker died: the worker was killed by SIGKILL" in str(one.message)
            for one in warned
        )
        return *answer, function.n_calls, n_warnings

    right = ask(bowl)
    return judge(fault, attempt, lambda found: found == (*right, 7, 1), names=None)
