"""The report that answers whether a measure rewards what users want: the test put into tables, curves and words."""

import pandas as pd

from metaeval import figures
from metaeval.base.names import count
from metaeval.base.words import ends, listed, number, share, text, whole
from metaeval.figures.shown import AXES
from metaeval.inex.reliability_runs import RELIABILITY_RUNS
from metaeval.metrics.plugins import default_registry
from metaeval.page.blocks import Block, Fold, Item, Items, Methods, Picture, Section, Text
from metaeval.page.report import Report
from metaeval.page.tables import Table, left, right
from metaeval.reports.data_files import csv_file
from metaeval.reports.shared import facts
from metaeval.studies.reliability import ReliabilityStudy

_TOP = 10
_OPEN = 2
_SOURCES = ("kazai2004",)


def reliability_report(study: ReliabilityStudy) -> Report:
    """Put a reliability test into a report."""
    sections = [_runs_section(study), _verdicts_section(study)]
    data = {"runs.csv": csv_file(study.runs)}
    counts = {"metric": len(study.metrics), "topic": _n_topics(study)}
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
        summary=(
            *_opening(study),
            " ".join(verdict_sentence(study, metric) for metric in study.metrics),
            *_legend(study),
            *_asked_for(study),
        ),
        sections=tuple(sections),
        methods=Methods(paragraphs=_METHODS, cite=_SOURCES),
        rows=study.to_frame(),
        provenance=study.provenance,
        notes=study.notes,
        data=data,
    )


def _n_topics(study: ReliabilityStudy) -> int:
    return int(study.runs["topics"].max())


def _opening(study: ReliabilityStudy) -> list[str]:
    """Say of several metrics how many do what users want most."""
    verdicts = study.verdicts[study.verdicts["expectation"] == "ideal"]
    if len(verdicts) < 2:  # noqa: PLR2004 - the sentence of a single metric says it
        return []
    n_met = int(verdicts["met"].sum())
    words = (
        f"{n_met} of {len(verdicts)} metrics {'ranks' if n_met == 1 else 'rank'} the ideal run at least as high as "
        f"every other, as users would, by means over {count(_n_topics(study), 'topic')}."
    )
    return [words]


def verdict_sentence(study: ReliabilityStudy, metric: str) -> str:
    """Say in a sentence how a metric ranks the ideal run, and whether users would."""
    own = study.runs[study.runs["metric"] == metric].set_index("run")
    first = own.index[own["rank"] == 1].tolist()
    place = int(own["rank"]["irb"])
    verdicts = study.verdicts[(study.verdicts["metric"] == metric) & (study.verdicts["expectation"] == "ideal")]
    met = "" if verdicts.empty else ", as users would" if bool(verdicts["met"].iloc[0]) else ", against what users want"
    if first == ["irb"]:
        return f"{metric} ranks the ideal run irb first{met}."
    if place == 1:
        others = listed(name for name in first if name != "irb")
        kept = "" if verdicts.empty else ": the expectation is met, but the metric does not distinguish them"
        return f"{metric} ties the ideal run irb with {others} at the top{kept}."
    return f"{metric} ranks {listed(first)} first and the ideal run irb number {place} of {len(own)}{met}."


def _legend(study: ReliabilityStudy) -> list[str]:
    """Say what the runs hold that the verdicts name."""
    first = set(study.runs.loc[study.runs["rank"] == 1, "run"]) - {"irb"}
    named = [f"{run} holds {holds}" for run, holds in RELIABILITY_RUNS.items() if run in first]
    return [f"{'; '.join(named)}."] if named else []


def _asked_for(study: ReliabilityStudy) -> list[str]:
    """Say which of the reader's own expectations each metric meets."""
    own = study.verdicts[study.verdicts["source"] == "asked for"]
    if own.empty:
        return []
    parts = []
    for metric, part in own.groupby("metric", sort=False):
        missed = part.loc[~part["met"], "expectation"].tolist()
        kept = f"{len(part) - len(missed)} of {count(len(part), 'expectation')}"
        parts.append(f"{metric} meets {kept} (not {_signed(listed(missed))})" if missed else f"{metric} meets {kept}")
    return [f"Of what was asked for, {'; '.join(parts)}."]


