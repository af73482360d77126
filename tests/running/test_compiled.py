"""Compiled code: where it is kept, and what happens where it cannot be."""

import ast
import errno
import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from numba.core import caching

from metaeval.errors import MetaevalWarning
from metaeval.running import kernel_cache as own
from metaeval.running.compiled import compiled, worth_loading


@pytest.fixture
def kernel():
    """Define a function to compile."""

    def twice(number):
        return 2 * number

    return twice


@pytest.fixture
def nowhere(monkeypatch, tmp_path):
    """Let numba find no place for its cache, as where both the package and the home cannot be written."""
    for name in ("InTreeCacheLocator", "UserWideCacheLocator"):
        monkeypatch.setattr(getattr(caching, name), "from_function", classmethod(lambda *_: None))
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    own._private_folder.cache_clear()
    own._tell.cache_clear()
    yield tmp_path
    own._private_folder.cache_clear()
    own._tell.cache_clear()


def test_where_nothing_can_be_kept_a_private_temporary_folder_serves(kernel, nowhere):
    """It is made for this user alone, a warning says so once, and the code is found there again."""
    with pytest.warns(MetaevalWarning, match=r"compiled code is kept in .*; NUMBA_CACHE_DIR") as told:
        assert compiled(kernel)(21) == 42
    again = compiled(kernel)
    assert len(told) == 1
    assert again(21) == 42
    (folder,) = nowhere.iterdir()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert list(folder.rglob("*.nbc"))
    assert again.stats.cache_hits
    assert numba.config.CACHE_DIR == ""


@pytest.mark.parametrize("hindrance", ["open to others", "a link", "a file", "no temporary folder"])
def test_a_folder_that_others_could_write_is_not_used(kernel, nowhere, hindrance, monkeypatch):
    """Whoever can put files there could put code there; then every process compiles anew."""
    folder = nowhere / f"metaeval-{os.getuid()}"
    if hindrance == "open to others":
        folder.mkdir()
        folder.chmod(0o777)
    elif hindrance == "a link":
        (nowhere / "elsewhere").mkdir(mode=0o700)
        folder.symlink_to("elsewhere")
    elif hindrance == "a file":
        folder.touch()
    else:
        monkeypatch.setattr("tempfile.tempdir", str(nowhere / "absent" / "too"))
    with pytest.warns(MetaevalWarning, match="compiled code is made anew by every process"):
        assert compiled(kernel)(21) == 42
    assert not list(nowhere.rglob("*.nbc"))


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="others are told apart by their numbers")
@pytest.mark.parametrize("bit", [0o40, 0o20, 0o10, 0o4, 0o2, 0o1])
def test_the_folder_is_closed_to_others_in_every_way(nowhere, bit):
    """Whether they may read, write or enter it."""
    folder = nowhere / f"metaeval-{os.getuid()}"
    folder.mkdir()
    for mode, used in ((0o700, str(folder)), (0o700 | bit, None)):
        folder.chmod(mode)
        own._private_folder.cache_clear()
        assert own._private_folder() == used


def test_a_full_disk_is_no_reason_to_stop(kernel, monkeypatch):
    """What cannot be kept is computed all the same, and a warning says why it is slow."""

    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    own._tell.cache_clear()
    monkeypatch.setattr(own._CacheFiles, "_save_data", full)
    with pytest.warns(MetaevalWarning, match="cannot be kept .No space left on device"):
        assert compiled(kernel)(21) == 42
    own._tell.cache_clear()


