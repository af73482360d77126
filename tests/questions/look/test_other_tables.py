"""Tables beside an evaluation (sheets of multiple choice, curves, predictions, raters) are what they are; by hand."""

import re

import pandas as pd
import pytest

from metaeval.errors import FileFormatError, ScoresError
from metaeval.io.tables import read_scores
from metaeval.questions.look.study import look
from metaeval.table.scores import as_scores


def means_of(path, **options):
    """Return the mean of every system, of one metric."""
    scores = read_scores(path, paired=None, **options)
    over = [dim for dim in ("topic", "repeat") if dim in scores.dims]
    return scores.isel(metric=0).mean(over).to_series().to_dict()


WORDS = ["blue", "river", "nine", "tree", "tall", "bus", "above"]


@pytest.mark.parametrize("letters", ["ABCD", ["option_a", "option_b", "option_c", "option_d"]], ids=["A", "option_a"])
def test_options_of_multiple_choice_are_no_sides_of_votes(tmp_path, letters):
    """As VLMEvalKit writes answers: `hit` says which are right, 12 of 20 by one model and 5 by the other."""
    for model, n_right in (("llava", 12), ("qwen", 5)):
        rows = [
            f"{at},What is in picture {at}?,{','.join(WORDS[(at + 2 * place) % 7] for place in range(len(letters)))},"
            f"{'ABCD'[at % 4]},{int(at < n_right)},Match Log: ok"
            for at in range(20)
        ]
        text = "\n".join([f"index,question,{','.join(letters)},answer,hit,log", *rows]) + "\n"
        (tmp_path / f"{model}.csv").write_text(text)
    found = look(tmp_path)
    assert (found.kind, found.contents.sizes["systems"], found.contents.sizes["items"]) == ("scores", 2, 20)
    assert means_of(tmp_path) == {"llava": 0.6, "qwen": 0.25}


def test_two_options_that_are_new_in_every_row_are_no_systems(tmp_path):
    """A and B are what was to choose between, so that no text stands in three of them; 3 of 6 answers are right."""
    rows = [f"q{at},text {at},text {(at + 1) % 6},{'AB'[at % 2]},{at % 2}" for at in range(6)]
    path = tmp_path / "gpt.csv"
    path.write_text("\n".join(["question,A,B,answer,correct", *rows]) + "\n")
    assert look(path).kind == "scores"
    assert means_of(path) == {"gpt": 0.5}


def long_course(axis):
    """Return the curves of two models, smooth, and best at the end."""
    rows = [f"{model},{10 * at},{0.5 + at / 40},{1 / at}" for model in ("bert", "roberta") for at in range(1, 11)]
    return "\n".join([f"model,{axis},eval_accuracy,eval_loss", *rows]) + "\n"


def wide_course(axis):
    """Return the curves of two runs side by side, with ends of a range as Weights & Biases writes them."""
    rows = [f"{50 * at},{10.5 * at},{10.5 * at - 10},{12.5 * at},{12.5 * at - 10}" for at in range(20)]
    return (
        "\n".join([f"{axis},algo: ppo - return,algo: ppo - return__MIN,sac - return,sac - return__MIN", *rows]) + "\n"
    )


COURSES = {
    "chart of wandb": (wide_course("Step"), "Step"),
    "tokens": (wide_course("tokens"), "tokens"),
    "epochs of models": (long_course("epoch"), "epoch"),
    "steps of one run": ("step,epoch,eval_accuracy\n100,0.5,0.6\n200,1.0,0.75\n300,1.5,0.8\n400,2.0,0.9\n", "step"),
    "iterations": (long_course("iteration"), "iteration"),
}


@pytest.mark.parametrize("name", COURSES)
def test_states_of_a_training_are_no_items_whoever_says_so(tmp_path, name):
    """Values of one run hang together: they are refused as they stand, and where their column is named as the items."""
    text, axis = COURSES[name]
    path = tmp_path / "curve.csv"
    path.write_text(text)
    says = f"column '{axis}' orders the states of one course"
    found = look(path)
    assert found.kind == "unknown"
    assert says in found.contents.refusal
    for columns in ({}, {"topic": axis}):
        with pytest.raises(FileFormatError, match=says):
            read_scores(path, columns=columns, paired=None)
    with pytest.raises(ScoresError, match=says):
        as_scores(pd.read_csv(path), fewest=1)


NO_COURSES = {
    "repetitions of a benchmark": (
        "iteration,svm,rf",
        [f"{at},0.{7 * at % 10},0.{(3 * at + 1) % 10}" for at in range(10)],
    ),
    "epochs that repeat items": (
        "model,sample,epoch,acc",
        [f"{name},s{at},{n},0.{at + n}" for name in "ab" for at in range(4) for n in (1, 2, 3)],
    ),
    "steps of questions": ("question_id,step,a,b", [f"q{at},{at},0.{at},0.{at + 1}" for at in range(1, 9)]),
}


@pytest.mark.parametrize("name", NO_COURSES)
def test_what_is_repeated_in_rounds_is_compared_as_before(tmp_path, name):
    """Numbers of rounds that have nothing to do with each other, and those beside items, order no course."""
    head, rows = NO_COURSES[name]
    (tmp_path / "x.csv").write_text("\n".join([head, *rows]) + "\n")
    assert look(tmp_path / "x.csv").kind == "scores"


