"""Tables 1 to 4 of document 004, test errors of what searches chose beside the printed ones, and claims on them.

A choice whose training diverged errs as the majority's class does. Printed errors are judged where training rows
are about as many as the document's.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import cache, partial
from operator import itemgetter
from typing import Any, Final

import numpy as np
import pandas as pd

from studies.estimates import NOT_RUN, Array, Arrays, Estimate, tied
from studies.hypertune.data_set_claims import (
    ALL,
    MARGIN,
    ORDER,
    RAW,
    SCALED,
    DataSetClaim,
    Values,
    are_real,
    by_data_set,
    lacking,
    measured,
    out_of_reach,
)
from studies.hypertune.searches import (
    DATASETS,
    LEARNERS,
    MAJORITY,
    METHODS,
    at_floor,
    is_over,
    is_short,
    is_tuned,
    refit,
    runs_of,
    tested,
    without_stand_ins,
)
from studies.kinds import REFIT, of_experiment
from studies.markdown import about_marked, crossed, made_of, mark
from studies.records import Artefact, Study
from studies.regions import Region, above, at_least, between, near
from studies.shared.searches import CELL
from studies.tidy import MEASURED, SHARE, TIDY, in_order, mean_by_seed, read_printed

TABLES: Final = {1: ("elastic_net",), 2: ("svm",), 3: ("svm_rff",), 4: ("mlp", "cifar_cnn")}
"""Number of a printed table -> its learners."""
KEYS: Final = ["table", "learner", "dataset", "method"]
_PRINTED_LEARNERS: Final = {name: learner.printed for name, learner in LEARNERS.items()}
_PRINTED_DATASETS: Final = {name: dataset.printed for name, dataset in DATASETS.items()}


@cache
def published() -> pd.DataFrame:
    """The printed errors: `KEYS`, published, published_se, and digits, the error as it is printed."""
    table = read_printed("hypertune_tables").rename(columns={"value": "published", "se": "published_se"})
    return table.assign(digits=read_printed("hypertune_tables", as_text=True)["value"])


# Claims --------------------------------------------------------------------------------------------------------


def arrays(runs: pd.DataFrame) -> dict[str, Array]:
    """Arrays that claims on test errors are measured on, each (n_datasets, n_seeds) in `data_set_claims.ORDER`.

    Returns:
        By method test errors in per cent, nan where there are none; `constant`, 1 where no method does better than
        the majority's class.
    """
    fits = tested(runs)
    errors = {name: 100 * by_data_set(fits[fits["method"] == name], "test_error", runs) for name in METHODS}
    return errors | {"constant": _constant(errors)}


def _constant(errors: dict[str, Array]) -> Array:
    """1 where no choice errs by more than `MARGIN` less than the majority's class, (n_datasets, n_seeds)."""
    methods = [error for name, error in errors.items() if name != MAJORITY]
    below = [np.nan_to_num(errors[MAJORITY] - error, nan=0.0).max(axis=1) for error in methods]
    is_run = ~np.isnan(errors[MAJORITY]).all(axis=1)
    constant = is_run & (np.max(below, axis=0) <= MARGIN)
    return np.repeat(constant[:, None].astype(float), errors[MAJORITY].shape[1], axis=1)


def unjudged(runs: pd.DataFrame) -> Mapping[str, tuple[str, str]]:
    """Labels in place of verdicts on the test errors of a learner, by the id of a claim."""
    claims = [claim for claim in CLAIMS if claim.study == f"{runs['learner'].iloc[0]}_refits"]
    rows = without_stand_ins(runs)
    labels = lacking(claims, tested(rows).assign(is_short=is_short), arrays(rows))
    return labels | out_of_reach(claims, runs)


STUDIES: Final = tuple(
    Study(
        name=f"{learner}_refits",
        refit=refit,
        refit_from=(learner,),
        kinds=(of_experiment(f"{learner}_refits", REFIT, kind="refits"),),
        judged=without_stand_ins,
        arrays=arrays,
        is_enough=are_real,
        unjudged=unjudged,
        is_run=partial(is_tuned, learner=learner),
    )
    for learner in LEARNERS
)
"""Of each learner what searches chose within HyperTune's time, fitted and tested."""

