"""Frugal: model selection on a budget. The workflow's table of contents; `make help` and README.md explain it."""

from snakemake.utils import min_version

min_version("9.27")


configfile: "config/config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/folds.smk"
include: "workflow/rules/rows.smk"
include: "workflow/rules/trials.smk"
include: "workflow/rules/papers.smk"


rule all:
    default_target: True
    # Every table, figure and claim of every paper, at the configured scale.
    input:
        rules.beta_pruning.input,
        rules.greedy_cv.input,
        rules.exploration.input,
        rules.big_data.input,
        rules.hypertune.input,
