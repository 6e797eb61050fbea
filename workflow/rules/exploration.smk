# Document 002: tables, figures and claims, from searches (trials.smk) and its own experiments (rows.smk).


rule exploration_refits:
    # What task 2's searches chose, the reported point and a grid, fitted on more rows and tested.
    input:
        runs="results/exploration/runs/task2.parquet",
        data=dataset_files("mnist"),
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
        code=hash_of(
            studies_jobs.refits("exploration", ["logistic_regression"], ["mnist"])
        ),
    shell:
        "python -m studies refits --runs {input.runs} --settings {params.settings:q} --output {output} > {log} 2>&1"


rule exploration:
    # Document 002: tables, figures and claims.
    input:
        *results_of("exploration"),
        *claim_paths("exploration"),
