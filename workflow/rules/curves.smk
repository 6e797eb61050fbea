# Learning curves of small networks on random candidates, made once and replayed for every strategy of the trials family.


rule curves:
    # Some candidates of a network, trained one after the other; a killed job goes on from its journal.
    input:
        processed,
    output:
        "results/curves/{curves}/{dataset}/curves{first}-{last}.parquet",
    log:
        "results/logs/curves/{curves}/{dataset}/curves{first}-{last}.log",
    benchmark:
        "results/benchmarks/curves/{curves}/{dataset}/curves{first}-{last}.tsv"
    wildcard_constraints:
        curves="|".join(CURVES),
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 3000 * attempt,
        runtime=240,
    params:
        network=lambda wildcards: CURVES[wildcards.curves].get(
            "network", wildcards.curves
        ),
        settings=lambda wildcards: json.dumps(
            {
                key: CURVES[wildcards.curves][key]
                for key in ("n_train", "n_valid", "n_epochs")
            },
            sort_keys=True,
        ),
    shell:
        "frugal curves --network {params.network} --dataset {wildcards.dataset}"
        " --candidates {wildcards.first}-{wildcards.last} --settings {params.settings:q}"
        " --output {output} > {log} 2>&1"


rule gather_curves:
    # All curves of a set in one file.
    input:
        lambda wildcards: [
            f"results/curves/{wildcards.curves}/{wildcards.dataset}/curves{first}-{last}.parquet"
            for first, last in blocks_of(
                CURVES[wildcards.curves]["n_curves"],
                config["curves"]["curves_per_job"],
            )
        ],
    output:
        "results/curves/{curves}_{dataset}.parquet",
    log:
        "results/logs/curves/{curves}_{dataset}.log",
    benchmark:
        "results/benchmarks/curves/{curves}_{dataset}.tsv"
    wildcard_constraints:
        curves="|".join(CURVES),
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    shell:
        "frugal gather --runs {input} --by id n_train --output {output} > {log} 2>&1"


rule all_curves:
    # All sets.
    input:
        [
            f"results/curves/{name}_{block['dataset']}.parquet"
            for name, block in CURVES.items()
        ],
