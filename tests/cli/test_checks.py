"""Options are looked at before the first file is opened: a law over all commands and all their options."""

import os
import sys
from pathlib import Path

import pytest
import typer

from metaeval.cli import app, checks
from metaeval.errors import InvalidOptionError

GUARD = {"folder": None}


class OpenedError(BaseException):
    """An input was opened."""


def _hook(event, arguments):
    if event != "open" or GUARD["folder"] is None or not isinstance(arguments[0], str | os.PathLike):
        return
    if os.fspath(arguments[0]).startswith(GUARD["folder"]):
        raise OpenedError(arguments[0])


@pytest.fixture(scope="session")
def guarded():
    """Have Python call the guard from the first test that needs it on: for good, and slowing all that follows."""
    sys.addaudithook(_hook)


def _commands(group=None, words=()):
    group = typer.main.get_command(app) if group is None else group
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command, (*words, name))
        else:
            yield (*words, name), command


COMMANDS = dict(_commands())
OPTIONS = [
    pytest.param(words, parameter, id=f"{' '.join(words)} {parameter.opts[-1]}")
    for words, command in COMMANDS.items()
    for parameter in command.params
    if parameter.opts[0].startswith("-") and not getattr(parameter, "is_flag", False) and parameter.name != "help"
]
FREE = {
    *("--lower-is-better", "--higher-is-better", "--group-column", "--pooled-column", "--current", "--map-metric"),
    *("--reference", "--exclude-systems", "--exclude-topics", "--covariates"),
    *("--baseline", "--system", "--item", "--cluster", "--without", "--second", "--title", "--description"),
}
"""Options whose value only the input can judge, names of columns, systems and files; and any words of one's own."""
FREE_IN = {
    ("human", "--metrics"),
    ("assessment", "--runs"),
    ("assessment", "--pools"),
    ("assessment", "--new-runs"),
    ("judges", "--runs"),
    ("judges", "--people"),
}
_OF_TABLES = ("system", "item", "metric", "value", "repeat", "cluster", "weight")
_OF_VOTES = ("left", "right", "winner", "loser", "question", "voter", "count")
FREE_IN |= {(name, f"--{role}-column") for name in ("votes", "stop") for role in _OF_VOTES}
FREE_IN |= {("human", f"--{role}-column") for role in ("system", "item", "cluster")}
FREE_IN |= {("combine", f"--{role}-column") for role in (*_OF_TABLES, "ignore")} | {("combine", "--metrics")}
FREE_IN |= {("design", "--pool"), ("power", "--pairs"), ("leaderboard", "--cohort")}


@pytest.fixture
def trap(tmp_path):
    """Make a folder of inputs none of which may be opened: named pipes that nobody writes to."""
    folder = tmp_path / "trap"
    folder.mkdir()
    for name in ("input", "qrels", "other", "table"):
        os.mkfifo(folder / name)
    return folder


COMPANIONS = {
    "--gains": ["--audit", "nDCG"],
    "--group-column": ["--groups", "TRAP/table"],
    "--pooled-column": ["--groups", "TRAP/table"],
    "--longest-break": ["--log", "TRAP/table"],
    "--new-runs": ["--runs", "TRAP/table"],
    "--rounds": ["--runs", "TRAP/table"],
    "--pair": ["--variance", "pairs"],
}
"""What an option needs beside it."""


def line(words, trap, option=None):
    """Return the shortest line of a command that would be read, with every input in the trap."""
    told = list(words)
    names = {parameter.opts[0] for parameter in COMMANDS[words].params}
    for parameter in COMMANDS[words].params:
        if parameter.name in {"out", "file"} and not parameter.opts[0].startswith("-"):
            told.append(str(trap.parent / ("new.csv" if parameter.metavar == "FILE" else "new")))
        elif not parameter.opts[0].startswith("-"):
            told += [str(trap / "input")] + [str(trap / "other")] * (words == ("judges",))
    if "--qrels" in names and option not in {"--qrels", "--systems-in"}:
        told += ["--qrels", str(trap / "qrels")]
    if words == ("judges",) and option != "--runs":
        told += ["--runs", str(trap / "table")]
    if words == ("human",):
        told += ["--reference", "human"]
    beside = COMPANIONS.get(option, [])
    return told + [word.replace("TRAP", str(trap)) for word in beside if beside[0] in names]


@pytest.fixture
def refused(command, trap, guarded):  # noqa: ARG001
    """Run a line and say how it ended; opening an input is the error it is there for."""

    def run(*words):
        GUARD["folder"] = str(trap)
        try:
            return command(*words)
        finally:
            GUARD["folder"] = None

    return run


@pytest.mark.parametrize(("words", "option"), OPTIONS)
def test_an_empty_value_is_refused_before_anything_is_opened(refused, trap, words, option):
    """No option takes an empty text for a name, a file or a number."""
    ended = refused(*line(words, trap, option.opts[0]), option.opts[0], "")
    assert ended.code == 2, ended.err
    assert option.opts[0] in ended.err


