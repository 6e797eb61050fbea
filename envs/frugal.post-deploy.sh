#!/usr/bin/env bash
# Snakemake runs this in the new conda environment, from the project's root: the rules call `frugal` and `python -m studies`.
set -euo pipefail
python -m pip install --no-deps --editable .
