"""Wrong command lines: one form for all of them, on standard error, with the way out."""

import re

import pytest

WRONG = [
    ("powr", "no command 'powr'; did you mean 'power' or 'report'? Known: look, report, "),
    ("simulate all", "no command 'all'. Known: scores, collection, inex"),
    ("--trust", "no command is given; metaeval --help lists them"),
    ("--verson", "metaeval has no option '--verson'; did you mean --version? metaeval --help names all"),
    ("power", "metaeval power needs INPUTS; metaeval power --help says how to type it"),
    ("score runs", "metaeval score needs --qrels FILE; metaeval score --help says how to type it"),
    ("simulate scores", "metaeval simulate scores needs FILE; metaeval simulate scores --help says how to type it"),
    ("power x --tets t", "metaeval power has no option '--tets'; did you mean --test"),
    ("power x -x", "metaeval power has no option '-x'. metaeval power --help names all"),
    ("power x --alpha", "--alpha needs a value; write it behind, as in --alpha LEVEL"),
    (
        "power x --alpha --quiet",
        "--alpha needs a value, and --quiet is an option; write it behind, as in --alpha LEVEL",
    ),
    ("power x --json=3", "--json takes no value; leave it out"),
    ("power x --alpha much", "--alpha must be a number, not 'much'"),
    ("power x --alpha 3", "--alpha must lie between 0 and 1, not 3.0"),
    ("power x --resamples 1.5", "--resamples must be a whole number, not '1.5'"),
    ("power x --qrels=", "--qrels: '' is no name of a file"),
    ("power x --alternative up", "no value of --alternative 'up'. Known: two-sided, greater, less, better"),
    ("leaderboard x --rank-method foo", "no value of --rank-method 'foo'. Known: posterior, guaranteed"),
    ("power x --test foo", "--test: no test 'foo'. Known: "),
    ("power x --json --latex", "--json and --latex exclude each other; give one of them"),
    ("power x --pdf", "--pdf does nothing without --out; add that, or leave --pdf out"),
    ("metrics a b", "metaeval metrics takes no 'a b'; metaeval metrics --help says how to type it"),
    ("--study", "--study needs a value; write it behind, as in --study FILE.toml"),
]


@pytest.mark.parametrize(("line", "said"), WRONG)
def test_a_wrong_command_line_is_told_in_one_line(command, line, said):
    """The word Error, what is wrong and the way out, and the exit code of usage; no box, no traceback, no Python."""
    ended = command(*line.split())
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"Error: {said}")
    assert ended.err.count("\n") == 1
    assert not re.search(r"[│╭╰]|Traceback|Usage:|<\w+>|\bNone\b|\b(?:int|float|str|bool)\b", ended.err)


def test_a_wrong_value_in_a_study_names_the_study(command, tmp_path):
    """The value was typed into a file, so the message begins with the file and the line."""
    (tmp_path / "study.toml").write_text('command = "power"\n[options]\ninputs = ["x"]\nalpha = "much"\n')
    ended = command("--study", "study.toml")
    assert (ended.code, ended.err) == (2, "Error: study.toml, line 4: --alpha must be a number, not 'much'\n")
