"""Bombs, devices and hostile names in what datasets are read from: refused, in one sentence, without an end."""

from __future__ import annotations

import bz2
import gzip
import io
import os
import tarfile
import tracemalloc
import urllib.request
import zipfile
from pathlib import Path

import pandas.io.common  # noqa: F401  # its own memory does not count
import pytest
from loopback import TABLE, Site, play_openml
from small_letter import COLUMNS, ROWS

from frugal import limits
from frugal.datasets import CATALOGUE, DatasetError, from_csv, prepare
from frugal.datasets._files import check_file, read_members, unpack
from frugal.datasets._public import bounded
from frugal.datasets._readers import read_table
from frugal.datasets.catalogue import File
from frugal.limits import ALWAYS, Bounded, OversizeError

MIB = 2**20


def zeros_gz(path: Path, n_bytes: int, start: bytes = b"") -> Path:
    with gzip.open(path, "wb", compresslevel=9) as file:
        file.write(start)
        for _ in range(n_bytes // MIB):
            file.write(bytes(MIB))
    return path


@pytest.fixture
def frugal_memory():
    """No more than 16 MiB of Python's memory at once."""
    tracemalloc.start()
    yield
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 * MIB


# Users' files --------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("frugal_memory")
@pytest.mark.parametrize("kind", ["gz", "zip", "bz2", "xz"])
def test_a_users_bomb_is_refused(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits, "ALWAYS", 4 * MIB)
    content = b"a,label\n" + b"0,x\n" * (2 * MIB)
    path = tmp_path / f"t.csv.{kind}"
    if kind == "gz":
        path.write_bytes(gzip.compress(content))
    elif kind == "xz":
        import lzma

        path.write_bytes(lzma.compress(content))
    elif kind == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr("t.csv", content)
    else:
        path.write_bytes(bz2.compress(content))
    del content
    tracemalloc.reset_peak()
    with pytest.raises(
        DatasetError, match=rf"t\.csv\.{kind} has \d+ bytes and claims to hold \d+, expected at most"
    ):
        from_csv(path)


@pytest.mark.parametrize("name", ["t.csv.tar", "t.csv.tar.gz", "t.csv.zst"])
def test_other_packed_tables_are_refused(tmp_path: Path, name: str):
    (tmp_path / name).write_bytes(b"a,label\n1,x\n2,y\n")
    with pytest.raises(DatasetError, match=r"is packed by (tar|zstd): use gzip, bz2, xz or zip, or unpack it"):
        from_csv(tmp_path / name)


def test_a_users_compressed_table_below_the_limit_is_read(tmp_path: Path):
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b"a,label\n" + b"0,x\n1,y\n" * 10_000))
    assert len(from_csv(tmp_path / "t.csv.gz").y) == 20_000


@pytest.mark.parametrize("kind", ["pipe", "/dev/zero", "/dev/null", "folder"])
def test_a_device_is_no_table(tmp_path: Path, kind: str):
    path = tmp_path / "t.csv"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(kind)
    with pytest.raises(DatasetError, match=r"t\.csv .*is not a plain file but a folder, a device or a pipe"):
        from_csv(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a,label\n1,x\n2,x\0\n3,y\n", r"t\.csv holds NUL characters"),
        (b"a,label\n1,inf\n2,1\n3,inf\n4,1\n", r"t\.csv has infinite labels in column 'label'"),
    ],
)
def test_nul_characters_and_infinite_labels_are_refused(tmp_path: Path, content: bytes, message: str):
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(DatasetError, match=message):
        from_csv(tmp_path / "t.csv")


# Mirrors and archives ------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("frugal_memory")
def test_a_bomb_among_files_with_an_unpacked_checksum_is_refused(tmp_path: Path):
    path = zeros_gz(tmp_path / "images.gz", 32 * MIB)
    with pytest.raises(DatasetError, match=r"images\.gz unpacks to more than the 1000000 bytes expected of it"):
        check_file(path, File("images.gz", "", unpacked_md5="0" * 32), "the mirror", 1_000_000)


@pytest.mark.usefixtures("frugal_memory", "letter")
def test_a_bomb_in_the_place_of_a_table_is_refused(tmp_path: Path):
    entry = CATALOGUE["letter"]
    assert entry.max_bytes == MIB + 64 * 12 * 4
    path = zeros_gz(tmp_path / "letter.csv.gz", 32 * MIB, start=b"a,b,c,d\n")
    with pytest.raises(DatasetError, match=r"letter\.csv\.gz unpacks to more than the \d+ bytes expected of it"):
        read_table(path, entry)


def member(name: str, size: int, kind: bytes = tarfile.REGTYPE) -> bytes:
    info = tarfile.TarInfo(name)
    info.size, info.type = size, kind
    return info.tobuf(tarfile.GNU_FORMAT)


