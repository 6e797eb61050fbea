# Document 000: what its figures show of the model, its network on MNIST, and its claims.

NETWORK = config["beta_pruning"]["network"]
NETWORK_VARIANT = f"grid-epochs{NETWORK['epochs']}"
EXPLORED = REPLAYED["beta_pruning"]["swept"]
DEFAULT_CHECK = "networks/{classifier}/{dataset}/default"
DEFAULTS = {NETWORK["name"]: NETWORK["default"], **config["hypertune"]["defaults"]}


# Kept scores of the network, one file per fold, since a fold's trainings take minutes.
NETWORK_SCORES = [
    f"results/{KEPT}/folds{fold}-{fold}.parquet".format(
        dataset=NETWORK["dataset"],
        classifier=NETWORK["name"],
        variant=NETWORK_VARIANT,
        k=NETWORK["n_folds"],
        seed=seed,
    )
    for seed in range(NETWORK["n_seeds"])
    for fold in range(NETWORK["n_folds"])
]


rule network_default:
    # Before anything is tuned: whether the network's default reaches its stated error on the test images.
    input:
        processed,
    output:
        f"results/{DEFAULT_CHECK}.csv",
    log:
        f"results/logs/{DEFAULT_CHECK}.log",
    benchmark:
        f"results/benchmarks/{DEFAULT_CHECK}.tsv"
    wildcard_constraints:
        classifier="|".join(NETWORKS),
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2500 * attempt,
        runtime=60,
    params:
        epochs=lambda wildcards: DEFAULTS[wildcards.classifier]["epochs"],
        max_error=lambda wildcards: DEFAULTS[wildcards.classifier]["max_error"],
        code=lambda wildcards: hash_of(
            jobs.default(wildcards.classifier, wildcards.dataset)
        ),
    shell:
        "frugal default --network {wildcards.classifier} --dataset {wildcards.dataset} --epochs {params.epochs}"
        " --seed 0 --max-error {params.max_error} --output {output} > {log} 2>&1"


use rule scores as network_scores with:
    # A fold of every candidate of a network, trained one after the other.
    input:
        processed,
        ancient(f"results/{DEFAULT_CHECK}.csv"),  # another bound is no reason to train anew
    wildcard_constraints:
        classifier="|".join(NETWORKS),
    resources:
        mem_mb=lambda wildcards, attempt: 2500 * attempt,
        runtime=60,


rule beta_pruning_runs:
    # The document's experiment replayed on these scores: every training, and whole runs at other settings.
    input:
        scores=NETWORK_SCORES,
    output:
        explored="results/beta_pruning/runs/explored.parquet",
        swept="results/beta_pruning/runs/swept.parquet",
    log:
        "results/logs/beta_pruning/runs.log",
    benchmark:
        "results/benchmarks/beta_pruning/runs.tsv"
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=60,
    params:
        settings=json.dumps(
            {method: config["strategies"].get(method, {}) for method in EXPLORED},
            sort_keys=True,
        ),
        taus=NETWORK["taus"],
        buffers=NETWORK["buffers"],
        code=hash_of(studies_jobs.explore(EXPLORED)),
    shell:
        "python -m studies explore --scores {input.scores} --settings {params.settings:q} --taus {params.taus}"
        " --buffers {params.buffers} --output {output.explored} --sweep-output {output.swept} > {log} 2>&1"


rule beta_pruning:
    # Document 000: the figures of its model and of its network, the sweep over its settings, and its claims.
    input:
        *results_of("beta_pruning"),
        *claim_paths("beta_pruning"),
