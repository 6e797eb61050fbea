"""What the studies are made of, as frozen records: methods, studies, artefacts, claims and papers.

The workflow, the commands, `publish`, `redraw` and the report iterate over the records of `studies.registry`. They
are light to import, since the workflow reads them at every start: modules that hold records import matplotlib,
scipy's submodules, scikit-learn and torch only inside the functions that need them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final, Literal

from studies.kinds import REFIT, RUN, SEARCH, Kind, of_experiment

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.figure import Figure

    from studies.estimates import Arrays, Estimate
    from studies.regions import Region

FoldsOf = Mapping[str, tuple[Sequence[int], Sequence[str]]]
"""Numbers of folds and names of datasets, by the key that holds the numbers."""
LineStyle = str | tuple[int, tuple[float, ...]]


@dataclass(frozen=True)
class Look:
    """How one method is drawn.

    Attributes:
        color: told apart by readers with deuteranopia or protanopia, and by lightness alone.
        label: name in legends.
        marker: for points.
        linestyle: for lines.
        hatch: for bars.
    """

    color: str
    label: str
    marker: str
    linestyle: LineStyle
    hatch: str


@dataclass(frozen=True)
class Method:
    """One line of a comparison. Names are looked up and never parsed.

    Keep methods in a tuple named `METHODS`: the hash of a job then covers only the entries of its own methods.

    How many trials it makes, and on what sizes, belongs to the study.

    Attributes:
        name: in paths, tables and figures.
        strategy: what it runs; its own name by default.
        settings: that make it this method; a study's configuration adds others and cannot change these.
        termination: settings of the rule that cuts trials short, put over the study's; None: no such rule.
        variant_of: the method whose configured settings and random numbers it shares; none by default.
        label: name in legends; the name without underscores by default.
        color: of lines and points; that and the next three have a plain default.
        marker: of points.
        linestyle: of lines.
        hatch: of bars.
    """

    name: str
    strategy: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    termination: Mapping[str, Any] | None = None
    variant_of: str = ""
    label: str = ""
    color: str = ""
    marker: str = ""
    linestyle: LineStyle = ""
    hatch: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "strategy", self.strategy or self.name)

    @property
    def look(self) -> Look:
        """How it is drawn: `default_look` where the record says nothing."""
        parts = {part.name: getattr(self, part.name) for part in fields(Look)}
        return replace(default_look(self.name), **{name: value for name, value in parts.items() if value})


def method_of(methods: Sequence[Method], name: str) -> Method:
    """The record of this name.

    Code that makes runs calls this, not `Study.method`: a study refers to its claims, whose code would enter the
    hash of the run.

    Raises:
        ValueError: on an unknown method; the message lists the known ones.
    """
    from frugal.checks import check_known

    check_known("method", name, [method.name for method in methods])
    return next(method for method in methods if method.name == name)


_COLORS: Final = ("#6A3D9A", "#7A7A7A", "#A83232", "#1B7F9C", "#5C6B1F")


def default_look(name: str, place: int = 0) -> Look:
    """The look of a method without one: a number for a marker, dots for a line.

    `place` counts the methods without a look in one figure from 0, so that they are told apart.
    """
    return Look(
        _COLORS[place % len(_COLORS)], name.replace("_", " "), f"${place + 1}$", (0, (1, 1 + place % 3)), ""
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class Floor:
    """What runs must reach before claims on them get a verdict; a module holds it as a constant.

    Attributes:
        seeds: the fewest.
        groups: columns that make the groups each of which needs so many seeds; none: those of `methods`, where
            these are given, else the runs as a whole.
        methods: that must all have been run, and no others; none: any.
        least: columns, and the value that none of a column may lie below.
        values: columns, and values that must all occur in them.
        further: what else must hold of the runs.
    """

    seeds: int
    groups: tuple[str, ...] = ()
    methods: tuple[Method, ...] = ()
    least: Mapping[str, float] = field(default_factory=dict)
    values: Mapping[str, Sequence[object]] = field(default_factory=dict)
    further: Callable[[pd.DataFrame], bool] | None = None

    def __call__(self, runs: pd.DataFrame) -> bool:
        """Whether runs reach it."""
        groups = list(self.groups) or (["method"] if self.methods else [])
        parts = [part for _, part in runs.groupby(groups)] if groups else [runs]
        return bool(
            min((part["seed"].nunique() for part in parts), default=0) >= self.seeds
            and (not self.methods or set(runs["method"]) == {method.name for method in self.methods})
            and all(runs[name].min() >= least for name, least in self.least.items())
            and all(set(values) <= set(runs[name]) for name, values in self.values.items())
            and (self.further is None or self.further(runs))
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Study:
    """One experiment: what its runs are, and what claims are judged on.

    Its runs are made by `run`, by `derive` or by `refit`, or gathered from searches or replays by the workflow.

    Attributes:
        name: of its runs, `results/{paper}/runs/{name}.parquet`.
        methods: what is compared, a job each.
        problems: of a study whose jobs are searches of hyperparameters, one for each method, problem and seed:
            learner and dataset of each, as `benchmarks.problem` names them; none: it has no searches.
        resource: what a trial of these searches may have less of: `sizes`, listed numbers of rows; `rows`, any
            number of them, on the data sets that the configuration chooses; `epochs`, of stored curves, where
            methods may terminate; or nothing.
        chooses: whether the configuration chooses the methods of these searches, and shows those beside them, too.
        minutes: that one of these searches may take.
        beside: the study whose problems these are, if it has them from another: that one's first candidates, seeds
            and termination hold here, too, and its searches are compared with these.
        run: what one method gives from one seed: a function of the method's name, the seed of all that is drawn,
            the study's settings, as its model has them, and the folder of the data.
        derive: a function that computes its run from other runs, or from nothing, by an optimiser or a
            factorisation, so that drawing a table or a figure does not have to.
        derived_from: names of the runs that `derive` takes, in this order; empty: it takes none.
        refit: a function that fits and tests what searches chose. It takes the rows of the searches, the settings,
            the folder of the data, and the journal in which fits are kept.
        refit_from: names of the paper's runs whose choices `refit` fits; empty: the rows of any searches, and what
            these look up.
        kinds: the kinds of its runs: pattern of the name, columns and values. Empty: one run, named like
            the study. Its rows hold that name in the column `experiment`, and have the columns of experiments, of
            refits or of searches.
        learner: name of the learner that `run` builds by its name; empty: none.
        is_timed: whether it measures seconds, so that nothing else may run beside it.
        is_long: whether each of its jobs does one method and one seed, whatever the configuration says of jobs.
        datasets: the key of its settings that names the dataset or datasets that it reads; empty: it reads none.
        simulated: those of these names that stand for data that it simulates and reads from no file.
        check: a function of the study's settings and the whole configuration. It refuses early, without reading
            data, what the study's jobs would refuse later.
        recorded_settings: a function of a method's name and the study's settings. It returns settings to record
            for the method's jobs, in addition to the study's settings or in their place.
        folds: for a study on folds, a function of the study and the whole configuration. It returns, by key of the
            configuration, the numbers of folds under that key and the names of the datasets that are split.
        replayed: for a study that replays the folds family on kept scores, a function of the study and the whole
            configuration, such as `as_configured`. It returns the methods of each run, with their settings.
        replays_curves: whether it replays the stored curves that the key `curves` of its settings names.
        environment: name of the file under `envs/` with the packages of another interpreter that it calls, unless
            the key `python` of its settings names one; empty: none.
        judged_on: names of the runs that its claims are judged on, one below the other; none: its own.
        judged: of these the rows that its claims are judged on; None: all.
        arrays: what its claims are measured on, from those rows.
        is_enough: whether those rows are all of the study's cells and reach the floor under its verdicts: a
            `Floor`, or a function of the rows.
        unjudged: what to say in place of a verdict, and why, by the id of a claim, from the runs.
        claims_file: name of the file of its claims, without an end.
        is_run: whether it is run with a configuration; None: always.
        cells: folder or name of the statistics of its runs by cell; its own name by default.
        floor: seeds below which these are not published; None: the paper's.
        target: that makes the tables, figures and claims on its runs; empty: its paper's.
    """

    name: str
    methods: tuple[Method, ...] = ()
    problems: tuple[tuple[str, str], ...] = ()
    resource: Literal["", "sizes", "rows", "epochs"] = ""
    chooses: bool = False
    minutes: int = 120
    beside: str = ""
    run: Callable[[str, int, Mapping[str, Any], Any], pd.DataFrame] | None = None
    derive: Callable[..., pd.DataFrame] | None = None
    derived_from: tuple[str, ...] = ()
    refit: Callable[..., pd.DataFrame] | None = None
    refit_from: tuple[str, ...] = ()
    kinds: tuple[Kind, ...] = ()
    learner: str = ""
    is_timed: bool = False
    is_long: bool = False
    datasets: str = ""
    simulated: tuple[str, ...] = ()
    check: Callable[[Mapping[str, Any], Mapping[str, Any]], None] | None = None
    recorded_settings: Callable[[str, Mapping[str, Any]], Mapping[str, Any]] | None = None
    folds: Callable[[Study, Mapping[str, Any]], FoldsOf] | None = None
    replayed: Callable[[Study, Mapping[str, Any]], Mapping[str, Sequence[Method]]] | None = None
    replays_curves: bool = False
    environment: str = ""
    judged_on: tuple[str, ...] = ()
    judged: Callable[[pd.DataFrame], pd.DataFrame] | None = None
    arrays: Callable[[pd.DataFrame], Arrays] | None = None
    is_enough: Callable[[pd.DataFrame], bool] | None = None
    unjudged: Callable[[pd.DataFrame], Mapping[str, tuple[str, str]]] | None = None
    claims_file: str = "claims"
    is_run: Callable[[Mapping[str, Any]], bool] | None = None
    cells: str = ""
    floor: int | None = None
    target: str = ""

    @property
    def method_names(self) -> tuple[str, ...]:
        """Names of what is compared."""
        return tuple(method.name for method in self.methods)

    @property
    def judged_runs(self) -> tuple[str, ...]:
        """Names of the runs that its claims are judged on: `judged_on`, or its own."""
        return self.judged_on or (self.name,)

    def method(self, name: str) -> Method:
        """The record of one of its methods, as `method_of` finds it."""
        return method_of(self.methods, name)

    def datasets_in(self, settings: Mapping[str, Any]) -> list[str]:
        """Names of the datasets that it reads or simulates, by its settings."""
        named = settings[self.datasets] if self.datasets else []
        return [named] if isinstance(named, str) else list(named)

    def kind_of(self, run: str) -> Kind | None:
        """Kind of a run of this name; None: it is none of the study's."""
        columns = RUN if self.run is not None else REFIT if self.refit is not None else SEARCH
        for kind in self.kinds or (of_experiment(self.name, columns),):
            if fnmatchcase(run, kind.runs or self.name):
                return replace(kind, name=kind.name or run)
        return None