def test_participants_are_no_evaluation(tmp_path):
    """As Prolific exports them: no command asks for a mean of approvals."""
    head = "Submission id,Participant id,Status,Started at,Time taken,Completion code,Total approvals,Age,Sex"
    rows = [
        f"s{at},p{at},APPROVED,2026-09-01T10:00:00Z,{300 + at},C1,{97 + 10 * at},{20 + at},Female" for at in range(9)
    ]
    path = tmp_path / "prolific_export.csv"
    path.write_text("\n".join([head, *rows]) + "\n")
    found = look(path)
    assert (found.kind, len(found.questions)) == ("unknown", 0)
    assert "a row is a participant ('Participant id')" in found.contents.refusal


def test_items_of_a_dataset_pair_the_runs_of_langfuse(tmp_path):
    """A row an item and run, with a trace of its own: a has the mean 0.5, b 0.75."""
    rows = [
        f"i{at},{run},t{run}{at},q{at},{mean + (at - 1.5) / 10}"
        for at in range(4)
        for run, mean in (("a", 0.5), ("b", 0.75))
    ]
    path = tmp_path / "run_items.csv"
    path.write_text("\n".join(["datasetItemId,runName,traceId,input,scores.accuracy", *rows]) + "\n")
    assert means_of(path) == pytest.approx({"a": 0.5, "b": 0.75})
    roles = {column.column: column.role for column in look(path).contents.columns}
    assert (roles["datasetItemId"], roles["runName"]) == ("item", "system")


def test_predictions_in_memory_are_told_too():
    """Their mean is no quality: 1 where it is right, else 0, would be."""
    frame = pd.DataFrame(
        {"id": range(6), "y_true": [0, 1] * 3, "prob_lr": [0.1, 0.9, 0.4, 0.6, 0.7, 0.2], "prob_b": [0.5, 0.25] * 3}
    )
    with pytest.raises(ScoresError, match="'prob_lr', 'prob_b' are predictions beside the truth in 'y_true'"):
        as_scores(frame)


def test_who_rated_is_never_compared(tmp_path):
    """The first command that look prints compares what was heard, over listeners; unbalanced: one heard less."""
    rows = [
        f"L{n},s{at},{name},{2 + (n + at) % 3 + (name == 'new')}"
        for n in range(4)
        for at in range(5)
        for name in ("old", "new")
    ]
    path = tmp_path / "mos.csv"
    for head, kept in (("listener,sample,condition,score", rows), ("participant,sample,condition,rating", rows[:-3])):
        path.write_text("\n".join([head, *kept]) + "\n")
        refusal = look(path).contents.refusal
        assert "`columns={'system': 'condition', 'repeat': '" + head.partition(",")[0] in refusal
        assert "'system': 'listener'" not in refusal


GRADES_OF_THREE = [(5, 4, 4), (1, 1, 1), (3, 3, 3), (2, 2, 3), (4, 5, 4), (1, 2, 1), (5, 5, 5), (2, 2, 2)]


@pytest.mark.parametrize(
    ("names", "n_turned", "command_of"),
    [
        ("Alice,Bob,Carol", 0, "judges r.csv"),
        ("Alice,Bob,Carol", 5, "table r.csv"),  # they do not agree, as systems do not
        ("BM25,Bob,Carol", 0, "table r.csv"),
        ("Alice,human,Carol", 0, "judges r.csv --reference human"),
    ],
)
def test_columns_called_as_people_that_agree_are_judges(command, tmp_path, names, n_turned, command_of):
    """Grades 1 to 5 of three people, each a capitalised word; alpha by hand is far above .667, or, turned, below."""
    grades = [(6 - a, b, c) if at < n_turned else (a, b, c) for at, (a, b, c) in enumerate(GRADES_OF_THREE)]
    rows = [f"{at},text {at},{a},{b},{c}" for at, (a, b, c) in enumerate(grades)]
    (tmp_path / "r.csv").write_text("\n".join([f"ID,Text,{names}", *rows]) + "\n")
    looked = command("look", tmp_path / "r.csv").out.replace(f"{tmp_path}/", "")
    assert re.findall("^metaeval (.*)$", looked, re.MULTILINE)[0] == command_of


def test_runs_whose_answers_were_labelled_may_be_columns(command, tmp_path, monkeypatch):
    """Words of support below names of runs lead to `table` too, and its form gives the means 2.5 and 1 of 4."""
    monkeypatch.chdir(tmp_path)
    said = {
        "dense": ("supports", "partial", "supports", "none"),
        "sparse": ("partial", "none", "partial", "contradicts"),
    }
    rows = [f"t{at % 2},n{at},{one},{two}" for at, (one, two) in enumerate(zip(*said.values(), strict=True))]
    (tmp_path / "n.csv").write_text("\n".join(["topic_id,answer_id,dense,sparse", *rows]) + "\n")
    told = " ".join(command("look", "n.csv").out.split())
    assert "if they are runs, whose answers were labelled, write a row a label" in told
    long = [f"t{at % 2},{name},n{at},{word}" for name, words in said.items() for at, word in enumerate(words)]
    (tmp_path / "long.csv").write_text("\n".join(["topic,system,nugget,label", *long]) + "\n")
    assert means_of(tmp_path / "long.csv") == {"dense": 0.625, "sparse": 0.25}
