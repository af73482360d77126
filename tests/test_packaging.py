"""The wheel holds the package and nothing else, the sdist whatever a checkout does, and either gives the same wheel."""

import os
import re
import shutil
import subprocess
import tarfile
import tomllib
import zipfile
from email.parser import Parser
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
NAME = f"metaeval-{PROJECT['version']}"
MADE = {"__pycache__", ".pyc", ".nbi", ".nbc"}  # by Python and numba, beside the sources

pytestmark = pytest.mark.usefixtures("checkout")


def _build(kind, source, folder):
    """Call what pip and `python -m build` call, in the process: without an environment of its own it takes a second."""
    backend = pytest.importorskip("hatchling.build", reason="needs hatchling: the extra test")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(source)
        return folder / getattr(backend, f"build_{kind}")(str(folder))


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    """Build the sdist and unpack it, away from the checkout."""
    folder = tmp_path_factory.mktemp("sdist")
    with tarfile.open(_build("sdist", ROOT, folder)) as packed:
        packed.extractall(folder, filter="data")
    return folder / NAME


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Build the wheel from the checkout."""
    return _build("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def metadata(wheel):
    """Read what an index and pip are told."""
    with zipfile.ZipFile(wheel) as packed:
        return Parser().parsestr(packed.read(f"{NAME}.dist-info/METADATA").decode())


def _sources(folder):
    """Return every file below a folder that a person wrote, by its place."""
    found = (path for path in folder.rglob("*") if path.is_file() and not {*path.parts, path.suffix} & MADE)
    return {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in found}


def test_the_wheel_is_the_package(wheel):
    """Code, types, templates, scripts of the page and the bibliography, byte for byte; no test, no cache."""
    with zipfile.ZipFile(wheel) as packed:
        held = {name: packed.read(name) for name in packed.namelist()}
    told = {name: held.pop(name) for name in [*held] if name.startswith(f"{NAME}.dist-info/")}
    assert held.pop("metaeval/CITATION.cff") == (ROOT / "CITATION.cff").read_bytes()
    assert held == _sources(ROOT / "metaeval")
    assert {
        "metaeval/py.typed",
        "metaeval/base/bibliography.toml",
        "metaeval/io/benchmarks/formats.toml",
        "metaeval/page/templates/page.html",
    } <= set(held)
    assert {name.partition("/")[2] for name in told} == {
        *("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE")
    }
    assert told[f"{NAME}.dist-info/licenses/LICENSE"] == (ROOT / "LICENSE").read_bytes()
    assert b"metaeval = metaeval.__main__:main" in told[f"{NAME}.dist-info/entry_points.txt"]


def test_the_sdist_is_the_checkout(sdist):
    """Whoever has it can run the tests, the checks and the documentation: no file of git but the studies is missing."""
    if not (ROOT / ".git").exists():
        pytest.skip("needs git's list of files, and this is no clone")
    words = [shutil.which("git"), "ls-files", "--cached", "--others", "--exclude-standard"]
    kept = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    packed = {path.relative_to(sdist).as_posix(): path for path in sdist.rglob("*") if path.is_file()}
    assert {*packed} - {"PKG-INFO"} == {
        name for name in kept if (ROOT / name).exists() and not name.startswith("benchmarks/studies/")
    }
    for name, path in packed.items():
        if name != "PKG-INFO":
            assert path.read_bytes() == (ROOT / name).read_bytes(), name
            assert os.access(path, os.X_OK) == os.access(ROOT / name, os.X_OK), name


def test_the_sdist_gives_the_same_wheel(sdist, wheel, tmp_path):
    """Byte for byte: it does not matter which of the two an index, a packager or a colleague starts from."""
    assert _build("wheel", sdist, tmp_path).read_bytes() == wheel.read_bytes()


def test_both_are_small(sdist, wheel):
    """Data for tests that grow into megabytes belong elsewhere."""
    assert wheel.stat().st_size < 2_600_000  # nearly all of it code, that for exports of other tools last
    assert (sdist.parent / f"{NAME}.tar.gz").stat().st_size < 6_500_000


def test_an_index_is_told_what_pyproject_says(metadata):
    """Version, Python, extras; the description is README.md, as Markdown; no address is named where there is none."""
    assert metadata["Version"] == PROJECT["version"]
    assert metadata["Requires-Python"] == PROJECT["requires-python"]
    assert metadata["License-Expression"] == PROJECT["license"]
    assert metadata.get_all("Provides-Extra") == sorted(PROJECT["optional-dependencies"])
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert metadata.get_payload() == (ROOT / "README.md").read_text("utf-8")
    assert metadata.get_all("Project-URL") is None


def test_the_pythons_are_those_that_are_looked_for():
    """The classifiers name each release from the oldest to the newest of scripts/find_python.sh, without a gap."""
    script = (ROOT / "scripts" / "find_python.sh").read_text("utf-8")
    oldest, newest = (int(re.search(rf"^{word}=(\d+)", script, re.MULTILINE)[1]) for word in ("oldest", "newest"))
    named = [int(one) for one in re.findall(r"Python :: 3\.(\d+)", "\n".join(PROJECT["classifiers"]))]
    assert (named[0], named[-1]) == (oldest, newest)
    assert all(later == earlier + 1 for earlier, later in pairwise(named))
    assert PROJECT["requires-python"] == f">=3.{oldest}"


def _conda_name(requirement):
    """Return what conda calls a requirement of pyproject.toml: its own names, no extras and no markers."""
    name, limit = re.fullmatch(r"([\w.-]+)(?:\[\w+\])?(>=[\d.,<]+)?(?:;.*)?", requirement).groups()
    return " ".join(filter(None, [{"matplotlib": "matplotlib-base"}.get(name, name), limit]))


def test_the_recipe_for_conda_asks_for_what_pyproject_asks_for():
    """Version, Python and every requirement with its limit; h5py is an extra of h5netcdf for pip alone."""
    text = (ROOT / "scripts" / "conda" / "meta.yaml").read_text("utf-8")
    assert f'version: "{PROJECT["version"]}"' in text
    run = text.partition("  run:\n")[2].partition("\n\n")[0]
    wanted = {f"python {PROJECT['requires-python']}", "h5py", *map(_conda_name, PROJECT["dependencies"])}
    assert {line.strip().removeprefix("- ") for line in run.splitlines()} == wanted


def test_a_forge_runs_the_targets_of_the_makefile_on_every_python():
    """The workflow names targets that exist and the Pythons of the classifiers, on three systems."""
    text = (ROOT / ".github" / "workflows" / "tests.yml").read_text("utf-8")
    targets = {word for line in re.findall(r"run: make (.+)", text) for word in line.split()}
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert targets
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in targets)
    assert re.findall(r'"(3\.\d+)"', text.partition("python: [")[2].partition("]")[0]) == [
        one.rpartition(" ")[2] for one in PROJECT["classifiers"] if re.search(r"Python :: 3\.\d", one)
    ]
    assert {"ubuntu", "macos", "windows"} == set(
        re.findall(r"(\w+)-latest", text.partition("os: [")[2].partition("]")[0])
    )


def test_the_citation_has_the_version_and_a_date():
    """As the file asks whoever cites the software to say which one it was."""
    text = (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"version: {PROJECT['version']}\n" in text
    assert re.search(r"^date-released: \d{4}-\d\d-\d\d$", text, re.MULTILINE)
