"""What the library says of arguments reaches the command line as options: laws over all messages of the source."""

import ast
import inspect
import re
from functools import cache
from pathlib import Path

import pytest
import typer

import metaeval
from metaeval.cli import app
from metaeval.cli.messages import error_in_options, in_options, speaking_in_options
from metaeval.cli.option import arguments_of, declared
from metaeval.errors import FileFormatError
from metaeval.metrics.plugins import default_registry
from metaeval.metrics.spec import RESERVED

SOURCE = Path(metaeval.__file__).parent
SPAN = re.compile(r"`([a-z_]\w*)(?:=([^`]*))?`")
NONE = "this command has no such option"
PROGRAM = typer.main.get_command(app)
COMMANDS = [
    one
    for group in (PROGRAM, PROGRAM.commands["simulate"])
    for one in group.commands.values()
    if not hasattr(one, "commands")
]


def _texts(node):
    """Yield every text under a node but docstrings; what is filled in is 'x'."""
    if isinstance(node, ast.JoinedStr):
        yield "".join(one.value if isinstance(one, ast.Constant) else "'x'" for one in node.values)
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            yield node.value
    elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
        for part in ast.iter_child_nodes(node):
            yield from _texts(part)


@cache
def messages():
    """Return every text of several words in one line, with its file."""
    return sorted(
        {
            (str(path.relative_to(SOURCE)), text)
            for path in SOURCE.rglob("*.py")
            if path.parent.name != "cli" and path.stem != "command"
            for text in _texts(ast.parse(path.read_text(encoding="utf-8")))
            if " " in text and "\n" not in text
        }
    )


@cache
def parameters(*, of_classes):
    """Return the parameters of every public function and method, and those that make an object of a public class."""
    top = [getattr(metaeval, name) for name in metaeval.__all__]
    things = top + [getattr(chapter, name) for chapter in top if inspect.ismodule(chapter) for name in chapter.__all__]
    members = [
        getattr(one, "__func__", one)
        for kind in things
        if inspect.isclass(kind)
        for name, one in vars(kind).items()
        if not name.startswith("_") or (of_classes and name in {"__init__", "__new__"})
    ]
    functions = filter(inspect.isfunction, things + members)
    return {name for one in functions for name in inspect.signature(one).parameters}


CALL = r"[\w.']+\((?:[^()]|\([^()]*\))*\)"
"""A call that is to be copied, frame.rename(columns=...), which stands in no option's place."""


def test_every_argument_in_backticks_exists():
    """A slip or a renamed argument would send people to something that is not there."""
    named = {(path, span[1], text) for path, text in messages() for span in SPAN.finditer(text)}
    assert {one for one in named if one[1] not in parameters(of_classes=True)} == set()


def test_every_argument_stands_in_backticks():
    """What looks like an argument is one in code; in the notation of metrics, AP(rel=2), nothing is."""
    notation = {*RESERVED, *(name for spec in default_registry() for name in spec.parameters)}
    bare = re.compile(r"(?<![\w.`'\"(-])([a-z]+(?:_[a-z]+)+)(?![\w('`.=])|(?<![\w`'-])([a-z_]+)=(?![=\"])")
    found = {
        (path, match[1] or match[2], text)
        for path, text in messages()
        for match in bare.finditer(re.sub(rf"`[^`]*`|{CALL}", "", text))
    }
    assert {one for one in found if one[1] in parameters(of_classes=False) - notation} == set()


@pytest.mark.parametrize("command", COMMANDS, ids=lambda one: one.name)
def test_a_command_speaks_of_its_options(command):
    """A message with an argument that the command offers comes out with the option, and without backticks."""
    offered = arguments_of(command)
    with speaking_in_options(offered):
        for argument, option in offered.items():
            if "." not in argument:
                assert in_options(f"pass `{argument}`, or `{argument}='it'`") == f"pass {option}, or {option} it"
        left = {
            (path, span[0])
            for path, text in messages()
            for span in SPAN.finditer(in_options(text))
            if span[1] in offered
        }
    assert left == set()


