# Shared by the files beside it; the checked configuration, wildcard constraints, labels and input functions.

import json
from pathlib import Path

from snakemake.exceptions import WorkflowError

from frugal import config as frugal_config
from frugal.datasets.catalogue import CATALOGUE
from frugal.folds.strategies import known as known_strategies
from frugal.learners import CLASSIFIERS

try:
    frugal_config.check(
        config,
        schema=Path(workflow.basedir, "workflow/schemas/config.schema.yaml"),
        source="configuration",
    )
except ValueError as error:
    raise WorkflowError(str(error)) from None

STUDY = config["greedy_cv"]
ALL_CORES = (
    workflow.resource_settings.cores or 1
)  # unset where a cluster hands out the cores
KEPT = "folds/scores/{dataset}/{classifier}/{variant}/k{k}/seed{seed}"
KEPT_TIMED = "folds/scores/{dataset}/{classifier}/{variant}-timed/k{k}/seed{seed}"
SECONDS = "results/folds/seconds/{dataset}/{classifier}/{variant}/k{k}/seed{seed}"
TIMED_SECONDS = (
    "results/folds/seconds/{dataset}/{classifier}/{variant}-timed/k{k}/seed{seed}"
)
CELL = "{method}/{dataset}/{classifier}/n{n}/k{k}/seeds{first}-{last}"
CELLS = "{method}/{dataset}/{classifier}/k{k}/seeds{first}-{last}"

TABLES = {
    "table1": "search_time",
    "table1_by_n": "search_time",
    "table2": "early_stopping",
    "table3": "early_stopping",
    "sensitivity": "sensitivity",
    "sizes": "sizes",
}
EXPLAINED = [f"figure{i}" for i in range(1, 11)]
FIGURES = {
    "figure11": "search_time",
    "figure12": "search_time",
    "sensitivity": "sensitivity",
    "sizes": "sizes",
}
SENSITIVITY_ONLY = ("sensitivity", "sizes")


wildcard_constraints:
    dataset="[a-z0-9]+(_[0-9]+)?",
    classifier="|".join(CLASSIFIERS),
    method="|".join(known_strategies()),
    variant="(grid|ranges)(-min_max|-robust|-standard)?(-plain)?",
    name="[a-z0-9_]+",
    experiment="search_time|early_stopping|sizes",
    k="[0-9]+",
    seed="[0-9]+",
    first="[0-9]+",
    last="[0-9]+",


def variant_of(settings):
    """Label of how scores are made, from the settings that change them: space, scaler, splits."""
    parts = [settings["space"], settings["scaler"], settings["splits"]]
    return "-".join(part for part in parts if part not in ("none", "stratified"))


def scoring_flags(wildcards):
    """The command-line flags that a variant's label stands for."""
    space, *rest = wildcards.variant.split("-")
    splits = "plain" if "plain" in rest else "stratified"
    scaler = next((part for part in rest if part != "plain"), "none")
    return (
        f"--space {space} --scaler {scaler} --splits {splits} --n-ranges {n_ranges()}"
    )


def n_ranges():
    """Length of the one candidate list per seed on `ranges`: the longest that is searched."""
    blocks = (
        STUDY["search_time"],
        STUDY["early_stopping"],
        STUDY["sensitivity"],
        STUDY["sizes"],
    )
    return max(n for block in blocks for n in block["n_candidates"])


def blocks_of(n_items, per_job):
    """(first, last) of each job's share of n_items things, numbered from 0."""
    return [
        (first, min(first + per_job, n_items) - 1)
        for first in range(0, n_items, per_job)
    ]


def settings_of(method):
    """A strategy's own block of the configuration, as JSON; nothing else re-runs it."""
    return json.dumps(config["strategies"].get(method, {}), sort_keys=True)


def source_of(dataset):
    """Name of the dataset that a subset such as letter_2000 is drawn from."""
    return (
        dataset.rsplit("_", 1)[0] if dataset.rsplit("_", 1)[-1].isdigit() else dataset
    )


def processed(wildcards):
    """The prepared dataset that a job reads."""
    return f"data/processed/{source_of(wildcards.dataset)}/provenance.json"


