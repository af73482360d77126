"""Names that other packages do not promise to keep: each is used in one module, is there, and does what it is used for.

pyproject.toml allows these packages below their next minor release, in which such a name may go.
"""

import ast
import re
import threading
import tomllib
from importlib.metadata import version
from pathlib import Path

import joblib
import numpy as np
import pytest
import typer
from packaging.requirements import Requirement
from packaging.version import Version

import metaeval
from metaeval.cli import typer_inside
from metaeval.running import joblib_inside, kernel_cache, parallel
from metaeval.running.compiled import compiled

PACKAGE = Path(metaeval.__file__).parent
BORROWING = {
    "numba": "running/kernel_cache.py",
    "joblib": "running/joblib_inside.py",
    "typer": "cli/typer_inside.py",
    "threadpoolctl": "running/parallel.py",
}
"""Who uses such names of which package."""
UNDOCUMENTED = ("numba.core", "joblib.parallel", "joblib.externals", "typer.core", "typer.models", "typer.exceptions")
ATTRIBUTES = {"type_descriptor", "parameter_info", "lib_controllers", "nesting_level", "get_call_template"}
OURS = {
    "base/short_repr.py",
    *("inex/elements.py", "inex/passages.py", "resampling/pools.py"),
    *("questions/boards/page_decided.py", "questions/compare_metrics/study.py", "questions/judgments/study.py"),
    *("running/process.py",),
}
"""Modules with private names of our own classes, or of Python itself."""
PROTOCOLS = {"_replace", "_asdict", "_fields", "_make", "_repr_html_"}
"""Of named tuples, and of notebooks."""


def _private(name):
    return name.startswith("_") and not name.startswith("__") and name not in PROTOCOLS


def _borrowed(tree):
    """Yield the names of others that a module uses, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.module.startswith("metaeval"):
            steps = [*node.module.split("."), *(alias.name for alias in node.names)]
            if node.module.startswith(UNDOCUMENTED) or (any(map(_private, steps)) and steps[0] != "_csv"):
                yield node.lineno, node.module
        elif isinstance(node, ast.Import) and any(alias.name.startswith(UNDOCUMENTED) for alias in node.names):
            yield node.lineno, node.names[0].name
        elif isinstance(node, ast.Attribute) and (_private(node.attr) or node.attr in ATTRIBUTES):
            if not (isinstance(node.value, ast.Name) and node.value.id in {"self", "cls", "os"}):
                yield node.lineno, ast.unparse(node)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "getattr" and len(node.args) > 1:
            name = getattr(node.args[1], "value", "")
            if isinstance(name, str) and _private(name) and ast.unparse(node.args[0]) != "self":
                yield node.lineno, ast.unparse(node)


def test_each_package_has_one_module_that_borrows():
    """A release that drops a name is then met in one place."""
    elsewhere = [
        f"{path.relative_to(PACKAGE)}:{line}: {name}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if path.relative_to(PACKAGE).as_posix() not in {*BORROWING.values(), *OURS}
        for line, name in _borrowed(ast.parse(path.read_text("utf-8")))
    ]
    assert not elsewhere


def test_they_are_allowed_below_the_next_minor_release(checkout):
    """The limit is not below the release that is tried here either."""
    project = tomllib.loads((checkout / "pyproject.toml").read_text("utf-8"))["project"]
    asked = {requirement.name: requirement for requirement in map(Requirement, project["dependencies"])}
    for package in BORROWING:
        (below,) = [limit for limit in asked[package].specifier if limit.operator == "<"]
        installed = Version(version(package))
        assert Version(below.version).release == (installed.major, installed.minor + 1), package


@compiled
def _twice(number):
    return number * 2


def test_numba():
    """A kernel has the cache it is given, under the names that numba's own would have; flags are those it knows."""
    assert _twice(2.0) == 4.0
    kernel = _twice.made()
    assert isinstance(kernel._cache, kernel_cache._Cache)
    assert Path(kernel.stats.cache_path) == Path(kernel._cache.cache_path)
    files = kernel._cache._cache_file
    assert re.fullmatch(r".*\.nbi", files._index_name)
    assert [callable(getattr(files, name)) for name in ("_dump", "_open_for_write")] == [True, True]
    keys = {kernel._cache._index_key(signature, kernel.targetctx.codegen()) for signature in kernel.overloads}
    assert keys <= files._load_index().keys()
    assert kernel_cache.known_flags({"_nrt": False, "unheard_of": True}) == {"_nrt": False}
    assert _twice(2) == 4  # as a number, not as the 2 that it is
    assert len(kernel.signatures) == 2


def test_joblib():
    """Who is named to work, whether this is a worker already, and the error of a worker that died."""
    assert joblib_inside.named_workers(None).number == 1
    with joblib.parallel_config(backend="loky", n_jobs=3):
        assert joblib_inside.named_workers(None) == (3, False, False, None)
        assert joblib_inside.named_workers(2).number == 2
    nested = joblib.Parallel(n_jobs=2, backend="threading")(
        joblib.delayed(joblib_inside.named_workers)(None) for _ in range(2)
    )
    assert [named.nested for named in nested] == [True, True]
    assert joblib_inside.says_a_worker_died(joblib.externals.loky.process_executor.TerminatedWorkerError("dead"))
    assert not joblib_inside.says_a_worker_died(ValueError("alive"))
    joblib_inside.start_tracker()


def test_typer():
    """A parameter knows the option it was declared by, and an option that there is not is an error of usage."""
    option = typer_inside.OptionInfo(default=1, param_decls=["--number"])
    option.mark = "ours"

    def run(number: int = option):
        return number

    app = typer.Typer(add_completion=False)
    app.command()(run)
    made = typer.main.get_command(app)
    assert isinstance(made, typer_inside.TyperCommand)
    (parameter,) = [parameter for parameter in made.params if parameter.name == "number"]
    assert isinstance(parameter, typer_inside.TyperOption)
    assert typer_inside.declaration(parameter).mark == "ours"
    assert typer_inside.described_like(parameter) == {"type_descriptor": parameter.type_descriptor}
    with pytest.raises(typer_inside.USAGE_ERROR) as caught:
        made.main(["--nothing"], standalone_mode=False)
    assert isinstance(caught.value, typer_inside.TyperException)
    assert caught.value.option_name == "--nothing"


def test_threadpoolctl():
    """Threads of linear algebra are set by another thread than the first, which threadpoolctl alone ignores."""
    np.ones((2, 2)) @ np.ones((2, 2))
    libraries = [library for library in parallel._libraries(-1).lib_controllers if library.user_api == "blas"]
    if not libraries:
        pytest.skip("no library of linear algebra that threadpoolctl knows")
    before = [library.get_num_threads() for library in libraries]
    try:
        worker = threading.Thread(target=lambda: [parallel._set_threads(library, 1) for library in libraries])
        worker.start()
        worker.join()
        assert {library.get_num_threads() for library in libraries} == {1}
    finally:
        for library, n_threads in zip(libraries, before, strict=True):
            parallel._set_threads(library, n_threads)
