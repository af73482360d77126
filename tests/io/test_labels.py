"""Reading labels of several judges: every form, and every way a file can be wrong."""

import ast
import gzip
import re
import tarfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import metaeval
from metaeval.agreement.labels import as_labels
from metaeval.agreement.runs_under_judges import judgments_of_labels
from metaeval.base.label_words import folded, grades_of, word_scale
from metaeval.errors import FileFormatError, InvalidOptionError, MetaevalError, ScoresError
from metaeval.inex.judges import read_judges
from metaeval.io.by_values import labels_by_values
from metaeval.io.labels import read_labels
from metaeval.questions.judges.study import study_judges

LONG = "query_id,docid,worker,relevance\n1,d1,ann,2\n1,d1,ben,1\n1,d2,ann,0\n2,d3,ben,\n"


def write(folder, text, name="labels.csv"):
    path = folder / name
    path.write_text(text)
    return path


def test_the_long_form(tmp_path):
    """Columns are known by their usual names, topics stay text, and gaps stay gaps."""
    frame = read_labels(write(tmp_path, LONG))
    assert list(frame.columns) == ["ann", "ben"]
    assert frame.index.tolist() == [("1", "d1"), ("1", "d2"), ("2", "d3")]
    np.testing.assert_array_equal(frame.to_numpy(), [[2, 1], [0, np.nan], [np.nan, np.nan]])


def test_the_wide_form_leaves_out_what_holds_no_labels_and_says_so(tmp_path):
    """Every column of whole numbers is a judge; text beside them is left out with a note."""
    frame = read_labels(write(tmp_path, "qid\tpid\thuman\tjudge\tremark\nq1\tp1\t0\t3\tgood\nq1\tp2\t1\t\tpoor\n"))
    assert list(frame.columns) == ["human", "judge"]
    assert frame.attrs["notes"] == ["columns without labels, left out: remark"]
    np.testing.assert_array_equal(frame.to_numpy(), [[0, 3], [1, np.nan]])


@pytest.mark.parametrize("name", ["Nr.", "No.", "#"])
def test_a_running_number_names_items_where_nothing_else_does(tmp_path, name):
    """As in a sheet of texts; a number that does not run names none."""
    frame = read_labels(write(tmp_path, f"{name};Text;Anna;Ben\n1;so so;good;bad\n2;oh no;bad;bad\n", "sheet.csv"))
    assert frame.index.get_level_values("item").tolist() == ["1", "2"]
    assert frame["Anna"].tolist() == ["good", "bad"]
    with pytest.raises(MetaevalError, match="no column names the items"):
        read_labels(write(tmp_path, f"{name};Text;Anna;Ben\n2;so so;good;bad\n1;oh no;bad;bad\n", "sheet.csv"))


def test_both_forms_and_compression_say_the_same(tmp_path):
    """The same labels come from a long table, a wide one and a compressed one."""
    long = read_labels(write(tmp_path, LONG))
    wide = read_labels(write(tmp_path, "topic,doc,ann,ben\n1,d1,2,1\n1,d2,0,\n2,d3,,\n", "wide.csv"))
    packed = tmp_path / "labels.csv.gz"
    packed.write_bytes(gzip.compress(LONG.encode()))
    for other in (wide, read_labels(packed)):
        np.testing.assert_array_equal(long.to_numpy(), other.to_numpy())


def test_qrels_files_are_judges(tmp_path):
    """Each qrels file is a judge, called as the file or as the caller says."""
    one = write(tmp_path, "1 0 d1 2\n1 0 d2 0\n", "nist.txt")
    two = write(tmp_path, "1 0 d1 1\n", "crowd.txt")
    frame = read_labels([one, f"people={two}"])
    assert list(frame.columns) == ["nist", "people"]
    np.testing.assert_array_equal(frame.to_numpy(), [[2, 1], [0, np.nan]])


