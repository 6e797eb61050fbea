import json
import math

import numpy as np
import pytest

from frugal import trials
from frugal.benchmarks.functions import FUNCTIONS
from frugal.interface import Trial, TrialTask
from frugal.seeds import rng_for
from frugal.spaces import Choice, SearchSpace
from frugal.trials import information_based
from frugal.trials.acquisitions import perturbed
from frugal.trials.runs import Journal, run
from killed import KilledError

BRANIN, N_MAX = FUNCTIONS["branin"], 4096
SIZES = [64, 128, 256, 512, 1024, 2048, 4096]
QUICK = {
    "n_hyper": 4, "n_burn": 30, "n_steps": 10, "n_samples": 200, "n_candidates": 100, "n_representers": 20,
}  # fmt: skip
ON_SIZES = {
    "entropy_search": {},
    "fabolas": {"sizes": SIZES, "n_initial": 6, "currency": "cost"},
    "mtbo": {"auxiliary": 256, "n_initial": 4, "currency": "cost"},
}


class OnRows:
    """Branin as an error, with a bias and a noise that fall with the number of rows, which is the cost."""

    name, data, space = "branin on rows", "generated", BRANIN.space

    def __init__(self, paid=1.0):
        self._paid = paid

    def evaluate(self, task, report):
        n = task.n_rows or N_MAX
        across = (task.candidate["x"] + 5) / 15
        error = (BRANIN.function(task.candidate) + 1) / 320 + 0.004 * ((n / N_MAX) ** -0.4 - 1) * (1 + across)
        noise = 0.03 * math.sqrt(64 / n) * rng_for("noise", task.subset, n).standard_normal()
        return Trial(task, error * math.exp(noise), self._paid * n, self._paid * n / N_MAX)


def make(name, n_trials, seed=0, **settings):
    settings = QUICK | ON_SIZES[name] | settings
    return trials.make(name, space=BRANIN.space, n_trials=n_trials, rng=np.random.default_rng(seed), **settings)


def tell_all(strategy, problem):
    answered = []
    while (task := strategy.ask()) is not None:
        answered.append(problem.evaluate(task, strategy.report))
        strategy.tell(answered[-1])
    return answered


@pytest.mark.parametrize("name", [*ON_SIZES, "fabolas_joint"])
def test_a_kernel_with_more_lengths_than_dimensions_has_walkers_enough(name):
    settings = {"kernel": "se_mahalanobis"} | ON_SIZES[name.removesuffix("_joint")]
    strategy = trials.make(name, space=BRANIN.space, n_trials=8, rng=np.random.default_rng(0), **QUICK, **settings)
    assert len(tell_all(strategy, OnRows())) == 8


