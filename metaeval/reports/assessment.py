"""The report on how assessments were made: each question with a sentence, a picture and a table."""

from collections.abc import Callable, Collection

import pandas as pd

from metaeval import figures
from metaeval.base.words import number, sentence_case, share, text, whole
from metaeval.inex.assessed_pools import growth_kinds, half_pool, shown_growth
from metaeval.inex.assessment_tables import SHORT
from metaeval.inex.power_law import power_law_shares
from metaeval.page.blocks import Block, Fold, Item, Methods, Picture, Section, Text
from metaeval.page.report import Report
from metaeval.page.tables import Table, left, right
from metaeval.reports.assessed_parts import element_agreement_table, passage_agreement_table
from metaeval.reports.assessment_words import answer_sentences, figures_in_words, relevant_elements
from metaeval.reports.data_files import csv_file
from metaeval.reports.shared import unanswered
from metaeval.studies.assessment import AssessmentStudy
from metaeval.studies.assessment_figures import FOUND

_SCALES = {
    "2002": "relevance and coverage (2002)",
    "2003": "exhaustivity and specificity in degrees (2003, 2004)",
    "2005": "exhaustivity and highlighted text (2005, 2006)",
    "passages": "highlighted text (2007 on)",
}
_PARAGRAPHS = (
    ("topics", "growth", "beyond", "new-runs", "pools"),
    ("passages", "elemental", "specificity", "sizes", "entries"),
    ("times", "order", "documents-twice", "elements-twice", "passages-twice"),
)
"""Answers that stand together in the summary."""
_SOURCES = ("piwowarski2008",)

_ADDS = {"results": "the document of its next result", "documents": "its next document"}
_RANKS = (1, 10, 50, 100, 200, 500, 1000)
_DONE_BY = {"highlight": "highlights", "assess": "judgments of elements"}
_TWICE = (
    *left(topic="Topic"),
    *right(whole, first="First", second="Second", both="Both"),
    *right(number(2), of_first="Of the first", of_second="Of the second", of_union="Of either"),
)

type _Blocks = tuple[Block, ...]


def assessment_report(study: AssessmentStudy) -> Report:
    """Put an analysis of assessments into a report."""
    sentences = dict(answer_sentences(study))
    sections = [
        Section(id=name, title=title, lead=sentences[name], blocks=blocks(study, sentences[name]))
        for name, (title, blocks) in _SECTIONS.items()
        if name in sentences
    ]
    paragraphs = [" ".join(sentences[name] for name in names if name in sentences) for names in _PARAGRAPHS]
    frames = {name: getattr(study, name) for name in ("growth", "new_runs", "entries", "times", "cycles")}
    return Report(
        command="assessment",
        title="How were the assessments made?",
        facts=(
            (str(len(study.topics)), "topics"),
            (f"{study.topics['documents'].sum():.0f}", "documents assessed in all"),
            (f"{study.topics['relevant'].sum():.0f}", "of them relevant"),
        ),
        summary=tuple(paragraph for paragraph in paragraphs if paragraph),
        sections=(_figures_section(study), *sections, *unanswered(Item(words=words) for words in study.lacking)),
        methods=Methods(paragraphs=_methods(study, sentences), cite=_SOURCES),
        rows=study.to_frame(),
        provenance=study.provenance,
        notes=study.notes,
        data={f"{name.replace('_', '-')}.csv": csv_file(frame) for name, frame in frames.items() if len(frame)},
    )


def _figures_section(study: AssessmentStudy) -> Section:
    table = Table(
        name="figures",
        title="Figures of the assessments",
        caption="Mean of a topic: over all topics that were assessed. The file holds every figure at full precision.",
        frame=figures_in_words(study),
        data=study.to_frame(),
        columns=(*left(question="Question", figure="Figure"), *right(value="Value")),
    )
    return Section(
        id="figures",
        title="Key figures",
        lead=f"What papers about assessments quote, for comparison with other campaigns. {_terms(study)}",
        brief=True,
        blocks=(table,),
    )


def _terms(study: AssessmentStudy) -> str:
    """Say what the words mean that assessments of this scale are told in."""
    words = []
    if study.scale != "passages":
        words.append("An element is a part of a document in its markup, such as a section.")
    if len(study.passages):
        words.append("A passage is a stretch of highlighted text.")
    if study.scale in {"2003", "2005"}:
        words.append(
            "Exhaustivity: how fully an element treats the topic. Specificity: how much of it is about the topic."
        )
    if study.scale == "2005":
        words.append("Too small: with highlighted text, but too short to be judged on exhaustivity.")
    return " ".join(words)


# ------------------------------------------------------------------------------- what each section shows of its answer


