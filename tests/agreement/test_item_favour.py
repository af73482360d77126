"""Does a judge favour items with more of a covariate? Against least squares by hand, and judges without favour."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from metaeval import as_scores, study_judges
from metaeval.agreement import as_labels, favoured_items
from metaeval.agreement.runs_under_judges import labels_of_scores
from metaeval.errors import InvalidOptionError, ScoresError

SYSTEMS = [f"s{number}" for number in range(6)]


def _table(gain=0.0, n_questions=40, seed=5):
    """Return labels of a judge that saturates, and lengths that go with quality."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=(n_questions, 1)) + rng.normal(size=(n_questions, len(SYSTEMS)))
    length = quality + rng.normal(size=quality.shape)
    human = np.digitize(quality, [-1.0, 0.0, 1.0])
    judge = np.clip(np.rint(1.4 * np.minimum(human, 2) + rng.normal(0, 0.5, quality.shape) + gain * length), 0, 4)
    rows = [
        (f"q{question}", system, judge_name, labels[question, place])
        for judge_name, labels in (("human", human), ("judge", judge))
        for question in range(n_questions)
        for place, system in enumerate(SYSTEMS)
    ]
    lengths = {
        f"q{question}::{system}": length[question, place]
        for question in range(n_questions)
        for place, system in enumerate(SYSTEMS)
    }
    return as_labels(pd.DataFrame(rows, columns=["item", "system", "judge", "label"])), lengths


def _by_hand(labels, covariate):
    """Least squares with a level a label of the reference, refitted without each cluster, one by one."""
    names = [item for _, item in labels.table.index]
    values = np.array([covariate[name] for name in names])
    values = values / values.std(ddof=1)
    human, judge = labels.table.to_numpy(dtype=float).T
    design = np.column_stack([values, *(human == level for level in np.unique(human))]).astype(float)

    def slope(kept):
        return np.linalg.lstsq(design[kept], (judge - human)[kept])[0][0]

    whole = slope(np.ones(len(names), dtype=bool))
    variances = []
    for part in (0, 1, None):
        clusters = np.array(names if part is None else [name.split("::")[part] for name in names])
        left_out = np.array([slope(clusters != cluster) for cluster in np.unique(clusters)])
        g = len(left_out)
        variances.append((g - 1) / g * ((left_out - whole) ** 2).sum())
    return whole, max(variances[0] + variances[1] - variances[2], *variances[:2])


def test_the_slope_by_hand():
    """The slope and its jackknifed error are those of least squares, refitted without each question and system."""
    labels, lengths = _table(gain=0.3)
    row = favoured_items(labels, lengths, reference="human").table.iloc[0]
    slope, variance = _by_hand(labels, lengths)
    assert row["slope"] == pytest.approx(slope, abs=1e-7)
    half = 2.5705818366147395 * variance**0.5  # Student's t with 5 degrees of freedom, from its table
    assert [row["low"], row["high"]] == pytest.approx([slope - half, slope + half], abs=1e-6)
    assert row["low"] > 0


def test_a_judge_that_saturates():
    """Where long answers are good ones, a judge that stops at good is found biased at no more than .06 of the time."""
    p_values = [favoured_items(*_table(seed=seed), reference="human").table["p"].iloc[0] for seed in range(40)]
    assert np.mean(np.array(p_values) <= 0.05) <= 0.06 + 2 * (0.05 * 0.95 / 40) ** 0.5


def _of_taste(seed, n_systems=6, *, by="item"):
    """Return labels of a judge with a taste for systems, whatever their lengths: each has one, drawn beside it."""
    rng = np.random.default_rng(seed)
    names = [f"m{place}" for place in range(n_systems)]
    lengths = dict(zip(names, rng.integers(80, 600, n_systems).tolist(), strict=True))
    human = rng.integers(1, 6, (40, n_systems))
    judge = np.clip(np.rint(human + rng.normal(0, 0.5, n_systems) + rng.normal(0, 0.5, human.shape)), 1, 5)
    place = [(question, system) for question in range(40) for system in range(n_systems)]
    frame = pd.DataFrame(
        {
            "question": [f"q{question}" for question, _ in place],
            "system": [names[system] for _, system in place],
            "item": [f"q{question}-{system}" for question, system in place],
            "human": human.ravel(),
            "gpt": judge.ravel(),
        }
    )
    if by == "scores":
        given = {
            name: as_scores(labels.T.astype(float), systems=names)
            for name, labels in (("human", human), ("gpt", judge))
        }
        return labels_of_scores({"score": given}), lengths
    labels = as_labels(frame.drop(columns="question" if by == "item" else "item"))
    names = frame["item"] if by == "item" else frame["question"] + "::" + frame["system"]
    return labels, dict(zip(names, frame["system"].map(lengths), strict=True))


