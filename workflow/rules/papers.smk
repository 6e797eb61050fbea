# Tables, figures and claims of every paper and comparison, and a target for each; `studies.artefacts` says what from.
# A shell command is made when its job runs, after this loop: it may use `params`, but none of the loop's variables.

for paper, shown in SHOWN.items():

    if shown.derived:

        rule:
            # What an optimiser or a factorisation makes, of other runs or of nothing; tables and claims only read it.
            name:
                f"{paper}_derived"
            input:
                runs=made_from(shown, shown.derived),
            output:
                f"results/{paper}/runs/{{name}}.parquet",
            log:
                f"results/logs/{paper}/runs/{{name}}.log",
            benchmark:
                f"results/benchmarks/{paper}/runs/{{name}}.tsv"
            wildcard_constraints:
                name="|".join(shown.derived),
            conda:
                "../../envs/frugal.yaml"
            threads: 1
            resources:
                mem_mb=2000,
                runtime=20,
            params:
                package=shown.folder,
                code=derived_code(shown.folder),
            shell:
                "python -m studies derive {params.package} {wildcards.name} --runs {input.runs} --output {output} > {log} 2>&1"

    rule:
        # A table, tidy and as a person reads it, ours beside what is published.
        name:
            f"{paper}_table"
        input:
            runs=made_from(shown, shown.tables),
        output:
            csv=f"results/{paper}/tables/{{name}}.csv",
            md=report(
                f"results/{paper}/tables/{{name}}.md",
                caption="../report/item.rst",
                category=paper,
                subcategory="tables",
                labels={"item": "{name}"},
            ),
        log:
            f"results/logs/{paper}/tables/{{name}}.log",
        benchmark:
            f"results/benchmarks/{paper}/tables/{{name}}.tsv"
        wildcard_constraints:
            name="|".join(shown.tables),
        conda:
            "../../envs/frugal.yaml"
        threads: 1
        resources:
            mem_mb=2000,
            runtime=10,
        params:
            package=shown.folder,
            scale=config["scale"],
            caption=caption_in(paper, "table"),
            code=shown_code("table", shown.folder),
        shell:
            "python -m studies table {params.package} {wildcards.name} --runs {input.runs} --scale {params.scale}"
            " --output {output.csv} > {log} 2>&1"

    # Figures, with the numbers they were drawn from: of runs, or explaining something by a small real run of it. Two
    # rules of one text, since the SLURM profile has a place for each.
    for kind, named, sources in (
        ("figure", shown.figures, made_from(shown, shown.figures)),
        ("figure_explained", shown.explained, explained_from(shown)),
    ):
        if not named:
            continue

        rule:
            name:
                f"{paper}_{kind}"
            input:
                sources,
            output:
                png=report(
                    f"results/{paper}/figures/{{name}}.png",
                    caption="../report/item.rst",
                    category=paper,
                    subcategory="figures",
                    labels={"item": "{name}"},
                ),
                svg=f"results/{paper}/figures/{{name}}.svg",
                csv=f"results/{paper}/figures/{{name}}.csv",
                md=f"results/{paper}/figures/{{name}}.md",
            log:
                f"results/logs/{paper}/figures/{{name}}.log",
            benchmark:
                f"results/benchmarks/{paper}/figures/{{name}}.tsv"
            wildcard_constraints:
                name="|".join(named),
            conda:
                "../../envs/frugal.yaml"
            threads: 1
            resources:
                mem_mb=2000,
                runtime=10,
            params:
                package=shown.folder,
                source=drawn_from(paper, kind),
                caption=caption_in(paper, "figure"),
                code=shown_code("figure", shown.folder),
            shell:
                "python -m studies figure {params.package} {wildcards.name} {params.source} --caption {params.caption:q}"
                " --output {output.png} > {log} 2>&1"

    for item, made_of in shown.claims.items():

        rule:
            # Every claim of the document with our number, its interval and a verdict; our findings beside them.
            name:
                f"{paper}_{item}"
            input:
                run_paths(shown, made_of),
            output:
                claims=report(
                    f"results/{paper}/{item}.csv",
                    caption="../report/item.rst",
                    category=paper,
                    subcategory="claims",
                    labels={"item": item},
                ),
                findings=report(
                    f"results/{paper}/{findings_of(item)}.csv",
                    caption="../report/item.rst",
                    category=paper,
                    subcategory="claims",
                    labels={"item": findings_of(item)},
                ),
            log:
                f"results/logs/{paper}/{item}.log",
            benchmark:
                f"results/benchmarks/{paper}/{item}.tsv"
            conda:
                "../../envs/frugal.yaml"
            threads: 1
            resources:
                mem_mb=2000,
                runtime=10,
            params:
                package=shown.folder,
                scale=config["scale"],
                caption=caption(paper, item, config, kind="claims"),
                code=hash_of(studies_jobs.shown("claims", shown.folder)),
            shell:
                "python -m studies claims {params.package} --runs {input} --scale {params.scale}"
                " --output {output.claims} > {log} 2>&1"

    for item in shown.tables:

        rule:
            name:
                target(paper, item, "table")
            input:
                table_paths(paper, item),

    for item in (*shown.explained, *shown.figures):

        rule:
            name:
                target(paper, item, "figure")
            input:
                figure_paths(paper, item),


rule redraw:
    # Every published table, figure and claim, made again from the published runs, and compared with what is published.
    log:
        "results/logs/redraw.log",
    benchmark:
        "results/benchmarks/redraw.tsv"
    conda:
        "../../envs/frugal.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    shell:
        "python -m studies redraw 2>&1 | tee {log}"
