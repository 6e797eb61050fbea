"""The definitions that a job's result depends on: all that its roots lead to, and their hash."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from typing import Final, NamedTuple

from frugal.code.modules import Piece
from frugal.code.syntax import Use
from frugal.code.tree import Place, Tree
from frugal.registry import class_name

DATA: Final = -1
"""Number of a data file, which is no unit of a module."""
END: Final = -1
"""After the numbers of the definitions that one name leads to."""
READERS: Final = ("importlib.resources.", "pkgutil.get_data")
"""Functions that read the data files of a package."""


class Switches(NamedTuple):
    """Which entries of tables, and which definitions, matter only to jobs that ask for them by name.

    Attributes:
        keyed: tables of named entries, and functions that register such entries: `package.module:name` -> kind of
            name. A job reads only the entries that its names select.
        only: definitions that matter only to some jobs: `package.module:name` -> kind of name, and the name.
        without: modules and packages that compute nothing, so that their definitions never count.
        families: registries of classes: `package.module:name` -> package with one class per module. A job that
            names no `strategy` depends on the classes whose names are strings in the code that it reaches in other
            top-level packages.
        homes: registries of entries that modules hold under other names: `package.module:name` -> tables
            (`package.module:TABLE`) and the names of their entries. A job that names no `learner` depends on the
            tables of which a name is a string in the code that it reaches in other top-level packages.
    """

    keyed: Mapping[str, str] = {}
    only: Mapping[str, tuple[str, str]] = {}
    without: tuple[str, ...] = ()
    families: Mapping[str, str] = {}
    homes: Mapping[str, Mapping[str, tuple[str, ...]]] = {}


class Job(NamedTuple):
    """The code that a job runs.

    Attributes:
        roots: definitions at which the job begins: `package.module:name`, `package.module:TABLE[entry]`, or
            `package.module:` for a whole module.
        names: pairs of kind and name that the job requests. Of a kind without a pair, every name counts.
        draws: whether the looks of methods count.
    """

    roots: tuple[str, ...]
    names: tuple[tuple[str, str], ...] = ()
    draws: bool = False


Word = tuple[str, str]
"""A package, and a string in its code."""


class Part(NamedTuple):
    """A piece of a unit, with its names resolved.

    Attributes:
        keys: keys of a table's entry; empty for other pieces.
        text: digest, the names used, and the targets of names from libraries.
        uses: for every name of our packages its definitions, with the kind and name of `Switches.only`.
        words: strings of the piece.
        is_look: whether the piece only sets the look of methods.
    """

    keys: frozenset[str]
    text: str
    uses: tuple[tuple[tuple[Place, str, str], ...], ...]
    words: frozenset[Word]
    is_look: bool


class Node(NamedTuple):
    """A unit, with its names resolved.

    Attributes:
        parts: one part; for a table its head and its entries.
        keyed_by: kind of name of the entries.
        changed_by: statements that change the unit at import.
        reads: whether the unit reads data files of its package.
    """

    parts: tuple[Part, ...]
    keyed_by: str | None
    changed_by: tuple[Place, ...]
    reads: bool


class Code:
    """The code of packages, and which of it jobs depend on."""

    def __init__(self, tree: Tree, switches: Switches = Switches()) -> None:  # noqa: B008
        """Take packages and their switches.

        Raises:
            ValueError: if the packages lack a definition that the switches name.
        """
        self.tree, self.switches = tree, switches
        self._keyed = {place: kind for name, kind in switches.keyed.items() for place in self._places(name)}
        self._only = {place: to for name, to in switches.only.items() for place in self._places(name)}
        self._families = {
            place: package for name, package in switches.families.items() for place in self._places(name)
        }
        self._homes = {place: homes for name, homes in switches.homes.items() for place in self._places(name)}
        self._hashes: dict[Job, str] = {}
        self._nodes: dict[Place, Node] = {}

    def hash_of(self, job: Job) -> str:
        """A hash of all definitions that `reached` lists and of the links between them, without names of modules.

        Raises:
            ValueError: if a root is not there.
        """
        if job not in self._hashes:
            text = "\n".join(self._lines(job, {}))
            self._hashes[job] = sha256(text.encode()).hexdigest()[:16]
            self.tree.save()
        return self._hashes[job]

    def reached(self, job: Job) -> list[str]:
        """The definitions that a job depends on, `package.module:name`, and data files, sorted.

        Raises:
            ValueError: if a root is not there.
        """
        numbers: dict[Place, int] = {}
        for _ in self._lines(job, numbers):
            pass
        return sorted(map(self._name, numbers))

    def _name(self, place: Place) -> str:
        if place.number == DATA:
            return place.module
        return f"{place.module}:{','.join(self.tree.unit(place).binds) or place.number}"

    def _lines(self, job: Job, numbers: dict[Place, int]) -> Iterator[str]:
        """The definitions in the order in which they are met, with the numbers of those that they use."""
        chosen: dict[str, set[str]] = defaultdict(set)
        for kind, name in job.names:
            chosen[kind].add(name)
        entries: dict[Place, set[str]] = defaultdict(set)
        left: list[Place] = []

        def number(place: Place) -> int:
            if place not in numbers:
                numbers[place] = len(numbers)
                left.append(place)
            return numbers[place]

        for root in job.roots:
            name, _, entry = root.partition("[")
            places = self._places(name)
            for place in places:
                if entry:
                    entries[place].add(entry.rstrip("]"))
            yield f"root {[number(place) for place in places]}"
        words: set[Word] = set()
        for place in left:  # which grows
            node = self._node(place)
            for part in self._parts(place, chosen, entries):
                if part.is_look and not job.draws:
                    continue
                words |= part.words
                row = []
                for use in part.uses:
                    for one, kind, name in use:
                        if not kind or kind not in chosen or name in chosen[kind]:
                            row.append(number(one))
                    row.append(END)
                yield f"{part.text}\n{row}"
            if node.changed_by:
                acting = [one for one in node.changed_by if self._parts(one, chosen, entries)]
                yield f"changed by {[number(one) for one in acting]}"
            if place == left[-1] and "strategy" not in chosen:
                yield from (f"looked up {number(one)}" for one in self._looked_up(numbers, words))
            if place == left[-1] and "learner" not in chosen:
                yield from (f"looked up {number(one)}" for one in self._looked_up_at_home(numbers, words))
        yield from self._data(numbers, words)

    def _parts(
        self, place: Place, chosen: Mapping[str, set[str]], entries: Mapping[Place, set[str]]
    ) -> Sequence[Part]:
        """The parts of a definition that a job reads: of a table, the entries that it asks for."""
        node = self._node(place)
        if place in entries:
            found = [part for part in node.parts if entries[place] & part.keys]
            return [*node.parts[:1], *(found or [part for part in node.parts[1:] if not part.keys])]
        if node.keyed_by is None or node.keyed_by not in chosen:
            return node.parts
        return [part for part in node.parts if not part.keys or chosen[node.keyed_by] & part.keys]

    def _node(self, place: Place) -> Node:
        """A unit with the places of the definitions that it uses, worked out once for all jobs."""
        if place not in self._nodes:
            unit = self.tree.unit(place)
            keyed_by = self._keyed.get(place) or self._kind_of_call.get(place)
            parts = tuple(self._part(place, piece) for piece in unit.pieces)
            self._nodes[place] = Node(parts, keyed_by, tuple(self._acting.get(place, ())), self._reads(place))
        return self._nodes[place]

    def _part(self, place: Place, piece: Piece) -> Part:
        """A piece, the names of libraries that it uses written out in its text."""
        package, text, uses = place.module.split(".")[0], [piece.digest], []
        for use in piece.uses:
            found = self._found(place, [use])
            if found:
                text.append(use.written)
                counted = [one for one in found if not self._is_without(one.module)]
                uses.append(tuple((one, *self._only.get(one, ("", ""))) for one in counted))
            elif use.module and use.module.split(".")[0] not in self.tree.packages:
                text.append(f"{use.written} {self.tree.named(use.module, use.attributes)}")
        words = frozenset((package, word) for word in piece.words)
        return Part(frozenset(piece.keys or ()), "\n".join(text), tuple(uses), words, piece.is_look)

    def _is_without(self, module: str) -> bool:
        return any(module == name or module.startswith(f"{name}.") for name in self.switches.without)

    def _places(self, name: str) -> list[Place]:
        """Where `package.module:name` is defined."""
        module, _, attribute = name.partition(":")
        found = self.tree.find(module, (attribute,) if attribute else ())
        if not found:
            raise ValueError(f"{module!r} has no {attribute!r}, which a job begins with or `Switches` name")
        return found

    @cached_property
    def _acting(self) -> Mapping[Place, list[Place]]:
        """Variables, and the statements that may change them as their modules are imported."""
        found: dict[Place, list[Place]] = defaultdict(list)
        for place in self.tree.places():
            for variable in self._touched(place) if self.tree.unit(place).acts else ():
                found[variable].append(place)
        return found

    @cached_property
    def _kind_of_call(self) -> Mapping[Place, str]:
        """Statements that register something by a call of one of `keyed`, and the kind of its name."""
        return {
            place: self._keyed[called]
            for place in {one for acting in self._acting.values() for one in acting}
            for called in self._found(place, self.tree.unit(place).acts)
            if called in self._keyed and not self.tree.unit(called).is_variable
        }

    def _touched(self, place: Place) -> set[Place]:
        """Variables that a statement changes, itself or by the functions that it calls."""
        unit = self.tree.unit(place)
        changed, left, called = self._found(place, unit.touches), self._found(place, unit.acts), {place}
        while left:
            at = left.pop()
            if at in called or self.tree.unit(at).is_variable:
                continue
            called.add(at)
            changed += self._found(at, self.tree.unit(at).changes)
            left += [one for piece in self.tree.unit(at).pieces for one in self._found(at, piece.uses)]
        return {one for one in changed if self.tree.unit(one).is_variable and one != place}

    def _found(self, place: Place, uses: Iterable[Use]) -> list[Place]:
        """Definitions of ours that are used at a place."""
        at = place.module
        return [one for use in uses for one in self.tree.find(use.module or at, use.attributes, use.module and at)]

    def _looked_up(self, numbers: Mapping[Place, int], words: set[Word]) -> list[Place]:
        """Classes of the reached registries that code of other packages names; those met before are left out."""
        packages = [package for place, package in self._families.items() if place in numbers]
        named = [
            (f"{package}.{word}", class_name(word))
            for package in packages
            for origin, word in sorted(words)
            if origin != package.split(".")[0]
        ]
        found = [one for module, name in named for one in self.tree.find(module, (name,))]
        return [place for place in found if place not in numbers]

    def _looked_up_at_home(self, numbers: Mapping[Place, int], words: set[Word]) -> list[Place]:
        """Tables of the reached registries of which code of other packages names an entry; new ones alone."""
        found = []
        for place, homes in self._homes.items():
            package = place.module.split(".")[0]
            named = {word for origin, word in words if origin != package}
            tables = sorted(table for table, names in homes.items() if named & set(names))
            found += [one for table in tables if place in numbers for one in self._places(table)]
        return [place for place in found if place not in numbers]

    def _data(self, numbers: dict[Place, int], words: set[Word]) -> Iterator[str]:
        """Yield name and hash of each data file on which the job depends.

        Data files of a package count only if a reached definition of it reads data files. A file counts if its
        name, with or without suffix, or a beginning of its name that ends in `_` is a string in any reached code.
        """
        for package in sorted({place.module.split(".")[0] for place in numbers if self._node(place).reads}):
            strings = {word for _, word in words}
            beginnings = tuple(word for word in strings if word.endswith("_"))
            for path in self.tree.data_files.get(package, ()):
                if {path.stem, path.name} & strings or path.stem.startswith(beginnings):
                    numbers[Place(str(path), DATA)] = len(numbers)
                    yield f"{path.name} {self.tree.data_hash(path)}"

    def _reads(self, place: Place) -> bool:
        """Whether a definition reads data files of its package."""
        return any(
            self.tree.named(use.module, use.attributes).startswith(READERS) or use.written == "__file__"
            for piece in self.tree.unit(place).pieces
            for use in piece.uses
        )
