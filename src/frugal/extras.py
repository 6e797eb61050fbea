"""Packages that are installed with an extra of Frugal's, and what is said where one is missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

DISTRIBUTION: Final = "frugal-search"
EXTRAS: Final[Mapping[str, str]] = {
    "torch": "networks",
    "torchvision": "networks",
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
"""The extra that brings each package, by the name that it is imported by."""


class MissingExtraError(ImportError):
    """A package that an extra brings is not installed; the message has the command that installs it."""


@contextmanager
def explained() -> Iterator[None]:
    """Turn a missing package of an extra into a sentence.

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
            f"this needs {package}, which is not installed: pip install '{DISTRIBUTION}[{extra}]'", name=package
        ) from error
