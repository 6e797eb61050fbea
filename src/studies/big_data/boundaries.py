"""Document 003, section 3.4: lines of linear SVMs on cluster centres, on many data sets like that of Figure 11."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.random import Generator

from frugal.seeds import rng_for
from frugal.threads import one_thread
from studies import plotters, style
from studies.big_data import ripley
from studies.big_data.tables import OURS, PUBLISHED
from studies.estimates import Array, Arrays, Estimate, resampled, share
from studies.records import Artefact, Claim, Floor, Method, Study
from studies.regions import above
from studies.tidy import by_measure, means, provenance, tidied

FULL: Final = Method("full", label="full SVM", color="#000000", marker="o", linestyle="-")
KM_SVM: Final = Method("km_svm", label="KM-SVM", color="#F2B138", marker="s", linestyle="--")
WKM_SVM: Final = Method("wkm_svm", label="WKM-SVM", color="#00318F", marker="D", linestyle="-")
SVM_KM: Final = Method("svm_km", label="SVM-KM", color="#D07CA1", marker="^", linestyle=":")
METHODS: Final = (FULL, KM_SVM, WKM_SVM, SVM_KM)
PICTURED: Final = (KM_SVM.name, WKM_SVM.name)
"""Methods of the document's picture, Figure 11."""


# Runs ----------------------------------------------------------------------------------------------------------


def run(method: str, seed: int, settings: Mapping[str, Any], root: object = "data") -> pd.DataFrame:
    """A linear SVM on the rows of Ripley's problem, and how far it is from the full SVM on the same rows.

    Returns:
        One row: dataset, data, n_rows, compression, slope and intercept of the line x2 = intercept + slope * x1,
        angle_deg (between its normal and the full SVM's), disagreement (share of fresh rows that the two put in
        different classes), n_support, n_centres (rows that the SVM was given).
    """
    X, y = ripley.sample(seed, settings["n_per_class"])
    fresh, _ = ripley.simulate(settings["n_fresh"], rng_for("boundaries", "fresh", seed))
    shared = {name: settings[name] for name in ("compression", "C", "n_init")}
    with one_thread():
        full = ripley.fit("full", X, y, seed, **shared)
        reduced = ripley.fit(method, X, y, seed, **shared)
        disagreement = float(np.mean(reduced.predict(fresh) != full.predict(fresh)))
    line = ripley.line_of(reduced)
    row = {
        "dataset": "ripley",
        "data": "generated",
        "n_rows": len(y),
        "compression": 1.0 if method == "full" else float(settings["compression"]),
        "slope": line.slope,
        "intercept": line.intercept,
        "angle_deg": ripley.angle_deg(line, ripley.line_of(full)),
        "disagreement": disagreement,
        "n_support": int(reduced.svc_.n_support_.sum()),
        "n_centres": len(reduced.reduced_.y),
    }
    return pd.DataFrame([row])


# Claims --------------------------------------------------------------------------------------------------------

FLOOR: Final = Floor(
    seeds=10, least={"n_rows": 2 * ripley.N_PER_CLASS}, values={"compression": (ripley.COMPRESSION,)}
)
"""The picture's size and compression."""


def arrays(runs: pd.DataFrame) -> dict[str, Array]:
    """Angle to the full SVM's line by method, in degrees, (n_seeds,)."""
    wide = runs.pivot_table("angle_deg", index="method", columns="seed", dropna=False)
    return {str(method): row.to_numpy(float) for method, row in wide.iterrows()}


BOUNDARIES: Final = Study(name="boundaries", methods=METHODS, run=run, arrays=arrays, is_enough=FLOOR)
_claim = partial(Claim, section="3.4", study="boundaries")


def _angles(arrays: Arrays, rng: Generator) -> Estimate:
    """Ratio of mean angles: that of one data set may be 0."""
    return resampled(
        lambda drawn: float(drawn["km_svm"].mean() / drawn["wkm_svm"].mean()), arrays, rng, is_log=True
    )


def _as_far(angle: Array) -> Estimate:
    """Per cent of the data sets with an angle (nan: none) on which it is the pictured one or more."""
    return share(np.where(np.isnan(angle), np.nan, angle >= ripley.pictured_angle_deg("km_svm")), unit=100)


CLAIMS: Final = (
    # "Can" is right if there are such data sets at all: one that we draw shows it, and however many without one
    # do not refute it. So the share is compared with 0; `some` asks for a mean over the seeds of a cell.
    _claim(
        "big_data.km_svm.deviates",
        quote="Figure 11a shows that this can cause KM-SVM to deviate significantly from the full dataset SVM.",
        quantity="share of simulated data sets on which KM-SVM's line is 12 degrees or more off the full SVM's, "
        "as in Figure 11a",
        unit="%",
        agrees=above(0),
        measure=lambda arrays, rng: _as_far(arrays["km_svm"]),
        inferred_from="Figure 11",
        artefact="figures/boundary_angles",
    ),
    _claim(
        "big_data.wkm_svm.boundary",
        quote="Figure 11b shows how this improves the quality of the decision boundary.",
        quantity="mean angle between its line and the full SVM's, KM-SVM over WKM-SVM",
        unit="times",
        agrees=above(1),
        measure=_angles,
        inferred_from="Figure 11",
        artefact="tables/boundaries",
    ),
)


