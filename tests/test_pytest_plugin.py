"""The laws as tests of pytest: one test a law for who asks, and nothing at all for who does not."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import metaeval
from metaeval.metrics import BUILTIN
from metaeval.testing.laws import LAWS

pytest_plugins = "pytester"
LOADED = ("-p", "metaeval.testing.pytest_plugin", "-p", "no:cacheprovider")
SOURCE = Path(metaeval.__file__).parents[1]
ALONE = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
"""Without the other plug-ins of this machine, some of which load numpy."""
PLAIN = """
import pytest


@pytest.mark.metric_laws("RR", "P@5", n_collections=1)
def test_laws(metric_law):
    metric_law()
"""
BROKEN = """
import pytest
from metaeval.metrics import metric


@metric(name="Large")
def large(topic):
    return 2.0


@metric(name="Ideal", ideal=0.5)
def ideal(topic):
    return 0.0


@pytest.mark.metric_laws(large, ideal, n_collections=1)
def test_laws(metric_law):
    metric_law()
"""
OTHERS = """
import pytest


@pytest.fixture(params=[1, 2])
def metric_law(request):
    return request.param


def test_mine(metric_law):
    assert metric_law in {1, 2}


@pytest.mark.parametrize("number", [1, 2])
def test_other(number):
    assert number
"""


@pytest.fixture
def alone(pytester, monkeypatch):
    """Load no other plug-in of this machine, in processes of their own: in this one pytest would unload modules."""
    for name, value in ALONE.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PYTHONPATH", str(SOURCE))
    return pytester


def declared(name):
    """Return the laws that a metric of documents declares, as ids have them."""
    resolved = BUILTIN.resolve(name)
    return [f"test_laws[{resolved.name}: {law.words}]" for law in LAWS if law.declared(resolved)]


def test_every_law_is_a_test_of_its_own(alone):
    """Those that a metric declares, by name, metric after metric."""
    alone.makepyfile(PLAIN)
    expected = [*declared("RR"), *declared("P@5")]
    done = alone.runpytest_subprocess(*LOADED, "-v")
    done.assert_outcomes(passed=len(expected))
    assert re.findall(r"::(test_laws\[.*\]) PASSED", done.stdout.str()) == expected


def test_a_broken_law_fails_alone(alone):
    """A metric out of its bounds has no score to try other laws on; one with a wrong ideal fails that law."""
    alone.makepyfile(BROKEN)
    done = alone.runpytest_subprocess(*LOADED, "-rfs")
    failed = re.findall(r"^FAILED .*::test_laws\[(.*?)\]", done.stdout.str(), re.MULTILINE)
    assert failed == [f"Large: {LAWS[0].words}", "Ideal: An ideal ranking has the declared value"]
    assert "Large lies outside the declared bounds [0, 1] for run 'a', topic '1': 2.0" in done.stdout.str()
    assert "no score could be computed: see the first law" in done.stdout.str()
    assert "examination.py" not in done.stdout.str()  # no line of ours


def test_a_repository_that_does_not_ask_is_as_it_was(alone):
    """Its own fixture of the same name stays its own; the same tests run, with the same names."""
    alone.makepyfile(OTHERS)
    told = [alone.runpytest_subprocess(*options, "-v", "-p", "no:cacheprovider") for options in ((), LOADED[:2])]
    names = [re.findall(r"::(\S+) PASSED", done.stdout.str()) for done in told]
    assert names[0] == names[1] == ["test_mine[1]", "test_mine[2]", "test_other[1]", "test_other[2]"]


def test_a_test_without_metrics_says_what_it_needs(alone):
    """And a misspelt metric ends the collection with the nearest name."""
    alone.makepyfile(PLAIN.replace('"RR", "P@5", ', ""), test_b="def test_b(metric_law):\n    metric_law()\n")
    done = alone.runpytest_subprocess(*LOADED)
    done.assert_outcomes(errors=1, skipped=1)
    assert "name metrics for metric_law: @pytest.mark.metric_laws('NAME') above the test" in done.stdout.str()
    alone.makepyfile(PLAIN.replace("RR", "RRR"))
    done = alone.runpytest_subprocess(*LOADED, "test_a_test_without_metrics_says_what_it_needs.py")
    assert "did you mean 'RR'" in done.stdout.str()


def test_the_marker_is_described(alone):
    """As pytest lists those of other plug-ins, which its strict mode asks for."""
    out = alone.runpytest_subprocess(*LOADED, "--markers").stdout.str()
    assert "@pytest.mark.metric_laws(*metrics, registry=None, n_collections=20): run the test once for" in out


def test_an_installed_package_loads_nothing_heavy(tmp_path, checkout):
    """It is found by the entry point of pyproject.toml, and numpy and pandas stay where they are."""
    text = (checkout / "pyproject.toml").read_text("utf-8")
    (entry,) = re.findall(r'\[project.entry-points.pytest11\]\nmetaeval = "(.*?)"', text)
    info = tmp_path / "metaeval-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: metaeval\nVersion: 0.1.0\n")
    (info / "entry_points.txt").write_text(f"[pytest11]\nmetaeval = {entry}\n")
    lines = (
        "import sys",
        "def test_it(pytestconfig):",
        "    assert pytestconfig.pluginmanager.hasplugin('metaeval')",
        "    assert not {'numpy', 'pandas', 'scipy', 'xarray', 'numba'} & {*sys.modules}",
        "    assert 'metaeval.testing.examination' not in sys.modules",
    )
    (tmp_path / "test_it.py").write_text("\n".join(lines))
    done = subprocess.run(
        [sys.executable, "-P", "-m", "pytest", "-q", "-p", "metaeval", "-p", "no:cacheprovider", "test_it.py"],
        capture_output=True, text=True, check=False, cwd=tmp_path,
        env=os.environ | ALONE | {"PYTHONPATH": os.pathsep.join(map(str, (tmp_path, SOURCE)))},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_example_of_the_page(alone, checkout, monkeypatch):
    """The metric and the test of docs/plugins.md: eight laws hold, as the page's `check-metric` says of it."""
    page = (checkout / "docs" / "plugins.md").read_text("utf-8")
    files = dict(re.findall(r"```python file=(\w+).py\n(.*?)```", page, re.DOTALL))
    alone.makepyfile(my_metric=files["my_metric"], test_my_metric=files["test_my_metric"])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, (alone.path, SOURCE))))
    done = alone.runpytest_subprocess(*LOADED, "-v", "test_my_metric.py")
    done.assert_outcomes(passed=8)
    assert "obeys every law that was tried (8)" in page
    line = next(line for line in page.splitlines() if line.startswith("test_my_metric.py::"))
    assert line in re.sub(r"\s+\[.*?%\]$", "", done.stdout.str(), flags=re.MULTILINE)
