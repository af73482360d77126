"""What every test may ask for: the real data, where it is present, and reproducible hypothesis runs."""

import gc
import importlib.util
import os
from pathlib import Path

import hypothesis
import matplotlib as mpl
import pytest

mpl.use("agg")
hypothesis.settings.register_profile("metaeval", deadline=None, derandomize=True, max_examples=50)
hypothesis.settings.load_profile("metaeval")


def pytest_collection_finish():
    """Set what is loaded apart from the garbage collector: Holm's method in statsmodels runs it for every family."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def data_folder():
    """Find the folder of real collections: METAEVAL_DATA, else ../shared/data beside the repository."""
    folder = Path(os.environ.get("METAEVAL_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"real data not found in {folder}; set METAEVAL_DATA to the folder that holds it")
    return folder


@pytest.fixture(scope="session")
def focused_tree():
    """Load the example tree of elements (tests/focused_tree.py) as a module."""
    spec = importlib.util.spec_from_file_location("focused_tree", Path(__file__).parent / "focused_tree.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
