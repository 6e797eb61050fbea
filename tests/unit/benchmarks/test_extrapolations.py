"""Extrapolations that are made once; what is looked up is compared with the sampler that it stands for."""

import json
import math
from unittest import mock

import numpy as np
import pandas as pd
import pytest

from frugal.benchmarks import extrapolations, searches
from frugal.benchmarks.curve_set import COLUMNS
from frugal.benchmarks.extrapolations import Extrapolations, epochs_of_checks, extrapolate, numbers
from frugal.benchmarks.searches import search
from frugal.interface import Trial
from frugal.learners import networks
from frugal.seeds import rng_for
from frugal.spaces import SearchSpace, Uniform
from frugal.trials.lines import Lines
from frugal.trials.strategies import make
from frugal.trials.surrogates.learning_curves import CurveModel, UnfittableError
from frugal.trials.termination import Terminating

E, SHARE = 12, 0.5
QUICK = {"n_steps": 20, "n_burn": 10}
ENDS = (0.9, 0.4, 0.85, 0.3, math.nan, 0.35)
"""Last scores of the toy's curves; the fifth diverges at epoch 9."""


def stored():
    candidates = networks.space("small", "mlp").sample(np.random.default_rng(0), len(ENDS))
    rng, rows = np.random.default_rng(1), []
    for i, (candidate, end) in enumerate(zip(candidates, ENDS, strict=True)):
        n = 9 if math.isnan(end) else E
        scores = (0.5 if math.isnan(end) else end) - 0.3 * np.arange(1.0, n + 1) ** -1.0
        scores = np.round(scores + 0.002 * rng.standard_normal(n), 4)
        if math.isnan(end):
            scores[-1] = math.nan
        for epoch, score in enumerate(scores, start=1):
            last = epoch == n
            reason = "it diverged" if last and math.isnan(end) else ""
            facts = ("mlp", "mnist", "small", 100, 50, E, "original", i, json.dumps(candidate, sort_keys=True))
            rows.append((*facts, epoch, score, 1.0 + i, 0.1 * i if last and not reason else math.nan, reason))
    return pd.DataFrame(rows, columns=COLUMNS)


@pytest.fixture(scope="module")
def table():
    return extrapolate(stored(), check_share=SHARE, curve=QUICK)  # six fits


def scores_of(curve, n=E):
    return stored().query("id == @curve")["score"].to_numpy()[:n]


@pytest.mark.parametrize(
    ("horizon", "share", "p", "epochs"),
    [
        (285, 30 / 285, 30, [30 * i for i in range(1, 10)]),  # Domhan et al. (2015)
        (60, 0.105, 6, [6 * i for i in range(1, 10)]),
        (25, 0.105, 3, [6, 9, 12, 15, 18, 21, 24]),  # the sampler needs five points
        (8, 0.01, 1, [5, 6, 7]),
    ],
)
def test_checks_are_a_share_of_the_horizon_apart(horizon, share, p, epochs):
    assert epochs_of_checks(horizon, share) == (p, epochs)


@pytest.mark.parametrize(
    ("share", "message"),
    [
        (0.0, "check_share must be above 0 and at most 1, got 0.0"),
        (1.0, "check_share 1 of 8 epochs leaves none at which to check, from 5"),
    ],
)
def test_a_share_without_a_check_is_refused(share, message):
    with pytest.raises(ValueError, match=message):
        epochs_of_checks(8, share)


def test_what_is_looked_up_is_what_the_sampler_finds(table):
    known = Extrapolations(table, {7: 0}).fit(7, scores_of(0, 6), E)
    model = CurveModel(rng=rng_for("extrapolation", "mlp", "mnist", 0, 6), **QUICK).fit(scores_of(0, 6), E)
    assert len(numbers(table["finals"].iloc[0])) == len(model.samples)  # so few that all are kept
    for y in (0.5, 0.85, 0.87, 0.9, 1.2):
        assert known.prob_above(y) == pytest.approx(model.prob_above(y), abs=1e-4)
    mean = model.predict(E)[0][0]
    assert known.prob_above(mean, noise=False) == model.prob_above(mean, noise=False)
    assert [part[0] for part in known.predict(E)] == [part[0] for part in model.predict(E)]
    row = table.iloc[0]
    assert numbers(row["curve"])[-1] == pytest.approx(row["mean"], abs=1e-6)
    for fit in model.fits:
        kept = json.loads(row["families"])[fit.family.name]
        assert kept["theta"] == fit.theta.tolist()
        assert kept["final"] == fit.family(fit.theta, [E])[0]


