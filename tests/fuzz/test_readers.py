"""Every reader accepts what a literal second parser reads in the same way, or refuses with metaeval's own error.

A short run with fixed seeds, and every input that ever failed. The long run: python benchmarks/studies/fuzz_readers.py.
"""

import ast
import re
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from fuzz_harness import kept_cases, outcome, settings, workplace
from fuzz_records import idle
from fuzz_table import READERS

from metaeval.errors import FileFormatError
from metaeval.io import foreign
from metaeval.io.benchmarks.formats import FORMATS

SOURCE = Path(foreign.__file__).parents[1]
SEED = 10
SHARE, LEAST = 0.05, 8
FOUND = kept_cases(Path(__file__).parent / "found.txt")
NO_END = kept_cases(Path(__file__).parent / "found_without_end.txt")
LIMIT = 600.0  # seconds, after which it hangs; a busy machine takes its time


def marked(names, values=None):
    """Return the values, the names themselves by default, as parameters that need what their readers need."""
    return [
        pytest.param(value, marks=pytest.mark.parquet if READERS[name].polars else ())
        for name, value in zip(names, values or names, strict=True)
    ]


OWN = {"replicates": "no other program writes them"}
"""Readers whose documents have one spelling, with the reason."""


def explain(name, case, got):
    return f"{got.kind} of {name}: {got.why}\n{got.detail}\nfiles {case.files!r:.2000}\noptions {dict(case.options)}"


@pytest.mark.parametrize("name", marked(READERS))
def test_fresh_documents_are_refused_or_read_as_they_stand(name):
    """Structured documents with changes, new ones for every reader."""
    reader = READERS[name]
    with workplace() as folder, settings():
        for number in range(max(LEAST, int(reader.speed * SHARE))):
            case = reader.case(SEED, number)
            got = outcome(reader, case, folder)
            assert not got.failed, explain(name, case, got)


@pytest.mark.parametrize("name", marked([name for name in READERS if name not in OWN]))
def test_odd_spellings_are_read_as_what_they_were_made_from(name):
    """Valid documents whose content is known before they are spelt: each is accepted, and read exactly so."""
    reader = READERS[name]
    with workplace() as folder, settings():
        for number in range(max(LEAST, int(reader.speed * SHARE / 2))):
            case = reader.spelt(SEED, number)
            got = outcome(reader, case, folder)
            assert got.kind == "accepted", explain(name, case, got)


ODD = ("1.10", "007", "1e3", "true", "None")
NAMELESS = {
    "compressed": "content of any kind",
    "inex-article": "elements, whose names are those of XML",
    "study": "options, whose values have types",
    "judged-input": "only what the files are taken for",
}
"""Readers that read no names, with what they read."""


@pytest.mark.parametrize("name", marked([name for name in READERS if name not in {*OWN, *NAMELESS}]))
def test_names_that_look_like_numbers_or_gaps_are_among_those_of_every_reader(name):
    """The truths of every reader hold 1.10, 007, 1e3, true, None and a name of twenty digits, as text."""
    cases = [READERS[name].spelt(SEED, number) for number in range(150)]
    said = " ".join(repr((case.truth, case.options)) for case in cases)
    words = {*re.split(r"['\"|/,() ]+", said)}
    assert words >= {*ODD}
    assert any(re.fullmatch("[0-9]{19,20}", word) for word in words)


@pytest.mark.parametrize("name", READERS)
def test_every_reader_has_a_second_opinion(name):
    """A reader whose answers nobody doubts is a gap in the net."""
    assert READERS[name].opinions is not None


@pytest.mark.parametrize(("other", "what"), [("x", "read"), (None, "refused")])
def test_a_wrong_reading_of_an_odd_spelling_is_found(other, what):
    """A reader that gives something else than the truth, or refuses, fails."""

    def read(*_):
        if other is None:
            raise FileFormatError(what)
        return other

    reader = replace(READERS["names"], read=read)
    with workplace() as folder, settings():
        got = outcome(reader, reader.spelt(SEED, 0), folder)
    assert (got.kind, what in {"read", got.why.split()[0]}) == ("difference", True)


@pytest.mark.parametrize(
    "deed",
    [
        lambda folder: (folder / "new").write_text("x"),
        lambda folder: (folder / "new").mkdir(),
        lambda _: subprocess.run([sys.executable, "-V"], check=True, stdout=subprocess.DEVNULL),
        lambda _: exec(compile("1", "evil.py", "exec")),  # noqa: S102 - a program of ours
    ],
    ids=["a file", "a folder", "a process", "a program"],
)
def test_whatever_a_study_did_would_be_seen(deed):
    """The watch over studies that are read sees what is written, started and run."""
    with workplace() as folder, pytest.raises(AssertionError), idle():
        deed(folder)


