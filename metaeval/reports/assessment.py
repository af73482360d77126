"""The page that shows how assessments were made: each question with a sentence, a picture and a table."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from metaeval.figures.assessment import (
    entry_distances,
    growth_lines,
    passage_bars,
    size_bars,
    specificity_bars,
    time_strips,
)
from metaeval.reports.folder import check_folder, write_page
from metaeval.reports.html import Block, Fold, Item, Items, Page, Section, Text
from metaeval.reports.pictures import Picture
from metaeval.reports.power import notes_section, provenance_section
from metaeval.reports.tables import Column, Table
from metaeval.studies.assessment import SHORT, AssessmentStudy, growth_kinds, shown_growth
from metaeval.visible import csv_text
from metaeval.words import count, listed, number, share, whole

__all__ = ["answer_sentences", "assessment_page", "write_assessment_report"]

_TITLE = "How were the assessments made?"
_KINDS = {"relevant": "relevant documents", "elements": "relevant elements", "passages": "passages"}
_SCALES = {
    "2002": "relevance and coverage (2002)",
    "2003": "both dimensions in degrees (2003, 2004)",
    "2005": "exhaustivity and highlighted text (2005, 2006)",
    "passages": "highlighted text (2007 on)",
}


def assessment_page(study: AssessmentStudy, *, messages: Sequence[str] = ()) -> Page:
    """Put an analysis of assessments into a page.

    Parameters
    ----------
    study : AssessmentStudy
    messages : sequence of str
        Warnings given on the way.

    Returns
    -------
    Page
    """
    sentences = dict(answer_sentences(study))
    sections = [made(study, sentences[name]) for name, made in _SECTIONS.items() if name in sentences]
    if study.lacking:
        items = tuple(Item(words=words) for words in study.lacking)
        sections.append(
            Section(
                id="lacking",
                title="What was not answered",
                lead="Questions that these assessments and tables do not answer, and for want of what.",
                blocks=(Items(items=items),),
            )
        )
    facts = [(str(len(study.topics)), "topics"), (f"{study.topics['documents'].sum():.0f}", "documents assessed")]
    facts += [(f"{study.topics['relevant'].sum():.0f}", "of them relevant")]
    return Page(
        title=_TITLE,
        facts=tuple(facts),
        summary=tuple(sentences.values()),
        sections=(
            *sections,
            _methods_section(),
            notes_section(study.notes, messages),
            provenance_section(study.provenance),
        ),
        provenance=study.provenance,
    )


def write_assessment_report(
    study: AssessmentStudy, out: str | Path, *, overwrite: bool = False, messages: Sequence[str] = ()
) -> Path:
    """Write the report of an analysis of assessments as a folder.

    Parameters
    ----------
    study : AssessmentStudy
    out : path
        See `metaeval.reports.folder.check_folder` for when it may exist already.
    overwrite : bool, default False
    messages : sequence of str
        See `assessment_page`.

    Returns
    -------
    pathlib.Path
        The page to open: ``index.html`` in the folder.
    """
    check_folder(out, overwrite=overwrite)
    tables = {"growth": study.growth, "entries": study.entries, "times": study.times}
    data = {f"{name}.csv": partial(_write_csv, table) for name, table in tables.items() if len(table)}
    return write_page(assessment_page(study, messages=messages), out, data=data, overwrite=overwrite)


def _write_csv(frame: pd.DataFrame, path: Path) -> None:
    path.write_text(csv_text(frame), encoding="utf-8", errors="backslashreplace", newline="\n")


# ------------------------------------------------------------------------------------------------------ the sentences


def answer_sentences(study: AssessmentStudy) -> Iterator[tuple[str, str]]:
    """Yield the name of every question that has an answer, and the answer in a sentence."""
    for name, said in _SENTENCES.items():
        words = said(study)
        if words:
            yield name, words


def _topics_words(study: AssessmentStudy) -> str:
    means = study.topics.mean()
    parts = [f"{means['documents']:.1f} documents assessed, {means['relevant']:.1f} of them relevant"]
    parts += [f"{means[name]:.0f} {_KINDS[name]}" for name in ("elements", "passages") if np.isfinite(means[name])]
    return f"A topic has on average {listed(parts)}."


def _growth_words(study: AssessmentStudy) -> str:
    if study.growth.empty:
        return ""
    rows = shown_growth(study.growth)
    last = rows.iloc[-1]
    half = study.growth.iloc[max(0, int(last["documents"]) // 2 - 1)]
    kinds = growth_kinds(study.growth)
    found = listed(f"{share(half[f'{kind}_share'])} of the {_KINDS[kind]}" for kind in kinds)
    return (
        f"Half of the pool, {half['documents']:.0f} instead of {last['documents']:.0f} documents a topic, would have "
        f"found {found}."
    )


def _pools_words(study: AssessmentStudy) -> str:
    if study.pools.empty:
        return ""
    sums = study.pools.sum()
    return (
        f"Of {sums['documents']} documents in the pools {share(sums['assessed'] / sums['documents'])} were assessed; "
        f"{count(int(sums['outside']), 'assessed document')} lie outside."
    )


def _passages_words(study: AssessmentStudy) -> str:
    if study.passages.empty:
        return ""
    one, five, most = (
        study.figure("passages per document", name) for name in ("share with one", "share with at most five", "most")
    )
    return (
        f"{share(one)} of the relevant documents have a single passage, {share(five)} five or fewer; the most is "
        f"{most:.0f}."
    )


def _elemental_words(study: AssessmentStudy) -> str:
    if study.elemental.empty or np.isnan(study.elemental["share"].iloc[0]):
        return ""
    whole_ones, others = study.elemental["passages"].iloc[:2]
    rather = "text rather than elements" if whole_ones < others else "elements more often than text"
    return (
        f"{share(study.elemental['share'].iloc[0])} of {whole_ones + others} passages are exactly one element: the "
        f"assessors marked {rather}."
    )


def _specificity_words(study: AssessmentStudy) -> str:
    if study.classes.empty:
        return ""
    means = study.classes.set_index("element_class")["mean"]
    named = [f"{name} {mean:.2f}" for name, mean in means.items() if name != "other"]
    return f"Mean specificity of relevant elements: {listed(named or [f'{means.iloc[0]:.2f}'])}."


def _sizes_words(study: AssessmentStudy) -> str:
    if study.sizes.empty:
        return ""
    lowest = study.sizes.iloc[0]
    small = "the elements too small to judge"
    which = {
        row["exhaustivity"]: f"those of exhaustivity {row['exhaustivity']}" for row in study.sizes.to_dict("records")
    }
    which |= {"?": small} if "?" in which else {}
    medians = [f"{row['median']:.0f} among {which[row['exhaustivity']]}" for row in study.sizes.to_dict("records")]
    return (
        f"The median size of a relevant element in characters is {listed(medians)}. Of "
        f"{which[lowest['exhaustivity']]}, {share(lowest['short'])} have fewer than {SHORT} characters."
    )


def _entries_words(study: AssessmentStudy) -> str:
    if study.entries.empty:
        return ""
    first, any_of = (
        study.figure("best entry points", f"share where {which} passage begins") for which in ("the first", "some")
    )
    return (
        f"{share(first)} of {len(study.entries)} best entry points lie where the first passage begins, {share(any_of)} "
        "where some passage does."
    )


def _times_words(study: AssessmentStudy) -> str:
    if study.times.empty:
        return ""
    parts = [
        f"{_duration(seconds)} for {kind} documents"
        for kind in ("relevant", "irrelevant")
        if np.isfinite(seconds := study.figure("time", f"mean seconds of {kind} documents"))
    ]
    return (
        f"On average assessors took {listed(parts)}, and {study.figure('time', 'mean hours of a topic'):.1f} h a topic."
    )


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.1f} min"  # noqa: PLR2004 - two digits are read


def _elements_twice_words(study: AssessmentStudy) -> str:
    if study.element_agreement.empty:
        return ""
    mean = study.element_agreement.loc["mean"]
    return (
        f"Two assessors agree on {share(mean['documents'])} of the relevant documents, on {share(mean['both'])} of the "
        f"relevant elements, and on {share(mean['exact'])} with their grades "
        f"({count(len(study.element_agreement) - 1, 'topic')})."
    )


def _passages_twice_words(study: AssessmentStudy) -> str:
    if study.passage_agreement.empty:
        return ""
    return (
        f"Of the text that either of two assessors highlighted, both highlighted "
        f"{share(study.passage_agreement['of_union'].mean())} ({count(len(study.passage_agreement), 'topic')})."
    )


_SENTENCES: dict[str, Callable[[AssessmentStudy], str]] = {
    "topics": _topics_words,
    "growth": _growth_words,
    "pools": _pools_words,
    "passages": _passages_words,
    "elemental": _elemental_words,
    "specificity": _specificity_words,
    "sizes": _sizes_words,
    "entries": _entries_words,
    "times": _times_words,
    "elements-twice": _elements_twice_words,
    "passages-twice": _passages_twice_words,
}

# ------------------------------------------------------------------------------------------------------- the sections


def _number(name: str, label: str, write: Callable[[object], str] = whole, group: str = "") -> Column:
    return Column(name=name, label=label, write=write, align="right", group=group)


def _picture(name: str, figure: Figure, title: str, caption: str, alt: str) -> Picture:
    return Picture(name=name, figure=figure, title=title, caption=caption, alt=alt)


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
        columns=(Column(name="topic", label="Topic"), *(_number(name, labels[name]) for name in known)),
    )
    return Section(
        id="topics", title="What was assessed", lead=words, blocks=(Fold(title="Topic by topic", blocks=(table,)),)
    )


def _growth_section(study: AssessmentStudy, words: str) -> Section:
    rows = shown_growth(study.growth)
    kinds = growth_kinds(study.growth)
    columns = [_number("documents", "Pool size"), _number("topics", "Topics")]
    for kind in kinds:
        columns += [
            _number(kind, "mean", number(1), group=_KINDS[kind]),
            _number(f"{kind}_share", "share", share, group=_KINDS[kind]),
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
        growth_lines(study.growth),
        "What is found as the pools grow",
        "The straight dotted line is what documents in random order would find.",
        words,
    )
    return Section(id="growth", title="Are the pools large enough?", lead=words, blocks=(picture, table))


def _pools_section(study: AssessmentStudy, words: str) -> Section:
    table = Table(
        name="pools",
        title="Pools and assessments",
        caption="Documents of each pool file, how many of them were assessed, and assessed documents outside the pool.",
        frame=study.pools.rename_axis("topic").reset_index(),
        columns=(
            Column(name="topic", label="Topic"),
            _number("documents", "In the pool"),
            _number("assessed", "Assessed"),
            _number("outside", "Outside"),
        ),
    )
    return Section(
        id="pools", title="Was the pool assessed?", lead=words, blocks=(Fold(title="Topic by topic", blocks=(table,)),)
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
        passage_bars(study.passages),
        "Passages in a relevant document",
        "Adjacent ones count as one.",
        words,
    )
    return Section(
        id="passages",
        title="How many passages has a document?",
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
            Column(name="kind", label="Passage"),
            _number("passages", "Passages"),
            _number("share", "Share", share),
        ),
    )
    return Section(id="elemental", title="Are passages elements?", lead=words, blocks=(table,))


def _specificity_section(study: AssessmentStudy, words: str) -> Section:
    table = Table(
        name="specificity-classes",
        title="Specificity of classes of elements",
        caption="Mean over relevant elements, also as a share of that of paragraphs; highest: the share relevant "
        "throughout, or in the top degree.",
        frame=study.classes,
        columns=(
            Column(name="element_class", label="Class"),
            _number("elements", "Elements"),
            _number("mean", "Mean", number(2)),
            _number("of_paragraph", "Of paragraphs'", share),
            _number("full", "Highest", share),
        ),
    )
    full = "; those relevant throughout are left out, as they would hide the rest" if study.scale == "2005" else ""
    picture = _picture(
        "specificity",
        specificity_bars(study.specificity),
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
            Column(name="element_class", label="Class"),
            _number("low", "above", number(2)),
            _number("high", "up to", number(2)),
            _number("elements", "Elements"),
        ),
    )
    blocks: tuple[Block, ...] = (picture, table, Fold(title="All numbers", blocks=(counts,)))
    return Section(id="specificity", title="How specific are the elements?", lead=words, blocks=blocks)


def _sizes_section(study: AssessmentStudy, words: str) -> Section:
    table = Table(
        name="sizes",
        title="Sizes by exhaustivity",
        caption=f"Characters of relevant elements; short: below {SHORT} characters.",
        frame=study.sizes,
        columns=(
            Column(name="exhaustivity", label="Exhaustivity"),
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
        "sizes", size_bars(study.sizes, short=SHORT), "Exhaustivity and size", "The dashed line: 55 characters.", words
    )
    return Section(id="sizes", title="Does exhaustivity go with size?", lead=words, blocks=(picture, table))


def _entries_section(study: AssessmentStudy, words: str) -> Section:
    known = study.entries[["first", "biggest", "nearest"]].dropna()
    if known.empty:
        text = "Entry points are given as points in the tree: whether they coincide is known, how far they lie is not."
        return Section(id="entries", title="Where to begin reading?", lead=words, blocks=(Text(paragraphs=(text,)),))
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
            Column(name="passage", label="Passage"),
            _number("exact", "exactly there", share),
            _number("near", "within 100", share),
            _number("before", "before", share),
            _number("median", "median distance"),
            _number("mean", "mean distance", number(1)),
        ),
    )
    picture = _picture(
        "entries",
        entry_distances(study.entries),
        "Distance of best entry points",
        "Documents by distance, in bins of 100 characters; the outermost hold all that lies farther.",
        words,
    )
    return Section(id="entries", title="Where to begin reading?", lead=words, blocks=(picture, table))


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
            Column(name="kind", label="Documents"),
            _number("size", "Number"),
            _number("mean", "Mean", number(1)),
            _number("median", "Median", number(1)),
        ),
    )
    picture = _picture("times", time_strips(study.times), "Time to assess a document", "All visits together.", words)
    return Section(id="times", title="How long did it take?", lead=words, blocks=(picture, table))


def _elements_twice_section(study: AssessmentStudy, words: str) -> Section:
    frame = study.element_agreement.rename_axis("topic").reset_index()
    margins = [name for name in frame.columns if name.startswith("specificity<")]
    table = Table(
        name="element-agreement",
        title="Two assessors, element by element",
        caption="Shares of the elements that either calls relevant: both do; with the same exhaustivity; with a "
        "specificity closer than so much; with exactly the same grades. Documents: of those relevant to either.",
        frame=frame,
        columns=(
            Column(name="topic", label="Topic"),
            _number("union", "Elements"),
            _number("documents", "Documents", number(2)),
            _number("both", "Both", number(2)),
            _number("same_exhaustivity", "Exh.", number(2)),
            *(_number(name, f"s < {name.removeprefix('specificity<')}", number(2)) for name in margins),
            _number("exact", "Exact", number(2)),
        ),
    )
    return Section(id="elements-twice", title="Do two assessors agree on elements?", lead=words, blocks=(table,))


def _passages_twice_section(study: AssessmentStudy, words: str) -> Section:
    frame = study.passage_agreement.rename_axis("topic").reset_index()
    table = Table(
        name="passage-agreement",
        title="Two assessors, character by character",
        caption="Characters that each highlighted, and both; both over the first's, the second's, and either's.",
        frame=frame,
        columns=(
            Column(name="topic", label="Topic"),
            *(_number(name, label) for name, label in (("first", "First"), ("second", "Second"), ("both", "Both"))),
            _number("of_first", "Of the first", number(2)),
            _number("of_second", "Of the second", number(2)),
            _number("of_union", "Of either", number(2)),
        ),
    )
    return Section(id="passages-twice", title="Do two assessors highlight the same?", lead=words, blocks=(table,))


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


def _methods_section() -> Section:
    analyses = (
        "The analyses are those of Piwowarski, Trotman and Lalmas (2008), section 5. A document is relevant if text in "
        "it is highlighted or an element relevant. Specificity of 2003 and 2004 is divided by 3."
    )
    pools = (
        "Pools grow in rounds over the runs given; numbers between two rounds are interpolated. A topic's curve ends "
        "before the first round with a document that nobody assessed."
    )
    return Section(
        id="methods", title="Methods", lead="What was computed.", blocks=(Text(paragraphs=(analyses, pools)),)
    )