def _topics(study: AssessmentStudy, _words: str) -> _Blocks:
    labels = {
        "documents": "Documents",
        "relevant": "Relevant",
        "elements": "Elements",
        "too_small": "Too small",
        "passages": "Passages",
        "highlighted": "Highlighted characters",
    }
    elements = " Elements: relevant, without those too small to judge."
    frame = study.topics.rename_axis("topic").reset_index()
    known = {name: label for name, label in labels.items() if frame[name].notna().any()}
    table = Table(
        name="topics",
        title="What each topic has",
        caption=f"Assessed by {_SCALES[study.scale]}." + elements * (study.scale == "2005"),
        frame=frame,
        columns=(*left(topic="Topic"), *right(whole, **known)),
    )
    return (Fold(title="Topic by topic", blocks=(table,)),)


def _growth(study: AssessmentStudy, words: str) -> _Blocks:
    sizes = {*shown_growth(study.growth)["documents"], half_pool(study.growth)["documents"]}
    columns = [*right(whole, documents="Pool size", topics="Topics")]
    for kind in growth_kinds(study.growth):
        columns += right(number(1), FOUND[kind], **{kind: "mean"})
        columns += right(share, FOUND[kind], **{f"{kind}_share": "share"})
    table = Table(
        name="pool-growth",
        title="What pools of a size hold",
        caption=f"Pools grow in rounds: each run adds {_ADDS[study.rounds]}. Means over the topics whose pool grows so "
        "far; shares are of all that was found in these topics.",
        frame=study.growth[study.growth["documents"].isin(sizes)],
        columns=tuple(columns),
        data=study.growth,
    )
    picture = Picture(
        name="pool-growth",
        draw=lambda: figures.growth_lines(study.growth),
        title="What is found as the pools grow",
        caption="The straight dotted line is what documents in random order would find.",
        alt=words,
    )
    return picture, table


def _beyond(study: AssessmentStudy, _words: str) -> _Blocks:
    table = Table(
        name="larger-pools",
        title="What larger pools would find and cost",
        caption="Of a topic, with intervals (95 %) from the differences between topics. Minutes: assumed for a "
        "relevant and for another document.",
        frame=study.beyond,
        columns=(
            *right(whole, pool="Pool now", added="More documents"),
            *right(number(1), "New relevant documents", relevant="expected", low="from", high="to"),
            *right(number(1), "More hours", hours="expected", hours_low="from", hours_high="to"),
            *right(number(1), hours_now="Hours now"),
            *right(number(2), "Minutes", minutes_relevant="relevant", minutes_other="other"),
        ),
        data=study.beyond,
    )
    return (table,)


def _new_runs(study: AssessmentStudy, words: str) -> _Blocks:
    element = ", or its next element" * ("elements" in set(study.new_runs["unit"]))
    ranks = [one for one in _RANKS if one <= study.new_runs["rank"].max()]
    shown = study.new_runs[study.new_runs["rank"].isin(ranks)]
    wide = shown.pivot(index=["unit", "size"], columns="rank", values="share_up_to").reset_index()  # noqa: PD010 - a grid
    table = Table(
        name="new-runs",
        title="New runs in the pools",
        caption="Share of the results of the new runs, down to a rank, that the pool of the other runs holds. In each "
        f"round of pooling a run adds {_ADDS[study.rounds]}{element}.",
        frame=wide.rename(columns={one: f"to_{one}" for one in ranks}),
        columns=(
            *left(unit="Pool of"),
            *right(whole, size="Size"),
            *right(share, "Down to rank", **{f"to_{one}": str(one) for one in ranks}),
        ),
        data=study.new_runs,
    )
    picture = Picture(
        name="new-runs",
        draw=lambda: figures.new_run_panels(study.new_runs),
        title="Results of new runs that would be judged",
        caption="A line for each pool size.",
        alt=words,
    )
    return picture, table


def _pools(study: AssessmentStudy, _words: str) -> _Blocks:
    table = Table(
        name="pools",
        title="Pools and assessments",
        caption="Documents of each pool file, how many of them were assessed, and assessed documents outside the pool.",
        frame=study.pools.rename_axis("topic").reset_index(),
        columns=(*left(topic="Topic"), *right(whole, documents="In the pool", assessed="Assessed", outside="Outside")),
    )
    return (Fold(title="Topic by topic", blocks=(table,)),)


