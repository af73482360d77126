"""Files of votes: tables and JSON give what the same rows give, in one piece or in many."""

import contextlib
import csv
import gzip
import io
import itertools
import json
import re
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.errors import FileFormatError, InvalidOptionError, MetaevalError, UnknownNameError
from metaeval.io import plain_columns
from metaeval.io import votes as reader
from metaeval.io.by_values import votes_by_values
from metaeval.io.labels import read_labels
from metaeval.io.tables import read_scores
from metaeval.io.votes import holds_votes, read_votes, votes_of
from metaeval.models.vote_strengths import win_matrix
from metaeval.simulate.votes import simulate_votes
from metaeval.table.votes import as_votes


def same(one, other):
    """Compare what two sets of votes say, whatever the numbers of their units."""
    assert one.systems == other.systems
    for name in ("left", "right", "share", "weight"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    for name in one.units:
        assert len(set(zip(one.units[name], other.units[name], strict=True))) == one.n_units(name)


@pytest.fixture(scope="module")
def frame():
    """Simulate three hundred votes."""
    return simulate_votes(n_votes=300, rng=1)


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "json", "jsonl.gz"])
def test_a_file_says_what_its_rows_say(tmp_path, frame, ending):
    """Recognised by content: the name of the file plays no part."""
    path = tmp_path / "anything"
    if ending.startswith("jsonl"):
        text = frame.to_json(orient="records", lines=True)
    elif ending == "json":
        text = frame.to_json(orient="records")
    else:
        text = frame.to_csv(index=False, sep="," if ending == "csv" else "\t")
    path.write_bytes(gzip.compress(text.encode()) if ending.endswith("gz") else text.encode())
    same(read_votes(path), as_votes(frame))


@pytest.mark.parametrize("polars", [True, False])
def test_pieces_are_the_whole(tmp_path, frame, monkeypatch, polars):
    """In pieces of a few lines, with polars and without."""
    path = tmp_path / "votes.jsonl"
    path.write_text(frame.to_json(orient="records", lines=True) + "\n\n")
    monkeypatch.setattr(reader, "_CHUNK", 500)
    if not polars:
        monkeypatch.setattr(plain_columns, "has_parquet", lambda: False)
    same(read_votes(path), as_votes(frame))
    table = tmp_path / "votes.csv"
    frame.to_csv(table, index=False)
    monkeypatch.setattr(plain_columns, "_ROWS", 7)
    same(read_votes(table), as_votes(frame))


def test_several_files_are_one_set(tmp_path, frame):
    """The first half and the second."""
    for name, part in (("one", frame[:150]), ("two", frame[150:])):
        part.to_csv(tmp_path / name, index=False)
    same(read_votes([tmp_path / "one", tmp_path / "two"]), as_votes(frame))


def test_public_votes(data_folder):
    """As its description says."""
    found = read_votes(data_folder / "votes" / "llmfao.csv.gz")
    assert [found.n_votes, len(found.systems), found.n_units("question")] == [8931, 59, 13]
    assert [(found.share == share).sum() for share in (1.0, 0.0, 0.5)] == [2911, 2549, 3471]


def test_names_that_look_like_gaps(tmp_path):
    """A system called NA is one."""
    path = tmp_path / "votes.csv"
    path.write_text("left,right,winner\nNA,null,left\nnull,NA,1e5\n".replace("1e5", "tie"))
    assert read_votes(path).systems == ("NA", "null")


def test_covariates_of_a_file(tmp_path, frame):
    """Only what is asked for is read beside the votes."""
    path = tmp_path / "votes.jsonl"
    path.write_text(frame.assign(len_left=range(300), len_right=0).to_json(orient="records", lines=True))
    assert read_votes(path, covariates=["len"]).covariates["len"][:3].tolist() == [0, 1, 2]
    with pytest.raises(UnknownNameError, match="style"):
        read_votes(path, covariates=["style"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("system,topic,score\na,1,0.5\n", "votes need columns for both systems"),
        ("left,right,winner\na,b,left\na,a,left\n", "line 3: system 'a' plays itself"),
        ('{"left": "a", "right": "b", "winner": "c"}', "the winner is 'c'"),
        ('{"left": "a", "right": ', "line 1: the JSON is cut short or broken"),
        ("", "empty"),
        ("1 Q0 d1 1 2.5 tag\n1 Q0 d2 2 2 tag\n", "a run in TREC format, not a table of votes; give its judgments"),
        ("1 Q0 d1 1 2.5 tag 5 6\n1 Q0 d2 2 2 tag 1 9\n", "INEX.*, not a table of votes; only runs of documents"),
        ("1 0 d1 1\n1 0 d2 0\n", "these are judgments in TREC format .qrels., not votes; give runs as the inputs"),
        ("left,right,winner\n", "at least two systems"),
    ],
)
def test_files_that_hold_no_votes(tmp_path, text, message):
    """Each with its rule, and those about a file with its name."""
    path = tmp_path / "file"
    path.write_text(text)
    with pytest.raises((FileFormatError, ValueError), match=message):
        read_votes(path)


