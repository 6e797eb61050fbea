"""Small datasets in place of the catalogue's, a mirror made of them, and a server on loopback."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from loopback import Site
from small_letter import CONTENT, ROWS, csv_of

from frugal.datasets import CATALOGUE, DatasetError, _public
from frugal.datasets.catalogue import Entry, File


@pytest.fixture
def letter(monkeypatch: pytest.MonkeyPatch) -> Entry:
    """The entry `letter`, made small: 12 rows of 3 features in 3 classes."""
    entry = replace(
        CATALOGUE["letter"],
        rows=12,
        features=3,
        class_counts=(4, 4, 4),
        stand_in_counts=(4, 4, 4),
        files=(File("letter.csv.gz", hashlib.sha256(csv_of(ROWS)).hexdigest()),),
        content_sha256=CONTENT,
        rows_sha256="",
    )
    monkeypatch.setitem(CATALOGUE, "letter", entry)
    return entry


@pytest.fixture
def mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A mirror folder that holds the small letter."""
    folder = tmp_path / "mirror"
    folder.mkdir()
    (folder / "letter.csv.gz").write_bytes(csv_of(ROWS))
    monkeypatch.setenv("FRUGAL_DATA_MIRROR", str(folder))
    return folder


@pytest.fixture
def no_mirror(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FRUGAL_DATA_MIRROR", raising=False)


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Public sources that cannot be reached."""

    def refuse(entry: Entry, folder: Path, **settings: object) -> None:
        raise DatasetError(f"the network is off for {entry.name}")

    monkeypatch.setattr(_public, "fetch", refuse)


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A server that plays OpenML and torchvision's sites, without pauses between attempts."""
    from sklearn.datasets import _openml

    server = Site()
    monkeypatch.setattr(_openml, "_DATA_INFO", f"{server.url}/api/{{}}")
    monkeypatch.setattr(_openml, "_DATA_FEATURES", f"{server.url}/api/features/{{}}")
    monkeypatch.setattr(_openml, "_DATA_QUALITIES", f"{server.url}/api/qualities/{{}}")
    monkeypatch.setattr(_openml, "time", SimpleNamespace(sleep=lambda seconds: None))
    monkeypatch.setattr(_public, "DELAY_S", 0.001)
    yield server
    server.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "data"