def _passages(study: AssessmentStudy, words: str) -> _Blocks:
    table = Table(
        name="passages",
        title="Passages in a relevant document",
        caption="Relevant documents by their number of passages. At most: the share with that number or fewer.",
        frame=study.passages,
        columns=(
            *right(whole, passages="Passages", documents="Documents"),
            *right(share, share="Share", up_to="At most"),
        ),
    )
    picture = Picture(
        name="passages",
        draw=lambda: figures.passage_bars(study.passages),
        title="Passages in a relevant document",
        caption="Adjacent passages count as one.",
        alt=words,
    )
    law = study.power_law
    if law.empty:
        return picture, Fold(title="The numbers", blocks=(table,))
    exponent, low, high, distance = law.iloc[0]
    interval = f", {low:.2f} to {high:.2f} over the topics (95 %)" * bool(low == low)  # noqa: PLR0124 - NaN
    line = Picture(
        name="passages-law",
        draw=lambda: figures.passage_law(
            study.passages, power_law_shares(exponent, int(study.passages["passages"].max()))
        ),
        title="Passages in a relevant document, on logarithmic axes",
        caption=f"A power law is a straight line. Fitted by maximum likelihood: exponent {exponent:.2f}{interval}; "
        f"shares up to a number of passages differ from the law's by {share(distance)} at most.",
        alt=words,
    )
    return picture, line, Fold(title="The numbers", blocks=(table,))


def _elemental(study: AssessmentStudy, _words: str) -> _Blocks:
    table = Table(
        name="elemental",
        title="Passages and elements",
        caption="Elemental: as long as the smallest element around both ends. Unknown: the length of that element is "
        "not given.",
        frame=study.elemental,
        columns=(*left(kind="Passage"), *right(whole, passages="Passages"), *right(share, share="Share")),
    )
    return (table,)


def _specificity(study: AssessmentStudy, words: str) -> _Blocks:
    table = Table(
        name="specificity-classes",
        title="Specificity of classes of elements",
        caption=f"Mean over {relevant_elements(study)}, also relative to that of paragraphs. Fully relevant: the share "
        f"{'in the top degree' if study.scale == '2003' else 'relevant throughout'}.",
        frame=study.classes,
        columns=(
            *left(element_class="Class"),
            *right(whole, elements="Elements"),
            *right(number(2), mean="Mean"),
            *right(share, of_paragraph="Relative to paragraphs", full="Fully relevant"),
        ),
    )
    full = "; those relevant throughout are left out, as they would hide the rest" if study.scale == "2005" else ""
    picture = Picture(
        name="specificity",
        draw=lambda: figures.specificity_bars(study.specificity),
        title="Specificity of relevant elements",
        caption=f"{sentence_case(relevant_elements(study))}, by specificity, classes on top of one another{full}.",
        alt=words,
    )
    counts = Table(
        name="specificity",
        title="Elements by specificity",
        caption="Specificity above the first up to the second number; from 1 to 1: relevant throughout.",
        frame=study.specificity,
        columns=(
            *left(element_class="Class"),
            *right(number(2), low="above", high="up to"),
            *right(whole, elements="Elements"),
        ),
    )
    return picture, table, Fold(title="All numbers", blocks=(counts,))


def _sizes(study: AssessmentStudy, words: str) -> _Blocks:
    table = Table(
        name="sizes",
        title="Sizes by exhaustivity",
        caption=f"Characters of {relevant_elements(study)}. Short: below {SHORT} characters.",
        frame=study.sizes,
        columns=(
            *left(lambda degree: "too small" if degree == "?" else text(degree), exhaustivity="Exhaustivity"),
            *right(whole, elements="Elements"),
            *right(whole, "Characters", low="5 %", median="median", mean="mean", high="95 %"),
            *right(share, short="Short"),
        ),
        data=study.sizes,
    )
    picture = Picture(
        name="sizes",
        draw=lambda: figures.size_bars(study.sizes, short=SHORT),
        title="Exhaustivity and size",
        caption=f"The dashed line: {SHORT} characters, below which Piwowarski et al. (2008) found most elements judged "
        "too small.",
        alt=words,
    )
    return picture, table


def _entries(study: AssessmentStudy, words: str) -> _Blocks:
    known = study.entries[["first", "biggest", "nearest"]].dropna()
    if known.empty:
        text = "Entry points are given as points in the tree: whether they coincide is known, how far they lie is not."
        return (Text(paragraphs=(text,)),)
    rows = [
        {
            "passage": name,
            "exact": (known[name] == 0).mean(),
            "near": (known[name].abs() <= 100).mean(),  # noqa: PLR2004 - the paper's bins
            "before": (known[name] < 0).mean(),
            "median": known[name].abs().median(),
            "mean": known[name].abs().mean(),
        }
        for name in known.columns
    ]
    table = Table(
        name="entries",
        title="From the beginning of a passage to the best entry point",
        caption="In characters; before: the entry point comes first.",
        frame=pd.DataFrame(rows),
        columns=(
            *left(passage="Passage"),
            *right(share, exact="exactly there", near="within 100", before="before"),
            *right(whole, median="median distance"),
            *right(number(1), mean="mean distance"),
        ),
    )
    picture = Picture(
        name="entries",
        draw=lambda: figures.entry_distances(study.entries),
        title="Distance of best entry points",
        caption="Documents by distance, in bins of 100 characters; the outermost hold all that lies farther.",
        alt=words,
    )
    return picture, table


