"""Exports of tools of evaluation, and folders of several of them, are what their tools mean; means by hand."""

import json
import re
import shlex

import pytest

from metaeval.io.tables import read_scores
from metaeval.questions.look.study import look


def means_of(path):
    """Return the mean of every system under every metric."""
    scores = read_scores(path)
    return scores.mean([dim for dim in ("topic", "repeat") if dim in scores.dims]).to_series().to_dict()


def test_scores_of_braintrust_are_paired_by_what_was_asked(tmp_path):
    """Every row has an id of its own; when a call started and ended is no score."""
    for model, scores in (("gpt", (1.0, 0.5, 0.75)), ("llama", (0.5, 0.25, 0.0))):
        rows = [
            {
                "id": f"{model}{at}", "span_id": f"s{model}{at}", "root_span_id": f"s{model}{at}",
                "experiment_id": f"e-{model}", "created": "2025-03-01T10:00:00Z", "input": f"What is {at}?",
                "output": "x", "expected": "y", "scores": {"Factuality": score, "Exact": int(score > 0.6)},
                "metadata": {"model": model}, "metrics": {"start": 1740823200.13 + at, "end": 1740823201.9 + at},
            }
            for at, score in enumerate(scores)
        ]  # fmt: skip
        (tmp_path / f"{model}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert means_of(tmp_path) == {
        ("Factuality", "gpt"): 0.75, ("Factuality", "llama"): 0.25,
        ("Exact", "gpt"): pytest.approx(2 / 3), ("Exact", "llama"): 0,
    }  # fmt: skip
    roles = {column.column: column.role for column in look(tmp_path).contents.columns}
    assert (roles["input"], roles["id"]) == ("item", "an identifier")


def test_dates_with_parts_of_a_second_are_no_scores(tmp_path):
    """By their size, whatever the column is called."""
    path = tmp_path / "x.csv"
    rows = [f"{name},{at},{at / 10},{1740823200.25 + at}" for name in "ab" for at in range(5)]
    path.write_text("\n".join(["system,topic,acc,begun", *rows]) + "\n")
    assert means_of(path) == {("acc", "a"): 0.2, ("acc", "b"): 0.2}


def test_a_system_and_a_text_in_brackets_are_told_apart(tmp_path):
    """Numbered texts are the items, people the repeats; 4.5 is the mean of 4, 5, 5 and 4."""
    asked = [f"How fluent? [{name}, text {at}]" for at in (1, 2) for name in ("gpt-4o", "llama-3")]
    path = tmp_path / "x.csv"
    head = ",".join(["Timestamp", "Name", *(f'"{name}"' for name in asked)])
    path.write_text(f"{head}\n2025/03/01 10:00,P0,4,2,5,1\n2025/03/02 10:00,P1,5,3,4,2\n")
    assert {name: mean for (_, name), mean in means_of(path).items()} == {"gpt-4o": 4.5, "llama-3": 2}


def test_turns_are_parts_of_a_question_and_no_repeats(tmp_path):
    """Six items of three questions, which are their clusters."""
    path = tmp_path / "single.jsonl"
    rows = [
        {"question_id": question, "model": model, "judge": ["gpt-4", "single"], "score": question + turn, "turn": turn}
        for question in (1, 2, 3) for model in "ab" for turn in (1, 2)
    ]  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = look(path)
    sizes = found.contents.sizes
    assert (sizes["systems"], sizes["items"], sizes["clusters"]) == (2, 6, 3)
    assert not any("--repeat-column" in command for command in found.questions["command"])


def test_documents_and_their_segments_name_items_together(tmp_path):
    """Segments are numbered anew in every document."""
    path = tmp_path / "x.csv"
    rows = [f"{name},d{doc},{seg},.{doc}{seg}" for name in "ab" for doc in (1, 2) for seg in (1, 2)]
    path.write_text("\n".join(["system,doc,seg,chrF", *rows]) + "\n")
    assert read_scores(path)["topic"].to_numpy().tolist() == ["d1::1", "d1::2", "d2::1", "d2::2"]


def test_models_behind_verdicts_are_no_judges(tmp_path):
    """What promptfoo compares is asked nothing about judges."""
    path = tmp_path / "x.csv"
    path.write_text(
        "q,[gpt] {{q}},[qwen] {{q}}\n"
        + "".join(f"q{at},[{'PASS' if at % 3 else 'FAIL'}] a,[PASS] b\n" for at in range(9))
    )
    assert "judges" not in look(path).questions["name"].tolist()