def test_the_initial_design_of_fabolas_is_that_of_its_experiments():
    sizes = [50_000 // 128, 50_000 // 64, 50_000 // 32, 50_000 // 4]
    strategy = trials.make("fabolas", space=BRANIN.space, n_trials=80, rng=np.random.default_rng(0))
    asked = [strategy.ask() for _ in range(15)]
    expected = np.repeat(sizes, [8, 4, 2, 1])
    assert [task.n_rows for task in asked] == pytest.approx(expected, abs=1)
    assert [task.subset for task in asked] == list(range(15))
    assert len({json.dumps(dict(task.candidate)) for task in asked}) == 15


def test_an_initial_design_below_the_least_size_still_has_four_sizes():
    # 8,000 / 128 = 62.5 is below 260, so divisors d become (8,000 / 260) ** (log d / log 128), 30.77 ** (6 / 7)
    # for 64, 30.77 ** (5 / 7) for 32 and 30.77 ** (2 / 7) for 4.
    arguments = {"space": BRANIN.space, "rng": np.random.default_rng(0), "n_min": 260, "n_max": 8000}
    strategy = trials.make("fabolas", n_trials=20, n_initial=15, **arguments)
    found = [strategy.ask().n_rows for _ in range(15)]
    assert found == pytest.approx(np.repeat([260, 424, 692, 3006], [8, 4, 2, 1]), abs=2)


def test_an_initial_design_of_another_length_keeps_the_proportions_on_the_sizes_listed():
    strategy = make("fabolas", 20, n_initial=5)  # of 4,096 rows: three times 1/128, which is below 64, 1/64, 1/32
    assert [strategy.ask().n_rows for _ in range(5)] == [64, 64, 64, 64, 128]


def test_sizes_that_are_not_listed_are_whole_and_in_their_range():
    settings = {"sizes": None, "n_min": 50, "n_max": 4000}
    answered = tell_all(make("fabolas", 10, n_initial=4, **settings), OnRows())
    assert all(isinstance(trial.task.n_rows, int) and 50 <= trial.task.n_rows <= 4000 for trial in answered)


def test_mtbo_starts_on_the_small_task_and_knows_the_target_by_either_name():
    answered = tell_all(make("mtbo", 8), OnRows())
    assert [trial.task.n_rows for trial in answered[:4]] == [256] * 4
    assert {trial.task.n_rows for trial in answered} == {256, None}
    assert {t.task.n_rows for t in tell_all(make("mtbo", 8, n_max=N_MAX), OnRows())} == {256, N_MAX}


def test_sizes_that_are_not_listed_are_drawn_evenly_in_the_logarithm():
    strategy = make("fabolas", 10, n_initial=4, sizes=None, n_min=50, n_max=5000)
    assert strategy._levels_at(np.array([0.0, 0.5, 1.0]))[:, 0] == pytest.approx(
        [strategy._to_unit(n) for n in (50, 500, 5000)]
    )


def joint(strategy, answered):
    """Trials as points on all rows."""
    return np.array([[*strategy._encoding.encode(t.task.candidate), *strategy._target] for t in answered])


def test_information_is_divided_by_its_cost_before_components_are_averaged(monkeypatch):
    strategy = make("fabolas", 9)
    tell_all(strategy, OnRows())
    gains, costs = np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]), np.array([[1.0, 2.0, 4.0], [4.0, 1.0, 2.0]])
    monkeypatch.setattr(information_based, "InformationGain", lambda *_, **__: lambda _: gains)
    monkeypatch.setattr(strategy, "_costs", lambda _: costs)
    assert strategy._merit(strategy._pool()).tolist() == [0.875, 1.5, 0.625]


def test_points_are_tried_around_the_candidates_that_promise_most_on_all_rows(monkeypatch):
    strategy, centres = make("fabolas", 9), []
    on_target = joint(strategy, tell_all(strategy, OnRows()))
    monkeypatch.setattr(information_based, "perturbed", lambda X, rng: (centres.append(X), perturbed(X, rng))[1])
    strategy._pool()
    order = strategy._loss.predict(on_target)[0].argsort(kind="stable")
    np.testing.assert_array_equal(centres[0], on_target[order, :-1])


@pytest.mark.slow
@pytest.mark.parametrize("name", list(ON_SIZES))
def test_a_killed_run_resumes_to_the_same_trials(name, tmp_path):
    whole = run(make(name, 9), OnRows())
    journal = Journal(tmp_path / "j", {"seed": 0})

    def keep(trial):
        journal.keep(trial)
        if trial.task.id == 6:
            raise KilledError

    with pytest.raises(KilledError):
        run(make(name, 9), OnRows(), keep=keep)
    kept = Journal(tmp_path / "j", {"seed": 0}).trials
    assert len(kept) == 7
    resumed = run(make(name, 9), OnRows(), kept=kept)
    same = ["id", "candidate", "n_rows", "subset", "error", "cost", "incumbent"]
    assert resumed[same].equals(whole[same])


def test_what_is_asked_does_not_depend_on_who_looks_at_the_incumbent():
    unseen = tell_all(make("fabolas", 9), OnRows())
    strategy, seen = make("fabolas", 9), []
    while (task := strategy.ask()) is not None:
        assert strategy.incumbent is None or strategy.incumbent in [trial.task.candidate for trial in seen]
        seen.append(OnRows().evaluate(task, strategy.report))
        strategy.tell(seen[-1])
    assert seen == unseen


