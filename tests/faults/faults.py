"""Faults as data, and what became of each: held, refused, traceback, wrong or hang.

A fault has a kind (a row of `docs/reliability.md`), says what it spoils and how, and draws all else from its seed,
so that it can be tried again. An attempt is a call that gives an answer; this is judged against the right one.
"""

from __future__ import annotations

import contextlib
import io
import logging
import random
import signal
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

HELD, REFUSED, TRACEBACK, WRONG, HANG = VERDICTS = ("held", "refused", "traceback", "wrong", "hang")
MAX_SECONDS = 60
DAMAGES = ("flip", "truncate", "zero", "append", "repeat", "empty")


@dataclass(frozen=True)
class Fault:
    """One fault.

    Attributes:
        kind: group that it is counted in.
        what: the command, file or option that it meets.
        how: what is done to it.
        seed: of all that is drawn.
    """

    kind: str
    what: str
    how: str
    seed: int

    @property
    def rng(self) -> random.Random:
        """A generator that depends on all fields."""
        return random.Random(crc32(f"{self.kind} {self.what} {self.how} {self.seed}".encode()))


@dataclass(frozen=True)
class Outcome:
    """What became of a fault; `detail` is the sentence, the last line of the traceback, or what differs."""

    fault: Fault
    verdict: str
    detail: str = ""


class Refused(Exception):  # noqa: N818
    """A command ended in one sentence and exit status 2 or 3."""


class Unclear(Exception):  # noqa: N818
    """A command failed otherwise."""


class Hang(BaseException):
    """An attempt took more than `MAX_SECONDS`."""


def judge(fault: Fault, attempt: Callable[[], object], is_right: Callable[[object], bool]) -> Outcome:
    """Make an attempt and say what became of it; a ValueError or OSError of one line is a refusal."""
    try:
        with alarm(MAX_SECONDS):
            answer = attempt()
    except Hang:
        return Outcome(fault, HANG, f"more than {MAX_SECONDS} s")
    except (Refused, ValueError, OSError) as error:
        text = str(error)
        if text.strip() and "\n" not in text.strip():
            return Outcome(fault, REFUSED, text)
        return Outcome(
            fault, TRACEBACK, f"{type(error).__name__} of {len(text.splitlines())} lines: {text[:200]!r}"
        )
    except Exception:  # noqa: BLE001
        return Outcome(fault, TRACEBACK, traceback.format_exc().strip().splitlines()[-1][:200])
    if is_right(answer):
        return Outcome(fault, HELD)
    return Outcome(fault, WRONG, f"another answer: {str(answer)[:200]}")


@contextlib.contextmanager
def alarm(seconds: int):
    """Raise `Hang` in the main thread if the block takes longer."""

    def ring(*_):
        raise Hang

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def command(main: Callable[[list[str]], int], arguments: list[str]) -> str:
    """What a command prints, called in this process.

    Raises:
        Refused: if it ends in one sentence, after warnings and notes or argparse's usage, and status 2 or 3.
        Unclear: if it ends in another way than this or status 0.
    """
    log, out, err = logging.getLogger(), io.StringIO(), io.StringIO()
    handlers, log.handlers = log.handlers, []
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings.catch_warnings():
            status = main(arguments)
    except SystemExit as error:
        status = error.code
    finally:
        log.handlers = handlers
    if status in (0, None):
        return out.getvalue()
    said = err.getvalue().strip().splitlines()
    sentences = [
        line for line in said if line.startswith(("frugal ", "frugal: ", "studies ", "python -m studies"))
    ]
    if status == 2 and said and said[0].startswith("usage: "):  # argparse repeats what it does not know as it is
        raise Refused(" ".join(said[-1:]))
    if status in (2, 3) and len(sentences) == 1 and said[-1] == sentences[0]:
        raise Refused(sentences[0])
    raise Unclear(f"status {status} and {len(sentences)} sentences in {len(said)} lines: {said[-1:]}")


def damage(content: bytes, how: str, rng: random.Random) -> bytes:
    """The content with one of `DAMAGES` done to it; always another one."""
    n = len(content)
    spoiled = content
    while spoiled == content:
        place, length = rng.randrange(n), rng.randint(1, 64)
        if how == "flip":
            spoiled = _put(content, place, bytes([content[place] ^ (1 << rng.randrange(8))]))
        elif how == "truncate":
            spoiled = content[:place]
        elif how == "zero":
            spoiled = _put(content, place, bytes(min(length, n - place)))
        elif how == "append":
            spoiled = content + rng.randbytes(length)
        elif how == "repeat":
            spoiled = content[:place] + content[place : place + length] + content[place:]
        elif how == "empty":
            spoiled = b""
        else:
            raise ValueError(f"unknown damage {how!r}; known: {', '.join(DAMAGES)}")
    return spoiled


def _put(content: bytes, place: int, piece: bytes) -> bytes:
    return content[:place] + piece + content[place + len(piece) :]


def spoil(path: Path, fault: Fault) -> None:
    """Damage a file as the fault says."""
    path.write_bytes(damage(path.read_bytes(), fault.how, fault.rng))
