# The folds family: kept scores (costly, made once) and the searches replayed on them (cheap).


rule scores:
    # A block of folds of every distinct candidate, by the exact batch scorers.
    input:
        lambda wildcards: dataset_files(wildcards.dataset),
    output:
        scores="results/folds/scores/{dataset}/{classifier}/{variant}/k{k}/seed{seed}/folds{first}-{last}.parquet",
        seconds="results/folds/seconds/{dataset}/{classifier}/{variant}/k{k}/seed{seed}/folds{first}-{last}.parquet",
    log:
        "results/logs/folds/scores/{dataset}/{classifier}/{variant}/k{k}/seed{seed}/folds{first}-{last}.log",
    benchmark:
        "results/benchmarks/scores/{dataset}/{classifier}/{variant}/k{k}/seed{seed}/folds{first}-{last}.tsv"
    wildcard_constraints:
        classifier="|".join(name for name in known_learners() if name not in NETWORKS),
    priority: 1  # these are the longest; short jobs fill what they leave at the end
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 1500 * attempt,
        runtime=lambda wildcards, attempt: 3 * attempt,
        in_turn=1,
    params:
        flags=PLAN.folds.scoring_flags,
        code=lambda wildcards: hash_of(
            job_code.scores(wildcards.dataset, wildcards.classifier, timed=False)
        ),
    shell:
        "python -m studies job scores --dataset {wildcards.dataset} --classifier {wildcards.classifier} {params.flags}"
        " --n-folds {wildcards.k} --seed {wildcards.seed} --folds {wildcards.first}-{wildcards.last}"
        " --output {output.scores} --seconds-output {output.seconds} > {log} 2>&1"


use rule scores as scores_timed with:
    # The same scores by real scikit-learn fits, each timed alone; no other job runs beside it.
    output:
        scores="results/folds/scores/{dataset}/{classifier}/{variant}-timed/k{k}/seed{seed}/folds{first}-{last}.parquet",
        seconds="results/folds/seconds/{dataset}/{classifier}/{variant}-timed/k{k}/seed{seed}/folds{first}-{last}.parquet",
    log:
        "results/logs/folds/scores/{dataset}/{classifier}/{variant}-timed/k{k}/seed{seed}/folds{first}-{last}.log",
    benchmark:
        "results/benchmarks/scores_timed/{dataset}/{classifier}/{variant}-timed/k{k}/seed{seed}/folds{first}-{last}.tsv"
    priority: 0
    threads: TIMED_CORES
    resources:
        mem_mb=lambda wildcards, attempt: 1500 * attempt,
        runtime=lambda wildcards, attempt: 10 * attempt,
        slurm_extra="--exclusive",
    params:
        flags=PLAN.folds.timed_flags,
        code=lambda wildcards: hash_of(
            job_code.scores(wildcards.dataset, wildcards.classifier, timed=True)
        ),


rule rungs:
    # Every number of rows that successive halving asks for, by the exact batch scorers.
    input:
        lambda wildcards: dataset_files(wildcards.dataset),
    output:
        scores="results/folds/scores/{dataset}/{classifier}/{variant}/k{k}/seed{seed}/rungs.parquet",
        seconds="results/folds/seconds/{dataset}/{classifier}/{variant}/k{k}/seed{seed}/rungs.parquet",
    log:
        "results/logs/folds/scores/{dataset}/{classifier}/{variant}/k{k}/seed{seed}/rungs.log",
    benchmark:
        "results/benchmarks/rungs/{dataset}/{classifier}/{variant}/k{k}/seed{seed}/rungs.tsv"
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 1500 * attempt,
        runtime=lambda wildcards, attempt: 3 * attempt,
        in_turn=1,
    params:
        flags=PLAN.folds.scoring_flags,
        lengths=PLAN.folds.rung_lengths("early_stopping"),
        settings=PLAN.folds.rung_settings,
        code=lambda wildcards: hash_of(
            job_code.rungs(wildcards.dataset, wildcards.classifier, timed=False)
        ),
    shell:
        "python -m studies job rungs --dataset {wildcards.dataset} --classifier {wildcards.classifier} {params.flags}"
        " --seed {wildcards.seed} --n-candidates {params.lengths} --settings {params.settings:q}"
        " --output {output.scores} --seconds-output {output.seconds} > {log} 2>&1"


