# Tables, figures and claims of every paper and comparison; `studies.artefacts` says what they are made from.


report: "../report/workflow.rst"


rule derived:
    # What an optimiser or a factorisation makes, of other runs or of nothing; tables and claims only read it.
    input:
        PLAN.shown.derived_runs,
    output:
        "results/{paper}/runs/{name}.parquet",
    log:
        "results/logs/{paper}/runs/{name}.log",
    benchmark:
        "results/benchmarks/derived/{paper}/runs/{name}.tsv"
    wildcard_constraints:
        name="|".join(PLAN.shown.derived_names()),
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=20,
        in_turn=1,
    params:
        code=PLAN.shown.derived_code,
    shell:
        "python -m studies job derive {wildcards.paper} {wildcards.name} --runs {input} --output {output} > {log} 2>&1"


rule table:
    # A table, tidy and as a person reads it, ours beside what is published.
    input:
        PLAN.shown.artefact_inputs("table"),
    output:
        csv="results/{paper}/tables/{name}.csv",
        md=report(
            "results/{paper}/tables/{name}.md",
            caption="../report/item.rst",
            category="{paper}",
            subcategory="tables",
            labels={"item": "{name}"},
        ),
    log:
        "results/logs/{paper}/tables/{name}.log",
    benchmark:
        "results/benchmarks/table/{paper}/tables/{name}.tsv"
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
        in_turn=1,
    params:
        caption=PLAN.shown.caption_of("table"),
        scale=config["scale"],
        code=PLAN.shown.code("table"),
    shell:
        "python -m studies job table {wildcards.paper} {wildcards.name} --runs {input} --scale {params.scale}"
        " --output {output.csv} > {log} 2>&1"


rule figure:
    # A figure, with the numbers it is drawn from: of runs, or explaining something by a small real run of it.
    input:
        PLAN.shown.artefact_inputs("figure"),
    output:
        png=report(
            "results/{paper}/figures/{name}.png",
            caption="../report/item.rst",
            category="{paper}",
            subcategory="figures",
            labels={"item": "{name}"},
        ),
        svg="results/{paper}/figures/{name}.svg",
        csv="results/{paper}/figures/{name}.csv",
        md="results/{paper}/figures/{name}.md",
    log:
        "results/logs/{paper}/figures/{name}.log",
    benchmark:
        "results/benchmarks/figure/{paper}/figures/{name}.tsv"
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
        in_turn=1,
    params:
        caption=PLAN.shown.caption_of("figure"),
        source=PLAN.shown.figure_source,
        code=PLAN.shown.code("figure"),
    shell:
        "python -m studies job figure {wildcards.paper} {wildcards.name} {params.source} --caption {params.caption:q}"
        " --output {output.png} > {log} 2>&1"


rule claims:
    # Every claim of the document with our number, its interval and a verdict; our findings beside them.
    input:
        PLAN.shown.artefact_inputs("claims"),
    output:
        claims=report(
            "results/{paper}/claims{part}.csv",
            caption="../report/item.rst",
            category="{paper}",
            subcategory="claims",
            labels={"item": "claims{part}"},
        ),
        findings=report(
            "results/{paper}/findings{part}.csv",
            caption="../report/item.rst",
            category="{paper}",
            subcategory="claims",
            labels={"item": "findings{part}"},
        ),
    log:
        "results/logs/{paper}/claims{part}.log",
    benchmark:
        "results/benchmarks/claims/{paper}/claims{part}.tsv"
    wildcard_constraints:
        part="(_[a-z]+)?",
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
        in_turn=1,
    params:
        caption=PLAN.shown.caption_of("claims"),
        scale=config["scale"],
        code=PLAN.shown.code("claims"),
    shell:
        "python -m studies job claims {wildcards.paper} --runs {input} --scale {params.scale} --output {output.claims}"
        " > {log} 2>&1"


rule pack:
    # One process makes the tables, figures and claims of a paper that share the same runs, or all of a paper
    # (`shown_per_job`), since a process takes longer to start than most of them take to make. Another one makes the
    # figures that explain something by a small real run. The output is a temporary folder, deleted once the rules
    # below have copied its files.
    input:
        PLAN.shown.pack_inputs,
    output:
        temp(directory("results/{paper}/packs/{pack}")),
    log:
        "results/logs/{paper}/packs/{pack}.log",
    benchmark:
        "results/benchmarks/pack/{paper}/packs/{pack}.tsv"
    wildcard_constraints:
        pack="[a-z0-9_]+",
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
        in_turn=1,
    params:
        jobs=PLAN.shown.pack_jobs,
        code=PLAN.shown.pack_code,
    shell:
        "python -m studies job pack {params.jobs:q} > {log} 2>&1"


