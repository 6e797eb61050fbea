"""Examples in docstrings and in the guide run as printed."""

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[3] / "docs" / "model_selection.md"
TRIALS = "## Searching trial by trial"
PUBLIC = [
    f"{package}.{name}"
    for package in ("frugal.folds", "frugal.model_selection", "frugal.rows", "frugal.trials")
    for name in import_module(package).__all__
]


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
    assert len(blocks) == 3
    names = {"__name__": "guide"}
    for block in blocks[:2]:  # the third starts processes, which other tests do
        exec(compile(block, str(GUIDE), "exec"), names)
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
