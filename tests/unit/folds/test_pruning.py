"""The pruning strategies against literal re-implementations that rescan everything at every step."""

from __future__ import annotations

import math

import numpy as np
import optuna
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from test_rivals import replayed

from frugal import folds
from frugal.folds import ScoreTable, log_loss, make, replay
from frugal.folds.beliefs import Beliefs
from frugal.folds.beta import Posterior, prob_greater
from frugal.folds.ledger import Ledger
from frugal.interface import FoldTask

BETAS = ("beta_pruning", "beta_sequential", "beta_greedy")


@st.composite
def matrices(draw, low=1, high=19, n=(1, 14), k=(2, 6)):
    """Scores of n candidates on k folds in steps of 0.05, some candidates good and some bad."""
    n_candidates, n_folds = draw(st.integers(*n)), draw(st.integers(*k))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    middle = rng.integers(low, high + 1, (n_candidates, 1))
    spread = draw(st.integers(0, 4))
    return np.clip(middle + rng.integers(-spread, spread + 1, (n_candidates, n_folds)), low, high) / 20


def table_of(matrix):
    return folds.ScoreTable(matrix, np.ones_like(matrix), [{"i": i} for i in range(len(matrix))], {})


def order(trace):
    return [(task.candidate, task.fold) for task in trace.tasks]


def pruned(trace, event="prune"):
    return [e["candidate"] for e in trace.events if e["event"] == event]


# beta_pruning --------------------------------------------------------------------------------------------------


def algorithm_1(matrix, buffer_size, tau, stop_at_end, rank_by):
    """Document 000's Algorithm 1 as docs/methods.md, section 2, specifies it; returns evaluations and prunings."""
    n, k = matrix.shape
    seen = {c: [] for c in range(n)}
    buffer, remaining, evaluations, dropped = [], list(range(n)), [], []

    def mean(c):
        if rank_by == "posterior_mean":
            return Posterior.fit(seen[c]).mean
        return round(math.fsum(seen[c]) / len(seen[c]), 12)  # so that equal means tie

    while True:
        if len(buffer) < buffer_size and remaining:
            buffer = [remaining.pop(0), *buffer]
        elif stop_at_end and len(buffer) < buffer_size:
            return evaluations, dropped
        x = next((c for c in buffer if len(seen[c]) < k), None)
        if x is None:
            return evaluations, dropped
        evaluations.append((x, len(seen[x])))
        seen[x].append(matrix[evaluations[-1]])
        buffer = sorted(sorted(buffer), key=mean, reverse=True)
        best = buffer[0]
        for c in buffer[1:]:
            if prob_greater(Posterior.fit(seen[best]), Posterior.fit(seen[c])) > tau:
                dropped.append(c)
        buffer = [c for c in buffer if c not in dropped]
        if len(buffer) == buffer_size:
            buffer = [c for c in buffer if c == best or len(seen[c]) < k]


RANKS = st.sampled_from(["posterior_mean", "sample_mean"])


@settings(deadline=None, max_examples=25)
@given(matrices(), st.integers(2, 6), st.sampled_from([0.6, 0.9, 0.99]), st.booleans(), RANKS)
def test_beta_pruning_does_what_algorithm_1_does(matrix, size, tau, stops, rank_by):
    evaluations, dropped = algorithm_1(matrix, size, tau, stops, rank_by)
    chosen = {"buffer": size, "tau": tau, "at_end": "stop" if stops else "drain", "rank_by": rank_by}
    trace = replayed("beta_pruning", matrix, **chosen)
    assert order(trace) == evaluations
    assert pruned(trace) == dropped


@pytest.mark.parametrize("name", BETAS)
def test_a_candidate_far_behind_is_pruned(name):
    assert pruned(replayed(name, np.array([[0.9, 0.91, 0.92], [0.1, 0.1, 0.1], [0.91, 0.93, 0.9]]))) == [1]


def test_the_budget_ends_the_run():
    assert len(replayed("beta_pruning", np.full((8, 4), 0.5), budget=9).tasks) == 9


