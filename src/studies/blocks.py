"""Settings of a search by one method on one problem, from the configuration's block of its study.

The studies are those of `registry.searches`.

Light to import, since the workflow reads it at every start.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from frugal.checks import check_known, check_whole
from frugal.registry import needs
from studies import registry
from studies.records import Method, Study

SPACE = "hypertune"
"""Name of the spaces of document 004's learners."""
ROWS = ("n_train", "n_valid", "n_test")
"""Keys of the numbers of rows of document 004's problems."""
NEEDS = ("sizes", "n_valid", "auxiliary", "rungs", "subset_rows")
"""Facts of a problem that a strategy may ask for: the numbers of rows that trials may have, the number of
validation rows, the rows of a small task, those of rungs (each the same multiple of the one before), those of a
subset."""
NOT_OF_THE_PROBLEM = (
    *("n_seeds", "n_trials", "default_n_trials", "default_n_initial", "strategies"),
    *("check_share", "curve", "termination"),
    *("datasets", "tables", "scalers", "subset_share", "rows_per_class", "sizes"),
)
"""Keys of a search's block that are not its problem's: the workflow's and its methods', those of termination, and
those that say by data set what `on_dataset` reads."""
_RECORDED = ("strategy", "draws", "termination")
"""Settings that the record of a method holds, so that its block must not."""


