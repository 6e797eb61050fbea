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
    params:
        code=hash_of(jobs.collect()),
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
    params:
        code=hash_of(jobs.collect()),
    shell:
        "frugal collect --variant {wildcards.name} --search {input} --output {output.runs}"
        " --cells-output {output.cells} > {log} 2>&1"


rule greedy_cv_sensitivity:
    # What the document's ambiguities do to Table 1, and its conjecture on larger data.
    input:
        *table_paths("greedy_cv", *SENSITIVITY_ONLY),
        *figure_paths("greedy_cv", *SENSITIVITY_ONLY),
        *claim_paths("greedy_cv", "claims_sensitivity"),


rule greedy_cv:
    # Document 001: every table, figure and claim.
    input:
        *results_of("greedy_cv", but=SENSITIVITY_ONLY),
        *claim_paths("greedy_cv"),
