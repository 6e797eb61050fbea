"""The bench of suggestions and fits: its table, its peers' orientation, and a library that is missing."""

import subprocess
import sys
from functools import partial
from importlib.util import find_spec

import numpy as np
import pytest

from frugal.bench import trial_methods, trials
from frugal.bench.trials import bench_trials
from frugal.trials.surrogates.dngo import DNGO

SMALL = {"n_trials": 8, "n_dimensions": 2, "sizes": (6, 12), "fidelity_sizes": (16,), "n_repeats": 1}
QUICK_DNGO = partial(DNGO, n_epochs=5, n_steps=10, n_walkers=6)


@pytest.fixture(scope="module")
def table():
    pytest.importorskip("botorch")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trials, "DNGO", QUICK_DNGO)
        return bench_trials(**SMALL)


@pytest.mark.slow
def test_a_row_per_method_and_number_of_trials(table):
    assert list(table) == [
        "what", "method", "n_trials", "n_dimensions", "seconds", "ratio", "slope", "last_slope", "note",
    ]  # fmt: skip
    suggestions = table[table["what"] == "suggestion"]
    assert suggestions["method"].tolist() == ["ei", "botorch_log_ei", "optuna_gp"]
    assert (suggestions["n_trials"] == 8).all()
    fits = table[table["what"] == "fit"]
    assert fits.groupby("method")["n_trials"].agg(list).to_dict() == {
        "gp_ml2": [6, 12], "gp_evidence": [6, 12], "gp_given": [6, 12], "sign_gp_given": [6, 12], "dngo": [6, 12],
    }  # fmt: skip
    assert (table["seconds"] > 0).all()
    with_rows = table[table["what"] == "suggestion with rows"]
    assert with_rows[["method", "n_trials", "n_dimensions"]].values.tolist() == [
        ["fabolas", 16, 3], ["botorch_mf_mes", 16, 3],
    ]  # fmt: skip
    assert (table["n_dimensions"] == 2)[table["what"] != "suggestion with rows"].all()


@pytest.mark.slow
def test_ratios_are_our_seconds_over_theirs(table):
    suggestions = table[table["what"] == "suggestion"].set_index("method")
    expected = suggestions.loc["ei", "seconds"] / suggestions["seconds"]
    assert suggestions["ratio"].to_dict() == pytest.approx(expected.to_dict())
    with_rows = table[table["what"] == "suggestion with rows"].set_index("method")
    expected = with_rows.loc["fabolas", "seconds"] / with_rows["seconds"]
    assert with_rows["ratio"].to_dict() == pytest.approx(expected.to_dict())


def test_slopes_are_those_of_logarithms(monkeypatch):
    # 1, 2 and 16 seconds at 10, 20 and 40 trials: linear at first, then cubic; least squares say quadratic.
    clock = iter(np.cumsum([x for seconds in (1.0, 2.0, 16.0) for _ in range(2) for x in (0.0, seconds)] * 5))
    monkeypatch.setattr(trials, "process_time", lambda: next(clock))
    monkeypatch.setattr(trials, "DNGO", QUICK_DNGO)
    fits = trials._fits((10, 20, 40), 1, 0)
    assert [row["seconds"] for row in fits] == pytest.approx([1.0, 2.0, 16.0] * 5)
    assert [row["slope"] for row in fits] == pytest.approx([2.0] * 15)
    assert [row["last_slope"] for row in fits] == pytest.approx([3.0] * 15)


@pytest.mark.parametrize("name", ["ei", "botorch_log_ei", "optuna_gp"])
def test_every_method_searches_for_a_minimum_and_learns_what_it_is_told(name):
    start = {name: start for name, start, _ in trial_methods.methods()}[name]
    assert start is not None, "a development dependency is not installed"
    rng = np.random.default_rng(0)
    X = np.linspace(0, 1, 12)[:, None]
    y = 10 * (X[:, 0] - 0.4) ** 2 + 0.05 * rng.standard_normal(12)
    method, asked = start(X, y, 0), []
    for _ in range(2):
        x = method.ask()
        assert x.shape == (1,)
        asked.append(float(x[0]))
        method.tell(x, 10 * (asked[-1] - 0.4) ** 2)
    assert max(abs(np.array(asked) - 0.4)) < 0.1  # of two random draws, both would be so near 1 time in 25


def absent(*packages):
    """In the place of `find_spec`: these packages are not installed."""
    return lambda name: None if name in packages else find_spec(name)


def test_a_missing_library_is_a_row_that_says_so(monkeypatch):
    monkeypatch.setattr(trial_methods, "find_spec", absent("torch", "botorch"))
    rows = {row["method"]: row for row in trials._suggestions(4, 1, 0, 1)}
    assert list(rows) == ["ei", "botorch_log_ei", "optuna_tpe"]
    assert np.isnan(rows["botorch_log_ei"]["seconds"])
    assert rows["botorch_log_ei"]["note"] == "botorch is not installed"
    assert rows["optuna_tpe"]["note"] == "torch is not installed"
    assert rows["ei"]["ratio"] == 1.0


@pytest.mark.parametrize("package", ["torch", "emcee"])
def test_dngo_without_what_it_needs_is_a_row_for_each_size_that_says_so(monkeypatch, package):
    monkeypatch.setattr(trial_methods, "find_spec", absent(package))
    rows = trials._fits((6, 12), 1, 0)
    found = [(row["n_trials"], row["note"], "seconds" in row) for row in rows if row["method"] == "dngo"]
    assert found == [(n, f"{package} is not installed", False) for n in (6, 12)]
    assert {row["note"] for row in rows if row["method"] != "dngo"} == {""}


WITHOUT_PEERS = """
import sys
sys.modules |= dict.fromkeys(["botorch", "emcee", "optuna"])
from frugal.bench.trials import bench_trials
table = bench_trials(8, 2, sizes=(6, 12), fidelity_sizes=(16,), n_repeats=1)
for row in table[table["seconds"].isna()].itertuples():
    print(row.method, row.note)
"""


def test_the_bench_runs_without_its_optional_libraries():
    ran = subprocess.run([sys.executable, "-c", WITHOUT_PEERS], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == [
        "botorch_log_ei botorch is not installed",
        "optuna_gp optuna is not installed",
        "fabolas emcee is not installed",
        "botorch_mf_mes botorch is not installed",
        "dngo emcee is not installed",
        "dngo emcee is not installed",
    ]


def test_torch_gets_its_threads_back():
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    with trials._one_torch_thread():
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == 2
    torch.set_num_threads(before)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"n_trials": 1}, "n_trials must be at least 2 and a whole number, got 1"),
        ({"n_dimensions": 0}, "n_dimensions must be at least 1"),
        ({"n_repeats": 0}, "n_repeats must be at least 1"),
        ({"sizes": (5,)}, r"sizes must be at least two numbers that increase, got \[5\]"),
        ({"sizes": (20, 10)}, r"sizes must be at least two numbers that increase, got \[20, 10\]"),
        ({"sizes": (1, 10)}, "sizes must be at least 2"),
    ],
)
def test_counts_that_make_no_sense_are_refused(changed, message):
    with pytest.raises(ValueError, match=message):
        bench_trials(**SMALL | changed)
