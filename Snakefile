"""The workflow, from its own folder. Its table of contents is workflow/Snakefile, where other workflows look for it."""


include: "workflow/Snakefile"


rule default:
    default_target: True
    # What is included gives no default target.
    input:
        rules.all.input,
