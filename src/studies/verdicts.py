"""From a document's sentence to a verdict: one rule for every claim of every paper.

A claim states a quantity in natural units and the region in which the document is right. Our 95 % interval
decides: wholly inside the region the claim is reproduced, wholly outside it is contradicted, across an edge it is
undecided.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

import pandas as pd

from frugal.checks import check_known
from frugal.seeds import rng_for
from studies.estimates import (
    CONTRADICTED,
    REPRODUCED,
    UNDECIDED,
    Arrays,
    Estimate,
    is_of_few_equal_values,
    seeds_to_decide,
)
from studies.records import Claim
from studies.regions import Region
from studies.tidy import provenance

NOT_RUN, NOT_TESTABLE = "not run at this scale", "not testable here"
VERDICTS: Final = (REPRODUCED, CONTRADICTED, UNDECIDED, NOT_RUN, NOT_TESTABLE)
COLUMNS: Final = [
    "id", "section", "quote", "quantity", "unit", "published", "agrees_if", "ours", "low", "high", "verdict",
    "seeds_to_decide", "n_seeds", "scale", "data", "artefact",
]  # fmt: skip
"""Of `claims.csv`; `findings.csv` has them without `published`."""


def verdict(region: Region, estimate: Estimate) -> str:
    """Reproduced, contradicted or undecided."""
    if estimate.verdict:
        return estimate.verdict
    if is_of_few_equal_values(estimate):
        return UNDECIDED
    if region.holds(estimate.low, estimate.high):
        return REPRODUCED
    return CONTRADICTED if region.misses(estimate.low, estimate.high) else UNDECIDED


def judge(claims: Sequence[Claim], arrays: Arrays | None, *, enough: bool, scale: str, data: str) -> pd.DataFrame:
    """One row per claim: `COLUMNS`, and `is_ours`.

    Args:
        claims: of one experiment.
        arrays: what was measured in it; None if it was not run.
        enough: whether the runs are all of the experiment's cells and reach the floor.
        scale: label of the run.
        data: provenance of the data.
    """
    return pd.DataFrame(
        [_row(claim, arrays, enough=enough, scale=scale, data=data) for claim in claims],
        columns=[*COLUMNS, "is_ours"],
    ).astype(dict.fromkeys(("ours", "low", "high"), float))


def _row(claim: Claim, arrays: Arrays | None, *, enough: bool, scale: str, data: str) -> list[Any]:
    found = Estimate(math.nan, math.nan, math.nan)
    if arrays is not None:
        found = claim.measure(arrays, rng_for("bootstrap", claim.id))
    is_measured = bool(found.verdict) or not math.isnan(found.ours)
    is_run = enough and (is_measured or bool(found.remark))  # else it has no runs
    says = verdict(claim.agrees, found) if is_run else NOT_RUN
    needed = seeds_to_decide(claim.agrees, found) if says == UNDECIDED and is_measured else ""
    quantity = f"{claim.quantity} ({found.remark})" if found.remark and is_run else claim.quantity
    head = [claim.id, claim.section, claim.quote, quantity, claim.unit, claim.published, str(claim.agrees)]
    numbers = [found.ours, found.low, found.high]
    return [*head, *numbers, says, needed, found.n_seeds, scale, data, claim.artefact, claim.is_ours]


def split(judged: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The document's claims, columns `COLUMNS`, and our findings, the same without `published`.

    Args:
        judged: rows of `judge`.
    """
    is_ours = judged["is_ours"].astype(bool)
    findings = judged.loc[is_ours, [name for name in COLUMNS if name != "published"]]
    return judged.loc[~is_ours, COLUMNS].reset_index(drop=True), findings.reset_index(drop=True)


def summarise(claims: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """How many claims have which verdict: a row per paper and one of all, columns paper, claims and `VERDICTS`.

    Args:
        claims: tables of claims by paper.

    Raises:
        ValueError: on a verdict that is none of `VERDICTS`, as an earlier rule gave them.
    """
    for paper, table in claims.items():
        for name in table["verdict"].unique():
            check_known(f"verdict on {paper}", name, VERDICTS)
    counts = {
        paper: {"claims": len(table), **{name: int((table["verdict"] == name).sum()) for name in VERDICTS}}
        for paper, table in claims.items()
    }
    rows = pd.DataFrame.from_dict(counts, orient="index", columns=["claims", *VERDICTS])
    rows.loc["all"] = rows.sum()
    return rows.rename_axis("paper").reset_index()


def judge_paper(paper: str, runs: Mapping[str, pd.DataFrame], scale: str) -> pd.DataFrame:
    """The claims of a paper with verdicts, in its order; those on a study without runs as not run.

    They are those of one file of claims: of that whose studies the runs are of.

    Args:
        paper: its name.
        runs: by name of the study; without any, those of `claims` are listed.
        scale: label of the run.

    Raises:
        ValueError: if the paper has no claims, on a run that is none of its studies', or on runs of several files.
    """
    from studies import registry

    of = registry.paper(paper)
    if not of.claims:
        raise ValueError(f"{paper} judges no claims; name the paper whose claims are meant")
    studies = {study.name: study for study in of.studies}
    read = {run: study.claims_file for study in of.studies for run in (study.reads or (study.name,))}
    for run in runs:
        if run not in read:
            raise ValueError(f"no claims on the runs {run!r}; known: {', '.join(read)}")
    judged = {claim.of for claim in of.claims}
    files = {read[run] for run in runs if run in judged or any(run in studies[name].reads for name in judged)}
    if len(files) > 1:
        listed = "; or ".join(", ".join(run for run, file in read.items() if file == one) for one in sorted(files))
        raise ValueError(f"claims are made of runs of {listed}, not of {', '.join(runs)}")
    file = next(iter(files), "claims")
    return judge_claims([one for one in of.claims if studies[one.of].claims_file == file], runs, scale)


def judge_claims(claims: Iterable[Claim], runs: Mapping[str, pd.DataFrame], scale: str) -> pd.DataFrame:
    """Rows of `judge` for claims, those on one study together.

    Args:
        claims: on one study stand together.
        runs: by name; those on a study without runs are not judged.
        scale: label of the run.
    """
    from studies import registry

    parts = []
    for name, listed in groupby(claims, key=lambda claim: claim.of):
        study = registry.study(name)
        reads = study.reads or (name,)
        if study.arrays is None or study.is_enough is None or not set(reads) <= set(runs):
            parts.append(judge(tuple(listed), None, enough=False, scale=scale, data=""))
            continue
        table = pd.concat([runs[run] for run in reads], ignore_index=True) if len(reads) > 1 else runs[reads[0]]
        rows = study.judged(table) if study.judged else table
        arrays, enough = study.arrays(rows), study.is_enough(rows)
        judged = judge(tuple(listed), arrays, enough=enough, scale=scale, data=provenance(rows))
        parts.append(in_place_of_verdicts(judged, study.instead(table) if study.instead else {}))
    return pd.concat(parts, ignore_index=True)


def in_place_of_verdicts(judged: pd.DataFrame, labels: Mapping[str, str]) -> pd.DataFrame:
    """The rows of `judge`, those of these ids with a label in place of a verdict.

    Args:
        judged: rows of `judge`.
        labels: by id.
    """
    table = judged.copy()
    rows = table["id"].isin(list(labels))
    table.loc[rows, "verdict"] = table.loc[rows, "id"].map(labels)
    table.loc[rows, "seeds_to_decide"] = ""
    return table
