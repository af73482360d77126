"""Whether a pool of some size is enough: against SciPy on rewritten qrels."""

import numpy as np
import pytest
from scipy.stats import ttest_rel

from metaeval.collection.assembly import collection_from_rankings
from metaeval.metrics import metric_values
from metaeval.resampling.pool_depths import entry_depths, pooled_systems
from metaeval.resampling.sufficiency import VERDICTS, pool_sufficiency
from metaeval.simulate.collection import simulate_collection


@pytest.fixture(scope="module")
def made():
    """Give a made collection of five groups of three runs, of which the first two are pooled at depth 8."""
    return simulate_collection(
        n_groups=5, runs_per_group=3, n_topics=12, n_documents=200, depth=80, pool_depth=8, rng=3
    )


@pytest.fixture(scope="module")
def collection(made):
    """Give it compiled, with every retrieved document."""
    return made.to_collection(retrieved="all")


def verdict(first, second):
    if np.array_equal(first, second):
        return "similar"
    if ttest_rel(first, second).pvalue > 0.05:
        return "similar"
    return "better" if first.mean() > second.mean() else "worse"


def test_sufficiency_is_what_scipy_says_of_rewritten_qrels(made, collection):
    """`same` and the 3 x 3 tables, from pools built of the other groups' lists and SciPy's t tests."""
    names = ["AP", "P@10"]
    found = pool_sufficiency(collection, names, sizes=[15, 40])
    full = metric_values(collection, names)
    groups = np.array(made.groups)
    n_reversed = 0
    for size in (15, 40):
        same = np.zeros(2)
        other = np.zeros((2, 3, 3))
        for group in sorted(set(made.groups)):
            building = [
                name
                for name, own, one in zip(made.systems, made.groups, made.pooled, strict=True)
                if one and own != group
            ]
            entries = entry_depths(collection, pooled_systems(collection, building))
            inside = entries.within(entries.depth_of_size(np.full(collection.n_topics, size)))[: collection.n_judgments]
            left = metric_values(collection.rejudge(np.where(inside, collection.levels, -1)), names)
            for metric in range(2):
                for mine in np.flatnonzero(groups == group):
                    same[metric] += verdict(full[metric, mine], left[metric, mine]) != "similar"
                    for theirs in np.flatnonzero(groups != group):
                        before = verdict(full[metric, mine], full[metric, theirs])
                        after = verdict(left[metric, mine], left[metric, theirs])
                        other[metric, VERDICTS.index(before), VERDICTS.index(after)] += 1
        np.testing.assert_array_equal(found.counts["same"].sel(size=size), same)
        np.testing.assert_array_equal(found.counts["other"].sel(size=size), other)
        turned = other[:, 0, 2] + other[:, 2, 0]
        kept = np.trace(other, axis1=1, axis2=2)
        np.testing.assert_allclose(found.same().sel(size=size), same / 15)
        np.testing.assert_allclose(found.reversed().sel(size=size), turned / (15 * 12))
        np.testing.assert_allclose(found.changed().sel(size=size), 1 - kept / (15 * 12))
        n_reversed += turned.sum()
    assert found.n_comparisons == 15 * 12
    assert found.to_frame().shape == (4, 5)
    assert found.counts["same"].sum() > 0


def test_a_pool_of_everything_is_sufficient(made):
    """Where the others' pools hold every judged document, no run and no comparison changes."""
    lists = {topic: [f"d{number}" for number in range(8)] for topic in made.topics}
    turned = {topic: names[::-1] for topic, names in lists.items()}
    qrels = {topic: {name: int(name == "d3") for name in names} for topic, names in lists.items()}
    collection = collection_from_rankings({"a": lists, "b": turned}, qrels, retrieved="all")
    found = pool_sufficiency(collection.with_groups({"a": "A", "b": "B"}), ["AP"], sizes=[8])
    assert found.to_frame()[["same", "reversed", "changed"]].to_numpy().tolist() == [[0, 0, 0]]
    assert found.counts["other"].sel(full="better", reduced="better").item() == 1
