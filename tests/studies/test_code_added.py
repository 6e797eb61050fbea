import sys

import pytest

from frugal.code import jobs
from frugal.registry import added
from studies import code

pytestmark = pytest.mark.slow


@pytest.fixture
def plugged(tmp_path, monkeypatch):
    """An installed package, a single module, that adds a strategy of folds and one of trials by entry points."""
    module = tmp_path / "plugged_in.py"
    module.write_text("SIZE = 1\n\n\nclass Best:\n    size = SIZE\n\n\nclass Other:\n    pass\n")
    info = tmp_path / "plugged_in-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: plugged_in\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[frugal.folds.strategies]\nbest = plugged_in:Best\n[frugal.trials.strategies]\nother = plugged_in:Other\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    forget()
    yield module
    forget()


def forget():
    """Have it all looked for and read again."""
    for cached in (added, jobs.tree_of, jobs.code_of, code.code):
        cached.cache_clear()


def test_a_strategy_that_a_package_adds_is_found_by_its_entry_point(plugged):
    found = code.code().reached(code.search("best"))
    assert {"plugged_in:Best", "plugged_in:SIZE", "studies.jobs:_search"} <= set(found)
    assert "plugged_in:Other" not in found
    assert "plugged_in" not in sys.modules


def test_a_change_of_it_reruns_its_own_results(plugged):
    job, others = code.search("best"), [code.search("greedy"), jobs.trials("other", "function", "branin", {})]
    before = [jobs.hash_of(one) for one in (job, *others)]
    plugged.write_text(plugged.read_text().replace("SIZE = 1", "SIZE = 2"))
    forget()
    after = [jobs.hash_of(one) for one in (job, *others)]
    assert [a != b for a, b in zip(after, before, strict=True)] == [True, False, False]


def test_a_strategy_of_ours_does_not_depend_on_what_is_installed_beside(plugged):
    beside = jobs.hash_of(code.search("greedy"))
    plugged.with_name("plugged_in-1.0.dist-info").joinpath("entry_points.txt").write_text("")
    forget()
    assert jobs.hash_of(code.search("greedy")) == beside
