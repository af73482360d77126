# ruff: noqa: ANN001, ANN202, ARG002, E501, ICN001, S102, S108, S311, S603 - hooks of pytest; rows of the report
"""Mutation testing of the library.

Would the tests notice if a line said something else? Draws mutants with a seed over every module of metaeval: each
place in a module is equally likely, then each change that fits it; every module gets LEAST of them, the larger ones
more. A mutant is killed when a test fails. What survives changes nothing that a test could see (then
benchmarks/studies/mutants_without_effect.csv says why), or shows a test that is missing. Boundaries are counted apart: a
comparison that takes in or leaves out its limit, and a number one off.

The mutations are those of cosmic-ray (`pip install cosmic-ray`); running them is done here, by forking a process that
has numpy, scipy, pandas and xarray loaded, because starting Python a thousand times would take most of the time.

    python benchmarks/studies/mutation.py --mutants 2000 --seed 0 --workers 2 --out benchmarks/reports/mutation.md

First every test file is run once unchanged, with a note of the lines that each test reaches (compiled kernels show
none: modules that hold one are run uncompiled, with all that import them, against the test files of their folder).
Then each mutant meets the tests of its own test file that reach its line, those of other files, and last the other
tests of its own file (what a shared fixture or a cache computed was reached by the first test alone), the quickest
first, as many as take PATIENCE seconds together. --traces FOLDER keeps what the unchanged tests do and reads it again
where neither the library nor the test file has changed; --json FILE is written as the run goes, and --again FILE takes
over what was killed there. --near asks only the tests beside a module, or else those that import it: few files are traced,
and a mutant that only tests further away would notice counts as one that survived.
"""

import argparse
import ast
import contextlib
import csv
import difflib
import hashlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import math
import multiprocessing
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

ROOT = Path(__file__).resolve().parents[2]
EXEMPT = ROOT / "benchmarks" / "studies" / "mutants_without_effect.csv"
SHARED_TESTS = {  # of modules, and of folders, whose tests stand together: one literal version a family
    "metaeval/agreement/overlap.py": ("tests/agreement/test_rankings.py",),
    "metaeval/inex/element_table.py": ("tests/inex/test_elements.py",),
    "metaeval/io/decimals.py": ("tests/io/test_trec.py", "tests/io/test_tables.py"),
    "metaeval/io/trec_lines.py": ("tests/io/test_trec.py",),
    "metaeval/models/designs.py": ("tests/models/test_components.py",),
    "metaeval/resampling/coverage.py": ("tests/resampling/test_sufficiency.py",),
    "metaeval/resampling/reductions.py": ("tests/resampling/test_judgments.py",),
    "metaeval/inex/simulated_runs.py": ("tests/inex/test_simulation.py",),
    "metaeval/cli/": ("tests/test_plain_pages.py",),  # options and their defaults stand in the pages
    "metaeval/metrics/": ("tests/metrics/test_literal.py", "tests/metrics/test_published.py"),
    "metaeval/inex/measures/": (
        "tests/inex/measures/test_literal_elements.py",
        "tests/inex/measures/test_literal_passages.py",
        "tests/inex/measures/test_focused_scores.py",
    ),
    "metaeval/tests_stat/": ("tests/test_equality_laws.py", "tests/table/test_traits.py"),
    "metaeval/agreement/": ("tests/agreement/test_equality_laws.py",),
}
APART = (
    "tests/browser",
    "tests/scripts",
    "tests/test_packaging.py",
    "tests/questions/doctor/test_study.py",
)  # not the library
LEAST = 2
BOUNDARIES = ("_Lt_LtE", "_LtE_Lt", "_Gt_GtE", "_GtE_Gt", "NumberReplacer")
NO_EFFECT = ("noop", "removedecorator")  # with compilation off, a kernel's decorator does nothing
TIMEOUT_FACTOR, TIMEOUT_FLOOR = 5.0, 30.0
PATIENCE = 15.0
_MEMORY = 8 * 2**30
_ASLEEP = 20  # a mutant that waits for ever takes no time of the processor
_OTHER_FILES = 4
_LEFT = ("survived", "not reached")
_KEY = ("file", "before", "after", "operator")


