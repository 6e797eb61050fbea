"""What a whole fit of each surrogate costs, hyperparameters included: cubic, document 002 says, against linear.

Processor seconds in one thread, as a search pays for them: of the Gaussian process, ML-II from the four starting
points of the strategy `ei`; of DNGO, everything that `DNGO.fit` does. `surrogate_cost` has one log evidence of the
Gaussian process, of which such a fit takes some 150.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

import pandas as pd
from numpy.typing import NDArray

from studies.estimates import Array
from studies.exploration.document import OF_EVERY_METHOD
from studies.exploration.surrogate_cost import (
    POWERS,
    WHOLE_DNGO,
    Prepare,
    draw,
    prepare_dngo,
    slopes,
    summarise,
    tabulate,
    timed,
)
from studies.measures import mean_of, ratio_of
from studies.records import Artefact, Claim, Method, Study
from studies.regions import at_most, below, near

METHODS: Final = (
    Method("gp", label="GP: whole fit", color="#00318F", marker="^", linestyle="-"),
    WHOLE_DNGO,
)
N_RESTARTS: Final = 4
"""Starting points of a Gaussian process's fit: those of the strategy `ei`."""
LONG_S: Final = 5.0
"""Seconds of a fit from which on it is made once: what disturbs a clock is small beside them."""


# Runs ------------------------------------------------------------------------------------------------------------


def run(method: str, seed: int, settings: Mapping[str, Any], root: object = "data") -> pd.DataFrame:
    """Seconds of one surrogate's whole fit to random trials at each size.

    Returns:
        method, seed, data, n_trials, seconds: the least of two fits, or of one that takes longer than `LONG_S`.
    """
    fits: dict[str, Prepare] = {"gp": _prepare_gp, "dngo": partial(prepare_dngo, settings["n_epochs"], seed)}
    found = timed(fits[method], settings["sizes"], seed, LONG_S)
    return found.assign(method=method, seed=seed, data="generated")


def _prepare_gp(X: Array, y: Array) -> Callable[[], object]:
    from frugal.trials.surrogates import GP

    gp = GP(
        "matern52_ard", lengthscale=None, amplitude=None, noise_variance=None, prior="repaired",
        n_restarts=N_RESTARTS,
    )  # fmt: skip
    return lambda: gp.fit(X, y)


# Claims ----------------------------------------------------------------------------------------------------------

MARGIN: Final = 0.5
"""Of a power that cost grows by: beyond it the next whole power is nearer."""


def arrays(runs: pd.DataFrame) -> dict[str, NDArray[Any]]:
    """Arrays that the claims are measured on, each (n_seeds,): last slopes, and seconds of the largest number."""
    last_slopes = slopes(runs).sort_values("seed")
    largest = runs[runs["n_trials"] == runs["n_trials"].max()].sort_values("seed")
    found: dict[str, NDArray[Any]] = {}
    for method in POWERS:
        found[method] = last_slopes.loc[last_slopes["method"] == method, "last_slope"].to_numpy(float)
        found[f"seconds_{method}"] = largest.loc[largest["method"] == method, "seconds"].to_numpy(float)
    return found


SURROGATE_FITS: Final = Study(
    name="surrogate_fits",
    methods=METHODS,
    run=run,
    is_timed=True,
    is_long=True,
    arrays=arrays,
    is_enough=OF_EVERY_METHOD,
)
_claim = partial(Claim, study="surrogate_fits", artefact="tables/surrogate_fits")

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
        quantity="power of the number of trials that the seconds of DNGO's fit grow with, between the two largest "
        "numbers (1: linear, 3: cubic)",
        unit="power",
        agrees=at_most(1 + MARGIN),
        measure=mean_of("dngo"),
        is_by_construction=True,  # as many epochs whatever the number of trials
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


TABLE: Final = Artefact(
    "surrogate_fits",
    ("surrogate_fits",),
    tabulate,
    """Slope of log seconds of a whole fit, hyperparameters included, on log trials, over all sizes ({{ sizes |
    join(", ") }}) and between the last two, and the powers that the document states. DNGO: {{ n_epochs }} epochs.
    {{ n_seeds | seeds }}.""",
)
FIGURE: Final = Artefact(
    "surrogate_fits",
    ("surrogate_fits",),
    summarise,
    """Processor time of a whole fit, hyperparameters included, against the number of trials in 6 dimensions: of a
    GP, ML-II from four starting points; of DNGO, {{ n_epochs }} epochs and 20 draws of its hyperparameters.
    Dotted: the powers that the document states, through the last point. Geometric means over {{ n_seeds | seeds }}
    in 95 % bands, one thread.""",
    partial(draw, methods=METHODS),
)
