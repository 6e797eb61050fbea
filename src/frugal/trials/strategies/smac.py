"""SMAC, for comparison with our strategies, through the public ask and tell of SMAC3 2.4.

SMAC maximises expected improvement on a random forest.

Source: Hutter, Hoos and Leyton-Brown (2011), "Sequential model-based optimization for general algorithm
configuration"; Lindauer et al. (2022), "SMAC3: a versatile Bayesian optimization package for hyperparameter
optimization", whose HyperparameterOptimizationFacade is used. SMAC3 gets continuous dimensions as quantiles in [0,
1], which keeps their scale. It gets integer dimensions as integers, and ordinal and categorical ones as places in
their list.

Differs from SMAC3: the starting points of its search are sorted, by a wrapper around one private function, since
otherwise suggestions differ from process to process. If the first error is 1 or more, or -1 or less, all errors
are divided by a power of two that brings it nearer to 0 than that.

Choices that SMAC3 leaves to its user: every candidate is tried once (`deterministic`), and a failed trial counts
as the worst error before it, or 1 if there is none. The forest does not know pending trials, but they are not
suggested again. Once SMAC3 finds no candidate that it has not tried, the run ends; on a small grid it may overlook
some.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from frugal.checks import check_whole
from frugal.extras import explained
from frugal.interface import Candidate, Trial, TrialTask, Wait
from frugal.spaces import Choice, Dimension, Integer, SearchSpace
from frugal.trials.encoding import from_peer, to_peer
from frugal.trials.ledger import BaseTrialStrategy, check_n_initial


class Smac(BaseTrialStrategy):
    """SMAC3 with its defaults for all that has no setting. A suggestion takes a second or two.

    Args:
        space, n_trials: see `frugal.trials.make`.
        rng: generator from which SMAC3's seed is drawn.
        initial: candidates to try first, in place of SMAC3's Sobol design.
        n_initial: without `initial`, size of the Sobol design; None: 10 per dimension, but at most a quarter of
            `n_trials`, SMAC3's default.
        retrain_after: suggestions from one forest; 8 is SMAC3's default.
    """

    def __init__(
        self,
        *,
        space: SearchSpace,
        n_trials: int,
        rng: np.random.Generator,
        initial: Sequence[Candidate] = (),
        n_initial: int | None = None,
        retrain_after: int = 8,
    ) -> None:
        check_whole("retrain_after", retrain_after, 1)
        super().__init__(space=space, n_trials=n_trials, initial=initial)
        if n_initial is not None:
            check_n_initial(n_initial, n_trials)
        self._infos: list[Any] = []  # SMAC3's, by our number; None: a repeated initial candidate
        self._costs: list[float] = []
        self._unit = 1.0  # of the costs: SMAC3 takes the logarithm of nearly 0 where equal ones are large
        with _quiet():
            self._facade, design = _facade(
                space, n_trials, int(rng.integers(2**31)), self._initial, n_initial, retrain_after
            )
        self._repeats = [config in design[:i] for i, config in enumerate(design)]

    def ask(self) -> TrialTask | Wait | None:
        """Next trial; None: the budget is spent, or no candidate is left."""
        task = super().ask()
        if isinstance(task, TrialTask) and task.id < len(self._initial):
            self._infos.append(None if self._repeats[task.id] else self._next())  # they are its design, in order
        return task

    def tell(self, trial: Trial) -> None:
        """Take a result and pass it on to SMAC3."""
        from smac.runhistory import StatusType, TrialValue

        super().tell(trial)
        info, failed = self._infos[trial.task.id], math.isnan(trial.error)
        if info is None:
            return
        if not failed and not self._costs:
            self._unit = 2.0 ** max(0, math.frexp(trial.error)[1])
        cost = max(self._costs, default=1.0) if failed else float(trial.error) / self._unit
        if not failed:
            self._costs.append(cost)
        status = StatusType.CRASHED if failed else StatusType.SUCCESS
        with _quiet():
            self._facade.tell(info, TrialValue(cost=cost, status=status), save=False)

    def _propose(self) -> Candidate | None:
        info = self._next()
        if info is None:
            return None
        self._infos.append(info)
        config, dimensions = info.config, self._space.dimensions.items()
        return {name: from_peer(dimension, config[name]) for name, dimension in dimensions}

    def _next(self) -> Any:
        """SMAC3's next trial; None if it finds none."""
        from smac.main.exceptions import ConfigurationSpaceExhaustedException

        with _quiet():
            try:
                return self._facade.ask()
            except (StopIteration, ConfigurationSpaceExhaustedException):
                return None


