"""Rows of sums and columns of confidence and marks in tables of labels, in many languages, are no items and no judges.

The labels of two judges are written here, so what has to remain is known: kappa is 0.6, by hand 0.8 agreed where 0.5 is
expected by chance.
"""

import pytest

from metaeval.errors import FileFormatError
from metaeval.io.labels import read_labels

ANNA, BEN = [1, 0, 1, 0, 1, 0, 1, 0, 1, 0], [1, 0, 0, 0, 1, 1, 1, 0, 1, 0]
SURE = [1, 2, 3, 4, 5, 1, 2, 3, 4, 5]
ITEMS = [f"d{number}" for number in range(10)]


def read(folder, cells_of, *rows, **options):
    """Return the labels of a table of columns by name, with more rows below."""
    lines = [",".join(cells_of), *(",".join(map(str, cells)) for cells in zip(*cells_of.values(), strict=True)), *rows]
    path = folder / "labels.csv"
    path.write_text("\n".join(lines))
    return read_labels(path, **options)


def kappa_of(labels):
    """Return Cohen's kappa by its definition."""
    (first, second), n = labels.T.to_numpy(), len(labels)
    agreed = (first == second).mean()
    chance = sum((first == level).sum() * (second == level).sum() for level in (0, 1)) / n**2
    return (agreed - chance) / (1 - chance)


SUMS = ["Sum,5,5", "Summe,5,5", "total,5,5", "suma,5,5", "n,10,10", "count,10,10", "Mean,0.5,0.5", "Mittelwert,.5,.5",
        "Moyenne,.5,.5", "# items,10,10", "Average,50%,50%"]  # fmt: skip


@pytest.mark.parametrize("row", SUMS)
@pytest.mark.parametrize("items", [ITEMS, ["fox", "hen", "cow", "dog", "cat", "ape", "emu", "gnu", "ewe", "yak"]])
def test_a_row_of_sums_or_counts_is_no_item(row, items, tmp_path):
    """It is left out, and the note names it."""
    labels = read(tmp_path, {"id": items, "anna": ANNA, "ben": BEN}, row)
    assert labels.index.tolist() == items
    assert kappa_of(labels) == pytest.approx(0.6)
    assert any(row.split(",")[0] in note for note in labels.attrs["notes"])


@pytest.mark.parametrize("name", ["q1", "n1", "summary", "total recall", "mean girls", "range"])
def test_an_item_that_is_called_alike_stays(name, tmp_path):
    """Its labels are no sums."""
    labels = read(tmp_path, {"id": ITEMS, "anna": ANNA, "ben": BEN}, f"{name},1,1")
    assert labels.index.tolist() == [*ITEMS, name]


BESIDE = [
    ("anna", "conf_anna", "ben", "conf_ben"), ("A1", "conf1", "A2", "conf2"),
    ("anna", "anna pewność", "ben", "ben pewność"),
    ("Bewerter1", "Sicherheit1", "Bewerter2", "Sicherheit2"), ("juge_1", "confiance_1", "juge_2", "confiance_2"),
    ("r1", "checked_1", "r2", "checked_2"),
]  # fmt: skip


@pytest.mark.parametrize("names", BESIDE)
def test_a_column_of_how_sure_each_judge_was_is_no_judge(names, tmp_path):
    """It is left out, and the note says of whom it is."""
    columns = dict(zip(names, (ANNA, SURE, BEN, SURE[::-1]), strict=True))
    labels = read(tmp_path, {"id": ITEMS, **columns})
    assert labels.columns.tolist() == [names[0], names[2]]
    assert any(f"of {names[0]!r}" in note for note in labels.attrs["notes"])


