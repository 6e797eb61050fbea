"""From a document's sentence to a verdict: one rule for every claim of every paper.

A claim states a quantity in natural units and the region in which the document is right. Our 95 % interval
decides: wholly inside the region the claim is reproduced, wholly outside it is contradicted, across an edge it is
undecided.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import pandas as pd

from frugal.checks import check_known
from frugal.files import read, write, write_text
from frugal.seeds import rng_for
from studies import registry
from studies.arguments import MARKDOWN
from studies.estimates import (
    CONTRADICTED,
    NOT_RUN,
    NOT_TESTABLE,
    REPRODUCED,
    UNDECIDED,
    Arrays,
    Estimate,
    is_of_few_equal_values,
    seeds_to_decide,
)
from studies.markdown import plain
from studies.records import Claim, Paper
from studies.regions import Region
from studies.tidy import provenance

VERDICTS: Final = (REPRODUCED, CONTRADICTED, UNDECIDED, NOT_RUN, NOT_TESTABLE)
NO_EVIDENCE: Final = "of these no evidence"
"""Column: how many of the reproduced claims are no evidence, as of `Claim.is_evidence`.

Such a claim holds by construction, rests on settings or data that were inferred from the table or figure it is
about, or would agree whatever the search had chosen.
"""
COLUMNS: Final = [
    "id", "section", "quote", "quantity", "unit", "published", "agrees_if", "ours", "low", "high", "verdict",
    "seeds_to_decide", "n_seeds", "scale", "data", "artefact",
]  # fmt: skip
"""Of `claims.csv`; `findings.csv` has them without `published`."""


Scale = str | Mapping[str, str]
"""A label of the scale of runs: one of all, or one for each run, by its name."""


def scale_label(scale: Scale, runs: Iterable[str]) -> str:
    """What is said of the scale of some runs, such as `desk and paper`; of all, where none of them has a label."""
    if isinstance(scale, str):
        return scale
    listed = [scale[run] for run in runs if run in scale] or scale.values()
    return " and ".join(dict.fromkeys(listed))


def verdict(region: Region, estimate: Estimate) -> str:
    """Reproduced, contradicted or undecided."""
    if estimate.verdict:
        return estimate.verdict
    if is_of_few_equal_values(estimate):
        return UNDECIDED
    if region.holds(estimate.low, estimate.high):
        return REPRODUCED
    return CONTRADICTED if region.misses(estimate.low, estimate.high) else UNDECIDED


def judge(
    claims: Sequence[Claim],
    arrays: Arrays | None,
    *,
    enough: bool,
    scale: str,
    unjudged: Mapping[str, tuple[str, str]] = MappingProxyType({}),
) -> pd.DataFrame:
    """One row per claim: `COLUMNS`, with nothing under `data`, and `is_ours`.

    Args:
        claims: of one experiment.
        arrays: what was measured in it; None if it was not run.
        enough: whether the runs are all of the experiment's cells and reach the floor.
        scale: label of the run.
        unjudged: what to say in place of a verdict, and why, by the id of a claim.
    """
    return pd.DataFrame(
        [_row(claim, arrays, enough, scale, unjudged.get(claim.id)) for claim in claims],
        columns=[*COLUMNS, "is_ours"],
    ).astype(dict.fromkeys(("ours", "low", "high"), float))


def _row(
    claim: Claim, arrays: Arrays | None, enough: bool, scale: str, unjudged: tuple[str, str] | None
) -> list[Any]:
    found = Estimate(math.nan, math.nan, math.nan)
    if arrays is not None:
        found = claim.measure(arrays, rng_for("bootstrap", claim.id))
    is_measured = bool(found.verdict) or not math.isnan(found.ours)
    label, why = unjudged or _verdict_of(claim, found, is_measured=is_measured, enough=enough)
    needed = seeds_to_decide(claim.agrees, found) if label == UNDECIDED and is_measured else ""
    quantity = _with_notes(claim, found.remark if enough else "", why)
    head = [claim.id, claim.section, claim.quote, quantity, claim.unit, claim.published, str(claim.agrees)]
    numbers = [found.ours, found.low, found.high]
    return [*head, *numbers, label, needed, found.n_seeds, scale, "", claim.artefact, claim.is_ours]


def _verdict_of(claim: Claim, found: Estimate, *, is_measured: bool, enough: bool) -> tuple[str, str]:
    """A verdict, or what stands in its place, and why."""
    if enough and (is_measured or found.remark):
        has_no_spread = is_measured and not found.verdict and is_of_few_equal_values(found)
        why = f"the same in all {found.n_seeds} seeds, too few to know a spread" if has_no_spread else ""
        return verdict(claim.agrees, found), why
    if is_measured:
        return NOT_RUN, "below the floor"
    return (NOT_TESTABLE, "") if claim.is_out_of_reach else (NOT_RUN, "no runs of it are here")


def _with_notes(claim: Claim, *notes: str) -> str:
    """The quantity in words, and behind it what else is to be known of the number."""
    inferred = f"settings or data inferred from {claim.inferred_from}" if claim.inferred_from else ""
    construction = "holds by construction" if claim.is_by_construction else ""
    anyway = f"of every other choice see {claim.every_choice_agrees}" if claim.every_choice_agrees else ""
    remarks = "; ".join(filter(None, (*notes, inferred, construction, anyway)))
    return f"{claim.quantity} ({remarks})" if remarks else claim.quantity


def split(judged: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The document's claims, columns `COLUMNS`, and our findings, the same without `published`."""
    is_ours = judged["is_ours"].astype(bool)
    findings = judged.loc[is_ours, [name for name in COLUMNS if name != "published"]]
    return judged.loc[~is_ours, COLUMNS].reset_index(drop=True), findings.reset_index(drop=True)