@pytest.mark.parametrize(("words", "option"), OPTIONS)
def test_nonsense_is_refused_before_anything_is_opened(refused, trap, words, option):
    """What is no value of an option is a usage error (or a file that is not there), whatever the input."""
    flag = option.opts[0]
    if flag in FREE or (words[0], flag) in FREE_IN:
        pytest.skip("only the input can judge it")
    value = trap.parent / "absent" / "x" if "FOLDER" in str(option.metavar) else "no such (thing ☃"
    if "FOLDER" in str(option.metavar):
        (trap.parent / "absent").write_text("a file")
    ended = refused(*line(words, trap, flag), flag, value)
    assert ended.code in {2, 3}, ended.err
    assert ended.code == 2 or "there is no" in ended.err
    assert "Traceback" not in ended.err


HUGE = str(10**30)
LISTS = {"--tolerances", "--steps", "--difference", "--variance", "--scale", "--budget"}
"""Options of text that hold numbers."""
NUMERIC = [
    pytest.param(*one.values, id=one.id)
    for one in OPTIONS
    if one.values[1].type_descriptor.annotation in {int, float} or one.values[1].opts[0] in LISTS
]
UNBOUNDED = {"--bin-width", "--min-difference", "--longest-break", "--tolerances", "--difference", "--variance"}
"""Differences and lengths of time: any finite number above 0 has a meaning."""


@pytest.mark.parametrize(("words", "option"), NUMERIC)
def test_numbers_out_of_range_are_refused_before_anything_is_opened(refused, trap, words, option):
    """Every option that takes a number has an end on both sides, and nothing that is no number passes."""
    flag = option.opts[0]
    for value in ("nan", "-1e999", *([] if flag in UNBOUNDED else [HUGE])):  # those have no end above, and need none
        ended = refused(*line(words, trap, flag), flag, value)
        assert ended.code == 2, (value, ended.err)
        assert flag in ended.err, value


SLIPS = [
    "power --test ttset",
    "report --correction fdr_b",
    "topics --tolerance-unit abs",
    "power --order rnk",
    "power --metrics nDGC@10",
    "power --metrics AP;nDCG",
    "power --metrics AP(",
    "power --metrics nDCG(gains=lineer)",
    "power --metrics AP(rel=no)",
    "power --overwrite",
    "power --pdf",
    "power --json --latex",
    "score --metrics ,",
    "score --scores scores.docx",
    "score --scores no/such/folder.csv",
    "score --overwrite",
    "agree --audit nDGC",
    "agree --audit nDCG --gains {1:1",
    "agree --audit nDCG --gains lineer",
    "agree --audit nDCG --metrics AP",
    "agree --gains {1:1}",
    "agree --alpha 0.05,nan",
    "agree --alternative better --test tukey",
    "power --alternative greater",
    "power --resamples 10",
    "power --group-column team",
    "power --groups TRAP/table --group-regex (a)",
    "power --group-regex (",
    "power --group-regex a",
    "power --systems-in rows",
    "power --pairs no/such/folder.csv",
    "power --runs 1",
    "power --runs one-per-team",
    "report --map-metric nDCG --metrics AP",
    "compare-metrics --current nDCG --metrics AP,P@10",
    "topics --pymc --no-bayes",
    "topics --posterior",
    "topics --posterior --no-bayes --out new",
    "report --posterior --no-topics",
    "topics --sizes 5-20 --limit 10",
    "topics --sizes 10-5",
    "topics --sizes 0",
    "topics --sizes 1-99999999999999999999999",
    "topics --tolerances 120",
    "topics --tolerances -5",
    "topics --overwrite",
    "judgments --steps 10,110",
    "judgments --steps 10,10",
    "judgments --question less",
    "judgments --reductions stratifed",
    "judgments --cost 2004",
    "judgments --cost 1,-1",
    "judgments --budget 5d",
    "judgments --correction family-wise --test t",
    "judgments --keep TRAP/input",
    "judgments --pooled-column x",
    "table --markdown --csv",
    "table --latex --html",
    "table --json --markdown",
    "table --marks groups --baseline bm25",
    "table --marks daggers",
    "table --rows best",
    "table --test tukey --baseline bm25",
    "table --top 0",
    "table --digits 13",
    "table --correction family-wise --test t",
    "table --resamples 10 --test bootstrap_sensitivity",
    "design --power 0.04",
    "design --variance pairs",
    "design --pair a,b",
    "human --reference h --cluster c --statistic tau",
    "judges --word a=b",
    "judges --column colour=x",
    "judges --metrics nDGC",
    "assessment --longest-break 5",
    "assessment --rounds documents",
    "assessment --runs TRAP/table --rounds elements",
    "assessment --new-runs TRAP/table",
    "assessment --pool-sizes 50",
    "assessment --runs TRAP/table --pool-sizes 50",
    "assessment --runs TRAP/table --new-runs TRAP/table --pool-sizes 2.5",
    "assessment --runs TRAP/table --more-documents 2.5",
    "assessment --runs TRAP/table --cost 2004",
    "assessment --runs TRAP/table --cost 1",
    "assessment --runs TRAP/table --cost 1,-1",
    "assessment --more-documents 50",
    "assessment --cost 2006",
    "reliability --metrics nxCGG",
    "power --plugin absent.py",
    "metrics --plugin absent.py",
    "simulate scores --metrics BLEU",
    "simulate scores --systems 999999 --topics 999999",
    "simulate collection --levels 0",
    "simulate inex --year 1999",
]


