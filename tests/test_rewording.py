"""Nothing is decided from written text: other words, digits and headings leave every answer as it is.

A study is made, and its page written, twice: as they are, and with every sentence that a function writes in other
words, twice the decimals and other headings. Other words stand for the sentences that they replace, so that putting
those back must give the same answer to the letter, but for the digits in its texts. Whatever looks for words in a note,
an error or a passage finds them no more, and something else differs. What digits decide is seen in the counts and the
truth values that passages are given.
"""

import gc
import json
import re
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from types import CodeType, FunctionType
from unittest import mock

import every
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.base import words
from metaeval.page.tables import Table
from metaeval.questions.leaderboard.study import study_leaderboard
from metaeval.reports.key_figures import sure_side
from metaeval.reports.prose import Prose
from metaeval.table import structure
from metaeval.table.scores import as_scores

pytestmark = [
    pytest.mark.usefixtures("one_core"),
    pytest.mark.filterwarnings("ignore::metaeval.errors.MetaevalWarning"),
]
SENTENCE = re.compile(r"(?=.*[a-z]{2}.*([,:;]|[a-z]\s\S*[a-z]{2}))(\s.*|.*\s|\S+(\s\S+){3,})", re.DOTALL)
"""A part of a formatted sentence, not of a name such as "AP interval", or four words at least."""
READING = re.compile(r"metaeval\.(io|cli|running|base|figures|page)\.")
"""What takes words of others apart, or renders words: what it compares is not what another function wrote."""


class _Named(dict):
    """A table whose names are known in other words too."""

    def __init__(self, table, of):
        super().__init__(table)
        self._of = of

    def __missing__(self, name):
        return self[self._of(name)]

    def __contains__(self, name):
        return super().__contains__(self._of(name))


class OtherWords:
    """Sentences in other words, and the way back."""

    def __init__(self):
        self.sentences, self._codes = [], {}

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
        return self.sentence(answer).casefold() if isinstance(answer, str) else answer

    def sentence(self, text):
        """Return text as it was."""
        while "⟦" in text:
            text = re.sub(r".⟦(\d+)⟧.", lambda match: self.sentences[int(match[1])], text, flags=re.DOTALL)
        return text

    def code(self, code):
        """Return code that writes its sentences, and those of functions inside it, in other words."""
        if code not in self._codes:
            constants = tuple(map(self._constant, code.co_consts))
            self._codes[code] = code if constants == code.co_consts else code.replace(co_consts=constants)
        return self._codes[code]

    def _constant(self, constant):
        if isinstance(constant, CodeType):
            return self.code(constant)
        told = isinstance(constant, str) and SENTENCE.fullmatch(constant) and not re.search(r"[{%]", constant)
        return self.of(constant) if told else constant

    @contextmanager
    def everywhere(self):
        """Let all functions of the package, and all passages of pages, say it in other words."""
        functions = [each for each in gc.get_objects() if type(each) is FunctionType]  # weak references may be dead
        functions = [one for one in functions if (one.__module__ or "").startswith("metaeval.")]
        codes = {one: one.__code__ for one in functions if not READING.match(one.__module__)}
        procedures, render = _Named(structure.PROCEDURES, of=self.sentence), Prose.__call__

        def say(prose, name, /, **given):
            passage = render(prose, self.sentence(name), **given)
            return self.of(passage) if SENTENCE.fullmatch(passage) else passage

        try:
            for function, code in codes.items():
                function.__code__ = self.code(code)
            with mock.patch.object(Prose, "__call__", say), mock.patch.object(structure, "PROCEDURES", procedures):
                yield
        finally:
            for function, code in codes.items():
                function.__code__ = code


OTHER = OtherWords()


@contextmanager
def more_digits():
    """Let every number be written with twice the decimals."""
    write = type(words.number(1)).__call__
    with mock.patch.object(
        type(words.number(1)), "__call__", lambda self, value: write(replace(self, digits=2 * self.digits), value)
    ):
        yield


