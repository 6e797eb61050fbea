"""An interpreter that has the pinned packages of an environment: conda's, or a virtual environment's made here.

    python interpreters.py --pins envs/scikit-learn-0.24.yaml --folder FOLDER --output FILE.json

Only the standard library is imported, and Python 3.9 runs this file, as the interpreter of the environment itself.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_ASK = "import json, sys; print(json.dumps([sys.executable, '%d.%d' % sys.version_info[:2]]))"


def read_pins(path: Path) -> tuple[str, list[str]]:
    """Python's minor version and the packages of a conda environment, such as `3.9` and `numpy==1.20.3`."""
    text = path.read_text()
    python = re.search(r"^ *- python=([0-9.]+)$", text, flags=re.MULTILINE)
    if python is None:
        raise ValueError(f"{path} pins no Python")
    return python[1], re.findall(r"^ *- ([\w.-]+==[\w.]+)$", text, flags=re.MULTILINE)


def versions(python: str, names: list[str]) -> dict[str, str]:
    """Versions of packages that an interpreter has; without any where it does not run, or lacks one."""
    code = "import json, sys; from importlib.metadata import version; "
    code += "print(json.dumps({name: version(name) for name in sys.argv[1:]}))"
    found = _output([python, "-c", code, *names])
    return json.loads(found) if found else {}


def runs(python: str) -> tuple[str, str]:
    """The file of an interpreter that a command runs, and its minor version; two empty texts where none runs."""
    found = _output([python, "-c", _ASK])
    file, version = json.loads(found) if found else ("", "")
    return file, version


def _output(command: list[str]) -> str:
    """What a command prints; nothing where it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""


def interpreters(version: str) -> Iterator[str]:
    """Files that may be a Python of this minor version: those on the path, and those of pyenv behind its shims."""
    for folder in os.get_exec_path():
        found = shutil.which(f"python{version}", path=folder)
        if found:
            yield found
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    yield from map(str, sorted(root.glob(f"versions/{version}.*/bin/python{version}"), reverse=True))


def environment(pins: Path, folder: Path) -> dict[str, Any]:
    """An interpreter with the pinned packages: this one if it has them, else one of a new virtual environment.

    Args:
        pins: the conda environment.
        folder: of the virtual environment; what stands there is replaced.

    Returns:
        python, empty where there is none; reason, a sentence that says why; packages, by name their versions.
    """
    version, packages = read_pins(pins)
    wanted = dict(package.split("==") for package in packages)
    if versions(sys.executable, list(wanted)) == wanted:
        return {"python": sys.executable, "reason": "", "packages": wanted}
    found = (file for file, its_version in map(runs, interpreters(version)) if its_version == version)
    python = next(found, "")
    if not python:
        return _none(f"no Python {version} runs here, on the path or among pyenv's")
    interpreter = str(folder / "bin" / "python")
    steps = [
        [python, "-m", "venv", "--clear", str(folder)],
        [interpreter, "-m", "pip", "install", "--disable-pip-version-check", "--only-binary", ":all:", *packages],
    ]
    for step in steps:
        done = subprocess.run(step, capture_output=True, text=True)
        sys.stderr.write(done.stdout + done.stderr)
        if done.returncode:
            return _none(f"{python} could not be given {', '.join(packages)} (delete {folder}.json to try again)")
    return {
        "python": str(Path(interpreter).absolute()),
        "reason": "",
        "packages": versions(interpreter, list(wanted)),
    }


def _none(reason: str) -> dict[str, Any]:
    return {"python": "", "reason": reason, "packages": {}}


def main() -> None:
    """Write what `environment` returns."""
    parser = argparse.ArgumentParser(description="Find or make an interpreter with pinned packages.")
    parser.add_argument("--pins", type=Path, required=True, help="a conda environment, *.yaml")
    parser.add_argument("--folder", type=Path, required=True, help="of the virtual environment, if one is made")
    parser.add_argument("--output", type=Path, required=True, help="*.json")
    arguments = parser.parse_args()
    found = environment(arguments.pins, arguments.folder)
    print(found["reason"] or f"{found['python']} has {found['packages']}")
    arguments.output.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