use rule rungs as rungs_timed with:
    # The same by real fits, timed alone.
    output:
        scores="results/folds/scores/{dataset}/{classifier}/{variant}-timed/k{k}/seed{seed}/rungs.parquet",
        seconds="results/folds/seconds/{dataset}/{classifier}/{variant}-timed/k{k}/seed{seed}/rungs.parquet",
    log:
        "results/logs/folds/scores/{dataset}/{classifier}/{variant}-timed/k{k}/seed{seed}/rungs.log",
    benchmark:
        "results/benchmarks/rungs_timed/{dataset}/{classifier}/{variant}-timed/k{k}/seed{seed}/rungs.tsv"
    threads: TIMED_CORES
    resources:
        mem_mb=lambda wildcards, attempt: 1500 * attempt,
        runtime=lambda wildcards, attempt: 10 * attempt,
        slurm_extra="--exclusive",
    params:
        flags=PLAN.folds.timed_flags,
        lengths=PLAN.folds.rung_lengths("wall_clock"),
        code=lambda wildcards: hash_of(
            job_code.rungs(wildcards.dataset, wildcards.classifier, timed=True)
        ),


rule network_default:
    # Before anything is tuned: whether the network's default reaches its stated error on the test images.
    input:
        lambda wildcards: dataset_files(wildcards.dataset),
    output:
        "results/networks/{classifier}/{dataset}/default.csv",
    log:
        "results/logs/networks/{classifier}/{dataset}/default.log",
    benchmark:
        "results/benchmarks/network_default/{classifier}/{dataset}/default.tsv"
    wildcard_constraints:
        classifier="|".join(NETWORKS),
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2500 * attempt,
        runtime=60,
    params:
        epochs=lambda wildcards: PLAN.trials.default_of(wildcards.classifier)["epochs"],
        max_error=lambda wildcards: PLAN.trials.default_of(wildcards.classifier)[
            "max_error"
        ],
        code=lambda wildcards: hash_of(
            job_code.default(wildcards.classifier, wildcards.dataset)
        ),
    shell:
        "python -m studies job default --network {wildcards.classifier} --dataset {wildcards.dataset} --epochs {params.epochs}"
        " --seed 0 --max-error {params.max_error} --output {output} > {log} 2>&1"


use rule scores as network_scores with:
    # A fold of every candidate of a network, trained one after the other.
    input:
        lambda wildcards: dataset_files(wildcards.dataset),
        ancient(rules.network_default.output),  # another bound is no reason to train anew
    benchmark:
        "results/benchmarks/network_scores/{dataset}/{classifier}/{variant}/k{k}/seed{seed}/folds{first}-{last}.tsv"
    wildcard_constraints:
        classifier="|".join(NETWORKS),
    resources:
        mem_mb=lambda wildcards, attempt: 2500 * attempt,
        runtime=60,


rule search:
    # One strategy replayed on the kept scores of a block of seeds, for one length of the candidate list or all.
    input:
        scores=PLAN.folds.kept_scores,
    output:
        "results/folds/search/{method}/{dataset}/{classifier}/n{n}/k{k}/seeds{first}-{last}.parquet",
    log:
        "results/logs/folds/search/{method}/{dataset}/{classifier}/n{n}/k{k}/seeds{first}-{last}.log",
    benchmark:
        "results/benchmarks/search/{method}/{dataset}/{classifier}/n{n}/k{k}/seeds{first}-{last}.tsv"
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 1500 * attempt,
        runtime=lambda wildcards, attempt: 2 * attempt,
        in_turn=1,
    params:
        lengths=PLAN.folds.lengths(),
        settings=PLAN.folds.settings_of,
        code=lambda wildcards: hash_of(job_code.search(wildcards.method)),
        tie_rule=config["greedy_cv"]["tie_rule"],
        seconds="",
    shell:
        "python -m studies job search --method {wildcards.method} --scores {input.scores} {params.seconds}"
        " --n-candidates {params.lengths} --seeds {wildcards.first}-{wildcards.last} --settings {params.settings:q}"
        " --tie-rule {params.tie_rule} --output {output} > {log} 2>&1"


