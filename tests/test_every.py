"""The laws that every public procedure and study has to keep; `tests/every.py` says how each is called."""

import base64
import dataclasses
import importlib
import importlib.util
import inspect
import io
import json
import os
import pickle
import pkgutil
import re
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from html.parser import HTMLParser
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

import every
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from every import EVERY, OTHERWISE, SHOWN_BY_OTHERS, answer, by_row, data, figures, outcome
from numpy._core import _multiarray_umath
from page_words import assert_soon_read, said_on
from PIL import Image

import metaeval
from metaeval.base.bibliography import PUBLICATIONS
from metaeval.base.provenance import Provenance
from metaeval.base.results import Result
from metaeval.base.short_repr import main_sentence
from metaeval.errors import InvalidOptionError
from metaeval.io.tables import read_scores, write_scores
from metaeval.page.blocks import Items
from metaeval.page.tables import table_csv
from metaeval.questions.simulate.command import simulate_command
from metaeval.studies.study import Study
from metaeval.tests_stat.result import PairwiseResult, rows_of_pairs

pytestmark = [
    pytest.mark.usefixtures("one_core"),
    pytest.mark.filterwarnings("ignore::metaeval.errors.MetaevalWarning"),  # so little data reaches no level
]
AGREE = 1e-12


# ------------------------------------------------------------------------------------------------------------- equality


def differences(one, other, place=""):  # noqa: C901, PLR0912 - one branch a kind of value
    """Yield where two results differ; when and by whom they were made does not count."""
    if type(one) is not type(other):
        yield f"{place}: {type(one)} and {type(other)}"
    elif isinstance(one, Provenance):
        yield from differences(one.random_source, other.random_source, f"{place}.random_source")
    elif dataclasses.is_dataclass(one):
        for field in dataclasses.fields(one):
            yield from differences(getattr(one, field.name), getattr(other, field.name), f"{place}.{field.name}")
    elif isinstance(one, xr.DataArray | xr.Dataset):
        if not one.identical(other):
            yield place
    elif isinstance(one, pd.DataFrame | pd.Series | pd.Index):
        if not one.equals(other):
            yield place
    elif isinstance(one, np.ndarray):
        same = one.tolist() == other.tolist() if one.dtype == object else one.tobytes() == other.tobytes()
        if one.dtype != other.dtype or not same:
            yield place
    elif isinstance(one, Mapping):
        if list(one) != list(other):
            yield place
        for key in one:
            yield from differences(one[key], other[key], f"{place}[{key!r}]")
    elif isinstance(one, list | tuple):
        if len(one) != len(other):
            yield place
        for number, (a, b) in enumerate(zip(one, other, strict=False)):
            yield from differences(a, b, f"{place}[{number}]")
    elif hasattr(one, "__slots__") or hasattr(one, "__dict__"):
        names = [*getattr(one, "__slots__", ()), *getattr(one, "__dict__", ())]
        for name in names:
            yield from differences(getattr(one, name), getattr(other, name), f"{place}.{name}")
    elif one != other and one == one:  # noqa: PLR0124 - not a number
        yield place


def same_figures(found, expected, case):
    """Compare figures and the words beside them."""
    assert found.keys() == expected.keys(), case
    for figure, value in expected.items():
        if value.dtype.kind == "f":
            np.testing.assert_allclose(
                found[figure], value, rtol=AGREE, atol=AGREE, equal_nan=True, err_msg=f"{figure}, {case}"
            )
        else:
            assert found[figure].tolist() == value.tolist(), f"{figure}, {case}"


def are_equal(one, other):
    """Say whether figures are equal to the bit; words do not count."""
    return all(np.array_equal(one[name], other[name], equal_nan=True) for name in one if one[name].dtype.kind == "f")


# ----------------------------------------------------------------------------------------------------------------- laws


def a_seed_is_a_seed_of_whatever_type(name):
    """7 as Python's integer and as NumPy's of 8 bits: the same result to the last bit, and the same record."""
    if not every.draws(name) or ", " in name:
        return
    found = every.ask(name, data(EVERY[name].of), np.uint8(7))
    assert list(differences(answer(name), found)) == []


