"""A smaller SVG draws what matplotlib's own does: the same shapes in the same places, styles and order."""

import re
from base64 import b64decode
from io import BytesIO
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from studies.svg import smaller

HREF = "{http://www.w3.org/1999/xlink}href"


@pytest.fixture(scope="module")
def svg():
    figure = Figure(figsize=(4, 3))
    for i, axes in enumerate(figure.subplots(2, 2).flat):
        x, y = np.geomspace(1, 1000, 60), np.cumsum(np.random.default_rng(i).normal(size=60))
        axes.step(x, y, where="post", marker="o", markevery=7, label="a & b")
        axes.fill_between(x, y - 1, y + 1, step="post", alpha=0.25, rasterized=True)
        axes.bar([1, 10, 100], [1, 2, 3], hatch="//", color="#D07CA1")
        axes.set(xscale="log", title=f"Panel {i}, 95 %")
        axes.legend()
    written = BytesIO()
    figure.savefig(written, format="svg")
    return written.getvalue().decode()


def points(path):
    """Commands of a path, lines along an axis as all lines, each with the absolute numbers that it has."""
    found, at = [], (0.0, 0.0)
    for command, text in re.findall(r"([A-Za-z])([^A-Za-z]*)", path):
        numbers = [float(number) for number in text.split()]
        if command in "HV":
            numbers = [numbers[0], at[1]] if command == "H" else [at[0], numbers[0]]
        at = tuple(numbers[-2:]) or at
        found.append(("L" if command in "HV" else command, numbers))
    return [command for command, _ in found], [number for _, numbers in found for number in numbers]


def styled(text):
    return dict(part.split(": ") for part in text.split("; ")) if text else {}


def drawn(svg):
    """Everything that is drawn, in order: kind, style, clips and transforms of what it is in; numbers; pixels."""
    root = ElementTree.fromstring(svg)
    by_name = {element.get("id"): element for element in root.iter()}
    found = []

    def of_path(element, around, place=()):
        commands, numbers = points(element.get("d", ""))  # none: a space
        style = {**around[0], **styled(element.get("style", ""))}
        where = (*around[1], element.get("clip-path", ""), element.get("transform", ""))
        found.append((("path", commands, style, where), [*numbers, *place], b""))

    def walk(element, around):
        tag = element.tag.rpartition("}")[2]
        if tag == "path":
            of_path(element, around)
        elif tag == "use":
            target = by_name[element.get(HREF).removeprefix("#")]
            style = {**around[0], **styled(element.get("style", ""))}
            where = (*around[1], element.get("transform", ""))
            of_path(target, (style, where), [float(element.get(name, 0)) for name in ("x", "y")])
        elif tag == "image":
            pixels = Image.open(BytesIO(b64decode(element.get(HREF).partition(",")[2]))).convert("RGBA")
            place = {name: value for name, value in element.attrib.items() if name not in (HREF, "id", "x", "y")}
            numbers = [float(element.get(name, 0)) for name in ("x", "y")]
            found.append((("image", place, around), numbers, pixels.tobytes()))
        elif tag in ("svg", "g"):
            inside = {**around[0], **styled(element.get("style", ""))}
            named = [element.get(name) for name in ("clip-path", "transform") if element.get(name)]
            for child in element:
                walk(child, (inside, (*around[1], *named)))

    walk(root, ({}, ()))
    return found


def test_a_lean_file_draws_the_same(svg):
    before, after = drawn(svg), drawn(smaller(svg))
    assert len(before) > 200
    assert {"path", "image"} == {kind[0] for kind, _, _ in before}
    for (kind, numbers, pixels), (its_kind, its_numbers, its_pixels) in zip(before, after, strict=True):
        assert its_kind == kind
        np.testing.assert_allclose(its_numbers, numbers, atol=0.00501)
        assert its_pixels == pixels


def test_a_lean_file_keeps_what_is_referred_to_and_is_much_smaller(svg):
    found = smaller(svg)
    assert len(found) < 0.7 * len(svg)
    names = set(re.findall(r'id="([^"]+)"', found))
    assert names == set(re.findall(r'(?:href="|url\()#([^)"]+)', found))
    assert smaller(svg) == found


def test_a_change_of_what_is_drawn_is_seen(svg):
    assert drawn(svg) != drawn(svg.replace("#1f77b4", "#1f77b5"))


def test_a_picture_of_many_colours_stays_as_it_is():
    figure = Figure(figsize=(2, 2))
    figure.subplots().imshow(np.random.default_rng(0).random((40, 40)), cmap="viridis", interpolation="bicubic")
    written = BytesIO()
    figure.savefig(written, format="svg", dpi=160)
    before = written.getvalue().decode()
    assert [pixels for *_, pixels in drawn(smaller(before))] == [pixels for *_, pixels in drawn(before)]
