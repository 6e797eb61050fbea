# What the rules of rows.smk, trials.smk, lookup.smk, curves.smk and those of the papers run, and their files.

from studies.blocks import (
    block_of,
    chosen_problems,
    classes_of,
    n_trials_of,
    on_dataset,
    planned,
    tables_of_sizes,
)
from studies.experiments import EXPERIMENTS
from studies.trials_comparison.problems_and_methods import searches_of

ROWS = {
    name: config[experiment.package.split(".")[0]][name]
    for name, experiment in EXPERIMENTS.items()
}
TIMED = [name for name, experiment in EXPERIMENTS.items() if experiment.is_timed]


def row_files(wildcards):
    """What the methods of an experiment give."""
    return [
        f"results/rows/{wildcards.experiment}/{method}/seeds{first}-{last}.parquet"
        for method in EXPERIMENTS[wildcards.experiment].methods
        for first, last in blocks_of(
            ROWS[wildcards.experiment]["n_seeds"], config["seeds_per_job"]
        )
    ]


def row_datasets(experiment):
    """The prepared datasets that an experiment reads; what it generates itself is not among them."""
    block, key = ROWS[experiment], EXPERIMENTS[experiment].datasets
    names = [block[key]] if key == "dataset" else block[key] if key else []
    prepared = [
        path for name in names if name in CATALOGUE for path in dataset_files(name)
    ]
    replayed = EXPERIMENTS[experiment].replays_curves
    return prepared + ([row_curves(block)] if replayed else [])


def row_curves(block):
    """The file of the stored curves that an experiment replays."""
    name = block["curves"]
    return f"results/curves/{name}_{CURVES[name]['dataset']}.parquet"


def row_settings(experiment):
    """Settings of an experiment, as JSON; the number of seeds is the workflow's own."""
    block = ROWS[experiment]
    settings = {key: value for key, value in block.items() if key != "n_seeds"}
    if EXPERIMENTS[experiment].replays_curves:
        settings["table"] = row_curves(block)
    return json.dumps(settings, sort_keys=True)


def job_methods(experiment):
    """Methods that one job does: all of the experiment, or the one in its path."""
    if config["methods_per_job"] == "all":
        return EXPERIMENTS[experiment].methods
    return ["{method}"]


JOB = "all" if config["methods_per_job"] == "all" else "{method}"

try:
    SEARCHES = searches_of(config)
except ValueError as error:
    raise WorkflowError(str(error)) from None
SEARCH_BLOCKS = {name: block_of(search, config) for name, search in SEARCHES.items()}
CURVES = config["curves"]["networks"]
LOOKED_UP = ("lookup", "curves")
TABLES_OF_SIZES = tables_of_sizes(config)
CURVE_SETS = [
    f"{name}_{block['dataset']}"
    for name, block in CURVES.items()
    if not isinstance(block["n_train"], list)
]


def strategy_settings(search, method, learner, problem):
    """Settings of a method on a problem: those of its block, and what the problem asks for."""
    block = SEARCH_BLOCKS[search.name]
    table = TABLES_OF_SIZES.get((learner, problem), block)
    n_classes = classes_of(problem) if search.resource == "rows" else 0
    return planned(search, method, block, problem, table=table, n_classes=n_classes)


SEARCH_OF = {
    (*of, method): search
    for search in SEARCHES.values()
    for of in search.problems
    for method in search.methods
}
PROBLEMS_OF = {
    name: chosen_problems(search, SEARCH_BLOCKS[name])
    for name, search in SEARCHES.items()
}
try:
    SEARCH_TRIALS = {
        (name, problem): n_trials_of(search, SEARCH_BLOCKS[name], problem)
        for name, search in SEARCHES.items()
        for _, problem in PROBLEMS_OF[name]
    }
    SEARCH_STRATEGIES = {
        (learner, problem, method.name): strategy_settings(
            search, method, learner, problem
        )
        for name, search in SEARCHES.items()
        for learner, problem in PROBLEMS_OF[name]
        for method in search.compared
        if method.name in SEARCH_TRIALS[name, problem]
    }
except ValueError as error:
    raise WorkflowError(str(error)) from None


