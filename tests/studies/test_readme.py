"""What the README quotes is what was published."""

from pathlib import Path

import pandas as pd
import pytest

from studies.markdown import plain
from studies.verdicts import summarise

ROOT = Path(__file__).parents[2]


def test_the_readme_has_the_summary_of_the_published_claims():
    summary = (ROOT / "results/published/claims_summary.md").read_text()
    files = sorted((ROOT / "results/published").glob("*/claims*.csv"))
    papers = sorted({path.parent.name for path in files})
    claims = {paper: pd.concat([pd.read_csv(p) for p in files if p.parent.name == paper]) for paper in papers}
    assert summary == plain(summarise(claims))
    assert summary in (ROOT / "README.md").read_text()


def test_the_readme_quotes_the_published_comparison():
    def means(name):
        table = pd.read_csv(ROOT / f"results/published/folds_comparison/tables/{name}.csv")
        return table[table["k"] == table["k"].max()].pivot_table("mean", index="method", columns="measure")

    of_study, of_network = means("strategies"), means("strategies_network")
    lines = (ROOT / "README.md").read_text().split("| strategy | cost |")[1].split("\n\n")[0].splitlines()[2:]
    assert len(lines) == len(of_study) > 0
    for line in lines:
        name, *numbers = (part.strip() for part in line.strip("| ").split("|"))
        study = of_study.loc[name.replace(" ", "_")]
        quoted = [study["rows_share"], study["time_share"], 100 * study["regret"], study["lost_best"]]
        if numbers[4] != "-":
            network = of_network.loc[name.replace(" ", "_")]
            quoted += [network["rows_share"], 100 * network["regret"]]
        assert [float(number) for number in numbers if number != "-"] == pytest.approx(quoted, abs=6e-3)