def files() -> list[str]:
    """List the modules of the library, relative to the root."""
    found = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "metaeval").rglob("*.py"))
    return [name for name in found if not name.endswith(("__init__.py", "__main__.py"))]


def test_files() -> list[str]:
    """List the files of tests, and the modules with examples in their docstrings."""
    found = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests").rglob("test_*.py"))
    examples = [name for name in files() if ">>>" in (ROOT / name).read_text()]
    return [name for name in found if not name.startswith(APART)] + examples


def own_tests(name: str) -> list[str]:
    """Name the tests of one module: the file of the same name, what its family shares, and its own examples."""
    path = Path(name)
    own = str(Path("tests") / path.relative_to("metaeval").parent / f"test_{path.name}")
    return [own, *SHARED_TESTS.get(name, ()), *SHARED_TESTS.get(f"{path.parent}/", ()), name]


def near_tests(names: list[str]) -> list[str]:
    """Name the test files beside some modules: their own, their family's; where there are none, those that import one."""
    tests = [name for name in test_files() if name.startswith("tests/")]
    texts = {name: (ROOT / name).read_text() for name in tests}
    wanted: set[str] = set()
    for name in names:
        path = Path(name)
        family = path.stem.split("_")[0].removesuffix("s")
        beside = str(Path("tests") / path.relative_to("metaeval").parent / "test_")
        of_a_question = name.startswith("metaeval/questions/")
        found = {one for one in tests if one.startswith(beside if of_a_question else beside + family)}
        found |= {one for one, text in texts.items() if not found and f"{_module(name)} " in text}
        wanted.update(found, own_tests(name))
    return [name for name in test_files() if name in wanted]


# ------------------------------------------------------------------------------------------------------------- mutants


def draw(n_mutants: int, seed: int, names: list[str]) -> list[dict[str, object]]:
    """Draw mutants without replacement: a module's share follows its places, and `LEAST` are drawn at least."""
    import cosmic_ray.plugins
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.mutating import mutate_code

    operators = {}
    for operator_name in sorted(cosmic_ray.plugins.operator_names()):
        if any(part in operator_name.casefold() for part in NO_EFFECT):
            continue
        with contextlib.suppress(TypeError):  # needs arguments
            operators[operator_name] = cosmic_ray.plugins.get_operator(operator_name)()
    places: dict[str, dict[tuple[str, object], list[tuple[str, int]]]] = {}
    for name in names:
        nodes = list(ast_nodes(get_ast((ROOT / name).read_text())))
        found = places[name] = defaultdict(list)
        for operator_name, operator in operators.items():
            family = operator_name.split("_")[0]
            spans = (span for node in nodes for span in operator.mutation_positions(node))
            for occurrence, span in enumerate(spans):
                found[family, tuple(span[:2])].append((operator_name, occurrence))
    whole = sum(map(len, places.values()))
    mutants: list[dict[str, object]] = []
    for name in names:
        source = (ROOT / name).read_text()
        own = random.Random(f"{seed} {name}")
        left = list(places[name].values())
        own.shuffle(left)
        for _ in range(max(LEAST, round(n_mutants * len(places[name]) / whole))):
            made = None
            while left and made is None:
                operator_name, occurrence = own.choice(left.pop())
                made = _mutant(name, source, operator_name, mutate_code(source, operators[operator_name], occurrence))
            if made is not None:
                mutants.append(made)
    return mutants


def _mutant(name: str, source: str, operator: str, changed: str | None) -> dict[str, object] | None:
    """Describe a mutant; None where nothing that runs has changed."""
    if changed is None or _without_annotations(changed) in {None, _without_annotations(source)}:
        return None
    line, before, after = _first_difference(source, changed)
    if before.lstrip().startswith(("if TYPE_CHECKING", "@", "import ", "from ")):
        return None
    return {
        "file": name,
        "operator": operator.removeprefix("core/"),
        "line": line,
        "before": before.strip(),
        "after": after.strip(),
        "source": changed,
    }


