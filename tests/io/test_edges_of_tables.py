"""Columns and rows at the edge of a table: settings, years, bests of others and tables side by side."""

import re
import subprocess

import pandas as pd
import pytest

from metaeval.errors import FileFormatError
from metaeval.io.tables import read_scores
from metaeval.table.means import as_means

TASKS = "mnli,qqp,sst,cola,rte"
SCORES = {
    "bert": [71.2, 80.3, 65.4, 90.1, 77.5],
    "xlnet": [73.9, 79.2, 70.1, 88.4, 74.3],
    "t5": [69.9, 84.4, 61.7, 92.3, 79.9],
    "bart": [75.1, 82.6, 66.6, 86.7, 71.8],
}


def board(*, more=(), column="", rows=None):
    """Write a board, systems in rows, with further rows or a further column."""
    lines = [f"model,{TASKS}" + (f",{column}" if column else "")]
    for at, (name, scores) in enumerate((rows or SCORES).items()):
        lines.append(",".join([name, *map(str, scores), *([str(more[at])] if column else [])]))
    return "\n".join([*lines, *([] if column else more)]) + "\n"


def read(tmp_path, text):
    """Read a table of scores."""
    path = tmp_path / "b.csv"
    path.write_text(text)
    return read_scores(path)


def notes(scores):
    """Return all that was said in reading."""
    return "\n".join(scores.attrs["notes"])


@pytest.mark.parametrize("column", ["rok", "év", "vuosi", "x"])
def test_years_are_told_by_their_numbers(column, tmp_path):
    """In any language: 2018 to 2023 among per cents is no task; 1200 to 1400 may be, and is asked or noted."""
    scores = read(tmp_path, board(column=column, more=[2018, 2023, 2020, 2020]))
    assert column not in scores["topic"].to_numpy()
    assert f"left out column {column!r}, years from 2018 to 2023" in notes(scores)
    ratings = read(tmp_path, board(column=column, more=[1210, 1390, 1300, 1250]))
    assert f"{column} (1210 to 1390) has another scale than all other items" in notes(ratings)


@pytest.mark.parametrize("row", ["2023", "Last year", "Vorjahr (2022)", "poprzedni rok"])
def test_a_row_of_another_year_among_systems_is_named(row, tmp_path):
    """It may be a system, and counts as one; of versions by year all are alike."""
    scores = read(tmp_path, board(more=[f"{row},70.1,79.9,65.1,87.7,73.3"]))
    assert scores.sizes["system"] == 5
    assert f"'{row}' is called as a row of another year, and counts as a system" in notes(scores)
    versions = read(tmp_path, board(rows={f"20{20 + at}": of for at, of in enumerate(SCORES.values())}))
    assert "another year" not in notes(versions)
    assert "another year" not in notes(read(tmp_path, board(more=["baseline,70.1,79.9,65.1,87.7,73.3"])))


@pytest.mark.parametrize(
    ("row", "what"), [("Best", "largest"), ("Max", "largest"), ("Worst", "least"), ("Median", "median")]
)
def test_a_row_of_means_that_others_make_is_told_by_its_numbers(row, what):
    """Of three metrics it is left out, of one it is named; a system called so has numbers of its own."""
    columns = {name: [*of[:3]] for name, of in SCORES.items()}
    pick = {"largest": max, "least": min, "median": lambda of: sum(sorted(of)[1:3]) / 2}[what]
    made = [round(pick(of), 2) for of in zip(*columns.values(), strict=True)]

    def ranked(numbers, n_metrics):
        rows = {**columns, row: numbers}
        records = [
            {
                "system": name,
                **{f"m{at}": of[at] for at in range(n_metrics)},
                **{f"m{at}_stderr": 1.5 for at in range(n_metrics)},
            }
            for name, of in rows.items()
        ]
        return as_means(records)

    three, one = ranked(made, 3), ranked(made, 1)
    assert row not in three.systems
    assert any(f"left out system {row!r}, the {what} of" in note for note in three.notes)
    assert any(f"system {row!r}" in note and f"the {what} of" in note for note in one.notes)
    if what != "median":
        assert row in ranked([number + 0.07 for number in made], 3).systems


def test_tables_side_by_side_are_told(tmp_path):
    """With a line of titles above or none; columns without a name alone are left out as before."""
    left, right = "topic,a,b", "topic,a,b"
    body = "".join(f"q{at},.{at},.2,,q{at},.3,.{9 - at}\n" for at in range(1, 6))
    for head in (f"{left},,{right}\n", f"AP,,,,nDCG,,\n{left},,{right}\n"):
        with pytest.raises(FileFormatError, match="a second table stands beside the first, from column 5 on"):
            read(tmp_path, head + body)
    assert read(tmp_path, "topic,a,,b\nq1,.1,,.2\nq2,.3,,.1\nq3,.2,,.5\n").sizes["system"] == 2


