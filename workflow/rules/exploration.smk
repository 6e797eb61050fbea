# Document 002: tables, figures and claims, from searches (trials.smk) and its own experiments (rows.smk).

EXPLORATION_EXPLAINED = ("black_box", "routine", "task1", "dngo_frames")
EXPLORATION_FIGURES = {
    "task1_path": ("task1",),
    "task2": ("task2",),
    "comparison": ("functions", "logistic"),
    "surrogate_cost": ("surrogate_cost",),
}
EXPLORATION_TABLES = {
    "task1": ("task1",),
    "errors_as_coded": ("task1",),
    "task2": ("task2", "refits"),
    "comparison": ("functions", "logistic", "task2", "refits"),
    "greediness": ("functions", "logistic", "task2"),
    "surrogate_cost": ("surrogate_cost",),
}


rule exploration_refits:
    # What task 2's searches chose, the reported point and a grid, fitted on more rows and tested.
    input:
        runs="results/exploration/runs/task2.parquet",
        data="data/processed/mnist/provenance.json",
    output:
        "results/exploration/runs/refits.parquet",
    log:
        "results/logs/exploration/runs/refits.log",
    benchmark:
        "results/benchmarks/exploration/runs/refits.tsv"
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
        runtime=120,
    params:
        settings=json.dumps(
            {
                **config["exploration"]["refits"],
                "n_valid": config["exploration"]["task2"]["n_valid"],
            },
            sort_keys=True,
        ),
        code=hash_of(
            studies_jobs.refits("exploration", ["logistic_regression"], ["mnist"])
        ),
    shell:
        "python -m studies refits --runs {input.runs} --settings {params.settings:q} --output {output} > {log} 2>&1"


RESULTS["exploration"] = Results(
    tables=runs_of("exploration", EXPLORATION_TABLES),
    figures=runs_of("exploration", EXPLORATION_FIGURES),
    explained=dict.fromkeys(
        EXPLORATION_EXPLAINED, ["data/processed/digits/provenance.json"]
    ),
    claims=runs_of(
        "exploration",
        {
            "claims": (
                "task1",
                "task2",
                "refits",
                "functions",
                "logistic",
                "surrogate_cost",
            )
        },
    ),
)


rule exploration:
    # Document 002: tables, figures and claims.
    input:
        *table_paths("exploration", *EXPLORATION_TABLES),
        *figure_paths("exploration", *EXPLORATION_EXPLAINED, *EXPLORATION_FIGURES),
        "results/exploration/claims.csv",
