# Document 000: what its figures show of the model, its network on MNIST, and its claims.

MODEL_FIGURES = [f"figure{i}" for i in range(1, 7)]
RUN_FIGURES = {"figure7": "explored", "sweep": "swept"}
NETWORK = config["beta_pruning"]["network"]
NETWORK_VARIANT = f"grid-epochs{NETWORK['epochs']}"
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
    shell:
        "frugal default --network {wildcards.classifier} --dataset {wildcards.dataset} --epochs {params.epochs}"
        " --max-error {params.max_error} --output {output} > {log} 2>&1"


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
        code=[
            path
            for method in ("standard", "beta_pruning", "threshold_pruning")
            for path in code_of(method)
        ],
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
            {
                method: config["strategies"].get(method, {})
                for method in ("standard", "beta_pruning", "threshold_pruning")
            },
            sort_keys=True,
        ),
        taus=NETWORK["taus"],
        buffers=NETWORK["buffers"],
    shell:
        "frugal explore --scores {input.scores} --settings {params.settings:q} --taus {params.taus}"
        " --buffers {params.buffers} --output {output.explored} --sweep-output {output.swept} > {log} 2>&1"


rule beta_pruning_figure:
    # A figure of the model (the first one of a real split), with the numbers it was drawn from.
    input:
        "data/processed/wdbc/provenance.json",
    output:
        png=report(
            "results/beta_pruning/figures/{name}.png",
            caption="../report/item.rst",
            category="beta_pruning",
            subcategory="figures",
            labels={"item": "{name}"},
        ),
        svg="results/beta_pruning/figures/{name}.svg",
        csv="results/beta_pruning/figures/{name}.csv",
    log:
        "results/logs/beta_pruning/figures/{name}.log",
    benchmark:
        "results/benchmarks/beta_pruning/figures/{name}.tsv"
    wildcard_constraints:
        name="|".join(MODEL_FIGURES),
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        source=f"--seed {config['beta_pruning']['figure_seed']}",
        caption=lambda wildcards: caption_of(wildcards, "beta_pruning"),
    shell:
        "frugal figure beta_pruning {wildcards.name} {params.source} --output {output.png} > {log} 2>&1"


use rule beta_pruning_figure as beta_pruning_run_figure with:
    # A figure of the network's runs, with the numbers it was drawn from.
    input:
        runs=lambda wildcards: f"results/beta_pruning/runs/{RUN_FIGURES[wildcards.name]}.parquet",
    wildcard_constraints:
        name="|".join(RUN_FIGURES),
    params:
        source=lambda wildcards, input: f"--runs {input.runs}",
        caption=lambda wildcards: caption_of(wildcards, "beta_pruning"),


rule beta_pruning_sweep_table:
    # Tau and buffer swept: folds trained, candidates explored, prunings, regret.
    input:
        "results/beta_pruning/runs/swept.parquet",
    output:
        csv=report(
            "results/beta_pruning/tables/sweep.csv",
            caption="../report/beta_pruning/sweep_table.rst",
            category="beta_pruning",
            subcategory="tables",
            labels={"item": "sweep"},
        ),
        md="results/beta_pruning/tables/sweep.md",
    log:
        "results/logs/beta_pruning/tables/sweep.log",
    benchmark:
        "results/benchmarks/beta_pruning/tables/sweep.tsv"
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        scale=config["scale"],
    shell:
        "frugal table beta_pruning sweep --runs {input} --scale {params.scale} --output {output.csv} > {log} 2>&1"


rule beta_pruning_claims:
    # Every claim of the paper, quoted, with our number and a verdict.
    input:
        rules.beta_pruning_runs.output,
    output:
        report(
            "results/beta_pruning/claims.csv",
            caption="../report/beta_pruning/claims.rst",
            category="beta_pruning",
            subcategory="claims",
            labels={"item": "claims"},
        ),
    log:
        "results/logs/beta_pruning/claims.log",
    benchmark:
        "results/benchmarks/beta_pruning/claims.tsv"
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        scale=config["scale"],
    shell:
        "frugal claims beta_pruning --runs {input} --scale {params.scale} --output {output} > {log} 2>&1"


# Targets by name: one per figure, one for the paper.
for item in (*MODEL_FIGURES, *RUN_FIGURES):

    rule:
        name:
            f"beta_pruning_{item}" if item != "sweep" else "beta_pruning_sweep_figure"
        input:
            figure_paths("beta_pruning", item),


rule beta_pruning:
    # Document 000: the figures of its model and of its network, the sweep over its settings, and its claims.
    input:
        *figure_paths("beta_pruning", *MODEL_FIGURES, *RUN_FIGURES),
        rules.beta_pruning_sweep_table.output,
        "results/beta_pruning/claims.csv",
