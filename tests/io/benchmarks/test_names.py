"""Names are text in every reader: what looks like a number, a gap or a truth value is a name all the same."""

import json

import pytest
from small_results import MADE, TEXTS, as_archive, score

from metaeval.errors import FileFormatError
from metaeval.io.tables import read_scores

ODD = (
    "1.10",
    "1.1",
    "007",
    "7",
    "1e3",
    "1000",
    "NA",
    "nan",
    "null",
    "true",
    "None",
    "9223372036854775808",
    "9" * 20,
    "-0",
    "a b",
)
ALL = MADE | TEXTS


def _put(folder, files):
    for name, held in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(held, str):
            path.write_text(held)
        elif path.suffix == ".eval":
            path.write_bytes(as_archive(held))
        else:
            lines = held if path.suffix == ".jsonl" else [held]
            path.write_text("".join(json.dumps(one) + "\n" for one in lines))
    return folder


def _values(folder, made, **options):
    scores = read_scores(folder, metrics=[made.metric], **{**made.options, **options}).sel(metric=made.metric)
    scores = scores.mean("repeat") if "repeat" in scores.dims else scores
    return {
        (system, item): scores.sel(system=system, topic=item).item()
        for system in scores["system"].to_numpy()
        for item in scores["topic"].to_numpy()
    }


@pytest.mark.parametrize("name", ALL)
def test_systems_and_items_of_any_name(name, tmp_path):
    """Every system and item keeps its name and its scores: 1.1 and 1.10, 7 and 007, 1e3 and 1000 are others."""
    made = ALL[name]
    odd = [one for one in ODD if " " not in one] if name == "mt-metrics-eval" else ODD
    usual = [f"x{number}" for number in range(len(odd))]
    called = dict(zip(usual, odd, strict=True))
    expected = _values(_put(tmp_path / "usual", made.make(usual, usual)), made)
    found = _values(_put(tmp_path / "odd", made.make(odd, odd)), made)

    def odd_item(item):
        if name == "mt-metrics-eval":  # segments are numbered
            return item
        return "/".join(
            called.get(part.partition("+")[0], part) + part[len(part.partition("+")[0]) :] for part in item.split("/")
        )

    assert found == {(called[system], odd_item(item)): value for (system, item), value in expected.items()}
    assert len({system for system, _ in found}) == len(odd)


WITH_IDS = (
    "lm-eval",
    "HELM",
    "inspect_ai",
    "SWE-bench",
    "nuggetizer assignments",
    "nuggetizer metrics",
    "tau-bench",
    "AutoJudge",
    "JSON records",
)
"""Readers of files where an item can be called by a number of JSON."""


@pytest.mark.parametrize("name", WITH_IDS)
def test_whole_numbers_of_json_as_names(name, tmp_path):
    """7 and "7" are one item, with all its digits; so one file may have it as a number and another as a text."""
    made = MADE[name]
    items = (7, 2**63, 10**20 + 1)
    expected = _values(_put(tmp_path / "texts", made.make(("a", "b"), [*map(str, items)])), made)
    assert _values(_put(tmp_path / "numbers", made.make(("a", "b"), items)), made) == expected


@pytest.mark.parametrize("name", WITH_IDS)
@pytest.mark.parametrize("item", [1.1, 1000.0, True, None, ["x"], {"x": 1}], ids=str)
def test_what_is_no_name(name, item, tmp_path):
    """Of another number digits are lost (1.10 and 1e3 are 1.1 and 1000.0), and all else names nothing."""
    made = MADE[name]
    with pytest.raises(
        FileFormatError, match=r"(text or a whole number|stands here|nothing nested|no name|empty|not written)"
    ):
        read_scores(_put(tmp_path, made.make(("a", "b"), ("i1", item, "i3"))), missing="pairwise", **made.options)


def test_scores_of_the_makers():
    """The law above is not one of constants."""
    assert len({score(system, item) for system in range(5) for item in range(5)}) > 4
