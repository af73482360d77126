"""Run the notebooks of examples/notebooks and keep what they show: ``python scripts/run_notebooks.py [NAME ...]``.

They run in a copy of examples/, so that the reports they write stay out of the repository. What differs from run to run
(times, progress) is not kept.
"""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nbformat
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

EXAMPLES = Path(__file__).parents[1] / "examples"
_SECONDS = 600
_BEGIN = """\
import os
os.chdir({folder!r})
get_ipython().reset(new_session=True)
"""


@contextmanager
def running() -> Iterator[NotebookClient]:
    """Yield a client with one kernel for all notebooks: to load one takes longer than most of them to run."""
    manager = AsyncKernelManager(kernel_name="python3")
    client = NotebookClient(nbformat.v4.new_notebook(), km=manager, timeout=_SECONDS)
    client.record_timing = False
    with tempfile.TemporaryDirectory(prefix="kernel") as sockets:
        if sys.platform != "win32":  # files of this user alone, where the default is ports of the machine
            manager.transport, manager.ip = "ipc", str(Path(sockets) / "socket")
        client.execute(cleanup_kc=False)
        try:
            yield client
        finally:
            client.nb = nbformat.v4.new_notebook()
            client.execute(cleanup_kc=True)  # or the kernel stays


def run(name: str, examples: Path, client: NotebookClient) -> nbformat.NotebookNode:
    """Return a notebook with what it shows, run in its place in a copy of the examples, with no name of an earlier one.

    Raises
    ------
    nbclient.exceptions.CellExecutionError
        If a cell ends in an error.
    """
    path = examples / "notebooks" / f"{name}.ipynb"
    book = nbformat.read(path, as_version=4)
    begun = nbformat.v4.new_code_cell(_BEGIN.format(folder=str(path.parent)))
    client.nb = nbformat.v4.new_notebook(cells=[begun, *book.cells], metadata=book.metadata)
    client.execute(cleanup_kc=False)
    book.cells = client.nb.cells[1:]
    book.metadata["language_info"] = {"name": "python"}  # without the version that it happened to run on
    for number, cell in enumerate([cell for cell in book.cells if cell.cell_type == "code"], start=1):
        cell.execution_count = number
        cell.outputs = [one for one in cell.outputs if one.get("metadata", {}).get("metaeval") != "progress"]
        for one in cell.outputs:
            if "execution_count" in one:
                one.execution_count = number
    return book


def main(names: list[str]) -> None:
    """Run the notebooks of these names, or all, and write them back."""
    found = sorted(path.stem for path in (EXAMPLES / "notebooks").glob("*.ipynb"))
    with running() as client:
        for name in names or found:
            with tempfile.TemporaryDirectory() as folder:
                examples = Path(folder) / "examples"
                shutil.copytree(EXAMPLES, examples)
                nbformat.write(run(name, examples, client), EXAMPLES / "notebooks" / f"{name}.ipynb")
            print(name)


if __name__ == "__main__":
    main(sys.argv[1:])
