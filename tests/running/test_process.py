"""How the program begins, is stopped and ends, as a process of its own."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from metaeval.io.folders import new_folder
from metaeval.running import process
from metaeval.running.process import Interruption, Stop, sheltered, stopped_by

ROOT = Path(process.__file__).parents[2]
PROGRAM = [sys.executable, "-m", "metaeval"]
HANGS = 600
"""Seconds, after which something hangs; a busy machine takes its time."""


@pytest.fixture
def shell(tmp_path):
    """Run a line of the shell in which $m is the program; return its exit code, output and complaints."""
    (tmp_path / "ap.csv").write_text("a,b,c\n" + "".join(f"0.{n % 7},0.{n % 5},0.{n % 3}\n" for n in range(20)))

    def run(line, **settings):
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "m": " ".join(PROGRAM), **settings}
        ended = subprocess.run(
            ["/bin/bash", "-c", line], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert "Traceback" not in ended.stderr, ended.stderr
        assert "Exception ignored" not in ended.stderr
        return ended

    return run


QUICK = "$m metrics"
"""A command that prints and loads little."""


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        (f"{QUICK} <&- 2>&-", 0, ""),
        (f"{QUICK} <&- >&- 2>&-", 5, ""),
        (f"{QUICK} >/dev/full", 5, "No space left on device"),
        ("$m --help >/dev/full", 5, "No space left on device"),
        ("$m --version >&-", 5, "standard output is closed"),
        (f"set -o pipefail; {QUICK} --json | true", 5, ""),
    ],
)
def test_streams_that_are_closed_full_or_gone(shell, line, code, words):
    """What cannot be written ends with 5 and one sentence; a reader who has enough is told nothing."""
    if "/dev/full" in line and not Path("/dev/full").is_char_device():
        pytest.skip("this machine has no device that is always full")
    ended = shell(line)
    assert ended.returncode == code, ended.stderr
    assert words in ended.stderr
    assert (not ended.stderr) == (not words)


def test_no_file_gets_the_number_of_a_closed_stream(shell, tmp_path):
    """What a library prints to standard output by its number must not end up in a file of the user."""
    before = (tmp_path / "ap.csv").read_bytes()
    shell("$m power ap.csv --pairs pairs.csv --interval-resamples 0 --resamples 50 <&- >&- 2>&-")
    assert (tmp_path / "ap.csv").read_bytes() == before
    assert (tmp_path / "pairs.csv").read_text().startswith("metric,")


def test_a_terminal_without_unicode(shell, tmp_path):
    """Letters it lacks are escaped; JSON stays JSON."""
    (tmp_path / "é→😀.csv").write_bytes((tmp_path / "ap.csv").read_bytes())
    words = "--json --interval-resamples 0 --resamples 50 -q"
    ended = shell(f"$m power *.csv {words}", PYTHONIOENCODING="ascii")
    assert ended.returncode == 0, ended.stderr
    assert {row["metric"] for row in json.loads(ended.stdout)["results"]} == {"ap", "é→😀"}
    assert shell("$m metrics", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0").returncode == 0


def test_a_limit_on_the_size_of_files_is_told_as_such(shell, tmp_path):
    """The older report stays as it is, and nothing is left beside it."""
    with new_folder(tmp_path / "report") as older:
        (older / "index.html").write_text("old")
        (older / "provenance.json").write_text('{"schema": "metaeval/3"}')
    quick = "--interval-resamples 0 --resamples 50 --no-topics --out report --overwrite -q"
    ended = shell(f"ulimit -f 20; $m report ap.csv {quick}")
    assert (ended.returncode, "File too large" in ended.stderr) == (5, True), ended.stderr
    assert (tmp_path / "report" / "index.html").read_text() == "old"
    assert {path.name for path in tmp_path.iterdir()} == {"ap.csv", "report"}


# ------------------------------------------------------------------------------------------- signals


def started(*words, cwd, code=None):
    """Start the program, or a piece of code in its place, that listens to signals however the tests were started."""
    program = PROGRAM if code is None else [sys.executable, "-c", LISTENING + code]
    return subprocess.Popen(
        [*program, *words],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


LISTENING = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
"""
ASLEEP = "[time.sleep(0.1) for _ in range(600)]"
"""Not in one piece: Python would sleep on where a signal comes just before, after it last looked for one."""
LOADING = f"""
import sys
from metaeval import __main__
from metaeval.running import process
sys.modules["rich"] = None                    # stops the command line from loading
class Slow:
    def find_spec(self, name, *_):
        if name == "typer":
            print("there", flush=True)
            import time; {ASLEEP}
sys.meta_path.insert(0, Slow())
sys.exit(__main__.main())
"""

