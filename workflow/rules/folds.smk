# The folds family: kept scores (costly, done once) and the searches replayed on them (cheap).


rule scores:
    # A block of folds of every distinct candidate, by the exact batch scorers.
    input:
        processed,
    output:
        scores=f"results/{KEPT}/folds{{first}}-{{last}}.parquet",
        seconds=f"{SECONDS}/folds{{first}}-{{last}}.parquet",
    log:
        f"results/logs/{KEPT}/folds{{first}}-{{last}}.log",
    benchmark:
        f"results/benchmarks/{KEPT}/folds{{first}}-{{last}}.tsv"
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 1500 * attempt,
        runtime=60,
    params:
        flags=scoring_flags,
    shell:
        "frugal scores --dataset {wildcards.dataset} --classifier {wildcards.classifier} {params.flags}"
        " --n-folds {wildcards.k} --seed {wildcards.seed} --folds {wildcards.first}-{wildcards.last}"
        " --output {output.scores} --seconds-output {output.seconds} > {log} 2>&1"


rule scores_timed:
    # All folds, and the rows that successive halving asks for, by real scikit-learn fits, each timed alone: no
    # other job runs beside it.
    input:
        data=processed,
        code="src/frugal/folds/strategies/successive_halving.py",
    output:
        scores=f"results/{KEPT_TIMED}/folds0-{{last}}.parquet",
        seconds=f"{TIMED_SECONDS}/folds0-{{last}}.parquet",
        rungs=f"results/{KEPT_TIMED}/rungs0-{{last}}.parquet",
        rungs_seconds=f"{TIMED_SECONDS}/rungs0-{{last}}.parquet",
    log:
        f"results/logs/{KEPT_TIMED}/folds0-{{last}}.log",
    benchmark:
        f"results/benchmarks/{KEPT_TIMED}/folds0-{{last}}.tsv"
    conda:
        "../../envs/frugal.yaml"
    threads: ALL_CORES
    resources:
        mem_mb=lambda wildcards, attempt: 1500 * attempt,
        runtime=120,
    params:
        flags=scoring_flags,
        lengths=STUDY["early_stopping"]["n_candidates"],
        settings=settings_of("successive_halving"),
    shell:
        "frugal timed --dataset {wildcards.dataset} --classifier {wildcards.classifier} {params.flags}"
        " --n-folds {wildcards.k} --seed {wildcards.seed} --n-candidates {params.lengths}"
        " --settings {params.settings:q} --output {output.scores} --seconds-output {output.seconds}"
        " --rungs-output {output.rungs} --rungs-seconds-output {output.rungs_seconds} > {log} 2>&1"


# One strategy replayed on the kept scores of a block of seeds, for a block of candidate-list lengths.
for experiment in ("search_time", "sizes"):
    for lengths in length_blocks(experiment):

        rule:
            name:
                f"search_{experiment}_{lengths[0]}"
            input:
                scores=kept_scores,
                code="src/frugal/folds/strategies/{method}.py",
            output:
                cells_of("results/folds/search", lengths),
            log:
                f"results/logs/folds/search/{CELLS}/n{lengths[0]}.log",
            benchmark:
                f"results/benchmarks/folds/search/{CELLS}/n{lengths[0]}.tsv"
            wildcard_constraints:
                dataset="|".join(datasets_of(experiment)),
                method="|".join(STUDY[experiment]["methods"]),
            conda:
                "../../envs/frugal.yaml"
            threads: 1
            resources:
                mem_mb=lambda wildcards, attempt: 1500 * attempt,
                runtime=60,
            params:
                lengths=lengths,
                settings=lambda wildcards: settings_of(wildcards.method),
                tie_rule=STUDY["tie_rule"],
            shell:
                "frugal search --method {wildcards.method} --scores {input.scores} --n-candidates {params.lengths}"
                " --seeds {wildcards.first}-{wildcards.last} --settings {params.settings:q}"
                " --tie-rule {params.tie_rule} --output {output} > {log} 2>&1"


# The same on timed scores; what the clock said goes to a file of its own.
for lengths in length_blocks("early_stopping"):

    rule:
        name:
            f"search_early_stopping_{lengths[0]}"
        input:
            scores=timed_scores,
            code="src/frugal/folds/strategies/{method}.py",
        output:
            search=cells_of("results/folds/search", lengths),
            timing=cells_of("results/folds/search_seconds", lengths),
        log:
            f"results/logs/folds/search/{CELLS}/n{lengths[0]}.log",
        benchmark:
            f"results/benchmarks/folds/search/{CELLS}/n{lengths[0]}.tsv"
        wildcard_constraints:
            method="|".join(STUDY["early_stopping"]["methods"]),
        conda:
            "../../envs/frugal.yaml"
        threads: ALL_CORES
        resources:
            mem_mb=lambda wildcards, attempt: 1500 * attempt,
            runtime=60,
        params:
            lengths=lengths,
            settings=lambda wildcards: settings_of(wildcards.method),
            tie_rule=STUDY["tie_rule"],
        shell:
            "frugal search --timed --method {wildcards.method} --scores {input.scores} --n-candidates {params.lengths}"
            " --seeds {wildcards.first}-{wildcards.last} --settings {params.settings:q}"
            " --tie-rule {params.tie_rule} --output {output.search} --timing-output {output.timing} > {log} 2>&1"


# As in `search_time`, with one ambiguity of the document decided the other way.
for lengths in length_blocks("sensitivity"):

    rule:
        name:
            f"search_sensitivity_{lengths[0]}"
        input:
            scores=variant_scores,
            code="src/frugal/folds/strategies/{method}.py",
        output:
            cells_of("results/folds/variants/{name}", lengths),
        log:
            f"results/logs/folds/variants/{{name}}/{CELLS}/n{lengths[0]}.log",
        benchmark:
            f"results/benchmarks/folds/variants/{{name}}/{CELLS}/n{lengths[0]}.tsv"
        conda:
            "../../envs/frugal.yaml"
        threads: 1
        resources:
            mem_mb=lambda wildcards, attempt: 1500 * attempt,
            runtime=60,
        params:
            lengths=lengths,
            settings=lambda wildcards: settings_of(wildcards.method),
            tie_rule=lambda wildcards: variant_settings(wildcards)["tie_rule"],
        shell:
            "frugal search --method {wildcards.method} --scores {input.scores} --n-candidates {params.lengths}"
            " --seeds {wildcards.first}-{wildcards.last} --settings {params.settings:q}"
            " --tie-rule {params.tie_rule} --output {output} > {log} 2>&1"
