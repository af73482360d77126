"""List the tests that `make quick` leaves out, from what pytest printed: those of more than half a second in all.

.venv/bin/python -m pytest -n auto --durations=0 -vv > durations.txt
.venv/bin/python scripts/list_slow_tests.py durations.txt > tests/slow.txt

Of several files the least counts for each test: on a machine that others use too, measure twice or thrice.
"""

import re
import sys
from collections import Counter
from pathlib import Path

_LINE = re.compile(r"([\d.]+)s (?:call|setup|teardown)\s+(\S+?::[^\[\s]+)")
_MOST = 0.5


def read_seconds(path: Path) -> Counter[str]:
    """Return the seconds of every test function, its parameters and fixtures together."""
    spent: Counter[str] = Counter()
    for line in path.read_text(encoding="utf-8").splitlines():
        if found := _LINE.match(line):
            spent[found[2]] += float(found[1])
    return spent


runs = [read_seconds(Path(name)) for name in sys.argv[1:]]
print("\n".join(sorted(test for test in runs[0] if min(run[test] for run in runs) > _MOST)))
