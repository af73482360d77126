"""What tests of several studies are made of."""

import numpy as np
import pytest

from metaeval.collection.assembly import collection_from_rankings


def _graded_collection(grades=(0, 1, 2, 3), *, n_systems=6, n_topics=15):
    """Six runs over twenty documents a topic, better ones sorting documents more by their grade."""
    generator = np.random.default_rng(4)
    qrels = {
        str(topic): {f"d{number}": int(generator.choice(grades)) for number in range(20)} for topic in range(n_topics)
    }
    runs = {
        f"run{system}": {
            topic: sorted(levels, key=lambda name: -levels[name] * 0.3 * system - generator.random())
            for topic, levels in qrels.items()
        }
        for system in range(n_systems)
    }
    return collection_from_rankings(runs, qrels)


@pytest.fixture(scope="session")
def graded():
    """Return a function that makes a small collection with grades of one's own."""
    return _graded_collection
