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
