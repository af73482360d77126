"""Let the fuzzers import one another: they are no package, and a long run outside pytest uses them too."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True, scope="session")
def _byte_code(tmp_path_factory):
    """Let Python keep what it compiled, as it does once installed; else importing polars is most of the time taken."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        patch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path_factory.mktemp("code")))
        yield
