# Document 001: from search results to tables, figures and claims.


rule collect:
    # Per-seed rows of an experiment in one file, and the statistics of every cell.
    input:
        lambda wildcards: experiment_files(wildcards.experiment),
    output:
        runs="results/greedy_cv/runs/{experiment}.parquet",
        cells="results/greedy_cv/cells/{experiment}.csv",
    log:
        "results/logs/greedy_cv/collect/{experiment}.log",
    benchmark:
        "results/benchmarks/greedy_cv/collect/{experiment}.tsv"
    wildcard_constraints:
        experiment="search_time|early_stopping|wall_clock|sizes",
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    shell:
        "frugal collect --search {input} --output {output.runs} --cells-output {output.cells} > {log} 2>&1"


rule collect_variant:
    # The runs of one sensitivity variant.
    input:
        variant_files,
    output:
        runs="results/greedy_cv/runs/variants/{name}.parquet",
        cells="results/greedy_cv/cells/variants/{name}.csv",
    log:
        "results/logs/greedy_cv/collect/variants/{name}.log",
    benchmark:
        "results/benchmarks/greedy_cv/collect/variants/{name}.tsv"
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    shell:
        "frugal collect --variant {wildcards.name} --search {input} --output {output.runs}"
        " --cells-output {output.cells} > {log} 2>&1"


rule table:
    # A table of the paper, ours beside the published values.
    input:
        runs=runs_for(TABLES),
    output:
        csv="results/greedy_cv/tables/{name}.csv",
        md=report(
            "results/greedy_cv/tables/{name}.md",
            caption="../report/item.rst",
            category="greedy_cv",
            subcategory="tables",
            labels={"item": "{name}"},
        ),
    log:
        "results/logs/greedy_cv/tables/{name}.log",
    benchmark:
        "results/benchmarks/greedy_cv/tables/{name}.tsv"
    wildcard_constraints:
        name="|".join(TABLES),
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        scale=config["scale"],
        caption=caption_of,
    shell:
        "frugal table greedy_cv {wildcards.name} --runs {input.runs} --scale {params.scale}"
        " --output {output.csv} > {log} 2>&1"


rule figure:
    # A figure of results, with the numbers it was drawn from.
    input:
        runs=runs_for(FIGURES),
    output:
        png=report(
            "results/greedy_cv/figures/{name}.png",
            caption="../report/item.rst",
            category="greedy_cv",
            subcategory="figures",
            labels={"item": "{name}"},
        ),
        svg="results/greedy_cv/figures/{name}.svg",
        csv="results/greedy_cv/figures/{name}.csv",
    log:
        "results/logs/greedy_cv/figures/{name}.log",
    benchmark:
        "results/benchmarks/greedy_cv/figures/{name}.tsv"
    wildcard_constraints:
        name="|".join(FIGURES),
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        caption=caption_of,
    shell:
        "frugal figure greedy_cv {wildcards.name} --runs {input.runs} --output {output.png} > {log} 2>&1"


rule figure_explained:
    # A figure that explains, drawn from a real small run of what it explains.
    input:
        "data/processed/wdbc/provenance.json",
    output:
        png=report(
            "results/greedy_cv/figures/{name}.png",
            caption="../report/item.rst",
            category="greedy_cv",
            subcategory="figures",
            labels={"item": "{name}"},
        ),
        svg="results/greedy_cv/figures/{name}.svg",
        csv="results/greedy_cv/figures/{name}.csv",
    log:
        "results/logs/greedy_cv/figures/{name}.log",
    benchmark:
        "results/benchmarks/greedy_cv/figures/{name}.tsv"
    wildcard_constraints:
        name="|".join(EXPLAINED),
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        seed=STUDY["figure_seed"],
        caption=caption_of,
    shell:
        "frugal figure greedy_cv {wildcards.name} --seed {params.seed} --output {output.png} > {log} 2>&1"


rule greedy_cv_claims:
    # Every claim that the paper has an experiment for, quoted, with our number, its interval and a verdict.
    input:
        runs=expand(
            "results/greedy_cv/runs/{experiment}.parquet",
            experiment=["search_time", "early_stopping", "wall_clock"],
        ),
    output:
        report(
            "results/greedy_cv/claims.csv",
            caption="../report/greedy_cv/claims.rst",
            category="greedy_cv",
            subcategory="claims",
            labels={"item": "claims"},
        ),
    log:
        "results/logs/greedy_cv/claims.log",
    benchmark:
        "results/benchmarks/greedy_cv/claims.tsv"
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        scale=config["scale"],
    shell:
        "frugal claims greedy_cv --runs {input.runs} --scale {params.scale} --output {output} > {log} 2>&1"


use rule greedy_cv_claims as greedy_cv_claims_sensitivity with:
    # The document's conjecture on larger data, which it has no experiment for, from our study beside it.
    input:
        runs="results/greedy_cv/runs/sizes.parquet",
    output:
        report(
            "results/greedy_cv/claims_sensitivity.csv",
            caption="../report/greedy_cv/claims_sensitivity.rst",
            category="greedy_cv",
            subcategory="claims",
            labels={"item": "claims_sensitivity"},
        ),
    log:
        "results/logs/greedy_cv/claims_sensitivity.log",
    benchmark:
        "results/benchmarks/greedy_cv/claims_sensitivity.tsv"


# Targets by name: one per table and figure, one for the sensitivity study, one for the paper.
for item in TABLES:

    rule:
        name:
            f"greedy_cv_{item}"
            if item.startswith("table")
            else f"greedy_cv_{item}_table"
        input:
            table_paths("greedy_cv", item),


for item in [*EXPLAINED, *FIGURES]:

    rule:
        name:
            f"greedy_cv_{item}"
            if item.startswith("figure")
            else f"greedy_cv_{item}_figure"
        input:
            figure_paths("greedy_cv", item),


rule greedy_cv_sensitivity:
    # What the document's ambiguities do to Table 1, and its conjecture on larger data.
    input:
        *table_paths("greedy_cv", *SENSITIVITY_ONLY),
        *figure_paths("greedy_cv", *SENSITIVITY_ONLY),
        "results/greedy_cv/claims_sensitivity.csv",


rule greedy_cv:
    # Document 001: every table, figure and claim.
    input:
        *table_paths(
            "greedy_cv", *(name for name in TABLES if name not in SENSITIVITY_ONLY)
        ),
        *figure_paths(
            "greedy_cv",
            *(name for name in [*EXPLAINED, *FIGURES] if name not in SENSITIVITY_ONLY),
        ),
        "results/greedy_cv/claims.csv",
