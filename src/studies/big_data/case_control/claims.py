"""What section 3.3 says, quoted, and the numbers of it: of Figure 10 from `subsampling`, on the bias from `bias`.

Figure 10 draws one data set; ours are means over data sets, one per seed. Its numbers are compared after the
dashed line's error is taken off, which takes out the distance of the fit to all rows from the true
coefficients: a matter of the data set drawn, 0.08 of the 0.14 that LCC and OSMAC have on nzNormal at r = 1000.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from studies.big_data.case_control.problems import DESIGNS
from studies.big_data.case_control.runs import EXPERIMENTS
from studies.big_data.case_control.summaries import published
from studies.verdicts import Arrays, Claim, check_claimed

N_SEEDS: Final = 10
FLOOR: Final = {"n_rows": 10_000, "n_repeats": 100}
FLOOR_BIAS: Final = {"n_rows": 100_000, "n_repeats": 10}
"""Settings of `subsampling` and of `bias` under which no verdict is given."""
LARGEST_BIAS: Final = 16_000
"""Which the greatest r of `bias` has to reach; `subsampling` has to have Figure 10's sizes."""
PILOT_SIZE: Final = 200
"""Figure 10's."""
_HALFWAY: Final = -0.25
"""Log-log slope against r halfway between a distance that stays, 0, and one that falls like the root of r."""


def _log_ratio_to_best(arrays: Arrays, design: str, method: str, others: tuple[str, ...]) -> float:
    """Greatest over r of the logarithm of a method's mean error over the least of the others'."""
    ours = arrays[f"{design} {method}"].mean(axis=-1)
    best = np.min([arrays[f"{design} {other}"].mean(axis=-1) for other in others], axis=0)
    return float(np.log(ours / best).max())


def _less_full(arrays: Arrays, design: str, method: str) -> float:
    """Mean error at the greatest r less that of the dashed line."""
    return float((arrays[f"{design} {method}"][-1] - arrays[f"{design} full"][-1]).mean())


def _log_ratio_to_uniform(arrays: Arrays, design: str) -> float:
    """Logarithm of the error against the fit to all rows, LCC's over uniform's at as many rows, mean over r."""
    errors = [arrays[f"{design} {method} mle"].mean(axis=-1) for method in ("lcc_total", "uniform")]
    return float(np.log(errors[0] / errors[1]).mean())


