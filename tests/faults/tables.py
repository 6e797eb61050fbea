"""Mutations of a user's CSV file, judged by a strict reading of our own with the module `csv`."""

from __future__ import annotations

import csv
import io
import math
import random
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from faults import Fault, Outcome, command, judge
from frugal.cli import main
from frugal.datasets import Dataset, from_csv

KIND, SELECTED = "mutation: CSV file", "mutation: CSV file of select"
NAMES = ["a", "b", "c", "label"]
CELLS = (
    "", " ", "x", "NA", "nan", "null", "None", "inf", "-inf", "1e999", "1e-400", "0x10", "1_000", "\u0661\u0662",
    "\uff11\uff12", " 3 ",     '"3"', '"1,5"', "TRUE", "True", "-0", "+4", ".5", "5.", "1e3", "1d3", "3%",
    "$3", "(3)", "1 2", "1;2", "\t7", "=1+1", "9" * 400, "2020-01-01", "1+2j", '"', "'3'", "#", "\\n",
)  # fmt: skip
TRUTH = {"True": "1", "TRUE": "1", "true": "1", "False": "0", "FALSE": "0", "false": "0"}
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
MISSING = {
    "",
    "NA",
    "N/A",
    "NaN",
    "nan",
    "null",
    "NULL",
    "None",
    "n/a",
    "<NA>",
    "#N/A",
    "-nan",
    "-NaN",
    "#NA",
    "1.#IND",
}
SELECT = ("--estimators", "bernoulli_nb", "--n-candidates", "4", "--n-folds", "2")
SEPARATORS = (";", "\t", "|", ",")
WITH_COMMA = re.compile(r"[+-]?\d+,\d+([eE][+-]?\d+)?", re.ASCII)
TIMES = re.compile(r"(.*\d s[ ,].*|read with .*)\n")


def table(rng: random.Random) -> list[list[str]]:
    """A header and 24 rows of three numbers and one of three labels."""
    rows = [
        [f"{rng.uniform(-9, 9):.4f}", str(rng.randrange(50)), f"{rng.random():.3e}", "ABC"[i % 3]]
        for i in range(24)
    ]
    return [NAMES, *rows]


def text_of(rows: list[list[str]]) -> str:
    """As it is written without quotes."""
    return "".join(",".join(row) + "\n" for row in rows)


def _cell(rows: list[list[str]], rng: random.Random) -> str:
    rows[rng.randrange(1, len(rows))][rng.randrange(4)] = rng.choice(CELLS)
    return text_of(rows)


def _header_cell(rows: list[list[str]], rng: random.Random) -> str:
    rows[0] = list(rows[0])
    rows[0][rng.randrange(4)] = rng.choice([*CELLS, "a", "label", "A", "Unnamed: 0"])
    return text_of(rows)


def _fewer_fields(rows: list[list[str]], rng: random.Random) -> str:
    place = rng.randrange(len(rows))
    rows[place] = rows[place][: rng.randrange(4)]
    return text_of(rows)


def _more_fields(rows: list[list[str]], rng: random.Random) -> str:
    place = rng.randrange(len(rows))
    rows[place] = [*rows[place], rng.choice(CELLS)]
    return text_of(rows)


def _shifted(rows: list[list[str]], rng: random.Random) -> str:
    """Every row but the header has one field more."""
    extra = rng.choice(["7", "", "x"])
    return text_of([rows[0], *([extra, *row] for row in rows[1:])])


def _column(rows: list[list[str]], rng: random.Random) -> str:
    """Every row has the same kind of cell in one column."""
    place, cell, other = rng.randrange(4), rng.choice(CELLS), rng.choice(CELLS)
    for row in rows[1:]:
        row[place] = rng.choice([cell, other])
    return text_of(rows)


def _no_header(rows: list[list[str]], rng: random.Random) -> str:
    return text_of(rows[1:])


def _characters(rows: list[list[str]], rng: random.Random) -> str:
    text = list(text_of(rows))
    for _ in range(rng.choice([1, 1, 2, 5])):
        place = rng.randrange(len(text))
        text[place] = rng.choice(
            ["", ",", "\n", '"', "\r", "\0", "\ufeff", " ", "é", ";", "0", "-", "e", text[place] * 2]
        )
    return "".join(text)


def _cut(rows: list[list[str]], rng: random.Random) -> str:
    text = text_of(rows)
    return text[: rng.randrange(len(text))]


def _separator(rows: list[list[str]], rng: random.Random) -> str:
    return text_of(rows).replace(",", rng.choice([";", "\t", "|", " ", ", ", ",,"]))


def _line_ends(rows: list[list[str]], rng: random.Random) -> str:
    return rng.choice(["", "\ufeff"]) + text_of(rows).replace(
        "\n", rng.choice(["\r\n", "\r", "\n\n", ",\n", "\n#\n"])
    )


