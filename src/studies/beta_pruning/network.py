"""Document 000, sections 3 and 5: its network on MNIST, Figure 7, a sweep over tau and buffer, and claims.

`replays` makes the runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import NDArray

from studies import plotters, style
from studies.estimates import Arrays, Estimate, clustered_share, exact, mean, ratio, share, tied
from studies.kinds import RUN, Kind
from studies.measures import percent_of, ratio_of
from studies.methods import methods
from studies.records import Artefact, Claim, FoldsOf, Method, Study, as_configured, configured
from studies.regions import above, at_least, at_most, below, near
from studies.shared.network_scores import FLOOR
from studies.tidy import by_measure, need, provenance, read_printed, shares_of_answers, tidied

Floats = NDArray[np.float64]

EXPLORERS: Final = ("beta_pruning", "standard")
"""Methods of Figure 7."""
PRUNERS: Final = ("beta_pruning", "threshold_pruning")
"""Methods whose prunings are judged."""
MEASURES: Final = ("folds_share", "explored_at_20", "n_pruned", "n_judged", "n_wrong", "regret", "lost_best")
"""Of a whole run; `replays.sweep` says what they are."""


# Claims --------------------------------------------------------------------------------------------------------

FLOOR_ROWS: Final = 60_000
"""Images under which no number of the network is published and no verdict given."""
N_FOLDS: Final = 5
"""The document's, in section 3.2."""
N_TRAININGS: Final = 20
"""After which section 3.2 counts the sets explored."""


def is_enough(runs: pd.DataFrame) -> bool:
    """Whether the runs are enough, and of the document's 5 folds."""
    enough = runs["seed"].nunique() >= FLOOR and runs["n_rows"].min() >= FLOOR_ROWS
    return bool(enough and (runs["k"] == N_FOLDS).all())


def explored_arrays(runs: pd.DataFrame) -> dict[str, Floats]:
    """Number of candidates explored, by method, (n_steps, n_seeds).

    And `n_steps`, (n_seeds,): the number of trainings after which pruning has explored all of its candidates.
    """
    arrays = {method: by_step(runs, "explored", method).to_numpy(float) for method in EXPLORERS}
    explored = arrays["beta_pruning"]
    return arrays | {"n_steps": 1.0 + (explored == explored[-1]).argmax(axis=0)}


def by_step(runs: pd.DataFrame, value: str, method: str) -> pd.DataFrame:
    """A value of one method after every training, (step, seed); a run that has ended keeps its last one."""
    part = runs[runs["method"] == method]
    wide = part.pivot_table(value, index="step", columns="seed", dropna=False)
    wide = wide.reindex(range(1, int(runs["step"].max()) + 1))
    has_ended = wide.index.to_numpy()[:, None] > part.groupby("seed")["step"].max()[wide.columns].to_numpy()
    return wide.mask(has_ended, wide.ffill())


def swept_arrays(runs: pd.DataFrame) -> dict[str, Floats]:
    """What the pruners measured at the configured settings, by method and measure, (n_seeds,)."""
    arrays = {}
    for method in PRUNERS:
        part = runs[(runs["method"] == method) & runs["is_configured"] & (runs["failed_as"] == "failed")]
        for measure in ("n_wrong", "n_judged", "folds_share", "lost_best"):
            arrays[f"{method}_{measure}"] = part.sort_values("seed")[measure].to_numpy(float)
    return arrays


def swept(study: Study, config: Mapping[str, Any]) -> dict[str, tuple[Method, ...]]:
    """Methods that the sweep replays, by its run; Beta pruning has all taus and buffers among its settings."""
    network = config["beta_pruning"]["network"]
    values = {"taus": network["taus"], "buffers": network["buffers"]}
    methods = configured(study.methods, config)
    return {
        study.name: tuple(
            replace(method, settings={**method.settings, **values}) if method.name == "beta_pruning" else method
            for method in methods
        )
    }


def folds_of(study: Study, config: Mapping[str, Any]) -> FoldsOf:
    """The number of folds of the network's scores, and their dataset."""
    block = config["beta_pruning"]["network"]
    return {"beta_pruning.network.n_folds": ([block["n_folds"]], [block["dataset"]])}


