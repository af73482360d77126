"""scripts/find_python.sh takes only a Python that really runs, is new enough and can install."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "find_python.sh"
pytestmark = pytest.mark.usefixtures("checkout")
SHELL = shutil.which("sh")


@dataclass
class Machine:
    """A path and a home that hold what a test puts there, and nothing else."""

    folder: Path

    def put(self, place, version, ways="ensurepip"):
        """Put a stand-in for a Python: it answers the script's question, and gives its own path when asked for it."""
        answer = f'case "$2" in *ensurepip*) echo "{version} {ways}" ;; *) echo "$0" ;; esac'
        return self._write(place, answer if version else "exit 127")

    def find(self, *versions, **variables):
        """Run the script there."""
        tools = self.folder / "tools"
        if not tools.exists():
            tools.mkdir()
            (tools / "cat").symlink_to(shutil.which("cat"))
        environment = {"PATH": f"{self.folder / 'path'}:{tools}", "HOME": str(self.folder / "home"), **variables}
        return subprocess.run([SHELL, SCRIPT, *versions], capture_output=True, text=True, check=False, env=environment)

    def _write(self, place, line):
        path = self.folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!{SHELL}\n{line}\n", "utf-8")
        path.chmod(0o755)
        return str(path)


@pytest.fixture
def machine(tmp_path):
    """Give a machine without any Python."""
    return Machine(tmp_path)


def test_none_found(machine):
    """Where there is no Python, it ends with 1 and says how to get one."""
    answer = machine.find()
    assert (answer.returncode, answer.stdout) == (1, "")
    assert "needs Python 3.12 or newer" in answer.stderr
    assert "pyenv install" in answer.stderr


def test_old_python_and_dead_shim_hide_nothing(machine):
    """An old python3 and a shim that fails are passed over for the newer Python under pyenv."""
    machine.put("path/python3", 11)
    machine.put("path/python3.13", None)
    newer = machine.put("home/.pyenv/versions/3.12.1/bin/python3", 12)
    answer = machine.find()
    assert answer.stdout.strip() == newer, answer.stderr


def test_pyenv_root_is_looked_into(machine):
    """PYENV_ROOT says where pyenv keeps its Pythons."""
    newer = machine.put("elsewhere/versions/3.13.0/bin/python3", 13)
    assert machine.find(PYENV_ROOT=str(machine.folder / "elsewhere")).stdout.strip() == newer


@pytest.mark.parametrize("name", ["python3.12", "python3.13", "python3.14"])
def test_version_on_the_path(machine, name):
    """A version by its own name on the path serves where python3 is too old."""
    machine.put("path/python3", 11)
    newer = machine.put(f"path/{name}", int(name.removeprefix("python3.")))
    assert machine.find().stdout.strip() == newer


def test_a_version_that_is_asked_for_alone_is_found(machine):
    """For one version the others do not serve, however early on the path."""
    machine.put("path/python3", 12)
    wanted = machine.put("path/python3.14", 14)
    assert machine.find("3.14").stdout.strip() == wanted
    assert machine.find("3.13").returncode == 1


def test_release_without_wheels_comes_last(machine):
    """A Python newer than the compiled dependencies know is taken only where there is no other."""
    newest = machine.put("path/python3", 19)
    assert machine.find().stdout.strip() == newest
    known = machine.put("path/python3.12", 12)
    assert machine.find().stdout.strip() == known


def test_python_that_cannot_install_is_refused(machine):
    """A Python with neither ensurepip nor pip is no use, and the message says what is missing."""
    machine.put("path/python3", 12, "nothing")
    answer = machine.find()
    assert answer.returncode == 1
    assert "python3-venv" in answer.stderr


def test_python_variable_decides_alone(machine):
    """PYTHON= is taken or refused; nothing else is tried."""
    machine.put("path/python3", 12)
    old = machine.put("own/python", 10)
    refused = machine.find(PYTHON=old)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "too old" in refused.stderr
    assert machine.find(PYTHON=machine.put("own/python", 14)).stdout.strip() == old