def _decimal_comma(rows: list[list[str]], rng: random.Random) -> str:
    return text_of(rows).replace(",", rng.choice(";\t")).replace(".", ",")


def _garbage(rows: list[list[str]], rng: random.Random) -> str:
    return text_of(rows) + "".join(chr(rng.randrange(1, 256)) for _ in range(rng.randint(1, 40)))


WAYS = {
    way.__name__[1:]: way
    for way in (
        _cell, _column, _header_cell, _fewer_fields, _more_fields, _shifted, _no_header, _characters, _cut,
        _separator, _decimal_comma, _line_ends, _garbage,
    )
}  # fmt: skip


def faults(n: int, seed: int, kind: str = KIND) -> list[Fault]:
    """The first `n`, all ways in turn."""
    ways = list(WAYS)
    return [Fault(kind, "from_csv" if kind == KIND else "select", ways[i % len(ways)], seed + i) for i in range(n)]


def content_of(fault: Fault) -> bytes:
    """The mutated file."""
    rng = fault.rng
    text = WAYS[fault.how](table(rng), rng)
    return text.encode(rng.choice(["utf-8", "utf-8", "utf-8", "latin-1"]), "replace")


def cells(content: bytes) -> tuple[list[str], list[list[str]]] | None:
    """Header and rows, as text, if the content is a table beyond doubt, else None.

    Beyond doubt: one of `SEPARATORS` gives one name per column, no name twice, and as many fields, two or more, in
    each line that is not blank; of several the one with the most fields. What is not UTF-8 is cp1252.
    """
    if b"\0" in content:
        return None
    try:
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = content.decode("cp1252")
    except UnicodeDecodeError:
        return None
    found, separator = [], ","
    for one in SEPARATORS:
        try:
            rows = list(csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=one))
        except csv.Error:
            continue
        rows = [row for row in rows if row and not (len(row) == 1 and not row[0].strip())]
        if (
            len(rows) > 1
            and len({len(row) for row in rows}) == 1
            and len(rows[0]) > max(1, len(found and found[0]))
        ):
            found, separator = rows, one
    if not found or len(set(found[0])) < len(found[0]) or any(not name.strip() for name in found[0]):
        return None
    header, *body = found
    if separator != "," and not any(
        "." in cell and NUMBER.fullmatch(cell.strip()) for row in body for cell in row
    ):
        body = [[c.replace(",", ".") if WITH_COMMA.fullmatch(c.strip()) else c for c in row] for row in body]
    return header, body


def reading(content: bytes) -> tuple[list[list[float]], list[str]] | None:
    """Numbers and labels if the content is a table beyond doubt, else None.

    Beyond doubt: `cells`, and numbers in decimals or columns of true and false, labels that are there.
    """
    found = cells(content)
    if found is None:
        return None
    body = found[1]
    columns = [[cell.strip(" \t") for cell in column] for column in zip(*body, strict=True)][:-1]
    for column in columns:
        if set(column) <= set(TRUTH):
            column[:] = [TRUTH[cell] for cell in column]
    labels = [row[-1] for row in body]
    if not all(NUMBER.fullmatch(c) and math.isfinite(float(c)) for column in columns for c in column):
        return None
    if any(label in MISSING for label in labels):
        return None
    return [[float(cell) for cell in row] for row in zip(*columns, strict=True)], labels


def is_right(data: Dataset, content: bytes) -> bool:
    """Whether a dataset is what the content says beyond doubt."""
    found = reading(content)
    if found is None:
        return False
    X, labels = np.array(found[0]), found[1]
    if all(NUMBER.fullmatch(label.strip()) for label in labels):
        y = np.unique([float(label) for label in labels], return_inverse=True)[1]
    else:
        y = np.unique(labels, return_inverse=True)[1]
    return data.X.shape == X.shape and np.allclose(data.X, X, rtol=1e-12, atol=0) and np.array_equal(data.y, y)


def attempts(folder: Path, n: int, n_selected: int, seed: int) -> Iterator[Outcome]:
    """`n` files read, and `n_selected` chosen on."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "t.csv"
    for fault in faults(n, seed):
        content = content_of(fault)
        path.write_bytes(content)
        yield judge(fault, lambda: from_csv(path), lambda data, content=content: is_right(data, content))
    for fault in faults(n_selected, seed, SELECTED):
        content = content_of(fault)
        path.write_bytes(content)
        yield judge(
            fault, lambda: selected(path), lambda out, content=content: out == _clean_output(path, content)
        )


def _clean_output(path: Path, content: bytes) -> str | None:
    """What `frugal select` says of the same cells, written plainly; None: they are no table beyond doubt."""
    found = cells(content)
    if found is None:
        return None
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([found[0], *found[1]])
    return selected(path)


def selected(path: Path) -> str:
    """What `frugal select` says of a table, but for lines with the seconds it took, or how it is written."""
    return TIMES.sub("", command(main, ["select", str(path), *SELECT]))
