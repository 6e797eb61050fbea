import json
import tomllib
from pathlib import Path

import pandas as pd
import pytest

from studies.cli import main
from studies.publish import publish

ROOT = Path(__file__).parents[2]


@pytest.fixture
def place(tmp_path):
    (tmp_path / "results/greedy_cv/tables").mkdir(parents=True)
    (tmp_path / "results/greedy_cv/tables/table1.csv").write_text("a\n1\n")
    (tmp_path / "data/processed/wdbc").mkdir(parents=True)
    (tmp_path / "data/processed/wdbc/provenance.json").write_text('{"name": "wdbc", "provenance": "original"}')
    return tmp_path


def run(place, *verdicts, partial=False):
    if verdicts:
        frame = pd.DataFrame({"claim": list(range(len(verdicts))), "verdict": verdicts})
        frame.to_csv(place / "results/greedy_cv/claims.csv", index=False)
    where = {"results": place / "results", "data": place / "data"}
    return publish("greedy_cv", **where, config={"scale": "paper"}, partial=partial)


def test_results_are_copied_with_a_record(place):
    run(place, "reproduced", "not reproduced")
    target = place / "results/published/greedy_cv"
    assert (target / "tables/table1.csv").read_text() == "a\n1\n"
    record = json.loads((target / "provenance.json").read_text())
    assert record["datasets"]["wdbc"]["provenance"] == "original"
    assert record["config"] == {"scale": "paper"}
    pins = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert set(record["packages"]) == {"frugal", *(pin.split("==")[0] for pin in pins)}
    assert record["packages"]["torch"]


def test_results_below_the_floor_are_not_published(place):
    with pytest.raises(ValueError, match="has 1 claims below the published floor"):
        run(place, "reproduced", "not run at this scale")
    with pytest.raises(ValueError, match=r"claims\.csv has 1 claims below"):
        run(place)
    assert not (place / "results/published").exists()


def test_without_claims_there_is_nothing_to_publish(place):
    with pytest.raises(ValueError, match="does not exist; run the workflow at paper scale first"):
        run(place)


def numbers(place, name, n_seeds, paper="greedy_cv", **more):
    path = place / f"results/{paper}/{name}.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    pd.DataFrame({"ours": 0.5, "n_seeds": n_seeds, **more}).to_csv(path, index=False)


def test_in_part_only_what_reaches_its_own_floor_is_published(place):
    folder = place / "results/greedy_cv"
    for name, n_seeds in {
        "tables/table1": [30, 30],
        "tables/table2": [30, 29],
        "tables/sizes": [5, 5],
        "figures/sizes": [4, 5],
        "cells/variants/robust": [10],
        "cells/search_time": [2],
    }.items():
        numbers(place, name, n_seeds)
    for name in ("tables/table1.md", "tables/table2.md", "figures/sizes.png", "figures/figure3.png"):
        (folder / name).write_text("x")
    (folder / "figures/figure3.csv").write_text("seed\n0\n")
    published = run(place, "reproduced", "not run at this scale", partial=True)
    target = place / "results/published/greedy_cv"
    assert {str(path.relative_to(target)) for path in published} == {
        "tables/table1.csv", "tables/table1.md", "tables/sizes.csv", "cells/variants/robust.csv", "claims.csv",
        "figures/figure3.csv", "figures/figure3.png", "provenance.json",
    }  # fmt: skip
    left_out = json.loads((target / "provenance.json").read_text())["left_out"]
    assert set(left_out) == {
        "tables/table2.csv", "tables/table2.md", "figures/sizes.csv", "figures/sizes.png", "cells/search_time.csv"
    }  # fmt: skip


