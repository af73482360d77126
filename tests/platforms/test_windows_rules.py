"""Whatever writes does so by the rules of Windows, which are imposed on a process here (windows/sitecustomize.py).

They are rules that Microsoft documents, not Windows: nobody has run these tests there.
"""

import ast
import json
import re
from pathlib import Path

import metaeval
from metaeval.page.html import file_stems

PACKAGE = Path(metaeval.__file__).parent

QUICK = "--interval-resamples 0 --resamples 50"
JUDGED = "made/runs --qrels made/qrels.txt --metrics AP"
ONLY_THERE = "table s.csv --out aux.txt"
"""What is refused there alone: a name that Windows reserves."""
LINES = {
    "simulate scores s.csv --systems 4 --topics 12 --metrics AP --seed 1": 0,
    "simulate collection made --groups 3 --topics 4 --documents 40 --depth 10 --pool-depth 5 --seed 1": 0,
    f"score {JUDGED} --scores scored.nc": 0,
    f"power s.csv {QUICK} --pairs pairs.csv": 0,
    "table s.csv --out page": 0,
    "table s.csv --out page --title Again": 2,
    "table s.csv --out page --title Again --overwrite": 0,
    "--study page/data/study.toml --latex": 0,
    "table s.csv --latex": 0,
    "table s.csv --csv": 0,
    ONLY_THERE: 5,
    "table page": 0,
    "table page/figures": 3,
    f"judgments {JUDGED} --replicates 2 --tested 0 --question fewer-topics --keep kept": 0,
    f"judgments {JUDGED} --replicates 2 --tested 0 --question fewer-topics --keep kept --latex": 0,
    f"report s.csv {QUICK} --no-topics --out report": 0,
    "compare-tests s.csv --test t,sign --correction none --splits 2 --workers 2 --seed 1": 0,
    "save compared.nc": 0,
}
"""Commands, and the exit codes that the documentation gives; the last of all saves a result."""
MOVES = re.compile(rb"\d{4}-\d\d-\d\dT[\d:]+\+00:00|[0-9a-f]{64}|seconds")
"""What differs from run to run: times, and checksums of files that hold them."""


