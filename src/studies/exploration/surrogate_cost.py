"""What a fit of each surrogate costs at a growing number of trials: cubic, document 002 says, against linear.

Processor seconds of whole fits, hyperparameters included, in one thread, as a search pays for them: of the
Gaussian process, ML-II from the four starting points of the strategy `ei`; of DNGO, everything that `DNGO.fit`
does. Beside them one log evidence of the Gaussian process with its gradient, of which its fit takes some 150.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from time import process_time
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from frugal.seeds import rng_for, seed_for
from frugal.stats import t_margin
from studies import plotters, style
from studies.exploration.document import FLOOR
from studies.measures import mean_of, ratio_of
from studies.records import Artefact, Claim, Floor, Method, Study
from studies.regions import at_most, below, near
from studies.tidy import mean_by_seed, provenance, tidied

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from frugal.trials.surrogates import GP

Array = NDArray[np.float64]

METHODS: Final = (
    Method("gp", label="GP: whole fit", color="#00318F", marker="^", linestyle="-"),
    Method(
        "gp_evidence", label="GP: one log evidence and its gradient", color="#4580EB", marker="v", linestyle="-."
    ),
    Method("dngo", label="DNGO: whole fit", color="#2F6756", marker="<", linestyle="--"),
)
POWERS: Final = {"gp": 3, "gp_evidence": 3, "dngo": 1}
"""Power of the number of trials that the document states."""


# Runs ------------------------------------------------------------------------------------------------------------

N_DIMENSIONS: Final = 6
NOISE: Final = 0.05
"""Standard deviation of the noise of the standardised targets."""
N_RESTARTS: Final = 4
"""Starting points of a Gaussian process's fit: those of the strategy `ei`."""
LONG_S: Final = 5.0
"""Seconds of a fit from which on it is made once: what disturbs a clock is small beside them."""
Prepare = Callable[[Array, Array], Callable[[], object]]
"""From trials to what fits a surrogate to them, the part that is timed."""


def run(method: str, seed: int, settings: Mapping[str, Any], root: object = "data") -> pd.DataFrame:
    """Seconds of one surrogate's fit to random trials at each size.

    Returns:
        method, seed, data, n_trials, seconds: the least of two fits, or of one that takes longer than `LONG_S`.
    """
    from frugal.threads import one_thread

    sizes = settings["sizes"]
    fits: dict[str, Prepare] = {
        "gp": _gp,
        "gp_evidence": _gp_evidence,
        "dngo": partial(_dngo, settings["n_epochs"], seed),
    }
    prepare = fits[method]
    rng = rng_for("exploration", "surrogate cost", seed)
    X = rng.random((sizes[-1], N_DIMENSIONS))
    y = np.sin(6 * X).sum(axis=1)
    y = (y - y.mean()) / y.std() + NOISE * rng.standard_normal(len(y))
    rows = []
    with one_thread():
        prepare(X[:20], y[:20])()  # what is loaded at the first call
        for n in sizes:
            fit = prepare(X[:n], y[:n])
            seconds = _seconds(fit)
            if seconds <= LONG_S:
                seconds = min(seconds, _seconds(fit))
            rows.append({"n_trials": n, "seconds": seconds})
    return pd.DataFrame(rows).assign(method=method, seed=seed, data="generated")


def _process() -> GP:
    from frugal.trials.surrogates import GP

    given = {"lengthscale": None, "amplitude": None, "noise_variance": None}
    return GP("matern52_ard", prior="repaired", n_restarts=N_RESTARTS, **given)


def _gp(X: Array, y: Array) -> Callable[[], object]:
    return lambda: _process().fit(X, y)


def _gp_evidence(X: Array, y: Array) -> Callable[[], object]:
    gp = _process()
    evidence, theta = gp.evidence(X, y), np.array([0.0] * X.shape[1] + [0.0, 2 * np.log(NOISE)])
    return lambda: evidence.with_gradient(theta)


def _dngo(n_epochs: int, seed: int, X: Array, y: Array) -> Callable[[], object]:
    from frugal.trials.surrogates.dngo import DNGO

    return lambda: DNGO(n_epochs=n_epochs, seed=seed_for("surrogate cost", seed)).fit(X, y)


def _seconds(call: Callable[[], object]) -> float:
    started = process_time()
    call()
    return process_time() - started


def slopes(runs: pd.DataFrame) -> pd.DataFrame:
    """Slope of log seconds on log trials, of each surrogate and seed.

    Returns:
        method, seed, data, slope (least squares over all sizes), last_slope (over the last two).
    """
    rows = []
    timed = runs[runs["seconds"].notna() & runs["method"].isin(list(POWERS))]
    for (method, seed), part in timed.groupby(["method", "seed"]):
        part = part.sort_values("n_trials")
        n, seconds = np.log(part["n_trials"].to_numpy(float)), np.log(part["seconds"].to_numpy(float))
        last = (seconds[-1] - seconds[-2]) / (n[-1] - n[-2])
        slope = ((n - n.mean()) * seconds).sum() / ((n - n.mean()) ** 2).sum()
        rows.append([method, seed, provenance(part), slope, last])
    return pd.DataFrame(rows, columns=["method", "seed", "data", "slope", "last_slope"])


# Claims ----------------------------------------------------------------------------------------------------------

MARGIN: Final = 0.5
"""Of a power that cost grows by: beyond it the next whole power is nearer."""


