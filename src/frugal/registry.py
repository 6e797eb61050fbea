"""Strategies by name. The strategy `beta_greedy` is the class `BetaGreedy` of the module `beta_greedy`.

Other packages add strategies by entry points. The group has the name of our package, such as
`frugal.folds.strategies`; an entry point maps the name of a strategy to its class.
"""

from __future__ import annotations

import ast
import inspect
import pkgutil
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, cast

from frugal.checks import check_known
from frugal.extras import explained


@cache
def added(group: str) -> Mapping[str, EntryPoint]:
    """Entry points of a group by name. None is loaded, and each process looks for them once.

    Raises:
        ValueError: if two packages add the same name.
    """
    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=group):
        other = found.setdefault(point.name, point)
        if other.value != point.value:
            raise ValueError(f"{other.value} and {point.value} both add {point.name!r} to {group}; rename one")
    return found


def check_added(group: str, ours: Collection[str]) -> None:
    """Raise ValueError if another package adds a name to a group that is among `ours`."""
    for name, point in added(group).items():
        if name in ours:
            raise ValueError(f"{point.value} adds {name!r} to {group}, which has one of that name; rename it")


def names(package: str) -> list[str]:
    """Names of the strategies in a package and of those added by other packages, without importing them.

    Raises:
        ValueError: if another package adds a name that is taken.
    """
    spec = find_spec(package)
    return _names(package, (spec and spec.submodule_search_locations) or ())


def _names(package: str, path: Iterable[str]) -> list[str]:
    ours = {module.name for module in pkgutil.iter_modules(path)}
    check_added(package, ours)
    return sorted(ours | set(added(package)))


def needs(package: str, name: str) -> tuple[str, ...]:
    """The attribute `needs` of a strategy's class: the facts about a problem that its constructor requires.

    Our classes are parsed rather than imported, which would take half a second. So `needs` must be a literal.

    Args:
        package: package of the strategies.
        name: name of a strategy; an unknown one needs nothing.
    """
    if name in added(package):
        return tuple(getattr(_loaded(added(package)[name]), "needs", ()))
    return _declared(package, name)


@cache
def _declared(package: str, name: str) -> tuple[str, ...]:
    spec = find_spec(f"{package}.{name}")
    if spec is None or spec.origin is None:
        return ()
    classes = (node for node in ast.parse(Path(spec.origin).read_text()).body if isinstance(node, ast.ClassDef))
    bodies = {found.name: found.body for found in classes}
    for node in bodies[_checked_class(spec.origin, name, bodies)]:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "needs":
            return tuple(ast.literal_eval(node.value))
    return ()


def class_name(name: str) -> str:
    """Name of the class of a strategy: `BetaGreedy` of `beta_greedy`."""
    return "".join(word.capitalize() for word in name.split("_"))


def _checked_class(file: str, name: str, held: Collection[str]) -> str:
    """Name of the class of a strategy, which its module must hold."""
    expected = class_name(name)
    if expected not in held:
        raise ValueError(f"{file} must hold the class {expected}, as the strategy's name is {name!r}")
    return expected


USERS: Final = {
    "frugal.folds.strategies": "FoldSearchCV and `frugal select`",
    "frugal.trials.strategies": "TrialSearchCV, `minimize` and `frugal trials`",
}
"""What takes the strategies of a package."""


class Registry:
    """The strategies that the modules of a package hold, and those that other packages add.

    Args:
        package: name of the package, and of the group of entry points.
        path: folders of the package, `__path__`.
        shared: arguments of every constructor; all others are settings.
    """

    def __init__(self, package: str, path: Iterable[str], shared: Collection[str]) -> None:
        self._package, self._path, self._shared = package, path, shared

    def known(self) -> list[str]:
        """Names, in order."""
        return _names(self._package, self._path)

    def class_of(self, name: str) -> type:
        """Return the class of a strategy.

        Raises:
            ValueError: on an unknown strategy, whose message lists the known ones, or an entry point that cannot
                be loaded or names no class.
            MissingExtraError: if it needs an optional package that is not installed.
        """
        known = self.known()
        if isinstance(name, str) and name not in known:
            for package, users in USERS.items():
                if package != self._package and name in names(package):
                    raise ValueError(f"{name!r} is a strategy of {users}; known here: {', '.join(known)}")
        check_known("strategy", name, known)
        if name in added(self._package):
            return _loaded(added(self._package)[name])
        with explained():
            module = import_module(f"{self._package}.{name}")
        return cast(type, getattr(module, _checked_class(str(module.__file__), name, vars(module))))

    def settings_of(self, name: str) -> dict[str, Any]:
        """Settings of a strategy with their defaults, read from its constructor.

        If a constructor passes further keywords on, the settings of its base class count, too.

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

    def checked(self, name: str, settings: Collection[str]) -> type:
        """Return the class of a strategy after checking the names of its settings.

        Raises:
            ValueError: on an unknown strategy or setting; the message lists the known ones.
        """
        known = self.settings_of(name)
        unknown = sorted(set(settings) - set(known))
        if unknown:
            raise ValueError(f"unknown setting {unknown[0]!r} of {name}; known: {', '.join(known) or 'none'}")
        return self.class_of(name)


def load(point: EntryPoint, what: str) -> Any:
    """Load an entry point; `what` says in the message what it is.

    Raises:
        ValueError: if it cannot be loaded.
    """
    try:
        return point.load()
    except (ImportError, AttributeError) as error:
        raise ValueError(f"{what} cannot be loaded from {point.value}: {error}") from error


def _loaded(point: EntryPoint) -> type:
    """Load the class of an entry point."""
    what = f"the entry point {point.name!r} of {point.group}"
    found = load(point, what)
    if not isinstance(found, type):
        raise ValueError(f"{what} must name a class, as package.module:Class, got {point.value}")
    return found
