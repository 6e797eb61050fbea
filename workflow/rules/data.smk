# Datasets: kept raw file, mirror, public source or stand-in; jobs read data/processed only.


rule data:
    # Resolve a dataset of the catalogue, verify it, and write where it is from.
    input:
        lambda wildcards: (
            []
            if config["allow_stand_in"]
            else checked(refuse_stand_in, wildcards.dataset)
        ),
    output:
        prepared("{dataset}"),
    log:
        "results/logs/data/{dataset}.log",
    benchmark:
        "results/benchmarks/data/{dataset}.tsv"
    wildcard_constraints:
        dataset="|".join(CATALOGUE),
    # It runs where Snakemake does, since the nodes of a cluster may have no internet.
    localrule: True
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
        runtime=30,
    params:
        opt_in=lambda wildcards: (
            f"--opt-in {wildcards.dataset}"
            if wildcards.dataset in config["opt_in"]
            else ""
        ),
        # Functions of `input`, which Snakemake does not compare: neither patience nor leave to use a stand-in is a
        # reason to fetch data again.
        stand_in=lambda wildcards, input: (
            "" if config["allow_stand_in"] else "--no-stand-in"
        ),
        timeout_s=lambda wildcards, input: config["download"]["timeout_s"],
        n_retries=lambda wildcards, input: config["download"]["n_retries"],
        code=lambda wildcards: hash_of(jobs.data(wildcards.dataset)),
    shell:
        "frugal data {wildcards.dataset} {params.stand_in} {params.opt_in}"
        " --timeout-s {params.timeout_s} --n-retries {params.n_retries} > {log} 2>&1"
