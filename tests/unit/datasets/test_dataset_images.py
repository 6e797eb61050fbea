"""MNIST's idx files, CIFAR-10's archives, and archives that must not be trusted."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import pickle
import struct
import sys
import tarfile
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from loopback import Site
from PIL import Image

from frugal.datasets import CATALOGUE, DatasetError, load, prepare
from frugal.datasets._files import check_file, read_members, unpack
from frugal.datasets._readers import import_datasets, read_idx, read_jpeg
from frugal.datasets.catalogue import DamageError, File
from frugal.extras import MissingExtraError

NAMES = ["train-images-idx3", "train-labels-idx1", "t10k-images-idx3", "t10k-labels-idx1"]


def mnist_files() -> dict[str, bytes]:
    """Four training and two test images of 2 x 3 pixels, unpacked."""
    rng = np.random.default_rng(0)
    files = {}
    for part, labels in (("train", [0, 1, 1, 0]), ("t10k", [1, 0])):
        pixels = rng.integers(256, size=(len(labels), 2, 3), dtype=np.uint8)
        files[f"{part}-images-idx3"] = struct.pack(">4B3i", 0, 0, 8, 3, *pixels.shape) + pixels.tobytes()
        files[f"{part}-labels-idx1"] = struct.pack(">4Bi", 0, 0, 8, 1, len(labels)) + bytes(labels)
    return files


@pytest.fixture
def small_mnist(monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    files = mnist_files()
    listed = [
        File(f"MNIST/raw/{name}-ubyte.gz", "", unpacked_md5=hashlib.md5(files[name]).hexdigest()) for name in NAMES
    ]
    entry = replace(
        CATALOGUE["mnist"],
        rows=6,
        features=6,
        class_counts=(3, 3),
        files=tuple(listed),
        content_sha256="",
        splits={"train": (0, 4), "test": (4, 6)},
        image_shape=(2, 3),
    )
    monkeypatch.setitem(CATALOGUE, "mnist", entry)
    return files


def mirror(files: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put these files into a mirror, which is then the one that is read; returns their folder."""
    folder = tmp_path / "mirror" / "MNIST" / "raw"
    folder.mkdir(parents=True)
    for name, content in files.items():
        (folder / f"{name}-ubyte.gz").write_bytes(gzip.compress(content, compresslevel=1))
    monkeypatch.setenv("FRUGAL_DATA_MIRROR", str(tmp_path / "mirror"))
    return folder


@pytest.mark.usefixtures("offline")
def test_mnist_is_read_from_the_mirror_as_bytes(
    root: Path, tmp_path: Path, small_mnist: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
):
    folder = mirror(small_mnist, tmp_path, monkeypatch)
    prepare("mnist", root=root, allow_stand_in=False)
    dataset = load("mnist", root=root)
    assert dataset.X.dtype == np.uint8
    assert dataset.X[:4].tobytes() == small_mnist["train-images-idx3"][16:]
    assert dataset.X[4:].tobytes() == small_mnist["t10k-images-idx3"][16:]
    assert dataset.y.tolist() == [0, 1, 1, 0, 1, 0]
    assert dataset.splits["test"].tolist() == [4, 5]
    assert dataset.image_shape == (2, 3)

    (folder / "t10k-labels-idx1-ubyte.gz").write_bytes(gzip.compress(b"other"))
    with (
        pytest.warns(UserWarning, match="t10k-labels-idx1-ubyte.gz has md5 of what it unpacks to"),
        pytest.raises(DatasetError),
    ):
        prepare("mnist", root=root, allow_stand_in=False)


IMAGES = NAMES[0]
PACKED = gzip.compress(mnist_files()[IMAGES])


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (PACKED[:-12], "EOFError"),
        (b"no gzip" + PACKED, "BadGzipFile"),
        (PACKED[:10] + b"\xff" + PACKED[11:], "error"),  # zlib's: there is no such kind of block
    ],
    ids=["cut short", "of another kind", "overwritten"],
)
def test_a_packed_file_that_cannot_be_read_is_damaged_and_not_absent(tmp_path: Path, content: bytes, error: str):
    (tmp_path / "images.gz").write_bytes(content)
    listed = File("images.gz", "", unpacked_md5=hashlib.md5(mnist_files()[IMAGES]).hexdigest())
    with pytest.raises(DamageError, match=rf"^the mirror: images\.gz cannot be read \({error}\)$"):
        check_file(tmp_path / "images.gz", listed, "the mirror")


