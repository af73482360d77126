"""JSON records, the four columns of AutoJudge, frames of ragas and DeepEval, and nuggetizer's metrics."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval import as_scores
from metaeval.errors import FileFormatError, InvalidOptionError
from metaeval.io.tables import read_scores

ROWS = [(run, topic, measure, value) for run, value in (("x", 0.25), ("y", 0.5)) for topic in ("t1", "t2", "t3")
        for measure in ("AP", "P")]  # fmt: skip


def _tot(rows):
    return "".join(f"{run}\t{measure}\t{topic}\t{value}\n" for run, topic, measure, value in rows)


def _four(rows):
    return "".join(f"{run}\t{topic}\t{measure}\t{value}\n" for run, topic, measure, value in rows)


def _lines(rows):
    names = ("run_id", "topic_id", "measure", "value")
    return "".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows)


# -------------------------------------------------------------------------------------------------------- AutoJudge


def test_three_forms_are_one_table(put, told):
    """The order of columns is told by where the averages stand."""
    rows = [*ROWS, *(("x", "all", "AP", 0.9), ("y", "all", "P", 0.9))]
    found = [read_scores(put({f"{write.__name__}.txt": write(rows)}) / f"{write.__name__}.txt")
             for write in (_tot, _four, _lines)]  # fmt: skip
    assert dict(found[0].sizes) == {"metric": 2, "system": 2, "topic": 3}
    for other in found[1:]:
        assert found[0].equals(other)
    assert told(found[0], "left out the averages (all)")


def test_the_order_told_by_names_and_by_what_repeats(put):
    """Names of measures or numbered topics tell it; else measures are far fewer; else it must be said."""
    for write in (_tot, _four):
        known = read_scores(put({"known.txt": write(ROWS)}) / "known.txt")
        assert known["metric"].to_numpy().tolist() == ["AP", "P"]
        plain = [
            (run, f"{name}", "quality", value) for run, value in (("x", 1), ("y", 2)) for name in ("leaf", "bee", "sun")
        ]
        assert read_scores(put({"few.txt": write(plain)}) / "few.txt")["metric"].to_numpy().tolist() == ["quality"]
        open_rows = [
            (run, topic, measure, 1) for run in "xy" for topic in ("leaf", "bee") for measure in ("good", "short")
        ]
        path = put({"open.txt": write(open_rows)}) / "open.txt"
        with pytest.raises(FileFormatError, match=r"either of the middle two \('\w+', '\w+'\) could be the measure"):
            read_scores(path)
        columns = {"system": 1, "score": 4} | (
            {"metric": 2, "topic": 3} if write is _tot else {"topic": 2, "metric": 3}
        )
        assert read_scores(path, columns=columns)["metric"].to_numpy().tolist() == ["good", "short"]
        assert read_scores(path, form="tot" if write is _tot else "ir_measures").sizes["metric"] == 2


def test_measures_of_words_are_left_out(put, told):
    """A measure whose values are words is never averaged; numbers beside words are refused."""
    rows = [*ROWS, *((run, topic, "verdict", "good") for run in "xy" for topic in ("t1", "t2", "t3"))]
    for write in (_tot, _four):
        scores = read_scores(put({"x.txt": write(rows)}) / "x.txt")
        assert scores["metric"].to_numpy().tolist() == ["AP", "P"]
        assert told(scores, "left out measures of words (verdict)")
        with pytest.raises(FileFormatError, match=r"line 13: .*'good' is not a number"):
            read_scores(put({"y.txt": write([*ROWS, ("x", "t4", "AP", "good")])}) / "y.txt")


def test_the_real_table_in_three_forms(data_folder, put):
    """AutoJudge's default.eval.txt, rewritten in the other two forms, gives the same table."""
    source = data_folder / "autojudge" / "default.eval.txt"
    rows = [line.split("\t") for line in source.read_text().splitlines()]
    rows = [(run, topic, measure, float(value)) for run, measure, topic, value in rows]
    scores = read_scores(source)
    assert dict(scores.sizes) == {"metric": 2, "system": 11, "topic": 122}
    averages = {(run, measure): value for run, topic, measure, value in rows if topic == "all"}
    for (run, measure), value in averages.items():
        assert float(scores.sel(system=run, metric=measure).mean()) == pytest.approx(value, abs=1e-12)
    for write in (_four, _lines):
        other = read_scores(put({"default.eval.txt": write(rows)}) / "default.eval.txt")
        assert other.equals(scores), write.__name__


