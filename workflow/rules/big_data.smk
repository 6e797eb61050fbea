# Document 003: tables, figures and claims of section 2, sizes and lengths of trials, and section 3, training on fewer rows.

BIG_DATA_EXPLAINED = ("figure1", "figure2", "figure6", "figure9", "figure11")
BIG_DATA_FIGURES = {
    "figure3": ("svm_search",),
    "figure3_cost": ("svm_search",),
    "figure3_cnn": ("cnn_search",),
    "figure3_cnn_cost": ("cnn_search",),
    "figure4": ("curve_fits",),
    "curve_fits": ("curve_fits",),
    "curve_calibration": ("curve_fits",),
    "figure5": ("curve_search",),
    "figure5_epochs": ("curve_search",),
    "figure7": ("intervals", "interval_workers"),
    "figure7_rows": ("intervals", "interval_workers"),
    "figure8": ("sample_sizes",),
    "figure8_seconds": ("sample_sizes",),
    "sample_growth": ("sample_sizes",),
    "figure10": ("subsampling",),
    "figure10_seconds": ("subsampling",),
    "bias": ("bias",),
    "boundary_angles": ("boundaries",),
    "figure12": ("compression",),
    "figure12_rows": ("compression",),
    "combinations": ("combinations",),
    "fractions": ("fractions",),
    "fractions_seconds": ("fractions",),
    "growing_termination": ("growing_termination",),
    "reduced_search": ("reduced_search",),
    "terminating_fabolas": ("terminating_fabolas",),
}
BIG_DATA_TABLES = {
    "svm_search": ("svm_search",),
    "cnn_search": ("cnn_search",),
    "curve_fits": ("curve_fits",),
    "curve_calibration": ("curve_fits",),
    "curve_search": ("curve_search",),
    "interval_widths": ("intervals", "interval_workers"),
    "sample_sizes": ("sample_sizes",),
    "variance_check": ("variance_check",),
    "figure10": ("subsampling",),
    "bias": ("bias",),
    "boundaries": ("boundaries",),
    "compression": ("compression",),
    "combinations": ("combinations",),
    "combinations_against_parts": ("combinations",),
    "fractions": ("fractions",),
    "growing_termination": ("growing_termination",),
    "reduced_search": ("reduced_search",),
    "terminating_fabolas": ("terminating_fabolas",),
}


rule big_data_figure:
    # A figure of runs, with the numbers it was drawn from.
    input:
        runs=runs_of("big_data", BIG_DATA_FIGURES),
    output:
        png=report(
            "results/big_data/figures/{name}.png",
            caption="../report/item.rst",
            category="big_data",
            subcategory="figures",
            labels={"item": "{name}"},
        ),
        svg="results/big_data/figures/{name}.svg",
        csv="results/big_data/figures/{name}.csv",
    log:
        "results/logs/big_data/figures/{name}.log",
    benchmark:
        "results/benchmarks/big_data/figures/{name}.tsv"
    wildcard_constraints:
        name="|".join(BIG_DATA_FIGURES),
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        paper="big_data",
        source=lambda wildcards, input: f"--runs {input.runs}",
        caption=lambda wildcards: caption_of(wildcards, "big_data"),
    shell:
        "frugal figure {params.paper} {wildcards.name} {params.source} --output {output.png} > {log} 2>&1"


use rule big_data_figure as big_data_figure_explained with:
    # A figure that explains, from a small run of what it explains; Figure 1 is of real rows.
    input:
        lambda wildcards: (
            "data/processed/wdbc/provenance.json"
            if wildcards.name == "figure1"
            else []
        ),
    wildcard_constraints:
        name="|".join(BIG_DATA_EXPLAINED),
    params:
        paper="big_data",
        source=f"--seed {config['big_data']['figure_seed']}",
        caption=lambda wildcards: caption_of(wildcards, "big_data"),


rule big_data_table:
    # A table, tidy and as a person reads it.
    input:
        runs=runs_of("big_data", BIG_DATA_TABLES),
    output:
        csv="results/big_data/tables/{name}.csv",
        md=report(
            "results/big_data/tables/{name}.md",
            caption="../report/item.rst",
            category="big_data",
            subcategory="tables",
            labels={"item": "{name}"},
        ),
    log:
        "results/logs/big_data/tables/{name}.log",
    benchmark:
        "results/benchmarks/big_data/tables/{name}.tsv"
    wildcard_constraints:
        name="|".join(BIG_DATA_TABLES),
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        paper="big_data",
        scale=config["scale"],
        caption=lambda wildcards: caption_of(wildcards, "big_data", "_table"),
    shell:
        "frugal table {params.paper} {wildcards.name} --runs {input.runs} --scale {params.scale}"
        " --output {output.csv} > {log} 2>&1"


rule big_data_claims:
    # Every claim, quoted, with our number, its interval and a verdict.
    input:
        [
            f"results/big_data/runs/{name}.parquet"
            for name in (
                *(name for name, of in SEARCHES.items() if of.paper == "big_data"),
                EXTRAPOLATED,
                *(
                    name
                    for name, experiment in EXPERIMENTS.items()
                    if experiment.package.startswith("big_data.")
                ),
            )
        ],
    output:
        report(
            "results/big_data/claims.csv",
            caption="../report/big_data/claims.rst",
            category="big_data",
            subcategory="claims",
            labels={"item": "claims"},
        ),
    log:
        "results/logs/big_data/claims.log",
    benchmark:
        "results/benchmarks/big_data/claims.tsv"
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        paper="big_data",
        scale=config["scale"],
    shell:
        "frugal claims {params.paper} --runs {input} --scale {params.scale} --output {output} > {log} 2>&1"


# Targets by name: each table, each figure, and all of them.
for item in BIG_DATA_TABLES:

    rule:
        name:
            f"big_data_{item}_table"
        input:
            table_paths("big_data", item),


for item in (*BIG_DATA_EXPLAINED, *BIG_DATA_FIGURES):

    rule:
        name:
            f"big_data_{item}"
            if item.startswith("figure")
            else f"big_data_{item}_figure"
        input:
            figure_paths("big_data", item),


rule big_data:
    # Document 003: tables, figures and claims.
    input:
        *table_paths("big_data", *BIG_DATA_TABLES),
        *figure_paths("big_data", *BIG_DATA_EXPLAINED, *BIG_DATA_FIGURES),
        rules.big_data_claims.output,
