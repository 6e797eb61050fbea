"""What document 004 compares: its tables' learners and data sets by our names, its printed errors, our methods."""

from __future__ import annotations

from functools import cache
from typing import Final

import pandas as pd

from studies.experiments import TUNED_IN
from studies.tidy import read_printed

LEARNERS: Final = {
    "elastic_net": "elastic_net",
    "svm": "svm_rbf",
    "svm_rff": "svm_rff",
    "mlp": "mlp",
    "cifar_cnn": "cnn",
}
"""Ours -> as the printed tables have it."""
TITLES: Final = {
    "elastic_net": "Elastic net",
    "svm": "SVM",
    "svm_rff": "SVM, random features",
    "mlp": "MLP",
    "cifar_cnn": "CNN",
}
DATASETS: Final = {
    "letter": "letter",
    "mnist": "mnist",
    "adult_codes": "adult",
    "adult": "adult_scaled",
    "vehicle": "vehicle",
    "cifar10": "cifar10",
}
"""The same; the printed adult, with errors at the majority's, is of unscaled codes, and ours of both."""
TABLES: Final = {name: of for name, of in TUNED_IN.items() if name.startswith("table")}
"""Printed table -> its learners."""
MAJORITY: Final = "majority"
"""What stands beside the methods: always saying the most frequent class."""
METHODS: Final = (MAJORITY, "random", "ei", "fabolas", "hyperband", "hyperband_rows", "hypertune")
TESTER: Final = "hypertune"
"""The method whose time is every method's budget."""
CONTROLS: Final = ("hypertune_reversed", "hypertune_unsigned", "hypertune_neutral", "hypertune_literal")
"""HyperTune with all signs turned round, with none, with one on a neutral hyperparameter alone, and with signs
where Algorithm 1 literally puts them."""
COMPARED: Final = ("ei", *CONTROLS)
"""Those whose curves HyperTune's are compared with, in verdicts and in the table of controls."""
KEYS: Final = ["table", "learner", "dataset", "method"]


@cache
def published() -> pd.DataFrame:
    """The printed errors: `KEYS`, published, published_se."""
    return read_printed("hypertune_tables").rename(columns={"value": "published", "se": "published_se"})
