"""Mutations of every scale's configuration: each is refused in one sentence, or all that it plans can be built."""

import copy
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from studies import config

sys.path.insert(0, str(Path(__file__).parents[1] / "faults"))
from configuration import HOWS, SCALES, differences, harm, most, mutated, names, places, scale


@pytest.fixture(scope="module")
def scales():
    """Configuration of every scale, checked once, so that no mutation pays for imports."""
    merged = {name: scale(name) for name in SCALES}
    for of_scale in merged.values():
        config.check_all(of_scale)
    return merged


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name != "smoke")) for name in SCALES]
)
def test_a_mutation_is_refused_in_one_sentence_or_harmless(scales, name):
    counts = {"refused": 0, "accepted": 0}

    @settings(
        max_examples=200, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )
    @given(st.data())
    def check(data):
        how = data.draw(st.sampled_from([how for how in HOWS if how != "characters"]))
        changed, path = mutated(scales[name], how, lambda options: data.draw(st.sampled_from(options)))
        try:
            changed = config.complete(changed, source="here")
            config.check_all(changed, source="here")
        except ValueError as error:
            counts["refused"] += 1
            says = str(error)
            assert says.startswith("here: "), says
            assert "\n" not in says, says
            assert names(says, path, scales[name]), (path, says)
            return
        counts["accepted"] += 1
        assert harm(scales[name], changed) == ""

    check()
    assert min(counts.values()) > 0, counts


def replaced(original, key, value):
    """A copy with another value at a key, whose parts are names and places in lists."""
    changed = copy.deepcopy(original)
    *path, last = (int(part) if part.isdigit() else part for part in key.split("."))
    place = changed
    for part in path:
        place = place[part]
    place[last] = value
    return changed


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("greedy_cv.figure_seed", True, ".greedy_cv.figure_seed = True was accepted in the place of 0"),
        ("greedy_cv.figure_seed", "2", ".greedy_cv.figure_seed = '2' was accepted in the place of 0"),
        ("greedy_cv.datasets", "x", ".greedy_cv.datasets = 'x' was accepted in the place of "),
        ("beta_pruning.network.taus.1", True, ".beta_pruning.network.taus.1 = True was accepted in the place of "),
        ("greedy_cv.figure_seed", 10**12, ".greedy_cv.figure_seed = 1000000000000 was accepted"),
        ("greedy_cv.added_key", 1, ".greedy_cv.added_key was accepted"),
        (
            "big_data.svm_search.strategies.ei.n_burn",
            10**6,
            ".big_data.svm_search.strategies.ei.n_burn = 1000000 was accepted, more than 100000",
        ),
        ("greedy_cv.figure_seed", 1, ""),
    ],
)
def test_what_would_do_harm_is_known(scales, key, value, says):
    found = harm(scales["config"], replaced(scales["config"], key, value))
    assert found.startswith(says) if says else found == ""


@pytest.mark.slow
def test_no_number_is_accepted_that_nothing_could_be_run_with(scales):
    whole = copy.deepcopy(scales["paper"])
    accepted = []
    for *above, last in places(whole):
        place = whole
        for part in above:
            place = place[part]
        if isinstance(place[last], bool) or not isinstance(place[last], (int, float)):
            continue
        path = "".join(f".{part}" for part in (*above, last))
        old = place[last]
        with suppress(ValueError):  # what refuses a million refuses more
            for place[last] in (10**6, 10**9):
                config.complete(whole)
                accepted.append((path, place[last]))
        place[last] = old
    assert [(path, value) for path, value in accepted if value > most(path)] == []
    assert accepted


def test_a_sentence_that_names_nothing_of_the_path_is_told_from_one_that_does(scales):
    path = ("curves", "networks", "cnn_sizes", "n_train", 2)
    for says in ("here: cnn_sizes is wrong", "here: big_data.cnn_search: divisor must lead to 100 rows"):
        assert names(says, path, scales["config"])
    for says in ("here: a key is wrong", "here: curves must be a mapping", "here: big_data.nothing: it is wrong"):
        assert not names(says, path, scales["config"])