@contextmanager
def other_headings():
    """Let every column of every table have another heading."""
    made = Table.__post_init__

    def relabelled(table):
        columns = (
            replace(column, label=f"heading {number}", group="group" * bool(column.group))
            for number, column in enumerate(table.columns)
        )
        object.__setattr__(table, "columns", tuple(columns))
        made(table)

    with mock.patch.object(Table, "__post_init__", relabelled):
        yield


@contextmanager
def decisions():
    """Yield a list that the passages said are written to, with the counts and the truth values that they are given."""
    told, render = [], Prose.__call__

    def say(prose, name, /, **given):
        told.append(
            (name, {key: value for key, value in given.items() if isinstance(value, int | np.integer | np.bool_)})
        )
        return render(prose, name, **given)

    with mock.patch.object(Prose, "__call__", say):
        yield told


def without_numbers(answer):
    """Return an answer without headings, and without the numbers in its texts."""
    if isinstance(answer, dict):
        return {name: without_numbers(part) for name, part in answer.items() if name not in {"heading", "group"}}
    if isinstance(answer, list):
        return [without_numbers(part) for part in answer]
    return re.sub(r"\u2212?\d+([.,]\d+)*", "#", answer) if isinstance(answer, str) else answer


def answer_of(study):
    """Return the JSON answer without what depends on the time, which columns rise, and the card where there is one."""
    report = study.report()
    answer = json.loads(report.to_json())
    del answer["provenance"], answer["options"], answer["tables"]["provenance"]
    answer["rising"] = [[heading.rising for heading in table.headings()] for table in report.tables()]
    if hasattr(study, "card"):
        card = json.loads(json.dumps(study.card()))
        answer["card"] = {name: part for name, part in card.items() if name not in {"provenance", "created"}}
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


def _asked():
    """Yield the other studies as the table of procedures asks them, with t tests where it has these, which are fast."""
    for name, entry in every.EVERY.items():
        first, _, way = name.partition(", ")
        if (
            first.startswith("study_")
            and name != "study_leaderboard"
            and (way in {"t", "means"} or (not way and f"{name}, t" not in every.EVERY))
        ):
            yield name, partial(lambda name, of: every.ask(name, every.data(of, "plain")), name, entry.of)


MADE = {
    "few clusters": _few_clusters,
    "gaps counted as 0": partial(_with_gaps, "zero"),
    "gaps kept, and a system with one score": partial(_with_gaps, "pairwise"),
    **dict(_asked()),
}
"""Leaderboards that say what others do not, given scores that are made in either words, and every other study."""


@pytest.mark.parametrize("name", MADE)
def test_words_digits_and_headings_decide_nothing(name):
    """In other words, with twice the decimals and under other headings, an answer says the same of the same."""
    study = every.answer(name) if name in every.EVERY else MADE[name]()
    with decisions() as told:
        expected = answer_of(study)
    with OTHER.everywhere(), more_digits(), other_headings():
        made = MADE[name]()
        with decisions() as told_again:
            found = answer_of(made)
    assert [(OTHER.sentence(passage), counts) for passage, counts in told_again] == told
    assert without_numbers(OTHER.back(found)) == without_numbers(OTHER.back(expected))


@given(
    st.floats(-1, 1),
    st.floats(1e-4, 1),
    st.floats(1e-4, 1),
    st.sampled_from([0.0, 0.5]),
    st.sampled_from([50, 500, 9999]),
)
def test_an_interval_that_lies_beyond_a_bar_reads_so(value, below, above, bar, draws):
    """Whatever the digits, no end reads like the bar or lies on its other side where the verdict is sure."""
    low, high = value - below, value + above
    side = sure_side(value, low, high, bar, draws=draws)
    for digits in (0, 2, 4):
        written = words.bracketed(value, low, high, words.number(digits), draws=draws, apart=bar)
        read = [float(end.replace("\u2212", "-")) for end in re.search(r"\[([^,]+), ([^,\]]+)", written).groups()]
        assert side in {0, (read[0] > bar) - (read[1] < bar)}, written
