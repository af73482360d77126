"""The code behind a metric: everything of its author's that can change a number counts."""

import ast
import importlib.metadata
import subprocess
import sys
from functools import partial
from pathlib import Path

import numba
import numpy as np
import pytest

from metaeval.errors import InvalidOptionError
from metaeval.metrics import source
from metaeval.metrics.plugins import default_registry, load_plugin
from metaeval.metrics.quantisation import Quantisation
from metaeval.metrics.source import _imported, code_versions, metric_checksum, source_checksum
from metaeval.metrics.spec import MetricSpec, metric

PLUGIN = """
import sys
from pathlib import Path
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
try:
    import straight
    from own.deep import late
    import own.other as other
finally:
    sys.path.remove(str(HERE))
import importlib
from metaeval.metrics import metric

WEIGHTS = (HERE / "data" / "weights.json").read_text()

@metric
def mine(topic):
    "Half."
    import lazy
    return importlib.import_module("by_word").HALF
"""
FILES = {
    "plugin.py": PLUGIN,
    "straight.py": "import farther\n",
    "farther.py": "X = 1\n",
    "own/__init__.py": "",
    "own/deep.py": "from . import sister\nfrom .sub.inner import Z\ndef late(): pass\n",
    "own/sister.py": "Y = 1\n",
    "own/other.py": "",
    "own/sub/__init__.py": "",
    "own/sub/inner.py": "from ..cousin import Q\nZ = 1\n",
    "own/cousin.py": "Q = 1\n",
    "lazy.py": "L = 1\n",
    "by_word.py": "HALF = 0.5\n",
    "data/weights.json": "{}",
}


def _write(folder):
    for name, content in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return folder / "plugin.py"


@pytest.fixture(autouse=True)
def _forget():
    """Take the made modules out of this process again."""
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.split(".")[0] in {"straight", "farther", "own", "lazy", "by_word"} or name.startswith(
            "metaeval_plugin"
        ):
            del sys.modules[name]


def _of(path):
    return source_checksum(spec.function for spec in load_plugin(path))


def test_every_file_that_a_plugin_uses_counts(tmp_path):
    """Imports straight, late, by word, from packages, relative ones, and files it names: an edit anywhere shows."""
    path = _write(tmp_path)
    (tmp_path / "unrelated.py").write_text("A = 1\n")
    first = _of(path)
    seen = {first}
    for name, content in FILES.items():
        (tmp_path / name).write_text(content + "\n# edited\n")
        seen.add(_of(path))
        (tmp_path / name).write_text(content)
        assert _of(path) == first
    assert len(seen) == len(FILES) + 1
    (tmp_path / "unrelated.py").write_text("A = 2\n")
    assert _of(path) == first


def test_a_plugin_may_lie_anywhere(tmp_path):
    """The folder's own name says nothing about the numbers."""
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    assert _of(_write(tmp_path / "here")) == _of(_write(tmp_path / "there"))


def test_a_helper_on_the_path_counts_too(tmp_path, monkeypatch):
    """A module of the author's own that lies in another folder of the search path is followed."""
    (tmp_path / "lib").mkdir()
    (tmp_path / "plug").mkdir()
    helper = tmp_path / "lib" / "straight.py"
    helper.write_text("X = 1\n")
    path = tmp_path / "plug" / "plugin.py"
    path.write_text("import straight\nfrom metaeval.metrics import metric\n@metric\ndef mine(topic): return 0.0\n")
    monkeypatch.syspath_prepend(tmp_path / "lib")
    first = _of(path)
    helper.write_text("X = 2\n")
    assert _of(path) != first


def test_the_release_of_what_is_installed_counts(tmp_path, monkeypatch):
    """A plugin that asks SciPy gives other numbers with another SciPy."""
    path = tmp_path / "plugin.py"
    path.write_text("import scipy.stats\nfrom metaeval.metrics import metric\n@metric\ndef mine(topic): return 0.0\n")
    first = _of(path)
    version = source._version
    monkeypatch.setattr(source, "_version", lambda name: "0.1" if name == "scipy" else version(name))
    assert _of(path) != first


def test_what_was_loaded_by_hand_counts(tmp_path):
    """A helper that came through importlib under a name put together at run time is found in the loaded module."""
    (tmp_path / "odd.txt.py").write_text("X = 1\n")
    path = tmp_path / "plugin.py"
    path.write_text(
        "import importlib.util\nfrom pathlib import Path\nfrom metaeval.metrics import metric\n"
        "spec = importlib.util.spec_from_file_location('straight', Path(__file__).with_name('odd' + '.txt.py'))\n"
        "straight = importlib.util.module_from_spec(spec)\nspec.loader.exec_module(straight)\n"
        "@metric\ndef mine(topic): return 0.0\n"
    )
    first = _of(path)
    (tmp_path / "odd.txt.py").write_text("X = 2\n")
    assert _of(path) != first


