# What the rules of rows.smk and trials.smk run, and the files that they read and make.

from frugal.papers.experiments import EXPERIMENTS

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
    block = ROWS[experiment]
    names = [
        *block.get("datasets", []),
        *([block["dataset"]] if "dataset" in block else []),
    ]
    return [
        f"data/processed/{name}/provenance.json" for name in names if name in CATALOGUE
    ]


def row_settings(experiment):
    """Settings of an experiment, as JSON; the number of seeds is the workflow's own."""
    block = ROWS[experiment]
    return json.dumps(
        {key: value for key, value in block.items() if key != "n_seeds"}, sort_keys=True
    )


def job_methods(experiment):
    """Methods that one job does: all of the experiment, or the one in its path."""
    if config["methods_per_job"] == "all":
        return EXPERIMENTS[experiment].methods
    return ["{method}"]


JOB = "all" if config["methods_per_job"] == "all" else "{method}"

STRATEGIES = ("random", "tpe", "smac", "ei", "ei_explore", "dngo")  # compared in it
SEARCHES = {
    "task2": [("logistic_regression", "mnist")],
    "functions": [("function", "branin"), ("function", "hartmann6")],
    "logistic": [("sgd_logistic_regression", "mnist")],
}
SEARCHERS = {
    experiment: (
        (*STRATEGIES, "doc002_as_coded") if experiment == "task2" else STRATEGIES
    )
    for experiment in SEARCHES
}
SEARCH_OF = {of: name for name, problems in SEARCHES.items() for of in problems}


def search_block(wildcards):
    """The configuration of the experiment that a search belongs to."""
    return config["exploration"][SEARCH_OF[wildcards.learner, wildcards.dataset]]


def search_settings(wildcards):
    """Settings of a search, as JSON: the problem's, and those of its own strategy."""
    block = search_block(wildcards)
    own = block["strategies"].get(wildcards.method, {})
    problem = {
        key: value
        for key, value in block.items()
        if key not in ("n_seeds", "n_trials", "strategies")
    }
    return json.dumps(
        {**problem, "strategies": {wildcards.method: own}}, sort_keys=True
    )


def search_files(wildcards):
    """All searches of an experiment."""
    return [
        f"results/trials/{method}/{learner}/{dataset}/seed{seed}.parquet"
        for method in SEARCHERS[wildcards.search]
        for learner, dataset in SEARCHES[wildcards.search]
        for seed in range(config["exploration"][wildcards.search]["n_seeds"])
    ]


def runs_of(paper, kind):
    """Run files that a table or figure is made from, by its name."""
    return lambda wildcards: [
        f"results/{paper}/runs/{name}.parquet" for name in kind[wildcards.name]
    ]
