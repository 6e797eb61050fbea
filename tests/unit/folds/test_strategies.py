import math
import warnings

import brute_force as reference
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frugal.folds import ScoreTable, make, replay, with_facts
from frugal.folds.strategies.greedy import TIES
from frugal.interface import WAIT, FoldTask

RNG = np.random.default_rng(0)
# Document 001's own setting has many ties, so most matrices here hold few distinct scores.
WORKED = [[0.6, 0.9, 0.9], [0.8, 0.4, 0.9], [0.7, 0.7, 0.7]]


def table(matrix):
    scores = np.array(matrix, dtype=float)
    return ScoreTable(scores, np.zeros_like(scores), [{"i": i} for i in range(len(scores))], {})


def trace_of(name, matrix, **options):
    n, k = len(matrix), len(matrix[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return replay(make(name, n_candidates=n, n_folds=k, rng=RNG, **options), table(matrix))


def order_of(trace):
    return [(task.candidate, task.fold) for task in trace.tasks]


@st.composite
def matrices(draw, max_n=6, max_k=4):
    n, k = draw(st.integers(1, max_n)), draw(st.integers(2, max_k))
    levels = draw(st.sampled_from([(0.5, 0.6), (0.5, 0.6, 0.7, 0.8), tuple(i / 100 for i in range(101))]))
    rows = st.lists(st.sampled_from(levels), min_size=k, max_size=k)
    return draw(st.lists(rows, min_size=n, max_size=n))


@settings(max_examples=600, deadline=None)
@given(matrices(), st.integers(1, 24), st.sampled_from(sorted(TIES)))
def test_greedy_agrees_with_a_rescan_at_every_step(matrix, budget, ties):
    order, complete = reference.greedy(matrix, budget, ties)
    trace = trace_of("greedy", matrix, budget=budget, ties=ties)
    assert order_of(trace) == order
    assert trace.complete == bool(complete)
    if complete:
        assert trace.chosen == reference.best(matrix, complete)


@settings(max_examples=300, deadline=None)
@given(matrices(), st.integers(1, 24))
def test_standard_agrees_with_the_listing(matrix, budget):
    order, complete = reference.standard(matrix, budget)
    trace = trace_of("standard", matrix, budget=budget)
    assert order_of(trace) == order
    assert trace.complete == bool(complete)
    if complete:
        assert trace.chosen == reference.best(matrix, complete)


@settings(max_examples=500, deadline=None)
@given(matrices(max_n=12), st.sampled_from([0.0, 0.1, 0.25, 0.5]), st.sampled_from(["ceiling", "none"]))
def test_early_stopping_agrees_with_the_text(matrix, epsilon, rounding):
    threshold = epsilon * len(matrix)
    if rounding == "ceiling":
        threshold = math.ceil(threshold)

    def stop(means):
        return reference.inferior_in_a_row(means) > threshold

    order, complete = reference.greedy(matrix, math.inf, stop=stop)
    trace = trace_of("greedy_early_stopping", matrix, epsilon=epsilon, rounding=rounding)
    assert order_of(trace) == order
    assert trace.chosen == reference.best(matrix, complete)


@settings(max_examples=200, deadline=None)
@given(matrices(), st.integers(1, 23))
def test_a_smaller_budget_is_a_prefix_and_its_completions_nest(matrix, budget):
    n, k = len(matrix), len(matrix[0])
    for name in ("standard", "greedy"):
        short, long = trace_of(name, matrix, budget=budget), trace_of(name, matrix, budget=budget + 1)
        assert order_of(long)[: len(short.tasks)] == order_of(short)
        done = short.completion_steps(n, k) > 0
        assert np.all(long.completion_steps(n, k)[done] > 0)


@settings(max_examples=200, deadline=None)
@given(matrices())
def test_without_a_budget_every_strategy_ends_in_the_same_choice(matrix):
    n, k = len(matrix), len(matrix[0])
    greedy = trace_of("greedy", matrix)
    assert sorted(order_of(greedy)) == [(m, j) for m in range(n) for j in range(k)]
    patient = trace_of("greedy_early_stopping", matrix, epsilon=1.0)
    assert order_of(patient) == order_of(greedy)
    means = [reference.exact(row) for row in matrix]
    for name in ("standard", "greedy"):
        assert means[trace_of(name, matrix).chosen] == max(means)


@settings(max_examples=100, deadline=None)
@given(st.permutations(range(6)), st.integers(0, 10**6))
def test_permuting_candidates_permutes_the_results(permutation, seed):
    scores = np.random.default_rng(seed).random((6, 4))  # no ties, where the order of the list decides
    sweep = 6
    plain = order_of(trace_of("greedy", scores.tolist()))[sweep:]
    moved = order_of(trace_of("greedy", scores[list(permutation)].tolist()))[sweep:]
    assert [(permutation[m], j) for m, j in moved] == plain


def test_the_worked_example_of_the_notes():
    # Greedy after the sweep: B, C, C -> C complete at 6; A and B tie at .6, the lowest index goes on.
    trace = trace_of("greedy", WORKED)
    assert order_of(trace)[3:] == [(1, 1), (2, 1), (2, 2), (0, 1), (0, 2), (1, 2)]
    assert trace.completion_steps(3, 3).tolist() == [8, 9, 6]
    assert trace_of("greedy", WORKED, budget=7).chosen == 2
    assert trace_of("greedy", WORKED, budget=5).complete is False
    assert trace_of("greedy", WORKED, ties="most_folds").completion_steps(3, 3).tolist() == [9, 7, 6]
    assert trace_of("standard", WORKED).completion_steps(3, 3)[0] == 3
    assert trace_of("standard", WORKED, budget=7).chosen == 0
    assert trace_of("standard", WORKED, budget=2).complete is False


def test_identical_folds_complete_the_best_at_n_plus_k_minus_1():
    matrix = [[0.1 * m] * 4 for m in range(1, 8)]
    assert trace_of("greedy", matrix).completion_steps(7, 4)[6] == 7 + 4 - 1


def test_a_best_candidate_that_is_worst_on_the_first_fold_comes_last():
    matrix = [[0.5, 0.5, 0.5, 0.5] for _ in range(20)] + [[0.0, 1.0, 1.0, 1.0]]
    assert trace_of("greedy", matrix).completion_steps(21, 4)[20] == 21 * 4


def test_a_partial_candidate_is_not_returned_while_another_is_complete():
    trace = trace_of("standard", [[0.1, 0.1], [0.9, 0.9]], budget=3)
    assert (trace.chosen, trace.complete) == (0, True)


def test_the_earliest_stop_is_where_the_notes_put_it():
    # n = 256, k = 10: not before n + (k - 1)(threshold + 2) = 328 evaluations under the ceiling rule.
    matrix = [[0.9 - m / 1000] * 10 for m in range(256)]
    assert len(trace_of("greedy_early_stopping", matrix).tasks) == 256 + 9 * (6 + 2)
    assert len(trace_of("greedy_early_stopping", matrix, rounding="none").tasks) == 256 + 9 * (5 + 2)


def test_round_off_does_not_lift_the_threshold():
    # 0.02 * 150 is 3.0 but 0.07 * 100 is 7.000000000000001 in floats: the threshold is 7, not 8.
    matrix = [[0.9 - m / 1000] * 2 for m in range(100)]
    trace = trace_of("greedy_early_stopping", matrix, epsilon=0.07)
    assert trace.events[-1] == {"event": "stop", "step": 100 + 9, "n_inferior": 8}
    # 0.29 * 100 is 28.999999999999996: the 29th inferior completion does not stop the listing's version.
    trace = trace_of("greedy_early_stopping", matrix, epsilon=0.29, rounding="none")
    assert trace.events[-1] == {"event": "stop", "step": 100 + 31, "n_inferior": 30}


def test_failed_candidates_take_turns_where_nothing_else_is_left():
    trace = trace_of("greedy", [[math.nan] * 3] * 2, drop_failed=True)
    assert order_of(trace) == [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2)]


def test_candidates_that_fail_on_their_last_fold_do_not_end_the_search_before_another_is_complete():
    # The three best fail on the last fold. The threshold is 1, so that two of them would end the search.
    best = [[0.9, 0.9, math.nan]] * 3
    trace = trace_of("greedy_early_stopping", [*best, [0.5, 0.5, 0.5], [0.6, 0.6, 0.6]], drop_failed=True)
    assert (trace.chosen, trace.complete) == (4, True)


@pytest.mark.parametrize("name", ["standard", "greedy", "greedy_early_stopping", "successive_halving"])
def test_failed_candidates_rank_last_and_are_never_chosen(name):
    nan = math.nan
    trace = trace_of(name, [[nan, nan, nan], [0.1, 0.2, 0.1], [0.9, nan, 0.9]])
    assert trace.chosen == 1
    hopeless = trace_of(name, [[nan, nan], [nan, nan]])
    assert hopeless.chosen is None
    assert hopeless.complete is False


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("greedy", {"n_candidates": 0}, "n_candidates must be at least 1 and a whole number, got 0"),
        ("greedy", {"n_folds": 1}, "n_folds must be at least 2 and a whole number, got 1"),
        ("greedy", {"n_candidates": 3.0}, r"n_candidates must be at least 1 and a whole number, got 3\.0"),
        ("greedy", {"budget": 0}, "budget must be at least 1"),
        ("greedy", {"ties": "random"}, "ties must be one of lowest_index, fewest_folds, most_folds"),
        ("greedy", {"tie": 1}, "unknown setting 'tie' of greedy; known: budget, ties"),
        ("gredy", {}, "unknown strategy 'gredy'; known: .*greedy, greedy_early_stopping"),
        ("greedy_early_stopping", {"epsilon": -0.1}, "epsilon must be at least 0"),
        ("greedy_early_stopping", {"rounding": "floor"}, "rounding must be one of ceiling, none"),
        ("successive_halving", {"factor": 1}, "factor must be at least 2"),
        ("successive_halving", {"cv": 1, "n_rows": 100}, "cv must be at least 2"),
        ("successive_halving", {"min_resources": "most"}, "min_resources must be exhaust, smallest"),
        ("standard", {"budget": 20.5}, "budget must be at least 1 and a whole number, got 20.5"),
        ("greedy", {"budget": "x"}, "budget must be at least 1 and a whole number, got 'x'"),
        ("greedy", {"budget": True}, "budget must be at least 1 and a whole number, got True"),
        ("greedy", {"ties": ["lowest_index"]}, r"ties must be one of lowest_index, .*, got \['lowest_index'\]"),
        ("greedy_early_stopping", {"epsilon": "x"}, "epsilon must be at least 0 and a finite number, got 'x'"),
        ("greedy_early_stopping", {"epsilon": math.inf}, "at least 0 and a finite number, got inf"),
        ("greedy_early_stopping", {"epsilon": math.nan}, "at least 0 and a finite number, got nan"),
        ("greedy_early_stopping", {"epsilon": True}, "epsilon must be at least 0 and a finite number, got True"),
        ("successive_halving", {"factor": 2.5}, "factor must be at least 2 and a whole number, got 2.5"),
        ("successive_halving", {"cv": "5"}, "cv must be at least 2 and a whole number, got '5'"),
        ("successive_halving", {"cv": None}, "cv must be at least 2 and a whole number, got None"),
        ("successive_halving", {"n_rows": 99.5}, "n_rows must be at least 1 and a whole number, got 99.5"),
        ("successive_halving", {"n_classes": "2"}, "n_classes must be at least 1 and a whole number, got '2'"),
        ("successive_halving", {"min_resources": 2.5}, "or a whole number of at least 1, got 2.5"),
        ("successive_halving", {"min_resources": True}, "or a whole number of at least 1, got True"),
        ("successive_halving", {"aggressive_elimination": 1}, "must be one of True, False, got 1"),
        ("greedy", {"drop_failed": "no"}, "drop_failed must be one of True, False, got 'no'"),
        ("greedy_early_stopping", {"drop_failed": 0}, "drop_failed must be one of True, False, got 0"),
        (
            "successive_halving",
            {"n_rows": 100, "min_resources": 200},
            r"has 200 rows \(min_resources\), but there are 100",
        ),
    ],
)
def test_settings_outside_their_range_are_refused(name, options, message):
    with pytest.raises(ValueError, match=message):
        make(name, **{"n_candidates": 4, "n_folds": 3, "rng": RNG} | options)


