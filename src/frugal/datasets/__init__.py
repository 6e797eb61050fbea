"""Datasets: what exists, how it is fetched, and how it is read.

`prepare` writes `data/processed/<name>/` once; `load` reads it; `from_csv` takes a user's own table.
Importing this package imports neither scikit-learn nor torch.
"""

from frugal.datasets.arrays import content_hash
from frugal.datasets.catalogue import CATALOGUE, DatasetError, Entry, parse_name
from frugal.datasets.dataset import Dataset, Provenance
from frugal.datasets.sources import StandInWarning
from frugal.datasets.store import load, prepare
from frugal.datasets.user_table import from_csv

__all__ = [
    "CATALOGUE",
    "Dataset",
    "DatasetError",
    "Entry",
    "Provenance",
    "StandInWarning",
    "content_hash",
    "from_csv",
    "load",
    "parse_name",
    "prepare",
]
