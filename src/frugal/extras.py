"""Optional packages, the extras that install them, and the message when one is missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Final

DISTRIBUTION: Final = "frugal-search"
EXTRAS: Final[Mapping[str, str]] = {
    "torch": "networks",
    "torchvision": "networks",
    "PIL": "networks",
    "emcee": "mcmc",
    "pyarrow": "parquet",
    "flaml": "peers",
    "optuna": "peers",
    "smac": "peers",
    "ConfigSpace": "peers",
    "mlxtend": "workflow",
    "dask": "dask",
    "distributed": "dask",
}
"""Import name of a package -> the extra that installs it."""


class MissingExtraError(ImportError):
    """An optional package is not installed; the message has the command that installs it."""


@contextmanager
def explained() -> Iterator[None]:
    """Replace the import error of an optional package by one sentence.

    Raises:
        MissingExtraError: in place of a ModuleNotFoundError for one of `EXTRAS`.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in EXTRAS:
            raise
        extra = EXTRAS[package]
        raise MissingExtraError(
            f"this needs {package}, which is not installed: in a clone of Frugal, pip install '.[{extra}]'",
            name=package,
        ) from error


def check_installed(*packages: str) -> None:
    """Raise unless all of these packages, which are not imported, are installed.

    Raises:
        MissingExtraError: naming the first that is missing.
    """
    for name in packages:
        with explained():
            if find_spec(name) is None:
                raise ModuleNotFoundError(name=name)


@contextmanager
def quiet_optuna() -> Iterator[None]:
    """Let Optuna log nothing but warnings and errors inside the block; its own level is restored after it.

    Raises:
        MissingExtraError: without Optuna.
    """
    with explained():
        import optuna

    level = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        yield
    finally:
        optuna.logging.set_verbosity(level)
