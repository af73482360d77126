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
from metaeval.questions.reliability.study import ReliabilityStudy
from metaeval.reports.data_files import csv_file
from metaeval.reports.key_figures import key_figures
from metaeval.reports.prose import prose
from metaeval.reports.shared import facts

_TOP = 10
_OPEN = 2
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
        title=say("title"),
        facts=facts(**counts),
        summary=(_first(places), say("quote", n_topics=counts["topic"])),
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


def _first(places: pd.DataFrame) -> str:
    """Say whether the metrics rank the ideal run first, as users would."""
    met, fields = places["ideal"].dropna(), places.iloc[0].drop("meets").add_prefix("own_")
    return say("first", n=len(places), met=int(met.sum()), known=len(met), **fields)


def _key_figures(places: pd.DataFrame) -> Table:
    columns = (
        *left(metric="Metric"),
        *right(whole, place=say("place", n=places["n"].iloc[0])),
        *left(leaders="First"),
        *right(meets="Expectations met"),
    )
    return key_figures(places.assign(leaders=places["first"].map(listed)).drop(columns="first"), columns)


def _section(name: str, *blocks: Block, brief: bool = True) -> Section:
    return Section(id=name, title=say(f"{name} title"), lead=say(name), brief=brief, blocks=blocks)


def _runs_section(study: ReliabilityStudy) -> Section:
    described = Table(
        **say.named("simulated-runs"),
        frame=pd.DataFrame(RELIABILITY_RUNS.items(), columns=["run", "holds"]),
        columns=left(run="Run", holds="Holds"),
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
    return Table(
        name=f"runs-{quantisation}",
        **say.titled("six runs", quantisation=quantisation),
        frame=frame,
        columns=tuple(columns),
    )


def _verdicts_section(study: ReliabilityStudy) -> Section:
    verdicts = study.verdicts
    counts = zip(verdicts["preferences"] - verdicts["broken"], verdicts["preferences"], strict=True)
    table = Table(
        name="verdicts",
        **say.titled("verdicts table"),
        frame=verdicts.assign(
            verdict=["met" if met else "not met" for met in verdicts["met"]],
            kept=[f"{n_kept} of {n}" for n_kept, n in counts],
        ),
        columns=(
            *left(metric="Metric"),
            *left(_signed, expectation="Expectation"),
            *left(verdict="Verdict"),
            *right(kept="Preferences kept"),
            *left(_signed, first_broken="Contradicted"),
        ),
        data=verdicts.assign(n_kept=verdicts["preferences"] - verdicts["broken"]),
    )
    stated = verdicts.drop_duplicates("expectation")
    by = [f"{listed(of_source['expectation'])}: {source}" for source, of_source in stated.groupby("source", sort=False)]
    meanings = Table(
        **say.named("expectations", by=_signed("; ".join(by))),
        frame=stated[["expectation", "meaning"]],
        columns=left(_signed, expectation="Expectation", meaning="Asks the metric to"),
        data=stated[["expectation", "meaning", "wanted", "source"]],
    )
    return _section("verdicts", table, meanings)


def _signed(value: object) -> str:
    return text(value).replace(">=", "≥")


def _curves_section(study: ReliabilityStudy) -> Section:
    pictures = [_curve_picture(study, index) for index in range(len(study.curves))]
    folds = (Fold(title=picture.title, blocks=(picture,)) for picture in pictures[_OPEN:])
    return _section("curves", *pictures[:_OPEN], *folds, brief=False)


def _curve_picture(study: ReliabilityStudy, place: int) -> Picture:
    curve = study.curves[place]
    axis = str(next(dim for dim in curve.dims if dim != "system"))
    means = curve.mean(axis).to_series()
    low, high = ends(means.index, means, map(number(3), means))
    return Picture(
        name=f"curve-{place}",
        draw=lambda: figures.simulated_run_curves(curve),
        title=f"{curve.name}, by {AXES[axis][0].split(',')[0]}",
        caption=say("curve", axis=axis),
        alt=say("curve mark", n=len(means), low=low, high=high),
    )


def _submissions_section(study: ReliabilityStudy) -> Section:
    tables = [_top_table(study, metric) for metric in study.metrics if metric in set(study.submissions["metric"])]
    runs = study.submissions.drop_duplicates("run")
    free = runs.loc[runs["overlap"] == 0, "run"]
    mean_ranks = study.submissions[study.submissions["run"].isin(free)].groupby("metric", sort=False)["rank"].mean()
    ranks = [f"{rank:.1f} under {metric}" for metric, rank in mean_ranks.items()]
    every = sorted({f"{rank:.1f}" for rank in study.submissions.groupby("metric")["rank"].mean()}, key=float)
    words = say("no overlap", free=len(free), n=len(runs), ranks=ranks, ends=dict.fromkeys((every[0], every[-1])))
    folds = (Fold(title=table.title, blocks=(table,)) for table in tables[_OPEN:])
    more = (_scatter_picture(study, len(runs)), _tau_table(study)) if len(runs) > 1 else ()
    return _section("submissions", Text(paragraphs=(words,)), *tables[:_OPEN], *folds, *more, brief=False)


def _top_table(study: ReliabilityStudy, metric: str) -> Table:
    frame = study.top(metric, _TOP)
    others = [name for name in frame.columns if name.startswith("rank under ")]
    every = len(frame) == len(study.submissions["run"].unique())
    return Table(
        name=f"top-{metric}",
        **say.titled("top", every=every, n=len(frame), metric=metric),
        frame=frame,
        columns=(
            *rising(whole, rank="Rank"),
            *left(run="Run"),
            *right(number(4), value="Mean"),
            *right(share, overlap="Overlap"),
            *rising(whole, "Rank under", **{name: name.removeprefix("rank under ") for name in others}),
        ),
    )


def _scatter_picture(study: ReliabilityStudy, n_runs: int) -> Picture:
    return Picture(
        **say.named("overlap"),
        draw=lambda: figures.overlap_scatters(study.submissions),
        alt=say("overlap mark", n=n_runs, metrics=study.metrics),
    )


def _tau_table(study: ReliabilityStudy) -> Table:
    return Table(
        **say.named("correlations"),
        frame=study.correlations,
        columns=(*left(metric="First", other="Second"), *right(number(3), tau="τ_b")),
    )
