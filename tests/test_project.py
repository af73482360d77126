"""The promises of the package as a whole: light to import, layered, versioned in one place, documented."""

import ast
import graphlib
import importlib
import importlib.metadata
import inspect
import re
import shutil
import subprocess
import sys
import tokenize
import tomllib
from pathlib import Path

import pytest

import metaeval
from metaeval.questions.doctor.study import _DEVELOPING

ROOT = Path(__file__).parents[1]
PACKAGE = Path(metaeval.__file__).parent
"""The checkout's, or what is installed where the tests lie alone."""
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
HEAVY = ("pymc", "arviz", "matplotlib", "scipy.stats", "numba", "xarray", "pandas", "statsmodels", "polars")


def _run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, **options)


def _tool(name):
    """Return the path of a command installed beside this Python."""
    return shutil.which(name, path=str(Path(sys.executable).parent)) or pytest.fail(f"{name} is not installed: .[dev]")


def test_import_is_light():
    """Importing metaeval in a fresh process loads none of the heavy packages."""
    loaded = _run(sys.executable, "-c", "import sys, metaeval; print(*sys.modules)")
    assert loaded.returncode == 0, loaded.stderr
    modules = set(loaded.stdout.split())
    assert "metaeval" in modules
    assert modules.isdisjoint(HEAVY)


@pytest.mark.usefixtures("checkout")
@pytest.mark.parametrize("path", [*(ROOT / "benchmarks").rglob("*.py"), *(ROOT / "examples").glob("*.py")], ids=str)
def test_benchmarks_and_examples_name_arguments_that_there_are(path):
    """Most of them are run once a year, and would only then be found to call what was renamed."""
    tree = ast.parse(path.read_text("utf-8"))
    called = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "metaeval":
            module = importlib.import_module(node.module)
            for alias in node.names:
                name = alias.asname or alias.name
                known = hasattr(module, alias.name)
                called[name] = (
                    getattr(module, alias.name) if known else importlib.import_module(f"{node.module}.{alias.name}")
                )
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and callable(called.get(node.func.id)):
            parameters = inspect.signature(called[node.func.id]).parameters
            if not any(one.kind is one.VAR_KEYWORD for one in parameters.values()):
                unknown = {keyword.arg for keyword in node.keywords if keyword.arg} - parameters.keys()
                assert not unknown, f"line {node.lineno}: {node.func.id} knows no {unknown}"
            named = [keyword.arg for keyword in node.keywords]
            if None not in named and not any(isinstance(one, ast.Starred) for one in node.args):
                inspect.signature(called[node.func.id]).bind(*node.args, **dict.fromkeys(named))  # raises TypeError


def test_imports_go_downwards():
    """No layer imports from a layer above it."""
    pytest.importorskip("importlinter")
    checked = _run(_tool("lint-imports"), "--no-cache")
    assert checked.returncode == 0, checked.stdout


def _undeclared(folder, is_known):
    """Yield every top-level module that the files of a folder import from outside, anywhere, and that is not known."""
    for path in folder.rglob("*.py"):
        if path.parent.name == "reference":  # scripts that made other software's numbers
            continue
        text = path.read_text("utf-8")
        lines = re.findall(r"^\s*(?:from|import) (\w+)", text, re.MULTILINE)  # one import a line (E401), and texts
        if all(map(is_known, lines)):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [node.module]
            else:
                continue
            yield from (f"{path}: {name}" for name in names if not is_known(name.split(".")[0]))


@pytest.mark.parametrize(
    ("folder", "extras"),
    [(PACKAGE, ("external", "sampler", "parquet", "dask")), (ROOT / "tests", ("dev",))],
    ids=["metaeval", "tests"],
)
def test_every_import_is_a_declared_dependency(folder, extras):
    """What the code imports is asked for in pyproject.toml, not only brought along by something else."""
    asked = PROJECT["dependencies"] + [line for extra in extras for line in PROJECT["optional-dependencies"][extra]]
    if folder.name == "tests":
        named = ("test", "external", "sampler", "parquet", "browser")
        asked += [line for extra in named for line in PROJECT["optional-dependencies"][extra]]
    declared = {_plain(re.match(r"[\w.-]+", line)[0]) for line in asked}
    declared.add("h5py")  # asked for as h5netcdf[h5py]
    known = {*sys.stdlib_module_names, "metaeval"}
    known.add("compression" if sys.version_info < (3, 14) else "backports")  # the one that this Python does not import
    own = {"every", "forms_of_scores", "linear_algebra", "page_words", "passages", "small_results", "table_edits"}
    own |= {"test_ways_out", "packages"}
    known |= {"pytest"} if folder == PACKAGE else set()  # it loads metaeval/testing/pytest_plugin.py itself
    own |= {f"{shared}_fixtures" for shared in ("command", "page", "study")}
    beside = [*(ROOT / "tests" / "fuzz").glob("fuzz_*.py"), *(ROOT / "tests").glob("advice*.py")]
    known |= {*own, *(path.stem for path in beside)}  # they import one another
    owners = importlib.metadata.packages_distributions()

    def is_known(module):
        return module in known or bool(declared & {_plain(owner) for owner in owners.get(module, (module,))})

    assert list(_undeclared(folder, is_known)) == []


