"""Labels of turns, by prompts, with failures: what names items and judges, and what is no label."""

import numpy as np
import pandas as pd
import pytest

from metaeval.agreement import as_labels
from metaeval.agreement.label_agreement import compare_labels
from metaeval.base.label_words import failures_among
from metaeval.errors import FileFormatError
from metaeval.inex.judges import read_judges
from metaeval.io.labels import read_labels


def written(tmp_path, frame, name="labels.csv"):
    """Write a table and return its path."""
    path = tmp_path / name
    frame.to_csv(path, index=False)
    return path


def kappa(first, second):
    """Return Cohen's kappa of two columns of 0 and 1, by hand."""
    first, second = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    same, chance = (first == second).mean(), first.mean() * second.mean() + (1 - first.mean()) * (1 - second.mean())
    return (same - chance) / (1 - chance)


@pytest.mark.parametrize(
    ("whole", "part"),
    [
        ("conversation_id", "turn"),
        ("Conversation", "turn"),
        ("dialogue", "turn_id"),
        ("thread", "message"),
        ("session", "step"),
        ("document", "sentence"),
        ("doc", "segment"),
    ],
)
def test_turns_of_a_conversation_are_drawn_together(tmp_path, whole, part):
    """Who says the same of all turns of a conversation gives as wide an interval as one label a conversation does."""
    rng = np.random.default_rng(4)
    human = np.repeat(rng.integers(0, 2, 20), 6)
    judge = np.repeat(np.where(rng.random(20) < 0.8, human[::6], 1 - human[::6]), 6)
    names = {whole: np.repeat([f"c{at}" for at in range(20)], 6), part: np.tile(np.arange(1, 7), 20)}
    path = written(tmp_path, pd.DataFrame({**names, "human": human, "gpt": judge}))
    labels = as_labels(read_labels(path))
    assert (labels.by_item, len(labels.topics), len(labels.table)) == (False, 20, 120)
    assert any(f"{part!r} within {whole!r}" in note for note in labels.notes)
    found = compare_labels(labels, reference="human", rng=0).pairs.iloc[0]
    once = as_labels(pd.DataFrame({"human": human[::6], "gpt": judge[::6]}, index=[f"c{at}" for at in range(20)]))
    of_once = compare_labels(once, reference="human", rng=0).pairs.iloc[0]
    assert found["kappa"] == pytest.approx(kappa(human, judge))
    assert found["same_high"] - found["same_low"] > 0.8 * (of_once["same_high"] - of_once["same_low"])


def test_documents_of_topics_stay_items(tmp_path):
    """A topic is what is drawn where one is named, and a document with one row stays an item."""
    frame = pd.DataFrame({"topic": [1, 1, 2, 2], "doc": [*"abab"], "ann": [0, 1, 1, 0], "ben": [0, 1, 0, 0]})
    assert read_labels(written(tmp_path, frame)).index.tolist() == [("1", "a"), ("1", "b"), ("2", "a"), ("2", "b")]
    alone = frame.assign(doc=[*"abcd"], segment=1).drop(columns="topic")
    assert read_labels(written(tmp_path, alone)).index.nlevels == 1


def test_a_row_without_a_turn_names_the_column(tmp_path):
    """An item that is empty is told with the name of its column."""
    frame = pd.DataFrame({"conversation": [*"aab"], "turn": ["1", "2", ""], "ann": [0, 1, 1], "ben": [0, 1, 0]})
    with pytest.raises(FileFormatError, match=r"line 4: the item is empty \(column 'turn'\)"):
        read_labels(written(tmp_path, frame))


def prompted(*, people):
    """Return labels of one model by two prompts, and those of people, who have none."""
    rng, items = np.random.default_rng(2), [f"q{at}" for at in range(40)]
    parts = [("gpt-4", prompt, rng.integers(0, 2, 40)) for prompt in ("v1", "v2")]
    parts += [("human", "", rng.integers(0, 2, 40))] * people
    rows = [
        (item, judge, prompt, label) for judge, prompt, said in parts for item, label in zip(items, said, strict=True)
    ]
    return pd.DataFrame(rows, columns=["item", "judge", "prompt", "label"]), {
        f"{judge} {prompt}".strip(): said.tolist() for judge, prompt, said in parts
    }


