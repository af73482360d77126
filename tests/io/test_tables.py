"""Score tables: every form, aligned by id, written and read back, and what is wrong with the others."""

import ast
import contextlib
import csv
import gzip
import io
import itertools
import lzma
import os
import re
import subprocess
import sys
import threading
from unittest import mock

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import assume, given, settings
from hypothesis.extra import numpy as hnp

from metaeval.base.checks import has_parquet
from metaeval.base.names import natural_order
from metaeval.errors import FileFormatError, InvalidOptionError, MetaevalError, ScoresError, UnknownNameError
from metaeval.io import stored
from metaeval.io.stored import parquet_of
from metaeval.io.tables import read_scores, write_scores
from metaeval.table.array import DIMS
from metaeval.table.scores import as_scores, scores_to_long

LONG = ["system", "topic", "metric", "score"]
PARQUET = pytest.param(".parquet", marks=pytest.mark.parquet)
SYSTEMS, TOPICS = ["bm25", "lm"], ["301", "302", "1001"]
AP = np.array([[0.25, 0.5, 0.0625], [0.1, 0.2, 1e-05]])
RR = np.array([[1.0, 0.5, 0.25], [0.3333, 0.0, 1.0]])
SCORES = as_scores(np.stack([AP, RR]), metrics=["AP", "RR"], systems=SYSTEMS, topics=TOPICS)


def _put(folder, files):
    """Write files by name and return the folder."""
    for name, text in files.items():
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def _rows(order, header=None, separator=",", *, numbered=False, **only):
    """Render SCORES as rows: `order` picks the columns, `only` the rows; `numbered` puts a number before each."""
    cells = [
        {"metric": m, "system": s, "topic": t, "score": repr(SCORES.sel(metric=m, system=s, topic=t).item())}
        for m, s, t in itertools.product(["AP", "RR"], SYSTEMS, TOPICS)
    ]
    kept = [row for row in cells if only.items() <= row.items()]
    lines = [[*([str(place)] if numbered else []), *(row[part] for part in order)] for place, row in enumerate(kept)]
    return "".join(separator.join(line) + "\n" for line in [*([header] if header else []), *lines])


def _wide(values, header, ids=None, separator=","):
    rows = [
        separator.join([*([] if ids is None else [ids[place]]), *(repr(float(cell)) for cell in row)])
        for place, row in enumerate(values)
    ]
    return "\n".join([separator.join(header), *rows]) + "\n"


def _results(order):
    """Render SCORES as one file a system, in trec_eval's or ir_measures' order, with averages at the end."""
    files = {}
    for system in SYSTEMS:
        rows = [("runid", "all", system)] if order == "trec_eval" else []
        for metric in ("AP", "RR"):
            for topic in [*TOPICS, "all"]:
                value = SCORES.sel(metric=metric, system=system)
                score = value.mean().item() if topic == "all" else value.sel(topic=topic).item()
                rows.append((metric, topic, repr(score)) if order == "trec_eval" else (topic, metric, repr(score)))
        files[f"{system}.eval"] = "".join("\t".join(row) + "\n" for row in rows)
    return files


FORMS = {
    "wide with a topic column": {
        "AP.csv": _wide(AP.T, ["topic", *SYSTEMS], TOPICS),
        "RR.csv": _wide(RR.T, ["topic", *SYSTEMS], TOPICS),
    },
    "wide, topics in another order and another column": {
        "AP.csv": "bm25,qid,lm\n0.0625,1001,1e-05\n0.25,301,.1\n0.5,302,0.20\n",
        "RR.tsv": "query_id\tlm\tbm25\n302\t0\t0.5\n301\t0.3333\t1\n1001\t1\t0.25\n",
    },
    "wide with counted rows and a word for topics": {
        "AP.csv": _wide(AP.T, ["", "item", *SYSTEMS], ["0,301", "1,302", "2,1001"]),
        "RR.csv": _wide(RR.T, ["item", *SYSTEMS], ["1,301", "2,302", "3,1001"]),
    },
    "wide with an unnamed topic column": {
        "AP.csv": _wide(AP.T, ["", *SYSTEMS], TOPICS),
        "RR.csv": _wide(RR.T, ["Unnamed: 0", *SYSTEMS], TOPICS),
    },
    "wide with text for topics under another name": {
        "AP.csv": _wide(AP.T, ["sentence", *SYSTEMS], TOPICS),
        "RR.csv": _wide(RR.T, ["sentence", *SYSTEMS], TOPICS),
    },
    "wide as R writes it": {
        "AP.csv": _wide(AP.T, SYSTEMS, TOPICS),
        "RR.txt": _wide(RR.T, ['"bm25"', '"lm"'], [f'"{topic}"' for topic in TOPICS], " "),
    },
    "wide with delimiters at the ends": {
        "AP.csv": _wide(AP.T, ["topic", *SYSTEMS], TOPICS).replace("\n", ",\n"),
        "RR.csv": _wide(RR.T, ["topic", *SYSTEMS], TOPICS).replace("\n", ",\n").replace("lm,\n", "lm\n"),
    },
    "wide with an average below": {
        "AP.csv": _wide(AP.T, ["topic", *SYSTEMS], TOPICS) + "all,0.27,0.1\n",
        "RR.csv": _wide(RR.T, ["topic", *SYSTEMS], TOPICS) + "Mean,0.58,0.4\n",
    },
    "systems in rows": {
        "AP.csv": _wide(AP, ["system", *TOPICS], SYSTEMS),
        "RR.csv": _wide(RR[::-1], ["run", *TOPICS], SYSTEMS[::-1]),
    },
    "long": {"scores.csv": _rows((*DIMS, "score"), (*DIMS, "score"))},
    "long in another order with other words": {
        "scores.tsv": _rows(["score", "topic", "system", "metric"], ["Value", "Query-ID", "RUN", "measure"], "\t")
    },
    "PyTerrier perquery": {"scores.csv": _rows(LONG, ["name", "qid", "measure", "value"])},
    "long with row numbers": {
        "scores.csv": _rows(LONG, ["", "name", "qid", "measure", "value"], numbered=True),
    },
    "long as R writes it": {"scores.txt": _rows(LONG, LONG, " ", numbered=True)},
    "long, one file a metric": {
        f"{metric}.csv": _rows(["system", "topic", "score"], ["run", "topic", "score"], metric=metric)
        for metric in ("AP", "RR")
    },
    "long, one file a system": {
        f"{system}.csv": _rows(["metric", "topic", "score"], ["metric", "topic", "value"], system=system)
        for system in SYSTEMS
    },
    "one column a metric": {
        "scores.csv": "run,topic,AP,RR\n"
        + "".join(
            f"{system},{topic},{AP[s, t].item()!r},{RR[s, t].item()!r}\n"
            for s, system in enumerate(SYSTEMS)
            for t, topic in enumerate(TOPICS)
        )
    },
    "one file a system, one column a metric": {
        f"{system}.csv": "qid,AP,RR\n"
        + "".join(f"{topic},{AP[s, t].item()!r},{RR[s, t].item()!r}\n" for t, topic in enumerate(TOPICS))
        for s, system in enumerate(SYSTEMS)
    },
    "trec_eval": _results("trec_eval"),
    "trec_eval in aligned columns": {
        name: "".join("{:22} {:6} {}\n".format(*line.split("\t")) for line in text.splitlines())
        for name, text in _results("trec_eval").items()
    },
    "ir_measures": _results("ir_measures"),
}


@pytest.mark.parametrize("files", FORMS.values(), ids=FORMS.keys())
def test_every_form_is_found_out_by_its_content(tmp_path, files):
    """Whatever form the files have, the same scores come out, with the files as sources."""
    folder = _put(tmp_path, files)
    found = read_scores(folder)
    xr.testing.assert_identical(found.drop_attrs(), SCORES.drop_attrs())
    assert found.attrs["sources"] == [str(folder / name) for name in natural_order(files)]


PACKED = {
    "gzip": lambda text: gzip.compress(text.encode()),
    "byte-order mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "Windows line ends": lambda text: text.replace("\n", "\r\n").encode(),
    "Macintosh line ends": lambda text: text.replace("\n", "\r").encode(),
    "no line end at the end": lambda text: text.rstrip("\n").encode(),
    "blank lines": lambda text: ("\n" + text.replace("\n", "\n\n")).encode(),
}


@pytest.mark.parametrize("pack", PACKED.values(), ids=PACKED.keys())
@pytest.mark.parametrize("files", FORMS.values(), ids=FORMS.keys())
def test_every_form_survives_how_it_is_stored(tmp_path, files, pack):
    """Compression, byte-order marks, line ends and blank lines change nothing."""
    found = read_scores(_put(tmp_path, {name: pack(text) for name, text in files.items()}))
    xr.testing.assert_identical(found.drop_attrs(), SCORES.drop_attrs())


def test_standard_input(monkeypatch):
    """A table on standard input is read as any other, and named as its source."""
    text = FORMS["long"]["scores.csv"]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    found = read_scores("-")
    xr.testing.assert_identical(found.drop_attrs(), SCORES.drop_attrs())
    assert found.attrs["sources"] == ["-"]


def test_a_pipe_is_read_once(tmp_path):
    """A named pipe, as a shell makes it for <(command), is read to its end and named as the source."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=[FORMS["long"]["scores.csv"]])
    writer.start()
    found = read_scores(path)
    writer.join()
    xr.testing.assert_identical(found.drop_attrs(), SCORES.drop_attrs())
    assert found.attrs["sources"] == [str(path)]


@given(st.permutations(range(12)), st.permutations(range(4)))
def test_the_order_of_rows_and_columns_does_not_matter(tmp_path_factory, rows, columns):
    """A long table shuffled either way holds the same scores, and its topics come in the same order."""
    lines = [line.split(",") for line in _rows(LONG, LONG).splitlines()]
    lines = [lines[0], *(lines[1 + row] for row in rows)]
    path = tmp_path_factory.mktemp("tables") / "scores.csv"
    path.write_text("\n".join(",".join(line[column] for column in columns) for line in lines))
    found = read_scores(path)
    assert found["topic"].to_numpy().tolist() == TOPICS
    xr.testing.assert_identical(found.sel(metric=["AP", "RR"], system=SYSTEMS).drop_attrs(), SCORES.drop_attrs())


def test_files_are_aligned_by_id(tmp_path):
    """A file whose topics and systems stand in another order, and one of another form, join by name."""
    _put(
        tmp_path,
        {
            "AP.csv": "topic,lm,bm25\n1001,1e-05,0.0625\n302,0.2,0.5\n301,0.1,0.25\n",
            "rest.csv": "\n".join(
                [
                    "system,topic,metric,score",
                    *(line for line in _rows(LONG).splitlines() if "RR" in line),
                ]
            ),
        },
    )
    found = read_scores([tmp_path / "rest.csv", tmp_path / "AP.csv"])
    xr.testing.assert_identical(found.sel(metric=["AP", "RR"], system=SYSTEMS).drop_attrs(), SCORES.drop_attrs())


# ----------------------------------------------------------------------------------------------------------- names


def test_a_wide_table_is_named_after_its_file(tmp_path):
    """The metric is the file's stem without compression, or NAME=FILE, or the key of a mapping."""
    path = tmp_path / "adhoc8_ap.csv.gz"
    path.write_bytes(gzip.compress(FORMS["wide with a topic column"]["AP.csv"].encode()))
    assert read_scores(path)["metric"].item() == "adhoc8_ap"
    assert read_scores(f"AP(rel=2)={path}")["metric"].item() == "AP(rel=2)"
    assert read_scores({"P@10": path})["metric"].item() == "P@10"


def test_topics_without_a_column_are_numbered_and_that_is_said(tmp_path):
    """Without a topic column ids are 1 to T, and the notes say so once for all files."""
    _put(tmp_path, {"a.csv": _wide(AP.T, SYSTEMS), "b.csv": _wide(RR.T, SYSTEMS)})
    found = read_scores(tmp_path)
    assert found["topic"].to_numpy().tolist() == ["1", "2", "3"]
    assert found.attrs["notes"][:2] == [
        "no column names the topics of the rows: they are paired by order in a file",
        "a.csv, b.csv: no topic column, so topics are numbered 1 to 3",
    ]
    np.testing.assert_array_equal(found.to_numpy(), SCORES.to_numpy())


