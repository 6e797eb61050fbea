# What all files beside this one share: the checked configuration and the plan that their functions belong to.

from snakemake.exceptions import WorkflowError

from frugal.code import jobs
from frugal.datasets.catalogue import CATALOGUE
from frugal.learners import NETWORKS
from frugal.learners import known as known_learners
from studies import code as job_code
from studies import interpreters
from studies import config as studies_config
from studies.plan import Plan
from studies.code import hash_of
from studies.plan.common import as_json, dataset_files, prepared, refuse_stand_in


def checked(check, *args, **kwargs):
    """Return `check(...)`; a ValueError of it ends the run with its message, without a traceback of ours."""
    try:
        return check(*args, **kwargs)
    except ValueError as error:
        raise WorkflowError(str(error)) from None


# Snakemake has read these files, and of a key that stands twice it has kept the last.
for path in workflow.configfiles:
    checked(studies_config.read, path)


# The keys that are given, over the scale's; every file below reads the whole configuration.
config.update(checked(studies_config.complete, config, source="configuration"))
checked(studies_config.check, config, source="configuration")
PLAN = checked(Plan, config)
# Of fits that are timed. Cores are unset where a cluster hands them out.
TIMED_CORES = (workflow.resource_settings.cores or 1) if config["timed_alone"] else 1
TIMED = [name for name, study in PLAN.rows.experiments.items() if study.is_timed]


onstart:
    # Building what the jobs are made of takes seconds: once a run, neither in its jobs nor in a dry run.
    checked(studies_config.check_all, config, source="configuration")
    # Snakemake looks for jobs to start again a second after every time that it looked, once for each job that has ended.
    # That is for its limit on submissions, which one machine does not need.
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None


wildcard_constraints:
    dataset=f"({'|'.join(CATALOGUE)})(_[0-9]+)?",
    classifier="|".join(known_learners()),
    method="[a-z0-9_]+",
    variant="(grid|ranges)(-min_max|-robust|-standard)?(-plain)?(-own_seeds)?(-epochs[0-9]+)?",
    name="[a-z0-9_]+",
    paper="|".join(PLAN.shown.papers),
    n="all|[0-9]+",
    k="[0-9]+",
    seed="[0-9]+",
    first="[0-9]+",
    last="[0-9]+",