def test_the_real_four_columns_with_a_header(data_folder):
    """With a header the columns say themselves which they are."""
    scores = read_scores(data_folder / "autojudge" / "kiddie_fake.eval.ir_measures.txt")
    assert dict(scores.sizes) == {"metric": 1, "system": 4, "topic": 5}
    assert float(scores.sel(system="run1", topic="cloud", metric="RELEVANCE")) == 0.9


@given(st.lists(st.sampled_from("abcdef"), min_size=2, max_size=4, unique=True), st.integers(2, 6), st.integers(0, 99))
def test_any_order_of_lines_is_the_same_table(tmp_path_factory, runs, n_topics, seed):
    """The lines of a file in any of the three forms may stand in any order."""
    rng = np.random.default_rng(seed)
    rows = [
        (run, f"q{n}", measure, float(rng.integers(0, 9)))
        for run in runs
        for n in range(n_topics)
        for measure in ("AP", "RR")
    ]
    folder = tmp_path_factory.mktemp("rows")
    tables = []
    for write in (_tot, _four, _lines):
        shuffled = [rows[0], *(rows[1 + at] for at in rng.permutation(len(rows) - 1))]
        (folder / "x").write_text(write(shuffled))
        tables.append(read_scores(folder / "x").sel(system=runs, metric=["AP", "RR"]))
    assert tables[0].equals(tables[1])
    assert tables[0].equals(tables[2])


# ------------------------------------------------------------------------------------------------------------- JSON


def test_json_records_are_the_table_they_are(put, told):
    """A list of objects and JSON lines are read as a long table of the same names, with all that it may say."""
    names = ("model", "question_id", "task", "metric", "score", "epoch", "weight", "prompt")
    rows = [
        (model, f"q{n}", f"t{n % 2}", "acc", (n + at) % 2, epoch, n + 1, f"What\nis {n}?")
        for at, model in enumerate("ab")
        for n in range(4)
        for epoch in (1, 2)
    ]
    records = [dict(zip(names, row, strict=True)) for row in rows]
    folder = put({"x.json": records, "x.jsonl": records})
    whole = read_scores(folder / "x.json", columns={"system": "model"})
    assert whole.equals(read_scores(folder / "x.jsonl", columns={"system": "model"}))
    assert whole.dims == ("metric", "system", "topic", "repeat")
    assert whole["cluster"].to_numpy().tolist() == ["t0", "t1", "t0", "t1"]
    assert whole["weight"].to_numpy().tolist() == [1, 2, 3, 4]
    assert told(whole, "left out names of words or objects (prompt)")


FIRST = '{"run_id": "x", "topic_id": "1", "measure": "x", "value": 1}\n'
FAULTS = {
    "a word": (
        '\n{"run_id": "x", "topic_id": "2", "measure": "x", "value": "a"}',
        r"line 3: 'score' of .*'a' is not a number",
    ),
    "nested": (
        '{"run_id": {"name": "x"}, "topic_id": "2", "value": 1}',
        r"line 2: run_id: here stands a name or a number on one line, nothing nested",
    ),
    "twice": (FIRST, r"line 2: system 'x' has a score on topic '1' under 'x' on line 1 already"),
    "no name": ('{"topic_id": "1", "measure": "x", "value": 1}', r"line 2: a system has no name"),
    "nothing": ("{}", r"line 2: nothing stands under any name"),
    "infinite": ('{"run_id": "x", "topic_id": "2", "measure": "x", "value": 1e999}', r"line 2: .*inf"),
    "cut short": ('{"run_id": "x", "top', r"line 2: the JSON is cut short or broken"),
    "a name twice": ('{"topic_id": "1", "topic_id": "2"}', r"line 2: the name 'topic_id' appears twice"),
    "no record": ("[1, 2]", r"the file holds JSON of no form that is read"),
    "digits": (
        '{"run_id": "x", "topic_id": "2", "measure": "x", "value": 9007199254740993}',
        r"line 2: .*more digits than a score can hold",
    ),
}


@pytest.mark.parametrize(("text", "message"), FAULTS.values(), ids=FAULTS.keys())
def test_faulty_records(put, text, message):
    """The refusal names file, line and key."""
    with pytest.raises(FileFormatError, match=rf"x\.json(l, |l: |, |: ){message}"):
        read_scores(put({"x.jsonl": FIRST + text}) / "x.jsonl")