TRAINED_ON: Final = {"letter": 8_978, "mnist": 50_000, RAW: 21_925, "vehicle": 44_228, "cifar10": 40_000}
"""Training rows of the document, whose splits are those of its benchmark."""
TRAINED_FOR: Final = {"cifar10": 25}
"""Epochs of the document, which gives them for its CNN alone."""
_PER_CENT: Final = (0.0, 100.0)
_END: Final = "when HyperTune's time is over"
_END_OF_EACH: Final = "when each method's time is over"
_NAMES: Final = {"hypertune": "HyperTune", "hyperband": "Hyperband", "fabolas": "Fabolas"}
_CAPTIONS: Final = {
    1: "Generalization performance on the heldout dataset for Elastic net.",
    2: "Generalization performance on heldout dataset for SVM with RBF kernel.",
    3: "Generalization performance on heldout dataset for SVM with kernel approximation.",
    4: "Generalization performance on heldout dataset for MLP and CNN.",
}
_SHOWN_IN: Final = {learner: f"tables/table{number}" for number, names in TABLES.items() for learner in names}


def _claim(learner: str, name: str, **fields: Any) -> DataSetClaim:
    """A claim on test errors of a learner; `name` is the last part of its id."""
    shared = {"section": LEARNERS[learner].section, "artefact": _SHOWN_IN[learner]}
    return DataSetClaim(f"hypertune.{learner}.{name}", study=f"{learner}_refits", **shared | fields)


def _end(learner: str) -> str:
    """When errors are compared; the CNN's searches may have one time, as in the document."""
    return _END_OF_EACH if learner == "cifar_cnn" else _END


def _less(first: str, second: str) -> Values:
    """Points by which the test error of `second` lies above that of `first`."""
    return lambda arrays: arrays[second] - arrays[first]


def _better(
    learner: str,
    name: str,
    quote: str,
    first: str,
    second: str,
    *,
    datasets: tuple[str, ...] = ALL,
    agrees: Region | None = None,
) -> DataSetClaim:
    """The test error of `first` lies below that of `second`, on each of the data sets; of one, the mean.

    Args:
        learner: by our name.
        name: the last part of the claim's id.
        quote: the document's.
        first: a method.
        second: another.
        datasets: that it is about. Without those of `NEEDED` among them, or the only one, there is no verdict.
        agrees: points by which `second` errs more; above 0 where it is not given.
    """
    region = above(0) if agrees is None else agrees
    is_one = len(datasets) == 1
    where = f" on {DATASETS[datasets[0]].printed}" if is_one else ""
    return _claim(
        learner,
        name,
        quote=quote,
        quantity=f"test error{where} of {_NAMES[second]}'s choice less that of {_NAMES[first]}'s, {_end(learner)}",
        unit="points",
        agrees=region,
        measure=partial(_difference_of_choices, first=first, second=second, region=region, datasets=datasets),
        methods=(first, second),
        datasets=datasets,
    )


def _difference_of_choices(
    arrays: Arrays, rng: np.random.Generator, *, first: str, second: str, region: Region, datasets: tuple[str, ...]
) -> Estimate:
    """By how much `second` errs more. On one data set a tie of two constants says nothing of the methods."""
    found = measured(_less(first, second), region, datasets)(arrays, rng)
    is_tie = len(datasets) == 1 and all(_is_majority(arrays, name, *datasets) for name in (first, second))
    if not is_tie or np.isnan(found.ours):
        return found
    return tied(found, "both err as much as always saying the most frequent class")


def _is_majority(arrays: Arrays, method: str, dataset: str) -> bool:
    """Whether a method's choice errs as the majority's class does, in every seed."""
    place = ORDER.index(dataset)
    return np.allclose(arrays[method][place], arrays[MAJORITY][place], rtol=0, atol=1e-9, equal_nan=True)


def _printed_errors(learner: str) -> tuple[DataSetClaim, ...]:
    """HyperTune's printed test errors of a learner, with their printed standard errors, cell by cell."""
    table = published()
    cells = table[(table["learner"] == LEARNERS[learner].printed) & (table["method"] == "hypertune")]
    return tuple(_printed_error(learner, cell) for cell in cells.to_dict("records"))


