# `make` builds the environment (.venv) and runs the main job; `make help` lists the rest.

PYTHON ?= python3
CORES ?= $(shell nproc)
SCALE ?= config

# Recipes, and the jobs of the workflow, use what .venv holds.
export PATH := $(CURDIR)/.venv/bin:$(PATH)

ENVIRONMENT := .venv/.built
DOCS := .venv/.docs
PYTEST := pytest -n 2 --dist loadfile --no-loadscope-reorder --max-worker-restart 0
PYTEST_SLURM := pytest -m slurm tests/workflow/test_slurm.py
SNAKEMAKE := snakemake --workflow-profile workflow/profiles/local --cores $(CORES)
# The tables and figures of document 003 are the longest last job: its runs come first, so that others run beside it.
PRIORITY := --prioritize big_data

.DEFAULT_GOAL := all
.PHONY: all smoke paper redraw report docs environment lint test test-all test-slurm test-faults test-site clean help

all: $(ENVIRONMENT) ## every table, figure and claim of the documents but greedy_cv_sensitivity, at laptop scale (config/config.yaml)
	$(SNAKEMAKE) $(PRIORITY)

smoke: $(ENVIRONMENT) ## the same at smoke scale: one fold and one seed a job, on few cells
	$(SNAKEMAKE) $(PRIORITY) --configfile config/smoke.yaml

paper: $(ENVIRONMENT) ## the same at the documents' own scale; says first how many CPU hours: rather on a cluster
	@$(SNAKEMAKE) --configfile config/paper.yaml --dry-run | python -m studies forecast
	$(SNAKEMAKE) --configfile config/paper.yaml

redraw: $(ENVIRONMENT) ## every published table, figure and claim again, from the published runs; compared
	$(SNAKEMAKE) redraw

report: $(ENVIRONMENT) ## one page with every claim, table and figure made: report.html (SCALE=smoke, paper)
	snakemake --report report_workflow.html --configfile config/$(SCALE).yaml $(if $(CONFIG),--config $(CONFIG))
	python -m studies report --configfile config/config.yaml config/$(SCALE).yaml

docs: $(DOCS) ## the site, from results/published and the sources: docs/_build/html/index.html
	@rm -rf docs/api docs/_build/html/api # a page of a name that has gone would be a warning
	sphinx-build -W --keep-going --quiet -b html docs docs/_build/html

environment: $(ENVIRONMENT) ## only build the environment

# Pinned versions; again after a change of what is asked for.
$(ENVIRONMENT): pyproject.toml envs/constraints.txt
	@test -x .venv/bin/pip || $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "Frugal needs Python 3.11 or newer, which '$(PYTHON)' is not: name one with 'make PYTHON=...'." >&2; exit 1; }
	@test -x .venv/bin/pip || $(PYTHON) -m venv .venv
	.venv/bin/python -m pip install --quiet --constraint envs/constraints.txt --editable ".[dev]"
	@touch $@

$(DOCS): $(ENVIRONMENT)
	.venv/bin/python -m pip install --quiet --constraint envs/constraints.txt --editable ".[docs]"
	@touch $@

lint: $(ENVIRONMENT) ## ruff, mypy, snakefmt, snakemake --lint, every configuration
	ruff check --no-cache
	ruff format --check
	mypy
	snakefmt --check Snakefile workflow
	snakemake --lint
	python -m studies config check config/config.yaml config/smoke.yaml config/paper.yaml config/desk.yaml

test: lint ## the environment, `lint`, and the tests but the slow ones
	$(PYTEST)

test-all: lint docs ## the site, and every test but those in a browser: real runs, faults, the wheel, SLURM too (Debian, root)
	$(PYTEST) -m "not slurm and not site"
	$(PYTEST_SLURM)

test-slurm: $(ENVIRONMENT) ## every kind of job through a SLURM of one node, installed here (Debian, root)
	$(PYTEST_SLURM)

test-faults: $(ENVIRONMENT) ## kills, damage, mutations and full disks by the thousand; writes docs/reliability.md
	python tests/faults/run.py --output docs/reliability.md

test-site: docs ## the site in a browser (Debian's chromium): every page, link and picture, the filters, two widths
	pytest -m site tests/site

clean: ## remove what rules made; downloads in data/raw and results/published stay
	rm -rf data/processed report.html report_workflow.html docs/_build docs/api docs/auto_examples
	if [ -d results ]; then find results -mindepth 1 -maxdepth 1 ! -name published -exec rm -rf {} +; fi

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 14