def block_of(search: Study, config: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration of an experiment; it takes missing keys from the experiment that it stands beside."""
    block = dict(config[registry.paper_of(search.name)][search.name])
    if not search.beside:
        return block
    shared = config[registry.paper_of(search.beside)][search.beside]
    return {key: value for key, value in shared.items() if key not in ("n_trials", "strategies")} | block


def n_trials_of(search: Study, block: Mapping[str, Any], dataset: str) -> dict[str, int]:
    """Number of trials by method of an experiment on a data set, without the methods that are not run there.

    Args:
        search: the experiment.
        block: its configuration. `n_trials` is one number for all methods, or a mapping by method. A value of the
            mapping is a number, None (not run), or a mapping by data set (None or no entry: not run there).
            `default_n_trials` is the number for methods without an entry, `n_initial` the number of first
            candidates. `strategies` holds settings by method, which may include an `n_initial` of their own.
        dataset: one of its problems'.

    Raises:
        ValueError: on an unknown method or data set, whose message lists the known ones, a method without a
            number, or more first candidates than trials.
    """
    n_trials = block["n_trials"]
    if not isinstance(n_trials, Mapping):
        n_trials = dict.fromkeys(search.method_names, n_trials)
    for name in (*n_trials, *block.get("strategies", {})):
        check_known(f"method of {search.name}", name, _known(search))
    found = {}
    for method in search.methods:
        if method.name not in n_trials and block.get("default_n_trials") is None:
            raise ValueError(f"n_trials must have a number for {method.name}, or null where it is not run")
        number = n_trials.get(method.name, block.get("default_n_trials"))
        if isinstance(number, Mapping):
            for name in number:
                check_known(f"dataset of {search.name} in n_trials.{method.name}", name, _datasets_of(search))
            number = number.get(dataset)
        if number is not None:
            n_initial = settings_of(method, block).get("n_initial", block.get("n_initial", 1))
            check_whole(f"n_initial of {method.name}", n_initial, 1)
            if n_initial > number:
                raise ValueError(
                    f"n_initial of {method.name} must be at most n_trials = {number}, got {n_initial}"
                )
            found[method.name] = int(number)
    return found


def _known(search: Study) -> list[str]:
    """Methods that the configuration of an experiment may speak of.

    The configuration chooses the methods of a comparison, so its blocks may name any known method. The methods of
    the experiment beside it are excepted, since that experiment has its own numbers for them.
    """
    if not search.chooses:
        return list(search.method_names)
    beside = registry.study(search.beside).method_names if search.beside else ()
    known = dict.fromkeys((*registry.search_methods(), *search.method_names))
    return [name for name in known if name not in beside]


def settings_of(method: Method, block: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of a method: those of the method that it is a variant of, its own, and the record's, in this order.

    If none of them has `n_initial`, the method begins with the block's `default_n_initial`, if that is there.

    Raises:
        ValueError: if the block says what the record of the method does.
    """
    blocks = block.get("strategies", {})
    configured = blocks.get(method.name, {})
    default = {"n_initial": block["default_n_initial"]} if "default_n_initial" in block else {}
    for name in (*_RECORDED, *method.settings):
        if name in configured:
            raise ValueError(
                f"strategies.{method.name} must not hold {name}, which belongs to the method; one with another "
                f"{name} needs another name"
            )
    return {**default, **blocks.get(method.variant_of, {}), **configured, **method.settings}


def planned(
    search: Study,
    method: Method,
    block: Mapping[str, Any],
    dataset: str,
    *,
    table: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Settings of a search by a method on a problem, as `benchmarks.searches.search` takes them.

    Args:
        search: the experiment.
        method: one of what it compares.
        block: its configuration, as of `block_of`.
        dataset: the problem's.
        table: where trials are on listed sizes, what holds `sizes` and `n_valid`.

    Raises:
        ValueError: if a method with termination is not on stored curves, or as `settings_of` and `sized`.
    """
    settings = settings_of(method, block)
    if search.resource == "epochs":
        _check_needs_no_rows(search, method)
    elif search.resource == "rows":
        settings = on_rows(method, settings, block, dataset)
    elif search.resource == "sizes" and table is not None:
        settings = sized(method, settings, table)
    if method.strategy != method.name:
        settings["strategy"] = method.strategy
    if method.variant_of:
        settings["draws"] = method.variant_of
    if method.termination is not None:
        settings["termination"] = _termination(search, method, block)
    return settings


def _check_needs_no_rows(search: Study, method: Method) -> None:
    """Refuse a method that must be told numbers of rows, where trials differ in their epochs alone."""
    unmet = [need for need in needs_of(method) if need != "rungs"]  # those of rungs may be of epochs
    if unmet:
        others = [name for name, one in registry.searches().items() if one.chooses and one.resource != "epochs"]
        raise ValueError(
            f"{method.name} needs {' and '.join(unmet)} of its problem, and in {search.name} all trials have all "
            f"rows; its experiments may be {', '.join(others)}"
        )


def _termination(search: Study, method: Method, block: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of `Terminating`: those of the block, and the method's over them."""
    if search.resource != "epochs":
        raise ValueError(
            f"{method.name} of {search.name} cuts trials short, which is for experiments on stored curves: "
            f"{', '.join(name for name, other in registry.searches().items() if other.resource == 'epochs')}"
        )
    shared = {"curve": block["curve"], "check_share": block["check_share"]}
    return {**block["termination"], **shared, **(method.termination or {})}


def needs_of(method: Method) -> tuple[str, ...]:
    """What the strategy of a method must be told of its problem: `needs` of its class, each one of `NEEDS`.

    Raises:
        ValueError: on another need; the message lists the known ones.
    """
    found = needs("frugal.trials.strategies", method.strategy)
    for need in found:
        check_known(f"need of the strategy {method.strategy}", need, NEEDS)
    return found


def sized(method: Method, configured: Mapping[str, Any], table: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of a method on a table or stored curves: its own, and what its strategy needs of these.

    Args:
        method: which.
        configured: its settings; where there is a small task, that has one `divisor`-th of the largest size.
        table: the block of the table, with `sizes`, and `n_valid` where that is needed.

    Raises:
        ValueError: if the table lacks the size that a divisor leads to, or has no sizes for rungs, each the same
            multiple of the one before.
    """
    settings, sizes = dict(configured), sorted(table["sizes"])
    for need in needs_of(method):
        if need in ("auxiliary", "rungs") and len(sizes) < 2:
            raise ValueError(f"sizes must be at least two for {method.name}, got {sizes[0]} alone")
        match need:
            case "sizes":
                settings["sizes"] = sizes
            case "n_valid":
                settings["n_valid"] = table["n_valid"]
            case "auxiliary":
                ratios = [sizes[-1] // size for size in sizes[:-1]]
                divisor = settings.pop("divisor", 4 if 4 in ratios else ratios[-1])
                if sizes[-1] / divisor not in sizes[:-1]:
                    raise ValueError(
                        f"divisor of {method.name} must lead from {sizes[-1]} rows to one of "
                        f"{', '.join(map(str, sizes[:-1]))}, got {divisor}"
                    )
                settings |= {"auxiliary": sizes[-1] // divisor, "n_max": sizes[-1]}
            case "rungs":
                factor = sizes[1] // sizes[0]
                if sizes != [sizes[0] * factor**i for i in range(len(sizes))]:
                    raise ValueError(
                        f"sizes must each be the same multiple of the one before for {method.name}, got "
                        f"{', '.join(map(str, sizes))}"
                    )
                rungs = {"min_resource": sizes[0], "max_resource": sizes[-1], "reduction_factor": factor}
                settings = {"resource": "rows", **rungs, **settings}
            case "subset_rows":  # an eighth of the most rows, or the next size below
                few = [sizes[0], *(size for size in sizes if size <= sizes[-1] / 8)]
                settings = {"subset_rows": few[-1], **settings}
    return settings


def on_rows(method: Method, settings: Mapping[str, Any], block: Mapping[str, Any], dataset: str) -> dict[str, Any]:
    """Settings of a method of document 004 on a data set: what its strategy needs of the rows, and its own.

    Args:
        method: which.
        settings: its own; they win.
        block: of the learner; subset_share is what a subset is of the training rows, rows_per_class the least
            that subsets, sizes and rungs on rows may have.
        dataset: its name.
    """
    rows, least = rows_of(block, dataset), block["rows_per_class"] * len(class_counts_of(dataset))
    found: dict[str, Any] = {}
    for need in needs_of(method):
        match need:
            case "sizes":
                found |= {"n_min": least, "n_max": rows["n_train"]}
            case "n_valid":
                found["n_valid"] = rows["n_valid"]
            case "subset_rows":
                found["subset_rows"] = max(round(block["subset_share"] * rows["n_train"]), least)
            case "rungs" if settings.get("resource") == "rows":
                from frugal.trials.brackets import robo_settings

                # HyperTune's time is every method's budget, where RoBO ends after a number of brackets
                found |= {**robo_settings(rows["n_train"], least), "n_brackets": None}
    return {**found, **settings}


def readings_with(block: Mapping[str, Any], experiment: str) -> list[str]:
    """Other readings of document 001 in which one of its experiments is run, by name.

    Args:
        block: the document's; without readings where it is older than they are.
        experiment: one of its studies.
    """
    readings = block.get("readings", {})
    return [name for name, one in readings.items() if experiment in one.get("studies", [experiment])]


def tables_of_sizes(config: Mapping[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    """By learner and data set the block of every table of fits, or of curves on several sizes, with `sizes`."""
    found = {("lookup", name): dict(block) for name, block in config["lookup"].items()}
    for name, (_, block) in curve_sets(config).items():
        if isinstance(block["n_train"], list):
            found["curves", name] = {**block, "sizes": block["n_train"]}
    return found


def curve_sets(config: Mapping[str, Any]) -> dict[str, tuple[str, Mapping[str, Any]]]:
    """Every set of stored curves by its name as a problem: its name in the configuration, and its block."""
    return {f"{name}_{block['dataset']}": (name, block) for name, block in config["curves"]["networks"].items()}


def class_counts_of(dataset: str) -> tuple[int, ...]:
    """Rows of each class of a data set, or of its stand-in where they are only known once it has arrived."""
    from frugal.datasets.catalogue import CATALOGUE

    return CATALOGUE[dataset].class_counts or CATALOGUE[dataset].stand_in_counts


def chosen_problems(search: Study, block: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Learner and data set of an experiment's searches: all, or those that a block of document 004 chooses."""
    chosen = block["datasets"] if search.resource == "rows" else block.get("tables", _datasets_of(search))
    return [(learner, name) for learner, name in search.problems if name in chosen]


def check_block(search: Study, block: Mapping[str, Any]) -> None:
    """Refuse a block whose searches could not be run or compared.

    Args:
        search: the experiment.
        block: its configuration; one with neither sizes of its own nor a choice of datasets passes.

    Raises:
        ValueError: if the largest of its sizes is not all training rows; on a data set that its learner is not
            tuned on, or without a number of rows, or if HyperTune, whose time is every method's budget, is not
            run on it.
    """
    if "sizes" in block and block["n_train"] != max(block["sizes"]):
        raise ValueError(f"n_train must be {max(block['sizes'])}, the largest of sizes, got {block['n_train']}")
    if search.resource != "rows":
        return
    for dataset in block["datasets"]:
        check_known(f"dataset of {search.name}", dataset, _datasets_of(search))
        rows_of(block, dataset)
        if "hypertune" not in n_trials_of(search, block, dataset):
            raise ValueError(
                f"n_trials.hypertune must be a number, since its time is the budget of all, got none on {dataset}"
            )


def check_unique(searches: Iterable[Study]) -> None:
    """Raise if the searches of two experiments would be the same file.

    Raises:
        ValueError: naming method, problem and both experiments.
    """
    found: dict[tuple[str, str, str], str] = {}
    for search in searches:
        for learner, dataset in search.problems:
            for method in search.method_names:
                other = found.setdefault((learner, dataset, method), search.name)
                if other != search.name:
                    raise ValueError(
                        f"{method} of {learner} on {dataset} is a search of {other} and of {search.name}; "
                        "give it another name in one of them"
                    )


def _datasets_of(search: Study) -> list[str]:
    return [name for _, name in search.problems]


def rows_of(block: Mapping[str, Any], dataset: str) -> dict[str, int]:
    """Training, validation and test rows of a data set; a block has one number for all data sets, or one for each.

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
    """Settings of `benchmarks.problem` for a data set of document 004: rows, scaler and space."""
    scaler = block.get("scalers", {}).get(dataset, "none")
    return {**rows_of(block, dataset), "scaler": scaler, "space": SPACE}