def score_files(dataset, classifier, variant, k, seeds):
    """The kept scores of some seeds, block of folds by block."""
    where = f"results/folds/scores/{dataset}/{classifier}/{variant}/k{k}"
    return [
        f"{where}/seed{seed}/folds{first}-{last}.parquet"
        for seed in seeds
        for first, last in blocks_of(k, config["folds_per_job"])
    ]


def cell_files(root, methods, datasets, classifiers, n_candidates, n_folds, n_seeds):
    """The search results of every cell of an experiment."""
    return [
        f"{root}/{CELL}.parquet".format(
            method=method,
            dataset=dataset,
            classifier=classifier,
            n=n,
            k=k,
            first=first,
            last=last,
        )
        for method in methods
        for dataset in datasets
        for classifier in classifiers
        for n in n_candidates
        for k in n_folds
        for first, last in blocks_of(n_seeds, config["seeds_per_job"])
    ]


def cells_of(root, lengths):
    """Search results of one job: a file per length of the candidate list, other wildcards left open."""
    return [f"{root}/{CELL}.parquet".replace("{n}", str(n)) for n in lengths]


def length_blocks(experiment):
    """Lengths of the candidate list, as many as one search job does."""
    listed = STUDY[experiment]["n_candidates"]
    return [
        listed[first : last + 1]
        for first, last in blocks_of(len(listed), config["lengths_per_job"])
    ]


def datasets_of(experiment):
    """The datasets of an experiment: the document's, or one dataset at each of its sizes."""
    if experiment != "sizes":
        return STUDY["datasets"]
    block = STUDY["sizes"]
    return [f"{block['dataset']}_{rows}" for rows in block["n_rows"]]


def variant_settings(wildcards):
    """How scores are made and searches measured in a sensitivity variant."""
    return {**STUDY, **STUDY["sensitivity"]["variants"][wildcards.name]}


def experiment_files(experiment, root="results/folds/search"):
    """The search results of one of the study's experiments."""
    block = STUDY[experiment]
    return cell_files(
        root,
        block["methods"],
        datasets_of(experiment),
        STUDY["classifiers"],
        block["n_candidates"],
        block["n_folds"],
        block["n_seeds"],
    )


def kept_scores(wildcards):
    """Kept scores of a search's seeds."""
    seeds = range(int(wildcards.first), int(wildcards.last) + 1)
    return score_files(
        wildcards.dataset,
        wildcards.classifier,
        variant_of(STUDY),
        int(wildcards.k),
        seeds,
    )


def timed_scores(wildcards):
    """Timed scores and rungs of a search's seeds."""
    where = f"results/folds/scores/{wildcards.dataset}/{wildcards.classifier}/{variant_of(STUDY)}-timed/k{wildcards.k}"
    return [
        f"{where}/seed{seed}/{part}0-{int(wildcards.k) - 1}.parquet"
        for seed in range(int(wildcards.first), int(wildcards.last) + 1)
        for part in ("folds", "rungs")
    ]


def variant_scores(wildcards):
    """Kept scores of a sensitivity search's seeds, made as its variant says."""
    seeds = range(int(wildcards.first), int(wildcards.last) + 1)
    variant = variant_of(variant_settings(wildcards))
    return score_files(
        wildcards.dataset, wildcards.classifier, variant, int(wildcards.k), seeds
    )


def variant_files(wildcards):
    """The search results of one sensitivity variant."""
    block = STUDY["sensitivity"]
    return cell_files(
        f"results/folds/variants/{wildcards.name}",
        block["methods"],
        STUDY["datasets"],
        STUDY["classifiers"],
        block["n_candidates"],
        block["n_folds"],
        block["n_seeds"],
    )


def runs_for(kind):
    """Run files that a table or figure is made from."""

    def files(wildcards):
        experiment = kind[wildcards.name]
        if experiment == "sensitivity":
            return [
                f"results/greedy_cv/runs/variants/{name}.parquet"
                for name in STUDY["sensitivity"]["variants"]
            ]
        return [f"results/greedy_cv/runs/{experiment}.parquet"]

    return files


def table_paths(name):
    """Files of a table."""
    return multiext(f"results/greedy_cv/tables/{name}", ".csv", ".md")


def figure_paths(name):
    """Files of a figure."""
    return multiext(f"results/greedy_cv/figures/{name}", ".png", ".svg", ".csv")