def the_recorded_seed_repeats_a_study(name):
    """Whatever rng= was, the record names a seed, and that seed gives the whole study again."""
    if not every.draws(name) or not isinstance(answer(name), Study) or ", " in name:
        return
    for rng in (None, np.random.default_rng(3)):
        first = every.ask(name, data(EVERY[name].of), rng)
        word, seed = first.provenance.random_source.split(" ")
        assert word == "seed"
        assert list(differences(first, every.ask(name, data(EVERY[name].of), int(seed)))) == [], rng
    assert every.ask(name, data(EVERY[name].of), 2**100).provenance.random_source == f"seed {2**100}"


NO_SEEDS = [True, -1, 7.0, "7", np.bool_(1), np.random.SeedSequence(7), 2**128, 10**5000]


def what_is_no_seed_is_refused_by_name(name):
    """Before any work, and in words that can be printed."""
    if not every.draws(name) or ", " in name:
        return
    for rng in NO_SEEDS:
        with pytest.raises(InvalidOptionError, match="`rng` must be None, a whole number from 0 to") as caught:
            every.ask(name, data(EVERY[name].of), rng)
        assert len(str(caught.value)) < 300


def progress_ends_at_its_total(name):
    """As many steps are told as were promised: a bar that stops at a third, or runs past its end, misleads."""
    assert [task for task in outcome(name).tasks if task[1] not in {None, task[2]}] == []


REARRANGED = {"collection": ["backwards"], "labels": ["backwards"], "items": ["backwards"], "votes": ["backwards"]}


def figures_follow_from_the_data(name):
    """Rows and columns in another order, another unit, another zero and a metric beside change no figure."""
    entry = EVERY[name]
    if entry.figures is None:
        return
    changes = [one for one in ("rows", "columns", "beside", "unit", "zero") if one not in entry.excused]
    cases = {"plain": REARRANGED.get(entry.of, [])}
    if entry.of == "scores":
        cases = {base: [" | ".join([base, *changes])] for base in ("plain", "wide")}
    for base, variants in cases.items():
        expected = figures(name, base)
        assert expected
        for variant in variants:
            same_figures(figures(name, variant), expected, variant)


def no_order_changes_a_number(name):
    """Systems, topics, metrics, items, labels and votes in another order leave every number of the table as it was.

    Where the two names of a row change sides, numbers change sign or column, and nothing else.
    """
    entry = EVERY[name]
    if "order" in entry.excused or entry.of not in {"scores", *REARRANGED} or not (expected := by_row(answer(name))):
        return
    metrics = [] if "beside" in entry.excused else ["metrics"]
    variants = [" | ".join(["plain", "rows", "columns", *metrics])] if entry.of == "scores" else REARRANGED[entry.of]
    for variant in variants:
        found = by_row(answer(name, variant))
        if entry.of != "collection":  # there the other way round is asked about AP alone
            assert found.keys() == expected.keys(), variant
        for row in expected.keys() & found.keys():
            turned, numbers = expected[row]
            same = found[row][0] == turned
            sides = [numbers if same else np.sort(np.abs(numbers)) for numbers in (found[row][1], numbers)]
            np.testing.assert_allclose(*sides, rtol=AGREE, atol=AGREE, equal_nan=True, err_msg=f"{row}, {variant}")


def what_ties_on_paper_ties_in_every_unit(name):
    """Hits, in tenths, thirtieths, per mille or with a constant added, give the same figures."""
    entry = EVERY[name]
    if entry.of != "scores" or entry.figures is None or "ties" in entry.excused or name.startswith("study_"):
        return
    expected = figures(name, "hits")
    for unit in every.WRITTEN:
        found = figures(name, f"hits | {unit}")
        for figure, value in expected.items():
            if value.dtype.kind == "f":
                np.testing.assert_allclose(found[figure], value, rtol=1e-9, atol=AGREE, err_msg=f"{figure} in {unit}")


