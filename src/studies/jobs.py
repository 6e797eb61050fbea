"""The jobs of the workflow: what each command of `python -m studies job` does."""

from __future__ import annotations

import argparse
import logging
import shlex
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from frugal.arguments import files_of, parse_settings
from frugal.checks import check_choice, check_known
from frugal.cli import journal_beside, search_trials
from frugal.files import check_outputs, check_suffix, read, read_all, read_rows, write, write_text
from studies import run_files
from studies.arguments import DRAWN, FINDINGS, MARKDOWN, make_parser

if TYPE_CHECKING:
    import pandas as pd

    from frugal.code import Job
    from frugal.datasets import Dataset
    from frugal.interface import Candidate

log = logging.getLogger("frugal")
Command = Callable[[argparse.Namespace], None]


def _pack(args: argparse.Namespace) -> None:
    """Short jobs one after the other in one process; all are checked before the first begins."""
    parser = make_parser()
    jobs = [_read_job(parser, line) for line in args.jobs]
    check_outputs([output for job in jobs for output in files_of(job, "outputs")])
    for job in jobs:
        check_outputs(files_of(job, "outputs"), files_of(job, "inputs"))
    for job in jobs:
        JOBS[job.command](job)


def _read_job(parser: argparse.ArgumentParser, line: str) -> argparse.Namespace:
    try:
        return parser.parse_args(["job", *shlex.split(line)])
    except (SystemExit, ValueError):  # usage is printed by now; or a quote has no end
        raise ValueError(f"a pack must hold jobs as `studies job` takes them, got {line!r}") from None


# Folds -----------------------------------------------------------------------------------------------------------


def _scores(args: argparse.Namespace) -> None:
    from frugal.folds import score

    data, candidates, settings = _scoring(args)
    settings |= {"n_folds": args.n_folds, "folds": args.folds}
    table = score(data, args.classifier, candidates, **settings)
    table.write(args.output, seconds_path=args.seconds_output)


def _default(args: argparse.Namespace) -> None:
    import pandas as pd

    from frugal.datasets import load
    from frugal.learners.default import check_default

    row = check_default(
        args.network,
        load(args.dataset, root=args.root),
        epochs=args.epochs,
        seed=args.seed,
        max_error=args.max_error,
    )
    write(pd.DataFrame([row]), args.output)


def _rungs(args: argparse.Namespace) -> None:
    from frugal.checks import check_whole
    from frugal.folds.rungs import score_rungs
    from frugal.folds.search import MOST_CANDIDATES

    settings = parse_settings(args.settings)
    for n in args.n_candidates:
        check_whole("n_candidates", n, 1, MOST_CANDIDATES)
    data, candidates, scoring = _scoring(args)
    table = score_rungs(
        data, args.classifier, candidates, n_candidates=args.n_candidates, settings=settings, **scoring
    )
    table.write(args.output, seconds_path=args.seconds_output)


def _scoring(args: argparse.Namespace) -> tuple[Dataset, list[Candidate], dict[str, Any]]:
    """Dataset, distinct candidates, and keyword arguments of `score`."""
    from frugal.datasets import load
    from frugal.folds.search import candidates_of

    data = load(args.dataset, root=args.root)
    drawn = {"dataset": data.name, "seed": args.seed, "n_ranges": args.n_ranges, "tree_seed": args.tree_seed}
    candidates = candidates_of(args.space, args.classifier, **drawn)
    options = {name: getattr(args, name) for name in ("seed", "scaler", "splits", "space", "epochs")}
    return data, candidates, options | {"exact_batch": not args.timed}


def _search(args: argparse.Namespace) -> None:
    import pandas as pd

    from frugal.folds.search import read_kept, search, warn_of_failures

    kept = read_kept(args.scores, args.seconds)
    warn_of_failures(kept.values())
    seeds = args.seeds if args.seeds is not None else sorted(kept)
    missing = sorted(set(seeds) - set(kept))
    if missing:
        raise ValueError(f"there are no score files for seed {missing[0]}")
    options = {"settings": parse_settings(args.settings), "tie_rule": args.tie_rule}
    measured = [search(args.method, kept[s], n_candidates=n, **options) for n in args.n_candidates for s in seeds]
    write(pd.DataFrame([m.result | (m.timing if args.seconds else {}) for m in measured]), args.output)