def summarise(claims: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """How many claims have which verdict: a row per paper and one of all.

    Returns:
        paper, claims, then `VERDICTS`; behind those that are reproduced how many of them are `NO_EVIDENCE`.

    Raises:
        ValueError: on a verdict that is none of `VERDICTS`, as an earlier rule gave them.
    """
    for paper, table in claims.items():
        for name in table["verdict"].unique():
            check_known(f"verdict on {paper}", name, VERDICTS)
    papers = map(registry.paper, registry.PAPERS)
    certain = {claim.id for one in papers for claim in one.claims if not claim.is_evidence}
    counts = {}
    for paper, table in claims.items():
        is_no_evidence = (table["verdict"] == REPRODUCED) & table["id"].isin(certain)
        counts[paper] = {name: int((table["verdict"] == name).sum()) for name in VERDICTS}
        counts[paper] |= {"claims": len(table), NO_EVIDENCE: int(is_no_evidence.sum())}
    columns = ["claims", REPRODUCED, NO_EVIDENCE, *VERDICTS[1:]]
    rows = pd.DataFrame.from_dict(counts, orient="index", columns=columns)
    rows.loc["all"] = rows.sum()
    return rows.rename_axis("paper").reset_index()


def write_summary(claims: Iterable[str | Path], output: str | Path) -> None:
    """Write `summarise` of files of claims, whose folders are named for papers, as CSV and as Markdown."""
    by_paper: dict[str, list[pd.DataFrame]] = {}
    for path in map(Path, claims):
        by_paper.setdefault(path.parent.name, []).append(read(path, "id", "verdict"))
    table = summarise({paper: pd.concat(parts) for paper, parts in by_paper.items()})
    write(table, output)
    write_text(plain(table), MARKDOWN["Markdown"](Path(output)))


def judge_paper(paper: str, runs: Mapping[str, pd.DataFrame], scale: Scale) -> pd.DataFrame:
    """One file of a paper's claims with verdicts, in the paper's order; claims on a study without runs: not run.

    Args:
        paper: its name.
        runs: by name of the study; they decide which file's claims these are. Without any: those of `claims`.
        scale: label of all runs, or one for each run, by name.

    Raises:
        ValueError: if the paper has no claims, on a run that is none of its studies', or on runs of several files.
    """
    record = registry.paper(paper)
    if not record.claims:
        raise ValueError(f"{paper} judges no claims; name the paper whose claims are meant")
    file = _file_of_claims(record, runs)
    files = {study.name: study.claims_file for study in record.studies}
    return judge_claims([claim for claim in record.claims if files[claim.study] == file], runs, scale)


def _file_of_claims(record: Paper, runs: Iterable[str]) -> str:
    """Name of the file whose claims are judged on these runs.

    Raises:
        ValueError: on a run that is none of the paper's studies', or on runs of several files.
    """
    studies = {study.name: study for study in record.studies}
    known = {run: study.claims_file for study in record.studies for run in study.judged_runs}
    for run in runs:
        if run not in known:
            raise ValueError(f"no claims on the runs {run!r}; known: {', '.join(known)}")
    judged = {run for claim in record.claims for run in studies[claim.study].judged_runs}
    files = sorted({known[run] for run in runs if run in judged})
    if len(files) > 1:
        listed = "; or ".join(", ".join(run for run, other in known.items() if other == file) for file in files)
        raise ValueError(f"claims are made of runs of {listed}, not of {', '.join(runs)}")
    return files[0] if files else "claims"


def judge_claims(claims: Iterable[Claim], runs: Mapping[str, pd.DataFrame], scale: Scale) -> pd.DataFrame:
    """Rows of `judge` for claims, of which those on one study stand together; without runs they are not judged."""
    parts = []
    for name, on_study in groupby(claims, key=lambda claim: claim.study):
        study, listed = registry.study(name), tuple(on_study)
        names = study.judged_runs
        label = scale_label(scale, names)
        if study.arrays is None or study.is_enough is None or not set(names) <= set(runs):
            parts.append(judge(listed, None, enough=False, scale=label))
            continue
        table = pd.concat([runs[run] for run in names], ignore_index=True) if len(names) > 1 else runs[names[0]]
        rows = study.judged(table) if study.judged else table
        judged = judge(
            listed,
            study.arrays(rows),
            enough=study.is_enough(rows),
            scale=label,
            unjudged=study.unjudged(table) if study.unjudged else {},
        )
        data = [provenance(claim.rows(rows) if claim.rows else rows) for claim in listed]
        parts.append(judged.assign(data=data))
    return pd.concat(parts, ignore_index=True)