def test_what_holds_votes():
    """By the first line alone."""
    row = {"model_a": "x", "model_b": "y", "winner": "tie"}
    assert holds_votes(json.dumps(row).encode(), "x")
    assert holds_votes(json.dumps([row]).encode(), "x")
    assert holds_votes(b"left\tright\twins\tlosses\na\tb\t1\t2\n", "x")
    assert not holds_votes(b"topic,item,judge,label\n1,d,a,0\n", "x")
    assert not holds_votes(json.dumps({"ann": {"d1": 1}}).encode(), "x")
    assert not holds_votes(b"1 0 d1 1\n", "x")


def test_alpaca_eval_both_ways(tmp_path):
    """The win rates of a leaderboard of annotations are the shares of the same annotations as votes."""
    generator = np.random.default_rng(1)
    for model in ("small", "large"):
        (tmp_path / model).mkdir()
        drawn = np.round(1 + generator.random(60), 3)
        names = {"generator_1": "gpt4", "generator_2": model, "annotator": "judge"}
        rows = [{"instruction": f"i{at}", "preference": one, **names} for at, one in enumerate(drawn.tolist())]
        (tmp_path / model / "annotations.json").write_text(json.dumps(rows))
    board = read_scores(tmp_path)
    found = read_votes([tmp_path / model / "annotations.json" for model in ("small", "large")])
    wins = win_matrix(found)
    share = wins / np.where(wins + wins.T > 0, wins + wins.T, 1)
    reference = found.systems.index("gpt4")
    for model in ("small", "large"):
        rate = float(board.sel(system=model).mean())
        assert share[found.systems.index(model), reference] == pytest.approx(rate, abs=1e-9)


def test_votes_are_no_scores_and_no_labels(tmp_path, frame):
    """Whoever reads them as either is told which command ranks systems by votes."""
    for ending, text in (("csv", frame.to_csv(index=False)), ("jsonl", frame.to_json(orient="records", lines=True))):
        path = tmp_path / f"votes.{ending}"
        path.write_text(text)
        for reader_of in (read_scores, read_labels):
            with pytest.raises(FileFormatError, match="these are votes on pairs of systems"):
                reader_of(path)


def test_many_votes_are_read_in_columns(tmp_path, processor_seconds):
    """Five times the votes take no more than some ten times the time: no loop goes over votes."""
    small, large = (tmp_path / name for name in ("small", "large"))
    row = pd.DataFrame({"left": ["a", "b"], "right": ["b", "a"], "winner": ["left", "tie"], "question": [1, 2]})
    pd.concat([row] * 4000).to_csv(small, index=False)
    pd.concat([row] * 20000).to_csv(large, index=False)
    assert processor_seconds(lambda: read_votes(large)) < 10 * processor_seconds(lambda: read_votes(small))


# --------------------------------------------------------------------------------------------------- names are text

NAMES = (
    *("1.10", "1.1", "1.0", "1", "01", "007", "7", "1e3", "1000", "2e3", "2000", "NA", "nan", "true", "None", "null"),
    *("9223372036854775808", "9223372036854775809", "12345678901234567890", "12345678901234567891", "two words", "-0"),
)
"""What somebody may be called, and what a parser of numbers takes for another."""


def as_table(rows, delimiter=",", quoting=csv.QUOTE_MINIMAL):
    """Write rows of cells, of which none holds what needs quotation marks."""
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, quoting=quoting, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def as_json(rows, *, lines):
    """Write rows as objects."""
    records = [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]
    return "".join(json.dumps(one) + "\n" for one in records).encode() if lines else json.dumps(records).encode()


SPELLINGS = {
    "plain": as_table,
    "tabs": lambda rows: as_table(rows, "\t"),
    "in quotation marks": lambda rows: as_table(rows, quoting=csv.QUOTE_ALL),
    "JSON lines": lambda rows: as_json(rows, lines=True),
    "JSON": lambda rows: as_json(rows, lines=False),
}