def _printed_error(learner: str, cell: Mapping[Hashable, Any]) -> DataSetClaim:
    dataset = next(name for name, printed in _PRINTED_DATASETS.items() if printed == cell["dataset"])
    error, se = round(100 * cell["published"], 9), cell["published_se"]
    last_digit = 10.0 ** -len(cell["digits"].partition(".")[2])
    agrees = near(error, unit=100 * last_digit, se=0.0 if np.isnan(se) else 100 * se)
    return _claim(
        learner,
        f"table{cell['table']}_{cell['dataset']}",
        section=f"Table {cell['table']}",
        quote=_CAPTIONS[cell["table"]],
        quantity=f"test error of HyperTune's choice on {cell['dataset']}, {_end(learner)}",
        unit="%",
        agrees=agrees,
        measure=measured(itemgetter("hypertune"), agrees, (dataset,), _PER_CENT),
        published=int(error) if error.is_integer() else error,
        methods=("hypertune",),
        datasets=(dataset,),
        printed_rows=TRAINED_ON[dataset],
        printed_epochs=TRAINED_FOR.get(dataset, 0),
    )


def _on_adult(learner: str) -> tuple[DataSetClaim, ...]:
    """Findings on adult: unscaled, as in the document, errors are the majority's; scaled they are near 15 %."""
    at_majority, scaled = between(-MARGIN, MARGIN), near(15, unit=1)
    return (
        _claim(
            learner,
            "unscaled_adult_at_majority",
            quantity="test error of HyperTune's choice on unscaled adult less that of always saying the most "
            f"frequent class, {_END}",
            unit="points",
            agrees=at_majority,
            measure=measured(_less("majority", "hypertune"), at_majority, (RAW,)),
            methods=("majority", "hypertune"),
            datasets=(RAW,),
        ),
        _claim(
            learner,
            "scaled_adult_near_15",
            quantity=f"test error of HyperTune's choice on adult, one-hot and scaled, {_END}",
            unit="%",
            agrees=scaled,
            measure=measured(itemgetter("hypertune"), scaled, (SCALED,), _PER_CENT),
            methods=("hypertune",),
            datasets=(SCALED,),
        ),
    )


_NOT_ADULT: Final = ("letter", "mnist", "vehicle")
_EQUALLY_WELL: Final = between(-MARGIN, MARGIN)
_NO_WORSE: Final = at_least(-MARGIN)
_ALL_CASES: Final = "HyperTune performs better than Fabolas in all cases"
_AGAIN: Final = "HyperTune again performs better than Fabolas"
_PARTICULARLY: Final = "particularly in Letter dataset where the difference is significant"
_COMPATIBLE: Final = "HyperTune is either compatible or better than Hyperband"
_EXCEPT_ADULT: Final = "Both HyperTune and Hyperband outperform Fabolas in all the datasets except Adult dataset"
_ON_ADULT: Final = "Both Fabolas and HyperTune, however, perform better than Hyperband in Adult dataset"
_BOTH: Final = "Both HyperTune and Hyperband perform better than Fabolas"
_BEST: Final = "Whilst Hyperband achieves the best performance in this experiment"
_EQUAL: Final = "HyperTune performs equally well"
_CNN: Final = "Both Hyperband and HyperTune achieve the best generalization performance, and outperform Fabolas"

_elastic_net = partial(_better, "elastic_net")
_svm = partial(_better, "svm")
_svm_rff = partial(_better, "svm_rff")
_mlp = partial(_better, "mlp", datasets=("mnist",))
_cnn = partial(_better, "cifar_cnn", datasets=("cifar10",))

CLAIMS: Final = (
    _elastic_net("hypertune_better_than_fabolas", _ALL_CASES, "hypertune", "fabolas"),
    *_printed_errors("elastic_net"),
    *_on_adult("elastic_net"),
    _svm("hypertune_better_than_fabolas", _AGAIN, "hypertune", "fabolas"),
    _svm("hypertune_better_than_fabolas_on_letter", _PARTICULARLY, "hypertune", "fabolas", datasets=("letter",)),
    *_printed_errors("svm"),
    *_on_adult("svm"),
    _svm_rff("hypertune_compatible_with_hyperband", _COMPATIBLE, "hypertune", "hyperband", agrees=_NO_WORSE),
    _svm_rff("hypertune_better_than_fabolas", _EXCEPT_ADULT, "hypertune", "fabolas", datasets=_NOT_ADULT),
    _svm_rff("hyperband_better_than_fabolas", _EXCEPT_ADULT, "hyperband", "fabolas", datasets=_NOT_ADULT),
    _svm_rff("fabolas_better_than_hyperband_on_adult", _ON_ADULT, "fabolas", "hyperband", datasets=(RAW,)),
    _svm_rff("hypertune_better_than_hyperband_on_adult", _ON_ADULT, "hypertune", "hyperband", datasets=(RAW,)),
    *_printed_errors("svm_rff"),
    *_on_adult("svm_rff"),
    _mlp("hyperband_better_than_hypertune", _BEST, "hyperband", "hypertune"),
    _mlp("hypertune_equals_hyperband", _EQUAL, "hypertune", "hyperband", agrees=_EQUALLY_WELL),
    _mlp("hypertune_better_than_fabolas", _BOTH, "hypertune", "fabolas"),
    _mlp("hyperband_better_than_fabolas", _BOTH, "hyperband", "fabolas"),
    *_printed_errors("mlp"),
    _cnn("hypertune_equals_hyperband", _CNN, "hypertune", "hyperband", agrees=_EQUALLY_WELL),
    _cnn("hypertune_better_than_fabolas", _CNN, "hypertune", "fabolas"),
    _cnn("hyperband_better_than_fabolas", _CNN, "hyperband", "fabolas"),
    *_printed_errors("cifar_cnn"),
)


