"""Detect encoding, separator and decimal mark of a text table."""

from __future__ import annotations

import codecs
import csv
import io
import re
from typing import Final, NamedTuple

SEPARATORS: Final = (";", "\t", "|", ",")
"""In the order in which they are preferred if they cut as often: commas also stand in numbers and in names."""
HEAD_BYTES: Final = 2**16
"""Bytes at the beginning of a file from which separator and decimal mark are detected."""
_BOMS: Final = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
WITH_COMMA: Final = re.compile(r"\s*[-+]?\d+,\d+\s*")
MAY_BE_THOUSANDS: Final = re.compile(r"\s*[-+]?[1-9]\d{0,2},\d{3}\s*")
"""Numbers such as 1,200, whose comma may mark thousands or decimals."""
POINT_THOUSANDS: Final = re.compile(r"\s*[-+]?[1-9]\d{0,2}(\.\d{3})+\s*")
"""Numbers such as 1.200, whose points mark thousands in a table with a decimal comma."""
_WITH_POINT: Final = re.compile(r"\s*[-+]?\d+\.\d+\s*")


class Dialect(NamedTuple):
    """Encoding, separator and decimal mark of a table.

    Attributes:
        encoding: encoding of the text.
        separator: separator between fields.
        decimal: decimal mark.
    """

    encoding: str
    separator: str
    decimal: str

    @property
    def pandas_options(self) -> dict[str, str]:
        """Arguments of `read_csv`."""
        return {"encoding": self.encoding, "sep": self.separator, "decimal": self.decimal}


class Encoding:
    """Detects, block by block, whether bytes are UTF-8; other bytes are read as Windows' cp1252.

    Attributes:
        name: name of the encoding, given the bytes so far.
    """

    def __init__(self) -> None:
        self.name, self._decoder, self._is_first = "utf-8", codecs.getincrementaldecoder("utf-8")(), True

    def feed(self, block: bytes, *, is_last: bool = False) -> None:
        """Process the next bytes."""
        if self._is_first:
            self.name = next((name for mark, name in _BOMS if block.startswith(mark)), "utf-8")
            self._is_first = False
        if self.name != "utf-8":
            return
        try:
            self._decoder.decode(block, final=is_last)
        except UnicodeDecodeError:
            self.name = "cp1252"


def dialect_of(head: bytes, encoding: str, *, is_whole: bool) -> Dialect:
    """Separator and decimal mark of the first lines of a table.

    The separator is the one that cuts the header and most of the lines below it into the same number of fields, of
    several the one with the most fields. Commas separate nothing where another separator leaves them in numbers
    alone. Only there is a decimal comma possible, and one number has to show it: commas in numbers such as 1,200
    may mark thousands. A number with a decimal point speaks against it; points in 1.200 may mark thousands.

    Args:
        head: the first bytes of the file.
        encoding: encoding of the file.
        is_whole: whether these are all; else the last line is left out, since it may be cut.
    """
    text = head.decode(encoding, errors="replace")
    lines = text.splitlines()
    text = "\n".join(lines if is_whole or len(lines) < 2 else lines[:-1])
    best, most = ",", 1
    rows: list[list[str]] = []
    for separator in SEPARATORS:
        cut = [row for row in csv.reader(io.StringIO(text), delimiter=separator) if row]
        if not cut or (separator == "," and best != "," and _are_numbers_with_comma(rows[1:])):
            continue
        n_fields = len(cut[0])
        n_alike = sum(len(row) == n_fields for row in cut)
        if n_fields > most and 2 * n_alike > len(cut):
            best, most, rows = separator, n_fields, cut
    fields = [field for row in rows[1:] for field in row]
    has_comma = best != "," and any(
        WITH_COMMA.fullmatch(field) and not MAY_BE_THOUSANDS.fullmatch(field) for field in fields
    )
    has_point = any(_WITH_POINT.fullmatch(field) and not POINT_THOUSANDS.fullmatch(field) for field in fields)
    return Dialect(encoding, best, "," if has_comma and not has_point else ".")


def _are_numbers_with_comma(rows: list[list[str]]) -> bool:
    """True if every field with a comma is a number."""
    return all(WITH_COMMA.fullmatch(field) for row in rows for field in row if "," in field)