def said(votes):
    """Return the votes as they stand: the two systems, who won, the question and the voter by name."""
    return [
        (votes.systems[left], votes.systems[right], share, *(votes.names[unit][code] for unit, code in units.items()))
        for left, right, share, *codes in zip(votes.left, votes.right, votes.share, *votes.units.values(), strict=True)
        for units in [dict(zip(votes.units, codes, strict=True))]
    ]


@given(st.lists(st.tuples(*[st.sampled_from(NAMES)] * 4, st.booleans()), min_size=2, max_size=12))
def test_names_are_text(drawn):
    """Whatever they look like, in every spelling, and in frames of text and of categories."""
    votes = [(*row[:4], row[0] if row[4] else row[1]) for row in drawn if row[0] != row[1]] or [
        ("1", "01", "7", "7", "1")
    ]
    rows = [("left", "right", "question", "voter", "winner"), *votes]
    truth = [(left, right, float(winner == left), q, v) for left, right, q, v, winner in votes]
    frame = pd.DataFrame(rows[1:], columns=rows[0])
    assert said(as_votes(frame)) == said(as_votes(frame.astype("category"))) == truth
    for spell in SPELLINGS.values():
        assert said(reader.votes_of([("x", spell(rows))])) == truth


def test_numbers_of_json_keep_what_tells_them_apart():
    """Systems 1.10 and 1.1 are two; a whole number is one name however it is written."""
    text = b'{"left": 1.10, "right": 1.1, "winner": 1.10}\n{"left": 7.0, "right": 1.1, "winner": 7}\n'
    assert said(reader.votes_of([("x", text)])) == [("1.10", "1.1", 1.0), ("7", "1.1", 1.0)]


# ------------------------------------------------------------------------------------------------- every row arrives


@pytest.mark.parametrize("quoted", [False, True])
@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("a,b,left,1", "a row of 4 cells, and the table has 3 columns"),
        ("a,b", "a row of 2 cells"),
        ("a", "a row of 1 cells"),
        ("a,b,", "there is no winner, and 'a' played 'b'"),
        (",b,left", "a system has no name"),
        ("a,b,c", "the winner is 'c', and 'a' played 'b'"),
    ],
)
def test_no_row_is_cut_or_shifted(row, says, quoted):
    """A row that does not fit is refused with its line, wherever it stands."""
    rows = ["a,b,left", "b,a,tie", '"a","b","right"' if quoted else "a,b,right"]
    for place in range(4):
        text = "\n".join(["left,right,winner", *rows[:place], row, *rows[place:]])
        with pytest.raises(FileFormatError, match=f"x, line {place + 2}: {re.escape(says)}"):
            reader.votes_of([("x", text.encode())])


@pytest.mark.parametrize("quoted", [False, True])
@pytest.mark.parametrize("sign", [",", ";", "\t"])
@pytest.mark.parametrize("titles", ["Votes 2024{}{}", "Votes 2024{}{}\n{}{}", "\n\nArena spring{}{}\nall votes{}{}\n"])
def test_titles_above_votes_are_left_out_and_named(tmp_path, frame, titles, sign, quoted):
    """As spreadsheets have them, whatever divides cells; an error below names the line of the file."""
    path = tmp_path / "votes.csv"
    text = frame.to_csv(index=False, sep=sign, quoting=csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL)
    head = titles.replace("{}", sign) + "\n"
    path.write_text(head + text)
    found = read_votes(path)
    assert np.array_equal(found.share, as_votes(frame).share)
    assert any("above the header" in note and ("Votes" in note or "Arena" in note) for note in found.notes)
    assert holds_votes(path.read_bytes(), "votes.csv")
    row = dict.fromkeys(frame.columns, "x")
    path.write_text(head + text + sign.join(row.values()) + "\n")
    with pytest.raises(FileFormatError, match=rf"line {head.count(chr(10)) + len(frame) + 2}: system 'x' plays itself"):
        read_votes(path)


def test_a_vote_above_a_header_is_no_title():
    """A row as wide as the header is refused with it."""
    with pytest.raises(FileFormatError, match="votes need columns"):
        votes_of([("x.csv", b"a,b,left\nleft,right,winner\nb,a,left\n")])


