# One rule per dataset of the catalogue; jobs read data/processed only.

for dataset in CATALOGUE:

    rule:
        # Resolve a dataset (kept raw file, mirror, public source, stand-in), verify it, write provenance.
        name:
            f"data_{dataset}"
        output:
            dataset_files(dataset),
        log:
            f"results/logs/data/{dataset}.log",
        benchmark:
            f"results/benchmarks/data/{dataset}.tsv"
        conda:
            "../../envs/frugal.yaml"
        threads: 1
        resources:
            mem_mb=lambda wildcards, attempt: 4000 * attempt,
            runtime=30,
        params:
            dataset=dataset,
            stand_in="" if config["allow_stand_in"] else "--no-stand-in",
            opt_in=f"--opt-in {dataset}" if dataset in config["opt_in"] else "",
            timeout_s=config["download"]["timeout_s"],
            n_retries=config["download"]["n_retries"],
            code=hash_of(jobs.data(dataset)),
        shell:
            "frugal data {params.dataset} {params.stand_in} {params.opt_in}"
            " --timeout-s {params.timeout_s} --n-retries {params.n_retries} > {log} 2>&1"
