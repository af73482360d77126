"""The compose file: it can be read, and its commands start a cluster that works."""

import re
import shlex
from pathlib import Path

import pytest

from metaeval.running.workers import parallel_map, working

FILE = Path(__file__).parents[2] / "examples" / "dask-compose.yml"
pytestmark = pytest.mark.usefixtures("checkout")


def test_its_commands_start_a_cluster(dask_programs, tmp_path):
    """With addresses of this machine in the place of the services' names; one image, hence one set of versions."""
    services = pytest.importorskip("yaml").safe_load(FILE.read_text("utf-8"))["services"]
    assert {*services} == {"scheduler", "worker", "study"}
    assert len({one["image"] for one in services.values()}) == 1
    assert services["worker"]["depends_on"] == ["scheduler"]
    port = str(dask_programs.free_port())
    begun = []
    for name in ("scheduler", "worker"):
        text = services[name]["command"].replace("//scheduler:", "//127.0.0.1:").replace("8786", port)
        program, *words = shlex.split(text)
        assert program == "dask"
        begun.append(dask_programs.start(*(word for word in words if word != "--no-dashboard"), folder=tmp_path))
    with dask_programs.stopping(*begun), working(cluster=f"tcp://127.0.0.1:{port}"):
        assert parallel_map(abs, [-1, -2]) == [1, 2]


def test_its_lines_name_what_there_is():
    """The commands in its head call it by its path, and the services by theirs."""
    text = FILE.read_text("utf-8")
    lines = re.findall(r"^#\s+(docker compose .*)$", text, flags=re.MULTILINE)
    assert len(lines) == 3
    assert all("-f examples/dask-compose.yml" in line for line in lines)
    assert "tcp://scheduler:8786" in lines[1]
    assert all(line in (FILE.parents[1] / "docs" / "many-machines.md").read_text("utf-8") for line in lines)
