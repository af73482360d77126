"""Nuggets: tables of labels and the assignments of nuggetizer, the weightings, and what DRAGUN says by topics."""

import json

import numpy as np
import pytest

from metaeval.errors import FileFormatError, InvalidOptionError
from metaeval.inex.judges import read_judges
from metaeval.io.benchmarks.nuggets import credit_of
from metaeval.io.tables import read_scores
from metaeval.questions.power.study import study_power
from metaeval.table.structure import with_clusters

HEAD = "topic,run_id,nugget,label,importance\n"
ROWS = [
    ("1", "a", "n1", "support", "vital"),
    ("1", "a", "n2", "partial_support", "okay"),
    ("1", "a", "n3", "not_support", "okay"),
    ("2", "a", "n1", "partial_support", "vital"),
    ("2", "a", "n2", "support", "vital"),
    ("1", "b", "n1", "not_support", "vital"),
    ("1", "b", "n2", "support", "okay"),
    ("1", "b", "n3", "support", "okay"),
    ("2", "b", "n1", "support", "vital"),
    ("2", "b", "n2", "not_support", "vital"),
]


@pytest.fixture
def read(tmp_path):
    """Read rows as a table of nuggets."""

    def scores(rows=ROWS, head=HEAD, **options):
        path = tmp_path / "labels.csv"
        path.write_text(head + "".join(",".join(row) + "\n" for row in rows))
        return read_scores(path, **options)

    return scores


def test_the_mean_over_a_topics_nuggets_is_the_measure(read):
    """The measures of nuggetizer, from their definitions: topic 1 of run a has a vital nugget of three."""
    found = read()
    assert found["cluster"].to_numpy().tolist() == ["1", "1", "1", "2", "2"]
    means = with_clusters(found, "means")
    by_topic = {
        (metric, topic): float(means.sel(metric=metric, system="a", topic=topic))
        for metric in means["metric"].to_numpy()
        for topic in ("1", "2")
    }
    assert by_topic == pytest.approx(
        {
            ("all", "1"): 0.5,
            ("all", "2"): 0.75,
            ("strict_all", "1"): 1 / 3,
            ("strict_all", "2"): 0.5,
            ("vital", "1"): 1.0,
            ("vital", "2"): 0.75,
            ("strict_vital", "1"): 1.0,
            ("strict_vital", "2"): 0.5,
            ("weighted", "1"): (1 + 0.5 * 0.5) / 2,
            ("weighted", "2"): 0.75,
        }
    )
    numbers = [(*row[:3], f"{credit_of(row[3])[0]:g}", row[4]) for row in ROWS]
    for name in ("score", "credit"):
        np.testing.assert_array_equal(read(numbers, HEAD.replace("label", name)), found)
    assert read(credit={"partial_support": 1}).sel(metric="all", system="a").to_numpy().tolist() == [1, 1, 0, 1, 1]


@pytest.mark.parametrize("row", [("1", "b", "n3", "support", "okay", "0.5"), ("1", "b", "n3", "support")])
def test_a_row_of_another_number_of_cells_is_refused(read, row):
    """A cell too many or too few moves what stands behind it, so nothing of the row can be believed."""
    with pytest.raises(FileFormatError, match=r"labels\.csv, line 9: a row of \d cells, and the table has 5 columns"):
        read([*ROWS[:7], row, *ROWS[8:]])


def test_systems_of_other_judges_are_not_compared(read):
    """Where one judge labelled some systems and another the rest, the refusal names both and how to read one."""
    judged = [(*row, "ann" if row[1] == "a" else "bob") for row in ROWS]
    third = [(row[0], "c", *row[2:5], "bob") for row in ROWS[5:]]
    head = HEAD.replace("\n", ",judge\n")
    with pytest.raises(
        FileFormatError, match=r"judge 'ann' labelled 1 of 3 systems, not b, c: .*`where=\{'judge': 'bob'\}`, 2 of 3"
    ):
        read([*judged, *third], head)
    assert read([*judged, *third], head, where={"judge": "bob"})["system"].to_numpy().tolist() == ["b", "c"]
    with pytest.raises(FileFormatError, match="cannot be compared; have all systems labelled by one judge"):
        read(judged, head)