# Tables --------------------------------------------------------------------------------------------------------

_COUNTS: Final = ("n_short", "n_over", "n_diverged")
_FACTS: Final = ("n_rows", "n_epochs", "budget_s", "budget_share", *_COUNTS)


def tabulate(runs: pd.DataFrame, scale: str, *, number: int) -> pd.DataFrame:
    """A printed table with its rows for EI, random search and the majority's class added, and adult scaled.

    Returns:
        `KEYS`, `tidy.TIDY`, then n_rows (training rows, the fewest), n_epochs, budget_s (HyperTune's seconds,
        mean), budget_share (the share of these that the method had spent after its last trial that counts, mean),
        n_short (number of seeds whose search ended before the budget), n_over (seeds whose first choice came after
        the budget) and n_diverged (seeds whose choice diverged, and counts as the majority's class). A cell
        without runs is `not run at this scale`. If some cell of the table reaches the published floor, the cells
        below it are so, too.
    """
    fits = tested(runs)
    fits = fits[fits["learner"].isin(TABLES[number]) & fits["method"].isin(METHODS)]
    cells = at_floor(_cells(fits) if len(fits) else _no_cells())
    ours = cells.assign(
        table=number,
        learner=cells["learner"].map(_PRINTED_LEARNERS),
        dataset=cells["dataset"].map(_PRINTED_DATASETS),
    )
    printed = published().drop(columns="digits")
    printed = printed[printed["table"] == number]
    table = _shown(printed, ours).merge(printed, "left", on=KEYS).merge(ours, "left", on=KEYS)
    table["scale"] = np.where(table["n_seeds"].isna(), NOT_RUN, scale)
    counts = ["n_seeds", *_COUNTS]
    table = table.assign(published_stars="", stars="", data=table["data"].fillna(""))
    table[counts] = table[counts].fillna(0).astype(int)
    return table[[*KEYS, *TIDY, *_FACTS]]


def _shown(printed: pd.DataFrame, ours: pd.DataFrame) -> pd.DataFrame:
    """Return `KEYS` of the rows to show.

    These are every printed cell; `majority`, `random` and `ei` for each printed learner and data set; and what was
    run.
    """
    columns = printed[["table", "learner", "dataset"]].drop_duplicates()
    added = pd.concat([columns.assign(method=name) for name in ("majority", "random", "ei")])
    cells = pd.concat([printed[KEYS], added, ours[KEYS]]).drop_duplicates()
    learners, datasets = _PRINTED_LEARNERS.values(), _PRINTED_DATASETS.values()
    return in_order(cells, {"learner": learners, "dataset": datasets, "method": METHODS})


def _cells(fits: pd.DataFrame) -> pd.DataFrame:
    """learner, dataset, method, `tidy.MEASURED` of the test error, and `_FACTS`."""
    share, n_epochs = fits["spent_s"] / fits["budget_s"], pd.to_numeric(fits["n_epochs"])
    fits = fits.assign(budget_share=share, is_over=is_over, is_short=is_short, n_epochs=n_epochs)
    facts = fits.groupby(CELL[:3], sort=True).agg(
        n_rows=("n_rows", "min"),
        n_epochs=("n_epochs", "min"),
        budget_s=("budget_s", "mean"),
        budget_share=("budget_share", "mean"),
        n_short=("is_short", "sum"),
        n_over=("is_over", "sum"),
        n_diverged=("is_diverged", "sum"),
    )
    return mean_by_seed(fits, "test_error", CELL[:3], SHARE).merge(facts.reset_index(), on=CELL[:3])


