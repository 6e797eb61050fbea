"""Import the modules of a package on first access, so that commands which need few of them start fast."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from frugal.extras import explained


def lazily(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package (PEP 562).

    Access lazy attributes before timing: the first access imports a module.

    Args:
        package: full name of the package.
        homes: public name -> the submodule that defines it, or "" if the name is itself a submodule.
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
