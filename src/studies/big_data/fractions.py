"""Every method that trains on fewer rows, on real data at the same fractions, beside training on all rows.

Document 003 compares none of them with each other; there is no claim on them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from studies import plotters, style
from studies.big_data.cost_tables import draw_intervals, hold_means, means, tabulate_means
from studies.records import Artefact, Method, Study
from studies.tidy import mean_by_seed

if TYPE_CHECKING:
    from pathlib import Path


METHODS: Final = (
    Method("uniform", label="uniform", color="#7F7F7F", marker="o", linestyle="-"),
    Method("cc", label="case-control", color="#D07CA1", marker="<", linestyle="--"),
    Method("lcc", label="local case-control", color="#00318F", marker=">", linestyle="-."),
    Method("osmac_mvc", label="OSMAC, mVc", color="#F2B138", marker="D", linestyle="-"),
    Method("osmac_mmse", label="OSMAC, mMSE", color="#926A00", marker="d", linestyle=":"),
    Method("blb", label="BLB, averaged", color="#4580EB", marker="s", linestyle=(0, (5, 1))),
    Method("b_of_n", label="b of n, averaged", color="#7AACEB", marker="p", linestyle=":"),
    Method("dynamic", label="dynamic sizes", color="#684319", marker="P", linestyle=(0, (1, 1))),
    Method("full_logistic", label="all rows", color="#000000", linestyle="-"),
    Method("km_svm", label="KM-SVM", color="#F2B138", marker="v", linestyle="--"),
    Method("wkm_svm", label="WKM-SVM", color="#00318F", marker="^", linestyle="-"),
    Method("svm_km", label="SVM-KM", color="#D07CA1", marker="X", linestyle="-."),
    Method("uniform_svm", label="uniform, SVM", color="#7F7F7F", marker="o", linestyle="-"),
    Method("full_svm", label="all rows", color="#000000", linestyle="-"),
)


# Runs ----------------------------------------------------------------------------------------------------------


def run(method: str, seed: int, settings: Mapping[str, Any], root: str | Path = "data") -> pd.DataFrame:
    """One method on each dataset that it applies to; methods share the splits of a seed.

    Returns:
        A row per dataset and fraction. Columns: dataset, data, n_rows (to train on); family (`logistic` or `svm`);
        fraction (asked for, of `dynamic` passes; 1 for training on all rows), rows_share (fitted to, of n_rows;
        for `dynamic` accessed, repeats included), accuracy, log_loss (nan without probabilities), seconds (of
        fitting), predict_seconds; rows_touched, rows_accessed, share_uniform and n_failed, as in
        `fraction_fits.Model`; reason (why there is no fit; empty if there is).
    """
    from studies.big_data.fraction_fits import measure

    return pd.DataFrame(measure(method, seed, settings, root))


FRACTIONS: Final = Study(name="fractions", methods=METHODS, run=run, is_timed=True, datasets="datasets")


# Table and figures ---------------------------------------------------------------------------------------------

MEASURES: Final = (
    "rows_share", "rows_touched", "rows_accessed", "accuracy", "log_loss", "seconds", "predict_seconds",
    "share_uniform", "n_failed",
)  # fmt: skip
_MEASURED_OF: Final = {"share_uniform": ("lcc", "osmac_mvc", "osmac_mmse"), "n_failed": ("blb", "b_of_n")}
"""Measure -> the methods that have it; `log_loss` is that of logistic regression."""
_LOOKS: Final = {method.name: method.look for method in METHODS}
_LABELS: Final = {"accuracy": "Test accuracy (share)", "seconds": "Seconds", "rows_accessed": "Rows accessed"}


def tabulate(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Accuracy, log-loss and cost of every method at every fraction.

    Returns:
        dataset, method, fraction, measure, `TIDY` and n_missing. n_seeds were run, n_missing of them have no
        fit; means are over the others, nan where there is none.
    """
    runs = runs.reset_index(drop=True)
    table = tabulate_means(runs, ["dataset", "method", "fraction"], MEASURES, scale, _is_geometric)
    return table[_is_defined(table, runs)].reset_index(drop=True)


def summarise(runs: pd.DataFrame) -> pd.DataFrame:
    """Numbers of both figures: a row per dataset, method, fraction and measure.

    Returns:
        dataset, family, method, fraction, measure, rows_share (mean), mean, low, high, n_seeds, n_missing, data,
        as in `tabulate`; means of seconds are geometric.
    """
    keys = ["dataset", "family", "method", "fraction"]
    shares = mean_by_seed(runs, "rows_share", keys)["ours"]
    parts = [
        means(runs, measure, keys, is_geometric=_is_geometric(runs, measure)).assign(
            measure=measure, rows_share=shares
        )
        for measure in MEASURES[1:]
    ]
    table = pd.concat(parts, ignore_index=True).rename(columns={"ours": "mean"})
    table = table[_is_defined(table, runs)].reset_index(drop=True)
    return table[[*keys, "measure", "rows_share", "mean", "low", "high", "n_seeds", "n_missing", "data"]]


def _is_geometric(runs: pd.DataFrame, measure: str) -> bool:
    return measure in ("seconds", "predict_seconds")


def _is_defined(table: pd.DataFrame, runs: pd.DataFrame) -> pd.Series:
    """Whether a cell's method has the measure at all."""
    family = table["method"].map(runs.drop_duplicates("method").set_index("method")["family"])
    defined = (table["measure"] != "log_loss") | (family == "logistic")
    for measure, methods in _MEASURED_OF.items():
        defined &= (table["measure"] != measure) | table["method"].isin(methods)
    return defined


