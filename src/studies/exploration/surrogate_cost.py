"""What a fit of each surrogate costs at a growing number of trials: cubic, document 002 says, against linear.

Processor seconds of one fit at hyperparameters as searches use them, in one thread: of the Gaussian process, the
log evidence with its gradient, which a fit evaluates some hundred times; of DNGO, everything that `DNGO.fit` does.
`surrogate_fits` has whole fits of both, and the claims.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from time import process_time
from typing import Any, Final

import numpy as np
import pandas as pd

from frugal.seeds import rng_for, seed_for
from frugal.stats import t_margin
from studies import plotters, style
from studies.estimates import Array
from studies.records import Artefact, Method, Study
from studies.tidy import mean_by_seed, provenance, tidied

WHOLE_DNGO: Final = Method("dngo", label="DNGO: whole fit", color="#2F6756", marker="<", linestyle="--")
METHODS: Final = (
    Method("gp", label="GP: log evidence and gradient", color="#00318F", marker="^", linestyle="-"),
    WHOLE_DNGO,
)
POWERS: Final[Mapping[str, float]] = {"gp": 3, "dngo": 1}
"""Power of the number of trials that the document states."""


# Runs ------------------------------------------------------------------------------------------------------------

N_DIMENSIONS: Final = 6
NOISE: Final = 0.05
"""Standard deviation of the noise of the standardised targets."""
Prepare = Callable[[Array, Array], Callable[[], object]]
"""From trials to what fits a surrogate to them, the part that is timed."""


def run(method: str, seed: int, settings: Mapping[str, Any], root: object = "data") -> pd.DataFrame:
    """Seconds of one surrogate's fit to random trials at each size.

    Returns:
        method, seed, data, n_trials, seconds: the least of two fits.
    """
    fits: dict[str, Prepare] = {"gp": prepare_evidence, "dngo": partial(prepare_dngo, settings["n_epochs"], seed)}
    return timed(fits[method], settings["sizes"], seed).assign(method=method, seed=seed, data="generated")


def timed(prepare: Prepare, sizes: Sequence[int], seed: int, long_s: float = math.inf) -> pd.DataFrame:
    """Time fits to random trials in one thread.

    Args:
        prepare: a function from points and targets to the call that is timed.
        sizes: numbers of trials, increasing.
        seed: of the trials.
        long_s: a fit that takes more seconds than this is made once, any other fit twice.

    Returns:
        A row per size: n_trials, and seconds of the processor, the least of the fits made.
    """
    from frugal.threads import one_thread

    X, y = random_trials(sizes[-1], seed)
    rows = []
    with one_thread():
        prepare(X[:20], y[:20])()  # what is loaded at the first call
        for n in sizes:
            fit = prepare(X[:n], y[:n])
            seconds = processor_seconds(fit)
            if seconds <= long_s:
                seconds = min(seconds, processor_seconds(fit))
            rows.append({"n_trials": n, "seconds": seconds})
    return pd.DataFrame(rows)


def random_trials(n: int, seed: int) -> tuple[Array, Array]:
    """Points of the unit cube, (n, 6), and noisy targets, standardised but for the noise, (n,)."""
    rng = rng_for("exploration", "surrogate cost", seed)
    X = rng.random((n, N_DIMENSIONS))
    y = np.sin(6 * X).sum(axis=1)
    return X, (y - y.mean()) / y.std() + NOISE * rng.standard_normal(len(y))


def prepare_evidence(X: Array, y: Array) -> Callable[[], object]:
    """What evaluates one log evidence of a Gaussian process with its gradient."""
    from frugal.trials.surrogates import GP

    gp = GP("matern52_ard", lengthscale=None, amplitude=None, noise_variance=None, prior="repaired")
    evidence, theta = gp.evidence(X, y), np.array([0.0] * X.shape[1] + [0.0, 2 * np.log(NOISE)])
    return lambda: evidence.with_gradient(theta)


def prepare_dngo(n_epochs: int, seed: int, X: Array, y: Array) -> Callable[[], object]:
    """What fits a DNGO."""
    from frugal.trials.surrogates.dngo import DNGO

    return lambda: DNGO(n_epochs=n_epochs, seed=seed_for("surrogate cost", seed)).fit(X, y)


def processor_seconds(call: Callable[[], object]) -> float:
    """Seconds of the processor that a call takes."""
    started = process_time()
    call()
    return process_time() - started


def slopes(runs: pd.DataFrame) -> pd.DataFrame:
    """Slope of log seconds on log trials, of each surrogate and seed.

    Returns:
        method, seed, data, slope (least squares over all sizes), last_slope (over the last two).
    """
    rows = []
    measured = runs[runs["seconds"].notna()]
    for (method, seed), part in measured.groupby(["method", "seed"]):
        part = part.sort_values("n_trials")
        n, seconds = np.log(part["n_trials"].to_numpy(float)), np.log(part["seconds"].to_numpy(float))
        last = (seconds[-1] - seconds[-2]) / (n[-1] - n[-2])
        slope = ((n - n.mean()) * seconds).sum() / ((n - n.mean()) ** 2).sum()
        rows.append([method, seed, provenance(part), slope, last])
    return pd.DataFrame(rows, columns=["method", "seed", "data", "slope", "last_slope"])


SURROGATE_COST: Final = Study(name="surrogate_cost", methods=METHODS, run=run, is_timed=True)
"""No claim is on it."""


# Table and figure ------------------------------------------------------------------------------------------------


def tabulate(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Mean slopes, with `POWERS` beside; keys measure and method, then `tidy.TIDY`."""
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
def draw(table: pd.DataFrame, methods: Sequence[Method] = METHODS) -> plotters.Figure:
    """Seconds of a fit against trials, both on logarithmic axes, with `POWERS`; `methods` have the looks."""
    figure = style.new_figure(4.6, 3.2)
    axis = figure.subplots()
    plotters.lines(axis, table, {method.name: method.look for method in methods}, x="n_trials", order=POWERS)
    for method, power in POWERS.items():
        line = table[table["method"] == method]
        last = line.iloc[-1]
        guide = last["mean"] * (line["n_trials"] / last["n_trials"]) ** power
        axis.plot(line["n_trials"], guide, color="#8A8F94", linewidth=0.8, linestyle=":")
        text, at = "linear" if power == 1 else "cubic", (line["n_trials"].iloc[0], guide.iloc[0])
        plotters.note(axis, text, at, (-4, 0), ha="right", va="center", color="#8A8F94", fontsize=7)
    axis.set(xscale="log", yscale="log", xlabel="Trials", ylabel="Processor time (s)")
    axis.margins(x=0.14)
    return plotters.finish(figure, table, 2)


TABLE: Final = Artefact(
    "surrogate_cost",
    ("surrogate_cost",),
    tabulate,
    """Slope of log seconds of a fit on log trials, over all sizes ({{ sizes | join(", ") }}) and between the last
    two, and the powers that the document states. {{ n_seeds | seeds }}.""",
)
FIGURE: Final = Artefact(
    "surrogate_cost",
    ("surrogate_cost",),
    summarise,
    """Processor time of a fit against the number of trials in 6 dimensions: of a GP, one log evidence with its
    gradient (a fit takes some hundred of them); of DNGO, everything, {{ n_epochs }} epochs. Dotted: the powers
    that the document states, through the last point. Geometric means over {{ n_seeds | seeds }} in 95 % bands,
    one thread.""",
    draw,
)
