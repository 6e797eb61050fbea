"""A tidy table as a person reads it: methods and settings across, ours beside the published value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from studies.estimates import NOT_RUN
from studies.tidy import TIDY, is_stand_in, provenance

NAMES = {
    "bernoulli_nb": "Bernoulli naive Bayes",
    "decision_tree": "Decision tree",
    "knn": "k-nearest neighbours",
    "wdbc": "Breast cancer (wdbc)",
    "boston": "Boston house prices",
    "digits": "Handwritten digits",
}


def render(table: pd.DataFrame) -> str:
    """Markdown with one row per combination of the keys before `method`, one column per method and setting.

    A cell reads `ours stars (published stars)`; below stand scale, seeds, data, and what `table.attrs["note"]`
    adds.
    """
    keys = list(table.columns[: list(table.columns).index(TIDY[0])])
    down, across = keys[: keys.index("method")], keys[keys.index("method") :]
    cells = table.assign(cell=[_cell(row) for row in table.itertuples()])
    wide = cells.pivot_table(index=down, columns=across, values="cell", aggfunc="first", sort=False).fillna("")
    heads = [*down, *(_head(across, _parts(labels)) for labels in wide.columns.tolist())]
    rows = (
        [*(NAMES.get(str(part), str(part).replace("_", " ")) for part in _parts(index)), *row.astype(str)]
        for index, row in wide.iterrows()
    )
    return f"{_lines(heads, rows)}\n{_note(table)}\n"


def crossed(table: pd.DataFrame, across: str, cells: Sequence[str]) -> str:
    """Markdown without a note: a column per value of one key, in their order, a row per combination of the others.

    `cells` holds what stands for each row of the table.
    """
    keys = list(table.columns[: list(table.columns).index(TIDY[0])])
    down = [key for key in keys if key != across]
    filled = table.assign(cell=cells)
    wide = filled.pivot_table(index=down, columns=across, values="cell", aggfunc="first", sort=False)
    wide = wide.reindex(columns=list(dict.fromkeys(table[across]))).fillna("").reset_index()
    return plain(wide).removesuffix("\n")


def plain(table: pd.DataFrame) -> str:
    """Markdown of a table as it stands: a row per row, a column per column."""
    heads = [str(name).replace("_", " ") for name in table.columns]
    return _lines(heads, ([_plain(part) for part in row] for row in table.to_numpy(object)))


def _lines(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Markdown of cells that are texts."""
    head, *body = ("| " + " | ".join(cells) + " |" for cells in (heads, *rows))
    return "\n".join([head, "|" + " --- |" * len(heads), *body]) + "\n"


def _plain(part: object) -> str:
    return f"{part:g}" if isinstance(part, float) else str(part).replace("_", " ")


def _parts(label: object) -> tuple[object, ...]:
    return label if isinstance(label, tuple) else (label,)


def _head(across: list[str], labels: tuple[object, ...]) -> str:
    first, *rest = labels
    return ", ".join(
        [str(first).replace("_", " "), *(f"{k} = {v}" for k, v in zip(across[1:], rest, strict=True))]
    )


def _cell(row: Any) -> str:
    ours, published = row.ours, row.published
    end = mark(row.data)
    left = f"{ours:.3f}{row.stars}{end}"
    if pd.isna(ours):
        left = NOT_RUN if row.scale == NOT_RUN else f"no value{end}"
    return left if pd.isna(published) else f"{left} ({published:.3f}{row.published_stars})"


def with_interval(row: Any) -> str:
    """Ours of a row, and its interval in brackets where there is one: not of a single seed."""
    interval = "" if pd.isna(row.low) else f" ({row.low:.3f} to {row.high:.3f})"
    return f"{row.ours:.3f}{interval}"


def _note(table: pd.DataFrame) -> str:
    run = table[table["scale"] != NOT_RUN]
    beside = " (published in brackets)" if table["published"].notna().any() else ""
    text = f"Ours{beside}; {made_of(run)}."
    if run["n_missing"].sum():
        text += f" {run['n_missing'].sum()} runs gave no value and are left out."
    if (table["stars"] + table["published_stars"]).ne("").any():
        text += " Stars: two-sided Welch's t-test, * p < .05, ** p < .01, *** p < .001, at the better method."
    if table.attrs.get("note"):
        text += f" {table.attrs['note']}"
    return text + about_marked(run)


def made_of(table: pd.DataFrame, many: str = "seeds", *, by: str = "") -> str:
    """What the numbers of a table are from, as its note has it: `scale paper, 10 seeds, data: original`.

    Cells that were not run are left out.

    Args:
        table: tidy.
        many: what n_seeds counts, in the plural.
        by: a key of which some values have more seeds than others: `10 seeds of elastic net, 3 of all others`.
    """
    run = table[table["scale"] != NOT_RUN]
    if run.empty:
        return f"scale {NOT_RUN}, no {many}, data: none"
    return f"scale {', '.join(run['scale'].unique())}, {_counts(run, many, by)}, data: {provenance(run)}"


def _counts(run: pd.DataFrame, many: str, by: str) -> str:
    """Numbers of seeds, by the values of a key where each of them has one number and these differ."""
    counted = run[run["n_seeds"] > 0]
    numbers = sorted(counted["n_seeds"].unique())
    one = many.removesuffix("s")
    if not by or len(numbers) < 2 or counted.groupby(by)["n_seeds"].nunique().max() > 1:
        return f"{', '.join(f'{n:g}' for n in numbers) or 'no'} {one if numbers == [1] else many}"
    names = {n: counted.loc[counted["n_seeds"] == n, by].str.replace("_", " ").unique() for n in numbers}
    first, *further, last = sorted(names, key=lambda n: len(names[n]))
    texts = [f"{first:g} {one if first == 1 else many} of {' and '.join(names[first])}"]
    texts += [f"{n:g} of {' and '.join(names[n])}" for n in further]
    return ", ".join([*texts, f"{last:g} of all others"])


def mark(data: object) -> str:
    """The mark at the end of a cell whose data include a stand-in; empty otherwise."""
    return " †" if is_stand_in(data) else ""


def about_marked(table: pd.DataFrame, before: str = " ") -> str:
    """The sentence that explains the marks of a table's cells; empty if none is marked."""
    is_marked = table["data"].map(is_stand_in).any()
    return f"{before}† a stand-in for a dataset, since the real one was out of reach." if is_marked else ""