WAY_OUT = {
    "clusters": ["with_clusters(scores, 'ignore')"],
    "strata": ["with_clusters(scores, 'ignore')", "use the test 't'"],
    # as a reader takes it, and as a function does that has no such argument
    "weights": ["columns={'ignore': 'weight'}", "frame.drop(columns='weight')"],
    "gaps": ["missing='zero'"],
}
GIVEN = {"clusters": "'random'", "strata": "'fixed'", "weights": "weights=", "gaps": "'pairwise'"}
"""What was said of such scores, and is no way out."""
REFUSED = {"clusters": "come in clusters", "strata": "strata", "weights": "have weights", "gaps": "gaps"}


def nothing_is_silently_left_out_of_account(name):
    """Given clusters, strata, weights or gaps it answers otherwise than without, or refuses with a way out."""
    entry = EVERY[name]
    for trait in every.TRAITS if entry.of == "scores" else ():
        if trait in entry.excused:
            continue
        if refusal := outcome(name, f"plain | {trait}").refusal:
            assert REFUSED[trait] in refusal
            assert any(way in refusal for way in WAY_OUT[trait])
            assert GIVEN[trait] not in refusal
        else:
            assert not are_equal(figures(name, f"plain | {trait}"), figures(name)), trait


NAMED = {
    "clusters": "topics come in 12 clusters",
    "strata": "fixed clusters",
    "weights": "have weights",
    "gaps": "scores are missing|% of the cells have a score",
}
"""How methods name what scores have."""


def _comparisons(found):
    """Yield the tests of pairs that a study has, as a field or in a field of several."""
    for field in dataclasses.fields(found) if isinstance(found, Study) else ():
        value = getattr(found, field.name)
        value = getattr(value, "results", value)  # families of pairs
        several = value.values() if isinstance(value, Mapping) else value if isinstance(value, tuple) else (value,)
        yield from (result for result in several if isinstance(result, PairwiseResult))


def what_pairs_rest_on_is_confirmed_without_it(name):
    """Without the topics, or clusters, that it rests on, no pair of a study tests as significant in its direction."""
    for result in _comparisons(answer(name)):
        if not result.has_witnesses:
            continue
        level = pd.Series(
            result.bounds().ravel(), rows_of_pairs(result).set_index(["metric", "system_a", "system_b"]).index
        )
        unit = "cluster" if "cluster" in result.scores.coords else "topic"
        for row in result.rests_on().to_dict("records"):
            metric, *pair = (row[key] for key in ("metric", "system_a", "system_b"))
            kept = np.flatnonzero(~result.scores[unit].isin(row["rests_on"]).to_numpy())
            scores = result.scores.sel(metric=[metric], system=pair).isel(topic=kept)
            again = metaeval.paired_t_test(scores, correction="none", alternative=result.alternative).data
            lost = again["p_value"].item() > level[metric, *pair] or again["p_reachable"].item() > result.alpha
            assert (
                lost
                or np.isnan(again["p_value"].item())
                or again["better"].item() != (1 if row["winner"] == pair[0] else -1)
            )


def methods_are_whole(name):
    """Their citations are in the references and in the BibTeX; clusters, strata, weights and gaps are named."""
    entry = EVERY[name]
    if not name.startswith("study_"):
        return
    report = answer(name).report()
    words = " ".join(report.methods.paragraphs)
    section = next(one for one in report.all_sections() if one.id == "methods")
    references = [item.words for block in section.blocks if isinstance(block, Items) for item in block.items]
    (entries,) = section.blocks[-1].blocks[0].paragraphs
    known = {one.cited: one for one in PUBLICATIONS.values()}
    for cited in re.findall(r"[(;:] ?([A-Z][^,;:()]*, (?:19|20)\d\d)(?=[;)])", words):
        assert known[cited].full in references, cited
        assert f"{{{known[cited].key}," in entries, cited
    for trait in every.TRAITS if entry.of == "scores" and f"{name}, t" not in EVERY else ():
        found = outcome(name, f"plain | {trait}")
        if not found.refusal:
            assert re.search(NAMED[trait], " ".join(found.answer.report().methods.paragraphs)), trait
        assert not re.search(NAMED[trait], words)


def a_page_is_soon_read(name):
    """Few words stand open on it, and no page is a book."""
    if name.startswith("study_"):
        assert_soon_read(answer(name).report())