def _without_annotations(source: str) -> str | None:
    """Return the code that runs, without what only says types; None where it cannot be read."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.FunctionDef):
            node.returns = None
        elif isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(None)
        elif isinstance(node, ast.TypeAlias):
            node.value = ast.Constant(None)
    return ast.dump(tree)


def _first_difference(before: str, after: str) -> tuple[int, str, str]:
    old, new = before.splitlines(), after.splitlines()
    for tag, i1, _, j1, j2 in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            return i1 + 1, old[i1] if i1 < len(old) else "", " / ".join(new[j1:j2])
    return 0, "", ""


def exempted() -> dict[tuple[str, str, str], str]:
    """Read the mutants that no test can tell from the original, with the reason."""
    if not EXEMPT.exists():
        return {}
    with EXEMPT.open(newline="") as stream:
        return {(row["file"], row["before"], row["after"]): row["reason"] for row in csv.DictReader(stream)}


# ------------------------------------------------------------------------------------------------------------- running


class _Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Import one module from another source."""

    def __init__(self, module: str, path: Path, source: str) -> None:
        self.module, self.path, self.source = module, path, source

    def find_spec(self, fullname, path=None, target=None):
        if fullname != self.module:
            return None
        return importlib.util.spec_from_file_location(fullname, self.path, loader=self)

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        exec(compile(self.source, str(self.path), "exec"), module.__dict__)

    def get_source(self, fullname):
        return self.source


def _uncompiled(name: str, line: int | None = None) -> frozenset[str]:
    """Name the modules whose kernels must run as plain Python: the changed one, if it has any, and all that import it.

    None where the line stands in a function that is no kernel: there the kernels say what they always say.
    """
    if not _kernels(name) or (line is not None and _in_plain_function(name, line)):
        return frozenset()
    module = _module(name)
    return frozenset({module, *_graph().find_downstream_modules(module)})


def _kernels(name: str) -> bool:
    return "@compiled" in (ROOT / name).read_text()


def _in_plain_function(name: str, line: int) -> bool:
    """Say whether a line stands in a function, or a method, that is not compiled."""
    for node in ast.walk(ast.parse((ROOT / name).read_text())):
        if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or node.lineno):
            return not any("compiled" in ast.unparse(one) for one in node.decorator_list)
    return False


@cache
def _graph():
    import grimp

    return grimp.build_graph("metaeval", cache_dir=None)


def _module(name: str) -> str:
    return name.removesuffix(".py").replace("/", ".")


def _leave_plain(modules: frozenset[str]) -> None:
    """Let the kernels of some modules be plain functions; call before anything else of metaeval is imported."""
    from metaeval.running import compiled

    for kind in ("compiled", "compiled_part"):
        compile_kernel = getattr(compiled, kind)

        def choose(function, compile_kernel=compile_kernel):
            return function if function.__module__ in modules else compile_kernel(function)

        setattr(compiled, kind, choose)


