"""One thing is changed in a copy of our code, and exactly the jobs that depend on it have another hash."""

import shutil
from pathlib import Path

import pytest

from frugal.code import Code, Tree, jobs
from frugal.folds.strategies import known as fold_strategies
from studies import code
from studies.registry import experiments

pytestmark = pytest.mark.slow

SRC = Path(__file__).parents[2] / "src"
TERMINATED = {"strategies": {"random": {"termination": {}}}}
DATASETS = ("wdbc", "letter", "digits", "mnist")
ON_MNIST = {"dataset": "mnist", "datasets": ["mnist"]}
"""What experiments on data are on; they name it by either key."""
CLASSIFIERS = ("bernoulli_nb", "decision_tree", "knn")
ON_FUNCTION = ("random", "tpe", "smac", "ei", "ei_explore", "dngo")
ON_TABLE = (*ON_FUNCTION, "entropy_search", "mtbo", "fabolas", "hyperband", "hypertune")
LEARNERS = ("elastic_net", "svm", "svm_rff", "logistic_regression", "sgd_logistic_regression")
SHOWN = {
    "greedy_cv": ("table1", "figure11"),
    "beta_pruning": ("sweep", "figure7"),
    "exploration": ("task1", "task2"),
    "hypertune": ("table1", "figure2"),
    "big_data": ("bias", "figure10"),
}
JOBS = (
    {f"data {name}": jobs.data(name) for name in DATASETS}
    | {
        f"{kind}{' timed' * timed} {name} {learner}": make(name, learner, timed=timed)
        for kind, make in {"scores": code.scores, "rungs": code.rungs}.items()
        for name in ("wdbc", "letter_2000")
        for learner in CLASSIFIERS
        for timed in (False, True)
    }
    | {
        "scores mnist_500 mnist_cnn": code.scores("mnist_500", "mnist_cnn", timed=False),
        "default mnist_cnn": code.default("mnist_cnn", "mnist_500"),
        "default mlp": code.default("mlp", "mnist_500"),
        "collect": code.collect(),
        "gather": code.gather(),
        "explore": code.explore(("standard", "beta_pruning", "threshold_pruning")),
    }
    | {f"search {name}": code.search(name) for name in fold_strategies()}
    | {f"compare {name}": code.compare(name) for name in fold_strategies()}
    | {f"trials {name} function branin": code.trials(name, "function", "branin", {}) for name in ON_FUNCTION}
    | {f"trials {name} lookup": code.trials(name, "lookup", "svm_mnist", {}, "svm") for name in ON_TABLE}
    | {f"trials {name} curves": code.trials(name, "curves", "mlp_mnist", {}, "mlp") for name in ON_TABLE}
    | {"trials random curves terminated": code.trials("random", "curves", "mlp_mnist", TERMINATED, "mlp")}
    | {
        f"trials {name} {learner} {dataset}": code.trials(name, learner, dataset, {})
        for name in ("random", "ei", "hypertune")
        for learner in LEARNERS
        for dataset in ("letter", "mnist")
    }
    | {"trials random mlp mnist": code.trials("random", "mlp", "mnist", {})}
    | {"trials doc002_as_coded": code.trials("doc002_as_coded", "logistic_regression", "mnist", {})}
    | {f"lookup {step}": code.lookup(step, "svm", "mnist") for step in ("measure", "gather", "recheck")}
    | {"curves": code.curves("mlp", "mnist"), "extrapolate": code.extrapolate("mlp")}
    | {f"rows {name}": code.rows(name, ON_MNIST, one.method_names) for name, one in experiments().items()}
    | {
        f"method {name} {method}": code.rows(name, ON_MNIST, [method])
        for name in ("bias", "sample_sizes", "combinations")
        for method in experiments()[name].method_names
    }
    | {f"refits {learner}": code.refits("hypertune", [learner], ["mnist"]) for learner in ("svm", "svm_rff")}
    | {
        f"derive {paper} {name}": code.derived(paper, name)
        for paper, name in (
            ("beta_pruning", "model"),
            ("exploration", "task1_scores"),
            ("exploration", "task1_optima"),
        )
    }
    | {"refits exploration": code.refits("exploration", ["logistic_regression"], ["mnist"])}
    | {
        f"{kind} {paper} {name}": code.shown(kind, paper, name)
        for paper, shown in SHOWN.items()
        for kind, name in zip(("table", "figure"), shown, strict=True)
    }
    | {f"claims {paper}": code.shown("claims", paper) for paper in SHOWN}
)
"""Jobs of every kind, by name."""


