"""Document 003, section 3.3, Figure 10: logistic regression on rows drawn at random, by class or by a pilot.

Figure 10 draws one data set; ours are means over data sets, one per seed. Its numbers are compared after the
dashed line's error is taken off, which takes out the distance of the fit to all rows from the true coefficients: a
matter of the data set drawn, 0.08 of the 0.14 that LCC and OSMAC have on nzNormal at r = 1000.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.random import Generator

from studies import plotters, style
from studies.big_data.tables import OURS, PUBLISHED
from studies.cells import every
from studies.estimates import Array, Arrays, Estimate, mean, ratio
from studies.records import Artefact, Claim, Floor, Method, Study, method_of
from studies.regions import above, below, near
from studies.tidy import mean_by_seed, means, read_printed, tidied

DESIGNS: Final = {"mzNormal": 0.0, "nzNormal": 1.5}
"""Design of the rows -> mean of every feature; where it is 1.5, label 1 is common."""
METHODS: Final = (
    Method("uniform", label="uniform", color="#000000", marker="o", linestyle="-"),
    Method(
        "cc", settings={"correction": "weights"}, label="CC, weighted", color="#D07CA1", marker="P", linestyle=":"
    ),
    Method(
        "cc_unweighted",
        "cc",
        {"correction": "none"},
        label="CC as printed, unweighted",
        color="#684319",
        marker="X",
        linestyle=(0, (3, 1, 1, 1, 1, 1)),
    ),
    Method("lcc", label="LCC, r rows", color="#4580EB", marker="^", linestyle="-."),
    # As many rows as OSMAC and `uniform` fit; its pilot comes on top.
    Method(
        "lcc_total",
        "lcc",
        {"adds_pilot": True},
        label=r"LCC, $r_0 + r$ rows",
        color="#00318F",
        marker="v",
        linestyle=(0, (5, 1)),
    ),
    Method("osmac_mvc", label="OSMAC, eq. 17 (mVc)", color="#F2B138", marker="s", linestyle="-"),
    Method("osmac_mmse", label="OSMAC, A-optimal (mMSE)", color="#926A00", marker="D", linestyle="--"),
    Method("full", label="full data, bootstrapped", color="#7A7A7A", marker="none", linestyle="--"),
)
_DIGITISED: Final = {"uniform": "uniform", "lcc": "LCC", "osmac_mvc": "OSMAC", "full": "full"}
"""Method -> column of the digitised points of Figure 10."""


# Runs ----------------------------------------------------------------------------------------------------------


def run(method: str, seed: int, settings: Mapping[str, Any], root: object = "data") -> pd.DataFrame:
    """Squared errors of repeated subsamples of one data set per design; `full` bootstraps the fit to all rows.

    Returns:
        One row per design and `r` (`full`: per design, r = n_rows): `error` and `error_mle`, the mean squared
        distance from the true coefficients and from the fit to all rows, over the fits that did not fail; `plain`,
        that of the fit to all rows from the true ones; `share_failed` of the fits and `share_pilot_failed`;
        `seconds`, the median of one fit with its drawing; rows as `subsamples` counts them, on average; `n_rows`,
        `pilot_size`, `n_repeats`, `data`.
    """
    from frugal.seeds import rng_for
    from studies.big_data.subsamples import COEF, bootstraps, design_rows, fit_all, mean_squared, repeat, squared

    def errors(coefs: Array) -> dict[str, float]:
        """Errors of the fits that succeeded."""
        kept = coefs[~np.isnan(coefs[:, 0])]
        return {"error": mean_squared(kept - COEF), "error_mle": mean_squared(kept - mle)}

    facts = {name: settings[name] for name in ("n_rows", "pilot_size", "n_repeats")}
    known, rows = method_of(METHODS, method), []
    for design in DESIGNS:
        names = ("big_data", "subsampling", design, seed)
        X, y = design_rows(design, settings["n_rows"], rng_for(*names))
        mle = fit_all(X, y).coef
        shared = {"design": design, "plain": squared(mle - COEF), **facts, "data": "generated"}
        if method == "full":
            coefs, numbers = bootstraps(X, y, settings["n_repeats"], *names)
            rows.append({"r": len(y), **errors(coefs), **numbers, **shared})
            continue
        for r in settings["sizes"]:
            drawing = {
                "method": known.strategy,
                "correction": known.settings.get("correction"),
                "pilot_size": settings["pilot_size"],
                "size": r + settings["pilot_size"] * known.settings.get("adds_pilot", False),
            }
            coefs, numbers = repeat(X, y, drawing, settings["n_repeats"], *names, r)
            rows.append({"r": r, **errors(coefs), **numbers, **shared})
    return pd.DataFrame(rows)


# Claims --------------------------------------------------------------------------------------------------------

PILOT_SIZE: Final = 200
"""Figure 10's."""
LINE_WIDTH: Final = 0.002
"""Of the lines of Figure 10, as a share of a panel's height, to which its points are read off."""


