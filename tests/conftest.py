"""What every test may ask for: the real data, where it is present, and reproducible hypothesis runs."""

import gc
import gzip
import hashlib
import importlib.util
import os
import re
import shutil
import sys
import sysconfig
import tempfile
import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import hypothesis
import matplotlib as mpl
import numpy as np
import pytest
from _pytest.doctest import DoctestItem

import metaeval
from metaeval.base.checks import has_parquet
from metaeval.base.notes import KindOfNote
from metaeval.errors import MetaevalError
from metaeval.running.parallel import limit_threads
from metaeval.table.scores import as_scores

sys.path.append(str(Path(__file__).parent))  # the table of procedures (every.py) is asked by several files
from command_fixtures import command, nonsense, simulated_collection, watched  # noqa: F401 - fixtures
from page_fixtures import judged_study, words_of  # noqa: F401 - as above
from study_fixtures import graded  # noqa: F401 - as above

mpl.use("agg")
gc.disable()  # until all tests are loaded
_EXAMPLES = int(os.environ.get("METAEVAL_EXAMPLES", "20"))
"""Examples of a law that names no number: the same in every run; more of them search further."""
hypothesis.settings.register_profile("metaeval", deadline=None, derandomize=True, max_examples=_EXAMPLES)
hypothesis.settings.load_profile("metaeval")
AROUND = Path(__file__).parents[1]
"""The checkout or the unpacked sdist that the tests lie in; where they lie alone, nothing but their settings."""


def pytest_addoption(parser):
    """Add `--exhaustive` and `--quick`; scripts/list_slow_tests.py makes the lists that they go by."""
    parser.addoption("--exhaustive", action="store_true", help="run the tests listed in tests/long.txt too")
    parser.addoption("--quick", action="store_true", help="leave out the tests listed in tests/slow.txt too")


def pytest_configure(config):
    """Run long tests where they are asked for, also by the name of a file or a test; other processes are told so."""
    if config.args_source == pytest.Config.ArgsSource.ARGS and not hasattr(config, "workerinput"):
        config.option.exhaustive = True


def pytest_report_header(config):
    """Say which metaeval is tested, the checkout's or the installed one where tests lie alone, and what is left out."""
    place = Path(metaeval.__file__).resolve().parent
    installed = {sysconfig.get_path(name) for name in ("purelib", "platlib")}
    right = {Path(folder).resolve() for folder in ({AROUND} if _is_checkout(AROUND) else installed)}
    if place.parent not in right:
        told = " or ".join(f"{folder / 'metaeval'}" for folder in sorted(right))
        raise pytest.UsageError(f"these tests are for {told}, and Python finds {place}; pip install --editable .")
    unrun = "" if config.getoption("--exhaustive") else f"; {len(_listed('long.txt'))} long tests: make exhaustive"
    return f"metaeval: {place}{unrun}"


def _listed(name):
    """Return the tests of a list."""
    return set((Path(__file__).parent / name).read_text("utf-8").splitlines())


def _is_told_elsewhere(item):
    """Whether an example is of a function that a chapter hands out: it runs where the function is written."""
    return item.path.name == "__init__.py" and item.name != item.dtest.globs["__name__"]


def pytest_collection_modifyitems(config, items):
    """Skip what needs an extra that is not there, and leave out the tests that are long, or slow where not all run."""
    if not has_parquet():
        for item in items:
            if item.get_closest_marker("parquet"):
                item.add_marker(pytest.mark.skip(reason="Parquet needs polars: the extra parquet"))
    if find_spec("ir_measures") is None:
        for item in items:
            if item.path.stem == "ir_provider":
                item.add_marker(pytest.mark.skip(reason="its example needs ir_measures"))
    long = set() if config.getoption("--exhaustive") else _listed("long.txt")
    slow = _listed("slow.txt") if config.getoption("--quick") else set()
    left = {item for item in items if item.nodeid in long or item.nodeid.split("[")[0] in slow}
    left |= {item for item in items if isinstance(item, DoctestItem) and _is_told_elsewhere(item)}
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if item not in left]


def pytest_collection_finish():
    """Set what is loaded apart from the garbage collector, which would go through it again and again.

    It looks for garbage a thirtieth as often as it does otherwise, which took a twentieth of the time of all tests.

    Hypothesis looks among what the collector knows for who holds its random numbers, so it makes them before.
    """
    hypothesis.given(hypothesis.strategies.none())(lambda _: None)()
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)
    gc.enable()


