"""`metaeval judgments`: what fewer judgments would change, and whether new systems would be judged fairly."""

import re
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from metaeval.cli import app, checks
from metaeval.cli import options as opt
from metaeval.cli.console import command_session, echo, json_document, print_table
from metaeval.errors import InvalidOptionError
from metaeval.tests_stat.correction import CORRECTIONS

if TYPE_CHECKING:
    import pandas as pd

    from metaeval.resampling.effort import CostModel
    from metaeval.studies.judgments import JudgmentsStudy

__all__ = ["judgments", "parse_cost", "parse_time"]

_PANEL = "The question"
_TEST_PANEL = "Significance"
_LONGEST = 10**9
_UNITS = {"": 1, "s": 1, "m": 60, "min": 60, "h": 3600}


def _questions() -> tuple[str, ...]:
    from metaeval.studies.judgments import QUESTIONS  # noqa: PLC0415 - loads scipy and numba

    return tuple(QUESTIONS)


def _reductions() -> tuple[str, ...]:
    from metaeval.resampling.judgments import REDUCTIONS  # noqa: PLC0415 - loads numba

    return tuple(REDUCTIONS)


def parse_time(text: str) -> float:
    """Turn a length of time into seconds.

    Examples
    --------
    >>> parse_time("90"), parse_time("1.5m"), parse_time("2 h")
    (90.0, 90.0, 7200.0)
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", text)
    if found is None or found[2] not in _UNITS or not 0 < float(found[1]) <= _LONGEST:
        message = f"--budget takes a time above 0, such as 30s, 5m or 1h, not {text!r}"
        raise InvalidOptionError(message)
    return float(found[1]) * _UNITS[found[2]]


def parse_cost(text: str) -> "str | CostModel":
    """Turn minutes for a relevant and another document into a cost model; a name stays one.

    Examples
    --------
    >>> parse_cost("2.5,0.5")
    CostModel(minutes_relevant=2.5, minutes_other=0.5)
    """
    from metaeval.resampling.effort import CostModel  # noqa: PLC0415 - loads numba

    if "," not in text:
        return text
    numbers = checks.parse_numbers(text, "--cost")
    if len(numbers) != 2:  # noqa: PLR2004 - relevant, other
        message = f"--cost takes a year or two numbers of minutes, such as 2.5,0.5, not {text!r}"
        raise InvalidOptionError(message)
    return CostModel(*numbers)


def _cost_model(text: str) -> "CostModel":
    from metaeval.resampling.effort import cost_model  # noqa: PLC0415 - loads numba

    return cost_model(parse_cost(text))


@app.command()
def judgments(  # noqa: PLR0913 - the options of the command
    context: typer.Context,
    *,
    inputs: opt.Inputs,  # noqa: ARG001 - see qrels
    qrels: opt.Qrels = None,
    metrics: opt.Metrics = None,
    plugin: opt.Plugins = None,  # noqa: ARG001
    order: opt.DocumentOrder = "score",  # noqa: ARG001 - the options about reading reach load_collection by context
    score_precision: opt.ScorePrecision = "float64",  # noqa: ARG001
    element_sizes: opt.ElementSizes = None,  # noqa: ARG001
    lenient: opt.Lenient = False,  # noqa: ARG001
    missing: opt.MissingRule = None,  # noqa: ARG001
    groups: opt.Groups = None,  # noqa: ARG001
    group_column: opt.GroupColumn = None,  # noqa: ARG001
    group_regex: opt.GroupRegex = None,  # noqa: ARG001
    pooled_column: opt.PooledColumn = None,  # noqa: ARG001
    pool_depth: Annotated[
        int | None,
        typer.Option(
            "--pool-depth",
            callback=checks.whole(1, 10**9),
            metavar="DEPTH",
            show_default="found for each topic",
            help="Depth to which the pooled runs were pooled, where it is known.",
            rich_help_panel="Reading",
        ),
    ] = None,
    question: Annotated[
        str | None,
        typer.Option(
            "--question",
            callback=checks.several_of(_questions, every=True),
            metavar="NAME,…",
            show_default="all that the input allows",
            help="less-judging, shallower-pools, fewer-topics, new-systems (needs groups), effort.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    reductions: Annotated[
        str | None,
        typer.Option(
            "--reductions",
            callback=checks.several_of(_reductions, every=True),
            metavar="NAME,…",
            show_default="those of the question",
            help="Ways to judge less: stratified, random, relevant, order, topics, depth, share, size, borda.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    steps: Annotated[
        str | None,
        typer.Option(
            "--steps",
            callback=checks.numbers(
                "percentages above 0 and at most 100 by comma, such as 10,30,50",
                lambda step: 0 < step <= 100,  # noqa: PLR2004 - percent
            ),
            metavar="10,30,50",
            show_default="as published",
            help="How much is left, in percent.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    sizes: Annotated[
        str | None,
        typer.Option(
            "--sizes",
            callback=checks.numbers(
                "whole numbers of documents by comma, such as 50,100,200",
                lambda size: 1 <= size <= 10**9 and size == int(size),
            ),
            metavar="50,100,200",
            show_default="50 to 500, or parts of the pool",
            help="Pool sizes, in documents a topic.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    replicates: Annotated[
        int,
        typer.Option(
            "--replicates",
            callback=checks.whole(1, checks.MOST_DRAWS),
            metavar="N",
            help="Draws at every step.",
            rich_help_panel=_PANEL,
        ),
    ] = 10,
    budget: Annotated[
        str | None,
        typer.Option(
            "--budget",
            callback=checks.read_by(parse_time),
            metavar="30s|5m|1h",
            show_default="none",
            help="Begin no further replicate after this time (two are always made): a cheap first look.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    threshold: Annotated[
        float,
        typer.Option(
            "--threshold",
            callback=checks.number("a Kendall's tau above -1 and at most 1", lambda tau: -1 < tau <= 1),
            metavar="TAU",
            help="The Kendall's tau to keep.",
            rich_help_panel=_PANEL,
        ),
    ] = 0.9,
    best: Annotated[
        int,
        typer.Option(
            "--best",
            callback=checks.whole(2, opt.MOST_SYSTEMS),
            metavar="K",
            help="Correlations are also taken among the best K runs.",
            rich_help_panel=_PANEL,
        ),
    ] = 10,
    cost: Annotated[
        str,
        typer.Option(
            "--cost",
            callback=checks.read_by(_cost_model),
            metavar="2003|2005|2006|R,N",
            help="Minutes for a relevant and another document: those of a year of INEX, or your own, as 2.5,0.5.",
            rich_help_panel=_PANEL,
        ),
    ] = "2006",
    test: Annotated[
        str,
        typer.Option(
            "--test",
            callback=checks.pair_tests(),
            metavar="NAME",
            help="Test for significant pairs.",
            rich_help_panel=_TEST_PANEL,
        ),
    ] = "t",
    correction: Annotated[
        str | None,
        typer.Option(
            "--correction",
            callback=checks.corrections(family_wise=True),
            metavar="NAME",
            show_default="fdr_by, or the test's own",
            help=f"{', '.join(CORRECTIONS)}.",
            rich_help_panel=_TEST_PANEL,
        ),
    ] = None,
    alpha: opt.Alpha = 0.05,
    tested: Annotated[
        int,
        typer.Option(
            "--tested",
            callback=checks.whole(0, checks.MOST_DRAWS),
            metavar="N",
            help="Replicates in which all pairs are tested; 0 leaves that out.",
            rich_help_panel=_TEST_PANEL,
        ),
    ] = 5,
    seed: opt.Seed = 0,
    workers: Annotated[
        int,
        typer.Option(
            "--workers",
            callback=checks.whole(1, opt.MOST_WORKERS, also=(-1,)),
            metavar="N",
            help="Workers side by side, -1 for every core; never changes a result.",
        ),
    ] = 1,
    keep: Annotated[
        Path | None,
        typer.Option(
            "--keep",
            parser=checks.file_path,
            callback=checks.file_to_write(folder=True),
            metavar="FOLDER",
            show_default="with --out, OUT.replicates until the report is there",
            help="Keep finished replicates here, so that a run that was cut off goes on.",
        ),
    ] = None,
    out: opt.Out = None,
    overwrite: opt.Overwrite = False,
    as_json: opt.AsJson = False,
    quiet: opt.Quiet = False,
) -> None:
    """Say what fewer judgments would change, and whether new systems would be judged fairly.

    Runs are ranked under all judgments and under ever fewer of them. Kendall's tau of the two rankings tells how much
    changed: 1 is nothing, and rankings from 0.9 on are commonly taken for the same. The questions:

    less-judging: judge a random part of the documents, or stop early. shallower-pools: judge fewer of the top
    documents of every run. fewer-topics: judge some topics only. new-systems: leave out each group's runs when the
    pool is built, and see what becomes of their scores. effort: spend the same number of judgments in several ways.

    For example:

        metaeval judgments runs/ --qrels qrels.txt --question less-judging --budget 30s

        metaeval judgments runs/ --qrels qrels.txt --groups teams.csv --pooled-column pooled --out judgments-report
    """
    with command_session(quiet=quiet) as session:
        if qrels is None:
            message = "--qrels is needed: this command takes runs and judgments, not scores"
            raise InvalidOptionError(message)
        from metaeval.metrics.names import split_names as split_metrics  # noqa: PLC0415
        from metaeval.provenance import record_provenance  # noqa: PLC0415
        from metaeval.studies.judgments import QUESTIONS, study_judgments  # noqa: PLC0415 - loads scipy and numba

        chosen_cost, seconds = parse_cost(cost), None if budget is None else parse_time(budget)
        wanted = None if steps is None else checks.parse_numbers(steps, "--steps")
        sized = None if sizes is None else [int(size) for size in checks.parse_numbers(sizes, "--sizes")]
        asked = None if question is None else opt.split_names(question, tuple(QUESTIONS))
        ways = None if reductions is None else opt.split_names(reductions, _reductions())
        registry = checks.registry_of(context)
        collection, files = opt.load_collection(context, session, keep=_needed(asked, ways))
        provenance = record_provenance("judgments", options=context.params, random_source=f"seed {seed}", inputs=files)
        own = out.with_name(f"{out.name}.replicates") if keep is None and out is not None else None
        study = study_judgments(
            collection,
            split_metrics(opt.chosen_metrics(metrics, collection)),
            questions=asked,
            reductions=ways,
            steps=wanted,
            sizes=sized,
            n_replicates=replicates,
            n_tested=tested,
            test=test,
            correction=correction,
            alpha=alpha,
            at_least=threshold,
            best=best,
            pool_depth=pool_depth,
            cost=chosen_cost,
            rng=seed,
            n_jobs=workers,
            keep=keep if own is None else own,
            budget=seconds,
            registry=registry,
            provenance=provenance,
        )
        index = None
        if out is not None:
            from metaeval.reports.judgments import write_judgments_report  # noqa: PLC0415 - loads matplotlib

            index = write_judgments_report(study, out, overwrite=overwrite, messages=session.warned())
            if own is not None:
                from metaeval.studies.replicates import discard_replicates  # noqa: PLC0415 - loaded by now

                discard_replicates(own)
    if as_json:
        rows = [{"table": name, **row} for name, frame in study.tables().items() for row in frame.to_dict("records")]
        typer.echo(json_document("judgments", rows, provenance=provenance, messages=session.messages))  # type: ignore[arg-type]  # columns are named by text
        return
    if index is not None:
        typer.echo(f"Report written: open {index}")
        return
    _print(study)
    if not quiet:
        for note in study.notes:
            session.say(f"Note: {note}")
        drawn = (
            f"{replicates} replicates at every step" if budget is None else f"as many replicates as {budget} allowed"
        )
        session.say(f"Seed {seed}; {drawn}.")


def _needed(asked: list[str] | None, ways: list[str] | None) -> Literal["judged", "all"]:
    """Say what must be read: random and early stops need the judged documents only, and less memory."""
    from metaeval.resampling.judgments import REDUCTIONS  # noqa: PLC0415 - loads numba
    from metaeval.studies.judgments import QUESTIONS  # noqa: PLC0415

    pools = {name for name, one in REDUCTIONS.items() if one.needs_retrieved}
    light = asked is not None and not {"new-systems", "effort"} & {*asked}
    wanted = ways if ways is not None else [name for one in asked or () for name in QUESTIONS.get(one, ())]
    return "judged" if light and not pools & {*wanted} and "shallower-pools" not in (asked or ()) else "all"


# ---------------------------------------------------------------------------------------------------- in the terminal


def _print(study: "JudgmentsStudy") -> None:
    tables = study.tables()
    counts = {"run": study.n_systems, "topic": study.n_topics}
    words = [f"{n} {what}{'' if n == 1 else 's'}" for what, n in counts.items()]
    echo(f"{', '.join(words)}, {study.n_judged} judged documents, {study.n_relevant} of them relevant\n")
    if "thresholds" in tables:
        _print_thresholds(study, tables["thresholds"])
        _print_stability(study, tables["stability"])
    if "left_out_summary" in tables:
        _print_left_out(tables["left_out_summary"])
    if "pool_sufficiency" in tables:
        _print_sufficiency(study, tables["pool_sufficiency"])
    if "effort" in tables:
        _print_effort(study, tables["effort"])
    for part, reason in study.unanswered.items():
        echo(f"Cannot be answered: {part}: {reason}")


def _print_thresholds(study: "JudgmentsStudy", frame: "pd.DataFrame") -> None:
    wide = frame.pivot_table(index="reduction", columns="metric", values="text", aggfunc="first", sort=False)
    rows = [[name, *row] for name, row in zip(wide.index.tolist(), wide.to_numpy().tolist(), strict=True)]
    print_table(
        f"How little keeps tau at {study.at_least:g} or more (relevant documents judged)",
        ["Reduction", *map(_short, wide.columns)],
        rows,
        caption="< and >: below the smallest or above the largest step tried; size and borda in documents a topic",
    )
    typer.echo("")


def _print_stability(study: "JudgmentsStudy", frame: "pd.DataFrame") -> None:
    for name, part in frame.groupby("reduction", sort=False):
        one = study.stability[str(name)]
        rows = []
        for step, found in part.groupby("step"):
            cells = [f"{_three(row['tau'])} {_three(row['tau_ap'])}" for row in found.to_dict("records")]
            unit = " %" if one.reduction.unit == "%" else ""
            first = found.iloc[0]
            rows.append([f"{step:g}{unit} ({first['relevant']:.0f})", *cells])
        replicates = f"mean of {one.n_replicates} replicates" if one.n_replicates > 1 else "nothing is drawn"
        title = f"{name}: tau and tau_AP with the full ranking ({replicates})"
        print_table(title, ["Left (relevant)", *map(_short, study.metrics)], rows)
        typer.echo("")


def _print_left_out(frame: "pd.DataFrame") -> None:
    for rule, part in frame.groupby("keep", sort=False):
        rows = [
            [
                _short(row["metric"]),
                "n/a" if isnan(row["mean_change"]) else f"{row['mean_change']:+.1f} %",
                _share(row["fell"]),
                _share(row["rose"]),
                _share(row["significant"]),
                f"{row['mean_places']:.1f}",
                str(row["most_places"]),
            ]
            for row in part.to_dict("records")
        ]
        columns = ["Metric", "Mean change", "Score fell", "Score rose", "Significant", "Places moved", "at most"]
        title = f"Runs scored without their group in the pool, which keeps its {rule} (change: new less old score)"
        print_table(title, columns, rows)
        typer.echo("")


def _print_sufficiency(study: "JudgmentsStudy", frame: "pd.DataFrame") -> None:
    sizes = frame["size"].unique().tolist()
    rows = []
    for metric in study.metrics:
        part = frame[frame["metric"] == metric]
        rows += [
            [_short(metric), name, *(_share(value) for value in part[name])] for name in ("same", "reversed", "changed")
        ]
    print_table(
        "Pool size, with the group left out: runs that score significantly differently (same), comparisons with "
        "others reversed, and changed at all",
        ["Metric", "", *map(str, sizes)],
        rows,
    )
    typer.echo("")


def _print_effort(study: "JudgmentsStudy", frame: "pd.DataFrame") -> None:
    from metaeval.studies.judgments import PLAN_NAMES  # noqa: PLC0415

    rows = []
    for (step, plan), part in frame.groupby(["step", "plan"], sort=False):
        first = part.iloc[0]
        taus = part.set_index("metric")["tau"].reindex(study.metrics)
        spent = f"{first['judged']:.0f}"
        rows.append([f"{step:g} %", PLAN_NAMES[str(plan)], spent, *map(_three, taus)])
    title = "Where to spend the same effort: tau with the ranking of the whole pool"
    print_table(title, ["Effort", "Spent on", "Judged", *map(_short, study.metrics)], rows)
    typer.echo("")


def _short(metric: object) -> str:
    from metaeval.words import name_of_metric  # noqa: PLC0415

    return name_of_metric(metric)


def _three(value: float) -> str:
    return "n/a" if isnan(value) else f"{value:.3f}"


def _share(value: float) -> str:
    return "n/a" if isnan(value) else f"{100 * value:.1f} %"