def arrays(runs: pd.DataFrame) -> dict[str, Array]:
    """Arrays that the claims are measured on, each (n_sizes, n_seeds): nan where every fit failed.

    Returns:
        "{design} {method}", errors against the true coefficients, and "{design} {method} mle", against the fit to
        all rows; "r".
    """
    sizes = np.sort(runs.loc[runs["method"] != "full", "r"].unique()).astype(float)
    found = {"r": np.tile(sizes[:, None], runs["seed"].nunique())}
    for (design, method), part in runs.groupby(["design", "method"]):
        for end, value in (("", "error"), (" mle", "error_mle")):
            wide = part.pivot_table(value, index="r", columns="seed", dropna=False)
            found[f"{design} {method}{end}"] = np.asarray(wide, dtype=float)
    return found


def _has_printed_sizes(runs: pd.DataFrame) -> bool:
    """Whether subsamples and pilot have the document's sizes."""
    sizes = set(runs.loc[runs["method"] != "full", "r"])
    return bool(sizes == set(published()["r"]) and (runs["pilot_size"] == PILOT_SIZE).all())


FLOOR: Final = Floor(
    seeds=10, methods=METHODS, least={"n_rows": 10_000, "n_repeats": 100}, further=_has_printed_sizes
)
SUBSAMPLING: Final = Study(
    name="subsampling", methods=METHODS, run=run, is_timed=True, arrays=arrays, is_enough=FLOOR
)
_claim = partial(Claim, section="3.3", study="subsampling", artefact="tables/figure10")
_ERROR: Final = "mean squared error of the coefficients"
_FITTED: Final = (
    "squared distance from the fit to all rows, uniform sampling over LCC fitted on as many rows (the "
    "pilot's not counted), geometric mean over r"
)


def _closest(arrays: Arrays, rng: Generator, *, design: str, method: str, lcc: str) -> Estimate:
    """A method's error over uniform's and over LCC's, at every r."""
    ours, others = np.log(arrays[f"{design} {method}"]), {"uniform sampling": "uniform", "LCC": lcc}
    cells = [ours - np.log(arrays[f"{design} {other}"]) for other in others.values()]
    names = [f"{label} at r = {r:g}" for label in others for r in arrays["r"][:, 0]]
    return every(np.concatenate(cells), below(1), is_log=True, noun="comparisons", names=names)


def _reduction(arrays: Arrays, design: str) -> Array:
    """Error against the fit to all rows, uniform's over LCC's at as many rows: geometric mean over r, by seed."""
    uniform, lcc = (np.log(arrays[f"{design} {method} mle"]) for method in ("uniform", "lcc_total"))
    return np.asarray(np.exp((uniform - lcc).mean(axis=0)))


def _less_full(arrays: Arrays, rng: Generator, *, design: str, method: str) -> Estimate:
    """Error at the greatest r less that of the dashed line."""
    return mean(arrays[f"{design} {method}"][-1] - arrays[f"{design} full"][-1])


def _reduces(arrays: Arrays, rng: Generator, *, design: str) -> Estimate:
    return ratio(_reduction(arrays, design), 1.0)


