"""Registries and plug-ins: values that are extended, broken plug-ins named, files loaded."""

import sys
from pathlib import Path

import numpy as np
import pytest

from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.metrics import (
    BUILTIN,
    PluginWarning,
    Quantisation,
    RankedTopic,
    Registry,
    load_plugin,
    load_plugins,
    metric,
    metric_values,
)
from metaeval.testing import check_metric, made_collections

EXAMPLES = Path(__file__).parents[2] / "examples" / "plugin"


def half(_: RankedTopic, *, rel: int = 1) -> float:
    """One half."""
    return rel / 2


def test_the_built_in_measures_are_a_table_in_teaching_order():
    """The registry can be read, and every entry says what it is."""
    frame = BUILTIN.to_frame()
    assert frame["name"][frame["on"] == "documents"].tolist() == [
        "P", "R", "Success", "RR", "Rprec", "AP", "Q", "nDCG", "RBP", "ERR", "nERR", "bpref", "bpref_R", "bpref_N",
        "infAP", "Judged",
    ]  # fmt: skip
    assert frame["name"][frame["on"] == "elements"].tolist() == [
        "inex2002", "inexNG", "nxCG", "MAnxCG", "nxCGpercent", "MAep", "iMAep", "xQ", "xR", "HiXP", "HiXR", "HiXF",
    ]  # fmt: skip
    assert set(frame["on"]) == {"documents", "elements", "passages"}
    assert frame["summary"].str.len().gt(10).all()
    usage = dict(zip(frame["name"], frame["usage"], strict=True))
    assert usage["P"] == "P(judged_only=False, rel=1)@k"
    assert usage["nDCG"] == "nDCG(a=…, gains=linear, judged_only=False)[@k]"
    assert usage["MAnxCG"] == "MAnxCG(alpha=1.0, normalise=True, quant=gen, task=focused, tie=deeper)@k"


def test_extending_a_registry_leaves_it_as_it_was():
    """A registry is a value; the decorator changes nothing global."""
    spec = metric(half)
    assert "half" not in BUILTIN
    extended = BUILTIN.extend(spec)
    assert "half" in extended
    assert "half" not in BUILTIN
    assert len(extended) == len(BUILTIN) + 1
    assert extended["half"] is spec
    with pytest.raises(UnknownNameError, match="no metric 'hafl'; did you mean 'half'"):
        extended["hafl"]
    with pytest.raises(InvalidOptionError, match=r"'half' is registered already.*replace=True"):
        extended.extend(spec)
    assert extended.extend(spec, replace=True)["half"] is spec
    with pytest.raises(InvalidOptionError, match="stands twice among the metrics"):
        Registry([spec, spec])
    with pytest.raises(InvalidOptionError, match=r"takes metrics .* not 'AP'"):
        BUILTIN.extend("AP")


def test_names_that_differ_in_case_only_are_told_apart():
    """Case is ignored only where that is unique."""
    registry = Registry([metric(name="Gain")(half), metric(name="gain")(half)])
    assert registry.resolve("Gain").name == "Gain"
    assert registry.resolve("gain").name == "gain"
    with pytest.raises(UnknownNameError):
        registry.resolve("GAIN")


def test_a_quantisation_of_ones_own_is_used_by_name():
    """gains= takes registered functions with parameters."""

    def power(levels, *, by: float = 2.0):
        """Level to a power."""
        return levels.astype(float) ** by

    registry = BUILTIN.extend(Quantisation("power", power))
    cubic = registry.resolve("nDCG(gains=power(by=3))@5")
    assert cubic.name == "nDCG(gains=power(by=3))@5"
    assert registry.resolve("nDCG(gains=power)@5").name == "nDCG(gains=power(by=2))@5"
    check_metric(cubic, registry=registry, n_collections=3)


def install(folder, monkeypatch, entry_points, **modules):
    """Lay out an installed distribution, as pip does, and put it on the path."""
    info = folder / "example_plugin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: example-plugin\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[metaeval.metrics]\n" + "\n".join(entry_points) + "\n")
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text)
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(folder)


def test_the_example_package_is_found_when_installed(tmp_path, monkeypatch):
    """Its entry point makes MeanGain a metric like any other, with @k, primes and gains."""
    text = (EXAMPLES / "metaeval_gp.py").read_text()
    install(tmp_path, monkeypatch, ["MeanGain = metaeval_gp:generalised_precision"], metaeval_gp=text)
    assert 'MeanGain = "metaeval_gp:generalised_precision"' in (EXAMPLES / "pyproject.toml").read_text()
    registry = load_plugins(BUILTIN)
    assert set(registry.metrics) - set(BUILTIN.metrics) == {"MeanGain"}
    for name in ("MeanGain@5", "MeanGain(gains=exponential)@3", "MeanGain'@5"):
        check_metric(name, registry=registry, n_collections=5)


def test_broken_plugins_are_named_and_the_rest_works(tmp_path, monkeypatch):
    """One that does not load, one whose name is taken, one that is no metric: three warnings, one metric."""
    good = (
        "from metaeval.metrics import metric\n"
        "@metric\ndef good(topic): return 0.0\n"
        "@metric(name='AP')\ndef other(topic): return 0.0\n"
    )
    entries = ["a = raises:x", "b = fine:other", "c = fine:number", "d = fine:both"]
    install(
        tmp_path, monkeypatch, entries, raises="raise RuntimeError('no')", fine=good + "number = 3\nboth = [good]\n"
    )
    with pytest.warns(PluginWarning) as caught:
        registry = load_plugins(BUILTIN)
    texts = [str(one.message) for one in caught]
    assert len(texts) == 3
    assert "entry point a = raises:x of example-plugin could not be loaded: RuntimeError('no')" in texts[0]
    assert "b = fine:other" in texts[1]
    assert "'AP' is registered already" in texts[1]
    assert "c = fine:number" in texts[2]
    assert "not 3" in texts[2]
    assert set(registry.metrics) - set(BUILTIN.metrics) == {"good"}
    assert registry["AP"] is BUILTIN["AP"]


def test_the_example_file_is_a_plugin():
    """One file, one function, twenty lines at most."""
    file = EXAMPLES / "top_recall.py"
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
        ("1 / 0", "does not run: ZeroDivisionError"),
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


def test_metrics_are_found_in_any_registry_that_is_passed():
    """resolve_metrics and scoring look where they are told."""
    from metaeval.collection.documents import collection_from_rankings  # noqa: PLC0415

    registry = Registry([metric(half)])
    rankings, qrels = next(made_collections(np.random.default_rng(0), 1))
    assert (metric_values(collection_from_rankings(rankings, qrels), ["half(rel=2)"], registry=registry) == 1).all()
    with pytest.raises(UnknownNameError):
        registry.resolve("bpref_N")
