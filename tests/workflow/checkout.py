"""A copy of the checkout to run the workflow in, and Snakemake on it as a person would call it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent


def copy_to(folder):
    """The files that git tracks or would track, in a fresh folder; data already prepared is not copied."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target)
    return folder


def environment(folder, packages=()):
    """The copy's own package first, then folders of other packages; the environment's commands on the path."""
    found = os.environ | {
        "PATH": f"{BIN}:{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(map(str, (folder / "src", *packages))),
        "OMP_NUM_THREADS": "1",
    }
    if mirror := found.get("FRUGAL_DATA_MIRROR"):  # a relative path would be lost with the working directory
        found["FRUGAL_DATA_MIRROR"] = os.path.realpath(mirror)
    return found


def snakemake(folder, *arguments, cores=2, packages=()):
    """Run Snakemake in a copy, with the scheduler of `make`; returns the finished process, with its output."""
    return subprocess.run(
        ["snakemake", "--scheduler", "greedy", "--cores", str(cores), *arguments],
        cwd=folder, env=environment(folder, packages), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip


def contents(folder, pattern):
    """Bytes of every file that matches, by its path below the folder."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.glob(pattern)) if p.is_file()}