def test_of_many_samples_those_that_are_kept_are_evenly_spaced(monkeypatch):
    monkeypatch.setattr(extrapolations, "N_KEPT", 30)
    row = extrapolate(stored().query("id == 0"), check_share=SHARE, curve=QUICK).iloc[0]
    model = CurveModel(rng=rng_for("extrapolation", "mlp", "mnist", 0, 6), **QUICK).fit(scores_of(0, 6), E)
    every = np.linspace(0, len(model.samples) - 1, 30).astype(int)
    np.testing.assert_allclose(numbers(row["finals"]), model.curves(E)[every, 0], atol=1e-6)
    assert row["mean"] == model.predict(E)[0][0]  # of all samples


def test_a_curve_is_followed_until_it_diverges(table):
    assert table.groupby("id")["epoch"].apply(list).to_dict() == {i: [6] for i in range(6)}
    assert table["final"].isna().tolist() == [math.isnan(end) for end in ENDS]
    early = extrapolate(stored().query("id in [3, 4]"), check_share=0.75, curve=QUICK)
    assert early["id"].tolist() == [3]  # epoch 9 is where the other one has no score


def test_a_killed_job_goes_on_from_its_journal(table, tmp_path):
    path, two = tmp_path / "journal.jsonl", stored().query("id < 2")
    extrapolate(two, check_share=SHARE, curve=QUICK, journal_path=path)
    head, first, second = path.read_text().splitlines(keepends=True)
    path.write_text(head + first + second[:20])
    again = extrapolate(two, check_share=SHARE, curve=QUICK, journal_path=path)
    pd.testing.assert_frame_equal(again.drop(columns="seconds"), table[:2].drop(columns="seconds"))
    assert again["seconds"].iloc[0] == json.loads(first)["seconds"]
    with pytest.raises(ValueError, match="delete it"):
        extrapolate(two, check_share=0.75, curve=QUICK, journal_path=path)
    trained_again = two.assign(score=two["score"] + 1e-4 * (two["epoch"] == 1))
    with pytest.raises(ValueError, match="with other scores; delete it"):
        extrapolate(trained_again, check_share=SHARE, curve=QUICK, journal_path=path)


def refuse(model, curve, horizon):
    raise UnfittableError("no family describes the curve")


def test_the_journal_is_closed(monkeypatch, tmp_path):
    monkeypatch.setattr(CurveModel, "fit", refuse)
    with mock.patch.object(Lines, "close", autospec=True, side_effect=Lines.close) as close:
        extrapolate(stored().query("id == 0"), check_share=SHARE, curve=QUICK, journal_path=tmp_path / "job.jsonl")
    close.assert_called_once()


def test_a_curve_that_no_family_describes_says_why(monkeypatch):
    monkeypatch.setattr(CurveModel, "fit", refuse)
    extrapolated = extrapolate(stored().query("id == 0"), check_share=SHARE, curve=QUICK)
    assert extrapolated["reason"].tolist() == ["no family describes the curve"]
    known, seen = Extrapolations(extrapolated, {1: 0}), scores_of(0, 6)
    with pytest.raises(UnfittableError, match="no family describes"):
        known.fit(1, seen, E)
    assert known.seconds(1, seen, E) == extrapolated["seconds"].iloc[0]
    strategy = make(
        "random", space=SearchSpace({"x": Uniform(0.0, 1.0)}), n_trials=2, rng=np.random.default_rng(0)
    )
    rule = Terminating(strategy, horizon=E, p=6, rng=np.random.default_rng(0), known=known)
    first = rule.ask()
    rule.report(first, 1, 0.95)
    rule.tell(Trial(first, 0.05, 1.0, 1.0, (0.95,)))
    task = rule.ask()
    assert all(rule.report(task, epoch, score) for epoch, score in enumerate(seen, start=1))
    assert [(check.stopped, check.seconds) for check in rule.checks] == [(False, extrapolated["seconds"].iloc[0])]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda table: Extrapolations(table, {5: 2}).fit(5, [0.1] * 6, E),
            "curve 2 of trial 5 with these 6 scores .* from 6 points",
        ),
        (
            lambda table: Extrapolations(table, {5: 2}).fit(5, scores_of(2, 7), E),
            "these 7 scores .* from 6 points",
        ),
        (lambda table: Extrapolations(table, {5: 2}).fit(5, scores_of(2, 6), 99), "to epoch 99"),
        (lambda table: Extrapolations(table, {}).fit(5, scores_of(2, 6), E), "curve None of trial 5 .* no points"),
        (lambda table: Extrapolations(table.drop(columns="sd"), {}), "lacks the column 'sd'"),
        (lambda table: Extrapolations(table[:0], {}), "must have at least one row"),
    ],
)
def test_what_is_not_known_is_refused(table, call, message):
    with pytest.raises(ValueError, match=message):
        call(table)


