# What the rules of folds_comparison.smk compare, and the files that they read.

from studies.folds_comparison.entries import entries_of

try:
    ENTRIES = entries_of(config)
except ValueError as error:
    raise WorkflowError(str(error)) from None

COMPARISON = config["folds_comparison"]
COMPARED = "{entry}/{dataset}/{classifier}"
TIMED_FOLDS = [k for k in COMPARISON["n_folds"] if k in STUDY["wall_clock"]["n_folds"]]


def comparison_scores(wildcards, timed="", root="scores"):
    """Kept files of a cell, all seeds and numbers of folds, with rungs for the strategy that asks for them.

    They are those of greedy_cv, or of beta_pruning's network.
    """
    if wildcards.classifier in NETWORKS:
        return NETWORK_SCORES
    where = f"results/folds/{root}/{wildcards.dataset}/{wildcards.classifier}/{variant_of(STUDY)}{timed}"
    seeds = range(COMPARISON["n_timed_seeds" if timed else "n_seeds"])
    entry = ENTRIES[wildcards.entry]
    halving = entry.strategy == "successive_halving"
    return [
        f"{where}/k{k}/seed{seed}/folds{first}-{last}.parquet"
        for k in (TIMED_FOLDS if timed else COMPARISON["n_folds"])
        for seed in seeds
        for first, last in blocks_of(k, config["folds_per_job"])
    ] + [
        f"{where}/k{entry.settings['cv']}/seed{seed}/rungs.parquet"
        for seed in seeds
        if halving
    ]


def entry_code(wildcards):
    """Hash of the code of a compared strategy."""
    return hash_of(studies_jobs.compare(ENTRIES[wildcards.entry].strategy))


def entry_settings(wildcards):
    """Settings of a compared strategy, as JSON; nothing else of the configuration re-runs it."""
    return json.dumps(dict(ENTRIES[wildcards.entry].settings), sort_keys=True)


def entry_budget(wildcards):
    """The command-line flag of a compared strategy's budget, if it has one."""
    share = ENTRIES[wildcards.entry].budget_share
    return "" if share is None else f"--budget-share {float(share)}"


def compared_files(wildcards):
    """The runs of every compared strategy on every cell, or on those with timed fits."""
    path = f"results/folds_comparison/{wildcards.kind}/{COMPARED}.parquet"
    if wildcards.kind == "network":  # on fewer rows it is not trained
        entries = [n for n, e in ENTRIES.items() if e.strategy != "successive_halving"]
        return expand(
            path, entry=entries, dataset=NETWORK["dataset"], classifier=NETWORK["name"]
        )
    experiment = "wall_clock" if wildcards.kind == "timed" else "search_time"
    return expand(
        path,
        entry=ENTRIES,
        dataset=datasets_of(experiment),
        classifier=STUDY["classifiers"],
    )
