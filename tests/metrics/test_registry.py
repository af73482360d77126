"""Registries: values that are extended and passed on, never changed in place."""

import numpy as np
import pytest

from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.metrics import BUILTIN, Quantisation, RankedTopic, Registry, metric, metric_values
from metaeval.testing import check_metric, simulated_collections


def half(_: RankedTopic, *, rel: int = 1) -> float:
    """One half."""
    return rel / 2


def test_the_built_in_measures_are_a_table_in_teaching_order():
    """The registry can be read, and every entry says what it is."""
    frame = BUILTIN.to_frame()
    assert frame["name"][frame["on"] == "documents"].tolist() == [
        "P", "R", "Success", "RR", "Rprec", "AP", "Q", "nDCG", "RBP", "ERR", "nERR", "bpref", "bpref_R", "bpref_N",
        "infAP", "Compat", "SDCG", "INSQ", "INST", "BPM", "NERR8", "NERR9", "NERR10", "NERR11",
        "alpha_DCG", "alpha_nDCG", "ERR_IA", "nERR_IA", "NRBP", "nNRBP", "AP_IA", "P_IA", "StRecall",
        "D_nDCG", "Dsharp_nDCG", "Judged",
    ]  # fmt: skip
    assert frame["name"][frame["on"] == "elements"].tolist() == [
        "inex2002", "inexNG", "nxCG", "MAnxCG", "nxCGpercent", "MAep", "iMAep", "xQ", "xR", "HiXP", "HiXR", "HiXF",
    ]  # fmt: skip
    assert set(frame["on"]) == {"documents", "elements", "passages"}
    assert frame["summary"].str.len().gt(10).all()
    usage = dict(zip(frame["name"], frame["usage"], strict=True))
    assert usage["P"] == "P(judged_only=False, rel=1)@k"
    assert usage["nDCG"] == "nDCG(a=…, gains=linear, judged_only=False)[@k]"
    assert usage["MAnxCG"] == "MAnxCG(alpha=1.0, normalise=True, quant=gen, task=runs, tie=deeper)@k"


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
    with pytest.raises(InvalidOptionError, match=r"'half' is registered already.*`replace=True`"):
        extended.extend(spec)
    assert extended.extend(spec, replace=True)["half"] is spec
    with pytest.raises(InvalidOptionError, match="appears twice among the metrics"):
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


def test_metrics_are_found_in_any_registry_that_is_passed():
    """resolve_metrics and scoring look where they are told."""
    from metaeval.collection.assembly import collection_from_rankings  # noqa: PLC0415

    registry = Registry([metric(half)])
    rankings, qrels = next(simulated_collections(np.random.default_rng(0), 1))
    assert (metric_values(collection_from_rankings(rankings, qrels), ["half(rel=2)"], registry=registry) == 1).all()
    with pytest.raises(UnknownNameError):
        registry.resolve("bpref_N")
