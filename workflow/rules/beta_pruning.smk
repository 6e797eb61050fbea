# Document 000: what its figures show of the model, and its claims.

MODEL_FIGURES = [f"figure{i}" for i in range(1, 7)]


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
        seed=config["beta_pruning"]["figure_seed"],
        caption=lambda wildcards: caption_of(wildcards, "beta_pruning"),
    shell:
        "frugal figure beta_pruning {wildcards.name} --seed {params.seed} --output {output.png} > {log} 2>&1"


rule beta_pruning_claims:
    # Every claim of the paper, quoted, with our number and a verdict.
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
        "frugal claims beta_pruning --scale {params.scale} --output {output} > {log} 2>&1"


# Targets by name: one per figure, one for the paper.
for item in MODEL_FIGURES:

    rule:
        name:
            f"beta_pruning_{item}"
        input:
            multiext(f"results/beta_pruning/figures/{item}", ".png", ".svg", ".csv"),


rule beta_pruning:
    # Document 000: the figures of its model, and its claims.
    input:
        *(
            path
            for item in MODEL_FIGURES
            for path in multiext(
                f"results/beta_pruning/figures/{item}", ".png", ".svg", ".csv"
            )
        ),
        "results/beta_pruning/claims.csv",
