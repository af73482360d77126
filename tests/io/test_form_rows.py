"""Tables of LangSmith, Langfuse and promptfoo: what stands in their columns and cells is read; means by hand."""

import subprocess

import pandas as pd
import pytest

from metaeval.agreement.krippendorff import alpha_of
from metaeval.agreement.labels import as_labels
from metaeval.errors import MetaevalError
from metaeval.io.labels import read_labels
from metaeval.io.tables import read_scores
from metaeval.table.roles import column_roles
from metaeval.table.scores import as_scores


def means_of(tmp_path, text):
    """Return the mean of every system under every metric."""
    path = tmp_path / "x.csv"
    path.write_text(text)
    scores = read_scores(path)
    means = scores.mean("topic").to_series()
    return {(metric, system): mean for (metric, system), mean in means.items()}, scores.attrs["notes"]


def test_experiments_of_langsmith_are_systems_under_each_metric(tmp_path):
    """A name holds that of the experiment, with its own hyphen or underscore, and that of the metric."""
    header = "id,inputs,outputs_a_1,outputs_b-2,a_1_correct,b-2_correct,a_1_tone,b-2_tone,a_1_latency,a_1_only"
    means, notes = means_of(tmp_path, f"{header}\nx,q,o,o,1,0,.5,.25,9,1\ny,q,o,o,0,0,1,.75,8,2\n")
    assert means == {("correct", "a_1"): 0.5, ("correct", "b-2"): 0, ("tone", "a_1"): 0.75, ("tone", "b-2"): 0.5}
    assert any("left out columns that are no scores of all experiments" in note for note in notes)


def test_rows_of_an_experiment_are_of_its_session(tmp_path):
    """The example is the item, not the run, which has an id of its own; an error that no run had is no metric."""
    header = "id,reference_example_id,session_name,error,latency,feedback.ok,feedback.tone"
    rows = ["r0,e0,gpt,,1.5,1,.5", "r1,e1,gpt,,2.5,0,.25", "r2,e0,old,,1.25,0,.75", "r3,e1,old,,3.5,0,.25"]
    text = "\n".join([header, *rows]) + "\n"
    means, _ = means_of(tmp_path, text)
    by_hand = {("feedback.ok", "gpt"): 0.5, ("feedback.ok", "old"): 0, ("feedback.tone", "gpt"): 0.375}
    assert means == by_hand | {("feedback.tone", "old"): 0.5}
    scores = as_scores(pd.read_csv(tmp_path / "x.csv"))
    in_memory = scores.mean("topic").to_series().to_dict()
    assert in_memory == means
    assert any(note.endswith("'error', empty") for note in scores.attrs["notes"])


def test_a_session_beside_no_examples_is_no_experiment():
    """It may be a visit of somebody; a model beside one is surer in any case."""
    assert column_roles(["session_name", "turn", "helpful"]).parts == {"topic": "turn"}
    assert column_roles(["session_name", "example_id", "model", "ok"]).parts["system"] == "model"


def test_experiments_without_names_of_items_are_numbered(tmp_path):
    """The rows are the items."""
    means, _ = means_of(tmp_path, "base_ok,new_ok,base_tokens\n1,1,30\n0,1,31\n0,1,32\n")
    assert means == {("ok", "base"): pytest.approx(1 / 3), ("ok", "new"): 1}