def test_judgments_by_subtopic_are_labels_of_subtopics_and_documents(tmp_path):
    """Each line is a label, also of a judge whose documents stand once; twice on one subtopic is an error."""
    (tmp_path / "nist").write_text("1 1 d1 2\n1 2 d1 0\n1 1 d2 1\n")
    (tmp_path / "bot").write_text("1 1 d2 1\n1 2 d1 -1\n2 1 d1 0\n")
    frame = read_labels([tmp_path / "nist", tmp_path / "bot"])
    expected = {("1", "1/d1"): (2, None), ("1", "1/d2"): (1, 1), ("1", "2/d1"): (0, None), ("2", "1/d1"): (None, 0)}
    assert {at: tuple(row) for at, row in frame.replace({np.nan: None}).iterrows()} == expected
    labels = as_labels(frame)
    assert labels.notes == (
        "column 2 of the judgments names subtopics: an item is a document judged for one of them, SUBTOPIC/DOCUMENT",
    )
    with pytest.raises(InvalidOptionError, match="score the runs with the judgments of each judge by itself"):
        judgments_of_labels(labels.select(["nist", "bot"]))
    assert not study_judges(labels, rng=0).unanswered["Conclusions about systems"].startswith("pass runs")
    (tmp_path / "bot").write_text("1 1 d2 1\n1 2 d2 1\n1 1 d2 1\n")
    with pytest.raises(FileFormatError, match="line 3: this document is judged twice on subtopic '1' of this topic"):
        read_labels([tmp_path / "nist", tmp_path / "bot"])


def test_what_was_pooled_and_not_judged_is_no_label(tmp_path):
    """Level -1 of qrels is a gap; other levels below 0 are labels."""
    one = write(tmp_path, "1 0 d1 2\n1 0 d2 -1\n1 0 d3 -2\n", "a.txt")
    two = write(tmp_path, "1 0 d1 0\n1 0 d2 0\n1 0 d3 0\n", "b.txt")
    np.testing.assert_array_equal(read_labels([one, two])["a"], [2, np.nan, -2])


def test_words_columns_and_rows_can_be_named(tmp_path):
    """Words get grades, columns get roles, and rows are chosen by what a column holds."""
    text = "part,thing,who,says\nA,x,ann,no\nA,x,ben,Yes\nB,x,ann,yes\n"
    frame = read_labels(
        write(tmp_path, text),
        columns={"item": "thing", "judge": "who", "label": "says"},
        words={"no": 0, "yes": 1},
        where={"part": "A"},
    )
    assert frame.to_numpy().tolist() == [[0.0, 1.0]]
    assert frame.attrs["notes"] == ["no column of topics: items are what is drawn for intervals"]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("topic,doc,judge,label\n1,d1,ann,2\n1,d2,ann,good\n", {}, r"line 3: 'good' is no label.*`words`"),
        (
            "topic,doc,ann,ben\n1,d1,good,bad\n",
            {"words": {"good": 1}},
            "'bad' is no label.* or one of good.*a grade, too",
        ),
        ("topic,doc,judge,label\n1,d1,ann,1\n1,d1,ann,0\n", {}, r"line 3: judge 'ann' labels .* 'd1' twice"),
        (
            "topic,doc,ann\n1,d1,1\n1,d1,0\n",
            {},
            r"line 3: topic '1', item 'd1' appears twice; keep one row, .* `'mean'`; where a row is a vote on two",
        ),
        (
            "topic,doc,who,ann\n1,d1,x,1\n1,d1,y,0\n",
            {},
            r"line 3: topic '1', item 'd1' appears twice.*`columns={'judge': 'who', 'label': 'ann'}`.*metaeval votes",
        ),
        (
            "Nr,Frage,ann,ben\n1,f1,yes,no\n2,f1,no,no\n3,f2,yes,yes\n",
            {},
            r"line 3: item 'f1' appears twice; 'Nr' numbers the rows.*`columns={'item': 'Nr', 'topic': 'Frage'}`",
        ),
        ("topic,ann\n1,1\n", {}, "no column names the items"),
        ("1 0 d1 1\n1 0 d2 0\n", {}, "judgments of one judge .qrels.; give those of another judge beside them"),
        ("topic,doc,ann\n1,d1,x\n", {}, "no column holds labels"),
        ("topic,doc,ann\n", {}, "no row"),
        ("topic,doc,ann\n1,d1,1\n", {"where": {"doc": "d9"}}, "no row has 'd9' in column 'doc'"),
        ("topic,doc,ann\n1,d1,1\n", {"columns": {"item": "dog"}}, "no column 'dog'.*did you mean 'doc'"),
    ],
)
def test_bad_files_stop(tmp_path, text, options, message):
    """A file that cannot be understood is an error that names the file, the line and the way out."""
    with pytest.raises(FileFormatError, match=message):
        read_labels(write(tmp_path, text), **options)


def test_bad_options_stop(tmp_path):
    """Options that do not fit the files are errors."""
    one, two = write(tmp_path, "1 0 d1 2\n", "a.txt"), write(tmp_path, "1 0 d1 2\n", "b.txt")
    with pytest.raises(InvalidOptionError, match="these files are qrels"):
        read_labels([one, two], words={"no": 0})
    with pytest.raises(InvalidOptionError, match="`columns` may name"):
        read_labels(one, columns={"metric": "x"})
    with pytest.raises(InvalidOptionError, match="empty"):
        read_labels([])
    with pytest.raises(InvalidOptionError, match="two files are called 'x'"):
        read_labels([f"x={one}", f"x={two}"])


