"""Plug-ins: found when installed, named when broken, loaded from files."""

import pytest
from packages import install

from metaeval.collection.assembly import collection_from_rankings
from metaeval.errors import InvalidOptionError
from metaeval.metrics import BUILTIN, MetricError, PluginWarning, load_plugin, load_plugins, metric_values
from metaeval.testing import check_metric


@pytest.fixture
def examples(checkout):
    """Find the plug-ins that the package shows."""
    return checkout / "examples" / "plugin"


def test_the_example_package_is_found_when_installed(tmp_path, monkeypatch, examples):
    """Its entry point makes four metrics like any other, with @k, primes and gains."""
    text = (examples / "metaeval_graded.py").read_text()
    install(tmp_path, monkeypatch, {"metrics": ["graded = metaeval_graded:METRICS"]}, metaeval_graded=text)
    assert 'graded = "metaeval_graded:METRICS"' in (examples / "pyproject.toml").read_text()
    registry = load_plugins(BUILTIN)
    assert set(registry.metrics) - set(BUILTIN.metrics) == {"MeanGain", "nCG", "HLU", "Omeasure"}
    for name in ("MeanGain@5", "nCG(gains=exponential)@3", "HLU'@5", "Omeasure(beta=10)"):
        check_metric(name, registry=registry, n_collections=5)


def test_broken_plugins_are_named_and_the_rest_works(tmp_path, monkeypatch):
    """One that does not load, one whose name is taken, one that is no metric: three warnings, one metric."""
    good = (
        "from metaeval.metrics import metric\n"
        "@metric\ndef good(topic): return 0.0\n"
        "@metric(name='AP')\ndef other(topic): return 0.0\n"
    )
    entries = {"metrics": ["a = raises:x", "b = fine:other", "c = fine:number", "d = fine:both"]}
    install(
        tmp_path, monkeypatch, entries, raises="raise RuntimeError('no')", fine=good + "number = 3\nboth = [good]\n"
    )
    with pytest.warns(PluginWarning) as caught:
        registry = load_plugins(BUILTIN)
    texts = [str(one.message) for one in caught]
    assert len(texts) == 3
    assert (
        "entry point a = raises:x of example-plugin could not be loaded: RuntimeError: no (raises.py, line 1"
        in texts[0]
    )
    assert "b = fine:other" in texts[1]
    assert "'AP' is registered already" in texts[1]
    assert "c = fine:number" in texts[2]
    assert "not 3" in texts[2]
    assert set(registry.metrics) - set(BUILTIN.metrics) == {"good"}
    assert registry["AP"] is BUILTIN["AP"]


def test_the_example_file_is_a_plugin(examples):
    """One file, one function, twenty lines at most."""
    file = examples / "top_recall.py"
    assert len(file.read_text().splitlines()) <= 20
    (found,) = load_plugin(file)
    assert found.usage == "TopRecall(judged_only=False)@k"
    registry = BUILTIN.extend(found)
    for name in ("TopRecall@3", "TopRecall'@3"):
        check_metric(name, registry=registry, n_collections=5)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "must be a Python file"),
        ("\n1 / 0", r"does not run: ZeroDivisionError: division by zero \(mine.py, line 2: 1 / 0\)"),
        ("x = 1\ny = (", r"does not run: SyntaxError: .* \(mine.py, line 2"),
        ("import json\njson.loads('{')", r"JSONDecodeError: .* \(mine.py, line 2: json.loads\('\{'\)\)"),
        ("import sys\nsys.exit()", r"does not run: SystemExit \(mine.py, line 2"),
        ("raise ValueError('mine') from KeyError('other')", r"does not run: ValueError: mine \(mine.py, line 1"),
        ("from metaeval.metrics import BUILTIN\nAP = BUILTIN['AP']", "defines no metric"),
    ],
)
def test_a_file_that_is_no_plugin_is_refused(tmp_path, text, said):
    """The error names the file and the reason; metrics it only imports do not count."""
    file = tmp_path / "mine.py"
    if text is not None:
        file.write_text(text)
    with pytest.raises(InvalidOptionError, match=said) as caught:
        load_plugin(file)
    assert "mine.py" in str(caught.value)


def test_what_a_metric_raises_is_shown_with_its_line(tmp_path):
    """Not the line of numpy's that it ends in, and no word of ours."""
    file = tmp_path / "mine.py"
    file.write_text(
        "from numpy import stack\n"
        "from metaeval.metrics import metric\n"
        "@metric\n"
        "def mine(topic):\n"
        "    return stack([topic.ranks, topic.gains[1:]]).sum()\n"
    )
    collection = collection_from_rankings({"a": {"1": ["d1"]}}, {"1": {"d1": 1}})
    place = (
        r"topic '1': ValueError: .* \(mine.py, line 5: return stack\(\[topic.ranks, topic.gains\[1:\]\]\).sum\(\)\)$"
    )
    with pytest.raises(MetricError, match=place):
        metric_values(collection, load_plugin(file))


def test_what_all_runs_share_cannot_be_changed(tmp_path):
    """A function that empties the counts of a topic would change the scores of every run after it."""
    file = tmp_path / "mine.py"
    file.write_text("from metaeval.metrics import metric\n@metric\ndef mine(topic):\n    topic.n_per_level[1] = 0\n")
    collection = collection_from_rankings({"a": {"1": ["d1"]}}, {"1": {"d1": 1}})
    with pytest.raises(MetricError, match="does not support item assignment"):
        metric_values(collection, load_plugin(file))