def test_items_of_langfuse_are_those_of_the_dataset(tmp_path):
    """Every trace is of one system, and the item is what all share."""
    header = "id,source,name,dataType,value,stringValue,traceId,traceName,datasetItemId"
    rows = [f"s{at},EVAL,help,NUMERIC,{at / 8},,t{at},v{at % 2},i{at // 2}" for at in range(8)]
    means, notes = means_of(tmp_path, "\n".join([header, *rows]) + "\n")
    assert means == {("help", "v0"): 3 / 8, ("help", "v1"): 4 / 8}  # (0 + 2 + 4 + 6)/4/8 and (1 + 3 + 5 + 7)/4/8
    assert any("datasetItemId the items" in note for note in notes)


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("s,[a] p,[b] p\nx,[PASS] u,[FAIL] u\ny,[PASS] u,[PASS] u\nz,[ERROR] v,[FAIL] u\n", (2 / 3, 1 / 3)),
        ("s,[a] p,Status,Score,[b] p,Status,Score\nx,u,FAIL,.5,u,PASS,1\ny,u,PASS,1,u,FAIL,.25\n", (0.75, 0.625)),
        ("s,[a] p,Status,[b] p,Status\nx,u,FAIL,u,PASS\ny,u,PASS,u,PASS\n", (0.5, 1)),
    ],
)
def test_verdicts_and_scores_of_promptfoo_are_read(tmp_path, text, means):
    """Before answers that are alike, or in columns of their own that every provider has."""
    found, _ = means_of(tmp_path, text)
    assert tuple(found.values()) == pytest.approx(means)


def test_a_cell_without_a_verdict_is_refused(tmp_path):
    """It may be an answer that nobody judged."""
    with pytest.raises(MetaevalError, match="is a verdict and an answer, and other cells have none"):
        means_of(tmp_path, "s,[a] p,[b] p\nx,1,0\ny,[PASS] u,1\nz,0,1\n")


@pytest.mark.parametrize("header", ["Timestamp,Email Address,Consent", "Marca temporal,Prolific ID,Gender"])
def test_people_who_fill_a_form_are_judges_of_what_it_asks(tmp_path, header):
    """Krippendorff's alpha by hand: 4 no and 8 yes; of one item's 3 pairs 2 differ, in both orders, each of half."""
    path = tmp_path / "form.csv"
    rows = ["1/1/25,x,Yes,yes,yes,no,no", "2/1/25,y,No,yes,yes,no,yes", "3/1/25,z,No,yes,yes,no,yes"]
    path.write_text("\n".join([f"{header},Is it [a],Is it [b],Is it [c],Is it [d]", *rows]))
    frame = read_labels(path)
    assert frame.loc["Is it [d]"].to_dict() == {"x": "no", "y": "yes", "z": "yes"}
    assert frame.shape == (4, 3)
    assert "people (named by" in " ".join(frame.attrs["notes"])
    labels = as_labels(frame)
    expected = 1 - (2 * 2 / 2 / 12) / (2 * 4 * 8 / (12 * 11))
    assert alpha_of(labels, labels.judges) == pytest.approx(expected)


def test_a_form_is_read_as_it_stands_where_items_or_judges_are_named(tmp_path):
    """Rows of raters by name, or with a column that somebody names, are items as ever."""
    path = tmp_path / "form.csv"
    rows = "".join(f"1/{at + 1}/25,{at % 2},{at % 3 // 2}\n" for at in range(6))
    path.write_text(f"Timestamp,rater 1,rater 2\n{rows}")
    assert read_labels(path, columns={"item": "Timestamp"}).columns.tolist() == ["rater 1", "rater 2"]
    path.write_text(f"Timestamp,is it a?,is it b?\n{rows}")
    assert read_labels(path).shape == (2, 6)
    assert read_labels(path, columns={"item": "Timestamp"}).shape == (6, 2)


def test_a_summary_of_opencompass_is_read_by_dataset(tmp_path):
    """Means by hand of two datasets, of which one stands there under two metrics; what was not run is left out."""
    rows = ["race,a,accuracy,gen,.5,.25", "math,b,accuracy,gen,1,.75", "math,b,pass@2,gen,1,.5", "code,c,score,gen,-,1"]
    means, notes = means_of(tmp_path, "\n".join(["dataset,version,metric,mode,new,old", *rows]))
    assert means == {("x", "new"): pytest.approx(2.5 / 3), ("x", "old"): 0.5}
    assert any("left out datasets that a model has no score on: code" in note for note in notes)


