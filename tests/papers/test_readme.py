"""What the README quotes is what was published."""

from pathlib import Path

import pandas as pd

ROOT = Path(__file__).parents[2]


def test_the_readme_quotes_the_published_claims():
    claims = pd.read_csv(ROOT / "results/published/greedy_cv/claims.csv")
    lines = (
        (ROOT / "README.md").read_text().split("| claim of the document |")[1].split("\n\n")[0].splitlines()[2:]
    )
    judged = claims[claims["verdict"] != "not run at this scale"]
    assert len(lines) == len(judged) > 0
    for line, claim in zip(lines, judged.itertuples(), strict=True):
        _, published, ours, verdict = (part.strip() for part in line.strip("| ").split("|"))
        assert abs(float(published) - claim.published) < 6e-4
        assert abs(float(ours.split(" ")[0]) - claim.ours) < 6e-4
        assert verdict == claim.verdict
