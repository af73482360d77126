"""The report that answers whether a measure rewards what users want: the test put into tables, curves and words."""

import pandas as pd

from metaeval import figures
from metaeval.base.words import ends, listed, number, share, text, whole
from metaeval.figures.shown import AXES
from metaeval.inex.ordered_runs import RELIABILITY_RUNS
from metaeval.metrics.plugins import default_registry
from metaeval.page.blocks import Block, Fold, Item, Items, Methods, Picture, Section, Text
from metaeval.page.report import Report
from metaeval.page.tables import Table, left, right, rising
from metaeval.questions.reliability.study import ReliabilityStudy, rank_under
from metaeval.reports.data_files import csv_file
from metaeval.reports.key_figures import key_figures
from metaeval.reports.prose import prose
from metaeval.reports.shared import facts

_TOP = 10
_MOST_UNFOLDED = 2
_SOURCES = ("kazai2004",)
say = prose(__name__)


def reliability_report(study: ReliabilityStudy) -> Report:
    """Put a reliability test into a report."""
    places = _places(study)
    sections = [_runs_section(study), _verdicts_section(study)]
    data = {"runs.csv": csv_file(study.runs)}
    counts = {"metric": len(study.metrics), "topic": int(study.runs["topics"].max())}
    if study.curves:
        sections.append(_curves_section(study))
    if len(study.submissions):
        sections.append(_submissions_section(study))
        data["submissions.csv"] = csv_file(study.submissions)
        counts["submitted run"] = len(study.submissions["run"].unique())
    return Report(
        command="reliability",
        title="Does the metric reward what users want?",
        facts=facts(**counts),
        summary=(_answer(places), say("quote", n_topics=counts["topic"])),
        key_figures=_key_figures(places),
        sections=tuple(sections),
        methods=Methods(paragraphs=(say("methods, runs"), say("methods, means")), cite=_SOURCES),
        rows=study.to_frame(),
        provenance=study.provenance,
        notes=study.notes,
        data=data,
    )


def _places(study: ReliabilityStudy) -> pd.DataFrame:
    """Return a row a metric: the place it gives the ideal run, the runs it ranks first, and what it meets."""
    ideal = study.verdicts[study.verdicts["expectation"] == "ideal"].set_index("metric")["met"]
    rows = []
    for metric in study.metrics:
        ranks = study.runs[study.runs["metric"] == metric].set_index("run")["rank"]
        met = study.verdicts.loc[study.verdicts["metric"] == metric, "met"]
        row = {"metric": metric, "place": int(ranks["irb"]), "n": len(ranks), "first": ranks.index[ranks == 1].tolist()}
        rows.append(row | {"ideal": ideal.get(metric), "meets": f"{met.sum()} of {len(met)}"})
    return pd.DataFrame(rows)


def _answer(places: pd.DataFrame) -> str:
    """Say whether the metrics rank the ideal run first, as users would."""
    met, n = places["ideal"].dropna(), len(places)
    n_met = int(met.sum())
    if n > 1 and len(met) == n:
        opening = "Yes: all" if n_met == n else f"Not all: {n_met} of" if n_met else "No: none of"
        rank = "rank" if n_met > 1 else "ranks"
        return f"{opening} {n} metrics {rank} the ideal run irb at least as high as every other."
    first = places.iloc[0]
    subject, nth = f"{first['metric']} ranks the ideal run irb", f"number {first['place']} of {first['n']}"
    as_high = [run for run in first["first"] if run != "irb"]
    if met.empty:
        return f"{subject} {nth}."
    if not n_met:
        return f"No: {subject} {nth}, below {listed(first['first'])}."
    if as_high:
        return f"Yes, in a tie: {subject} first together with {listed(as_high)}."
    return f"Yes: {subject} first of {first['n']}, as users would."


def _key_figures(places: pd.DataFrame) -> Table:
    columns = (
        *left(metric="Metric"),
        *right(whole, place=f"Rank of irb, of {places['n'].iloc[0]}"),
        *left(leaders="First"),
        *right(meets="Expectations met"),
    )
    return key_figures(places.assign(leaders=places["first"].map(listed)).drop(columns="first"), columns)


def _section(name: str, *blocks: Block, brief: bool = True) -> Section:
    return Section(id=name, title=say(f"{name} title"), lead=say(name), brief=brief, blocks=blocks)


def _runs_section(study: ReliabilityStudy) -> Section:
    described = say.table(
        "simulated-runs",
        pd.DataFrame(RELIABILITY_RUNS.items(), columns=["run", "holds"]),
        left(run="Run", holds="Holds"),
        head="The simulated runs",
    )
    names = [str(name) for name in study.runs["quantisation"].drop_duplicates()]
    registered = default_registry().element_quantisations
    quantisations = [(name, registered.get(name.partition("(")[0])) for name in names]
    items = tuple(
        Item(term=name, words=quantisation.summary) for name, quantisation in quantisations if quantisation is not None
    )
    meanings = (Items(items=items),) if items else ()
    return _section("runs", described, *meanings, *(_runs_table(study, name) for name in names))