def test_the_crowd_of_core17_is_read_whole(data_folder):
    """Every experiment has its labels; the seven that are missing stay missing (the data's own README)."""
    words = {"not_relevant": 0, "relevant": 1, "highly_relevant": 2}
    counts = {}
    for name in ("3P-Doc-High", "3P-Doc-NoHigh", "2P-Doc-High", "2P-Doc-NoHigh"):
        frame = read_labels(
            data_folder / "nyt-core17-assessors" / "crowd.csv.gz", words=words, where={"experiment": name}
        )
        counts[name] = int(frame.notna().to_numpy().sum())
        assert len(frame) == 120
    assert counts == {"3P-Doc-High": 1797, "3P-Doc-NoHigh": 1800, "2P-Doc-High": 1796, "2P-Doc-NoHigh": 1800}


def test_blanks_around_names_are_no_part_of_them(tmp_path):
    """A blank behind an item or a judge makes no other one; an empty one is an error with its line."""
    path = tmp_path / "labels.csv"
    path.write_text("topic,doc,judge,label\n1,d1 ,ann,1\n1,d1,ben ,0\n1,d2,ben,1\n1,d2,ann ,1\n")
    assert read_labels(path).to_numpy().tolist() == [[1, 0], [1, 1]]
    path.write_text("topic,doc,judge,label\n1,d1,ann,1\n1,,ben,0\n")
    with pytest.raises(FileFormatError, match="line 3: the item is empty"):
        read_labels(path)


def test_columns_taken_for_another_are_found_before_memory_runs_out(tmp_path):
    """As many judges as rows would make a table of nothing but gaps."""
    path = tmp_path / "labels.csv"
    path.write_text("doc,judge,label\n" + "".join(f"d{row},j{row},1\n" for row in range(4000)))
    with pytest.raises(FileFormatError, match="4000 labels cannot fill 4000 items x 4000 judges"):
        read_labels(path)


def test_real_valued_labels_are_read_from_qrels(tmp_path):
    """Grades are numbers, a negative one is a gap as -1 is."""
    one = write(tmp_path, "1 0 d1 1.7\n1 0 d2 -0.5\n1 0 d3 0\n", "rubric.txt")
    two = write(tmp_path, "1 0 d1 2\n1 0 d2 -2\n", "nist.txt")
    frame = read_labels([one, two])
    np.testing.assert_array_equal(frame["rubric"], [1.7, np.nan, 0])
    np.testing.assert_array_equal(frame["nist"], [2, -2, np.nan])


REPEATED = "1 0 d1 2\n1 0 d2 0\n2 0 d1 1\n1 0 d1 1\n2 0 d1 1.5\n1 0 d1 0\n"


def test_lines_of_one_pair_are_repeats_on_request(tmp_path):
    """The k-th line of every item goes to the k-th column; judges without repeats keep their name."""
    judge, nist = write(tmp_path, REPEATED, "judge.txt"), write(tmp_path, "1 0 d1 3\n1 0 d2 1\n", "nist.txt")
    with pytest.raises(FileFormatError, match="line 4: this document is judged twice"):
        read_labels([judge, nist])
    frame = read_labels([judge, nist], repeats=True)
    assert frame.columns.tolist() == ["judge#1", "judge#2", "judge#3", "nist"]
    expected = {("1", "d1"): [2, 1, 0, 3], ("1", "d2"): [0, np.nan, np.nan, 1], ("2", "d1"): [1, 1.5, np.nan, np.nan]}
    for item, labels in expected.items():
        np.testing.assert_array_equal(frame.loc[item], labels)
    assert read_labels(judge, repeats=True).columns.tolist() == ["judge#1", "judge#2", "judge#3"]


def test_long_tables_hold_repeats_too(tmp_path):
    """Of those who have several labels for an item; columns in natural order."""
    rows = "".join(f"1,d1,ann,{number}\n" for number in range(11))
    path = write(tmp_path, f"topic,doc,judge,label\n{rows}1,d1,ben,1\n1,d2,ann,5\n")
    with pytest.raises(FileFormatError, match="'ann' labels topic '1', item 'd1' twice"):
        read_labels(path)
    frame = read_labels(path, repeats=True)
    assert frame.columns.tolist() == [*(f"ann#{number}" for number in range(1, 12)), "ben"]
    assert frame.loc[("1", "d1")].tolist() == [*range(11), 1]
    assert frame.loc[("1", "d2")].tolist()[0] == 5


