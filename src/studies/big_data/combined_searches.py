"""How searches with a combination of section 4 are compared with its parts: claims, table and figure.

The document has no numbers of them. A speed-up is read as what was spent until the combination and the part were
both as good as the worse of their two ends (`search_paths.to_same`). A combination has to spend fewer seconds than
each of its parts; what is spent of rows is a finding.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

import numpy as np
import pandas as pd

from studies import plotters, style
from studies.big_data.search_paths import CURRENCIES, to_same, with_spent
from studies.cells import every
from studies.estimates import Array, Arrays, Estimate
from studies.paired import less_or_more
from studies.records import Artefact, Claim, Floor, Method
from studies.regions import above
from studies.tidy import in_order, mean_by_seed, mean_of_each, provenance, shares_within, tidied
from studies.trajectories import mean_path, until_last


class Speed(NamedTuple):
    """A claim on the speed of a combination, against each of its parts.

    Attributes:
        name: end of the claim's id.
        method: the combination.
        parts: the methods that it is compared with.
        currency: `seconds` or `rows`.
        quote: the document's words; empty of a finding.
    """

    name: str
    method: str
    parts: tuple[str, ...]
    currency: str
    quote: str = ""


@dataclass(frozen=True, eq=False, kw_only=True)
class Comparison:
    """What is compared of the searches of one study.

    Attributes:
        study: its name, which is also that of its table and of its figure.
        methods: of the study.
        quality: the column that searches are to bring down.
        last: measures that are the value after the last trial.
        parts: method -> methods that it is compared with; the first is the combination, with its parts first.
        speeds: claims on speed.
        words: method -> its name in a claim.
        spent: currency -> what is spent, in a claim.
        x_labels: currency -> label of the axis in its panel, the left one first.
        y_label: label of the other axis.
        rows: methods of each row of panels; none: one row of all.
    """

    study: str
    methods: tuple[Method, ...]
    quality: str
    last: tuple[str, ...]
    parts: Mapping[str, tuple[str, ...]]
    speeds: tuple[Speed, ...]
    words: Mapping[str, str]
    spent: Mapping[str, str]
    x_labels: Mapping[str, str]
    y_label: str
    rows: tuple[tuple[str, ...], ...] = ()


# Claims --------------------------------------------------------------------------------------------------------

FURTHER: Final = "various combinations of them are possible to get further speedups. ..."
"""The document's words before those on each combination."""
N_TRIALS: Final = 15
"""Trials of a search under which no verdict is given."""


def speed_claims(comparison: Comparison) -> tuple[Claim, ...]:
    """A claim per speed of a comparison."""
    error = "validation" if comparison.quality == "best_error" else "test"
    words, claims = comparison.words, []
    for speed in comparison.speeds:
        parts = " and ".join(words[part] for part in speed.parts)
        keys = [f"{speed.method}/{part}/{speed.currency}" for part in speed.parts]
        names = [f"against {words[part]}" for part in speed.parts]
        claims.append(
            Claim(
                id=f"big_data.{comparison.study}.{speed.name}",
                section="4",
                quote=speed.quote,
                quantity=f"{comparison.spent[speed.currency]} until two searches have the same {error} error: "
                f"{parts}, each over {words[speed.method]}",
                unit="times",
                agrees=above(1),
                measure=partial(_faster, keys=keys, names=names),
                artefact=f"tables/{comparison.study}",
                study=comparison.study,
            )
        )
    return tuple(claims)


def _faster(arrays: Arrays, rng: np.random.Generator, *, keys: list[str], names: list[str]) -> Estimate:
    """How many times less the combination spends than each part."""
    log10 = np.array([arrays[key] for key in keys])
    return every(-math.log(10) * log10, above(1), is_log=True, noun="parts", names=names)


def speed_ratios(runs: pd.DataFrame, comparison: Comparison) -> dict[str, Array]:
    """By `method/part/currency` log10 of what the method spent over what the part spent, (n_seeds,).

    It is nan where one of them was not run.
    """
    seeds, spent = sorted(runs["seed"].unique()), with_spent(runs)
    found = {}
    for speed in comparison.speeds:
        for part in speed.parts:
            values = to_same(spent, speed.method, part, speed.currency, comparison.quality)
            by_seed = np.asarray(values.reindex(seeds), dtype=np.float64)
            found[f"{speed.method}/{part}/{speed.currency}"] = by_seed
    return found


