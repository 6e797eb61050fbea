"""Document 003, section 4: termination inside Fabolas, on stored curves of a network on several numbers of rows.

"Learning curve extrapolation could additionally be combined with Fabolas to guide the hyperparameter search. This
would however require changing the covariance kernel of the cost model c since probes at suboptimal positions are
likely to be terminated early, making them less costly and thus more attractive for the acquisition function". Four
versions follow. Each of them takes the error that is expected at the end of a stopped trial as its error:

- `fabolas_spent`, the naive version: the cost model is fitted to the cost that the trial had when it stopped;
- `fabolas_horizon`, the simplest sound version: the cost model is fitted to the cost that the whole trial would
  have had. This is sound, since the loss model is one of whole trials, too, and a candidate gains nothing by being
  stopped. It overstates what a search spends on poor candidates;
- `fabolas_joint`, which the document proposes: one model of cost and loss, fitted to the cost at the stop;
- `fabolas_uncorrelated`, the same with the correlation of cost and loss held at 0, so that the last two versions
  differ in it alone. One model also has one noise and one set of lengthscales; Fabolas' two models have two of
  each.

The claims are on the joint model; the versions beside it are ours.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from frugal.files import read
from frugal.interface import Candidate, Trial, TrialStrategy, TrialTask, Wait
from frugal.seeds import rng_for
from frugal.threads import one_thread
from studies.big_data.combined_searches import (
    FURTHER,
    Comparison,
    Speed,
    artefacts,
    floor_of,
    speed_claims,
    speed_ratios,
)
from studies.big_data.search_paths import follow, rule_of
from studies.estimates import Array, Arrays, Estimate, clustered_share, resampled
from studies.measures import percent_of
from studies.records import Claim, Method, Study, method_of
from studies.regions import above

if TYPE_CHECKING:
    from pathlib import Path

    from frugal.benchmarks.curves import CurvesProblem

METHODS: Final = (
    Method("random", label="random", color="#000000", linestyle=":"),
    Method(
        "random_terminated",
        "random",
        termination={},
        variant_of="random",
        label="random, termination",
        color="#7F7F7F",
        linestyle="--",
    ),
    Method("fabolas", label="Fabolas", color="#F2B138", linestyle="-"),
    Method(
        "fabolas_spent",
        "fabolas",
        termination={},
        variant_of="fabolas",
        label="Fabolas, termination: cost spent",
        color="#D07CA1",
        linestyle="-.",
    ),
    Method(
        "fabolas_horizon",
        "fabolas",
        termination={},
        variant_of="fabolas",
        label="... cost to the end",
        color="#00318F",
        linestyle="-",
    ),
    Method(
        "fabolas_joint",
        settings={"correlated": True},
        termination={},
        variant_of="fabolas",
        label="... one model of cost and loss",
        color="#2F6756",
        linestyle=(0, (5, 1)),
    ),
    Method(
        "fabolas_uncorrelated",
        "fabolas_joint",
        {"correlated": False},
        termination={},
        variant_of="fabolas",
        label="... the same, uncorrelated",
        color="#8FBFAE",
        linestyle=(0, (1, 1)),
    ),
)


# Runs ----------------------------------------------------------------------------------------------------------


def run(method: str, seed: int, settings: Mapping[str, Any], root: str | Path = "data") -> pd.DataFrame:
    """One search of one seed; strategies start from the same candidates. `table` is the file of the curves.

    Returns:
        The columns of `follow`; stopped; poor, whether the candidate is among the worse half of the set by its
        validation error on the most rows (nan in Fabolas' initial design); n_train, the most rows; dataset. A
        candidate that diverges on the most rows has the test error 1.

    Raises:
        ValueError: on settings of the termination that `Terminating` does not accept.
    """
    from frugal.benchmarks.curves import CurvesProblem

    stored = read(settings["table"])
    problem = CurvesProblem(stored)
    rule = rule_of(settings["termination"], problem.n_epochs)
    version = method_of(METHODS, method)
    with one_thread():
        strategy = _strategy(version, seed, settings, problem, rule, int(stored["n_valid"].iloc[0]))

        def test_error(candidate: Candidate) -> float:
            error = problem.test_error(candidate)
            return 1.0 if math.isnan(error) else error

        table = follow(strategy, problem, test_error)
    ends = np.array([1.0 - curve.scores[-1] for curve in problem.curves])
    ends[np.isnan(ends)] = np.inf
    is_poor = np.isinf(ends) | (ends > np.median(ends))
    poor = {curve.id: float(worse) for curve, worse in zip(problem.curves, is_poor, strict=True)}
    first = table["trial"] < (settings["n_initial"] if _base(version) == "fabolas" else 0)
    return table.assign(
        stopped=(table["n_epochs"] < problem.n_epochs) & table["error"].notna(),
        poor=np.where(first, math.nan, [poor[problem.replayed[trial]] for trial in table["trial"]]),
        n_train=problem.sizes[-1],
        dataset=problem.name,
    )


def _base(version: Method) -> str:
    """The method that a version shares random numbers with, so that versions differ only in what they observe."""
    return version.variant_of or version.name


def _strategy(
    version: Method,
    seed: int,
    settings: Mapping[str, Any],
    problem: CurvesProblem,
    rule: Mapping[str, Any],
    n_valid: int,
) -> TrialStrategy:
    from frugal.trials import strategies
    from frugal.trials.ledger import initial_design
    from frugal.trials.termination import terminating

    names = ("big_data", "terminating_fabolas")
    options: dict[str, Any] = dict(version.settings)
    if _base(version) == "fabolas":
        options |= {**settings["fabolas"], "sizes": list(problem.sizes), "n_valid": n_valid}
    options["initial"] = initial_design(
        problem.space, settings["n_initial"], rng_for(*names, "initial design", seed)
    )
    rng, n_trials = rng_for(*names, _base(version), seed), settings["n_trials"]
    strategy = strategies.make(version.strategy, space=problem.space, n_trials=n_trials, rng=rng, **options)
    if version.termination is None:
        return strategy
    if version.name == "fabolas_horizon":
        strategy = AtHorizon(strategy, rule["horizon"])
    return terminating(strategy, rng=rng_for(*names, "checks", seed), **rule)


@dataclass(frozen=True)
class AtHorizon:
    """Wraps a strategy: the seconds and the cost of a stopped trial are scaled up to those of a whole trial.

    All epochs of a trial are taken to cost the same. The cost of a failed trial is not changed.

    Attributes:
        strategy: the strategy that is wrapped.
        horizon: epochs of a whole trial.
    """

    strategy: TrialStrategy
    horizon: int

    def ask(self) -> TrialTask | Wait | None:
        """The strategy's."""
        return self.strategy.ask()

    def report(self, task: TrialTask, epoch: int, score: float) -> bool:
        """The strategy's."""
        return self.strategy.report(task, epoch, score)

    def tell(self, trial: Trial) -> None:
        """Hand an answer on, with the seconds and the cost of all its epochs."""
        n_epochs = len(trial.curve)
        if n_epochs < self.horizon and not math.isnan(trial.error):
            factor = self.horizon / n_epochs
            trial = replace(trial, seconds=trial.seconds * factor, cost=trial.cost * factor)
        self.strategy.tell(trial)

    @property
    def incumbent(self) -> Candidate | None:
        """The strategy's."""
        return self.strategy.incumbent


# Claims --------------------------------------------------------------------------------------------------------

_PARTS: Final = ("fabolas", "random_terminated")
COMPARISON: Final = Comparison(
    study="terminating_fabolas",
    methods=METHODS,
    quality="test_error",
    last=("test_error",),
    parts={
        "fabolas_horizon": (*_PARTS, "fabolas_spent", "random"),
        "fabolas_joint": (*_PARTS, "fabolas_spent", "fabolas_horizon", "fabolas_uncorrelated"),
        "fabolas_spent": _PARTS,
        "random_terminated": ("random",),
        "fabolas": ("random",),
    },
    speeds=(
        Speed(
            "joint_speed_up",
            "fabolas_joint",
            _PARTS,
            "seconds",
            f"{FURTHER} Learning curve extrapolation could additionally be combined with Fabolas ... merge the "
            "two Gaussian processes c and f into a single cost-loss model",
        ),
        Speed("joint_speed_up_rows", "fabolas_joint", _PARTS, "rows"),
        Speed("horizon_speed_up", "fabolas_horizon", _PARTS, "seconds"),
        Speed("horizon_speed_up_rows", "fabolas_horizon", _PARTS, "rows"),
    ),
    words={
        "fabolas_horizon": "Fabolas with termination (its cost model learns what whole trials would take)",
        "fabolas_joint": "Fabolas with termination and one model of cost and loss",
        "fabolas": "Fabolas alone",
        "random_terminated": "random search with termination",
    },
    spent={"rows": "rows times epochs", "seconds": "seconds (checks and optimiser included)"},
    x_labels={"rows": "Rows times epochs", "seconds": "Trials, checks and optimiser (s)"},
    y_label="Test error of the incumbent",
    rows=(
        ("random", "random_terminated", "fabolas"),
        ("fabolas", "fabolas_spent", "fabolas_horizon"),
        ("fabolas", "fabolas_joint", "fabolas_uncorrelated"),
    ),
)
FLOOR: Final = floor_of(n_train=4_096)


def arrays(runs: pd.DataFrame) -> dict[str, Array]:
    """Arrays that the claims are measured on, (n_seeds,); nan where a method was not run.

    Returns:
        Those of `speed_ratios`; and of `fabolas_spent`: stopped, (4, n_seeds): number of proposals in the better
        half of the candidates, how many of them were stopped, then the same two for the worse half; poor_alone and
        poor_horizon, (n_seeds,): its share of proposals in the worse half, less that share of `fabolas` and of
        `fabolas_horizon`.
    """
    return speed_ratios(runs, COMPARISON) | _proposals(runs)


def _proposals(runs: pd.DataFrame) -> dict[str, Array]:
    """What was stopped and proposed among better and worse candidates, by seed."""
    seeds, proposed = sorted(runs["seed"].unique()), runs[runs["poor"].notna()]
    share = proposed.pivot_table("poor", "seed", "method").reindex(seeds)
    share = share.reindex(columns=list(dict.fromkeys(runs["method"])))
    naive = proposed[proposed["method"] == "fabolas_spent"]
    counts = [
        half.groupby("seed")["stopped"].agg(["size", "sum"]).reindex(seeds, fill_value=0).to_numpy(float).T
        for half in (naive[naive["poor"] == 0], naive[naive["poor"] == 1])
    ]

    def more_than(method: str) -> Array:
        if method not in share or "fabolas_spent" not in share:
            return np.full(len(seeds), np.nan)
        return (share["fabolas_spent"] - share[method]).to_numpy(float)

    return {
        "stopped": np.vstack(counts),
        "poor_alone": more_than("fabolas"),
        "poor_horizon": more_than("fabolas_horizon"),
    }


def check(settings: Mapping[str, Any], config: Mapping[str, Any]) -> None:
    """Refuse curves on one number of rows, and what the rule that cuts trials short or a strategy refuses."""
    from frugal import learners
    from studies.builds import check_search, curves_of

    table = curves_of(settings["curves"], config)
    rule_of(settings["termination"], table["n_epochs"])
    if len(table["sizes"]) < 2:
        raise ValueError(f"curves must name a set on several numbers of rows, got {settings['curves']}")
    sizes = {"sizes": sorted(table["sizes"]), "n_valid": table["n_valid"]}
    space = ("learner", table["network"], learners.record(table["network"]).default_space)
    for method in METHODS:
        planned = {"strategy": method.strategy, **method.settings}
        if _base(method) == "fabolas":
            planned |= {**settings["fabolas"], **sizes}
        check_search(planned, method.name, space, settings["n_trials"], settings, {})


def recorded_settings(name: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The search by the method's strategy, and the rule that cuts its trials short."""
    from studies.effective import OF_PROBLEM, given_by_problem, merged, termination_of

    method = method_of(METHODS, name)
    of_method = settings.get(_base(method), {})
    search = {"n_initial": settings["n_initial"], **method.settings, **of_method}
    search |= dict.fromkeys(given_by_problem(method.strategy), OF_PROBLEM)
    whole = merged("trials", method.strategy, search)
    return {"search": whole, **termination_of(method, settings)}


TERMINATING_FABOLAS: Final = Study(
    name="terminating_fabolas",
    methods=METHODS,
    run=run,
    is_timed=True,
    check=check,
    recorded_settings=recorded_settings,
    replays_curves=True,
    arrays=arrays,
    is_enough=FLOOR,
)
_claim = partial(Claim, section="4", study="terminating_fabolas", artefact="tables/terminating_fabolas")
_NAIVE: Final = "(its cost model learns what each trial took)"
_POOR: Final = "share of probes in the worse half of all configurations: that of Fabolas with termination"
_PROBES: Final = "probes at suboptimal positions are likely to be terminated early, making them less costly"


def _stopped(arrays: Arrays, rng: np.random.Generator) -> Estimate:
    """Per cent of the proposals in the worse half."""
    _, _, n_worse, worse = arrays["stopped"]
    return clustered_share(worse, n_worse, unit=100)


def _stopped_apart(arrays: Arrays, rng: np.random.Generator) -> Estimate:
    """Points between the halves, each of the trials of all seeds together.

    Seeds make few proposals, and some none at all in one half, where they have no share of their own.
    """

    def apart(drawn: Arrays) -> float:
        n_better, better, n_worse, worse = drawn["stopped"].sum(axis=1)
        return 100 * float(worse / n_worse - better / n_better) if n_better and n_worse else math.nan

    return resampled(apart, {"stopped": arrays["stopped"]}, rng)


CLAIMS: Final = (
    *speed_claims(COMPARISON),
    _claim(
        "big_data.terminating_fabolas.suboptimal_stopped",
        quote=_PROBES,
        quantity="of the probes of Fabolas with termination in the worse half of all configurations, the share "
        f"that is terminated {_NAIVE}",
        unit="%",
        agrees=above(50),  # "likely"
        measure=_stopped,
    ),
    _claim(
        "big_data.terminating_fabolas.halves_stopped",
        quantity="share of the probes of Fabolas with termination that is terminated, in the worse half of all "
        f"configurations less in the better half {_NAIVE}",
        unit="points",
        agrees=above(0),
        measure=_stopped_apart,
    ),
    _claim(
        "big_data.terminating_fabolas.suboptimal_attractive",
        quote=f"{_PROBES} and thus more attractive for the acquisition function",
        quantity=f"{_POOR} {_NAIVE} less that of Fabolas without termination",
        unit="points",
        agrees=above(0),
        measure=percent_of("poor_alone"),
    ),
    _claim(
        "big_data.terminating_fabolas.attractive_against_horizon",
        quantity=f"{_POOR} {_NAIVE} less that of {COMPARISON.words['fabolas_horizon']}",
        unit="points",
        agrees=above(0),
        measure=percent_of("poor_horizon"),
    ),
)


# Table and figure ----------------------------------------------------------------------------------------------

ARTEFACTS: Final = artefacts(
    COMPARISON,
    """Termination inside Fabolas against its parts, on stored curves ({{ curves }}). Rows without an `against`:
    test error of the last incumbent, trained on all rows to the end; rows times epochs and seconds of the whole
    search; the checks' and the optimiser's shares of the seconds; the share of trials that were stopped, and of
    those proposed that are among the worse half of all candidates (poor_share).""",
    """{% set stored = config["curves"]["networks"][curves] -%} Termination inside Fabolas, which document 003
    proposes; it has no numbers of it. {{ stored["n_curves"] }} candidates of a small network on {{
    stored["dataset"] }}, each trained on {{ stored["n_train"] | join(", ") }} rows for {{ stored["n_epochs"] }}
    epochs once and replayed here. A trial on some number of rows is held against the best one on as many, and
    stopped if its curve is unlikely to end above it; Fabolas is told the error that is expected at the end. Its
    model of costs is told what the stopped trial took (cost spent), or what it would have taken (cost to the end);
    or there is one model of cost and loss, told what it took, which also has one noise and one set of
    lengthscales; uncorrelated, it is the same with their correlation held at 0. Test error of the incumbent,
    trained on all rows to the end, against rows times epochs, and against seconds of trials, checks and optimiser.
    Top: Fabolas beside random search; middle: with termination and two models; bottom: with one model.
    A line ends with its longest search. Means over {{ n_seeds | seeds }} of {{ n_trials }} trials; bands, from
    three seeds on, are 95 % Student intervals and may leave the panel. All seeds replay one split of the data and
    one training of each candidate, so intervals are over orders and the optimisers' draws alone.""",
    rows="rows times epochs",
)
