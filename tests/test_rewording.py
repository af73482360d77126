"""Nothing is decided from written text: other words, digits and headings leave every answer as it is.

A study is made, and its page written, twice: as they are, and with every sentence that a function writes in other
words. These stand for the sentences they replace, so that putting those back must give the same answer to the letter.
Whatever looks for words in a note, an error or a passage finds them no more, and something else differs.
"""

import gc
import json
import re
from contextlib import contextmanager
from dataclasses import replace
from types import CodeType, FunctionType
from unittest import mock

import every
import numpy as np
import pytest

from metaeval.base import words
from metaeval.page.tables import Table
from metaeval.questions.leaderboard.study import study_leaderboard
from metaeval.reports.prose import Prose
from metaeval.table.scores import as_scores

pytestmark = [
    pytest.mark.usefixtures("one_core"),
    pytest.mark.filterwarnings("ignore::metaeval.errors.MetaevalWarning"),
]
SENTENCE = re.compile(r"(?=.*[a-z]{2})(\s.*|.*\s|\S+(\s\S+){3,})", re.DOTALL)
"""A part of a formatted sentence, or four words at least."""
READING = re.compile(r"metaeval\.(io|cli|running|base|figures|page)\.")
"""What takes words of others apart, or renders words: what it compares is not what another function wrote."""


class OtherWords:
    """Sentences in other words, and the way back."""

    def __init__(self):
        self.sentences = []

    def of(self, sentence):
        """Return other words, which begin and end as the sentence does."""
        self.sentences.append(sentence)
        return f"{sentence[0]}⟦{len(self.sentences) - 1}⟧{sentence[-1]}"

    def back(self, answer):
        """Put the sentences back; a capital may have come at the beginning of one."""
        if isinstance(answer, dict):
            return {self.back(name): self.back(part) for name, part in answer.items()}
        if isinstance(answer, list):
            return [self.back(part) for part in answer]
        while isinstance(answer, str) and "⟦" in answer:
            answer = re.sub(r".⟦(\d+)⟧.", lambda match: self.sentences[int(match[1])], answer, flags=re.DOTALL)
        return answer.casefold() if isinstance(answer, str) else answer

    def code(self, code):
        """Return code that writes its sentences, and those of functions inside it, in other words."""

        def changed(constant):
            if isinstance(constant, CodeType):
                return self.code(constant)
            told = isinstance(constant, str) and SENTENCE.fullmatch(constant) and not re.search(r"[{%]", constant)
            return self.of(constant) if told else constant

        return code.replace(co_consts=tuple(map(changed, code.co_consts)))

    @contextmanager
    def everywhere(self):
        """Let all functions of the package, and all passages of pages, say it in other words."""
        functions = [one for one in gc.get_objects() if isinstance(one, FunctionType)]
        functions = [one for one in functions if (one.__module__ or "").startswith("metaeval.")]
        codes = {one: one.__code__ for one in functions if not READING.match(one.__module__)}
        render = Prose.__call__

        def say(*given, **named):
            passage = render(*given, **named)
            return self.of(passage) if SENTENCE.fullmatch(passage) else passage

        try:
            for function, code in codes.items():
                function.__code__ = self.code(code)
            with mock.patch.object(Prose, "__call__", say):
                yield
        finally:
            for function, code in codes.items():
                function.__code__ = code


def answer_of(study):
    """Return the JSON answer without what depends on the time, which columns rise, and the card where there is one."""
    report = study.report()
    answer = json.loads(report.to_json())
    del answer["provenance"], answer["options"]
    answer["rising"] = [[heading.rising for heading in table.headings()] for table in report.tables()]
    if hasattr(study, "card"):
        card = json.loads(json.dumps(study.card()))
        answer["card"] = {name: part for name, part in card.items() if name != "provenance"}
    return answer


def _hits(n_items=24):
    return (np.random.default_rng(3).random((6, n_items)) < np.linspace(0.3, 0.8, 6)[:, None]).astype(float)


def _few_clusters():
    hits = _hits()
    clusters = {str(item): str(item % 3) for item in range(1, hits.shape[1] + 1)}
    return study_leaderboard(as_scores(hits, clusters=clusters), n_splits=2, n_resamples=50, rng=1)


def _with_gaps(missing):
    hits = _hits()
    hits[2, :5] = hits[4, 3] = np.nan
    hits[5, 1:] = np.nan if missing == "pairwise" else 0.0
    return study_leaderboard(as_scores(hits, missing=missing), n_splits=2, n_resamples=50, rng=1)


MADE = {
    "few clusters": _few_clusters,
    "gaps counted as 0": lambda: _with_gaps("zero"),
    "gaps kept, and a system with one score": lambda: _with_gaps("pairwise"),
    **{
        name: lambda name=name: every.ask(name, every.data(every.EVERY[name].of))
        for name in every.EVERY
        if name.startswith("study_")
    },
}


def _study(name):
    return every.answer(name) if name in every.EVERY else MADE[name]()


@pytest.mark.parametrize("name", MADE)
def test_other_words_change_no_answer(name):
    """Notes, reasons and passages are in other words, and the answer says the same of the same."""
    expected, other = answer_of(_study(name)), OtherWords()
    with other.everywhere():
        found = answer_of(MADE[name]())
    assert other.sentences
    assert other.back(found) == OtherWords().back(expected)
