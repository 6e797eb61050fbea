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
    wildcard_constraints:
        classifier="|".join(CLASSIFIERS),
    priority: 1  # these are the longest; short jobs fill what they leave at the end
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 1500 * attempt,
        runtime=60,
    params:
        flags=scoring_flags,
        code=lambda wildcards: hash_of(
            jobs.scores(wildcards.dataset, wildcards.classifier, timed=False)
        ),
    shell:
        "frugal scores --dataset {wildcards.dataset} --classifier {wildcards.classifier} {params.flags}"
        " --n-folds {wildcards.k} --seed {wildcards.seed} --folds {wildcards.first}-{wildcards.last}"
        " --output {output.scores} --seconds-output {output.seconds} > {log} 2>&1"


rule rungs:
    # Every number of rows that successive halving asks for, by the exact batch scorers.
    input:
        processed,
    output:
        scores=f"results/{KEPT}/rungs.parquet",
        seconds=f"{SECONDS}/rungs.parquet",
    log:
        f"results/logs/{KEPT}/rungs.log",
    benchmark:
        f"results/benchmarks/{KEPT}/rungs.tsv"
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 1500 * attempt,
        runtime=60,
    params:
        flags=scoring_flags,
        lengths=STUDY["early_stopping"]["n_candidates"],
        settings=rung_settings,
        code=lambda wildcards: hash_of(
            jobs.rungs(wildcards.dataset, wildcards.classifier, timed=False)
        ),
    shell:
        "frugal rungs --dataset {wildcards.dataset} --classifier {wildcards.classifier} {params.flags}"
        " --seed {wildcards.seed} --n-candidates {params.lengths} --settings {params.settings:q}"
        " --output {output.scores} --seconds-output {output.seconds} > {log} 2>&1"


rule scores_timed:
    # The same scores by real scikit-learn fits, each timed alone; no other job runs beside it.
    input:
        processed,
    output:
        scores=f"results/{KEPT_TIMED}/folds{{first}}-{{last}}.parquet",
        seconds=f"{TIMED_SECONDS}/folds{{first}}-{{last}}.parquet",
    log:
        f"results/logs/{KEPT_TIMED}/folds{{first}}-{{last}}.log",
    benchmark:
        f"results/benchmarks/{KEPT_TIMED}/folds{{first}}-{{last}}.tsv"
    conda:
        "../../envs/frugal.yaml"
    threads: ALL_CORES
    resources:
        mem_mb=lambda wildcards, attempt: 1500 * attempt,
        runtime=120,
    params:
        flags=scoring_flags,
        code=lambda wildcards: hash_of(
            jobs.scores(wildcards.dataset, wildcards.classifier, timed=True)
        ),
    shell:
        "frugal scores --timed --dataset {wildcards.dataset} --classifier {wildcards.classifier} {params.flags}"
        " --n-folds {wildcards.k} --seed {wildcards.seed} --folds {wildcards.first}-{wildcards.last}"
        " --output {output.scores} --seconds-output {output.seconds} > {log} 2>&1"


rule rungs_timed:
    # Every number of rows that successive halving asks for, by real fits, timed alone.
    input:
        processed,
    output:
        scores=f"results/{KEPT_TIMED}/rungs.parquet",
        seconds=f"{TIMED_SECONDS}/rungs.parquet",
    log:
        f"results/logs/{KEPT_TIMED}/rungs.log",
    benchmark:
        f"results/benchmarks/{KEPT_TIMED}/rungs.tsv"
    conda:
        "../../envs/frugal.yaml"
    threads: ALL_CORES
    resources:
        mem_mb=lambda wildcards, attempt: 1500 * attempt,
        runtime=120,
    params:
        flags=scoring_flags,
        lengths=STUDY["wall_clock"]["n_candidates"],
        settings=rung_settings,
        code=lambda wildcards: hash_of(
            jobs.rungs(wildcards.dataset, wildcards.classifier, timed=True)
        ),
    shell:
        "frugal rungs --timed --dataset {wildcards.dataset} --classifier {wildcards.classifier} {params.flags}"
        " --seed {wildcards.seed} --n-candidates {params.lengths} --settings {params.settings:q}"
        " --output {output.scores} --seconds-output {output.seconds} > {log} 2>&1"