def test_an_answer_may_be_long():
    """Beside the votes, on several lines, longer than a cell of scores."""
    answer = '"' + "two\nlines, " * 40_000 + '"'
    text = f"left,right,winner,answer\na,b,left,{answer}\nb,a,tie,{answer}\na,c,who,x\n"
    with pytest.raises(FileFormatError, match="x, line 80004: the winner is 'who'"):
        reader.votes_of([("x", text.encode())])
    assert csv.field_size_limit() == 2**17


@pytest.mark.parametrize(
    "text",
    [
        "left,right,winner\n1,a,b,left\n2,b,a,tie\n",
        "left,right,winner\na,b,left,\nb,a,tie,\n",
        ",left,right,winner\n0,a,b,left\n1,b,a,tie\n",
        "left,right,winner,\na,b,left,x\nb,a,tie,\n",
        "left,right,winner\n\na,b,left\n,,\n b , a ,tie\n\n",
        "left right winner\na b left\nb  a\ttie\n",
    ],
)
def test_what_may_stand_beside_the_columns(text):
    """Numbers of rows, as R and pandas write them, a delimiter behind every row, empty lines, blanks around cells."""
    assert said(reader.votes_of([("x", text.encode())])) == [("a", "b", 1.0), ("b", "a", 0.5)]


def test_numbers_of_rows_go_up():
    """A fourth cell that is no number of the row shifts nothing."""
    with pytest.raises(FileFormatError, match="x, line 3: a row of 4 cells"):
        reader.votes_of([("x", b"left,right,winner\n1,a,b,left\n1,b,a,tie\n")])


def test_files_without_a_unit_beside_files_with_one():
    """Their votes count as units of their own, and as many are named; counts and votes are read apart."""
    one, other = b"left,right,winner,voter\na,b,left,ann\na,b,tie,ann\n", b"left,right,winner\nb,a,left\nb,a,left\n"
    for files in ((one, other), (other, one)):
        found = reader.votes_of([(str(at), text) for at, text in enumerate(files)])
        assert (found.n_votes, found.n_units("voter")) == (4, 3)
        assert found.notes == ("2 votes name no voter; each counts as a voter of its own",)
    with pytest.raises(FileFormatError, match="read them apart"):
        reader.votes_of([("x", one), ("y", b"left,right,wins,losses\na,b,1,2\n")])


def test_a_line_far_down_is_named(frame, monkeypatch):
    """In every part of a file, read in columns or as objects."""
    monkeypatch.setattr(reader, "_CHUNK", 900)
    monkeypatch.setattr(plain_columns, "_ROWS", 7)
    rows = frame.assign(winner=frame["winner"].where(frame.index != 250, "nobody"))
    for text, line in ((rows.to_json(orient="records", lines=True), 251), (rows.to_csv(index=False), 252)):
        with pytest.raises(FileFormatError, match=f"x, line {line}: the winner is 'nobody'"):
            reader.votes_of([("x", text.encode())])


# -------------------------------------------------------------------------------------------------- any value anywhere

RECORDS = {
    "votes": {"left": "a", "right": "b", "winner": "a", "question": "1", "voter": "v", "weight": 2, "len": 1},
    "preferences": {"generator_1": "a", "generator_2": "b", "preference": 1.25, "instruction": "1", "annotator": "v"},
    "outcomes": {"model_a": "a", "model_b": "b", "winner_model_a": 1, "winner_model_b": 0, "winner_tie": 0},
    "winners": {"winner": "a", "loser": "b", "tie": 0},
    "scores": {"model_a": "a", "model_b": "b", "score_a": 4, "score_b": 2.5, "question": "1"},
    "orders": {"model_1": "a", "model_2": "b", "g1_winner": "model_1", "g2_winner": "tie", "judge": ["j", "p"]},
    "games": {"model": "a", "baseline": "b", "uid": "1", "games": [{"score": "A>B"}, {"score": "B=A"}]},
    "counts": {"left": "a", "right": "b", "wins": 1, "losses": 2, "ties": 0},
}
ODD = (
    *(None, True, False, 0, -1, 0.5, 2**63, 10**400, 1e300, float("nan"), float("inf"), "", " ", "x", "\ud800"),
    *("9" * 5000, [], {}, [1], [None], ["a", {}], {"a": 1}, [[1]], [{"score": None}], [{"score": {}}], [{}, None], [3]),
)