@pytest.mark.parametrize("people", [False, True])
@pytest.mark.parametrize("columns", [None, {"judge": "judge,prompt"}])
def test_a_judge_under_each_of_its_prompts_is_a_judge(tmp_path, people, columns):
    """Of one model with two prompts there are two judges; people have no prompt."""
    frame, said = prompted(people=people)
    labels = read_labels(written(tmp_path, frame), columns=columns)
    assert {name: labels[name].loc[[f"q{at}" for at in range(40)]].tolist() for name in labels} == said


def test_another_column_that_parts_judges_is_offered_as_such(tmp_path):
    """The way out reads what it says: a model by version is a judge."""
    frame, said = prompted(people=True)
    path = written(tmp_path, frame.rename(columns={"prompt": "prompt_version"}))
    with pytest.raises(FileFormatError, match=r"columns={'judge': 'judge,prompt_version'}"):
        read_labels(path)
    assert {*read_labels(path, columns={"judge": "judge,prompt_version"})} == {*said}


def test_prompts_with_responses_of_their_own_stay_topics(tmp_path):
    """Many prompts with a few numbered responses each are topics."""
    rows = [(f"p{at}", number, judge, (at + number) % 2) for at in range(12) for number in (1, 2) for judge in "ab"]
    frame = pd.DataFrame(rows, columns=["prompt", "response", "judge", "label"])
    labels = read_labels(written(tmp_path, frame))
    assert (labels.index.names, labels.shape) == (["topic", "item"], (24, 2))


@pytest.mark.parametrize("word", ["parse_error", "ERROR", "invalid", "refused"])
@pytest.mark.parametrize("in_memory", [False, True])
def test_a_word_for_no_label_that_one_judge_says_is_no_label(tmp_path, word, in_memory):
    """Kappa is that of the other items, and the note says how the word becomes a label."""
    rng = np.random.default_rng(7)
    human = rng.integers(0, 2, 60)
    judge = np.where(rng.random(60) < 0.8, human, 1 - human)
    failed = rng.random(60) < 0.2
    names = np.array(["no", "yes"], dtype=object)
    frame = pd.DataFrame({"item": range(60), "human": names[human], "gpt": np.where(failed, word, names[judge])})
    read = frame.set_index("item") if in_memory else read_labels(written(tmp_path, frame))
    labels = as_labels(read)
    found = compare_labels(labels, reference="human", rng=0).pairs.iloc[0]
    assert found["kappa"] == pytest.approx(kappa(human[~failed], judge[~failed]))
    assert any(f"no label: {word.casefold()} ({failed.sum()})" in note for note in labels.notes)
    kept = read_labels(written(tmp_path, frame), words={word: "label"})
    assert kept["gpt"].notna().all()


@pytest.mark.parametrize(
    "said",
    [
        {"ann": ["valid", "valid"], "gpt": ["valid", "invalid"]},
        {"ann": ["yes", "refused", "no"], "gpt": ["yes", "refused", "no"]},
        {"ann": ["partial", "full"], "gpt": ["none", "partial", "full"]},
        {"ann": ["error"], "gpt": ["fine"]},
    ],
)
def test_words_of_a_scale_or_of_all_judges_are_labels(said):
    """Invalid beside valid, what both say, and a rung of a scale count."""
    assert failures_among(said) == {}


def test_minus_one_that_one_judge_alone_gives_is_asked_about(tmp_path):
    """Both ways out read the file; one leaves the labels out."""
    frame = pd.DataFrame({"item": range(40), "human": [0, 1] * 20, "gpt": [0, 1, 1, -1] * 10})
    path = written(tmp_path, frame)
    with pytest.raises(FileFormatError, match=r"-1 .10 times., which 'gpt' alone gives"):
        read_labels(path)
    assert read_labels(path, words={"-1": "none"})["gpt"].notna().sum() == 30
    assert (read_labels(path, words={"-1": -1})["gpt"] == -1).sum() == 10


def test_words_beside_human_numbers_under_llm_are_labels(tmp_path):
    """A column llm of good and bad is no column of systems; the way out gives kappa 1."""
    human = [0, 3, 1, 2] * 5
    words = ["poor", "excellent", "fair", "good"] * 5
    path = written(tmp_path, pd.DataFrame({"item": range(20), "human": human, "llm": words}))
    with pytest.raises(FileFormatError, match="'llm', left out, holds words beside labels that are numbers"):
        read_judges(path)
    graded = {"poor": 0, "fair": 1, "good": 2, "excellent": 3}
    found = compare_labels(as_labels(read_judges(path, words=graded).labels), reference="human", rng=0)
    assert found.pairs["quadratic_kappa"].item() == pytest.approx(1.0)
