"""Columns of numbers that agree with none of the others are asked about, or named with what alpha is without them.

Labels are made here: people see the same thing and err by a grade now and then; a mark, a priority or a careless person
say something drawn apart. So who judges is known, and alpha is that of the judges read alone.
"""

import numpy as np
import pandas as pd
import pytest

from metaeval import as_scores, read_scores
from metaeval.agreement.items import item_scores
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
    with pytest.raises(FileFormatError, match=r"'needs_attention' .*'judge': 'anna,ben,carla'"):
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


def test_a_judge_whose_scale_is_turned_is_named_so_and_not_left_out(tmp_path):
    """Her labels say what the others' say, from 6 down: turned back all agree."""
    judges = people(1)
    study = study_judges(read(tmp_path, judges | {"carla": 6 - judges["carla"]}), n_resamples=20)
    (note,) = [note for note in study.notes if "'carla'" in note]
    assert note == "'carla' goes against the others, who agree with each other; a scale may be turned"


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


def exact_scores(seed, n_systems=5, n_items=40):
    """Return scores from 0 to 1 with all their digits, of systems (by column) that find the same items hard."""
    rng = np.random.default_rng(seed)
    hard = rng.random((n_items, 1))
    return np.clip(0.7 * hard + 0.3 * rng.random((n_items, n_systems)), 0, 1)


def wide(scores, odd, name):
    """Return a table of systems beside a further column."""
    table = pd.DataFrame(scores, columns=[f"bm25-{at}" for at in range(scores.shape[1])])
    table.insert(0, "topic", [f"q{at}" for at in range(len(table))])
    return table.assign(**{name: odd})


ODD = {
    "is_hard": lambda rng, n: rng.integers(0, 2, n),
    "judge_trust": lambda rng, n: np.round(rng.random(n), 2),
    "toxic": lambda rng, n: np.round(rng.random(n), 1),
}


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("seed", range(3))
def test_what_is_written_otherwise_than_all_systems_is_asked_about(name, seed, tmp_path):
    """Each way that the message offers is followed: without it, and with all."""
    scores = exact_scores(seed)
    table = wide(scores, ODD[name](np.random.default_rng(50 + seed), len(scores)), name)
    path = tmp_path / "scores.csv"
    table.to_csv(path, index=False)
    with pytest.raises(FileFormatError, match=rf"'{name}' .*ignore.*form='wide'"):
        read_scores(path)
    alone = read_scores(path, columns={"ignore": [name]})
    assert alone["system"].to_numpy().tolist() == [column for column in table.columns if column.startswith("bm25")]
    assert read_scores(path, form="wide").sizes["system"] == 6
    frame = table.set_index("topic")
    with pytest.raises(ScoresError, match=rf"'{name}' .*NAME"):
        as_scores(frame)
    assert as_scores({"AP": frame}).sizes["system"] == 6


@pytest.mark.parametrize("seed", range(3))
def test_weak_or_rounded_systems_are_systems(seed, tmp_path):
    """One whose scores say nothing of the items, one that was rounded, and answers of 0 and 1 beside such."""
    rng = np.random.default_rng(70 + seed)
    scores = exact_scores(seed)
    answers = (scores > 0.5).astype(float)
    cases = {
        "weak": (scores, rng.random(len(scores))),
        "rounded": (scores, np.round(scores.mean(axis=1) ** 2, 2)),
        "guessing": (answers, rng.integers(0, 2, len(scores))),
        "half": (np.round(scores, 2), np.round(rng.random(len(scores)), 1)),
    }
    for name, (others, odd) in cases.items():
        path = tmp_path / f"{name}.csv"
        wide(others, odd, name).to_csv(path, index=False)
        assert name in read_scores(path)["system"].to_numpy()


def long(n_systems, n_items, **columns):
    """Return a table with a row a system and item, and further columns of (system, item)."""
    rng = np.random.default_rng(3)
    systems, items = np.divmod(np.arange(n_systems * n_items), n_items)
    names = {"run": [f"run{at}" for at in systems], "topic": [f"q{at}" for at in items]}
    table = {**names, "ndcg": rng.random(len(items)), "P_5": rng.integers(0, 6, len(items)) / 5}
    return pd.DataFrame({**table, **{name: np.asarray(cells).ravel() for name, cells in columns.items()}})