def _runs_table(study: ReliabilityStudy, quantisation: str) -> Table:
    rows = study.runs[study.runs["quantisation"] == quantisation]
    metrics = rows["metric"].drop_duplicates().tolist()
    frame = rows[rows["metric"] == metrics[0]][["run", "results", "overlap"]].reset_index(drop=True)
    columns = [*left(run="Run"), *right(number(1), results="Results"), *right(share, overlap="Overlap")]
    for index, metric in enumerate(metrics):
        of_metric = rows[rows["metric"] == metric].set_index("run").loc[frame["run"]]
        frame[[f"value_{index}", f"rank_{index}"]] = of_metric[["value", "rank"]].to_numpy()
        columns += right(number(4), metric, **{f"value_{index}": "mean"})
        columns += rising(whole, metric, **{f"rank_{index}": "rank"})
    return say.table("six runs", frame, columns, called=f"runs-{quantisation}", quantisation=quantisation)


def _verdicts_section(study: ReliabilityStudy) -> Section:
    verdicts = study.verdicts
    counts = zip(verdicts["preferences"] - verdicts["broken"], verdicts["preferences"], strict=True)
    table = say.table(
        "verdicts table",
        verdicts.assign(
            verdict=["met" if met else "not met" for met in verdicts["met"]],
            kept=[f"{n_kept} of {n}" for n_kept, n in counts],
        ),
        left(metric="Metric"),
        left(_with_relation_signs, expectation="Expectation"),
        left(verdict="Verdict"),
        right(kept="Preferences kept"),
        left(_with_relation_signs, first_broken="Contradicted"),
        called="verdicts",
        data=verdicts.assign(n_kept=verdicts["preferences"] - verdicts["broken"]),
    )
    stated = verdicts.drop_duplicates("expectation")
    by = [f"{listed(of_source['expectation'])}: {source}" for source, of_source in stated.groupby("source", sort=False)]
    meanings = say.table(
        "expectations",
        stated[["expectation", "meaning"]],
        left(_with_relation_signs, expectation="Expectation", meaning="Asks the metric to"),
        data=stated[["expectation", "meaning", "wanted", "source"]],
        by=_with_relation_signs("; ".join(by)),
    )
    return _section("verdicts", table, meanings)


def _with_relation_signs(value: object) -> str:
    return text(value).replace(">=", "≥")


def _curves_section(study: ReliabilityStudy) -> Section:
    pictures = [_curve_picture(study, index) for index in range(len(study.curves))]
    folds = (Fold(title=picture.title, blocks=(picture,)) for picture in pictures[_MOST_UNFOLDED:])
    return say.section("curves", *pictures[:_MOST_UNFOLDED], *folds, brief=False, head="Curves of the simulated runs")


def _curve_picture(study: ReliabilityStudy, index: int) -> Picture:
    curve = study.curves[index]
    axis = str(next(dim for dim in curve.dims if dim != "system"))
    means = curve.mean(axis).to_series()
    low, high = ends(means.index, means, map(number(3), means))
    return Picture(
        name=f"curve-{index}",
        draw=lambda: figures.simulated_run_curves(curve),
        title=f"{curve.name}, by {AXES[axis][0].split(',')[0]}",
        caption=say("curve", axis=axis),
        alt=f"{len(means)} curves; highest mean: {high.who}, {high.figure}, lowest: {low.who}, {low.figure}.",
    )


def _submissions_section(study: ReliabilityStudy) -> Section:
    tables = [_top_table(study, metric) for metric in study.metrics if metric in set(study.submissions["metric"])]
    runs = study.submissions.drop_duplicates("run")
    free = runs.loc[runs["overlap"] == 0, "run"]
    mean_ranks = study.submissions[study.submissions["run"].isin(free)].groupby("metric", sort=False)["rank"].mean()
    ranks = [f"{rank:.1f} under {metric}" for metric, rank in mean_ranks.items()]
    of_all = study.submissions.groupby("metric")["rank"].mean()
    ends_of_all = dict.fromkeys(map(number(1), (of_all.min(), of_all.max())))
    words = say("no overlap", free=len(free), n=len(runs), ranks=ranks, ends=ends_of_all)
    folds = (Fold(title=table.title, blocks=(table,)) for table in tables[_MOST_UNFOLDED:])
    more = (_scatter_picture(study, len(runs)), _tau_table(study)) if len(runs) > 1 else ()
    blocks = (Text(paragraphs=(words,)), *tables[:_MOST_UNFOLDED], *folds, *more)
    return say.section("submissions", *blocks, brief=False, head="Submitted runs")


def _top_table(study: ReliabilityStudy, metric: str) -> Table:
    frame = study.top(metric, _TOP)
    others = {rank_under(name): name for name in study.metrics if rank_under(name) in frame}
    shows_all = len(frame) == len(study.submissions["run"].unique())
    return say.table(
        "top",
        frame,
        rising(whole, rank="Rank"),
        left(run="Run"),
        right(number(4), value="Mean"),
        right(share, overlap="Overlap"),
        rising(whole, "Rank under", **others),
        called=f"top-{metric}",
        head=f"Submitted runs: {'all' if shows_all else 'the best'} {len(frame)} under {metric}",
    )


def _scatter_picture(study: ReliabilityStudy, n_runs: int) -> Picture:
    return say.picture("overlap", lambda: figures.overlap_scatters(study.submissions), n=n_runs, metrics=study.metrics)


def _tau_table(study: ReliabilityStudy) -> Table:
    return say.table(
        "correlations", study.correlations, left(metric="First", other="Second"), right(number(3), tau="τ_b")
    )