@pytest.fixture
def processor_seconds():
    """Return a function that returns the processor time that a piece of work takes, the least of three times.

    Such times are compared with one another, never with a number of seconds: machines differ, and are at other work.
    """

    def least(work):
        took = []
        for _ in range(3):
            start = time.process_time()
            work()
            took.append(time.process_time() - start)
        return min(took)

    return least


@pytest.fixture
def roomy():
    """Make a folder for thousands of files, in memory where there is room: a disk takes longer to make and remove them.

    pytest would keep them for three sessions, and remove them at the end of each later one.
    """
    memory = "/dev/shm"  # noqa: S108 - the folder in it has a name of its own
    has_room = Path(memory).is_dir() and shutil.disk_usage(memory).free > 2**30
    with tempfile.TemporaryDirectory(dir=memory if has_room else None) as folder:
        yield Path(folder)


@pytest.fixture(scope="module")
def garbage_stays():
    """Keep Holm's correction in statsmodels from collecting garbage at every call, which can take a second."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gc, "collect", lambda *_: 0)
        yield


@pytest.fixture(scope="session")
def data_folder():
    """Find the folder of real collections: METAEVAL_DATA, else ../shared/data beside the repository."""
    folder = Path(os.environ.get("METAEVAL_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"real data not found in {folder}; set METAEVAL_DATA to the folder that holds it")
    return folder


def _is_checkout(folder):
    return (folder / "README.md").is_file()


@pytest.fixture(scope="session")
def checkout():
    """Find the pages, examples, benchmarks and scripts around the tests."""
    if not _is_checkout(AROUND):
        pytest.skip("needs the checkout around the tests, which lie alone here")
    return AROUND


@pytest.fixture(scope="session")
def studies(checkout):
    """Find the programs that judge metaeval on real data, which the sdist leaves out."""
    if not (checkout / "benchmarks" / "studies").is_dir():
        pytest.skip("needs benchmarks/studies, which the sdist leaves out")
    return checkout / "benchmarks" / "studies"


@pytest.fixture
def drawn_once(monkeypatch):
    """Draw each picture of a page wide, and show a dot for it: finishing them takes a fifth of the time of a command.

    The narrow form, and both as they stand in a page, are made of every study in tests/studies/test_study.py.
    """
    from metaeval.page.html import DrawnPicture  # noqa: PLC0415 - only where it is asked for

    def once(picture, *, salt):  # noqa: ARG001
        dot = '<svg viewBox="0 0 1 1"></svg>'
        return picture.draw(), (DrawnPicture("wide", dot, ""), DrawnPicture("narrow", dot, ""))

    for module in ("folder", "html"):
        monkeypatch.setattr(f"metaeval.page.{module}.drawn_picture", once)


@pytest.fixture(scope="session")
def write_docs(checkout):
    """Load scripts/write_docs.py, which writes into the pages what comes from the code."""
    spec = importlib.util.spec_from_file_location("write_docs", checkout / "scripts" / "write_docs.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


@pytest.fixture(scope="session")
def simulated_scores():
    """Make scores of systems that get better one by one; arguments say how many, keywords name them."""

    def made(n_metrics=2, n_systems=5, n_topics=20, *, seed=1, **labels):
        generator = np.random.default_rng(seed)
        topic = generator.beta(2, 3, (1, 1, n_topics))
        lift = np.linspace(0, 0.3, n_systems)[None, :, None]
        values = np.clip(topic + lift + generator.normal(0, 0.1, (n_metrics, n_systems, n_topics)), 0, 1)
        return as_scores(values, **labels)

    return made


@pytest.fixture(scope="module")
def one_core():
    """Hold compiled kernels to one core: waking others costs more than small collections take."""
    with limit_threads(1):
        yield


@pytest.fixture(scope="session")
def focused_tree():
    """Load the example tree of elements (tests/focused_tree.py) as a module."""
    return _beside("focused_tree")


@pytest.fixture(scope="session")
def dask_programs():
    """Load what starts a Dask cluster (tests/dask_programs.py) as a module, where Dask is installed."""
    pytest.importorskip("distributed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("metaeval.running.workers._PATIENCE", 120)  # a machine may be busy
        yield _beside("dask_programs")


def _beside(name):
    spec = importlib.util.spec_from_file_location(name, Path(__file__).parent / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Ways:
    """Hands the content of a file on in one of the ways in which it may reach a reader.

    Attributes
    ----------
    NAMES : tuple of str
        The ways.
    checksums : dict of str to str
        What the provenance should say of every word that was handed out.
    """

    NAMES = ("file", "packed", "pipe", "named pipe", "standard input")

    def __init__(self, folder, monkeypatch, close):
        self._folder, self._monkeypatch, self._close = folder, monkeypatch, close
        self.checksums = {}

    def give(self, path, way):
        """Return the word that stands for the content of a file; a pipe gives it once."""
        content, word = path.read_bytes(), str(path)
        place = self._folder / f"{len(list(self._folder.iterdir()))}"
        place.mkdir()
        if way == "packed":
            content = gzip.compress(content, mtime=0)
            word = str(place / f"{path.name}.gz")
            Path(word).write_bytes(content)
        elif way == "named pipe":
            word = str(place / path.name)
            os.mkfifo(word)
            self._write(word, content)
        elif way != "file":
            word = self._pipe(content, standard_input=way == "standard input")
        self.checksums[word] = hashlib.sha256(content).hexdigest()
        return word

    def _pipe(self, content, *, standard_input):
        read, write = os.pipe()
        self._write(write, content)
        if not standard_input:
            self._close.callback(os.close, read)
            return f"/dev/fd/{read}"
        self._monkeypatch.setattr(sys, "stdin", self._close.enter_context(os.fdopen(read, encoding="utf-8")))
        return "-"

    @staticmethod
    def _write(where, content):
        def write():
            with suppress(BrokenPipeError), open(where, "wb") as stream:  # noqa: PTH123 - or a descriptor
                stream.write(content)

        threading.Thread(target=write, daemon=True).start()


@pytest.fixture
def ways(tmp_path, monkeypatch):
    """Hand files on as files, packed, as pipes and as standard input."""
    folder = tmp_path / "ways"
    folder.mkdir()
    with ExitStack() as close:
        yield Ways(folder, monkeypatch, close)


_opened = []


def _note_opening(event, arguments):
    if event == "open" and _opened and isinstance(arguments[0], str):
        _opened[-1].append(arguments[0])


@cache
def _hear_of_openings():
    """Begin to listen, for good: a hook cannot be taken away, and is called in Python for whatever Python does."""
    sys.addaudithook(_note_opening)


@pytest.fixture
def count_openings():
    """Collect the paths that are opened inside a block."""
    _hear_of_openings()

    @contextmanager
    def count():
        _opened.append([])
        try:
            yield _opened[-1]
        finally:
            _opened.pop()

    return count


@pytest.fixture(autouse=True, scope="session")
def _messages_are_in_words():
    """Whatever any test makes metaeval refuse, the message shows values as a user wrote them, never as NumPy would."""
    plain = MetaevalError.__init__

    def held(self, *args):
        plain(self, *args)
        assert not re.search(r"\bnp\.\w+\(", " ".join(map(str, args)))

    MetaevalError.__init__ = held
    yield
    MetaevalError.__init__ = plain


@pytest.fixture(autouse=True, scope="session")
def _notes_keep_their_kind():
    """Whatever any test makes metaeval write, no f-string holds a note that programs know by its kind."""

    def refused(self, _):
        raise AssertionError(
            f"an f-string loses that this is {type(self).__name__}; add words with +: " + str.__str__(self)
        )

    KindOfNote.__format__ = refused
    yield
    del KindOfNote.__format__


HOSTILE = [
    '<script>alert("x")</script>',
    "a & b's $cost$ 100% #1_{x}^~\\",
    "日本語 🙂",
    "../../etc/passwd, and more",
    "twin",
]


@pytest.fixture(scope="session")
def scores(simulated_scores):
    """Two metrics, five systems with hostile names, the last two of them the same, twenty topics."""
    table = simulated_scores(systems=HOSTILE, metrics=["RBP(p=0.8)/x <b>", "../../etc"])
    table[:, -1] = table[:, -2]
    return table


@pytest.fixture(scope="session")
def study(scores):
    """Sakai's method and the t test, uncorrected and Benjamini-Yekutieli, with intervals."""
    from metaeval.questions.power.study import study_power  # noqa: PLC0415 - only where it is asked for

    return study_power(scores, tests=["bootstrap_sensitivity", "t"], n_resamples=200, n_topic_resamples=20, rng=0)