@pytest.mark.usefixtures("frugal_memory")
@pytest.mark.parametrize(
    "start",
    [member("a", 32 * MIB), member("a", 2**40), member("pax", 24 * MIB, tarfile.XHDTYPE),
     member("long", 24 * MIB, tarfile.GNUTYPE_LONGNAME)],
    ids=["a large member", "a member that claims 1 TiB", "a large header", "a long name"],
)  # fmt: skip
@pytest.mark.parametrize(
    "read", [lambda path, to: list(read_members(path, MIB)), lambda p, to: unpack(p, to, MIB)]
)
def test_a_bomb_of_an_archive_is_refused(tmp_path: Path, start: bytes, read):
    path = zeros_gz(tmp_path / "a.tar.gz", 32 * MIB, start=start)
    (tmp_path / "to").mkdir()
    with pytest.raises(DatasetError, match=r"a\.tar\.gz is (refused|a damaged archive)"):
        read(path, tmp_path / "to")
    assert not any((tmp_path / "to").iterdir())


def test_a_pipe_in_the_place_of_an_archive_or_a_mirrors_file_is_refused(tmp_path: Path):
    os.mkfifo(tmp_path / "a.tar")
    with pytest.raises(DatasetError, match=r"a\.tar is not a plain file"):
        list(read_members(tmp_path / "a.tar"))
    with pytest.raises(DatasetError, match=r"the mirror has no a\.tar"):
        check_file(tmp_path / "a.tar", File("a.tar", "0" * 64), "the mirror")


def test_limits_of_the_catalogue_leave_room_for_what_sources_hold():
    known = {"letter": 712_565, "adult": 5_400_000, "mnist": 47_040_016, "cifar10": 92_700_000}
    assert all(2 * n_bytes < CATALOGUE[name].max_bytes for name, n_bytes in known.items())
    assert all(entry.max_bytes < 2**30 for entry in CATALOGUE.values())


# Downloads -----------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("letter", "no_mirror")
@pytest.mark.filterwarnings("ignore:A network error:UserWarning", "ignore:Invalid cache:RuntimeWarning")
def test_an_answer_beyond_the_limit_is_given_up(root: Path, site: Site):
    play_openml(site, 6, ROWS, COLUMNS)
    site.pages[TABLE] += b"%" + b"0" * 2 * MIB
    with pytest.raises(DatasetError, match=r"OpenML 6 failed.*an answer of more than \d+ bytes"):
        prepare("letter", root=root, allow_stand_in=False, timeout_s=30, n_retries=1)
    assert not (root / "raw" / "letter").exists()


def test_a_packed_answer_counts_as_what_it_unpacks_to(monkeypatch: pytest.MonkeyPatch):
    from frugal.datasets import _public

    packed = gzip.compress(bytes(8 * MIB))
    count = _public._Count(len(packed) * 2, is_packed=True)
    with pytest.raises(OSError, match="an answer of more than"):
        count.add(packed)
    _public._Count(8 * MIB, is_packed=True).add(packed)


def test_every_member_of_a_packed_answer_counts():
    from frugal.datasets import _public

    count = _public._Count(MIB, is_packed=True)
    count.add(gzip.compress(b"small"))
    with pytest.raises(OSError, match="an answer of more than"):
        count.add(gzip.compress(bytes(2 * MIB)))
    with pytest.raises(OSError, match="an answer that cannot be unpacked"):
        _public._Count(MIB, is_packed=True).add(b"no gzip")


@pytest.mark.parametrize("url", ["file:///etc/hostname", "ftp://127.0.0.1/x", "data:text/plain,x"])
def test_a_server_cannot_name_files_of_this_machine(url: str):
    with bounded(timeout_s=30, limit=MIB), pytest.raises(OSError, match="unknown url type"):
        urllib.request.urlopen(url)


@pytest.mark.parametrize("path", ["/../x", "/a/%2e%2e/x"])
def test_an_address_through_parent_folders_is_refused(site: Site, path: str):
    with bounded(timeout_s=30, limit=MIB), pytest.raises(OSError, match="leads through"):
        urllib.request.urlopen(site.url + path)
    assert not site.hits


def test_the_limits_end_with_the_download(site: Site):
    site.pages["/x"] = bytes(2 * MIB)
    before = urllib.request._opener
    with bounded(timeout_s=30, limit=3 * MIB):
        assert len(urllib.request.urlopen(f"{site.url}/x").read()) == 2 * MIB
    assert urllib.request._opener is before
    assert len(urllib.request.urlopen(f"{site.url}/x").read()) == 2 * MIB


# The stream with a limit ---------------------------------------------------------------------------------------


def test_a_bounded_stream_gives_all_up_to_its_limit_and_no_more():
    assert Bounded(io.BytesIO(b"12345"), 5, "s").read() == b"12345"
    stream = Bounded(io.BytesIO(b"12345"), 4, "s")
    assert stream.read(4) == b"1234"
    with pytest.raises(OversizeError, match="s unpacks to more than the 4 bytes expected of it"):
        stream.read(1)
    with pytest.raises(OversizeError):
        Bounded(io.BytesIO(b"12345"), 4, "s").seek(5)
    assert ALWAYS == 256 * MIB
