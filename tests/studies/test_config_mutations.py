"""Mutations of every scale's configuration: each is refused in one sentence, or all that it plans can be built."""

import copy
import json
from collections.abc import Mapping

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from studies import config
from studies.artefacts import PAPERS, shown
from studies.comparisons.entries import entries_of
from studies.trials_comparison.listed import searches_of

BASE = config.read("config/config.yaml")
SCALES = ("smoke", "config", "desk", "paper")
WRONG_KINDS = ("x", "2", ["x"], [1], {"x": 1})
"""What can stand nowhere in the place of a number."""
NUMBERS = (-1, -0.5, 0, 1, 2.5, 10**6, 10**9, 10**12, 1e300, float("nan"), float("inf"))
VALUES = (None, True, False, [], {}, *WRONG_KINDS, *NUMBERS)
ADDED = "added_key"


def places(value, path=()):
    """Path of every key and element."""
    parts = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield (*path, key)
        yield from places(part, (*path, key))


@pytest.fixture(scope="module")
def scales():
    """Configuration of every scale, checked once, so that no mutation pays for imports."""
    merged = {name: config.merge(BASE, config.read(f"config/{name}.yaml")) for name in SCALES}
    for of_scale in merged.values():
        config.check_all(of_scale)
    return merged


def mutated(draw, original):
    """A copy with one key dropped, added or replaced; its path, and what was there and is there now."""
    changed = copy.deepcopy(original)
    path = draw(st.sampled_from(list(places(original))))
    place = changed
    for key in path[:-1]:
        place = place[key]
    old, how = place[path[-1]], draw(st.sampled_from(["replace", "replace", "replace", "drop", "add"]))
    if how == "drop":
        del place[path[-1]]
        return changed, path, (old, None)
    new = draw(st.sampled_from(VALUES))
    if how == "add" and isinstance(old, dict):
        old[ADDED] = new
        return changed, (*path, ADDED), (None, new)
    place[path[-1]] = new
    return changed, path, (old, new)


def check_planned(of_scale):
    """Ask for what the workflow asks for when it starts, but for what `check_all` has asked for."""
    json.dumps(of_scale, allow_nan=False)
    assert all(shown(paper, of_scale).runs() for paper in PAPERS)
    assert entries_of(of_scale)
    assert searches_of(of_scale)


@pytest.mark.parametrize("scale", SCALES)
def test_a_mutation_is_refused_in_one_sentence_or_harmless(scales, scale):
    counts = {"refused": 0, "accepted": 0}

    @settings(
        max_examples=200, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )
    @given(st.data())
    def check(data):
        changed, path, (old, new) = mutated(data.draw, scales[scale])
        try:
            config.check_all(changed, source="here")
        except ValueError as error:
            counts["refused"] += 1
            says = str(error)
            assert says.startswith("here: "), says
            assert "\n" not in says, says
            assert any(str(key) in says for key in (*BASE, *path) if not isinstance(key, int)), (path, says)
            return
        counts["accepted"] += 1
        assert ADDED not in path or "variants" in path, f"{path} was accepted"
        is_number = isinstance(old, (int, float)) and not isinstance(old, bool)
        assert not (is_number and new in WRONG_KINDS), f"{path} = {new!r} was accepted"
        assert not isinstance(new, float) or abs(new) <= config.LARGEST, f"{path} = {new!r} was accepted"
        check_planned(changed)

    check()
    assert min(counts.values()) > 0, counts


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("exploration.functions.strategies.ei.n_initial", "2", r"n_initial of ei must be at least 1 and a whole"),
        ("exploration.functions.strategies.dngo.marginalise", "ml3", r"exploration\.functions: dngo: marginalise"),
        ("hypertune.svm.strategies.fabolas.n_steps", [1], r"hypertune\.svm: fabolas: n_steps"),
        ("big_data.cnn_search.strategies.mtbo_16.n_hyper", None, r"big_data\.cnn_search: mtbo_16: n_hyper"),
        ("big_data.reduced_search.strategies.fabolas", "x", r"big_data\.reduced_search: strategies\.fabolas: "),
        ("big_data.reduced_search.strategies.fabolass", {}, "unknown strategy 'fabolass'; known: "),
        ("big_data.reduced_search.n_valid", 30000, "letter has 16000 rows to train and validate on"),
        ("big_data.terminating_fabolas.fabolas.n_hyper", 0, r"big_data\.terminating_fabolas: n_hyper must be"),
        ("big_data.combinations.dynamic_gammas", [0.9], r"dynamic_gammas must be among gammas \(0\.6, 0\.7\)"),
        ("big_data.sample_sizes.dataset", "iris", "unknown dataset 'iris'"),
        ("big_data.compression.datasets", ["pima2"], "opt_in must hold pima2"),
        ("hypertune.complexity.subset_rows", 3000, "subset_rows must be at least 2, at most 2000, the training"),
        ("hypertune.elastic_net.n_train", 30000, r"hypertune\.elastic_net: n_train must lie in \[1, 17000\]"),
        ("hypertune.defaults.mlp.n_rows", 70000, "cannot draw 70000 rows of mnist: it has 60000"),
        ("lookup.svm_mnist.n_subsets", [2, 2], "n_subsets must hold 4 numbers, as sizes does"),
        ("lookup.svm_mnist.learner", "mlp", r"lookup\.svm_mnist: "),
        ("lookup.svm_mnist.space", "lattice", r"lookup\.svm_mnist: unknown space of svm 'lattice'; known: "),
        (
            "lookup.svm_mnist.n_per_dimension",
            10**6,
            "n_per_dimension is 1000000, but must be at least 2 and at most",
        ),
        ("curves.networks.cnn_sizes.n_train", 512, "n_train must be several numbers of rows, got 512"),
        ("curves.networks.mlp.n_train", [512, 256], "n_train must be one number of rows, got "),
        ("curves.networks.mlp_sizes.n_train", [256, 512], "n_train must have the largest number of rows first"),
        ("curves.networks.mlp.n_valid", 60000, r"curves\.networks\.mlp: n_valid must lie in "),
        (
            "strategies.successive_halving.cv",
            200,
            "must be at least 2, at most 124, the rows of a class of boston",
        ),
        ("greedy_cv.sizes.n_folds", [90], "must be at least 2, at most 76, the rows of a class of letter_2000"),
        ("greedy_cv.figure_seed", 10**12, "greedy_cv.figure_seed is 1000000000000, but must be a number from"),
    ],
)
def test_what_a_job_would_refuse_is_refused_before_any_job(scales, key, value, message):
    changed = copy.deepcopy(scales["config"])
    *path, last = key.split(".")
    place = changed
    for part in path:
        place = place[part]
    place[last] = value
    with pytest.raises(ValueError, match=f"^here: .*{message}"):
        config.check_all(changed, source="here")
