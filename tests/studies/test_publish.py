import json
import os
import re
import subprocess
import sys
import tomllib
from itertools import chain
from pathlib import Path

import pandas as pd
import pytest
from packaging.requirements import Requirement

from frugal.folds.strategies import settings_of
from studies import config
from studies.artefacts import shown
from studies.cli import main
from studies.publish import publish, read_left_out, read_machine, read_records, this_machine
from studies.redraw import _artefacts, _unknown

ROOT = Path(__file__).parents[2]
CONFIG = config.load(ROOT / "config/config.yaml")
AT_PAPER_SCALE = config.load(ROOT / "config/config.yaml", ROOT / "config/paper.yaml")


@pytest.fixture
def place(tmp_path):
    (tmp_path / "results/greedy_cv/tables").mkdir(parents=True)
    (tmp_path / "results/greedy_cv/tables/table1.csv").write_text("a\n1\n")
    (tmp_path / "data/processed/wdbc").mkdir(parents=True)
    (tmp_path / "data/processed/wdbc/provenance.json").write_text('{"name": "wdbc", "provenance": "original"}')
    return tmp_path


def run(place, *verdicts, **how):
    how = {"config": CONFIG, **how}
    if verdicts:
        frame = pd.DataFrame({"claim": range(len(verdicts)), "verdict": verdicts, "scale": how["config"]["scale"]})
        frame.to_csv(place / "results/greedy_cv/claims.csv", index=False)
    where = {"results": place / "results", "data": place / "data"}
    return publish("greedy_cv", **where, **how)


def test_results_are_copied_with_a_record(place):
    run(place, "reproduced", "not reproduced")
    target = place / "results/published/greedy_cv"
    assert (target / "tables/table1.csv").read_text() == "a\n1\n"
    (record,) = read_records(target)
    assert record["datasets"]["wdbc"]["provenance"] == "original"
    assert record["config"] == CONFIG
    assert list(record["config"]["greedy_cv"]["sensitivity"]["variants"])[:2] == ["as_configured", "min_max"]
    recorded = record["settings"]["search_time"]["all problems"]["greedy"]
    assert recorded == {"strategy": "greedy", **settings_of("greedy"), **CONFIG["strategies"].get("greedy", {})}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = {
        name: texts for name, texts in project["optional-dependencies"].items() if name not in ("dev", "docs")
    }
    asked = {Requirement(text).name for text in (*project["dependencies"], *chain(*extras.values()))}
    assert set(record["packages"]) == {"frugal", *asked} - {project["name"]}
    assert record["packages"]["torch"]


def test_a_run_of_another_machine_has_that_machines_record(place):
    made_on = {"machine": {"accelerator": "a GPU"}, "packages": {"torch": "1.0"}}
    (place / "machine.json").write_text(json.dumps(made_on))
    run(place, "reproduced", made_on=read_machine(place / "machine.json"))
    (record,) = read_records(place / "results/published/greedy_cv")
    assert {key: record[key] for key in made_on} == made_on
    assert main(["machine", "--output", str(place / "here.json")]) == 0
    assert read_machine(place / "here.json") == this_machine()


