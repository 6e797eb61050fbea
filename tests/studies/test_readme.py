"""What the README quotes is what was published."""

from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(("paper", "place"), [("greedy_cv", 1), ("beta_pruning", 2)])
def test_the_readme_quotes_the_published_claims(paper, place):
    claims = pd.read_csv(ROOT / f"results/published/{paper}/claims.csv")
    table = (ROOT / "README.md").read_text().split("| claim of the document |")[place].split("\n\n")[0]
    lines = table.splitlines()[2:]
    judged = claims[claims["verdict"] != "not run at this scale"]
    assert len(lines) == len(judged) > 0
    for line, claim in zip(lines, judged.itertuples(), strict=True):
        _, published, ours, verdict = (part.strip() for part in line.strip("| ").split("|"))
        if pd.isna(claim.published):
            assert published == "below 0"
        else:
            assert abs(float(published) - claim.published) < 6e-4
        assert abs(float(ours.split(" ")[0]) - claim.ours) < 6e-4
        assert verdict == claim.verdict


@pytest.mark.parametrize(
    ("paper", "place", "n_least"),
    [("exploration", 3, 12), ("big_data", 4, 20), ("big_data", 5, 8), ("hypertune", 6, 20)],
)
def test_the_readme_quotes_some_of_the_published_claims(paper, place, n_least):
    claims = pd.read_csv(ROOT / f"results/published/{paper}/claims.csv")
    table = (ROOT / "README.md").read_text().split("| claim of the document |")[place].split("\n\n")[0]
    lines = table.splitlines()[2:]
    assert len(lines) > n_least
    for line in lines:
        _, published, ours, verdict = (part.strip() for part in line.strip("| ").split("|"))
        same = claims[(claims["verdict"] == verdict) & ((claims["ours"] - float(ours.split(" ")[0])).abs() < 6e-4)]
        wanted = same["published"].isna() if published == "below 0" else same["published"] == float(published)
        assert wanted.any(), line


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