EXPLORED: Final = Study(
    name="explored",
    methods=methods(*EXPLORERS),
    folds=folds_of,
    replayed=as_configured,
    kinds=(Kind((*RUN, "step", "explored", "best_mean")),),
    arrays=explored_arrays,
    is_enough=is_enough,
)
SWEPT: Final = Study(
    name="swept",
    methods=methods("beta_pruning", "standard", "threshold_pruning"),
    replayed=swept,
    kinds=(Kind((*RUN, "tau", "buffer", "folds_share")),),
    arrays=swept_arrays,
    is_enough=is_enough,
)
_explored_claim = partial(Claim, section="3.2", unit="sets", study="explored", artefact="figures/figure7")
_swept_claim = partial(Claim, section="5", unit="%", study="swept", artefact="tables/sweep")


def _yield_early_over_late(arrays: Arrays, rng: Generator) -> Estimate:
    explored = arrays["beta_pruning"]
    early, late = explored[N_TRAININGS - 1], explored[-1] - explored[N_TRAININGS - 1]
    return ratio(early * (arrays["n_steps"] - N_TRAININGS), late * N_TRAININGS)  # until all are explored


def _wrong(arrays: Arrays, rng: Generator) -> Estimate:
    """Share of wrong prunings; those of a seed share folds, weights and the set that they are judged against."""
    n_wrong, n_judged = _prunings(arrays, PRUNERS[0])
    return replace(clustered_share(n_wrong, n_judged, unit=100), remark=_counts(n_wrong, n_judged))


def _fewer_wrong(arrays: Arrays, rng: Generator) -> Estimate:
    """Difference of the shares seed by seed, since both pruners meet the same scores."""
    ours, heuristic = (_prunings(arrays, method) for method in PRUNERS)
    with np.errstate(invalid="ignore"):  # a seed without prunings has no share
        found = mean(100.0 * (heuristic[0] / heuristic[1] - ours[0] / ours[1]))
    counts = f"the heuristic {_counts(*heuristic)}, Bayesian pruning {_counts(*ours)}"
    if np.isfinite(found.ours) and not heuristic[0].any() and not ours[0].any():
        return tied(found, f"{counts}: none that could tell them apart")
    return replace(found, remark=counts)


def _prunings(arrays: Arrays, method: str) -> tuple[Floats, Floats]:
    """Wrong prunings and all, by seed."""
    return arrays[f"{method}_n_wrong"], arrays[f"{method}_n_judged"]


def _counts(hits: Floats, cases: Floats) -> str:
    return f"{hits.sum():g} of {cases.sum():g}"


def _best_kept(arrays: Arrays, rng: Generator) -> Estimate:
    kept = 1.0 - arrays["beta_pruning_lost_best"]
    return replace(share(kept, unit=100), remark=f"{kept.sum():g} of {kept.size}")