def test_a_machine_without_torch_has_no_accelerator(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    assert set(this_machine()["machine"]) == {"system", "processor", "python"}


@pytest.mark.parametrize("text", ["", "{", "[]", '{"machine": {}}', '{"machine": "here", "packages": {}}'])
def test_what_is_no_record_of_a_machine_is_refused(tmp_path, text):
    (tmp_path / "machine.json").write_text(text)
    with pytest.raises(
        ValueError, match=r"machine\.json must be what `python -m studies machine` writes: machine and"
    ):
        read_machine(tmp_path / "machine.json")


def test_a_configuration_of_another_scale_is_not_recorded_as_theirs(place):
    table = pd.DataFrame({"verdict": ["reproduced", "undecided"], "scale": [None, "desk"]})
    table.to_csv(place / "results/greedy_cv/claims.csv", index=False)
    with pytest.raises(
        ValueError, match=r"claims\.csv is of scale desk, the configuration of laptop; give the one"
    ):
        run(place)
    assert not (place / "results/published").exists()


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


@pytest.mark.parametrize("not_run", ["claims", "findings"])
def test_claims_and_findings_of_a_study_of_ours_are_left_out_together(place, not_run):
    for name in ("claims", "findings"):
        verdict = "not run at this scale" if name == not_run else "reproduced"
        pd.DataFrame({"verdict": [verdict]}).to_csv(place / f"results/greedy_cv/{name}_sensitivity.csv")
    run(place, "reproduced")
    left_out = read_left_out(place / "results/published/greedy_cv")
    assert left_out == ["claims_sensitivity.csv", "findings_sensitivity.csv"]


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


def test_a_record_of_a_dataset_that_cannot_be_read_is_named_before_anything_is_copied(place):
    (place / "data/processed/wdbc/provenance.json").write_text("{")
    with pytest.raises(ValueError, match=r"wdbc/provenance\.json is not valid JSON: Expecting property name"):
        run(place, "reproduced")
    assert not (place / "results/published").exists()


def test_a_publication_that_is_stopped_as_it_deletes_has_recorded_what_it_copied(place, monkeypatch):
    numbers(place, "tables/table2", [30])
    run(place, "reproduced", commit="first")
    (place / "results/greedy_cv/tables/table2.csv").unlink()
    numbers(place, "tables/sizes", [30])
    unlink = Path.unlink

    def stops(path, **options):
        if path.name == "table2.csv":
            raise KeyboardInterrupt
        unlink(path, **options)

    monkeypatch.setattr(Path, "unlink", stops)
    with pytest.raises(KeyboardInterrupt):
        run(place, "reproduced", commit="second")
    (record,) = read_records(place / "results/published/greedy_cv")
    assert record["commit"] == "second"
    names = {name.removeprefix("greedy_cv/") for name in record["parts"]}
    assert names == {"claims.csv", "tables/table1.csv", "tables/sizes.csv"}


def test_what_another_configuration_has_left_is_not_published(place):
    numbers(place, "tables/table1", [30])
    numbers(place, "cells/readings/mine/search_time", [30])
    run(place, "reproduced")
    names = {
        name.removeprefix("greedy_cv/") for name in read_records(place / "results/published/greedy_cv")[0]["parts"]
    }
    assert names == {"claims.csv", "tables/table1.csv"}


def runs_of(place, name="folds_comparison/runs"):
    """A run that is large because its rows repeat; returned as it is read again."""
    path = place / f"results/{name}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    frame = pd.DataFrame({"seed": range(5000), "regret": 1 / 3, "data": "original"})
    frame.to_parquet(path, index=False, compression=None, use_dictionary=False)
    return path


def test_the_comparison_is_published_without_claims(place, capsys):
    # Its seconds rest on two repetitions, so they are not shown in the table, and their own file is left out.
    numbers(place, "tables/strategies", [10, 2], "folds_comparison", scale=["paper", "not run at this scale"])
    numbers(place, "figures/ranks", [10], "folds_comparison")
    numbers(place, "cells/timed", [2], "folds_comparison")
    (place / "results/folds_comparison/tables/strategies.md").write_text("x")
    kept = runs_of(place)
    where = ("--results", str(place / "results"), "--root", str(place / "data"))
    laptop, paper = (str(ROOT / f"config/{name}.yaml") for name in ("config", "paper"))
    assert main(["publish", "folds_comparison", *where, "--configfile", laptop]) == 2
    assert "tables/strategies.csv is of scale paper, the configuration of laptop" in capsys.readouterr().err
    assert main(["publish", "folds_comparison", *where, "--configfile", laptop, paper]) == 0
    target = place / "results/published/folds_comparison"
    assert {str(path.relative_to(target)) for path in target.rglob("*.*")} == {
        "tables/strategies.csv", "tables/strategies.md", "figures/ranks.csv", "provenance.json",
        "runs/runs.parquet",
    }  # fmt: skip
    assert json.loads((target / "provenance.json").read_text())["left_out"] == ["cells/timed.csv"]
    copy = target / "runs/runs.parquet"
    pd.testing.assert_frame_equal(pd.read_parquet(copy), pd.read_parquet(kept))
    assert copy.stat().st_size < kept.stat().st_size / 2


def test_a_configuration_that_names_no_scale_is_not_recorded(place, capsys):
    where = ("--results", str(place / "results"), "--root", str(place / "data"))
    (place / "given.yaml").write_text("greedy_cv: {figure_seed: 1}")
    assert main(["publish", "greedy_cv", *where, "--configfile", str(place / "given.yaml")]) == 2
    assert "key 'scale' is missing at the top level" in capsys.readouterr().err


def test_each_part_has_its_date_and_commit_and_what_its_runs_make_has_none_of_its_own(place):
    numbers(place, "tables/table2", [30])
    kept = runs_of(place, "greedy_cv/runs/search_time")
    os.utime(kept, (86400, 86400))
    run(place, "reproduced", commit="abc")
    (record,) = read_records(place / "results/published/greedy_cv")
    assert record["commit"] == "abc"
    # table1 is made from search_time; the runs of the others are not published
    assert {name.removeprefix("greedy_cv/") for name in record["parts"]} == {
        "runs/search_time.parquet", "tables/table2.csv", "claims.csv"
    }  # fmt: skip
    assert record["parts"]["greedy_cv/runs/search_time.parquet"] == "1970-01-02T00:00:00+00:00"


def test_a_run_that_is_cut_short_is_refused_before_anything_is_copied(place):
    path = runs_of(place, "greedy_cv/runs/search_time")
    run(place, "reproduced")
    (place / "results/greedy_cv/tables/table1.csv").write_text("a\n2\n")
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(ValueError, match=r"search_time.parquet is truncated"):
        run(place)
    assert (place / "results/published/greedy_cv/tables/table1.csv").read_text() == "a\n1\n"


def test_some_parts_are_published_beside_what_stays_with_its_own_record(place):
    target = place / "results/published/greedy_cv"
    numbers(place, "tables/table2", [30])
    run(place, "reproduced", commit="first")
    (target / "tables/table99.csv").write_text("a\n")  # of a table that there is no more
    runs_of(place, "greedy_cv/runs/search_time")
    runs_of(place, "greedy_cv/runs/variants/ranges")
    numbers(place, "tables/table2", [29])
    (place / "results/greedy_cv/claims.csv").unlink()
    run(place, only=["runs/*"], commit="second")
    assert {str(path.relative_to(target)) for path in target.rglob("*.*")} == {
        "tables/table1.csv", "tables/table2.csv", "claims.csv", "provenance.json",
        "runs/search_time.parquet", "runs/variants/ranges.parquet",
    }  # fmt: skip
    first, second = read_records(target)
    assert (first["commit"], set(first["parts"])) == (
        "first",
        {"greedy_cv/tables/table2.csv", "greedy_cv/claims.csv"},
    )
    assert (second["commit"], set(second["parts"])) == (
        "second", {"greedy_cv/runs/search_time.parquet", "greedy_cv/runs/variants/ranges.parquet"}
    )  # fmt: skip
    run(place, only=["runs/*"], commit="third")
    assert [record["commit"] for record in read_records(target)] == ["first", "third"]


def test_what_is_below_the_floor_stays_left_out_until_it_is_published(place):
    target = place / "results/published/greedy_cv"
    numbers(place, "tables/table2", [29])
    run(place, "reproduced", "not run at this scale", partial=True)
    assert read_left_out(target) == ["tables/table2.csv"]
    runs_of(place, "greedy_cv/runs/search_time")
    run(place, only=["runs/*"])
    assert read_left_out(target) == ["tables/table2.csv"]
    numbers(place, "tables/table2", [30])
    run(place, only=["tables/table2.*"])
    assert read_left_out(target) == []


def test_what_another_configuration_shows_stays_when_some_parts_are_published(place):
    target = place / "results/published/greedy_cv"
    runs = shown("greedy_cv", AT_PAPER_SCALE).runs()
    reading = next(name for name in runs if name.startswith("readings/"))
    assert reading not in shown("greedy_cv", CONFIG).runs()
    runs_of(place, f"greedy_cv/runs/{reading}")
    numbers(place, f"cells/{reading}", [30])
    run(place, "reproduced", config=AT_PAPER_SCALE, commit="first")
    runs_of(place, "greedy_cv/runs/sizes")
    run(place, only=["runs/sizes.parquet"], commit="second")
    run(place, only=["runs/sizes.parquet"], commit="third")
    assert (target / f"runs/{reading}.parquet").exists()
    assert (target / f"cells/{reading}.csv").exists()
    assert [record["commit"] for record in read_records(target)] == ["first", "third"]
    assert _unknown("greedy_cv", target) == {}
    remade = {artefact.name: artefact.runs for artefact in _artefacts("greedy_cv", target)}
    assert remade[f"cells/{reading}"] == (reading,)


def test_parts_of_another_scale_are_not_recorded_as_of_the_configurations(place):
    numbers(place, "tables/table2", [30, 0], scale=["desk", "not run at this scale"])
    with pytest.raises(ValueError, match=r"table2\.csv is of scale desk, the configuration of laptop; give the"):
        run(place, only=["tables/table2.*"])
    assert not (place / "results/published").exists()
    (place / "results/greedy_cv/runs").mkdir(parents=True)
    runs_of(place, "greedy_cv/runs/early_stopping")
    runs_of(place, "greedy_cv/runs/sizes")
    with pytest.raises(ValueError, match=r"table2\.csv is of scale desk, the configuration of laptop; give the"):
        run(place, only=["runs/early_stopping.parquet"])  # which do not say their scale
    written = run(place, only=["runs/sizes.parquet"])  # of which that table is not made
    assert [path.name for path in written] == ["sizes.parquet", "provenance.json"]
    numbers(place, "tables/table2", [30, 0], scale=[CONFIG["scale"], "not run at this scale"])
    assert [path.name for path in run(place, only=["tables/table2.*"])] == ["table2.csv", "provenance.json"]


def test_claims_and_findings_are_published_whatever_their_rows_count(place):
    for name in ("claims", "findings"):
        rows = {"verdict": ["reproduced", "not testable here"], "n_seeds": [0, 0], "scale": CONFIG["scale"]}
        pd.DataFrame(rows).to_csv(place / f"results/greedy_cv/{name}.csv", index=False)
    run(place)
    published = place / "results/published/greedy_cv"
    assert {"claims.csv", "findings.csv"} <= {path.name for path in published.iterdir()}
    assert read_left_out(published) == []


def test_a_whole_publication_does_not_delete_published_runs_of_what_was_not_run(place):
    kept = runs_of(place, "greedy_cv/runs/search_time")
    run(place, "reproduced")
    kept.unlink()
    runs_of(place, "greedy_cv/runs/early_stopping")
    with pytest.raises(
        ValueError, match=r"lacks runs/search_time\.parquet, which is published and would be deleted"
    ):
        run(place, "reproduced")
    published = place / "results/published/greedy_cv/runs"
    assert [path.name for path in published.iterdir()] == ["search_time.parquet"]


def test_the_commit_of_a_checkout_with_changes_says_so(place, monkeypatch):
    monkeypatch.chdir(place)
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    git = ["git", "-c", "user.name=one", "-c", "user.email=one@x.example"]
    (place / "src").mkdir()
    (place / "src/code.py").write_text("x = 1\n")
    for command in (["init", "-q"], ["add", "src"], ["commit", "-qm", "first"]):
        subprocess.run([*git, *command], check=True)
    commits = []
    for text in ("x = 1\n", "x = 2\n"):
        (place / "src/code.py").write_text(text)
        run(place, "reproduced")
        commits.append(read_records(place / "results/published/greedy_cv")[-1]["commit"])
    assert re.fullmatch("[0-9a-f]{40}", commits[0])
    assert commits[1] == f"{commits[0]} with changes"


def test_a_commit_is_one_of_the_checkout(place, capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    where = ("--results", str(place / "results"), "--root", str(place / "data"))
    assert main(["publish", "greedy_cv", *where, "--commit", "0" * 40]) == 2
    assert "--commit must name a commit of this checkout, got '00000000" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["<<<<<<< HEAD\n{}", "[]", '{"records": []}'])
def test_a_damaged_record_is_named(place, text):
    path = run(place, "reproduced")[-1]
    path.write_text(text)
    with pytest.raises(
        ValueError, match=r"provenance.json is damaged: it must hold the lists left_out and records"
    ):
        read_records(path.parent)


def test_patterns_that_fit_nothing_are_refused(place):
    with pytest.raises(ValueError, match=r"has nothing to publish that is like runs/\*$"):
        run(place, only=["runs/*"])


def test_tables_and_curves_are_published_with_the_searches_that_look_them_up(place):
    numbers(place, "tables/strategies", [10], "trials_comparison")
    for name in ("lookup/svm.parquet", "lookup/svm/part0.parquet", "curves/mlp.parquet", "lookup/svm_recheck.csv"):
        (place / "results" / name).parent.mkdir(parents=True, exist_ok=True)
        pd.DataFrame({"name": [name]}).to_parquet(place / "results" / name)
    written = publish("trials_comparison", results=place / "results", data=place / "data", config=CONFIG)
    target = place / "results/published"
    shared = {"lookup/svm.parquet", "curves/mlp.parquet"}
    assert shared < {str(path.relative_to(target)) for path in written}
    assert all((target / name).read_bytes() == (place / "results" / name).read_bytes() for name in shared)
    assert not (target / "lookup/svm").exists()
    assert not (target / "lookup/svm_recheck.csv").exists()
    (place / "results/lookup/svm.parquet").unlink()
    publish("trials_comparison", results=place / "results", data=place / "data", config=CONFIG, commit="second")
    assert (target / "lookup/svm.parquet").exists()
    parts = {
        record["commit"]: set(record["parts"]) & shared for record in read_records(target / "trials_comparison")
    }
    assert sorted(parts.values(), key=sorted) == [{"curves/mlp.parquet"}, {"lookup/svm.parquet"}]
    assert parts["second"] == {"curves/mlp.parquet"}
    pd.DataFrame({"name": ["larger"]}).to_parquet(place / "results/lookup/svm.parquet")
    where = {"results": place / "results", "data": place / "data", "config": CONFIG}
    assert publish("trials_comparison", **where, only=["lookup/*"])[:-1] == [target / "lookup/svm.parquet"]
    assert pd.read_parquet(target / "lookup/svm.parquet")["name"].item() == "larger"
    (place / "results/lookup/svm.parquet").write_text("cut short")
    with pytest.raises(ValueError, match=r"svm.parquet is truncated or not a parquet file"):
        publish("trials_comparison", **where, only=["lookup/*"])
    assert pd.read_parquet(target / "lookup/svm.parquet")["name"].item() == "larger"


def test_a_comparison_below_the_floor_is_not_published(place):
    where = {"results": place / "results", "data": place / "data", "config": CONFIG}
    runs_of(place)
    for n_seeds in ([], [9, 9]):
        if n_seeds:
            numbers(place, "tables/strategies", n_seeds, "folds_comparison", scale="laptop")
        with pytest.raises(ValueError, match="folds_comparison has nothing that reaches the published floor"):
            publish("folds_comparison", **where)
    assert not (place / "results/published").exists()
