"""A syntax tree as text that depends on what the code does: the same in every version of Python.

Docstrings, comments, annotations, imports and what stands under `if TYPE_CHECKING` leave no trace. Of a `raise`
only that it is there: its exception and its message leave none. What an import binds is known to `names`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any, Final

SKIPPED: Final = frozenset({"annotation", "returns", "ctx", "kind", "type_comment", "type_params", "simple"})
"""Fields that say nothing of what is computed, or that only some versions of Python have."""


def text_of(tree: ast.AST | list[Any] | Any) -> str:
    """A node, a list of nodes or a plain value as text; fields that are None or empty are left out."""
    if isinstance(tree, ast.AST):
        return _text_of_node(tree)
    if isinstance(tree, list):
        return f"[{','.join(text_of(item) for item in tree)}]"
    return repr(tree)


def _text_of_node(node: ast.AST) -> str:
    if isinstance(node, ast.Raise):
        return "Raise"
    if isinstance(node, ast.Constant):
        return repr(node.value)
    if isinstance(node, ast.JoinedStr):
        return f"JoinedStr({text_of(_joined(node))})"
    parts = []
    for name, value in ast.iter_fields(node):
        if name in SKIPPED or value is None:
            continue
        if isinstance(value, list) and any(isinstance(item, ast.stmt) for item in value):
            value = list(counted(value, in_class=isinstance(node, ast.ClassDef)))
        if value != []:
            parts.append(f"{name}={text_of(value)}")
    return f"{type(node).__name__}({','.join(parts)})"


def counted(body: Iterable[ast.stmt], *, in_class: bool = False) -> Iterator[ast.stmt]:
    """The statements of a body that count; an annotated assignment as a plain one, outside a class."""
    for statement in body:
        if isinstance(statement, (ast.Import, ast.ImportFrom, ast.Pass)):
            continue
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            continue
        if isinstance(statement, ast.If) and is_type_checking(statement.test):
            yield from counted(statement.orelse, in_class=in_class)
        elif isinstance(statement, ast.AnnAssign) and not in_class:  # in a class it may be a field
            if statement.value is not None:
                yield ast.Assign([statement.target], statement.value)
        else:
            yield statement


def is_type_checking(test: ast.expr) -> bool:
    """Whether a condition is `TYPE_CHECKING`, which holds for type checkers alone."""
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )


def _joined(node: ast.JoinedStr) -> list[Any]:
    """The parts of an f-string; versions of Python differ in how they cut its plain text."""
    parts: list[Any] = []
    for part in node.values:
        if isinstance(part, ast.Constant):
            if parts and isinstance(parts[-1], str):
                parts[-1] += str(part.value)
            elif part.value:
                parts.append(str(part.value))
        else:
            parts.append(part)
    return parts