def test_every_required_dependency_is_used():
    """The library imports what every install has to bring: none stands there for the tests alone."""
    owners = importlib.metadata.packages_distributions()
    required = {_plain(re.match(r"[\w.-]+", line)[0]) for line in PROJECT["dependencies"]}
    imported = set()
    for path in PACKAGE.rglob("*.py"):
        lines = re.findall(r"^\s*(?:from|import) (\w+)|import_module\(\"(\w+)", path.read_text("utf-8"), re.MULTILINE)
        for module in {name for line in lines for name in line if name}:
            imported |= {_plain(owner) for owner in owners.get(module, (module,))}
    imported |= {"backports-zstd"} & {_plain(owner) for owner in owners.get("backports", ())}
    assert required - imported - ({"backports-zstd"} if sys.version_info >= (3, 14) else set()) == set()


@pytest.mark.usefixtures("checkout")
def test_every_dependency_says_why_it_is_there():
    """The table in docs/contributing.md has a row for each that is required or that an extra for users brings."""
    extras = PROJECT["optional-dependencies"]
    assert {*extras} - _DEVELOPING == {"parquet", "external", "sampler", "dask"}
    assert {*extras} >= _DEVELOPING
    asked = PROJECT["dependencies"] + [line for name in extras if name not in _DEVELOPING for line in extras[name]]
    text = (ROOT / "docs" / "contributing.md").read_text("utf-8")
    section = text.split("## Why each dependency is there\n")[1].split("\n## ")[0]
    rows = dict(re.findall(r"^\| (\S+) \| ([^|]*?) +\|", section, flags=re.MULTILINE))
    assert rows.pop("dependency")
    assert sorted(rows) == sorted(re.match(r"[\w.-]+", line)[0] for line in asked)
    assert all(rows.values())


@pytest.mark.usefixtures("checkout")
def test_oldest_releases_are_those_that_are_asked_for():
    """scripts/oldest.py pins every dependency that has a lower limit to it; the others are brought by one that has."""
    done = _run(sys.executable, "scripts/oldest.py")
    assert done.returncode == 0, done.stderr
    pins = dict(line.split("==") for line in done.stdout.splitlines())
    asked = PROJECT["dependencies"] + PROJECT["optional-dependencies"]["parquet"]
    assert {f"{name}>={version}" for name, version in pins.items()} | {"pytensor", "pillow"} == {
        re.sub(r"\[.*\]|,<[^;]*", "", line) for line in asked
    }


@pytest.mark.usefixtures("checkout")
def test_newest_releases_are_asked_for_by_name_alone():
    """With no limit, pip takes the newest of every dependency of the package and of its tests."""
    done = _run(sys.executable, "scripts/oldest.py", "newest")
    assert done.returncode == 0, done.stderr
    extras = PROJECT["optional-dependencies"]
    asked = [*PROJECT["dependencies"], *extras["parquet"], *extras["test"]]
    assert done.stdout.splitlines() == [re.sub(r">=[\d.]+|,<[\d.]+", "", line) for line in asked]


def _plain(distribution):
    return re.sub(r"[-_.]+", "-", distribution).lower()


def _imports(path, *, within_functions=True, of_types=False):
    """Yield the modules of the package that a file imports when it runs, and on request those named for types alone."""
    text = path.read_text("utf-8")
    tree = ast.parse(text)
    passed_over = {
        id(inner)
        for node in (ast.walk(tree) if "TYPE_CHECKING" in text and not of_types else ())
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for statement in node.body
        for inner in ast.walk(statement)
    }
    for node in ast.walk(tree) if within_functions else tree.body:
        if isinstance(node, ast.ImportFrom) and node.module and (of_types or id(node) not in passed_over):
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in MODULES else node.module


def _module(path):
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")


MODULES = {_module(path): path for path in PACKAGE.rglob("*.py")}


def test_no_module_imports_itself_by_way_of_others():
    """The imports, in functions and for types too, form no circle: what is below can be read without what is above."""
    graph = {name: {*_imports(path, of_types=True)} & {*MODULES} - {name} for name, path in MODULES.items()}
    graphlib.TopologicalSorter(graph).prepare()


