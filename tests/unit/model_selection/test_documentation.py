"""Examples in docstrings and in the guide run as printed."""

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[3] / "docs" / "model_selection.md"
MODULES = [
    "frugal.datasets.dataset",
    "frugal",
    "frugal.model_selection.fold_search",
    "frugal.model_selection.named",
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings_give_what_they_say(name):
    failed, tried = doctest.testmod(import_module(name))
    assert tried > 0
    assert failed == 0


@pytest.mark.filterwarnings("ignore:max_fits")
def test_the_guide_runs_as_printed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), flags=re.DOTALL)
    assert len(blocks) == 3
    names = {"__name__": "guide"}
    for block in blocks[:2]:  # the third starts processes, which other tests do
        exec(compile(block, str(GUIDE), "exec"), names)
    fits, last = capsys.readouterr().out.splitlines()[-2:]
    assert int(fits.split()[0]) < 160
    assert re.fullmatch(r"\d+ fits, 10 of them from the journal", last)
