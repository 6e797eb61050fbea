# Every way to save folds, replayed on the same kept scores; `studies/folds_comparison` measures, tabulates and draws.


include: "compared.smk"


rule compare:
    # One compared strategy on one dataset and classifier: all lengths n, numbers of folds k and seeds.
    input:
        scores=comparison_scores,
    output:
        f"results/folds_comparison/{{kind}}/{COMPARED}.parquet",
    log:
        f"results/logs/folds_comparison/{{kind}}/{COMPARED}.log",
    benchmark:
        f"results/benchmarks/folds_comparison/{{kind}}/{COMPARED}.tsv"
    wildcard_constraints:
        kind="runs|network",
        entry="|".join(ENTRIES),
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 1500 * attempt,
        runtime=120,
    params:
        strategy=lambda wildcards: ENTRIES[wildcards.entry].strategy,
        settings=entry_settings,
        code=entry_code,
        budget=entry_budget,
        lengths=COMPARISON["n_candidates"],
        seconds="",
    shell:
        "python -m studies compare {wildcards.entry} --strategy {params.strategy} --settings {params.settings:q} {params.budget}"
        " --scores {input.scores} {params.seconds} --n-candidates {params.lengths} --output {output} > {log} 2>&1"


use rule compare as compare_timed with:
    # The same on timed fits, for the seconds that strategies take: these files are not reproducible bytes.
    input:
        scores=lambda wildcards: comparison_scores(wildcards, "-timed"),
        seconds=lambda wildcards: comparison_scores(wildcards, "-timed", "seconds"),
    output:
        f"results/folds_comparison/timed/{COMPARED}.parquet",
    log:
        f"results/logs/folds_comparison/timed/{COMPARED}.log",
    benchmark:
        f"results/benchmarks/folds_comparison/timed/{COMPARED}.tsv"
    params:
        seconds=lambda wildcards, input: f"--seconds {input.seconds}",


rule collect_comparison:
    # All runs in one file, and the statistics of every cell.
    input:
        compared_files,
    output:
        runs="results/folds_comparison/{kind}.parquet",
        cells="results/folds_comparison/cells/{kind}.csv",
    log:
        "results/logs/folds_comparison/collect/{kind}.log",
    benchmark:
        "results/benchmarks/folds_comparison/collect/{kind}.tsv"
    wildcard_constraints:
        kind="runs|timed|network",
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


rule folds_comparison:
    # Every strategy of the folds family on the same folds: scores kept for greedy_cv and for beta_pruning's network.
    input:
        *results_of("folds_comparison"),
