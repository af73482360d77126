"""What a report on assessments says in words: every answer as a sentence, every figure with its name."""

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

from metaeval.base.names import count
from metaeval.base.words import listed, number, share, whole
from metaeval.inex.assessed_pools import growth_kinds, half_pool, shown_growth
from metaeval.inex.assessment_tables import SHORT
from metaeval.reports.assessed_parts import element_sentence, passage_sentence
from metaeval.studies.assessment import AssessmentStudy
from metaeval.studies.assessment_figures import FOUND, quoted_figures

_RANK = 50
_WRITERS: dict[str, Callable[[float], str]] = {
    "count": lambda value: whole(round(value)),
    "share": share,
    "one": number(1),
    "two": number(2),
}


def figures_in_words(study: AssessmentStudy) -> pd.DataFrame:
    """Return the figures of a study as people write them."""
    rows = [
        (one.question.capitalize(), one.words, _WRITERS[one.kind](one.value), float(one.value))
        for one in quoted_figures(study)
    ]
    return pd.DataFrame(rows, columns=["question", "figure", "value", "value_sort"])


def answer_sentences(study: AssessmentStudy) -> Iterator[tuple[str, str]]:
    """Yield the name of every question that has an answer, and the answer in a sentence."""
    for name, said in _SENTENCES.items():
        words = said(study)
        if words:
            yield name, words


def relevant_elements(study: AssessmentStudy) -> str:
    """Return what specificity and sizes are told of: more than the elements that a topic counts as relevant."""
    return "relevant elements" + ", those too small to judge included" * (study.scale == "2005")


def _topics_words(study: AssessmentStudy) -> str:
    means, least, most = study.topics.mean(), study.topics.min(), study.topics.max()

    def told(name: str, words: str) -> str:
        return f"{means[name]:.1f} {words} ({least[name]:.0f} to {most[name]:.0f})"

    parts = [told("documents", "documents assessed"), told("relevant", "of them relevant")]
    parts += [told(name, FOUND[name]) for name in ("elements", "passages") if np.isfinite(means[name])]
    return f"A topic has on average {listed(parts)}."


def _growth_words(study: AssessmentStudy) -> str:
    if study.growth.empty:
        return ""
    last, half = shown_growth(study.growth).iloc[-1], half_pool(study.growth)
    kinds = growth_kinds(study.growth)
    found = listed(f"{share(half[f'{kind}_share'])} of the {FOUND[kind]}" for kind in kinds)
    return (
        f"Half of the pool, {half['documents']:.0f} instead of {last['documents']:.0f} documents a topic, would have "
        f"found {found}."
    )


def _beyond_words(study: AssessmentStudy) -> str:
    if study.beyond.empty:
        return ""
    row = study.beyond.iloc[0]
    known = f" ({row['low']:.1f} to {row['high']:.1f})" * bool(np.isfinite(row["low"]))
    return (
        f"{row['added']:.0f} more documents a topic would find {row['relevant']:.1f} more relevant ones{known} "
        f"and take {row['hours']:.1f} h, {share(row['hours'] / row['hours_now'])} of the {row['hours_now']:.1f} h that "
        "the present pool takes."
    )


def _new_runs_words(study: AssessmentStudy) -> str:
    if study.new_runs.empty:
        return ""
    table = study.new_runs
    size, rank = int(table["size"].max()), min(_RANK, int(table["rank"].max()))
    held = table[(table["size"] == size) & (table["rank"] == rank)].set_index("unit")["share_up_to"]
    parts = listed(f"{share(value)} in a pool of {size} {unit}" for unit, value in held.items())
    return f"Of the first {rank} results of new runs {parts} would be judged."


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
    law = study.power_law["exponent"] if len(study.power_law) else ()
    said = "".join(f" The counts follow a power law with the exponent {exponent:.2f}." for exponent in law)
    return (
        f"{share(one)} of the relevant documents have a single passage, {share(five)} five or fewer; the most is "
        f"{most:.0f}.{said}"
    )


def _elemental_words(study: AssessmentStudy) -> str:
    if study.elemental.empty or np.isnan(study.elemental["share"].iloc[0]):
        return ""
    shares = study.elemental["share"]
    return (
        f"{share(shares.iloc[0])} of {study.elemental['passages'].iloc[:2].sum()} passages coincide with one element; "
        f"the other {share(shares.iloc[1])} cover a part of the smallest element around them."
    )


def _specificity_words(study: AssessmentStudy) -> str:
    if study.classes.empty:
        return ""
    means = study.classes.set_index("element_class")["mean"]
    named = [f"{name} {mean:.2f}" for name, mean in means.items() if name != "other"]
    return f"Mean specificity of {relevant_elements(study)}: {listed(named or [f'{means.iloc[0]:.2f}'])}."


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
        f"The median size of an element in characters is {listed(medians)}. Of "
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


def _order_words(study: AssessmentStudy) -> str:
    rows = study.steps.set_index("action").to_dict("index") if len(study.steps) else {}
    parts = []
    for action, called in (("highlight", "highlights"), ("assess", "judgments of elements")):
        if action in rows:
            parts.append(f"{share(rows[action]['share'])} of the {called}")
            inside = rows[action]["inside"]
            parts[-1] += f" ({share(inside)} of these in that element)" * bool(np.isfinite(inside))
    said = [f"{listed(parts)} lie behind the one before in the text."] if parts else []
    if len(study.cycles):
        said.append(f"A document took {study.cycles['cycles'].mean():.2f} highlight-then-judge cycles.")
    return " ".join(said)


def _documents_twice_words(study: AssessmentStudy) -> str:
    if study.document_agreement.empty:
        return ""
    return (
        f"Of the documents that either of two assessors calls relevant, both do so for "
        f"{share(study.document_agreement['of_union'].mean())} (mean over "
        f"{count(len(study.document_agreement), 'topic')})."
    )


def _elements_twice_words(study: AssessmentStudy) -> str:
    frame = study.element_agreement
    return "" if frame.empty else element_sentence(frame.rename_axis("topic").reset_index())


def _passages_twice_words(study: AssessmentStudy) -> str:
    return "" if study.passage_agreement.empty else passage_sentence(study.passage_agreement)


_SENTENCES: dict[str, Callable[[AssessmentStudy], str]] = {
    "topics": _topics_words,
    "growth": _growth_words,
    "beyond": _beyond_words,
    "new-runs": _new_runs_words,
    "pools": _pools_words,
    "passages": _passages_words,
    "elemental": _elemental_words,
    "specificity": _specificity_words,
    "sizes": _sizes_words,
    "entries": _entries_words,
    "times": _times_words,
    "order": _order_words,
    "documents-twice": _documents_twice_words,
    "elements-twice": _elements_twice_words,
    "passages-twice": _passages_twice_words,
}
