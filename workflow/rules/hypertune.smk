# Document 004: tables, figures and claims, from searches (trials.smk), what these chose, and one experiment (rows.smk).


include: "searched.smk"


rule hypertune_refits:
    # What a learner's searches had chosen within HyperTune's time, fitted on all their rows and tested.
    input:
        runs="results/hypertune/runs/{learner}.parquet",
        data=lambda wildcards: [
            path
            for name in config["hypertune"][wildcards.learner]["datasets"]
            for path in dataset_files(name)
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
        code=lambda wildcards: hash_of(
            studies_jobs.refits(
                "hypertune",
                [wildcards.learner],
                config["hypertune"][wildcards.learner]["datasets"],
            )
        ),
    shell:
        "python -m studies refits --paper hypertune --runs {input.runs} --settings {params.settings:q}"
        " --output {output} > {log} 2>&1"


rule hypertune:
    # Document 004: tables, figures and claims.
    input:
        *results_of("hypertune"),
        *claim_paths("hypertune"),