# Table and figure ----------------------------------------------------------------------------------------------

MEASURES: Final = ("angle_deg", "disagreement", "slope", "n_support", "n_centres")
LOOKS: Final = {method.name: method.look for method in METHODS}
_GREY: Final = "#8A8F96"


def tabulate(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """`MEASURES` of every method; published are slopes and angles of the document's picture, of one data set."""
    table = by_measure(runs, MEASURES, ["method"])
    angles = {method: ripley.pictured_angle_deg(method) for method in PICTURED}
    theirs = {"slope": dict(ripley.PICTURED_SLOPES), "angle_deg": angles}
    pairs = zip(table["measure"], table["method"], strict=True)
    table = table.assign(published=[theirs.get(measure, {}).get(method, np.nan) for measure, method in pairs])
    return tidied(table, ["measure", "method"], scale, orders={"measure": MEASURES})


def summarise(runs: pd.DataFrame) -> pd.DataFrame:
    """Angles to the full SVM's line, sorted, a step per data set; and the two of the document's picture.

    Returns:
        source, method, angle_deg, share (of data sets with no greater an angle; nan for the picture), mean, low,
        high (95 % t-interval of the method's mean), n_seeds (nan for the picture), data.
    """
    steps = runs.loc[runs["method"] != "full", ["method", "angle_deg"]].sort_values(["method", "angle_deg"])
    steps["share"] = steps.groupby("method")["angle_deg"].rank(method="first", pct=True)
    steps = steps.assign(source=OURS).merge(means(runs, "angle_deg", ["method"]), on="method")
    angles = [ripley.pictured_angle_deg(method) for method in PICTURED]
    pictured = pd.DataFrame({"method": PICTURED, "angle_deg": angles, "source": PUBLISHED})
    columns = ["source", "method", "angle_deg", "share", "mean", "low", "high", "n_seeds"]
    return pd.concat([steps, pictured], ignore_index=True)[columns].assign(data=provenance(runs))


@style.styled
def draw(table: pd.DataFrame) -> plotters.Figure:
    """Share of data sets against the angle that they do not exceed; the picture's angles as grey lines."""
    figure = style.new_figure(4.4, 2.9)
    axis = figure.subplots()
    for method, line in table[table["source"] == OURS].groupby("method", sort=True):
        look, mean = LOOKS[str(method)], line.iloc[0]
        label = f"{look.label}, mean {mean['mean']:.1f}° ({mean['low']:.1f} to {mean['high']:.1f})"
        angles, shares = np.r_[0.0, line["angle_deg"]], np.r_[0.0, line["share"]]
        axis.step(angles, shares, where="post", color=look.color, linestyle=look.linestyle, label=label)
    for row in table[table["source"] == PUBLISHED].to_dict("records"):
        look = LOOKS[row["method"]]
        label = f"{look.label} in the published picture"
        axis.axvline(row["angle_deg"], color=_GREY, linestyle=look.linestyle, linewidth=1, label=label)
    axis.set(xlabel="Angle to the full SVM's line (degrees)", ylabel="Share of data sets", ylim=(0, 1.02))
    axis.set_xlim(0, None)
    return plotters.finish(figure, table, 2)


TABLE: Final = Artefact(
    "boundaries",
    ("boundaries",),
    tabulate,
    """Linear SVMs on cluster centres of Ripley's problem beside the full SVM on the same rows: angle between the
    lines, share of {{ n_fresh }} fresh rows that they put in different classes, slope of the line, support vectors
    and rows that the SVM was given. {{ n_per_class }} rows per class, R = {{ compression }}, C = {{ C }};
    {{ n_seeds }} data set(s). Published are slopes read off Figure 11, which shows one data set, and the angles
    that follow.""",
)
ANGLES: Final = Artefact(
    "boundary_angles",
    ("boundaries",),
    summarise,
    """Figure 11 of document 003 over {{ n_seeds }} simulated data set(s): share of them in which the line of an
    SVM on cluster centres is no further from that of the full SVM than an angle; means with 95 % intervals in
    the legend. Ripley's problem, {{ n_per_class }} rows per class, R = {{ compression }}, linear kernel, C =
    {{ C }}. Grey: the angles in the document's picture, from slopes read off it to about 0.01.""",
    draw,
)
ARTEFACTS: Final = (TABLE, ANGLES)