# What all of them share ----------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=12)
@given(matrices(), st.sampled_from(BETAS))
def test_with_tau_1_and_a_large_buffer_every_fold_is_evaluated(matrix, name):
    n, k = matrix.shape
    more = {"buffer": n + 2} if name == "beta_pruning" else {}
    trace = replayed(name, matrix, tau=1.0, **more)
    assert len(trace.tasks) == n * k
    assert table_of(matrix).means[trace.chosen] == table_of(matrix).means.max()


@settings(deadline=None, max_examples=25)
@given(matrices(), st.sampled_from(BETAS), st.sampled_from([0.6, 0.9, 0.99]))
def test_nothing_is_pruned_that_the_model_does_not_find_worse(matrix, name, tau):
    trace = replayed(name, matrix, tau=tau)
    for event in trace.events:
        if event["event"] == "prune":
            pair, seen, later = (event["against"], event["candidate"]), trace.tasks[: event["step"]], trace.tasks
            known = [[matrix[t.candidate, t.fold] for t in seen if t.candidate == one] for one in pair]
            assert event["n_folds"] == len(known[1])
            assert event["probability"] == pytest.approx(prob_greater(*map(Posterior.fit, known)))
            assert event["probability"] > tau
            assert event["against"] != event["candidate"]
            assert event["candidate"] not in [t.candidate for t in later[event["step"] :]]


@settings(deadline=None, max_examples=15)
@given(matrices(), st.sampled_from(BETAS))
@example(np.repeat([[0.7], [0.9], [0.85], [0.5], [0.9]], 4, axis=1), "beta_pruning")
def test_log_losses_order_the_strategies_too(matrix, name):
    """Scores exp(-loss): all that is pruned has the larger mean loss by the model.

    By the losses alone it may be a tie: the prior draws the mean of few folds to itself.
    """
    trace = replayed(name, matrix, model="log_loss", tau=0.9)
    assert trace.complete
    seen = {c: [] for c in range(len(matrix))}
    events = [e for e in trace.events if e["event"] == "prune"]
    for step, task in enumerate(trace.tasks, start=1):
        seen[task.candidate].append(-np.log(matrix[task.candidate, task.fold]))
        for event in (e for e in events if e["step"] == step):
            pair = (seen[event[role]] for role in ("candidate", "against"))
            worse, better = (log_loss.Posterior.fit(losses, scale=0.01).mean for losses in pair)
            assert worse > better


@pytest.mark.parametrize("name", BETAS)
def test_accuracies_of_0_and_1_need_the_number_of_rows(name):
    matrix = np.array([[1.0, 0.9], [0.0, 0.0]])
    assert replayed(name, matrix, n_rows=100).chosen == 0
    with pytest.raises(ValueError, match="a score of exactly 1 has no Beta posterior; give the setting n_rows"):
        replayed(name, matrix)


@pytest.mark.parametrize(
    ("name", "wrong", "message"),
    [
        *(
            (name, {"tau": tau}, r"tau must be above 0\.5 and at most 1, got")
            for name in BETAS
            for tau in (0.5, 1.01, -1, float("nan"))
        ),
        ("beta_pruning", {"buffer": 1}, "buffer must be at least 2 and a whole number, got 1"),
        (
            "beta_pruning",
            {"rank_by": "median"},
            "rank_by must be one of posterior_mean, sample_mean, got 'median'",
        ),
        ("beta_pruning", {"at_end": "halt"}, "at_end must be one of drain, stop, got 'halt'"),
        ("beta_pruning", {"budget": 0}, "budget must be at least 1"),
        ("beta_pruning", {"n_rows": 1}, "n_rows must be at least 4 and a whole number, got 1"),
        ("beta_greedy", {"quantile": 1.0}, "quantile must be above 0 and at most 0.999999, got 1.0"),
        ("beta_greedy", {"order": "mean"}, "order must be one of quantile, thompson, got 'mean'"),
        ("beta_sequential", {"model": "f1"}, "model must be one of accuracy, log_loss, got 'f1'"),
        ("beta_sequential", {"rate": 0}, "rate must be at least 1e-06 and a finite number, got 0"),
        ("threshold_pruning", {"threshold": -0.1}, "threshold must be at least 0 and a finite number, got -0.1"),
        ("threshold_pruning", {"min_folds": 0}, "min_folds must be at least 1 and a whole number, got 0"),
        ("wilcoxon", {"p_threshold": 1.5}, "p_threshold must be at least 0 and at most 1, got 1.5"),
        ("wilcoxon", {"n_startup_steps": -1}, "n_startup_steps must be at least 0 and a whole number, got -1"),
    ],
)
def test_settings_out_of_range_are_refused(name, wrong, message):
    with pytest.raises(ValueError, match=message):
        folds.make(name, n_candidates=3, n_folds=2, rng=np.random.default_rng(0), **wrong)


