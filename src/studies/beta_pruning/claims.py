"""The claims of document 000, quoted, and our findings: of the model exactly, of Figure 7's network from runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from studies.beta_pruning.network import by_step
from studies.beta_pruning.runs import EXPLORERS
from studies.estimates import Arrays, Estimate, exact, mean, ratio, share, share_difference
from studies.records import Claim
from studies.regions import above, at_least, at_most, below, near
from studies.tidy import provenance
from studies.verdicts import check_claimed, judge, without_runs

FLOOR = 3
"""Repetitions under which no number of the network study is published and no verdict given."""
FLOOR_ROWS = 60_000
"""The same for images."""
N_FOLDS = 5
"""The document's, in section 3.2."""
N_TRAININGS: Final = 20
"""After which section 3.2 counts the sets explored."""
PRUNERS: Final = ("beta_pruning", "threshold_pruning")

Measure = Callable[[Arrays, np.random.Generator], Estimate]


def _computed(measure: str) -> Measure:
    """A number of `model.measured`, which has no chance in it."""
    return lambda arrays, rng: exact(float(arrays[measure][0]))


_model = partial(Claim, section="2.2.2", unit="times")

MODEL = (
    _model(
        "beta_pruning.prior.mass_of_exp1",
        section="2.2.1",
        quote="For Exp(1) 99.3% of the mass exists in (0,5]",
        quantity="probability that Exp(1) gives to the interval from 0 to 5",
        unit="%",
        published=99.3,
        agrees=near(99.3, margin=0.05),  # a closed form: nothing but its rounding
        measure=_computed("mass_of_exp1"),
        artefact="figures/figure2",
    ),
    _model(
        "beta_pruning.prior.close_to_uniform",
        quote="It is close to perfectly uniform",
        quantity="largest difference between the distribution functions of the prior predictive and of a uniform "
        "one",
        unit="points",
        agrees=at_most(5),
        measure=_computed("distance_to_uniform"),
        artefact="figures/figure4",
    ),
    _model(
        "beta_pruning.prior.larger_at_edges",
        quote="with larger densities close to the interval edges",
        quantity="density of the prior predictive near the edges (accuracies of 0.01 and 0.99), as a multiple of "
        "that at 0.5",
        agrees=above(1),
        measure=_computed("density_at_edges"),
        artefact="figures/figure4",
    ),
    _model(
        # The document calls a U "concave", as it calls the Beta distribution with both parameters below 1.
        "beta_pruning.prior.u_shaped",
        quote="the distribution is slightly concave ... This is expected, since the Beta distribution is concave "
        "when both of its parameters ... are in the (0,1) interval",
        quantity="density of the prior predictive at accuracies of 0.3 and 0.7, as a multiple of that at 0.5; "
        "above 1 for a U, the shape that the document calls concave",
        agrees=above(1),
        measure=_computed("density_beside_middle"),
        artefact="figures/figure4",
    ),
    _model(
        "beta_pruning.likelihood.underestimates",
        quote="a dataset A = {0.80, 0.82} with small variance causes a very sharp ML fit, thus likely "
        "underestimating the posterior variance",
        quantity="standard deviation of the posterior predictive on {0.80, 0.82}, as a multiple of the ML fit's",
        agrees=above(1),
        measure=_computed("sd_over_likelihood_fit"),
        artefact="figures/figure6",
    ),
    _model(
        "beta_pruning.likelihood.aligns",
        quote="On a dataset with observations A = {0.4, 0.5} of higher variance, the two model densities align "
        "more closely",
        quantity="largest difference between the distribution functions of ML fit and posterior predictive on "
        "{0.80, 0.82}, as a multiple of that on {0.4, 0.5}",
        agrees=above(1),
        measure=_computed("distance_over_contrasted"),
        artefact="figures/figure6",
    ),
)
"""Section 2."""


def _explored_early(arrays: Arrays, rng: np.random.Generator) -> Estimate:
    return mean(arrays["beta_pruning"][N_TRAININGS - 1])


