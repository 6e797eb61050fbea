"""What a job's result depends on: every definition that its roots lead to, and a hash of them all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from hashlib import sha256
from typing import Final, NamedTuple

from frugal.code.modules import Piece
from frugal.code.names import Use
from frugal.code.tree import Place, Tree

DATA: Final = -1
"""Number of a data file, which is no unit of a module."""
READERS: Final = ("importlib.resources.", "pkgutil.get_data")
"""What reads the data files of a package."""


class Switches(NamedTuple):
    """Which entries of tables, and which definitions, matter only to jobs that ask for them by name.

    Attributes:
        keyed: tables, of which a job reads the entries of its names, and functions that register such entries:
            `package.module:name` -> kind of name.
        only: definitions that matter only to some jobs: `package.module:name` -> kind of name, and the name.
        without: modules and packages that compute nothing, so that their definitions never count.
        families: registries, `package.module:name`, -> the package whose modules hold a class each. A job that
            names no `strategy` depends on those whose names its code holds as strings.
    """

    keyed: Mapping[str, str] = {}
    only: Mapping[str, tuple[str, str]] = {}
    without: tuple[str, ...] = ()
    families: Mapping[str, str] = {}


class Job(NamedTuple):
    """What a job runs.

    Attributes:
        roots: definitions that it begins with, `package.module:name`, or `package.module:TABLE[entry]`,
            or `package.module:` for all of a module.
        names: what it is asked for, kind and name; of a kind that it does not have, every name counts.
    """

    roots: tuple[str, ...]
    names: tuple[tuple[str, str], ...] = ()


class Code:
    """The code of packages, and which of it jobs depend on."""

    def __init__(self, tree: Tree, switches: Switches = Switches()) -> None:  # noqa: B008
        """Take packages and their switches.

        Raises:
            ValueError: if the packages lack a definition that the switches name.
        """
        self.tree = tree
        self._without = switches.without
        self._keyed = {place: kind for name, kind in switches.keyed.items() for place in self._places(name)}
        self._only = {place: to for name, to in switches.only.items() for place in self._places(name)}
        self._families = {
            place: package for name, package in switches.families.items() for place in self._places(name)
        }
        self._hashes: dict[Job, str] = {}

    def hash_of(self, job: Job) -> str:
        """A hash of everything that `reached` lists, and of how it hangs together; modules' names do not count.

        Raises:
            ValueError: if a root is not there.
        """
        if job not in self._hashes:
            summary = sha256()
            for line in self._lines(job, {}):
                summary.update(line.encode())
            self._hashes[job] = summary.hexdigest()[:16]
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
        return sorted(
            place.module
            if place.number == DATA
            else f"{place.module}:{','.join(self.tree.unit(place).binds) or place.number}"
            for place in numbers
        )

    def _lines(self, job: Job, numbers: dict[Place, int]) -> Iterator[str]:
        """A line per definition in the order in which it is met, with the numbers of those that it uses."""
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
            yield f"root {[number(place) for place in places]}\n"
        words: set[tuple[str, str]] = set()  # package and string
        for place in left:  # which grows
            for piece in self._pieces(place, chosen, entries):
                words |= {(place.module.split(".")[0], word) for word in piece.words}
                yield f"{piece.digest}\n"
                for use in piece.uses:
                    found = self._found(place, [use])
                    if found:
                        yield f"{use.written} {[number(one) for one in found if self._matters(one, chosen)]}\n"
                    elif use.module and use.module.split(".")[0] not in self.tree.packages:
                        yield f"{use.written} {self.tree.named(use.module, use.attributes)}\n"
            acting = [one for one in self._acting.get(place, ()) if self._pieces(one, chosen, entries)]
            yield f"changed by {[number(one) for one in acting]}\n"
            if place == left[-1] and "strategy" not in chosen:
                yield from (f"looked up {number(one)}\n" for one in self._looked_up(numbers, words))
        yield from self._data(numbers, words)

    def _matters(self, place: Place, chosen: Mapping[str, set[str]]) -> bool:
        """Whether a definition that only some jobs use matters to one."""
        if any(f"{place.module}.".startswith(f"{name}.") for name in self._without):
            return False
        kind, name = self._only.get(place, ("", ""))
        return kind not in chosen or name in chosen[kind]

    def _pieces(
        self, place: Place, chosen: Mapping[str, set[str]], entries: Mapping[Place, set[str]]
    ) -> list[Piece]:
        """The parts of a definition that a job reads: of a table, the entries that it asks for."""
        pieces = self.tree.unit(place).pieces
        if place in entries:
            head, found = pieces[:1], [piece for piece in pieces if entries[place] & set(piece.keys or ())]
            return [*head, *(found or [piece for piece in pieces[1:] if piece.keys is None])]
        kind = self._keyed.get(place) or self._kind_of_call.get(place)
        if kind is None or kind not in chosen:
            return list(pieces)
        return [piece for piece in pieces if piece.keys is None or chosen[kind] & set(piece.keys)]

    def _places(self, name: str) -> list[Place]:
        """Where `package.module:name` is defined."""
        module, _, attribute = name.partition(":")
        found = self.tree.find(module, (attribute,) if attribute else ())
        if not found:
            raise ValueError(f"there is no {attribute!r} in {module!r}, on which a job is said to depend")
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
        origin = place.module
        return [
            one
            for use in uses
            for one in self.tree.find(use.module or origin, use.attributes, use.module and origin)
        ]

    def _looked_up(self, numbers: Mapping[Place, int], words: set[tuple[str, str]]) -> list[Place]:
        """Classes of the reached registries that code of other packages names; those met before are left out."""
        packages = [package for place, package in self._families.items() if place in numbers]
        named = [
            (f"{package}.{word}", class_of(word))
            for package in packages
            for of, word in sorted(words)
            if of != package.split(".")[0]
        ]
        found = [one for module, name in named for one in self.tree.find(module, (name,))]
        return [place for place in found if place not in numbers]

    def _data(self, numbers: dict[Place, int], words: set[tuple[str, str]]) -> Iterator[str]:
        """Data files of ours whose names, or beginnings up to a `_`, are strings of code that reads some."""
        for package in sorted({place.module.split(".")[0] for place in numbers if self._reads(place)}):
            for path in self.tree.data_files.get(package, ()):
                if any(
                    word in (path.stem, path.name) or (word.endswith("_") and path.stem.startswith(word))
                    for _, word in words
                ):
                    numbers[Place(str(path), DATA)] = len(numbers)
                    yield f"{path.name} {sha256(path.read_bytes()).hexdigest()}\n"

    def _reads(self, place: Place) -> bool:
        """Whether a definition reads data files of its package."""
        return any(
            self.tree.named(use.module, use.attributes).startswith(READERS) or use.written == "__file__"
            for piece in self.tree.unit(place).pieces
            for use in piece.uses
        )


def class_of(name: str) -> str:
    """Name of the class that a module of a registry holds: `BetaGreedy` of `beta_greedy`."""
    return "".join(word.capitalize() for word in name.split("_"))