# beta_sequential, threshold_pruning, wilcoxon ------------------------------------------------------------------


def one_by_one(matrix, is_dropped):
    """Candidates in their order; is_dropped(own scores so far, scores of the complete ones) ends one early."""
    evaluations, complete, dropped = [], [], []
    for c, row in enumerate(matrix):
        for j in range(len(row)):
            evaluations.append((c, j))
            if j + 1 < len(row) and complete and is_dropped(row[: j + 1], [matrix[d] for d in complete]):
                dropped.append(c)
                break
        else:
            complete.append(c)
    return evaluations, dropped


@settings(deadline=None, max_examples=25)
@given(matrices(), st.sampled_from([0.6, 0.9, 0.99]))
def test_beta_sequential_compares_with_the_best_complete_candidate(matrix, tau):
    def is_dropped(seen_scores, complete):
        best = max((Posterior.fit(scores) for scores in complete), key=lambda p: p.mean)
        return prob_greater(best, Posterior.fit(seen_scores)) > tau

    trace = replayed("beta_sequential", matrix, tau=tau)
    assert (order(trace), pruned(trace)) == one_by_one(matrix, is_dropped)


@settings(deadline=None, max_examples=60)
@given(matrices(low=0, high=20), st.sampled_from([0.0, 0.05, 0.1, 0.3]), st.integers(1, 3))
def test_threshold_pruning_is_the_heuristic(matrix, threshold, min_folds):
    def is_dropped(seen_scores, complete):
        best = max(complete, key=lambda scores: round(scores.sum(), 9))
        behind = round(seen_scores.mean() * (1 + threshold), 9) < round(best[: len(seen_scores)].mean(), 9)
        return len(seen_scores) >= min_folds and behind

    trace = replayed("threshold_pruning", matrix, threshold=threshold, min_folds=min_folds)
    assert (order(trace), pruned(trace)) == one_by_one(matrix, is_dropped)


def test_threshold_pruning_by_hand():
    matrix = np.array([[0.8, 0.8, 0.8], [0.7, 0.7, 0.9], [0.5, 0.9, 0.9], [0.9, 0.8, 0.9]])
    trace = replayed("threshold_pruning", matrix)
    assert order(trace) == [
        (0, 0),
        (0, 1),
        (0, 2),
        (1, 0),
        (1, 1),
        *[(2, j) for j in range(2)],
        *[(3, j) for j in range(3)],
    ]
    assert (pruned(trace), trace.chosen) == ([1, 2], 3)


def optunas_own_loop(matrix):
    """Evaluations and prunings where Optuna drives and decides every step anew."""
    evaluations, dropped = [], []

    def objective(trial):
        for fold, score in enumerate(matrix[trial.number]):
            evaluations.append((trial.number, fold))
            trial.report(score, fold)
            if fold + 1 < matrix.shape[1] and trial.should_prune():
                dropped.append(trial.number)
                raise optuna.TrialPruned
        return matrix[trial.number].mean()

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    pruner = optuna.pruners.WilcoxonPruner()
    optuna.create_study(direction="maximize", pruner=pruner).optimize(objective, n_trials=len(matrix))
    return evaluations, dropped


@settings(deadline=None, max_examples=6)
@given(matrices(n=(1, 7), k=(3, 8)), st.lists(st.integers(0, 9), min_size=3, max_size=6))
def test_wilcoxon_prunes_what_optuna_prunes_in_its_own_loop(matrix, repeated):
    matrix = np.vstack([matrix, *(matrix[[i % len(matrix)]] for i in repeated)])
    trace = replayed("wilcoxon", matrix)
    assert (order(trace), pruned(trace)) == optunas_own_loop(matrix)


