# The trials family: one search by one strategy, of one learner on one dataset, from one seed; what searches look up;
# and what they chose, fitted and tested.


rule trials:
    # One search; a killed one goes on from its journal, and ends with the same trials.
    input:
        PLAN.trials.search_input,
        lambda wildcards: [
            ancient(path) for path in PLAN.trials.search_check(wildcards)
        ],
    output:
        "results/trials/{method}/{learner}/{dataset}/seed{seed}.parquet",
    log:
        "results/logs/trials/{method}/{learner}/{dataset}/seed{seed}.log",
    benchmark:
        "results/benchmarks/trials/{method}/{learner}/{dataset}/seed{seed}.tsv"
    wildcard_constraints:
        method="|".join(PLAN.trials.search_methods()),
        learner="[a-z0-9_]+",
        dataset="[a-z0-9_]+",
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
        runtime=PLAN.trials.search_minutes,
    params:
        n_trials=PLAN.trials.search_trials,
        settings=PLAN.trials.search_settings,
        code=PLAN.trials.search_code,
    shell:
        "python -m studies job trials {wildcards.method} --learner {wildcards.learner} --dataset {wildcards.dataset}"
        " --seed {wildcards.seed} --n-trials {params.n_trials} --settings {params.settings:q}"
        " --output {output} > {log} 2>&1"


rule trials_pack:
    # One process does all searches of an experiment, of every method, problem and seed: for searches that take no
    # longer than a process takes to start. The output is a temporary folder, deleted once packed_trials has copied
    # the files.
    input:
        PLAN.trials.search_pack_inputs,
        lambda wildcards: [
            ancient(path) for path in PLAN.trials.search_pack_checks(wildcards)
        ],
    output:
        temp(directory("results/trials/packs/{search}")),
    log:
        "results/logs/trials/packs/{search}.log",
    benchmark:
        "results/benchmarks/trials_pack/{search}.tsv"
    wildcard_constraints:
        search="|".join(PLAN.trials.searches),
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
        runtime=120,
    params:
        jobs=PLAN.trials.search_pack_jobs,
        code=PLAN.trials.search_pack_code,
    shell:
        "python -m studies job pack {params.jobs:q} > {log} 2>&1"


rule packed_trials:
    input:
        pack=PLAN.trials.search_pack,
        read=PLAN.trials.search_input,
    output:
        "results/trials/{method}/{learner}/{dataset}/seed{seed}.parquet",
    log:
        "results/logs/trials/{method}/{learner}/{dataset}/seed{seed}.log",
    wildcard_constraints:
        method="|".join(PLAN.trials.search_methods()),
        learner="[a-z0-9_]+",
        dataset="[a-z0-9_]+",
    # One of these searches; what it reads is an input, too, since the pack's folder is temporary and has no date.
    localrule: True
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    params:
        n_trials=PLAN.trials.search_trials,
        settings=PLAN.trials.search_settings,
        code=PLAN.trials.search_code,
    shell:
        "cp {input.pack}/{wildcards.method}/{wildcards.learner}/{wildcards.dataset}/seed{wildcards.seed}.parquet {output} > {log} 2>&1"


if config["searches_per_job"] == 1:

    ruleorder: trials > packed_trials

else:

    ruleorder: packed_trials > trials


use rule gather_rows as gather_trials with:
    # All searches of an experiment in one file, with the cells of the table that they look up, if they do.
    input:
        PLAN.trials.search_files,
    output:
        "results/{paper}/runs/{search}.parquet",
    log:
        "results/logs/{paper}/runs/{search}.log",
    benchmark:
        "results/benchmarks/gather_trials/{paper}/runs/{search}.tsv"
    wildcard_constraints:
        search="|".join(PLAN.trials.searches),
    params:
        flags=PLAN.trials.gather_flags,