@pytest.mark.parametrize("form", RECORDS)
def test_any_value_in_any_entry_is_a_gap_or_refused(form):
    """In files of objects, in memory, and as the text of a table: whatever stands in a cell, nothing else is raised."""
    good, n_read = RECORDS[form], 0
    for name, value in itertools.product(good, ODD):
        rows = [good, good | {name: value}, good]
        covariates = ("len",) if "len" in good else ()
        texts = [json.dumps(rows), "".join(json.dumps(row) + "\n" for row in rows)]
        tried = [partial(reader.votes_of, [("x", text.encode())], covariates=covariates) for text in texts]
        tried += [partial(as_votes, of, covariates=covariates) for of in (rows, pd.DataFrame(rows, dtype=object))]
        for read in tried:
            with contextlib.suppress(MetaevalError):
                n_read += read().n_votes > 0
    assert n_read


def test_a_number_of_thousands_of_digits_is_a_name_too_long():
    """And as a weight none at all."""
    text = '{"left": %s, "right": "b", "winner": "b"}' % ("9" * 5000)
    with pytest.raises(FileFormatError, match="limit is 1000"):
        reader.votes_of([("x", text.encode())])
    with pytest.raises(FileFormatError, match="line 2: column 'weight': weights must be numbers"):
        reader.votes_of([("x", f"left,right,winner,weight\na,b,a,{'9' * 5000}\n".encode())])


def test_few_bytes_that_unpack_to_many_values(tmp_path):
    """They are counted before they are made; short lines are made some at a time, up to the first that is no vote."""
    row = b'{"left": "a", "right": "b", "winner": "a"}'
    path = tmp_path / "votes.gz"
    path.write_bytes(gzip.compress(b"[" + row + b",{}" * 1_400_000 + b"]"))
    with pytest.raises(FileFormatError, match=r"unpacks to some 4,200,\d+ values"):
        read_votes(path)
    path.write_bytes(gzip.compress(row + b"\n" + b"{}\n" * 1_400_000))
    with pytest.raises(FileFormatError, match="line 2: a system has no name"):
        read_votes(path)


@pytest.mark.parametrize("lines", ['{"left": "a", "left": "c"', '{"left": "a", "\\u006ceft": "c"'])
def test_a_name_twice_in_an_object(lines):
    """Whichever is meant, in lines that are read in columns too."""
    row = lines + ', "right": "b", "winner": "b"}\n'
    with pytest.raises(FileFormatError, match="'left' appears twice in one object"):
        reader.votes_of([("x", row.encode() * 2)])


@pytest.mark.parametrize(
    "odd",
    [
        '{"left": 1.10, "right": "b", "winner": "b"}',
        '{"left" : 1.10, "right": "b", "winner": "b", "x": {"left": "c"}}',
        '{"left": true, "right": "b", "winner": "b"}',
        '{"left": "\\ud83d\\ude00 \\u0041", "right": "b", "winner": "b"}',
        '{"left": 12345678901234567890, "right": "b", "winner": "b", "left_by": 1}',
        '{"winner": "b", "right": "b", "left": "left"}',
    ],
)
def test_columns_say_what_objects_say(odd, monkeypatch):
    """Lines that are not plainly alike are read as objects, with the same outcome as without columns."""
    text = ('{"left": "a", "right": "b", "winner": "b"}\n' + odd).encode()
    found = said(reader.votes_of([("x", text)]))
    monkeypatch.setattr(plain_columns, "has_parquet", lambda: False)
    assert said(reader.votes_of([("x", text)])) == found
    assert len({row[0] for row in found}) == 2


# -------------------------------------------------------------------------------------------------------- other forms


def test_alike_columns_and_others():
    """Two columns for one role are refused until one is named; what is not read is named in a note."""
    text = b"left,right,Winner,winner,text,note\na,b,left,tie,1,2\nb,a,left,tie,3,4\n"
    with pytest.raises(FileFormatError, match=r"called alike.*`columns=\{'winner': 'winner'\}`"):
        reader.votes_of([("x", text)])
    found = reader.votes_of([("x", text)], columns={"winner": "winner"})
    assert found.share.tolist() == [0.5, 0.5]
    assert found.notes == ("left out columns that say nothing of a vote (Winner, text, note)",)
    twice = text.replace(b"Winner", b"winner")
    with pytest.raises(FileFormatError, match="two columns are called 'winner'"):
        reader.votes_of([("x", twice)])
    assert reader.votes_of([("x", twice.replace(b"winner", b"other"))], columns={"winner": "text"}, words={
        "1": "left", "3": "right"}).share.tolist() == [1.0, 0.0]  # fmt: skip