AT_WORK = """
import sys, time, types
import typer
from metaeval import __main__
import metaeval.io.writing as writing
app = typer.Typer()
@app.command()
def wait() -> None:
    with writing.write_atomically("table.csv") as temporary:
        temporary.write_text("half")
        print("there", flush=True)
        {stop}
sys.modules["metaeval.questions.power.command"] = types.SimpleNamespace(power_command=typer.main.get_command(app))
sys.argv[1:] = ["power"]
sys.exit(__main__.main())
"""
CODES = {
    signal.SIGINT: (130, "Interrupted"),
    signal.SIGTERM: (143, "Terminated"),
    signal.SIGHUP: (129, "Hung up"),
}
STOPS = {
    "asleep": ASLEEP,
    "turned into another error": f"""
        try:
            {ASLEEP}
        except KeyboardInterrupt:
            raise ImportError("half loaded")""",
    "in a destructor": f"""
        class Hindrance:
            def __del__(self):
                time.sleep(2)
        del_me = Hindrance(); del del_me
        {ASLEEP}""",
}


@pytest.mark.parametrize(
    ("stage", "signum"),
    [
        *(("loading", signum) for signum in CODES),
        *(("asleep", signum) for signum in CODES),
        *((stage, signal.SIGTERM) for stage in STOPS if stage != "asleep"),
    ],
)
def test_a_signal_ends_the_program_properly(tmp_path, stage, signum):
    """The exit code is the signal's, one sentence says what happened, and nothing half-written is left."""
    words = LOADING if stage == "loading" else AT_WORK.format(stop=STOPS[stage])
    process = started(cwd=tmp_path, code=words)
    assert process.stdout.readline() == "there\n"
    for _ in range(3):  # as `timeout` does, which sends one to the process and one to its group
        process.send_signal(signum)
    _, complaint = process.communicate(timeout=HANGS)
    code, word = CODES[signum]
    assert process.returncode == code
    assert complaint.startswith(word)
    assert complaint.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_signal_that_was_ignored_stays_ignored(tmp_path):
    """As under nohup, and for jobs that a script puts into the background."""
    code = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n" + AT_WORK.format(stop="time.sleep(0.5)")
    process = started(cwd=tmp_path, code=code)
    assert process.stdout.readline() == "there\n"
    process.send_signal(signal.SIGHUP)
    process.communicate(timeout=HANGS)
    assert process.returncode == 0
    assert (tmp_path / "table.csv").read_text() == "half"


def test_in_a_program_around_us_nothing_is_changed():
    """Handlers are taken for the time of a command, and only where they are Python's own."""
    theirs = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where tests run in the background
    mine = signal.signal(signal.SIGTERM, lambda *_: None)
    handler, hook = signal.getsignal(signal.SIGTERM), sys.unraisablehook
    try:
        with Stop() as stop:
            assert signal.getsignal(signal.SIGTERM) is handler
            with pytest.raises(Interruption):
                signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)  # the same wish
        assert stop.signum == signal.SIGINT
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        assert sys.unraisablehook is hook
    finally:
        signal.signal(signal.SIGTERM, mine)
        signal.signal(signal.SIGINT, theirs)


def test_what_must_not_be_cut_short_is_not():
    """A signal waits for the end of the outermost block, and is not raised over one that is on its way already."""
    steps = []

    def tidy():
        with sheltered():
            with sheltered():
                signal.raise_signal(signal.SIGTERM)
            steps.append("done")
        steps.append("never")

    def tidy_and_fail():
        with sheltered():
            signal.raise_signal(signal.SIGTERM)
            raise KeyboardInterrupt("mine")

    with Stop(), pytest.raises(Interruption):
        tidy()
    assert steps == ["done"]
    with Stop() as stop, pytest.raises(KeyboardInterrupt, match="mine"):
        tidy_and_fail()
    assert stop.signum == signal.SIGTERM
    with Stop(), sheltered():
        pass


def test_words_for_signals():
    """The codes are those of shells."""
    assert stopped_by(signal.SIGINT) == (130, "Interrupted")
    assert stopped_by(signal.SIGUSR1) == (128 + signal.SIGUSR1, "Stopped")


def test_what_a_signal_stopped_is_left_at_once(tmp_path):
    """Threads still at work neither hold the process up nor see it taken down under them; exit functions run."""
    left = tmp_path / "left"
    program = (
        "import atexit, threading, time\n"
        "from pathlib import Path\n"
        "from metaeval.running import process\n"
        f"atexit.register(Path({str(left)!r}).touch)\n"
        "threading.Thread(target=time.sleep, args=(60,)).start()\n"
        "print('said', end='')\n"
        "process.end(143)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=HANGS,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (143, "said", "")
    assert left.exists()
