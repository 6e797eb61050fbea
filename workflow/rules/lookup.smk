# Tables of real fits that optimisers look up; a job measures the candidates with one value of a grid's last dimension.


rule lookup_part:
    # Real fits at every size and draw of rows; a killed job goes on from its journal, and ends with the same errors.
    input:
        lookup_dataset,
    output:
        "results/lookup/{table}/part{part}.parquet",
    log:
        "results/logs/lookup/{table}/part{part}.log",
    benchmark:
        "results/benchmarks/lookup/{table}/part{part}.tsv"
    wildcard_constraints:
        table="|".join(config["lookup"]),
        part="[0-9]+",
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 3000 * attempt,
        runtime=240,
    params:
        settings=lookup_settings,
        code=lookup_code("measure"),
    shell:
        "frugal lookup measure --part {wildcards.part} --settings {params.settings:q}"
        " --output {output} > {log} 2>&1"


rule lookup:
    # All parts of a table in one file, checked to be whole.
    input:
        lambda wildcards: [
            f"results/lookup/{wildcards.table}/part{part}.parquet"
            for part in range(config["lookup"][wildcards.table]["n_per_dimension"])
        ],
    output:
        "results/lookup/{table}.parquet",
    log:
        "results/logs/lookup/{table}.log",
    benchmark:
        "results/benchmarks/lookup/{table}.tsv"
    wildcard_constraints:
        table="|".join(config["lookup"]),
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        code=lookup_code("gather"),
    shell:
        "frugal lookup gather --parts {input} --output {output} > {log} 2>&1"


rule lookup_recheck:
    # Cells drawn at random, fitted live; fails where an error is not that of the table.
    input:
        data=lookup_dataset,
        table="results/lookup/{table}.parquet",
    output:
        "results/lookup/{table}_recheck.csv",
    log:
        "results/logs/lookup/{table}_recheck.log",
    benchmark:
        "results/benchmarks/lookup/{table}_recheck.tsv"
    wildcard_constraints:
        table="|".join(config["lookup"]),
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 3000 * attempt,
        runtime=60,
    params:
        settings=lookup_settings,
        n_cells=lambda wildcards: config["lookup"][wildcards.table]["n_rechecked"],
        code=lookup_code("recheck"),
    shell:
        "frugal lookup recheck --table {input.table} --settings {params.settings:q} --n-cells {params.n_cells}"
        " --seed 0"
        " --output {output} > {log} 2>&1"
