"""Figure 3 of document 003: searches that choose the sizes of their trials, in figures and tables."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

import numpy as np
import pandas as pd

from studies import plotters, style
from studies.big_data.arrivals import METHODS, MTBO, ON_ALL_ROWS, arrivals, cost_ratio, searches, targets
from studies.paired import differences
from studies.records import Artefact
from studies.shared.look_up_tables import least_test_error
from studies.tidy import in_order, mean_of_each, provenance, shares_of_answers, shares_within, tidied
from studies.trajectories import mean_at, mean_curve

# Numbers -------------------------------------------------------------------------------------------------------

N_POINTS: Final = 241
KEYS: Final = ["method", "measure"]
MEASURES: Final = (
    "test_error",
    "test_error_less_random",
    "seconds_to_10",
    "log10_seconds_to_10_less_random",
    "seconds_to_50",
    "cost_to_10",
    "log10_cost_to_10_less_random",
    "left_10",
    "seconds",
    "overhead_share",
)


def summarise(runs: pd.DataFrame, currency: str = "seconds") -> pd.DataFrame:
    """Test error of the incumbent against what was spent, and the sizes chosen.

    All lines of a currency share a grid, evenly spaced in logarithms. A line begins once every seed has an
    incumbent, and ends with its longest search; a search that has ended keeps its last value.

    The currency is `seconds`, of evaluations and the optimiser, or `cost`, of the evaluations alone.

    Returns:
        panel (left and middle: x is what was spent; right, of seconds alone: x is the iteration, the value the
        geometric mean of the rows chosen, with the interval of its logarithm), method, x, mean, low, high,
        n_seeds (those with a value), n_missing, cost_ratio (the table's largest evaluation cost over its
        smallest), least_test_error (of the table), data.
    """
    found, x = searches(runs), f"spent_{currency}"
    grid = np.geomspace(found[x].min(), found[x].max(), N_POINTS)
    run = set(found["method"])
    mtbo = [name for name in MTBO if name in run]  # the left panel has the second of them, or the only one
    panels = {"left": (*ON_ALL_ROWS, *mtbo[:2][-1:], "fabolas"), "middle": (*mtbo, "fabolas")}
    shown = [(panel, name) for panel, names in panels.items() for name in names if name in run]
    lines = {
        (panel, name): mean_curve(found[found["method"] == name], x, "test_error", grid) for panel, name in shown
    }
    if currency == "seconds":
        chosen = found[found["n_rows"].notna()]
        lines |= {("right", str(name)): _sizes(part) for name, part in chosen.groupby("method", sort=False)}
    table = pd.concat(lines, names=["panel", "method"]).reset_index(["panel", "method"]).reset_index(drop=True)
    facts = {"cost_ratio": cost_ratio(runs, currency), "least_test_error": least_test_error(runs)}
    return table.assign(**facts, data=provenance(runs))


def _sizes(found: pd.DataFrame) -> pd.DataFrame:
    wide = found.pivot_table("n_rows", index="seed", columns="trial").astype(float)
    table = mean_at(wide.columns.to_numpy(float), np.log2(wide.to_numpy())).assign(n_missing=0)
    table[["mean", "low", "high"]] = 2.0 ** table[["mean", "low", "high"]]
    return table


def tabulate(search: str, runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """What the searches came to, method by method.

    A search that never reaches a target counts with all that it spent, and `says` has their number.

    Returns:
        `KEYS`, `TIDY`, n_missing (seeds without a value), says. Measures: test_error, of the last incumbent;
        seconds_to_10 and seconds_to_50, until it first was within 10 or 50 % of the table's least; cost_to_10, the
        same in cost; left_10, share of the seeds whose incumbent was worse again later on; seconds, all
        of the search, and overhead_share, of these the optimiser's; and differences to random search seed by
        seed, of the test error and of the logarithms of what was spent.
    """
    measures, notes = _measures(runs)
    pairs = {"test_error": measures["test_error"]}
    for name in ("seconds_to_10", "cost_to_10"):
        pairs[f"log10_{name}"] = measures[name].assign(value=np.log10(measures[name]["value"]))
    parts = [differences(part.assign(experiment=search), name, ["experiment"]) for name, part in pairs.items()]
    table = pd.concat([mean_of_each(measures, KEYS), *parts], ignore_index=True)
    table = shares_within(table[table["measure"].isin(MEASURES)], ["overhead_share"])
    table = shares_of_answers(table, ["left_10"])
    table["says"] = [notes.get(key, "") for key in zip(table["method"], table["measure"], strict=True)]
    table = in_order(table, {"measure": MEASURES, "method": METHODS})
    return tidied(table, KEYS, scale, "n_missing", "says")


def _measures(runs: pd.DataFrame) -> tuple[dict[str, pd.DataFrame], dict[tuple[str, str], str]]:
    """method, seed, data and value by measure; and notes beside the means, by method and measure."""
    found = searches(runs)
    last = found.groupby(["method", "seed"], sort=False).tail(1).set_index(["method", "seed"])
    values = {
        "test_error": last["test_error"],
        "seconds": last["spent_seconds"],
        "overhead_share": last["spent_overhead"] / last["spent_seconds"],
    }
    measures = {name: last[["data"]].assign(value=column).reset_index() for name, column in values.items()}
    never, wanted = {}, targets(runs)
    for currency, target, name in (("seconds", "good", "10"), ("seconds", "fair", "50"), ("cost", "good", "10")):
        arrived = arrivals(runs, wanted[target], currency)
        measures[f"{currency}_to_{name}"] = arrived.rename(columns={"spent": "value"})
        for method, part in arrived.groupby("method"):
            n_never = int((~part["reached"]).sum())
            if n_never:
                never[str(method), f"{currency}_to_{name}"] = f"{n_never} of {len(part)} seeds never"
        if target == "good":
            measures["left_10"] = arrived.assign(value=arrived["left"].astype(float))
    return measures, never | _bounds(never)


def _bounds(never: Mapping[tuple[str, str], str]) -> dict[tuple[str, str], str]:
    """Notes beside what a method spent over what random search did: whose searches never got there."""
    notes: dict[tuple[str, str], list[str]] = {}
    for (method, measure), text in never.items():
        if method != "random":
            notes.setdefault((method, f"log10_{measure}_less_random"), []).append(f"or more: {text}")
            continue
        for other in METHODS:
            notes.setdefault((other, f"log10_{measure}_less_random"), []).append(f"or less: {text} of random's")
    return {key: "; ".join(texts) for key, texts in notes.items()}


# Pictures ------------------------------------------------------------------------------------------------------

_TITLES: Final = {"left": "Optimisers", "middle": "Fabolas and MTBO's sizes", "right": "Sizes chosen"}
_SECONDS: Final = "Evaluations and optimiser (s)"


@style.styled
def draw(table: pd.DataFrame, spent: str = _SECONDS) -> plotters.Figure:
    """Test error of the incumbent against what was spent, both logarithmic, and the sizes chosen by iteration."""
    from matplotlib.ticker import MaxNLocator

    figure, panels = plotters.row(table, "panel", size=(7.2, 3.2))
    for axis, part, panel in panels:
        order = sorted(part["method"].unique(), key=lambda method: method != "fabolas")  # dashes lie over its line
        plotters.lines(axis, part, style.LOOKS, order=order, is_step=True, band=0.15, marker="")
        axis.set(title=_TITLES[panel])
        if panel == "right":
            axis.set(xlabel="Iteration", ylabel="Training rows, s")
            axis.xaxis.set_major_locator(MaxNLocator(integer=True))
            style.log_axis(axis.yaxis, part["mean"].min() / 1.3, 1.3 * part["mean"].max(), base=2)
            continue
        least = part["least_test_error"]
        axis.axhline(float(least.iloc[0]), color="black", linewidth=0.8, linestyle=":", label="least of the table")
        axis.set(xlabel=spent, ylabel="Test error of the incumbent")
        style.log_axis(axis.xaxis, part["x"].min(), part["x"].max())
        style.log_axis(axis.yaxis, 0.9 * least.min(), 1.1 * part["mean"].max())
    ratio = float(table["cost_ratio"].iloc[0])
    figure.axes[0].set_title(f"{_TITLES['left']} (costs up to {ratio:,.0f} to 1)", fontsize=7)
    return plotters.finish(figure, table, 4)


# Artefacts -----------------------------------------------------------------------------------------------------

_SUMMARISE_COST: Final = partial(summarise, currency="cost")
FIGURE3: Final = Artefact(
    "figure3",
    ("svm_search",),
    summarise,
    """{% set table = config["lookup"]["svm_mnist"] %}Figure 3 of document 003: searches for C and gamma of an SVM
    on {{ table["dataset"] }}, on a table of real fits ({{ table["n_per_dimension"] }} x {{
    table["n_per_dimension"] }} candidates, {{ table["sizes"] | sort | join(", ") }} rows). Left, with one MTBO
    alone, and middle: test error of the incumbent, fitted on {{ table["sizes"] | max }} rows, against seconds, of
    the table's evaluations and of the optimiser on this machine; the seconds of a cell are those of a fit on a
    Gram matrix that serves all C and is counted in each, where a live fit alone costs 6 to 8 times as much;
    Fabolas' and MTBO's incumbent is the candidate with the lowest error predicted on all rows, the others' the one
    with the lowest validation error. Steps on a grid that all lines share, from where every seed has an incumbent;
    a search that has ended keeps its last value. Right: rows of each trial, geometric mean. Means over {{ n_seeds
    | seeds }} with 95 % intervals (drawn from three seeds on); bands may leave the panel. Trials by method: {{
    n_trials | by_method }}. The document has evaluations up to 50,000 rows. The left title has the ratio of the
    table's largest evaluation cost to its smallest, in seconds (column cost_ratio of the CSV).""",
    draw,
)
FIGURE3_COST: Final = Artefact(
    "figure3_cost",
    ("svm_search",),
    _SUMMARISE_COST,
    """Figure 3, left and middle, against a cost that is the same on every machine: kernel values computed by the
    evaluations, of n training rows n squared and n times the validation rows; the optimiser's time is not in it.
    Means over {{ n_seeds | seeds }} with 95 % intervals, drawn from three seeds on; bands may leave the panel. The
    left title has the ratio of the table's largest evaluation cost to its smallest, in kernel values (column
    cost_ratio of the CSV).""",
    partial(draw, spent="Kernel values computed"),
)
FIGURE3_CNN: Final = Artefact(
    "figure3_cnn",
    ("cnn_search",),
    summarise,
    """{% set curves = config["curves"]["networks"]["cnn_sizes"] %}Figure 3 of document 003, for the CNN on
    CIFAR-10 (here JPEG) that its text speaks of: searches for the 7 hyperparameters of a small network on stored
    curves ({{ curves["n_curves"] }} candidates, each trained for {{ curves["n_epochs"] }} epochs on {{
    curves["n_train"] | sort | join(", ") }} rows). Left, with one MTBO alone, and middle: test error of the
    incumbent, trained on {{ curves["n_train"] | max }} rows for all epochs, against seconds, of the stored curves
    and of the optimiser on this machine; Fabolas' and MTBO's incumbent is the candidate with the lowest error
    predicted on all rows, the others' the one with the lowest validation error. Steps on a grid that all lines
    share, from where every seed has an incumbent; a search that has ended keeps its last value. Right: rows of
    each trial, geometric mean. Means over {{ n_seeds | seeds }} with 95 % intervals (drawn from three seeds on),
    over orders and the optimisers' draws alone, since all seeds replay one split of the data and one training of
    each candidate; trials by method: {{ n_trials | by_method }}; random search is dealt the candidates without
    repeats. The left title has the ratio of the largest evaluation cost to the smallest, in seconds (column
    cost_ratio of the CSV).""",
    draw,
)
FIGURE3_CNN_COST: Final = Artefact(
    "figure3_cnn_cost",
    ("cnn_search",),
    _SUMMARISE_COST,
    """The comparison on the CNN, left and middle, against a cost that is the same on every machine: training rows
    times epochs of the evaluations; the optimiser's time is not in it. Means over {{ n_seeds | seeds }} with 95 %
    intervals, drawn from three seeds on. All seeds replay one split of the data and one training of each
    candidate, so intervals are over orders and the optimisers' draws alone. The left title has the ratio of the
    largest evaluation cost to the smallest, in rows times epochs (column cost_ratio of the CSV).""",
    partial(draw, spent="Training rows times epochs"),
)


def _table(search: str, searches: str, cost: str) -> Artefact:
    """The table of a study; `searches` and `cost` are what it calls these in its caption."""
    return Artefact(
        search,
        (search,),
        partial(tabulate, search),
        f"""What {searches} came to: test error of the last incumbent; seconds until it first was within 10 or 50 %
        of the least test error of the table, and {cost} until it was within 10 %, where a seed that never was
        counts with all of its search. The cell has their number: such a mean is a lower bound. Left 10: share of
        the seeds whose incumbent was worse again later on; seconds of a search, and the optimiser's share of them;
        seed by seed the test error less random search's, and what was spent over what random search spent
        (geometric mean; in the CSV log10 of it), with 95 % intervals. Means over {{{{ n_seeds | seeds }}}}.""",
    )


SVM_TABLE: Final = _table("svm_search", "the searches of Figure 3", "kernel values")
CNN_TABLE: Final = _table("cnn_search", "the searches for a CNN on CIFAR-10 (JPEG)", "training rows times epochs")
ARTEFACTS: Final = (FIGURE3, FIGURE3_COST, FIGURE3_CNN, FIGURE3_CNN_COST, SVM_TABLE, CNN_TABLE)
