"""The workflow, from its own folder. Its table of contents is workflow/Snakefile, where other workflows look for it."""


include: "workflow/Snakefile"


onstart:
    # Snakemake looks for jobs to start again a second after every time that it looked, once for each job that has ended.
    # That is for its limit on submissions, which one machine does not need.
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None


rule default:
    default_target: True
    # What is included gives no default target.
    input:
        rules.all.input,
