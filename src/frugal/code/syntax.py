"""What a piece of code does, as text, and the names outside itself that it uses.

The text is the same in every version of Python. It leaves out docstrings, comments, annotations, imports and the
code under `if TYPE_CHECKING`. Of a `raise` it keeps only that there is one, without the exception and the message.
Names follow Python's rules of scope; a name that an import binds is one of them.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

SKIPPED: Final = frozenset({"annotation", "returns", "ctx", "type_params", "simple"})
"""Fields that say nothing of what is computed, or that only some versions of Python have."""


def text_of(tree: ast.AST | list[Any] | Any) -> str:
    """A node, a list of nodes or a plain value as text; fields that are None or empty are left out."""
    if isinstance(tree, ast.AST):
        return _text_of_node(tree)
    if isinstance(tree, list):  # an absent item, such as the key of **a, is not the constant None
        return f"[{','.join('-' if item is None else text_of(item) for item in tree)}]"
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


class Binding(NamedTuple):
    """What an import binds a name to: `from M import a` to M and ("a",), `import M as m` to M and ()."""

    module: str
    attributes: tuple[str, ...] = ()


class Use(NamedTuple):
    """A name that code uses: as it is written, and what it stands for; module "" is the code's own."""

    written: str
    module: str
    attributes: tuple[str, ...]


