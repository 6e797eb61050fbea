"""A tidy table as a person reads it: methods and settings across, ours beside the published value."""

from __future__ import annotations

from typing import cast

import pandas as pd

AFTER_KEYS = "published"
NAMES = {
    "bernoulli_nb": "Bernoulli naive Bayes",
    "decision_tree": "Decision tree",
    "knn": "k-nearest neighbours",
    "wdbc": "Breast cancer (wdbc)",
    "boston": "Boston house prices",
    "digits": "Handwritten digits",
}


def render(table: pd.DataFrame) -> str:
    """Markdown with one row per dataset and classifier, one column per method and setting.

    A cell reads `ours stars (published stars)`; below stand scale, seeds and data.

    Args:
        table: tidy, key columns first and then `published`; the last key varies across the columns.
    """
    keys = list(table.columns[: list(table.columns).index(AFTER_KEYS)])
    across = ["method", *keys[3:]]
    cells = table.assign(cell=[_cell(row) for row in table.itertuples()])
    wide = cells.pivot_table(index=keys[:2], columns=across, values="cell", aggfunc="first", sort=False)
    labels = cast("list[tuple[object, ...]]", wide.columns.tolist())
    heads = ["dataset", "classifier", *(_head(across, label) for label in labels)]
    lines = ["| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads)]
    for index, row in wide.iterrows():
        names = [NAMES.get(str(part), str(part)) for part in index]  # type: ignore[attr-defined]
        lines.append("| " + " | ".join([*names, *row.astype(str)]) + " |")
    return "\n".join(lines) + "\n\n" + _note(table) + "\n"


def _head(across: list[str], labels: tuple[object, ...]) -> str:
    first, *rest = labels
    return ", ".join(
        [str(first).replace("_", " "), *(f"{k} = {v}" for k, v in zip(across[1:], rest, strict=True))]
    )


def _cell(row: object) -> str:
    ours, published = row.ours, row.published  # type: ignore[attr-defined]
    mark = " †" if row.data == "stand-in" else ""  # type: ignore[attr-defined]
    left = "not run at this scale" if pd.isna(ours) else f"{ours:.3f}{row.stars}{mark}"  # type: ignore[attr-defined]
    return left if pd.isna(published) else f"{left} ({published:.3f}{row.published_stars})"  # type: ignore[attr-defined]


def _note(table: pd.DataFrame) -> str:
    run = table[table["ours"].notna()]
    seeds = ", ".join(str(n) for n in sorted(run["n_seeds"].unique())) or "0"
    data = ", ".join(sorted(set("/".join(run["data"]).split("/")))) or "none"
    scale = ", ".join(sorted(run["scale"].unique()))
    text = f"Ours (published in brackets); scale {scale}, {seeds} seeds, data: {data}."
    text += " Stars: two-sided Welch's t-test, * p < .05, ** p < .01, *** p < .001, at the better method."
    if "stand-in" in data:
        text += " † a stand-in for the dataset, since the real one was out of reach."
    return text