def _runs_section(study: ReliabilityStudy) -> Section:
    described = Table(
        name="simulated-runs",
        title="The simulated runs",
        caption="As Kazai, Lalmas and de Vries (2004) made them.",
        frame=pd.DataFrame(RELIABILITY_RUNS.items(), columns=["run", "holds"]),
        columns=left(run="Run", holds="Holds"),
    )
    quantisations = [str(name) for name in study.runs["quantisation"].drop_duplicates()]
    return Section(
        id="runs",
        title="Simulated runs of known order",
        lead="Made from the assessments, so that their order is known. Elements are sorted by their value under the "
        "metric's quantisation: what an element with its grades of exhaustivity and specificity is worth. A reader of "
        "irb gets every best element and nothing twice.",
        brief=True,
        blocks=(described, *_quantisations(quantisations), *(_runs_table(study, name) for name in quantisations)),
    )


def _quantisations(names: list[str]) -> tuple[Block, ...]:
    """Return what those quantisations are that the package knows."""
    known = default_registry().element_quantisations
    found = [(name, known.get(name.partition("(")[0])) for name in names]
    items = tuple(Item(term=name, words=one.summary) for name, one in found if one is not None)
    return (Items(items=items),) if items else ()


def _runs_table(study: ReliabilityStudy, quantisation: str) -> Table:
    part = study.runs[study.runs["quantisation"] == quantisation]
    metrics = part["metric"].drop_duplicates().tolist()
    frame = part[part["metric"] == metrics[0]][["run", "results", "overlap"]].reset_index(drop=True)
    columns = [
        *left(run="Run"),
        *right(number(1), results="Results"),
        *right(share, overlap="Overlap"),
    ]
    for place, metric in enumerate(metrics):
        own = part[part["metric"] == metric].set_index("run").loc[frame["run"]]
        frame[[f"value_{place}", f"rank_{place}"]] = own[["value", "rank"]].to_numpy()
        columns += right(number(4), metric, **{f"value_{place}": "mean"})
        columns += right(whole, metric, **{f"rank_{place}": "rank"})
    return Table(
        name=f"runs-{quantisation}",
        title=f"The six runs under {quantisation}",
        caption="Mean over topics and rank (equal means share one). Results: mean length of a list. Overlap: share of "
        "results inside another result of the list.",
        frame=frame,
        columns=tuple(columns),
    )


def _verdicts_section(study: ReliabilityStudy) -> Section:
    frame = study.verdicts.assign(
        verdict=["met" if met else "not met" for met in study.verdicts["met"]],
        kept=[
            f"{total - broken} of {total}"
            for total, broken in zip(study.verdicts["preferences"], study.verdicts["broken"], strict=True)
        ],
    )
    table = Table(
        name="verdicts",
        title="What users want, and what the metrics do",
        caption="a ≥ b: a at least as good as b; a > b: strictly better.",
        frame=frame,
        columns=(
            *left(metric="Metric"),
            *left(_signed, expectation="Expectation"),
            *left(verdict="Verdict"),
            *right(kept="Preferences kept"),
            *left(_signed, first_broken="Contradicted"),
        ),
        data=study.verdicts,
    )
    stated = study.verdicts.drop_duplicates("expectation")
    by = [f"{listed(part['expectation'])}: {source}" for source, part in stated.groupby("source", sort=False)]
    meanings = Table(
        name="expectations",
        title="What users expect of a metric",
        caption="Each is a set of preferences between two runs; a metric meets it if it contradicts none. "
        f"{_signed('; '.join(by))}.",
        frame=stated[["expectation", "meaning"]],
        columns=left(_signed, expectation="Expectation", meaning="Asks the metric to"),
        data=stated[["expectation", "meaning", "wanted", "source"]],
    )
    return Section(
        id="verdicts",
        title="Verdicts",
        lead="A metric that ranks another run above the ideal one rewards what users do not want. No metric need meet "
        "the order by overlap alone: it leaves out whether the elements are any good.",
        brief=True,
        blocks=(table, meanings),
    )


def _signed(value: object) -> str:
    return text(value).replace(">=", "≥")


def _curves_section(study: ReliabilityStudy) -> Section:
    pictures = [_curve_picture(study, place) for place in range(len(study.curves))]
    folds = [Fold(title=picture.title, blocks=(picture,)) for picture in pictures[_OPEN:]]
    blocks: list[Block] = [*pictures[:_OPEN], *folds]
    return Section(
        id="curves",
        title="Curves of the simulated runs",
        lead="Where the runs part: by recall, or by how far down the list one reads.",
        blocks=tuple(blocks),
    )


