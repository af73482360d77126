"""One small study, with names that could do harm, shared by the tests of the reports."""

import numpy as np
import pytest

from metaeval.scores import as_scores
from metaeval.studies.power import study_power

HOSTILE = [
    '<script>alert("x")</script>',
    "a & b's $cost$ 100% #1_{x}^~\\",
    "日本語 🙂",
    "../../etc/passwd, and more",
    "twin",
]


def _made_scores(n_metrics=2, n_systems=5, n_topics=20, *, seed=1, **labels):
    generator = np.random.default_rng(seed)
    topic = generator.beta(2, 3, (1, 1, n_topics))
    lift = np.linspace(0, 0.3, n_systems)[None, :, None]
    values = np.clip(topic + lift + generator.normal(0, 0.1, (n_metrics, n_systems, n_topics)), 0, 1)
    return as_scores(values, **labels)


@pytest.fixture(scope="session")
def made_scores():
    """Make scores of systems that get better one by one; keywords say how many, and their names."""
    return _made_scores


@pytest.fixture(scope="session")
def scores():
    """Two metrics, five systems with hostile names, the last two of them the same, twenty topics."""
    table = _made_scores(systems=HOSTILE, metrics=["RBP(p=0.8)/x <b>", "../../etc"])
    table[:, -1] = table[:, -2]
    return table


@pytest.fixture(scope="session")
def study(scores):
    """Sakai's method and the t test, uncorrected and Benjamini-Yekutieli, with intervals."""
    return study_power(scores, tests=["bootstrap_sensitivity", "t"], n_resamples=200, n_topic_resamples=20, rng=0)
