# Document 004: tables, figures and claims, from searches (trials.smk), what these chose, and one experiment (rows.smk).


include: "searched.smk"


HYPERTUNE_TABLES = ("table1", "table2", "table3", "table4", "controls", "budgets")
HYPERTUNE_FIGURES = tuple(f"figure{i}" for i in range(1, 6))


rule hypertune_refits:
    # What a learner's searches had chosen within HyperTune's time, fitted on all their rows and tested.
    input:
        runs="results/hypertune/runs/{learner}.parquet",
        data=lambda wildcards: [
            f"data/processed/{name}/provenance.json"
            for name in config["hypertune"][wildcards.learner]["datasets"]
        ],
    output:
        "results/hypertune/runs/{learner}_refits.parquet",
    log:
        "results/logs/hypertune/runs/{learner}_refits.log",
    benchmark:
        "results/benchmarks/hypertune/runs/{learner}_refits.tsv"
    wildcard_constraints:
        learner="|".join(TUNED),
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
        runtime=1440,
    params:
        settings=tuned_settings,
    shell:
        "frugal refits --paper hypertune --runs {input.runs} --settings {params.settings:q}"
        " --output {output} > {log} 2>&1"


use rule big_data_figure as hypertune_figure with:
    input:
        runs=tuned_runs,
    output:
        png=report(
            "results/hypertune/figures/{name}.png",
            caption="../report/item.rst",
            category="hypertune",
            subcategory="figures",
            labels={"item": "{name}"},
        ),
        svg="results/hypertune/figures/{name}.svg",
        csv="results/hypertune/figures/{name}.csv",
    log:
        "results/logs/hypertune/figures/{name}.log",
    benchmark:
        "results/benchmarks/hypertune/figures/{name}.tsv"
    wildcard_constraints:
        name="|".join(HYPERTUNE_FIGURES),
    params:
        paper="hypertune",
        source=lambda wildcards, input: f"--runs {input.runs}",
        caption=lambda wildcards, input: caption_of(
            wildcards, "hypertune", runs=input.runs
        ),


use rule big_data_table as hypertune_table with:
    input:
        runs=tuned_runs,
    output:
        csv="results/hypertune/tables/{name}.csv",
        md=report(
            "results/hypertune/tables/{name}.md",
            caption="../report/item.rst",
            category="hypertune",
            subcategory="tables",
            labels={"item": "{name}"},
        ),
    log:
        "results/logs/hypertune/tables/{name}.log",
    benchmark:
        "results/benchmarks/hypertune/tables/{name}.tsv"
    wildcard_constraints:
        name="|".join(HYPERTUNE_TABLES),
    params:
        paper="hypertune",
        scale=config["scale"],
        caption=lambda wildcards, input: caption_of(
            wildcards, "hypertune", runs=input.runs
        ),


use rule big_data_claims as hypertune_claims with:
    input:
        "results/hypertune/runs/complexity.parquet",
        expand(
            "results/hypertune/runs/{name}{end}.parquet",
            name=TUNED_RUN,
            end=["", "_refits"],
        ),
    output:
        report(
            "results/hypertune/claims.csv",
            caption="../report/hypertune/claims.rst",
            category="hypertune",
            subcategory="claims",
            labels={"item": "claims"},
        ),
    log:
        "results/logs/hypertune/claims.log",
    benchmark:
        "results/benchmarks/hypertune/claims.tsv"
    params:
        paper="hypertune",
        scale=config["scale"],


# Targets by name: each table, each figure, and all of them.
for item in HYPERTUNE_TABLES:

    rule:
        name:
            f"hypertune_{item}"
            if item.startswith("table")
            else f"hypertune_{item}_table"
        input:
            table_paths("hypertune", item),


for item in HYPERTUNE_FIGURES:

    rule:
        name:
            f"hypertune_{item}"
        input:
            figure_paths("hypertune", item),


rule hypertune:
    # Document 004: tables, figures and claims.
    input:
        *table_paths("hypertune", *HYPERTUNE_TABLES),
        *figure_paths("hypertune", *HYPERTUNE_FIGURES),
        rules.hypertune_claims.output,
