"""Scores under judges: told apart from labels, read in every form as scores are, and refused with a way out."""

import gzip
import json

import numpy as np
import pandas as pd
import pytest

from metaeval.errors import FileFormatError, InvalidOptionError, MetaevalError, ScoresError
from metaeval.inex.judges import read_judges
from metaeval.io.judge_scores import holds_scores
from metaeval.io.tables import read_scores, write_scores

ROWS = [
    (judge, run, topic, metric, round(0.1 * len(judge) + 0.05 * ord(run) % 1 + 0.01 * int(topic) % 0.3, 4))
    for judge, topics in (("nist", ["1", "2", "10"]), ("gpt", ["2", "10", "11", "12"]))
    for run in "abc"
    for topic in topics
    for metric in ("AP", "RR")
]
LONG = pd.DataFrame(ROWS, columns=["judge", "run", "topic", "metric", "value"])


@pytest.fixture
def long(tmp_path):
    """Write a long table with a column of judges, and one of years by which rows are chosen."""
    path = tmp_path / "scores.csv"
    other = LONG.assign(value=LONG["value"] / 2, year=2020)
    pd.concat([LONG.assign(year=2021), other]).to_csv(path, index=False)
    return path


def expected(judge, metric):
    """Return the scores of a judge as a frame of systems and topics, by pandas alone."""
    own = LONG[(LONG["judge"] == judge) & (LONG["metric"] == metric)]
    wide = own.pivot_table(index="run", columns="topic", values="value")
    return wide[sorted(wide, key=int)]


def test_a_long_table_with_a_column_of_judges(long):
    """Every judge has the table's scores on its own topics, in natural order, under every metric."""
    found = read_judges(long, where={"year": "2021"})
    assert (found.labels, found.assessments, found.files) == (None, {}, (str(long),))
    assert list(found.scores) == ["AP", "RR"]
    for metric, judges in found.scores.items():
        assert list(judges) == ["nist", "gpt"]
        for judge, scores in judges.items():
            wide = expected(judge, metric)
            assert scores["topic"].to_numpy().tolist() == wide.columns.tolist()
            assert scores["system"].to_numpy().tolist() == wide.index.tolist()
            np.testing.assert_array_equal(scores.to_numpy()[0], wide)
    half = read_judges(long, where={"year": "2020"}, metrics=["RR"]).scores
    assert list(half) == ["RR"]
    np.testing.assert_array_equal(half["RR"]["gpt"].to_numpy(), found.scores["RR"]["gpt"].to_numpy() / 2)


def test_other_names_of_columns_and_a_column_a_metric(tmp_path):
    """Columns may be named, and metrics may be columns; one without a name is called score."""
    path = tmp_path / "wide.tsv"
    wide = LONG.pivot_table(index=["judge", "run", "topic"], columns="metric", values="value").reset_index()
    wide.rename(columns={"judge": "who", "run": "team"}).to_csv(path, sep="\t", index=False)
    found = read_judges(path, columns={"judge": "who", "system": "team"}).scores
    np.testing.assert_array_equal(found["RR"]["gpt"].to_numpy()[0], expected("gpt", "RR"))
    LONG[LONG["metric"] == "AP"].drop(columns="metric").to_csv(path, sep="\t", index=False)
    assert list(read_judges(path).scores) == ["score"]


@pytest.mark.parametrize("form", ["long", "wide", "tot", "tot without all", "ir_measures", "netcdf", "records", "gz"])
def test_a_file_a_judge_in_every_form(tmp_path, form):
    """Each is read as `read_scores` reads it, and the judge is called as was said."""
    places = {}
    for judge in ("nist", "gpt"):
        own, path = LONG[LONG["judge"] == judge].drop(columns="judge"), tmp_path / f"{judge}.txt"
        if form.startswith("wide"):
            own = own[own["metric"] == "AP"].pivot_table(index="topic", columns="run", values="value").reset_index()
            own.to_csv(path, index=False)
        elif form in {"tot", "tot without all", "ir_measures"}:
            means = own.groupby(["run", "metric"], as_index=False)["value"].mean().assign(topic="all")
            own = pd.concat([own, means]) if form != "tot without all" else own
            order = (
                ["run", "topic", "metric", "value"] if form == "ir_measures" else ["run", "metric", "topic", "value"]
            )
            own[order].to_csv(path, sep="\t", index=False, header=False)
        elif form == "netcdf":
            own.to_csv(path, index=False)
            path = write_scores(read_scores(path), tmp_path / f"{judge}.nc")
        elif form == "records":
            path.write_text("".join(json.dumps(row) + "\n" for row in own.to_dict("records")))
        else:
            path.write_bytes((gzip.compress if form == "gz" else bytes)(own.to_csv(index=False).encode()))
        places[judge] = path
    found = read_judges([places["nist"], f"machine={places['gpt']}"])
    assert found.labels is None
    assert list(found.scores) == (["score"] if form == "wide" else ["AP", "RR"])
    for judge, name in (("nist", "nist"), ("gpt", "machine")):
        scores = next(iter(found.scores.values()))[name]
        np.testing.assert_array_equal(scores.to_numpy()[0], expected(judge, "AP"))
    assert found.files == tuple(map(str, places.values()))