@pytest.mark.parametrize("by", ["scores", "item", "names"])
def test_a_taste_for_systems_is_no_taste_for_their_lengths(by):
    """A covariate of six systems, however labels know them: over systems, false alarms are as rare as they claim."""
    n_sets = 40 if by == "scores" else 3
    found = [favoured_items(*_of_taste(seed, by=by), reference="human").table.iloc[0] for seed in range(n_sets)]
    assert {row["n_systems"] for row in found} == {6}
    assert {row["n_labels"] for row in found} == {240}
    assert np.mean([row["p"] <= 0.05 for row in found]) <= 0.06 + 2 * (0.05 * 0.95 / 40) ** 0.5


@pytest.mark.parametrize("n_systems", [2, 4])
def test_few_systems_give_no_slope(n_systems):
    """Answers of one system hang together, and four systems say too little of others."""
    with pytest.raises(ScoresError, match=f"takes 5 systems or more, not {n_systems}"):
        favoured_items(*_of_taste(0, n_systems, by="scores"), reference="human")


def test_scores_read_as_labels_know_their_questions():
    """Jackknifed over questions and systems, as the same labels with both in the names of items."""
    labels, lengths = _of_taste(1, by="scores")
    rows = favoured_items(labels, lengths, reference="human").table
    index = labels.table.index.map("::".join)
    table = labels.table.set_axis(pd.MultiIndex.from_product([["1"], index], names=["topic", "item"]))
    named = replace(labels, table=table, by_item=True, system_part=1, system_of=None)
    by_name = {item: lengths[item.split("::")[1]] for item in index}
    pd.testing.assert_frame_equal(favoured_items(named, by_name, reference="human").table, rows)
    slope, variance = _by_hand(named, by_name)
    assert rows["slope"].item() == pytest.approx(slope, abs=1e-7)
    assert rows["high"].item() == pytest.approx(slope + 2.5705818366147395 * variance**0.5, abs=1e-6)


def test_many_different_labels():
    """A judge whose labels are a curve of the reference's own, a number, has no slope on what goes with quality."""
    rng = np.random.default_rng(1)
    quality = np.round(rng.normal(size=600), 3)
    said = {"human": quality, "judge": np.tanh(quality)}
    labels = as_labels({name: {"q": dict(enumerate(values.tolist()))} for name, values in said.items()}, real=True)
    length = {str(item): float(value) for item, value in enumerate(quality + rng.normal(size=600))}
    assert abs(favoured_items(labels, length, reference="human").table["slope"].iloc[0]) < 0.01


def test_names_of_questions_and_people():
    """A number for every question serves all its answers; a second person of the same labels has the same slope."""
    labels, _ = _table(gain=0.3)
    table = labels.table.assign(ann=labels.table["judge"])
    labels = replace(labels, table=table)
    lengths = {f"q{number}": float(number % 7) for number in range(40)}
    found = favoured_items(labels, lengths, reference="human", people=["ann"]).table.set_index("judge")
    assert found.loc["judge", ["n_items", "n_systems"]].tolist() == [40, len(SYSTEMS)]
    assert found.loc["judge", ["beyond_people", "beyond_low", "beyond_high"]].tolist() == [0.0, 0.0, 0.0]
    assert found.loc["judge", "slope"] == found.loc["ann", "slope"]