def test_what_are_no_repeats_is_refused(tmp_path):
    """A line repeated thousands of times beside thousands of others would be a table of gaps."""
    text = "".join(f"1 0 d{number} 0\n" for number in range(4000)) + "1 0 d1 1\n" * 4000
    with pytest.raises(
        FileFormatError, match="4001 lines for one pair, among 4000 pairs in 8000 lines, are no repeats"
    ):
        read_labels(write(tmp_path, text, "a.txt"), repeats=True)


def test_four_passes_of_a_judge_of_dl21_come_apart(data_folder, tmp_path):
    """Each pass over the 10,828 pairs is whole."""
    with tarfile.open(data_folder / "llm-judges-dl21" / "auto-qrels.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data", members=["auto-qrels/llama3.2/umbrela.txt"])
    frame = read_labels(tmp_path / "auto-qrels" / "llama3.2" / "umbrela.txt", repeats=True)
    assert frame.columns.tolist() == [f"umbrela#{number}" for number in range(1, 5)]
    assert frame.notna().sum().tolist() == [10_828] * 4


@pytest.mark.parametrize(
    ("no", "yes"),
    [
        ("fail", "pass"),
        ("failed", "passed"),
        ("bad", "good"),
        ("incorrect", "correct"),
        ("FALSE", "TRUE"),
        ("no", "yes"),
    ],
)
def test_two_words_that_say_no_and_yes_are_labels(tmp_path, no, yes):
    """Nine of ten pass and the judge always says pass: the same label on 90 %, kappa 0 (p_o = p_e = .9, by hand)."""
    rows = "".join(f"t{at},i{at},{no if at == 9 else yes},{yes}\n" for at in range(10))
    labels = as_labels(read_labels(write(tmp_path, f"topic,item,human,judge\n{rows}")))
    assert labels.words == (no, yes)
    assert labels.table["human"].tolist() == [1.0] * 9 + [0.0]
    study = study_judges(labels, reference="human", rng=0)
    pair, beside = study.labelling.agreement.pairs.iloc[0], study.labelling.baselines.set_index("statistic")
    assert (pair["same"], pair["kappa"], beside.loc["same", "constant"]) == (0.9, 0.0, 0.9)
    assert pair["kappa_low"] < 0 < pair["kappa_high"]


def test_judges_may_say_no_and_yes_in_words_of_their_own(tmp_path):
    """A person writes 1 and 0, a judge pass and fail: they agree; what a judge calls in two ways is two labels."""
    path = write(tmp_path, "topic,doc,human,judge,note\n1,d1,1,pass,x\n1,d2,0,fail,y\n1,d3,1,pass,z\n")
    labels = as_labels(read_labels(path))
    assert labels.table.to_numpy().tolist() == [[1, 1], [0, 0], [1, 1]]
    assert labels.words == ("0, fail", "1, pass")
    assert labels.notes[-1] == "labels are words that say no and yes: 0, fail 0; 1, pass 1"
    path = write(tmp_path, "topic,doc,ann,ben\n1,d1,pass,yes\n1,d2,passed,no\n1,d3,fail,pass\n")
    assert not as_labels(read_labels(path)).ordered


def test_more_words_are_names_until_they_are_graded(tmp_path):
    """Of full, partial, none and vague only whether two are the same counts, and no two have one label."""
    text = "topic,doc,ann,ben\n1,d1,full,Full\n1,d2,partial,none\n2,d3,NONE,none\n2,d4,vague,n/a\n"
    frame = read_labels(write(tmp_path, text))
    labels = as_labels(frame)
    assert labels.words == ("full", "NONE", "partial", "vague")
    assert not labels.ordered
    assert labels.table["ann"].tolist() == [0, 2, 1, 3]
    assert labels.table["ben"].tolist()[:3] == [0, 1, 1]
    assert np.isnan(labels.table["ben"].iloc[3])
    said = " ".join(labels.notes)
    assert "counted as a label: NONE (1), none (2); if it stands for none, pass `words={'none': 'none'}`" in said
    assert "counted as no label: n/a (1); if it is one, pass `words={'n/a': 'label'}`" in said
    found = study_judges(labels, reference="ann", rng=0).labelling
    assert found.agreement.statistics == ("same", "kappa")
    assert set(found.agreement.alpha["level"]) == {"nominal"}
    assert len(as_labels(read_labels(tmp_path / "labels.csv", words={"n/a": "label"})).words) == 5
    assert as_labels(read_labels(tmp_path / "labels.csv", words={"none": "none"})).words == (
        "full",
        "partial",
        "vague",
    )
    graded = read_labels(tmp_path / "labels.csv", words={"none": 0, "partial": 1, "full": 2, "vague": "none"})
    assert as_labels(graded).scale == (0, 1, 2)