def _collect(args: argparse.Namespace) -> None:
    """Per-seed rows of many searches in one file, and the statistics of each cell beside it."""
    import pandas as pd

    from frugal.folds.search import CELL_KEYS, cells

    frames = [read_rows(path, *CELL_KEYS, "seed") for path in args.search]
    runs = pd.concat(frames, ignore_index=True).sort_values([*CELL_KEYS, "seed"], ignore_index=True)
    labels = parse_settings(args.labels, "--labels")
    other = [name for name, label in labels.items() if name in runs and not runs[name].eq(label).all()]
    if other:
        raise ValueError(f"--labels may not change a column of the searches, got {other[0]!r}")
    runs = runs.assign(**labels)
    table = cells(runs)
    write(runs, args.output)
    write(table, args.cells_output)


def _explore(args: argparse.Namespace) -> None:
    from frugal.folds.search import read_kept
    from studies.beta_pruning.replays import check_swept, explore, sweep

    settings = parse_settings(args.settings)
    check_swept(settings, taus=args.taus, buffers=args.buffers)
    tables = [kept.table for kept in read_kept(args.scores).values()]
    write(explore(tables, settings), args.output)
    write(sweep(tables, settings, taus=args.taus, buffers=args.buffers), args.sweep_output)


def _compare(args: argparse.Namespace) -> None:
    """A compared strategy replayed on all kept scores of a cell, a row per n, k and seed."""
    from frugal.folds.search import Kept, read_tables, warn_of_failures
    from studies.folds_comparison.entries import Entry
    from studies.folds_comparison.replays import compare
    from studies.shared.network_scores import in_authors_order

    entry = Entry(args.name, args.strategy, parse_settings(args.settings), budget_share=args.budget_share)
    kept = read_tables(args.scores, args.seconds)
    warn_of_failures(kept)
    lengths = args.n_candidates
    if lengths is None:
        kept = [Kept(in_authors_order(repetition.table)) for repetition in kept]
        lengths = [len(kept[0].table.candidates)]
    write(compare(entry, kept, lengths, timed=bool(args.seconds)), args.output)


# Trials ----------------------------------------------------------------------------------------------------------


def _trials(args: argparse.Namespace) -> None:
    """`frugal trials`, for document 002's public code, too."""
    from studies.exploration.as_coded import NAME, Doc002AsCoded

    search_trials(args, {NAME: Doc002AsCoded})


def _curves(args: argparse.Namespace) -> None:
    """Learning curves of a network's candidates, kept as they are made, so that a killed job goes on."""
    from frugal.benchmarks.curve_set import train_curves
    from frugal.checks import check_settings
    from frugal.datasets import load
    from studies import code as job_code

    settings = parse_settings(args.settings)
    check_settings(settings, ("n_train", "n_valid", "n_epochs"))
    with journal_beside(args, lambda: job_code.curves(args.network, args.dataset)) as journal:
        data = load(args.dataset, root=args.root)
        write(train_curves(args.network, data, args.candidates, **settings, journal_path=journal), args.output)


def _extrapolate(args: argparse.Namespace) -> None:
    """Extrapolate stored curves from their first points; a killed job goes on from its journal."""
    from frugal.benchmarks.curve_set import COLUMNS
    from frugal.benchmarks.extrapolations import extrapolate
    from frugal.checks import check_settings
    from studies import code as job_code

    settings = parse_settings(args.settings)
    check_settings(settings, ("check_share", "curve"))
    curves = read(args.curves, *COLUMNS)
    with journal_beside(args, lambda: job_code.extrapolate(str(curves["network"].iloc[0]))) as journal:
        write(extrapolate(curves, **settings, journal_path=journal), args.output)


def _lookup(args: argparse.Namespace) -> None:
    """A part of a look-up table, the parts in one, or some of its cells made anew."""
    LOOKUP_STEPS[args.step](args)


def _lookup_measure(args: argparse.Namespace) -> None:
    from frugal.benchmarks.look_up_jobs import measure_part
    from studies import code as job_code

    settings = parse_settings(args.settings)
    with journal_beside(
        args, lambda: job_code.lookup("measure", settings["learner"], settings["dataset"])
    ) as journal:
        write(measure_part(settings, args.part, args.root, journal), args.output)


def _lookup_gather(args: argparse.Namespace) -> None:
    from frugal.benchmarks.lookup import LookUpProblem

    table = read_all(args.parts)
    LookUpProblem(table)  # refuses what is no whole table
    order = ["n_rows", "subset", "candidate"]
    write(table.sort_values(order, kind="stable", ignore_index=True), args.output)


def _lookup_recheck(args: argparse.Namespace) -> None:
    from frugal.benchmarks.look_up_jobs import problem_of
    from frugal.benchmarks.lookup import check_cells, recheck
    from frugal.seeds import rng_for

    problem = problem_of(parse_settings(args.settings), args.root)
    rng = rng_for("recheck", problem.name, args.seed)
    cells = recheck(read(args.table), problem, args.n_cells, rng)
    write(cells, args.output)
    check_cells(cells)