def test_the_checksum_is_the_same_in_every_process(tmp_path):
    """Nothing depends on the order of sets or on where objects lie in memory."""
    path = _write(tmp_path)
    program = (
        "import sys; from metaeval.metrics.plugins import load_plugin; "
        "from metaeval.metrics.source import source_checksum; "
        'space = {}; exec(\'def typed(topic): return topic in {"a", "b", "c"}\', space); '
        "print(source_checksum([*(one.function for one in load_plugin(sys.argv[1])), space['typed']]))"
    )
    found = {
        subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    }
    assert len(found) == 1


def _typed(text):
    space = {"__name__": "typed_in"}
    exec(text, space)  # noqa: S102 - as a notebook does
    return space["f"]


def test_functions_without_a_file_count_by_their_code():
    """What was typed into an interpreter is told apart by what it does, and by what it calls."""
    helper = "def helper(): return {}\ndef f(topic): return helper()"
    texts = ["def f(topic): return 0.0", "def f(topic): return 1.0", helper.format(1), helper.format(2)]
    texts += ["W = 1\ndef f(topic): return W", "W = 2\ndef f(topic): return W"]
    assert len({source_checksum([_typed(text)]) for text in texts}) == len(texts)
    assert len({source_checksum([_typed(texts[2])]) for _ in range(3)}) == 1


def _made(weight, array=None):
    def f(_topic):
        return weight if array is None else array[0]

    return f


def test_values_that_a_function_closes_over_count():
    """Two functions out of one factory are two metrics."""
    makers = [_made(0.5), _made(0.6), _made(0.5, np.arange(2.0)), _made(0.5, np.arange(3.0)), partial(_made(1), 3)]
    makers += [partial(_made(1), 4), _made(_made(1)), _made(_made(2))]
    assert len({source_checksum([one]) for one in makers}) == len(makers)
    assert source_checksum([_made(0.5)]) == source_checksum([_made(0.5)])
    assert source_checksum([_made(np.add)]) == source_checksum([_made(np.add)])


class _Callable:
    def __init__(self, weight):
        self.weight = weight

    def __call__(self, _topic):
        return self.weight


def test_objects_and_compiled_functions_count():
    """A callable object counts by its class and what it holds; a compiled function by what was compiled."""
    assert source_checksum([_Callable(1)]) != source_checksum([_Callable(2)])
    assert source_checksum([_Callable(1)]) == source_checksum([_Callable(1)])
    assert source_checksum([numba.njit(_made(1))]) == source_checksum([_made(1)])
    assert source_checksum([len]) == source_checksum([len])


def test_code_that_cannot_be_seen_is_refused():
    """Rather no kept replicates than those of other code."""
    typed = _typed("class f:\n    def __call__(self, topic): return 0.0")
    with pytest.raises(InvalidOptionError, match=r"code of 'f' cannot be seen.*Python file, or leave out `keep`"):
        source_checksum([typed()])


def test_kernels_relevance_and_quantisations_count():
    """All code of a metric is looked at, that of its gains included."""
    known = default_registry()
    ndcg = known.resolve("nDCG@10")

    def steep(levels, *, weight=1.0):
        return levels * weight

    with_gains = known.extend(Quantisation("steep", steep)).resolve("nDCG(gains=steep)@10")
    relevant = _made(3)
    spec = MetricSpec(name="mine", kernel=_made(1), relevant=relevant)
    other = MetricSpec(name="mine", kernel=_made(1), relevant=_made(4))
    made = known.extend(spec).resolve("mine"), known.extend(other).resolve("mine")
    assert len({metric_checksum([one]) for one in (ndcg, with_gains, *made)}) == 4
    assert metric_checksum([ndcg]) == metric_checksum([known.resolve("nDCG@10")])


def test_measures_from_elsewhere_count_by_version():
    """What ir_measures computes depends on it and on its providers."""
    pytest.importorskip("ir_measures")
    versions = code_versions()
    assert versions["ir-measures"] == importlib.metadata.version("ir-measures")
    assert {"python", "metaeval", "numpy"} <= {*versions}
    assert metric_checksum([default_registry().resolve("SetF")])


def test_a_decorated_metric_of_this_file():
    """A metric of a script counts by the script."""
    assert source_checksum([metric(_made(1)).function]) == source_checksum([_made(1)])


def test_what_a_file_imports_by_star_is_the_module():
    """A star is no module: only what stands before it is looked for."""
    tree = ast.parse("from a.b import *\nfrom a import c")
    assert list(_imported(tree, Path("/nowhere/x.py"), Path("/elsewhere"))) == ["a.b", "a", "a.c"]
