"""Examples in docstrings and in the guide run as printed."""

import doctest
import re
import sys
from importlib import import_module
from inspect import isclass, isroutine
from pathlib import Path
from types import ModuleType

import pytest
from sklearn.model_selection import ParameterGrid

GUIDE = Path(__file__).parents[3] / "docs" / "model_selection.md"
CLUSTERS = GUIDE.parent / "clusters.md"
TRIALS = "## Searching trial by trial"
API = (GUIDE.parent / "api.md").read_text(encoding="utf-8")
LISTED = {
    package: re.findall(r"^   (\w+)$", names, flags=re.MULTILINE)
    for package, names in re.findall(r"currentmodule:: (\S+)\n(.*?)```", API, flags=re.DOTALL)
}
"""Names of the API page, by package."""
PUBLIC = [
    f"{package}.{name}"
    for package, names in LISTED.items()
    for name in names
    if isclass(found := getattr(import_module(package), name)) or isroutine(found)
]
"""Its classes and functions; constants are none."""


def test_the_page_of_the_api_lists_what_packages_export():
    assert {"frugal.model_selection", "frugal.folds", "frugal.trials", "frugal.rows"} <= set(LISTED)
    assert len(PUBLIC) > 100
    for package, names in LISTED.items():
        exported = getattr(import_module(package), "__all__", [])
        functions = [name for name in exported if callable(getattr(import_module(package), name))]
        assert set(functions) <= set(names), package


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_has_an_example_that_gives_what_it_says(name):
    package, _, short = name.rpartition(".")
    tests = doctest.DocTestFinder().find(getattr(import_module(package), short), name)
    runner = doctest.DocTestRunner()
    results = [runner.run(test) for test in tests]
    assert sum(result.attempted for result in results) > 0, "it has no example"
    assert sum(result.failed for result in results) == 0


@pytest.mark.parametrize("name", ["frugal", "frugal.datasets.dataset"])
def test_examples_of_docstrings_give_what_they_say(name):
    failed, tried = doctest.testmod(import_module(name))
    assert tried > 0
    assert failed == 0


@pytest.mark.filterwarnings("ignore:max_fits")
def test_the_guide_runs_as_printed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", GUIDE.read_text().split(TRIALS)[0], flags=re.DOTALL)
    assert len(blocks) == 4
    exec(compile(blocks[0], str(GUIDE), "exec"), {"__name__": "guide"})
    shuffled = {}
    exec(compile(blocks[1], str(GUIDE), "exec"), shuffled)
    in_order, listed = list(ParameterGrid(shuffled["grid"])), list(ParameterGrid(shuffled["space"]))
    assert listed != in_order
    assert all(candidate in listed for candidate in in_order)
    names = {"__name__": "guide"}
    for block in blocks[2:]:  # the fourth makes the last search of the third again, in processes
        one_process = names.get("search")
        exec(compile(block, str(GUIDE), "exec"), names)
    assert names["search"].n_jobs == 2
    assert names["search"].best_params_ == one_process.best_params_
    fits, last = capsys.readouterr().out.splitlines()[-2:]
    assert int(fits.split()[0]) < 160
    assert re.fullmatch(r"\d+ fits, 10 of them from the journal", last)


def test_the_guide_to_trials_runs_as_printed(capsys):
    blocks = re.findall(r"```python\n(.*?)```", GUIDE.read_text().split(TRIALS)[1], flags=re.DOTALL)
    assert len(blocks) == 2
    for block in blocks:
        exec(compile(block, str(GUIDE), "exec"), {"__name__": "guide"})
    best, hyperband, least = capsys.readouterr().out.splitlines()
    assert float(best.split()[-1]) > 0.9
    # R = 400 rows and at least 2 of each of 10 classes, 20: s_max = 2; 9 + 3 + 1, 5 + 1 and 3 trials
    assert hyperband == "22 trials, 5 of them on all rows"
    assert least.endswith(" 15")


@pytest.mark.parametrize(
    ("heading", "module", "name"),
    [("## SLURM", "dask_jobqueue", "SLURMCluster"), ("## Kubernetes", "dask_kubernetes.operator", "KubeCluster")],
)
def test_the_scripts_for_clusters_run_on_a_local_one(heading, module, name, monkeypatch, capsys):
    distributed = pytest.importorskip("distributed")

    class Local(distributed.LocalCluster):
        """As many workers as are asked for, threads of this process; eight per job, as the script says."""

        def __init__(self, **asked):
            assert asked.get("processes", 8) == 8
            super().__init__(n_workers=0, threads_per_worker=1, processes=False, dashboard_address=":0")

        def scale(self, n=None, jobs=None):
            super().scale(n or 8)

    stand_in = ModuleType(module)
    setattr(stand_in, name, Local)
    monkeypatch.setitem(sys.modules, module.split(".")[0], ModuleType(module.split(".")[0]))
    monkeypatch.setitem(sys.modules, module, stand_in)
    part = CLUSTERS.read_text().split(heading)[1].split("\n## ")[0]
    (block,) = re.findall(r"```python\n(.*?)```", part, flags=re.DOTALL)
    names = {"__name__": "guide"}
    exec(compile(block, str(CLUSTERS), "exec"), names)
    names["client"].shutdown()  # cluster.close would wait for the loop's thread, 10 s at most and at times in vain
    assert re.fullmatch(r"\{'C': .*\} \d+ fits of 845\n", capsys.readouterr().out)
