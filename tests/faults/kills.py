"""Runs of the workflow at smoke scale that are killed again and again, and have to end as the one that was not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import yaml
from stored import CLOCKS

from faults import HANG, HELD, TRACEBACK, WRONG, Fault, Outcome

sys.path.insert(0, str(Path(__file__).parents[1] / "workflow"))
from checkout import copy_to, environment

KIND = "kill of a whole run"
LIMIT_S = 600
SMOKE = "config/smoke.yaml"


@dataclass(frozen=True)
class Family:
    """Files of one family of strategies, and what the configuration has beside the smoke scale's."""

    name: str
    targets: tuple[str, ...]
    settings: dict[str, object]


FAMILIES = (
    Family(
        "folds",
        ("results/greedy_cv/runs/search_time.parquet",),
        {"greedy_cv": {"datasets": ["wdbc"], "classifiers": ["decision_tree"]}},
    ),
    Family(
        "trials",
        (
            *(f"results/trials/{name}/function/branin/seed0.parquet" for name in ("random", "tpe", "ei", "dngo")),
            *(f"results/trials/{name}/elastic_net/letter/seed0.parquet" for name in ("ei", "hypertune")),
        ),
        {},
    ),
    Family(
        "rows",
        (
            "results/rows/subsampling/lcc/seeds0-0.parquet",
            "results/rows/subsampling/lcc/seeds1-1.parquet",
            "results/rows/bias/lcc/seeds0-0.parquet",
            "results/rows/boundaries/full/seeds0-0.parquet",
        ),
        {},
    ),
    Family("networks", ("results/curves/mlp_mnist.parquet",), {}),
)


class Killed:
    """A run of one family that was not killed, and others that are held against it."""

    def __init__(self, family: Family, folder: Path) -> None:
        self.family, self._folder = family, folder
        whole = self._copy("whole")
        status, output = self._run(whole, lambda process: None)
        if status != 0:
            raise RuntimeError(f"the run of {family.name} fails without a fault: {output[-2000:]}")
        self.answer = self._answer(whole)

    def chain(self, seed: int, n_kills: int) -> list[Outcome]:
        """Kill one run `n_kills` times, each time after a drawn number of new files, then let it end."""
        faults = [Fault(KIND, self.family.name, f"kill {i + 1}", seed) for i in range(n_kills)]
        place = self._copy(f"cut{seed}")
        n_made = 0
        for fault in faults:
            status, _ = self._run(place, lambda process, fault=fault: self._kill(process, place, fault))
            if status != -signal.SIGKILL:
                break  # it had ended before
            n_made += 1
        status, output = self._run(place, lambda process: None)
        if status is None:
            return [Outcome(fault, HANG, f"more than {LIMIT_S} s") for fault in faults[:n_made]]
        if status != 0:
            return [Outcome(fault, TRACEBACK, output[-300:]) for fault in faults[:n_made]]
        differs = [name for name, answer in self._answer(place).items() if answer != self.answer[name]]
        left = [path.name for path in place.glob("results/**/.*.part")]
        right = not differs and not left
        detail = "" if right else f"{', '.join(differs) or left} differ"
        return [Outcome(fault, HELD if right else WRONG, detail) for fault in faults[:n_made]]

    def _copy(self, name: str) -> Path:
        place = copy_to(self._folder / self.family.name / name)
        (place / "killed.yaml").write_text(yaml.safe_dump(self.family.settings))
        return place

    def _run(self, place: Path, meddle: Callable[[subprocess.Popen[str]], None]) -> tuple[int | None, str]:
        log = place / "killed.log"
        line = [
            "snakemake",
            "--cores",
            "1",
            "--nolock",
            "--rerun-incomplete",
            "--configfile",
            SMOKE,
            "killed.yaml",
        ]
        with log.open("w") as out:
            process = subprocess.Popen(
                [*line, "--", *self.family.targets], cwd=place, env=environment(place), start_new_session=True,
                stdout=out, stderr=subprocess.STDOUT, text=True,
            )  # fmt: skip
            meddle(process)
            try:
                status: int | None = process.wait(LIMIT_S)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                status = None
        return status, log.read_text()

    @staticmethod
    def _kill(process: subprocess.Popen[str], place: Path, fault: Fault) -> None:
        """Wait for one to three new files below `results`, and up to 1.5 s more, then kill the group."""
        rng, before = fault.rng, _files(place)
        n_new, pause = rng.randint(1, 3), rng.uniform(0, 1.5)
        deadline = time.monotonic() + LIMIT_S
        while process.poll() is None and len(_files(place) - before) < n_new and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(pause)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)

    def _answer(self, place: Path) -> dict[str, object]:
        return {name: _content(place / name) for name in self.family.targets}


def _files(place: Path) -> set[str]:
    return {str(path) for path in (place / "results").rglob("*") if "published" not in path.parts}


def _content(path: Path) -> object:
    """Its bytes, unless clocks write in it: then what its other columns say."""
    frame = pd.read_parquet(path)
    clocks = [name for name in frame.columns if name in CLOCKS]
    return frame.drop(columns=clocks).to_csv(index=False) if clocks else path.read_bytes()


def attempts(folder: Path, n_kills: int, seed: int, families: tuple[Family, ...] = FAMILIES) -> Iterator[Outcome]:
    """At least `n_kills` kills of each family, in runs that are killed up to five times each."""
    for family in families:
        killed = Killed(family, folder)
        n_done, chain = 0, 0
        while n_done < n_kills and chain < 2 * n_kills:
            outcomes = killed.chain(seed + chain, min(5, n_kills - n_done))
            n_done, chain = n_done + len(outcomes), chain + 1
            yield from outcomes