def test_wilcoxon_asks_optuna_once_for_each_pair_of_scores(monkeypatch):
    asked = []
    prune = optuna.pruners.WilcoxonPruner.prune

    def counted(pruner, study, trial):
        asked.append(trial.number)
        return prune(pruner, study, trial)

    monkeypatch.setattr(optuna.pruners.WilcoxonPruner, "prune", counted)
    first, worse = [0.8, 0.82, 0.81, 0.83, 0.84, 0.85], [0.4, 0.5, 0.4, 0.5, 0.4, 0.5]
    better, behind = [0.96, 0.97, 0.98, 0.95, 0.99, 0.98], [0.8] * 6
    trace = replayed("wilcoxon", np.array([first, worse, first, worse, better, behind, better, behind]))
    # Five decisions on a complete candidate, four where the last one drops it, none where they were made before.
    assert pruned(trace) == [1, 3, 5, 7]
    assert [asked.count(candidate) for candidate in range(8)] == [5, 4, 5, 0, 5, 4, 5, 0]


# exact_pruning -------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=200)
@given(matrices(low=0, high=20))
def test_exact_pruning_always_chooses_what_standard_chooses(matrix):
    exact, standard = replayed("exact_pruning", matrix), replayed("standard", matrix)
    assert (exact.chosen, exact.complete) == (standard.chosen, True)
    assert len(exact.tasks) <= len(standard.tasks)


def test_exact_pruning_drops_as_soon_as_a_perfect_rest_is_not_enough():
    matrix = np.array([[0.9, 0.9, 0.9, 0.9], [0.5, 1.0, 1.0, 1.0], [0.8, 0.8, 0.9, 0.9], [1.0, 0.5, 1.0, 1.0]])
    trace = replayed("exact_pruning", matrix)
    bounds = {e["candidate"]: (e["n_folds"], e["bound"]) for e in trace.events if e["event"] == "prune"}
    assert bounds == {1: (1, 0.875), 2: (2, 0.9), 3: (2, 0.875)}  # a tie goes to the first listed
    assert trace.chosen == 0


def test_a_failed_candidate_is_never_returned_and_not_trained_on():
    matrix = np.array([[0.6, 0.6, 0.6], [np.nan, 0.9, 0.9], [0.7, np.nan, 0.9]])
    for name in (*BETAS, "threshold_pruning", "wilcoxon", "exact_pruning"):
        trace = replayed(name, matrix)
        assert trace.chosen == 0, name
        assert (1, 1) not in order(trace), name
        assert (2, 2) not in order(trace), name


def test_candidates_dropped_against_one_that_then_fails_come_back():
    matrix = np.array([[0.99, 0.99, np.nan], [0.5, 0.5, 0.5], [0.4, 0.4, 0.4]])
    trace = replayed("beta_pruning", matrix, tau=0.9)
    assert sorted(pruned(trace, "restore")) == [1, 2]
    assert (trace.chosen, trace.complete) == (1, True)


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_several_workers_with_failures_return_the_best_complete_candidate(data):
    name = data.draw(st.sampled_from([*BETAS, "exact_pruning", "threshold_pruning"]))
    matrix, rng = data.draw(matrices(low=0, high=20)), np.random.default_rng(data.draw(st.integers(0, 999)))
    matrix[rng.random(matrix.shape) < 0.15] = np.nan
    n, k = matrix.shape
    more = {"n_rows": 40 * k} if name in BETAS else {}
    strategy = folds.make(name, n_candidates=n, n_folds=k, rng=np.random.default_rng(0), **more)
    out, seen = [], dict.fromkeys(range(n), 0)
    while True:
        task = strategy.ask()
        if isinstance(task, FoldTask):
            out.append(task)
        if not out:
            break
        if not isinstance(task, FoldTask) or len(out) == 4:
            answer = out.pop(int(rng.integers(len(out))))
            strategy.tell(answer, matrix[answer.candidate, answer.fold])
            seen[answer.candidate] += 1
    whole = [c for c in range(n) if not np.isnan(matrix[c]).any()]
    assert strategy.complete == any(seen[c] == k for c in whole) == bool(whole)
    if whole:
        means = table_of(matrix).means
        assert means[strategy.incumbent] == max(means[c] for c in whole if seen[c] == k)
    assert all(event.get("against") != event["candidate"] for event in strategy.events)


