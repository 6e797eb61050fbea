# Document 004: tables, figures and claims, from searches (trials.smk), what these chose, and one experiment (rows.smk).


include: "searched.smk"


HYPERTUNE_TABLES = ("table1", "table2", "table3", "table4", "controls", "budgets")
HYPERTUNE_FIGURES = tuple(f"figure{i}" for i in range(1, 6))


rule hypertune_refits:
    # What a learner's searches had chosen within HyperTune's time, fitted on all their rows and tested.
    input:
        runs="results/hypertune/runs/{learner}.parquet",
        data=lambda wildcards: [
            f"data/processed/{name}/provenance.json"
            for name in config["hypertune"][wildcards.learner]["datasets"]
        ],
    output:
        "results/hypertune/runs/{learner}_refits.parquet",
    log:
        "results/logs/hypertune/runs/{learner}_refits.log",
    benchmark:
        "results/benchmarks/hypertune/runs/{learner}_refits.tsv"
    wildcard_constraints:
        learner="|".join(TUNED),
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
        runtime=1440,
    params:
        settings=tuned_settings,
    shell:
        "frugal refits --paper hypertune --runs {input.runs} --settings {params.settings:q}"
        " --output {output} > {log} 2>&1"


RESULTS["hypertune"] = Results(
    tables=dict.fromkeys(HYPERTUNE_TABLES, tuned_runs),
    figures=dict.fromkeys(HYPERTUNE_FIGURES, tuned_runs),
    claims=runs_of(
        "hypertune",
        {
            "claims": (
                "complexity",
                *(f"{name}{end}" for name in TUNED_RUN for end in ("", "_refits")),
            )
        },
    ),
)


rule hypertune:
    # Document 004: tables, figures and claims.
    input:
        *table_paths("hypertune", *HYPERTUNE_TABLES),
        *figure_paths("hypertune", *HYPERTUNE_FIGURES),
        "results/hypertune/claims.csv",