@given(st.lists(st.sampled_from(["none", "partial", "full", "refused", "yes", "No", "7", "grün", "b b"]), min_size=1))
def test_no_two_words_have_one_grade(words):
    """Neither where grades are advised nor where a judge's words are read."""
    advised = grades_of(words)
    assert len(set(advised.values())) == len(advised) in {0, len({*map(folded, words)})}
    found = word_scale({"ann": words})
    assert len(set(found.codes.values())) == len(found.codes) == len({*map(folded, words)})


def test_columns_of_words_are_judges_where_they_share_them(tmp_path):
    """A column of other words is left out with a note; where two kinds may be meant, the judges are asked for."""
    head = "topic,doc,human,judge,kind,remark\n"
    rows = "1,d1,pass,fail,news,so so\n1,d2,pass,pass,sport,fine\n"
    frame = read_labels(write(tmp_path, head + rows))
    assert list(frame.columns) == ["human", "judge"]
    assert frame.attrs["notes"] == ["columns without labels, left out: kind, remark"]
    path = write(tmp_path, "topic,doc,length,tokens,human,judge\n1,d1,100,20,pass,fail\n1,d2,90,15,pass,pass\n")
    with pytest.raises(FileFormatError, match=r"length, tokens, human, judge may all .*'NAME,NAME'\}`"):
        read_labels(path)
    assert list(read_labels(path, columns={"judge": "human,judge"}).columns) == ["human", "judge"]
    path = write(tmp_path, "topic,doc,human,judge\n1,d1,1,fail\n1,d2,1,fail\n1,d3,fail,pass\n")
    frame = read_labels(path)  # 1 beside fail is a word, for the other judge has that word
    assert list(frame.columns) == ["human", "judge"]
    assert frame["human"].tolist() == ["1", "1", "fail"]
    path = write(tmp_path, "topic,doc,human,judge\n1,d1,maybe,1\n1,d2,,1\n1,d3,1,fail\n")
    with pytest.raises(FileFormatError, match="give fail, maybe a grade"):
        read_labels(path)
    path = write(tmp_path, "topic,doc,human,judge\n1,d1,good text,bad text\n1,d2,nice,poor\n")
    with pytest.raises(FileFormatError, match="words that two judges share"):
        read_labels(path)


def test_words_have_no_mean_and_no_rules_of_grades(tmp_path):
    """What takes grades says so, and how to give them."""
    path = write(tmp_path, "topic,doc,ann,ben\n1,d1,cat,dog\n1,d1,cat,cat\n2,d2,cow,cow\n")
    with pytest.raises(FileFormatError, match="words, which have no mean"):
        read_labels(path, duplicates="mean")
    labels = as_labels(read_labels(path, duplicates="first"))
    for asked in ({"rel": 2}, {"maps": "fit"}, {"scoring": "neg_rmse"}):
        with pytest.raises(ScoresError, match=r"takes grades, and these labels are words in no order.*`words`"):
            study_judges(labels, reference="ann", rng=0, **asked)
    with pytest.raises(ScoresError, match="scoring runs takes grades"):
        judgments_of_labels(labels)
    with pytest.raises(InvalidOptionError, match="`scale` is of numbers"):
        as_labels(read_labels(path, duplicates="first"), scale=(0, 1))


def test_what_was_asked_is_an_item_or_a_topic_and_systems_tell_items_apart(tmp_path):
    """A question is the item where nothing else is, else the topic; answers of several models are different items."""
    frame = read_labels(write(tmp_path, "question,human,judge\nq1,pass,pass\nq2,fail,pass\n"))
    assert frame.index.names == ["item"]
    frame = read_labels(write(tmp_path, "question,answer,human,judge\nq1,a,1,1\nq1,b,0,1\nq2,a,0,0\n"))
    assert frame.index.tolist() == [("q1", "a"), ("q1", "b"), ("q2", "a")]
    frame = read_labels(write(tmp_path, "method,dataset,id,judge,label\na,x,1,ann,1\na,y,1,ann,0\nb,x,1,ann,0\n"))
    assert frame.index.tolist() == ["1::a::x", "1::a::y", "1::b::x"]
    assert "an item is named by several columns: id, method, dataset" in frame.attrs["notes"]
    frame = read_labels(write(tmp_path, "Frage;Gutachter;Urteil\n1;A;ja\n1;B;nein\n"))
    assert as_labels(frame).words == ("nein", "ja")
    path = write(tmp_path, "part,who,doc,says,n\nx,A,1,0,7\ny,A,1,1,8\n")
    frame = read_labels(path, columns={"item": "part,doc", "judge": "who", "label": "says"})
    assert frame.index.tolist() == ["x::1", "y::1"]
    assert frame.attrs["notes"][-1] == "columns that say nothing of labels, left out: n"


