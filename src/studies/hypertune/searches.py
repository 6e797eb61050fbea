"""What tables, figures and claims of document 004 share: learners, data sets, searches, budgets and floors.

Light to import: what fits a surrogate or a learner is imported where it is needed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pandas as pd

from frugal.checks import check_settings
from studies.estimates import NOT_RUN
from studies.shared.searches import CELL, lowest, so_far, trials_of
from studies.tidy import is_stand_in

if TYPE_CHECKING:
    from frugal.interface import Candidate
    from frugal.trials.lines import JournalPath


class Learner(NamedTuple):
    """A tuned learner.

    Attributes:
        printed: its name in the file of the printed tables.
        title: in figures.
        section: of the document.
    """

    printed: str
    title: str
    section: str


def is_tuned(config: Mapping[str, Any], *, learner: str) -> bool:
    """Whether a configuration has a data set that a learner is tuned on."""
    return bool(config["hypertune"][learner]["datasets"])


class DataSet(NamedTuple):
    """A data set.

    Attributes:
        printed: its name in the file of the printed tables, and in ours beside them.
        title: in figures.
    """

    printed: str
    title: str


LEARNERS: Final = {
    "elastic_net": Learner("elastic_net", "Elastic net", "Elastic Net"),
    "svm": Learner("svm_rbf", "SVM", "SVM with RBF Kernel"),
    "svm_rff": Learner("svm_rff", "SVM, random features", "SVM with Kernel Approximation"),
    "mlp": Learner("mlp", "MLP", "Multi-layer Perceptron"),
    "cifar_cnn": Learner("cnn", "CNN", "Convolutional Neural Network"),
}
DATASETS: Final = {
    "letter": DataSet("letter", "letter"),
    "mnist": DataSet("mnist", "MNIST"),
    "adult_codes": DataSet("adult", "adult, unscaled codes"),
    "adult": DataSet("adult_scaled", "adult, scaled"),
    "vehicle": DataSet("vehicle", "vehicle"),
    "cifar10": DataSet("cifar10", "CIFAR-10 (JPEG)"),
}
"""The printed errors on adult are the majority's: its codes were not scaled. Ours are of both."""
REFIT_SETTINGS: Final = ("n_train", "n_valid", "n_test", "scalers", "epochs", "time_s")
"""Keys of a learner's block that its refits depend on."""
PANELS: Final = {"trials": "trial", "seconds": "spent_seconds"}
"""Panel -> what it is drawn against."""
N_POINTS: Final = 201
"""Points of a mean curve over seconds."""
MAJORITY: Final = "majority"
"""The guess beside the methods: always the most frequent class."""
OPTIMUM: Final = "hypertune_from_optimum"
"""HyperTune from the average of the subsets' optima, where `hypertune` starts as its rivals do."""
METHODS: Final = (MAJORITY, "random", "ei", "fabolas", "hyperband", "hyperband_rows", "hypertune", OPTIMUM)
TESTER: Final = "hypertune"
"""The method whose time is every method's budget."""
CONTROLS: Final = ("hypertune_reversed", "hypertune_unsigned", "hypertune_neutral", "hypertune_literal")
"""HyperTune with all signs reversed, with none, with one on a neutral hyperparameter alone, and with signs where
Algorithm 1 literally puts them."""
PROBLEM: Final = ["learner", "dataset", "seed"]
"""Columns that name a problem on which methods are compared."""

FLOOR: Final = 3
"""Repetitions below which no number is published and no verdict given."""
FLOOR_ROWS: Final = 8_000
"""Training rows below which no number is published and no verdict given; of networks `FLOOR_IMAGES`. Searches on
look-up tables have the rows of these: 4,096 of `svm_letter`."""
FLOOR_IMAGES: Final = 10_000
FLOOR_EPOCHS: Final = 10
"""Epochs of networks below which no number is published and no verdict given."""
NETWORKS: Final = ("mlp", "cifar_cnn")