# beta_greedy ---------------------------------------------------------------------------------------------------


def test_beta_greedy_prefers_the_candidate_that_may_be_better():
    """One fold of 0.80 may turn out higher than two of 0.82: its upper quantile is, although its mean is not."""
    matrix = np.array([[0.82, 0.82, 0.82], [0.80, 0.80, 0.80]])
    assert float(Posterior.fit([0.80]).quantile(0.9)) > float(Posterior.fit([0.82, 0.82]).quantile(0.9))
    assert order(replayed("beta_greedy", matrix))[:4] == [(0, 0), (1, 0), (0, 1), (1, 1)]
    assert order(replayed("beta_greedy", matrix, quantile=0.1))[:4] == [(0, 0), (1, 0), (0, 1), (0, 2)]
    assert order(replayed("greedy", matrix))[:4] == [(0, 0), (1, 0), (0, 1), (0, 2)]


def greedy_by_belief(matrix, tau, share):
    """The most promising candidate next, by a quantile whose share is drawn anew with every score told."""
    n, k = matrix.shape
    seen, evaluations, dropped, promise = {}, [], [], {}

    def evaluate(c):
        evaluations.append((c, len(seen.setdefault(c, []))))
        seen[c].append(matrix[evaluations[-1]])
        if len(seen[c]) < k:
            promise[c] = float(Posterior.fit(seen[c]).quantile(share()))

    for c in range(n):
        evaluate(c)
    while promise:
        c = min(promise, key=lambda c: (-promise[c], c))
        del promise[c]
        best = max(seen, key=lambda c: (Posterior.fit(seen[c]).mean, -c))
        if c != best and prob_greater(Posterior.fit(seen[best]), Posterior.fit(seen[c])) > tau:
            dropped.append(c)
        else:
            evaluate(c)
    return evaluations, dropped


@settings(deadline=None, max_examples=25)
@given(matrices(), st.sampled_from([0.6, 0.9, 0.99]), st.sampled_from([0.1, 0.5, 0.9]))
@example(np.array([[0.65, 0.55, 0.25], [0.75, 0.55, 0.6], [0.7, 0.55, 0.45]]), 0.6, 0.9)  # not the incumbent's
def test_beta_greedy_evaluates_by_quantiles_and_prunes_against_the_best_mean(matrix, tau, quantile):
    trace = replayed("beta_greedy", matrix, tau=tau, quantile=quantile)
    assert (order(trace), pruned(trace)) == greedy_by_belief(matrix, tau, lambda: quantile)


@settings(deadline=None, max_examples=25)
@given(matrices(), st.integers(0, 99))
def test_beta_greedy_of_thompson_draws_a_quantile_for_every_score(matrix, seed):
    n, k = matrix.shape
    given_to = {"n_candidates": n, "n_folds": k, "rng": np.random.default_rng(seed)}
    trace = replay(make("beta_greedy", **given_to, order="thompson", tau=0.9), table_of(matrix))
    assert (order(trace), pruned(trace)) == greedy_by_belief(matrix, 0.9, np.random.default_rng(seed).uniform)


def test_thompson_draws_come_from_the_generator():
    matrix = np.random.default_rng(1).integers(14, 19, (12, 5)) / 20

    def evaluations(seed):
        instance = folds.make(
            "beta_greedy", n_candidates=12, n_folds=5, rng=np.random.default_rng(seed), order="thompson"
        )
        return order(folds.replay(instance, table_of(matrix)))

    assert evaluations(1) == evaluations(1)
    assert evaluations(1) != evaluations(2)