def test_numbers_of_numpy_are_numbers():
    options = {"n_candidates": np.int64(4), "n_folds": np.int64(3), "rng": RNG}
    assert make("greedy", budget=np.int64(12), **options).ask() is not None
    assert make("greedy_early_stopping", epsilon=np.float64(0.5), **options).ask() is not None


def test_a_strategy_is_told_the_facts_that_it_asks_for():
    facts = {"n_rows": 90, "n_classes": 3}
    assert with_facts("greedy", {"budget": 5}, **facts) == {"budget": 5}
    assert with_facts("successive_halving", {"n_rows": 60}, **facts) == {"n_rows": 60, "n_classes": 3}
    with pytest.raises(ValueError, match=r"unknown strategy 'halving'; known: .*greedy"):
        with_facts("halving", {}, **facts)


def test_a_budget_that_may_complete_nobody_is_warned_of():
    with pytest.warns(UserWarning, match="below n_candidates \\+ n_folds - 1 = 8"):
        make("greedy", n_candidates=6, n_folds=3, rng=RNG, budget=7)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (WAIT, "the strategy returned WAIT while no evaluation was pending"),
        (FoldTask(0, 0, 64), r"no kept score for .*n_rows=64.*; there are scores for all rows"),
        (FoldTask(3, 0), r"no kept score for .*candidate=3"),
        (FoldTask(-1, 0), r"no kept score for .*candidate=-1"),
        (FoldTask(0, -1), r"no kept score for .*fold=-1"),
    ],
)
def test_a_replay_says_what_a_strategy_asked_for_that_is_not_kept(asked, message):
    strategy = make("greedy", n_candidates=3, n_folds=3, rng=RNG)
    strategy.ask = lambda: asked
    with pytest.raises(ValueError, match=message):
        replay(strategy, table(WORKED))


