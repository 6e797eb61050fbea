# Experiments of their own: a job does one method and some seeds, or all methods, and what they give is gathered.


rule rows:
    # One method of an experiment, or all of them.
    input:
        PLAN.rows.inputs,
    output:
        "results/rows/{experiment}/{method}/seeds{first}-{last}.parquet",
    log:
        "results/logs/rows/{experiment}/{method}/seeds{first}-{last}.log",
    benchmark:
        "results/benchmarks/rows/{experiment}/{method}/seeds{first}-{last}.tsv"
    wildcard_constraints:
        experiment="|".join(name for name in PLAN.rows.experiments if name not in TIMED),
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 3000 * attempt,
        runtime=lambda wildcards, attempt: 120 * attempt,
    params:
        methods=PLAN.rows.methods,
        settings=PLAN.rows.settings,
        code=PLAN.rows.code,
    shell:
        "python -m studies job rows {wildcards.experiment} --methods {params.methods}"
        " --seeds {wildcards.first}-{wildcards.last} --settings {params.settings:q} --output {output} > {log} 2>&1"


use rule rows as rows_timed with:
    # One that measures seconds claims all cores, so that nothing runs beside it.
    benchmark:
        "results/benchmarks/rows_timed/{experiment}/{method}/seeds{first}-{last}.tsv"
    wildcard_constraints:
        experiment="|".join(TIMED),
    threads: TIMED_CORES
    resources:
        mem_mb=lambda wildcards, attempt: 3000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
        slurm_extra="--exclusive",


rule environment:
    input:
        pins=workflow.source_path("../../envs/scikit-learn-0.24.yaml"),
    output:
        "results/environments/scikit-learn-0.24.json",
    log:
        "results/logs/environments/scikit-learn-0.24.log",
    benchmark:
        "results/benchmarks/environment/environments/scikit-learn-0.24.tsv"
    # Where an interpreter with another library is: conda's, or that of a virtual environment made here; or why there is
    # none. The script imports nothing of ours, since conda's interpreter runs it. It runs where Snakemake does, since
    # the nodes of a cluster may have no internet.
    localrule: True
    conda:
        "../../envs/scikit-learn-0.24.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        script=interpreters.__file__,
        folder=lambda wildcards, output: output[0].removesuffix(".json"),
        code=hash_of(job_code.environment()),
    shell:
        "python {params.script:q} --pins {input.pins:q} --folder {params.folder} --output {output} > {log} 2>&1"


rule gather_rows:
    # All methods and seeds of an experiment in one file.
    input:
        PLAN.rows.files,
    output:
        "results/{paper}/runs/{experiment}.parquet",
    log:
        "results/logs/{paper}/runs/{experiment}.log",
    benchmark:
        "results/benchmarks/gather_rows/{paper}/runs/{experiment}.tsv"
    wildcard_constraints:
        experiment="|".join(PLAN.rows.experiments),
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
        in_turn=1,
    params:
        flags="",
        code=hash_of(job_code.gather()),
    shell:
        "python -m studies job gather {params.flags} --runs {input} --output {output} > {log} 2>&1"