@pytest.mark.parametrize(
    ("covariate", "message"),
    [({"q0": 1.0}, "must have a number for most"), ({f"q{n}": 1.0 for n in range(40)}, "must differ")],
)
def test_a_covariate_that_says_nothing(covariate, message):
    """Numbers for few items, or one number for all, are refused."""
    with pytest.raises(InvalidOptionError, match=message):
        favoured_items(_table()[0], covariate, reference="human")


def test_few_items():
    """Three items make no slope."""
    labels = as_labels({name: {"q": {"a": 1, "b": 0, "c": 1}} for name in ("human", "judge")})
    with pytest.raises(ScoresError, match="shares 3 items"):
        favoured_items(labels, {"a": 1, "b": 2, "c": 3}, reference="human")


WORDS = np.random.default_rng(1).integers(50, 250, 40)
PLAIN = as_labels({"human": [0, 1, 2, 3] * 10, "judge": [0, 1, 3, 3] * 10})
BY_ITEM = {str(item): int(number) for item, number in enumerate(WORDS)}


def test_a_covariate_is_said_by_name_in_a_mapping_or_a_series():
    """A series is taken by its index, whatever its order."""
    expected = favoured_items(PLAIN, BY_ITEM, reference="human").table["slope"].item()
    series = pd.Series(BY_ITEM).sort_values()
    assert favoured_items(PLAIN, series, reference="human").table["slope"].item() == expected
    assert (
        favoured_items(PLAIN, dict(zip(BY_ITEM, WORDS, strict=True)), reference="human").table["slope"].item()
        == expected
    )


@pytest.mark.parametrize(
    ("covariate", "says"),
    [
        (
            WORDS,
            r"must be a mapping by name, such as \{'0': 120\}, not a ndarray.*dict\(zip\(names, values",
        ),
        ("length", "must be a mapping by name"),
        (
            pd.Series(WORDS, [f"p{item}" for item in range(40)]),
            r"number for most of the 40 items .*lacks 40, .*it has 'p0'",
        ),
        (
            dict.fromkeys(BY_ITEM, "ox " * 200),
            r"for '0' it is 'ox ox .*characters\); of texts pass \{item: len\(text\)",
        ),
    ],
    ids=["an array", "a column", "another index", "texts"],
)
def test_a_covariate_without_names_or_numbers_is_refused_with_a_way_out(covariate, says):
    """What is wrong is said as it is, in few words."""
    with pytest.raises(InvalidOptionError, match=says) as caught:
        favoured_items(PLAIN, covariate, reference="human")
    assert len(str(caught.value)) <= 600


def test_numbers_that_name_no_item_are_not_taken_for_those_of_a_topic():
    """Items without topics have none called 1: an index from 0 on names no item i0."""
    labels = as_labels(
        {name: dict(zip([f"i{at}" for at in range(40)], PLAIN.table[name], strict=True)) for name in PLAIN.judges}
    )
    with pytest.raises(InvalidOptionError, match="lacks 40, such as 'i0'; it has '0', '1'"):
        favoured_items(labels, pd.Series(WORDS), reference="human")


def test_numbers_of_answers_within_topics_are_found_by_both_names():
    """Systems answer in every topic: a covariate by topic and answer is not that of the topic's first answer."""
    rows = [(f"t{t}", s, (t + at) % 3, (t * at) % 5) for t in range(20) for at, s in enumerate("abc")]
    labels = as_labels(
        {
            "human": {f"t{t}": {s: one for topic, s, one, _ in rows if topic == f"t{t}"} for t in range(20)},
            "judge": {f"t{t}": {s: one + more for topic, s, one, more in rows if topic == f"t{t}"} for t in range(20)},
        }
    )
    found = favoured_items(labels, {f"{t}::{s}": more for t, s, _, more in rows}, reference="human")
    assert found.table["slope_per_unit"].item() == pytest.approx(1.0)


def test_a_covariate_of_nobody_is_not_dropped():
    """Its names are neither of items nor of systems: the question is open, with the reason."""
    labels, lengths = _table()
    study = study_judges(labels, reference="human", covariate={f"x-{name}": 1.0 for name in lengths}, n_resamples=20)
    assert "names no item and no system, but 'x-q0::s0'" in study.unanswered["Bias towards more covariate"]