def _refits(args: argparse.Namespace) -> None:
    """What searches chose, fitted and tested."""
    from studies import code, registry

    refit = registry.refit(args.paper)
    runs = read_all(args.runs)

    def job() -> Job:
        searched = runs[runs["method"].notna()]
        return code.refits(args.paper, searched["learner"].unique(), searched["dataset"].unique())

    with journal_beside(args, job) as journal:
        write(refit(runs, parse_settings(args.settings), args.root, journal), args.output)


# Rows, and what is made of all runs ------------------------------------------------------------------------------


def run_experiment(
    experiment: str, method: str, seed: int, settings: Mapping[str, Any], root: str | Path = "data"
) -> pd.DataFrame:
    """Run one method of an experiment from one seed; columns experiment, method, seed, data and its own.

    Args:
        experiment: one of `registry.experiments`.
        method: one of its methods.
        seed: number of the repetition.
        settings: of the experiment, the same for all methods; what is not given is the document's own. For an
            experiment that replays curves, `table` is their file. For one that calls another interpreter,
            `interpreter` is the file that says where this is.
        root: folder of the datasets.

    Raises:
        ValueError: on an unknown experiment or method, whose message lists the known ones, or settings that the
            model of the experiment refuses.
    """
    from studies import registry
    from studies.config import of_study

    study = registry.experiment(experiment)
    check_known(f"method of {experiment}", method, study.method_names)
    assert study.run is not None
    files = {"table": study.replays_curves, "interpreter": bool(study.environment)}
    apart = {key: value for key, value in settings.items() if files.get(key)}
    overrides = {key: value for key, value in settings.items() if key not in apart}
    whole = of_study(registry.paper_of(experiment), experiment, overrides)
    rows = study.run(method, seed, whole | apart, root).drop(columns=["method", "seed"], errors="ignore")
    rows.insert(0, "seed", seed)
    rows.insert(0, "method", method)
    rows.insert(0, "experiment", experiment)
    return rows


def _rows(args: argparse.Namespace) -> None:
    """Methods of one of `registry.experiments`, by turns, so that a machine whose speed drifts is fair to all."""
    import pandas as pd

    settings, parts = parse_settings(args.settings), []
    for seed in args.seeds:
        for method in args.methods:
            parts.append(run_experiment(args.experiment, method, seed, settings, args.root))
            log.info("seed %d: %s done", seed, method)
    write(pd.concat(parts, ignore_index=True), args.output)


def _gather(args: argparse.Namespace) -> None:
    """Rows of many jobs in one file, in the order of method and seed, or of other columns."""
    import pandas as pd

    runs = pd.concat([read_rows(path, *args.by, "data") for path in args.runs])
    if args.experiment:
        if "experiment" in runs:
            raise ValueError("the runs have a column 'experiment' of their own: leave out --experiment")
        runs.insert(0, "experiment", args.experiment)
    write(runs.sort_values(args.by, kind="stable", ignore_index=True), args.output)


def _derive(args: argparse.Namespace) -> None:
    """Compute a run from other runs, or from nothing, by the `derive` of its study, and write it."""
    from studies import registry

    write(registry.derived(args.paper)[args.name](*map(read, args.runs)), args.output)


# What papers show ------------------------------------------------------------------------------------------------


def _of_its_runs(command: Command, check: Command) -> Command:
    """A command that first calls `check`, which refuses runs of another paper, or of another of its items."""

    def checked(args: argparse.Namespace) -> None:
        check(args)
        try:
            command(args)
        except (KeyError, IndexError, TypeError, ValueError) as error:
            if isinstance(error, ValueError) and str(error) != "No objects to concatenate":  # pandas, of no rows
                raise
            if getattr(args, "numbers", None) is not None:
                raise ValueError(f"{args.numbers} holds no numbers of {args.name}: it lacks {error}") from error
            job = " ".join(filter(None, [args.command, getattr(args, "name", "")]))
            lack = f"the runs {', '.join(map(str, args.runs or ()))} lack columns, methods or numbers"
            raise ValueError(f"{lack} that {job} of {args.paper} needs: {error}") from error

    return checked


def _table(args: argparse.Namespace) -> None:
    from studies import markdown, registry

    artefact = registry.artefact(args.paper, "table", args.name)
    _check_scale("--scale", args.scale)
    check_suffix(args.output)
    render = artefact.render or registry.paper(args.paper).render or markdown.render
    table = artefact.summarise(read_all(args.runs), args.scale)
    text = render(table)
    write(table, args.output)
    write_text(text, MARKDOWN["Markdown"](Path(args.output)))


