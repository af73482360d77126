"""Nothing of the folder one is in is run or obeyed, whatever its files are called and whoever is started there."""

import ast
import os
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import metaeval
from metaeval.running.children import own_modules, start_python

PACKAGE = Path(metaeval.__file__).parent
OF_PYTHON = {"importlib", "types", "warnings", "metaeval"}
"""What `python -m` itself looks for in the folder one is in, before any program has begun."""
SETTINGS = {
    ".numba_config.yaml": "num_threads: [1,\n",
    "arvizrc": "stats.module : nonsense\n",
    "matplotlibrc": "no colon\nbackend: module://evil\n",
}


def names(*, but=()):
    """Return what Python, and every installed package, may be asked for."""
    known = {*sys.stdlib_module_names, *metadata.packages_distributions(), "sitecustomize", "usercustomize", "odr"}
    return sorted(name for name in known - {*but} if name.isidentifier())


@pytest.fixture
def hostile(tmp_path):
    """Make a folder of programs that leave a note where they run, as modules or as packages."""

    def made(form, *, but=()):
        folder, note = tmp_path / "hostile", tmp_path / "ran"
        folder.mkdir()
        program = f"import sys; print(__name__, __file__, file=open({str(note)!r}, 'a'))\n"
        for name in names(but=but):
            place = folder / (f"{name}.py" if form == "module" else f"{name}/__init__.py")
            place.parent.mkdir(exist_ok=True)
            place.write_text(program)
        (folder / "all.pth").write_text(program.strip())
        for name, text in SETTINGS.items():
            (folder / name).write_text(text)
        (folder / "ap.csv").write_text("a,b,c\n" + "".join(f"0.{n % 7},0.{n % 5},0.{n % 3}\n" for n in range(12)))
        return folder, note

    return made


def ended(program, folder):
    """Run a program in a folder, and say what came of it."""
    environment = os.environ | {"PYTHONPATH": str(PACKAGE.parent)}
    environment.pop("PYTHONSAFEPATH", None)
    done = subprocess.run(program, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done


def test_a_command_and_its_workers_run_nothing_of_the_folder(hostile, tmp_path):
    """`doctor` starts workers, a process for products, figures and compiled code; the settings there are not read."""
    folder, note = hostile("module")
    script = tmp_path / "metaeval-script.py"
    script.write_text(
        "from metaeval.__main__ import main\n\nif __name__ == '__main__':\n    raise SystemExit(main())\n"
    )
    done = ended([sys.executable, script, "doctor", "--quiet"], folder)
    assert "in order" in done.stdout
    assert done.stderr == ""
    assert not note.exists(), note.read_text()


def test_python_m_runs_nothing_of_the_folder_either(hostile):
    """Beyond what Python itself looks for there before it has found the program."""
    folder, note = hostile("package", but=OF_PYTHON)
    words = ["power", "ap.csv", "--test", "t", "--interval-resamples", "0", "--quiet", "--json"]
    ended([sys.executable, "-m", "metaeval", *words], folder)
    assert not note.exists(), note.read_text()


def test_workers_of_a_script_run_nothing_of_the_folder(hostile, tmp_path):
    """What Python does for the script is done for its workers, and its environment is left as it was."""
    folder, note = hostile("module")
    script = tmp_path / "script.py"
    script.write_text(
        "import os\nfrom metaeval.running.workers import parallel_map\n"
        "if __name__ == '__main__':\n"
        "    assert parallel_map(pow, [2, 3], [3, 2], n_jobs=2) == [8, 9]\n"
        "    assert 'PYTHONSAFEPATH' not in os.environ\n"
    )
    ended([sys.executable, script], folder)
    assert not note.exists(), note.read_text()


def test_a_checkout_that_is_not_installed_still_runs(tmp_path):
    """Of the folder one is in, `python -m` finds the package, and so do its workers."""
    (tmp_path / "metaeval").symlink_to(PACKAGE)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    words = [sys.executable, "-m", "metaeval", "--version"]
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout[:9]) == (0, "metaeval "), done.stderr