def runs_of(learners: tuple[str, ...], *ends: str) -> Callable[[Mapping[str, Any]], tuple[str, ...]]:
    """A function of the configuration that names the runs of the learners that an artefact shows.

    Where none of these is run, it names those of another learner, so that the artefact can say so.

    Each of `ends` is added to the name of each learner, such as `_refits`.
    """

    def runs(config: Mapping[str, Any]) -> tuple[str, ...]:
        tuned = [name for name in LEARNERS if is_tuned(config, learner=name)]
        shown = [name for name in learners if name in tuned] or tuned[:1]
        return tuple(f"{name}{end}" for name in shown for end in ends)

    return runs


# Searches ------------------------------------------------------------------------------------------------------


def paths(runs: pd.DataFrame) -> pd.DataFrame:
    """Searches in order, with what they had found and spent after each trial.

    Returns:
        The columns of `so_far`, where trial counts whole trials alone; length (epochs of its curve), is_whole (the
        trial was on all rows and, of learners with epochs, on all of these), best (the lowest error of such trials
        so far, nan before one).

    Raises:
        ValueError: if a column is missing, or there are no searches.
    """
    trials = so_far(trials_of(runs, "n_rows", "epochs", "error", "incumbent", "curve"))
    epochs = pd.to_numeric(trials["epochs"])
    trials["length"] = trials["curve"].map(lambda text: len(json.loads(text)))
    most = trials.groupby(["learner", "dataset"])["length"].transform("max")  # HyperTune's are whole
    trials["is_whole"] = trials["n_rows"].isna() & (epochs.isna() | (epochs == most))
    trials["best"] = lowest(trials, trials["error"].where(trials["is_whole"]))
    return trials.assign(trial=trials.groupby(CELL)["is_whole"].cumsum())


def scope(searches: pd.DataFrame) -> pd.DataFrame:
    """The rows and epochs of each search's trials on all rows: `CELL`, n_rows, n_epochs (0 without).

    A trial's cost is its rows times the epochs that it trained itself. The rows of a problem therefore are the
    most that any trial's cost comes to per epoch of its curve. A network that diverged has fewer epochs.
    """
    whole = searches[searches["n_rows"].isna()]
    n_rows = whole["cost"] / whole["length"].clip(lower=1)
    n_rows = n_rows.groupby([whole[name] for name in PROBLEM]).transform("max")
    facts = whole[CELL].assign(n_rows=n_rows, n_epochs=whole["length"].where(whole["is_whole"], 0))
    return facts.groupby(CELL, as_index=False, sort=False).max()


def least_scope(searches: pd.DataFrame) -> pd.DataFrame:
    """learner, dataset, method, n_rows and n_epochs: the least of `scope` over seeds."""
    return scope(searches).groupby(CELL[:3])[["n_rows", "n_epochs"]].min().reset_index()


def budget_of(path: pd.DataFrame, n_valid: int) -> float:
    """Seconds that the document gives HyperTune's rivals: what its own search spent until it converged.

    Source: section "Experimental setting": the running time includes "the time to converge to the best validation
    set performance (not considering if the improvement is within the 2 sigma), and the time for smaller dataset
    experiments". So it is all that was spent on subsets, and what was spent on all rows up to the first trial
    whose error is within two sigma of the lowest. The document does not define its sigma. Ours is that of the
    lowest error, measured on `n_valid` rows: one fitted to some ten trials may be anything between none and their
    whole spread.

    Args:
        path: the trials in order, with their seconds and `overhead_s`; those without `n_rows` are on all rows.
        n_valid: validation rows.

    Raises:
        ValueError: if fewer than two trials on all rows succeeded.
    """
    spent, on_all = path["seconds"] + path["overhead_s"], path["n_rows"].isna().to_numpy()
    errors = path["error"][on_all].dropna()
    if len(errors) < 2:
        raise ValueError(f"a budget needs at least two trials on all rows that succeeded, got {len(errors)}")
    least = float(errors.min())
    sigma = math.sqrt(least * (1 - least) / n_valid)
    near = on_all & (path["error"] <= least + 2.0 * sigma).to_numpy()
    until = on_all & (np.arange(len(path)) <= near.argmax())
    return float(spent[~on_all].sum()) + float(spent[until].sum())