def test_metrics_of_one_table_are_judges(tmp_path):
    """Without a column of judges the metrics are; `metrics` chooses among them."""
    path = tmp_path / "judge.tot"
    LONG[LONG["judge"] == "nist"][["run", "metric", "topic", "value"]].to_csv(path, sep=" ", index=False, header=False)
    found = read_judges(path).scores
    assert (list(found), list(found["score"])) == (["score"], ["AP", "RR"])
    assert list(read_judges(path, metrics=["RR", "AP"]).scores["score"]) == ["RR", "AP"]
    with pytest.raises(ScoresError, match=r"the scores of one judge \(RR\)"):
        read_judges(path, metrics=["RR"])


def test_files_that_share_no_metric_are_held_measure_by_measure(tmp_path):
    """Every metric of the reference has every metric of the others beside it; a file called as one is that one."""
    for name, metrics in (("truth", ["AP", "RR"]), ("judge", ["LENGTH", "RELEVANCE"])):
        own = LONG[LONG["judge"] == "nist"].replace(dict(zip(["AP", "RR"], metrics, strict=True)))
        own[["run", "metric", "topic", "value"]].to_csv(tmp_path / name, sep=" ", index=False, header=False)
    paths = [f"nist={tmp_path / 'truth'}", f"gpt={tmp_path / 'judge'}"]
    found = read_judges(paths, reference="nist").scores
    assert list(found) == ["AP", "RR"]
    assert [list(judges) for judges in found.values()] == [["nist", "gpt:LENGTH", "gpt:RELEVANCE"]] * 2
    chosen = read_judges(paths, reference="nist", metrics=["RR", "LENGTH"]).scores
    assert {metric: list(judges) for metric, judges in chosen.items()} == {"RR": ["nist", "gpt"]}
    called = read_judges([f"AP={tmp_path / 'truth'}", f"LENGTH={tmp_path / 'judge'}"]).scores
    assert {metric: list(judges) for metric, judges in called.items()} == {"score": ["AP", "LENGTH"]}
    with pytest.raises(ScoresError, match=r"share no metric: nist has AP, RR; gpt has .* \(`reference`\)"):
        read_judges(paths)


def test_metrics_of_some_judges_are_left_out_with_a_note(tmp_path):
    """What all have is compared."""
    for judge, metrics in (("nist", ["AP", "RR"]), ("gpt", ["RR"])):
        own = LONG[(LONG["judge"] == judge) & LONG["metric"].isin(metrics)].drop(columns="judge")
        own.to_csv(tmp_path / judge, index=False)
    found = read_judges([tmp_path / "nist", tmp_path / "gpt"]).scores
    assert list(found) == ["RR"]
    assert "metrics that only some judges have, left out: AP" in found["RR"]["gpt"].attrs["notes"]


def test_systems_that_a_judge_lacks_stop_or_go(tmp_path):
    """Every judge must score the same systems, in whatever order its table has them."""
    own = LONG[LONG["metric"] == "AP"]
    path = tmp_path / "scores.csv"
    own[::-1].to_csv(path, index=False)
    found = read_judges(path).scores["AP"]
    assert {tuple(one["system"].to_numpy().tolist()) for one in found.values()} == {("c", "b", "a")}
    own[(own["judge"] == "nist") | (own["run"] != "b")].to_csv(path, index=False)
    with pytest.raises(ScoresError, match=r"gpt lacks b: score them too, or pass `missing='drop-systems'` .* 2"):
        read_judges(path)
    left = read_judges(path, missing="drop-systems").scores["AP"]["nist"]
    assert left["system"].to_numpy().tolist() == ["a", "c"]
    assert left.attrs["notes"] == ["systems that not every judge scored, left out: b"]