rule search_pack:
    # One process does all searches of a method in an experiment, on every dataset, classifier and k: for searches
    # that take no longer than a process takes to start. The output is a temporary folder, deleted once
    # packed_search has copied the files.
    input:
        PLAN.folds.replay_pack_inputs,
    output:
        temp(directory("results/folds/packs/{experiment}/{method}")),
    log:
        "results/logs/folds/packs/{experiment}/{method}.log",
    benchmark:
        "results/benchmarks/search_pack/{experiment}/{method}.tsv"
    wildcard_constraints:
        experiment="|".join(PLAN.folds.packed),
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 1500 * attempt,
        runtime=60,
        in_turn=1,
    params:
        jobs=PLAN.folds.replay_pack_jobs,
        code=lambda wildcards: hash_of(job_code.search(wildcards.method)),
    shell:
        "python -m studies job pack {params.jobs:q} > {log} 2>&1"


rule packed_search:
    input:
        pack=PLAN.folds.replay_pack,
        scores=PLAN.folds.kept_scores,
    output:
        "results/folds/search/{method}/{dataset}/{classifier}/n{n}/k{k}/seeds{first}-{last}.parquet",
    log:
        "results/logs/folds/search/{method}/{dataset}/{classifier}/n{n}/k{k}/seeds{first}-{last}.log",
    # One of these searches; the scores are an input, too, since the pack's folder is temporary and has no date.
    localrule: True
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    params:
        lengths=PLAN.folds.lengths(),
        settings=PLAN.folds.settings_of,
        code=lambda wildcards: hash_of(job_code.search(wildcards.method)),
        tie_rule=config["greedy_cv"]["tie_rule"],
    shell:
        "cp {input.pack}/{wildcards.dataset}/{wildcards.classifier}/n{wildcards.n}/k{wildcards.k}/"
        "seeds{wildcards.first}-{wildcards.last}.parquet {output} > {log} 2>&1"


if config["searches_per_job"] == 1:

    ruleorder: search > packed_search

else:

    ruleorder: packed_search > search


use rule search as search_variant with:
    # The same, with one ambiguity of the document decided the other way.
    input:
        scores=PLAN.folds.variant_scores,
    output:
        "results/folds/variants/{name}/{method}/{dataset}/{classifier}/n{n}/k{k}/seeds{first}-{last}.parquet",
    log:
        "results/logs/folds/variants/{name}/{method}/{dataset}/{classifier}/n{n}/k{k}/seeds{first}-{last}.log",
    benchmark:
        "results/benchmarks/search_variant/{name}/{method}/{dataset}/{classifier}/n{n}/k{k}/seeds{first}-{last}.tsv"
    params:
        lengths=PLAN.folds.lengths("sensitivity"),
        tie_rule=lambda wildcards: PLAN.folds.variant_settings(wildcards)["tie_rule"],


use rule search as search_timed with:
    # The same on timed scores, with what the clock said: these files are not reproducible bytes. Other jobs may run
    # beside it: it adds up seconds measured before, and the strategy's own are seconds of its CPU.
    input:
        scores=PLAN.folds.of_timed_fits("scores"),
        seconds=PLAN.folds.of_timed_fits("seconds"),
    output:
        "results/folds/wall_clock/{method}/{dataset}/{classifier}/n{n}/k{k}/seeds{first}-{last}.parquet",
    log:
        "results/logs/folds/wall_clock/{method}/{dataset}/{classifier}/n{n}/k{k}/seeds{first}-{last}.log",
    benchmark:
        "results/benchmarks/search_timed/{method}/{dataset}/{classifier}/n{n}/k{k}/seeds{first}-{last}.tsv"
    params:
        lengths=PLAN.folds.lengths("wall_clock"),
        seconds=lambda wildcards, input: f"--seconds {input.seconds}",