def test_rows_are_chosen_by_their_text():
    """Of several judges in one file, one; a text that is nowhere is answered with those that are."""
    rows = "left,right,winner,judge\na,b,left,1.10\na,b,left,1.1\nb,a,left,1.10\n"
    everybody = reader.votes_of([("x", rows.encode())])
    assert "column 'judge' names 2 judges (1.10, 1.1)" in everybody.notes[0]
    one = reader.votes_of([("x", rows.encode())], where={"judge": "1.10"})
    assert said(one) == [("a", "b", 1.0, "1.10"), ("b", "a", 1.0, "1.10")]
    assert one.notes == ("2 of 3 rows, with judge 1.10",)
    with pytest.raises(FileFormatError, match=r"no row has '1\.2' in column 'judge'; there are 1\.1, 1\.10"):
        reader.votes_of([("x", rows.encode())], where={"judge": "1.2"})
    with pytest.raises(UnknownNameError, match="judg"):
        reader.votes_of([("x", rows.encode())], where={"judg": "1"})
    with pytest.raises(FileFormatError, match="x, line 4: the winner is 'c'"):
        reader.votes_of([("x", rows.replace("b,a,left", "b,a,c").encode())], where={"judge": "1.10"})
    assert as_votes(pd.read_csv(io.StringIO(rows)), where={"judge": "1.1"}).n_votes == 3


def test_a_pretty_list_holds_votes():
    """Whatever the layout, and names that stand deeper are none of the row's."""
    row = {"model_a": "x", "model_b": "y", "winner": "tie"}
    assert holds_votes(json.dumps([row], indent=2).encode(), "x")
    assert holds_votes(b"\xef\xbb\xbf" + json.dumps(row).encode(), "x")
    assert not holds_votes(json.dumps([{"said": row}]).encode(), "x")
    assert not holds_votes(json.dumps({"said": [row]}).encode(), "x")


def test_covariates_of_winners_and_losers():
    """A difference of two columns; who stood on the left is unknown."""
    text = b"winner,loser,len_winner,len_loser\na,b,3,1\nb,a,2,5\n"
    assert reader.votes_of([("x", text)], covariates=["len"]).covariates["len"].tolist() == [2.0, -3.0]
    with pytest.raises((FileFormatError, InvalidOptionError), match="does not say who was on the left"):
        reader.votes_of([("x", text)], covariates=["position"])


def test_systems_whose_names_differ_only_in_case_are_named(tmp_path):
    """They count apart, as they are written, and a note says so."""
    path = tmp_path / "v.csv"
    path.write_text("model_a,model_b,winner\ngpt,llama,gpt\nGPT,llama,llama\nllama,gpt,tie\n")
    votes = read_votes(path)
    assert set(votes.systems) == {"gpt", "GPT", "llama"}
    assert any("'gpt' and 'GPT'" in note for note in votes.notes)


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        *[(name, "winner") for name in ("which is better", "besser", "Choix", "isWinner", "result", "LEPSZY")],
        *[(name, "loser") for name in ("which_answer_is_worse", "bad", "schlechtere", "isLoser", "pire")],
        *[(name, "") for name in ("who", "not preferred", "better or worse", "gpt4", "nicht besser")],
    ],
)
def test_values_tell_the_side_and_the_name_whether_it_won(name, asked):
    """Whoever is named in a column without a known name may have won or lost: nobody is taken for the winner."""
    rows = "".join(
        f"{'abc'[at % 3]},{'abc'[(at + 1) % 3]},{('left', 'right', 'tie')[at % 4 % 3]}\n" for at in range(12)
    )
    told = votes_by_values(f"left,right,{name}\n{rows}".encode(), "x.csv")
    assert told.is_open == (not asked)
    assert told.columns == {"left": "left", "right": "right", asked or "winner": name}


@pytest.mark.parametrize("name", ["Opinion", "worse", "winner of the two"])
@pytest.mark.parametrize(("said", "sides"), [("{} is better", ("left", "right")), ("{} is worse", ("right", "left"))])
def test_sentences_say_themselves_who_won(name, said, sides):
    """Whatever the column is called: who is better won, and who is worse lost."""
    words = [said.format(side) for side in "AB"]
    rows = "".join(f"{'xyz'[at % 3]},{'xyz'[(at + 1) % 3]},{words[at % 2]}\n" for at in range(12))
    told = votes_by_values(f"Assistant A,Assistant B,{name}\n{rows}".encode(), "x.csv")
    assert told.columns == {"left": "Assistant A", "right": "Assistant B", "winner": name}
    assert (told.words, told.is_open) == (dict(zip(words, sides, strict=True)), False)
