# ruff: noqa: ANN001, ANN202, ARG002, E501, ICN001, PLR0913, S102, S108, S311 - hooks of pytest; rows of the report
"""Mutation testing of the statistics.

Would the tests notice if a line said something else? Draws mutants with a seed over tests_stat/, agreement/, the measure
kernels and scores.py, and runs against each the tests of that very file (the test file of the same name, what its
family shares, and the examples in its docstrings), with compilation off in the file itself and in all that import it
(a compiled kernel cannot call one that is not; those below stay compiled). A mutant is killed when a test fails. What
survives changes nothing that a test could see (then benchmarks/mutants_without_effect.csv says why), or shows a test
that is missing.

The mutations are those of cosmic-ray (`pip install cosmic-ray`); running them is done here, by forking a process that
has numpy, scipy, pandas and xarray loaded, because starting Python a thousand times would take most of the time.

    python benchmarks/mutation.py --mutants 1000 --seed 0 --workers 2 --out benchmarks/reports/mutation.md

The quickest tests that reach a mutant are run, as many as take PATIENCE seconds together (no survivor costs more; one
that only a longer test would kill counts as surviving). --baselines FILE keeps what the tests do unchanged, file by
file, and reads it again as long as neither the file nor its tests have changed; --json FILE is written as the run goes,
and --again FILE takes over what was killed there.
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
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

ROOT = Path(__file__).resolve().parent.parent
EXEMPT = ROOT / "benchmarks" / "mutants_without_effect.csv"
FOLDERS = (
    "metaeval/tests_stat",
    "metaeval/agreement",
    "metaeval/metrics",
    "metaeval/scores.py",
    "metaeval/equality.py",
)
NO_KERNELS = {  # the registry, names and parameters of metrics: their tests are many, but they are no kernels
    "metaeval/metrics/registry.py",
    "metaeval/metrics/plugins.py",
    "metaeval/metrics/names.py",
    "metaeval/metrics/parameters.py",
    "metaeval/metrics/spec.py",
    "metaeval/metrics/bounds.py",
    "metaeval/metrics/resolved.py",
    "metaeval/metrics/builtin.py",
    "metaeval/metrics/defaults.py",
    "metaeval/metrics/external.py",
    "metaeval/metrics/scoring.py",
}
SHARED_TESTS = {  # kernels whose tests stand together: one literal version a family
    "metaeval/metrics/": ("tests/metrics/test_literal.py", "tests/metrics/test_published.py"),
    "metaeval/metrics/focused/": (
        "tests/metrics/focused/test_literal_elements.py",
        "tests/metrics/focused/test_literal_passages.py",
        "tests/metrics/focused/test_focused_scores.py",
    ),
    "metaeval/tests_stat/": ("tests/tests_stat/test_equality_laws.py", "tests/test_equality_laws.py"),
    "metaeval/agreement/": ("tests/agreement/test_equality_laws.py",),
}
TESTS_ELSEWHERE = {  # what is tested together with what it was taken from
    "metaeval/agreement/overlap.py": "tests/agreement/test_rankings.py",
    "metaeval/agreement/human_statistics.py": "tests/agreement/test_human.py",
    "metaeval/agreement/assessed_pools.py": "tests/studies/test_assessment.py",
    "metaeval/agreement/assessment_tables.py": "tests/studies/test_assessment.py",
    "metaeval/agreement/assessment_times.py": "tests/studies/test_assessment.py",
}
NO_EFFECT = ("noop", "removedecorator")  # with compilation off, a kernel's decorator does nothing
TIMEOUT_FACTOR, TIMEOUT_FLOOR = 5.0, 30.0
PATIENCE = 30.0
_MEMORY = 8 * 2**30
_ASLEEP = 20  # a mutant that waits for ever takes no time of the processor
_KEY = ("file", "before", "after", "operator")


def files() -> list[str]:
    """List the files under test, relative to the root."""
    found: list[str] = []
    for place in FOLDERS:
        path = ROOT / place
        found += [str(one.relative_to(ROOT)) for one in (sorted(path.rglob("*.py")) if path.is_dir() else [path])]
    return [name for name in found if not name.endswith("__init__.py") and name not in NO_KERNELS]


def tests_of(name: str) -> list[str]:
    """Name the tests of one file: that of the same name, what its family shares, and its own examples."""
    path = Path(name)
    own = ROOT / "tests" / path.relative_to("metaeval").parent / f"test_{path.name}"
    shared = SHARED_TESTS.get(f"{path.parent}/", ())
    found = [str(own.relative_to(ROOT))] if own.exists() else []
    found += [TESTS_ELSEWHERE[name]] if name in TESTS_ELSEWHERE else []
    return [*found, *(one for one in shared if (ROOT / one).exists()), name]


# ------------------------------------------------------------------------------------------------------------- mutants


def draw(n_mutants: int, seed: int) -> list[dict[str, object]]:
    """Draw mutants without replacement, every place of every operator in every file being equally likely."""
    import cosmic_ray.plugins
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.mutating import mutate_code

    places: list[tuple[str, str, int]] = []
    for name in files():
        source = (ROOT / name).read_text()
        tree = get_ast(source)
        for operator_name in sorted(cosmic_ray.plugins.operator_names()):
            if any(part in operator_name.casefold() for part in NO_EFFECT):
                continue
            try:
                operator = cosmic_ray.plugins.get_operator(operator_name)()
            except TypeError:  # needs arguments
                continue
            count = sum(len(list(operator.mutation_positions(node))) for node in ast_nodes(tree))
            places += [(name, operator_name, occurrence) for occurrence in range(count)]
    random.Random(seed).shuffle(places)
    mutants: list[dict[str, object]] = []
    for name, operator_name, occurrence in places:
        if len(mutants) == n_mutants:
            break
        source = (ROOT / name).read_text()
        changed = mutate_code(source, cosmic_ray.plugins.get_operator(operator_name)(), occurrence)
        if changed is None or _without_annotations(changed) in {None, _without_annotations(source)}:
            continue
        line, before, after = _first_difference(source, changed)
        if before.lstrip().startswith(("if TYPE_CHECKING", "@", "import ", "from ")):
            continue
        mutants.append(
            {
                "file": name,
                "operator": operator_name.removeprefix("core/"),
                "occurrence": occurrence,
                "line": line,
                "before": before.strip(),
                "after": after.strip(),
                "source": changed,
            }
        )
    return mutants


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


def _uncompiled(name: str) -> frozenset[str]:
    """Name the modules whose kernels must run as plain Python: the changed one, if it has any, and all that import it."""
    if "@compiled" not in (ROOT / name).read_text():
        return frozenset()
    module = _module(name)
    return frozenset({module, *_graph().find_downstream_modules(module)})


@cache
def _graph():
    import grimp

    return grimp.build_graph("metaeval", cache_dir=None)


def _module(name: str) -> str:
    return name.removesuffix(".py").replace("/", ".")


def _leave_plain(modules: frozenset[str]) -> None:
    """Let the kernels of some modules be plain functions; call before anything else of metaeval is imported."""
    from metaeval import compiled

    for kind in ("compiled", "compiled_parallel"):
        compile_kernel = getattr(compiled, kind)

        def choose(function, compile_kernel=compile_kernel):
            return function if function.__module__ in modules else compile_kernel(function)

        setattr(compiled, kind, choose)


class _Plugin:
    """Order the tests by their known time, keep those asked for, and note outcome, time and lines of each."""

    def __init__(self, *, keep: dict[str, float] | None, trace: str | None, change: _Changed | None) -> None:
        self.keep, self.trace, self.change = keep, trace, change
        self.outcomes: dict[str, tuple[str, float]] = {}
        self.lines: dict[str, list[int]] = {}
        self.import_lines: set[int] = set()
        self._seen: set[int] = set()
        if trace is not None:
            self._watch(trace)

    def _watch(self, path: str) -> None:
        monitor = sys.monitoring
        monitor.use_tool_id(monitor.COVERAGE_ID, "mutation")
        seen = self._seen

        def on_line(code, line):
            if code.co_filename == path:
                seen.add(line)
            return monitor.DISABLE

        monitor.register_callback(monitor.COVERAGE_ID, monitor.events.LINE, on_line)
        monitor.set_events(monitor.COVERAGE_ID, monitor.events.LINE)

    def pytest_sessionstart(self):
        if self.change is not None:  # before pytest's own finder, which would read the file itself, unchanged
            sys.meta_path.insert(0, self.change)

    def pytest_collection_modifyitems(self, items):
        if self.keep is not None:
            items[:] = sorted((one for one in items if one.nodeid in self.keep), key=lambda one: self.keep[one.nodeid])
        self.import_lines = set(self._seen)

    def pytest_runtest_setup(self, item):
        if self.trace is not None:
            self._seen.clear()
            sys.monitoring.restart_events()

    def pytest_runtest_logreport(self, report):
        state, spent = self.outcomes.get(report.nodeid, ("passed", 0.0))
        if report.outcome != "passed":
            state = report.outcome
        self.outcomes[report.nodeid] = (state, spent + report.duration)
        if self.trace is not None and report.when == "teardown":
            self.lines[report.nodeid] = sorted(self._seen)


def _run(
    name: str,
    tests: list[str],
    *,
    keep: dict[str, float] | None,
    change: _Changed | None,
    trace: str | None,
    first_failure: bool,
) -> tuple[int, _Plugin]:
    """Run tests in this process (a fork that ends afterwards)."""
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
    hypothesis.settings.load_profile("mutation")
    if change is not None:
        sys.meta_path.insert(0, change)
    _leave_plain(_uncompiled(name))
    plugin = _Plugin(keep=keep, trace=trace, change=change)
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:randomly", "--no-header", "--tb=no", "-rN"]
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # hypothesis is loaded before pytest starts
    for silent in ("overflow", "divide by zero", "invalid value"):  # numba says none of them of a number
        options += ["-W", f"ignore:{silent} encountered in scalar:RuntimeWarning"]
    code = pytest.main([*options, *(["-x"] if first_failure else []), *tests], plugins=[plugin])
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


def baseline(name: str) -> dict[str, object]:
    """Run the tests of one file unchanged: which pass, how long each takes, which lines each reaches."""

    def work() -> dict[str, object]:
        code, plugin = _run(name, tests_of(name), keep=None, change=None, trace=str(ROOT / name), first_failure=False)
        return {
            "code": code,
            "outcomes": plugin.outcomes,
            "lines": plugin.lines,
            "import_lines": sorted(plugin.import_lines),
        }

    found = _forked(work, timeout=1800)
    if found is None:
        message = f"the tests of {name} did not end"
        raise RuntimeError(message)
    broken = [test for test, (state, _) in found["outcomes"].items() if state == "failed"]
    if broken or not found["outcomes"]:
        message = f"the tests of {name} fail on what is not changed: {', '.join(broken) or 'none could be collected'}"
        raise RuntimeError(message)
    return found


def judge(mutant: dict[str, object], base: dict[str, object]) -> dict[str, object]:
    """Run the tests that reach the mutated line, quickest first; say whether one failed."""
    name, line = str(mutant["file"]), int(str(mutant["line"]))
    passing = {test: spent for test, (state, spent) in base["outcomes"].items() if state == "passed"}
    span = _statement(name, line)
    at_import = bool(set(base["import_lines"]) & span)
    reached = {test: spent for test, spent in passing.items() if at_import or span & set(base["lines"].get(test, ()))}
    if not reached:
        return {"outcome": "not reached", "seconds": 0.0}
    reached = _quickest(reached)
    timeout = TIMEOUT_FLOOR + TIMEOUT_FACTOR * sum(reached.values())
    chosen = sorted({test.split("::")[0] for test in reached})

    def work() -> dict[str, object]:
        change = _Changed(_module(name), ROOT / name, str(mutant["source"]))
        code, plugin = _run(name, chosen, keep=reached, change=change, trace=None, first_failure=True)
        failed = [test for test, (state, _) in plugin.outcomes.items() if state == "failed"]
        return {"code": code, "by": failed[0] if failed else "collection"}

    start = time.monotonic()
    found = _forked(work, timeout)
    spent = time.monotonic() - start
    if found is None:
        return {"outcome": "timeout", "seconds": spent}
    return {"outcome": "survived" if found["code"] == 0 else "killed", "by": found["by"], "seconds": spent}


def _quickest(tests: dict[str, float]) -> dict[str, float]:
    """Return the quickest tests, as many as take `PATIENCE` seconds together, and one at least."""
    chosen: dict[str, float] = {}
    for test, spent in sorted(tests.items(), key=lambda one: one[1]):
        if chosen and sum(chosen.values()) + spent > PATIENCE:
            break
        chosen[test] = spent
    return chosen


def _state(name: str) -> str:
    """Return a checksum of one file and of the tests that stand against it."""
    known = hashlib.sha256()
    for one in (name, *tests_of(name)):
        known.update((ROOT / one).read_bytes())
    return known.hexdigest()


def _judged(work: tuple[dict[str, object], dict[str, object], dict[str, object] | None]) -> dict[str, object]:
    mutant, base, known = work
    if known is not None:
        return {"outcome": known["outcome"], "by": known.get("by"), "seconds": 0.0}
    return judge(mutant, base)


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


def report(mutants: list[dict[str, object]], base: dict[str, dict[str, object]], command: str) -> str:
    """Write what happened, file by file, with every survivor."""
    reasons = exempted()
    rows = []
    by_file: dict[str, list[dict[str, object]]] = defaultdict(list)
    for mutant in mutants:
        by_file[str(mutant["file"])].append(mutant)
    for mutant in mutants:
        key = (str(mutant["file"]), str(mutant["before"]), str(mutant["after"]))
        if mutant["outcome"] in {"survived", "not reached"} and key in reasons:
            mutant["outcome"], mutant["reason"] = "without effect", reasons[key]
    counts = Counter(str(mutant["outcome"]) for mutant in mutants)
    killed = counts["killed"] + counts["timeout"]
    counted = len(mutants) - counts["without effect"]
    lines = [
        "# Mutation testing",
        "",
        f"Made by `{command}`. Mutations of cosmic-ray, drawn over every place in the files below; no compilation above; each",
        "mutant is run against the tests of its own file (test file of the same name, the family's literal versions and",
        "laws, the examples in its docstrings).",
        "",
        f"**{killed} of {len(mutants)} mutants killed ({killed / len(mutants):.1%});** {counts['timeout']} of them by running",
        f"over time. {counts['without effect']} change nothing that a test could see (listed below, with the reason); of the",
        f"other {counted}, {killed / max(counted, 1):.1%} are killed.",
        "",
        "| file | mutants | killed | without effect | survived | tests |",
        "|---|---|---|---|---|---|",
    ]
    for name in sorted(by_file):
        own = Counter(str(mutant["outcome"]) for mutant in by_file[name])
        left = own["survived"] + own["not reached"]
        n_tests = sum(state == "passed" for state, _ in base[name]["outcomes"].values())
        n_killed = own["killed"] + own["timeout"]
        lines.append(f"| {name} | {len(by_file[name])} | {n_killed} | {own['without effect']} | {left} | {n_tests} |")
    for title, kinds in (("Survived", {"survived", "not reached"}), ("Without effect", {"without effect"})):
        rows = [mutant for mutant in mutants if mutant["outcome"] in kinds]
        lines += ["", f"## {title}", ""]
        for mutant in sorted(rows, key=lambda one: (str(one["file"]), int(str(one["line"])))):
            why = f" ({mutant['reason']})" if "reason" in mutant else ""
            never = " [no test reaches it]" if mutant["outcome"] == "not reached" else ""
            lines.append(f"- {mutant['file']}:{mutant['line']}: `{mutant['before']}` → `{mutant['after']}`{never}{why}")
        if not rows:
            lines.append("None.")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Draw, run, report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mutants", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", default="", help="only files whose path holds one of these, by comma")
    parser.add_argument("--out", type=Path, default=None)
    parser.add_argument("--json", type=Path, default=None, help="every mutant with its outcome")
    parser.add_argument("--baselines", type=Path, default=None, help="keep the unchanged tests' outcomes here")
    parser.add_argument("--again", type=Path, default=None, help="judge only what survived in this --json file")
    options = parser.parse_args()
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    mutants = draw(options.mutants, options.seed)
    if options.only:
        parts = options.only.split(",")
        mutants = [one for one in mutants if any(part in str(one["file"]) for part in parts)]
    before = {}
    if options.again is not None:
        before = {
            tuple(one[part] for part in _KEY): one
            for one in json.loads(options.again.read_text())
            if one["outcome"] in {"killed", "timeout"}
        }
    _preload()
    _graph()  # before the workers are forked
    base: dict[str, dict[str, object]] = {}
    names = sorted({str(one["file"]) for one in mutants})
    start = time.monotonic()
    kept = json.loads(options.baselines.read_text()) if options.baselines and options.baselines.exists() else {}
    base |= {name: kept[name]["found"] for name in names if kept.get(name, {}).get("state") == _state(name)}
    names = [name for name in names if name not in base]
    with multiprocessing.get_context("fork").Pool(options.workers) as pool:
        for name, found in zip(names, pool.imap(baseline, names), strict=True):
            base[name] = found
            if options.baselines is not None:
                kept[name] = {"state": _state(name), "found": found}
                options.baselines.write_text(json.dumps(kept))
            states = Counter(state for state, _ in found["outcomes"].values())
            spent = sum(seconds for _, seconds in found["outcomes"].values())
            print(f"{time.monotonic() - start:6.0f} s  {name}: {dict(states)}, {spent:.1f} s", flush=True)

        work = [
            (mutant, base[str(mutant["file"])], before.get(tuple(mutant[part] for part in _KEY))) for mutant in mutants
        ]
        for number, (mutant, found) in enumerate(zip(mutants, pool.imap(_judged, work), strict=True), start=1):
            mutant.update(found)
            del mutant["source"]
            if mutant["outcome"] in {"survived", "not reached"}:
                print(
                    f"{number:5} {mutant['outcome']}: {mutant['file']}:{mutant['line']}: {mutant['before']}  ->  {mutant['after']}",
                    flush=True,
                )
            if options.json is not None and number % 20 == 0:
                options.json.write_text(json.dumps(mutants[:number], indent=1))
    if options.json is not None:
        options.json.write_text(json.dumps(mutants, indent=1))
    shown = f"python benchmarks/mutation.py --mutants {options.mutants} --seed {options.seed}"
    text = report(mutants, base, shown)
    if options.out is not None:
        options.out.write_text(text)
    print(text[: text.index("| file |")])


if __name__ == "__main__":
    main()