CLAIMS: Final = (
    _explored_claim(
        # Figure 7's own run was recorded before the model was as published; its region is by the rule, too.
        "beta_pruning.explored.by_20_trainings",
        quote="With 20 trained models, the Bayesian pruning approach has already evaluated 19 hyperparameter sets",
        quantity="hyperparameter sets that pruning has evaluated at least once after 20 trainings",
        published=19,
        agrees=near(19, unit=1),
        measure=lambda arrays, rng: mean(arrays["beta_pruning"][N_TRAININGS - 1]),
    ),
    _explored_claim(
        "beta_pruning.explored.regular_by_20_trainings",
        quote="compared to only 4 for the regular 5-fold cross validation",
        quantity="hyperparameter sets that regular 5-fold cross-validation has evaluated after 20 trainings",
        is_by_construction=True,
        published=4,
        agrees=near(4, unit=1),
        # five trainings per set, whatever the scores are
        measure=lambda arrays, rng: exact(arrays["standard"][N_TRAININGS - 1].mean()),
    ),
    _explored_claim(
        "beta_pruning.explored.yield_falls",
        quote="The yield is not as big after some number of machine learning models are put into the buffer",
        quantity="new sets per training, in the first 20 trainings over in those from then until all sets are "
        "explored",
        unit="times",
        agrees=above(1),
        measure=_yield_early_over_late,
    ),
    _swept_claim(
        "beta_pruning.pruned.fewer_trainings",
        quote="the algorithm can indeed speed up cross validation",
        quantity="trainings until pruning is through the whole list, as a share of those of regular 5-fold "
        "cross-validation",
        agrees=below(100),
        measure=percent_of("beta_pruning_folds_share"),
        is_by_construction=True,  # pruning leaves out trainings and adds none
    ),
    _swept_claim(
        # A share of which nothing is printed: 5 points.
        "beta_pruning.pruned.keeps_best",
        quote="speed up cross validation by pruning unnecessary iterations",
        quantity="share of whole runs that end with the best set of the list, by its mean over all five folds",
        agrees=at_least(95),
        measure=_best_kept,
    ),
    _swept_claim(
        # The document's own level: tau is 0.99, so that one decision in a hundred may be wrong.
        "beta_pruning.pruned.certain",
        section="3.1",
        quote="if P(X_1 > X_2) > τ under some confidence threshold τ (eg. 0.99), we may be certain that "
        "hyperparameters H_2 will not yield better generalization than H_1",
        quantity="share of prunings that are wrong: the pruned set is better over all folds than the one it was "
        "pruned against",
        agrees=at_most(1),
        measure=_wrong,
    ),
    _swept_claim(
        "beta_pruning.pruned.fewer_poor_decisions",
        quote="Unlike other similar methods, this new method introduces a statistical model for making pruning "
        "decisions to avoid making poor decisions because of high uncertainty",
        quantity="share of prunings that are wrong, that of the heuristic of reference [2] less that of Bayesian "
        "pruning",
        unit="points",
        agrees=above(0),
        measure=_fewer_wrong,
    ),
    _swept_claim(
        "beta_pruning.pruned.fewer_trainings_than_heuristic",
        quantity="trainings for the whole list, those of the heuristic of reference [2] over Bayesian pruning's",
        unit="times",
        agrees=above(1),
        measure=ratio_of("threshold_pruning_folds_share", "beta_pruning_folds_share"),
    ),
)
"""On section 3.2 from Figure 7's runs; on 3.1 and 5 from those of the sweep at the configured tau and buffer."""


# Table and figures ---------------------------------------------------------------------------------------------

SWEEP_KEYS: Final = ["measure", "tau", "method", "buffer"]
RECORDED: Final = "recorded"
"""Figure 7's run, which the document's author recorded."""
_RECORDED_COLOR: Final = "#4580EB"
N_ENLARGED: Final = 40
"""First trainings that Figure 7 shows enlarged: pruning fills its buffer in these."""
EXPLORED_PANELS: Final = {
    "explored": "Hyperparameter sets explored",
    "best_mean": "Error of the best (1 - mean accuracy)",
}
SWEPT_PANELS: Final = {
    "folds_share": "Networks trained (share of n·k)",
    "explored_at_20": "Sets explored by 20 trainings",
    "regret": "Regret (mean accuracy)",
}


_NOTE: Final = (
    "Means over seeds; their 95 % intervals are `low` and `high` in the CSV file. n judged: of n pruned, those "
    "for scores and for good, not for a failed fit. chance: a diverged network does not fail, and scores one over "
    "the number of classes."
)


def tabulate(runs: pd.DataFrame, scale: str) -> pd.DataFrame:
    """Every measure of the sweep, mean with its interval; keys `SWEEP_KEYS`, then `tidy.TIDY`.

    The method `beta_pruning_chance` is beta pruning where a diverged network scores 1 / n_classes.
    """
    need(runs, "tau", "buffer", "failed_as", *MEASURES)
    named = runs.assign(
        method=runs["method"].where(runs["failed_as"] == "failed", runs["method"] + "_chance"),
        tau=runs["tau"].map("{:g}".format).replace("nan", "-"),
        buffer=runs["buffer"].map("{:g}".format).replace("nan", "-"),
    )
    table = by_measure(named, MEASURES, ["tau", "method", "buffer"]).assign(n_rows=runs["n_rows"].min())
    table = shares_of_answers(table, ["lost_best"])
    numbers = {name: sorted(table[name].unique(), key=_number) for name in ("tau", "buffer")}
    table = tidied(table, SWEEP_KEYS, scale, "n_missing", "n_rows", orders={"measure": MEASURES, **numbers})
    table.attrs["note"] = _NOTE
    return table


def _number(text: str) -> float:
    return -1.0 if text == "-" else float(text)