def _curve_picture(study: ReliabilityStudy, place: int) -> Picture:
    curve = study.curves[place]
    axis = str(next(dim for dim in curve.dims if dim != "system"))
    precall = " Precall: the probability that a result read before that recall is reached is relevant."
    means = curve.mean(axis).to_series()
    low, high = ends(means.index, means, map(number(3), means))
    return Picture(
        name=f"curve-{place}",
        draw=lambda: figures.simulated_run_curves(curve),
        title=f"{curve.name}, by {AXES[axis][0].split(',')[0]}",
        caption="Mean over topics; a line a simulated run." + precall * (axis == "recall"),
        alt=f"{len(means)} curves; mean of the highest, {high.who}, {high.figure}, of the lowest, {low.who}, "
        f"{low.figure}.",
    )


def _submissions_section(study: ReliabilityStudy) -> Section:
    tables = [_top_table(study, metric) for metric in study.metrics if metric in set(study.submissions["metric"])]
    runs = study.submissions.drop_duplicates("run")
    none = runs.loc[runs["overlap"] == 0, "run"]
    words = [f"{count(len(none), 'run')} of {len(runs)} {'has' if len(none) == 1 else 'have'} no overlap at all."]
    if len(none):
        every = sorted({f"{rank:.1f}" for rank in study.submissions.groupby("metric")["rank"].mean()})
        ranks = study.submissions[study.submissions["run"].isin(none)].groupby("metric", sort=False)["rank"].mean()
        said = listed(f"{rank:.1f} under {metric}" for metric, rank in ranks.items())
        words.append(
            f"Their mean rank is {said}; that of all runs is {' to '.join(dict.fromkeys((every[0], every[-1])))}."
        )
    blocks: list[Block] = [Text(paragraphs=(" ".join(words),)), *tables[:_OPEN]]
    blocks += [Fold(title=table.title, blocks=(table,)) for table in tables[_OPEN:]]
    if len(runs) > 1:
        blocks += [_scatter_picture(study, len(runs)), _tau_table(study)]
    return Section(
        id="submissions",
        title="Submitted runs",
        lead="Which runs each metric puts on top, where the others put them, and how much of their text is repeated.",
        brief=True,
        blocks=tuple(blocks),
    )


def _top_table(study: ReliabilityStudy, metric: str) -> Table:
    frame = study.top(metric, _TOP)
    others = [name for name in frame.columns if name.startswith("rank under ")]
    chosen = "all" if len(frame) == len(study.submissions["run"].unique()) else "the best"
    return Table(
        name=f"top-{metric}",
        title=f"Submitted runs: {chosen} {len(frame)} under {metric}",
        caption="With their ranks under the other metrics.",
        frame=frame,
        columns=(
            *right(whole, rank="Rank"),
            *left(run="Run"),
            *right(number(4), value="Mean"),
            *right(share, overlap="Overlap"),
            *right(whole, "Rank under", **{name: name.removeprefix("rank under ") for name in others}),
        ),
    )


def _scatter_picture(study: ReliabilityStudy, n_runs: int) -> Picture:
    return Picture(
        name="overlap",
        draw=lambda: figures.overlap_scatters(study.submissions),
        title="Overlap and score",
        caption="A point is a submitted run. If scores rise with overlap, either the better systems overlap more, or "
        "the metric pays for it.",
        alt=f"A scatter plot of {n_runs} runs for each of {len(study.metrics)} metrics.",
    )


def _tau_table(study: ReliabilityStudy) -> Table:
    return Table(
        name="correlations",
        title="How far the rankings of the submitted runs agree",
        caption="Kendall's τ_b. With “overlap”: positive if runs with more overlap score higher.",
        frame=study.correlations,
        columns=(
            *left(metric="First", other="Second"),
            *right(number(3), tau="τ_b"),
        ),
    )


_METHODS = (
    (
        "The runs follow Kazai, Lalmas and de Vries (2004), section 3.2: on every path of relevant elements the one of "
        "the highest value is ideal (ties: the deeper one, unless the metric says otherwise), and of ideal elements "
        "that overlap the outer one stays. Each run lists its elements by falling value. Elements too small to judge "
        "are left out where the quantisation gives them nothing."
    ),
    (
        "A mean is over the topics where something is worth more than 0 under the metric; an empty list counts 0 "
        "there. All results of the six runs count, of a submitted run the first 1500. Verdicts compare means as they "
        "are: nothing is tested or drawn at random."
    ),
)