def _figure(args: argparse.Namespace) -> None:
    from studies import registry, style
    from studies.captions import as_markdown

    artefact = registry.artefact(args.paper, "figure", args.name)
    assert artefact.draw is not None
    sources = {"seed": args.seed, "runs": args.runs, "numbers": args.numbers}
    needed = "seed" if artefact.runs == () else "runs"
    names = [name for name, value in sources.items() if value is not None]
    if names not in ([needed], ["numbers"]):
        raise ValueError(f"{args.name} of {args.paper} is drawn from --{needed}, or --numbers, and nothing else")
    png, svg, csv, md = (place(Path(args.output)) for place in DRAWN.values())
    if Path(args.output) not in (png, svg, csv):
        raise ValueError(f"{args.output} must end in .png, .svg or .csv: it names all of them")
    if args.numbers:
        figure = artefact.draw(read(args.numbers))
        write_text(Path(args.numbers).read_text(encoding="utf-8"), csv)
    else:
        with TemporaryDirectory() as folder:
            draft = Path(folder, csv.name)
            write(artefact.summarise(args.seed if needed == "seed" else read_all(args.runs)), draft)
            figure = artefact.draw(read(draft))  # of the numbers as the file holds them
            write_text(draft.read_text(encoding="utf-8"), csv)
    style.save(figure, png, svg)
    if args.caption:
        write_text(as_markdown(args.caption) + "\n", md)


def _claims(args: argparse.Namespace) -> None:
    """The document's claims, and beside them (`claims` in the name becomes `findings`) what we found beyond it."""
    from studies.verdicts import judge_paper, split

    check_suffix(args.output)
    scale = _scale_of(args, [Path(path).stem for path in args.runs])  # files are named for studies
    runs = {Path(path).stem: read(path, "data") for path in args.runs}
    claims, findings = split(judge_paper(args.paper, runs, scale))
    output = Path(args.output)
    write(claims, output)
    write(findings, FINDINGS["findings"](output))
    for row in (*claims.itertuples(), *findings.itertuples()):
        print(f"{row.verdict:20} {row.ours:10.4g}  {row.id}: {row.quantity}")


def _check_scale(name: str, label: str) -> None:
    """Raise ValueError unless a label is a scale, or several as `verdicts.scale_label` joins them."""
    from studies.config import SCALES

    for scale in label.split(" and "):
        check_choice(name, scale, SCALES)


def _scale_of(args: argparse.Namespace, runs: Iterable[str]) -> str | dict[str, str]:
    """The label of all runs, or one for each run, by name.

    Raises:
        ValueError: on a label that is no scale or of no run, or a run without a label.
    """
    from studies import registry

    if len(args.scale) == 1 and "=" not in args.scale[0]:
        _check_scale("--scale", args.scale[0])
        return str(args.scale[0])
    known = dict.fromkeys(run for study in registry.paper(args.paper).studies for run in study.judged_runs)
    found = {}
    for text in args.scale:
        run, is_given, label = text.partition("=")
        if not is_given:
            raise ValueError(f"--scale must be one label, or RUN=LABEL for each run, got {text!r}")
        check_known("run of --scale", run, known)
        _check_scale(f"--scale of {run}", label)
        found[run] = label
    for run in runs:
        if run not in found:
            raise ValueError(f"--scale must have a label for each of --runs, got none for {run}")
    return found


JOBS: dict[str, Command] = {
    "pack": _pack,
    "scores": _scores,
    "rungs": _rungs,
    "default": _default,
    "search": _search,
    "collect": _collect,
    "explore": _explore,
    "compare": _compare,
    "trials": _trials,
    "curves": _curves,
    "extrapolate": _extrapolate,
    "lookup": _lookup,
    "refits": _of_its_runs(_refits, lambda args: run_files.check_refitted(args.paper, args.runs)),
    "rows": _rows,
    "gather": _gather,
    "derive": _of_its_runs(_derive, lambda args: run_files.check_derived(args.paper, args.name, args.runs)),
    "table": _of_its_runs(_table, lambda args: run_files.check_shown(args.paper, "table", args.name, args.runs)),
    "figure": _of_its_runs(
        _figure, lambda args: run_files.check_shown(args.paper, "figure", args.name, args.runs or ())
    ),
    "claims": _of_its_runs(_claims, lambda args: run_files.check_claimed(args.paper, args.runs)),
}
"""Name -> what runs it; `arguments` says what each takes."""
LOOKUP_STEPS: dict[str, Command] = {
    "measure": _lookup_measure,
    "gather": _lookup_gather,
    "recheck": _lookup_recheck,
}
