"""What the studies are made of, as frozen records: the lines of a comparison and how they are drawn.

Light to import, since the workflow reads it at every start.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

LineStyle = str | tuple[int, tuple[float, ...]]


@dataclass(frozen=True)
class Look:
    """How one method is drawn.

    Attributes:
        color: told apart by readers with deuteranopia or protanopia, and by lightness alone.
        label: name in legends.
        marker: for points.
        linestyle: for lines.
        hatch: for bars.
    """

    color: str
    label: str
    marker: str
    linestyle: LineStyle
    hatch: str


@dataclass(frozen=True)
class Method:
    """One line of a comparison. Names are looked up and never parsed.

    How many trials it makes, and on what sizes, belongs to the experiment.

    Attributes:
        name: in paths, tables and figures.
        strategy: what it runs; its own name by default.
        settings: that make it this method; an experiment's configuration adds others and cannot change these.
        termination: settings of the rule that cuts trials short, put over the experiment's; None: no such rule.
        variant_of: the method whose configured settings and random numbers it shares; none by default.
        label: name in legends; the name without underscores by default.
        color: of lines and points; that and the next three have a plain default.
        marker: of points.
        linestyle: of lines.
        hatch: of bars.
    """

    name: str
    strategy: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    termination: Mapping[str, Any] | None = None
    variant_of: str = ""
    label: str = ""
    color: str = ""
    marker: str = ""
    linestyle: LineStyle = ""
    hatch: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "strategy", self.strategy or self.name)

    @property
    def look(self) -> Look:
        """How it is drawn: `default_look` where the record says nothing."""
        plain = default_look(self.name)
        return Look(
            self.color or plain.color,
            self.label or plain.label,
            self.marker or plain.marker,
            self.linestyle or plain.linestyle,
            self.hatch or plain.hatch,
        )


_COLORS: Final = ("#6A3D9A", "#7A7A7A", "#A83232", "#1B7F9C", "#5C6B1F")


def default_look(name: str, place: int = 0) -> Look:
    """The look of a method without one: a number for a marker, dots for a line.

    Args:
        name: of the method.
        place: among the methods without a look in one figure, from 0, so that they are told apart.
    """
    return Look(
        _COLORS[place % len(_COLORS)], name.replace("_", " "), f"${place + 1}$", (0, (1, 1 + place % 3)), ""
    )