class _Plugin:
    """Order the tests, keep those asked for, and note outcome, time and lines of each."""

    def __init__(self, *, keep: list[str] | None, trace: bool) -> None:
        self.order = None if keep is None else {test: place for place, test in enumerate(keep)}
        self.trace = trace
        self.outcomes: dict[str, tuple[str, float]] = {}
        self.reached: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
        self.import_lines: dict[str, list[int]] = {}
        self._seen: set[tuple[str, int]] = set()
        if trace:
            self._watch(f"{ROOT / 'metaeval'}{os.sep}")

    def _watch(self, library: str) -> None:
        monitor = sys.monitoring
        monitor.use_tool_id(monitor.COVERAGE_ID, "mutation")
        seen = self._seen

        def on_line(code, line):
            if code.co_filename.startswith(library):
                seen.add((code.co_filename, line))
            return monitor.DISABLE

        monitor.register_callback(monitor.COVERAGE_ID, monitor.events.LINE, on_line)
        monitor.set_events(monitor.COVERAGE_ID, monitor.events.LINE)

    def _by_file(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for path, line in self._seen:
            found[str(Path(path).relative_to(ROOT))].append(line)
        return found

    def pytest_collection_modifyitems(self, items):
        order = self.order
        if order is not None:
            items[:] = sorted((one for one in items if one.nodeid in order), key=lambda one: order[one.nodeid])
        self.import_lines = self._by_file()

    def pytest_runtest_setup(self, item):
        if self.trace:
            self._seen.clear()
            sys.monitoring.restart_events()

    def pytest_runtest_logreport(self, report):
        state, spent = self.outcomes.get(report.nodeid, ("passed", 0.0))
        if report.outcome != "passed":
            state = report.outcome
        self.outcomes[report.nodeid] = (state, spent + report.duration)
        if self.trace and report.when == "teardown":
            for name, lines in self._by_file().items():
                for line in lines:
                    self.reached[name][line].append(report.nodeid)


class _ChangePlugin:
    """Put the changed module before pytest's own finder, which would read the file itself, unchanged.

    A conftest may import it already: pytest calls this before the first of them, and after its own finder is there.
    """

    def __init__(self, change: _Changed) -> None:
        self.change = change

    def pytest_load_initial_conftests(self):
        sys.meta_path.insert(0, self.change)


def _run(
    tests: list[str], *, plain: frozenset[str], keep: list[str] | None = None, change: _Changed | None = None
) -> tuple[int, _Plugin]:
    """Run tests in this process (a fork that ends afterwards): to the first failure of a mutant, else with a trace."""
    import hypothesis
    import pytest

    hypothesis.settings.register_profile(
        "mutation",
        max_examples=15,
        derandomize=True,
        database=None,
        deadline=None,
        print_blob=False,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    if change is not None:
        sys.meta_path.insert(0, change)
    if plain:
        _leave_plain(plain)
    plugin = _Plugin(keep=keep, trace=change is None)
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:randomly", "--no-header", "--tb=no", "-rN"]
    options += ["--hypothesis-profile=mutation"]
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # hypothesis is loaded before pytest starts
    for silent in ("overflow", "divide by zero", "invalid value"):  # numba says none of them of a number
        options += ["-W", f"ignore:{silent} encountered in scalar:RuntimeWarning"]
    plugins = [plugin] if change is None else [plugin, _ChangePlugin(change)]
    code = pytest.main([*options, *([] if change is None else ["-x"]), *tests], plugins=plugins)
    if change is not None and code == 0 and sys.modules[change.module].__loader__ is not change:
        message = f"{change.module} was imported unchanged, and its mutants would all survive"
        raise RuntimeError(message)
    return int(code), plugin


def _forked(work, timeout: float) -> dict[str, object] | None:
    """Do `work` in a fork, within a time of the processor (a busy machine kills no mutant); None if it ran over."""
    handle, place = tempfile.mkstemp(prefix="mutation-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None)
    os.close(handle)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.setsid()
            resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(timeout), math.ceil(timeout) + 5))
            resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))  # a loop that fills the machine ends here
            quiet = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(quiet, stream)
            try:
                found = work()
            except Exception as error:  # noqa: BLE001 - whatever it is, it kills no mutant
                found = {"error": repr(error)}
            Path(place).write_text(json.dumps(found))
            code = 0
        finally:
            os._exit(code)
    end = time.monotonic() + _ASLEEP * timeout
    done = False
    while time.monotonic() < end:
        if os.waitpid(child, os.WNOHANG)[0]:
            done = True
            break
        time.sleep(0.02)
    if not done:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
    text = Path(place).read_text()
    Path(place).unlink()
    found = json.loads(text) if text else None
    if found is not None and "error" in found:
        raise RuntimeError(found["error"])
    return found


def traced(work: tuple[str, str]) -> dict[str, object]:
    """Run one file of tests unchanged: which pass, how long each takes, which lines of the library each reaches."""
    tests, name = work

    def run() -> dict[str, object]:
        _, plugin = _run([tests], plain=_uncompiled(name) if name else frozenset())
        return {"outcomes": plugin.outcomes, "reached": plugin.reached, "import_lines": plugin.import_lines}

    found = _forked(run, timeout=1800)
    return {"outcomes": {}, "reached": {}, "import_lines": {}, "ended": False} if found is None else found