def test_of_equal_substitutes_in_fold_halving_the_first_one_goes_on():
    failed = [0.9, math.nan, 0.9]
    trace = trace_of("fold_halving", [failed] + [[0.8, 0.8, 0.8]] * 3)
    assert order_of(trace)[4:] == [(0, 1), (0, 2), (1, 1), (1, 2)]
    assert trace.chosen == 1


def test_substitutes_in_fold_halving_end_as_they_fail_and_others_take_their_place():
    # Rungs of 9, 3 and 1 candidates with 1, 3 and 9 folds; whoever has three folds fails on the fourth.
    failing = [[0.9, 0.9, 0.9, math.nan, *[0.9] * 5]] * 3
    trace = trace_of("fold_halving", failing + [[score] * 9 for score in (0.5, 0.6, 0.8, 0.7, 0.8, 0.4)])
    assert order_of(trace)[15:] == [
        *[(0, fold) for fold in range(3, 9)],
        (1, 3),
        (2, 3),
        *[(5, fold) for fold in range(1, 9)],
    ]
    assert (trace.chosen, trace.complete) == (5, True)


@pytest.mark.parametrize("n_good", [0, 1, 2])
def test_failed_candidates_go_to_no_further_rung_of_fold_halving(n_good):
    scores = [[0.9 - i / 10] * 9 for i in range(n_good)] + [[math.nan] * 9] * (9 - n_good)
    trace = trace_of("fold_halving", scores)
    assert order_of(trace)[9:] == [
        *[(candidate, fold) for candidate in range(n_good) for fold in (1, 2)],
        *[(0, fold) for fold in range(3, 9) if n_good],
    ]
    assert trace.chosen == (0 if n_good else None)


def test_no_candidate_of_a_failed_rung_goes_on_in_fold_halving():
    scores = [[0.9, math.nan, *[0.9] * 7]] * 3 + [[0.1 * (6 - i)] * 9 for i in range(6)]
    trace = trace_of("fold_halving", scores)
    assert order_of(trace)[15:] == [(3, fold) for fold in range(1, 9)]
    assert trace.chosen == 3


def test_a_substitute_that_fails_is_replaced_once_its_pending_folds_are_told():
    strategy = make("fold_halving", n_candidates=3, n_folds=3, rng=RNG)
    for score in (0.9, 0.8, 0.7):
        strategy.tell(strategy.ask(), score)
    for score in (math.nan, 0.9):
        strategy.tell(strategy.ask(), score)
    first, second = strategy.ask(), strategy.ask()
    assert (first, second) == (FoldTask(1, 1), FoldTask(1, 2))
    strategy.tell(first, math.nan)
    assert strategy.ask() is WAIT
    strategy.tell(second, 0.8)
    strategy.tell(strategy.ask(), math.nan)  # of candidate 2, whose third fold is then not asked
    assert strategy.ask() is None
