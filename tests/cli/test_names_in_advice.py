"""A name of the data in an option that a message gives is the name that a shell and the program read from it."""

import re
import shlex

import pandas as pd
import pytest

from metaeval import study_leaderboard
from metaeval.cli.messages import in_options, speaking_in_options

OPTIONS = {
    "higher_is_better": "--higher-is-better",
    "lower_is_better": "--lower-is-better",
    "columns.ignore": "--ignore-column",
    "columns.topic": "--item-column",
    "where": "--where",
    "baseline": "--baseline",
}
NAMES = [
    "Win Rate",
    "newstest WER",
    "it's",
    'say "x"',
    "a;b",
    "$HOME",
    "#docs",
    "a,b",
    "bm25 (rel.)",
    "Länge",
    "a\\b",
    "*",
    "lm | x",
]


@pytest.mark.parametrize("name", NAMES)
def test_names_in_options_are_read_as_they_are(name):
    """Quoted for the shell wherever one needs it."""
    spans = {
        "--lower-is-better": {"higher_is_better": {name: False}},
        "--ignore-column": {"columns": {"ignore": [name]}},
        "--item-column": {"columns": {"topic": name}},
        "--baseline": {"baseline": name},
    }
    with speaking_in_options(OPTIONS):
        for option, argument in spans.items():
            ((key, value),) = argument.items()
            said = in_options(f"pass `{key}={value!r}`")
            assert shlex.split(said) == ["pass", option, name]


@pytest.mark.parametrize("metric", ["LC Rate", "newstest WER", "test set quux", "Win Rate"])
def test_notes_on_means_name_the_metric_as_it_is_called(metric):
    """The direction may be told by the last word of a name; the option wants all of it."""
    table = pd.DataFrame({"system": ["a", "b", "c"], metric: [61.0, 55.0, 40.0], f"{metric} stderr": [1.0, 1.1, 1.2]})
    found = study_leaderboard(table)
    notes = " ".join(found.notes)
    for name in re.findall(r"higher_is_better=\{(.*?): ", notes):
        assert name == repr(metric)
    assert ("lower is better under newstest WER" in notes) == (metric == "newstest WER")