def choice_within(path: pd.DataFrame, total_s: float) -> tuple[Candidate | None, float]:
    """What a search had chosen when a budget was spent, and the seconds that it had spent by then.

    A trial that is under way when the budget ends does not count, unless nothing was chosen before: then it is the
    first choice, and more was spent than the budget.

    Returns:
        The candidate; None if the search never chose any, with all its seconds.
    """
    has_chosen = path["incumbent"].map(lambda text: isinstance(text, str))
    if not has_chosen.any():
        return None, float(path["spent_seconds"].iloc[-1])
    is_within = has_chosen & (path["spent_seconds"] <= total_s * (1 + 1e-9))
    row = path[is_within].iloc[-1] if is_within.any() else path[has_chosen].iloc[0]
    return json.loads(row["incumbent"]), float(row["spent_seconds"])


# Choices that were fitted and tested ----------------------------------------------------------------------------


def refit(
    runs: pd.DataFrame,
    settings: Mapping[str, Any],
    root: str | Path = "data",
    journal: JournalPath | None = None,
) -> pd.DataFrame:
    """Fit the choice that each search had made within its time to all training rows, and test it.

    The time is that of HyperTune's search from the same seed, or a fixed one.

    A candidate that several searches of a seed chose is fitted once. `MAJORITY` is added to the methods; its error
    is that of the training rows' most frequent class. Controls are left out, since they are compared by trials.

    Args:
        runs: rows of `benchmarks.searches.search`, HyperTune's among them.
        settings: n_train, training rows, n_valid, validation rows, and n_test, test rows of datasets that set none
            apart, each one number or one by dataset; scalers, by dataset; epochs, of learners trained in epochs;
            time_s, the time of every search, None: HyperTune's of its seed.
        root: folder of the datasets.
        journal: where fits are kept as they are made, so that a killed job goes on; None: nowhere.

    Returns:
        A row per search: experiment ({learner}_refits), method, learner, dataset, seed, data, candidate, budget_s
        (the seconds that each method may spend from this seed), spent_s (those that this search had spent after
        its last trial that counts), whole_s (those of the whole search), n_rows, n_epochs (nan for a learner
        without epochs) and test_error. test_error is nan where training diverged, the fit failed or nothing was
        chosen. Each learner, dataset and seed also has a row of `MAJORITY`, with n_rows and test_error.

    Raises:
        ValueError: if HyperTune's time is asked for and a seed has no search by HyperTune, on an unknown setting,
            or if the journal is another job's.
    """
    from studies.blocks import rows_of
    from studies.shared.refits import SeedFits, data_of

    check_settings(settings, REFIT_SETTINGS, complete=False)
    time_s = settings.get("time_s")
    fits, rows = SeedFits(settings, root, journal, data_of(runs)), []
    for cell, part in paths(runs[~runs["method"].isin(CONTROLS)]).groupby(PROBLEM, sort=False):
        learner, dataset, seed = str(cell[0]), str(cell[1]), int(part["seed"].iloc[0])
        searches = {str(method): path for method, path in part.groupby("method", sort=False)}
        total_s = time_s
        if total_s is None:
            if TESTER not in searches:
                raise ValueError(
                    f"{learner} on {dataset} has no search by {TESTER} from seed {seed}, so no budget"
                )
            total_s = budget_of(searches[TESTER], rows_of(settings, dataset)["n_valid"])
        facts = {"learner": learner, "dataset": dataset, "seed": seed, "data": part["data"].iloc[0]}
        rows.append({"method": MAJORITY, **facts, **fits.majority(learner, dataset, seed)})
        for method, path in searches.items():
            candidate, spent_s = choice_within(path, total_s)
            spent = {"budget_s": total_s, "spent_s": spent_s, "whole_s": float(path["spent_seconds"].iloc[-1])}
            rows.append({"method": method, **facts, **spent, **fits.fit(learner, dataset, seed, candidate)})
    table = pd.DataFrame(rows)
    table.insert(0, "experiment", table["learner"] + "_refits")
    return table