def test_what_was_assumed_or_left_out_is_noted(tmp_path):
    """A guessed topic column, averages, counts and rules for gaps all leave a note."""
    _put(tmp_path, {"AP.csv": "Satz,bm25,lm\n301,0.25,0.1\n302,0.5,\nmean,0.3,0.1\n"})
    assert read_scores(tmp_path / "AP.csv", missing="zero").attrs["notes"] == [
        "AP.csv: column 'Satz' was taken for the topic",
        "AP.csv: left out the averages (mean)",
        "1 missing score was counted as 0: system 'lm' on topic '302' under 'AP'",
    ]
    text = (
        "num_q\tall\t2\nrunid\tall\t{0}\nrelstring\t1\t'01'\nnum_ret\t1\t10\n"
        "map\t1\t.5\nmap\t2\t.25\nmap\tall\t.375\ngm_map\tall\t.3\n"
    )
    _put(tmp_path, {"one.txt": text.format("one"), "two.txt": text.format("two")})
    found = read_scores([tmp_path / "one.txt", tmp_path / "two.txt"])
    assert found["metric"].to_numpy().tolist() == ["map"]
    assert found.attrs["notes"] == [
        "one.txt, two.txt: left out counts and texts (num_q, relstring, num_ret)",
        "one.txt, two.txt: left out the averages (all)",
    ]


def test_systems_are_named_by_tag_then_file(tmp_path):
    """The run tag names a system; without one, or where two files carry the same, the file does; NAME= wins."""
    files = _results("trec_eval")
    text = files["bm25.eval"]
    _put(
        tmp_path,
        {"first.txt": text, "second.txt": text, "bare.txt": text.split("\n", 1)[1], "lm.txt": files["lm.eval"]},
    )
    paths = [str(tmp_path / name) for name in ("first.txt", "second.txt", "bare.txt", "lm.txt")]
    found = read_scores(paths)
    assert found["system"].to_numpy().tolist() == ["first", "second", "bare", "lm"]
    assert any("the tag 'bm25' is not the file's own" in note for note in found.attrs["notes"])
    named = read_scores([paths[0], f"mine={paths[1]}", paths[3]])
    assert named["system"].to_numpy().tolist() == ["bm25", "mine", "lm"]


def test_one_system_in_files_of_different_metrics(tmp_path):
    """Two files with one tag and different metrics are one system."""
    files = {}
    for name, text in _results("trec_eval").items():
        for metric in ("AP", "RR"):
            files[f"{metric}-{name}"] = "".join(
                line + "\n" for line in text.splitlines() if line.startswith((metric, "runid"))
            )
    xr.testing.assert_identical(read_scores(_put(tmp_path, files)).drop_attrs(), SCORES.drop_attrs())


@pytest.mark.parametrize("metrics", ["AP,nDCG,P10", "precision,recall,F1", "acc", "pass@1", "accuracy,time"])
def test_one_system_a_file_with_its_metrics_in_columns(tmp_path, metrics):
    """Whatever field the metrics are of, beside words, costs and empty columns; trials are repeats."""
    names = metrics.split(",")
    for system, by in (("a", 1), ("b", 2)):
        rows = [f"{item},{item % 3 * by / 9},{item * by / 9}" + f",{by / 9}" * (len(names) - 1) for item in range(1, 4)]
        text = "\n".join(
            [f"task,note,empty,{metrics}", *(row.replace(",", ",fine,,", 1).rsplit(",", 1)[0] for row in rows)]
        )
        (tmp_path / f"{system}.csv").write_text(text)
    scores = read_scores(tmp_path)
    assert scores["system"].to_numpy().tolist() == ["a", "b"]
    assert scores["metric"].to_numpy().tolist() == [name for name in names if name != "time"]
    first = scores.sel(metric=names[0])
    np.testing.assert_allclose(first, [[1 / 9, 2 / 9, 0], [2 / 9, 4 / 9, 0]])


@pytest.mark.parametrize(("yes", "no"), [("True", "False"), ("TRUE", "FALSE"), ("true", "false")])
@pytest.mark.parametrize("column", ["score", "correct", "passed", "accuracy"])
def test_true_and_false_are_scores_where_the_column_says_what_is_true(tmp_path, yes, no, column):
    """1 and 0, with a note; in a column called otherwise, or mixed with numbers, they are words as before."""
    path = tmp_path / "x.csv"
    cells = itertools.product("ab", "123")
    rows = [f"{system},{item},{yes if at % 3 else no}" for at, (system, item) in enumerate(cells)]
    path.write_text("\n".join([f"model,question,{column}", *rows]))
    scores = read_scores(path)
    assert scores.to_numpy().tolist() == [[[0, 1, 1], [0, 1, 1]]]
    assert f"true counts 1 and false 0 under '{column}'" in "".join(scores.attrs["notes"])
    for text in (path.read_text().replace(column, "failed"), path.read_text().replace(f"b,3,{yes}", "b,3,1")):
        path.write_text(text)
        with pytest.raises(FileFormatError, match="is a word for a score; write 1 for true and 0 for false"):
            read_scores(path)
        path.write_text("\n".join([f"model,question,{column}", *rows]))


def test_truths_beside_costs_are_the_scores(tmp_path):
    """They are no words beside the numbers that count and time."""
    _put(tmp_path, {"x.csv": "id,model,correct,cost\n1,a,True,0.5\n2,a,False,0.25\n1,b,True,0.75\n2,b,True,0.5\n"})
    scores = read_scores(tmp_path / "x.csv")
    assert scores["metric"].to_numpy().tolist() == ["correct"]
    assert scores.to_numpy().tolist() == [[[1, 0], [1, 1]]]


@pytest.mark.parametrize("head", ["Average,Model", "Size,Rank,Model", "Cost,Overall,Model"])
def test_systems_in_rows_may_stand_behind_what_is_no_score(tmp_path, head):
    """An average, a rank, a cost or a size before the names of systems is left out, with a note."""
    before = head.split(",")[:-1]
    said = {"Average": "0.{0}5", "Overall": "0.{0}5", "Rank": "{0}", "Cost": "1.{0}", "Size": "{0}000"}
    rows = [
        ",".join([*(said[name].format(at) for name in before), f"s{at}", f"0.{at}", f"0.{at + 1}"]) for at in (3, 1, 2)
    ]
    _put(tmp_path, {"x.csv": "\n".join([f"{head},arc,gsm8k", *rows])})
    scores = read_scores(tmp_path / "x.csv")
    assert scores["topic"].to_numpy().tolist() == ["arc", "gsm8k"]
    assert scores.sel(metric="x", system="s3").to_numpy().tolist() == [0.3, 0.4]
    assert all(name in "".join(scores.attrs["notes"]) for name in before)


def test_words_about_the_topics_may_stand_before_their_names(tmp_path):
    """The column that is called as topics are, each once, names them, whatever repeats in the first."""
    _put(tmp_path, {"x.csv": "category,question_id,a,b\nlaw,q1,0.1,0.2\nlaw,q2,0.3,0.4\nart,q3,0.5,0.6\n"})
    scores = read_scores(tmp_path / "x.csv")
    assert scores["topic"].to_numpy().tolist() == ["q1", "q2", "q3"]
    assert scores.to_numpy().tolist() == [[[0.1, 0.3, 0.5], [0.2, 0.4, 0.6]]]


def test_topic_ids_are_text(tmp_path):
    """Ids keep their leading zeros, also beside the same number without them."""
    _put(tmp_path, {"AP.csv": "topic,a,b\n01,1,0\n1,0,1\n002,0.5,0.5\n"})
    assert read_scores(tmp_path / "AP.csv")["topic"].to_numpy().tolist() == ["01", "1", "002"]


def test_numbers_are_read_exactly(tmp_path):
    """Every number is the double nearest to what is written."""
    written = [
        "0.1",
        "1e-05",
        ".5",
        "5e-324",
        "0.30000000000000004",
        "9007199254740992",
        "-0",
        "+1.5",
        "2.",
        "1E2",
        "0.1234567890123456789",
    ]
    lines = [f"{number},{text},0" for number, text in enumerate(written, 1)]
    _put(tmp_path, {"x.csv": "\n".join(["topic,a,b", *lines])})
    found = read_scores(tmp_path / "x.csv").sel(metric="x", system="a").to_numpy().tolist()
    assert found == [float(text) for text in written]


def test_columns_can_be_named(tmp_path):
    """Columns under other names are given by name; what is left over is a metric, or ignored on request."""
    _put(tmp_path, {"x.csv": "SYS,DOC,RAW,Z,N\na,d1,90,.5,2\na,d2,80,.25,3\nb,d1,70,.125,2\nb,d2,60,0,1\n"})
    roles = {"system": "SYS", "topic": "DOC"}
    found = read_scores(tmp_path / "x.csv", columns={**roles, "ignore": "N"})
    assert found["metric"].to_numpy().tolist() == ["RAW", "Z"]
    assert found.sel(metric="Z", system="a", topic="d2").item() == 0.25
    one = read_scores(f"human={tmp_path / 'x.csv'}", columns={**roles, "score": "Z", "ignore": ["N", "RAW"]})
    assert one["metric"].item() == "human"


def test_columns_can_be_counted(tmp_path):
    """A long table without a header is read by the positions of its columns."""
    _put(tmp_path, {"x.txt": _rows(["score", "metric", "topic", "system"], None, " ")})
    found = read_scores(tmp_path / "x.txt", columns={"score": 1, "metric": 2, "topic": 3, "system": 4})
    xr.testing.assert_identical(found.drop_attrs(), SCORES.drop_attrs())


def test_systems_called_like_metrics(tmp_path):
    """Systems called map and rr are systems if that is said; a single one among others always is."""
    _put(
        tmp_path, {"AP.csv": "topic,map,rr\n1,0.1,0.2\n2,0.3,0.4\n", "RR.csv": "topic,bm25,rr\n1,0.1,0.2\n2,0.3,0.4\n"}
    )
    with pytest.raises(ScoresError, match="at least two systems are needed to compare anything; there is only 'AP'"):
        read_scores(tmp_path / "AP.csv")
    assert read_scores(tmp_path / "AP.csv", form="wide")["system"].to_numpy().tolist() == ["map", "rr"]
    assert read_scores(tmp_path / "RR.csv")["system"].to_numpy().tolist() == ["bm25", "rr"]


def test_a_form_can_be_forced(tmp_path):
    """Results whose measures nobody knows are read once the form is said."""
    text = "mine\tq{0}\t0.5\nyours\tq{1}\t0.25\n"
    for system in ("a", "b"):
        (tmp_path / f"{system}.txt").write_text(text.format(1, 2) + text.format(2, 1))
    with pytest.raises(FileFormatError, match=r"either of the first two \('mine', 'q1'\) could be the measure"):
        read_scores(tmp_path)
    found = read_scores(tmp_path, form="trec_eval")
    assert found["metric"].to_numpy().tolist() == ["mine", "yours"]
    assert read_scores(tmp_path, form="ir_measures")["metric"].to_numpy().tolist() == ["q1", "q2"]


def test_tables_without_names(tmp_path):
    """A bare matrix is read once it is said that there is no header; everything is numbered, and noted."""
    _put(tmp_path, {"matrix.map": "0.1\t0.2\t0.3\n0.4\t0.5\t0.6\n"})
    with pytest.raises(FileFormatError, match=r"line 1: the first line .* holds numbers where names are expected"):
        read_scores(tmp_path)
    found = read_scores(tmp_path, header=False, systems_in="rows")
    assert found.sizes == {"metric": 1, "system": 2, "topic": 3}
    assert found.attrs["notes"] == [
        "matrix.map: no names of systems, so they are numbered system1 to system2",
        "matrix.map: no topic column, so topics are numbered 1 to 3",
    ]
    assert read_scores(tmp_path, header=False).sizes == {"metric": 1, "system": 3, "topic": 2}


