"""Read and write tables and texts. A file appears complete or not at all."""

from __future__ import annotations

import glob
import os
import re
import shutil
import socket
import stat
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from errno import ENOTDIR
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING

from frugal.extras import explained
from frugal.limits import check_plain

if TYPE_CHECKING:
    import pandas as pd


@contextmanager
def whole(path: str | Path) -> Iterator[Path]:
    """Yield a temporary file beside `path`, moved into place when the block ends without an error.

    A file that is replaced hands on its permissions; a link is replaced, not followed.

    Leftovers of killed processes beside `path` are removed first.

    Raises:
        OSError: if the folder cannot be made or written, or the disk is full; it names `path`.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    remove_abandoned(target)
    part = fresh_name(target)
    with naming(path, part):  # do not follow a link at this path
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    try:
        with naming(path, part):
            yield part
            if target.is_file() and not target.is_symlink():
                part.chmod(stat.S_IMODE(target.stat().st_mode))
            part.replace(target)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def naming(path: str | Path, part: Path | None = None) -> Iterator[None]:
    """Let an OSError name `path` if it names no file (a full disk), or if it names the temporary file `part`."""
    try:
        yield
    except OSError as error:
        if error.errno is not None and error.filename in (None, str(part)):
            error.filename = str(path)
        raise


def fresh_name(target: Path) -> Path:
    """Return a path beside `target` that no other process uses: host, process id and a random part."""
    return target.with_name(f".{target.name}.{_host()}-{os.getpid()}-{token_hex(4)}.part")


def remove_abandoned(target: Path) -> None:
    """Remove files and folders of `fresh_name` beside `target` whose process on this host is dead."""
    for path in abandoned(target, ".part"):
        remove(path)


def abandoned(target: Path, end: str) -> list[Path]:
    """Files and folders of `fresh_name` beside `target` with this ending whose process on this host is dead."""
    found = sorted(target.parent.glob(f".{glob.escape(target.name)}.{_host()}-*{end}"))
    numbers = [path.name.removesuffix(end).rsplit("-", 2)[-2] for path in found]
    return [
        path
        for path, number in zip(found, numbers, strict=True)
        if number.isdigit() and not _is_alive(int(number))
    ]


def remove(path: Path) -> None:
    """Remove a file, a link, or a folder with its content, as far as possible. It need not exist."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _host() -> str:
    return re.sub(r"[^A-Za-z0-9]", "", socket.gethostname())


def _is_alive(process: int) -> bool:
    if os.name == "nt":  # where signal 0 is Ctrl-C
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


Named = Iterable[tuple[str, str | Path]]
"""Pairs of a description of a file, for messages, and its path."""


def check_outputs(outputs: Named, inputs: Named = ()) -> None:
    """Raise unless every output can be written and replaces neither another output nor an input.

    Call it before anything is computed. It leaves nothing behind: missing folders are still missing.

    Args:
        outputs: files to be written.
        inputs: files to be read.

    Raises:
        ValueError: naming the first such path, and the file that it would replace.
    """
    taken = {os.path.realpath(path): what for what, path in inputs}
    places: list[tuple[str, str]] = []
    for what, path in outputs:
        place = os.path.realpath(path)
        if place in taken:
            raise ValueError(f"{what} and {taken[place]} are both {path}; name a file of its own for each")
        for other, whose in places:
            if place.startswith(other + os.sep) or other.startswith(place + os.sep):
                raise ValueError(f"{what} {path} and {whose} {other}: a file cannot be the folder of another")
        taken[place] = what
        places.append((place, what))
        check_writable(path)


def check_writable(path: str | Path) -> None:
    """Raise unless `whole` can write a file at `path`; an empty file is written beside it and removed.

    Raises:
        ValueError: naming the path and the reason.
    """
    target = Path(path)
    try:
        if target.is_dir():
            raise ValueError(f"{path} is a folder; name a file to write")
        if target.exists() and not target.is_file():
            raise ValueError(f"{path} is not a regular file; name a file to write")
        if target.exists() and not target.stat().st_mode & 0o222:
            raise ValueError(f"{path} may not be written; change its mode or name another file")
        _check_folder(target.parent, fresh_name(target).name)
    except OSError as error:
        raise ValueError(f"{path} cannot be written: {error.strerror}") from error


