"""Tests and corrections of installed packages: rows like the built-in ones, which shadow none of them."""

import json
import os
import re
import subprocess
import sys
import tomllib
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from packages import forget, install, lay_out
from scipy import stats
from statsmodels.stats.multitest import multipletests

import metaeval
from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.metrics import PluginWarning
from metaeval.questions.agree.study import study_agree
from metaeval.questions.power.study import study_power
from metaeval.tests_stat.catalogue import TESTS, ways_out
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.correction import CORRECTIONS, adjust
from metaeval.tests_stat.detectable_difference import first_level
from metaeval.tests_stat.paired_t import paired_t_test

SCORES = np.random.default_rng(0).random((5, 20)) + np.linspace(0, 0.4, 5)[:, None]
MINE = """
from scipy import stats
from statsmodels.stats.multitest import multipletests


def unpaired(first, second):
    return stats.ttest_ind(first, second, equal_var=False)


def only_p(first, second):
    return stats.ttest_rel(first, second).pvalue


def changes(first, second):
    first[:] = 0
    return 0.5


def hochberg(p):
    return multipletests(p, method="simes-hochberg")[1]


def hommel(p):
    return multipletests(p, method="hommel")[1]


def sidak(p):
    return multipletests(p, method="sidak")[1]


def bonferroni_again(p):
    return (p * len(p)).clip(max=1)


def holm_again(p):
    return multipletests(p, method="holm")[1]
"""
BAD = """
def half(first, second):
    return 1.5


def text(first, second):
    return "0.5"


def nothing(first, second):
    return float("nan")


def stops(first, second):
    return first / second.missing


number = 3


def short(p):
    return p[:-1]


def large(p):
    return p * len(p)


def none(p):
    return None


def raises(p):
    raise KeyError("mine")
"""
POINTS = {
    "tests": ["Welch = mine:unpaired", "rel = scipy.stats:ttest_rel", "only-p = mine:only_p", "changes = mine:changes"],
    "corrections": [
        *("hochberg = mine:hochberg", "hommel = mine:hommel", "sidak = mine:sidak", "holm_again = mine:holm_again"),
        "bonf2 = mine:bonferroni_again",
    ],
}


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """Install a package with four tests and four corrections, for one test."""
    install(tmp_path, monkeypatch, POINTS, mine=MINE)
    yield
    forget()


@pytest.fixture
def bad(tmp_path, monkeypatch):
    """Install one whose functions are wrong, each in a way of its own."""
    names = ("half", "text", "nothing", "stops", "number")
    points = {
        "tests": [*(f"{name} = bad:{name}" for name in names), "gone = bad:gone"],
        "corrections": [f"{name} = bad:{name}" for name in ("short", "large", "none_at_all", "raises")],
    }
    points["corrections"][2] = "none_at_all = bad:none"
    install(tmp_path, monkeypatch, points, bad=BAD)
    yield
    forget()


@pytest.mark.usefixtures("mine")
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less", "better"])
def test_a_function_of_scipy_is_a_test_as_it_is(alternative):
    """The expected values are our own t test's, which is another program and is tested against SciPy's by itself."""
    asked = {"alternative": alternative, "baseline": "system2"}
    found, expected = compare_systems(SCORES, test="rel", **asked), paired_t_test(SCORES, **asked)
    for name in ("difference", "statistic", "p_value", "p_corrected"):
        np.testing.assert_allclose(found.data[name], expected.data[name], rtol=1e-9, err_msg=name)
    assert found.signature == expected.signature.replace("t|", "rel|", 1)


@pytest.mark.usefixtures("mine")
def test_an_unpaired_test_is_asked_of_every_pair():
    """P-values of SciPy itself, pair by pair; where lower is better the sign of the statistic is that of the scores."""
    for higher, turn in ((True, 1), (False, -1)):
        table = metaeval.as_scores(SCORES, higher_is_better=higher)
        found = compare_systems(table, test="welch", correction="none").data
        expected = [stats.ttest_ind(SCORES[a], SCORES[b], equal_var=False) for a, b in combinations(range(5), 2)]
        np.testing.assert_allclose(found["p_value"][0], [one.pvalue for one in expected], rtol=1e-9)
        np.testing.assert_allclose(found["statistic"][0], [one.statistic for one in expected], rtol=1e-9)
        assert found["better"][0].to_numpy().tolist() == [turn * np.sign(one.statistic) for one in expected]


