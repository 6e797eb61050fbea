"""How a dataset is fetched: `data/raw`, the mirror, the public source, a stand-in, in this order."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from frugal.datasets import _public, _readers
from frugal.datasets._files import check_file, recover, sha256_of, unpack, whole_folder
from frugal.datasets._stand_ins import stand_in
from frugal.datasets.arrays import Arrays, class_counts, content_hash, row_hash, verify
from frugal.datasets.catalogue import DamageError, DatasetError, Entry
from frugal.extras import MissingExtraError

MIRROR_VARIABLE = "FRUGAL_DATA_MIRROR"
_RECORD = "source.json"  # beside a download in data/raw: where it came from, and its checksums


class StandInWarning(UserWarning):
    """A dataset is out of reach, and a stand-in replaces it.

    Examples:
        >>> import warnings
        >>> from tempfile import TemporaryDirectory
        >>> from frugal.datasets import StandInWarning, load
        >>> with warnings.catch_warnings(), TemporaryDirectory() as folder:
        ...     warnings.simplefilter("error", StandInWarning)  # rather no dataset than what stands in for it
        ...     load("wdbc", root=folder).provenance
        'original'
    """


@dataclass(frozen=True)
class Arrival:
    """A dataset that has arrived and was verified.

    Attributes:
        arrays: the data.
        provenance: "original", "jpeg" or "stand-in".
        source: description of the source.
        files: checksum by file name.
        note: note for readers of a table; empty if there is none.
        failed: why each earlier source failed, one clause each, if a stand-in is used.
    """

    arrays: Arrays
    provenance: str
    source: str
    files: Mapping[str, str] = field(default_factory=dict)
    note: str = ""
    failed: tuple[str, ...] = ()


def resolve(
    entry: Entry,
    raw: Path,
    *,
    allow_stand_in: bool,
    opted_in: bool,
    timeout_s: float,
    n_retries: int,
) -> Arrival:
    """Find a dataset, trying each source in turn.

    What a source lacks, or what is damaged in it, may come from the next one. A stand-in replaces what is out of
    reach alone: damage is not absence.

    Args:
        entry: the dataset.
        raw: folder of the dataset under `data/raw`, for downloads.
        allow_stand_in: whether a stand-in may be used when all else fails.
        opted_in: whether the user asked for this dataset by name, where that is needed.
        timeout_s: seconds a server may stay silent.
        n_retries: attempts after the first one.

    Raises:
        DatasetError: if no source has it, or one is damaged and no other has it, listing what was tried.
    """
    if entry.reader == "scikit-learn":
        return _checked(entry, _readers.read_bundled(entry), _scikit_learn(), {})
    steps: list[Callable[[], Arrival]] = [
        lambda: _from_raw(entry, raw),
        lambda: _from_mirror(entry),
        lambda: _from_public(entry, raw, timeout_s, n_retries),
    ]
    failed: list[str] = []
    is_damaged = False
    if entry.opt_in and not opted_in:
        failed.append(
            f"it is read from OpenML {entry.openml} only on demand: name {entry.name!r} in opt_in (--opt-in)"
        )
        steps = []
    for step in steps:
        try:
            return step()
        except (DatasetError, OSError) as error:
            failed.append(_clause(error))
            is_damaged |= isinstance(error, DamageError)
    if is_damaged:
        says = f"{entry.name} is damaged or not as its entry says, for which there is no stand-in"
        raise DatasetError(f"{says}: {'; '.join(failed)}")
    if not allow_stand_in:
        why = "stand-ins are not allowed (allow_stand_in: true would mark one)"
        raise DatasetError(f"{entry.name} cannot be had, and {why}: {'; '.join(failed)}")
    if not entry.stand_in_counts:
        why = "its entry gives no stand_in_counts, so that there is no stand-in"
        raise DatasetError(f"{entry.name} cannot be had, and {why}: {'; '.join(failed)}")
    return _from_stand_in(entry, tuple(failed))


def _clause(error: Exception) -> str:
    if isinstance(error, OSError):
        name = Path(str(error.filename)).name if error.filename else "a file"
        return f"{name} cannot be read ({error.strerror or type(error).__name__})"
    return str(error)


def _scikit_learn() -> str:
    import sklearn

    return f"scikit-learn {sklearn.__version__}"


def _from_raw(entry: Entry, raw: Path) -> Arrival:
    recover(raw)
    record = raw / _RECORD
    if record.is_file():
        with _as_damage():
            return _read_download(entry, raw)
    if not entry.files:
        raise DatasetError("data/raw has no earlier download of it")
    return _read_catalogued(entry, raw, f"data/raw/{entry.name}", "a file placed in data/raw")


def _from_mirror(entry: Entry) -> Arrival:
    if not entry.files:
        raise DatasetError("no mirror holds it")
    mirror = os.environ.get(MIRROR_VARIABLE, "")
    if not mirror:
        raise DatasetError(f"{MIRROR_VARIABLE} is not set")
    if not Path(mirror).is_dir():
        raise DatasetError(f"{MIRROR_VARIABLE} does not name a folder")
    return _read_catalogued(entry, Path(mirror), "the mirror", "the mirror")


def _read_catalogued(entry: Entry, folder: Path, where: str, source: str) -> Arrival:
    """Read the files that the catalogue lists, once their checksums are right."""
    files: dict[str, str] = {}
    for file in entry.files:
        try:
            files |= check_file(folder / file.path, file, where, entry.max_bytes)
        except DatasetError as error:
            if (folder / file.path).is_file():
                warnings.warn(f"{entry.name}: {error}", stacklevel=2)
            raise
    paths = [folder / file.path for file in entry.files]
    with _as_damage():
        if entry.reader == "idx":
            arrays = _readers.read_idx(paths, entry)
        elif entry.reader == "jpeg":
            arrays = _readers.read_jpeg(paths[0], entry)
        else:
            arrays = _readers.read_table(paths[0], entry)
    provenance = "jpeg" if entry.reader == "jpeg" else "original"
    return _checked(entry, arrays, source, files, provenance=provenance)


@contextmanager
def _as_damage() -> Iterator[None]:
    """Call it damage, not absence, where what is there cannot be read."""
    try:
        yield
    except DatasetError as error:
        raise DamageError(str(error)) from error


def _from_public(entry: Entry, raw: Path, timeout_s: float, n_retries: int) -> Arrival:
    """Download into a temporary folder, read and verify it there, and only then move it into `data/raw`."""
    with whole_folder(raw) as part:
        source, names = _public.fetch(entry, part, timeout_s=timeout_s, n_retries=n_retries)
        keep = {name: sha256_of(part / name) for name in names}
        record = {"source": source, "files": keep}
        (part / _RECORD).write_text(json.dumps(record, indent=2) + "\n")
        with _as_damage():
            arrival = _read_download(entry, part)
        for path in sorted(part.rglob("*"), reverse=True):
            if path.is_file() and path.relative_to(part).as_posix() not in {*keep, _RECORD}:
                path.unlink()
        _keep_placed(entry, raw, part)
    return arrival


def _keep_placed(entry: Entry, raw: Path, part: Path) -> None:
    """Copy what a user has placed in `data/raw` beside the download; a name that this has, too, ends in `.old`.

    What an earlier download left is ours, and goes.
    """
    try:
        ours = {_RECORD, *_recorded(entry, raw)[1]}
    except (OSError, DamageError):  # there is no earlier download that says what its files are
        ours = {_RECORD}
    for path in sorted(raw.rglob("*")) if raw.is_dir() else ():
        name = path.relative_to(raw)
        if not path.is_file() or name.as_posix() in ours:
            continue
        copy = part / name
        if copy.exists():
            if sha256_of(copy) == sha256_of(path):
                continue
            copy = copy.with_name(f"{copy.name}.old")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, copy)


def _recorded(entry: Entry, folder: Path) -> tuple[str, dict[str, str]]:
    """Source and checksums by file of what `_from_public` left."""
    try:
        record = json.loads((folder / _RECORD).read_text())
        return str(record["source"]), dict(record["files"])
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise DamageError(f"data/raw/{entry.name}/{_RECORD} is damaged") from error


def _read_download(entry: Entry, folder: Path) -> Arrival:
    """Read what `_from_public` left, once its recorded checksums are right."""
    source, sums = _recorded(entry, folder)
    for name, expected in sums.items():
        if not (folder / name).is_file() or sha256_of(folder / name) != expected:
            raise DamageError(f"data/raw/{entry.name}/{name} is missing or differs from its recorded sha256")
    files = {name: f"sha256:{value}" for name, value in sums.items()}
    if entry.reader == "idx":
        return replace(_read_catalogued(entry, folder, source, source), files=files)
    if entry.reader == "jpeg":
        with tempfile.TemporaryDirectory() as unpacked:
            unpack(folder / _public.CIFAR_FILE, Path(unpacked), entry.max_bytes)
            arrays = _readers.read_cifar(Path(unpacked), entry)
        return _checked(entry, arrays, source, files)
    return _checked(entry, _readers.read_table(folder / _public.OPENML_FILE, entry), source, files)


def _checked(
    entry: Entry,
    arrays: Arrays,
    source: str,
    files: Mapping[str, str],
    *,
    provenance: str = "original",
) -> Arrival:
    """An arrival whose shape, class counts and, where they are known, contents are as the catalogue says."""
    try:
        verify(source, arrays, (entry.rows, entry.features), entry.class_counts)
    except DatasetError as error:
        raise DamageError(str(error)) from error
    if not entry.content_sha256 or _same(entry, arrays):
        note = "" if entry.class_counts else f"it arrived with {len(class_counts(arrays.y))} classes"
        return Arrival(arrays, provenance, source, files, note)
    first_test = entry.splits.get("test", (0, 0))[0]
    n_test = entry.rows - first_test
    swapped = replace(arrays, X=np.roll(arrays.X, -n_test, axis=0), y=np.roll(arrays.y, -n_test))
    if first_test and _same(entry, swapped):
        return Arrival(swapped, provenance, source, files, "its test part came first, and was put last")
    if entry.rows_sha256 and row_hash(arrays.X, arrays.y) == entry.rows_sha256:
        note = "the same rows in an order of its own, so with no train and test parts"
        return Arrival(replace(arrays, splits={}), provenance, source, files, note)
    raise DamageError(f"{source} gives other values than the catalogue's content hash of {entry.name}")


def _same(entry: Entry, arrays: Arrays) -> bool:
    return content_hash(arrays.X, arrays.y) == entry.content_sha256


def _from_stand_in(entry: Entry, failed: tuple[str, ...]) -> Arrival:
    """Use the stand-in, loudly; it is the original after all if its content hash says so."""
    try:
        arrays = stand_in(entry)
    except MissingExtraError as error:
        raise DatasetError(
            f"{entry.name} cannot be had, nor its stand-in ({error}): {'; '.join(failed)}"
        ) from error
    shape = (sum(entry.stand_in_counts), entry.features)
    verify(f"the stand-in of {entry.name}", arrays, shape, entry.stand_in_counts)
    same = _same(entry, arrays)
    provenance = "original" if same else "stand-in"
    note = "its features and labels are the original's, by content hash" if same else ""
    text = f"{entry.name}: {'; '.join(failed)}; stand-in used instead: {entry.stand_in}"
    warnings.warn(f"{text} ({note})" if same else text, StandInWarning, stacklevel=4)
    return Arrival(arrays, provenance, entry.stand_in, {}, note, failed)