@pytest.mark.parametrize(
    "content",
    [mnist_files()[IMAGES][:-1], mnist_files()[IMAGES][:10], b"\0\0\x0d\3" + mnist_files()[IMAGES][4:]],
    ids=["cut short", "cut in its header", "of floats instead of bytes"],
)
def test_an_idx_file_that_is_not_what_its_header_should_say_is_refused(tmp_path: Path, content: bytes):
    for name, kept in (mnist_files() | {IMAGES: content}).items():
        (tmp_path / name).write_bytes(gzip.compress(kept))
    message = f"^{IMAGES} is not an idx file of 3 dimensions, or is cut short$"
    with pytest.raises(DatasetError, match=message):
        read_idx([tmp_path / name for name in NAMES], CATALOGUE["mnist"])


@pytest.mark.usefixtures("offline")
def test_damaged_images_are_refused_although_they_were_read_before(
    root: Path, tmp_path: Path, small_mnist: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
):
    mirror(small_mnist, tmp_path, monkeypatch)
    stored = prepare("mnist", root=root) / "X.npy"
    load("mnist", root=root)
    with stored.open("r+b") as file:
        file.seek(-5, os.SEEK_END)
        file.write(bytes(5))
    with pytest.raises(DatasetError, match=r"mnist is damaged \(X.npy and y.npy do not have the hash on record\)"):
        load("mnist", root=root)


@pytest.mark.usefixtures("no_mirror")
def test_mnist_is_downloaded_through_torchvision(
    root: Path, site: Site, small_mnist: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
):
    packed = {f"{name}-ubyte.gz": gzip.compress(content) for name, content in small_mnist.items()}
    site.pages = {f"/{name}": content for name, content in packed.items()}
    source = import_datasets().MNIST
    resources = [(f"{n}-ubyte.gz", hashlib.md5(packed[f"{n}-ubyte.gz"]).hexdigest()) for n in NAMES]
    monkeypatch.setattr(source, "mirrors", [f"{site.url}/"])
    monkeypatch.setattr(source, "resources", resources)
    site.unavailable["/train-images-idx3-ubyte.gz"] = 1
    folder = prepare("mnist", root=root, allow_stand_in=False, n_retries=1)
    record = json.loads((folder / "provenance.json").read_text())
    assert (record["source"], record["provenance"]) == ("torchvision MNIST", "original")
    kept = sorted(p.name for p in (root / "raw" / "mnist").rglob("*") if p.is_file())
    assert kept == sorted([*packed, "source.json"])

    site.pages.clear()  # the second time, data/raw has it
    assert (prepare("mnist", root=root, allow_stand_in=False) / "X.npy").is_file()


def test_a_missing_torchvision_is_named_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(ops=None, library=None))
    monkeypatch.setitem(sys.modules, "torchvision", None)
    with pytest.raises(MissingExtraError, match=r"needs torchvision, .* pip install '\.\[networks\]'"):
        import_datasets.__wrapped__()  # past its cache


@pytest.mark.usefixtures("no_mirror", "small_mnist")
def test_a_spoiled_mnist_download_is_refused_and_not_kept(root: Path, site: Site, monkeypatch: pytest.MonkeyPatch):
    site.pages = {f"/{name}-ubyte.gz": b"spoiled" for name in NAMES}
    monkeypatch.setattr(import_datasets().MNIST, "mirrors", [f"{site.url}/"])
    with pytest.raises(DatasetError, match="torchvision MNIST failed"):
        prepare("mnist", root=root, allow_stand_in=False, n_retries=2)
    assert site.hits["/train-images-idx3-ubyte.gz"] == 2 * 3  # torchvision asks for a redirect, then the file
    assert [p for p in root.rglob("*") if p.is_file()] == []


def jpeg(level: int, size: tuple[int, int] = (32, 32), kind: str = "JPEG") -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", size, (level, level, level)).save(stream, kind)
    return stream.getvalue()


def tar_of(path: Path, members: list[tuple[tarfile.TarInfo, bytes]]) -> Path:
    with tarfile.open(path, "w:xz") as tar:
        for info, content in members:
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return path


def plain(name: str) -> tarfile.TarInfo:
    return tarfile.TarInfo(name)