def traces(
    names: list[str], workers: int, folder: Path | None, *, near: bool = False
) -> tuple[dict[str, dict], dict[str, dict[str, dict]]]:
    """Trace every file of tests compiled, and for each module with kernels the tests of its own uncompiled."""
    own = [(tests, name) for name in names if _kernels(name) for tests in own_tests(name) if (ROOT / tests).exists()]
    work = [(tests, "") for tests in (near_tests(names) if near else test_files())] + own
    library = hashlib.sha256(b"".join((ROOT / name).read_bytes() for name in files())).hexdigest()
    found: dict[tuple[str, str], dict] = {}
    places = {}
    for one in work:
        around = b"".join(path.read_bytes() for path in sorted((ROOT / one[0]).parent.glob("[!t]*.py")))
        state = hashlib.sha256(f"{library} {one}".encode() + (ROOT / one[0]).read_bytes() + around).hexdigest()
        places[one] = None if folder is None else folder / f"{state}.json"
        if folder is not None and places[one].exists():
            found[one] = json.loads(places[one].read_text())
    left = [one for one in work if one not in found]
    start = time.monotonic()
    with multiprocessing.get_context("fork").Pool(workers) as pool:
        for one, got in zip(left, pool.imap(traced, left), strict=True):
            found[one] = got
            if places[one] is not None:
                places[one].write_text(json.dumps(got))
            states = Counter(state for state, _ in got["outcomes"].values())
            spent = sum(seconds for _, seconds in got["outcomes"].values())
            print(
                f"{time.monotonic() - start:6.0f} s  {' for '.join(filter(None, one))}: {dict(states)}, {spent:.1f} s",
                flush=True,
            )
    compiled = {tests: got for (tests, name), got in found.items() if not name}
    plain = {name: {tests: got for (tests, one), got in found.items() if one == name} for _, name in own}
    return compiled, plain


def plan(mutant: dict[str, object], known: dict[str, dict]) -> list[str]:
    """Choose the tests for a mutant: those that reach its line, its own before others', then what else its own hold."""
    name = str(mutant["file"])
    span = {str(line) for line in _statement(name, int(str(mutant["line"])))}
    own = set(own_tests(name))
    ranked: list[tuple[int, float, str]] = []
    elsewhere: list[list[tuple[int, float, str]]] = []
    for tests, found in known.items():
        passing = {test: spent for test, (state, spent) in found["outcomes"].items() if state == "passed"}
        lines = found["reached"].get(name, {})
        at_import = bool({str(line) for line in found["import_lines"].get(name, ())} & span)
        wanted = lines if at_import else span & set(lines)
        reached = {test for line in wanted for test in lines[line]} | (
            set(passing) if at_import and tests in own else set()
        )
        rows = [(0 if tests in own else 1, passing[test], test) for test in reached if test in passing]
        if tests in own:
            ranked += rows + [(2, spent, test) for test, spent in passing.items() if test not in reached and rows]
        elif rows:
            elsewhere.append(rows)
    elsewhere.sort(key=len, reverse=True)
    ranked += [row for rows in elsewhere[:_OTHER_FILES] for row in rows]
    chosen: list[str] = []
    left = PATIENCE
    for _, spent, test in sorted(ranked):
        if not chosen or spent <= left:
            chosen.append(test)
            left -= spent
    return chosen


def judge(work: tuple[dict[str, object], list[str]]) -> dict[str, object]:
    """Run the chosen tests on a mutant; say whether one failed."""
    mutant, tests = work
    if not tests:
        return {"outcome": "not reached", "seconds": 0.0}
    name = str(mutant["file"])

    def run() -> dict[str, object]:
        change = _Changed(_module(name), ROOT / name, str(mutant["source"]))
        chosen = sorted({test.split("::")[0] for test in tests})
        code, plugin = _run(chosen, plain=_uncompiled(name, int(str(mutant["line"]))), keep=tests, change=change)
        failed = [test for test, (state, _) in plugin.outcomes.items() if state == "failed"]
        return {"code": code, "by": failed[0] if failed else "collection"}

    start = time.monotonic()
    found = _forked(run, TIMEOUT_FLOOR + TIMEOUT_FACTOR * PATIENCE)
    spent = time.monotonic() - start
    if found is None:
        return {"outcome": "timeout", "seconds": spent}
    return {"outcome": "survived" if found["code"] == 0 else "killed", "by": found["by"], "seconds": spent}


