"""What the page of a power study says of practical equivalence: its numbers are the study's."""

import numpy as np
import pytest

from metaeval.questions.power.page_bayesian import bayesian_methods, bayesian_section, bayesian_sentences
from metaeval.questions.power.study import study_power
from metaeval.table.scores import as_scores


@pytest.fixture(scope="module")
def study():
    """Two metrics, with a region for each: one in which most is decided, one in which nothing is."""
    generator = np.random.default_rng(1)
    clear = np.repeat([[0.1], [0.5], [0.9]], 40, axis=1) + generator.normal(0, 0.01, (3, 40))
    scores = as_scores(np.stack([clear, generator.normal(0, 1, (3, 40))]), metrics=["AP", "RR"])
    return study_power(scores, tests=["t"], corrections=["none"], rope={"AP": 0.05, "RR": 0.2}, rng=0)


def test_the_sentence_speaks_of_the_metric_with_most_decided_pairs(study):
    """It names the width of its region, and its three counts are all pairs."""
    (words,) = bayesian_sentences(study)
    assert words.startswith("Under AP, where most pairs are decided, one system is better by more than 0.05 in 3 of 3 ")
    assert words.endswith("practically equal are none, undecided none.")


def test_the_table_holds_what_the_study_decided(study):
    """Counts and shares by metric, beside what the tests find, and the picture says the same in words."""
    (section,) = bayesian_section(study)
    picture, words, table = section.blocks
    assert words.paragraphs == tuple(bayesian_sentences(study))
    decided = study.bayesian.discriminative_power(0.95).set_index("metric")
    for row in table.frame.itertuples():
        own = decided.loc[row.metric]
        assert (row.n_apart, row.n_equivalent, row.n_undecided) == (own.n_apart, own.n_equivalent, own.n_undecided)
        assert row.region == {"AP": "±0.05", "RR": "±0.2"}[row.metric]
        assert f"{row.metric}: {row.n_apart} better, {row.n_equivalent} practically equal" in picture.alt
    assert table.frame["t none"].tolist() == study.comparisons[0].discriminative_power()["n_significant"].tolist()
    assert picture.draw().axes


def test_methods_tell_every_region_and_nothing_is_said_without_one(study):
    """Widths by metric; a study without a region has no section, no sentence and no methods."""
    (words,) = [one for one in bayesian_methods(study) if "practical equivalence" in one]
    assert "of 0.05 for AP and 0.2 for RR on either side" in words
    without = study_power(study.scores, tests=["t"], corrections=["none"], rng=0)
    assert (bayesian_section(without), bayesian_sentences(without), bayesian_methods(without)) == ([], [], [])