rule lookup_part:
    # A table's candidates with one value of the last dimension, fitted at every size and draw of rows; a killed job
    # goes on from its journal, and ends with the same errors.
    input:
        PLAN.trials.lookup_dataset,
    output:
        "results/lookup/{table}/part{part}.parquet",
    log:
        "results/logs/lookup/{table}/part{part}.log",
    benchmark:
        "results/benchmarks/lookup_part/{table}/part{part}.tsv"
    wildcard_constraints:
        table="|".join(config["lookup"]),
        part="[0-9]+",
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=PLAN.trials.lookup_mb,
        runtime=240,
    params:
        settings=PLAN.trials.lookup_settings,
        code=PLAN.trials.lookup_code("measure"),
    shell:
        "python -m studies job lookup measure --part {wildcards.part} --settings {params.settings:q}"
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
        code=PLAN.trials.lookup_code("gather"),
    shell:
        "python -m studies job lookup gather --parts {input} --output {output} > {log} 2>&1"


rule lookup_recheck:
    # Cells drawn at random, fitted live; fails where an error is not that of the table.
    input:
        data=PLAN.trials.lookup_dataset,
        table="results/lookup/{table}.parquet",
    output:
        "results/lookup/{table}_recheck.csv",
    log:
        "results/logs/lookup/{table}_recheck.log",
    benchmark:
        "results/benchmarks/lookup_recheck/{table}_recheck.tsv"
    wildcard_constraints:
        table="|".join(config["lookup"]),
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 3000 * attempt,
        runtime=60,
    params:
        settings=PLAN.trials.lookup_settings,
        n_cells=lambda wildcards: config["lookup"][wildcards.table]["n_rechecked"],
        code=PLAN.trials.lookup_code("recheck"),
    shell:
        "python -m studies job lookup recheck --table {input.table} --settings {params.settings:q} --n-cells {params.n_cells}"
        " --seed 0 --output {output} > {log} 2>&1"


rule curves:
    # Some candidates of a set's network, trained one after the other; a killed job goes on from its journal.
    input:
        lambda wildcards: dataset_files(wildcards.dataset),
    output:
        "results/curves/{network}/{dataset}/curves{first}-{last}.parquet",
    log:
        "results/logs/curves/{network}/{dataset}/curves{first}-{last}.log",
    benchmark:
        "results/benchmarks/curves/{network}/{dataset}/curves{first}-{last}.tsv"
    wildcard_constraints:
        network="|".join(config["curves"]["networks"]),
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 3000 * attempt,
        runtime=240,
    params:
        network=lambda wildcards: PLAN.trials.network_of(wildcards.network),
        settings=PLAN.trials.curve_settings,
        code=lambda wildcards: hash_of(
            job_code.curves(
                PLAN.trials.network_of(wildcards.network), wildcards.dataset
            )
        ),
    shell:
        "python -m studies job curves --network {params.network} --dataset {wildcards.dataset}"
        " --candidates {wildcards.first}-{wildcards.last} --settings {params.settings:q}"
        " --output {output} > {log} 2>&1"


rule gather_curves:
    # All curves of a set in one file.
    input:
        PLAN.trials.curve_files("curves"),
    output:
        "results/curves/{network}_{dataset}.parquet",
    log:
        "results/logs/curves/{network}_{dataset}.log",
    benchmark:
        "results/benchmarks/gather_curves/{network}_{dataset}.tsv"
    wildcard_constraints:
        network="|".join(config["curves"]["networks"]),
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        code=hash_of(job_code.gather()),
    shell:
        "python -m studies job gather --runs {input} --by id --output {output} > {log} 2>&1"


rule extrapolations:
    # What some first points of each curve say of its last; a killed job goes on from its journal.
    input:
        rules.curves.output,
    output:
        "results/curves/{network}/{dataset}/extrapolations{first}-{last}.parquet",
    log:
        "results/logs/curves/{network}/{dataset}/extrapolations{first}-{last}.log",
    benchmark:
        "results/benchmarks/extrapolations/{network}/{dataset}/extrapolations{first}-{last}.tsv"
    wildcard_constraints:
        network="|".join(config["curves"]["networks"]),
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=120,
    params:
        settings=PLAN.trials.extrapolation_settings(),
        code=lambda wildcards: hash_of(
            job_code.extrapolate(PLAN.trials.network_of(wildcards.network))
        ),
    shell:
        "python -m studies job extrapolate --curves {input} --settings {params.settings:q} --output {output} > {log} 2>&1"