def content(folder):
    """Return what every file below a folder holds."""
    return {
        path.relative_to(folder).as_posix(): MOVES.sub(b"", path.read_bytes())
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_what_writes_does_so_by_the_rules(python, tmp_path, subtests):
    """The same exit codes and files as without them, and nothing else is left: no lock, no temporary file."""
    folders = [tmp_path / "rules", tmp_path / "plain"]
    for folder in folders:
        folder.mkdir()
    results = tmp_path / "results.json"
    results.write_text(json.dumps([line.split() for line in LINES]), "utf-8")
    done = python(
        Path(__file__).parent / "windows" / "several.py", results, *folders, cwd=tmp_path, rules=folders[0].resolve()
    )
    assert done.returncode == 0, done.stderr.decode()
    ended, plain = json.loads(results.read_text("utf-8"))
    for line, (code, _, errors) in zip(LINES, ended, strict=True):
        with subtests.test(line):
            assert code == LINES[line], errors
    under, without = map(content, folders)
    with subtests.test("nothing is left"):
        assert not [name for name in under if any(part.startswith(".") for part in Path(name).parts)]
    with subtests.test("the same files"):
        without = {name: held for name, held in without.items() if not name.startswith("aux.txt/")}
        assert under.keys() == without.keys()
        assert [name for name, held in under.items() if held != without[name]] == []
    with subtests.test("files end their lines in LF, and are UTF-8"):
        for name, held in under.items():
            if name.endswith((".csv", ".txt", ".tex", ".html", ".json", ".toml", ".svg")):
                assert b"\r" not in held, name
                held.decode("utf-8")
    with subtests.test("tables for programs are the same bytes"):
        places = [number for number, line in enumerate(LINES) if line.endswith(("--latex", "--csv"))]
        assert [ended[number][1] for number in places] == [plain[number][1] for number in places]
    with subtests.test("a terminal gets letters that it has"):
        for line, (_, out, errors) in zip(LINES, ended, strict=True):
            assert not re.search(r"\\(?:u[0-9a-f]{4}|x[0-9a-f]{2})", out + errors), line


BREAKING = {
    "a file that is open is renamed": "f = open('a', 'w'); os.replace('a', 'b')",
    "a file that is open gives way": "f = open('a', 'w'); open('b', 'w').close(); os.replace('b', 'a')",
    "a file that is open is removed": "f = open('a', 'w'); os.remove('a')",
    "a folder with an open file is renamed": "os.mkdir('d'); f = open('d/a', 'w'); os.rename('d', 'e')",
    "a file is renamed to one that is there": "[open(x, 'w').close() for x in 'ab']; os.rename('a', 'b')",
    "a folder takes the place of another": "os.mkdir('d'); os.mkdir('e'); os.replace('d', 'e')",
    "a folder is opened": "os.mkdir('d'); os.open('d', os.O_RDONLY)",
    "a name is reserved": "open('aux.txt', 'w')",
    "a name holds a colon": "os.mkdir('a:b')",
    "a name ends in a dot": "open('a.', 'w')",
    "two names differ by case": "open('a', 'w').close(); open('A', 'w')",
    "what can only be read is put on the disk": "open('a', 'w').close(); os.fsync(open('a'))",
    "a link is made": "os.symlink('a', 'b')",
    "a file that is read-only is removed": "open('a', 'w').close(); os.chmod('a', 0o444); os.remove('a')",
    "a process forks": "os.fork()",
    "a module of Linux is loaded": "import fcntl",
}


def test_the_rules_hold(python, tmp_path):
    """Each of them refuses what it is about; else the test above would say nothing."""
    program = f"""
import json, os, shutil, sys
refused = {{}}
for number, (name, line) in enumerate({BREAKING!r}.items()):
    os.mkdir(str(number)); os.chdir(str(number))
    try:
        exec(line)
    except (OSError, RuntimeError, ImportError) as error:
        refused[name] = str(error)
    os.chdir("..")
print(json.dumps(refused))
"""
    done = python("-c", program, cwd=tmp_path, rules=tmp_path.resolve())
    assert done.returncode == 0, done.stderr.decode()
    assert json.loads(done.stdout).keys() == BREAKING.keys()


def test_names_of_tables_and_figures_are_names_of_files(python, tmp_path):
    """Whatever a metric is called, by the rules that are imposed above; two never share a file."""
    names = [
        "CON",
        "aux.txt",
        "nul",
        "com1.b",
        "a.",
        "a ",
        "a:b",
        "A:B",
        "x" * 300,
        "a?",
        "..",
        "*",
    ]
    program = "import os, sys\nfor name in sys.argv[1:]: open(name, 'x').close()"
    stems = file_stems(names).values()
    done = python("-c", program, *(f"{stem}.csv" for stem in stems), cwd=tmp_path, rules=tmp_path.resolve())
    assert done.returncode == 0, done.stderr.decode()
    assert len(list(tmp_path.iterdir())) == len(names)


KERNEL = "from metaeval.running.compiled import compiled\n\n@compiled\ndef twice(x):\n    return x * {}\n"
CALLS = """
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
spec = spec_from_file_location("kernels", "kernels.py")
sys.modules["kernels"] = kernels = module_from_spec(spec)
spec.loader.exec_module(kernels)
assert kernels.twice(3.0) == 6.0
print(len(kernels.twice.stats.cache_hits), *(path.suffix for path in sorted(Path("cache").rglob("*.nb?"))))
"""


def test_compiled_code_is_kept(python, tmp_path):
    """The cache of kernels is written, read, and written anew, where no file is changed while it is open."""
    said = []
    for factor in ("2.0", "2.0", "2.0 + 0.0"):
        (tmp_path / "kernels.py").write_text(KERNEL.format(factor))
        cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        done = python("-W", "error", "-c", CALLS, cwd=tmp_path, rules=tmp_path.resolve(), **cache)
        assert done.returncode == 0, done.stderr.decode()
        said.append(done.stdout.decode().split())
    assert said == [["0", ".nbc", ".nbi"], ["1", ".nbc", ".nbi"], ["0", ".nbc", ".nbi"]]
    assert not [path for path in tmp_path.rglob("*") if "tmp" in path.name]


CHANGES = {
    *("os.fsync", "os.replace", "os.rename", "os.renames", "os.remove", "os.unlink", "os.rmdir", "os.link"),
    *("os.symlink", "os.truncate", "os.chmod", "os.utime", "shutil.move", "shutil.rmtree", "shutil.copy"),
    *("shutil.copy2", "shutil.copyfile", "shutil.copytree", "shutil.copymode", "shutil.copyfileobj"),
}
METHODS = {"write_text", "write_bytes", "unlink", "rmdir", "hardlink_to", "touch", "chmod"}
NO_FILES = {"Image.open", "self._zip.open"}
"""What is opened in memory, or is a member of an archive that was."""
OPENING = {"base/disk.py", "io/locks.py", "io/files.py", "base/provenance.py", "running/process.py"}
"""Who opens files: to change them, to hold them, as inputs, and in place of standard streams that are closed."""
CALLED = re.compile(
    rf"\b({'|'.join({name.rpartition('.')[2] for name in CHANGES} | METHODS | {'open', 'read_text'})})\("
)
OF_FILES = ("base/", "cli/", "io/", "page/", "reports/", "running/", "simulate/")
"""Where `rename` is no method of a frame."""


def test_files_are_changed_in_one_module():
    """Whatever a rule forbids is then mended in one place; who else opens any is listed, and encodings are said."""
    elsewhere = []
    for path in sorted(PACKAGE.rglob("*.py")):
        module, text = path.relative_to(PACKAGE).as_posix(), path.read_text("utf-8")
        if module == "base/disk.py" or not CALLED.search(text):
            continue
        for call in ast.walk(ast.parse(text)):
            method = getattr(getattr(call, "func", None), "attr", getattr(getattr(call, "func", None), "id", ""))
            if isinstance(call, ast.Call) and CALLED.search(f"{method}("):
                words = ast.unparse(call.func)
                bare = "." not in words
                renames = method in {"rename", "replace"} and len(call.args) == 1 and not call.keywords
                changes = words in CHANGES or (not bare and (method in METHODS or renames))
                changes = changes and not (renames and not module.startswith(OF_FILES))
                opens = method == "open" and words not in NO_FILES and module not in OPENING
                guessed = method == "read_text" and not bare and not [*call.args, *call.keywords]
                if changes or opens or guessed:
                    elsewhere.append(f"{module}:{call.lineno}: {words}")
    assert not elsewhere