@pytest.mark.parametrize("title", ["Agreement of 2024\n", "Agreement of 2024;;\n;;\n", "Agreement\n\nof 2024, all\n\n"])
def test_titles_above_the_header_are_left_out_by_name(tmp_path, title):
    """Lines of one cell, as spreadsheets have them; an error names the line of the file."""
    path = tmp_path / "l.csv"
    path.write_text(f"{title}item;ann;ben\nd1;good;bad\nd2;bad;bad\n")
    labels = read_labels(path)
    assert labels.to_dict() == {"ann": {"d1": "good", "d2": "bad"}, "ben": {"d1": "bad", "d2": "bad"}}
    assert "left out line 1, above the header ('Agreement" in labels.attrs["notes"][1]
    path.write_text(f"{title}item;ann;ben\nd1;good;bad\nd1;bad;bad\n")
    with pytest.raises(FileFormatError, match=f"line {title.count(chr(10)) + 3}"):
        read_labels(path)


@pytest.mark.parametrize(
    "text", ["item;ann;ben\nd1;1;0\n", "1,2,3\nitem;ann;ben\nd1;1;0\nd2;1;1\n", '"Agreement\n";;\nd1;1;0\nd2;1;1\n']
)
def test_rows_are_no_titles(tmp_path, text):
    """A first line that is a row, however it is divided, or part of a cell, is never left out."""
    path = tmp_path / "l.csv"
    path.write_text(text)
    try:
        notes = read_labels(path).attrs["notes"]
    except FileFormatError:
        return
    assert not any("above the header" in note for note in notes)


_NUMBERS = "item,ann,ben,cid\n" + "".join(f"d{at},{at % 3},{(at + at % 2) % 3},{at % 2}\n" for at in range(8))


@pytest.mark.parametrize("word", ["?", "-", "can't tell", "unsure"])
def test_one_odd_word_does_not_drop_its_judge(tmp_path, word):
    """A column of numbers and one word is a judge's: the word is asked about, and `none` makes it a gap."""
    lines = _NUMBERS.splitlines()
    path = write(tmp_path, "\n".join([*lines[:2], f"d1,{word},2,1", *lines[3:]]))
    with pytest.raises(FileFormatError, match=r"line 3: .*is no label") as caught:
        read_labels(path)
    assert repr({word: "none"}) in str(caught.value)
    frame = read_labels(path, words={word: "none"})
    assert list(frame.columns) == ["ann", "ben", "cid"]
    assert frame["ann"].isna().tolist() == [False, True] + 6 * [False]


@pytest.mark.parametrize("judges", ["ann ben cid", "ann"])
def test_labels_with_a_decimal_comma_are_no_words(tmp_path, judges):
    """Whether all judges write 2,0 or one: the cell is named, with what mends it."""
    header, *rows = (line.split(",") for line in _NUMBERS.splitlines())
    changed = {header.index(name) for name in judges.split()}
    commas = [[cell + ",0" * (at in changed) for at, cell in enumerate(row)] for row in rows]
    path = write(tmp_path, "\n".join(map(";".join, [header, *commas])))
    with pytest.raises(FileFormatError, match=r"line 2: '0,0' has a decimal comma; write '0\.0' \(tr , \.\)"):
        read_labels(path)
    path.write_text(path.read_text().replace(",", "."))  # as the filter does
    assert read_labels(path).to_numpy().tolist() == read_labels(write(tmp_path, _NUMBERS, "n.csv")).to_numpy().tolist()


def test_labels_that_begin_with_their_number_are_grades(tmp_path):
    """``2 - good`` is 2, with a note; as names in no order they stay words where somebody says so."""
    names = {"0": "0 - bad", "1": "1 - fair", "2": "2 - good"}
    header, *rows = (line.split(",") for line in _NUMBERS.splitlines())
    text = "\n".join(",".join([item, *map(names.__getitem__, cells)]) for item, *cells in rows)
    path = write(tmp_path, ",".join(header) + "\n" + text)
    frame = read_labels(path)
    assert frame.to_numpy().tolist() == read_labels(write(tmp_path, _NUMBERS, "n.csv")).to_numpy().tolist()
    assert "0 - bad, 1 - fair, 2 - good" in frame.attrs["notes"][1]
    assert read_labels(path, words=dict.fromkeys(names.values(), "label"))["ann"].iloc[1] == "1 - fair"