@pytest.mark.parametrize("number", marked([name for name, _ in FOUND], range(len(FOUND))))
def test_what_was_ever_found_is_mended(number):
    """Inputs that once ended in another exception, or were read otherwise than they stand."""
    name, case = FOUND[number]
    with workplace() as folder, settings():
        got = outcome(READERS[name], case, folder)
    assert not got.failed, explain(name, case, got)


def test_what_once_had_no_end_ends():
    """Inputs in which a library ran for ever, in a process of their own, which names those that are not refused."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from pathlib import Path\n"
        "from fuzz_harness import kept_cases, settings, tried, workplace\n"
        "from fuzz_table import READERS\n"
        "from metaeval.io import stored\n"
        "stored._LEAST_SECONDS = 1\n"
        "for number, (name, case) in enumerate(kept_cases(Path(sys.argv[1], 'found_without_end.txt'))):\n"
        "    with workplace() as folder, settings():\n"
        "        got = tried(READERS[name], case, folder)\n"
        "    if got.kind != 'refused' and got.why != 'refused late':\n"
        "        print(number, name, got.kind, got.why)\n"
        "print('end')\n"
    )
    command = [sys.executable, "-c", code, str(Path(__file__).parent)]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, timeout=LIMIT, check=True, cwd=root, stdout=subprocess.PIPE, text=True)
    assert done.stdout == "end\n"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows limits no process")
def test_the_process_that_tries_a_file_ends_by_itself():
    """Where whoever started it was killed, nobody else would end it."""
    command = [sys.executable, foreign.__file__, "NetCDF", "1", str(2**31)]
    done = subprocess.run(command, input=NO_END[0][1].files[0], timeout=LIMIT, check=False, stderr=subprocess.PIPE)
    assert done.returncode == -signal.SIGXCPU


@pytest.mark.parametrize("name", marked(READERS))
def test_the_valid_documents_of_every_reader_are_mostly_accepted(name):
    """A generator whose documents are all refused would test nothing."""
    reader = READERS[name]
    with workplace() as folder, settings():
        kinds = [outcome(reader, reader.make(_random(number)), folder).kind for number in range(LEAST)]
    assert kinds.count("accepted") >= LEAST // 4, kinds


def _random(number):
    import random  # noqa: PLC0415 - for this alone

    return random.Random(number)  # noqa: S311 - no secret


INNER = {
    "read_item_covariate": "read_covariate, by keys of items and systems",
    "read_judged_answers": "a table of what judges said of answers, by its cells",
    "read_sheet": "cells of a table, beneath every reader of tables",
    "read_submissions": "read_submission, one file after another",
    "read_tree": "NetCDF, beneath read_scores",
}
"""Functions that read a file and that no fuzzer calls, with what they are part of."""
PATHS = {"path", "paths", "runs", "data"}


def test_every_reader_is_under_test():
    """A function that reads files, or a format of benchmarks, without a fuzzer of its own is a gap in the net."""
    fuzzers = "\n".join(path.read_text("utf-8") for path in Path(__file__).parent.glob("fuzz_*.py"))
    readers = {
        node.name
        for path in SOURCE.rglob("*.py")
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("read_")
        if node.args.args and node.args.args[0].arg in PATHS
    }
    assert len(readers) > 20
    assert {name for name in readers if f"{name}(" not in fuzzers} == set(INNER)


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_every_format_of_benchmarks_has_a_second_opinion_and_truths(form):
    """A format without a fuzzer, and a fuzzer without a literal reading or without truths, is a gap in the net."""
    assert [one.name for one in FORMATS] == [*FORMATS_UNDER_TEST]
    for name in FORMATS_UNDER_TEST[form.name]:
        assert READERS[name].opinions is not None
        assert READERS[name].spell is not None


FORMATS_UNDER_TEST = {
    "MTEB": ["benchmark-mteb"],
    "lm-evaluation-harness": ["benchmark-lm-eval", "benchmark-lm-eval-results"],
    "inspect_ai": ["benchmark-inspect", "benchmark-inspect-archive"],
    "HELM": ["benchmark-helm"],
    "AlpacaEval": ["benchmark-alpaca"],
    "SWE-bench": ["benchmark-swe"],
    "BigCodeBench and EvalPlus": ["benchmark-code"],
    "EvalScope": ["benchmark-reviews"],
    "Every Eval Ever": ["benchmark-evaluations", "benchmark-evaluated"],
    "LiveCodeBench": ["benchmark-performances", "benchmark-attempts"],
    "human-eval and tau-bench": ["benchmark-attempts"],
    "scikit-learn": ["benchmark-search", "benchmark-validated"],
    "mt-metrics-eval": ["mt-metrics-eval"],
    "TREC AutoJudge": ["benchmark-lines", "scores-results"],
    "pytest-reportlog": ["benchmark-test-logs"],
    "ragas, DeepEval and the like": ["benchmark-frames"],
    "nuggets": ["benchmark-nuggets", "benchmark-nuggetizer"],
    "nuggetizer": ["benchmark-frames"],
    "JSON records": ["benchmark-lines"],
}
"""Formats of benchmarks, and their fuzzers."""
