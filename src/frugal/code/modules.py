"""The definitions of a module, in pieces so small that a changed piece tells which results change."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NamedTuple

from frugal.code.syntax import (
    Binding,
    Names,
    Use,
    bindings_of,
    changes_of,
    counted,
    is_type_checking,
    text_of,
    uses_of,
)

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
LAZILY = "lazily"
"""Name of `frugal.lazy.lazily`, which makes the `__getattr__` of a package."""
_DEEP = 2
"""Levels of nested dictionaries whose entries are pieces of their own."""
_WORD = re.compile(r"\w[\w.-]{0,39}")
_LOOK = frozenset({"label", "color", "marker", "linestyle", "hatch"})
"""Arguments of a `Method` that set its look; only figures depend on them."""


class Piece(NamedTuple):
    """A part of a unit.

    Attributes:
        keys: keys of a table's entry, with those of nested tables; None: the piece is not an entry.
        digest: digest of the text.
        uses: names of this module and of others that the piece reads.
        words: strings that may be names, for example of a strategy or a file.
        is_look: whether the piece only sets the look of the unit's methods.
    """

    keys: tuple[str, ...] | None
    digest: str
    uses: tuple[Use, ...]
    words: tuple[str, ...]
    is_look: bool = False


class Unit(NamedTuple):
    """A top-level statement.

    Attributes:
        binds: names that the statement defines or changes.
        pieces: one piece; for a table its head and its entries; then the looks of its methods, if any.
        acts: names that it calls at import, such as a registration: the decorators of a definition, and every name
            in a statement that is neither a definition nor a plain assignment.
        touches: variables that it changes at import.
        changes: variables of modules that its functions may change when called.
        is_variable: whether it binds a value, not a function or class.
    """

    binds: tuple[str, ...]
    pieces: tuple[Piece, ...]
    acts: tuple[Use, ...]
    touches: tuple[Use, ...]
    changes: tuple[Use, ...]
    is_variable: bool


@dataclass(frozen=True)
class Module:
    """The contents of a module.

    Attributes:
        imports: name -> binding by an import.
        units: top-level statements that count, in order.
        lazy: public name -> submodule, or "", of a package whose `__getattr__` is `lazily`.
    """

    imports: Mapping[str, Binding]
    units: tuple[Unit, ...]
    lazy: Mapping[str, str]

    def as_json(self) -> list[Any]:
        """Convert to plain lists, for a file."""
        return [self.imports, self.units, self.lazy]

    @classmethod
    def from_json(cls, plain: list[Any]) -> Module:
        """Invert `as_json`."""
        imports, units, lazy = plain
        return cls(
            {name: Binding(module, tuple(chain)) for name, (module, chain) in imports.items()},
            tuple(map(_unit, units)),
            lazy,
        )


def _unit(plain: list[Any]) -> Unit:
    binds, pieces, acts, touches, changes, is_variable = plain
    return Unit(tuple(binds), tuple(map(_piece, pieces)), _uses(acts), _uses(touches), _uses(changes), is_variable)


def _piece(plain: list[Any]) -> Piece:
    keys, digest, uses, words, is_look = plain
    return Piece(None if keys is None else tuple(keys), digest, _uses(uses), tuple(words), is_look)


def _uses(plain: list[Any]) -> tuple[Use, ...]:
    return tuple(Use(written, module, tuple(chain)) for written, module, chain in plain)


def read_module(source: str, name: str, ours: Collection[str], *, is_package: bool) -> Module:
    """Read the contents of a module from its source.

    Args:
        source: text of the module.
        name: full name of the module.
        ours: packages whose code counts.
        is_package: whether the module is the `__init__` of a package.

    Raises:
        SyntaxError: if the text is not Python.
    """
    package = name if is_package else name.rpartition(".")[0]
    body = ast.parse(source).body
    imports: dict[str, Binding] = {}
    for node in _at_import(body):
        imports |= bindings_of(node, package)
    statements = list(counted(body))
    known = Names(imports, {bound for statement in statements for bound in _binds(statement)}, package, ours)
    tables = {b: s.value for s in statements if isinstance(s, ast.Assign) for b in _binds(s)}

    def piece(nodes: list[ast.AST], keys: tuple[str, ...] | None = None) -> Piece:
        used = [use for node in nodes for use in uses_of(node, known)]
        digest = sha256(text_of(nodes).encode()).hexdigest()[:16]
        return Piece(keys, digest, tuple(dict.fromkeys(used)), tuple(sorted(_words(nodes))))

    units = []
    for statement in statements:
        if isinstance(statement, ast.If) and _is_main(statement.test):
            continue
        looks = _cut_looks(statement)
        if isinstance(statement, ast.Assign) and (entries := list(_entries(statement.value))):
            shell: list[ast.AST] = [*statement.targets, *_shell(statement.value)]
            pieces = [piece(shell), *(piece(nodes, keys) for keys, nodes in entries)]
        else:
            pieces = [piece([statement], _keys_of_call(statement, tables))]
        if looks:
            pieces.append(piece(looks)._replace(is_look=True))
        acting = _acting(statement)
        acts = [use for node in acting for use in uses_of(node, known)]
        touches = [use for node in acting for use in changes_of(node, known, _given(node))]
        is_variable = not isinstance(statement, _DEFINITIONS)
        changes = [] if is_variable else changes_of(statement, known)
        units.append(
            Unit(tuple(_binds(statement)), tuple(pieces), tuple(acts), tuple(touches), tuple(changes), is_variable)
        )
    return Module(imports, tuple(units), _lazy_names(statements))


def _cut_looks(statement: ast.stmt) -> list[ast.AST]:
    """Take the look out of every `Method(...)` of a statement; returns these calls with their looks alone."""
    found: list[ast.AST] = []
    for call in ast.walk(statement):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "Method":
            look = [keyword for keyword in call.keywords if keyword.arg in _LOOK]
            call.keywords = [keyword for keyword in call.keywords if keyword.arg not in _LOOK]
            found += [ast.Call(call.func, call.args[:1], look)] if look else []
    return found


def _words(nodes: Iterable[ast.AST]) -> set[str]:
    strings = (one.value for node in nodes for one in ast.walk(node) if isinstance(one, ast.Constant))
    return {text for text in strings if isinstance(text, str) and _WORD.fullmatch(text)}


def _at_import(body: Iterable[ast.AST]) -> Iterator[ast.Import | ast.ImportFrom]:
    """Imports that run when the module is imported."""
    for node in body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node
        elif isinstance(node, ast.If) and is_type_checking(node.test):
            yield from _at_import(node.orelse)
        elif not isinstance(node, (*_DEFINITIONS, ast.expr)):
            yield from _at_import(ast.iter_child_nodes(node))


def _binds(statement: ast.AST) -> list[str]:
    """Names of the module that a top-level statement defines or changes, functions' own variables left out."""
    if isinstance(statement, _DEFINITIONS):
        return [statement.name]
    found: dict[str, None] = {}
    left: list[ast.AST] = [statement]
    while left:
        node = left.pop(0)
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            found[node.id] = None
        elif isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.ctx, (ast.Store, ast.Del)):
            base: ast.AST = node
            while isinstance(base, (ast.Subscript, ast.Attribute)):
                base = base.value
            if isinstance(base, ast.Name):
                found[base.id] = None
        elif isinstance(node, _DEFINITIONS):
            found[node.name] = None
            continue
        elif isinstance(node, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            continue
        left += ast.iter_child_nodes(node)
    return list(found)


def _acting(statement: ast.stmt) -> list[ast.AST]:
    """The parts of a statement that may change what others define."""
    if isinstance(statement, _DEFINITIONS):
        return list(statement.decorator_list)
    is_plain = isinstance(statement, ast.Assign) and not any(
        isinstance(target, (ast.Subscript, ast.Attribute)) for target in statement.targets
    )
    return [] if is_plain else [statement]


def _given(node: ast.AST) -> set[str]:
    """Variables that an acting part hands to what it calls, and those of which a decorator is a method."""
    node = node.value if isinstance(node, ast.Expr) else node
    nodes = [*node.args, *(word.value for word in node.keywords)] if isinstance(node, ast.Call) else [node]
    while any(isinstance(one, ast.Attribute) for one in nodes):
        nodes = [one.value if isinstance(one, ast.Attribute) else one for one in nodes]
    return {one.id for one in nodes if isinstance(one, ast.Name)}


def _is_main(test: ast.expr) -> bool:
    """Whether a condition is that of a module that is run, not imported."""
    return isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__"


Entry = tuple[tuple[str, ...] | None, list[ast.AST]]


def _entries(value: ast.expr, depth: int = _DEEP) -> Iterator[Entry]:
    """Entries of a table, with their keys: of a dictionary, or of a sequence of calls that are given names."""
    value = _display(value)
    if isinstance(value, ast.Dict):
        for key, item in zip(value.keys, value.values, strict=True):
            keys = _strings(key)
            if key is None or keys is None:
                yield None, [item] if key is None else [key, item]
                continue
            inner = list(_entries(item, depth - 1)) if depth > 1 and keys and isinstance(item, ast.Dict) else []
            for more, nodes in inner or [((), [item])]:
                yield keys + (more or ()), [key, *nodes]
    elif isinstance(value, (ast.Tuple, ast.List)) and any(isinstance(item, ast.Call) for item in value.elts):
        for item in value.elts:
            yield (_name_given(item) if isinstance(item, ast.Call) else None), [item]


def _shell(value: ast.expr) -> list[ast.AST]:
    """What is around a table's entries: the kind of the display, and the call that wraps it."""
    display = _display(value)
    wrapper = [value.func] if isinstance(value, ast.Call) and display is not value else []
    return [ast.Constant(type(display).__name__), *wrapper]


def _display(value: ast.expr) -> ast.expr:
    """The only argument of a call, such as the display of `MappingProxyType({...})`; else the value as it is."""
    if isinstance(value, ast.Call) and len(value.args) == 1 and not value.keywords:
        return value.args[0]
    return value


def _strings(key: ast.expr | None) -> tuple[str, ...] | None:
    """The strings of a key, which is one or a tuple of them; None if it is something else."""
    parts = key.elts if isinstance(key, ast.Tuple) else [key]
    found = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return tuple(found) if len(found) == len(parts) else None


def _name_given(call: ast.Call) -> tuple[str, ...] | None:
    """What a call is given as its first argument or as `name`, where that is a string."""
    named = [keyword.value for keyword in call.keywords if keyword.arg == "name"]
    values = [*call.args[:1], *named]
    return _strings(values[0]) if values else None


def _keys_of_call(statement: ast.stmt, tables: Mapping[str, ast.expr]) -> tuple[str, ...] | None:
    """Keys under which a statement registers something: a call's first argument, or what a loop goes through."""
    if isinstance(statement, _DEFINITIONS):
        calls = [_name_given(one) for one in statement.decorator_list if isinstance(one, ast.Call)]
        return calls[0] if len(calls) == 1 else None
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        return _name_given(statement.value)
    if isinstance(statement, ast.For):
        through = statement.iter
        through = tables.get(through.id, through) if isinstance(through, ast.Name) else through
        if isinstance(through, ast.Dict):
            through = ast.Tuple([key for key in through.keys if key])
        return _strings(through) if isinstance(through, ast.Tuple) else None
    return None


def _lazy_names(statements: Iterable[ast.stmt]) -> dict[str, str]:
    """What a package offers by `__getattr__ = lazily(__name__, {...})`."""
    for statement in statements:
        if isinstance(statement, ast.Assign) and _binds(statement) == ["__getattr__"]:
            call = statement.value
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == LAZILY:
                return _evaluated(call.args[1])
    return {}


def _evaluated(table: ast.expr) -> dict[str, str]:
    """The dictionary of a display, of `dict.fromkeys(names, value)`, or of several joined by `|`."""
    if isinstance(table, ast.BinOp) and isinstance(table.op, ast.BitOr):
        return _evaluated(table.left) | _evaluated(table.right)
    if isinstance(table, ast.Call) and ast.unparse(table.func) == "dict.fromkeys":
        names, value = (ast.literal_eval(argument) for argument in table.args)
        return dict.fromkeys(names, value)
    evaluated: dict[str, str] = ast.literal_eval(table)
    return evaluated
