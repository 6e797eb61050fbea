# Tables, figures and claims of every paper and comparison, and a target for each; `RESULTS` says what from.
# A shell command is made when its job runs, after this loop: it may use `params`, but none of the loop's variables.

for paper, shown in RESULTS.items():

    rule:
        # A table, tidy and as a person reads it, ours beside what is published.
        name:
            f"{paper}_table"
        input:
            runs=made_from(shown.tables),
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
            package=shown.package or paper,
            scale=config["scale"],
            caption=caption_in(paper, "_table"),
            code=shown_code("table", shown.package or paper),
        shell:
            "python -m studies table {params.package} {wildcards.name} --runs {input.runs} --scale {params.scale}"
            " --output {output.csv} > {log} 2>&1"

    # Figures, with the numbers they were drawn from: of runs, or explaining something by a small real run of it. Two
    # rules of one text, since the SLURM profile has a place for each.
    for kind, named in (
        ("figure", shown.figures),
        ("figure_explained", shown.explained),
    ):
        if not named:
            continue

        rule:
            name:
                f"{paper}_{kind}"
            input:
                made_from(named),
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
                package=shown.package or paper,
                source=drawn_from(paper, kind),
                caption=caption_in(paper),
                code=shown_code("figure", shown.package or paper),
            shell:
                "python -m studies figure {params.package} {wildcards.name} {params.source} --output {output.png} > {log} 2>&1"

    for item, made_of in shown.claims.items():

        rule:
            # Every claim that there is an experiment for, quoted, with our number, its interval and a verdict.
            name:
                f"{paper}_{item}"
            input:
                made_of,
            output:
                report(
                    f"results/{paper}/{item}.csv",
                    caption="../report/item.rst",
                    category=paper,
                    subcategory="claims",
                    labels={"item": item},
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
                package=shown.package or paper,
                scale=config["scale"],
                caption=caption_of(paper, item),
                code=hash_of(studies_jobs.shown("claims", shown.package or paper)),
            shell:
                "python -m studies claims {params.package} --runs {input} --scale {params.scale} --output {output} > {log} 2>&1"

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