Scope = Mapping[str, Binding | None]
"""Names that hide those of the module: what an import binds them to, or None for a variable."""
STAR = "*"
"""What `from M import *` binds to M; a module with two of them keeps the last."""
READING: Final = frozenset({"copy", "count", "format", "get", "index", "items", "join", "keys", "values"})
"""Methods of dictionaries, lists and strings that change nothing."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def bindings_of(statement: ast.Import | ast.ImportFrom, package: str) -> dict[str, Binding]:
    """Name -> its binding.

    Args:
        statement: an import; `*` is bound to the module.
        package: package from which a relative import starts.
    """
    if isinstance(statement, ast.Import):
        return {
            alias.asname or alias.name.split(".")[0]: Binding(
                alias.name if alias.asname else alias.name.split(".")[0]
            )
            for alias in statement.names
        }
    module = statement.module or ""
    if statement.level:
        parents = package.split(".")[: len(package.split(".")) - statement.level + 1]
        module = ".".join([*parents, *([module] if module else [])])
    return {
        alias.asname or alias.name: Binding(module, () if alias.name == "*" else (alias.name,))
        for alias in statement.names
    }


class Names(NamedTuple):
    """The names that a module defines or imports.

    Attributes:
        imported: names bound by imports.
        defined: names bound by other statements.
        package: package of the module.
        ours: packages whose code counts; for other packages the first name of a use is enough.
    """

    imported: Mapping[str, Binding]
    defined: Collection[str]
    package: str
    ours: Collection[str]


def uses_of(tree: ast.AST, known: Names) -> list[Use]:
    """Return the names of the module and of imports that a statement or expression uses: sorted, each once."""
    return _uses(_Walk(known.package).chains(tree, {}), known)


def changes_of(tree: ast.AST, known: Names, others: Collection[str] = ()) -> list[Use]:
    """The uses that code may change: by assignment, or by a method that is not in `READING`.

    Args:
        tree: the code.
        known: names of its module.
        others: further names of the module that the code may change.
    """
    changed = set(others)
    stored = {name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names}
    for node in ast.walk(tree):
        is_stored = isinstance(node, (ast.Subscript, ast.Attribute)) and not isinstance(node.ctx, ast.Load)
        called = node.func if isinstance(node, ast.Call) else None
        if is_stored or (isinstance(called, ast.Attribute) and called.attr not in READING):
            base = node
            while isinstance(base, (ast.Subscript, ast.Attribute, ast.Call)):
                base = base.func if isinstance(base, ast.Call) else base.value
            if isinstance(base, ast.Name):
                changed.add(base.id)
    if not (changed | stored) & (known.imported.keys() | set(known.defined)):
        return []
    return [use for use in uses_of(tree, known) if use.written.split(".")[0] in changed | stored]


def _uses(chains: Iterable[tuple[tuple[str, ...], Scope]], known: Names) -> list[Use]:
    found = set()
    for chain, scope in chains:
        root, *attributes = chain
        if root in scope and scope[root] is None:
            continue
        if root in known.defined and root not in scope:
            found.add(Use(root, "", (root,)))
        binding = scope.get(root) or known.imported.get(root)
        if binding is None:
            if STAR in known.imported:
                found.add(Use(root, known.imported[STAR].module, (root,)))
        elif binding.module.split(".")[0] in known.ours:
            found.add(Use(".".join(chain), binding.module, (*binding.attributes, *attributes)))
        else:
            found.add(Use(root, binding.module, binding.attributes))
    return sorted(found)


class _Walk:
    """Walks code, the names that functions and comprehensions bind beside it."""

    def __init__(self, package: str) -> None:
        self._package = package

    def chains(self, node: ast.AST, scope: Scope) -> Iterator[tuple[tuple[str, ...], Scope]]:
        """Every name that is read, with the attributes after it, as `("folds", "make")`."""
        if isinstance(node, ast.Raise) or (isinstance(node, ast.If) and is_type_checking(node.test)):
            for child in node.orelse if isinstance(node, ast.If) else ():
                yield from self.chains(child, scope)
        elif isinstance(node, (ast.Name, ast.Attribute)):
            chain = _chain(node)
            if chain is not None:
                yield chain, scope
            elif isinstance(node, ast.Attribute):
                yield from self.chains(node.value, scope)
        elif isinstance(node, (*_FUNCTIONS, ast.Lambda)):
            yield from self._function(node, scope)
        elif isinstance(node, _COMPREHENSIONS):
            yield from self._comprehension(node, scope)
        elif isinstance(node, ast.AnnAssign):
            yield from self._all([node.target, *([node.value] if node.value else [])], scope)
        else:
            yield from self._all(ast.iter_child_nodes(node), scope)

    def _all(self, nodes: Iterable[ast.AST], scope: Scope) -> Iterator[tuple[tuple[str, ...], Scope]]:
        for node in nodes:
            yield from self.chains(node, scope)

    def _function(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, scope: Scope
    ) -> Iterator[tuple[tuple[str, ...], Scope]]:
        defaults = [*node.args.defaults, *(default for default in node.args.kw_defaults if default)]
        yield from self._all(defaults, scope)
        of_arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        of_arguments += [one for one in (node.args.vararg, node.args.kwarg) if one]
        inner: dict[str, Binding | None] = dict.fromkeys(one.arg for one in of_arguments)
        if isinstance(node, ast.Lambda):
            yield from self.chains(node.body, {**scope, **inner})
            return
        yield from self._all(node.decorator_list, scope)
        inner |= self._bound(node.body)
        yield from self._all(node.body, {**scope, **inner})

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp, scope: Scope
    ) -> Iterator[tuple[tuple[str, ...], Scope]]:
        inner = dict(scope)
        for part in node.generators:
            yield from self.chains(part.iter, inner)
            inner |= dict.fromkeys(one.id for one in ast.walk(part.target) if isinstance(one, ast.Name))
            yield from self._all([part.target, *part.ifs], inner)
        results = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        yield from self._all(results, inner)

    def _bound(self, body: Iterable[ast.AST]) -> dict[str, Binding | None]:
        """Names that a function's body binds, but for those that it says are global."""
        bound: dict[str, Binding | None] = {}
        of_module: set[str] = set()
        left = list(body)
        while left:
            node = left.pop()
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                bound |= bindings_of(node, self._package)
            elif isinstance(node, ast.Global):
                of_module |= set(node.names)
            elif isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
                bound.setdefault(node.name, None)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                bound.setdefault(node.id, None)
            elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
                bound.setdefault(node.name, None)
            elif isinstance(node, ast.MatchMapping) and node.rest:
                bound.setdefault(node.rest, None)
            if isinstance(node, _COMPREHENSIONS):  # its own variables hide nothing of the function's
                left += [one for one in ast.walk(node) if isinstance(one, ast.NamedExpr)]
            elif not isinstance(node, (*_FUNCTIONS, ast.ClassDef, ast.Lambda)):
                left += ast.iter_child_nodes(node)
        return {name: binding for name, binding in bound.items() if name not in of_module}


def _chain(node: ast.expr) -> tuple[str, ...] | None:
    """`("a", "b")` of the expression a.b; None where it starts with something other than a name that is read."""
    attributes: list[str] = []
    while isinstance(node, ast.Attribute):
        attributes.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or isinstance(node.ctx, ast.Store):
        return None
    return (node.id, *reversed(attributes))