def test_what_an_option_stands_for_exists():
    """An argument that is renamed in the library is renamed where the option is declared."""
    named = {name.partition(".")[0] for one in COMMANDS for _, option in declared(one) for name in option.means}
    trees = (
        ast.parse(path.read_text(encoding="utf-8"))
        for path in SOURCE.rglob("*.py")
        if path.parent.name != "cli" and path.stem != "command"
    )
    nodes = [node for tree in trees for node in ast.walk(tree)]
    arguments = {node.arg for node in nodes if isinstance(node, ast.arg)}
    functions = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}  # --clusters is with_clusters
    assert named <= arguments | functions | parameters(of_classes=True)


def test_an_argument_stands_for_the_option_of_its_own_command():
    """A count is n_ in the library; the same argument has another option, or none, elsewhere."""
    arguments = {one.name: arguments_of(one) for one in COMMANDS}
    assert (arguments["topics"]["n_trials"], arguments["topics"]["rng"]) == ("--trials", "--seed")
    assert (arguments["collection"]["depth"], arguments["judgments"]["depth"]) == ("--depth", "--pool-depth")
    assert arguments["collection"]["n_topics"] == "--topics"
    assert arguments["report"]["n_topics"] == "--n-topics"
    assert "n_trials" not in arguments["report"]
    assert (arguments["topics"]["sizes"], arguments["topics"]["element_collection.sizes"]) == (
        "--topic-sizes",
        "--element-sizes",
    )
    assert not {"compare-metrics", "report", "power"} & {name for name in arguments if "sizes" in arguments[name]}
    assert arguments["judgments"]["sizes"] == "--pool-sizes"


@pytest.mark.parametrize(
    ("message", "arguments", "shown"),
    [
        (
            "run 'a' has two documents at rank 3; ranks must be unique with `order='rank'`",
            {"order": "--order"},
            "run 'a' has two documents at rank 3; ranks must be unique with --order rank",
        ),
        (
            "a lacks 3 of 5 topics; pass `missing='zero'`, `'drop-systems'` or `'drop-topics'`",
            {"missing": "--missing"},
            "a lacks 3 of 5 topics; pass --missing zero, drop-systems or drop-topics",
        ),
        (
            "pass `tolerance_unit='absolute'` with tolerances in the metric's unit, or `tolerances=[0]`",
            {"tolerance_unit": "--tolerance-unit", "tolerances": "--tolerances"},
            "pass --tolerance-unit absolute with tolerances in the metric's unit, or --tolerances 0",
        ),
        ("`alpha` must lie between 0 and 1, not 3", {"alpha": "--alpha"}, "--alpha must lie between 0 and 1, not 3"),
        ("With `lenient=True`, it is 0", {"lenient": "--lenient"}, "With --lenient, it is 0"),
        ("a table without names: `header=False`", {"no_header": "--no-header"}, "a table without names: --no-header"),
        (
            "pass `columns={'topic': 'my doc', 'ignore': ['a', 'b']}` or `columns={'topic': None}`",
            {"columns.topic": "--item-column", "columns.ignore": "--ignore-column"},
            "pass --item-column 'my doc' --ignore-column a --ignore-column b or --item-column none",
        ),
        (
            "say which: `columns={'system': 1, 'score': 4}`",
            {"columns.system": "--system-column", "columns.score": "--value-column", "no_header": "--no-header"},
            "say which: --no-header --system-column 1 --value-column 4",
        ),
        (
            "name the columns (`columns={'judge': 'NAME', 'label': 'NAME'}`) or grades (`words={'yes': 1}`)",
            {"columns": "--column", "words": "--word"},
            "name the columns (--column judge=NAME --column label=NAME) or grades (--word yes=1)",
        ),
        ("nDCG(gains={1:1})@10 with rel=2 stays", {"gains": "--gains", "rel": "--rel"}, None),
        ("alpha, n_topics and order='rank' are words", {"order": "--order", "n_topics": "--n-topics"}, None),
        ("`metaeval human` and `dask worker tcp://x --nthreads 1` are programs", {"human": "--human"}, None),
        ("pass `missing='zero'`", {}, None),
        (
            "pass `systems_in='rows'` or `form='long'`",
            {"systems_in": "--systems-in"},
            "pass --systems-in rows",
        ),
        (
            "they come in clusters; ignore them (`with_clusters(scores, 'ignore')`)",
            {"with_clusters": "--clusters", "clusters": "--cluster-column"},
            "they come in clusters; ignore them (--clusters ignore)",
        ),
        (
            "give element sizes (`element_collection(sizes=...)`), or pass `sizes=[5]`",
            {"sizes": "--topic-sizes", "element_collection.sizes": "--element-sizes"},
            "give element sizes (--element-sizes), or pass --topic-sizes 5",
        ),
        (
            "say `metrics=['gsm=em(strict)', 'arc=loose acc']` or leave out `exclude_systems=['x, y', 'z']`",
            {"metrics": "--metrics", "exclude_systems": "--exclude-systems"},
            """say --metrics 'gsm=em(strict),"arc=loose acc"' or leave out --exclude-systems '"x, y",z'""",
        ),
        ("pass `words={'not good': 0}`", {"words": "--word"}, "pass --word 'not good=0'"),
        (
            "pass `form='long'`",
            {"systems_in": "--systems-in"},
            f"pass `form='long'` (`form` is an argument in Python; {NONE})",
        ),
        (
            "`columns` and `where` are for tables",
            {"out": "--out"},
            f"`columns` and `where` are for tables (`columns` and `where` are arguments in Python; {NONE})",
        ),
    ],
)
def test_messages_in_the_words_of_the_command_line(message, arguments, shown):
    """Options for what stands in backticks; everything else stays."""
    with speaking_in_options(arguments):
        said = in_options(message)
        assert in_options(said) == said == (shown or message)


