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
from numpy.random import Generator
from numpy.typing import NDArray

from studies.big_data.case_control.problems import DESIGNS
from studies.big_data.case_control.summaries import published
from studies.cells import every
from studies.estimates import Arrays, Estimate, mean, ratio
from studies.experiments import EXPERIMENTS
from studies.regions import above, below, near
from studies.verdicts import Claim, check_claimed

N_SEEDS: Final = 10
FLOOR: Final = {"n_rows": 10_000, "n_repeats": 100}
FLOOR_BIAS: Final = {"n_rows": 100_000, "n_repeats": 10}
"""Settings of `subsampling` and of `bias` under which no verdict is given."""
LARGEST_BIAS: Final = 16_000
"""Which the greatest r of `bias` has to reach; `subsampling` has to have Figure 10's sizes."""
PILOT_SIZE: Final = 200
"""Figure 10's."""
HALFWAY: Final = -0.25
"""Log-log slope against r halfway between a distance that stays, 0, and one that falls like the root of r."""
LINE_WIDTH: Final = 0.002
"""Of the lines of Figure 10, as a share of a panel's height, to which its points are read off."""


def _closest(arrays: Arrays, rng: Generator, *, design: str, method: str, lcc: str) -> Estimate:
    """A method's error over uniform's and over LCC's, at every r."""
    ours = np.log(arrays[f"{design} {method}"])
    cells = [ours - np.log(arrays[f"{design} {other}"]) for other in ("uniform", lcc)]
    return every(np.concatenate(cells), below(1), is_log=True, noun="comparisons")


def _reduction(arrays: Arrays, design: str) -> NDArray[np.float64]:
    """Error against the fit to all rows, uniform's over LCC's at as many rows: geometric mean over r, by seed."""
    uniform, lcc = (np.log(arrays[f"{design} {method} mle"]) for method in ("uniform", "lcc_total"))
    return np.asarray(np.exp((uniform - lcc).mean(axis=0)))


def _reduces(arrays: Arrays, rng: Generator, *, design: str) -> Estimate:
    return ratio(_reduction(arrays, design), 1.0)


def _less_full(arrays: Arrays, rng: Generator, *, design: str, method: str) -> Estimate:
    """Error at the greatest r less that of the dashed line."""
    return mean(arrays[f"{design} {method}"][-1] - arrays[f"{design} full"][-1])