def linear_algebra_adds_up_in_one_order(name):
    """Products, solutions and decompositions of matrices run on one thread, whatever else the scores have."""
    variants = ["plain", *(f"plain | {trait}" for trait in every.TRAITS if EVERY[name].of == "scores")]
    assert set().union(*(outcome(name, variant).outside for variant in variants)) == set()


def no_note_decides(name):
    """Scores with gaps whose notes are deleted or reworded give the same numbers and the same refusals."""
    entry = EVERY[name]
    if entry.of != "scores":
        return
    assert data("scores", "plain | gaps").attrs["notes"]
    expected = outcome(name, "plain | gaps")
    for change in ("notes gone", "other notes"):
        found = outcome(name, f"plain | gaps | {change}")
        assert found.refusal == expected.refusal
        if not found.refusal and entry.figures is not None:
            assert are_equal(entry.figures(found.answer), entry.figures(expected.answer)), change


def degenerate_data_give_an_answer_or_an_error_of_ours(name):
    """One system, two topics, all equal, ...: no other error or warning, and no NaN in what is said first."""
    if ", " in name or not every.is_public(name):
        return
    for change in every.DEGENERATE.get(EVERY[name].of, ()):
        found = outcome(name, f"plain | {change}")
        if isinstance(found.answer, Result):
            said = [main_sentence(found.answer)]
            if isinstance(found.answer, Study):
                page = found.answer.report()
                said += page.summary
                titles = ("Groups under", "Rank intervals") if change == "two systems" else ()
                wrong = [words for words, _ in said_on(page) if OF_ONE.search(words) or words.startswith(titles)]
                assert not wrong, f"{change}: {wrong}"
            assert not re.search(r"\bnan\b", " ".join(map(str, said))), f"{change}: {said}"


OF_ONE = re.compile(
    r"(?<![\w.,/–−-])1 (topics|systems|pairs|metrics|judges|clusters|items|questions|voters|votes|runs|conflicts)\b"  # noqa: RUF001 - minus
    r"|\b0 of 0\b|\btop (\d+) of \2\b"
)
"""What no page of one or two may say."""


@cache
def _stored():
    with TemporaryDirectory() as folder:
        scores = read_scores(write_scores(data("scores"), Path(folder) / "scores.nc"))
    del scores.attrs["sources"]
    return scores.assign_attrs(read_as=data("scores").attrs["read_as"])


def scores_from_a_file_are_scores(name):
    """Through netCDF and xarray, they are answered alike, to the bit."""
    if EVERY[name].of != "scores" or ", " in name:
        return
    assert list(differences(every.ask(name, _stored()), answer(name))) == []


def it_is_kept_by_pickle(name):
    """From another process a result comes back as it went."""
    if ", " not in name and "pickle" not in EVERY[name].excused:
        found = answer(name)
        assert list(differences(pickle.loads(pickle.dumps(found)), found)) == []  # noqa: S301 - our own


VOID = {"img", "br"}
PLAIN = {*["div", "p", "b", "small", "table", "caption", "thead", "tbody", "tr", "th", "td", "sup", "img", "br", "pre"]}


class Shown(HTMLParser):
    """What a piece of HTML consists of; every element is closed by its own name."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.tags, self.open, self.text, self.rows = [], [], [], 0
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        """Note an element."""
        self.tags.append((tag, dict(attributes)))
        self.rows += tag == "tr"
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        """Close the element that was opened last, and no other."""
        assert self.open.pop() == tag

    def handle_data(self, data):
        """Keep what is read."""
        self.text.append(data)


def _displayed(result):
    """Return what a notebook shows of a result, by IPython's own choice where it is installed."""
    if importlib.util.find_spec("IPython") is None:
        return {"text/html": result._repr_html_(), "text/plain": repr(result)}
    return importlib.import_module("IPython.core.formatters").DisplayFormatter().format(result)[0]


def _answers(name):
    """Return the names of the classes that an entry answers with."""
    one = every.thing(name)
    if inspect.isclass(one):
        return {one.__name__}
    returned = inspect.signature(one).return_annotation
    return {*re.findall(r"[A-Z]\w+", returned.__name__ if inspect.isclass(returned) else str(returned))}