def _slope(arrays: Arrays, method: str) -> float:
    """Log-log slope of the distance over the greater half of the sizes; nan with fewer than three sizes."""
    distance = np.sqrt((arrays[method] ** 2).mean(axis=-1))
    sizes = arrays["r"][:, 0]
    if len(sizes) < 3:
        return math.nan
    upper = slice(len(sizes) // 2, None)
    return float(np.polyfit(np.log(sizes[upper]), np.log(distance[upper]), 1)[0])


def _log_ratio_of_distances(arrays: Arrays) -> float:
    lcc, cc = (np.sqrt((arrays[method][-1] ** 2).mean()) for method in ("lcc", "cc"))
    return float(np.log(lcc / cc))


def _published_less_full(design: str, method: str) -> float:
    table = published().query("design == @design and r == 1000").set_index("method")["published"]
    return float(table[method] - table["full"])


_CLOSEST: Final = 'Figure 10, {design}: "OSMAC consistently gives the closest approximation of beta" ({what}: '
_LARGEST: Final = "largest over r of the logarithm of its error over the least of {others}, below 0 if so)"


def _closest(design: str) -> list[Claim]:
    """The sentence as the document compares, at equal numbers of drawn rows, and of the A-optimal rule."""
    plain, equal = ("uniform", "lcc"), ("uniform", "lcc_total")
    cases = (
        ("equation 17, LCC fitted on r rows", "osmac_mvc", plain),
        ("equation 17, LCC fitted on as many rows as OSMAC", "osmac_mvc", equal),
        ("the A-optimal rule, LCC fitted on r rows", "osmac_mmse", plain),
    )
    return [
        Claim(
            _CLOSEST.format(design=design, what=what) + _LARGEST.format(others="uniform's and LCC's"),
            math.nan,
            partial(_log_ratio_to_best, design=design, method=method, others=others),
        )
        for what, method, others in cases
    ]


def _of_figure10(design: str) -> list[Claim]:
    labels = {"uniform": "uniform", "lcc": "LCC", "osmac_mvc": "OSMAC"}
    return [
        Claim(
            f"Figure 10, {design}, r = 1000: mean squared error of {label} less that of full, which takes out the "
            "one data set that the figure draws (digitised)",
            round(_published_less_full(design, method), 5),
            partial(_less_full, design=design, method=method),
            rounding=0.001,
        )
        for method, label in labels.items()
    ]


_REDUCES: Final = (
    '{design}: LCC "tends to reduce the variance of the estimate" (logarithm of its squared distance from the '
    "fit to all rows over uniform's, as many rows fitted, mean over r, below 0 if so)"
)

SUBSAMPLING: Final = (
    *(
        Claim(_REDUCES.format(design=name), math.nan, partial(_log_ratio_to_uniform, design=name))
        for name in DESIGNS
    ),
    Claim(
        '"... especially if D_train contains an imbalanced amount of positive and negative samples" (the same of '
        "nzNormal less that of mzNormal, below 0 if so)",
        math.nan,
        lambda arrays: _log_ratio_to_uniform(arrays, "nzNormal") - _log_ratio_to_uniform(arrays, "mzNormal"),
    ),
    *(claim for name in DESIGNS for claim in _closest(name)),
    *(claim for name in DESIGNS for claim in _of_figure10(name)),
)

BIAS: Final = (
    Claim(
        'Case-control: "this approach however is problematic because it introduces a bias" (-1/4 less the log-log '
        "slope of its distance from the fit to all rows against r, greater half of the sizes: a bias stays, 0, "
        "and an error of sampling falls, -1/2; below 0 if so)",
        math.nan,
        lambda arrays: _HALFWAY - _slope(arrays, "cc"),
    ),
    Claim(
        'Local case-control was proposed "to remove the bias from CC" (logarithm of its distance over that of CC '
        "at the greatest r, below 0 if so)",
        math.nan,
        _log_ratio_of_distances,
    ),
    Claim(
        '"an estimate ... that is consistent" (LCC, a pilot that grows with r: slope of its distance plus 1/4, '
        "below 0 if so)",
        math.nan,
        lambda arrays: _slope(arrays, "lcc") - _HALFWAY,
    ),
    Claim(
        '"... |beta_LCC - beta_D| -> 0 as r -> infinity" (LCC, the pilot\'s size fixed, as the sentence reads: '
        "the same, below 0 if so)",
        math.nan,
        lambda arrays: _slope(arrays, "lcc_fixed") - _HALFWAY,
    ),
)

CLAIMS: Final[dict[str, tuple[Claim, ...]]] = {"subsampling": SUBSAMPLING, "bias": BIAS}
"""By experiment, in the order of the document."""


def arrays(experiment: str, runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    """What the claims are about, each (n_sizes, n_seeds): nan where every fit failed.

    Args:
        experiment: key of `CLAIMS`.
        runs: its runs.

    Returns:
        Of `subsampling`: "{design} {method}", errors against the true coefficients, and "{design} {method}
        mle", against the fit to all rows. Of `bias`: "{method}", distances, and "r".

    Raises:
        ValueError: on an unknown experiment.
    """
    check_claimed(experiment, CLAIMS)
    if experiment == "bias":
        found = {
            str(method): _by_size(part, "distance") for method, part in runs.groupby("method") if method != "full"
        }
        n_seeds = runs["seed"].nunique()
        sizes = np.sort(runs.loc[runs["method"] != "full", "r"].unique()).astype(float)
        return found | {"r": np.tile(sizes[:, None], n_seeds)}
    found = {}
    for (design, method), part in runs.groupby(["design", "method"]):
        found[f"{design} {method}"] = _by_size(part, "error")
        found[f"{design} {method} mle"] = _by_size(part, "error_mle")
    return found


def reaches_floor(experiment: str, runs: pd.DataFrame) -> bool:
    """Whether runs are enough for a verdict: ten seeds, every method, and the document's own sizes.

    Raises:
        ValueError: on an unknown experiment.
    """
    check_claimed(experiment, CLAIMS)
    floor = FLOOR if experiment == "subsampling" else FLOOR_BIAS
    enough = runs["seed"].nunique() >= N_SEEDS and set(runs["method"]) == set(EXPERIMENTS[experiment][1])
    enough = enough and all(runs[name].min() >= least for name, least in floor.items())
    sizes = set(runs.loc[runs["method"] != "full", "r"])
    if experiment == "bias":
        return bool(enough and max(sizes) >= LARGEST_BIAS)
    return bool(enough and sizes == set(published()["r"]) and (runs["pilot_size"] == PILOT_SIZE).all())


def _by_size(part: pd.DataFrame, value: str) -> NDArray[np.float64]:
    return np.asarray(part.pivot_table(value, index="r", columns="seed", dropna=False), dtype=float)
