"""Hashes of values, in which functions and classes of the user count by content, not by name.

The content of a function is its bytecode, its defaults, its closure, and the objects that it names: functions,
classes and plain values (numbers, strings, arrays, and lists, tuples, sets and dicts of those). The content of a
class is its methods, its plain attributes and its bases. Definitions of installed packages count by name.
"""

from __future__ import annotations

import functools
import pickle
import sys
from collections.abc import Callable, Iterator, Mapping
from dis import get_instructions
from numbers import Number
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Final

import numpy as np
from joblib.hashing import NumpyHasher
from scipy.sparse import issparse

from frugal.pickles import dumps

_PLAIN: Final = (type(None), Number, str, bytes, np.ndarray, np.generic)
_COMPILED: Final = (BuiltinFunctionType, np.ufunc, type(np.mean))
"""Kinds of functions that packages define in C or wrap; they are hashed by their names."""
_LOADS: Final = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"}
"""Instructions whose names are those of a module; other names of a code are attributes."""
_INSTALLED: Final = {"site-packages", "dist-packages"}


def hash_of(value: Any) -> str:
    """Hash a value as joblib does, but the user's definitions by their content.

    Raises:
        Exception: whatever keeps a value from being pickled.
    """
    return _hash_within({}, value)


def definition_of(function: Callable[..., Any]) -> str:
    """Hash of the code of a callable. Attributes of an object do not count, since a call may change them."""
    seen: dict[int, str] = {}
    if isinstance(function, functools.partial):
        arguments = _plain(seen, (function.args, function.keywords))
        return _text("partial", definition_of(function.func), arguments)
    if isinstance(function, MethodType):
        function = function.__func__
    known = _unwrapped(function)
    return _defined(seen, type(function) if known is None else known)


class _Hasher(NumpyHasher):  # type: ignore[misc]
    """joblib's hasher, but with functions and classes of the user hashed by content, not by name.

    Attributes:
        found: hashes of these definitions, in the order in which they occur.
    """

    def __init__(self, seen: dict[int, str]) -> None:
        super().__init__("md5", coerce_mmap=True)
        self._seen = seen
        self.found: list[str] = []

    def save(self, obj: Any) -> None:
        """Write one object or its replacement."""
        known = _unwrapped(obj)
        if known is not None and _is_of_user(known):
            obj = _defined(self._seen, known)
            self.found.append(obj)
        elif issparse(obj):  # scipy keeps in the object what it has found out about it, such as sorted indices
            rows: Any = obj.tocsr(copy=True)  # type: ignore[attr-defined]
            rows.sum_duplicates()
            obj = (type(obj), rows.shape, rows.data, rows.indices, rows.indptr)
        elif type(obj) is frozenset:  # whose order differs between processes; joblib sorts sets
            obj = (frozenset, set(obj))
        elif "torch" in sys.modules and isinstance(obj, sys.modules["torch"].Tensor):
            obj = (type(obj), str(obj.dtype), _array_of(obj))  # not the address of its memory
        elif type(obj) is np.ndarray:
            obj = np.ascontiguousarray(obj) if obj.ndim else obj  # the order in memory is no part of the value
        elif "pandas" in sys.modules and type(obj) is sys.modules["pandas"].DataFrame:
            columns = [obj.iloc[:, at].array for at in range(obj.shape[1])]  # not the blocks that hold them
            obj = (type(obj), obj.columns, obj.index, columns)
        elif "pandas" in sys.modules and isinstance(obj, sys.modules["pandas"].arrays.ArrowExtensionArray):
            obj = (type(obj), obj.dtype, obj.to_numpy(dtype=object))  # not the buffers of which it may be a part
        super().save(obj)


def _array_of(tensor: Any) -> np.ndarray[Any, Any]:
    """The numbers of a torch tensor."""
    dense = tensor.detach().cpu().resolve_conj().resolve_neg()
    dense = dense.to_dense() if dense.is_sparse else dense
    array: np.ndarray[Any, Any] = (dense.float() if str(dense.dtype) == "torch.bfloat16" else dense).numpy()
    return array


def _hash_within(seen: dict[int, str], value: Any) -> str:
    hasher = _Hasher(seen)
    try:
        return str(hasher.hash(value))
    # As of a module, which cloudpickle knows.
    except (pickle.PicklingError, AttributeError, TypeError, RuntimeError):
        return _text(dumps(value), *hasher.found)


def _text(*parts: object) -> str:
    return str(NumpyHasher("md5").hash(parts))


# User or installed package --------------------------------------------------------------------------------------


def _unwrapped(value: Any) -> Any:
    """Return a function or class without a cache around it; None for other values."""
    if isinstance(value, functools._lru_cache_wrapper):
        value = value.__wrapped__
    return value if isinstance(value, FunctionType | type) else None


def _is_of_user(known: Any) -> bool:
    """True if a function or a class is defined outside of installed packages."""
    if isinstance(known, FunctionType):
        where = sys.modules.get(known.__module__)
        if not _is_installed(known.__globals__.get("__name__")) or _named(where, known.__qualname__) is not known:
            return True  # a local function of an installed package may wrap the user's functions
    return not _is_installed(known.__module__)


def _named(module: ModuleType | None, qualname: str) -> Any:
    """Attribute of a module; None if it has no such attribute."""
    found: Any = module
    for name in qualname.split("."):
        found = getattr(found, name, None)
    return found