rule packed_table:
    input:
        pack=PLAN.shown.pack_of("table"),
        runs=PLAN.shown.artefact_inputs("table"),
    output:
        csv="results/{paper}/tables/{name}.csv",
        md=report(
            "results/{paper}/tables/{name}.md",
            caption="../report/item.rst",
            category="{paper}",
            subcategory="tables",
            labels={"item": "{name}"},
        ),
    log:
        "results/logs/{paper}/tables/{name}.log",
    # A table of a pack. Its runs are an input, too: the pack's folder is temporary, so it has no date that would say
    # that this file has become older than its runs.
    localrule: True
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    params:
        caption=PLAN.shown.caption_of("table"),
        code=PLAN.shown.code("table"),
    shell:
        "cp {input.pack}/tables/{wildcards.name}.* $(dirname {output.csv}) > {log} 2>&1"


rule packed_figure:
    input:
        pack=PLAN.shown.pack_of("figure"),
        runs=PLAN.shown.artefact_inputs("figure"),
    output:
        png=report(
            "results/{paper}/figures/{name}.png",
            caption="../report/item.rst",
            category="{paper}",
            subcategory="figures",
            labels={"item": "{name}"},
        ),
        svg="results/{paper}/figures/{name}.svg",
        csv="results/{paper}/figures/{name}.csv",
        md="results/{paper}/figures/{name}.md",
    log:
        "results/logs/{paper}/figures/{name}.log",
    # A figure of a pack.
    localrule: True
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    params:
        caption=PLAN.shown.caption_of("figure"),
        code=PLAN.shown.code("figure"),
    shell:
        "cp {input.pack}/figures/{wildcards.name}.* $(dirname {output.csv}) > {log} 2>&1"


rule packed_claims:
    input:
        pack=PLAN.shown.pack_of("claims"),
        runs=PLAN.shown.artefact_inputs("claims"),
    output:
        claims=report(
            "results/{paper}/claims{part}.csv",
            caption="../report/item.rst",
            category="{paper}",
            subcategory="claims",
            labels={"item": "claims{part}"},
        ),
        findings=report(
            "results/{paper}/findings{part}.csv",
            caption="../report/item.rst",
            category="{paper}",
            subcategory="claims",
            labels={"item": "findings{part}"},
        ),
    log:
        "results/logs/{paper}/claims{part}.log",
    wildcard_constraints:
        part="(_[a-z]+)?",
    # Claims and findings of a pack.
    localrule: True
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    params:
        caption=PLAN.shown.caption_of("claims"),
        code=PLAN.shown.code("claims"),
    shell:
        "cp {input.pack}/claims{wildcards.part}.csv {input.pack}/findings{wildcards.part}.csv"
        " $(dirname {output.claims}) > {log} 2>&1"


if config["fan_out"] == "full":

    ruleorder: table > packed_table
    ruleorder: figure > packed_figure
    ruleorder: claims > packed_claims

else:

    ruleorder: packed_table > table
    ruleorder: packed_figure > figure
    ruleorder: packed_claims > claims


rule claims_summary:
    # How many claims of each document have which verdict in the runs that were made; the report begins with it.
    input:
        PLAN.shown.documents_claims(),
    output:
        csv="results/claims_summary.csv",
        md=report(
            "results/claims_summary.md",
            caption="../report/item.rst",
            category="claims",
            labels={"item": "summary"},
        ),
    log:
        "results/logs/claims_summary.log",
    benchmark:
        "results/benchmarks/claims_summary/claims_summary.tsv"
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        caption=f"How many claims have which verdict. Scale {config['scale']}.",
        code=hash_of(job_code.summary()),
    shell:
        "python -m studies summary --claims {input} --output {output.csv} > {log} 2>&1"


# A target per table, figure and file of claims: greedy_cv_table1, folds_comparison_ranks.
for target, paths in PLAN.shown.targets().items():

    rule:
        name:
            target
        input:
            paths,


rule beta_pruning:
    # Document 000: the figures of its model and of its network, the sweep over its settings, and its claims.
    input:
        PLAN.shown.files_of("beta_pruning"),


rule greedy_cv:
    # Document 001: every table, figure and claim.
    input:
        PLAN.shown.files_of("greedy_cv"),


rule greedy_cv_sensitivity:
    # What the document's ambiguities do to Table 1, and its conjecture on larger data.
    input:
        PLAN.shown.files_of("greedy_cv_sensitivity"),


rule exploration:
    # Document 002: tables, figures and claims.
    input:
        PLAN.shown.files_of("exploration"),


rule big_data:
    # Document 003: section 2, sizes and lengths of trials, and section 3, training on fewer rows.
    input:
        PLAN.shown.files_of("big_data"),


rule hypertune:
    # Document 004: tables, figures and claims.
    input:
        PLAN.shown.files_of("hypertune"),


rule folds_comparison:
    # Every strategy of the folds family on the same folds, of greedy_cv's candidates and of beta_pruning's network.
    input:
        PLAN.shown.files_of("folds_comparison"),


rule trials_comparison:
    # Every strategy and peer of the trials family on the same problems, at equal budgets.
    input:
        PLAN.shown.files_of("trials_comparison"),


rule redraw:
    # Every published table, figure and claim, made again from the published runs, and compared with what is published.
    log:
        "results/logs/redraw.log",
    benchmark:
        "results/benchmarks/redraw/redraw.tsv"
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    shell:
        "python -m studies redraw 2>&1 | tee {log}"
