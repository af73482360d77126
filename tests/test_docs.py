"""Every example in README.md and in the pages of docs/ runs, and answers what the page shows."""

import doctest
import io
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

import pytest
import typer
from markdown_it import MarkdownIt
from page_words import assert_soon_read

from metaeval.cli import app, main
from metaeval.cli import command as runner
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
pytestmark = [pytest.mark.usefixtures("checkout"), pytest.mark.usefixtures("drawn_once")]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def _blocks(page):
    """Yield (kind, text) of every code block; one of kind "json file=NAME" is a file of that name."""
    for token in MarkdownIt().parse(page.read_text("utf-8")):
        if token.type == "fence":
            kind, _, file = token.info.strip().partition(" file=")
            yield f"file {file}" if file else kind, token.content


def _shown(text, answer, place):
    assert doctest.OutputChecker().check_output(text, answer, FLAGS), f"{place} shows\n{text}\nbut got\n{answer}"


def _run_python(text, names, page):
    if ">>>" not in text:
        exec(compile(text, str(page), "exec"), names)  # noqa: S102 - the page's own example
        return
    example = doctest.DocTestParser().get_doctest(text, names, page.name, str(page), 0)
    said = []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(example, out=said.append, clear_globs=False)
    names.update(example.globs)
    assert not runner.summarize(verbose=False).failed, "".join(said)


def _run_console(text, page):
    lines = text.replace("\\\n", " ")  # a command may go on after a backslash
    for part in re.split(r"^\$ ", lines, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        program, *arguments = shlex.split(command, comments=True)
        if program not in RUNNERS and program not in SHELL:
            continue
        code, answer, said = _shell(command) if program in SHELL else RUNNERS[program](arguments)
        assert code == 0, f"$ {command}\n{said}"
        if expected.strip():
            _shown(expected, answer, f"{page.name}: $ {command}")


def _metaeval(arguments):
    """Run the command line in this process, which has loaded everything already; its page is soon read."""
    answer, said = io.StringIO(), io.StringIO()
    with (
        redirect_stdout(answer),
        redirect_stderr(said),
        patch.object(sys, "argv", ["metaeval", *arguments]),
        patch.object(runner, "_show", wraps=runner._show) as shown,
    ):
        code = main()
    for call in shown.call_args_list:
        assert_soon_read(call.args[0])
    return code, answer.getvalue(), said.getvalue()


def _python(arguments):
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def _shell(command):
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)  # noqa: S607 - as shown
    return done.returncode, done.stdout, done.stderr


def _dask(arguments):
    """Start it in the background, as the page does; it ends with the page."""
    module = STARTED["module"]
    started = module.start(*[word for word in arguments if word != "&"], folder=STARTED["folder"])
    STARTED["programs"].append(started)
    if arguments[0] == "scheduler":
        module.wait_for(started, STARTED["port"])
    return 0, "", ""


STARTED = {}
"""What starts the programs of Dask, where, and those that were started on the page at hand."""
RUNNERS = {"metaeval": _metaeval, "python": _python, "dask": _dask}
"""Of the programs shown, those that need no installing and no network."""
SHELL = {"awk", "cp", "gzip", "iconv", "mkdir", "mv", "sed", "tail", "tr"}
"""Programs that a page mends a file with, and their redirections."""


@pytest.fixture
def on_a_cluster(dask_programs, tmp_path):
    """Let a page start the programs of Dask, at a port that is free here."""
    STARTED.update(module=dask_programs, folder=tmp_path, port=dask_programs.free_port(), programs=[])
    yield
    programs = STARTED["programs"]
    STARTED.clear()
    with dask_programs.stopping(*programs):
        pass


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_examples_run(page, tmp_path, monkeypatch, request):
    """The blocks of a page run one after the other, in a folder that holds the bundled examples."""
    if "$ dask " in page.read_text("utf-8"):
        request.getfixturevalue("on_a_cluster")
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}
    for kind, text in _blocks(page):
        if kind.startswith("file "):
            file = Path(kind.removeprefix("file "))
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
        elif kind == "python":
            _run_python(text, names, page)
        elif kind == "console":
            _run_console(text.replace("8786", str(STARTED.get("port", 8786))), page)


def test_readme_shows_an_answer_first_and_then_the_two_commands():
    """One look at a bundled file, then the two commands that need nothing installed; the Makefile knows them."""
    shown = [text for kind, text in _blocks(ROOT / "README.md") if kind == "console"]
    first, second = (re.findall(r"^\$ (.+)$", text, flags=re.MULTILINE) for text in shown[:2])
    assert [line.rpartition("/")[0] for line in first] == ["metaeval look examples/simulated"]
    assert second == ["make demo", "make test"]
    text = (ROOT / "README.md").read_text("utf-8")
    assert text.index(first[0]) < text.index("![") < text.index("$ make demo")
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert {"demo", "test"} <= set(re.findall(r"^(\w+):", makefile, flags=re.MULTILINE))


def _command_names(command, above=()):
    if hasattr(command, "commands"):
        for name, below in command.commands.items():
            yield from _command_names(below, (*above, name))
    else:
        yield " ".join(above)


@pytest.mark.parametrize("name", list(_command_names(typer.main.get_command(app))))
def test_every_command_has_its_page(name):
    """A page below docs/commands holds the generated options of the command, and an example of it."""
    page = ROOT / "docs" / "commands" / f"{name.split()[0]}.md"
    assert f"<!-- written: options {name} -->" in page.read_text("utf-8")
    assert any(kind == "console" and f"$ metaeval {name} " in text for kind, text in _blocks(page))


def test_guide_names_the_tests_without_a_direction():
    """It says which tests are two-sided only, as the table has them."""
    guide = (ROOT / "docs" / "choosing-a-test.md").read_text("utf-8")
    sentence = re.search(r"^(`.+) are two-sided\.$", guide, flags=re.MULTILINE)
    assert re.findall(r"`(\w+)`", sentence[1]) == [name for name, spec in TESTS.items() if spec.one_sided_substitute]


@pytest.mark.parametrize("name", [*TESTS, *CORRECTIONS])
def test_guide_names_every_test_and_correction(name):
    """The guide to choosing a test has a row for it."""
    assert f"| `{name}` |" in (ROOT / "docs" / "choosing-a-test.md").read_text("utf-8")