def hashes(folder, cache):
    """The hash of every job, by the code in a folder."""
    tree = Tree({name: folder / name for name in ("frugal", "studies")}, cache)
    of_code = Code(tree, code.code().switches)
    return {name: of_code.hash_of(job) for name, job in JOBS.items()}


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of our code, what was read of it, and its hashes."""
    folder = tmp_path_factory.mktemp("copied")
    shutil.copytree(SRC, folder / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    return folder / "src", folder / "cache.json", hashes(folder / "src", folder / "cache.json")


def changed(copy, path, old, new):
    """Names of the jobs whose hash changes with a text in a file."""
    folder, cache, before = copy
    file = folder / path
    text = file.read_text()
    assert text.count(old) == 1, f"{path} should hold {old!r} once"
    file.write_text(text.replace(old, new))
    try:
        after = hashes(folder, cache)
    finally:
        file.write_text(text)
    return sorted(name for name in JOBS if after[name] != before[name])


def named(*beginnings, without=()):
    """Names of jobs that begin with one of these, in full words, and do not hold one of those."""
    found = [name for name in JOBS if any(f"{name} ".startswith(f"{one} ") for one in beginnings)]
    return sorted(name for name in found if not set(name.split()) & set(without))


def test_a_copy_of_the_code_has_the_same_hashes(copy):
    assert copy[2] == {name: code.hash_of(job) for name, job in JOBS.items()}


def of_learner(name):
    """Names of the searches of a learner."""
    return [job for job in JOBS if job.startswith("trials") and name in job.split()]


def of_dataset(*names):
    """Names of the jobs that read one of these datasets."""
    return [job for job in JOBS if set(names) & set(job.split())]


CHANGES = {
    # greedy_early_stopping breaks ties by the table of `greedy`; no other strategy builds on it. The study of the
    # old library holds its own halving against greedy_early_stopping.
    "a strategy of folds: its own searches": (
        "frugal/folds/strategies/greedy.py", '"fewest_folds": 1', '"fewest_folds": 2',
        named("rows library", "search greedy", "search greedy_early_stopping", "compare greedy",
              "compare greedy_early_stopping"),
    ),
    # `ei` and what is built on it maximise expected improvement; random, tpe, smac and hyperband do not.
    "an acquisition: the strategies that maximise it": (
        "frugal/trials/acquisitions/maximise.py", "N_STEPS = 50", "N_STEPS = 51",
        named("rows reduced_search", "trials ei", "trials ei_explore", "trials dngo", "trials hypertune"),
    ),
    "a sampler of rows: the experiments that draw with it": (
        "frugal/rows/sampling.py", 'WITHOUT_PILOT: Final = ("uniform", "cc")', "WITHOUT_PILOT = ()",
        named("rows subsampling", "rows bias", "rows combinations", "rows fractions", "method bias",
              "method combinations blb_osmac", "method combinations osmac_mvc"),
    ),
    "what another interpreter runs: the experiment that calls it": (
        "studies/greedy_cv/library_script.py",
        "for train_scores in (True, False)", "for train_scores in (True,)", named("rows library"),
    ),
    "a learner: what is fitted with it": (
        "frugal/learners/svm_rff.py", "N_EPOCHS: Final = 27", "N_EPOCHS: Final = 28",
        [*of_learner("svm_rff"), *named("refits svm_rff", "rows complexity")],
    ),
    "an entry of the catalogue: what reads that dataset": (
        "frugal/datasets/catalogue.py", "rows=20_000", "rows=20_001", of_dataset("letter", "letter_2000"),
    ),
    "the largest size in a floor of claims: no experiment": (
        "studies/big_data/bias.py", "LARGEST_R: Final = 16_000", "LARGEST_R: Final = 8_000", ["claims big_data"],
    ),
    "the repeats in a floor of claims: no experiment": (
        "studies/big_data/bias.py", '"n_repeats": 10}', '"n_repeats": 9}', ["claims big_data"],
    ),
    "the groups in a floor of claims: no experiment": (
        "studies/exploration/document.py",
        'groups=("method",)', 'groups=("method", "search")', ["claims exploration"],
    ),
    "the table in a floor of claims: no experiment": (
        "studies/greedy_cv/search_time.py",
        'partial(are_enough, table="table1")', 'partial(are_enough, table="table2")', ["claims greedy_cv"],
    ),
    "a colour: the figure": (
        "studies/big_data/subsampling.py",
        'label="LCC, r rows", color="#4580EB"', 'label="LCC, r rows", color="#4580EC"',
        ["figure big_data figure10"],
    ),
    "a hatch: the figure": (
        "studies/big_data/subsampling.py",
        'label="uniform", ', 'label="uniform rows", hatch=NOT_THERE, ', ["figure big_data figure10"],
    ),
    "a docstring: nothing": (
        "frugal/folds/strategies/greedy.py", "Greedy k-fold selection", "Greedy selection of folds", [],
    ),
    "a comment: nothing": (
        "frugal/checks.py",
        "from __future__ import annotations", "from __future__ import annotations\n\n# a comment", [],
    ),
    "an annotation: nothing": (
        "frugal/trials/strategies/random.py", "n_trials: int", "n_trials: float", [],
    ),
    "the words of an error: nothing": (
        "frugal/datasets/catalogue.py",
        "unknown dataset {name!r}: use one of", "no dataset {name!r}: it is one of", [],
    ),
}  # fmt: skip
"""What is changed, and what reruns: the file, the old text and the new, and the names of the jobs."""


@pytest.mark.parametrize(("path", "old", "new", "rerun"), CHANGES.values(), ids=CHANGES)
def test_a_change_reruns_what_depends_on_it_and_nothing_else(copy, path, old, new, rerun):
    assert changed(copy, path, old, new) == sorted(rerun)


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("bias.py", '"cc",\n        {"correction": "weights"},\n', '"cc",\n        {"correction": "offset"},\n'),
        ("bias.py", "METHODS: Final = (\n", 'METHODS: Final = (\n    Method("lcc_new", "lcc"),\n'),
        (
            "sample_sizes.py",
            '    Method(\n        "dynamic_10",',
            '    Method("new"),\n    Method(\n        "dynamic_10",',
        ),
    ],
)
def test_a_method_reruns_its_own_jobs_and_what_shows_all(copy, path, old, new):
    found = changed(copy, f"studies/big_data/{path}", old, new)
    methods = [name for name in found if name.startswith("method")]
    assert methods == (["method bias cc_weighted"] if "correction" in old else [])
    assert "claims big_data" in found
    assert [name for name in found if not name.startswith(("method", "rows", "table", "figure", "claims"))] == []


def test_a_model_of_curves_reruns_what_extrapolates(copy):
    found = changed(
        copy, "frugal/trials/surrogates/curve_posterior.py", "MIN_SIGMA: Final = 1e-6", "MIN_SIGMA = 1e-5"
    )
    experiments = named("rows growing_termination", "rows terminating_fabolas")
    assert set(found) >= {"extrapolate", "trials random curves terminated", *experiments}
    assert [name for name in found if name.startswith("trials")] == ["trials random curves terminated"]


def test_a_printed_number_redraws_what_shows_it(copy):
    path = "studies/values/hypertune_tables.csv"
    first = (SRC / path).read_text().splitlines()[1]
    found = changed(copy, path, f"{first}\n", f"{first}0\n")
    assert "table hypertune table1" in found
    assert [name for name in found if "hypertune" not in name] == []
    assert [name for name in found if not name.startswith(("table", "figure", "claims"))] == []


def test_a_helper_of_all_reruns_all_who_call_it(copy):
    found = changed(copy, "frugal/seeds.py", "def rng_for(", "def rng_for(*_, **__): return None\n\n\ndef other(")
    assert set(found) >= set(named("data", "search", "compare", "rungs"))
    assert {"collect", "gather"} & set(found) == set()
