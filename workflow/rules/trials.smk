# The trials family: a job is one search by one strategy, of one learner on one dataset, from one seed.


rule trials:
    # One search; a killed one goes on from its journal, and ends with the same trials.
    input:
        search_input,
    output:
        "results/trials/{method}/{learner}/{dataset}/seed{seed}.parquet",
    log:
        "results/logs/trials/{method}/{learner}/{dataset}/seed{seed}.log",
    benchmark:
        "results/benchmarks/trials/{method}/{learner}/{dataset}/seed{seed}.tsv"
    wildcard_constraints:
        method="|".join(
            sorted({name for search in SEARCHES.values() for name in search.methods})
        ),
        learner="[a-z0-9_]+",
        dataset="[a-z0-9_]+",
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
        runtime=search_minutes,
    params:
        n_trials=search_trials,
        settings=search_settings,
        code=trials_code,
    shell:
        "python -m studies trials {wildcards.method} --learner {wildcards.learner} --dataset {wildcards.dataset}"
        " --seed {wildcards.seed} --n-trials {params.n_trials} --settings {params.settings:q}"
        " --output {output} > {log} 2>&1"


use rule gather_rows as gather_trials with:
    # All searches of an experiment in one file, with the cells of the table that they look up, if they do.
    input:
        search_files,
    output:
        "results/{paper}/runs/{search}.parquet",
    log:
        "results/logs/{paper}/runs/{search}.log",
    benchmark:
        "results/benchmarks/{paper}/runs/{search}.tsv"
    wildcard_constraints:
        paper="|".join(sorted({search.paper for search in SEARCHES.values()})),
        search="|".join(SEARCHES),
    params:
        experiment=gather_flags,
