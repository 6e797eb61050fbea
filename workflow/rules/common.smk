# Shared by the files beside it; the checked configuration, wildcard constraints, labels and input functions.

import json
from pathlib import Path

from snakemake.exceptions import WorkflowError

from frugal.code import jobs
from frugal.datasets.catalogue import CATALOGUE
from frugal.folds.strategies import known as known_strategies
from frugal.learners import CLASSIFIERS, NETWORKS, SCALERS
from studies import artefacts
from studies import code as studies_jobs
from studies import config as studies_config
from studies.captions import caption
from studies.code import hash_of
from studies.experiments import REPLAYED
from studies.registry import PAPERS


def check_config(check):
    """What a function of `studies.config` makes of the configuration; what it refuses ends the run."""
    try:
        return check(config, source="configuration")
    except ValueError as error:
        raise WorkflowError(str(error)) from None


# The keys that are given, over the scale's; every file below reads the whole configuration.
config.update(check_config(studies_config.complete))
check_config(studies_config.check)


onstart:
    # Building what the jobs are made of takes seconds: once a run, neither in its jobs nor in a dry run.
    check_config(studies_config.check_all)


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
METHODS = REPLAYED["greedy_cv"]
CELL = "{method}/{dataset}/{classifier}/n{n}/k{k}/seeds{first}-{last}"
CELLS = "{method}/{dataset}/{classifier}/k{k}/seeds{first}-{last}"

SENSITIVITY_ONLY = ("sensitivity", "sizes")


wildcard_constraints:
    dataset="[a-z0-9]+(_[0-9]+)?",
    classifier="|".join((*CLASSIFIERS, *NETWORKS)),
    method="|".join(known_strategies()),
    variant="(grid|ranges)(-min_max|-robust|-standard)?(-plain)?(-epochs[0-9]+)?",
    name="[a-z0-9_]+",
    experiment="|".join(METHODS),
    n="[0-9]+",
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
    epochs = [part.removeprefix("epochs") for part in rest if part.startswith("epochs")]
    scaler = next((part for part in rest if part in SCALERS), "none")
    flags = f"--space {space} --scaler {scaler} --splits {splits}"
    flags += "".join(f" --epochs {n}" for n in epochs)
    if space == "grid":
        return flags
    # One candidate list per seed, as long as the longest list that is searched in this space.
    blocks = METHODS if STUDY["space"] == "ranges" else ["sensitivity"]
    return f"{flags} --n-ranges {max(n for block in blocks for n in STUDY[block]['n_candidates'])}"


def blocks_of(n_items, per_job):
    """(first, last) of each job's share of n_items things, numbered from 0."""
    return [
        (first, min(first + per_job, n_items) - 1)
        for first in range(0, n_items, per_job)
    ]


def settings_of(method):
    """A strategy's own block of the configuration, as JSON; nothing else re-runs it."""
    return json.dumps(config["strategies"].get(method, {}), sort_keys=True)


def rung_settings(wildcards):
    """Settings of successive halving, as JSON, with the number of folds in the path of its rungs."""
    block = config["strategies"]["successive_halving"]
    return json.dumps({**block, "cv": int(wildcards.k)}, sort_keys=True)


def trials_code(wildcards):
    """Hash of the code of a search: its strategy's, its learner's and that of what it is made on."""
    of = (wildcards.method, wildcards.learner, wildcards.dataset)
    settings = json.loads(search_settings(wildcards))
    return hash_of(studies_jobs.trials(*of, settings, looked_up_learner(wildcards)))


def looked_up_learner(wildcards):
    """The learner whose table of fits or stored curves a search looks up; empty if it looks up none."""
    if wildcards.learner == "lookup":
        return config["lookup"][wildcards.dataset]["learner"]
    networks = {
        f"{name}_{block['dataset']}": block.get("network", name)
        for name, block in config["curves"]["networks"].items()
    }
    return networks[wildcards.dataset] if wildcards.learner == "curves" else ""


def lookup_code(step):
    """Params function: hash of the code of a step towards a table of fits."""

    def code(wildcards):
        block = config["lookup"][wildcards.table]
        return hash_of(jobs.lookup(step, block["learner"], block["dataset"]))

    return code


def curves_network(wildcards):
    """The network of a set of stored curves, which may have a name of its own."""
    block = config["curves"]["networks"][wildcards.network]
    return block.get("network", wildcards.network)


def shown_code(kind, package):
    """Params function: hash of the code of the table or figure that a wildcard names."""
    return lambda wildcards: hash_of(studies_jobs.shown(kind, package, wildcards.name))


def derived_code(package):
    """Params function: hash of the code of the run that a wildcard names, which `python -m studies derive` computes."""
    return lambda wildcards: hash_of(studies_jobs.derived(package, wildcards.name))


def source_of(dataset):
    """Name of the dataset that a subset such as letter_2000 is drawn from."""
    return (
        dataset.rsplit("_", 1)[0] if dataset.rsplit("_", 1)[-1].isdigit() else dataset
    )


def dataset_files(name):
    """The files of a prepared dataset, of which every job that reads it has all for input."""
    return [
        f"data/processed/{source_of(name)}/{file}"
        for file in ("provenance.json", "X.npy", "y.npy")
    ]


def processed(wildcards):
    """The files of the prepared dataset that a job reads."""
    return dataset_files(wildcards.dataset)


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