use rule search as search_reading with:
    # The same in another reading of the document.
    output:
        "results/folds/readings/{name}/search/{method}/{dataset}/{classifier}/n{n}/k{k}/seeds{first}-{last}.parquet",
    log:
        "results/logs/folds/readings/{name}/search/{method}/{dataset}/{classifier}/n{n}/k{k}/seeds{first}-{last}.log",
    benchmark:
        "results/benchmarks/search_reading/{name}/search/{method}/{dataset}/{classifier}/n{n}/k{k}/seeds{first}-{last}.tsv"
    params:
        settings=PLAN.folds.reading_strategy,
        tie_rule=lambda wildcards: PLAN.folds.reading_settings(wildcards)["tie_rule"],


use rule search_timed as search_reading_timed with:
    # The same on timed scores.
    output:
        "results/folds/readings/{name}/wall_clock/{method}/{dataset}/{classifier}/n{n}/k{k}/seeds{first}-{last}.parquet",
    log:
        "results/logs/folds/readings/{name}/wall_clock/{method}/{dataset}/{classifier}/n{n}/k{k}/seeds{first}-{last}.log",
    benchmark:
        "results/benchmarks/search_reading_timed/{name}/wall_clock/{method}/{dataset}/{classifier}/n{n}/k{k}/seeds{first}-{last}.tsv"
    params:
        settings=PLAN.folds.reading_strategy,
        tie_rule=lambda wildcards: PLAN.folds.reading_settings(wildcards)["tie_rule"],


use rule search as search_factorial with:
    # The same at one combination of what the document leaves open.
    input:
        scores=PLAN.folds.factorial_scores,
    output:
        "results/folds/factorial/{name}/{method}/{dataset}/{classifier}/n{n}/k{k}/seeds{first}-{last}.parquet",
    log:
        "results/logs/folds/factorial/{name}/{method}/{dataset}/{classifier}/n{n}/k{k}/seeds{first}-{last}.log",
    benchmark:
        "results/benchmarks/search_factorial/{name}/{method}/{dataset}/{classifier}/n{n}/k{k}/seeds{first}-{last}.tsv"
    params:
        lengths=PLAN.folds.lengths("factorial"),


rule collect:
    # Per-seed rows of an experiment of document 001 in one file, and the statistics of every cell.
    input:
        PLAN.folds.experiment_files,
    output:
        runs="results/greedy_cv/runs/{experiment}.parquet",
        cells="results/greedy_cv/cells/{experiment}.csv",
    log:
        "results/logs/greedy_cv/collect/{experiment}.log",
    benchmark:
        "results/benchmarks/collect/{experiment}.tsv"
    wildcard_constraints:
        experiment="|".join(PLAN.folds.gathered),
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        labels=PLAN.folds.experiment_labels,
        code=hash_of(job_code.collect()),
    shell:
        "python -m studies job collect --labels {params.labels:q} --search {input} --output {output.runs} --cells-output {output.cells}"
        " > {log} 2>&1"


use rule collect as collect_variant with:
    # The runs of one sensitivity variant.
    input:
        PLAN.folds.variant_files,
    output:
        runs="results/greedy_cv/runs/variants/{name}.parquet",
        cells="results/greedy_cv/cells/variants/{name}.csv",
    log:
        "results/logs/greedy_cv/collect/variants/{name}.log",
    benchmark:
        "results/benchmarks/collect_variant/{name}.tsv"
    params:
        labels=lambda wildcards: as_json({"variant": wildcards.name}),


use rule collect as collect_reading with:
    # The runs of an experiment in another reading of the document.
    output:
        runs="results/greedy_cv/runs/readings/{name}/{experiment}.parquet",
        cells="results/greedy_cv/cells/readings/{name}/{experiment}.csv",
    log:
        "results/logs/greedy_cv/collect/readings/{name}/{experiment}.log",
    benchmark:
        "results/benchmarks/collect_reading/{name}/{experiment}.tsv"


