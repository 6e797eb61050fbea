import json

import pandas as pd
import pytest

from frugal.papers.publish import publish


@pytest.fixture
def place(tmp_path):
    (tmp_path / "results/greedy_cv/tables").mkdir(parents=True)
    (tmp_path / "results/greedy_cv/tables/table1.csv").write_text("a\n1\n")
    (tmp_path / "data/processed/wdbc").mkdir(parents=True)
    (tmp_path / "data/processed/wdbc/provenance.json").write_text('{"name": "wdbc", "provenance": "original"}')
    return tmp_path


def run(place, *verdicts):
    if verdicts:
        frame = pd.DataFrame({"claim": list(range(len(verdicts))), "verdict": verdicts})
        frame.to_csv(place / "results/greedy_cv/claims.csv", index=False)
    return publish("greedy_cv", results=place / "results", data=place / "data", config={"scale": "paper"})


def test_results_are_copied_with_a_record(place):
    run(place, "reproduced", "not reproduced")
    target = place / "results/published/greedy_cv"
    assert (target / "tables/table1.csv").read_text() == "a\n1\n"
    record = json.loads((target / "provenance.json").read_text())
    assert record["datasets"]["wdbc"]["provenance"] == "original"
    assert record["config"] == {"scale": "paper"}
    assert record["packages"]["scikit-learn"]


def test_results_below_the_floor_are_not_published(place):
    with pytest.raises(ValueError, match="has 1 claims below the published floor"):
        run(place, "reproduced", "not run at this scale")
    with pytest.raises(ValueError, match=r"claims\.csv has 1 claims below"):
        run(place)
    assert not (place / "results/published").exists()


def test_without_claims_there_is_nothing_to_publish(place):
    with pytest.raises(ValueError, match="does not exist; run the workflow at paper scale first"):
        run(place)