def _statement(name: str, line: int) -> set[int]:
    """Return the lines of the innermost statement that holds a line: a tracer sees only some of them."""
    best = {line}
    size = 10**9
    for node in ast.walk(ast.parse((ROOT / name).read_text())):
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno):
            length = (node.end_lineno or node.lineno) - node.lineno
            if length < size:
                body = getattr(node, "body", None)
                last = node.end_lineno if not isinstance(body, list) else max(node.lineno, body[0].lineno - 1)
                if line <= last:
                    best, size = set(range(node.lineno, last + 1)), length
    return best


def _preload() -> None:
    import hypothesis  # noqa: F401
    import numba  # noqa: F401
    import pandas  # noqa: F401
    import polars  # noqa: F401
    import pytest  # noqa: F401
    import scipy.optimize
    import scipy.stats  # noqa: F401
    import statsmodels.stats.multitest  # noqa: F401
    import xarray  # noqa: F401


# ------------------------------------------------------------------------------------------------------------- report


def report(mutants: list[dict[str, object]], command: str) -> str:
    """Write what happened, module by module, with every survivor."""
    reasons = exempted()
    by_file: dict[str, list[dict[str, object]]] = defaultdict(list)
    for mutant in mutants:
        by_file[str(mutant["file"])].append(mutant)
        key = (str(mutant["file"]), str(mutant["before"]), str(mutant["after"]))
        if mutant["outcome"] in _LEFT and key in reasons:
            mutant["reason"] = reasons[key]
    done = subprocess.run(
        [shutil.which("git") or "git", "rev-parse", "--short", "HEAD"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [
        "# Mutation testing",
        "",
        f"Made by `{command}` at {done.stdout.strip()}. Mutations of cosmic-ray, drawn over these modules; each met the",
        f"tests that reach its line, at most {PATIENCE:g} s of them. Boundaries: a comparison that takes in or leaves out its",
        "limit, a number one off. Without effect: nothing that a test could see has changed; the reason stands below.",
        "",
        *_summary(mutants),
        "",
        "| module | mutants | killed | boundaries | killed | without effect | survived |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [f"| {name} | {' | '.join(map(str, _counts(own)))} |" for name, own in sorted(by_file.items())]
    lines.append(f"| all | {' | '.join(map(str, _counts(mutants)))} |")
    for title, excused in (("Survived", False), ("Without effect", True)):
        rows = [mutant for mutant in mutants if mutant["outcome"] in _LEFT and ("reason" in mutant) == excused]
        lines += ["", f"## {title}", ""]
        for mutant in sorted(rows, key=lambda one: (str(one["file"]), int(str(one["line"])))):
            why = f" ({mutant['reason']})" if "reason" in mutant else ""
            never = " [no test reaches it]" if mutant["outcome"] == "not reached" else ""
            lines.append(f"- {mutant['file']}:{mutant['line']}: `{mutant['before']}` → `{mutant['after']}`{never}{why}")
        if not rows:
            lines.append("None.")
    return "\n".join(lines) + "\n"


def with_section(kept: str, title: str, text: str) -> str:
    """Put a report under a heading of another one, before its table of modules, in the place of an older one."""
    inner = text.split("\n", 2)[2].replace("\n## ", "\n### ")
    start = kept.find(f"## {title}\n")
    if start < 0:
        start = end = kept.index("\n## ") + 1
    else:
        end = kept.find("\n## ", start) + 1 or len(kept)
    return f"{kept[:start]}## {title}\n\n{inner}\n{kept[end:]}"


def _counts(mutants: list[dict[str, object]]) -> tuple[int, int, int, int, int, int]:
    """Count mutants and those killed, boundaries and those killed, those without effect, those that survived."""
    killed = [one for one in mutants if one["outcome"] not in _LEFT]
    bounds = [one for one in mutants if str(one["operator"]).endswith(BOUNDARIES)]
    excused = sum("reason" in one for one in mutants)
    n_killed_bounds = sum(one["outcome"] not in _LEFT for one in bounds)
    return len(mutants), len(killed), len(bounds), n_killed_bounds, excused, len(mutants) - len(killed) - excused


def _summary(mutants: list[dict[str, object]]) -> list[str]:
    n, killed, n_bounds, killed_bounds, excused, _ = _counts(mutants)
    over = sum(one["outcome"] == "timeout" for one in mutants)
    return [
        f"**{killed} of {n} mutants killed ({killed / n:.1%}), {killed_bounds} of {n_bounds} boundaries",
        f"({killed_bounds / max(n_bounds, 1):.1%}), nothing waived.** {over} ran over time. {excused} of the others change",
        f"nothing that a test could see; of the {n - excused} that do, {killed / max(n - excused, 1):.1%} are killed.",
    ]


def main() -> None:
    """Draw, trace, run, report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mutants", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", default="", help="only modules whose path holds one of these, by comma")
    parser.add_argument("--out", type=Path, default=None)
    parser.add_argument("--json", type=Path, default=None, help="every mutant with its outcome")
    parser.add_argument("--traces", type=Path, default=None, help="a folder that keeps what the unchanged tests do")
    parser.add_argument("--again", type=Path, default=None, help="judge only what survived in this --json file")
    parser.add_argument("--section", default="", help="put the report under this heading of --out, and keep the rest")
    parser.add_argument("--near", action="store_true", help="only the tests beside a module")
    options = parser.parse_args()
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    parts = options.only.split(",")
    names = [name for name in files() if any(part in name for part in parts)]
    mutants = draw(options.mutants, options.seed, names)
    before = {}
    if options.again is not None:
        before = {
            tuple(one[part] for part in _KEY): one
            for one in json.loads(options.again.read_text())
            if one["outcome"] not in _LEFT
        }
    _preload()
    _graph()  # before the workers are forked
    if options.traces is not None:
        options.traces.mkdir(exist_ok=True, parents=True)
    compiled, plain = traces(names, options.workers, options.traces, near=options.near)
    work = []
    for mutant in mutants:
        known = before.get(tuple(mutant[part] for part in _KEY))
        if known is None:
            name = str(mutant["file"])
            bare = _uncompiled(name, int(str(mutant["line"])))
            work.append((mutant, plan(mutant, plain.get(name, compiled) if bare else compiled)))
        else:
            mutant.update(outcome=known["outcome"], by=known["by"], seconds=known["seconds"])
    with multiprocessing.get_context("fork").Pool(options.workers) as pool:
        for number, ((mutant, _), found) in enumerate(zip(work, pool.imap(judge, work), strict=True), start=1):
            mutant.update(found)
            if mutant["outcome"] in _LEFT:
                shown = f"{mutant['file']}:{mutant['line']}: {mutant['before']}  ->  {mutant['after']}"
                print(f"{number:5} of {len(work)} {mutant['outcome']}: {shown}", flush=True)
            if options.json is not None and number % 20 == 0:
                _keep(options.json, mutants)
    if options.json is not None:
        _keep(options.json, mutants)
    asked = [f"--{name} {getattr(options, name)}" for name in ("mutants", "seed", "only") if getattr(options, name)]
    text = report(mutants, f"python benchmarks/studies/mutation.py {' '.join(asked)}{' --near' * options.near}")
    if options.out is not None:
        kept = options.out.read_text() if options.section else ""
        options.out.write_text(with_section(kept, options.section, text) if kept else text)
    print(*_summary(mutants), sep="\n")


def _keep(path: Path, mutants: list[dict[str, object]]) -> None:
    rows = [{key: value for key, value in one.items() if key != "source"} for one in mutants if "outcome" in one]
    path.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
