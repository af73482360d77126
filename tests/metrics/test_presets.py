"""Presets: what they stand for, and that they stand wherever metrics are named."""

import pytest

from metaeval.collection.assembly import collection_from_rankings
from metaeval.errors import UnknownNameError
from metaeval.metrics import PRESETS, metric_values, resolve_metrics

RUNS = {"a": {"1": ["s", "x", "b", "u"]}, "b": {"1": ["b", "a", "u", "s"]}}
QRELS = {"1": {"s": 3, "a": 2, "b": 1, "x": 0}}


def test_sakai_kando_are_the_ten_metrics_of_the_paper():
    """Section 3: Q, AP, nDCG (a = 2, l = 1000), their condensed variants, bpref_R, RBP with p = .95, .8 and .5."""
    names = [one.name for one in resolve_metrics("sakai-kando")]
    assert len(names) == 10
    assert sum("judged_only=True" in name for name in names) == 3
    assert {"Q", "AP", "bpref_R", "RBP(p=0.95)", "RBP(p=0.8)", "RBP(p=0.5)", "nDCG(a=2)@1000"} <= set(names)


def test_gains_are_those_of_the_paper_for_ntcir_and_for_trec():
    """RBP of a single document at rank 1: 3, 2 and 1 thirds for S, A and B; with two levels 3 and 1 thirds."""
    for name, shares in (("sakai-kando", {3: 1, 2: 2 / 3, 1: 1 / 3}), ("sakai-kando-trec", {2: 1, 1: 1 / 3})):
        for level, share in shares.items():
            collection = collection_from_rankings({"a": {"1": ["d"]}}, {"1": {"d": level, "top": max(shares)}})
            found = dict(zip([one.name for one in resolve_metrics(name)], metric_values(collection, name), strict=True))
            (half,) = [values for key, values in found.items() if key.startswith("RBP(") and "p=0.5" in key]
            assert half.item() == pytest.approx(0.5 * share)


def test_a_preset_stands_among_other_names_and_ignores_case():
    """Presets mix with metrics; what appears twice is computed once."""
    assert [one.name for one in resolve_metrics(["P@10", "Sakai-Kando", "AP"])][:2] == ["P@10", "Q"]
    assert len(resolve_metrics(["P@10", "Sakai-Kando", "AP"])) == 11
    collection = collection_from_rankings(RUNS, QRELS)
    assert (metric_values(collection, "sakai-kando") == metric_values(collection, PRESETS["sakai-kando"].metrics)).all()


def test_a_preset_that_there_is_not_is_an_unknown_metric():
    """The message is that of a metric."""
    with pytest.raises(UnknownNameError, match="sakai-kanda"):
        resolve_metrics("sakai-kanda")