@pytest.mark.parametrize(("verdict", "is_published"), [("partly", True), ("not run at this scale", False)])
def test_claims_on_our_own_study_are_published_once_it_reaches_its_floor(place, verdict, is_published):
    pd.DataFrame({"verdict": [verdict]}).to_csv(place / "results/greedy_cv/claims_sensitivity.csv")
    published = {path.name for path in run(place, "reproduced")}
    assert "claims.csv" in published
    assert ("claims_sensitivity.csv" in published) == is_published


def test_a_result_without_a_number_is_not_published(place):
    numbers(place, "tables/table2", [0, 0], scale="not run at this scale")
    numbers(place, "figures/figure11", [])
    written = run(place, "reproduced")
    assert not [path for path in written if path.stem in ("table2", "figure11")]


def test_in_part_something_must_reach_the_floor(place):
    with pytest.raises(ValueError, match="has 2 claims below the published floor"):
        run(place, "not run at this scale", "not run at this scale", partial=True)


def test_what_was_published_before_and_is_not_now_is_deleted(place):
    target = place / "results/published/greedy_cv"
    numbers(place, "tables/table2", [30])
    run(place, "reproduced")
    (target / "notes.txt").write_text("not ours")
    assert (target / "tables/table2.csv").exists()
    numbers(place, "tables/table2", [29])
    (place / "results/greedy_cv/tables/table1.csv").unlink()
    run(place, "reproduced", "not run at this scale", partial=True)
    assert {str(path.relative_to(target)) for path in target.rglob("*.*")} == {
        "claims.csv", "provenance.json", "notes.txt"
    }  # fmt: skip


def runs_of(place):
    path = place / "results/folds_comparison/runs/all.parquet"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"runs")


def test_the_comparison_is_published_without_claims(place, monkeypatch):
    # Its seconds rest on two repetitions, so they are not shown in the table, and their own file is left out.
    numbers(place, "tables/strategies", [10, 2], "folds_comparison", scale=["paper", "not run at this scale"])
    numbers(place, "figures/ranks", [10], "folds_comparison")
    numbers(place, "cells/timed", [2], "folds_comparison")
    (place / "results/folds_comparison/tables/strategies.md").write_text("x")
    runs_of(place)
    monkeypatch.chdir(place)
    assert main(["publish", "comparisons", "--configfile", str(ROOT / "config/config.yaml")]) == 0
    target = place / "results/published/folds_comparison"
    assert {str(path.relative_to(target)) for path in target.rglob("*.*")} == {
        "tables/strategies.csv", "tables/strategies.md", "figures/ranks.csv", "provenance.json",
        "runs/all.parquet",
    }  # fmt: skip
    assert json.loads((target / "provenance.json").read_text())["left_out"] == ["cells/timed.csv"]


def test_tables_and_curves_are_published_with_the_searches_that_look_them_up(place):
    numbers(place, "tables/strategies", [10], "trials_comparison")
    for name in ("lookup/svm.parquet", "lookup/svm/part0.parquet", "curves/mlp.parquet", "lookup/svm_recheck.csv"):
        (place / "results" / name).parent.mkdir(parents=True, exist_ok=True)
        (place / "results" / name).write_text(name)
    written = publish("trials_comparison", results=place / "results", data=place / "data", config={})
    target = place / "results/published"
    shared = {"lookup/svm.parquet", "curves/mlp.parquet"}
    assert shared < {str(path.relative_to(target)) for path in written}
    assert {name for name in shared if (target / name).read_text() == name} == shared
    assert not (target / "lookup/svm").exists()
    assert not (target / "lookup/svm_recheck.csv").exists()


def test_a_comparison_below_the_floor_is_not_published(place):
    where = {"results": place / "results", "data": place / "data", "config": {}}
    runs_of(place)
    for n_seeds in ([], [9, 9]):
        if n_seeds:
            numbers(place, "tables/strategies", n_seeds, "folds_comparison", scale="laptop")
        with pytest.raises(ValueError, match="folds_comparison has nothing that reaches the published floor"):
            publish("comparisons", **where)
    assert not (place / "results/published").exists()
