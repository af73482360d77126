"""Whatever stands in any entry of the JSON that people and tools write: it is read, or refused in our own words."""

import copy
import json
import os
import random
import tomllib
import warnings
from contextlib import suppress
from pathlib import Path

import pytest

from metaeval import look
from metaeval.errors import MetaevalError

FILES = {
    f"{called} {path}": text
    for called, told in tomllib.loads((Path(__file__).parent / "files.toml").read_text("utf-8")).items()
    for path, text in told.get("files", {told.get("file"): told.get("text", "")}).items()
    if path.endswith((".json", ".jsonl"))
}
REPLACEMENTS = (None, {}, [], [1], "x", "", -1, 7.5, float("inf"), True, 10**40)
TRIES = int(os.environ.get("METAEVAL_EXAMPLES", "20")) // 2
"""Entries that are changed in each file; more of them search further."""


def places(value, above=()):
    """Yield the path of every key and element."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in inside:
        yield (*above, key)
        yield from places(below, (*above, key))


def changed(value, place, new):
    """Return a value with another entry at a place."""
    made = copy.deepcopy(value)
    holder = made
    for key in place[:-1]:
        holder = holder[key]
    holder[place[-1]] = new
    return made


@pytest.mark.parametrize("name", FILES)
def test_no_entry_ends_in_an_error_of_another_package(name, tmp_path):
    """One entry after another is changed, of a file that is read as a whole."""
    path = tmp_path / Path(name.partition(" ")[2]).name
    lines = path.suffix == ".jsonl"
    whole = (
        [json.loads(line) for line in FILES[name].splitlines() if line.strip()] if lines else json.loads(FILES[name])
    )
    chance = random.Random(name)  # noqa: S311 - the same in every run
    tries = [(place, new) for place in places(whole) for new in REPLACEMENTS]
    for place, new in chance.sample(tries, min(TRIES, len(tries))):
        held = changed(whole, place, new)
        path.write_text("".join(json.dumps(line) + "\n" for line in held) if lines else json.dumps(held))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with suppress(MetaevalError):
                look(path)
