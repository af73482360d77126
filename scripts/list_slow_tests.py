"""Write tests/slow.txt and tests/long.txt from what pytest printed: what `make quick` and `make test` leave out.

.venv/bin/python -m pytest -n auto -v --exhaustive --durations=0 --durations-min=0.05 > durations.txt
.venv/bin/python scripts/list_slow_tests.py durations.txt

slow.txt names test functions of more than half a second in all. long.txt names single tests of more than 0.15 s;
of a function whose tests all are, the shortest stays unless it takes half a second, and so do the examples of
README.md and the laws of the house, which every change must keep. Of several files the least counts for each test: on
a machine that others use too, measure twice or thrice.
"""

import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

_LINE = re.compile(r"([\d.]+)s (?:call|setup|teardown)\s+(\S+?::.+?)\s*$")
_PASSED = re.compile(r"\[gw\d+\] \[ *\d+%\] PASSED (\S+?::.+?)\s*$")
_SLOW, _LONG, _ALONE = 0.5, 0.15, 0.5
_ALWAYS = ("tests/test_docs.py::test_examples_run[README.md]", "tests/test_house.py::", "tests/test_project.py::")
"""How tests begin that are never left out of `make test`."""
_SITE = "tests/test_site.py::"
"""Tests that build the site, in a minute that whichever comes first takes; `make docs` builds it too."""
_TESTS = Path(__file__).parents[1] / "tests"


def read_seconds(path: Path) -> Counter[str]:
    """Return the seconds of every test with its fixtures; those too short to be listed with their time have none."""
    spent: Counter[str] = Counter()
    for line in path.read_text(encoding="utf-8").splitlines():
        if timed := _LINE.match(line):
            spent[timed[2]] += float(timed[1])
        elif passed := _PASSED.match(line):
            spent[passed[1]] += 0.0
    return spent


def function_of(test: str) -> str:
    """Return the test without its parameters."""
    return test.split("[", maxsplit=1)[0]


runs = [read_seconds(Path(name)) for name in sys.argv[1:]]
seconds = {test: min(run[test] for run in runs if test in run) for run in runs for test in run}
functions = defaultdict(dict)
for test, spent in seconds.items():
    functions[function_of(test)][test] = spent
slow = [function for function, tests in functions.items() if sum(tests.values()) > _SLOW]
long = []
for tests in functions.values():
    shortest = min(tests, key=lambda test: (tests[test], test))
    is_site = shortest.startswith(_SITE)
    limits = {test: 0.0 if is_site else _ALONE if test == shortest else _LONG for test in tests}
    long += [test for test, spent in tests.items() if not test.startswith(_ALWAYS) and spent >= limits[test]]
(_TESTS / "slow.txt").write_text("\n".join(sorted(slow)) + "\n", encoding="utf-8")
(_TESTS / "long.txt").write_text("\n".join(sorted(long)) + "\n", encoding="utf-8")
left = sum(spent for test, spent in seconds.items() if test not in set(long))
print(f"{len(long)} long tests of {sum(seconds[test] for test in long):.0f} s; {left:.0f} s in the others")
