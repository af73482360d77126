"""Every way out that the source offers is followed in a test; a new one without an input that provokes it fails."""

import ast
import re
import shlex
import sys
import warnings

import numpy as np
import pytest
import test_ways_out as shell
from advice_benchmarks import BENCHMARKS
from advice_calls import READERS, Call, Then, plain
from advice_files import IN_GROUPS, IN_ITEMS, IN_LABELS, IN_QRELS, IN_RUNS, IN_VOTES, NUGGETS
from advice_inex import INEX
from advice_methods import AGREEMENT, COLLECTIONS, TESTS
from advice_objects import BOARDS, IN_NAMES, JUDGES, OBJECTS, STRUCTURE
from advice_rest import REST
from advice_sites import Site, listening, sites, ways
from advice_studies import JUDGES as STUDIES_OF_JUDGES
from advice_studies import STUDIES

from metaeval.cli import main
from metaeval.errors import MetaevalError, MetaevalWarning

PARTS = (
    READERS, IN_LABELS, IN_QRELS, IN_RUNS, IN_VOTES, NUGGETS, IN_ITEMS, IN_GROUPS, OBJECTS, IN_NAMES, BOARDS, STRUCTURE,
    JUDGES, BENCHMARKS, AGREEMENT, TESTS, COLLECTIONS,
    STUDIES_OF_JUDGES, STUDIES, REST, INEX,
)  # fmt: skip
CALLS = {name: call for part in PARTS for name, call in part.items()}


NO_NUMBER = {
    "metrics/source.py:_Walk.add 1": "only a compiled function has no code that can be seen",
    "models/error_rate_pymc.py:sample_law 1": "PyMC fails by chance, where it is installed",
    "models/hierarchical_model.py:_refuse_bad_fit 1": "as above",
    "models/dawid_skene.py:_sampled 1": "as above",
    "running/workers.py:_raise_unless_dead 1": "a worker of a Dask cluster must have run out of memory",
    "running/workers.py:_raise_unless_dead 2": "as above",
}
"""Ways out of what no test brings about, and why."""
NOT_YET: set[str] = set()
"""Ways out that nothing follows here yet; none may be added."""
MOST_NOT_YET = 0


def _followed(mistake: shell.Mistake, found: re.Match, option: str) -> bool:
    """Whether a row does what a way out says: its groups hold it, or an edit does what the words around it say."""
    said = [text for text in found.groupdict().values() if text]
    return option in found[0] if mistake.edit or not said else any(option in text or text == option for text in said)


def of_mistake(mistake: shell.Mistake, capsys, monkeypatch) -> set[str]:
    """Return the sites whose ways out are followed where a mistake on the command line is mended."""
    monkeypatch.setattr(sys, "argv", ["metaeval", *shlex.split(mistake.command), "--json"])
    capsys.readouterr()
    with listening() as heard:
        main()
    error = capsys.readouterr().err.strip()
    found = re.search(mistake.says, error) or re.search(mistake.says, shell.unboxed(error))
    if not found or not found[0]:
        return set()
    raw = [*heard.raw, error]

    def is_followed(site: Site) -> bool:
        if site.kind == "recipe":
            return bool(re.search("filter|instead", " ".join(found.groupdict())))
        if site.kind == "option":
            return _followed(mistake, found, site.way)
        spans = [span for span in heard.options if site.is_way(span)]
        return any(_followed(mistake, found, heard.options[span]) for span in spans)

    return {site.key for text in raw for site in heard.said(text) if is_followed(site)}


def test_no_row_hides_another():
    """Rows of all parts have names of their own."""
    assert len(CALLS) == sum(map(len, PARTS))


def said(call: Call) -> str:
    """Return all that a call says: what it is refused with, warnings and notes."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", MetaevalWarning)
        try:
            found = call.ask(**call.given)
        except MetaevalError as error:
            return str(error)
    if isinstance(found, str):
        return found
    notes = [*(getattr(found, "attrs", {}).get("notes", ()) or getattr(found, "notes", ()))]
    notes += getattr(found, "unanswered", {}).values()
    return "\n".join([*(str(warning.message) for warning in caught), *notes])


def given(call: Call) -> list[str]:
    """Return what was given, as a message writes it: it is spoken of, and no way out."""
    return [f"{name}={value!r}" for name, value in call.given.items()]


def follow(call: Call, way: str) -> tuple[object, object]:
    """Return what comes out by a way, and what should."""
    right = call.right[way]
    if isinstance(right, Then):
        return plain(right.ask()), right.right
    name, _, literal = way.partition("=")
    value, held = ast.literal_eval(literal), call.given.get(name)
    both = {**held, **value} if isinstance(held, dict) and isinstance(value, dict) else value
    return call.show(call.ask(**{**call.given, name: both})), right


def same(found: object, right: object) -> bool:
    """Whether two nested values are equal, numbers but for rounding, and names in any order."""
    if isinstance(found, dict) and isinstance(right, dict):
        return found.keys() == right.keys() and all(same(found[name], right[name]) for name in found)
    if isinstance(found, list | tuple) and isinstance(right, list | tuple):
        return len(found) == len(right) and all(map(same, found, right))
    if isinstance(found, float | np.floating) and isinstance(right, float | int):
        return bool(np.isclose(found, right, rtol=1e-9, atol=1e-12, equal_nan=True))
    return found == right


@pytest.mark.parametrize("name", CALLS)
def test_every_way_out_of_a_message_leads_to_what_is_known(name, tmp_path, monkeypatch):
    """Each way that a message has is followed, none is left out, and the numbers that come out are those known."""
    call = CALLS[name]
    shell._place(call.files, tmp_path, monkeypatch)
    message = said(call)
    options = {way for way in call.right if way.startswith("--") and way in message}
    spoken_of = {*given(call)} - {*call.right}
    assert {*ways(message)} - spoken_of | options == {*call.right, *call.elsewhere}, message
    for way, other in call.elsewhere.items():
        assert any(one.partition("=")[0] == way.partition("=")[0] for one in CALLS[other].right)
    for way in call.right:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MetaevalWarning)
            found, right = follow(call, way)
        assert same(found, right), f"{message}\n{way}\n{found}"


def test_every_way_out_is_followed(capsys, monkeypatch, tmp_path):
    """Each way out in a message of the source is followed by a row that mends what provokes it."""
    followed: set[str] = set()
    for number, mistake in enumerate(shell.MISTAKES.values()):
        shell._place(mistake.files, tmp_path / str(number), monkeypatch)
        followed |= of_mistake(mistake, capsys, monkeypatch)
    for number, call in enumerate(CALLS.values()):
        folder = tmp_path / f"call {number}"
        folder.mkdir()
        shell._place(call.files, folder, monkeypatch)
        with listening() as heard:
            message = said(call)
        found = ways(message)  # what was given is no way out, and needs no following
        followed |= {site.key for site in heard.said(message) if site.way in call.right or any(map(site.is_way, found))}
    left = {site.key for site in sites()} - followed
    assert left == {*NO_NUMBER, *NOT_YET}
    assert len(NOT_YET) <= MOST_NOT_YET
