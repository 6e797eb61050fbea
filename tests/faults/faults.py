"""Faults as data, and what became of each: held, refused, traceback, wrong or hang.

A fault has a kind (a row of `docs/reliability.md`), says what it spoils and how, and draws all else from its seed,
so that it can be tried again. An attempt is a call that gives an answer; this is judged against the right one.
"""

from __future__ import annotations

import contextlib
import io
import linecache
import logging
import random
import re
import signal
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from unittest import mock
from zlib import crc32

from frugal import cli

HELD, REFUSED, TRACEBACK, WRONG, HANG = VERDICTS = ("held", "refused", "traceback", "wrong", "hang")
MAX_SECONDS = 60
SOURCE = Path(__file__).parents[2] / "src"
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
    """A command ended in one sentence; its exit status is 2, or 3 where the run failed."""

    def __init__(self, sentence: str, status: int) -> None:
        super().__init__(sentence)
        self.status = status


class Unclear(Exception):  # noqa: N818
    """A command failed otherwise."""


class Hang(BaseException):
    """An attempt took more than `MAX_SECONDS`."""


def judge(
    fault: Fault,
    attempt: Callable[[], object],
    is_right: Callable[[object], bool],
    *,
    names: Callable[[str], bool] | None = bool,
    statuses: tuple[int, ...] = (2,),
) -> Outcome:
    """Make an attempt and say what became of it.

    A refusal is a command's sentence with one of these exit statuses, or a ValueError or OSError of one line that
    somebody meant, as of `origin`; and it `names` what it has to. With None, nothing may be refused.
    """
    try:
        with alarm(MAX_SECONDS):
            answer = attempt()
    except Hang:
        return Outcome(fault, HANG, f"more than {MAX_SECONDS} s")
    except (Refused, ValueError, OSError) as error:
        says, kind = str(error).strip(), type(error).__name__
        if not says or "\n" in says:
            return Outcome(fault, TRACEBACK, f"{kind} of {len(says.splitlines())} lines: {says[:200]!r}")
        if isinstance(error, Refused):
            stray = "" if error.status in statuses else f"exit status {error.status}"
        else:
            stray = origin(error)
        if names is None:
            stray = "a refusal, though nothing is wrong with what was asked"
        elif not stray and not names(says):
            stray = "a sentence that does not name what is wrong"
        return Outcome(fault, TRACEBACK, f"{stray}: {says}") if stray else Outcome(fault, REFUSED, says)
    except Exception:  # noqa: BLE001
        return Outcome(fault, TRACEBACK, traceback.format_exc().strip().splitlines()[-1][:200])
    if is_right(answer):
        return Outcome(fault, HELD)
    return Outcome(fault, WRONG, f"another answer: {str(answer)[:200]}")


def origin(error: BaseException) -> str:
    """Where an error comes from that nobody meant; empty if a `raise` of ours, or the system naming a file."""
    if isinstance(error, OSError) and error.errno is not None:
        return "" if error.filename is not None else f"a {type(error).__name__} without a file's name"
    *_, (frame, line) = traceback.walk_tb(error.__traceback__)
    path = frame.f_code.co_filename
    is_meant = SOURCE in Path(path).parents and linecache.getline(path, line).lstrip().startswith("raise ")
    return "" if is_meant else f"a {type(error).__name__} from {Path(path).name}, line {line}"


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
        Refused: if it ends in one sentence, argparse's or meant as of `origin`, and status 2 or 3.
        Unclear: if it ends in another way than this or status 0.
    """
    log, out, err = logging.getLogger(), io.StringIO(), io.StringIO()
    handlers, log.handlers = log.handlers, []
    status_of, strays = cli.status_of, []

    def seen(error: Exception) -> int:
        strays.append(origin(error))
        return status_of(error)

    try:
        with (
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            warnings.catch_warnings(),
            mock.patch.object(cli, "status_of", seen),
        ):
            status = main(arguments)
    except SystemExit as error:
        status = error.code
    finally:
        log.handlers = handlers
    if status in (0, None):
        return out.getvalue()
    lines = err.getvalue().strip().splitlines()
    of_usage = [i for i, line in enumerate(lines) if re.match(r"(frugal|studies)[a-z ]*: error: ", line)]
    if status == 2 and lines[0].startswith("usage: ") and len(of_usage) == 1:
        raise Refused(" ".join(lines[of_usage[0] :]), status)  # argparse repeats what it does not know as it is
    sentences = [line for line in lines if re.match(r"(frugal|studies)( [a-z]+)+: ", line)]
    if status in (2, 3) and len(sentences) == 1 and lines[-1] == sentences[0] and strays == [""]:
        raise Refused(sentences[0], status)
    stray = "".join(strays)
    raise Unclear(f"status {status} and {len(sentences)} sentences in {len(lines)} lines: {lines[-1:]} {stray}")


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