def test_drawing_is_imported_late():
    """Results import what draws them inside their methods, so that matplotlib loads only where something is drawn."""
    for name, path in MODULES.items():
        if (
            name.split(".")[1:2] not in (["figures"], ["reports"], ["questions"], ["cli"])
            and name != "metaeval.page.folder"
        ):
            imported = set(_imports(path, within_functions=False))
            assert not {module for module in imported if module.startswith(("metaeval.figures", "matplotlib"))}, name


def test_figures_know_no_result():
    """What draws takes labelled frames and arrays: it imports no module of tests, models, studies or reports."""
    known = (
        "metaeval.figures.",
        "metaeval.base.arrays",
        "metaeval.base.chapters",
        "metaeval.base.unit",
        "metaeval.base.words",
        "metaeval.base.escaping",
        "metaeval.running.equality",
        "metaeval.errors",
    )
    for path in (PACKAGE / "figures").glob("*.py"):
        own = {module for module in _imports(path) if module.startswith("metaeval.")}
        lower = (*known, "metaeval.table.scores", "metaeval.table.structure")
        assert not {module for module in own if not module.startswith(lower)}, path


def _kept_files():
    return list(PACKAGE.rglob("*.py"))


def _nodes(path, words):
    """Return every node of a module in which some words stand: most hold none, and parsing is what takes the time."""
    text = path.read_text("utf-8")
    return list(ast.walk(ast.parse(text))) if re.search(words, text) else []


def test_every_exception_to_a_rule_has_a_reason():
    """Whoever silences ruff or mypy says why, behind the codes: a rule without a reason to break it is kept."""
    codes = r"[A-Z]+[0-9]+(, [A-Z]+[0-9]+)*"
    reasons = {"noqa": rf"# (ruff: )?noqa: {codes} - \S", "type: ignore": r"# type: ignore\[[a-z, -]+\]\s+# \S"}
    for path in _kept_files():
        with tokenize.open(path) as source:
            tokens = [token for token in tokenize.generate_tokens(source.readline) if token.type == tokenize.COMMENT]
        for token in tokens:
            for word, reason in reasons.items():
                assert word not in token.string or re.search(reason, token.string), f"{path}:{token.start[0]}"


def test_no_text_of_a_note_decides():
    """Notes are for readers: no code looks for words in one."""
    asked = []
    for path in PACKAGE.rglob("*.py"):
        for node in _nodes(path, r"\b(note|sentence|message)\b"):
            if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
                held = node.comparators[0]
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                held = node.func.value if node.func.attr in {"startswith", "endswith", "find", "count"} else None
            else:
                continue
            if isinstance(held, ast.Name) and held.id in {"note", "sentence", "message"}:
                asked.append(f"{path.name}:{node.lineno}")
    assert not [place for place in asked if not place.startswith("messages.py")]  # puts options for arguments


def _names(node):
    """Yield the names in a side of a comparison: of ``tested["p_corrected"].to_numpy()`` method, column and table."""
    while node is not None:
        part = getattr(node, "slice", None)
        yield getattr(node, "id", None) or getattr(node, "attr", None) or getattr(part, "value", None)
        node = getattr(node, "value", None) or getattr(node, "func", None)


def _is_of_a_test(node):
    return not {"alpha", "q", "p_value", "p_values", "p_corrected", "p_family_wise"}.isdisjoint(_names(node))


def test_one_place_compares_a_p_value_with_a_level():
    """``is_significant`` of tests_stat/result.py: a second one would decide otherwise at the level itself."""
    found = []
    for name, path in MODULES.items():
        for node in _nodes(path, r"\balpha\b"):
            if isinstance(node, ast.Compare):
                sides = [node.left, *node.comparators]
                asks = not isinstance(node.ops[0], ast.Is | ast.IsNot)
            else:
                sides = node.args if isinstance(node, ast.Call) else []
                asks = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "reaches"
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in {"le", "lt", "ge", "gt", "less_equal"}:
                sides, asks = [node.func, *node.args], True
            if asks and any(map(_is_of_a_test, sides)):
                found.append((name, ast.unparse(node)))
    assert set(found) == {
        ("metaeval.tests_stat.result", "reaches(alpha, p_values, alpha)"),
        ("metaeval.tests_stat.result", "reaches(p_values, alpha, p_values)"),
        ("metaeval.tests_stat.result", "reaches(smallest, p_values, p_values)"),
        ("metaeval.questions.design.command", "alpha < power"),
        ("metaeval.figures.power", "line[0] < alpha < line[-1]"),
        ("metaeval.inex.measures.gains", "alpha > 0.0"),
        ("metaeval.inex.measures.gains", "0 <= alpha <= 1"),
    }