@pytest.mark.parametrize("before", [None, "", "1"])
def test_the_environment_is_restored(monkeypatch, before):
    """By whoever leaves last."""
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    if before is not None:
        monkeypatch.setenv("PYTHONSAFEPATH", before)
    with own_modules, own_modules:
        assert os.environ["PYTHONSAFEPATH"] == "1"
    assert os.environ.get("PYTHONSAFEPATH") == before


def test_a_process_has_the_environment_it_is_given():
    """And the rule besides, for those that it starts itself."""
    words = "import os, sys; print(os.environ['A'], os.environ['PYTHONSAFEPATH'], sys.flags.safe_path)"
    with start_python("-c", words, env=os.environ | {"A": "1"}, stdout=subprocess.PIPE) as process:
        assert process.communicate()[0].split() == [b"1", b"1", b"True"]


STARTS = {
    "subprocess": {"Popen", "run", "call", "check_call", "check_output", "getoutput", "getstatusoutput"},
    "os": {"system", "popen", "fork", "forkpty", "startfile"},
    "multiprocessing": {"Process", "Pool", "Manager", "get_context", "Queue", "Lock"},
    "pty": {"spawn", "fork"},
    "asyncio": {"create_subprocess_exec", "create_subprocess_shell"},
}
ANYWHERE = {"Parallel", "ProcessPoolExecutor", "ensure_running", "get_reusable_executor", "LocalCluster", "fork_exec"}
"""What starts processes, whatever it is taken from."""
WORDS = re.compile(
    rf"\b({'|'.join([*(STARTS.keys() - {'os'}), *ANYWHERE])}|pm\.sample|os\.\w*(exec|spawn|system|popen|fork|start))"
)


def _called(call):
    """Return the module and the name of what is called, as they are written: "os" and "fork"."""
    parts = []
    node = call.func
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    parts.append(getattr(node, "id", ""))
    return ".".join(parts[:0:-1]), parts[0]


def _starts(call):
    module, name = _called(call)
    if (module, name) == ("pm", "sample"):
        return not any(one.arg == "cores" and ast.unparse(one.value) == "1" for one in call.keywords)
    if module == "os" and name.startswith(("exec", "spawn", "posix_spawn")):
        return True
    return name in ANYWHERE or name in STARTS.get(module, ())


def _guarded(tree):
    """Return all that stands in functions which hold `own_modules` around something."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    withs = [(one, node) for one in functions for node in ast.walk(one) if isinstance(node, ast.With)]
    held = [one for one, node in withs if any(ast.unparse(item) == "own_modules" for item in node.items)]
    return {inner for one in held for inner in ast.walk(one)}


def found_starts(text):
    """Yield the lines of a module that start a process outside `own_modules`."""
    if not WORDS.search(text):  # most modules, which need not be parsed
        return
    tree = ast.parse(text)
    guarded = _guarded(tree)
    for node in ast.walk(tree):
        taken = {one.name for one in node.names} if isinstance(node, ast.ImportFrom) else set()
        starts = isinstance(node, ast.Call) and _starts(node) and node not in guarded
        if starts or taken & STARTS.get(getattr(node, "module", ""), set()):
            yield node.lineno


def test_every_process_is_started_in_one_place():
    """No other module starts one, by any of the ways that Python has; PyMC samples in this process."""
    found = {path: list(found_starts(path.read_text("utf-8"))) for path in PACKAGE.rglob("*.py")}
    assert {path.relative_to(PACKAGE).as_posix() for path, lines in found.items() if lines} == {"running/children.py"}


@pytest.mark.parametrize(
    "text",
    [
        "import subprocess\nsubprocess.run(['x'])",
        "from subprocess import Popen",
        "import os\nos.execv('x', [])",
        "joblib.Parallel(2)",
        "pm.sample(cores=2)",
        "def f():\n    tracker.ensure_running()",
    ],
)
def test_the_law_would_find_one(text):
    """Each way that another module might take."""
    assert list(found_starts(text))
