"""The source code of our packages, module by module, and where a name of one of them leads to."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from frugal.code.modules import LAZILY, Module, Unit, read_module
from frugal.code.syntax import STAR
from frugal.files import write_text

READ_BY = ("syntax", "modules")
"""Modules beside this one that decide what is read of a source; a cache that others have written is of no use."""


class Place(NamedTuple):
    """Where a unit stands: module and number in it; number -1 is a data file, whose path is `module`."""

    module: str
    number: int


class Source(NamedTuple):
    """A module's file."""

    path: Path
    is_package: bool


class Tree:
    """Packages whose code counts; everything else is a library that pins hold."""

    def __init__(self, packages: Mapping[str, Path], cache: Path | None = None) -> None:
        """Read nothing yet.

        Args:
            packages: folder, or file of a package that is one module, by name.
            cache: file that keeps what was read of sources, by their content; None: none does.
        """
        self.packages = dict(packages)
        self._modules: dict[str, Module] = {}
        self._data_hashes: dict[Path, str] = {}
        self._cache_path = cache
        self._used: dict[str, Any] = {}
        self._is_new = False

    @classmethod
    def installed(cls, packages: Iterable[str]) -> Tree:
        """Packages where Python finds them; none of them is imported.

        What was read is kept in the user's cache, `$XDG_CACHE_HOME/frugal` or `~/.cache/frugal`.

        Raises:
            ValueError: if one is not there.
        """
        names = sorted(packages)
        return cls({name: _folder_of(name) for name in names}, _cache_of(f"code-{'-'.join(names)}.json"))

    @cached_property
    def sources(self) -> Mapping[str, Source]:
        """Every module's file, by its full name."""
        found: dict[str, Source] = {}
        for package, root in sorted(self.packages.items()):
            if root.is_file():
                found[package] = Source(root, False)
                continue
            for path in sorted(root.rglob("*.py")):
                parts = [package, *path.relative_to(root).with_suffix("").parts]
                is_package = parts[-1] == "__init__"
                found[".".join(parts[:-1] if is_package else parts)] = Source(path, is_package)
        return found

    @cached_property
    def data_files(self) -> Mapping[str, tuple[Path, ...]]:
        """Files of a package that are not code, by package."""
        return {
            package: tuple(
                path
                for path in sorted(root.rglob("*"))
                if path.is_file()
                and path.suffix not in (".py", ".pyc", ".pyi")
                and path.name != "py.typed"
                and "__pycache__" not in path.parts
            )
            for package, root in self.packages.items()
            if root.is_dir()
        }

    def data_hash(self, path: Path) -> str:
        """A hash of what a data file holds."""
        if path not in self._data_hashes:
            self._data_hashes[path] = sha256(path.read_bytes()).hexdigest()
        return self._data_hashes[path]

    def module(self, name: str) -> Module:
        """What a module holds."""
        if name not in self._modules:
            source = self.sources[name]
            text, is_package = source.path.read_text(encoding="utf-8"), source.is_package
            key = sha256("\n".join([*sorted(self.packages), name, str(is_package), text]).encode()).hexdigest()
            if key in self._kept:
                self._modules[name] = Module.from_json(self._kept[key])
            else:
                self._modules[name] = read_module(text, name, self.packages, is_package=is_package)
                self._kept[key], self._is_new = self._modules[name].as_json(), True
            self._used[key] = self._kept[key]
        return self._modules[name]

    def unit(self, place: Place) -> Unit:
        """The unit that stands at a place."""
        return self.module(place.module).units[place.number]

    def places(self) -> Iterator[Place]:
        """Yield the places of all units of all modules, except modules that are only run, such as `__main__`."""
        for name in self.sources:
            if name.rpartition(".")[2] != "__main__":
                yield from (Place(name, number) for number in range(len(self.module(name).units)))

    def find(self, module: str, attributes: tuple[str, ...], origin: str = "") -> list[Place]:
        """Return the units that define an attribute of a module; without attributes, all units of the module.

        A package's own names come before its submodules, as in Python, where an imported name replaces a
        submodule. One case is unclear: if a package imports a name from itself before it has set this name, the
        submodule may be meant. Then both count.

        Args:
            module: full name of the module.
            attributes: one after the other.
            origin: module whose code asks.

        Returns:
            Nothing for what is no code of these packages.
        """
        if module not in self.sources:
            return []
        if not attributes:
            return [Place(module, number) for number in range(len(self.module(module).units))]
        held, (name, *rest) = self.module(module), attributes
        found = [Place(module, number) for number, unit in enumerate(held.units) if name in unit.binds]
        binding = held.imports.get(name)
        if binding is not None and binding != (module, (name,)):  # that one is a package's own module
            return [*found, *self.find(binding.module, (*binding.attributes, *rest))]
        inner = f"{module}.{name}"
        if found and origin == module and inner in self.sources:
            return [*found, *self.find(inner, tuple(rest))]
        if found:
            return found
        if name in held.lazy:
            home = f"{module}.{held.lazy[name]}" if held.lazy[name] else inner
            named = (name, *rest) if held.lazy[name] else tuple(rest)
            return [*self.find(module, (LAZILY,)), *self.find(home, named)]
        if inner in self.sources:  # which Python imports after a lazy package has said that it has no such name
            return [*(self.find(module, (LAZILY,)) if held.lazy else ()), *self.find(inner, tuple(rest))]
        if STAR in held.imports:
            return self.find(held.imports[STAR].module, attributes)
        return []

    def named(self, module: str, attributes: tuple[str, ...]) -> str:
        """The origin of a name that these packages import from elsewhere, followed through their imports."""
        while module in self.sources and attributes:
            binding = self.module(module).imports.get(attributes[0])
            if binding is None or binding == (module, attributes[:1]):
                break
            module, attributes = binding.module, (*binding.attributes, *attributes[1:])
        return ".".join([module, *attributes])

    # What was read before, by the content of the source ----------------------------------------------------------

    @cached_property
    def _kept(self) -> dict[str, Any]:
        try:
            read_by, kept = json.loads(self._cache_path.read_text()) if self._cache_path else ("", {})
        except (OSError, ValueError, TypeError):  # there is none yet, or it is damaged
            return {}
        return dict(kept) if read_by == self._reader else {}

    @cached_property
    def _reader(self) -> str:
        """A hash of `READ_BY`."""
        return sha256(
            b"".join(Path(__file__).with_name(f"{name}.py").read_bytes() for name in READ_BY)
        ).hexdigest()

    def save(self) -> None:
        """Write the cache, if something was read anew and there is a place where it can be written."""
        if self._cache_path is None or not self._is_new:
            return
        self._is_new = False
        try:
            write_text(json.dumps([self._reader, self._used]), self._cache_path)
        except OSError:  # a home that cannot be written to
            self._cache_path = None


def _folder_of(package: str) -> Path:
    spec = find_spec(package)
    if spec is None or not (spec.submodule_search_locations or spec.origin):
        raise ValueError(f"the package {package!r} is not installed here")
    if spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations)))
    return Path(str(spec.origin))


def _cache_of(name: str) -> Path | None:
    """A file of the user's cache; None for a user without a home."""
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "frugal", name)
    except RuntimeError:
        return None