def test_judgments_are_no_scores():
    """Four columns are judgments, whatever the second and the names of topics and documents are."""
    for line in ("1 0 d{} 1", "T{} Q0 d{} 1", "T{} 0 d{} 2", "a{} 1.5 AP{} 0", "T{} Q0 d{} 0.25"):
        text = "\n".join(line.format(place, 2 * place) for place in range(9))
        assert not holds_scores(text.encode(), "qrels", {}, alone=False)
    for line in ("run{0} AP {1} 0.5", "run{0} {1} AP 0.5", "run{0} mine t{1} 0.5", "run{0} t{1} mine 0.5"):
        text = "\n".join(line.format(run, topic) for run in range(3) for topic in range(9))
        assert holds_scores(text.encode(), "tot", {}, alone=False)


@pytest.mark.parametrize(
    ("header", "alone", "scores"),
    [
        ("topic,item,judge,label", True, False),
        ("topic,item,ann,ben", True, False),
        ("item,ann,ben", False, False),
        ("name,topic,doc,ann,ben", False, False),
        ("run,topic,doc,judge,label", True, False),
        ("judge,doc,system,dim,score", True, True),
        ("system,topic,AP,nDCG", True, True),
        ("assessor,run,question_id,value", True, True),
        ("topic,bm25,lm", True, False),
        ("topic,bm25,lm", False, True),
        ("item,ann0,ann1,gold,llm", True, False),
    ],
)
def test_a_header_tells_scores_from_labels(header, alone, scores):
    """Systems and topics with a score, or with nothing that was labelled; wide tables only beside others."""
    row = ",".join("1" for _ in header.split(","))
    assert holds_scores(f"{header}\n{row}\n".encode(), "table", {}, alone=alone) is scores


def test_a_judge_called_as_systems_are_is_told_by_what_it_says():
    """A column `llm` holds names of systems, or the labels that the others say."""
    labels = "item,ann,ben,llm\n" + "".join(f"d{place},{place % 2},1,{place % 3 % 2}\n" for place in range(9))
    scores = "item,AP,RR,llm\n" + "".join(f"d{place},{place % 2},1,m{place % 3}\n" for place in range(9))
    assert not holds_scores(labels.encode(), "table", {}, alone=True)
    assert holds_scores(scores.encode(), "table", {}, alone=True)


@pytest.mark.parametrize("spelt", [("0", "1"), ("0.0", "1.0"), ("false", "true"), ("no", "yes"), ("False", "1")])
@pytest.mark.parametrize("others", [("0", "1"), ("0.0", "1.0"), ("FALSE", "TRUE")])
@pytest.mark.parametrize("beside", ["", ",year", ",length", ",confidence"])
def test_labels_are_the_same_however_they_are_spelt(spelt, others, beside):
    """A judge called `llm` is one beside a judge that writes 1 as true, and beside columns that are no labels."""
    rows = [
        f"d{place},{others[place % 2]},{spelt[place % 3 % 2]}{beside and ',' + str(2000 + place)}" for place in range(8)
    ]
    table = "\n".join([f"item,gold,llm{beside}", *rows, ""])
    assert not holds_scores(table.encode(), "table", {}, alone=True)


