"""Tables whose columns have all roles, in random order and under random names: no number of another role is a score."""

import importlib.util
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "fuzz_roles.py"
TABLES = 75
pytestmark = pytest.mark.usefixtures("checkout")


@pytest.fixture(scope="module")
def fuzz():
    """Return the script that makes and judges the tables."""
    spec = importlib.util.spec_from_file_location("fuzz_roles", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules["fuzz_roles"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("kind", ["_long", "_means", "_wide", "_turned"])
def test_no_number_of_another_role_is_read_as_a_score(fuzz, kind):
    """Scores, means and names are those of the making, what else is there is named; one of ten at most is refused."""
    counts: Counter[str] = Counter()
    for number in range(TABLES):
        table = getattr(fuzz, kind)(np.random.default_rng((7, number)))
        outcome, said = fuzz.verdict(table, fuzz.DOORS["frame" if number % 4 == 3 else "file"])
        assert outcome != "wrong", f"{said}\n{table.text}"
        counts[outcome] += 1
    assert counts["refused"] <= TABLES / 10