@pytest.mark.usefixtures("mine")
def test_gaps_and_equal_systems_by_hand():
    """A pair is tested on the topics that both have; equal systems have p = 1, for which SciPy has NaN."""
    table = np.vstack([SCORES[:2], SCORES[:1]])
    table[1, :4] = np.nan
    found = compare_systems(metaeval.as_scores(table, missing="pairwise"), test="only-p", correction="none")
    expected = stats.ttest_rel(SCORES[0, 4:], SCORES[1, 4:]).pvalue
    np.testing.assert_allclose(found.data["p_value"][0], [expected, 1.0, expected], rtol=1e-9)
    np.testing.assert_allclose(found.data["statistic"], found.data["difference"])
    assert compare_systems(np.full((3, 6), 0.2), test="only_p").data["p_value"].to_numpy().tolist() == [[1.0] * 3]


@pytest.mark.usefixtures("mine")
def test_a_function_cannot_change_the_scores():
    """It gets arrays of its own."""
    before = SCORES.copy()
    assert (compare_systems(SCORES, test="changes", correction="none").data["p_value"] == 0.5).all()
    assert (before == SCORES).all()


@pytest.mark.usefixtures("mine")
def test_names_are_listed_behind_ours_and_found_however_they_are_spelt():
    """Listing loads nothing; ways out name our own tests alone."""
    sys.modules.pop("mine", None)
    assert list(TESTS)[-4:] == ["welch", "changes", "only_p", "rel"]
    assert list(CORRECTIONS)[-5:] == ["bonf2", "hochberg", "holm_again", "hommel", "sidak"]
    assert len(TESTS) == len(TESTS.builtin) + 4
    assert "welch" in TESTS
    assert "Welch" not in TESTS
    assert TESTS.canonical("WELCH") == "welch"
    assert TESTS.find("only p").method == "only_p"
    assert (TESTS.label("only_p"), TESTS.words("only_p")) == ("Only p", "only p")
    assert TESTS["welch"].description == "the test Welch of example-plugin 1.0"
    assert "welch" not in ways_out()["gaps"]
    assert "mine" not in sys.modules
    with pytest.raises(UnknownNameError, match=r"did you mean 'welch'"):
        TESTS.canonical("welhc")


@pytest.mark.parametrize("name", ["t", "T-Test", "nemenyi", "Fisher"])
def test_no_name_of_ours_is_shadowed(tmp_path, monkeypatch, name):
    """Not a name and not a synonym, in any spelling; who brings it hears whose it is."""
    install(
        tmp_path, monkeypatch, {"tests": [f"{name} = nowhere:x"], "corrections": ["bh = nowhere:x", "_ = nowhere:x"]}
    )
    ours = TESTS.find(name)
    said = rf"entry point {name} = nowhere:x of example-plugin is left out: the test of this name is '{ours.name}' of m"
    with pytest.warns(PluginWarning, match=said):
        assert list(TESTS) == list(TESTS.builtin)
    with pytest.warns(PluginWarning) as caught:
        assert list(CORRECTIONS) == list(CORRECTIONS.builtin)
    assert "is 'fdr_bh' of metaeval" in str(caught[1].message)
    assert TESTS.find(name) is ours
    forget()


def test_of_two_packages_the_first_keeps_a_name(tmp_path, monkeypatch):
    """The order is that of names, and the message names both."""
    install(tmp_path, monkeypatch, {"tests": ["my-test = a:x", "my_test = b:x"]})
    with pytest.warns(PluginWarning, match=r"my_test = b:x .* is left out: .* is entry point my-test = a:x of example"):
        assert TESTS.plugins["my_test"].point.value == "a:x"
    forget()