def floor_of(n_train: int) -> Floor:
    """Ten seeds of every method, so many rows to train on, and `N_TRIALS` of every search."""
    return Floor(seeds=10, groups=("method",), least={"n_train": n_train}, further=_has_enough_trials)


def _has_enough_trials(runs: pd.DataFrame) -> bool:
    return bool(runs.groupby(["method", "seed"]).size().min() >= N_TRIALS)


# Table ---------------------------------------------------------------------------------------------------------

KEYS: Final = ["method", "against", "measure"]
_SHARES: Final = ("check_share", "overhead_share", "stopped_share", "poor_share")


def tabulate(runs: pd.DataFrame, scale: str, *, comparison: Comparison) -> pd.DataFrame:
    """What the searches of a study came to, and what each combination has over its parts.

    Returns:
        method, against (empty: the method's own values), measure, `TIDY`, n_missing and says. Own measures: the
        test error at the end and best_error (least validation error) or full_test_error (of the plain SVM with
        what was found); rows and seconds, of the whole search; check_share and overhead_share, of these the
        checks' and the optimiser's; stopped_share and poor_share, of the trials that were stopped, and that were
        proposed among the worse half of all candidates. Against others, by seed: test_error_less, the
        difference at the end; log10_rows_to_same and log10_seconds_to_same, of `to_same`; log10_rows and
        log10_seconds, of the whole searches. `says` is `less`, `more` or `not told apart`, by whether the interval
        holds 0, and empty of one seed; less is better of all of them.
    """
    runs = with_spent(runs).assign(data=provenance(runs))
    alone, pairs = mean_of_each(_ends_by_measure(runs, comparison), KEYS).assign(says=""), []
    for method, others in comparison.parts.items():
        for other in others:
            for measure, values in paired(runs, method, other, comparison.quality).items():
                if len(values):
                    rows = values.rename_axis("seed").reset_index(name="value")
                    rows = rows.assign(method=method, against=other, measure=measure, data=runs["data"].iloc[0])
                    pairs.append(mean_by_seed(rows, "value", KEYS))
    found = pd.concat([alone, *(part.assign(says=less_or_more(part)) for part in pairs)], ignore_index=True)
    found = shares_within(found, _SHARES)
    names = [method.name for method in comparison.methods]
    found = in_order(found.assign(is_pair=found["against"] != ""), {"is_pair": (False, True), "method": names})
    return tidied(found, KEYS, scale, "n_missing", "says")


def paired(runs: pd.DataFrame, method: str, other: str, quality: str) -> dict[str, pd.Series[float]]:
    """Compare two methods seed by seed: the difference of test errors, and log10 ratios of what they spent.

    `runs` are rows of `with_spent`; `quality` is a column that is to be low.

    Returns:
        By name of the measure a series over seeds, below 0 where `method` has less. It is empty if one of the
        methods was not run.
    """
    ends = runs.groupby(["method", "seed"]).tail(1)
    first, second = (ends[ends["method"] == name].set_index("seed") for name in (method, other))
    found = {"test_error_less": (first["test_error"] - second["test_error"]).dropna()}
    for currency in CURRENCIES:
        found[f"log10_{currency}_to_same"] = to_same(runs, method, other, currency, quality)
    for currency in CURRENCIES:
        ratio = (first[f"spent_{currency}"] / second[f"spent_{currency}"]).dropna()
        found[f"log10_{currency}"] = pd.Series(np.log10(ratio.to_numpy(float)), index=ratio.index)
    return found


def _ends_by_measure(runs: pd.DataFrame, comparison: Comparison) -> dict[str, pd.DataFrame]:
    """method, against (empty), seed, data and value at the end of each search, by measure."""
    ends = _ends(runs).assign(against="")
    columns = {name: name for name in comparison.last}
    columns |= {currency: f"spent_{currency}" for currency in CURRENCIES}
    columns |= {name: name for name in _SHARES if name in ends and ends[name].any()}
    return {
        measure: ends[["method", "against", "seed", "data"]].assign(value=ends[column].astype(float))
        for measure, column in columns.items()
    }


