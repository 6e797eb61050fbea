# Every way to save trials on the same problems: searches that document 003 runs (trials.smk), and others beside them.

from studies.trials_comparison.problems_and_methods import PROBLEMS


rule compare_trials:
    # Searches on one problem as paths; what live ones chose is fitted on all rows and tested.
    input:
        runs=compared_searches,
        data=lambda wildcards: (
            [] if wildcards.learner in ("lookup", "curves") else processed(wildcards)
        ),
    output:
        "results/trials_comparison/runs/{learner}-{dataset}.parquet",
    log:
        "results/logs/trials_comparison/runs/{learner}-{dataset}.log",
    benchmark:
        "results/benchmarks/trials_comparison/runs/{learner}-{dataset}.tsv"
    wildcard_constraints:
        learner="|".join(sorted({learner for learner, _ in PROBLEMS})),
        dataset="|".join(sorted({dataset for _, dataset in PROBLEMS})),
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 3000 * attempt,
        runtime=120,
    params:
        settings=compared_problem,
        code=lambda wildcards: hash_of(
            studies_jobs.refits(
                "trials_comparison", [wildcards.learner], [wildcards.dataset]
            )
        ),
    shell:
        "python -m studies refits --paper trials_comparison --runs {input.runs} --settings {params.settings:q}"
        " --output {output} > {log} 2>&1"


rule trials_comparison:
    # Every strategy and peer of the trials family on the same problems, at equal budgets.
    input:
        *results_of("trials_comparison"),
