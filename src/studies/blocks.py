"""What the configuration's block of an experiment of `experiments.SEARCHES` comes to for a method on a problem.

Light to import, since the workflow reads it at every start.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from frugal.checks import check_known
from studies.experiments import SEARCHES

SPACE = "hypertune"
"""Of document 004's learners."""
ROWS = ("n_train", "n_valid", "n_test")
"""Of document 004's problems."""


def block_of(search: str, config: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration of an experiment of `SEARCHES`, with what it has from the one that it stands beside.

    Args:
        search: its name.
        config: all keys.
    """
    of = SEARCHES[search]
    block = dict(config[of.paper][search])
    if not of.beside:
        return block
    shared = config[SEARCHES[of.beside].paper][of.beside]
    return {key: value for key, value in shared.items() if key not in ("n_trials", "strategies")} | block


def n_trials_of(search: str, block: Mapping[str, Any], dataset: str) -> dict[str, int]:
    """Trials by method of an experiment of `SEARCHES` on a data set; a method that is not run there is left out.

    Args:
        search: its name.
        block: its configuration, in which n_trials is one number for all methods, or by method one (None: not
            run) or one by data set (None or none: not run there), n_initial the first candidates, and
            strategies settings by method, their own n_initial among them.
        dataset: one of its problems'.

    Raises:
        ValueError: on an unknown method or data set, whose message lists the known ones, or more first candidates
            than trials.
    """
    methods, n_trials = SEARCHES[search].methods, block["n_trials"]
    if not isinstance(n_trials, Mapping):
        n_trials = dict.fromkeys(methods, n_trials)
    for method in (*n_trials, *block.get("strategies", {})):
        check_known(f"method of {search}", method, methods)
    found = {}
    for method in methods:
        number = n_trials.get(method)
        if isinstance(number, Mapping):
            for name in number:
                check_known(f"dataset of {search} in n_trials.{method}", name, _datasets_of(search))
            number = number.get(dataset)
        if number is not None:
            found[method] = int(number)
    for method, n in found.items():
        of = [method, method.split("_")[0]] if "datasets" in block else [method]  # a variant has its strategy's
        own = [block.get("strategies", {}).get(name, {}).get("n_initial") for name in of]
        n_initial = next((n for n in own if n is not None), block.get("n_initial", 1))
        if n_initial > n:
            raise ValueError(f"n_initial of {method} must be at most n_trials = {n}, got {n_initial}")
    return found


def sized(method: str, own: Mapping[str, Any], table: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of a strategy on a table or stored curves: those of its block, and the sizes that these hold.

    HyperTune's subsets are an eighth of the most rows, or the next size below; Hyperband's rungs are the sizes.

    Args:
        method: name of the strategy, or of the variant that `own` says it is.
        own: its block; of mtbo, `divisor` says which part of the largest size the small task has.
        table: the block of the table; of strategies other than Hyperband and HyperTune n_valid, too.

    Raises:
        ValueError: if the table lacks the size that a divisor leads to, or has no sizes for Hyperband, each the
            same multiple of the one before.
    """
    settings, sizes = dict(own), sorted(table["sizes"])
    match settings.get("strategy", method):
        case "fabolas":
            settings |= {"sizes": sizes, "n_valid": table["n_valid"]}
        case "mtbo":
            divisor = settings.pop("divisor", 4)
            if sizes[-1] / divisor not in sizes[:-1]:
                raise ValueError(
                    f"divisor of {method} must lead from {sizes[-1]} rows to one of "
                    f"{', '.join(map(str, sizes[:-1]))}, got {divisor}"
                )
            settings |= {"auxiliary": sizes[-1] // divisor, "n_max": sizes[-1], "n_valid": table["n_valid"]}
        case "hyperband":
            factor = sizes[1] // sizes[0]
            if sizes != [sizes[0] * factor**i for i in range(len(sizes))]:
                raise ValueError(
                    f"sizes must each be the same multiple of the one before for {method}, got "
                    f"{', '.join(map(str, sizes))}"
                )
            rungs = {"min_resource": sizes[0], "max_resource": sizes[-1], "reduction_factor": factor}
            settings = {"resource": "rows", **rungs, **settings}
        case "hypertune":
            few = [sizes[0], *(size for size in sizes if size <= sizes[-1] / 8)]
            settings = {"subset_rows": few[-1], **settings}
    return settings


def on_rows(method: str, block: Mapping[str, Any], dataset: str, n_classes: int) -> dict[str, Any]:
    """Settings of a strategy of document 004 on a data set: those of its block, and what follows from its rows.

    Args:
        method: name of the strategy; `{name}_{variant}` has the settings and random numbers of the strategy
            `name`, and its own settings over them.
        block: of the learner; subset_share is what HyperTune's subsets are of the training rows, rows_per_class
            the least that these have and that Fabolas and Hyperband on rows may ask for.
        dataset: its name.
        n_classes: its classes.
    """
    name, rows = method.split("_")[0], rows_of(block, dataset)
    own = {**block["strategies"].get(name, {}), **block["strategies"].get(method, {})}
    if name != method:
        own |= {"strategy": name, "draws": name}
    least = block["rows_per_class"] * n_classes
    match name, own.get("resource"):
        case "hypertune", _:
            return {"subset_rows": max(round(block["subset_share"] * rows["n_train"]), least), **own}
        case "fabolas", _:
            return {"n_min": least, "n_max": rows["n_train"], "n_valid": rows["n_valid"], **own}
        case "hyperband", "rows":
            from frugal.trials.brackets import robo_settings

            # HyperTune's time is every method's budget, where RoBO ends after a number of brackets
            return {**robo_settings(rows["n_train"], least), "n_brackets": None, **own}
    return own


def check_block(search: str, block: Mapping[str, Any]) -> None:
    """Refuse a block whose searches could not be run or compared.

    Args:
        search: its name.
        block: its configuration; one with neither sizes of its own nor a choice of datasets passes.

    Raises:
        ValueError: if the largest of its sizes is not all training rows; on a data set that its learner is not
            tuned on, or without a number of rows, or if HyperTune, whose time is every method's budget, is not
            run on it.
    """
    if "sizes" in block and block["n_train"] != max(block["sizes"]):
        raise ValueError(f"n_train must be {max(block['sizes'])}, the largest of sizes, got {block['n_train']}")
    for dataset in block.get("datasets", ()):
        check_known(f"dataset of {search}", dataset, _datasets_of(search))
        rows_of(block, dataset)
        if "hypertune" not in n_trials_of(search, block, dataset):
            raise ValueError(
                f"n_trials.hypertune must be a number, since its time is the budget of all, got none on {dataset}"
            )


def _datasets_of(search: str) -> list[str]:
    return [name for _, name in SEARCHES[search].problems]


def rows_of(block: Mapping[str, Any], dataset: str) -> dict[str, int]:
    """`ROWS` of a data set that a block of document 004 has: each one number for all data sets, or one for each.

    Raises:
        ValueError: if a number is by data set and this one has none.
    """
    found = {}
    for name in ROWS:
        if isinstance(block.get(name), Mapping):
            check_known(f"dataset in {name}", dataset, block[name])
            found[name] = int(block[name][dataset])
        elif name in block:
            found[name] = int(block[name])
    return found


def on_dataset(block: Mapping[str, Any], dataset: str) -> dict[str, Any]:
    """What `trials.searches.problem` is to be told of a data set of document 004: rows, scaler and space.

    Args:
        block: `ROWS`, as of `rows_of`, and scalers, by data set; the others are not scaled.
        dataset: its name.
    """
    scaler = block.get("scalers", {}).get(dataset, "none")
    return {**rows_of(block, dataset), "scaler": scaler, "space": SPACE}


def terminated(method: str, block: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of a strategy on stored curves: those of its block, and termination where its name asks for it.

    Args:
        method: one of `SEARCHES["curve_search"]`; `{name}_terminated` is the strategy `name` with termination, and
            draws what that draws without.
        block: of the experiment; termination holds settings of `Terminating`, curve those of its sampler,
            check_share what its p is of the curves' epochs.
    """
    own, wrapped = block["strategies"].get(method, {}), method.removesuffix("_terminated")
    if wrapped == method:
        return dict(own)
    termination = {**block["termination"], "curve": block["curve"], "check_share": block["check_share"]}
    settings = {**block["strategies"].get(wrapped, {}), **own}
    return {"strategy": wrapped, "draws": wrapped, "termination": termination, **settings}