def _facade(
    space: SearchSpace,
    n_trials: int,
    seed: int,
    initial: Sequence[Candidate],
    n_initial: int | None,
    retrain_after: int,
) -> tuple[Any, list[Any]]:
    """SMAC3's optimiser and its form of the initial candidates. Call it before anything else imports SMAC3.

    Raises:
        MissingExtraError: without SMAC3 or ConfigSpace.
    """
    with explained():
        from ConfigSpace import Configuration, ConfigurationSpace
        from smac import HyperparameterOptimizationFacade as Facade
        from smac import Scenario

    dimensions = space.dimensions.items()
    smac_space = ConfigurationSpace(seed=seed, space=[_hyperparameter(name, d) for name, d in dimensions])
    design = [Configuration(smac_space, {n: to_peer(d, c[n]) for n, d in dimensions}) for c in initial]
    size: dict[str, Any] = {} if n_initial is None else {"n_configs": n_initial, "max_ratio": 1.0}
    if design:
        size = {"n_configs": 0, "additional_configs": list(design)}
    with TemporaryDirectory() as folder:  # where it saves itself when made, and never again
        scenario = Scenario(
            smac_space, deterministic=True, n_trials=n_trials, seed=seed, output_directory=Path(folder)
        )
        facade = Facade(
            scenario,
            target_function=None,
            model=_forest(smac_space, n_trials, seed),
            acquisition_maximizer=_ordered(Facade.get_acquisition_maximizer(scenario)),
            initial_design=Facade.get_initial_design(scenario, **size),
            config_selector=Facade.get_config_selector(scenario, retrain_after=retrain_after),
            logging_level=False,
            overwrite=True,
        )
    return facade, design


def _forest(smac_space: Any, n_trials: int, seed: int) -> Any:
    """Return the random forest of SMAC3's facade with two changes: it has the same trees, in half the time.

    The facade's own forest runs on all cores, so that sums over trees depend on which tree is ready first. It also
    makes room for 2^20 leaves per tree, although a tree cannot have more leaves than there are trials.
    """
    from smac.model.random_forest import RandomForest

    grown: dict[str, Any] = {"n_trees": 10, "ratio_features": 1.0, "min_samples_split": 2, "min_samples_leaf": 1}
    return RandomForest(smac_space, log_y=True, **grown, max_leaf_nodes=max(2, n_trials), n_jobs=1, seed=seed)


def _ordered(maximiser: Any) -> Any:
    """SMAC3's search with its starts in order of their coordinates: the same starts, and nothing else changed.

    It keeps them in a set that is hashed by strings, so that its suggestions differ from process to process.

    Raises:
        RuntimeError: if this SMAC3 has no such function.
    """
    search: Any = getattr(maximiser, "_local_search", None)
    unordered = getattr(search, "_get_init_points_from_previous_configs", None)
    if unordered is None:
        raise RuntimeError(
            f"SMAC3 {version('smac')} has no _local_search._get_init_points_from_previous_configs, which is "
            "wrapped here so that a killed run ends with the same trials; install smac==2.4.1"
        )

    def starts(*args: Any) -> list[Any]:
        return sorted(unordered(*args), key=lambda config: tuple(config.get_array()))

    search._get_init_points_from_previous_configs = starts
    return maximiser


@contextmanager
def _quiet() -> Iterator[None]:
    """Suppress SMAC3's log of its search."""
    logger = logging.getLogger("smac")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)


def _hyperparameter(name: str, dimension: Dimension) -> Any:
    from ConfigSpace import CategoricalHyperparameter, Float, OrdinalHyperparameter
    from ConfigSpace import Integer as Whole

    if isinstance(dimension, Choice):
        listed = CategoricalHyperparameter if dimension.kind == "categorical" else OrdinalHyperparameter
        return listed(name, list(range(len(dimension.values))))
    if isinstance(dimension, Integer):
        return Whole(name, (dimension.low, dimension.high), log=dimension.scale == "log")
    return Float(name, (0.0, 1.0))