@pytest.mark.parametrize(
    "name", ["Sicherheit", "confidence", "confiance", "zekerheid", "checked", "geprüft", "vérifié"]
)
def test_a_column_of_confidence_or_marks_is_no_judge(name, tmp_path):
    """Marks are 0 and 1 as the labels are: the name tells."""
    labels = read(tmp_path, {"id": ITEMS, "anna": ANNA, "ben": BEN, name: [1, 1, 0, 1, 1, 0, 1, 1, 0, 1]})
    assert labels.columns.tolist() == ["anna", "ben"]
    kept = read(tmp_path, {"id": ITEMS, "anna": ANNA, "ben": BEN, name: SURE}, columns={"judge": f"anna,ben,{name}"})
    assert kept.columns.tolist() == ["anna", "ben", name]


@pytest.mark.parametrize("name", ["conf", "confucius", "target", "gold", "check", "sure1", "rater3"])
def test_a_judge_that_is_called_alike_stays(name, tmp_path):
    """A target is a gold label, and one of two columns is a judge whatever it is called."""
    columns = {"id": ITEMS, "anna": ANNA, name: BEN}
    assert read(tmp_path, columns).columns.tolist() == ["anna", name]
    if name != "conf":
        assert read(tmp_path, {**columns, "cleo": ANNA[::-1]}).columns.tolist() == ["anna", name, "cleo"]


@pytest.mark.parametrize("name", ["|A-B|", "|anna - ben|", "abs(A-B)"])
def test_how_far_two_judges_are_apart_is_no_judge(name, tmp_path):
    """And none of the two is."""
    apart = [abs(first - second) for first, second in zip(ANNA, BEN, strict=True)]
    labels = read(tmp_path, {"id": ITEMS, "anna": ANNA, "ben": BEN, name: apart})
    assert labels.columns.tolist() == ["anna", "ben"]


@pytest.mark.parametrize("mark", ["_", " ", "-"])
def test_aspects_by_raters_are_said_to_count_as_judges_of_one_thing(mark, tmp_path):
    """The way that the note names leads to the two raters of one aspect."""
    columns = {
        f"{aspect}{mark}{rater}": ANNA if rater == "A" else BEN for aspect in ("fluency", "adequacy") for rater in "AB"
    }
    labels = read(tmp_path, {"id": ITEMS, **columns})
    assert any("count as judges of one thing" in note for note in labels.attrs["notes"])
    one = read(tmp_path, {"id": ITEMS, **columns}, columns={"judge": f"fluency{mark}A,fluency{mark}B"})
    assert one.columns.tolist() == [f"fluency{mark}A", f"fluency{mark}B"]
    assert not any("one thing" in note for note in one.attrs["notes"])


def test_the_way_to_read_rows_of_labels_names_no_column_of_confidence(tmp_path):
    """Of note and confiance the first holds the labels."""
    columns = {
        "document": [*ITEMS, *ITEMS], "annotateur": ["anna"] * 10 + ["ben"] * 10, "note": ANNA + BEN,
        "confiance": SURE * 2,
    }  # fmt: skip
    assert kappa_of(read(tmp_path, columns)) == pytest.approx(0.6)
    unknown = {
        "document": columns["document"],
        "qui": columns["annotateur"],
        "remarque": ANNA + BEN,
        "confiance": SURE * 2,
    }
    with pytest.raises(FileFormatError, match="'label': 'remarque'"):
        read(tmp_path, unknown)
    labels = read(tmp_path, unknown, columns={"judge": "qui", "label": "remarque"})
    assert kappa_of(labels) == pytest.approx(0.6)


def test_a_length_that_is_no_judge_is_named_as_what_judges_may_go_by(tmp_path):
    """The option that asks for it is named beside the column, and not where what is left out is no size."""
    long = [31, 412, 58, 97, 230, 61, 77, 145, 520, 88]
    labels = read(tmp_path, {"item": ITEMS, "anna": ANNA, "ben": BEN, "length": long})
    assert labels.shape[1] == 2
    (note,) = [note for note in labels.attrs["notes"] if "'length'" in note]
    assert "whether judges go by length is asked with a table of items and it (`covariate`)" in note
    others = read(tmp_path, {"item": ITEMS, "anna": ANNA, "ben": BEN, "year": [2001 + size % 9 for size in long]})
    assert not any("covariate" in note for note in others.attrs["notes"])