@pytest.mark.parametrize(
    "scale",
    [
        "strongly disagree,disagree,agree,strongly agree",
        "strongly disagree,disagree,neither agree nor disagree,agree,strongly agree",
        "never,rarely,sometimes,often,always",
        "poor,fair,good,excellent",
        "irrelevant,partially relevant,highly relevant",
        "not_relevant,somewhat_relevant,relevant",
        "not at all,slightly,moderately,very,extremely",
        "much worse,worse,about the same,better,much better",
    ],
)
def test_words_of_one_scale_are_names_until_they_are_graded(tmp_path, scale):
    """Published scales of answers: a note gives the grades in their order, with which figures are those of numbers."""
    words = scale.split(",")
    n = len(words)
    rows = [(f"d{at}", at % n, (at * at + at // n) % n) for at in range(4 * n)]
    text = "item,ann,ben\n" + "".join(f"{item},{words[one].title()},{words[two]}\n" for item, one, two in rows)
    grades = {word: grade for grade, word in enumerate(words)}
    assert grades_of(words) == grades
    names = as_labels(read_labels(write(tmp_path, text)))
    assert not names.ordered
    (way,) = [re.search(r"`words=(.*)`", note)[1] for note in names.notes if "in no order" in note]
    assert ast.literal_eval(way) == grades
    labels = as_labels(read_labels(tmp_path / "labels.csv", words=grades))
    assert labels.table.to_numpy().tolist() == [[one, two] for _, one, two in rows]
    assert labels.ordered
    numbers = as_labels({"ann": [one for _, one, _ in rows], "ben": [two for _, _, two in rows]})
    by_words, by_numbers = (
        study_judges(judged, reference="ann", rng=0).labelling.agreement for judged in (labels, numbers)
    )
    assert by_words.statistics == by_numbers.statistics
    assert by_words.pairs["quadratic_kappa"].tolist() == by_numbers.pairs["quadratic_kappa"].tolist()
    assert by_words.alpha["alpha"].tolist() == by_numbers.alpha["alpha"].tolist()


@pytest.mark.parametrize("words", [["good", "poor", "bad"], ["sports", "good"], ["agree", "good"], ["fair", "fair"]])
def test_words_of_two_scales_or_of_one_rung_stay_names(words):
    """No scale orders poor and bad; one word alone is no scale."""
    assert not word_scale({"ann": words}).ordered


def test_lines_of_sums_may_stand_under_the_topic_alone(tmp_path):
    """As a spreadsheet has them below the rows: the word for the sum in the first column, and no item."""
    path = tmp_path / "l.csv"
    rows = "".join(f"{at // 5},d{at},{at % 3},{(at + at // 5) % 3}\n" for at in range(15))
    path.write_text("topic,doc,ann,ben\n" + rows)
    plain = read_labels(path)
    path.write_text(path.read_text() + "Summe,,15,15\nMittelwert,,1.0,1.0\n")
    pd.testing.assert_frame_equal(read_labels(path), plain)
    assert "left out the summaries (Summe, Mittelwert)" in read_labels(path).attrs["notes"]
    path.write_text(path.read_text() + "3,,1,1\n")
    with pytest.raises(FileFormatError, match="the item is empty"):
        read_labels(path)


def test_a_job_of_workers_is_told_by_one_way(tmp_path):
    """As CrowdFlower writes them: the error names the same columns as look, not how far somebody is trusted."""
    path = tmp_path / "l.csv"
    rows = "".join(
        f"{at},{who},{(at + at // 3 * place) % 3},{place}\n"
        for at in range(9)
        for place, who in enumerate(("ann", "ben"), 2)
    )
    path.write_text("_unit_id,_worker_id,is_it_relevant,_trust\n" + rows)
    named = {"item": "_unit_id", "judge": "_worker_id", "label": "is_it_relevant"}
    assert labels_by_values(path.read_bytes(), "x").columns == named
    with pytest.raises(FileFormatError, match=re.escape(f"pass `columns={named!r}`")):
        read_labels(path)
    with pytest.raises(FileFormatError, match="'label': 'is_it_relevant'"):
        read_labels(path, columns={"item": "_unit_id"})


def test_a_prompt_that_is_the_same_in_all_rows_names_no_topic():
    """Items are what is drawn, as without the column."""
    labels = pd.DataFrame({"id": range(40), "ann": ["pos", "neg"] * 20, "ben": ["pos", "neg", "neg", "neg"] * 10})
    with_prompt, without = (metaeval.study_judges(held, rng=0) for held in (labels.assign(prompt="Rate it"), labels))
    assert with_prompt.answer == without.answer
    assert "'prompt' is the same in all rows, so that it names no topic" in with_prompt.notes
    asked = metaeval.study_judges(labels.assign(prompt=[f"p{at % 8}" for at in range(40)]), rng=0)
    assert not any("names no topic" in note for note in asked.notes)


def test_a_judge_in_numbers_beside_one_in_words_is_named_with_the_way_to_read_both():
    """Of two judges an error, of three a note; with `words` as either says they all count."""
    words = {"no": 0, "partly": 1, "yes": 2}
    labels = pd.DataFrame({"item": range(30), "ann": ["no", "partly", "yes"] * 10})
    labels["model"] = labels["ann"].map(words)
    with pytest.raises(FileFormatError, match=r"'ann', left out, .* pass `words=\{'no': 0, 'partly': 1, 'yes': 2\}`"):
        metaeval.study_judges(labels)
    assert metaeval.study_judges(labels, words=words, rng=0).answer
    three = metaeval.study_judges(labels.assign(ben=labels["ann"]), rng=0)
    (note,) = (note for note in three.notes if note.startswith("'model', left out, holds numbers beside labels"))
    assert note.endswith("pass `words={'no': 0, 'partly': 1, 'yes': 2}`")


@pytest.mark.parametrize("apart", [",", "\t", " "])
def test_a_judge_called_q0_beside_one_called_1000_is_a_judge(tmp_path, apart):
    """The header of such a table ends in a number, as judgments do; without a header the lines are judgments."""
    rows = [("topic", "Q0", "item", "1000"), *((f"{n % 3}", "1", f"d{n}", f"{n % 2}") for n in range(6))]
    path = tmp_path / "labels.txt"
    path.write_text("".join(apart.join(row) + "\n" for row in rows))
    labels = read_labels(path)
    assert list(labels.columns) == ["Q0", "1000"]
    assert labels["1000"].tolist() == [0, 1, 0, 1, 0, 1]
    path.write_text("".join(" ".join(row) + "\n" for row in rows[1:]))
    with pytest.raises(FileFormatError, match="judgments of one judge"):
        read_labels(path)


def test_items_written_with_zeros_by_one_judge_are_refused(tmp_path):
    """Ids 001 to 100 beside 1 to 100 have 100 alone in common, and no verdict is given on that."""
    for name, write in (("ann", "{:03}"), ("bot", "{}")):
        rows = [f"{write.format(item)},{item % 2}" for item in range(1, 101)]
        (tmp_path / f"{name}.csv").write_text("\n".join([f"id,{name}", *rows]))
    both = [tmp_path / "ann.csv", tmp_path / "bot.csv"]
    with pytest.raises(ScoresError, match=r"ann writes item '001' and bot '1', and 98 others: .* '001' under bot"):
        read_labels(both, words={"no": 0})
    (tmp_path / "ann.csv").write_text("id,ann\n1,0\n2,1\n02,1")
    (tmp_path / "bot.csv").write_text("id,bot\n1,0\n2,1")
    assert read_labels(both).shape == (3, 2)  # somebody has both 2 and 02


@pytest.mark.parametrize("heads", [("label", "label"), ("ann", "bot"), ("said", "said")])
@pytest.mark.parametrize("words", [("no", "yes"), ("0", "1")])
def test_a_file_a_judge_with_one_column_of_labels(tmp_path, heads, words):
    """The judge is called as the file where the column is called as labels or as given, else as the column."""
    said = {"ann": [0, 1, 1, 0], "bot": [0, 1, 0, 0]}
    for name, head in zip(said, heads, strict=True):
        rows = [f"{item},{words[label]}" for item, label in enumerate(said[name])]
        (tmp_path / f"{name}.csv").write_text("\n".join([f"id,{head}", *rows]))
    called = "{0}={1}/{0}.csv" if heads[0] == "said" else "{1}/{0}.csv"
    found = read_judges([called.format(name, tmp_path) for name in said]).labels
    written = [float(word) if word.isdigit() else word for word in words]
    assert {name: found[name].tolist() for name in found} == {
        name: [written[label] for label in labels] for name, labels in said.items()
    }
