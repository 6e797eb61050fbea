"""DNGO with its paper's settings on Hartmann-6: 200 trials, sampled hyperparameters, 500 epochs.

Snoek et al. (2015), whose table document 002 quotes, have DNGO there as good as Spearmint after 200 trials.
Random search and expected improvement on a Gaussian process have as many trials here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from studies.exploration.searches import FUNCTION, ends, has_enough_searches, log10_regret, searches
from studies.measures import mean_of, ratio_of
from studies.methods import TRIALS as SHORT
from studies.paired import with_differences
from studies.records import Artefact, Claim, Study
from studies.regions import below
from studies.tidy import tidied

DATASET: Final = "hartmann6"
STRATEGIES: Final[Mapping[str, str]] = {"random_long": "random", "ei_long": "ei", "dngo_long": "dngo"}
"""Method -> the strategy that it runs."""
_SETTINGS: Final[Mapping[str, Mapping[str, Any]]] = {"dngo_long": {"marginalise": "mcmc", "n_walkers": 20}}
METHODS: Final = tuple(
    replace(SHORT[strategy], name=name, settings=_SETTINGS.get(name, {}), variant_of=strategy)
    for name, strategy in STRATEGIES.items()
)
"""They have the looks and the random numbers of the methods with fewer trials."""
MEASURED: Final = ("lowest_value", "log10_regret")
N_TRIALS: Final = 200
"""Trials of a search under which no verdict is given: those of the document's table."""
LOCAL_MINIMUM: Final = -3.2032
"""The second lowest local minimum of Hartmann-6: a search below it has found the basin of the lowest, -3.3224."""


# What is read of the runs ----------------------------------------------------------------------------------------


def values(runs: pd.DataFrame) -> pd.DataFrame:
    """The end of each search: method (of `STRATEGIES`), seed, data, lowest_value, log10_regret, trial."""
    last = ends(searches(runs))
    last["method"] = last["method"].map(STRATEGIES)
    last["lowest_value"] = last["best"]
    last["log10_regret"] = log10_regret(last)
    return last[["method", "seed", "data", *MEASURED, "trial"]]


def arrays(runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    """Arrays that the claims are measured on, each (n_seeds,): `value_{method}` and `regret_{method}`."""
    last = values(runs).sort_values("seed")
    found: dict[str, NDArray[np.float64]] = {}
    for method, part in last.groupby("method"):
        found[f"value_{method}"] = part["lowest_value"].to_numpy(float)
        found[f"regret_{method}"] = 10 ** part["log10_regret"].to_numpy(float)
    return found


# Claims ----------------------------------------------------------------------------------------------------------

IS_ENOUGH: Final = partial(has_enough_searches, methods=tuple(STRATEGIES), n_trials=N_TRIALS)
FUNCTION_SEARCHES: Final = Study(
    name="functions_long",
    methods=METHODS,
    problems=((FUNCTION, DATASET),),
    arrays=arrays,
    is_enough=IS_ENOUGH,
)
_claim = partial(
    Claim, section="Experiments and Results", study="functions_long", artefact="tables/functions_long"
)
_DNGO: Final = "DNGO with 20 sampled hyperparameters"

CLAIMS: Final = (
    _claim(
        "exploration.functions_long.dngo_finds_basin",
        quantity=f"lowest value that {_DNGO} finds in 200 trials on Hartmann-6; below -3.203, its second lowest "
        "local minimum, a search has come near the lowest one",
        unit="value",
        agrees=below(LOCAL_MINIMUM),
        measure=mean_of("value_dngo"),
    ),
    _claim(
        "exploration.functions_long.dngo_beats_random",
        quantity=f"regret after 200 trials on Hartmann-6, that of {_DNGO} over random search's",
        unit="times",
        agrees=below(1),
        measure=ratio_of("regret_dngo", "regret_random"),
    ),
    _claim(
        "exploration.functions_long.gp_beats_dngo",
        quantity=f"regret after 200 trials on Hartmann-6, that of EI on a Gaussian process over that of {_DNGO}",
        unit="times",
        agrees=below(1),
        measure=ratio_of("regret_ei", "regret_dngo"),
    ),
)


# The table -------------------------------------------------------------------------------------------------------

KEYS: Final = ["measure", "method"]


def tabulate(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Where searches of 200 trials end.

    Returns:
        `KEYS`, `tidy.TIDY`, n_trials, n_missing (seeds without a value) and note. Measures: lowest_value;
        log10_regret, its distance to the minimum; and both less that of random search or of EI in the same seed
        (`paired.differences`).
    """
    last = values(runs)
    long = last.melt(["method", "seed", "data"], list(MEASURED), var_name="measure")
    table = with_differences(long, MEASURED)
    table["n_trials"] = table["method"].map(last.groupby("method")["trial"].min())
    measures = [f"{name}{less}" for name in MEASURED for less in ("", "_less_random", "_less_ei")]
    orders = {"measure": measures, "method": tuple(STRATEGIES.values())}
    return tidied(table, KEYS, scale, "n_trials", "n_missing", "note", orders=orders)


TABLE: Final = Artefact(
    "functions_long",
    ("functions_long",),
    tabulate,
    """Hartmann-6 after {{ n_trials }} evaluations: DNGO with its paper's settings (20 sampled hyperparameters{% if
    "n_epochs" in strategies.dngo_long | default({}) %}, {{ strategies.dngo_long.n_epochs }} epochs{% endif %}),
    random search, and EI on a GP with sampled hyperparameters in Spearmint's place; all of a seed start from the
    same {{ n_initial }} candidates. Lowest value (the minimum is -3.3224, the second lowest local minimum -3.203)
    and what it leaves to the minimum (geometric means, 1e-6 or more; in the CSV log10 of it). The rows less random
    and less ei are means of the differences seed by seed, of what is left the ratio, with 95 % intervals. The
    table that the document quotes has DNGO at -3.319, Spearmint at -3.3166. Means over {{ n_seeds | seeds }}.""",
)