@pytest.mark.usefixtures("bad")
@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "half",
            r"^the test half of example-plugin 1.0 gave 1.5 for 'system1' and 'system2' under metric1; a p-value is",
        ),
        ("text", r"gave '0.5' for"),
        ("nothing", r"gave nan for"),
        (
            "stops",
            r"^the test stops of example-plugin 1.0 stopped for .*AttributeError: .* \(bad.py, line 15: return f",
        ),
        ("number", r"^the test number of example-plugin 1.0 is no function of two systems' scores, but 3$"),
        ("gone", r"^entry point gone = bad:gone of example-plugin could not be loaded: AttributeError: "),
    ],
)
def test_a_wrong_test_is_named_with_what_it_gave(name, said):
    """In one line, with the package, the pair, and what is expected."""
    with pytest.raises(InvalidOptionError, match=said) as caught:
        compare_systems(SCORES, test=name)
    assert "\n" not in str(caught.value)


@pytest.mark.usefixtures("mine")
def test_a_test_without_sides_refuses_one():
    """`unpaired` takes no ``alternative``."""
    with pytest.raises(InvalidOptionError, match=r"the test Welch of example-plugin 1.0 is two-sided only; for `alter"):
        compare_systems(SCORES, test="welch", alternative="greater")


@pytest.mark.usefixtures("bad")
@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "short",
            r"^the correction short of example-plugin 1.0 gave array\(.* for 2 p-values; due are as many",
        ),
        ("large", r"gave array\(.* due are as"),
        ("none_at_all", r"gave None for"),
        (
            "raises",
            r"^the correction raises of .* stopped on 2 p-values: KeyError: 'mine' \(bad.py, line 34: raise Key",
        ),
    ],
)
def test_a_wrong_correction_is_named_with_what_it_gave(name, said):
    """In one line, before anything is tested with it."""
    with pytest.raises(InvalidOptionError, match=said):
        adjust(np.array([0.2, 0.9]), name)


@pytest.mark.usefixtures("mine", "garbage_stays")
@pytest.mark.parametrize(("name", "method"), [("hochberg", "simes-hochberg"), ("hommel", "hommel"), ("sidak", "sidak")])
def test_adjusted_p_values_are_those_of_the_package(name, method):
    """Expected values: statsmodels, family by family; a hypothesis without a p-value is none of the family."""
    families = np.random.default_rng(1).random((3, 7)) ** 3
    expected = [multipletests(family, method=method)[1] for family in families]
    np.testing.assert_allclose(adjust(families, name), expected, rtol=1e-12)
    with_gap = families[0].copy()
    with_gap[2] = np.nan
    adjusted = adjust(with_gap, name)
    assert np.isnan(adjusted[2])
    expected = multipletests(np.delete(families[0], 2), method=method)[1]
    np.testing.assert_allclose(np.delete(adjusted, 2), expected, rtol=1e-12)


@pytest.mark.usefixtures("mine", "garbage_stays")
def test_a_correction_of_ours_as_a_function_decides_alike():
    """Holm's and Bonferroni's, as functions: the adjusted p-values of the built-in rows, for any number of pairs."""
    for name, ours in (("holm_again", "holm"), ("bonf2", "bonferroni")):
        for n in (1, 2, 300):
            p_values = np.random.default_rng(n).random((2, n)) ** 3
            np.testing.assert_allclose(adjust(p_values, name), adjust(p_values, ours), rtol=1e-12)


@pytest.mark.usefixtures("mine")
def test_levels_are_refused_where_there_are_none():
    """A function of p-values says nothing of a level for one pair alone."""
    with pytest.raises(
        InvalidOptionError, match=r"the correction sidak of example-plugin 1.0 has adjusted p-values and n"
    ):
        first_level("sidak", 0.05, 10)
    drawn = compare_systems(SCORES, test="bootstrap", n_resamples=20, rng=1, correction="sidak")  # and no warning
    assert drawn.correction == "sidak"


