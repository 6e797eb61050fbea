# Experiments whose jobs do some methods and seeds; what they give is gathered by experiment.


include: "experiments.smk"


# A rule per experiment, so that its jobs may have all of its methods for output.
for experiment in EXPERIMENTS:

    rule:
        # Methods of one experiment; one that measures seconds claims all cores, so that nothing runs beside it.
        name:
            f"rows_{experiment}_timed" if experiment in TIMED else f"rows_{experiment}"
        input:
            row_datasets(experiment),
        output:
            [
                f"results/rows/{experiment}/{method}/seeds{{first}}-{{last}}.parquet"
                for method in job_methods(experiment)
            ],
        log:
            f"results/logs/rows/{experiment}/{JOB}/seeds{{first}}-{{last}}.log",
        benchmark:
            f"results/benchmarks/rows/{experiment}/{JOB}/seeds{{first}}-{{last}}.tsv"
        wildcard_constraints:
            method="|".join(EXPERIMENTS[experiment].methods),
        conda:
            "../../envs/frugal.yaml"
        threads: ALL_CORES if experiment in TIMED else 1
        resources:
            mem_mb=lambda wildcards, attempt: 3000 * attempt,
            runtime=120,
        params:
            experiment=experiment,
            methods=" ".join(job_methods(experiment)),
            settings=row_settings(experiment),
            code=hash_of(
                studies_jobs.rows(experiment, json.loads(row_settings(experiment)))
            ),
        shell:
            "python -m studies rows {params.experiment} --methods {params.methods} --seeds {wildcards.first}-{wildcards.last}"
            " --settings {params.settings:q} --output {output} > {log} 2>&1"


rule gather_rows:
    # All methods and seeds of an experiment in one file.
    input:
        row_files,
    output:
        "results/{paper}/runs/{experiment}.parquet",
    log:
        "results/logs/{paper}/runs/{experiment}.log",
    benchmark:
        "results/benchmarks/{paper}/runs/{experiment}.tsv"
    wildcard_constraints:
        paper="big_data|exploration|hypertune",
        experiment="|".join(EXPERIMENTS),
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        experiment="",
        code=hash_of(jobs.gather()),
    shell:
        "frugal gather {params.experiment} --runs {input} --output {output} > {log} 2>&1"