def check_folder(path: str | Path) -> None:
    """Raise unless a file can be written in the folder `path`. A missing folder is allowed, and not created.

    Raises:
        ValueError: naming the folder and the reason.
    """
    try:
        _check_folder(Path(path), fresh_name(Path(path)).name)
    except OSError as error:
        raise ValueError(f"nothing can be written in {path}: {error.strerror}") from error


def _check_folder(folder: Path, name: str) -> None:
    while not _exists(folder):
        folder = folder.parent
    if not folder.is_dir():
        raise NotADirectoryError(ENOTDIR, f"{folder} is no folder")
    probe = folder / name
    os.close(os.open(probe, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    probe.unlink()


def _exists(path: Path) -> bool:
    """True if a file, folder or link (even a broken one) is at `path`.

    Raises:
        OSError: if no file can have this path: it is too long, or a part of it is a file.
    """
    try:
        path.lstat()
    except FileNotFoundError:
        return False
    return True


def read(path: str | Path, *columns: str) -> pd.DataFrame:
    """Read a table from a .csv or .parquet file, which must have `columns`.

    Raises:
        ValueError: if it does not exist, is damaged or of another kind, or lacks a column.
    """
    import pandas as pd

    from frugal.checks import check_columns

    kind = "CSV" if Path(path).suffix == ".csv" else "parquet"
    if not Path(path).exists():
        raise ValueError(f"{path} does not exist")
    try:
        check_plain(path)
        frame = _read_csv(path) if kind == "CSV" else _read_parquet(path)
    except (pd.errors.ParserError, pd.errors.ParserWarning, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is truncated or not a {kind} file; delete it and run again") from error
    check_columns(str(path), frame, columns)
    return frame


def read_rows(path: str | Path, *columns: str) -> pd.DataFrame:
    """Read a table with `read`, which must have rows.

    Raises:
        ValueError: as `read`, or if it has no row.
    """
    frame = read(path, *columns)
    if frame.empty:
        raise ValueError(f"{path} has no rows")
    return frame


def _read_csv(path: str | Path) -> pd.DataFrame:
    """Read a CSV whose rows have no more fields than its header; pandas would take the first for an index."""
    import pandas as pd

    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        return pd.read_csv(path, index_col=False)


def _read_parquet(path: str | Path) -> pd.DataFrame:
    from frugal import parquet

    table = parquet.read_table(path)
    parquet.verify(table, path)
    frame: pd.DataFrame = table.to_pandas()
    return frame


def read_all(paths: list[str]) -> pd.DataFrame:
    """Read several files with `read`, and concatenate their rows."""
    import pandas as pd

    return pd.concat([read(path) for path in paths], ignore_index=True)


def write(frame: pd.DataFrame, path: str | Path) -> None:
    """Write a table as .parquet, or as .csv with 8 significant digits; integers keep all their digits."""
    from frugal import parquet

    with whole(path) as part:
        if Path(path).suffix == ".csv":
            _with_integers(frame).to_csv(part, index=False, float_format="%.8g", lineterminator="\n")
        else:
            with explained():
                import pyarrow as pa
            parquet.write_table(pa.Table.from_pandas(frame, preserve_index=False), part)


def check_suffix(path: str | Path) -> None:
    """Raise unless `write` can write a table at `path`: .csv, or .parquet with pyarrow installed.

    Raises:
        ValueError: naming the file.
        MissingExtraError: for .parquet without pyarrow.
    """
    if Path(path).suffix not in (".csv", ".parquet"):
        raise ValueError(f"{path} must end in .csv or .parquet")
    if Path(path).suffix == ".parquet":
        with explained():
            import pyarrow  # noqa: F401


def _with_integers(frame: pd.DataFrame) -> pd.DataFrame:
    """Convert columns of whole floats to nullable integers, so that none of them is rounded."""
    floats = frame.select_dtypes("float")
    is_whole = (floats.isna() | ((floats % 1 == 0) & (floats.abs() < 2**53))).all()
    return frame.astype(dict.fromkeys(floats.columns[is_whole & floats.notna().any()], "Int64"))


def write_text(text: str, path: Path) -> None:
    """Write a text."""
    with whole(path) as part:
        part.write_text(text, encoding="utf-8", newline="\n")
