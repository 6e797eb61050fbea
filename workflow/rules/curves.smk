# Learning curves of small networks on random candidates, made once and replayed for every strategy of the trials family.


rule curves:
    # Some candidates of a set's network, trained one after the other; a killed job goes on from its journal.
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
        network=curves_network,
        settings=lambda wildcards: json.dumps(
            {
                key: CURVES[wildcards.network][key]
                for key in ("n_train", "n_valid", "n_epochs")
            },
            sort_keys=True,
        ),
        code=lambda wildcards: hash_of(
            jobs.curves(curves_network(wildcards), wildcards.dataset)
        ),
    shell:
        "frugal curves --network {params.network} --dataset {wildcards.dataset}"
        " --candidates {wildcards.first}-{wildcards.last} --settings {params.settings:q}"
        " --output {output} > {log} 2>&1"


rule gather_curves:
    # All curves of a set in one file.
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
    params:
        code=hash_of(jobs.gather()),
    shell:
        "frugal gather --runs {input} --by id --output {output} > {log} 2>&1"


rule extrapolations:
    # What some first points of each curve say of its last; a killed job goes on from its journal.
    input:
        rules.curves.output,
    output:
        "results/curves/{network}/{dataset}/extrapolations{first}-{last}.parquet",
    log:
        "results/logs/curves/{network}/{dataset}/extrapolations{first}-{last}.log",
    benchmark:
        "results/benchmarks/curves/{network}/{dataset}/extrapolations{first}-{last}.tsv"
    wildcard_constraints:
        network="|".join(CURVES),
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=120,
    params:
        settings=json.dumps(
            {
                key: config["big_data"]["curve_search"][key]
                for key in ("check_share", "curve")
            },
            sort_keys=True,
        ),
        code=lambda wildcards: hash_of(jobs.extrapolate(curves_network(wildcards))),
    shell:
        "frugal extrapolate --curves {input} --settings {params.settings:q}"
        " --output {output} > {log} 2>&1"


use rule gather_curves as gather_extrapolations with:
    # All extrapolations of a set in one file.
    input:
        lambda wildcards: [
            f"results/curves/{wildcards.network}/{wildcards.dataset}/extrapolations{first}-{last}.parquet"
            for first, last in blocks_of(
                CURVES[wildcards.network]["n_curves"],
                config["curves"]["curves_per_job"],
            )
        ],
    output:
        "results/curves/{network}_{dataset}_extrapolations.parquet",
    log:
        "results/logs/curves/{network}_{dataset}_extrapolations.log",
    benchmark:
        "results/benchmarks/curves/{network}_{dataset}_extrapolations.tsv"


use rule gather_curves as gather_curve_fits with:
    # Those of both sets.
    input:
        [f"results/curves/{name}_extrapolations.parquet" for name in CURVE_SETS],
    output:
        "results/big_data/runs/curve_fits.parquet",
    log:
        "results/logs/big_data/runs/curve_fits.log",
    benchmark:
        "results/benchmarks/big_data/runs/curve_fits.tsv"


rule all_curves:
    # All sets.
    input:
        [
            f"results/curves/{network}_{block['dataset']}.parquet"
            for network, block in CURVES.items()
        ],
