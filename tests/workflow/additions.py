"""The additions that docs/contributing.md shows, made in a copy of the checkout."""

import re
import textwrap

STEP = re.compile(
    r"^(?:New file `(?P<new>[^`]+)`|In `(?P<old>[^`]+)`, after `(?P<anchor>[^`]+)`):"
    r"\n\n```python\n(?P<code>.*?)```",
    flags=re.DOTALL | re.MULTILINE,
)


def section(page, heading):
    """The part of the page under a heading."""
    return page.split(f"\n## {heading}\n")[1].split("\n## ")[0]


def make(place, text):
    """Do what a section says: write its new files, put its lines after those that it names; returns the paths."""
    paths = []
    for step in STEP.finditer(text):
        path = place / (step["new"] or step["old"])
        if step["new"]:
            assert not path.exists(), f"{path} is no new file"
            path.write_text(step["code"])
        else:
            before, anchor, after = path.read_text().partition(f"{step['anchor']}\n")
            assert anchor, f"{path} has no line {step['anchor']}"
            margin = before.rpartition("\n")[2] + "    " * anchor.endswith("(\n")
            path.write_text(before + anchor + textwrap.indent(step["code"], margin) + after)
        paths.append(step["new"] or step["old"])
    return paths