@pytest.mark.parametrize("in_memory", [False, True])
def test_what_belongs_to_an_item_or_a_system_as_a_whole_is_no_metric(in_memory, tmp_path):
    """A mark of 0 and 1 of items, the same in four systems; a mark or number of systems, the same on 20 items."""
    rng = np.random.default_rng(4)
    hard = np.tile(np.arange(20) % 2, (4, 1))
    pooled, layers = (
        np.repeat(np.array(of_system)[:, None], 20, axis=1) for of_system in ([0, 1, 1, 0], [6, 12, 12, 24])
    )
    correct, solved = rng.integers(0, 2, (2, 4, 20))
    solved[0] = 1
    table = long(4, 20, has_picture=hard, is_pooled=pooled, depth_of_net=layers, correct=correct, solved=solved)
    path = tmp_path / "scores.csv"
    table.to_csv(path, index=False)
    scores = as_scores(table) if in_memory else read_scores(path)
    assert sorted(scores["metric"].to_numpy()) == ["P_5", "correct", "ndcg", "solved"]
    said = " ".join(scores.attrs["notes"])
    assert "'has_picture', one number an item, whichever the system" in said
    assert "'is_pooled', 'depth_of_net', one number a system, whatever the item" in said
    every = read_scores(path, metrics=["ndcg", "has_picture", "is_pooled"])
    assert sorted(every["metric"].to_numpy()) == ["has_picture", "is_pooled", "ndcg"]


def test_two_systems_may_have_the_same_answers_right_and_a_few_be_right_throughout(tmp_path):
    """Of two systems, or on few items, such columns are metrics."""
    for n_systems, n_items in ((2, 20), (4, 6)):
        right = np.tile(np.arange(n_items) % 2, (n_systems, 1))
        valid = np.repeat(np.arange(n_systems)[:, None] % 2, n_items, axis=1)
        path = tmp_path / "scores.csv"
        long(n_systems, n_items, correct=right, valid_json=valid).to_csv(path, index=False)
        assert {"correct", "valid_json"} <= {*read_scores(path)["metric"].to_numpy()}


def test_a_rater_who_is_the_human_score_is_no_metric():
    """Nor is the second of two raters, whatever it holds; a judge that agrees on answers of 0 and 1 is one."""
    rng = np.random.default_rng(6)
    human = rng.integers(1, 8, 40) / 10
    frame = long(4, 10).rename(columns={"run": "system", "topic": "item"})
    frame = frame.assign(human=human, rater1=human, rater2=rng.random(40), rouge1=rng.random(40), rouge2=rng.random(40))
    scores = item_scores(frame, reference="human")
    assert sorted(scores["metric"].to_numpy()) == ["P_5", "human", "ndcg", "rouge1", "rouge2"]
    assert "'rater1', the same numbers as 'human'" in " ".join(scores.attrs["notes"])
    judged = frame.drop(columns=["rater1", "rater2"]).assign(human=(human > 0.4) * 1, says_so=(human > 0.4) * 1)
    assert "says_so" in item_scores(judged, reference="human")["metric"].to_numpy()


def test_what_rises_with_no_system_is_named_among_systems():
    """A mark of 0 and 1 beside scores of 0 and 1: the difficulty of items, shared by systems, tells it apart."""
    rng = np.random.default_rng(4)
    difficulty = rng.normal(size=200)
    answers = (difficulty[:, None] + 0.7 * rng.normal(size=(200, 4)) > 0).astype(float)
    frame = pd.DataFrame(answers, columns=["gpt", "llama", "qwen", "mistral"])
    frame.insert(0, "question", [f"q{at}" for at in range(200)])
    assert not any("rises with none" in note for note in as_scores(frame.set_index("question")).attrs.get("notes", []))
    frame["contaminated"] = rng.integers(0, 2, 200)
    notes = as_scores(frame.set_index("question")).attrs["notes"]
    assert any("'contaminated' rises with none of the other systems" in note for note in notes)


def test_an_unknown_word_for_a_metric_is_said_to_rise():
    """Nobody wrote whether more verbosity is better; AP and a score say it."""
    rows = [(system, f"q{at}", 0.1 * at, at % 3) for system in "ab" for at in range(6)]
    notes = as_scores(pd.DataFrame(rows, columns=["system", "topic", "AP", "verbosity"])).attrs["notes"]
    assert [note.partition(",")[0] for note in notes] == ["higher is taken to be better under verbosity"]
    assert notes[0].endswith("pass `higher_is_better={'verbosity': False}` if it is not")
    assert as_scores(pd.DataFrame(rows, columns=["system", "topic", "AP", "my_score"])).attrs.get("notes", []) == []