def configured(methods: Sequence[Method], config: Mapping[str, Any]) -> tuple[Method, ...]:
    """Strategies of the folds family with the settings that a configuration gives them."""
    return tuple(replace(method, settings=config["strategies"].get(method.name, {})) for method in methods)


def as_configured(study: Study, config: Mapping[str, Any]) -> dict[str, tuple[Method, ...]]:
    """Configured methods of a study that has one run, of all its methods."""
    return {study.name: configured(study.methods, config)}


@dataclass(frozen=True, eq=False)
class Artefact:
    """A table or a figure of a paper.

    Attributes:
        name: of its files, under `tables/` or `figures/`; a table and a figure may share one.
        runs: names of the runs that it is made from, all of its paper; or a function of the whole configuration
            that gives them. A figure without runs explains: it is made from a seed by a small run of its own.
        summarise: the numbers, as the CSV holds them: of a table from runs and the label of the scale, of a figure
            from runs, of one that explains from the seed.
        caption: Markdown, filled in by jinja2 with `config`, all keys, `runs`, the names of the runs, and the
            settings of the first of them by their own names; how it is made is added.
        draw: the picture of the numbers; None: it is a table.
        render: a table as Markdown; None: as `studies.markdown.render` does.
        datasets: what a figure that explains reads.
        floor: seeds below which it is not published; None: the paper's.
    """

    name: str
    runs: tuple[str, ...] | Callable[[Mapping[str, Any]], tuple[str, ...]]
    summarise: Callable[..., pd.DataFrame]
    caption: str
    draw: Callable[[pd.DataFrame], Figure] | None = None
    render: Callable[[pd.DataFrame], str] | None = None
    datasets: tuple[str, ...] = ()
    floor: int | None = None

    @property
    def kind(self) -> str:
        """`table`, or `figure`."""
        return "table" if self.draw is None else "figure"

    def runs_of(self, config: Mapping[str, Any]) -> tuple[str, ...]:
        """Names of the runs that it is made from with a configuration."""
        return self.runs(config) if callable(self.runs) else self.runs


