"""Judges of systems that answered every item several times."""

import numpy as np
import pandas as pd
import pytest

from metaeval import as_scores
from metaeval.agreement.runs_under_judges import labels_of_scores
from metaeval.io.judge_scores import frame_of_answers, labels_of_one_system
from metaeval.questions.judges.study import study_judges


def kappa(first, second):
    """Return Cohen's kappa of two arrays of 0 and 1, by hand."""
    same, chance = (first == second).mean(), first.mean() * second.mean() + (1 - first.mean()) * (1 - second.mean())
    return (same - chance) / (1 - chance)


@pytest.fixture
def said():
    """Return what people and a judge said of each answer. Shape (system, topic, repeat)."""
    rng = np.random.default_rng(5)
    human = rng.integers(0, 2, (3, 30, 2))
    return human, np.where(rng.random(human.shape) < 0.85, human, 1 - human)


def scores_of(values):
    """Return scores with repeats."""
    names = [f"q{at}" for at in range(values.shape[1])]
    index = pd.MultiIndex.from_product(
        [[*"abc"[: len(values)]], names, range(1, values.shape[2] + 1)], names=["system", "topic", "repeat"]
    )
    return as_scores(pd.Series(values.ravel().astype(float), index=index, name="score").reset_index(), fewest=1)


def test_every_answer_counts_as_one_label(said):
    """Kappa is that of all answers; items stay what is drawn."""
    human, judge = said
    study = study_judges(
        scores={"score": {"human": scores_of(human), "gpt": scores_of(judge)}},
        reference="human",
        n_resamples=50,
        rng=0,
    )
    found = study.labelling.agreement.pairs.iloc[0]
    assert found["kappa"] == pytest.approx(kappa(human.ravel(), judge.ravel()))
    assert (len(study.labelling.labels.table), len(study.labelling.labels.topics)) == (180, 30)
    assert set(study.labelling.labels.systems.values()) == {*"abc"}


def test_answers_of_one_system_are_labels_of_its_topics(said):
    """One log of a model with two epochs: two labels an item of each judge."""
    human, judge = (values[:1] for values in said)
    frame = labels_of_one_system({"score": {"human": scores_of(human), "gpt": scores_of(judge)}})
    assert kappa(frame["human"].to_numpy(), frame["gpt"].to_numpy()) == pytest.approx(
        kappa(human.ravel(), judge.ravel())
    )
    assert frame.index.unique("topic").size == 30


def test_repeats_of_one_judge_alone_are_a_mean(said):
    """Where people judged once, the judge's passes are one number an answer, and no label if they differ."""
    human, judge = said
    sides = {"human": scores_of(human[:, :, :1]), "gpt": scores_of(judge)}
    frame = frame_of_answers(sides)
    assert len(frame) == 90
    assert frame.loc[("q3", "b"), "gpt"] == judge[1, 3].mean()
    assert labels_of_scores({"score": sides}) is None