def _flipped(content, rng):
    """Flip three bits."""
    changed = bytearray(content)
    for place in rng.integers(0, 8 * len(content), 3):
        changed[place // 8] ^= 1 << (place % 8)
    return bytes(changed)


DAMAGES = {
    "flipped bits": _flipped,
    "cut short": lambda content, rng: content[: rng.integers(0, len(content))],
    "with more behind": lambda content, rng: content + rng.bytes(9),
    "zeros": lambda content, _: bytes(len(content)),
    "empty": lambda *_: b"",
    "no seal": lambda content, _: content[own._SEAL_LENGTH :],
    "numba's own index": lambda *_: pickle.dumps(numba.__version__) + pickle.dumps(("stamp", {})),
}
"""What may become of a file: one that is loaded all the same can end the process."""


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("files", ["*.nbi", "*.nbc", "*.nb?"])
def test_a_damaged_cache_is_begun_anew(kernel, nowhere, damage, files):
    """It is neither loaded nor a reason to stop, and it is replaced."""
    rng = np.random.default_rng(0)
    with pytest.warns(MetaevalWarning):
        assert compiled(kernel)(21) == 42
    for path in nowhere.rglob(files):
        path.write_bytes(DAMAGES[damage](path.read_bytes(), rng))
    broken = compiled(kernel)
    assert broken(21) == 42
    assert not broken.stats.cache_hits
    again = compiled(kernel)
    assert again(21) == 42
    assert again.stats.cache_hits


def test_files_that_changed_places_are_not_loaded(nowhere):
    """Neither code nor an index of another function, nor of another Python."""

    def once(number):
        return 1 * number

    def thrice(number):
        return 3 * number

    with pytest.warns(MetaevalWarning):
        assert (compiled(once)(21), compiled(thrice)(21)) == (21, 63)
    for ending in ("nbi", "nbc"):
        one, other = sorted(nowhere.rglob(f"*.{ending}"))
        held = one.read_bytes(), other.read_bytes()
        one.write_bytes(held[1])
        other.write_bytes(held[0])
    swapped = compiled(once), compiled(thrice)
    assert [each(21) for each in swapped] == [21, 63]
    assert not any(each.stats.cache_hits for each in swapped)


SOURCE = """
from metaeval.running.compiled import compiled, compiled_part
from {other} import FACTOR, part

@compiled
def kernel(number):
    return FACTOR * part(number)
"""
OTHER = """
from metaeval.running.compiled import compiled_part
FACTOR = {factor}

@compiled_part
def part(number):
    return number + {addend}
"""


def _answers(folder, *lines, **settings):
    """Run lines in a process of its own, with the modules of a folder; return what it prints."""
    told = os.environ | settings | {"PYTHONPATH": os.pathsep.join([str(Path(own.__file__).parents[2]), str(folder)])}
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], env=told, capture_output=True, text=True, check=False
    )
    return done.stdout.strip() or done.stderr


@pytest.mark.parametrize(("factor", "addend", "expected"), [(3, 1, "6"), (2, 5, "12")])
def test_what_a_kernel_takes_from_another_file_is_never_stale(tmp_path, factor, addend, expected):
    """Compiled code holds the kernels it calls and the constants it names: where one of them changes, so does it."""
    (tmp_path / "kernels.py").write_text(SOURCE.format(other="others"), "utf-8")
    (tmp_path / "others.py").write_text(OTHER.format(factor=2, addend=1), "utf-8")
    asked = ("from kernels import kernel", "print(kernel(1), len(kernel.stats.cache_hits))")
    assert [_answers(tmp_path, *asked, PYTHONDONTWRITEBYTECODE="1") for _ in range(2)] == ["4 0", "4 1"]
    (tmp_path / "others.py").write_text(OTHER.format(factor=factor, addend=addend), "utf-8")
    assert _answers(tmp_path, *asked, PYTHONDONTWRITEBYTECODE="1") == f"{expected} 0"


@pytest.mark.parametrize("part", ["_save_data", "_save_index"])
def test_what_an_interrupted_process_leaves_is_never_loaded(kernel, nowhere, monkeypatch, part):
    """Code is looked for only where it stands whole, whenever the process before was interrupted."""

    def interrupted(*_):
        raise KeyboardInterrupt

    with pytest.warns(MetaevalWarning):
        assert compiled(kernel)(21) == 42
    broken = compiled(kernel)
    with monkeypatch.context() as patch:
        patch.setattr(own._CacheFiles, part, interrupted)
        with pytest.raises(KeyboardInterrupt):
            broken(2.5)
    again = compiled(kernel)
    assert (again(2.5), again(21)) == (5.0, 42)
    assert len(list(nowhere.rglob("*.nbc"))) == 2


