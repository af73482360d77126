"""What tests of other systems share."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import metaeval

collect_ignore_glob = [] if sys.platform == "linux" else ["windows/*", "test_windows_rules.py"]
"""Rules of Windows are imposed where /proc says what is open."""
RULES = Path(__file__).parent / "windows"


@pytest.fixture(scope="session")
def python():
    """Run Python with this metaeval, where a folder is named by the rules of Windows for what lies in it."""
    checkout = str(Path(metaeval.__file__).parents[1])

    def run(*words, cwd, rules=None, **environment):
        places = [checkout, *([str(RULES)] if rules else [])]
        environment |= {"PYTHONPATH": os.pathsep.join(places), "WINDOWS_RULES": str(rules or "")}
        started = [sys.executable, "-P", *map(str, words)]
        return subprocess.run(started, cwd=cwd, env=os.environ | environment, capture_output=True, check=False)

    return run