def test_a_nugget_of_one_system_alone_is_named(read, told):
    """The weights of a topic's nuggets rest on how many there are, so another nugget changes those of all."""
    found = read([*ROWS, ("1", "b", "n4", "support", "okay")], missing="pairwise")
    assert told(found, "1 nugget without a label of every system")
    assert not told(read(), "without a label of every system")


def test_assignments_of_nuggetizer_are_the_same(tmp_path, read):
    """JSON lines with a list of nuggets a query; a file without run_id is a system."""
    for system in "ab":
        lines = []
        for topic in "12":
            nuggets = [
                {"text": text, "importance": importance, "assignment": label}
                for one, run, text, label, importance in ROWS
                if (one, run) == (topic, system)
            ]
            lines.append(json.dumps({"query": "what", "qid": topic, "answer_text": "so", "nuggets": nuggets}))
        (tmp_path / f"{system}.jsonl").write_text("\n".join(lines))
    found = read_scores([tmp_path / "a.jsonl", tmp_path / "b.jsonl"])
    table = read()
    assert found.attrs["read_as"].startswith("results of nuggets")
    assert found.sel(metric=table["metric"]).equals(table)


def test_contradictions_have_metrics_of_their_own_and_judges_too(read):
    """A contradiction counts 0, and has metrics of its own where there is one; lower is better."""
    rows = [(*row[:3], "contradicts" if row[:3] == ("2", "b", "n2") else row[3]) for row in ROWS]
    found = read(rows, "topic_id,run_tag,answer_id,auto_assessment\n")
    assert found["metric"].to_numpy().tolist() == ["all", "strict_all", "lenient_all", "net_all", "contradicted"]
    assert found["higher_is_better"].to_numpy().tolist() == [True, True, True, True, False]
    assert found.sel(system="b", topic="2/n2").to_numpy().tolist() == [0, 0, 0, -1, 1]
    for credit in (-0.5, 0.25):
        own = read(rows, "topic_id,run_tag,answer_id,auto_assessment\n", credit={"contradicts": credit})
        assert own["metric"].to_numpy().tolist() == ["all", "strict_all", "lenient_all", "contradicted"]
        assert own.sel(system="b", topic="2/n2").to_numpy().tolist() == [credit, 0, float(credit > 0), 1]
        assert own.sel(metric="all", system="b").to_numpy().tolist() == [0, 1, 1, 1, credit], "counted once"
        assert any("no net_all: contradicts has credit of its own" in note for note in own.attrs["notes"])
    judged = [(*row[:4], judge) for judge in ("x", "y") for row in ROWS]
    names = read(judged, "topic,system,nugget,label,judge\n")["metric"].to_numpy().tolist()
    assert names[:3] == ["all (x)", "strict_all (x)", "lenient_all (x)"]


def test_credit_of_a_label_that_no_file_has_is_refused(read, tmp_path):
    """With the nearest that there is; a label of one file of several is enough, as of one judge of several."""
    with pytest.raises(InvalidOptionError, match="nuggets 'partial_suport'; did you mean 'partial_support'"):
        read(credit={"partial_suport": 0.3})
    paths = [tmp_path / f"{system}.csv" for system in "ab"]
    for path, word in zip(paths, ("partial", "support"), strict=True):
        rows = [(row[0], path.stem, row[2], word) for row in ROWS if row[1] == path.stem]
        path.write_text("topic,run,nugget,label\n" + "".join(",".join(row) + "\n" for row in rows))
    found = read_scores(paths, credit={"partial": 0.3})
    assert found.sel(metric="all").mean("topic").to_numpy().tolist() == pytest.approx([0.3, 1])
    with pytest.raises(InvalidOptionError, match="did you mean 'partial'"):
        read_scores(paths, credit={"partial_support": 0.3})
    assignments = [{"text": row[2], "importance": row[4], "assignment": row[3]} for row in ROWS[:3]]
    (tmp_path / "c.jsonl").write_text(json.dumps({"query": "q", "qid": "1", "answer_text": "", "nuggets": assignments}))
    with pytest.raises(InvalidOptionError, match="no label of nuggets 'maybe'"):
        read_scores(tmp_path / "c.jsonl", credit={"maybe": 0.3})
    judged = tmp_path / "judged.csv"
    rows = [(*row[:3], word, word) for word in ("partial", "support") for row in ROWS]
    judged.write_text("topic,run,nugget,label,judge\n" + "".join(",".join(row) + "\n" for row in rows))
    assert read_judges(judged, credit={"partial": 0.3}).labels.shape[1] == 2
    with pytest.raises(InvalidOptionError, match="did you mean 'partial'"):
        read_judges(judged, credit={"partial_support": 0.3})