def it_shows_itself(name):
    """In a sentence, ten rows at most and a picture where there is one; names stay text; the repr is short."""
    of = EVERY[name].of
    if ", " in name:
        return
    hostile = "plain | names" if of == "scores" else "names"
    result = answer(name, hostile if of == "scores" or hostile in every.INPUTS[of] else "plain")
    if not isinstance(result, Result):
        return
    kind = type(result).__name__
    assert kind in _answers(name)
    displayed = _displayed(result)
    html, plain = displayed["text/html"], displayed["text/plain"]
    assert html.startswith('<div class="metaeval">')
    assert plain.startswith(f"{kind}:")
    assert len(plain) <= 2000
    assert plain.count("\n") < 12
    shown = Shown(html)
    images = [found for tag, found in shown.tags if tag == "img"]
    assert {tag for tag, _ in shown.tags} <= PLAIN
    assert all(set(found) == {"alt", "width", "src"} for found in images)
    assert not any(key.startswith("on") for _, found in shown.tags for key in found)
    assert html.count("<p>") <= 2
    assert shown.rows <= 13  # ten, and two lines of heads
    assert len(images) == (type(result)._draw is not Result._draw)
    assert len(html) < 120_000
    for found in images:
        picture = Image.open(io.BytesIO(base64.b64decode(found["src"].removeprefix("data:image/png;base64,"))))
        assert 300 < int(found["width"]) < 1000
        assert 1.0 < picture.width / int(found["width"]) < 1.58
        assert picture.width * picture.height < 1_300_000


_NUMBER = re.compile(r"(?<![\w@.])[−-]?\d(?:[\d,]*\d)?(?:\.\d+)?(?!\w)")  # noqa: RUF001 - as written on pages
_ERROR = re.compile(r" ± [\d.]+")
_PERCENT_OF = re.compile(r"([\d.,]+)(?:/([\d,]+))? = [\d.]+ %")


def _numbers(values):
    """Return what is a number among the values of a row, and what is written out in words."""
    known = [float(value) for value in values if isinstance(value, int | float) and value == value]  # noqa: PLR0124
    return known, " ".join(value for value in values if isinstance(value, str) and not re.search(r"\d\.\d|%", value))


def _shown(text):
    """Yield the numbers of a cell with their unit in the last place; a percentage of a count follows from the count."""
    text = _PERCENT_OF.sub(lambda found: f"{found[1]} {found[2] or ''}", _ERROR.sub("", text))
    for word in () if text.startswith(("< ", "> ")) else _NUMBER.findall(text):
        plain = word.replace(",", "").replace("−", "-")  # noqa: RUF001 - as above
        yield word, float(plain), 10.0 ** -len(plain.partition(".")[2])


def _lacking(table, rows):
    """Yield what a page shows that its file does not hold: in the same row where both have as many, else anywhere."""
    held = [_numbers(row) for row in rows]
    if len(held) != len(table.frame):
        held = [([*chain.from_iterable(known for known, _ in held)], " ".join(words for _, words in held))] * len(
            table.frame
        )
    for row, (known, words) in zip(table.cells(), held, strict=True):
        for cell, column in zip(row, table.columns, strict=True):
            for word, value, unit in _shown(cell.text) if column.align == "right" else ():
                near = any(abs(one * of - value) <= 0.5001 * unit for one in known for of in (1, 100))
                if not near and not (unit == 1 and re.search(rf"(?<![\w.]){word}(?![\w.])", words)):
                    yield f"{table.name}, {column.name}: {word} of {cell.text}"


def a_page_shows_what_its_files_hold(name):
    """Every number of a table stands in its CSV and in its JSON, in the same row where the rows are the same."""
    if not name.startswith("study_"):
        return
    report = answer(name).report()
    told = json.loads(report.to_json())["tables"]
    for table in report.tables():
        read = pd.read_csv(io.StringIO(table_csv(table)), keep_default_na=False, na_values=[""])
        rows, beside = ([[*row.values()] for row in told[table.name].get(part, [])] for part in ("rows", "data"))
        same = len(rows) == len(beside)
        whole = [row + (beside[at] if same else [*chain.from_iterable(beside)]) for at, row in enumerate(rows)]
        assert [*_lacking(table, read.to_numpy(dtype=object).tolist())] == [], "CSV"
        assert [*_lacking(table, whole)] == [], "JSON"