def recorded() -> pd.DataFrame:
    """The document's own run: step, explored, best_mean (of the whole buffer, complete or not)."""
    names = {"models_fit": "step", "hyperparameter_sets": "explored", "best_mean_accuracy": "best_mean"}
    return read_printed("bayes_fig7_run").rename(columns=names)[list(names.values())]


def summarise_explored(runs: pd.DataFrame) -> pd.DataFrame:
    """Figure 7: `EXPLORED_PANELS` against trainings, ours and the document's run.

    Ours are mean, least and greatest over the seeds. A step at which a seed has no value yet, since all its
    networks have diverged, is left out.

    Returns:
        step, panel, method, mean, low, high, n_seeds, n_rows, data.
    """
    need(runs, "step", *EXPLORED_PANELS)
    parts, printed = [], recorded()
    facts = {"n_seeds": runs["seed"].nunique(), "n_rows": runs["n_rows"].min(), "data": provenance(runs)}
    for panel in EXPLORED_PANELS:
        for method in sorted(runs["method"].unique()):
            wide = by_step(runs, panel, method)
            wide = wide[wide.notna().all(axis=1)]
            numbers = {"mean": wide.mean(axis=1), "low": wide.min(axis=1), "high": wide.max(axis=1)}
            parts.append(pd.DataFrame({"panel": panel, "method": method, **numbers, **facts}).reset_index())
        line = {"panel": panel, "method": RECORDED, "step": printed["step"], "mean": printed[panel]}
        parts.append(pd.DataFrame(line | facts))
    return pd.concat(parts, ignore_index=True)


@style.styled
def draw_explored(table: pd.DataFrame) -> plotters.Figure:
    """Candidates explored and error against trainings; bands from the least to the greatest seed.

    Each panel has its first `N_ENLARGED` trainings in an inset.
    """
    figure = style.new_figure(style.TWO_COLUMN[0], 3.6)
    for axis, (panel, title) in zip(figure.subplots(1, 2), EXPLORED_PANELS.items(), strict=True):
        part = table[table["panel"] == panel]
        if panel == "best_mean":
            part = part.assign(mean=1 - part["mean"], low=1 - part["high"], high=1 - part["low"])
        _draw_explored(axis, part, panel)
        axis.set(xlabel="Networks trained", ylabel=title, xlim=(0, None))
        place = (0.56, 0.09, 0.42, 0.34) if panel == "explored" else (0.4, 0.5, 0.58, 0.42)  # where it is empty
        inset = axis.inset_axes(place)
        _draw_explored(inset, part[part["step"] <= N_ENLARGED], panel)
        inset.set_title(f"the first {N_ENLARGED}", fontsize=7, pad=2)
        inset.set(xlim=(0, N_ENLARGED))
        inset.tick_params(labelsize=6, length=2)
    return plotters.finish(figure, table, 3, panels=[axis])


def _draw_explored(axis: plotters.Axes, part: pd.DataFrame, panel: str) -> None:
    """The lines of one of `EXPLORED_PANELS`: ours with their bands, and the document's run."""
    for method in ("standard", "beta_pruning"):
        line, look = part[part["method"] == method], style.LOOKS[method]
        axis.plot(line["step"], line["mean"], color=look.color, linestyle="-", label=f"{look.label}, ours")
        axis.fill_between(line["step"], line["low"], line["high"], color=look.color, alpha=0.2, linewidth=0)
    line = part[part["method"] == RECORDED]
    axis.plot(line["step"], line["mean"], color=_RECORDED_COLOR, linestyle="--", label="the document's own run")
    axis.set(**({"ylim": (0, None)} if panel == "explored" else {"yscale": "log"}))
    axis.grid(alpha=0.3)


def summarise_swept(runs: pd.DataFrame) -> pd.DataFrame:
    """What every tau and buffer cost, explored and lost: mean, least and greatest over the seeds.

    Returns:
        panel (of `SWEPT_PANELS`), buffer, tau, mean, low, high, n_seeds, n_rows, data.
    """
    need(runs, "tau", "buffer", "failed_as", *MEASURES)
    swept = runs[(runs["method"] == "beta_pruning") & (runs["failed_as"] == "failed")]
    facts = {"n_seeds": swept["seed"].nunique(), "n_rows": swept["n_rows"].min(), "data": provenance(swept)}
    groups = swept.groupby(["buffer", "tau"])
    parts = [
        groups[panel].agg(mean="mean", low="min", high="max").reset_index().assign(panel=panel, **facts)
        for panel in SWEPT_PANELS
    ]
    columns = ["panel", "buffer", "tau", "mean", "low", "high", "n_seeds", "n_rows", "data"]
    return pd.concat(parts, ignore_index=True)[columns]


