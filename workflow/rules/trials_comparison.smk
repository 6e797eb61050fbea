# Every way to save trials on the same problems: searches that document 003 runs (trials.smk), and others beside them.

from frugal.papers.trials_comparison.listed import CURRENCIES, PROBLEMS

TRIALS_FIGURES = expand(
    "{kind}_{currency}", kind=["anytime", "ranks"], currency=CURRENCIES
)
COMPARED_TRIALS = [f"{learner}-{dataset}" for learner, dataset in PROBLEMS]


rule compare_trials:
    # Searches on one problem as paths; what live ones chose is fitted on all rows and tested.
    input:
        runs=compared_searches,
        data=lambda wildcards: (
            [] if wildcards.learner in ("lookup", "curves") else processed(wildcards)
        ),
    output:
        "results/trials_comparison/runs/{learner}-{dataset}.parquet",
    log:
        "results/logs/trials_comparison/runs/{learner}-{dataset}.log",
    benchmark:
        "results/benchmarks/trials_comparison/runs/{learner}-{dataset}.tsv"
    wildcard_constraints:
        learner="|".join(sorted({learner for learner, _ in PROBLEMS})),
        dataset="|".join(sorted({dataset for _, dataset in PROBLEMS})),
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 3000 * attempt,
        runtime=120,
    params:
        settings=compared_problem,
    shell:
        "frugal refits --paper trials_comparison --runs {input.runs} --settings {params.settings:q}"
        " --output {output} > {log} 2>&1"


use rule big_data_figure as trials_comparison_figure with:
    input:
        runs=expand(
            "results/trials_comparison/runs/{problem}.parquet",
            problem=COMPARED_TRIALS,
        ),
    output:
        png=report(
            "results/trials_comparison/figures/{name}.png",
            caption="../report/item.rst",
            category="trials_comparison",
            subcategory="figures",
            labels={"item": "{name}"},
        ),
        svg="results/trials_comparison/figures/{name}.svg",
        csv="results/trials_comparison/figures/{name}.csv",
    log:
        "results/logs/trials_comparison/figures/{name}.log",
    benchmark:
        "results/benchmarks/trials_comparison/figures/{name}.tsv"
    wildcard_constraints:
        name="|".join(TRIALS_FIGURES),
    params:
        paper="trials_comparison",
        source=lambda wildcards, input: f"--runs {input.runs}",
        caption=lambda wildcards: caption_of(wildcards, "trials_comparison"),


use rule big_data_table as trials_comparison_table with:
    input:
        runs=rules.trials_comparison_figure.input.runs,
    output:
        csv="results/trials_comparison/tables/{name}.csv",
        md=report(
            "results/trials_comparison/tables/{name}.md",
            caption="../report/item.rst",
            category="trials_comparison",
            subcategory="tables",
            labels={"item": "{name}"},
        ),
    log:
        "results/logs/trials_comparison/tables/{name}.log",
    benchmark:
        "results/benchmarks/trials_comparison/tables/{name}.tsv"
    wildcard_constraints:
        name="strategies",
    params:
        paper="trials_comparison",
        scale=config["scale"],
        caption=lambda wildcards: caption_of(wildcards, "trials_comparison"),


# Targets by name: the table, each figure, and all of them.
rule trials_comparison_strategies:
    input:
        table_paths("trials_comparison", "strategies"),


for item in TRIALS_FIGURES:

    rule:
        name:
            f"trials_comparison_{item}"
        input:
            figure_paths("trials_comparison", item),


rule trials_comparison:
    # Every strategy and peer of the trials family on the same problems, at equal budgets.
    input:
        *table_paths("trials_comparison", "strategies"),
        *figure_paths("trials_comparison", *TRIALS_FIGURES),