WITHOUT_NAMES = {
    "topics called by numbers": (
        "301,0.3,0.1,0.2\n302,0.0,0.4,0.5\n",
        {},
        (["system1", "system2", "system3"], ["301", "302"]),
    ),
    "topics, and an average": ("7,0.3,0.1\n9,0.0,0.4\nall,0.15,0.25\n", {}, (["system1", "system2"], ["7", "9"])),
    "topics counted": ("q1,0.3,0.1\nq2,0.0,0.4\n", {"columns": {"topic": 1}}, (["system1", "system2"], ["q1", "q2"])),
    "topics at the end": (
        "0.3,0.1,q1\n0.0,0.4,q2\n",
        {"columns": {"topic": 3}},
        (["system1", "system2"], ["q1", "q2"]),
    ),
    "topics, for systems are in columns": (
        "q1,0.3,0.1\nq2,0.0,0.4\n",
        {"header": False, "systems_in": "columns"},
        (["system1", "system2"], ["q1", "q2"]),
    ),
    "systems counted": ("bm25,0.3,0.1\nlm,0.0,0.4\n", {"columns": {"system": 1}}, (["bm25", "lm"], ["1", "2"])),
    "systems in rows": (
        "bm25,0.3,0.1\nlm,0.0,0.4\n",
        {"header": False, "systems_in": "rows"},
        (["bm25", "lm"], ["1", "2"]),
    ),
    "whole numbers beside shares near 1": ("3,0.6,0.8\n5,0.7,0.9\n", {}, (["system1", "system2"], ["3", "5"])),
    "nothing but scores": ("0.3,0.1\n0.0,0.4\n", {}, (["system1", "system2"], ["1", "2"])),
    "nothing but counts": (
        "3,1\n5,4\n",
        {"header": False, "columns": {"topic": None}},
        (["system1", "system2"], ["1", "2"]),
    ),
}


@pytest.mark.parametrize(("text", "said", "expected"), WITHOUT_NAMES.values(), ids=WITHOUT_NAMES.keys())
def test_names_of_rows_below_no_header_are_no_scores(tmp_path, text, said, expected):
    """What names the rows is found by its cells or said by the caller, and is never read as one more system."""
    _put(tmp_path, {"AP.csv": text})
    found = read_scores(tmp_path / "AP.csv", **(said or {"header": False}))
    assert (found["system"].to_numpy().tolist(), found["topic"].to_numpy().tolist()) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "sys1,0.3,0.1\nsys2,0.0,0.4\n",
            r"rows have names \(sys1, sys2\) and columns have .*'topic': 1.` if these are topics or .*'system': 1",
        ),
        ("3,1,2\n5,4,4\n", "column 1 could hold topic ids or scores .*columns=.'topic': None.` if they are scores"),
        ("1,0.5,0.2\n0,0.4,0.1\n", "column 1 could hold topic ids or scores"),
        ("100,99.5,0.2\n0,0.4,0.1\n", "column 1 could hold topic ids or scores"),
        ("1,0.5,0.2\nq2,0.4,0.1\n", r"line 2: column 1 holds numbers and text \('q2'\)"),
    ],
)
def test_what_names_rows_below_no_header_must_be_plain(tmp_path, text, words):
    """What could be two things is refused with a way out for each."""
    _put(tmp_path, {"AP.csv": text})
    with pytest.raises(FileFormatError, match=words):
        read_scores(tmp_path, header=False)
    with pytest.raises(FileFormatError, match="there is no column 9; rows have 3 cells"):
        read_scores(tmp_path, columns={"topic": 9})


def test_systems_named_by_numbers(tmp_path):
    """Names that look like numbers are possible where the first column is a topic column, or on request."""
    _put(tmp_path, {"AP.csv": "topic,0.1,0.5\n301,1,0\n302,0,1\n", "RR.csv": "1,2\n0.5,0.25\n1,0\n"})
    assert read_scores(tmp_path / "AP.csv")["system"].to_numpy().tolist() == ["0.1", "0.5"]
    with pytest.raises(FileFormatError, match="if it names the systems, add a first column called topic"):
        read_scores(tmp_path / "RR.csv")
    assert read_scores(tmp_path / "RR.csv", header=True)["system"].to_numpy().tolist() == ["1", "2"]


TRANSPOSED = "MQ07,10,15,33\nbm25,0.25,0.5,0.0625\nlm,0.1,0.2,1e-05\n"


def test_models_by_tasks_are_systems_by_topics(tmp_path):
    """What benchmarks call a model is a system, and an average beside its tasks is left out."""
    _put(tmp_path, {"wide.csv": "Model,arc,mmlu,Average\nm1,0.5,0.7,0.6\nm2,0.4,0.2,0.3\n"})
    _put(tmp_path, {"long.csv": "model,task,score\nm1,arc,0.5\nm1,mmlu,0.7\nm2,arc,0.4\nm2,mmlu,0.2\n"})
    tables = [read_scores(tmp_path / name) for name in ("wide.csv", "long.csv")]
    for table in tables:
        assert table["system"].to_numpy().tolist() == ["m1", "m2"]
        assert table["topic"].to_numpy().tolist() == ["arc", "mmlu"]
        np.testing.assert_array_equal(table.to_numpy()[0], [[0.5, 0.7], [0.4, 0.2]])


def test_a_run_beside_its_model_is_the_system(tmp_path):
    """A model is a system only where no surer word says which column is."""
    _put(tmp_path, {"x.csv": "run,model,topic,score\na,m,1,0.1\nb,m,1,0.2\na,m,2,0.3\nb,m,2,0.4\n"})
    found = read_scores(tmp_path / "x.csv", columns={"ignore": ["model"]})
    assert found["system"].to_numpy().tolist() == ["a", "b"]


def test_a_table_that_looks_transposed_is_not_guessed(tmp_path):
    """Numbers above and names aside could be either way round, so the caller has to say."""
    _put(tmp_path, {"AP.csv": TRANSPOSED, "RR.csv": ",10,15\na,0.1,0.2\nb,0.3,0.4\n"})
    for name in ("AP.csv", "RR.csv"):
        with pytest.raises(FileFormatError, match="systems seem to stand in rows; pass `systems_in='rows'`"):
            read_scores(tmp_path / name)
    found = read_scores(tmp_path / "AP.csv", systems_in="rows")
    np.testing.assert_array_equal(found.sel(metric="AP", system=SYSTEMS).to_numpy(), AP)
    assert found["topic"].to_numpy().tolist() == ["10", "15", "33"]
    assert read_scores(tmp_path / "AP.csv", columns={"topic": "MQ07"})["system"].to_numpy().tolist() == [
        "10",
        "15",
        "33",
    ]
    assert read_scores(tmp_path / "AP.csv", columns={"system": "MQ07"}).sizes["topic"] == 3


FIRST_COLUMNS = {
    "ids beyond the scores": ("code,a,b\n301,0.5,0.25\n302,0.1,0.2\n", ["301", "302"]),
    "ids from 1": ("no,a,b\n2,0.5,0.25\n1,0.1,0.2\n", ["1", "2"]),
    "text": ("code,a,b\nq2,0.5,0.25\nq1,0.1,0.2\n", ["q1", "q2"]),
}


@pytest.mark.parametrize(("text", "topics"), FIRST_COLUMNS.values(), ids=FIRST_COLUMNS.keys())
def test_a_first_column_of_ids(tmp_path, text, topics):
    """Under an unknown name, text or whole numbers beyond all scores are topics, and that is noted."""
    found = read_scores(_put(tmp_path, {"AP.csv": text}))
    assert found["topic"].to_numpy().tolist() == topics
    assert found["system"].to_numpy().tolist() == ["a", "b"]
    assert "was taken for the topic" in found.attrs["notes"][0]


@pytest.mark.parametrize(
    "text",
    ["a,b,c\n0.1,0.2,0.3\n0.4,0.5,0.6\n", "a,b,c\n1,0,0.5\n1,1,0.25\n", "a,b,c\n0,1,1\n1,1,0\n0,0,1\n"],
)
def test_a_first_column_of_scores(tmp_path, text):
    """Fractions, and whole numbers that repeat, are the scores of a system."""
    found = read_scores(_put(tmp_path, {"AP.csv": text}))
    assert found["system"].to_numpy().tolist() == ["a", "b", "c"]


@pytest.mark.parametrize(
    "text", ["a,b,c\n0,1,0.5\n1,0,0.25\n", "a,b,c\n3,4,1\n5,2,6\n", "a,b,c\n1,44.5,9.5\n2,30.1,9.1\n"]
)
def test_a_first_column_that_could_be_either(tmp_path, text):
    """Whole numbers, no two alike, within the range of the scores: the caller has to say."""
    _put(tmp_path, {"AP.csv": text})
    with pytest.raises(FileFormatError, match="column 'a' could hold topic ids or scores"):
        read_scores(tmp_path)
    for topic, systems in ((None, ["a", "b", "c"]), ("a", ["b", "c"])):
        assert read_scores(tmp_path, columns={"topic": topic})["system"].to_numpy().tolist() == systems


def test_a_query_text_is_not_a_second_topic(tmp_path):
    """A column with the query's words is ignored on request, and an error with that way out otherwise."""
    _put(tmp_path, {"AP.csv": 'qid,query,a,b\n1,"who, what",0.1,0.2\n2,where,0.3,0.4\n'})
    with pytest.raises(FileFormatError, match="columns 'qid' and 'query' could both be the topic") as caught:
        read_scores(tmp_path)
    assert "`columns={'topic': 'qid', 'ignore': ['query']}`" in str(caught.value)
    found = read_scores(tmp_path, columns={"topic": "qid", "ignore": ["query"]})
    assert found["system"].to_numpy().tolist() == ["a", "b"]


def test_groups_and_directions_in_a_table(tmp_path):
    """Columns group and higher_is_better are understood, by these names or others; a row may say it of all metrics."""
    text = "run,topic,TER,team\na,1,0.5,x\na,2,0.4,x\nb,1,0.6,y\nb,2,0.7,y\n"
    found = read_scores(
        _put(tmp_path, {"x.csv": text}) / "x.csv", columns={"group": "team"}, higher_is_better={"TER": False}
    )
    assert found["group"].to_numpy().tolist() == ["x", "y"]
    assert not found["higher_is_better"].item()
    (tmp_path / "both.csv").write_text(
        "run,topic,ours,theirs,higher_is_better\na,1,.5,1,false\na,2,.4,2,false\nb,1,.6,3,false\nb,2,.7,4,false\n"
    )
    assert read_scores(tmp_path / "both.csv")["higher_is_better"].to_numpy().tolist() == [False, False]
    with pytest.raises(FileFormatError, match="line 3: system 'a' has more than one group: 'x' and 'y'"):
        read_scores(_put(tmp_path, {"x.csv": text.replace("0.4,x", "0.4,y")}) / "x.csv", columns={"group": "team"})


# ------------------------------------------------------------------------------------------------------- write and read


_NAMES = (
    st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=8)
    .map(str.strip)
    .filter(lambda name: name and name.casefold() not in {"all", "mean", "avg", "amean", "average"})
)
AWKWARD = [
    "<b>x</b> & co",
    r"\textbf{50 \%} $x_1$",
    'say "hi", ok',
    "../../etc",
    "名前 ñ",
    "-",
    "=1+1",
    "a;b\u00a0c",
    "nan",
    "1",
]


@st.composite
def _any_scores(draw):
    shape = draw(hnp.array_shapes(min_dims=3, max_dims=3, min_side=2, max_side=4))
    names = [draw(st.lists(_NAMES, min_size=size, max_size=size, unique=True)) for size in shape]
    values = draw(hnp.arrays(np.float64, shape, elements=st.floats(allow_nan=False, allow_infinity=False)))
    return as_scores(
        values,
        metrics=names[0],
        systems=names[1],
        topics=names[2],
        groups=draw(st.none() | st.just({name: f"g{len(name) % 2}" for name in names[1]})),
        higher_is_better=draw(st.none() | st.just({names[0][0]: False})),
    )


@pytest.mark.parametrize("ending", [".nc", PARQUET, ".csv", ".tsv", ".csv.gz", ".nc.zst"])
@settings(max_examples=20)
@given(scores=_any_scores())
def test_what_is_written_is_read_back(tmp_path_factory, ending, scores):
    """Scores, names of any kind, groups and directions come back; the topics' order too, but for plain text."""
    found = read_scores(write_scores(scores, tmp_path_factory.mktemp("tables") / f"scores{ending}"))
    if ending.startswith((".csv", ".tsv")):
        scores = scores.sel(topic=natural_order(scores["topic"].to_numpy().tolist()))
    xr.testing.assert_identical(found.drop_attrs(), scores.drop_attrs())