@pytest.mark.parametrize(
    ("text", "given", "error", "message"),
    [
        (
            "judge,run,topic,part,score\nx,a,1,y,1\nx,a,1,z,1",
            {},
            FileFormatError,
            r"by column 'part' \(y, z\); pass `where=\{'part': 'y'\}` for those of 'y', or another",
        ),
        (
            "judge,run,topic,year,score\n"
            + "".join(f"x,{run},{at},{at},1\n" for at in (8, 9) for run in "abcd"[at - 8 :: 2]),
            {},
            FileFormatError,
            r"systems have topics of their own, by column 'year' \(8, 9\); pass `where=\{'year': '8'\}`",
        ),
        ("judge,run,topic,score\nx,a,1,1", {"where": {"dim": "y"}}, FileFormatError, "there is no column 'dim'"),
        ("judge,run,topic,score\nx,a,1,1", {"where": {"run": "y"}}, FileFormatError, "no row has 'y' in column 'run'"),
        (
            "judge,run,topic,score\nx,a,1,1\n,a,1,1",
            {},
            FileFormatError,
            r"line 3: the judge \(column 'judge'\) is empty",
        ),
        ("judge,run,topic,score\nx,a,1,1\nx,a,2", {}, FileFormatError, "line 3: a row of 3 cells"),
        ("judge,run,topic,score\nx,a,1,1\ny,a,1,one", {}, FileFormatError, "line 3: .*'one' is not a number"),
        ("judge,run,topic,score\nx,a,1,1\ny,a,1,1\nx,a,1,0", {}, FileFormatError, "line 4: .* on line 2 already"),
        ("judge,run,topic,score\nx,a,1,1\nx,b,2,1\ny,a,1,1", {}, ScoresError, "lacks|no score"),
        ("judge,run,topic,score\nx,a,1,1\ny,a,1,1", {}, ScoresError, "share two systems at least, and they share 1"),
        ("judge,run,topic,metric,score\nx,a,1,A,1\ny,a,1,B,1", {}, ScoresError, "share no metric: x has A; y has B"),
        ("judge,run,topic,score\nx,a,1,1", {"words": {"high": 1}}, InvalidOptionError, "are for labels"),
        ("judge,run,topic,score\nx,a,1,1", {"repeats": True}, InvalidOptionError, "are for labels"),
        (
            "judge,run,topic,score\nx,a,1,1",
            {"columns": {"item": "topic"}},
            InvalidOptionError,
            "may name judge, system",
        ),
        ("judge,run,topic,score\nx,a,1,1", {"columns": {"judge": "who"}}, FileFormatError, "there is no column 'who'"),
        ("judge,run,topic,score\nx,a,1,1", {"metrics": ["P"]}, MetaevalError, "no metric in the score tables 'P'"),
    ],
)
def test_what_is_wrong_is_said_with_line_and_way_out(tmp_path, text, given, error, message):
    """Columns, rows, judges and options."""
    path = tmp_path / "scores.csv"
    path.write_text(text)
    with pytest.raises(error, match=message):
        read_judges(path, **given)


def test_kinds_do_not_mix(tmp_path, long):
    """Scores beside labels, a name twice, rows chosen where there is no judge."""
    (tmp_path / "qrels").write_text("1 0 d1 1\n")
    with pytest.raises(FileFormatError, match=r"this holds scores, and .*qrels labels"):
        read_judges([long, tmp_path / "qrels"])
    own = LONG[LONG["judge"] == "nist"].drop(columns="judge")
    own.to_csv(tmp_path / "nist", index=False)
    LONG.to_csv(tmp_path / "both.csv", index=False)
    with pytest.raises(InvalidOptionError, match="two judges are called 'nist'"):
        read_judges([tmp_path / "both.csv", tmp_path / "nist"])
    named = read_judges([tmp_path / "both.csv", f"again={tmp_path / 'nist'}"]).scores["AP"]
    assert list(named) == ["nist", "gpt", "again"]
    with pytest.raises(FileFormatError, match="nist: there is no column 'year'"):
        read_judges([f"ann={tmp_path / 'nist'}", f"ben={long}"], where={"year": "2021"})


@pytest.mark.parametrize("name", ["judge", "rater", "annotator"])
def test_a_column_called_judge_that_holds_labels_is_a_judge(tmp_path, name):
    """Beside systems and items it says 0 and 1 as another column does, once an answer: it names nobody."""
    said = pd.DataFrame({"model": list("aaabbb"), "item": [1, 2, 3] * 2, "expert": [0, 1, 1, 0, 0, 1]})
    said.assign(**{name: [1, 1, 1, 0, 0, 1]}).to_csv(tmp_path / "labels.csv", index=False)
    found = read_judges(tmp_path / "labels.csv", reference="expert").scores["score"]
    assert {judge: scores.to_numpy()[0].tolist() for judge, scores in found.items()} == {
        "expert": [[0, 1, 1], [0, 0, 1]],
        name: [[1, 1, 1], [0, 0, 1]],
    }
