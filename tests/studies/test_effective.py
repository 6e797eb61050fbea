"""What provenance.json says that jobs got is what they got."""

import json
from pathlib import Path

import pandas as pd
import pytest

from frugal.benchmarks import searches
from studies import artefacts, config, registry
from studies.effective import ALL, OF_PROBLEM, defaults, effective
from studies.publish import of_parts, read_records
from studies.registry import experiments

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "results/published"
PAPER = config.load(ROOT / "config/config.yaml", ROOT / "config/paper.yaml")
KNOWN = defaults()
FOLDERS = [artefacts.shown(name, PAPER).folder for name in registry.PAPERS]


@pytest.mark.parametrize("method", ["random", "tpe", "ei", "ei_explore"])
def test_a_search_builds_its_strategy_with_the_settings_that_are_recorded(method, monkeypatch):
    recorded = effective("exploration", PAPER)["functions"]["function on branin"][method]
    block = PAPER["exploration"]["functions"]
    given = {}

    class Built(Exception):  # noqa: N818  no error, but the end of what is looked at
        pass

    def make(name, **settings):
        given.update(settings, strategy=name)
        raise Built

    monkeypatch.setattr(searches, "make", make)
    job = {"n_initial": block["n_initial"], "strategies": block["strategies"]}
    with pytest.raises(Built):
        searches.search(method, "function", "branin", 0, recorded["n_trials"], job)
    assert len(given.pop("initial")) == recorded["n_initial"]
    del given["space"], given["rng"]
    assert given.items() <= recorded.items()
    left = {name: value for name, value in recorded.items() if name not in {*given, "n_initial", "problem"}}
    assert left.items() <= KNOWN["trials"][method].items()


def test_the_configuration_is_over_the_defaults_and_the_methods_record_over_both():
    changed = config.merge(PAPER, {"strategies": {"greedy_early_stopping": {"epsilon": 0.125}}})
    recorded = effective("greedy_cv", changed)["early_stopping"][ALL]["greedy_early_stopping"]
    assert recorded["epsilon"] == 0.125
    assert recorded["rounding"] == KNOWN["folds"]["greedy_early_stopping"]["rounding"]
    searched = effective("big_data", PAPER)["svm_search"]["lookup on svm_mnist"]
    sizes = PAPER["lookup"]["svm_mnist"]["sizes"]
    assert (searched["mtbo_4"]["strategy"], searched["mtbo_4"]["auxiliary"]) == ("mtbo", max(sizes) // 4)
    assert searched["fabolas"]["sizes"] == sorted(sizes)


def test_what_a_problem_gives_is_said():
    recorded = effective("beta_pruning", PAPER)["swept"][ALL]["beta_pruning"]
    assert (recorded["n_rows"], recorded["n_classes"]) == (OF_PROBLEM, OF_PROBLEM)
    assert recorded["taus"] == PAPER["beta_pruning"]["network"]["taus"]


def test_an_experiments_strategies_are_recorded_with_it():
    recorded = effective("big_data", PAPER)
    cut = recorded["terminating_fabolas"][ALL]
    assert cut["fabolas"]["termination"] is None
    assert cut["fabolas_spent"]["termination"]["delta"] == KNOWN["others"]["termination"]["delta"]
    assert cut["fabolas_uncorrelated"]["search"]["correlated"] is False
    reduced = recorded["reduced_search"][ALL]["ei_wkm"]
    assert (reduced["learner"], reduced["search"]["strategy"]) == ("wkm", "ei")
    of_code = effective("exploration", PAPER)["task1"][ALL]["dngo_as_coded"]["surrogate"]
    assert "unsquared_norm" in of_code["as_coded"]
    assert of_code["n_steps"] == PAPER["exploration"]["task1"].get("n_steps", KNOWN["others"]["dngo"]["n_steps"])


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_experiment_and_every_run_of_searches_has_the_settings_of_its_methods(folder):
    recorded = effective(folder, PAPER)
    assert json.loads(json.dumps(recorded)) == recorded
    named = {name: one.method_names for name, one in experiments().items() if registry.paper_of(name) == folder}
    for run, methods in named.items():
        assert set(recorded[run][ALL]) == set(methods)


def test_a_record_has_the_settings_of_its_own_parts():
    shown = artefacts.shown("beta_pruning", PAPER)
    settings = effective("beta_pruning", PAPER)
    for part, runs in {"runs/swept.parquet": {"swept"}, "figures/figure7.csv": {"explored"},
                       "figures/figure2.csv": set()}.items():  # fmt: skip
        assert set(of_parts(shown, settings, [f"beta_pruning/{part}"])) == runs


def published_runs():
    """Files of runs that have settings of their own: refits have those of the searches whose choices they fit."""
    paths = sorted(PUBLISHED.glob("*/runs/*.parquet"))
    return [path for path in paths if path.stem != "refits" and not path.stem.endswith("_refits")]


WITHOUT_METHODS = {
    "beta_pruning/model",  # which is told nothing
    "big_data/curve_fits",
    "exploration/task1_optima",
    "exploration/task1_scores",
}


@pytest.mark.parametrize("path", published_runs(), ids=lambda path: f"{path.parts[-3]}/{path.stem}")
def test_every_published_run_has_the_settings_of_its_methods(path):
    table = pd.read_parquet(path)
    if f"{path.parts[-3]}/{path.stem}" in WITHOUT_METHODS:
        assert "method" not in table
        return
    name = f"{path.parts[-3]}/runs/{path.name}"
    (record,) = [record for record in read_records(path.parents[1]) if name in record["parts"]]
    recorded = {method for methods in record["settings"][path.stem].values() for method in methods}
    assert set(table["method"].dropna()) <= recorded