def _design_claims(design: str) -> list[Claim]:
    """Claims on a design at equal numbers of drawn rows, as the document compares; variants are ours."""
    cases = (
        ("closest", "", "osmac_mvc", "lcc", "equation 17"),
        ("closest_equal_fits", "equal", "osmac_mvc", "lcc_total", "equation 17"),
        ("closest_a_optimal", "ours", "osmac_mmse", "lcc", "the A-optimal rule"),
    )
    claims = []
    for name, variant, method, lcc, label in cases:
        fits = "LCC fitted on as many rows as OSMAC" if variant == "equal" else "LCC fitted on its r rows"
        claims.append(
            _claim(
                f"big_data.osmac.{name}.{design.lower()}",
                quote="" if variant else "OSMAC consistently gives the closest approximation of β",
                quantity=f"{_ERROR} on {design}, OSMAC ({label}) over uniform sampling and over LCC, at every r; "
                f"{fits}",
                unit="times",
                agrees=below(1),
                measure=partial(_closest, design=design, method=method, lcc=lcc),
                inferred_from="" if variant else "Figure 10",  # what r counts
            )
        )
    return claims


def _figure10_claims(design: str) -> list[Claim]:
    """The figure's numbers at the greatest r, less the dashed line's: both are read off, neither is printed.

    The margin is a line's width where 10 % are less.
    """
    points = published().query("design == @design")
    printed = points.query("r == 1000").set_index("method")["published"]
    width = LINE_WIDTH * float(points["published"].max())
    claims = []
    for method, label in {"uniform": "uniform sampling", "lcc": "LCC", "osmac_mvc": "OSMAC"}.items():
        less_full = round(float(printed[method] - printed["full"]), 5)
        claims.append(
            _claim(
                f"big_data.figure10.{method}.{design.lower()}",
                quote="MSEs on β for different subsample sizes r",
                quantity=f"{_ERROR} on {design}, {label} at r = 1000 less the fit to all rows (dashed in "
                f"Figure 10); read off Figure 10: {less_full:#.3g}",
                unit="squared error",
                agrees=near(less_full, margin=max(0.1 * less_full, width)),
                measure=partial(_less_full, design=design, method=method),
                inferred_from="Figure 10",  # what r counts
            )
        )
    return claims


def published() -> pd.DataFrame:
    """Figure 10's digitised points: design, r, method, published."""
    parts = []
    for design in DESIGNS:
        table = read_printed(f"survey_fig10_{design.lower()}")
        table = table.rename(columns={"x": "r"} | {name: method for method, name in _DIGITISED.items()})
        parts.append(table.melt("r", list(_DIGITISED), "method", "published").assign(design=design))
    return pd.concat(parts, ignore_index=True)[["design", "r", "method", "published"]]


CLAIMS: Final = (
    *(
        _claim(
            f"big_data.lcc.reduces_variance.{design.lower()}",
            quote="This tends to reduce the variance of the estimate",
            quantity=f"{_FITTED}, on {design}",
            unit="times",
            agrees=above(1),
            measure=partial(_reduces, design=design),
        )
        for design in DESIGNS
    ),
    _claim(
        "big_data.lcc.reduces_variance_more_if_imbalanced",
        quote="especially if ... contains an imbalanced amount of positive and negative samples",
        quantity=f"{_FITTED}: that on nzNormal over that on mzNormal",
        unit="times",
        agrees=above(1),
        measure=lambda arrays, rng: ratio(_reduction(arrays, "nzNormal"), _reduction(arrays, "mzNormal")),
    ),
    *(claim for design in DESIGNS for claim in _design_claims(design)),
    *(claim for design in DESIGNS for claim in _figure10_claims(design)),
)


# Table and figures ---------------------------------------------------------------------------------------------