def lengths_of(experiment):
    """Lengths of the candidate list that one search job does: all of them, or the one in its path."""
    per_job = config["lengths_per_job"]
    return STUDY[experiment]["n_candidates"] if per_job == "all" else ["{n}"]


def datasets_of(experiment):
    """The datasets of an experiment: the study's, its own choice of them, or one dataset at each of its sizes."""
    block = STUDY[experiment]
    if experiment == "sizes":
        return [f"{block['dataset']}_{rows}" for rows in block["n_rows"]]
    return [name for name in STUDY["datasets"] if name in block.get("datasets", [name])]


def variant_settings(wildcards):
    """How scores are made and searches measured in a sensitivity variant."""
    return {**STUDY, **STUDY["sensitivity"]["variants"][wildcards.name]}


def experiment_files(experiment):
    """The search results of one of the study's experiments."""
    block = STUDY[experiment]
    return cell_files(
        f"results/folds/{'wall_clock' if experiment == 'wall_clock' else 'search'}",
        METHODS[experiment],
        datasets_of(experiment),
        STUDY["classifiers"],
        block["n_candidates"],
        block["n_folds"],
        block["n_seeds"],
    )


def scores_and_rungs(wildcards, variant, root="scores"):
    """Score files of a search's seeds, and the rungs where its strategy is successive halving."""
    seeds = range(int(wildcards.first), int(wildcards.last) + 1)
    where = f"results/folds/{root}/{wildcards.dataset}/{wildcards.classifier}/{variant}"
    cv = config["strategies"]["successive_halving"]["cv"]
    halving = wildcards.method == "successive_halving"
    rungs = [f"{where}/k{cv}/seed{seed}/rungs.parquet" for seed in seeds]
    return [
        f"{where}/k{wildcards.k}/seed{seed}/folds{first}-{last}.parquet"
        for seed in seeds
        for first, last in blocks_of(int(wildcards.k), config["folds_per_job"])
    ] + (rungs if halving else [])


def kept_scores(wildcards):
    """Kept scores of a search's seeds."""
    return scores_and_rungs(wildcards, variant_of(STUDY))


def timed_scores(wildcards, root="scores"):
    """The same, timed."""
    return scores_and_rungs(wildcards, f"{variant_of(STUDY)}-timed", root)


def timed_seconds(wildcards):
    """The seconds of these, a file per score file."""
    return timed_scores(wildcards, "seconds")


def variant_scores(wildcards):
    """The same, made as a sensitivity variant says."""
    return scores_and_rungs(wildcards, variant_of(variant_settings(wildcards)))


def variant_files(wildcards):
    """The search results of one sensitivity variant."""
    block = STUDY["sensitivity"]
    return cell_files(
        f"results/folds/variants/{wildcards.name}",
        METHODS["sensitivity"],
        STUDY["datasets"],
        STUDY["classifiers"],
        block["n_candidates"],
        block["n_folds"],
        block["n_seeds"],
    )


def caption_in(paper, kind):
    """Params function: the caption of the result that a wildcard names."""
    return lambda wildcards: caption(paper, wildcards.name, config, kind=kind)


def table_paths(paper, *names):
    """Files of a paper's tables."""
    places = (f"results/{paper}/tables/{name}" for name in names)
    return [path for place in places for path in multiext(place, ".csv", ".md")]


def figure_paths(paper, *names):
    """Files of a paper's figures: pictures, the numbers in them, captions."""
    places = (f"results/{paper}/figures/{name}" for name in names)
    ends = (".png", ".svg", ".csv", ".md")
    return [path for place in places for path in multiext(place, *ends)]


def results_of(paper, but=()):
    """Files of all tables and figures of a paper but some."""
    made = SHOWN[paper]
    tables = [name for name in made.tables if name not in but]
    figures = [name for name in (*made.explained, *made.figures) if name not in but]
    return table_paths(paper, *tables) + figure_paths(paper, *figures)


# What every paper and comparison shows, by its folder under results/.
SHOWN = {
    made.folder: made for made in (artefacts.shown(name, config) for name in PAPERS)
}


def made_from(made, named):
    """Input function: the runs that the result that a wildcard names is made from."""
    return lambda wildcards: run_paths(made, named[wildcards.name])


def run_paths(made, runs):
    """Files of runs of a paper, in their order."""
    return [f"results/{made.run_path(run)}" for run in runs]


def explained_from(made):
    """Input function: files of the prepared datasets of the figure that a wildcard names, which explains."""
    return lambda wildcards: [
        path for name in made.explained[wildcards.name] for path in dataset_files(name)
    ]


def findings_of(item):
    """Name of our findings that `python -m studies claims` writes beside the claims of this name."""
    return item.replace("claims", "findings")


def claim_paths(paper, item="claims"):
    """Files of a paper's claims, and of our findings beside them."""
    return [f"results/{paper}/{name}.csv" for name in (item, findings_of(item))]


def drawn_from(paper, kind):
    """Param: what `python -m studies figure` draws from: the seed of a figure that explains, or, by a function, its runs."""
    if kind == "figure_explained":
        return f"--seed {config[paper]['figure_seed']}"
    return lambda wildcards, input: f"--runs {input}"


def target(paper, item, kind):
    """Name of a result's own target."""
    is_named = item.startswith(kind) or paper.endswith("_comparison")
    return f"{paper}_{item}" if is_named else f"{paper}_{item}_{kind}"