def arrays(runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    """Arrays that the claims are measured on, each (n_seeds,): last slopes, and seconds of the largest number."""
    found = slopes(runs).sort_values("seed")
    last = runs[runs["n_trials"] == runs["n_trials"].max()].sort_values("seed")
    return {method: found.loc[found["method"] == method, "last_slope"].to_numpy(float) for method in POWERS} | {
        f"seconds_{method}": last.loc[last["method"] == method, "seconds"].to_numpy(float) for method in POWERS
    }


SURROGATE_COST: Final = Study(
    name="surrogate_cost",
    methods=METHODS,
    run=run,
    is_timed=True,
    is_long=True,
    arrays=arrays,
    is_enough=Floor(seeds=FLOOR, groups=("method",), methods=METHODS),
)
_claim = partial(Claim, of="surrogate_cost", artefact="tables/surrogate_cost")

CLAIMS: Final = (
    _claim(
        "exploration.cost.gp_cubic",
        section="Choice of surrogate model",
        quote="its computational complexity scales cubicly in the number of examples",
        quantity="power of the number of trials that the seconds of a Gaussian process's fit, hyperparameters "
        "included, grow with, between the two largest numbers (3: cubic)",
        unit="power",
        agrees=near(3, margin=MARGIN),
        measure=mean_of("gp"),
    ),
    _claim(
        "exploration.cost.dngo_scalable",
        section="Experiments and Results",
        quote="Our goal is to check Snoek et al [9] work on scalable Bayesian optimisation",
        quantity="power of the number of trials that the seconds of DNGO's fit grow with, between the two largest "
        "numbers (1: linear, 3: cubic)",
        unit="power",
        agrees=at_most(1 + MARGIN),
        measure=mean_of("dngo"),
    ),
    _claim(
        "exploration.cost.dngo_cheaper",
        section="Choice of surrogate model",
        quantity="seconds of a whole fit to the largest number of trials, DNGO's over a Gaussian process's",
        unit="times",
        agrees=below(1),
        measure=ratio_of("seconds_dngo", "seconds_gp"),
    ),
)


# Table and figure ------------------------------------------------------------------------------------------------


def tabulate(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Mean slopes; keys measure and method, then `tidy.TIDY`."""
    long = slopes(runs).melt(["method", "seed", "data"], ["slope", "last_slope"], var_name="measure")
    table = mean_by_seed(long, "value", ["measure", "method"]).drop(columns="n_missing")
    powers = table["method"].map(POWERS).astype(float)
    return tidied(table.assign(published=powers), ["measure", "method"], scale)


def summarise(runs: pd.DataFrame) -> pd.DataFrame:
    """Seconds of a fit: method, n_trials, mean (geometric), low, high (95 %), n_seeds, data."""
    rows = []
    for (method, n_trials), part in runs.groupby(["method", "n_trials"]):
        logs = np.log(part["seconds"].to_numpy(float))
        mean, n = logs.mean(), len(logs)
        margin = t_margin(float(logs.std(ddof=1)) / np.sqrt(n), n) if n > 1 else np.nan
        rows.append([method, n_trials, *np.exp([mean, mean - margin, mean + margin]), n, provenance(part)])
    return pd.DataFrame(rows, columns=["method", "n_trials", "mean", "low", "high", "n_seeds", "data"])


@style.styled
def draw(table: pd.DataFrame) -> Figure:
    """Seconds of a fit against trials, both on logarithmic axes, with the powers that the document states."""
    figure = style.new_figure(4.6, 3.2)
    axis = figure.subplots()
    plotters.lines(axis, table, {method.name: method.look for method in METHODS}, x="n_trials", order=POWERS)
    for method, power in POWERS.items():
        line = table[table["method"] == method]
        last = line.iloc[-1]
        guide = last["mean"] * (line["n_trials"] / last["n_trials"]) ** power
        axis.plot(line["n_trials"], guide, color="#8A8F94", linewidth=0.8, linestyle=":")
        axis.annotate(
            "linear" if power == 1 else "cubic",
            (line["n_trials"].iloc[0], guide.iloc[0]),
            xytext=(-4, 0),
            textcoords="offset points",
            ha="right",
            va="center",
            color="#8A8F94",
            fontsize=7,
        )
    axis.set(xscale="log", yscale="log", xlabel="Trials", ylabel="Processor time (s)")
    axis.margins(x=0.14)
    return plotters.finish(figure, table, 2)


TABLE: Final = Artefact(
    "surrogate_cost",
    ("surrogate_cost",),
    tabulate,
    """Slope of log seconds of a whole fit (gp evidence: of one log evidence with its gradient) on log trials, over
    all sizes ({{ sizes | join(", ") }}) and between the last two, and the powers that the document states. DNGO:
    {{ n_epochs }} epochs. {{ n_seeds }} seed(s).""",
)
FIGURE: Final = Artefact(
    "surrogate_cost",
    ("surrogate_cost",),
    summarise,
    """Processor time of a whole fit, hyperparameters included, against the number of trials in 6 dimensions: of a
    GP, ML-II from four starting points, and one of the log evidences with its gradient that such a fit takes some
    150 of; of DNGO, {{ n_epochs }} epochs and 20 draws of its hyperparameters. Dotted: the powers
    that the document states, through the last point. Geometric means over {{ n_seeds }} seed(s) in 95 % bands,
    one thread.""",
    draw,
)