def special(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def test_pictures_that_come_class_by_class_are_put_in_one_order(tmp_path: Path):
    members = [
        (plain(f"{split}/{kind}/{i:04}.jpg"), jpeg(10 * i))
        for split in ("train", "test")
        for kind in ("bird", "ship")
        for i in range(20)
    ]
    archive = tar_of(tmp_path / "cifar10-jpeg.tar.xz", members)
    entry = replace(CATALOGUE["cifar10"], splits={"train": (0, 40), "test": (40, 80)})
    first, again = read_jpeg(archive, entry), read_jpeg(archive, entry)
    assert np.array_equal(first.X, again.X)
    assert [set(first.y[place : place + 10]) for place in (0, 30, 40, 70)] == [{0, 1}] * 4


@pytest.mark.usefixtures("offline")
def test_cifar10_is_read_from_jpeg_files_and_says_so(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    levels = {"train/bird/0000": 10, "train/bird/0001": 30, "train/ship/0000": 50, "train/ship/0001": 70}
    levels |= {"test/ship/0000": 90, "test/bird/0000": 110}
    members = [(plain(f"{name}.jpg"), jpeg(level)) for name, level in levels.items()]
    archive = tar_of(tmp_path / "cifar10-jpeg.tar.xz", members)
    entry = replace(
        CATALOGUE["cifar10"],
        rows=6,
        class_counts=(3, 3),
        files=(File("cifar10-jpeg.tar.xz", hashlib.sha256(archive.read_bytes()).hexdigest()),),
        splits={"train": (0, 4), "test": (4, 6)},
    )
    monkeypatch.setitem(CATALOGUE, "cifar10", entry)
    monkeypatch.setenv("FRUGAL_DATA_MIRROR", str(tmp_path))
    prepare("cifar10", root=root, allow_stand_in=False)
    dataset = load("cifar10", root=root)
    assert (dataset.provenance, dataset.image_shape, dataset.X.shape) == ("jpeg", (32, 32, 3), (6, 3_072))
    by_level = {int(x[0]): int(label) for x, label in zip(dataset.X, dataset.y, strict=True)}
    assert by_level == {10: 0, 30: 0, 50: 1, 70: 1, 90: 1, 110: 0}  # bird before ship
    assert sorted(int(x[0]) for x in dataset.X[dataset.splits["train"]]) == [10, 30, 50, 70]


def huge_jpeg() -> bytes:
    """A picture whose header claims 65,500 x 65,500 pixels."""
    content = bytearray(jpeg(0))
    frame = content.index(b"\xff\xc0")  # marker, length, precision, height, width
    content[frame + 5 : frame + 9] = struct.pack(">2H", 65_500, 65_500)
    return bytes(content)


@pytest.mark.parametrize(
    ("pictures", "message"),
    [
        ([jpeg(1)], r"cifar10-jpeg\.tar\.xz has 1 pictures in train/, expected 2"),
        (
            [jpeg(1), jpeg(2, (16, 32))],
            r"train/bird/1\.jpg in the archive has \(16, 32\) pixels, expected \(32, 32\)",
        ),
        ([jpeg(1), jpeg(2, kind="PNG")], r"train/bird/1\.jpg in the archive is not a JPEG picture"),
        ([jpeg(1), b"text"], r"train/bird/1\.jpg in the archive is not a JPEG picture"),
        ([jpeg(1), huge_jpeg()], r"train/bird/1\.jpg in the archive is not a JPEG picture"),
    ],
    ids=["one too few", "another size", "PNG", "text", "huge"],
)
def test_an_archive_of_other_pictures_is_refused(tmp_path: Path, pictures: list[bytes], message: str):
    members = [(plain(f"train/bird/{i}.jpg"), content) for i, content in enumerate(pictures)]
    archive = tar_of(tmp_path / "cifar10-jpeg.tar.xz", members)
    with pytest.raises(DatasetError, match=f"^{message}$"):
        read_jpeg(archive, replace(CATALOGUE["cifar10"], splits={"train": (0, 2)}))


@pytest.mark.usefixtures("no_mirror")
def test_cifar10_is_downloaded_through_torchvision(
    root: Path, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    rng = np.random.default_rng(0)
    pixels = rng.integers(256, size=(4, 3, 32, 32), dtype=np.uint8)
    parts = {
        "data_batch_1": {"data": pixels[:2].reshape(2, -1), "labels": [1, 0]},
        "test_batch": {"data": pixels[2:].reshape(2, -1), "labels": [0, 1]},
        "batches.meta": {"label_names": ["aeroplane", "bird"]},
    }
    packed = {name: pickle.dumps(part) for name, part in parts.items()}
    members = [(plain(f"cifar-10-batches-py/{name}"), content) for name, content in packed.items()]
    archive = tar_of(tmp_path / "cifar.tar", members).read_bytes()
    sums = {name: hashlib.md5(content).hexdigest() for name, content in packed.items()}
    source = import_datasets().CIFAR10
    monkeypatch.setattr(source, "url", f"{site.url}/cifar")
    monkeypatch.setattr(source, "tgz_md5", hashlib.md5(archive).hexdigest())
    monkeypatch.setattr(source, "train_list", [["data_batch_1", sums["data_batch_1"]]])
    monkeypatch.setattr(source, "test_list", [["test_batch", sums["test_batch"]]])
    meta = {"filename": "batches.meta", "key": "label_names", "md5": sums["batches.meta"]}
    monkeypatch.setattr(source, "meta", meta)
    site.pages["/cifar"] = archive
    small = {"rows": 4, "class_counts": (2, 2), "splits": {"train": (0, 2), "test": (2, 4)}}
    monkeypatch.setitem(CATALOGUE, "cifar10", replace(CATALOGUE["cifar10"], **small))
    prepare("cifar10", root=root, allow_stand_in=False)
    dataset = load("cifar10", root=root)
    assert dataset.provenance == "original"
    assert dataset.y.tolist() == [1, 0, 0, 1]
    images = dataset.X.reshape(-1, 32, 32, 3)
    np.testing.assert_array_equal(images, pixels.transpose(0, 2, 3, 1))


def sparse(name: str) -> tarfile.TarInfo:
    """A file of a GiB of holes, which take no byte of the archive."""
    info = plain(name)
    info.pax_headers = {"GNU.sparse.map": "0,0", "GNU.sparse.size": str(2**30)}
    return info


HOSTILE = [
    sparse("holes.txt"),
    special("evil", tarfile.SYMTYPE, "/etc/passwd"),
    special("evil", tarfile.LNKTYPE, "../outside"),
    special("evil", tarfile.CHRTYPE),
    special("evil", tarfile.FIFOTYPE),
    plain("/absolute.txt"),
    plain("../outside.txt"),
    plain("train/../../outside.txt"),
]


@pytest.mark.parametrize("member", HOSTILE, ids=lambda info: f"{info.name}-{info.type.decode()}")
def test_an_archive_with_a_hostile_member_is_refused_whole(tmp_path: Path, member: tarfile.TarInfo):
    archive = tar_of(tmp_path / "bad.tar.xz", [(plain("good.txt"), b"good"), (member, b"")])
    target = tmp_path / "deep" / "target"
    target.mkdir(parents=True)
    with pytest.raises(DatasetError, match=r"^bad\.tar\.xz is refused: "):
        unpack(archive, target)
    with pytest.raises(DatasetError, match=r"^bad\.tar\.xz is refused: "):
        list(read_members(archive))
    assert list(target.iterdir()) == []
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bad.tar.xz", "deep"]


def test_folders_of_an_archive_are_unpacked_even_if_they_are_empty(tmp_path: Path):
    members = [(special("empty/inner", tarfile.DIRTYPE), b""), (plain("full/a.txt"), b"inside")]
    archive = tar_of(tmp_path / "good.tar.xz", members)
    unpack(archive, tmp_path / "target")
    assert list((tmp_path / "target" / "empty" / "inner").iterdir()) == []
    assert (tmp_path / "target" / "full" / "a.txt").read_bytes() == b"inside"
    assert list(read_members(archive)) == [("full/a.txt", b"inside")]


def test_an_honest_archive_is_unpacked_and_a_damaged_one_refused(tmp_path: Path):
    archive = tar_of(tmp_path / "good.tar.xz", [(plain("a/b.txt"), b"inside")])
    unpack(archive, tmp_path / "target")
    assert (tmp_path / "target" / "a" / "b.txt").read_bytes() == b"inside"
    assert list(read_members(archive)) == [("a/b.txt", b"inside")]
    archive.write_bytes(archive.read_bytes()[:40])
    with pytest.raises(DatasetError, match="is a damaged archive"):
        unpack(archive, tmp_path / "other")
