"""Smaller SVG files that look the same: matplotlib's output without the parts that no viewer shows."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from io import BytesIO
from typing import Final
from xml.etree import ElementTree

import numpy as np
from PIL import Image

_SVG, _XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
_HREF: Final = f"{{{_XLINK}}}href"
_PICTURE: Final = "data:image/png;base64,"
_NUMBER: Final = re.compile(r"-?\d+\.\d{3,}")
_COMMAND: Final = re.compile(r"([A-Za-z])([^A-Za-z]*)")
"""Of a path, such as `L 1.5 2`, with its numbers; matplotlib writes no exponents."""
_REFERENCE: Final = re.compile(r"#([^)]+)")
N_COLORS: Final = 256
"""Of a picture with a palette."""


def smaller(svg: str) -> str:
    """The same picture in fewer bytes.

    Coordinates are rounded to a hundredth of a point. Steps become lines along an axis. Groups that only have a
    name are dissolved. A reference to an element drops its style if the element has the same one. Pictures of few
    colours get a palette.
    """
    ElementTree.register_namespace("", _SVG)
    ElementTree.register_namespace("xlink", _XLINK)
    keeping = ElementTree.TreeBuilder(insert_comments=True)  # they are the texts that are drawn as paths
    root = ElementTree.fromstring(svg, ElementTree.XMLParser(target=keeping))
    for metadata in root.findall(f"{{{_SVG}}}metadata"):
        root.remove(metadata)
    styles = {element.get("id"): element.get("style") for element in root.iter() if element.get("id")}
    named = {name for element in root.iter() for name in _references(element)}
    for element in root.iter():
        if callable(element.tag):  # a comment
            element.tail = "\n"
            continue
        element.text, element.tail = (element.text or "").strip() or None, "\n"
        if element.get("id") not in named:
            element.attrib.pop("id", None)
        for name in ("d", "x", "y"):
            if name in element.attrib:
                element.set(name, _NUMBER.sub(_rounded, element.attrib[name]))
        if "d" in element.attrib:
            element.set("d", _short(element.attrib["d"]))
        link = element.get(_HREF, "")
        if link.startswith(_PICTURE):
            element.set(_HREF, _PICTURE + _with_palette("".join(link.removeprefix(_PICTURE).split())))
        elif element.get("style") and element.get("style") == styles.get(link.removeprefix("#")):
            del element.attrib["style"]
    _dissolve(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode")


def _references(element: ElementTree.Element) -> list[str]:
    """Names of the elements that one refers to."""
    return [
        found
        for value in element.attrib.values()
        if value.startswith(("#", "url(#"))
        for found in _REFERENCE.findall(value)
    ] + re.findall(r"url\(#([^)]+)\)", element.get("style", ""))


def _rounded(number: re.Match[str]) -> str:
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")


def _short(path: str) -> str:
    """The same path, with lines along an axis as such: `L x y` as `H x` or `V y`."""
    found, at = [], ("", "")
    for command, numbers in _COMMAND.findall(path):
        values = numbers.split()
        where = (values[-2], values[-1]) if len(values) > 1 else ("", "")
        if command == "L" and where[1] == at[1]:
            found.append(f"H{where[0]}")
        elif command == "L" and where[0] == at[0]:
            found.append(f"V{where[1]}")
        else:
            found.append(command + " ".join(values))
        at = where
    return "".join(found)


def _dissolve(element: ElementTree.Element) -> None:
    """Put the contents of groups without attributes in the place of these."""
    for child in element:
        _dissolve(child)
    children = []
    for child in element:
        children += list(child) if child.tag == f"{{{_SVG}}}g" and not child.attrib else [child]
    element[:] = children


def _with_palette(picture: str) -> str:
    """A PNG with the same pixels, of at most `N_COLORS` colours by their numbers, both in base 64."""
    pixels = np.asarray(Image.open(BytesIO(b64decode(picture))).convert("RGBA"))
    colors, numbers = np.unique(pixels.reshape(-1, 4), axis=0, return_inverse=True)
    if len(colors) > N_COLORS:
        return picture
    small, written = Image.fromarray(numbers.reshape(pixels.shape[:2]).astype(np.uint8), mode="P"), BytesIO()
    small.putpalette(colors.tobytes(), "RGBA")
    small.save(written, format="png", optimize=True)
    found = b64encode(written.getvalue()).decode()
    return found if len(found) < len(picture) else picture