@dataclass(frozen=True)
class Claim:
    """A quoted sentence, a quantity in natural units, and the region in which the document is right.

    Attributes:
        id: stable and short, `{paper}.{topic}.{what}`; the resampling is seeded by it.
        section: of the document.
        quantity: what is measured, so that a reader who knows the document and not us understands it.
        unit: of the quantity, such as `times`, `%` or `points`.
        agrees: the region in which the document is right.
        measure: the quantity from a study's arrays, and a generator for the resampling.
        quote: the document's words and nothing else, of a printed number the caption; empty for what is ours.
        published: what the document prints, if it prints something.
        artefact: the table or figure that shows it, such as `tables/table1`.
        study: name of the study that it is judged on.
        rows: a function that picks the rows of the study's runs that it is measured on. Only `data`, their
            provenance, is taken from these rows. None: all rows.
        inferred_from: the table or figure of the document that its settings or data were inferred from, such as
            `Table 3`: to agree with that is no evidence.
        is_by_construction: whether it holds whatever the data are.
        every_choice_agrees: id of the finding which shows that any choice of the search would have agreed; empty:
            there is none.
        is_out_of_reach: whether its data or machine are out of reach; without a number it is then not testable.
    """

    id: str
    section: str
    quantity: str
    unit: str
    agrees: Region
    measure: Callable[[Arrays, np.random.Generator], Estimate]
    quote: str = ""
    published: float | str = ""
    artefact: str = ""
    study: str = ""
    rows: Callable[[pd.DataFrame], pd.DataFrame] | None = None
    inferred_from: str = ""
    is_by_construction: bool = False
    every_choice_agrees: str = ""
    is_out_of_reach: bool = False

    @property
    def is_ours(self) -> bool:
        """Whether it is a finding of ours: the document has neither words nor a number for it."""
        return not self.quote and self.published == ""

    @property
    def is_evidence(self) -> bool:
        """Whether it could have come out otherwise."""
        return not (self.inferred_from or self.is_by_construction or self.every_choice_agrees)


