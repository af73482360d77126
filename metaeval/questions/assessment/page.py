"""The report on how assessments were made: each question with a sentence, a picture and a table."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from metaeval import figures
from metaeval.base.words import bracketed, listed, number, share, text, whole
from metaeval.inex.assessed_pools import growth_kinds, half_pool, shown_growth
from metaeval.inex.assessment_tables import SHORT
from metaeval.inex.power_law import power_law_shares
from metaeval.page.blocks import Block, Fold, Methods, Picture, Section, Text
from metaeval.page.report import Report
from metaeval.page.tables import Column, Table, left, right
from metaeval.questions.assessment.study_figures import FOUND, AssessmentStudy, quoted_figures
from metaeval.reports.assessed_parts import (
    element_agreement_table,
    element_sentence,
    passage_agreement_table,
    passage_sentence,
)
from metaeval.reports.data_files import csv_file
from metaeval.reports.key_figures import KeyFigure, listed_figures
from metaeval.reports.prose import prose
from metaeval.reports.shared import unanswered

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SOURCES = ("piwowarski2008",)
_TOLD = 2
"""Means of a topic in the first sentence."""
_RANKS = (1, 10, 50, 100, 200, 500, 1000)
_RANK = 50
_DONE_BY = {"highlight": "highlights", "assess": "judgments of elements"}
_WRITERS: dict[str, Callable[[float], str]] = {
    "count": lambda value: whole(round(value)),
    "share": share,
    "one": number(1),
    "two": number(2),
}
_TOPIC_LABELS = {
    "documents": "Documents",
    "relevant": "Relevant",
    "elements": "Elements",
    "too_small": "Too small",
    "passages": "Passages",
    "highlighted": "Highlighted characters",
}
_TWICE = (
    *left(topic="Topic"),
    *right(whole, first="First", second="Second", both="Both"),
    *right(number(2), of_first="Of the first", of_second="Of the second", of_union="Of either"),
)
_SHORT_TIME = 100
_EXHAUSTIVITY = "Exhaustivity: how fully an element treats the topic. Specificity: how much of it is about the topic."
_TWICE_SAID = "The agreement of two assessors is their overlap: what both chose, divided by what either chose."
_METHODS = {
    "beyond": "A larger pool is expected to find relevant documents at the rate of the second half of a topic's pool.",
    "elemental": "A passage is elemental if it is as long as the smallest element around both its ends.",
    "entries": "The distance of a best entry point is from the beginning of a passage, in characters.",
    "order": "Steps between places of unknown order are not counted.",
    "times": "In a log of actions, the time to the topic's next action counts as time for the document, unless it "
    "exceeds the longest break allowed.",
    "documents-twice": _TWICE_SAID,
    "elements-twice": _TWICE_SAID,
    "passages-twice": _TWICE_SAID,
}
"""What was done for the answer to each question."""
say = prose(__name__)

type _Blocks = tuple[Block, ...]
type _Given = Mapping[str, Any] | None
"""What an answer is filled in with; None where there is none."""


def assessment_report(study: AssessmentStudy) -> Report:
    """Put an analysis of assessments into a report."""
    sentences = answer_sentences(study)
    sections = [
        Section(id=name, title=say(f"{name} title"), lead=words, blocks=_QUESTIONS[name][1](study, words))
        for name, words in sentences.items()
    ]
    frames = {name: getattr(study, name) for name in ("growth", "new_runs", "entries", "times", "cycles")}
    return Report(
        command="assessment",
        title="How were the assessments made?",
        facts=(
            (str(len(study.topics)), "topics"),
            (f"{study.topics['documents'].sum():.0f}", "documents assessed in all"),
            (f"{study.topics['relevant'].sum():.0f}", "of them relevant"),
        ),
        summary=(say("first", means=_means(study)[:_TOLD]), say("quote", n=len(study.topics))),
        key_figures=_key_figures(study),
        sections=(_figures_section(study), *sections, *unanswered(("", reason) for reason in study.lacking)),
        methods=Methods(paragraphs=(_methods(study, [*sentences]),), cite=_SOURCES),
        rows=study.to_frame(),
        provenance=study.provenance,
        notes=study.notes,
        data={f"{name.replace('_', '-')}.csv": csv_file(frame) for name, frame in frames.items() if len(frame)},
    )


def _methods(study: AssessmentStudy, answered: list[str]) -> str:
    """Say what was done for the questions that have an answer."""
    parts = [_assessment_words(study, f"{name} methods") for name in ("growth", "new-runs") if name in answered]
    said = dict.fromkeys(_METHODS[name] for name in answered if name in _METHODS)
    if study.scale == "2003" and "specificity" in answered:
        said["Specificity, of 0 to 3, is divided by 3."] = None
    return say("methods", more=" ".join([*parts, *said]))


def answer_sentences(study: AssessmentStudy) -> dict[str, str]:
    """Return the answer in a sentence to every question that has one, by its name."""
    asked = {name: fields(study) for name, (fields, _) in _QUESTIONS.items()}
    return {name: _assessment_words(study, name, **fields) for name, fields in asked.items() if fields is not None}


def _key_figures(study: AssessmentStudy) -> Table | None:
    """Return what pools, assessors and their time gave, of the figures that are known."""
    table = study.topics.agg(["mean", "min", "max"])
    told = []
    for name, what in (("documents", "Documents assessed for a topic"), ("relevant", "Relevant documents of a topic")):
        low, high = (f"{table[name][end]:.0f}" for end in ("min", "max"))
        written = f"{table[name]['mean']:.1f} ({low} to {high})"
        told.append(KeyFigure(f"{what}, mean (range)", written, table[name].to_dict()))
    growth, beyond, twice = _growth(study), _beyond(study), _documents_twice(study)
    if growth is not None:
        found = growth["half"]["relevant_share"]
        told.append(KeyFigure("Relevant documents found by half of the pool", share(found), {"relevant_share": found}))
    if beyond is not None:
        row = beyond["row"]
        level = " [95 % interval]" if np.isfinite(row["low"]) else ""
        what = f"Relevant documents expected in {row['added']:.0f} more{level}"
        written = bracketed(row["relevant"], row["low"], row["high"], number(1))
        told.append(KeyFigure(what, written, dict(row[["relevant", "low", "high"]])))
    if twice is not None:
        what = "Overlap of two assessors on relevant documents"
        told.append(KeyFigure(what, share(twice["both"]), {"both": twice["both"]}))
    return listed_figures(told)


def figures_in_words(study: AssessmentStudy) -> pd.DataFrame:
    """Return the figures of a study as people write them."""
    rows = [
        (figure.question.capitalize(), figure.words, _WRITERS[figure.kind](figure.value), float(figure.value))
        for figure in quoted_figures(study)
    ]
    return pd.DataFrame(rows, columns=["question", "figure", "value", "value_sort"])


def _figures_section(study: AssessmentStudy) -> Section:
    columns = (*left(question="Question", figure="Figure"), *right(value="Value"))
    frame, head = figures_in_words(study), "Figures of the assessments"
    table = _table(study, "figures", frame, columns, study.to_frame(), head=head)
    words = [
        "An element is a part of a document in its markup, such as a section." * (study.scale != "passages"),
        "A passage is a stretch of highlighted text." * (len(study.passages) > 0),
        _EXHAUSTIVITY * (study.scale in {"2003", "2005"}),
        "Too small: with highlighted text, but too short to be judged on exhaustivity." * (study.scale == "2005"),
    ]
    lead = say("figures", words=" ".join(words))
    return Section(id="figures", title=table.title, lead=lead, brief=True, blocks=(table,))


def _assessment_words(study: AssessmentStudy, passage: str, **given: Any) -> str:  # noqa: ANN401 - as `say`
    which = "relevant elements" + ", those too small to judge included" * (study.scale == "2005")
    adds = {"results": "the document of its next result", "documents": "its next document"}[study.rounds]
    return say(passage, study=study, adds=adds, which=which, short=SHORT, **given)


def _table(  # noqa: PLR0913 - as `say.table`
    study: AssessmentStudy,
    name: str,
    frame: pd.DataFrame,
    columns: Iterable[Column],
    data: pd.DataFrame | None = None,
    *,
    head: str = "",
    **given: Any,  # noqa: ANN401 - as `say`
) -> Table:
    shown = tuple(columns)
    if head:
        return Table(name=name, title=head, caption="", frame=frame, columns=shown, data=data)
    caption = _assessment_words(study, f"{name} table", shown={column.name for column in shown}, **given)
    return Table(name=name, title=say(f"{name} table title"), caption=caption, frame=frame, columns=shown, data=data)


def _picture(study: AssessmentStudy, name: str, draw: "Callable[[], Figure]", alt: str, **given: Any) -> Picture:  # noqa: ANN401 - as `say`
    title, caption = say(f"{name} picture title"), _assessment_words(study, f"{name} picture", **given)
    return Picture(name=name, draw=draw, title=title, caption=caption, alt=alt)


# ----------------------------------------------------------- every answer: what fills its sentence, and its section


def _topics(study: AssessmentStudy) -> _Given:
    return {"means": _means(study)}


def _means(study: AssessmentStudy) -> list[str]:
    table = study.topics.agg(["mean", "min", "max"])
    kinds = ("documents", "relevant", *(name for name in ("elements", "passages") if np.isfinite(table[name]["mean"])))
    called = {**FOUND, "documents": "documents assessed", "relevant": "of them relevant"}
    return [say("topic mean", what=called[name], of=table[name]) for name in kinds]


def _topics_blocks(study: AssessmentStudy, _words: str) -> _Blocks:
    frame = study.topics.rename_axis("topic").reset_index()
    labels = {name: label for name, label in _TOPIC_LABELS.items() if frame[name].notna().any()}
    table = _table(study, "topics", frame, (*left(topic="Topic"), *right(whole, **labels)))
    return (Fold(title="Topic by topic", blocks=(table,)),)


def _growth(study: AssessmentStudy) -> _Given:
    if study.growth.empty:
        return None
    last, half = shown_growth(study.growth).iloc[-1], half_pool(study.growth)
    shares = [f"{share(half[f'{kind}_share'])} of the {FOUND[kind]}" for kind in growth_kinds(study.growth)]
    return {"last": last, "half": half, "found": shares}


def _growth_blocks(study: AssessmentStudy, words: str) -> _Blocks:
    sizes = {*shown_growth(study.growth)["documents"], half_pool(study.growth)["documents"]}
    columns = [*right(whole, documents="Pool size", topics="Topics")]
    for kind in growth_kinds(study.growth):
        columns += right(number(1), FOUND[kind], **{kind: "mean"})
        columns += right(share, FOUND[kind], **{f"{kind}_share": "share"})
    rows = study.growth[study.growth["documents"].isin(sizes)]
    picture = _picture(study, "pool-growth", lambda: figures.growth_lines(study.growth), words)
    return picture, _table(study, "pool-growth", rows, columns, study.growth)


def _beyond(study: AssessmentStudy) -> _Given:
    if study.beyond.empty:
        return None
    row = study.beyond.iloc[0]
    interval = f" ({row['low']:.1f} to {row['high']:.1f})" if np.isfinite(row["low"]) else ""
    return {"row": row, "found": f"{row['relevant']:.1f}{interval}", "of_now": row["hours"] / row["hours_now"]}


def _beyond_blocks(study: AssessmentStudy, _words: str) -> _Blocks:
    columns = (
        *right(whole, pool="Pool now", added="More documents"),
        *right(number(1), "New relevant documents", relevant="expected", low="from", high="to"),
        *right(number(1), "More hours", hours="expected", hours_low="from", hours_high="to"),
        *right(number(1), hours_now="Hours now"),
        *right(number(2), "Minutes", minutes_relevant="relevant", minutes_other="other"),
    )
    return (_table(study, "larger-pools", study.beyond, columns, study.beyond),)


def _new_runs(study: AssessmentStudy) -> _Given:
    table = study.new_runs
    if table.empty:
        return None
    size, rank = int(table["size"].max()), min(_RANK, int(table["rank"].max()))
    shares = table[(table["size"] == size) & (table["rank"] == rank)].set_index("unit")["share_up_to"]
    return {"rank": rank, "held": [f"{share(value)} in a pool of {size} {unit}" for unit, value in shares.items()]}


def _new_runs_blocks(study: AssessmentStudy, words: str) -> _Blocks:
    ranks = [rank for rank in _RANKS if rank <= study.new_runs["rank"].max()]
    rows = study.new_runs[study.new_runs["rank"].isin(ranks)]
    wide = rows.pivot(index=["unit", "size"], columns="rank", values="share_up_to").reset_index()  # noqa: PD010 - a grid
    columns = (
        *left(unit="Pool of"),
        *right(whole, size="Size"),
        *right(share, "Down to rank", **{f"to_{rank}": str(rank) for rank in ranks}),
    )
    frame = wide.rename(columns={rank: f"to_{rank}" for rank in ranks})
    head = "Results of new runs that would be judged"
    picture = say.picture("new-runs", lambda: figures.new_run_panels(study.new_runs), alt=words, head=head)
    return picture, _table(study, "new-runs", frame, columns, study.new_runs)


def _pools(study: AssessmentStudy) -> _Given:
    sums = study.pools.sum()
    return None if study.pools.empty else {"sums": sums, "part": sums["assessed"] / sums["documents"]}


def _pools_blocks(study: AssessmentStudy, _words: str) -> _Blocks:
    columns = (*left(topic="Topic"), *right(whole, documents="In the pool", assessed="Assessed", outside="Outside"))
    frame = study.pools.rename_axis("topic").reset_index()
    table = _table(study, "pools", frame, columns, head="Pools and assessments")
    return (Fold(title="Topic by topic", blocks=(table,)),)


def _passages(study: AssessmentStudy) -> _Given:
    names = {"one": "share with one", "five": "share with at most five", "most": "most"}
    fields = {key: study.figure("passages per document", name) for key, name in names.items()}
    laws = [
        f" The counts follow a power law with the exponent {value:.2f}."
        for value in study.power_law.get("exponent", ())
    ]
    return None if study.passages.empty else {**fields, "law": "".join(laws)}


def _passages_blocks(study: AssessmentStudy, words: str) -> _Blocks:
    columns = (*right(whole, passages="Passages", documents="Documents"), *right(share, share="Share", up_to="At most"))
    fold = Fold(title="The numbers", blocks=(_table(study, "passages", study.passages, columns),))
    picture = _picture(study, "passages", lambda: figures.passage_bars(study.passages), words)
    if study.power_law.empty:
        return picture, fold
    law, most = study.power_law.iloc[0], int(study.passages["passages"].max())
    over = f", {law['low']:.2f} to {law['high']:.2f} over the topics (95 %)" if law["low"] == law["low"] else ""
    line = _picture(
        study,
        "passages-law",
        lambda: figures.passage_law(study.passages, power_law_shares(law["exponent"], most)),
        words,
        law=law,
        exponent=f"{law['exponent']:.2f}{over}",
    )
    return picture, line, fold


def _elemental(study: AssessmentStudy) -> _Given:
    if study.elemental.empty or np.isnan(study.elemental["share"].iloc[0]):
        return None
    return {"shares": [*study.elemental["share"]], "n": study.elemental["passages"].iloc[:2].sum()}


def _elemental_blocks(study: AssessmentStudy, _words: str) -> _Blocks:
    columns = (*left(kind="Passage"), *right(whole, passages="Passages"), *right(share, share="Share"))
    return (_table(study, "elemental", study.elemental, columns),)


def _specificity(study: AssessmentStudy) -> _Given:
    if study.classes.empty:
        return None
    means = study.classes.set_index("element_class")["mean"]
    named = [f"{name} {mean:.2f}" for name, mean in means.items() if name != "other"]
    return {"means": named or [f"{means.iloc[0]:.2f}"]}


def _specificity_blocks(study: AssessmentStudy, words: str) -> _Blocks:
    columns = (
        *left(element_class="Class"),
        *right(whole, elements="Elements"),
        *right(number(2), mean="Mean"),
        *right(share, of_paragraph="Relative to paragraphs", full="Fully relevant"),
    )
    counted = (
        *left(element_class="Class"),
        *right(number(2), low="above", high="up to"),
        *right(whole, elements="Elements"),
    )
    picture = _picture(study, "specificity", lambda: figures.specificity_bars(study.specificity), words)
    counts = Fold(title="All numbers", blocks=(_table(study, "specificity", study.specificity, counted),))
    return picture, _table(study, "specificity-classes", study.classes, columns), counts


def _sizes(study: AssessmentStudy) -> _Given:
    rows = study.sizes.to_dict("records")
    degrees = [row["exhaustivity"] for row in rows]
    which = [
        "the elements too small to judge" if degree == "?" else f"those of exhaustivity {degree}" for degree in degrees
    ]
    medians = [f"{row['median']:.0f} among {words}" for row, words in zip(rows, which, strict=True)]
    return {"medians": medians, "lowest": which[0], "share": rows[0]["short"]} if rows else None


def _sizes_blocks(study: AssessmentStudy, words: str) -> _Blocks:
    columns = (
        *left(lambda degree: "too small" if degree == "?" else text(degree), exhaustivity="Exhaustivity"),
        *right(whole, elements="Elements"),
        *right(whole, "Characters", low="5 %", median="median", mean="mean", high="95 %"),
        *right(share, short="Short"),
    )
    picture = _picture(study, "sizes", lambda: figures.size_bars(study.sizes, short=SHORT), words)
    return picture, _table(study, "sizes", study.sizes, columns, study.sizes)


def _entries(study: AssessmentStudy) -> _Given:
    named = {"first": "share where the first passage begins", "some": "share where some passage begins"}
    shares = {key: study.figure("best entry points", name) for key, name in named.items()}
    return None if study.entries.empty else shares


def _entries_blocks(study: AssessmentStudy, words: str) -> _Blocks:
    distances = study.entries[["first", "biggest", "nearest"]].dropna()
    if distances.empty:
        return (
            Text(
                paragraphs=(
                    "Entry points are given as points in the tree, so only coincidences are known, not distances.",
                )
            ),
        )
    rows = [
        {
            "passage": name,
            "exact": (distances[name] == 0).mean(),
            "near": (distances[name].abs() <= 100).mean(),  # noqa: PLR2004 - the paper's bins
            "before": (distances[name] < 0).mean(),
            "median": distances[name].abs().median(),
            "mean": distances[name].abs().mean(),
        }
        for name in distances.columns
    ]
    columns = (
        *left(passage="Passage"),
        *right(share, exact="exactly there", near="within 100", before="before"),
        *right(whole, median="median distance"),
        *right(number(1), mean="mean distance"),
    )
    picture = _picture(study, "entries", lambda: figures.entry_distances(study.entries), words)
    return picture, _table(study, "entries", pd.DataFrame(rows), columns)


def _times(study: AssessmentStudy) -> _Given:
    means = {kind: study.figure("time", f"mean seconds of {kind} documents") for kind in ("relevant", "irrelevant")}
    phrases = [f"{_duration(seconds)} for {kind} documents" for kind, seconds in means.items() if np.isfinite(seconds)]
    return None if study.times.empty else {"known": phrases, "hours": study.figure("time", "mean hours of a topic")}


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < _SHORT_TIME else f"{seconds / 60:.1f} min"


def _times_blocks(study: AssessmentStudy, words: str) -> _Blocks:
    groups = study.times.groupby("relevant")["seconds"]
    frame = groups.agg(["size", "mean", "median"]).reset_index().sort_values("relevant", ascending=False)
    frame["kind"] = ["relevant" if relevant else "irrelevant" for relevant in frame["relevant"]]
    columns = (*left(kind="Documents"), *right(whole, size="Number"), *right(number(1), mean="Mean", median="Median"))
    head = "Time to assess a document"
    picture = say.picture("times", lambda: figures.time_strips(study.times), alt=words, head=head)
    return picture, _table(study, "times", frame, columns)


def _order(study: AssessmentStudy) -> _Given:
    rows = study.steps.set_index("action").to_dict("index") if len(study.steps) else {}
    steps = [(called, rows[action]) for action, called in _DONE_BY.items() if action in rows]
    inside = {called: f" ({share(row['inside'])} of these inside that element)" for called, row in steps}
    parts = [
        f"{share(row['share'])} of the {called}{inside[called] if np.isfinite(row['inside']) else ''}"
        for called, row in steps
    ]
    words = f"{listed(parts)} come after the previous one in the text. " if parts else ""
    mean = f"{study.cycles['cycles'].mean():.2f}" if len(study.cycles) else ""
    cycles = f"A document took {mean} highlight-then-judge cycles." if mean else ""
    return {"parts": words, "cycles": cycles} if words or cycles else None


def _order_blocks(study: AssessmentStudy, _words: str) -> _Blocks:
    if not len(study.steps):
        return ()
    columns = (
        *left(action="From one to the next"),
        *right(whole, steps="Steps", forward="Forward"),
        *right(share, share="Share", inside="Inside"),
    )
    frame = study.steps.assign(action=[_DONE_BY[action] for action in study.steps["action"]])
    return (_table(study, "order", frame, columns, study.steps),)


def _documents_twice(study: AssessmentStudy) -> _Given:
    frame = study.document_agreement
    return None if frame.empty else {"both": frame["of_union"].mean(), "n_topics": len(frame)}


def _documents_twice_blocks(study: AssessmentStudy, _words: str) -> _Blocks:
    frame = study.document_agreement.rename_axis("topic").reset_index()
    return (_table(study, "document-agreement", frame, _TWICE),)


def _elements_twice(study: AssessmentStudy) -> _Given:
    frame = study.element_agreement.rename_axis("topic").reset_index()
    return None if frame.empty else {"words": element_sentence(frame)}


def _elements_twice_blocks(study: AssessmentStudy, _words: str) -> _Blocks:
    frame = study.element_agreement.rename_axis("topic").reset_index()
    return (element_agreement_table(frame, scale=study.scale),)


def _passages_twice(study: AssessmentStudy) -> _Given:
    frame = study.passage_agreement
    return None if frame.empty else {"words": passage_sentence(frame)}


def _passages_twice_blocks(study: AssessmentStudy, _words: str) -> _Blocks:
    frame = study.passage_agreement.rename_axis("topic").reset_index()
    return (passage_agreement_table(frame.rename(columns={"first": "first_marked", "second": "second_marked"})),)


_QUESTIONS: Mapping[str, tuple[Callable[[AssessmentStudy], _Given], Callable[[AssessmentStudy, str], _Blocks]]] = {
    "topics": (_topics, _topics_blocks),
    "growth": (_growth, _growth_blocks),
    "beyond": (_beyond, _beyond_blocks),
    "new-runs": (_new_runs, _new_runs_blocks),
    "pools": (_pools, _pools_blocks),
    "passages": (_passages, _passages_blocks),
    "elemental": (_elemental, _elemental_blocks),
    "specificity": (_specificity, _specificity_blocks),
    "sizes": (_sizes, _sizes_blocks),
    "entries": (_entries, _entries_blocks),
    "times": (_times, _times_blocks),
    "order": (_order, _order_blocks),
    "documents-twice": (_documents_twice, _documents_twice_blocks),
    "elements-twice": (_elements_twice, _elements_twice_blocks),
    "passages-twice": (_passages_twice, _passages_twice_blocks),
}