@pytest.mark.parametrize(
    "text",
    [
        "system '`missing`' appears twice",
        "column 'a`b' is text",
        "`missing={'`",
        "`missing=((((`",
        "`missing=\0`",
        "a ``missing`` b",
    ],
)
def test_backticks_in_files_do_no_harm(text):
    """A name that holds them stays as it is, also in the code of a way out."""
    with speaking_in_options({"missing": "--missing", "columns.topic": "--item-column"}):
        assert in_options(text) == text
        assert in_options("pass `columns={'topic': 'a`b'}`").count("a`b") == 1


def test_a_command_speaks_of_options(command, table, simulated_collection):
    """What the library raises and warns of names options; from Python it names arguments."""
    rows = table[0].read_text().splitlines()
    table[0].write_text("\n".join([*rows[:3], rows[3].replace(rows[3].split(",")[0], "", 1), *rows[4:]]))
    ended = command("power", table[0])
    assert ended.code == 3
    assert "pass --missing zero, drop-systems, drop-topics or pairwise" in ended.err
    run = next((simulated_collection / "runs").iterdir())
    lines = run.read_text().splitlines()
    (run.parent.parent / "twice").write_text("\n".join([*lines, lines[-1].replace(lines[-1].split()[2], "other")]))
    words = ("--qrels", simulated_collection / "qrels.txt", "--order", "rank")
    ended = command("score", run.parent.parent / "twice", *words)
    assert ended.code == 3
    assert "--order rank" in ended.err


@pytest.mark.parametrize("name", ["runs", "min_topics/runs", "new"])
@pytest.mark.parametrize("line", [None, 3])
def test_a_file_called_like_an_argument_keeps_its_name(name, line):
    """What stands before the message is a path; the message itself is put into words."""
    said = "give `runs` as a folder"
    options = {"runs": "--runs", "new": "--new-runs", "min_topics": "--min-topics"}
    with speaking_in_options(options):
        told = error_in_options(FileFormatError(said, path=name, line=line))
    assert told == f"{name}{'' if line is None else ', line 3'}: give --runs as a folder"
