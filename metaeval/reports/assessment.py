"""The report on how assessments were made: each question with a sentence, a picture and a table."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import pandas as pd

from metaeval import figures
from metaeval.agreement.assessed_pools import growth_kinds, shown_growth
from metaeval.agreement.assessment_tables import SHORT
from metaeval.reports.assessment_words import answer_sentences, figures_in_words
from metaeval.reports.data_files import csv_file
from metaeval.reports.report import Block, Fold, Item, Items, Methods, Picture, Report, Section, Text
from metaeval.reports.tables import Column, Table, left, right
from metaeval.studies.assessment import FOUND, AssessmentStudy
from metaeval.words import number, share, whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["assessment_report"]

_SCALES = {
    "2002": "relevance and coverage (2002)",
    "2003": "both dimensions in degrees (2003, 2004)",
    "2005": "exhaustivity and highlighted text (2005, 2006)",
    "passages": "highlighted text (2007 on)",
}
_PARAGRAPHS = (
    ("topics", "growth", "pools"),
    ("passages", "elemental", "specificity", "sizes", "entries"),
    ("times", "elements-twice", "passages-twice"),
)
"""Answers that stand together in the summary."""
_SOURCES = ("piwowarski2008",)


def assessment_report(study: AssessmentStudy) -> Report:
    """Put an analysis of assessments into a report.

    Parameters
    ----------
    study : AssessmentStudy

    Returns
    -------
    Report
    """
    sentences = dict(answer_sentences(study))
    sections = [made(study, sentences[name]) for name, made in _SECTIONS.items() if name in sentences]
    if study.lacking:
        sections.append(_unanswered_section(study))
    paragraphs = [" ".join(sentences[name] for name in names if name in sentences) for names in _PARAGRAPHS]
    frames = {"growth": study.growth, "entries": study.entries, "times": study.times}
    return Report(
        command="assessment",
        title="How were the assessments made?",
        facts=(
            (str(len(study.topics)), "topics"),
            (f"{study.topics['documents'].sum():.0f}", "documents assessed"),
            (f"{study.topics['relevant'].sum():.0f}", "of them relevant"),
        ),
        summary=tuple(paragraph for paragraph in paragraphs if paragraph),
        sections=(_figures_section(study), *sections),
        methods=Methods(paragraphs=_METHODS, cite=_SOURCES),
        rows=study.to_frame(),
        provenance=study.provenance,
        notes=study.notes,
        data={f"{name}.csv": csv_file(frame) for name, frame in frames.items() if len(frame)},
    )


# ------------------------------------------------------------------------------------------------------- the sections


def _figures_section(study: AssessmentStudy) -> Section:
    table = Table(
        name="figures",
        title="Figures of the assessments",
        caption="Mean of a topic: over all topics that were assessed. The file holds every figure at full precision.",
        frame=figures_in_words(study),
        data=study.to_frame(),
        columns=(
            *left(question="Question", figure="Figure"),
            *right(value="Value"),
        ),
    )
    return Section(
        id="figures",
        title="Key figures",
        lead="What papers about assessments quote, for comparison with other campaigns.",
        brief=True,
        blocks=(table,),
    )


def _unanswered_section(study: AssessmentStudy) -> Section:
    items = tuple(Item(words=words) for words in study.lacking)
    return Section(
        id="lacking",
        title="Unanswered questions",
        lead="More is answered where assessments and tables hold more.",
        brief=True,
        blocks=(Text(paragraphs=("Not answered, each for want of what is named:",)), Items(items=items)),
    )


def _number(name: str, label: str, write: Callable[[object], str] = whole, group: str = "") -> Column:
    return Column(name=name, label=label, write=write, align="right", group=group)


def _picture(name: str, draw: "Callable[[], Figure]", title: str, caption: str, alt: str) -> Picture:
    return Picture(name=name, draw=draw, title=title, caption=caption, alt=alt)


def _topics_section(study: AssessmentStudy, words: str) -> Section:
    labels = {
        "documents": "Documents",
        "relevant": "Relevant",
        "elements": "Elements",
        "too_small": "Too small",
        "passages": "Passages",
        "highlighted": "Highlighted characters",
    }
    frame = study.topics.rename_axis("topic").reset_index()
    known = [name for name in labels if frame[name].notna().any()]
    table = Table(
        name="topics",
        title="What each topic has",
        caption=f"Scale: {_SCALES[study.scale]}. Elements: relevant, without those too small to judge.",
        frame=frame,
        columns=(*left(topic="Topic"), *(_number(name, labels[name]) for name in known)),
    )
    return Section(
        id="topics", title="Assessed documents", lead=words, blocks=(Fold(title="Topic by topic", blocks=(table,)),)
    )


def _growth_section(study: AssessmentStudy, words: str) -> Section:
    rows = shown_growth(study.growth)
    kinds = growth_kinds(study.growth)
    columns = [_number("documents", "Pool size"), _number("topics", "Topics")]
    for kind in kinds:
        columns += [
            _number(kind, "mean", number(1), group=FOUND[kind]),
            _number(f"{kind}_share", "share", share, group=FOUND[kind]),
        ]
    table = Table(
        name="pool-growth",
        title="What pools of a size hold",
        caption="Pools grow in rounds: each run adds its next document. Means over the topics whose pool grows so far; "
        "shares are of all that was found in these topics.",
        frame=rows,
        columns=tuple(columns),
        data=study.growth,
    )
    picture = _picture(
        "pool-growth",
        lambda: figures.growth_lines(study.growth),
        "What is found as the pools grow",
        "The straight dotted line is what documents in random order would find.",
        words,
    )
    return Section(id="growth", title="Pool growth", lead=words, blocks=(picture, table))


def _pools_section(study: AssessmentStudy, words: str) -> Section:
    table = Table(
        name="pools",
        title="Pools and assessments",
        caption="Documents of each pool file, how many of them were assessed, and assessed documents outside the pool.",
        frame=study.pools.rename_axis("topic").reset_index(),
        columns=(
            *left(topic="Topic"),
            _number("documents", "In the pool"),
            _number("assessed", "Assessed"),
            _number("outside", "Outside"),
        ),
    )
    return Section(
        id="pools", title="Coverage of the pools", lead=words, blocks=(Fold(title="Topic by topic", blocks=(table,)),)
    )


def _passages_section(study: AssessmentStudy, words: str) -> Section:
    table = Table(
        name="passages",
        title="Passages in a relevant document",
        caption="Documents with so many passages, and the share with no more.",
        frame=study.passages,
        columns=(
            _number("passages", "Passages"),
            _number("documents", "Documents"),
            _number("share", "Share", share),
            _number("up_to", "Up to so many", share),
        ),
    )
    picture = _picture(
        "passages",
        lambda: figures.passage_bars(study.passages),
        "Passages in a relevant document",
        "Adjacent ones count as one.",
        words,
    )
    return Section(
        id="passages",
        title="Passages per document",
        lead=words,
        blocks=(picture, Fold(title="The numbers", blocks=(table,))),
    )


def _elemental_section(study: AssessmentStudy, words: str) -> Section:
    table = Table(
        name="elemental",
        title="Passages and elements",
        caption="Elemental: as long as the smallest element around both ends. Unknown: nobody says how long that is.",
        frame=study.elemental,
        columns=(
            *left(kind="Passage"),
            _number("passages", "Passages"),
            _number("share", "Share", share),
        ),
    )
    return Section(id="elemental", title="Elemental passages", lead=words, blocks=(table,))


def _specificity_section(study: AssessmentStudy, words: str) -> Section:
    table = Table(
        name="specificity-classes",
        title="Specificity of classes of elements",
        caption="Mean over relevant elements, also as a share of that of paragraphs; highest: the share relevant "
        "throughout, or in the top degree.",
        frame=study.classes,
        columns=(
            *left(element_class="Class"),
            _number("elements", "Elements"),
            _number("mean", "Mean", number(2)),
            _number("of_paragraph", "Of paragraphs'", share),
            _number("full", "Highest", share),
        ),
    )
    full = "; those relevant throughout are left out, as they would hide the rest" if study.scale == "2005" else ""
    picture = _picture(
        "specificity",
        lambda: figures.specificity_bars(study.specificity),
        "Specificity of relevant elements",
        f"Relevant elements by specificity, classes on top of one another{full}.",
        words,
    )
    counts = Table(
        name="specificity",
        title="Elements by specificity",
        caption="Specificity above the first up to the second number; from 1 to 1: relevant throughout.",
        frame=study.specificity,
        columns=(
            *left(element_class="Class"),
            _number("low", "above", number(2)),
            _number("high", "up to", number(2)),
            _number("elements", "Elements"),
        ),
    )
    blocks: tuple[Block, ...] = (picture, table, Fold(title="All numbers", blocks=(counts,)))
    return Section(id="specificity", title="Specificity of elements", lead=words, blocks=blocks)


def _sizes_section(study: AssessmentStudy, words: str) -> Section:
    table = Table(
        name="sizes",
        title="Sizes by exhaustivity",
        caption=f"Characters of relevant elements; short: below {SHORT} characters.",
        frame=study.sizes,
        columns=(
            *left(exhaustivity="Exhaustivity"),
            _number("elements", "Elements"),
            _number("low", "5 %", group="Characters"),
            _number("median", "median", group="Characters"),
            _number("mean", "mean", group="Characters"),
            _number("high", "95 %", group="Characters"),
            _number("short", "Short", share),
        ),
        data=study.sizes,
    )
    picture = _picture(
        "sizes",
        lambda: figures.size_bars(study.sizes, short=SHORT),
        "Exhaustivity and size",
        "The dashed line: 55 characters.",
        words,
    )
    return Section(id="sizes", title="Exhaustivity and size", lead=words, blocks=(picture, table))


def _entries_section(study: AssessmentStudy, words: str) -> Section:
    known = study.entries[["first", "biggest", "nearest"]].dropna()
    if known.empty:
        text = "Entry points are given as points in the tree: whether they coincide is known, how far they lie is not."
        return Section(id="entries", title="Best entry points", lead=words, blocks=(Text(paragraphs=(text,)),))
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
            _number("exact", "exactly there", share),
            _number("near", "within 100", share),
            _number("before", "before", share),
            _number("median", "median distance"),
            _number("mean", "mean distance", number(1)),
        ),
    )
    picture = _picture(
        "entries",
        lambda: figures.entry_distances(study.entries),
        "Distance of best entry points",
        "Documents by distance, in bins of 100 characters; the outermost hold all that lies farther.",
        words,
    )
    return Section(id="entries", title="Best entry points", lead=words, blocks=(picture, table))


def _times_section(study: AssessmentStudy, words: str) -> Section:
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
            _number("size", "Number"),
            _number("mean", "Mean", number(1)),
            _number("median", "Median", number(1)),
        ),
    )
    picture = _picture(
        "times", lambda: figures.time_strips(study.times), "Time to assess a document", "All visits together.", words
    )
    return Section(id="times", title="Assessment time", lead=words, blocks=(picture, table))


def _elements_twice_section(study: AssessmentStudy, words: str) -> Section:
    frame = study.element_agreement.rename_axis("topic").reset_index()
    tolerances = [name for name in frame.columns if name.startswith("specificity<")]
    table = Table(
        name="element-agreement",
        title="Two assessors, element by element",
        caption="Shares of the elements that either calls relevant: both do; with the same exhaustivity; with a "
        "specificity closer than so much; with exactly the same grades. Documents: of those relevant to either.",
        frame=frame,
        columns=(
            *left(topic="Topic"),
            _number("union", "Elements"),
            _number("documents", "Documents", number(2)),
            _number("both", "Both", number(2)),
            _number("same_exhaustivity", "Exh.", number(2)),
            *(_number(name, f"s < {name.removeprefix('specificity<')}", number(2)) for name in tolerances),
            _number("exact", "Exact", number(2)),
        ),
    )
    return Section(id="elements-twice", title="Agreement on elements", lead=words, blocks=(table,))


def _passages_twice_section(study: AssessmentStudy, words: str) -> Section:
    frame = study.passage_agreement.rename_axis("topic").reset_index()
    table = Table(
        name="passage-agreement",
        title="Two assessors, character by character",
        caption="Characters that each highlighted, and both; both over the first's, the second's, and either's.",
        frame=frame,
        columns=(
            *left(topic="Topic"),
            *(_number(name, label) for name, label in (("first", "First"), ("second", "Second"), ("both", "Both"))),
            _number("of_first", "Of the first", number(2)),
            _number("of_second", "Of the second", number(2)),
            _number("of_union", "Of either", number(2)),
        ),
    )
    return Section(id="passages-twice", title="Agreement on passages", lead=words, blocks=(table,))


_SECTIONS: dict[str, Callable[[AssessmentStudy, str], Section]] = {
    "topics": _topics_section,
    "growth": _growth_section,
    "pools": _pools_section,
    "passages": _passages_section,
    "elemental": _elemental_section,
    "specificity": _specificity_section,
    "sizes": _sizes_section,
    "entries": _entries_section,
    "times": _times_section,
    "elements-twice": _elements_twice_section,
    "passages-twice": _passages_twice_section,
}

_METHODS = (
    (
        "The analyses are those of Piwowarski, Trotman and Lalmas (2008), section 5. A document is relevant if text in "
        "it is highlighted or an element relevant. A passage is elemental if it is as long as the smallest element "
        "around both its ends. Specificity of 2003 and 2004 is divided by 3."
    ),
    (
        "Pools grow in rounds over the runs given; numbers between two rounds are interpolated. A topic's curve ends "
        "before the first round with a document that nobody assessed."
    ),
    (
        "The distance of a best entry point is from the beginning of a passage, in characters. In a log of actions the "
        "time to the topic's next action counts for the document, unless it is longer than the longest break allowed. "
        "The agreement of two assessors is what both chose over what either chose. Nothing is tested or drawn at "
        "random."
    ),
)