def test_prompts_that_cross_tasks_are_settings(tmp_path):
    """Seeds by prompt and task: the way out leads to one prompt, and tasks are what is asked."""
    rows = [(s, t, seed, p) for s in "AB" for t in ("t1", "t2", "t3") for seed in "12" for p in ("p1", "p2")]
    text = "model,task,seed,prompt,score\n" + "".join(f"{','.join(row)},{at % 7 / 10}\n" for at, row in enumerate(rows))
    with pytest.raises(FileFormatError, match=r"2 sets of rows.*`where=\{'prompt': 'p1'\}`"):
        read(tmp_path, text)
    scores = read_scores(tmp_path / "b.csv", where={"prompt": "p1"})
    assert scores["topic"].to_numpy().tolist() == ["t1", "t2", "t3"]


@pytest.mark.parametrize("name", ["przedział 95 %", "osuus 95%", "90 % tartomány"])
def test_margins_of_a_level_in_any_language_are_asked_about(name, tmp_path):
    """A column that names a level and is small beside the scores is no item; FPR at 95 % and a large one may be."""
    with pytest.raises(FileFormatError, match=r"half the width of an interval\?|without topics"):
        read(tmp_path, board(column=name, more=[1.2, 1.5, 1.1, 1.3]))
    assert name in read(tmp_path, board(column=name, more=[71.3, 74.4, 68.8, 77.7]))["topic"].to_numpy()


def _with_ids(names="ID;Modell"):
    head, *rows = board().replace(",", ";").splitlines()
    ids = [names.split(";")[0], "3", "1", "2", "4"]
    lines = [
        f"{number};{row}" for number, row in zip(ids, [head.replace("model", names.split(";")[1]), *rows], strict=True)
    ]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    "columns", [{}, {"ignore": "ID"}, {"system": "Modell"}, {"system": "Modell", "ignore": ["ID"]}]
)
def test_ids_before_the_names_of_systems_are_no_items(columns, tmp_path):
    """A row a system: its tasks are the items, and the id is left out, said or not."""
    path = tmp_path / "acc.csv"
    path.write_text(_with_ids())
    found = read_scores(path, columns=columns)
    assert found["topic"].to_numpy().tolist() == sorted(TASKS.split(","))
    for system, scores in SCORES.items():
        assert found.isel(metric=0).sel(system=system, topic=TASKS.split(",")).to_numpy().tolist() == scores
    noted = any("'ID', an identifier" in note for note in found.attrs["notes"])
    assert noted is ("ignore" not in columns)


def test_what_is_ignored_before_the_names_of_systems_is_not_asked_about(tmp_path):
    """A team that is said to be left out is neither topic nor system."""
    path = tmp_path / "acc.csv"
    path.write_text(_with_ids("Gruppenname;Verfahren"))
    found = read_scores(path, columns={"ignore": "Gruppenname"})
    assert found.isel(metric=0).sel(system="t5", topic="sst").item() == 61.7


def test_a_board_of_means_may_number_its_rows():
    """Ids before models are left out of means with standard errors too."""
    means = as_means({"ID": [3, 1, 2], "model": [*"abc"], "acc": [0.5, 0.6, 0.7], "acc_stderr": [0.01, 0.02, 0.01]})
    assert means.systems == ("a", "b", "c")
    assert any("ID" in note for note in means.notes)


@pytest.mark.parametrize("title", ["", "Ergebnisse März;;;;;;;\n;;;;;;;\n", "Ergebnisse März\n\n"])
def test_blank_columns_are_left_out_under_a_title_as_without(title, tmp_path):
    """Columns 2 and 5 have neither a name nor a cell, and lines end in a sign."""
    names = ["bert", "xlnet", "t5", "bart"]
    rows = ["Aufgabe;;bert;xlnet;;t5;bart;"]
    for at, task in enumerate(TASKS.split(",")):
        first, second, third, fourth = (SCORES[name][at] for name in names)
        rows.append(f"{task};;{first};{second};;{third};{fourth};")
    path = tmp_path / "acc.csv"
    path.write_text(title + "\n".join(rows) + "\n")
    found = read_scores(path)
    for name in names:
        assert found.isel(metric=0).sel(system=name, topic=TASKS.split(",")).to_numpy().tolist() == SCORES[name]
    assert "acc.csv: left out columns 2, 5, without a name or a cell" in found.attrs["notes"]
    assert any("above the header" in note for note in found.attrs["notes"]) is bool(title)


def test_sections_with_their_means_and_an_overall_row_name_no_items(tmp_path):
    """As a sheet with merged cells is saved: the section stands in its first row, and rows of means name no item."""
    rows = [("Clean", "u1"), ("", "u2"), ("", "u3"), ("Noisy", "u4"), ("", "u5"), ("", "u6")]
    scores = [(0.91, 0.82), (0.84, 0.85), (0.77, 0.61), (0.66, 0.53), (0.71, 0.59), (0.58, 0.42)]
    lines = [f"{section},{name},{new},{old}" for (section, name), (new, old) in zip(rows, scores, strict=True)]
    lines[3:3] = ["Clean mean,,0.840,0.760"]
    lines += ["Noisy mean,,0.650,0.513", "Overall,,0.745,0.637"]
    read_table = read(tmp_path, "\n".join(["Section,utterance,new,old", *lines]) + "\n")
    assert read_table["topic"].to_numpy().tolist() == ["u1", "u2", "u3", "u4", "u5", "u6"]


