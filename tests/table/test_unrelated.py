"""Columns of numbers that agree with none of the others are asked about, or named with what alpha is without them.

Labels are made here: people see the same thing and err by a grade now and then; a mark, a priority or a careless person
say something drawn apart. So who judges is known, and alpha is that of the judges read alone.
"""

import numpy as np
import pandas as pd
import pytest

from metaeval.agreement.labels import as_labels
from metaeval.errors import FileFormatError, ScoresError
from metaeval.io.labels import read_labels
from metaeval.studies import study_judges
from metaeval.table.unrelated import unrelated

N_ITEMS = 60


def people(seed, n_people=3, low=1, high=5):
    """Return grades from `low` to `high` of people who see the same, by name."""
    rng = np.random.default_rng(seed)
    seen = rng.integers(low, high + 1, N_ITEMS)
    erring = rng.integers(-1, 2, (n_people, N_ITEMS)) * (rng.random((n_people, N_ITEMS)) < 0.5)
    names = ["anna", "ben", "carla", "dora"][:n_people]
    return dict(zip(names, np.clip(seen + erring, low, high), strict=True))


def read(folder, cells, **options):
    """Return the labels of a file with these columns."""
    path = folder / "labels.csv"
    pd.DataFrame({"item": [f"d{number}" for number in range(N_ITEMS)], **cells}).to_csv(path, index=False)
    return read_labels(path, **options)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("low", "high"), [(0, 1), (0, 4)])
def test_a_column_on_another_scale_that_agrees_with_nobody_is_asked_about(seed, low, high, tmp_path):
    """The message has the judges without it, which read as they would alone; with it all are read."""
    judges = people(seed)
    odd = np.random.default_rng(99 + seed).integers(low, high + 1, N_ITEMS)
    with pytest.raises(FileFormatError, match="'needs_attention' .*judge=anna,ben,carla|'judge': 'anna,ben,carla'"):
        read(tmp_path, {**judges, "needs_attention": odd})
    alone = read(tmp_path, {**judges, "needs_attention": odd}, columns={"judge": "anna,ben,carla"})
    pd.testing.assert_frame_equal(alone, read(tmp_path, judges), check_like=True)
    every = read(tmp_path, {**judges, "needs_attention": odd}, columns={"judge": "anna,ben,carla,needs_attention"})
    assert every.columns.tolist() == [*judges, "needs_attention"]
    with pytest.raises(ScoresError, match=r"'needs_attention' .*dict\(frame\)"):
        as_labels(pd.DataFrame({**judges, "needs_attention": odd}))
    assert as_labels(dict(pd.DataFrame({**judges, "needs_attention": odd}))).judges == (*judges, "needs_attention")


@pytest.mark.parametrize("seed", range(3))
def test_a_careless_judge_stays_and_is_named_with_alpha_without(seed, tmp_path):
    """On the scale of the others: a bad judge is a finding, and so is what the others are worth."""
    judges = people(seed)
    careless = np.random.default_rng(99 + seed).integers(1, 6, N_ITEMS)
    labels = read(tmp_path, {**judges, "dan": careless})
    assert labels.columns.tolist() == [*judges, "dan"]
    study = study_judges(labels, n_resamples=20)
    (note,) = [note for note in study.notes if "'dan'" in note]
    alone = study_judges(read(tmp_path, judges), n_resamples=20).labelling.agreement.alpha
    expected = alone.set_index("level").loc["ordinal", "alpha"]
    assert f"alpha is {expected:.2f}" in note
    assert "anna,ben,carla" in note


@pytest.mark.parametrize("seed", range(6))
def test_judges_who_agree_are_judges_whatever_grades_they_use(seed, tmp_path):
    """Somebody who says only yes and no of what others grade, or who has a wider scale."""
    judges = people(seed, low=0, high=3)
    seen = judges["anna"]
    others = {"binary": (seen > 1).astype(int), "wide": 3 * seen}
    labels = read(tmp_path, {**judges, **others})
    assert labels.columns.tolist() == [*judges, *others]
    assert not [note for note in study_judges(labels, n_resamples=20).notes if "none of the others" in note]


def test_of_two_columns_nothing_can_be_said(tmp_path):
    """Nor of three of which no two agree, and of few items."""
    rng = np.random.default_rng(5)
    for names in ("ab", "abc"):
        drawn = {name: rng.integers(0, 2 + at, N_ITEMS) for at, name in enumerate(names)}
        assert read(tmp_path, drawn).columns.tolist() == [*names]
    judges = np.array([*people(0).values(), rng.integers(0, 2, N_ITEMS)], dtype=float).T
    assert unrelated(judges) == [3]
    assert unrelated(judges[:8]) == []


@pytest.mark.parametrize("seed", range(5))
def test_real_judges_are_hardly_ever_asked_about(seed, data_folder):
    """LLMJudge 2023: a person and 33 programs on 4,423 documents; a mark drawn apart is found among any of them."""
    table = pd.read_csv(data_folder / "llmjudge-dl23/judgments.csv.gz").drop(columns=["qid", "pid"])
    rng = np.random.default_rng(seed)
    some = table.sample(n=4, axis=1, random_state=seed).sample(n=240, random_state=seed).to_numpy(dtype=float)
    assert unrelated(some) == []
    assert unrelated(np.column_stack([some, rng.integers(0, 2, len(some))])) == [4]
