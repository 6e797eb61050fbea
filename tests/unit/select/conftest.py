"""A table of one's own."""

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Houses, dear or not and at a price, in towns; some values are missing."""
    monkeypatch.chdir(tmp_path)
    rng, n = np.random.default_rng(0), 240
    frame = pd.DataFrame({
        "id": range(n),
        "size": rng.normal(100, 20, n),
        "town": rng.choice(["Bern", "Basel", "Biel"], n),
        "built": [f"19{i % 90 + 10}-01-0{i % 9 + 1}" for i in range(n)],
        "street": rng.integers(0, 30, n),
    })  # fmt: skip
    price = frame["size"] + 30 * (frame["town"] == "Bern") + rng.normal(0, 5, n)
    frame.loc[::10, "size"] = np.nan
    frame["dear"] = np.where(price > 110, "yes", "no")
    frame["price"] = price.round(2)
    return frame