def test_runs_of_langfuse_on_a_dataset_are_the_systems(tmp_path):
    """Traces of both are called alike, as what was run."""
    header = "id,source,name,dataType,value,stringValue,traceId,traceName,datasetRunName,datasetItemId"
    rows = [f"s{at},EVAL,help,NUMERIC,{at / 8},,t{at},qa,v{at % 2},i{at // 2}" for at in range(8)]
    means, notes = means_of(tmp_path, "\n".join([header, *rows]) + "\n")
    assert means == {("help", "v0"): 3 / 8, ("help", "v1"): 4 / 8}  # as above
    assert any("datasetRunName names the systems, and datasetItemId the items" in note for note in notes)


def test_what_systems_choose_of_options_is_right_or_wrong(tmp_path):
    """Three of four and two of four are the right option."""
    rows = ["q1,x,y,z,A,A,C", "q2,x,y,z,B,B,B", "q3,x,y,z,C,A,C", "q4,x,y,z,A,A,B"]
    means, notes = means_of(tmp_path, "\n".join(["question,A,B,C,answer,gpt,llama", *rows]) + "\n")
    assert {name: mean for (_, name), mean in means.items()} == {"gpt": 3 / 4, "llama": 2 / 4}
    assert any("count 1 where they are that of 'answer', else 0" in note for note in notes)


def test_lines_of_system_and_score_are_segments_by_their_order(tmp_path):
    """As mt-metrics-eval writes them, without a header; a segment that nobody scored is none, and neither a system."""
    path = tmp_path / "mqm.seg.score"
    path.write_text("A\t-1.0\nA\tNone\nA\t2.0\nB\t-2.0\nB\tNone\nB\t0.5\nref\tNone\nref\tNone\nref\tNone\n")
    for options in ({}, {"header": False}):
        scores = read_scores(path, **options)
        assert scores["topic"].to_numpy().tolist() == ["1", "3"]
        assert scores.squeeze("metric").to_numpy().tolist() == [[-1, 2], [-2, 0.5]]
        notes = scores.attrs["notes"]
        assert [note for note in notes if "left out" in note] == [
            "mqm.seg.score: left out 1 system without any score",
            "mqm.seg.score: left out 1 segment without any score",
        ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("A\t-1.0\nA\t2\nB\t-2.0\n", r"systems have not as many lines \(A 2, B 1\); a segment without a score says"),
        ("A\t-1.0\nB\t-2.0\nC\t3\n", r"these are means of 3 systems \(A, B, C\) under mqm, without the spread"),
    ],
)
def test_lines_of_systems_that_are_no_segments_are_refused(tmp_path, text, says):
    """What is uneven has lost a line, and one line a system is its mean."""
    path = tmp_path / "mqm.sys.score"
    path.write_text(text)
    with pytest.raises(MetaevalError, match=says):
        read_scores(path)


def test_rows_whose_names_repeat_lead_to_numbered_items(tmp_path):
    """What the message prints makes the table that is read; without a name for the item no option does."""
    path = tmp_path / "x.tsv"
    path.write_text("A\t-1.0\nA\t2.0\nB\t-2.0\nB\t0.5\n")
    with pytest.raises(MetaevalError, match="rows have names that repeat") as found:
        read_scores(path, header=False)
    script = str(found.value).partition("(awk ")[2].removesuffix(")")
    made = subprocess.run(f"awk {script} {path}", shell=True, capture_output=True, text=True, check=True).stdout  # noqa: S602 - as printed
    (tmp_path / "made.tsv").write_text(made)
    assert read_scores(tmp_path / "made.tsv").squeeze("metric").to_numpy().tolist() == [[-1, 2], [-2, 0.5]]


def test_a_gap_in_a_row_whose_name_stands_above_too_is_named_itself(tmp_path):
    """And not the number in the row above."""
    path = tmp_path / "x.tsv"
    path.write_text("A\t-1.0\nA\t2.0\nB\t-2.0\nB\tNone\n")
    with pytest.raises(MetaevalError, match=r"line 4: column 2, row 'B': the cell holds 'None'"):
        read_scores(path, header=False, columns={"topic": 1})