@functools.cache
def _is_installed(module: str | None) -> bool:
    """True if a module is part of Python, of an installed package or of this one."""
    top = (module or "").partition(".")[0]
    if top == "frugal" or top in sys.stdlib_module_names:
        return True
    file = getattr(sys.modules.get(module or ""), "__file__", None)
    return file is not None and bool(_INSTALLED & set(Path(file).parts))


# Content of definitions ----------------------------------------------------------------------------------------


def _defined(seen: dict[int, str], known: Any) -> str:
    """Hash a definition; a definition of an installed package is hashed by name."""
    name = f"{known.__module__}.{known.__qualname__}"
    if not _is_of_user(known):
        return _text("installed", name)
    if id(known) not in seen:
        seen[id(known)] = _text("itself", known.__qualname__)  # ends the recursion if it names itself
        parts = _function_parts(seen, known) if isinstance(known, FunctionType) else _class_parts(seen, known)
        seen[id(known)] = _text(known.__qualname__, *parts)
    return seen[id(known)]


def _function_parts(seen: dict[int, str], function: FunctionType) -> Iterator[str]:
    code = function.__code__
    yield _code_hash(code)
    yield _hash_or_kind(seen, (function.__defaults__, function.__kwdefaults__))
    for cell in function.__closure__ or ():
        try:
            yield _hash_or_kind(seen, cell.cell_contents)
        except ValueError:  # it has no value yet
            yield "empty"
    steps = (step for one in _codes(code) for step in get_instructions(one))
    loaded = sorted({step.argval for step in steps if step.opname in _LOADS})
    named = sorted({name for one in _codes(code) for name in one.co_names})
    yield from _named_parts(seen, function.__globals__, loaded, named, set())


def _named_parts(
    seen: dict[int, str], values: Mapping[str, Any], names: list[str], attributes: list[str], modules: set[str]
) -> Iterator[str]:
    """Resolve names in a module, and attributes in the modules that they refer to."""
    for name in names:
        if name not in values:
            continue
        value = values[name]
        known = _unwrapped(value)
        if isinstance(value, ModuleType):
            if not _is_installed(value.__name__) and value.__name__ not in modules:
                within = modules | {value.__name__}
                yield from _named_parts(seen, vars(value), attributes, attributes, within)
        elif known is not None:
            yield _text(name, _defined(seen, known))
        else:
            yield _text(name, _plain(seen, value))


def _code_hash(code: CodeType) -> str:
    """Bytecode and constants, without names of files and numbers of lines."""
    tables = repr((code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars))
    counts = repr((code.co_argcount, code.co_kwonlyargcount, code.co_posonlyargcount, code.co_flags))
    constants = [_constant_text(one) for one in code.co_consts]
    return _text(code.co_code, code.co_exceptiontable, tables, counts, constants)


def _constant_text(value: Any) -> str:
    if isinstance(value, CodeType):
        return _code_hash(value)
    if isinstance(value, tuple | frozenset):
        parts = [_constant_text(one) for one in value]
        return _text(type(value).__name__, parts if isinstance(value, tuple) else sorted(parts))
    return f"{type(value).__name__} {value!r}"


def _codes(code: CodeType) -> Iterator[CodeType]:
    """A code and those of the functions and classes within it."""
    yield code
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from _codes(one)


def _class_parts(seen: dict[int, str], known: type) -> Iterator[str]:
    for base in known.__bases__:
        yield _defined(seen, base)
    for name, value in sorted(vars(known).items()):
        for part in _parts_of(value):
            found = _unwrapped(part)
            if found is not None:
                yield _text(name, _defined(seen, found))
            elif not name.startswith("__"):  # others are Python's own, and some change when they are looked at
                yield _text(name, _plain(seen, part))


def _parts_of(attribute: Any) -> list[Any]:
    """Functions of a property, a class method and the like; other values are returned alone."""
    names = ("__func__", "fget", "fset", "fdel", "func", "fn", "check")
    parts = [getattr(attribute, name, None) for name in names] if not isinstance(attribute, type) else []
    return [part for part in parts if part is not None] or [attribute]


def _plain(seen: dict[int, str], value: Any) -> str:
    """Hash plain values, functions and classes; other objects are hashed by their class."""
    if isinstance(value, dict):
        value = ["dict", *value.items()]
    if isinstance(value, list | tuple | set | frozenset):
        if id(value) in seen:
            return seen[id(value)]
        seen[id(value)] = "itself"  # ends the recursion if it contains itself
        parts = [_plain(seen, one) for one in value]
        del seen[id(value)]
        return _text(type(value).__name__, sorted(parts) if isinstance(value, set | frozenset) else parts)
    known = _unwrapped(value)
    if known is not None:
        return _defined(seen, known)
    if isinstance(value, functools.partial):
        return _text("partial", *(_plain(seen, one) for one in (value.func, value.args, value.keywords)))
    if isinstance(value, MethodType):
        return _plain(seen, value.__func__)
    return _hash_or_kind(seen, value) if isinstance(value, _PLAIN + _COMPILED) else _defined(seen, type(value))


def _hash_or_kind(seen: dict[int, str], value: Any) -> str:
    """Hash a value, or its class if the value cannot be hashed."""
    try:
        return _hash_within(seen, value)
    except Exception:  # noqa: BLE001  whatever keeps an object of the user's from being pickled
        return _defined(seen, type(value))