@dataclass(frozen=True, eq=False, kw_only=True)
class Paper:
    """A document, or a comparison: its studies, and what is shown and judged of them.

    Attributes:
        name: of its folder under `results/`, of its block of the configuration and of its target.
        title: for people.
        studies: its own.
        artefacts: tables and figures, in the document's order.
        claims: in the document's order; those on one study stand together.
        about_claims: caption of the files of claims, by their name, in Markdown as an artefact's.
        cells: names of the runs of which there are statistics by cell; or a function of the whole configuration.
        render: a table as Markdown, where its artefact has no function of its own; None: as `markdown.render`.
        floor: seeds below which no number is published.
        floor_rows: rows or images below which no number of a table with the column `n_rows` is published.
        reaches_floor: a function that says whether a table may be published; None: the floors decide.
        shared: patterns of paths under `results/`: files that its runs look up, which are published, too.
        runs_folder: of its runs, under its own.
        all_shown: the least settings with which it shows all that it can.
    """

    name: str
    title: str
    studies: Sequence[Study] = ()
    artefacts: Sequence[Artefact] = ()
    claims: Sequence[Claim] = ()
    about_claims: Mapping[str, str] = field(default_factory=dict)
    cells: tuple[str, ...] | Callable[[Mapping[str, Any]], tuple[str, ...]] = ()
    render: Callable[[pd.DataFrame], str] | None = None
    floor: int = 10
    floor_rows: int = 0
    reaches_floor: Callable[[pd.DataFrame], bool] | None = None
    shared: tuple[str, ...] = ()
    runs_folder: str = "runs"
    all_shown: Mapping[str, Any] = field(default_factory=dict)
