# Document 002: tables, figures and claims, from searches (trials.smk) and its own experiments (rows.smk).

EXPLORATION_EXPLAINED = ("black_box", "routine", "task1", "dngo_frames")
EXPLORATION_FIGURES = {
    "task1_path": ("task1",),
    "task2": ("task2",),
    "comparison": ("functions", "logistic"),
    "surrogate_cost": ("surrogate_cost",),
}
EXPLORATION_TABLES = {
    "task1": ("task1",),
    "errors_as_coded": ("task1",),
    "task2": ("task2", "refits"),
    "comparison": ("functions", "logistic", "task2", "refits"),
    "greediness": ("functions", "logistic", "task2"),
    "surrogate_cost": ("surrogate_cost",),
}


rule exploration_refits:
    # What task 2's searches chose, the reported point and a grid, fitted on more rows and tested.
    input:
        runs="results/exploration/runs/task2.parquet",
        data="data/processed/mnist/provenance.json",
    output:
        "results/exploration/runs/refits.parquet",
    log:
        "results/logs/exploration/runs/refits.log",
    benchmark:
        "results/benchmarks/exploration/runs/refits.tsv"
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
        runtime=120,
    params:
        settings=json.dumps(
            {
                **config["exploration"]["refits"],
                "n_valid": config["exploration"]["task2"]["n_valid"],
            },
            sort_keys=True,
        ),
    shell:
        "frugal refits --runs {input.runs} --settings {params.settings:q} --output {output} > {log} 2>&1"


use rule big_data_figure as exploration_figure with:
    input:
        runs=runs_of("exploration", EXPLORATION_FIGURES),
    output:
        png=report(
            "results/exploration/figures/{name}.png",
            caption="../report/item.rst",
            category="exploration",
            subcategory="figures",
            labels={"item": "{name}"},
        ),
        svg="results/exploration/figures/{name}.svg",
        csv="results/exploration/figures/{name}.csv",
    log:
        "results/logs/exploration/figures/{name}.log",
    benchmark:
        "results/benchmarks/exploration/figures/{name}.tsv"
    wildcard_constraints:
        name="|".join(EXPLORATION_FIGURES),
    params:
        paper="exploration",
        source=lambda wildcards, input: f"--runs {input.runs}",
        caption=lambda wildcards: caption_of(wildcards, "exploration"),


use rule exploration_figure as exploration_figure_explained with:
    input:
        "data/processed/digits/provenance.json",
    wildcard_constraints:
        name="|".join(EXPLORATION_EXPLAINED),
    params:
        paper="exploration",
        source=f"--seed {config['exploration']['figure_seed']}",
        caption=lambda wildcards: caption_of(wildcards, "exploration"),


use rule big_data_table as exploration_table with:
    input:
        runs=runs_of("exploration", EXPLORATION_TABLES),
    output:
        csv="results/exploration/tables/{name}.csv",
        md=report(
            "results/exploration/tables/{name}.md",
            caption="../report/item.rst",
            category="exploration",
            subcategory="tables",
            labels={"item": "{name}"},
        ),
    log:
        "results/logs/exploration/tables/{name}.log",
    benchmark:
        "results/benchmarks/exploration/tables/{name}.tsv"
    wildcard_constraints:
        name="|".join(EXPLORATION_TABLES),
    params:
        paper="exploration",
        scale=config["scale"],
        caption=lambda wildcards: caption_of(wildcards, "exploration", "_table"),


use rule big_data_claims as exploration_claims with:
    input:
        expand(
            "results/exploration/runs/{name}.parquet",
            name=[
                "task1",
                "task2",
                "refits",
                "functions",
                "logistic",
                "surrogate_cost",
            ],
        ),
    output:
        report(
            "results/exploration/claims.csv",
            caption="../report/exploration/claims.rst",
            category="exploration",
            subcategory="claims",
            labels={"item": "claims"},
        ),
    log:
        "results/logs/exploration/claims.log",
    benchmark:
        "results/benchmarks/exploration/claims.tsv"
    params:
        paper="exploration",
        scale=config["scale"],


# Targets by name: each table, each figure, and all of them.
for item in EXPLORATION_TABLES:

    rule:
        name:
            f"exploration_{item}_table"
        input:
            table_paths("exploration", item),


for item in (*EXPLORATION_EXPLAINED, *EXPLORATION_FIGURES):

    rule:
        name:
            f"exploration_{item}_figure"
        input:
            figure_paths("exploration", item),


rule exploration:
    # Document 002: tables, figures and claims.
    input:
        *table_paths("exploration", *EXPLORATION_TABLES),
        *figure_paths("exploration", *EXPLORATION_EXPLAINED, *EXPLORATION_FIGURES),
        rules.exploration_claims.output,