def test_the_unit_of_cost_does_not_matter_without_overhead():
    merits = {}
    for paid in (1.0, 1000.0):
        strategy = make("fabolas", 12, currency="seconds")
        for _ in range(7):
            strategy.tell(OnRows(paid).evaluate(strategy.ask(), strategy.report))
        rng = strategy._rng.bit_generator.state
        X = strategy._pool()
        merits[paid] = strategy._merit(X)
        strategy._rng.bit_generator.state = rng
        assert strategy.ask().n_rows in SIZES
    assert merits[1.0] == pytest.approx(1000 * merits[1000.0], rel=1e-6)
    assert merits[1.0].argmax() == merits[1000.0].argmax()


def test_costs_are_predicted_to_grow_with_the_rows_and_overhead_levels_them():
    strategy = make("fabolas", 30, n_initial=15, n_burn=200, n_steps=20)
    for _ in range(15):
        strategy.tell(OnRows().evaluate(strategy.ask(), strategy.report))
    places = np.random.default_rng(0).random((20, 2))
    small, full = (np.column_stack([places, np.full(20, s)]) for s in (0.0, 1.0))
    ratio = strategy._costs(full) / strategy._costs(small)  # 64 in truth, seen up to a quarter of the rows
    assert 8 < np.median(ratio) < 500
    strategy._overhead = 1e6
    assert strategy._costs(full) / strategy._costs(small) == pytest.approx(np.ones_like(ratio), abs=0.2)


def test_the_incumbent_is_judged_on_all_rows_or_by_the_lowest_error_told():
    answered = {}
    for rule in ("mean", "last_seen"):
        strategy = make("mtbo", 8, incumbent=rule)
        answered[rule] = tell_all(strategy, OnRows())
        on_target = joint(strategy, answered[rule])
        np.testing.assert_array_equal(strategy._projected(), on_target)
        lowest = int(np.argmin([trial.error for trial in answered[rule]]))
        chosen = int(strategy._loss.predict(on_target)[0].argmin()) if rule == "mean" else lowest
        assert strategy.incumbent == answered[rule][chosen].task.candidate
    assert [t.task for t in answered["mean"]] == [t.task for t in answered["last_seen"]]


def test_a_listed_space_is_tried_out_without_repeats():
    space = SearchSpace({"a": Choice((1, 2, 3)), "b": Choice(("u", "v"))})
    strategy = trials.make("entropy_search", space=space, n_trials=6, rng=np.random.default_rng(0), **QUICK)
    tasks = []
    while (task := strategy.ask()) is not None:
        tasks.append(task)
        strategy.tell(Trial(task, 0.1 * task.candidate["a"], 1.0, 1.0))
    assert len({(task.candidate["a"], task.candidate["b"]) for task in tasks[2:]}) == 4
    assert strategy.recommendation["a"] == 1


@pytest.mark.parametrize("settings", [{"p_min": "epmgp"}, {"representers": "exp_ei"}, {"kernel": "se"}])
def test_settings_of_entropy_search_are_taken(settings):
    first, second = (
        [trial.task.candidate for trial in tell_all(make("entropy_search", 3, **given), OnRows())]
        for given in ({}, settings)
    )
    assert first[:2] == second[:2]  # of the design
    assert first[2] != second[2]


def cost_to_stay_near_the_optimum(name, n_trials, seed, **settings):
    """Spent before all later recommendations are below 5, as 8 % of the box is; all that was spent if none is."""
    rng, spent, reached = np.random.default_rng(seed), 0.0, None
    strategy = trials.make(name, space=BRANIN.space, n_trials=n_trials, rng=rng, **settings)
    while (task := strategy.ask()) is not None:
        trial = OnRows().evaluate(task, strategy.report)
        strategy.tell(trial)
        spent += trial.cost
        near = BRANIN.function(strategy.recommendation) < 5
        reached = None if not near else spent if reached is None else reached
    return spent if reached is None else reached, reached is not None


