import re
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest

from studies import costs
from studies.cli import main

HEAD = "s\th:m:s\tmax_rss\tmax_vms\tmax_uss\tmax_pss\tio_in\tio_out\tmean_load\tcpu_time\n"
RULES = Path(__file__).parents[2] / "workflow/rules"
SECONDS = {  # path -> seconds, CPU seconds as Snakemake writes them
    "scores/wdbc/knn/grid/k5/seed0/folds0-4.tsv": (5.0, "4.0"),
    "scores/wdbc/knn/grid/k5/seed1/folds0-4.tsv": (6.0, "5.5"),
    "rungs_timed/wdbc/knn/grid-timed/k5/seed0/rungs.tsv": (9.0, "9.0"),
    "search/greedy/wdbc/knn/nall/k5/seeds0-1.tsv": (2.0, "0.5"),
    "trials/ei/function/branin/seed0.tsv": (3.0, "-"),
    "table/greedy_cv/tables/table1.tsv": (2.0, "1.5"),
    "claims/greedy_cv/claims_sensitivity.tsv": (2.0, "1.5"),
    "data/wdbc.tsv": (1.0, "1.0"),
}


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, (wall, cpu) in SECONDS.items():
        path = tmp_path / "results/benchmarks" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f"{HEAD}{wall}\t0:00:0{wall:.0f}\t145.17\t1586.65\t72.36\t88.95\t0.04\t0.00\t11.99\t{cpu}\n"
        )
    return tmp_path


def test_start_up_and_work_are_summed_by_kind_of_job(place):
    table = costs.summarise(Path("results/benchmarks"), startup=1.0).set_index("kind")
    assert list(table.index) == ["scores", "rungs_timed", "trials", "claims", "search", "table", "data", "all"]
    # Two jobs of 5 and 6 seconds, of which each takes one to start.
    assert table.loc["scores"].tolist() == [2, 11.0, 9.5, 2.0, 9.0]
    assert table.loc["search"].tolist() == [1, 2.0, 0.5, 1.0, 1.0]  # sampled before it had started
    assert table.loc["trials"].tolist() == [1, 3.0, 3.0, 1.0, 2.0]  # too short to be sampled: its seconds count
    assert table.loc["all"].tolist() == [8, 30.0, 26.0, 8.0, 22.0]


def test_every_rule_has_its_own_folder_of_benchmarks():
    texts = [path.read_text() for path in RULES.glob("*.smk")]
    rules = [rule for text in texts for rule in re.split(r"^(?=rule |use rule )", text, flags=re.MULTILINE)[1:]]
    for rule in rules:
        inherited, name = re.match(r"(?:use rule (\w+) as |rule )(\w+)", rule).groups()
        assert re.findall(r'"results/benchmarks/(\w+)/', rule) == [name] * bool(inherited or "benchmark:" in rule)


def test_the_command_writes_table_and_bars(place, capsys):
    assert main(["costs"]) == 0
    table = pd.read_csv("results/costs/costs.csv").set_index("kind")
    assert table.loc["all", "n_jobs"] == 8
    assert table.loc["all", "startup_s"] > 0
    assert capsys.readouterr().out == Path("results/costs/costs.md").read_text()
    assert Path("results/costs/costs.png").stat().st_size > 3000
    assert Path("results/costs/costs.svg").stat().st_size > 1000


@pytest.mark.parametrize(
    ("text", "says"), [(None, "there are no benchmark files in "), ("a\n1\n", "is no benchmark")]
)
def test_what_is_no_run_is_refused(tmp_path, text, says):
    if text:
        (tmp_path / "data.tsv").write_text(text)
    with pytest.raises(ValueError, match=says):
        costs.summarise(tmp_path, startup=1.0)


def test_a_plan_is_forecast_by_rule_and_rules_without_a_number_together(monkeypatch, capsys):
    monkeypatch.setattr(costs, "PAPER_CPU_S", {"scores": 36})
    monkeypatch.setattr(costs, "SEARCH_CPU_S", {"mlp": 3600, "svm": 900})
    counts = {"scores": 200, "table": 900, "figure": 900, "trials": 5, "total": 2005}
    planned = "Job stats:\njob      count\n------  -------\n"
    planned += "".join(f"{k:10} {n:8}\n" for k, n in counts.items())
    search = (
        "rule trials:\n    output: x\n    wildcards: method=ei, learner={}, dataset=d, seed=0\n    resources: r\n"
    )
    jobs = "".join(map(search.format, ["mlp", "svm", "svm", "mlp", "mlp"]))
    monkeypatch.setattr("sys.stdin", StringIO(f"{planned}\n{jobs}\n{planned}\nReasons:\n"))
    assert main(["forecast"]) == 0
    words = [line.split() for line in capsys.readouterr().out.replace("|", " ").splitlines()]
    assert words[2:5] == [["trials,", "mlp", "3", "3"], ["scores", "200", "2"], ["others", "1800", "1"]]
    assert words[5:7] == [["trials,", "svm", "2", "0.5"], ["all", "2005", "6.5"]]
    with pytest.raises(ValueError, match="5 searches and prints 0; leave out '--quiet'"):
        costs.forecast(planned)
    with pytest.raises(ValueError, match="unknown learner of the forecast 'knn'"):
        costs.forecast(f"Job stats:\n{search.format('knn')}")
    with pytest.raises(ValueError, match="no plan of snakemake --dry-run was given"):
        costs.forecast("Error: nope.yaml does not exist")


def test_where_nothing_is_planned_the_forecast_is_nothing():
    assert costs.forecast("Nothing to be done.").to_numpy().tolist() == [["all", 0, 0.0]]


def test_every_rule_of_the_forecast_is_one_of_the_workflow():
    rules = {
        name for path in RULES.glob("*.smk") for name in re.findall(r"rule (?:\w+ as )?(\w+)", path.read_text())
    }
    assert set(costs.PAPER_CPU_S) <= rules