@style.styled
def draw_swept(table: pd.DataFrame) -> plotters.Figure:
    """Cost, exploration and regret against tau, a line per buffer; bars from the least to the greatest seed.

    A measure that is 0 at every setting has a sentence and no panel.
    """
    taus, buffers = sorted(table["tau"].unique()), sorted(table["buffer"].unique())
    shown = [panel for panel in SWEPT_PANELS if (table.loc[table["panel"] == panel, "high"] > 0).any()]
    width, height = style.TWO_COLUMN
    figure = style.new_figure(width * len(shown) / len(SWEPT_PANELS), height)
    panels = figure.subplots(1, len(shown), squeeze=False)[0]
    for axis, panel in zip(panels, shown, strict=True):
        for i, (buffer, color) in enumerate(zip(buffers, style.sequence(len(buffers)), strict=True)):
            line = table[(table["panel"] == panel) & (table["buffer"] == buffer)].set_index("tau").reindex(taus)
            x = np.arange(len(taus)) + 0.06 * (i - (len(buffers) - 1) / 2)
            look: dict[str, Any] = {"color": color, "marker": "os^DvP*X"[i % 8], "capsize": 2}
            axis.errorbar(x, line["mean"], yerr=plotters.spread(line), label=f"buffer {buffer:g}", **look)
        axis.set_xticks(range(len(taus)), [f"{tau:g}" for tau in taus])
        axis.set(xlabel="Pruning threshold τ", ylabel=SWEPT_PANELS[panel], ylim=(0, None))
        axis.grid(alpha=0.3)
    zeros = [f"{title}: 0 at every setting" for panel, title in SWEPT_PANELS.items() if panel not in shown]
    return plotters.finish(figure, table, len(buffers), panels=[axis], title="\n".join(zeros))


TABLE: Final = Artefact(
    "sweep",
    ("swept",),
    tabulate,
    """Our sweep of document 000's tau and buffer on the network's scores, beside standard cross validation and
    threshold pruning: share of all trainings done, candidates explored by the 20th training, prunings, prunings of
    a candidate that is better over all folds than the one it was pruned against, regret, and how often the best
    candidate was not chosen; beta_pruning_chance is beta pruning where a diverged network scores 1 / 10 instead of
    failing.""",
)
FIGURE7: Final = Artefact(
    "figure7",
    ("explored",),
    summarise_explored,
    """Figure 7 of document 000. Left: hyperparameter sets explored against networks trained. Right: error (1 -
    mean accuracy, logarithmic) of the set that would be returned: the best complete one, or before any is
    complete the best one so far. Beta pruning (buffer
    {{ config.strategies.beta_pruning.buffer | default("as by default") }}, tau
    {{ config.strategies.beta_pruning.tau | default("as by default") }}) and standard
    {{ config.beta_pruning.network.n_folds }}-fold cross validation on the same candidates in the same order,
    {{ config.beta_pruning.network.dataset }}, {{ config.beta_pruning.network.epochs }} epochs per training, one
    seed per repetition and candidate for all its folds; the mean over
    {{ config.beta_pruning.network.n_seeds | seeds }} in a band from the least to the greatest; a run that has
    ended keeps its last value. A line begins where every seed has a network that has not diverged. Insets: the
    first 40 trainings, enlarged. Blue and dashed: the run that the document's author
    recorded, with an earlier model than the published one, so that it is a target of shape; its accuracy is that
    of the best in the buffer, complete or not.""",
    draw_explored,
)
SWEEP: Final = Artefact(
    "sweep",
    ("swept",),
    summarise_swept,
    """Our sweep of document 000's two settings on the scores of Figure 7: share of all trainings done,
    hyperparameter sets explored by the 20th, and regret of the choice (its distance to the best mean accuracy over
    all folds), against the pruning threshold tau; a line per buffer, bars from the least to the greatest of
    {{ config.beta_pruning.network.n_seeds | seeds }}. A measure that is 0 at every setting has a sentence above
    and no panel.""",
    draw_swept,
)
ARTEFACTS: Final = (TABLE, FIGURE7, SWEEP)