def _no_cells() -> pd.DataFrame:
    columns = [*CELL[:3], *MEASURED, *_FACTS]
    return pd.DataFrame({name: pd.Series(dtype=object if name in (*KEYS, "data") else float) for name in columns})


def render(table: pd.DataFrame) -> str:
    """Markdown of one of Tables 1 to 4."""
    measured = "Test errors: means ± standard errors over seeds [published]"
    return render_cells(table.drop(columns="table"), "dataset", measured)


def render_cells(table: pd.DataFrame, across: str, measured: str) -> str:
    """Markdown; a cell reads `mean ± standard error [published ± its standard error]`; notes stand below.

    `across` is the key whose values are columns; `measured` says what the cells hold.
    """
    lines = crossed(table, across, [_cell(row) for row in table.to_dict("records")])
    run = table[table["scale"] != NOT_RUN]
    note = f"{measured}; {made_of(run, by='learner')}."
    if len(run):
        rows = [f"{n:,.0f}" for n in sorted(run["n_rows"].unique())]
        note += f" Training rows: {', '.join(rows)}."
    for column, text in _NOTES.items():
        if column in run and run[column].sum():
            cells = run[run[column] > 0].to_dict("records")
            counts = ", ".join(f"{cell['method']} on {cell['dataset']} ({cell[column]})" for cell in cells)
            note += f"\n\n{text}: {counts}."
    note += about_marked(run, "\n\n")
    return f"{lines}\n\n{note}\n"


_NOTES: Final = {
    "n_short": "Seeds whose search ended before its time did",
    "n_over": "Seeds whose first choice came after it",
    "n_diverged": "Seeds whose choice diverged, which count as the majority's class",
    "n_missing": "Seeds without a value",
}


def _cell(row: Mapping[Any, Any]) -> str:
    if row["scale"] == NOT_RUN:
        text = NOT_RUN
    elif pd.isna(row["ours"]):
        text = "no value"
    else:
        text = f"{row['ours']:.4f}" + (f" ± {row['ours_se']:.4f}" if pd.notna(row["ours_se"]) else "")
    if pd.notna(row["published"]):
        error = f" ± {row['published_se']:g}" if pd.notna(row["published_se"]) else ""
        text += f" [{row['published']:g}{error}]"
    return text + mark(row["data"])


_CHOICES: Final = """, and in brackets what the document prints: the candidate that each method had chosen when
HyperTune's time of the same seed was over, that of its searches on subsets included (it ends with a trial of
HyperTune's; one of another method that is under way then does not count, budget_share in the CSV), fitted on
{{ "all " ~ b.n_train ~ " training rows" if b.n_train is number else
"as many training rows as the document's splits leave" }}"""
_MEANS: Final = """, mean over {{ b.n_seeds | seeds }} with its standard error. Majority is the error of always
saying the most frequent class; EI and random search are not in the document's tables.
{%- if b.epochs is defined %} Nor are, where they are run, Hyperband on rows, and hypertune from optimum: HyperTune
from the average of the subsets' optima.{% endif %}
{%- if "adult" in b.datasets %} The document's adult is beside unscaled codes; adult scaled is one-hot and
standardised.{% endif %}"""
_ROWS_OF_NETWORKS: Final = """ of the MLP ({{ b.epochs }} epochs), and on the CNN's own, whose searches may have
one time in place of HyperTune's (rows, epochs and seconds are in the table's CSV file)"""


def _table(number: int, learners: str, rows: str = "") -> Artefact:
    """One of Tables 1 to 4.

    The caption has the settings of the first learner of `TABLES`, and `rows`, what it adds on them.
    """
    settings = f"{{% set b = config.hypertune.{TABLES[number][0]} %}}"
    return Artefact(
        f"table{number}",
        runs_of(TABLES[number], "_refits"),
        partial(tabulate, number=number),
        f"{settings}Test error of {learners}{_CHOICES}{rows}{_MEANS}",
    )


TABLE1: Final = _table(1, "the elastic net")
TABLE2: Final = _table(2, "the SVM with a radial kernel")
TABLE3: Final = _table(3, "the SVM on random Fourier features")
TABLE4: Final = _table(4, "the MLP and CNN", _ROWS_OF_NETWORKS)