def search_input(wildcards):
    """What a search reads: a table of fits, stored curves, a prepared dataset, or nothing if it is of a function."""
    if wildcards.learner in LOOKED_UP:
        made = f"results/{wildcards.learner}/{wildcards.dataset}"
        search = SEARCH_OF[wildcards.learner, wildcards.dataset, wildcards.method]
        cuts = search.method(wildcards.method).termination is not None
        ends = ("", "_extrapolations") if cuts else [""]
        return [f"{made}{end}.parquet" for end in ends]
    if wildcards.dataset not in CATALOGUE:
        return []
    checked = default_check(wildcards.learner, wildcards.dataset)
    return [*processed(wildcards), *map(ancient, checked)]


def default_check(learner, dataset):
    """Of a network that is tuned, the file that says that its default does what it should."""
    if learner not in config["hypertune"]["defaults"]:
        return []
    rows = config["hypertune"]["defaults"][learner]["n_rows"]
    name = dataset if rows is None else f"{dataset}_{rows}"
    return [f"results/{DEFAULT_CHECK}.csv".format(classifier=learner, dataset=name)]


def search_trials(wildcards):
    """How many trials a search makes."""
    search = SEARCH_OF[wildcards.learner, wildcards.dataset, wildcards.method]
    return SEARCH_TRIALS[search.name, wildcards.dataset][wildcards.method]


def search_minutes(wildcards):
    """Minutes that a search may take; document 004 gives its network 24 hours."""
    search = SEARCH_OF[wildcards.learner, wildcards.dataset, wildcards.method]
    return 1440 if search.paper == "hypertune" else 120


def search_settings(wildcards):
    """Settings of a search, as JSON: the problem's, and those of its own strategy."""
    search = SEARCH_OF[wildcards.learner, wildcards.dataset, wildcards.method]
    settings = {
        key: value
        for key, value in SEARCH_BLOCKS[search.name].items()
        if key not in (*OF_WORKFLOW, *OF_TERMINATION, *OF_ROWS)
    }
    if search.resource == "rows":
        settings |= on_dataset(SEARCH_BLOCKS[search.name], wildcards.dataset)
    settings["strategies"] = {
        wildcards.method: SEARCH_STRATEGIES[
            wildcards.learner, wildcards.dataset, wildcards.method
        ]
    }
    if wildcards.learner in LOOKED_UP:
        settings["table"], *made = search_input(wildcards)
        settings |= {"extrapolations": path for path in made}
    return json.dumps(settings, sort_keys=True)


OF_WORKFLOW = ("n_seeds", "n_trials", "default_n_trials")
OF_TERMINATION = ("check_share", "curve", "termination")
OF_ROWS = ("datasets", "scalers", "subset_share", "rows_per_class", "sizes")


def search_files(wildcards):
    """All searches of an experiment, after what they look up, where that holds several numbers of rows."""
    search, problems = SEARCHES[wildcards.search], PROBLEMS_OF[wildcards.search]
    return [
        f"results/{learner}/{name}.parquet"
        for learner, name in problems
        if learner in LOOKED_UP and search.resource == "sizes"
    ] + [
        f"results/trials/{method}/{learner}/{dataset}/seed{seed}.parquet"
        for method in search.methods
        for learner, dataset in problems
        if method in SEARCH_TRIALS[wildcards.search, dataset]
        for seed in range(SEARCH_BLOCKS[wildcards.search]["n_seeds"])
    ]


def gather_flags(wildcards):
    """Flags that gather an experiment's searches; what they look up has no method to be ordered by."""
    search = SEARCHES[wildcards.search]
    keys = {"lookup": " --by dataset seed", "curves": " --by dataset"}
    by = keys.get(search.problems[0][0], "") if search.resource == "sizes" else ""
    by = " --by dataset seed" if search.resource == "epochs" else by
    return f"--experiment {search.name}{by}"


def lookup_settings(wildcards):
    """What a table is of, as JSON."""
    block = config["lookup"][wildcards.table]
    return json.dumps(
        {key: value for key, value in block.items() if key != "n_rechecked"},
        sort_keys=True,
    )


def lookup_dataset(wildcards):
    """The files of the prepared dataset of a table."""
    return dataset_files(config["lookup"][wildcards.table]["dataset"])