use rule collect as collect_factorial with:
    # The runs of one combination.
    input:
        PLAN.folds.factorial_files,
    output:
        runs="results/greedy_cv/runs/factorial/{name}.parquet",
        cells="results/greedy_cv/cells/factorial/{name}.csv",
    log:
        "results/logs/greedy_cv/collect/factorial/{name}.log",
    benchmark:
        "results/benchmarks/collect_factorial/{name}.tsv"
    params:
        labels=PLAN.folds.factorial_labels,


rule explore:
    # Document 000's experiment replayed on its network's scores: every training, and whole runs at other settings.
    input:
        scores=PLAN.folds.network_scores(),
    output:
        explored="results/beta_pruning/runs/explored.parquet",
        swept="results/beta_pruning/runs/swept.parquet",
    log:
        "results/logs/beta_pruning/runs.log",
    benchmark:
        "results/benchmarks/explore/beta_pruning/runs.tsv"
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=60,
    params:
        settings=PLAN.folds.explored_settings(),
        taus=config["beta_pruning"]["network"]["taus"],
        buffers=config["beta_pruning"]["network"]["buffers"],
        code=hash_of(job_code.explore(PLAN.folds.explored)),
    shell:
        "python -m studies job explore --scores {input.scores} --settings {params.settings:q} --taus {params.taus}"
        " --buffers {params.buffers} --output {output.explored} --sweep-output {output.swept} > {log} 2>&1"


rule compare:
    # One compared strategy on one dataset and classifier: all lengths n, numbers of folds k and seeds.
    input:
        scores=PLAN.folds.comparison_scores(),
    output:
        "results/folds_comparison/{kind}/{entry}/{dataset}/{classifier}.parquet",
    log:
        "results/logs/folds_comparison/{kind}/{entry}/{dataset}/{classifier}.log",
    benchmark:
        "results/benchmarks/compare/{kind}/{entry}/{dataset}/{classifier}.tsv"
    wildcard_constraints:
        kind="runs|network",
        entry="|".join(PLAN.folds.entries),
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 1500 * attempt,
        runtime=lambda wildcards, attempt: 10 * attempt,
        in_turn=1,
    params:
        strategy=lambda wildcards: PLAN.folds.entries[wildcards.entry].strategy,
        settings=PLAN.folds.entry_settings,
        code=lambda wildcards: hash_of(
            job_code.compare(PLAN.folds.entries[wildcards.entry].strategy)
        ),
        budget=PLAN.folds.entry_budget,
        lengths=PLAN.folds.compared_lengths,
        seconds="",
    shell:
        "python -m studies job compare {wildcards.entry} --strategy {params.strategy} --settings {params.settings:q} {params.budget}"
        " --scores {input.scores} {params.seconds} {params.lengths} --output {output} > {log} 2>&1"


use rule compare as compare_timed with:
    # The same on timed fits, for the seconds that strategies take: these files are not reproducible bytes.
    input:
        scores=PLAN.folds.comparison_scores("-timed"),
        seconds=PLAN.folds.comparison_scores("-timed", "seconds"),
    output:
        "results/folds_comparison/timed/{entry}/{dataset}/{classifier}.parquet",
    log:
        "results/logs/folds_comparison/timed/{entry}/{dataset}/{classifier}.log",
    benchmark:
        "results/benchmarks/compare_timed/{entry}/{dataset}/{classifier}.tsv"
    params:
        seconds=lambda wildcards, input: f"--seconds {input.seconds}",


use rule collect as collect_comparison with:
    # All runs in one file, and the statistics of every cell.
    input:
        PLAN.folds.compared_files,
    output:
        runs="results/folds_comparison/{kind}.parquet",
        cells="results/folds_comparison/cells/{kind}.csv",
    log:
        "results/logs/folds_comparison/collect/{kind}.log",
    benchmark:
        "results/benchmarks/collect_comparison/{kind}.tsv"
    wildcard_constraints:
        kind="runs|timed|network",
    params:
        labels="{}",