ROWS = "rows"
QUOTED = {
    "study_agree": {ROWS: "f1"},
    "study_boards": {ROWS: "first"},
    "study_campaign": {ROWS: ("value", "low", "high")},
    "study_collections": {ROWS: ("mean", "low", "high")},
    "study_compare_metrics": {ROWS: "power"},
    "study_components": {"key_figures": "erho2"},
    "study_human": {ROWS: ("value", "low", "high")},
    "study_judge_drift": {ROWS: "judge"},
    "study_judges": {ROWS: ("value", "low", "high")},
    "study_leaderboard": {ROWS: "rank"},
    "study_leaderboard, means": {ROWS: "mean", "ranks acc": "rank"},
    "study_power, t": {"top_8_pairs": "difference"},
    "study_reproduction": {ROWS: "difference"},
    "study_settled": {"ranks": "people"},
    "study_stopping": {ROWS: ("difference", "low", "high")},
    "study_table, t": {"pairs": "difference"},
    "study_compare_tests": {ROWS: "error_rate"},
    "study_votes": {ROWS: ("strength", "low", "high")},
}
"""Numbers that people are told to quote, by study and table: in the columns of the ends, the number lies between."""
NOT_SAMPLED = {
    "study_assessment": "ranges over the topics of a campaign",
    "study_design": "sizes computed from what is given",
    "study_judgments": "a share of the judgments at hand, with the error of the draws",
    "study_reliability": "places of runs in the campaign at hand, without a test",
    "study_topics": "intervals of the model, which few topics of a test leave out",
}
"""Studies whose figures are of the data at hand, with the reason."""


def what_is_quoted_has_an_interval(name):
    """Each number that people are told to quote has its ends beside it, in the rows or in a table's file."""
    if not name.startswith("study_") or name.split(", ")[0] in NOT_SAMPLED:
        return
    assert name.split(", ")[0] in {one.split(", ")[0] for one in QUOTED}
    report = answer(name).report()
    tables = {table.name: table.frame if table.data is None else table.data for table in report.tables()}
    tables[ROWS] = pd.DataFrame(report.rows)
    for place, quoted in QUOTED.get(name, {}).items():
        value, low, high = (quoted, f"{quoted}_low", f"{quoted}_high") if isinstance(quoted, str) else quoted
        known = tables[place][[value, low, high]].dropna().astype(float)
        assert len(known) > 0, (place, value)
        assert (known[low] <= known[value] + AGREE).all(), (place, value)
        assert (known[value] <= known[high] + AGREE).all(), (place, value)


def _returns_of(name):
    """Return what the help on a function says under Returns, and that on the table of a class."""
    thing = every.thing(name)
    if inspect.isclass(thing):
        return inspect.getdoc(thing.to_frame)
    return re.sub(r".*\nReturns\n-+\n|\n\n\w[\w ]*\n-+\n.*", "", inspect.getdoc(thing), flags=re.DOTALL)


def untold(columns, told):
    """Return the columns of a table that a docstring does not tell, by name, by how they begin or by how they end."""
    words = set(re.findall(r"``(\w+)``", told))
    endings = tuple(word for word in words if word.startswith("_"))
    beginnings = tuple(word for word in words if word.endswith("_"))

    def is_told(column):
        endless = [column.removesuffix(end) for end in endings if column.endswith(end)]
        known_as = {column, re.sub(r"_\d+$", "_k", column)}
        return bool(known_as & words) or column.startswith(beginnings) or any(map(is_told, endless))

    return [column for column in map(str, columns) if not is_told(column)]


def the_columns_of_its_frame_stand_in_help(name):
    """Under Returns: nobody has to look up another function, or the source of a class, to know what a column holds."""
    result = answer(name)
    if every.is_public(name) and hasattr(result, "to_frame") and "." not in name:
        left = untold(result.to_frame().columns, _returns_of(name))
        assert left == [], left