def _explored_early_by_all_folds(arrays: Arrays, rng: np.random.Generator) -> Estimate:
    return exact(arrays["standard"][N_TRAININGS - 1].mean())  # five trainings per set, whatever the scores are


def _yield_early_over_late(arrays: Arrays, rng: np.random.Generator) -> Estimate:
    explored = arrays["beta_pruning"]
    early, late = explored[N_TRAININGS - 1], explored[-1] - explored[N_TRAININGS - 1]
    return ratio(early * (arrays["n_steps"] - N_TRAININGS), late * N_TRAININGS)  # until all are explored


def _prunings(arrays: Arrays, method: str) -> NDArray[np.float64]:
    """For every pruning whether it was wrong."""
    n_wrong, n_judged = (int(arrays[f"{method}_{what}"].sum()) for what in ("n_wrong", "n_judged"))
    return np.repeat([1.0, 0.0], [n_wrong, n_judged - n_wrong])


def _wrong(arrays: Arrays, rng: np.random.Generator) -> Estimate:
    ours = _prunings(arrays, PRUNERS[0])
    return replace(share(ours, unit=100, n_seeds=_n_seeds(arrays)), remark=_counts(ours))


def _fewer_wrong(arrays: Arrays, rng: np.random.Generator) -> Estimate:
    ours, heuristic = (_prunings(arrays, method) for method in PRUNERS)
    found = share_difference(heuristic, ours, unit=100, n_seeds=_n_seeds(arrays))
    return replace(found, remark=f"{_counts(heuristic)} and {_counts(ours)}")


def _counts(hits: NDArray[np.float64]) -> str:
    return f"{hits.sum():g} of {hits.size}"


def _n_seeds(arrays: Arrays) -> int:
    return arrays[f"{PRUNERS[0]}_n_judged"].size


def _best_kept(arrays: Arrays, rng: np.random.Generator) -> Estimate:
    kept = 1.0 - arrays["beta_pruning_lost_best"]
    return replace(share(kept, unit=100), remark=_counts(kept))


_network = partial(Claim, section="3.2", unit="sets", artefact="figures/figure7")
_whole_run = partial(Claim, section="5", unit="%", artefact="tables/sweep")

EXPLORED = (
    _network(
        # Figure 7's own run was recorded before the model was as published; its region is by the rule, too.
        "beta_pruning.explored.by_20_trainings",
        quote="With 20 trained models, the Bayesian pruning approach has already evaluated 19 hyperparameter sets",
        quantity="hyperparameter sets that pruning has evaluated at least once after 20 trainings",
        published=19,
        agrees=near(19, unit=1),
        measure=_explored_early,
    ),
    _network(
        "beta_pruning.explored.regular_by_20_trainings",
        quote="compared to only 4 for the regular 5-fold cross validation",
        quantity="hyperparameter sets that regular 5-fold cross-validation has evaluated after 20 trainings",
        published=4,
        agrees=near(4, unit=1),
        measure=_explored_early_by_all_folds,
    ),
    _network(
        "beta_pruning.explored.yield_falls",
        quote="The yield is not as big after some number of machine learning models are put into the buffer",
        quantity="new sets per training in the first 20 trainings, as a multiple of those per training "
        "afterwards, until all sets are explored",
        unit="times",
        agrees=above(1),
        measure=_yield_early_over_late,
    ),
)
"""Section 3.2, from Figure 7's runs."""