@pytest.mark.parametrize("ending", [".nc", PARQUET, ".csv", ".tsv"])
def test_awkward_names_do_no_harm(tmp_path, ending):
    """HTML, LaTeX, delimiters, quotes, path characters, Unicode and words for nothing survive as names."""
    values = np.random.default_rng(0).random((2, len(AWKWARD), len(AWKWARD)))
    scores = as_scores(values, metrics=AWKWARD[:2], systems=AWKWARD, topics=natural_order(AWKWARD))
    found = read_scores(write_scores(scores, tmp_path / f"scores{ending}"))
    xr.testing.assert_identical(found.drop_attrs(), scores.drop_attrs())


@pytest.mark.parametrize("ending", [".nc", PARQUET])
def test_notes_travel_with_the_scores(tmp_path, ending):
    """What was noted when the scores were first read is still there after writing and reading."""
    scores = SCORES.copy()
    scores.attrs = {"notes": ["a.csv: ünïcode"], "sources": ["a.csv"]}
    found = read_scores(write_scores(scores, tmp_path / f"x{ending}"))
    read_as = found.attrs.pop("read_as")
    assert read_as.endswith(": 2 metrics, 2 systems, 3 topics")
    assert found.attrs == {"notes": ["a.csv: ünïcode"], "sources": [str(tmp_path / f"x{ending}")]}
    assert scores.attrs["notes"] == ["a.csv: ünïcode"]


@pytest.mark.parametrize("ending", [".nc", PARQUET, ".csv", ".csv.gz"])
def test_the_same_scores_are_the_same_bytes(tmp_path, ending):
    """Nothing of the time or the file's name gets into it."""
    one, other = (write_scores(SCORES, tmp_path / f"{name}{ending}").read_bytes() for name in ("one", "other"))
    assert one == other


