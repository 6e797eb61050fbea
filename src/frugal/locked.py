"""Thread-safe strategies: one lock guards `ask` and `tell`, added where strategies are made."""

from __future__ import annotations

from functools import cache, wraps
from threading import RLock
from typing import Any, TypeVar

T = TypeVar("T")
METHODS = ("ask", "tell", "report")
PROPERTIES = ("incumbent", "complete", "recommendation")


def locked(strategy: T) -> T:
    """Return the strategy with a lock around its methods, so that threads take turns.

    It stays an instance of its class. Pickles and copies leave the lock out and make a new one.

    Args:
        strategy: an instance of a plain class.
    """
    plain: Any = type(strategy)
    strategy.__class__ = _locked_class(plain)
    strategy.__dict__["_lock"] = RLock()
    return strategy


@cache
def _locked_class(plain: type) -> type:
    """A subclass with the same name, whose `METHODS` and `PROPERTIES` take the lock."""
    members: dict[str, Any] = {name: _locked(getattr(plain, name)) for name in METHODS if hasattr(plain, name)}
    members |= {
        name: property(_locked(getattr(plain, name).fget))
        for name in PROPERTIES
        if isinstance(getattr(plain, name, None), property)
    }
    members |= {"__module__": plain.__module__, "__qualname__": plain.__qualname__, "__doc__": plain.__doc__}
    members["__reduce__"] = _reduce
    return type(plain.__name__, (plain,), members)


def _locked(function: Any) -> Any:
    @wraps(function)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        with self.__dict__["_lock"]:
            return function(self, *args, **kwargs)

    return call


def _reduce(self: Any) -> tuple[Any, ...]:
    with self.__dict__["_lock"]:
        state = {name: value for name, value in self.__dict__.items() if name != "_lock"}
    return _restored, (type(self).__mro__[1], state)


def _restored(plain: type, state: dict[str, Any]) -> Any:
    strategy: Any = object.__new__(plain)
    strategy.__dict__.update(state)
    return locked(strategy)