@style.styled
def draw(numbers: pd.DataFrame, measures: tuple[str, ...]) -> plotters.Figure:
    """A column per dataset and kind of model, a row per measure; training on all rows is a line across."""
    panels = numbers[["dataset", "family"]].drop_duplicates().sort_values(["dataset", "family"])
    n_columns = 2 if len(measures) == 1 else len(panels)
    n_rows = len(measures) * -(-len(panels) // n_columns)
    figure = style.new_figure(style.TWO_COLUMN[0], 1.1 + 2.2 * n_rows)
    grid = list(figure.subplots(n_rows, n_columns, squeeze=False).flat)
    for i, measure in enumerate(measures):
        for j, (dataset, family) in enumerate(panels.itertuples(index=False)):
            axes = grid[i * len(panels) + j]
            part = numbers[(numbers["dataset"] == dataset) & (numbers["family"] == family)]
            steps = (1.0, 3.0) if n_columns == 2 else (1.0,)
            _draw_panel(axes, part[part["measure"] == measure], measure, steps=steps)
            if i == 0:
                axes.set_title(f"{dataset}, {'SVM' if family == 'svm' else 'logistic'}")
            if j % n_columns == 0:
                axes.set_ylabel(_LABELS[measure])
    plotters.label_edges(figure, "Share of rows trained on")
    return plotters.finish(figure, numbers, 5, below=True)


def _draw_panel(axes: plotters.Axes, part: pd.DataFrame, measure: str, steps: tuple[float, ...]) -> None:
    """One panel; `steps` are the multiples of a power of ten that have a tick. Without a fit there is no point."""
    from matplotlib.ticker import LogLocator, PercentFormatter

    part = part.dropna(subset=["mean", "rows_share"])
    if part.empty:
        style.say_not_run(axes)
        return
    is_whole = part["method"].isin(["full_logistic", "full_svm"])
    for row in part[is_whole].to_dict("records"):
        look = _LOOKS[row["method"]]
        axes.axhline(row["mean"], color=look.color, linewidth=0.9, label=look.label, zorder=1)
        axes.axhspan(row["low"], row["high"], color=look.color, alpha=0.12, linewidth=0)
    draw_intervals(axes, part[~is_whole], _LOOKS, x="rows_share")
    hold_means(axes, part, log=measure != "accuracy")
    axes.xaxis.set_major_locator(LogLocator(subs=steps, numticks=9 if len(steps) > 1 else 3))
    axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    if measure == "accuracy":
        low, high = float(part["mean"].min()), float(part["mean"].max())
        axes.set_ylim(low - 0.1 * (high - low) - 0.01, high + 0.15 * (high - low) + 0.01)


_SHOWN: Final = """every method that trains on fewer rows beside training on all of them (black, in the band of its
    interval). One fifth of the rows of each seed's split is for testing; logistic regression trains on {{ n_train
    or "all" }} others, the SVMs (RBF, C {{ C }}) on {{ svm_rows }}; adult by its {{ n_components }} leading
    principal components. BLB and b of n are {{ s }} subsamples that together have the share, coefficients
    averaged; dynamic sizes stop after as many accessed rows, repeats counted, so that they may go beyond 100 %;
    the share of SVM-KM is what clustering left. Local case-control and OSMAC also score every row, the k-means
    SVMs cluster every row. Case-control, local case-control, OSMAC and the logistic bootstraps are for two
    classes, so that letter has the others alone. Bars are 95 % Student intervals over {{ n_seeds | seeds }}, of
    which seeds whose fit failed are left out (n_missing in the CSV counts them); they may leave the panel. Local
    case-control and OSMAC draw uniformly where their pilots fail; the table has the share of such fits."""
TABLE: Final = Artefact(
    "fractions",
    ("fractions",),
    tabulate,
    """Test accuracy, log-loss (where there are probabilities), seconds of training and of predicting, the share of
    rows trained on, rows touched (distinct per fit; of subsamples each draw) and accessed (each as often as it was
    read), fits that failed in a bag (n_failed), and the share of fits whose pilots failed and left uniform draws
    (share_uniform), of every method that trains on fewer rows, on real data at every fraction asked for (of the
    dynamic fit: passes), beside training on all rows. n_seeds ({{ n_seeds }}) were run, n_missing of them have no
    fit; means are over the others, of seconds geometric ones, and a cell without any is empty.""",
)
FIGURE: Final = Artefact(
    "fractions",
    ("fractions",),
    summarise,
    f"Test accuracy against the share of rows trained on, {_SHOWN}",
    partial(draw, measures=("accuracy",)),
)
COST_FIGURE: Final = Artefact(
    "fractions_seconds",
    ("fractions",),
    summarise,
    f"""Seconds of training (geometric mean; one thread; predictions aside), and below it rows accessed by the same
    fits, each as often as it was read, which do not depend on the machine: of all logistic fits by the passes of
    Newton-CG (its own count for dynamic sizes and for all rows, for the others that of a batch fit to such rows,
    and every row scored once), of SVMs the rows clustered and the rows or centres handed to the SVM, once each.
    Both are against the share of rows trained on, {_SHOWN}""",
    partial(draw, measures=("seconds", "rows_accessed")),
)
ARTEFACTS: Final = (TABLE, FIGURE, COST_FIGURE)