def tested(runs: pd.DataFrame) -> pd.DataFrame:
    """The rows of refits; where a choice diverged, with the majority's error of its seed.

    A choice whose training diverged is worth no more than the most frequent class. Were it left out, its method
    would have the mean of its good seeds.

    Returns:
        Their columns, and is_diverged.
    """
    if "test_error" not in runs:
        return runs.iloc[:0].assign(is_diverged=False)
    fits = runs[runs["test_error"].notna() | runs["spent_s"].notna()]
    majority = fits[fits["method"] == MAJORITY].groupby(PROBLEM)["test_error"].first().rename("majority")
    in_its_place = fits.join(majority, on=PROBLEM)["majority"].where(fits["method"] != MAJORITY)
    is_diverged = fits["test_error"].isna() & in_its_place.notna()
    return fits.assign(test_error=fits["test_error"].fillna(in_its_place), is_diverged=is_diverged)


def is_short(fits: pd.DataFrame) -> pd.Series[bool]:
    """Whether a search had made all its trials before its time was over; rows of `tested`."""
    return fits["whole_s"] < fits["budget_s"] * (1 - 1e-9)


def is_over(fits: pd.DataFrame) -> pd.Series[bool]:
    """Whether a search chose for the first time after its time was over; rows of `tested`."""
    return fits["spent_s"] > fits["budget_s"] * (1 + 1e-6)


# Floors ---------------------------------------------------------------------------------------------------------


def without_stand_ins(runs: pd.DataFrame) -> pd.DataFrame:
    """Runs without those on stand-ins, unless there are no others."""
    real = runs[~runs["data"].map(is_stand_in).astype(bool)]
    return real if len(real) else runs


def reach_floor(table: pd.DataFrame) -> pd.Series[bool]:
    """Whether each row's n_seeds, n_rows and n_epochs reach the published floor; column learner by our names."""
    is_network = table["learner"].isin(NETWORKS)
    enough_rows = table["n_rows"] >= np.where(is_network, FLOOR_IMAGES, FLOOR_ROWS)
    no_epochs = ~is_network | (table["method"] == MAJORITY)
    return (table["n_seeds"] >= FLOOR) & enough_rows & (no_epochs | (table["n_epochs"] >= FLOOR_EPOCHS))


def at_floor(table: pd.DataFrame) -> pd.DataFrame:
    """The rows that reach the published floor where some do, else all."""
    is_enough = reach_floor(table)
    return table[is_enough] if is_enough.any() else table


def reaches_floor(table: pd.DataFrame) -> bool:
    """Whether all numbers of a table or a figure of this paper reach the published floor."""
    if "learner" not in table:  # Figure 1, whose subset is small, and look-up tables: the most rows decide
        return bool(table["n_seeds"].min() >= FLOOR and table["n_rows"].max() >= FLOOR_ROWS)
    names = {learner.printed: name for name, learner in LEARNERS.items()}
    named = table.assign(learner=table["learner"].replace(names), method=table.get("method", TESTER))
    return bool(reach_floor(named).all())


def not_run(columns: list[str], **keys: str) -> pd.DataFrame:
    """A table of one row, which says that nothing was run."""
    blank = {"scale": NOT_RUN, "n_seeds": 0, "n_missing": 0, "published_stars": "", "stars": "", "data": ""}
    return pd.DataFrame([keys | blank]).reindex(columns=columns)