def test_beliefs_take_the_rate_the_rows_of_a_fold_and_the_classes_of_their_settings():
    ledger, shared = Ledger(n_candidates=1, n_folds=5), {"tau": 0.99, "rate": 0.5}
    ledger.scores[0] = [0.9, 1.0]
    for given_rows, n_valid in ((None, 20), (8, 8)):  # 100 // 5 unless it is given
        rows = {"n_rows": 100, "n_valid": given_rows, "n_classes": None}
        found = Beliefs(ledger, model="accuracy", **rows, **shared).posterior(0)
        assert (found.rate, found.accuracies) == (0.5, (0.9, 1 - 1 / (2 * n_valid)))
    ledger.scores[0] = [0.9, 0.8]
    for n_classes, scale in ((10, 0.01 * math.log(10)), (None, 0.01)):
        rows = {"n_rows": None, "n_valid": None, "n_classes": n_classes}
        found = Beliefs(ledger, model="log_loss", **rows, **shared).posterior(0)
        assert (found.rate, found.scale) == (0.5, pytest.approx(scale))


def test_the_smaller_log_loss_ranks_first():
    # A loss far below what guessing costs is what accurate models have.
    losses = [0.003, 0.01, 0.02, 0.05, 0.1, 0.3, 0.7, 1.5]
    for n_classes in (2, 10, None):
        for n_done in (1, 3, 5):
            ledger = Ledger(n_candidates=len(losses), n_folds=5)
            rest = {"rate": 0.01, "n_rows": None, "n_valid": None, "n_classes": n_classes}
            beliefs = Beliefs(ledger, tau=0.99, model="log_loss", **rest)
            for candidate, loss in enumerate(losses):
                ledger.scores[candidate] = [math.exp(-loss * (1 + 0.1 * math.sin(2 * f))) for f in range(n_done)]
            worth = [beliefs.worth(candidate) for candidate in range(len(losses))]
            assert worth == sorted(worth, reverse=True)
            assert beliefs.prob_better(2, 4) > 0.9


def test_log_losses_of_accurate_models_are_pruned():
    rng = np.random.default_rng(0)
    losses = rng.permutation(np.geomspace(0.02, 0.4, 24))
    scores = np.exp(-losses[:, None] * np.exp(rng.normal(0, 0.1, (24, 5))))
    table = ScoreTable(scores, np.zeros((24, 5)), [{"c": c} for c in range(24)])
    for name in ("beta_pruning", "beta_sequential", "beta_greedy"):
        strategy = make(name, n_candidates=24, n_folds=5, rng=rng, model="log_loss", n_classes=10)
        trace = replay(strategy, table)
        assert trace.chosen == losses.argmin()
        assert len(trace.tasks) < 60  # of 120


def test_a_log_loss_too_large_for_a_number_ranks_last_and_one_of_nothing_is_refused():
    ledger = Ledger(n_candidates=2, n_folds=5)
    rest = {"rate": 0.01, "n_rows": None, "n_valid": None, "n_classes": None}
    beliefs = Beliefs(ledger, tau=0.99, model="log_loss", **rest)
    ledger.scores[0], ledger.scores[1] = [0.9, 0.8], [0.0, 0.9]  # exp(-loss)
    assert beliefs.worth(1) == beliefs.quantile(1, 0.5) == -math.inf < beliefs.worth(0)
    assert beliefs.prob_better(0, 1) == 1.0
    with pytest.raises(ValueError, match="a score of exactly 1 is a log-loss of 0; clip the predicted"):
        beliefs.check(1.0)


@pytest.mark.parametrize(
    ("chosen", "n_folds"),
    [({}, 4), ({"p_threshold": 0.4}, 2), ({"p_threshold": 0.03}, 6), ({"n_startup_steps": 5}, 5)],
)
def test_wilcoxon_drops_at_the_p_value_and_after_the_folds_of_its_settings(chosen, n_folds):
    # Worse on each of m folds, a candidate has p = 1 / 2^m: 0.25 after 2, 0.0625 after 4, 0.0156 after 6.
    first, worse = [0.8, 0.82, 0.81, 0.83, 0.84, 0.85, 0.86], [0.4, 0.5, 0.4, 0.5, 0.4, 0.5, 0.4]
    trace = replayed("wilcoxon", np.array([first, worse]), **chosen)
    assert order(trace)[7:] == [(1, fold) for fold in range(n_folds)]


@pytest.mark.parametrize("name", BETAS)
def test_a_candidate_of_infinite_log_loss_is_not_chosen(name):
    trace = replayed(name, np.array([[0.9, 0.0], [0.4, 0.4]]), model="log_loss")  # exp(-log-loss)
    assert trace.chosen == 1