@pytest.mark.usefixtures("mine")
def test_a_study_has_intervals_where_there_are_levels_and_a_note_elsewhere(simulated_scores):
    """Power under Holm's has an interval, under Šidák's a note; agreement likewise."""
    table = simulated_scores(n_metrics=2)
    asked = {"tests": ["rel"], "n_topic_resamples": 50, "rng": 1}
    power = study_power(table, corrections=["none", "sidak", "holm"], **asked)
    rows = power.to_frame().set_index(["metric", "correction"])
    assert rows["power_low"].notna().groupby("correction").all().to_dict() == {
        "holm": True,
        "none": True,
        "sidak": False,
    }
    said = "intervals of {} under sidak were left out: they need its levels"
    assert said.format("discriminative power") in power.notes
    agreed = study_agree(table, corrections=["sidak"], **asked)
    assert said.format("agreement") in agreed.notes
    assert agreed.intervals is None
    assert study_agree(table, corrections=["holm"], **asked).intervals is not None
    result = compare_systems(table, test="t", correction="sidak")
    assert not result.has_witnesses
    assert result.with_correction("holm").has_witnesses


def ran(folder, *words):
    """Return what the program prints in a process that finds the packages of a folder."""
    paths = os.pathsep.join([str(folder), str(Path(metaeval.__file__).parents[1])])
    done = subprocess.run(
        [sys.executable, "-P", "-m", "metaeval", *words],
        capture_output=True, text=True, check=False, cwd=folder, env=os.environ | {"PYTHONPATH": paths},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_an_installed_package_goes_through_the_program(tmp_path):
    """A process of its own finds it: in lists of the help, as a test with a correction, and as a format of a file."""
    points = POINTS | {"formats": ["ours = mine:read"]}
    read = "\n\ndef read(content):\n    names, *rows = [line.split('/') for line in content.decode().split()]\n"
    read += "    return [dict(zip(names, row)) for row in rows]\n"
    lay_out(tmp_path, points, mine=MINE + read)
    rows = [f"{system}/{topic}/AP/{value}" for system, row in zip("abc", SCORES.round(3), strict=False)
            for topic, value in enumerate(row, 1)]  # fmt: skip
    (tmp_path / "mine.ours").write_text("\n".join(["system/topic/metric/score", *rows]))
    told = " ".join(ran(tmp_path, "power", "--help-all").split())
    assert "Installed: welch, changes, only_p, rel." in told
    assert "Installed: bonf2, hochberg, holm_again, hommel, sidak." in told
    out = ran(tmp_path, "power", "mine.ours", "--test", "rel", "--correction", "hommel")
    assert "Do these systems differ significantly under AP?" in out
    assert "3 systems, 20 topics" in out
    expected = multipletests(
        [stats.ttest_rel(SCORES[a].round(3), SCORES[b].round(3)).pvalue for a, b in combinations(range(3), 2)],
        method="hommel",
    )
    assert f"{int(expected[0].sum())}/3" in out


def test_the_package_of_the_page_goes_through_the_program(tmp_path, checkout):
    """The functions and entry points of docs/plugins.md, installed: p-values by SciPy and statsmodels, called here."""
    page = (checkout / "docs" / "plugins.md").read_text("utf-8")
    text = re.search(r"```python file=my_package.py\n(.*?)```", page, re.DOTALL)[1]
    (entries,) = re.findall(r"```toml\n(\[project.entry-points.\"metaeval.tests\"\].*?)```", page, re.DOTALL)
    groups = tomllib.loads(entries)["project"]["entry-points"]
    points = {
        group.removeprefix("metaeval."): [f"{name} = {value}" for name, value in functions.items()]
        for group, functions in groups.items()
    }
    lay_out(tmp_path, points, my_package=text)
    scores = {name: dict(enumerate(row.tolist())) for name, row in zip("abc", SCORES, strict=False)}
    (tmp_path / "scores.lab").write_text(json.dumps(scores))
    out = ran(tmp_path, "power", "scores.lab", "--test", "median", "--correction", "hommel", "--json", "--quiet")
    (row,) = json.loads(out)["results"]
    drawn = {"permutation_type": "samples", "n_resamples": 999, "rng": 0}
    p_values = [
        stats.permutation_test((SCORES[a] - SCORES[b],), np.median, **drawn).pvalue
        for a, b in combinations(range(3), 2)
    ]
    assert row["metric"] == "quality"
    assert row["n_significant"] == multipletests(p_values, method="hommel")[0].sum()