def test_an_unknown_ending_is_refused(tmp_path):
    """The endings that can be written are listed."""
    for name, called in {"x.xlsx": r"\.xlsx", "x": "x", "x.gz": r"x\.gz"}.items():
        words = rf"no file ending '{called}'.* Known: \.nc, \.parquet, \.csv, \.tsv"
        with pytest.raises(UnknownNameError, match=words):
            write_scores(SCORES, tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("types", [{}, {"system": "Categorical", "topic": "Int64"}, {"score": "Float32"}])
def test_parquet_of_others(tmp_path, types):
    """Long Parquet under other column names and types is read as any long table."""
    pl = pytest.importorskip("polars")
    types = {name: getattr(pl, kind) for name, kind in types.items()}
    frame = pl.DataFrame({str(name): column.tolist() for name, column in scores_to_long(SCORES).items()})
    frame = frame.drop("higher_is_better").cast(types).rename({"system": "run", "topic": "query_id", "score": "value"})
    frame.sample(fraction=1, shuffle=True, seed=1).write_parquet(tmp_path / "x.parquet")
    found = read_scores(tmp_path / "x.parquet").sel(metric=["AP", "RR"], system=SYSTEMS)
    expected = SCORES.astype(np.float32).astype(np.float64) if "score" in types else SCORES
    np.testing.assert_array_equal(found.to_numpy(), expected.to_numpy())
    assert found["topic"].to_numpy().tolist() == TOPICS


def test_netcdf_of_others(tmp_path):
    """A data set with a variable a metric, and dimensions in any order, is read too."""
    dataset = SCORES.drop_vars("higher_is_better").to_dataset("metric").transpose("topic", "system")
    dataset["AP"].attrs["notes"] = "made elsewhere"
    dataset.to_netcdf(tmp_path / "x.nc", engine="h5netcdf")
    found = read_scores(tmp_path / "x.nc")
    xr.testing.assert_identical(found.drop_attrs(), SCORES.drop_attrs())
    assert found.attrs["notes"] == ["made elsewhere"]


# ------------------------------------------------------------------------------------------------------------- refusals


GOOD_LONG = "system,topic,metric,score\na,1,AP,0.1\na,2,AP,0.2\nb,1,AP,0.3\nb,2,AP,0.4\n"
GOOD_WIDE = "topic,a,b\n1,0.1,0.3\n2,0.2,0.4\n"
FAULTS = {
    "empty": ("", "x.csv: the file is empty"),
    "header only, wide": ("topic,a,b\n", "x.csv: the table has a header and no rows"),
    "header only, long": ("system,topic,metric,score\n", "x.csv: the table has a header and no rows"),
    "ragged, wide": (
        "topic,a,b\n1,0.1,0.3\n2,0.2\n",
        "x.csv, line 3: a row of 2 cells, and the table has 3 columns, divided by commas",
    ),
    "ragged, long": (GOOD_LONG + "c,1,AP\n", "x.csv, line 6: a row of 3 cells, and the table has 4 columns"),
    "ragged below the header": ("system,topic,metric,score\na,1\n", "x.csv, line 2: a row of 2 cells"),
    "a name too few": (
        "a,b\n0.1,0.2,0.3\n0.4,0.5,0.6\n",
        "x.csv, line 2: a row of 3 cells, and the table has 2 columns",
    ),
    "decimal commas between commas": (
        "topic,a,b\n1,0,1,0,3\n2,0,2,0,4\n",
        "line 2: .*if commas are decimal signs, write the file again with points",
    ),
    "decimal commas between semicolons": (
        "topic;a;b\n1;0,1;0,3\n2;0,2;0,4\n",
        "line 2: column 'a', row '1': '0,1' has a decimal comma; write '0.1'",
    ),
    "text, wide": ("topic,a,b\n1,0.1,0.3\n2,0.2,high\n", "x.csv, line 3: column 'b', row '2': 'high' is not a number"),
    "text, long": (
        GOOD_LONG.replace("0.4", "0.4%"),
        "x.csv, line 5: 'score' of metric 'AP', system 'b', topic '2': '0.4%' has a percent sign; write '0.4' .sed ",
    ),
    "underscore": (GOOD_WIDE.replace("0.4", "1_0"), "line 3: .*'1_0' is not a number"),
    "infinite": (GOOD_WIDE.replace("0.4", "-inf"), "line 3: column 'b', row '2': '-inf' is not finite"),
    "too large": (GOOD_LONG.replace("0.4", "1e999"), "line 5: .*'1e999' is not finite"),
    "empty cell, wide": (
        GOOD_WIDE.replace("0.4", " "),
        "line 3: column 'b', row '2': the cell is empty; fill in the score, or pass `missing='zero'`",
    ),
    "empty cell, long": (
        GOOD_LONG.replace("0.4", ""),
        "line 5: 'score' of metric 'AP', system 'b', topic '2': the cell is empty",
    ),
    "nan": (GOOD_WIDE.replace("0.4", "NaN"), "line 3: .*the cell holds 'NaN'"),
    "gap, long": (
        GOOD_LONG.replace("b,2,AP,0.4\n", ""),
        "x.csv: no score for system 'b' on topic '2' under 'AP'; pass `missing='zero'`",
    ),
    "repeated row, long": (
        GOOD_LONG + "a,2,AP,0.5\n",
        "x.csv, line 6: system 'a' has a score on topic '2' under 'AP' on line 3 already",
    ),
    "repeated topic, wide": (GOOD_WIDE + "1,0.5,0.5\n", "x.csv: topic '1' appears twice"),
    "repeated system, wide": ("topic,a,a\n1,0.1,0.3\n2,0.2,0.4\n", "x.csv: columns 2 and 3 are both called 'a'"),
    "repeated column, long": ("system,topic,score,score\na,1,0.1,0.1\n", "x.csv: two columns are called 'score'"),
    "repeated metric": ("run,topic,AP,AP\na,1,0.1,0.1\n", "x.csv: two columns are called 'AP'"),
    "no name above a column": ("topic,a,,b\n1,0.1,0.2,0.3\n2,0.2,0.2,0.4\n", "x.csv: column 3 has no name"),
    "no name, long": (GOOD_LONG.replace("b,2", ",2"), "x.csv, line 5: a system has no name"),
    "a column that parts rows": (
        "system,topic,metric,score,fold\na,1,AP,0.1,0\na,1,AP,0.2,1\n",
        "2 sets of rows, .* twice without 'fold'; pass `where=.'fold': '0'.` .*`columns=.'repeat': 'fold'.`",
    ),
    "no topic column": (
        "system,metric,score\na,AP,0.1\nb,AP,0.2\n",
        "there is no column for the topic .means alone do not tell whether.*; columns found",
    ),
    "no score column": ("system,topic,metric\na,1,AP\nb,1,AP\n", "there is no column for the score; columns found"),
    "averages by system": (
        "run,map,ndcg\na,0.1,0.2\nb,0.3,0.4\n",
        "map, ndcg seem to be scores of systems without topics; whether a difference is more than luck",
    ),
    "a leaderboard of means": (
        "model,score\na,0.6\nb,0.5\n",
        "every row of .model. has one score .means alone do not tell",
    ),
    "a leaderboard of one benchmark": ("model,accuracy\na,0.6\nb,0.5\n", "accuracy seems to be one score a system"),
    "a leaderboard of averages": (
        "Model name,Average\na,0.6\nb,0.5\n",
        "line 1: Average seems to be one score a system",
    ),
    "a leaderboard with errors": (
        "model,arc,stderr\na,0.6,0.01\nb,0.5,0.01\nc,0.4,0.02\n",
        "these are means with standard errors, which tell ranks alone",
    ),
    "a leaderboard with errors, first column unknown": (
        "approach,score,std\na,0.6,0.01\nb,0.5,0.01\nc,0.4,0.02\n",
        "'std' holds standard deviations, which make .*; add a column n, or rename it to 'score_stderr'",
    ),
    "a mean over other systems": (
        "topic,a,b,mean\n1,0.1,0.3,0.35\n2,0.2,0.4,0.15\n",
        "'mean' .an average of others.. seems to be no score; pass `columns=.'ignore': .'mean'..`",
    ),
    "averages by metric": (
        "x,a,b\nP@10,0.1,0.2\nRBP(p=0.8),0.3,0.4\n",
        "P@10, RBP.p=0.8. seem to be metrics",
    ),
    "a board turned, metrics named": (
        "metric,BM25,DPR,ColBERT\nnDCG@10,.45,.5,.52\nAP,.2,.25,.31\n",
        "every row of 'metric' has one score of each of BM25, DPR, ColBERT .means alone do not tell",
    ),
    "a board turned": (
        ",BM25,DPR,ColBERT\nnDCG@10,.45,.5,.52\nAP,.2,.25,.31\n",
        "nDCG@10, AP seem to be metrics with one mean of each of BM25, DPR, ColBERT",
    ),
    "no scores": ("topic\n1\n2\n", "no column is left that could hold scores; columns found: 'topic'"),
    "a Markdown table": (
        "| Model | q1 | q2 |\n|---|:--:|---|\n| A | 0.5 | 0.6 |\n| B | 0.4 | 0.7 |\n",
        "this is a Markdown table; write it as TSV: without the line of hyphens",
    ),
    "items numbered anew in every task": (
        "model,question,task,correct\nA,1,x,1\nA,2,x,0\nA,1,y,0\nB,1,x,1\nB,2,x,1\nB,1,y,1\n",
        "topic '1' has more than one cluster: 'x' and 'y'; .*used again in every cluster, write both into .*'y/1'.",
    ),
    "points between thousands": (
        "item;A;B\n1;1.234;2.345\n2;987;1.100\n3;1.500;1.750\n4;850;990\n",
        "line 2: column 'A' holds '1.234' beside the whole number '987'; write '1234' if the point divides thousands",
    ),
    "points between thousands, a row a score": (
        "system,topic,score\na,1,1.234\na,2,987\nb,1,1.500\nb,2,2.100\n",
        "line 2: column 'score' holds '1.234' beside the whole number '987'",
    ),
    "metrics of two systems": (
        "topic,A_AP,A_gut,B_AP,B_gut\n1,.1,.2,.3,.35\n2,.2,.3,.4,.6\n3,.3,.1,.7,.1\n",
        "seem to name a system and a metric each .AP, gut.; .* columns system, topic, metric and score",
    ),
    "metrics before the systems": (
        "topic,gut A,gut B,AP A,AP B\n1,.1,.2,.3,.35\n2,.2,.3,.4,.6\n3,.3,.1,.7,.1\n",
        "seem to name a system and a metric each .AP, gut.",
    ),
    "metrics of one system": ("map,ndcg\n0.1,0.2\n0.3,0.4\n", "map, ndcg seem to be metrics"),
    "a system called run": (
        "topic,run,walk\n1,0.1,0.2\n2,0.3,0.4\n",
        "column 'run' could hold the names of systems, or be a system itself",
    ),
    "a system called doc behind names of topics": (
        ",a,doc,b\n301,0.1,0.2,0.3\n302,0.3,0.4,0.5\n",
        "column 'doc' could name the topics, or be a system; pass `columns={'topic': 'doc'}`",
    ),
    "a system called doc, no topics": ("a,doc,b\n.1,.2,.3\n.3,.4,.5\n", "column 'doc' could name the topics, or be a"),
    "ids and numbers in the first column": (
        "code,a,b\n1,0.1,0.2\nq2,0.3,0.4\n",
        "line 3: column 'code' holds numbers and text .'q2'.",
    ),
    "no header": (
        "q1,0.1,0.2,0.3\nq2,0.3,0.4,0.5\n",
        "line 1: the first line .'q1', '0.1', '0.2', '0.3', .* holds numbers where names",
    ),
    "one system": (
        "topic,a\n1,0.1\n2,0.2\n",
        "x.csv: at least two systems are needed to compare anything; there is only 'a'",
    ),
    "one topic": (
        "topic,a,b\n1,0.1,0.2\n",
        "x.csv: at least two topics are needed to compare anything; there is only '1'",
    ),
    "averages only": (
        "map\tall\t0.3\nrunid\tall\tx\n",
        "only averages .all. and no topic; write the scores of every topic .option -q.",
    ),
    "averages after the tag": ("runid\tall\tx\nmap\tall\t0.3\n", "only averages .all. and no topic"),
    "averages only, of one system": (
        GOOD_LONG + "c,all,AP,0.3\n",
        "x.csv, line 6: system 'c' has only averages and no topic",
    ),
    "several runs": (
        "map\t1\t.5\nrunid\tall\tx\nmap\t2\t.5\nrunid\tall\ty\n",
        "results of several runs .x, y. in one file",
    ),
    "text for a measure": (
        "map\t1\t.5\nmap\t2\t.5\nP_5\t1\tx\n" * 8,
        "line 3: 'score' of metric 'P_5', topic '1': 'x' is not a number",
    ),
    "a submission": (
        '<?xml version="1.0"?>\n<inex-submission run-id="a">\n',
        "this is XML, such as a submission to INEX",
    ),
    "a run": ("301 Q0 FR940202 1 2.13 tag\n301 Q0 FR940203 2 2.1 tag\n", "this is a run in TREC format, not a"),
    "a run of passages": (
        "1 Q0 7 1 19 tag 35 18\n1 Q0 8 2 18 tag 37 19\n",
        r"this is a run of passages \(INEX\), not a table of scores; give its judgments too",
    ),
    "assessments": (
        "1 Q0 851 7300 10656 100 1205:3431 4643:720\n1 Q0 21 0 332\n",
        "these are assessments of INEX, not scores; give runs as the inputs",
    ),
    "judgments": ("301 0 FR940202 1\n301 0 FR940203 0\n", "these are judgments in TREC format"),
    "control character": (GOOD_LONG.replace("b,", "b\x01,"), "line 4: system 'b.x01' holds a control character"),
    "JSON": ('[{"spot": "1", "measure": "AP", "value": 0.3}]', "x.csv: the file holds JSON of no form that is read"),
    "not UTF-8": (GOOD_LONG.encode().replace(b"b,2", b"\xe9,2"), "x.csv, line 5: byte 0xe9 is no UTF-8"),
    "spreadsheet": (b"PK\x03\x04rest", "x.csv: the archive is cut short, damaged or locked"),
    "NetCDF 3": (b"CDF\x01rest", "x.csv: the file is NetCDF 3"),
    "broken Parquet": (b"PAR1rest", "x.csv: (the Parquet file cannot be read|Parquet is read by polars)"),
    "broken NetCDF": (b"\x89HDF\r\n\x1a\nrest", "x.csv: the NetCDF file cannot be read"),
}


@pytest.mark.parametrize(("content", "rule"), FAULTS.values(), ids=FAULTS.keys())
def test_faulty_files(tmp_path, content, rule):
    """A fault is an error with file, line, rule, value and way out, never a wrong number."""
    _put(tmp_path, {"x.csv": content})
    with pytest.raises((FileFormatError, ScoresError), match=re.sub(r"\.csv", r"\\.csv", rule)) as caught:
        read_scores(tmp_path / "x.csv")
    assert str(caught.value).startswith(str(tmp_path))


def test_the_good_files_behind_the_faults_are_good(tmp_path):
    """The tables that the faults above are made of can be read, so that the fault alone is what is refused."""
    _put(tmp_path, {"long.csv": GOOD_LONG, "AP.csv": GOOD_WIDE})
    xr.testing.assert_identical(
        read_scores(tmp_path / "long.csv").drop_attrs(), read_scores(tmp_path / "AP.csv").drop_attrs()
    )


@pytest.mark.parametrize("gap", ["", " ", "NA", "nan", "null", "N/A", "None"])
def test_rules_for_gaps(tmp_path, gap):
    """Every way to write nothing is a gap, and the rule for gaps decides, in a wide and in a long table."""
    _put(
        tmp_path,
        {
            "AP.csv": GOOD_WIDE.replace("0.4", gap) + "3,0.5,0.5\n",
            "long.csv": GOOD_LONG.replace("0.4", gap) + "a,3,AP,0.5\nb,3,AP,0.5\n",
        },
    )
    for name in ("AP.csv", "long.csv"):
        path = tmp_path / name
        with pytest.raises(FileFormatError, match=r"(b'|'b').*; fill in the score, or pass `missing='zero'`"):
            read_scores(path)
        assert read_scores(path, missing="zero").sel(system="b", topic="2").item() == 0
        assert read_scores(path, missing="drop-topics")["topic"].to_numpy().tolist() == ["1", "3"]
        with pytest.raises(ScoresError, match="at least two systems"):
            read_scores(path, missing="drop-systems")


def test_faults_in_parquet_name_rows(tmp_path):
    """Parquet has no lines, so errors count rows."""
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame(
        {"system": ["a", "a", "b"], "topic": ["1", "1", "1"], "metric": ["AP"] * 3, "score": [0.1, 0.2, None]}
    )
    frame.write_parquet(tmp_path / "x.parquet")
    with pytest.raises(FileFormatError, match=r"x\.parquet: row 3: 'score' of .*the cell is empty"):
        read_scores(tmp_path / "x.parquet")
    with pytest.raises(
        FileFormatError, match=r"row 2: system 'a' has a score on topic '1' under 'AP' in row 1 already"
    ):
        read_scores(tmp_path / "x.parquet", missing="zero")
    pl.DataFrame({"system": [["a"]], "topic": [1]}).write_parquet(tmp_path / "nested.parquet")
    with pytest.raises(FileFormatError, match="the Parquet file cannot be read"):
        read_scores(tmp_path / "nested.parquet")


def test_netcdf_of_something_else_is_named(tmp_path):
    """It is neither read as scores nor called damaged."""
    xr.Dataset({"x": ("time", [1.0])}).to_netcdf(tmp_path / "x.nc", engine="h5netcdf")
    with pytest.raises(FileFormatError, match="no scores of metric x system x topic: scores need the dims"):
        read_scores(tmp_path / "x.nc")
    xr.Dataset().to_netcdf(tmp_path / "none.nc", engine="h5netcdf")
    with pytest.raises(FileFormatError, match="holds no variable"):
        read_scores(tmp_path / "none.nc")


@pytest.mark.parametrize(
    ("options", "kind", "rule"),
    [
        ({"form": "wyde"}, UnknownNameError, "no form 'wyde'; did you mean 'wide'"),
        ({"systems_in": "row"}, UnknownNameError, "no systems_in 'row'; did you mean 'rows'"),
        ({"missing": None}, UnknownNameError, "no missing 'None'"),
        ({"columns": {"team": "x"}}, UnknownNameError, "no part of `columns` 'team'"),
        ({"columns": {"topic": 0}}, InvalidOptionError, "counted from 1"),
        ({"columns": {"system": None}}, InvalidOptionError, "only the topic column of a wide table can be absent"),
        ({"columns": {"topic": 1, "score": "x"}}, InvalidOptionError, "holds both names and numbers"),
        ({"columns": {"topic": 1, "system": 2}}, FileFormatError, "but not those of topic and score"),
        (
            {"columns": {"topic": 1, "score": 9}},
            FileFormatError,
            "rows have 3 cells; there must be one for each of topic, score",
        ),
        (
            {"columns": {"topic": 1, "score": 2}, "form": "wide"},
            InvalidOptionError,
            "long table without a header; `form`",
        ),
        ({"columns": {"topic": "tpoic"}}, FileFormatError, "no column 'tpoic' .did you mean 'topic'"),
        (
            {"form": "long", "columns": {"ignore": "topic"}},
            FileFormatError,
            "a long table needs columns for topic and score, system or metric; columns found: 'topic', 'a', 'b'",
        ),
        (
            {"systems_in": "rows"},
            FileFormatError,
            "expects names of systems in the first column, but it is called 'topic'",
        ),
        ({"higher_is_better": {"map": True}}, UnknownNameError, "no metric 'map'"),
        ({"groups": {"a": "x"}}, InvalidOptionError, "without a group: b"),
    ],
)
def test_options_are_checked(tmp_path, options, kind, rule):
    """An option outside its rule, or one the file does not bear out, is an error that shows it."""
    _put(tmp_path, {"AP.csv": GOOD_WIDE})
    with pytest.raises(kind, match=rule):
        read_scores(tmp_path / "AP.csv", **options)


def test_a_long_table_without_scores(tmp_path):
    """A table said to be long that has metrics and no scores is refused, whatever else it has."""
    _put(tmp_path, {"x.csv": "system,topic,metric,size\na,1,AP,0.1\n"})
    with pytest.raises(FileFormatError, match="there is a column for the metric and none for the score"):
        read_scores(tmp_path, form="long")


def test_explicit_columns_contradicted_by_the_header(tmp_path):
    """Systems said to stand in columns below a header that says otherwise are refused."""
    _put(tmp_path, {"AP.csv": "system,301,302\na,0.1,0.2\nb,0.3,0.4\n"})
    with pytest.raises(FileFormatError, match="the first column is called 'system'; pass `systems_in='rows'`"):
        read_scores(tmp_path, systems_in="columns")


def test_a_name_for_what_has_names(tmp_path):
    """NAME= before a file that names its own systems and metrics would be ignored, so it is refused."""
    _put(tmp_path, {"x.csv": GOOD_LONG})
    with pytest.raises(FileFormatError, match="names its systems and metrics itself, so 'AP' has nothing to name"):
        read_scores(f"AP={tmp_path / 'x.csv'}")


def test_files_of_different_systems(tmp_path):
    """The error says which files hold how many systems, which they lack, and the ways out."""
    _put(
        tmp_path,
        {
            "five.csv": "topic,a,b,c\n1,.1,.2,.3\n2,.1,.2,.3\n",
            "eight.csv": "topic,b,c,d,e\n1,.1,.2,.3,.4\n2,.1,.2,.3,.4\n",
        },
    )
    paths = [tmp_path / "five.csv", tmp_path / "eight.csv"]
    with pytest.raises(ScoresError) as caught:
        read_scores(paths)
    assert str(caught.value) == (
        "these files do not hold the same systems: five.csv (five) has 3 and lacks d, e; eight.csv (eight) has 4 and "
        "lacks a. Tables read together are metrics of one collection (two boards are compared by metaeval agree "
        "--boards): read collections one at a time, or pass "
        "`missing='drop-systems'` to keep the 2 systems that all have"
    )
    found = read_scores(paths, missing="drop-systems")
    assert found["system"].to_numpy().tolist() == ["b", "c"]
    assert "3 systems were dropped for missing scores: a, d, e" in found.attrs["notes"]
    assert not any("better" in note for note in found.attrs["notes"])  # a file's name is no metric's


def test_files_of_different_topics(tmp_path):
    """Topics are never matched by position: a file without ids does not go with one that has them."""
    _put(tmp_path, {"a.csv": "x,y\n.1,.2\n.3,.4\n", "b.csv": "topic,x,y\n301,.1,.2\n302,.3,.4\n"})
    with pytest.raises(ScoresError, match=r"same topics \(a\.csv: topics are numbered, for want of a topic column\)"):
        read_scores(tmp_path)


def test_a_score_in_two_files(tmp_path):
    """No file overwrites another; the error names both, and the score."""
    (tmp_path / "old").mkdir()
    _put(tmp_path, {"AP.csv": GOOD_WIDE, "old/AP.csv": GOOD_WIDE})
    with pytest.raises(ScoresError, match=r"old/AP\.csv both have a score of system 'a' on topic '1' under 'AP'"):
        read_scores([tmp_path / "AP.csv", tmp_path / "old" / "AP.csv"])
    both = read_scores([f"new={tmp_path / 'AP.csv'}", f"old={tmp_path / 'old' / 'AP.csv'}"])
    assert both["metric"].to_numpy().tolist() == ["new", "old"]


def test_files_that_contradict_each_other(tmp_path):
    """Two files that give a system different groups are refused."""
    long = GOOD_LONG.replace("score", "score,group").replace("\n", ",x\n").replace("group,x", "group")
    _put(tmp_path, {"a.csv": long, "b.csv": long.replace("AP", "RR").replace(",x", ",y")})
    with pytest.raises(ScoresError, match="system 'a' has group 'y', but 'x' in another file"):
        read_scores(tmp_path)


@given(st.binary(max_size=60))
def test_any_bytes_are_scores_or_an_error_of_ours(tmp_path_factory, content):
    """Whatever a file holds, nothing but our own errors comes out."""
    assume(not content.startswith((b"PAR1", b"\x89HDF")))
    path = tmp_path_factory.mktemp("tables") / "x.csv"
    path.write_bytes(content)
    with contextlib.suppress(FileFormatError, ScoresError):
        read_scores(path)


@given(st.text(st.sampled_from('ab01., \t;\n"nqs-'), max_size=40))
def test_any_table_is_scores_or_an_error_of_ours(tmp_path_factory, text):
    """The same for text that looks like a table more often."""
    path = tmp_path_factory.mktemp("tables") / "x.csv"
    path.write_text("topic,a,b\n" + text)
    try:
        found = read_scores(path)
    except (FileFormatError, ScoresError):
        return
    assert np.isfinite(found.to_numpy()).all()


# ------------------------------------------------------------------------------------------------------------ real data


def test_every_public_matrix(data_folder):
    """The 48 wide matrices hold the numbers that numpy reads, systems and topics in their order."""
    paths = sorted((data_folder / "trec-matrices").glob("*.csv"))
    assert len(paths) == 48
    for path in paths:
        found = read_scores(path)
        expected = np.loadtxt(path, delimiter=",", skiprows=1)
        np.testing.assert_array_equal(found.to_numpy()[0].T, expected)
        header = path.read_text().splitlines()[0].replace('"', "").split(",")
        assert found["system"].to_numpy().tolist() == header
        assert found["topic"].to_numpy().tolist() == [str(number) for number in range(1, len(expected) + 1)]
    assert read_scores(data_folder / "trec-matrices" / "adhoc8_ap.csv").shape == (1, 129, 50)


def test_a_transposed_matrix(data_folder):
    """Million Query 2007 has 26 systems in rows, 1153 topics, and 73 estimates of AP above 1, at most 1.694."""
    path = data_folder / "trec-matrices" / "mq2007_statap_top26.csv.gz"
    found = read_scores(f"statAP={path}", systems_in="rows")
    assert found.sizes == {"metric": 1, "system": 26, "topic": 1153}
    assert found.sel(metric="statAP", system="LucSpel0", topic="10").item() == 0.488091
    assert (found > 1).sum().item() == 73
    assert found.max().item() == pytest.approx(1.694, abs=0.001)
    with pytest.raises(FileFormatError, match="systems seem to stand in rows"):
        read_scores(path)


def test_metrics_of_one_track_and_runs_of_two(data_folder):
    """The six files of Web 2013 are six metrics of 34 systems; adhoc 5 and adhoc 8 do not go together."""
    folder = data_folder / "trec-matrices"
    assert read_scores(sorted(folder.glob("web2013_*.csv"))).shape == (6, 34, 50)
    with pytest.raises(ScoresError, match=r"adhoc5_ap\.csv \(adhoc5_ap\) has 61 and lacks run62, .* and 63 more"):
        read_scores([folder / "adhoc5_ap.csv", folder / "adhoc8_ap.csv"])


def test_a_matrix_without_names(data_folder):
    """PermTest's matrices are four systems in rows and 349 topics, without a header."""
    path = data_folder / "golden" / "permtest" / "matrix" / "matrix.map"
    found = read_scores(f"map={path}", header=False, systems_in="rows")
    np.testing.assert_array_equal(found.to_numpy()[0], np.loadtxt(path))


def test_trec_eval_output(data_folder, tmp_path):
    """The golden output of trec_eval -q gives its per-topic scores, its averages are their means, counts are gone."""
    path = data_folder / "golden" / "trec_eval" / "out.test.aq"
    (tmp_path / "other.txt").write_text(path.read_text())
    found = read_scores([path, tmp_path / "other.txt"])
    assert found["topic"].to_numpy().tolist() == ["301", "302", "303"]
    assert found["system"].to_numpy().tolist() == ["out.test.aq", "other"]
    printed = dict(re.findall(r"(?m)^(\S+) *\tall\t([-0-9.]+)$", path.read_text()))
    assert {"num_q", "num_ret", "runid", "gm_map"}.isdisjoint(found["metric"].to_numpy())
    for metric in ("map", "P_10", "ndcg_cut_10", "recip_rank", "iprec_at_recall_0.20", "infAP"):
        assert found.sel(metric=metric)[0].mean().item() == pytest.approx(float(printed[metric]), abs=1e-4)
    assert len(found["metric"]) == len(
        set(printed) - {"num_q", "num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret", "gm_map", "gm_bpref"}
    )


def test_ir_measures_output(data_folder, tmp_path):
    """What the ir_measures command prints is read, and agrees with trec_eval on the same run to 4 decimals."""
    pytest.importorskip("ir_measures")
    if sys.version_info >= (3, 14):
        pytest.skip("the command of ir_measures reads P@10 with ast.Num, which Python has no longer")
    folder = data_folder / "golden" / "trec_eval"
    command = [sys.executable, "-m", "ir_measures", folder / "qrels.test", folder / "results.test"]
    printed = subprocess.run([*command, "AP", "P@10", "RR", "-q"], check=True, capture_output=True, text=True).stdout
    (tmp_path / "one.txt").write_text(printed)
    (tmp_path / "two.txt").write_text(printed)
    found = read_scores(tmp_path)
    golden = read_scores({"one": folder / "out.test.aq", "two": folder / "out.test.aqc"})
    for ours, theirs in (("AP", "map"), ("P@10", "P_10"), ("RR", "recip_rank")):
        np.testing.assert_allclose(
            found.sel(metric=ours, system="one"), golden.sel(metric=theirs, system="one"), atol=1e-4, rtol=0
        )


def test_one_column_a_metric_agrees_with_what_was_published(data_folder):
    """Means over the topics of TREC-COVID round 1 are the published ones, to 4 decimals, for all 143 runs."""
    folder = data_folder / "trec-covid-r1"
    found = read_scores(folder / "per_topic_trec_eval.csv.gz")
    assert found.sizes == {"metric": 8, "system": 143, "topic": 30}
    published = pd.read_csv(folder / "leaderboard.csv").set_index("run")
    for ours, theirs in (("ndcg_cut_10", "ndcg@10"), ("P_5", "p@5"), ("bpref", "bpref"), ("map", "MAP")):
        means = found.sel(metric=ours).mean("topic").to_series()
        np.testing.assert_allclose(means[published.index], published[theirs], atol=5.1e-5, rtol=0)


def test_scores_of_translations(data_folder):
    """A table of another field is read once its columns are named; gaps are the reader's to decide."""
    path = data_folder / "wmt20-metrics" / "doc-level" / "human_de-en.csv.gz"
    columns = {"system": "SYS", "topic": "DOC", "score": "Z.SCR", "ignore": ["RAW.SCR", "N"]}
    with pytest.raises(ScoresError, match=r"no score for system 'Human-B\.0'"):
        read_scores(path, columns=columns)
    found = read_scores({"human": path}, columns=columns, missing="drop-topics")
    frame = pd.read_csv(path, converters={"Z.SCR": float})
    complete = frame.groupby("DOC")["SYS"].nunique() == frame["SYS"].nunique()
    assert set(found["topic"].to_numpy()) == set(complete[complete].index)
    row = frame[frame["DOC"].isin(found["topic"].to_numpy())].iloc[0]
    assert found.sel(metric="human", system=row["SYS"], topic=row["DOC"]).item() == row["Z.SCR"]


NAMES = [
    "1",
    "01",
    "007",
    "7",
    "q1",
    "q 1",
    "x,y",
    'x"y',
    "x;y",
    "\u00e9",
    "\u65e5\u672c",
    "\u0661",
    "1.0",
    "-3",
    "x\u00a0y",
]
CELLS = ["0.5", "0.25", "1e-3", "+1", "-0", ".5", "2.", "3", "1E2", "0.1234567890123456789", "9007199254740992"]
ODD_CELLS = [
    "",
    "NA",
    "nan",
    "inf",
    "1e400",
    "1_000",
    "0x10",
    "1,5",
    "1,000",
    "50%",
    "true",
    "False",
    "\u0661",
    "\uff11",
    "1 2",
]
ODD_CELLS += ["1\x1f", "\x1c1", "1\u00a0", "9007199254740993", "1" * 400, "--1", "0.5x", "1" + "\u2212"]


def _as_csv(rows, delimiter=",", quoting=csv.QUOTE_MINIMAL):
    stream = io.StringIO()
    csv.writer(stream, delimiter=delimiter, quoting=quoting, lineterminator="\n").writerows(rows)
    return stream.getvalue()


def _forms_of(systems, topics, cells):
    """Write the same table in every form: name of the file, and content or something for as_scores."""
    wide = [["topic", *systems], *([topic, *row] for topic, row in zip(topics, cells, strict=True))]
    turned = [
        ["system", *topics],
        *([system, *row] for system, row in zip(systems, zip(*cells, strict=True), strict=True)),
    ]
    long = [
        [system, topic, "AP", cell]
        for topic, row in zip(topics, cells, strict=True)
        for system, cell in zip(systems, row, strict=True)
    ]
    named = [["system", "topic", "metric", "score"], *long]
    text, frame = _as_csv(wide), pd.DataFrame(long, columns=named[0], dtype=object)
    return {
        "AP.csv": text.encode(),
        "AP.tsv": _as_csv(wide, "\t").encode(),
        "AP.txt": _as_csv(wide, ";").encode(),
        "quoted/AP.csv": _as_csv(wide, quoting=csv.QUOTE_ALL).encode(),
        "mark/AP.csv": b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(),
        "AP.csv.gz": gzip.compress(text.encode()),
        "turned/AP.csv": _as_csv(turned).encode(),
        "long.csv": _as_csv(named).encode(),
        "long.tsv.xz": lzma.compress(_as_csv(named, "\t").encode()),
        **({"long.parquet": parquet_of(frame)} if has_parquet() else {}),
        "long frame": frame,
        "wide frame": {"AP": pd.DataFrame(cells, index=topics, columns=systems, dtype=object).rename_axis("topic")},
    }


def _outcome(folder, name, table):
    """Scores, or nothing if they are refused."""
    try:
        if not isinstance(table, bytes):
            return as_scores(table)
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(table)
        with mock.patch.object(stored, "_try_apart"):  # nothing here is damaged
            return read_scores(path).assign_attrs(sources=None)
    except MetaevalError:
        return None


@settings(max_examples=60)
@given(st.data())
def test_the_same_table_is_the_same_scores_in_every_form(tmp_path_factory, data):
    """Wide or long, CSV, TSV or Parquet, compressed or not, a file or a frame: the same scores, or all refused."""
    systems = data.draw(st.lists(st.sampled_from(["bm25", "lm", "s 1", "x,z", *NAMES]), min_size=2, max_size=3))
    topics = data.draw(st.lists(st.sampled_from(NAMES), min_size=2, max_size=4, unique=data.draw(st.booleans())))
    pool = CELLS if data.draw(st.booleans()) else [*CELLS, *[data.draw(st.sampled_from(ODD_CELLS))] * 3]
    cells = [[data.draw(st.sampled_from(pool)) for _ in systems] for _ in topics]
    folder = tmp_path_factory.mktemp("forms")
    found = {name: _outcome(folder, name, table) for name, table in _forms_of(systems, topics, cells).items()}
    refused = {name for name, scores in found.items() if scores is None}
    assert refused in (set(), set(found))
    good = len(set(systems)) == len(systems) and len(set(topics)) == len(topics)
    good = good and all(cell in CELLS for row in cells for cell in row)
    assert good is not bool(refused)
    if good:
        expected = found["AP.csv"].sel(metric="AP")
        for scores in found.values():
            assert scores.sel(metric="AP", system=expected["system"], topic=expected["topic"]).equals(expected)
        values = expected.sel(system=systems, topic=topics).to_numpy().T
        assert values.tolist() == [[float(cell) for cell in row] for row in cells]


@pytest.mark.parametrize("cell", ODD_CELLS)
@pytest.mark.parametrize("number", [0, 1])
def test_no_odd_cell_is_a_number_in_any_form(tmp_path, cell, number):
    """Each of the ways to write what is no number is refused in every form, first cell or last."""
    cells = [["0.5", "0.25"], ["0.125", "1"]]
    cells[number][number] = cell
    for name, table in _forms_of(["bm25", "lm"], ["301", "302"], cells).items():
        assert _outcome(tmp_path, name, table) is None, name


def test_rows_without_ids_are_not_renumbered(tmp_path):
    """Where rows are numbered, an empty one would move all behind it to other topics."""
    for text in ("a,b\n.1,.2\n,\n.3,.4\n", "a,b\n.1,.2\n\n.3,.4\n"):
        (tmp_path / "x.csv").write_text(text)
        with pytest.raises(FileFormatError, match=r"x\.csv: line 3 is empty, and rows are numbered"):
            read_scores(tmp_path / "x.csv", columns={"topic": None})
    (tmp_path / "x.csv").write_text("a,b\n\n.1,.2\n.3,.4\n,\n\n")
    assert read_scores(tmp_path / "x.csv", columns={"topic": None}).sizes["topic"] == 2
    (tmp_path / "x.csv").write_text("topic,a,b\n1,.1,.2\n,,\n3,.3,.4\n")
    assert read_scores(tmp_path / "x.csv")["topic"].to_numpy().tolist() == ["1", "3"]


SHAPES = {
    "a wide table of many systems": (None, 2, "topic,{names}\n1,{zeros}\n2,{zeros}\n"),
    "a wide table of many topics": (2, None, "system,{names}\na,{zeros}\nb,{zeros}\n"),
    "a long table of many metrics": (
        2,
        2,
        "system,topic,{names}\na,1,{zeros}\na,2,{zeros}\nb,1,{zeros}\nb,2,{zeros}\n",
    ),
}


@pytest.mark.parametrize(("n_systems", "n_topics", "text"), SHAPES.values(), ids=SHAPES.keys())
def test_very_wide_tables_take_time_in_proportion(tmp_path, processor_seconds, n_systems, n_topics, text):
    """Five times the columns take about five times as long; the square would be twenty-five times."""
    took, read = {}, []
    for size in (4_000, 20_000):
        names = ",".join(f"x{number}" for number in range(size))
        path = tmp_path / f"x{size}.csv"
        path.write_text(text.format(names=names, zeros=",".join(["0.5"] * size)))
        took[size] = processor_seconds(lambda path=path: read.append(read_scores(path)))
        sizes = read[-1].sizes
        assert (sizes["system"], sizes["topic"]) == (n_systems or size, n_topics or size)
    assert took[20_000] < 12 * took[4_000]


def test_files_that_share_nothing_are_found_before_memory_runs_out(tmp_path):
    """Ten thousand systems on one topic each do not become a table of ten thousand by ten thousand."""
    for name in "ab":
        rows = "".join(f"{name}{row},{name}{row % 4000},{name},0.5\n" for row in range(12_000))
        (tmp_path / f"{name}.csv").write_text("system,topic,metric,score\n" + rows)
    with pytest.raises((ScoresError, FileFormatError), match="cannot fill"):
        read_scores([tmp_path / "a.csv", tmp_path / "b.csv"], missing="zero")


@pytest.mark.parametrize("length", [1001, 140_000])
def test_a_long_id_is_refused_with_its_line(tmp_path, length):
    """An id of a megabyte among many makes no array as wide as itself."""
    rows = "".join(f"a,q{row},AP,0.5\nb,q{row},AP,0.5\n" for row in range(1000))
    (tmp_path / "x.csv").write_text(f"system,topic,metric,score\n{rows}a,{'x' * length},AP,0.5\n")
    with pytest.raises(FileFormatError, match=r"x\.csv, line 2002: .*(the limit is 1000|field limit)") as refused:
        read_scores(tmp_path / "x.csv")
    assert len(str(refused.value)) < 500


@pytest.mark.parametrize("delimiter", ["\t", " "])
@pytest.mark.parametrize("form", ["trec_eval", "ir_measures"])
def test_results_hold_a_measure_a_topic_and_a_value(tmp_path, form, delimiter):
    """Text behind the value is refused with its line, even where the form is given; blanks there are nothing."""
    row = ["map", "1"] if form == "trec_eval" else ["1", "map"]
    path = tmp_path / "x.txt"
    rows = [[*row, "0.5"], [cell.replace("1", "2") for cell in row] + ["0.25", "more"]]
    path.write_text("\n".join(delimiter.join(cells) for cells in rows) + "\n")
    with pytest.raises(FileFormatError, match=r"x\.txt, line 2: a row of 4 cells; results have 3"):
        read_scores(path, form=form)
    path.write_text("\n".join(delimiter.join(cells) + delimiter for cells in ([*row, "0.5"], [*rows[1][:3]])) + "\n")
    other = tmp_path / "y.txt"
    other.write_bytes(path.read_bytes())
    assert read_scores([path, other], form=form).to_numpy().tolist() == [[[0.5, 0.25], [0.5, 0.25]]]


def test_results_have_three_cells(tmp_path):
    """A fourth cell beside measure, topic and value may be the value, and is not passed over."""
    (tmp_path / "x.txt").write_text("1\tmap\t\t0.5\n2\tmap\t\t0.25\n")
    with pytest.raises(FileFormatError, match=r"x\.txt, line 1: .*a row of 4 cells"):
        read_scores(tmp_path / "x.txt", form="ir_measures", missing="zero")


def test_a_line_end_in_quotation_marks_is_not_lost(tmp_path):
    """A name that goes on in the next line is refused, in a table divided by blanks too."""
    (tmp_path / "x.txt").write_text('topic m n\n"a\nb" 0 5\n2 1 0\n')
    with pytest.raises(FileFormatError, match="holds a control character"):
        read_scores(tmp_path / "x.txt")


def test_an_id_of_thousands_of_digits_ends_no_reading(tmp_path):
    """Python turns no more than 4,300 digits into a number; whether a column holds topics needs none."""
    (tmp_path / "x.csv").write_text(f"id,a,b\n{'0' * 5000}1,0.9,1\n2,0.5,0.25\n")
    with pytest.raises(FileFormatError, match=r"topic '0000.* has a name of 5001 characters"):
        read_scores(tmp_path / "x.csv")
    (tmp_path / "x.csv").write_text(f"id,a,b\n{'0' * 500}5,0.9,1\n2,0.5,0.25\n")
    assert read_scores(tmp_path / "x.csv").sizes["topic"] == 2


@pytest.mark.parametrize(
    "text",
    [
        ",bm25,lm\nq1,0.7,0.5,0.25\nq2,0.3,0,1\n",  # a first column without a name, and one column more than names
        "topic,bm25,,lm\nq1,0.7,0.5,0.25\nq2,0.3,0,1\n",
        "topic,bm25,,lm\nq1,0.7,0.5,0.25,\nq2,0.3,0,1,\n",
        "topic,bm25,,lm\nq1,x,0.7,0.5,0.25\nq2,y,0.3,0,1\n",
    ],
)
def test_a_column_of_scores_without_a_name_is_not_passed_over(tmp_path, text):
    """Whatever stands under no name is refused, and names do not slip to the column beside."""
    (tmp_path / "x.csv").write_text(text)
    with pytest.raises(FileFormatError, match=r"x\.csv: column \d has no name; name it in the header"):
        read_scores(tmp_path / "x.csv")


@pytest.mark.parametrize("more", [[], ["fold"], ["id"]])
@pytest.mark.parametrize("n_sets", [1, 2, 4])
def test_a_column_without_a_part_is_left_out_or_chosen_by(tmp_path, n_sets, more):
    """It is left out with a note; where it parts rows that would be there twice, they are chosen by it."""
    rows, value = [["part", *more, "system", "topic", "score"]], {"fold": "0"}
    for one in range(n_sets):
        for system in "ab":
            for topic in range(3):
                value["id"] = str(len(rows))
                rows.append([f"d{one}", *(value[name] for name in more), system, str(topic), f"0.{one + topic}"])
    path = tmp_path / "sets.csv"
    path.write_text("\n".join(map(",".join, rows)))
    if n_sets == 1:
        assert "left out column" in read_scores(path).attrs["notes"][0]
        return
    with pytest.raises(FileFormatError, match="twice without 'part'; pass ") as caught:
        read_scores(path)
    ways = [(name, ast.literal_eval(text)) for name, text in re.findall(r"`(\w+)=(.*?)`", str(caught.value))]
    assert [name for name, _ in ways] == ["where", "columns"]
    for name, way in ways:
        scores = read_scores(path, **{name: way})
        assert (scores.sizes["topic"], scores.sizes["metric"]) == (3, n_sets if name == "columns" else 1)


@pytest.mark.parametrize("row", ["q4 .1 .2", "4\t.1\t.2", "q4\t.1\t"])
@pytest.mark.parametrize("sign", [",", ";"])
def test_a_row_that_is_divided_otherwise_is_no_remark(tmp_path, row, sign):
    """The last row of a table with commas is divided by blanks or tabs: refused with its line, not left out."""
    path = tmp_path / "x.csv"
    table = "topic,a,b\n1,.1,.2\n2,.3,.5\n3,.2,.3\n".replace(",", sign)
    path.write_text(f"{table}{row}\n")
    with pytest.raises(FileFormatError, match="line 5: a row of 1 cells"):
        read_scores(path)
    path.write_text(f"{table}Source: ESSLLI 2024\n")
    assert "left out line 5, below the table" in read_scores(path).attrs["notes"][0]


def test_a_column_of_names_of_metrics_holds_no_systems(tmp_path):
    """`name` beside a trace holds metrics where all are known as such; ids, dates and constants name no system."""
    rows = [
        f"s{number},2026-05-0{item},API,{metric},{value},tr{item}"
        for number, (item, metric, value) in enumerate(
            [(1, "correctness", 0.5), (1, "toxicity", 0.1), (2, "correctness", 1), (2, "toxicity", 0.2)]
        )
    ]
    text = "\n".join(["id,timestamp,source,name,value,traceId", *rows]) + "\n"
    for system in ("new", "old"):
        (tmp_path / f"{system}.csv").write_text(text)
    scores = read_scores([tmp_path / "new.csv", tmp_path / "old.csv"])
    assert scores["system"].to_numpy().tolist() == ["new", "old"]
    assert scores["metric"].to_numpy().tolist() == ["correctness", "toxicity"]
    assert scores["topic"].to_numpy().tolist() == ["tr1", "tr2"]
    assert scores.sel(system="old").to_numpy().tolist() == [[0.5, 1.0], [0.1, 0.2]]


def test_columns_that_name_an_item_together_are_given_by_comma(tmp_path):
    """As `human` takes them: segment 1 of two documents is two items; a name that could be read in two ways is not."""
    rows = [(f"s{s}", doc, seg, s + len(doc) + int(seg)) for s in range(3) for doc in ("d", "dd") for seg in "12"]
    path = tmp_path / "long.csv"
    path.write_text("system,doc,seg_id,BLEU\n" + "".join(f"{','.join(map(str, row))}\n" for row in rows))
    scores = read_scores(path, columns={"topic": "doc,seg_id"})
    assert scores["topic"].to_numpy().tolist() == ["d::1", "d::2", "dd::1", "dd::2"]
    assert scores.sel(system="s2", topic="dd::1", metric="BLEU") == 2 + 2 + 1
    assert scores.attrs["topic_word"] == "item"
    path.write_text("system,doc,seg_id,BLEU\na,x::y,z,1\na,x,y::z,2\nb,x::y,z,1\nb,x,y::z,2\n")
    with pytest.raises(FileFormatError, match="two items would have one name, 'x::y::z'"):
        read_scores(path, columns={"topic": "doc,seg_id"})
    with pytest.raises(FileFormatError, match="no column 'doc,segment'"):
        read_scores(path, columns={"topic": "doc,segment"})


def test_variables_of_promptfoo_name_items_together(tmp_path):
    """Columns of providers are systems; what was asked in two variables is one item, wherever they stand."""
    path = tmp_path / "x.csv"
    path.write_text("text,to,[a:b] Say {{text}},[c] Say {{text}}\nhi,fr,0,1\nhi,de,1,1\nno,fr,1,0\n")
    scores = read_scores(path)
    assert scores["system"].to_numpy().tolist() == ["[a:b] Say {{text}}", "[c] Say {{text}}"]
    assert {*scores["topic"].to_numpy().tolist()} == {"hi::fr", "hi::de", "no::fr"}
    path.write_text("[a:b] Say {{text}},[c] Say {{text}},to,text\n0,1,fr,hi\n1,1,de,hi\n1,0,fr,no\n")
    assert read_scores(path).sel(topic="de::hi").to_numpy().tolist() == [[1, 1]]


def test_rows_of_marked_errors_are_no_scores(tmp_path):
    """The raw file of MQM has a row an error, with its severity; the way is to add up weights, and no other column."""
    path = tmp_path / "mqm.tsv"
    path.write_text(
        "system\tdoc\tseg_id\trater\tcategory\tseverity\na\tx\t1\tr\tFluency\tMajor\nb\tx\t1\tr\tStyle\tMinor\n"
    )
    with pytest.raises(FileFormatError, match="add up weights") as refused:
        read_scores(path)
    assert "columns=" not in str(refused.value)
    rows = ["a\td\t1\tr\tx\tMajor", "a\td\t1\tr\tx\tMinor", "a\td\t1\ts\tx\tNo-error", "b\td\t1\tr\tx\tcritical"]
    rows += ["c\td\t1\tr\tNon-translation!\tMajor", "d\td\t1\tr\tFluency/Punctuation\tMinor", "e\td\t1\tr\tx\tNeutral"]
    path.write_text("\n".join(["system\tdoc\tseg_id\trater\tcategory\tseverity", *rows, "a\te\t1\tr\tx\tMinor"]) + "\n")
    (awk,) = re.findall(r"\((awk '[^']*')\)", str(refused.value))
    told = subprocess.run(["bash", "-c", f"{awk} < {path}"], check=True, capture_output=True, text=True).stdout  # noqa: S607
    # of two people one marked errors of 5 and 1, and the other none: a mean of 3; weights of Freitag et al. (2021)
    others = ["c\td/1\t25", "d\td/1\t0.1", "e\td/1\t0"]
    assert sorted(told.splitlines()) == ["a\td/1\t3", "a\te/1\t1", "b\td/1\t25", *others, "system\titem\tMQM"]


@pytest.mark.parametrize(
    "header", ["id,acc,acc_norm", "id,correctness,style", "id,quality,fluency", "id,ndcg,ndcg_pct"]
)
def test_files_of_one_system_each_whose_columns_are_metrics(header, tmp_path):
    """What columns are called tells that files are systems; where nothing tells, a note says how it was read."""
    for shift, system in enumerate(("gpt", "llama", "qwen")):
        rows = "".join(f"{at},0.{at + shift},0.{9 - at - shift}\n" for at in range(1, 5))
        (tmp_path / f"{system}.csv").write_text(f"{header}\n{rows}")
    scores = read_scores(sorted(tmp_path.glob("*.csv")))
    assert scores["system"].to_numpy().tolist() == ["gpt", "llama", "qwen"]
    assert scores["metric"].to_numpy().tolist() == header.split(",")[1:]
    for path in tmp_path.glob("*.csv"):
        path.write_text(path.read_text().replace(header, "id,zork,flim"))
    untold = read_scores(sorted(tmp_path.glob("*.csv")))
    assert any("each file counts as a metric" in note and "form='long'" in note for note in untold.attrs["notes"])
    meant = read_scores(sorted(tmp_path.glob("*.csv")), form="long")
    assert meant["system"].to_numpy().tolist() == ["gpt", "llama", "qwen"]
    assert meant.sel(metric="zork").to_numpy().tolist() == scores.isel(metric=0).to_numpy().tolist()


def test_metrics_of_several_campaigns_are_sent_to_where_these_are_asked_together(tmp_path):
    """The same metric twice is of two collections: systems that share a name are not to be kept for their names."""
    (tmp_path / "c11_ap.csv").write_text("topic,s1,s2,s3\n1,.1,.2,.3\n2,.1,.2,.3\n")
    (tmp_path / "c12_ap.csv").write_text("topic,s1,s2,s4\n7,.1,.2,.3\n8,.1,.2,.3\n")
    with pytest.raises(ScoresError, match="metaeval combine NAME='FILES'") as caught:
        read_scores(sorted(tmp_path.glob("*.csv")))
    assert "drop-systems" not in str(caught.value)


def test_a_report_is_read_as_its_scores(command, tmp_path, monkeypatch):
    """The folder that a command wrote, and a result that was saved: the same answer, and no pairs taken for votes."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ap.csv").write_text("topic,a,b\n" + "".join(f"{at},0.{at},0.{10 - at}5\n" for at in range(1, 9)))
    first = command("table", "ap.csv", "--out", "saved", "--json").json()
    again = command("table", "saved", "--json").json()
    assert again["results"] == first["results"]
    assert read_scores("saved").equals(read_scores("ap.csv"))


def test_a_minus_sign_is_one_in_numbers_and_stays_in_names(tmp_path):
    """U+2212 as spreadsheets write it: of numbers a minus, of systems and of items that stand first what it is."""
    path = tmp_path / "t.csv"
    path.write_text(
        'item,a,GPT\N{MINUS SIGN}4\nq1,.1,\N{MINUS SIGN}.2\n\N{MINUS SIGN}3,\N{MINUS SIGN}1,"\N{MINUS SIGN}0.5"\n',
        "utf-8",
    )
    scores = read_scores(path)
    assert scores["system"].to_numpy().tolist() == ["a", "GPT\N{MINUS SIGN}4"]
    assert scores["topic"].to_numpy().tolist() == ["q1", "\N{MINUS SIGN}3"]
    assert scores.to_numpy().tolist() == [[[0.1, -1.0], [-0.2, -0.5]]]


BOARD = "{},MMLU,GSM8K,HumanEval\ngpt-4o,88.7,92.1,90.2\nclaude-3.5,88.3,96.4,92.0\nours,70.1,60.2,50.3\n"
ITEMS = "{},Q1,Q2,Q3,Q4\nred,0.1,0.2,0.3,0.4\nblue,0.5,0.6,0.7,0.8\n"


@pytest.mark.parametrize("title", ["candidate", "mdl", "bot", "vendor", "arm", "prompt_version", "checkpoint", ""])
@pytest.mark.parametrize("sheet", [BOARD, ITEMS])
def test_names_say_that_systems_stand_in_rows(tmp_path, title, sheet):
    """Models that people know, or columns numbered as questions are, whatever stands above the first column."""
    found = read_scores(_put(tmp_path, {"ap.csv": sheet.format(title)}))
    assert found["system"].to_numpy().tolist() == [line.split(",")[0] for line in sheet.splitlines()[1:]]
    assert not title or "pass `systems_in='columns'` if" in found.attrs["notes"][0]


def test_a_board_of_which_no_name_says_anything_is_asked_about(tmp_path):
    """Few rows of words under a word that says nothing: both readings are named, and each is as it was asked for."""
    path = _put(tmp_path, {"ap.csv": "candidate,law,code,math\nred,1,2,3.5\nblue,2,3,4.5\nlime,1,3,2.5\n"})
    with pytest.raises(
        FileFormatError, match=r"pass `systems_in='rows'` if red, blue, lime are .*'columns'` if law, code, math are"
    ):
        read_scores(path)
    for where, systems in {"rows": ["red", "blue", "lime"], "columns": ["law", "code", "math"]}.items():
        assert read_scores(path, systems_in=where)["system"].to_numpy().tolist() == systems


def test_questions_of_subjects_are_items(tmp_path):
    """A column called topic that holds subjects hides no questions, which are read as the items at once."""
    rows = [
        f"{model},Q{at},{'law' if at < 4 else 'math'},{(at * step) % 7 / 7:.3f}"
        for model, step in (("a", 3), ("b", 5))
        for at in range(8)
    ]
    path = _put(tmp_path, {"ap.csv": "\n".join(["model,question_id,topic,score", *rows])})
    for found in (read_scores(path), read_scores(path, columns={"topic": "question_id"})):
        assert found["topic"].to_numpy().tolist() == [f"Q{at}" for at in range(8)]
        mean = np.mean([at * 5 % 7 / 7 for at in range(8)])
        np.testing.assert_allclose(found.sel(system="b").mean(), mean, atol=5e-4)


def test_numbered_runs_of_models_by_an_unknown_word(tmp_path):
    """The word run names repeats where another column holds the names: the way out says both."""
    rows = [
        f"{model},{run},Q{at},{(at * run + ord(model)) % 9 / 9:.3f}"
        for model in "ab"
        for run in (1, 2, 3)
        for at in range(8)
    ]
    path = _put(tmp_path, {"ap.csv": "\n".join(["mdl,run,question,score", *rows])})
    with pytest.raises(FileFormatError, match=r"pass `columns=\{'system': 'mdl', 'repeat': 'run'\}`"):
        read_scores(path)
    assert read_scores(path, columns={"system": "mdl", "repeat": "run"})["system"].to_numpy().tolist() == ["a", "b"]


def test_one_cluster_of_all_items_counts_as_none(tmp_path):
    """No test could draw from it: what is said is what is said without the column, and a note names it."""
    rows = [f"q{at},typos,{at * 3 % 7 / 7:.3f},{at * 5 % 11 / 11:.3f}" for at in range(12)]
    path = _put(tmp_path, {"ap.csv": "\n".join(["question,task,a,b", *rows])})
    found = read_scores(path)
    assert "cluster" not in found.coords
    assert "all items are in one cluster, 'typos', which counts as none" in found.attrs["notes"]
    in_memory = as_scores(
        pd.read_csv(path / "ap.csv").melt(["question", "task"], var_name="system", value_name="score")
    )
    assert "cluster" not in in_memory.coords
    assert "all topics are in one cluster, 'typos', which counts as none" in in_memory.attrs["notes"]


def test_a_metric_of_repetition_is_no_number_of_a_run(tmp_path):
    """Its values are no whole numbers."""
    rows = [f"{s},q{at},{at / 9:.3f},{at / 11 + 0.005:.3f}" for s in "ab" for at in range(8)]
    path = _put(tmp_path, {"ap.csv": "\n".join(["model,question,fluency,repetition", *rows])})
    assert read_scores(path)["metric"].to_numpy().tolist() == ["fluency", "repetition"]