@pytest.mark.parametrize("slip", SLIPS)
def test_slips_of_the_fingers_cost_no_reading(refused, trap, slip):
    """Names that look right, numbers outside their rule, and options that contradict each other or do nothing."""
    told = slip.replace("TRAP", str(trap)).split()
    n_words = 2 if told[0] == "simulate" else 1
    base = line(tuple(told[:n_words]), trap)
    if "--gains {1:1}" in slip:
        base = line(("agree",), trap)
    ended = refused(*base, *told[n_words:])
    assert ended.code == 2, ended.err
    assert ended.err.startswith(("Error:", "Usage:")) or "--" in ended.err


def test_options_about_runs_do_nothing_for_tables(refused, trap):
    """They are refused before the table is opened."""
    for words in (["--order", "rank"], ["--lenient"], ["--undefined", "drop"]):
        ended = refused("power", trap / "input", *words)
        assert ended.code == 2
        assert f"{words[0]} is about runs and judgments" in ended.err


@pytest.mark.parametrize(
    ("test", "correction", "same"),
    [
        ("ttest", "BY", ("t", "fdr_by")),
        ("Fisher", "bonf", ("randomisation", "bonferroni")),
        ("PAIRED-T", "BH", ("t", "fdr_bh")),
    ],
)
def test_names_of_the_field_are_understood(command, table, test, correction, same):
    """In any case, and the answer says the one name."""
    words = ("--resamples", 200, "--json")
    written = command("power", *table, "--test", test, "--correction", correction, *words).json()
    plain = command("power", *table, "--test", same[0], "--correction", same[1], *words).json()
    assert written["results"] == plain["results"]
    assert (written["options"]["test"], written["options"]["correction"]) == same


def test_twice_the_same_name_counts_once(command, table):
    """Trailing commas and repeats change nothing."""
    words = ("--json",)
    twice = command("power", *table, "--test", "t,t,ttest,", "--correction", "none,none", *words).json()
    assert twice["results"] == command("power", *table, "--test", "t", "--correction", "none", *words).json()["results"]


def test_every_option_but_flags_is_checked():
    """An option is declared with the check of its values, or with a rule of its own for paths."""
    unchecked = [
        f"{' '.join(words)} {parameter.opts[0]}"
        for words, command in COMMANDS.items()
        for parameter in command.params
        if not getattr(parameter, "is_flag", False)
        and parameter.callback is None
        and parameter.name not in {"out", "plugin"}
    ]
    assert unchecked == []


@pytest.mark.usefixtures("table")
@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="not every system tells of itself in files")
@pytest.mark.parametrize(
    "words",
    [
        ["power", "/proc/self/environ"],
        ["power", "mine=/proc/self/environ"],
        ["power", "link"],
        ["power", "/sys/kernel"],
        ["score", "AP.csv", "--qrels", "/proc/kmsg"],
        ["table", "AP.csv", "--groups", "/proc/version"],
        ["table", "AP.csv", "--out", "/proc/report"],
        ["table", "AP.csv", "--out", "/sys/kernel/report"],
        ["power", "AP.csv", "--pairs", "/proc/pairs.csv"],
    ],
)
def test_what_the_system_tells_of_itself_is_no_data(command, tmp_path, words):
    """Environments hold secrets, and some of these files have no end: none is read, and none is written."""
    (tmp_path / "link").symlink_to("/proc/self/environ")
    ended = command(*words)
    assert ended.code in {2, 3}
    assert ended.out == ""
    assert any(told in ended.err for told in ("/proc and /sys hold no data", "nothing can be written in '/"))
    assert "PATH" not in ended.err


def test_a_sign_behind_an_equals_sign_is_no_condition():
    """``year=>2020`` may mean two things, so it is refused with one that means one, which is read."""
    assert checks.parse_where(["year >= 2020", "kind = a", "n=1..2"]) == {"year": ">=2020", "kind": "a", "n": "1..2"}
    with pytest.raises(InvalidOptionError, match=r"such as 'year>2020', not 'year=>2020'"):
        checks.parse_where(["year=>2020"])
    with pytest.raises(InvalidOptionError, match="NAME=VALUE"):
        checks.parse_where(["year>old"])