def _slope(arrays: Arrays, rng: Generator, *, method: str) -> Estimate:
    """Log-log slope of the distance over the greater half of the sizes, by seed; none with fewer than three."""
    sizes = arrays["r"][:, 0]
    if len(sizes) < 3:
        return Estimate(math.nan, math.nan, math.nan)
    upper = slice(len(sizes) // 2, None)
    x, y = np.log(sizes[upper]), np.log(arrays[method][upper])
    x = x - x.mean()
    return mean((x[:, None] * y).sum(axis=0) / (x**2).sum())  # of sums alone, so that it is the same everywhere


_ERROR: Final = "mean squared error of the coefficients"
_TABLE: Final = "tables/figure10"


def _on(design: str) -> list[Claim]:
    """The sentence as the document compares, at equal numbers of drawn rows; variants of it are ours."""
    cases = (
        ("closest", "", "osmac_mvc", "lcc", "OSMAC (equation 17)"),
        ("closest_equal_fits", "equal", "osmac_mvc", "lcc_total", "OSMAC (equation 17)"),
        ("closest_a_optimal", "ours", "osmac_mmse", "lcc", "OSMAC by the A-optimal rule"),
    )
    claims = []
    for name, variant, method, lcc, label in cases:
        fits = "LCC fitted on as many rows as OSMAC" if variant == "equal" else "LCC fitted on its r rows"
        claims.append(
            Claim(
                f"big_data.osmac.{name}.{design.lower()}",
                "3.3",
                "" if variant else "OSMAC consistently gives the closest approximation of β",
                f"{_ERROR} on {design}, {label} over uniform and over LCC, at every r; {fits}",
                "times",
                below(1),
                partial(_closest, design=design, method=method, lcc=lcc),
                artefact=_TABLE,
                is_ours=bool(variant),
            )
        )
    return claims


def _of_figure10(design: str) -> list[Claim]:
    """The figure's numbers at the greatest r.

    Points are read off the figure, so that the margin is a line's width where 10 % are less.
    """
    points = published().query("design == @design")
    printed = points.query("r == 1000").set_index("method")["published"]
    width = LINE_WIDTH * float(points["published"].max())
    claims = []
    for method, label in {"uniform": "uniform", "lcc": "LCC", "osmac_mvc": "OSMAC"}.items():
        less_full = round(float(printed[method] - printed["full"]), 5)
        claims.append(
            Claim(
                f"big_data.figure10.{method}.{design.lower()}",
                "3.3",
                "",
                f"{_ERROR} on {design} at r = 1000, {label} less all rows (the dashed line of Figure 10, "
                "read off)",
                "squared error",
                near(less_full, margin=max(0.1 * less_full, width)),
                partial(_less_full, design=design, method=method),
                published=less_full,
                artefact=_TABLE,
            )
        )
    return claims


_FITTED: Final = "squared distance from the fit to all rows, uniform over LCC at as many fitted rows, mean over r"

SUBSAMPLING: Final = (
    *(
        Claim(
            f"big_data.lcc.reduces_variance.{name.lower()}",
            "3.3",
            "This tends to reduce the variance of the estimate",
            f"{_FITTED}, on {name}",
            "times",
            above(1),
            partial(_reduces, design=name),
            artefact=_TABLE,
        )
        for name in DESIGNS
    ),
    Claim(
        "big_data.lcc.reduces_variance_more_if_imbalanced",
        "3.3",
        "especially if ... contains an imbalanced amount of positive and negative samples",
        f"{_FITTED}, on nzNormal over the same on mzNormal",
        "times",
        above(1),
        lambda arrays, rng: ratio(_reduction(arrays, "nzNormal"), _reduction(arrays, "mzNormal")),
        artefact=_TABLE,
    ),
    *(claim for name in DESIGNS for claim in _on(name)),
    *(claim for name in DESIGNS for claim in _of_figure10(name)),
)

_OF_SLOPE: Final = (
    "log-log slope against r of its distance from the fit to all rows, over the greater half of the sizes "
    "(0: biased, -1/2: consistent)"
)

BIAS: Final = (
    Claim(
        "big_data.case_control.biased",
        "3.3",
        "This approach however is problematic because it introduces a bias towards unambiguous samples",
        f"case-control: {_OF_SLOPE}",
        "slope",
        above(HALFWAY),
        partial(_slope, method="cc"),
        artefact="tables/bias",
    ),
    Claim(
        "big_data.lcc.removes_bias",
        "3.3",
        "Local Case-Control subsampling (LCC) to remove the bias from CC",
        "distance from the fit to all rows at the greatest r, case-control over LCC",
        "times",
        above(1),
        lambda arrays, rng: ratio(arrays["cc"][-1], arrays["lcc"][-1]),
        artefact="tables/bias",
    ),
    Claim(
        "big_data.lcc.consistent",
        "3.3",
        "This produces an estimate ... that is consistent with ... as r → ∞.",
        # The sentence lets r grow and nothing else: the pilot stays the "small pilot sample".
        f"LCC with a pilot of a fixed size: {_OF_SLOPE}",
        "slope",
        below(HALFWAY),
        partial(_slope, method="lcc_fixed"),
        artefact="tables/bias",
    ),
    Claim(
        "big_data.lcc.consistent_growing_pilot",
        "3.3",
        "",
        f"LCC with a pilot that grows with r: {_OF_SLOPE}",
        "slope",
        below(HALFWAY),
        partial(_slope, method="lcc"),
        artefact="tables/bias",
        is_ours=True,
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
    enough = runs["seed"].nunique() >= N_SEEDS and set(runs["method"]) == set(EXPERIMENTS[experiment].methods)
    enough = enough and all(runs[name].min() >= least for name, least in floor.items())
    sizes = set(runs.loc[runs["method"] != "full", "r"])
    if experiment == "bias":
        return bool(enough and max(sizes) >= LARGEST_BIAS)
    return bool(enough and sizes == set(published()["r"]) and (runs["pilot_size"] == PILOT_SIZE).all())


def _by_size(part: pd.DataFrame, value: str) -> NDArray[np.float64]:
    return np.asarray(part.pivot_table(value, index="r", columns="seed", dropna=False), dtype=float)
