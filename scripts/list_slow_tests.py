"""List the tests that `make quick` leaves out, from what pytest printed: those of more than half a second in all.

.venv/bin/python -m pytest -n auto --durations=0 -vv > durations.txt
.venv/bin/python scripts/list_slow_tests.py durations.txt > tests/slow.txt
"""

import re
import sys
from collections import defaultdict
from pathlib import Path

_LINE = re.compile(r"([\d.]+)s (?:call|setup|teardown)\s+(\S+?::[^\[\s]+)")
_MOST = 0.5

spent: dict[str, float] = defaultdict(float)
for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines():
    if found := _LINE.match(line):
        spent[found[2]] += float(found[1])
print("\n".join(sorted(name for name, seconds in spent.items() if seconds > _MOST)))