def _ends(runs: pd.DataFrame) -> pd.DataFrame:
    """The last trial of each search, with shares of what the search spent and of its trials."""
    by = ["method", "seed"]
    ends = runs.groupby(by).tail(1).set_index(by)
    sums, searches = runs.groupby(by)[["check_seconds", "overhead_s"]].sum(), runs.groupby(by)
    ends["check_share"] = sums["check_seconds"] / ends["spent_seconds"]
    ends["overhead_share"] = sums["overhead_s"] / ends["spent_seconds"]
    for name in ("stopped", "poor"):
        if name in runs:
            ends[f"{name}_share"] = searches[name].mean()
    return ends.reset_index()


PAIRED: Final = """Rows with one, paired by seed: difference of test errors, and how many times the {rows} and
    seconds (geometric means; in the CSV log10 of them) until both searches were as good as the worse of their two
    ends (to_same), and of the whole searches; 95 % Student intervals over {{{{ n_seeds | seeds }}}}, less is
    better. `says` is whether there is less or more beyond chance."""
"""End of a table's caption, by what is counted beside seconds."""


# Figure --------------------------------------------------------------------------------------------------------

N_POINTS: Final = 161


def summarise(runs: pd.DataFrame, *, comparison: Comparison) -> pd.DataFrame:
    """Numbers of a figure: the quality of each method against what was spent, in rows and in seconds.

    Lines of a panel share a grid, evenly spaced in logarithms. A line begins once every seed has a value, and ends
    with its longest search; a search that has ended keeps its last value.

    Returns:
        panel (a currency), method, x, mean, low, high (95 % Student interval), n_seeds, data.
    """
    found, parts = with_spent(runs), []
    for currency in CURRENCIES:
        spent = f"spent_{currency}"
        grid = np.geomspace(found[spent].min(), found[spent].max(), N_POINTS)
        for method in dict.fromkeys(runs["method"]):
            searches = [path for _, path in found[found["method"] == method].groupby("seed")]
            line = mean_path(searches, spent, comparison.quality, until_last(grid, searches, spent))
            parts.append(line.assign(panel=currency, method=method))
    table = pd.concat(parts, ignore_index=True).assign(data=provenance(runs))
    return table[["panel", "method", "x", "mean", "low", "high", "n_seeds", "data"]].reset_index(drop=True)


@style.styled
def draw(numbers: pd.DataFrame, *, comparison: Comparison) -> plotters.Figure:
    """A column per currency, all axes logarithmic; bands are the intervals of three seeds or more."""
    from matplotlib.ticker import EngFormatter

    looks = {method.name: method.look for method in comparison.methods}
    groups = comparison.rows or (tuple(looks),)
    shown = [numbers[numbers["method"].isin(group)].assign(group=i) for i, group in enumerate(groups)]
    figure, panels = plotters.grid(
        pd.concat(shown), "group", "panel", comparison.x_labels, size=lambda n: (7.2, 1.4 + 2.0 * n), sharey=True
    )
    for axis, part, _, currency in panels:
        if part.empty:
            style.say_not_run(axis)
            continue
        plotters.lines(axis, part, looks, order=looks, is_step=True, band=0.15, marker="")
        formatter = EngFormatter(sep="") if currency == "rows" else None
        spent = numbers.loc[numbers["panel"] == currency, "x"]
        style.log_axis(axis.xaxis, spent.min(), spent.max(), formatter=formatter)
    for axis, currency in zip(figure.axes[-2:], comparison.x_labels, strict=True):
        axis.set_xlabel(comparison.x_labels[currency])
    plotters.label_edges(figure, y=comparison.y_label)
    style.log_axis(figure.axes[0].yaxis, 0.9 * numbers["mean"].min(), 1.1 * numbers["mean"].max())
    return plotters.finish(figure, numbers, 3, panels=figure.axes[::2], below=True)


def artefacts(comparison: Comparison, table: str, figure: str, *, rows: str = "rows") -> tuple[Artefact, Artefact]:
    """The table and the figure of a comparison.

    Args:
        comparison: what they show.
        table: caption, to which `PAIRED` is added.
        figure: caption.
        rows: what the table counts beside seconds.
    """
    runs = (comparison.study,)
    drawn = partial(draw, comparison=comparison)
    return (
        Artefact(
            comparison.study, runs, partial(tabulate, comparison=comparison), f"{table} {PAIRED.format(rows=rows)}"
        ),
        Artefact(comparison.study, runs, partial(summarise, comparison=comparison), figure, drawn),
    )