def test_rows_of_langsmith_are_of_their_experiments(tmp_path):
    """All rows have one name, that of what was run."""
    path = tmp_path / "x.csv"
    rows = [
        f"r{name}{at},target,chain,2025-03-01T10:00:00,exp-{name},e{at},{int(at < limit)}"
        for name, limit in (("gpt", 20), ("llama", 10)) for at in range(40)
    ]  # fmt: skip
    head = "id,name,run_type,start_time,session_name,reference_example_id,feedback.ok"
    path.write_text("\n".join([head, *rows]) + "\n")
    assert {name: mean for (_, name), mean in means_of(path).items()} == {"exp-gpt": 0.5, "exp-llama": 0.25}


def test_a_mixed_folder_is_listed_file_by_file(tmp_path, monkeypatch, command):
    """What is read alone has its command, an archive the one that says how it is unpacked; a README is left out."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "all").mkdir()
    texts = {
        "scores.csv": "topic,a,b\n" + "".join(f"{at},.{at},.{9 - at}\n" for at in range(1, 9)),
        "votes.csv": "model_a,model_b,winner\na,b,model_a\nb,c,tie\nc,a,model_b\n",
        "labels.csv": "item,judge,label\n"
        + "".join(f"{at},{who},{at % 2}\n" for at in range(6) for who in ("al", "bo")),
        "README.md": "All of it, as it is.\n",
    }
    for name, text in texts.items():
        (tmp_path / "all" / name).write_text(text)
    looked = command("look", "all")
    lines = re.findall(r"^metaeval .*", looked.out, re.MULTILINE)
    assert {line.split()[1] for line in lines} == {"table", "votes", "judges"}
    assert "Left out what is nothing of this: all/README.md" in looked.out
    for line in lines:
        assert command(*shlex.split(line)[1:], "--json").code == 0


def test_scores_by_metric_of_data_sets_are_no_labels(tmp_path):
    """As BEIR writes them: two data sets and measures by name are told of no annotators."""
    for name, score in (("a", 0.5), ("b", 0.6)):
        of = dict.fromkeys(("NDCG@10", "MAP@10", "Recall@100"), score)
        (tmp_path / f"{name}.json").write_text(json.dumps({"scifact": of, "nfcorpus": of}))
    assert "annotator" not in look(tmp_path).contents.refusal


def test_votes_in_a_folder_may_stop(tmp_path, command):
    """Turns of a question are no votes that were written twice."""
    rows = [
        {"question_id": at, "model_a": "x", "model_b": "y", "winner": f"model_{'ab'[at % 3 == 0]}", "turn": turn}
        for at in range(20) for turn in (1, 2)
    ]  # fmt: skip
    (tmp_path / "votes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert command("stop", tmp_path, "--json").code == 0
    assert not any("duplicates" in note for note in look(tmp_path).notes)


def test_two_systems_are_too_few_to_compare_tests(tmp_path):
    """It is said as what is lacking, and no command is printed for it."""
    path = tmp_path / "x.csv"
    path.write_text("topic,a,b\n" + "".join(f"{at},.{at},.{99 - at}\n" for at in range(10, 40)))
    lacks = look(path).questions.set_index("name")["lacks"]
    assert lacks["compare-tests"] == "3 systems or more, not 2"


def test_scores_with_gaps_have_a_quick_answer(tmp_path):
    """By hand: the differences on 14 items are all .2 or .3, so that b is better."""
    path = tmp_path / "x.csv"
    path.write_text(
        "topic,a,b\n" + "".join(f"{at},.{at % 5},{at % 5 / 10 + 0.2 + at % 2 / 10}\n" for at in range(14)) + "x,.1,\n"
    )
    assert look(path).answer.startswith("Yes: b is significantly better than a")


def test_a_column_without_a_name_that_holds_the_systems_says_so(tmp_path):
    """Of a board, by the names that were read."""
    path = tmp_path / "x.csv"
    path.write_text(",win_rate,standard_error\ngpt,67.4,3.0\nllama,40.1,3.2\n")
    assert look(path).contents.columns[0].role == "system"