KEYS: Final = ["design", "method", "r"]
FAILURES: Final = ("share_failed", "share_pilot_failed")
"""Shares of the fits without a maximum, and of the others those whose first pilot had none."""
COSTS: Final = {"seconds": "Time of one fit (s)", "rows_touched": "Gradients and probabilities computed (rows)"}
_LABEL: Final = r"Mean squared error $\|\hat\beta - \beta\|^2$"
_LOOKS: Final = {method.name: method.look for method in METHODS}
_STAR: Final = style.Look("#7A7A7A", "full data", "*", "none", "")


def tabulate(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Mean squared errors against the true coefficients, ours beside the document's.

    Returns:
        design, method, r (`full`: 0, it does not depend on it), then `TIDY`; then error_mle, `FAILURES`, seconds,
        rows_touched, means over the seeds; and says, where a fit or a pilot failed.
    """
    runs = runs.assign(r=runs["r"].where(runs["method"] != "full", 0))
    further = runs.groupby(KEYS)[["error_mle", *FAILURES, "seconds", "rows_touched"]].mean().reset_index()
    further["says"] = [_failures(*pair) for pair in further[list(FAILURES)].to_numpy(float)]
    printed = published()
    printed["r"] = printed["r"].where(printed["method"] != "full", 0)
    table = mean_by_seed(runs, "error", KEYS).merge(printed.drop_duplicates(KEYS), on=KEYS, how="left")
    return tidied(table, KEYS, scale).merge(further, on=KEYS)


def _failures(fits: float, pilots: float) -> str:
    shares = {"fits": fits, "pilots": pilots}
    return ", ".join(f"{100 * share:.2g} % of {noun} failed" for noun, share in shares.items() if share > 0)


def summarise(runs: pd.DataFrame) -> pd.DataFrame:
    """Figure 10: mean squared error against r, and the document's points.

    Returns:
        panel (the design), source (ours, published), method, r, mean, low, high, n_seeds, share_failed,
        share_pilot_failed, data. `full` does not depend on r and has a row at the smallest and at the greatest.
    """
    ours = means(runs, "error", KEYS)
    ours = ours.merge(runs.groupby(KEYS)[list(FAILURES)].mean().reset_index(), on=KEYS)
    lines, full = ours[ours["method"] != "full"], ours[ours["method"] == "full"]
    ends = [full.assign(r=r) for r in (lines["r"].min(), lines["r"].max())]
    ours = pd.concat([lines, *ends]).assign(source=OURS)
    printed = published().rename(columns={"published": "mean"}).assign(source=PUBLISHED, data=PUBLISHED)
    columns = ["panel", "source", "method", "r", "mean", "low", "high", "n_seeds", *FAILURES, "data"]
    table = pd.concat([ours, printed], ignore_index=True).rename(columns={"design": "panel"})
    return table.sort_values(["panel", "source", "method", "r"], ignore_index=True).reindex(columns=columns)


@style.styled
def draw(table: pd.DataFrame) -> plotters.Figure:
    """Mean squared error against r, a panel per design; hollow: the document's digitised points."""
    figure, panels = plotters.row(table, "panel", DESIGNS, size=(7.2, 3.9))
    for axis, part, design in panels:
        ours = part[part["source"] == OURS]
        axis.set(yscale="log", ylim=(0.5 * ours["mean"].min(), 1.8 * ours["mean"].max()))
        plotters.lines(axis, ours, _LOOKS, x="r", order=_LOOKS, band=0.12)
        for method, points in part[part["source"] == PUBLISHED].groupby("method"):
            look = _LOOKS[str(method)]
            marker = "_" if look.marker == "none" else look.marker
            look_of_points: Any = {
                "marker": marker,
                "linestyle": "none",
                "markersize": 6.5,
                "markeredgewidth": 0.9,
            }
            axis.plot(points["r"], points["mean"], color=look.color, markerfacecolor="none", **look_of_points)
        axis.set(title=design, xlabel="Rows of the second step, r", ylabel=_LABEL)
    hollow: Any = {"marker": "o", "markerfacecolor": "none", "linestyle": "none"}
    axis.plot([], [], color="#7A7A7A", label="hollow: published", **hollow)
    return plotters.finish(figure, table, 3, panels=[axis])


def summarise_costs(runs: pd.DataFrame) -> pd.DataFrame:
    """Figure 10's errors against what a fit costs; of `full`, the error of the fit itself, not of its bootstraps.

    Returns:
        panel (the design), axis (of `COSTS`), method, r, cost (mean over the seeds), mean, low, high, n_seeds,
        data.
    """
    runs = runs.assign(error=runs["error"].where(runs["method"] != "full", runs["plain"]))
    errors, parts = means(runs, "error", KEYS), []
    for axis in COSTS:
        cost = runs.groupby(KEYS)[axis].mean().rename("cost").reset_index()
        parts.append(errors.merge(cost, on=KEYS).assign(axis=axis))
    columns = ["panel", "axis", "method", "r", "cost", "mean", "low", "high", "n_seeds", "data"]
    return pd.concat(parts, ignore_index=True).rename(columns={"design": "panel"})[columns]


@style.styled
def draw_costs(table: pd.DataFrame) -> plotters.Figure:
    """Mean squared error against seconds and against rows touched, a row of panels per design."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    looks = _LOOKS | {"full": _STAR}
    figure, panels = plotters.grid(table, "panel", "axis", COSTS, size=lambda _: (7.2, 5.6))
    for axis, part, design, cost in panels:
        axis.set(title=design, xlabel=COSTS[cost], ylabel=_LABEL, xscale="log", yscale="log")
        plotters.lines(axis, part, looks, x="cost", order=looks, band=0)
        axis.set(ylim=(0.5 * part["mean"].min(), 1.8 * part["mean"].max()))
        axis.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axis.xaxis.set_minor_formatter(NullFormatter())
    return plotters.finish(figure, table, 3, panels=[axis])


TABLE: Final = Artefact(
    "figure10",
    ("subsampling",),
    tabulate,
    """Mean squared errors of Figure 10 of document 003, ours (against the true coefficients; {{ n_repeats }}
    subsamples of each of {{ n_seeds }} data set(s) of {{ "{:,}".format(n_rows) }} generated rows) beside the
    digitised ones; r = 0 stands for the dashed line, which does not depend on it. Further columns: the error
    against the fit to all rows, the share of fits without a maximum, which are left out, and of the others that of
    those whose first pilot had none (both also stand in the cell where there are any), median seconds of a fit and
    rows touched.""",
)
FIGURE10: Final = Artefact(
    "figure10",
    ("subsampling",),
    summarise,
    """Figure 10 of document 003: mean squared error of the coefficients against the true ones, and rows r of the
    second step after a pilot of {{ pilot_size }}; {{ n_repeats }} subsamples of each of {{ n_seeds }} data set(s)
    of {{ "{:,}".format(n_rows) }} generated rows, a 95 % band over the data sets. Uniform and CC draw as many rows
    as pilot and second step together, OSMAC fits both; LCC fits r rows, as in the document, or as many as OSMAC.
    Dashed: bootstraps of the fit to all rows. Hollow marks and dashes: the document's points, of one data set,
    whose fit to all rows was 0.08 from the truth on nzNormal, where 0.04 is expected. Fits without a maximum are
    left out; the CSV has their share, and that of the fits whose first pilot had none.""",
    draw,
)
COST_FIGURE: Final = Artefact(
    "figure10_seconds",
    ("subsampling",),
    summarise_costs,
    """The errors of Figure 10 of document 003 against what a fit costs: left the median seconds of drawing and
    fitting, one thread, on the machine of the run; right how often a row's gradient or probability was computed (a
    drawn row once per Newton step, and with a pilot all rows once). {{ n_repeats }} subsamples of each of
    {{ n_seeds }} data set(s) of {{ "{:,}".format(n_rows) }} generated rows, pilot {{ pilot_size }}; along a line r
    grows. Star: the fit to all rows, with its own error.""",
    draw_costs,
)
ARTEFACTS: Final = (TABLE, FIGURE10, COST_FIGURE)