@pytest.mark.slow
def test_fabolas_finds_the_optimum_for_less_than_expected_improvement():
    settings = QUICK | ON_SIZES["fabolas"]
    ours = [cost_to_stay_near_the_optimum("fabolas", 16, seed, **settings) for seed in range(3)]
    ei = [cost_to_stay_near_the_optimum("ei", 10, seed) for seed in range(3)]
    assert all(reached for _, reached in ours)
    assert 4 * sum(cost for cost, _ in ours) < sum(cost for cost, _ in ei)


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("fabolas", {"sizes": [100, 100]}, r"sizes must be at least two numbers that increase, got \[100, 100\]"),
        ("fabolas", {"sizes": [100]}, r"sizes must be at least two numbers that increase, got \[100\]"),
        ("fabolas", {"n_max": 100}, r"give sizes, or n_min and n_max, not both; got sizes = \[64, 128"),
        (
            "fabolas",
            {"sizes": None, "n_min": 9, "n_max": 9},
            "n_min must be at least 1, at most 8, less than n_max",
        ),
        ("fabolas", {"size_scale": "ln"}, "size_scale must be one of log2, linear, got 'ln'"),
        ("fabolas", {"n_initial": 11}, "n_initial must be at most n_trials = 10, got 11"),
        ("mtbo", {"auxiliary": 400, "n_max": 400}, "auxiliary must be at least 1, at most 399, less than n_max"),
        ("mtbo", {"currency": "rows"}, "currency must be one of seconds, cost, got 'rows'"),
        ("mtbo", {"incumbent": "best"}, "incumbent must be one of mean, last_seen, got 'best'"),
        ("mtbo", {"overhead": -1}, "overhead must be at least 0"),
        ("entropy_search", {"n_representers": 3}, "n_representers must be at least 4"),
        ("entropy_search", {"p_min": "exact"}, "p_min must be one of monte_carlo, epmgp, got 'exact'"),
    ],
)
def test_bad_settings_are_refused(name, settings, message):
    with pytest.raises(ValueError, match=message):
        make(name, 10, **settings)


def test_answers_whose_logarithm_cannot_be_modelled_are_refused():
    strategy = make("mtbo", 10)
    task = strategy.ask()
    assert isinstance(task, TrialTask)
    with pytest.raises(
        ValueError, match=r"an error must be at least 0, since its logarithm is modelled, got -0\.1"
    ):
        strategy.tell(Trial(task, -0.1, 1.0, 1.0))
    with pytest.raises(ValueError, match="cost of a trial must be a finite number, at least 0, got nan"):
        strategy.tell(Trial(task, 0.1, 1.0, math.nan))


@pytest.mark.parametrize(("n_valid", "floor"), [(100, 0.005), (None, 0.01)])
def test_errors_and_costs_of_0_are_raised_before_their_logarithms_are_modelled(n_valid, floor):
    strategy = make("mtbo", 10, n_valid=n_valid, prior="robo")  # whose targets are the plain logarithms
    for error, cost in ((0.0, 0.0), (0.02, 2.0), (0.3, 5.0)):
        strategy.tell(Trial(strategy.ask(), error, 1.0, cost))
    errors, costs, _ = strategy._targets()
    np.testing.assert_allclose(errors, np.log([floor, 0.02, 0.3]))
    np.testing.assert_allclose(costs, np.log([1e-6, 2.0, 5.0]))


def test_a_trial_without_a_cost_counts_as_the_dearest():
    strategy = make("mtbo", 10, prior="robo")
    for error, cost, reason in ((0.2, 1.0, ""), (0.3, 5.0, ""), (0.4, math.nan, "given up")):
        strategy.tell(Trial(strategy.ask(), error, 1.0, cost, reason=reason))
    np.testing.assert_allclose(strategy._targets()[1], np.log([1.0, 5.0, 5.0]))


def test_listed_sizes_are_placed_by_their_logarithm_or_evenly():
    levels = {scale: make("fabolas", 10, size_scale=scale)._levels[:, 0] for scale in ("log2", "linear")}
    np.testing.assert_allclose(levels["log2"], np.arange(7) / 6, atol=1e-12)  # 2^6 to 2^12
    np.testing.assert_allclose(levels["linear"], (np.array(SIZES) - 64) / (4096 - 64), atol=1e-12)