def _times(study: AssessmentStudy, words: str) -> _Blocks:
    groups = study.times.groupby("relevant")["seconds"]
    frame = groups.agg(["size", "mean", "median"]).reset_index().sort_values("relevant", ascending=False)
    frame["kind"] = ["relevant" if one else "irrelevant" for one in frame["relevant"]]
    table = Table(
        name="times",
        title="Seconds for a document",
        caption="All visits together; mean and median over documents.",
        frame=frame,
        columns=(
            *left(kind="Documents"),
            *right(whole, size="Number"),
            *right(number(1), mean="Mean", median="Median"),
        ),
    )
    picture = Picture(
        name="times",
        draw=lambda: figures.time_strips(study.times),
        title="Time to assess a document",
        caption="All visits together.",
        alt=words,
    )
    return picture, table


def _order(study: AssessmentStudy, _words: str) -> _Blocks:
    frame = study.steps.assign(action=[_DONE_BY[one] for one in study.steps["action"]]) if len(study.steps) else None
    if frame is None:
        return ()
    table = Table(
        name="order",
        title="Steps from one place to the next",
        caption="Forward: to a later place of the text. Inside: of the steps forward, those into the element just "
        "judged.",
        frame=frame,
        columns=(
            *left(action="From one to the next"),
            *right(whole, steps="Steps", forward="Forward"),
            *right(share, share="Share", inside="Inside"),
        ),
        data=study.steps,
    )
    return (table,)


def _documents_twice(study: AssessmentStudy, _words: str) -> _Blocks:
    table = Table(
        name="document-agreement",
        title="Two assessors, document by document",
        caption="Documents that each calls relevant, and both; both over the first's, the second's, and either's.",
        frame=study.document_agreement.rename_axis("topic").reset_index(),
        columns=_TWICE,
    )
    return (table,)


def _elements_twice(study: AssessmentStudy, _words: str) -> _Blocks:
    frame = study.element_agreement.rename_axis("topic").reset_index()
    return (element_agreement_table(frame, scale=study.scale),)


def _passages_twice(study: AssessmentStudy, _words: str) -> _Blocks:
    frame = study.passage_agreement.rename_axis("topic").reset_index()
    return (passage_agreement_table(frame.rename(columns={"first": "first_marked", "second": "second_marked"})),)


_SECTIONS: dict[str, tuple[str, Callable[[AssessmentStudy, str], _Blocks]]] = {
    "topics": ("Assessed documents", _topics),
    "growth": ("Pool growth", _growth),
    "beyond": ("Larger pools", _beyond),
    "new-runs": ("Coverage of new runs", _new_runs),
    "pools": ("Coverage of the pools", _pools),
    "passages": ("Passages per document", _passages),
    "elemental": ("Elemental passages", _elemental),
    "specificity": ("Specificity of elements", _specificity),
    "sizes": ("Exhaustivity and size", _sizes),
    "entries": ("Best entry points", _entries),
    "times": ("Assessment time", _times),
    "order": ("Order of work", _order),
    "documents-twice": ("Agreement on documents", _documents_twice),
    "elements-twice": ("Agreement on elements", _elements_twice),
    "passages-twice": ("Agreement on passages", _passages_twice),
}


def _methods(study: AssessmentStudy, answered: Collection[str]) -> tuple[str, ...]:
    """Return what was done for the questions that have an answer."""
    basis = (
        "The analyses are those of Piwowarski, Trotman and Lalmas (2008), section 5. A document is relevant if text in "
        "it is highlighted or an element relevant."
    )
    words = [basis, *(said.format(adds=_ADDS[study.rounds]) for name, said in _DONE.items() if name in answered)]
    if study.scale == "2003" and "specificity" in answered:
        words.append("Specificity, of 0 to 3, is divided by 3.")
    if {"documents-twice", "elements-twice", "passages-twice"} & {*answered}:
        words.append("The agreement of two assessors is what both chose over what either chose.")
    words.append("Nothing is tested or drawn at random.")
    return (" ".join(words),)


_DONE = {
    "growth": "Pools grow in rounds over the runs given: each adds {adds}. Numbers between two rounds are "
    "interpolated. A topic's curve ends before the first round with a document that nobody assessed.",
    "beyond": "A larger pool is expected to find relevant documents at the rate of the second half of a topic's pool.",
    "new-runs": "To a pool of documents that new runs are compared with, each run given adds {adds} in a round, to a "
    "pool of elements its next element; a pool ends with the round that fills it.",
    "elemental": "A passage is elemental if it is as long as the smallest element around both its ends.",
    "entries": "The distance of a best entry point is from the beginning of a passage, in characters.",
    "order": "Steps between places whose order is not known do not count.",
    "times": "In a log of actions the time to the topic's next action counts for the document, unless it is longer "
    "than the longest break allowed.",
}
