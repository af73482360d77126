"""Requirements on systems: one-sided t tests, how they are written, and the exit code."""

import re

import numpy as np
import pytest
from scipy import stats

from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.models.separation import topics_to_separate
from metaeval.table.scores import as_scores
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.families import pair_families
from metaeval.tests_stat.requirements import check_requirements

MADE = np.random.default_rng(4).normal([[0.0], [0.1], [1.0]], 0.5, (3, 40))
SCORES = as_scores(MADE, systems=["old", "new", "gpt-4 - 1"])


@pytest.mark.parametrize("margin", [-0.3, 0.0, 0.4])
def test_it_is_a_one_sided_t_test(margin):
    """Limits and p as SciPy has them; the state follows from both limits."""
    found = (
        check_requirements(SCORES, [f"new >= old {margin:+g}".replace("+", "+ ").replace("-", "- ")]).to_frame().iloc[0]
    )
    expected = stats.ttest_1samp(MADE[1] - MADE[0] - margin, 0.0, alternative="greater")
    assert found["p_value"] == pytest.approx(expected.pvalue)
    assert found["low"] == pytest.approx(expected.confidence_interval(0.95).low + margin)
    less = stats.ttest_1samp(MADE[1] - MADE[0] - margin, 0.0, alternative="less").pvalue
    assert found["state"] == ("met" if expected.pvalue <= 0.05 else "violated" if less < 0.05 else "open")


def test_direction_names_and_equal_systems():
    """Better is higher whatever the metric's direction; a name may hold a margin; equals are as good and not better."""
    turned = as_scores(-MADE, systems=["old", "new", "gpt-4 - 1"], higher_is_better=False)
    for asked in ("gpt-4 - 1 > new", "gpt-4 - 1 >= new + 0.2", "new >= gpt-4 - 1 - 5"):
        one, other = (check_requirements(scores, [asked]).to_frame().iloc[0] for scores in (SCORES, turned))
        assert one["state"] == other["state"] == "met"
        assert one["difference"] == pytest.approx(other["difference"])
    equal = as_scores(MADE[[0, 0]], systems=["a", "b"])
    assert check_requirements(equal, ["a >= b", "a > b"]).table["state"].tolist() == ["met", "open"]


def test_disjoint_items():
    """Two systems without common items have no difference in any procedure that takes gaps: neither 0 nor p = 1."""
    values = np.vstack([MADE, MADE[:1] + 0.3])
    values[0, :20] = values[1, 20:] = np.nan
    scores = as_scores(values[None], systems=["a", "b", "c", "d"], missing="pairwise")
    row = check_requirements(scores, ["a >= b - 9"]).to_frame().iloc[0]
    assert row["state"] == "without common items"
    assert row[["difference", "low", "high", "p_value"]].isna().all()
    taking = [name for name, test in TESTS.items() if "gaps" in test.uses]
    assert "t" in taking
    for name in taking:
        frame = compare_systems(scores, test=name, rng=1).to_frame().set_index(["system_a", "system_b"])
        assert frame.loc[("a", "b"), ["difference", "p_value", "p_corrected"]].isna().all(), name
        assert not frame.loc[("a", "b"), "significant"]
        assert frame["difference"].notna().sum() == 5
    families = pair_families(compare_systems(scores, test="t", correction="none"), baseline="a").to_frame()
    apart = families[families[["system_a", "system_b"]].isin(["a", "b"]).all(axis=1)]
    assert len(apart)
    assert apart[["difference", "p_value", "p_holm"]].isna().all(axis=None)
    assert topics_to_separate(scores, pairs=[("a", "b")]).to_frame()["difference"].isna().all()


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("new>=old-0.05", "new >= old - 0.05"),
        ("new >= old-.05", "new >= old - .05"),
        ("new >= old - 0,05", "new >= old - 0.05"),
        ("old<=new + 0,05", "new >= old - 0.05"),
        ("old < new", "new > old"),
        ("new = old", "new >= old"),
        ("0.5 <= new", "new >= old - 0.005"),
        ("new>=.5", "new >= old - 0.005"),
        ("new=>gpt-4 - 1", "new >= gpt-4 - 1"),
        ("new>=gpt-4 - 1-0.5", "new >= gpt-4 - 1 - 0.5"),
    ],
)
def test_what_is_written_otherwise_is_said_as_it_must_be(asked, meant):
    """Without blanks, with a decimal comma, or the worse first: the message holds the text to give instead."""
    with pytest.raises(InvalidOptionError, match=f"such as '{meant}', not '") as caught:
        check_requirements(SCORES, [asked])
    check_requirements(SCORES, [re.search("such as '([^']*)'", str(caught.value))[1]])


@pytest.mark.parametrize(
    ("asked", "kind"),
    [
        ([], InvalidOptionError),
        (["old"], InvalidOptionError),
        (["old >= newest"], UnknownNameError),
        (["old >= old"], InvalidOptionError),
    ],
)
def test_what_is_no_requirement(asked, kind):
    """Nothing, no sign, a system that is not there, and one beside itself."""
    with pytest.raises(kind):
        check_requirements(SCORES, asked)
