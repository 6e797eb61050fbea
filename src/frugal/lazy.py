"""Packages that import what they offer once it is asked for, so that commands which need little start soon."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from frugal.extras import explained


def lazily(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package (PEP 562).

    What measures seconds must have asked for what it measures before its clock starts.

    Args:
        package: its full name.
        homes: module under it, or "" for the package where the name is that of a module, by name offered.
    """

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = homes[name]
        with explained():
            module = import_module(f"{package}.{home or name}")
        found = getattr(module, name) if home else module
        setattr(sys.modules[package], name, found)
        return found

    return get