@pytest.mark.parametrize(("kind", "ending"), [("SD", "_std"), ("SE", "_stderr"), ("95% CI", "_ci95")])
def test_a_header_says_what_stands_behind_a_sign(kind, ending, tmp_path):
    """A deviation is not written as a standard error."""
    text = f"system;F1 \N{PLUS-MINUS SIGN} {kind};n\n" + "".join(
        f"{name};0.{at}5 \N{PLUS-MINUS SIGN} 0.0{at};24\n" for at, name in enumerate("abc", 1)
    )
    with pytest.raises(FileFormatError, match="is a number with its error") as told:
        read(tmp_path, text)
    assert f"\\1{ending}/1" in str(told.value)


@pytest.mark.parametrize("marks", ["\N{LARGE ORANGE DIAMOND}", "\N{HEAVY BLACK HEART}\N{VARIATION SELECTOR-16}", "x"])
def test_a_column_of_pictures_holds_no_scores(marks, tmp_path):
    """Boards of models mark their kind with a picture, which is left out as a letter is."""
    (tmp_path / "b.csv").write_text(f"Model,T,GSM8K,MMLU,ARC\na,{marks},1.5,2,3\nb,{marks},2,3,4\n", encoding="utf-8")
    scores = read_scores(tmp_path / "b.csv")
    assert sorted(scores["topic"].to_numpy()) == ["ARC", "GSM8K", "MMLU"]
    assert any(note.endswith("left out columns of words (T)") for note in scores.attrs["notes"])


def test_a_second_column_that_names_items_is_offered_with_the_first(tmp_path):
    """Of a topic's many nuggets one alone would be compared; with both columns all 2 x 10 count: 0.5 and 0.25."""
    credit = {"a": [1, 0] * 5 + [1, 0] * 5, "b": [1, 0, 0, 0] * 5}
    rows = [(f"t{at // 10}", name, f"n{at % 10}", value) for name in "ab" for at, value in enumerate(credit[name])]
    path = tmp_path / "x.csv"
    pd.DataFrame(rows, columns=["topic", "run", "clause", "score"]).to_csv(path, index=False)
    with pytest.raises(FileFormatError, match=r"pass `columns=\{'topic': 'topic,clause'\}` if both name the topic, or"):
        read_scores(path)
    means = read_scores(path, columns={"topic": "topic,clause"}).mean("topic").isel(metric=0)
    assert means.to_numpy().tolist() == [0.5, 0.25]


@pytest.mark.parametrize(
    "words", [("wrong", "partly", "right"), ("nein", "teilweise", "ja"), ("non", "partiel", "oui")]
)
def test_one_filter_writes_all_words_of_a_scale(tmp_path, words):
    """Of 0, 0.5, 1, 1 the mean is 0.625; what writes only yes and no would leave the third word."""
    path = tmp_path / "x.csv"
    rows = [(f"q{at}", name, words[grade]) for name in "ab" for at, grade in enumerate([0, 1, 2, 2])]
    pd.DataFrame(rows, columns=["topic", "run", "score"]).to_csv(path, index=False)
    with pytest.raises(FileFormatError) as refused:
        read_scores(path)
    filtered = re.search(r"\(sed -E '([^']+)'\)", str(refused.value))
    path.write_bytes(
        subprocess.run(["/usr/bin/env", "sed", "-E", filtered[1], path], check=True, capture_output=True).stdout
    )
    assert read_scores(path).mean("topic").to_numpy().tolist() == [[0.625, 0.625]]


def test_items_within_topics_beside_runs_are_named_by_both(tmp_path):
    """Runs a and b have one grade an answer: 0.75 and 0.5 over all four."""
    (tmp_path / "x.csv").write_text("topic_id,answer_id,a,b\n1,n1,1,0\n1,n2,0.5,1\n2,n1,1,0\n2,n2,0.5,1\n")
    with pytest.raises(FileFormatError, match=r"names the items \(`columns=\{'topic': 'topic_id,answer_id'\}`\)"):
        read_scores(tmp_path / "x.csv")
    scores = read_scores(tmp_path / "x.csv", columns={"topic": "topic_id,answer_id"})
    assert scores.mean("topic").to_numpy().tolist() == [[0.75, 0.5]]


def test_a_mean_of_systems_of_which_one_is_left_out_is_no_system(tmp_path):
    """The means of a, b and c are 0.701, 0.401, 0.502 and 0.303; without c they are those of no columns that stay."""
    text = "topic,a,b,c,tops\nq1,.913,.802,.388,.701\nq2,.512,.597,.094,.401\nq3,.207,.404,.895,.502\n"
    text += "q4,.309,.114,.486,.303\n"
    (path := tmp_path / "x.csv").write_text(text, encoding="utf-8")
    for ignored in ("a", "b", "c"):
        found = read_scores(path, columns={"ignore": [ignored]})
        assert found.system.to_numpy().tolist() == [name for name in "abc" if name != ignored]
        assert "left out column 'tops', the mean of 'a', 'b', 'c'" in found.attrs["notes"][0]