def test_no_test_has_a_deadline_that_a_busy_machine_breaks():
    """What waits gives up after minutes; nothing compares seconds on a clock with a number."""
    clocks = {"monotonic", "perf_counter", "time"}
    for path in sorted((ROOT / "tests").rglob("*.py")):
        nodes = _nodes(path, rf"timeout|\b({'|'.join(clocks)})\s*\(")
        limits = [word.value for word in nodes if isinstance(word, ast.keyword) and word.arg == "timeout"]
        sums = [node for node in nodes if isinstance(getattr(node, "op", None), ast.Add)]
        compared = [node for node in nodes if isinstance(node, ast.Compare)]
        timed = [node for node in (*sums, *compared) if _calls(node, clocks)]
        sides = [side for node in timed for side in ast.walk(node) if isinstance(side, ast.Constant)]
        found = {one.value for one in [*limits, *sides] if isinstance(one, ast.Constant)}
        assert all(seconds >= 120 for seconds in found if isinstance(seconds, int | float)), (path, found)


def _calls(node, names):
    called = [one.func for one in ast.walk(node) if isinstance(one, ast.Call)]
    return any(getattr(one, "attr", getattr(one, "id", None)) in names for one in called)


def test_the_library_asserts_nothing():
    """An assertion vanishes under ``python -O``: a type makes it needless, or an error says what is wrong."""
    for path in _kept_files():
        found = [node.lineno for node in _nodes(path, r"\bassert\b") if isinstance(node, ast.Assert)]
        assert found == [], path


def _is_text(statement):
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.JoinedStr) or (isinstance(value, ast.Constant) and isinstance(value.value, str))


def test_no_statement_is_a_bare_string():
    """Inside a function a string on a line of its own, after the docstring, is half of a sentence that went lost."""
    for path in MODULES.values():
        for function in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(function, ast.FunctionDef):
                inner = [node for statement in function.body[1:] for node in ast.walk(statement)]
                own = [node for node in inner if isinstance(node, ast.Expr) and _is_text(node)]
                documented = {id(node.body[0]) for node in inner if isinstance(node, ast.FunctionDef | ast.ClassDef)}
                assert [node.lineno for node in own if id(node) not in documented] == [], path


def test_what_climbs_out_of_tests_asks_for_the_checkout():
    """Tests run against an installed wheel too, from a copy of tests alone: what they lack there skips them by name."""
    harmless = {"dask_programs.py", "fuzz/test_readers.py"}  # say where a process finds metaeval, if it is there
    climbing = set()
    for path in (ROOT / "tests").rglob("*.py"):
        place = path.relative_to(ROOT / "tests")
        climbs = rf"Path\(__file__\)[\w.()]*\.parents\[{len(place.parts)}\]"
        asks = r'usefixtures\("(checkout|studies)"\)|allow_module_level|^def checkout\('
        text = path.read_text("utf-8")
        if re.search(climbs, text) and not re.search(asks, text, re.MULTILINE):
            climbing.add(place.as_posix())
    assert climbing == harmless


@pytest.mark.parametrize("listed", ["slow.txt", "long.txt"])
def test_tests_that_are_left_out_are_there(listed):
    """A test that is renamed is renamed in the list too, or it runs among the quick ones again."""
    for line in (ROOT / "tests" / listed).read_text("utf-8").splitlines():
        file, *names = line.split("[")[0].split("::")
        if file.startswith("tests/"):
            text = (ROOT / file).read_text("utf-8")
            assert all(re.search(rf"^ *(def|class) {name}\b", text, re.MULTILINE) for name in names), line


@pytest.mark.usefixtures("checkout")
def test_examples_that_the_makefile_names_are_there():
    """What a newcomer runs first finds its files."""
    named = re.findall(r"examples/[\w./-]+", (ROOT / "Makefile").read_text("utf-8"))
    assert named
    assert all((ROOT / name).exists() for name in named)


def test_version_stands_in_one_place():
    """The installed version is pyproject's, and no module repeats it."""
    assert importlib.metadata.version("metaeval") == PROJECT["version"]
    for path in PACKAGE.rglob("*.py"):
        nodes = _nodes(path, re.escape(PROJECT["version"]))
        assert PROJECT["version"] not in [node.value for node in nodes if isinstance(node, ast.Constant)], path


@pytest.mark.usefixtures("checkout")
def test_changelog_names_the_version():
    """The newest entry of the changelog is the current version, in at most 60 lines."""
    _, *entries = re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text("utf-8"), flags=re.MULTILINE)
    assert entries[0].split()[0] == PROJECT["version"]
    assert entries[0].count("\n") <= 60


@pytest.mark.usefixtures("checkout")
def test_licence_is_the_one_declared():
    """The licence file holds the text that pyproject names."""
    assert PROJECT["license"] == "Apache-2.0"
    text = (ROOT / "LICENSE").read_text("utf-8")
    assert "Apache License" in text
    assert "END OF TERMS AND CONDITIONS" in text