FURTHER_FRAMES = {
    "study_table": lambda scores: metaeval.study_table(scores, baseline="system1"),
    "study_leaderboard": lambda _: metaeval.study_leaderboard(
        metaeval.as_scores({"a": np.linspace(0, 1, 9)}, fewest=1), requirements=["a >= 0.4"]
    ),
    "study_topics": lambda scores: metaeval.study_topics(scores, tolerances=[0.0], n_topic_resamples=9, rng=1),
    "study_votes": lambda _: metaeval.study_votes(
        pd.DataFrame({"winner": [*"abab"] * 9, "loser": [*"babc"] * 9}), top=2, rng=1
    ),
}
"""Calls whose tables have columns that those of the other entries lack."""


@pytest.mark.parametrize("name", FURTHER_FRAMES)
def test_columns_that_come_by_options_stand_in_help(name):
    """Those of a baseline, of one system, of the Bayesian model and of another `top`."""
    frame = FURTHER_FRAMES[name](data("scores")).to_frame()
    assert untold(frame.columns, _returns_of(name)) == []


def _is_public_result(result):
    return isinstance(result, Result) and any(
        getattr(place, type(result).__name__, None) is type(result) for place in every.chapters()
    )


def it_answers_with_what_it_found(name):
    """Not with what its class is for: numbers, or names of the data, in words that no docstring has."""
    result = answer(name)
    if not _is_public_result(result):
        return
    purpose = (inspect.getdoc(type(result)) or "").partition("\n")[0].rstrip(".")
    for words in (result.answer, repr(result).partition(": ")[2]):
        assert words
        assert not words.startswith(purpose)
        assert re.search(r"\d", words), words


EQUAL = {"scores": "equal systems", "labels": "all labels equal", "items": "all scores equal", "votes": "all ties"}
"""Data in which nothing is ahead of anything."""
OPEN = re.compile(r"\b(no|none|nobody|nothing|not|neither|0 of|open)\b[^.;:]*", re.IGNORECASE)
CLAIM = re.compile(
    r"\b(strongest|leads|winner|agrees? best|(is|are) (significantly |clearly )?(better|best|ahead)|errs least)\b"
    r"(?![^;]* with (a )?probability)|[1-9][\d,]* (of [\d,]+ \w+ )?differs? significantly"
)


def what_is_open_is_claimed_by_no_answer(name):
    """Of equal systems none differs, leads or wins; a probability of it may be said."""
    of = EVERY[name].of
    result = (
        outcome(name, f"plain | {EQUAL[of]}").answer if of in EQUAL and EQUAL[of] not in EVERY[name].excused else None
    )
    if not _is_public_result(result):
        return
    said = f"{result.answer} {main_sentence(result)}"
    assert not CLAIM.search(OPEN.sub("", said)), said


REFUSING = [what_is_no_seed_is_refused_by_name, nothing_is_silently_left_out_of_account, no_note_decides]
LAWS = [
    what_pairs_rest_on_is_confirmed_without_it,
    a_seed_is_a_seed_of_whatever_type,
    the_recorded_seed_repeats_a_study,
    progress_ends_at_its_total,
    figures_follow_from_the_data,
    no_order_changes_a_number,
    what_ties_on_paper_ties_in_every_unit,
    degenerate_data_give_an_answer_or_an_error_of_ours,
    scores_from_a_file_are_scores,
    it_is_kept_by_pickle,
    it_shows_itself,
    it_answers_with_what_it_found,
    what_is_open_is_claimed_by_no_answer,
    a_page_shows_what_its_files_hold,
    what_is_quoted_has_an_interval,
    methods_are_whole,
    a_page_is_soon_read,
    linear_algebra_adds_up_in_one_order,
    the_columns_of_its_frame_stand_in_help,
    *REFUSING,
]


@pytest.mark.parametrize("name", EVERY)
def test_every_law_holds(name, subtests):
    """Each law that applies, for one entry of the table; `-k` and its name asks all about a procedure."""
    for law in REFUSING if "answer" in EVERY[name].excused else LAWS:
        with subtests.test(law.__name__):
            law(name)


# ------------------------------------------------------------------------------------------------------------ the table