def test_every_difference_is_found():
    found = list(differences({"a": [1, {"b": 2}], "c": 1, "d": 1}, {"a": [1, {"b": True}], "c": 1.0, "e": 1}))
    assert found == [(".a.1.b", 2, True), (".d", 1, "nothing"), (".e", "nothing", 1)]


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("exploration.functions.strategies.ei.n_initial", "2", r"n_initial of ei must be at least 1 and a whole"),
        (
            "exploration.functions.strategies.dngo.n_units",
            [10**6],
            r"exploration\.functions\.strategies\.dngo\.n_units\.0 is 1000000, but must be at most 100000",
        ),
        (
            "hypertune.elastic_net.strategies.hypertune_neutral.signs",
            None,
            r"hypertune_neutral\.signs is None, but must be a mapping from the neutral hyperparameter to its sign",
        ),
        (
            "download.timeout_s",
            10**6,
            "download.timeout_s is 1000000, but must be a number above 0 and at most 86400",
        ),
        ("exploration.functions.strategies.dngo.marginalise", "ml3", r"exploration\.functions: dngo: marginalise"),
        ("hypertune.svm.strategies.fabolas.n_steps", [1], r"hypertune\.svm: fabolas: n_steps"),
        ("big_data.cnn_search.strategies.mtbo_16.n_hyper", None, r"big_data\.cnn_search: mtbo_16: n_hyper"),
        ("big_data.reduced_search.strategies.fabolas", "x", r"strategies\.fabolas is 'x', but must be a mapping"),
        ("big_data.reduced_search.strategies.fabolass", {}, "unknown strategy 'fabolass'; known: "),
        ("big_data.reduced_search.n_valid", 30000, "letter has 16000 rows to train and validate on"),
        ("big_data.terminating_fabolas.fabolas.n_hyper", 0, r"big_data\.terminating_fabolas: n_hyper must be"),
        ("big_data.combinations.dynamic_gammas", [0.9], r"dynamic_gammas must be among gammas \(0\.6, 0\.7\)"),
        ("big_data.sample_sizes.dataset", "iris", "unknown dataset 'iris'"),
        ("big_data.compression.datasets", ["pima2"], "opt_in must hold pima2"),
        ("hypertune.complexity.subset_rows", 3000, "subset_rows is 3000, but must be at most 2000"),
        ("hypertune.elastic_net.n_train", 30000, r"hypertune\.elastic_net: n_train must lie in \[1, 17000\]"),
        ("hypertune.defaults.mlp.n_rows", 70000, "cannot draw 70000 rows of mnist: it has 60000"),
        ("lookup.svm_mnist.n_subsets", [2, 2], "n_subsets must hold 4 numbers, as sizes does"),
        ("lookup.svm_mnist.learner", "mlp", r"lookup\.svm_mnist: "),
        ("lookup.svm_letter.scaler", "standard", "scaler must be none for the learner svm, got standard"),
        ("lookup.svm_mnist.space", "lattice", r"lookup\.svm_mnist: unknown space of svm 'lattice'; known: "),
        (
            "lookup.svm_mnist.n_per_dimension",
            10**6,
            "n_per_dimension is 1000000, but must be a whole number of at least 2 and at most",
        ),
        (
            "curves.networks.cnn_sizes.n_train",
            512,
            "n_train is 512, but must be a list of at least 2 items without repeats",
        ),
        (
            "curves.networks.mlp.n_train",
            [512, 256],
            r"n_train is \[512, 256\], but must be a whole number of at least 1",
        ),
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
    with pytest.raises(ValueError, match=f"^here: .*{message}"):
        config.check_all(config.complete(replaced(scales["config"], key, value), source="here"), source="here")