def test_json_of_no_form(put):
    """What is read is said, and what was found; what is nested endlessly is refused."""
    with pytest.raises(FileFormatError, match=r"JSON of no form that is read; .*\(names found: 'a', 'b'\)"):
        read_scores(put({"x.json": {"a": 1, "b": {}}}) / "x.json")
    with pytest.raises(FileFormatError, match="nested too deeply"):
        read_scores(put({"x.json": '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}"}) / "x.json")
    with pytest.raises(FileFormatError, match="JSON of no form"):
        read_scores(put({"x.json": "[]"}) / "x.json")


def test_the_only_list_of_records_is_the_table(put, told):
    """What stands beside it names the system, or is left out by name."""
    results = {"a": [True, False, True], "b": [True, True, True]}
    put(
        {
            f"{run}.json": {
                "run": run,
                "took": 3,
                "results": [{"id": f"c{n}", "passed": of} for n, of in enumerate(passed)],
            }
            for run, passed in results.items()
        }
    )
    scores = read_scores(put({}))
    assert scores.to_numpy().tolist() == [[[1, 0, 1], [1, 1, 1]]]
    assert scores["system"].to_numpy().tolist() == ["a", "b"]
    assert told(scores, "left out took")


def test_the_time_of_many_lines_is_that_of_their_json(put, processor_seconds):
    """Many lines take some three times what it takes to read their JSON and keep nothing of it."""
    rows = [(f"r{run}", f"q{topic}", "AP", (run * topic % 97) / 97) for run in range(20) for topic in range(1000)]
    path = put({"x.jsonl": _lines(rows)}) / "x.jsonl"
    bare = processor_seconds(lambda: [json.loads(line) for line in path.read_text().splitlines()])
    read = []
    assert processor_seconds(lambda: read.append(read_scores(path))) < 10 * bare
    assert dict(read[0].sizes) == {"metric": 1, "system": 20, "topic": 1000}


# ----------------------------------------------------------------------------------------------------------- frames

FRAME = ",user_input,retrieved_contexts,response,faithfulness,nv_accuracy\n" + "".join(
    f'{n},"Who, {n}?","[""a"",\n ""b""]",text {n},{n / 4},{1 - n / 4}\n' for n in range(4)
)


def test_costs_and_thresholds_of_a_frame_are_no_metrics(put, told):
    """Told by their names, also behind the metric's that they are of; one that is asked for is read."""
    head = "question,answer,faithfulness,faithfulness_threshold,threshold,latency,num_tokens"
    path = (
        put({"a.csv": head + "\n" + "".join(f"q{n},a{n},{n / 9},0.5,0.7,1.{n},{40 + n}\n" for n in range(9))}) / "a.csv"
    )
    scores = read_scores(path, paired=None)
    assert scores["metric"].to_numpy().tolist() == ["faithfulness"]
    assert told(scores, "'faithfulness_threshold', a target or threshold of 'faithfulness'; 'threshold', a target")
    assert told(scores, "'latency', 'num_tokens', a cost or size")
    assert read_scores(path, paired=None, metrics=["latency"])["metric"].to_numpy().tolist() == ["latency"]


def test_deepeval_names_its_pass_marks_and_bias_passes_from_below(put, told):
    """Scores are read; whether a case passed says at which threshold, and whether less is better (counted by hand)."""
    marks = [(0.9, 0.1, True), (0.5, 0.5, True), (0.4, 0.2, False)]

    def metric(name, score, threshold, passed):
        return {"name": name, "score": score, "threshold": threshold, "success": passed}

    cases = [
        {
            "name": f"case {at}",
            "metricsData": [metric("Relevancy", good, 0.5, passed), metric("Bias", bad, 0.3, bad <= 0.3)],
        }
        for at, (good, bad, passed) in enumerate(marks)
    ]
    folder = put({f"{name}.json": {"testCases": cases} for name in "ab"})
    scores = read_scores(folder)
    assert scores.sel(system="a").to_numpy().tolist() == [[0.9, 0.5, 0.4], [0.1, 0.5, 0.2]]
    assert dict(zip(scores["metric"].to_numpy(), scores["higher_is_better"].to_numpy(), strict=True)) == {
        "Relevancy": True, "Bias": False,
    }  # fmt: skip
    assert told(scores, "passed (success): Relevancy from 0.5 in 2 of 3; Bias up to 0.3 in 2 of 3")


def test_a_case_of_deepeval_is_an_item(put):
    """As tables have them: name is that of a case, and true and false beside scores are no further metric."""
    head = "name,input,actual_output,Faith_score,Faith_success,Faith_threshold\n"
    path = put({"a.csv": head + "".join(f"t{n},q,a,{n / 9},{n > 4},0.5\n" for n in range(9))}) / "a.csv"
    scores = read_scores(path, paired=None)
    assert scores["metric"].to_numpy().tolist() == ["Faith_score"]
    assert scores["topic"].to_numpy().tolist() == [f"t{n}" for n in range(9)]
    assert scores["system"].to_numpy().tolist() == ["a"]


def test_a_frame_is_a_system(put, told):
    """A file is a system, a row an item, a column of numbers a metric; words are left out and named."""
    folder = put({"a.csv": FRAME, "b.csv": FRAME.replace("0.75,0.25", "0.5,1")})
    scores = read_scores(folder)
    assert scores["system"].to_numpy().tolist() == ["a", "b"]
    assert scores["metric"].to_numpy().tolist() == ["faithfulness", "nv_accuracy"]
    assert scores.sel(metric="faithfulness", system="b").to_numpy().tolist() == [0, 0.25, 0.5, 0.5]
    assert told(scores, "left out columns of words (retrieved_contexts, response)")
    assert told(scores, "rows are items, numbered from 1, and 'user_input' says what each asks")


def test_rows_must_ask_the_same(put):
    """Rows are one item if they ask the same; a column that names items puts them in order."""
    put({"a.csv": FRAME, "b.csv": FRAME.replace("Who, 1?", "What?")})
    with pytest.raises(ValueError, match=r"b\.csv: topic '2' has question 'What\?', but 'Who, 1\?' in another file"):
        read_scores(put({}))
    lines = FRAME.replace("\n ", " ").splitlines()
    put({"a.csv": FRAME, "b.csv": "\n".join([lines[0], *reversed(lines[1:])])})
    scores = read_scores(put({}), columns={"topic": "user_input"})
    assert scores.sel(metric="faithfulness", system="a").equals(
        scores.sel(metric="faithfulness", system="b").assign_coords(system="a")
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (FRAME.replace("0.25,0.75", "0.25,good"), r"line 5: column 'nv_accuracy' holds numbers and 'good'"),
        (FRAME.replace("0.25,0.75", "0.25,"), r"line 5: 'nv_accuracy': the cell is empty"),
        ("user_input,response\na,b\nc,d\n", r"no column holds numbers: user_input, response"),
        ("user_input,response,f1\n", r"the table has a header and no rows"),
    ],
)  # fmt: skip
def test_faulty_frames(put, text, message):
    """The refusal names the file, and where there is one the line."""
    with pytest.raises(FileFormatError, match=rf"a\.csv[:,] {message}"):
        read_scores(put({"a.csv": text}) / "a.csv")


def test_frames_as_json(put):
    """JSON records with what was asked and answered are a frame too."""
    for system, step in (("a", 1), ("b", 2)):
        put({f"{system}.jsonl": [
            {"input": f"Who {n}?", "actual_output": "x", "retrieval_context": ["y"], "Faithfulness": n * step / 8}
            for n in range(3)
        ]})  # fmt: skip
    scores = read_scores(put({}))
    assert scores.sel(metric="Faithfulness").to_numpy().tolist() == [[0, 0.125, 0.25], [0, 0.25, 0.5]]


def test_the_real_frame(data_folder, put):
    """The frame of ragas: three metrics on its rows, the index and four columns of words left out."""
    content = (data_folder / "formats" / "ragas_to_pandas.csv").read_bytes()
    scores = read_scores(put({"one.csv": content, "two.csv": content}))
    assert scores["metric"].to_numpy().tolist() == ["nv_accuracy", "faithfulness", "nv_response_groundedness"]
    assert scores.sel(metric="faithfulness", system="one").to_numpy()[:3].tolist() == [1, 0.5, 1]


def test_metrics_of_nuggetizer(put, told):
    """One file a run; the line of all topics is left out (no real file is at hand)."""
    names = ("strict_vital_score", "strict_all_score", "vital_score", "all_score")
    for run, low in (("a", 0.25), ("b", 0.5)):
        lines = [{"qid": qid} | dict.fromkeys(names, low) for qid in ("2024-1", "2024-2", "all")]
        put({f"{run}/metrics.jsonl": lines})
    scores = read_scores(put({}))
    assert told(scores, "so the system goes by the folder's name")
    assert dict(scores.sizes) == {"metric": 4, "system": 2, "topic": 2}
    assert scores["metric"].to_numpy().tolist() == list(names)
    assert scores.sel(metric="all_score", system="b").to_numpy().tolist() == [0.5, 0.5]


# ------------------------------------------------------------------------------------------------------------ words

WORDS = {
    "an item beside a task": ("item,task", "item", True),
    "a number beside a task": ("task,id", "id", True),
    "a document": ("doc", "doc", False),
    "a task alone": ("task", "task", False),
    "a topic beside a task": ("topic,task", "topic", True),
}


@pytest.mark.parametrize(("names", "topic", "clustered"), WORDS.values(), ids=WORDS.keys())
def test_words_for_items(put, names, topic, clustered):
    """The surest word is the topic, and a task beside it its cluster."""
    tasks = 2 if clustered else 1
    parts = [[f"{name}{n // tasks if name == 'task' else n}" for name in names.split(",")] for n in range(4)]
    rows = "".join(f"{run},{','.join(part)},{n / 8}\n" for run in "ab" for n, part in enumerate(parts))
    scores = read_scores(put({"x.csv": f"system,{names},score\n{rows}"}) / "x.csv")
    assert scores["topic"].to_numpy().tolist() == [f"{topic}{n}" for n in range(4)]
    assert ("cluster" in scores.coords) == clustered
    if clustered:
        assert scores["cluster"].to_numpy().tolist() == ["task0", "task0", "task1", "task1"]


def test_words_that_could_both_be_items(put, told):
    """Two words of one sureness are refused, and less sure ones beside them are left out by name."""
    with pytest.raises(ValueError, match=r"columns 'item' and 'doc' could both be the topic"):
        read_scores(put({"x.csv": "system,item,doc,score\na,1,2,0.5\nb,1,2,0.5\n"}) / "x.csv")
    rows = "".join(f"{run},{item},{item}{run},0.{item}\n" for run in "ab" for item in (1, 2))
    found = read_scores(put({"x.csv": f"system,item,id,score\n{rows}"}) / "x.csv")
    assert found["topic"].to_numpy().tolist() == ["1", "2"]
    assert told(found, "id")
    with pytest.raises(InvalidOptionError, match="part of `columns`"):
        read_scores(put({}) / "x.csv", columns={"items": "item"})


RUNS = {
    run: {str(301 + topic): {"map": round(0.1 * topic + lift, 4), "P_10": 0.2} for topic in range(4)}
    for run, lift in (("bm25", 0.0), ("lm", 0.05))
}


def test_mappings_of_other_tools_are_read_as_in_memory(tmp_path):
    """pytrec_eval's dictionary of runs, one file a run, and ranx's order: the same scores; a gap stays one."""
    turned = {
        run: {metric: {topic: row[metric] for topic, row in rows.items()} for metric in ("map", "P_10")}
        for run, rows in RUNS.items()
    }
    for name, content in {"all": RUNS, "ranx": turned, **RUNS}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    expected = as_scores(RUNS, nesting=("system", "topic", "metric"))
    for files in (["all.json"], ["ranx.json"], ["bm25.json", "lm.json"]):
        found = read_scores([tmp_path / file for file in files])
        labels = {dim: expected[dim].to_numpy() for dim in expected.dims}
        assert (found.sel(labels).to_numpy() == expected.to_numpy()).all(), files
    RUNS["lm"]["302"]["map"] = None
    (tmp_path / "gap.json").write_text(json.dumps(RUNS))
    with pytest.raises(FileFormatError, match="302"):
        read_scores(tmp_path / "gap.json")


@pytest.mark.parametrize("content", [{"arc": {"acc": 0.5}, "boolq": {"acc": 0.7}}, {"a": {"b": {"c": 1}}}, {"a": {}}])
def test_other_mappings_are_refused_as_before(tmp_path, content):
    """Names that do not tell what is what are no scores."""
    (tmp_path / "x.json").write_text(json.dumps(content))
    with pytest.raises(FileFormatError):
        read_scores(tmp_path / "x.json")
