"""Journal of a search trial by trial, so that the same search repeats none."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final

from frugal.code import jobs
from frugal.interface import Candidate, Trial, TrialTask
from frugal.model_selection.evaluation import ScoredFit
from frugal.model_selection.journal import Journal, journal_of, plain_fit, sendable
from frugal.model_selection.trial_evaluation import ScoredTrial
from frugal.model_selection.trial_space import candidate_text
from frugal.spaces import SearchSpace
from frugal.trials.lines import JournalFile, JournalPath
from frugal.trials.live import as_text
from frugal.trials.runs import ANSWER, TASK

_RUN: Final = ("frugal.model_selection.trial_plan:LimitedTrialStrategy", "frugal.trials.live:LiveRun")
_EXACT = tuple(name for name in TASK if name != "candidate")


class TrialJournal(Journal):
    """The trials of one search; a context manager, with the files of `Journal`.

    Attributes:
        n_kept: number of trials that the file held when it was opened.
        n_answered: number of stored trials that were given in place of an evaluation.

    Args:
        journal: the file; its folder is created. A journal of older code is set aside. None: nothing is stored.
        parts: values that identify the search.
        space: the search space, whose listed objects count by the content that they have now.

    Raises:
        ValueError: if the file is the journal of another search, or not a journal.
    """

    _apart: ClassVar[tuple[str, ...]] = ()
    _texts: ClassVar = ("curve", "fits")
    _columns: ClassVar = (
        {"id": "int64", "candidate": "string", "n_rows": "int64", "subset": "int64", "epochs": "int64"}
        | {"resume_from": "int64", "error": "float64", "seconds": "float64", "cost": "float64", "curve": "string"}
        | {"reason": "string", "overhead_s": "float64", "fits": "string"}
    )

    def __init__(self, journal: JournalPath | None, parts: Mapping[str, Any], space: SearchSpace) -> None:
        self._by_id: dict[int, dict[str, Any]] = {}
        self.n_answered = 0
        self._text: Callable[[Candidate], str] = as_text if journal is None else candidate_text(space)
        super().__init__(journal, parts)
        self.n_kept = len(self._by_id)

    def keep_trial(self, trial: Trial) -> None:
        """Append a trial, which then survives the death of the process."""
        if self._journal is not None:
            row = _row(trial, self._text(trial.task.candidate))
            self._by_id[trial.task.id] = row
            self._lines.add(row)

    def answer(self, task: TrialTask) -> Trial | None:
        """The stored trial of a task; None if there is none.

        Raises:
            ValueError: if the journal has a different task with the same number.
        """
        row = self._by_id.get(task.id)
        if row is None:
            return None
        asked = {name: getattr(task, name) for name in _EXACT} | {"candidate": self._text(task.candidate)}
        if asked != {name: row[name] for name in TASK}:
            assert self._journal is not None
            raise ValueError(
                f"{self._journal.path} holds another trial {task.id} than the search asks for, so it is the "
                f"journal of another run, such as one with another n_trials; {self._journal.remedy}"
            )
        self.n_answered += 1
        fields = {name: row[name] for name in ANSWER} | {"curve": tuple(row["curve"])}
        if row["fits"] is None:
            return Trial(task, **fields)
        return ScoredTrial(task, **fields, fits=tuple(ScoredFit(**fit) for fit in row["fits"]))

    def _rows(self) -> list[dict[str, Any]]:
        return [dict(row) for row in self._by_id.values()]

    def _take(self, row: dict[str, Any]) -> None:
        self._by_id[row["id"]] = {name: row[name] for name in self._columns}


def trials_journal(
    path: str | os.PathLike[str] | None, strategy: str, *roots: str, restart: bool
) -> JournalFile | None:
    """The journal file of a search by trials, see `journal_of`; its code includes the strategy's."""
    strategy_roots, names = jobs.strategy("trials", strategy)
    return journal_of(path, *roots, *_RUN, *strategy_roots, names=names, restart=restart)


def _row(trial: Trial, candidate: str) -> dict[str, Any]:
    task, answer = trial.task, {name: getattr(trial, name) for name in ANSWER}
    fits = [plain_fit(fit) for fit in trial.fits] if isinstance(trial, ScoredTrial) else None
    plain = {name: _number(getattr(task, name)) for name in _EXACT}
    answer |= {name: float(answer[name]) for name in ("error", "seconds", "cost", "overhead_s")}
    answer["reason"] = sendable(answer["reason"])
    return plain | answer | {"candidate": candidate, "curve": list(trial.curve), "fits": fits}


def _number(value: int | None) -> int | None:
    return None if value is None else int(value)