PRUNED = (
    _whole_run(
        "beta_pruning.pruned.fewer_trainings",
        quote="the algorithm can indeed speed up cross validation",
        quantity="trainings until pruning is through the whole list, of those of regular 5-fold cross-validation",
        agrees=below(100),
        measure=lambda arrays, rng: mean(100.0 * arrays["beta_pruning_folds_share"]),
    ),
    _whole_run(
        # A share of which nothing is printed: 5 points.
        "beta_pruning.pruned.keeps_best",
        quote="speed up cross validation by pruning unnecessary iterations",
        quantity="whole runs that end with the best set of the list, by its mean over all five folds",
        agrees=at_least(95),
        measure=_best_kept,
    ),
    _whole_run(
        # The document's own level: tau is 0.99, so that one decision in a hundred may be wrong.
        "beta_pruning.pruned.certain",
        section="3.1",
        quote="if P(X_1 > X_2) > τ under some confidence threshold τ (eg. 0.99), we may be certain that "
        "hyperparameters H_2 will not yield better generalization than H_1",
        quantity="wrong prunings, of all: the pruned set is better over all folds than the one it was pruned "
        "against",
        agrees=at_most(1),
        measure=_wrong,
    ),
    _whole_run(
        "beta_pruning.pruned.fewer_poor_decisions",
        quote="Unlike other similar methods, this new method introduces a statistical model for making pruning "
        "decisions to avoid making poor decisions because of high uncertainty",
        quantity="share of wrong prunings of the heuristic of reference [2], less that of Bayesian pruning",
        unit="points",
        agrees=above(0),
        measure=_fewer_wrong,
    ),
    _whole_run(
        "beta_pruning.pruned.fewer_trainings_than_heuristic",
        quote="",
        quantity="trainings of the heuristic of reference [2] for the whole list, as a multiple of Bayesian "
        "pruning's",
        unit="times",
        agrees=above(1),
        measure=lambda arrays, rng: ratio(
            arrays["threshold_pruning_folds_share"], arrays["beta_pruning_folds_share"]
        ),
        is_ours=True,
    ),
)
"""Sections 3.1 and 5, from the runs of the sweep at the configured tau and buffer."""


def claims(runs: Mapping[str, pd.DataFrame], scale: str) -> pd.DataFrame:
    """All claims with verdicts, and our findings; those on the network need `FLOOR` seeds of `FLOOR_ROWS` images.

    Args:
        runs: by name of the experiment: `model`, `explored` and `swept`, made by `runs`; what is missing is not
            judged.
        scale: label of the run.

    Returns:
        A row per claim, as `verdicts.judge` gives it.

    Raises:
        ValueError: on an unknown experiment.
    """
    for experiment in runs:
        check_claimed(experiment, ("model", "explored", "swept"))
    parts = []
    for listed, name, arrays_of in (
        (MODEL, "model", _model_measures),
        (EXPLORED, "explored", _explored),
        (PRUNED, "swept", _pruned),
    ):
        table = runs.get(name)
        if table is None:
            parts.append(without_runs(listed, scale))
        else:
            enough = name == "model" or _reaches_floor(table)
            parts.append(judge(listed, arrays_of(table), enough=enough, scale=scale, data=provenance(table)))
    return pd.concat(parts, ignore_index=True)


def _reaches_floor(runs: pd.DataFrame) -> bool:
    """Whether the runs are enough, and of the document's 5 folds."""
    enough = runs["seed"].nunique() >= FLOOR and runs["n_rows"].min() >= FLOOR_ROWS
    return bool(enough and (runs["k"] == N_FOLDS).all())


def _model_measures(runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    """The numbers of `model.measured`, (1,), by what each is."""
    return {str(measure): part["value"].to_numpy(float) for measure, part in runs.groupby("measure")}


def _explored(runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    """Candidates explored per method, (n_steps, n_seeds), and by when pruning has explored all, (n_seeds,)."""
    arrays = {method: by_step(runs, "explored", method).to_numpy(float) for method in EXPLORERS}
    explored = arrays["beta_pruning"]
    return arrays | {"n_steps": 1.0 + (explored == explored[-1]).argmax(axis=0)}


def _pruned(runs: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    """What the pruners measured at the configured settings, by method and measure, (n_seeds,)."""
    arrays = {}
    for method in PRUNERS:
        part = runs[(runs["method"] == method) & runs["is_configured"] & (runs["failed_as"] == "failed")]
        for what in ("n_wrong", "n_judged", "folds_share", "lost_best"):
            arrays[f"{method}_{what}"] = part.sort_values("seed")[what].to_numpy(float)
    return arrays