def test_code_of_an_older_source_is_removed(kernel, nowhere):
    """A file in the cache is never taken for code of another source, and does not stay."""
    first = compiled(kernel)
    with pytest.warns(MetaevalWarning):
        first._cache._cache_file._source_stamp = "older"
    assert first(21) == 42
    older = {path.name for path in nowhere.rglob("*.nbc")}
    assert compiled(kernel)(21) == 42
    newer = {path.name for path in nowhere.rglob("*.nbc")}
    assert len(older) == len(newer) == 1
    assert older != newer


class _Gone:
    """Reads back as what is not there, as an index does that names a class of an older source."""

    def __reduce__(self):
        return getattr, (1, "no such name")


def test_an_index_that_names_what_is_gone_is_made_anew(kernel, nowhere):
    """Whoever renames a class that kernels take finds their code compiled, not an error."""
    with pytest.warns(MetaevalWarning):
        assert compiled(kernel)(21) == 42
    (index,) = nowhere.rglob("*.nbi")
    written = pickle.dumps(_Gone())
    index.write_bytes(own._seal(index.name, written) + written)
    assert compiled(kernel)(21) == 42
    assert compiled(kernel)(2.5) == 5.0


def test_numba_loads_with_the_first_call():
    """Not with the kernel; a kernel calls others, counts in parallel, and can be sent to another process."""
    lines = (
        "import pickle, sys",
        "from metaeval.tests_stat.counting import count_extreme",
        "import numpy as np",
        "print('numba' in sys.modules)",
        "resampled = np.array([[3.0, 1.0, -2.0, 0.0], [0.0, 0.0, 0.0, 0.0]])",
        "asked = resampled, np.array([0]), np.array([1]), np.array([1.0]), np.array([1e-9])",
        "print(count_extreme(*asked).ravel().tolist(), 'numba' in sys.modules)",
        "print(pickle.loads(pickle.dumps(count_extreme)) is count_extreme)",
    )
    assert _answers(Path.cwd(), *lines).split("\n") == ["False", "[3, 2, 3] True", "True"]


def test_a_kernel_is_the_function_it_is_made_of():
    """By its name, its words and what it returns, compiled or not."""

    def total(numbers):
        """Add up."""
        found = 0.0
        for place in range(len(numbers)):
            found += numbers[place]
        return found

    fast = compiled(total)
    assert (fast.__name__, fast.__doc__, fast.py_func) == ("total", "Add up.", total)
    assert fast(np.arange(5.0)) == total(np.arange(5.0)) == fast(numbers=np.arange(5.0)) == 10.0


def test_few_values_are_not_worth_loading(monkeypatch):
    """Unless it has loaded already."""
    assert worth_loading(1, few=10)
    monkeypatch.delitem(sys.modules, "numba")
    assert [worth_loading(n, few=10) for n in (10, 11)] == [False, True]


def test_without_compilation_functions_stay_as_they_are():
    """NUMBA_DISABLE_JIT is for looking into them."""
    code = "from metaeval.running.compiled import compiled; print(compiled(id := lambda x: x) is id)"
    settings = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(Path(own.__file__).parents[2])}
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=settings)
    assert ended.stdout == "True\n"


def test_kernels_return_arrays_numbers_and_plain_tuples():
    """A named tuple, list or set is made by calling Python, without looking whether that failed.

    A signal that is answered just then raises an exception there, and numba goes on with a null pointer: a stop by
    Ctrl-C has ended in a segmentation fault.
    """
    texts = {path: path.read_text("utf-8") for path in Path(own.__file__).parents[1].rglob("*.py")}
    nodes = {
        path: [*ast.walk(ast.parse(text))] for path, text in texts.items() if re.search("@compiled|NamedTuple", text)
    }
    classes = [node for part in nodes.values() for node in part if isinstance(node, ast.ClassDef)]
    barred = {node.name for node in classes if "NamedTuple" in map(ast.unparse, node.bases)} | {"list", "set", "dict"}
    kernels = {
        f"{path.stem}.{node.name}": set(re.findall(r"\w+", ast.unparse(node.returns))) if node.returns else set()
        for path, part in nodes.items()
        for node in part
        if isinstance(node, ast.FunctionDef)
        and {"compiled", "compiled_part"} & set(map(ast.unparse, node.decorator_list))
    }
    assert len(kernels) > 100
    assert {name: words & barred for name, words in kernels.items() if words & barred} == {}