use rule gather_curves as gather_extrapolations with:
    # All extrapolations of a set in one file.
    input:
        PLAN.trials.curve_files("extrapolations"),
    output:
        "results/curves/{network}_{dataset}_extrapolations.parquet",
    log:
        "results/logs/curves/{network}_{dataset}_extrapolations.log",
    benchmark:
        "results/benchmarks/gather_extrapolations/{network}_{dataset}_extrapolations.tsv"


use rule gather_curves as gather_curve_fits with:
    # Those of all sets that are extrapolated.
    input:
        expand(
            "results/curves/{name}_extrapolations.parquet",
            name=PLAN.trials.curve_sets(extrapolated=True),
        ),
    output:
        "results/big_data/runs/curve_fits.parquet",
    log:
        "results/logs/big_data/runs/curve_fits.log",
    benchmark:
        "results/benchmarks/gather_curve_fits/big_data/runs/curve_fits.tsv"


rule all_curves:
    # All sets.
    input:
        expand("results/curves/{name}.parquet", name=PLAN.trials.curve_sets()),


rule hypertune_refits:
    # What a learner's searches had chosen within HyperTune's time, fitted on all their rows and tested.
    input:
        runs="results/hypertune/runs/{learner}.parquet",
        data=PLAN.trials.tuned_inputs,
    output:
        "results/hypertune/runs/{learner}_refits.parquet",
    log:
        "results/logs/hypertune/runs/{learner}_refits.log",
    benchmark:
        "results/benchmarks/hypertune_refits/{learner}_refits.tsv"
    wildcard_constraints:
        learner="|".join(PLAN.trials.tuned()),
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
        runtime=1440,
    params:
        paper="hypertune",
        settings=PLAN.trials.tuned_settings,
        code=PLAN.trials.tuned_code,
    shell:
        "python -m studies job refits --paper {params.paper} --runs {input.runs} --settings {params.settings:q}"
        " --output {output} > {log} 2>&1"


use rule hypertune_refits as exploration_refits with:
    # What task 2's searches chose, the reported point and a grid, fitted on more rows and tested.
    input:
        runs="results/exploration/runs/task2.parquet",
        data=dataset_files("mnist"),
    output:
        "results/exploration/runs/refits.parquet",
    log:
        "results/logs/exploration/runs/refits.log",
    benchmark:
        "results/benchmarks/exploration_refits/exploration/runs/refits.tsv"
    resources:
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
        runtime=120,
    params:
        paper="exploration",
        settings=PLAN.trials.task2_settings(),
        code=hash_of(job_code.refits("exploration", ["logistic_regression"], ["mnist"])),


use rule hypertune_refits as compare_trials with:
    # Searches on one problem as paths; what live ones chose is fitted on all rows and tested.
    input:
        runs=PLAN.trials.compared_searches,
        data=PLAN.trials.compared_data,
    output:
        "results/trials_comparison/runs/{learner}-{dataset}.parquet",
    log:
        "results/logs/trials_comparison/runs/{learner}-{dataset}.log",
    benchmark:
        "results/benchmarks/compare_trials/{learner}-{dataset}.tsv"
    wildcard_constraints:
        learner="[a-z0-9_]+",
        dataset="[a-z0-9_]+",
    resources:
        mem_mb=lambda wildcards, attempt: 3000 * attempt,
        runtime=120,
    params:
        paper="trials_comparison",
        settings=PLAN.trials.compared_settings,
        code=lambda wildcards: hash_of(
            job_code.refits(
                "trials_comparison", [wildcards.learner], [wildcards.dataset]
            )
        ),