# One strategy replayed on the kept scores of a block of seeds, for all lengths of the candidate list or one of them.
for experiment in ("search_time", "early_stopping", "sizes"):

    rule:
        name:
            "search" if experiment == "search_time" else f"search_{experiment}"
        input:
            scores=kept_scores,
        output:
            cells_of("results/folds/search", lengths_of(experiment)),
        log:
            f"results/logs/folds/search/{CELLS}/n{lengths_of(experiment)[0]}.log",
        benchmark:
            f"results/benchmarks/folds/search/{CELLS}/n{lengths_of(experiment)[0]}.tsv"
        wildcard_constraints:
            dataset="|".join(datasets_of(experiment)),
            method="|".join(METHODS[experiment]),
        conda:
            "../../envs/frugal.yaml"
        threads: 1
        resources:
            mem_mb=lambda wildcards, attempt: 1500 * attempt,
            runtime=60,
        params:
            lengths=lengths_of(experiment),
            settings=lambda wildcards: settings_of(wildcards.method),
            code=lambda wildcards: hash_of(jobs.search(wildcards.method)),
            tie_rule=STUDY["tie_rule"],
        shell:
            "frugal search --method {wildcards.method} --scores {input.scores} --n-candidates {params.lengths}"
            " --seeds {wildcards.first}-{wildcards.last} --settings {params.settings:q}"
            " --tie-rule {params.tie_rule} --output {output} > {log} 2>&1"


rule search_timed:
    # The same on timed scores, with what the clock said: these files are not reproducible bytes. Other jobs may run
    # beside it: it adds up seconds measured before, and the strategy's own are seconds of its CPU.
    input:
        scores=timed_scores,
        seconds=timed_seconds,
    output:
        cells_of("results/folds/wall_clock", lengths_of("wall_clock")),
    log:
        f"results/logs/folds/wall_clock/{CELLS}/n{lengths_of('wall_clock')[0]}.log",
    benchmark:
        f"results/benchmarks/folds/wall_clock/{CELLS}/n{lengths_of('wall_clock')[0]}.tsv"
    wildcard_constraints:
        method="|".join(METHODS["wall_clock"]),
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 1500 * attempt,
        runtime=60,
    params:
        lengths=lengths_of("wall_clock"),
        settings=lambda wildcards: settings_of(wildcards.method),
        code=lambda wildcards: hash_of(jobs.search(wildcards.method)),
        tie_rule=STUDY["tie_rule"],
    shell:
        "frugal search --method {wildcards.method} --scores {input.scores} --seconds {input.seconds}"
        " --n-candidates {params.lengths} --seeds {wildcards.first}-{wildcards.last}"
        " --settings {params.settings:q} --tie-rule {params.tie_rule} --output {output} > {log} 2>&1"


rule search_variant:
    # As in `search_time`, with one ambiguity of the document decided the other way.
    input:
        scores=variant_scores,
    output:
        cells_of("results/folds/variants/{name}", lengths_of("sensitivity")),
    log:
        f"results/logs/folds/variants/{{name}}/{CELLS}/n{lengths_of('sensitivity')[0]}.log",
    benchmark:
        f"results/benchmarks/folds/variants/{{name}}/{CELLS}/n{lengths_of('sensitivity')[0]}.tsv"
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 1500 * attempt,
        runtime=60,
    params:
        lengths=lengths_of("sensitivity"),
        settings=lambda wildcards: settings_of(wildcards.method),
        code=lambda wildcards: hash_of(jobs.search(wildcards.method)),
        tie_rule=lambda wildcards: variant_settings(wildcards)["tie_rule"],
    shell:
        "frugal search --method {wildcards.method} --scores {input.scores} --n-candidates {params.lengths}"
        " --seeds {wildcards.first}-{wildcards.last} --settings {params.settings:q}"
        " --tie-rule {params.tie_rule} --output {output} > {log} 2>&1"
