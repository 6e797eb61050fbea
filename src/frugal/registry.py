"""Strategies by name: a module `beta_greedy` of the package holds the class `BetaGreedy`, and that suffices."""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Collection, Iterable, Mapping
from importlib import import_module
from typing import Any, cast

from frugal.checks import check_known


class Registry:
    """The strategies that the modules of a package hold.

    Args:
        package: name of the package.
        path: its folders, `__path__`.
        shared: arguments that every constructor takes; the others are settings.
    """

    def __init__(self, package: str, path: Iterable[str], shared: Collection[str]) -> None:
        self._package, self._path, self._shared = package, path, shared

    def known(self) -> list[str]:
        """Names, in order."""
        return sorted(module.name for module in pkgutil.iter_modules(self._path))

    def class_of(self, name: str) -> type:
        """The class of a strategy.

        Raises:
            ValueError: on an unknown strategy; the message lists the known ones.
        """
        check_known("strategy", name, self.known())
        module = import_module(f"{self._package}.{name}")
        return cast(type, getattr(module, "".join(word.capitalize() for word in name.split("_"))))

    def settings_of(self, name: str) -> dict[str, Any]:
        """Settings of a strategy and their defaults, as its constructor takes them.

        Where a constructor hands further keywords on, those of the class that it is built on are settings too.

        Raises:
            ValueError: on an unknown strategy; the message lists the known ones.
        """
        settings: dict[str, Any] = {}
        for built_on in self.class_of(name).__mro__:
            if "__init__" not in vars(built_on):
                continue
            parameters = list(inspect.signature(built_on).parameters.values())
            for parameter in parameters:
                if parameter.kind is parameter.KEYWORD_ONLY and parameter.name not in self._shared:
                    settings.setdefault(parameter.name, parameter.default)
            if all(parameter.kind is not parameter.VAR_KEYWORD for parameter in parameters):
                break
        return settings

    def checked(self, name: str, settings: Mapping[str, Any]) -> type:
        """The class of a strategy that takes these settings.

        Raises:
            ValueError: on an unknown strategy or setting; the message lists the known ones.
        """
        known = self.settings_of(name)
        unknown = sorted(set(settings) - set(known))
        if unknown:
            raise ValueError(f"unknown setting {unknown[0]!r} of {name}; known: {', '.join(known) or 'none'}")
        return self.class_of(name)