def test_curves_that_begin_alike_have_extrapolations_of_their_own(table):
    rows = []
    for row, mean in zip(table[:2].to_dict("records"), (0.2, 0.7), strict=True):  # stuck at chance, then apart
        observed = json.dumps([0.1] * 6 + [0.1 + mean / 6 * i for i in range(1, 7)])
        rows.append(row | {"observed": observed, "mean": mean, "seconds": 10 * mean, "reason": ""})
    known = Extrapolations(pd.DataFrame(rows), {5: 1, 6: 0})
    assert [known.fit(trial, [0.1] * 6, E).predict(E)[0][0] for trial in (5, 6)] == [0.7, 0.2]
    assert [known.seconds(trial, [0.1] * 6, E) for trial in (5, 6)] == [7.0, 2.0]


def test_a_strategy_draws_the_same_with_termination_and_without():
    space = SearchSpace({"x": Uniform(0.0, 1.0)})
    plain, cut = (
        make("random", space=space, n_trials=5, rng=np.random.default_rng(3), termination=rules)
        for rules in (None, {"horizon": E, "p": 6})
    )
    assert [plain.ask().candidate for _ in range(5)] == [cut.ask().candidate for _ in range(5)]


def test_a_csv_file_answers_as_its_table(table, tmp_path):
    table.to_csv(tmp_path / "extrapolations.csv", index=False)
    read, known = Extrapolations.read(tmp_path / "extrapolations.csv", {0: 0}), Extrapolations(table, {0: 0})
    read, known = (one.fit(0, scores_of(0, 6), E) for one in (read, known))
    assert read.prob_above(0.85) == known.prob_above(0.85)


@pytest.fixture
def settings(table, tmp_path):
    stored().to_parquet(tmp_path / "curves.parquet")
    table.to_parquet(tmp_path / "extrapolations.parquet")
    block = {"strategy": "random", "draws": "random", "termination": {"check_share": SHARE}}
    return {
        "table": str(tmp_path / "curves.parquet"),
        "extrapolations": str(tmp_path / "extrapolations.parquet"),
        "n_initial": 2,
        "strategies": {"random_terminated": block},
    }


def test_searches_on_stored_curves_look_their_checks_up(table, settings):
    plain, cut = (search(name, "curves", "mlp_mnist", 0, 6, settings) for name in ("random", "random_terminated"))
    assert plain["candidate"].tolist() == cut["candidate"].tolist()
    assert plain["curve_id"].tolist() == cut["curve_id"].tolist()
    assert not plain["cut"].any()
    expected = [1 - scores_of(i)[-1] if i != 4 else math.nan for i in plain["curve_id"]]
    assert plain["final_error"].tolist() == pytest.approx(expected, nan_ok=True)
    best, known, seconds = (
        -math.inf,
        Extrapolations(table, {i: i for i in range(6)}),
        table.set_index("id")["seconds"],
    )
    for row in cut.to_dict("records"):  # the document's rule, by hand
        scores = scores_of(row["curve_id"])
        seen = scores[:6]
        checked = best > -math.inf and seen.max() <= best
        assert row["n_checks"] == int(checked)
        assert row["check_s"] == (seconds[row["curve_id"]] if checked else 0)
        stops = checked and known.fit(row["curve_id"], seen, E).prob_above(best) < 0.05
        assert row["cut"] == stops
        assert len(json.loads(row["curve"])) == (6 if stops else len(scores))
        last = seen[-1] if stops else scores[-1]
        best = best if math.isnan(last) else max(best, last)
    assert cut["cut"].any()
    assert cut["seconds"].sum() < plain["seconds"].sum()
    best = int(plain.loc[plain["error"].idxmin(), "curve_id"])
    assert plain["test_error"].iloc[-1] == pytest.approx(0.1 * best)


def test_an_interrupted_search_looks_its_checks_up_again(settings, tmp_path):
    journal = tmp_path / "search.jsonl"
    whole = search("random_terminated", "curves", "mlp_mnist", 0, 6, settings, journal_path=journal)
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(lines[:5]))  # the header and four trials
    again = search("random_terminated", "curves", "mlp_mnist", 0, 6, settings, journal_path=journal)
    assert whole["cut"].tolist()[:4] != [False] * 4
    pd.testing.assert_frame_equal(again.drop(columns="overhead_s"), whole.drop(columns="overhead_s"))


@pytest.mark.parametrize("method", ["tpe", "smac"])
def test_peers_search_stored_curves_with_termination(settings, method):
    block = {"strategy": method, "termination": {"check_share": SHARE}}
    found = search(method, "curves", "mlp_mnist", 0, 6, settings | {"strategies": {method: block}})
    assert found["n_checks"].sum() > 0
    assert (found["check_s"] > 0).tolist() == (found["n_checks"] > 0).tolist()


def test_curves_without_their_file_are_refused():
    with pytest.raises(ValueError, match="the set mlp_mnist needs the setting 'table', the file of its curves"):
        searches.problem("curves", "mlp_mnist", 0, {})
