# The folds family: kept scores (costly, done once) and the searches replayed on them (cheap).


rule scores:
    # A block of folds of every distinct candidate, by the exact batch scorers.
    input:
        processed,
    output:
        scores=SCORES + "/folds{first}-{last}.parquet",
        seconds=SCORES.replace("/scores/", "/seconds/") + "/folds{first}-{last}.parquet",
    log:
        SCORES.replace("folds/scores", "logs/folds/scores") + "/folds{first}-{last}.log",
    benchmark:
        SCORES.replace("folds/scores", "benchmarks/folds/scores") + "/folds{first}-{last}.tsv"
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


TIMED = SCORES.replace("{variant}", "{variant}-timed")


rule scores_timed:
    # The same scores by real scikit-learn fits, each timed alone; no other job runs beside it.
    input:
        processed,
    output:
        scores=TIMED + "/folds{first}-{last}.parquet",
        seconds=TIMED.replace("/scores/", "/seconds/") + "/folds{first}-{last}.parquet",
    log:
        TIMED.replace("folds/scores", "logs/folds/scores") + "/folds{first}-{last}.log",
    benchmark:
        TIMED.replace("folds/scores", "benchmarks/folds/scores") + "/folds{first}-{last}.tsv"
    conda:
        "../../envs/frugal.yaml"
    threads: workflow.cores
    resources:
        mem_mb=lambda wildcards, attempt: 1500 * attempt,
        runtime=120,
    params:
        flags=scoring_flags,
    shell:
        "frugal scores --timed --dataset {wildcards.dataset} --classifier {wildcards.classifier} {params.flags}"
        " --n-folds {wildcards.k} --seed {wildcards.seed} --folds {wildcards.first}-{wildcards.last}"
        " --output {output.scores} --seconds-output {output.seconds} > {log} 2>&1"


rule rungs_timed:
    # Every number of rows that successive halving asks for, by real fits, timed alone.
    input:
        data=processed,
        code="src/frugal/folds/strategies/successive_halving.py",
    output:
        scores=TIMED + "/rungs.parquet",
        seconds=TIMED.replace("/scores/", "/seconds/") + "/rungs.parquet",
    log:
        TIMED.replace("folds/scores", "logs/folds/scores") + "/rungs.log",
    benchmark:
        TIMED.replace("folds/scores", "benchmarks/folds/scores") + "/rungs.tsv"
    conda:
        "../../envs/frugal.yaml"
    threads: workflow.cores
    resources:
        mem_mb=lambda wildcards, attempt: 1500 * attempt,
        runtime=120,
    params:
        flags=scoring_flags,
        lengths=STUDY["early_stopping"]["n_candidates"],
        settings=settings_of("successive_halving"),
    shell:
        "frugal rungs --timed --dataset {wildcards.dataset} --classifier {wildcards.classifier} {params.flags}"
        " --seed {wildcards.seed} --n-candidates {params.lengths} --settings {params.settings:q}"
        " --output {output.scores} --seconds-output {output.seconds} > {log} 2>&1"


def kept_scores(wildcards):
    """Kept scores of a search's seeds."""
    seeds = range(int(wildcards.first), int(wildcards.last) + 1)
    return score_files(wildcards.dataset, wildcards.classifier, variant_of(STUDY), int(wildcards.k), seeds)


rule search:
    # One strategy replayed on the kept scores of a block of seeds.
    input:
        scores=kept_scores,
        code="src/frugal/folds/strategies/{method}.py",
    output:
        "results/folds/search/" + CELL + ".parquet",
    wildcard_constraints:
        method="|".join(STUDY["search_time"]["methods"]),
    log:
        "results/logs/folds/search/" + CELL + ".log",
    benchmark:
        "results/benchmarks/folds/search/" + CELL + ".tsv"
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 1500 * attempt,
        runtime=60,
    params:
        settings=lambda wildcards: settings_of(wildcards.method),
        tie_rule=STUDY["tie_rule"],
    shell:
        "frugal search --method {wildcards.method} --scores {input.scores} --n-candidates {wildcards.n}"
        " --seeds {wildcards.first}-{wildcards.last} --settings {params.settings:q}"
        " --tie-rule {params.tie_rule} --output {output} > {log} 2>&1"


def timed_scores(wildcards):
    """Timed scores and rungs of a search's seeds."""
    seeds = range(int(wildcards.first), int(wildcards.last) + 1)
    variant = variant_of(STUDY) + "-timed"
    cv = config["strategies"]["successive_halving"]["cv"]
    rungs = [f"{SCORES}/rungs.parquet".format(**{**wildcards, "variant": variant, "k": cv, "seed": s}) for s in seeds]
    tables = score_files(wildcards.dataset, wildcards.classifier, variant, int(wildcards.k), seeds)
    return tables + rungs


rule search_timed:
    # The same on timed scores; what the clock said goes to a file of its own.
    input:
        scores=timed_scores,
        code="src/frugal/folds/strategies/{method}.py",
    output:
        search="results/folds/search/" + CELL + ".parquet",
        timing="results/folds/search_seconds/" + CELL + ".parquet",
    wildcard_constraints:
        method="|".join(STUDY["early_stopping"]["methods"]),
    log:
        "results/logs/folds/search/" + CELL + ".log",
    benchmark:
        "results/benchmarks/folds/search/" + CELL + ".tsv"
    conda:
        "../../envs/frugal.yaml"
    threads: workflow.cores
    resources:
        mem_mb=lambda wildcards, attempt: 1500 * attempt,
        runtime=60,
    params:
        settings=lambda wildcards: settings_of(wildcards.method),
        tie_rule=STUDY["tie_rule"],
    shell:
        "frugal search --timed --method {wildcards.method} --scores {input.scores}"
        " --n-candidates {wildcards.n} --seeds {wildcards.first}-{wildcards.last}"
        " --settings {params.settings:q} --tie-rule {params.tie_rule}"
        " --output {output.search} --timing-output {output.timing} > {log} 2>&1"


def variant_scores(wildcards):
    """Kept scores of a sensitivity search's seeds, made as its variant says."""
    seeds = range(int(wildcards.first), int(wildcards.last) + 1)
    variant = variant_of({**STUDY, **STUDY["sensitivity"]["variants"][wildcards.name]})
    return score_files(wildcards.dataset, wildcards.classifier, variant, int(wildcards.k), seeds)


rule search_variant:
    # As `search`, with one ambiguity of the document decided the other way.
    input:
        scores=variant_scores,
        code="src/frugal/folds/strategies/{method}.py",
    output:
        "results/folds/variants/{name}/" + CELL + ".parquet",
    log:
        "results/logs/folds/variants/{name}/" + CELL + ".log",
    benchmark:
        "results/benchmarks/folds/variants/{name}/" + CELL + ".tsv"
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 1500 * attempt,
        runtime=60,
    params:
        settings=lambda wildcards: settings_of(wildcards.method),
        tie_rule=lambda wildcards: {**STUDY, **STUDY["sensitivity"]["variants"][wildcards.name]}["tie_rule"],
    shell:
        "frugal search --method {wildcards.method} --scores {input.scores} --n-candidates {wildcards.n}"
        " --seeds {wildcards.first}-{wildcards.last} --settings {params.settings:q}"
        " --tie-rule {params.tie_rule} --output {output} > {log} 2>&1"
