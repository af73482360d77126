"""Run every command in a folder of programs named as Python's modules and all installed packages: none must run.

Usage: python benchmarks/studies/strange_folder.py [--write]

The folder holds some five hundred programs, each once as a module and once as a package, and settings of numba, ArviZ
and matplotlib; whatever is run of it leaves a note. Every command is started in it as the program `metaeval` and as
`python -m metaeval` (there without the modules that Python itself looks for in the folder before it has begun), with
two workers and with a Dask cluster where it takes any. With `--write` the counts go into reports/robustness.md.
"""

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections import Counter
from importlib import metadata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
import nonsense_commands as lines

BEGIN, END = "<!-- strange folder -->", "<!-- /strange folder -->"
OF_PYTHON = {"importlib", "types", "warnings", "metaeval"}
SETTINGS = {
    ".numba_config.yaml": "num_threads: [1,\n",
    "arvizrc": "stats.module : x\n",
    "matplotlibrc": "font.size: 99\n",
}
PROGRAM = "from metaeval.__main__ import main\nif __name__ == '__main__':\n    raise SystemExit(main())\n"


def make_folder(folder: Path, note: Path, form: str, *, but: set[str]) -> int:
    """Fill a folder with inputs and strange programs; return how many these are."""
    folder.mkdir()
    lines.make_world(folder)
    known = {*sys.stdlib_module_names, *metadata.packages_distributions(), "sitecustomize", "usercustomize", "odr"}
    names = [name for name in known - but if name.isidentifier()]
    program = f"import sys; print(__name__, __file__, file=open({str(note)!r}, 'a'))\n"
    for name in names:
        place = folder / (f"{name}.py" if form == "module" else f"{name}/__init__.py")
        place.parent.mkdir(exist_ok=True)
        place.write_text(program)
    (folder / "all.pth").write_text(program)
    for name, text in SETTINGS.items():
        (folder / name).write_text(text)
    return len(names)


def started(*words: str, folder: Path) -> subprocess.Popen[bytes]:
    """Start a part of a Dask cluster, away from the folder."""
    program = [sys.executable, "-P", "-m", "dask", *words, "--no-dashboard"]
    return subprocess.Popen(program, cwd=folder, stderr=subprocess.DEVNULL)  # noqa: S603 - this interpreter


def run(program: list[str], folder: Path) -> tuple[int, str]:
    """Run a program in a folder; return its exit code and what it complained of."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    done = subprocess.run(program, cwd=folder, env=environment, capture_output=True, check=False)  # noqa: S603 - ours
    return done.returncode, done.stderr.decode(errors="replace")


def asked(name: str, cluster: str) -> list[list[str]]:
    """Return the lines to run of a command."""
    own = shlex.split(lines.FAST[name].replace("NEW", "new"))
    takes = {one.name for one in lines.commands()[name].params}
    whole = [[*name.split(), *own, *(["--overwrite"] if "new" in own and "overwrite" in takes else [])]]
    if "workers" in takes:
        whole += [[*whole[0], "--workers", "2"], [*whole[0], "--dask", cluster]]
    return whole


def main() -> None:
    """Run them all and count what ran that should not."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    codes, ran, begun = Counter[int](), list[str](), time.perf_counter()
    with tempfile.TemporaryDirectory() as above:
        note, script, home = Path(above, "ran"), Path(above, "program.py"), Path(above, "home")
        home.mkdir()
        script.write_text(PROGRAM)
        ways = {
            "metaeval": ([sys.executable, str(script)], set[str]()),
            "-m": ([sys.executable, "-m", "metaeval"], OF_PYTHON),
        }
        cluster = "tcp://127.0.0.1:28786"
        parts = [started("scheduler", "--host", "127.0.0.1", "--port", "28786", folder=home)]
        time.sleep(5)
        parts.append(started("worker", cluster, "--nthreads", "1", "--nworkers", "1", folder=home))
        try:
            for form in ("module", "package"):
                for way, (program, but) in ways.items():
                    folder = Path(above, f"{form}{way}")
                    n_names = make_folder(folder, note, form, but=but)
                    for line in [line for name in lines.FAST for line in asked(name, cluster)]:
                        code, told = run([*program, *line], folder)
                        codes[code] += 1
                        strange = note.read_text() if note.exists() else ""
                        note.unlink(missing_ok=True)
                        ran += [strange] if strange else []
                        if code or strange:
                            print(form, way, shlex.join(line), code, strange, told[-300:], flush=True)
        finally:
            for one in reversed(parts):
                one.terminate()
                one.wait()
    seconds = time.perf_counter() - begun
    text = (
        "## A folder of strangers' programs\n\n    python benchmarks/studies/strange_folder.py --write\n\n"
        f"{sum(codes.values())} runs of {len(lines.FAST)} commands in {seconds / 60:.0f} minutes, in folders of "
        f"{n_names} programs named as the modules of Python and all installed packages, as modules and as packages, "
        "with settings of numba, ArviZ and matplotlib beside them; as `metaeval` and as `python -m metaeval`, "
        f"with workers and with Dask where a command takes any. Programs that ran: {len(ran)}. Exit codes: "
        f"{', '.join(f'{count} times {code}' for code, count in sorted(codes.items()))}."
    )
    print(text)
    if options.write:
        lines.write_section(text, BEGIN, END)


if __name__ == "__main__":
    main()