def _found():
    """Return what the stubs offer, what takes a seed, methods too, and what takes scores first."""
    offered = {name: getattr(place, name) for place in every.chapters() for name in place.__all__}
    found = {name for name, one in offered.items() if callable(one) and not inspect.isclass(one)}
    for module in pkgutil.walk_packages(metaeval.__path__, "metaeval."):
        if module.name.endswith(("__main__", ".command")) or module.name.startswith(
            ("metaeval.cli", "metaeval.figures")
        ):
            continue
        for name, one in vars(importlib.import_module(module.name)).items():
            if getattr(one, "__module__", None) != module.name or name.startswith("_"):
                continue
            methods = [(f"{name}.{key}", method) for key, method in vars(one).items()] if inspect.isclass(one) else []
            for key, function in [(name, one), *methods]:
                asked = [*inspect.signature(function).parameters] if inspect.isfunction(function) else []
                if "rng" in asked or asked[:1] == ["scores"]:
                    found.add(key)
    return found


def test_nothing_public_is_forgotten():
    """What is public, draws or takes scores has an entry in the table, or stands below it with the reason why not."""
    found, excused = _found(), set().union(*OTHERWISE.values())
    entries = {name.split(", ")[0] for name in EVERY}
    assert found - entries - excused == set()
    assert excused - found == set()
    assert excused & entries == set()


def test_every_public_result_is_shown():
    """A class of results is what an entry answers with, or stands below the table with the reason why not."""
    offered = [getattr(place, name) for place in every.chapters() for name in place.__all__]
    classes = {one.__name__ for one in offered if inspect.isclass(one) and issubclass(one, Result)}
    answered = set().union(*map(_answers, EVERY))
    assert classes - answered == {*SHOWN_BY_OTHERS}


# ----------------------------------------------------------------------------------------------------- other processors

CHEAP = [
    *("max_t_test", "bootstrap_sensitivity", "rank_intervals", "best_system", "bayesian_error_rate"),
    "BayesianComparison.to_arviz, by name",
]
MADE = [
    "scores {folder}/scores.csv --systems 5",
    "collection {folder}/made --groups 2 --runs-per-group 2 --documents 60 --depth 20 --pool-depth 10",
    "inex {folder}/inex --year 2005 --systems 4 --documents 40 --results 50",
]
_CHILD = """
import sys
sys.path.insert(0, {folder!r})
import test_every as laws
print(*map(repr, laws.figures_of_cheap_procedures()))
print(*laws.digests_of_made_files())
"""


def figures_of_cheap_procedures():
    """Return what the cheap procedures find, one number after the other."""
    found = (figures(name, base).values() for name in CHEAP for base in ("plain", "wide"))
    return [number for values in found for value in values for number in np.ravel(value).astype(float).tolist()]


def digests_of_made_files():
    """Return a digest of every folder and file that the commands of `metaeval simulate` write."""
    sizes = ["--topics", "6", "--seed", "3", "--quiet"]
    with TemporaryDirectory() as folder:
        for line in MADE:
            simulate_command.main([*line.format(folder=folder).split(), *sizes], standalone_mode=False)
        files = sorted(path for path in Path(folder).rglob("*") if path.is_file())
        return [sha256(path.read_bytes()).hexdigest() for path in files]


def _kernels():
    """Return the settings that stand for other processors than this one, as far as it can follow them."""
    features = _multiarray_umath.__cpu_features__
    dispatched = [name for name in _multiarray_umath.__cpu_dispatch__ if features.get(name)]
    yield {"OPENBLAS_CORETYPE": "Prescott", "NPY_DISABLE_CPU_FEATURES": " ".join(dispatched)}
    if features.get("AVX"):
        yield {"OPENBLAS_CORETYPE": "Sandybridge"}


def test_all_processors_find_the_same():
    """Older and newer kernels of the matrix product, and NumPy without AVX, give the same figures and files."""
    expected, written = figures_of_cheap_procedures(), digests_of_made_files()
    assert len(expected) > 100
    assert len(written) > 10
    for setting in _kernels():
        done = subprocess.run(
            [sys.executable, "-c", _CHILD.format(folder=str(Path(__file__).parent))],
            env=os.environ | setting,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{setting}: {done.stderr}"
        found, files = done.stdout.splitlines()
        np.testing.assert_allclose(
            np.array(found.split(), dtype=float), expected, rtol=AGREE, atol=AGREE, equal_nan=True, err_msg=str(setting)
        )
        assert files.split() == written, setting