def test_all_labels_without_credit_are_asked_about_at_once(read):
    """With a number to be filled in: 0 for all would score every system 0."""
    labels = dict(zip(dict.fromkeys(row[3] for row in ROWS), ("ja", "etwas", "nein", "nie", "kaum"), strict=False))
    rows = [(*row[:3], labels[row[3]], *row[4:]) for row in ROWS]
    named = ", ".join(f"'{label}': 'NUMBER'" for label in dict.fromkeys(row[3] for row in rows))
    with pytest.raises(FileFormatError, match=rf"line 2: the labels .* are unknown; .* with `credit=.{named}.`"):
        read(rows)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            ("2", "a", "n3", "maybe", "vital"),
            r"line 12: the label 'maybe' is unknown; say what each counts, from 0 .* with `credit=",
        ),
        (
            ROWS[0],
            "line 12: nugget 'n1' of topic '1' is labelled twice for 'a'; keep one, or pass `duplicates='first'`",
        ),
        (("2", "a", "n3", "support", ""), "line 12: the importance is missing; a nugget is vital or okay"),
        (("2", "a", "n3", "support", "minor"), "line 12: the importance is 'minor'; a nugget is vital or okay"),
        (("", "a", "n3", "support", "okay"), "line 12: the topic is empty; fill it in"),
        (("2", "a", "n3", "", "okay"), "line 12: the label is empty; fill it in"),
        (("1", "c", "n1", "support", "okay"), "line 12: nugget 'n1' of topic '1' has another importance"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(read, changed, said):
    """And with the way out."""
    with pytest.raises(FileFormatError, match=said):
        read([*ROWS, changed])
    with pytest.raises(FileFormatError, match="has a header and no row"):
        read([])


def test_repeated_labels_and_gaps_follow_the_rules_of_tables(read):
    """The first label counts, or their mean; a nugget without a label for a system is a gap; others have no credit."""
    again = ("1", "a", "n1", "not_support", "vital")
    assert read([*ROWS, again], duplicates="first").equals(read())
    assert float(read([*ROWS, again], duplicates="mean").sel(metric="all", system="a", topic="1/n1")) == 0.5
    with pytest.raises(Exception, match="no score"):
        read(ROWS[1:])
    with pytest.raises((FileFormatError, InvalidOptionError), match="`credit` is for labels of nuggets"):
        read([("1", "a", "0.5"), ("1", "b", "0.5")], "topic,system,score\n", credit={"partial": 1})


def test_dragun_from_its_own_file(data_folder):
    """By topics 176 of 325 pairs differ under BY, taken for independent 222 would: 54.2 and 68.3 %."""
    found = read_scores(data_folder / "nuggets" / "auto_report_assessments.csv.xz", metrics=["all"])
    assert dict(found.sizes) == {"metric": 1, "system": 26, "topic": 551}
    study = study_power(found, tests=["t"], corrections=["fdr_by"])
    assert study.to_frame()["n_significant"].tolist() == [176]
    (independent,) = study.independent
    assert independent.discriminative_power()["n_significant"].tolist() == [222]
    (table,) = [one for one in study.report().tables() if one.name == "independent"]
    assert table.data["n_significant_independent"].tolist() == [222]
