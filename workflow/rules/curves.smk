# Learning curves of small networks on random candidates, made once and replayed for every strategy of the trials family.


CURVES = config["curves"]["networks"]


rule curves:
    # Some candidates of a network, trained one after the other; a killed job goes on from its journal.
    input:
        processed,
    output:
        "results/curves/{network}/{dataset}/curves{first}-{last}.parquet",
    log:
        "results/logs/curves/{network}/{dataset}/curves{first}-{last}.log",
    benchmark:
        "results/benchmarks/curves/{network}/{dataset}/curves{first}-{last}.tsv"
    wildcard_constraints:
        network="|".join(CURVES),
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 3000 * attempt,
        runtime=240,
    params:
        settings=lambda wildcards: json.dumps(
            {
                key: CURVES[wildcards.network][key]
                for key in ("n_train", "n_valid", "n_epochs")
            },
            sort_keys=True,
        ),
    shell:
        "frugal curves --network {wildcards.network} --dataset {wildcards.dataset}"
        " --candidates {wildcards.first}-{wildcards.last} --settings {params.settings:q}"
        " --output {output} > {log} 2>&1"


rule gather_curves:
    # All curves of a network on a dataset in one file.
    input:
        lambda wildcards: [
            f"results/curves/{wildcards.network}/{wildcards.dataset}/curves{first}-{last}.parquet"
            for first, last in blocks_of(
                CURVES[wildcards.network]["n_curves"],
                config["curves"]["curves_per_job"],
            )
        ],
    output:
        "results/curves/{network}_{dataset}.parquet",
    log:
        "results/logs/curves/{network}_{dataset}.log",
    benchmark:
        "results/benchmarks/curves/{network}_{dataset}.tsv"
    wildcard_constraints:
        network="|".join(CURVES),
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    shell:
        "frugal gather --runs {input} --by id --output {output} > {log} 2>&1"


rule all_curves:
    # The whole set.
    input:
        [
            f"results/curves/{network}_{block['dataset']}.parquet"
            for network, block in CURVES.items()
        ],
