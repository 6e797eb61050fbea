"""From a document's sentence to a verdict: one rule for every claim of every paper.

A claim states a quantity in natural units and the region in which the document is right. Our 95 % interval
decides: wholly inside the region the claim is reproduced, wholly outside it is contradicted, across an edge it is
undecided.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
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


def without_runs(known: Iterable[Claim], scale: str) -> pd.DataFrame:
    """Claims of an experiment that was not run."""
    return judge(tuple(known), None, enough=False, scale=scale, data="")


def judge_all(
    sources: Iterable[Any], runs: Mapping[str, pd.DataFrame], known: Collection[str], scale: str
) -> pd.DataFrame:
    """The claims of a document with verdicts, in its order; those of an experiment without runs as not run.

    Args:
        sources: tuples of claims; or modules with `CLAIMS` by experiment, `arrays` and `reaches_floor` of an
            experiment's runs, and where some claims are on data out of reach, `not_testable`, their ids; where
            some lack what others have, `unjudged`, what to say in place of a verdict, by their ids (given the
            arrays, too).
        runs: by name of the experiment.
        known: names of the experiments.
        scale: label of the run.

    Raises:
        ValueError: on an unknown experiment.
    """
    unknown = sorted(set(runs) - set(known))
    if unknown:
        check_claimed(unknown[0], known)
    parts: list[pd.DataFrame] = []
    for source in sources:
        if isinstance(source, tuple):
            parts += _judge_records(source, runs, scale)
            continue
        for experiment, listed in source.CLAIMS.items():
            table = runs.get(experiment)
            if table is None:
                parts.append(without_runs(listed, scale))
                continue
            arrays, enough = source.arrays(experiment, table), source.reaches_floor(experiment, table)
            judged = judge(listed, arrays, enough=enough, scale=scale, data=provenance(table))
            if hasattr(source, "not_testable"):
                judged = in_place_of_verdicts(
                    judged, dict.fromkeys(source.not_testable(experiment, table), NOT_TESTABLE)
                )
            if hasattr(source, "unjudged"):
                judged = in_place_of_verdicts(judged, source.unjudged(experiment, table, arrays))
            parts.append(judged)
    return pd.concat(parts, ignore_index=True)


def _judge_records(
    claims: Sequence[Claim], runs: Mapping[str, pd.DataFrame], scale: str
) -> Iterator[pd.DataFrame]:
    """Rows of `judge` for the claims on each study, which stand together."""
    from studies import registry

    for name, listed in groupby(claims, key=lambda claim: claim.of):
        study = registry.study(name)
        reads = study.reads or (name,)
        if study.arrays is None or study.is_enough is None or not set(reads) <= set(runs):
            yield without_runs(listed, scale)
            continue
        table = pd.concat([runs[run] for run in reads], ignore_index=True) if len(reads) > 1 else runs[reads[0]]
        rows = study.judged(table) if study.judged else table
        arrays, enough = study.arrays(rows), study.is_enough(rows)
        judged = judge(tuple(listed), arrays, enough=enough, scale=scale, data=provenance(rows))
        yield in_place_of_verdicts(judged, study.instead(table) if study.instead else {})


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


def check_claimed(experiment: str, known: Collection[str]) -> None:
    """Refuse an experiment that there are no claims on.

    Raises:
        ValueError: listing those that there are claims on.
    """
    if experiment not in known:
        raise ValueError(f"no claims on the experiment {experiment!r}; known: {', '.join(known)}")


def no_claims(runs: Mapping[str, pd.DataFrame], *, scale: str) -> pd.DataFrame:
    """The `claims` of a comparison, which has none: each document's own module judges its claims.

    Raises:
        ValueError: always.
    """
    raise ValueError("comparisons judge no claims; name the paper whose claims are meant")
